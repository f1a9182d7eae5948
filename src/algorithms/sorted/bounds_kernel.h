/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel bounds: lower and upper bounds of values in a sorted array. Each lane bisects for one value. Kernel
 * template without parameters; it must not know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/sorted/args.h"

/* For each width of keys: bounds_find_T. */
#define TEMPLATE "algorithms/sorted/bounds_of_keys.h"
#include "algorithms/common/for_each_width.h"
#undef TEMPLATE

IW_FN iw_u64 bounds_at(const iw_bounds_args *args, uint64_t at, iw_pred some)
{
  switch (args->key_bytes) {
  case 1: return bounds_find_u8(args, at, some);
  case 2: return bounds_find_u16(args, at, some);
  case 4: return bounds_find_u32(args, at, some);
  default: return bounds_find_u64(args, at, some);
  }
}

IW_KERNEL(bounds, iw_no_shared, iw_bounds_args)
{
  IW_PHASE(warp) {
    const uint64_t first = ((uint64_t)block->index * block->warps + warp) * args->chunk;
    const uint64_t end = first + args->chunk < args->count ? first + args->chunk : args->count;
    for (uint64_t at = first; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      const iw_u64 found = bounds_at(args, at, some);
      if (args->index_bytes == 8) iw_store((uint64_t *)args->indices + at, found, some);
      else iw_store((uint32_t *)args->indices + at, iw_to_u32(found), some);
    }
  }
}
