/* SPDX-License-Identifier: Apache-2.0
 *
 * The GPU's side of the proof of the language: texts against hand-written twins in plain CUDA, on one device in one run; the
 * scan, whose twin on GPUs is CUB's (see isowarp_bench); and the digests that the CPU's side prints too. The backend is not needed: the texts' kernels are launched by hand.
 */
#include <algorithm>
#include <cstdio>
#include <vector>
#include "../device.h"
#define T f32
#define OP sum
#include <isowarp/algorithms/scan/scan_kernel.h>
#undef OP
#undef T
#define TEMPLATE "../../src/algorithms/histogram/bin_index.h"
#include "../../src/algorithms/common/for_each_type.h"
#define T f32
#include "../../src/algorithms/histogram/rows.h"
#undef T
#include "user.h"
#include "prove.h"

/* ---- The twins, by hand ---- */

namespace twin {
__global__ void __launch_bounds__(1024) histogram(const float4 *in, size_t n4, unsigned *counts, const float *edges, int bins, float lo, float hi,
                                                  float scale, float offset, float tau)
{
  extern __shared__ unsigned counters[];
  for (int i = threadIdx.x; i < bins; i += blockDim.x) counters[i] = 0;
  __syncthreads();
  auto put = [&](float x) {
    if (!(x >= lo && x < hi)) return;
    const float t = fmaf(x, scale, offset), r = rintf(t);
    int k = (int)t;
    if (fabsf(t - r) <= tau) { const int q = max(0, min((int)r, bins)); k = x < __ldg(edges + q) ? q - 1 : q; }
    atomicAdd(counters + k, 1u);
  };
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  for (; i + 3 * stride < n4; i += 4 * stride) {
    float4 q[4];
#pragma unroll
    for (int k = 0; k < 4; k++) q[k] = __ldcs(in + i + k * stride);
#pragma unroll
    for (int k = 0; k < 4; k++) { put(q[k].x); put(q[k].y); put(q[k].z); put(q[k].w); }
  }
  for (; i < n4; i += stride) { const float4 q = in[i]; put(q.x); put(q.y); put(q.z); put(q.w); }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) if (counters[b]) atomicAdd(counts + b, counters[b]);
}

__global__ void normalise(const float *in, float *out, size_t n)
{
  __shared__ float sums[32], mean_;
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
  if (threadIdx.x == 0) mean_ = s / (float)(left < blockDim.x ? left : blockDim.x);
  __syncthreads();
  if (i < n) out[i] = x / mean_;
}
}

/* ---- The run ---- */

__global__ void fill(float *p, size_t n)
{ for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] = prove_element(i); }

template <class F> static float median(F run) { return median(nullptr, run); }

static uint64_t digest_of(const void *device, size_t words)
{
  std::vector<uint32_t> host(words);
  CHECK(cudaMemcpy(host.data(), device, 4 * words, cudaMemcpyDeviceToHost));
  return prove_digest(host.data(), words);
}

template <class K> static int resident(K kernel, int threads, size_t shared)
{
  int blocks, device_sms;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
  CHECK(cudaDeviceGetAttribute(&device_sms, cudaDevAttrMultiProcessorCount, 0));
  return blocks * device_sms;
}

int main(int argc, char **argv)
{
  const int most = argc > 1 ? std::atoi(argv[1]) : 28; /* small for compute-sanitizer */
  const size_t N = (size_t)1 << most;
  float *in, *out, *edges;
  uint64_t *words, *groups, *wide;
  uint32_t *counts, *copies;
  iw_tickets *tickets;
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  std::printf("device %s, sm_%d%d\n", device.name, device.major, device.minor);
  const size_t slots = N / TILE + 64;
  CHECK(cudaMalloc(&in, 4 * N)); CHECK(cudaMalloc(&out, 4 * N + 64));
  CHECK(cudaMalloc(&words, 16 * slots)); CHECK(cudaMemset(words, 0, 16 * slots)); groups = words + slots;
  CHECK(cudaMalloc(&tickets, 64)); CHECK(cudaMemset(tickets, 0, 64));
  CHECK(cudaMalloc(&edges, 4 * (PROVE_BINS + 1))); CHECK(cudaMalloc(&counts, 4096)); CHECK(cudaMalloc(&wide, 8192));
  CHECK(cudaMalloc(&copies, 4 * 4096 * 256));
  fill<<<1024, 256>>>(in, N);
  std::vector<float> host_edges(PROVE_BINS + 1);
  iw_binning rule = prove_binning(host_edges.data());
  CHECK(cudaMemcpy(edges, host_edges.data(), 4 * (PROVE_BINS + 1), cudaMemcpyHostToDevice));
  rule.edges = edges;

  const size_t shared = sizeof(scan_shared_sum_f32);
  const int blocks = resident(scan_sum_f32_grid_, 256, shared);
  const int hist_threads = HISTOGRAM_WARPS * 32, tables = 4, entries = PROVE_BINS + 3;
  const size_t hist_shared = 4 * ((size_t)entries * tables + OUTSIDERS);
  const int hist_blocks = std::min(4096, resident(histogram_rows_f32_grid_, hist_threads, hist_shared)), hist_twin = resident(twin::histogram, 1024, 4 * PROVE_BINS);
  std::printf("resident blocks: scan %d; histogram %d, its twin %d\n", blocks, hist_blocks, hist_twin);
  for (int lg : { 16, 20, 24, 28 }) {
    if (lg > most) break;
    for (int cut = 5; cut >= 0; cut -= 5) { /* first the digest at an odd size, then the time at the even one */
      const size_t n = ((size_t)1 << lg) - cut;
      iw_scan_args a = {};
      a.in = in; a.out = out; a.n = n; a.tiles = (n + TILE - 1) / TILE; a.tile_states = words; a.group_states = groups; a.tickets = tickets;
      a.init.f32 = -0.0f;
      auto scan = [&] { scan_sum_f32_grid_<<<std::min<unsigned>(a.tiles, blocks), 256, shared>>>(a, 256); };
      iw_histogram_rows_args h = {};
      h.samples = in; h.n = n; h.copies = copies; h.counts = wide; h.entries = entries; h.in_shared = 1; h.tables = tables; h.binning = rule;
      const size_t unit = hist_threads / 32 * 128;
      h.span = ((n + hist_blocks - 1) / hist_blocks + unit - 1) / unit * unit;
      const unsigned grid = (unsigned)((n + h.span - 1) / h.span);
      auto histogram = [&] { histogram_rows_f32_grid_<<<grid, hist_threads, hist_shared>>>(h, hist_threads); };
      const normalise_args u = { in, out, n };
      auto user = [&] { normalise_grid_<<<(unsigned)((n + PROVE_BLOCK - 1) / PROVE_BLOCK), PROVE_BLOCK>>>(u, PROVE_BLOCK); };
      if (cut) {
        if (lg == 28) continue;
        scan();
        std::printf("digest scan      %zu %016llx\n", n, (unsigned long long)digest_of(out, n));
        histogram();
        std::vector<uint32_t> all(4 * 4096 * 64 > (size_t)grid * entries ? (size_t)grid * entries : (size_t)grid * entries), sum(PROVE_BINS, 0);
        CHECK(cudaMemcpy(all.data(), copies, 4 * all.size(), cudaMemcpyDeviceToHost));
        for (unsigned b = 0; b < grid; b++) for (int k = 0; k < PROVE_BINS; k++) sum[k] += all[b * (size_t)entries + k];
        std::printf("digest histogram %zu %016llx\n", n, (unsigned long long)prove_digest(sum.data(), PROVE_BINS));
        user();
        std::printf("digest user      %zu %016llx\n", n, (unsigned long long)digest_of(out, n));
        continue;
      }
      const float copy = median([&] { CHECK(cudaMemcpyAsync(out, in, 4 * n, cudaMemcpyDeviceToDevice)); });
      const float s = median(scan);
      const float hs = median(histogram);
      const float ht = median([&] { CHECK(cudaMemsetAsync(counts, 0, 4 * PROVE_BINS));
        twin::histogram<<<hist_twin, 1024, 4 * PROVE_BINS>>>((const float4 *)in, n / 4, counts, edges, PROVE_BINS, host_edges[0], host_edges[PROVE_BINS], (float)rule.scale, (float)rule.offset, (float)rule.tau); });
      const float us = median(user);
      const float ut = median([&] { twin::normalise<<<(unsigned)((n + PROVE_BLOCK - 1) / PROVE_BLOCK), PROVE_BLOCK>>>(in, out, n); });
      std::printf("2^%d copy %.0f GB/s; scan %.0f; histogram %.0f, twin %.0f, ratio %.2f; user %.0f, twin %.0f, ratio %.2f\n", lg,
                  8e-6 * n / copy, 8e-6 * n / s, 4e-6 * n / hs, 4e-6 * n / ht, ht / hs, 8e-6 * n / us, 8e-6 * n / ut, ut / us);
    }
  }
  return 0;
}
