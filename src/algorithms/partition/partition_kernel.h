/* SPDX-License-Identifier: Apache-2.0
 *
 * Stable partition and select in a single pass: a block takes a tile, marks and counts its elements, and publishes the
 * count; when the counts of all tiles before are known (lookback.h), it moves the marked to the front, and the others to the
 * rest. It packs a tile at once and parks it, and stores one that it parked PARTITION_TRAIL rounds ago, so that hardly anyone
 * waits; or it is a warp alone (PARTITION_DIRECT), which parks nothing (direct.h). Elements are moved as bits. Compiled once per
 * T, u32 or u64, and test: BY names it, and with FLAGS it is bytes that are not 0, else iw_pred iw_test_BY(args, lanes of T).
 * Such a launch keeps marks for what moves with its elements, which is moved by the text compiled with MARKED: T, u8 to u64, of
 * which MARKED elements, 1 or 2, have a bit together. No tuning number can change a bit.
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/common/look_back.h>
#include <isowarp/algorithms/common/tuning.h>

#define OF_BY(name) IW_JOIN(name, BY)
#define ROW OF_T(iw_row)
#define MARKS IW_JOIN(ROW, marks)
#define READ IW_JOIN(ROW, read)
#define KEPT IW_JOIN(ROW, kept)
#define KEPTS ((CHUNK_ROWS + IW_KEPT - 1) / IW_KEPT)
#ifdef MARKED
#define ROW_FLAGS MARKS
#define EACH MARKED
#else
#define ROW_FLAGS IW_JOIN(ROW, flags)
#define EACH 1
#endif
#if defined(MARKED) || defined(FLAGS)
#define BY_ELEMENTS 0
#else
#define BY_ELEMENTS 1
#endif
#define SHARED OF_BY(partition_shared)
#define TILE (PARTITION_TILE / (int)sizeof(SCALAR) < PARTITION_ELEMENTS ? PARTITION_TILE / (int)sizeof(SCALAR) : PARTITION_ELEMENTS)
#define CHUNK_ROWS (TILE / IW_ROW(T) / PARTITION_WARPS)
#define CHUNK (CHUNK_ROWS * IW_ROW(T))

#ifndef IW_TEXT_PARTITION_H
#define IW_TEXT_PARTITION_H
enum { PARTITION_TURNS = PARTITION_TRAIL + 1 };
/* A block alone counts by itself where the others begin, if no launch before it has. */
#define UNCOUNTED(args) ((args)->parts && !(args)->counted)
static_assert(PARTITION_TRAIL >= 1, "PARTITION_TRAIL is at least 1");
static_assert(!PARTITION_DIRECT || PARTITION_WARPS == 1, "PARTITION_DIRECT is for one warp");
static_assert(PARTITION_WARPS <= 32, "a warp adds up the counts of all");
static_assert(PARTITION_TILE >= IW_PARTITION_TILE && PARTITION_ELEMENTS >= IW_PARTITION_TILE / 4,
              "there are words for tiles of IW_PARTITION_TILE bytes");
#endif
static_assert(TILE / EACH <= IW_MARKS_TILE && IW_MARKS_TILE % (TILE / EACH) == 0, "there are marks for whole tiles");
static_assert(CHUNK_ROWS >= 1 && CHUNK_ROWS * PARTITION_WARPS * IW_ROW(T) == TILE, "a warp's chunk is whole rows");
#if PARTITION_DIRECT
#include <isowarp/algorithms/partition/agent_reread.h>
#else

typedef struct {
  SCALAR packed[PARTITION_TRAIL * TILE]; /* tiles that wait: [marked][others] */
  uint64_t tiles_before, groups_before; /* marked, in front of the tile that is finished */
  uint64_t front;                       /* marked, in all */
  uint64_t parts[PARTITION_WARPS];
  uint32_t counts[PARTITION_WARPS], starts[PARTITION_WARPS]; /* marked by each warp of the tile that is loaded, and before it */
  uint32_t marked[PARTITION_TURNS];     /* in a tile */
} SHARED;

/* What a row has of `valid` elements from its chunk's beginning on. */
#define VALID_FROM(valid, k) ((valid) == IW_WHOLE ? IW_WHOLE : (valid) - (int64_t)(k) * IW_ROW(T))

/* Marks row k of those that are kept together, by its elements x or by its flags. */
#if defined(MARKED)
#define MARK_ROW(kept, k, x, flags) OF_T(iw_row_keep)(kept, k, flags)
#elif defined(FLAGS)
#define MARK_ROW(kept, k, x, flags) OF_T(iw_row_keep)(kept, k, OF_T(iw_row_arrive_flags)(flags))
#else
#define MARK_ROW(kept, k, x, flags) \
  IW_EACH_VECTOR(T, v) OF_T(iw_row_mark)(kept, k, v, OF_BY(iw_test)(args, OF_T(iw_row_look)(x, v)))
#endif

#if defined(MARKED)
#define FETCH_FLAGS(to, k, valid) to = OF_T(iw_row_marked)(args->marks, at + (k) * IW_ROW(T), MARKED)
#elif defined(FLAGS)
#define FETCH_FLAGS(to, k, valid) to = OF_T(iw_row_fetch_flags)(args->flags + at + (k) * IW_ROW(T), VALID_FROM(valid, k))
#else
#define FETCH_FLAGS(to, k, valid) memset(&to, 0, sizeof to)
#endif

/* Elements that are numbers are not in memory. */
#ifdef NUMBERS
#define READ_ROW(at, valid) \
  (args->numbers ? OF_T(iw_row_numbers)(at) : OF_T(iw_row_read)((const SCALAR *)args->in + (at), valid))
#else
#define READ_ROW(at, valid) OF_T(iw_row_read)((const SCALAR *)args->in + (at), valid)
#endif

/* Marks and counts a warp's chunk, all loads on their way first, and flags, which decide, before the elements, so that the count
 * is published early; keep(k, row) is handed each row, which has been read if it decides, or is wanted. */
#define COUNT_CHUNK(keep, wanted) do { \
    const int64_t left_ = (int64_t)(args->n - at); \
    if (left_ >= CHUNK && iw_row_fits((const SCALAR *)args->in + at)) COUNT_ROWS(IW_WHOLE, keep, wanted); \
    else COUNT_ROWS(left_, keep, wanted); \
  } while (0)
#define KEPT_ROWS(k) (CHUNK_ROWS - (k) < IW_KEPT ? CHUNK_ROWS - (k) : IW_KEPT) /* with row k, a multiple of IW_KEPT */
#define COUNT_ROWS(valid, keep, wanted) do { \
    READ x_[CHUNK_ROWS]; \
    ROW_FLAGS flags_[CHUNK_ROWS]; \
    IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++) FETCH_FLAGS(flags_[k], k, valid); \
    IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++) \
      if (BY_ELEMENTS || (wanted)) x_[k] = READ_ROW(at + k * IW_ROW(T), VALID_FROM(valid, k)); \
    IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k++) { \
      MARK_ROW(&IW_MY(marks)[k / IW_KEPT], k % IW_KEPT, x_[k], flags_[k]); \
      keep(k, x_[k]); \
    } \
    IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += IW_KEPT) { \
      OF_T(iw_row_marks)(&IW_MY(marks)[k / IW_KEPT], KEPT_ROWS(k), BY_ELEMENTS && args->others, VALID_FROM(valid, k)); \
      OF_T(iw_row_count)(&tally, &IW_MY(marks)[k / IW_KEPT], KEPT_ROWS(k)); \
    } \
  } while (0)
#define SKIP_ROW(k, x) ((void)(x))
#define KEEP_ROW(k, x) (IW_MY(rows)[k] = x)
/* A chunk's, for what moves with its elements. */
#ifdef MARKED
#define SAVE_MARKS() ((void)0)
#else
#define SAVE_MARKS() do { \
    if (args->marks) IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += IW_KEPT) \
      OF_T(iw_row_save)(args->marks, at + k * IW_ROW(T), IW_MY(marks)[k / IW_KEPT], KEPT_ROWS(k)); \
  } while (0)
#endif

/* A round loads a tile and finishes that of PARTITION_TRAIL rounds ago, or the same; the last rounds only finish. */
IW_KERNEL_ONCE(OF_BY(partition), SHARED, iw_partition_args, PARTITION_WARPS * 32, PARTITION_BLOCKS)
{
  const uint64_t none = (args->n + TILE - 1) / TILE;  /* past the last tile */
  IW_VAR_ARRAY(KEPT, marks, KEPTS);
  if (args->counting || UNCOUNTED(args)) {
    IW_PHASE(warp) {                                  /* from the end on: what is moved first is then still in a cache */
      uint64_t sum = 0;
      iw_tally tally = { 0 };
      for (uint64_t i = block->index, turn = 1; i < none; i += block->blocks, turn++) {
        const uint64_t at = (none - 1 - i) * TILE + warp * CHUNK;
        COUNT_CHUNK(SKIP_ROW, 0);
        SAVE_MARKS();
        if (turn % 4096 == 0) {                       /* before 32 bits are full */
          sum += iw_tallied(tally);
          tally.n = 0;
        }
      }
      sum += iw_tallied(tally);
      iw_set_u64(&shared->parts[warp], sum / EACH);
    }
  } else if (args->parts) IW_PHASE(warp) {
    iw_u64 sums = iw_splat_u64(0);
    for (uint64_t p = warp * IW_WARP_SIZE; p < args->counted; p += PARTITION_WARPS * IW_WARP_SIZE)
      sums = iw_add_u64(sums, iw_load_u64(args->parts + p, iw_lanes_below((int64_t)(args->counted - p))));
    iw_set_u64(&shared->parts[warp], iw_warp_sum_u64(sums));
  }
  if (args->parts) IW_PHASE(warp) {
    if (warp == 0) {
      uint64_t sum = 0;
      for (int w = 0; w < PARTITION_WARPS; w++) sum += iw_get_u64(&shared->parts[w]);
      if (args->counting) iw_set_u64(args->parts + block->index, sum);
      else iw_set_u64(&shared->front, sum * EACH);    /* where the rest begins */
    }
  }
  if (!args->counting) {
    IW_VAR_ARRAY(READ, rows, CHUNK_ROWS);
    uint32_t first;
    const uint32_t words = iw_open(args->tickets, &first) * 4;
    const uint32_t partial = words + PARTIAL, inclusive = words + INCLUSIVE;
    uint64_t tile = first, trail[PARTITION_TURNS];    /* trail[PARTITION_TRAIL] is the round's own */
    IW_UNROLL for (int d = 0; d < PARTITION_TURNS; d++) trail[d] = none;
    for (unsigned round = 0, behind = 0; tile < none || behind > 0; round++) {
      const unsigned turn = round % PARTITION_TURNS, done_turn = (round + 1) % PARTITION_TURNS;
      const int loading = tile < none;
      trail[PARTITION_TRAIL] = loading ? tile : none;
      const uint64_t done = trail[0], group = done / COUNT_GROUP;
      const int finishing = done < none, ends = done % COUNT_GROUP == COUNT_GROUP - 1, last = done + 1 == none;

      IW_PHASE(warp) {                                /* mark and count */
        if (loading) {
          const uint64_t at = tile * TILE + warp * CHUNK;
          iw_tally tally = { 0 };
          COUNT_CHUNK(KEEP_ROW, 1);
          SAVE_MARKS();
          const uint32_t count = iw_tallied(tally);
          iw_set_u32(&shared->counts[warp], count);
        }
      }

      IW_PHASE(warp) {                                /* publish at once; then look back */
        if (loading && warp == 0) {
          const iw_pred some = iw_lanes_below(PARTITION_WARPS);
          const iw_u32 counts = iw_load_u32(shared->counts, some);
          const uint32_t count = iw_warp_sum_u32(counts);
          iw_publish_u32(args->tile_words, (size_t)tile, partial, count);
          iw_set_u32(&shared->marked[turn], count);
          if (PARTITION_WARPS > 1) iw_store_u32(shared->starts, iw_exclusive_prefix_sum_u32(counts), some);
          /* The group's, before its turn. */
          if (tile % COUNT_GROUP == COUNT_GROUP - 1)
            iw_publish_u64(args->group_words, (size_t)(tile / COUNT_GROUP), tile < COUNT_GROUP ? inclusive : partial,
                           counts_of_tiles(args->tile_words, tile, partial) + count);
        }
        if (finishing && warp == PARTITION_WARPS / 2)
          iw_set_u64(&shared->tiles_before, counts_of_tiles(args->tile_words, done, partial));
        if (finishing && warp == PARTITION_WARPS - 1)
          iw_set_u64(&shared->groups_before, counts_of_groups(args->group_words, group, partial, inclusive));
      }

      IW_PHASE(warp) {                                /* move */
        if (finishing) {
          const uint64_t before = iw_get_u64(&shared->tiles_before) + iw_get_u64(&shared->groups_before);
          SCALAR *const front = (SCALAR *)args->front + before;
          SCALAR *rest = (SCALAR *)args->rest;
          if (args->parts) rest = (SCALAR *)args->front + iw_get_u64(&shared->front);
          if (rest) rest += done * TILE - before;
          const int64_t valid = (int64_t)(args->n - done * TILE);
          const uint32_t count = iw_get_u32(&shared->marked[done_turn]);
          const uint64_t after = before + count;
          if (ends && warp == 0) iw_publish_u64(args->group_words, (size_t)group, inclusive, after);
          const SCALAR *const packed = shared->packed + round % PARTITION_TRAIL * TILE;
          OF_T(iw_send)(front, packed, count, warp, PARTITION_WARPS);
          if (rest)
            OF_T(iw_send)(rest, packed + count, (unsigned)(valid < TILE ? valid : TILE) - count, warp, PARTITION_WARPS);
          if (last && warp == 0 && args->count) iw_set_u64(args->count, after / EACH);
        }
      }

      const int over = none > block->blocks;          /* else every block has had its one */
      IW_PHASE(warp) {                                /* pack */
        if (loading) {
          const int64_t in_tile = (int64_t)(args->n - tile * TILE), of_warps = (int64_t)warp * CHUNK;
          SCALAR *const packed = shared->packed + round % PARTITION_TRAIL * TILE;
          const uint32_t start = PARTITION_WARPS > 1 ? iw_get_u32(&shared->starts[warp]) : 0;
          unsigned marked = start, others = iw_get_u32(&shared->marked[turn]) + (unsigned)of_warps - start;
          const int both = args->rest != NULL || args->parts != NULL; /* else only the marked are wanted */
          if (of_warps < in_tile) IW_UNROLL_ROWS for (int k = 0; k < CHUNK_ROWS; k += IW_KEPT) {
            const unsigned count = OF_T(iw_row_pack)(packed, marked, others, both, &IW_MY(rows)[k], KEPT_ROWS(k),
                                                     &IW_MY(marks)[k / IW_KEPT]);
            marked += count;
            others += (unsigned)(KEPT_ROWS(k) * IW_ROW(T)) - count;
          }
        }
        /* Last: a tile that has been taken and not published holds up all that come after it. */
        if (over && warp == 0) iw_bring(iw_ask(args->tickets));
      }
      tile = over ? (uint64_t)iw_brought() : none;
      behind += (unsigned)loading - (unsigned)finishing;
      IW_UNROLL for (int d = 0; d < PARTITION_TRAIL; d++) trail[d] = trail[d + 1];
    }
    iw_close(args->tickets);
  }
}
#undef VALID_FROM
#undef FETCH_FLAGS
#undef READ_ROW
#undef COUNT_CHUNK
#undef COUNT_ROWS
#undef MARK_ROW
#undef KEPT_ROWS
#undef SKIP_ROW
#undef KEEP_ROW
#undef SAVE_MARKS
#endif

#undef OF_BY
#undef ROW
#undef MARKS
#undef READ
#undef KEPT
#undef KEPTS
#undef ROW_FLAGS
#undef EACH
#undef BY_ELEMENTS
#undef SHARED
#undef TILE
#undef CHUNK_ROWS
#undef CHUNK
