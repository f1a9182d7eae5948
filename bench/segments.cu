/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of f32 over the rows and columns of a matrix, over segments given by offsets, and by key (u32), on
 * this machine's GPU, beside CUB's DeviceSegmentedReduce and DeviceReduce::ReduceByKey, and a read of as
 * many bytes. bench/segments.sh builds and runs it. Times are medians of 21 runs between two events; one
 * line per case: GB/s of the elements (and keys) read, and shares of the read.
 * usage: segments [LOG2_N [PART]]   2^LOG2_N elements in all, 28 unless given; only cases with PART in their name
 */
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/functional>
#include <isowarp.h>

#include "gpu_time.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/* Reads n elements and keeps almost nothing of them. */
static __global__ void read_all(const float4 *in, size_t n, float *out)
{
  float sum = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    const float4 x = __ldcs(in + i);
    sum += x.x + x.y + x.z + x.w;
  }
  if (sum == 12345.25f) *out = sum;
}

static const char *part = ""; /* of the names of cases to run */

/* Calls a function of CUB's twice: for the size of its scratch, and in the runs that are timed. */
template <class Call> static double median_ms_of_cub(Call call)
{
  size_t bytes = 0;
  void *scratch = NULL;
  FINE(call(NULL, bytes));
  FINE(cudaMalloc(&scratch, bytes + 1));
  const double ms = median_ms([&] { FINE(call(scratch, bytes)); });
  FINE(cudaFree(scratch));
  return ms;
}

/* The largest difference of `count` results. */
static double difference(const float *a, const float *b, size_t count)
{
  std::vector<float> x(count), y(count);
  double worst = 0;
  FINE(cudaMemcpy(x.data(), a, count * sizeof(float), cudaMemcpyDeviceToHost));
  FINE(cudaMemcpy(y.data(), b, count * sizeof(float), cudaMemcpyDeviceToHost));
  for (size_t k = 0; k < count; k++) worst = std::max(worst, fabs(x[k] - y[k]) / std::max(1.0, fabs((double)y[k])));
  return worst;
}

/* bytes: of the elements that are reduced, and of their keys. */
static void print_row(const char *name, double bytes, double own_ms, double cub_ms, double read, double worst)
{
  printf("%-22s %9.0f %9.0f %7.2f %7.2f %9.1e\n", name, bytes / own_ms * 1e-6, bytes / cub_ms * 1e-6,
         bytes / own_ms * 1e-6 / read, cub_ms / own_ms, worst);
  fflush(stdout);
}

static iw_segments segments_of(iw_segments_kind kind)
{
  iw_segments segments;
  memset(&segments, 0, sizeof segments);
  segments.size = sizeof segments;
  segments.kind = kind;
  return segments;
}

static iw_scan_options options_of(const iw_segments *segments)
{
  iw_scan_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.segments = segments;
  return options;
}

/* Runs of exponential lengths: keys and elements are read, and the runs' keys and sums written. The count
 * stays on the device, as CUB's does. */
static void by_key(iw_context *context, const float *in, size_t n, double mean, double read)
{
  char name[40];
  snprintf(name, sizeof name, "by key, mean %g", mean);
  if (!strstr(name, part)) return;
  std::vector<uint32_t> host(n);
  uint32_t *keys, *unique, *peer_unique;
  float *results, *peer;
  size_t *counts, count;
  uint32_t run = 0;
  srand(2);
  for (size_t at = 0; at < n; run++) {
    const double u = (rand() + 0.5) / ((double)RAND_MAX + 1);
    const size_t end = std::min(n, at + 1 + (size_t)(-(mean - 1) * log(1 - u)));
    for (; at < end; at++) host[at] = run;
  }
  FINE(cudaMalloc(&keys, n * sizeof *keys));
  FINE(cudaMalloc(&unique, n * sizeof *unique));
  FINE(cudaMalloc(&peer_unique, n * sizeof *unique));
  FINE(cudaMalloc(&results, n * sizeof *results));
  FINE(cudaMalloc(&peer, n * sizeof *peer));
  FINE(cudaMalloc(&counts, 2 * sizeof *counts));
  FINE(cudaMemcpy(keys, host.data(), n * sizeof *keys, cudaMemcpyHostToDevice));
  iw_segments segments = segments_of(IW_SEGMENTS_KEYS);
  segments.keys = keys;
  segments.key_type = IW_U32;
  iw_scan_options options = options_of(&segments);
  options.run_keys = unique;
  options.run_count = counts;
  const double own_ms = median_ms([&] { FINE(iw_reduce(context, IW_SUM, IW_F32, in, n, results, &options)); });
  const double cub_ms = median_ms_of_cub([&](void *scratch, size_t &bytes) {
    return cub::DeviceReduce::ReduceByKey(scratch, bytes, keys, peer_unique, in, peer, counts + 1, cuda::std::plus<>(), (int64_t)n, stream);
  });
  FINE(cudaMemcpy(&count, counts, sizeof count, cudaMemcpyDeviceToHost));
  if (count != run) fprintf(stderr, "by key: %zu runs, not %u\n", count, run);
  print_row(name, n * 8.0, own_ms, cub_ms, read, difference(results, peer, count));
  for (void *memory : { (void *)keys, (void *)unique, (void *)peer_unique, (void *)results, (void *)peer, (void *)counts })
    FINE(cudaFree(memory));
}

/* Columns of a matrix, for which CUB has no function. */
static void columns(iw_context *context, const float *in, size_t n, size_t width, float *results, double read)
{
  char name[40];
  snprintf(name, sizeof name, "%zu columns", width);
  if (!strstr(name, part)) return;
  iw_segments segments = segments_of(IW_SEGMENTS_COLUMNS);
  segments.columns = width;
  const iw_scan_options options = options_of(&segments);
  n -= n % width;
  print_row(name, n * 4.0, median_ms([&] { FINE(iw_reduce(context, IW_SUM, IW_F32, in, n, results, &options)); }), NAN, read, 0);
}

struct segment_case { const char *name; double mean; int kind; }; /* 0: rows, 1: exponential lengths, 2: skewed */

int main(int argc, char **argv)
{
  const size_t n = (size_t)1 << (argc > 1 ? atoi(argv[1]) : 28);
  if (argc > 2) part = argv[2];
  static const segment_case cases[] = {
    { "rows of 32", 32, 0 }, { "rows of 100", 100, 0 }, { "rows of 1000", 1000, 0 }, { "rows of 4096", 4096, 0 },
    { "rows of 2^20", 1 << 20, 0 }, { "segments, mean 32", 32, 1 }, { "segments, mean 100", 100, 1 },
    { "segments, mean 1000", 1000, 1 }, { "segments, mean 5000", 5000, 1 }, { "segments, mean 100000", 100000, 1 },
    { "skewed, mean 100", 100, 2 }, { "skewed, mean 1000", 1000, 2 },
  };
  const iw_context_options options = { sizeof options, IW_BACKEND_CUDA };
  iw_context *context;
  float *in, *results, *peer;
  uint64_t *offsets;
  FINE(cudaStreamCreate(&stream));
  FINE(iw_context_open(&context, &options));
  FINE(iw_context_set_stream(context, stream));
  FINE(cudaMalloc(&in, n * sizeof *in));
  FINE(cudaMalloc(&results, (n / 8 + 2) * sizeof *results));
  FINE(cudaMalloc(&peer, (n / 8 + 2) * sizeof *peer));
  FINE(cudaMalloc(&offsets, (n / 8 + 2) * sizeof *offsets));
  std::vector<float> host(n);
  for (size_t i = 0; i < n; i++) host[i] = (float)(i * 2654435761u >> 16 & 0xffff) * 0x1p-16f;
  FINE(cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice));
  const double read_ms = median_ms([&] { read_all<<<132 * 16, 512, 0, stream>>>((const float4 *)in, n / 4, peer); });
  const double bytes = (double)n * sizeof(float), read = bytes / read_ms * 1e-6;
  printf("read: %.0f GB/s\n%-22s %9s %9s %7s %7s %9s\n", read, "case", "isowarp", "CUB", "of read", "of CUB", "largest difference");
  for (const segment_case &c : cases) {
    if (!strstr(c.name, part)) continue;
    std::vector<uint64_t> places(1, 0);
    srand(1);
    while (places.back() < n) {
      const double u = (rand() + 0.5) / ((double)RAND_MAX + 1);
      uint64_t length = c.kind == 0 ? (uint64_t)c.mean : (uint64_t)(-c.mean * log(1 - u));
      if (c.kind == 2 && places.size() == 1000) length = n / 2;
      if (places.size() > n / 8) length = n;
      places.push_back(std::min<uint64_t>(n, places.back() + length));
    }
    if (c.kind == 0 && n % (size_t)c.mean) places.pop_back();
    const size_t count = places.size() - 1, elements = places.back();
    FINE(cudaMemcpy(offsets, places.data(), places.size() * sizeof *offsets, cudaMemcpyHostToDevice));
    iw_segments segments = segments_of(c.kind ? IW_SEGMENTS_OFFSETS : IW_SEGMENTS_ROWS);
    segments.columns = c.kind ? 0 : (size_t)c.mean;
    segments.offsets = offsets;
    segments.offset_type = IW_U64;
    segments.count = count;
    const iw_scan_options sums = options_of(&segments);
    const double own_ms = median_ms([&] { FINE(iw_reduce(context, IW_SUM, IW_F32, in, elements, results, &sums)); });
    const double cub_ms = median_ms_of_cub([&](void *scratch, size_t &bytes) {
      return cub::DeviceSegmentedReduce::Sum(scratch, bytes, in, peer, (int64_t)count, offsets, offsets + 1, stream);
    });
    print_row(c.name, elements * 4.0, own_ms, cub_ms, read, difference(results, peer, count));
  }
  for (const size_t width : { 1, 8, 32, 100, 1000, 10000, 1000000 }) columns(context, in, n, width, results, read);
  for (const double mean : { 1.0, 4.0, 10.0, 100.0, 1000.0, 100000.0 }) by_key(context, in, n, mean, read);
  iw_context_close(context);
  return 0;
}
