/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 3: lanes exchange values. Each element of out is the sum of the elements of its warp.
 */
#include <isowarp/kernel.h>

typedef struct { const uint32_t *in; uint32_t *out; size_t n; } butterfly_args;
typedef struct { int unused; } nothing;

IW_KERNEL(butterfly, nothing, butterfly_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_u32 sum = iw_load(args->in + here.first, here.valid);
    /* Exercise: after the loop every lane has the sum of all lanes. */
    for (unsigned mask = IW_WARP_SIZE / 2; mask > 0; mask /= 2)
      sum = iw_add(sum, iw_shuffle_xor(sum, mask, IW_WARP_SIZE));
    /* End of the exercise. */
    iw_store(args->out + here.first, sum, here.valid);
  }
}
