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
#define REREAD_STATE OF_BY(reread_state)
#define STRIP ((int64_t)(PARTITION_STRIP_BYTES / sizeof(SCALAR)))
#define NONTEMPORAL_STRIP ((int64_t)(PARTITION_NONTEMPORAL_STRIP_BYTES / sizeof(SCALAR)))
#define PREFETCH_ELEMENTS (PARTITION_PREFETCH_BYTES / sizeof(SCALAR))
/* Of one side: a piece, what did not fill a line before it, and what packing overwrites. */
#define STAGE_ELEMENTS(strip) ((strip) + 128 / (int)sizeof(SCALAR) + 2 * IW_WARP_SIZE)
static_assert(PARTITION_QUEUE_TILES >= 1, "PARTITION_QUEUE_TILES is at least 1");
static_assert(STRIP % IW_WARP_SIZE == 0 && NONTEMPORAL_STRIP % IW_WARP_SIZE == 0 && NONTEMPORAL_STRIP <= STRIP,
              "a piece is whole warps, and there is room for it");

typedef struct {
  SCALAR staged[2 * STAGE_ELEMENTS(STRIP)];
#ifndef BIT_FLAGS
  uint32_t flag_bits[PARTITION_QUEUE_TILES][TILE / 32]; /* of the tiles that wait, where nobody else wants them */
#endif
} SHARED;

/* What a warp knows, and has yet to do. */
typedef struct {
  uint64_t prefix_tile, prefix;            /* a tile, the first that it has not moved or an earlier one; selected in front of it */
  uint64_t queue[PARTITION_QUEUE_TILES]; /* tiles that are published and not moved, at their number modulo these */
  unsigned head, tail;
} REREAD_STATE;

/* Elements that are numbers are not in memory. */
#ifdef INDEX_INPUT
#define LOAD_LANES(at, some) (args->index_input ? OF_T(iw_iota)(at) : OF_T(iw_load)((const SCALAR *)args->in + (at), some))
#else
#define LOAD_LANES(at, some) OF_T(iw_load)((const SCALAR *)args->in + (at), some)
#endif

/* Which of the lanes at `at`, a multiple of 32, some of which are there, are selected. */
IW_FN iw_mask OF_BY(lane_flags)(const iw_partition_args *args, uint64_t at, iw_pred some)
{
#if defined(BIT_FLAGS)
  const uint32_t word = iw_get_u32(args->flag_bits + at / ELEMENTS_PER_FLAG / 32);
  return iw_ballot(iw_and_pred(some, iw_pred_of(ELEMENTS_PER_FLAG == 1 ? word : iws_duplicate_bits(word >> at / ELEMENTS_PER_FLAG % 32 & 0xffff))));
#elif defined(BYTE_FLAGS)
  return iw_ballot_u8(args->flags + at, some);
#else
  const iw_pred selected = OF_BY(iw_test)(args, LOAD_LANES(at, some));
  return iw_ballot(iw_and_pred(some, args->inverted ? iw_not_pred(selected) : selected));
#endif
}

/* Elements from `at` on, and a place for their flag_bits, a bit each, where these do not decide. */
typedef struct { uint64_t at; int64_t valid; uint32_t *flag_bits; } OF_BY(elements);

/* Packs elements `from` to `end` of these, which are selected: those that are, and the rejected if both are wanted. */
IW_FN unsigned OF_BY(pack)(const iw_partition_args *args, OF_BY(elements) these, int64_t from, int64_t end, SCALAR *selected,
                           SCALAR *rejected, int both)
{
  const SCALAR *const begin = selected;
#ifdef BIT_FLAGS
#define FLAGS_OF(some) OF_BY(lane_flags)(args, these.at + (uint64_t)from, some)
#else
#define FLAGS_OF(some) iw_get_u32(these.flag_bits + (uint64_t)from / 32)
#endif
#define PACK_LANES(some, number) do { \
    const LANES x_ = LOAD_LANES(these.at + (uint64_t)from, some); \
    const iw_pred selected_ = iw_pred_of(FLAGS_OF(some)); \
    const unsigned count_ = both ? OF_T(iw_compact_both)(selected, rejected, x_, selected_, some) : OF_T(iw_compact)(selected, x_, selected_); \
    selected += count_; \
    rejected += (number) - count_; \
  } while (0)
  for (; from + IW_WARP_SIZE <= end; from += IW_WARP_SIZE) {
    if (!TESTS_ELEMENTS)
      iw_prefetch((const SCALAR *)args->in + these.at + (uint64_t)from + PREFETCH_ELEMENTS, IW_WARP_SIZE * sizeof(SCALAR));
    PACK_LANES(iw_lanes_below(IW_WARP_SIZE), IW_WARP_SIZE);
  }
  if (from < end) PACK_LANES(iw_lanes_below(end - from), (unsigned)(end - from));
#undef PACK_LANES
#undef FLAGS_OF
  return (unsigned)(selected - begin);
}
/* Functions of their own, which have enough registers. */
IW_NOINLINE_FN unsigned OF_BY(pack_both)(const iw_partition_args *args, OF_BY(elements) these, int64_t from, int64_t end,
                                   SCALAR *selected, SCALAR *rejected)
{
  return OF_BY(pack)(args, these, from, end, selected, rejected, 1);
}
IW_NOINLINE_FN unsigned OF_BY(pack_selected)(const iw_partition_args *args, OF_BY(elements) these, int64_t from, int64_t end,
                                     SCALAR *selected)
{
  return OF_BY(pack)(args, these, from, end, selected, selected, 0);
}

/* Marks and counts `here`, and moves `there`, which has been marked, or is the same; returns how many of `there` are selected. */
IW_NOINLINE_FN uint64_t OF_BY(flag_and_pack_tiles)(const iw_partition_args *given, SHARED *shared, OF_BY(elements) here,
                                  OF_BY(elements) there, SCALAR *front, SCALAR *rest, uint64_t *counted)
{
  const iw_partition_args copy = *given, *const args = &copy; /* which no store to memory can be suspected to change */
  const int nontemporal = args->nontemporal != 0;
  const int64_t strip = nontemporal ? NONTEMPORAL_STRIP : STRIP, most = here.valid > there.valid ? here.valid : there.valid;
  SCALAR *const selected = shared->staged, *const rejected = selected + STAGE_ELEMENTS(strip); /* not 4096 bytes away, which caches confuse */
  unsigned selected_count = 0, rejected_count = 0;
  uint64_t count = 0, total = 0;
  for (int64_t done = 0; done < most; done += strip) {
#ifdef BIT_FLAGS
#define COUNT_LANES(i, some) count += iw_popcount(OF_BY(lane_flags)(args, here.at + (uint64_t)(i), some))
#else
#define COUNT_LANES(i, some) do { \
      const iw_mask flags_ = OF_BY(lane_flags)(args, here.at + (uint64_t)(i), some); \
      iw_set_u32(here.flag_bits + (uint64_t)(i) / 32, (uint32_t)flags_); \
      count += iw_popcount(flags_); \
    } while (0)
#endif
    if (done < here.valid) {
      const int64_t end = done + strip < here.valid ? done + strip : here.valid;
      int64_t i = done;
      for (; i + IW_WARP_SIZE <= end; i += IW_WARP_SIZE) {
        if (TESTS_ELEMENTS)
          iw_prefetch((const SCALAR *)args->in + here.at + (uint64_t)i + PREFETCH_ELEMENTS, IW_WARP_SIZE * sizeof(SCALAR));
        COUNT_LANES(i, iw_lanes_below(IW_WARP_SIZE));
      }
      if (i < end) COUNT_LANES(i, iw_lanes_below(end - i));
    }
#undef COUNT_LANES
    if (done >= there.valid) continue;
    const int64_t end = done + strip < there.valid ? done + strip : there.valid;
    const unsigned more = rest ? OF_BY(pack_both)(args, there, done, end, selected + selected_count, rejected + rejected_count)
                               : OF_BY(pack_selected)(args, there, done, end, selected + selected_count);
    selected_count += more;
    total += more;
    rejected_count += (unsigned)(end - done) - more;
    const unsigned flushed = OF_T(iw_flush)(front, selected, selected_count, end == there.valid, nontemporal);
    front += flushed;
    selected_count -= flushed;
    if (rest) {
      const unsigned flushed_rejected = OF_T(iw_flush)(rest, rejected, rejected_count, end == there.valid, nontemporal);
      rest += flushed_rejected;
      rejected_count -= flushed_rejected;
    } else rejected_count = 0;
  }
  *counted = count;
  return total;
}

/* A tile, whose flag_bits have a place while so many wait. */
IW_FN OF_BY(elements) OF_BY(elements_of)(const iw_partition_args *args, SHARED *shared, uint64_t tile, unsigned place)
{
  const int64_t valid = (int64_t)(args->n - tile * TILE);
  OF_BY(elements) tiles = { tile * TILE, valid < TILE ? valid : TILE, args->flag_bits };
#ifndef BIT_FLAGS
  tiles.flag_bits = args->flag_bits ? args->flag_bits + tile * (TILE / 32) : shared->flag_bits[place % PARTITION_QUEUE_TILES];
#endif
  (void)shared, (void)place;
  return tiles;
}

/* To `tile`, if all in front of it is published. */
IW_FN int OF_BY(try_resolve)(const iw_partition_args *args, REREAD_STATE *my, uint64_t tile, uint32_t aggregate_flag)
{
  while (my->prefix_tile < tile) {
    const unsigned count = (unsigned)(tile - my->prefix_tile < IW_WARP_SIZE ? tile - my->prefix_tile : IW_WARP_SIZE);
    iw_polled_u32 words;
    iw_mask heads;
    if (!try_load_tile_states_u32(args->tile_states, my->prefix_tile, count, aggregate_flag, 0, &words, &heads)) return 0;
    my->prefix += iw_warp_sum_u32(words.value);
    my->prefix_tile += count;
  }
  return 1;
}

/* A tile that was taken, or none any more: one of those that wait has to be moved then. */
IW_FN void OF_BY(enqueue_or_drain)(const iw_partition_args *args, SHARED *shared, REREAD_STATE *my, uint64_t tile, uint32_t aggregate_flag)
{
  const uint64_t end_tile = (args->n + TILE - 1) / TILE;
  const OF_BY(elements) nothing = { 0, 0, NULL };
  const int loading = tile < end_tile;
  if (loading) my->queue[my->tail++ % PARTITION_QUEUE_TILES] = tile;
  const uint64_t first = my->queue[my->head % PARTITION_QUEUE_TILES];
  int known = OF_BY(try_resolve)(args, my, first, aggregate_flag);
  if (!loading || my->tail - my->head == PARTITION_QUEUE_TILES)
    for (unsigned spins = 0; !known; known = OF_BY(try_resolve)(args, my, first, aggregate_flag)) iw_pause(&spins);
  uint64_t count;
  const uint64_t before = my->prefix;
  const uint64_t moved = OF_BY(flag_and_pack_tiles)(args, shared,
                                         loading ? OF_BY(elements_of)(args, shared, tile, my->tail - 1) : nothing,
                                         known ? OF_BY(elements_of)(args, shared, first, my->head) : nothing,
                                         (SCALAR *)args->front + before,
                                         args->rest ? (SCALAR *)args->rest + (first * TILE - before) : NULL, &count);
  if (loading) iw_publish_u32(args->tile_states, (size_t)tile, aggregate_flag, (uint32_t)count);
  if (!known) return;
  my->head++;
  my->prefix_tile = first + 1;
  my->prefix += moved;
  if (first + 1 == end_tile && args->count) iw_set_u64(args->count, my->prefix / ELEMENTS_PER_FLAG);
}

/* Counts elements from `at` to `end`, a tile's worth at a time, and moves them if that is wanted; returns how many are selected. */
IW_FN uint64_t OF_BY(process_range)(const iw_partition_args *args, SHARED *shared, uint64_t at, uint64_t end, int moving, SCALAR *front,
                             SCALAR *rest)
{
  const OF_BY(elements) nothing = { 0, 0, NULL };
  uint64_t sum = 0;
  for (; at < end; at += TILE) {
    OF_BY(elements) some = { at, (int64_t)(end - at < TILE ? end - at : TILE), args->flag_bits };
#ifndef BIT_FLAGS
    some.flag_bits = args->flag_bits ? args->flag_bits + at / 32 : shared->flag_bits[0];
#endif
    uint64_t count;
    const uint64_t moved = OF_BY(flag_and_pack_tiles)(args, shared, some, moving ? some : nothing, front, rest, &count);
    if (front) front += moved;
    if (rest) rest += (uint64_t)some.valid - moved;
    sum += count;
  }
  return sum;
}

/* Where one of `parts` begins that a launch counts one by one. */
IW_FN uint64_t OF_BY(part_begin)(const iw_partition_args *args, uint64_t parts, uint64_t part)
{
  enum { UNIT = 1024 * ELEMENTS_PER_FLAG };
  if (parts == 1) return part ? args->n : 0;
  const uint64_t units = (args->n + UNIT - 1) / UNIT, each = units / parts, more = units % parts;
  const uint64_t at = (each * part + (part < more ? part : more)) * UNIT;
  return at < args->n ? at : args->n;
}

/* Marked in the first parts. */
IW_FN uint64_t OF_BY(selected_in_parts)(const iw_partition_args *args, uint64_t parts)
{
  uint64_t sum = 0;
  for (uint64_t p = 0; p < parts; p++) sum += iw_get_u64(args->block_counts + p);
  return sum * ELEMENTS_PER_FLAG;
}

/* Moves what was counted as one part. */
IW_FN void OF_BY(move_part)(const iw_partition_args *args, SHARED *shared, uint64_t part)
{
  const uint64_t before = OF_BY(selected_in_parts)(args, part), all = OF_BY(selected_in_parts)(args, args->counted_blocks);
  const uint64_t from = OF_BY(part_begin)(args, args->counted_blocks, part), end = OF_BY(part_begin)(args, args->counted_blocks, part + 1);
  SCALAR *const front = (SCALAR *)args->front;
  OF_BY(process_range)(args, shared, from, end, 1, front + before, front + all + (from - before));
  if (part + 1 == args->counted_blocks && args->count) iw_set_u64(args->count, all / ELEMENTS_PER_FLAG);
}

IW_KERNEL_NO_SPECIALIZATION(OF_BY(partition), SHARED, iw_partition_args, 32, PARTITION_BLOCKS)
{
  if (args->count_only) {
    IW_PHASE(warp) {
      const uint64_t from = OF_BY(part_begin)(args, block->blocks, block->index);
      const uint64_t end = OF_BY(part_begin)(args, block->blocks, block->index + 1);
      iw_set_u64(args->block_counts + block->index, OF_BY(process_range)(args, shared, from, end, 0, NULL, NULL) / ELEMENTS_PER_FLAG);
    }
  } else if (block->blocks == 1) { /* nobody has to be told */
    IW_PHASE(warp) {
      SCALAR *const front = (SCALAR *)args->front;
      SCALAR *rest = (SCALAR *)args->rest;
      if (BLOCK_COUNTS_ITSELF(args)) rest = front + OF_BY(process_range)(args, shared, 0, args->n, 0, NULL, NULL);
      else if (args->block_counts) rest = front + OF_BY(selected_in_parts)(args, args->counted_blocks);
      const uint64_t count = OF_BY(process_range)(args, shared, 0, args->n, 1, front, rest);
      if (args->count) iw_set_u64(args->count, count / ELEMENTS_PER_FLAG);
    }
  } else {
    IW_VAR(REREAD_STATE, my);
    uint32_t first;
    const uint32_t aggregate_flag = iw_tickets_open(args->tickets, &first) * 4 + TILE_AGGREGATE;
    const uint64_t end_tile = args->block_counts ? args->counted_blocks : (args->n + TILE - 1) / TILE;
    IW_WARPS(warp) {
      REREAD_STATE *const mine = &IW_MY(my);
      mine->prefix_tile = mine->prefix = 0;
      mine->head = mine->tail = 0;
    }
    for (uint64_t next = first, loading = 1; loading;) { /* and at last what still waits */
      const uint64_t now = next;
      loading = now < end_tile;
      IW_PHASE(warp) {
        REREAD_STATE *const mine = &IW_MY(my);
        if (args->block_counts && loading) OF_BY(move_part)(args, shared, now);
        else if (loading) OF_BY(enqueue_or_drain)(args, shared, mine, now, aggregate_flag);
        else while (mine->head < mine->tail) OF_BY(enqueue_or_drain)(args, shared, mine, end_tile, aggregate_flag);
        if (loading && warp == 0) iw_ticket_post(iw_ticket_request(args->tickets));
      }
      if (loading) next = (uint64_t)iw_ticket_receive();
    }
    iw_tickets_close(args->tickets);
  }
}

#undef REREAD_STATE
#undef STRIP
#undef PREFETCH_ELEMENTS
#undef LOAD_LANES
