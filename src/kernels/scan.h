/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive and exclusive scan in order 1: single pass with decoupled look-back (Merrill and Garland, 2016), "park and trail".
 * A block takes a tile, scans it, publishes its total at once, and parks it in shared memory; it finishes the tile that it
 * parked SCAN_TRAIL rounds ago, when all that comes before has long been published, so that hardly anyone waits.
 * Compiled once per T and OP. No tuning number can change a bit.
 */
#include "order1.h"

#define SHARED IW_JOIN(scan_shared, IW_JOIN(OP, T))
#define FINISH OF_OP(scan_finish)

#ifndef IW_KERNELS_SCAN_H
#define IW_KERNELS_SCAN_H
enum { SCAN_SLOTS = SCAN_TRAIL + SCAN_PARK_EARLY > 0 ? SCAN_TRAIL + SCAN_PARK_EARLY : 1 };
enum { PARTIAL = 1, INCLUSIVE = 2 };
#endif

typedef struct {
  SCALAR parked[SCAN_SLOTS][TILE];                          /* tiles that wait for what comes before them */
  SCALAR warp_sibling[SCAN_TRAIL + 1][SCAN_WARPS][WARP_LEVELS]; /* totals of each warp's left siblings */
  SCALAR tile_total[SCAN_TRAIL + 1], warp_total[32], tile_sibling[5], before_tile, group_prefix, group_total;
} SHARED;

/* The value of an element of a parked tile, from its value in its chunk. */
#define WITH_LEVELS(add, x, w) do { \
    if (SCAN_PARK_EARLY) IW_UNROLL for (int b = 0; 1 << b < SCAN_WARPS; b++) \
      if ((w) >> b & 1) x = add(OF_T(iw_get)(&shared->warp_sibling[turn][w][b]), x); \
    IW_UNROLL for (int b = 0; b < 5; b++) if (j >> b & 1) x = add(OF_T(iw_get)(&shared->tile_sibling[b]), x); \
    x = add(prefix, x); \
  } while (0)

IW_FN void FINISH(iw_block *block, SHARED *shared, const iw_scan_args *args, uint32_t epoch, uint64_t tile, unsigned round)
{
  const unsigned slot = round % SCAN_SLOTS, turn = round % (SCAN_TRAIL + 1), j = (unsigned)(tile % GROUP_TILES);
  const uint64_t group = tile / GROUP_TILES;
  const uint32_t partial = epoch * 4 + PARTIAL, inclusive = epoch * 4 + INCLUSIVE;
  IW_PHASE(warp) {
    if (warp == 0) {                                        /* the tree over the group's tiles */
      IW_JOIN(iw_polled, T) words;
      for (unsigned spins = 0;; iw_pause(&spins)) {
        words = OF_T(iw_poll)(args->tile_words, (int64_t)group * GROUP_TILES, 0, (int)j);
        if (iw_all(iw_either(iw_unless(iw_lanes_below(j)), iw_eq_u32(words.flag, iw_splat_u32(partial))))) break;
      }
      LANES totals = OF_T(iw_select)(iw_eq_u32(iw_lane(), iw_splat_u32(j)),
                                     OF_T(iw_splat)(OF_T(iw_get)(&shared->tile_total[turn])), words.value);
      IW_UNROLL for (unsigned b = 0; b < 5; b++) {
        OF_T(iw_set)(&shared->tile_sibling[b], OF_T(iw_at)(totals, iws_below(j, b) & 31));
        totals = OF_OP(iw_level)(totals, (int)b);
      }
      OF_T(iw_set)(&shared->group_total, OF_T(iw_at)(totals, 31));
      OF_T(iw_set)(&shared->before_tile, OF_T(iw_at)(totals, (j + 31) % 32));
    }
    if (warp == SCAN_WARPS - 1 && group > 0) {              /* the left fold over the groups before, from where it is known */
      const int64_t first = (int64_t)group - 32;
      for (unsigned spins = 0;; iw_pause(&spins)) {
        const IW_JOIN(iw_polled, T) words = OF_T(iw_poll)(args->group_words, first, first < 0 ? (int)-first : 0, 32);
        const iw_mask known = iw_ballot(iw_eq_u32(words.flag, iw_splat_u32(inclusive)));
        const iw_mask ready = known | iw_ballot(iw_eq_u32(words.flag, iw_splat_u32(partial)));
        if (known == 0) continue;
        const unsigned from = iw_highest(known);
        const iw_mask need = from == 31 ? 0 : 0xffffffffu & ~(((iw_mask)2 << from) - 1);
        if ((ready & need) != need) continue;
        SCALAR prefix = OF_T(iw_at)(words.value, from);
        for (unsigned q = from + 1; q < 32; q++) prefix = OF_OP(iws)(prefix, OF_T(iw_at)(words.value, q));
        OF_T(iw_set)(&shared->group_prefix, prefix);
        break;
      }
    }
  }
  IW_PHASE(warp) {                                          /* the levels above the warp, then the prefix */
    const SCALAR prefix = group ? OF_T(iw_get)(&shared->group_prefix) : args->init.T;
    if (j == GROUP_TILES - 1 && warp == 0)
      OF_T(iw_publish)(args->group_words, (size_t)group, inclusive, OF_OP(iws)(prefix, OF_T(iw_get)(&shared->group_total)));
    const uint64_t at = tile * TILE + warp * CHUNK;
    const int64_t valid = (int64_t)(args->n - at);
    const SCALAR *const parked = shared->parked[slot] + warp * CHUNK;
    SCALAR before = args->first.T;                          /* the output in front of the chunk */
    if (args->exclusive && warp > 0) {
      before = OF_T(iw_get)(parked - 1);
      WITH_LEVELS(OF_OP(iws), before, warp - 1);
    } else if (args->exclusive && tile > 0)
      before = j ? OF_OP(iws)(prefix, OF_T(iw_get)(&shared->before_tile)) : prefix;
    IW_UNROLL_ROWS for (int k = 0; k < ROWS; k++) {
      IW_PASTE(iw_row_, T) x = OF_T(iw_row_unpark)(parked + k * IW_ROW(T));
      WITH_LEVELS(OF_OP(iw_row), x, warp);
      if (args->exclusive) {
        const SCALAR last = OF_T(iw_row_last)(x);
        x = OF_T(iw_row_shift)(x, before);
        before = last;
      }
      OF_T(iw_row_store)((SCALAR *)args->out + at + k * IW_ROW(T), x, valid - k * IW_ROW(T), args->stream);
    }
  }
}

IW_KERNEL_SIZED(OF_OP(scan), SHARED, iw_scan_args, SCAN_WARPS * 32, SCAN_BLOCKS)
{
  IW_VAR_ARRAY(IW_PASTE(iw_row_, T), rows, SCAN_PARK_EARLY ? 1 : ROWS);
  const uint32_t epoch = iw_epoch(args->tickets), partial = epoch * 4 + PARTIAL;
  uint64_t trail[SCAN_TRAIL + 1];
  unsigned round = 0;
  uint64_t tile = iw_ticket(args->tickets);
  for (; tile < args->tiles; round++) {
    const unsigned slot = round % SCAN_SLOTS, turn = round % (SCAN_TRAIL + 1), j = (unsigned)(tile % GROUP_TILES);
    IW_PHASE(warp) {
      const uint64_t at = tile * TILE + warp * CHUNK;
      SCALAR total = 0;
#define KEEP(k, x) if (SCAN_PARK_EARLY) OF_T(iw_row_park)(shared->parked[slot] + warp * CHUNK + (k) * IW_ROW(T), x); \
                   else IW_MY(rows)[SCAN_PARK_EARLY ? 0 : (k)] = x
      OVER_CHUNK(total, (const SCALAR *)args->in + at, (int64_t)(args->n - at), KEEP);
#undef KEEP
      OF_T(iw_set)(&shared->warp_total[warp], total);
    }
    IW_PHASE(warp) {                                        /* the tree over the warps; publish at once */
      const iw_pred some = iw_lanes_below(SCAN_WARPS);
      LANES totals = OF_T(iw_select)(some, OF_T(iw_load)(shared->warp_total, some), OF_T(iw_splat)(OF_OP(iws_identity)()));
      IW_UNROLL for (unsigned b = 0; 1u << b < SCAN_WARPS; b++) {
        const SCALAR sibling = OF_T(iw_at)(totals, iws_below(warp, b) & 31);
        if (SCAN_PARK_EARLY) OF_T(iw_set)(&shared->warp_sibling[turn][warp][b], sibling);
        else if (warp >> b & 1)
          IW_UNROLL_ROWS for (int k = 0; k < ROWS; k++) IW_MY(rows)[SCAN_PARK_EARLY ? 0 : k] = OF_OP(iw_row)(sibling, IW_MY(rows)[SCAN_PARK_EARLY ? 0 : k]);
        totals = OF_OP(iw_level)(totals, (int)b);
      }
      const SCALAR total = OF_T(iw_at)(totals, SCAN_WARPS - 1);
      if (warp == 0) {
        OF_T(iw_publish)(args->tile_words, (size_t)tile, partial, total);
        OF_T(iw_set)(&shared->tile_total[turn], total);
      }
      if (warp == SCAN_WARPS / 2 && j == GROUP_TILES - 1 && tile >= GROUP_TILES) { /* the group's total, early */
        IW_JOIN(iw_polled, T) words;
        for (unsigned spins = 0;; iw_pause(&spins)) {
          words = OF_T(iw_poll)(args->tile_words, (int64_t)(tile - j), 0, (int)j);
          if (iw_all(iw_either(iw_unless(iw_lanes_below(j)), iw_eq_u32(words.flag, iw_splat_u32(partial))))) break;
        }
        OF_T(iw_publish)(args->group_words, (size_t)(tile / GROUP_TILES), partial, OF_OP(iw_warp)(
          OF_T(iw_select)(iw_lanes_below(j), words.value, OF_T(iw_splat)(total))));
      }
    }
    trail[SCAN_TRAIL] = tile;
    if (SCAN_TRAIL > 0 && round >= SCAN_TRAIL) FINISH(block, shared, args, epoch, trail[0], round - SCAN_TRAIL);
    if (!SCAN_PARK_EARLY)
      IW_PHASE(warp) {
        IW_UNROLL_ROWS for (int k = 0; k < ROWS; k++)
          OF_T(iw_row_park)(shared->parked[slot] + warp * CHUNK + k * IW_ROW(T), IW_MY(rows)[SCAN_PARK_EARLY ? 0 : k]);
      }
    if (SCAN_TRAIL == 0) FINISH(block, shared, args, epoch, tile, round);
    IW_UNROLL for (int d = 0; d < SCAN_TRAIL; d++) trail[d] = trail[d + 1];
    tile = iw_ticket(args->tickets);
  }
  if (SCAN_TRAIL > 0)
    for (unsigned r = round >= SCAN_TRAIL ? round - SCAN_TRAIL : 0, k = SCAN_TRAIL - (round - r); r < round; r++, k++)
      FINISH(block, shared, args, epoch, trail[k], r);
  iw_close(args->tickets);
}

#undef SHARED
#undef FINISH
#undef WITH_LEVELS
#undef ROWS
#undef OVER_CHUNK
