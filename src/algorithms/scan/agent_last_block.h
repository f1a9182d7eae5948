/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedules of short reductions on GPUs, which have no tickets and no look-back. A part of
 * agent_pipelined.h, whose functions it uses. scan.c chooses by the number of tiles:
 *
 * Up to IW_SCAN_FOLDED_TILES tiles a block takes the tiles of its index, then those one grid further, and
 * stores their aggregates. It waits for no other block. The last block to finish folds all aggregates
 * (iw_is_last_block). This fold takes longer the more tiles there are, so longer arrays have look-back, which
 * folds while other tiles are loaded (doc/design/scan.md#reductions).
 *
 * The fewest tiles (args->waits) have a block each, and the last block to begin folds them: it waits for the
 * tile states of the others, all of which run by then. That takes one access to memory behind the loads,
 * where storing, counting finished blocks and loading take three. A block counts itself in while its loads
 * are in flight.
 *
 * The rows of a matrix (args->columns) have a block each, which stores the result of its row.
 *
 * Of more tiles a round has one phase: a warp issues the loads of its chunk, and while they are in flight
 * the aggregate of the former round's tile is folded and stored.
 */

#ifndef ISOWARP_AGENT_LAST_BLOCK_H
#define ISOWARP_AGENT_LAST_BLOCK_H
#define NO_TILE UINT32_MAX
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

/* What a warp has loaded of a tile, from element `at` on, of which `valid` exist. */
typedef struct { PENDING rows[CHUNK_ROWS]; } FN(chunk);

IW_FN FN(chunk) FN(issue_chunk)(const iw_scan_args *args, uint64_t at, int64_t valid)
{
  FN(chunk) chunk;
  const ELEMENT *const in = (const ELEMENT *)args->in + at;
  IW_UNROLL for (int r = 0; r < CHUNK_ROWS; r++)
    chunk.rows[r] = FN(row_reissue)(args, in + r * ROW_ELEMENTS, ROW_VALID(valid, r),
                                    FN(row_heads)(args->heads, at + (uint64_t)r * ROW_ELEMENTS));
  return chunk;
}

/* Where the aggregate of a tile is: those of the same number in their groups are one behind the other, for
 * fold_groups(). */
#define AGGREGATE_STRIDE (IW_SCAN_FOLDED_TILES / GROUP_TILES)
#define FEW_GROUPS 64 /* which take two rounds of loads */
static_assert(WARPS <= 32, "group_aggregates has room for what fold_few_groups() writes");
#define PLACE_OF_AGGREGATE(tile) ((tile) % GROUP_TILES * AGGREGATE_STRIDE + (tile) / GROUP_TILES)

/* A round of the block's tiles from `tile` on, and the aggregates of those from `before` on, which it has
 * loaded in the round before. args->tiles stands for no tile. */
IW_FN void FN(reduce_tiles)(const iw_scan_args *args, SHARED *shared, uint64_t tile, uint64_t before, unsigned stage, unsigned warp)
{
  const uint64_t at = tile * TILE + warp * CHUNK;
  const int64_t valid = tile < args->tiles ? (int64_t)(args->n - at) : 0;
  FN(chunk) chunk;
  if (valid >= CHUNK && iw_row_can_vectorize((const ELEMENT *)args->in + at)) chunk = FN(issue_chunk)(args, at, IW_FULL_ROW);
  else chunk = FN(issue_chunk)(args, at, valid > 0 ? valid : 0);
  if ((int)warp < TILES && before + warp < args->tiles)
    OF_T(iw_set)((SCALAR *)args->aggregates + PLACE_OF_AGGREGATE(before + warp),
                 FN(fold_rows)(shared->row_prefixes[stage ^ 1] + warp * TILE_ROWS, args->n - (before + warp) * TILE, 0));
  if (valid <= 0) return;
  SCALAR *const row_aggregates = shared->row_prefixes[stage] + warp * CHUNK_ROWS;
  IW_UNROLL for (int r = 0; r < CHUNK_ROWS; r++) OF_T(iw_set)(&row_aggregates[r], FN(row_aggregate)(args, chunk.rows[r]));
}

/* The last block, of few groups: a warp folds some of them. The loads of AT_ONCE groups are issued first. */
IW_FN void FN(fold_few_groups)(const iw_scan_args *args, SHARED *shared, unsigned warp)
{
  enum { AT_ONCE = 4 };
  const iw_u32 places = iw_mul(iw_lane(), iw_splat((uint32_t)AGGREGATE_STRIDE));
  const unsigned end = (unsigned)(args->tiles + 32 * GROUP_TILES - 1) / (32 * GROUP_TILES) * 32; /* the identity behind the last group */
  for (unsigned first = 0; first < end; first += AT_ONCE * WARPS) {
    LANES aggregates[AT_ONCE], prefixes;
    IW_UNROLL for (unsigned k = 0; k < AT_ONCE; k++) {
      const unsigned group = first + k * WARPS + warp;
      const iw_pred some = iw_lanes_below((int64_t)args->tiles - group * GROUP_TILES);
      aggregates[k] = OF_T(iw_select)(some, OF_T(iw_gather)((const SCALAR *)args->aggregates + group, places, some),
                                      OF_T(iw_splat)(OF_OP(iws_identity)()));
    }
    IW_UNROLL for (unsigned k = 0; k < AT_ONCE; k++)
      OF_T(iw_set)(&shared->group_aggregates[first + k * WARPS + warp],
                   OF_OP(iw_fold)(OF_OP(iws_identity)(), aggregates[k], &prefixes));
  }
}

/* The last block, of more groups: each lane of a warp folds one. */
IW_FN void FN(fold_groups)(const iw_scan_args *args, SHARED *shared, unsigned warp)
{
  enum { AT_ONCE = 64 / sizeof(SCALAR) }; /* loads in flight */
  const int full = (int)(args->tiles / GROUP_TILES), rest = (int)(args->tiles % GROUP_TILES);
  for (int group = (int)warp * 32; group < full + (rest > 0); group += WARPS * 32) {
    const iw_pred in_full = iw_lanes_below(full - group), in_any = iw_lanes_below(full + (rest > 0) - group);
    const SCALAR *of_group = (const SCALAR *)args->aggregates + group;
    LANES fold = OF_T(iw_splat)(OF_OP(iws_identity)());
    for (int k = 0; k < GROUP_TILES; k += AT_ONCE, of_group += AT_ONCE * AGGREGATE_STRIDE) {
      LANES aggregates[AT_ONCE];
      IW_UNROLL for (int i = 0; i < AT_ONCE; i++)
        aggregates[i] = OF_T(iw_load)(of_group + i * AGGREGATE_STRIDE, k + i < rest ? in_any : in_full);
      IW_UNROLL for (int i = 0; i < AT_ONCE; i++)
        fold = OF_T(iw_select)(k + i < rest ? in_any : in_full, OF_OP(iw)(fold, aggregates[i]), fold);
    }
    OF_T(iw_store)(shared->group_aggregates + group, fold, iw_lanes_below(32)); /* the identity behind the last group */
  }
}

/* The last block, one warp: the result. */
IW_FN SCALAR FN(fold_array)(const iw_scan_args *args, const SHARED *shared)
{
  SCALAR result = FN(init)(args);
  for (unsigned group = 0; group * GROUP_TILES < args->tiles; group += 32)
    IW_UNROLL for (unsigned k = 0; k < 32; k++) result = OF_OP(iws)(result, OF_T(iw_get)(&shared->group_aggregates[group + k]));
  return result;
}

#ifdef MINIMUM
/* ---- The index of the first minimum: the last block searches what it has folded (doc/design/scan.md#argmin)
 * --------------- */

#ifdef FROM
#define LOAD_ELEMENTS(at, some) IW_JOIN(iw_convert, IW_JOIN(IW_PASTE(IW_LANES_FOR_, FROM), T))( \
  IW_JOIN(iw_load, FROM)((const ELEMENT *)args->in + (at), some))
#else
#define LOAD_ELEMENTS(at, some) OF_T(iw_load)((const SCALAR *)args->in + (at), some)
#endif

/* Those of the lanes in `some` that equal the result. A NaN equals a NaN, and -0 differs from +0. */
IW_FN iw_mask FN(equal)(LANES x, SCALAR result, iw_pred some)
{
  return iw_ballot(iw_and_pred(some, MINIMUM_EQUALS(T)(x, OF_T(iw_splat)(result))));
}

/* One warp: the first tile whose aggregate equals the result, in the first group that has such a tile;
 * NO_TILE if the init equals it. */
IW_FN uint32_t FN(find_tile)(const iw_scan_args *args, const SHARED *shared, SCALAR result)
{
  const uint32_t groups = (uint32_t)((args->tiles + GROUP_TILES - 1) / GROUP_TILES);
  if (args->init_ptr && (FN(equal)(OF_T(iw_splat)(FN(init)(args)), result, iw_lanes_below(1)) & 1)) return NO_TILE;
  for (uint32_t group = 0; group < groups; group += 32) {
    const iw_pred some = iw_lanes_below((int64_t)groups - group);
    const iw_mask in_group = FN(equal)(OF_T(iw_load)(shared->group_aggregates + group, some), result, some);
    if (!in_group) continue;
    const uint32_t first = (group + iw_lowest(in_group)) * GROUP_TILES;
    const iw_pred tiles = iw_lanes_below((int64_t)args->tiles - first);
    const iw_u32 places = iw_mul(iw_lane(), iw_splat((uint32_t)AGGREGATE_STRIDE));
    const LANES of_tiles = OF_T(iw_gather)((const SCALAR *)args->aggregates + first / GROUP_TILES, places, tiles);
    return first + iw_lowest(FN(equal)(of_tiles, result, tiles));
  }
  return NO_TILE;
}

/* All warps: where in the tile the warp's first element is that equals the result; TILE: nowhere. */
IW_FN uint32_t FN(find_in_tile)(const iw_scan_args *args, uint64_t tile, SCALAR result, unsigned warp)
{
  enum { VECTORS = TILE / 32 / WARPS, AT_ONCE = 16 / (sizeof(SCALAR) / 4) }; /* of 32 elements */
  const int64_t valid = (int64_t)(args->n - tile * TILE);
  for (unsigned k = 0; k < VECTORS; k += AT_ONCE) {
    LANES x[AT_ONCE];
    IW_UNROLL for (unsigned i = 0; i < AT_ONCE; i++) {
      const uint32_t at = ((k + i) * WARPS + warp) * 32;
      x[i] = LOAD_ELEMENTS(tile * TILE + at, iw_lanes_below(valid - at));
    }
    IW_UNROLL for (unsigned i = 0; i < AT_ONCE; i++) {
      const uint32_t at = ((k + i) * WARPS + warp) * 32;
      const iw_pred some = iw_lanes_below(valid - at);
#if TWIDDLED
      const iw_mask found = FN(equal)(OF_T(iw_flip_bits)(x[i], OF_T(iw_splat)(args->twiddle.T)), result, some);
#else
      const iw_mask found = FN(equal)(x[i], result, some);
#endif
      if (found) return at + iw_lowest(found);
    }
  }
  return TILE;
}

/* The last block, after the warps have written what they found: one warp. */
IW_FN void FN(set_first_index)(const iw_scan_args *args, const SHARED *shared)
{
  const iw_pred some = iw_lanes_below(WARPS);
  const uint32_t first = iw_warp_min(iw_select(some, iw_load(shared->found, some), iw_splat((uint32_t)TILE)));
  iw_set_u64(args->first_index, args->begin + (uint64_t)iw_get_u32(&shared->found_tile) * TILE + first);
}
#undef LOAD_ELEMENTS
#endif

/* ---- The fewest tiles: a block for each. If an index is wanted, a block publishes where its tile's
 * minimum is first, too, in a second state. ---- */

/* Rows of a tile that a warp has. All warps have rows in turn, so that each has some of a short row of a
 * matrix. */
#define OWN_ROWS (TILE_ROWS / WARPS)
#define PLACE_OF_OWN_ROW(r) ((r) * WARPS * ROW_ELEMENTS)
#define INDEX_OF_OWN_ROW(r) ((unsigned)(r) * WARPS + warp)
static_assert(OWN_ROWS * WARPS == TILE_ROWS, "a warp has whole rows of its block's tile");
static_assert(IW_SCAN_WAITED_TILES <= 32 * GROUP_TILES, "group_aggregates has 32 of them for fold_array()");
#define IS_LAST ((uint32_t)1 << 31)

#ifdef MINIMUM
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

/* One warp, after the rows of the block's tile: where its aggregate is first in it. */
IW_FN uint32_t FN(place_in_tile)(const SHARED *shared, SCALAR aggregate)
{
  static_assert(TILE_ROWS == IW_WARP_SIZE, "a lane looks at a row");
  const iw_mask rows = FN(equal)(OF_T(iw_load)(shared->row_prefixes[0], iw_lanes_below(TILE_ROWS)), aggregate, iw_lanes_below(TILE_ROWS));
  return iw_lowest(rows) * ROW_ELEMENTS + iw_get_u32(&shared->row_places[iw_lowest(rows)]);
}

/* One warp: sets *aggregate to that of the tiles first … first + count - 1, of one group, and *place to where
 * it is first in them. Returns 0 if one of them has not been published. */
IW_FN int FN(try_fold_places)(const iw_look_back *look_back, uint64_t first, unsigned count, SCALAR *aggregate, uint32_t *place)
{
  const iw_look_back of_places = { look_back->group_states, NULL, look_back->epoch };
  IW_JOIN(iw_polled, T) states;
  iw_polled_u32 places;
  iw_mask none;
  LANES prefixes;
  const int has_states = OF_T(try_load_tile_states)(look_back, first, count, 0, &states, &none);
  if (!try_load_tile_states_u32(&of_places, first, count, 0, &places, &none) || !has_states) return 0;
  const iw_pred some = iw_lanes_below(count);
  *aggregate = OF_OP(iw_fold)(OF_OP(iws_identity)(), OF_T(iw_select)(some, states.value, OF_T(iw_splat)(OF_OP(iws_identity)())), &prefixes);
  const unsigned lane = iw_lowest(FN(equal)(states.value, *aggregate, some));
  *place = lane * TILE + iw_at_u32(places.value, lane);
  return 1;
}

/* The last block, one warp: stores where the result is first in the array, unless the init equals it. */
IW_FN void FN(set_first_place)(const iw_scan_args *args, const SHARED *shared, SCALAR result)
{
  if (args->init_ptr && (FN(equal)(OF_T(iw_splat)(FN(init)(args)), result, iw_lanes_below(1)) & 1)) return;
  const iw_pred groups = iw_lanes_below((int64_t)(args->tiles + GROUP_TILES - 1) / GROUP_TILES);
  const unsigned group = iw_lowest(FN(equal)(OF_T(iw_load)(shared->group_aggregates, groups), result, groups));
  iw_set_u64(args->first_index, args->begin + (uint64_t)group * GROUP_TILES * TILE + iw_get_u32(&shared->group_places[group]));
}
#endif

/* Phase 1: the aggregates of the warp's rows. Warp 0 posts the epoch, with IS_LAST in the block that
 * arrives last. */
IW_FN void FN(reduce_own_rows)(iw_block *block, const iw_scan_args *args, SHARED *shared, unsigned warp, iw_inside_a_phase iw_here_)
{
  const uint64_t first = block->index * (args->columns ? args->columns : TILE), at = first + warp * ROW_ELEMENTS;
  const int64_t valid = (int64_t)((args->columns ? first + args->columns : args->n) - at);
  const ELEMENT *const in = (const ELEMENT *)args->in + at;
  PENDING rows[OWN_ROWS];
  const int arrives = warp == 0 && !args->columns;
  const iw_u64 requested = arrives ? iw_tickets_arrive_request(args->tickets) : iw_splat_u64(0);
#define ISSUE(valid_) \
  IW_UNROLL for (int r = 0; r < OWN_ROWS; r++) \
    rows[r] = FN(row_reissue)(args, in + PLACE_OF_OWN_ROW(r), valid_, FN(row_heads)(args->heads, at + (uint64_t)PLACE_OF_OWN_ROW(r)));
  if (valid + (int)warp * ROW_ELEMENTS >= TILE && iw_row_can_vectorize(in)) ISSUE(IW_FULL_ROW)
  else ISSUE(valid > PLACE_OF_OWN_ROW(r) ? valid - PLACE_OF_OWN_ROW(r) : 0)
#undef ISSUE
  if (arrives) {
    int is_last;
    const uint32_t epoch = iw_tickets_arrive(args->tickets, requested, &is_last);
    iw_ticket_post(epoch | (is_last ? IS_LAST : 0));
  }
  SCALAR aggregates[OWN_ROWS];
  IW_UNROLL for (int r = 0; r < OWN_ROWS; r++) aggregates[r] = FN(row_aggregate)(args, rows[r]);
  IW_UNROLL for (int r = 0; r < OWN_ROWS; r++) OF_T(iw_set)(&shared->row_prefixes[0][INDEX_OF_OWN_ROW(r)], aggregates[r]);
#ifdef MINIMUM
  if (!args->first_index) return;
  uint32_t places[OWN_ROWS];
  IW_UNROLL for (int r = 0; r < OWN_ROWS; r++) places[r] = FN(place_in_row)(args, rows[r], aggregates[r]);
  IW_UNROLL for (int r = 0; r < OWN_ROWS; r++) iw_set_u32(&shared->row_places[INDEX_OF_OWN_ROW(r)], places[r]);
#endif
}

/* Phase 2 of a row of a matrix, one warp: its result. */
IW_FN void FN(set_result_of_row)(const iw_block *block, const iw_scan_args *args, SHARED *shared)
{
  FN(set_result)(args, block->index, OF_OP(iws)(FN(init)(args), FN(fold_rows)(shared->row_prefixes[0], args->columns, 0)));
}

/* Phase 2: publishes the tile. The last block folds the groups. */
IW_FN void FN(publish_and_fold_groups)(const iw_block *block, const iw_scan_args *args, const iw_look_back *look_back, SHARED *shared,
                                       unsigned warp, int is_last)
{
  if (warp == 0) {
    const SCALAR aggregate = FN(fold_rows)(shared->row_prefixes[0], args->n - block->index * TILE, 0);
    OF_T(publish_tile)(look_back, block->index, TILE_AGGREGATE, aggregate);
#ifdef MINIMUM
    const iw_look_back of_places = { look_back->group_states, NULL, look_back->epoch };
    if (args->first_index) publish_tile_u32(&of_places, block->index, TILE_AGGREGATE, FN(place_in_tile)(shared, aggregate));
#endif
  }
  if (is_last) for (unsigned group = warp; group < 32; group += WARPS) {
    const uint64_t first = (uint64_t)group * GROUP_TILES, left = first < args->tiles ? args->tiles - first : 0;
    const unsigned count = left < GROUP_TILES ? (unsigned)left : GROUP_TILES;
    SCALAR aggregate = OF_OP(iws_identity)();
    int has_head;
    unsigned spins = 0;
#ifdef MINIMUM
    uint32_t place = 0;
    if (args->first_index) {
      while (count && !FN(try_fold_places)(look_back, first, count, &aggregate, &place)) iw_pause(&spins);
      iw_set_u32(&shared->group_places[group], place);
    } else
#endif
    while (count && !FN(try_fold_tiles)(look_back, first, count, &aggregate, &has_head)) iw_pause(&spins);
    OF_T(iw_set)(&shared->group_aggregates[group], aggregate);
  }
}

#undef OWN_ROWS
#undef PLACE_OF_OWN_ROW
#undef INDEX_OF_OWN_ROW
#undef AGGREGATE_STRIDE
#undef PLACE_OF_AGGREGATE
