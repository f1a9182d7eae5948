/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 10, a mistake: one launch. A barrier orders the warps of a block, not the blocks.
 */
#include <isowarp/kernel.h>

typedef struct { const uint32_t *in; uint32_t *out; uint32_t *sums; size_t n; } scan_args;
typedef struct { int unused; } nothing;

IW_KERNEL(scan, nothing, scan_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  iw_block_inclusive_prefix_sum(x, x);
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->sums + block->index, sum);
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    uint32_t before = 0;
    for (size_t b = 0; b < block->index; b++)
      before += iw_get(args->sums + b);
    iw_store(args->out + here.first, iw_add(IW_MY(x), before), here.valid);
  }
}
