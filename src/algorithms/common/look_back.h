/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoupled look-back (Merrill and Garland, 2016) in two levels, as scan and partition have it: what a tile has is published in
 * a word as `aggregate_flag`; what a group of at most 32 tiles has, as `aggregate_flag`, or with all that is in front of it as `inclusive`.
 * Who looks back waits for smaller tiles only. Whole warps call these.
 */
#ifndef ISOWARP_TEXT_LOOKBACK_H
#define ISOWARP_TEXT_LOOKBACK_H

#include <isowarp/primitives.h>

enum { TILE_AGGREGATE = 1, TILE_INCLUSIVE = 2 }; /* added to a launch's own number */
enum { LOOK_BACK_GROUP_TILES = 32 };           /* tiles of a group, where counts are added up */

#define DEFINE_LOOK_BACK(t) \
/* Whether `count` tiles from the first on are published: their words. With heads, what has one is `inclusive`: a bit each. */ \
IW_FN int try_load_tile_states_##t(const uint64_t *states, uint64_t first, unsigned count, uint32_t aggregate_flag, int with_heads, \
                          iw_polled_##t *polled, iw_mask *heads) \
{ \
  const iw_pred some = iw_lanes_below(count); \
  *polled = iw_poll_##t(states, (int64_t)first, 0, (int)count); \
  *heads = with_heads ? iw_ballot(iw_eq_u32(polled->flag, iw_splat_u32(aggregate_flag - TILE_AGGREGATE + TILE_INCLUSIVE))) : 0; \
  return iw_all(iw_or_pred(iw_not_pred(some), iw_or_pred(iw_eq_u32(polled->flag, iw_splat_u32(aggregate_flag)), iw_pred_of(*heads)))); \
} \
/* Waits for the 32 groups in front, from the last one on whose word is inclusive: lane *from of these words. */ \
IW_FN iw_polled_##t wait_group_states_##t(const uint64_t *states, uint64_t group, uint32_t aggregate_flag, uint32_t inclusive_flag, unsigned *from) \
{ \
  const int64_t first = (int64_t)group - 32; \
  for (unsigned spins = 0;; iw_pause(&spins)) { \
    const iw_polled_##t polled = iw_poll_##t(states, first, first < 0 ? (int)-first : 0, 32); \
    const iw_mask inclusive_lanes = iw_ballot(iw_eq_u32(polled.flag, iw_splat_u32(inclusive_flag))); \
    const iw_mask valid_lanes = inclusive_lanes | iw_ballot(iw_eq_u32(polled.flag, iw_splat_u32(aggregate_flag))); \
    if (inclusive_lanes == 0) continue; \
    *from = iw_highest(inclusive_lanes); \
    const iw_mask needed_lanes = 0xffffffffu & ~(((iw_mask)2 << *from) - 1); \
    if ((valid_lanes & needed_lanes) == needed_lanes) return polled; \
  } \
}
DEFINE_LOOK_BACK(i32) DEFINE_LOOK_BACK(u32) DEFINE_LOOK_BACK(i64) DEFINE_LOOK_BACK(u64) DEFINE_LOOK_BACK(f32) DEFINE_LOOK_BACK(f64)
#undef DEFINE_LOOK_BACK

/* What the tiles of a group in front of this one count. */
IW_FN uint64_t wait_tile_count_prefix(const uint64_t *states, uint64_t tile, uint32_t aggregate_flag)
{
  const unsigned j = (unsigned)(tile % LOOK_BACK_GROUP_TILES);
  iw_polled_u32 polled;
  iw_mask heads;
  for (unsigned spins = 0; !try_load_tile_states_u32(states, tile - j, j, aggregate_flag, 0, &polled, &heads);) iw_pause(&spins);
  return iw_warp_sum_u32(polled.value);
}

/* What the groups in front count. */
IW_FN uint64_t wait_group_count_prefix(const uint64_t *states, uint64_t group, uint32_t aggregate_flag, uint32_t inclusive_flag)
{
  unsigned from = 0;
  if (group == 0) return 0;
  const iw_polled_u64 polled = wait_group_states_u64(states, group, aggregate_flag, inclusive_flag, &from);
  return iw_warp_sum_u64(iw_select_u64(iw_lanes_below(from), iw_splat_u64(0), polled.value));
}

#endif
