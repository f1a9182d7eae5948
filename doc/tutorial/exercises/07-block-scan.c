/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 7: the inclusive scan of each block. Each warp scans its elements, then adds the sums of the
 * warps before it.
 */
#include <isowarp/kernel.h>

typedef struct { const uint32_t *in; uint32_t *out; size_t n; } block_scan_args;
typedef struct { uint32_t sums[1024 / IW_WARP_SIZE]; } block_scan_shared; /* one for each warp */

IW_KERNEL(block_scan, block_scan_shared, block_scan_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_inclusive_prefix_sum(iw_load(args->in + here.first, here.valid));
    iw_set(shared->sums + warp, iw_last(IW_MY(x)));
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    uint32_t before = 0;
    /* Exercise: `before` is the sum of the sums of the warps before this one. */
    if (warp > 0)
      before = iw_get(shared->sums + warp - 1);
    /* End of the exercise. */
    iw_store(args->out + here.first, iw_add(IW_MY(x), before), here.valid);
  }
}
