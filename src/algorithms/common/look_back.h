/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoupled look-back (Merrill and Garland, 2016) in two levels, as scan and partition have it: what a tile has is published in
 * a word as `partial`; what a group of at most 32 tiles has, as `partial`, or with all that is in front of it as `inclusive`.
 * Who looks back waits for smaller tiles only. Whole warps call these.
 */
#ifndef ISOWARP_TEXT_LOOKBACK_H
#define ISOWARP_TEXT_LOOKBACK_H

#include <isowarp/kernel.h>

enum { PARTIAL = 1, INCLUSIVE = 2 }; /* added to a launch's own number */
enum { COUNT_GROUP = 32 };           /* tiles of a group, where counts are added up */

#define LOOK_BACK(t) \
/* Whether `count` tiles from the first on are published: their words. With heads, what has one is `inclusive`: a bit each. */ \
IW_FN int tiles_known_##t(const uint64_t *slots, uint64_t first, unsigned count, uint32_t partial, int with_heads, \
                          iw_polled_##t *words, iw_mask *heads) \
{ \
  const iw_pred some = iw_lanes_below(count); \
  *words = iw_poll_##t(slots, (int64_t)first, 0, (int)count); \
  *heads = with_heads ? iw_ballot(iw_eq_u32(words->flag, iw_splat_u32(partial - PARTIAL + INCLUSIVE))) : 0; \
  return iw_all(iw_either(iw_unless(some), iw_either(iw_eq_u32(words->flag, iw_splat_u32(partial)), iw_pred_of(*heads)))); \
} \
/* Waits for the 32 groups in front, from the last one on whose word is inclusive: lane *from of these words. */ \
IW_FN iw_polled_##t groups_known_##t(const uint64_t *slots, uint64_t group, uint32_t partial, uint32_t inclusive, unsigned *from) \
{ \
  const int64_t first = (int64_t)group - 32; \
  for (unsigned spins = 0;; iw_pause(&spins)) { \
    const iw_polled_##t words = iw_poll_##t(slots, first, first < 0 ? (int)-first : 0, 32); \
    const iw_mask known = iw_ballot(iw_eq_u32(words.flag, iw_splat_u32(inclusive))); \
    const iw_mask ready = known | iw_ballot(iw_eq_u32(words.flag, iw_splat_u32(partial))); \
    if (known == 0) continue; \
    *from = iw_highest(known); \
    const iw_mask need = 0xffffffffu & ~(((iw_mask)2 << *from) - 1); \
    if ((ready & need) == need) return words; \
  } \
}
LOOK_BACK(i32) LOOK_BACK(u32) LOOK_BACK(i64) LOOK_BACK(u64) LOOK_BACK(f32) LOOK_BACK(f64)
#undef LOOK_BACK

/* What the tiles of a group in front of this one count. */
IW_FN uint64_t counts_of_tiles(const uint64_t *slots, uint64_t tile, uint32_t partial)
{
  const unsigned j = (unsigned)(tile % COUNT_GROUP);
  iw_polled_u32 words;
  iw_mask heads;
  for (unsigned spins = 0; !tiles_known_u32(slots, tile - j, j, partial, 0, &words, &heads);) iw_pause(&spins);
  return iw_warp_sum_u32(words.value);
}

/* What the groups in front count. */
IW_FN uint64_t counts_of_groups(const uint64_t *slots, uint64_t group, uint32_t partial, uint32_t inclusive)
{
  unsigned from = 0;
  if (group == 0) return 0;
  const iw_polled_u64 words = groups_known_u64(slots, group, partial, inclusive, &from);
  return iw_warp_sum_u64(iw_select_u64(iw_lanes_below(from), iw_splat_u64(0), words.value));
}

#endif
