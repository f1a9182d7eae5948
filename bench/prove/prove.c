/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel language costs on a CPU: three kernels beside their twins, which are the same algorithms
 * written by hand with intrinsics, on one thread. Prints the digests that prove.cu prints too. run.sh
 * compiles this file with AVX-512 and with AVX2.
 */
#define _GNU_SOURCE
#include <isowarp/kernel.h>
#include <immintrin.h>
#include <isowarp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "prove.h"
#include "user.h"

/* v_tree: the inclusive scan of a vector by the binary tree of order 1. v_last: the last lane, broadcast. */
#ifdef __AVX512F__
#define ISA "avx512"
#define LIBRARY_KERNEL(name) iw_k_##name##_avx512 /* an internal symbol of the static library */
enum { LANES_PER_VECTOR = 16 };
typedef __m512 vector;
#define V(op) _mm512_##op##_ps
static inline vector v_tree(vector x)
{
  x = _mm512_mask_add_ps(x, 0xaaaa, _mm512_permute_ps(x, 0xa0), x);
  x = _mm512_mask_add_ps(x, 0xcccc, _mm512_permute_ps(x, 0x55), x);
  const __m512i last_of_4 = _mm512_setr_epi32(3, 3, 3, 3, 3, 3, 3, 3, 11, 11, 11, 11, 11, 11, 11, 11);
  x = _mm512_mask_add_ps(x, 0xf0f0, _mm512_permutexvar_ps(last_of_4, x), x);
  return _mm512_mask_add_ps(x, 0xff00, _mm512_permutexvar_ps(_mm512_set1_epi32(7), x), x);
}
static inline vector v_last(vector x) { return _mm512_permutexvar_ps(_mm512_set1_epi32(15), x); }
#else
#define ISA "avx2"
#define LIBRARY_KERNEL(name) iw_k_##name##_avx2
enum { LANES_PER_VECTOR = 8 };
typedef __m256 vector;
#define V(op) _mm256_##op##_ps
static inline vector v_tree(vector x)
{
  x = _mm256_blend_ps(x, _mm256_add_ps(_mm256_permute_ps(x, 0xa0), x), 0xaa);
  x = _mm256_blend_ps(x, _mm256_add_ps(_mm256_permute_ps(x, 0x55), x), 0xcc);
  return _mm256_blend_ps(x, _mm256_add_ps(_mm256_permutevar8x32_ps(x, _mm256_set1_epi32(3)), x), 0xf0);
}
static inline vector v_last(vector x) { return _mm256_permutevar8x32_ps(x, _mm256_set1_epi32(7)); }
#endif
#define UNROLL _Pragma("GCC unroll 16")

/* Kernels are launched with arguments that are made once, so that the kernel is measured and not the call
 * around it. */
extern const iw_kernel LIBRARY_KERNEL(scan_sum_f32);
extern const iw_kernel LIBRARY_KERNEL(histogram_rows_f32), LIBRARY_KERNEL(histogram_write_counts);

/* ---- The twins. n is a multiple of 128 ---- */

/* The inclusive scan in summation order 1, eight vectors at a time: a row with AVX-512, half a row with
 * AVX2. stream: non-temporal stores. */
static void scan_twin(const float *in, float *out, size_t n, int stream)
{
  enum { R = 8, L = LANES_PER_VECTOR, ROW = 128, TILE = 32 * ROW, GROUP = 32 * TILE };
  const vector absent = V(set1)(-0.0f);
  vector p = absent, f = absent, e = absent;
  for (size_t i = 0; i < n; i += ROW) {
    vector last = absent;
    if (i % TILE == 0) f = V(add)(f, e), e = absent;
    if (i % GROUP == 0) p = V(add)(p, f), f = absent;
    for (size_t at = i; at < i + ROW; at += R * L) {
      vector x[R];
      UNROLL for (int r = 0; r < R; r++) x[r] = v_tree(V(loadu)(in + at + r * L));
      UNROLL for (int r = 0; r < R; r++)
        if (r * L % 16 == 0) _mm_prefetch((const char *)(in + at + r * L) + 16384, _MM_HINT_T0);
      UNROLL for (int d = 1; d < R; d *= 2)
        UNROLL for (int r = 0; r < R; r++)
          if (r & d) x[r] = V(add)(v_last(x[(r & ~(2 * d - 1)) + d - 1]), x[r]);
      if (at > i) UNROLL for (int r = 0; r < R; r++) x[r] = V(add)(last, x[r]);
      last = v_last(x[R - 1]);
      UNROLL for (int r = 0; r < R; r++) {
        x[r] = V(add)(p, V(add)(f, V(add)(e, x[r])));
        if (stream) V(stream)(out + at + r * L, x[r]);
        else V(storeu)(out + at + r * L, x[r]);
      }
    }
    e = V(add)(e, last);
  }
  _mm_sfence();
}

/* Guesses the bins of a vector by one multiplication and addition, compares ambiguous samples with the
 * nearest edge, and counts in four tables, so that equal neighbours do not wait for each other. */
static void histogram_twin(const float *in, size_t n, uint32_t *counts, const float *edges,
                           const iw_binning *rule)
{
  enum { TABLES = 4, L = LANES_PER_VECTOR };
  static uint32_t tables[TABLES][PROVE_BINS + 2];
  memset(tables, 0, sizeof tables);
  const vector scale = V(set1)((float)rule->scale), offset = V(set1)((float)rule->offset);
  const vector tau = V(set1)((float)rule->tau);
  const vector lo = V(set1)(rule->bottom.f32), hi = V(set1)(rule->top.f32), half = V(set1)(0.5f);
  for (size_t i = 0; i < n; i += L) {
    int32_t bin[L];
    if (i % 16 == 0) _mm_prefetch((const char *)(in + i) + 16384, _MM_HINT_T0);
    const vector x = V(loadu)(in + i), t = V(add)(V(mul)(x, scale), offset);
#ifdef __AVX512F__
    const vector r = _mm512_roundscale_ps(V(add)(t, half), 9);
    const vector distance = _mm512_abs_ps(_mm512_sub_ps(t, r));
    const __mmask16 inside = _mm512_cmp_ps_mask(x, lo, _CMP_GE_OQ) & _mm512_cmp_ps_mask(x, hi, _CMP_LE_OQ);
    const __mmask16 ambiguous = inside & _mm512_cmp_ps_mask(distance, tau, _CMP_LE_OQ);
    __m512i k = _mm512_mask_mov_epi32(_mm512_set1_epi32(PROVE_BINS), inside, _mm512_cvttps_epi32(t));
    _mm512_storeu_si512(bin, k);
    if (ambiguous) {
      const __m512i e = _mm512_min_epi32(_mm512_cvttps_epi32(r), _mm512_set1_epi32(PROVE_BINS));
      const vector edge = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), ambiguous, e, edges, 4);
      k = _mm512_mask_mov_epi32(k, ambiguous, e);
      k = _mm512_mask_sub_epi32(k, ambiguous & _mm512_cmp_ps_mask(x, edge, _CMP_LT_OQ), k,
                                _mm512_set1_epi32(1));
      _mm512_storeu_si512(bin, k);
    }
#else
    const vector r = _mm256_floor_ps(V(add)(t, half));
    const vector inside = _mm256_and_ps(_mm256_cmp_ps(x, lo, _CMP_GE_OQ), _mm256_cmp_ps(x, hi, _CMP_LE_OQ));
    const vector distance = _mm256_andnot_ps(V(set1)(-0.0f), V(sub)(t, r));
    const vector ambiguous = _mm256_and_ps(inside, _mm256_cmp_ps(distance, tau, _CMP_LE_OQ));
    const __m256i guess = _mm256_cvttps_epi32(t), none = _mm256_set1_epi32(PROVE_BINS);
    __m256i k = _mm256_blendv_epi8(none, guess, _mm256_castps_si256(inside));
    _mm256_storeu_si256((__m256i *)bin, k);
    if (_mm256_movemask_ps(ambiguous)) {
      const __m256i e = _mm256_min_epi32(_mm256_cvttps_epi32(r), _mm256_set1_epi32(PROVE_BINS));
      const vector edge = _mm256_mask_i32gather_ps(_mm256_setzero_ps(), edges, e, ambiguous, 4);
      k = _mm256_blendv_epi8(k, e, _mm256_castps_si256(ambiguous));
      const vector below = _mm256_and_ps(ambiguous, _mm256_cmp_ps(x, edge, _CMP_LT_OQ));
      k = _mm256_add_epi32(k, _mm256_castps_si256(below)); /* a true lane is -1 */
      _mm256_storeu_si256((__m256i *)bin, k);
    }
#endif
    UNROLL for (int l = 0; l < L; l++) tables[l % TABLES][bin[l]]++;
  }
  for (int b = 0; b < PROVE_BINS; b++) {
    counts[b] = 0;
    for (int t = 0; t < TABLES; t++) counts[b] += tables[t][b];
  }
}

/* Divides each block of PROVE_BLOCK elements by its mean, whose sum is made by the binary tree of
 * iw_block_sum(). */
static void normalise_twin(const float *in, float *out, size_t n)
{
  enum { L = LANES_PER_VECTOR, R = PROVE_BLOCK / L };
  for (size_t i = 0; i < n; i += PROVE_BLOCK) {
    float sums[R];
    vector x[R];
    UNROLL for (int r = 0; r < R; r++) {
      x[r] = V(loadu)(in + i + r * L);
      float e[L];
      V(storeu)(e, v_tree(x[r]));
      sums[r] = e[L - 1];
    }
    for (int d = 1; d < R; d *= 2)
      for (int r = 0; r < R; r += 2 * d) sums[r] += sums[r + d];
    const vector mean = V(set1)(sums[0] / PROVE_BLOCK);
    UNROLL for (int r = 0; r < R; r++) V(storeu)(out + i + r * L, V(div)(x[r], mean));
  }
}

/* ---- The library's histogram ---- */

/* The arguments of the histogram's two launches, made once, as the twin's binning rule is. One block,
 * because the context has one thread. */
typedef struct histogram_job {
  iw_histogram_rows_args rows;
  iw_write_counts_args counts;
  uint32_t copy[PROVE_ENTRIES];
  uint64_t outliers[3];
} histogram_job;

static void make_histogram_job(histogram_job *job, const float *in, size_t n, const iw_binning *rule,
                               uint32_t *out)
{
  const size_t unit = 1024; /* one row for each warp of the block */
  job->rows = (iw_histogram_rows_args){
    .samples = in,
    .n = n,
    .span = (n + unit - 1) / unit * unit,
    .copies = job->copy,
    .entries = PROVE_ENTRIES,
    .in_shared = 1,
    .tables = 8,
    .binning = *rule,
  };
  job->counts = (iw_write_counts_args){
    .copies = job->copy, .blocks = 1, .bins = PROVE_BINS, .entries = PROVE_ENTRIES, .outputs = PROVE_BINS,
    .counters_32 = 1, .out = out, .outliers = job->outliers,
  };
}

static iw_status run_histogram(iw_context *context, const histogram_job *job)
{
  const iw_kernel *const count = &LIBRARY_KERNEL(histogram_rows_f32);
  const iw_kernel *const write = &LIBRARY_KERNEL(histogram_write_counts);
  const iw_status status = iw_launch(context, count, 1, count->block, &job->rows, sizeof job->rows);
  return status != IW_OK ? status : iw_launch(context, write, 1, 256, &job->counts, sizeof job->counts);
}

/* ---- Measuring ---- */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void must(iw_status status)
{
  if (status == IW_OK) return;
  fprintf(stderr, "%s\n", iw_message());
  exit(1);
}

/* The arrays that kernels and twins use, and what their launches need. */
typedef struct bench {
  iw_context *context;
  size_t max_n;
  float *in, *out, *twin_out, edges[PROVE_BINS + 1];
  uint32_t counts[PROVE_BINS], twin_counts[PROVE_BINS];
  iw_binning rule;
  histogram_job job;
  uint64_t *states;
  void *tickets;
} bench;

static void print_digest(const char *kernel, size_t n, const void *data, size_t words)
{
  printf("digest %-9s %zu %016llx\n", kernel, n, (unsigned long long)prove_digest(data, words));
}

/* n - 5 elements, so that the last row is partial. */
static void print_digests(bench *b, size_t n)
{
  n -= 5;
  must(iw_inclusive_scan(b->context, IW_SUM, IW_F32, b->in, n, b->out, NULL));
  print_digest("scan", n, b->out, n);
  make_histogram_job(&b->job, b->in, n, &b->rule, b->counts);
  must(run_histogram(b->context, &b->job));
  print_digest("histogram", n, b->counts, PROVE_BINS);
  const normalise_args args = { b->in, b->out, n };
  must(iw_launch(b->context, &normalise, (n + PROVE_BLOCK - 1) / PROVE_BLOCK, PROVE_BLOCK, &args,
                 sizeof args));
  print_digest("user", n, b->out, n);
}

enum { KERNELS = 3, MAX_RUNS = 201, WARM_UP = 2 };

static iw_status run_kernel(bench *b, int kernel, size_t n, int stream)
{
  const iw_kernel *const scan = &LIBRARY_KERNEL(scan_sum_f32);
  const iw_scan_args scan_args = {
    .in = b->in, .out = b->out, .n = n, .tiles = n / IW_SCAN_TILE, .tile_states = b->states,
    .group_states = b->states + b->max_n / IW_SCAN_TILE, .tickets = b->tickets, .init.f32 = -0.0f,
    .stream = (uint32_t)stream,
  };
  const normalise_args user_args = { b->in, b->out, n };
  switch (kernel) {
  case 0: return iw_launch(b->context, scan, 1, scan->block, &scan_args, sizeof scan_args);
  case 1: return run_histogram(b->context, &b->job);
  default:
    return iw_launch(b->context, &normalise, n / PROVE_BLOCK, PROVE_BLOCK, &user_args, sizeof user_args);
  }
}

static void run_twin(bench *b, int kernel, size_t n, int stream)
{
  switch (kernel) {
  case 0: scan_twin(b->in, b->twin_out, n, stream); break;
  case 1: histogram_twin(b->in, n, b->twin_counts, b->edges, &b->rule); break;
  default: normalise_twin(b->in, b->twin_out, n);
  }
}

static int twin_is_equal(const bench *b, int kernel, size_t n)
{
  return kernel == 1 ? !memcmp(b->counts, b->twin_counts, sizeof b->counts)
                     : !memcmp(b->out, b->twin_out, 4 * n);
}

/* Prints the medians of kernels and twins, which take turns. Exits if a twin has another result. */
static void print_times(bench *b, int lg)
{
  static const char *const names[KERNELS] = { "scan", "histogram", "user" };
  static const int bytes[KERNELS] = { 8, 4, 8 }; /* per element, read and written */
  static double kernel_times[MAX_RUNS], twin_times[MAX_RUNS];
  const size_t n = (size_t)1 << lg;
  const int runs = lg < 20 ? MAX_RUNS : lg < 24 ? 61 : 21, stream = 4 * n >= 8 << 20;
  make_histogram_job(&b->job, b->in, n, &b->rule, b->counts);
  printf("2^%d", lg);
  for (int kernel = 0; kernel < KERNELS; kernel++) {
    for (int i = -WARM_UP; i < runs; i++) {
      const double t0 = now();
      must(run_kernel(b, kernel, n, stream));
      const double t1 = now();
      run_twin(b, kernel, n, stream);
      const double t2 = now();
      if (i >= 0) {
        kernel_times[i] = t1 - t0;
        twin_times[i] = t2 - t1;
      } else if (!twin_is_equal(b, kernel, n)) {
        printf("\n%s: the twin's result differs\n", names[kernel]);
        exit(1);
      }
    }
    qsort(kernel_times, (size_t)runs, sizeof(double), ascending);
    qsort(twin_times, (size_t)runs, sizeof(double), ascending);
    const double gb = 1e-9 * bytes[kernel] * (double)n;
    const double t = kernel_times[runs / 2], twin = twin_times[runs / 2];
    printf("%s %s %.1f GB/s, twin %.1f, ratio %.2f", kernel ? ";" : "", names[kernel], gb / t, gb / twin,
           twin / t);
  }
  printf("\n");
}

int main(void)
{
  enum { MIN_LG = 16, MAX_LG = 24 };
  static bench b = { .max_n = (size_t)1 << MAX_LG };
  const iw_context_options options = {
    .size = sizeof options, .backend = IW_BACKEND_CPU, .isa = ISA, .threads = 1
  };
  must(iw_context_open(&b.context, &options));
  b.in = aligned_alloc(64, 4 * b.max_n);
  b.out = aligned_alloc(64, 4 * b.max_n);
  b.twin_out = aligned_alloc(64, 4 * b.max_n);
  b.tickets = calloc(1, 64);
  b.states = calloc(2 * b.max_n / IW_SCAN_TILE, sizeof *b.states);
  for (size_t i = 0; i < b.max_n; i++) b.in[i] = prove_element(i);
  memset(b.out, 0, 4 * b.max_n);
  memset(b.twin_out, 0, 4 * b.max_n);
  b.rule = prove_binning(b.edges);
  b.rule.edges = b.edges;
  printf("%s, one thread\n", ISA);
  for (int lg = MIN_LG; lg <= MAX_LG; lg += 4) {
    print_digests(&b, (size_t)1 << lg);
    print_times(&b, lg);
  }
  iw_context_close(b.context);
  return 0;
}
