/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_NORMALISE_ROWS_H
#define EXAMPLES_NORMALISE_ROWS_H

#include <stddef.h>

/* One block for each row. A row of equal numbers becomes 0. */
typedef struct normalise_rows_args {
  const float *in;
  float *out;
  size_t columns;
} normalise_rows_args;

#endif
