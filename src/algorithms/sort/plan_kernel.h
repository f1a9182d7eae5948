/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel sort_plan: finds from counts of digits where passes put them, and decides on the device which
 * passes of a sort run. Passes move arrays between two places in turn. Two neighbouring passes whose digits
 * are constant are left out together, so that those that follow find the arrays where the host has said; a
 * single one runs, and so does the first, which reads the caller's array. Kernel template without
 * parameters; it must not know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/sort/args.h"

typedef struct { uint32_t varies[IW_MAX_PASSES]; } sort_plan_shared;

/* Scans the counts of a pass. Returns whether its digit varies. */
IW_FN int sort_scan_counts(const iw_sort_plan_args *args, uint64_t pass)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  uint64_t before = 0;
  int varies = 1;
  for (uint32_t d = 0; d < IW_RADIX_DIGITS; d += IW_WARP_SIZE) {
    uint64_t *const counts = args->counts + pass * IW_RADIX_DIGITS + d;
    const iw_u64 count = iw_load(counts, all), to = iw_inclusive_prefix_sum(count);
    if (iw_any(iw_eq(count, iw_splat(args->n)))) varies = 0;
    iw_store(counts, iw_add(iw_sub(to, count), iw_splat(before)), all);
    before += iw_last(to);
  }
  return varies;
}

IW_KERNEL(sort_plan, sort_plan_shared, iw_sort_plan_args)
{
  const int needed = !args->needed || iw_get_u32(args->needed);
  IW_PHASE(warp) { iw_set_u32(shared->varies + warp, !args->counts || !needed || sort_scan_counts(args, warp)); }
  IW_PHASE(warp) {
    for (uint64_t k = 0; warp == 0 && k < args->passes; k++) {
      const int is_pair = k > 0 && k + 1 < args->key_passes && !iw_get_u32(shared->varies + k) && !iw_get_u32(shared->varies + k + 1);
      iw_set_u32(args->runs + k, needed && !is_pair);
      if (is_pair) iw_set_u32(args->runs + ++k, 0);
    }
  }
}
