/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_BIN_EXTRACTION_H
#define EXAMPLES_BIN_EXTRACTION_H

#include <stddef.h>
#include <stdint.h>

typedef struct bin_extraction_args {
  const float *in;
  size_t n;
  uint32_t bins, bin; /* bin k of [0, 1): k / bins <= x < (k + 1) / bins; outliers are in the end bins */
  float *out;
  uint64_t *count;
  struct iw_tickets *tickets; /* zeroed once */
  uint64_t *states;           /* two words per block, zeroed once: iw_publish(), iw_poll_u64() */
} bin_extraction_args;

#endif
