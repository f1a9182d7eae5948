/* SPDX-License-Identifier: Apache-2.0
 *
 * What partition offers to the host side of other algorithms: to multisplit, whose split by a pivot is a
 * partition into three parts, to reductions by key, whose segments are the runs that unique finds, and to
 * partitions of distributed arrays, which count first.
 * Algorithms layer; not installed.
 */
#ifndef IW_ALGORITHMS_PARTITION_H
#define IW_ALGORITHMS_PARTITION_H

#include "algorithms/binning/binning.h"
#include "algorithms/common/args.h"
#include "runtime/memory.h"

/* Splits by a pivot if the call is small and plain: then *status is its status, offsets has 4 elements, and
 * the result is 1. Else returns 0 and has neither checked nor done anything. */
int iw_partition_three_small(iw_context *context, iw_type type, const void *in, size_t n, const void *pivot, void *out,
                             size_t *offsets, iw_status *status);
/* Counts the elements that a test, which has the size of this version, selects: *count, in host memory. */
iw_status iw_count_selected(iw_context *context, const iw_test *test, const void *in, size_t n, size_t *count);
/* Returns the rank of a value of a type of 1 or 2 bytes in *order, the type's; of a NaN IW_NARROW_NAN. */
uint32_t iw_rank_of_narrow(iw_type type, const void *value, iw_narrow_order *order);
/* Makes the plan of the pivot's two bins, less and equal. The plan points to edges and owns nothing. */
void iw_plan_of_pivot(iw_type type, const void *pivot, iw_scalar_bits edges[2], iw_histogram_plan *plan);

/* Runs of n elements, in memory that kernels can access: of elements of type `type` with equal bits, or
 * (is_flags) of bytes, where a run begins at each that is not 0. Element 0 begins one. */
typedef struct iw_runs {
  iw_type type;
  int is_flags;
  const void *in;
  size_t n;            /* at least 1 */
  size_t width;        /* bytes of an index: 4 (n < 2^32) or 8 */
  void *begins;        /* room for all runs: receives the index of each run's first element */
  uint64_t *count;     /* receives the number of runs */
  uint32_t *head_bits; /* the array that iw_layout_add_head_bits() adds */
} iw_runs;
/* Adds the array of head bits of n elements to a layout, and returns its offset. */
size_t iw_layout_add_head_bits(iw_layout *layout, size_t n);
/* Sets the head bits, of whole tiles: 0 behind the last element. Queues launches only, as the next one
 * does. */
iw_status iw_mark_runs(iw_context *context, const iw_runs *runs);
/* Finds the runs by their head bits: writes begins and *count. */
iw_status iw_find_runs(iw_context *context, const iw_runs *runs);
/* Writes the first element of each run that has been found to `out`. Not for flags. */
iw_status iw_move_run_heads(iw_context *context, const iw_runs *runs, void *out);
/* Whether one launch finds such runs and moves their heads, without head bits. */
int iw_finds_runs_at_once(const iw_context *context, const iw_runs *runs);
/* That launch: writes begins and *count, the first element of each run to `out` unless it is NULL, and 0 to
 * zeroed[0] and zeroed[1]. */
iw_status iw_find_runs_at_once(iw_context *context, const iw_runs *runs, void *out, uint64_t *zeroed);

#endif
