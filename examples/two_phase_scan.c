/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive prefix sum over any number of blocks. Blocks cannot wait for each other, launches do:
 *
 *   scan_blocks   each block by itself, and its sum
 *   scan_sums     one block: the sums of the blocks, so that each has all those before it, not just its neighbour's
 *   add_sums      each block adds what stands before it
 */
#include <isowarp/kernel.h>
#include "elements.h"
#include "two_phase_scan.h"

IW_KERNEL(scan_blocks, nothing, two_phase_scan_args)
{
  const size_t left = args->n - block->index * block->threads;
  const unsigned count = left < block->threads ? (unsigned)left : block->threads;
  IW_VAR(iw_f32, sum);

  IW_PHASE(warp) {
    IW_MY(sum) = iw_load(args->in + first_element(block, warp), with_element(block, warp, args->n));
  }
  iw_block_inclusive_prefix_sum(sum, sum);
  const float total = iw_block_broadcast(sum, count - 1); /* the last thread that has an element */
  IW_PHASE(warp) {
    iw_store(args->out + first_element(block, warp), IW_MY(sum), with_element(block, warp, args->n));
    if (warp == 0)
      iw_set(args->sums + block->index, total);
  }
}

/* One block of any size, tile by tile: each continues the one before, whose last sum is in memory by then. */
IW_KERNEL(scan_sums, nothing, two_phase_scan_args)
{
  IW_VAR(iw_f32, sum);
  for (size_t tile = 0; tile < args->blocks; tile += block->threads) {
    float *const sums = args->sums + tile;
    IW_PHASE(warp) {
      IW_MY(sum) = iw_load(sums + first_element(block, warp), with_element(block, warp, args->blocks - tile));
    }
    iw_block_inclusive_prefix_sum(sum, sum);
    IW_PHASE(warp) {
      if (tile > 0)
        IW_MY(sum) = iw_add(iw_splat(iw_get(sums - 1)), IW_MY(sum));
      iw_store(sums + first_element(block, warp), IW_MY(sum), with_element(block, warp, args->blocks - tile));
    }
  }
}

IW_KERNEL(add_sums, nothing, two_phase_scan_args)
{
  IW_PHASE(warp) {
    if (block->index > 0) {
      const size_t at = first_element(block, warp);
      const iw_pred some = with_element(block, warp, args->n);
      const iw_f32 before = iw_splat(iw_get(args->sums + block->index - 1));
      iw_store(args->out + at, iw_add(before, iw_load(args->out + at, some)), some);
    }
  }
}
