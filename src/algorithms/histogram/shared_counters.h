/* SPDX-License-Identifier: Apache-2.0
 *
 * The counters of a block of shared_atomics.h, by the number of bins:
 *
 *   COUNTERS_32       32 bits each, and one more counter, to which lanes without a sample to count add:
 *                     that is faster than a branch
 *   COUNTERS_16       16 bits each, two a word, if counters of 32 bits do not fit and there are many samples
 *                     for each. None may overflow: between chunks of samples, words with a half above
 *                     SPILL_THRESHOLD are added to the counters in global memory (spill_counters_16)
 *   COUNTERS_CLAIMED  for still more bins, or fewer samples: a hash table of `claimable` counters, without
 *                     probing. The first bin that finds a counter free owns it; other bins with the same
 *                     hash are counted in global memory. Fast if few bins have most samples
 *   bytes             256 counters for each lane of a warp, interleaved so that each lane stays in its own
 *                     bank; 256 in all for so few samples that clearing more takes longer
 *
 * Kernel code without a type parameter; knows bin indices but no samples.
 */
#ifndef IW_HISTOGRAM_SHARED_COUNTERS_H
#define IW_HISTOGRAM_SHARED_COUNTERS_H

#include <isowarp/primitives.h>
#include "algorithms/histogram/args.h"
#include "algorithms/histogram/tuning_cuda.h"

enum { COUNTERS_32, COUNTERS_16, COUNTERS_CLAIMED };
enum { SPILL_THRESHOLD = 8192 }; /* a power of two */
typedef struct rows_shared { uint32_t counters[IW_SHARED_ATOMICS_WORDS]; } rows_shared;

/* Adds counts of bins to the caller's counters. */
IW_FN void add_bins(const iw_block *block, const iw_add_counts_args *to, iw_u32 bin, iw_u32 count, iw_pred some)
{
  if (to->counters_32) (void)iw_global_add((uint32_t *)to->out, bin, count, some);
  else iw_global_add_noreturn((uint64_t *)to->out, bin, iw_to_u64(count), some);
}

/* The same of any entries, outliers too. */
IW_FN void add_counts(const iw_block *block, const iw_add_counts_args *to, iw_u32 entry, iw_u32 count, iw_pred some)
{
  const iw_u32 outlier = iw_sub(entry, iw_splat(to->bins)), zero = iw_splat(0u);
  const iw_pred outside = iw_and_pred(some, iw_ge(entry, iw_splat(to->bins)));
  if (iw_any(outside)) {
    if (to->outliers) iw_global_add_noreturn(to->outliers, outlier, iw_to_u64(count), outside);
    if (to->clamp) {
      entry = iw_select(iw_and_pred(outside, iw_eq(outlier, zero)), zero, entry);
      entry = iw_select(iw_and_pred(outside, iw_eq(outlier, iw_splat(1u))), iw_splat(to->bins - 1), entry);
    }
  }
  add_bins(block, to, entry, count, iw_and_pred(some, iw_lt(entry, iw_splat(to->outputs))));
}

/* A bin that many lanes of a warp have at once is counted in registers where counters have 16 bits: there,
 * lanes with one counter would be served one after the other. */
typedef struct heavy_hitter { uint32_t bin; iw_u32 run; } heavy_hitter;

IW_FN void flush_heavy_hitter(const iw_block *block, const iw_histogram_rows_args *args, heavy_hitter *heavy)
{
  const uint32_t all = iw_warp_sum(heavy->run);
  add_counts(block, &args->to, iw_splat(heavy->bin), iw_splat(all), iw_lanes_below(all > 0));
  heavy->run = iw_splat(0u);
}

/* Makes the bin of lane 0 the heavy hitter if enough lanes have it. */
IW_FN void update_heavy_hitter(const iw_block *block, const iw_histogram_rows_args *args, iw_u32 bin,
                               iw_pred some, heavy_hitter *heavy)
{
  const uint32_t first = iw_at(bin, 0);
  if (first == heavy->bin) return;
  if (iw_popcount_of(iw_and_pred(some, iw_eq(bin, iw_splat(first)))) < SHARED_ATOMICS_HEAVY_LANES) return;
  flush_heavy_hitter(block, args, heavy);
  heavy->bin = first;
}

/* `counters` are `claimable` counters, one for lanes without a sample to count, and the owner of each
 * counter: its bin + 1, or 0 if it is free. */
IW_FN void count_claimed(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters,
                         iw_u32 bin, iw_pred some)
{
  const iw_u32 own = iw_add(bin, iw_splat(1u)), place = iw_and(bin, iw_splat(args->claimable - 1));
  const iw_u32 none = iw_splat(0u);
  uint32_t *const owners = counters + args->claimable + 1;
  iw_u32 owner = iw_gather_relaxed_u32(owners, place, some);
  const iw_pred free = iw_and_pred(some, iw_eq(owner, none));
  if (iw_any(free)) {
    const iw_u32 was = iw_shared_compare_exchange(owners, place, none, own, free);
    owner = iw_select(free, iw_select(iw_eq(was, none), own, was), owner);
  }
  const iw_pred first = iw_and_pred(some, iw_eq(owner, own));
  iw_count(counters, iw_select(first, place, iw_splat(args->claimable)), iw_lanes_below(IW_WARP_SIZE));
  add_counts(block, &args->to, bin, iw_splat(1u), iw_and_pred(some, iw_ne(owner, own)));
}

/* Counts a warp's bins. counters_kind is a constant at each call. */
IW_FN void count_bins(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters,
                      int counters_kind, iw_u32 bin, iw_pred some, heavy_hitter *heavy)
{
  if (counters_kind == COUNTERS_CLAIMED) count_claimed(block, args, counters, bin, some);
  else if (counters_kind == COUNTERS_32)
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

/* Adds rows of words with a counter above the threshold to the caller's counters, and clears them. */
IW_FN void spill_counters_16(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *words,
                             uint64_t n, unsigned warp)
{
  const iw_u32 large = iw_splat((0x10000u - SPILL_THRESHOLD) * 0x10001u), none = iw_splat(0u);
  for (uint64_t i = warp * IW_ROW(u32); i < n; i += block->warps * IW_ROW(u32)) {
    const iw_row_u32 row = iw_row_load_shared_u32(words + i);
    iw_u32 any = none;
    IW_EACH_VECTOR(u32, v) any = iw_or(any, iw_row_vector_u32(row, v));
    if (!iw_any(iw_ne(iw_and(any, large), none))) continue;
    for (uint64_t w = i; w < i + IW_ROW(u32); w += IW_WARP_SIZE) {
      const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
      const iw_u32 word = iw_load(words + w, all);
      const iw_u32 entry = iw_add(iw_splat((uint32_t)w * 2), iw_mul(iw_lane(), iw_splat(2u)));
      const iw_u32 low = iw_and(word, iw_splat(0xffffu)), high = iw_shr(word, iw_splat(16u));
      add_counts(block, &args->to, entry, low, iw_gt(low, none));
      add_counts(block, &args->to, iw_add(entry, iw_splat(1u)), high, iw_gt(high, none));
      iw_store(words + w, none, all);
    }
  }
}

/* The words of a block's tables for bytes. */
IW_FN uint32_t byte_counters(const iw_histogram_rows_args *args) { return 256 * args->tables; }

/* Counts bytes. tables: IW_WARP_SIZE or 1. */
IW_FN void count_byte(const iw_block *block, uint32_t *counters, uint32_t tables, iw_u32 byte, iw_pred some)
{
  if (tables == IW_WARP_SIZE) iw_count_per_lane(counters, byte, some);
  else iw_count(counters, byte, some);
}

/* Lane l: the bin of byte `first` + l, below 256. */
IW_FN iw_u32 load_bins_of_bytes(const iw_histogram_rows_args *args, uint32_t first)
{
  return iw_load(args->binning.map + first, iw_lanes_below(256 - (int64_t)first));
}

/* Adds up the counters of each byte in all tables, and adds the sum to its bin: in shared memory for at most
 * IW_BYTE_SHARED_BINS entries, so that blocks make few atomic additions in global memory. own_bins: those of
 * the warp's first bytes, which were loaded before the samples were counted. */
IW_FN void reduce_byte_tables(const iw_block *block, const iw_histogram_rows_args *args, uint32_t *counters,
                              iw_u32 own_bins, unsigned warp)
{
  for (uint32_t i = warp * IW_WARP_SIZE; i < 256; i += block->warps * IW_WARP_SIZE) {
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    const iw_u32 first = iw_mul(iw_add(iw_lane(), iw_splat(i)), iw_splat(1u * IW_WARP_SIZE));
    iw_u32 sum = iw_splat(0u);
    if (args->tables == 1) sum = iw_load(counters + i, all);
    /* each lane begins at another table: another bank */
    else IW_UNROLL for (uint32_t t = 0; t < IW_WARP_SIZE; t++) {
      const iw_u32 table = iw_and_u32(iw_add_u32(iw_lane(), iw_splat(t)), iw_splat(IW_WARP_SIZE - 1u));
      sum = iw_add(sum, iw_gather(counters, iw_add_u32(first, table), all));
    }
    const iw_u32 bin = i < block->warps * IW_WARP_SIZE ? own_bins : load_bins_of_bytes(args, i);
    const iw_pred some = iw_gt(sum, iw_splat(0u));
    if (args->entries <= IW_BYTE_SHARED_BINS) (void)iw_shared_add(counters + byte_counters(args), bin, sum, some);
    else add_counts(block, &args->to, bin, sum, some);
  }
}

/* Adds `n` of a block's counters, from `counters` on, to the caller's. */
IW_FN void flush_counters(const iw_block *block, const iw_histogram_rows_args *args,
                          const uint32_t *counters, int counters_kind, uint64_t n, unsigned warp)
{
  for (uint64_t i = warp * IW_WARP_SIZE; i < n; i += block->warps * IW_WARP_SIZE) {
    const iw_pred valid = iw_lanes_below((int64_t)(n - i));
    iw_u32 bin = iw_add(iw_lane(), iw_splat((uint32_t)i)), count;
    if (counters_kind == COUNTERS_16) {
      const iw_u32 word = iw_gather(counters, iw_shr(bin, iw_splat(1u)), valid);
      count = iw_and(iw_shr(word, iw_mul(iw_and(bin, iw_splat(1u)), iw_splat(16u))), iw_splat(0xffffu));
    } else count = iw_load_u32(counters + i, valid);
    if (counters_kind == COUNTERS_CLAIMED)
      bin = iw_sub(iw_load_u32(counters + args->claimable + 1 + i, valid), iw_splat(1u));
    const iw_pred some = iw_and_pred(valid, iw_gt(count, iw_splat(0u)));
    if (counters_kind != COUNTERS_CLAIMED && i + IW_WARP_SIZE <= args->to.bins) add_bins(block, &args->to, bin, count, some);
    else add_counts(block, &args->to, bin, count, some);
  }
}

#endif
