/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoupled look-back for the kernel templates of scan, partition, runs and the radix split, after
 * D. Merrill and M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016. iw_look_back
 * is what ScanTileState is in CUB: the tile states of a launch. It knows neither the operator nor what an
 * agent does with a tile.
 *
 * Two levels. The array is cut into tiles, and 32 tiles are a group. A tile has one state, which is never
 * revised. A group has up to two. Agents of CPUs may publish an equal state again. Tiles and groups have
 * arrays of their own (tile_states, group_states). Summation order 1 folds tiles within a group and groups
 * within the array separately (doc/design/scan.md#look-back), so a tile's exclusive prefix has two parts:
 * the fold over the tiles before it in its group, and the fold over the groups before. Neither part needs
 * the state of a tile in another group. The radix split has one level (below).
 *
 * A state is a flag and a value. The flag is 4 * epoch + a status, with an epoch that is new in every launch
 * (iw_tickets_open). Flags of earlier launches have another epoch, so their states are invalid without being
 * cleared. The value is
 *   TILE_AGGREGATE   the fold over the tile's (group's) own elements (CUB's SCAN_TILE_PARTIAL);
 *   TILE_INCLUSIVE   the fold over all elements up to its end, init included. Tiles are inclusive only in
 *                    the radix split and in segmented scans. In a segmented scan a tile that contains a
 *                    segment head takes no carry-in past the head, so the fold from its last head to its end
 *                    is its inclusive prefix.
 *
 * Order of publication (doc/design/scan.md#look-back). For each tile that it takes, a block
 *   1. publishes the tile's aggregate as soon as it knows it: publish_tile_T();
 *   2. publishes the aggregate of the group that the tile ends, if it ends one: publish_group_T(). For this
 *      it waits for the aggregates of the group's other tiles. The first group is inclusive at once;
 *   3. waits for the two parts of the tile's exclusive prefix;
 *   4. publishes the inclusive prefix of the group that the tile ends: publish_group_T().
 * Because of step 2 later groups can look back past a group whose exclusive prefix is still unknown. Scans
 * on CPUs leave step 2 out. Partition on CPUs has no groups, so it leaves out steps 2 and 4. In a round that
 * finishes an older tile, step 4 of the older tile comes before step 2 of the new one, or another warp does
 * it (reduce_segments/runs_in_tiles.h), since step 2 waits for other blocks, which may wait for that step 4.
 *
 * Forward progress. Blocks take tiles in the order of tickets, and a block waits only for states of tiles
 * before the smallest unpublished tile that it holds. So the block that holds the smallest unpublished tile
 * of all never waits. No other property of the scheduler is needed. Short scans and reductions on CPUs have
 * parts of the tiles by block index in place of tickets (scan/agent_single_warp.h), which needs the order in
 * which threads claim blocks (cpu/backend.c).
 *
 * Short scans, partitions and reductions by key on GPUs (agent_waiting.h of both, reduce_segments/
 * runs_waiting.h) have no states of groups and no tickets. A block may wait there for one that has not begun,
 * so it does that block's work itself after a while. Reductions on GPUs (scan/agent_reduce.h) wait for tiles
 * in the block that began last, or for groups with earlier tickets; they have no exclusive prefixes.
 */
#ifndef ISOWARP_ALGORITHMS_LOOK_BACK_H
#define ISOWARP_ALGORITHMS_LOOK_BACK_H

#include <assert.h>
#include <isowarp/algorithms/common/names.h>

enum { TILE_AGGREGATE = 1, TILE_INCLUSIVE = 2 }; /* 0 is CUB's SCAN_TILE_INVALID */
enum { LOOK_BACK_GROUP_TILES = 32 };             /* one warp reads the states of a group */

/* The tile states of a launch. */
typedef struct {
  uint64_t *tile_states, *group_states;
  uint32_t epoch; /* of the launch */
} iw_look_back;

/* All flags are made here. */
IW_FN uint32_t tile_flag(const iw_look_back *look_back, int status)
{
  return look_back->epoch * 4 + (uint32_t)status;
}

IW_FN int tile_status(int is_inclusive) { return is_inclusive ? TILE_INCLUSIVE : TILE_AGGREGATE; }

/* The lanes whose states have a status. */
IW_FN iw_pred have_status(const iw_look_back *look_back, iw_u32 flags, int status)
{
  return iw_eq_u32(flags, iw_splat_u32(tile_flag(look_back, status)));
}

IW_FN int ends_group(uint64_t tile) { return tile % LOOK_BACK_GROUP_TILES == LOOK_BACK_GROUP_TILES - 1; }

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

/* ---- Counts, of partition and runs ----
 * Integer sums do not depend on the order of additions, so a warp reduction replaces the left fold. A tile's
 * count has 32 bits, a group's 64. */

/* Waits for all tiles before `tile` in its group. Returns the sum of their counts. */
IW_FN uint64_t wait_tile_counts(const iw_look_back *look_back, uint64_t tile)
{
  const unsigned before = (unsigned)(tile % LOOK_BACK_GROUP_TILES);
  iw_polled_u32 states;
  iw_mask heads;
  for (unsigned spins = 0; !try_load_tile_states_u32(look_back, tile - before, before, 0, &states, &heads);)
    iw_pause(&spins);
  return iw_warp_sum_u32(states.value);
}

/* Waits for the look-back window of the group of `tile`. Returns the sum of the counts of all groups before
 * that group. */
IW_FN uint64_t wait_group_counts(const iw_look_back *look_back, uint64_t tile)
{
  const uint64_t group = tile / LOOK_BACK_GROUP_TILES;
  unsigned inclusive_lane = 0;
  if (group == 0) return 0;
  const iw_polled_u64 states = wait_look_back_window_u64(look_back, group, &inclusive_lane);
  return iw_warp_sum_u64(iw_select_u64(iw_lanes_below(inclusive_lane), iw_splat_u64(0), states.value));
}

/* Publishes the state of the group that `tile` ends. The aggregate of the first group is its inclusive
 * prefix. */
IW_FN void publish_group_counts(const iw_look_back *look_back, uint64_t tile, int status, uint64_t count)
{
  const uint64_t group = tile / LOOK_BACK_GROUP_TILES;
  publish_group_u64(look_back, group, group ? status : TILE_INCLUSIVE, count);
}

/* ---- Run heads, of run lengths and of short reductions by key and short partitions ----
 * A tile's state has the number of its heads, and the place behind the last one in the tile; each has 16
 * bits. Groups have a second array of states, of the index behind their last head. Indices ascend, so the
 * last one of several is the largest. */

/* last: behind the last head, a place in the tile or an index; 0: there is no head. */
typedef struct { uint64_t count, last; } tile_heads;

IW_FN void publish_tile_heads(const iw_look_back *look_back, uint64_t tile, tile_heads heads)
{
  publish_tile_u32(look_back, tile, TILE_AGGREGATE, (uint32_t)(heads.last << 16 | heads.count));
}

/* Sets *heads to the number of heads of the `count` tiles from `first` on, at most a group of them, of
 * `elements` elements each, and to the index behind the last head. Returns 0, and leaves *heads alone, if
 * one of the tiles has not been published; else 1. */
IW_FN int try_load_heads_of_tiles(const iw_look_back *look_back, uint64_t first, unsigned count, uint32_t elements, tile_heads *heads)
{
  iw_polled_u32 states;
  iw_mask none;
  if (!try_load_tile_states_u32(look_back, first, count, 0, &states, &none)) return 0;
  const iw_u32 counts = iw_and_u32(states.value, iw_splat_u32(0xffff)), zero = iw_splat_u32(0);
  const iw_u32 lasts = iw_add_u32(iw_mul_u32(iw_lane(), iw_splat_u32(elements)), iw_shr_u32(states.value, iw_splat_u32(16)));
  const uint32_t last = iw_warp_max_u32(iw_select_u32(iw_eq_u32(counts, zero), zero, lasts));
  heads->count = iw_warp_sum_u32(counts);
  heads->last = last ? first * elements + last : 0;
  return 1;
}

/* Waits for all tiles before `tile` in its group. Returns their heads, as try_load_heads_of_tiles does. */
IW_FN tile_heads wait_tile_heads(const iw_look_back *look_back, uint64_t tile, uint32_t elements)
{
  const unsigned before = (unsigned)(tile % LOOK_BACK_GROUP_TILES);
  tile_heads heads;
  for (unsigned spins = 0; !try_load_heads_of_tiles(look_back, tile - before, before, elements, &heads);) iw_pause(&spins);
  return heads;
}

/* Waits for the look-back window of the group of `tile`, by the states of last heads. Returns the index
 * behind the last head of all groups before that group. */
IW_FN uint64_t wait_group_last(const iw_look_back *look_back, uint64_t tile)
{
  const uint64_t group = tile / LOOK_BACK_GROUP_TILES;
  unsigned inclusive_lane = 0;
  if (group == 0) return 0;
  const iw_polled_u64 states = wait_look_back_window_u64(look_back, group, &inclusive_lane);
  return iw_warp_max_u64(iw_select_u64(iw_lanes_below(inclusive_lane), iw_splat_u64(0), states.value));
}

/* ---- Counts of digits, of the radix split ----
 * A tile has a state for each of `digits` digits. A warp looks back for 32 of them at a time, one in each
 * lane; tile_states points to the state of its first digit in tile 0. There are no groups: a tile publishes
 * its aggregates and then its inclusive prefixes, and look-back goes from tile to tile up to an inclusive
 * one. */

/* Publishes the states of a tile: 32 aggregates in step 1, 32 inclusive prefixes in step 4. */
IW_FN void publish_digit_counts(const iw_look_back *look_back, uint64_t tile, int64_t digits, int status,
                                iw_u32 counts)
{
  iw_publish_lanes_u32(look_back->tile_states, (int64_t)tile * digits, IW_WARP_SIZE,
                       tile_flag(look_back, status), counts);
}

/* Loads the states of the `window` tiles before `tile`, the nearest first. Nothing is before tile 0. */
IW_FN void poll_digit_counts(const iw_look_back *look_back, int64_t tile, int64_t digits, int window,
                             iw_polled_u32 *states)
{
  IW_UNROLL for (int b = 0; b < window; b++)
    states[b] = iw_poll_u32(look_back->tile_states, (tile - 1 - b) * digits, 0, b < tile ? IW_WARP_SIZE : 0);
}

/* The sums of the counts of all tiles before `tile`, the nearest of which have been polled. Waits for each
 * tile that it needs. A tile publishes all counts alike, so states whose flags differ will soon be complete.
 */
IW_FN iw_u32 wait_digit_counts(const iw_look_back *look_back, int64_t tile, int64_t digits, int window,
                               iw_polled_u32 *states)
{
  iw_u32 sum = iw_splat(0u);
  for (unsigned spins = 0;;) {
    int known = 0;
    IW_UNROLL for (int b = 0; b < window; b++) {
      const int inclusive = iw_all(have_status(look_back, states[b].flag, TILE_INCLUSIVE));
      if (known < b) continue;
      if (!inclusive && !iw_all(have_status(look_back, states[b].flag, TILE_AGGREGATE))) continue;
      sum = iw_add(sum, states[b].value);
      if (inclusive) return sum;
      known++;
    }
    tile -= known;
    if (!known) iw_pause(&spins);
    poll_digit_counts(look_back, tile, digits, window, states);
  }
}

#endif
