/* SPDX-License-Identifier: Apache-2.0
 *
 * The staged agent of partition (template partition_kernel.h), for GPUs. Compare CUB's AgentSelectIf, which
 * waits for a tile's prefix and then scatters. Here a block goes through rounds. In a round it
 *   1. loads a tile, flags and counts its elements, and publishes the count at once;
 *   2. looks back for the tile that it loaded PARTITION_PIPELINE_DEPTH rounds ago, whose predecessors have
 *      mostly published since, so that this rarely waits;
 *   3. stores that older tile from shared memory, in stores that begin at cache lines
 *      (doc/design/partition.md#aligned-stores);
 *   4. packs the new tile, which was in registers until now, into the stage buffer that has become free:
 *      first the selected elements, then the rejected ones;
 *   5. takes the next ticket. This comes last, as a tile that is taken and not published holds up all later
 *      tiles.
 * The last rounds only store. Each phase ends with a barrier of the block.
 *
 * common/look_back.h numbers the steps by which a tile is published. Steps 1 and 2 of the new tile and step
 * 3 of the older one are in phase 2 here, and step 4 of the older tile is in phase 3. Step 2 need not come
 * last, as a block takes its next ticket after all of them.
 *
 * If the rejected elements go behind the selected ones, a counting launch runs before (args->count_only): it
 * walks from the end of the array to its beginning, so that the tiles that are moved first are still in the
 * L2 cache.
 *
 * Run lengths need the places of run heads, too: staged_runs.h. Short arrays have another schedule
 * (agent_waiting.h).
 *
 * This file is a part of its template and knows the template's macros only. Shapes: a warp's chunk is
 * CHUNK_ROWS rows in registers; flags of up to IW_FLAG_SET_ROWS rows are one flag set.
 */
#define ROW_VIEW IW_JOIN(IW_JOIN(iw_row, T), view)
#define FLAG_SET IW_JOIN(IW_JOIN(iw_row, T), flag_set)
#define FLAG_SETS ((CHUNK_ROWS + IW_FLAG_SET_ROWS - 1) / IW_FLAG_SET_ROWS)
/* Rows of the flag set that begins with row k of a chunk, a multiple of IW_FLAG_SET_ROWS. */
#define FLAG_SET_ROWS(k) (CHUNK_ROWS - (k) < IW_FLAG_SET_ROWS ? CHUNK_ROWS - (k) : IW_FLAG_SET_ROWS)
#ifdef RUN_LENGTHS
#define ARGS iw_partition_runs_args
#define PARTITION_OF(args) (&(args)->move)
#else
#define ARGS iw_partition_args
#define PARTITION_OF(args) (args)
#endif
#ifdef BIT_FLAGS
#define PENDING_FLAGS IW_JOIN(IW_JOIN(iw_row, T), flags)
#else
#define PENDING_FLAGS IW_JOIN(IW_JOIN(iw_row, T), flags_pending)
#endif
#ifdef SHORT
#define HAS_GROUPS 0
#else
#define HAS_GROUPS 1
#endif

#ifndef ISOWARP_PARTITION_AGENT_STAGED_H
#define ISOWARP_PARTITION_AGENT_STAGED_H
enum { PARTITION_STAGES = PARTITION_PIPELINE_DEPTH + 1 };

/* What a round does: `tile` is loaded if `loading`, and `done`, loaded PARTITION_PIPELINE_DEPTH rounds ago,
 * is stored if `finishing`. */
typedef struct { uint64_t tile, done; unsigned round; int loading, finishing; } partition_round;

/* The selected elements before a tile and, for a single output, of all tiles; for runs, what is behind the
 * last head before the tile, or 0. */
typedef struct { uint64_t before, all, last; } partition_carry;

/* The elements that there are from `begin` on, of which `valid` are from 0 on. */
IW_FN int64_t partition_valid_from(int64_t valid, int64_t begin)
{
  return valid == IW_FULL_ROW ? IW_FULL_ROW : valid - begin;
}
#endif

typedef struct {
  SCALAR staged[PARTITION_PIPELINE_DEPTH * TILE];   /* packed tiles: [selected][rejected] */
#ifdef SHORT
  uint64_t before[IW_PARTITION_WAITED_GROUPS], others[IW_PARTITION_WAITED_GROUPS]; /* selected elements of each group: before the tile, and others */
#else
  uint64_t tile_prefix, group_prefix;               /* selected elements before the tile that is stored: in its group, before it */
  uint64_t selected_total;                          /* in all tiles: where the rejected elements begin in a single output */
  uint64_t warp_sums[PARTITION_WARPS];
#endif
  uint32_t warp_counts[PARTITION_WARPS], warp_offsets[PARTITION_WARPS]; /* selected in each warp's chunk, and their prefix */
  uint32_t selected[PARTITION_STAGES];              /* in each tile of the pipeline */
#ifdef RUN_LENGTHS
  uint16_t places[PARTITION_PIPELINE_DEPTH * TILE]; /* of the staged heads in their tile */
#ifdef SHORT
  uint64_t lasts[IW_PARTITION_WAITED_GROUPS];       /* behind the last head of each group before the tile; 0: there is none */
#else
  uint64_t tile_last, group_last;                   /* behind the last head before the tile, as the prefixes; 0: there is none */
#endif
  uint32_t warp_lasts[PARTITION_WARPS];             /* behind the last head of each warp's chunk, in the tile */
#endif
} SHARED;
#ifdef RUN_LENGTHS
static_assert(TILE < 1 << 16, "places in a tile have 16 bits, that behind it too");
#endif

/* ---- Flags of rows: by a test, by bytes, or by bits ---- */

/* Loads a chunk of `valid` elements, or makes their indices. */
IW_FN void FN(load_rows)(const iw_partition_args *args, uint64_t at, int64_t valid, ROW_VIEW *rows)
{
#ifdef INDEX_INPUT
  if (args->index_input) {
    IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++) rows[k] = OF_T(iw_row_iota)(at + k * IW_ROW(T));
    return;
  }
#endif
  IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++)
    rows[k] = OF_T(iw_row_view)((const SCALAR *)args->in + (at + k * IW_ROW(T)), partition_valid_from(valid, (int64_t)k * IW_ROW(T)));
}

IW_FN PENDING_FLAGS FN(issue_flags)(const iw_partition_args *args, uint64_t at, int64_t valid)
{
#if defined(BIT_FLAGS)
  return OF_T(iw_row_load_flags)(args->flag_bits, at, BIT_FLAGS, valid);
#elif defined(BYTE_FLAGS)
  return OF_T(iw_row_issue_flags)(args->flags + at, valid);
#else
  PENDING_FLAGS none;
  memset(&none, 0, sizeof none);
  (void)args, (void)at, (void)valid;
  return none;
#endif
}

/* The element before a chunk of `valid` elements. Before element 0, which is a head, is another one than
 * that. */
IW_FN SCALAR FN(element_before)(const iw_partition_args *args, uint64_t at, int64_t valid)
{
  SCALAR before = 0;
#ifdef HEADS
  if (at == 0) before = (SCALAR)~OF_T(iw_get)((const SCALAR *)args->in);
  else if (valid > 0) before = OF_T(iw_get)((const SCALAR *)args->in + (at - 1));
#endif
  (void)args, (void)at, (void)valid;
  return before;
}

/* Sets the flags of row k of a set, by its elements or by the flags that were loaded. *before: the element
 * before the row, and then that before the next one. */
IW_FN void FN(set_flags)(const iw_partition_args *args, FLAG_SET *set, int k, const ROW_VIEW *row, SCALAR *before,
                         const PENDING_FLAGS *pending)
{
  (void)args, (void)row, (void)before, (void)pending;
#if defined(BIT_FLAGS)
  OF_T(iw_row_set_flags)(set, k, *pending);
#elif defined(BYTE_FLAGS)
  OF_T(iw_row_set_flags)(set, k, OF_T(iw_row_wait_flags)(*pending));
#elif defined(HEADS)
  const ROW_VIEW previous = OF_T(iw_row_shift)(*row, *before); /* on GPUs a view is a row */
  IW_EACH_VECTOR(T, v)
    OF_T(iw_row_set_vector_flags)(set, k, v, OF_T(iw_ne)(OF_T(iw_row_view_vector)(*row, v), OF_T(iw_row_view_vector)(previous, v)));
  *before = OF_T(iw_row_last)(*row);
#else
  IW_EACH_VECTOR(T, v) OF_T(iw_row_set_vector_flags)(set, k, v, IW_JOIN(iw_test, BY)(args, OF_T(iw_row_view_vector)(*row, v)));
#endif
}

/* Flags and counts a chunk of `valid` elements. All loads are issued before any is used, flags before
 * elements. wants_rows: the rows are needed afterwards, too; else they are read only to be tested. */
IW_FN void FN(flag_rows)(const iw_partition_args *args, uint64_t at, int64_t valid, int wants_rows, ROW_VIEW *rows, FLAG_SET *flags,
                         iw_count_accumulator *count)
{
  PENDING_FLAGS pending[CHUNK_ROWS];
  IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++)
    pending[k] = FN(issue_flags)(args, at + k * IW_ROW(T), partition_valid_from(valid, (int64_t)k * IW_ROW(T)));
  SCALAR before = FN(element_before)(args, at, valid);
  if (TESTS_ELEMENTS || wants_rows) FN(load_rows)(args, at, valid, rows);
  IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++)
    FN(set_flags)(args, &flags[k / IW_FLAG_SET_ROWS], k % IW_FLAG_SET_ROWS, &rows[k], &before, &pending[k]);
  IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += IW_FLAG_SET_ROWS) {
    FLAG_SET *const set = &flags[k / IW_FLAG_SET_ROWS];
    OF_T(iw_row_restrict_flags)(set, FLAG_SET_ROWS(k), TESTS_ELEMENTS && args->inverted, partition_valid_from(valid, (int64_t)k * IW_ROW(T)));
    OF_T(iw_row_count_flags)(count, set, FLAG_SET_ROWS(k));
  }
}

/* Whether elements from `at` on, and their flags, are loaded at full speed. A check for each row of flags
 * would make its load wait for the one before. */
IW_FN int FN(can_vectorize)(const iw_partition_args *args, uint64_t at)
{
#ifdef BYTE_FLAGS
  if (!iw_row_can_vectorize(args->flags + at)) return 0;
#endif
  return iw_row_can_vectorize((const SCALAR *)args->in + at);
}

/* The same for the chunk at element `at`, whole or not; stores its flag bits if the caller wants them for
 * payloads. */
IW_FN void FN(flag_chunk)(const iw_partition_args *args, uint64_t at, int wants_rows, ROW_VIEW *rows, FLAG_SET *flags,
                          iw_count_accumulator *count)
{
  const int64_t left = (int64_t)(args->n - at);
  if (left >= CHUNK && FN(can_vectorize)(args, at)) FN(flag_rows)(args, at, IW_FULL_ROW, wants_rows, rows, flags, count);
  else FN(flag_rows)(args, at, left, wants_rows, rows, flags, count);
#ifndef BIT_FLAGS
  if (args->flag_bits) IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += IW_FLAG_SET_ROWS)
    OF_T(iw_row_store_flags)(args->flag_bits, at + k * IW_ROW(T), flags[k / IW_FLAG_SET_ROWS], FLAG_SET_ROWS(k));
#endif
}

#ifndef SHORT
/* ---- Where rejected elements begin in a single output ---- */

/* The selected elements of all of the block's tiles in this warp's chunks, from the last tile to the
 * first. */
IW_FN uint64_t FN(count_tiles)(const iw_block *block, const iw_partition_args *args, unsigned warp, FLAG_SET *flags)
{
  const uint64_t end_tile = (args->n + TILE - 1) / TILE;
  uint64_t sum = 0;
  iw_count_accumulator count = { 0 };
  ROW_VIEW rows[CHUNK_ROWS];
  for (uint64_t i = block->index, iteration = 1; i < end_tile; i += block->blocks, iteration++) {
    FN(flag_chunk)(args, (end_tile - 1 - i) * TILE + warp * CHUNK, 0, rows, flags, &count);
    if (iteration % 4096 == 0) {                            /* before the accumulator's 32 bits overflow */
      sum += iw_count_total(count);
      count.n = 0;
    }
  }
  return (sum + iw_count_total(count)) / ELEMENTS_PER_FLAG;
}

/* This warp's share of the counts that the counting launch left for each of its blocks. */
IW_FN uint64_t FN(sum_block_counts)(const iw_partition_args *args, unsigned warp)
{
  iw_u64 sums = iw_splat_u64(0);
  for (uint64_t p = warp * IW_WARP_SIZE; p < args->counted_blocks; p += PARTITION_WARPS * IW_WARP_SIZE)
    sums = iw_add_u64(sums, iw_load_u64(args->block_counts + p, iw_lanes_below((int64_t)(args->counted_blocks - p))));
  return iw_warp_sum_u64(sums);
}

/* Adds up the warps' sums: the block's count for the host and later launches, or where the rejected
 * elements begin. */
IW_FN void FN(set_total)(const iw_block *block, const iw_partition_args *args, SHARED *shared)
{
  uint64_t sum = 0;
  for (int w = 0; w < PARTITION_WARPS; w++) sum += iw_get_u64(&shared->warp_sums[w]);
  if (args->count_only) iw_set_u64(args->block_counts + block->index, sum);
  else iw_set_u64(&shared->selected_total, sum * ELEMENTS_PER_FLAG);
}

/* What the look-back has found for the older tile. */
IW_FN partition_carry FN(carry_of)(const iw_partition_args *args, const SHARED *shared)
{
  partition_carry carry = { iw_get_u64(&shared->tile_prefix) + iw_get_u64(&shared->group_prefix), 0, 0 };
  if (args->block_counts) carry.all = iw_get_u64(&shared->selected_total);
#ifdef RUN_LENGTHS
  carry.last = iw_get_u64(&shared->tile_last);
  if (!carry.last) carry.last = iw_get_u64(&shared->group_last);
#endif
  return carry;
}
#endif

/* ---- The phases of a round ---- */

#ifdef RUN_LENGTHS
#include <isowarp/algorithms/partition/staged_runs.h>
#else
#ifndef SHORT
/* Publishes the count of the new tile, and looks back for the older one. Warp 0 publishes; the two parts of
 * the look-back are waited for by other warps, so that they overlap. */
IW_FN void FN(publish_and_look_back)(const ARGS *args, const iw_look_back *look_back, SHARED *shared, unsigned warp,
                                     const partition_round *r)
{
  (void)args;
  const uint64_t tile = r->tile;
  if (r->loading && warp == 0) {
    const iw_pred some = iw_lanes_below(PARTITION_WARPS);
    const iw_u32 counts = iw_load_u32(shared->warp_counts, some);
    const uint32_t count = iw_warp_sum_u32(counts);
    publish_tile_u32(look_back, tile, TILE_AGGREGATE, count);
    iw_set_u32(&shared->selected[r->round % PARTITION_STAGES], count);
    if (PARTITION_WARPS > 1) iw_store_u32(shared->warp_offsets, iw_exclusive_prefix_sum_u32(counts), some);
    if (ends_group(tile))
      publish_group_counts(look_back, tile, TILE_AGGREGATE, wait_tile_counts(look_back, tile) + count);
  }
  if (r->finishing && warp == PARTITION_WARPS / 2)
    iw_set_u64(&shared->tile_prefix, wait_tile_counts(look_back, r->done));
  if (r->finishing && warp == PARTITION_WARPS - 1)
    iw_set_u64(&shared->group_prefix, wait_group_counts(look_back, r->done));
}

#endif

/* Stores the older tile from its stage buffer. */
IW_FN void FN(store_tile)(const iw_partition_args *args, const iw_look_back *look_back, SHARED *shared,
                          unsigned warp, const partition_round *r, partition_carry carry)
{
  const uint64_t done = r->done, before = carry.before;
  const int last = done + 1 == (args->n + TILE - 1) / TILE;
  SCALAR *const front = (SCALAR *)args->front + before;
  SCALAR *rest = (SCALAR *)args->rest;
  if (args->block_counts) rest = (SCALAR *)args->front + carry.all;
  if (rest) rest += done * TILE - before;
  const int64_t valid = (int64_t)(args->n - done * TILE);
  const uint32_t count = iw_get_u32(&shared->selected[(r->round + 1) % PARTITION_STAGES]);
  const uint64_t after = before + count;
  if (HAS_GROUPS && ends_group(done) && warp == 0) publish_group_counts(look_back, done, TILE_INCLUSIVE, after);
  const SCALAR *const staged = shared->staged + r->round % PARTITION_PIPELINE_DEPTH * TILE;
  OF_T(iw_block_store)(front, staged, count, warp, PARTITION_WARPS);
  if (rest)
    OF_T(iw_block_store)(rest, staged + count, (unsigned)(valid < TILE ? valid : TILE) - count, warp, PARTITION_WARPS);
  if (last && warp == 0 && args->count) iw_set_u64(args->count, after / ELEMENTS_PER_FLAG);
}
#endif

/* Flags and counts the tile's elements: step 1. */
IW_FN void FN(flag_tile)(const iw_partition_args *args, SHARED *shared, uint64_t tile, unsigned warp, ROW_VIEW *rows, FLAG_SET *flags)
{
  iw_count_accumulator count = { 0 };
  FN(flag_chunk)(args, tile * TILE + warp * CHUNK, 1, rows, flags, &count);
  const uint32_t selected = iw_count_total(count);
  iw_set_u32(&shared->warp_counts[warp], selected);
#ifdef RUN_LENGTHS
  const uint32_t last = FN(last_head)(flags, warp);
  iw_set_u32(&shared->warp_lasts[warp], last);
#endif
}

/* Packs a warp's chunk of the new tile into the stage buffer. */
IW_FN void FN(pack_tile)(const iw_partition_args *args, SHARED *shared, unsigned warp, const partition_round *r, const ROW_VIEW *rows,
                         const FLAG_SET *flags)
{
  const int64_t in_tile = (int64_t)(args->n - r->tile * TILE), warp_offset = (int64_t)warp * CHUNK;
  SCALAR *const staged = shared->staged + r->round % PARTITION_PIPELINE_DEPTH * TILE;
  const uint32_t start = PARTITION_WARPS > 1 ? iw_get_u32(&shared->warp_offsets[warp]) : 0;
  unsigned selected = start, rejected = iw_get_u32(&shared->selected[r->round % PARTITION_STAGES]) + (unsigned)warp_offset - start;
#ifdef RUN_LENGTHS
  unsigned place = start;
  if (warp_offset < in_tile) IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += IW_FLAG_SET_ROWS)
    place += OF_T(iw_row_compact_places)(shared->places + r->round % PARTITION_PIPELINE_DEPTH * TILE, place,
                                         (unsigned)(warp_offset + k * IW_ROW(T)), FLAG_SET_ROWS(k), &flags[k / IW_FLAG_SET_ROWS]);
  if (!args->front) return;
#endif
  const int wants_rejected = args->rest != NULL || args->block_counts != NULL;
  if (warp_offset < in_tile) IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += IW_FLAG_SET_ROWS) {
    const unsigned count = OF_T(iw_row_compact)(staged, selected, rejected, wants_rejected, &rows[k], FLAG_SET_ROWS(k),
                                                &flags[k / IW_FLAG_SET_ROWS]);
    selected += count;
    rejected += (unsigned)(FLAG_SET_ROWS(k) * IW_ROW(T)) - count;
  }
}

#ifdef SHORT
#include <isowarp/algorithms/partition/agent_waiting.h>
#else
IW_KERNEL_NO_SPECIALIZATION(KERNEL, SHARED, ARGS, PARTITION_WARPS * 32, PARTITION_BLOCKS)
{
  const iw_partition_args *const move = PARTITION_OF(args);
  const uint64_t end_tile = (move->n + TILE - 1) / TILE;
  IW_VAR_ARRAY(FLAG_SET, flag_bits, FLAG_SETS);
  if (move->count_only || partition_counts_itself(move)) {
    IW_PHASE(warp) {
      const uint64_t sum = FN(count_tiles)(block, move, warp, IW_MY(flag_bits));
      iw_set_u64(&shared->warp_sums[warp], sum);
    }
  } else if (move->block_counts)
    IW_PHASE(warp) { iw_set_u64(&shared->warp_sums[warp], FN(sum_block_counts)(move, warp)); }
  if (move->block_counts)
    IW_PHASE(warp) { if (warp == 0) FN(set_total)(block, move, shared); }
  if (!move->count_only) {
    IW_VAR_ARRAY(ROW_VIEW, rows, CHUNK_ROWS);
    uint32_t first;
    const iw_look_back look_back = { move->tile_states, move->group_states,
                                     iw_tickets_open(move->tickets, &first) };
    uint64_t tile = first, pipeline[PARTITION_STAGES];      /* pipeline[PARTITION_PIPELINE_DEPTH] is this round's tile */
    IW_UNROLL for (int d = 0; d < PARTITION_STAGES; d++) pipeline[d] = end_tile;
    for (unsigned round = 0, in_flight = 0; tile < end_tile || in_flight > 0; round++) {
      pipeline[PARTITION_PIPELINE_DEPTH] = tile < end_tile ? tile : end_tile;
      const partition_round r = { tile, pipeline[0], round, tile < end_tile, pipeline[0] < end_tile };
      IW_PHASE(warp) {
        if (r.loading) FN(flag_tile)(move, shared, tile, warp, IW_MY(rows), IW_MY(flag_bits));
      }
      IW_PHASE(warp) { FN(publish_and_look_back)(args, &look_back, shared, warp, &r); }
      IW_PHASE(warp) { if (r.finishing) FN(store_tile)(args, &look_back, shared, warp, &r, FN(carry_of)(move, shared)); }
      const int more_tickets = end_tile > block->blocks;    /* else each block's first ticket is its only one */
      IW_PHASE(warp) {
        if (r.loading) FN(pack_tile)(move, shared, warp, &r, IW_MY(rows), IW_MY(flag_bits));
        if (more_tickets && warp == 0) iw_ticket_post(iw_ticket_request(move->tickets));
      }
      tile = more_tickets ? (uint64_t)iw_ticket_receive() : end_tile;
      in_flight += (unsigned)r.loading - (unsigned)r.finishing;
      IW_UNROLL for (int d = 0; d < PARTITION_PIPELINE_DEPTH; d++) pipeline[d] = pipeline[d + 1];
    }
    iw_tickets_close(move->tickets);
  }
}
#endif

#undef ROW_VIEW
#undef FLAG_SET
#undef FLAG_SETS
#undef FLAG_SET_ROWS
#undef PENDING_FLAGS
#undef ARGS
#undef PARTITION_OF
#undef HAS_GROUPS
