/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of kernels that write sort keys by a user's function. Plain data of the same layout on every
 * target. Installed. It must not know the kernel language or the host's runtime.
 */
#ifndef ISOWARP_SORT_KEY_ARGS_H
#define ISOWARP_SORT_KEY_ARGS_H

#include <stdint.h>

/* Writes the key of each element. Blocks of any size; a warp takes a chunk. */
enum { IW_SORT_KEYS_CHUNK = 1024 };
typedef struct iw_sort_keys_args {
  const void *in;
  void *keys;
  uint64_t n;
} iw_sort_keys_args;

#endif
