/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the kernels on sorted arrays, filled in by sorted.c. Plain data of the same layout on every
 * target. It must not know the kernel language or the host's runtime.
 */
#ifndef IW_SORTED_ARGS_H
#define IW_SORTED_ARGS_H

#include "algorithms/common/total_order.h"

/* Finds the bound of each value. A warp has a chunk of the values, one bisection after the other for each
 * lane, or on CPUs those of IW_BOUNDS_LEAST_HOST_CHUNK values at a time; blocks of any size. All bisections
 * have the same steps. A step that has found that `found` elements come before the bound compares element
 * found + steps[s] - 1, and adds steps[s] to found if that one comes before the bound, too. */
enum { IW_BOUNDS_MOST_CHUNK = 256, IW_BOUNDS_LEAST_HOST_CHUNK = 128 };
enum { IW_BOUNDS_MOST_STEPS = 72 }; /* at most 64 + 3 are made */
typedef struct iw_bounds_args {
  const void *sorted, *values;
  uint64_t key_bytes;
  uint64_t n, count;        /* elements of sorted, and values */
  uint64_t chunk;           /* values of a warp, a multiple of 32 */
  uint64_t step_count;
  uint64_t steps[IW_BOUNDS_MOST_STEPS]; /* n in all, each at least 1 and at most the sum of those behind it, and 1 */
  uint64_t upper;           /* 1: upper bounds, 0: lower ones */
  iw_total_order order;
  uint64_t mask;            /* the bits of ranks that decide */
  void *indices;
  uint64_t index_bytes;     /* 4 or 8 */
  uint64_t gathers;         /* on CPUs: 1: elements are gathered by instructions for that; n is below 2^31 */
} iw_bounds_args;

/* Finds the first of the elements first … end - 1 that comes before the one in front of it. A warp has a
 * chunk. */
enum { IW_DESCENTS_CHUNK = 2048, IW_DESCENTS_WARPS = 8 };
typedef struct iw_descents_args {
  const void *keys;
  uint64_t key_bytes;
  uint64_t first, end;      /* first: at least 1 */
  iw_total_order order;
  uint64_t mask;            /* the bits of ranks that decide */
  uint64_t *found;          /* becomes the index, if it is less */
} iw_descents_args;

/* Repeats values: output i is the value whose end is the first above i. A warp has a chunk of the outputs. */
enum { IW_DECODE_CHUNK = 1024, IW_DECODE_WARPS = 8 };
typedef struct iw_decode_args {
  const void *values;
  uint64_t width;           /* bytes of a value: 1, 2, 4 or 8 */
  const uint64_t *ends;     /* `runs` of them, ascending; the last one is n */
  uint64_t runs, n;
  void *out;
} iw_decode_args;

#endif
