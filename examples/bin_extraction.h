/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_BIN_EXTRACTION_H
#define EXAMPLES_BIN_EXTRACTION_H

#include <stddef.h>
#include <stdint.h>

typedef struct bin_extraction_args {
  const float *in;
  size_t n;
  uint32_t bins, bin;  /* bin k of [0, 1): k / bins <= x < (k + 1) / bins; the end bins also take what is outside */
  float *out;
  uint64_t *count;
  struct iw_tickets *tickets; /* zeroed once */
  uint64_t *slots;            /* two per block, zeroed once */
} bin_extraction_args;

#endif
