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
#define PART_VALID(valid, p) ((valid) == IW_FULL_ROW ? IW_FULL_ROW : (valid) - (p) * IW_ROW(T))
#define ROW_VALID(valid, r) ((valid) == IW_FULL_ROW ? IW_FULL_ROW : (valid) - (r) * ORDER_ROW)
/* a OP b, or b alone where it has a head. */
#define COMBINE_SEGMENTED(a, has_head, b) ((has_head) ? (b) : OF_OP(iws)(a, b))
#ifdef SEGMENTED
#define HAS_SEGMENTS 1
#define FOLD(first, a, has_head, before) OF_OP(iw_fold_segments)(first, a, has_head, before)
#else
#define HAS_SEGMENTS 0
#define FOLD(first, a, has_head, before) OF_OP(iw_fold)(first, a, before)
#endif
#endif

/* A block has WARPS warps and takes TILES tiles at a time, and a warp of it CHUNK_ROWS rows. */
#define TILES SCAN_TUNING(_TILES)
#define WARPS SCAN_TUNING(_WARPS)
#define CHUNK_ROWS (TILES * TILE_ROWS / WARPS)
#define CHUNK (CHUNK_ROWS * ORDER_ROW)
#define ROWS_IN_FLIGHT (SCAN_ROWS_IN_FLIGHT < CHUNK_ROWS ? SCAN_ROWS_IN_FLIGHT : CHUNK_ROWS)
static_assert(WARPS % TILES == 0 && TILES * TILE_ROWS % WARPS == 0, "a warp's chunk is whole rows of one tile");
static_assert(GROUP_TILES % TILES == 0, "a block's tiles are tiles of one group");
static_assert(CHUNK_ROWS % ROWS_IN_FLIGHT == 0, "SCAN_ROWS_IN_FLIGHT divides the rows of a chunk");
static_assert(SCAN_PIPELINE_DEPTH >= 1 && SCAN_TILES_PER_TICKET >= 1 && SCAN_QUEUE_TILES(sizeof(SCALAR)) >= 1,
              "SCAN_PIPELINE_DEPTH, SCAN_TILES_PER_TICKET and SCAN_QUEUE_TILES are at least 1");
static_assert(!SCAN_SINGLE_WARP || (WARPS == 1 && TILES == 1), "SCAN_SINGLE_WARP is for one warp and one tile");

#ifdef FROM
#define T_FROM IW_JOIN(T, IW_JOIN(from, FROM))
#define ELEMENT IW_PASTE(iws_, FROM)
#else
#define T_FROM T
#define ELEMENT SCALAR
#endif
#define OF_T_FROM(name) IW_JOIN(name, T_FROM)            /* iw_row_issue_f64, or iw_row_issue_f64_from_f32 */
#define OF_INSTANCE(name) IW_JOIN(IW_JOIN(IW_JOIN(KERNEL_STEM, name), OP), T_FROM) /* scan_row_tree_sum_f64 */

/* A row is one or two of the VM's. */
#define PARTS (ORDER_ROW / IW_ROW(T))
#define PART IW_PASTE(iw_row_, T)
#define ROW OF_INSTANCE(order_row)
#define HEADS OF_INSTANCE(order_heads)
#define PENDING OF_INSTANCE(order_pending)
typedef struct { PART part[PARTS]; } ROW;

#ifdef SEGMENTED
typedef struct { IW_JOIN(PART, heads) part[PARTS]; } HEADS;

IW_FN HEADS OF_INSTANCE(row_heads)(const uint32_t *heads, uint64_t at)
{
  HEADS h;
  EACH_PART(p) h.part[p] = OF_T(iw_row_heads)(heads, at + p * IW_ROW(T));
  return h;
}

IW_FN int OF_INSTANCE(part_has_head)(HEADS h, int p) { return OF_T(iw_row_has_head)(h.part[p]); }
IW_FN PART OF_INSTANCE(part_apply_carry)(SCALAR left, PART x, HEADS h, int p) { return OF_OP(iw_row_carry_in)(left, x, h.part[p]); }

/* init stands in front of each segment. */
IW_FN PART OF_INSTANCE(part_tree)(SCALAR init, PART x, HEADS h, int p)
{
  if (!OF_OP(iws_is_identity)(init)) x = OF_T(iw_row_select)(h.part[p], OF_OP(iw_row)(init, x), x);
  return OF_OP(iw_row_segmented_prefix)(x, h.part[p]);
}

IW_FN SCALAR OF_INSTANCE(part_aggregate)(SCALAR init, PART x, HEADS h, int p)
{
  if (!OF_OP(iws_is_identity)(init)) x = OF_T(iw_row_select)(h.part[p], OF_OP(iw_row)(init, x), x);
  return OF_OP(iw_row_last_segment_reduce)(x, h.part[p]);
}

IW_FN PART OF_INSTANCE(part_set_heads)(SCALAR first, PART x, HEADS h, int p)
{
  return OF_T(iw_row_select)(h.part[p], OF_T(iw_row_splat)(first), x);
}
#else
typedef struct { int none; } HEADS;
IW_FN HEADS OF_INSTANCE(row_heads)(const uint32_t *heads, uint64_t at) { HEADS h = { 0 }; return h; }
IW_FN int OF_INSTANCE(part_has_head)(HEADS h, int p) { return 0; }
IW_FN PART OF_INSTANCE(part_apply_carry)(SCALAR left, PART x, HEADS h, int p) { return OF_OP(iw_row)(left, x); }
IW_FN PART OF_INSTANCE(part_tree)(SCALAR init, PART x, HEADS h, int p) { return OF_OP(iw_row_inclusive_prefix)(x); }
IW_FN SCALAR OF_INSTANCE(part_aggregate)(SCALAR init, PART x, HEADS h, int p) { return OF_OP(iw_row_reduce)(x); }
IW_FN PART OF_INSTANCE(part_set_heads)(SCALAR first, PART x, HEADS h, int p) { return x; }
#endif

typedef struct { IW_JOIN(IW_JOIN(iw_row, T_FROM), pending) part[PARTS]; HEADS heads; } PENDING;

IW_FN PENDING OF_INSTANCE(row_issue)(const ELEMENT *in, int64_t valid, HEADS heads)
{
  PENDING c;
  EACH_PART(p) c.part[p] = OF_T_FROM(iw_row_issue)(in + p * IW_ROW(T), PART_VALID(valid, p), OF_OP(iws_identity)());
  c.heads = heads;
  return c;
}

/* One that was fetched a short time ago. */
IW_FN PENDING OF_INSTANCE(row_reissue)(const ELEMENT *in, int64_t valid, HEADS heads)
{
  PENDING c;
  EACH_PART(p) c.part[p] = OF_T_FROM(iw_row_reissue)(in + p * IW_ROW(T), PART_VALID(valid, p), OF_OP(iws_identity)());
  c.heads = heads;
  return c;
}

IW_FN int OF_INSTANCE(row_has_head)(HEADS h)
{
  int has_head = 0;
  EACH_PART(p) has_head |= OF_INSTANCE(part_has_head)(h, p);
  return has_head;
}

/* left OP each element in front of the first head. */
IW_FN ROW OF_INSTANCE(row_apply_carry)(SCALAR left, ROW x, HEADS h)
{
  EACH_PART(p) {
    x.part[p] = OF_INSTANCE(part_apply_carry)(left, x.part[p], h, p);
    if (OF_INSTANCE(part_has_head)(h, p)) left = OF_OP(iws_identity)();
  }
  return x;
}

IW_FN ROW OF_INSTANCE(row_tree)(SCALAR init, PENDING c)
{
  ROW x;
  EACH_PART(p) {
    x.part[p] = OF_INSTANCE(part_tree)(init, OF_T_FROM(iw_row_wait)(c.part[p]), c.heads, p);
    if (p) x.part[p] = OF_INSTANCE(part_apply_carry)(OF_T(iw_row_last)(x.part[p - 1]), x.part[p], c.heads, p);
  }
  return x;
}

IW_FN SCALAR OF_INSTANCE(row_last)(ROW x) { return OF_T(iw_row_last)(x.part[PARTS - 1]); }

/* The last of that alone. */
IW_FN SCALAR OF_INSTANCE(row_aggregate)(SCALAR init, PENDING c)
{
  SCALAR total = OF_INSTANCE(part_aggregate)(init, OF_T_FROM(iw_row_wait)(c.part[0]), c.heads, 0);
  IW_UNROLL for (int p = 1; p < PARTS; p++) {
    const SCALAR next = OF_INSTANCE(part_aggregate)(init, OF_T_FROM(iw_row_wait)(c.part[p]), c.heads, p);
    total = COMBINE_SEGMENTED(total, OF_INSTANCE(part_has_head)(c.heads, p), next);
  }
  return total;
}

IW_FN void OF_INSTANCE(row_store_shared)(SCALAR *shared, ROW x) { EACH_PART(p) OF_T(iw_row_store_shared)(shared + p * IW_ROW(T), x.part[p]); }

IW_FN ROW OF_INSTANCE(row_load_shared)(const SCALAR *shared)
{
  ROW x;
  EACH_PART(p) x.part[p] = OF_T(iw_row_load_shared)(shared + p * IW_ROW(T));
  return x;
}

IW_FN ROW OF_INSTANCE(row_shift)(ROW x, SCALAR first)
{
  EACH_PART(p) {
    const SCALAR last = OF_T(iw_row_last)(x.part[p]);
    x.part[p] = OF_T(iw_row_shift)(x.part[p], first);
    first = last;
  }
  return x;
}

/* first in place of the heads. */
IW_FN ROW OF_INSTANCE(row_set_heads)(SCALAR first, ROW x, HEADS h)
{
  EACH_PART(p) x.part[p] = OF_INSTANCE(part_set_heads)(first, x.part[p], h, p);
  return x;
}

IW_FN void OF_INSTANCE(row_store)(SCALAR *out, ROW x, int64_t valid, int stream)
{
  EACH_PART(p) OF_T(iw_row_store)(out + p * IW_ROW(T), x.part[p], PART_VALID(valid, p), stream);
}
