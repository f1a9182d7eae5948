/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive and exclusive scan in order 1: single pass with decoupled look-back (Merrill and Garland, 2016), "park and trail".
 * A block takes a tile, scans it, publishes its total at once, and parks it in shared memory; it finishes the tile that it
 * parked SCAN_TRAIL rounds ago, when all that comes before has long been published, so that hardly anyone waits.
 * Compiled once per T and OP. No tuning number can change a bit.
 */
#include "order1.h"

#define SHARED IW_JOIN(scan_shared, IW_JOIN(OP, T))
#define PLACE IW_JOIN(scan_place_of, IW_JOIN(OP, T))

#ifndef IW_KERNELS_SCAN_H
#define IW_KERNELS_SCAN_H
enum { SCAN_SLOTS = SCAN_TRAIL + SCAN_PARK_EARLY, SCAN_TURNS = SCAN_TRAIL + 1 };
enum { PARTIAL = 1, INCLUSIVE = 2 };
#define IS_DIRECT(turn) (SCAN_DIRECT && iw_get_u32(&shared->direct[turn]))
#endif

typedef struct {
  SCALAR parked[SCAN_SLOTS][TILE];                        /* tiles that wait for what comes before them */
  SCALAR warp_sibling[SCAN_TURNS][SCAN_WARPS][WARP_LEVELS]; /* totals of each warp's left siblings */
  SCALAR warp_end[SCAN_TURNS][SCAN_WARPS];                /* the last element of each chunk, in its tile */
  SCALAR tile_total[SCAN_TURNS], warp_total[32], tile_sibling[5], before_tile, group_prefix, group_total;
  uint32_t direct[SCAN_TURNS];                            /* whether the tile was finished as it was loaded */
} SHARED;

/* The totals of the tiles of a group before tile j, if all are there; `own` in the lanes from j on. */
IW_FN int OF_OP(scan_group_known)(const iw_scan_args *args, uint64_t group, unsigned j, uint32_t partial, SCALAR own, LANES *totals)
{
  const iw_pred before = iw_lanes_below(j);
  const IW_JOIN(iw_polled, T) words = OF_T(iw_poll)(args->tile_words, (int64_t)(group * GROUP_TILES), 0, (int)j);
  *totals = OF_T(iw_select)(before, words.value, OF_T(iw_splat)(own));
  return iw_all(iw_either(iw_unless(before), iw_eq_u32(words.flag, iw_splat_u32(partial))));
}

/* The same, when all are there. */
IW_FN LANES OF_OP(scan_group)(const iw_scan_args *args, uint64_t group, unsigned j, uint32_t partial, SCALAR own)
{
  LANES totals;
  for (unsigned spins = 0; !OF_OP(scan_group_known)(args, group, j, partial, own, &totals);) iw_pause(&spins);
  return totals;
}

/* The tree over a group's tiles: what tile j needs of it. */
IW_FN void OF_OP(scan_siblings)(SHARED *shared, unsigned j, LANES totals)
{
  IW_UNROLL for (unsigned b = 0; b < 5; b++) {
    OF_T(iw_set)(&shared->tile_sibling[b], OF_T(iw_at)(totals, iws_below(j, b) & 31));
    totals = OF_OP(iw_level)(totals, (int)b);
  }
  OF_T(iw_set)(&shared->group_total, OF_T(iw_at)(totals, 31));
  OF_T(iw_set)(&shared->before_tile, OF_T(iw_at)(totals, (j + 31) % 32));
}

/* The left fold over the groups before, from the last one whose fold is known. */
IW_FN SCALAR OF_OP(scan_before)(const iw_scan_args *args, uint64_t group, uint32_t partial, uint32_t inclusive)
{
  const int64_t first = (int64_t)group - 32;
  for (unsigned spins = 0;; iw_pause(&spins)) {
    const IW_JOIN(iw_polled, T) words = OF_T(iw_poll)(args->group_words, first, first < 0 ? (int)-first : 0, 32);
    const iw_mask known = iw_ballot(iw_eq_u32(words.flag, iw_splat_u32(inclusive)));
    const iw_mask ready = known | iw_ballot(iw_eq_u32(words.flag, iw_splat_u32(partial)));
    if (known == 0) continue;
    const unsigned from = iw_highest(known);
    const iw_mask need = 0xffffffffu & ~(((iw_mask)2 << from) - 1);
    if ((ready & need) != need) continue;
    SCALAR prefix = OF_T(iw_at)(words.value, from);
    for (unsigned q = from + 1; q < 32; q++) prefix = OF_OP(iws)(prefix, OF_T(iw_at)(words.value, q));
    return prefix;
  }
}

/* The left fold over the groups before and what tile_siblings wants, if the tile's turn has come: for one warp alone. */
IW_FN int OF_OP(scan_known)(const iw_scan_args *args, SHARED *shared, uint64_t tile, uint32_t partial, uint32_t inclusive)
{
  const uint64_t group = tile / GROUP_TILES;
  const unsigned j = (unsigned)(tile % GROUP_TILES);
  LANES totals;
  if (group > 0) {
    const IW_JOIN(iw_polled, T) word = OF_T(iw_poll)(args->group_words, (int64_t)group - 1, 0, 1);
    if (iw_at_u32(word.flag, 0) != inclusive) return 0;
    OF_T(iw_set)(&shared->group_prefix, OF_T(iw_at)(word.value, 0));
  }
  if (!OF_OP(scan_group_known)(args, group, j, partial, OF_OP(iws_identity)(), &totals)) return 0;
  OF_OP(scan_siblings)(shared, j, totals);
  return 1;
}

/* Where a chunk goes and what is in front of it: the totals of the tile's left siblings, the groups before, and in an
 * exclusive scan the element in front of the next row. */
typedef struct {
  SCALAR *out;
  SCALAR sibling[5], prefix, before;
  unsigned j;
} PLACE;

/* From an element's value in its tile to its value in the scan; add is for one or for a row. */
#define ABOVE_TILE(add, x) do { \
    IW_UNROLL for (int b = 0; b < 5; b++) if (place->j >> b & 1) x = add(place->sibling[b], x); \
    x = add(place->prefix, x); \
  } while (0)

IW_FN SCALAR OF_OP(scan_end)(const PLACE *place, SCALAR x) { ABOVE_TILE(OF_OP(iws), x); return x; }

IW_FN PLACE OF_OP(scan_place)(const iw_scan_args *args, const SHARED *shared, uint64_t tile, unsigned warp, unsigned turn)
{
  PLACE place_, *const place = &place_;
  place->out = (SCALAR *)args->out + tile * TILE + warp * CHUNK;
  place->j = (unsigned)(tile % GROUP_TILES);
  place->prefix = tile >= GROUP_TILES ? OF_T(iw_get)(&shared->group_prefix) : args->init.T;
  place->before = args->first.T;
  IW_UNROLL for (int b = 0; b < 5; b++) place->sibling[b] = OF_T(iw_get)(&shared->tile_sibling[b]);
  if (args->exclusive && warp > 0)
    place->before = OF_OP(scan_end)(place, OF_T(iw_get)(&shared->warp_end[turn][warp - 1]));
  else if (args->exclusive && tile > 0)
    place->before = place->j ? OF_OP(iws)(place->prefix, OF_T(iw_get)(&shared->before_tile)) : place->prefix;
  return place_;
}

/* The levels above the tile, then the prefix. */
#define FINISH(k, x, valid) do { \
    ABOVE_TILE(OF_OP(iw_row), x); \
    if (args->exclusive) { \
      const SCALAR last_ = OF_T(iw_row_last)(x); \
      x = OF_T(iw_row_shift)(x, place->before); \
      place->before = last_; \
    } \
    OF_T(iw_row_store)(place->out + (k) * IW_ROW(T), x, valid, args->stream); \
  } while (0)

/* A round loads one tile and finishes the one of SCAN_TRAIL rounds ago; the last rounds only finish, the first only load. */
IW_KERNEL_SIZED(OF_OP(scan), SHARED, iw_scan_args, SCAN_WARPS * 32, SCAN_BLOCKS(sizeof(SCALAR)))
{
  IW_VAR_ARRAY(IW_PASTE(iw_row_, T), rows, SCAN_PARK_EARLY ? 1 : ROWS);
  uint32_t first;
  const uint32_t epoch = iw_open(args->tickets, &first), partial = epoch * 4 + PARTIAL, inclusive = epoch * 4 + INCLUSIVE;
  const uint64_t none = args->tiles;
  uint64_t tile = first, trail[SCAN_TURNS];  /* trail[SCAN_TRAIL] is the round's own */
  IW_UNROLL for (int d = 0; d < SCAN_TURNS; d++) trail[d] = none;
  for (unsigned round = 0, behind = 0; tile < none || behind > 0; round++) {
    const unsigned turn = round % SCAN_TURNS, slot = round % SCAN_SLOTS;
    const int loading = tile < none;
    trail[SCAN_TRAIL] = loading ? tile : none;
    const uint64_t done = trail[0], group = done / GROUP_TILES;
    const unsigned j = (unsigned)(done % GROUP_TILES), done_turn = (round + 1) % SCAN_TURNS, done_slot = (round + SCAN_SLOTS - SCAN_TRAIL) % SCAN_SLOTS;
    const int finishing = done < none;

    if (loading)
      IW_PHASE(warp) {                                    /* the tree inside each warp's chunk */
        const uint64_t at = tile * TILE + warp * CHUNK;
        const int64_t valid = (int64_t)(args->n - at);
        const SCALAR *const in = (const SCALAR *)args->in + at;
        SCALAR total = 0;
        if (SCAN_DIRECT && valid >= CHUNK && OF_OP(scan_known)(args, shared, tile, partial, inclusive)) {
          PLACE place_ = OF_OP(scan_place)(args, shared, tile, warp, turn), *const place = &place_;
#define FINISH_FULL(k, x) FINISH(k, x, IW_ROW(T))
          OVER_CHUNK(total, in, CHUNK, FINISH_FULL);
#undef FINISH_FULL
          OF_T(iw_publish)(args->tile_words, (size_t)tile, partial, total);
          if (place->j == GROUP_TILES - 1)
            OF_T(iw_publish)(args->group_words, (size_t)(tile / GROUP_TILES), inclusive, OF_OP(scan_end)(place, total));
          iw_set_u32(&shared->direct[turn], 1);
        } else {
#define KEEP(k, x) if (SCAN_PARK_EARLY) OF_T(iw_row_park)(shared->parked[slot] + warp * CHUNK + (k) * IW_ROW(T), x); \
                   else IW_MY(rows)[SCAN_PARK_EARLY ? 0 : (k)] = x
          OVER_CHUNK(total, in, valid, KEEP);
#undef KEEP
          OF_T(iw_set)(&shared->warp_total[warp], total);
          if (SCAN_DIRECT) iw_set_u32(&shared->direct[turn], 0);
        }
      }

    IW_PHASE(warp) {
      if (loading && !IS_DIRECT(turn)) {                  /* the tree over the warps; publish at once */
        const iw_pred some = iw_lanes_below(SCAN_WARPS);
        LANES totals = OF_T(iw_select)(some, OF_T(iw_load)(shared->warp_total, some), OF_T(iw_splat)(OF_OP(iws_identity)()));
        IW_UNROLL for (unsigned b = 0; 1u << b < SCAN_WARPS; b++) {
          const SCALAR sibling = OF_T(iw_at)(totals, iws_below(warp, b) & 31);
          if (SCAN_PARK_EARLY) OF_T(iw_set)(&shared->warp_sibling[turn][warp][b], sibling);
          else if (warp >> b & 1)
            IW_UNROLL_ROWS for (int k = 0; k < (SCAN_PARK_EARLY ? 1 : ROWS); k++) IW_MY(rows)[k] = OF_OP(iw_row)(sibling, IW_MY(rows)[k]);
          totals = OF_OP(iw_level)(totals, (int)b);
        }
        OF_T(iw_set)(&shared->warp_end[turn][warp], OF_T(iw_at)(totals, warp));
        const SCALAR total = OF_T(iw_at)(totals, SCAN_WARPS - 1);
        if (warp == 0) {
          OF_T(iw_publish)(args->tile_words, (size_t)tile, partial, total);
          OF_T(iw_set)(&shared->tile_total[turn], total);
        }
        if (warp == SCAN_WARPS / 2 && tile % GROUP_TILES == GROUP_TILES - 1 && tile >= GROUP_TILES) /* the group's, early */
          OF_T(iw_publish)(args->group_words, (size_t)(tile / GROUP_TILES), partial,
                           OF_OP(iw_warp)(OF_OP(scan_group)(args, tile / GROUP_TILES, GROUP_TILES - 1, partial, total)));
      }
      if (finishing && warp == 0 && !IS_DIRECT(done_turn)) /* the tree over the group's tiles */
        OF_OP(scan_siblings)(shared, j, OF_OP(scan_group)(args, group, j, partial, OF_T(iw_get)(&shared->tile_total[done_turn])));
      if (finishing && warp == SCAN_WARPS - 1 && group > 0 && !IS_DIRECT(done_turn))
        OF_T(iw_set)(&shared->group_prefix, OF_OP(scan_before)(args, group, partial, inclusive));
    }

    IW_WARPS(warp) {
      if (finishing && !IS_DIRECT(done_turn)) {
        PLACE place_ = OF_OP(scan_place)(args, shared, done, warp, done_turn), *const place = &place_;
        if (j == GROUP_TILES - 1 && warp == 0)
          OF_T(iw_publish)(args->group_words, (size_t)group, inclusive, OF_OP(iws)(place->prefix, OF_T(iw_get)(&shared->group_total)));
        const int64_t valid = (int64_t)(args->n - (done * TILE + warp * CHUNK));
        const SCALAR *const parked = shared->parked[done_slot] + warp * CHUNK;
#define FINISH_PARKED(k, row_valid) do { \
          IW_PASTE(iw_row_, T) x = OF_T(iw_row_unpark)(parked + (k) * IW_ROW(T)); \
          if (SCAN_PARK_EARLY)                            /* the levels above the chunk */ \
            IW_UNROLL for (int b = 0; 1 << b < SCAN_WARPS; b++) \
              if (warp >> b & 1) x = OF_OP(iw_row)(OF_T(iw_get)(&shared->warp_sibling[done_turn][warp][b]), x); \
          FINISH(k, x, row_valid); \
        } while (0)
        if (valid >= CHUNK) IW_UNROLL_ROWS for (int k = 0; k < ROWS; k++) FINISH_PARKED(k, IW_ROW(T));
        else IW_UNROLL_ROWS for (int k = 0; k < ROWS; k++) FINISH_PARKED(k, valid - k * IW_ROW(T));
#undef FINISH_PARKED
      }
      if (loading && !SCAN_PARK_EARLY)
        IW_UNROLL_ROWS for (int k = 0; k < (SCAN_PARK_EARLY ? 1 : ROWS); k++)
          OF_T(iw_row_park)(shared->parked[slot] + warp * CHUNK + k * IW_ROW(T), IW_MY(rows)[k]);
    }
    tile = iw_ticket(args->tickets);                      /* last: nothing may stand between a ticket and its publication */
    behind += (unsigned)loading - (unsigned)finishing;
    IW_UNROLL for (int d = 0; d < SCAN_TRAIL; d++) trail[d] = trail[d + 1];
  }
  iw_close(args->tickets);
}

#undef SHARED
#undef PLACE
#undef ABOVE_TILE
#undef FINISH
#undef ROWS
#undef AHEAD
#undef OVER_CHUNK
