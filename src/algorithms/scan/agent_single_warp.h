/* SPDX-License-Identifier: Apache-2.0
 *
 * The scan agent of a single warp: the schedule of CPUs, where a thread is a block of one warp and its cache
 * is the place in which a tile waits. A part of scan_kernel.h, which has its parameters. It stages nothing
 * (doc/design/scan.md#the-cpus-agent):
 *   - If a tile's exclusive prefix is known when the tile is taken, the warp loads, scans and stores it, row
 *     by row, in registers.
 *   - If not, it computes and publishes the tile's aggregate only, a third of the work, and enqueues the
 *     tile.
 *   - When the prefix of the oldest enqueued tile has become known, the warp finishes that tile, which it
 *     re-reads from its cache, interleaved row by row with the aggregate of the next tile, so that memory is
 *     read and written at the same time.
 * A ticket covers a run of up to SCAN_TILES_PER_TICKET tiles, since the hardware prefetches into the tile
 * that follows. Reductions, whose tiles take little time, have runs of four times as many tiles, so that
 * they look back less often.
 *
 * From SCAN_PARTS_FROM blocks on, few tiles are divided among the blocks instead: half of what the queues
 * hold, or of a reduction, as many as they hold. A block has the part of its index, which the same thread had
 * in the call before and may find in its cache. A scan computes the aggregates of the whole part first, as
 * the blocks before it do at the same time, and then looks back. A block waits for blocks of lower index
 * only; these have begun, or a thread that does not wait takes them (cpu/backend.c).
 *
 * The order of publication is that of common/look_back.h without step 2: a group is published when its last
 * tile is finished, or when a warp that looks back has folded it. A warp waits only for the prefix of its
 * oldest enqueued tile, when its queue is full or no tile is left.
 *
 * Sources: Merrill and Garland 2016, "reduce-then-scan" on the level of a tile;
 * doc/design/scan.md#the-cpus-agent.
 */
#ifndef IW_SCAN_SHARES
#define IW_SCAN_SHARES
/* A block's tiles: `run` tiles from `first` on, and if it has tickets, further runs. */
typedef struct { uint64_t first, run; int is_part, has_tickets; } scan_share;

IW_FN int scan_has_parts(const iw_block *block, uint64_t tiles, uint64_t most_of_part)
{
  return block->blocks >= SCAN_PARTS_FROM && tiles <= block->blocks * most_of_part;
}

/* stores: of a scan, else of a reduction; ticket: the block's first one, if tiles are not in parts. */
IW_NOINLINE_FN scan_share scan_share_of(const iw_block *block, uint64_t tiles, int is_part, int stores, uint32_t ticket)
{
  if (is_part) {
    const uint64_t begin = tiles * block->index / block->blocks;
    const scan_share part = { begin, tiles * (block->index + 1) / block->blocks - begin, 1, 0 };
    return part;
  }
  /* Several tickets for each block, so that the blocks end at the same time. Reductions, whose tiles take
   * little time, have fewer and longer ones: threads wait for each other at the counter. */
  const uint64_t tickets_of_block = stores ? 8 : 2, few_tickets = 8, of_blocks = block->blocks * tickets_of_block;
  const uint64_t least = stores || of_blocks > few_tickets ? of_blocks : few_tickets;
  uint64_t run = stores ? SCAN_TILES_PER_TICKET : 4 * SCAN_TILES_PER_TICKET;
  while (run > 1 && run * least > tiles) run /= 2;
  const scan_share own = { ticket * run, run, 0, tiles > block->blocks * run }; /* else the first tickets are all */
  return own;
}
#endif

#define AGENT FN(agent)

typedef struct { uint32_t unused; } SHARED;

/* The state of a warp. */
typedef struct {
  iw_look_back look_back;
  CARRY_IN carry; /* of a tile that is not after the oldest unfinished one */
#if STORES
  int defers;     /* 1: no tile is finished before the aggregates of all are published */
  uint64_t queue[SCAN_QUEUE_TILES(sizeof(SCALAR))]; /* a ring: tiles that are published and not finished */
  unsigned queue_begin, queue_end;
#else
  uint64_t first_of_ticket; /* the only tile of the ticket for which the warp looks back */
#endif
} AGENT;

/* Advances the carry-in from a tile, whose aggregate this is, to the next tile, and publishes the group that
 * it leaves. A row of the matrix begins with init. */
IW_FN void FN(advance)(const iw_scan_args *args, AGENT *agent, int has_head, SCALAR aggregate)
{
  CARRY_IN *const carry = &agent->carry;
  const PLACE place = FN(place_of)(args, carry->tile);
  const uint64_t group = FN(group_of)(place, carry->tile);
  const int ends_row = place.at + TILE >= place.end;
  carry->tile++;
  carry->tile_prefix = FN(combine)(carry->tile_prefix, has_head, aggregate);
  if (has_head) carry->group_prefix = OF_OP(iws_identity)();
  if (ends_row || FN(tile_in_row)(place, carry->tile) % GROUP_TILES == 0) {
    carry->group_prefix = OF_OP(iws)(carry->group_prefix, carry->tile_prefix);
    carry->tile_prefix = OF_OP(iws_identity)();
    OF_T(publish_group)(&agent->look_back, group, TILE_INCLUSIVE, carry->group_prefix);
  }
  if (HAS_ROWS && ends_row) carry->group_prefix = FN(init)(args);
}

/* Looks back without waiting: advances the carry-in to `tile` and returns 1 if everything before it has been
 * published, else it advances to the end of the last group that has, and returns 0. */
IW_NOINLINE_FN int FN(try_resolve)(const iw_scan_args *args, AGENT *agent, uint64_t tile)
{
  CARRY_IN *const carry = &agent->carry;
  SCALAR prefix = OF_OP(iws_identity)();
  const PLACE place = FN(place_of)(args, tile);
  if (carry->tile < place.first_tile) {
    carry->tile = place.first_tile;
    carry->tile_prefix = OF_OP(iws_identity)();
    carry->group_prefix = FN(init)(args);
  }
  const uint64_t carry_group = FN(group_of)(place, carry->tile);
  const uint64_t tile_group = FN(group_of)(place, tile);
  const uint64_t group = OF_T(find_inclusive_prefix)(&agent->look_back, carry_group, tile_group, &prefix);
  if (group > carry_group) {
    carry->tile = place.first_tile + (group - place.first_group) * GROUP_TILES;
    carry->tile_prefix = OF_OP(iws_identity)();
    carry->group_prefix = prefix;
  }
  while (carry->tile < tile) {
    const uint64_t next_group = FN(group_of)(place, carry->tile) + 1;
    const uint64_t group_end = place.first_tile + (next_group - place.first_group) * GROUP_TILES;
    const uint64_t end = group_end < tile ? group_end : tile;
    int has_head = 0;
    SCALAR tiles_prefix = carry->tile_prefix;
    if (!FN(try_fold_tiles)(&agent->look_back, carry->tile, (unsigned)(end - carry->tile), &tiles_prefix,
                            &has_head))
      return 0;
    carry->tile = end - 1;
    carry->tile_prefix = OF_OP(iws_identity)();
    FN(advance)(args, agent, has_head, tiles_prefix);
  }
  return 1;
}

IW_FN void FN(wait_resolve)(const iw_scan_args *args, AGENT *agent, uint64_t tile)
{
  for (unsigned spins = 0; !FN(try_resolve)(args, agent, tile);) iw_pause(&spins);
}

#if STORES
#if IW_HAS_ROW_SCAN(OP) && !HAS_SEGMENTS && !defined FROM
#define HAS_ROW_SCAN 1
#else
#define HAS_ROW_SCAN 0
#endif

/* Segmented rows are long code, which is compiled once. */
#if HAS_SEGMENTS
#define ROW_FN IW_NOINLINE_FN
#else
#define ROW_FN IW_FN
#endif

/* Scans a row of the tile that is finished, and stores it. Returns the fold over the rows up to it in its
 * tile.
 */
ROW_FN SCALAR FN(scan_pending_row)(const iw_scan_args *args, const CARRY_IN *carry, int has_head,
                                   SCALAR row_prefix,
                                   const PENDING *pending, uint64_t at, uint64_t begin, int64_t valid)
{
  const ROW tree = FN(row_tree)(args, *pending);
  FN(finish_row)(args, carry, has_head, row_prefix, tree, pending->heads, at, begin, valid,
                 (int)args->exclusive, NULL);
  return FN(combine)(row_prefix, FN(row_has_head)(pending->heads), FN(row_last)(tree));
}

#if HAS_ROW_SCAN
#define SCANS_ROWS OF_OP(iw_row_scan_is_faster)()
/* The same as scan_pending_row, of a whole row. */
IW_FN SCALAR FN(scan_whole_row)(const iw_scan_args *args, const CARRY_IN *carry, SCALAR row_prefix, uint64_t at,
                                uint64_t begin, int again)
{
  const SCALAR none = 0;
  const SCALAR tile_carry = OF_OP(iws)(carry->group_prefix, OF_OP(iws)(carry->tile_prefix, row_prefix));
  const OF_OP(iw_row_scan_rule) rule = {
    carry->group_prefix, carry->tile_prefix, row_prefix, at != begin ? tile_carry : FN(first_out)(args), TWIDDLE(args, none),
  };
  return OF_OP(iw_row_scan)((const SCALAR *)args->in + at, (SCALAR *)args->out + at, rule, (int)args->exclusive, again,
                            (int)args->stream);
}

/* The last row of an array, beside row_scan: long code, which is compiled once. */
IW_NOINLINE_FN SCALAR FN(scan_rest)(const iw_scan_args *args, const CARRY_IN *carry, SCALAR row_prefix,
                                    const PENDING *pending, uint64_t at, uint64_t begin, int64_t valid)
{
  return FN(scan_pending_row)(args, carry, 0, row_prefix, pending, at, begin, valid);
}
#endif

/* Computes and publishes the aggregate of tile `load`, and finishes tile `finish`, whose exclusive prefix is
 * agent->carry, row by row in turn. The number of tiles stands for no tile. */
IW_NOINLINE_FN void FN(process_tiles)(const iw_scan_args *args, AGENT *agent, uint64_t load, uint64_t finish)
{
  const ELEMENT *const in = (const ELEMENT *)args->in;
  const PLACE load_place = FN(place_of)(args, load), finish_place = FN(place_of)(args, finish);
  const uint64_t none = FN(tile_count)(args), load_at = load_place.at, finish_at = finish_place.at;
  const uint64_t begin = finish_at - FN(tile_in_row)(finish_place, finish) * TILE;
  const int64_t load_valid = load < none ? (int64_t)(load_place.end - load_at) : 0;
  const int64_t finish_valid = finish < none ? (int64_t)(finish_place.end - finish_at) : 0;
  SCALAR load_aggregate = OF_OP(iws_identity)(), finish_aggregate = load_aggregate;
  int load_has_head = 0, finish_has_head = 0;
  const int64_t most = load_valid > finish_valid ? load_valid : finish_valid;
  for (int64_t k = 0; k < TILE && k < most; k += ROW_ELEMENTS) {
    if (k < load_valid) {
      const HEADS heads = FN(row_heads)(args->heads, load_at + (uint64_t)k);
      const SCALAR row_aggregate = FN(row_aggregate)(args,
                                                     FN(row_issue)(args, in + load_at + k, load_valid - k, heads));
      load_aggregate = FN(combine)(load_aggregate, FN(row_has_head)(heads), row_aggregate);
      load_has_head |= FN(row_has_head)(heads);
    }
#if HAS_ROW_SCAN
    if (SCANS_ROWS && finish_valid - k >= ROW_ELEMENTS) {
      finish_aggregate = FN(scan_whole_row)(args, &agent->carry, finish_aggregate, finish_at + (uint64_t)k, begin,
                                            load_valid != 0);
      continue;
    }
#endif
    if (k < finish_valid) {
      const HEADS heads = FN(row_heads)(args->heads, finish_at + (uint64_t)k);
      const PENDING pending = load_valid ? FN(row_reissue)(args, in + finish_at + k, finish_valid - k, heads)
                                         : FN(row_issue)(args, in + finish_at + k, finish_valid - k, heads);
#if HAS_ROW_SCAN
      if (SCANS_ROWS) {
        finish_aggregate = FN(scan_rest)(args, &agent->carry, finish_aggregate, &pending, finish_at + (uint64_t)k, begin,
                                         finish_valid - k);
        continue;
      }
#endif
      finish_aggregate = FN(scan_pending_row)(args, &agent->carry, finish_has_head, finish_aggregate, &pending,
                                              finish_at + (uint64_t)k, begin, finish_valid - k);
      finish_has_head |= FN(row_has_head)(heads);
    }
  }
  if (load < none)
    OF_T(publish_tile)(&agent->look_back, load, tile_status(load_has_head), load_aggregate);
  if (finish < none) {
    OF_T(publish_tile)(&agent->look_back, finish, tile_status(finish_has_head), finish_aggregate);
    FN(advance)(args, agent, finish_has_head, finish_aggregate);
    if (finish + 1 == none) FN(set_result)(args, 0, agent->carry.group_prefix);
  }
}

/* Processes a new tile, or drains one from the queue if `tile` is the number of tiles. */
IW_FN void FN(process_tile)(const iw_scan_args *args, AGENT *agent, uint64_t tile)
{
  enum { QUEUE_TILES = SCAN_QUEUE_TILES(sizeof(SCALAR)) };
  const uint64_t none = FN(tile_count)(args);
  const int queued = agent->queue_begin < agent->queue_end;
  const uint64_t oldest = queued ? agent->queue[agent->queue_begin % QUEUE_TILES] : tile;
  const int defers = agent->defers && tile < none;
  int known = !defers && (agent->carry.tile == oldest || FN(try_resolve)(args, agent, oldest));
  if (!known && (tile == none || agent->queue_end - agent->queue_begin == QUEUE_TILES)) {
    FN(wait_resolve)(args, agent, oldest);
    known = 1;
  }
  if (known && queued) agent->queue_begin++;
  if (tile < none && (queued || !known)) agent->queue[agent->queue_end++ % QUEUE_TILES] = tile;
  FN(process_tiles)(args, agent, known && !queued ? none : tile, known ? oldest : none);
}

IW_FN void FN(drain_queue)(const iw_scan_args *args, AGENT *agent)
{
  while (agent->queue_begin < agent->queue_end) FN(process_tile)(args, agent, FN(tile_count)(args));
}
#undef ROW_FN
#undef HAS_ROW_SCAN
#undef SCANS_ROWS
#else

#if IW_HAS_ROW_SCAN(OP)
#define FOLDS_LANES OF_OP(iw_row_is_associative)()
#else
#define FOLDS_LANES 0
#endif

/* The fold of each lane over the elements of a row that are in it. */
IW_FN LANES FN(fold_row)(const iw_scan_args *args, PENDING pending)
{
  LANES fold = OF_T(iw_splat)(OF_OP(iws_identity)());
  EACH_PART(p) {
    const PART x = FN(part_wait)(args, pending, p);
    IW_UNROLL for (int v = 0; v < IW_ROW(T) / IW_WARP_SIZE; v++) {
      const LANES vector = OF_T(iw_row_vector)(x, v);
      fold = p + v ? OF_OP(iw)(fold, vector) : vector;
    }
  }
  return fold;
}

/* Computes and publishes the aggregate of a tile. A reduction has nothing else to do with it, unless it is
 * the last one. Where order does not matter, rows are folded lane by lane and the lanes at the end. A warp
 * looks back once for each ticket: what other threads publish meanwhile is in their caches. */
IW_NOINLINE_FN void FN(process_tile)(const iw_scan_args *args, AGENT *agent, uint64_t tile)
{
  const uint64_t at = tile * TILE;
  const int64_t valid = (int64_t)(args->n - at);
  const HEADS no_heads = FN(row_heads)(NULL, 0);
  const ELEMENT *const in = (const ELEMENT *)args->in + at;
  int known = agent->carry.tile == tile || (tile == agent->first_of_ticket && FN(try_resolve)(args, agent, tile));
  SCALAR aggregate = OF_OP(iws_identity)();
  LANES lanes = OF_T(iw_splat)(aggregate);
  for (int64_t k = 0; k < TILE && k < valid; k += ROW_ELEMENTS) {
    const PENDING pending = ROW_READ(args, in + k, valid - k, no_heads);
    if (FOLDS_LANES) lanes = OF_OP(iw)(lanes, FN(fold_row)(args, pending));
    else aggregate = OF_OP(iws)(aggregate, FN(row_aggregate)(args, pending));
  }
  if (FOLDS_LANES) aggregate = OF_OP(iw_warp)(lanes);
  OF_T(publish_tile)(&agent->look_back, tile, TILE_AGGREGATE, aggregate);
  const int last = tile + 1 == args->tiles;
  if (last && !known) {
    FN(wait_resolve)(args, agent, tile);
    known = 1;
  }
  if (known) FN(advance)(args, agent, 0, aggregate);
  if (last) FN(set_result)(args, 0, agent->carry.group_prefix);
}

IW_FN void FN(drain_queue)(const iw_scan_args *args, AGENT *agent) { }
#undef FOLDS_LANES
#endif

IW_KERNEL_NO_SPECIALIZATION(KERNEL, SHARED, iw_scan_args, WARPS * 32, POLICY(_BLOCKS))
{
  IW_VAR(AGENT, agents);
  const uint64_t none = FN(tile_count)(args);
  const int is_part = scan_has_parts(block, none, SCAN_QUEUE_TILES(sizeof(SCALAR)) / (STORES ? 2 : 1));
  uint32_t first = 0;
  const uint32_t epoch = is_part ? iw_tickets_epoch(args->tickets) : iw_tickets_open(args->tickets, &first);
  const scan_share own = scan_share_of(block, none, is_part, STORES, first);
  const iw_look_back look_back = { args->tile_states, args->group_states, epoch };
  IW_WARPS(warp) {
    AGENT *const agent = &IW_MY(agents);
    agent->look_back = look_back;
    agent->carry.tile = 0;
    agent->carry.tile_prefix = OF_OP(iws_identity)();
    agent->carry.group_prefix = FN(init)(args);
#if STORES
    agent->queue_begin = agent->queue_end = 0;
#endif
  }
  for (uint64_t tile = own.first, loading = 1; loading;) { /* a run of tiles, and at last the queue */
    const uint64_t end = tile + own.run < none ? tile + own.run : none;
    const int needs_ticket = own.has_tickets && tile < none;
    loading = tile < none;
    IW_PHASE(warp) {
      AGENT *const agent = &IW_MY(agents);
#if !STORES
      agent->first_of_ticket = own.is_part ? none : tile;
#else
      agent->defers = own.is_part && loading && (tile == 0 || !FN(try_resolve)(args, agent, tile));
#endif
      for (uint64_t t = tile; t < end; t++) FN(process_tile)(args, agent, t);
      if (!loading) FN(drain_queue)(args, agent);
      if (needs_ticket && warp == 0) iw_ticket_post(iw_ticket_request(args->tickets));
    }
    tile = needs_ticket ? (uint64_t)iw_ticket_receive() * own.run : none;
  }
  iw_tickets_close(args->tickets);
}

#undef AGENT
