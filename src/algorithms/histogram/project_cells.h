/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel project_cells: for each cell of a table, the cell of another table to which it is added: the table
 * with some of its axes summed over, or with several bins made one. Kernel template without a type
 * parameter; knows no counters.
 */
#ifndef IW_HISTOGRAM_PROJECT_CELLS_H
#define IW_HISTOGRAM_PROJECT_CELLS_H

#include <isowarp/primitives.h>
#include "algorithms/histogram/args.h"

/* floor(x / divisor) for x below 2^31: the quotient of x + 1/2 is at least 1/2/divisor from every integer,
 * and its error in double is below x/divisor * 2^-51, which is less. */
IW_FN iw_u32 divided(iw_u32 x, double reciprocal)
{
  const iw_f64 middle = iw_add_f64(iw_to_f64(x), iw_splat(0.5));
  return iw_to_index(iw_mul_f64(middle, iw_splat(reciprocal)), 0x7fffffffu);
}

IW_KERNEL(project_cells, iw_no_shared, iw_project_args)
{
  IW_PHASE(warp) {
    const uint64_t first = (block->index * block->warps + warp) * IW_PROJECT_CHUNK;
    const uint64_t end = first + IW_PROJECT_CHUNK < args->n ? first + IW_PROJECT_CHUNK : args->n;
    for (uint64_t at = first; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      iw_u32 rest = iw_iota_u32(args->first + at), to = iw_splat(0u);
      for (uint32_t d = args->dimensions; d-- > 0;) {
        const iw_project_axis axis = args->axes[d];
        const iw_u32 before = divided(rest, axis.reciprocal_of_cells);
        const iw_u32 cell = iw_sub_u32(rest, iw_mul_u32(before, iw_splat(axis.cells)));
        const iw_u32 bin = divided(cell, axis.reciprocal_of_factor);
        const iw_u32 outlier = iw_sub_u32(cell, iw_splat(axis.bins - axis.merged));
        const iw_u32 place = iw_select(iw_lt(cell, iw_splat(axis.bins)), bin, outlier);
        to = iw_add_u32(to, iw_mul_u32(place, iw_splat(axis.stride)));
        rest = before;
      }
      iw_store(args->out + at, to, some);
    }
  }
}

#endif
