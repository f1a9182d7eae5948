/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel template of reductions of segments and of the rows of a matrix. Each segment has its own
 * summation order 1 (common/order1.h), which begins at its first element, so its result depends on nothing
 * but its elements and init. Three launches:
 *   reduce_segments   a warp takes a batch of consecutive segments, reduces those of up to one tile, and
 *                     lists the others (long_segments.h)
 *   reduce_tiles      all warps reduce the tiles of listed segments; of short arrays the last block folds
 *                     them (SEGMENTS_LAST_BLOCK_FOLDS)
 *   fold_tiles        folds tiles to groups and groups to results; argmin has find (first_minimum.h) in its
 *                     place
 * A reduction by key has a launch before these, reduce_runs (runs_in_tiles.h); reduce_segments then takes
 * the runs that it lists. Of a short array one launch, reduce_runs_short (runs_waiting.h), does all. Rows of
 * more than one tile need no list and no launch of reduce_segments. Columns of a matrix have a kernel of
 * their own, reduce_columns (columns.h), in place of the first two. Two schedules reduce rows:
 *   rows_in_lanes.h   a warp reduces 32 pieces of rows at a time (GPUs; SEGMENTS_IN_LANES)
 *   rows_in_turn.h    one row after the other (CPUs)
 *
 * Parameters: T, OP, FROM and TWIDDLE_BITS, as of scan/scan_kernel.h, and
 *   MINIMUM     if defined, OP is the built-in minimum
 *   OF_LANES    if defined, OP is an IW_OPERATOR
 *   OF_USER     if defined, OP need not commute, and FROM is a load transform
 * Results are of T, or narrower (args->result_form). Makes the kernels reduce_segments_OP_T,
 * reduce_tiles_OP_T, reduce_columns_OP_T; without FROM or with OF_USER fold_tiles_OP_T; for minima
 * find_OP_T; and on GPUs, but not with OF_USER, reduce_runs_OP_T and reduce_runs_short_OP_T. The including
 * file undefines the parameters; this one undefines everything else that it defines, but SCATTER_NARROW_…,
 * which do not depend on the parameters.
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/reduce_segments/args.h>
#include <isowarp/algorithms/reduce_segments/long_segments.h>
#ifdef IW_GPU_SCHEDULES
#include <isowarp/algorithms/reduce_segments/tuning_cuda.h>
#else
#include <isowarp/algorithms/reduce_segments/tuning_cpu.h>
#endif

/* Whether there is the single pass of reductions by key: its headers are not installed. */
#if SEGMENTS_IN_LANES && !defined(OF_USER)
#define HAS_RUNS 1
#include <isowarp/algorithms/common/look_back.h>
#include "algorithms/reduce_segments/run_heads.h"
#else
#define HAS_RUNS 0
#endif

#ifdef TWIDDLE_BITS
#define TWIDDLED 1
#else
#define TWIDDLED 0
#endif
#ifndef ISOWARP_REDUCE_SEGMENTS_KERNEL_H
#define ISOWARP_REDUCE_SEGMENTS_KERNEL_H
/* Results of 1 and 2 bytes, of each type in which there are some. */
#define SCATTER_NARROW_u32(args, index, x, some) do { \
  if ((args)->result_form == IW_RESULT_U8_OR_F16) iw_scatter_far_u8((uint8_t *)(args)->results, index, x, some); \
  else iw_scatter_far_u16((uint16_t *)(args)->results, index, x, some); } while (0)
#define SCATTER_NARROW_i32(args, index, x, some) SCATTER_NARROW_u32(args, index, iw_convert_i32_u32(x), some)
#define SCATTER_NARROW_f32(args, index, x, some) do { \
  if ((args)->result_form == IW_RESULT_U8_OR_F16) iw_scatter_far_f16((uint16_t *)(args)->results, index, x, some); \
  else iw_scatter_far_bf16((uint16_t *)(args)->results, index, x, some); } while (0)
/* Elements as bits, every NaN as the canonical one. */
#define SEGMENTS_BITS_i32(a) (a)
#define SEGMENTS_BITS_i64(a) (a)
#define SEGMENTS_BITS_f32(a) iw_as_bits_f32(a)
#define SEGMENTS_BITS_f64(a) iw_as_bits_f64(a)
#define SCATTER_NARROW_i64(args, index, x, some) (void)0
#define SCATTER_NARROW_u64(args, index, x, some) (void)0
#define SCATTER_NARROW_f64(args, index, x, some) (void)0
#endif
#define HAS_SEGMENTS 0 /* in a row */
#define ARGS iw_reduce_segments_args
#define FN(name) IW_JOIN(IW_JOIN(segments, name), IW_JOIN(OP, T_FROM)) /* segments_fold_rows_sum_f64 */
#define KERNEL(stem) IW_JOIN(stem, IW_JOIN(OP, T_FROM))
#include <isowarp/algorithms/common/order1.h>

#define TILE ((int)IW_SCAN_TILE) /* an enumerator beside a number in a conditional is a warning of C++ */
#define GROUP_TILES IW_SCAN_GROUP_TILES
#define WARPS SEGMENTS_WARPS
#define BLOCKS ((int)SEGMENTS_BLOCKS(sizeof(SCALAR)))
#define TILE_WARPS SEGMENTS_TILE_WARPS
#define RUN_TILE ((int)SEGMENTS_RUN_TILE_BYTES / (int)sizeof(SCALAR)) /* elements of a tile of reduce_runs */

/* What is combined with the first element of a segment, and the result of one that has none. */
#define INITIAL FN(initial)
typedef struct { SCALAR init, of_none; } INITIAL;

IW_FN INITIAL FN(initial_of)(const ARGS *args)
{
  INITIAL initial = { args->init.T, args->first_out.T };
  if (args->init_ptr) initial.init = initial.of_none = TWIDDLE(args, OF_T(iw_get)((const SCALAR *)args->init_ptr));
  return initial;
}

#ifdef OF_USER
#define IS_OF_USER 1
#else
#define IS_OF_USER 0
#endif

#ifdef MINIMUM
#define FINDS 1
#else
#define FINDS 0
#endif

#if defined(FROM) && IS_OF_USER /* iw_load_FROM and the like transform what they load */
#define CONVERT(x) (x)
#define IN_MEMORY FROM
#elif defined(FROM)
#define CONVERT(x) IW_JOIN(iw_convert, IW_JOIN(IW_PASTE(IW_LANES_FOR_, FROM), T))(x)
#define IN_MEMORY FROM
#define IN_MEMORY_WIDE IW_PASTE(iws_, IW_PASTE(IW_LANES_FOR_, FROM))
#else
#define CONVERT(x) (x)
#define IN_MEMORY T
#define IN_MEMORY_WIDE SCALAR
#endif
#if TWIDDLED
#define TWIDDLE_LANES(args, x) OF_T(iw_flip_bits)(x, OF_T(iw_splat)((args)->twiddle.T))
#else
#define TWIDDLE_LANES(args, x) (x)
#endif

#define IDENTITY OF_T(iw_splat)(OF_OP(iws_identity)())

/* 32 elements; the identity in lanes outside of `some`. */
IW_FN LANES FN(load_some)(const ARGS *args, const ELEMENT *in, iw_pred some)
{
#if defined(IW_HAS_LOAD_ELSE) && !(defined(FROM) && IS_OF_USER) /* a selection would wait for each load before the next one is issued */
  const ELEMENT absent = IW_JOIN(iws_narrow, IN_MEMORY)((IN_MEMORY_WIDE)TWIDDLE(args, OF_OP(iws_identity)()));
  return TWIDDLE_LANES(args, CONVERT(IW_JOIN(iw_load_else, IN_MEMORY)(in, some, absent)));
#else
  const LANES x = CONVERT(IW_JOIN(iw_load, IN_MEMORY)(in, some));
  return OF_T(iw_select)(some, TWIDDLE_LANES(args, x), IDENTITY);
#endif
}

/* Stores lane values as elements `index` of the results. */
IW_FN void FN(store_results)(const ARGS *args, iw_u64 index, LANES x, iw_pred some)
{
  const LANES result = TWIDDLE_LANES(args, x);
  if (FINDS && !args->results) return;
  if (args->result_form == IW_RESULT_OF_T) OF_T(iw_scatter_far)((SCALAR *)args->results, index, result, some);
  else IW_JOIN(SCATTER_NARROW, T)(args, index, result, some);
}

IW_FN void FN(set_result)(const ARGS *args, uint64_t k, SCALAR x)
{
  if (FINDS && !args->results) return;
  if (args->result_form == IW_RESULT_OF_T) OF_T(iw_set)((SCALAR *)args->results + k, TWIDDLE(args, x));
  else FN(store_results)(args, iw_splat_u64(k), OF_T(iw_splat)(x), iw_lanes_below(1));
}

#if FINDS
#include <isowarp/algorithms/reduce_segments/first_minimum.h>
#endif
#if SEGMENTS_IN_LANES
#include <isowarp/algorithms/reduce_segments/rows_in_lanes.h>
#else
#include <isowarp/algorithms/reduce_segments/rows_in_turn.h>
#endif

/* Lane l: the fold of the tiles of group l, of the groups that these tiles have; the identity beyond. */
IW_FN LANES FN(fold_groups)(const SCALAR *aggregates, uint64_t tiles)
{
  LANES fold = OF_T(iw_splat)(OF_OP(iws_identity)());
  const iw_u64 place = iw_mul_u64(iw_iota_u64(0), iw_splat_u64(GROUP_TILES));
  for (uint64_t t = 0; t < GROUP_TILES && t < tiles; t++) {
    const iw_u64 tile = iw_add_u64(place, iw_splat_u64(t));
    const iw_pred some = iw_lt_u64(tile, iw_splat_u64(tiles));
    const LANES aggregate = OF_T(iw_gather_far)(aggregates, tile, some);
    fold = OF_T(iw_select)(some, OF_OP(iw)(fold, aggregate), fold);
  }
  return fold;
}

#include <isowarp/algorithms/reduce_segments/columns.h>
#if HAS_RUNS
#include "algorithms/reduce_segments/runs_in_tiles.h"
#endif

IW_KERNEL_NO_SPECIALIZATION(KERNEL(reduce_segments), ROWS_SHARED, iw_reduce_segments_args, WARPS * 32, BLOCKS)
{
  if (SEGMENTS_LAST_BLOCK_FOLDS && args->blocks_done) iw_begin_next_launch(); /* reduce_tiles, mostly with nothing to do */
  IW_PHASE(warp) {
    const INITIAL initial = FN(initial_of)(args);
    const uint64_t count = segment_count(args), warps = block->blocks * block->warps, own = block->index * block->warps + warp;
    const uint32_t batch = own < count ? segments_at_a_time(args, count, warps) : 1; /* divisions only where there is a segment */
    for (uint64_t first = own * batch; first < count; first += warps * batch)
      FN(reduce_batch)(block, args, SCRATCH_OF(warp), &initial, first, count - first < batch ? count - first : batch);
  }
}

/* Folds the tiles of long segment k, which has up to 32 groups of them. */
IW_FN void FN(fold_listed)(const ARGS *args, const INITIAL *initial, uint64_t k)
{
  const iw_long_segment s = long_segment(args, k);
  const uint64_t tiles = tiles_of(s.length);
  LANES before;
  if (tiles > 32 * GROUP_TILES) return;
  const SCALAR all = OF_OP(iw_fold)(initial->init, FN(fold_groups)((const SCALAR *)args->aggregates + s.first_tile, tiles), &before);
  FN(set_result)(args, s.segment, tiles ? all : initial->of_none);
}

/* Folds the tiles of the long segments from `first` on, at most 32: a lane those of a segment that has up to
 * a group of them, the warp those of the others. */
IW_FN void FN(fold_32_listed)(const ARGS *args, const INITIAL *initial, uint64_t first, uint64_t segments)
{
  enum { AT_ONCE = 8 }; /* loads in flight */
  iw_u64 segment, tile;
  const iw_pred some = iw_lanes_below((int64_t)(segments - first));
  const iw_u64 tiles = tiles_of_long_segments(args, first, some, &segment, &tile);
  const iw_pred small = iw_and_pred(some, iw_le_u64(tiles, iw_splat_u64(GROUP_TILES)));
  const iw_u64 left = iw_select_u64(small, tiles, iw_splat_u64(0));
  LANES fold = IDENTITY;
  for (uint64_t t = 0; iw_any(iw_gt_u64(left, iw_splat_u64(t))); t += AT_ONCE) {
    LANES x[AT_ONCE];
    IW_UNROLL for (unsigned k = 0; k < AT_ONCE; k++)
      x[k] = OF_T(iw_gather_far)((const SCALAR *)args->aggregates, iw_add_u64(tile, iw_splat_u64(t + k)), iw_gt_u64(left, iw_splat_u64(t + k)));
    IW_UNROLL for (unsigned k = 0; k < AT_ONCE; k++)
      fold = OF_T(iw_select)(iw_gt_u64(left, iw_splat_u64(t + k)), OF_OP(iw)(fold, x[k]), fold);
  }
  FN(store_results)(args, segment, OF_OP(iw)(OF_T(iw_splat)(initial->init), fold), iw_gt_u64(left, iw_splat_u64(0)));
  for (iw_mask others = iw_ballot(iw_and_pred(some, iw_not_pred(small))); others; others &= others - 1)
    FN(fold_listed)(args, initial, first + iw_lowest(others));
}

IW_KERNEL_NO_SPECIALIZATION(KERNEL(reduce_tiles), iw_no_shared, iw_reduce_segments_args, TILE_WARPS * 32, SEGMENTS_TILE_BLOCKS)
{
  /* args->listed is read before the phase ends, and so before the last block may clear it. */
  const int folds = SEGMENTS_LAST_BLOCK_FOLDS && args->blocks_done && has_listed(args);
  IW_PHASE(warp) {
    uint64_t tiles;
    const uint64_t segments = long_segments(args, &tiles), warps = block->blocks * block->warps;
    const uint64_t run = tiles > warps ? SEGMENTS_TILES_PER_RUN : 1;
    uint64_t first = (warp * block->blocks + block->index) * run; /* few tiles are in many blocks */
    for (; first < tiles; first = (warps + iw_at_u64(iw_global_add(args->listed + 1, 0, iw_splat_u64(1),
                                                                   iw_lanes_below(1)), 0)) * run) {
      uint64_t k = long_segment_of_tile(args, segments, first);
      iw_long_segment s = long_segment(args, k);
      for (uint64_t tile = first; tile < tiles && tile < first + run; tile++) {
        while (tile >= s.first_tile + tiles_of(s.length) && k + 1 < segments) s = long_segment(args, ++k);
        const uint64_t at = (tile - s.first_tile) * TILE, left = s.length - at;
        if (at >= s.length) continue;
        const ELEMENT *const in = (const ELEMENT *)args->in + s.begin + at;
        OF_T(iw_set_raw)((SCALAR *)args->aggregates + tile,
                         FN(fold_rows)(args, in, (int64_t)(left < TILE ? left : TILE), OF_OP(iws_identity)()));
      }
    }
  }
  if (folds && iw_is_last_block(args->blocks_done)) {
    IW_PHASE(warp) {
      uint64_t tiles;
      const uint64_t segments = long_segments(args, &tiles);
      const INITIAL initial = FN(initial_of)(args);
      for (uint64_t k = 32 * warp; k < segments; k += 32 * block->warps) FN(fold_32_listed)(args, &initial, k, segments);
    }
    IW_PHASE(warp) { if (warp == 0) clear_list(args); }
  }
}

#if !defined(FROM) || IS_OF_USER
#define SHARED FN(shared)
typedef struct { SCALAR groups[TILE_WARPS * 32]; } SHARED;

IW_KERNEL_NO_SPECIALIZATION(KERNEL(fold_tiles), SHARED, iw_reduce_segments_args, TILE_WARPS * 32, SEGMENTS_FOLD_BLOCKS)
{
  enum { AT_ONCE = TILE_WARPS * 32 }; /* groups */
  IW_VAR(SCALAR, folds);
  uint64_t tiles_of_all;
  const uint64_t segments = long_segments(args, &tiles_of_all);
  IW_PHASE(warp) { /* segments of up to 32 groups: one for each warp */
    const INITIAL initial = FN(initial_of)(args);
    for (uint64_t k = block->index * block->warps + warp; k < segments; k += block->blocks * block->warps)
      FN(fold_listed)(args, &initial, k);
  }
  for (uint64_t k = block->index; k < segments; k += block->blocks) { /* longer ones: one for each block */
    const iw_long_segment s = long_segment(args, k);
    const uint64_t tiles = tiles_of(s.length);
    if (tiles <= 32 * GROUP_TILES) continue;
    IW_WARPS(warp) { IW_MY(folds) = FN(initial_of)(args).init; }
    for (uint64_t done = 0; done < tiles; done += AT_ONCE * GROUP_TILES) {
      IW_PHASE(warp) {
        const uint64_t at = done + (uint64_t)warp * 32 * GROUP_TILES;
        const LANES groups = FN(fold_groups)((const SCALAR *)args->aggregates + s.first_tile + at, at < tiles ? tiles - at : 0);
        OF_T(iw_store)(shared->groups + warp * 32, groups, iw_lanes_below(32));
      }
      IW_PHASE(warp) {
        if (warp == 0) {
          SCALAR all = IW_MY(folds);
          for (unsigned w = 0; w < TILE_WARPS; w++) {
            LANES before;
            all = OF_OP(iw_fold)(all, OF_T(iw_load)(shared->groups + w * 32, iw_lanes_below(32)), &before);
          }
          IW_MY(folds) = all;
          if (done + AT_ONCE * GROUP_TILES >= tiles)
            FN(set_result)(args, s.segment, all);
        }
      }
    }
  }
}
#undef SHARED
#endif

#undef SCRATCH
#undef ROWS_SHARED
#undef SCRATCH_OF
#undef CONVERT
#undef FINDS
#undef IDENTITY
#undef IS_OF_USER
#undef IN_MEMORY
#undef IN_MEMORY_WIDE
#undef TWIDDLE_LANES
#undef TWIDDLED
#undef HAS_SEGMENTS
#undef ARGS
#undef FN
#undef KERNEL
#undef TILE
#undef GROUP_TILES
#undef WARPS
#undef BLOCKS
#undef TILE_WARPS
#undef RUN_TILE
#undef HAS_RUNS
#undef INITIAL
/* Defined by order1.h. */
#undef ROW_ELEMENTS
#undef T_FROM
#undef ELEMENT
#undef OF_T_FROM
#undef PARTS
#undef PART
#undef EACH_PART
#undef PART_VALID
#undef ROW_VALID
#undef ROW
#undef HEADS
#undef PENDING
#undef TWIDDLE
#undef TWIDDLE_PART
#undef ROW_READ
