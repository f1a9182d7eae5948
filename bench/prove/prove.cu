/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel language costs on a GPU: two kernels beside their twins, which are the same algorithms
 * written by hand in CUDA, and the scan, whose counterpart on GPUs is CUB's (bench/cub.cu). Prints the
 * digests that prove.c prints too. The kernels are launched directly, without a context.
 *
 * usage: prove [LOG2]   the largest size, 28 unless given; a small one for compute-sanitizer
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "../device.h"
#define T f32
#define OP sum
#include <isowarp/algorithms/scan/scan_kernel.h>
#undef OP
#include "algorithms/histogram/tuning_cuda.h"
#include "algorithms/binning/bin_index.h"
#include "algorithms/histogram/shared_atomics.h"
#undef T
#include "user.h"
#include "prove.h"

/* ---- The twins ---- */

namespace twin {
/* Guesses a sample's bin by one multiplication and addition and compares ambiguous samples with the nearest
 * edge. Blocks count in shared memory and add their counters to those in global memory. n4: n / 4. */
__global__ void __launch_bounds__(1024)
    histogram(const float4 *in, size_t n4, unsigned *counts, const float *edges, int bins, float lo,
              float hi, float scale, float offset, float tau)
{
  extern __shared__ unsigned counters[];
  for (int i = threadIdx.x; i < bins; i += blockDim.x) counters[i] = 0;
  __syncthreads();
  auto count = [&](float x) {
    if (!(x >= lo && x < hi)) return;
    const float t = fmaf(x, scale, offset), r = rintf(t);
    int k = (int)t;
    if (fabsf(t - r) <= tau) {
      const int nearest = max(0, min((int)r, bins));
      k = x < __ldg(edges + nearest) ? nearest - 1 : nearest;
    }
    atomicAdd(counters + k, 1u);
  };
  auto count_4 = [&](float4 q) {
    count(q.x);
    count(q.y);
    count(q.z);
    count(q.w);
  };
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  for (; i + 3 * stride < n4; i += 4 * stride) {
    float4 q[4];
#pragma unroll
    for (int k = 0; k < 4; k++) q[k] = __ldcs(in + i + k * stride);
#pragma unroll
    for (int k = 0; k < 4; k++) count_4(q[k]);
  }
  for (; i < n4; i += stride) count_4(in[i]);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (counters[b]) atomicAdd(counts + b, counters[b]);
}

/* Divides a block's elements by their mean, whose sum is made by the binary tree of iw_block_sum(). */
__global__ void normalise(const float *in, float *out, size_t n)
{
  __shared__ float sums[32], block_mean;
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const float x = i < n ? in[i] : -0.0f;
  float s = x;
  for (int d = 1; d < 32; d *= 2) s += __shfl_xor_sync(~0u, s, d);
  if (lane == 0) sums[warp] = s;
  __syncthreads();
  s = lane < blockDim.x / 32 ? sums[lane] : -0.0f;
  for (int d = 1; d < 32; d *= 2) s += __shfl_xor_sync(~0u, s, d);
  const size_t left = n - blockIdx.x * (size_t)blockDim.x;
  if (threadIdx.x == 0) block_mean = s / (float)(left < blockDim.x ? left : blockDim.x);
  __syncthreads();
  if (i < n) out[i] = x / block_mean;
}
}

/* ---- Launches of the kernels ---- */

struct bench {
  float *in, *out, *edges;
  uint64_t *states;               /* tile states, then as many group states */
  size_t max_states;
  iw_tickets *tickets;
  uint64_t *counters, *outliers;  /* all blocks' counters, zero between launches; below, above, NaN */
  uint32_t *blocks_done, *counts, *twin_counts;
  std::vector<float> host_edges = std::vector<float>(PROVE_BINS + 1);
  iw_binning rule;
  int scan_blocks, histogram_blocks, twin_blocks; /* that run at a time */
};

enum { SCAN_THREADS = SCAN_WARPS(4) * 32, HISTOGRAM_THREADS = HISTOGRAM_WARPS * 32, TWIN_THREADS = 1024 };
static const size_t scan_shared_bytes = sizeof(scan_shared_sum_f32);
static const size_t histogram_shared_bytes = sizeof(uint32_t) * (PROVE_ENTRIES + 1); /* one for no bin */
static const size_t twin_shared_bytes = sizeof(unsigned) * PROVE_BINS;

static void launch_scan(const bench &b, size_t n)
{
  iw_scan_args args = {};
  args.in = b.in;
  args.out = b.out;
  args.n = n;
  args.tiles = (n + IW_SCAN_TILE - 1) / IW_SCAN_TILE;
  args.tile_states = b.states;
  args.group_states = b.states + b.max_states;
  args.tickets = b.tickets;
  args.init.f32 = -0.0f;
  const unsigned grid = (unsigned)std::min<uint64_t>(args.tiles, b.scan_blocks);
  scan_sum_f32_grid_<<<grid, SCAN_THREADS, scan_shared_bytes>>>(args, SCAN_THREADS);
}

/* The last block to finish writes b.counts and clears b.counters. */
static void launch_histogram(const bench &b, size_t n)
{
  iw_histogram_rows_args args = {};
  const size_t unit = HISTOGRAM_WARPS * 128; /* one row for each warp of a block */
  args.samples = b.in;
  args.n = n;
  args.span = ((n + b.histogram_blocks - 1) / b.histogram_blocks + unit - 1) / unit * unit;
  args.counts = b.counters;
  args.entries = PROVE_ENTRIES;
  args.in_shared = 1;
  args.tables = 1;
  args.blocks_done = b.blocks_done;
  args.finish.counts = b.counters;
  args.finish.bins = PROVE_BINS;
  args.finish.entries = PROVE_ENTRIES;
  args.finish.outputs = PROVE_BINS;
  args.finish.counters_32 = 1;
  args.finish.out = b.counts;
  args.finish.outliers = b.outliers;
  args.binning = b.rule;
  const unsigned grid = (unsigned)((n + args.span - 1) / args.span);
  histogram_rows_f32_grid_<<<grid, HISTOGRAM_THREADS, histogram_shared_bytes>>>(args, HISTOGRAM_THREADS);
}

static unsigned user_grid(size_t n) { return (unsigned)((n + PROVE_BLOCK - 1) / PROVE_BLOCK); }

static void launch_user(const bench &b, size_t n)
{
  const normalise_args args = { b.in, b.out, n };
  normalise_grid_<<<user_grid(n), PROVE_BLOCK>>>(args, PROVE_BLOCK);
}

static void launch_histogram_twin(const bench &b, size_t n)
{
  CHECK(cudaMemsetAsync(b.twin_counts, 0, sizeof(unsigned) * PROVE_BINS));
  twin::histogram<<<b.twin_blocks, TWIN_THREADS, twin_shared_bytes>>>(
      (const float4 *)b.in, n / 4, b.twin_counts, b.edges, PROVE_BINS, b.host_edges[0],
      b.host_edges[PROVE_BINS], (float)b.rule.scale, (float)b.rule.offset, (float)b.rule.tau);
}

/* ---- Measuring ---- */

__global__ void fill(float *p, size_t n)
{
  const size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) p[i] = prove_element(i);
}

static void print_digest(const char *kernel, size_t n, const void *device, size_t words)
{
  std::vector<uint32_t> host(words);
  CHECK(cudaMemcpy(host.data(), device, 4 * words, cudaMemcpyDeviceToHost));
  std::printf("digest %-9s %zu %016llx\n", kernel, n, (unsigned long long)prove_digest(host.data(), words));
}

/* n - 5 elements, so that the last row is partial. */
static void print_digests(const bench &b, size_t n)
{
  n -= 5;
  launch_scan(b, n);
  print_digest("scan", n, b.out, n);
  launch_histogram(b, n);
  print_digest("histogram", n, b.counts, PROVE_BINS);
  launch_user(b, n);
  print_digest("user", n, b.out, n);
}

static void print_times(const bench &b, int lg)
{
  const size_t n = (size_t)1 << lg;
  const double moved = 8e-6 * n, read = 4e-6 * n; /* millions of bytes; times are in ms */
  const float copy = median(nullptr,
                            [&] { CHECK(cudaMemcpyAsync(b.out, b.in, 4 * n, cudaMemcpyDeviceToDevice)); });
  const float scan = median(nullptr, [&] { launch_scan(b, n); });
  const float histogram = median(nullptr, [&] { launch_histogram(b, n); });
  const float histogram_twin = median(nullptr, [&] { launch_histogram_twin(b, n); });
  const float user = median(nullptr, [&] { launch_user(b, n); });
  const float user_twin = median(nullptr,
                                 [&] { twin::normalise<<<user_grid(n), PROVE_BLOCK>>>(b.in, b.out, n); });
  std::printf("2^%d copy %.0f GB/s; scan %.0f; histogram %.0f, twin %.0f, ratio %.2f; user %.0f, twin "
              "%.0f, ratio %.2f\n",
              lg, moved / copy, moved / scan, read / histogram, read / histogram_twin,
              histogram_twin / histogram, moved / user, moved / user_twin, user_twin / user);
}

template <class K> static int resident_blocks(K kernel, int threads, size_t shared)
{
  int blocks, processors;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  return blocks * processors;
}

template <class E> static E *allocate_zeroed(size_t n)
{
  E *memory;
  CHECK(cudaMalloc(&memory, n * sizeof(E)));
  CHECK(cudaMemset(memory, 0, n * sizeof(E)));
  return memory;
}

static bench make_bench(size_t max_n)
{
  bench b;
  b.max_states = max_n / IW_SCAN_TILE + 1;
  b.in = allocate_zeroed<float>(max_n);
  b.out = allocate_zeroed<float>(max_n);
  b.edges = allocate_zeroed<float>(PROVE_BINS + 1);
  b.states = allocate_zeroed<uint64_t>(2 * b.max_states);
  b.tickets = (iw_tickets *)allocate_zeroed<char>(64);
  b.counters = allocate_zeroed<uint64_t>(PROVE_ENTRIES);
  b.outliers = allocate_zeroed<uint64_t>(3);
  b.blocks_done = allocate_zeroed<uint32_t>(1);
  b.counts = allocate_zeroed<uint32_t>(PROVE_BINS);
  b.twin_counts = allocate_zeroed<uint32_t>(PROVE_BINS);
  fill<<<1024, 256>>>(b.in, max_n);
  b.rule = prove_binning(b.host_edges.data());
  b.rule.edges = b.edges;
  CHECK(cudaMemcpy(b.edges, b.host_edges.data(), 4 * (PROVE_BINS + 1), cudaMemcpyHostToDevice));
  b.scan_blocks = resident_blocks(scan_sum_f32_grid_, SCAN_THREADS, scan_shared_bytes);
  b.histogram_blocks = resident_blocks(histogram_rows_f32_grid_, HISTOGRAM_THREADS, histogram_shared_bytes);
  b.twin_blocks = resident_blocks(twin::histogram, TWIN_THREADS, twin_shared_bytes);
  std::printf("resident blocks: scan %d; histogram %d, its twin %d\n", b.scan_blocks, b.histogram_blocks,
              b.twin_blocks);
  return b;
}

int main(int argc, char **argv)
{
  enum { MIN_LG = 16, MAX_DIGEST_LG = 24 };
  const int max_lg = argc > 1 ? std::atoi(argv[1]) : 28;
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  std::printf("device %s, sm_%d%d\n", device.name, device.major, device.minor);
  const bench b = make_bench((size_t)1 << max_lg);
  for (int lg = MIN_LG; lg <= max_lg; lg += 4) {
    if (lg <= MAX_DIGEST_LG) print_digests(b, (size_t)1 << lg);
    print_times(b, lg);
  }
  return 0;
}
