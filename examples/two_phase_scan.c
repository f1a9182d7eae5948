/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive prefix sum over any number of blocks, by three launches; each launch waits for the launch
 * before it.
 *
 *   scan_blocks   each block scans its elements and stores its sum
 *   scan_sums     one block scans the sums of the blocks
 *   add_sums      each block adds the sum of the blocks before it
 */
#include <isowarp/kernel.h>
#include "two_phase_scan.h"

IW_KERNEL(scan_blocks, iw_no_shared, two_phase_scan_args)
{
  const size_t left = args->n - block->index * block->threads;
  const unsigned count = left < block->threads ? (unsigned)left : block->threads;
  IW_VAR(iw_f32, sum);

  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(sum) = iw_load(args->in + here.first, here.valid);
  }
  iw_block_inclusive_prefix_sum(sum, sum);
  const float block_sum = iw_block_broadcast(sum, count - 1); /* of the last thread that has an element */
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->out + here.first, IW_MY(sum), here.valid);
    if (warp == 0)
      iw_set(args->sums + block->index, block_sum);
  }
}

/* One block of any size scans tile by tile. A tile adds the last sum of the tile before, which is in memory
 * after that tile's phase. */
IW_KERNEL(scan_sums, iw_no_shared, two_phase_scan_args)
{
  IW_VAR(iw_f32, sum);
  for (size_t tile = 0; tile < args->blocks; tile += block->threads) {
    IW_PHASE(warp) {
      const iw_span here = iw_elements_from(warp, tile, args->blocks);
      IW_MY(sum) = iw_load(args->sums + here.first, here.valid);
    }
    iw_block_inclusive_prefix_sum(sum, sum);
    IW_PHASE(warp) {
      const iw_span here = iw_elements_from(warp, tile, args->blocks);
      if (tile > 0)
        IW_MY(sum) = iw_add(iw_splat(iw_get(args->sums + tile - 1)), IW_MY(sum));
      iw_store(args->sums + here.first, IW_MY(sum), here.valid);
    }
  }
}

IW_KERNEL(add_sums, iw_no_shared, two_phase_scan_args)
{
  IW_PHASE(warp) {
    if (block->index > 0) {
      const iw_span here = iw_elements(warp, args->n);
      const iw_f32 before = iw_splat(iw_get(args->sums + block->index - 1));
      iw_store(args->out + here.first, iw_add(before, iw_load(args->out + here.first, here.valid)), here.valid);
    }
  }
}
