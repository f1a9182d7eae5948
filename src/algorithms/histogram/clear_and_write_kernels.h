/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches before and after counting: clearing counters, and writing the caller's counters. Kernels without
 * a type parameter; they know neither samples nor bins' edges. Other algorithms clear by the first one, too
 * (common/clear.h).
 */
#include <isowarp/primitives.h>
#include "algorithms/common/args.h"
#include "algorithms/histogram/write_counts.h"

/* Of more blocks the next launch does not count while they run (overlaps of iw_histogram_rows_args), so its
 * blocks would only take the places of these. */
enum { CLEAR_FEW_BLOCKS = 4 };

IW_KERNEL(clear, iw_no_shared, iw_clear_args)
{
  if (block->blocks <= CLEAR_FEW_BLOCKS) iw_begin_next_launch();
  IW_PHASE(warp) {
    const uint64_t lanes = block->blocks * block->threads, first = (block->index * block->warps + warp) * IW_WARP_SIZE;
    for (uint64_t at = first; at < args->n; at += lanes)
      iw_store(args->words + at, iw_splat((uint64_t)0), iw_lanes_below((int64_t)(args->n - at)));
    for (uint64_t at = first; at < args->n_halves; at += lanes)
      iw_store(args->halves + at, iw_splat(0u), iw_lanes_below((int64_t)(args->n_halves - at)));
  }
}

IW_KERNEL(histogram_write_counts, iw_no_shared, iw_write_counts_args)
{
  IW_PHASE(warp) { write_counts(args, (block->index * block->warps + warp) * IW_WARP_SIZE); }
}
