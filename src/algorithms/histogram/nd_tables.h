/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of several axes, for calls that count samples in them and for calls that add weights: axes after
 * their checks, and the bin indices of a chunk of samples. Host side of the algorithms layer; not installed.
 * nd_tables.c has the functions.
 */
#ifndef IW_HISTOGRAM_ND_TABLES_H
#define IW_HISTOGRAM_ND_TABLES_H

#include "algorithms/histogram/histogram.h"

#include <isowarp/histograms.h>

/* The checked axes of a call. Samples are in memory that kernels can access once `samples` of an axis is
 * staged. total: counters of the table. */
typedef struct iw_nd_axis { iw_call_plan call; const iw_histogram_plan *plan; const void *samples; } iw_nd_axis;
typedef struct iw_nd_axes { iw_nd_axis of[IW_MAX_HISTOGRAM_AXES]; unsigned dimensions; size_t total; } iw_nd_axes;

/* The names of an axis and of its members, for messages. */
typedef struct iw_axis_names { const char *size, *spec, *samples; } iw_axis_names;
/* Of the elements of a list of axes. */
extern const iw_axis_names iw_axes_names[IW_MAX_HISTOGRAM_AXES];

static inline iw_axis iw_axis_of(const iw_histogram_plan *plan)
{
  return (iw_axis){ (uint32_t)plan->spec.bins, (uint32_t)plan->spec.policy, (uint32_t)iw_outputs(&plan->spec) };
}

/* Element i of an array, which may be NULL if it has none. */
static inline const void *iw_element_at(iw_type type, const void *array, size_t i)
{
  return array ? (const char *)array + i * iw_type_size(type) : NULL;
}

/* Bin indices of a chunk, which a core's cache holds. */
size_t iw_chunk_size(const iw_context *context);

/* Computes the bin indices of n samples. Outliers have indices of their own, whatever the policy. */
iw_status iw_find_bin_indices(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n,
                              uint32_t *bin_indices);

/* Computes the index in the table of samples at … at + n - 1: ravels bin indices axis by axis. Samples that
 * are not counted get `total`. other: room for as many indices; NULL for one axis. */
iw_status iw_find_table_indices(iw_context *context, const iw_nd_axes *axes, size_t at, size_t n, uint32_t *indices,
                                uint32_t *other);

/* Checks a list of axes, whose elements have axes[0].size bytes, and copies it. Release it after a failure,
 * too. */
iw_status iw_copy_axes(iw_nd_axes *to, const iw_histogram_axis *axes, unsigned dimensions, size_t n);
void iw_release_axes(iw_nd_axes *axes);
/* Checks what has to hold of all axes together, and finds the number of counters. */
iw_status iw_check_table(iw_nd_axes *axes);

/* Lists the axes' samples, for iw_stage(). */
void iw_list_axis_samples(const iw_nd_axes *axes, size_t n, iw_array *arrays);
/* Lets the axes have the staged samples. */
void iw_use_staged_axis_samples(iw_nd_axes *axes, const iw_array *arrays);

#endif
