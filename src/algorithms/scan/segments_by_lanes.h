/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of GPUs for segments given by offsets. A part of scan_rows_kernel.h, which has its
 * parameters, and the macros of rows_by_lanes.h. A warp scans 32 segments at a time, whose bounds are in
 * its lanes, and has a chunk of rows in registers: it issues the loads of all of them, scans them, and
 * stores them, as for the rows of a matrix. A row of order 1 has a part of one segment, or blocks of
 * 2^levels slots, one for each of the next segments: the smallest blocks that hold all of these. Lanes of
 * slots without an element load some other element of the 32 segments.
 */

/* 32 segments. */
#define SEGMENTS FN(segments)
enum { FN(LEAST_LEVELS) = 2 }; /* 32 blocks to a row */
#define LEAST_LEVELS FN(LEAST_LEVELS)
typedef struct {
  iw_u64 begin;        /* lane l: the first element of segment l */
  iw_u32 length;       /* lane l: its elements; 0 if it is listed, or absent */
  /* bit l of longer[k]: segment l has more than 2^(k + LEAST_LEVELS) elements */
  uint32_t longer[ROW_LEVELS - LEAST_LEVELS];
  unsigned count;      /* segments that are not absent */
  uint64_t last;       /* the last element of all */
} SEGMENTS;

/* The place of a row: its first segment, and the index in that of its first element. */
#define POSITION FN(position)
typedef struct { unsigned segment; uint32_t column; } POSITION;

/* The levels of a row that begins with this segment. */
IW_FN unsigned FN(levels_at)(const SEGMENTS *s, POSITION position)
{
  IW_UNROLL for (unsigned levels = LEAST_LEVELS; levels < ROW_LEVELS; levels++) {
    const uint32_t blocks = (uint32_t)(((uint64_t)1 << (ROW_ELEMENTS >> levels)) - 1);
    if (!(s->longer[levels - LEAST_LEVELS] >> (position.segment & 31) & blocks)) return levels;
  }
  return ROW_LEVELS;
}

/* Moves a place to the next row. */
IW_FN void FN(next_position)(const SEGMENTS *s, unsigned levels, POSITION *position)
{
  if (levels < ROW_LEVELS) {
    position->segment += ROW_ELEMENTS >> levels;
    return;
  }
  position->column += ROW_ELEMENTS;
  if (position->column < iw_at_u32(s->length, position->segment & 31)) return;
  position->column = 0;
  position->segment++;
}

/* Where the slots of vector k of a row of blocks are: the element, which need not exist, and whether
 * it does. */
typedef struct { iw_u64 element; iw_u32 column; iw_pred exists; } FN(block_slots);

IW_FN FN(block_slots) FN(block_slots_of)(const SEGMENTS *s, POSITION position, unsigned levels, int k)
{
  FN(block_slots) to;
  const iw_u32 slot = iw_iota_u32(32 * (unsigned)k), block = iw_shr_u32(slot, iw_splat_u32(levels));
  const iw_u32 owner = iw_add_u32(block, iw_splat_u32(position.segment));
  const iw_u32 there = iw_min_u32(owner, iw_splat_u32(31));
  to.column = iw_and_u32(slot, iw_splat_u32(((uint32_t)1 << levels) - 1));
  to.element = iw_add_u64(iw_shuffle_u64(s->begin, there, 32), iw_convert_u32_u64(to.column));
  to.exists = iw_and_pred(iw_lt_u32(to.column, iw_shuffle_u32(s->length, there, 32)),
                          iw_le_u32(owner, iw_splat_u32(31)));
  return to;
}

/* Loads a row. */
IW_FN void FN(load_segment_slots)(const ARGS *args, const SEGMENTS *s, POSITION position, unsigned levels,
                                  LANES *x)
{
  const ELEMENT *const in = (const ELEMENT *)args->in;
  const iw_u64 last = iw_splat_u64(s->last);
  const uint64_t at = iw_at_u64(s->begin, position.segment & 31) + position.column;
  if (levels < ROW_LEVELS)
    EACH_SLOT_VECTOR(k) x[k] = LOADED(IW_JOIN(iw_gather_far, IN_MEMORY)(
      in, iw_min_u64(FN(block_slots_of)(s, position, levels, k).element, last), ALL_LANES));
  else if (at + (ROW_ELEMENTS - 1) <= s->last)
    EACH_SLOT_VECTOR(k) x[k] = LOADED(IW_JOIN(iw_load, IN_MEMORY)(in + at + 32 * k, ALL_LANES));
  else
    EACH_SLOT_VECTOR(k) x[k] = LOADED(IW_JOIN(iw_gather_far, IN_MEMORY)(
      in, iw_min_u64(iw_iota_u64(at + 32 * (unsigned)k), last), ALL_LANES));
}

/* Stores a row of outputs. */
IW_FN void FN(store_segment_slots)(const ARGS *args, const SEGMENTS *s, const INITIAL *initial,
                                   POSITION position, unsigned levels, LANES *x)
{
  OUTPUT *const out = (OUTPUT *)args->out;
  if (levels == ROW_LEVELS) {
    const uint64_t at = iw_at_u64(s->begin, position.segment) + position.column;
    const int64_t valid = (int64_t)iw_at_u32(s->length, position.segment) - position.column;
    EACH_SLOT_VECTOR(k) IW_JOIN(iw_store, OUT_MEMORY)(out + at + 32 * k, STORED(TWIDDLE_LANES(args, x[k])),
                                                     iw_lanes_below(valid - 32 * k));
    return;
  }
  EACH_SLOT_VECTOR(k) {
    const FN(block_slots) to = FN(block_slots_of)(s, position, levels, k);
    const iw_pred first = iw_eq_u32(to.column, iw_splat_u32(0));
    if (args->exclusive) x[k] = OF_T(iw_select)(first, OF_T(iw_splat)(initial->first_out), x[k]);
    IW_JOIN(iw_scatter_far, OUT_MEMORY)(out, to.element, STORED(TWIDDLE_LANES(args, x[k])), to.exists);
  }
}

/* Lists the segments of the lanes of `list`, by one atomic addition. */
IW_FN void FN(list_segments)(iw_block *block, const ARGS *args, iw_mask list, iw_u64 begin, iw_u64 end)
{
  const iw_u64 whole = iw_add_u64(iw_sub_u64(end, begin), iw_splat_u64(IW_SCAN_TILE - 1));
  const iw_u64 tiles = iw_select_u64(
    iw_pred_of(list), iw_shr_u64(whole, iw_splat_u64(iw_lowest(IW_SCAN_TILE))), iw_splat_u64(0));
  const iw_u64 sum = iw_inclusive_prefix_sum_u64(tiles);
  const iw_u64 before = iw_global_add(args->listed, 0, iw_splat_u64(iw_last_u64(sum)), iw_lanes_below(1));
  const iw_u64 first = iw_add_u64(iw_splat_u64(iw_at_u64(before, 0)), iw_sub_u64(sum, tiles));
  for (; list; list &= list - 1) {
    const unsigned lane = iw_lowest(list);
    FN(list_tiles)(args, iw_at_u64(first, lane), iw_at_u64(begin, lane), iw_at_u64(end, lane));
  }
}

/* Lane l: offset first + l, but at most n, whatever the offsets are; n outside of `some`. Without offsets
 * segments are rows of the matrix. */
IW_FN iw_u64 FN(load_offsets)(const ARGS *args, uint64_t first, iw_pred some)
{
  const iw_u64 n = iw_splat_u64(args->n);
#ifdef OFFSETS_ONLY
  if (!args->offsets)
    return iw_select_u64(some, iw_mul_u64(iw_iota_u64(first), iw_splat_u64(args->columns)), n);
#endif
  const iw_u64 offset = args->wide_offsets
    ? iw_load_u64((const uint64_t *)args->offsets + first, some)
    : iw_convert_u32_u64(iw_load_u32((const uint32_t *)args->offsets + first, some));
  return iw_select_u64(some, iw_min_u64(offset, n), n);
}

/* Sets *s to the segments first … first + count - 1, without those that are long, which are listed.
 * Returns 0 if no element is left. */
IW_FN int FN(load_segments)(iw_block *block, const ARGS *args, uint64_t first, uint64_t count, SEGMENTS *s)
{
  const iw_pred some = iw_lanes_below((int64_t)count);
  const iw_u64 begin = FN(load_offsets)(args, first, some), end = FN(load_offsets)(args, first + 1, some);
  const iw_pred has_elements = iw_lt_u64(begin, end);
  const iw_u64 length = iw_select_u64(has_elements, iw_sub_u64(end, begin), iw_splat_u64(0));
  const iw_mask list = iw_ballot(iw_gt_u64(length, iw_splat_u64(args->longest)));
  if (list) FN(list_segments)(block, args, list, begin, end);
  s->begin = begin;
  s->length = iw_select_u32(iw_pred_of(list), iw_splat_u32(0), iw_convert_u64_u32(length));
  s->count = (unsigned)count;
  IW_UNROLL for (unsigned k = 0; k < ROW_LEVELS - LEAST_LEVELS; k++)
    s->longer[k] = (uint32_t)iw_ballot(iw_gt_u32(s->length, iw_splat_u32(1u << (k + LEAST_LEVELS))));
  const iw_pred left = iw_gt_u32(s->length, iw_splat_u32(0));
  s->last = iw_warp_max_u64(iw_select_u64(left, iw_sub_u64(end, iw_splat_u64(1)), iw_splat_u64(0)));
  return iw_any(left);
}

/* Scans 32 segments, or fewer. */
IW_FN void FN(scan_32)(const ARGS *args, SCRATCH *scratch, const INITIAL *initial, const SEGMENTS *s)
{
  FOLDS folds = { OF_OP(iws_identity)(), OF_OP(iws_identity)() };
  POSITION position = { 0, 0 };
  while (position.segment < s->count) {
    LANES lanes[CHUNK_ROWS][VECTORS];
    ROW x[CHUNK_ROWS];
    POSITION at = position;
    EACH_ROW(r) {
      const unsigned levels = FN(levels_at)(s, at);
      FN(load_segment_slots)(args, s, at, levels, lanes[r]);
      FN(next_position)(s, levels, &at);
    }
    EACH_ROW(r) {
      EACH_SLOT_VECTOR(k) lanes[r][k] = TWIDDLE_LANES(args, lanes[r][k]);
      EACH_PART(p) x[r].part[p] = OF_T(iw_row_of_lanes)(scratch->part, lanes[r] + p * PART_VECTORS);
    }
    EACH_ROW(r) {
      if (position.segment >= s->count) continue;
      const unsigned levels = FN(levels_at)(s, position);
      x[r] = FN(outputs)(args, initial, x[r], (int)levels, position.column, position.column >= IW_SCAN_TILE,
                         &folds);
      EACH_PART(p) OF_T(iw_row_to_lanes)(scratch->part, x[r].part[p], lanes[r] + p * PART_VECTORS);
      FN(store_segment_slots)(args, s, initial, position, levels, lanes[r]);
      FN(next_position)(s, levels, &position);
    }
  }
}

/* Scans the segments first … first + count - 1, or lists those that are long. */
IW_FN void FN(scan_segments)(iw_block *block, const ARGS *args, SCRATCH *scratch, const INITIAL *initial,
                             uint64_t first, uint64_t count)
{
  for (uint64_t k = 0; k < count; k += 32) {
    SEGMENTS s;
    if (FN(load_segments)(block, args, first + k, count - k < 32 ? count - k : 32, &s))
      FN(scan_32)(args, scratch, initial, &s);
  }
}

#undef SEGMENTS
#undef POSITION
#undef LEAST_LEVELS
