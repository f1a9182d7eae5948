/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact sums beside reductions, which read the same data: "Element types, exact sums, functions" of
 * bench/README.md.
 *
 * usage: exact [LARGEST [REPETITIONS]]   (26: at most 2^26 elements; 5)
 *
 * Runs where a context runs (ISOWARP_BACKEND, ISOWARP_ISA, ISOWARP_THREADS), on data in its own memory. A
 * time is the least mean of the repetitions, each of several calls in a row. On a CPU the last column is
 * the textbook's loop: one thread that adds each element to a long accumulator of 64-bit words, without any
 * folds.
 */
#include "measure.h"
#include <isowarp.h>

#include <math.h>
#include <string.h>

enum { SMALLEST = 16, MOST = 30, WORDS = 35 };

/* How far the exponents of the data are apart. */
static const struct { const char *name; int exponents; } kinds[] = {
  { "in [-0.5, 0.5)", 0 }, { "40 exponents", 40 }, { "200 exponents", 200 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Element i of the data. */
static double element(size_t i, int exponents)
{
  const uint64_t z = random_word(i);
  const double x = (double)(z >> 11) * 0x1p-53 - 0.5;
  return exponents ? ldexp(x, (int)(z % (unsigned)exponents) - exponents / 2) : x;
}

/* One thread's long accumulator in units of 2^-1074: adds a double to two words and carries on. */
static void add_long(uint64_t *words, double x)
{
  uint64_t bits, low, high;
  memcpy(&bits, &x, sizeof bits);
  const unsigned field = (unsigned)(bits >> 52) & 2047, place = field ? field - 1 : 0, k = place / 64, shift = place % 64;
  const uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | (field ? UINT64_C(1) << 52 : 0);
  low = mantissa << shift;
  high = shift ? mantissa >> (64 - shift) : 0;
  if (bits >> 63) {
    uint64_t borrow = words[k] < low;
    words[k] -= low;
    const uint64_t next = words[k + 1], less = high + borrow;
    words[k + 1] -= less;
    borrow = next < less || less < high;
    for (unsigned i = k + 2; borrow && i < WORDS; i++) borrow = words[i]-- == 0;
  } else {
    words[k] += low;
    uint64_t carry = words[k] < low;
    const uint64_t more = high + carry;
    words[k + 1] += more;
    carry = words[k + 1] < more || more < high;
    for (unsigned i = k + 2; carry && i < WORDS; i++) carry = ++words[i] == 0;
  }
}

typedef struct data { iw_context *context; size_t n; void *narrow, *wide, *result; } data;

static void reduce_f32(const data *d) { must(iw_reduce(d->context, IW_SUM, IW_F32, d->narrow, d->n, d->result, NULL)); }
static void exact_f32(const data *d) { must(iw_sum_exact(d->context, IW_F32, d->narrow, d->n, IW_F32, d->result)); }
static void reduce_f64(const data *d) { must(iw_reduce(d->context, IW_SUM, IW_F64, d->wide, d->n, d->result, NULL)); }
static void exact_f64(const data *d) { must(iw_sum_exact(d->context, IW_F64, d->wide, d->n, IW_F64, d->result)); }
static void dot_f32(const data *d)
{
  must(iw_dot_exact(d->context, IW_F32, d->narrow, d->narrow, d->n, IW_F32, d->result)); /* read twice */
}
static void loop_f64(const data *d)
{
  uint64_t words[WORDS + 1] = { 0 };
  for (size_t i = 0; i < d->n; i++)
    add_long(words, ((const double *)d->wide)[i]);
  memcpy(d->result, words + 16, sizeof(double));
}

static double least_time(const data *d, void (*call)(const data *), int repetitions)
{
  double least = INFINITY;
  const int calls = d->n < 1 << 20 ? 50 : d->n < 1 << 24 ? 10 : call == loop_f64 ? 1 : 3;
  for (int r = 0; r < repetitions; r++) {
    must(iw_context_synchronize(d->context));
    const double begin = now();
    for (int i = 0; i < calls; i++)
      call(d);
    must(iw_context_synchronize(d->context));
    const double mean = (now() - begin) / calls;
    least = mean < least ? mean : least;
  }
  return least;
}

static void measure(iw_context *context, int on_cpu, unsigned log2, unsigned kind, int repetitions)
{
  const size_t n = (size_t)1 << log2;
  data d = { context, n, NULL, NULL, NULL };
  float *const narrow = malloc(n * sizeof *narrow);
  double *const wide = malloc(n * sizeof *wide);
  if (!narrow || !wide) {
    fprintf(stderr, "exact: no memory for 2^%u elements\n", log2);
    exit(1);
  }
  for (size_t i = 0; i < n; i++) {
    wide[i] = element(i, kinds[kind].exponents);
    narrow[i] = (float)wide[i];
  }
  must(iw_memory_allocate(context, n * sizeof *narrow, &d.narrow));
  must(iw_memory_allocate(context, n * sizeof *wide, &d.wide));
  must(iw_memory_allocate(context, 64, &d.result));
  must(iw_memory_copy(context, d.narrow, narrow, n * sizeof *narrow));
  must(iw_memory_copy(context, d.wide, wide, n * sizeof *wide));
  must(iw_sum_exact(context, IW_F64, d.wide, n, IW_F64, d.result)); /* allocates, and touches all pages */
  const double f32 = (double)n * 4e-9, f64 = (double)n * 8e-9;
  const double a = f32 / least_time(&d, reduce_f32, repetitions), b = f32 / least_time(&d, exact_f32, repetitions);
  const double c = f64 / least_time(&d, reduce_f64, repetitions), e = f64 / least_time(&d, exact_f64, repetitions);
  printf("| 2^%u, %s | %.1f | %.1f (%.2f) | %.1f | %.1f (%.2f) |", log2, kinds[kind].name, a, b, b / a, c, e, e / c);
  printf(" %.1f |", f64 / least_time(&d, dot_f32, repetitions));
  if (on_cpu)
    printf(" %.2f |", f64 / least_time(&d, loop_f64, 1));
  printf("\n");
  fflush(stdout);
  must(iw_memory_free(context, d.narrow));
  must(iw_memory_free(context, d.wide));
  must(iw_memory_free(context, d.result));
  free(narrow);
  free(wide);
}

int main(int count, char **arguments)
{
  const int largest = count > 1 ? atoi(arguments[1]) : 26, repetitions = count > 2 ? atoi(arguments[2]) : 5;
  iw_context *context;
  iw_context_info info = { .size = sizeof info };
  if (largest < SMALLEST || largest > MOST || repetitions < 1) {
    fprintf(stderr, "usage: exact [LARGEST [REPETITIONS]]; LARGEST is %d to %d, REPETITIONS at least 1\n", SMALLEST, MOST);
    return 2;
  }
  must(iw_context_open(&context, NULL));
  must(iw_context_get_info(context, &info));
  const int on_cpu = info.device < 0;
  printf("%s\n\n", info.why);
  printf("| GB/s | reduce f32 | exact f32 | reduce f64 | exact f64 | exact dot f32 |%s\n", on_cpu ? " loop f64 |" : "");
  printf("|---|---|---|---|---|---|%s\n", on_cpu ? "---|" : "");
  for (int log2 = SMALLEST; log2 <= largest; log2 += log2 + 4 > largest && log2 < largest ? largest - log2 : 4)
    for (unsigned kind = 0; kind < KINDS; kind++)
      measure(context, on_cpu, (unsigned)log2, kind, repetitions);
  iw_context_close(context);
}
