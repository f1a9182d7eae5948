/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of short partitions on GPUs: a block for each tile, no tickets, and short tiles, so that many
 * multiprocessors have one. Only tiles have states. A part of agent_staged.h, whose functions it uses. A
 * block
 *   1. loads and flags the tile of its index, and counts itself in while its loads are in flight
 *      (iw_tickets_arrive_request);
 *   2. publishes how many elements are selected, and for runs the place of the last head;
 *   3. packs the tile in shared memory. Its warps wait for all tiles before it, a group each, and if rejected
 *      elements go behind the selected ones for all others, too: no launch has to count them before;
 *   4. stores the packed tile.
 *
 * Forward progress. A block waits for blocks that may not have begun. After PARTITION_PATIENCE looks it
 * counts the tiles that it misses itself: inputs are no outputs, so they are as they were. Nothing is assumed
 * of the order in which blocks run.
 */
static_assert(PARTITION_PATIENCE >= 1, "a block counts for itself after so many looks");
static_assert((int)IW_PARTITION_WAITED_TILES == (int)IW_PARTITION_WAITED_GROUPS * (int)LOOK_BACK_GROUP_TILES, "groups are whole");
static_assert((int)IW_PARTITION_WAITED_GROUPS <= (int)IW_WARP_SIZE && TILE < 1 << 16, "a warp adds up groups; states hold a tile's count");

/* Phase 2, one warp. */
IW_FN void FN(publish_own)(const iw_look_back *look_back, SHARED *shared, uint64_t tile)
{
  const iw_pred some = iw_lanes_below(PARTITION_WARPS);
  const iw_u32 counts = iw_load_u32(shared->warp_counts, some);
  tile_heads own = { iw_warp_sum_u32(counts), 0 };
#ifdef RUN_LENGTHS
  own.last = iw_warp_max_u32(iw_load_u32(shared->warp_lasts, some));
#endif
  publish_tile_heads(look_back, tile, own);
  iw_set_u32(&shared->selected[0], (uint32_t)own.count);
  iw_store_u32(shared->warp_offsets, iw_exclusive_prefix_sum_u32(counts), some);
}

/* One warp: counts a tile whose block may not have begun. */
IW_NOINLINE_FN tile_heads FN(count_tile)(const iw_partition_args *args, uint64_t tile)
{
  tile_heads found = { 0, 0 };
  IW_NO_UNROLL for (unsigned warp = 0; warp < PARTITION_WARPS; warp++) {
    ROW_VIEW rows[CHUNK_ROWS];
    FLAG_SET flags[FLAG_SETS];
    iw_count_accumulator count = { 0 };
    FN(flag_chunk)(args, tile * TILE + warp * CHUNK, 0, rows, flags, &count);
    found.count += iw_count_total(count);
#ifdef RUN_LENGTHS
    const uint32_t last = FN(last_head)(flags, warp);
    if (last) found.last = tile * TILE + last;
#endif
  }
  return found;
}

/* One warp: the selected elements of the tiles first … end - 1 of a group, and the index behind the last. */
IW_FN tile_heads FN(wait_for_tiles)(const iw_partition_args *args, const iw_look_back *look_back, uint64_t first, uint64_t end)
{
  tile_heads found = { 0, 0 };
  if (first >= end) return found;
  for (unsigned spins = 0, looks = 0; !try_load_heads_of_tiles(look_back, first, (unsigned)(end - first), TILE, &found); iw_pause(&spins))
    if (++looks == PARTITION_PATIENCE) {
      for (uint64_t tile = first; tile < end; tile++) {
        tile_heads of_tile;
        if (!try_load_heads_of_tiles(look_back, tile, 1, TILE, &of_tile)) of_tile = FN(count_tile)(args, tile);
        found.count += of_tile.count;
        if (of_tile.last) found.last = of_tile.last;
      }
      break;
    }
  return found;
}

/* Phase 3: waits for groups, one in each warp. */
IW_FN void FN(wait_for_groups)(const iw_partition_args *args, const iw_look_back *look_back, SHARED *shared, unsigned warp, uint64_t tile)
{
  for (unsigned group = warp; group < IW_PARTITION_WAITED_GROUPS; group += PARTITION_WARPS) {
    const uint64_t first = group * (uint64_t)LOOK_BACK_GROUP_TILES, end = first + LOOK_BACK_GROUP_TILES;
    const tile_heads before = FN(wait_for_tiles)(args, look_back, first, end < tile ? end : tile);
    iw_set_u64(&shared->before[group], before.count);
#ifdef RUN_LENGTHS
    iw_set_u64(&shared->lasts[group], before.last);
#else
    const uint64_t tiles = (args->n + TILE - 1) / TILE;
    if (args->block_counts)
      iw_set_u64(&shared->others[group], FN(wait_for_tiles)(args, look_back, first < tile ? tile : first, end < tiles ? end : tiles).count);
#endif
  }
}

/* Phase 4: what was found of other tiles. */
IW_FN partition_carry FN(carry_of)(const iw_partition_args *args, const SHARED *shared)
{
  const iw_pred groups = iw_lanes_below(IW_PARTITION_WAITED_GROUPS);
  partition_carry carry = { iw_warp_sum_u64(iw_load_u64(shared->before, groups)), 0, 0 };
#ifdef RUN_LENGTHS
  carry.last = iw_warp_max_u64(iw_load_u64(shared->lasts, groups));
#else
  if (args->block_counts) carry.all = carry.before + iw_warp_sum_u64(iw_load_u64(shared->others, groups));
#endif
  return carry;
}

IW_KERNEL_NO_SPECIALIZATION(KERNEL, SHARED, ARGS, PARTITION_WARPS * 32, PARTITION_SHORT_BLOCKS)
{
  const iw_partition_args *const move = PARTITION_OF(args);
  const uint64_t tile = block->index;
  /* The stages of both rounds are stage 0. */
  const partition_round pack = { tile, tile, 0, 1, 0 }, store = { tile, tile, 1, 0, 1 };
  IW_VAR_ARRAY(FLAG_SET, flag_bits, FLAG_SETS);
  IW_VAR_ARRAY(ROW_VIEW, rows, CHUNK_ROWS);
  IW_PHASE(warp) {
    const iw_u64 requested = warp == 0 ? iw_tickets_arrive_request(move->tickets) : iw_splat_u64(0);
    FN(flag_tile)(move, shared, tile, warp, IW_MY(rows), IW_MY(flag_bits));
    if (warp == 0) {
      int is_last;
      iw_ticket_post(iw_tickets_arrive(move->tickets, requested, &is_last));
    }
  }
  const iw_look_back look_back = { move->tile_states, NULL, iw_ticket_receive() };
  IW_PHASE(warp) { if (warp == 0) FN(publish_own)(&look_back, shared, tile); }
  IW_PHASE(warp) {
    FN(pack_tile)(move, shared, warp, &pack, IW_MY(rows), IW_MY(flag_bits));
    FN(wait_for_groups)(move, &look_back, shared, warp, tile);
  }
  IW_PHASE(warp) { FN(store_tile)(args, &look_back, shared, warp, &store, FN(carry_of)(move, shared)); }
}
