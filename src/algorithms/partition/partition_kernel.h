/* SPDX-License-Identifier: Apache-2.0
 *
 * Stable partition and select in a single pass: a block takes a tile, marks and counts its elements, and publishes the
 * count; when the counts of all tiles before are known (lookback.h), it moves the selected to the front, and the rejected to the
 * rest. It packs a tile at once and parks it, and stores one that it parked PARTITION_PIPELINE_DEPTH rounds ago, so that hardly anyone
 * waits; or it is a warp alone (PARTITION_REREAD), which parks nothing (direct.h). Elements are moved as bits. Compiled once per
 * T, u32 or u64, and test: BY names it, and with BYTE_FLAGS it is bytes that are not 0, else iw_pred iw_test_BY(args, lanes of T).
 * Such a launch keeps marks for what moves with its elements, which is moved by the text compiled with BIT_FLAGS: T, u8 to u64, of
 * which BIT_FLAGS elements, 1 or 2, have a bit together. No tuning number can change a bit.
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/partition/args.h>
#include <isowarp/algorithms/common/look_back.h>
#include <isowarp/algorithms/common/tuning.h>

#define OF_BY(name) IW_JOIN(name, BY)
#define ROW OF_T(iw_row)
#define ROW_BIT_FLAGS IW_JOIN(ROW, flags)
#define ROW_DATA IW_JOIN(ROW, view)
#define FLAG_SET IW_JOIN(ROW, flag_set)
#define FLAG_SETS ((CHUNK_ROWS + IW_FLAG_SET_ROWS - 1) / IW_FLAG_SET_ROWS)
#ifdef BIT_FLAGS
#define ROW_FLAGS ROW_BIT_FLAGS
#define ELEMENTS_PER_FLAG BIT_FLAGS
#else
#define ROW_FLAGS IW_JOIN(ROW, flags_pending)
#define ELEMENTS_PER_FLAG 1
#endif
#if defined(BIT_FLAGS) || defined(BYTE_FLAGS)
#define TESTS_ELEMENTS 0
#else
#define TESTS_ELEMENTS 1
#endif
#define SHARED OF_BY(partition_shared)
#define TILE (PARTITION_TILE_BYTES / (int)sizeof(SCALAR) < PARTITION_TILE_ELEMENTS ? PARTITION_TILE_BYTES / (int)sizeof(SCALAR) : PARTITION_TILE_ELEMENTS)
#define CHUNK_ROWS (TILE / IW_ROW(T) / PARTITION_WARPS)
#define CHUNK (CHUNK_ROWS * IW_ROW(T))

#ifndef ISOWARP_PARTITION_KERNEL_H
#define ISOWARP_PARTITION_KERNEL_H
enum { PARTITION_STAGES = PARTITION_PIPELINE_DEPTH + 1 };
/* A block alone counts by itself where the rejected begin, if no launch before it has. */
#define BLOCK_COUNTS_ITSELF(args) ((args)->block_counts && !(args)->counted_blocks)
static_assert(PARTITION_PIPELINE_DEPTH >= 1, "PARTITION_PIPELINE_DEPTH is at least 1");
static_assert(!PARTITION_REREAD || PARTITION_WARPS == 1, "PARTITION_REREAD is for one warp");
static_assert(PARTITION_WARPS <= 32, "a warp adds up the counts of all");
static_assert(PARTITION_TILE_BYTES >= IW_PARTITION_MIN_TILE_BYTES && PARTITION_TILE_ELEMENTS >= IW_PARTITION_MIN_TILE_BYTES / 4,
              "there are words for tiles of IW_PARTITION_MIN_TILE_BYTES bytes");
#endif
static_assert(TILE / ELEMENTS_PER_FLAG <= IW_PARTITION_MAX_TILE_ELEMENTS && IW_PARTITION_MAX_TILE_ELEMENTS % (TILE / ELEMENTS_PER_FLAG) == 0, "there are flag_bits for whole tiles");
static_assert(CHUNK_ROWS >= 1 && CHUNK_ROWS * PARTITION_WARPS * IW_ROW(T) == TILE, "a warp's chunk is whole rows");
#if PARTITION_REREAD
#include <isowarp/algorithms/partition/agent_reread.h>
#else

typedef struct {
  SCALAR staged[PARTITION_PIPELINE_DEPTH * TILE]; /* tiles that wait: [selected][rejected] */
  uint64_t tile_prefix, group_prefix; /* selected, in front of the tile that is finished */
  uint64_t selected_total;                       /* selected, in all */
  uint64_t warp_sums[PARTITION_WARPS];
  uint32_t warp_counts[PARTITION_WARPS], warp_offsets[PARTITION_WARPS]; /* selected by each warp of the tile that is loaded, and before it */
  uint32_t selected[PARTITION_STAGES];     /* in a tile */
} SHARED;

/* What a row has of `valid` elements from its chunk's beginning on. */
#define VALID_FROM(valid, k) ((valid) == IW_FULL_ROW ? IW_FULL_ROW : (valid) - (int64_t)(k) * IW_ROW(T))

/* Marks row k of those that are kept together, by its elements x or by its flags. */
#if defined(BIT_FLAGS)
#define FLAG_ROW(kept, k, x, flags) OF_T(iw_row_set_flags)(kept, k, flags)
#elif defined(BYTE_FLAGS)
#define FLAG_ROW(kept, k, x, flags) OF_T(iw_row_set_flags)(kept, k, OF_T(iw_row_wait_flags)(flags))
#else
#define FLAG_ROW(kept, k, x, flags) \
  IW_EACH_VECTOR(T, v) OF_T(iw_row_set_vector_flags)(kept, k, v, OF_BY(iw_test)(args, OF_T(iw_row_view_vector)(x, v)))
#endif

#if defined(BIT_FLAGS)
#define ISSUE_FLAGS(to, k, valid) to = OF_T(iw_row_load_flags)(args->flag_bits, at + (k) * IW_ROW(T), BIT_FLAGS)
#elif defined(BYTE_FLAGS)
#define ISSUE_FLAGS(to, k, valid) to = OF_T(iw_row_issue_flags)(args->flags + at + (k) * IW_ROW(T), VALID_FROM(valid, k))
#else
#define ISSUE_FLAGS(to, k, valid) memset(&to, 0, sizeof to)
#endif

/* Elements that are numbers are not in memory. */
#ifdef INDEX_INPUT
#define LOAD_ROW(at, valid) \
  (args->index_input ? OF_T(iw_row_iota)(at) : OF_T(iw_row_view)((const SCALAR *)args->in + (at), valid))
#else
#define LOAD_ROW(at, valid) OF_T(iw_row_view)((const SCALAR *)args->in + (at), valid)
#endif

/* Marks and counts a warp's chunk, all loads on their way first, and flags, which decide, before the elements, so that the count
 * is published early; keep(k, row) is handed each row, which has been read if it decides, or is wanted. */
#define COUNT_CHUNK(keep, wanted) do { \
    const int64_t left_ = (int64_t)(args->n - at); \
    if (left_ >= CHUNK && iw_row_can_vectorize((const SCALAR *)args->in + at)) COUNT_ROWS(IW_FULL_ROW, keep, wanted); \
    else COUNT_ROWS(left_, keep, wanted); \
  } while (0)
#define ROWS_OF_FLAG_SET(k) (CHUNK_ROWS - (k) < IW_FLAG_SET_ROWS ? CHUNK_ROWS - (k) : IW_FLAG_SET_ROWS) /* with row k, a multiple of IW_FLAG_SET_ROWS */
#define COUNT_ROWS(valid, keep, wanted) do { \
    ROW_DATA x_[CHUNK_ROWS]; \
    ROW_FLAGS flags_[CHUNK_ROWS]; \
    IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++) ISSUE_FLAGS(flags_[k], k, valid); \
    IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++) \
      if (TESTS_ELEMENTS || (wanted)) x_[k] = LOAD_ROW(at + k * IW_ROW(T), VALID_FROM(valid, k)); \
    IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++) { \
      FLAG_ROW(&IW_MY(flag_bits)[k / IW_FLAG_SET_ROWS], k % IW_FLAG_SET_ROWS, x_[k], flags_[k]); \
      keep(k, x_[k]); \
    } \
    IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += IW_FLAG_SET_ROWS) { \
      OF_T(iw_row_restrict_flags)(&IW_MY(flag_bits)[k / IW_FLAG_SET_ROWS], ROWS_OF_FLAG_SET(k), TESTS_ELEMENTS && args->inverted, VALID_FROM(valid, k)); \
      OF_T(iw_row_count_flags)(&tally, &IW_MY(flag_bits)[k / IW_FLAG_SET_ROWS], ROWS_OF_FLAG_SET(k)); \
    } \
  } while (0)
#define SKIP_ROW(k, x) ((void)(x))
#define KEEP_ROW(k, x) (IW_MY(rows)[k] = x)
/* A chunk's, for what moves with its elements. */
#ifdef BIT_FLAGS
#define STORE_FLAG_BITS() ((void)0)
#else
#define STORE_FLAG_BITS() do { \
    if (args->flag_bits) IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += IW_FLAG_SET_ROWS) \
      OF_T(iw_row_store_flags)(args->flag_bits, at + k * IW_ROW(T), IW_MY(flag_bits)[k / IW_FLAG_SET_ROWS], ROWS_OF_FLAG_SET(k)); \
  } while (0)
#endif

/* A round loads a tile and finishes that of PARTITION_PIPELINE_DEPTH rounds ago, or the same; the last rounds only finish. */
IW_KERNEL_NO_SPECIALIZATION(OF_BY(partition), SHARED, iw_partition_args, PARTITION_WARPS * 32, PARTITION_BLOCKS)
{
  const uint64_t end_tile = (args->n + TILE - 1) / TILE;  /* past the last tile */
  IW_VAR_ARRAY(FLAG_SET, flag_bits, FLAG_SETS);
  if (args->count_only || BLOCK_COUNTS_ITSELF(args)) {
    IW_PHASE(warp) {                                  /* from the end on: what is moved first is then still in a cache */
      uint64_t sum = 0;
      iw_count_accumulator tally = { 0 };
      for (uint64_t i = block->index, iteration = 1; i < end_tile; i += block->blocks, iteration++) {
        const uint64_t at = (end_tile - 1 - i) * TILE + warp * CHUNK;
        COUNT_CHUNK(SKIP_ROW, 0);
        STORE_FLAG_BITS();
        if (iteration % 4096 == 0) {                       /* before 32 bits are full */
          sum += iw_count_total(tally);
          tally.n = 0;
        }
      }
      sum += iw_count_total(tally);
      iw_set_u64(&shared->warp_sums[warp], sum / ELEMENTS_PER_FLAG);
    }
  } else if (args->block_counts) IW_PHASE(warp) {
    iw_u64 sums = iw_splat_u64(0);
    for (uint64_t p = warp * IW_WARP_SIZE; p < args->counted_blocks; p += PARTITION_WARPS * IW_WARP_SIZE)
      sums = iw_add_u64(sums, iw_load_u64(args->block_counts + p, iw_lanes_below((int64_t)(args->counted_blocks - p))));
    iw_set_u64(&shared->warp_sums[warp], iw_warp_sum_u64(sums));
  }
  if (args->block_counts) IW_PHASE(warp) {
    if (warp == 0) {
      uint64_t sum = 0;
      for (int w = 0; w < PARTITION_WARPS; w++) sum += iw_get_u64(&shared->warp_sums[w]);
      if (args->count_only) iw_set_u64(args->block_counts + block->index, sum);
      else iw_set_u64(&shared->selected_total, sum * ELEMENTS_PER_FLAG);    /* where the rest begins */
    }
  }
  if (!args->count_only) {
    IW_VAR_ARRAY(ROW_DATA, rows, CHUNK_ROWS);
    uint32_t first;
    const uint32_t epoch = iw_tickets_open(args->tickets, &first) * 4;
    const uint32_t aggregate_flag = epoch + TILE_AGGREGATE, inclusive = epoch + TILE_INCLUSIVE;
    uint64_t tile = first, pipeline[PARTITION_STAGES];    /* pipeline[PARTITION_PIPELINE_DEPTH] is the round's own */
    IW_UNROLL for (int d = 0; d < PARTITION_STAGES; d++) pipeline[d] = end_tile;
    for (unsigned round = 0, in_flight = 0; tile < end_tile || in_flight > 0; round++) {
      const unsigned stage = round % PARTITION_STAGES, done_stage = (round + 1) % PARTITION_STAGES;
      const int loading = tile < end_tile;
      pipeline[PARTITION_PIPELINE_DEPTH] = loading ? tile : end_tile;
      const uint64_t done = pipeline[0], group = done / LOOK_BACK_GROUP_TILES;
      const int finishing = done < end_tile, closes_group = done % LOOK_BACK_GROUP_TILES == LOOK_BACK_GROUP_TILES - 1, last = done + 1 == end_tile;

      IW_PHASE(warp) {                                /* mark and count */
        if (loading) {
          const uint64_t at = tile * TILE + warp * CHUNK;
          iw_count_accumulator tally = { 0 };
          COUNT_CHUNK(KEEP_ROW, 1);
          STORE_FLAG_BITS();
          const uint32_t count = iw_count_total(tally);
          iw_set_u32(&shared->warp_counts[warp], count);
        }
      }

      IW_PHASE(warp) {                                /* publish at once; then look back */
        if (loading && warp == 0) {
          const iw_pred some = iw_lanes_below(PARTITION_WARPS);
          const iw_u32 counts = iw_load_u32(shared->warp_counts, some);
          const uint32_t count = iw_warp_sum_u32(counts);
          iw_publish_u32(args->tile_states, (size_t)tile, aggregate_flag, count);
          iw_set_u32(&shared->selected[stage], count);
          if (PARTITION_WARPS > 1) iw_store_u32(shared->warp_offsets, iw_exclusive_prefix_sum_u32(counts), some);
          /* The group's, before its turn. */
          if (tile % LOOK_BACK_GROUP_TILES == LOOK_BACK_GROUP_TILES - 1)
            iw_publish_u64(args->group_states, (size_t)(tile / LOOK_BACK_GROUP_TILES), tile < LOOK_BACK_GROUP_TILES ? inclusive : aggregate_flag,
                           wait_tile_count_prefix(args->tile_states, tile, aggregate_flag) + count);
        }
        if (finishing && warp == PARTITION_WARPS / 2)
          iw_set_u64(&shared->tile_prefix, wait_tile_count_prefix(args->tile_states, done, aggregate_flag));
        if (finishing && warp == PARTITION_WARPS - 1)
          iw_set_u64(&shared->group_prefix, wait_group_count_prefix(args->group_states, group, aggregate_flag, inclusive));
      }

      IW_PHASE(warp) {                                /* move */
        if (finishing) {
          const uint64_t before = iw_get_u64(&shared->tile_prefix) + iw_get_u64(&shared->group_prefix);
          SCALAR *const front = (SCALAR *)args->front + before;
          SCALAR *rest = (SCALAR *)args->rest;
          if (args->block_counts) rest = (SCALAR *)args->front + iw_get_u64(&shared->selected_total);
          if (rest) rest += done * TILE - before;
          const int64_t valid = (int64_t)(args->n - done * TILE);
          const uint32_t count = iw_get_u32(&shared->selected[done_stage]);
          const uint64_t after = before + count;
          if (closes_group && warp == 0) iw_publish_u64(args->group_states, (size_t)group, inclusive, after);
          const SCALAR *const staged = shared->staged + round % PARTITION_PIPELINE_DEPTH * TILE;
          OF_T(iw_block_store)(front, staged, count, warp, PARTITION_WARPS);
          if (rest)
            OF_T(iw_block_store)(rest, staged + count, (unsigned)(valid < TILE ? valid : TILE) - count, warp, PARTITION_WARPS);
          if (last && warp == 0 && args->count) iw_set_u64(args->count, after / ELEMENTS_PER_FLAG);
        }
      }

      const int more_tickets = end_tile > block->blocks;          /* else every block has had its one */
      IW_PHASE(warp) {                                /* pack */
        if (loading) {
          const int64_t in_tile = (int64_t)(args->n - tile * TILE), warp_offset = (int64_t)warp * CHUNK;
          SCALAR *const staged = shared->staged + round % PARTITION_PIPELINE_DEPTH * TILE;
          const uint32_t start = PARTITION_WARPS > 1 ? iw_get_u32(&shared->warp_offsets[warp]) : 0;
          unsigned selected = start, rejected = iw_get_u32(&shared->selected[stage]) + (unsigned)warp_offset - start;
          const int both = args->rest != NULL || args->block_counts != NULL; /* else only the selected are wanted */
          if (warp_offset < in_tile) IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += IW_FLAG_SET_ROWS) {
            const unsigned count = OF_T(iw_row_compact)(staged, selected, rejected, both, &IW_MY(rows)[k], ROWS_OF_FLAG_SET(k),
                                                     &IW_MY(flag_bits)[k / IW_FLAG_SET_ROWS]);
            selected += count;
            rejected += (unsigned)(ROWS_OF_FLAG_SET(k) * IW_ROW(T)) - count;
          }
        }
        /* Last: a tile that has been taken and not published holds up all that come after it. */
        if (more_tickets && warp == 0) iw_ticket_post(iw_ticket_request(args->tickets));
      }
      tile = more_tickets ? (uint64_t)iw_ticket_receive() : end_tile;
      in_flight += (unsigned)loading - (unsigned)finishing;
      IW_UNROLL for (int d = 0; d < PARTITION_PIPELINE_DEPTH; d++) pipeline[d] = pipeline[d + 1];
    }
    iw_tickets_close(args->tickets);
  }
}
#undef VALID_FROM
#undef ISSUE_FLAGS
#undef LOAD_ROW
#undef COUNT_CHUNK
#undef COUNT_ROWS
#undef FLAG_ROW
#undef ROWS_OF_FLAG_SET
#undef SKIP_ROW
#undef KEEP_ROW
#undef STORE_FLAG_BITS
#endif

#undef OF_BY
#undef ROW
#undef ROW_BIT_FLAGS
#undef ROW_DATA
#undef FLAG_SET
#undef FLAG_SETS
#undef ROW_FLAGS
#undef ELEMENTS_PER_FLAG
#undef TESTS_ELEMENTS
#undef SHARED
#undef TILE
#undef CHUNK_ROWS
#undef CHUNK
