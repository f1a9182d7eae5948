/* SPDX-License-Identifier: Apache-2.0
 *
 * Run lengths in one pass on GPUs: what the staged agent (agent_staged.h, which includes this file and
 * has its macros) does otherwise for run heads. The heads' places in the tile are staged beside the heads. A
 * head ends the run before it and writes that run's length, and the last tile writes the length of
 * the last run. A tile's state holds the number of its heads and the place of the last one, and groups have
 * a second state, the index of their last head (common/look_back.h): so a tile's first head knows where the
 * run before it began. "Behind a head" is the next place or index, so that 0 says that there is no head.
 * Reductions by key take the indices of heads in place of lengths (args->begins).
 */

/* The place behind the last head of a warp's chunk in its tile, or 0. */
IW_FN uint32_t FN(last_head)(const FLAG_SET *flags, unsigned warp)
{
  iw_u32 last = iw_splat_u32(0);
  IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += IW_FLAG_SET_ROWS) {
    const iw_u32 own = OF_T(iw_row_last_flags)(&flags[k / IW_FLAG_SET_ROWS], FLAG_SET_ROWS(k)), zero = iw_splat_u32(0);
    last = iw_max_u32(last, iw_select_u32(iw_eq_u32(own, zero), zero, iw_add_u32(own, iw_splat_u32((uint32_t)(k * IW_ROW(T))))));
  }
  const uint32_t place = iw_warp_max_u32(last);
  return place ? warp * CHUNK + place : 0;
}

#ifndef SHORT
/* Publishes the heads of the new tile, and looks back for the older one, as other partitions do. */
IW_FN void FN(publish_and_look_back)(const ARGS *args, const iw_look_back *look_back, SHARED *shared, unsigned warp,
                                     const partition_round *r)
{
  const iw_look_back lasts = { look_back->tile_states, args->last_states, look_back->epoch };
  const uint64_t tile = r->tile;
  if (r->loading && warp == 0) {
    const iw_pred some = iw_lanes_below(PARTITION_WARPS);
    const iw_u32 counts = iw_load_u32(shared->warp_counts, some);
    const tile_heads own = { iw_warp_sum_u32(counts), iw_warp_max_u32(iw_load_u32(shared->warp_lasts, some)) };
    publish_tile_heads(look_back, tile, own);
    iw_set_u32(&shared->selected[r->round % PARTITION_STAGES], (uint32_t)own.count);
    iw_store_u32(shared->warp_offsets, iw_exclusive_prefix_sum_u32(counts), some);
    if (ends_group(tile)) {
      const tile_heads before = wait_tile_heads(look_back, tile, TILE);
      publish_group_counts(look_back, tile, TILE_AGGREGATE, before.count + own.count);
      publish_group_counts(&lasts, tile, TILE_AGGREGATE, own.last ? tile * TILE + own.last : before.last);
    }
  }
  if (r->finishing && warp == PARTITION_WARPS / 2) {
    const tile_heads before = wait_tile_heads(look_back, r->done, TILE);
    iw_set_u64(&shared->tile_prefix, before.count);
    iw_set_u64(&shared->tile_last, before.last);
  }
  if (r->finishing && warp == PARTITION_WARPS - 1) iw_set_u64(&shared->group_prefix, wait_group_counts(look_back, r->done));
  if (r->finishing && warp == PARTITION_WARPS / 4) iw_set_u64(&shared->group_last, wait_group_last(&lasts, r->done));
}

#endif

/* Writes the lengths of the runs that the heads of a tile end, or the indices of these heads. before: the
 * heads before the tile; last: behind the last of them. */
IW_FN void FN(store_lengths)(const ARGS *args, const uint16_t *places, uint64_t begin, uint32_t count, uint64_t before,
                             uint64_t last, unsigned warp)
{
  /* Runs that begin in the tile, and for lengths end there. */
  const int64_t inner = (int64_t)count - !args->begins;
  const uint64_t base = args->begins ? begin : 0;
  const uint64_t line = args->lengths_width == 4 ? (uintptr_t)args->lengths / 4 : (uintptr_t)args->lengths / 8;
  /* Each warp's stores begin at a multiple of 32 lengths in memory, so that i is negative at first. Places
   * are gathered, since there are none before the first. */
  IW_NO_UNROLL for (int64_t i = (int64_t)(warp * 32) - (int64_t)((line + before) % 32); i < inner; i += PARTITION_WARPS * 32) {
    const iw_pred some = iw_and_pred(iw_lanes_below(inner - i), iw_not_pred(iw_lanes_below(-i)));
    const iw_u32 head = iw_add_u32(iw_splat_u32((uint32_t)i), iw_lane());
    iw_u32 x = iw_gather_u16(places, head, some);
    if (!args->begins) x = iw_sub_u32(iw_gather_u16(places + 1, head, some), x);
    if (args->lengths_width == 4)
      iw_store_u32((uint32_t *)args->lengths + (int64_t)before + i, iw_add_u32(x, iw_splat_u32((uint32_t)base)), some);
    else
      iw_store_u64((uint64_t *)args->lengths + (int64_t)before + i, iw_add_u64(iw_convert_u32_u64(x), iw_splat_u64(base)), some);
  }
  if (warp || !count || !before || args->begins) return;
  set_run_length(args, before - 1, begin + iw_at_u32(iw_load_u16(places, iw_lanes_below(1)), 0) - (last - 1));
}

/* Stores the older tile from its stage buffers. */
IW_FN void FN(store_tile)(const ARGS *args, const iw_look_back *look_back, SHARED *shared,
                          unsigned warp, const partition_round *r, partition_carry carry)
{
  const uint64_t done = r->done, begin = done * TILE, before = carry.before, last = carry.last;
  const uint32_t count = iw_get_u32(&shared->selected[(r->round + 1) % PARTITION_STAGES]);
  const unsigned buffer = r->round % PARTITION_PIPELINE_DEPTH * TILE;
  const uint16_t *const places = shared->places + buffer;
  if (args->move.front)
    OF_T(iw_block_store)((SCALAR *)args->move.front + before, shared->staged + buffer, count, warp, PARTITION_WARPS);
  FN(store_lengths)(args, places, begin, count, before, last, warp);
  const int is_last = args->move.n - begin <= TILE;
  if (warp || !(is_last || (HAS_GROUPS && ends_group(done)))) return;
  const uint64_t after = before + count;
  const uint64_t own_last = count ? begin + iw_at_u32(iw_load_u16(places + (count - 1), iw_lanes_below(1)), 0) + 1 : last;
  if (HAS_GROUPS && ends_group(done)) {
    const iw_look_back lasts = { look_back->tile_states, args->last_states, look_back->epoch };
    publish_group_counts(look_back, done, TILE_INCLUSIVE, after);
    publish_group_counts(&lasts, done, TILE_INCLUSIVE, own_last);
  }
  if (!is_last) return;
  if (!args->begins) set_run_length(args, after - 1, args->move.n - (own_last - 1));
  if (args->zeroed) {
    iw_set_u64(args->zeroed, 0);
    iw_set_u64(args->zeroed + 1, 0);
  }
  if (args->move.count) iw_set_u64(args->move.count, after);
}
