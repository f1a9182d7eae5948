/* SPDX-License-Identifier: Apache-2.0
 *
 * The columns of a matrix: each lane of a warp reduces a column of its own, so the tree of order 1 takes no
 * shuffles. A part of reduce_segments_kernel.h, which has its parameters.
 *
 * A unit of work is one tile (4096 rows of the matrix) of a strip of 32 * STRIP adjacent columns. If the
 * matrix has fewer than 32 columns, lanes gather from floor(32 / columns) tiles at once, or with
 * SEGMENTS_GATHER_COLUMNS 0 some lanes have no column. A unit is shared by warps_per_unit warps of a block:
 * each reduces 128 rows of the matrix, one row of order 1, and the first of them folds these rows in order.
 * A matrix of few rows has fewer warps per unit. On a CPU a strip is wide enough for the hardware's
 * prefetch. The operator need not commute.
 */
static_assert((TILE_WARPS & (TILE_WARPS - 1)) == 0, "warps_per_unit, a power of two, divides the warps of a block");
#define COLUMN_LOADS ((int)SEGMENTS_COLUMN_LOADS)
#define STRIP ((int)SEGMENTS_COLUMN_STRIP(sizeof(SCALAR)))
enum { FN(column_levels) = COLUMN_LOADS == 16 ? 3 : COLUMN_LOADS == 8 ? 4 : 5 };
enum { FN(split) = SEGMENTS_SPLIT_FULL_VECTORS((int)sizeof(SCALAR), (int)sizeof(ELEMENT)) };
static_assert(COLUMN_LOADS == 16 || COLUMN_LOADS == 8 || COLUMN_LOADS == 4,
              "the tree of order 1 over 128 elements has this many levels above those of one batch of loads");

/* A unit. Lane l: the elements at + index + i * stride of its column, i < length, if it is in `some`.
 * Vector v of a strip holds the columns 32 * v to the right; vectors past the last column are skipped. */
#define UNIT FN(column_unit)
typedef struct {
  const ELEMENT *at;
  iw_u64 index, column, tile;
  iw_u32 length;
  uint32_t least, most;        /* of the lengths */
  int64_t columns;             /* from the first one on */
  iw_pred some;
} UNIT;

IW_FN int FN(is_narrow)(const ARGS *args) { return SEGMENTS_GATHER_COLUMNS && args->stride < 32; }
IW_FN uint64_t FN(tiles_of_unit)(const ARGS *args) { return FN(is_narrow)(args) ? 32 / args->stride : 1; }

IW_FN uint64_t FN(column_units)(const ARGS *args)
{
  const uint64_t tiles = tiles_of(args->length), at_once = FN(tiles_of_unit)(args);
  return FN(is_narrow)(args) ? (tiles + at_once - 1) / at_once : tiles * ((args->stride + 32 * STRIP - 1) / (32 * STRIP));
}

IW_NOINLINE_FN UNIT FN(unit)(const ARGS *args, uint64_t k)
{
  const ELEMENT *const in = (const ELEMENT *)args->in;
  const uint64_t stride = args->stride, tiles = tiles_of(args->length);
  const iw_u64 lane = iw_iota_u64(0);
  UNIT u;
  const int narrow = FN(is_narrow)(args); /* else index is the lane */
  if (narrow) {
    const uint64_t at_once = FN(tiles_of_unit)(args), first = k * at_once;
    iw_u64 within = iw_splat_u64(0); /* lane / stride */
    for (uint64_t t = 1; t < at_once; t++)
      within = iw_select_u64(iw_le_u64(iw_splat_u64(t * stride), lane), iw_splat_u64(t), within);
    u.at = in + first * TILE * stride;
    u.tile = iw_add_u64(within, iw_splat_u64(first));
    u.column = iw_sub_u64(lane, iw_mul_u64(within, iw_splat_u64(stride)));
    u.index = iw_add_u64(iw_mul_u64(within, iw_splat_u64(TILE * stride)), u.column);
    u.columns = (int64_t)stride;
    u.some = iw_and_pred(iw_lt_u64(lane, iw_splat_u64(at_once * stride)), iw_lt_u64(u.tile, iw_splat_u64(tiles)));
  } else {
    const uint64_t strips = (stride + 32 * STRIP - 1) / (32 * STRIP), tile = k / strips, column = k % strips * 32 * STRIP;
    u.at = in + tile * TILE * stride + column;
    u.tile = iw_splat_u64(tile);
    u.column = iw_iota_u64(column);
    u.index = lane;
    u.columns = (int64_t)(stride - column);
    u.some = iw_lanes_below(u.columns);
  }
  const iw_u64 left = iw_sub_u64(iw_splat_u64(args->length), iw_mul_u64(u.tile, iw_splat_u64(TILE)));
  const uint64_t before = iw_at_u64(u.tile, 0) * TILE, most = args->length - before;
  u.length = iw_convert_u64_u32(iw_select_u64(u.some, iw_min_u64(left, iw_splat_u64(TILE)), iw_splat_u64(0)));
  u.most = (uint32_t)(most < TILE ? most : TILE);
  u.least = most < TILE * FN(tiles_of_unit)(args) ? 0 : TILE; /* 0: some lane may have fewer than the others */
  if (!narrow) u.least = u.most;
  return u;
}

/* The lanes of vector v of a unit's strip that have a column. */
IW_FN iw_pred FN(strip_lanes)(const UNIT *u, int v) { return v ? iw_lanes_below(u->columns - 32 * v) : u->some; }

/* Row `row` of vector v of a unit, or of a narrow unit; the identity in lanes outside of `some`. */
IW_FN LANES FN(load_wide)(const ARGS *args, const UNIT *u, int v, uint32_t row, iw_pred some)
{
  return FN(load_some)(args, u->at + row * args->stride + 32 * v, some);
}
IW_FN LANES FN(load_narrow)(const ARGS *args, const UNIT *u, uint32_t row, iw_pred some)
{
  const iw_u64 index = iw_add_u64(u->index, iw_splat_u64(row * args->stride));
  return OF_T(iw_select)(some, TWIDDLE_LANES(args, CONVERT(IW_JOIN(iw_gather_far, IN_MEMORY)(u->at, index, some))), IDENTITY);
}

IW_FN LANES FN(load_row)(const ARGS *args, const UNIT *u, int v, uint32_t row, iw_pred some)
{
  return FN(is_narrow)(args) ? FN(load_narrow)(args, u, row, some) : FN(load_wide)(args, u, v, row, some);
}

/* One level of the tree over the rows in x: 2 * pairs become `pairs`. */
IW_FN void FN(combine_pairs)(LANES *x, int pairs)
{
  IW_UNROLL for (int i = 0; i < pairs; i++) x[i] = OF_OP(iw)(x[2 * i], x[2 * i + 1]);
}

/* Combines rows row … row + COLUMN_LOADS - 1 of vector v of a unit's strip to x[0]. */
IW_FN void FN(column_batch)(const ARGS *args, const UNIT *u, int v, uint32_t row, iw_pred there, LANES *x)
{
  const int whole = row + COLUMN_LOADS <= u->least, all = FN(split) && iw_all(there);
  /* Branches stand outside of the unrolled loops, so that all loads are issued before the first is waited
   * for. */
  if (!whole) {
    /* Rows behind the last one are not touched: a masked load there may be slow, as nothing need be
     * mapped. */
    LANES rows[COLUMN_LOADS];
    IW_UNROLL_ROWS for (int i = 0; i < COLUMN_LOADS; i++) {
      const iw_pred has_row = iw_gt_u32(u->length, iw_splat_u32(row + (uint32_t)i));
      const iw_pred some = FN(is_narrow)(args) ? iw_and_pred(there, has_row) : there;
      rows[i] = row + (uint32_t)i >= u->most ? IDENTITY : FN(load_row)(args, u, v, row + (uint32_t)i, some);
    }
    IW_UNROLL for (int i = 0; i < COLUMN_LOADS; i++) x[i] = rows[i];
  } else if (FN(is_narrow)(args)) {
    IW_UNROLL for (int i = 0; i < COLUMN_LOADS; i++) x[i] = FN(load_narrow)(args, u, row + (uint32_t)i, there);
  } else if (all) {
    const iw_pred lanes = iw_lanes_below(32);
    IW_UNROLL for (int i = 0; i < COLUMN_LOADS; i++) x[i] = FN(load_wide)(args, u, v, row + (uint32_t)i, lanes);
  } else {
    IW_UNROLL for (int i = 0; i < COLUMN_LOADS; i++) x[i] = FN(load_wide)(args, u, v, row + (uint32_t)i, there);
  }
  FN(combine_pairs)(x, COLUMN_LOADS / 2);
  FN(combine_pairs)(x, COLUMN_LOADS / 4);
  FN(combine_pairs)(x, COLUMN_LOADS / 8);
  FN(combine_pairs)(x, COLUMN_LOADS / 16);
  FN(combine_pairs)(x, COLUMN_LOADS / 32);
}

/* Stores the aggregates of the rows of order 1 that begin at element `first` of the unit's columns. */
IW_FN void FN(reduce_strip)(const ARGS *args, const UNIT *u, uint32_t first, SCALAR *aggregates)
{
  const int is_one_batch = u->most <= first + COLUMN_LOADS; /* the others are behind the last row */
  const uint32_t batches = is_one_batch ? 1 : ROW_ELEMENTS / COLUMN_LOADS;
  LANES pending[STRIP][FN(column_levels)];
  if (!is_one_batch)
    IW_UNROLL for (int level = 0; level < FN(column_levels); level++)
      for (int v = 0; v < STRIP; v++) pending[v][level] = IDENTITY;
  for (uint32_t k = 0; k < batches; k++)
    for (int v = 0; v < STRIP && 32 * v < u->columns; v++) {
      const iw_pred there = FN(strip_lanes)(u, v);
      LANES x[COLUMN_LOADS];
      const uint32_t row = first + k * COLUMN_LOADS;
      if (row < u->most) FN(column_batch)(args, u, v, row, there, x);
      else x[0] = IDENTITY; /* behind the last row */
      /* pending[v][level] holds a subtree of 2^level batches until its right sibling is complete. */
      IW_UNROLL_ROWS for (int level = 0; level < FN(column_levels) && !is_one_batch; level++) {
        if (!(k >> level & 1)) {
          pending[v][level] = x[0];
          break;
        }
        x[0] = OF_OP(iw)(pending[v][level], x[0]);
      }
      if (k + 1 == batches) OF_T(iw_store)(aggregates + 32 * v, x[0], iw_lanes_below(32));
    }
}

/* A row of order 1 of each warp, and the folds, at the first warp of each unit. */
#define COLUMN_SHARED FN(column_shared)
typedef struct { SCALAR rows[TILE_WARPS][STRIP * 32], folds[TILE_WARPS][STRIP * 32]; } COLUMN_SHARED;

/* Folds the rows of order 1 from element `first` on, one of each warp of a unit, onto the unit's fold. */
IW_FN void FN(fold_strip)(const ARGS *args, const UNIT *u, COLUMN_SHARED *shared, unsigned warp, uint32_t first)
{
  for (int v = 0; v < STRIP && 32 * v < u->columns; v++) {
    LANES fold = IDENTITY;
    if (first) fold = OF_T(iw_load)(shared->folds[warp] + 32 * v, iw_lanes_below(32));
    for (uint32_t w = 0; w < args->warps_per_unit && first + w * ROW_ELEMENTS < u->most; w++)
      fold = OF_OP(iw)(fold, OF_T(iw_load)(shared->rows[warp + w] + 32 * v, iw_lanes_below(32)));
    OF_T(iw_store)(shared->folds[warp] + 32 * v, fold, iw_lanes_below(32));
  }
}

#if FINDS
/* Stores the indices of the first elements that equal the folds of a unit's columns, of a matrix of one
 * tile. Rows are searched in order for all vectors of the strip, until each column has its element. */
IW_FN void FN(find_in_strip)(const ARGS *args, const UNIT *u, const SCALAR *folds)
{
  iw_pred left[STRIP];
  iw_u32 index[STRIP];
  int any = 1;
  for (int v = 0; v < STRIP && 32 * v < u->columns; v++) left[v] = FN(strip_lanes)(u, v), index[v] = iw_splat_u32(0);
  for (uint32_t row = 0; row < u->most && any; row += COLUMN_LOADS) {
    any = 0;
    for (int v = 0; v < STRIP && 32 * v < u->columns; v++) {
      if (!iw_any(left[v])) continue;
      const LANES best = OF_T(iw_load)(folds + 32 * v, iw_lanes_below(32));
      LANES x[COLUMN_LOADS];
      any = 1;
      IW_UNROLL_ROWS for (int i = 0; i < COLUMN_LOADS; i++) {
        const uint32_t at = row + (uint32_t)i;
        x[i] = at >= u->most ? IDENTITY : FN(load_row)(args, u, v, at, left[v]);
      }
      for (int i = 0; i < COLUMN_LOADS && row + (uint32_t)i < u->most; i++) {
        const iw_pred differs = FN(differs)(x[i], best);
        index[v] = iw_select_u32(iw_and_pred(left[v], iw_not_pred(differs)), iw_splat_u32(row + (uint32_t)i), index[v]);
        left[v] = iw_and_pred(left[v], differs);
      }
    }
  }
  for (int v = 0; v < STRIP && 32 * v < u->columns; v++)
    iw_scatter_far_u64(args->indices, iw_add_u64(u->column, iw_splat_u64(32 * (uint64_t)v)), iw_convert_u32_u64(index[v]),
                       FN(strip_lanes)(u, v));
}
#endif

/* Stores the fold of a unit: an aggregate of its tile, or the result if there is one tile only. */
IW_FN void FN(store_strip)(const ARGS *args, const UNIT *u, const SCALAR *folds)
{
  const uint64_t tiles = tiles_of(args->length);
  for (int v = 0; v < STRIP && 32 * v < u->columns; v++) {
    const iw_pred there = FN(strip_lanes)(u, v);
    const iw_u64 column = iw_add_u64(u->column, iw_splat_u64(32 * (uint64_t)v));
    const LANES fold = OF_T(iw_load)(folds + 32 * v, iw_lanes_below(32));
    if (tiles > 1)
      OF_T(iw_scatter_far)((SCALAR *)args->aggregates, iw_add_u64(iw_mul_u64(column, iw_splat_u64(tiles)), u->tile), fold,
                           there);
    else
      FN(store_results)(args, column, OF_OP(iw)(OF_T(iw_splat)(FN(initial_of)(args).init), fold), there);
  }
#if FINDS
  if (args->indices && tiles == 1) FN(find_in_strip)(args, u, folds);
#endif
}

#if !SEGMENTS_GATHER_COLUMNS
/* Stores the results of vector v of a strip, beside one another. */
IW_FN void FN(store_columns)(const ARGS *args, const UNIT *u, int v, LANES x, iw_pred there)
{
  const uint64_t column = iw_at_u64(u->column, 0) + 32 * (uint64_t)v;
  if (FINDS && !args->results) return;
  if (args->result_form != IW_RESULT_OF_T) FN(store_results)(args, iw_iota_u64(column), x, there);
  else OF_T(iw_store)((SCALAR *)args->results + column, TWIDDLE_LANES(args, x), there);
}

/* Columns of at most SEGMENTS_FEW_ROWS rows: the tree of order 1 without the identities behind the last row,
 * which change no bit. Four rows are combined in registers; only the pending subtrees of four and more go
 * through memory, which at few rows takes longer than the loads. */
IW_FN void FN(reduce_few_rows)(const ARGS *args, const UNIT *u, SCALAR *folds)
{
  const LANES init = OF_T(iw_splat)(FN(initial_of)(args).init);
  const uint32_t rows = u->most, rest = rows % 4;
  for (int v = 0; v < STRIP && 32 * v < u->columns; v++) {
    const iw_pred there = FN(strip_lanes)(u, v);
    LANES pending[5], x = IDENTITY; /* of subtrees of 2^level rows until their right siblings are complete */
    int level = 0;
    for (uint32_t row = 0; row < rows - rest; row += 4) {
      LANES four[4];
      IW_UNROLL for (uint32_t i = 0; i < 4; i++) four[i] = FN(load_wide)(args, u, v, row + i, there);
      x = OF_OP(iw)(OF_OP(iw)(four[0], four[1]), OF_OP(iw)(four[2], four[3]));
      for (level = 2; row >> level & 1; level++) x = OF_OP(iw)(pending[level], x);
      pending[level] = x;
    }
    if (rest) {
      level = 1;
      x = FN(load_wide)(args, u, v, rows - rest, there);
      if (rest > 1) x = OF_OP(iw)(x, FN(load_wide)(args, u, v, rows - rest + 1, there));
      if (rest > 2) x = OF_OP(iw)(x, FN(load_wide)(args, u, v, rows - 1, there));
    }
    while (rows >> ++level) /* x is the last subtree */
      if (rows >> level & 1) x = OF_OP(iw)(pending[level], x);
    if (FINDS && args->indices) OF_T(iw_store)(folds + 32 * v, x, iw_lanes_below(32));
    FN(store_columns)(args, u, v, OF_OP(iw)(init, x), there);
  }
#if FINDS
  if (args->indices) FN(find_in_strip)(args, u, folds);
#endif
}
#endif

IW_KERNEL_NO_SPECIALIZATION(KERNEL(reduce_columns), COLUMN_SHARED, iw_reduce_segments_args, TILE_WARPS * 32, SEGMENTS_COLUMN_BLOCKS)
{
  const uint64_t units = FN(column_units)(args), units_at_once = TILE_WARPS / args->warps_per_unit;
  const uint64_t first_unit = SEGMENTS_ADJACENT_UNITS ? units * block->index / block->blocks : block->index * units_at_once;
  const uint64_t last_unit = SEGMENTS_ADJACENT_UNITS ? units * (block->index + 1) / block->blocks : units; /* excluded */
  const uint64_t step = SEGMENTS_ADJACENT_UNITS ? units_at_once : block->blocks * units_at_once;
#if !SEGMENTS_GATHER_COLUMNS
  if (args->length <= SEGMENTS_FEW_ROWS) { /* warps_per_unit is 1 */
    IW_PHASE(warp) {
      for (uint64_t k = first_unit + warp; k < last_unit; k += step) {
        const UNIT u = FN(unit)(args, k);
        FN(reduce_few_rows)(args, &u, shared->folds[warp]);
      }
    }
    return;
  }
#endif
  for (uint64_t k = first_unit; k < last_unit; k += step) {
    for (uint32_t first = 0; first < TILE && first < args->length; first += args->warps_per_unit * ROW_ELEMENTS) {
      IW_PHASE(warp) {
        const uint64_t own = k + warp / args->warps_per_unit;
        if (own < last_unit) {
          const UNIT u = FN(unit)(args, own);
          const uint32_t row = first + warp % args->warps_per_unit * ROW_ELEMENTS;
          if (row < u.most) FN(reduce_strip)(args, &u, row, shared->rows[warp]);
        }
      }
      IW_PHASE(warp) {
        const uint64_t own = k + warp / args->warps_per_unit;
        if (own < last_unit && warp % args->warps_per_unit == 0) {
          const UNIT u = FN(unit)(args, own);
          if (first < u.most) FN(fold_strip)(args, &u, shared, warp, first);
        }
      }
    }
    IW_PHASE(warp) {
      const uint64_t own = k + warp / args->warps_per_unit;
      if (own < last_unit && warp % args->warps_per_unit == 0) {
        const UNIT u = FN(unit)(args, own);
        FN(store_strip)(args, &u, shared->folds[warp]);
      }
    }
  }
}

#undef STRIP
#undef COLUMN_SHARED
#undef UNIT
#undef COLUMN_LOADS
