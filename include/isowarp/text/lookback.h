/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoupled look-back over counts (Merrill and Garland, 2016), in two levels: a tile's count is published in a word of 32 bits
 * as `partial`; of a group of 32 tiles the sum in one of 64, as `partial`, or with all that is in front of it as `inclusive`.
 * These wait for smaller tiles only. Whole warps call them.
 */
#ifndef ISOWARP_TEXT_LOOKBACK_H
#define ISOWARP_TEXT_LOOKBACK_H

#include <isowarp/kernel.h>

enum { COUNT_GROUP = 32, COUNT_PARTIAL = 1, COUNT_INCLUSIVE = 2 };

/* The tiles of a group in front of this one. */
IW_FN uint64_t counts_of_tiles(const uint64_t *words, uint64_t tile, uint32_t partial)
{
  const unsigned j = (unsigned)(tile % COUNT_GROUP);
  const iw_pred unneeded = iw_unless(iw_lanes_below(j));
  for (unsigned spins = 0;; iw_pause(&spins)) {
    const iw_polled_u32 word = iw_poll_u32(words, (int64_t)(tile - j), 0, (int)j);
    if (iw_all(iw_either(unneeded, iw_eq_u32(word.flag, iw_splat_u32(partial))))) return iw_warp_sum_u32(word.value);
  }
}

/* The groups in front of this one, from the last whose sum from the first on is known. */
IW_FN uint64_t counts_of_groups(const uint64_t *words, uint64_t group, uint32_t partial, uint32_t inclusive)
{
  const int64_t first = (int64_t)group - 32;
  if (group == 0) return 0;
  for (unsigned spins = 0;; iw_pause(&spins)) {
    const iw_polled_u64 word = iw_poll_u64(words, first, first < 0 ? (int)-first : 0, 32);
    const iw_mask known = iw_ballot(iw_eq_u32(word.flag, iw_splat_u32(inclusive)));
    const iw_mask ready = known | iw_ballot(iw_eq_u32(word.flag, iw_splat_u32(partial)));
    if (known == 0) continue;
    const iw_mask need = 0xffffffffu & ~(((iw_mask)1 << iw_highest(known)) - 1);
    if ((ready & need) == need) return iw_warp_sum_u64(iw_select_u64(iw_pred_of(need), word.value, iw_splat_u64(0)));
  }
}

#endif
