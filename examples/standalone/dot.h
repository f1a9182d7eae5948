/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOT_H
#define DOT_H

#include <stddef.h>

typedef struct dot_args {
  const float *a, *b;
  size_t n;
  float *sums; /* one per block */
} dot_args;

#endif
