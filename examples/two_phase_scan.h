/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_TWO_PHASE_SCAN_H
#define EXAMPLES_TWO_PHASE_SCAN_H

#include <stddef.h>

/* The arguments of all three kernels. */
typedef struct two_phase_scan_args {
  const float *in;
  float *out;
  size_t n;
  float *sums; /* one per block */
  size_t blocks;
} two_phase_scan_args;

#endif
