/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of a program that sleeps between them: what the first ones take beside warm ones, on one thread and
 * on all. The least and the median time of each are printed, in microseconds.
 *
 * usage: idle [THREADS [SLEEP_US [LOG2_N...]]]; 2 11000 14 16 18 20
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <isowarp.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 60, CALLS = 8 };

static double now_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static iw_status call(int which, iw_context *context, const float *in, size_t n, float *out)
{
  switch (which) {
  case 0: return iw_reduce(context, IW_SUM, IW_F32, in, n, out, NULL);
  case 1: return iw_sum_exact(context, IW_F32, in, n, IW_F32, out);
  default: return iw_inclusive_scan(context, IW_SUM, IW_F32, in, n, out, NULL);
  }
}

static void measure(unsigned threads, long sleep_us, unsigned log2_n)
{
  static const char *const names[] = { "reduce", "exact sum", "scan" };
  const size_t n = (size_t)1 << log2_n;
  float *const in = malloc(n * sizeof *in), *const out = malloc(n * sizeof *out);
  iw_context *context;
  if (!in || !out)
    exit(1);
  for (size_t i = 0; i < n; i++)
    in[i] = out[i] = (float)(i % 1000);
  if (iw_context_open(&context, &(iw_context_options){ .size = sizeof(iw_context_options), .backend = IW_BACKEND_CPU, .threads = threads })) {
    fprintf(stderr, "idle: %s\n", iw_message());
    exit(1);
  }
  for (int which = 0; which < 3; which++) {
    static double times[CALLS][ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
      nanosleep(&(struct timespec){ sleep_us / 1000000, sleep_us % 1000000 * 1000 }, NULL);
      for (int c = 0; c < CALLS; c++) {
        const double begin = now_us();
        if (call(which, context, in, n, out)) {
          fprintf(stderr, "idle: %s\n", iw_message());
          exit(1);
        }
        times[c][r] = now_us() - begin;
      }
    }
    printf("| f32 2^%u | %s | %u |", log2_n, names[which], threads);
    for (int c = 0; c < CALLS; c += c ? c : 1) {
      qsort(times[c], ROUNDS, sizeof times[c][0], compare);
      printf(" %.1f, %.1f |", times[c][0], times[c][ROUNDS / 2]);
    }
    printf("\n");
  }
  iw_context_close(context);
  free(in);
  free(out);
}

int main(int argc, char **argv)
{
  const unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
  const long sleep_us = argc > 2 ? atol(argv[2]) : 11000;
  printf("Calls after %ld us without any: least, median, us\n\n| elements | call | threads | 1st | 2nd | 3rd | 5th |\n|---|---|---|---|---|---|---|\n",
         sleep_us);
  for (unsigned k = 3, log2_n = 14; argc > 3 ? k < (unsigned)argc : log2_n <= 20; k++, log2_n += 2)
    for (unsigned t = 1; t <= threads; t += threads > 1 ? threads - 1 : 1)
      measure(t, sleep_us, argc > 3 ? (unsigned)atoi(argv[k]) : log2_n);
  return 0;
}
