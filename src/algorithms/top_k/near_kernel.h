/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the path of CPUs (iw_top_k_near_args): top_k_near collects the candidates of each chunk in one
 * read, between bounds from a sample, or takes all keys of a short row; top_k_least keeps what is wanted of
 * a row's candidates, which a sort then orders; top_k_take writes it. If no indices are wanted, top_k_least
 * writes keys, and the sort orders these. A block is a warp. Where a row is one
 * chunk, top_k_near does the work of top_k_least at once, and that of top_k_take if few elements are wanted.
 * If there is no lower bound and candidates are more than expected, as in a row of equal keys, those that
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
  TOP_K_RARELY_NEAR = 8 * TOP_K_NEAR_STEP, /* keys for each wanted one, from which on most steps have no candidate */
  TOP_K_NEAR_MASKED = 2 * IW_WARP_SIZE <= 64 ? 2 : 1, /* of them whose bits are one mask */
  TOP_K_NEAR_RUN = 32 * TOP_K_NEAR_STEP, /* keys whose candidates are listed before they become items */
  TOP_K_NEAR_AT_ONCE = 4,              /* keys of a mask that are listed without a branch */
  TOP_K_OFTEN_NEAR = 4,                /* keys for each wanted one, up to which candidates are packed without a list */
  TOP_K_MOST_PIVOTS = 64               /* of quickselect, before ranks are bisected */
};

/* Items, of wide ones their indices (else NULL), and places for as many others. Items whose ranks are equal
 * are in the order of their indices, and each of the functions below leaves them in it. */
typedef struct top_k_list {
  uint64_t *at, *other;
  uint32_t *index, *other_index;
} top_k_list;

IW_FN top_k_list top_k_list_from(top_k_list items, uint64_t first)
{
  items.at += first;
  if (items.index) items.index += first;
  return items;
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

IW_FN void top_k_sort_few(top_k_list items, uint64_t count)
{
  for (uint64_t at = 1; at < count; at++) {
    const uint64_t item = iw_get_u64(items.at + at);
    const uint32_t index = items.index ? iw_get_u32(items.index + at) : 0;
    uint64_t to = at;
    for (; to && iw_get_u64(items.at + to - 1) > item; to--) {
      iw_set_u64(items.at + to, iw_get_u64(items.at + to - 1));
      if (items.index) iw_set_u32(items.index + to, iw_get_u32(items.index + to - 1));
    }
    iw_set_u64(items.at + to, item);
    if (items.index) iw_set_u32(items.index + to, index);
  }
}

/* Copies items, to places that are not behind them. */
IW_FN void top_k_copy(uint64_t *to, uint32_t *to_index, const uint64_t *from, const uint32_t *from_index, uint64_t count)
{
  for (uint64_t at = 0; at < count; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(count - at));
    iw_store(to + at, iw_load(from + at, some), some);
    if (to_index) iw_store(to_index + at, iw_load(from_index + at, some), some);
  }
}

/* Moves the items up to the pivot to the front, and the others to the places for others. Returns how many
 * there are in front. A vector is loaded before the one in front of it is stored, as iw_compact may overwrite
 * what is behind. */
IW_FN uint64_t top_k_split_items(top_k_list items, uint64_t count, uint64_t pivot, const int is_wide)
{
  uint64_t low = 0, high = 0;
  iw_pred some = iw_lanes_below((int64_t)count);
  iw_u64 next = iw_load(items.at, some);
  iw_u32 next_index = is_wide ? iw_load(items.index, some) : iw_splat(0u);
  for (uint64_t at = 0; at < count; at += IW_WARP_SIZE) {
    const iw_u64 item = next;
    const iw_u32 index = next_index;
    const iw_pred is_low = iw_and_pred(some, iw_le(item, iw_splat(pivot))), is_high = iw_and_pred(some, iw_not_pred(is_low));
    if (at + IW_WARP_SIZE < count) {
      some = iw_lanes_below((int64_t)(count - at) - IW_WARP_SIZE);
      next = iw_load(items.at + at + IW_WARP_SIZE, some);
      if (is_wide) next_index = iw_load(items.index + at + IW_WARP_SIZE, some);
    }
    if (is_wide) {
      iw_compact(items.other_index + high, index, is_high);
      iw_compact(items.index + low, index, is_low);
    }
    high += iw_compact(items.other + high, item, is_high);
    low += iw_compact(items.at + low, item, is_low);
  }
  return low;
}

IW_FN uint64_t top_k_split(top_k_list items, uint64_t count, uint64_t pivot)
{
  return items.index ? top_k_split_items(items, count, pivot, 1) : top_k_split_items(items, count, pivot, 0);
}

/* The least and the greatest of items. */
typedef struct top_k_extent { uint64_t least, greatest; } top_k_extent;

IW_FN top_k_extent top_k_extent_of(const uint64_t *items, uint64_t count)
{
  iw_u64 complement = iw_splat((uint64_t)0), greatest = complement; /* of the least one */
  for (uint64_t at = 0; at < count; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(count - at));
    const iw_u64 item = iw_load(items + at, some);
    greatest = iw_select(some, iw_max(greatest, item), greatest);
    complement = iw_select(some, iw_max(complement, iw_xor(item, iw_splat(UINT64_MAX))), complement);
  }
  return (top_k_extent){ ~iw_warp_max_u64(complement), iw_warp_max_u64(greatest) };
}

/* A pivot that is no less than the least item. Bad luck with pivots of items ends after some of them: halving
 * the items' extent takes 64 steps at most. */
IW_FN uint64_t top_k_next_pivot(const uint64_t *items, uint64_t count, unsigned step)
{
  if (step < TOP_K_MOST_PIVOTS) return top_k_pivot(items, count);
  const top_k_extent extent = top_k_extent_of(items, count);
  return extent.least + (extent.greatest - extent.least) / 2;
}

/* Moves the `wanted` least items to the front, in any order, as quickselect does (Hoare 1961); of items that
 * are equal those that come first. There are IW_TOP_K_PADDING places behind the items. has_last: moves the
 * greatest of them to their last place. */
IW_NOINLINE_FN void top_k_keep_least(top_k_list items, uint64_t count, uint64_t wanted, int has_last)
{
  for (unsigned step = 0; count > IW_TOP_K_SORTED_AT_ONCE && (wanted < count || has_last); step++) {
    const uint64_t pivot = top_k_next_pivot(items.at, count, step);
    uint64_t low = top_k_split(items, count, pivot);
    if (low == count) { /* nothing is greater: what is less, and the pivot's equals behind it */
      low = pivot ? top_k_split(items, count, pivot - 1) : 0;
      if (low < count && pivot) top_k_copy(items.at + low, items.index ? items.index + low : items.index, items.other, items.other_index, count - low);
      if (low < wanted) return;
      count = low;
    } else if (low >= wanted) {
      count = low;
    } else {
      items = top_k_list_from(items, low);
      wanted -= low;
      count -= low;
      top_k_copy(items.at, items.index, items.other, items.other_index, count);
    }
  }
  if (wanted < count || has_last) top_k_sort_few(items, count);
}

/* The rank of an item. */
IW_FN uint64_t top_k_rank_of(const iw_top_k_near_args *args, uint64_t item)
{
  return args->key_bytes == 8 ? item : item >> 32;
}

/* The candidates of a chunk. */
typedef struct top_k_near_chunk {
  top_k_list items;
  uint64_t count;
  uint64_t below, at_lower, at_bound;  /* keys in front of the lower bound, and those that equal the bounds */
  uint64_t lower, bound;               /* the least and the greatest rank that a candidate may have */
  uint64_t float_bits;                 /* of floats of 4 and 8 bytes: the key of the greatest rank */
  int is_descending;
  int closed;                          /* 1: no more keys can be candidates */
} top_k_near_chunk;

/* Sets the upper bound. A rank of no key becomes a NaN's bits, which no key is below or above. */
IW_FN void top_k_near_set_bound(const iw_total_order *order, uint64_t rank, top_k_near_chunk *chunk)
{
  const uint64_t positive = rank ^ order->flip;
  chunk->bound = rank;
  chunk->float_bits = positive & order->sign ? rank ^ order->negative_flip : positive;
  chunk->is_descending = !(order->flip & order->sign);
}

/* Drops items that cannot be wanted. Later ones of the greatest rank that is left cannot, either, as they
 * have greater indices. */
IW_NOINLINE_FN void top_k_near_drop(const iw_top_k_near_args *args, top_k_near_chunk *chunk)
{
  top_k_keep_least(chunk->items, chunk->count, args->end, 0);
  chunk->count = args->end;
  const uint64_t greatest = top_k_rank_of(args, top_k_extent_of(chunk->items.at, chunk->count).greatest);
  chunk->closed = greatest == 0;
  top_k_near_set_bound(&args->order, greatest - 1, chunk);
}

/* Lists the keys whose bits are set, the first of which has the index `at`, and returns how many there are.
 * The first ones are written whether there are so many or not, as simdjson does it (Langdale and Lemire
 * 2019): where a loop over few bits ends is not predicted. */
IW_FN unsigned top_k_list_bits(uint32_t *list, uint32_t at, iw_mask bits)
{
  const iw_mask last = (iw_mask)1 << (TOP_K_NEAR_MASKED * IW_WARP_SIZE - 1); /* a mask without bits has no lowest one */
  const unsigned count = iw_popcount(bits);
  IW_UNROLL for (unsigned k = 0; k < TOP_K_NEAR_AT_ONCE; k++, bits &= bits - 1)
    list[k] = at + iw_lowest(bits | last);
  for (unsigned k = TOP_K_NEAR_AT_ONCE; bits; k++, bits &= bits - 1)
    list[k] = at + iw_lowest(bits);
  return count;
}

/* The places of a chunk's items. */
IW_FN top_k_list top_k_list_of(const iw_top_k_near_args *args, uint64_t chunk)
{
  const uint64_t first = chunk * (args->capacity + IW_TOP_K_PADDING);
  top_k_list items = { args->items + first, args->other + first, args->index, args->other_index };
  if (items.index) {
    items.index += first;
    items.other_index += first;
  }
  return items;
}

/* For each width of keys: top_k_near_T. */
#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE "algorithms/top_k/near_keys.h"
#include <isowarp/language/for_each_type.h>

/* A count of all chunks of a row. */
IW_FN uint64_t top_k_near_total(const iw_top_k_near_args *args, uint64_t row, unsigned which)
{
  uint64_t total = 0;
  for (uint64_t c = row * args->row_chunks; c < (row + 1) * args->row_chunks; c++)
    total += iw_get_u64(args->counts + c * IW_TOP_K_NEAR_COUNTS + which);
  return total;
}

/* Has key `place` of those of a row that equal a bound as the only wanted item. */
IW_FN void top_k_least_is_tie(const iw_top_k_near_args *args, uint64_t row, unsigned which, uint64_t rank, uint64_t place)
{
  uint64_t number = 0, index;
  for (; number + 1 < args->row_chunks; number++) {
    const uint64_t here = iw_get_u64(args->counts + (row * args->row_chunks + number) * IW_TOP_K_NEAR_COUNTS + which);
    if (place < here) break;
    place -= here;
  }
  switch (args->key_bytes) {
  case 1: index = top_k_near_equal_u8(args, row, number, rank, place); break;
  case 2: index = top_k_near_equal_u16(args, row, number, rank, place); break;
  case 4: index = top_k_near_equal_u32(args, row, number, rank, place); break;
  default: index = top_k_near_equal_u64(args, row, number, rank, place); break;
  }
  iw_set_u64(args->least + row, args->key_bytes == 8 ? rank : rank << 32 | index);
  if (args->least_index) iw_set_u32(args->least_index + row, (uint32_t)index);
}

/* Moves the items of a row's chunks to the places of the first one. Returns how many there are, or
 * UINT64_MAX if a chunk had no room for its own. */
IW_FN uint64_t top_k_join(const iw_top_k_near_args *args, uint64_t row)
{
  const uint64_t first = row * args->row_chunks;
  const top_k_list items = top_k_list_of(args, first);
  uint64_t count = 0;
  for (uint64_t c = first; c < first + args->row_chunks; c++) {
    const uint64_t more = iw_get_u64(args->counts + c * IW_TOP_K_NEAR_COUNTS + IW_NEAR_ITEMS);
    if (more > args->capacity) return UINT64_MAX;
    const top_k_list from = top_k_list_of(args, c);
    if (c > first) top_k_copy(items.at + count, items.index ? items.index + count : items.index, from.at, from.index, more);
    count += more;
  }
  return count;
}

/* Writes the keys of a row's wanted items, and their indices; values or indices: NULL, or of all rows. */
IW_NOINLINE_FN void top_k_take_items(const iw_top_k_near_args *args, uint64_t row, const uint64_t *items, const uint32_t *item_index,
                                     void *values, void *indices)
{
  const uint64_t wanted = args->end - args->first;
  for (uint64_t at = 0; at < wanted; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(wanted - at));
    const uint64_t to = row * wanted + at;
    const iw_u64 item = iw_load(items + at, some);
    const iw_u64 index = item_index ? iw_to_u64(iw_load(item_index + at, some)) : iw_and(item, iw_splat((uint64_t)UINT32_MAX));
    if (values) {
      switch (args->key_bytes) {
      case 1: top_k_near_take_u8(args, row, item, index, to, some, values); break;
      case 2: top_k_near_take_u16(args, row, item, index, to, some, values); break;
      case 4: top_k_near_take_u32(args, row, item, index, to, some, values); break;
      default: top_k_near_take_u64(args, row, item, index, to, some, values); break;
      }
    }
    if (indices && args->index_bytes == 4) iw_store((uint32_t *)indices + to, iw_to_u32(index), some);
    else if (indices) iw_store((uint64_t *)indices + to, index, some);
  }
}

/* Keeps the wanted items of a row's candidates, in their order if there are few, or their keys. A row fails
 * if a chunk had no room, or if what is wanted is outside of the bounds. */
IW_NOINLINE_FN void top_k_least_of_row(const iw_top_k_near_args *args, uint64_t row)
{
  const uint64_t *const bounds = args->counts + row * args->row_chunks * IW_TOP_K_NEAR_COUNTS;
  const uint64_t wanted = args->end - args->first, below = top_k_near_total(args, row, IW_NEAR_BELOW);
  const uint64_t at_lo = top_k_near_total(args, row, IW_NEAR_AT_LO), at_hi = top_k_near_total(args, row, IW_NEAR_AT_HI);
  const uint64_t count = top_k_join(args, row), up_to_lo = below + at_lo, between = count == UINT64_MAX ? 0 : count;
  const int failed = count == UINT64_MAX || args->first < below || args->end > up_to_lo + between + at_hi;
  iw_set_u64(&args->failed[row], (uint64_t)failed);
  if (failed) return;
  if (args->first < up_to_lo) {
    top_k_least_is_tie(args, row, IW_NEAR_AT_LO, iw_get_u64(bounds + IW_NEAR_LO), args->first - below);
    return;
  }
  if (args->end > up_to_lo + count) {
    top_k_least_is_tie(args, row, IW_NEAR_AT_HI, iw_get_u64(bounds + IW_NEAR_HI), args->first - up_to_lo - count);
    return;
  }
  const top_k_list items = top_k_list_of(args, row * args->row_chunks);
  const uint64_t end = args->end - up_to_lo, from = end - wanted;
  top_k_keep_least(items, count, end, wanted == 1);
  if (wanted <= IW_TOP_K_SORTED_AT_ONCE) top_k_sort_few(top_k_list_from(items, from), wanted);
  if (args->unsorted) {
    top_k_take_items(args, row, items.at + from, items.index ? items.index + from : items.index, args->unsorted, 0);
    return;
  }
  top_k_copy(args->least + row * wanted, args->least_index ? args->least_index + row * wanted : args->least_index, items.at + from,
             items.index ? items.index + from : items.index, wanted);
}

/* Writes what is wanted of a row, whose least items have been sorted. */
IW_FN void top_k_take_of_row(const iw_top_k_near_args *args, uint64_t row)
{
  const uint64_t at = row * (args->end - args->first);
  if (!iw_get_u64(&args->failed[row]))
    top_k_take_items(args, row, args->sorted + at, args->sorted_index ? args->sorted_index + at : args->sorted_index, args->values, args->indices);
}

IW_KERNEL_NO_SPECIALIZATION(top_k_near, iw_no_shared, iw_top_k_near_args, 32, 1)
{
  IW_PHASE(warp) {
    (void)warp;
    const uint64_t row = block->index / args->row_chunks, number = block->index % args->row_chunks;
    switch (args->key_bytes) {
    case 1: top_k_near_u8(args, row, number); break;
    case 2: top_k_near_u16(args, row, number); break;
    case 4: top_k_near_u32(args, row, number); break;
    default: top_k_near_u64(args, row, number); break;
    }
    if (args->row_chunks == 1) {
      top_k_least_of_row(args, row);
      if (args->end - args->first <= IW_TOP_K_SORTED_AT_ONCE) top_k_take_of_row(args, row);
    }
  }
}

/* A block has a row. */
IW_KERNEL_NO_SPECIALIZATION(top_k_least, iw_no_shared, iw_top_k_near_args, 32, 1)
{
  IW_PHASE(warp) {
    (void)warp;
    top_k_least_of_row(args, block->index);
  }
}

/* A block has a row. */
IW_KERNEL_NO_SPECIALIZATION(top_k_take, iw_no_shared, iw_top_k_near_args, 32, 1)
{
  IW_PHASE(warp) {
    (void)warp;
    top_k_take_of_row(args, block->index);
  }
}
