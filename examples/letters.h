/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_LETTERS_H
#define EXAMPLES_LETTERS_H

#include <stddef.h>
#include <stdint.h>

enum { LETTER_BINS = 7 }; /* a-d, e-h, … y-z */

typedef struct letters_args {
  const uint8_t *text;
  size_t n;
  uint64_t *counts;    /* added to */
  uint64_t *copies;    /* letters_private_global: LETTER_BINS per block, with any contents */
  uint32_t coarsening; /* letters_coarse_contiguous: letters per thread */
} letters_args;

#endif
