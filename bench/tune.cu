/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures one choice of the scan's tuning numbers on a GPU, and prints a digest of the output, on which
 * the numbers must have no influence. bench/tune.sh compiles this file once per choice with the numbers as
 * -D options.
 *
 *   T            element type; f32 unless given
 *   OP           operator; sum unless given
 *   REDUCE       if defined, the reduction is measured, whose blocks have a group each
 *   SEGMENTED    if defined, the scan of segments of 50 to 150 elements is measured
 */
#include "device.h"
#ifndef T
#define T f32
#endif
#ifndef OP
#define OP sum
#endif
#include <isowarp/algorithms/scan/scan_kernel.h>

#ifdef REDUCE
#define STEM reduce
#define POLICY(name) ((int)REDUCE##name(sizeof(element)))
#elif defined SEGMENTED
#define STEM segmented
#define POLICY(name) ((int)SEGMENTED##name(sizeof(element)))
#else
#define STEM scan
#define POLICY(name) ((int)SCAN##name(sizeof(element)))
#endif
#define KERNEL_GRID IW_PASTE(IW_JOIN(STEM, IW_JOIN(OP, T)), _grid_)         /* scan_sum_f32_grid_ */
#define KERNEL_SHARED IW_JOIN(IW_JOIN(STEM, shared), IW_JOIN(OP, T))        /* scan_shared_sum_f32 */

typedef SCALAR element;
enum { TILES = POLICY(_TILES), WARPS = POLICY(_WARPS), BLOCKS = POLICY(_BLOCKS) };
#ifdef REDUCE
enum { IS_REDUCTION = 1 };
#else
enum { IS_REDUCTION = 0 };
#endif

/* FNV-1a over the first elements of the output: all of them would take longer than the measurement. */
static uint64_t digest_of(const element *out)
{
  std::vector<element> some(IS_REDUCTION ? 1 : 1 << 22);
  CHECK(cudaMemcpy(some.data(), out, some.size() * sizeof(element), cudaMemcpyDeviceToHost));
  const uint32_t *const words = (const uint32_t *)some.data();
  uint64_t h = 1469598103934665603u;
  for (size_t i = 0; i < some.size() * sizeof(element) / 4; i++) h = (h ^ words[i]) * 1099511628211u;
  return h;
}

/* A key of 32 bits for each element. */
static uint32_t *make_keys(size_t n)
{
  std::vector<uint32_t> host(n);
  uint32_t *keys;
  for (size_t i = 0, next = 0, key = 0; i < n; i++) {
    if (i == next) key++, next += 50 + i * 2654435761u % 101;
    host[i] = (uint32_t)key;
  }
  CHECK(cudaMalloc(&keys, n * 4));
  CHECK(cudaMemcpy(keys, host.data(), n * 4, cudaMemcpyHostToDevice));
  return keys;
}

int main()
{
  /* Sizes are in 4-byte words, so that all types move the same number of bytes. */
  const size_t max_words = (size_t)1 << 28, shared = sizeof(KERNEL_SHARED);
  element *in, *out;
  uint64_t *states;
  iw_tickets *tickets;
  CHECK(cudaMalloc(&in, max_words * 4));
  CHECK(cudaMalloc(&out, max_words * 4));
  std::vector<element> host(max_words * 4 / sizeof(element));
  for (size_t i = 0; i < host.size(); i++)
    host[i] = (element)((i * 2654435761u >> 7 & 0xffff) * (1.0 / 65536));
  CHECK(cudaMemcpy(in, host.data(), max_words * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&states, max_words / 64));
  CHECK(cudaMemset(states, 0, max_words / 64));
  CHECK(cudaMalloc(&tickets, 64));
  CHECK(cudaMemset(tickets, 0, 64));
#ifdef SEGMENTED
  const uint32_t *const keys = make_keys(max_words);
#else
  (void)make_keys;
#endif

  if (shared > 48 << 10)
    CHECK(cudaFuncSetAttribute(KERNEL_GRID, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  int resident = 0, processors = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, KERNEL_GRID, WARPS * 32, shared));
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  resident = std::min(resident, (int)BLOCKS);
  std::printf("rows %3d tiles %d warps %2d depth %d blocks %d, %3zu KiB:", IW_SCAN_ROWS, TILES, WARPS,
              SCAN_PIPELINE_DEPTH, resident, shared >> 10);
  for (int lg : { 16, 20, 24, 28 }) {
    iw_scan_args args = {};
    args.n = ((size_t)1 << lg) * 4 / sizeof(element);
    args.tiles = (args.n + IW_SCAN_TILE - 1) / IW_SCAN_TILE;
    args.in = in;
    args.out = out;
    args.result = out;
    args.init.T = (element)-0.0; /* the identity of sums */
#ifdef SEGMENTED
    args.keys = keys;
    args.key_bytes = 4;
#endif
    args.tickets = tickets;
    args.tile_states = states;
    const uint64_t groups = (args.tiles + IW_SCAN_GROUP_TILES - 1) / IW_SCAN_GROUP_TILES, rounds = (args.tiles + TILES - 1) / TILES;
    args.group_states = states + (IS_REDUCTION ? groups : args.tiles) * IW_TILE_STATE_WORDS(sizeof(element));
    const unsigned grid = (unsigned)(IS_REDUCTION ? groups : std::min<uint64_t>(rounds, (uint64_t)resident * processors));
    const int launches = lg <= 20 ? 20 : 1; /* one short launch would measure the start of a kernel */
    const float ms = median(0, [&] {
      for (int i = 0; i < launches; i++) KERNEL_GRID<<<grid, WARPS * 32, shared>>>(args, WARPS * 32);
    }) / (float)launches;
    std::printf("  2^%d %.0f", lg, (double)args.n * sizeof(element) * (IS_REDUCTION ? 1 : 2) / ms * 1e-6);
  }
  std::printf("  digest %016llx\n", (unsigned long long)digest_of(out));
}
