/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_MEAN_NORMALISATION_H
#define EXAMPLES_MEAN_NORMALISATION_H

#include <stddef.h>

typedef struct mean_normalisation_args {
  const float *in;
  float *out;
  size_t n;
} mean_normalisation_args;

#endif
