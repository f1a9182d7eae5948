/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of a warp alone (scan.h). It takes runs of tiles, by tickets. A tile with nothing unknown in front of it is
 * finished as it is loaded. Any other one's total is made and published, and the tile waits, in the cache; while the total of a
 * next tile is made, row by row, the first that waits is finished, so that memory is read and written at a time.
 *
 * A warp waits only for tiles in front of the first one that it has not finished. The warp that holds the first of all tiles
 * that are not published has thus nothing to wait for, and the others do not wait for ever.
 */
#define AGENT OF_INSTANCE(agent)

#ifndef IW_KERNELS_ALONE_H
#define IW_KERNELS_ALONE_H
/* A row's tree, finished and stored. */
#if HAS_SEGMENTS
#define FINISH_PENDING_ROW(last, pending, carry, has_head, rows, at, valid) \
    last = OF_INSTANCE(scan_row)(args, &(pending), 0, carry, has_head, rows, (pending).heads, at, valid, args->exclusive)
#else
#define FINISH_PENDING_ROW(last, pending, carry, has_head, rows, at, valid) do { \
    const ROW tree_ = OF_INSTANCE(row_tree)(args->init.T, pending); \
    OF_INSTANCE(scan_row_finish)(args, carry, has_head, rows, tree_, (pending).heads, at, valid, args->exclusive); \
    last = OF_INSTANCE(row_last)(tree_); \
  } while (0)
#endif
#endif

typedef struct { uint32_t unused; } SHARED;

/* What a warp knows, and has yet to do. */
typedef struct {
  uint32_t aggregate_flag, inclusive_flag;                /* the launch's flags */
  CARRY_IN carry;                                /* of the first tile that it has not finished, or of an earlier one */
  uint64_t queue[SCAN_QUEUE_TILES(sizeof(SCALAR))]; /* tiles that are published and not finished, at their number modulo these */
  unsigned queue_begin, queue_end;
} AGENT;

/* From a tile, whose total it is, to the next. */
IW_FN void OF_INSTANCE(advance)(const iw_scan_args *args, uint32_t inclusive_flag, CARRY_IN *carry, int has_head, SCALAR aggregate)
{
  carry->tile++;
  carry->tile_prefix = COMBINE_SEGMENTED(carry->tile_prefix, has_head, aggregate);
  if (has_head) carry->group_prefix = OF_OP(iws_identity)();
  if (carry->tile % GROUP_TILES == 0 || carry->tile == args->tiles) {
    carry->group_prefix = OF_OP(iws)(carry->group_prefix, carry->tile_prefix);
    carry->tile_prefix = OF_OP(iws_identity)();
    OF_T(iw_publish)(args->group_states, (size_t)((carry->tile - 1) / GROUP_TILES), inclusive_flag, carry->group_prefix);
  }
}

/* To `tile`, which is in the same group or begins the next one, if the tiles in between are published. */
IW_FN int OF_INSTANCE(try_advance)(const iw_scan_args *args, const AGENT *agent, CARRY_IN *carry, uint64_t tile)
{
  const int count = (int)(tile - carry->tile);
  if (count == 0) return 1;
  const iw_pred some = iw_lanes_below(count);
  const IW_JOIN(iw_polled, T) words = OF_T(iw_poll)(args->tile_states, (int64_t)carry->tile, 0, count);
  const iw_mask heads = HAS_SEGMENTS ? iw_ballot(iw_and_pred(some, iw_eq_u32(words.flag, iw_splat_u32(agent->inclusive_flag)))) : 0;
  const iw_pred known = iw_or_pred(iw_eq_u32(words.flag, iw_splat_u32(agent->aggregate_flag)), iw_pred_of(heads));
  LANES unused;
  if (!iw_all(iw_or_pred(iw_not_pred(some), known))) return 0;
  const SCALAR all = FOLD(carry->tile_prefix, OF_T(iw_select)(some, words.value, OF_T(iw_splat)(OF_OP(iws_identity)())), heads,
                          &unused);
  carry->tile = tile - 1;
  carry->tile_prefix = OF_OP(iws_identity)();
  OF_INSTANCE(advance)(args, agent->inclusive_flag, carry, heads != 0, all);
  return 1;
}

/* To `tile`, if all in front of it is published: from the last group whose fold is known. Else as far as a group's end. */
IW_NOINLINE_FN int OF_INSTANCE(try_resolve)(const iw_scan_args *args, AGENT *agent, uint64_t tile)
{
  CARRY_IN *const carry = &agent->carry;
  const uint64_t group = tile / GROUP_TILES;
  for (uint64_t g = group; g > carry->tile / GROUP_TILES; g--) {
    const IW_JOIN(iw_polled, T) word = OF_T(iw_poll)(args->group_states, (int64_t)g - 1, 0, 1);
    if (iw_at_u32(word.flag, 0) != agent->inclusive_flag) continue;
    carry->tile = g * GROUP_TILES;
    carry->tile_prefix = OF_OP(iws_identity)();
    carry->group_prefix = OF_T(iw_at)(word.value, 0);
  }
  while (carry->tile / GROUP_TILES < group)
    if (!OF_INSTANCE(try_advance)(args, agent, carry, (carry->tile / GROUP_TILES + 1) * GROUP_TILES)) return 0;
  return OF_INSTANCE(try_advance)(args, agent, carry, tile);
}

/* Makes and publishes the total of a tile, and finishes another one, in front of which is `agent->carry`; args->tiles: none. */
IW_NOINLINE_FN void OF_INSTANCE(process_tiles)(const iw_scan_args *args, AGENT *agent, uint64_t load, uint64_t finish)
{
  const ELEMENT *const in = (const ELEMENT *)args->in;
  const uint64_t none = args->tiles, at = load * TILE, finish_base = finish * TILE;
  const int64_t load_valid = load < none ? (int64_t)(args->n - at) : 0, finish_valid = finish < none ? (int64_t)(args->n - finish_base) : 0;
  SCALAR aggregate = OF_OP(iws_identity)(), finish_aggregate = aggregate;
  int has_head = 0, finish_has_head = 0;
  const int64_t most = load_valid > finish_valid ? load_valid : finish_valid;
  for (int64_t k = 0; k < TILE && k < most; k += ORDER_ROW) {
    if (k < load_valid) {
      const PENDING pending = OF_INSTANCE(row_issue)(in + at + k, load_valid - k, OF_INSTANCE(row_heads)(args->heads, at + (uint64_t)k));
      const SCALAR last = OF_INSTANCE(row_aggregate)(args->init.T, pending);
      aggregate = COMBINE_SEGMENTED(aggregate, OF_INSTANCE(row_has_head)(pending.heads), last);
      has_head |= OF_INSTANCE(row_has_head)(pending.heads);
    }
    if (k < finish_valid) {
      SCALAR last;
      const HEADS heads = OF_INSTANCE(row_heads)(args->heads, finish_base + (uint64_t)k);
      const PENDING pending = load_valid ? OF_INSTANCE(row_reissue)(in + finish_base + k, finish_valid - k, heads)
                                 : OF_INSTANCE(row_issue)(in + finish_base + k, finish_valid - k, heads);
      if (STORES) FINISH_PENDING_ROW(last, pending, &agent->carry, finish_has_head, finish_aggregate, finish_base + (uint64_t)k, finish_valid - k);
      else last = OF_INSTANCE(row_aggregate)(args->init.T, pending);
      finish_aggregate = COMBINE_SEGMENTED(finish_aggregate, OF_INSTANCE(row_has_head)(pending.heads), last);
      finish_has_head |= OF_INSTANCE(row_has_head)(pending.heads);
    }
  }
  if (load < none) OF_T(iw_publish)(args->tile_states, (size_t)load, has_head ? agent->inclusive_flag : agent->aggregate_flag, aggregate);
  if (finish < none) {
    OF_T(iw_publish)(args->tile_states, (size_t)finish, finish_has_head ? agent->inclusive_flag : agent->aggregate_flag, finish_aggregate);
    OF_INSTANCE(advance)(args, agent->inclusive_flag, &agent->carry, finish_has_head, finish_aggregate);
    if (finish + 1 == none && args->result) OF_T(iw_set)((SCALAR *)args->result, agent->carry.group_prefix);
  }
}

/* A tile that was taken, or none any more: one of those that wait has to be finished then. */
IW_FN void OF_INSTANCE(enqueue_tile)(const iw_scan_args *args, AGENT *agent, uint64_t tile)
{
  enum { QUEUE_CAPACITY = SCAN_QUEUE_TILES(sizeof(SCALAR)) };
  const uint64_t none = args->tiles;
  const int behind = agent->queue_begin < agent->queue_end;
  const uint64_t oldest = behind ? agent->queue[agent->queue_begin % QUEUE_CAPACITY] : tile;
  int known = agent->carry.tile == oldest || OF_INSTANCE(try_resolve)(args, agent, oldest);
  if (tile == none || agent->queue_end - agent->queue_begin == QUEUE_CAPACITY)
    for (unsigned spins = 0; !known; known = OF_INSTANCE(try_resolve)(args, agent, oldest)) iw_pause(&spins);
  if (known && behind) agent->queue_begin++;
  if (tile < none && (behind || !known) && (STORES || tile + 1 == none)) agent->queue[agent->queue_end++ % QUEUE_CAPACITY] = tile;
  OF_INSTANCE(process_tiles)(args, agent, known && !behind ? none : tile, known ? oldest : none);
}

IW_KERNEL_NO_SPECIALIZATION(KERNEL, SHARED, iw_scan_args, WARPS * 32, SCAN_TUNING(_BLOCKS))
{
  IW_VAR(AGENT, agents);
  uint32_t first;
  const uint32_t epoch = iw_tickets_open(args->tickets, &first);
  const uint64_t none = args->tiles;
  uint64_t run = SCAN_TILES_PER_TICKET;                /* but eight for each block, so that none is left with much at the end */
  while (run > 1 && block->blocks * run * 8 > none) run /= 2;
  IW_WARPS(warp) {
    AGENT *const agent = &IW_MY(agents);
    agent->aggregate_flag = epoch * 4 + TILE_AGGREGATE;
    agent->inclusive_flag = epoch * 4 + TILE_INCLUSIVE;
    agent->carry.tile = 0;
    agent->carry.tile_prefix = OF_OP(iws_identity)();
    agent->carry.group_prefix = OF_INSTANCE(scan_init)(args);
    agent->queue_begin = agent->queue_end = 0;
  }
  for (uint64_t tile = first * run, loading = 1; loading;) { /* a run; and at last what still waits */
    const uint64_t end = tile + run < none ? tile + run : none;
    const int needs_ticket = tile < none && none > block->blocks * run; /* else every block has had its one */
    loading = tile < none;
    IW_PHASE(warp) {
      AGENT *const agent = &IW_MY(agents);
      for (uint64_t t = tile; loading ? t < end : agent->queue_begin < agent->queue_end; t++) OF_INSTANCE(enqueue_tile)(args, agent, loading ? t : none);
      if (needs_ticket && warp == 0) iw_ticket_post(iw_ticket_request(args->tickets));
    }
    tile = needs_ticket ? (uint64_t)iw_ticket_receive() * run : none;
  }
  iw_tickets_close(args->tickets);
}

#undef AGENT
