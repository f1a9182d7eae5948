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
IW_FN iw_u32 bin_of_u8(const iw_binning *rule, iw_u32 x, iw_pred some) { return iw_gather(rule->map, x, some); }
IW_FN iw_u32 bin_of_u16(const iw_binning *rule, iw_u32 x, iw_pred some) { return bin_of_i32(rule, iw_to_i32(x), some); }

#define FETCH_NARROW(t) IW_FN iw_row_##t##_coming fetch_##t(const iws_##t *p, int64_t valid) { return iw_row_fetch_##t(p, valid); }
#define FETCH_WIDE(t) IW_FN iw_row_##t##_coming fetch_##t(const iws_##t *p, int64_t valid) { return iw_row_fetch_##t(p, valid, 0); }
FETCH_NARROW(u8) FETCH_NARROW(u16)
FETCH_WIDE(i32) FETCH_WIDE(u32) FETCH_WIDE(i64) FETCH_WIDE(u64) FETCH_WIDE(f32) FETCH_WIDE(f64)

/* What a private counter is for: a bin number; but a byte has one of its own, and its bin is looked up at the end. */
enum { BYTES_u8 = 256, BYTES_u16 = 0, BYTES_i32 = 0, BYTES_u32 = 0, BYTES_i64 = 0, BYTES_u64 = 0, BYTES_f32 = 0, BYTES_f64 = 0 };
IW_FN iw_u32 counter_of_u8(const iw_binning *rule, iw_u32 x, iw_pred some) { (void)rule; (void)some; return x; }
IW_FN iw_u32 counter_of_u16(const iw_binning *rule, iw_u32 x, iw_pred some) { return bin_of_u16(rule, x, some); }
#define COUNTER_OF(t) IW_FN iw_u32 counter_of_##t(const iw_binning *rule, iw_##t x, iw_pred some) { return bin_of_##t(rule, x, some); }
COUNTER_OF(i32) COUNTER_OF(u32) COUNTER_OF(i64) COUNTER_OF(u64) COUNTER_OF(f32) COUNTER_OF(f64)

#if !HISTOGRAM_MERGED
/* Counts a row, by a rule that guesses: all at once, if guesses are rarely near an edge and in this row none is, nor outside.
 * Else guesses are put right; where edges are even, by looking at one for each sample. After two such rows one is put right
 * without a try, then three, then seven and so on, as they are likely to be near edges, too. */
typedef struct near_edges {
  uint32_t rows;            /* to put right at once */
  uint32_t wait;            /* as many after the next try, if it fails: more each time, none after one that does not */
  iw_edges_f32 f32;
  iw_edges_f64 f64;
} near_edges;
#define GUESS_u16 f64
IW_FN iw_u32 likely_u16(const iw_binning *rule, iw_u32 x, iw_floors_f64 *row) { return likely_i32(rule, iw_to_i32(x), row); }
IW_FN iw_u32 guessed_u16(const iw_binning *rule, iw_u32 x, iw_pred some) { return guessed_i32(rule, iw_to_i32(x), some); }
IW_FN iw_u32 put_right_u16(const iw_binning *rule, iw_u32 x, iw_pred some) { return guessed_u16(rule, x, some); }
#define PUT_RIGHT(t) IW_FN iw_u32 put_right_##t(const iw_binning *rule, iw_##t x, iw_pred some) \
{ return EVEN_##t && rule->even ? by_edge_##t(rule, x, some, 1) : guessed_##t(rule, x, some); }
PUT_RIGHT(i32) PUT_RIGHT(u32) PUT_RIGHT(i64) PUT_RIGHT(u64) PUT_RIGHT(f32) PUT_RIGHT(f64)
IW_FN void add_row_u8(iw_private *mine, const iw_binning *rule, iw_row_u8 row, near_edges *near)
{ (void)rule; (void)near; iw_private_row_u8(mine, row); }
#define ADD_ROW(t) IW_FN void add_row_##t(iw_private *mine, const iw_binning *rule, iw_row_##t row, near_edges *near) \
{ const iw_pred all = iw_lanes_below(IW_WARP_SIZE); \
  int sure = 0; \
  if (near->rows) near->rows--; \
  else { \
    IW_PASTE(iw_floors_, GUESS_##t) guesses; \
    IW_PASTE(iw_floors_open_, GUESS_##t)(&guesses); \
    IW_EACH_VECTOR(t, v) iw_private_add(mine, v, likely_##t(rule, iw_row_vector_##t(row, v), &guesses)); \
    sure = IW_PASTE(iw_floors_sure_, GUESS_##t)(&guesses, rule->bins, (IW_PASTE(iws_, GUESS_##t))rule->tau); \
    if (!sure) near->rows = near->wait; \
    near->wait = sure ? 0 : near->wait < HISTOGRAM_NEAR ? 2 * near->wait + 1 : near->wait; \
  } \
  if (!sure && EVEN_##t && rule->even > 1) { \
    iw_u32 bins[IW_ROW_VECTORS(t)], most = iw_splat(0u); \
    IW_EACH_VECTOR(t, v) { \
      bins[v] = by_even_edge_##t(rule, &near->GUESS_##t, iw_row_vector_##t(row, v)); \
      most = iw_max_u32(most, bins[v]); \
    } \
    sure = iw_all(iw_lt(most, iw_splat(rule->bins))); \
    if (!sure) IW_EACH_VECTOR(t, v) \
      bins[v] = placed_##t(rule, iw_row_vector_##t(row, v), iw_min_u32(bins[v], iw_splat(rule->bins - 1))); \
    IW_EACH_VECTOR(t, v) iw_private_add(mine, v, bins[v]); \
  } else if (!sure) \
    IW_EACH_VECTOR(t, v) iw_private_add(mine, v, put_right_##t(rule, iw_row_vector_##t(row, v), all)); \
  iw_private_row(mine, 16 / (int)sizeof(iws_##t), sure); }
enum { EVEN_u16 = 0 };
#define by_even_edge_u16(rule, edges, x) (x)
#define placed_u16(rule, x, bin) (bin)
ADD_ROW(u16) ADD_ROW(i32) ADD_ROW(u32) ADD_ROW(i64) ADD_ROW(u64) ADD_ROW(f32) ADD_ROW(f64)

typedef struct rows_shared { uint32_t counters[IW_SHARED_COUNTERS]; } rows_shared;

IW_FN void zero_counters(uint32_t *counters, uint64_t n, unsigned warp, unsigned warps)
{
  for (uint64_t i = warp * IW_WARP_SIZE; i < n; i += warps * IW_WARP_SIZE)
    iw_store(counters + i, iw_splat(0u), iw_lanes_below((int64_t)(n - i)));
}
#endif
#endif

IW_FN iw_u32 OF_T(iw_number)(const iw_bins_args *args, IW_PASTE(iw_, IW_PASTE(IW_HELD_, T)) x, iw_pred some)
{
  return OF_T(bin_of)(&args->binning, x, some);
}
#define BY T
#define ARGS iw_bins_args
#include <isowarp/algorithms/multisplit/bucket_id.h>
#undef ARGS
#undef BY

/* Few samples, for which private counters would take longer than the counting. */
IW_KERNEL_ONCE(OF_T(direct), nothing, iw_direct_args, 32, 1)
{
  uint32_t *const narrow = (uint32_t *)args->out;
  uint64_t *const wide = (uint64_t *)args->out;
  IW_PHASE(warp) {
    for (uint64_t i = 0; !args->accumulate && i < args->outputs; i += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(args->outputs - i));
      if (args->narrow) iw_store(narrow + i, iw_splat(0u), some);
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
      iw_u32 counter = OF_T(bin_of)(&rule, OF_T(iw_load)(samples, some), some);
      if (iw_any(iw_both(some, iw_gt(counter, last)))) {
        const iw_pred below = iw_both(some, iw_eq(counter, iw_splat(rule.bins)));
        const iw_pred above = iw_both(some, iw_eq(counter, iw_splat(rule.bins + 1)));
        outside[0] += iw_popcount_of(below);
        outside[1] += iw_popcount_of(above);
        outside[2] += iw_popcount_of(iw_both(some, iw_eq(counter, iw_splat(rule.bins + 2))));
        if (args->clamp) counter = iw_select(below, first, iw_select(above, last, counter));
      }
      const iw_pred counted = iw_both(some, iw_lt(counter, outputs));
      if (args->narrow) iw_shared_add(narrow, counter, iw_splat(1u), counted);
      else iw_shared_add(wide, counter, iw_splat((uint64_t)1), counted);
    }
    for (unsigned c = 0; args->outsiders && c < 3; c++)
      iw_set(args->outsiders + c, (args->more ? iw_get((const uint64_t *)args->outsiders + c) : 0) + outside[c]);
  }
}

#if HISTOGRAM_MERGED
#include "algorithms/histogram/shared_atomics.h"
#else
/* Counters of the block's own, in tables, so that the same bin twice in a row is rarely the same counter; each warp takes
 * one piece of the block's samples. Where there are too many counters for that, all blocks count in one place. */
IW_KERNEL_ONCE(OF_T(rows), rows_shared, iw_rows_args, ROWS_WARPS * 32, ROWS_BLOCKS)
{
  const uint32_t own = OF_T(BYTES) > 0 ? OF_T(BYTES) : args->entries, tables = args->tables;
  const int copied = args->copies != NULL, in_shared = args->in_shared != 0, apart = copied || in_shared;
  const uint64_t copies = block->index * (in_shared ? 1 : tables);
  uint32_t *const copy = copied ? args->copies + copies * args->entries : NULL;
  uint32_t *const counters = in_shared ? shared->counters : copy;
  IW_PHASE(warp) {
    if (apart) zero_counters(counters, (uint64_t)own * tables, warp, block->warps);
    if (copied && OF_T(BYTES) > 0) zero_counters(copy, args->entries, warp, block->warps);
  }
  IW_PHASE(warp) {
    const iw_binning rule = args->binning;
    const uint64_t part = args->span / block->warps, first = block->index * args->span + warp * part;
    const uint64_t end = first + part < args->n ? first + part : args->n;
    const SCALAR *const samples = (const SCALAR *)args->samples;
    uint64_t *const counts = args->counts;
    uint64_t at = first;
    /* The loop that matters. */
    if (apart && (OF_T(BYTES) > 0 || rule.mode == IW_BINNING_GUESS)) {
      iw_private mine;
      near_edges near = { .rows = rule.tau * (2 * IW_ROW(T)) < 0.25 ? 0 : UINT32_MAX };
      iw_edges_open_f32(&near.f32, rule.bins, rule.first, rule.step);
      iw_edges_open_f64(&near.f64, rule.bins, rule.first, rule.step);
      iw_private_open(&mine, counters, own, tables, OF_T(BYTES) ? rule.map : NULL, end - at, args->hot != 0);
      for (; at + HISTOGRAM_ROWS * IW_ROW(T) <= end; at += HISTOGRAM_ROWS * IW_ROW(T)) {
        IW_PASTE(IW_PASTE(iw_row_, T), _coming) coming[HISTOGRAM_ROWS];
        IW_UNROLL_ROWS for (int k = 0; k < HISTOGRAM_ROWS; k++) coming[k] = OF_T(fetch)(samples + at + k * IW_ROW(T), IW_ROW(T));
        IW_UNROLL_ROWS for (int k = 0; k < HISTOGRAM_ROWS; k++) OF_T(add_row)(&mine, &rule, OF_T(iw_row_arrive)(coming[k]), &near);
      }
      iw_private_close(&mine);
    }
    const iw_u32 table = iw_mul(iw_and(iw_lane(), iw_splat(tables - 1)), iw_splat(own));
    iw_u32 last = iw_splat(0u), run = iw_splat(0u); /* where all blocks count in one place, a lane's equal neighbours go at once */
    for (; at < end; at += IW_ROW(T)) {
      const int64_t valid = (int64_t)(end - at);
      const IW_PASTE(iw_row_, T) row = OF_T(iw_row_arrive)(OF_T(fetch)(samples + at, valid));
      IW_EACH_VECTOR(T, v) {
        const iw_pred some = OF_T(iw_row_valid)(v, valid);
        const iw_u32 counter = OF_T(counter_of)(&rule, OF_T(iw_row_vector)(row, v), some);
        if (apart) iw_count(counters, iw_add_u32(table, counter), some);
        else {
          const iw_u32 bin = OF_T(BYTES) ? bin_of_u8(&rule, counter, some) : counter;
          const iw_pred other = iw_both(some, iw_ne(bin, last));
          iw_global_add(counts, last, iw_to_u64(run), iw_both(other, iw_gt(run, iw_splat(0u))));
          last = iw_select(other, bin, last);
          run = iw_add_u32(iw_select(other, iw_splat(0u), run), iw_select(some, iw_splat(1u), iw_splat(0u)));
        }
      }
    }
    if (!apart) iw_global_add(counts, last, iw_to_u64(run), iw_gt(run, iw_splat(0u)));
  }
  IW_PHASE(warp) {
    for (uint64_t i = warp * IW_WARP_SIZE; in_shared && i < own; i += block->warps * IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(own - i));
      iw_u32 sum = iw_splat(0u);
      for (uint32_t t = 0; t < tables; t++) sum = iw_add(sum, iw_load_u32(counters + t * own + i, some));
      const iw_u32 number = OF_T(BYTES) ? iw_load(args->binning.map + i, some) : iw_add_u32(iw_lane(), iw_splat((uint32_t)i));
      if (!copied) iw_global_add(args->counts, number, iw_to_u64(sum), iw_both(some, iw_gt(sum, iw_splat(0u))));
      else if (OF_T(BYTES)) iw_global_add(copy, number, sum, some);
      else iw_store(copy + i, sum, some);
    }
  }
}
#endif
