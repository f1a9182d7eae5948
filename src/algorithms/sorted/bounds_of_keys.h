/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template bounds_kernel.h, included once for each width of keys: T is u8, u16, u32 or u64.
 * Narrow keys come in u32 lanes.
 */
#define FN(name) IW_JOIN(IW_JOIN(bounds, name), T)
#define KEY_LANES IW_PASTE(IW_LANES_FOR_, T)
#define KEYS IW_PASTE(iw_, KEY_LANES)

IW_FN KEYS FN(rank)(const iw_bounds_args *args, KEYS bits)
{
  return IW_JOIN(iw_and, KEY_LANES)(IW_JOIN(iw_total_rank, KEY_LANES)(&args->order, bits),
                                    iw_splat((IW_PASTE(iws_, KEY_LANES))args->mask));
}

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
