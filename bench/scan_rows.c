/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans by sum of the rows of a matrix, and of segments by flags, by keys and by offsets, beside one scan
 * of all the data ("Rows, columns, segments and runs" of bench/README.md).
 *
 * usage: scan_rows [LOG2_N [REPETITIONS]]   (26; 7)
 *
 * Runs where a context runs (ISOWARP_BACKEND, ISOWARP_ISA, ISOWARP_THREADS), on data in its own memory. A
 * line has the best time of the repetitions as GB/s of elements read and written, and as a share of the
 * scan's GB/s, for f32 and for f64. A repetition is as many calls as take a few milliseconds.
 */
#include "measure.h"
#include <isowarp.h>

#include <math.h>
#include <string.h>

enum { LARGEST = 30 };

static iw_context *context;
static int repetitions = 7;
static void *in, *out, *heads;
static double of_scan[2]; /* GB/s, of f32 and f64 */

/* The least time of a call. */
static double seconds(iw_type type, const iw_segments *segments, size_t n)
{
  double least = INFINITY;
  int calls = 1;
  for (int r = -1; r < repetitions; r++) { /* the first one finds the number of calls */
    const double start = now();
    for (int call = 0; call < calls; call++)
      must(iw_inclusive_scan(context, IW_SUM, type, in, n, out, IW_OPTIONS(iw_scan_options, .segments = segments)));
    must(iw_context_synchronize(context));
    const double taken = (now() - start) / calls;
    if (r < 0)
      calls = (int)fmin(1000, 1 + 4e-3 / taken);
    else
      least = fmin(least, taken);
  }
  return least;
}

static void line(const char *name, const iw_segments *segments, size_t n)
{
  printf("%-24s", name);
  for (int wide = 0; wide < 2; wide++) {
    const iw_type type = wide ? IW_F64 : IW_F32;
    const double speed = (double)n * (wide ? 16e-9 : 8e-9) / seconds(type, segments, n);
    if (!segments)
      of_scan[wide] = speed;
    printf(" %8.1f %5.2f", speed, speed / of_scan[wide]);
  }
  printf("\n");
  fflush(stdout);
}

/* Segments of one length, or if they are random of 1 … 2 * length elements. */
static void by_offsets(size_t length, int is_random, uint32_t *host, size_t n)
{
  size_t count = 0;
  char name[60];
  host[0] = 0;
  while (host[count] < n) {
    const size_t left = n - host[count], next = is_random ? 1 + random_word(count) % (2 * length) : length;
    host[count + 1] = host[count] + (uint32_t)(next < left ? next : left);
    count++;
  }
  must(iw_memory_copy(context, heads, host, (count + 1) * sizeof *host));
  const iw_segments segments = { .size = sizeof segments, .kind = IW_SEGMENTS_OFFSETS, .offsets = heads,
                                 .offset_type = IW_U32, .count = count };
  snprintf(name, sizeof name, "by offsets, %s %zu", is_random ? "mean" : "each", length);
  line(name, &segments, n);
}

int main(int argc, char **argv)
{
  const int log2_n = argc > 1 ? atoi(argv[1]) : 26;
  static const size_t columns[] = { 3, 16, 32, 100, 128, 129, 1000, 4096, 5000, 10000, 10001, 1 << 20 };
  static const size_t lengths[] = { 16, 100, 1000, 100000 };
  char name[60];
  if (argc > 3 || log2_n < 20 || log2_n > LARGEST || (argc > 2 && (repetitions = atoi(argv[2])) < 1)) {
    fprintf(stderr, "usage: scan_rows [LOG2_N [REPETITIONS]]; LOG2_N: 20 to %d\n", LARGEST);
    return 2;
  }
  const size_t n = (size_t)1 << log2_n;
  const iw_context_options options = { .size = sizeof options };
  must(iw_context_open(&context, &options));
  must(iw_memory_allocate(context, n * sizeof(double), &in));
  must(iw_memory_allocate(context, n * sizeof(double), &out));
  must(iw_memory_allocate(context, n * sizeof(uint32_t), &heads));
  uint32_t *const host = malloc(n * sizeof(double));
  if (host == NULL) {
    fprintf(stderr, "scan_rows: no memory for 2^%d elements\n", log2_n);
    return 1;
  }
  for (size_t i = 0; i < 2 * n; i++) /* positive numbers, as f32 and as f64 */
    host[i] = UINT32_C(0x3f000000) | ((uint32_t)random_word(i) & 0x7fffff);
  must(iw_memory_copy(context, in, host, n * sizeof(double)));
  line("all", NULL, n);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = columns[i] };
    snprintf(name, sizeof name, "rows of %zu", columns[i]);
    line(name, &rows, n / columns[i] * columns[i]);
  }
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    uint8_t *const flags = (uint8_t *)host;
    for (size_t k = 0; k < n; k++)
      flags[k] = k % lengths[i] == 0;
    must(iw_memory_copy(context, heads, flags, n));
    const iw_segments by_flags = { .size = sizeof by_flags, .kind = IW_SEGMENTS_FLAGS, .flags = heads };
    snprintf(name, sizeof name, "by flags, each %zu", lengths[i]);
    line(name, &by_flags, n);
    for (size_t k = 0; k < n; k++)
      host[k] = (uint32_t)(k / lengths[i]);
    must(iw_memory_copy(context, heads, host, n * sizeof *host));
    const iw_segments by_keys = { .size = sizeof by_keys, .kind = IW_SEGMENTS_KEYS, .keys = heads,
                                  .key_type = IW_U32 };
    snprintf(name, sizeof name, "by keys, each %zu", lengths[i]);
    line(name, &by_keys, n);
    by_offsets(lengths[i], 0, host, n);
    by_offsets(lengths[i], 1, host, n);
  }
  free(host);
  iw_context_close(context);
  return 0;
}
