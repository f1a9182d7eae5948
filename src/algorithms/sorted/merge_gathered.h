/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of merges for CPUs; part of merge_keys.h. Each lane finds by bisection where its run of the
 * output begins in both arrays, and merges the run element by element.
 */
/* How many elements of a are among the first `end` elements of the output. */
IW_FN iw_u64 FN(split)(const iw_merge_args *args, iw_u64 end)
{
  const iw_u64 a_count = iw_splat(args->a_count), b_count = iw_splat(args->b_count), one = iw_splat((uint64_t)1);
  iw_u64 least = iw_select(iw_gt(end, b_count), iw_sub(end, b_count), iw_splat((uint64_t)0)), most = iw_min(end, a_count);
  for (;;) {
    const iw_pred open = iw_lt(least, most);
    if (!iw_any(open)) return least;
    const iw_u64 middle = iw_shr(iw_add(least, most), one);
    const iw_pred among = FN(is_among)(args, middle, end, open);
    least = iw_select(among, iw_add(middle, one), least);
    most = iw_select(iw_and_pred(open, iw_not_pred(among)), middle, most);
  }
}

/* Merges a run for each lane, from output `first` on. */
IW_FN void FN(run)(const iw_merge_args *args, uint64_t first)
{
  const iw_u64 a_count = iw_splat(args->a_count), b_count = iw_splat(args->b_count), total = iw_add(a_count, b_count);
  const iw_u64 zero = iw_splat((uint64_t)0), one = iw_splat((uint64_t)1);
  const SCALAR *const a = (const SCALAR *)args->a, *const b = (const SCALAR *)args->b;
  iw_u64 to = iw_min(iw_add(iw_mul(iw_to_u64(iw_lane()), iw_splat((uint64_t)RUN)), iw_splat(first)), total);
  iw_u64 i = FN(split)(args, to), j = iw_sub(to, i);
  KEYS x = OF_T(iw_gather_far)(a, i, iw_lt(i, a_count)), y = OF_T(iw_gather_far)(b, j, iw_lt(j, b_count));
  for (unsigned k = 0; k < RUN; k++, to = iw_add(to, one)) {
    const iw_pred some = iw_lt(to, total), some_of_b = iw_lt(j, b_count);
    const iw_pred first_is_a = iw_or_pred(iw_not_pred(some_of_b), iw_le(FN(rank)(args, x), FN(rank)(args, y)));
    const iw_pred from_a = iw_and_pred(some, iw_and_pred(iw_lt(i, a_count), first_is_a));
    const iw_pred from_b = iw_and_pred(some, iw_not_pred(from_a));
    if (args->out) OF_T(iw_scatter_far)((SCALAR *)args->out, to, iw_select(from_a, x, y), some);
    const iw_u64 index = iw_select(from_a, i, iw_add(a_count, j));
    if (args->indices && args->index_bytes == 4) iw_scatter_far((uint32_t *)args->indices, to, iw_to_u32(index), some);
    else if (args->indices) iw_scatter_far((uint64_t *)args->indices, to, index, some);
    i = iw_add(i, iw_select(from_a, one, zero));
    j = iw_add(j, iw_select(from_b, one, zero));
    x = iw_select(from_a, OF_T(iw_gather_far)(a, i, iw_and_pred(from_a, iw_lt(i, a_count))), x);
    y = iw_select(from_b, OF_T(iw_gather_far)(b, j, iw_and_pred(from_b, iw_lt(j, b_count))), y);
  }
}

IW_FN void FN(tiles)(iw_block *block, const iw_merge_args *args, merge_shared *shared)
{
  const uint64_t first = (uint64_t)block->index * args->block_tiles * TILE, total = args->a_count + args->b_count;
  (void)shared;
  IW_PHASE(warp) {
    for (uint64_t t = 0; t < args->block_tiles && first + t * TILE < total; t++) FN(run)(args, first + t * TILE);
  }
}
