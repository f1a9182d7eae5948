/* SPDX-License-Identifier: Apache-2.0
 *
 * Order 1 (doc/order1.md): rows of 128 elements by the binary tree, tiles of rows, groups of tiles and the array of groups
 * each folded from the left. Here is what is done to a row; compiled once per T and OP. FROM, if there is one, is the
 * elements' type in memory, from which they are converted to T, or a load transform (IW_TRANSFORM).
 */
#include <assert.h>
#include "typed.h"
#include <isowarp/vm/tuning.h>

#ifndef IW_KERNELS_ORDER1_H
#define IW_KERNELS_ORDER1_H
enum { ORDER_ROW = 128, TILE = IW_SCAN_TILE, TILE_ROWS = TILE / ORDER_ROW, GROUP_TILES = IW_SCAN_GROUP_TILES };
#define EACH_PART(p) IW_UNROLL for (int p = 0; p < PARTS; p++)
/* What is there of the pth part of a row, and of the rth row behind one. */
#define PART_VALID(valid, p) ((valid) == IW_WHOLE ? IW_WHOLE : (valid) - (p) * IW_ROW(T))
#define ROW_VALID(valid, r) ((valid) == IW_WHOLE ? IW_WHOLE : (valid) - (r) * ORDER_ROW)
#endif

/* A block takes TILES tiles at a time, and a warp of it CHUNK_ROWS rows. */
#define TILES ((int)SCAN_TILES(sizeof(SCALAR)))
#define CHUNK_ROWS (TILES * TILE_ROWS / SCAN_WARPS)
#define CHUNK (CHUNK_ROWS * ORDER_ROW)
#define AHEAD (SCAN_AHEAD < CHUNK_ROWS ? SCAN_AHEAD : CHUNK_ROWS)
static_assert(SCAN_WARPS % TILES == 0 && TILES * TILE_ROWS % SCAN_WARPS == 0, "a warp's chunk is whole rows of one tile");
static_assert(GROUP_TILES % TILES == 0, "a block's tiles are tiles of one group");
static_assert(CHUNK_ROWS % AHEAD == 0, "SCAN_AHEAD divides the rows of a chunk");
static_assert(SCAN_TRAIL >= 1 && SCAN_RUN >= 1, "SCAN_TRAIL and SCAN_RUN are at least 1");
static_assert(!SCAN_DIRECT || (SCAN_WARPS == 1 && TILES == 1), "SCAN_DIRECT is for one warp and one tile");

#ifdef FROM
#define LOADED IW_JOIN(T, IW_JOIN(from, FROM))
#define ELEMENT IW_PASTE(iws_, FROM)
#else
#define LOADED T
#define ELEMENT SCALAR
#endif
#define OF_LOADED(name) IW_JOIN(name, LOADED)            /* iw_row_fetch_f64, or iw_row_fetch_f64_from_f32 */
#define OF_TEXT(name) IW_JOIN(IW_JOIN(IW_JOIN(SCAN_NAME, name), OP), LOADED) /* scan_row_tree_sum_f64 */

/* A row is one or two of the VM's. */
#define PARTS (ORDER_ROW / IW_ROW(T))
#define ROW OF_TEXT(order_row)
#define COMING OF_TEXT(order_coming)
typedef struct { IW_PASTE(iw_row_, T) part[PARTS]; } ROW;
typedef struct { IW_JOIN(IW_JOIN(iw_row, LOADED), coming) part[PARTS]; } COMING;

IW_FN COMING OF_TEXT(row_fetch)(const ELEMENT *in, int64_t valid)
{
  COMING c;
  EACH_PART(p) c.part[p] = OF_LOADED(iw_row_fetch)(in + p * IW_ROW(T), PART_VALID(valid, p), OF_OP(iws_identity)());
  return c;
}

/* left OP each element. */
IW_FN ROW OF_TEXT(row_left)(SCALAR left, ROW x)
{
  EACH_PART(p) x.part[p] = OF_OP(iw_row)(left, x.part[p]);
  return x;
}

IW_FN ROW OF_TEXT(row_tree)(COMING c)
{
  ROW x;
  EACH_PART(p) {
    x.part[p] = OF_OP(iw_row_tree)(OF_LOADED(iw_row_arrive)(c.part[p]));
    if (p) x.part[p] = OF_OP(iw_row)(OF_T(iw_row_last)(x.part[p - 1]), x.part[p]);
  }
  return x;
}

IW_FN SCALAR OF_TEXT(row_last)(ROW x) { return OF_T(iw_row_last)(x.part[PARTS - 1]); }

IW_FN SCALAR OF_TEXT(row_total)(COMING c)
{
  SCALAR total = OF_OP(iw_row_total)(OF_LOADED(iw_row_arrive)(c.part[0]));
  IW_UNROLL for (int p = 1; p < PARTS; p++)
    total = OF_OP(iws)(total, OF_OP(iw_row_total)(OF_LOADED(iw_row_arrive)(c.part[p])));
  return total;
}

IW_FN void OF_TEXT(row_park)(SCALAR *shared, ROW x) { EACH_PART(p) OF_T(iw_row_park)(shared + p * IW_ROW(T), x.part[p]); }

IW_FN ROW OF_TEXT(row_unpark)(const SCALAR *shared)
{
  ROW x;
  EACH_PART(p) x.part[p] = OF_T(iw_row_unpark)(shared + p * IW_ROW(T));
  return x;
}

IW_FN ROW OF_TEXT(row_shift)(ROW x, SCALAR first)
{
  EACH_PART(p) {
    const SCALAR last = OF_T(iw_row_last)(x.part[p]);
    x.part[p] = OF_T(iw_row_shift)(x.part[p], first);
    first = last;
  }
  return x;
}

IW_FN void OF_TEXT(row_store)(SCALAR *out, ROW x, int64_t valid, int stream)
{
  EACH_PART(p) OF_T(iw_row_store)(out + p * IW_ROW(T), x.part[p], PART_VALID(valid, p), stream);
}
