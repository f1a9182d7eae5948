/* SPDX-License-Identifier: Apache-2.0
 *
 * The softmax of each row of a matrix, exp(x - maximum) / sum of these: numbers from 0 to 1 whose sum is 1.
 * One block processes a row of any length. The sum adds by a tree over the block's threads, so its bits
 * depend on their number, but on no target, as iw_exp has the same bits everywhere.
 */
#include <isowarp/math.h>
#include "softmax_rows.h"

/* exp(x - maximum), 0 in lanes without an element. */
IW_FN iw_f32 exp_below(const float *row, float maximum, iw_span here)
{
  const iw_f32 x = iw_load(row + here.first, here.valid);
  return iw_select(here.valid, iw_exp(iw_sub(x, maximum)), 0);
}

IW_KERNEL(softmax_rows, iw_no_shared, softmax_rows_args)
{
  const size_t row = block->index * args->columns;
  IW_VAR(iw_f32, maximum);
  IW_VAR(iw_f32, sum);

  if (args->columns == 0)
    return;
  IW_WARPS(warp) { IW_MY(maximum) = iw_splat(iw_get(args->in + row)); }
  for (size_t start = 0; start < args->columns; start += block->threads)
    IW_WARPS(warp) {
      const iw_span here = iw_elements_from(warp, start, args->columns);
      const iw_f32 x = iw_load(args->in + row + here.first, here.valid);
      IW_MY(maximum) = iw_select(here.valid, iw_max(IW_MY(maximum), x), IW_MY(maximum));
    }
  const float row_maximum = iw_block_max(maximum);

  IW_WARPS(warp) { IW_MY(sum) = iw_splat(0.0f); }
  for (size_t start = 0; start < args->columns; start += block->threads)
    IW_WARPS(warp) {
      const iw_span here = iw_elements_from(warp, start, args->columns);
      IW_MY(sum) = iw_add(IW_MY(sum), exp_below(args->in + row, row_maximum, here));
    }
  const float row_sum = iw_block_sum(sum);

  for (size_t start = 0; start < args->columns; start += block->threads)
    IW_WARPS(warp) {
      const iw_span here = iw_elements_from(warp, start, args->columns);
      iw_store(args->out + row + here.first, iw_div(exp_below(args->in + row, row_maximum, here), row_sum), here.valid);
    }
}
