/* SPDX-License-Identifier: Apache-2.0
 *
 * Shifts and scales each row of a matrix so that its mean is 0 and its maximum is 1. One block processes a
 * row of any length in steps of its number of threads; block collectives give the sum and the maximum.
 */
#include <isowarp/kernel.h>
#include "normalise_rows.h"

IW_KERNEL(normalise_rows, iw_no_shared, normalise_rows_args)
{
  const size_t row = block->index * args->columns;
  IW_VAR(iw_f32, sum);
  IW_VAR(iw_f32, maximum);

  if (args->columns == 0)
    return;
  IW_WARPS(warp) {
    IW_MY(sum) = iw_splat(0.0f);
    IW_MY(maximum) = iw_splat(iw_get(args->in + row));
  }
  for (size_t start = 0; start < args->columns; start += block->threads)
    IW_WARPS(warp) {
      const iw_span here = iw_elements_from(warp, start, args->columns);
      const iw_f32 x = iw_load(args->in + row + here.first, here.valid);
      IW_MY(sum) = iw_add(IW_MY(sum), x); /* lanes without an element add 0 */
      IW_MY(maximum) = iw_select(here.valid, iw_max(IW_MY(maximum), x), IW_MY(maximum));
    }
  const float row_sum = iw_block_sum(sum);
  const float row_maximum = iw_block_max(maximum);

  for (size_t start = 0; start < args->columns; start += block->threads)
    IW_WARPS(warp) {
      const iw_span here = iw_elements_from(warp, start, args->columns);
      const iw_f32 mean = iw_div(iw_splat(row_sum), (float)args->columns);
      const iw_f32 range = iw_sub(iw_splat(row_maximum), mean);
      const iw_f32 x = iw_load(args->in + row + here.first, here.valid);
      const iw_f32 y = iw_select(iw_gt(range, 0), iw_div(iw_sub(x, mean), range), 0);
      iw_store(args->out + row + here.first, y, here.valid);
    }
}
