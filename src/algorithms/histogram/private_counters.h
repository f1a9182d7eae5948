/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule "private SIMD counters" of kernel histogram_rows_T, for CPUs. Kernel template, compiled once per
 * T. Knows the bin decision (bin_index.h) and the language's iw_private_histogram; knows neither how that
 * counts nor the host's plan.
 *
 * In the words of CUB's agent_histogram: privatised counters per block, in several copies ("tables") so that
 * equal bins in a row are rarely the same counter, but
 *   - a block is one thread with one warp; a warp's private histogram replaces atomics on shared memory. It
 *     counts a row (16 bytes a lane, of 8-byte samples 32) at a time with whatever the processor does fastest
 *     (language/cpu/private_histogram.h);
 *   - the bins of a row are speculative: floor(guess) for all samples, then one test whether all were
 *     unambiguous. If not, all samples of the row are compared with edges. From the second failure in a row
 *     on the speculation is left out for 1, 3, 7, … rows;
 *   - a row that waits is counted between the vectors of the next one: additions to memory and arithmetic
 *     overlap;
 *   - blocks store their counters as copies that a second launch adds up (write_counts.h), instead of adding
 *     them to global memory with atomics. If copies for all blocks would be too large, the samples are
 *     counted by global_atomics.h.
 * Bytes are counted by value in 256 counters, and the bin of each value is looked up when the block is done.
 *
 * Needs bin_index.h of the same T in front.
 */
#include "algorithms/histogram/global_atomics.h"
#include "algorithms/histogram/tuning_cpu.h"

#define FN(name) IW_JOIN(name, T)
/* Vectors of samples that are counted together: those of a row, but of 8-byte samples those of two rows, so
 * that 128 samples or more share the cost of a row. */
#define ROW_VECTORS (SAMPLE_VECTORS < 4 ? 4 : SAMPLE_VECTORS)

#ifndef IW_HISTOGRAM_PRIVATE_COUNTERS_H
#define IW_HISTOGRAM_PRIVATE_COUNTERS_H

typedef struct rows_shared { uint32_t counters[IW_SHARED_COUNTERS]; } rows_shared;

/* Which rows are speculative, and what computing even edges needs. */
typedef struct speculation {
  uint32_t skip;      /* rows that are left, for which the bins are not guessed */
  uint32_t next_skip; /* `skip` after the next failure: doubled (plus 1) by each one, 0 after a success */
  iw_edges_f32 f32;
  iw_edges_f64 f64;
} speculation;

IW_FN void clear_tables(uint32_t *counters, uint64_t n, unsigned warp, unsigned warps)
{
  for (uint64_t i = warp * IW_WARP_SIZE; i < n; i += warps * IW_WARP_SIZE)
    iw_store(counters + i, iw_splat(0u), iw_lanes_below((int64_t)(n - i)));
}

/* Counts the row whose bin indices were set. Out of line: its code is long, and depends on the number of
 * vectors alone, so that sample types share it. */
IW_NOINLINE_FN void add_row_4(iw_private_histogram *mine, int in_bins)
{
  iw_private_histogram_add_row(mine, 4, in_bins);
}
IW_NOINLINE_FN void add_row_8(iw_private_histogram *mine, int in_bins)
{
  iw_private_histogram_add_row(mine, 8, in_bins);
}

/* The samples of a row of bytes are its indices. Other rows have a function only because `if (BYTES)` names
 * it. */
IW_FN void add_byte_row_u8(iw_private_histogram *mine, iw_row_u8 row)
{
  iw_private_histogram_add_row_u8(mine, row);
}
#define NO_BYTE_ROW(t) \
IW_FN void add_byte_row_##t(iw_private_histogram *mine, iw_row_##t row) { (void)mine; (void)row; }
NO_BYTE_ROW(u16) NO_BYTE_ROW(i16) NO_BYTE_ROW(f16) NO_BYTE_ROW(bf16) NO_BYTE_ROW(i32)
NO_BYTE_ROW(u32) NO_BYTE_ROW(i64) NO_BYTE_ROW(u64) NO_BYTE_ROW(f32) NO_BYTE_ROW(f64)
#undef NO_BYTE_ROW
#endif

/* Sets a vector of the row's bin indices by guesses alone. */
IW_FN void FN(set_speculative_bins_of)(iw_private_histogram *mine, const iw_binning *rule, const SCALAR *samples, int v,
                                       IW_PASTE(iw_floors_, GUESS) *guesses)
{
  samples += v * IW_WARP_SIZE;
  iw_prefetch((const char *)samples + IW_PREFETCH_DISTANCE, IW_WARP_SIZE * sizeof *samples);
  iw_private_histogram_set_vector(
      mine, v, FN(bin_speculative)(rule, FN(iw_load)(samples, iw_lanes_below(IW_WARP_SIZE)), guesses));
}

/* Those of a row, where a vector of the row before may wait to be counted behind each. Returns whether all
 * are right, that is unambiguous and in range. */
IW_FN int FN(set_speculative_bins)(iw_private_histogram *mine, const iw_binning *rule, const SCALAR *samples)
{
  IW_PASTE(iw_floors_, GUESS) guesses;
  IW_PASTE(iw_floors_open_, GUESS)(&guesses);
  if (iw_private_histogram_waits(mine))
    for (int v = 0; v < ROW_VECTORS; v++) {
      FN(set_speculative_bins_of)(mine, rule, samples, v, &guesses);
      iw_private_histogram_count_waiting(mine);
    }
  else
    IW_UNROLL for (int v = 0; v < ROW_VECTORS; v++) FN(set_speculative_bins_of)(mine, rule, samples, v, &guesses);
  return IW_PASTE(iw_floors_unambiguous_, GUESS)(&guesses, rule->bins, (GUESS_SCALAR)rule->tau);
}

/* Sets the row's bin indices by comparison with computed edges. Out of line, like set_exact_bins(): inside
 * of the loop over rows it takes registers from the speculation. Returns whether all samples are in range. */
IW_NOINLINE_FN int FN(set_bins_by_even_edges)(iw_private_histogram *mine, const iw_binning *rule,
                                              const speculation *state, const SCALAR *samples)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  iw_u32 bins[ROW_VECTORS], largest = iw_splat(0u);
  IW_UNROLL for (int v = 0; v < ROW_VECTORS; v++) {
    bins[v] = FN(bin_by_even_edge)(rule, &state->GUESS, FN(iw_load)(samples + v * IW_WARP_SIZE, all));
    largest = iw_max_u32(largest, bins[v]);
  }
  const int in_bins = iw_all(iw_lt(largest, iw_splat(rule->bins)));
  if (!in_bins) { /* an outlier, or a sample of the last bin whose nearest edge is its upper one */
    for (int v = 0; v < ROW_VECTORS; v++)
      bins[v] = FN(bin_or_outlier)(rule, FN(iw_load)(samples + v * IW_WARP_SIZE, all),
                                   iw_min_u32(bins[v], iw_splat(rule->bins - 1)));
  }
  IW_UNROLL for (int v = 0; v < ROW_VECTORS; v++) iw_private_histogram_set_vector(mine, v, bins[v]);
  return in_bins;
}

/* Sets the row's bin indices for any samples and edges. The loops are not unrolled, because their bodies
 * are long. */
IW_NOINLINE_FN void FN(set_exact_bins)(iw_private_histogram *mine, const iw_binning *rule, const SCALAR *samples)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  if (rule->mode == IW_BINNING_SEARCH) {
    for (int v = 0; v < ROW_VECTORS; v++)
      iw_private_histogram_set_vector(mine, v, FN(bin_index)(rule, FN(iw_load)(samples + v * IW_WARP_SIZE, all), all));
    return;
  }
  for (int v = 0; v < ROW_VECTORS; v++)
    iw_private_histogram_set_vector(
        mine, v, FN(bin_by_guess_and_edge)(rule, FN(iw_load)(samples + v * IW_WARP_SIZE, all), all));
}

/* Counts the row at `samples`, which is loaded vector by vector, and once more if the speculation fails: a
 * row that is kept for that would be copied to the stack. */
IW_FN void FN(add_row)(iw_private_histogram *mine, const iw_binning *rule, const SCALAR *samples,
                       speculation *state)
{
  int in_bins = 0;
  if (state->skip) state->skip--;
  else {
    in_bins = FN(set_speculative_bins)(mine, rule, samples);
    if (!in_bins) state->skip = state->next_skip;
    if (in_bins) state->next_skip = 0;
    else if (state->next_skip < HISTOGRAM_MAX_BACKOFF) state->next_skip = 2 * state->next_skip + 1;
  }
  if (!in_bins) {
    if (EVEN && rule->even > 1 && rule->mode == IW_BINNING_GUESS) in_bins = FN(set_bins_by_even_edges)(mine, rule, state, samples);
    else FN(set_exact_bins)(mine, rule, samples);
  }
  if (ROW_VECTORS == 4) add_row_4(mine, in_bins);
  else add_row_8(mine, in_bins);
}

/* Counts the whole rows of a warp's samples, those from `at` to `end`; returns where the last partial row
 * begins. */
IW_FN uint64_t FN(count_whole_rows)(const iw_block *block, const iw_histogram_rows_args *args,
                                    uint32_t *counters, uint32_t table_size, uint64_t at, uint64_t end)
{
  const iw_binning rule = args->binning;
  const SCALAR *const samples = (const SCALAR *)args->samples;
  iw_private_histogram mine;
  /* Speculate if less than a quarter of the rows are expected to have an ambiguous sample. */
  enum { ROW = ROW_VECTORS * IW_WARP_SIZE };
  speculation state = { .skip = rule.mode == IW_BINNING_GUESS && rule.tau * (2 * ROW) < 0.25 ? 0 : UINT32_MAX };
  iw_edges_open_f32(&state.f32, rule.bins, rule.first, rule.step);
  iw_edges_open_f64(&state.f64, rule.bins, rule.first, rule.step);
  iw_private_histogram_begin(&mine, counters, table_size, args->tables, BYTES ? rule.map : NULL, end - at,
                             args->heavy_hitters != 0);
  for (; at + ROW <= end; at += ROW) {
    if (BYTES) FN(add_byte_row)(&mine, FN(iw_row_wait)(ISSUE_ROW(samples + at, IW_ROW(T))));
    else FN(add_row)(&mine, &rule, samples + at, &state);
  }
  iw_private_histogram_end(&mine);
  return at;
}

/* Counts any samples in the tables; lane l uses table l % tables. */
IW_FN void FN(count_partial_rows)(const iw_block *block, const iw_histogram_rows_args *args,
                                  uint32_t *counters, uint32_t table_size, uint64_t at, uint64_t end)
{
  const iw_binning rule = args->binning;
  const iw_u32 table = iw_mul(iw_and(iw_lane(), iw_splat(args->tables - 1)), iw_splat(table_size));
  for (; at < end; at += IW_ROW(T)) {
    const int64_t valid = (int64_t)(end - at);
    const SAMPLE_ROW row = FN(iw_row_wait)(ISSUE_ROW((const SCALAR *)args->samples + at, valid));
    for (int v = 0; v < SAMPLE_VECTORS; v++) {
      const iw_pred some = FN(iw_row_valid)(v, valid);
      const SAMPLE_LANES x = FN(iw_row_vector)(row, v);
      iw_count(counters, iw_add_u32(table, BYTES ? iw_to_u32(x) : FN(bin_index)(&rule, x, some)), some);
    }
  }
}

/* Adds up the tables of a block's shared memory, for a warp's part of the counters: to the block's copy, or
 * to the counters of all blocks if there are no copies. */
IW_FN void FN(add_up_tables)(const iw_block *block, const iw_histogram_rows_args *args,
                             const uint32_t *counters, uint32_t table_size, uint32_t *copy, unsigned warp)
{
  for (uint64_t i = warp * IW_WARP_SIZE; i < table_size; i += block->warps * IW_WARP_SIZE) {
    const iw_pred valid = iw_lanes_below((int64_t)(table_size - i));
    iw_u32 sum = iw_splat(0u);
    for (uint32_t t = 0; t < args->tables; t++)
      sum = iw_add(sum, iw_load_u32(counters + t * table_size + i, valid));
    const iw_u32 index = iw_add_u32(iw_lane(), iw_splat((uint32_t)i));
    const iw_u32 bin = BYTES ? iw_load(args->binning.map + i, valid) : index;
    const iw_pred counted = iw_and_pred(valid, iw_gt(sum, iw_splat(0u)));
    if (!copy) iw_global_add(args->counts, bin, iw_to_u64(sum), counted);
    else if (BYTES) iw_global_add(copy, bin, sum, valid);
    else iw_store(copy + i, sum, valid);
  }
}

IW_KERNEL_NO_SPECIALIZATION(FN(histogram_rows), rows_shared, iw_histogram_rows_args, HISTOGRAM_WARPS * 32,
                            HISTOGRAM_BLOCKS)
{
  const uint32_t table_size = BYTES ? 256 : args->entries;
  const int in_shared = args->in_shared != 0, privatised = args->copies || in_shared;
  const uint64_t first_copy = block->index * (in_shared ? 1 : args->tables);
  uint32_t *const copy = args->copies ? args->copies + first_copy * args->entries : NULL;
  uint32_t *const counters = in_shared ? shared->counters : copy;
  IW_PHASE(warp) {
    if (privatised) clear_tables(counters, (uint64_t)table_size * args->tables, warp, block->warps);
    if (copy && BYTES) clear_tables(copy, args->entries, warp, block->warps);
  }
  IW_PHASE(warp) {
    const uint64_t warp_span = args->span / block->warps;
    const uint64_t first = block->index * args->span + warp * warp_span;
    const uint64_t end = first + warp_span < args->n ? first + warp_span : args->n;
    if (privatised) {
      uint64_t at = first;
      if (BYTES || args->binning.mode == IW_BINNING_GUESS || args->binning.cells)
        at = FN(count_whole_rows)(block, args, counters, table_size, at, end);
      FN(count_partial_rows)(block, args, counters, table_size, at, end);
    } else FN(count_in_global)(block, args, first, end);
  }
  IW_PHASE(warp) {
    if (in_shared) FN(add_up_tables)(block, args, counters, table_size, copy, warp);
  }
}

#undef ROW_VECTORS
#undef FN
