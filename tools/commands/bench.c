/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp bench: compares the histogram strategies of the parallel-histogram chapter (strategies.h) by time
 * and number of atomic operations. */
#include "commands.h"

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
  must(iw_histogram_plan_make(context, spec, NULL, 0, &plan));
  const iw_histogram_spec planned = { .size = sizeof planned, .plan = plan };
  for (int run = -1; run < RUNS; run++) { /* run -1 warms up; the report synchronises */
    const double start = seconds_now();
    must(iw_histogram_by_strategy(context, &planned, samples, n, counts, report, options));
    if (run >= 0)
      seconds[run] = seconds_now() - start;
  }
  iw_histogram_plan_free(plan);
  qsort(seconds, RUNS, sizeof *seconds, ascending);
  return seconds[RUNS / 2];
}

/* One line of the table. */
typedef struct bench_row {
  int distribution;
  iw_strategy strategy;
  uint64_t global_atomics, shared_atomics;
  double seconds;
  int is_equal; /* the counts are those of the first strategy */
} bench_row;

typedef struct bench {
  const settings *settings;
  iw_context *context;
  size_t n, bins;
  uint32_t *samples;      /* in the context's memory */
  uint64_t *counts, *first;
  bench_row *rows;        /* for each distribution, for each strategy */
  size_t row_count;
} bench;

static double rate(const bench *b, const bench_row *row)
{
  return (double)(b->n * sizeof *b->samples) / row->seconds * 1e-9;
}

static unsigned coarsening(const bench *b)
{
  return b->settings->counting.coarsening ? b->settings->counting.coarsening : 4;
}

static void print_row(const bench *b, const bench_row *row)
{
  const char *const strategy = iw_strategy_name(row->strategy);
  printf("%-8s %-19s %14llu %14llu %10.3f %8.2f\n", distributions[row->distribution], strategy,
         (unsigned long long)row->global_atomics, (unsigned long long)row->shared_atomics,
         1e3 * row->seconds, rate(b, row));
  if (!row->is_equal)
    printf("%s: the counts differ from those of sequential\n", strategy);
}

/* Measures all strategies with one kind of data. */
static void measure_data(bench *b, int distribution)
{
  const uint32_t lo = 0, hi = (uint32_t)b->bins;
  const iw_histogram_spec spec = { .size = sizeof spec, .type = IW_U32, .bins = b->bins, .lo = &lo, .hi = &hi };
  for (iw_strategy strategy = IW_STRATEGY_SEQUENTIAL; iw_strategy_name(strategy); strategy++) {
    iw_strategy_options options = b->settings->counting;
    iw_strategy_report report = { .size = sizeof report };
    const int is_first = strategy == IW_STRATEGY_SEQUENTIAL;
    uint64_t *const counts = is_first ? b->first : b->counts;
    options.strategy = strategy;
    const double seconds = measure(b->context, &spec, &options, b->samples, b->n, counts, &report);
    b->rows = need_more(b->rows, b->row_count + 1, sizeof *b->rows);
    bench_row *const row = &b->rows[b->row_count++];
    *row = (bench_row){ distribution, strategy, report.global_atomics, report.shared_atomics, seconds,
                        memcmp(b->first, counts, b->bins * sizeof *counts) == 0 };
    if (!b->settings->json)
      print_row(b, row);
  }
}

static void print_json(const bench *b)
{
  printf("{\"operation\": \"bench\", \"samples\": %zu, \"bins\": %zu, \"coarsening\": %u, \"results\": [",
         b->n, b->bins, coarsening(b));
  for (size_t i = 0; i < b->row_count; i++) {
    const bench_row *const row = &b->rows[i];
    printf("%s{\"data\": \"%s\", \"strategy\": \"%s\", \"global_atomics\": %llu, \"shared_atomics\": %llu, "
           "\"seconds\": ", i ? ", " : "", distributions[row->distribution], iw_strategy_name(row->strategy),
           (unsigned long long)row->global_atomics, (unsigned long long)row->shared_atomics);
    put_number(IW_F64, &row->seconds, 1);
    printf(", \"equal\": %s}", row->is_equal ? "true" : "false");
  }
  puts("]}");
}

/* A group of bars for each strategy, with a bar for each kind of data. */
static void plot_rates(const bench *b)
{
  enum { SERIES = sizeof distributions / sizeof *distributions - 1 };
  const size_t strategies = b->row_count / SERIES;
  const char **const names = need(strategies, sizeof *names);
  double *const rates = need(b->row_count, sizeof *rates);
  char title[100];
  for (size_t i = 0; i < strategies; i++)
    names[i] = iw_strategy_name(b->rows[i].strategy);
  for (size_t i = 0; i < b->row_count; i++)
    rates[i % strategies * SERIES + i / strategies] = rate(b, &b->rows[i]);
  snprintf(title, sizeof title, "Histogram of %zu samples in %zu bins, by strategy and data", b->n, b->bins);
  plot_bars(b->settings->plot,
            &(bar_chart){ title, "GB/s", strategies, SERIES, names, distributions, rates });
  free(names);
  free(rates);
}

int run_bench(const settings *s)
{
  if (s->operand_count != 1 || strcmp(s->operands[0], "histogram") != 0 || !s->strategies)
    fail("the only benchmark is 'isowarp bench histogram --strategies'");
  bench b = { .settings = s, .n = s->samples ? s->samples : SAMPLES, .bins = s->has_bins ? s->bins : BINS };
  b.context = open_context(s);
  uint32_t *const samples = need(b.n, sizeof *samples);
  b.counts = need(b.bins, sizeof *b.counts);
  b.first = need(b.bins, sizeof *b.first);
  must(iw_memory_allocate(b.context, b.n * sizeof *samples, (void **)&b.samples));
  if (!s->json) {
    printf("%zu samples, %zu bins, blocks of 1024 threads; coarsening %u\n", b.n, b.bins, coarsening(&b));
    printf("%-8s %-19s %14s %14s %10s %8s\n", "data", "strategy", "global atomics", "shared atomics", "ms",
           "GB/s");
  }
  for (int k = 0; distributions[k]; k++) {
    fill(samples, b.n, b.bins, k);
    must(iw_memory_copy(b.context, b.samples, samples, b.n * sizeof *samples));
    measure_data(&b, k);
  }
  if (s->json)
    print_json(&b);
  if (s->plot != NULL)
    plot_rates(&b);
  int status = STATUS_GOOD;
  for (size_t i = 0; i < b.row_count; i++)
    if (!b.rows[i].is_equal)
      status = STATUS_CHECK_FAILED;
  must(iw_memory_free(b.context, b.samples));
  close_context();
  free(samples);
  free(b.counts);
  free(b.first);
  free(b.rows);
  return status;
}
