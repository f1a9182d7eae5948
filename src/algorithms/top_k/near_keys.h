/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template near_kernel.h, included once for each width of keys: T is u8, u16 or u32. Keys come
 * in u32 lanes.
 */
#define FN(name) IW_JOIN(IW_JOIN(top_k, name), T)

/* Sets the bound of a chunk: the key at args->hi_at of the row's sorted sample. */
IW_FN void FN(near_sample)(const iw_top_k_near_args *args, const SCALAR *keys, top_k_near_chunk *chunk)
{
  const uint64_t count = (uint64_t)1 << args->log2_sample;
  for (uint64_t at = 0; at < count; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(count - at));
    const iw_u64 index = top_k_places(args->columns, args->log2_sample, iw_iota_u64(at));
    const iw_u32 rank = iw_total_rank_u32(&args->order, IW_JOIN(iw_gather_far, T)(keys, index, some));
    iw_store(chunk->items + at, top_k_near_item(rank, index), some);
  }
  top_k_keep_least(chunk->items, chunk->other, count, args->hi_at + 1);
  top_k_near_set_bound(&args->order, top_k_greatest_rank(chunk->items, args->hi_at + 1), chunk);
}

/* The lanes of a vector that have no candidates: floats of 4 bytes are compared as such, by one instruction
 * for each register, and a NaN is taken for a candidate. */
IW_FN iw_pred FN(far_lanes)(const iw_total_order *order, const SCALAR *keys, const top_k_near_chunk *chunk)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  if (sizeof(SCALAR) == 4 && order->infinity) {
    const iw_f32 x = iw_load((const float *)(const void *)keys, all), bound = iw_splat(chunk->float_bound);
    return chunk->is_descending ? iw_lt(x, bound) : iw_gt(x, bound);
  }
  return iw_gt(iw_total_rank_u32(order, OF_T(iw_load)(keys, all)), iw_splat(chunk->bound));
}

/* Appends the candidates among the keys whose bits are set in `left`, the first of which has the index `at`,
 * one by one: the end of one loop over the bits of two vectors is predicted more often than those of two. */
IW_FN void FN(near_append_each)(const iw_total_order *order, const SCALAR *keys, uint64_t at, iw_mask left, top_k_near_chunk *chunk)
{
  for (; left; left &= left - 1) {
    const uint64_t index = at + iw_lowest(left), rank = iw_total_rank_of_one(order, iw_get_u32((const uint32_t *)(const void *)keys + index));
    iw_set_u64(chunk->items + chunk->count, rank << 32 | index);
    chunk->count += rank <= chunk->bound;
  }
}

/* The same for a vector, which is packed. */
IW_FN void FN(near_append_packed)(const iw_total_order *order, const SCALAR *keys, uint64_t at, iw_mask left, top_k_near_chunk *chunk)
{
  const iw_pred lanes = iw_pred_of(left);
  const iw_u32 rank = iw_total_rank_u32(order, OF_T(iw_load)(keys + at, lanes));
  const iw_pred near = iw_and_pred(lanes, iw_le(rank, iw_splat(chunk->bound)));
  chunk->count += iw_compact(chunk->items + chunk->count, top_k_near_item(rank, iw_iota_u64(at)), near);
}

/* Looks at the keys from `at` on, of which there are `valid`; whole: no fewer than TOP_K_NEAR_STEP. Returns
 * whether there was room for candidates among them. */
IW_FN int FN(near_step)(const iw_top_k_near_args *args, const iw_total_order *order, const SCALAR *keys, uint64_t at, int64_t valid,
                        int whole, top_k_near_chunk *chunk)
{
  if (whole) {
    iw_pred far = FN(far_lanes)(order, keys + at, chunk);
    IW_UNROLL for (int v = 1; v < TOP_K_NEAR_VECTORS; v++)
      far = iw_and_pred(far, FN(far_lanes)(order, keys + at + v * IW_WARP_SIZE, chunk));
    if (iw_all(far)) return 1;
  }
  if (chunk->count + TOP_K_NEAR_STEP > args->capacity) return 0;
  for (int v = 0; v < TOP_K_NEAR_VECTORS; v += TOP_K_NEAR_MASKED) {
    const uint64_t first = at + (uint64_t)v * IW_WARP_SIZE;
    iw_mask left[TOP_K_NEAR_MASKED], all = 0;
    IW_UNROLL for (int k = 0; k < TOP_K_NEAR_MASKED; k++) {
      left[k] = iw_ballot(whole ? iw_not_pred(FN(far_lanes)(order, keys + first + k * IW_WARP_SIZE, chunk))
                                : iw_lanes_below(valid - (v + k) * IW_WARP_SIZE));
      all |= left[k] << k * IW_WARP_SIZE;
    }
    if (sizeof(SCALAR) == 4 && iw_popcount(all) <= TOP_K_NEAR_ONE_BY_ONE) FN(near_append_each)(order, keys, first, all, chunk);
    else for (int k = 0; k < TOP_K_NEAR_MASKED; k++)
      FN(near_append_packed)(order, keys, first + (uint64_t)k * IW_WARP_SIZE, left[k], chunk);
  }
  return 1;
}

/* Collects the candidates of a row's chunk `number`. */
IW_FN void FN(near)(const iw_top_k_near_args *args, uint64_t row, uint64_t number)
{
  const iw_total_order order = args->order; /* which no store can change */
  const SCALAR *const keys = (const SCALAR *)args->keys + row * args->columns;
  const uint64_t area = (row * args->row_chunks + number) * (args->capacity + IW_TOP_K_PADDING), first = number * args->chunk;
  const uint64_t end = args->chunk < args->columns - first ? first + args->chunk : args->columns;
  top_k_near_chunk chunk = { args->items + area, args->other + area, 0, 0, 0, 0, 0 };
  FN(near_sample)(args, keys, &chunk);
  for (uint64_t at = first; at < end && !chunk.closed;) {
    const int64_t valid = (int64_t)(end - at);
    if (valid >= TOP_K_NEAR_STEP ? FN(near_step)(args, &order, keys, at, valid, 1, &chunk)
                                 : FN(near_step)(args, &order, keys, at, valid, 0, &chunk))
      at += TOP_K_NEAR_STEP;
    else top_k_near_drop(args, &chunk); /* and these keys once more, by the lower bound */
  }
  iw_set_u64(&args->counts[row * args->row_chunks + number], chunk.count);
}

#undef FN
