/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the path of devices that ranks few candidates (iw_top_k_few_args): top_k_sample gathers the
 * sample, top_k_collect reads all keys once and appends the candidates, and top_k_rank finds the place of
 * each item by counting the items that are less, which needs no order of the items. So the whole takes four
 * launches. Kernel template without parameters; it must not know the host's runtime. It needs
 * gather_kernel.h.
 */
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

/* iw_total_rank without a branch: integers have an `infinity` that no magnitude exceeds, and one flip for both signs. */
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
#define TEMPLATE "algorithms/top_k/few_keys.h"
#include "algorithms/common/for_each_width.h"
#undef TEMPLATE

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

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

typedef struct { uint32_t before[IW_TOP_K_RANK_WARPS * IW_TOP_K_RANK_ITEMS]; } top_k_rank_shared;

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
  return (top_k_items){ args->candidates + first, wide ? args->indices + first : 0, count, below, found };
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

/* A block ranks 32 items at a time: each of its warps compares them with a part of all. */
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
      const iw_u64 item = iw_load(all.items + first, some);
      const iw_u32 index = all.indices ? iw_load(all.indices + first, some) : iw_splat(0u);
      const uint64_t part = (all.count + IW_TOP_K_RANK_WARPS - 1) / IW_TOP_K_RANK_WARPS, at = warp * part;
      const uint64_t end = at + part < all.count ? at + part : all.count;
      iw_store(shared->before + warp * IW_TOP_K_RANK_ITEMS, top_k_count_before(&all, at, end, item, index), iw_lanes_below(IW_WARP_SIZE));
    }
    IW_PHASE(warp) {
      if (warp == 0) {
        const iw_u64 item = iw_load(all.items + first, some);
        iw_u32 place = iw_splat(0u);
        IW_UNROLL for (int w = 0; w < IW_TOP_K_RANK_WARPS; w++)
          place = iw_add(place, iw_load(shared->before + w * IW_TOP_K_RANK_ITEMS, some));
        if (args->of_sample) {
          const iw_u32 bound = iw_select(iw_eq(place, iw_splat((uint32_t)args->hi_at)), iw_splat(0u), iw_splat(1u));
          const iw_pred is_lo = iw_eq(place, iw_splat((uint32_t)args->lo_at)), is_hi = iw_eq(place, iw_splat((uint32_t)args->hi_at));
          iw_scatter(args->bound_items + 2 * row, bound, item, iw_and_pred(some, iw_or_pred(is_lo, is_hi)));
        } else {
          const iw_u32 index = all.indices ? iw_load(all.indices + first, some) : iw_to_u32(item);
          top_k_write(args, &all, row, place, index, some);
        }
      }
    }
  }
}
