/* SPDX-License-Identifier: Apache-2.0
 *
 * The first half of counting in more bins than a block has counters for (ranges.h is the second): tiles of samples as numbers of
 * their bins, in order by ranges of these, as 16-bit numbers within the range. Compiled once per T.
 *
 * What comes first within a range is open, so places are given out by counters, one for each range and lane: lanes meet neither
 * at a counter nor at a bank, whatever the samples are.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/args.h"
#include <isowarp/algorithms/common/tuning.h>

#ifndef IW_KERNELS_ORDER_H
#define IW_KERNELS_ORDER_H
enum { BIN_PARTITION_ITEMS = IW_BIN_RANGE_TILE / (BIN_PARTITION_WARPS * IW_WARP_SIZE) }; /* samples of a lane in a tile */
typedef struct bin_partition_shared {
  uint16_t staged[IW_BIN_RANGE_TILE_CAPACITY];
  uint32_t counters[IW_MAX_BIN_RANGES * IW_WARP_SIZE]; /* samples of each range and lane; then where the next one of them goes */
  uint32_t counts[IW_MAX_BIN_RANGES], totals[IW_MAX_BIN_RANGES], staged_count;
} bin_partition_shared;

IW_FN void clear_lane_counters(uint32_t *counters, uint32_t ranges, unsigned warp, unsigned warps)
{
  for (uint32_t r = warp; r < ranges; r += warps)
    iw_store(counters + r * IW_WARP_SIZE, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
}

/* Samples in no bin, which are rare. */
IW_FN void count_outliers(const iw_block *block, const iw_bin_partition_args *args, iw_u32 bin)
{
  for (uint32_t k = args->binning.bins; k < args->binning.bins + 3; k++) {
    const unsigned of = iw_popcount_of(iw_eq(bin, iw_splat(k)));
    iw_global_add_noreturn(args->counts, iw_splat(k), iw_splat((uint64_t)of), iw_lanes_below(of > 0));
  }
}

/* Of so large a range lanes' parts are some words padding: as many samples in each lane, and all would meet at a bank. */
IW_FN int needs_padding(uint32_t n) { return n >= IW_BIN_RANGE_TILE / 4; }

IW_FN void scan_lane_counters(bin_partition_shared *shared, uint32_t ranges, unsigned warp, unsigned warps)
{
  for (uint32_t r = warp; r < ranges; r += warps) {
    uint32_t *const counters = shared->counters + r * IW_WARP_SIZE;
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    const iw_u32 count = iw_load(counters, all), through = iw_inclusive_prefix_sum(count);
    const uint32_t n = iw_last(through), padding = needs_padding(n) ? IW_BIN_RANGE_PADDING : 0;
    iw_store(counters, iw_add(iw_sub(through, count), iw_mul(iw_add(iw_lane(), iw_splat(1u)), iw_splat(padding))), all);
    iw_set_u32(&shared->counts[r], n + IW_WARP_SIZE * padding);
  }
}

/* Where ranges begin in the tile. What stands between parts, and behind the last one in its group, is none of the range's bins. */
IW_FN void place_ranges(bin_partition_shared *shared, const iw_bin_partition_args *args, uint64_t tile, unsigned warp, unsigned warps)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  uint32_t before = 0;
  for (uint32_t first = 0; first < args->ranges; first += IW_WARP_SIZE) {
    const iw_u32 count = iw_load(shared->counts + first, iw_lanes_below((int64_t)args->ranges - first));
    const iw_u32 groups = iw_shr(iw_add(count, iw_splat(IW_BIN_RANGE_GROUP - 1u)), iw_splat(2u));
    const iw_u32 through = iw_add(iw_inclusive_prefix_sum(groups), iw_splat(before));
    before = iw_last(through);
    for (uint32_t k = warp; k < IW_WARP_SIZE && first + k < args->ranges; k += warps) {
      const uint32_t r = first + k, n = iw_at(count, k), group_count = iw_at(groups, k), group_begin = iw_at(through, k) - group_count;
      uint32_t *const counters = shared->counters + r * IW_WARP_SIZE;
      const iw_u32 place = iw_add(iw_load(counters, all), iw_splat(group_begin * IW_BIN_RANGE_GROUP)), none = iw_splat(1u << IW_BIN_RANGE_LOG2);
      iw_store(counters, place, all);
      iw_scatter_bits_u16(shared->staged + group_begin * IW_BIN_RANGE_GROUP + n, iw_lane(), none, iw_lanes_below(group_count * IW_BIN_RANGE_GROUP - n));
      for (uint32_t i = IW_BIN_RANGE_PADDING; needs_padding(n) && i > 0; i--)
        iw_scatter_bits_u16(shared->staged, iw_sub(place, iw_splat(i)), none, all);
      iw_set_u32(&args->parts[r * args->tiles + tile], group_begin | group_count << 16);
      iw_set_u32(&shared->totals[r], iw_get_u32(&shared->totals[r]) + n);
    }
  }
  if (warp == 0) iw_set_u32(&shared->staged_count, before * IW_BIN_RANGE_GROUP);
}

/* Whole rows, many of whose samples are near edges that can be worked out, or few; and any. */
enum { BY_NEAREST_EDGE, BY_GUESS, BY_RULE };

IW_FN iw_u32 bin_range_of(iw_u32 bin) { return iw_shr(bin, iw_splat((uint32_t)IW_BIN_RANGE_LOG2)); }
#endif

/* The number of each sample's bin. */
IW_FN iw_u32 OF_T(bin_by)(const iw_binning *rule, LANES x, iw_pred some, int method)
{
  iw_u32 bin;
  if (method == BY_NEAREST_EDGE) return OF_T(bin_by_nearest_edge)(rule, x, some, 1);
  if (method == BY_RULE) return OF_T(bin_index)(rule, x, some);
  const iw_pred unambiguous = OF_T(bin_if_unambiguous)(rule, x, &bin), ambiguous = iw_and_pred(some, iw_not_pred(unambiguous));
  return iw_any(ambiguous) ? iw_select(unambiguous, bin, OF_T(bin_by_nearest_edge)(rule, x, ambiguous, 1)) : bin;
}

/* The numbers of a warp's samples of a tile, of which `valid` are there, and how many each lane has of each range. */
IW_FN void OF_T(bin_tile)(const iw_block *block, const iw_bin_partition_args *args, uint32_t *counters, const SCALAR *samples,
                             int64_t valid, int method, iw_u32 *bins)
{
  enum { VECTORS = 16 / sizeof(SCALAR), ROWS = BIN_PARTITION_ITEMS / VECTORS };
  iw_binning rule = args->binning;
  if (method == BY_NEAREST_EDGE) rule.even = 1;                       /* as the compiler should know */
  const iw_u32 bin_count = iw_splat(rule.bins);
  IW_PASTE(IW_PASTE(iw_row_, T), _pending) pending[ROWS];
  iw_pred outliers = iw_lanes_below(0);
  IW_UNROLL_ROWS for (int k = 0; k < ROWS; k++)
    pending[k] = OF_T(iw_row_issue)(samples + k * IW_ROW(T), method == BY_RULE ? valid - k * IW_ROW(T) : IW_FULL_ROW, 0);
  IW_UNROLL_ROWS for (int k = 0; k < ROWS; k++) {
    const IW_PASTE(iw_row_, T) row = OF_T(iw_row_wait)(pending[k]);
    IW_EACH_VECTOR(T, v) {
      const iw_pred some = method == BY_RULE ? OF_T(iw_row_valid)(v, valid - k * IW_ROW(T)) : iw_lanes_below(IW_WARP_SIZE);
      const iw_u32 bin = OF_T(bin_by)(&rule, OF_T(iw_row_vector)(row, v), some, method);
      const iw_pred here = iw_and_pred(some, iw_lt(bin, bin_count));
      iw_count_per_lane(counters, bin_range_of(bin), here);
      outliers = iw_or_pred(outliers, iw_and_pred(some, iw_not_pred(here)));
      bins[k * VECTORS + v] = iw_select(some, bin, iw_splat(UINT32_MAX));
    }
  }
  if (iw_any(outliers))
    IW_UNROLL_ROWS for (int i = 0; i < BIN_PARTITION_ITEMS; i++) count_outliers(block, args, bins[i]);
}

IW_KERNEL_NO_SPECIALIZATION(OF_T(bin_partition), bin_partition_shared, iw_bin_partition_args, BIN_PARTITION_WARPS * 32, BIN_PARTITION_BLOCKS)
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
      const int whole = iw_row_can_vectorize(samples) && valid >= BIN_PARTITION_ITEMS * IW_WARP_SIZE && args->binning.mode == IW_BINNING_GUESS;
      const int near = IW_PASTE(EVEN_, T) && args->binning.even && args->binning.tau * IW_WARP_SIZE >= 0.25;
      if (whole && near) OF_T(bin_tile)(block, args, shared->counters, samples, valid, BY_NEAREST_EDGE, IW_MY(bins));
      else if (whole) OF_T(bin_tile)(block, args, shared->counters, samples, valid, BY_GUESS, IW_MY(bins));
      else OF_T(bin_tile)(block, args, shared->counters, samples, valid, BY_RULE, IW_MY(bins));
    }
    IW_PHASE(warp) { scan_lane_counters(shared, ranges, warp, block->warps); }
    IW_PHASE(warp) { place_ranges(shared, args, tile, warp, block->warps); }
    IW_PHASE(warp) {
      const iw_u32 lane = iw_lane(), bin_count = iw_splat(args->binning.bins);
      IW_UNROLL_ROWS for (int i = 0; i < BIN_PARTITION_ITEMS; i++) {
        const iw_u32 bin = IW_MY(bins)[i], counter = iw_add(iw_shl(bin_range_of(bin), iw_splat((uint32_t)IW_LOG_WARP)), lane);
        const iw_pred here = iw_lt(bin, bin_count);
        const iw_u32 place = iw_shared_add(shared->counters, counter, iw_splat(1u), here);
        iw_scatter_bits_u16(shared->staged, place, iw_and(bin, iw_splat((1u << IW_BIN_RANGE_LOG2) - 1)), here);
      }
    }
    IW_PHASE(warp) {
      const uint32_t *const staged = (const uint32_t *)(const void *)shared->staged;
      uint32_t *const out = (uint32_t *)(void *)(args->local_bins + tile * IW_BIN_RANGE_TILE_CAPACITY);
      const uint32_t staged_count = iw_get_u32(&shared->staged_count) / 2;
      for (uint32_t at = warp * IW_ROW(u32); at < staged_count; at += block->warps * IW_ROW(u32))
        iw_row_store_u32(out + at, iw_row_load_shared_u32(staged + at), IW_FULL_ROW, 0);
      clear_lane_counters(shared->counters, ranges, warp, block->warps);
    }
  }
  IW_PHASE(warp) {
    for (uint32_t r = warp * IW_WARP_SIZE; r < ranges; r += block->warps * IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)ranges - r);
      const iw_u32 total = iw_load(shared->totals + r, some);
      iw_global_add_noreturn(args->totals + r, iw_lane(), iw_to_u64(total), iw_and_pred(some, iw_gt(total, iw_splat(0u))));
    }
  }
}
