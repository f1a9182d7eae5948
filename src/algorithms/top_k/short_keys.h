/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template short_kernel.h, included once for each width of keys: T is u8, u16, u32 or u64. Narrow
 * keys come in u32 lanes. It uses the ranks of few_keys.h.
 */
#define FN(name) IW_JOIN(IW_JOIN(top_k_short, name), T)
#define KEY_LANES IW_PASTE(IW_LANES_FOR_, T)
#define KEYS IW_PASTE(iw_, KEY_LANES)
#define KEY IW_PASTE(iws_, KEY_LANES)
#define IS_WIDE (sizeof(SCALAR) == 8) /* items do not contain their index */

/* Two items: candidates are from lo to hi. */
typedef struct FN(ends) { KEY lo, hi; uint32_t lo_index, hi_index; } FN(ends);

IW_FN KEYS FN(ranks_of)(const iw_top_k_few_args *args, KEYS bits) { return IW_JOIN(top_k_ranks_of, T)(args, bits); }

/* Loads a warp's rows of the sample. */
IW_FN void FN(sample)(const iw_top_k_few_args *args, top_k_short_shared *shared, unsigned warp)
{
  const uint32_t sample = 1u << args->log2_sample;
  KEYS bits[TOP_K_SHORT_SAMPLE_ROWS];
  iw_u32 index[TOP_K_SHORT_SAMPLE_ROWS];
  IW_UNROLL for (uint32_t k = 0; k < TOP_K_SHORT_SAMPLE_ROWS; k++) {
    const uint32_t at = (k * IW_TOP_K_RANK_WARPS + warp) * IW_WARP_SIZE;
    const iw_u64 from = top_k_places(args->columns, args->log2_sample, iw_iota_u64(at));
    index[k] = iw_to_u32(from);
    bits[k] = OF_T(iw_gather_far)((const SCALAR *)args->keys, from, iw_lanes_below((int64_t)sample - at));
  }
  IW_UNROLL for (uint32_t k = 0; k < TOP_K_SHORT_SAMPLE_ROWS; k++) {
    const uint32_t at = (k * IW_TOP_K_RANK_WARPS + warp) * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_below((int64_t)sample - at);
    iw_store(shared->sample.items[0] + at, IW_JOIN(top_k_item, KEY_LANES)(FN(ranks_of)(args, bits[k]), index[k]), some);
    iw_store_u16(shared->sample.ordinals[0] + at, iw_iota_u32(at), some);
  }
}

IW_FN FN(ends) FN(ends_of_sample)(const iw_top_k_few_args *args, const top_k_short_shared *shared)
{
  FN(ends) e = { 0, IW_JOIN(top_k_rank_of_item, KEY_LANES)(iw_get_u64(&shared->splitters[args->buckets])), 0,
                 iw_get_u32(&shared->splitter_indices[args->buckets]) };
  if (args->bounds == 2) {
    e.lo = IW_JOIN(top_k_rank_of_item, KEY_LANES)(iw_get_u64(&shared->splitters[0]));
    e.lo_index = iw_get_u32(&shared->splitter_indices[0]);
  }
  return e;
}

/* The lanes whose item comes before (rank, end). */
IW_FN iw_pred FN(is_before)(KEYS ranks, iw_u32 indices, KEY rank, uint32_t end)
{
  return iw_or_pred(iw_lt(ranks, iw_splat(rank)), iw_and_pred(iw_eq(ranks, iw_splat(rank)), iw_lt(indices, iw_splat(end))));
}

/* Lists the indices of the candidates among the keys first … last - 1, in any order, and returns how many
 * keys of the warp come before them. */
IW_FN uint32_t FN(list)(iw_block *block, const iw_top_k_few_args *args, uint32_t *list, uint32_t *listed, FN(ends) ends,
                        uint64_t first, uint64_t last, unsigned warp)
{
  enum { AT_ONCE = IW_TOP_K_RANK_WARPS * IW_WARP_SIZE };
  uint32_t below = 0;
  (void)block;
  for (uint64_t tile = first; tile < last; tile += TOP_K_SHORT_ROWS * AT_ONCE) {
    KEYS bits[TOP_K_SHORT_ROWS];
    iw_pred some[TOP_K_SHORT_ROWS];
    IW_UNROLL for (uint32_t k = 0; k < TOP_K_SHORT_ROWS; k++) {
      const uint64_t at = tile + k * AT_ONCE + warp * IW_WARP_SIZE;
      some[k] = iw_lanes_below((int64_t)(last - at));
      bits[k] = OF_T(iw_load)((const SCALAR *)args->keys + at, some[k]);
    }
    IW_UNROLL for (uint32_t k = 0; k < TOP_K_SHORT_ROWS; k++) {
      const KEYS ranks = FN(ranks_of)(args, bits[k]);
      const iw_u32 indices = iw_iota_u32((uint32_t)(tile + k * AT_ONCE + warp * IW_WARP_SIZE));
      const iw_pred is_below = FN(is_before)(ranks, indices, ends.lo, ends.lo_index);
      const iw_pred up_to_hi = FN(is_before)(ranks, indices, ends.hi, ends.hi_index + 1);
      const iw_pred chosen = iw_and_pred(some[k], iw_and_pred(up_to_hi, iw_not_pred(is_below)));
      const uint32_t count = iw_popcount_of(chosen);
      below += iw_popcount_of(iw_and_pred(some[k], is_below));
      if (!count) continue;
      const uint32_t to = iw_at(iw_shared_add(listed, iw_splat(0u), iw_splat(count), iw_lanes_below(1)), 0);
      iw_scatter(list + to, iw_rank(chosen), indices, chosen);
    }
  }
  return below;
}

/* Candidates of a list. */
typedef struct FN(listed) { iw_u64 item; iw_u32 index, bucket; } FN(listed);

/* The bucket of an item: how many splitters behind the first one do not come after it. */
IW_FN FN(listed) FN(listed_at)(const iw_top_k_few_args *args, const top_k_short_shared *shared, uint32_t at, iw_pred some)
{
  FN(listed) l = { .index = iw_load(shared->list + at, some), .bucket = iw_splat(0u) };
  l.item = IW_JOIN(top_k_item, KEY_LANES)(FN(ranks_of)(args, OF_T(iw_gather)((const SCALAR *)args->keys, l.index, some)), l.index);
  IW_UNROLL for (uint32_t step = IW_TOP_K_MOST_BUCKETS / 2; step; step /= 2) {
    const iw_u32 next = iw_add(l.bucket, iw_splat(step));
    const iw_pred may = iw_and_pred(some, iw_lt(next, iw_splat((uint32_t)args->buckets)));
    const iw_u64 splitter = iw_gather(shared->splitters, next, may);
    iw_pred not_after = iw_le(splitter, l.item);
    if (IS_WIDE) {
      const iw_pred later = iw_gt(iw_gather(shared->splitter_indices, next, may), l.index);
      not_after = iw_and_pred(not_after, iw_not_pred(iw_and_pred(iw_eq(splitter, l.item), later)));
    }
    l.bucket = iw_select(iw_and_pred(may, not_after), next, l.bucket);
  }
  return l;
}

IW_FN void FN(count)(iw_block *block, const iw_top_k_few_args *args, top_k_short_shared *shared, uint32_t listed, unsigned warp)
{
  (void)block;
  for (uint32_t at = warp * IW_WARP_SIZE; at < listed; at += IW_TOP_K_RANK_WARPS * IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(listed - at));
    (void)iw_shared_add(shared->counts, FN(listed_at)(args, shared, at, some).bucket, iw_splat(1u), some);
  }
}

/* Moves listed candidates to their buckets. A bucket without room keeps its count. */
IW_FN void FN(move)(iw_block *block, const iw_top_k_few_args *args, top_k_short_shared *shared, uint32_t listed, unsigned warp)
{
  (void)block;
  for (uint32_t at = warp * IW_WARP_SIZE; at < listed; at += IW_TOP_K_RANK_WARPS * IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(listed - at));
    const FN(listed) l = FN(listed_at)(args, shared, at, some);
    const iw_u32 place = iw_shared_add(shared->begins, l.bucket, iw_splat(1u), some), capacity = iw_splat((uint32_t)args->capacity);
    const iw_pred room = iw_and_pred(some, iw_lt(place, capacity));
    const iw_u32 to = iw_add(iw_mul(l.bucket, capacity), place);
    iw_scatter(args->candidates, to, l.item, room);
    if (IS_WIDE) iw_scatter(args->indices, to, l.index, room);
  }
}

/* ---- Without a sample -------------------------------------------------------------------------------- */

/* How many items of the array come before (rank, end). */
IW_FN uint32_t FN(count_before)(iw_block *block, const iw_top_k_few_args *args, top_k_short_shared *shared, KEY rank, uint32_t end)
{
  IW_PHASE(warp) { if (warp == 0) iw_set_u32(&shared->listed[0], 0); }
  IW_PHASE(warp) {
    uint32_t count = 0;
    for (uint64_t at = warp * IW_WARP_SIZE; at < args->columns; at += IW_TOP_K_RANK_WARPS * IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(args->columns - at));
      const KEYS ranks = FN(ranks_of)(args, OF_T(iw_load)((const SCALAR *)args->keys + at, some));
      count += iw_popcount_of(iw_and_pred(some, FN(is_before)(ranks, iw_iota_u32((uint32_t)at), rank, end)));
    }
    (void)iw_shared_add(&shared->listed[0], iw_splat(0u), iw_splat(count), iw_lanes_below(1));
  }
  return iw_block_get(&shared->listed[0]);
}

/* Finds the item at a place of the sorted array: of each bit, whether so many items come before what it
 * begins. */
IW_NOINLINE_FN void FN(find)(iw_block *block, const iw_top_k_few_args *args, top_k_short_shared *shared, uint64_t place, KEY *rank, uint32_t *index)
{
  *rank = 0;
  *index = 0;
  for (KEY bit = (KEY)1 << (8 * sizeof(SCALAR) - 1); bit; bit >>= 1)
    if (FN(count_before)(block, args, shared, *rank | bit, 0) <= place) *rank |= bit;
  for (uint32_t bit = 1u << 31; bit; bit >>= 1)
    if (bit < args->columns && FN(count_before)(block, args, shared, *rank, *index | bit) <= place) *index |= bit;
}

/* One block: the wanted items alone become the candidates, in one bucket. */
IW_FN void FN(find_wanted)(iw_block *block, const iw_top_k_few_args *args, top_k_short_shared *shared)
{
  FN(ends) ends = { 0, 0, 0, 0 };
  if (args->first > 0) FN(find)(block, args, shared, args->first, &ends.lo, &ends.lo_index);
  FN(find)(block, args, shared, args->end - 1, &ends.hi, &ends.hi_index);
  IW_PHASE(warp) { if (warp == 0) iw_set_u32(&shared->listed[0], 0); }
  IW_PHASE(warp) { FN(list)(block, args, args->wanted, &shared->listed[0], ends, 0, args->columns, warp); }
  IW_PHASE(warp) {
    const uint64_t wanted = args->end - args->first;
    for (uint64_t at = warp * IW_WARP_SIZE; at < wanted; at += IW_TOP_K_RANK_WARPS * IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(wanted - at));
      const iw_u32 index = iw_load(args->wanted + at, some);
      const KEYS ranks = FN(ranks_of)(args, OF_T(iw_gather)((const SCALAR *)args->keys, index, some));
      iw_store(args->candidates + at, IW_JOIN(top_k_item, KEY_LANES)(ranks, index), some);
      if (IS_WIDE) iw_store(args->indices + at, index, some);
    }
    if (warp == 0) top_k_short_write_buckets(args, args->first, wanted);
  }
}

/* ---- A block ----------------------------------------------------------------------------------------- */

IW_FN void FN(collect)(iw_block *block, const iw_top_k_few_args *args, top_k_short_shared *shared)
{
  IW_PHASE(warp) {
    FN(sample)(args, shared, warp);
    top_k_short_clear(shared, warp);
  }
  const unsigned sorted = top_k_short_sort(block, args, shared);
  IW_PHASE(warp) { top_k_short_split(args, shared, sorted, warp); }
  unsigned turn = 0;
  for (uint64_t tile = block->index; tile < args->row_chunks; tile += block->blocks, turn ^= 1) {
    IW_PHASE(warp) {
      const uint64_t first = tile * args->chunk, last = first + args->chunk < args->columns ? first + args->chunk : args->columns;
      const uint32_t below = FN(list)(block, args, shared->list, &shared->listed[turn], FN(ends_of_sample)(args, shared), first, last, warp);
      if (below) iw_global_add_noreturn(args->counts + IW_TOP_K_MOST_BUCKETS, iw_splat(0u), iw_splat_u64(below), iw_lanes_below(1));
    }
    IW_PHASE(warp) { FN(count)(block, args, shared, iw_get_u32(&shared->listed[turn]), warp); }
    IW_PHASE(warp) {
      top_k_short_reserve(block, args, shared, warp);
      if (warp == 0) iw_set_u32(&shared->listed[turn ^ 1], 0);
    }
    IW_PHASE(warp) { FN(move)(block, args, shared, iw_get_u32(&shared->listed[turn]), warp); }
  }
  if (!iw_is_last_block(args->blocks_done)) return;
  IW_PHASE(warp) { if (warp == 0) iw_set_u32(&shared->found, (uint32_t)top_k_short_close(args)); }
  if (!iw_block_get(&shared->found)) FN(find_wanted)(block, args, shared);
}

#undef FN
#undef KEY_LANES
#undef KEYS
#undef KEY
#undef IS_WIDE
