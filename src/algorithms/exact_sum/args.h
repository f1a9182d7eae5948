/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the kernels of exact sums, filled in by exact_sum.c. Plain data of the same layout on every
 * target, with pointers to memory that the kernel can reach. Knows neither the kernel language nor the
 * runtime.
 */
#ifndef IW_EXACT_SUM_ARGS_H
#define IW_EXACT_SUM_ARGS_H

#include <stddef.h>
#include <stdint.h>
#include "algorithms/common/exact_number.h"

/* The words of a sum: digits in units of 2^-1074, then the counts of NaN, +inf and -inf. */
enum { IW_EXACT_WORDS = IW_DIGITS_F64 + IW_NONFINITE_WORDS };

typedef struct iw_exact_add_args {
  const void *in, *other;  /* n elements each; other: what they are multiplied with, or NULL */
  uint64_t n;
  uint64_t *words;         /* IW_EXACT_WORDS: what the elements add is added. 0 after the last launch of a sum */
  uint32_t *blocks_done;   /* the counter of iw_is_last_block */
  void *result;            /* the last launch: one float of this format; NULL: launches follow */
  iw_float_format format;  /* bits = 0: the result is the words as they are */
  uint32_t is_whole;       /* no launch came before, and none follows */
  uint32_t prefetches;     /* 1: on CPUs, what follows is prefetched */
} iw_exact_add_args;

#endif
