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
  chunk->bound = top_k_greatest_rank(chunk->items, args->hi_at + 1);
}

/* Looks at the keys from `at` on, of which there are `valid`; whole: no fewer than TOP_K_NEAR_STEP. Returns
 * whether there was room for the candidates among them. */
IW_FN int FN(near_step)(const iw_top_k_near_args *args, const iw_total_order *order, const SCALAR *keys, uint64_t at, int64_t valid,
                        int whole, top_k_near_chunk *chunk)
{
  iw_u32 ranks[TOP_K_NEAR_VECTORS];
  iw_pred near[TOP_K_NEAR_VECTORS], any = iw_lanes_below(0);
  const iw_u32 bound = iw_splat(chunk->bound);
  IW_UNROLL for (int v = 0; v < TOP_K_NEAR_VECTORS; v++) {
    const iw_pred some = iw_lanes_below(whole ? IW_WARP_SIZE : valid - v * IW_WARP_SIZE);
    ranks[v] = iw_total_rank_u32(order, OF_T(iw_load)(keys + at + v * IW_WARP_SIZE, some));
    near[v] = whole ? iw_le(ranks[v], bound) : iw_and_pred(some, iw_le(ranks[v], bound));
    any = iw_or_pred(any, near[v]);
  }
  if (!iw_any(any)) return 1;
  if (chunk->count + TOP_K_NEAR_STEP > args->capacity) return 0;
  IW_UNROLL for (int v = 0; v < TOP_K_NEAR_VECTORS; v++)
    if (iw_any(near[v]))
      chunk->count += iw_compact(chunk->items + chunk->count, top_k_near_item(ranks[v], iw_iota_u64(at + (uint64_t)v * IW_WARP_SIZE)),
                                 near[v]);
  return 1;
}

/* Collects the candidates of a row's chunk `number`. */
IW_FN void FN(near)(const iw_top_k_near_args *args, uint64_t row, uint64_t number)
{
  const iw_total_order order = args->order; /* which no store can change */
  const SCALAR *const keys = (const SCALAR *)args->keys + row * args->columns;
  const uint64_t area = (row * args->row_chunks + number) * (args->capacity + IW_TOP_K_PADDING), first = number * args->chunk;
  const uint64_t end = args->chunk < args->columns - first ? first + args->chunk : args->columns;
  top_k_near_chunk chunk = { args->items + area, args->other + area, 0, 0, 0 };
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
