/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass of a stable split into buckets by a digit of each element's number. First each block counts, part by part, what its
 * chunk has of each digit; when the counts of all chunks have been scanned, elements are moved, array by array. Knows no types,
 * widths only. A block of many warps moves a part, which is a tile that stands in shared memory by digits, and is stored so; a
 * warp alone moves a chunk, and grows piles (MULTISPLIT_WRITE_BUFFERS).
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/common/tuning.h>
#include "algorithms/common/args.h"

enum {
  MULTISPLIT_DIGIT_GROUPS = IW_RADIX_DIGITS / IW_WARP_SIZE,           /* of digits, one a lane */
  MULTISPLIT_TILE = MULTISPLIT_WARPS * MULTISPLIT_ITEMS_PER_LANE * IW_WARP_SIZE,
  MULTISPLIT_PARTS = MULTISPLIT_WRITE_BUFFERS ? 2 : IW_MULTISPLIT_MAX_PARTS,          /* of a chunk, at most */
  MULTISPLIT_COUNT_TABLES = MULTISPLIT_PARTS * IW_COUNT_REPLICAS
};
static_assert((int)IW_RADIX_DIGITS <= (int)IW_MAX_WRITE_BUFFERS && IW_RADIX_DIGITS % IW_WARP_SIZE == 0, "a digit's pile, and lane");
static_assert(MULTISPLIT_WRITE_BUFFERS ? MULTISPLIT_WARPS == 1 : MULTISPLIT_WARPS >= MULTISPLIT_DIGIT_GROUPS, "piles are one warp's; else a warp has a group");
static_assert(MULTISPLIT_WRITE_BUFFERS || (int)MULTISPLIT_TILE == (int)IW_MULTISPLIT_TILE, "a part is a tile");
static_assert(MULTISPLIT_ITEMS_PER_LANE % 8 == 0 && MULTISPLIT_TILE <= 65536, "eight are ranked at a time; places in a tile are two in a word");
static_assert(MULTISPLIT_ITEMS_PER_LANE % MULTISPLIT_STORE_BATCH == 0, "a lane stores so many at a time");
static_assert(MULTISPLIT_WRITE_BUFFERS || (MULTISPLIT_STAGE_BYTES % (MULTISPLIT_WARPS * IW_WARP_SIZE * 8) == 0 && MULTISPLIT_STAGE_BYTES >= 4 * MULTISPLIT_TILE),
              "there is room for a tile of 4-byte elements");

typedef struct { uint32_t counters[MULTISPLIT_COUNT_TABLES * IW_RADIX_DIGITS]; } multisplit_count_shared;

typedef struct {
#if MULTISPLIT_WRITE_BUFFERS
  iw_write_buffers buffers[MULTISPLIT_PARTS];
  uint64_t indices[IW_WARP_SIZE];                          /* elements of an array that is not there */
  uint64_t bases[MULTISPLIT_PARTS * IW_RADIX_DIGITS];          /* where each digit's first element of each part goes */
  uint32_t counters[MULTISPLIT_COUNT_TABLES * IW_RADIX_DIGITS];
#else
  uint64_t staged[MULTISPLIT_STAGE_BYTES / sizeof(uint64_t)];         /* elements of the tile, by digits */
  uint64_t bases[IW_RADIX_DIGITS];                        /* where each digit's elements go, less where they are in the tile */
  uint32_t counters[MULTISPLIT_WARPS * IW_RADIX_DIGITS];        /* of each warp's digits; then where they are in the tile */
  uint32_t sums[MULTISPLIT_DIGIT_GROUPS];
#endif
} multisplit_shared;

/* ---- Digits ---- */

IW_FN iw_u32 multisplit_digit_u32(const iw_radix_pass_args *args, iw_u32 word)
{
  return iw_and_u32(iw_shr_u32(word, iw_splat(args->shift)), iw_splat(args->mask));
}

IW_FN iw_u32 multisplit_digit_u64(const iw_radix_pass_args *args, iw_u64 word)
{
  return iw_to_u32(iw_and_u64(iw_shr_u64(word, iw_splat((uint64_t)args->shift)), iw_splat((uint64_t)args->mask)));
}

/* Those of the elements from `at` on. */
IW_FN iw_u32 multisplit_load_digits(const iw_radix_pass_args *args, uint64_t at, iw_pred some)
{
  switch (args->key_bytes) {
  case 1: return multisplit_digit_u32(args, iw_load_u8((const uint8_t *)args->keys + at, some));
  case 2: return multisplit_digit_u32(args, iw_load_u16((const uint16_t *)args->keys + at, some));
  case 4: return multisplit_digit_u32(args, iw_load_u32((const uint32_t *)args->keys + at, some));
  default: return multisplit_digit_u64(args, iw_load_u64((const uint64_t *)args->keys + at, some));
  }
}

/* Words at these places. */
IW_FN iw_u64 multisplit_gather_key(const iw_bucket_offsets_args *args, iw_u64 at, iw_pred some)
{
  switch (args->key_bytes) {
  case 1: return iw_to_u64(iw_gather_far_u8((const uint8_t *)args->keys, at, some));
  case 2: return iw_to_u64(iw_gather_far_u16((const uint16_t *)args->keys, at, some));
  case 4: return iw_to_u64(iw_gather_far((const uint32_t *)args->keys, at, some));
  default: return iw_gather_far((const uint64_t *)args->keys, at, some);
  }
}

/* ---- Counting ---- */

/* Absent elements of rows whose numbers have 32 bits or more are 0. */
#define FETCH_u8(p, valid) iw_row_issue_u8(p, valid)
#define FETCH_u16(p, valid) iw_row_issue_u16(p, valid)
#define FETCH_u32(p, valid) iw_row_issue_u32(p, valid, 0)
#define FETCH_u64(p, valid) iw_row_issue_u64(p, valid, 0)
#define COUNT_ROWS(t, digit) do { \
    const IW_PASTE(iws_, t) *const in_ = (const IW_PASTE(iws_, t) *)args->keys; \
    const uint64_t step_ = (uint64_t)block->warps * IW_ROW(t); \
    for (uint64_t at_ = from + warp * IW_ROW(t); at_ < end; at_ += MULTISPLIT_COUNT_ROWS * step_) \
      if (at_ + (MULTISPLIT_COUNT_ROWS - 1) * step_ + IW_ROW(t) <= end) COUNT_SOME(t, digit, 1); else COUNT_SOME(t, digit, 0); \
  } while (0)
#define COUNT_SOME(t, digit, whole) do { \
    const int64_t left_ = (int64_t)(end - at_); \
    IW_JOIN(IW_PASTE(iw_row_, t), pending) rows_[MULTISPLIT_COUNT_ROWS]; \
    IW_UNROLL for (int k = 0; k < MULTISPLIT_COUNT_ROWS; k++) \
      rows_[k] = IW_PASTE(FETCH_, t)(in_ + at_ + k * step_, left_ - (int64_t)(k * step_)); \
    IW_UNROLL for (int k = 0; k < MULTISPLIT_COUNT_ROWS; k++) { \
      const IW_PASTE(iw_row_, t) row_ = IW_PASTE(iw_row_wait_, t)(rows_[k]); \
      IW_EACH_VECTOR(t, v) \
        iw_count_replicated(counters, each, digit(args, IW_PASTE(iw_row_vector_, t)(row_, v)), \
                        (whole) ? iw_lanes_below(IW_WARP_SIZE) : IW_PASTE(iw_row_valid_, t)(v, left_ - (int64_t)(k * step_))); \
    } \
  } while (0)

/* A warp's rows of the elements from … end-1. */
IW_FN void multisplit_count_part(const iw_block *block, const iw_radix_pass_args *args, unsigned warp, uint64_t from, uint64_t end,
                            uint32_t *counters)
{
  const unsigned each = args->one_table ? 0 : IW_RADIX_DIGITS;
  switch (args->key_bytes) {
  case 1: COUNT_ROWS(u8, multisplit_digit_u32); break;
  case 2: COUNT_ROWS(u16, multisplit_digit_u32); break;
  case 4: COUNT_ROWS(u32, multisplit_digit_u32); break;
  default: COUNT_ROWS(u64, multisplit_digit_u64); break;
  }
}

/* What there are of 32 digits, from d on, in a part. */
IW_FN iw_u32 multisplit_part_counts(const iw_radix_pass_args *args, const uint32_t *counters, int part, uint32_t d)
{
  const uint32_t *const table = counters + part * IW_COUNT_REPLICAS * IW_RADIX_DIGITS + d;
  iw_u32 sum = iw_load(table, iw_lanes_below(IW_WARP_SIZE));
  for (int k = 1; k < IW_COUNT_REPLICAS && !args->one_table; k++)
    sum = iw_add(sum, iw_load(table + k * IW_RADIX_DIGITS, iw_lanes_below(IW_WARP_SIZE)));
  return sum;
}

IW_FN uint64_t multisplit_clamp(const iw_radix_pass_args *args, uint64_t at) { return at < args->n ? at : args->n; }

IW_FN void multisplit_clear_counters(const iw_block *block, const iw_radix_pass_args *args, unsigned warp, uint32_t *counters)
{
  const unsigned tables = args->one_table ? 1 : args->parts * IW_COUNT_REPLICAS;
  for (uint32_t d = warp * IW_WARP_SIZE; d <= args->mask; d += block->warps * IW_WARP_SIZE)
    for (unsigned t = 0; t < tables; t++)
      iw_store(counters + t * IW_RADIX_DIGITS + d, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
}

/* All parts of a chunk. */
IW_FN void multisplit_count_chunk(const iw_block *block, const iw_radix_pass_args *args, unsigned warp, uint64_t chunk, uint32_t *counters)
{
  for (uint32_t p = 0; p < args->parts; p++) {
    const uint64_t from = (chunk * args->parts + p) * args->part;
    multisplit_count_part(block, args, warp, multisplit_clamp(args, from), multisplit_clamp(args, from + args->part),
                     counters + p * IW_COUNT_REPLICAS * IW_RADIX_DIGITS);
  }
}

/* Where the counts of a chunk stand, for digits from d on. */
IW_FN iw_u64 multisplit_count_index(const iw_radix_pass_args *args, uint64_t chunk, uint32_t d)
{
  const iw_u64 digit = iw_to_u64(iw_add_u32(iw_splat(d), iw_lane()));
  return iw_add(iw_mul_u64(digit, iw_splat(args->chunks)), iw_splat(chunk));
}

IW_KERNEL_NO_SPECIALIZATION(multisplit_count, multisplit_count_shared, iw_radix_pass_args, MULTISPLIT_COUNT_WARPS * 32, MULTISPLIT_COUNT_BLOCKS)
{
  IW_PHASE(warp) { multisplit_clear_counters(block, args, warp, shared->counters); }
  IW_PHASE(warp) { multisplit_count_chunk(block, args, warp, block->index, shared->counters); }
  IW_PHASE(warp) {
    for (uint32_t d = warp * IW_WARP_SIZE; d <= args->mask; d += block->warps * IW_WARP_SIZE) {
      iw_u32 sum = iw_splat(0u);
      for (uint32_t p = 0; p < args->parts; p++) {
        iw_store(args->part_prefixes + (block->index * args->parts + p) * IW_RADIX_DIGITS + d, sum, iw_lanes_below(IW_WARP_SIZE));
        sum = iw_add(sum, multisplit_part_counts(args, shared->counters, p, d));
      }
      iw_scatter_far(args->counts, multisplit_count_index(args, block->index, d), iw_to_u64(sum),
                     iw_lanes_below((int64_t)args->mask + 1 - d));
    }
  }
}

/* ---- Moving ---- */

/* Where a part's elements of the digits from d on go: what is in front of the chunk, and in it of the part. */
IW_FN iw_u64 multisplit_part_offset(const iw_radix_pass_args *args, uint64_t part, uint32_t d)
{
  return iw_add(iw_gather_far((const uint64_t *)args->counts, multisplit_count_index(args, part / args->parts, d),
                              iw_lanes_below((int64_t)args->mask + 1 - d)),
                iw_to_u64(iw_load(args->part_prefixes + part * IW_RADIX_DIGITS + d, iw_lanes_below(IW_WARP_SIZE))));
}

/* The offsets of buckets from d on, by the warp that has what is in front of everything. */
IW_FN void multisplit_store_offsets(const iw_radix_pass_args *args, uint32_t d, iw_u64 place)
{
  iw_store(args->offsets + d, place, iw_lanes_below((int64_t)args->buckets - d));
  if (d == 0) iw_set_u64(args->offsets + args->buckets, args->n);
}

#if MULTISPLIT_WRITE_BUFFERS

/* The elements' own numbers, for a warp. */
IW_FN void multisplit_make_indices(multisplit_shared *shared, uint64_t at, size_t width)
{
  const iw_u64 number = iw_add(iw_to_u64(iw_lane()), iw_splat(at));
  if (width == 8) iw_store(shared->indices, number, iw_lanes_below(IW_WARP_SIZE));
  else iw_store_u32((uint32_t *)shared->indices, iw_to_u32(number), iw_lanes_below(IW_WARP_SIZE));
}

#define MULTISPLIT_MOVE_CHUNK(t) \
IW_NOINLINE_FN void IW_PASTE(multisplit_move_buffered_, t)(const iw_radix_pass_args *args, multisplit_shared *shared, const iw_move_array *moved, uint64_t at, \
                                       uint64_t middle, uint64_t end, int both) \
{ \
  typedef IW_PASTE(iws_, t) element; \
  const element *const in = (const element *)moved->in; \
  element *const out = (element *)moved->out; \
  const iw_pred whole = iw_lanes_below(IW_WARP_SIZE); \
  iw_write_buffers *const one = shared->buffers, *const other = shared->buffers + 1; \
  const uint32_t digits = args->mask + 1; \
  IW_PASTE(iw_write_buffers_open_, t)(one, out, shared->bases, digits, (int)args->nontemporal); \
  if (both) { \
    uint64_t second = middle; \
    IW_PASTE(iw_write_buffers_open_, t)(other, out, shared->bases + IW_RADIX_DIGITS, digits, (int)args->nontemporal); \
    for (; at + IW_WARP_SIZE <= middle && second + IW_WARP_SIZE <= end; at += IW_WARP_SIZE, second += IW_WARP_SIZE) { \
      iw_prefetch((const char *)(in + at) + MULTISPLIT_PREFETCH_BYTES, IW_WARP_SIZE * sizeof(element)); \
      iw_prefetch((const char *)(in + second) + MULTISPLIT_PREFETCH_BYTES, IW_WARP_SIZE * sizeof(element)); \
      IW_PASTE(iw_write_buffer_append_both_, t)(one, in + at, multisplit_load_digits(args, at, whole), \
                                 other, in + second, multisplit_load_digits(args, second, whole)); \
    } \
    for (; second < end; second += IW_WARP_SIZE) { \
      const iw_pred some = iw_lanes_below((int64_t)(end - second)); \
      IW_PASTE(iw_write_buffer_append_, t)(other, in + second, multisplit_load_digits(args, second, some), some); \
    } \
    IW_PASTE(iw_write_buffers_close_, t)(other, digits); \
    end = middle; \
  } \
  for (; at < end; at += IW_WARP_SIZE) { \
    const iw_pred some = iw_lanes_below((int64_t)(end - at)); \
    const element *from = in + at; \
    if (in) iw_prefetch((const char *)from + MULTISPLIT_PREFETCH_BYTES, IW_WARP_SIZE * sizeof(element)); \
    else { multisplit_make_indices(shared, at, sizeof(element)); from = (const element *)shared->indices; } \
    IW_PASTE(iw_write_buffer_append_, t)(one, from, multisplit_load_digits(args, at, some), some); \
  } \
  IW_PASTE(iw_write_buffers_close_, t)(one, digits); \
} \
/* What is small stays in caches. */ \
IW_NOINLINE_FN void IW_PASTE(multisplit_move_unbuffered_, t)(const iw_radix_pass_args *args, multisplit_shared *shared, const iw_move_array *moved, uint64_t at, \
                                      uint64_t end) \
{ \
  typedef IW_PASTE(iws_, t) element; \
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE); \
  for (uint32_t d = 0; d <= args->mask; d += IW_WARP_SIZE) \
    iw_store(shared->counters + d, iw_to_u32(iw_load(shared->bases + d, all)), all); \
  for (; at < end; at += IW_WARP_SIZE) { \
    const iw_pred some = iw_lanes_below((int64_t)(end - at)); \
    const element *from = (const element *)moved->in + at; \
    if (!moved->in) { multisplit_make_indices(shared, at, sizeof(element)); from = (const element *)shared->indices; } \
    IW_PASTE(iw_scatter_ranked_, t)((element *)moved->out, shared->counters, from, multisplit_load_digits(args, at, some), some); \
  } \
} \
/* An array's elements of a chunk. */ \
IW_FN void IW_PASTE(multisplit_move_, t)(const iw_radix_pass_args *args, multisplit_shared *shared, const iw_move_array *moved, uint64_t at, \
                                    uint64_t middle, uint64_t end, int both) \
{ \
  if (args->unbuffered) IW_PASTE(multisplit_move_unbuffered_, t)(args, shared, moved, at, end); \
  else IW_PASTE(multisplit_move_buffered_, t)(args, shared, moved, at, middle, end, both && moved->in); \
}
IW_MOVED(MULTISPLIT_MOVE_CHUNK)

/* Where the digits' elements of the parts go. Returns how many the most frequent digit has in the first. */
IW_FN uint64_t multisplit_load_bases(const iw_block *block, const iw_radix_pass_args *args, multisplit_shared *shared)
{
  uint64_t sum = 0, most = 0;
  for (uint32_t d = 0; d <= args->mask; d += IW_WARP_SIZE) {
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    iw_u64 place, in_first;
    if (args->single_block) {
      const iw_u32 first = multisplit_part_counts(args, shared->counters, 0, d);
      const iw_u32 count = args->parts == 1 ? first : iw_add(first, multisplit_part_counts(args, shared->counters, 1, d));
      const iw_u32 through = iw_inclusive_prefix_sum_u32(count);
      place = iw_add(iw_to_u64(iw_sub(through, count)), iw_splat(sum));
      in_first = iw_to_u64(first);
      sum += iw_at_u32(through, IW_WARP_SIZE - 1);
    } else {
      place = multisplit_part_offset(args, block->index * 2, d);
      in_first = iw_sub(multisplit_part_offset(args, block->index * 2 + 1, d), place);
    }
    iw_store(shared->bases + d, place, all);
    if (args->parts > 1) {
      const uint64_t here = iw_warp_max_u64(in_first);
      most = here > most ? here : most;
      iw_store(shared->bases + IW_RADIX_DIGITS + d, iw_add(place, in_first), all);
    }
    if (block->index == 0 && args->offsets) multisplit_store_offsets(args, d, place);
  }
  return most;
}

#else

/* The words of a warp's elements of a tile, one item after the other, or all that is wanted of words of 64 bits. What is absent has
 * the greatest digit, and so stands behind all others. */
IW_FN iw_u32 multisplit_key_u32(const iw_radix_pass_args *args, iw_u32 word) { return word; }
IW_FN void multisplit_load_keys(const iw_radix_pass_args *args, uint64_t at, uint64_t end, iw_u32 *words)
{
#define LOAD_KEYS(t, word) do { \
    const IW_PASTE(iws_, t) *const in_ = (const IW_PASTE(iws_, t) *)args->keys + at; \
    if (at + MULTISPLIT_ITEMS_PER_LANE * IW_WARP_SIZE <= end) \
      IW_UNROLL for (int k = 0; k < MULTISPLIT_ITEMS_PER_LANE; k++) \
        words[k] = word(args, IW_PASTE(iw_load_, t)(in_ + k * IW_WARP_SIZE, iw_lanes_below(IW_WARP_SIZE))); \
    else \
      IW_UNROLL for (int k = 0; k < MULTISPLIT_ITEMS_PER_LANE; k++) { \
        const iw_pred some_ = iw_lanes_below((int64_t)(end - at) - k * IW_WARP_SIZE); \
        words[k] = iw_select_u32(some_, word(args, IW_PASTE(iw_load_, t)(in_ + k * IW_WARP_SIZE, some_)), \
                                 iw_splat(UINT32_MAX)); \
      } \
  } while (0)
  switch (args->key_bytes) {
  case 1: LOAD_KEYS(u8, multisplit_key_u32); break;
  case 2: LOAD_KEYS(u16, multisplit_key_u32); break;
  case 4: LOAD_KEYS(u32, multisplit_key_u32); break;
  default: LOAD_KEYS(u64, multisplit_digit_u64); break;
  }
#undef LOAD_KEYS
}

/* Places of a lane's elements in the tile, two in a word, and digits of what it stores, four. */
IW_FN iw_u32 multisplit_rank(const iw_u32 *places, int k)
{
  return iw_bitfield_extract(places[k / 2], 16 * (unsigned)(k % 2), 16);
}

IW_FN iw_u32 multisplit_packed_digit(const iw_u32 *packed_digits, int k)
{
  return iw_bitfield_extract(packed_digits[k / 4], 8 * (unsigned)(k % 4), 8);
}

/* Places of a warp's elements, and something put there at once, while others are looked up. */
#define RANK_ITEMS(put) do { \
    IW_UNROLL for (int k = 0; k < MULTISPLIT_ITEMS_PER_LANE; k++) { \
      const iw_u32 digit_ = iw_and_u32(iw_shr_u32(IW_MY(keys)[k], iw_splat(shift)), iw_splat(args->mask)); \
      const iw_u32 start_ = iw_gather_u32(counters, digit_, all); \
      IW_MY(ranks)[k / 2] = iw_add(IW_MY(ranks)[k / 2], iw_shl_u32(start_, iw_splat(16u * (unsigned)(k % 2)))); \
      const iw_u32 place_ = multisplit_rank(IW_MY(ranks), k); \
      put; \
    } \
  } while (0)

/* An array's elements of a tile: by way of shared memory, where they stand by digits, as many at a time as fit. One of 16 bytes
 * is two of 8. whole: known to the compiler, whether all are there. */
#define MOVE_TILE(t, l, stride, half) do { \
    if (valid == MULTISPLIT_TILE) MOVE_STAGED(t, l, stride, half, 1); else MOVE_STAGED(t, l, stride, half, 0); \
  } while (0)
#define MOVE_STAGED(t, l, stride, half, whole) do { \
    typedef IW_PASTE(iws_, t) element_; \
    enum { ITEMS_ = MULTISPLIT_STAGE_BYTES / (int)sizeof(element_) / (MULTISPLIT_WARPS * IW_WARP_SIZE), /* that a lane may store at a time, */ \
           STORES_ = ITEMS_ < MULTISPLIT_ITEMS_PER_LANE ? ITEMS_ : MULTISPLIT_ITEMS_PER_LANE, ROUND_ = STORES_ * MULTISPLIT_WARPS * IW_WARP_SIZE, \
           BATCH_ = sizeof(element_) == 8 ? MULTISPLIT_ITEMS_PER_LANE / 2 : MULTISPLIT_ITEMS_PER_LANE,                     /* and load */ \
           BATCH_STORE_ = STORES_ % MULTISPLIT_STORE_BATCH ? 1 : MULTISPLIT_STORE_BATCH }; \
    IW_UNROLL for (int r = 0; r < MULTISPLIT_TILE / ROUND_; r++) if ((whole) || r * ROUND_ < valid) { \
      if (!(keys_are_staged && m == 0)) IW_PHASE(warp) { \
        const int32_t before_ = (int32_t)(warp * MULTISPLIT_ITEMS_PER_LANE * IW_WARP_SIZE); \
        const element_ *const in_ = (const element_ *)moved->in + (tile + (uint64_t)before_) * (stride) + (half); \
        IW_UNROLL for (int b = 0; b < MULTISPLIT_ITEMS_PER_LANE; b += BATCH_) { \
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
            const iw_u32 to_ = iw_sub(multisplit_rank(IW_MY(ranks), b + k), iw_splat((uint32_t)(r * ROUND_))); \
            IW_PASTE(iw_scatter_bits_, t)((element_ *)shared->staged, to_, x_[k], \
                                 ROUND_ == (int)MULTISPLIT_TILE ? some_ : iw_and_pred(some_, iw_lt(to_, iw_splat((uint32_t)ROUND_)))); \
          } \
        } \
      } \
      IW_PHASE(warp) { \
        const iw_u64 lane_ = iw_to_u64(iw_add(iw_lane(), iw_splat((uint32_t)(warp * IW_WARP_SIZE)))); \
        IW_UNROLL for (int b = 0; b < STORES_; b += BATCH_STORE_) { \
          IW_PASTE(iw_, l) x_[BATCH_STORE_]; \
          iw_u64 to_[BATCH_STORE_]; \
          IW_UNROLL for (int k = 0; k < BATCH_STORE_; k++) { \
            const uint32_t at_ = ((uint32_t)(b + k) * MULTISPLIT_WARPS + warp) * IW_WARP_SIZE; \
            const iw_pred some_ = iw_lanes_below((whole) ? IW_WARP_SIZE : valid - r * ROUND_ - (int32_t)at_); \
            to_[k] = iw_add(iw_gather_u64(shared->bases, multisplit_packed_digit(IW_MY(packed_digits), r * STORES_ + b + k), some_), lane_); \
            x_[k] = IW_PASTE(iw_load_, t)((const element_ *)shared->staged + at_, some_); \
          } \
          IW_UNROLL for (int k = 0; k < BATCH_STORE_; k++) { \
            const int32_t row_ = r * ROUND_ + (b + k) * MULTISPLIT_WARPS * IW_WARP_SIZE; \
            IW_PASTE(iw_scatter_bits_far_, t)((element_ *)moved->out + (half) + row_ * (stride), \
                                     (stride) == 1 ? to_[k] : iw_add(to_[k], to_[k]), x_[k], \
                                     iw_lanes_below((whole) ? IW_WARP_SIZE : valid - row_ - (int32_t)(warp * IW_WARP_SIZE))); \
          } \
        } \
      } \
    } \
  } while (0)

/* The same of words that are staged, and tell where they go. */
#define STORE_KEYS do { if (valid == MULTISPLIT_TILE) STORE_STAGED_KEYS(1); else STORE_STAGED_KEYS(0); } while (0)
#define STORE_STAGED_KEYS(whole) do { IW_PHASE(warp) { \
    const iw_u64 lane_ = iw_to_u64(iw_add(iw_lane(), iw_splat((uint32_t)(warp * IW_WARP_SIZE)))); \
    IW_UNROLL for (int b = 0; b < MULTISPLIT_ITEMS_PER_LANE; b += MULTISPLIT_STORE_BATCH) { \
      iw_u32 word_[MULTISPLIT_STORE_BATCH]; \
      iw_u64 to_[MULTISPLIT_STORE_BATCH]; \
      iw_pred some_[MULTISPLIT_STORE_BATCH]; \
      IW_UNROLL for (int k = 0; k < MULTISPLIT_STORE_BATCH; k++) { \
        const uint32_t at_ = ((uint32_t)(b + k) * MULTISPLIT_WARPS + warp) * IW_WARP_SIZE; \
        some_[k] = iw_lanes_below((whole) ? IW_WARP_SIZE : valid - (int32_t)at_); \
        word_[k] = iw_load_u32((const uint32_t *)shared->staged + at_, some_[k]); \
      } \
      IW_UNROLL for (int k = 0; k < MULTISPLIT_STORE_BATCH; k++) { \
        const iw_u32 digit_ = iw_and_u32(iw_shr_u32(word_[k], iw_splat(shift)), iw_splat(args->mask)); \
        to_[k] = iw_add(iw_gather_u64(shared->bases, digit_, some_[k]), lane_); \
      } \
      IW_UNROLL for (int k = 0; k < MULTISPLIT_STORE_BATCH; k++) \
        iw_scatter_bits_far_u32((uint32_t *)moved->out + (b + k) * MULTISPLIT_WARPS * IW_WARP_SIZE, to_[k], word_[k], some_[k]); \
    } \
  } } while (0)

#endif

IW_KERNEL_NO_SPECIALIZATION(multisplit_move, multisplit_shared, iw_radix_pass_args, MULTISPLIT_WARPS * 32, MULTISPLIT_BLOCKS)
{
#if MULTISPLIT_WRITE_BUFFERS
  if (args->single_block) {
    IW_PHASE(warp) { multisplit_clear_counters(block, args, warp, shared->counters); }
    IW_PHASE(warp) { multisplit_count_chunk(block, args, warp, 0, shared->counters); }
  }
  IW_PHASE(warp) {
    const uint64_t first = block->index * args->parts * args->part;
    const uint64_t at = multisplit_clamp(args, first), middle = multisplit_clamp(args, first + args->part);
    const uint64_t end = multisplit_clamp(args, first + args->parts * args->part);
    const int both = multisplit_load_bases(block, args, shared) > (middle - at) / MULTISPLIT_SKEW_LIMIT;
    for (uint32_t m = 0; m < args->array_count; m++) {
      const iw_move_array *const moved = args->arrays + m;
      switch (moved->width) {
      case 1: multisplit_move_u8(args, shared, moved, at, middle, end, both); break;
      case 2: multisplit_move_u16(args, shared, moved, at, middle, end, both); break;
      case 4: multisplit_move_u32(args, shared, moved, at, middle, end, both); break;
      case 8: multisplit_move_u64(args, shared, moved, at, middle, end, both); break;
      default: multisplit_move_u128(args, shared, moved, at, middle, end, both); break;
      }
    }
  }
#else
  IW_VAR_ARRAY(iw_u32, keys, MULTISPLIT_ITEMS_PER_LANE);
  IW_VAR_ARRAY(iw_u32, ranks, MULTISPLIT_ITEMS_PER_LANE / 2);
  IW_VAR_ARRAY(iw_u32, packed_digits, MULTISPLIT_ITEMS_PER_LANE / 4);
  IW_VAR(iw_u32, tile_counts);                                  /* of each of a group's digits */
  const uint64_t tile = (uint64_t)block->index * MULTISPLIT_TILE, left = args->n - tile;
  const int32_t valid = left < MULTISPLIT_TILE ? (int32_t)left : MULTISPLIT_TILE;
  const unsigned shift = args->key_bytes == 8 ? 0 : args->shift;
  /* Whether the first array is the numbers, which are here then. */
  const int keys_are_staged = args->key_bytes == 4 && args->array_count && args->arrays[0].in == args->keys && args->arrays[0].width == 4;
  IW_PHASE(warp) {
    const uint32_t d = warp * IW_WARP_SIZE;
    uint32_t *const counters = shared->counters + warp * IW_RADIX_DIGITS;
    multisplit_load_keys(args, tile + warp * MULTISPLIT_ITEMS_PER_LANE * IW_WARP_SIZE, args->n, IW_MY(keys));
    if (!args->single_block && d <= args->mask) {
      const iw_u64 place = multisplit_part_offset(args, block->index, d);
      iw_store(shared->bases + d, place, iw_lanes_below(IW_WARP_SIZE));
      if (block->index == 0 && args->offsets) multisplit_store_offsets(args, d, place);
    }
    for (uint32_t c = 0; c <= args->mask; c += IW_WARP_SIZE)
      iw_store(counters + c, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
    iw_rank_digits_in(counters, IW_MY(keys), shift, args->mask, IW_MY(ranks), MULTISPLIT_ITEMS_PER_LANE);
  }
  IW_PHASE(warp) {                                          /* a warp adds up its digits … */
    const uint32_t d = warp * IW_WARP_SIZE;
    if (d <= args->mask) {
      iw_u32 sum = iw_splat(0u);
      IW_UNROLL for (int w = 0; w < MULTISPLIT_WARPS; w++)
        sum = iw_add(sum, iw_load(shared->counters + w * IW_RADIX_DIGITS + d, iw_lanes_below(IW_WARP_SIZE)));
      IW_MY(tile_counts) = sum;
      iw_set_u32(&shared->sums[warp], iw_warp_sum_u32(sum));
    }
  }
  IW_PHASE(warp) {                                          /* … and says where in the tile they begin, warp by warp */
    const uint32_t d = warp * IW_WARP_SIZE;
    if (d <= args->mask) {
      const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
      uint32_t before = 0;
      for (unsigned g = 0; g < warp; g++) before += iw_get_u32(&shared->sums[g]);
      iw_u32 start = iw_add(iw_exclusive_prefix_sum_u32(IW_MY(tile_counts)), iw_splat(before));
      if (args->single_block) {
        if (args->offsets) multisplit_store_offsets(args, d, iw_to_u64(start));
        iw_store(shared->bases + d, iw_splat((uint64_t)0), all);
      } else iw_store(shared->bases + d, iw_sub(iw_load(shared->bases + d, all), iw_to_u64(start)), all);
      IW_UNROLL for (int w = 0; w < MULTISPLIT_WARPS; w++) {
        uint32_t *const counters = shared->counters + w * IW_RADIX_DIGITS + d;
        const iw_u32 count = iw_load(counters, all);
        iw_store(counters, start, all);
        start = iw_add(start, count);
      }
    }
  }
  IW_PHASE(warp) {
    const uint32_t *const counters = shared->counters + warp * IW_RADIX_DIGITS;
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    if (keys_are_staged) RANK_ITEMS(iw_scatter_bits_u32((uint32_t *)shared->staged, place_, IW_MY(keys)[k], all));
    else RANK_ITEMS(iw_scatter_bits_u8((uint8_t *)shared->staged, place_, digit_, all));
  }
  if (!(keys_are_staged && args->array_count == 1)) IW_PHASE(warp) {
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    IW_UNROLL for (int k = 0; k < MULTISPLIT_ITEMS_PER_LANE; k++) {
      const uint32_t at = (uint32_t)k * MULTISPLIT_WARPS * IW_WARP_SIZE + warp * IW_WARP_SIZE;
      const iw_u32 digit = keys_are_staged
        ? iw_and_u32(iw_shr_u32(iw_load_u32((const uint32_t *)shared->staged + at, all), iw_splat(shift)), iw_splat(args->mask))
        : iw_load_u8((const uint8_t *)shared->staged + at, all);
      const iw_u32 shifted = iw_shl_u32(digit, iw_splat(8u * (unsigned)(k % 4)));
      IW_MY(packed_digits)[k / 4] = k % 4 ? iw_or_u32(IW_MY(packed_digits)[k / 4], shifted) : shifted;
    }
  }
  for (uint32_t m = 0; m < args->array_count; m++) {
    const iw_move_array *const moved = args->arrays + m;
    switch (moved->width) {
    case 1: MOVE_TILE(u8, u32, 1, 0); break;
    case 2: MOVE_TILE(u16, u32, 1, 0); break;
    case 4: if (keys_are_staged && args->array_count == 1) STORE_KEYS; else MOVE_TILE(u32, u32, 1, 0); break;
    case 8: MOVE_TILE(u64, u64, 1, 0); break;
    default: for (int half = 0; half < 2; half++) MOVE_TILE(u64, u64, 2, half);
    }
  }
#endif
}

/* ---- Where buckets begin, of more than a digit ---- */

/* Numbers in order: how many of them are less than each bucket's. */
IW_KERNEL(multisplit_offsets, iw_no_shared, iw_bucket_offsets_args)
{
  IW_PHASE(warp) {
    const uint64_t first = ((uint64_t)block->index * block->warps + warp) * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_below((int64_t)(args->buckets + 1 - first));
    const iw_u64 bucket = iw_add(iw_to_u64(iw_lane()), iw_splat(first));
    iw_u64 below = iw_splat((uint64_t)0);                   /* so many are surely less */
    for (unsigned step = args->steps; step-- > 0;) {
      const iw_u64 next = iw_add(below, iw_splat((uint64_t)1 << step));
      const iw_pred there = iw_and_pred(some, iw_le(next, iw_splat(args->n)));
      const iw_u64 at = iw_sub(next, iw_splat((uint64_t)1));
      const iw_u64 number = iw_and_u64(iw_shr_u64(multisplit_gather_key(args, at, there), iw_splat((uint64_t)args->shift)),
                                       iw_splat(args->mask));
      below = iw_select(iw_and_pred(there, iw_lt(number, bucket)), next, below);
    }
    iw_store(args->offsets + first, below, some);
  }
}
