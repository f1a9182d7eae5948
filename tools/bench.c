/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp bench: the strategies of the parallel-histogram chapter side by side, and what each of them had to do. */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 524288, BINS = 128, RUNS = 7 }; /* as in the chapter's exercise 6 */

static uint64_t draw(uint64_t *state) /* splitmix64 */
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Kinds of data. In turn, every block of as many samples as there are bins has all of them, so that no merging is saved. */
static const char *const kinds[] = { "in turn", "uniform", "90% one", "all one", NULL };

static void fill(uint32_t *samples, size_t n, size_t bins, int kind)
{
  uint64_t state = 1;
  for (size_t i = 0; i < n; i++) {
    const uint32_t any = (uint32_t)(draw(&state) % bins);
    samples[i] = kind == 0 ? (uint32_t)(i % bins) : kind == 1 || (kind == 2 && draw(&state) % 10 == 0) ? any
                                                                                                       : (uint32_t)(bins / 3);
  }
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns the median seconds of runs of a strategy. Writes what it counted, and its report. */
static double measure(iw_context *context, const iw_histogram_spec *spec, const iw_strategy_options *options,
                      const uint32_t *samples, size_t n, uint64_t *counts, iw_strategy_report *report)
{
  iw_histogram_plan *plan;
  double seconds[RUNS];
  must(iw_histogram_plan_make(context, IW_U32, spec, NULL, 0, &plan));
  const iw_histogram_spec planned = { .size = sizeof planned, .plan = plan };
  for (int run = -1; run < RUNS; run++) { /* the first one warms up; the report waits until all is done */
    const double start = seconds_now();
    must(iw_histogram_by_strategy(context, IW_U32, samples, n, &planned, options, counts, report));
    if (run >= 0)
      seconds[run] = seconds_now() - start;
  }
  iw_histogram_plan_free(plan);
  qsort(seconds, RUNS, sizeof *seconds, by_size);
  return seconds[RUNS / 2];
}

int run_bench(const settings *s)
{
  if (s->operand_count != 1 || strcmp(s->operands[0], "histogram") != 0 || !s->strategies)
    fail("'isowarp bench histogram --strategies' is what there is");
  const size_t n = s->samples ? s->samples : SAMPLES, bins = s->has_bins ? s->bins : BINS;
  const uint32_t lo = 0, hi = (uint32_t)bins;
  int status = STATUS_GOOD;
  iw_context *context = open_context(s);
  uint32_t *const samples = need(n, sizeof *samples), *there;
  uint64_t *const counts = need(bins, sizeof *counts), *const first = need(bins, sizeof *first);
  must(iw_memory_allocate(context, n * sizeof *there, (void **)&there));
  printf("%zu samples, %zu bins, blocks of 1024 threads; coarsening %u\n", n, bins,
         s->counting.coarsening ? s->counting.coarsening : 4);
  printf("%-8s %-19s %14s %14s %10s %8s\n", "data", "strategy", "global atomics", "shared atomics", "ms",
         "GB/s");
  for (int kind = 0; kinds[kind]; kind++) {
    fill(samples, n, bins, kind);
    must(iw_memory_copy(context, there, samples, n * sizeof *there));
    for (int k = IW_STRATEGY_SEQUENTIAL; iw_strategy_name((iw_strategy)k); k++) {
      const iw_histogram_spec spec = { .size = sizeof spec, .bins = bins, .lo = &lo, .hi = &hi };
      iw_strategy_options options = s->counting;
      iw_strategy_report report = { .size = sizeof report };
      options.strategy = (iw_strategy)k;
      const int is_first = k == IW_STRATEGY_SEQUENTIAL;
      const double seconds = measure(context, &spec, &options, there, n, is_first ? first : counts, &report);
      printf("%-8s %-19s %14llu %14llu %10.3f %8.2f\n", kinds[kind], iw_strategy_name((iw_strategy)k),
             (unsigned long long)report.global_atomics, (unsigned long long)report.shared_atomics,
                 1e3 * seconds,
             (double)(n * sizeof *there) / seconds * 1e-9);
      if (!is_first && memcmp(first, counts, bins * sizeof *counts) != 0) {
        printf("%s counted otherwise than sequential\n", iw_strategy_name((iw_strategy)k));
        status = STATUS_CHECK_FAILED;
      }
    }
  }
  must(iw_memory_free(context, there));
  iw_context_close(context);
  free(samples);
  free(counts);
  free(first);
  return status;
}
