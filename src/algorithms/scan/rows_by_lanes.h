/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of GPUs for rows of the matrix. A part of scan_rows_kernel.h, which has its parameters.
 *
 * A warp has a chunk of rows in registers: it issues the loads of all of them, scans them, and stores them.
 * There are three kinds of chunks:
 *   whole    the chunk's elements lie in memory as they do in slots, aligned and without gaps
 *   aligned  each row of the matrix is aligned to 16 bytes: a lane loads its slots by one access, wherever
 *            they are
 *   any      lane l loads slots l, l + 32, l + 64 and l + 96 of a row, which are near each other in memory
 *            whatever the number of columns and the alignment; shared memory transposes that to a row, in
 *            which a lane has consecutive slots, and back
 * Loads are not predicated, as nvcc would wait for each one to select what an absent lane gets: the lanes of
 * slots without an element load some other element of the batch. segments_by_lanes.h has the same for
 * segments; the macros are for both.
 */
#define CHUNK_ROWS ((int)SCAN_ROWS_CHUNK(sizeof(SCALAR)))
#define VECTORS (ROW_ELEMENTS / 32)
#define PART_VECTORS (IW_ROW(T) / 32)
#define EACH_ROW(r) IW_UNROLL for (int r = 0; r < CHUNK_ROWS; r++)
#define EACH_SLOT_VECTOR(k) IW_UNROLL for (int k = 0; k < VECTORS; k++)
#define ALL_LANES iw_lanes_below(32)

#define SCRATCH FN(scratch) /* of a warp, in shared memory */
typedef struct { SCALAR part[IW_ROW(T)]; } SCRATCH;
#define SHARED FN(shared)
typedef struct { SCRATCH of_warp[SCAN_ROWS_WARPS]; } SHARED;
#define SCRATCH_OF(warp) (&shared->of_warp[warp])
static_assert(sizeof(SCRATCH) % 16 == 0, "rows in shared memory are aligned to 16 bytes");

#ifndef OFFSETS_ONLY
/* Where slots are: `column` in their block, `offset` from the row's first element. */
typedef struct { iw_u32 column, offset; } FN(slot);

IW_FN FN(slot) FN(slot_of)(const ARGS *args, iw_u32 slot)
{
  FN(slot) s;
  s.column = iw_and_u32(slot, iw_splat_u32(((uint32_t)1 << args->levels) - 1));
  /* one block: its columns are below 128 */
  s.offset = iw_mul_u32(iw_shr_u32(slot, iw_splat_u32(args->levels)), iw_splat_u32((uint32_t)args->columns));
  s.offset = iw_add_u32(s.offset, s.column);
  return s;
}

/* The slots that have elements. valid: the elements of a block, or of the row if it is one block. left:
 * those of the batch. */
IW_FN iw_pred FN(has_element)(FN(slot) s, int64_t valid, uint64_t left)
{
  const iw_pred in_block = iw_lt_u32(s.column, iw_splat_u32((uint32_t)valid));
  return iw_and_pred(in_block, iw_lt_u32(s.offset, iw_splat_u32(left < UINT32_MAX ? (uint32_t)left : UINT32_MAX)));
}

/* Elements from *from to the end of the batch, without the last one. Where a chunk has no such row, *from
 * is the beginning of the batch instead. */
IW_FN iw_u32 FN(last_offset)(uint64_t at, uint64_t begin, uint64_t end, uint64_t *from)
{
  *from = at < end ? at : begin;
  const uint64_t last = end - 1 - *from;
  return iw_splat_u32(last < UINT32_MAX ? (uint32_t)last : UINT32_MAX);
}

/* ---- Whole chunks ---- */

IW_FN void FN(scan_whole_rows)(const ARGS *args, const INITIAL *initial, FN(place) place, FOLDS *folds)
{
  const ELEMENT *const in = (const ELEMENT *)args->in + place.at;
  ELEMENT *const out = (ELEMENT *)args->out + place.at;
  PENDING pending[CHUNK_ROWS];
  EACH_ROW(r) pending[r] = FN(row_issue)(args, in + r * ROW_ELEMENTS, IW_FULL_ROW, FN(row_heads)(NULL, 0));
  EACH_ROW(r) {
    ROW x;
    const uint64_t column = place.column;
    FN(next)(args, &place);
    EACH_PART(p) x.part[p] = FN(part_wait)(args, pending[r], p);
    x = FN(outputs)(args, initial, x, (int)args->levels, column, args->columns > IW_SCAN_TILE, folds);
    FN(store_outputs)(args, out + r * ROW_ELEMENTS, x, IW_FULL_ROW, (int)args->stream);
  }
}

/* ---- Aligned chunks ---- */

#ifndef FROM
/* Whether the rows of the matrix are aligned to 16 bytes, and no output has to be set to first_out by
 * itself. */
IW_FN int FN(is_aligned)(const ARGS *args)
{
  return args->columns % PART_VECTORS == 0 && !(args->exclusive && args->levels < ROW_LEVELS) &&
         iw_row_can_vectorize(args->in) && iw_row_can_vectorize(args->out);
}

IW_FN void FN(scan_aligned_rows)(const ARGS *args, const INITIAL *initial, FN(place) place, uint64_t begin,
                                 uint64_t end, FOLDS *folds)
{
  FN(slot) slots[PARTS]; /* the first one of a lane's in each part */
  ROW x[CHUNK_ROWS];
  FN(place) at = place;
  EACH_PART(p) {
    const iw_u32 first = iw_mul_u32(iw_lane(), iw_splat_u32(PART_VECTORS));
    slots[p] = FN(slot_of)(args, iw_add_u32(first, iw_splat_u32((uint32_t)(p * IW_ROW(T)))));
  }
  const iw_u32 share = iw_splat_u32(sizeof(SCALAR) == 4 ? 2 : 1); /* offsets become numbers of 16 bytes */
  EACH_ROW(r) {
    uint64_t from;
    const iw_u32 last = FN(last_offset)(at.at, begin, end, &from);
    EACH_PART(p) x[r].part[p] = OF_T(iw_row_gather)((const SCALAR *)args->in + from,
                                                    iw_shr_u32(iw_min_u32(slots[p].offset, last), share));
    FN(next)(args, &at);
  }
  at = place;
  EACH_ROW(r) {
    const FN(place) row = at;
    const int64_t valid = FN(next)(args, &at);
    EACH_PART(p) x[r].part[p] = TWIDDLE_PART(args, x[r].part[p]);
    x[r] = FN(outputs)(args, initial, x[r], (int)args->levels, row.column, args->columns > IW_SCAN_TILE, folds);
    if (row.at >= end) continue;
    EACH_PART(p) OF_T(iw_row_scatter)((SCALAR *)args->out + row.at, iw_shr_u32(slots[p].offset, share),
                                      TWIDDLE_PART(args, x[r].part[p]),
                                      FN(has_element)(slots[p], valid, end - row.at));
  }
}
#endif

/* ---- Any chunks ---- */

/* Loads a row of a chunk. */
IW_FN void FN(load_slots)(const ARGS *args, const FN(slot) *slots, uint64_t at, uint64_t begin, uint64_t end,
                          LANES *x)
{
  uint64_t from;
  const iw_u32 last = FN(last_offset)(at, begin, end, &from);
  const ELEMENT *const in = (const ELEMENT *)args->in + from;
  if (args->levels == ROW_LEVELS && end - from >= ROW_ELEMENTS) /* without arithmetic of addresses */
    EACH_SLOT_VECTOR(k) x[k] = LOADED(IW_JOIN(iw_load, IN_MEMORY)(in + 32 * k, ALL_LANES));
  else EACH_SLOT_VECTOR(k)
    x[k] = LOADED(IW_JOIN(iw_gather, IN_MEMORY)(in, iw_min_u32(slots[k].offset, last), ALL_LANES));
}

/* Stores a row of outputs. */
IW_FN void FN(store_slots)(const ARGS *args, const FN(slot) *slots, const INITIAL *initial, uint64_t at,
                           uint64_t end, int64_t valid, LANES *x)
{
  ELEMENT *const out = (ELEMENT *)args->out + at;
  if (at >= end) return;
  if (args->levels == ROW_LEVELS) {
    EACH_SLOT_VECTOR(k) IW_JOIN(iw_store, IN_MEMORY)(out + 32 * k, STORED(TWIDDLE_LANES(args, x[k])),
                                                    iw_lanes_below(valid - 32 * k));
    return;
  }
  EACH_SLOT_VECTOR(k) {
    const iw_pred first = iw_eq_u32(slots[k].column, iw_splat_u32(0));
    if (args->exclusive) x[k] = OF_T(iw_select)(first, OF_T(iw_splat)(initial->first_out), x[k]);
    IW_JOIN(iw_scatter, IN_MEMORY)(out, slots[k].offset, STORED(TWIDDLE_LANES(args, x[k])),
                                   FN(has_element)(slots[k], valid, end - at));
  }
}

IW_FN void FN(scan_slots)(const ARGS *args, SCRATCH *scratch, const INITIAL *initial, FN(place) place,
                          uint64_t begin, uint64_t end, FOLDS *folds)
{
  FN(slot) slots[VECTORS];
  LANES lanes[CHUNK_ROWS][VECTORS];
  ROW x[CHUNK_ROWS];
  FN(place) at = place;
  EACH_SLOT_VECTOR(k) slots[k] = FN(slot_of)(args, iw_iota_u32(32 * (unsigned)k));
  EACH_ROW(r) {
    FN(load_slots)(args, slots, at.at, begin, end, lanes[r]);
    FN(next)(args, &at);
  }
  EACH_ROW(r) {
    EACH_SLOT_VECTOR(k) lanes[r][k] = TWIDDLE_LANES(args, lanes[r][k]);
    EACH_PART(p) x[r].part[p] = OF_T(iw_row_of_lanes)(scratch->part, lanes[r] + p * PART_VECTORS);
  }
  at = place;
  EACH_ROW(r) {
    const FN(place) row = at;
    const int64_t valid = FN(next)(args, &at);
    x[r] = FN(outputs)(args, initial, x[r], (int)args->levels, row.column, args->columns > IW_SCAN_TILE, folds);
    EACH_PART(p) OF_T(iw_row_to_lanes)(scratch->part, x[r].part[p], lanes[r] + p * PART_VECTORS);
    FN(store_slots)(args, slots, initial, row.at, end, valid, lanes[r]);
  }
}

/* Scans the elements begin … end - 1, which are whole rows of the matrix. */
IW_FN void FN(scan_batch)(const ARGS *args, SCRATCH *scratch, const INITIAL *initial, uint64_t begin,
                          uint64_t end)
{
  enum { CHUNK = CHUNK_ROWS * ROW_ELEMENTS };
  const uint32_t in_block = ((uint32_t)1 << args->levels) - 1;
  const int no_gaps = (args->columns & in_block) == 0 && !(args->exclusive && args->levels < ROW_LEVELS) &&
                      iw_row_can_vectorize((const ELEMENT *)args->in + begin) &&
                      iw_row_can_vectorize((ELEMENT *)args->out + begin);
  FOLDS folds = { OF_OP(iws_identity)(), OF_OP(iws_identity)() };
  FN(place) place = { begin, 0 };
  while (place.at < end) {
    if (no_gaps && end - place.at >= CHUNK) FN(scan_whole_rows)(args, initial, place, &folds);
#ifndef FROM
    else if (FN(is_aligned)(args)) FN(scan_aligned_rows)(args, initial, place, begin, end, &folds);
#endif
    else FN(scan_slots)(args, scratch, initial, place, begin, end, &folds);
    EACH_ROW(r) FN(next)(args, &place);
  }
}
#endif
