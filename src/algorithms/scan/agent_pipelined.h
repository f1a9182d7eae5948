/* SPDX-License-Identifier: Apache-2.0
 *
 * "Park and pipeline", the schedule of blocks of many warps (scan.h).
 */
#ifndef IW_KERNELS_PARK_H
#define IW_KERNELS_PARK_H
/* A reduction stores nothing, so that a prefetch would only be in the way of its loads. */
#define EARLY_TICKET (STORES && SCAN_EARLY_TICKET)
enum { SCAN_STAGE_BUFFERS = SCAN_PIPELINE_DEPTH + SCAN_STAGE_AT_LOAD, SCAN_PIPELINE_STAGES = SCAN_PIPELINE_DEPTH + 1 };
/* What a block knows of heads; nothing where there are none. And what becomes of a row, which is compiled once in segments. */
#if HAS_SEGMENTS
#define HEADS_IN_SHARED(place) iw_get_u32(&shared->place)
#define SET_HEADS_IN_SHARED(place, what) iw_set_u32(&shared->place, (uint32_t)(what))
#define MAKE_ROW_TREE(x, pending) OF_INSTANCE(scan_row)(args, &(pending), &(x), 0, 0, 0, (pending).heads, 0, 0, 0)
#define FINISH_ROW(carry, has_head, rows, x, h, at, valid, exclusive) do { \
    ROW tree_ = x; \
    OF_INSTANCE(scan_row)(args, 0, &tree_, carry, has_head, rows, h, at, valid, exclusive); \
  } while (0)
static_assert(TILE_ROWS == 32, "a tile's rows have a bit each in 32");
#else
#define HEADS_IN_SHARED(place) 0u
#define SET_HEADS_IN_SHARED(place, what) ((void)(what))
#define MAKE_ROW_TREE(x, pending) (x) = OF_INSTANCE(row_tree)(args->init.T, pending)
#define FINISH_ROW(carry, has_head, rows, x, h, at, valid, exclusive) \
    OF_INSTANCE(scan_row_finish)(args, carry, has_head, rows, x, h, at, valid, exclusive)
#endif

/* Which of a tile's rows have a head. */
IW_FN iw_mask scan_rows_with_head(const iw_scan_args *args, uint64_t tile)
{
#if HAS_SEGMENTS
  const iw_u32 row = iw_mul_u32(iw_lane(), iw_splat_u32(ORDER_ROW / 32));
  iw_u32 heads = iw_splat_u32(0);
  for (unsigned w = 0; w < ORDER_ROW / 32; w++)
    heads = iw_or_u32(heads, iw_gather_u32(args->heads + tile * (TILE / 32) + w, row, iw_lanes_below(IW_WARP_SIZE)));
  return iw_ballot(iw_ne_u32(heads, iw_splat_u32(0)));
#else
  return 0;
#endif
}
#endif

typedef struct {
#if STORES
  SCALAR staged[SCAN_STAGE_BUFFERS][TILES * TILE]; /* tiles that wait for what comes before them */
#endif
  SCALAR rows[SCAN_PIPELINE_STAGES][TILES * TILE_ROWS]; /* totals of a tile's rows; then what is in front of each, in its tile */
  SCALAR tile_aggregate[SCAN_PIPELINE_STAGES][TILES];
  SCALAR tile_prefix, group_prefix;         /* of the first tile to finish */
#if HAS_SEGMENTS
  uint32_t head_rows[SCAN_PIPELINE_STAGES][TILES];         /* which rows of a tile have a head, a bit each */
  uint32_t prefix_has_head;                     /* whether one of the tiles of tile_prefix does */
#endif
} SHARED;

/* The fold over the tiles of a group before this one, if all are published. */
IW_FN int OF_INSTANCE(scan_try_tile_prefix)(const iw_scan_args *args, uint64_t tile, uint32_t aggregate_flag, SCALAR *before, int *has_head)
{
  const unsigned j = (unsigned)(tile % GROUP_TILES);
  IW_JOIN(iw_polled, T) words;
  iw_mask heads;
  LANES unused;
  if (!OF_T(try_load_tile_states)(args->tile_states, tile - j, j, aggregate_flag, HAS_SEGMENTS, &words, &heads)) return 0;
  *before = FOLD(OF_OP(iws_identity)(), OF_T(iw_select)(iw_lanes_below(j), words.value, OF_T(iw_splat)(OF_OP(iws_identity)())),
                 heads, &unused);
  *has_head = heads != 0;
  return 1;
}

/* The same, when all are there. */
IW_FN SCALAR OF_INSTANCE(scan_wait_tile_prefix)(const iw_scan_args *args, uint64_t tile, uint32_t aggregate_flag, int *has_head)
{
  SCALAR before;
  for (unsigned spins = 0; !OF_INSTANCE(scan_try_tile_prefix)(args, tile, aggregate_flag, &before, has_head);) iw_pause(&spins);
  return before;
}

/* The fold over the groups before, from the last one whose fold is known. */
IW_FN SCALAR OF_INSTANCE(scan_wait_group_prefix)(const iw_scan_args *args, uint64_t group, uint32_t aggregate_flag, uint32_t inclusive_flag)
{
  unsigned from = 0;
  const IW_JOIN(iw_polled, T) words = OF_T(wait_group_states)(args->group_states, group, aggregate_flag, inclusive_flag, &from);
  SCALAR prefix = OF_T(iw_at)(words.value, from);
  for (unsigned q = from + 1; q < 32; q++) prefix = OF_OP(iws)(prefix, OF_T(iw_at)(words.value, q));
  return prefix;
}

/* what(k, valid, exclusive) takes each row of a chunk that has elements. Where it pays (SCAN_FULL_ROW_LOOPS), whole rows have loops of
 * their own, which know that they are whole, one for inclusive and one for exclusive scans. */
#define FOR_FULL_CHUNK_ROWS(what, exclusive) do { \
    IW_UNROLL_ROWS for (int k_ = 0; k_ < CHUNK_ROWS; k_ += ROWS_IN_FLIGHT) what(k_, IW_FULL_ROW, exclusive); \
  } while (0)
#define FOR_CHUNK_ROWS(at, valid, what, exclusive) do { \
    if (SCAN_FULL_ROW_LOOPS && (valid) >= CHUNK && iw_row_can_vectorize(at)) { if (exclusive) FOR_FULL_CHUNK_ROWS(what, 1); else FOR_FULL_CHUNK_ROWS(what, 0); } \
    else IW_UNROLL_ROWS for (int k_ = 0; k_ < CHUNK_ROWS; k_ += ROWS_IN_FLIGHT) \
      if (k_ * ORDER_ROW < (valid)) what(k_, (valid) - k_ * ORDER_ROW, exclusive); \
  } while (0)
/* ROWS_IN_FLIGHT rows on their way at a time; what(k, pending, valid, exclusive) takes each. */
#define WITH_ROWS_ISSUED(what, in, at, k, valid, exclusive) do { \
    PENDING pending_[ROWS_IN_FLIGHT]; \
    IW_UNROLL for (int r_ = 0; r_ < ROWS_IN_FLIGHT; r_++) \
      pending_[r_] = OF_INSTANCE(row_issue)((in) + ((k) + r_) * ORDER_ROW, ROW_VALID(valid, r_), \
                                       OF_INSTANCE(row_heads)(args->heads, (at) + (uint64_t)((k) + r_) * ORDER_ROW)); \
    IW_UNROLL for (int r_ = 0; r_ < ROWS_IN_FLIGHT; r_++) what((k) + r_, pending_[r_], ROW_VALID(valid, r_), exclusive); \
  } while (0)

/* A round loads TILES tiles and finishes those of SCAN_PIPELINE_DEPTH rounds ago; the last rounds only finish, the first only load. */
IW_KERNEL_NO_SPECIALIZATION(KERNEL, SHARED, iw_scan_args, WARPS * 32, SCAN_TUNING(_BLOCKS))
{
#if STORES
  IW_VAR_ARRAY(ROW, rows, SCAN_STAGE_AT_LOAD ? 1 : CHUNK_ROWS);
#endif
  uint32_t first;
  const uint32_t epoch = iw_tickets_open(args->tickets, &first), aggregate_flag = epoch * 4 + TILE_AGGREGATE, inclusive_flag = epoch * 4 + TILE_INCLUSIVE;
  const uint32_t none = (uint32_t)args->tiles;     /* as tickets, which are of 32 bits */
  uint32_t tile = first * SCAN_TILES_PER_TICKET * TILES, pipeline[SCAN_PIPELINE_STAGES];  /* pipeline[SCAN_PIPELINE_DEPTH] is the round's own */
  IW_UNROLL for (int d = 0; d < SCAN_PIPELINE_STAGES; d++) pipeline[d] = none;
  for (unsigned round = 0, behind = 0; tile < none || behind > 0;) {
    const unsigned stage = round % SCAN_PIPELINE_STAGES;
    const int loading = tile < none;
    pipeline[SCAN_PIPELINE_DEPTH] = loading ? tile : none;
    const uint32_t resolved_tile = pipeline[0], group = resolved_tile / GROUP_TILES;
    const unsigned resolved_stage = (round + 1) % SCAN_PIPELINE_STAGES;
    const int finishing = resolved_tile < none, ends = (resolved_tile + TILES) % GROUP_TILES == 0, last = resolved_tile + TILES >= none;

#if STORES
    const unsigned buffer = round % SCAN_STAGE_BUFFERS, resolved_buffer = (round + SCAN_STAGE_BUFFERS - SCAN_PIPELINE_DEPTH) % SCAN_STAGE_BUFFERS;
#endif
    const int resolving = finishing && (STORES || ends || last);

    IW_PHASE(warp) {                                      /* the tree in each row */
      if (loading) {
        const uint64_t at = (uint64_t)tile * TILE + warp * CHUNK;
        const int64_t valid = (int64_t)(args->n - at);
        const ELEMENT *const in = (const ELEMENT *)args->in + at;
        SCALAR *const row_aggregates = shared->rows[stage] + warp * CHUNK_ROWS;
#if !STORES
#define LOAD_ROW(k, pending, row_valid, unused) OF_T(iw_set)(&row_aggregates[k], OF_INSTANCE(row_aggregate)(args->init.T, pending))
#else
#define LOAD_ROW(k, pending, row_valid, unused) do { \
          ROW x_; \
          MAKE_ROW_TREE(x_, pending); \
          OF_T(iw_set)(&row_aggregates[k], OF_INSTANCE(row_last)(x_)); \
          if (SCAN_STAGE_AT_LOAD) OF_INSTANCE(row_store_shared)(shared->staged[buffer] + warp * CHUNK + (k) * ORDER_ROW, x_); \
          else IW_MY(rows)[SCAN_STAGE_AT_LOAD ? 0 : (k)] = x_; \
        } while (0)
#endif
#define LOAD_ROWS(k, row_valid, unused) WITH_ROWS_ISSUED(LOAD_ROW, in, at, k, row_valid, unused)
        FOR_CHUNK_ROWS(in, valid, LOAD_ROWS, 0);
#undef LOAD_ROWS
#undef LOAD_ROW
      }
    }

    const uint32_t next = tile + TILES;              /* of a run, or else of a ticket */
    const int ticket_used_up = !loading || next % (SCAN_TILES_PER_TICKET * TILES) == 0 || next >= none;
    const int needs_ticket = ticket_used_up && none > block->blocks * (SCAN_TILES_PER_TICKET * TILES); /* else every block has had its one */
    uint32_t next_tile = ticket_used_up ? none : next;
    IW_PHASE(warp) {
      const uint32_t warp_tile = tile + warp;
      const int requests_ticket = EARLY_TICKET && needs_ticket && warp == (WARPS - 1) / 2;
      const uint32_t ticket = requests_ticket ? iw_ticket_request(args->tickets) : 0;
      if (loading && (int)warp < TILES && warp_tile < none) { /* the fold over the rows; publish at once */
        SCALAR total = OF_OP(iws_identity)();
        const iw_mask heads = scan_rows_with_head(args, warp_tile);
        SCALAR *const tile_row_aggregates = shared->rows[stage] + warp * TILE_ROWS;
        const int64_t valid_rows = (int64_t)(args->n - (uint64_t)warp_tile * TILE + ORDER_ROW - 1) / ORDER_ROW;
        IW_UNROLL for (int k = 0; k < TILE_ROWS; k += IW_WARP_SIZE) {
          const iw_pred some = iw_lanes_below(valid_rows - k);
          LANES before;
          total = FOLD(total, OF_T(iw_select)(some, OF_T(iw_load)(tile_row_aggregates + k, some), OF_T(iw_splat)(OF_OP(iws_identity)())),
                       heads, &before);
          if (STORES) OF_T(iw_store)(tile_row_aggregates + k, before, some);
        }
        OF_T(iw_publish)(args->tile_states, (size_t)warp_tile, heads ? inclusive_flag : aggregate_flag, total);
        OF_T(iw_set)(&shared->tile_aggregate[stage][warp], total);
        SET_HEADS_IN_SHARED(head_rows[stage][warp], heads);
      }
      if (resolving) {
        if (warp == WARPS / 2) {
          int has_head = 0;
          OF_T(iw_set)(&shared->tile_prefix, OF_INSTANCE(scan_wait_tile_prefix)(args, resolved_tile, aggregate_flag, &has_head));
          SET_HEADS_IN_SHARED(prefix_has_head, has_head);
        }
        if (warp == WARPS - 1)
          OF_T(iw_set)(&shared->group_prefix, group ? OF_INSTANCE(scan_wait_group_prefix)(args, group, aggregate_flag, inclusive_flag)
                                                     : OF_INSTANCE(scan_init)(args));
      }
      if (requests_ticket) iw_ticket_post(ticket);
    }
    if (EARLY_TICKET && needs_ticket) next_tile = iw_ticket_receive() * (SCAN_TILES_PER_TICKET * TILES);

    IW_PHASE(warp) {
      const uint64_t ahead = (uint64_t)next_tile * TILE + warp * CHUNK;
      if (EARLY_TICKET && next_tile < none && ahead + CHUNK <= args->n)
        iw_prefetch((const ELEMENT *)args->in + ahead, CHUNK * sizeof(ELEMENT));
      CARRY_IN carry = { resolved_tile, OF_OP(iws_identity)(), OF_OP(iws_identity)() };
      if (resolving) {
        carry.tile_prefix = OF_T(iw_get)(&shared->tile_prefix);
        carry.group_prefix = HEADS_IN_SHARED(prefix_has_head) ? OF_OP(iws_identity)() : OF_T(iw_get)(&shared->group_prefix);
      }
      if (resolving && (ends || last) && warp == 0) {
        SCALAR end = carry.tile_prefix;
        uint32_t has_head = 0;
        IW_UNROLL for (int t = 0; t < TILES; t++)
          if (resolved_tile + (unsigned)t < none) {
            end = COMBINE_SEGMENTED(end, HEADS_IN_SHARED(head_rows[resolved_stage][t]), OF_T(iw_get)(&shared->tile_aggregate[resolved_stage][t]));
            has_head |= HEADS_IN_SHARED(head_rows[resolved_stage][t]);
          }
        end = COMBINE_SEGMENTED(carry.group_prefix, has_head, end);
        OF_T(iw_publish)(args->group_states, (size_t)group, inclusive_flag, end);
        if (last && args->result) OF_T(iw_set)((SCALAR *)args->result, end);
      }
      /* The fold of a group that ends here, before its turn; after all that the others may wait for who publish its tiles. */
      const uint32_t warp_tile = tile + warp;
      if (loading && (int)warp < TILES && warp_tile % GROUP_TILES == GROUP_TILES - 1 && warp_tile + 1 < none) {
        int has_head = 0;
        const int heads = HEADS_IN_SHARED(head_rows[stage][warp]) != 0, is_first = warp_tile < GROUP_TILES;
        SCALAR group_aggregate = OF_INSTANCE(scan_wait_tile_prefix)(args, warp_tile, aggregate_flag, &has_head);
        group_aggregate = COMBINE_SEGMENTED(group_aggregate, heads, OF_T(iw_get)(&shared->tile_aggregate[stage][warp]));
        has_head |= heads;
        if (is_first) group_aggregate = COMBINE_SEGMENTED(OF_INSTANCE(scan_init)(args), has_head, group_aggregate);
        OF_T(iw_publish)(args->group_states, (size_t)(warp_tile / GROUP_TILES), has_head || is_first ? inclusive_flag : aggregate_flag, group_aggregate);
      }
#if STORES
      if (resolving) {
        IW_UNROLL for (int t = 0; t + 1 < TILES; t++)
          if (t < (int)warp * CHUNK / TILE) {
            carry.tile_prefix = COMBINE_SEGMENTED(carry.tile_prefix, HEADS_IN_SHARED(head_rows[resolved_stage][t]), OF_T(iw_get)(&shared->tile_aggregate[resolved_stage][t]));
            if (HEADS_IN_SHARED(head_rows[resolved_stage][t])) carry.group_prefix = OF_OP(iws_identity)();
          }
        const uint64_t at = (uint64_t)resolved_tile * TILE + warp * CHUNK;
        const int64_t valid = (int64_t)(args->n - at);
        const SCALAR *const staged = shared->staged[resolved_buffer] + warp * CHUNK;
        const SCALAR *const row_prefixes = shared->rows[resolved_stage] + warp * CHUNK_ROWS;
        const unsigned first_row_of_chunk = warp * CHUNK_ROWS % TILE_ROWS; /* the chunk's first row */
        const uint32_t heads = HEADS_IN_SHARED(head_rows[resolved_stage][warp * CHUNK / TILE]);
#define FINISH_STAGED_ROWS(k, row_valid, exclusive) \
        IW_UNROLL for (int r_ = 0; r_ < ROWS_IN_FLIGHT; r_++) \
          FINISH_ROW(&carry, (heads & (((uint32_t)1 << (first_row_of_chunk + (k) + r_)) - 1)) != 0, \
                      OF_T(iw_get)(&row_prefixes[(k) + r_]), OF_INSTANCE(row_load_shared)(staged + ((k) + r_) * ORDER_ROW), \
                      OF_INSTANCE(row_heads)(args->heads, at + (uint64_t)((k) + r_) * ORDER_ROW), \
                      at + (uint64_t)((k) + r_) * ORDER_ROW, ROW_VALID(row_valid, r_), exclusive)
        FOR_CHUNK_ROWS((const SCALAR *)args->out + at, valid, FINISH_STAGED_ROWS, args->exclusive);
#undef FINISH_STAGED_ROWS
      }
      if (loading && !SCAN_STAGE_AT_LOAD)
        IW_UNROLL_ROWS for (int k = 0; k < (SCAN_STAGE_AT_LOAD ? 1 : CHUNK_ROWS); k++)
          OF_INSTANCE(row_store_shared)(shared->staged[buffer] + warp * CHUNK + k * ORDER_ROW, IW_MY(rows)[k]);
#endif
      if (!EARLY_TICKET && needs_ticket && warp == 0) iw_ticket_post(iw_ticket_request(args->tickets));
    }
    tile = EARLY_TICKET || !needs_ticket ? next_tile : iw_ticket_receive() * (SCAN_TILES_PER_TICKET * TILES);
    behind += (unsigned)loading - (unsigned)finishing;
    do { /* at the end, rounds with nothing to do are none */
      IW_UNROLL for (int d = 0; d < SCAN_PIPELINE_DEPTH; d++) pipeline[d] = pipeline[d + 1];
      pipeline[SCAN_PIPELINE_DEPTH] = none;
      round++;
    } while (tile >= none && behind > 0 && pipeline[0] >= none);
  }
  iw_tickets_close(args->tickets);
}

#undef FOR_CHUNK_ROWS
#undef FOR_FULL_CHUNK_ROWS
#undef WITH_ROWS_ISSUED
