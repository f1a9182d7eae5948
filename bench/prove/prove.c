/* SPDX-License-Identifier: Apache-2.0
 *
 * The CPU's side of the proof of the language: three texts against twins written by hand with intrinsics, on one thread, side
 * by side; and the digests that the GPU's side prints too. Built once with AVX-512 and once with AVX2 (see run.sh).
 */
#define _GNU_SOURCE
#include <isowarp/kernel.h>
#include <immintrin.h>
#include <isowarp.h>
#include <stdio.h>
#include <time.h>
#include "prove.h"
#include "user.h"

#ifdef __AVX512F__
#define ISA "avx512"
#define OWN(name) iw_k_##name##_avx512 /* a kernel of the library's own: an inner symbol of the static library */
enum { L = 16 }; /* lanes of a vector */
typedef __m512 vf;
#define V(op) _mm512_##op##_ps
static inline vf v_tree(vf x)
{
  x = _mm512_mask_add_ps(x, 0xaaaa, _mm512_permute_ps(x, 0xa0), x);
  x = _mm512_mask_add_ps(x, 0xcccc, _mm512_permute_ps(x, 0x55), x);
  x = _mm512_mask_add_ps(x, 0xf0f0, _mm512_permutexvar_ps(_mm512_setr_epi32(3, 3, 3, 3, 3, 3, 3, 3, 11, 11, 11, 11, 11, 11, 11, 11), x), x);
  return _mm512_mask_add_ps(x, 0xff00, _mm512_permutexvar_ps(_mm512_set1_epi32(7), x), x);
}
static inline vf v_last(vf x) { return _mm512_permutexvar_ps(_mm512_set1_epi32(15), x); }
#else
#define ISA "avx2"
#define OWN(name) iw_k_##name##_avx2
enum { L = 8 };
typedef __m256 vf;
#define V(op) _mm256_##op##_ps
static inline vf v_tree(vf x)
{
  x = _mm256_blend_ps(x, _mm256_add_ps(_mm256_permute_ps(x, 0xa0), x), 0xaa);
  x = _mm256_blend_ps(x, _mm256_add_ps(_mm256_permute_ps(x, 0x55), x), 0xcc);
  return _mm256_blend_ps(x, _mm256_add_ps(_mm256_permutevar8x32_ps(x, _mm256_set1_epi32(3)), x), 0xf0);
}
static inline vf v_last(vf x) { return _mm256_permutevar8x32_ps(x, _mm256_set1_epi32(7)); }
#endif
#define UNROLL _Pragma("GCC unroll 16")

/* The library's own kernel, started with arguments that are made once: the text is measured, not the call around it. */
extern const iw_kernel OWN(scan_sum_f32);

/* ---- The twins. n is a multiple of 128 ---- */

/* Order 1 in one pass, eight vectors at a time, which are a row of it or half a row. */
static void scan_twin(const float *in, float *out, size_t n, int stream)
{
  enum { R = 8, ROW = 128, TILE = 32 * ROW, GROUP = 32 * TILE };
  const vf absent = V(set1)(-0.0f);
  vf p = absent, f = absent, e = absent;
  for (size_t i = 0; i < n; i += ROW) {
    vf last = absent;
    if (i % TILE == 0) f = V(add)(f, e), e = absent;
    if (i % GROUP == 0) p = V(add)(p, f), f = absent;
    for (size_t at = i; at < i + ROW; at += R * L) {
      vf x[R];
      UNROLL for (int r = 0; r < R; r++) x[r] = v_tree(V(loadu)(in + at + r * L));
      UNROLL for (int r = 0; r < R; r++) if (r * L % 16 == 0) _mm_prefetch((const char *)(in + at + r * L) + 16384, _MM_HINT_T0);
      UNROLL for (int d = 1; d < R; d *= 2) UNROLL for (int r = 0; r < R; r++)
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

static void histogram_twin(const float *in, size_t n, uint32_t *counts, const float *edges, const iw_binning *rule)
{
  enum { TABLES = 4 };
  static uint32_t tables[TABLES][PROVE_BINS + 2];
  memset(tables, 0, sizeof tables);
  const vf scale = V(set1)((float)rule->scale), offset = V(set1)((float)rule->offset), tau = V(set1)((float)rule->tau);
  const vf lo = V(set1)(rule->bottom.f32), hi = V(set1)(rule->top.f32), half = V(set1)(0.5f);
  for (size_t i = 0; i < n; i += L) {
    int32_t bin[L];
    if (i % 16 == 0) _mm_prefetch((const char *)(in + i) + 16384, _MM_HINT_T0);
    const vf x = V(loadu)(in + i), t = V(add)(V(mul)(x, scale), offset);
#ifdef __AVX512F__
    const vf r = _mm512_roundscale_ps(V(add)(t, half), 9);
    const __mmask16 inside = _mm512_cmp_ps_mask(x, lo, _CMP_GE_OQ) & _mm512_cmp_ps_mask(x, hi, _CMP_LE_OQ);
    const __mmask16 near = inside & _mm512_cmp_ps_mask(_mm512_abs_ps(_mm512_sub_ps(t, r)), tau, _CMP_LE_OQ);
    __m512i k = _mm512_mask_mov_epi32(_mm512_set1_epi32(PROVE_BINS), inside, _mm512_cvttps_epi32(t));
    _mm512_storeu_si512(bin, k);
    if (near) {
      const __m512i e = _mm512_min_epi32(_mm512_cvttps_epi32(r), _mm512_set1_epi32(PROVE_BINS));
      const vf edge = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), near, e, edges, 4);
      k = _mm512_mask_mov_epi32(k, near, e);
      k = _mm512_mask_sub_epi32(k, near & _mm512_cmp_ps_mask(x, edge, _CMP_LT_OQ), k, _mm512_set1_epi32(1));
      _mm512_storeu_si512(bin, k);
    }
#else
    const vf r = _mm256_floor_ps(V(add)(t, half));
    const vf inside = _mm256_and_ps(_mm256_cmp_ps(x, lo, _CMP_GE_OQ), _mm256_cmp_ps(x, hi, _CMP_LE_OQ));
    const vf near = _mm256_and_ps(inside, _mm256_cmp_ps(_mm256_andnot_ps(V(set1)(-0.0f), V(sub)(t, r)), tau, _CMP_LE_OQ));
    __m256i k = _mm256_blendv_epi8(_mm256_set1_epi32(PROVE_BINS), _mm256_cvttps_epi32(t), _mm256_castps_si256(inside));
    _mm256_storeu_si256((__m256i *)bin, k);
    if (_mm256_movemask_ps(near)) {
      const __m256i e = _mm256_min_epi32(_mm256_cvttps_epi32(r), _mm256_set1_epi32(PROVE_BINS));
      const vf edge = _mm256_mask_i32gather_ps(_mm256_setzero_ps(), edges, e, near, 4);
      k = _mm256_blendv_epi8(k, e, _mm256_castps_si256(near));
      k = _mm256_add_epi32(k, _mm256_castps_si256(_mm256_and_ps(near, _mm256_cmp_ps(x, edge, _CMP_LT_OQ))));
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

/* Each block of PROVE_BLOCK by its mean; the sum by the binary tree. */
static void normalise_twin(const float *in, float *out, size_t n)
{
  enum { R = PROVE_BLOCK / L };
  for (size_t i = 0; i < n; i += PROVE_BLOCK) {
    float total[R];
    vf x[R];
    UNROLL for (int r = 0; r < R; r++) {
      x[r] = V(loadu)(in + i + r * L);
      float e[L];
      V(storeu)(e, v_tree(x[r]));
      total[r] = e[L - 1];
    }
    for (int d = 1; d < R; d *= 2) for (int r = 0; r < R; r += 2 * d) total[r] += total[r + d];
    const vf mean = V(set1)(total[0] / PROVE_BLOCK);
    UNROLL for (int r = 0; r < R; r++) V(storeu)(out + i + r * L, V(div)(x[r], mean));
  }
}

/* ---- The run ---- */

extern const iw_kernel OWN(histogram_rows_f32), OWN(histogram_write_counts);

/* What the histogram's launches want, made once, as the twin has its rule ready made. A block, since there is one thread. */
typedef struct histogram_job {
  iw_histogram_rows_args rows;
  iw_write_counts_args counts;
  uint32_t copy[PROVE_BINS + 3];
  uint64_t outsiders[3];
} histogram_job;

static void histogram_ready(histogram_job *job, const float *in, size_t n, const iw_binning *rule, uint32_t *out)
{
  const size_t unit = 1024; /* a row of each warp */
  job->rows = (iw_histogram_rows_args){ .samples = in, .n = n, .span = (n + unit - 1) / unit * unit, .copies = job->copy,
                              .entries = PROVE_BINS + 3, .in_shared = 1, .tables = 8, .binning = *rule };
  job->counts = (iw_write_counts_args){ .copies = job->copy, .blocks = 1, .bins = PROVE_BINS, .entries = PROVE_BINS + 3,
                                  .outputs = PROVE_BINS, .counters_32 = 1, .out = out, .outliers = job->outsiders };
}

static iw_status histogram(iw_context *context, const histogram_job *job)
{
  const iw_status status = iw_launch(context, &OWN(histogram_rows_f32), 1, 256, &job->rows, sizeof job->rows);
  return status != IW_OK ? status : iw_launch(context, &OWN(histogram_write_counts), 1, 256, &job->counts, sizeof job->counts);
}

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

#define MUST(call) do { if ((call) != IW_OK) { fprintf(stderr, "%s\n", iw_message()); return 1; } } while (0)

int main(void)
{
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU, .isa = ISA, .threads = 1 };
  iw_context *context;
  MUST(iw_context_open(&context, &options));
  const size_t N = (size_t)1 << 24;
  float *in = aligned_alloc(64, 4 * N), *out = aligned_alloc(64, 4 * N), *twin = aligned_alloc(64, 4 * N), edges[PROVE_BINS + 1];
  uint32_t counts[PROVE_BINS], twin_counts[PROVE_BINS];
  for (size_t i = 0; i < N; i++) in[i] = prove_element(i);
  memset(out, 0, 4 * N);
  memset(twin, 0, 4 * N);
  iw_binning rule = prove_binning(edges);
  rule.edges = edges;
  static histogram_job job;
  void *const tickets = calloc(1, 64);
  uint64_t *const words = calloc(2 * N / IW_SCAN_TILE, sizeof *words);
  printf("%s, one thread\n", ISA);
  for (int lg = 16; lg <= 24; lg += 4) {
    const size_t odd = ((size_t)1 << lg) - 5, n = (size_t)1 << lg;
    MUST(iw_inclusive_scan(context, IW_SUM, IW_F32, in, out, odd, NULL));
    printf("digest scan      %zu %016llx\n", odd, (unsigned long long)prove_digest(out, odd));
    histogram_ready(&job, in, odd, &rule, counts);
    MUST(histogram(context, &job));
    printf("digest histogram %zu %016llx\n", odd, (unsigned long long)prove_digest(counts, PROVE_BINS));
    normalise_args u = { in, out, odd };
    MUST(iw_launch(context, &normalise, (odd + PROVE_BLOCK - 1) / PROVE_BLOCK, PROVE_BLOCK, &u, sizeof u));
    printf("digest user      %zu %016llx\n", odd, (unsigned long long)prove_digest(out, odd));

    enum { MOST = 201 };
    const int times = lg < 20 ? MOST : lg < 24 ? 61 : 21, stream = 4 * n >= 8 << 20;
    static double t[6][MOST];
    const iw_scan_args s = { .in = in, .out = out, .n = n, .tiles = n / IW_SCAN_TILE, .tile_states = words,
                             .group_states = words + N / IW_SCAN_TILE, .tickets = tickets, .init.f32 = -0.0f, .stream = (uint32_t)stream };
    u.n = n;
    histogram_ready(&job, in, n, &rule, counts);
    for (int i = -2; i < times; i++) {
      const int k = i < 0 ? 0 : i;
      double t0 = now();
      MUST(iw_launch(context, &OWN(scan_sum_f32), 1, OWN(scan_sum_f32).block, &s, sizeof s));
      double t1 = now();
      scan_twin(in, twin, n, stream);
      double t2 = now();
      t[0][k] = t1 - t0; t[1][k] = t2 - t1;
      if (i < 0 && memcmp(out, twin, 4 * n)) { puts("the scan's twin differs"); return 1; }
      t0 = now();
      MUST(histogram(context, &job));
      t1 = now();
      histogram_twin(in, n, twin_counts, edges, &rule);
      t2 = now();
      t[2][k] = t1 - t0; t[3][k] = t2 - t1;
      if (i < 0 && memcmp(counts, twin_counts, sizeof counts)) { puts("the histogram's twin differs"); return 1; }
      t0 = now();
      MUST(iw_launch(context, &normalise, n / PROVE_BLOCK, PROVE_BLOCK, &u, sizeof u));
      t1 = now();
      normalise_twin(in, twin, n);
      t2 = now();
      t[4][k] = t1 - t0; t[5][k] = t2 - t1;
      if (i < 0 && memcmp(out, twin, 4 * n)) { puts("the user kernel's twin differs"); return 1; }
    }
    for (int j = 0; j < 6; j++) qsort(t[j], (size_t)times, sizeof(double), ascending);
#define MEDIAN(j) t[j][times / 2]
    printf("2^%d scan %.1f GB/s, twin %.1f, ratio %.2f; histogram %.1f, twin %.1f, ratio %.2f; user %.1f, twin %.1f, ratio %.2f\n", lg,
           8e-9 * (double)n / MEDIAN(0), 8e-9 * (double)n / MEDIAN(1), MEDIAN(1) / MEDIAN(0),
           4e-9 * (double)n / MEDIAN(2), 4e-9 * (double)n / MEDIAN(3), MEDIAN(3) / MEDIAN(2),
           8e-9 * (double)n / MEDIAN(4), 8e-9 * (double)n / MEDIAN(5), MEDIAN(5) / MEDIAN(4));
  }
  iw_context_close(context);
  return 0;
}
