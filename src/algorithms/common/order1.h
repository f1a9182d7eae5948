/* SPDX-License-Identifier: Apache-2.0
 *
 * Order 1 (doc/order1.md): rows of 128 elements by the binary tree, tiles of rows, groups of tiles and the array of groups
 * each folded from the left. Here is what is done to a row; compiled once per T and OP. FROM, if there is one, is the
 * elements' type in memory, from which they are converted to T, or a load transform (IW_TRANSFORM). With SEGMENTED some
 * elements are heads of segments, to which nothing is added that stands in front of them; else there are none, and all that
 * is said of heads comes to nothing.
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/common/tuning.h>

#ifndef IW_KERNELS_ORDER1_H
#define IW_KERNELS_ORDER1_H
enum { ORDER_ROW = 128, TILE = IW_SCAN_TILE, TILE_ROWS = TILE / ORDER_ROW, GROUP_TILES = IW_SCAN_GROUP_TILES };
#define EACH_PART(p) IW_UNROLL for (int p = 0; p < PARTS; p++)
/* What is there of the pth part of a row, and of the rth row behind one. */
#define PART_VALID(valid, p) ((valid) == IW_WHOLE ? IW_WHOLE : (valid) - (p) * IW_ROW(T))
#define ROW_VALID(valid, r) ((valid) == IW_WHOLE ? IW_WHOLE : (valid) - (r) * ORDER_ROW)
/* a OP b, or b alone where it has a head. */
#define JOINED(a, headed, b) ((headed) ? (b) : OF_OP(iws)(a, b))
#ifdef SEGMENTED
#define SEGMENTS 1
#define FOLD(first, a, headed, before) OF_OP(iw_fold_segments)(first, a, headed, before)
#else
#define SEGMENTS 0
#define FOLD(first, a, headed, before) OF_OP(iw_fold)(first, a, before)
#endif
#endif

/* A block has WARPS warps and takes TILES tiles at a time, and a warp of it CHUNK_ROWS rows. */
#define TILES NUMBER(_TILES)
#define WARPS NUMBER(_WARPS)
#define CHUNK_ROWS (TILES * TILE_ROWS / WARPS)
#define CHUNK (CHUNK_ROWS * ORDER_ROW)
#define AHEAD (SCAN_AHEAD < CHUNK_ROWS ? SCAN_AHEAD : CHUNK_ROWS)
static_assert(WARPS % TILES == 0 && TILES * TILE_ROWS % WARPS == 0, "a warp's chunk is whole rows of one tile");
static_assert(GROUP_TILES % TILES == 0, "a block's tiles are tiles of one group");
static_assert(CHUNK_ROWS % AHEAD == 0, "SCAN_AHEAD divides the rows of a chunk");
static_assert(SCAN_TRAIL >= 1 && SCAN_RUN >= 1 && SCAN_WAIT(sizeof(SCALAR)) >= 1,
              "SCAN_TRAIL, SCAN_RUN and SCAN_WAIT are at least 1");
static_assert(!SCAN_ALONE || (WARPS == 1 && TILES == 1), "SCAN_ALONE is for one warp and one tile");

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
#define PART IW_PASTE(iw_row_, T)
#define ROW OF_TEXT(order_row)
#define HEADS OF_TEXT(order_heads)
#define COMING OF_TEXT(order_coming)
typedef struct { PART part[PARTS]; } ROW;

#ifdef SEGMENTED
typedef struct { IW_JOIN(PART, heads) part[PARTS]; } HEADS;

IW_FN HEADS OF_TEXT(row_heads)(const uint32_t *heads, uint64_t at)
{
  HEADS h;
  EACH_PART(p) h.part[p] = OF_T(iw_row_heads)(heads, at + p * IW_ROW(T));
  return h;
}

IW_FN int OF_TEXT(part_headed)(HEADS h, int p) { return OF_T(iw_row_headed)(h.part[p]); }
IW_FN PART OF_TEXT(part_left)(SCALAR left, PART x, HEADS h, int p) { return OF_OP(iw_row_front)(left, x, h.part[p]); }

/* init stands in front of each segment. */
IW_FN PART OF_TEXT(part_tree)(SCALAR init, PART x, HEADS h, int p)
{
  if (!OF_OP(iws_absent)(init)) x = OF_T(iw_row_select)(h.part[p], OF_OP(iw_row)(init, x), x);
  return OF_OP(iw_row_segments)(x, h.part[p]);
}

IW_FN SCALAR OF_TEXT(part_total)(SCALAR init, PART x, HEADS h, int p)
{
  if (!OF_OP(iws_absent)(init)) x = OF_T(iw_row_select)(h.part[p], OF_OP(iw_row)(init, x), x);
  return OF_OP(iw_row_segments_total)(x, h.part[p]);
}

IW_FN PART OF_TEXT(part_first)(SCALAR first, PART x, HEADS h, int p)
{
  return OF_T(iw_row_select)(h.part[p], OF_T(iw_row_splat)(first), x);
}
#else
typedef struct { int none; } HEADS;
IW_FN HEADS OF_TEXT(row_heads)(const uint32_t *heads, uint64_t at) { HEADS h = { 0 }; return h; }
IW_FN int OF_TEXT(part_headed)(HEADS h, int p) { return 0; }
IW_FN PART OF_TEXT(part_left)(SCALAR left, PART x, HEADS h, int p) { return OF_OP(iw_row)(left, x); }
IW_FN PART OF_TEXT(part_tree)(SCALAR init, PART x, HEADS h, int p) { return OF_OP(iw_row_tree)(x); }
IW_FN SCALAR OF_TEXT(part_total)(SCALAR init, PART x, HEADS h, int p) { return OF_OP(iw_row_total)(x); }
IW_FN PART OF_TEXT(part_first)(SCALAR first, PART x, HEADS h, int p) { return x; }
#endif

typedef struct { IW_JOIN(IW_JOIN(iw_row, LOADED), coming) part[PARTS]; HEADS heads; } COMING;

IW_FN COMING OF_TEXT(row_fetch)(const ELEMENT *in, int64_t valid, HEADS heads)
{
  COMING c;
  EACH_PART(p) c.part[p] = OF_LOADED(iw_row_fetch)(in + p * IW_ROW(T), PART_VALID(valid, p), OF_OP(iws_identity)());
  c.heads = heads;
  return c;
}

/* One that was fetched a short time ago. */
IW_FN COMING OF_TEXT(row_again)(const ELEMENT *in, int64_t valid, HEADS heads)
{
  COMING c;
  EACH_PART(p) c.part[p] = OF_LOADED(iw_row_again)(in + p * IW_ROW(T), PART_VALID(valid, p), OF_OP(iws_identity)());
  c.heads = heads;
  return c;
}

IW_FN int OF_TEXT(row_headed)(HEADS h)
{
  int headed = 0;
  EACH_PART(p) headed |= OF_TEXT(part_headed)(h, p);
  return headed;
}

/* left OP each element in front of the first head. */
IW_FN ROW OF_TEXT(row_left)(SCALAR left, ROW x, HEADS h)
{
  EACH_PART(p) {
    x.part[p] = OF_TEXT(part_left)(left, x.part[p], h, p);
    if (OF_TEXT(part_headed)(h, p)) left = OF_OP(iws_identity)();
  }
  return x;
}

IW_FN ROW OF_TEXT(row_tree)(SCALAR init, COMING c)
{
  ROW x;
  EACH_PART(p) {
    x.part[p] = OF_TEXT(part_tree)(init, OF_LOADED(iw_row_arrive)(c.part[p]), c.heads, p);
    if (p) x.part[p] = OF_TEXT(part_left)(OF_T(iw_row_last)(x.part[p - 1]), x.part[p], c.heads, p);
  }
  return x;
}

IW_FN SCALAR OF_TEXT(row_last)(ROW x) { return OF_T(iw_row_last)(x.part[PARTS - 1]); }

/* The last of that alone. */
IW_FN SCALAR OF_TEXT(row_total)(SCALAR init, COMING c)
{
  SCALAR total = OF_TEXT(part_total)(init, OF_LOADED(iw_row_arrive)(c.part[0]), c.heads, 0);
  IW_UNROLL for (int p = 1; p < PARTS; p++) {
    const SCALAR next = OF_TEXT(part_total)(init, OF_LOADED(iw_row_arrive)(c.part[p]), c.heads, p);
    total = JOINED(total, OF_TEXT(part_headed)(c.heads, p), next);
  }
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

/* first in place of the heads. */
IW_FN ROW OF_TEXT(row_first)(SCALAR first, ROW x, HEADS h)
{
  EACH_PART(p) x.part[p] = OF_TEXT(part_first)(first, x.part[p], h, p);
  return x;
}

IW_FN void OF_TEXT(row_store)(SCALAR *out, ROW x, int64_t valid, int stream)
{
  EACH_PART(p) OF_T(iw_row_store)(out + p * IW_ROW(T), x.part[p], PART_VALID(valid, p), stream);
}
