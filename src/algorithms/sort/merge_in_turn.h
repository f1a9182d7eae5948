/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of block_sort for CPUs; part of block_sort_ranks.h. A block is one warp.
 *   1. 32 items at a time are sorted by counting, in lanes, how many come before each. Where a segment
 *      consists of short rows, whole rows of at most 32 items in all are sorted at a time, and that is all.
 *   2. Rounds of merges, item by item without branches, from both ends at once: two chains of dependent
 *      instructions overlap (as in Peters' glidesort). Each round moves the items to the other half of
 *      shared memory.
 */
/* 1 in the lanes where a is less than b, else 0: without predicates, which take longer than minima on some
 * targets. */
IW_FN LANES FN(less)(LANES a, LANES b)
{
  return OF_T(iw_min)(OF_T(iw_xor)(OF_T(iw_min)(a, b), b), iw_splat((SCALAR)1));
}

/* Sorts at most 32 items from `at` on. Equal ones keep their order. */
IW_FN void FN(sort_row)(const block_sort_segment *s, uint32_t at)
{
  const uint32_t left = s->length - at;
  const int items = left < IW_WARP_SIZE ? (int)left : IW_WARP_SIZE;
  const iw_pred some = iw_lanes_below(items);
  SCALAR *const ranks = (SCALAR *)s->staged + at;
  const LANES own = OF_T(iw_load)(ranks, some);
  LANES before = iw_splat((SCALAR)0);
  if (items == IW_WARP_SIZE) {
    IW_UNROLL for (int k = 0; k < IW_WARP_SIZE; k++) before = OF_T(iw_add)(before, FN(less)(iw_splat(ranks[k]), own));
  } else {
    for (int k = 0; k < items; k++) before = OF_T(iw_add)(before, FN(less)(iw_splat(ranks[k]), own));
    before = OF_T(iw_select)(some, before, iw_splat((SCALAR)0));
  }
  if (OF_T(iw_warp_sum)(before) != (SCALAR)(items * (items - 1) / 2)) /* some are equal */
    for (int k = 0; k < items - 1; k++)
      before = OF_T(iw_select)(iw_and_pred(OF_T(iw_eq)(own, iw_splat(ranks[k])), iw_not_pred(iw_lanes_below(k + 1))),
                               OF_T(iw_add)(before, iw_splat((SCALAR)1)), before);
  const iw_u32 to = iw_to_u32(before);
  OF_T(iw_scatter)(ranks, to, own, some);
  iw_scatter_u16(s->indices + at, to, iw_iota_u32(at), some);
}

/* Items in a half of shared memory. */
typedef struct { SCALAR *ranks; uint16_t *indices; } FN(half);

/* Moves item b, if it is less, or else item a to item `to`; returns whether it was b. */
IW_FN uint32_t FN(move_first)(FN(half) from, uint32_t a, uint32_t b, FN(half) into, uint32_t to)
{
  const SCALAR x = from.ranks[a], y = from.ranks[b];
  const uint32_t takes_b = y < x;
  into.ranks[to] = takes_b ? y : x;
  into.indices[to] = from.indices[takes_b ? b : a];
  return takes_b;
}

/* The same from the end: moves the greater one, b if they are equal. */
IW_FN uint32_t FN(move_last)(FN(half) from, uint32_t a, uint32_t b, FN(half) into, uint32_t to)
{
  const SCALAR x = from.ranks[a], y = from.ranks[b];
  const uint32_t takes_b = x <= y;
  into.ranks[to] = takes_b ? y : x;
  into.indices[to] = from.indices[takes_b ? b : a];
  return takes_b;
}

/* Merges the runs a … middle - 1 and middle … end - 1. */
IW_FN void FN(merge_two)(FN(half) from, uint32_t a, uint32_t middle, uint32_t end, FN(half) into)
{
  const uint32_t shorter = middle - a < end - middle ? middle - a : end - middle;
  uint32_t b = middle, last_a = middle, last_b = end, to = a, last_to = end; /* behind the last ones */
  for (uint32_t k = 0; k < shorter; k++) {                                   /* no run ends sooner */
    const uint32_t first_is_b = FN(move_first)(from, a, b, into, to++);
    const uint32_t last_is_b = FN(move_last)(from, last_a - 1, last_b - 1, into, --last_to);
    b += first_is_b;
    a += 1 - first_is_b;
    last_b -= last_is_b;
    last_a -= 1 - last_is_b;
  }
  while (a < last_a && b < last_b) {
    const uint32_t is_b = FN(move_first)(from, a, b, into, to++);
    b += is_b;
    a += 1 - is_b;
  }
  for (; a < last_a; a++, to++) FN(move_first)(from, a, a, into, to);
  for (; b < last_b; b++, to++) FN(move_first)(from, b, b, into, to);
}

/* Sorts the indices of the short rows that are in `lanes` items from `at` on. column: of each lane in its
 * row. An element moves up by the number of later elements of its row that are less, and down by the number
 * of earlier elements of its row that are greater. So equal elements keep their order. */
IW_FN void FN(sort_short_rows)(const block_sort_segment *s, uint32_t at, uint32_t lanes, iw_u32 column)
{
  const iw_pred some = iw_lanes_below(lanes);
  const SCALAR *const ranks = (const SCALAR *)s->staged + at;
  const LANES own = OF_T(iw_load)(ranks, some);
  iw_u32 to = iw_lane();
  for (uint32_t distance = 1; distance < s->row; distance++) {
    const iw_pred has_later = iw_and_pred(some, iw_lt_u32(iw_add_u32(column, iw_splat(distance)),
                                                          iw_splat(s->row)));
    const iw_pred passed = iw_and_pred(has_later, OF_T(iw_lt)(OF_T(iw_load)(ranks + distance, has_later), own));
    const iw_u32 moved = iw_select_u32(passed, iw_splat(1u), iw_splat(0u));
    const iw_u32 moved_earlier = iw_select_u32(iw_lanes_below(distance), iw_splat(0u),
                                               iw_shuffle_up_u32(moved, distance, IW_WARP_SIZE));
    to = iw_sub_u32(iw_add_u32(to, moved), moved_earlier);
  }
  iw_scatter_u16(s->indices + at, to, iw_iota_u32(at), some);
}

IW_FN void FN(sort_all_short_rows)(const block_sort_segment *s)
{
  const uint32_t whole_rows = IW_WARP_SIZE / s->row * s->row;
  const iw_u32 column = iw_rem_u32(iw_lane(), iw_splat(s->row));
  for (uint32_t at = 0; at < s->length; at += whole_rows)
    FN(sort_short_rows)(s, at, s->length - at < whole_rows ? s->length - at : whole_rows, column);
}

/* Sorts what stage_ranks() has staged, and sets s->indices to where the indices are then. */
IW_FN void FN(sort_staged)(iw_block *block, block_sort_segment *s)
{
  FN(half) from = { (SCALAR *)s->staged, s->indices };
  FN(half) into = { (SCALAR *)s->other_staged, s->other_indices };
  if (s->row) {
    IW_PHASE(warp) { FN(sort_all_short_rows)(s); }
    return;
  }
  IW_PHASE(warp) { for (uint32_t at = 0; at < s->length; at += IW_WARP_SIZE) FN(sort_row)(s, at); }
  for (uint32_t run = IW_WARP_SIZE; run < s->length; run *= 2) {
    IW_PHASE(warp) {
      for (uint32_t at = 0; at < s->length; at += 2 * run) {
        const uint32_t middle = at + run < s->length ? at + run : s->length;
        FN(merge_two)(from, at, middle, middle + run < s->length ? middle + run : s->length, into);
      }
    }
    const FN(half) merged = into;
    into = from;
    from = merged;
  }
  s->indices = from.indices;
}
