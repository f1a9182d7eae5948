/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel as a user writes it: each block divides its elements by their mean. One load, two block
 * collectives, one store.
 */
#ifndef PROVE_USER_H
#define PROVE_USER_H

#include <isowarp/kernel.h>
#include "prove.h"

typedef struct normalise_args { const float *in; float *out; size_t n; } normalise_args;
IW_KERNEL_SIZED(normalise, iw_no_shared, normalise_args, PROVE_BLOCK, 1)
{
  const size_t start = block->index * block->threads;
  const int64_t left = (int64_t)(args->n - start);
  const float count = (float)(left < (int64_t)block->threads ? left : (int64_t)block->threads);
  IW_VAR(iw_f32, x);
  IW_VAR(iw_f32, mean);                                     /* set by warp 0 only */
  (void)shared;
  IW_WARPS(warp) {
    const unsigned at = warp * IW_WARP_SIZE;
    const iw_pred valid = iw_and_pred(iw_active(warp), iw_lanes_below(left - at));
    IW_MY(x) = iw_load(args->in + start + at, valid);
  }
  const float sum = iw_block_sum(x);
  IW_WARPS(warp) if (warp == 0) IW_MY(mean) = iw_div(iw_splat(sum), iw_splat(count));
  const float block_mean = iw_block_broadcast(mean, 0);
  IW_WARPS(warp) {
    const unsigned at = warp * IW_WARP_SIZE;
    const iw_pred valid = iw_and_pred(iw_active(warp), iw_lanes_below(left - at));
    iw_store(args->out + start + at, iw_div(IW_MY(x), iw_splat(block_mean)), valid);
  }
}

#endif
