/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels bucket_ids_pivot_8 and _16: bucket ids of elements of 1 and 2 bytes by a pivot, by their ranks: 0
 * is less, 1 equal, 2 greater or NaN. Wider elements are split by the bins of iw_plan_of_pivot(). Kernel
 * template without parameters; it must not know the host's runtime.
 */
#include "algorithms/common/narrow_order.h"

IW_FN iw_u32 iw_pivot_id(const iw_pivot_ids_args *args, iw_u32 rank)
{
  const iw_u32 none = iw_splat_u32(0), one = iw_splat_u32(1);
  return iw_add_u32(iw_select_u32(iw_ge_u32(rank, iw_splat_u32(args->equal)), one, none),
                    iw_select_u32(iw_ge_u32(rank, iw_splat_u32(args->greater)), one, none));
}

IW_FN iw_u32 iw_bucket_id_pivot_8(const iw_pivot_ids_args *args, iw_u32 bits, iw_pred some)
{
  (void)some;
  return iw_pivot_id(args, iw_rank_of_integer(&args->order, bits));
}

IW_FN iw_u32 iw_bucket_id_pivot_16(const iw_pivot_ids_args *args, iw_u32 bits, iw_pred some)
{
  (void)some;
  return iw_pivot_id(args, args->order.infinity ? iw_rank_of_half(&args->order, bits) : iw_rank_of_integer(&args->order, bits));
}

#define ARGS iw_pivot_ids_args
#define T u8
#define BY pivot_8
#include <isowarp/algorithms/common/bucket_ids_kernel.h>
#undef BY
#undef T
#define T u16
#define BY pivot_16
#include <isowarp/algorithms/common/bucket_ids_kernel.h>
#undef BY
#undef T
#undef ARGS
