/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template radix_split_kernel.h, included once for each width of keys: T is u8, u16, u32 or u64.
 * Narrow keys come in u32 lanes.
 */
#define FN(name) IW_JOIN(IW_JOIN(multisplit, name), T)
#define KEY_LANES IW_PASTE(IW_LANES_FOR_, T)
#define VECTOR IW_PASTE(iw_, KEY_LANES)
#define ROW IW_JOIN(iw_row, T)
#define ROW_VECTORS ((int)(16 / sizeof(SCALAR)))
#define COUNTED (ROW_VECTORS < 4 ? ROW_VECTORS : 4) /* vectors whose digits are counted together */
#define ROW_PENDING IW_JOIN(ROW, pending)

/* The rank of a key. A literal `floats`, around the loops over keys, keeps what floats take out of the way of
 * integers: nvcc would make predicates of a branch for each key. */
IW_FN VECTOR FN(rank_of)(const iw_total_order *order, VECTOR key, const int floats)
{
  return floats ? IW_JOIN(iw_total_rank_of_floats, KEY_LANES)(order, key) : IW_JOIN(iw_total_rank_of_integers, KEY_LANES)(order, key);
}

/* Counts the digits of at most COUNTED vectors of keys, each digit in a table of its own. some: of each
 * vector, the keys that are there. */
IW_FN void FN(count_vectors)(const iw_block *block, const multisplit_digits *digits, const VECTOR *keys, const iw_pred *some,
                             int vectors, uint32_t *counters, unsigned stride)
{
  VECTOR ranks[COUNTED];
  if (sizeof(SCALAR) > 1 && digits->order->infinity) IW_UNROLL for (int v = 0; v < vectors; v++) ranks[v] = FN(rank_of)(digits->order, keys[v], 1);
  else IW_UNROLL for (int v = 0; v < vectors; v++) ranks[v] = FN(rank_of)(digits->order, keys[v], 0);
  IW_UNROLL for (int d = 0; d < (int)sizeof(SCALAR); d++) { /* there are no more digits than bytes */
    if (d && d >= digits->count) return;
    const uint32_t shift = digits->shifts[d], mask = digits->masks[d];
    IW_UNROLL for (int v = 0; v < vectors; v++)
      iw_count_replicated(counters + d * IW_COUNT_REPLICAS * IW_RADIX_DIGITS, stride,
                          IW_JOIN(multisplit_digit, KEY_LANES)(ranks[v], shift, mask), some[v]);
  }
}

/* Counts MULTISPLIT_COUNT_ROWS rows, `step` keys apart, of which there are `left` keys from `in` on; whole:
 * all of them. */
IW_FN void FN(count_rows)(const iw_block *block, const multisplit_digits *digits, const SCALAR *in, uint64_t step, int64_t left, int whole,
                          uint32_t *counters, unsigned stride)
{
  ROW_PENDING pending[MULTISPLIT_COUNT_ROWS];
  IW_UNROLL for (int k = 0; k < MULTISPLIT_COUNT_ROWS; k++)
    pending[k] = IW_ISSUE_KEYS(T)(in + k * step, left - (int64_t)(k * step));
  IW_UNROLL for (int k = 0; k < MULTISPLIT_COUNT_ROWS; k++) {
    const ROW row = OF_T(iw_row_wait)(pending[k]);
    IW_UNROLL for (int first = 0; first < ROW_VECTORS; first += COUNTED) {
      VECTOR keys[COUNTED];
      iw_pred some[COUNTED];
      IW_UNROLL for (int v = 0; v < COUNTED; v++) {
        keys[v] = OF_T(iw_row_vector)(row, first + v);
        some[v] = whole ? iw_lanes_below(IW_WARP_SIZE) : OF_T(iw_row_valid)(first + v, left - (int64_t)(k * step));
      }
      FN(count_vectors)(block, digits, keys, some, COUNTED, counters, stride);
    }
  }
}

/* Counts a warp's rows of the keys from … end-1 */
IW_FN void FN(count_keys)(const iw_block *block, const multisplit_digits *digits, const void *keys, unsigned warp, uint64_t from,
                          uint64_t end, uint32_t *counters, unsigned stride)
{
  const SCALAR *const in = (const SCALAR *)keys;
  const uint64_t step = (uint64_t)block->warps * IW_ROW(T);
  uint64_t at = from + warp * IW_ROW(T);
  for (; at < end; at += MULTISPLIT_COUNT_ROWS * step)
    if (at + (MULTISPLIT_COUNT_ROWS - 1) * step + IW_ROW(T) <= end)
      FN(count_rows)(block, digits, in + at, step, (int64_t)(end - at), 1, counters, stride);
    else if (MULTISPLIT_COUNT_TAIL_ROWS) FN(count_rows)(block, digits, in + at, step, (int64_t)(end - at), 0, counters, stride);
    else for (uint64_t i = at; i < end; i += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - i));
      const VECTOR key = OF_T(iw_load)(in + i, some);
      FN(count_vectors)(block, digits, &key, &some, 1, counters, stride);
    }
}

/* Loads `count` ranks of each lane of a warp, or digits if keys have 64 bits. Keys from `end` on become all
 * ones, whose digit is the greatest, so that they are ranked behind all others. */
IW_FN void FN(load_items)(const iw_radix_args *args, uint64_t at, uint64_t end, iw_u32 *items, const int count, const int floats)
{
  const SCALAR *const in = (const SCALAR *)args->keys + at;
  const int whole = at + (uint64_t)(count * IW_WARP_SIZE) <= end;
  if (whole) IW_UNROLL for (int k = 0; k < count; k++)
    items[k] = IW_JOIN(multisplit_item_key, KEY_LANES)(args, FN(rank_of)(&args->order,
      OF_T(iw_load)(in + k * IW_WARP_SIZE, iw_lanes_below(IW_WARP_SIZE)), floats));
  else IW_UNROLL for (int k = 0; k < count; k++) {
    const iw_pred some = iw_lanes_below((int64_t)(end - at) - k * IW_WARP_SIZE);
    const VECTOR rank = FN(rank_of)(&args->order, OF_T(iw_load)(in + k * IW_WARP_SIZE, some), floats);
    items[k] = iw_select_u32(some, IW_JOIN(multisplit_item_key, KEY_LANES)(args, rank), iw_splat(UINT32_MAX));
  }
}

IW_FN void FN(load_keys)(const iw_radix_args *args, uint64_t at, uint64_t end, iw_u32 *items, const int count)
{
  if (sizeof(SCALAR) > 1 && args->order.infinity) FN(load_items)(args, at, end, items, count, 1);
  else FN(load_items)(args, at, end, items, count, 0);
}

#undef FN
#undef KEY_LANES
#undef VECTOR
#undef ROW
#undef ROW_VECTORS
#undef COUNTED
#undef ROW_PENDING
