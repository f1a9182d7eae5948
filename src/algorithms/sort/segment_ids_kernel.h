/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel segment_ids: the index of the segment that each element is in, by which segments are sorted after
 * their keys. For offsets each lane finds by binary search how many segments end at or before its element.
 * Kernel template without parameters; it must not know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/sort/args.h"

/* The ends of the segments `at`. */
IW_FN iw_u64 segment_ends(const iw_segment_ids_args *args, iw_u64 at, iw_pred some)
{
  if (args->wide_offsets) return iw_gather_far((const uint64_t *)args->offsets + 1, at, some);
  return iw_to_u64(iw_gather_far((const uint32_t *)args->offsets + 1, at, some));
}

IW_FN iw_u64 segment_ids_of(const iw_segment_ids_args *args, iw_u64 element, iw_pred some)
{
  if (!args->offsets) return iw_div(element, iw_splat(args->columns));
  iw_u64 ended = iw_splat((uint64_t)0);            /* invariant: at least so many segments end at or before the element */
  for (uint64_t step = args->steps; step-- > 0;) {
    const iw_u64 next = iw_add(ended, iw_splat((uint64_t)1 << step));
    const iw_pred there = iw_and_pred(some, iw_le(next, iw_splat(args->count)));
    const iw_u64 end = segment_ends(args, iw_sub(next, iw_splat((uint64_t)1)), there);
    ended = iw_select(iw_and_pred(there, iw_le(end, element)), next, ended);
  }
  return iw_min(ended, iw_splat(args->count - 1)); /* invalid offsets */
}

IW_KERNEL(segment_ids, iw_no_shared, iw_segment_ids_args)
{
  if (args->needed && !iw_get_u32(args->needed)) return;
  IW_PHASE(warp) {
    const uint64_t first = ((uint64_t)block->index * block->warps + warp) * IW_SEGMENT_IDS_CHUNK;
    const uint64_t end = first + IW_SEGMENT_IDS_CHUNK < args->n ? first + IW_SEGMENT_IDS_CHUNK : args->n;
    for (uint64_t at = first; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      const iw_u64 id = segment_ids_of(args, iw_add(iw_to_u64(iw_lane()), iw_splat(at)), some);
      if (args->id_bytes == 8) iw_store((uint64_t *)args->ids + at, id, some);
      else iw_store((uint32_t *)args->ids + at, iw_to_u32(id), some);
    }
  }
}
