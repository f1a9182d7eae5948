/* SPDX-License-Identifier: Apache-2.0
 *
 * The strategies of the parallel-histogram chapter of "Programming Massively Parallel Processors" (Kirk and
 * Hwu), for teaching and for comparison; no other schedule uses them. They count bin indices that
 * bin_indices.h has written. Every strategy reports how many atomic operations it did. Kernel templates
 * without a type parameter; know neither samples nor bins' edges.
 *
 * Blocks have 1024 threads. The strategies with counters in shared memory count a window of the bins per
 * launch: all of them if they fit.
 */
#include <isowarp/primitives.h>
#include "algorithms/histogram/args.h"
#include "algorithms/histogram/write_counts.h"

typedef struct block_counters { uint32_t counters[IW_SHARED_COUNTERS]; } block_counters;
enum { IN_GLOBAL, IN_SHARED };

/* Adds a warp's atomic operations to the report. */
IW_FN void report_atomics(const iw_block *block, const iw_strategy_args *args, uint32_t where,
                          uint64_t operations)
{
  iw_global_add(args->atomics, iw_splat(where), iw_splat(operations), iw_lanes_below(operations ? 1 : 0));
}

/* Turns 32 bin indices into counters of the window; returns which are in it. */
IW_FN iw_pred in_window(const iw_strategy_args *args, iw_u32 bin, iw_pred some, iw_u32 *counter)
{
  *counter = iw_sub(bin, iw_splat(args->first));
  return iw_and_pred(some, iw_lt_u32(*counter, iw_splat(args->window)));
}

IW_FN void clear_block_counters(const iw_block *block, unsigned warp, const iw_strategy_args *args,
                                uint32_t *counters)
{
  for (uint32_t i = warp * IW_WARP_SIZE; i < args->window; i += block->warps * IW_WARP_SIZE)
    iw_store(counters + i, iw_splat(0u), iw_lanes_below(args->window - i));
}

/* Counts 32 bin indices; returns the bin of atomic operations. */
IW_FN unsigned count_in_window(const iw_block *block, const iw_strategy_args *args, uint32_t *counters,
                               iw_u32 bin,
                             iw_pred some)
{
  iw_u32 counter;
  const iw_pred here = in_window(args, bin, some, &counter);
  iw_shared_add(counters, counter, iw_splat(1u), here);
  return iw_popcount_of(here);
}

/* Adds the block's counters that are not 0 to those in global memory. */
IW_FN void flush_block_counters(const iw_block *block, unsigned warp, const iw_strategy_args *args,
                                const uint32_t *counters)
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

/* ---- The seven strategies ---- */

/* The reference: one warp loads 32 bin indices at a time and counts them one after the other, without
 * atomics. */
IW_KERNEL(strategy_sequential, block_counters, iw_strategy_args)
{
  IW_PHASE(warp) {
    for (uint64_t at = 0; warp == 0 && at < args->n; at += IW_WARP_SIZE) {
      const unsigned valid = args->n - at < IW_WARP_SIZE ? (unsigned)(args->n - at) : IW_WARP_SIZE;
      const iw_u32 bin = iw_load(args->bin_indices + at, iw_lanes_below(valid));
      for (unsigned l = 0; l < valid; l++) {
        uint64_t *const counter = args->counts + iw_at(bin, l);
        iw_set(counter, iw_get(counter) + 1);
      }
    }
  }
}

/* One thread per sample, one atomic addition in global memory each. */
IW_KERNEL(strategy_basic, block_counters, iw_strategy_args)
{
  IW_PHASE(warp) {
    const uint64_t at = block->index * block->threads + warp * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_below((int64_t)(args->n - at));
    iw_global_add(args->counts, iw_load(args->bin_indices + at, some), iw_splat((uint64_t)1), some);
    report_atomics(block, args, IN_GLOBAL, iw_popcount_of(some));
  }
}

/* Each block has private counters in global memory. There may be fewer blocks than 1024 samples each need:
 * grid-stride loop. */
IW_KERNEL(strategy_private_global, block_counters, iw_strategy_args)
{
  uint64_t *const copy = args->copies + block->index * args->entries;
  IW_PHASE(warp) {
    for (uint64_t i = warp * IW_WARP_SIZE; i < args->entries; i += block->warps * IW_WARP_SIZE)
      iw_store(copy + i, iw_splat((uint64_t)0), iw_lanes_below((int64_t)(args->entries - i)));
  }
  IW_PHASE(warp) {
    const uint64_t step = block->blocks * block->threads;
    uint64_t operations = 0;
    for (uint64_t start = block->index * block->threads; start < args->n; start += step) {
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

/* Each block has private counters in shared memory; one thread per sample. */
IW_KERNEL(strategy_private_shared, block_counters, iw_strategy_args)
{
  IW_PHASE(warp) { clear_block_counters(block, warp, args, shared->counters); }
  IW_PHASE(warp) {
    const uint64_t at = block->index * block->threads + warp * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_below((int64_t)(args->n - at));
    report_atomics(block, args, IN_SHARED,
                   count_in_window(block, args, shared->counters, iw_load(args->bin_indices + at, some),
                                   some));
  }
  IW_PHASE(warp) { flush_block_counters(block, warp, args, shared->counters); }
}

/* Thread coarsening, contiguous: fewer blocks, and each thread counts `coarsening` successive samples. */
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
      operations += count_in_window(block, args, shared->counters,
                                    iw_gather(args->bin_indices + at, mine, some), some);
    }
    report_atomics(block, args, IN_SHARED, operations);
  }
  IW_PHASE(warp) { flush_block_counters(block, warp, args, shared->counters); }
}

/* Thread coarsening, interleaved: neighbouring threads count neighbouring samples, in a grid-stride loop. */
IW_KERNEL(strategy_coarse_interleaved, block_counters, iw_strategy_args)
{
  IW_PHASE(warp) { clear_block_counters(block, warp, args, shared->counters); }
  IW_PHASE(warp) {
    const uint64_t step = block->blocks * block->threads;
    uint64_t operations = 0;
    for (uint64_t start = block->index * block->threads; start < args->n; start += step) {
      const uint64_t at = start + warp * IW_WARP_SIZE;
      const iw_pred some = iw_lanes_below((int64_t)(args->n - at));
      operations += count_in_window(block, args, shared->counters, iw_load(args->bin_indices + at, some),
                                    some);
    }
    report_atomics(block, args, IN_SHARED, operations);
  }
  IW_PHASE(warp) { flush_block_counters(block, warp, args, shared->counters); }
}

/* Interleaved, with aggregation: each thread counts in a register as long as its bin stays the same. */
IW_KERNEL(strategy_aggregated, block_counters, iw_strategy_args)
{
  IW_PHASE(warp) { clear_block_counters(block, warp, args, shared->counters); }
  IW_PHASE(warp) {
    uint32_t *const counters = shared->counters;
    const iw_u32 none = iw_splat(0u), one = iw_splat(1u);
    uint64_t operations = 0;
    iw_u32 bin = none, run = none;
    const uint64_t step = block->blocks * block->threads;
    for (uint64_t start = block->index * block->threads; start < args->n; start += step) {
      const uint64_t at = start + warp * IW_WARP_SIZE;
      const iw_pred some = iw_lanes_below((int64_t)(args->n - at));
      iw_u32 counter;
      const iw_pred here = in_window(args, iw_load(args->bin_indices + at, some), some, &counter);
      const iw_pred same = iw_and_pred(here, iw_eq(counter, bin));
      const iw_pred other = iw_and_pred(here, iw_not_pred(same));
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

/* ---- Launches before and after counting ---- */

IW_KERNEL(clear, iw_no_shared, iw_clear_args)
{
  IW_PHASE(warp) {
    const uint64_t warps = block->blocks * block->warps, mine = block->index * block->warps + warp;
    for (uint64_t at = mine * IW_WARP_SIZE; at < args->n; at += warps * IW_WARP_SIZE)
      iw_store(args->words + at, iw_splat((uint64_t)0), iw_lanes_below((int64_t)(args->n - at)));
  }
}

IW_KERNEL(histogram_write_counts, iw_no_shared, iw_write_counts_args)
{
  IW_PHASE(warp) { write_counts(args, (block->index * block->warps + warp) * IW_WARP_SIZE); }
}
