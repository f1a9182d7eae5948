/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of f32 over the rows of a matrix and over segments given by offsets, on this machine's GPU, beside CUB's
 * DeviceSegmentedReduce and a read of as many bytes. bench/segments.sh builds and runs it. Times are medians of
 * 21 runs between two events; one line per case: GB/s of the elements read, and shares of the read.
 * usage: segments [LOG2_N]   2^LOG2_N elements in all; 28 unless given
 */
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <isowarp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define FINE(call) do { if ((call) != 0) { fprintf(stderr, "%s failed: %s\n", #call, iw_message()); exit(1); } } while (0)

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

static cudaStream_t stream;

template <class Call> static double median_ms(Call call)
{
  enum { RUNS = 21 };
  float ms[RUNS];
  cudaEvent_t begin, end;
  FINE(cudaEventCreate(&begin));
  FINE(cudaEventCreate(&end));
  for (int warm = 0; warm < 3; warm++) call();
  for (int run = 0; run < RUNS; run++) {
    FINE(cudaEventRecord(begin, stream));
    call();
    FINE(cudaEventRecord(end, stream));
    FINE(cudaEventSynchronize(end));
    FINE(cudaEventElapsedTime(&ms[run], begin, end));
  }
  std::sort(ms, ms + RUNS);
  return ms[RUNS / 2];
}

struct segment_case { const char *name; double mean; int kind; }; /* 0: rows, 1: exponential lengths, 2: skewed */

int main(int argc, char **argv)
{
  const size_t n = (size_t)1 << (argc > 1 ? atoi(argv[1]) : 28);
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
    iw_segments segments;
    memset(&segments, 0, sizeof segments);
    segments.size = sizeof segments;
    segments.kind = c.kind ? IW_SEGMENTS_OFFSETS : IW_SEGMENTS_ROWS;
    segments.columns = c.kind ? 0 : (size_t)c.mean;
    segments.offsets = offsets;
    segments.offset_type = IW_U64;
    segments.count = count;
    iw_scan_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.size = sizeof spec;
    spec.op = IW_SUM;
    spec.in_type = spec.type = IW_F32;
    spec.segments = &segments;
    const double own_ms = median_ms([&] { FINE(iw_reduce_with(context, &spec, in, elements, results)); });
    size_t scratch_bytes = 0;
    void *scratch = NULL;
    FINE(cub::DeviceSegmentedReduce::Sum(NULL, scratch_bytes, in, peer, (int64_t)count, offsets, offsets + 1, stream));
    FINE(cudaMalloc(&scratch, scratch_bytes + 1));
    const double cub_ms = median_ms([&] {
      FINE(cub::DeviceSegmentedReduce::Sum(scratch, scratch_bytes, in, peer, (int64_t)count, offsets, offsets + 1, stream));
    });
    FINE(cudaFree(scratch));
    std::vector<float> a(count), b(count);
    FINE(cudaMemcpy(a.data(), results, count * sizeof(float), cudaMemcpyDeviceToHost));
    FINE(cudaMemcpy(b.data(), peer, count * sizeof(float), cudaMemcpyDeviceToHost));
    double worst = 0;
    for (size_t k = 0; k < count; k++) worst = std::max(worst, fabs(a[k] - b[k]) / std::max(1.0, fabs((double)b[k])));
    const double own = elements * 4.0 / own_ms * 1e-6;
    printf("%-22s %9.0f %9.0f %7.2f %7.2f %9.1e\n", c.name, own, elements * 4.0 / cub_ms * 1e-6, own / read, cub_ms / own_ms, worst);
    fflush(stdout);
  }
  iw_context_close(context);
  return 0;
}
