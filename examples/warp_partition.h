/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_WARP_PARTITION_H
#define EXAMPLES_WARP_PARTITION_H

#include <stddef.h>
#include <stdint.h>

typedef struct warp_partition_args {
  const float *in;
  float *out;
  uint32_t *left_places, *right_places; /* output: the position of each element on either side */
  size_t n;
  float pivot;
} warp_partition_args;

#endif
