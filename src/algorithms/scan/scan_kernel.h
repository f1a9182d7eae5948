/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive and exclusive scan, and reduction, in order 1: single pass over memory with decoupled look-back (Merrill and
 * Garland, 2016), by one of two schedules:
 * - "Park and trail". A block of many warps takes some tiles, scans their rows, publishes their totals at once, and parks them;
 *   it finishes those that it parked SCAN_TRAIL rounds ago, when all that comes before has long been published, so that hardly
 *   anyone waits.
 * - A warp alone (SCAN_ALONE) finishes a tile as it is loaded where all that comes before is known. Else it publishes the
 *   tile's total, and reads the tile once more, from its cache, when that has become known.
 * Compiled once per T and OP (and FROM), with REDUCE for totals alone, and with SEGMENTED for segments, where a tile or group
 * with a head in it has a total that needs nothing in front of it. No tuning number can change a bit.
 */
#undef STORES
#undef SCAN_NAME
#undef NUMBER
#if defined(REDUCE)
#define STORES 0
#define SCAN_NAME reduce
#define NUMBER(name) ((int)REDUCE##name(sizeof(SCALAR))) /* REDUCE_TILES */
#elif defined(SEGMENTED)
#define STORES 1
#define SCAN_NAME segmented
#define NUMBER(name) ((int)SEGMENTED##name(sizeof(SCALAR)))
#else
#define STORES 1
#define SCAN_NAME scan
#define NUMBER(name) ((int)SCAN##name(sizeof(SCALAR)))
#endif
#include <isowarp/algorithms/common/order1.h>
#include <isowarp/algorithms/common/look_back.h>

#define KERNEL IW_JOIN(IW_JOIN(SCAN_NAME, OP), LOADED) /* scan_sum_f64, or reduce_sum_f64_from_f32 */
#define SHARED OF_TEXT(shared)
#define BEFORE OF_TEXT(before)

/* What is in front of a tile: the tiles of its group, and the groups, which are nothing if the tiles have a head. */
typedef struct { uint64_t tile; SCALAR tiles, groups; } BEFORE;

/* In front of element 0. */
IW_FN SCALAR OF_TEXT(scan_init)(const iw_scan_args *args)
{
  return !SEGMENTS && args->init_at ? OF_T(iw_get)((const SCALAR *)args->init_at) : args->init.T;
}

/* The first output of an exclusive scan. */
IW_FN SCALAR OF_TEXT(scan_first)(const iw_scan_args *args)
{
  return !SEGMENTS && args->init_at ? OF_TEXT(scan_init)(args) : args->first.T;
}

/* A row's values in the scan, from its tree and what is in front of it in its tile; headed: whether a head is. */
IW_FN void OF_TEXT(scan_finish)(const iw_scan_args *args, const BEFORE *before, int headed, SCALAR rows, ROW x, HEADS h,
                                uint64_t at, int64_t valid, int exclusive)
{
  x = OF_TEXT(row_left)(rows, x, h);
  if (!headed) x = OF_TEXT(row_left)(before->groups, OF_TEXT(row_left)(before->tiles, x, h), h);
  if (exclusive) {
    x = OF_TEXT(row_shift)(x, at ? headed ? rows : OF_OP(iws)(before->groups, OF_OP(iws)(before->tiles, rows))
                                 : OF_TEXT(scan_first)(args));
    x = OF_TEXT(row_first)(args->first.T, x, h);
  }
  OF_TEXT(row_store)((SCALAR *)args->out + at, x, valid, args->stream);
}

#if SEGMENTS
/* The tree of the row that comes, or *x where none does; finished, or kept in *x where `before` is NULL. Gives its last. */
IW_APART SCALAR OF_TEXT(scan_row)(const iw_scan_args *args, const COMING *coming, ROW *x, const BEFORE *before, int headed,
                                  SCALAR rows, HEADS h, uint64_t at, int64_t valid, int exclusive)
{
  const ROW tree = coming ? OF_TEXT(row_tree)(args->init.T, *coming) : *x;
  if (before) OF_TEXT(scan_finish)(args, before, headed, rows, tree, h, at, valid, exclusive);
  else *x = tree;
  return OF_TEXT(row_last)(tree);
}
#endif

#if SCAN_ALONE
#include <isowarp/algorithms/scan/agent_single_warp.h>
#else
#include <isowarp/algorithms/scan/agent_pipelined.h>
#endif

#undef KERNEL
#undef SHARED
#undef BEFORE
#undef ROW
#undef HEADS
#undef COMING
#undef PART
#undef PARTS
#undef LOADED
#undef ELEMENT
#undef OF_LOADED
#undef OF_TEXT
#undef TILES
#undef WARPS
#undef CHUNK_ROWS
#undef CHUNK
#undef AHEAD
