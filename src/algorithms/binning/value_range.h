/* SPDX-License-Identifier: Apache-2.0
 *
 * The range of the data in one pass: the least and the greatest sample of each warp. value_range.c finds
 * those of all samples by two reductions. Kernel template, compiled once per T; knows no bins.
 */
#include "algorithms/binning/args.h"
#include "algorithms/binning/sample_types.h"
#include "algorithms/common/chunks.h"

#define FN(name) IW_JOIN(name, T)
#define LANE IW_PASTE(IW_LANES_FOR_, T) /* u32 for u8 */
#define LANE_FN(name) IW_JOIN(name, LANE)

#ifndef IW_BINNING_VALUE_RANGE_H
#define IW_BINNING_VALUE_RANGE_H
enum { VALUE_RANGE_ROWS = 8 }; /* of a chunk */
#endif

IW_KERNEL(FN(value_range), iw_no_shared, iw_value_range_args)
{
  IW_PHASE(warp) {
    typedef IW_PASTE(iws_, LANE) scalar;
    const SCALAR *const samples = (const SCALAR *)args->samples;
    scalar *const least = (scalar *)args->least, *const greatest = (scalar *)args->greatest;
    const uint64_t mine = block->index * block->warps + warp, chunk = VALUE_RANGE_ROWS * IW_ROW(T);
    const warp_chunks own = chunks_of_warp(block, warp, (args->n + chunk - 1) / chunk);
    /* Sample 0 stands for the samples that a warp lacks. */
    const SAMPLE_LANES first = LANE_FN(iw_splat)(LANE_FN(iw_at)(FN(iw_load)(samples, iw_lanes_below(1)), 0));
    SAMPLE_LANES low = first, high = first;
    for (uint64_t c = own.first; c < own.end; c += own.step)
      for (uint64_t at = c * chunk; at < (c + 1) * chunk && at < args->n; at += IW_ROW(T)) {
        const int64_t valid = (int64_t)(args->n - at);
        const SAMPLE_ROW row = FN(iw_row_wait)(ISSUE_ROW(samples + at, valid));
        IW_EACH_VECTOR(T, v) {
          const SAMPLE_LANES x =
              LANE_FN(iw_select)(FN(iw_row_valid)(v, valid), FN(iw_row_vector)(row, v), first);
          low = LANE_FN(iw_min)(low, x);
          high = LANE_FN(iw_max)(high, x);
        }
      }
    if (args->accumulate) {
      low = LANE_FN(iw_min)(low, LANE_FN(iw_splat)(iw_get((const scalar *)least + mine)));
      high = LANE_FN(iw_max)(high, LANE_FN(iw_splat)(iw_get((const scalar *)greatest + mine)));
    }
    iw_set(least + mine, LANE_FN(iw_warp_min)(low));
    iw_set(greatest + mine, LANE_FN(iw_warp_max)(high));
  }
}

#undef LANE_FN
#undef LANE
#undef FN
