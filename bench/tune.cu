/* SPDX-License-Identifier: Apache-2.0
 *
 * One choice of the scan's tuning numbers, given by -D, on a device: its speed, and that no bit depends on it. Run by
 * bench/tune.sh. T and OP are what the text is compiled for; -DREDUCE times the reduction, -DSEGMENTED a scan of segments.
 */
#include "device.h"
#ifndef T
#define T f32
#endif
#ifndef OP
#define OP sum
#endif
#include <isowarp/algorithms/scan/scan_kernel.h>

typedef SCALAR element;
enum { TILES = NUMBER(_TILES), WARPS = NUMBER(_WARPS) };
#define KERNEL OF_OP(SCAN_NAME)
#define GRID IW_PASTE(KERNEL, _grid_)

int main()
{
  const size_t most = (size_t)1 << 28, each = sizeof(element);
  const size_t shared = sizeof(IW_JOIN(IW_JOIN(SCAN_NAME, shared), IW_JOIN(OP, T)));
  element *in, *out;
  uint64_t *words;
  iw_tickets *tickets;
  CHECK(cudaMalloc(&in, most * 4));
  CHECK(cudaMalloc(&out, most * 4));
  std::vector<element> host(most * 4 / each);
  for (size_t i = 0; i < host.size(); i++) host[i] = (element)((i * 2654435761u >> 7 & 0xffff) * (1.0 / 65536));
  CHECK(cudaMemcpy(in, host.data(), most * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&words, most / 64));
  CHECK(cudaMemset(words, 0, most / 64));
  CHECK(cudaMalloc(&tickets, 64));
  CHECK(cudaMemset(tickets, 0, 64));
#ifdef SEGMENTED
  std::vector<uint32_t> bits(most / 32);
  uint32_t *heads;
  for (size_t i = 0; i < most; i += 50 + i * 2654435761u % 101) bits[i / 32] |= 1u << i % 32;
  CHECK(cudaMalloc(&heads, most / 8));
  CHECK(cudaMemcpy(heads, bits.data(), most / 8, cudaMemcpyHostToDevice));
#endif
  if (shared > 48 << 10) CHECK(cudaFuncSetAttribute(GRID, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  int per = 0, processors = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, GRID, WARPS * 32, shared));
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  per = std::min(per, NUMBER(_BLOCKS));
  std::printf("rows %3d tiles %d warps %2d trail %d blocks %d, %3zu KiB:", IW_SCAN_ROWS, TILES, WARPS, SCAN_PIPELINE_DEPTH, per, shared >> 10);
  for (int lg : { 16, 20, 24, 28 }) {
    iw_scan_args a = {};
    a.n = ((size_t)1 << lg) * 4 / each;
    a.tiles = (a.n + TILE - 1) / TILE;
    a.in = in;
    a.out = out;
    a.result = out;
    a.init.T = (element)-0.0; /* for sums */
#ifdef SEGMENTED
    a.heads = heads;
#endif
    a.tickets = tickets;
    a.tile_states = words;
    a.group_states = words + a.tiles * (each / 4);
    const unsigned grid = (unsigned)std::min<uint64_t>((a.tiles + TILES - 1) / TILES, (uint64_t)per * processors);
    const int train = lg <= 20 ? 20 : 1;
    const float ms = median(0, [&] {
      for (int i = 0; i < train; i++) GRID<<<grid, WARPS * 32, shared>>>(a, WARPS * 32);
    }) / (float)train;
    std::printf("  2^%d %.0f", lg, (double)a.n * each * (STORES ? 2 : 1) / ms * 1e-6);
  }
  std::vector<element> some(STORES ? 1 << 22 : 1);
  CHECK(cudaMemcpy(some.data(), out, some.size() * each, cudaMemcpyDeviceToHost));
  uint64_t h = 1469598103934665603u;
  for (size_t i = 0; i < some.size() * each / 4; i++) h = (h ^ ((const uint32_t *)some.data())[i]) * 1099511628211u;
  std::printf("  digest %016llx\n", (unsigned long long)h);
}
