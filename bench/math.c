/* SPDX-License-Identifier: Apache-2.0
 *
 * Speed of the functions of <isowarp/math.h>, in ns for each element, beside libm, glibc's libmvec and
 * SLEEF, or beside CUDA's own functions. It needs the headers only:
 *
 *   gcc -O2 -ffp-contract=off -mavx2 -mfma -Iinclude bench/math.c -o math -lmvec -lm     also -march=native, -DIW_LANES_GENERIC
 *   … -DWITH_SLEEF … -lsleef                                                             beside SLEEF (Debian's libsleef-dev)
 *   nvcc -x cu -O3 -std=c++17 --fmad=false -arch=native -Iinclude bench/math.c -o math
 *
 * With --digests nvcc's program prints instead what tests/suites/math_exhaustive --digests prints on CPUs,
 * for all floats and for 10^9 samples of functions of f64 and of pow: the digests have to be equal. It
 * links nothing of the library.
 *
 * Arrays of 4096 elements stay in a CPU's first cache; the median of 15 rounds is printed. On a GPU
 * "stream" is an array of 2^28 elements, "registers" a chain of 64 calls for each element, so that memory
 * does not matter.
 */
#include <isowarp/math.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* X(name, type, libm's function, least and greatest argument) */
#define FOR_FUNCTIONS(X) \
  X(exp, f32, expf, -80, 80) X(exp2, f32, exp2f, -100, 100) X(expm1, f32, expm1f, -10, 10) X(log, f32, logf, 1e-6, 1e6) \
  X(log2, f32, log2f, 1e-6, 1e6) X(log1p, f32, log1pf, -0.9, 1e3) X(sin, f32, sinf, -100, 100) X(cos, f32, cosf, -100, 100) \
  X(tanh, f32, tanhf, -5, 5) X(erf, f32, erff, -4, 4) X(exp, f64, exp, -700, 700) X(log, f64, log, 1e-6, 1e6) \
  X(sin, f64, sin, -100, 100) X(cos, f64, cos, -100, 100)

#ifdef __CUDACC__
#define RUN(call) do { const cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
  fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_)); exit(1); } } while (0)
enum { CHAIN = 64, THREADS = 256 };
static const size_t N = (size_t)1 << 28;

#define KERNELS(name, t, own, low, high) \
__global__ void stream_##name##_##t(const iws_##t *in, iws_##t *out, size_t n) \
{ for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < n; i += (size_t)gridDim.x * THREADS) \
    out[i] = iws_##name##_##t(in[i]); } \
__global__ void stream_own_##name##_##t(const iws_##t *in, iws_##t *out, size_t n) \
{ for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < n; i += (size_t)gridDim.x * THREADS) \
    out[i] = own(in[i]); } \
__global__ void chain_##name##_##t(const iws_##t *in, iws_##t *out, size_t n) \
{ for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < n; i += (size_t)gridDim.x * THREADS) { \
    iws_##t x = in[i], sum = 0; \
    for (int k = 0; k < CHAIN; k++) { sum += iws_##name##_##t(x); x += (iws_##t)(high - low) / 4096; } \
    out[i] = sum; } } \
__global__ void chain_own_##name##_##t(const iws_##t *in, iws_##t *out, size_t n) \
{ for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < n; i += (size_t)gridDim.x * THREADS) { \
    iws_##t x = in[i], sum = 0; \
    for (int k = 0; k < CHAIN; k++) { sum += own(x); x += (iws_##t)(high - low) / 4096; } \
    out[i] = sum; } }
FOR_FUNCTIONS(KERNELS)

/* Digests of all results. */
#include "../tests/suites/math_samples.h"
typedef unsigned long long word;
#define OPERAND_f32(bits) iws_from_raw_f32((uint32_t)(bits))
#define OPERAND_f64(bits) iws_from_raw_f64(bits)
#define APPLY_1(name, t) iws_##name##_##t(OPERAND_##t(x))
#define APPLY_2(name, t) iws_##name##_##t(OPERAND_##t(x), OPERAND_##t(y))
#define DIGEST(name, t, operands) \
__global__ void digest_##name##_##t(word samples, word *digest) \
{ word sum = 0; uint64_t y; \
  for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < samples; i += (uint64_t)gridDim.x * THREADS) { \
    const uint64_t x = math_sample(sizeof(iws_##t) == 8, operands, i, &y); \
    sum += math_digest(i, iws_raw_##t(iws_canonical_##t(APPLY_##operands(name, t)))); } \
  atomicAdd(digest, sum); }
#define FOR_DIGESTS(X) X(exp, f32, 1) X(exp2, f32, 1) X(expm1, f32, 1) X(log, f32, 1) X(log2, f32, 1) X(log1p, f32, 1) \
  X(sin, f32, 1) X(cos, f32, 1) X(tanh, f32, 1) X(erf, f32, 1) X(pow, f32, 2) X(exp, f64, 1) X(log, f64, 1) X(sin, f64, 1) X(cos, f64, 1)
FOR_DIGESTS(DIGEST)

static void print_digest(const char *name, void (*kernel)(word, word *), word samples)
{
  word *there, digest = 0;
  RUN(cudaMalloc(&there, sizeof digest));
  RUN(cudaMemset(there, 0, sizeof digest));
  kernel<<<4096, THREADS>>>(samples, there);
  RUN(cudaMemcpy(&digest, there, sizeof digest, cudaMemcpyDeviceToHost));
  RUN(cudaFree(there));
  printf("%-10s %-8s %11llu samples, digest %016llx\n", name, "cuda", samples, digest);
}

template <class T> static __global__ void fill(T *p, size_t n, T low, T high)
{
  for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < n; i += (size_t)gridDim.x * THREADS)
    p[i] = low + (high - low) * (T)((i * 2654435761u & 0xffffff) / 16777216.0);
}

template <class T> static double measure(void (*kernel)(const T *, T *, size_t), const T *in, T *out, size_t n)
{
  cudaEvent_t begin, end;
  float best = 1e30f;
  RUN(cudaEventCreate(&begin));
  RUN(cudaEventCreate(&end));
  for (int round = 0; round < 8; round++) {
    float ms;
    RUN(cudaEventRecord(begin));
    kernel<<<4096, THREADS>>>(in, out, n);
    RUN(cudaEventRecord(end));
    RUN(cudaEventSynchronize(end));
    RUN(cudaEventElapsedTime(&ms, begin, end));
    best = ms < best ? ms : best;
  }
  return best * 1e6 / (double)n;
}

template <class T> static void row(const char *name, double low, double high, void (*s)(const T *, T *, size_t),
                                   void (*s_own)(const T *, T *, size_t), void (*c)(const T *, T *, size_t),
                                   void (*c_own)(const T *, T *, size_t))
{
  T *in, *out;
  RUN(cudaMalloc(&in, N * sizeof(T)));
  RUN(cudaMalloc(&out, N * sizeof(T)));
  fill<<<4096, THREADS>>>(in, N, (T)low, (T)high);
  const double stream = measure(s, in, out, N), stream_own = measure(s_own, in, out, N);
  const double chain = measure(c, in, out, N / 8) / CHAIN, chain_own = measure(c_own, in, out, N / 8) / CHAIN;
  printf("%-10s %9.5f %9.5f %7.2f | %9.5f %9.5f %7.2f\n", name, stream, stream_own, stream_own / stream, chain, chain_own, chain_own / chain);
  RUN(cudaFree(in));
  RUN(cudaFree(out));
}

int main(int count, char **words)
{
#define DIGEST_ROW(name, t, operands) \
  print_digest(#name "_" #t, digest_##name##_##t, sizeof(iws_##t) == 4 && operands == 1 ? (word)1 << 32 : 1000000000);
  if (count > 1 && !strcmp(words[1], "--digests")) { FOR_DIGESTS(DIGEST_ROW) return 0; }
  printf("ns each     stream    CUDA's   ratio | registers  CUDA's   ratio\n");
#define ROW(name, t, own, low, high) \
  row<iws_##t>(#name "_" #t, low, high, stream_##name##_##t, stream_own_##name##_##t, chain_##name##_##t, chain_own_##name##_##t);
  FOR_FUNCTIONS(ROW)
  return 0;
}

#else
#include <time.h>
#include <string.h>

enum { N = 4096, ROUNDS = 15 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
static int ascending(const void *a, const void *b) { return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b); }

/* The median time of an element. */
static double measure(void (*f)(const void *, void *), const void *in, void *out)
{
  double times[ROUNDS];
  for (int r = 0; r < ROUNDS; r++) {
    const double begin = now();
    for (int k = 0; k < 200; k++) f(in, out);
    times[r] = (now() - begin) / (200.0 * N);
  }
  qsort(times, ROUNDS, sizeof *times, ascending);
  return times[getenv("LEAST") ? 0 : ROUNDS / 2];
}

#define LOOPS(name, t, own, low, high) \
__attribute__((noinline)) static void lanes_##name##_##t(const void *in, void *out) \
{ const iws_##t *a = in; iws_##t *b = out; const iw_pred all = iw_lanes_below(IW_WARP_SIZE); \
  for (int i = 0; i < N; i += IW_WARP_SIZE) iw_store(b + i, iw_##name(iw_load(a + i, all)), all); } \
__attribute__((noinline)) static void scalar_##name##_##t(const void *in, void *out) \
{ const iws_##t *a = in; iws_##t *b = out; for (int i = 0; i < N; i++) b[i] = iws_##name##_##t(a[i]); } \
__attribute__((noinline)) static void libm_##name##_##t(const void *in, void *out) \
{ const iws_##t *a = in; iws_##t *b = out; for (int i = 0; i < N; i++) b[i] = own(a[i]); }
FOR_FUNCTIONS(LOOPS)

/* The peers' names: of libmvec the letter of the instruction set, lanes, and one operand for each v. Of
 * SLEEF's functions those with an error of at most 1 ulp, as the library's have; libmvec allows 4. */
#if defined(__AVX512F__) && !defined(IW_LANES_GENERIC)
typedef __m512 v_f32; typedef __m512d v_f64;
enum { LANES_f32 = 16, LANES_f64 = 8 };
#define FOR_MVEC(X) X(exp, f32, _ZGVeN16v_expf) X(log, f32, _ZGVeN16v_logf) X(sin, f32, _ZGVeN16v_sinf) X(cos, f32, _ZGVeN16v_cosf) \
  X(exp, f64, _ZGVeN8v_exp) X(log, f64, _ZGVeN8v_log) X(sin, f64, _ZGVeN8v_sin) X(cos, f64, _ZGVeN8v_cos)
#define SLEEF_f32(name) Sleef_##name##f16_u10avx512f
#define SLEEF_f64(name) Sleef_##name##d8_u10avx512f
#elif defined(__AVX2__) && !defined(IW_LANES_GENERIC)
typedef __m256 v_f32; typedef __m256d v_f64;
enum { LANES_f32 = 8, LANES_f64 = 4 };
#define FOR_MVEC(X) X(exp, f32, _ZGVdN8v_expf) X(log, f32, _ZGVdN8v_logf) X(sin, f32, _ZGVdN8v_sinf) X(cos, f32, _ZGVdN8v_cosf) \
  X(exp, f64, _ZGVdN4v_exp) X(log, f64, _ZGVdN4v_log) X(sin, f64, _ZGVdN4v_sin) X(cos, f64, _ZGVdN4v_cos)
#define SLEEF_f32(name) Sleef_##name##f8_u10avx2
#define SLEEF_f64(name) Sleef_##name##d4_u10avx2
#else
#define FOR_MVEC(X)
#undef WITH_SLEEF
#endif
#ifdef WITH_SLEEF
#include <sleef.h>
#define FOR_SLEEF(X) X(exp, f32, SLEEF_f32(exp)) X(exp2, f32, SLEEF_f32(exp2)) X(expm1, f32, SLEEF_f32(expm1)) X(log, f32, SLEEF_f32(log)) \
  X(log2, f32, SLEEF_f32(log2)) X(log1p, f32, SLEEF_f32(log1p)) X(sin, f32, SLEEF_f32(sin)) X(cos, f32, SLEEF_f32(cos)) \
  X(tanh, f32, SLEEF_f32(tanh)) X(erf, f32, SLEEF_f32(erf)) X(exp, f64, SLEEF_f64(exp)) X(log, f64, SLEEF_f64(log)) \
  X(sin, f64, SLEEF_f64(sin)) X(cos, f64, SLEEF_f64(cos))
#else
#define FOR_SLEEF(X)
#endif
#define PEER_LOOP(peer, name, t, function) \
__attribute__((noinline)) static void peer##_##name##_##t(const void *in, void *out) \
{ const iws_##t *a = in; iws_##t *b = out; \
  for (int i = 0; i < N; i += LANES_##t) { v_##t x; memcpy(&x, a + i, sizeof x); x = function(x); memcpy(b + i, &x, sizeof x); } }
#define MVEC_LOOP(name, t, function) extern v_##t function(v_##t); PEER_LOOP(mvec, name, t, function)
#define SLEEF_LOOP(name, t, function) PEER_LOOP(sleef, name, t, function)
FOR_MVEC(MVEC_LOOP) FOR_SLEEF(SLEEF_LOOP)
#define MVEC_ROW(name, t, function) { #name "_" #t, mvec_##name##_##t },
#define SLEEF_ROW(name, t, function) { #name "_" #t, sleef_##name##_##t },
typedef struct peer { const char *name; void (*f)(const void *, void *); } peer;
static const peer mvec[] = { FOR_MVEC(MVEC_ROW) { NULL, NULL } }, sleef[] = { FOR_SLEEF(SLEEF_ROW) { NULL, NULL } };

/* The time of a peer's function and its ratio to the library's, or dashes. */
static void print_peer(const peer *peers, const char *name, const void *in, void *out, double own)
{
  for (int i = 0; peers[i].name; i++)
    if (!strcmp(peers[i].name, name)) {
      const double time = measure(peers[i].f, in, out);
      printf(" %8.3f %7.2f", time, time / own);
      return;
    }
  printf(" %8s %7s", "-", "-");
}

static void row(const char *name, size_t size, double low, double high, void (*lanes)(const void *, void *),
                void (*scalar)(const void *, void *), void (*libm)(const void *, void *))
{
  static double in[N], out[N];
  for (int i = 0; i < N; i++) {
    const double x = low + (high - low) * (i * 2654435761u % N) / N;
    if (size == 8) in[i] = x;
    else ((float *)(void *)in)[i] = (float)x;
  }
  const double own = measure(lanes, in, out);
  printf("%-10s %8.3f %8.3f %8.3f", name, own, measure(scalar, in, out), measure(libm, in, out));
  print_peer(mvec, name, in, out, own);
  print_peer(sleef, name, in, out, own);
  printf("\n");
}

int main(void)
{
  printf("%s, ns each  lanes   scalar     libm  libmvec   ratio    SLEEF   ratio\n", IW_LANES_ISA);
#define ROW(name, t, own, low, high) row(#name "_" #t, sizeof(iws_##t), low, high, lanes_##name##_##t, scalar_##name##_##t, libm_##name##_##t);
  FOR_FUNCTIONS(ROW)
  return 0;
}
#endif
