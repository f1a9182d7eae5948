/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of GPUs. The unit of work is a piece: 32 elements of a row of order 1, of which the last
 * piece of a segment may have fewer. A row is four pieces. A warp loads 32 pieces, of one segment or of
 * many, one access each at any address, and reduces them together, whatever the lengths of the segments are.
 *
 * The tree of order 1 begins with neighbours, so it runs over the lanes of each piece. A level takes two
 * pieces at a time: after it, lanes whose bit of the level is 0 have the sums of the first piece, the others
 * those of the second. So 32 pieces take 31 shuffles, not 160, and lane l ends with the aggregate of piece
 * l. Pieces of 8-byte elements are reduced in two groups of 16, by 16 shuffles each.
 *
 * If all pieces are aligned to 16 bytes and have whole 16 bytes, a lane loads 16 bytes of a piece at a time
 * instead, which are called a part: 32 pieces of 4-byte elements then take 8 loads and 7 shuffles. Chunks of
 * rows are loaded by aligned parts at any address; a lane gets the elements that its part lacks from the
 * next lane. A part of reduce_segments_kernel.h, which has its parameters.
 */
#define VECTORS ((int)SEGMENTS_VECTORS(sizeof(SCALAR)))
#define ROW_PIECES (ROW_ELEMENTS / 32)
#define CHUNK (32 * VECTORS) /* elements that a warp loads at a time */
static_assert(ROW_PIECES == 4, "the tree over the pieces of a row is written out");
static_assert((VECTORS & (VECTORS - 1)) == 0 && VECTORS >= ROW_PIECES && VECTORS <= 32,
              "a chunk is whole rows, and 32 pieces are whole groups of loads");
static_assert(SEGMENTS_PIECES >= VECTORS && SEGMENTS_PIECES % 32 == 0,
              "the aggregates of what is less than a chunk fit, and are stored 32 at a time");

#if defined(FROM) || !SEGMENTS_PARTS /* parts are of elements in memory */
#define HAS_PARTS 0
#else
#define HAS_PARTS 1
#endif
#define PART_ELEMENTS (16 / (int)sizeof(SCALAR))
#define PART_LOADS 8 /* parts that a lane has in flight */
#define SHORT_LOADS 8 /* elements of a short segment that a lane has in flight */
#define SHORT (2 * SHORT_LOADS) /* the most elements of a short segment */
/* The most elements from the first of 32 short segments to the last one's first. Accesses of lanes that are
 * further apart are more than eight cache lines each, where lanes that share pieces read whole lines. */
#define SHORT_REACH (1024 / (int)sizeof(ELEMENT))
static_assert(!HAS_PARTS || CHUNK == PART_LOADS * 32 * PART_ELEMENTS, "the parts of a chunk are in flight at a time");

#define SCRATCH FN(scratch) /* of a warp, in shared memory */
typedef struct { SCALAR aggregates[SEGMENTS_PIECES]; } SCRATCH; /* of pieces */
#define ROWS_SHARED FN(rows_shared)
typedef struct { SCRATCH of_warp[WARPS]; } ROWS_SHARED;
#define SCRATCH_OF(warp) (&shared->of_warp[warp])

/* Elements `index` of in, which exist, in all lanes. */
IW_FN LANES FN(gather)(const ARGS *args, const ELEMENT *in, iw_u32 index)
{
  return TWIDDLE_LANES(args, CONVERT(IW_JOIN(iw_gather, IN_MEMORY)(in, index, iw_lanes_below(32))));
}

#if HAS_PARTS
/* Lane l: the aggregate of PART_ELEMENTS elements, of which the first is element `shift` of its part of the
 * row. The last `shift` of them are in the part of the next lane; that of the last lane is in the next row,
 * part[1]. */
IW_FN LANES FN(reduce_part)(const ARGS *args, const PART *part, int shift)
{
  LANES x[PART_ELEMENTS];
  IW_UNROLL for (int v = 0; v < PART_ELEMENTS; v++) {
    const int at = (v + shift) % PART_ELEMENTS;
    x[v] = OF_T(iw_row_vector)(part[0], at);
    if (v + shift >= PART_ELEMENTS) {
      const iw_pred first = iw_eq_u32(iw_lane(), iw_splat_u32(0));
      const LANES next = OF_T(iw_select)(first, OF_T(iw_row_vector)(part[1], at), x[v]);
      x[v] = OF_T(iw_shuffle)(next, iw_and_u32(iw_add_u32(iw_lane(), iw_splat_u32(1)), iw_splat_u32(31)), 32);
    }
    x[v] = TWIDDLE_LANES(args, x[v]);
  }
  IW_UNROLL for (int count = PART_ELEMENTS / 2; count > 0; count /= 2)
    IW_UNROLL for (int v = 0; v < count; v++) x[v] = OF_OP(iw)(x[2 * v], x[2 * v + 1]);
  return x[0];
}

/* The levels of the tree over PART_LOADS vectors of aggregates of parts: lane l has those of vector l %
 * PART_LOADS. */
IW_FN LANES FN(reduce_parts)(LANES *x)
{
  FN(reduce_level)(x, PART_LOADS / 2, 1);
  FN(reduce_level)(x, PART_LOADS / 4, 2);
  FN(reduce_level)(x, PART_LOADS / 8, 4);
  return x[0];
}

/* Folds the rows of `chunks` chunks onto `fold`. They begin with element `shift` of the part at `in`, and
 * all parts that have one of their elements exist. */
IW_FN SCALAR FN(fold_chunks_of_parts)(const ARGS *args, const SCALAR *in, uint32_t chunks, SCALAR fold, int shift)
{
  for (; chunks; chunks--, in += CHUNK) {
    PART part[PART_LOADS + 1];
    LANES x[PART_LOADS];
    IW_UNROLL for (int k = 0; k < PART_LOADS; k++) part[k] = OF_T(iw_row_gather)(in, iw_iota_u32(32 * (unsigned)k));
    part[PART_LOADS] = shift ? OF_T(iw_row_gather)(in, iw_splat_u32(32 * PART_LOADS)) : part[0];
    IW_UNROLL for (int k = 0; k < PART_LOADS; k++) x[k] = FN(reduce_part)(args, part + k, shift);
    FN(reduce_vectors)(x, PART_LOADS);
    if (PARTS == 2) FN(reduce_level)(x, 0, 1); /* the other half of the row of order 1 */
    IW_UNROLL for (unsigned lane = 0; lane < PART_LOADS; lane += PARTS) fold = OF_OP(iws)(fold, OF_T(iw_at)(x[0], lane));
  }
  return fold;
}

/* load_and_reduce of pieces that are aligned to 16 bytes and have whole 16 bytes. PART_LANES lanes load a
 * piece; those past its last part load the last one again. Load k of a lane is of piece k of those that end
 * in its own lanes. */
IW_FN LANES FN(load_and_reduce_parts)(const ARGS *args, const SCALAR *in, iw_u32 pieces, int all_whole)
{
  enum { PART_LANES = 32 / PART_ELEMENTS, LOG_ELEMENTS = PART_ELEMENTS == 4 ? 2 : 1 };
  static_assert(PART_LANES % PART_LOADS == 0 && PART_LANES <= 2 * PART_LOADS, "pieces are loaded in one or two steps");
  const iw_u32 of_piece = iw_and_u32(iw_lane(), iw_splat_u32(PART_LANES - 1)), first = iw_sub_u32(iw_lane(), of_piece);
  const iw_u32 at = iw_shl_u32(of_piece, iw_splat_u32(LOG_ELEMENTS));
  LANES groups[2];
  IW_UNROLL for (int g = 0; g < PART_LANES / PART_LOADS; g++) {
    PART part[PART_LOADS];
    LANES x[PART_LOADS];
    iw_u32 piece[PART_LOADS];
    IW_UNROLL for (int k = 0; k < PART_LOADS; k++) {
      piece[k] = iw_shuffle_u32(pieces, iw_add_u32(first, iw_splat_u32((uint32_t)(g * PART_LOADS + k))), 32);
      const iw_u32 last = iw_and_u32(iw_not_u32(piece[k]), iw_splat_u32(31));
      const iw_u32 element = iw_add_u32(iw_shr_u32(piece[k], iw_splat_u32(6)), all_whole ? at : iw_min_u32(at, last));
      part[k] = OF_T(iw_row_gather)(in, iw_shr_u32(element, iw_splat_u32(LOG_ELEMENTS)));
    }
    IW_UNROLL for (int k = 0; k < PART_LOADS; k++) {
      x[k] = FN(reduce_part)(args, part + k, 0);
      if (all_whole) continue;
      const iw_pred here = iw_lt_u32(iw_add_u32(at, iw_and_u32(piece[k], iw_splat_u32(63))), iw_splat_u32(32));
      x[k] = OF_T(iw_select)(here, x[k], IDENTITY);
    }
    groups[g] = FN(reduce_parts)(x);
  }
  if (PART_LANES > PART_LOADS) FN(reduce_level)(groups, 1, PART_LOADS);
  return groups[0];
}

/* Whether the elements `first` and `count` of each lane are of whole parts: both multiples of a part's
 * elements. */
IW_FN int FN(are_parts)(iw_u32 first, iw_u32 count)
{
  return !iw_any(iw_ne_u32(iw_and_u32(iw_or_u32(first, count), iw_splat_u32(PART_ELEMENTS - 1)), iw_splat_u32(0)));
}
#endif

/* The lanes from `first` on of `group`, the lower ones of `all`. The next group replaces the lanes behind
 * this one's. */
IW_FN LANES FN(insert)(LANES all, LANES group, int first)
{
  return first == 0 ? group : OF_T(iw_select)(iw_ge_u32(iw_lane(), iw_splat_u32((uint32_t)first)), group, all);
}

/* Folds the rows of `chunks` chunks at `in` onto `fold`. */
IW_FN SCALAR FN(fold_chunks)(const ARGS *args, const ELEMENT *in, uint32_t chunks, SCALAR fold)
{
#if HAS_PARTS
  const unsigned shift = (unsigned)((uintptr_t)in % 16 / sizeof(SCALAR));
  const SCALAR *const first = (const SCALAR *)args->in, *const parts = in - shift;
  if (shift == 0) return FN(fold_chunks_of_parts)(args, in, chunks, fold, 0);
  if (in >= first + shift && (uint64_t)(in - first) + chunks * CHUNK + PART_ELEMENTS - shift <= args->n) {
    if (PART_ELEMENTS == 2 || shift == 1) return FN(fold_chunks_of_parts)(args, parts, chunks, fold, 1);
    if (shift == 2) return FN(fold_chunks_of_parts)(args, parts, chunks, fold, 2);
    return FN(fold_chunks_of_parts)(args, parts, chunks, fold, 3);
  }
#endif
  for (; chunks; chunks--, in += CHUNK) {
    LANES x[VECTORS];
    IW_UNROLL for (int k = 0; k < VECTORS; k++) x[k] = FN(gather)(args, in, iw_iota_u32(32 * (unsigned)k));
    LANES rows = FN(reduce_vectors)(x, VECTORS);
    rows = OF_OP(iw)(rows, OF_T(iw_shuffle_xor)(rows, 1, 32));
    rows = OF_OP(iw)(rows, OF_T(iw_shuffle_xor)(rows, 2, 32));
    IW_UNROLL for (unsigned lane = 0; lane < VECTORS; lane += ROW_PIECES) fold = OF_OP(iws)(fold, OF_T(iw_at)(rows, lane));
  }
  return fold;
}

/* A piece in one word: bits 31 … 6 the index of its first element, bits 5 … 0 how many elements it has
 * fewer than 32 (0 … 31), or NO_PIECE. */
#define NO_PIECE 63 /* all lanes load element 0, and get the identity */
IW_FN iw_u32 FN(pack_piece)(iw_u32 index, iw_u32 missing)
{
  return iw_or_u32(iw_shl_u32(index, iw_splat_u32(6)), missing);
}

/* Lane p: the aggregate of piece p of `pieces`, whose indices count from `in` on. all_whole: they have 32
 * elements each. All loads are issued before any is waited for: they are not predicated, as nvcc would
 * select the identity right behind a predicated load. Lanes past a piece's last element load the last
 * element again, and get the identity afterwards. */
IW_FN LANES FN(load_and_reduce)(const ARGS *args, const ELEMENT *in, iw_u32 pieces, int all_whole, int of_parts)
{
#if HAS_PARTS
  if (of_parts) return FN(load_and_reduce_parts)(args, in, pieces, all_whole);
#endif
  const iw_u32 from_end = iw_sub_u32(iw_splat_u32(32), iw_lane());
  LANES all = IDENTITY;
  IW_UNROLL for (int first = 0; first < 32; first += VECTORS) {
    LANES x[VECTORS];
    IW_UNROLL for (int k = 0; k < VECTORS; k++) {
      const uint32_t piece = iw_at_u32(pieces, (unsigned)(first + k));
      const iw_u32 lane = all_whole ? iw_lane() : iw_min_u32(iw_lane(), iw_splat_u32(~piece & 31));
      x[k] = FN(gather)(args, in, iw_add_u32(iw_splat_u32(piece >> 6), lane));
    }
    if (!all_whole) IW_UNROLL for (int k = 0; k < VECTORS; k++) {
      const uint32_t missing = iw_at_u32(pieces, (unsigned)(first + k)) & 63;
      x[k] = OF_T(iw_select)(iw_lt_u32(iw_splat_u32(missing), from_end), x[k], IDENTITY);
    }
    all = FN(insert)(all, FN(reduce_vectors)(x, VECTORS), first);
  }
  return all;
}

/* Lane l: the last lane k with first[k] <= number[l]. first ascends, not strictly. If first[0] is larger,
 * some lane. */
IW_FN iw_u32 FN(last_lane_up_to)(iw_u32 first, iw_u32 number)
{
  iw_u32 lane = iw_splat_u32(0);
  IW_UNROLL for (unsigned step = 16; step > 0; step /= 2) {
    const iw_u32 next = iw_add_u32(lane, iw_splat_u32(step));
    lane = iw_select_u32(iw_le_u32(iw_shuffle_u32(first, next, 32), number), next, lane);
  }
  return lane;
}

/* A pass. Lane l describes one segment; its length is 0 if it is not in the pass, and its place is then
 * unspecified. Pieces are numbered: the whole ones of all segments first, then the partial ones, which are
 * the last pieces of segments whose length is no multiple of 32. */
#define PASS FN(pass)
typedef struct {
  iw_u32 place, length;          /* place: of its first element, from the pass's first one on */
  iw_u32 whole, first_whole;     /* its whole pieces; those of lower lanes */
  iw_u32 partial, first_partial; /* its partial pieces, 0 or 1; those of lower lanes */
  uint32_t whole_count, count;   /* of all lanes: whole pieces; all pieces */
} PASS;

/* Lane l: number piece[l] of the whole pieces, packed. Unspecified if there are fewer. */
IW_FN iw_u32 FN(whole_pieces)(const PASS *pass, iw_u32 piece)
{
  const iw_u32 owner = FN(last_lane_up_to)(pass->first_whole, piece);
  const iw_u32 before = iw_sub_u32(piece, iw_shuffle_u32(pass->first_whole, owner, 32));
  const iw_u32 index = iw_add_u32(iw_shuffle_u32(pass->place, owner, 32), iw_shl_u32(before, iw_splat_u32(5)));
  return FN(pack_piece)(index, iw_splat_u32(0));
}

/* Lane l: number piece[l] of all pieces, packed; NO_PIECE behind the last one. */
IW_FN iw_u32 FN(any_pieces)(const PASS *pass, iw_u32 piece)
{
  const iw_u32 of_partial = iw_sub_u32(piece, iw_splat_u32(pass->whole_count)), bits = iw_splat_u32(31);
  const iw_u32 owner = FN(last_lane_up_to)(pass->first_partial, of_partial);
  const iw_u32 length = iw_shuffle_u32(pass->length, owner, 32);
  const iw_u32 last = iw_add_u32(iw_shuffle_u32(pass->place, owner, 32), iw_sub_u32(length, iw_and_u32(length, bits)));
  const iw_u32 partial = FN(pack_piece)(last, iw_sub_u32(iw_splat_u32(32), iw_and_u32(length, bits)));
  const iw_u32 whole = FN(whole_pieces)(pass, piece);
  const iw_u32 any = iw_select_u32(iw_lt_u32(piece, iw_splat_u32(pass->whole_count)), whole, partial);
  return iw_select_u32(iw_lt_u32(piece, iw_splat_u32(pass->count)), any, iw_splat_u32(NO_PIECE));
}

/* Counts the pieces of a pass, whose places and lengths are set. */
IW_FN void FN(start_pass)(PASS *pass)
{
  const iw_u32 zero = iw_splat_u32(0);
  const iw_pred partial = iw_ne_u32(iw_and_u32(pass->length, iw_splat_u32(31)), zero);
  pass->whole = iw_shr_u32(pass->length, iw_splat_u32(5));
  pass->first_whole = iw_exclusive_prefix_sum_u32(pass->whole);
  pass->whole_count = iw_last_u32(iw_add_u32(pass->first_whole, pass->whole));
  pass->partial = iw_select_u32(partial, iw_splat_u32(1), zero);
  pass->first_partial = iw_rank(partial);
  pass->count = pass->whole_count + iw_popcount(iw_ballot(partial));
}

IW_FN void FN(reduce_pieces_of_pass)(const ARGS *args, SCRATCH *scratch, const ELEMENT *in, const PASS *pass, int of_parts)
{
  for (uint32_t at = 0; at < pass->count; at += 32) {
    LANES aggregates;
    if (at + 32 <= pass->whole_count)
      aggregates = FN(load_and_reduce)(args, in, FN(whole_pieces)(pass, iw_iota_u32(at)), 1, of_parts);
    else aggregates = FN(load_and_reduce)(args, in, FN(any_pieces)(pass, iw_iota_u32(at)), 0, of_parts);
    OF_T(iw_store)(scratch->aggregates + at, aggregates, iw_lanes_below(32));
  }
}

/* Reduces the pieces of a pass, whose places count from `in` on, to their aggregates. */
IW_FN void FN(reduce_pass)(const ARGS *args, SCRATCH *scratch, const ELEMENT *in, const PASS *pass)
{
#if HAS_PARTS
  const int of_parts = iw_row_can_vectorize(in) && FN(are_parts)(pass->place, pass->length);
#else
  const int of_parts = 0;
#endif
  if (of_parts) FN(reduce_pieces_of_pass)(args, scratch, in, pass, 1);
  else FN(reduce_pieces_of_pass)(args, scratch, in, pass, 0);
}

/* Lane l: the rows of its segment's pieces folded onto `fold`. */
IW_FN LANES FN(fold_pieces)(const SCRATCH *scratch, const PASS *pass, LANES fold)
{
  const iw_u32 pieces = iw_add_u32(pass->whole, pass->partial);
  const iw_u32 at_partial = iw_add_u32(pass->first_partial, iw_splat_u32(pass->whole_count));
  for (uint32_t at = 0;; at += ROW_PIECES) {
    const iw_pred some = iw_gt_u32(pieces, iw_splat_u32(at));
    if (!iw_any(some)) return fold;
    LANES x[ROW_PIECES];
    IW_UNROLL for (unsigned i = 0; i < ROW_PIECES; i++) {
      const iw_u32 piece = iw_splat_u32(at + i);
      const iw_pred here = iw_gt_u32(pieces, piece);
      const iw_u32 index = iw_select_u32(iw_lt_u32(piece, pass->whole), iw_add_u32(pass->first_whole, piece), at_partial);
      x[i] = OF_T(iw_select)(here, OF_T(iw_gather)(scratch->aggregates, index, here), IDENTITY);
    }
    fold = OF_T(iw_select)(some, OF_OP(iw)(fold, OF_OP(iw)(OF_OP(iw)(x[0], x[1]), OF_OP(iw)(x[2], x[3]))), fold);
  }
}

/* Lane l: the tree of its segment, which has at most SHORT elements, from place[l] on; the identity if it
 * has none. Element 0 of `in` exists. */
IW_FN LANES FN(reduce_short)(const ARGS *args, const ELEMENT *in, iw_u32 place, iw_u32 length)
{
  LANES trees[SHORT / SHORT_LOADS];
  IW_UNROLL for (unsigned t = 0; t < SHORT / SHORT_LOADS; t++) {
    LANES x[SHORT_LOADS];
    trees[t] = IDENTITY;
    if (t && !iw_any(iw_gt_u32(length, iw_splat_u32(t * SHORT_LOADS)))) continue;
    IW_UNROLL for (unsigned k = 0; k < SHORT_LOADS; k++) {
      const iw_u32 i = iw_splat_u32(t * SHORT_LOADS + k);
      x[k] = FN(gather)(args, in, iw_select_u32(iw_gt_u32(length, i), iw_add_u32(place, i), iw_splat_u32(0)));
    }
    IW_UNROLL for (unsigned k = 0; k < SHORT_LOADS; k++)
      x[k] = OF_T(iw_select)(iw_gt_u32(length, iw_splat_u32(t * SHORT_LOADS + k)), x[k], IDENTITY);
    IW_UNROLL for (int count = SHORT_LOADS / 2; count > 0; count /= 2)
      IW_UNROLL for (int k = 0; k < count; k++) x[k] = OF_OP(iw)(x[2 * k], x[2 * k + 1]);
    trees[t] = x[0];
  }
  return OF_OP(iw)(trees[0], trees[1]);
}

/* Lane l: the fold of the rows of its segment, which has `length` elements, at most a tile, from `begin`
 * on. If all are short and close, each lane reduces its own. Else the chunks of a segment are folded by
 * themselves, what is left of all segments in passes. A pass takes as many of the segments left, in the
 * order of the lanes, as have SEGMENTS_PIECES pieces in all and begin less than 2^26 - CHUNK elements
 * after the first: an index in a packed piece has 26 bits. If offsets are invalid, the difference wraps,
 * and another pass takes them. */
IW_FN LANES FN(fold_segments)(const ARGS *args, SCRATCH *scratch, iw_u64 begin, iw_u32 length)
{
  const iw_u32 zero = iw_splat_u32(0), chunk = iw_splat_u32(CHUNK);
  LANES fold = IDENTITY;
  const uint32_t with_elements = (uint32_t)iw_ballot(iw_gt_u32(length, zero));
  if (!iw_any(iw_gt_u32(length, iw_splat_u32(SHORT)))) {
    if (!with_elements) return fold;
    const uint64_t base = iw_at_u64(begin, iw_lowest(with_elements));
    const iw_u64 distance = iw_sub_u64(begin, iw_splat_u64(base));
    const iw_pred in_reach = iw_lt_u64(distance, iw_splat_u64(SHORT_REACH));
    if (!(with_elements & ~(uint32_t)iw_ballot(in_reach)))
      return FN(reduce_short)(args, iw_opaque((const ELEMENT *)args->in + base), iw_convert_u64_u32(distance), length);
  }
  const iw_u32 of_chunks = iw_sub_u32(length, iw_and_u32(length, iw_splat_u32(CHUNK - 1)));
  for (uint32_t left = (uint32_t)iw_ballot(iw_ge_u32(length, chunk)); left; left &= left - 1) {
    const unsigned lane = iw_lowest(left);
    const SCALAR all = FN(fold_chunks)(args, (const ELEMENT *)args->in + iw_at_u64(begin, lane),
                                       iw_at_u32(of_chunks, lane) / CHUNK, OF_OP(iws_identity)());
    fold = OF_T(iw_select)(iw_eq_u32(iw_lane(), iw_splat_u32(lane)), OF_T(iw_splat)(all), fold);
  }
  begin = iw_add_u64(begin, iw_convert_u32_u64(of_chunks));
  length = iw_sub_u32(length, of_chunks);
  uint32_t left = (uint32_t)iw_ballot(iw_gt_u32(length, zero));
  while (left) {
    PASS pass;
    uint64_t base = iw_at_u64(begin, iw_lowest(left));
    if (HAS_RUNS && args->runs) /* the list is not in the order of the elements */
      base = iw_warp_min_u64(iw_select_u64(iw_pred_of(left), begin, iw_splat_u64(UINT64_MAX)));
    const ELEMENT *const in = iw_opaque((const ELEMENT *)args->in + base);
    const iw_u64 distance = iw_sub_u64(begin, iw_splat_u64(base));
    const iw_pred in_reach = iw_and_pred(iw_pred_of(left), iw_lt_u64(distance, iw_splat_u64(((uint64_t)1 << 26) - CHUNK)));
    const iw_u32 pieces = iw_shr_u32(iw_add_u32(length, iw_splat_u32(31)), iw_splat_u32(5));
    const iw_u32 end = iw_inclusive_prefix_sum_u32(iw_select_u32(in_reach, pieces, zero));
    const iw_pred chosen = iw_and_pred(in_reach, iw_le_u32(end, iw_splat_u32(SEGMENTS_PIECES)));
    pass.place = iw_convert_u64_u32(distance);
    pass.length = iw_select_u32(chosen, length, zero);
    FN(start_pass)(&pass);
    FN(reduce_pass)(args, scratch, in, &pass);
    fold = FN(fold_pieces)(scratch, &pass, fold);
    left &= ~(uint32_t)iw_ballot(chosen);
  }
  return fold;
}

/* Folds `rows` rows at `in`, of which `valid` elements are there, onto `fold`: at least one element of the
 * first row. A lane has neighbours of each row, so that a level of the tree is one shuffle for two rows. */
IW_FN SCALAR FN(fold_rows_of_lanes)(const ARGS *args, const ELEMENT *in, uint32_t valid, SCALAR fold, const int rows)
{
  enum { EACH = ROW_ELEMENTS / 32, MOST = CHUNK / ROW_ELEMENTS }; /* elements of a lane in a row; rows */
  const iw_u32 last = iw_splat_u32(valid - 1), first = iw_shl_u32(iw_lane(), iw_splat_u32(2));
  LANES x[MOST], elements[MOST][EACH];
  static_assert(EACH == 4, "lane l has elements 4 l to 4 l + 3 of a row");
  IW_UNROLL for (int r = 0; r < rows; r++) IW_UNROLL for (int v = 0; v < EACH; v++)
    elements[r][v] = FN(gather)(args, in, iw_min_u32(iw_add_u32(first, iw_splat_u32((uint32_t)(r * ROW_ELEMENTS + v))), last));
  IW_UNROLL for (int r = 0; r < rows; r++) {
    IW_UNROLL for (int v = 0; v < EACH; v++) {
      const iw_u32 index = iw_add_u32(first, iw_splat_u32((uint32_t)(r * ROW_ELEMENTS + v)));
      elements[r][v] = OF_T(iw_select)(iw_le_u32(index, last), elements[r][v], IDENTITY);
    }
    x[r] = OF_OP(iw)(OF_OP(iw)(elements[r][0], elements[r][1]), OF_OP(iw)(elements[r][2], elements[r][3]));
  }
  FN(reduce_vectors)(x, rows);
  IW_UNROLL for (int r = 0; r < rows; r++)
    if ((uint32_t)r * ROW_ELEMENTS < valid) fold = OF_OP(iws)(fold, OF_T(iw_at)(x[0], (unsigned)r));
  return fold;
}

/* Folds the rows of the `valid` elements at `in` onto `fold`. */
IW_FN SCALAR FN(fold_rows)(const ARGS *args, const ELEMENT *in, int64_t valid, SCALAR fold)
{
  const uint32_t chunks = (uint32_t)(valid / CHUNK), left = (uint32_t)(valid % CHUNK);
  fold = FN(fold_chunks)(args, in, chunks, fold);
  in = iw_opaque(in + chunks * CHUNK);
  if (left > ROW_ELEMENTS) return FN(fold_rows_of_lanes)(args, in, left, fold, CHUNK / ROW_ELEMENTS);
  return left ? FN(fold_rows_of_lanes)(args, in, left, fold, 1) : fold;
}

/* Lane l: *begin and *end of segment first + l, both at most n whatever the offsets are; an empty range
 * outside of `some`; and the index k of the segment. */
IW_FN void FN(bounds)(const ARGS *args, uint64_t first, iw_pred some, iw_u64 *begin, iw_u64 *end, iw_u64 *k)
{
  *k = iw_iota_u64(first);
#if HAS_RUNS
  if (args->runs) {
    bounds_of_listed_runs(args, RUN_TILE, first, some, begin, end, k);
    return;
  }
#endif
  const iw_u64 none = iw_splat_u64(0), n = iw_splat_u64(args->n);
  const iw_u64 last_end = iw_select_u64(some, n, none);
  const int64_t before_last = (int64_t)(segment_count(args) - first) - 1;
  const iw_pred inner = args->ends_at_n ? iw_and_pred(some, iw_lanes_below(before_last)) : some;
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
  iw_u64 begin, end, k;
  FN(bounds)(args, first, some, &begin, &end, &k);
  const iw_u64 length = iw_select_u64(iw_lt_u64(begin, end), iw_sub_u64(end, begin), none);
  const iw_pred listed = iw_gt_u64(length, iw_splat_u64(TILE));
  const iw_mask list = iw_ballot(listed);
  if (list) list_segments(block, args, k, list, begin, length);
  const iw_u32 own_length = iw_select_u32(listed, iw_splat_u32(0), iw_convert_u64_u32(length));
  const LANES fold = FN(fold_segments)(args, scratch, begin, own_length);
  const LANES result = OF_T(iw_select)(iw_eq_u32(own_length, iw_splat_u32(0)), OF_T(iw_splat)(initial->of_none),
                                       OF_OP(iw)(OF_T(iw_splat)(initial->init), fold));
  const iw_pred done = iw_and_pred(some, iw_not_pred(listed));
#if FINDS
  if (args->indices)
    iw_store_u64(args->indices + first, FN(first_equal_of_each)(args, begin, own_length, fold), done);
#endif
  if (FINDS && !args->results) return;
  if (args->result_form == IW_RESULT_OF_T && !(HAS_RUNS && args->runs))
    OF_T(iw_store)((SCALAR *)args->results + first, TWIDDLE_LANES(args, result), done);
  else FN(store_results)(args, k, result, done);
}

/* The same for segment k alone. */
IW_FN void FN(reduce_one)(iw_block *block, const ARGS *args, const INITIAL *initial, uint64_t k)
{
  iw_u64 begin, end, index;
  FN(bounds)(args, k, iw_lanes_below(1), &begin, &end, &index);
  const uint64_t from = iw_at_u64(begin, 0), to = iw_at_u64(end, 0), length = from < to ? to - from : 0;
  if (length > TILE) list_segments(block, args, index, 1, begin, iw_splat_u64(length));
  else if (!length) FN(set_result)(args, k, initial->of_none);
  else FN(set_result)(args, k, OF_OP(iws)(initial->init, FN(fold_rows)(args, (const ELEMENT *)args->in + from, (int64_t)length,
                                                                       OF_OP(iws_identity)())));
}

/* Reduces the segments first … first + count - 1, or lists those that have more than one tile. */
IW_FN void FN(reduce_batch)(iw_block *block, const ARGS *args, SCRATCH *scratch, const INITIAL *initial, uint64_t first,
                            uint64_t count)
{
  if (count == 1 && !(HAS_RUNS && args->runs) && !(FINDS && args->indices)) {
    FN(reduce_one)(block, args, initial, first);
    return;
  }
  for (uint64_t k = 0; k < count; k += 32)
    FN(reduce_32)(block, args, scratch, initial, first + k, count - k < 32 ? count - k : 32);
}

#undef VECTORS
#undef ROW_PIECES
#undef CHUNK
#undef NO_PIECE
#undef PASS
#undef HAS_PARTS
#undef PART_ELEMENTS
#undef PART_LOADS
#undef SHORT_LOADS
#undef SHORT
#undef SHORT_REACH
