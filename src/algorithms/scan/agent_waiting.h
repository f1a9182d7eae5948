/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of short scans on GPUs: a block for each tile, no tickets. Only tiles have states; each block
 * folds the groups before it itself. A part of agent_pipelined.h, whose functions it uses. A block
 *   1. loads and scans the rows of the tile of its index, and counts itself in while its loads are in flight
 *      (iw_tickets_arrive_request);
 *   2. publishes the tile's aggregate, and by its status whether the tile contains a head. Its warps wait
 *      for all tiles before it, a group each, and fold them;
 *   3. adds the prefixes to its rows, which are still in registers, and stores them.
 * So behind the loads there is one access to memory before the stores. The pipelined agent has a ticket in
 * front of the loads, the state of a group behind those of its tiles, and a count of finished blocks.
 *
 * Forward progress. A block waits for blocks that may not have begun. After SCAN_PATIENCE looks it helps: it
 * claims each tile that it misses, computes the tile's aggregate, for which it makes the tile's head bits
 * too, and publishes it in a state beside the tile's own. A tile that another block has claimed is waited
 * for, since that block runs. Aggregates do not depend on who computes them. Nothing is assumed of the order
 * in which blocks run. Outputs must not replace inputs, which another block may read: scan.c chooses the
 * pipelined agent then.
 */

/* Where the head bits of rows are that a warp helps with. */
IW_FN uint32_t *FN(helped_heads)(SHARED *shared, unsigned warp)
{
#if HAS_SEGMENTS
  return shared->helped_heads[warp];
#else
  return NULL;
#endif
}

IW_FN int FN(get_group_head)(const SHARED *shared, unsigned group)
{
#if HAS_SEGMENTS
  return iw_get_u32(&shared->group_heads[group]) != 0;
#else
  return 0;
#endif
}

IW_FN void FN(set_group_head)(SHARED *shared, unsigned group, int has_head)
{
#if HAS_SEGMENTS
  iw_set_u32(&shared->group_heads[group], (uint32_t)has_head);
#endif
}

static_assert(SCAN_PATIENCE >= 1, "a block helps after so many looks");

/* A warp: the aggregate of any tile, and whether it contains a head. heads: HEAD_WORDS_AT_ONCE words. */
IW_NOINLINE_FN SCALAR FN(aggregate_of_tile)(const iw_scan_args *args, uint32_t *heads, uint64_t tile, int *has_head)
{
  enum { ROWS_OF_HEADS = HEAD_WORDS_AT_ONCE * 32 / ROW_ELEMENTS };
  const int64_t valid = (int64_t)(args->n - tile * TILE);
  LANES rows = OF_T(iw_splat)(OF_OP(iws_identity)()), prefixes;
  iw_mask head_rows = 0;
  IW_NO_UNROLL for (int r = 0; r < TILE_ROWS && r * ROW_ELEMENTS < valid; r++) {
    const uint64_t at = tile * TILE + (uint64_t)r * ROW_ELEMENTS;
    if (r % ROWS_OF_HEADS == 0) FN(make_heads)(args, at, HEAD_WORDS_AT_ONCE, heads);
    const PENDING pending = FN(row_issue)(args, (const ELEMENT *)args->in + at, ROW_VALID(valid, r),
                                          FN(row_heads)(heads, (uint64_t)(r % ROWS_OF_HEADS) * ROW_ELEMENTS));
    const SCALAR aggregate = FN(row_last)(FN(scan_pending_row)(args, &pending));
    rows = OF_T(iw_select)(iw_eq_u32(iw_lane(), iw_splat_u32((uint32_t)r)), OF_T(iw_splat)(aggregate), rows);
    head_rows |= (iw_mask)FN(row_has_head)(pending.heads) << r;
  }
  *has_head = head_rows != 0;
  return FOLD(OF_OP(iws_identity)(), rows, head_rows, &prefixes);
}

/* A warp: the aggregate of a tile, and whether it contains a head, if they are published in its state of
 * `states`. */
IW_FN int FN(find_aggregate)(const uint64_t *states, const iw_look_back *look_back, uint64_t tile,
                             SCALAR *aggregate, int *has_head)
{
  const IW_JOIN(iw_polled, T) state = OF_T(iw_poll)(states, (int64_t)tile, 0, 1);
  const uint32_t flag = iw_at_u32(state.flag, 0);
  *aggregate = OF_T(iw_at)(state.value, 0);
  *has_head = HAS_SEGMENTS && flag == tile_flag(look_back, TILE_INCLUSIVE);
  return *has_head || flag == tile_flag(look_back, TILE_AGGREGATE);
}

/* A warp: the aggregate of a tile whose block may not have begun, and whether it contains a head. The states
 * of helpers stand in place of those of groups, and behind them a word for each tile, in which a helper
 * leaves its claim. */
IW_NOINLINE_FN SCALAR FN(help_tile)(const iw_block *block, const iw_scan_args *args, uint32_t *heads,
                                    const iw_look_back *look_back, uint64_t tile, int *has_head)
{
  const iw_look_back helpers = { look_back->group_states, NULL, look_back->epoch };
  uint64_t *const claims = look_back->group_states + args->tiles * IW_TILE_STATE_WORDS(sizeof(SCALAR));
  SCALAR aggregate;
  if (FN(find_aggregate)(look_back->tile_states, look_back, tile, &aggregate, has_head)) return aggregate;
  const uint64_t claim = tile_flag(look_back, 0); /* no state of any launch has it */
  const uint64_t claimed = iw_at_u64(iw_global_exchange_u64(block, claims, iw_splat_u32((uint32_t)tile),
                                                            iw_splat_u64(claim), iw_lanes_below(1)), 0);
  if (claimed != claim) {
    aggregate = FN(aggregate_of_tile)(args, heads, tile, has_head);
    OF_T(publish_tile)(&helpers, tile, tile_status(*has_head), aggregate);
    return aggregate;
  }
  for (unsigned spins = 0; !FN(find_aggregate)(helpers.tile_states, look_back, tile, &aggregate, has_head); iw_pause(&spins))
    if (FN(find_aggregate)(look_back->tile_states, look_back, tile, &aggregate, has_head)) break;
  return aggregate;
}

/* A warp: the fold of `count` tiles of one group, and whether one of them contains a head. heads: as of
 * aggregate_of_tile. */
IW_FN SCALAR FN(wait_for_tiles)(const iw_block *block, const iw_scan_args *args, uint32_t *heads,
                                const iw_look_back *look_back, uint64_t first, unsigned count, int *has_head)
{
  SCALAR fold = OF_OP(iws_identity)();
  *has_head = 0;
  for (unsigned spins = 0, looks = 0; !FN(try_fold_tiles)(look_back, first, count, &fold, has_head);
       iw_pause(&spins))
    if (++looks == SCAN_PATIENCE) {
      for (unsigned t = 0; t < count; t++) {
        int in_tile;
        const SCALAR aggregate = FN(help_tile)(block, args, heads, look_back, first + t, &in_tile);
        fold = FN(combine)(fold, in_tile, aggregate);
        *has_head |= in_tile;
      }
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
  if (warp == 0) FN(publish_tile)(FN(heads_of_stage)(shared, 0, 0), shared, round, 0);
  /* Warp 0 has done something else, and comes last. */
  for (unsigned k = WARPS - 1 - warp; k <= group; k += WARPS) {
    int has_head;
    const SCALAR fold = FN(wait_for_tiles)(block, args, FN(helped_heads)(shared, warp), &round.look_back,
                                           (uint64_t)(group - k) * GROUP_TILES, k ? GROUP_TILES : round.tile % GROUP_TILES,
                                           &has_head);
    OF_T(iw_set)(&shared->group_folds[group - k], fold);
    FN(set_group_head)(shared, group - k, has_head);
  }
}

/* Phase 3. */
IW_FN void FN(finish_own_tile)(const iw_scan_args *args, SHARED *shared, FN(round) round, unsigned warp, const ROW *rows)
{
  const unsigned group = round.tile / GROUP_TILES;
  const uint32_t head_rows = FN(get_head_rows)(shared, 0, 0);
  CARRY_IN carry = { round.tile, OF_T(iw_get)(&shared->group_folds[group]), FN(init)(args) };
  for (unsigned g = 0; g < group; g++)
    carry.group_prefix = FN(combine)(carry.group_prefix, FN(get_group_head)(shared, g), OF_T(iw_get)(&shared->group_folds[g]));
  if (FN(get_group_head)(shared, group)) carry.group_prefix = OF_OP(iws_identity)();
  if (warp == 0 && round.tile + 1 == round.end_tile) {
    const SCALAR of_group = FN(combine)(carry.tile_prefix, head_rows != 0, OF_T(iw_get)(&shared->tile_aggregate[0][0]));
    FN(set_result)(args, 0, FN(combine)(carry.group_prefix, head_rows != 0, of_group));
  }
  const uint64_t at = round.place.at + warp * CHUNK;
  const int64_t valid = (int64_t)(round.place.end - at);
  const int whole = valid >= CHUNK && FN(can_vectorize_outputs)(args, at);
  IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++) {
    if (k * ROW_ELEMENTS >= valid) continue;
    const unsigned row_of_tile = warp * CHUNK_ROWS + (unsigned)k;
    const HEADS heads = FN(row_heads)(FN(heads_of_stage)(shared, 0, row_of_tile * ROW_ELEMENTS), 0);
    FN(finish_row)(args, &carry, (head_rows & (((uint32_t)1 << row_of_tile) - 1)) != 0,
                   OF_T(iw_get)(&shared->row_prefixes[0][row_of_tile]), rows[k], heads, at + (uint64_t)k * ROW_ELEMENTS, 0,
                   whole ? IW_FULL_ROW : ROW_VALID(valid, k), (int)args->exclusive, NULL);
  }
}
