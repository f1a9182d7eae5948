/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template count_kernel.h, included once for each width of keys: T is u8, u16, u32 or u64.
 * Narrow keys come in u32 lanes.
 */
#define FN(name) IW_JOIN(IW_JOIN(top_k, name), T)
#define KEY_LANES IW_PASTE(IW_LANES_FOR_, T)
#define KEYS IW_PASTE(iw_, KEY_LANES)
#define KEY IW_PASTE(iws_, KEY_LANES)
#define PENDING_ROW IW_PASTE(IW_PASTE(iw_row_, T), _pending)

IW_FN KEYS FN(rank)(const iw_top_k_args *args, KEYS bits)
{
  return IW_JOIN(iw_total_rank, KEY_LANES)(&args->order, bits);
}

/* The rank of key `at` of a row's sample, in all lanes. */
IW_FN KEYS FN(bound)(const iw_top_k_args *args, uint64_t row, uint64_t at)
{
  if (at == args->sample_count) return iw_splat((KEY)~(KEY)0);
  const SCALAR *const sample = (const SCALAR *)args->sample + row * args->sample_count + at;
  return iw_broadcast(FN(rank)(args, OF_T(iw_load)(sample, iw_lanes_below(1))), 0);
}

/* The bounds of a row. */
typedef struct FN(bounds) { KEYS hi, lo; } FN(bounds);

IW_FN FN(bounds) FN(bounds_of)(const iw_top_k_args *args, uint64_t row)
{
  const KEYS hi = FN(bound)(args, row, args->hi_at);
  return (FN(bounds)){ hi, args->bounds == 2 ? FN(bound)(args, row, args->lo_at) : hi };
}

/* Counts the keys at … end - 1, of which there is at least one. */
IW_FN void FN(count_chunk)(const iw_top_k_args *args, const FN(bounds) *bounds, const SCALAR *keys, uint64_t at, uint64_t end,
                           uint64_t *counts)
{
  const iw_u32 one = iw_splat(1u), none = iw_splat(0u);
  const KEYS hi = bounds->hi, lo = bounds->lo;
  iw_u32 below_hi = none, up_to_hi = none, below_lo = none, up_to_lo = none;
  for (; at < end; at += TOP_K_ROWS * IW_ROW(T)) {
    const int64_t valid = (int64_t)(end - at);
    PENDING_ROW rows[TOP_K_ROWS];
    IW_UNROLL_ROWS for (int r = 0; r < TOP_K_ROWS; r++)
      rows[r] = IW_ISSUE_KEYS(T)(keys + at + r * IW_ROW(T), valid - r * IW_ROW(T));
    IW_UNROLL_ROWS for (int r = 0; r < TOP_K_ROWS; r++) {
      const IW_PASTE(iw_row_, T) row_of_keys = OF_T(iw_row_wait)(rows[r]);
      IW_EACH_VECTOR(T, v) {
        const KEYS rank = FN(rank)(args, OF_T(iw_row_vector)(row_of_keys, v));
        const iw_pred some = OF_T(iw_row_valid)(v, valid - r * IW_ROW(T));
        below_hi = iw_add(below_hi, iw_select(iw_and_pred(some, iw_lt(rank, hi)), one, none));
        up_to_hi = iw_add(up_to_hi, iw_select(iw_and_pred(some, iw_le(rank, hi)), one, none));
        if (args->bounds == 2) {
          below_lo = iw_add(below_lo, iw_select(iw_and_pred(some, iw_lt(rank, lo)), one, none));
          up_to_lo = iw_add(up_to_lo, iw_select(iw_and_pred(some, iw_le(rank, lo)), one, none));
        }
      }
    }
  }
  counts[IW_BELOW_HI] = iw_warp_sum(below_hi);
  counts[IW_UP_TO_HI] = iw_warp_sum(up_to_hi);
  counts[IW_BELOW_LO] = iw_warp_sum(below_lo);
  counts[IW_UP_TO_LO] = iw_warp_sum(up_to_lo);
}

/* Counts the keys of a row's chunks from `number` on, a group. */
IW_FN void FN(count)(const iw_top_k_args *args, uint64_t row, uint64_t number)
{
  const SCALAR *const keys = (const SCALAR *)args->keys + row * args->columns;
  const FN(bounds) bounds = FN(bounds_of)(args, row);
  const uint64_t last = args->group < args->row_chunks - number ? number + args->group : args->row_chunks;
  for (; number < last; number++) {
    const uint64_t at = number * args->chunk, end = args->chunk < args->columns - at ? at + args->chunk : args->columns;
    uint64_t counts[4];
    FN(count_chunk)(args, &bounds, keys, at, end, counts);
    IW_UNROLL for (unsigned which = 0; which < 4; which++)
      if (which < 2 * args->bounds) iw_set_u64(&args->counts[(which * args->rows + row) * args->row_chunks + number], counts[which]);
  }
}

/* Those of the lanes in `equal` whose keys are first … end - 1 of all that equal the bound, of which
 * *before are in front of these. */
IW_FN iw_pred FN(ties)(iw_pred equal, uint64_t first, uint64_t end, uint64_t *before)
{
  const iw_u64 number = iw_add(iw_to_u64(iw_rank(equal)), iw_splat(*before));
  *before += iw_popcount_of(equal);
  return iw_and_pred(equal, iw_and_pred(iw_ge(number, iw_splat(first)), iw_lt(number, iw_splat(end))));
}

/* Writes keys of the greatest rank behind a row's candidates: each of its groups has a share of the
 * places. */
IW_FN void FN(fill)(const iw_top_k_args *args, uint64_t row, uint64_t group, uint64_t candidates)
{
  const uint64_t share = (args->capacity - candidates) / args->row_groups + 1, first = candidates + group * share;
  for (uint64_t place = first; place < first + share && place < args->capacity; place += IW_WARP_SIZE) {
    const uint64_t end = first + share < args->capacity ? first + share : args->capacity, to = row * args->capacity + place;
    const iw_pred some = iw_lanes_below((int64_t)(end - place));
    OF_T(iw_store)((SCALAR *)args->candidates + to, iw_splat((KEY)args->filler), some);
    if (args->indices && args->index_bytes == 4) iw_store((uint32_t *)args->indices + to, iw_splat(0u), some);
    else if (args->indices) iw_store((uint64_t *)args->indices + to, iw_splat((uint64_t)0), some);
  }
}

/* The vectors of the TOP_K_VECTORS at … end - 1 that have keys from lo to hi, as bits. */
IW_FN unsigned FN(vectors_between)(const iw_top_k_args *args, const FN(bounds) *bounds, const SCALAR *keys, uint64_t at, uint64_t end)
{
  const KEYS hi = bounds->hi, lo = bounds->lo;
  const int64_t valid = (int64_t)(end - at);
  unsigned found = 0;
  KEYS key[TOP_K_VECTORS];
  IW_UNROLL for (int v = 0; v < TOP_K_VECTORS; v++)
    key[v] = OF_T(iw_load)(keys + at + v * IW_WARP_SIZE, iw_lanes_below(valid - v * IW_WARP_SIZE));
  IW_UNROLL for (int v = 0; v < TOP_K_VECTORS; v++) {
    const KEYS rank = FN(rank)(args, key[v]);
    const iw_pred not_above = iw_and_pred(iw_lanes_below(valid - v * IW_WARP_SIZE), iw_le(rank, hi));
    found |= (unsigned)iw_any(args->bounds == 2 ? iw_and_pred(not_above, iw_ge(rank, lo)) : not_above) << v;
  }
  return found;
}

/* Moves the candidates of a row's chunk `number` to places from `to` on. lo, hi: the keys in front of it
 * that equal these bounds. */
IW_FN void FN(select_chunk)(const iw_top_k_args *args, const FN(bounds) *bounds, const top_k_part *part, uint64_t row, uint64_t number,
                            uint64_t lo, uint64_t hi, uint64_t to)
{
  const SCALAR *const keys = (const SCALAR *)args->keys + row * args->columns;
  const uint64_t first = number * args->chunk, end = args->chunk < args->columns - first ? first + args->chunk : args->columns;
  for (uint64_t start = first; start < end; start += TOP_K_VECTORS * IW_WARP_SIZE)
    for (unsigned vectors = FN(vectors_between)(args, bounds, keys, start, end); vectors; vectors &= vectors - 1) { /* most often 0 */
      const uint64_t at = start + iw_lowest(vectors) * IW_WARP_SIZE;
      const iw_pred some = iw_lanes_below((int64_t)(end - at)), nowhere = iw_lanes_below(0);
      const KEYS key = OF_T(iw_load)(keys + at, some), rank = FN(rank)(args, key);
      const iw_pred equals_lo = args->bounds == 2 ? iw_and_pred(some, iw_eq(rank, bounds->lo)) : nowhere;
      const iw_pred above_lo = args->bounds == 2 ? iw_gt(rank, bounds->lo) : some;
      iw_pred chosen = part->between ? iw_and_pred(some, iw_and_pred(above_lo, iw_lt(rank, bounds->hi))) : nowhere;
      chosen = iw_or_pred(chosen, FN(ties)(equals_lo, part->lo_first, part->lo_end, &lo));
      chosen = iw_or_pred(chosen, FN(ties)(iw_and_pred(some, iw_eq(rank, bounds->hi)), part->hi_first, part->hi_end, &hi));
      const iw_u32 place = iw_rank(chosen);
      OF_T(iw_scatter)((SCALAR *)args->candidates + to, place, key, chosen);
      if (args->indices && args->index_bytes == 4) iw_scatter((uint32_t *)args->indices + to, place, iw_iota_u32((uint32_t)at), chosen);
      else if (args->indices) iw_scatter((uint64_t *)args->indices + to, place, iw_iota_u64(at), chosen);
      to += iw_popcount_of(chosen);
    }
}

/* Moves the candidates of a row's group of chunks. */
IW_FN void FN(select)(const iw_top_k_args *args, uint64_t row, uint64_t group)
{
  const uint64_t first = group * args->group, left = args->row_chunks - first;
  const iw_pred some = iw_lanes_below((int64_t)(left < args->group ? left : args->group));
  top_k_part part;
  uint64_t offset, candidates;
  const int found = top_k_decide(args, row, &part, &offset, &candidates);
  if (group == 0) {
    iw_set_u64(&args->failed[row], !found);
    iw_set_u64(&args->offsets[row], offset);
  }
  FN(fill)(args, row, group, candidates);
  const top_k_lane_counts before = top_k_counts_before(args, row, first, some), after = top_k_counts_before(args, row, first + 1, some);
  const iw_u64 to = top_k_total_lanes(&part, &before), to_end = top_k_total_lanes(&part, &after);
  iw_mask chunks = iw_ballot(iw_and_pred(some, iw_ne(to, to_end)));
  if (!chunks) return;
  const FN(bounds) bounds = FN(bounds_of)(args, row);
  for (; chunks; chunks &= chunks - 1) {
    const unsigned lane = iw_lowest(chunks);
    FN(select_chunk)(args, &bounds, &part, row, first + lane, iw_at(before.lo, lane), iw_at(before.hi, lane),
                     row * args->capacity + iw_at(to, lane));
  }
}

#undef FN
#undef KEY_LANES
#undef KEYS
#undef KEY
#undef PENDING_ROW
