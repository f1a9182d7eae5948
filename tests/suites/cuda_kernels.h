/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of a user's, built from one text by the C compiler (…_cpu) and by nvcc (…_cuda).
 */
#ifndef TESTS_CUDA_KERNELS_H
#define TESTS_CUDA_KERNELS_H

#include <isowarp/descriptor.h>

/* n elements in tiles of as many as a block has threads. */
typedef struct tiles_args {
  const float *in;
  const uint32_t *numbers;
  float *shares, *largest;   /* each element by its tile's sum; the largest of each tile */
  uint32_t *before;          /* the sum of the numbers before each */
  uint64_t *slots;           /* one a tile, zeroed once */
  iw_tickets *tickets;
  size_t n, tiles;
} tiles_args;

typedef struct large_args { uint32_t *out; } large_args;

enum { LARGE_WORDS = 1 << 20, BRIMFUL_WORDS = (48 << 10) / 4 };

#endif
