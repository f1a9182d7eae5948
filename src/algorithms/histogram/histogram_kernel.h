/* SPDX-License-Identifier: Apache-2.0
 *
 * Histogram, as far as it knows the samples: their bin numbers, and counting them by whole rows. Compiled once per T, which
 * may be u8 or u16 too.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/args.h"
#include <isowarp/algorithms/common/tuning.h>

#ifndef IW_KERNELS_HISTOGRAM_H
#define IW_KERNELS_HISTOGRAM_H

/* Bytes come by a table of all, 16-bit words are binned as i32. */
IW_FN iw_u32 bin_index_u8(const iw_binning *rule, iw_u32 x, iw_pred some) { return iw_gather(rule->map, x, some); }
IW_FN iw_u32 bin_index_u16(const iw_binning *rule, iw_u32 x, iw_pred some) { return bin_index_i32(rule, iw_to_i32(x), some); }

#define ISSUE_LOAD_NARROW(t) IW_FN iw_row_##t##_pending issue_load_##t(const iws_##t *p, int64_t valid) { return iw_row_issue_##t(p, valid); }
#define ISSUE_LOAD_WIDE(t) IW_FN iw_row_##t##_pending issue_load_##t(const iws_##t *p, int64_t valid) { return iw_row_issue_##t(p, valid, 0); }
ISSUE_LOAD_NARROW(u8) ISSUE_LOAD_NARROW(u16)
ISSUE_LOAD_WIDE(i32) ISSUE_LOAD_WIDE(u32) ISSUE_LOAD_WIDE(i64) ISSUE_LOAD_WIDE(u64) ISSUE_LOAD_WIDE(f32) ISSUE_LOAD_WIDE(f64)

/* What a private counter is for: a bin number; but a byte has one of its own, and its bin is looked up at the end. */
enum { BYTE_VALUES_u8 = 256, BYTE_VALUES_u16 = 0, BYTE_VALUES_i32 = 0, BYTE_VALUES_u32 = 0, BYTE_VALUES_i64 = 0, BYTE_VALUES_u64 = 0, BYTE_VALUES_f32 = 0, BYTE_VALUES_f64 = 0 };
IW_FN iw_u32 counter_index_u8(const iw_binning *rule, iw_u32 x, iw_pred some) { (void)rule; (void)some; return x; }
IW_FN iw_u32 counter_index_u16(const iw_binning *rule, iw_u32 x, iw_pred some) { return bin_index_u16(rule, x, some); }
#define COUNTER_INDEX(t) IW_FN iw_u32 counter_index_##t(const iw_binning *rule, iw_##t x, iw_pred some) { return bin_index_##t(rule, x, some); }
COUNTER_INDEX(i32) COUNTER_INDEX(u32) COUNTER_INDEX(i64) COUNTER_INDEX(u64) COUNTER_INDEX(f32) COUNTER_INDEX(f64)

#if !HISTOGRAM_SHARED_ATOMICS
/* Counts a row, by a rule that guesses: all at once, if guesses are rarely near an edge and in this row none is, nor outside.
 * Else guesses are put right; where edges are even, by looking at one for each sample. After two such rows one is put right
 * without a try, then three, then seven and so on, as they are bin_speculative to be near edges, too. */
typedef struct speculation_backoff {
  uint32_t skip;            /* to put right at once */
  uint32_t next_skip;            /* as many after the next try, if it fails: more each time, none after one that does not */
  iw_edges_f32 f32;
  iw_edges_f64 f64;
} speculation_backoff;
#define GUESS_u16 f64
IW_FN iw_u32 bin_speculative_u16(const iw_binning *rule, iw_u32 x, iw_floors_f64 *row) { return bin_speculative_i32(rule, iw_to_i32(x), row); }
IW_FN iw_u32 bin_by_arithmetic_u16(const iw_binning *rule, iw_u32 x, iw_pred some) { return bin_by_arithmetic_i32(rule, iw_to_i32(x), some); }
IW_FN iw_u32 resolve_bin_u16(const iw_binning *rule, iw_u32 x, iw_pred some) { return bin_by_arithmetic_u16(rule, x, some); }
#define RESOLVE_BIN(t) IW_FN iw_u32 resolve_bin_##t(const iw_binning *rule, iw_##t x, iw_pred some) \
{ return EVEN_##t && rule->even ? bin_by_nearest_edge_##t(rule, x, some, 1) : bin_by_arithmetic_##t(rule, x, some); }
RESOLVE_BIN(i32) RESOLVE_BIN(u32) RESOLVE_BIN(i64) RESOLVE_BIN(u64) RESOLVE_BIN(f32) RESOLVE_BIN(f64)
IW_FN void add_row_u8(iw_private_histogram *mine, const iw_binning *rule, iw_row_u8 row, speculation_backoff *near)
{ (void)rule; (void)near; iw_private_histogram_add_row_u8(mine, row); }
#define ADD_ROW(t) IW_FN void add_row_##t(iw_private_histogram *mine, const iw_binning *rule, iw_row_##t row, speculation_backoff *near) \
{ const iw_pred all = iw_lanes_below(IW_WARP_SIZE); \
  int sure = 0; \
  if (near->skip) near->skip--; \
  else { \
    IW_PASTE(iw_floors_, GUESS_##t) guesses; \
    IW_PASTE(iw_floors_open_, GUESS_##t)(&guesses); \
    IW_EACH_VECTOR(t, v) iw_private_histogram_set_vector(mine, v, bin_speculative_##t(rule, iw_row_vector_##t(row, v), &guesses)); \
    sure = IW_PASTE(iw_floors_unambiguous_, GUESS_##t)(&guesses, rule->bins, (IW_PASTE(iws_, GUESS_##t))rule->tau); \
    if (!sure) near->skip = near->next_skip; \
    near->next_skip = sure ? 0 : near->next_skip < HISTOGRAM_MAX_BACKOFF ? 2 * near->next_skip + 1 : near->next_skip; \
  } \
  if (!sure && EVEN_##t && rule->even > 1) { \
    iw_u32 bins[IW_ROW_VECTORS(t)], most = iw_splat(0u); \
    IW_EACH_VECTOR(t, v) { \
      bins[v] = bin_by_even_edge_##t(rule, &near->GUESS_##t, iw_row_vector_##t(row, v)); \
      most = iw_max_u32(most, bins[v]); \
    } \
    sure = iw_all(iw_lt(most, iw_splat(rule->bins))); \
    if (!sure) IW_EACH_VECTOR(t, v) \
      bins[v] = bin_or_outlier_##t(rule, iw_row_vector_##t(row, v), iw_min_u32(bins[v], iw_splat(rule->bins - 1))); \
    IW_EACH_VECTOR(t, v) iw_private_histogram_set_vector(mine, v, bins[v]); \
  } else if (!sure) \
    IW_EACH_VECTOR(t, v) iw_private_histogram_set_vector(mine, v, resolve_bin_##t(rule, iw_row_vector_##t(row, v), all)); \
  iw_private_histogram_add_row(mine, 16 / (int)sizeof(iws_##t), sure); }
enum { EVEN_u16 = 0 };
#define bin_by_even_edge_u16(rule, edges, x) (x)
#define bin_or_outlier_u16(rule, x, bin) (bin)
ADD_ROW(u16) ADD_ROW(i32) ADD_ROW(u32) ADD_ROW(i64) ADD_ROW(u64) ADD_ROW(f32) ADD_ROW(f64)

typedef struct rows_shared { uint32_t counters[IW_SHARED_COUNTERS]; } rows_shared;

IW_FN void clear_tables(uint32_t *counters, uint64_t n, unsigned warp, unsigned warps)
{
  for (uint64_t i = warp * IW_WARP_SIZE; i < n; i += warps * IW_WARP_SIZE)
    iw_store(counters + i, iw_splat(0u), iw_lanes_below((int64_t)(n - i)));
}
#endif
#endif

IW_FN iw_u32 OF_T(iw_bucket_id)(const iw_bin_index_args *args, IW_PASTE(iw_, IW_PASTE(IW_LANES_FOR_, T)) x, iw_pred some)
{
  return OF_T(bin_index)(&args->binning, x, some);
}
#define BY T
#define ARGS iw_bin_index_args
#include <isowarp/algorithms/multisplit/bucket_ids_kernel.h>
#undef ARGS
#undef BY

/* Few samples, for which private counters would take longer than the counting. */
IW_KERNEL_NO_SPECIALIZATION(OF_T(histogram_small_n), iw_no_shared, iw_small_n_args, 32, 1)
{
  uint32_t *const narrow = (uint32_t *)args->out;
  uint64_t *const wide = (uint64_t *)args->out;
  IW_PHASE(warp) {
    for (uint64_t i = 0; !args->accumulate && i < args->outputs; i += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(args->outputs - i));
      if (args->counters_32) iw_store(narrow + i, iw_splat(0u), some);
      else iw_store(wide + i, iw_splat((uint64_t)0), some);
    }
  }
  IW_PHASE(warp) {
    const iw_binning rule = args->binning;
    const iw_u32 outputs = iw_splat(args->outputs), first = iw_splat(0u), last = iw_splat(rule.bins - 1);
    uint64_t outside[3] = { 0, 0, 0 };
    for (uint64_t at = 0; at < args->n; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(args->n - at));
      const SCALAR *const samples = (const SCALAR *)args->samples + at;
      iw_u32 counter = OF_T(bin_index)(&rule, OF_T(iw_load)(samples, some), some);
      if (iw_any(iw_and_pred(some, iw_gt(counter, last)))) {
        const iw_pred below = iw_and_pred(some, iw_eq(counter, iw_splat(rule.bins)));
        const iw_pred above = iw_and_pred(some, iw_eq(counter, iw_splat(rule.bins + 1)));
        outside[0] += iw_popcount_of(below);
        outside[1] += iw_popcount_of(above);
        outside[2] += iw_popcount_of(iw_and_pred(some, iw_eq(counter, iw_splat(rule.bins + 2))));
        if (args->clamp) counter = iw_select(below, first, iw_select(above, last, counter));
      }
      const iw_pred counted = iw_and_pred(some, iw_lt(counter, outputs));
      if (args->counters_32) iw_shared_add(narrow, counter, iw_splat(1u), counted);
      else iw_shared_add(wide, counter, iw_splat((uint64_t)1), counted);
    }
    for (unsigned c = 0; args->outliers && c < 3; c++)
      iw_set(args->outliers + c, (args->more ? iw_get((const uint64_t *)args->outliers + c) : 0) + outside[c]);
  }
}

#if HISTOGRAM_SHARED_ATOMICS
#include "algorithms/histogram/shared_atomics.h"
#else
/* Counters of the block's own, in tables, so that the same bin twice in a row is rarely the same counter; each warp takes
 * one piece of the block's samples. Where there are too many counters for that, all blocks count in one place. */
IW_KERNEL_NO_SPECIALIZATION(OF_T(histogram_rows), rows_shared, iw_histogram_rows_args, HISTOGRAM_WARPS * 32, HISTOGRAM_BLOCKS)
{
  const uint32_t table_size = OF_T(BYTE_VALUES) > 0 ? OF_T(BYTE_VALUES) : args->entries, tables = args->tables;
  const int copied = args->copies != NULL, in_shared = args->in_shared != 0, privatised = copied || in_shared;
  const uint64_t copies = block->index * (in_shared ? 1 : tables);
  uint32_t *const copy = copied ? args->copies + copies * args->entries : NULL;
  uint32_t *const counters = in_shared ? shared->counters : copy;
  IW_PHASE(warp) {
    if (privatised) clear_tables(counters, (uint64_t)table_size * tables, warp, block->warps);
    if (copied && OF_T(BYTE_VALUES) > 0) clear_tables(copy, args->entries, warp, block->warps);
  }
  IW_PHASE(warp) {
    const iw_binning rule = args->binning;
    const uint64_t warp_span = args->span / block->warps, first = block->index * args->span + warp * warp_span;
    const uint64_t end = first + warp_span < args->n ? first + warp_span : args->n;
    const SCALAR *const samples = (const SCALAR *)args->samples;
    uint64_t *const counts = args->counts;
    uint64_t at = first;
    /* The loop that matters. */
    if (privatised && (OF_T(BYTE_VALUES) > 0 || rule.mode == IW_BINNING_GUESS)) {
      iw_private_histogram mine;
      speculation_backoff near = { .skip = rule.tau * (2 * IW_ROW(T)) < 0.25 ? 0 : UINT32_MAX };
      iw_edges_open_f32(&near.f32, rule.bins, rule.first, rule.step);
      iw_edges_open_f64(&near.f64, rule.bins, rule.first, rule.step);
      iw_private_histogram_begin(&mine, counters, table_size, tables, OF_T(BYTE_VALUES) ? rule.map : NULL, end - at, args->heavy_hitters != 0);
      for (; at + HISTOGRAM_ROWS * IW_ROW(T) <= end; at += HISTOGRAM_ROWS * IW_ROW(T)) {
        IW_PASTE(IW_PASTE(iw_row_, T), _pending) pending[HISTOGRAM_ROWS];
        IW_UNROLL_ROWS for (int k = 0; k < HISTOGRAM_ROWS; k++) pending[k] = OF_T(issue_load)(samples + at + k * IW_ROW(T), IW_ROW(T));
        IW_UNROLL_ROWS for (int k = 0; k < HISTOGRAM_ROWS; k++) OF_T(add_row)(&mine, &rule, OF_T(iw_row_wait)(pending[k]), &near);
      }
      iw_private_histogram_end(&mine);
    }
    const iw_u32 table = iw_mul(iw_and(iw_lane(), iw_splat(tables - 1)), iw_splat(table_size));
    iw_u32 last = iw_splat(0u), run = iw_splat(0u); /* where all blocks count in one place, a lane's equal neighbours go at once */
    for (; at < end; at += IW_ROW(T)) {
      const int64_t valid = (int64_t)(end - at);
      const IW_PASTE(iw_row_, T) row = OF_T(iw_row_wait)(OF_T(issue_load)(samples + at, valid));
      IW_EACH_VECTOR(T, v) {
        const iw_pred some = OF_T(iw_row_valid)(v, valid);
        const iw_u32 counter = OF_T(counter_index)(&rule, OF_T(iw_row_vector)(row, v), some);
        if (privatised) iw_count(counters, iw_add_u32(table, counter), some);
        else {
          const iw_u32 bin = OF_T(BYTE_VALUES) ? bin_index_u8(&rule, counter, some) : counter;
          const iw_pred other = iw_and_pred(some, iw_ne(bin, last));
          iw_global_add(counts, last, iw_to_u64(run), iw_and_pred(other, iw_gt(run, iw_splat(0u))));
          last = iw_select(other, bin, last);
          run = iw_add_u32(iw_select(other, iw_splat(0u), run), iw_select(some, iw_splat(1u), iw_splat(0u)));
        }
      }
    }
    if (!privatised) iw_global_add(counts, last, iw_to_u64(run), iw_gt(run, iw_splat(0u)));
  }
  IW_PHASE(warp) {
    for (uint64_t i = warp * IW_WARP_SIZE; in_shared && i < table_size; i += block->warps * IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(table_size - i));
      iw_u32 sum = iw_splat(0u);
      for (uint32_t t = 0; t < tables; t++) sum = iw_add(sum, iw_load_u32(counters + t * table_size + i, some));
      const iw_u32 number = OF_T(BYTE_VALUES) ? iw_load(args->binning.map + i, some) : iw_add_u32(iw_lane(), iw_splat((uint32_t)i));
      if (!copied) iw_global_add(args->counts, number, iw_to_u64(sum), iw_and_pred(some, iw_gt(sum, iw_splat(0u))));
      else if (OF_T(BYTE_VALUES)) iw_global_add(copy, number, sum, some);
      else iw_store(copy + i, sum, some);
    }
  }
}
#endif
