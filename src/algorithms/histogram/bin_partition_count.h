/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule "bin partition", second of two kernels: counts the local bins that bin_partition.h wrote, range
 * after range, in shared memory. Kernel template without a type parameter; knows no samples.
 *
 * The work is divided evenly among the blocks by args->totals: a range costs its local bins plus a constant
 * for clearing and adding up its counters (range_cost). The sum of all costs is divided into
 * SHARES_PER_BLOCK equal shares per block, and a block counts the ranges that its shares overlap. So a range
 * with most samples is counted by many blocks, each with counters of its own, and a block counts many small
 * ranges. Within a range, a block's share is a set of pieces of tiles. Needs a target's tuning in front
 * (tuning_cpu.h or tuning_cuda.h).
 */
#include <isowarp/primitives.h>
#include "algorithms/histogram/args.h"

enum {
  SHARES_PER_BLOCK = 256,   /* at least as many as ranges, so that each range gets a share */
  MIN_RANGE_COST = 1 << 19, /* local bins that take as long as one range's overhead; measured */
  MIN_PIECE_ITEMS = 512     /* local bins of a piece of a tile, at least */
};
typedef struct bin_partition_count_shared {
  uint32_t counters[(1 << IW_BIN_RANGE_LOG2) + 128]; /* counter 2^15 counts padding; whole rows */
  /* where each range begins among the shares of all blocks */
  uint32_t share_begin[IW_MAX_BIN_RANGES + 1];
} bin_partition_count_shared;

IW_FN void clear_counters(uint32_t *words, uint32_t n, unsigned warp, unsigned warps)
{
  for (uint32_t i = warp * IW_ROW(u32); i < n; i += warps * IW_ROW(u32))
    iw_row_store_shared_u32(words + i, iw_row_splat_u32(0));
}

/* One warp divides the work into shares. *first: the block's first range, as the minimum of the lanes; *last:
 * one past its last range, as their maximum. */
IW_FN void divide_shares(const iw_block *block, bin_partition_count_shared *shared,
                         const iw_bin_partition_count_args *args, iw_u32 *first, iw_u32 *last)
{
  const uint64_t share_count = block->blocks * SHARES_PER_BLOCK, mine = block->index * SHARES_PER_BLOCK;
  uint64_t all = 0, ranges_in_use = 0, before = 0;
  for (uint32_t r = 0; r < args->ranges; r += IW_WARP_SIZE) {
    const iw_u64 total = iw_load(args->totals + r, iw_lanes_below((int64_t)args->ranges - r));
    all += iw_warp_sum(total);
    ranges_in_use += iw_popcount_of(iw_gt(total, iw_splat((uint64_t)0)));
  }
  /* at least one share for each range */
  const uint64_t least = all / (share_count - args->ranges) + 1;
  const uint64_t range_cost = least > MIN_RANGE_COST ? least : MIN_RANGE_COST;
  const uint64_t cost = all + ranges_in_use * range_cost;
  *first = iw_splat(UINT32_MAX);
  *last = iw_splat(0u);
  iw_set_u32(&shared->share_begin[0], 0);
  for (uint32_t r = 0; r < args->ranges; r += IW_WARP_SIZE) {
    const iw_pred there = iw_lanes_below((int64_t)args->ranges - r);
    const iw_u64 total = iw_load(args->totals + r, there), none = iw_splat((uint64_t)0);
    const iw_u64 cost_of = iw_select(iw_gt(total, none), iw_add(total, iw_splat(range_cost)), none);
    const iw_u64 through = iw_add(iw_inclusive_prefix_sum(cost_of), iw_splat(before));
    const iw_u64 end = iw_div(iw_mul(through, iw_splat(share_count)), iw_splat(cost));
    const iw_u64 begin = iw_div(iw_mul(iw_sub(through, cost_of), iw_splat(share_count)), iw_splat(cost));
    const iw_pred in_block = iw_and_pred(iw_and_pred(there, iw_gt(end, begin)),
                                         iw_and_pred(iw_lt(begin, iw_splat(mine + SHARES_PER_BLOCK)),
                                                     iw_gt(end, iw_splat(mine))));
    const iw_u32 range = iw_add(iw_lane(), iw_splat(r));
    iw_store(shared->share_begin + 1 + r, iw_to_u32(end), there);
    *first = iw_min(*first, iw_select(in_block, range, iw_splat(UINT32_MAX)));
    *last = iw_max(*last, iw_select(in_block, iw_add(range, iw_splat(1u)), iw_splat(0u)));
    before = iw_last(through);
  }
}

/* Counts 32 segments, one per lane: `groups` groups of local bins from group `place` on. As segments of
 * sorted data may differ much in length, the warp treats them as one array, and finds the segment of each
 * of its groups by binary search of the prefix sums of `groups`. */
IW_FN void count_segments(const iw_block *block, uint32_t *counters, const uint64_t *local_bins,
                          iw_u32 place, iw_u32 groups)
{
  const iw_u32 through = iw_inclusive_prefix_sum(groups), gap = iw_sub(place, iw_sub(through, groups));
  const iw_u32 low = iw_splat(0xffffu), half = iw_splat(16u);
  const uint32_t all = iw_last(through);
  for (uint32_t at = 0; at < all; at += BIN_COUNT_LOADS * IW_WARP_SIZE) {
    iw_u64 group[BIN_COUNT_LOADS];
    IW_UNROLL for (int k = 0; k < BIN_COUNT_LOADS; k++) {
      const iw_u32 wanted = iw_add(iw_lane(), iw_splat(at + (uint32_t)k * IW_WARP_SIZE));
      /* the lane whose segment has group `wanted` is the number of segments that end before it */
      iw_u32 part = iw_splat(0u);
      IW_UNROLL for (unsigned step = IW_WARP_SIZE / 2; step > 0; step /= 2) {
        const iw_u32 end = iw_shuffle(through, iw_add(part, iw_splat(step - 1)), IW_WARP_SIZE);
        part = iw_select(iw_le(end, wanted), iw_add(part, iw_splat(step)), part);
      }
      group[k] = iw_gather(local_bins, iw_add(wanted, iw_shuffle(gap, part, IW_WARP_SIZE)),
                           iw_lt(wanted, iw_splat(all)));
    }
    IW_UNROLL for (int k = 0; k < BIN_COUNT_LOADS; k++) {
      const iw_pred some = iw_lanes_below((int64_t)all - at - k * IW_WARP_SIZE);
      const iw_u32 words[] = { iw_to_u32(group[k]), iw_to_u32(iw_shr(group[k], iw_splat((uint64_t)32))) };
      IW_UNROLL for (int w = 0; w < 2; w++) {
        iw_count(counters, iw_and(words[w], low), some);
        iw_count(counters, iw_shr(words[w], half), some);
      }
    }
  }
}

/* Counts the block's share of a range. Tiles are visited in a shuffled order, because neighbouring tiles of
 * sorted samples may have a whole range, and one block would count it alone. */
IW_FN void count_share(const iw_block *block, bin_partition_count_shared *shared,
                       const iw_bin_partition_count_args *args, uint32_t range, unsigned warp)
{
  const uint64_t mine = block->index * SHARES_PER_BLOCK, begin = iw_get_u32(&shared->share_begin[range]);
  const uint64_t share_count = iw_get_u32(&shared->share_begin[range + 1]) - begin;
  const uint64_t from = mine > begin ? mine - begin : 0;
  const uint64_t to =
      mine + SHARES_PER_BLOCK < begin + share_count ? mine + SHARES_PER_BLOCK - begin : share_count;
  uint32_t pieces = 1; /* of each tile: more if the range has long parts */
  while (pieces * MIN_PIECE_ITEMS < IW_BIN_RANGE_TILE
         && (uint64_t)pieces * MIN_PIECE_ITEMS * args->tiles < iw_get(args->totals + range))
    pieces *= 2;
  const uint64_t parts = args->tiles * pieces, first = parts * from / share_count;
  const uint64_t count = parts * to / share_count - first;
  const uint64_t last = first + count * (warp + 1) / block->warps;
  for (uint64_t at = first + count * warp / block->warps; at < last; at += IW_WARP_SIZE) {
    const iw_u32 part = iw_add(iw_splat((uint32_t)at), iw_lane());
    const iw_u32 piece = iw_div(part, iw_splat((uint32_t)args->tiles));
    const iw_u64 shuffled = iw_mul(iw_to_u64(part), iw_splat((uint64_t)IW_BIN_RANGE_TILE_STRIDE));
    const iw_u32 tile = iw_to_u32(iw_rem(shuffled, iw_splat(args->tiles)));
    const iw_u32 found =
        iw_gather(args->parts + range * args->tiles, tile, iw_lanes_below((int64_t)(last - at)));
    const iw_u32 all = iw_shr(found, iw_splat(16u));
    const iw_u32 each = iw_div(iw_add(all, iw_splat(pieces - 1)), iw_splat(pieces));
    const iw_u32 before = iw_min(all, iw_mul(piece, each)), groups = iw_min(each, iw_sub(all, before));
    const iw_u32 tile_begin =
        iw_mul(tile, iw_splat((uint32_t)IW_BIN_RANGE_TILE_CAPACITY / IW_BIN_RANGE_GROUP));
    const iw_u32 place = iw_add(iw_add(iw_and(found, iw_splat(0xffffu)), tile_begin), before);
    count_segments(block, shared->counters, (const uint64_t *)(const void *)args->local_bins, place, groups);
  }
}

/* Adds a range's counters to those in global memory, and clears them for the next range. */
IW_FN void flush_range(const iw_block *block, bin_partition_count_shared *shared,
                       const iw_bin_partition_count_args *args, uint32_t range, unsigned warp)
{
  const uint32_t before = range << IW_BIN_RANGE_LOG2, left = args->bins - before;
  const uint32_t n = left < 1 << IW_BIN_RANGE_LOG2 ? left : 1 << IW_BIN_RANGE_LOG2;
  for (uint32_t i = warp * IW_WARP_SIZE; i < n; i += block->warps * IW_WARP_SIZE) {
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    const iw_u32 count = iw_load(shared->counters + i, all);
    iw_global_add_noreturn(args->counts + before + i, iw_lane(), iw_to_u64(count),
                           iw_gt(count, iw_splat(0u)));
    iw_store(shared->counters + i, iw_splat(0u), all);
  }
}

IW_KERNEL_NO_SPECIALIZATION(bin_partition_count, bin_partition_count_shared, iw_bin_partition_count_args,
                            BIN_COUNT_WARPS * 32, BIN_COUNT_BLOCKS)
{
  IW_VAR(iw_u32, first);
  IW_VAR(iw_u32, last);
  IW_PHASE(warp) {
    if (warp == 0) divide_shares(block, shared, args, &IW_MY(first), &IW_MY(last));
    else IW_MY(first) = iw_splat(UINT32_MAX), IW_MY(last) = iw_splat(0u);
    clear_counters(shared->counters, (1 << IW_BIN_RANGE_LOG2) + 128, warp, block->warps);
  }
  const uint32_t from = iw_block_min(first), to = iw_block_max(last);
  for (uint32_t range = from; range < to; range++) {
    IW_PHASE(warp) { count_share(block, shared, args, range, warp); }
    IW_PHASE(warp) { flush_range(block, shared, args, range, warp); }
  }
}
