/* SPDX-License-Identifier: Apache-2.0
 *
 * Stable partition and select in a single pass: a block takes a tile, marks and counts its elements, and publishes the
 * count; when the counts of all tiles before are known (lookback.h), it moves the marked to the front, and the others to the
 * rest. Either it packs a tile at once and parks it, and stores one that it parked PARTITION_TRAIL rounds ago, so that hardly
 * anyone waits; or (PARTITION_DIRECT) it waits, reads the tile again from a cache, and packs it piece by piece on its way to
 * where it goes. Elements are moved as bits. Compiled once per T, u32 or u64, and test: BY names it, and with FLAGS it is
 * bytes that are not 0, else iw_pred iw_test_BY(args, lanes of T). Such a launch keeps marks for what moves with its elements,
 * which is moved by the text compiled with MARKED: T, u8 to u64, of which MARKED elements, 1 or 2, have a bit together. No
 * tuning number can change a bit.
 */
#include <assert.h>
#include "typed.h"
#include "lookback.h"
#include <isowarp/vm/tuning.h>

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
#define PIECE ((int64_t)(PARTITION_PIECE / sizeof(SCALAR)))
#define PIECE_STREAMED ((int64_t)(PARTITION_PIECE_STREAMED / sizeof(SCALAR)))
/* Of one side: a piece, what did not fill a line before it, and what packing overwrites. */
#define STAGED(piece) ((piece) + 128 / (int)sizeof(SCALAR) + 2 * IW_WARP_SIZE)

#ifndef IW_TEXT_PARTITION_H
#define IW_TEXT_PARTITION_H
enum { PARTITION_SLOTS = PARTITION_DIRECT ? 0 : PARTITION_TRAIL, PARTITION_TURNS = PARTITION_SLOTS + 1 };
static_assert(PARTITION_TRAIL >= 1, "PARTITION_TRAIL is at least 1");
static_assert(!PARTITION_DIRECT || PARTITION_WARPS == 1, "PARTITION_DIRECT is for one warp");
static_assert(PARTITION_WARPS <= 32, "a warp adds up the counts of all");
static_assert(PARTITION_TILE >= IW_PARTITION_TILE && PARTITION_ELEMENTS >= IW_PARTITION_TILE / 4,
              "there are words for tiles of IW_PARTITION_TILE bytes");
#endif
static_assert(TILE / EACH <= IW_MARKS_TILE && IW_MARKS_TILE % (TILE / EACH) == 0, "there are marks for whole tiles");
static_assert(CHUNK_ROWS >= 1 && CHUNK_ROWS * PARTITION_WARPS * IW_ROW(T) == TILE, "a warp's chunk is whole rows");
static_assert(PIECE % IW_WARP_SIZE == 0 && PIECE_STREAMED % IW_WARP_SIZE == 0 && PIECE_STREAMED <= PIECE,
              "a piece is whole warps, and there is room for it");

typedef struct {
  SCALAR packed[PARTITION_DIRECT ? 1 : PARTITION_SLOTS * TILE]; /* tiles that wait: [marked][others] */
  SCALAR staged[PARTITION_DIRECT ? 2 * STAGED(PIECE) : 1];
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
#define LOAD_LANES(at, some) (args->numbers ? OF_T(iw_numbers)(at) : OF_T(iw_load)((const SCALAR *)args->in + (at), some))
#define READ_ROW(at, valid) \
  (args->numbers ? OF_T(iw_row_numbers)(at) : OF_T(iw_row_read)((const SCALAR *)args->in + (at), valid))
#else
#define LOAD_LANES(at, some) OF_T(iw_load)((const SCALAR *)args->in + (at), some)
#define READ_ROW(at, valid) OF_T(iw_row_read)((const SCALAR *)args->in + (at), valid)
#endif

/* Which of the lanes at `at`, a multiple of 32, some of which are there, and which have x there, are marked. */
#if BY_ELEMENTS
IW_FN iw_pred OF_BY(lanes_test)(const iw_partition_args *args, uint64_t at, LANES x, iw_pred some)
#else
IW_FN iw_pred OF_BY(lanes_test)(const iw_partition_args *args, uint64_t at, iw_pred some)
#endif
{
#if defined(MARKED)
  const uint32_t word = iw_get_u32(args->marks + at / EACH / 32);
  return iw_both(some, iw_pred_of(EACH == 1 ? word : iws_twice(word >> at / EACH % 32 & 0xffff)));
#elif defined(FLAGS)
  return iw_pred_of(iw_ballot_u8(args->flags + at, some));
#else
  (void)at;
  const iw_pred marked = OF_BY(iw_test)(args, x);
  return iw_both(some, args->others ? iw_unless(marked) : marked);
#endif
}

/* How many of so many elements are marked; their marks are kept, where they are wanted. */
IW_APART uint64_t OF_BY(count_lanes)(const iw_partition_args *args, uint64_t at, int64_t valid)
{
  const uint64_t end = at + (uint64_t)valid;
  uint64_t count = 0;
#if BY_ELEMENTS
#define LANES_MARKED(some) OF_BY(lanes_test)(args, at, LOAD_LANES(at, some), some)
#else
#define LANES_MARKED(some) OF_BY(lanes_test)(args, at, some)
#endif
#ifdef MARKED
#define COUNT_LANES(some) count += iw_popcount_of(LANES_MARKED(some))
#else
#define COUNT_LANES(some) do { \
    const iw_mask marks_ = iw_ballot(LANES_MARKED(some)); \
    if (args->marks) iw_set_u32(args->marks + at / 32, (uint32_t)marks_); \
    count += iw_popcount(marks_); \
  } while (0)
#endif
  for (; at + IW_WARP_SIZE <= end; at += IW_WARP_SIZE) COUNT_LANES(iw_lanes_below(IW_WARP_SIZE));
  if (at < end) COUNT_LANES(iw_lanes_below((int64_t)(end - at)));
#undef COUNT_LANES
#undef LANES_MARKED
  return count;
}

#if BY_ELEMENTS
#define TESTED(x) , x
#else
#define TESTED(x)
#endif
/* One warp moves a tile; returns how many of it are marked. next: a tile that is fetched into the cache meanwhile, or NULL. */
IW_APART unsigned OF_BY(move_lanes)(const iw_partition_args *args, SHARED *shared, uint64_t at, int64_t valid, SCALAR *front,
                                    SCALAR *rest, const SCALAR *next)
{
  const int stream = args->stream != 0;
  const int64_t piece = stream ? PIECE_STREAMED : PIECE;
  SCALAR *const marked = shared->staged, *const others = marked + STAGED(piece); /* not 4096 bytes away, which caches confuse */
  unsigned lefts = 0, rights = 0, total = 0;
  for (int64_t done = 0; done < valid; done += piece) {
    const int64_t end = done + piece < valid ? done + piece : valid;
#define MOVE_LANES(i, some, number) do { \
      const LANES x_ = LOAD_LANES(at + (uint64_t)(i), some); \
      const iw_pred marked_ = OF_BY(lanes_test)(args, at + (uint64_t)(i) TESTED(x_), some); \
      const unsigned count_ = rest ? OF_T(iw_divide)(marked + lefts, others + rights, x_, marked_, some) \
                                   : OF_T(iw_compact)(marked + lefts, x_, marked_); \
      lefts += count_; \
      total += count_; \
      rights += (unsigned)(number) - count_; \
    } while (0)
    int64_t i = done;
    for (; i + IW_WARP_SIZE <= end; i += IW_WARP_SIZE) {
      if (next) iw_prefetch(next + i, IW_WARP_SIZE * sizeof(SCALAR));
      MOVE_LANES(i, iw_lanes_below(IW_WARP_SIZE), IW_WARP_SIZE);
    }
    if (i < end) MOVE_LANES(i, iw_lanes_below(end - i), end - i);
#undef MOVE_LANES
    const unsigned gone = OF_T(iw_flush)(front, marked, lefts, end == valid, stream);
    front += gone;
    lefts -= gone;
    if (rest) {
      const unsigned gone_too = OF_T(iw_flush)(rest, others, rights, end == valid, stream);
      rest += gone_too;
      rights -= gone_too;
    } else rights = 0;
  }
  return total;
}

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
#define SKIP_ROW(k, x) ((void)0)
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
#if !PARTITION_DIRECT
  IW_VAR_ARRAY(KEPT, marks, KEPTS);
#endif
  if (args->counting) {
    IW_PHASE(warp) {
      uint64_t sum = 0;
#if PARTITION_DIRECT                                  /* a block takes neighbouring tiles */
      const uint64_t each = none / block->blocks, more = none % block->blocks;
      const uint64_t from = each * block->index + (block->index < more ? block->index : more);
      const uint64_t end = from + each + (block->index < more);
      const uint64_t at = from * TILE, past = end * TILE < args->n ? end * TILE : args->n;
      if (at < past) sum = OF_BY(count_lanes)(args, at, (int64_t)(past - at));
#else                                                 /* from the end on: what is moved first is then still in a cache */
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
#endif
      iw_set_u64(&shared->parts[warp], sum);
    }
    IW_PHASE(warp) {
      uint64_t sum = 0;
      if (warp == 0) {
        for (int w = 0; w < PARTITION_WARPS; w++) sum += iw_get_u64(&shared->parts[w]);
        iw_set_u64(args->parts + block->index, sum / EACH);
      }
    }
  } else {
#if !PARTITION_DIRECT
    IW_VAR_ARRAY(READ, rows, CHUNK_ROWS);
#endif
    uint32_t first = 0;
    const int alone = PARTITION_DIRECT && block->blocks == 1; /* knows all by itself */
#ifdef MARKED
    const int keeping = 0;
#else
    const int keeping = args->marks != NULL;
#endif
    const uint32_t words = alone ? 0 : iw_open(args->tickets, &first) * 4;
    const uint32_t partial = words + PARTIAL, inclusive = words + INCLUSIVE;
    uint64_t tile = first, trail[PARTITION_TURNS];    /* trail[PARTITION_SLOTS] is the round's own */
    IW_UNROLL for (int d = 0; d < PARTITION_TURNS; d++) trail[d] = none;
    if (args->parts) IW_PHASE(warp) {                 /* where the rest begins: */
      iw_u64 sums = iw_splat_u64(0);
      for (uint64_t p = warp * IW_WARP_SIZE; p < args->counted; p += PARTITION_WARPS * IW_WARP_SIZE)
        sums = iw_add_u64(sums, iw_load_u64(args->parts + p, iw_lanes_below((int64_t)(args->counted - p))));
      iw_set_u64(&shared->parts[warp], iw_warp_sum_u64(sums));
    }
    IW_PHASE(warp) {
      if (warp == 0 && args->parts) {
        uint64_t sum = 0;
        for (int w = 0; w < PARTITION_WARPS; w++) sum += iw_get_u64(&shared->parts[w]);
        iw_set_u64(&shared->front, sum * EACH);
      }
      if (warp == 0 && alone) {
        iw_set_u64(&shared->tiles_before, 0);
        iw_set_u64(&shared->groups_before, 0);
      }
    }
    for (unsigned round = 0, behind = 0; tile < none || behind > 0; round++) {
      const unsigned turn = round % PARTITION_TURNS, done_turn = (round + 1) % PARTITION_TURNS;
      const int loading = tile < none;
      trail[PARTITION_SLOTS] = loading ? tile : none;
      const uint64_t done = trail[0], group = done / COUNT_GROUP;
      const int finishing = done < none, ends = done % COUNT_GROUP == COUNT_GROUP - 1, last = done + 1 == none;

      if (!alone || keeping) IW_PHASE(warp) {         /* mark and count */
        if (loading) {
          const uint64_t at = tile * TILE + warp * CHUNK;
#if PARTITION_DIRECT
          const int64_t valid = (int64_t)(args->n - at);
          const uint32_t count = (uint32_t)OF_BY(count_lanes)(args, at, valid < TILE ? valid : TILE);
#else
          iw_tally tally = { 0 };
          COUNT_CHUNK(KEEP_ROW, 1);
          SAVE_MARKS();
          const uint32_t count = iw_tallied(tally);
#endif
          iw_set_u32(&shared->counts[warp], count);
        }
      }

      const int asking = !alone && PARTITION_DIRECT && loading && none > block->blocks;
      if (!alone) IW_PHASE(warp) {                    /* publish at once; then look back */
        if (loading && warp == 0) {
          const iw_pred some = iw_lanes_below(PARTITION_WARPS);
          const iw_u32 counts = iw_load_u32(shared->counts, some);
          const uint32_t count = iw_warp_sum_u32(counts);
          iw_publish_u32(args->tile_words, (size_t)tile, partial, count);
          iw_set_u32(&shared->marked[turn], count);
          if (PARTITION_WARPS > 1) iw_store_u32(shared->starts, iw_exclusive_prefix_sum_u32(counts), some);
          /* The group's, before its turn. */
          if (!PARTITION_DIRECT && tile % COUNT_GROUP == COUNT_GROUP - 1)
            iw_publish_u64(args->group_words, (size_t)(tile / COUNT_GROUP), tile < COUNT_GROUP ? inclusive : partial,
                           counts_of_tiles(args->tile_words, tile, partial) + count);
        }
        /* A CPU takes the next tile before it moves this one, and fetches it meanwhile. */
        if (asking && warp == 0) iw_bring(iw_ask(args->tickets));
        if (finishing && warp == PARTITION_WARPS / 2)
          iw_set_u64(&shared->tiles_before, counts_of_tiles(args->tile_words, done, partial));
        if (finishing && warp == PARTITION_WARPS - 1)
          iw_set_u64(&shared->groups_before, counts_of_groups(args->group_words, group, partial, inclusive));
      }
      uint64_t next = alone ? tile + 1 : asking ? (uint64_t)iw_brought() : none;

      IW_PHASE(warp) {                                /* move */
        if (finishing) {
          const uint64_t before = iw_get_u64(&shared->tiles_before) + iw_get_u64(&shared->groups_before);
          SCALAR *const front = (SCALAR *)args->front + before;
          SCALAR *rest = (SCALAR *)args->rest;
          if (args->parts) rest = (SCALAR *)args->front + iw_get_u64(&shared->front);
          if (rest) rest += done * TILE - before;
          const int64_t valid = (int64_t)(args->n - done * TILE);
          uint64_t after = before;
          if (!alone) {
            after += iw_get_u32(&shared->marked[done_turn]);
            if (ends && warp == 0) iw_publish_u64(args->group_words, (size_t)group, inclusive, after);
          }
          if (PARTITION_DIRECT) {
            const SCALAR *const coming = (const SCALAR *)args->in + next * TILE;
            const unsigned count = OF_BY(move_lanes)(args, shared, done * TILE, valid < TILE ? valid : TILE, front, rest,
                                                     next < none && (next + 1) * TILE <= args->n && !args->numbers ? coming
                                                                                                                  : NULL);
            if (alone) {
              after += count;
              iw_set_u64(&shared->tiles_before, after);
            }
          } else {
            const SCALAR *const packed = shared->packed + (PARTITION_DIRECT ? 0 : round % PARTITION_TRAIL * TILE);
            const uint32_t count = iw_get_u32(&shared->marked[done_turn]);
            OF_T(iw_send)(front, packed, count, warp, PARTITION_WARPS);
            if (rest)
              OF_T(iw_send)(rest, packed + count, (unsigned)(valid < TILE ? valid : TILE) - count, warp, PARTITION_WARPS);
          }
          if (last && warp == 0 && args->count) iw_set_u64(args->count, after / EACH);
        }
      }

#if !PARTITION_DIRECT
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
      next = over ? (uint64_t)iw_brought() : none;
#endif
      tile = next;
      behind += (unsigned)loading - (unsigned)finishing;
      IW_UNROLL for (int d = 0; d < PARTITION_SLOTS; d++) trail[d] = trail[d + 1];
    }
    if (!alone) iw_close(args->tickets);
  }
}

#undef OF_BY
#undef ROW
#undef MARKS
#undef READ
#undef ROW_FLAGS
#undef SHARED
#undef TILE
#undef CHUNK_ROWS
#undef CHUNK
#undef PIECE
#undef PIECE_STREAMED
#undef STAGED
#undef VALID_FROM
#undef FETCH_FLAGS
#undef COUNT_CHUNK
#undef COUNT_ROWS
#undef LOAD_LANES
#undef READ_ROW
#undef TESTED
#undef MARK_ROW
#undef KEPT_ROWS
#undef SKIP_ROW
#undef KEEP_ROW
#undef SAVE_MARKS
#undef KEPT
#undef KEPTS
#undef EACH
#undef BY_ELEMENTS
