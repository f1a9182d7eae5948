/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs by key of short arrays on GPUs: the kernel reduce_runs_short. A part of runs_in_tiles.h, whose
 * functions it uses. It has a block for each tile and no tickets, lists no runs, and nothing follows it. A
 * block
 *   1. lists the heads of its tile, stages its elements, and counts itself in while its loads are in flight;
 *   2. publishes the number of heads and the place of the last one. Its warps wait for all tiles before
 *      it, a group each: so it knows where the run began that is across the begin of its tile;
 *   3. reduces the rows that end in its tile of the runs across its begin and its end, then the runs of at
 *      most a row of order 1 that end in the tile, one in each lane, and longer ones inside the tile, one in
 *      each warp, and writes keys and results. The aggregates of rows of a run that ends
 *      in a later tile are published, in state (end of the row - 1) / 128 of row_states. No two of these
 *      rows have the same state, as they are whole rows of 128 elements that do not overlap;
 *   4. if the run across its begin ends in the tile, waits for the aggregates of the run's rows, and folds
 *      them. So the elements of a run that is as long as the array are read by all blocks.
 * A block also reads the key behind its tile, and so knows whether its last run ends with the tile.
 *
 * Forward progress. A block waits for blocks that may not have begun. After SEGMENTS_PATIENCE looks it counts
 * the heads of a tile, or reduces a row, itself: inputs are no outputs, so they are as they were. Nothing is
 * assumed of the order in which blocks run.
 */
static_assert(SEGMENTS_PATIENCE >= 1, "a block reads for itself after so many looks");

/* Where the tile of a block is, after phase 1. */
IW_FN PLACE FN(place_of_short_tile)(const ARGS *args, const SHARED *shared, uint64_t tile)
{
  PLACE place = FN(place_of_tile)(args, args->chunk, tile);
  place.closes = iw_get_u32(&shared->waiting.closes) != 0;
  return place;
}

/* One warp: publishes the number of the tile's heads, `count`, and the place of the last one. */
IW_FN void FN(publish_heads)(const iw_look_back *look_back, const SHARED *shared, uint64_t tile, uint32_t count)
{
  const iw_u32 counts = iw_load_u32(shared->warp_counts, iw_lanes_below(RUN_WARPS));
  const iw_mask with_heads = iw_ballot(iw_ne_u32(counts, iw_splat_u32(0)));
  tile_heads heads = { count, 0 };
  if (with_heads) {
    const unsigned warp = iw_highest(with_heads);
    const uint16_t *const last = shared->begins[warp] + (iw_at_u32(counts, warp) - 1);
    heads.last = iw_at_u32(iw_load_u16(last, iw_lanes_below(1)), 0) + 1;
  }
  publish_tile_heads(look_back, tile, heads);
}

/* Waits for all tiles before this one, a group in each warp. */
IW_FN void FN(wait_for_groups)(const ARGS *args, const iw_look_back *look_back, SHARED *shared, unsigned warp, uint64_t tile)
{
  const uint32_t elements = args->chunk * RUN_WARPS;
  for (uint64_t group = warp; group < IW_RUN_GROUPS; group += RUN_WARPS) {
    const uint64_t first = group * LOOK_BACK_GROUP_TILES, left = tile > first ? tile - first : 0;
    const unsigned count = left < LOOK_BACK_GROUP_TILES ? (unsigned)left : LOOK_BACK_GROUP_TILES;
    tile_heads heads;
    for (unsigned spins = 0, looks = 0; !try_load_heads_of_tiles(look_back, first, count, elements, &heads); iw_pause(&spins))
      if (++looks == SEGMENTS_PATIENCE) {
        heads = count_heads(args, first * elements, (uint64_t)count * elements);
        break;
      }
    iw_set_u64(&shared->waiting.counts[group], heads.count);
    iw_set_u64(&shared->waiting.lasts[group], heads.last);
  }
}

/* The aggregates of up to `rows` rows, at element `at` and every `step` elements behind it. Those from
 * `end` on do not exist, and the last one may have fewer elements. */
#define ROWS_AT_ONCE (8 / (int)sizeof(SCALAR))
#define ROWS_OF_RUN (16 / (int)sizeof(SCALAR)) /* at once, of a run inside a tile */
IW_FN void FN(aggregates_of_rows)(const ARGS *args, uint64_t at, uint64_t step, uint64_t end, SCALAR *aggregates, const unsigned rows)
{
  PENDING pending[ROWS_OF_RUN];
  IW_UNROLL for (unsigned r = 0; r < rows; r++) {
    const uint64_t row = at + r * step, left = row < end ? end - row : 0;
    pending[r] = FN(issue_row)(args, row, left < ROW_ELEMENTS ? (int64_t)left : ROW_ELEMENTS);
  }
  /* Those of rows that do not exist, too: without a branch for each, rows are reduced side by side. */
  IW_UNROLL for (unsigned r = 0; r < rows; r++) aggregates[r] = FN(row_aggregate)(args, pending[r]);
}

/* A warp: the aggregate of the row at element `at`, of at most `valid` elements. */
IW_RARE_FN SCALAR FN(aggregate_of_row)(const ARGS *args, uint64_t at, uint64_t valid)
{
  return FN(row_aggregate)(args, FN(issue_row)(args, at, valid < ROW_ELEMENTS ? (int64_t)valid : ROW_ELEMENTS));
}

/* The fold of the rows of elements begin … end - 1, which are at most RUN_TILE: of rows to tiles, and of
 * these. */
IW_NOINLINE_FN SCALAR FN(fold_run_in_tile)(const ARGS *args, uint64_t begin, uint64_t end)
{
  static_assert(RUN_TILE < TILE * GROUP_TILES, "a run inside a tile has one group at most");
  SCALAR tile = OF_OP(iws_identity)(), all = OF_OP(iws_identity)(), x[ROWS_OF_RUN];
  IW_NO_UNROLL for (uint64_t at = begin; at < end;) {
    FN(aggregates_of_rows)(args, at, ROW_ELEMENTS, end, x, ROWS_OF_RUN);
    IW_UNROLL for (int r = 0; r < ROWS_OF_RUN; r++, at += ROW_ELEMENTS) if (at < end) tile = OF_OP(iws)(tile, x[r]);
    if (at < end && (at - begin) % TILE) continue;
    all = OF_OP(iws)(all, tile);
    tile = OF_OP(iws_identity)();
  }
  return all;
}

/* Reduces runs k + l of the lanes l of `some` that end in their tile, whose first element is `first`. */
IW_FN void FN(reduce_runs_of_rows)(const ARGS *args, uint64_t first, uint64_t k, iw_u32 begin, iw_u32 length, iw_pred some)
{
  const iw_mask long_ones = iw_ballot(iw_and_pred(some, iw_le_u32(length, iw_splat_u32(RUN_TILE))));
  for (iw_mask left = long_ones; left; left &= left - 1) {
    const unsigned lane = iw_lowest(left);
    const uint64_t at = first + iw_at_u32(begin, lane);
    FN(set_result)(args, k + lane, OF_OP(iws)(FN(initial_of)(args).init, FN(fold_run_in_tile)(args, at, at + iw_at_u32(length, lane))));
  }
}

/* Reduces rows from `row` on of the run that begins at `begin`, up to element `end`: those of one warp. They
 * are published, or stored to `rows`. */
IW_FN void FN(reduce_rows)(const ARGS *args, const iw_look_back *look_back, SCALAR *rows, unsigned warp, uint64_t begin, uint64_t row,
                           uint64_t end)
{
  const iw_look_back states = { args->row_states, NULL, look_back->epoch };
  for (uint64_t k = row + warp, at; at = begin + k * ROW_ELEMENTS, at < end; k += RUN_WARPS * ROWS_AT_ONCE) {
    SCALAR x[ROWS_AT_ONCE];
    FN(aggregates_of_rows)(args, at, RUN_WARPS * ROW_ELEMENTS, end, x, ROWS_AT_ONCE);
    IW_UNROLL for (unsigned r = 0; r < ROWS_AT_ONCE; r++) {
      const uint64_t place = k + r * RUN_WARPS, row_end = begin + (place + 1) * ROW_ELEMENTS;
      if (row_end >= end + ROW_ELEMENTS) continue;
      if (rows) OF_T(iw_set)(rows + (place - row), x[r]);
      else OF_T(publish_tile)(&states, (row_end - 1) / ROW_ELEMENTS, TILE_AGGREGATE, x[r]);
    }
  }
}

/* The place in the tile of head `number` of a warp's chunk. */
IW_FN uint32_t FN(head_of_warp)(const SHARED *shared, unsigned warp, uint32_t number)
{
  return iw_at_u32(iw_load_u16(shared->begins[warp] + number, iw_lanes_below(1)), 0);
}

/* Reduces the rows that end in this tile: of the run across its begin, and of that across its end, from the
 * last warp on. If the first has few rows and ends here, its other rows are reduced here, too, which is
 * quicker than to wait for them. before: runs that begin before the tile. */
IW_FN void FN(reduce_rows_across)(const ARGS *args, const iw_look_back *look_back, SHARED *shared, unsigned warp,
                                  const PLACE *place, uint64_t before)
{
  enum { FEW_ROWS = 2 * RUN_WARPS };
  static_assert(FEW_ROWS <= RUN_TILE / ROW_ELEMENTS, "few rows have room");
  const uint64_t last = iw_warp_max_u64(iw_load_u64(shared->waiting.lasts, iw_lanes_below(IW_RUN_GROUPS)));
  const uint64_t end = place->first + place->valid;
  const iw_u32 counts = iw_load_u32(shared->warp_counts, iw_lanes_below(RUN_WARPS));
  const iw_mask with_heads = iw_ballot(iw_ne_u32(counts, iw_splat_u32(0)));
  uint64_t rows = 0, known = 0;
  const uint64_t run_end = with_heads ? place->first + FN(head_of_warp)(shared, iw_lowest(with_heads), 0) : end;
  if (run_end > place->first && place->tile) {
    const uint64_t begin = last - 1;
    const int ends_here = with_heads || place->closes;
    rows = (run_end - begin + (ends_here ? ROW_ELEMENTS - 1 : 0)) / ROW_ELEMENTS;
    known = ends_here && rows <= FEW_ROWS ? 0 : (place->first - begin) / ROW_ELEMENTS;
    if (rows == 1 && ends_here) {
      if (warp == 0)
        FN(set_result)(args, before - 1, OF_OP(iws)(FN(initial_of)(args).init, FN(aggregate_of_row)(args, begin, run_end - begin)));
    } else FN(reduce_rows)(args, look_back, ends_here ? shared->waiting.rows : NULL, warp, begin, known,
                           ends_here ? run_end : begin + rows * ROW_ELEMENTS);
    if (rows == 1 || !ends_here) rows = 0;
  }
  if (with_heads && !place->closes) {
    const unsigned highest = iw_highest(with_heads);
    const uint64_t begin = place->first + FN(head_of_warp)(shared, highest, iw_at_u32(counts, highest) - 1);
    FN(reduce_rows)(args, look_back, NULL, RUN_WARPS - 1 - warp, begin, 0, end - (end - begin) % ROW_ELEMENTS);
  }
  if (warp == 0) {
    iw_set_u64(&shared->waiting.across_rows, rows);
    iw_set_u64(&shared->waiting.across_known, known);
    iw_set_u64(&shared->waiting.across_begin, last - 1);
    iw_set_u64(&shared->waiting.across_run, before - 1);
  }
}

/* If the run across the begin of the tile ends here: folds its rows to tiles of order 1, one in each warp.
 * The rows of earlier tiles are waited for. */
IW_FN void FN(fold_rows_across)(const ARGS *args, const iw_look_back *look_back, SHARED *shared, unsigned warp)
{
  enum { TILE_ROWS = TILE / ROW_ELEMENTS };
  static_assert(TILE_ROWS == IW_WARP_SIZE, "a warp folds a tile of rows");
  const iw_look_back states = { args->row_states, NULL, look_back->epoch };
  const uint64_t rows = iw_get_u64(&shared->waiting.across_rows), known = iw_get_u64(&shared->waiting.across_known);
  const uint64_t begin = iw_get_u64(&shared->waiting.across_begin), first_state = (begin + ROW_ELEMENTS - 1) / ROW_ELEMENTS;
  IW_NO_UNROLL for (uint64_t row = warp * TILE_ROWS; row < rows; row += RUN_WARPS * TILE_ROWS) {
    const uint64_t published = known > row ? known - row : 0;
    const unsigned polled = published < TILE_ROWS ? (unsigned)published : TILE_ROWS;
    const iw_pred some = iw_lanes_below((int64_t)(rows - row)), before = iw_lanes_below(polled);
    IW_JOIN(iw_polled, T) x;
    LANES prefixes;
    iw_mask none;
    for (unsigned spins = 0, looks = 0; !OF_T(try_load_tile_states)(&states, first_state + row, polled, 0, &x, &none); iw_pause(&spins))
      if (++looks == SEGMENTS_PATIENCE) {
        for (unsigned r = 0; r < polled; r++) {
          const SCALAR aggregate = FN(aggregate_of_row)(args, begin + (row + r) * ROW_ELEMENTS, ROW_ELEMENTS);
          x.value = OF_T(iw_select)(iw_eq_u32(iw_lane(), iw_splat_u32(r)), OF_T(iw_splat)(aggregate), x.value);
        }
        break;
      }
    const iw_u32 place = iw_sub_u32(iw_iota_u32((uint32_t)row), iw_splat_u32((uint32_t)known));
    const LANES own = OF_T(iw_gather)(shared->waiting.rows, place, iw_and_pred(some, iw_not_pred(before)));
    const LANES all = OF_T(iw_select)(some, OF_T(iw_select)(before, x.value, own), IDENTITY);
    const SCALAR fold = OF_OP(iw_fold)(OF_OP(iws_identity)(), all, &prefixes);
    if (rows > TILE_ROWS) OF_T(iw_set)(shared->elements + row / TILE_ROWS, fold);
    else FN(set_result)(args, iw_get_u64(&shared->waiting.across_run), OF_OP(iws)(FN(initial_of)(args).init, fold));
  }
}

/* Folds the tiles of such a run, of which there are several, to its result. */
IW_FN void FN(fold_tiles_across)(const ARGS *args, const SHARED *shared)
{
  const uint64_t tiles = tiles_of(iw_get_u64(&shared->waiting.across_rows) * ROW_ELEMENTS);
  LANES prefixes;
  if (tiles < 2) return;
  const SCALAR all = OF_OP(iw_fold)(FN(initial_of)(args).init, FN(fold_groups)(shared->elements, tiles), &prefixes);
  FN(set_result)(args, iw_get_u64(&shared->waiting.across_run), all);
}

/* Phase 1 of one warp: stages rows of the tile in turn with other warps, and lists the heads of its chunk.
 * The last warp looks at the key behind the tile, too. */
IW_FN void FN(load_short_tile)(const ARGS *args, SHARED *shared, unsigned warp, const PLACE *place)
{
  enum { ROWS = IW_RUN_MIN_TILE_BYTES / (int)sizeof(SCALAR) / ROW_ELEMENTS / RUN_WARPS };
  static_assert(ROWS * RUN_WARPS * ROW_ELEMENTS * (int)sizeof(SCALAR) == IW_RUN_MIN_TILE_BYTES, "each warp has as many rows");
  const uint32_t at = warp * args->chunk, row = warp * ROW_ELEMENTS;
  const uint64_t end = place->first + place->valid;
  const int is_last_warp = warp == RUN_WARPS - 1;
  uint32_t last = 0;
  PENDING pending[ROWS];
#define ROW_AT(r) (row + (uint32_t)(r) * RUN_WARPS * ROW_ELEMENTS)
  IW_UNROLL for (int r = 0; r < ROWS; r++)
    pending[r] = FN(issue_row)(args, place->first + ROW_AT(r), ROW_AT(r) < place->valid ? (int64_t)(place->valid - ROW_AT(r)) : 0);
  uint32_t count = list_heads(args->keys, args->key_bytes, place->first + at, is_last_warp && !place->is_last ? end + 1 : end,
                              args->chunk / 32 + is_last_warp, at, shared->begins[warp], &last, 0, 0);
  if (is_last_warp) {
    const int closes = count && last == place->valid;
    count -= (uint32_t)closes;
    iw_set_u32(&shared->waiting.closes, (uint32_t)(closes || place->is_last));
  }
  iw_set_u32(&shared->warp_counts[warp], count);
  IW_UNROLL for (int r = 0; r < ROWS; r++) if (ROW_AT(r) < place->valid) FN(stage_row)(args, shared->elements + ROW_AT(r), pending[r]);
#undef ROW_AT
}

IW_KERNEL_NO_SPECIALIZATION(KERNEL(reduce_runs_short), SHARED, iw_reduce_segments_args, RUN_WARPS * 32, SEGMENTS_WAITING_BLOCKS)
{
  IW_VAR(RUNS, runs);
  IW_PHASE(warp) {
    const PLACE place = FN(place_of_tile)(args, args->chunk, block->index);
    const iw_u64 requested = warp == 0 ? iw_tickets_arrive_request(args->tickets) : iw_splat_u64(0);
    FN(load_short_tile)(args, shared, warp, &place);
    if (warp == 0) {
      int is_last;
      iw_ticket_post(iw_tickets_arrive(args->tickets, requested, &is_last));
    }
  }
  const iw_look_back look_back = { args->tile_states, NULL, iw_ticket_receive() };
  IW_PHASE(warp) {
    const PLACE place = FN(place_of_short_tile)(args, shared, block->index);
    RUNS r = FN(count_runs)(shared, warp, &place);
    r.is_short = 1;
    if (warp == 0) FN(publish_heads)(&look_back, shared, place.tile, r.count);
    FN(wait_for_groups)(args, &look_back, shared, warp, place.tile);
    IW_MY(runs) = r;
  }
  IW_PHASE(warp) {
    const PLACE place = FN(place_of_short_tile)(args, shared, block->index);
    const RUNS r = IW_MY(runs);
    const uint64_t before = iw_warp_sum_u64(iw_load_u64(shared->waiting.counts, iw_lanes_below(IW_RUN_GROUPS)));
    if (warp == 0 && place.is_last) iw_set_u64(args->run_count, before + r.count);
    FN(reduce_rows_across)(args, &look_back, shared, warp, &place, before);
    FN(finish_runs)(block, args, shared, warp, &place, &r, before + r.before, 1);
  }
  IW_PHASE(warp) { FN(fold_rows_across)(args, &look_back, shared, warp); }
  IW_PHASE(warp) { if (warp == 0) FN(fold_tiles_across)(args, shared); }
}

#undef ROWS_AT_ONCE
#undef ROWS_OF_RUN
