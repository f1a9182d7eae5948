/* SPDX-License-Identifier: Apache-2.0
 *
 * The scan agent of blocks of many warps that share fast memory: the schedule of GPUs. A part of
 * scan_kernel.h, which has its parameters. CUB's AgentScan loads a tile, waits for its exclusive prefix and
 * stores it; this agent stages the tile in shared memory instead of waiting, and stores it
 * SCAN_PIPELINE_DEPTH rounds later, when its prefix has usually been published long since
 * (doc/design/scan.md#the-gpus-agent).
 *
 * A round has three phases. It loads the tile of its ticket (TILES of them) and finishes that of
 * SCAN_PIPELINE_DEPTH rounds ago:
 *   1. Each warp loads its chunk and scans its rows by the tree; the row aggregates go to shared memory. In a
 *      segmented scan each warp also makes the head bits of its rows, of keys or flags.
 *   2. One warp per tile folds the row aggregates, which gives each row's exclusive prefix in its tile, and
 *      publishes the tile's aggregate. Two other warps look back for the tile that is finished: one over its
 *      group's tiles, one over groups.
 *   3. The block publishes its group's inclusive prefix if the finished tile ends a group, then the
 *      aggregate of a group that the loaded tile ends. Each warp stores its chunk of the finished tile and
 *      stages that of the loaded one.
 * The first rounds only load, the last ones only finish.
 *
 * The order of publication is that of common/look_back.h: phase 2 has step 1 of the loaded tile and step 3
 * of the finished one, phase 3 has step 4 of the finished tile and then step 2 of the loaded one, which
 * waits and therefore comes last. With SCAN_EARLY_TICKET a block requests its next tile before it has
 * finished the older one, which does not delay the publication of either.
 *
 * Sources: Merrill and Garland 2016; CUB, cub/agent/agent_scan.cuh; doc/design/scan.md.
 */

#ifdef SHORT
#define ONLY_SHORT_SCANS 1
#else
#define ONLY_SHORT_SCANS 0
#endif
#if defined(SHORT) || (defined(ALSO_SHORT) && !HAS_SEGMENTS && !HAS_ROWS)
#define HAS_SHORT_SCANS 1
#else
#define HAS_SHORT_SCANS 0
#endif
#define STAGES !ONLY_SHORT_SCANS
#define ROWS_KEPT (STAGES && SCAN_STAGE_AT_LOAD ? 1 : CHUNK_ROWS)
#define HEAD_WORDS_OF_ROW (HAS_SEGMENTS ? ROW_ELEMENTS / 32 : 0)
#define STAGE_BUFFERS (SCAN_PIPELINE_DEPTH + SCAN_STAGE_AT_LOAD)
#define PIPELINE_STAGES (ONLY_SHORT_SCANS ? 1 : SCAN_PIPELINE_DEPTH + 1)
/* A segmented row is long code on a CPU, which unrolls it in every place: it is compiled once. */
#if HAS_SEGMENTS
#define ROW_FN IW_NOINLINE_FN
#else
#define ROW_FN IW_FN
#endif

typedef struct {
#if STAGES
  SCALAR staged[STAGE_BUFFERS][TILES * TILE];            /* tiles whose exclusive prefix is not known yet */
#endif
#if HAS_SHORT_SCANS
  SCALAR group_folds[IW_SCAN_WAITED_TILES / GROUP_TILES]; /* short scans: of each group, up to the block's tile */
#endif
  /* row aggregates; from phase 2 on, each row's exclusive prefix in its tile */
  SCALAR row_prefixes[PIPELINE_STAGES][TILES * TILE_ROWS];
  SCALAR tile_aggregate[PIPELINE_STAGES][TILES];
  SCALAR tile_prefix, group_prefix;                      /* of the first tile that is finished */
#if HAS_SEGMENTS
  uint32_t heads[PIPELINE_STAGES][TILES * TILE / 32];    /* head bits */
  /* which rows of a tile contain a head, a bit each */
  uint32_t head_rows[PIPELINE_STAGES][TILES];
  uint32_t prefix_has_head;                              /* whether one of the tiles of tile_prefix does */
#endif
#if HAS_SEGMENTS && HAS_SHORT_SCANS
  /* short scans: head bits of rows of a tile that a warp helps with; whether a group of group_folds has a
   * head */
  uint32_t helped_heads[WARPS][HEAD_WORDS_AT_ONCE];
  uint32_t group_heads[IW_SCAN_WAITED_TILES / GROUP_TILES];
#endif
} SHARED;
static_assert(!HAS_SEGMENTS || TILE_ROWS == 32, "head_rows has a bit for each row of a tile");
static_assert(!HAS_SEGMENTS || CHUNK / 32 % HEAD_WORDS_AT_ONCE == 0, "the heads of a chunk are made so many words at a time");

/* What a warp does in a round, and where in shared memory. */
typedef struct {
  iw_look_back look_back;
  uint32_t tile, end_tile;      /* the first tile that is loaded; past the last tile: nothing is */
  PLACE place, resolved_place;  /* of the tiles that are loaded and finished */
  uint32_t resolved_tile;       /* the first tile that is finished, or end_tile */
  unsigned stage, resolved_stage;
  unsigned buffer, resolved_buffer;
} FN(round);

/* Heads in shared memory, which has none without segments. */
IW_FN uint32_t FN(get_head_rows)(const SHARED *shared, unsigned stage, unsigned t)
{
#if HAS_SEGMENTS
  return iw_get_u32(&shared->head_rows[stage][t]);
#else
  return 0;
#endif
}

IW_FN void FN(set_head_rows)(SHARED *shared, unsigned stage, unsigned t, iw_mask head_rows)
{
#if HAS_SEGMENTS
  iw_set_u32(&shared->head_rows[stage][t], (uint32_t)head_rows);
#endif
}

IW_FN int FN(get_prefix_has_head)(const SHARED *shared)
{
#if HAS_SEGMENTS
  return iw_get_u32(&shared->prefix_has_head) != 0;
#else
  return 0;
#endif
}

IW_FN void FN(set_prefix_has_head)(SHARED *shared, int has_head)
{
#if HAS_SEGMENTS
  iw_set_u32(&shared->prefix_has_head, (uint32_t)has_head);
#endif
}

/* The head bits of a stage, from element `first` of its tiles on. */
IW_FN uint32_t *FN(heads_of_stage)(SHARED *shared, unsigned stage, unsigned first)
{
#if HAS_SEGMENTS
  return shared->heads[stage] + first / 32;
#else
  return NULL;
#endif
}

/* A warp: makes the head bits of whole words from element `at` on; behind the last element they are 0. */
IW_FN void FN(make_heads)(const iw_scan_args *args, uint64_t at, uint32_t words, uint32_t *heads)
{
#if HAS_SEGMENTS
  const uint32_t most = 32 * words;
  const iw_u32 left = iw_splat_u32(at >= args->n ? 0 : args->n - at < most ? (uint32_t)(args->n - at) : most);
  IW_NO_UNROLL for (uint32_t w = 0; w < words; w += HEAD_WORDS_AT_ONCE) {
    uint32_t made[HEAD_WORDS_AT_ONCE];
    make_head_words(args->keys, (uint32_t)args->key_bytes, at, 32 * w, left, made);
    IW_UNROLL for (uint32_t k = 0; k < HEAD_WORDS_AT_ONCE; k++) iw_set_u32(&heads[w + k], made[k]);
  }
#endif
}

/* Which rows of a tile contain a head: lane l looks at row l. tile_heads: the tile's bits. */
IW_FN iw_mask FN(load_head_rows)(const uint32_t *tile_heads)
{
#if HAS_SEGMENTS
  const iw_u32 row = iw_mul_u32(iw_lane(), iw_splat_u32(ROW_ELEMENTS / 32));
  iw_u32 heads = iw_splat_u32(0);
  for (unsigned w = 0; w < ROW_ELEMENTS / 32; w++)
    heads = iw_or_u32(heads, iw_gather_u32(tile_heads + w, row, iw_lanes_below(IW_WARP_SIZE)));
  return iw_ballot(iw_ne_u32(heads, iw_splat_u32(0)));
#else
  return 0;
#endif
}

/* Waits for the tiles before this one in its group: the fold over them. */
IW_FN SCALAR FN(wait_tile_prefix)(const iw_look_back *look_back, uint64_t tile, uint64_t tile_in_row,
                                  int *has_head)
{
  const unsigned before = (unsigned)(tile_in_row % GROUP_TILES);
  SCALAR prefix = OF_OP(iws_identity)();
  for (unsigned spins = 0; !FN(try_fold_tiles)(look_back, tile - before, before, &prefix, has_head);)
    iw_pause(&spins);
  return prefix;
}

/* Waits for the groups before this one: the fold over init and them, which begins at the last inclusive
 * group. */
IW_FN SCALAR FN(wait_group_prefix)(const iw_look_back *look_back, uint64_t group)
{
  unsigned inclusive_lane = 0;
  const IW_JOIN(iw_polled, T) states = OF_T(wait_look_back_window)(look_back, group, &inclusive_lane);
  SCALAR prefix = OF_T(iw_at)(states.value, inclusive_lane);
  for (unsigned lane = inclusive_lane + 1; lane < 32; lane++)
    prefix = OF_OP(iws)(prefix, OF_T(iw_at)(states.value, lane));
  return prefix;
}

ROW_FN ROW FN(scan_pending_row)(const iw_scan_args *args, const PENDING *pending)
{
  return FN(row_tree)(args, *pending);
}

/* heads: the row's head bits. */
ROW_FN void FN(finish_staged_row)(const iw_scan_args *args, const CARRY_IN *carry, int has_head,
                                  SCALAR row_prefix, SCALAR *staged, const uint32_t *heads,
                                  uint64_t at, uint64_t begin, int64_t valid, int exclusive)
{
  FN(finish_row)(args, carry, has_head, row_prefix, FN(row_load_shared)(staged), FN(row_heads)(heads, 0), at, begin, valid,
                 exclusive, staged);
}

#if HAS_SEGMENTS
/* Issues the loads of the rows of a chunk, whose heads are not known yet. */
IW_FN void FN(issue_rows)(const iw_scan_args *args, uint64_t at, int64_t valid, PENDING *pending)
{
  HEADS none;
  memset(&none, 0, sizeof none);
  IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++)
    pending[k] = FN(row_issue)(args, (const ELEMENT *)args->in + at + k * ROW_ELEMENTS, ROW_VALID(valid, k), none);
}

/* Phase 1. Loads and scans the rows of a chunk. The warp makes their head bits itself, of keys that it loads
 * while the elements are loaded. The rows go to shared memory, or stay in `rows`. */
IW_FN void FN(load_chunk)(const iw_scan_args *args, SHARED *shared, FN(round) round, unsigned warp, ROW *rows)
{
  const uint64_t at = round.place.at + warp * CHUNK;
  const int64_t valid = at < round.place.end ? (int64_t)(round.place.end - at) : 0;
  uint32_t *const heads = FN(heads_of_stage)(shared, round.stage, warp * CHUNK);
  PENDING pending[CHUNK_ROWS];
  if (SCAN_FULL_ROW_LOOPS && valid >= CHUNK && iw_row_can_vectorize((const ELEMENT *)args->in + at))
    FN(issue_rows)(args, at, IW_FULL_ROW, pending);
  else FN(issue_rows)(args, at, valid, pending);
  FN(make_heads)(args, at, CHUNK / 32, heads);
  IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++) {
    pending[k].heads = FN(row_heads)(heads, (uint64_t)k * ROW_ELEMENTS);
    const ROW x = FN(scan_pending_row)(args, &pending[k]);
    OF_T(iw_set)(&shared->row_prefixes[round.stage][warp * CHUNK_ROWS + (unsigned)k], FN(row_last)(x));
#if STAGES && SCAN_STAGE_AT_LOAD
    FN(row_store_shared)(shared->staged[round.buffer] + warp * CHUNK + k * ROW_ELEMENTS, x);
#else
    rows[k] = x;
#endif
  }
}
#else
/* Phase 1. Loads and scans the rows of a chunk at element `at`, of which `valid` elements exist;
 * IW_FULL_ROW: all. The rows go to `staged`, or stay in `rows`. */
IW_FN void FN(load_rows)(const iw_scan_args *args, uint64_t at, int64_t valid, SCALAR *row_aggregates,
                         SCALAR *staged, ROW *rows)
{
  const ELEMENT *const in = (const ELEMENT *)args->in + at;
  IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += ROWS_IN_FLIGHT) {
    PENDING pending[ROWS_IN_FLIGHT];
    if (k * ROW_ELEMENTS >= valid) continue;
    IW_UNROLL for (int r = 0; r < ROWS_IN_FLIGHT; r++)
      pending[r] = FN(row_issue)(args, in + (k + r) * ROW_ELEMENTS, ROW_VALID(valid, k + r),
                                 FN(row_heads)(NULL, 0));
#if !SCAN_STAGE_AT_LOAD
    /* All are scanned before any aggregate is stored: nvcc may make a branch of a store, and would not scan
     * rows side by side then. */
    IW_UNROLL for (int r = 0; r < ROWS_IN_FLIGHT; r++) rows[k + r] = FN(scan_pending_row)(args, &pending[r]);
    IW_UNROLL for (int r = 0; r < ROWS_IN_FLIGHT; r++) OF_T(iw_set)(&row_aggregates[k + r], FN(row_last)(rows[k + r]));
#else
    IW_UNROLL for (int r = 0; r < ROWS_IN_FLIGHT; r++) {
      const ROW x = FN(scan_pending_row)(args, &pending[r]);
      OF_T(iw_set)(&row_aggregates[k + r], FN(row_last)(x));
      FN(row_store_shared)(staged + (k + r) * ROW_ELEMENTS, x);
    }
#endif
  }
}

IW_FN void FN(load_chunk)(const iw_scan_args *args, SHARED *shared, FN(round) round, unsigned warp,
                          ROW *rows)
{
  const uint64_t at = round.place.at + warp * CHUNK;
  const int64_t valid = (int64_t)(round.place.end - at);
  SCALAR *const row_aggregates = shared->row_prefixes[round.stage] + warp * CHUNK_ROWS;
#if STAGES
  SCALAR *const staged = shared->staged[round.buffer] + warp * CHUNK;
#else
  SCALAR *const staged = NULL;
#endif
  if (SCAN_FULL_ROW_LOOPS && valid >= CHUNK && iw_row_can_vectorize((const ELEMENT *)args->in + at))
    FN(load_rows)(args, at, IW_FULL_ROW, row_aggregates, staged, rows);
  else FN(load_rows)(args, at, valid, row_aggregates, staged, rows);
}
#endif

/* Replaces the row aggregates of a tile, of which `left` elements exist, by each row's exclusive prefix.
 * Returns the tile's aggregate. */
IW_FN SCALAR FN(fold_rows)(SCALAR *rows, uint64_t left, iw_mask heads)
{
  SCALAR aggregate = OF_OP(iws_identity)();
  const int64_t valid_rows = (int64_t)(left + ROW_ELEMENTS - 1) / ROW_ELEMENTS;
  IW_UNROLL for (int k = 0; k < TILE_ROWS; k += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below(valid_rows - k);
    LANES prefixes;
    aggregate = FOLD(aggregate, OF_T(iw_select)(some, OF_T(iw_load)(rows + k, some),
                                                OF_T(iw_splat)(OF_OP(iws_identity)())), heads,
                     &prefixes);
    OF_T(iw_store)(rows + k, prefixes, some);
  }
  return aggregate;
}

/* Phase 2, one warp per loaded tile. Folds the row aggregates, and publishes the tile at once (step 1).
 * tile_heads: its head bits. */
IW_FN void FN(publish_tile)(const uint32_t *tile_heads, SHARED *shared, FN(round) round, unsigned t)
{
  const uint32_t tile = round.tile + t;
  const iw_mask heads = FN(load_head_rows)(tile_heads);
  const SCALAR aggregate = FN(fold_rows)(shared->row_prefixes[round.stage] + t * TILE_ROWS,
                                         round.place.end - round.place.at - t * TILE, heads);
  OF_T(publish_tile)(&round.look_back, tile, tile_status(heads != 0), aggregate);
  OF_T(iw_set)(&shared->tile_aggregate[round.stage][t], aggregate);
  FN(set_head_rows)(shared, round.stage, t, heads);
}

/* Phase 2, the finished tile: two warps look back at a time (step 3). */
IW_FN void FN(look_back)(const iw_scan_args *args, SHARED *shared, FN(round) round, unsigned warp)
{
  const PLACE place = round.resolved_place;
  const uint64_t group = FN(group_of)(place, round.resolved_tile);
  if (warp == WARPS / 2) {
    int has_head = 0;
    OF_T(iw_set)(&shared->tile_prefix,
                 FN(wait_tile_prefix)(&round.look_back, round.resolved_tile,
                                      FN(tile_in_row)(place, round.resolved_tile), &has_head));
    FN(set_prefix_has_head)(shared, has_head);
  }
  if (warp == WARPS - 1)
    OF_T(iw_set)(&shared->group_prefix, group == place.first_group ? FN(init)(args)
                 : FN(wait_group_prefix)(&round.look_back, group));
}

/* Phase 3, one warp, if the finished tiles end their group or the array: its inclusive prefix (step 4). */
IW_FN void FN(publish_inclusive_group)(const iw_scan_args *args, const SHARED *shared, FN(round) round,
                                       const CARRY_IN *carry, int last)
{
  SCALAR inclusive = carry->tile_prefix;
  uint32_t has_head = 0;
  IW_UNROLL for (int t = 0; t < TILES; t++)
    if (round.resolved_tile + (unsigned)t < round.end_tile) {
      const uint32_t heads = FN(get_head_rows)(shared, round.resolved_stage, (unsigned)t);
      inclusive = FN(combine)(inclusive, heads != 0,
                              OF_T(iw_get)(&shared->tile_aggregate[round.resolved_stage][t]));
      has_head |= heads;
    }
  inclusive = FN(combine)(carry->group_prefix, has_head != 0, inclusive);
  OF_T(publish_group)(&round.look_back, FN(group_of)(round.resolved_place, round.resolved_tile),
                      TILE_INCLUSIVE, inclusive);
  if (last) FN(set_result)(args, 0, inclusive);
}

/* Phase 3, one warp, if the loaded tile t ends its group: the group's aggregate (step 2). */
IW_FN void FN(publish_group_aggregate)(const iw_scan_args *args, const SHARED *shared, FN(round) round,
                                       unsigned t)
{
  const uint32_t tile = round.tile + t;
  const uint64_t tile_in_row = FN(tile_in_row)(round.place, tile);
  int has_head = 0;
  const int heads = FN(get_head_rows)(shared, round.stage, t) != 0, is_first = tile_in_row < GROUP_TILES;
  SCALAR aggregate = FN(wait_tile_prefix)(&round.look_back, tile, tile_in_row, &has_head);
  aggregate = FN(combine)(aggregate, heads, OF_T(iw_get)(&shared->tile_aggregate[round.stage][t]));
  has_head |= heads;
  if (is_first) aggregate = FN(combine)(FN(init)(args), has_head, aggregate);
  OF_T(publish_group)(&round.look_back, FN(group_of)(round.place, tile), tile_status(has_head || is_first),
                      aggregate);
}

#if STAGES
/* Phase 3. Stores the rows of a staged chunk, of which `valid` elements exist; IW_FULL_ROW: all. head_rows
 * are its tile's. */
IW_FN void FN(finish_rows)(const iw_scan_args *args, const CARRY_IN *carry, uint64_t at, uint64_t begin,
                           int64_t valid, int exclusive, const SCALAR *row_prefixes, SCALAR *staged,
                           const uint32_t *heads, unsigned first_row, uint32_t head_rows)
{
  IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += ROWS_IN_FLIGHT) {
    if (k * ROW_ELEMENTS >= valid) continue;
    IW_UNROLL for (int r = 0; r < ROWS_IN_FLIGHT; r++)
      FN(finish_staged_row)(args, carry,
                            (head_rows & (((uint32_t)1 << (first_row + (unsigned)(k + r))) - 1)) != 0,
                            OF_T(iw_get)(&row_prefixes[k + r]), staged + (k + r) * ROW_ELEMENTS,
                            heads + (k + r) * HEAD_WORDS_OF_ROW, at + (uint64_t)(k + r) * ROW_ELEMENTS, begin, ROW_VALID(valid, k + r), exclusive);
  }
}

IW_FN void FN(finish_chunk)(const iw_scan_args *args, SHARED *shared, FN(round) round, unsigned warp,
                            CARRY_IN carry)
{
  const unsigned chunk_tile = warp * CHUNK / TILE, first_row = warp * CHUNK_ROWS % TILE_ROWS;
  IW_UNROLL for (int t = 0; t + 1 < TILES; t++)
    if (t < (int)chunk_tile) {
      const int heads = FN(get_head_rows)(shared, round.resolved_stage, (unsigned)t) != 0;
      carry.tile_prefix = FN(combine)(carry.tile_prefix, heads,
                                      OF_T(iw_get)(&shared->tile_aggregate[round.resolved_stage][t]));
      if (heads) carry.group_prefix = OF_OP(iws_identity)();
    }
  const PLACE place = round.resolved_place;
  const uint64_t at = place.at + warp * CHUNK;
  const uint64_t begin = place.at - FN(tile_in_row)(place, round.resolved_tile) * TILE;
  const int64_t valid = (int64_t)(place.end - at);
  SCALAR *const staged = shared->staged[round.resolved_buffer] + warp * CHUNK;
  const SCALAR *const row_prefixes = shared->row_prefixes[round.resolved_stage] + warp * CHUNK_ROWS;
  const uint32_t *const heads = FN(heads_of_stage)(shared, round.resolved_stage, warp * CHUNK);
  const uint32_t head_rows = FN(get_head_rows)(shared, round.resolved_stage, chunk_tile);
  if (SCAN_FULL_ROW_LOOPS && valid >= CHUNK && FN(can_vectorize_outputs)(args, at)) {
    if (args->exclusive)
      FN(finish_rows)(args, &carry, at, begin, IW_FULL_ROW, 1, row_prefixes, staged, heads, first_row, head_rows);
    else FN(finish_rows)(args, &carry, at, begin, IW_FULL_ROW, 0, row_prefixes, staged, heads, first_row, head_rows);
  } else FN(finish_rows)(args, &carry, at, begin, valid, (int)args->exclusive, row_prefixes, staged, heads,
                         first_row, head_rows);
}

/* Phase 3. Stages the rows of the loaded chunk in the buffer that its warp has just emptied. */
IW_FN void FN(stage_chunk)(SHARED *shared, FN(round) round, unsigned warp, const ROW *rows)
{
  IW_UNROLL_ROWS for (int k = 0; k < (SCAN_STAGE_AT_LOAD ? 1 : CHUNK_ROWS); k++)
    FN(row_store_shared)(shared->staged[round.buffer] + warp * CHUNK + k * ROW_ELEMENTS, rows[k]);
}
#endif

#if HAS_SHORT_SCANS
#include <isowarp/algorithms/scan/agent_waiting.h>
#endif

IW_KERNEL_NO_SPECIALIZATION(KERNEL, SHARED, iw_scan_args, WARPS * 32, POLICY(_BLOCKS))
{
  IW_VAR_ARRAY(ROW, rows, ROWS_KEPT);
#if HAS_SHORT_SCANS
  if (ONLY_SHORT_SCANS || (args->waits && TILES == 1 && !SCAN_STAGE_AT_LOAD)) { /* one tile, whose rows stay in registers */
    const uint32_t tile = (uint32_t)block->index, end_tile = (uint32_t)args->tiles;
    FN(round) round = { { args->tile_states, args->group_states, 0 }, tile, end_tile, FN(place_of)(args, tile), FN(place_of)(args, tile),
                        tile, 0, 0, 0, 0 };
    IW_PHASE(warp) { FN(scan_own_tile)(block, args, shared, round, warp, IW_MY(rows), iw_here_); }
    round.look_back.epoch = iw_ticket_receive();
    IW_PHASE(warp) { FN(publish_and_wait)(block, args, shared, round, warp); }
    IW_PHASE(warp) { FN(finish_own_tile)(args, shared, round, warp, IW_MY(rows)); }
    return;
  }
#endif
#if !ONLY_SHORT_SCANS
  enum { TICKET_TILES = SCAN_TILES_PER_TICKET * TILES };
  uint32_t first;
  const iw_look_back look_back = { args->tile_states, args->group_states,
                                   iw_tickets_open(args->tickets, &first) };
  const uint32_t none = (uint32_t)FN(tile_count)(args);                 /* tickets have 32 bits, too */
  /* the tiles of each stage; the last one is loaded */
  uint32_t tile = first * TICKET_TILES, pipeline[PIPELINE_STAGES];
  IW_UNROLL for (int d = 0; d < PIPELINE_STAGES; d++) pipeline[d] = none;
  for (unsigned rounds = 0, in_flight = 0; tile < none || in_flight > 0;) {
    const int loading = tile < none;
    pipeline[SCAN_PIPELINE_DEPTH] = loading ? tile : none;
    const FN(round) round = {
      look_back, tile, none,
      FN(place_of)(args, tile), FN(place_of)(args, pipeline[0]), pipeline[0],
      rounds % PIPELINE_STAGES, (rounds + 1) % PIPELINE_STAGES,
      rounds % STAGE_BUFFERS, (rounds + STAGE_BUFFERS - SCAN_PIPELINE_DEPTH) % STAGE_BUFFERS,
    };
    const int finishing = round.resolved_tile < none, last = round.resolved_tile + TILES >= none;
    const uint64_t resolved_in_row = FN(tile_in_row)(round.resolved_place, round.resolved_tile);
    const int ends = (!HAS_ROWS && last) || (resolved_in_row + TILES) % GROUP_TILES == 0;

    IW_PHASE(warp) { if (loading) FN(load_chunk)(args, shared, round, warp, IW_MY(rows)); }

    /* the next tile of the ticket, if it is not used up */
    const uint32_t next = tile + TILES;
    const int ticket_used_up = !loading || next % TICKET_TILES == 0 || next >= none;
    /* else the first tickets were all */
    const int needs_ticket = ticket_used_up && none > block->blocks * TICKET_TILES;
    uint32_t next_tile = ticket_used_up ? none : next;
    IW_PHASE(warp) {
      const int requests_ticket = SCAN_EARLY_TICKET && needs_ticket && warp == (WARPS - 1) / 2;
      const uint32_t ticket = requests_ticket ? iw_ticket_request(args->tickets) : 0;
      if (loading && (int)warp < TILES && tile + warp < none) FN(publish_tile)(FN(heads_of_stage)(shared, round.stage, warp * TILE), shared, round, warp);
      if (finishing) FN(look_back)(args, shared, round, warp);
      if (requests_ticket) iw_ticket_post(ticket);
    }
    if (SCAN_EARLY_TICKET && needs_ticket) next_tile = iw_ticket_receive() * TICKET_TILES;

    IW_PHASE(warp) {
      const uint64_t ahead = FN(place_of)(args, next_tile).at + warp * CHUNK;
      if (SCAN_EARLY_TICKET && next_tile < none && ahead + CHUNK <= args->n) {
        iw_prefetch((const ELEMENT *)args->in + ahead, CHUNK * sizeof(ELEMENT));
#if HAS_SEGMENTS
        const size_t key_bytes = args->key_bytes ? args->key_bytes : 1;
        iw_prefetch((const char *)args->keys + ahead * key_bytes, CHUNK * key_bytes);
#endif
      }
      CARRY_IN carry = { round.resolved_tile, OF_OP(iws_identity)(), OF_OP(iws_identity)() };
      if (finishing) {
        carry.tile_prefix = OF_T(iw_get)(&shared->tile_prefix);
        carry.group_prefix =
          FN(get_prefix_has_head)(shared) ? OF_OP(iws_identity)() : OF_T(iw_get)(&shared->group_prefix);
      }
      if (finishing && ends && warp == 0) FN(publish_inclusive_group)(args, shared, round, &carry, last);
      const uint32_t warp_tile = tile + warp, in_row = (uint32_t)FN(tile_in_row)(round.place, warp_tile);
      const int ends_row = HAS_ROWS ? round.place.at + TILE >= round.place.end : warp_tile + 1 >= none;
      if (loading && (int)warp < TILES && ends_group(in_row) && !ends_row)
        FN(publish_group_aggregate)(args, shared, round, warp);
      if (finishing) FN(finish_chunk)(args, shared, round, warp, carry);
      if (loading && !SCAN_STAGE_AT_LOAD) FN(stage_chunk)(shared, round, warp, IW_MY(rows));
      if (!SCAN_EARLY_TICKET && needs_ticket && warp == 0) iw_ticket_post(iw_ticket_request(args->tickets));
    }
    tile = SCAN_EARLY_TICKET || !needs_ticket ? next_tile : iw_ticket_receive() * TICKET_TILES;
    in_flight += (unsigned)loading - (unsigned)finishing;
    do { /* advances the pipeline, at the end past the stages that are empty */
      IW_UNROLL for (int d = 0; d < SCAN_PIPELINE_DEPTH; d++) pipeline[d] = pipeline[d + 1];
      pipeline[SCAN_PIPELINE_DEPTH] = none;
      rounds++;
    } while (tile >= none && in_flight > 0 && pipeline[0] >= none);
  }
  iw_tickets_close(args->tickets);
#endif
}

#undef ONLY_SHORT_SCANS
#undef HAS_SHORT_SCANS
#undef STAGES
#undef ROWS_KEPT
#undef HEAD_WORDS_OF_ROW
#undef STAGE_BUFFERS
#undef PIPELINE_STAGES
#undef ROW_FN
