/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive and exclusive scan, and reduction, in order 1: single pass over memory with decoupled look-back (Merrill and
 * Garland, 2016), by one of two schedules:
 * - "Park and trail". A block of many warps takes some tiles, scans their rows, publishes their totals at once, and parks them;
 *   it finishes those that it parked SCAN_PIPELINE_DEPTH rounds ago, when all that comes before has long been published, so that hardly
 *   anyone waits.
 * - A warp alone (SCAN_SINGLE_WARP) finishes a tile as it is loaded where all that comes before is known. Else it publishes the
 *   tile's total, and reads the tile once more, from its cache, when that has become known.
 * Compiled once per T and OP (and FROM), with REDUCE for totals alone, and with SEGMENTED for segments, where a tile or group
 * with a head in it has a total that needs nothing in front of it. No tuning number can change a bit.
 */
#undef STORES
#undef KERNEL_STEM
#undef SCAN_TUNING
#if defined(REDUCE)
#define STORES 0
#define KERNEL_STEM reduce
#define SCAN_TUNING(name) ((int)REDUCE##name(sizeof(SCALAR))) /* REDUCE_TILES */
#elif defined(SEGMENTED)
#define STORES 1
#define KERNEL_STEM segmented
#define SCAN_TUNING(name) ((int)SEGMENTED##name(sizeof(SCALAR)))
#else
#define STORES 1
#define KERNEL_STEM scan
#define SCAN_TUNING(name) ((int)SCAN##name(sizeof(SCALAR)))
#endif
#include <isowarp/algorithms/common/order1.h>
#include <isowarp/algorithms/common/look_back.h>

#define KERNEL IW_JOIN(IW_JOIN(KERNEL_STEM, OP), T_FROM) /* scan_sum_f64, or reduce_sum_f64_from_f32 */
#define SHARED OF_INSTANCE(shared)
#define CARRY_IN OF_INSTANCE(carry_in)

/* What is in front of a tile: the tiles of its group, and the groups, which are nothing if the tiles have a head. */
typedef struct { uint64_t tile; SCALAR tile_prefix, group_prefix; } CARRY_IN;

/* In front of element 0. */
IW_FN SCALAR OF_INSTANCE(scan_init)(const iw_scan_args *args)
{
  return !HAS_SEGMENTS && args->init_ptr ? OF_T(iw_get)((const SCALAR *)args->init_ptr) : args->init.T;
}

/* The first output of an exclusive scan. */
IW_FN SCALAR OF_INSTANCE(scan_first_out)(const iw_scan_args *args)
{
  return !HAS_SEGMENTS && args->init_ptr ? OF_INSTANCE(scan_init)(args) : args->first_out.T;
}

/* A row's values in the scan, from its tree and what is in front of it in its tile; has_head: whether a head is. */
IW_FN void OF_INSTANCE(scan_row_finish)(const iw_scan_args *args, const CARRY_IN *carry, int has_head, SCALAR row_prefix, ROW x, HEADS h,
                                uint64_t at, int64_t valid, int exclusive)
{
  x = OF_INSTANCE(row_apply_carry)(row_prefix, x, h);
  if (!has_head) x = OF_INSTANCE(row_apply_carry)(carry->group_prefix, OF_INSTANCE(row_apply_carry)(carry->tile_prefix, x, h), h);
  if (exclusive) {
    x = OF_INSTANCE(row_shift)(x, at ? has_head ? row_prefix : OF_OP(iws)(carry->group_prefix, OF_OP(iws)(carry->tile_prefix, row_prefix))
                                 : OF_INSTANCE(scan_first_out)(args));
    x = OF_INSTANCE(row_set_heads)(args->first_out.T, x, h);
  }
  OF_INSTANCE(row_store)((SCALAR *)args->out + at, x, valid, args->stream);
}

#if HAS_SEGMENTS
/* The tree of the row that comes, or *x where none does; finished, or kept in *x where `carry` is NULL. Gives its last. */
IW_NOINLINE_FN SCALAR OF_INSTANCE(scan_row)(const iw_scan_args *args, const PENDING *pending, ROW *x, const CARRY_IN *carry, int has_head,
                                  SCALAR row_prefix, HEADS h, uint64_t at, int64_t valid, int exclusive)
{
  const ROW tree = pending ? OF_INSTANCE(row_tree)(args->init.T, *pending) : *x;
  if (carry) OF_INSTANCE(scan_row_finish)(args, carry, has_head, row_prefix, tree, h, at, valid, exclusive);
  else *x = tree;
  return OF_INSTANCE(row_last)(tree);
}
#endif

#if SCAN_SINGLE_WARP
#include <isowarp/algorithms/scan/agent_single_warp.h>
#else
#include <isowarp/algorithms/scan/agent_pipelined.h>
#endif

#undef KERNEL
#undef SHARED
#undef CARRY_IN
#undef ROW
#undef HEADS
#undef PENDING
#undef PART
#undef PARTS
#undef T_FROM
#undef ELEMENT
#undef OF_T_FROM
#undef OF_INSTANCE
#undef TILES
#undef WARPS
#undef CHUNK_ROWS
#undef CHUNK
#undef ROWS_IN_FLIGHT
