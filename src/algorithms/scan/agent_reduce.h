/* SPDX-License-Identifier: Apache-2.0
 *
 * The reduction agent of GPUs. A part of scan_kernel.h, which has its parameters. There are two kernels, of
 * which that of users' operators has both (ALSO_SHORT):
 *   reduce_short  up to IW_REDUCE_SHORT_TILES tiles: a block has one tile, or two of 4-byte elements if there
 *                 are many, and each warp has its rows in flight at a time. Also the rows of a matrix
 *                 (args->columns), which have a block each
 *   reduce        more: the warps of a block take chunks of rows in turn, so that a block reads from one place
 *                 on. Up to IW_REDUCE_WAITED_TILES tiles a block has a tile for each warp, else a group
 *
 * A block of tiles (args->waits of them) publishes their aggregates. The last block to begin folds all: it
 * waits for the tile states of the others, all of which run by then. That takes one access to memory
 * behind the loads, where storing, counting finished blocks and loading take three. A block counts itself in
 * while its loads are in flight.
 *
 * A block of a group (args->waits is 0) has the next one by its ticket, and publishes the group's aggregate.
 * REDUCE_SECTION_GROUPS groups are a section. The block of a section's last group waits for the others, and
 * folds the section onto the inclusive prefix of the section before. It waits only for blocks that have
 * earlier tickets.
 *
 * If an index is wanted, a block also publishes where the minimum of its tiles is first in them
 * (doc/design/scan.md#reductions).
 */

#ifndef ISOWARP_AGENT_REDUCE_H
#define ISOWARP_AGENT_REDUCE_H
/* Elements as bits, every NaN as the canonical one. */
#define MINIMUM_EQUALS_i32(a, b) iw_eq(a, b)
#define MINIMUM_EQUALS_i64(a, b) iw_eq(a, b)
#define MINIMUM_EQUALS_f32(a, b) iw_eq(iw_as_bits_f32(a), iw_as_bits_f32(b))
#define MINIMUM_EQUALS_f64(a, b) iw_eq(iw_as_bits_f64(a), iw_as_bits_f64(b))
#define MINIMUM_EQUALS(T) IW_JOIN(MINIMUM_EQUALS, T)
/* Integers of the width of T. */
#define PLACE_TYPE_i32 u32
#define PLACE_TYPE_i64 u64
#define PLACE_TYPE_f32 u32
#define PLACE_TYPE_f64 u64
#define PLACE_TYPE(T) IW_PASTE(PLACE_TYPE_, T)
#endif

#if defined(SHORT) || defined(ALSO_SHORT)
#define HAS_SHORT 1
#else
#define HAS_SHORT 0
#endif
#ifdef SHORT
#define HAS_LONG 0
#define MOST_TILES IW_REDUCE_SHORT_TILES
#else
#define HAS_LONG 1
#define MOST_TILES IW_REDUCE_WAITED_TILES
#endif
#define MOST_BLOCKS (HAS_SHORT ? (int)IW_REDUCE_SHORT_TILES : (int)IW_REDUCE_WAITED_TILES / WARPS)
/* Short reductions: the most tiles of a block, and the rows of a tile that a warp has. All warps have rows in
 * turn, so that each has some of a short row of a matrix. */
#define OWN_TILES ((int)REDUCE_SHORT_TILES(sizeof(SCALAR)))
#define OWN_ROWS (TILE_ROWS / WARPS)
#define PLACE_OF_OWN_ROW(r) ((r) * WARPS * ROW_ELEMENTS)
#define INDEX_OF_OWN_ROW(r) ((unsigned)(r) * WARPS + warp)
static_assert(OWN_ROWS * WARPS == TILE_ROWS, "a warp has whole rows of its block's tile");
/* Long ones: the rows of a chunk, whose trees take as few shuffles as eight can. */
#define OWN_CHUNK (8 / PARTS)
static_assert(TILE_ROWS % OWN_CHUNK == 0, "a chunk is of one tile");
/* How far apart tiles are in shared memory, of which a lane folds one, and the groups' tiles: in different
 * banks. */
#define TILE_PITCH (TILE_ROWS + 1)
#define GROUP_PITCH (MOST_TILES / GROUP_TILES + 1)
#define IS_LAST ((uint32_t)1 << 31)
#define IDENTITY OF_T(iw_splat)(OF_OP(iws_identity)())

typedef struct {
  /* the last block: the aggregate of tile t of group g at t * GROUP_PITCH + g; of a section: its groups */
  SCALAR aggregates[GROUP_TILES * GROUP_PITCH];
  /* row aggregates of the block's tiles; in the last block, when these are folded, those of groups */
  SCALAR rows[(HAS_LONG ? GROUP_TILES : OWN_TILES) * TILE_PITCH];
#ifdef MINIMUM
  /* the least of each warp's rows, and where it is first in the block's tiles; of each block, likewise */
  SCALAR found_leasts[WARPS];
  uint32_t found_places[WARPS], block_places[MOST_BLOCKS];
#endif
} SHARED;
static_assert(REDUCE_SECTION_GROUPS % 32 == 0 && (!HAS_LONG || REDUCE_SECTION_GROUPS <= GROUP_TILES * GROUP_PITCH), "a section fits in shared memory");
static_assert(MOST_TILES / GROUP_TILES <= (HAS_LONG ? GROUP_TILES : OWN_TILES) * TILE_PITCH, "the groups fit where rows were");

/* ---- Where a minimum is ---- */

#ifdef MINIMUM
/* Those of the lanes in `some` that equal the result. A NaN equals a NaN, and -0 differs from +0. */
IW_FN iw_mask FN(equal)(LANES x, SCALAR result, iw_pred some)
{
  return iw_ballot(iw_and_pred(some, MINIMUM_EQUALS(T)(x, OF_T(iw_splat)(result))));
}

/* Where the row's aggregate is first in it. */
IW_FN uint32_t FN(place_in_row)(const iw_scan_args *args, PENDING pending, SCALAR aggregate)
{
  iw_u32 place = iw_splat((uint32_t)ROW_ELEMENTS);
  EACH_PART(p) {
    const PART x = FN(part_wait)(args, pending, p);
    const IW_PASTE(IW_PASTE(iw_row_, PLACE_TYPE(T)), _view) places = IW_JOIN(iw_row_iota, PLACE_TYPE(T))((uint64_t)p * IW_ROW(T));
    IW_EACH_VECTOR(T, v) {
      const iw_pred equal = MINIMUM_EQUALS(T)(OF_T(iw_row_vector)(x, v), OF_T(iw_splat)(aggregate));
      place = iw_select(equal, iw_min(place, iw_to_u32(IW_JOIN(iw_row_view_vector, PLACE_TYPE(T))(places, v))), place);
    }
  }
  return iw_warp_min(place);
}

/* The least aggregate of some rows, the first row that has it, and where it is first in that row. */
typedef struct { SCALAR least; uint32_t row, place; } FN(found);

/* Whether an aggregate of later rows is not less than what was found. */
IW_FN int FN(is_found)(const FN(found) *found, SCALAR aggregate)
{
  return (FN(equal)(OF_T(iw_splat)(OF_OP(iws)(aggregate, found->least)), found->least, iw_lanes_below(1)) & 1) != 0;
}

/* Adds the next OWN_ROWS rows of the warp, of which the first one is row `first` of the block. The row is
 * selected in registers. */
IW_FN void FN(find_in_own_rows)(const iw_scan_args *args, const PENDING rows[OWN_ROWS], const SCALAR aggregates[OWN_ROWS],
                                unsigned first, FN(found) *found)
{
  SCALAR least = aggregates[OWN_ROWS - 1];
  PENDING row = rows[OWN_ROWS - 1];
  unsigned own = OWN_ROWS - 1;
  IW_UNROLL for (int r = OWN_ROWS - 2; r >= 0; r--) least = OF_OP(iws)(aggregates[r], least);
  if (first >= TILE_ROWS && FN(is_found)(found, least)) return;
  IW_UNROLL for (int r = OWN_ROWS - 2; r >= 0; r--)
    if (FN(equal)(OF_T(iw_splat)(aggregates[r]), least, iw_lanes_below(1)) & 1) {
      row = rows[r];
      own = (unsigned)r;
    }
  found->least = least;
  found->row = first + own * WARPS;
  found->place = FN(place_in_row)(args, row, least);
}

/* Adds the next chunk, from row `first` of the block on. */
IW_FN void FN(find_in_chunk)(const iw_scan_args *args, const PENDING rows[OWN_CHUNK], LANES aggregates, unsigned first, int is_first,
                             FN(found) *found)
{
  LANES lanes = aggregates;
  IW_UNROLL for (unsigned bit = PARTS; bit < OWN_CHUNK * PARTS; bit *= 2) lanes = OF_OP(iw)(lanes, OF_T(iw_shuffle_xor)(lanes, bit, 32));
  const SCALAR least = OF_T(iw_at)(lanes, 0);
  if (!is_first && FN(is_found)(found, least)) return;
  const unsigned own = iw_lowest(FN(equal)(aggregates, least, iw_lanes_below(OWN_CHUNK * PARTS))) / PARTS;
  PENDING row = rows[OWN_CHUNK - 1];
  IW_UNROLL for (int r = OWN_CHUNK - 2; r >= 0; r--) if ((int)own == r) row = rows[r];
  found->least = least;
  found->row = first + own;
  found->place = FN(place_in_row)(args, row, least);
}

/* Where the warp's rows have their minimum, for place_in_block. */
IW_FN void FN(set_found)(SHARED *shared, unsigned warp, FN(found) found)
{
  OF_T(iw_set)(&shared->found_leasts[warp], found.least);
  iw_set_u32(&shared->found_places[warp], found.row * ROW_ELEMENTS + found.place);
}

/* One warp, after the rows of all warps, of which `warps` have some: where the minimum of the block's tiles
 * is first in them. */
IW_FN uint32_t FN(place_in_block)(const SHARED *shared, unsigned warps)
{
  const iw_pred some = iw_lanes_below(warps);
  const LANES leasts = OF_T(iw_select)(some, OF_T(iw_load)(shared->found_leasts, some), IDENTITY);
  LANES least = leasts;
  IW_UNROLL for (unsigned bit = 1; bit < WARPS; bit *= 2) least = OF_OP(iw)(least, OF_T(iw_shuffle_xor)(least, bit, 32));
  const iw_mask first = FN(equal)(leasts, OF_T(iw_at)(least, 0), some);
  return iw_warp_min_u32(iw_select_u32(iw_pred_of(first), iw_load_u32(shared->found_places, some), iw_splat_u32(UINT32_MAX)));
}
#endif

/* ---- Phase 1: rows ---- */

/* The aggregates of the rows of a chunk: that of row r in the lanes l with l / PARTS % OWN_CHUNK == r. */
IW_FN LANES FN(aggregates_of_chunk)(const iw_scan_args *args, const PENDING rows[OWN_CHUNK])
{
  LANES x[OWN_CHUNK * PARTS];
  IW_UNROLL for (int k = 0; k < OWN_CHUNK * PARTS; k++) {
    const PART part = FN(part_wait)(args, rows[k / PARTS], k % PARTS);
    LANES of_lane[IW_ROW(T) / 32]; /* neighbours in the row */
    IW_EACH_VECTOR(T, v) of_lane[v] = OF_T(iw_row_vector)(part, v);
    IW_UNROLL for (int half = IW_ROW(T) / 64; half > 0; half /= 2)
      IW_UNROLL for (int v = 0; v < half; v++) of_lane[v] = OF_OP(iw)(of_lane[2 * v], of_lane[2 * v + 1]);
    x[k] = of_lane[0];
  }
  FN(reduce_vectors)(x, OWN_CHUNK * PARTS);
  if (PARTS == 2) FN(reduce_level)(x, 0, 1);
  return x[0];
}

/* Posts the epoch, with IS_LAST in the block that arrives last. */
IW_FN void FN(post_arrival)(iw_block *block, const iw_scan_args *args, iw_u64 requested, iw_inside_a_phase iw_here_)
{
  int is_last;
  const uint32_t epoch = iw_tickets_arrive(args->tickets, requested, &is_last);
  iw_ticket_post(epoch | (is_last ? IS_LAST : 0));
}

/* Short reductions: the aggregates of the warp's rows. Warp 0 posts its arrival. */
IW_FN void FN(reduce_own_rows)(iw_block *block, const iw_scan_args *args, SHARED *shared, unsigned warp, iw_inside_a_phase iw_here_)
{
  const uint64_t first = block->index * (args->columns ? args->columns : args->waits * TILE), at = first + warp * ROW_ELEMENTS;
  const int64_t valid = (int64_t)((args->columns ? first + args->columns : args->n) - at);
  const ELEMENT *const in = (const ELEMENT *)args->in + at;
  const int tiles = args->waits == 2 ? OWN_TILES : 1;
  PENDING rows[OWN_TILES][OWN_ROWS];
  const int arrives = warp == 0 && !args->columns;
  const iw_u64 requested = arrives ? iw_tickets_arrive_request(args->tickets) : iw_splat_u64(0);
#ifdef MINIMUM
  FN(found) found;
#endif
#define ISSUE(t, valid_) \
  IW_UNROLL for (int r = 0; r < OWN_ROWS; r++) \
    rows[t][r] = FN(row_reissue)(args, in + (t) * TILE + PLACE_OF_OWN_ROW(r), valid_, \
                                 FN(row_heads)(args->heads, at + (uint64_t)((t) * TILE + PLACE_OF_OWN_ROW(r))));
  IW_UNROLL for (int t = 0; t < OWN_TILES; t++) {
    if (t >= tiles) break;
    if (valid + (int)warp * ROW_ELEMENTS >= (t + 1) * TILE && iw_row_can_vectorize(in)) ISSUE(t, IW_FULL_ROW)
    else ISSUE(t, valid > t * TILE + PLACE_OF_OWN_ROW(r) ? valid - t * TILE - PLACE_OF_OWN_ROW(r) : 0)
  }
#undef ISSUE
  if (arrives) FN(post_arrival)(block, args, requested, iw_here_);
  IW_UNROLL for (int t = 0; t < OWN_TILES; t++) {
    if (t >= tiles) break;
    SCALAR aggregates[OWN_ROWS];
    IW_UNROLL for (int r = 0; r < OWN_ROWS; r++) aggregates[r] = FN(row_aggregate)(args, rows[t][r]);
    IW_UNROLL for (int r = 0; r < OWN_ROWS; r++) OF_T(iw_set)(&shared->rows[t * TILE_PITCH + INDEX_OF_OWN_ROW(r)], aggregates[r]);
#ifdef MINIMUM
    if (args->first_index) FN(find_in_own_rows)(args, rows[t], aggregates, (unsigned)t * TILE_ROWS + warp, &found);
#endif
  }
#ifdef MINIMUM
  if (args->first_index) FN(set_found)(shared, warp, found);
#endif
}

/* Long ones, from tile `first` on: the aggregates of the rows of the chunks that are the warp's in turn. */
IW_FN void FN(reduce_own_chunks)(const iw_scan_args *args, SHARED *shared, unsigned warp, uint64_t first, unsigned tiles)
{
  enum { ELEMENTS = OWN_CHUNK * ROW_ELEMENTS, IN_TILE = TILE_ROWS / OWN_CHUNK };
  const HEADS none = FN(row_heads)(NULL, 0);
  const iw_u32 lane = iw_lane(), row = iw_shr(lane, iw_splat((uint32_t)PARTS - 1));
  const iw_pred has_row = iw_and_pred(iw_lanes_below(OWN_CHUNK * PARTS), iw_eq(iw_and(lane, iw_splat((uint32_t)PARTS - 1)), iw_splat(0u)));
  const ELEMENT *in = (const ELEMENT *)args->in + first * TILE + warp * ELEMENTS;
  const int is_aligned = iw_row_can_vectorize(in);
  int64_t valid = (int64_t)(args->n - first * TILE) - (int64_t)warp * ELEMENTS;
#ifdef MINIMUM
  FN(found) found = { OF_OP(iws_identity)(), 0, 0 };
#endif
  IW_NO_UNROLL for (unsigned chunk = warp; chunk < tiles * IN_TILE && valid > 0; chunk += WARPS) {
    PENDING rows[OWN_CHUNK];
    if (valid >= ELEMENTS && is_aligned)
      IW_UNROLL for (int r = 0; r < OWN_CHUNK; r++) rows[r] = FN(row_reissue)(args, in + r * ROW_ELEMENTS, IW_FULL_ROW, none);
    else IW_UNROLL for (int r = 0; r < OWN_CHUNK; r++)
      rows[r] = FN(row_reissue)(args, in + r * ROW_ELEMENTS, valid > r * ROW_ELEMENTS ? valid - r * ROW_ELEMENTS : 0, none);
    const LANES aggregates = FN(aggregates_of_chunk)(args, rows);
    OF_T(iw_scatter)(shared->rows + chunk / IN_TILE * TILE_PITCH + chunk % IN_TILE * OWN_CHUNK, row, aggregates, has_row);
#ifdef MINIMUM
    if (args->first_index) FN(find_in_chunk)(args, rows, aggregates, chunk * OWN_CHUNK, chunk == warp, &found);
#endif
    in += WARPS * ELEMENTS;
    valid -= WARPS * ELEMENTS;
  }
#ifdef MINIMUM
  if (args->first_index) FN(set_found)(shared, warp, found);
#endif
}

/* ---- Phase 2: tiles and groups, one warp each ---- */

/* The fold over the rows of the block's tile number t, which has `left` elements or more. */
IW_FN SCALAR FN(fold_rows)(const SHARED *shared, unsigned t, uint64_t left)
{
  const iw_pred some = iw_lanes_below((int64_t)(left + ROW_ELEMENTS - 1) / ROW_ELEMENTS);
  LANES before;
  static_assert(TILE_ROWS == IW_WARP_SIZE, "a lane has a row");
  return OF_OP(iw_fold)(OF_OP(iws_identity)(), OF_T(iw_select)(some, OF_T(iw_load)(shared->rows + t * TILE_PITCH, some), IDENTITY), &before);
}

/* Publishes tile number t of those from `first` on, if it exists. */
IW_FN void FN(publish_own_tile)(const iw_scan_args *args, const iw_look_back *look_back, const SHARED *shared, uint64_t first, unsigned t)
{
  const uint64_t tile = first + t;
  if (tile < args->tiles) OF_T(publish_tile)(look_back, tile, TILE_AGGREGATE, FN(fold_rows)(shared, t, args->n - tile * TILE));
}

/* The tiles of a group. */
IW_FN unsigned FN(tiles_of_group)(const iw_scan_args *args, unsigned group)
{
  const uint64_t first = (uint64_t)group * GROUP_TILES, left = first < args->tiles ? args->tiles - first : 0;
  return left < GROUP_TILES ? (unsigned)left : GROUP_TILES;
}

/* Publishes the block's group, of which a lane folds each tile. */
IW_FN void FN(publish_own_group)(const iw_scan_args *args, const iw_look_back *look_back, const SHARED *shared, unsigned group)
{
  const uint64_t left = args->n - (uint64_t)group * GROUP_TILES * TILE;
  const iw_u32 rows = iw_splat(left < GROUP_TILES * TILE ? (uint32_t)(left + ROW_ELEMENTS - 1) / ROW_ELEMENTS : GROUP_TILES * TILE_ROWS);
  const iw_u32 first = iw_mul(iw_lane(), iw_splat((uint32_t)TILE_ROWS)), place = iw_mul(iw_lane(), iw_splat((uint32_t)TILE_PITCH));
  LANES fold = IDENTITY, before;
  IW_UNROLL for (unsigned r = 0; r < TILE_ROWS; r++) {
    const iw_pred some = iw_lt(iw_add(first, iw_splat(r)), rows);
    fold = OF_OP(iw)(fold, OF_T(iw_select)(some, OF_T(iw_gather)(shared->rows + r, place, some), IDENTITY));
  }
  fold = OF_T(iw_select)(iw_lanes_below(FN(tiles_of_group)(args, group)), fold, IDENTITY);
  OF_T(publish_tile)(look_back, group, TILE_AGGREGATE, OF_OP(iw_fold)(OF_OP(iws_identity)(), fold, &before));
}

/* Publishes, as number `own`, where the minimum of the block's tiles is first in them. They have `left`
 * elements or more, and a warp has `chunk` of them at a time. */
IW_FN void FN(publish_place)(const iw_scan_args *args, const iw_look_back *look_back, const SHARED *shared, uint64_t own, uint64_t left,
                             unsigned chunk)
{
#ifdef MINIMUM
  const iw_look_back of_places = { look_back->group_states, NULL, look_back->epoch };
  const unsigned warps = left < WARPS * chunk ? ((unsigned)left + chunk - 1) / chunk : WARPS;
  if (args->first_index) publish_tile_u32(&of_places, own, TILE_AGGREGATE, FN(place_in_block)(shared, warps));
#endif
}

#if HAS_SHORT
/* Stores the result of a row of a matrix. */
IW_FN void FN(set_result_of_row)(const iw_block *block, const iw_scan_args *args, const SHARED *shared)
{
  FN(set_result)(args, block->index, OF_OP(iws)(FN(init)(args), FN(fold_rows)(shared, 0, args->columns)));
}
#endif

/* ---- The last block ---- */

/* Phase 2 of the last block: copies the aggregates of all tiles to shared memory, when they are published. A
 * warp has every WARPS-th group, and polls AT_ONCE of them together. The tiles that a group lacks are the
 * identity. */
IW_FN void FN(collect_tiles)(const iw_scan_args *args, const iw_look_back *look_back, SHARED *shared, unsigned warp)
{
  enum { AT_ONCE = 16 / sizeof(SCALAR) };
  const iw_u32 place = iw_mul(iw_lane(), iw_splat((uint32_t)GROUP_PITCH));
  const iw_pred all = iw_lanes_below(GROUP_TILES);
  for (unsigned first = warp; (uint64_t)first * GROUP_TILES < args->tiles; first += AT_ONCE * WARPS) {
    IW_JOIN(iw_polled, T) states[AT_ONCE];
    IW_UNROLL for (unsigned k = 0; k < AT_ONCE; k++) {
      const unsigned group = first + k * WARPS;
      states[k] = OF_T(iw_poll)(look_back->tile_states, (int64_t)group * GROUP_TILES, 0, (int)FN(tiles_of_group)(args, group));
    }
    IW_UNROLL for (unsigned k = 0; k < AT_ONCE; k++) {
      const unsigned group = first + k * WARPS, count = FN(tiles_of_group)(args, group);
      const iw_pred some = iw_lanes_below(count);
      if (!count) break;
      for (unsigned spins = 0; !iw_all(iw_or_pred(iw_not_pred(some), have_status(look_back, states[k].flag, TILE_AGGREGATE)));) {
        iw_pause(&spins);
        states[k] = OF_T(iw_poll)(look_back->tile_states, (int64_t)group * GROUP_TILES, 0, (int)count);
      }
      OF_T(iw_scatter)(shared->aggregates + group, place, OF_T(iw_select)(some, states[k].value, IDENTITY), all);
    }
  }
#ifdef MINIMUM
  const iw_look_back of_places = { look_back->group_states, NULL, look_back->epoch };
  const unsigned blocks = args->first_index ? ((unsigned)args->tiles + args->waits - 1) / args->waits : 0;
  for (unsigned at = (WARPS - 1 - warp) * 32; at < blocks; at += WARPS * 32) { /* the last warps have fewer groups */
    const unsigned count = blocks - at < 32 ? blocks - at : 32;
    iw_store_u32(shared->block_places + at, wait_tile_states_u32(&of_places, at, count).value, iw_lanes_below(count));
  }
#endif
}

#ifdef MINIMUM
/* One warp: the first of `count` values in shared memory that equals the result. One of them does. */
IW_FN unsigned FN(first_equal)(const SCALAR *values, unsigned count, SCALAR result)
{
  for (unsigned at = 0; at < count; at += 32) {
    const iw_pred some = iw_lanes_below((int64_t)count - at);
    const iw_mask equal = FN(equal)(OF_T(iw_load)(values + at, some), result, some);
    if (equal) return at + iw_lowest(equal);
  }
  return 0;
}

/* Whether an earlier piece of the array has the result. */
IW_FN int FN(is_of_init)(const iw_scan_args *args, SCALAR result)
{
  return args->init_ptr && (FN(equal)(OF_T(iw_splat)(FN(init)(args)), result, iw_lanes_below(1)) & 1);
}

/* Phase 3 of the last block, one warp: stores where the result is first in the array: in this group. */
IW_FN void FN(set_first_index)(const iw_scan_args *args, const SHARED *shared, unsigned group, SCALAR result)
{
  const iw_pred some = iw_lanes_below(FN(tiles_of_group)(args, group));
  const iw_u32 place = iw_mul(iw_lane(), iw_splat((uint32_t)GROUP_PITCH));
  const LANES of_tiles = OF_T(iw_gather)(shared->aggregates + group, place, some);
  const unsigned own = (group * GROUP_TILES + iw_lowest(FN(equal)(of_tiles, result, some))) / args->waits;
  iw_set_u64(args->first_index, args->begin + (uint64_t)(own * args->waits) * TILE + iw_get_u32(&shared->block_places[own]));
}
#endif

/* Phase 3 of the last block, one warp: a lane folds a group, and the warp the groups. */
IW_FN void FN(fold_tiles)(const iw_scan_args *args, SHARED *shared)
{
  const unsigned groups = (unsigned)((args->tiles + GROUP_TILES - 1) / GROUP_TILES);
  LANES prefixes;
  SCALAR result = FN(init)(args);
  IW_NO_UNROLL for (unsigned first = 0; first < groups; first += 32) {
    const iw_pred some = iw_lanes_below((int64_t)groups - first);
    LANES fold = IDENTITY;
    IW_UNROLL for (unsigned t = 0; t < GROUP_TILES; t++)
      fold = OF_OP(iw)(fold, OF_T(iw_load)(shared->aggregates + t * GROUP_PITCH + first, some));
    fold = OF_T(iw_select)(some, fold, IDENTITY);
#ifdef MINIMUM
    OF_T(iw_store)(shared->rows + first, fold, some); /* whose rows are folded by now */
#endif
    result = OF_OP(iw_fold)(result, fold, &prefixes);
  }
#ifdef MINIMUM
  if (args->first_index && !FN(is_of_init)(args, result)) FN(set_first_index)(args, shared, FN(first_equal)(shared->rows, groups, result), result);
#endif
  FN(set_result)(args, 0, result);
}

/* ---- Sections of groups ---- */

#if HAS_LONG
/* Phase 3 of the block that ends a section: copies the aggregates of its groups to shared memory, when
 * they are published. */
IW_FN void FN(collect_groups)(const iw_look_back *look_back, SHARED *shared, unsigned warp, uint64_t first, unsigned count)
{
  for (unsigned at = warp * 32; at < count; at += WARPS * 32) {
    const unsigned some = count - at < 32 ? count - at : 32;
    OF_T(iw_store)(shared->aggregates + at, OF_T(wait_tile_states)(look_back, first + at, some).value, iw_lanes_below(some));
  }
}

/* Phase 4, one warp: folds the section's groups onto the prefix of the sections before. */
IW_FN void FN(fold_section)(const iw_scan_args *args, const iw_look_back *look_back, const SHARED *shared, uint64_t first, unsigned count,
                        int is_last)
{
  const uint64_t groups = (args->tiles + GROUP_TILES - 1) / GROUP_TILES, section = first / REDUCE_SECTION_GROUPS;
  const iw_look_back of_sections = { look_back->group_states + groups, NULL, look_back->epoch };
  LANES before;
  SCALAR prefix;
  /* Only the first section reads init, which may be where the result goes: that depends on its prefix. */
  if (!section) prefix = FN(init)(args);
  else prefix = OF_T(iw_at)(OF_T(wait_tile_states)(&of_sections, section - 1, 1).value, 0);
  SCALAR result = prefix;
  IW_NO_UNROLL for (unsigned at = 0; at < count; at += 32) {
    const iw_pred some = iw_lanes_below((int64_t)count - at);
    result = OF_OP(iw_fold)(result, OF_T(iw_select)(some, OF_T(iw_load)(shared->aggregates + at, some), IDENTITY), &before);
  }
#ifdef MINIMUM
  if (args->first_index) {
    const iw_look_back of_places = { look_back->group_states, NULL, look_back->epoch };
    const iw_look_back of_indices = { of_sections.tile_states + (groups / REDUCE_SECTION_GROUPS + 1) * IW_TILE_STATE_WORDS(sizeof(SCALAR)), NULL, look_back->epoch };
    const int is_before = (section || args->init_ptr) && (FN(equal)(OF_T(iw_splat)(prefix), result, iw_lanes_below(1)) & 1);
    uint64_t index = UINT64_MAX; /* of an earlier piece */
    if (!is_before) {
      const unsigned group = FN(first_equal)(shared->aggregates, count, result);
      index = args->begin + (first + group) * GROUP_TILES * TILE + iw_at_u32(wait_tile_states_u32(&of_places, first + group, 1).value, 0);
    } else if (section) index = iw_at_u64(wait_tile_states_u64(&of_indices, section - 1, 1).value, 0);
    if (!is_last) publish_tile_u64(&of_indices, section, TILE_AGGREGATE, index);
    else if (index != UINT64_MAX) iw_set_u64(args->first_index, index);
  }
#endif
  if (is_last) FN(set_result)(args, 0, result);
  else OF_T(publish_tile)(&of_sections, section, TILE_AGGREGATE, result); /* a section has one state, which is inclusive */
}
#endif

IW_KERNEL_NO_SPECIALIZATION(KERNEL, SHARED, iw_scan_args, WARPS * 32, POLICY(_BLOCKS))
{
#if HAS_SHORT
  if (args->columns) {
    IW_PHASE(warp) { FN(reduce_own_rows)(block, args, shared, warp, iw_here_); }
    IW_PHASE(warp) { if (warp == 0) FN(set_result_of_row)(block, args, shared); }
    return;
  }
#endif
  const int has_group = HAS_LONG && !args->waits;
  const unsigned tiles = has_group ? GROUP_TILES : args->waits;
  const int is_short = HAS_SHORT && (!HAS_LONG || (int)tiles <= OWN_TILES);
  iw_look_back states = { args->tile_states, args->group_states, 0 };
  uint32_t own = (uint32_t)block->index;
  if (has_group) states.epoch = iw_tickets_open(args->tickets, &own);
  const uint64_t first = (uint64_t)own * tiles;
  if (is_short) IW_PHASE(warp) { FN(reduce_own_rows)(block, args, shared, warp, iw_here_); }
  else IW_PHASE(warp) {
    const int arrives = warp == 0 && !has_group;
    const iw_u64 requested = arrives ? iw_tickets_arrive_request(args->tickets) : iw_splat_u64(0);
    FN(reduce_own_chunks)(args, shared, warp, first, tiles);
    if (arrives) FN(post_arrival)(block, args, requested, iw_here_);
  }
  const uint32_t posted = has_group ? 0 : iw_ticket_receive();
  const int is_last = (posted & IS_LAST) != 0;
  if (!has_group) states.epoch = posted & ~IS_LAST;
  IW_PHASE(warp) {
    if (!has_group) for (unsigned t = warp; t < tiles; t += WARPS) FN(publish_own_tile)(args, &states, shared, first, t);
    else if (warp == 0) FN(publish_own_group)(args, &states, shared, own);
    if (warp == WARPS - 1) FN(publish_place)(args, &states, shared, own, args->n - first * TILE, (is_short ? 1 : OWN_CHUNK) * ROW_ELEMENTS);
    if (is_last) FN(collect_tiles)(args, &states, shared, warp);
  }
  if (is_last) IW_PHASE(warp) { if (warp == 0) FN(fold_tiles)(args, shared); }
#if HAS_LONG
  if (!has_group) return;
  const uint32_t groups = (uint32_t)((args->tiles + GROUP_TILES - 1) / GROUP_TILES), end = own + 1;
  if (end == groups || end % REDUCE_SECTION_GROUPS == 0) {
    const uint32_t begin = own / REDUCE_SECTION_GROUPS * REDUCE_SECTION_GROUPS;
    IW_PHASE(warp) { FN(collect_groups)(&states, shared, warp, begin, end - begin); }
    IW_PHASE(warp) { if (warp == 0) FN(fold_section)(args, &states, shared, begin, end - begin, end == groups); }
  }
  iw_tickets_close(args->tickets);
#endif
}

#undef HAS_SHORT
#undef HAS_LONG
#undef MOST_TILES
#undef MOST_BLOCKS
#undef OWN_TILES
#undef OWN_ROWS
#undef PLACE_OF_OWN_ROW
#undef INDEX_OF_OWN_ROW
#undef OWN_CHUNK
#undef TILE_PITCH
#undef GROUP_PITCH
#undef IS_LAST
#undef IDENTITY
