/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template block_sort_kernel.h, for GPUs: how a block sorts keys of 8 bytes that are in order by
 * their upper bits, of which few keys in a row have equal ones. Each lane counts the keys of its key's run
 * that are on the wrong side of it. So keys of equal ranks stay in order.
 */

/* The lanes of `some` for which the tile has a key at `index` whose upper bits are those of `rank`; *other:
 * the rank of that key. */
IW_FN iw_pred tile_sort_neighbours(const iw_block_sort_args *args, const block_sort_segment *s, iw_u32 index, iw_u64 rank, iw_pred some,
                                   iw_u64 *other)
{
  some = iw_and_pred(some, iw_lt(index, iw_splat(s->length))); /* -1 is far beyond */
  *other = iw_gather_u64((const uint64_t *)s->staged, index, some);
  return iw_and_pred(some, iw_eq(iw_and(iw_xor(*other, rank), iw_splat(args->upper)), iw_splat((uint64_t)0)));
}

/* Moves the places of lanes by one for each key of their runs on one side that belongs on the other one; keys
 * of that side are `step` apart. Returns the lanes whose runs are too long. */
IW_FN iw_pred tile_sort_count_side(const iw_block_sort_args *args, const block_sort_segment *s, iw_u32 index, iw_u64 rank, iw_pred some,
                                   int step, iw_u32 *place)
{
  const iw_u32 by = iw_splat((uint32_t)step);
  for (int steps = 0; iw_any(some) && steps < IW_UNSORTED_REST; steps++) {
    iw_u64 other;
    index = iw_add(index, by);
    some = tile_sort_neighbours(args, s, index, rank, some, &other);
    *place = iw_select(iw_and_pred(some, step < 0 ? iw_gt(other, rank) : iw_lt(other, rank)), iw_add(*place, by), *place);
  }
  return some;
}

/* Stores at each key's place its index, but for keys of runs that are too long. Returns whether there are
 * any. Indices are in order before. */
IW_FN int tile_sort_places(const iw_block *block, const iw_block_sort_args *args, const block_sort_segment *s, unsigned warp)
{
  int too_long = 0;
  for (uint32_t at = warp * IW_WARP_SIZE; at < s->length; at += block->warps * IW_WARP_SIZE) {
    const iw_pred all = iw_lanes_below((int64_t)s->length - at);
    const iw_u32 index = iw_iota_u32(at);
    const iw_u64 rank = iw_load_u64((const uint64_t *)s->staged + at, all);
    iw_u64 other;
    const iw_pred in_front = tile_sort_neighbours(args, s, iw_sub(index, iw_splat(1u)), rank, all, &other);
    const iw_pred some = iw_or_pred(in_front, tile_sort_neighbours(args, s, iw_add(index, iw_splat(1u)), rank, all, &other));
    if (!iw_any(some)) continue; /* most rows */
    iw_u32 place = index;
    const iw_pred before = tile_sort_count_side(args, s, index, rank, some, -1, &place);
    const iw_pred skipped = iw_or_pred(before, tile_sort_count_side(args, s, index, rank, some, 1, &place));
    iw_scatter_u16(s->indices, place, index, iw_and_pred(some, iw_not_pred(skipped)));
    too_long |= iw_any(skipped);
  }
  return too_long;
}
