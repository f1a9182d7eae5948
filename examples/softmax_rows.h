/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_SOFTMAX_ROWS_H
#define EXAMPLES_SOFTMAX_ROWS_H

#include <stddef.h>

/* One block for each row. */
typedef struct softmax_rows_args {
  const float *in;
  float *out;
  size_t columns;
} softmax_rows_args;

#endif
