/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template few_kernel.h, included once for each width of keys: T is u8, u16, u32 or u64. Narrow
 * keys come in u32 lanes.
 */
#define FN(name) IW_JOIN(IW_JOIN(top_k, name), T)
#define KEY_LANES IW_PASTE(IW_LANES_FOR_, T)
#define KEYS IW_PASTE(iw_, KEY_LANES)
#define KEY IW_PASTE(iws_, KEY_LANES)
#define PENDING_ROW IW_PASTE(IW_PASTE(iw_row_, T), _pending)

/* A row of the matrix while a warp collects from it. Ranks of candidates are from lo to hi. */
typedef struct FN(open_row) {
  const SCALAR *keys;
  uint32_t row, skew;                /* skew: keys in front of the first 16 bytes that are aligned */
  KEY hi, lo;
  int full;                          /* candidates are known to be too many */
} FN(open_row);

IW_FN KEYS FN(ranks_of)(const iw_top_k_few_args *args, KEYS bits)
{
  if (sizeof(SCALAR) == 1) return iw_xor(bits, iw_splat((KEY)args->order.flip)); /* no float has 1 byte */
  return IW_JOIN(top_k_plain_rank, KEY_LANES)(&args->order, bits);
}

/* The least rank of each lane's keys, which are `step` keys of the sample apart. */
IW_FN KEYS FN(least)(const iw_top_k_few_args *args, iw_u64 row, iw_u64 key, uint64_t step, iw_pred some)
{
  const iw_u64 first = iw_mul(row, iw_splat(args->columns));
  KEYS least = iw_splat((KEY)~(KEY)0);
  for (uint64_t k = 0; k < args->lane_keys; k++) {
    const iw_u64 element = iw_add(key, iw_splat(k * step));
    const iw_u64 from = iw_add(first, top_k_places(args->columns, args->log2_sample, element));
    least = iw_min(least, FN(ranks_of)(args, OF_T(iw_gather_far)((const SCALAR *)args->keys, from, some)));
  }
  return least;
}

/* Writes the items of groups from `at` on: of 32 groups whose keys one lane has each, or of one. */
IW_FN void FN(sample)(const iw_top_k_few_args *args, uint64_t at)
{
  if (args->group_lanes == 1) {
    const iw_pred some = iw_lanes_below((int64_t)(args->rows * args->items - at));
    const iw_u64 group = iw_iota_u64(at), row = iw_div(group, iw_splat(args->items));
    const iw_u64 in_row = iw_sub(group, iw_mul(row, iw_splat(args->items)));
    const KEYS least = FN(least)(args, row, in_row, args->items, some);
    iw_store(args->sample + at, IW_JOIN(top_k_item, KEY_LANES)(least, iw_to_u32(in_row)), some);
    iw_store(args->sample_indices + at, iw_to_u32(in_row), some);
  } else {
    const uint64_t row = at / args->items, in_row = at % args->items;
    const iw_u64 key = iw_add(iw_mul(iw_to_u64(iw_lane()), iw_splat(args->items)), iw_splat(in_row));
    const KEYS least = FN(least)(args, iw_splat(row), key, IW_WARP_SIZE * args->items, iw_lanes_below(IW_WARP_SIZE));
    const iw_u32 index = iw_splat((uint32_t)in_row);
    iw_store(args->sample + at, IW_JOIN(top_k_item, KEY_LANES)(iw_splat(iw_warp_min(least)), index), iw_lanes_below(1));
    iw_store(args->sample_indices + at, index, iw_lanes_below(1));
  }
}

IW_FN FN(open_row) FN(open)(const iw_top_k_few_args *args, uint32_t row)
{
  FN(open_row) r = { (const SCALAR *)args->keys + (uint64_t)row * args->columns, row, 0, (KEY)~(KEY)0, 0, 0 };
  const uint64_t skew = (16 - (uintptr_t)r.keys % 16) % 16 / sizeof(SCALAR);
  r.skew = (uint32_t)skew;           /* a row has more keys */
  if (args->hi_at < args->items) r.hi = IW_JOIN(top_k_rank_of_item, KEY_LANES)(iw_get_u64(args->bound_items + 2 * (uint64_t)row));
  if (args->bounds == 2) r.lo = IW_JOIN(top_k_rank_of_item, KEY_LANES)(iw_get_u64(args->bound_items + 2 * (uint64_t)row + 1));
  return r;
}

/* Those of the lanes in `some` whose ranks are from lo to hi. */
IW_FN iw_pred FN(between)(const FN(open_row) *r, KEYS rank, iw_pred some)
{
  return iw_and_pred(some, iw_and_pred(iw_ge(rank, iw_splat(r->lo)), iw_le(rank, iw_splat(r->hi))));
}

/* Appends the candidates among the keys at … end - 1 of the row. */
IW_FN void FN(append)(iw_block *block, const iw_top_k_few_args *args, FN(open_row) *r, uint64_t at, uint64_t end)
{
  uint32_t count = 0;
  (void)block;
  for (uint64_t k = at; k < end; k += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(end - k));
    count += iw_popcount_of(FN(between)(r, FN(ranks_of)(args, OF_T(iw_load)(r->keys + k, some)), some));
  }
  if (!count) return;
  uint64_t to = iw_at_u64(iw_global_add(args->counts + r->row, 0, iw_splat_u64(count), iw_lanes_below(1)), 0);
  r->full = to + count > args->capacity;
  if (r->full) return;
  to += (uint64_t)r->row * args->capacity;
  for (; at < end; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(end - at));
    const KEYS rank = FN(ranks_of)(args, OF_T(iw_load)(r->keys + at, some));
    const iw_pred chosen = FN(between)(r, rank, some);
    const iw_u32 place = iw_rank(chosen), index = iw_iota_u32((uint32_t)at);
    iw_scatter(args->candidates + to, place, IW_JOIN(top_k_item, KEY_LANES)(rank, index), chosen);
    if (args->indices) iw_scatter(args->indices + to, place, index, chosen);
    to += iw_popcount_of(chosen);
  }
}

/* Adds the number of keys at … end - 1 below lo to the row's. */
IW_FN void FN(add_below)(iw_block *block, const iw_top_k_few_args *args, const FN(open_row) *r, uint64_t at, uint64_t end)
{
  uint32_t below = 0;
  (void)block;
  for (; at < end; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(end - at));
    below += iw_popcount_of(iw_and_pred(some, iw_lt(FN(ranks_of)(args, OF_T(iw_load)(r->keys + at, some)), iw_splat(r->lo))));
  }
  if (below) iw_global_add(args->below + r->row, 0, iw_splat_u64(below), iw_lanes_below(1));
}

/* Collects from whole rows of keys from `at` on, the first of which is aligned. has_lo: whether there is a
 * bound lo. */
IW_FN void FN(collect_rows)(iw_block *block, const iw_top_k_few_args *args, FN(open_row) *r, uint64_t at, int has_lo)
{
  const iw_u32 one = iw_splat(1u), none = iw_splat(0u);
  const KEYS lo = iw_splat(r->lo), hi = iw_splat(r->hi);
  iw_u32 below = none;
  uint32_t rows_found = 0;
  PENDING_ROW rows[TOP_K_FEW_ROWS];
  IW_UNROLL for (int k = 0; k < TOP_K_FEW_ROWS; k++)
    rows[k] = IW_ISSUE_KEYS(T)(r->keys + at + k * IW_ROW(T), IW_FULL_ROW);
  IW_UNROLL for (int k = 0; k < TOP_K_FEW_ROWS; k++) {
    const IW_PASTE(iw_row_, T) row = OF_T(iw_row_wait)(rows[k]);
    iw_pred found = iw_lanes_below(0);
    IW_EACH_VECTOR(T, v) {
      const KEYS rank = FN(ranks_of)(args, OF_T(iw_row_vector)(row, v));
      iw_pred chosen = iw_le(rank, hi);
      if (has_lo) {
        const iw_pred is_below = iw_lt(rank, lo);
        below = iw_add(below, iw_select(is_below, one, none));
        chosen = iw_and_pred(chosen, iw_not_pred(is_below));
      }
      found = iw_or_pred(found, chosen);
    }
    rows_found |= (uint32_t)iw_any(found) << k;
  }
  if (has_lo) iw_global_add(args->below + r->row, 0, iw_splat_u64(iw_warp_sum(below)), iw_lanes_below(1));
  for (int k = 0; rows_found >> k; k++)
    if (rows_found >> k & 1) FN(append)(block, args, r, at + (uint64_t)k * IW_ROW(T), at + (uint64_t)(k + 1) * IW_ROW(T));
}

/* Collects from chunk `number` of the open row: chunk 0 has the keys in front of the first aligned ones,
 * too. */
IW_FN void FN(collect_part)(iw_block *block, const iw_top_k_few_args *args, FN(open_row) *r, uint32_t number)
{
  const uint64_t at = r->skew + (uint64_t)number * args->chunk, end = at + args->chunk;
  if (number == 0 && r->skew) {
    FN(append)(block, args, r, 0, r->skew);
    if (args->bounds == 2) FN(add_below)(block, args, r, 0, r->skew);
  }
  if (end <= args->columns) {
    for (uint64_t k = at; k < end; k += TOP_K_FEW_ROWS * IW_ROW(T)) {
      if (args->bounds == 2) FN(collect_rows)(block, args, r, k, 1);
      else FN(collect_rows)(block, args, r, k, 0);
    }
  } else if (at < args->columns) {
    FN(append)(block, args, r, at, args->columns);
    if (args->bounds == 2) FN(add_below)(block, args, r, at, args->columns);
  }
}

/* Collects from every step-th chunk of the matrix from `number` on. */
IW_FN void FN(collect)(iw_block *block, const iw_top_k_few_args *args, uint32_t number, uint32_t step)
{
  const uint32_t row_chunks = (uint32_t)args->row_chunks, chunks = (uint32_t)args->rows * row_chunks; /* less than 2^31 */
  const uint32_t row_step = step / row_chunks, chunk_step = step % row_chunks;
  uint32_t row = number / row_chunks, in_row = number % row_chunks;
  if (number >= chunks) return;
  FN(open_row) r = FN(open)(args, row);
  for (;;) {
    if (!r.full) FN(collect_part)(block, args, &r, in_row);
    number += step;
    if (number >= chunks) break;
    row += row_step;
    in_row += chunk_step;
    if (in_row >= row_chunks) {
      in_row -= row_chunks;
      row++;
    }
    if (row != r.row) r = FN(open)(args, row);
  }
}

#undef FN
#undef KEY_LANES
#undef KEYS
#undef KEY
#undef PENDING_ROW
