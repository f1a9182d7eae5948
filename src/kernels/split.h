/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass of a stable split into buckets by a digit of each element's number: each block counts what its chunk has of each
 * digit, and when these counts have been scanned it moves the chunk's elements there, array by array. Knows no types, widths only.
 * A block of many warps takes a tile at a time, and stores it by digits from shared memory; a warp alone (SPLIT_PILES) grows
 * piles.
 */
#include <assert.h>
#include <isowarp/text/typed.h>
#include <isowarp/vm/tuning.h>
#include "args.h"

enum {
  SPLIT_PARTS = SPLIT_PILES ? 2 : 1,                       /* of a chunk, counted apart: each may have piles of its own */
  SPLIT_GROUPS = IW_SPLIT_DIGITS / IW_WARP_SIZE,           /* of digits, one a lane */
  SPLIT_TILE = SPLIT_WARPS * SPLIT_ITEMS * IW_WARP_SIZE,
  SPLIT_TABLES = SPLIT_PARTS * IW_SPREAD,
};
static_assert((int)IW_SPLIT_DIGITS <= (int)IW_PILES && IW_SPLIT_DIGITS % IW_WARP_SIZE == 0, "a digit's pile, and lane");
static_assert(SPLIT_PILES ? SPLIT_WARPS == 1 : SPLIT_WARPS >= SPLIT_GROUPS, "piles are one warp's; else a warp has a group of digits");
static_assert(SPLIT_PILES || IW_SPLIT_UNIT % SPLIT_TILE == 0, "a chunk has whole tiles");

typedef struct { uint32_t counters[SPLIT_TABLES * IW_SPLIT_DIGITS]; } split_count_shared;

typedef struct {
#if SPLIT_PILES
  iw_piles piles[SPLIT_PARTS];
  uint64_t numbers[IW_WARP_SIZE];                          /* elements of an array that is not there */
#else
  uint64_t staged[SPLIT_STAGE / sizeof(uint64_t)];         /* elements of the tile, by digits */
  uint8_t owners[SPLIT_TILE];                              /* their digits */
  uint64_t base[IW_SPLIT_DIGITS];                          /* where each digit's elements go, less where they are in the tile */
  uint32_t ranks[SPLIT_WARPS * IW_SPLIT_DIGITS];
  uint32_t sums[SPLIT_GROUPS];
#endif
  uint64_t places[SPLIT_PARTS * IW_SPLIT_DIGITS];          /* where each digit's next element goes */
  uint32_t counters[SPLIT_TABLES * IW_SPLIT_DIGITS];
} split_shared;

/* ---- Digits ---- */

IW_FN iw_u32 split_digit_u32(const iw_move_args *args, iw_u32 word)
{
  return iw_and_u32(iw_shr_u32(word, iw_splat(args->shift)), iw_splat(args->mask));
}

IW_FN iw_u32 split_digit_u64(const iw_move_args *args, iw_u64 word)
{
  return iw_to_u32(iw_and_u64(iw_shr_u64(word, iw_splat((uint64_t)args->shift)), iw_splat((uint64_t)args->mask)));
}

/* Those of the elements from `at` on. */
IW_FN iw_u32 split_digits(const iw_move_args *args, uint64_t at, iw_pred some)
{
  switch (args->bytes) {
  case 1: return split_digit_u32(args, iw_load_u8((const uint8_t *)args->numbers + at, some));
  case 2: return split_digit_u32(args, iw_load_u16((const uint16_t *)args->numbers + at, some));
  case 4: return split_digit_u32(args, iw_load_u32((const uint32_t *)args->numbers + at, some));
  default: return split_digit_u64(args, iw_load_u64((const uint64_t *)args->numbers + at, some));
  }
}

/* Words at these places. */
IW_FN iw_u64 split_number_at(const iw_edges_args *args, iw_u64 at, iw_pred some)
{
  switch (args->bytes) {
  case 1: return iw_to_u64(iw_gather_far_u8((const uint8_t *)args->numbers, at, some));
  case 2: return iw_to_u64(iw_gather_far_u16((const uint16_t *)args->numbers, at, some));
  case 4: return iw_to_u64(iw_gather_far((const uint32_t *)args->numbers, at, some));
  default: return iw_gather_far((const uint64_t *)args->numbers, at, some);
  }
}

/* ---- Counting ---- */

/* Absent elements of rows whose numbers have 32 bits or more are 0. */
#define FETCH_u8(p, valid) iw_row_fetch_u8(p, valid)
#define FETCH_u16(p, valid) iw_row_fetch_u16(p, valid)
#define FETCH_u32(p, valid) iw_row_fetch_u32(p, valid, 0)
#define FETCH_u64(p, valid) iw_row_fetch_u64(p, valid, 0)
#define COUNT_ROWS(t, digit) do { \
    const IW_PASTE(iws_, t) *const in_ = (const IW_PASTE(iws_, t) *)args->numbers; \
    const uint64_t step_ = (uint64_t)block->warps * IW_ROW(t); \
    for (uint64_t at_ = from + warp * IW_ROW(t); at_ < end; at_ += SPLIT_ROWS * step_) { \
      IW_JOIN(IW_PASTE(iw_row_, t), coming) rows_[SPLIT_ROWS]; \
      IW_UNROLL for (int k = 0; k < SPLIT_ROWS; k++) \
        rows_[k] = IW_PASTE(FETCH_, t)(in_ + at_ + k * step_, (int64_t)(end - at_) - (int64_t)(k * step_)); \
      IW_UNROLL for (int k = 0; k < SPLIT_ROWS; k++) { \
        const IW_PASTE(iw_row_, t) row_ = IW_PASTE(iw_row_arrive_, t)(rows_[k]); \
        IW_EACH_VECTOR(t, v) \
          iw_count_spread(counters, each, digit(args, IW_PASTE(iw_row_vector_, t)(row_, v)), \
                          IW_PASTE(iw_row_valid_, t)(v, (int64_t)(end - at_) - (int64_t)(k * step_))); \
      } \
    } \
  } while (0)

/* A warp's rows of the elements from … end-1. */
IW_FN void split_count_part(const iw_block *block, const iw_move_args *args, unsigned warp, uint64_t from, uint64_t end,
                            uint32_t *counters)
{
  const unsigned each = args->few ? 0 : IW_SPLIT_DIGITS;
  switch (args->bytes) {
  case 1: COUNT_ROWS(u8, split_digit_u32); break;
  case 2: COUNT_ROWS(u16, split_digit_u32); break;
  case 4: COUNT_ROWS(u32, split_digit_u32); break;
  default: COUNT_ROWS(u64, split_digit_u64); break;
  }
}

/* What there are of 32 digits, from d on, in a part. */
IW_FN iw_u32 split_counted(const iw_move_args *args, const uint32_t *counters, int part, uint32_t d)
{
  const uint32_t *const table = counters + part * IW_SPREAD * IW_SPLIT_DIGITS + d;
  iw_u32 sum = iw_load(table, iw_lanes_below(IW_WARP_SIZE));
  for (int k = 1; k < IW_SPREAD && !args->few; k++)
    sum = iw_add(sum, iw_load(table + k * IW_SPLIT_DIGITS, iw_lanes_below(IW_WARP_SIZE)));
  return sum;
}

/* The parts of a block's chunk: part p are elements from[p] … from[p + 1] - 1. */
typedef struct { uint64_t from[SPLIT_PARTS + 1]; } split_parts;
IW_FN split_parts split_parts_of(const iw_block *block, const iw_move_args *args)
{
  split_parts parts;
  for (int p = 0; p <= SPLIT_PARTS; p++) {
    const uint64_t at = block->index * args->chunk + (p == 0 ? 0 : p == SPLIT_PARTS || args->few ? args->chunk
                                                                   : p * (args->chunk / SPLIT_PARTS));
    parts.from[p] = at < args->n ? at : args->n;
  }
  return parts;
}

IW_FN void split_clear(const iw_block *block, const iw_move_args *args, unsigned warp, uint32_t *counters)
{
  for (uint32_t d = warp * IW_WARP_SIZE; d <= args->mask; d += block->warps * IW_WARP_SIZE)
    for (int t = 0; t < (args->few ? 1 : SPLIT_TABLES); t++)
      iw_store(counters + t * IW_SPLIT_DIGITS + d, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
}

/* Few elements have one part. */
IW_FN void split_count_all(const iw_block *block, const iw_move_args *args, unsigned warp, uint32_t *counters)
{
  const split_parts parts = split_parts_of(block, args);
  for (int p = 0; p < (args->few ? 1 : SPLIT_PARTS); p++)
    split_count_part(block, args, warp, parts.from[p], parts.from[p + 1], counters + p * IW_SPREAD * IW_SPLIT_DIGITS);
}

/* Where this block's counts stand, for digits from d on. */
IW_FN iw_u64 split_place_of(const iw_block *block, uint32_t d)
{
  const iw_u64 digit = iw_to_u64(iw_add_u32(iw_splat(d), iw_lane()));
  return iw_add(iw_mul_u64(digit, iw_splat((uint64_t)block->blocks)), iw_splat((uint64_t)block->index));
}

IW_KERNEL_ONCE(split_count, split_count_shared, iw_move_args, SPLIT_COUNT_WARPS * 32, SPLIT_COUNT_BLOCKS)
{
  IW_PHASE(warp) { split_clear(block, args, warp, shared->counters); }
  IW_PHASE(warp) { split_count_all(block, args, warp, shared->counters); }
  IW_PHASE(warp) {
    for (uint32_t d = warp * IW_WARP_SIZE; d <= args->mask; d += block->warps * IW_WARP_SIZE) {
      const iw_u32 first = split_counted(args, shared->counters, 0, d);
      iw_u32 all = first;
      for (int p = 1; p < SPLIT_PARTS; p++) all = iw_add(all, split_counted(args, shared->counters, p, d));
      iw_scatter_far(args->counts, split_place_of(block, d), iw_to_u64(all), iw_lanes_below((int64_t)args->mask + 1 - d));
      if (SPLIT_PARTS > 1) iw_store(args->firsts + block->index * IW_SPLIT_DIGITS + d, first, iw_lanes_below(IW_WARP_SIZE));
    }
  }
}

/* ---- Placing ---- */

/* Where each digit's first element of each part goes: as the counts of all blocks say, or those of the one that is alone, which
 * one warp adds up. */
IW_FN void split_begin(const iw_block *block, const iw_move_args *args, split_shared *shared, unsigned warp)
{
  const uint32_t step = args->alone ? IW_WARP_SIZE : block->warps * IW_WARP_SIZE;
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  uint64_t sum = 0;
  for (uint32_t d = warp * IW_WARP_SIZE; d <= args->mask && !(args->alone && warp); d += step) {
    iw_u64 place;
    iw_u32 first = iw_splat(0u);
    if (args->alone) {
      first = split_counted(args, shared->counters, 0, d);
      iw_u32 count = first;
      for (int p = 1; p < (args->few ? 1 : SPLIT_PARTS); p++) count = iw_add(count, split_counted(args, shared->counters, p, d));
      place = iw_add(iw_to_u64(iw_exclusive_prefix_sum_u32(count)), iw_splat(sum));
      sum += iw_warp_sum_u32(count);
    } else {
      place = iw_gather_far((const uint64_t *)args->counts, split_place_of(block, d), iw_lanes_below((int64_t)args->mask + 1 - d));
      if (SPLIT_PARTS > 1) first = iw_load(args->firsts + block->index * IW_SPLIT_DIGITS + d, all);
    }
    iw_store(shared->places + d, place, all);
    if (SPLIT_PARTS > 1) iw_store(shared->places + IW_SPLIT_DIGITS + d, iw_add(place, iw_to_u64(first)), all);
    if (block->index == 0 && args->offsets) iw_store(args->offsets + d, place, iw_lanes_below((int64_t)args->buckets - d));
  }
  if (block->index == 0 && warp == 0 && args->offsets) iw_set_u64(args->offsets + args->buckets, args->n);
}

#if SPLIT_PILES

/* The elements' own numbers, for a warp. */
IW_FN void split_number(split_shared *shared, uint64_t at, size_t width)
{
  const iw_u64 number = iw_add(iw_to_u64(iw_lane()), iw_splat(at));
  if (width == 8) iw_store(shared->numbers, number, iw_lanes_below(IW_WARP_SIZE));
  else iw_store_u32((uint32_t *)shared->numbers, iw_to_u32(number), iw_lanes_below(IW_WARP_SIZE));
}

#define PILE_ALL(t) \
IW_APART void IW_PASTE(split_pile_, t)(const iw_move_args *args, split_shared *shared, const iw_moved *moved, split_parts parts, \
                                       int both) \
{ \
  typedef IW_PASTE(iws_, t) element; \
  const element *const in = (const element *)moved->in; \
  const iw_pred whole = iw_lanes_below(IW_WARP_SIZE); \
  iw_piles *const one = shared->piles, *const other = shared->piles + 1; \
  uint64_t at = parts.from[0], end = both ? parts.from[1] : parts.from[2], second = parts.from[1]; \
  IW_PASTE(iw_piles_open_, t)(one, (element *)moved->out, shared->places, args->mask + 1, (int)args->stream); \
  if (both) { \
    IW_PASTE(iw_piles_open_, t)(other, (element *)moved->out, shared->places + IW_SPLIT_DIGITS, args->mask + 1, (int)args->stream); \
    for (; at + IW_WARP_SIZE <= end && second + IW_WARP_SIZE <= parts.from[2]; at += IW_WARP_SIZE, second += IW_WARP_SIZE) { \
      iw_prefetch((const char *)(in + at) + SPLIT_AHEAD, IW_WARP_SIZE * sizeof(element)); \
      iw_prefetch((const char *)(in + second) + SPLIT_AHEAD, IW_WARP_SIZE * sizeof(element)); \
      IW_PASTE(iw_pile_both_, t)(one, in + at, split_digits(args, at, whole), other, in + second, split_digits(args, second, whole)); \
    } \
    for (; second < parts.from[2]; second += IW_WARP_SIZE) { \
      const iw_pred some = iw_lanes_below((int64_t)(parts.from[2] - second)); \
      IW_PASTE(iw_pile_, t)(other, in + second, split_digits(args, second, some), some); \
    } \
    IW_PASTE(iw_piles_close_, t)(other, args->mask + 1); \
  } \
  for (; at < end; at += IW_WARP_SIZE) { \
    const iw_pred some = iw_lanes_below((int64_t)(end - at)); \
    const element *from = in + at; \
    if (in) iw_prefetch((const char *)from + SPLIT_AHEAD, IW_WARP_SIZE * sizeof(element)); \
    else { split_number(shared, at, sizeof(element)); from = (const element *)shared->numbers; } \
    IW_PASTE(iw_pile_, t)(one, from, split_digits(args, at, some), some); \
  } \
  IW_PASTE(iw_piles_close_, t)(one, args->mask + 1); \
} \
/* What is small stays in caches. */ \
IW_APART void IW_PASTE(split_lay_, t)(const iw_move_args *args, split_shared *shared, const iw_moved *moved, split_parts parts) \
{ \
  typedef IW_PASTE(iws_, t) element; \
  for (uint32_t d = 0; d <= args->mask; d += IW_WARP_SIZE) \
    iw_store(shared->counters + d, iw_to_u32(iw_load(shared->places + d, iw_lanes_below(IW_WARP_SIZE))), iw_lanes_below(IW_WARP_SIZE)); \
  for (uint64_t at = parts.from[0]; at < parts.from[2]; at += IW_WARP_SIZE) { \
    const iw_pred some = iw_lanes_below((int64_t)(parts.from[2] - at)); \
    const element *from = (const element *)moved->in + at; \
    if (!moved->in) { split_number(shared, at, sizeof(element)); from = (const element *)shared->numbers; } \
    IW_PASTE(iw_lay_, t)((element *)moved->out, shared->counters, from, split_digits(args, at, some), some); \
  } \
}
IW_MOVED(PILE_ALL)

/* Two piles of each digit, where one digit has so much of the chunk that its pile would wait for itself. */
IW_FN int split_is_hot(const iw_move_args *args, const split_shared *shared, split_parts parts)
{
  const uint64_t all = parts.from[1] - parts.from[0];
  uint64_t most = 0;
  for (uint32_t d = 0; d <= args->mask; d += IW_WARP_SIZE) {
    const iw_u64 has = iw_sub(iw_load(shared->places + IW_SPLIT_DIGITS + d, iw_lanes_below((int64_t)args->mask + 1 - d)),
                              iw_load(shared->places + d, iw_lanes_below((int64_t)args->mask + 1 - d)));
    const uint64_t here = iw_warp_max_u64(has);
    most = here > most ? here : most;
  }
  return most > all / SPLIT_HOT;
}

#define MOVE_ALL(t) \
IW_FN void IW_PASTE(split_move_, t)(const iw_move_args *args, split_shared *shared, const iw_moved *moved, split_parts parts, int both) \
{ \
  if (args->direct) IW_PASTE(split_lay_, t)(args, shared, moved, parts); \
  else IW_PASTE(split_pile_, t)(args, shared, moved, parts, both && moved->in); \
}
IW_MOVED(MOVE_ALL)

#else

/* The digits of a warp's elements of a tile, one item after the other; absent ones have the greatest, and stand behind all others. */
IW_FN void split_load(const iw_move_args *args, uint64_t at, uint64_t end, iw_u32 *digits)
{
#define LOAD_DIGITS(t, digit) do { \
    const IW_PASTE(iws_, t) *const in_ = (const IW_PASTE(iws_, t) *)args->numbers + at; \
    if (at + SPLIT_ITEMS * IW_WARP_SIZE <= end) \
      IW_UNROLL for (int k = 0; k < SPLIT_ITEMS; k++) \
        digits[k] = digit(args, IW_PASTE(iw_load_, t)(in_ + k * IW_WARP_SIZE, iw_lanes_below(IW_WARP_SIZE))); \
    else \
      IW_UNROLL for (int k = 0; k < SPLIT_ITEMS; k++) { \
        const iw_pred some_ = iw_lanes_below((int64_t)(end - at) - k * IW_WARP_SIZE); \
        digits[k] = iw_select_u32(some_, digit(args, IW_PASTE(iw_load_, t)(in_ + k * IW_WARP_SIZE, some_)), iw_splat(args->mask)); \
      } \
  } while (0)
  switch (args->bytes) {
  case 1: LOAD_DIGITS(u8, split_digit_u32); break;
  case 2: LOAD_DIGITS(u16, split_digit_u32); break;
  case 4: LOAD_DIGITS(u32, split_digit_u32); break;
  default: LOAD_DIGITS(u64, split_digit_u64); break;
  }
#undef LOAD_DIGITS
}

/* An array's elements of a tile: by way of shared memory, where they stand by digits, as many at a time as fit. One of 16 bytes is
 * two of 8. whole: known to the compiler, whether all are there. */
#define SPLIT_STAGED(t) ((uint32_t)(SPLIT_STAGE / sizeof(IW_PASTE(iws_, t))))
#define MOVE_TILE(t, l, stride, half) do { \
    if (valid == SPLIT_TILE) MOVE_STAGED(t, l, stride, half, 1); else MOVE_STAGED(t, l, stride, half, 0); \
  } while (0)
#define MOVE_STAGED(t, l, stride, half, whole) do { \
    typedef IW_PASTE(iws_, t) element_; \
    for (uint32_t first = 0; first < ((whole) ? SPLIT_TILE : (uint32_t)valid); first += SPLIT_STAGED(t)) { \
      IW_PHASE(warp) { \
        const uint32_t before_ = warp * SPLIT_ITEMS * IW_WARP_SIZE; \
        const element_ *const in_ = (const element_ *)moved->in + (tile + before_) * (stride) + (half); \
        IW_PASTE(iw_, l) x_[SPLIT_ITEMS]; \
        if (moved->in) IW_UNROLL for (int k = 0; k < SPLIT_ITEMS; k++) { \
          const iw_pred some_ = iw_lanes_below((whole) ? IW_WARP_SIZE : valid - before_ - k * IW_WARP_SIZE); \
          x_[k] = (stride) == 1 ? IW_PASTE(iw_load_, t)(in_ + k * IW_WARP_SIZE, some_) \
            : IW_PASTE(iw_gather_, t)(in_ + k * IW_WARP_SIZE * (stride), iw_add(iw_lane(), iw_lane()), some_); \
        } \
        else IW_UNROLL for (int k = 0; k < SPLIT_ITEMS; k++) \
          x_[k] = IW_PASTE(iw_to_, l)(iw_add(iw_to_u64(iw_lane()), iw_splat(tile + before_ + (unsigned)k * IW_WARP_SIZE))); \
        IW_UNROLL for (int k = 0; k < SPLIT_ITEMS; k++) { \
          const iw_pred some_ = iw_lanes_below((whole) ? IW_WARP_SIZE : valid - before_ - k * IW_WARP_SIZE); \
          const iw_u32 to_ = iw_sub(IW_MY(places)[k], iw_splat(first)); \
          IW_PASTE(iw_put_, t)((element_ *)shared->staged, to_, x_[k], \
                               SPLIT_STAGED(t) >= SPLIT_TILE ? some_ : iw_both(some_, iw_lt(to_, iw_splat(SPLIT_STAGED(t))))); \
        } \
      } \
      IW_PHASE(warp) { \
        IW_UNROLL for (uint32_t i = 0; i < SPLIT_STAGED(t) && i < SPLIT_TILE; i += SPLIT_WARPS * IW_WARP_SIZE) { \
          const uint32_t at_ = i + warp * IW_WARP_SIZE; \
          const iw_pred some_ = iw_lanes_below((whole) ? IW_WARP_SIZE : valid - first - at_); \
          const iw_u32 digit_ = iw_load_u8(shared->owners + first + at_, some_); \
          const iw_u64 to_ = iw_add(iw_gather_u64(shared->base, digit_, some_), \
                                    iw_to_u64(iw_add(iw_lane(), iw_splat(first + at_)))); \
          IW_PASTE(iw_put_far_, t)((element_ *)moved->out + (half), (stride) == 1 ? to_ : iw_add(to_, to_), \
                                   IW_PASTE(iw_load_, t)((const element_ *)shared->staged + at_, some_), some_); \
        } \
      } \
    } \
  } while (0)

#endif

IW_KERNEL_ONCE(split_move, split_shared, iw_move_args, SPLIT_WARPS * 32, SPLIT_BLOCKS)
{
  const split_parts parts = split_parts_of(block, args);
  if (args->alone) {
    IW_PHASE(warp) { split_clear(block, args, warp, shared->counters); }
    IW_PHASE(warp) { split_count_all(block, args, warp, shared->counters); }
  }
  IW_PHASE(warp) { split_begin(block, args, shared, warp); }
#if SPLIT_PILES
  IW_PHASE(warp) {
    const int both = !args->direct && split_is_hot(args, shared, parts);
    for (uint32_t m = 0; m < args->count; m++) {
      const iw_moved *const moved = args->moved + m;
      switch (moved->width) {
      case 1: split_move_u8(args, shared, moved, parts, both); break;
      case 2: split_move_u16(args, shared, moved, parts, both); break;
      case 4: split_move_u32(args, shared, moved, parts, both); break;
      case 8: split_move_u64(args, shared, moved, parts, both); break;
      default: split_move_u128(args, shared, moved, parts, both); break;
      }
    }
  }
#else
  IW_VAR_ARRAY(iw_u32, digits, SPLIT_ITEMS);
  IW_VAR_ARRAY(iw_u32, places, SPLIT_ITEMS);
  IW_VAR_ARRAY(iw_u32, of_warps, SPLIT_WARPS);              /* of a group's digits, before each warp's */
  IW_VAR(iw_u32, in_tile);                                  /* and in all */
  for (uint64_t tile = parts.from[0]; args->count && tile < parts.from[1]; tile += SPLIT_TILE) {
    const uint64_t left = parts.from[1] - tile;
    const int32_t valid = left < SPLIT_TILE ? (int32_t)left : SPLIT_TILE;
    IW_PHASE(warp) {
      uint32_t *const ranks = shared->ranks + warp * IW_SPLIT_DIGITS;
      split_load(args, tile + warp * SPLIT_ITEMS * IW_WARP_SIZE, parts.from[1], IW_MY(digits));
      for (uint32_t d = 0; d <= args->mask; d += IW_WARP_SIZE)
        iw_store(ranks + d, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
      iw_ranks_in(ranks, args->bits, IW_MY(digits), IW_MY(places), SPLIT_ITEMS);
    }
    IW_PHASE(warp) {                                        /* a warp adds up its digits … */
      if (warp < SPLIT_GROUPS && warp * IW_WARP_SIZE <= args->mask) {
        iw_u32 sum = iw_splat(0u);
        IW_UNROLL for (int w = 0; w < SPLIT_WARPS; w++) {
          IW_MY(of_warps)[w] = sum;
          sum = iw_add(sum, iw_load(shared->ranks + w * IW_SPLIT_DIGITS + warp * IW_WARP_SIZE, iw_lanes_below(IW_WARP_SIZE)));
        }
        IW_MY(in_tile) = sum;
        iw_set_u32(&shared->sums[warp], iw_warp_sum_u32(sum));
      }
    }
    IW_PHASE(warp) {                                        /* … and says where in the tile they begin, warp by warp */
      if (warp < SPLIT_GROUPS && warp * IW_WARP_SIZE <= args->mask) {
        uint32_t before = 0;
        for (unsigned g = 0; g < warp; g++) before += iw_get_u32(&shared->sums[g]);
        const iw_u32 sum = IW_MY(in_tile), start = iw_add(iw_exclusive_prefix_sum_u32(sum), iw_splat(before));
        const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
        uint64_t *const place = shared->places + warp * IW_WARP_SIZE;
        const iw_u64 now = iw_load(place, all);
        IW_UNROLL for (int w = 0; w < SPLIT_WARPS; w++)
          iw_store(shared->ranks + w * IW_SPLIT_DIGITS + warp * IW_WARP_SIZE, iw_add(start, IW_MY(of_warps)[w]), all);
        iw_store(shared->base + warp * IW_WARP_SIZE, iw_sub(now, iw_to_u64(start)), all);
        iw_store(place, iw_add(now, iw_to_u64(sum)), all);
      }
    }
    IW_PHASE(warp) {
      const uint32_t *const ranks = shared->ranks + warp * IW_SPLIT_DIGITS;
      IW_UNROLL for (int k = 0; k < SPLIT_ITEMS; k++) {
        const iw_u32 digit = IW_MY(digits)[k];
        const iw_u32 place = iw_add(IW_MY(places)[k], iw_gather_u32(ranks, digit, iw_lanes_below(IW_WARP_SIZE)));
        IW_MY(places)[k] = place;
        iw_put_u8(shared->owners, place, digit, iw_lanes_below(IW_WARP_SIZE));
      }
    }
    for (uint32_t m = 0; m < args->count; m++) {
      const iw_moved *const moved = args->moved + m;
      switch (moved->width) {
      case 1: MOVE_TILE(u8, u32, 1, 0); break;
      case 2: MOVE_TILE(u16, u32, 1, 0); break;
      case 4: MOVE_TILE(u32, u32, 1, 0); break;
      case 8: MOVE_TILE(u64, u64, 1, 0); break;
      default: for (int half = 0; half < 2; half++) MOVE_TILE(u64, u64, 2, half);
      }
    }
  }
#endif
}

/* ---- Where buckets begin, of more than a digit ---- */

/* Numbers in order: how many of them are less than each bucket's. */
IW_KERNEL(split_edges, nothing, iw_edges_args)
{
  IW_PHASE(warp) {
    const uint64_t first = ((uint64_t)block->index * block->warps + warp) * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_below((int64_t)(args->buckets + 1 - first));
    const iw_u64 bucket = iw_add(iw_to_u64(iw_lane()), iw_splat(first));
    iw_u64 below = iw_splat((uint64_t)0);                   /* so many are surely less */
    for (unsigned step = args->steps; step-- > 0;) {
      const iw_u64 next = iw_add(below, iw_splat((uint64_t)1 << step));
      const iw_pred there = iw_both(some, iw_le(next, iw_splat(args->n)));
      const iw_u64 at = iw_sub(next, iw_splat((uint64_t)1));
      const iw_u64 number = iw_and_u64(iw_shr_u64(split_number_at(args, at, there), iw_splat((uint64_t)args->shift)),
                                       iw_splat(args->mask));
      below = iw_select(iw_both(there, iw_lt(number, bucket)), next, below);
    }
    iw_store(args->offsets + first, below, some);
  }
}
