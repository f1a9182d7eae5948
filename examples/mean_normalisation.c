/* SPDX-License-Identifier: Apache-2.0
 *
 * Divides the elements of each block by their mean: a block sum, one division, and a broadcast. The last
 * block may have fewer elements than threads; its mean is that of its elements.
 */
#include <isowarp/kernel.h>
#include "mean_normalisation.h"

IW_KERNEL(mean_normalisation, iw_no_shared, mean_normalisation_args)
{
  const size_t left = args->n - block->index * block->threads;
  const size_t count = left < block->threads ? left : block->threads;
  IW_VAR(iw_f32, x);
  IW_VAR(iw_f32, mean);

  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const float sum = iw_block_sum(x);
  IW_PHASE(warp) {
    IW_MY(mean) = warp == 0 ? iw_div(iw_splat(sum), iw_splat((float)count)) : iw_splat(0.0f);
  }
  const float divisor = iw_block_broadcast(mean, 0);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->out + here.first, iw_div(IW_MY(x), iw_splat(divisor)), here.valid);
  }
}
