/* SPDX-License-Identifier: Apache-2.0
 *
 * The sum of a[i] * b[i] over each block's elements.
 */
#include <isowarp/kernel.h>
#include "dot.h"

IW_KERNEL(dot, iw_no_shared, dot_args)
{
  IW_VAR(iw_f32, product);
  IW_PHASE(warp) {
    const size_t at = block->index * block->threads + warp * IW_WARP_SIZE;
    const iw_pred some = iw_and_pred(iw_active(warp), iw_lanes_below((int64_t)args->n - (int64_t)at));
    IW_MY(product) = iw_mul(iw_load(args->a + at, some), iw_load(args->b + at, some));
  }
  const float sum = iw_block_sum(product);
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->sums + block->index, sum);
  }
}
