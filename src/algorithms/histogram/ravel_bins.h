/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel ravel_bins: turns the bin indices of a sample on one or two axes into the index of one counter, as
 * NumPy's ravel_multi_index. Kernel template without a type parameter; knows neither samples nor counters.
 */
#ifndef IW_HISTOGRAM_RAVEL_BINS_H
#define IW_HISTOGRAM_RAVEL_BINS_H

#include <isowarp/primitives.h>
#include "algorithms/histogram/args.h"

enum { AXIS_DROP, AXIS_CLAMP, AXIS_COUNT }; /* iw_policy */

/* Turns bin indices into coordinates on an axis; axis->outputs for a sample that has none. */
IW_FN iw_u32 axis_coordinate(const iw_axis *axis, iw_u32 bin)
{
  const iw_u32 bins = iw_splat(axis->bins), none = iw_splat(axis->outputs), last = iw_splat(axis->bins - 1);
  const iw_pred below = iw_eq(bin, bins), above = iw_eq(bin, iw_splat(axis->bins + 1));
  if (axis->policy == AXIS_CLAMP) bin = iw_select(below, iw_splat(0u), iw_select(above, last, bin));
  return iw_min(bin, none);
}

IW_KERNEL(ravel_bins, iw_no_shared, iw_ravel_args)
{
  IW_PHASE(warp) {
    const iw_axis x_axis = args->x_axis, y_axis = args->y_axis;
    const uint64_t row = block->index / args->parts;
    const uint64_t part = block->index % args->parts * IW_RAVEL_BLOCK_COLUMNS;
    const uint64_t end = part + IW_RAVEL_BLOCK_COLUMNS < args->columns ? part + IW_RAVEL_BLOCK_COLUMNS
        : args->columns;
    const iw_u32 base = iw_splat((uint32_t)row * args->row_outputs), none = iw_splat(args->none);
    for (uint64_t at = part + warp * IW_WARP_SIZE; at < end; at += block->warps * IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      const uint64_t from = row * args->columns + at;
      iw_u32 place = axis_coordinate(&x_axis, iw_load(args->x + from, some));
      iw_pred there = iw_lt_u32(place, iw_splat(x_axis.outputs));
      if (args->y) {
        const iw_u32 y = axis_coordinate(&y_axis, iw_load(args->y + from, some));
        there = iw_and_pred(there, iw_lt_u32(y, iw_splat(y_axis.outputs)));
        place = iw_add(iw_mul(place, iw_splat(y_axis.outputs)), y);
      }
      iw_store(args->out + from, iw_select(there, iw_add(base, place), none), some);
    }
  }
}

#endif
