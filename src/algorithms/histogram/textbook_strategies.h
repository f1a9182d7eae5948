/* SPDX-License-Identifier: Apache-2.0
 *
 * The strategies of the parallel-histogram chapter, over the samples' bin bin_indices, and writing the counters. Blocks
 * have 1024 threads. A launch counts a window of the bin_indices, all of them where they fit. Every strategy says how many
 * atomic operations it did.
 */
#include <isowarp/primitives.h>
#include "algorithms/common/args.h"
#include "algorithms/histogram/write_counts.h"

typedef struct block_counters { uint32_t counters[IW_SHARED_COUNTERS]; } block_counters;
enum { IN_GLOBAL, IN_SHARED };

/* What a warp did. */
IW_FN void report_atomics(const iw_block *block, const iw_strategy_args *args, uint32_t where, uint64_t operations)
{
  iw_global_add(args->atomics, iw_splat(where), iw_splat(operations), iw_lanes_below(operations ? 1 : 0));
}

/* The bin bin_indices of 32 samples as counters of the window; returns which are in it. */
IW_FN iw_pred in_window(const iw_strategy_args *args, iw_u32 number, iw_pred some, iw_u32 *counter)
{
  *counter = iw_sub(number, iw_splat(args->first));
  return iw_and_pred(some, iw_lt_u32(*counter, iw_splat(args->window)));
}

IW_FN void clear_block_counters(const iw_block *block, unsigned warp, const iw_strategy_args *args, uint32_t *counters)
{
  for (uint32_t i = warp * IW_WARP_SIZE; i < args->window; i += block->warps * IW_WARP_SIZE)
    iw_store(counters + i, iw_splat(0u), iw_lanes_below(args->window - i));
}

/* Adds one, and says so. */
IW_FN unsigned count_in_window(const iw_block *block, const iw_strategy_args *args, uint32_t *counters, iw_u32 number,
                             iw_pred some)
{
  iw_u32 counter;
  const iw_pred here = in_window(args, number, some, &counter);
  iw_shared_add(counters, counter, iw_splat(1u), here);
  return iw_popcount_of(here);
}

/* The counters that are not 0 go to those of all. */
IW_FN void flush_block_counters(const iw_block *block, unsigned warp, const iw_strategy_args *args, const uint32_t *counters)
{
  uint64_t operations = 0;
  for (uint32_t i = warp * IW_WARP_SIZE; i < args->window; i += block->warps * IW_WARP_SIZE) {
    const iw_u32 count = iw_load(counters + i, iw_lanes_below(args->window - i));
    const iw_pred some = iw_gt(count, iw_splat(0u));
    iw_global_add(args->counts + args->first + i, iw_lane(), iw_to_u64(count), some);
    operations += iw_popcount_of(some);
  }
  report_atomics(block, args, IN_GLOBAL, operations);
}

/* ---- The seven ---- */

/* The reference: one warp, which works out 32 places at a time and counts them one after the other, without atomics. */
IW_KERNEL(strategy_sequential, block_counters, iw_strategy_args)
{
  IW_PHASE(warp) {
    for (uint64_t at = 0; warp == 0 && at < args->n; at += IW_WARP_SIZE) {
      const unsigned valid = args->n - at < IW_WARP_SIZE ? (unsigned)(args->n - at) : IW_WARP_SIZE;
      const iw_u32 number = iw_load(args->bin_indices + at, iw_lanes_below(valid));
      for (unsigned l = 0; l < valid; l++) {
        uint64_t *const counter = args->counts + iw_at(number, l);
        iw_set(counter, iw_get(counter) + 1);
      }
    }
  }
}

/* A thread a sample, an atomic addition in global memory each. */
IW_KERNEL(strategy_basic, block_counters, iw_strategy_args)
{
  IW_PHASE(warp) {
    const uint64_t at = block->index * block->threads + warp * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_below((int64_t)(args->n - at));
    iw_global_add(args->counts, iw_load(args->bin_indices + at, some), iw_splat((uint64_t)1), some);
    report_atomics(block, args, IN_GLOBAL, iw_popcount_of(some));
  }
}

/* Each block has a copy in global memory; there may be fewer blocks than samples ask for, and then they take turns. */
IW_KERNEL(strategy_private_global, block_counters, iw_strategy_args)
{
  uint64_t *const copy = args->copies + block->index * args->entries;
  IW_PHASE(warp) {
    for (uint64_t i = warp * IW_WARP_SIZE; i < args->entries; i += block->warps * IW_WARP_SIZE)
      iw_store(copy + i, iw_splat((uint64_t)0), iw_lanes_below((int64_t)(args->entries - i)));
  }
  IW_PHASE(warp) {
    uint64_t operations = 0;
    for (uint64_t start = block->index * block->threads; start < args->n; start += block->blocks * block->threads) {
      const uint64_t at = start + warp * IW_WARP_SIZE;
      const iw_pred some = iw_lanes_below((int64_t)(args->n - at));
      iw_global_add(copy, iw_load(args->bin_indices + at, some), iw_splat((uint64_t)1), some);
      operations += iw_popcount_of(some);
    }
    report_atomics(block, args, IN_GLOBAL, operations);
  }
  IW_PHASE(warp) {
    uint64_t operations = 0;
    for (uint64_t i = warp * IW_WARP_SIZE; i < args->entries; i += block->warps * IW_WARP_SIZE) {
      const iw_u64 count = iw_load(copy + i, iw_lanes_below((int64_t)(args->entries - i)));
      const iw_pred some = iw_gt(count, iw_splat((uint64_t)0));
      iw_global_add(args->counts + i, iw_lane(), count, some);
      operations += iw_popcount_of(some);
    }
    report_atomics(block, args, IN_GLOBAL, operations);
  }
}

/* Each block has a copy in shared memory, and a thread a sample. */
IW_KERNEL(strategy_private_shared, block_counters, iw_strategy_args)
{
  IW_PHASE(warp) { clear_block_counters(block, warp, args, shared->counters); }
  IW_PHASE(warp) {
    const uint64_t at = block->index * block->threads + warp * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_below((int64_t)(args->n - at));
    report_atomics(block, args, IN_SHARED, count_in_window(block, args, shared->counters, iw_load(args->bin_indices + at, some), some));
  }
  IW_PHASE(warp) { flush_block_counters(block, warp, args, shared->counters); }
}

/* Fewer blocks, and each thread takes a run of samples: its own, one after the other. */
IW_KERNEL(strategy_coarse_contiguous, block_counters, iw_strategy_args)
{
  IW_PHASE(warp) { clear_block_counters(block, warp, args, shared->counters); }
  IW_PHASE(warp) {
    const uint64_t at = (block->index * block->threads + warp * IW_WARP_SIZE) * args->coarsening;
    const uint64_t most = (uint64_t)IW_WARP_SIZE * args->coarsening, left = at < args->n ? args->n - at : 0;
    const uint32_t valid = (uint32_t)(left < most ? left : most);
    const iw_u32 run = iw_mul(iw_lane(), iw_splat(args->coarsening));
    uint64_t operations = 0;
    for (uint32_t c = 0; c < args->coarsening; c++) {
      const iw_u32 mine = iw_add(run, iw_splat(c));
      const iw_pred some = iw_lt(mine, iw_splat(valid));
      operations += count_in_window(block, args, shared->counters, iw_gather(args->bin_indices + at, mine, some), some);
    }
    report_atomics(block, args, IN_SHARED, operations);
  }
  IW_PHASE(warp) { flush_block_counters(block, warp, args, shared->counters); }
}

/* The same, but the threads of all blocks take neighbouring samples, then the next so many. */
IW_KERNEL(strategy_coarse_interleaved, block_counters, iw_strategy_args)
{
  IW_PHASE(warp) { clear_block_counters(block, warp, args, shared->counters); }
  IW_PHASE(warp) {
    uint64_t operations = 0;
    for (uint64_t start = block->index * block->threads; start < args->n; start += block->blocks * block->threads) {
      const uint64_t at = start + warp * IW_WARP_SIZE;
      const iw_pred some = iw_lanes_below((int64_t)(args->n - at));
      operations += count_in_window(block, args, shared->counters, iw_load(args->bin_indices + at, some), some);
    }
    report_atomics(block, args, IN_SHARED, operations);
  }
  IW_PHASE(warp) { flush_block_counters(block, warp, args, shared->counters); }
}

/* Interleaved, and each thread keeps what it found in a register for as long as the bin stays the same. */
IW_KERNEL(strategy_aggregated, block_counters, iw_strategy_args)
{
  IW_PHASE(warp) { clear_block_counters(block, warp, args, shared->counters); }
  IW_PHASE(warp) {
    uint32_t *const counters = shared->counters;
    const iw_u32 none = iw_splat(0u), one = iw_splat(1u);
    uint64_t operations = 0;
    iw_u32 bin = none, run = none;
    for (uint64_t start = block->index * block->threads; start < args->n; start += block->blocks * block->threads) {
      const uint64_t at = start + warp * IW_WARP_SIZE;
      const iw_pred some = iw_lanes_below((int64_t)(args->n - at));
      iw_u32 counter;
      const iw_pred here = in_window(args, iw_load(args->bin_indices + at, some), some, &counter);
      const iw_pred same = iw_and_pred(here, iw_eq(counter, bin)), other = iw_and_pred(here, iw_not_pred(same));
      const iw_pred flush = iw_and_pred(other, iw_gt(run, none));
      iw_shared_add(counters, bin, run, flush);
      operations += iw_popcount_of(flush);
      bin = iw_select(other, counter, bin);
      run = iw_select(other, none, run);
      run = iw_add(run, iw_select(here, one, none));
    }
    const iw_pred flush = iw_gt(run, none);
    iw_shared_add(counters, bin, run, flush);
    report_atomics(block, args, IN_SHARED, operations + iw_popcount_of(flush));
  }
  IW_PHASE(warp) { flush_block_counters(block, warp, args, shared->counters); }
}

/* ---- Before and after ---- */

typedef struct no_shared { int unused; } no_shared;

IW_KERNEL(clear, no_shared, iw_clear_args)
{
  IW_PHASE(warp) {
    const uint64_t warps = block->blocks * block->warps, mine = block->index * block->warps + warp;
    for (uint64_t at = mine * IW_WARP_SIZE; at < args->n; at += warps * IW_WARP_SIZE)
      iw_store(args->words + at, iw_splat((uint64_t)0), iw_lanes_below((int64_t)(args->n - at)));
  }
}

IW_KERNEL(histogram_write_counts, no_shared, iw_write_counts_args)
{
  IW_PHASE(warp) { write_counts(args, (block->index * block->warps + warp) * IW_WARP_SIZE); }
}
