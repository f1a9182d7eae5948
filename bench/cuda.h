// SPDX-License-Identifier: Apache-2.0
//
// What all CUDA benchmarks share. A time is that between two events around calls that are queued on an
// otherwise idle stream. A benchmark has 21 repetitions of one time each.
#ifndef BENCH_CUDA_H
#define BENCH_CUDA_H
#include <typeinfo>
#include "bench.h"
#include "device.h"

struct cuda_bench {
  cudaStream_t stream;
  cudaEvent_t before, after;
  iw_context *context;
  char *in, *out;           // 8 bytes for each element of the largest n: bench_word of each index; results
  char *samples, *rest;     // as large: the inputs of histograms and partitions; second outputs
  uint8_t *flags;           // one per element
  char *result;             // 4096 bytes: a count or a sum, a digest, offsets
  std::string sampled, flagged; // describe the contents of samples and flags
  void *temporary;          // CUB's temporary storage
  size_t temporary_bytes;
  int train;
};
extern cuda_bench gpu;

// A grid-stride loop: body(i) for i < n.
enum { LOOP_BLOCKS = 1024, LOOP_THREADS = 256 };
template <class F> __global__ void loop_over(size_t n, F body)
{
  const size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) body(i);
}

// ---- Measuring ----------------------------------------------------------------------------------------

// The calls between two events: several if n is small, because one call would take less time than its launch.
inline int cuda_calls(size_t n) { return n < (size_t)1 << 22 ? gpu.train : 1; }

// prepare() queues the making of the inputs, run() the call, which moves `bytes` bytes. At the end
// correct(state) returns whether the result is right.
template <class I, class F, class C>
void add_cuda(const std::string &name, size_t n, size_t bytes, I prepare, F run, C correct)
{
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State &state) {
    float ms;
    prepare();
    for (int i = 0; i < 3; i++) run();
    CHECK(cudaStreamSynchronize(gpu.stream));
    CHECK(cudaEventRecord(gpu.before, gpu.stream));
    for (auto _ : state) run();
    CHECK(cudaEventRecord(gpu.after, gpu.stream));
    CHECK(cudaEventSynchronize(gpu.after));
    CHECK(cudaGetLastError());
    CHECK(cudaEventElapsedTime(&ms, gpu.before, gpu.after));
    state.SetIterationTime(1e-3 * ms);
    state.SetBytesProcessed((int64_t)(bytes * state.iterations()));
    if (!correct(state)) state.SkipWithError("the result is wrong");
  })->UseManualTime()->Iterations(cuda_calls(n))->Repetitions(21);
}

// Asks CUB how many bytes of temporary storage the call needs; they are allocated before the benchmarks run.
template <class F> auto with_temporary(F call)
{
  size_t bytes = 0;
  CHECK(call(nullptr, bytes));
  gpu.temporary_bytes = std::max(gpu.temporary_bytes, bytes);
  return [=] { size_t b = bytes; CHECK(call(gpu.temporary, b)); };
}

// A benchmark whose result is checked by its digest.
struct cuda_checked {
  std::string what, type, who;
  size_t n, bytes;
  std::string name() const { return bench_name(what, type, "cuda", who, 0, n); }
};
template <class I, class F, class D> void add_cuda_checked(const cuda_checked &c, I prepare, F run, D digest)
{
  add_cuda(c.name(), c.n, c.bytes, prepare, run, [=](benchmark::State &state) {
    return bench_agrees(state, c.name(), c.what + c.type + std::to_string(c.n), digest);
  });
}

// ---- Inputs and digests of histograms and partitions --------------------------------------------------

template <class T> struct sample_to {
  T *p;
  bench_spread spread;
  size_t n, bins;
  const T *edges;
  __device__ void operator()(size_t i) const { p[i] = bench_sample(spread, i, n, edges, bins); }
};

// Fills gpu.samples with these samples, unless it holds them already. bins: of BENCH_EDGES, whose edges are
// copied through gpu.rest.
template <class T> const T *cuda_samples(bench_spread spread, size_t n, size_t bins = 0)
{
  const std::string wanted =
    typeid(T).name() + std::to_string(spread) + ' ' + std::to_string(n) + ' ' + std::to_string(bins);
  T *const p = (T *)gpu.samples;
  if (gpu.sampled == wanted) return p;
  gpu.sampled = wanted;
  if (bins)
    CHECK(cudaMemcpyAsync(gpu.rest, bench_edges(bins).data(), (bins + 1) * 4, cudaMemcpyHostToDevice,
                          gpu.stream));
  loop_over<<<LOOP_BLOCKS, LOOP_THREADS, 0, gpu.stream>>>(
      n, sample_to<T>{ p, spread, n, bins, (const T *)gpu.rest });
  return p;
}

template <class T>
__global__ void add_terms(const T *p, size_t n, size_t place, bool reversed, unsigned long long *to)
{
  const size_t step = (size_t)gridDim.x * blockDim.x;
  unsigned long long sum = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) {
    const T value = p[reversed ? n - 1 - i : i];
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    sum += bench_term(bits, place + i);
  }
  atomicAdd(to, sum);
}

// The digest of p[0 … n-1] as elements place … place + n - 1 of a result; reversed: in reverse order.
template <class T> uint64_t cuda_digest(const T *p, size_t n, size_t place, bool reversed = false)
{
  unsigned long long sum = 0, *const on_device = (unsigned long long *)gpu.result + 1;
  CHECK(cudaMemsetAsync(on_device, 0, sizeof sum, gpu.stream));
  add_terms<<<LOOP_BLOCKS, LOOP_THREADS, 0, gpu.stream>>>(p, n, place, reversed, on_device);
  CHECK(cudaMemcpyAsync(&sum, on_device, sizeof sum, cudaMemcpyDeviceToHost, gpu.stream));
  CHECK(cudaStreamSynchronize(gpu.stream));
  return sum;
}

void add_cuda_scans(const bench_settings &settings);
void add_cuda_histograms(const bench_settings &settings);
void add_cuda_partitions(const bench_settings &settings);
#endif
