/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 7, a mistake: the scan of Hillis and Steele in place, with one barrier a step.
 */
#include <isowarp/kernel.h>

typedef struct { const uint32_t *in; uint32_t *out; size_t n; } block_scan_args;
typedef struct { uint32_t x[1024]; } block_scan_shared;

IW_KERNEL(block_scan, block_scan_shared, block_scan_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(shared->x + warp * IW_WARP_SIZE, iw_load(args->in + here.first, here.valid), iw_active(warp));
  }
  for (unsigned distance = 1; distance < block->threads; distance *= 2) {
    IW_PHASE(warp) {
      const iw_u32 i = iw_iota_u32(warp * IW_WARP_SIZE);
      const iw_pred adds = iw_and(iw_active(warp), iw_ge(i, distance));
      const iw_u32 before = iw_gather(shared->x, iw_sub(i, distance), adds);
      const iw_u32 own = iw_load(shared->x + warp * IW_WARP_SIZE, adds);
      iw_store(shared->x + warp * IW_WARP_SIZE, iw_add(own, before), adds);
    }
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->out + here.first, iw_load(shared->x + warp * IW_WARP_SIZE, here.valid), here.valid);
  }
}
