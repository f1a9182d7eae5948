/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of block_sort for GPUs; part of block_sort_ranks.h. Compare CUB's BlockMergeSort; lanes find
 * their parts of a merge by the merge path of Green, McColl and Bader 2012.
 *   1. Each lane sorts its items, which are consecutive, in registers. Their number is odd, so that the
 *      lanes of a warp access different banks of shared memory.
 *   2. Rounds of merges double the sorted runs. Only ranks are compared; of two equal ranks the first run's
 *      comes first.
 */
/* A lane's items: ranks, and indices in the segment. */
typedef struct { LANES ranks[BLOCK_SORT_ITEMS]; iw_u32 indices[BLOCK_SORT_ITEMS]; } FN(items);

/* Sorts two neighbours. */
IW_FN void FN(sort_two)(FN(items) *x, int k)
{
  const iw_pred swapped = OF_T(iw_lt)(x->ranks[k + 1], x->ranks[k]);
  const LANES rank = x->ranks[k];
  const iw_u32 index = x->indices[k];
  x->ranks[k] = OF_T(iw_select)(swapped, x->ranks[k + 1], rank);
  x->ranks[k + 1] = OF_T(iw_select)(swapped, rank, x->ranks[k + 1]);
  x->indices[k] = iw_select_u32(swapped, x->indices[k + 1], index);
  x->indices[k + 1] = iw_select_u32(swapped, index, x->indices[k + 1]);
}

/* Sorts each lane's items by odd-even transposition, which compares neighbours only and is therefore
 * stable. */
IW_FN void FN(sort_items)(const block_sort_segment *s, unsigned warp)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  const iw_u32 first = iw_mul_u32(block_sort_thread(warp), iw_splat(s->items));
  FN(items) x;
  IW_UNROLL for (int k = 0; k < BLOCK_SORT_ITEMS; k++) if (k < (int)s->items) {
    x.ranks[k] = OF_T(iw_gather)((const SCALAR *)s->staged + k, first, all);
    x.indices[k] = iw_gather_u16(s->indices + k, first, all);
  }
  for (int round = 0; round < (int)s->items; round += 2) {
    IW_UNROLL for (int k = 0; k < BLOCK_SORT_ITEMS - 1; k += 2) if (k + 1 < (int)s->items) FN(sort_two)(&x, k);
    IW_UNROLL for (int k = 1; k < BLOCK_SORT_ITEMS - 1; k += 2) if (k + 1 < (int)s->items) FN(sort_two)(&x, k);
  }
  IW_UNROLL for (int k = 0; k < BLOCK_SORT_ITEMS; k++) if (k < (int)s->items) {
    OF_T(iw_scatter)((SCALAR *)s->staged + k, first, x.ranks[k], all);
    iw_scatter_u16(s->indices + k, first, x.indices[k], all);
  }
}

/* The position on the merge path: how many of the first `diagonal` items of two merged runs of `run` items
 * are of the first run, which begins at `first`. 2^steps > run. */
IW_FN iw_u32 FN(merge_path)(const SCALAR *ranks, iw_u32 first, iw_u32 diagonal, uint32_t run, unsigned steps)
{
  const iw_u32 length = iw_splat(run);
  iw_u32 low = iw_sub_u32(iw_max_u32(diagonal, length), length), high = iw_min_u32(diagonal, length);
  for (unsigned step = 0; step < steps; step++) {
    const iw_pred some = iw_lt_u32(low, high);
    const iw_u32 middle = iw_shr_u32(iw_add_u32(low, high), iw_splat(1u));
    const LANES a = OF_T(iw_gather)(ranks, iw_add_u32(first, middle), some);
    const LANES b = OF_T(iw_gather)(ranks, iw_sub_u32(iw_add_u32(iw_add_u32(first, length), diagonal), iw_add_u32(middle, iw_splat(1u))), some);
    const iw_pred is_before = iw_and_pred(some, OF_T(iw_le)(a, b));
    low = iw_select_u32(is_before, iw_add_u32(middle, iw_splat(1u)), low);
    high = iw_select_u32(is_before, high, iw_select_u32(some, middle, high));
  }
  return low;
}

/* Each lane's part of the merges of pairs of runs of items << level items, as many as it has items. */
IW_FN void FN(merge)(const block_sort_segment *s, unsigned warp, unsigned level, unsigned steps, FN(items) *merged)
{
  const SCALAR *const ranks = (const SCALAR *)s->staged;
  const uint32_t run = s->items << level;
  const iw_u32 thread = block_sort_thread(warp);
  const iw_u32 in_pair = iw_and_u32(thread, iw_splat(((uint32_t)2 << level) - 1));
  const iw_u32 first = iw_mul_u32(iw_sub_u32(thread, in_pair), iw_splat(s->items)), diagonal = iw_mul_u32(in_pair, iw_splat(s->items));
  const iw_u32 end_a = iw_add_u32(first, iw_splat(run)), end_b = iw_add_u32(end_a, iw_splat(run));
  const iw_u32 of_a = FN(merge_path)(ranks, first, diagonal, run, steps);
  iw_u32 a = iw_add_u32(first, of_a), b = iw_sub_u32(iw_add_u32(end_a, diagonal), of_a);
  LANES rank_a = OF_T(iw_gather)(ranks, a, iw_lt_u32(a, end_a)), rank_b = OF_T(iw_gather)(ranks, b, iw_lt_u32(b, end_b));
  IW_UNROLL for (int k = 0; k < BLOCK_SORT_ITEMS; k++) if (k < (int)s->items) {
    const iw_pred takes_a = iw_and_pred(iw_lt_u32(a, end_a), iw_or_pred(iw_ge_u32(b, end_b), OF_T(iw_le)(rank_a, rank_b)));
    const iw_u32 from = iw_select_u32(takes_a, a, b), next = iw_add_u32(from, iw_splat(1u));
    merged->ranks[k] = OF_T(iw_select)(takes_a, rank_a, rank_b);
    merged->indices[k] = iw_gather_u16(s->indices, from, iw_lanes_below(IW_WARP_SIZE));
    const LANES rank = OF_T(iw_gather)(ranks, next, iw_lt_u32(next, iw_select_u32(takes_a, end_a, end_b)));
    a = iw_select_u32(takes_a, next, a);
    b = iw_select_u32(takes_a, b, next);
    rank_a = OF_T(iw_select)(takes_a, rank, rank_a);
    rank_b = OF_T(iw_select)(takes_a, rank_b, rank);
  }
}

IW_FN void FN(store_merged)(const block_sort_segment *s, unsigned warp, const FN(items) *merged)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  const iw_u32 first = iw_mul_u32(block_sort_thread(warp), iw_splat(s->items));
  IW_UNROLL for (int k = 0; k < BLOCK_SORT_ITEMS; k++) if (k < (int)s->items) {
    OF_T(iw_scatter)((SCALAR *)s->staged + k, first, merged->ranks[k], all);
    iw_scatter_u16(s->indices + k, first, merged->indices[k], all);
  }
}

/* Sorts what stage_ranks() has staged. */
IW_FN void FN(sort_staged)(iw_block *block, block_sort_segment *s)
{
  IW_VAR(FN(items), merged);
  unsigned steps = 0;
  while (s->items >> steps) steps++;
  IW_PHASE(warp) { FN(sort_items)(s, warp); }
  for (unsigned level = 0; s->items << level < s->length; level++) {
    IW_PHASE(warp) { FN(merge)(s, warp, level, steps + level, &IW_MY(merged)); }
    IW_PHASE(warp) { FN(store_merged)(s, warp, &IW_MY(merged)); }
  }
}
