/* SPDX-License-Identifier: Apache-2.0
 *
 * One call of a histogram, and the schedule and the grid that are chosen for it. Host side of the algorithms
 * layer; not installed. schedule.c has the functions.
 */
#ifndef IW_HISTOGRAM_SCHEDULE_H
#define IW_HISTOGRAM_SCHEDULE_H

#include "algorithms/histogram/histogram.h"

/* One call of a histogram. */
typedef struct iw_histogram_job {
  iw_context *context;
  iw_type type;
  const char *samples;
  size_t n, bins, entries;       /* entries: counters of bins, below, above, NaN */
  const iw_histogram_plan *plan;
  const iw_histogram_spec *spec; /* policy and flags: the plan's, or others for its bins */
  void *counts;                  /* the caller's counters */
  iw_binning binning;            /* with tables in memory of the device */
  char *scratch;                 /* the offsets of its parts follow */
  size_t at_words, at_tables, at_counts, at_copies, at_local_bins, at_parts, at_totals;
  size_t copies;                 /* copies of all counters */
  uint64_t *counted;             /* at_counts in the scratch */
  int adds;                      /* 1: blocks add to the caller's counters (shared_atomics.h) */
  int atomic_counts;             /* 1: blocks add to `counted`; 0: they store copies that are added up, or add to the caller's */
  int reports;                   /* 1: outliers are reported */
  int has_cleared;               /* 1: the last launch cleared the caller's counters */
} iw_histogram_job;

/* The grid of histogram_rows. Private counters are in shared memory, or copies in global memory, or there
 * are none. Where copies are added up, counters in shared memory have copies too. */
typedef struct iw_rows_plan {
  size_t span, blocks, tables, shared, claimable, tables_at;
  unsigned threads;
  int in_shared, counters_16, copies;
} iw_rows_plan;

/* Begins a call. spec: as iw_histogram_job has it. */
void iw_histogram_job_init(iw_histogram_job *job, iw_context *context, const iw_histogram_plan *plan,
                           const iw_histogram_spec *spec, size_t n);
/* Whether n samples are so few that one warp counts them in the caller's counters (small_n.h). */
int iw_is_small_n(const iw_context *context, size_t bins, size_t n);
/* The grid for n of the samples, n > 0. */
iw_rows_plan iw_plan_rows(const iw_histogram_job *job, size_t n);
/* Whether the samples are counted by bin partition: many samples of a type with more bins than a block has
 * counters for. */
int iw_uses_bin_partition(const iw_histogram_job *job);
/* Ranges of bins of a bin partition. */
size_t iw_bin_range_count(const iw_histogram_job *job);
/* Whether one bin has so many samples that claimed counters are faster than a bin partition. */
int iw_has_dominant_bin(const iw_histogram_plan *plan);
/* 0 if the plan has seen a sample and no bin was much more frequent than others. */
int iw_may_have_heavy_hitters(const iw_histogram_plan *plan);

#endif
