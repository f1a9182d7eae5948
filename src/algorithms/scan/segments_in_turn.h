/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of CPUs for segments given by offsets: one after the other, each row by row in registers.
 * A part of scan_rows_kernel.h, which has its parameters. A row may be loaded past the end of its
 * segment, but not past the end of the batch, whose other elements this warp has not written yet.
 */

/* Where segment k begins: at most n, whatever the offsets are. Without offsets it is a row of the matrix. */
IW_FN uint64_t FN(offset)(const ARGS *args, uint64_t k)
{
#ifdef OFFSETS_ONLY
  if (!args->offsets) return k * args->columns;
#endif
  const uint64_t offset = args->wide_offsets ? iw_get_u64((const uint64_t *)args->offsets + k)
                                             : iw_get_u32((const uint32_t *)args->offsets + k);
  return offset < args->n ? offset : args->n;
}

/* Scans a segment of at most 32 elements: the tree over 32 lanes is the beginning of that over a row. */
IW_FN void FN(scan_short_segment)(const ARGS *args, const INITIAL *initial, uint64_t at, int64_t length)
{
  const iw_pred some = iw_lanes_below(length);
  LANES x = TWIDDLE_LANES(args, LOADED(IW_JOIN(iw_load, IN_MEMORY)((const ELEMENT *)args->in + at, some)));
  x = OF_OP(iw)(OF_T(iw_splat)(initial->init), OF_OP(iw_inclusive_prefix)(x));
  if (args->exclusive)
    x = OF_T(iw_select)(iw_lanes_below(1), OF_T(iw_splat)(initial->first_out),
                        OF_T(iw_shuffle_up)(x, 1, 32));
  IW_JOIN(iw_store, OUT_MEMORY)((OUTPUT *)args->out + at, STORED(TWIDDLE_LANES(args, x)), some);
}

/* Scans the elements begin … end - 1, which are one segment. Those up to batch_end may be loaded. */
IW_FN void FN(scan_segment)(const ARGS *args, const INITIAL *initial, uint64_t begin, uint64_t end,
                            uint64_t batch_end)
{
  FOLDS folds = { OF_OP(iws_identity)(), OF_OP(iws_identity)() };
  for (uint64_t at = begin; at < end; at += ROW_ELEMENTS) {
    const int64_t left = (int64_t)(end - at), valid = left < ROW_ELEMENTS ? left : ROW_ELEMENTS;
    int levels = ROW_LEVELS;
    while (valid << 1 <= (int64_t)1 << levels) levels--;
    const PENDING pending = FN(row_issue)(args, (const ELEMENT *)args->in + at, (int64_t)(batch_end - at),
                                          FN(row_heads)(NULL, 0));
    ROW x;
    EACH_PART(p) x.part[p] = FN(part_wait)(args, pending, p);
    x = FN(outputs)(args, initial, x, levels, at - begin, at - begin >= IW_SCAN_TILE, &folds);
    FN(store_outputs)(args, (OUTPUT *)args->out + at, x, valid, (int)args->stream);
  }
}

/* Lists a segment: its tiles, of which there is room for args->tile_capacity. */
IW_FN void FN(list_segment)(iw_block *block, const ARGS *args, uint64_t begin, uint64_t end)
{
  const uint64_t tiles = (end - begin + IW_SCAN_TILE - 1) / IW_SCAN_TILE;
  const iw_u64 first = iw_global_add(args->listed, 0, iw_splat_u64(tiles), iw_lanes_below(1));
  FN(list_tiles)(args, iw_at_u64(first, 0), begin, end);
}

/* Scans the segments first … first + count - 1, or lists those that are long. */
IW_NOINLINE_FN void FN(scan_segments)(iw_block *block, const ARGS *args, SCRATCH *scratch,
                                      const INITIAL *initial, uint64_t first, uint64_t count)
{
  uint64_t begin, end = FN(offset)(args, first);
  const uint64_t last = FN(offset)(args, first + count);
  for (uint64_t k = first; k < first + count; k++) {
    begin = end;
    end = FN(offset)(args, k + 1);
    if (end <= begin) continue;
    if (end - begin > args->longest) FN(list_segment)(block, args, begin, end);
    else if (end - begin <= 32) FN(scan_short_segment)(args, initial, begin, (int64_t)(end - begin));
    else FN(scan_segment)(args, initial, begin, end, end < last ? last : end);
  }
}
