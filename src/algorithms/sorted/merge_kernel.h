/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel merge: merges two sorted arrays by merge path (Odeh, Green, Mwassi, Shmueli and Birk 2012). Each lane finds by bisection where
 * its run of the output begins in both arrays, and merges the run element by element. Kernel template without parameters; it must not
 * know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/sorted/args.h"

/* For each width of keys: merge_run_T. */
#define TEMPLATE "algorithms/sorted/merge_keys.h"
#include "algorithms/common/for_each_width.h"
#undef TEMPLATE

IW_KERNEL_NO_SPECIALIZATION(merge, iw_no_shared, iw_merge_args, IW_MERGE_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    const uint64_t first = ((uint64_t)block->index * block->warps + warp) * IW_MERGE_RUN * IW_WARP_SIZE;
    if (first < args->a_count + args->b_count)
      switch (args->key_bytes) {
      case 1: merge_run_u8(args, first); break;
      case 2: merge_run_u16(args, first); break;
      case 4: merge_run_u32(args, first); break;
      default: merge_run_u64(args, first); break;
      }
  }
}
