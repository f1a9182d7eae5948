/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoupled look-back for the kernel templates of scan and partition, after D. Merrill and M. Garland,
 * "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016. It knows neither the operator nor what
 * an agent does with a tile.
 *
 * Two levels. The array is cut into tiles, and 32 tiles are a group. Every tile publishes a tile state once,
 * every group up to twice, in arrays of their own (tile_states, group_states). Summation order 1 folds tiles
 * within a group and groups within the array separately (doc/decisions/017), so a tile's exclusive prefix
 * has two parts: the fold over the tiles before it in its group, and the fold over the groups before.
 * Neither part needs the state of a tile in another group.
 *
 * A state is a flag and a value. The flag is 4 * epoch + TILE_AGGREGATE, or 4 * epoch + TILE_INCLUSIVE, with
 * an epoch that is new in every launch (iw_tickets_open). All other flags are CUB's SCAN_TILE_INVALID, so
 * states of earlier launches are invalid without being cleared. The value is
 *   aggregate   the fold over the tile's (group's) own elements;
 *   inclusive   the fold over all elements up to its end, init included. A tile is inclusive only in
 *               segmented scans: a tile that contains a segment head takes no carry-in past the head, so the
 *               fold from its last head to its end is its inclusive prefix.
 *
 * Forward progress. Blocks take tiles in the order of tickets, publish the aggregate of a tile before they
 * wait for anything, and wait for states of smaller tiles only. So the block that holds the smallest
 * unpublished tile never waits. No other property of the scheduler is needed; doc/decisions/017 has the
 * order of publication.
 */
#ifndef ISOWARP_ALGORITHMS_LOOK_BACK_H
#define ISOWARP_ALGORITHMS_LOOK_BACK_H

#include <assert.h>
#include <isowarp/algorithms/common/names.h>

enum { TILE_AGGREGATE = 1, TILE_INCLUSIVE = 2 }; /* added to 4 * epoch */
enum { LOOK_BACK_GROUP_TILES = 32 };             /* one warp reads the states of a group */

#define TILE_STATE_TYPE i32
#include <isowarp/algorithms/common/tile_state.h>
#undef TILE_STATE_TYPE
#define TILE_STATE_TYPE u32
#include <isowarp/algorithms/common/tile_state.h>
#undef TILE_STATE_TYPE
#define TILE_STATE_TYPE i64
#include <isowarp/algorithms/common/tile_state.h>
#undef TILE_STATE_TYPE
#define TILE_STATE_TYPE u64
#include <isowarp/algorithms/common/tile_state.h>
#undef TILE_STATE_TYPE
#define TILE_STATE_TYPE f32
#include <isowarp/algorithms/common/tile_state.h>
#undef TILE_STATE_TYPE
#define TILE_STATE_TYPE f64
#include <isowarp/algorithms/common/tile_state.h>
#undef TILE_STATE_TYPE

/* Look-back of counts, for partition. Integer sums do not depend on the order of additions, so a warp
 * reduction replaces the left fold. A tile's count has 32 bits, a group's 64. */

/* Waits for all tiles before `tile` in its group. Returns the sum of their counts. */
IW_FN uint64_t wait_tile_count_prefix(const uint64_t *tile_states, uint64_t tile, uint32_t aggregate_flag)
{
  const unsigned before = (unsigned)(tile % LOOK_BACK_GROUP_TILES);
  iw_polled_u32 states;
  iw_mask heads;
  for (unsigned spins = 0; !try_load_tile_states_u32(tile_states, tile - before, before, aggregate_flag, 0,
                                                     &states, &heads);)
    iw_pause(&spins);
  return iw_warp_sum_u32(states.value);
}

/* Waits for the look-back window of `group`. Returns the sum of the counts of all groups before it. */
IW_FN uint64_t wait_group_count_prefix(const uint64_t *group_states, uint64_t group, uint32_t aggregate_flag,
                                       uint32_t inclusive_flag)
{
  unsigned inclusive_lane = 0;
  if (group == 0) return 0;
  const iw_polled_u64 states = wait_look_back_window_u64(group_states, group, aggregate_flag, inclusive_flag,
                                                         &inclusive_lane);
  return iw_warp_sum_u64(iw_select_u64(iw_lanes_below(inclusive_lane), iw_splat_u64(0), states.value));
}

#endif
