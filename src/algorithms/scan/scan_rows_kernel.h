/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel template of scans in which a warp scans whole rows of a matrix, so that no warp waits for
 * another. The rows have at most a group of elements each, and are short or so many that each warp has
 * several; scan_kernel.h scans other rows. Segments given by offsets are treated as rows of different
 * lengths, at any address. Each row of the matrix has its own summation order 1, which begins at its first
 * element, so its outputs are those of a scan of this row alone.
 *
 * "Row" without "of the matrix" is a row of order 1, which has slots for 128 elements. A row of the matrix
 * of more than 64 elements takes one row or several. A shorter one takes a block of 2^levels slots, the
 * smallest that holds it, and a row has several blocks: the tree ends at blocks. What is in the slots behind
 * the last element of a row of the matrix changes no output, as a prefix depends on nothing behind it. Two
 * schedules move elements to slots and back:
 *   rows_by_lanes.h   loads and stores by lanes, transposed in shared memory (GPUs; SCAN_ROWS_BY_LANES)
 *   rows_in_turn.h    loads and stores of whole rows at any address, or copies (CPUs)
 * segments_by_lanes.h and segments_in_turn.h are the same for segments.
 *
 * Parameters: T, OP, FROM, NARROW and TWIDDLE_BITS, as of scan_kernel.h, and
 *   OFFSETS_ONLY   if defined, there is no scan_rows: scan_segments scans rows of the matrix too, if it gets
 *                  no offsets
 *   OF_LANES       if defined, OP is an IW_OPERATOR; OFFSETS_ONLY is defined too
 *   OF_USER        if defined, FROM is a load transform
 * Outputs are of type T, or of FROM if NARROW is defined. Makes the kernels scan_rows_OP_T and
 * scan_segments_OP_T, with _from_FROM behind them if FROM is defined. The including file undefines the
 * parameters; this one undefines everything else that it defines.
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/common/tuning.h>
#include <isowarp/algorithms/scan/args.h>

#ifdef TWIDDLE_BITS
#define TWIDDLED 1
#else
#define TWIDDLED 0
#endif
#define HAS_SEGMENTS 0 /* in a row */
#define ARGS iw_scan_rows_args
#define FN(name) IW_JOIN(IW_JOIN(scan_rows, name), IW_JOIN(OP, T_FROM)) /* scan_rows_outputs_sum_f64 */
#define KERNEL(stem) IW_JOIN(stem, IW_JOIN(OP, T_FROM))
#include <isowarp/algorithms/common/order1.h>

enum { FN(ROW_LEVELS) = 7, FN(PART_LEVELS) = sizeof(SCALAR) == 4 ? 7 : 6 };
#define ROW_LEVELS FN(ROW_LEVELS)
#define PART_LEVELS FN(PART_LEVELS)
static_assert(1 << ROW_LEVELS == ROW_ELEMENTS && 1 << PART_LEVELS == IW_ROW(T),
              "the levels of the tree over a row, and over a part");

/* What is combined with the first element of each row of the matrix, and the first output of an
 * exclusive scan. */
#define INITIAL FN(initial)
typedef struct { SCALAR init, first_out; } INITIAL;

IW_FN INITIAL FN(initial_of)(const ARGS *args)
{
  INITIAL initial = { args->init.T, args->first_out.T };
  if (args->init_ptr)
    initial.init = initial.first_out = TWIDDLE(args, OF_T(iw_get)((const SCALAR *)args->init_ptr));
  return initial;
}

/* The prefixes within the blocks of a row. Whole rows have code of their own on CPUs, where registers that
 * live across the branches on levels are moved to memory. With OF_LANES a row has one block there, so the
 * whole tree, which changes no output, is right for it. */
#if !SCAN_ROWS_BY_LANES && defined(OF_LANES)
#define BLOCK_PREFIX(x, levels) OF_OP(iw_row_inclusive_prefix)(x)
#else
#define BLOCK_PREFIX(x, levels) OF_OP(iw_row_block_prefix)(x, levels)
#endif
IW_FN ROW FN(tree)(ROW x, int levels)
{
  EACH_PART(p) {
    if (!SCAN_ROWS_BY_LANES && levels >= PART_LEVELS) x.part[p] = OF_OP(iw_row_inclusive_prefix)(x.part[p]);
    else x.part[p] = BLOCK_PREFIX(x.part[p], levels);
    if (p && levels > PART_LEVELS) x.part[p] = OF_OP(iw_row)(OF_T(iw_row_last)(x.part[p - 1]), x.part[p]);
  }
  return x;
}

/* The folds over the rows before a row in its tile, and over the tiles before that, of its row of the
 * matrix. */
#define FOLDS FN(folds)
typedef struct { SCALAR rows, tiles; } FOLDS;

/* The outputs of a row of elements, whose first one is in this column of its row of the matrix. Adds the
 * row to the folds. has_tiles: 0 if the column is below IW_SCAN_TILE. */
IW_FN ROW FN(outputs)(const ARGS *args, const INITIAL *initial, ROW x, int levels, uint64_t column, int has_tiles,
                      FOLDS *folds)
{
  if (column % IW_SCAN_TILE == 0) {
    const SCALAR identity = OF_OP(iws_identity)();
    folds->tiles = column ? OF_OP(iws)(folds->tiles, folds->rows) : identity;
    folds->rows = identity;
  }
  const SCALAR tiles = folds->tiles, rows = folds->rows;
  x = FN(tree)(x, levels);
  folds->rows = OF_OP(iws)(rows, FN(row_last)(x));
  EACH_PART(p) {
    x.part[p] = OF_OP(iw_row)(rows, x.part[p]);
    if (has_tiles) x.part[p] = OF_OP(iw_row)(tiles, x.part[p]);
    x.part[p] = OF_OP(iw_row)(initial->init, x.part[p]);
  }
  if (!args->exclusive) return x;
  return FN(row_shift)(x, column ? OF_OP(iws)(initial->init, OF_OP(iws)(tiles, rows)) : initial->first_out);
}

#ifdef NARROW
#define OUTPUT ELEMENT
#else
#define OUTPUT SCALAR
#endif
IW_FN void FN(store_outputs)(const ARGS *args, OUTPUT *out, ROW x, int64_t valid, int stream)
{
#ifdef NARROW
  FN(row_store_narrow)(args, out, x, valid, stream);
#else
  FN(row_store)(args, out, x, valid, stream);
#endif
}

/* Lane values as they are combined, of what is loaded, and back. */
#if defined(FROM) && !defined(OF_USER)
#define LOADED(x) IW_JOIN(iw_convert, IW_JOIN(IW_PASTE(IW_LANES_FOR_, FROM), T))(x)
#else
#define LOADED(x) (x) /* iw_load_FROM and the like transform what they load */
#endif
#ifdef FROM
#define IN_MEMORY FROM
#else
#define IN_MEMORY T
#endif
#ifdef NARROW
#define STORED(x) IW_JOIN(iw_convert, IW_JOIN(T, IW_PASTE(IW_LANES_FOR_, FROM)))(x)
#define OUT_MEMORY FROM
#else
#define STORED(x) (x)
#define OUT_MEMORY T
#endif
#if TWIDDLED
#define TWIDDLE_LANES(args, x) OF_T(iw_flip_bits)(x, OF_T(iw_splat)((args)->twiddle.T))
#else
#define TWIDDLE_LANES(args, x) (x)
#endif

/* The place of a row: its first element, of the matrix, and the column of that in its row of the matrix. */
typedef struct { uint64_t at, column; } FN(place);

/* Moves a place to the next row. Returns how many elements there are in a block, or in the row if it is
 * one block. */
IW_FN int64_t FN(next)(const ARGS *args, FN(place) *place)
{
  const uint64_t columns = args->columns, left = columns - place->column;
  if (args->levels < ROW_LEVELS) {
    place->at += columns << (ROW_LEVELS - args->levels);
    return (int64_t)columns;
  }
  const uint64_t valid = left < ROW_ELEMENTS ? left : ROW_ELEMENTS;
  place->at += valid;
  place->column = left == valid ? 0 : place->column + valid;
  return (int64_t)valid;
}

/* Writes where the tiles of a listed segment, begin … end - 1, are; `first`: the index of its first one. */
IW_FN void FN(list_tiles)(const ARGS *args, uint64_t first, uint64_t begin, uint64_t end)
{
  const uint64_t last = first + (end - begin + IW_SCAN_TILE - 1) / IW_SCAN_TILE, room = args->tile_capacity;
  const uint64_t stop = last < room ? last : room;
  for (uint64_t tile = first; tile < stop; tile += 32) {
    const iw_pred some = iw_lanes_below((int64_t)(stop - tile));
    uint64_t *const to = args->places + tile;
    iw_store_u64(to, iw_splat_u64(begin), some);
    iw_store_u64(to + room, iw_splat_u64(end), some);
    iw_store_u64(to + 2 * room, iw_splat_u64(first), some);
  }
}

#if SCAN_ROWS_BY_LANES
#include <isowarp/algorithms/scan/rows_by_lanes.h>
#include <isowarp/algorithms/scan/segments_by_lanes.h>
#else
#include <isowarp/algorithms/scan/rows_in_turn.h>
#include <isowarp/algorithms/scan/segments_in_turn.h>
#endif

#ifndef OFFSETS_ONLY
IW_KERNEL_NO_SPECIALIZATION(KERNEL(scan_rows), SHARED, iw_scan_rows_args, SCAN_ROWS_WARPS * 32,
                            ((int)SCAN_ROWS_BLOCKS(sizeof(SCALAR))))
{
  IW_PHASE(warp) {
    const INITIAL initial = FN(initial_of)(args);
    const uint64_t batches = (args->rows + args->batch - 1) / args->batch;
    for (uint64_t k = block->index * block->warps + warp; k < batches; k += block->blocks * block->warps) {
      const uint64_t first = k * args->batch, left = args->rows - first;
      FN(scan_batch)(args, SCRATCH_OF(warp), &initial, first * args->columns,
                     (first + (left < args->batch ? left : args->batch)) * args->columns);
    }
  }
}
#endif

IW_KERNEL_NO_SPECIALIZATION(KERNEL(scan_segments), SHARED, iw_scan_rows_args, SCAN_ROWS_WARPS * 32,
                            ((int)SCAN_ROWS_BLOCKS(sizeof(SCALAR))))
{
  IW_PHASE(warp) {
    const INITIAL initial = FN(initial_of)(args);
    const uint64_t warps = block->blocks * block->warps;
    for (uint64_t first = (block->index * block->warps + warp) * args->batch; first < args->rows;
         first += warps * args->batch) {
      const uint64_t left = args->rows - first;
      FN(scan_segments)(block, args, SCRATCH_OF(warp), &initial, first, left < args->batch ? left : args->batch);
    }
  }
}

#undef SCRATCH
#undef CHUNK_ROWS
#undef VECTORS
#undef PART_VECTORS
#undef EACH_ROW
#undef EACH_SLOT_VECTOR
#undef ALL_LANES
#undef LOADED
#undef STORED
#undef IN_MEMORY
#undef OUT_MEMORY
#undef OUTPUT
#undef BLOCK_PREFIX
#undef TWIDDLE_LANES
#undef SHARED
#undef SCRATCH_OF
#undef FOLDS
#undef INITIAL
#undef ROW_LEVELS
#undef PART_LEVELS
#undef TWIDDLED
#undef HAS_SEGMENTS
#undef ARGS
#undef FN
#undef KERNEL
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
