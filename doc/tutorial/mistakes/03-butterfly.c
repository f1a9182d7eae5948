/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 3, a mistake: the masks are those of a warp of 32 lanes.
 */
#include <isowarp/kernel.h>

typedef struct { const uint32_t *in; uint32_t *out; size_t n; } butterfly_args;
typedef struct { int unused; } nothing;

IW_KERNEL(butterfly, nothing, butterfly_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_u32 sum = iw_load(args->in + here.first, here.valid);
    for (unsigned mask = 16; mask > 0; mask /= 2)
      sum = iw_add(sum, iw_shuffle_xor(sum, mask, 32));
    iw_store(args->out + here.first, sum, here.valid);
  }
}
