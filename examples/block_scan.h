/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_BLOCK_SCAN_H
#define EXAMPLES_BLOCK_SCAN_H

#include <stddef.h>

typedef struct block_scan_args {
  const float *in;
  float *steps; /* n values after each step; the last step is the result */
  size_t n;     /* at most the block's threads */
} block_scan_args;

#endif
