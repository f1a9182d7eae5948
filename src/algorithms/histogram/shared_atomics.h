/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule "privatised shared-memory atomics" of kernel histogram_rows_T, for GPUs. Kernel template,
 * compiled once per T. Knows the bin decision (bin_index.h) and a block's counters (shared_counters.h), but
 * not the host's plan.
 *
 * In the words of CUB's agent_histogram: each block takes one contiguous span of the samples, privatises the
 * counters in shared memory, counts by shared-memory atomics, and adds its counters to those in global
 * memory at the end. The differences:
 *   - blocks add to the caller's counters, of 32 or 64 bits, and apply the policy for outliers
 *     (add_counts());
 *   - counters have 32 or 16 bits or are claimed, whichever fits (shared_counters.h); bin_partition.h is for
 *     still more bins;
 *   - a sample whose guessed bin is ambiguous is not compared with its edge at once, since a warp would do
 *     that for one lane alone. It is deferred, one a lane; when a lane has a second one, the warp resolves
 *     all deferred samples together. If many samples of a row are ambiguous, all samples of the next rows
 *     are compared with edges at once;
 *   - bytes are counted by value, and the bin of each value is looked up at the end.
 *
 * Needs bin_index.h of the same T in front.
 */
#include "algorithms/histogram/args.h"
#include "algorithms/binning/sample_types.h"
#include "algorithms/histogram/shared_counters.h"

#define FN(name) IW_JOIN(name, T)
#define ROWS_IN_FLIGHT SHARED_ATOMICS_ROWS((int)sizeof(SCALAR))

/* What a warp keeps from row to row. */
typedef struct FN(agent_state) {
  SAMPLE_LANES deferred;
  iw_pred has_deferred;
  heavy_hitter heavy;
} FN(agent_state);

IW_FN void FN(count_by_nearest_edge)(const iw_block *block, const iw_histogram_rows_args *args,
                                     const iw_binning *rule, uint32_t *counters, int counters_kind,
                                     SAMPLE_LANES x, iw_pred some, FN(agent_state) *state, int computed)
{
  const iw_u32 bin = FN(bin_by_nearest_edge)(rule, x, some, computed);
  if (counters_kind == COUNTERS_16) update_heavy_hitter(block, args, bin, some, &state->heavy);
  count_bins(block, args, counters, counters_kind, bin, some, &state->heavy);
}

IW_FN void FN(count_deferred)(const iw_block *block, const iw_histogram_rows_args *args,
                              const iw_binning *rule, uint32_t *counters, int counters_kind,
                              FN(agent_state) *state)
{
  FN(count_by_nearest_edge)(block, args, rule, counters, counters_kind, state->deferred, state->has_deferred,
                            state, 0);
  state->has_deferred = iw_lanes_below(0);
}

/* ---- One row whose elements are all there ---- */

IW_FN void FN(count_bytes)(const iw_block *block, uint32_t *counters, uint32_t tables, SAMPLE_ROW row)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  if (tables == IW_WARP_SIZE) { IW_EACH_VECTOR(T, v) count_byte(block, counters, IW_WARP_SIZE, iw_to_u32(FN(iw_row_vector)(row, v)), all); }
  else IW_EACH_VECTOR(T, v) count_byte(block, counters, 1, iw_to_u32(FN(iw_row_vector)(row, v)), all);
}

/* Compares all samples with edges. */
IW_FN void FN(count_row_by_nearest_edge)(const iw_block *block, const iw_histogram_rows_args *args,
                                         const iw_binning *rule, uint32_t *counters, int counters_kind,
                                         SAMPLE_ROW row, FN(agent_state) *state)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  IW_EACH_VECTOR(T, v)
    FN(count_by_nearest_edge)(block, args, rule, counters, counters_kind, FN(iw_row_vector)(row, v), all,
                              state, 1);
}

/* Compares all samples with the edges of their cells. */
IW_FN void FN(count_row_by_cells)(const iw_block *block, const iw_histogram_rows_args *args, const iw_binning *rule,
                                  uint32_t *counters, int counters_kind, SAMPLE_ROW row, FN(agent_state) *state)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  IW_EACH_VECTOR(T, v) {
    const iw_u32 bin = FN(bin_index)(rule, FN(iw_row_vector)(row, v), all);
    if (counters_kind == COUNTERS_16 && v == 0) update_heavy_hitter(block, args, bin, all, &state->heavy);
    count_bins(block, args, counters, counters_kind, bin, all, &state->heavy);
  }
}

/* Counts unambiguous samples and defers the others. `first`: the row is the first of those in flight; if
 * many of its samples are ambiguous, they are resolved at once, and the result is 1: compare the next rows
 * with edges. */
IW_FN int FN(count_row)(const iw_block *block, const iw_histogram_rows_args *args, const iw_binning *rule,
                        uint32_t *counters, int counters_kind, SAMPLE_ROW row, FN(agent_state) *state,
                        int first)
{
  iw_pred ambiguous[16 / sizeof(SCALAR)], any = iw_lanes_below(0);
  IW_EACH_VECTOR(T, v) {
    iw_u32 bin;
    const iw_pred unambiguous = FN(bin_if_unambiguous)(rule, FN(iw_row_vector)(row, v), &bin);
    if (counters_kind == COUNTERS_16 && first && v == 0)
      update_heavy_hitter(block, args, bin, unambiguous, &state->heavy);
    count_bins(block, args, counters, counters_kind, bin, unambiguous, &state->heavy);
    ambiguous[v] = iw_not_pred(unambiguous);
    any = iw_or_pred(any, ambiguous[v]);
  }
  if (!iw_any(any)) return 0;
  if (first && iw_popcount_of(any) >= SHARED_ATOMICS_AMBIGUOUS_LANES) {
    IW_EACH_VECTOR(T, v)
      FN(count_by_nearest_edge)(block, args, rule, counters, counters_kind, FN(iw_row_vector)(row, v),
                                ambiguous[v], state, 1);
    return rule->edges != NULL; /* without edges only outliers are ambiguous */
  }
  IW_EACH_VECTOR(T, v) {
    if (iw_any(iw_and_pred(ambiguous[v], state->has_deferred)))
      FN(count_deferred)(block, args, rule, counters, counters_kind, state);
    state->deferred = iw_select(ambiguous[v], FN(iw_row_vector)(row, v), state->deferred);
    state->has_deferred = iw_or_pred(ambiguous[v], state->has_deferred);
  }
  return 0;
}

/* ---- A span ---- */

/* The rule, with the tables that the block has copied to shared memory. */
IW_FN iw_binning FN(rule_of)(const iw_histogram_rows_args *args, const uint32_t *counters)
{
  iw_binning rule = args->binning;
  if (!args->tables_at) return rule;
  rule.map = counters + args->tables_at;
  rule.edges = rule.map + rule.cells;
  return rule;
}

/* Copies the table of cells and the edges. A table has a power of two of words, so the edges are aligned. */
IW_FN void FN(copy_tables)(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters, unsigned warp)
{
  const uint32_t cells = args->binning.cells;
  const uint64_t words = cells + (uint64_t)args->binning.bins * (sizeof(KEY_SCALAR) / sizeof(uint32_t));
  for (uint64_t at = warp * IW_WARP_SIZE; at < words; at += block->warps * IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(words - at));
    const uint32_t *const from = at < cells ? args->binning.map + at
      : (const uint32_t *)args->binning.edges + (at - cells);
    iw_store(counters + args->tables_at + at, iw_load(from, some), some);
  }
}

/* Counts whole rows of the block from `at` to `end` by the rule's table of cells. A warp has the next row
 * in flight: its code for a row is long, and in the time that it takes the other warps' loads arrive. */
IW_FN void FN(count_whole_rows_by_cells)(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters,
                                         int counters_kind, uint64_t at, uint64_t end, unsigned warp,
                                         FN(agent_state) *state)
{
  const iw_binning rule = FN(rule_of)(args, counters);
  const uint64_t step = block->warps * IW_ROW(T);
  const SCALAR *const samples = (const SCALAR *)args->samples + warp * IW_ROW(T);
  if (at >= end) return;
  PENDING_ROW next = ISSUE_ROW(samples + at, IW_FULL_ROW);
  for (; at < end; at += step) {
    const SAMPLE_ROW row = FN(iw_row_wait)(next);
    if (at + step < end) next = ISSUE_ROW(samples + at + step, IW_FULL_ROW);
    FN(count_row_by_cells)(block, args, &rule, counters, counters_kind, row, state);
  }
}

/* Counts whole rows of the block from `at` to `end`; each warp has several rows in flight. */
IW_FN void FN(count_whole_rows)(const iw_block *block, const iw_histogram_rows_args *args,
                                uint32_t *counters, int counters_kind, uint64_t at, uint64_t end,
                                unsigned warp, FN(agent_state) *state)
{
  const iw_binning rule = args->binning;
  const uint64_t step = block->warps * IW_ROW(T);
  const SCALAR *const samples = (const SCALAR *)args->samples + warp * IW_ROW(T);
  const int rows = counters_kind == COUNTERS_32 ? ROWS_IN_FLIGHT : SHARED_ATOMICS_ROWS_COMPACT;
  for (; at < end; at += (unsigned)rows * step) {
    PENDING_ROW pending[ROWS_IN_FLIGHT];
    const int left = end - at >= (unsigned)rows * step ? rows : (int)((end - at) / step);
    IW_UNROLL_ROWS for (int k = 0; k < rows; k++)
      if (k == 0 || k < left) pending[k] = ISSUE_ROW(samples + at + k * step, IW_FULL_ROW);
    if (BYTES) {
      IW_UNROLL_ROWS for (int k = 0; k < rows; k++)
        if (k == 0 || k < left) FN(count_bytes)(block, counters, args->tables, FN(iw_row_wait)(pending[k]));
    } else if (FN(count_row)(block, args, &rule, counters, counters_kind, FN(iw_row_wait)(pending[0]), state,
                             1)) {
      IW_UNROLL_ROWS for (int k = 1; k < rows; k++)
        if (k < left)
          FN(count_row_by_nearest_edge)(block, args, &rule, counters, counters_kind,
                                        FN(iw_row_wait)(pending[k]), state);
    } else {
      IW_UNROLL_ROWS for (int k = 1; k < rows; k++)
        if (k < left)
          FN(count_row)(block, args, &rule, counters, counters_kind, FN(iw_row_wait)(pending[k]), state, 0);
    }
  }
}

/* Counts rows that may be partial or not aligned, by any rule. */
IW_FN void FN(count_partial_rows)(const iw_block *block, const iw_histogram_rows_args *args,
                                  uint32_t *counters, int counters_kind, uint64_t at, uint64_t end,
                                  unsigned warp, FN(agent_state) *state)
{
  const iw_binning rule = FN(rule_of)(args, counters);
  for (at += warp * IW_ROW(T); at < end; at += block->warps * IW_ROW(T)) {
    const int64_t valid = (int64_t)(end - at);
    const SAMPLE_ROW row = FN(iw_row_wait)(ISSUE_ROW((const SCALAR *)args->samples + at, valid));
    IW_EACH_VECTOR(T, v) {
      const iw_pred some = FN(iw_row_valid)(v, valid);
      const SAMPLE_LANES x = FN(iw_row_vector)(row, v);
      if (BYTES) count_byte(block, counters, args->tables, iw_to_u32(x), some);
      else {
        const iw_u32 bin = FN(bin_index)(&rule, x, some);
        if (counters_kind == COUNTERS_16) update_heavy_hitter(block, args, bin, some, &state->heavy);
        count_bins(block, args, counters, counters_kind, bin, some, &state->heavy);
      }
    }
  }
}

IW_FN void FN(count_span)(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters,
                          int counters_kind, uint64_t at, uint64_t end, unsigned warp,
                          FN(agent_state) *state)
{
  const uint64_t step = block->warps * IW_ROW(T);
  const int vectorized = (BYTES || args->binning.mode == IW_BINNING_GUESS || args->binning.cells)
    && iw_row_can_vectorize(args->samples);
  const uint64_t whole = vectorized && at < end ? at + (end - at) / step * step : at;
  if (!BYTES && args->binning.mode == IW_BINNING_SEARCH)
    FN(count_whole_rows_by_cells)(block, args, counters, counters_kind, at, whole, warp, state);
  else FN(count_whole_rows)(block, args, counters, counters_kind, at, whole, warp, state);
  FN(count_partial_rows)(block, args, counters, counters_kind, whole, end, warp, state);
}

/* Resolves the samples that are still deferred when the span ends. */
IW_FN void FN(finish_warp)(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters,
                           int counters_kind, FN(agent_state) *state)
{
  const iw_binning rule = args->binning;
  if (!BYTES && iw_any(state->has_deferred)) {
    if (counters_kind == COUNTERS_16) FN(count_deferred)(block, args, &rule, counters, COUNTERS_16, state);
    else if (counters_kind == COUNTERS_32)
      FN(count_deferred)(block, args, &rule, counters, COUNTERS_32, state);
    else FN(count_deferred)(block, args, &rule, counters, COUNTERS_CLAIMED, state);
  }
  if (counters_kind == COUNTERS_16) flush_heavy_hitter(block, args, &state->heavy);
}

/* Blocks that count bytes may be smaller: byte_threads() of schedule.c. */
IW_KERNEL_OVERLAPPED(FN(histogram_rows), rows_shared, iw_histogram_rows_args, BYTES ? 0 : HISTOGRAM_WARPS * 32,
                     HISTOGRAM_BLOCKS)
{
  const int counters_16 = !BYTES && args->counters_16, in_shared = BYTES || args->in_shared;
  const int counters_kind = counters_16 ? COUNTERS_16 : in_shared ? COUNTERS_32 : COUNTERS_CLAIMED;
  const uint64_t words = BYTES ? byte_counters(args) + IW_BYTE_SHARED_BINS
    : !in_shared ? 2 * (uint64_t)args->claimable + 1
    : counters_16 ? IW_COUNTERS_16_WORDS(args->entries) : (uint64_t)args->entries + 1;
  const uint64_t first = block->index * args->span;
  const uint64_t end = first + args->span < args->n ? first + args->span : args->n;
  uint32_t *const counters = shared->counters;
  IW_VAR(FN(agent_state), state);
  IW_VAR(iw_u32, bins_of_bytes); /* of the 32 bytes that warp w adds up, from 32 * w on */
  const int overlaps = args->overlaps && counters_kind == COUNTERS_32;
  if (!overlaps) iw_wait_for_previous_launch();
  IW_PHASE(warp) {
    clear_words(counters, words, warp, block->warps);
    if (args->tables_at) FN(copy_tables)(block, args, counters, warp);
    memset(&IW_MY(state), 0, sizeof IW_MY(state));
    IW_MY(state).heavy.bin = UINT32_MAX;
    if (BYTES) IW_MY(bins_of_bytes) = load_bins_of_bytes(args, warp * IW_WARP_SIZE);
  }
  if (counters_16) {
    /* A chunk is so short that no counter overflows in it: a counter is at most SPILL_THRESHOLD when the
     * chunk begins, and may also count a deferred sample of each lane. */
    const uint64_t unit = SHARED_ATOMICS_ROWS_COMPACT * block->warps * IW_ROW(T);
    const uint64_t chunk = (65536 - SPILL_THRESHOLD - block->warps * IW_WARP_SIZE) / unit * unit;
    for (uint64_t at = first; at < end; at += chunk) {
      const uint64_t stop = at + chunk < end ? at + chunk : end;
      IW_PHASE(warp) { FN(count_span)(block, args, counters, COUNTERS_16, at, stop, warp, &IW_MY(state)); }
      if (stop < end) { IW_PHASE(warp) { spill_counters_16(block, args, counters, words, warp); } }
    }
  } else {
    IW_PHASE(warp) {
      if (in_shared) FN(count_span)(block, args, counters, COUNTERS_32, first, end, warp, &IW_MY(state));
      else FN(count_span)(block, args, counters, COUNTERS_CLAIMED, first, end, warp, &IW_MY(state));
    }
  }
  IW_PHASE(warp) { FN(finish_warp)(block, args, counters, counters_kind, &IW_MY(state)); }
  if (overlaps) iw_wait_for_previous_launch();
  if (BYTES) { IW_PHASE(warp) { reduce_byte_tables(block, args, counters, IW_MY(bins_of_bytes), warp); } }
  IW_PHASE(warp) {
    const uint32_t byte_bins = args->entries <= IW_BYTE_SHARED_BINS ? args->entries : 0;
    const uint64_t n = BYTES ? byte_bins : counters_kind == COUNTERS_CLAIMED ? args->claimable
        : args->entries;
    flush_counters(block, args, counters + (BYTES ? byte_counters(args) : 0), counters_kind, n, warp);
  }
}

#undef ROWS_IN_FLIGHT
#undef FN
