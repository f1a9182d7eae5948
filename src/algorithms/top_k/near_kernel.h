/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the path of CPUs for keys of up to 4 bytes and few wanted elements (iw_top_k_near_args):
 * top_k_near collects the candidates of each chunk in one read, below a bound from a sample, and
 * top_k_least keeps the least of a row's, which a sort then orders, and top_k_take writes what is wanted of
 * them. A block is a warp. If candidates are more than expected, as in a row of equal keys, those that
 * cannot be wanted are dropped, and the bound is lowered: so the read need not be repeated, in whatever
 * order the keys are. Kernel template without parameters; it must not know the host's runtime. It needs
 * gather_kernel.h.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/top_k/args.h"

enum {
  TOP_K_NEAR_VECTORS = 4,              /* of keys that are looked at together */
  TOP_K_NEAR_STEP = TOP_K_NEAR_VECTORS * IW_WARP_SIZE,
  TOP_K_NEAR_MASKED = 2 * IW_WARP_SIZE <= 64 ? 2 : 1, /* of them whose bits are one mask */
  TOP_K_NEAR_ONE_BY_ONE = 8 * TOP_K_NEAR_MASKED, /* candidates of a mask that are not packed */
  TOP_K_SORTED_AT_ONCE = 24            /* items that insertion sorts */
};

IW_FN iw_u64 top_k_near_item(iw_u32 rank, iw_u64 index)
{
  return iw_or(iw_shl(iw_to_u64(rank), iw_splat((uint64_t)32)), index);
}

IW_FN uint64_t top_k_median(uint64_t a, uint64_t b, uint64_t c)
{
  const uint64_t low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c < high ? c : high;
}

/* The median of three medians of three items, which is neither the least nor the greatest item. */
IW_FN uint64_t top_k_pivot(const uint64_t *items, uint64_t count)
{
  uint64_t medians[3];
  for (unsigned k = 0; k < 3; k++)
    medians[k] = top_k_median(iw_get_u64(items + (3 * k + 1) * count / 10), iw_get_u64(items + (3 * k + 2) * count / 10),
                              iw_get_u64(items + (3 * k + 3) * count / 10));
  return top_k_median(medians[0], medians[1], medians[2]);
}

IW_FN void top_k_sort_few(uint64_t *items, uint64_t count)
{
  for (uint64_t at = 1; at < count; at++) {
    const uint64_t item = iw_get_u64(items + at);
    uint64_t to = at;
    for (; to && iw_get_u64(items + to - 1) > item; to--) iw_set_u64(items + to, iw_get_u64(items + to - 1));
    iw_set_u64(items + to, item);
  }
}

/* Moves the items up to the pivot to the front, and the others to `other`. Returns how many there are in
 * front. A vector is loaded before the one in front of it is stored, as iw_compact may overwrite what is
 * behind. */
IW_FN uint64_t top_k_split(uint64_t *items, uint64_t *other, uint64_t count, uint64_t pivot)
{
  uint64_t low = 0, high = 0;
  iw_u64 next = iw_load(items, iw_lanes_below((int64_t)count));
  for (uint64_t at = 0; at < count; at += IW_WARP_SIZE) {
    const iw_u64 item = next;
    const iw_pred some = iw_lanes_below((int64_t)(count - at)), is_low = iw_and_pred(some, iw_le(item, iw_splat(pivot)));
    if (at + IW_WARP_SIZE < count) next = iw_load(items + at + IW_WARP_SIZE, iw_lanes_below((int64_t)(count - at) - IW_WARP_SIZE));
    high += iw_compact(other + high, item, iw_and_pred(some, iw_not_pred(is_low)));
    low += iw_compact(items + low, item, is_low);
  }
  return low;
}

/* Moves the `wanted` least items to the front, in any order, as quickselect does (Hoare 1961). There are
 * IW_TOP_K_PADDING places behind the items, and as many places for others. Items differ. */
IW_NOINLINE_FN void top_k_keep_least(uint64_t *items, uint64_t *other, uint64_t count, uint64_t wanted)
{
  while (count > TOP_K_SORTED_AT_ONCE && wanted < count) {
    const uint64_t low = top_k_split(items, other, count, top_k_pivot(items, count));
    if (low >= wanted) {
      count = low;
      continue;
    }
    items += low;
    wanted -= low;
    count -= low;
    for (uint64_t at = 0; at < count; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(count - at));
      iw_store(items + at, iw_load(other + at, some), some);
    }
  }
  if (wanted < count) top_k_sort_few(items, count);
}

/* The greatest rank of items. */
IW_FN uint32_t top_k_greatest_rank(const uint64_t *items, uint64_t count)
{
  iw_u64 greatest = iw_splat((uint64_t)0);
  for (uint64_t at = 0; at < count; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(count - at));
    greatest = iw_select(some, iw_max(greatest, iw_load(items + at, some)), greatest);
  }
  return (uint32_t)(iw_warp_max_u64(greatest) >> 32);
}

/* The candidates of a chunk. */
typedef struct top_k_near_chunk {
  uint64_t *items, *other;
  uint64_t count;
  uint32_t bound;                      /* the greatest rank that a candidate may have */
  float float_bound;                   /* of floats of 4 bytes: the key of that rank */
  int is_descending;
  int closed;                          /* 1: no more keys can be candidates */
} top_k_near_chunk;

/* Sets the bound. A rank of no key becomes a NaN's bits, which no key is below or above. */
IW_FN void top_k_near_set_bound(const iw_total_order *order, uint32_t rank, top_k_near_chunk *chunk)
{
  const uint32_t positive = rank ^ (uint32_t)order->flip, sign = (uint32_t)order->sign;
  const uint32_t bits = positive & sign ? rank ^ (uint32_t)order->negative_flip : positive;
  chunk->bound = rank;
  chunk->float_bound = iws_from_raw_f32(bits);
  chunk->is_descending = !(order->flip & sign);
}

/* Drops items that cannot be wanted. Later ones of the greatest rank that is left cannot, either, as they
 * have greater indices. */
IW_NOINLINE_FN void top_k_near_drop(const iw_top_k_near_args *args, top_k_near_chunk *chunk)
{
  top_k_keep_least(chunk->items, chunk->other, chunk->count, args->end);
  chunk->count = args->end;
  const uint32_t greatest = top_k_greatest_rank(chunk->items, chunk->count);
  chunk->closed = greatest == 0;
  top_k_near_set_bound(&args->order, greatest - 1, chunk);
}

/* For each width of keys: top_k_near_T. */
#define IW_TYPE_SET (IW_SET_u8 | IW_SET_u16 | IW_SET_u32)
#define IW_TEMPLATE "algorithms/top_k/near_keys.h"
#include <isowarp/language/for_each_type.h>

IW_KERNEL_NO_SPECIALIZATION(top_k_near, iw_no_shared, iw_top_k_near_args, 32, 1)
{
  IW_PHASE(warp) {
    (void)warp;
    const uint64_t row = block->index / args->row_chunks, number = block->index % args->row_chunks;
    switch (args->key_bytes) {
    case 1: top_k_near_u8(args, row, number); break;
    case 2: top_k_near_u16(args, row, number); break;
    default: top_k_near_u32(args, row, number); break;
    }
  }
}

/* A block has a row. */
IW_KERNEL_NO_SPECIALIZATION(top_k_least, iw_no_shared, iw_top_k_near_args, 32, 1)
{
  IW_PHASE(warp) {
    (void)warp;
    const uint64_t stride = args->capacity + IW_TOP_K_PADDING, first = block->index * args->row_chunks;
    uint64_t *const items = args->items + first * stride;
    uint64_t count = iw_get_u64(args->counts + first);
    for (uint64_t c = 1; c < args->row_chunks; c++) {
      const uint64_t *const from = items + c * stride;
      const uint64_t more = iw_get_u64(args->counts + first + c);
      for (uint64_t at = 0; at < more; at += IW_WARP_SIZE) {
        const iw_pred some = iw_lanes_below((int64_t)(more - at));
        iw_store(items + count + at, iw_load(from + at, some), some);
      }
      count += more;
    }
    iw_set_u64(&args->failed[block->index], count < args->end);
    if (count >= args->end) {
      top_k_keep_least(items, args->other + first * stride, count, args->end);
      for (uint64_t at = 0; at < args->end; at += IW_WARP_SIZE) {
        const iw_pred some = iw_lanes_below((int64_t)(args->end - at));
        iw_store(args->least + block->index * args->end + at, iw_load(items + at, some), some);
      }
    }
  }
}

#define TOP_K_TAKE(T) iw_store_##T((iws_##T *)args->values + to, iw_gather_far_##T((const iws_##T *)args->keys + row * args->columns, \
                                                                                  index, some), some)

/* A block has a row, whose least items have been sorted. */
IW_KERNEL_NO_SPECIALIZATION(top_k_take, iw_no_shared, iw_top_k_near_args, 32, 1)
{
  IW_PHASE(warp) {
    (void)warp;
    const uint64_t row = block->index, wanted = args->end - args->first;
    if (!iw_get_u64(&args->failed[row]))
      for (uint64_t at = 0; at < wanted; at += IW_WARP_SIZE) {
        const iw_pred some = iw_lanes_below((int64_t)(wanted - at));
        const iw_u64 item = iw_load((const uint64_t *)args->sorted + row * args->end + args->first + at, some);
        const iw_u64 index = iw_and(item, iw_splat((uint64_t)UINT32_MAX));
        const uint64_t to = row * wanted + at;
        if (args->values) {
          switch (args->key_bytes) {
          case 1: TOP_K_TAKE(u8); break;
          case 2: TOP_K_TAKE(u16); break;
          default: TOP_K_TAKE(u32); break;
          }
        }
        if (args->indices && args->index_bytes == 4) iw_store((uint32_t *)args->indices + to, iw_to_u32(index), some);
        else if (args->indices) iw_store((uint64_t *)args->indices + to, index, some);
      }
  }
}
#undef TOP_K_TAKE
