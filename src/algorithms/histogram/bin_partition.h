/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule "bin partition", first of two kernels, for GPUs and for more bins than a block has counters:
 * partitions the samples by ranges of 2^15 bins, as one pass of CUB's radix sort partitions keys by a digit.
 * bin_partition_count.h then counts each range in shared memory. What is moved is not the sample but its
 * local bin, the 16-bit index within the range. Kernel template, compiled once per T; knows the bin decision
 * (bin_index.h), and no counters but those of outliers.
 *
 * A block takes a tile of IW_BIN_RANGE_TILE samples at a time:
 *   1. each lane finds the bins of its samples, keeps them in registers, and counts them by range: one
 *      counter for each range and lane, interleaved, so that lanes meet neither at a counter nor at a bank,
 *      whatever the samples are;
 *   2. an exclusive prefix sum of these counters gives each lane its place in each range
 *      (scan_lane_counters, place_ranges);
 *   3. lanes scatter their local bins to a staged tile in shared memory. Their order within a range does not
 *      matter;
 *   4. the staged tile is stored to global memory as it is; args->parts says where each range begins in it.
 * Unlike a radix sort, no offsets across tiles are needed, as the second kernel gathers a range from all
 * tiles.
 *
 * Needs bin_index.h of the same T in front, and a target's tuning (tuning_cpu.h or tuning_cuda.h).
 */
#include "algorithms/histogram/args.h"
#include "algorithms/binning/sample_types.h"

#define FN(name) IW_JOIN(name, T)

#ifndef IW_HISTOGRAM_BIN_PARTITION_H
#define IW_HISTOGRAM_BIN_PARTITION_H
/* samples of a lane in a tile */
enum { BIN_PARTITION_ITEMS = IW_BIN_RANGE_TILE / (BIN_PARTITION_WARPS * IW_WARP_SIZE) };
typedef struct bin_partition_shared {
  uint16_t staged[IW_BIN_RANGE_TILE_CAPACITY];
  /* samples of each range and lane; then where its next one goes */
  uint32_t counters[IW_MAX_BIN_RANGES * IW_WARP_SIZE];
  /* local bins of each range in the tile, with padding */
  uint32_t counts[IW_MAX_BIN_RANGES];
  uint32_t totals[IW_MAX_BIN_RANGES];                  /* the same in all tiles of the block */
  uint32_t staged_count;
} bin_partition_shared;

IW_FN void clear_lane_counters(uint32_t *counters, uint32_t ranges, unsigned warp, unsigned warps)
{
  for (uint32_t r = warp; r < ranges; r += warps)
    iw_store(counters + r * IW_WARP_SIZE, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
}

/* Adds samples that are in no bin to their counters in global memory: they are expected to be rare. */
IW_FN void count_outliers(const iw_block *block, const iw_bin_partition_args *args, iw_u32 bin)
{
  for (uint32_t k = args->binning.bins; k < args->binning.bins + 3; k++) {
    const unsigned count = iw_popcount_of(iw_eq(bin, iw_splat(k)));
    iw_global_add_noreturn(args->counts, iw_splat(k), iw_splat((uint64_t)count), iw_lanes_below(count > 0));
  }
}

/* Whether the lanes' parts of a range of n samples are padded. If one range has most of a tile, each lane
 * has about as many samples of it, and unpadded parts would all begin in one bank. */
IW_FN int needs_padding(uint32_t n) { return n >= IW_BIN_RANGE_TILE / 4; }

/* Replaces the lanes' counts of each range by the places of their first samples in the range. A warp per
 * range. */
IW_FN void scan_lane_counters(bin_partition_shared *shared, uint32_t ranges, unsigned warp, unsigned warps)
{
  for (uint32_t r = warp; r < ranges; r += warps) {
    uint32_t *const counters = shared->counters + r * IW_WARP_SIZE;
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    const iw_u32 count = iw_load(counters, all), through = iw_inclusive_prefix_sum(count);
    const uint32_t n = iw_last(through), padding = needs_padding(n) ? IW_BIN_RANGE_PADDING : 0;
    const iw_u32 padding_before = iw_mul(iw_add(iw_lane(), iw_splat(1u)), iw_splat(padding));
    iw_store(counters, iw_add(iw_sub(through, count), padding_before), all);
    iw_set_u32(&shared->counts[r], n + IW_WARP_SIZE * padding);
  }
}

/* Replaces places in a range by places in the staged tile. Ranges begin at whole groups. Padding, between
 * lanes' parts and behind the last one up to a whole group, gets the local bin 2^15. The second kernel has a
 * counter for it, which is never read. */
IW_FN void place_ranges(bin_partition_shared *shared, const iw_bin_partition_args *args, uint64_t tile,
                        unsigned warp, unsigned warps)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  const iw_u32 padding_bin = iw_splat(1u << IW_BIN_RANGE_LOG2);
  uint32_t before = 0; /* groups of the ranges below `first` */
  for (uint32_t first = 0; first < args->ranges; first += IW_WARP_SIZE) {
    const iw_u32 count = iw_load(shared->counts + first, iw_lanes_below((int64_t)args->ranges - first));
    const iw_u32 groups = iw_shr(iw_add(count, iw_splat(IW_BIN_RANGE_GROUP - 1u)), iw_splat(2u));
    const iw_u32 through = iw_add(iw_inclusive_prefix_sum(groups), iw_splat(before));
    before = iw_last(through);
    for (uint32_t k = warp; k < IW_WARP_SIZE && first + k < args->ranges; k += warps) {
      const uint32_t r = first + k, n = iw_at(count, k);
      const uint32_t group_count = iw_at(groups, k), group_begin = iw_at(through, k) - group_count;
      uint32_t *const counters = shared->counters + r * IW_WARP_SIZE;
      uint16_t *const part = shared->staged + group_begin * IW_BIN_RANGE_GROUP;
      const iw_u32 place = iw_add(iw_load(counters, all), iw_splat(group_begin * IW_BIN_RANGE_GROUP));
      iw_store(counters, place, all);
      iw_scatter_bits_u16(part + n, iw_lane(), padding_bin,
                          iw_lanes_below(group_count * IW_BIN_RANGE_GROUP - n));
      for (uint32_t i = IW_BIN_RANGE_PADDING; needs_padding(n) && i > 0; i--)
        iw_scatter_bits_u16(shared->staged, iw_sub(place, iw_splat(i)), padding_bin, all);
      iw_set_u32(&args->parts[r * args->tiles + tile], group_begin | group_count << 16);
      iw_set_u32(&shared->totals[r], iw_get_u32(&shared->totals[r]) + n);
    }
  }
  if (warp == 0) iw_set_u32(&shared->staged_count, before * IW_BIN_RANGE_GROUP);
}

/* How bin_tile decides bins: by comparing each sample with its nearest edge, which is computed; by the
 * guess, comparing ambiguous samples only; or by the plan's rule. The first two need whole rows and
 * IW_BINNING_GUESS. */
enum { BY_NEAREST_EDGE, BY_GUESS, BY_RULE };

IW_FN iw_u32 bin_range_of(iw_u32 bin) { return iw_shr(bin, iw_splat((uint32_t)IW_BIN_RANGE_LOG2)); }

/* Scatters the local bins of a lane's samples to their places in the staged tile. */
IW_FN void scatter_local_bins(const iw_block *block, bin_partition_shared *shared, uint32_t bin_count,
                              const iw_u32 *bins)
{
  IW_UNROLL_ROWS for (int i = 0; i < BIN_PARTITION_ITEMS; i++) {
    const iw_u32 counter = iw_add(iw_shl(bin_range_of(bins[i]), iw_splat((uint32_t)IW_LOG_WARP)), iw_lane());
    const iw_pred in_bins = iw_lt(bins[i], iw_splat(bin_count));
    const iw_u32 place = iw_shared_add(shared->counters, counter, iw_splat(1u), in_bins);
    iw_scatter_bits_u16(shared->staged, place, iw_and(bins[i], iw_splat((1u << IW_BIN_RANGE_LOG2) - 1)),
                        in_bins);
  }
}

IW_FN void store_staged(const bin_partition_shared *shared, uint16_t *local_bins, unsigned warp,
                        unsigned warps)
{
  const uint32_t *const staged = (const uint32_t *)(const void *)shared->staged;
  uint32_t *const out = (uint32_t *)(void *)local_bins;
  const uint32_t words = iw_get_u32(&shared->staged_count) / 2;
  for (uint32_t at = warp * IW_ROW(u32); at < words; at += warps * IW_ROW(u32))
    iw_row_store_u32(out + at, iw_row_load_shared_u32(staged + at), IW_FULL_ROW, 0);
}
#endif

IW_FN iw_u32 FN(bin_by_method)(const iw_binning *rule, SAMPLE_LANES x, iw_pred some, int method)
{
  iw_u32 bin;
  if (method == BY_NEAREST_EDGE) return FN(bin_by_nearest_edge)(rule, x, some, 1);
  if (method == BY_RULE) return FN(bin_index)(rule, x, some);
  const iw_pred unambiguous = FN(bin_if_unambiguous)(rule, x, &bin);
  const iw_pred ambiguous = iw_and_pred(some, iw_not_pred(unambiguous));
  return iw_any(ambiguous) ? iw_select(unambiguous, bin, FN(bin_by_nearest_edge)(rule, x, ambiguous, 1)) : bin;
}

/* Writes the bins of a warp's part of a tile, of which `valid` samples exist, and counts them by range and
 * lane. */
IW_FN void FN(bin_tile)(const iw_block *block, const iw_bin_partition_args *args, uint32_t *counters,
                        const SCALAR *samples, int64_t valid, int method, iw_u32 *bins)
{
  enum { VECTORS = 16 / sizeof(SCALAR), ROWS = BIN_PARTITION_ITEMS / VECTORS };
  iw_binning rule = args->binning;
  if (method == BY_NEAREST_EDGE) rule.even = 1; /* it is not 0; the compiler now knows that */
  const iw_u32 bin_count = iw_splat(rule.bins);
  PENDING_ROW pending[ROWS];
  iw_pred outliers = iw_lanes_below(0);
  IW_UNROLL_ROWS for (int k = 0; k < ROWS; k++)
    pending[k] = ISSUE_ROW(samples + k * IW_ROW(T), method == BY_RULE ? valid - k * IW_ROW(T) : IW_FULL_ROW);
  IW_UNROLL_ROWS for (int k = 0; k < ROWS; k++) {
    const SAMPLE_ROW row = FN(iw_row_wait)(pending[k]);
    IW_EACH_VECTOR(T, v) {
      const iw_pred some = method == BY_RULE ? FN(iw_row_valid)(v, valid - k * IW_ROW(T))
        : iw_lanes_below(IW_WARP_SIZE);
      const iw_u32 bin = FN(bin_by_method)(&rule, FN(iw_row_vector)(row, v), some, method);
      const iw_pred here = iw_and_pred(some, iw_lt(bin, bin_count));
      iw_count_per_lane(counters, bin_range_of(bin), here);
      outliers = iw_or_pred(outliers, iw_and_pred(some, iw_not_pred(here)));
      bins[k * VECTORS + v] = iw_select(some, bin, iw_splat(UINT32_MAX));
    }
  }
  if (iw_any(outliers))
    IW_UNROLL_ROWS for (int i = 0; i < BIN_PARTITION_ITEMS; i++) count_outliers(block, args, bins[i]);
}

IW_KERNEL_NO_SPECIALIZATION(FN(bin_partition), bin_partition_shared, iw_bin_partition_args,
                            BIN_PARTITION_WARPS * 32, BIN_PARTITION_BLOCKS)
{
  const uint32_t ranges = args->ranges;
  IW_VAR_ARRAY(iw_u32, bins, BIN_PARTITION_ITEMS);
  IW_PHASE(warp) {
    clear_lane_counters(shared->counters, ranges, warp, block->warps);
    for (uint32_t r = warp * IW_WARP_SIZE; r < ranges; r += block->warps * IW_WARP_SIZE)
      iw_store(shared->totals + r, iw_splat(0u), iw_lanes_below((int64_t)ranges - r));
  }
  for (uint64_t tile = block->index; tile < args->tiles; tile += block->blocks) {
    IW_PHASE(warp) {
      const uint64_t at = tile * IW_BIN_RANGE_TILE + warp * BIN_PARTITION_ITEMS * IW_WARP_SIZE;
      const SCALAR *const samples = (const SCALAR *)args->samples + at;
      const int64_t valid = (int64_t)(args->n - at);
      const int whole = iw_row_can_vectorize(samples) && valid >= BIN_PARTITION_ITEMS * IW_WARP_SIZE
        && args->binning.mode == IW_BINNING_GUESS;
      /* Most warps would have an ambiguous sample: at tau*32 >= 1/4, half of them. */
      const int often_ambiguous = EVEN && args->binning.even && args->binning.tau * IW_WARP_SIZE >= 0.25;
      if (whole && often_ambiguous)
        FN(bin_tile)(block, args, shared->counters, samples, valid, BY_NEAREST_EDGE, IW_MY(bins));
      else if (whole) FN(bin_tile)(block, args, shared->counters, samples, valid, BY_GUESS, IW_MY(bins));
      else FN(bin_tile)(block, args, shared->counters, samples, valid, BY_RULE, IW_MY(bins));
    }
    IW_PHASE(warp) { scan_lane_counters(shared, ranges, warp, block->warps); }
    IW_PHASE(warp) { place_ranges(shared, args, tile, warp, block->warps); }
    IW_PHASE(warp) { scatter_local_bins(block, shared, args->binning.bins, IW_MY(bins)); }
    IW_PHASE(warp) {
      store_staged(shared, args->local_bins + tile * IW_BIN_RANGE_TILE_CAPACITY, warp, block->warps);
      clear_lane_counters(shared->counters, ranges, warp, block->warps);
    }
  }
  IW_PHASE(warp) {
    for (uint32_t r = warp * IW_WARP_SIZE; r < ranges; r += block->warps * IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)ranges - r);
      const iw_u32 total = iw_load(shared->totals + r, some);
      iw_global_add_noreturn(args->totals + r, iw_lane(), iw_to_u64(total),
                             iw_and_pred(some, iw_gt(total, iw_splat(0u))));
    }
  }
}

#undef FN
