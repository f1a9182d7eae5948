/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms and partitions on a GPU beside CUB and the copy, on one device in one run, through the public interface and
 * device memory (scan and reduce: make bench). Prints GB/s of the bytes named, and the ratio to CUB.
 * Usage: device [log2 of the largest n, 28]
 *   nvcc -O3 -std=c++17 -arch=native -Iinclude bench/device.cu build/.libs/libisowarp.a -Xcompiler -fopenmp -lm -o device
 * CUB's histogram has counters of 32 bits, its fastest, and ours of 64; CUB's partition reverses one side.
 */
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <isowarp.h>
#include "device.h"

#define MUST(call) do { if ((call) != IW_OK) { std::printf("%s: %s\n", #call, iw_message()); std::exit(1); } } while (0)

static cudaStream_t stream;
static iw_context *context;
static void *temporary;
static size_t temporary_bytes;

template <class F> static float median(F run) { return median(stream, run); }

/* A call of CUB's, with its memory. */
template <class F> static float cub_time(F call)
{
  size_t bytes = 0;
  CHECK(call(nullptr, bytes));
  if (bytes > temporary_bytes) {
    CHECK(cudaFree(temporary));
    CHECK(cudaMalloc(&temporary, bytes));
    temporary_bytes = bytes;
  }
  return median([&] { CHECK(call(temporary, bytes)); });
}

static void line(const char *what, int lg, double bytes, float ours, float theirs)
{
  std::printf("2^%-2d %-32s %7.0f GB/s   CUB %7.0f   %.2f\n", lg, what, 1e-6 * bytes / ours, 1e-6 * bytes / theirs, theirs / ours);
  std::fflush(stdout);
}

enum { UNIFORM, BITS, SAME, FLAGS, EDGES }; /* EDGES: each on an edge of 250 bins */
template <class T> __global__ void fill(T *p, size_t n, int kind)
{
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    const double u = (double)(z >> 40) / 16777216.0;
    p[i] = kind == UNIFORM ? (T)u : kind == BITS ? (T)z : kind == SAME ? (T)0.3017 : kind == EDGES ? (T)((z % 250) * (1 / 250.0)) : (T)(z & 1);
  }
}

struct below_half { __device__ bool operator()(float x) const { return x < 0.5f; } };

static void histograms(float *in, uint8_t *bytes, size_t n, int lg)
{
  char what[64];
  uint64_t *counts;
  unsigned *theirs; /* 32 bits: CUB is slower with 64 */
  CHECK(cudaMalloc(&counts, 8 << 20)); CHECK(cudaMalloc(&theirs, 8 << 20));
  const float lo = 0, hi = 1;
  const uint8_t byte_lo = 0, byte_hi = 255;
  const char *const names[] = { "", "", " same", "", " edges" };
  for (int kind : { UNIFORM, SAME, EDGES }) {
    fill<<<1024, 256, 0, stream>>>(in, n, kind);
    for (size_t bins : { 7, 250, 2048, 16384, 65536 }) {
      if (kind == EDGES && bins != 250) continue;
      const iw_histogram_spec spec = { sizeof spec, IW_HISTOGRAM_EVEN, bins, &lo, &hi };
      const float ours = median([&] { MUST(iw_histogram_any(context, IW_F32, in, n, &spec, counts, nullptr)); });
      const float cub_ms = cub_time([&](void *t, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(t, b, in, theirs, (int)bins + 1, lo, hi, n, stream); });
      std::snprintf(what, sizeof what, "histogram f32 %zu%s", bins, names[kind]);
      line(what, lg, 4.0 * n, ours, cub_ms);
    }
    if (kind == EDGES) continue;
    fill<<<1024, 256, 0, stream>>>(bytes, n, kind == SAME ? SAME : BITS);
    iw_histogram_spec spec = { sizeof spec, IW_HISTOGRAM_EVEN, 256, &byte_lo, &byte_hi };
    spec.flags = IW_HIST_HI_INCLUDED;
    const float ours = median([&] { MUST(iw_histogram_any(context, IW_U8, bytes, n, &spec, counts, nullptr)); });
    const float cub_ms = cub_time([&](void *t, size_t &b) {
      return cub::DeviceHistogram::HistogramEven(t, b, bytes, theirs, 257, 0, 256, n, stream); });
    std::snprintf(what, sizeof what, "histogram u8 256%s", names[kind]);
    line(what, lg, 1.0 * n, ours, cub_ms);
  }
  CHECK(cudaFree(counts)); CHECK(cudaFree(theirs));
}

static void partitions(float *in, float *out, uint8_t *flags, size_t n, int lg)
{
  size_t *count;
  CHECK(cudaMalloc(&count, 8));
  const float pivot = 0.5f;
  fill<<<1024, 256, 0, stream>>>(in, n, UNIFORM);
  fill<<<1024, 256, 0, stream>>>(flags, n, FLAGS);
  float ours = median([&] { MUST(iw_partition_any(context, IW_F32, in, n, &pivot, out, count)); });
  float theirs = cub_time([&](void *t, size_t &b) { return cub::DevicePartition::If(t, b, in, out, count, n, below_half(), stream); });
  line("partition f32 (CUB: not stable)", lg, 8.0 * n, ours, theirs);
  ours = median([&] { MUST(iw_select_flags_any(context, IW_F32, in, flags, n, out, count)); });
  theirs = cub_time([&](void *t, size_t &b) { return cub::DeviceSelect::Flagged(t, b, in, flags, out, count, n, stream); });
  line("select f32 by flags", lg, 7.0 * n, ours, theirs);
  size_t *offsets;
  CHECK(cudaMalloc(&offsets, 8 * 257));
  const uint32_t lo = 0, hi = UINT32_MAX;
  uint32_t *const keys = (uint32_t *)in, *const sorted = (uint32_t *)out;
  fill<<<1024, 256, 0, stream>>>(keys, n, BITS);
  iw_histogram_spec spec = { sizeof spec, IW_HISTOGRAM_EVEN, 256, &lo, &hi };
  spec.flags = IW_HIST_HI_INCLUDED;
  ours = median([&] { MUST(iw_multisplit_any(context, IW_U32, keys, n, &spec, sorted, offsets)); });
  theirs = cub_time([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, keys, sorted, n, 24, 32, stream); });
  line("multisplit u32 256 (CUB: radix)", lg, 8.0 * n, ours, theirs);
  CHECK(cudaFree(count)); CHECK(cudaFree(offsets));
}

int main(int argc, char **argv)
{
  const int most = argc > 1 ? std::atoi(argv[1]) : 28;
  const size_t N = (size_t)1 << most;
  iw_context_options options = { sizeof options, IW_BACKEND_CUDA };
  MUST(iw_context_open(&context, &options));
  iw_context_info info = { sizeof info };
  MUST(iw_context_get_info(context, &info));
  std::printf("%s\n", info.why);
  CHECK(cudaStreamCreate(&stream));
  MUST(iw_context_set_stream(context, stream));
  char *in, *out;
  uint8_t *flags;
  CHECK(cudaMalloc(&in, 8 * N)); CHECK(cudaMalloc(&out, 8 * N)); CHECK(cudaMalloc(&flags, N));
  for (int lg = 16; lg <= most; lg += 4) {
    const size_t n = (size_t)1 << lg;
    const float copy = median([&] { CHECK(cudaMemcpyAsync(out, in, 4 * n, cudaMemcpyDeviceToDevice, stream)); });
    std::printf("2^%-2d copy of 4-byte elements           %7.0f GB/s\n", lg, 8e-6 * n / copy);
    histograms((float *)in, flags, n, lg);
    partitions((float *)in, (float *)out, flags, n, lg);
  }
  iw_context_close(context);
  return 0;
}
