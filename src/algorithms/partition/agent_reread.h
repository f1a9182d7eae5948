/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition by a warp alone (partition.h), which parks nothing. It marks and counts a tile, a bit an element, and publishes the
 * count; the tile waits, in the cache, until the counts of all in front of it are known. While a next tile is marked, piece by
 * piece, the first that waits is packed and moved, so that memory is read and written at a time. Where nothing is unknown, a
 * tile is moved while it is marked: in the only block, and where a launch before this one has counted; then a block moves what a
 * block of that has counted.
 *
 * A warp waits only for tiles in front of the first one that it has not moved. The warp that holds the first of all tiles
 * that are not published has thus nothing to wait for, and the others do not wait for ever.
 */
#define DIRECT OF_BY(direct)
#define PIECE ((int64_t)(PARTITION_PIECE / sizeof(SCALAR)))
#define PIECE_STREAMED ((int64_t)(PARTITION_PIECE_STREAMED / sizeof(SCALAR)))
#define AHEAD (PARTITION_AHEAD / sizeof(SCALAR))
/* Of one side: a piece, what did not fill a line before it, and what packing overwrites. */
#define STAGED(piece) ((piece) + 128 / (int)sizeof(SCALAR) + 2 * IW_WARP_SIZE)
static_assert(PARTITION_WAIT >= 1, "PARTITION_WAIT is at least 1");
static_assert(PIECE % IW_WARP_SIZE == 0 && PIECE_STREAMED % IW_WARP_SIZE == 0 && PIECE_STREAMED <= PIECE,
              "a piece is whole warps, and there is room for it");

typedef struct {
  SCALAR staged[2 * STAGED(PIECE)];
#ifndef MARKED
  uint32_t marks[PARTITION_WAIT][TILE / 32]; /* of the tiles that wait, where nobody else wants them */
#endif
} SHARED;

/* What a warp knows, and has yet to do. */
typedef struct {
  uint64_t here, before;            /* a tile, the first that it has not moved or an earlier one; marked in front of it */
  uint64_t waiting[PARTITION_WAIT]; /* tiles that are published and not moved, at their number modulo these */
  unsigned first, end;
} DIRECT;

/* Elements that are numbers are not in memory. */
#ifdef NUMBERS
#define LOAD_LANES(at, some) (args->numbers ? OF_T(iw_numbers)(at) : OF_T(iw_load)((const SCALAR *)args->in + (at), some))
#else
#define LOAD_LANES(at, some) OF_T(iw_load)((const SCALAR *)args->in + (at), some)
#endif

/* Which of the lanes at `at`, a multiple of 32, some of which are there, are marked. */
IW_FN iw_mask OF_BY(lanes_test)(const iw_partition_args *args, uint64_t at, iw_pred some)
{
#if defined(MARKED)
  const uint32_t word = iw_get_u32(args->marks + at / EACH / 32);
  return iw_ballot(iw_both(some, iw_pred_of(EACH == 1 ? word : iws_twice(word >> at / EACH % 32 & 0xffff))));
#elif defined(FLAGS)
  return iw_ballot_u8(args->flags + at, some);
#else
  const iw_pred marked = OF_BY(iw_test)(args, LOAD_LANES(at, some));
  return iw_ballot(iw_both(some, args->others ? iw_unless(marked) : marked));
#endif
}

/* Elements from `at` on, and a place for their marks, a bit each, where these do not decide. */
typedef struct { uint64_t at; int64_t valid; uint32_t *marks; } OF_BY(elements);

/* Packs elements `from` to `end` of these, which are marked: those that are, and the others if both are wanted. */
IW_FN unsigned OF_BY(pack)(const iw_partition_args *args, OF_BY(elements) these, int64_t from, int64_t end, SCALAR *marked,
                           SCALAR *others, int both)
{
  const SCALAR *const begin = marked;
#ifdef MARKED
#define MARKS_OF(some) OF_BY(lanes_test)(args, these.at + (uint64_t)from, some)
#else
#define MARKS_OF(some) iw_get_u32(these.marks + (uint64_t)from / 32)
#endif
#define PACK_LANES(some, number) do { \
    const LANES x_ = LOAD_LANES(these.at + (uint64_t)from, some); \
    const iw_pred marked_ = iw_pred_of(MARKS_OF(some)); \
    const unsigned count_ = both ? OF_T(iw_divide)(marked, others, x_, marked_, some) : OF_T(iw_compact)(marked, x_, marked_); \
    marked += count_; \
    others += (number) - count_; \
  } while (0)
  for (; from + IW_WARP_SIZE <= end; from += IW_WARP_SIZE) {
    if (!BY_ELEMENTS)
      iw_prefetch((const SCALAR *)args->in + these.at + (uint64_t)from + AHEAD, IW_WARP_SIZE * sizeof(SCALAR));
    PACK_LANES(iw_lanes_below(IW_WARP_SIZE), IW_WARP_SIZE);
  }
  if (from < end) PACK_LANES(iw_lanes_below(end - from), (unsigned)(end - from));
#undef PACK_LANES
#undef MARKS_OF
  return (unsigned)(marked - begin);
}
/* Functions of their own, which have enough registers. */
IW_APART unsigned OF_BY(pack_both)(const iw_partition_args *args, OF_BY(elements) these, int64_t from, int64_t end,
                                   SCALAR *marked, SCALAR *others)
{
  return OF_BY(pack)(args, these, from, end, marked, others, 1);
}
IW_APART unsigned OF_BY(pack_marked)(const iw_partition_args *args, OF_BY(elements) these, int64_t from, int64_t end,
                                     SCALAR *marked)
{
  return OF_BY(pack)(args, these, from, end, marked, marked, 0);
}

/* Marks and counts `here`, and moves `there`, which has been marked, or is the same; returns how many of `there` are marked. */
IW_APART uint64_t OF_BY(do_tiles)(const iw_partition_args *given, SHARED *shared, OF_BY(elements) here,
                                  OF_BY(elements) there, SCALAR *front, SCALAR *rest, uint64_t *counted)
{
  const iw_partition_args copy = *given, *const args = &copy; /* which no store to memory can be suspected to change */
  const int stream = args->stream != 0;
  const int64_t piece = stream ? PIECE_STREAMED : PIECE, most = here.valid > there.valid ? here.valid : there.valid;
  SCALAR *const marked = shared->staged, *const others = marked + STAGED(piece); /* not 4096 bytes away, which caches confuse */
  unsigned lefts = 0, rights = 0;
  uint64_t count = 0, total = 0;
  for (int64_t done = 0; done < most; done += piece) {
#ifdef MARKED
#define COUNT_LANES(i, some) count += iw_popcount(OF_BY(lanes_test)(args, here.at + (uint64_t)(i), some))
#else
#define COUNT_LANES(i, some) do { \
      const iw_mask marks_ = OF_BY(lanes_test)(args, here.at + (uint64_t)(i), some); \
      iw_set_u32(here.marks + (uint64_t)(i) / 32, (uint32_t)marks_); \
      count += iw_popcount(marks_); \
    } while (0)
#endif
    if (done < here.valid) {
      const int64_t end = done + piece < here.valid ? done + piece : here.valid;
      int64_t i = done;
      for (; i + IW_WARP_SIZE <= end; i += IW_WARP_SIZE) {
        if (BY_ELEMENTS)
          iw_prefetch((const SCALAR *)args->in + here.at + (uint64_t)i + AHEAD, IW_WARP_SIZE * sizeof(SCALAR));
        COUNT_LANES(i, iw_lanes_below(IW_WARP_SIZE));
      }
      if (i < end) COUNT_LANES(i, iw_lanes_below(end - i));
    }
#undef COUNT_LANES
    if (done >= there.valid) continue;
    const int64_t end = done + piece < there.valid ? done + piece : there.valid;
    const unsigned more = rest ? OF_BY(pack_both)(args, there, done, end, marked + lefts, others + rights)
                               : OF_BY(pack_marked)(args, there, done, end, marked + lefts);
    lefts += more;
    total += more;
    rights += (unsigned)(end - done) - more;
    const unsigned gone = OF_T(iw_flush)(front, marked, lefts, end == there.valid, stream);
    front += gone;
    lefts -= gone;
    if (rest) {
      const unsigned gone_too = OF_T(iw_flush)(rest, others, rights, end == there.valid, stream);
      rest += gone_too;
      rights -= gone_too;
    } else rights = 0;
  }
  *counted = count;
  return total;
}

/* A tile, whose marks have a place while so many wait. */
IW_FN OF_BY(elements) OF_BY(elements_of)(const iw_partition_args *args, SHARED *shared, uint64_t tile, unsigned place)
{
  const int64_t valid = (int64_t)(args->n - tile * TILE);
  OF_BY(elements) tiles = { tile * TILE, valid < TILE ? valid : TILE, args->marks };
#ifndef MARKED
  tiles.marks = args->marks ? args->marks + tile * (TILE / 32) : shared->marks[place % PARTITION_WAIT];
#endif
  (void)shared, (void)place;
  return tiles;
}

/* To `tile`, if all in front of it is published. */
IW_FN int OF_BY(go_to)(const iw_partition_args *args, DIRECT *my, uint64_t tile, uint32_t partial)
{
  while (my->here < tile) {
    const unsigned count = (unsigned)(tile - my->here < IW_WARP_SIZE ? tile - my->here : IW_WARP_SIZE);
    iw_polled_u32 words;
    iw_mask heads;
    if (!tiles_known_u32(args->tile_words, my->here, count, partial, 0, &words, &heads)) return 0;
    my->before += iw_warp_sum_u32(words.value);
    my->here += count;
  }
  return 1;
}

/* A tile that was taken, or none any more: one of those that wait has to be moved then. */
IW_FN void OF_BY(take)(const iw_partition_args *args, SHARED *shared, DIRECT *my, uint64_t tile, uint32_t partial)
{
  const uint64_t none = (args->n + TILE - 1) / TILE;
  const OF_BY(elements) nothing = { 0, 0, NULL };
  const int loading = tile < none;
  if (loading) my->waiting[my->end++ % PARTITION_WAIT] = tile;
  const uint64_t first = my->waiting[my->first % PARTITION_WAIT];
  int known = OF_BY(go_to)(args, my, first, partial);
  if (!loading || my->end - my->first == PARTITION_WAIT)
    for (unsigned spins = 0; !known; known = OF_BY(go_to)(args, my, first, partial)) iw_pause(&spins);
  uint64_t count;
  const uint64_t before = my->before;
  const uint64_t moved = OF_BY(do_tiles)(args, shared,
                                         loading ? OF_BY(elements_of)(args, shared, tile, my->end - 1) : nothing,
                                         known ? OF_BY(elements_of)(args, shared, first, my->first) : nothing,
                                         (SCALAR *)args->front + before,
                                         args->rest ? (SCALAR *)args->rest + (first * TILE - before) : NULL, &count);
  if (loading) iw_publish_u32(args->tile_words, (size_t)tile, partial, (uint32_t)count);
  if (!known) return;
  my->first++;
  my->here = first + 1;
  my->before += moved;
  if (first + 1 == none && args->count) iw_set_u64(args->count, my->before / EACH);
}

/* Counts elements from `at` to `end`, a tile's worth at a time, and moves them if that is wanted; returns how many are marked. */
IW_FN uint64_t OF_BY(do_all)(const iw_partition_args *args, SHARED *shared, uint64_t at, uint64_t end, int moving, SCALAR *front,
                             SCALAR *rest)
{
  const OF_BY(elements) nothing = { 0, 0, NULL };
  uint64_t sum = 0;
  for (; at < end; at += TILE) {
    OF_BY(elements) some = { at, (int64_t)(end - at < TILE ? end - at : TILE), args->marks };
#ifndef MARKED
    some.marks = args->marks ? args->marks + at / 32 : shared->marks[0];
#endif
    uint64_t count;
    const uint64_t moved = OF_BY(do_tiles)(args, shared, some, moving ? some : nothing, front, rest, &count);
    if (front) front += moved;
    if (rest) rest += (uint64_t)some.valid - moved;
    sum += count;
  }
  return sum;
}

/* Where one of `parts` begins that a launch counts one by one. */
IW_FN uint64_t OF_BY(part)(const iw_partition_args *args, uint64_t parts, uint64_t part)
{
  enum { UNIT = 1024 * EACH };
  if (parts == 1) return part ? args->n : 0;
  const uint64_t units = (args->n + UNIT - 1) / UNIT, each = units / parts, more = units % parts;
  const uint64_t at = (each * part + (part < more ? part : more)) * UNIT;
  return at < args->n ? at : args->n;
}

/* Marked in the first parts. */
IW_FN uint64_t OF_BY(in_parts)(const iw_partition_args *args, uint64_t parts)
{
  uint64_t sum = 0;
  for (uint64_t p = 0; p < parts; p++) sum += iw_get_u64(args->parts + p);
  return sum * EACH;
}

/* Moves what was counted as one part. */
IW_FN void OF_BY(move_part)(const iw_partition_args *args, SHARED *shared, uint64_t part)
{
  const uint64_t before = OF_BY(in_parts)(args, part), all = OF_BY(in_parts)(args, args->counted);
  const uint64_t from = OF_BY(part)(args, args->counted, part), end = OF_BY(part)(args, args->counted, part + 1);
  SCALAR *const front = (SCALAR *)args->front;
  OF_BY(do_all)(args, shared, from, end, 1, front + before, front + all + (from - before));
  if (part + 1 == args->counted && args->count) iw_set_u64(args->count, all / EACH);
}

IW_KERNEL_ONCE(OF_BY(partition), SHARED, iw_partition_args, 32, PARTITION_BLOCKS)
{
  if (args->counting) {
    IW_PHASE(warp) {
      const uint64_t from = OF_BY(part)(args, block->blocks, block->index);
      const uint64_t end = OF_BY(part)(args, block->blocks, block->index + 1);
      iw_set_u64(args->parts + block->index, OF_BY(do_all)(args, shared, from, end, 0, NULL, NULL) / EACH);
    }
  } else if (block->blocks == 1) { /* nobody has to be told */
    IW_PHASE(warp) {
      SCALAR *const front = (SCALAR *)args->front;
      SCALAR *rest = (SCALAR *)args->rest;
      if (UNCOUNTED(args)) rest = front + OF_BY(do_all)(args, shared, 0, args->n, 0, NULL, NULL);
      else if (args->parts) rest = front + OF_BY(in_parts)(args, args->counted);
      const uint64_t count = OF_BY(do_all)(args, shared, 0, args->n, 1, front, rest);
      if (args->count) iw_set_u64(args->count, count / EACH);
    }
  } else {
    IW_VAR(DIRECT, my);
    uint32_t first;
    const uint32_t partial = iw_open(args->tickets, &first) * 4 + PARTIAL;
    const uint64_t none = args->parts ? args->counted : (args->n + TILE - 1) / TILE;
    IW_WARPS(warp) {
      DIRECT *const mine = &IW_MY(my);
      mine->here = mine->before = 0;
      mine->first = mine->end = 0;
    }
    for (uint64_t next = first, loading = 1; loading;) { /* and at last what still waits */
      const uint64_t now = next;
      loading = now < none;
      IW_PHASE(warp) {
        DIRECT *const mine = &IW_MY(my);
        if (args->parts && loading) OF_BY(move_part)(args, shared, now);
        else if (loading) OF_BY(take)(args, shared, mine, now, partial);
        else while (mine->first < mine->end) OF_BY(take)(args, shared, mine, none, partial);
        if (loading && warp == 0) iw_bring(iw_ask(args->tickets));
      }
      if (loading) next = (uint64_t)iw_brought();
    }
    iw_close(args->tickets);
  }
}

#undef DIRECT
#undef PIECE
#undef AHEAD
#undef LOAD_LANES
