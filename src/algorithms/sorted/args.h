/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the kernels on sorted arrays, filled in by sorted.c. Plain data of the same layout on every target. It must not know
 * the kernel language or the host's runtime.
 */
#ifndef IW_SORTED_ARGS_H
#define IW_SORTED_ARGS_H

#include "algorithms/common/total_order.h"

/* Finds the bound of each value. A warp has a chunk of the values; blocks of any size. */
enum { IW_BOUNDS_CHUNK = 256 };
typedef struct iw_bounds_args {
  const void *sorted, *values;
  uint64_t key_bytes;
  uint64_t n, count;        /* elements of sorted, and values */
  uint64_t steps;           /* of the bisection: 2^steps > n */
  uint64_t upper;           /* 1: upper bounds, 0: lower ones */
  iw_total_order order;
  uint64_t mask;            /* the bits of ranks that decide */
  void *indices;
  uint64_t index_bytes;     /* 4 or 8 */
} iw_bounds_args;

#endif
