/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive prefix sum of each warp's elements: one call, which takes log2(IW_WARP_SIZE) steps in registers.
 */
#include <isowarp/kernel.h>
#include "elements.h"
#include "warp_scan.h"

IW_KERNEL(warp_scan, nothing, warp_scan_args)
{
  IW_PHASE(warp) {
    const size_t at = first_element(block, warp);
    const iw_pred some = with_element(block, warp, args->n);
    const iw_f32 x = iw_load(args->in + at, some);
    iw_store(args->out + at, iw_inclusive_prefix_sum(x), some);
  }
}
