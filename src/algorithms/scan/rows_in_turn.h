/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of CPUs for rows of the matrix: one row after the other, in registers. A part of
 * scan_rows_kernel.h, which has its parameters. A row may be loaded past the end of its row of the matrix,
 * but not past the end of the batch, whose other elements this warp has not written yet.
 */
#define SCRATCH struct FN(scratch) /* there is none */
SCRATCH;
#define SHARED iw_no_shared
#define SCRATCH_OF(warp) NULL

#ifndef OFFSETS_ONLY
/* Copies `count` blocks of elements, the last one of last_bytes bytes. The others may be copied in one
 * piece of `most` bytes, 1 to 64 elements and a power of two of them: what is behind a block in `to` is
 * written before the next one. */
IW_FN void FN(copy_blocks)(char *to, size_t to_stride, const char *from, size_t from_stride, size_t count,
                           size_t most, size_t last_bytes)
{
  enum { SIZE = sizeof(ELEMENT) };
#define COPIES(elements) \
  case elements * SIZE: \
    for (size_t k = 1; k < count; k++, to += to_stride, from += from_stride) memcpy(to, from, elements * SIZE); \
    break;
  switch (most) { COPIES(1) COPIES(2) COPIES(4) COPIES(8) COPIES(16) COPIES(32) COPIES(64) }
#undef COPIES
  memcpy(to, from, last_bytes);
}

/* Scans `count` rows of the matrix at element `at`, which are the blocks of one row with gaps between
 * them. `left`: elements to the end of the batch. */
IW_FN void FN(scan_blocks)(const ARGS *args, const INITIAL *initial, uint64_t at, size_t count,
                           uint64_t left)
{
  ELEMENT slots[ROW_ELEMENTS];
  FOLDS folds = { OF_OP(iws_identity)(), OF_OP(iws_identity)() };
  const size_t most = (size_t)1 << args->levels, columns = (size_t)args->columns, size = sizeof *slots;
  const char *const in = (const char *)((const ELEMENT *)args->in + at);
  char *const out = (char *)((ELEMENT *)args->out + at);
  const int is_full = left >= count * columns + most && count * most == ROW_ELEMENTS;
  ROW x;
  if (!is_full) memset(slots, 0, sizeof slots); /* every slot is defined */
  FN(copy_blocks)((char *)slots, most * size, in, columns * size, count, most * size,
                  (is_full ? most : columns) * size);
  const PENDING pending = FN(row_reissue)(args, slots, ROW_ELEMENTS, FN(row_heads)(NULL, 0));
  EACH_PART(p) x.part[p] = FN(part_wait)(args, pending, p);
  x = FN(outputs)(args, initial, x, (int)args->levels, 0, 0, &folds);
  FN(store_outputs)(args, slots, x, ROW_ELEMENTS, 0);
  if (args->exclusive) for (size_t k = 1; k < count; k++) slots[k * most] = slots[0];
  FN(copy_blocks)(out, columns * size, (const char *)slots, most * size, count, most * size, columns * size);
}

/* Scans the elements begin … end - 1, which are whole rows of the matrix. */
IW_NOINLINE_FN void FN(scan_batch)(const ARGS *args, SCRATCH *scratch, const INITIAL *initial,
                                   uint64_t begin, uint64_t end)
{
  const uint64_t columns = args->columns, in_row = (uint64_t)ROW_ELEMENTS >> args->levels;
  const int has_blocks = args->levels < ROW_LEVELS;
  const int has_gaps = has_blocks && (columns < (uint64_t)1 << args->levels || args->exclusive);
  FN(place) place = { begin, 0 };
  FOLDS folds = { OF_OP(iws_identity)(), OF_OP(iws_identity)() };
  while (place.at < end) {
    const FN(place) row = place;
    const int64_t left = (int64_t)(end - row.at);
    int64_t valid = FN(next)(args, &place);
    if (has_gaps) {
      const uint64_t rows = (uint64_t)left < in_row * columns ? (uint64_t)left / columns : in_row;
      FN(scan_blocks)(args, initial, row.at, (size_t)rows, (uint64_t)left);
      continue;
    }
    int levels = (int)args->levels;
    if (has_blocks) valid = left;
    else while (valid << 1 <= (int64_t)1 << levels) levels--; /* of the last row of a row of the matrix */
    const ELEMENT *const in = (const ELEMENT *)args->in + row.at;
    const PENDING pending = FN(row_issue)(args, in, left, FN(row_heads)(NULL, 0));
    ROW x;
    EACH_PART(p) x.part[p] = FN(part_wait)(args, pending, p);
    x = FN(outputs)(args, initial, x, levels, row.column, columns > IW_SCAN_TILE, &folds);
    FN(store_outputs)(args, (ELEMENT *)args->out + row.at, x, valid, (int)args->stream);
  }
}
#endif
