/* SPDX-License-Identifier: Apache-2.0
 *
 * Each warp moves its elements below the pivot to the left and the others to the right, both in their
 * order. Prefix sums give the position on each side, and a butterfly the number of elements on the left. An
 * element that is not on the left is on the right, so that a NaN has a position too.
 */
#include <isowarp/kernel.h>
#include "warp_partition.h"

IW_KERNEL(warp_partition, iw_no_shared, warp_partition_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_f32 x = iw_load(args->in + here.first, here.valid);

    const iw_pred left = iw_and_pred(here.valid, iw_lt(x, iw_splat(args->pivot)));
    const iw_pred right = iw_and_pred(here.valid, iw_not_pred(left));
    const iw_u32 is_left = iw_select(left, iw_splat(1u), iw_splat(0u));
    const iw_u32 is_right = iw_select(right, iw_splat(1u), iw_splat(0u));

    const iw_u32 left_place = iw_exclusive_prefix_sum(is_left);
    const iw_u32 right_place = iw_exclusive_prefix_sum(is_right);

    iw_u32 lefts = is_left;
    for (unsigned distance = IW_WARP_SIZE / 2; distance > 0; distance /= 2)
      lefts = iw_add(lefts, iw_shuffle_xor(lefts, distance, IW_WARP_SIZE));

    const iw_u32 place = iw_select(left, left_place, iw_add(lefts, right_place));
    iw_scatter(args->out + here.first, place, x, here.valid);
    iw_store(args->left_places + here.first, left_place, here.valid);
    iw_store(args->right_places + here.first, right_place, here.valid);
  }
}
