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
IW_FN iw_pred surely_u8(const iw_binning *rule, iw_u32 x, iw_u32 *bin) { (void)rule; *bin = x; return iw_lanes_below(0); }
IW_FN iw_pred surely_u16(const iw_binning *rule, iw_u32 x, iw_u32 *bin) { return surely_i32(rule, iw_to_i32(x), bin); }
IW_FN iw_u32 by_edge_u8(const iw_binning *rule, iw_u32 x, iw_pred some, int worked_out)
{ (void)rule; (void)some; (void)worked_out; return x; }
IW_FN iw_u32 by_edge_u16(const iw_binning *rule, iw_u32 x, iw_pred some, int worked_out)
{ return by_edge_i32(rule, iw_to_i32(x), some, worked_out); }

/* A byte's counter is its own; the bin is looked up at the end. */
#define BYTE_OF(t) IW_FN iw_u32 byte_##t(lanes_##t x) { (void)x; return iw_splat(0u); }
IW_FN iw_u32 byte_u8(iw_u32 x) { return x; }
BYTE_OF(u16) BYTE_OF(i32) BYTE_OF(u32) BYTE_OF(i64) BYTE_OF(u64) BYTE_OF(f32) BYTE_OF(f64)
enum { BYTE_TABLES = IW_WARP_SIZE, BYTE_COUNTERS = 256 * BYTE_TABLES };

/* Where a block counts: in counters of 32 bits, or of 16, two a word, or for the bins that came first in its own and for the
 * others in those of all. */
enum { IN_WORDS, IN_HALVES, IN_ALL };
typedef struct rows_shared { uint32_t counters[IW_MERGED_WORDS]; } rows_shared;

/* A bin that many lanes have at once is counted in registers: adding to 16 bits takes such lanes one after the other. */
typedef struct hot_bin { uint32_t bin; iw_u32 run; } hot_bin;

IW_FN void cool(const iw_block *block, const iw_rows_args *args, hot_bin *hot)
{
  const uint32_t all = iw_warp_sum(hot->run);
  iw_global_more(args->counts, iw_splat(hot->bin), iw_splat((uint64_t)all), iw_lanes_below(all > 0));
  hot->run = iw_splat(0u);
}

/* Whether that bin is now another one. */
IW_FN void watch(const iw_block *block, const iw_rows_args *args, iw_u32 bin, iw_pred some, hot_bin *hot)
{
  const uint32_t first = iw_at(bin, 0);
  if (first != hot->bin && iw_popcount_of(iw_both(some, iw_eq(bin, iw_splat(first)))) >= MERGED_HOT) {
    cool(block, args, hot);
    hot->bin = first;
  }
}

/* Counters of all, but for a bin that was the first with its place in the block's table, whose counter is there. */
IW_FN void count_first(const iw_block *block, const iw_rows_args *args, uint32_t *counters, iw_u32 bin, iw_pred some)
{
  const iw_u32 own = iw_add(bin, iw_splat(1u)), place = iw_and(bin, iw_splat(args->owned - 1)), none = iw_splat(0u);
  uint32_t *const owners = counters + args->owned + 1;
  iw_u32 owner = iw_gather(owners, place, some);
  const iw_pred free = iw_both(some, iw_eq(owner, none));
  if (iw_any(free)) {
    const iw_u32 was = iw_shared_compare_exchange(owners, place, none, own, free);
    owner = iw_select(free, iw_select(iw_eq(was, none), own, was), owner);
  }
  const iw_pred first = iw_both(some, iw_eq(owner, own));
  iw_count(counters, iw_select(first, place, iw_splat(args->owned)), iw_lanes_below(IW_WARP_SIZE));
  iw_global_more(args->counts, bin, iw_splat((uint64_t)1), iw_both(some, iw_ne(owner, own)));
}

IW_FN void count_bins(const iw_block *block, const iw_rows_args *args, uint32_t *counters, int way, iw_u32 bin, iw_pred some,
                      hot_bin *hot)
{
  if (way == IN_ALL) count_first(block, args, counters, bin, some);
  else if (way == IN_WORDS) /* a counter for what is not counted costs less than a branch */
    iw_count(counters, iw_select(some, bin, iw_splat(args->entries)), iw_lanes_below(IW_WARP_SIZE));
  else {
    const iw_pred is_hot = iw_both(some, iw_eq(bin, iw_splat(hot->bin)));
    hot->run = iw_add(hot->run, iw_select(is_hot, iw_splat(1u), iw_splat(0u)));
    iw_count_half(counters, bin, iw_both(some, iw_ne(bin, iw_splat(hot->bin))));
  }
}

IW_FN void zero_words(uint32_t *words, uint64_t n, unsigned warp, unsigned warps)
{
  for (uint64_t i = warp * IW_WARP_SIZE; i < n; i += warps * IW_WARP_SIZE)
    iw_store(words + i, iw_splat(0u), iw_lanes_below((int64_t)(n - i)));
}

enum { HALF_FAR = 8192 };
/* Halves that have come far, and their neighbours, go to the counters of all. */
IW_FN void drain(const iw_block *block, const iw_rows_args *args, uint32_t *words, uint64_t n, unsigned warp)
{
  for (uint64_t i = warp * IW_ROW(u32); i < n; i += block->warps * IW_ROW(u32)) {
    const iw_row_u32 row = iw_row_unpark_u32(words + i);
    iw_u32 any = iw_splat(0u);
    IW_EACH_VECTOR(u32, v) any = iw_or(any, iw_row_vector_u32(row, v));
    if (iw_any(iw_ne(iw_and(any, iw_splat((0x10000u - HALF_FAR) * 0x10001u)), iw_splat(0u))))
      for (uint64_t w = i; w < i + IW_ROW(u32); w += IW_WARP_SIZE) {
        const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
        const iw_u32 word = iw_load(words + w, all), entry = iw_add(iw_splat((uint32_t)w * 2), iw_mul(iw_lane(), iw_splat(2u)));
        const iw_u32 low = iw_and(word, iw_splat(0xffffu)), high = iw_shr(word, iw_splat(16u));
        iw_global_more(args->counts, entry, iw_to_u64(low), iw_gt(low, iw_splat(0u)));
        iw_global_more(args->counts, iw_add(entry, iw_splat(1u)), iw_to_u64(high), iw_gt(high, iw_splat(0u)));
        iw_store(words + w, iw_splat(0u), all);
      }
  }
}

/* Bytes' tables are added up, and bytes of one bin, so that blocks seldom meet there. */
IW_FN void add_bytes(const iw_block *block, const iw_rows_args *args, uint32_t *counters, unsigned warp)
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
    if (args->entries <= IW_BYTE_BINS) (void)iw_shared_add(counters + BYTE_COUNTERS, number, sum, some);
    else iw_global_more(args->counts, number, iw_to_u64(sum), some);
  }
}
#endif

#undef ROWS_OF_T
#define ROWS_OF_T MERGED_ROWS((int)sizeof(SCALAR))

/* What a warp takes along. */
typedef struct OF_T(keeping) { OF_T(lanes) waiting; iw_pred waits; hot_bin hot; } OF_T(keeping);

IW_FN void OF_T(count_by_edge)(const iw_block *block, const iw_rows_args *args, const iw_binning *rule, uint32_t *counters,
                               int way, OF_T(lanes) x, iw_pred some, OF_T(keeping) *kept, int worked_out)
{
  const iw_u32 bin = OF_T(by_edge)(rule, x, some, worked_out);
  if (way == IN_HALVES) watch(block, args, bin, some, &kept->hot);
  count_bins(block, args, counters, way, bin, some, &kept->hot);
}

IW_FN void OF_T(count_waiting)(const iw_block *block, const iw_rows_args *args, const iw_binning *rule, uint32_t *counters,
                               int way, OF_T(keeping) *kept)
{
  OF_T(count_by_edge)(block, args, rule, counters, way, kept->waiting, kept->waits, kept, 0);
  kept->waits = iw_lanes_below(0);
}

/* Whole rows: one of bytes, one all of whose samples are compared with edges, … */
IW_FN void OF_T(count_bytes)(const iw_block *block, uint32_t *counters, IW_PASTE(iw_row_, T) row)
{
  IW_EACH_VECTOR(T, v) iw_count_own(counters, OF_T(byte)(OF_T(iw_row_vector)(row, v)), iw_lanes_below(IW_WARP_SIZE));
}

IW_FN void OF_T(count_row_by_edges)(const iw_block *block, const iw_rows_args *args, const iw_binning *rule, uint32_t *counters,
                                    int way, IW_PASTE(iw_row_, T) row, OF_T(keeping) *kept)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  IW_EACH_VECTOR(T, v) OF_T(count_by_edge)(block, args, rule, counters, way, OF_T(iw_row_vector)(row, v), all, kept, 1);
}

/* … and one that counts the samples of which it is sure. Returns whether many were near edges, which may be asked of the first. */
IW_FN int OF_T(count_row)(const iw_block *block, const iw_rows_args *args, const iw_binning *rule, uint32_t *counters, int way,
                          IW_PASTE(iw_row_, T) row, OF_T(keeping) *kept, int first)
{
  iw_pred unsure[16 / sizeof(SCALAR)], some = iw_lanes_below(0);
  IW_EACH_VECTOR(T, v) {
    iw_u32 bin;
    const iw_pred sure = OF_T(surely)(rule, OF_T(iw_row_vector)(row, v), &bin);
    if (way == IN_HALVES && first && v == 0) watch(block, args, bin, sure, &kept->hot);
    count_bins(block, args, counters, way, bin, sure, &kept->hot);
    unsure[v] = iw_unless(sure);
    some = iw_either(some, unsure[v]);
  }
  if (!iw_any(some)) return 0;
  if (first && iw_popcount_of(some) >= MERGED_DENSE) {
    IW_EACH_VECTOR(T, v)
      OF_T(count_by_edge)(block, args, rule, counters, way, OF_T(iw_row_vector)(row, v), unsure[v], kept, 1);
    return 1;
  }
  IW_EACH_VECTOR(T, v) {
    if (iw_any(iw_both(unsure[v], kept->waits))) OF_T(count_waiting)(block, args, rule, counters, way, kept);
    kept->waiting = iw_select(unsure[v], OF_T(iw_row_vector)(row, v), kept->waiting);
    kept->waits = iw_either(unsure[v], kept->waits);
  }
  return 0;
}

/* Rows of the block that are whole, from `at` up to `end`. */
IW_FN void OF_T(count_rows)(const iw_block *block, const iw_rows_args *args, uint32_t *counters, int way, uint64_t at,
                            uint64_t end, unsigned warp, OF_T(keeping) *kept)
{
  const iw_binning rule = args->binning;
  const uint64_t step = block->warps * IW_ROW(T);
  const SCALAR *const samples = (const SCALAR *)args->samples + warp * IW_ROW(T);
  const int rows = way == IN_WORDS ? ROWS_OF_T : MERGED_ROWS_FEW;
  for (; at < end; at += (unsigned)rows * step) {
    IW_PASTE(IW_PASTE(iw_row_, T), _coming) coming[ROWS_OF_T];
    const int left = end - at >= (unsigned)rows * step ? rows : (int)((end - at) / step);
    IW_UNROLL_ROWS for (int k = 0; k < rows; k++)
      if (k == 0 || k < left) coming[k] = OF_T(fetch)(samples + at + k * step, IW_WHOLE);
    if (OF_T(BYTES)) {
      IW_UNROLL_ROWS for (int k = 0; k < rows; k++)
        if (k == 0 || k < left) OF_T(count_bytes)(block, counters, OF_T(iw_row_arrive)(coming[k]));
    } else if (OF_T(count_row)(block, args, &rule, counters, way, OF_T(iw_row_arrive)(coming[0]), kept, 1)) {
      IW_UNROLL_ROWS for (int k = 1; k < rows; k++)
        if (k < left) OF_T(count_row_by_edges)(block, args, &rule, counters, way, OF_T(iw_row_arrive)(coming[k]), kept);
    } else {
      IW_UNROLL_ROWS for (int k = 1; k < rows; k++)
        if (k < left) OF_T(count_row)(block, args, &rule, counters, way, OF_T(iw_row_arrive)(coming[k]), kept, 0);
    }
  }
}

/* The others, of which some may be missing. */
IW_FN void OF_T(count_rest)(const iw_block *block, const iw_rows_args *args, uint32_t *counters, int way, uint64_t at,
                            uint64_t end, unsigned warp, OF_T(keeping) *kept)
{
  const iw_binning rule = args->binning;
  for (at += warp * IW_ROW(T); at < end; at += block->warps * IW_ROW(T)) {
    const int64_t valid = (int64_t)(end - at);
    const IW_PASTE(iw_row_, T) row = OF_T(iw_row_arrive)(OF_T(fetch)((const SCALAR *)args->samples + at, valid));
    IW_EACH_VECTOR(T, v) {
      const iw_pred some = OF_T(iw_row_valid)(v, valid);
      const OF_T(lanes) x = OF_T(iw_row_vector)(row, v);
      if (OF_T(BYTES)) iw_count_own(counters, OF_T(byte)(x), some);
      else {
        const iw_u32 bin = OF_T(bin_of)(&rule, x, some);
        if (way == IN_HALVES) watch(block, args, bin, some, &kept->hot);
        count_bins(block, args, counters, way, bin, some, &kept->hot);
      }
    }
  }
}

/* From `at` up to `end`. */
IW_FN void OF_T(count_part)(const iw_block *block, const iw_rows_args *args, uint32_t *counters, int way, uint64_t at,
                            uint64_t end, unsigned warp, OF_T(keeping) *kept)
{
  const uint64_t step = block->warps * IW_ROW(T);
  const int fits = (OF_T(BYTES) || args->binning.mode == IW_BINNING_GUESS) && iw_row_fits(args->samples);
  const uint64_t whole = fits && at < end ? at + (end - at) / step * step : at;
  OF_T(count_rows)(block, args, counters, way, at, whole, warp, kept);
  OF_T(count_rest)(block, args, counters, way, whole, end, warp, kept);
}

IW_KERNEL_ONCE(OF_T(rows), rows_shared, iw_rows_args, ROWS_WARPS * 32, ROWS_BLOCKS)
{
  const uint32_t own = OF_T(BYTES) ? BYTE_COUNTERS + IW_BYTE_BINS : args->entries;
  const int in_shared = OF_T(BYTES) || args->in_shared, halves = !OF_T(BYTES) && args->halves;
  const int way = halves ? IN_HALVES : in_shared ? IN_WORDS : IN_ALL;
  const uint64_t words = !in_shared ? 2 * (uint64_t)args->owned + 1 : halves ? IW_MERGED_HALVES(own) : own + !OF_T(BYTES);
  const uint64_t first = block->index * args->span, end = first + args->span < args->n ? first + args->span : args->n;
  uint32_t *const counters = shared->counters;
  IW_VAR(OF_T(keeping), kept);
  IW_PHASE(warp) {
    zero_words(counters, words, warp, block->warps);
    memset(&IW_MY(kept), 0, sizeof IW_MY(kept));
    IW_MY(kept).hot.bin = UINT32_MAX;
  }
  if (halves) { /* looked at so often that none can overflow: HALF_FAR, and all that is counted, or waits, until then */
    const uint64_t piece = MERGED_ROWS_FEW * block->warps * IW_ROW(T), most = 65536 - HALF_FAR - block->warps * IW_WARP_SIZE;
    const uint64_t chunk = most / piece * piece;
    for (uint64_t at = first; at < end; at += chunk) {
      const uint64_t stop = at + chunk < end ? at + chunk : end;
      IW_PHASE(warp) { OF_T(count_part)(block, args, counters, IN_HALVES, at, stop, warp, &IW_MY(kept)); }
      if (stop < end) { IW_PHASE(warp) { drain(block, args, counters, words, warp); } }
    }
  } else {
    IW_PHASE(warp) {
      if (in_shared) OF_T(count_part)(block, args, counters, IN_WORDS, first, end, warp, &IW_MY(kept));
      else OF_T(count_part)(block, args, counters, IN_ALL, first, end, warp, &IW_MY(kept));
    }
  }
  IW_PHASE(warp) { /* waiting samples are the last to be counted */
    const iw_binning rule = args->binning;
    OF_T(keeping) *const mine = &IW_MY(kept);
    if (!OF_T(BYTES) && iw_any(mine->waits)) {
      if (halves) OF_T(count_waiting)(block, args, &rule, counters, IN_HALVES, mine);
      else if (in_shared) OF_T(count_waiting)(block, args, &rule, counters, IN_WORDS, mine);
      else OF_T(count_waiting)(block, args, &rule, counters, IN_ALL, mine);
    }
    if (halves) cool(block, args, &mine->hot);
  }
  if (OF_T(BYTES)) { IW_PHASE(warp) { add_bytes(block, args, counters, warp); } }
  IW_PHASE(warp) {
    const uint32_t in_bins = args->entries <= IW_BYTE_BINS ? args->entries : 0;
    const uint64_t merged = way == IN_ALL ? args->owned : OF_T(BYTES) ? in_bins : own;
    for (uint64_t i = warp * IW_WARP_SIZE; i < merged; i += block->warps * IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(merged - i));
      iw_u32 number = iw_add(iw_lane(), iw_splat((uint32_t)i)), sum = iw_splat(0u);
      if (halves) {
        const iw_u32 word = iw_gather(counters, iw_shr(number, iw_splat(1u)), some);
        sum = iw_and(iw_shr(word, iw_mul(iw_and(number, iw_splat(1u)), iw_splat(16u))), iw_splat(0xffffu));
      } else {
        sum = iw_load_u32(counters + (OF_T(BYTES) ? BYTE_COUNTERS : 0) + i, some);
        if (!in_shared) number = iw_sub(iw_load_u32(counters + args->owned + 1 + i, some), iw_splat(1u));
      }
      iw_global_more(args->counts, number, iw_to_u64(sum), iw_both(some, iw_gt(sum, iw_splat(0u))));
    }
  }
  if (args->finish.out && iw_is_last(args->closed)) {
    IW_PHASE(warp) {
      for (uint64_t at = warp * IW_WARP_SIZE; at < args->entries; at += block->warps * IW_WARP_SIZE)
        write_counts(&args->finish, at);
    }
    IW_PHASE(warp) { zero_words((uint32_t *)args->counts, (uint64_t)args->entries * 2, warp, block->warps); }
  }
}
