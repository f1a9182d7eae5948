/* SPDX-License-Identifier: Apache-2.0
 *
 * Every primitive of the kernel language in a kernel. Included by one file for each warp size, which defines
 * IW_WARP_SIZE; the build defines LANGUAGE_ISA, and IW_LANES_GENERIC or the compiler's flags.
 */
#define LANGUAGE_PASTE_(a, b) a##_##b
#define LANGUAGE_PASTE(a, b) LANGUAGE_PASTE_(a, b)
#undef IW_KERNEL_SUFFIX
#define IW_KERNEL_SUFFIX LANGUAGE_PASTE(, LANGUAGE_PASTE(LANGUAGE_ISA, IW_WARP_SIZE))
#include <isowarp/operators.h>
#include "language.h"

typedef struct { int unused; } language_nothing;

/* The lanes that have an element; and where results go. */
#define HERE \
  const int64_t at = (int64_t)(block->index * block->threads + (size_t)warp * IW_WARP_SIZE) - args->skew; \
  const iw_pred inside = iw_and_pred(iw_lanes_below((int64_t)args->n - at), iw_not_pred(iw_lanes_below(-at))); \
  const iw_pred some = iw_and_pred(iw_active(warp), inside)
#define WARP_OF_GRID (block->index * block->warps + warp)
#define COLUMN(type, c) ((type *)((char *)args->out + (size_t)(c) * args->stride))
#define PUT(type, c, value) iw_store(COLUMN(type, c) + at, value, some)
#define SPLAT_U32(v) iw_splat((uint32_t)(v))
#define CHOSEN(bit) iw_and_pred(some, iw_ne(iw_and(iw_load(args->chosen + at, some), SPLAT_U32(bit)), SPLAT_U32(0)))
#define OF(name) LANGUAGE_PASTE(name, T)

#define T f32
#define S float
#define U uint32_t
#define IS_FLOAT 1
#include "language_typed.h"
#define T f64
#define S double
#define U uint64_t
#define IS_FLOAT 1
#include "language_typed.h"
#define T i32
#define S int32_t
#define IS_SIGNED 1
#include "language_typed.h"
#define T u32
#define S uint32_t
#define IS_COMPACT 1
#include "language_typed.h"
#define T i64
#define S int64_t
#define IS_SIGNED 1
#include "language_typed.h"
#define T u64
#define S uint64_t
#define IS_COMPACT 1
#include "language_typed.h"

/* Predicates; b has LANGUAGE_BOUNDS numbers of lanes. */
IW_KERNEL(predicates, language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const iw_pred p = CHOSEN(1), q = CHOSEN(2);
    const size_t w = WARP_OF_GRID;
    iw_set(COLUMN(uint64_t, 0) + w, (uint64_t)iw_ballot(p));
    iw_set(COLUMN(uint64_t, 1) + w, (uint64_t)iw_ballot(iw_and(p, q)));
    iw_set(COLUMN(uint64_t, 2) + w, (uint64_t)iw_ballot(iw_or(p, q)));
    iw_set(COLUMN(uint64_t, 3) + w, (uint64_t)iw_ballot(iw_not(p)));
    iw_set(COLUMN(uint64_t, 4) + w, (uint64_t)iw_ballot(iw_pred_of(iw_ballot(p) | (uint64_t)1 << 63)));
    iw_set(COLUMN(uint32_t, 5) + w, (uint32_t)(iw_any(p) != 0));
    iw_set(COLUMN(uint32_t, 6) + w, (uint32_t)(iw_all(iw_or_pred(p, q)) != 0));
    iw_set(COLUMN(uint32_t, 7) + w, (uint32_t)iw_popcount_of(p));
    iw_set(COLUMN(uint32_t, 8) + w, (uint32_t)iw_popcount(iw_ballot(q)));
    iw_set(COLUMN(uint32_t, 9) + w, (uint32_t)(iw_any(p) ? iw_highest(iw_ballot(p)) : 99));
    iw_set(COLUMN(uint32_t, 10) + w, (uint32_t)(iw_any(p) ? iw_lowest(iw_ballot(p)) : 99));
    PUT(uint32_t, 11, iw_rank(p));
    PUT(uint32_t, 12, SPLAT_U32(1000));
    if (iw_wanted(p)) /* uniform: stores and collectives of the warp may stand here */
      iw_store(COLUMN(uint32_t, 12) + at, iw_add(iw_broadcast(iw_lane(), 0), iw_lane()), p);
    iw_set(COLUMN(uint64_t, 13) + w, (uint64_t)iw_ballot(iw_active(warp)));
    for (int i = 0; i < LANGUAGE_BOUNDS; i++)
      iw_set(COLUMN(uint64_t, 14 + i) + w, (uint64_t)iw_ballot(iw_lanes_below(iw_get((const int64_t *)args->b + i))));
  }
}

/* Predicates of the block; a loop until no thread goes on; and the sum of the words of a row, whose bounds
 * are in `deltas`. */
IW_KERNEL(votes, language_nothing, language_args)
{
  IW_VAR(iw_pred, p);
  IW_VAR(iw_pred, q);
  IW_VAR(iw_u32, x);
  IW_VAR(iw_u32, sum);
  IW_PHASE(warp) {
    HERE;
    IW_MY(p) = CHOSEN(1);
    IW_MY(q) = iw_not(IW_MY(p)); /* in lanes past the block's threads too */
    IW_MY(x) = iw_select(IW_MY(p), iw_and(iw_load(args->index + at, some), 31), 0);
    IW_MY(sum) = iw_splat_u32(0);
    iw_global_add((uint32_t *)args->scratch, 0, 1, IW_MY(p));
  }
  const int any_p = iw_block_any(p), all_p = iw_block_all(p), any_q = iw_block_any(q), all_q = iw_block_all(q);
  const unsigned count = iw_block_count(p);
  uint32_t rounds = 0;
  do {
    IW_PHASE(warp) {
      IW_MY(p) = iw_gt(IW_MY(x), 0);
      IW_MY(x) = iw_select(IW_MY(p), iw_sub(IW_MY(x), 1), IW_MY(x));
    }
    rounds++;
  } while (iw_block_any(p));
  const size_t begin = iw_block_get(args->deltas + block->index), end = iw_block_get(args->deltas + block->index + 1);
  for (size_t start = begin; start < end; start += block->threads) {
    IW_WARPS(warp) {
      const iw_span here = iw_elements_from(warp, start, end);
      IW_MY(sum) = iw_add(IW_MY(sum), iw_load(args->index + here.first, here.valid));
    }
  }
  const uint32_t total = iw_block_sum(sum);
  IW_PHASE(warp) {
    const size_t w = WARP_OF_GRID;
    iw_set(COLUMN(uint32_t, 0) + w, (any_p ? 1 : 0) | (all_p ? 2 : 0) | (any_q ? 4 : 0) | (all_q ? 8 : 0));
    iw_set(COLUMN(uint32_t, 1) + w, count);
    iw_set(COLUMN(uint32_t, 2) + w, rounds);
    iw_set(COLUMN(uint32_t, 3) + w, total);
  }
}

/* A warp's elements: from the starts in a to the ends in b, of each LANGUAGE_BOUNDS; and a table. */
IW_TABLE(uint32_t, spans_table, 4) = { 5, 3, 2, 7 };
IW_KERNEL(spans, language_nothing, language_args)
{
  IW_PHASE(warp) {
    const size_t w = WARP_OF_GRID;
    const iw_span whole = iw_elements(warp, args->n);
    iw_store(COLUMN(uint32_t, 0) + whole.first, iw_gather(spans_table, iw_and(iw_lane(), 3), whole.valid), whole.valid);
    iw_set(COLUMN(uint32_t, 1) + w, whole.count);
    for (int i = 0; i < LANGUAGE_BOUNDS; i++) {
      const size_t start = iw_get((const uint64_t *)args->a + i), end = iw_get((const uint64_t *)args->b + i);
      const iw_span here = iw_elements_from(warp, start, end);
      iw_set(COLUMN(uint64_t, 2 + 4 * i) + w, (uint64_t)here.first);
      iw_set(COLUMN(uint64_t, 3 + 4 * i) + w, (uint64_t)iw_ballot(here.valid));
      iw_set(COLUMN(uint32_t, 4 + 4 * i) + w, here.count);
      iw_set(COLUMN(uint64_t, 5 + 4 * i) + w, (uint64_t)iw_ballot(iw_lanes_within(start, end)));
    }
  }
}

/* Bytes in a, 16-bit words in b. The first column of each width is narrow too. */
IW_KERNEL(narrow, language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const iw_pred p = CHOSEN(1);
    const iw_u32 i = iw_load(args->index + at, some);
    iw_store_u8(COLUMN(uint8_t, 0) + at, iw_load(args->index + at, some), p);
    PUT(uint32_t, 1, iw_load_u8((const uint8_t *)args->a + at, p));
    PUT(uint32_t, 2, iw_gather_u8((const uint8_t *)args->a, i, p));
    iw_store_u16(COLUMN(uint16_t, 3) + at, iw_load(args->index + at, some), p);
    PUT(uint32_t, 4, iw_load_u16((const uint16_t *)args->b + at, p));
    PUT(uint32_t, 5, iw_gather_u16((const uint16_t *)args->b, i, p));
    iw_scatter_u8(COLUMN(uint8_t, 10), i, iw_add(i, 300), p);
    iw_scatter_u16(COLUMN(uint16_t, 11), i, iw_add(i, 70000), p);
    /* Rows of them: which lane has which element is open, so count and sum. */
    const size_t w = WARP_OF_GRID;
    uint32_t count8 = 0, sum8 = 0, count16 = 0, sum16 = 0;
    const int64_t left8 = (int64_t)args->n - (int64_t)w * IW_ROW(u8);
    const int64_t left16 = (int64_t)args->n - (int64_t)w * IW_ROW(u16);
    const iw_row_u8 r8 = iw_row_wait_u8(iw_row_issue_u8((const uint8_t *)args->a + w * IW_ROW(u8), left8));
    const iw_row_u16 r16 = iw_row_wait_u16(iw_row_issue_u16((const uint16_t *)args->b + w * IW_ROW(u16), left16));
    IW_EACH_VECTOR(u8, v) {
      const iw_pred valid = iw_row_valid_u8(v, left8);
      count8 += iw_popcount_of(valid);
      sum8 += iw_warp_sum(iw_select(valid, iw_row_vector_u8(r8, v), SPLAT_U32(0)));
    }
    IW_EACH_VECTOR(u16, v) {
      const iw_pred valid = iw_row_valid_u16(v, left16);
      count16 += iw_popcount_of(valid);
      sum16 += iw_warp_sum(iw_select(valid, iw_row_vector_u16(r16, v), SPLAT_U32(0)));
    }
    iw_set(COLUMN(uint32_t, 6) + w, count8);
    iw_set(COLUMN(uint32_t, 7) + w, sum8);
    iw_set(COLUMN(uint32_t, 8) + w, count16);
    iw_set(COLUMN(uint32_t, 9) + w, sum16);
  }
}

/* Six columns for each type of 1 or 2 bytes, in the order of IW_NARROW_TYPES: elements from a; what is
 * stored, which has the type of their lanes, from b. */
#define NARROW_MEMORY(t, l) { \
  const iws_##t *const narrow = (const iws_##t *)args->a; \
  const iw_##l b = iw_load((const iws_##l *)args->b + at, some); \
  iw_store_##t(COLUMN(iws_##t, c) + at, b, p); \
  PUT(iws_##l, c + 1, iw_load_##t(narrow + at, p)); \
  PUT(iws_##l, c + 2, iw_gather_##t(narrow, i, p)); \
  PUT(iws_##l, c + 3, iw_gather_far_##t(narrow, iw_to_u64(i), p)); \
  iw_scatter_##t(COLUMN(iws_##t, c + 4), i, b, p); \
  iw_scatter_far_##t(COLUMN(iws_##t, c + 5), iw_to_u64(i), b, p); \
  c += 6; }
IW_KERNEL(narrow_memory, language_nothing, language_args)
{
  IW_PHASE(warp) {
    HERE;
    const iw_pred p = CHOSEN(1);
    const iw_u32 i = iw_load(args->index + at, some);
    int c = 0;
    IW_NARROW_TYPES(NARROW_MEMORY)
  }
}

/* Rows, a warp each: first those that come from elements of 1 or 2 bytes, from b, then, of 4 bytes from a,
 * those that are stored as such. */
#define ROW_FROM_NARROW(t, s, l) \
  iw_row_store_##t(COLUMN(iws_##t, c) + w * IW_ROW(t), \
    iw_row_wait_##t##_from_##s(iw_row_issue_##t##_from_##s((const iws_##s *)args->b + w * IW_ROW(t), \
                                                           left - w * IW_ROW(t), (iws_##t)9)), IW_ROW(t), 0); \
  c++;
#define ROW_TO_NARROW(t, s, l) \
  iw_row_store_##s##_from_##t(COLUMN(iws_##s, c) + w * IW_ROW(t), \
    iw_row_wait_##t(iw_row_issue_##t((const iws_##t *)args->a + w * IW_ROW(t), left - w * IW_ROW(t), (iws_##t)9)), \
    left - w * IW_ROW(t), c % 2); \
  c++;
IW_KERNEL(rows_narrow, language_nothing, language_args)
{
  IW_PHASE(warp) {
    const int64_t w = (int64_t)WARP_OF_GRID, left = (int64_t)args->n;
    int c = 0;
    IW_ROWS_FROM_NARROW(ROW_FROM_NARROW)
    IW_ROWS_TO_NARROW(ROW_TO_NARROW)
  }
}
#undef NARROW_MEMORY
#undef ROW_FROM_NARROW
#undef ROW_TO_NARROW

/* A row a warp of a type that is wider than its elements in memory: a has words, b bytes. */
#define ROW_FROM(c, t, s, from, type) \
  iw_row_store_##t(COLUMN(type, c) + w * IW_ROW(t), \
    iw_row_wait_##t##_from_##s( \
      iw_row_issue_##t##_from_##s((const iws_##s *)from + w * IW_ROW(t), left - w * IW_ROW(t), (type)9)), IW_ROW(t), 0)
IW_KERNEL(rows_from, language_nothing, language_args)
{
  IW_PHASE(warp) {
    const int64_t w = (int64_t)WARP_OF_GRID, left = (int64_t)args->n;
    ROW_FROM(0, u32, u8, args->b, uint32_t);
    ROW_FROM(1, u64, u8, args->b, uint64_t);
    ROW_FROM(2, i64, i32, args->a, int64_t);
    ROW_FROM(3, u64, u32, args->a, uint64_t);
    ROW_FROM(4, f64, f32, args->a, double);
  }
}
#undef ROW_FROM

/* x -> m x + c in 16 bits, m in the upper half, which is odd: first a, then b; and a sum. */
IW_FN iw_u32 iw_then_u32(iw_u32 a, iw_u32 b)
{
  const iw_u32 m = iw_shr(b, SPLAT_U32(16)), c = iw_and(b, SPLAT_U32(0xffff));
  const iw_u32 moved = iw_add(iw_mul(iw_and(a, SPLAT_U32(0xffff)), m), c);
  return iw_or(iw_shl(iw_mul(iw_shr(a, SPLAT_U32(16)), m), SPLAT_U32(16)), iw_and(moved, SPLAT_U32(0xffff)));
}
IW_OPERATOR(then, u32, 1u << 16)
IW_FN iw_u32 odd(iw_u32 x) { return iw_or(x, SPLAT_U32(1 << 16)); }
IW_TRANSFORM(odd, u32, u32)
IW_FN iw_u32 short_odd(iw_u32 x) { return odd(iw_mul(x, SPLAT_U32(0x10001))); }
IW_TRANSFORM(short_odd, u32, u16)
IW_FN iw_f32 iw_plus_f32(iw_f32 a, iw_f32 b) { return iw_add(a, b); }
IW_OPERATOR(plus, f32, -0.0f)
#define SAME(c, x, y) PUT(uint32_t, c, iw_xor(iw_as_bits(x), iw_as_bits(y)))
IW_KERNEL(operators, language_nothing, language_args)
{
  IW_VAR(iw_u32, x);
  IW_VAR(iw_u32, from_first);
  IW_VAR(iw_u32, in_front);
  IW_VAR(iw_f32, y);
  IW_PHASE(warp) {
    HERE;
    const size_t w = WARP_OF_GRID;
    iw_u32 before;
    iw_f32 before_plus, before_sum;
    IW_MY(x) = iw_select(some, odd(iw_load(args->index + at, some)), SPLAT_U32(1 << 16));
    PUT(uint32_t, 0, iw_inclusive_prefix_then_u32(IW_MY(x)));
    PUT(uint32_t, 1, iw_exclusive_prefix_then_u32(IW_MY(x)));
    PUT(uint32_t, 2, SPLAT_U32(iw_warp_then_u32(IW_MY(x))));
    PUT(uint32_t, 3, SPLAT_U32(iw_fold_then_u32(0x30005u, IW_MY(x), &before)));
    PUT(uint32_t, 4, before);
    /* Sums as a user writes them are the language's. */
    IW_MY(y) = iw_load((const float *)args->a + at, some);
    SAME(5, iw_inclusive_prefix_plus_f32(IW_MY(y)), iw_inclusive_prefix_sum(IW_MY(y)));
    SAME(6, iw_splat(iw_warp_plus_f32(IW_MY(y))), iw_splat(iw_warp_sum(IW_MY(y))));
    SAME(7, iw_splat(iw_fold_plus_f32(0.1f, IW_MY(y), &before_plus)), iw_splat(iw_fold_sum(0.1f, IW_MY(y), &before_sum)));
    SAME(8, before_plus, before_sum);
    SAME(9, iw_splat(iws_plus_f32(0.1f, iw_last(IW_MY(y)))), iw_add(iw_splat(0.1f), iw_splat(iw_last(IW_MY(y)))));
    /* A row a warp, of words and of short ones. */
    const int64_t left = (int64_t)args->n - (int64_t)w * IW_ROW(u32);
    const iw_row_u32 words = iw_row_wait_u32_from_odd(
      iw_row_issue_u32_from_odd(args->index + w * IW_ROW(u32), left, 1u << 16));
    const iw_row_u32 shorts = iw_row_wait_u32_from_short_odd(
      iw_row_issue_u32_from_short_odd((const uint16_t *)args->b + w * IW_ROW(u32), left, 1u << 16));
    iw_row_store_u32(COLUMN(uint32_t, 10) + w * IW_ROW(u32), iw_row_then_u32(0x30005u, iw_row_inclusive_prefix_then_u32(words)), left, 0);
    iw_row_store_u32(COLUMN(uint32_t, 11) + w * IW_ROW(u32), iw_row_inclusive_prefix_then_u32(shorts), left, 0);
    iw_set(COLUMN(uint32_t, 12) + w, iw_row_reduce_then_u32(words));
  }
  const uint32_t all = iw_block_then_u32(block, x);
  iw_block_inclusive_prefix_then_u32(block, from_first, x);
  iw_block_exclusive_prefix_then_u32(block, in_front, x);
  const float plus = iw_block_plus_f32(block, y), sum = iw_block_sum(y);
  IW_PHASE(warp) {
    HERE;
    PUT(uint32_t, 13, SPLAT_U32(all));
    PUT(uint32_t, 14, IW_MY(from_first));
    PUT(uint32_t, 15, IW_MY(in_front));
    SAME(16, iw_splat(plus), iw_splat(sum));
  }
}
#undef SAME

/* Counters of the block, whole, of each lane and of 16 bits, and counters of each warp. */
typedef struct {
  uint32_t block[LANGUAGE_COUNTERS], own[LANGUAGE_COUNTERS * IW_WARP_SIZE], half[LANGUAGE_COUNTERS / 2];
  uint32_t warp[1024 / 8][LANGUAGE_COUNTERS];
} counters_shared;
IW_KERNEL(counters, counters_shared, language_args)
{
  IW_PHASE(warp) {
    for (int i = 0; i < LANGUAGE_COUNTERS; i++) {
      if (warp == 0) {
        iw_set(shared->block + i, (uint32_t)i);
        iw_store(shared->own + i * IW_WARP_SIZE, iw_lane(), iw_lanes_below(IW_WARP_SIZE));
        iw_set(shared->half + i / 2, 0x30000u + (uint32_t)i / 2);
      }
      iw_set(shared->warp[warp] + i, (uint32_t)i);
    }
  }
  IW_PHASE(warp) {
    HERE;
    const iw_u32 i = iw_and(iw_load(args->index + at, some), SPLAT_U32(LANGUAGE_COUNTERS - 1));
    iw_count(shared->block, i, CHOSEN(1));
    iw_count(shared->block, i, some);
    iw_count_per_lane(shared->own, i, CHOSEN(1));
    iw_count_per_lane(shared->own, i, some);
    iw_count_u16(shared->half, i, CHOSEN(1));
    iw_count_u16(shared->half, i, some);
    iw_store(COLUMN(uint32_t, 0) + at, iw_rank_in(shared->warp[warp], i, CHOSEN(1)), CHOSEN(1));
    PUT(uint32_t, 1, iw_rank_in(shared->warp[warp], i, some));
  }
  IW_PHASE(warp) {
    for (int i = 0; i < LANGUAGE_COUNTERS; i++) {
      if (warp == 0) {
        const size_t at = block->index * LANGUAGE_COUNTERS + i;
        const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
        iw_set(COLUMN(uint32_t, 2) + at, iw_get(shared->block + i));
        iw_store(COLUMN(uint32_t, 4) + at * IW_WARP_SIZE, iw_load(shared->own + i * IW_WARP_SIZE, all), all);
        iw_set(COLUMN(uint32_t, 5) + at / 2, iw_get(shared->half + i / 2));
      }
      iw_set(COLUMN(uint32_t, 3) + WARP_OF_GRID * LANGUAGE_COUNTERS + i, iw_get(shared->warp[warp] + i));
    }
  }
}

/* Each warp counts rows of numbers in the block's tables, or where thread is 1 rows of bytes, which
 * `chosen` tells apart. In deltas: counters of a table, tables, vectors of a row, and rows of a warp; there
 * are n, which come again and again. */
typedef struct { uint32_t counters[LANGUAGE_PRIVATE]; } private_shared;
IW_KERNEL(private_counters, private_shared, language_args)
{
  IW_PHASE(warp) {
    for (int i = 0; i < LANGUAGE_PRIVATE && warp == 0; i += IW_WARP_SIZE)
      iw_store(shared->counters + i, SPLAT_U32(0), iw_lanes_below(IW_WARP_SIZE));
  }
  IW_PHASE(warp) {
    const uint32_t own = iw_get(args->deltas), tables = iw_get(args->deltas + 1), vectors = iw_get(args->deltas + 2);
    const uint32_t rows = iw_get(args->deltas + 3), numbers = IW_WARP_SIZE * (args->thread ? 16 : vectors);
    iw_private_histogram mine;
    iw_private_histogram_begin(&mine, shared->counters, own, tables, args->thread ? args->chosen : NULL, (uint64_t)rows * numbers,
                    rows % 3 != 0);
    for (uint32_t r = 0; r < rows; r++) {
      const size_t at = (WARP_OF_GRID + r) % args->n * numbers;
      if (args->thread)
        iw_private_histogram_add_row_u8(&mine, iw_row_wait_u8(iw_row_issue_u8((const uint8_t *)args->a + at, IW_ROW(u8))));
      else {
        iw_pred inside = iw_lanes_below(IW_WARP_SIZE);
        for (uint32_t v = 0; v < vectors; v++) {
          const iw_u32 i = iw_load(args->index + at + v * IW_WARP_SIZE, iw_lanes_below(IW_WARP_SIZE));
          inside = iw_and_pred(inside, iw_lt(iw_add(i, SPLAT_U32(3)), SPLAT_U32(own)));
          iw_private_histogram_set_vector(&mine, (int)v, i);
        }
        iw_private_histogram_add_row(&mine, (int)vectors, iw_all(inside));
      }
    }
    iw_private_histogram_end(&mine);
  }
  IW_PHASE(warp) {
    const uint32_t own = iw_get(args->deltas), tables = iw_get(args->deltas + 1);
    for (uint32_t k = warp * IW_WARP_SIZE; k < own; k += block->warps * IW_WARP_SIZE) {
      const iw_pred there = iw_lanes_below((int64_t)own - k);
      iw_u32 sum = SPLAT_U32(0);
      for (uint32_t t = 0; t < tables; t++)
        sum = iw_add(sum, iw_load(shared->counters + t * own + k, there));
      iw_store(COLUMN(uint32_t, 0) + block->index * own + k, sum, there);
    }
  }
}

/* A block's first warp puts n elements of a, and n more, onto piles that `index` names, two at a time and
 * then one, past the caches where thread is 1; and lays them where the block's counters say, which begin as
 * `deltas`. Two columns a type. */
typedef struct { iw_write_buffers piles[2]; uint32_t counters[LANGUAGE_PILES]; } piles_shared;
#define PILES(c, t) { \
  iws_##t *const to = COLUMN(iws_##t, c); \
  const iws_##t *const in = (const iws_##t *)args->a + first; \
  iw_write_buffers *const one = shared->piles, *const other = shared->piles + 1; \
  const int stream = (int)args->thread; \
  int64_t at = 0; \
  iw_write_buffers_open_##t(one, to, places, LANGUAGE_PILES, stream); \
  iw_write_buffers_open_##t(other, to, places + LANGUAGE_PILES, LANGUAGE_PILES, stream); \
  for (; at + IW_WARP_SIZE <= n; at += IW_WARP_SIZE) \
    iw_write_buffer_append_both_##t(one, in + at, iw_load(index + at, all), other, in + n + at, iw_load(index + n + at, all)); \
  for (; at < n; at += IW_WARP_SIZE) { \
    const iw_pred some = iw_lanes_below(n - at); \
    iw_write_buffer_append_##t(one, in + at, iw_load(index + at, some), some); \
    iw_write_buffer_append_##t(other, in + n + at, iw_load(index + n + at, some), some); \
  } \
  iw_write_buffers_close_##t(one, LANGUAGE_PILES); \
  iw_write_buffers_close_##t(other, LANGUAGE_PILES); \
  for (uint32_t d = 0; d < LANGUAGE_PILES; d++) iw_set(shared->counters + d, iw_get(counters + d)); \
  for (at = 0; at < 2 * n; at += IW_WARP_SIZE) \
    iw_scatter_ranked_##t(COLUMN(iws_##t, c + 1), shared->counters, in + at, iw_load(index + at, iw_lanes_below(2 * n - at)), \
               iw_lanes_below(2 * n - at)); \
}
IW_KERNEL(piles, piles_shared, language_args)
{
  IW_PHASE(warp) {
    if (warp == 0) {
      const int64_t n = (int64_t)args->n, first = 2 * n * (int64_t)block->index;
      const uint32_t *const index = args->index + first, *const counters = args->deltas + LANGUAGE_PILES * block->index;
      const uint64_t *const places = args->slots + 2 * LANGUAGE_PILES * block->index;
      const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
      PILES(0, u8) PILES(2, u16) PILES(4, u32) PILES(6, u64) PILES(8, u128)
    }
  }
}
#undef PILES

/* Variables live across phases; what one phase writes, the whole block reads in the next. */
typedef struct { uint32_t of[1024]; } phases_shared;
IW_KERNEL(phases, phases_shared, language_args)
{
  IW_VAR(iw_u32, x);
  IW_VAR_ARRAY(iw_u32, y, 3);
  IW_WARPS(warp) { /* without a barrier */
    HERE;
    IW_MY(x) = iw_load(args->index + at, some);
    for (uint32_t i = 0; i < 3; i++)
      IW_MY(y)[i] = iw_mul(IW_MY(x), SPLAT_U32(i + 3));
  }
  IW_PHASE(warp) { iw_store(shared->of + warp * IW_WARP_SIZE, IW_MY(x), iw_active(warp)); }
  for (uint32_t round = 0; round < 4; round++) { /* the threads' values turn around, one thread a round */
    IW_PHASE(warp) {
      const iw_u32 me = iw_add(iw_lane(), SPLAT_U32(warp * IW_WARP_SIZE)), next = iw_add(me, SPLAT_U32(1));
      const iw_u32 from = iw_select(iw_eq(next, SPLAT_U32(block->threads)), SPLAT_U32(0), next);
      IW_MY(x) = iw_gather(shared->of, from, iw_active(warp));
    }
    IW_PHASE(warp) { iw_store(shared->of + warp * IW_WARP_SIZE, IW_MY(x), iw_active(warp)); }
  }
  IW_PHASE(warp) {
    HERE;
    PUT(uint32_t, 0, IW_MY(x));
    for (int i = 0; i < 3; i++)
      PUT(uint32_t, 1 + i, IW_MY(y)[i]);
  }
}

/* Data handed from block to block in memory (doc/memory-model.md): a tile's last warp adds 1 to the row
 * that the last warp of the tile before it wrote. The row is ordered by the ends of phases in a block, and
 * by publish_release and poll_acquire, which the first warps call, between blocks. */
IW_KERNEL(handover, language_nothing, language_args)
{
  iw_tickets *const tickets = (iw_tickets *)args->scratch;
  uint32_t tile;
  const uint32_t flag = iw_tickets_open(tickets, &tile) * 4 + 1;
  for (; tile < args->n; tile = iw_ticket_receive()) {
    IW_PHASE(warp) {
      if (warp == 0 && tile > 0)
        for (unsigned spins = 0; iw_at(iw_poll_acquire_u32(args->slots, (int64_t)tile - 1, 0, 1).flag, 0) != flag;)
          iw_pause(&spins);
    }
    IW_PHASE(warp) {
      const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
      uint32_t *const row = COLUMN(uint32_t, 0) + (size_t)tile * IW_WARP_SIZE;
      if (warp == block->warps - 1)
        iw_store(row, tile ? iw_add(iw_load(row - IW_WARP_SIZE, all), SPLAT_U32(1)) : iw_load(args->index, all), all);
    }
    IW_PHASE(warp) {
      if (warp == 0) {
        iw_publish_release_u32(args->slots, tile, flag, tile);
        iw_ticket_post(iw_ticket_request(tickets));
      }
    }
  }
  iw_tickets_close(tickets);
}

/* Cheap enough for all block sizes. */
IW_KERNEL(any_size, language_nothing, language_args)
{
  IW_VAR(iw_f32, x);
  IW_PHASE(warp) {
    HERE;
    IW_MY(x) = iw_load((const float *)args->a + at, some);
  }
  const float sum = iw_block_sum(x), last = iw_block_broadcast(x, block->threads - 1);
  iw_block_exclusive_prefix_sum(x, x);
  IW_PHASE(warp) {
    HERE;
    PUT(float, 0, iw_splat(sum));
    PUT(float, 1, iw_splat(last));
    PUT(float, 2, IW_MY(x));
  }
}

/* Mean normalisation: each block's elements less their mean, which the last thread knows. */
IW_KERNEL(normalise, language_nothing, language_args)
{
  IW_VAR(iw_f32, x);
  IW_VAR(iw_f32, mean);
  IW_PHASE(warp) {
    HERE;
    IW_MY(x) = iw_load((const float *)args->a + at, some);
  }
  const float sum = iw_block_sum(x);
  IW_PHASE(warp) { IW_MY(mean) = iw_div(iw_splat(sum), iw_to_f32(SPLAT_U32(block->threads))); }
  const float all = iw_block_broadcast(mean, block->threads - 1);
  IW_PHASE(warp) {
    HERE;
    PUT(float, 0, iw_sub(IW_MY(x), iw_splat(all)));
  }
}

#define LANGUAGE_ENTRY(name) &IW_KERNEL_NAME(name),
extern const iw_kernel *const IW_KERNEL_NAME(language)[];
const iw_kernel *const IW_KERNEL_NAME(language)[] = { LANGUAGE_KERNELS(LANGUAGE_ENTRY) };
