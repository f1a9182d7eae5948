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
  return FN(rank_by)(args, order, OF_T(iw_elements_at)((const SCALAR *)args->sorted + first, index, args->gathers != 0));
}

IW_FN iw_pred FN(is_before)(const iw_bounds_args *args, KEYS key, KEYS value)
{
  return args->upper ? iw_le(key, value) : iw_lt(key, value);
}

/* Whether the first steps look at keys in lanes. */
IW_FN int FN(has_top)(const iw_bounds_args *args)
{
  return IW_PASTE(IW_HAS_LOOKUP_, KEY_LANES) && args->n >= BOUNDS_LEAST_WITH_TOP;
}

/* The keys that the first BOUNDS_TOP_STEPS steps of all bisections look at, as a tree: lane 1 has the first
 * one's. If a step looked at the key in lane t, the next one looks at that in lane 2 * t, or in lane 2 * t +
 * 1 if the bound is behind the former. */
IW_FN KEYS FN(top_keys)(const iw_bounds_args *args, const iw_total_order *order)
{
  iw_u32 place = iw_splat(0u);
  for (unsigned step = 0; step < BOUNDS_TOP_STEPS; step++) {
    iw_u32 here = iw_splat((uint32_t)args->steps[step] - 1);
    for (unsigned k = 0; k < step; k++) {
      const iw_pred behind = iw_ne(iw_and(iw_lane(), iw_splat(1u << (step - 1 - k))), iw_splat(0u));
      here = iw_add(here, iw_select(behind, iw_splat((uint32_t)args->steps[k]), iw_splat(0u)));
    }
    place = iw_select(iw_ge(iw_lane(), iw_splat(1u << step)), here, place);
  }
  return FN(ranks_at)(args, order, 0, place);
}

/* The same as bounds_find, of fewer than 2^32 - 1 elements, for BOUNDS_VECTORS vectors of values: places have
 * 32 bits, and there are several chains of dependent instructions. */
IW_FN void FN(find_few)(const iw_bounds_args *args, const iw_total_order *order, KEYS top, uint64_t at, uint64_t end,
                        iw_u32 found[BOUNDS_VECTORS])
{
  const SCALAR *const values = (const SCALAR *)args->values;
  const iw_u32 zero = iw_splat(0u), one = iw_splat(1u);
  KEYS value[BOUNDS_VECTORS];
  iw_u32 lane[BOUNDS_VECTORS]; /* of top, that of the next key */
  IW_UNROLL for (int k = 0; k < BOUNDS_VECTORS; k++, at += IW_WARP_SIZE) {
    value[k] = FN(rank)(args, OF_T(iw_load)(values + at, iw_lanes_below((int64_t)(end - at))));
    found[k] = zero;
    lane[k] = one;
  }
  uint64_t s = 0;
  for (; FN(has_top)(args) && s < BOUNDS_TOP_STEPS; s++) {
    const iw_u32 step = iw_splat((uint32_t)args->steps[s]);
    IW_UNROLL for (int k = 0; k < BOUNDS_VECTORS; k++) {
      const iw_pred before = FN(is_before)(args, IW_JOIN(iw_lookup, KEY_LANES)(top, lane[k]), value[k]);
      found[k] = iw_add(found[k], iw_select(before, step, zero));
      lane[k] = iw_add(iw_add(lane[k], lane[k]), iw_select(before, one, zero));
    }
  }
  for (; s < args->step_count; s++) {
    const iw_u32 step = iw_splat((uint32_t)args->steps[s]);
    IW_UNROLL for (int k = 0; k < BOUNDS_VECTORS; k++) {
      const KEYS key = FN(ranks_at)(args, order, args->steps[s] - 1, found[k]);
      found[k] = iw_add(found[k], iw_select(FN(is_before)(args, key, value[k]), step, zero));
    }
  }
}

/* Writes the bounds of the values from `at` to `end`. */
IW_FN void FN(find_chunk)(const iw_bounds_args *args, uint64_t at, uint64_t end)
{
  const iw_total_order order = FN(order_of_sorted)(args);
  const KEYS top = FN(has_top)(args) ? FN(top_keys)(args, &order) : iw_splat((IW_PASTE(iws_, KEY_LANES))0);
  while (at < end) {
    iw_u32 found[BOUNDS_VECTORS];
    FN(find_few)(args, &order, top, at, end, found);
    for (int k = 0; k < BOUNDS_VECTORS && at < end; k++, at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      if (args->index_bytes == 8) iw_store((uint64_t *)args->indices + at, iw_to_u64(found[k]), some);
      else iw_store((uint32_t *)args->indices + at, found[k], some);
    }
  }
}
#endif

/* The bounds of the values from `at` on, of the lanes in `some`. */
IW_FN iw_u64 FN(find)(const iw_bounds_args *args, uint64_t at, iw_pred some)
{
  const KEYS value = FN(rank)(args, OF_T(iw_load)((const SCALAR *)args->values + at, some));
  iw_u64 found = iw_splat((uint64_t)0);            /* invariant: the bound is at least this */
  for (uint64_t s = 0; s < args->step_count; s++) {
    const SCALAR *const last = (const SCALAR *)args->sorted + (args->steps[s] - 1);
    const KEYS key = FN(rank)(args, OF_T(iw_gather_far)(last, found, some));
    const iw_pred before = args->upper ? iw_le(key, value) : iw_lt(key, value);
    found = iw_select(before, iw_add(found, iw_splat(args->steps[s])), found);
  }
  return found;
}

#undef FN
#undef KEY_LANES
#undef KEYS
