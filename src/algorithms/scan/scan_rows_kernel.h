/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel template of scans of the rows of a matrix that are short, or so many that each warp has several:
 * at most a group of elements each (scan_kernel.h scans the others). Each row of the matrix has its own
 * summation order 1, which begins at its first element, so its outputs are those of a scan of this row alone.
 * A warp scans whole rows of the matrix, so that no warp waits for another.
 *
 * "Row" without "of the matrix" is a row of order 1, which has slots for 128 elements. A row of the matrix of
 * more than 64 elements takes one row or several. A shorter one takes a block of 2^levels slots, the smallest
 * that holds it, and a row has several blocks: the tree ends at blocks. What is in the slots behind the last
 * element of a row of the matrix changes no output, as a prefix depends on nothing behind it. Two schedules
 * move elements to slots and back:
 *   rows_by_lanes.h   loads and stores by lanes, transposed in shared memory (GPUs; SCAN_ROWS_BY_LANES)
 *   rows_in_turn.h    loads and stores of whole rows at any address, or copies (CPUs)
 *
 * Parameters: T, OP, FROM, NARROW and TWIDDLE_BITS, as of scan_kernel.h; outputs are of the type of the
 * elements in memory. Makes the kernel scan_rows_OP_T, with _from_FROM behind it if FROM is defined. The
 * including file undefines the parameters; this one undefines everything else that it defines.
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/common/tuning.h>
#include <isowarp/algorithms/scan/args.h>
#include "algorithms/common/args.h"

#ifdef TWIDDLE_BITS
#define TWIDDLED 1
#else
#define TWIDDLED 0
#endif
#define HAS_SEGMENTS 0 /* in a row */
#define ARGS iw_scan_rows_args
#define FN(name) IW_JOIN(IW_JOIN(scan_rows, name), IW_JOIN(OP, T_FROM)) /* scan_rows_outputs_sum_f64 */
#define KERNEL IW_JOIN(scan_rows, IW_JOIN(OP, T_FROM))
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

/* The prefixes within the blocks of a row. Whole rows have code of their own on CPUs, where registers that live
 * across the branches on levels are moved to memory. */
IW_FN ROW FN(tree)(ROW x, int levels)
{
  EACH_PART(p) {
    if (!SCAN_ROWS_BY_LANES && levels >= PART_LEVELS) x.part[p] = OF_OP(iw_row_inclusive_prefix)(x.part[p]);
    else x.part[p] = OF_OP(iw_row_block_prefix)(x.part[p], levels);
    if (p && levels > PART_LEVELS) x.part[p] = OF_OP(iw_row)(OF_T(iw_row_last)(x.part[p - 1]), x.part[p]);
  }
  return x;
}

/* The folds over the rows before a row in its tile, and over the tiles before that, of its row of the matrix. */
#define FOLDS FN(folds)
typedef struct { SCALAR rows, tiles; } FOLDS;

/* The outputs of a row of elements, whose first one is in this column of its row of the matrix. Adds the row to
 * the folds. */
IW_FN ROW FN(outputs)(const ARGS *args, const INITIAL *initial, ROW x, int levels, uint64_t column, FOLDS *folds)
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
    if (args->columns > IW_SCAN_TILE) x.part[p] = OF_OP(iw_row)(tiles, x.part[p]);
    x.part[p] = OF_OP(iw_row)(initial->init, x.part[p]);
  }
  if (!args->exclusive) return x;
  return FN(row_shift)(x, column ? OF_OP(iws)(initial->init, OF_OP(iws)(tiles, rows)) : initial->first_out);
}

IW_FN void FN(store_outputs)(const ARGS *args, ELEMENT *out, ROW x, int64_t valid, int stream)
{
#ifdef NARROW
  FN(row_store_narrow)(args, out, x, valid, stream);
#else
  FN(row_store)(args, out, x, valid, stream);
#endif
}

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

#if SCAN_ROWS_BY_LANES
#include "algorithms/scan/rows_by_lanes.h"
#else
#include "algorithms/scan/rows_in_turn.h"
#endif

IW_KERNEL_NO_SPECIALIZATION(KERNEL, SHARED, iw_scan_rows_args, SCAN_ROWS_WARPS * 32,
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
