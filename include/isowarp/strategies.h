/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms by a named strategy, for teaching and for measurements: the parallel-histogram strategies of
 * Hwu, Kirk and El Hajj, "Programming Massively Parallel Processors", and the two that iw_histogram()
 * uses. All give equal counts. The rules of isowarp.h hold.
 */
#ifndef ISOWARP_STRATEGIES_H
#define ISOWARP_STRATEGIES_H

#include <isowarp/histograms.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum iw_strategy {
  IW_STRATEGY_AUTO,               /* the one that iw_histogram() would use */
  IW_STRATEGY_SEQUENTIAL,         /* one thread, no atomics: the reference */
  IW_STRATEGY_BASIC,              /* one atomic addition in global memory per sample */
  IW_STRATEGY_PRIVATE_GLOBAL,     /* one private copy per block in global memory; copies are merged */
  IW_STRATEGY_PRIVATE_SHARED,     /* one private copy per block in shared memory; copies are merged */
  IW_STRATEGY_COARSE_CONTIGUOUS,  /* private shared, each thread counts contiguous samples */
  IW_STRATEGY_COARSE_INTERLEAVED, /* private shared, each thread counts samples one grid apart */
  IW_STRATEGY_AGGREGATED,         /* coarse interleaved, equal consecutive samples of a thread are added at once */
  IW_STRATEGY_ROWS,               /* private shared counters, whole rows of samples at a time: AUTO's choice for large n */
  IW_STRATEGY_DIRECT              /* one warp adds to the caller's counters: AUTO's choice for small n */
} iw_strategy;

/* Returns "auto", "sequential", "basic", "private-global", "private-shared", "coarse-contiguous",
 * "coarse-interleaved", "aggregated", "rows" or "direct"; NULL if strategy is not an iw_strategy. */
IW_API const char *iw_strategy_name(iw_strategy strategy);

typedef struct iw_strategy_options {
  size_t size;          /* sizeof(iw_strategy_options) */
  iw_strategy strategy;
  unsigned coarsening;  /* samples per thread of the coarsened strategies, 1 … 65536; 0: 4 */
} iw_strategy_options;

typedef struct iw_strategy_report {
  size_t size;                       /* sizeof(iw_strategy_report), set by the caller */
  iw_strategy strategy;              /* the one that ran */
  uint64_t underflow, overflow, nan; /* as in iw_histogram_report */
  uint64_t global_atomics;           /* atomic operations in global memory, those of the merge included … */
  uint64_t shared_atomics;           /* … and in shared memory */
} iw_strategy_report;

/* Histogram by a strategy: iw_histogram() with options (NULL: AUTO) and another report (NULL: none).
 * Textbook strategies need more scratch (iw_context_reserve): 4 bytes per sample, at most 64 MiB, and 64
 * MiB for private-global. */
IW_API iw_status iw_histogram_by_strategy(iw_context *context, const iw_histogram_spec *spec, const void *samples,
                                          size_t n, void *counts, iw_strategy_report *report, const iw_strategy_options *options);

#ifdef __cplusplus
}
#endif

#endif
