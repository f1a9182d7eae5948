/* SPDX-License-Identifier: Apache-2.0
 *
 * The second half (order.h): each range of bins is counted in shared memory. Blocks have equal shares of all that there is to do,
 * range after range, where a range counts for its samples and for what it takes to begin and to end it.
 */
#include <isowarp/kernel.h>
#include "algorithms/common/args.h"
#include <isowarp/algorithms/common/tuning.h>

enum { RANGE_SLOTS = 256, /* shares that a block has: more than ranges, so that each range has one */
       RANGE_WORTH = 1 << 19, /* samples that take as long as a range's counters, and as its parts where it has few in each */
       RANGE_PART = 512 };  /* numbers of a tile that are not divided, some */
typedef struct ranges_shared {
  uint32_t counters[(1 << IW_RANGE_LOG) + 128]; /* one behind them for what is none of its bins; whole rows */
  uint32_t cuts[IW_MOST_RANGES + 1];    /* where ranges begin among the shares of all */
} ranges_shared;

IW_FN void clear_counters(uint32_t *words, uint32_t n, unsigned warp, unsigned warps)
{
  for (uint32_t i = warp * IW_ROW(u32); i < n; i += warps * IW_ROW(u32)) iw_row_park_u32(words + i, iw_row_splat_u32(0));
}

/* One warp cuts. Finds the first range of the block, and the one after its last. */
IW_FN void cut_ranges(const iw_block *block, ranges_shared *shared, const iw_ranges_args *args, iw_u32 *first, iw_u32 *last)
{
  const uint64_t slots = block->blocks * RANGE_SLOTS, mine = block->index * RANGE_SLOTS;
  uint64_t all = 0, some = 0, before = 0;
  for (uint32_t r = 0; r < args->ranges; r += IW_WARP_SIZE) {
    const iw_u64 total = iw_load(args->totals + r, iw_lanes_below((int64_t)args->ranges - r));
    all += iw_warp_sum(total);
    some += iw_popcount_of(iw_gt(total, iw_splat((uint64_t)0)));
  }
  const uint64_t least = all / (slots - args->ranges) + 1, worth = least > RANGE_WORTH ? least : RANGE_WORTH;
  const uint64_t cost = all + some * worth;
  *first = iw_splat(UINT32_MAX);
  *last = iw_splat(0u);
  iw_set_u32(&shared->cuts[0], 0);
  for (uint32_t r = 0; r < args->ranges; r += IW_WARP_SIZE) {
    const iw_pred there = iw_lanes_below((int64_t)args->ranges - r);
    const iw_u64 total = iw_load(args->totals + r, there), none = iw_splat((uint64_t)0);
    const iw_u64 mine_cost = iw_select(iw_gt(total, none), iw_add(total, iw_splat(worth)), none);
    const iw_u64 through = iw_add(iw_inclusive_prefix_sum(mine_cost), iw_splat(before));
    const iw_u64 end = iw_div(iw_mul(through, iw_splat(slots)), iw_splat(cost));
    const iw_u64 begin = iw_div(iw_mul(iw_sub(through, mine_cost), iw_splat(slots)), iw_splat(cost));
    const iw_pred ours = iw_both(iw_both(there, iw_gt(end, begin)),
                                 iw_both(iw_lt(begin, iw_splat(mine + RANGE_SLOTS)), iw_gt(end, iw_splat(mine))));
    const iw_u32 number = iw_add(iw_lane(), iw_splat(r));
    iw_store(shared->cuts + 1 + r, iw_to_u32(end), there);
    *first = iw_min(*first, iw_select(ours, number, iw_splat(UINT32_MAX)));
    *last = iw_max(*last, iw_select(ours, iw_add(number, iw_splat(1u)), iw_splat(0u)));
    before = iw_last(through);
  }
}

/* Parts of tiles as if they were one: so many groups from `place` on for each lane. */
IW_FN void count_parts(const iw_block *block, uint32_t *counters, const uint64_t *numbers, iw_u32 place, iw_u32 groups)
{
  const iw_u32 through = iw_inclusive_prefix_sum(groups), skipped = iw_sub(place, iw_sub(through, groups));
  const iw_u32 low = iw_splat(0xffffu), half = iw_splat(16u);
  const uint32_t all = iw_last(through);
  for (uint32_t at = 0; at < all; at += RANGES_LOADS * IW_WARP_SIZE) {
    iw_u64 group[RANGES_LOADS];
    IW_UNROLL for (int k = 0; k < RANGES_LOADS; k++) {
      const iw_u32 wanted = iw_add(iw_lane(), iw_splat(at + (uint32_t)k * IW_WARP_SIZE));
      iw_u32 part = iw_splat(0u);                           /* how many end before it */
      IW_UNROLL for (unsigned step = IW_WARP_SIZE / 2; step > 0; step /= 2) {
        const iw_u32 end = iw_shuffle(through, iw_add(part, iw_splat(step - 1)), IW_WARP_SIZE);
        part = iw_select(iw_le(end, wanted), iw_add(part, iw_splat(step)), part);
      }
      group[k] = iw_gather(numbers, iw_add(wanted, iw_shuffle(skipped, part, IW_WARP_SIZE)), iw_lt(wanted, iw_splat(all)));
    }
    IW_UNROLL for (int k = 0; k < RANGES_LOADS; k++) {
      const iw_pred some = iw_lanes_below((int64_t)all - at - k * IW_WARP_SIZE);
      const iw_u32 words[] = { iw_to_u32(group[k]), iw_to_u32(iw_shr(group[k], iw_splat((uint64_t)32))) };
      IW_UNROLL for (int w = 0; w < 2; w++) {
        iw_count(counters, iw_and(words[w], low), some);
        iw_count(counters, iw_shr(words[w], half), some);
      }
    }
  }
}

/* The block's share of a range: parts of its tiles, which are shuffled, since what stands together may be all of it. */
IW_FN void count_share(const iw_block *block, ranges_shared *shared, const iw_ranges_args *args, uint32_t range, unsigned warp)
{
  const uint64_t mine = block->index * RANGE_SLOTS, begin = iw_get_u32(&shared->cuts[range]);
  const uint64_t slots = iw_get_u32(&shared->cuts[range + 1]) - begin;
  const uint64_t from = mine > begin ? mine - begin : 0;
  const uint64_t to = mine + RANGE_SLOTS < begin + slots ? mine + RANGE_SLOTS - begin : slots;
  uint32_t pieces = 1;                                      /* of a tile's numbers */
  while (pieces * RANGE_PART < IW_RANGE_TILE && (uint64_t)pieces * RANGE_PART * args->tiles < iw_get(args->totals + range))
    pieces *= 2;
  const uint64_t parts = args->tiles * pieces, first = parts * from / slots, count = parts * to / slots - first;
  const uint64_t last = first + count * (warp + 1) / block->warps;
  for (uint64_t at = first + count * warp / block->warps; at < last; at += IW_WARP_SIZE) {
    const iw_u32 part = iw_add(iw_splat((uint32_t)at), iw_lane()), piece = iw_div(part, iw_splat((uint32_t)args->tiles));
    const iw_u32 tile = iw_to_u32(iw_rem(iw_mul(iw_to_u64(part), iw_splat((uint64_t)IW_RANGE_SHUFFLE)), iw_splat(args->tiles)));
    const iw_u32 found = iw_gather(args->parts + range * args->tiles, tile, iw_lanes_below((int64_t)(last - at)));
    const iw_u32 all = iw_shr(found, iw_splat(16u)), each = iw_div(iw_add(all, iw_splat(pieces - 1)), iw_splat(pieces));
    const iw_u32 before = iw_min(all, iw_mul(piece, each)), groups = iw_min(each, iw_sub(all, before));
    const iw_u32 place = iw_add(iw_and(found, iw_splat(0xffffu)), iw_mul(tile, iw_splat((uint32_t)IW_RANGE_ROOM / IW_RANGE_GROUP)));
    count_parts(block, shared->counters, (const uint64_t *)(const void *)args->numbers, iw_add(place, before), groups);
  }
}

IW_KERNEL_ONCE(ranges, ranges_shared, iw_ranges_args, RANGES_WARPS * 32, RANGES_BLOCKS)
{
  IW_VAR(iw_u32, first);
  IW_VAR(iw_u32, last);
  IW_PHASE(warp) {
    if (warp == 0) cut_ranges(block, shared, args, &IW_MY(first), &IW_MY(last));
    else IW_MY(first) = iw_splat(UINT32_MAX), IW_MY(last) = iw_splat(0u);
    clear_counters(shared->counters, (1 << IW_RANGE_LOG) + 128, warp, block->warps);
  }
  const uint32_t from = iw_block_min(first), to = iw_block_max(last);
  for (uint32_t range = from; range < to; range++) {
    IW_PHASE(warp) { count_share(block, shared, args, range, warp); }
    IW_PHASE(warp) {
      const uint32_t before = range << IW_RANGE_LOG, left = args->bins - before;
      for (uint32_t i = warp * IW_WARP_SIZE; i < 1 << IW_RANGE_LOG && i < left; i += block->warps * IW_WARP_SIZE) {
        const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
        const iw_u32 count = iw_load(shared->counters + i, all);
        iw_global_more(args->counts + before + i, iw_lane(), iw_to_u64(count), iw_gt(count, iw_splat(0u)));
        iw_store(shared->counters + i, iw_splat(0u), all);
      }
    }
  }
}
