/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template bounds_kernel.h, included once for each width of keys: T is u8, u16, u32 or u64.
 * Narrow keys come in u32 lanes.
 */
#define FN(name) IW_JOIN(IW_JOIN(bounds, name), T)
#define KEY_LANES IW_PASTE(IW_LANES_FOR_, T)
#define KEYS IW_PASTE(iw_, KEY_LANES)

IW_FN KEYS FN(rank_by)(const iw_bounds_args *args, const iw_total_order *order, KEYS bits)
{
  return IW_JOIN(iw_and, KEY_LANES)(IW_JOIN(iw_total_rank, KEY_LANES)(order, bits),
                                    iw_splat((IW_PASTE(iws_, KEY_LANES))args->mask));
}
IW_FN KEYS FN(rank)(const iw_bounds_args *args, KEYS bits) { return FN(rank_by)(args, &args->order, bits); }

#ifndef IW_GPU_SCHEDULES
/* The order of the sorted elements. Floats between two numbers of one sign have their bits' order, which
 * takes fewer operations than one for both signs and NaN. */
IW_FN iw_total_order FN(order_of_sorted)(const iw_bounds_args *args)
{
  iw_total_order order = args->order;
  if (!order.infinity || !args->n) return order;
  const uint64_t first = *(const SCALAR *)args->sorted, last = ((const SCALAR *)args->sorted)[args->n - 1];
  const uint64_t magnitudes = order.sign - 1;
  if ((first ^ last) & order.sign || (first & magnitudes) > order.infinity || (last & magnitudes) > order.infinity)
    return order;
  order.infinity = 0;
  if (first & order.sign) order.flip = order.negative_flip;
  return order;
}

/* The ranks of elements first + index, in lanes. */
IW_FN KEYS FN(ranks_at)(const iw_bounds_args *args, const iw_total_order *order, uint64_t first, iw_u32 index)
{
  const SCALAR *const sorted = (const SCALAR *)args->sorted + first;
  IW_PASTE(iws_, KEY_LANES) keys[IW_PADDED(u32)];
  IW_INDEX_PAIRS_(e, index)
  IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) {
    keys[l] = sorted[(uint32_t)e[l / 2]];
    keys[l + 1] = sorted[e[l / 2] >> 32];
  }
  return FN(rank_by)(args, order, IW_JOIN(iw_from_array, KEY_LANES)(keys));
}

IW_FN iw_pred FN(is_before)(const iw_bounds_args *args, KEYS key, KEYS value)
{
  return args->upper ? iw_le(key, value) : iw_lt(key, value);
}

/* The same as bounds_find, of 2^32 elements at most, for BOUNDS_VECTORS vectors of values: without a test
 * for the array's end, as all lanes halve the same length, and with several chains of dependent
 * instructions. */
IW_FN void FN(find_few)(const iw_bounds_args *args, uint64_t at, uint64_t end, iw_u32 found[BOUNDS_VECTORS])
{
  const SCALAR *const values = (const SCALAR *)args->values;
  const iw_total_order order = FN(order_of_sorted)(args);
  const iw_u32 zero = iw_splat(0u);
  KEYS value[BOUNDS_VECTORS];
  IW_UNROLL for (int k = 0; k < BOUNDS_VECTORS; k++, at += IW_WARP_SIZE) {
    value[k] = FN(rank)(args, OF_T(iw_load)(values + at, iw_lanes_below((int64_t)(end - at))));
    found[k] = zero;
  }
  for (uint64_t length = args->n; length;) {
    const uint64_t half = length > 1 ? length / 2 : 1;
    const iw_u32 step = iw_splat((uint32_t)half);
    IW_UNROLL for (int k = 0; k < BOUNDS_VECTORS; k++) {
      const KEYS key = FN(ranks_at)(args, &order, half - 1, found[k]);
      found[k] = iw_add(found[k], iw_select(FN(is_before)(args, key, value[k]), step, zero));
    }
    length -= half;
  }
}
#endif

/* The bounds of the values from `at` on, of the lanes in `some`. */
IW_FN iw_u64 FN(find)(const iw_bounds_args *args, uint64_t at, iw_pred some)
{
  const KEYS value = FN(rank)(args, OF_T(iw_load)((const SCALAR *)args->values + at, some));
  iw_u64 found = iw_splat((uint64_t)0);            /* invariant: the bound is at least this */
  for (uint64_t step = args->steps; step-- > 0;) {
    const iw_u64 next = iw_add(found, iw_splat((uint64_t)1 << step));
    const iw_pred there = iw_and_pred(some, iw_le(next, iw_splat(args->n)));
    const iw_u64 last = iw_sub(next, iw_splat((uint64_t)1));
    const KEYS key = FN(rank)(args, OF_T(iw_gather_far)((const SCALAR *)args->sorted, last, there));
    const iw_pred before = args->upper ? iw_le(key, value) : iw_lt(key, value);
    found = iw_select(iw_and_pred(there, before), next, found);
  }
  return found;
}

#undef FN
#undef KEY_LANES
#undef KEYS
