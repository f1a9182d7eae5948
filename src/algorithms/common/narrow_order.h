/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of elements of 1 and 2 bytes in kernels: their bits, in u32 lanes, become ranks, which are
 * compared as unsigned numbers. The host computes the same ranks of constants (partition/value_ranges.h). -0
 * and +0 have the same rank. A NaN has a rank above that of +inf, modulo 2^32. Part of kernel templates;
 * knows no algorithm.
 */
#ifndef IW_ALGORITHMS_NARROW_ORDER_H
#define IW_ALGORITHMS_NARROW_ORDER_H

#include "algorithms/common/args.h"

IW_FN iw_u32 iw_rank_of_integer(const iw_narrow_order *order, iw_u32 bits)
{
  return iw_xor_u32(bits, iw_splat_u32(order->flip));
}

/* Ranks ascend from that of -inf, 0, over that of zeros, which is the pattern of +inf. */
IW_FN iw_u32 iw_rank_of_half(const iw_narrow_order *order, iw_u32 bits)
{
  const iw_u32 zero = iw_splat_u32(order->infinity), negative = iw_splat_u32(order->infinity + 0x8000);
  return iw_select_u32(iw_lt_u32(bits, iw_splat_u32(0x8000)), iw_add_u32(zero, bits), iw_sub_u32(negative, bits));
}

#endif
