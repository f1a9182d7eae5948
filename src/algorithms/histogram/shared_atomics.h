/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting whole rows where adding to one place from many blocks is cheap: a block has one table of counters (bytes: one for
 * each lane), adds them to those of all, and the last block writes the caller's. Compiled once per T.
 *
 * A sample whose guess is far from all edges is counted at once. Others wait, one a lane, until a lane has two: then all that
 * wait are compared with their edges, so that a warp rarely does that for one lane alone. Where many are near edges, all are
 * compared.
 */
#ifndef IW_KERNELS_MERGED_H
#define IW_KERNELS_MERGED_H
#include "algorithms/histogram/write_counts.h"

typedef iw_u32 lanes_u8; typedef iw_u32 lanes_u16;
#define LANES_OF(t) typedef iw_##t lanes_##t;
LANES_OF(i32) LANES_OF(u32) LANES_OF(i64) LANES_OF(u64) LANES_OF(f32) LANES_OF(f64)
/* Bytes need no guess: a table of them all says which bin they are in, at the end. */
IW_FN iw_pred bin_if_unambiguous_u8(const iw_binning *rule, iw_u32 x, iw_u32 *bin) { (void)rule; *bin = x; return iw_lanes_below(0); }
IW_FN iw_pred bin_if_unambiguous_u16(const iw_binning *rule, iw_u32 x, iw_u32 *bin) { return bin_if_unambiguous_i32(rule, iw_to_i32(x), bin); }
IW_FN iw_u32 bin_by_nearest_edge_u8(const iw_binning *rule, iw_u32 x, iw_pred some, int computed)
{ (void)rule; (void)some; (void)computed; return x; }
IW_FN iw_u32 bin_by_nearest_edge_u16(const iw_binning *rule, iw_u32 x, iw_pred some, int computed)
{ return bin_by_nearest_edge_i32(rule, iw_to_i32(x), some, computed); }

/* A byte_index's counter is its own; the bin is looked up at the end. */
#define BYTE_INDEX(t) IW_FN iw_u32 byte_index_##t(lanes_##t x) { (void)x; return iw_splat(0u); }
IW_FN iw_u32 byte_index_u8(iw_u32 x) { return x; }
BYTE_INDEX(u16) BYTE_INDEX(i32) BYTE_INDEX(u32) BYTE_INDEX(i64) BYTE_INDEX(u64) BYTE_INDEX(f32) BYTE_INDEX(f64)
enum { BYTE_TABLES = IW_WARP_SIZE, BYTE_COUNTERS = 256 * BYTE_TABLES };

/* Where a block counts: in counters of 32 bits, or of 16, two a word, or for the bins that came first in its own and for the
 * others in those of all. */
enum { COUNTERS_32, COUNTERS_16, COUNTERS_CLAIMED };
typedef struct rows_shared { uint32_t counters[IW_SHARED_ATOMICS_WORDS]; } rows_shared;

/* A bin that many lanes have at once is counted in registers: adding to 16 bits takes such lanes one after the other. */
typedef struct heavy_hitter { uint32_t bin; iw_u32 run; } heavy_hitter;

IW_FN void flush_heavy_hitter(const iw_block *block, const iw_histogram_rows_args *args, heavy_hitter *heavy)
{
  const uint32_t all = iw_warp_sum(heavy->run);
  iw_global_add_noreturn(args->counts, iw_splat(heavy->bin), iw_splat((uint64_t)all), iw_lanes_below(all > 0));
  heavy->run = iw_splat(0u);
}

/* Whether that bin is now another one. */
IW_FN void update_heavy_hitter(const iw_block *block, const iw_histogram_rows_args *args, iw_u32 bin, iw_pred some, heavy_hitter *heavy)
{
  const uint32_t first = iw_at(bin, 0);
  if (first != heavy->bin && iw_popcount_of(iw_and_pred(some, iw_eq(bin, iw_splat(first)))) >= SHARED_ATOMICS_HEAVY_LANES) {
    flush_heavy_hitter(block, args, heavy);
    heavy->bin = first;
  }
}

/* Counters of all, but for a bin that was the first with its place in the block's table, whose counter is there. */
IW_FN void count_claimed(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters, iw_u32 bin, iw_pred some)
{
  const iw_u32 own = iw_add(bin, iw_splat(1u)), place = iw_and(bin, iw_splat(args->claimable - 1)), none = iw_splat(0u);
  uint32_t *const owners = counters + args->claimable + 1;
  iw_u32 owner = iw_gather(owners, place, some);
  const iw_pred free = iw_and_pred(some, iw_eq(owner, none));
  if (iw_any(free)) {
    const iw_u32 was = iw_shared_compare_exchange(owners, place, none, own, free);
    owner = iw_select(free, iw_select(iw_eq(was, none), own, was), owner);
  }
  const iw_pred first = iw_and_pred(some, iw_eq(owner, own));
  iw_count(counters, iw_select(first, place, iw_splat(args->claimable)), iw_lanes_below(IW_WARP_SIZE));
  iw_global_add_noreturn(args->counts, bin, iw_splat((uint64_t)1), iw_and_pred(some, iw_ne(owner, own)));
}

IW_FN void count_bins(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters, int counters_kind, iw_u32 bin, iw_pred some,
                      heavy_hitter *heavy)
{
  if (counters_kind == COUNTERS_CLAIMED) count_claimed(block, args, counters, bin, some);
  else if (counters_kind == COUNTERS_32) /* a counter for what is not counted costs less than a branch */
    iw_count(counters, iw_select(some, bin, iw_splat(args->entries)), iw_lanes_below(IW_WARP_SIZE));
  else {
    const iw_pred is_heavy = iw_and_pred(some, iw_eq(bin, iw_splat(heavy->bin)));
    heavy->run = iw_add(heavy->run, iw_select(is_heavy, iw_splat(1u), iw_splat(0u)));
    iw_count_u16(counters, bin, iw_and_pred(some, iw_ne(bin, iw_splat(heavy->bin))));
  }
}

IW_FN void clear_words(uint32_t *words, uint64_t n, unsigned warp, unsigned warps)
{
  for (uint64_t i = warp * IW_WARP_SIZE; i < n; i += warps * IW_WARP_SIZE)
    iw_store(words + i, iw_splat(0u), iw_lanes_below((int64_t)(n - i)));
}

enum { SPILL_THRESHOLD = 8192 };
/* Halves that have come far, and their neighbours, go to the counters of all. */
IW_FN void spill_counters_16(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *words, uint64_t n, unsigned warp)
{
  for (uint64_t i = warp * IW_ROW(u32); i < n; i += block->warps * IW_ROW(u32)) {
    const iw_row_u32 row = iw_row_load_shared_u32(words + i);
    iw_u32 any = iw_splat(0u);
    IW_EACH_VECTOR(u32, v) any = iw_or(any, iw_row_vector_u32(row, v));
    if (iw_any(iw_ne(iw_and(any, iw_splat((0x10000u - SPILL_THRESHOLD) * 0x10001u)), iw_splat(0u))))
      for (uint64_t w = i; w < i + IW_ROW(u32); w += IW_WARP_SIZE) {
        const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
        const iw_u32 word = iw_load(words + w, all), entry = iw_add(iw_splat((uint32_t)w * 2), iw_mul(iw_lane(), iw_splat(2u)));
        const iw_u32 low = iw_and(word, iw_splat(0xffffu)), high = iw_shr(word, iw_splat(16u));
        iw_global_add_noreturn(args->counts, entry, iw_to_u64(low), iw_gt(low, iw_splat(0u)));
        iw_global_add_noreturn(args->counts, iw_add(entry, iw_splat(1u)), iw_to_u64(high), iw_gt(high, iw_splat(0u)));
        iw_store(words + w, iw_splat(0u), all);
      }
  }
}

/* Bytes' tables are added up, and bytes of one bin, so that blocks seldom meet there. */
IW_FN void reduce_byte_tables(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters, unsigned warp)
{
  for (uint32_t i = warp * IW_WARP_SIZE; i < 256; i += block->warps * IW_WARP_SIZE) {
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    const iw_u32 first = iw_mul(iw_add(iw_lane(), iw_splat(i)), iw_splat(1u * BYTE_TABLES));
    iw_u32 sum = iw_splat(0u);
    IW_UNROLL for (uint32_t t = 0; t < BYTE_TABLES; t++) { /* each lane begins at another table: these are banks too */
      const iw_u32 of = iw_and_u32(iw_add_u32(iw_lane(), iw_splat(t)), iw_splat(BYTE_TABLES - 1u));
      sum = iw_add(sum, iw_gather(counters, iw_add_u32(first, of), all));
    }
    const iw_u32 number = iw_load(args->binning.map + i, all);
    const iw_pred some = iw_gt(sum, iw_splat(0u));
    if (args->entries <= IW_BYTE_SHARED_BINS) (void)iw_shared_add(counters + BYTE_COUNTERS, number, sum, some);
    else iw_global_add_noreturn(args->counts, number, iw_to_u64(sum), some);
  }
}
#endif

#undef ROWS_IN_FLIGHT
#define ROWS_IN_FLIGHT SHARED_ATOMICS_ROWS((int)sizeof(SCALAR))

/* What a warp takes along. */
typedef struct OF_T(agent_state) { OF_T(lanes) deferred; iw_pred has_deferred; heavy_hitter heavy; } OF_T(agent_state);

IW_FN void OF_T(count_by_nearest_edge)(const iw_block *block, const iw_histogram_rows_args *args, const iw_binning *rule, uint32_t *counters,
                               int counters_kind, OF_T(lanes) x, iw_pred some, OF_T(agent_state) *state, int computed)
{
  const iw_u32 bin = OF_T(bin_by_nearest_edge)(rule, x, some, computed);
  if (counters_kind == COUNTERS_16) update_heavy_hitter(block, args, bin, some, &state->heavy);
  count_bins(block, args, counters, counters_kind, bin, some, &state->heavy);
}

IW_FN void OF_T(count_deferred)(const iw_block *block, const iw_histogram_rows_args *args, const iw_binning *rule, uint32_t *counters,
                               int counters_kind, OF_T(agent_state) *state)
{
  OF_T(count_by_nearest_edge)(block, args, rule, counters, counters_kind, state->deferred, state->has_deferred, state, 0);
  state->has_deferred = iw_lanes_below(0);
}

/* Whole rows: one of bytes, one all of whose samples are compared with edges, … */
IW_FN void OF_T(count_bytes)(const iw_block *block, uint32_t *counters, IW_PASTE(iw_row_, T) row)
{
  IW_EACH_VECTOR(T, v) iw_count_per_lane(counters, OF_T(byte_index)(OF_T(iw_row_vector)(row, v)), iw_lanes_below(IW_WARP_SIZE));
}

IW_FN void OF_T(count_row_by_nearest_edge)(const iw_block *block, const iw_histogram_rows_args *args, const iw_binning *rule, uint32_t *counters,
                                    int counters_kind, IW_PASTE(iw_row_, T) row, OF_T(agent_state) *state)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  IW_EACH_VECTOR(T, v) OF_T(count_by_nearest_edge)(block, args, rule, counters, counters_kind, OF_T(iw_row_vector)(row, v), all, state, 1);
}

/* … and one that counts the samples of which it is sure. Returns whether many were near edges, which may be asked of the first. */
IW_FN int OF_T(count_row)(const iw_block *block, const iw_histogram_rows_args *args, const iw_binning *rule, uint32_t *counters, int counters_kind,
                          IW_PASTE(iw_row_, T) row, OF_T(agent_state) *state, int first)
{
  iw_pred ambiguous[16 / sizeof(SCALAR)], some = iw_lanes_below(0);
  IW_EACH_VECTOR(T, v) {
    iw_u32 bin;
    const iw_pred unambiguous = OF_T(bin_if_unambiguous)(rule, OF_T(iw_row_vector)(row, v), &bin);
    if (counters_kind == COUNTERS_16 && first && v == 0) update_heavy_hitter(block, args, bin, unambiguous, &state->heavy);
    count_bins(block, args, counters, counters_kind, bin, unambiguous, &state->heavy);
    ambiguous[v] = iw_not_pred(unambiguous);
    some = iw_or_pred(some, ambiguous[v]);
  }
  if (!iw_any(some)) return 0;
  if (first && iw_popcount_of(some) >= SHARED_ATOMICS_AMBIGUOUS_LANES) {
    IW_EACH_VECTOR(T, v)
      OF_T(count_by_nearest_edge)(block, args, rule, counters, counters_kind, OF_T(iw_row_vector)(row, v), ambiguous[v], state, 1);
    return 1;
  }
  IW_EACH_VECTOR(T, v) {
    if (iw_any(iw_and_pred(ambiguous[v], state->has_deferred))) OF_T(count_deferred)(block, args, rule, counters, counters_kind, state);
    state->deferred = iw_select(ambiguous[v], OF_T(iw_row_vector)(row, v), state->deferred);
    state->has_deferred = iw_or_pred(ambiguous[v], state->has_deferred);
  }
  return 0;
}

/* Rows of the block that are whole, from `at` up to `end`. */
IW_FN void OF_T(count_whole_rows)(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters, int counters_kind, uint64_t at,
                            uint64_t end, unsigned warp, OF_T(agent_state) *state)
{
  const iw_binning rule = args->binning;
  const uint64_t step = block->warps * IW_ROW(T);
  const SCALAR *const samples = (const SCALAR *)args->samples + warp * IW_ROW(T);
  const int rows = counters_kind == COUNTERS_32 ? ROWS_IN_FLIGHT : SHARED_ATOMICS_ROWS_COMPACT;
  for (; at < end; at += (unsigned)rows * step) {
    IW_PASTE(IW_PASTE(iw_row_, T), _pending) pending[ROWS_IN_FLIGHT];
    const int left = end - at >= (unsigned)rows * step ? rows : (int)((end - at) / step);
    IW_UNROLL_ROWS for (int k = 0; k < rows; k++)
      if (k == 0 || k < left) pending[k] = OF_T(issue_load)(samples + at + k * step, IW_FULL_ROW);
    if (OF_T(BYTE_VALUES)) {
      IW_UNROLL_ROWS for (int k = 0; k < rows; k++)
        if (k == 0 || k < left) OF_T(count_bytes)(block, counters, OF_T(iw_row_wait)(pending[k]));
    } else if (OF_T(count_row)(block, args, &rule, counters, counters_kind, OF_T(iw_row_wait)(pending[0]), state, 1)) {
      IW_UNROLL_ROWS for (int k = 1; k < rows; k++)
        if (k < left) OF_T(count_row_by_nearest_edge)(block, args, &rule, counters, counters_kind, OF_T(iw_row_wait)(pending[k]), state);
    } else {
      IW_UNROLL_ROWS for (int k = 1; k < rows; k++)
        if (k < left) OF_T(count_row)(block, args, &rule, counters, counters_kind, OF_T(iw_row_wait)(pending[k]), state, 0);
    }
  }
}

/* The others, of which some may be missing. */
IW_FN void OF_T(count_partial_rows)(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters, int counters_kind, uint64_t at,
                            uint64_t end, unsigned warp, OF_T(agent_state) *state)
{
  const iw_binning rule = args->binning;
  for (at += warp * IW_ROW(T); at < end; at += block->warps * IW_ROW(T)) {
    const int64_t valid = (int64_t)(end - at);
    const IW_PASTE(iw_row_, T) row = OF_T(iw_row_wait)(OF_T(issue_load)((const SCALAR *)args->samples + at, valid));
    IW_EACH_VECTOR(T, v) {
      const iw_pred some = OF_T(iw_row_valid)(v, valid);
      const OF_T(lanes) x = OF_T(iw_row_vector)(row, v);
      if (OF_T(BYTE_VALUES)) iw_count_per_lane(counters, OF_T(byte_index)(x), some);
      else {
        const iw_u32 bin = OF_T(bin_index)(&rule, x, some);
        if (counters_kind == COUNTERS_16) update_heavy_hitter(block, args, bin, some, &state->heavy);
        count_bins(block, args, counters, counters_kind, bin, some, &state->heavy);
      }
    }
  }
}

/* From `at` up to `end`. */
IW_FN void OF_T(count_span)(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters, int counters_kind, uint64_t at,
                            uint64_t end, unsigned warp, OF_T(agent_state) *state)
{
  const uint64_t step = block->warps * IW_ROW(T);
  const int fits = (OF_T(BYTE_VALUES) || args->binning.mode == IW_BINNING_GUESS) && iw_row_can_vectorize(args->samples);
  const uint64_t whole = fits && at < end ? at + (end - at) / step * step : at;
  OF_T(count_whole_rows)(block, args, counters, counters_kind, at, whole, warp, state);
  OF_T(count_partial_rows)(block, args, counters, counters_kind, whole, end, warp, state);
}

IW_KERNEL_NO_SPECIALIZATION(OF_T(histogram_rows), rows_shared, iw_histogram_rows_args, HISTOGRAM_WARPS * 32, HISTOGRAM_BLOCKS)
{
  const uint32_t own = OF_T(BYTE_VALUES) ? BYTE_COUNTERS + IW_BYTE_SHARED_BINS : args->entries;
  const int in_shared = OF_T(BYTE_VALUES) || args->in_shared, counters_16 = !OF_T(BYTE_VALUES) && args->counters_16;
  const int counters_kind = counters_16 ? COUNTERS_16 : in_shared ? COUNTERS_32 : COUNTERS_CLAIMED;
  const uint64_t words = !in_shared ? 2 * (uint64_t)args->claimable + 1 : counters_16 ? IW_COUNTERS_16_WORDS(own) : own + !OF_T(BYTE_VALUES);
  const uint64_t first = block->index * args->span, end = first + args->span < args->n ? first + args->span : args->n;
  uint32_t *const counters = shared->counters;
  IW_VAR(OF_T(agent_state), state);
  IW_PHASE(warp) {
    clear_words(counters, words, warp, block->warps);
    memset(&IW_MY(state), 0, sizeof IW_MY(state));
    IW_MY(state).heavy.bin = UINT32_MAX;
  }
  if (counters_16) { /* looked at so often that none can overflow: SPILL_THRESHOLD, and all that is counted, or has_deferred, until then */
    const uint64_t piece = SHARED_ATOMICS_ROWS_COMPACT * block->warps * IW_ROW(T), most = 65536 - SPILL_THRESHOLD - block->warps * IW_WARP_SIZE;
    const uint64_t chunk = most / piece * piece;
    for (uint64_t at = first; at < end; at += chunk) {
      const uint64_t stop = at + chunk < end ? at + chunk : end;
      IW_PHASE(warp) { OF_T(count_span)(block, args, counters, COUNTERS_16, at, stop, warp, &IW_MY(state)); }
      if (stop < end) { IW_PHASE(warp) { spill_counters_16(block, args, counters, words, warp); } }
    }
  } else {
    IW_PHASE(warp) {
      if (in_shared) OF_T(count_span)(block, args, counters, COUNTERS_32, first, end, warp, &IW_MY(state));
      else OF_T(count_span)(block, args, counters, COUNTERS_CLAIMED, first, end, warp, &IW_MY(state));
    }
  }
  IW_PHASE(warp) { /* deferred samples are the last to be counted */
    const iw_binning rule = args->binning;
    OF_T(agent_state) *const mine = &IW_MY(state);
    if (!OF_T(BYTE_VALUES) && iw_any(mine->has_deferred)) {
      if (counters_16) OF_T(count_deferred)(block, args, &rule, counters, COUNTERS_16, mine);
      else if (in_shared) OF_T(count_deferred)(block, args, &rule, counters, COUNTERS_32, mine);
      else OF_T(count_deferred)(block, args, &rule, counters, COUNTERS_CLAIMED, mine);
    }
    if (counters_16) flush_heavy_hitter(block, args, &mine->heavy);
  }
  if (OF_T(BYTE_VALUES)) { IW_PHASE(warp) { reduce_byte_tables(block, args, counters, warp); } }
  IW_PHASE(warp) {
    const uint32_t in_bins = args->entries <= IW_BYTE_SHARED_BINS ? args->entries : 0;
    const uint64_t merged = counters_kind == COUNTERS_CLAIMED ? args->claimable : OF_T(BYTE_VALUES) ? in_bins : own;
    for (uint64_t i = warp * IW_WARP_SIZE; i < merged; i += block->warps * IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(merged - i));
      iw_u32 number = iw_add(iw_lane(), iw_splat((uint32_t)i)), sum = iw_splat(0u);
      if (counters_16) {
        const iw_u32 word = iw_gather(counters, iw_shr(number, iw_splat(1u)), some);
        sum = iw_and(iw_shr(word, iw_mul(iw_and(number, iw_splat(1u)), iw_splat(16u))), iw_splat(0xffffu));
      } else {
        sum = iw_load_u32(counters + (OF_T(BYTE_VALUES) ? BYTE_COUNTERS : 0) + i, some);
        if (!in_shared) number = iw_sub(iw_load_u32(counters + args->claimable + 1 + i, some), iw_splat(1u));
      }
      iw_global_add_noreturn(args->counts, number, iw_to_u64(sum), iw_and_pred(some, iw_gt(sum, iw_splat(0u))));
    }
  }
  if (args->finish.out && iw_is_last_block(args->blocks_done)) {
    IW_PHASE(warp) {
      for (uint64_t at = warp * IW_WARP_SIZE; at < args->entries; at += block->warps * IW_WARP_SIZE)
        write_counts(&args->finish, at);
    }
    IW_PHASE(warp) { clear_words((uint32_t *)args->counts, (uint64_t)args->entries * 2, warp, block->warps); }
  }
}
