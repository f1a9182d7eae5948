/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive prefix sum of one block by the algorithm of Hillis and Steele: in each step a thread adds the
 * value of the thread `distance` before it, from shared memory, and the distance doubles while it is below
 * the number of threads, which need not be a power of two. A step has two phases, because all threads read
 * before any thread writes. iw_block_inclusive_prefix_sum() needs two barriers only.
 */
#include <isowarp/kernel.h>
#include "block_scan.h"

typedef struct block_scan_shared { float values[1024]; } block_scan_shared;

IW_KERNEL(block_scan, block_scan_shared, block_scan_args)
{
  float *step = args->steps;
  IW_VAR(iw_f32, sum);

  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(sum) = iw_load(args->in + here.first, here.valid);
    iw_store(shared->values + warp * IW_WARP_SIZE, IW_MY(sum), iw_active(warp));
  }
  for (unsigned distance = 1; distance < block->threads; distance *= 2) {
    IW_PHASE(warp) {
      const iw_u32 thread = iw_add(iw_lane(), iw_splat(warp * IW_WARP_SIZE));
      const iw_pred reach = iw_and_pred(iw_active(warp), iw_ge(thread, iw_splat(distance)));
      const iw_f32 before = iw_gather(shared->values, iw_sub(thread, iw_splat(distance)), reach);
      IW_MY(sum) = iw_select(reach, iw_add(before, IW_MY(sum)), IW_MY(sum));
    }
    IW_PHASE(warp) {
      const iw_span here = iw_elements(warp, args->n);
      iw_store(shared->values + warp * IW_WARP_SIZE, IW_MY(sum), iw_active(warp));
      iw_store(step + here.first, IW_MY(sum), here.valid);
    }
    step += args->n;
  }
}
