/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of segments that have more than one tile, which all warps of a later launch reduce tile by
 * tile. A part of reduce_segments_kernel.h that depends on no element type. One atomic addition gives a
 * listed segment its place and the number of its first tile, so the list ascends by tiles, whoever adds
 * to it. The order of the list differs from run to run; no result depends on it.
 *
 * Bounds: if the caller's offsets are invalid (segments overlap), the list would need more room than
 * there is. Nothing is stored past the capacities then, and long_segments() returns 0. The sum of tiles
 * may wrap at 2^32; long_segment() therefore checks what it reads.
 *
 * The longer functions are one copy for all kernels of a build unit.
 */
#ifndef ISOWARP_LONG_SEGMENTS_H
#define ISOWARP_LONG_SEGMENTS_H

#include <isowarp/primitives.h>
#include <isowarp/algorithms/reduce_segments/args.h>

enum { LONG_SEGMENT_WORDS = sizeof(iw_long_segment) / sizeof(uint64_t) };
static_assert(sizeof(iw_long_segment) == 4 * sizeof(uint64_t), "first_tile is word 3 of an entry");

IW_FN uint64_t tiles_of(uint64_t elements) { return (elements + IW_SCAN_TILE - 1) / IW_SCAN_TILE; }

IW_FN uint64_t segment_count(const iw_reduce_segments_args *args)
{
  const uint64_t count = args->count_ptr ? iw_get_u64(args->count_ptr) : args->count;
  return count < args->count ? count : args->count;
}

/* The segments that one of `warps` warps takes at a time, of `count` in all. The mean length of listed runs
 * is taken to be that of all. If the host does not know the number, a batch of short segments may leave
 * warps without one: then it has fewer, but whole 32. */
IW_FN uint32_t segments_at_a_time(const iw_reduce_segments_args *args, uint64_t count, uint64_t warps)
{
  const uint64_t runs = args->runs ? iw_get_u64(args->run_count) : count;
  const uint64_t mean = runs && args->n > runs ? args->n / runs : 1;
  if (!args->count_ptr) return (uint32_t)args->batch;
  const uint64_t batch = IW_SEGMENTS_BATCH(args->batch, mean), share = (count + 32 * warps - 1) / (32 * warps) * 32;
  if (args->runs && batch > 32) return 32; /* those of a list may be few, and then are far apart */
  return (uint32_t)(batch < share ? batch : share);
}

/* The number of long segments, and that of their tiles in *tiles. */
IW_FN uint64_t long_segments(const iw_reduce_segments_args *args, uint64_t *tiles)
{
  if (!args->list) {
    *tiles = args->count * tiles_of(args->length);
    return args->count;
  }
  const uint64_t both = iw_get_u64(args->listed), count = both >> 32;
  *tiles = both & UINT32_MAX;
  if (count <= args->list_capacity && *tiles <= args->tile_capacity) return count;
  *tiles = 0;
  return 0;
}

/* Whether a segment was listed: if none was, nothing is to be folded or cleared. */
IW_FN int has_listed(const iw_reduce_segments_args *args) { return iw_get_u64(args->listed) != 0; }

/* For the next call. */
IW_FN void clear_list(const iw_reduce_segments_args *args)
{
  iw_set_u64(args->listed, 0);
  iw_set_u64(args->listed + 1, 0);
}

/* Within the caller's arrays and the scratch whatever the offsets are. */
IW_NOINLINE_FN iw_long_segment long_segment(const iw_reduce_segments_args *args, uint64_t k)
{
  iw_long_segment s;
  if (args->list) {
    const iw_long_segment *const entry = args->list + k;
    s.begin = iw_get_u64(&entry->begin);
    s.length = iw_get_u64(&entry->length);
    s.segment = iw_get_u64(&entry->segment);
    s.first_tile = iw_get_u64(&entry->first_tile);
    if (s.begin > args->n || s.length > args->n - s.begin || s.segment >= args->count ||
        s.first_tile > args->tile_capacity || tiles_of(s.length) > args->tile_capacity - s.first_tile)
      s.begin = s.length = s.segment = s.first_tile = 0;
  } else {
    s.begin = k * args->length;
    s.length = args->length;
    s.segment = k;
    s.first_tile = k * tiles_of(args->length);
  }
  return s;
}

/* Lane l, for the lanes of `some`: the tiles of long segment first + l, its index and its first tile. None
 * if they are not within the scratch. */
IW_NOINLINE_FN iw_u64 tiles_of_long_segments(const iw_reduce_segments_args *args, uint64_t first, iw_pred some, iw_u64 *segment,
                                             iw_u64 *first_tile)
{
  const uint64_t *const words = (const uint64_t *)args->list;
  const iw_u64 entry = iw_shl_u64(iw_iota_u64(first), iw_splat_u64(2)), capacity = iw_splat_u64(args->tile_capacity);
  const iw_u64 length = iw_gather_far_u64(words + 1, entry, some);
  *segment = iw_gather_far_u64(words + 2, entry, some);
  *first_tile = iw_gather_far_u64(words + 3, entry, some);
  const iw_u64 tiles = iw_shr_u64(iw_add_u64(length, iw_splat_u64(IW_SCAN_TILE - 1)), iw_splat_u64(iw_lowest(IW_SCAN_TILE)));
  const iw_pred there = iw_and_pred(iw_le_u64(*first_tile, capacity), iw_le_u64(tiles, iw_sub_u64(capacity, *first_tile)));
  return iw_select_u64(iw_and_pred(iw_and_pred(some, there), iw_lt_u64(*segment, iw_splat_u64(args->count))), tiles, iw_splat_u64(0));
}

/* The long segment that has this tile: a search in which each lane looks at one of 32 places. */
IW_NOINLINE_FN uint64_t long_segment_of_tile(const iw_reduce_segments_args *args, uint64_t segments, uint64_t tile)
{
  uint64_t first = 0, count = segments;
  if (!args->list) return tile / tiles_of(args->length);
  while (count > 1) {
    const uint64_t step = (count + 31) / 32;
    const iw_u64 place = iw_mul_u64(iw_iota_u64(0), iw_splat_u64(step));
    const iw_pred some = iw_lt_u64(place, iw_splat_u64(count));
    const iw_u64 word = iw_add_u64(iw_mul_u64(iw_add_u64(place, iw_splat_u64(first)), iw_splat_u64(4)),
                                   iw_splat_u64(3));
    const iw_u64 first_tile = iw_gather_far_u64((const uint64_t *)args->list, word, some);
    const iw_mask not_after = iw_ballot(iw_and_pred(some, iw_le_u64(first_tile, iw_splat_u64(tile))));
    const uint64_t skipped = not_after ? iw_highest(not_after) * step : 0;
    first += skipped;
    count = count - skipped < step ? count - skipped : step;
  }
  return first;
}

/* Stores an entry, if there is room for it and its tiles. place: the old value of args->listed[0]. */
IW_FN void store_long_segment(const iw_reduce_segments_args *args, uint64_t place, uint64_t segment,
                              uint64_t begin, uint64_t length)
{
  if (place >> 32 >= args->list_capacity) return;
  iw_long_segment *const entry = args->list + (place >> 32);
  iw_set_u64(&entry->begin, begin);
  iw_set_u64(&entry->length, length);
  iw_set_u64(&entry->segment, segment);
  iw_set_u64(&entry->first_tile, place & UINT32_MAX);
}

/* Lists one segment. */
IW_NOINLINE_FN void list_segment(iw_block *block, const iw_reduce_segments_args *args, uint64_t segment,
                                 uint64_t begin, uint64_t length)
{
  const iw_u64 place = iw_global_add(args->listed, 0, iw_splat_u64((uint64_t)1 << 32 | tiles_of(length)),
                                     iw_lanes_below(1));
  store_long_segment(args, iw_at_u64(place, 0), segment, begin, length);
}

/* Lists the segments k[l] of the lanes l of `listed`, by one atomic addition. */
IW_FN void list_segments(iw_block *block, const iw_reduce_segments_args *args, iw_u64 k, iw_mask listed,
                         iw_u64 begin, iw_u64 length)
{
  const iw_u64 tiles = iw_shr_u64(iw_add_u64(length, iw_splat_u64(IW_SCAN_TILE - 1)),
                                  iw_splat_u64(iw_lowest(IW_SCAN_TILE)));
  const iw_u64 word = iw_select_u64(iw_pred_of(listed), iw_add_u64(tiles, iw_splat_u64((uint64_t)1 << 32)),
                                    iw_splat_u64(0));
  const iw_u64 sum = iw_inclusive_prefix_sum_u64(word);
  const iw_u64 before = iw_global_add(args->listed, 0, iw_splat_u64(iw_last_u64(sum)), iw_lanes_below(1));
  const iw_u64 place = iw_add_u64(iw_splat_u64(iw_at_u64(before, 0)), iw_sub_u64(sum, word));
  for (; listed; listed &= listed - 1) {
    const unsigned lane = iw_lowest(listed);
    store_long_segment(args, iw_at_u64(place, lane), iw_at_u64(k, lane), iw_at_u64(begin, lane), iw_at_u64(length, lane));
  }
}

#endif
