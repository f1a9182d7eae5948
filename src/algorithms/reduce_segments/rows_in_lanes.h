/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of GPUs: a warp reduces ROWS_AT_ONCE rows at a time, of one segment or of several, and has
 * the loads of all of them in flight. A part of reduce_segments_kernel.h, which has its parameters.
 *
 * Lane l loads the elements l, l + 32, l + 64 and l + 96 of a row: four vectors, each one access of the
 * warp at any address. The tree of order 1 begins with neighbours, so it runs over the lanes of each
 * vector first. A level takes two vectors at a time: after it, lanes whose bit of the level is 0 have the
 * sums of the first vector, the others those of the second. So N vectors take N - 1 shuffles, not 5 N,
 * and lane l ends with the aggregate of vector l. The last two levels of the tree are over the vectors of
 * a row.
 *
 * Operands are swapped in half of the lanes, so the operator has to commute.
 */
#define VECTORS ((int)SEGMENTS_VECTORS(sizeof(SCALAR)))
#define ROW_PARTS (ROW_ELEMENTS / 32)
#define ROWS_AT_ONCE (VECTORS / ROW_PARTS)
static_assert((VECTORS & (VECTORS - 1)) == 0 && VECTORS >= ROW_PARTS && VECTORS <= 32,
              "a warp holds a power of two of whole rows, and a lane ends with one vector");

/* The lanes below n. A comparison of 32 bits. */
IW_FN iw_pred FN(below)(int n) { return iw_lt_i32(iw_convert_u32_i32(iw_lane()), iw_splat_i32(n)); }

/* Up to 32 elements, and the identity behind the first `valid` ones. */
IW_FN LANES FN(load_vector)(const ARGS *args, const ELEMENT *in, int valid)
{
  return FN(load_some)(args, in, FN(below)(valid));
}

/* One level of the tree, over lanes that differ in `bit`: halves the number of vectors to `half`, or
 * combines the lanes of a single one if half is 0. */
IW_FN void FN(reduce_level)(LANES *x, int half, unsigned bit)
{
  const iw_pred upper = iw_ne_u32(iw_and_u32(iw_lane(), iw_splat_u32(bit)), iw_splat_u32(0));
  if (half == 0) x[0] = OF_OP(iw)(x[0], OF_T(iw_shuffle_xor)(x[0], bit, 32));
  IW_UNROLL for (int i = 0; i < half; i++) {
    const LANES own = OF_T(iw_select)(upper, x[2 * i + 1], x[2 * i]);
    const LANES others = OF_T(iw_select)(upper, x[2 * i], x[2 * i + 1]);
    x[i] = OF_OP(iw)(own, OF_T(iw_shuffle_xor)(others, bit, 32));
  }
}

/* Lane l: the aggregate of row l % rows, of rows = VECTORS / parts rows. x[p * rows + i]: vector p of row
 * i. */
IW_FN LANES FN(reduce_rows)(LANES *x, int parts)
{
  const unsigned rows = (unsigned)(VECTORS / parts);
  FN(reduce_level)(x, VECTORS / 2, 1);
  FN(reduce_level)(x, VECTORS / 4, 2);
  FN(reduce_level)(x, VECTORS / 8, 4);
  FN(reduce_level)(x, VECTORS / 16, 8);
  FN(reduce_level)(x, VECTORS / 32, 16);
  LANES all = x[0];
  if (parts >= 2) all = OF_OP(iw)(all, OF_T(iw_shuffle_xor)(all, rows, 32));
  if (parts >= 4) all = OF_OP(iw)(all, OF_T(iw_shuffle_xor)(all, 2 * rows, 32));
  return all;
}

/* Folds the rows of the `valid` elements at `in` onto `fold`. */
IW_FN SCALAR FN(fold_rows)(const ARGS *args, const ELEMENT *in, int64_t valid, SCALAR fold)
{
  for (; valid > 0; in += ROWS_AT_ONCE * ROW_ELEMENTS, valid -= ROWS_AT_ONCE * ROW_ELEMENTS) {
    LANES x[VECTORS];
#define VECTOR(k) x[(k) % ROW_PARTS * ROWS_AT_ONCE + (k) / ROW_PARTS]
    if (valid >= ROWS_AT_ONCE * ROW_ELEMENTS) {
      IW_UNROLL for (int k = 0; k < VECTORS; k++) VECTOR(k) = FN(load_vector)(args, in + 32 * k, 32);
    } else {
      const int left = (int)valid;
      IW_UNROLL for (int k = 0; k < VECTORS; k++) VECTOR(k) = FN(load_vector)(args, in + 32 * k, left - 32 * k);
    }
#undef VECTOR
    const LANES aggregates = FN(reduce_rows)(x, ROW_PARTS);
    IW_UNROLL for (unsigned i = 0; i < ROWS_AT_ONCE; i++)
      fold = OF_OP(iws)(fold, OF_T(iw_at)(aggregates, i));
  }
  return fold;
}

/* Folds one row of each lane in `chosen` onto the lane's `fold`: the row at in + place + at, which has at
 * most 32 * parts elements up to the end of the lane's segment. */
IW_FN LANES FN(fold_row_of_each)(const ARGS *args, const ELEMENT *in, iw_u32 place, iw_u32 length, uint32_t chosen,
                                 uint32_t at, LANES fold, int parts)
{
  const int rows = VECTORS / parts;
  const iw_u32 rank = iw_rank(iw_pred_of(chosen));
  uint32_t left = chosen;
  for (unsigned done = 0; left; done += (unsigned)rows) {
    LANES x[VECTORS];
    IW_UNROLL for (int i = 0; i < rows; i++) {
      const unsigned lane = iw_lowest(left | (uint32_t)1 << 31); /* some lane if none is left: no branch */
      const ELEMENT *const row = in + (uint64_t)iw_at_u32(place, lane) + at;
      const uint32_t own = iw_at_u32(length, lane);
      const int valid = left ? (int)(own - at) : 0;
      left &= left - 1;
      IW_UNROLL for (int p = 0; p < parts; p++)
        x[p * rows + i] = FN(load_vector)(args, row + 32 * p, valid - 32 * p);
    }
    const LANES aggregates = FN(reduce_rows)(x, parts);
    const iw_u32 source = iw_sub_u32(rank, iw_splat_u32(done));
    const iw_pred here = iw_and_pred(iw_pred_of(chosen), iw_lt_u32(source, iw_splat_u32((uint32_t)rows)));
    fold = OF_T(iw_select)(here, OF_OP(iw)(fold, OF_T(iw_shuffle)(aggregates, source, 32)), fold);
  }
  return fold;
}

/* Lane l: the fold of the rows of its segment, of `length` elements at in + place. */
IW_FN LANES FN(fold_segments)(const ARGS *args, const ELEMENT *in, iw_u32 place, iw_u32 length)
{
  LANES fold = OF_T(iw_splat)(OF_OP(iws_identity)());
  /* Segments of many rows, one after the other: their rows lie side by side. */
  const iw_pred many = iw_gt_u32(length, iw_splat_u32(SEGMENTS_MANY_ROWS * ROW_ELEMENTS));
  for (uint32_t left = (uint32_t)iw_ballot(many); left; left &= left - 1) {
    const unsigned lane = iw_lowest(left);
    const SCALAR all = FN(fold_rows)(args, in + (uint64_t)iw_at_u32(place, lane), (int64_t)iw_at_u32(length, lane),
                                     OF_OP(iws_identity)());
    fold = OF_T(iw_select)(iw_eq_u32(iw_lane(), iw_splat_u32(lane)), OF_T(iw_splat)(all), fold);
  }
  length = iw_select_u32(many, iw_splat_u32(0), length);
  for (uint32_t at = 0;; at += ROW_ELEMENTS) {
    uint32_t chosen = (uint32_t)iw_ballot(iw_gt_u32(length, iw_splat_u32(at)));
    if (!chosen) return fold;
    /* A few segments that have many rows left: one after the other, many rows at a time. */
    const unsigned few = iw_popcount(chosen);
    if (few <= ROWS_AT_ONCE / 2 && iw_any(iw_gt_u32(length, iw_splat_u32(at + few * ROW_ELEMENTS)))) {
      for (; chosen; chosen &= chosen - 1) {
        const unsigned lane = iw_lowest(chosen);
        const SCALAR all = FN(fold_rows)(args, in + (uint64_t)iw_at_u32(place, lane) + at,
                                         (int64_t)iw_at_u32(length, lane) - at, OF_T(iw_at)(fold, lane));
        fold = OF_T(iw_select)(iw_eq_u32(iw_lane(), iw_splat_u32(lane)), OF_T(iw_splat)(all), fold);
      }
      return fold;
    }
    if (iw_any(iw_gt_u32(length, iw_splat_u32(at + 64))))
      fold = FN(fold_row_of_each)(args, in, place, length, chosen, at, fold, 4);
    else if (iw_any(iw_gt_u32(length, iw_splat_u32(at + 32))))
      fold = FN(fold_row_of_each)(args, in, place, length, chosen, at, fold, 2);
    else
      fold = FN(fold_row_of_each)(args, in, place, length, chosen, at, fold, 1);
  }
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

/* Reduces the segments first … first + count - 1, at most 32, or lists those that have more than one tile. A
 * short one that begins very far from the first is listed too, so that places have 32 bits. */
IW_FN void FN(reduce_32)(iw_block *block, const ARGS *args, const INITIAL *initial, uint64_t first, uint64_t count)
{
  const iw_pred some = iw_lanes_below((int64_t)count);
  const iw_u64 none = iw_splat_u64(0);
  iw_u64 begin, end;
  FN(bounds)(args, first, some, &begin, &end);
  const iw_u64 length = iw_select_u64(iw_lt_u64(begin, end), iw_sub_u64(end, begin), none);
  const uint64_t base = iw_at_u64(begin, 0);
  const iw_u64 place = iw_sub_u64(begin, iw_splat_u64(base));
  const iw_pred far = iw_or_pred(iw_gt_u64(length, iw_splat_u64(TILE)), iw_gt_u64(place, iw_splat_u64(INT32_MAX)));
  const iw_pred listed = iw_and_pred(far, iw_gt_u64(length, none));
  const iw_mask list = iw_ballot(listed);
  if (list) list_segments(block, args, first, list, begin, length);
  const iw_u32 own_length = iw_select_u32(listed, iw_splat_u32(0), iw_convert_u64_u32(length));
  const LANES fold = FN(fold_segments)(args, (const ELEMENT *)args->in + base, iw_convert_u64_u32(place), own_length);
  const LANES result = OF_T(iw_select)(iw_eq_u32(own_length, iw_splat_u32(0)), OF_T(iw_splat)(initial->of_none),
                                       OF_OP(iw)(OF_T(iw_splat)(initial->init), fold));
  OF_T(iw_store)((SCALAR *)args->results + first, TWIDDLE_LANES(args, result),
                 iw_and_pred(some, iw_not_pred(listed)));
}

IW_FN void FN(reduce_batch)(iw_block *block, const ARGS *args, const INITIAL *initial, uint64_t first,
                            uint64_t count)
{
  for (uint64_t k = 0; k < count; k += 32)
    FN(reduce_32)(block, args, initial, first + k, count - k < 32 ? count - k : 32);
}

#undef VECTORS
#undef ROW_PARTS
#undef ROWS_AT_ONCE
