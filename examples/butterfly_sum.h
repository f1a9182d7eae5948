/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_BUTTERFLY_SUM_H
#define EXAMPLES_BUTTERFLY_SUM_H

#include <stddef.h>
#include <stdint.h>

typedef struct butterfly_sum_args {
  const uint32_t *in;
  uint32_t *out;
  size_t n;
  uint32_t width; /* lanes that share a sum: a power of two up to the warp's size */
} butterfly_sum_args;

#endif
