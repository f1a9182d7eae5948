/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of short scans on GPUs: a block for each tile, no tickets. Only tiles have states; each block
 * folds the groups before it itself. A part of agent_pipelined.h, whose functions it uses. A block
 *   1. loads and scans the rows of the tile of its index, and counts itself in while its loads are in flight
 *      (iw_tickets_arrive_request);
 *   2. publishes the tile's aggregate. Its warps wait for all tiles before it, a group each, and fold them;
 *   3. adds the prefixes to its rows, which are still in registers, and stores them.
 * So behind the loads there is one access to memory before the stores. The pipelined agent has a ticket in
 * front of the loads, the state of a group behind those of its tiles, and a count of finished blocks.
 *
 * Forward progress. A block waits for blocks that may not have begun. After SCAN_PATIENCE looks it helps: it
 * claims each tile that it misses, computes the tile's aggregate and publishes it in a state beside the
 * tile's own. A tile that another block has claimed is waited for, since that block runs. Aggregates do not
 * depend on who computes them. Nothing is assumed of the order in which blocks run. Outputs must not replace
 * inputs, which another block may read: scan.c chooses the pipelined agent then.
 */

/* A warp: the aggregate of any tile. */
IW_NOINLINE_FN SCALAR FN(aggregate_of_tile)(const iw_scan_args *args, uint64_t tile)
{
  const int64_t valid = (int64_t)(args->n - tile * TILE);
  LANES rows = OF_T(iw_splat)(OF_OP(iws_identity)()), prefixes;
  IW_NO_UNROLL for (int r = 0; r < TILE_ROWS && r * ROW_ELEMENTS < valid; r++) {
    const uint64_t at = tile * TILE + (uint64_t)r * ROW_ELEMENTS;
    const PENDING pending = FN(row_issue)(args, (const ELEMENT *)args->in + at, ROW_VALID(valid, r), FN(row_heads)(args->heads, at));
    const SCALAR aggregate = FN(row_last)(FN(scan_pending_row)(args, &pending));
    rows = OF_T(iw_select)(iw_eq_u32(iw_lane(), iw_splat_u32((uint32_t)r)), OF_T(iw_splat)(aggregate), rows);
  }
  return OF_OP(iw_fold)(OF_OP(iws_identity)(), rows, &prefixes);
}

/* A warp: the aggregate of a tile, if it is published in its state of `states`. */
IW_FN int FN(find_aggregate)(const uint64_t *states, const iw_look_back *look_back, uint64_t tile,
                             SCALAR *aggregate)
{
  const IW_JOIN(iw_polled, T) state = OF_T(iw_poll)(states, (int64_t)tile, 0, 1);
  *aggregate = OF_T(iw_at)(state.value, 0);
  return iw_at_u32(state.flag, 0) == tile_flag(look_back, TILE_AGGREGATE);
}

/* A warp: the aggregate of a tile whose block may not have begun. The states of helpers stand in place of
 * those of groups, and behind them a word for each tile, in which a helper leaves its claim. */
IW_NOINLINE_FN SCALAR FN(help_tile)(const iw_block *block, const iw_scan_args *args,
                                    const iw_look_back *look_back, uint64_t tile)
{
  const iw_look_back helpers = { look_back->group_states, NULL, look_back->epoch };
  uint64_t *const claims = look_back->group_states + args->tiles * IW_TILE_STATE_WORDS(sizeof(SCALAR));
  SCALAR aggregate;
  if (FN(find_aggregate)(look_back->tile_states, look_back, tile, &aggregate)) return aggregate;
  const uint64_t claim = tile_flag(look_back, 0); /* no state of any launch has it */
  const uint64_t claimed = iw_at_u64(iw_global_exchange_u64(block, claims, iw_splat_u32((uint32_t)tile),
                                                            iw_splat_u64(claim), iw_lanes_below(1)), 0);
  if (claimed != claim) {
    aggregate = FN(aggregate_of_tile)(args, tile);
    OF_T(publish_tile)(&helpers, tile, TILE_AGGREGATE, aggregate);
    return aggregate;
  }
  for (unsigned spins = 0; !FN(find_aggregate)(helpers.tile_states, look_back, tile, &aggregate); iw_pause(&spins))
    if (FN(find_aggregate)(look_back->tile_states, look_back, tile, &aggregate)) break;
  return aggregate;
}

/* A warp: the fold of `count` tiles of one group. */
IW_FN SCALAR FN(wait_for_tiles)(const iw_block *block, const iw_scan_args *args,
                                const iw_look_back *look_back, uint64_t first, unsigned count)
{
  SCALAR fold = OF_OP(iws_identity)();
  int has_head;
  for (unsigned spins = 0, looks = 0; !FN(try_fold_tiles)(look_back, first, count, &fold, &has_head);
       iw_pause(&spins))
    if (++looks == SCAN_PATIENCE) {
      for (unsigned t = 0; t < count; t++) fold = OF_OP(iws)(fold, FN(help_tile)(block, args, look_back, first + t));
      break;
    }
  return fold;
}

/* Phase 1. The block of the tile has one round: everything in it is at place 0. */
IW_FN void FN(scan_own_tile)(iw_block *block, const iw_scan_args *args, SHARED *shared, FN(round) round, unsigned warp, ROW *rows,
                             iw_inside_a_phase iw_here_)
{
  const iw_u64 requested = warp == 0 ? iw_tickets_arrive_request(args->tickets) : iw_splat_u64(0);
  FN(load_chunk)(args, shared, round, warp, rows);
  if (warp == 0) {
    int is_last;
    iw_ticket_post(iw_tickets_arrive(args->tickets, requested, &is_last));
  }
}

/* Phase 2. */
IW_FN void FN(publish_and_wait)(const iw_block *block, const iw_scan_args *args, SHARED *shared, FN(round) round, unsigned warp)
{
  const unsigned group = round.tile / GROUP_TILES;
  if (warp == 0) FN(publish_tile)(args, shared, round, 0);
  /* Warp 0 has done something else, and comes last. */
  for (unsigned k = WARPS - 1 - warp; k <= group; k += WARPS) {
    const SCALAR fold = FN(wait_for_tiles)(block, args, &round.look_back, (uint64_t)(group - k) * GROUP_TILES,
                                           k ? GROUP_TILES : round.tile % GROUP_TILES);
    OF_T(iw_set)(&shared->group_folds[group - k], fold);
  }
}

/* Phase 3. */
IW_FN void FN(finish_own_tile)(const iw_scan_args *args, SHARED *shared, FN(round) round, unsigned warp, const ROW *rows)
{
  const unsigned group = round.tile / GROUP_TILES;
  CARRY_IN carry = { round.tile, OF_T(iw_get)(&shared->group_folds[group]), FN(init)(args) };
  for (unsigned g = 0; g < group; g++) carry.group_prefix = OF_OP(iws)(carry.group_prefix, OF_T(iw_get)(&shared->group_folds[g]));
  if (warp == 0 && round.tile + 1 == round.end_tile)
    FN(set_result)(args, OF_OP(iws)(carry.group_prefix, OF_OP(iws)(carry.tile_prefix, OF_T(iw_get)(&shared->tile_aggregate[0][0]))));
  const uint64_t at = round.place.at + warp * CHUNK;
  const int64_t valid = (int64_t)(round.place.end - at);
  const int whole = valid >= CHUNK && FN(can_vectorize_outputs)(args, at);
  IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++) {
    if (k * ROW_ELEMENTS >= valid) continue;
    const SCALAR row_prefix = OF_T(iw_get)(&shared->row_prefixes[0][warp * CHUNK_ROWS + (unsigned)k]);
    const uint64_t row = at + (uint64_t)k * ROW_ELEMENTS;
    FN(finish_row)(args, &carry, 0, row_prefix, rows[k], FN(row_heads)(args->heads, row), row, 0,
                   whole ? IW_FULL_ROW : ROW_VALID(valid, k), (int)args->exclusive, NULL);
  }
}
