/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp bench: compares the histogram strategies of the parallel-histogram chapter (strategies.h) by time
 * and number of atomic operations. */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 524288, BINS = 128, RUNS = 7 }; /* defaults: exercise 6 of the chapter */

static uint64_t draw(uint64_t *state) /* splitmix64 */
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Cyclic samples give each block all bins, so that every block has to merge every counter. */
static const char *const distributions[] = { "cyclic", "uniform", "90% one", "all one", NULL };

static void fill(uint32_t *samples, size_t n, size_t bins, int distribution)
{
  uint64_t state = 1;
  for (size_t i = 0; i < n; i++) {
    const uint32_t uniform = (uint32_t)(draw(&state) % bins), frequent = (uint32_t)(bins / 3);
    switch (distribution) {
    case 0: samples[i] = (uint32_t)(i % bins); break;
    case 1: samples[i] = uniform; break;
    case 2: samples[i] = draw(&state) % 10 == 0 ? uniform : frequent; break;
    default: samples[i] = frequent;
    }
  }
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns the median seconds of a call with this strategy, and writes its counts and its report. */
static double measure(iw_context *context, const iw_histogram_spec *spec, const iw_strategy_options *options,
                      const uint32_t *samples, size_t n, uint64_t *counts, iw_strategy_report *report)
{
  iw_histogram_plan *plan;
  double seconds[RUNS];
  must(iw_histogram_plan_make(context, IW_U32, spec, NULL, 0, &plan));
  const iw_histogram_spec planned = { .size = sizeof planned, .plan = plan };
  for (int run = -1; run < RUNS; run++) { /* run -1 warms up; the report synchronises */
    const double start = seconds_now();
    must(iw_histogram_by_strategy(context, IW_U32, samples, n, &planned, options, counts, report));
    if (run >= 0)
      seconds[run] = seconds_now() - start;
  }
  iw_histogram_plan_free(plan);
  qsort(seconds, RUNS, sizeof *seconds, ascending);
  return seconds[RUNS / 2];
}

int run_bench(const settings *s)
{
  if (s->operand_count != 1 || strcmp(s->operands[0], "histogram") != 0 || !s->strategies)
    fail("the only benchmark is 'isowarp bench histogram --strategies'");
  const size_t n = s->samples ? s->samples : SAMPLES, bins = s->has_bins ? s->bins : BINS;
  const uint32_t lo = 0, hi = (uint32_t)bins;
  int status = STATUS_GOOD;
  iw_context *context = open_context(s);
  uint32_t *const samples = need(n, sizeof *samples), *kernel_samples;
  uint64_t *const counts = need(bins, sizeof *counts), *const first = need(bins, sizeof *first);
  must(iw_memory_allocate(context, n * sizeof *samples, (void **)&kernel_samples));
  printf("%zu samples, %zu bins, blocks of 1024 threads; coarsening %u\n", n, bins,
         s->counting.coarsening ? s->counting.coarsening : 4);
  printf("%-8s %-19s %14s %14s %10s %8s\n", "data", "strategy", "global atomics", "shared atomics", "ms",
         "GB/s");
  for (int k = 0; distributions[k]; k++) {
    fill(samples, n, bins, k);
    must(iw_memory_copy(context, kernel_samples, samples, n * sizeof *samples));
    for (iw_strategy strategy = IW_STRATEGY_SEQUENTIAL; iw_strategy_name(strategy); strategy++) {
      const iw_histogram_spec spec = { .size = sizeof spec, .bins = bins, .lo = &lo, .hi = &hi };
      iw_strategy_options options = s->counting;
      iw_strategy_report report = { .size = sizeof report };
      options.strategy = strategy;
      const int is_first = strategy == IW_STRATEGY_SEQUENTIAL;
      const double seconds = measure(context, &spec, &options, kernel_samples, n, is_first ? first : counts,
                                     &report);
      printf("%-8s %-19s %14llu %14llu %10.3f %8.2f\n", distributions[k], iw_strategy_name(strategy),
             (unsigned long long)report.global_atomics, (unsigned long long)report.shared_atomics,
             1e3 * seconds, (double)(n * sizeof *samples) / seconds * 1e-9);
      if (!is_first && memcmp(first, counts, bins * sizeof *counts) != 0) {
        printf("%s: the counts differ from those of sequential\n", iw_strategy_name(strategy));
        status = STATUS_CHECK_FAILED;
      }
    }
  }
  must(iw_memory_free(context, kernel_samples));
  iw_context_close(context);
  free(samples);
  free(counts);
  free(first);
  return status;
}
