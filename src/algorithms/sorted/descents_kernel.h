/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel descents: the first element of a part of an array that comes before the one in front of it. A warp
 * has a chunk. Kernel template without parameters; it must not know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/sorted/args.h"

/* For each width of keys: descents_find_T. */
#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE "algorithms/sorted/descents_of_keys.h"
#include <isowarp/language/for_each_type.h>

IW_FN uint64_t descents_find(const iw_descents_args *args, uint64_t at, uint64_t end)
{
  switch (args->key_bytes) {
  case 1: return descents_find_u8(args, at, end);
  case 2: return descents_find_u16(args, at, end);
  case 4: return descents_find_u32(args, at, end);
  default: return descents_find_u64(args, at, end);
  }
}

IW_KERNEL_NO_SPECIALIZATION(descents, iw_no_shared, iw_descents_args, IW_DESCENTS_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    const uint64_t at = args->first + ((uint64_t)block->index * block->warps + warp) * IW_DESCENTS_CHUNK;
    if (at < args->end) {
      const uint64_t end = IW_DESCENTS_CHUNK < args->end - at ? at + IW_DESCENTS_CHUNK : args->end;
      const uint64_t found = descents_find(args, at, end);
      if (found < end) iw_global_min(args->found, 0, iw_splat(found), iw_lanes_below(1));
    }
  }
}
