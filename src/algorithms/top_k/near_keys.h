/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template near_kernel.h, included once for each width of keys: T is u8, u16, u32 or u64. Narrow
 * keys come in u32 lanes.
 */
#define FN(name) IW_JOIN(IW_JOIN(top_k, name), T)
#define KEY_LANES IW_PASTE(IW_LANES_FOR_, T)
#define KEYS IW_PASTE(iw_, KEY_LANES)
#define KEY IW_PASTE(iws_, KEY_LANES)
#define FLOAT IW_PASTE(TOP_K_FLOAT_, T)

#ifndef IW_TOP_K_NEAR_KEYS_H
#define IW_TOP_K_NEAR_KEYS_H
#define TOP_K_FLOAT_u8 f32
#define TOP_K_FLOAT_u16 f32
#define TOP_K_FLOAT_u32 f32
#define TOP_K_FLOAT_u64 f64
#endif

IW_FN KEYS FN(near_rank)(const iw_total_order *order, KEYS bits)
{
  return IW_JOIN(iw_total_rank, KEY_LANES)(order, bits);
}

/* The item of a key: its rank, and behind one of 4 bytes the index. */
IW_FN iw_u64 FN(near_item)(KEYS rank, iw_u64 index)
{
  return sizeof(KEY) == 8 ? iw_to_u64(rank) : iw_or(iw_shl(iw_to_u64(rank), iw_splat((uint64_t)32)), index);
}

/* The rank of the item that a sort of `count` items moves to place `at`, which are in any order. */
IW_FN uint64_t FN(near_rank_at)(top_k_list items, uint64_t count, uint64_t at)
{
  top_k_keep_least(items, count, at + 1, 1);
  return sizeof(KEY) == 8 ? iw_get_u64(items.at + at) : iw_get_u64(items.at + at) >> 32;
}

/* Sets the bounds of a chunk: keys of the row's sorted sample, or of a short row none. */
IW_FN void FN(near_sample)(const iw_top_k_near_args *args, const SCALAR *keys, top_k_near_chunk *chunk)
{
  const uint64_t count = args->bounds ? (uint64_t)1 << args->log2_sample : 0;
  const top_k_list items = { chunk->items.at, chunk->items.other, 0, 0 };
  const iw_total_order order = args->order; /* which no store can change */
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE); /* as samples are no fewer than 2^8 keys */
  for (uint64_t at = 0; at < count; at += IW_WARP_SIZE) {
    const iw_u64 index = top_k_places(args->columns, args->log2_sample, iw_iota_u64(at));
    iw_store(items.at + at, FN(near_item)(FN(near_rank)(&order, OF_T(iw_gather_far)(keys, index, all)), index), all);
  }
  const int has_upper = args->hi_at < count;
  top_k_near_set_bound(&args->order, has_upper ? FN(near_rank_at)(items, count, args->hi_at) : (KEY)~(KEY)0, chunk);
  chunk->lower = args->bounds == 2 ? FN(near_rank_at)(items, has_upper ? args->hi_at + 1 : count, args->lo_at) : 0;
}

/* The lanes of a vector that have no candidates if there is no lower bound: floats of 4 and 8 bytes are
 * compared as such, by one instruction for each register, and a NaN is taken for a candidate. */
IW_FN iw_pred FN(far_lanes)(const iw_total_order *order, const SCALAR *keys, const top_k_near_chunk *chunk)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  if (sizeof(SCALAR) >= 4 && order->infinity) {
    const IW_PASTE(iw_, FLOAT) x = iw_load((const IW_PASTE(iws_, FLOAT) *)(const void *)keys, all);
    const IW_PASTE(iw_, FLOAT) bound = iw_splat(IW_PASTE(iws_from_raw_, FLOAT)((KEY)chunk->float_bits));
    return chunk->is_descending ? iw_lt(x, bound) : iw_gt(x, bound);
  }
  return iw_gt(FN(near_rank)(order, OF_T(iw_load)(keys, all)), iw_splat((KEY)chunk->bound));
}

/* Appends keys of these ranks and indices, packed. */
IW_FN void FN(near_append_packed)(KEYS rank, iw_u32 index, iw_pred near, top_k_near_chunk *chunk)
{
  if (sizeof(KEY) == 8) iw_compact(chunk->items.index + chunk->count, index, near);
  chunk->count += iw_compact(chunk->items.at + chunk->count, FN(near_item)(rank, iw_to_u64(index)), near);
}

/* Lists the keys among the TOP_K_NEAR_RUN ones from `at` on that have to be looked at, and returns how many
 * there are. rarely: most steps have none. */
IW_FN unsigned FN(near_list)(const iw_total_order *order, const SCALAR *keys, uint64_t at, int rarely, const top_k_near_chunk *chunk,
                             uint32_t *list)
{
  unsigned listed = 0;
  for (uint64_t end = at + TOP_K_NEAR_RUN; at < end; at += TOP_K_NEAR_STEP) {
    iw_pred far[TOP_K_NEAR_VECTORS], all_far = iw_lanes_below(IW_WARP_SIZE);
    IW_UNROLL for (int v = 0; v < TOP_K_NEAR_VECTORS; v++) {
      far[v] = FN(far_lanes)(order, keys + at + v * IW_WARP_SIZE, chunk);
      all_far = iw_and_pred(all_far, far[v]);
    }
    if (rarely && iw_all(all_far)) continue;
    IW_UNROLL for (int v = 0; v < TOP_K_NEAR_VECTORS; v += TOP_K_NEAR_MASKED) {
      iw_mask near = 0;
      IW_UNROLL for (int k = 0; k < TOP_K_NEAR_MASKED; k++)
        near |= iw_ballot(iw_not_pred(far[v + k])) << k * IW_WARP_SIZE;
      listed += top_k_list_bits(list + listed, (uint32_t)(at + (uint64_t)v * IW_WARP_SIZE), near);
    }
  }
  return listed;
}

/* Appends the candidates among listed keys, which have the width of lanes, one by one: by lanes this takes
 * longer, as gathered keys wait for all stores of them. */
IW_FN void FN(near_append_each)(const iw_total_order *order, const SCALAR *keys, const uint32_t *list, unsigned listed, top_k_near_chunk *chunk)
{
  const uint64_t bound = chunk->bound;
  uint64_t count = chunk->count;
  for (unsigned k = 0; k < listed; k++) {
    const uint64_t rank = iw_total_rank_of_one(order, IW_JOIN(iw_get, KEY_LANES)((const KEY *)(const void *)keys + list[k]));
    iw_set_u64(chunk->items.at + count, sizeof(KEY) == 8 ? rank : rank << 32 | list[k]);
    if (sizeof(KEY) == 8) iw_set_u32(chunk->items.index + count, list[k]);
    count += rank <= bound;
  }
  chunk->count = count;
}

/* Appends the candidates among listed keys, as many at a time as a warp has lanes. If there is no room, drops
 * items first, and looks at what is left by the lower bound. */
IW_FN void FN(near_append_listed)(const iw_top_k_near_args *args, const iw_total_order *order, const SCALAR *keys, const uint32_t *list,
                                  unsigned listed, top_k_near_chunk *chunk)
{
  for (unsigned k = 0; k < listed; k += IW_WARP_SIZE) {
    if (chunk->count + IW_WARP_SIZE > args->capacity) top_k_near_drop(args, chunk);
    if (chunk->closed) return;
    if (sizeof(SCALAR) >= 4) {
      FN(near_append_each)(order, keys, list + k, listed - k < IW_WARP_SIZE ? listed - k : IW_WARP_SIZE, chunk);
      continue;
    }
    const iw_pred some = iw_lanes_below((int64_t)(listed - k));
    const iw_u32 index = iw_load(list + k, some);
    const KEYS rank = FN(near_rank)(order, OF_T(iw_gather_far)(keys, iw_to_u64(index), some));
    FN(near_append_packed)(rank, index, iw_and_pred(some, iw_le(rank, iw_splat((KEY)chunk->bound))), chunk);
  }
}

/* Looks at the keys from `at` on, of which there are `valid`, and which have no lower bound. Returns whether
 * there was room for candidates among them. */
IW_FN int FN(near_step)(const iw_top_k_near_args *args, const iw_total_order *order, const SCALAR *keys, uint64_t at, int64_t valid,
                        top_k_near_chunk *chunk)
{
  if (chunk->count + TOP_K_NEAR_STEP > args->capacity) return 0;
  for (int v = 0; v < TOP_K_NEAR_VECTORS && v * IW_WARP_SIZE < valid; v++) {
    const uint64_t begin = at + (uint64_t)v * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_below(valid - v * IW_WARP_SIZE);
    const KEYS rank = FN(near_rank)(order, OF_T(iw_load)(keys + begin, some));
    FN(near_append_packed)(rank, iw_iota_u32((uint32_t)begin), iw_and_pred(some, iw_le(rank, iw_splat((KEY)chunk->bound))), chunk);
  }
  return 1;
}

/* The same for keys of a short row, all of which are items, and for keys between two bounds, of which it
 * counts those up to the lower one and those that equal the upper one: however few values a row has, few keys
 * are between. */
IW_FN int FN(near_between)(const iw_top_k_near_args *args, const iw_total_order *order, const SCALAR *keys, uint64_t at, int64_t valid,
                           top_k_near_chunk *chunk)
{
  const KEYS lower = iw_splat((KEY)chunk->lower), bound = iw_splat((KEY)chunk->bound);
  for (int v = 0; v < TOP_K_NEAR_VECTORS && v * IW_WARP_SIZE < valid; v++) {
    const uint64_t begin = at + (uint64_t)v * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_below(valid - v * IW_WARP_SIZE);
    const KEYS rank = FN(near_rank)(order, OF_T(iw_load)(keys + begin, some));
    iw_pred near = some;
    if (args->bounds) {
      const iw_pred not_below = iw_and_pred(some, iw_ge(rank, lower)), above = iw_and_pred(not_below, iw_gt(rank, lower));
      near = iw_and_pred(above, iw_lt(rank, bound));
      chunk->below += iw_popcount_of(some) - iw_popcount_of(not_below);
      chunk->at_lower += iw_popcount_of(not_below) - iw_popcount_of(above);
      chunk->at_bound += iw_popcount_of(iw_and_pred(above, iw_eq(rank, bound)));
    }
    if (chunk->count + IW_WARP_SIZE > args->capacity && chunk->count + iw_popcount_of(near) > args->capacity) return 0;
    FN(near_append_packed)(rank, iw_iota_u32((uint32_t)begin), near, chunk);
  }
  return 1;
}

/* Collects the candidates of a row's chunk `number`. */
IW_FN void FN(near)(const iw_top_k_near_args *args, uint64_t row, uint64_t number)
{
  const iw_total_order order = args->order; /* which no store can change */
  const SCALAR *const keys = (const SCALAR *)args->keys + row * args->columns;
  const uint64_t at_chunk = row * args->row_chunks + number, first = number * args->chunk;
  const uint64_t end = args->chunk < args->columns - first ? first + args->chunk : args->columns;
  top_k_near_chunk chunk = { top_k_list_of(args, at_chunk), 0, 0, 0, 0, 0, 0, 0, 0, 0 };
  FN(near_sample)(args, keys, &chunk);
  for (uint64_t at = first; at < end && !chunk.closed;) {
    const int64_t valid = (int64_t)(end - at);
    if (args->bounds != 1) {
      if (!FN(near_between)(args, &order, keys, at, valid, &chunk)) {
        chunk.count = UINT64_MAX;
        break;
      }
      at += TOP_K_NEAR_STEP;
    } else if (valid >= TOP_K_NEAR_RUN && args->end < args->columns / TOP_K_OFTEN_NEAR) {
      uint32_t list[TOP_K_NEAR_RUN + TOP_K_NEAR_AT_ONCE];
      const unsigned listed = FN(near_list)(&order, keys, at, args->end < args->columns / TOP_K_RARELY_NEAR, &chunk, list);
      FN(near_append_listed)(args, &order, keys, list, listed, &chunk);
      at += TOP_K_NEAR_RUN;
    } else if (FN(near_step)(args, &order, keys, at, valid, &chunk))
      at += TOP_K_NEAR_STEP;
    else top_k_near_drop(args, &chunk); /* and these keys once more, by the lower bound */
  }
  uint64_t *const counts = args->counts + at_chunk * IW_TOP_K_NEAR_COUNTS;
  iw_set_u64(counts + IW_NEAR_ITEMS, chunk.count);
  iw_set_u64(counts + IW_NEAR_BELOW, chunk.below);
  iw_set_u64(counts + IW_NEAR_AT_LO, chunk.at_lower);
  iw_set_u64(counts + IW_NEAR_AT_HI, chunk.at_bound);
  iw_set_u64(counts + IW_NEAR_LO, chunk.lower);
  iw_set_u64(counts + IW_NEAR_HI, chunk.bound);
}

/* The index of key `place` of those of a row's chunk `number` that have this rank. */
IW_FN uint64_t FN(near_equal)(const iw_top_k_near_args *args, uint64_t row, uint64_t number, uint64_t rank, uint64_t place)
{
  const SCALAR *const keys = (const SCALAR *)args->keys + row * args->columns;
  for (uint64_t at = number * args->chunk; at < args->columns; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(args->columns - at));
    const KEYS here = FN(near_rank)(&args->order, OF_T(iw_load)(keys + at, some));
    iw_mask equal = iw_ballot(iw_and_pred(some, iw_eq(here, iw_splat((KEY)rank))));
    const uint64_t count = iw_popcount(equal);
    if (place < count) {
      for (; place; place--) equal &= equal - 1;
      return at + iw_lowest(equal);
    }
    place -= count;
  }
  return 0; /* there are not so many */
}

/* Writes the keys of a row's items of these indices to the places from `to` on. NaNs are read, as their bits
 * are not in their ranks. */
IW_FN void FN(near_take)(const iw_top_k_near_args *args, uint64_t row, iw_u64 item, iw_u64 index, uint64_t to, iw_pred some, void *values)
{
  const KEYS rank = IW_JOIN(iw_to, KEY_LANES)(sizeof(KEY) == 8 ? item : iw_shr(item, iw_splat((uint64_t)32)));
  KEYS bits = IW_JOIN(iw_total_bits, KEY_LANES)(&args->order, rank);
  const iw_pred is_nan = args->order.infinity ? iw_and_pred(some, iw_eq(rank, iw_splat((KEY)args->order.nan))) : iw_lanes_below(0);
  if (iw_any(is_nan))
    bits = iw_select(is_nan, OF_T(iw_gather_far)((const SCALAR *)args->keys + row * args->columns, index, is_nan), bits);
  OF_T(iw_store)((SCALAR *)values + to, bits, some);
}

#undef FN
#undef KEY_LANES
#undef KEYS
#undef KEY
#undef FLOAT
