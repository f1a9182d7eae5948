/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of CPUs: a warp reduces segments one after the other, and each row by row in registers, while
 * the hardware prefetches what follows. A part of reduce_segments_kernel.h, which has its parameters.
 */

#define SCRATCH struct FN(scratch) /* there is none */
SCRATCH;
#define ROWS_SHARED iw_no_shared
#define SCRATCH_OF(warp) NULL

/* The aggregate of a row that has `valid` elements, fewer than 128. */
IW_FN SCALAR FN(partial_row)(const ARGS *args, const ELEMENT *in, int64_t valid)
{
#if defined(FROM) || defined(OF_LANES)
#ifdef OF_LANES /* the other vectors of the row have the identity only */
  if (valid <= 32) return OF_OP(iw_warp)(FN(load_some)(args, in, iw_lanes_below(valid)));
#endif
  return FN(row_aggregate)(args, ROW_READ(args, in, valid, FN(row_heads)(NULL, 0)));
#else
  const SCALAR bits = TWIDDLED ? args->twiddle.T : (SCALAR)0;
  if (PARTS == 1 || valid <= IW_ROW(T)) return OF_OP(iw_row_reduce_first)(in, (int)valid, bits);
  return OF_OP(iws)(OF_OP(iw_row_reduce_first)(in, IW_ROW(T), bits),
                    OF_OP(iw_row_reduce_first)(in + IW_ROW(T), (int)valid - IW_ROW(T), bits));
#endif
}

/* Folds the rows of the `valid` elements at `in` onto `fold`. */
IW_FN SCALAR FN(fold_rows)(const ARGS *args, const ELEMENT *in, int64_t valid, SCALAR fold)
{
  const HEADS no_heads = FN(row_heads)(NULL, 0);
  for (; valid >= ROW_ELEMENTS; in += ROW_ELEMENTS, valid -= ROW_ELEMENTS)
    fold = OF_OP(iws)(fold, FN(row_aggregate)(args, ROW_READ(args, in, ROW_ELEMENTS, no_heads)));
  return valid ? OF_OP(iws)(fold, FN(partial_row)(args, in, valid)) : fold;
}

/* The place of segment k, within the array whatever the offsets are. */
IW_FN uint64_t FN(offset)(const ARGS *args, uint64_t k)
{
  if (args->ends_at_n && k == segment_count(args)) return args->n;
  const uint64_t offset = args->wide_offsets ? iw_get_u64((const uint64_t *)args->offsets + k)
                                             : iw_get_u32((const uint32_t *)args->offsets + k);
  return offset < args->n ? offset : args->n;
}

/* Reduces the segments first … first + count - 1, or lists those that have more than one tile. */
IW_NOINLINE_FN void FN(reduce_batch)(iw_block *block, const ARGS *args, SCRATCH *scratch, const INITIAL *initial,
                                     uint64_t first, uint64_t count)
{
  const ELEMENT *const in = (const ELEMENT *)args->in;
  uint64_t end = args->offsets ? FN(offset)(args, first) : first * args->length;
  for (uint64_t k = first; k < first + count; k++) {
    const uint64_t begin = end;
    end = args->offsets ? FN(offset)(args, k + 1) : begin + args->length;
    const uint64_t length = end > begin ? end - begin : 0;
    SCALAR result = initial->of_none;
    if (length > TILE) {
      list_segment(block, args, k, begin, length);
      continue;
    }
    const SCALAR fold = FN(fold_rows)(args, in + begin, (int64_t)length, OF_OP(iws_identity)());
    if (length) result = OF_OP(iws)(initial->init, fold);
#if FINDS
    if (args->indices) iw_set_u64(args->indices + k, FN(first_equal)(args, in + begin, 1, length, OF_T(iw_splat)(fold)));
#endif
    FN(set_result)(args, k, result);
  }
}
