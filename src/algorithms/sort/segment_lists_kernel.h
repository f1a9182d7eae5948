/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel segment_lists: lists segments by length, so that blocks of a fitting size sort those of each list
 * (block_sort_kernel.h). A warp adds to a list by one atomic addition. Kernel template without parameters;
 * it must not know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/sort/args.h"

/* Where the segments `at` begin, or with next = 1 end: at most n, whatever the offsets are. */
IW_FN iw_u64 segment_lists_offset(const iw_segment_lists_args *args, uint64_t at, int next, iw_pred some)
{
  const iw_u64 offset = args->wide_offsets ? iw_load((const uint64_t *)args->offsets + at + next, some)
                                           : iw_to_u64(iw_load((const uint32_t *)args->offsets + at + next, some));
  return iw_min(offset, iw_splat(args->n));
}

/* Adds the segments of `some` to list c, the first of which is segment `at`. */
IW_FN void segment_lists_add(const iw_block *block, const iw_segment_lists_args *args, unsigned c, uint64_t at, iw_pred some)
{
  const iw_u32 old = iw_global_add(args->counters, iw_splat(c), iw_splat((uint32_t)iw_popcount_of(some)), iw_lanes_below(1));
  if (c == IW_SEGMENT_CLASSES) return;
  const iw_u64 place = iw_to_u64(iw_add(iw_rank(some), iw_splat(iw_at(old, 0))));
  iw_scatter_far(args->lists[c], place, iw_add(iw_lane(), iw_splat((uint32_t)at)),
                 iw_and_pred(some, iw_lt(place, iw_splat(args->capacity[c]))));
}

IW_KERNEL_NO_SPECIALIZATION(segment_lists, iw_no_shared, iw_segment_lists_args, 0, 1)
{
  IW_PHASE(warp) {
    const uint64_t first = ((uint64_t)block->index * block->warps + warp) * IW_SEGMENT_LISTS_CHUNK;
    const uint64_t end = first + IW_SEGMENT_LISTS_CHUNK < args->count ? first + IW_SEGMENT_LISTS_CHUNK : args->count;
    for (uint64_t at = first; at < end; at += IW_WARP_SIZE) {
      iw_pred some = iw_lanes_below((int64_t)(end - at));
      const iw_u64 begins = segment_lists_offset(args, at, 0, some), ends = segment_lists_offset(args, at, 1, some);
      some = iw_and_pred(some, iw_lt(begins, ends));
      for (unsigned c = 0; c <= IW_SEGMENT_CLASSES && iw_any(some); c++) {
        const iw_pred fits = c < IW_SEGMENT_CLASSES ? iw_and_pred(some, iw_le(iw_sub(ends, begins), iw_splat(args->most[c]))) : some;
        if (iw_any(fits)) segment_lists_add(block, args, c, at, fits);
        some = iw_and_pred(some, iw_not_pred(fits));
      }
    }
  }
}
