/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the path of devices that ranks few candidates (iw_top_k_few_args): top_k_sample gathers the
 * sample, top_k_collect reads all keys once and appends the candidates, and top_k_rank finds the place of
 * each item by counting the items that are less, which needs no order of the items. So the whole takes four
 * launches. Of many candidates top_k_group makes buckets by splitters of the sample before they are ranked,
 * each in its bucket: in two more launches. Kernel template without parameters; it must not know the host's
 * runtime. It needs gather_kernel.h.
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/issue_keys.h"
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/top_k/args.h"

enum { TOP_K_FEW_ROWS = 4 };         /* of 16 bytes a lane, whose loads are issued at a time; a chunk has a multiple of them */

IW_FN iw_u64 top_k_item_u32(iw_u32 rank, iw_u32 index)
{
  return iw_or(iw_shl(iw_to_u64(rank), iw_splat((uint64_t)32)), iw_to_u64(index));
}
IW_FN iw_u64 top_k_item_u64(iw_u64 rank, iw_u32 index) { (void)index; return rank; }
IW_FN uint32_t top_k_rank_of_item_u32(uint64_t item) { return (uint32_t)(item >> 32); }
IW_FN uint64_t top_k_rank_of_item_u64(uint64_t item) { return item; }

/* iw_total_rank without a branch: integers have an `infinity` that no magnitude exceeds, and one flip for
 * both signs. */
#define TOP_K_RANK(T) \
  IW_FN iw_##T top_k_plain_rank_##T(const iw_total_order *order, iw_##T bits) \
  { \
    const iw_##T magnitude = iw_and(bits, iw_splat((iws_##T)order->sign - 1)); \
    const iw_##T flip = iw_select(iw_eq(bits, magnitude), iw_splat((iws_##T)order->flip), iw_splat((iws_##T)order->negative_flip)); \
    return iw_select(iw_gt(magnitude, iw_splat((iws_##T)order->infinity)), iw_splat((iws_##T)order->nan), iw_xor(bits, flip)); \
  }
TOP_K_RANK(u32)
TOP_K_RANK(u64)
#undef TOP_K_RANK

/* For each width of keys: top_k_sample_T, top_k_collect_T. */
#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE "algorithms/top_k/few_keys.h"
#include <isowarp/language/for_each_type.h>

/* Groups of one lane: a warp has 32. Groups of a warp: it has one. */
IW_KERNEL_NO_SPECIALIZATION(top_k_sample, iw_no_shared, iw_top_k_few_args, IW_TOP_K_WARPS * 32, 4)
{
  IW_PHASE(warp) {
    const uint64_t number = (uint64_t)block->index * block->warps + warp, groups = args->rows * args->items;
    const uint64_t first = args->group_lanes == 1 ? number * IW_WARP_SIZE : number;
    if (first < groups) {
      switch (args->key_bytes) {
      case 1: top_k_sample_u8(args, first); break;
      case 2: top_k_sample_u16(args, first); break;
      case 4: top_k_sample_u32(args, first); break;
      default: top_k_sample_u64(args, first); break;
      }
    }
    for (uint64_t row = number; row < args->rows; row += (uint64_t)block->blocks * block->warps) {
      iw_set_u64(&args->counts[row], 0);
      iw_set_u64(&args->below[row], 0);
      for (uint64_t b = 0; args->buckets > 1 && b < args->buckets; b += IW_WARP_SIZE) {
        iw_store(args->bucket_counts + row * args->buckets + b, iw_splat(0u), iw_lanes_below((int64_t)(args->buckets - b)));
        iw_store(args->bucket_grouped + row * args->buckets + b, iw_splat(0u), iw_lanes_below((int64_t)(args->buckets - b)));
      }
    }
  }
}

IW_KERNEL_NO_SPECIALIZATION(top_k_collect, iw_no_shared, iw_top_k_few_args, IW_TOP_K_WARPS * 32, 4)
{
  IW_PHASE(warp) {
    const uint32_t number = (uint32_t)block->index * block->warps + warp, step = (uint32_t)block->blocks * block->warps;
    switch (args->key_bytes) {
    case 1: top_k_collect_u8(block, args, number, step); break;
    case 2: top_k_collect_u16(block, args, number, step); break;
    case 4: top_k_collect_u32(block, args, number, step); break;
    default: top_k_collect_u64(block, args, number, step); break;
    }
  }
}

/* ---- Ranks ------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t before[IW_TOP_K_RANK_WARPS * IW_TOP_K_RANK_ITEMS];
  uint32_t begin;                    /* items that come before all that are compared */
} top_k_rank_shared;

/* The items of a row. */
typedef struct top_k_items {
  const uint64_t *items;
  const uint32_t *indices;           /* NULL: the items differ */
  uint64_t count, below;             /* below: the row's elements that come before all of them */
  int found;                         /* whether what is wanted is among them */
} top_k_items;

IW_FN top_k_items top_k_items_of(const iw_top_k_few_args *args, uint64_t row)
{
  const int wide = args->key_bytes == 8;
  if (args->of_sample) {
    const uint64_t first = row * args->items;
    return (top_k_items){ args->sample + first, wide ? args->sample_indices + first : 0, args->items, 0, 1 };
  }
  const uint64_t first = row * args->capacity, count = iw_get_u64(args->counts + row), below = iw_get_u64(args->below + row);
  const int found = count <= args->capacity && args->first >= below && args->end <= below + count;
  const int in_buckets = args->is_grouped != 0;
  const uint32_t *const indices = in_buckets ? args->grouped_indices : args->indices;
  return (top_k_items){ (in_buckets ? args->grouped : args->candidates) + first, wide ? indices + first : 0, count, below, found };
}

/* How many of the items first … end - 1 come before each lane's. */
IW_FN iw_u32 top_k_count_before(const top_k_items *all, uint64_t first, uint64_t end, iw_u64 item, iw_u32 index)
{
  const iw_u32 one = iw_splat(1u), none = iw_splat(0u);
  iw_u32 before = none;
  if (!all->indices) {
    for (uint64_t j = first; j < end; j++)
      before = iw_add(before, iw_select(iw_lt(iw_splat(iw_get_u64(all->items + j)), item), one, none));
    return before;
  }
  for (uint64_t j = first; j < end; j++) {
    const iw_u64 other = iw_splat(iw_get_u64(all->items + j));
    const iw_pred ties = iw_and_pred(iw_eq(other, item), iw_lt(iw_splat(iw_get_u32(all->indices + j)), index));
    before = iw_add(before, iw_select(iw_or_pred(ties, iw_lt(other, item)), one, none));
  }
  return before;
}

#define TOP_K_MOVE(T) \
  iw_scatter_far_##T((iws_##T *)args->values, to, iw_gather_far_##T((const iws_##T *)args->keys, from, wanted), wanted)

/* Writes those candidates that are wanted. place: in the sorted candidates. */
IW_FN void top_k_write(const iw_top_k_few_args *args, const top_k_items *all, uint64_t row, iw_u32 place, iw_u32 index, iw_pred some)
{
  const iw_u64 sorted = iw_add(iw_to_u64(place), iw_splat(all->below));
  const iw_pred wanted = iw_and_pred(some, iw_and_pred(iw_ge(sorted, iw_splat(args->first)), iw_lt(sorted, iw_splat(args->end))));
  if (!iw_any(wanted)) return;
  const iw_u64 to = iw_add(iw_sub(sorted, iw_splat(args->first)), iw_splat(row * (args->end - args->first)));
  const iw_u64 from = iw_add(iw_to_u64(index), iw_splat(row * args->columns));
  if (args->out_indices && args->index_bytes == 4) iw_scatter_far_u32((uint32_t *)args->out_indices, to, index, wanted);
  else if (args->out_indices) iw_scatter_far_u64((uint64_t *)args->out_indices, to, iw_to_u64(index), wanted);
  if (!args->values) return;
  switch (args->key_bytes) {
  case 1: TOP_K_MOVE(u8); break;
  case 2: TOP_K_MOVE(u16); break;
  case 4: TOP_K_MOVE(u32); break;
  default: TOP_K_MOVE(u64); break;
  }
}
#undef TOP_K_MOVE

/* ---- Buckets ----------------------------------------------------------------------------------------- */

typedef struct {
  uint64_t splitters[IW_TOP_K_MOST_BUCKETS]; /* their ranks, in the upper 32 bits if keys have up to 4 bytes */
  uint32_t counts[IW_TOP_K_MOST_BUCKETS];    /* of the block's candidates; or where buckets begin, each warp's from 0 on */
  uint32_t sums[IW_TOP_K_WARPS];             /* of the counts of each warp */
} top_k_group_shared;
static_assert((int)IW_TOP_K_MOST_BUCKETS == (int)IW_TOP_K_WARPS * IW_WARP_SIZE, "a lane of the block has a bucket");

/* The bucket of each lane's item: how many splitters have no greater rank. */
IW_FN iw_u32 top_k_bucket_of(const iw_top_k_few_args *args, const top_k_group_shared *shared, iw_u64 item)
{
  const iw_u64 rank = args->key_bytes == 8 ? item : iw_or(item, iw_splat((uint64_t)UINT32_MAX));
  const iw_u32 buckets = iw_splat((uint32_t)args->buckets);
  iw_u32 bucket = iw_splat(0u);
  IW_UNROLL for (uint32_t step = IW_TOP_K_MOST_BUCKETS / 2; step; step /= 2) {
    const iw_u32 next = iw_add(bucket, iw_splat(step));
    const iw_pred some = iw_lt(next, buckets);
    bucket = iw_select(iw_and_pred(some, iw_le(iw_gather(shared->splitters, next, some), rank)), next, bucket);
  }
  return bucket;
}

/* The buckets of a warp's lanes: the splitters, and where they begin if these are known; else counts of 0. */
IW_FN void top_k_open_buckets(const iw_top_k_few_args *args, top_k_group_shared *shared, uint64_t row, unsigned warp)
{
  const uint32_t first = warp * IW_WARP_SIZE;
  const iw_pred some = iw_lanes_below((int64_t)args->buckets - first);
  const uint64_t at = row * args->buckets + first;
  const iw_u32 none = iw_splat(0u);
  iw_store(shared->splitters + first, iw_load(args->splitters + at, some), some);
  const iw_u32 counts = args->counts_buckets ? none : iw_select(some, iw_load(args->bucket_counts + at, some), none);
  const iw_u32 sums = iw_inclusive_prefix_sum(counts);
  iw_store(shared->counts + first, iw_sub(sums, counts), iw_lanes_below(IW_WARP_SIZE));
  iw_set_u32(&shared->sums[warp], iw_last(sums));
}

/* Where each warp's buckets begin, in the lanes of warps. */
IW_FN iw_u32 top_k_begins_of_warps(const top_k_group_shared *shared)
{
  const iw_pred some = iw_lanes_below(IW_TOP_K_WARPS);
  return iw_exclusive_prefix_sum(iw_select(some, iw_load(shared->sums, some), iw_splat(0u)));
}

/* Twice: the first launch counts the candidates of each bucket, the second one puts them behind each other,
 * bucket by bucket. */
IW_KERNEL_NO_SPECIALIZATION(top_k_group, top_k_group_shared, iw_top_k_few_args, IW_TOP_K_WARPS * 32, 4)
{
  enum { AT_ONCE = IW_TOP_K_WARPS * IW_WARP_SIZE }; /* candidates */
  const uint64_t tiles = (args->capacity + AT_ONCE - 1) / AT_ONCE;
  for (uint64_t tile = block->index; tile < args->rows * tiles; tile += block->blocks) {
    const uint64_t row = tile / tiles, first = tile % tiles * AT_ONCE, of_row = row * args->capacity;
    const top_k_items all = top_k_items_of(args, row); /* of which there are so many */
    if (!all.found || first >= all.count) continue;
    IW_PHASE(warp) { top_k_open_buckets(args, shared, row, warp); }
    IW_PHASE(warp) {
      const uint64_t at = first + warp * IW_WARP_SIZE;
      const iw_pred some = iw_lanes_below(at < all.count ? (int64_t)(all.count - at) : 0);
      const iw_u64 item = iw_load(args->candidates + of_row + at, some);
      const iw_u32 bucket = top_k_bucket_of(args, shared, item);
      if (args->counts_buckets) iw_shared_add(shared->counts, bucket, iw_splat(1u), some);
      else {
        const iw_u32 begins = iw_shuffle(top_k_begins_of_warps(shared), iw_shr(bucket, iw_splat(5u)), IW_WARP_SIZE);
        const iw_u32 begin = iw_add(begins, iw_gather(shared->counts, bucket, some));
        const iw_u32 place = iw_add(begin, iw_global_add(args->bucket_grouped + row * args->buckets, bucket, iw_splat(1u), some));
        iw_scatter(args->grouped + of_row, place, item, some);
        if (args->indices) iw_scatter(args->grouped_indices + of_row, place, iw_load(args->indices + of_row + at, some), some);
      }
    }
    IW_PHASE(warp) {
      const uint32_t own = warp * IW_WARP_SIZE;
      const iw_pred some = iw_lanes_below((int64_t)args->buckets - own);
      const iw_u32 counts = iw_load(shared->counts + own, some);
      const uint64_t at = row * args->buckets + own;
      if (args->counts_buckets)
        iw_global_add(args->bucket_counts + at, iw_lane(), counts, iw_and_pred(some, iw_gt(counts, iw_splat(0u))));
      else if (first == 0) iw_store(args->bucket_begins + at, iw_add(counts, iw_splat(iw_at(top_k_begins_of_warps(shared), warp))), some);
    }
  }
}

/* The items that are compared with some of a row's: those in front of begin come before these, those from
 * end on behind them. */
typedef struct top_k_span { uint64_t begin, end; } top_k_span;

/* For the items first … last - 1: all, or those of their buckets. */
IW_FN top_k_span top_k_span_of(const iw_top_k_few_args *args, uint64_t row, const top_k_items *all, uint64_t first, uint64_t last)
{
  const uint32_t *const begins = args->bucket_begins + row * args->buckets;
  top_k_span span = { 0, all->count };
  if (args->of_sample || !args->is_grouped) return span;
  for (uint64_t b = 0; b < args->buckets; b += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(args->buckets - b));
    const iw_u32 of_lanes = iw_load(begins + b, some);
    const iw_mask before = iw_ballot(iw_and_pred(some, iw_le(of_lanes, iw_splat((uint32_t)first))));
    const iw_mask behind = iw_ballot(iw_and_pred(some, iw_ge(of_lanes, iw_splat((uint32_t)last))));
    if (before) span.begin = iw_at(of_lanes, iw_highest(before));
    if (behind && span.end == all->count) span.end = iw_at(of_lanes, iw_lowest(behind));
  }
  return span;
}

/* The indices of candidates. */
IW_FN iw_u32 top_k_indices_at(const top_k_items *all, uint64_t first, iw_pred some)
{
  return all->indices ? iw_load(all->indices + first, some) : iw_to_u32(iw_load(all->items + first, some));
}

/* Compares 32 items with a warp's part of those that may come before them. */
IW_FN void top_k_count_part(const top_k_items *all, top_k_span span, top_k_rank_shared *shared, unsigned warp, uint64_t first, iw_pred some)
{
  const uint64_t part = (span.end - span.begin + IW_TOP_K_RANK_WARPS - 1) / IW_TOP_K_RANK_WARPS, at = span.begin + warp * part;
  const uint64_t end = at + part < span.end ? at + part : span.end;
  const iw_u32 index = all->indices ? iw_load(all->indices + first, some) : iw_splat(0u);
  const iw_u32 before = top_k_count_before(all, at, end, iw_load(all->items + first, some), index);
  iw_store(shared->before + warp * IW_TOP_K_RANK_ITEMS, before, iw_lanes_below(IW_WARP_SIZE));
}

/* How many items of the span come before each of them. */
IW_FN iw_u32 top_k_add_parts(const top_k_rank_shared *shared, iw_pred some)
{
  iw_u32 before = iw_splat(0u);
  IW_UNROLL for (int w = 0; w < IW_TOP_K_RANK_WARPS; w++) before = iw_add(before, iw_load(shared->before + w * IW_TOP_K_RANK_ITEMS, some));
  return before;
}

/* A block ranks 32 items at a time: each of its warps compares them with a part of those that may come
 * before them. */
IW_KERNEL_NO_SPECIALIZATION(top_k_rank, top_k_rank_shared, iw_top_k_few_args, IW_TOP_K_RANK_WARPS * 32, 2)
{
  const uint64_t tiles = ((args->of_sample ? args->items : args->capacity) + IW_TOP_K_RANK_ITEMS - 1) / IW_TOP_K_RANK_ITEMS;
  for (uint64_t tile = block->index; tile < args->rows * tiles; tile += block->blocks) {
    const uint64_t row = tile / tiles, first = tile % tiles * IW_TOP_K_RANK_ITEMS;
    const top_k_items all = top_k_items_of(args, row);
    if (!args->of_sample && first == 0) IW_PHASE(warp) { if (warp == 0) iw_set_u64(&args->failed[row], !all.found); }
    if (!all.found || first >= all.count) continue;
    const iw_pred some = iw_lanes_below((int64_t)(all.count - first));
    IW_PHASE(warp) {
      const uint64_t last = first + IW_TOP_K_RANK_ITEMS < all.count ? first + IW_TOP_K_RANK_ITEMS : all.count;
      const top_k_span span = top_k_span_of(args, row, &all, first, last);
      if (warp == 0) iw_set_u32(&shared->begin, (uint32_t)span.begin);
      top_k_count_part(&all, span, shared, warp, first, some);
    }
    IW_PHASE(warp) {
      if (warp == 0) {
        const iw_u64 item = iw_load(all.items + first, some);
        const iw_u32 place = iw_add(top_k_add_parts(shared, some), iw_splat(iw_get_u32(&shared->begin)));
        if (args->of_sample) {
          const iw_u32 bound = iw_select(iw_eq(place, iw_splat((uint32_t)args->hi_at)), iw_splat(0u), iw_splat(1u));
          const iw_pred is_lo = iw_eq(place, iw_splat((uint32_t)args->lo_at)), is_hi = iw_eq(place, iw_splat((uint32_t)args->hi_at));
          iw_scatter(args->bound_items + 2 * row, bound, item, iw_and_pred(some, iw_or_pred(is_lo, is_hi)));
          if (args->buckets > 1) {
            const iw_u32 from_first = iw_sub(place, iw_splat((uint32_t)args->first_splitter)), stride = iw_splat((uint32_t)args->stride);
            const iw_u32 bucket = iw_div(from_first, stride);
            const iw_pred splits = iw_and_pred(iw_eq(iw_mul(bucket, stride), from_first), iw_lt(bucket, iw_splat((uint32_t)args->buckets)));
            iw_scatter(args->splitters + row * args->buckets, bucket, item, iw_and_pred(some, splits));
          }
        } else {
          top_k_write(args, &all, row, place, top_k_indices_at(&all, first, some), some);
        }
      }
    }
  }
}
