/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive and exclusive scan in order 1: single pass with decoupled look-back (Merrill and Garland, 2016), "park and trail".
 * A block takes a tile, scans it, publishes its total at once, and parks it in shared memory; it finishes the tile that it
 * parked SCAN_TRAIL rounds ago, when all that comes before has long been published, so that hardly anyone waits.
 * Compiled once per T and OP. No tuning number can change a bit.
 */
#include "order1.h"

#define SHARED IW_JOIN(scan_shared, IW_JOIN(OP, T))

#ifndef IW_KERNELS_SCAN_H
#define IW_KERNELS_SCAN_H
enum { SCAN_SLOTS = SCAN_TRAIL + SCAN_PARK_EARLY, SCAN_TURNS = SCAN_TRAIL + 1 };
enum { PARTIAL = 1, INCLUSIVE = 2 };
#endif

typedef struct {
  SCALAR parked[SCAN_SLOTS][TILE];                        /* tiles that wait for what comes before them */
  SCALAR warp_sibling[SCAN_TURNS][SCAN_WARPS][WARP_LEVELS]; /* totals of each warp's left siblings */
  SCALAR warp_end[SCAN_TURNS][SCAN_WARPS];                /* the last element of each chunk, in its tile */
  SCALAR tile_total[SCAN_TURNS], warp_total[32], tile_sibling[5], before_tile, group_prefix, group_total;
} SHARED;

/* The totals of the tiles of a group before tile j, when all are there; `own` in the lanes from j on. */
IW_FN LANES OF_OP(scan_group)(const iw_scan_args *args, uint64_t group, unsigned j, uint32_t partial, SCALAR own)
{
  const iw_pred before = iw_lanes_below(j);
  for (unsigned spins = 0;; iw_pause(&spins)) {
    const IW_JOIN(iw_polled, T) words = OF_T(iw_poll)(args->tile_words, (int64_t)(group * GROUP_TILES), 0, (int)j);
    if (iw_all(iw_either(iw_unless(before), iw_eq_u32(words.flag, iw_splat_u32(partial)))))
      return OF_T(iw_select)(before, words.value, OF_T(iw_splat)(own));
  }
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

/* From an element's value in its tile to its value in the scan; add is for one or for a row. */
#define ABOVE_TILE(add, x) do { \
    IW_UNROLL for (int b = 0; b < 5; b++) if (j >> b & 1) x = add(sibling[b], x); \
    x = add(prefix, x); \
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
        SCALAR total = 0;
#define KEEP(k, x) if (SCAN_PARK_EARLY) OF_T(iw_row_park)(shared->parked[slot] + warp * CHUNK + (k) * IW_ROW(T), x); \
                   else IW_MY(rows)[SCAN_PARK_EARLY ? 0 : (k)] = x
        OVER_CHUNK(total, (const SCALAR *)args->in + at, (int64_t)(args->n - at), KEEP);
#undef KEEP
        OF_T(iw_set)(&shared->warp_total[warp], total);
      }

    IW_PHASE(warp) {
      if (loading) {                                      /* the tree over the warps; publish at once */
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
      if (finishing && warp == 0) {                       /* the tree over the group's tiles */
        LANES totals = OF_OP(scan_group)(args, group, j, partial, OF_T(iw_get)(&shared->tile_total[done_turn]));
        IW_UNROLL for (unsigned b = 0; b < 5; b++) {
          OF_T(iw_set)(&shared->tile_sibling[b], OF_T(iw_at)(totals, iws_below(j, b) & 31));
          totals = OF_OP(iw_level)(totals, (int)b);
        }
        OF_T(iw_set)(&shared->group_total, OF_T(iw_at)(totals, 31));
        OF_T(iw_set)(&shared->before_tile, OF_T(iw_at)(totals, (j + 31) % 32));
      }
      if (finishing && warp == SCAN_WARPS - 1 && group > 0)
        OF_T(iw_set)(&shared->group_prefix, OF_OP(scan_before)(args, group, partial, inclusive));
    }

    IW_WARPS(warp) {
      if (finishing) {                                    /* the levels above the chunk, then the prefix */
        const SCALAR prefix = group ? OF_T(iw_get)(&shared->group_prefix) : args->init.T;
        if (j == GROUP_TILES - 1 && warp == 0)
          OF_T(iw_publish)(args->group_words, (size_t)group, inclusive, OF_OP(iws)(prefix, OF_T(iw_get)(&shared->group_total)));
        const uint64_t at = done * TILE + warp * CHUNK;
        const int64_t valid = (int64_t)(args->n - at);
        SCALAR *const out = (SCALAR *)args->out + at;
        SCALAR sibling[5];
        IW_UNROLL for (int b = 0; b < 5; b++) sibling[b] = OF_T(iw_get)(&shared->tile_sibling[b]);
        const SCALAR *const parked = shared->parked[done_slot] + warp * CHUNK;
        SCALAR before = args->first.T;                    /* an exclusive scan's output in front of the chunk */
        if (args->exclusive && warp > 0) {
          before = OF_T(iw_get)(&shared->warp_end[done_turn][warp - 1]);
          ABOVE_TILE(OF_OP(iws), before);
        } else if (args->exclusive && done > 0)
          before = j ? OF_OP(iws)(prefix, OF_T(iw_get)(&shared->before_tile)) : prefix;
#define FINISH(k, row_valid) do { \
          IW_PASTE(iw_row_, T) x = OF_T(iw_row_unpark)(parked + (k) * IW_ROW(T)); \
          if (SCAN_PARK_EARLY) \
            IW_UNROLL for (int b = 0; 1 << b < SCAN_WARPS; b++) \
              if (warp >> b & 1) x = OF_OP(iw_row)(OF_T(iw_get)(&shared->warp_sibling[done_turn][warp][b]), x); \
          ABOVE_TILE(OF_OP(iw_row), x); \
          if (args->exclusive) { \
            const SCALAR last = OF_T(iw_row_last)(x); \
            x = OF_T(iw_row_shift)(x, before); \
            before = last; \
          } \
          OF_T(iw_row_store)(out + (k) * IW_ROW(T), x, row_valid, args->stream); \
        } while (0)
        if (valid >= CHUNK) IW_UNROLL_ROWS for (int k = 0; k < ROWS; k++) FINISH(k, IW_ROW(T));
        else IW_UNROLL_ROWS for (int k = 0; k < ROWS; k++) FINISH(k, valid - k * IW_ROW(T));
#undef FINISH
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
#undef ABOVE_TILE
#undef ROWS
#undef OVER_CHUNK
