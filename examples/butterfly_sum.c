/* SPDX-License-Identifier: Apache-2.0
 *
 * The sum of `width` lanes, in each of them, by a butterfly: in each step a lane adds the value of its
 * partner, and the distance of partners is halved. iw_warp_sum() does this for a whole warp.
 */
#include <isowarp/kernel.h>
#include "butterfly_sum.h"

IW_KERNEL(butterfly_sum, iw_no_shared, butterfly_sum_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_u32 sum = iw_load(args->in + here.first, here.valid); /* 0 in lanes without an element */
    for (unsigned distance = args->width / 2; distance > 0; distance /= 2)
      sum = iw_add(sum, iw_shuffle_xor(sum, distance, args->width));
    iw_store(args->out + here.first, sum, here.valid);
  }
}
