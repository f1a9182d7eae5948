/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of short reductions on GPUs, of up to IW_REDUCE_WAITED_TILES tiles, or IW_FIND_WAITED_TILES
 * for an index, without tickets and look-back. A part of agent_pipelined.h, whose functions it uses. Each
 * block has a tile, or of many tiles two (args->waits), and publishes their aggregates. The last block to
 * begin folds all of them: it waits for the tile states of the others, all of which run by then. That takes
 * one access to memory behind the loads, where storing, counting finished blocks and loading take three. A
 * block counts itself in while its loads are in flight. If an index is wanted, a block publishes where its
 * tile's minimum is first, too, in a second state (doc/design/scan.md#reductions).
 *
 * The rows of a matrix (args->columns) have a block each, which stores the result of its row.
 */

#ifndef ISOWARP_AGENT_LAST_BLOCK_H
#define ISOWARP_AGENT_LAST_BLOCK_H
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

/* Rows of a tile that a warp has. All warps have rows in turn, so that each has some of a short row of a
 * matrix. */
#define OWN_ROWS (TILE_ROWS / WARPS)
#define PLACE_OF_OWN_ROW(r) ((r) * WARPS * ROW_ELEMENTS)
#define INDEX_OF_OWN_ROW(r) ((unsigned)(r) * WARPS + warp)
static_assert(OWN_ROWS * WARPS == TILE_ROWS, "a warp has whole rows of its block's tile");
#define IS_LAST ((uint32_t)1 << 31)

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

/* Where the least of the aggregates of the warp's rows of a tile is first in the first row that has it. The
 * row is selected in registers. */
IW_FN uint32_t FN(place_in_own_rows)(const iw_scan_args *args, const PENDING rows[OWN_ROWS], const SCALAR aggregates[OWN_ROWS])
{
  SCALAR least = aggregates[OWN_ROWS - 1];
  PENDING first = rows[OWN_ROWS - 1];
  IW_UNROLL for (int r = OWN_ROWS - 2; r >= 0; r--) least = OF_OP(iws)(aggregates[r], least);
  IW_UNROLL for (int r = OWN_ROWS - 2; r >= 0; r--)
    if (FN(equal)(OF_T(iw_splat)(aggregates[r]), least, iw_lanes_below(1)) & 1) first = rows[r];
  return FN(place_in_row)(args, first, least);
}

/* One warp, after the rows of the block's tile number t: where its aggregate is first in it. */
IW_FN uint32_t FN(place_in_tile)(const SHARED *shared, unsigned t, SCALAR aggregate)
{
  static_assert(TILE_ROWS == IW_WARP_SIZE, "a lane looks at a row");
  const iw_mask rows = FN(equal)(OF_T(iw_load)(shared->own_rows + t * TILE_ROWS, iw_lanes_below(TILE_ROWS)), aggregate,
                                 iw_lanes_below(TILE_ROWS));
  return iw_lowest(rows) * ROW_ELEMENTS + iw_get_u32(&shared->row_places[t][iw_lowest(rows) % WARPS]);
}
#endif

/* Phase 1: the aggregates of the warp's rows. Warp 0 posts the epoch, with IS_LAST in the block that
 * arrives last. */
IW_FN void FN(reduce_own_rows)(iw_block *block, const iw_scan_args *args, SHARED *shared, unsigned warp, iw_inside_a_phase iw_here_)
{
  const uint64_t first = block->index * (args->columns ? args->columns : args->waits * TILE), at = first + warp * ROW_ELEMENTS;
  const int64_t valid = (int64_t)((args->columns ? first + args->columns : args->n) - at);
  const ELEMENT *const in = (const ELEMENT *)args->in + at;
  const int tiles = args->waits == 2 ? OWN_TILES : 1;
  PENDING rows[OWN_TILES][OWN_ROWS];
  const int arrives = warp == 0 && !args->columns;
  const iw_u64 requested = arrives ? iw_tickets_arrive_request(args->tickets) : iw_splat_u64(0);
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
  if (arrives) {
    int is_last;
    const uint32_t epoch = iw_tickets_arrive(args->tickets, requested, &is_last);
    iw_ticket_post(epoch | (is_last ? IS_LAST : 0));
  }
  IW_UNROLL for (int t = 0; t < OWN_TILES; t++) {
    if (t >= tiles) break;
    SCALAR aggregates[OWN_ROWS];
    IW_UNROLL for (int r = 0; r < OWN_ROWS; r++) aggregates[r] = FN(row_aggregate)(args, rows[t][r]);
    IW_UNROLL for (int r = 0; r < OWN_ROWS; r++) OF_T(iw_set)(&shared->own_rows[t * TILE_ROWS + INDEX_OF_OWN_ROW(r)], aggregates[r]);
#ifdef MINIMUM
    if (args->first_index) iw_set_u32(&shared->row_places[t][warp], FN(place_in_own_rows)(args, rows[t], aggregates));
#endif
  }
}

/* Phase 2 of a row of a matrix, one warp: its result. */
IW_FN void FN(set_result_of_row)(const iw_block *block, const iw_scan_args *args, SHARED *shared)
{
  FN(set_result)(args, block->index, OF_OP(iws)(FN(init)(args), FN(fold_rows)(shared->own_rows, args->columns, 0)));
}

/* Phase 2, one warp: publishes the block's tile number t, if it exists. */
IW_FN void FN(publish_own_tile)(const iw_block *block, const iw_scan_args *args, const iw_look_back *look_back, SHARED *shared,
                                unsigned t)
{
  const uint64_t tile = block->index * args->waits + t;
  if (tile >= args->tiles) return;
  const SCALAR aggregate = FN(fold_rows)(shared->own_rows + t * TILE_ROWS, args->n - tile * TILE, 0);
  OF_T(publish_tile)(look_back, tile, TILE_AGGREGATE, aggregate);
#ifdef MINIMUM
  const iw_look_back of_places = { look_back->group_states, NULL, look_back->epoch };
  if (args->first_index) publish_tile_u32(&of_places, tile, TILE_AGGREGATE, FN(place_in_tile)(shared, t, aggregate));
#endif
}

/* The tiles of a group. */
IW_FN unsigned FN(tiles_of_group)(const iw_scan_args *args, unsigned group)
{
  const uint64_t first = (uint64_t)group * GROUP_TILES, left = first < args->tiles ? args->tiles - first : 0;
  return left < GROUP_TILES ? (unsigned)left : GROUP_TILES;
}

/* Phase 2 of the last block: copies the aggregates of all tiles to shared memory, when they are published. A
 * warp has every WARPS-th group, and polls AT_ONCE of them together. Of a group's tiles those that are not
 * there are the identity. */
IW_FN void FN(collect_tiles)(const iw_scan_args *args, const iw_look_back *look_back, SHARED *shared, unsigned warp)
{
  enum { AT_ONCE = 16 / sizeof(SCALAR) };
  const iw_u32 place = iw_mul(iw_lane(), iw_splat((uint32_t)STRIDE_IN_GROUP));
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
      OF_T(iw_scatter)(shared->tile_aggregates + group, place, OF_T(iw_select)(some, states[k].value, OF_T(iw_splat)(OF_OP(iws_identity)())), all);
    }
#ifdef MINIMUM
    if (!args->first_index) continue;
    const iw_look_back of_places = { look_back->group_states, NULL, look_back->epoch };
    iw_polled_u32 places[AT_ONCE];
    IW_UNROLL for (unsigned k = 0; k < AT_ONCE; k++) {
      const unsigned group = first + k * WARPS;
      places[k] = iw_poll_u32(of_places.tile_states, (int64_t)group * GROUP_TILES, 0, (int)FN(tiles_of_group)(args, group));
    }
    IW_UNROLL for (unsigned k = 0; k < AT_ONCE; k++) {
      const unsigned group = first + k * WARPS, count = FN(tiles_of_group)(args, group);
      const iw_pred some = iw_lanes_below(count);
      if (!count) break;
      for (unsigned spins = 0; !iw_all(iw_or_pred(iw_not_pred(some), have_status(&of_places, places[k].flag, TILE_AGGREGATE)));) {
        iw_pause(&spins);
        places[k] = iw_poll_u32(of_places.tile_states, (int64_t)group * GROUP_TILES, 0, (int)count);
      }
      iw_scatter_u32(shared->tile_places + group, place, places[k].value, some);
    }
#endif
  }
}

#ifdef MINIMUM
/* The last block, one warp: stores where the result is first in the array: in this group of tiles. */
IW_FN void FN(set_first_index)(const iw_scan_args *args, const SHARED *shared, unsigned group, SCALAR result)
{
  const iw_pred some = iw_lanes_below(FN(tiles_of_group)(args, group));
  const iw_u32 place = iw_mul(iw_lane(), iw_splat((uint32_t)STRIDE_IN_GROUP));
  const LANES of_tiles = OF_T(iw_gather)(shared->tile_aggregates + group, place, some);
  const unsigned t = iw_lowest(FN(equal)(of_tiles, result, some));
  iw_set_u64(args->first_index, args->begin + ((uint64_t)group * GROUP_TILES + t) * TILE
             + iw_get_u32(&shared->tile_places[t * STRIDE_IN_GROUP + group]));
}
#endif

/* Phase 3 of the last block, one warp: a lane folds a group, and the warp the groups. */
IW_FN void FN(fold_tiles)(const iw_scan_args *args, const SHARED *shared)
{
  const unsigned groups = (unsigned)((args->tiles + GROUP_TILES - 1) / GROUP_TILES);
  const LANES identity = OF_T(iw_splat)(OF_OP(iws_identity)());
  LANES folds[MOST_GROUPS / 32], prefixes;
  SCALAR result = FN(init)(args);
  IW_UNROLL for (unsigned v = 0; v < MOST_GROUPS / 32; v++) {
    const iw_pred some = iw_lanes_below((int64_t)groups - 32 * v);
    if (32 * v >= groups) break;
    folds[v] = identity;
    IW_UNROLL for (unsigned t = 0; t < GROUP_TILES; t++)
      folds[v] = OF_OP(iw)(folds[v], OF_T(iw_load)(shared->tile_aggregates + t * STRIDE_IN_GROUP + 32 * v, some));
    folds[v] = OF_T(iw_select)(some, folds[v], identity);
    result = OF_OP(iw_fold)(result, folds[v], &prefixes);
  }
#ifdef MINIMUM
  const int is_of_init = args->first_index && args->init_ptr && (FN(equal)(OF_T(iw_splat)(FN(init)(args)), result, iw_lanes_below(1)) & 1);
  if (args->first_index && !is_of_init) IW_UNROLL for (unsigned v = 0; v < MOST_GROUPS / 32; v++) {
    const iw_mask equal = 32 * v < groups ? FN(equal)(folds[v], result, iw_lanes_below((int64_t)groups - 32 * v)) : 0;
    if (!equal) continue;
    FN(set_first_index)(args, shared, 32 * v + iw_lowest(equal), result);
    break;
  }
#endif
  FN(set_result)(args, 0, result);
}

#undef OWN_ROWS
#undef PLACE_OF_OWN_ROW
#undef INDEX_OF_OWN_ROW
