/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 6, a mistake: no barrier between the stores and the gather.
 */
#include <isowarp/kernel.h>

typedef struct { const uint32_t *in; uint32_t *out; } reverse_args;
typedef struct { uint32_t x[1024]; } reverse_shared;

IW_KERNEL(reverse, reverse_shared, reverse_args)
{
  const size_t first = block->index * block->threads;
  IW_PHASE(warp) {
    const unsigned thread = warp * IW_WARP_SIZE; /* of lane 0 */
    const iw_u32 x = iw_load(args->in + first + thread, iw_active(warp));
    iw_store(shared->x + thread, x, iw_active(warp));
    const iw_u32 from = iw_sub(iw_splat_u32(block->threads - 1), iw_iota_u32(thread));
    iw_store(args->out + first + thread, iw_gather(shared->x, from, iw_active(warp)), iw_active(warp));
  }
}
