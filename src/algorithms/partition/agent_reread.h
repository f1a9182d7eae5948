/* SPDX-License-Identifier: Apache-2.0
 *
 * The re-read agent of partition (template partition_kernel.h), for CPUs: one warp per block, one block per
 * thread. CUB has no counterpart, as a GPU has no cache that holds a block's last tiles; the look-back is
 * that of Merrill and Garland 2016. The agent takes tiles by tickets. For a tile it
 *   1. flags the elements, keeps one bit for each, counts them, and publishes the count;
 *   2. queues the tile, whose elements stay in the core's cache, until its exclusive prefix is known;
 *   3. then reads the elements again, packs them by their flag bits into two small stage buffers, selected
 *      and rejected, and moves whole cache lines from there to the outputs.
 * Step 3 of a queued tile is interleaved with step 1 of a new one, a strip of elements at a time, so that
 * memory is read and written at the same time. Elements whose prefix is known are flagged and moved at once:
 * all elements if there is a single block, or if a counting launch came before. After a counting launch a
 * block moves just the part of the array that one block has counted, and needs no look-back
 * (doc/design/partition.md#one-output-array).
 *
 * The order of publication is that of common/look_back.h without groups. A block waits only if its queue is
 * full or no tile is left, and then only for tiles before the first one that it has queued. The block that
 * holds the first unpublished tile has moved or queued all of its tiles before, so it waits for nobody,
 * flags the tile and publishes it.
 *
 * This file is a part of its template and knows the template's macros only.
 */
#ifndef ISOWARP_PARTITION_AGENT_REREAD_H
#define ISOWARP_PARTITION_AGENT_REREAD_H
static_assert(PARTITION_QUEUE_TILES >= 1, "PARTITION_QUEUE_TILES is at least 1");

/* The tiles that are published and not moved, a ring buffer, and the last prefix that is known: `prefix`
 * selected elements come before tile prefix_tile, which is the first tile that was not moved, or an earlier
 * one. */
typedef struct {
  uint64_t prefix_tile, prefix;
  uint64_t tiles[PARTITION_QUEUE_TILES];
  unsigned head, tail;
} partition_queue;

/* The elements from `at` on, and where their flag bits are, unless args->flag_bits decides (BIT_FLAGS). */
typedef struct { uint64_t at; int64_t valid; uint32_t *flag_bits; } partition_span;

/* Advances the known prefix to `tile`, as far as earlier tiles are published; returns whether it got
 * there. */
IW_NOINLINE_FN int partition_try_resolve(const iw_look_back *look_back, partition_queue *queue, uint64_t tile)
{
  while (queue->prefix_tile < tile) {
    const unsigned count = (unsigned)(tile - queue->prefix_tile < IW_WARP_SIZE ? tile - queue->prefix_tile : IW_WARP_SIZE);
    iw_polled_u32 states;
    iw_mask heads;
    if (!try_load_tile_states_u32(look_back, queue->prefix_tile, count, 0, &states, &heads)) return 0;
    queue->prefix += iw_warp_sum_u32(states.value);
    queue->prefix_tile += count;
  }
  return 1;
}
#endif

#define STRIP ((int64_t)(PARTITION_STRIP_BYTES / sizeof(SCALAR)))
#define NONTEMPORAL_STRIP ((int64_t)(PARTITION_NONTEMPORAL_STRIP_BYTES / sizeof(SCALAR)))
#define PREFETCH_ELEMENTS (PARTITION_PREFETCH_BYTES / sizeof(SCALAR))
/* A stage buffer: a strip, up to a line that was left over from the strip before, and what packing may
 * overwrite behind them. */
#define STAGE_ELEMENTS(strip) ((strip) + 128 / (int)sizeof(SCALAR) + 2 * IW_WARP_SIZE)
static_assert(STRIP % IW_WARP_SIZE == 0 && NONTEMPORAL_STRIP % IW_WARP_SIZE == 0 && NONTEMPORAL_STRIP <= STRIP,
              "a strip is whole warps, and there is room for it");

typedef struct {
  SCALAR staged[2 * STAGE_ELEMENTS(STRIP)];
#ifndef BIT_FLAGS
  uint32_t flag_bits[PARTITION_QUEUE_TILES][TILE / 32];     /* of queued tiles, if the caller does not want them */
#endif
} SHARED;

/* ---- Flags of 32 elements: by a test, by bytes, or by bits ---- */

IW_FN LANES FN(load_lanes)(const iw_partition_args *args, uint64_t at, iw_pred some)
{
#ifdef INDEX_INPUT
  if (args->index_input) return OF_T(iw_iota)(at);
#endif
  return OF_T(iw_load)((const SCALAR *)args->in + at, some);
}

/* Which of the elements at `at`, a multiple of 32, are selected; `some` of them are there. */
IW_FN iw_mask FN(lane_flags)(const iw_partition_args *args, uint64_t at, iw_pred some)
{
#if defined(BIT_FLAGS)
  const uint32_t word = iw_get_u32(args->flag_bits + at / ELEMENTS_PER_FLAG / 32);
  return iw_ballot(iw_and_pred(some, iw_pred_of(ELEMENTS_PER_FLAG == 1 ? word : iws_duplicate_bits(word >> at / ELEMENTS_PER_FLAG % 32 & 0xffff))));
#elif defined(BYTE_FLAGS)
  return iw_ballot_u8(args->flags + at, some);
#elif defined(HEADS)
  const LANES x = FN(load_lanes)(args, at, some);
  const LANES before = at ? FN(load_lanes)(args, at - 1, some) : OF_T(iw_shift)(x, 0);
  return iw_ballot(iw_and_pred(some, OF_T(iw_ne)(x, before))) | (at == 0);
#else
  const iw_pred selected = IW_JOIN(iw_test, BY)(args, FN(load_lanes)(args, at, some));
  return iw_ballot(iw_and_pred(some, args->inverted ? iw_not_pred(selected) : selected));
#endif
}

/* The same, and keeps them for step 3 where that needs them; element i of a span. */
IW_FN unsigned FN(count_lanes)(const iw_partition_args *args, partition_span span, int64_t i, iw_pred some)
{
  const iw_mask flags = FN(lane_flags)(args, span.at + (uint64_t)i, some);
#ifndef BIT_FLAGS
  iw_set_u32(span.flag_bits + (uint64_t)i / 32, (uint32_t)flags);
#endif
  return iw_popcount(flags);
}

/* The flags of a span that was flagged before. */
IW_FN iw_mask FN(kept_flags)(const iw_partition_args *args, partition_span span, int64_t i, iw_pred some)
{
#ifdef BIT_FLAGS
  return FN(lane_flags)(args, span.at + (uint64_t)i, some);
#else
  (void)args, (void)some;
  return iw_get_u32(span.flag_bits + (uint64_t)i / 32);
#endif
}

/* ---- Packing ---- */

/* Packs the elements i … i + 31 of a span, of which `some` are there; returns how many are selected. */
IW_FN unsigned FN(pack_lanes)(const iw_partition_args *args, partition_span span, int64_t i, iw_pred some, SCALAR *selected, SCALAR *rejected,
                              int wants_rejected)
{
  const LANES x = FN(load_lanes)(args, span.at + (uint64_t)i, some);
  const iw_pred flags = iw_pred_of(FN(kept_flags)(args, span, i, some));
  return wants_rejected ? OF_T(iw_compact_both)(selected, rejected, x, flags, some) : OF_T(iw_compact)(selected, x, flags);
}

/* Packs the elements from … end-1 of a span; returns how many are selected. */
IW_FN unsigned FN(pack)(const iw_partition_args *args, partition_span span, int64_t from, int64_t end, SCALAR *selected, SCALAR *rejected,
                        int wants_rejected)
{
  const SCALAR *const begin = selected;
  for (; from + IW_WARP_SIZE <= end; from += IW_WARP_SIZE) {
    if (!TESTS_ELEMENTS)
      iw_prefetch((const SCALAR *)args->in + span.at + (uint64_t)from + PREFETCH_ELEMENTS, IW_WARP_SIZE * sizeof(SCALAR));
    const unsigned count = FN(pack_lanes)(args, span, from, iw_lanes_below(IW_WARP_SIZE), selected, rejected, wants_rejected);
    selected += count;
    rejected += IW_WARP_SIZE - count;
  }
  if (from < end) selected += FN(pack_lanes)(args, span, from, iw_lanes_below(end - from), selected, rejected, wants_rejected);
  return (unsigned)(selected - begin);
}

/* Not inlined, so that each loop has all registers (doc/design/partition.md#instructions-on-cpus). */
IW_NOINLINE_FN unsigned FN(pack_both)(const iw_partition_args *args, partition_span span, int64_t from, int64_t end, SCALAR *selected,
                                      SCALAR *rejected)
{
  return FN(pack)(args, span, from, end, selected, rejected, 1);
}
IW_NOINLINE_FN unsigned FN(pack_selected)(const iw_partition_args *args, partition_span span, int64_t from, int64_t end, SCALAR *selected)
{
  return FN(pack)(args, span, from, end, selected, selected, 0);
}

/* Flags the elements from … end-1 of a span; returns how many are selected. */
IW_FN uint64_t FN(count_strip)(const iw_partition_args *args, partition_span span, int64_t from, int64_t end)
{
  uint64_t count = 0;
  for (; from + IW_WARP_SIZE <= end; from += IW_WARP_SIZE) {
    if (TESTS_ELEMENTS)
      iw_prefetch((const SCALAR *)args->in + span.at + (uint64_t)from + PREFETCH_ELEMENTS, IW_WARP_SIZE * sizeof(SCALAR));
    count += FN(count_lanes)(args, span, from, iw_lanes_below(IW_WARP_SIZE));
  }
  if (from < end) count += FN(count_lanes)(args, span, from, iw_lanes_below(end - from));
  return count;
}

/* Flags and counts the span `flagged`, and moves the span `moved`, which was flagged before or is the same,
 * strip by strip. rest NULL: rejected elements are not wanted. Returns how many of `moved` are selected,
 * and in *counted how many of `flagged`. */
IW_NOINLINE_FN uint64_t FN(flag_and_move)(const iw_partition_args *given, SHARED *shared, partition_span flagged, partition_span moved, SCALAR *front,
                                          SCALAR *rest, uint64_t *counted)
{
  /* A copy in registers: the compiler must assume that stores to the outputs change *given. */
  const iw_partition_args copy = *given, *const args = &copy;
  const int nontemporal = args->nontemporal != 0;
  const int64_t strip = nontemporal ? NONTEMPORAL_STRIP : STRIP, longest = flagged.valid > moved.valid ? flagged.valid : moved.valid;
  /* The buffers are not 4096 bytes apart, as a load would seem to depend on a store 4096 bytes away. */
  SCALAR *const selected = shared->staged, *const rejected = selected + STAGE_ELEMENTS(strip);
  unsigned selected_count = 0, rejected_count = 0;          /* elements in the buffers */
  uint64_t count = 0, total = 0;
  for (int64_t done = 0; done < longest; done += strip) {
    if (done < flagged.valid)
      count += FN(count_strip)(args, flagged, done, done + strip < flagged.valid ? done + strip : flagged.valid);
    if (done >= moved.valid) continue;
    const int64_t end = done + strip < moved.valid ? done + strip : moved.valid;
    const unsigned more = rest ? FN(pack_both)(args, moved, done, end, selected + selected_count, rejected + rejected_count)
                               : FN(pack_selected)(args, moved, done, end, selected + selected_count);
    selected_count += more;
    total += more;
    rejected_count += (unsigned)(end - done) - more;
    const unsigned flushed = OF_T(iw_flush)(front, selected, selected_count, end == moved.valid, nontemporal);
    front += flushed;
    selected_count -= flushed;
    if (rest) {
      const unsigned flushed_rejected = OF_T(iw_flush)(rest, rejected, rejected_count, end == moved.valid, nontemporal);
      rest += flushed_rejected;
      rejected_count -= flushed_rejected;
    } else rejected_count = 0;
  }
  *counted = count;
  return total;
}

/* ---- Tiles whose prefix is found by look-back ---- */

/* A tile as a span. slot: of the queue, whose flag bits it uses unless the caller wants them. */
IW_FN partition_span FN(span_of_tile)(const iw_partition_args *args, SHARED *shared, uint64_t tile, unsigned slot)
{
  const int64_t valid = (int64_t)(args->n - tile * TILE);
  partition_span span = { tile * TILE, valid < TILE ? valid : TILE, args->flag_bits };
#ifndef BIT_FLAGS
  span.flag_bits = args->flag_bits ? args->flag_bits + tile * (TILE / 32) : shared->flag_bits[slot % PARTITION_QUEUE_TILES];
#endif
  (void)shared, (void)slot;
  return span;
}

/* Flags, publishes and queues `tile`, and moves the first queued tile if its prefix is known. tile ==
 * end_tile: there is none, and the first queued tile is waited for, as it is if the queue is full. */
IW_NOINLINE_FN void FN(enqueue_or_drain)(const iw_partition_args *args, const iw_look_back *look_back,
                                         SHARED *shared, partition_queue *queue, uint64_t tile)
{
  const uint64_t end_tile = (args->n + TILE - 1) / TILE;
  const partition_span nothing = { 0, 0, NULL };
  const int loading = tile < end_tile;
  if (loading) queue->tiles[queue->tail++ % PARTITION_QUEUE_TILES] = tile;
  const uint64_t first = queue->tiles[queue->head % PARTITION_QUEUE_TILES];
  int known = partition_try_resolve(look_back, queue, first);
  if (!loading || queue->tail - queue->head == PARTITION_QUEUE_TILES)
    for (unsigned spins = 0; !known; known = partition_try_resolve(look_back, queue, first)) iw_pause(&spins);
  uint64_t count;
  const uint64_t before = queue->prefix;
  const uint64_t moved = FN(flag_and_move)(args, shared,
                                           loading ? FN(span_of_tile)(args, shared, tile, queue->tail - 1) : nothing,
                                           known ? FN(span_of_tile)(args, shared, first, queue->head) : nothing,
                                           (SCALAR *)args->front + before,
                                           args->rest ? (SCALAR *)args->rest + (first * TILE - before) : NULL, &count);
  if (loading) publish_tile_u32(look_back, tile, TILE_AGGREGATE, (uint32_t)count);
  if (!known) return;
  queue->head++;
  queue->prefix_tile = first + 1;
  queue->prefix += moved;
  if (first + 1 == end_tile && args->count) iw_set_u64(args->count, queue->prefix / ELEMENTS_PER_FLAG);
}

/* ---- Elements whose prefix is known ---- */

/* Flags the elements at … end-1, a tile at a time, and moves them if `moves`; returns how many are
 * selected. */
IW_NOINLINE_FN uint64_t FN(process_range)(const iw_partition_args *args, SHARED *shared, uint64_t at, uint64_t end, int moves, SCALAR *front,
                                 SCALAR *rest)
{
  const partition_span nothing = { 0, 0, NULL };
  uint64_t sum = 0;
  for (; at < end; at += TILE) {
    partition_span span = { at, (int64_t)(end - at < TILE ? end - at : TILE), args->flag_bits };
#ifndef BIT_FLAGS
    span.flag_bits = args->flag_bits ? args->flag_bits + at / 32 : shared->flag_bits[0];
#endif
    uint64_t count;
    const uint64_t moved = FN(flag_and_move)(args, shared, span, moves ? span : nothing, front, rest, &count);
    if (front) front += moved;
    if (rest) rest += (uint64_t)span.valid - moved;
    sum += count;
  }
  return sum;
}

/* Where part `part` of the array begins, of as many as a counting launch has blocks: whole words of flag
 * bits. */
IW_FN uint64_t FN(part_begin)(const iw_partition_args *args, uint64_t parts, uint64_t part)
{
  enum { UNIT = 1024 * ELEMENTS_PER_FLAG };
  if (parts == 1) return part ? args->n : 0;
  const uint64_t units = (args->n + UNIT - 1) / UNIT, each = units / parts, more = units % parts;
  const uint64_t at = (each * part + (part < more ? part : more)) * UNIT;
  return at < args->n ? at : args->n;
}

/* The selected elements of the first parts, as they were counted. */
IW_FN uint64_t FN(selected_in_parts)(const iw_partition_args *args, uint64_t parts)
{
  uint64_t sum = 0;
  for (uint64_t p = 0; p < parts; p++) sum += iw_get_u64(args->block_counts + p);
  return sum * ELEMENTS_PER_FLAG;
}

/* Moves a part into a single output: the selected elements of all parts come first. */
IW_FN void FN(move_part)(const iw_partition_args *args, SHARED *shared, uint64_t part)
{
  const uint64_t before = FN(selected_in_parts)(args, part), all = FN(selected_in_parts)(args, args->counted_blocks);
  const uint64_t from = FN(part_begin)(args, args->counted_blocks, part), end = FN(part_begin)(args, args->counted_blocks, part + 1);
  SCALAR *const front = (SCALAR *)args->front;
  FN(process_range)(args, shared, from, end, 1, front + before, front + all + (from - before));
  if (part + 1 == args->counted_blocks && args->count) iw_set_u64(args->count, all / ELEMENTS_PER_FLAG);
}

/* All elements, by the only block. */
IW_FN void FN(move_all)(const iw_partition_args *args, SHARED *shared)
{
  SCALAR *const front = (SCALAR *)args->front;
  SCALAR *rest = (SCALAR *)args->rest;
  if (partition_counts_itself(args)) rest = front + FN(process_range)(args, shared, 0, args->n, 0, NULL, NULL);
  else if (args->block_counts) rest = front + FN(selected_in_parts)(args, args->counted_blocks);
  const uint64_t count = FN(process_range)(args, shared, 0, args->n, 1, front, rest);
  if (args->count) iw_set_u64(args->count, count / ELEMENTS_PER_FLAG);
}

IW_KERNEL_NO_SPECIALIZATION(IW_JOIN(partition, BY), SHARED, iw_partition_args, 32, PARTITION_BLOCKS)
{
  if (args->count_only) {
    IW_PHASE(warp) {
      const uint64_t from = FN(part_begin)(args, block->blocks, block->index);
      const uint64_t end = FN(part_begin)(args, block->blocks, block->index + 1);
      iw_set_u64(args->block_counts + block->index, FN(process_range)(args, shared, from, end, 0, NULL, NULL) / ELEMENTS_PER_FLAG);
    }
  } else if (block->blocks == 1) {
    IW_PHASE(warp) { FN(move_all)(args, shared); }
  } else {
    IW_VAR(partition_queue, queues);
    uint32_t first;
    const iw_look_back look_back = { args->tile_states, args->group_states,
                                     iw_tickets_open(args->tickets, &first) };
    /* Tickets are parts if a launch has counted, else tiles. */
    const uint64_t end_tile = args->block_counts ? args->counted_blocks : (args->n + TILE - 1) / TILE;
    IW_WARPS(warp) {
      partition_queue *const queue = &IW_MY(queues);
      queue->prefix_tile = queue->prefix = 0;
      queue->head = queue->tail = 0;
    }
    for (uint64_t next = first, loading = 1; loading;) {    /* the last round drains the queue */
      const uint64_t now = next;
      loading = now < end_tile;
      IW_PHASE(warp) {
        partition_queue *const queue = &IW_MY(queues);
        if (args->block_counts && loading) FN(move_part)(args, shared, now);
        else if (loading) FN(enqueue_or_drain)(args, &look_back, shared, queue, now);
        else while (queue->head < queue->tail)
          FN(enqueue_or_drain)(args, &look_back, shared, queue, end_tile);
        if (loading && warp == 0) iw_ticket_post(iw_ticket_request(args->tickets));
      }
      if (loading) next = (uint64_t)iw_ticket_receive();
    }
    iw_tickets_close(args->tickets);
  }
}

#undef STRIP
#undef NONTEMPORAL_STRIP
#undef PREFETCH_ELEMENTS
#undef STAGE_ELEMENTS
