/* SPDX-License-Identifier: Apache-2.0
 *
 * The range of the data in one pass: the least and the greatest of each warp's rows. Compiled once per T, which may be u8 or
 * u16.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/args.h"

#ifndef IW_KERNELS_EXTENT_H
#define IW_KERNELS_EXTENT_H
enum { VALUE_RANGE_ROWS = 8 }; /* of a warp, one after the other */
/* What samples are in lanes and in memory. */
#define LANE_u8 u32
#define LANE_u16 u32
#define LANE_i32 i32
#define LANE_u32 u32
#define LANE_i64 i64
#define LANE_u64 u64
#define LANE_f32 f32
#define LANE_f64 f64
#define ISSUE_ROW(t) \
IW_FN iw_row_##t##_pending issue_row_##t(const iws_##t *p, int64_t valid) { return iw_row_issue_##t(p, valid, 0); }
IW_FN iw_row_u8_pending issue_row_u8(const iws_u8 *p, int64_t valid) { return iw_row_issue_u8(p, valid); }
IW_FN iw_row_u16_pending issue_row_u16(const iws_u16 *p, int64_t valid) { return iw_row_issue_u16(p, valid); }
ISSUE_ROW(i32) ISSUE_ROW(u32) ISSUE_ROW(i64) ISSUE_ROW(u64) ISSUE_ROW(f32) ISSUE_ROW(f64)
#endif
#define LANE IW_PASTE(LANE_, T)

IW_KERNEL(OF_T(value_range), iw_no_shared, iw_value_range_args)
{
  IW_PHASE(warp) {
    typedef IW_PASTE(iw_, LANE) lanes;
    typedef IW_PASTE(iws_, LANE) scalar;
    const SCALAR *const samples = (const SCALAR *)args->samples;
    scalar *const least = (scalar *)args->least, *const greatest = (scalar *)args->greatest;
    const uint64_t mine = block->index * block->warps + warp, warps = block->blocks * block->warps;
    const uint64_t run = VALUE_RANGE_ROWS * IW_ROW(T);
    const lanes first = IW_JOIN(iw_splat, LANE)(IW_JOIN(iw_at, LANE)(OF_T(iw_load)(samples, iw_lanes_below(1)), 0));
    lanes low = first, high = first;
    for (uint64_t from = mine * run; from < args->n; from += warps * run)
      for (uint64_t at = from; at < from + run && at < args->n; at += IW_ROW(T)) {
        const int64_t valid = (int64_t)(args->n - at);
        const IW_PASTE(iw_row_, T) row = OF_T(iw_row_wait)(OF_T(issue_row)(samples + at, valid));
        IW_EACH_VECTOR(T, v) {
          const iw_pred some = OF_T(iw_row_valid)(v, valid);
          const lanes x = IW_JOIN(iw_select, LANE)(some, OF_T(iw_row_vector)(row, v), first);
          low = IW_JOIN(iw_min, LANE)(low, x);
          high = IW_JOIN(iw_max, LANE)(high, x);
        }
      }
    if (args->more) {
      low = IW_JOIN(iw_min, LANE)(low, IW_JOIN(iw_splat, LANE)(iw_get((const scalar *)least + mine)));
      high = IW_JOIN(iw_max, LANE)(high, IW_JOIN(iw_splat, LANE)(iw_get((const scalar *)greatest + mine)));
    }
    iw_set(least + mine, IW_JOIN(iw_warp_min, LANE)(low));
    iw_set(greatest + mine, IW_JOIN(iw_warp_max, LANE)(high));
  }
}
#undef LANE
