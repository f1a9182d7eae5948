/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass of a stable split into buckets by a digit of each element's number. First each block counts, part by part, what its
 * chunk has of each digit; when the counts of all chunks have been scanned, elements are moved, array by array. Knows no types,
 * widths only. A block of many warps moves a part, which is a tile that stands in shared memory by digits, and is stored so; a
 * warp alone moves a chunk, and grows piles (SPLIT_PILES).
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/common/tuning.h>
#include "algorithms/common/args.h"

enum {
  SPLIT_GROUPS = IW_SPLIT_DIGITS / IW_WARP_SIZE,           /* of digits, one a lane */
  SPLIT_TILE = SPLIT_WARPS * SPLIT_ITEMS * IW_WARP_SIZE,
  SPLIT_PARTS = SPLIT_PILES ? 2 : IW_SPLIT_PARTS,          /* of a chunk, at most */
  SPLIT_TABLES = SPLIT_PARTS * IW_SPREAD
};
static_assert((int)IW_SPLIT_DIGITS <= (int)IW_PILES && IW_SPLIT_DIGITS % IW_WARP_SIZE == 0, "a digit's pile, and lane");
static_assert(SPLIT_PILES ? SPLIT_WARPS == 1 : SPLIT_WARPS >= SPLIT_GROUPS, "piles are one warp's; else a warp has a group");
static_assert(SPLIT_PILES || (int)SPLIT_TILE == (int)IW_SPLIT_TILE, "a part is a tile");
static_assert(SPLIT_ITEMS % 8 == 0 && SPLIT_TILE <= 65536, "eight are ranked at a time; places in a tile are two in a word");
static_assert(SPLIT_ITEMS % SPLIT_STORES == 0, "a lane stores so many at a time");
static_assert(SPLIT_PILES || (SPLIT_STAGE % (SPLIT_WARPS * IW_WARP_SIZE * 8) == 0 && SPLIT_STAGE >= 4 * SPLIT_TILE),
              "there is room for a tile of 4-byte elements");

typedef struct { uint32_t counters[SPLIT_TABLES * IW_SPLIT_DIGITS]; } split_count_shared;

typedef struct {
#if SPLIT_PILES
  iw_piles piles[SPLIT_PARTS];
  uint64_t numbers[IW_WARP_SIZE];                          /* elements of an array that is not there */
  uint64_t places[SPLIT_PARTS * IW_SPLIT_DIGITS];          /* where each digit's first element of each part goes */
  uint32_t counters[SPLIT_TABLES * IW_SPLIT_DIGITS];
#else
  uint64_t staged[SPLIT_STAGE / sizeof(uint64_t)];         /* elements of the tile, by digits */
  uint64_t places[IW_SPLIT_DIGITS];                        /* where each digit's elements go, less where they are in the tile */
  uint32_t counters[SPLIT_WARPS * IW_SPLIT_DIGITS];        /* of each warp's digits; then where they are in the tile */
  uint32_t sums[SPLIT_GROUPS];
#endif
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
    for (uint64_t at_ = from + warp * IW_ROW(t); at_ < end; at_ += SPLIT_ROWS * step_) \
      if (at_ + (SPLIT_ROWS - 1) * step_ + IW_ROW(t) <= end) COUNT_SOME(t, digit, 1); else COUNT_SOME(t, digit, 0); \
  } while (0)
#define COUNT_SOME(t, digit, whole) do { \
    const int64_t left_ = (int64_t)(end - at_); \
    IW_JOIN(IW_PASTE(iw_row_, t), coming) rows_[SPLIT_ROWS]; \
    IW_UNROLL for (int k = 0; k < SPLIT_ROWS; k++) \
      rows_[k] = IW_PASTE(FETCH_, t)(in_ + at_ + k * step_, left_ - (int64_t)(k * step_)); \
    IW_UNROLL for (int k = 0; k < SPLIT_ROWS; k++) { \
      const IW_PASTE(iw_row_, t) row_ = IW_PASTE(iw_row_arrive_, t)(rows_[k]); \
      IW_EACH_VECTOR(t, v) \
        iw_count_spread(counters, each, digit(args, IW_PASTE(iw_row_vector_, t)(row_, v)), \
                        (whole) ? iw_lanes_below(IW_WARP_SIZE) : IW_PASTE(iw_row_valid_, t)(v, left_ - (int64_t)(k * step_))); \
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

IW_FN uint64_t split_end(const iw_move_args *args, uint64_t at) { return at < args->n ? at : args->n; }

IW_FN void split_clear(const iw_block *block, const iw_move_args *args, unsigned warp, uint32_t *counters)
{
  const unsigned tables = args->few ? 1 : args->parts * IW_SPREAD;
  for (uint32_t d = warp * IW_WARP_SIZE; d <= args->mask; d += block->warps * IW_WARP_SIZE)
    for (unsigned t = 0; t < tables; t++)
      iw_store(counters + t * IW_SPLIT_DIGITS + d, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
}

/* All parts of a chunk. */
IW_FN void split_count_chunk(const iw_block *block, const iw_move_args *args, unsigned warp, uint64_t chunk, uint32_t *counters)
{
  for (uint32_t p = 0; p < args->parts; p++) {
    const uint64_t from = (chunk * args->parts + p) * args->part;
    split_count_part(block, args, warp, split_end(args, from), split_end(args, from + args->part),
                     counters + p * IW_SPREAD * IW_SPLIT_DIGITS);
  }
}

/* Where the counts of a chunk stand, for digits from d on. */
IW_FN iw_u64 split_place_of(const iw_move_args *args, uint64_t chunk, uint32_t d)
{
  const iw_u64 digit = iw_to_u64(iw_add_u32(iw_splat(d), iw_lane()));
  return iw_add(iw_mul_u64(digit, iw_splat(args->chunks)), iw_splat(chunk));
}

IW_KERNEL_ONCE(split_count, split_count_shared, iw_move_args, SPLIT_COUNT_WARPS * 32, SPLIT_COUNT_BLOCKS)
{
  IW_PHASE(warp) { split_clear(block, args, warp, shared->counters); }
  IW_PHASE(warp) { split_count_chunk(block, args, warp, block->index, shared->counters); }
  IW_PHASE(warp) {
    for (uint32_t d = warp * IW_WARP_SIZE; d <= args->mask; d += block->warps * IW_WARP_SIZE) {
      iw_u32 sum = iw_splat(0u);
      for (uint32_t p = 0; p < args->parts; p++) {
        iw_store(args->fronts + (block->index * args->parts + p) * IW_SPLIT_DIGITS + d, sum, iw_lanes_below(IW_WARP_SIZE));
        sum = iw_add(sum, split_counted(args, shared->counters, p, d));
      }
      iw_scatter_far(args->counts, split_place_of(args, block->index, d), iw_to_u64(sum),
                     iw_lanes_below((int64_t)args->mask + 1 - d));
    }
  }
}

/* ---- Moving ---- */

/* Where a part's elements of the digits from d on go: what is in front of the chunk, and in it of the part. */
IW_FN iw_u64 split_front(const iw_move_args *args, uint64_t part, uint32_t d)
{
  return iw_add(iw_gather_far((const uint64_t *)args->counts, split_place_of(args, part / args->parts, d),
                              iw_lanes_below((int64_t)args->mask + 1 - d)),
                iw_to_u64(iw_load(args->fronts + part * IW_SPLIT_DIGITS + d, iw_lanes_below(IW_WARP_SIZE))));
}

/* The offsets of buckets from d on, by the warp that has what is in front of everything. */
IW_FN void split_tell(const iw_move_args *args, uint32_t d, iw_u64 place)
{
  iw_store(args->offsets + d, place, iw_lanes_below((int64_t)args->buckets - d));
  if (d == 0) iw_set_u64(args->offsets + args->buckets, args->n);
}

#if SPLIT_PILES

/* The elements' own numbers, for a warp. */
IW_FN void split_number(split_shared *shared, uint64_t at, size_t width)
{
  const iw_u64 number = iw_add(iw_to_u64(iw_lane()), iw_splat(at));
  if (width == 8) iw_store(shared->numbers, number, iw_lanes_below(IW_WARP_SIZE));
  else iw_store_u32((uint32_t *)shared->numbers, iw_to_u32(number), iw_lanes_below(IW_WARP_SIZE));
}

#define MOVE_CHUNK(t) \
IW_APART void IW_PASTE(split_pile_, t)(const iw_move_args *args, split_shared *shared, const iw_moved *moved, uint64_t at, \
                                       uint64_t middle, uint64_t end, int both) \
{ \
  typedef IW_PASTE(iws_, t) element; \
  const element *const in = (const element *)moved->in; \
  element *const out = (element *)moved->out; \
  const iw_pred whole = iw_lanes_below(IW_WARP_SIZE); \
  iw_piles *const one = shared->piles, *const other = shared->piles + 1; \
  const uint32_t digits = args->mask + 1; \
  IW_PASTE(iw_piles_open_, t)(one, out, shared->places, digits, (int)args->stream); \
  if (both) { \
    uint64_t second = middle; \
    IW_PASTE(iw_piles_open_, t)(other, out, shared->places + IW_SPLIT_DIGITS, digits, (int)args->stream); \
    for (; at + IW_WARP_SIZE <= middle && second + IW_WARP_SIZE <= end; at += IW_WARP_SIZE, second += IW_WARP_SIZE) { \
      iw_prefetch((const char *)(in + at) + SPLIT_AHEAD, IW_WARP_SIZE * sizeof(element)); \
      iw_prefetch((const char *)(in + second) + SPLIT_AHEAD, IW_WARP_SIZE * sizeof(element)); \
      IW_PASTE(iw_pile_both_, t)(one, in + at, split_digits(args, at, whole), \
                                 other, in + second, split_digits(args, second, whole)); \
    } \
    for (; second < end; second += IW_WARP_SIZE) { \
      const iw_pred some = iw_lanes_below((int64_t)(end - second)); \
      IW_PASTE(iw_pile_, t)(other, in + second, split_digits(args, second, some), some); \
    } \
    IW_PASTE(iw_piles_close_, t)(other, digits); \
    end = middle; \
  } \
  for (; at < end; at += IW_WARP_SIZE) { \
    const iw_pred some = iw_lanes_below((int64_t)(end - at)); \
    const element *from = in + at; \
    if (in) iw_prefetch((const char *)from + SPLIT_AHEAD, IW_WARP_SIZE * sizeof(element)); \
    else { split_number(shared, at, sizeof(element)); from = (const element *)shared->numbers; } \
    IW_PASTE(iw_pile_, t)(one, from, split_digits(args, at, some), some); \
  } \
  IW_PASTE(iw_piles_close_, t)(one, digits); \
} \
/* What is small stays in caches. */ \
IW_APART void IW_PASTE(split_lay_, t)(const iw_move_args *args, split_shared *shared, const iw_moved *moved, uint64_t at, \
                                      uint64_t end) \
{ \
  typedef IW_PASTE(iws_, t) element; \
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE); \
  for (uint32_t d = 0; d <= args->mask; d += IW_WARP_SIZE) \
    iw_store(shared->counters + d, iw_to_u32(iw_load(shared->places + d, all)), all); \
  for (; at < end; at += IW_WARP_SIZE) { \
    const iw_pred some = iw_lanes_below((int64_t)(end - at)); \
    const element *from = (const element *)moved->in + at; \
    if (!moved->in) { split_number(shared, at, sizeof(element)); from = (const element *)shared->numbers; } \
    IW_PASTE(iw_lay_, t)((element *)moved->out, shared->counters, from, split_digits(args, at, some), some); \
  } \
} \
/* An array's elements of a chunk. */ \
IW_FN void IW_PASTE(split_move_, t)(const iw_move_args *args, split_shared *shared, const iw_moved *moved, uint64_t at, \
                                    uint64_t middle, uint64_t end, int both) \
{ \
  if (args->direct) IW_PASTE(split_lay_, t)(args, shared, moved, at, end); \
  else IW_PASTE(split_pile_, t)(args, shared, moved, at, middle, end, both && moved->in); \
}
IW_MOVED(MOVE_CHUNK)

/* Where the digits' elements of the parts go. Returns how many the most frequent digit has in the first. */
IW_FN uint64_t split_begin(const iw_block *block, const iw_move_args *args, split_shared *shared)
{
  uint64_t sum = 0, most = 0;
  for (uint32_t d = 0; d <= args->mask; d += IW_WARP_SIZE) {
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    iw_u64 place, in_first;
    if (args->alone) {
      const iw_u32 first = split_counted(args, shared->counters, 0, d);
      const iw_u32 count = args->parts == 1 ? first : iw_add(first, split_counted(args, shared->counters, 1, d));
      const iw_u32 through = iw_inclusive_prefix_sum_u32(count);
      place = iw_add(iw_to_u64(iw_sub(through, count)), iw_splat(sum));
      in_first = iw_to_u64(first);
      sum += iw_at_u32(through, IW_WARP_SIZE - 1);
    } else {
      place = split_front(args, block->index * 2, d);
      in_first = iw_sub(split_front(args, block->index * 2 + 1, d), place);
    }
    iw_store(shared->places + d, place, all);
    if (args->parts > 1) {
      const uint64_t here = iw_warp_max_u64(in_first);
      most = here > most ? here : most;
      iw_store(shared->places + IW_SPLIT_DIGITS + d, iw_add(place, in_first), all);
    }
    if (block->index == 0 && args->offsets) split_tell(args, d, place);
  }
  return most;
}

#else

/* The words of a warp's elements of a tile, one item after the other, or all that is wanted of words of 64 bits. What is absent has
 * the greatest digit, and so stands behind all others. */
IW_FN iw_u32 split_word_u32(const iw_move_args *args, iw_u32 word) { return word; }
IW_FN void split_load(const iw_move_args *args, uint64_t at, uint64_t end, iw_u32 *words)
{
#define LOAD_WORDS(t, word) do { \
    const IW_PASTE(iws_, t) *const in_ = (const IW_PASTE(iws_, t) *)args->numbers + at; \
    if (at + SPLIT_ITEMS * IW_WARP_SIZE <= end) \
      IW_UNROLL for (int k = 0; k < SPLIT_ITEMS; k++) \
        words[k] = word(args, IW_PASTE(iw_load_, t)(in_ + k * IW_WARP_SIZE, iw_lanes_below(IW_WARP_SIZE))); \
    else \
      IW_UNROLL for (int k = 0; k < SPLIT_ITEMS; k++) { \
        const iw_pred some_ = iw_lanes_below((int64_t)(end - at) - k * IW_WARP_SIZE); \
        words[k] = iw_select_u32(some_, word(args, IW_PASTE(iw_load_, t)(in_ + k * IW_WARP_SIZE, some_)), \
                                 iw_splat(UINT32_MAX)); \
      } \
  } while (0)
  switch (args->bytes) {
  case 1: LOAD_WORDS(u8, split_word_u32); break;
  case 2: LOAD_WORDS(u16, split_word_u32); break;
  case 4: LOAD_WORDS(u32, split_word_u32); break;
  default: LOAD_WORDS(u64, split_digit_u64); break;
  }
#undef LOAD_WORDS
}

/* Places of a lane's elements in the tile, two in a word, and digits of what it stores, four. */
IW_FN iw_u32 split_place(const iw_u32 *places, int k)
{
  return iw_unpack(places[k / 2], 16 * (unsigned)(k % 2), 16);
}

IW_FN iw_u32 split_owner(const iw_u32 *owners, int k)
{
  return iw_unpack(owners[k / 4], 8 * (unsigned)(k % 4), 8);
}

/* Places of a warp's elements, and something put there at once, while others are looked up. */
#define PLACE_ITEMS(put) do { \
    IW_UNROLL for (int k = 0; k < SPLIT_ITEMS; k++) { \
      const iw_u32 digit_ = iw_and_u32(iw_shr_u32(IW_MY(words)[k], iw_splat(shift)), iw_splat(args->mask)); \
      const iw_u32 start_ = iw_gather_u32(counters, digit_, all); \
      IW_MY(places)[k / 2] = iw_add(IW_MY(places)[k / 2], iw_shl_u32(start_, iw_splat(16u * (unsigned)(k % 2)))); \
      const iw_u32 place_ = split_place(IW_MY(places), k); \
      put; \
    } \
  } while (0)

/* An array's elements of a tile: by way of shared memory, where they stand by digits, as many at a time as fit. One of 16 bytes
 * is two of 8. whole: known to the compiler, whether all are there. */
#define MOVE_TILE(t, l, stride, half) do { \
    if (valid == SPLIT_TILE) MOVE_STAGED(t, l, stride, half, 1); else MOVE_STAGED(t, l, stride, half, 0); \
  } while (0)
#define MOVE_STAGED(t, l, stride, half, whole) do { \
    typedef IW_PASTE(iws_, t) element_; \
    enum { ITEMS_ = SPLIT_STAGE / (int)sizeof(element_) / (SPLIT_WARPS * IW_WARP_SIZE), /* that a lane may store at a time, */ \
           EACH_ = ITEMS_ < SPLIT_ITEMS ? ITEMS_ : SPLIT_ITEMS, ROUND_ = EACH_ * SPLIT_WARPS * IW_WARP_SIZE, \
           BATCH_ = sizeof(element_) == 8 ? SPLIT_ITEMS / 2 : SPLIT_ITEMS,                     /* and load */ \
           TURN_ = EACH_ % SPLIT_STORES ? 1 : SPLIT_STORES }; \
    IW_UNROLL for (int r = 0; r < SPLIT_TILE / ROUND_; r++) if ((whole) || r * ROUND_ < valid) { \
      if (!(words_are_staged && m == 0)) IW_PHASE(warp) { \
        const int32_t before_ = (int32_t)(warp * SPLIT_ITEMS * IW_WARP_SIZE); \
        const element_ *const in_ = (const element_ *)moved->in + (tile + (uint64_t)before_) * (stride) + (half); \
        IW_UNROLL for (int b = 0; b < SPLIT_ITEMS; b += BATCH_) { \
          IW_PASTE(iw_, l) x_[BATCH_]; \
          if (moved->in) IW_UNROLL for (int k = 0; k < BATCH_; k++) { \
            const iw_pred some_ = iw_lanes_below((whole) ? IW_WARP_SIZE : valid - before_ - (b + k) * IW_WARP_SIZE); \
            x_[k] = (stride) == 1 ? IW_PASTE(iw_load_, t)(in_ + (b + k) * IW_WARP_SIZE, some_) \
              : IW_PASTE(iw_gather_, t)(in_ + (b + k) * IW_WARP_SIZE * (stride), iw_add(iw_lane(), iw_lane()), some_); \
          } \
          else IW_UNROLL for (int k = 0; k < BATCH_; k++) \
            x_[k] = IW_PASTE(iw_to_, l)(iw_add(iw_to_u64(iw_lane()), \
                                               iw_splat(tile + (uint64_t)(before_ + (b + k) * IW_WARP_SIZE)))); \
          IW_UNROLL for (int k = 0; k < BATCH_; k++) { \
            const iw_pred some_ = iw_lanes_below((whole) ? IW_WARP_SIZE : valid - before_ - (b + k) * IW_WARP_SIZE); \
            const iw_u32 to_ = iw_sub(split_place(IW_MY(places), b + k), iw_splat((uint32_t)(r * ROUND_))); \
            IW_PASTE(iw_put_, t)((element_ *)shared->staged, to_, x_[k], \
                                 ROUND_ == (int)SPLIT_TILE ? some_ : iw_both(some_, iw_lt(to_, iw_splat((uint32_t)ROUND_)))); \
          } \
        } \
      } \
      IW_PHASE(warp) { \
        const iw_u64 lane_ = iw_to_u64(iw_add(iw_lane(), iw_splat((uint32_t)(warp * IW_WARP_SIZE)))); \
        IW_UNROLL for (int b = 0; b < EACH_; b += TURN_) { \
          IW_PASTE(iw_, l) x_[TURN_]; \
          iw_u64 to_[TURN_]; \
          IW_UNROLL for (int k = 0; k < TURN_; k++) { \
            const uint32_t at_ = ((uint32_t)(b + k) * SPLIT_WARPS + warp) * IW_WARP_SIZE; \
            const iw_pred some_ = iw_lanes_below((whole) ? IW_WARP_SIZE : valid - r * ROUND_ - (int32_t)at_); \
            to_[k] = iw_add(iw_gather_u64(shared->places, split_owner(IW_MY(owners), r * EACH_ + b + k), some_), lane_); \
            x_[k] = IW_PASTE(iw_load_, t)((const element_ *)shared->staged + at_, some_); \
          } \
          IW_UNROLL for (int k = 0; k < TURN_; k++) { \
            const int32_t row_ = r * ROUND_ + (b + k) * SPLIT_WARPS * IW_WARP_SIZE; \
            IW_PASTE(iw_put_far_, t)((element_ *)moved->out + (half) + row_ * (stride), \
                                     (stride) == 1 ? to_[k] : iw_add(to_[k], to_[k]), x_[k], \
                                     iw_lanes_below((whole) ? IW_WARP_SIZE : valid - row_ - (int32_t)(warp * IW_WARP_SIZE))); \
          } \
        } \
      } \
    } \
  } while (0)

/* The same of words that are staged, and tell where they go. */
#define STORE_WORDS do { if (valid == SPLIT_TILE) STORE_STAGED(1); else STORE_STAGED(0); } while (0)
#define STORE_STAGED(whole) do { IW_PHASE(warp) { \
    const iw_u64 lane_ = iw_to_u64(iw_add(iw_lane(), iw_splat((uint32_t)(warp * IW_WARP_SIZE)))); \
    IW_UNROLL for (int b = 0; b < SPLIT_ITEMS; b += SPLIT_STORES) { \
      iw_u32 word_[SPLIT_STORES]; \
      iw_u64 to_[SPLIT_STORES]; \
      iw_pred some_[SPLIT_STORES]; \
      IW_UNROLL for (int k = 0; k < SPLIT_STORES; k++) { \
        const uint32_t at_ = ((uint32_t)(b + k) * SPLIT_WARPS + warp) * IW_WARP_SIZE; \
        some_[k] = iw_lanes_below((whole) ? IW_WARP_SIZE : valid - (int32_t)at_); \
        word_[k] = iw_load_u32((const uint32_t *)shared->staged + at_, some_[k]); \
      } \
      IW_UNROLL for (int k = 0; k < SPLIT_STORES; k++) { \
        const iw_u32 digit_ = iw_and_u32(iw_shr_u32(word_[k], iw_splat(shift)), iw_splat(args->mask)); \
        to_[k] = iw_add(iw_gather_u64(shared->places, digit_, some_[k]), lane_); \
      } \
      IW_UNROLL for (int k = 0; k < SPLIT_STORES; k++) \
        iw_put_far_u32((uint32_t *)moved->out + (b + k) * SPLIT_WARPS * IW_WARP_SIZE, to_[k], word_[k], some_[k]); \
    } \
  } } while (0)

#endif

IW_KERNEL_ONCE(split_move, split_shared, iw_move_args, SPLIT_WARPS * 32, SPLIT_BLOCKS)
{
#if SPLIT_PILES
  if (args->alone) {
    IW_PHASE(warp) { split_clear(block, args, warp, shared->counters); }
    IW_PHASE(warp) { split_count_chunk(block, args, warp, 0, shared->counters); }
  }
  IW_PHASE(warp) {
    const uint64_t first = block->index * args->parts * args->part;
    const uint64_t at = split_end(args, first), middle = split_end(args, first + args->part);
    const uint64_t end = split_end(args, first + args->parts * args->part);
    const int both = split_begin(block, args, shared) > (middle - at) / SPLIT_HOT;
    for (uint32_t m = 0; m < args->count; m++) {
      const iw_moved *const moved = args->moved + m;
      switch (moved->width) {
      case 1: split_move_u8(args, shared, moved, at, middle, end, both); break;
      case 2: split_move_u16(args, shared, moved, at, middle, end, both); break;
      case 4: split_move_u32(args, shared, moved, at, middle, end, both); break;
      case 8: split_move_u64(args, shared, moved, at, middle, end, both); break;
      default: split_move_u128(args, shared, moved, at, middle, end, both); break;
      }
    }
  }
#else
  IW_VAR_ARRAY(iw_u32, words, SPLIT_ITEMS);
  IW_VAR_ARRAY(iw_u32, places, SPLIT_ITEMS / 2);
  IW_VAR_ARRAY(iw_u32, owners, SPLIT_ITEMS / 4);
  IW_VAR(iw_u32, in_tile);                                  /* of each of a group's digits */
  const uint64_t tile = (uint64_t)block->index * SPLIT_TILE, left = args->n - tile;
  const int32_t valid = left < SPLIT_TILE ? (int32_t)left : SPLIT_TILE;
  const unsigned shift = args->bytes == 8 ? 0 : args->shift;
  /* Whether the first array is the numbers, which are here then. */
  const int words_are_staged = args->bytes == 4 && args->count && args->moved[0].in == args->numbers && args->moved[0].width == 4;
  IW_PHASE(warp) {
    const uint32_t d = warp * IW_WARP_SIZE;
    uint32_t *const counters = shared->counters + warp * IW_SPLIT_DIGITS;
    split_load(args, tile + warp * SPLIT_ITEMS * IW_WARP_SIZE, args->n, IW_MY(words));
    if (!args->alone && d <= args->mask) {
      const iw_u64 place = split_front(args, block->index, d);
      iw_store(shared->places + d, place, iw_lanes_below(IW_WARP_SIZE));
      if (block->index == 0 && args->offsets) split_tell(args, d, place);
    }
    for (uint32_t c = 0; c <= args->mask; c += IW_WARP_SIZE)
      iw_store(counters + c, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
    iw_ranks_in(counters, IW_MY(words), shift, args->mask, IW_MY(places), SPLIT_ITEMS);
  }
  IW_PHASE(warp) {                                          /* a warp adds up its digits … */
    const uint32_t d = warp * IW_WARP_SIZE;
    if (d <= args->mask) {
      iw_u32 sum = iw_splat(0u);
      IW_UNROLL for (int w = 0; w < SPLIT_WARPS; w++)
        sum = iw_add(sum, iw_load(shared->counters + w * IW_SPLIT_DIGITS + d, iw_lanes_below(IW_WARP_SIZE)));
      IW_MY(in_tile) = sum;
      iw_set_u32(&shared->sums[warp], iw_warp_sum_u32(sum));
    }
  }
  IW_PHASE(warp) {                                          /* … and says where in the tile they begin, warp by warp */
    const uint32_t d = warp * IW_WARP_SIZE;
    if (d <= args->mask) {
      const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
      uint32_t before = 0;
      for (unsigned g = 0; g < warp; g++) before += iw_get_u32(&shared->sums[g]);
      iw_u32 start = iw_add(iw_exclusive_prefix_sum_u32(IW_MY(in_tile)), iw_splat(before));
      if (args->alone) {
        if (args->offsets) split_tell(args, d, iw_to_u64(start));
        iw_store(shared->places + d, iw_splat((uint64_t)0), all);
      } else iw_store(shared->places + d, iw_sub(iw_load(shared->places + d, all), iw_to_u64(start)), all);
      IW_UNROLL for (int w = 0; w < SPLIT_WARPS; w++) {
        uint32_t *const counters = shared->counters + w * IW_SPLIT_DIGITS + d;
        const iw_u32 count = iw_load(counters, all);
        iw_store(counters, start, all);
        start = iw_add(start, count);
      }
    }
  }
  IW_PHASE(warp) {
    const uint32_t *const counters = shared->counters + warp * IW_SPLIT_DIGITS;
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    if (words_are_staged) PLACE_ITEMS(iw_put_u32((uint32_t *)shared->staged, place_, IW_MY(words)[k], all));
    else PLACE_ITEMS(iw_put_u8((uint8_t *)shared->staged, place_, digit_, all));
  }
  if (!(words_are_staged && args->count == 1)) IW_PHASE(warp) {
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    IW_UNROLL for (int k = 0; k < SPLIT_ITEMS; k++) {
      const uint32_t at = (uint32_t)k * SPLIT_WARPS * IW_WARP_SIZE + warp * IW_WARP_SIZE;
      const iw_u32 digit = words_are_staged
        ? iw_and_u32(iw_shr_u32(iw_load_u32((const uint32_t *)shared->staged + at, all), iw_splat(shift)), iw_splat(args->mask))
        : iw_load_u8((const uint8_t *)shared->staged + at, all);
      const iw_u32 shifted = iw_shl_u32(digit, iw_splat(8u * (unsigned)(k % 4)));
      IW_MY(owners)[k / 4] = k % 4 ? iw_or_u32(IW_MY(owners)[k / 4], shifted) : shifted;
    }
  }
  for (uint32_t m = 0; m < args->count; m++) {
    const iw_moved *const moved = args->moved + m;
    switch (moved->width) {
    case 1: MOVE_TILE(u8, u32, 1, 0); break;
    case 2: MOVE_TILE(u16, u32, 1, 0); break;
    case 4: if (words_are_staged && args->count == 1) STORE_WORDS; else MOVE_TILE(u32, u32, 1, 0); break;
    case 8: MOVE_TILE(u64, u64, 1, 0); break;
    default: for (int half = 0; half < 2; half++) MOVE_TILE(u64, u64, 2, half);
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
