/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the kernels of multisplit, filled in by multisplit.c and radix_split.c. Plain data of the
 * same layout on every target, with pointers to memory that the kernel can reach. Installed. This header
 * must not know the kernel language or the host's runtime.
 */
#ifndef ISOWARP_MULTISPLIT_ARGS_H
#define ISOWARP_MULTISPLIT_ARGS_H

#include <stddef.h>
#include <stdint.h>
#include <isowarp/algorithms/common/installed_args.h>

/* An array that moves with the keys: n elements of 1, 2, 4, 8 or 16 bytes. in NULL: the indices 0, 1, 2, …
 * in 4 or 8 bytes. */
typedef struct iw_move_array { const void *in; void *out; size_t width; } iw_move_array;

enum {
  IW_RADIX_DIGITS = 256,            /* a pass splits by at most 8 bits */
  IW_MAX_MOVED = 10,                /* elements, eight payloads, and keys between passes */
  IW_MULTISPLIT_TILE = 8192,        /* elements of a GPU block's tile; parts are whole tiles */
  IW_MULTISPLIT_SHORT_TILE = 2048,  /* elements of a tile of radix_onesweep if each tile can have a multiprocessor */
  IW_MULTISPLIT_MAX_PARTS = 8       /* parts of a chunk. The counting kernel counts chunks, each part by itself */
};

/* Finds where each bucket begins among keys that are sorted by (key >> shift) & mask. */
typedef struct iw_bucket_offsets_args {
  const void *keys;
  uint32_t key_bytes, shift;
  uint64_t mask, n, buckets;
  uint64_t *offsets;        /* buckets + 1 */
  uint32_t steps;           /* of the binary search: 2^steps > n */
} iw_bucket_offsets_args;

#endif
