/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template descents_kernel.h, included once for each width of keys: T is u8, u16, u32 or u64.
 * Narrow keys come in u32 lanes.
 */
#define FN(name) IW_JOIN(IW_JOIN(descents, name), T)
#define KEY_LANES IW_PASTE(IW_LANES_FOR_, T)
#define KEYS IW_PASTE(iw_, KEY_LANES)

IW_FN KEYS FN(rank_at)(const iw_descents_args *args, uint64_t at, iw_pred some)
{
  const KEYS rank = IW_JOIN(iw_total_rank, KEY_LANES)(&args->order, OF_T(iw_load)((const SCALAR *)args->keys + at, some));
  return IW_JOIN(iw_and, KEY_LANES)(rank, iw_splat((IW_PASTE(iws_, KEY_LANES))args->mask));
}

/* The first element from `at` on that comes before the one in front of it, or at least `end`. at: at least
 * 1. */
IW_FN uint64_t FN(find)(const iw_descents_args *args, uint64_t at, uint64_t end)
{
  for (; at < end; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(end - at));
    const iw_mask descends = iw_ballot(iw_and_pred(some, iw_lt(FN(rank_at)(args, at, some), FN(rank_at)(args, at - 1, some))));
    if (descends) return at + iw_lowest(descends);
  }
  return end;
}

#undef FN
#undef KEY_LANES
#undef KEYS
