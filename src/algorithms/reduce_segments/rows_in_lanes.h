/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of GPUs. The unit of work is a piece: 32 elements of a row of order 1, of which the last piece of a
 * segment may have fewer. A warp loads 32 pieces, of one segment or of many, one access each at any address, and
 * stages them in shared memory, piece p from word 33 p on. Then lane p reads piece p and reduces it by the tree of
 * order 1, without exchange between lanes. Rows of 33 words keep both accesses free of bank conflicts. So a piece
 * takes a load, a store, a load and an operation, whatever the lengths of the segments are, and its operands keep
 * their order. A row is four pieces. A part of reduce_segments_kernel.h, which has its parameters.
 */
#define VECTORS ((int)SEGMENTS_VECTORS(sizeof(SCALAR)))
#define ROW_PIECES (ROW_ELEMENTS / 32)
static_assert(ROW_PIECES == 4, "the tree over the pieces of a row is tree_of_4");
static_assert((VECTORS & (VECTORS - 1)) == 0 && VECTORS <= 32, "32 pieces are whole groups of loads");
static_assert(SEGMENTS_PIECES >= TILE / 32, "the aggregates of a segment of one tile fit");

#define SCRATCH FN(scratch) /* of a warp, in shared memory */
typedef struct {
  SCALAR staged[32 * 33];
  SCALAR aggregates[SEGMENTS_PIECES]; /* of pieces */
} SCRATCH;
#define ROWS_SHARED FN(rows_shared)
typedef struct { SCRATCH of_warp[WARPS]; } ROWS_SHARED;
#define SCRATCH_OF(warp) (&shared->of_warp[warp])

/* The lanes below n. A comparison of 32 bits. */
IW_FN iw_pred FN(below)(int n) { return iw_lt_i32(iw_convert_u32_i32(iw_lane()), iw_splat_i32(n)); }

/* A piece of `valid` elements, and the identity behind them. */
IW_FN LANES FN(load_piece)(const ARGS *args, const ELEMENT *in, int valid)
{
  return FN(load_some)(args, in, FN(below)(valid));
}

/* Stages pieces first … first + VECTORS - 1. */
IW_FN void FN(stage)(SCRATCH *scratch, int first, const LANES *x)
{
#ifdef IW_HAS_STAGE
  if (first == 0) iw_stage_sync();
  IW_UNROLL for (int k = 0; k < VECTORS; k++) OF_T(iw_stage)(scratch->staged + (first + k) * 33, x[k]);
  if (first + VECTORS == 32) iw_stage_sync();
#else
  IW_UNROLL for (int k = 0; k < VECTORS; k++) OF_T(iw_store)(scratch->staged + (first + k) * 33, x[k], iw_lanes_below(32));
#endif
}

/* The tree over four values of a lane. */
IW_FN LANES FN(tree_of_4)(const LANES *x)
{
  return OF_OP(iw)(OF_OP(iw)(x[0], x[1]), OF_OP(iw)(x[2], x[3]));
}

/* Lane p: the aggregate of the staged piece p. */
IW_FN LANES FN(reduce_pieces)(const SCRATCH *scratch)
{
  const iw_u32 own = iw_mul_u32(iw_lane(), iw_splat_u32(33));
  LANES eighths[8];
  IW_UNROLL for (int i = 0; i < 8; i++) {
    LANES x[4];
    IW_UNROLL for (int k = 0; k < 4; k++) x[k] = OF_T(iw_gather)(scratch->staged + 4 * i + k, own, iw_lanes_below(32));
    eighths[i] = FN(tree_of_4)(x);
  }
  return OF_OP(iw)(FN(tree_of_4)(eighths), FN(tree_of_4)(eighths + 4));
}

/* Folds the rows of the `valid` elements at `in` onto `fold`. */
IW_FN SCALAR FN(fold_rows)(const ARGS *args, SCRATCH *scratch, const ELEMENT *in, int64_t valid, SCALAR fold)
{
  for (; valid > 0; in += 32 * 32, valid -= 32 * 32) {
    IW_UNROLL for (int first = 0; first < 32; first += VECTORS) {
      LANES x[VECTORS];
      if (valid >= 32 * 32) {
        IW_UNROLL for (int k = 0; k < VECTORS; k++) x[k] = FN(load_piece)(args, in + 32 * (first + k), 32);
      } else {
        IW_UNROLL for (int k = 0; k < VECTORS; k++)
          x[k] = FN(load_piece)(args, in + 32 * (first + k), (int)valid - 32 * (first + k));
      }
      FN(stage)(scratch, first, x);
    }
    LANES rows = FN(reduce_pieces)(scratch);
    IW_UNROLL for (unsigned bit = 1; bit < ROW_PIECES; bit *= 2)
      rows = OF_OP(iw)(rows, OF_T(iw_shuffle_down)(rows, bit, 32));
    IW_UNROLL for (unsigned lane = 0; lane < 32; lane += ROW_PIECES) fold = OF_OP(iws)(fold, OF_T(iw_at)(rows, lane));
  }
  return fold;
}

/* Lane p: the aggregate of piece p, whose elements begin at in + (place >> 6). There are place & 63 of them. */
IW_FN LANES FN(load_and_reduce)(const ARGS *args, SCRATCH *scratch, const ELEMENT *in, iw_u32 place)
{
  IW_UNROLL for (int first = 0; first < 32; first += VECTORS) {
    LANES x[VECTORS];
    IW_UNROLL for (int k = 0; k < VECTORS; k++) {
      const uint32_t piece = iw_at_u32(place, (unsigned)(first + k));
      x[k] = FN(gather_some)(args, in, iw_iota_u32(piece >> 6), FN(below)((int)(piece & 63)));
    }
    FN(stage)(scratch, first, x);
  }
  return FN(reduce_pieces)(scratch);
}

/* Lane l: the last lane whose value of `first`, which does not descend from lane to lane, is at most the lane's `a`. */
IW_FN iw_u32 FN(last_lane_up_to)(iw_u32 first, iw_u32 a)
{
  iw_u32 lane = iw_splat_u32(0);
  IW_UNROLL for (unsigned step = 16; step > 0; step /= 2) {
    const iw_u32 next = iw_add_u32(lane, iw_splat_u32(step));
    lane = iw_select_u32(iw_le_u32(iw_shuffle_u32(first, next, 32), a), next, lane);
  }
  return lane;
}

/* Lane l: the fold of the rows of its segment, of which `pieces` aggregates are in the scratch from `first` on. */
IW_FN LANES FN(fold_pieces)(const SCRATCH *scratch, iw_u32 first, iw_u32 pieces)
{
  const LANES none = OF_T(iw_splat)(OF_OP(iws_identity)());
  LANES fold = none;
  for (uint32_t at = 0;; at += ROW_PIECES) {
    const iw_pred some = iw_gt_u32(pieces, iw_splat_u32(at));
    if (!iw_any(some)) return fold;
    LANES x[ROW_PIECES];
    IW_UNROLL for (unsigned i = 0; i < ROW_PIECES; i++) {
      const iw_pred here = iw_gt_u32(pieces, iw_splat_u32(at + i));
      x[i] = OF_T(iw_select)(here, OF_T(iw_gather)(scratch->aggregates + at + i, first, here), none);
    }
    fold = OF_T(iw_select)(some, OF_OP(iw)(fold, FN(tree_of_4)(x)), fold);
  }
}

/* Lane l: the fold of the rows of its segment, which has `length` elements, at most a tile, from `begin` on. A pass takes
 * as many of the segments left as have SEGMENTS_PIECES pieces and lie within 2^26 elements. */
IW_FN LANES FN(fold_segments)(const ARGS *args, SCRATCH *scratch, iw_u64 begin, iw_u32 length)
{
  LANES fold = OF_T(iw_splat)(OF_OP(iws_identity)());
  uint32_t left = (uint32_t)iw_ballot(iw_gt_u32(length, iw_splat_u32(0)));
  while (left) {
    const uint64_t base = iw_at_u64(begin, iw_lowest(left));
    const ELEMENT *const in = (const ELEMENT *)args->in + base;
    const iw_u64 far = iw_sub_u64(begin, iw_splat_u64(base));
    const iw_pred near = iw_and_pred(iw_pred_of(left), iw_lt_u64(far, iw_splat_u64((uint64_t)1 << 26)));
    const iw_u32 place = iw_convert_u64_u32(far);
    const iw_u32 own = iw_shr_u32(iw_add_u32(length, iw_splat_u32(31)), iw_splat_u32(5));
    const iw_u32 end = iw_inclusive_prefix_sum_u32(iw_select_u32(near, own, iw_splat_u32(0)));
    const iw_pred chosen = iw_and_pred(near, iw_le_u32(end, iw_splat_u32(SEGMENTS_PIECES)));
    const iw_u32 pieces = iw_select_u32(chosen, own, iw_splat_u32(0)), first = iw_sub_u32(end, pieces);
    const uint32_t total = iw_warp_max_u32(iw_select_u32(chosen, end, iw_splat_u32(0)));
    for (uint32_t at = 0; at < total; at += 32) {
      const iw_u32 piece = iw_iota_u32(at);
      const iw_u32 owner = FN(last_lane_up_to)(first, piece);
      const iw_u32 before = iw_shl_u32(iw_sub_u32(piece, iw_shuffle_u32(first, owner, 32)), iw_splat_u32(5));
      const iw_u32 of_owner = iw_shuffle_u32(length, owner, 32);
      const iw_pred some = iw_and_pred(iw_lt_u32(piece, iw_splat_u32(total)), iw_lt_u32(before, of_owner));
      const iw_u32 valid = iw_min_u32(iw_sub_u32(of_owner, before), iw_splat_u32(32));
      const iw_u32 packed = iw_or_u32(iw_shl_u32(iw_add_u32(iw_shuffle_u32(place, owner, 32), before), iw_splat_u32(6)), valid);
      const LANES aggregates = FN(load_and_reduce)(args, scratch, in, iw_select_u32(some, packed, iw_splat_u32(0)));
      OF_T(iw_store)(scratch->aggregates + at, aggregates, iw_lanes_below(32));
    }
    fold = OF_T(iw_select)(chosen, FN(fold_pieces)(scratch, first, pieces), fold);
    left &= ~(uint32_t)iw_ballot(chosen);
  }
  return fold;
}

/* Where the segments first + l of the lanes in `some` begin and end, within the array whatever the
 * offsets are. */
IW_FN void FN(bounds)(const ARGS *args, uint64_t first, iw_pred some, iw_u64 *begin, iw_u64 *end)
{
  const iw_u64 none = iw_splat_u64(0), n = iw_splat_u64(args->n);
  const iw_u64 last_end = iw_select_u64(some, n, none);
  const iw_pred inner = args->ends_at_n ? iw_and_pred(some, iw_lanes_below((int64_t)(segment_count(args) - first) - 1)) : some;
  if (!args->offsets) {
    const iw_u64 place = iw_mul_u64(iw_iota_u64(first), iw_splat_u64(args->length));
    *begin = iw_select_u64(some, place, none);
    *end = iw_select_u64(some, iw_add_u64(place, iw_splat_u64(args->length)), none);
  } else if (args->wide_offsets) {
    const uint64_t *const offsets = (const uint64_t *)args->offsets + first;
    *begin = iw_min_u64(iw_load_u64(offsets, some), n);
    *end = iw_select_u64(inner, iw_min_u64(iw_load_u64(offsets + 1, inner), n), last_end);
  } else {
    const uint32_t *const offsets = (const uint32_t *)args->offsets + first;
    *begin = iw_min_u64(iw_convert_u32_u64(iw_load_u32(offsets, some)), n);
    *end = iw_select_u64(inner, iw_min_u64(iw_convert_u32_u64(iw_load_u32(offsets + 1, inner)), n), last_end);
  }
}

/* Reduces the segments first … first + count - 1, at most 32, or lists those that have more than one tile. */
IW_FN void FN(reduce_32)(iw_block *block, const ARGS *args, SCRATCH *scratch, const INITIAL *initial, uint64_t first,
                         uint64_t count)
{
  const iw_pred some = iw_lanes_below((int64_t)count);
  const iw_u64 none = iw_splat_u64(0);
  iw_u64 begin, end;
  FN(bounds)(args, first, some, &begin, &end);
  const iw_u64 length = iw_select_u64(iw_lt_u64(begin, end), iw_sub_u64(end, begin), none);
  const iw_pred listed = iw_gt_u64(length, iw_splat_u64(TILE));
  const iw_mask list = iw_ballot(listed);
  if (list) list_segments(block, args, first, list, begin, length);
  const iw_u32 own_length = iw_select_u32(listed, iw_splat_u32(0), iw_convert_u64_u32(length));
  const LANES fold = FN(fold_segments)(args, scratch, begin, own_length);
  const LANES result = OF_T(iw_select)(iw_eq_u32(own_length, iw_splat_u32(0)), OF_T(iw_splat)(initial->of_none),
                                       OF_OP(iw)(OF_T(iw_splat)(initial->init), fold));
  OF_T(iw_store)((SCALAR *)args->results + first, TWIDDLE_LANES(args, result),
                 iw_and_pred(some, iw_not_pred(listed)));
}

IW_FN void FN(reduce_batch)(iw_block *block, const ARGS *args, SCRATCH *scratch, const INITIAL *initial, uint64_t first,
                            uint64_t count)
{
  for (uint64_t k = 0; k < count; k += 32)
    FN(reduce_32)(block, args, scratch, initial, first + k, count - k < 32 ? count - k : 32);
}

#undef VECTORS
#undef ROW_PIECES
