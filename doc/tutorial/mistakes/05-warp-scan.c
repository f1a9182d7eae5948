/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 5, a mistake: the lanes whose source does not exist add, too.
 */
#include <isowarp/kernel.h>

typedef struct { const uint32_t *in; uint32_t *out; size_t n; } warp_scan_args;
typedef struct { int unused; } nothing;

IW_KERNEL(warp_scan, nothing, warp_scan_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_u32 sum = iw_load(args->in + here.first, here.valid);
    for (unsigned distance = 1; distance < IW_WARP_SIZE; distance *= 2) {
      const iw_u32 before = iw_shuffle_up(sum, distance, IW_WARP_SIZE);
      sum = iw_add(sum, before);
    }
    iw_store(args->out + here.first, sum, here.valid);
  }
}
