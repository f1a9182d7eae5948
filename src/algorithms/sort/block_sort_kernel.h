/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel block_sort: a stable merge sort of segments that fit a block's shared memory; an array is a
 * segment, too. A block sorts one segment after the other:
 *   1. Ranks of the keys and the elements' indices in the segment go to shared memory. Behind the segment
 *      stand items of the greatest rank, which stay there.
 *   2. Short runs of them are sorted, and runs merged, by one of two schedules that the policy chooses:
 *      merge_by_lanes.h  on GPUs: each lane sorts a few items, and all lanes merge together; blocks of two
 *                        warps or more
 *      merge_in_turn.h   on CPUs: lanes sort 32 items, and runs are merged item by item; a block is one warp
 *   3. Each array is staged in shared memory, in place of the ranks, and stored in the order of the indices.
 * Rows of keys alone are sorted by a third schedule on CPUs, rows_by_lanes.h: several rows or parts of rows
 * at a time, and without indices. Such rows may be longer than other segments.
 * Longer arrays are sorted by rows of their buckets, buckets_by_lanes.h, with others in their order.
 * Kernel template without parameters but the policy, which cannot change a bit of a result. It must not know
 * the host's runtime.
 */
#include <assert.h>
#include <string.h>
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/sort/args.h"
#include "algorithms/sort/tuning.h"

/* With a uniform index the code is a tenth shorter, but rows of 1000 u32 take 4% longer (H200). */
#undef IW_UNIFORM_WARP
#define IW_UNIFORM_WARP 0

enum { BLOCK_SORT_ITEMS = IW_BLOCK_SORT_ITEMS };
static_assert(BLOCK_SORT_ITEMS % 2 == 1, "no conflicts of banks");
static_assert(BLOCK_SORT_CAPACITY % 32 == 0 && BLOCK_SORT_CAPACITY <= 65536, "whole warps of items, whose indices have 16 bits");
static_assert(BLOCK_SORT_IN_TURN || BLOCK_SORT_CAPACITY == BLOCK_SORT_ITEMS * 32 * IW_BLOCK_SORT_MOST_WARPS,
              "the largest block has so many items");

/* Items of a block, of which a launch may have fewer: first what is staged, args->stage_bytes each, and
 * then their indices. Items that are merged in turn have memory of two halves, and rows by lanes and buckets
 * have more. */
enum { BLOCK_SORT_HALVES = (BLOCK_SORT_IN_TURN ? 2 : 1) * BLOCK_SORT_CAPACITY * IW_BLOCK_SORT_ITEM_BYTES / sizeof(uint64_t) };
#if BLOCK_SORT_IN_TURN
/* Rows of keys alone that are sorted by lanes at a time. */
typedef struct {
  uint64_t begins[IW_BLOCK_SORT_LINE_BYTES / 4 + 1]; /* of each row, and the end of the last one */
  uint32_t run, runs, lanes;                         /* run, runs: of each row, as in the arguments */
  uint32_t rows, is_sorted;
  uint64_t origin;                                   /* the index of the key that stands first in args->keys */
} block_sort_group;

/* Buckets of a chunk (buckets_by_lanes.h). A level has what one split made: `at` is the next key. */
typedef struct {
  uint64_t begin, at, end;
  void *keys;
  uint32_t *indices;                                 /* of the keys, if they have any: NULL: their places */
  uint64_t origin;                                   /* of the first one of `keys` */
  uint32_t digit;                                    /* that of `at`, or less */
  uint32_t ends[IW_RADIX_DIGITS];                    /* of each digit, from `begin` on */
} block_sort_level;
/* A split by ranks is of more than BLOCK_SORT_CAPACITY or MOST_ROW keys (buckets_by_lanes.h), and takes at
 * least 5 bits from their range. Other ways are tried at the first levels only. */
enum { BLOCK_SORT_TRIES = 8, BLOCK_SORT_LEVELS = 1 + BLOCK_SORT_TRIES + (64 + 4) / 5 };
static_assert(BLOCK_SORT_CAPACITY >= 2048 && BLOCK_SORT_KEYS_OF_LANE >= 16, "splits are by 5 bits or more");
#endif
typedef struct {
#if BLOCK_SORT_IN_TURN
  /* The last group of rows. It stands in front, as a launch may have less memory. */
  union { block_sort_group group; char lines[IW_BLOCK_SORT_FRONT_LINES * IW_BLOCK_SORT_LINE_BYTES]; };
#endif
  uint64_t memory[BLOCK_SORT_HALVES * (BLOCK_SORT_IN_TURN ? IW_BLOCK_SORT_MEMORY : 1)];
} block_sort_shared;

#if BLOCK_SORT_IN_TURN
/* What a block has of the buckets of its chunk: in its memory, behind the lines of a group of runs of at
 * most BLOCK_SORT_MOST_RUN elements. */
enum { BLOCK_SORT_MOST_RUN = 632, BLOCK_SORT_GROUP_LINES = 656, BLOCK_SORT_PACKED = BLOCK_SORT_MOST_RUN * IW_BLOCK_SORT_LINE_BYTES / 4 };
typedef struct {
  block_sort_level levels[BLOCK_SORT_LEVELS];
  uint32_t depth, local_depth;                       /* local_depth: 0, or the level whose keys are in `local` */
  uint64_t one_by_one;                               /* rows before have to be sorted one by one, as some have NaNs */
  uint32_t counters[IW_COUNT_REPLICAS][IW_RADIX_DIGITS];
  uint64_t local[(IW_BLOCK_SORT_MEMORY - 5) * BLOCK_SORT_HALVES];
  /* The rows of a group that are packed, or indices of a part of equal keys. */
  uint32_t items[BLOCK_SORT_PACKED];
  uint64_t staged[BLOCK_SORT_PACKED];                /* the keys of these rows, if they are where the output will be */
} block_sort_buckets;
static_assert(sizeof(block_sort_buckets) + BLOCK_SORT_GROUP_LINES * IW_BLOCK_SORT_LINE_BYTES <= sizeof(uint64_t) * BLOCK_SORT_HALVES * IW_BLOCK_SORT_MEMORY,
              "it fits the memory");

IW_FN block_sort_buckets *block_sort_buckets_of(block_sort_shared *shared)
{
  return (block_sort_buckets *)(void *)(shared->memory + BLOCK_SORT_GROUP_LINES * IW_BLOCK_SORT_LINE_BYTES / sizeof(uint64_t));
}
#endif

/* A segment, the items that a lane has of it, the items that are staged, and where they are. */
typedef struct {
  uint64_t first;           /* its first element */
  uint32_t length, items, staged_items, row; /* row: as in the arguments */
  void *staged, *other_staged;              /* in turn: in the halves of shared memory */
  uint16_t *indices, *other_indices;
} block_sort_segment;

IW_FN uint64_t block_sort_offset(const iw_block_sort_args *args, uint64_t segment)
{
  if (!args->offsets) return segment * args->columns < args->n ? segment * args->columns : args->n;
  const uint64_t offset = args->wide_offsets ? iw_get_u64((const uint64_t *)args->offsets + segment)
                                             : iw_get_u32((const uint32_t *)args->offsets + segment);
  return offset < args->n ? offset : args->n;
}

/* The segment of the elements first … end-1. */
IW_FN block_sort_segment block_sort_open(const iw_block *block, const iw_block_sort_args *args, block_sort_shared *shared,
                                         uint64_t first, uint64_t end)
{
  block_sort_segment s;
  const uint32_t threads = block->warps * IW_WARP_SIZE;
  const uint32_t capacity = BLOCK_SORT_IN_TURN ? BLOCK_SORT_CAPACITY : threads * BLOCK_SORT_ITEMS;
  s.first = first;
  s.length = s.first < end ? end - s.first < capacity ? (uint32_t)(end - s.first) : capacity : 0;
  s.row = (uint32_t)args->row;
  /* A warp's segment is in registers. Without this case block_sort was slower, though it has no blocks of one
   * warp on GPUs (doc/design/sort.md#short-arrays-and-segments). */
  s.items = block->warps == 1 ? 1 : (s.length + threads - 1) / threads | 1;
  s.staged_items = BLOCK_SORT_IN_TURN ? (s.length + 31) / 32 * 32 : threads * s.items;
  s.staged = shared->memory;
  s.indices = (uint16_t *)((char *)shared->memory + (size_t)capacity * args->stage_bytes);
  s.other_staged = shared->memory + (BLOCK_SORT_IN_TURN ? BLOCK_SORT_HALVES / 2 : 0);
  s.other_indices = (uint16_t *)((char *)s.other_staged + (size_t)capacity * args->stage_bytes);
  return s;
}

/* The index of each lane's thread in the block. */
IW_FN iw_u32 block_sort_thread(unsigned warp) { return iw_iota_u32(warp * IW_WARP_SIZE); }

/* For each width of ranks: block_sort_ranks_T. */
#define IW_TYPE_SET (IW_SET_u32 | IW_SET_u64)
#define IW_TEMPLATE "algorithms/sort/block_sort_ranks.h"
#include <isowarp/language/for_each_type.h>

/* Whether an element moves to or from the 32 from `at` on. */
IW_FN int block_sort_moves_row(const block_sort_segment *s, uint32_t at, iw_pred some)
{
  return iw_any(iw_and_pred(some, iw_ne(iw_load_u16(s->indices + at, some), iw_iota_u32(at))));
}

/* For each width of elements: block_sort_move_T. */
#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE "algorithms/sort/block_sort_move.h"
#include <isowarp/language/for_each_type.h>

#if BLOCK_SORT_IN_TURN
#include <isowarp/language/cpu/transposes.h>

/* Where the run of a lane is, and its length. */
typedef struct { uint64_t first; uint32_t length; } block_sort_run;

/* The last runs of a row may be empty. */
IW_FN block_sort_run block_sort_run_of(const block_sort_group *g, uint32_t lane)
{
  const uint32_t row = lane >> __builtin_ctz(g->runs), columns = (uint32_t)(g->begins[row + 1] - g->begins[row]);
  const uint32_t at = (lane - row * g->runs) * g->run, begin = at < columns ? at : columns;
  const block_sort_run of = { g->begins[row] + begin, columns - begin < g->run ? columns - begin : g->run };
  return of;
}

/* For each width of elements: block_sort_take_T. */
#define IW_TYPE_SET (IW_SET_OF_WIDTHS | IW_SET_u128)
#define IW_TEMPLATE "algorithms/sort/buckets_by_lanes_take.h"
#include <isowarp/language/for_each_type.h>
#define IW_TYPE_SET (IW_SET_u8 | IW_SET_u16)
#define IW_TEMPLATE "algorithms/sort/rows_by_lanes_move.h"
#include <isowarp/language/for_each_type.h>
#define IW_TYPE_SET (IW_SET_u32 | IW_SET_u64)
#define IW_TEMPLATE "algorithms/sort/rows_by_lanes.h"
#include <isowarp/language/for_each_type.h>

/* Divides the rows of a group, of which the longest has so many keys, into more runs, if there are lanes and
 * keys enough. */
IW_FN void block_sort_divide(block_sort_group *g, uint32_t lanes, uint64_t longest)
{
  while (2 * g->runs * g->rows <= lanes && longest >= (uint64_t)2 * g->runs * IW_LEAST_RUN) g->runs *= 2;
  longest = (longest + g->runs - 1) / g->runs;
  g->run = (uint32_t)(g->runs == 1 ? longest : iw_lines_of_run(longest));
  g->lanes = g->rows * g->runs;
}

/* Puts `count` elements of all arrays but the keys in the order of their places `from`, from element `at`
 * on. */
IW_NOINLINE_FN void block_sort_take(const iw_block_sort_args *args, uint64_t at, const uint32_t *from, uint64_t count)
{
  for (uint32_t m = 1; m < args->array_count; m++) {
    const iw_move_array *const moved = args->arrays + m;
    switch (moved->width) {
    case 1: block_sort_take_u8(moved, at, from, count); break;
    case 2: block_sort_take_u16(moved, at, from, count); break;
    case 4: block_sort_take_u32(moved, at, from, count); break;
    case 8: block_sort_take_u64(moved, at, from, count); break;
    default: block_sort_take_u128(moved, at, from, count);
    }
  }
}

#define IW_TYPE_SET (IW_SET_u32 | IW_SET_u64)
#define IW_TEMPLATE "algorithms/multisplit/division_digits.h"
#include <isowarp/language/for_each_type.h>
#define IW_TYPE_SET (IW_SET_u32 | IW_SET_u64)
#define IW_TEMPLATE "algorithms/multisplit/digit_batch.h"
#include <isowarp/language/for_each_type.h>
#define IW_TYPE_SET (IW_SET_u32 | IW_SET_u64)
#define IW_TEMPLATE "algorithms/sort/buckets_by_lanes.h"
#include <isowarp/language/for_each_type.h>
#endif

/* Moves a segment's elements of an array. Values of 16 bytes are two of 8, each of which is moved by
 * itself. few: a literal. */
IW_FN void block_sort_move(iw_block *block, const block_sort_segment *s, const iw_move_array *moved, const int few)
{
  switch (moved->width) {
  case 1: block_sort_move_u8(block, s, moved, 1, 0, few); break;
  case 2: block_sort_move_u16(block, s, moved, 1, 0, few); break;
  case 4: block_sort_move_u32(block, s, moved, 1, 0, few); break;
  case 8: block_sort_move_u64(block, s, moved, 1, 0, few); break;
  default: for (int half = 0; half < 2; half++) block_sort_move_u64(block, s, moved, 2, half, few);
  }
}

IW_NOINLINE_FN void block_sort_one(iw_block *block, const iw_block_sort_args *args, block_sort_shared *shared, uint64_t first, uint64_t end)
{
  block_sort_segment s = block_sort_open(block, args, shared, first, end);
  if (args->key_bytes == 8) block_sort_ranks_u64(block, args, &s);
  else block_sort_ranks_u32(block, args, &s);
  for (uint32_t m = 0; m < args->array_count; m++) block_sort_move(block, &s, args->arrays + m, 0);
}

/* The number of segments of all blocks. */
IW_FN uint64_t block_sort_count(const iw_block_sort_args *args)
{
  if (!args->list) return args->count;
  if (args->longer && iw_get_u32(args->longer)) return 0;
  const uint64_t listed = iw_get_u32(args->listed);
  return listed < args->list_capacity ? listed : args->list_capacity;
}

#if BLOCK_SORT_IN_TURN
/* Sorts rows by lanes. Rows for which that takes longer, or that have NaNs, are sorted one by one if they
 * fit a block so; else args->unsorted is set. */
IW_FN void block_sort_rows(iw_block *block, const iw_block_sort_args *args, block_sort_shared *shared)
{
  const uint32_t runs = (uint32_t)args->runs;
  const uint32_t most = IW_BLOCK_SORT_LINE_BYTES / args->stage_bytes / runs;
  for (uint64_t first = (uint64_t)block->index * most; first < args->count; first += (uint64_t)block->blocks * most) {
    const uint32_t rows = args->count - first < most ? (uint32_t)(args->count - first) : most;
    const int by_lanes = args->unsorted || rows * runs >= IW_LEAST_LANES_OF_ROWS;
    if (by_lanes) IW_PHASE(warp) {
      (void)warp;
      block_sort_group *const g = &shared->group;
      g->run = (uint32_t)args->run;
      g->origin = 0;
      g->runs = runs;
      g->lanes = rows * runs;
      for (uint32_t r = 0; r <= rows; r++) g->begins[r] = (first + r) * args->columns;
      g->is_sorted = (uint32_t)(args->key_bytes == 8 ? block_sort_group_u64(args, shared->memory, g)
                                                     : block_sort_group_u32(args, (uint32_t *)shared->memory, g));
      if (!g->is_sorted && args->unsorted) iw_global_max_u32(block, args->unsorted, iw_splat_u32(0), iw_splat_u32(1), iw_lanes_below(1));
    }
    if (args->unsorted || (by_lanes && iw_block_get_u32(block, &shared->group.is_sorted))) continue;
    for (uint32_t r = 0; r < rows; r++) block_sort_one(block, args, shared, (first + r) * args->columns, (first + r + 1) * args->columns);
  }
}

/* Chooses how a sorted sample, which is the keys, is divided. */
IW_FN void block_sort_choose(const iw_block *block, const iw_block_sort_args *args, block_sort_shared *shared)
{
  if (args->key_bytes == 8) block_sort_choose_division_u64(block, args, block_sort_buckets_of(shared));
  else block_sort_choose_division_u32(block, args, block_sort_buckets_of(shared));
}

/* Sorts a chunk of keys that are sorted by their upper bits, or divided. */
IW_FN void block_sort_chunk(iw_block *block, const iw_block_sort_args *args, block_sort_shared *shared, uint64_t at, uint64_t end)
{
  IW_PHASE(warp) {
    (void)warp;
    block_sort_buckets *const b = block_sort_buckets_of(shared);
    b->levels[0].begin = b->levels[0].origin = b->levels[0].digit = 0;
    b->levels[0].at = at;
    b->levels[0].end = end;
    b->levels[0].keys = (void *)(uintptr_t)args->keys;
    b->levels[0].indices = NULL;
    if (args->offsets_of_buckets)
      for (uint32_t k = 0; k < IW_RADIX_DIGITS; k++) b->levels[0].ends[k] = (uint32_t)args->offsets_of_buckets[k + 1];
    b->depth = b->local_depth = 0;
    b->one_by_one = 0;
  }
  for (;;) {
    IW_PHASE(warp) {
      (void)warp;
      if (args->key_bytes == 8) block_sort_next_group_u64(block, args, shared);
      else block_sort_next_group_u32(block, args, shared);
    }
    if (!iw_block_get_u32(block, &shared->group.rows)) return;
    if (iw_block_get_u32(block, &shared->group.is_sorted)) continue;
    iw_block_sort_args in_place = *args;
    in_place.keys = in_place.arrays[0].in = args->arrays[0].out;
    block_sort_one(block, &in_place, shared, iw_block_get_u64(block, &shared->group.begins[0]), iw_block_get_u64(block, &shared->group.begins[1]));
  }
}
#endif

IW_KERNEL_NO_SPECIALIZATION(block_sort, block_sort_shared, iw_block_sort_args, BLOCK_SORT_IN_TURN ? 32 : 0, 1)
{
  const uint64_t count = block_sort_count(args);
#if BLOCK_SORT_IN_TURN
  if (args->division) {
    IW_PHASE(warp) {
      (void)warp;
      block_sort_choose(block, args, shared);
    }
    return;
  }
  if (args->begins) {
    block_sort_chunk(block, args, shared, args->begins[block->index], args->begins[block->index + 1]);
    return;
  }
  if (args->run) {
    block_sort_rows(block, args, shared);
    return;
  }
#endif
  for (uint64_t k = block->index; k < count; k += block->blocks) {
    const uint64_t segment = args->list ? iw_get_u32(args->list + k) : k;
    block_sort_one(block, args, shared, block_sort_offset(args, segment), block_sort_offset(args, segment + 1));
  }
}

#if !BLOCK_SORT_IN_TURN
/* The same for segments of one warp, in registers instead of steps 1 and 2 (network_by_lanes.h). It is a
 * kernel of its own because in one with block_sort both would have fewer registers than they need. */
IW_KERNEL_NO_SPECIALIZATION(warp_sort, block_sort_shared, iw_block_sort_args, 32, 32)
{
  const uint64_t count = block_sort_count(args);
  for (uint64_t k = block->index; k < count; k += block->blocks) {
    const uint64_t segment = args->list ? iw_get_u32(args->list + k) : k;
    const block_sort_segment s = block_sort_open(block, args, shared, block_sort_offset(args, segment), block_sort_offset(args, segment + 1));
    const int done = args->key_bytes == 8 ? block_sort_in_registers_u64(block, args, &s)
                                          : block_sort_in_registers_u32(block, args, &s);
    for (uint32_t m = 0; m < args->array_count && !done; m++) block_sort_move(block, &s, args->arrays + m, 0);
  }
}
#endif

#if !BLOCK_SORT_IN_TURN
#include "algorithms/sort/tile_sort.h"

/* The same for the listed tiles of an array that is in order by upper bits. */
IW_KERNEL_NO_SPECIALIZATION(tile_sort, block_sort_shared, iw_block_sort_args, IW_UNSORTED_WARPS * 32, 8)
{
  const uint64_t count = iw_get_u32(args->listed);
  IW_VAR(iw_u32, too_long);
  for (uint64_t k = block->index; k < count; k += block->blocks) {
    block_sort_segment s = block_sort_open(block, args, shared, iw_get_u64(args->begins + 2 * k), iw_get_u64(args->begins + 2 * k + 1));
    IW_PHASE(warp) { block_sort_stage_ranks_u64(block, args, &s, warp); }
    IW_PHASE(warp) { IW_MY(too_long) = iw_splat((uint32_t)tile_sort_places(block, args, &s, warp)); }
    if (iw_block_max(too_long)) {
      IW_PHASE(warp) {
        if (warp == 0) iw_global_max(args->unsorted, 0, iw_splat(1u), iw_lanes_below(1));
      }
      continue;
    }
    for (uint32_t m = 0; m < args->array_count; m++) block_sort_move(block, &s, args->arrays + m, 1);
  }
}
#endif

#undef IW_UNIFORM_WARP
#define IW_UNIFORM_WARP 1
