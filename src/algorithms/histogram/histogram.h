/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host side of the histograms offers to its own files: counters and counting. Algorithms layer; not
 * installed.
 */
#ifndef IW_ALGORITHMS_HISTOGRAM_H
#define IW_ALGORITHMS_HISTOGRAM_H

#include "algorithms/binning/binning.h"
#include "algorithms/common/clear.h"
#include "algorithms/histogram/args.h"

/* The bytes of a counter. */
static inline size_t iw_counter_size(const iw_histogram_spec *spec)
{
  return spec->counter_width ? spec->counter_width : sizeof(uint64_t);
}
/* The caller's counters, as an array of a call. */
static inline iw_array iw_counters(const char *name, const iw_histogram_spec *spec, const void *counts, size_t outputs)
{
  const unsigned accumulates = spec->flags & IW_HIST_ACCUMULATE ? IW_READ : 0;
  return (iw_array){ name, counts, outputs, iw_counter_size(spec), IW_WRITE | accumulates, NULL };
}
/* Checks the caller's counters, each of which counts at most n samples; n_name: the parameter that says
 * so. */
iw_status iw_check_counters(const iw_histogram_spec *spec, const iw_array *counters, const iw_array *samples,
                            const char *n_name, size_t n);
/* Checks options but for arrays, and copies what the library knows of them; NULL gives the defaults. */
iw_status iw_copy_histogram_options(const iw_histogram_options *options, iw_histogram_options *own);
/* Checks the samples of a matrix, and that counters for each of its rows fit the address space. */
iw_status iw_check_matrix(iw_type type, const void *samples, size_t rows, size_t columns);
iw_status iw_check_row_counters(const iw_histogram_spec *spec, size_t rows);

/* The functions below take checked arguments in memory that kernels can access, and `memory` of the size
 * that the function with _scratch_bytes in its name returns. */

/* Counts samples into the caller's counters by the plan's policy and flags. */
iw_status iw_histogram_run_plan(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n,
                                void *counts);
/* Adds the histogram of the samples to 64-bit counters. */
size_t iw_histogram_accumulate_scratch_bytes(iw_context *context, const iw_histogram_plan *plan, size_t n);
iw_status iw_histogram_accumulate(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n,
                                  void *memory, uint64_t *counts);

enum { IW_MAX_TABLE = 0x7ffffffc }; /* counters that are counted together, with three more for outliers */
/* Adds to counts[k] how often k occurs among the bin indices, for k < bins. */
size_t iw_count_bin_indices_scratch_bytes(iw_context *context, size_t n, size_t bins);
iw_status iw_count_bin_indices(iw_context *context, const uint32_t *bin_indices, size_t n, size_t bins, void *memory,
                               uint64_t *counts);

/* Histograms of rows by a checked spec, each with a range of its own: ranges, or NULL for automatic ones. */
iw_status iw_histogram_ranged_rows(iw_context *context, iw_type type, const iw_histogram_spec *spec, const void *samples, size_t rows,
                                   size_t columns, void *counts, const iw_histogram_ranges *ranges);

#endif
