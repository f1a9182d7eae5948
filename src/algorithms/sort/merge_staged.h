/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of merges for GPUs; part of merge_keys.h. Compare CUB's DeviceMerge.
 *   1. Each four lanes find where a tile begins in a; if the block has one tile, each 32.
 *   2. For one tile after the other: its elements of both arrays are staged in shared memory. Behind each
 *      array's elements stands the element that follows.
 *   3. Each lane finds by bisection where its run of the output begins there, and merges the run into a
 *      second buffer. Only in a tile at whose end an array ends a lane looks whether there are elements left:
 *      elsewhere one that follows is not taken.
 *   4. The tile is stored in order, while the elements of the next one arrive.
 */
#define OF_NONE iw_splat((IW_PASTE(iws_, KEY_LANES))0)
/* How many elements of a, at least `least` and at most `most`, are among the first `end` elements of the
 * output: a search by each 2^bits lanes, which have the same numbers and probe a place each. */
IW_FN iw_u64 FN(split)(const iw_merge_args *args, iw_u64 end, iw_u64 least, iw_u64 most, unsigned bits)
{
  const uint32_t probes = (uint32_t)1 << bits;
  const iw_u32 own = iw_and(iw_lane(), iw_splat(probes - 1)), first = iw_sub(iw_lane(), own);
  const uint32_t all = bits < 5 ? ((uint32_t)1 << probes) - 1 : UINT32_MAX;
  for (iw_pred some; some = iw_lt(least, most), iw_any(some);) {
    const iw_u64 step = iw_shr(iw_add(iw_sub(most, least), iw_splat((uint64_t)probes - 1)), iw_splat((uint64_t)bits));
    const iw_u64 place = iw_add(least, iw_mul(iw_to_u64(own), step));
    some = iw_and_pred(some, iw_lt(place, most));
    const KEYS x = FN(rank)(args, OF_T(iw_gather_far)((const SCALAR *)args->a, place, some));
    const KEYS y = FN(rank)(args, OF_T(iw_gather_far)((const SCALAR *)args->b, iw_sub(iw_sub(end, iw_splat((uint64_t)1)), place), some));
    const iw_u32 of_search = iw_and(iw_shr(iw_splat((uint32_t)iw_ballot(iw_and_pred(some, iw_le(x, y)))), first), iw_splat(all));
    const iw_u64 passed = iw_to_u64(iw_popcount(of_search)), next = iw_add(least, iw_mul(passed, step));
    const iw_pred none = iw_eq(of_search, iw_splat(0u));
    most = iw_select(none, least, iw_min(next, most));
    least = iw_select(none, least, iw_add(iw_sub(next, step), iw_splat((uint64_t)1)));
  }
  return least;
}

/* Finds where the block's tiles begin in a, and where the last one ends. Of several tiles by few probes at a
 * time, as each probe of a long array reads a sector of memory that nothing else needs. Fills what is read
 * behind the tiles of arrays that are not sorted. */
IW_FN void FN(find_tiles)(iw_block *block, const iw_merge_args *args, merge_shared *shared, uint64_t begin, uint64_t end, unsigned tiles)
{
  enum { FEW = 2, ALL_LANES = 5 }; /* log2 of the lanes of a search */
  const unsigned bits = tiles > 1 ? FEW : ALL_LANES, searches = (unsigned)IW_WARP_SIZE >> bits; /* of a warp */
  IW_PHASE(warp) {
    for (unsigned t = warp * searches; t <= tiles; t += MERGE_WARPS * searches) {
      const iw_u32 tile = iw_add(iw_splat(t), iw_shr(iw_lane(), iw_splat(bits)));
      const iw_u64 to = iw_min(iw_splat(end), iw_add(iw_splat(begin), iw_mul(iw_to_u64(tile), iw_splat(args->tile))));
      const iw_u64 of_b = iw_splat(args->b_count), least = iw_sub(iw_max(to, of_b), of_b), most = iw_min(to, iw_splat(args->a_count));
      const iw_pred is_first = iw_eq(iw_and(iw_lane(), iw_splat(((uint32_t)1 << bits) - 1)), iw_splat(0u));
      iw_scatter_bits_u64(shared->begins, tile, FN(split)(args, to, least, most, bits), iw_and_pred(is_first, iw_le(tile, iw_splat(tiles))));
    }
    if (warp == MERGE_WARPS - 1)
      OF_T(iw_scatter_bits)((SCALAR *)(void *)shared->keys + args->tile + 2, iw_lane(), OF_NONE, iw_lanes_below(RUN));
  }
}

/* A tile: n elements of the output from `first` on. Those of a are staged at place 0, those of b at place
 * of_a + 1. follows_a: 1 if an element follows those of a. */
typedef struct { uint64_t first, first_a, first_b; uint32_t n, of_a, of_b, follows_a, follows_b; } FN(tile);

/* The bounds of arrays that are not sorted may descend, or be too far apart. */
IW_FN FN(tile) FN(open)(const iw_merge_args *args, const merge_shared *shared, unsigned t, uint64_t first, uint64_t end)
{
  const uint64_t a_begin = iw_get_u64(&shared->begins[t]), a_end = iw_get_u64(&shared->begins[t + 1]);
  FN(tile) s;
  s.n = end - first < args->tile ? (uint32_t)(end - first) : (uint32_t)args->tile;
  s.first = first;
  s.first_a = a_begin;
  s.first_b = first - a_begin;
  s.of_a = a_end < a_begin ? 0 : a_end - a_begin < s.n ? (uint32_t)(a_end - a_begin) : s.n;
  s.of_b = s.n - s.of_a;
  s.follows_a = s.first_a + s.of_a < args->a_count;
  s.follows_b = s.first_b + s.of_b < args->b_count;
  return s;
}
IW_FN int FN(is_whole)(const iw_merge_args *args, const FN(tile) *s) { return s->n == args->tile && s->follows_a && s->follows_b; }

/* The outputs of a lane's run, and the rows of a tile. Code for whole tiles is that for RUN outputs or rows,
 * with one exit behind those of a short tile. */
IW_FN unsigned FN(run_length)(const iw_merge_args *args) { return args->tile == TILE ? RUN : (unsigned)MERGE_SHORT_RUN; }
#define IS_END_OF_RUN(k) ((k) == MERGE_SHORT_RUN && args->tile != TILE)

/* A warp's elements of the tile are those of lane l at STRIDE * k + l from its first one on, so that all
 * addresses are one and a constant. */
#define STRIDE (MERGE_WARPS * IW_WARP_SIZE)
#define IS_BELOW(end, k) iw_lt(iw_to_i32(iw_iota_u32(warp * IW_WARP_SIZE)), iw_splat((int32_t)(end) - (int32_t)(STRIDE * (k))))
#define ALL iw_lanes_below(IW_WARP_SIZE)

/* A tile's rows of elements: row k has element STRIDE * k + l of those staged in lane l. Behind a whole
 * tile's rows is one with those that follow. */
typedef struct { const SCALAR *a, *b; uint32_t end_of_a, first_of_b, end; } FN(rows);
IW_FN FN(rows) FN(rows_of)(const iw_merge_args *args, const FN(tile) *s, unsigned warp)
{
  const uint32_t first_of_b = s->of_a + 1;
  return (FN(rows)){ (const SCALAR *)args->a + s->first_a + warp * IW_WARP_SIZE,
                     (const SCALAR *)args->b + (int64_t)(s->first_b + warp * IW_WARP_SIZE - first_of_b),
                     s->of_a + s->follows_a, first_of_b, first_of_b + s->of_b + s->follows_b };
}

/* Loads those elements of row k that exist. The addresses of the others may be outside of the arrays. */
IW_FN KEYS FN(load_some)(const FN(rows) *r, unsigned k, unsigned warp)
{
  const iw_pred of_a = IS_BELOW(r->end_of_a, k), of_b = iw_and_pred(iw_not_pred(IS_BELOW(r->first_of_b, k)), IS_BELOW(r->end, k));
  return iw_select(of_a, OF_T(iw_load)(r->a + (size_t)k * STRIDE, of_a), OF_T(iw_load)(r->b + (size_t)k * STRIDE, of_b));
}
IW_FN void FN(stage_row)(SCALAR *keys, KEYS x, iw_pred some, unsigned k, unsigned warp)
{ OF_T(iw_scatter_bits)(keys + (size_t)k * STRIDE, iw_iota_u32(warp * IW_WARP_SIZE), x, some); }

/* Loads row k of a whole tile. */
IW_FN KEYS FN(load_row)(const FN(rows) *r, unsigned k, unsigned warp)
{
  const iw_pred of_a = IS_BELOW(r->first_of_b, k);
#ifdef IW_HAS_LOAD_EITHER
  return OF_T(iw_load_either)(of_a, r->a, r->b, (size_t)k * STRIDE);
#else
  return iw_select(of_a, OF_T(iw_load)(r->a + (size_t)k * STRIDE, of_a), OF_T(iw_load)(r->b + (size_t)k * STRIDE, iw_not_pred(of_a)));
#endif
}

/* Loads a warp's rows, and behind them the elements that follow, if the tile is whole. */
IW_FN void FN(load)(const iw_merge_args *args, const FN(tile) *s, KEYS *x, unsigned warp)
{
  const FN(rows) r = FN(rows_of)(args, s, warp);
  if (FN(is_whole)(args, s)) {
    IW_UNROLL for (unsigned k = 0; k < RUN && !IS_END_OF_RUN(k); k++) x[k] = FN(load_row)(&r, k, warp);
    x[RUN] = warp ? OF_NONE : FN(load_some)(&r, FN(run_length)(args), warp);
  } else {
    IW_UNROLL for (unsigned k = 0; k <= RUN; k++) x[k] = OF_NONE; /* no old values are kept in registers */
  }
}

/* Stages the rows, which are loaded if the tile is whole. */
IW_FN void FN(stage)(const iw_merge_args *args, merge_shared *shared, const FN(tile) *s, const KEYS *x, unsigned warp)
{
  const FN(rows) r = FN(rows_of)(args, s, warp);
  SCALAR *const keys = (SCALAR *)(void *)shared->keys;
  if (FN(is_whole)(args, s)) {
    const unsigned last = FN(run_length)(args);
    IW_UNROLL for (unsigned k = 0; k < RUN && !IS_END_OF_RUN(k); k++) FN(stage_row)(keys, x[k], ALL, k, warp);
    if (warp == 0) FN(stage_row)(keys, x[RUN], IS_BELOW(r.end, last), last, warp);
  } else {
    IW_NO_UNROLL for (unsigned k = 0; k * STRIDE < r.end; k++)
      FN(stage_row)(keys, FN(load_some)(&r, k, warp), IS_BELOW(r.end, k), k, warp);
  }
}

/* kind: 0 integers, 1 floats, 2 either. */
IW_FN KEYS FN(rank_of)(const iw_merge_args *args, KEYS bits, int kind)
{
  const KEYS mask = iw_splat((IW_PASTE(iws_, KEY_LANES))args->mask), flip = iw_splat((IW_PASTE(iws_, KEY_LANES))args->order.flip);
  if (kind == 2) return FN(rank)(args, bits);
  if (kind == 1) return IW_JOIN(iw_and, KEY_LANES)(IW_JOIN(iw_total_rank_of_floats, KEY_LANES)(&args->order, bits), mask);
  return IW_JOIN(iw_and, KEY_LANES)(IW_JOIN(iw_xor, KEY_LANES)(bits, flip), mask);
}

/* Whether the h elements of a from place i on are among the outputs up to the h elements of b in front of
 * place j; moves both places. */
IW_FN void FN(halve)(const iw_merge_args *args, const SCALAR *keys, uint32_t h, iw_u32 *i, iw_u32 *j, iw_u32 *rest, int whole, int kind)
{
  const iw_pred some = iw_le(iw_splat(h), *rest), read = whole ? ALL : some;
  const KEYS x = OF_T(iw_gather)(keys, iw_add(*i, iw_splat(h - 1)), read), y = OF_T(iw_gather)(keys, iw_sub(*j, iw_splat(h)), read);
  const iw_pred among = iw_and_pred(some, iw_le(FN(rank_of)(args, x, kind), FN(rank_of)(args, y, kind)));
  *i = iw_select(among, iw_add(*i, iw_splat(h)), *i);
  *j = iw_select(among, iw_sub(*j, iw_splat(h)), *j);
  *rest = iw_select(among, iw_sub(*rest, iw_splat(h)), *rest);
}

/* Where lanes begin that merge the tile from its output `end` on: the place i in a and j in b. Bisects by
 * powers of two, the largest first. */
IW_FN void FN(split_staged)(const iw_merge_args *args, const SCALAR *keys, const FN(tile) *s, iw_u32 end, iw_u32 *i, iw_u32 *j, int whole, int kind)
{
  enum { HALF = TILE / 2, MOST = HALF >= 4096 ? 4096 : HALF >= 2048 ? 2048 : HALF >= 1024 ? 1024 : HALF >= 512 ? 512 : 256 };
  static_assert(2 * MOST > HALF, "the first step is the largest");
  const iw_u32 of_a = iw_splat(s->of_a), of_b = iw_splat(s->of_b);
  const uint32_t most = s->of_a < s->of_b ? s->of_a : s->of_b;
  *i = iw_sub(iw_max(end, of_b), of_b);
  *j = iw_sub(iw_add(end, iw_splat(s->of_a + 1)), *i);
  iw_u32 rest = iw_sub(iw_min(end, of_a), *i);
  if (whole) { IW_UNROLL for (uint32_t h = MOST; h; h /= 2) { if (h <= most) FN(halve)(args, keys, h, i, j, &rest, whole, kind); } }
  else IW_NO_UNROLL for (uint32_t h = MOST; h; h /= 2) { if (h <= most) FN(halve)(args, keys, h, i, j, &rest, whole, kind); }
}

/* The state of lanes that merge: the places and keys that are next, and which outputs were of a. */
typedef struct { iw_u32 begin, i, j, taken; KEYS x, y; } FN(state);

/* Output k of each lane's run. `last`: none follows. */
IW_FN void FN(step)(const iw_merge_args *args, merge_shared *shared, const FN(tile) *s, FN(state) *at, unsigned k, int whole, int kind)
{
  const SCALAR *const keys = (const SCALAR *)(const void *)shared->keys;
  SCALAR *const merged = (SCALAR *)(void *)shared->merged;
  const iw_u32 of_a = iw_splat(s->of_a), n = iw_splat(s->n), end = iw_splat(s->n + 1);
  iw_pred from_a = iw_le(FN(rank_of)(args, at->x, kind), FN(rank_of)(args, at->y, kind));
  if (!whole) from_a = iw_and_pred(iw_lt(at->i, of_a), iw_or_pred(iw_ge(at->j, end), from_a));
  OF_T(iw_scatter_bits)(merged + k, at->begin, iw_select(from_a, at->x, at->y), whole ? ALL : iw_lt(iw_add(at->begin, iw_splat(k)), n));
  at->taken = iw_select(from_a, iw_add(at->taken, iw_splat(1u << k)), at->taken);
  if (k + 1 == RUN) return;
  const iw_u32 next = iw_add(iw_select(from_a, at->i, at->j), iw_splat(1u));
  const KEYS key = OF_T(iw_gather)(keys, next, whole ? ALL : iw_lt(next, iw_select(from_a, of_a, end)));
  at->i = iw_select(from_a, next, at->i);
  at->j = iw_select(from_a, at->j, next);
  at->x = iw_select(from_a, key, at->x);
  at->y = iw_select(from_a, at->y, key);
}

/* Merges each lane's run, and notes where it begins in a and which of its outputs are of a. */
IW_FN void FN(run)(const iw_merge_args *args, merge_shared *shared, const FN(tile) *s, unsigned warp, int whole, int kind)
{
  const SCALAR *const keys = (const SCALAR *)(const void *)shared->keys;
  FN(state) at;
  const unsigned length = FN(run_length)(args);
  at.begin = iw_mul(iw_iota_u32(warp * IW_WARP_SIZE), iw_splat(length));
  at.taken = iw_splat(0u);
  const iw_u32 to = whole ? at.begin : iw_min(at.begin, iw_splat(s->n));
  FN(split_staged)(args, keys, s, to, &at.i, &at.j, whole, kind);
  iw_scatter_bits_u16(shared->starts + warp * IW_WARP_SIZE, iw_lane(), at.i, ALL);
  at.x = OF_T(iw_gather)(keys, at.i, whole ? ALL : iw_lt(at.i, iw_splat(s->of_a)));
  at.y = OF_T(iw_gather)(keys, at.j, whole ? ALL : iw_lt(at.j, iw_splat(s->n + 1)));
  if (whole)
    IW_UNROLL for (unsigned k = 0; k < RUN && !IS_END_OF_RUN(k); k++) FN(step)(args, shared, s, &at, k, whole, kind);
  else /* the tile may end before the run of the warp's first lane does */
    IW_NO_UNROLL for (unsigned k = 0; k < length && warp * IW_WARP_SIZE * length + k < s->n; k++) FN(step)(args, shared, s, &at, k, whole, kind);
  iw_scatter_bits_u32(shared->taken + warp * IW_WARP_SIZE, iw_lane(), at.taken, ALL);
}

IW_FN void FN(run_any)(const iw_merge_args *args, merge_shared *shared, const FN(tile) *s, unsigned warp)
{
  if (!FN(is_whole)(args, s)) FN(run)(args, shared, s, warp, 0, 2);
  else if (sizeof(SCALAR) > 1 && args->order.infinity) FN(run)(args, shared, s, warp, 1, 1);
  else FN(run)(args, shared, s, warp, 1, 0);
}

/* Stores where the elements were, by the notes of the runs. */
IW_FN void FN(store_indices)(const iw_merge_args *args, const merge_shared *shared, const FN(tile) *s, unsigned warp)
{
  const uint64_t first = s->first + warp * IW_WARP_SIZE;
  const iw_u64 first_of_a = iw_splat(s->first_a), first_of_b = iw_splat(args->a_count + s->first_b);
  const unsigned length = FN(run_length)(args);
  IW_NO_UNROLL for (unsigned k = 0; k * STRIDE < s->n; k++) {
    const iw_pred some = IS_BELOW(s->n, k);
    const iw_u32 output = iw_iota_u32(warp * IW_WARP_SIZE + k * STRIDE);
    const iw_u32 run = length == RUN ? iw_div(output, iw_splat(RUN)) : iw_div(output, iw_splat((unsigned)MERGE_SHORT_RUN)); /* by constants */
    const iw_u32 taken = iw_gather_u32(shared->taken, run, some), bit = iw_sub(output, iw_mul(run, iw_splat(length)));
    const iw_u32 before = iw_add(iw_gather_u16(shared->starts, run, some),
                                 iw_popcount_u32(iw_and(taken, iw_sub(iw_shl(iw_splat(1u), bit), iw_splat(1u)))));
    const iw_pred from_a = iw_ne(iw_and(iw_shr(taken, bit), iw_splat(1u)), iw_splat(0u));
    const iw_u64 index = iw_add(iw_to_u64(iw_select(from_a, before, iw_sub(output, before))), iw_select(from_a, first_of_a, first_of_b));
    if (args->index_bytes == 4) iw_store((uint32_t *)args->indices + first + (size_t)k * STRIDE, iw_to_u32(index), some);
    else iw_store((uint64_t *)args->indices + first + (size_t)k * STRIDE, index, some);
  }
}

/* Stores the merged tile. A whole one that begins a line is stored by 16 bytes a lane. */
IW_FN void FN(store)(const iw_merge_args *args, const merge_shared *shared, const FN(tile) *s, unsigned warp)
{
  enum { LINE = 128, WORDS = IW_ROW(u32), TILE_WORDS = TILE * sizeof(SCALAR) / 4, ROWS = TILE_WORDS / WORDS };
  SCALAR *const out = (SCALAR *)args->out + s->first;
  if (s->n < TILE || TILE_WORDS % WORDS != 0 || (uintptr_t)out % LINE != 0) {
    OF_T(iw_block_store)(out, (const SCALAR *)(const void *)shared->merged, s->n, warp, MERGE_WARPS);
    return;
  }
  uint32_t *const words = (uint32_t *)(void *)out + (size_t)warp * WORDS;
  const uint32_t *const merged = (const uint32_t *)(const void *)shared->merged + (size_t)warp * WORDS;
  IW_UNROLL for (unsigned k = 0; k < ROWS; k += MERGE_WARPS)
    if (k + MERGE_WARPS <= ROWS || k + warp < ROWS) iw_row_store_u32(words + (size_t)k * WORDS, iw_row_load_shared_u32(merged + (size_t)k * WORDS), IW_FULL_ROW, 1);
}

IW_FN void FN(tiles)(iw_block *block, const iw_merge_args *args, uint64_t begin, uint64_t end, merge_shared *shared)
{
  const unsigned tiles = ((uint32_t)(end - begin) + (uint32_t)args->tile - 1) / (uint32_t)args->tile;
  IW_VAR_ARRAY(KEYS, next, RUN + 1);
  FN(find_tiles)(block, args, shared, begin, end, tiles);
  for (unsigned t = 0; t <= tiles; t++) { /* the last round stores the last tile */
    const uint64_t first = begin + t * args->tile;
    IW_PHASE(warp) {
      if (t < tiles) {
        const FN(tile) now = FN(open)(args, shared, t, first, end);
        FN(load)(args, &now, IW_MY(next), warp);
      }
      if (t > 0 && args->out) {
        const FN(tile) before = FN(open)(args, shared, t - 1, first - args->tile, end);
        FN(store)(args, shared, &before, warp);
      }
      if (t < tiles) {
        const FN(tile) now = FN(open)(args, shared, t, first, end);
        FN(stage)(args, shared, &now, IW_MY(next), warp);
      }
      if (t > 0 && args->indices) {
        const FN(tile) before = FN(open)(args, shared, t - 1, first - args->tile, end);
        FN(store_indices)(args, shared, &before, warp);
      }
    }
    if (t < tiles) IW_PHASE(warp) {
      const FN(tile) now = FN(open)(args, shared, t, first, end);
      FN(run_any)(args, shared, &now, warp);
    }
  }
}
#undef STRIDE
#undef IS_BELOW
#undef ALL
#undef IS_END_OF_RUN
#undef OF_NONE
