/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of merges for GPUs; part of merge_keys.h. Compare CUB's DeviceMerge.
 *   1. Each warp finds where a tile of the block begins in a, or where the last one ends. Lanes probe 32
 *      places at a time.
 *   2. For one tile after the other: its elements of both arrays are staged in shared memory.
 *   3. Each lane finds by bisection where its run of the output begins there, and notes the source of each
 *      of its outputs.
 *   4. The tile is stored in order.
 */
/* How many elements of a are among the first `end` elements of the output. */
IW_FN uint64_t FN(split)(const iw_merge_args *args, uint64_t end)
{
  uint64_t least = end > args->b_count ? end - args->b_count : 0, most = end < args->a_count ? end : args->a_count;
  while (least < most) {
    const uint64_t step = (most - least + IW_WARP_SIZE - 1) / IW_WARP_SIZE;
    const iw_u64 place = iw_add(iw_splat(least), iw_mul(iw_to_u64(iw_lane()), iw_splat(step)));
    const uint64_t passed = iw_popcount_of(FN(is_among)(args, place, iw_splat(end), iw_lt(place, iw_splat(most))));
    if (passed == 0) return least;
    const uint64_t next = least + passed * step;
    least = next - step + 1;
    most = next < most ? next : most;
  }
  return least;
}

/* The tile, in shared memory. */
typedef struct { SCALAR *keys; uint64_t first_a, first_b; uint32_t of_a, of_b; } FN(staged);

/* Tile t of the block, n elements from output `first` on. The bounds of arrays that are not sorted may
 * descend, or be too far apart. */
IW_FN FN(staged) FN(open)(merge_shared *shared, uint64_t t, uint64_t first, uint32_t n)
{
  const uint64_t begin = iw_get_u64(&shared->begins[t]), end = iw_get_u64(&shared->begins[t + 1]);
  const uint32_t of_a = end < begin ? 0 : end - begin < n ? (uint32_t)(end - begin) : n;
  return (FN(staged)){ (SCALAR *)(void *)shared->keys, begin, first - begin, of_a, n - of_a };
}

/* A warp's elements of the tile are those of lane l at STRIDE * k + l from its first one on, so that all
 * addresses are one and a constant. */
#define STRIDE (MERGE_WARPS * IW_WARP_SIZE)
#define IS_BELOW(end, k) iw_lt(iw_iota_u32(warp * IW_WARP_SIZE), iw_splat(end > STRIDE * k ? end - STRIDE * k : 0u))

/* Stages a warp's elements. All loads are issued first. The addresses of what is not loaded may be outside
 * of the arrays. */
IW_FN void FN(stage)(const iw_merge_args *args, const FN(staged) *s, unsigned warp)
{
  const uint32_t n = s->of_a + s->of_b;
  const SCALAR *const a = (const SCALAR *)args->a + s->first_a + warp * IW_WARP_SIZE;
  const SCALAR *const b = (const SCALAR *)args->b + (int64_t)(s->first_b + warp * IW_WARP_SIZE - s->of_a);
  SCALAR *const keys = s->keys + warp * IW_WARP_SIZE;
  KEYS x[RUN];
  IW_UNROLL for (unsigned k = 0; k < RUN; k++) {
    const iw_pred of_a = IS_BELOW(s->of_a, k), of_b = iw_and_pred(iw_not_pred(of_a), IS_BELOW(n, k));
    x[k] = iw_select(of_a, OF_T(iw_load)(a + (size_t)k * STRIDE, of_a), OF_T(iw_load)(b + (size_t)k * STRIDE, of_b));
  }
  IW_UNROLL for (unsigned k = 0; k < RUN; k++) OF_T(iw_store)(keys + (size_t)k * STRIDE, x[k], IS_BELOW(n, k));
}

/* How many of the staged elements of a are among the first `end` elements of the tile. */
IW_FN iw_u32 FN(split_staged)(const iw_merge_args *args, const FN(staged) *s, iw_u32 end)
{
  const iw_u32 of_a = iw_splat(s->of_a), of_b = iw_splat(s->of_b), one = iw_splat(1u);
  iw_u32 least = iw_sub(iw_max(end, of_b), of_b), most = iw_min(end, of_a);
  for (;;) {
    const iw_pred open = iw_lt(least, most);
    if (!iw_any(open)) return least;
    const iw_u32 middle = iw_shr(iw_add(least, most), one), other = iw_sub(iw_sub(iw_add(end, of_a), one), middle);
    const iw_pred among = iw_and_pred(open, iw_le(FN(rank)(args, OF_T(iw_gather)(s->keys, middle, open)),
                                                  FN(rank)(args, OF_T(iw_gather)(s->keys, other, open))));
    least = iw_select(among, iw_add(middle, one), least);
    most = iw_select(iw_and_pred(open, iw_not_pred(among)), middle, most);
  }
}

/* Notes the sources of each lane's run. */
IW_FN void FN(run)(const iw_merge_args *args, const FN(staged) *s, uint16_t *sources, unsigned warp)
{
  const iw_u32 of_a = iw_splat(s->of_a), n = iw_splat(s->of_a + s->of_b), one = iw_splat(1u);
  const iw_u32 begin = iw_mul(iw_iota_u32(warp * IW_WARP_SIZE), iw_splat(RUN)), to = iw_min(begin, n);
  iw_u32 i = FN(split_staged)(args, s, to), j = iw_sub(iw_add(to, of_a), i), source[RUN];
  KEYS x = FN(rank)(args, OF_T(iw_gather)(s->keys, i, iw_lt(i, of_a))), y = FN(rank)(args, OF_T(iw_gather)(s->keys, j, iw_lt(j, n)));
  IW_UNROLL for (unsigned k = 0; k < RUN; k++) {
    const iw_pred from_a = iw_and_pred(iw_lt(i, of_a), iw_or_pred(iw_ge(j, n), iw_le(x, y)));
    source[k] = iw_select(from_a, i, j);
    const iw_u32 next = iw_add(source[k], one);
    const KEYS key = FN(rank)(args, OF_T(iw_gather)(s->keys, next, iw_lt(next, iw_select(from_a, of_a, n))));
    i = iw_select(from_a, next, i);
    j = iw_select(from_a, j, next);
    x = iw_select(from_a, key, x);
    y = iw_select(from_a, y, key);
  }
  IW_UNROLL for (unsigned k = 0; k < RUN; k++)
    iw_scatter_u16(sources + k, begin, source[k], iw_lt(iw_add(begin, iw_splat(k)), n));
}

/* Stores a warp's outputs in their order. */
IW_FN void FN(store)(const iw_merge_args *args, const FN(staged) *s, const uint16_t *sources, uint64_t first, unsigned warp)
{
  const uint32_t n = s->of_a + s->of_b;
  iw_u32 source[RUN];
  first += warp * IW_WARP_SIZE;
  sources += warp * IW_WARP_SIZE;
  IW_UNROLL for (unsigned k = 0; k < RUN; k++) source[k] = iw_load_u16(sources + (size_t)k * STRIDE, IS_BELOW(n, k));
  if (args->out) {
    KEYS x[RUN];
    SCALAR *const out = (SCALAR *)args->out + first;
    IW_UNROLL for (unsigned k = 0; k < RUN; k++) x[k] = OF_T(iw_gather)(s->keys, source[k], IS_BELOW(n, k));
    IW_UNROLL for (unsigned k = 0; k < RUN; k++) OF_T(iw_store)(out + (size_t)k * STRIDE, x[k], IS_BELOW(n, k));
  }
  if (!args->indices) return;
  const iw_u64 of_a = iw_splat(s->first_a), of_b = iw_splat(args->a_count + s->first_b - s->of_a);
  IW_UNROLL for (unsigned k = 0; k < RUN; k++) {
    const iw_u64 index = iw_add(iw_to_u64(source[k]), iw_select(iw_lt(source[k], iw_splat(s->of_a)), of_a, of_b));
    if (args->index_bytes == 4) iw_store((uint32_t *)args->indices + first + (size_t)k * STRIDE, iw_to_u32(index), IS_BELOW(n, k));
    else iw_store((uint64_t *)args->indices + first + (size_t)k * STRIDE, index, IS_BELOW(n, k));
  }
}
#undef STRIDE
#undef IS_BELOW

IW_FN void FN(tiles)(iw_block *block, const iw_merge_args *args, uint64_t part, merge_shared *shared)
{
  const uint64_t total = args->a_count + args->b_count, begin = part * args->block_tiles * TILE;
  IW_PHASE(warp) {
    const uint64_t first = begin + warp * (uint64_t)TILE;
    if (warp <= args->block_tiles) iw_set_u64(&shared->begins[warp], FN(split)(args, first < total ? first : total));
  }
  for (uint64_t t = 0, first = begin; t < args->block_tiles && first < total; t++, first += TILE) {
    const uint32_t n = total - first < TILE ? (uint32_t)(total - first) : (uint32_t)TILE;
    IW_PHASE(warp) {
      const FN(staged) s = FN(open)(shared, t, first, n);
      FN(stage)(args, &s, warp);
    }
    IW_PHASE(warp) {
      const FN(staged) s = FN(open)(shared, t, first, n);
      FN(run)(args, &s, shared->sources, warp);
    }
    IW_PHASE(warp) {
      const FN(staged) s = FN(open)(shared, t, first, n);
      FN(store)(args, &s, shared->sources, first, warp);
    }
  }
}
