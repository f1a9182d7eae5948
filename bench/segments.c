/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of f32 over rows and columns of a matrix, over segments by offsets, and by key, beside one reduction
 * of all the data ("Rows, columns, segments and runs" of bench/README.md). bench/cub.sh has them beside
 * CUB.
 *
 * usage: segments [LOG2_N [REPETITIONS]]   (26; 7)
 *
 * Runs where a context runs (ISOWARP_BACKEND, ISOWARP_ISA, ISOWARP_THREADS), on data in its own memory. A
 * line has the least time of the repetitions as GB/s of elements, and keys, and as a share of the
 * reduction's GB/s.
 */
#include "measure.h"
#include <isowarp.h>

#include <math.h>
#include <string.h>

enum { LARGEST = 32 };

static iw_context *context;
static int repetitions = 7;
static float *in, *out;
static uint32_t *keys, *unique;
static size_t *count;
static double of_reduction; /* GB/s */

/* The least time of a call: the reduction of all without segments, else of these. */
static double seconds(const iw_scan_options *options, size_t n)
{
  double least = INFINITY;
  for (int r = 0; r < repetitions; r++) {
    const double start = now();
    must(iw_reduce(context, IW_SUM, IW_F32, in, n, out, options));
    must(iw_context_synchronize(context));
    const double taken = now() - start;
    if (taken < least)
      least = taken;
  }
  return least;
}

static void line(const char *name, iw_segments segments, size_t n)
{
  const int by_key = segments.kind == IW_SEGMENTS_KEYS;
  segments.size = sizeof segments;
  const iw_scan_options options = { .size = sizeof options, .segments = &segments, .run_keys = by_key ? unique : NULL,
                                    .run_count = by_key ? count : NULL };
  const double speed = (double)n * (by_key ? 8 : 4) * 1e-9 / seconds(&options, n);
  printf("%-28s %8.1f %6.2f\n", name, speed, speed / of_reduction);
}

int main(int argc, char **argv)
{
  const int log2_n = argc > 1 ? atoi(argv[1]) : 26;
  static const size_t columns[] = { 2, 8, 32, 100, 1000, 10000, 1000000 }, rows[] = { 32, 100, 1000, 100000 };
  static const double means[] = { 64, 100, 1000, 100000 }, runs[] = { 1, 4, 10, 100, 1000 };
  char name[60];
  if (argc > 3 || log2_n < 16 || log2_n > LARGEST || (argc > 2 && (repetitions = atoi(argv[2])) < 1)) {
    fprintf(stderr, "usage: segments [LOG2_N [REPETITIONS]]; LOG2_N: 16 to %d\n", LARGEST);
    return 2;
  }
  const size_t n = (size_t)1 << log2_n;
  const iw_context_options options = { .size = sizeof options };
  must(iw_context_open(&context, &options));
  must(iw_memory_allocate(context, n * sizeof *in, (void **)&in));
  must(iw_memory_allocate(context, n * sizeof *out, (void **)&out));
  must(iw_memory_allocate(context, n * sizeof *keys, (void **)&keys));
  must(iw_memory_allocate(context, n * sizeof *unique, (void **)&unique));
  must(iw_memory_allocate(context, sizeof *count, (void **)&count));
  uint32_t *const host = malloc((n + 1) * sizeof *host);
  if (host == NULL) {
    fprintf(stderr, "segments: no memory for 2^%d elements\n", log2_n);
    return 1;
  }
  for (size_t i = 0; i < n; i++) {
    const float x = (float)random_unit();
    memcpy(host + i, &x, sizeof x);
  }
  must(iw_memory_copy(context, in, host, n * sizeof *in));
  of_reduction = (double)n * 4e-9 / seconds(NULL, n);
  printf("%-28s %8.1f\n", "all", of_reduction);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    snprintf(name, sizeof name, "rows of %zu", rows[i]);
    line(name, (iw_segments){ .kind = IW_SEGMENTS_ROWS, .columns = rows[i] }, n / rows[i] * rows[i]);
  }
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    snprintf(name, sizeof name, "%zu columns", columns[i]);
    line(name, (iw_segments){ .kind = IW_SEGMENTS_COLUMNS, .columns = columns[i] }, n / columns[i] * columns[i]);
  }
  for (size_t i = 0; i < sizeof means / sizeof *means; i++) { /* exponential lengths */
    size_t segments = 0;
    for (size_t at = 0; at < n && segments < n; at += (size_t)(-means[i] * log(1 - random_unit())))
      host[segments++] = (uint32_t)at;
    must(iw_memory_copy(context, keys, host, segments * sizeof *host));
    snprintf(name, sizeof name, "segments, mean %.0f", means[i]);
    line(name, (iw_segments){ .kind = IW_SEGMENTS_OFFSETS, .offsets = keys, .offset_type = IW_U32, .count = segments - 1 },
         host[segments - 1]);
  }
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    uint32_t run = 0;
    for (size_t at = 0, left; at < n; run++)
      for (left = 1 + (size_t)(-(runs[i] - 1) * log(1 - random_unit())); left && at < n; left--)
        host[at++] = run;
    must(iw_memory_copy(context, keys, host, n * sizeof *host));
    snprintf(name, sizeof name, "by key, mean %.0f", runs[i]);
    line(name, (iw_segments){ .kind = IW_SEGMENTS_KEYS, .keys = keys, .key_type = IW_U32 }, n);
  }
  free(host);
  iw_context_close(context);
  return 0;
}
