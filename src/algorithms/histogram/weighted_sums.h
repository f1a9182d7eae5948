/* SPDX-License-Identifier: Apache-2.0
 *
 * Adding up weights by bin indices, for weighted histograms and for sums over the cells of tables. Host side
 * of the algorithms layer; not installed. weighted.c has the functions.
 */
#ifndef IW_HISTOGRAM_WEIGHTED_SUMS_H
#define IW_HISTOGRAM_WEIGHTED_SUMS_H

#include "algorithms/histogram/histogram.h"
#include "algorithms/histogram/nd_tables.h"

/* The form in which weights of a type are added up, and what it costs: words per bin, bytes of a result.
 * in_pairs: in pairs of words with a unit of 2^place (pair_args.h). */
typedef struct iw_sum_format { iw_kernel_id kernel; uint32_t words, digits, mantissa; size_t sum; int in_pairs; uint32_t place; } iw_sum_format;
iw_sum_format iw_sum_format_of(iw_type type);

/* The sums of all bins on the device: `copies` of words * entries. */
typedef struct iw_weighted_sums { uint64_t *sums; size_t entries, copies; } iw_weighted_sums;

/* The scratch of a call: its sums, and the bin indices of a chunk. */
typedef struct iw_weighted_chunks {
  iw_weighted_sums sums;
  size_t chunk, blocks;
  int privatised;
  int clears;               /* 1: the sums are not clear yet; the launch that adds the first weights clears them */
  uint32_t *bin_indices, *other;
} iw_weighted_chunks;

/* Makes the scratch where the sums of a call are added up: `copies` of entries * words, of which each
 * block of a CPU has its own unless one_copy is 1, or the copies would be too large. several_axes: there is
 * room for another chunk of bin indices. */
iw_status iw_begin_weighted(iw_context *context, const iw_sum_format *how, size_t entries, size_t n, int several_axes,
                            int one_copy, iw_weighted_chunks *c);
/* Adds n weights by the bin indices of a chunk. */
iw_status iw_add_weights(iw_context *context, const iw_sum_format *how, iw_weighted_chunks *c,
                         const void *weights, size_t n);
/* Rounds the sums of all bins, and writes `outputs` of them. */
iw_status iw_write_weighted(iw_context *context, const iw_sum_format *how, const iw_weighted_sums *from, size_t bins,
                            size_t outputs, int clamp, int accumulate, void *out);
/* iw_histogram() and iw_histogram_nd() with weights, of which the latter passes axes that it has copied. */
iw_status iw_histogram_weights(iw_context *context, const iw_histogram_spec *spec, const void *samples, size_t n, void *counts,
                               const iw_histogram_options *options);
iw_status iw_histogram_nd_weights(iw_context *context, iw_nd_axes *axes, size_t n, void *counts, const iw_histogram_options *options);
/* Checks that so many sums of n weights can be added up. name: of what has so many bins. */
iw_status iw_check_sums(const char *name, size_t bins, const char *bins_name, iw_type weight_type, size_t n);

#endif
