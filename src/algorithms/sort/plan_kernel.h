/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel sort_plan: decides on the device which passes of a sort run, where the host does not see the survey. Passes move arrays between
 * two places in turn. Two neighbouring passes whose digits are constant are left out together, so that those that follow find the
 * arrays where the host has said; a single one runs. Kernel template without parameters; it must not know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/sort/args.h"

/* The bits that vary; all if there was no survey. */
IW_FN uint64_t sort_plan_varying(const iw_sort_plan_args *args)
{
  enum { WORDS = sizeof(iw_sort_found) / sizeof(uint64_t) }; /* the first one is `varying` */
  iw_u64 bits = iw_splat(args->found_count ? (uint64_t)0 : ~(uint64_t)0);
  for (uint64_t at = 0; at < args->found_count; at += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(args->found_count - at));
    bits = iw_or(bits, iw_gather((const uint64_t *)(args->found + at), iw_mul(iw_lane(), iw_splat((uint32_t)WORDS)), some));
  }
  IW_UNROLL for (unsigned step = IW_WARP_SIZE / 2; step; step /= 2) bits = iw_or(bits, iw_shuffle_xor(bits, step, IW_WARP_SIZE));
  return iw_at(bits, 0);
}

IW_KERNEL_SIZED(sort_plan, iw_no_shared, iw_sort_plan_args, 32, 1)
{
  const int needed = !args->needed || iw_get_u32(args->needed);
  IW_PHASE(warp) {
    const uint64_t varying = needed ? sort_plan_varying(args) : 0;
    for (uint64_t k = 0; k < args->passes; k++) {
      const int is_pair = needed && k > 0 && k + 1 < args->key_passes && !(varying & (args->digits[k] | args->digits[k + 1]));
      iw_set_u32(args->runs + k, needed && !is_pair);
      if (is_pair) iw_set_u32(args->runs + ++k, 0);
    }
  }
}
