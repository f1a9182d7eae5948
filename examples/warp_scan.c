/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive prefix sum of each warp's elements: one call, which takes log2(IW_WARP_SIZE) steps in registers.
 */
#include <isowarp/kernel.h>
#include "warp_scan.h"

IW_KERNEL(warp_scan, iw_no_shared, warp_scan_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_f32 x = iw_load(args->in + here.first, here.valid);
    iw_store(args->out + here.first, iw_inclusive_prefix_sum(x), here.valid);
  }
}
