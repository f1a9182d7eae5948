/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernel warp_sort does with a segment; part of block_sort_ranks.h, for GPUs. A segment is in registers,
 * 1, 2, 4 or 8 items in each lane, and Batcher's bitonic network sorts it by shuffles. All comparators move
 * the smaller item down, as the upper half of a merge is taken from its end. Item k of lane l, of `count` in
 * each, has the place l * count + k, so that the comparators of small distances need no shuffle. Items carry
 * their indices, which makes the sort stable; keys that move alone need none, unless one is a NaN, whose rank
 * does not give its bits back.
 */
#ifndef IW_NETWORK_BY_LANES_H
#define IW_NETWORK_BY_LANES_H
enum { NETWORK_ITEMS = 8 };
#define NO_INDICES UINT32_MAX /* in place of the first two */
static_assert((int)NETWORK_ITEMS > (int)BLOCK_SORT_ITEMS, "a warp's segment fits");
#endif

typedef struct { LANES rank; iw_u32 index; } FN(item);

/* Whether b is in front of a. */
IW_FN iw_pred FN(is_before)(FN(item) b, FN(item) a)
{
  return iw_or_pred(OF_T(iw_lt)(b.rank, a.rank), iw_and_pred(OF_T(iw_eq)(b.rank, a.rank), iw_lt_u32(b.index, a.index)));
}

IW_FN FN(item) FN(choose)(iw_pred some, FN(item) a, FN(item) b)
{
  const FN(item) chosen = { OF_T(iw_select)(some, a.rank, b.rank), iw_select_u32(some, a.index, b.index) };
  return chosen;
}

/* Compares two items of each lane. Ranks alone take minima and maxima, which are fewer instructions. */
IW_FN void FN(exchange)(FN(item) *x, FN(item) *y, const int indexed)
{
  if (!indexed) {
    const LANES rank = OF_T(iw_min)(x->rank, y->rank);
    y->rank = OF_T(iw_max)(x->rank, y->rank);
    x->rank = rank;
    return;
  }
  const iw_pred swapped = FN(is_before)(*y, *x);
  const FN(item) least = FN(choose)(swapped, *y, *x);
  *y = FN(choose)(swapped, *x, *y);
  *x = least;
}

IW_FN FN(item) FN(of_lane)(FN(item) x, unsigned mask, const int indexed)
{
  const FN(item) y = { OF_T(iw_shuffle_xor)(x.rank, mask, 32), indexed ? iw_shuffle_xor_u32(x.index, mask, 32) : x.index };
  return y;
}

/* Compares x with y, of another lane: the lanes of `is_upper` keep the greater one. */
IW_FN FN(item) FN(compare)(FN(item) x, FN(item) y, iw_pred is_upper, const int indexed)
{
  if (!indexed) {
    x.rank = OF_T(iw_select)(is_upper, OF_T(iw_max)(x.rank, y.rank), OF_T(iw_min)(x.rank, y.rank));
    return x;
  }
  const iw_pred before = FN(is_before)(y, x);
  return FN(choose)(iw_or_pred(iw_and_pred(before, iw_not_pred(is_upper)), iw_and_pred(iw_not_pred(before), is_upper)), y, x);
}

/* Compares items of each lane with those of lane ^ mask, of which the upper lane has the bit `upper`. */
IW_FN void FN(exchange_lanes)(FN(item) *x, unsigned mask, unsigned upper, const int from_end, const int count, const int indexed)
{
  const iw_pred is_upper = iw_gt_u32(iw_and_u32(iw_lane(), iw_splat(upper)), iw_splat(0u));
  IW_UNROLL for (int k = 0; k < count; k++) {
    const int j = from_end ? count - 1 - k : k;
    if (k > j) continue;
    const FN(item) of_j = FN(of_lane)(x[j], mask, indexed);
    if (k < j) x[j] = FN(compare)(x[j], FN(of_lane)(x[k], mask, indexed), is_upper, indexed);
    x[k] = FN(compare)(x[k], of_j, is_upper, indexed);
  }
}

/* Merges the sorted items of each `half` lanes with those of the next ones. */
IW_FN void FN(merge_halves)(FN(item) *x, unsigned half, const int count, const int indexed)
{
  FN(exchange_lanes)(x, 2 * half - 1, half, 1, count, indexed);
  for (unsigned d = half / 2; d; d /= 2) FN(exchange_lanes)(x, d, d, 0, count, indexed);
  IW_UNROLL for (int d = count / 2; d; d /= 2)
    IW_UNROLL for (int k = 0; k < count; k++) if (!(k & d)) FN(exchange)(x + k, x + k + d, indexed);
}

/* The merges of ranks alone are written out: in a loop over distances a third of their instructions were
 * moves and counting. */
IW_FN void FN(sort_network)(FN(item) *x, const int count, const int indexed)
{
  IW_UNROLL for (int size = 2; size <= count; size *= 2) {
    IW_UNROLL for (int k = 0; k < count; k++) if (k % size < size / 2) FN(exchange)(x + k, x + k / size * size + size - 1 - k % size, indexed);
    IW_UNROLL for (int d = size / 4; d; d /= 2)
      IW_UNROLL for (int k = 0; k < count; k++) if (!(k & d)) FN(exchange)(x + k, x + k + d, indexed);
  }
  if (indexed) IW_NO_UNROLL for (unsigned half = 1; half < IW_WARP_SIZE; half *= 2) FN(merge_halves)(x, half, count, indexed);
  else IW_UNROLL for (unsigned half = 1; half < IW_WARP_SIZE; half *= 2) FN(merge_halves)(x, half, count, indexed);
}

#define EACH_ITEM IW_UNROLL for (int k = 0; k < count; k++)
#define SOME_OF(k) iw_lanes_below((int64_t)s->length - (k) * IW_WARP_SIZE)
/* Loads items 32 apart: the branches by the kind of keys are around all of them. Returns whether one is a
 * NaN. */
IW_FN int FN(load_items)(const iw_block_sort_args *args, const block_sort_segment *s, FN(item) *x, const int count)
{
  iw_pred is_nan = iw_lanes_below(0);
  if (args->key_bytes == sizeof(SCALAR)) EACH_ITEM
    x[k].rank = OF_T(iw_load)((const SCALAR *)args->keys + s->first + k * IW_WARP_SIZE, SOME_OF(k));
  else EACH_ITEM x[k].rank = FN(load)(args, s->first + (uint64_t)k * IW_WARP_SIZE, SOME_OF(k));
  if (args->order.infinity) EACH_ITEM {
    x[k].rank = OF_T(iw_total_rank_of_floats)(&args->order, x[k].rank);
    is_nan = iw_or_pred(is_nan, iw_and_pred(SOME_OF(k), OF_T(iw_eq)(x[k].rank, iw_splat((SCALAR)args->order.nan))));
  } else EACH_ITEM x[k].rank = OF_T(iw_total_rank_of_integers)(&args->order, x[k].rank);
  EACH_ITEM {
    x[k].rank = OF_T(iw_select)(SOME_OF(k), OF_T(iw_and)(x[k].rank, iw_splat((SCALAR)args->mask)), iw_splat((SCALAR)~(SCALAR)0));
    x[k].index = iw_iota_u32((uint32_t)k * IW_WARP_SIZE);
  }
  return iw_wanted(is_nan);
}

/* Sorts a segment. Its indices go to shared memory, or its ranks, and NO_INDICES. */
IW_FN void FN(sort_items_of_lanes)(const iw_block_sort_args *args, const block_sort_segment *s, const int count)
{
  FN(item) x[NETWORK_ITEMS];
  const iw_u32 first = iw_mul_u32(iw_lane(), iw_splat((uint32_t)count)), end = iw_splat((s->length + 1) / 2 * 2); /* whole words */
  const int has_nan = FN(load_items)(args, s, x, count), alone = args->alone && !has_nan;
  if (alone) FN(sort_network)(x, count, 0); else FN(sort_network)(x, count, 1);
  EACH_ITEM {
    const iw_u32 place = iw_add_u32(first, iw_splat((uint32_t)k));
    if (alone) OF_T(iw_scatter)((SCALAR *)s->staged, place, x[k].rank, iw_lt_u32(place, end));
    else iw_scatter_u16(s->indices, place, x[k].index, iw_lt_u32(place, end));
  }
  if (alone) iw_store_u32((uint32_t *)(void *)s->indices, iw_splat(NO_INDICES), iw_lanes_below(1));
}
#undef EACH_ITEM
#undef SOME_OF

IW_FN void FN(sort_by_network)(const iw_block_sort_args *args, const block_sort_segment *s)
{
  if (s->length <= 1 * IW_WARP_SIZE) FN(sort_items_of_lanes)(args, s, 1);
  else if (s->length <= 2 * IW_WARP_SIZE) FN(sort_items_of_lanes)(args, s, 2);
  else if (s->length <= 4 * IW_WARP_SIZE) FN(sort_items_of_lanes)(args, s, 4);
  else FN(sort_items_of_lanes)(args, s, 8);
}

/* Stores staged ranks as the keys that they are of. */
IW_FN void FN(store_keys)(const iw_block_sort_args *args, const block_sort_segment *s)
{
  const LANES flip = iw_splat((SCALAR)args->order.flip), sign = iw_splat((SCALAR)args->order.sign);
  const LANES change = iw_splat((SCALAR)(args->order.flip ^ args->order.negative_flip)), none = iw_splat((SCALAR)0);
  for (uint32_t at = 0; at < s->length; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)s->length - at);
    const LANES x = OF_T(iw_xor)(OF_T(iw_load)((const SCALAR *)s->staged + at, some), flip);
    const iw_pred is_negative = OF_T(iw_gt)(OF_T(iw_and)(x, sign), none);
    FN(store_key)(args, s->first + at, OF_T(iw_xor)(x, OF_T(iw_select)(is_negative, change, none)), some);
  }
}

/* Sorts a warp's segment. Returns whether the keys, which move alone, are in their place; else its indices
 * are sorted. */
IW_FN int FN(in_registers)(iw_block *block, const iw_block_sort_args *args, const block_sort_segment *s)
{
  IW_PHASE(warp) { FN(sort_by_network)(args, s); }
  const int alone = args->alone && iw_get_u32((const uint32_t *)(const void *)s->indices) == NO_INDICES;
  if (alone) IW_PHASE(warp) { FN(store_keys)(args, s); }
  return alone;
}
