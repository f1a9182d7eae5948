/* SPDX-License-Identifier: Apache-2.0
 *
 * The histograms of the parallel-histogram chapter: the letters of a text, four letters per bin. Other
 * bytes are in no bin. The kernels differ in where they count, and in how many and which letters a thread
 * counts.
 */
#include <isowarp/kernel.h>
#include "letters.h"

typedef struct letters_shared { uint32_t counts[LETTER_BINS]; } letters_shared;

/* Sets *bin to the bin of each lane's letter and returns the lanes that have a bin. A byte below 'a' wraps
 * to a large position. */
IW_FN iw_pred bin_of(iw_u32 letter, iw_pred some, iw_u32 *bin)
{
  const iw_u32 position = iw_sub(letter, iw_splat((uint32_t)'a'));
  *bin = iw_div(position, iw_splat(4u));
  return iw_and_pred(some, iw_lt(position, iw_splat(26u)));
}

/* The block's private counters in shared memory: clear them, count one letter per lane, add them to the
 * result. Each of these is called in a phase of its own, because barriers have to separate them. */
IW_FN void clear_shared(const iw_block *block, unsigned warp, uint32_t *counts)
{
  for (unsigned i = warp * IW_WARP_SIZE; i < LETTER_BINS; i += block->warps * IW_WARP_SIZE)
    iw_store(counts + i, iw_splat(0u), iw_lanes_below(LETTER_BINS - (int64_t)i));
}

IW_FN void count_shared(const iw_block *block, uint32_t *counts, iw_u32 letter, iw_pred some)
{
  iw_u32 bin;
  const iw_pred valid = bin_of(letter, some, &bin);
  iw_shared_add(counts, bin, iw_splat(1u), valid);
}

IW_FN void merge_shared(const iw_block *block, unsigned warp, const uint32_t *counts, uint64_t *all)
{
  for (unsigned i = warp * IW_WARP_SIZE; i < LETTER_BINS; i += block->warps * IW_WARP_SIZE) {
    const iw_u32 count = iw_load(counts + i, iw_lanes_below(LETTER_BINS - (int64_t)i));
    iw_global_add(all + i, iw_lane(), iw_to_u64(count), iw_gt(count, iw_splat(0u)));
  }
}

/* One block of one thread, without atomics. */
IW_KERNEL(letters_sequential, iw_no_shared, letters_args)
{
  IW_PHASE(warp) {
    for (size_t i = 0; i < args->n; i++) {
      iw_u32 bin;
      const iw_pred valid = bin_of(iw_load_u8(args->text + i, iw_lanes_below(1)), iw_lanes_below(1), &bin);
      if (iw_any(valid)) {
        uint64_t *const counter = args->counts + iw_at(bin, 0);
        iw_set(counter, iw_get(counter) + 1);
      }
    }
  }
}

/* One letter per thread, and one atomic addition in global memory per letter. */
IW_KERNEL(letters_basic, iw_no_shared, letters_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_u32 bin;
    const iw_pred valid = bin_of(iw_load_u8(args->text + here.first, here.valid), here.valid, &bin);
    iw_global_add(args->counts, bin, iw_splat((uint64_t)1), valid);
  }
}

/* Each block has a private copy in global memory. The result is not one of the copies, because merging
 * would then count that block twice. */
IW_KERNEL(letters_private_global, iw_no_shared, letters_args)
{
  uint64_t *const copy = args->copies + block->index * LETTER_BINS;
  IW_PHASE(warp) {
    for (unsigned i = warp * IW_WARP_SIZE; i < LETTER_BINS; i += block->warps * IW_WARP_SIZE)
      iw_store(copy + i, iw_splat((uint64_t)0), iw_lanes_below(LETTER_BINS - (int64_t)i));
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_u32 bin;
    const iw_pred valid = bin_of(iw_load_u8(args->text + here.first, here.valid), here.valid, &bin);
    iw_global_add(copy, bin, iw_splat((uint64_t)1), valid);
  }
  IW_PHASE(warp) {
    for (unsigned i = warp * IW_WARP_SIZE; i < LETTER_BINS; i += block->warps * IW_WARP_SIZE) {
      const iw_u64 count = iw_load(copy + i, iw_lanes_below(LETTER_BINS - (int64_t)i));
      iw_global_add(args->counts + i, iw_lane(), count, iw_gt(count, iw_splat((uint64_t)0)));
    }
  }
}

/* Each block has a private copy in shared memory. */
IW_KERNEL(letters_private_shared, letters_shared, letters_args)
{
  IW_PHASE(warp) { clear_shared(block, warp, shared->counts); }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    count_shared(block, shared->counts, iw_load_u8(args->text + here.first, here.valid), here.valid);
  }
  IW_PHASE(warp) { merge_shared(block, warp, shared->counts, args->counts); }
}

/* Each thread counts `coarsening` consecutive letters, so that fewer blocks have to merge. */
IW_KERNEL(letters_coarse_contiguous, letters_shared, letters_args)
{
  IW_PHASE(warp) { clear_shared(block, warp, shared->counts); }
  IW_PHASE(warp) {
    const size_t thread = block->index * block->threads + warp * IW_WARP_SIZE; /* that of lane 0, in the grid */
    const size_t at = thread * args->coarsening, left = at < args->n ? args->n - at : 0;
    const iw_u64 run = iw_mul(iw_to_u64(iw_lane()), iw_splat((uint64_t)args->coarsening));
    for (uint32_t i = 0; i < args->coarsening; i++) {
      const iw_u64 mine = iw_add(run, iw_splat((uint64_t)i));
      const iw_pred some = iw_and_pred(iw_active(warp), iw_lt(mine, iw_splat((uint64_t)left)));
      count_shared(block, shared->counts, iw_gather_u8(args->text + at, iw_to_u32(mine), some), some);
    }
  }
  IW_PHASE(warp) { merge_shared(block, warp, shared->counts, args->counts); }
}

/* A grid-stride loop: consecutive threads count consecutive letters, with any number of blocks. */
IW_KERNEL(letters_coarse_interleaved, letters_shared, letters_args)
{
  IW_PHASE(warp) { clear_shared(block, warp, shared->counts); }
  IW_PHASE(warp) {
    const size_t stride = block->blocks * block->threads;
    for (size_t start = block->index * block->threads; start < args->n; start += stride) {
      const iw_span here = iw_elements_from(warp, start, args->n);
      count_shared(block, shared->counts, iw_load_u8(args->text + here.first, here.valid), here.valid);
    }
  }
  IW_PHASE(warp) { merge_shared(block, warp, shared->counts, args->counts); }
}

/* Interleaved, and a thread counts in a register as long as its bin does not change. */
IW_KERNEL(letters_aggregated, letters_shared, letters_args)
{
  IW_PHASE(warp) { clear_shared(block, warp, shared->counts); }
  IW_PHASE(warp) {
    const size_t stride = block->blocks * block->threads;
    const iw_u32 zero = iw_splat(0u), one = iw_splat(1u);
    iw_u32 current = zero, run = zero;
    for (size_t start = block->index * block->threads; start < args->n; start += stride) {
      const iw_span here = iw_elements_from(warp, start, args->n);
      iw_u32 bin;
      const iw_pred valid = bin_of(iw_load_u8(args->text + here.first, here.valid), here.valid, &bin);
      const iw_pred other = iw_and_pred(valid, iw_ne(bin, current));
      iw_shared_add(shared->counts, current, run, iw_and_pred(other, iw_gt(run, zero)));
      current = iw_select(other, bin, current);
      run = iw_add(iw_select(other, zero, run), iw_select(valid, one, zero));
    }
    iw_shared_add(shared->counts, current, run, iw_gt(run, zero));
  }
  IW_PHASE(warp) { merge_shared(block, warp, shared->counts, args->counts); }
}
