/* SPDX-License-Identifier: Apache-2.0
 *
 * The time of calls of the library with 8 elements, the least of many, in ns: what bench.py subtracts. */
#include <isowarp.h>

#include <stdio.h>
#include <time.h>

enum { CALLS = 100, ROUNDS = 3000 };

static iw_context *context;
static double x[8] = { 0, 1, 2, 3, 4, 5, 6, 7 }, out[8], rest[8], edges[11], lo, hi = 8, three = 3;
static uint64_t counts[10];
static size_t count;
static iw_histogram_spec bins = {
  .size = sizeof bins, .type = IW_F64, .bins = 10, .lo = &lo, .hi = &hi, .flags = IW_HIST_CLOSED_TOP
};
static iw_test test = { .size = sizeof test, .type = IW_F64, .compare = IW_LESS, .constant = &three };

static iw_status call_cumulative_sum(void)
{
  return iw_inclusive_scan(context, IW_SUM, IW_F64, x, 8, out, NULL);
}
static iw_status call_sum(void)
{
  return iw_reduce(context, IW_SUM, IW_F64, x, 8, out, NULL);
}
static iw_status call_sum_exact(void)
{
  return iw_sum_exact(context, IW_F64, x, 8, IW_F64, out);
}
static iw_status call_min(void)
{
  return iw_reduce(context, IW_MIN, IW_F64, x, 8, out, NULL);
}
static iw_status call_argmin(void)
{
  return iw_argmin(context, IW_F64, x, 8, &count, NULL, NULL);
}
static iw_status call_select(void)
{
  return iw_select_if(context, &test, x, 8, out, &count, NULL);
}
static iw_status call_partition(void)
{
  return iw_partition(context, &test, x, 8, out, &count, IW_OPTIONS(iw_move_options, .rest = rest));
}

static iw_status call_topk(void)
{
  const iw_payload permutation = { .size = sizeof permutation, .out = counts, .width = 8 };
  const iw_sort_options options = { .size = sizeof options, .descending = 1, .payloads = &permutation, .payload_count = 1 };
  return iw_top_k(context, IW_F64, x, 8, 3, out, &options);
}

static iw_status call_histogram(void)
{
  const iw_status status = iw_histogram(context, &bins, x, 8, counts, NULL);
  return status ? status : iw_histogram_edges(&bins, edges);
}

static iw_status call_histogram_of_data(void)
{
  const iw_status status = iw_histogram_range(context, IW_F64, x, 1, 8, &lo, &hi);
  return status ? status : call_histogram();
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int measure(const char *name, iw_status (*call)(void))
{
  double best = 1e18;
  iw_status status = IW_OK;
  for (int round = 0; round < ROUNDS && status == IW_OK; round++) {
    const double start = now();
    for (int i = 0; i < CALLS && status == IW_OK; i++)
      status = call();
    const double taken = (now() - start) / CALLS;
    best = taken < best ? taken : best;
  }
  if (status != IW_OK)
    fprintf(stderr, "%s: %s\n", name, iw_message());
  printf("%s %.1f\n", name, best);
  return status != IW_OK;
}

int main(void)
{
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU, .threads = 1 };
  if (iw_context_open(&context, &options) != IW_OK) {
    fprintf(stderr, "%s\n", iw_message());
    return 1;
  }
  return measure("cumulative_sum", call_cumulative_sum) | measure("sum", call_sum) |
      measure("sum_exact", call_sum_exact) | measure("min", call_min) | measure("argmin", call_argmin) |
      measure("histogram", call_histogram) | measure("histogram_of_data", call_histogram_of_data) |
      measure("select", call_select) | measure("partition", call_partition) |
      measure("topk", call_topk);
}
