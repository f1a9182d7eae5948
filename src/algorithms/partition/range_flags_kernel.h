/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel template: flag bits of narrow elements by a range of values, like in_range.h; with args->inverted
 * by its complement. The elements are then moved by the bits, as payloads are, which saves a partition
 * kernel for each width. One kernel serves all types of a width: values are compared by their ranks in
 * args->order. Parameter: T, u8 or u16 (elements that come in u32 lanes), which the includer undefines.
 */
#include "algorithms/common/flag_bits.h"
#include "algorithms/common/narrow_order.h"

#define FN(name) IW_JOIN(name, T)                           /* FN(range_flags): range_flags_u8 */
static_assert(sizeof(SCALAR) < 4, "elements of 4 bytes or more have partition kernels of their own");

IW_FN iw_mask FN(range_flags_of)(const iw_flag_bits_args *args, int is_half, uint64_t at, iw_pred some)
{
  const iw_u32 bits = OF_T(iw_load)((const SCALAR *)args->in + at, some);
  const iw_u32 x = is_half ? iw_rank_of_half(&args->order, bits) : iw_rank_of_integer(&args->order, bits);
  const iw_pred within = iw_le_u32(iw_sub_u32(x, iw_splat_u32(args->lo)), iw_splat_u32(args->hi - args->lo));
  return iw_ballot(iw_and_pred(some, args->inverted ? iw_not_pred(within) : within));
}

#define INTEGER_FLAG_WORD(at, some) FN(range_flags_of)(args, 0, at, some)
#define HALF_FLAG_WORD(at, some) FN(range_flags_of)(args, 1, at, some)
IW_KERNEL_NO_SPECIALIZATION(FN(range_flags), iw_no_shared, iw_flag_bits_args, IW_FLAG_BITS_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    if (sizeof(SCALAR) == 2 && args->order.infinity)
      FOR_EACH_FLAG_WORD(HALF_FLAG_WORD);
    else
      FOR_EACH_FLAG_WORD(INTEGER_FLAG_WORD);
  }
}
#undef INTEGER_FLAG_WORD
#undef HALF_FLAG_WORD
#undef FN
