/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranks in the total order of total_order.h in kernels. Elements of 1, 2 and 4 bytes are bits in u32 lanes,
 * those of 8 bytes in u64 lanes. The order is a kernel argument and the same for all lanes, so that a kernel
 * serves all types of a width. Part of kernel templates; knows no algorithm.
 */
#ifndef IW_ALGORITHMS_TOTAL_ORDER_LANES_H
#define IW_ALGORITHMS_TOTAL_ORDER_LANES_H

#include "algorithms/common/total_order.h"

/* iw_total_rank() in kernels: of one element, which has 8 bytes. */
IW_FN uint64_t iw_total_rank_of_one(const iw_total_order *order, uint64_t bits)
{
  if (order->infinity && (bits & (order->sign - 1)) > order->infinity) return order->nan;
  return bits ^ (bits & order->sign ? order->negative_flip : order->flip);
}

/* Ranks of integers, and of floats: for many elements, so that the branch is around all of them. */
IW_FN iw_u32 iw_total_rank_of_integers_u32(const iw_total_order *order, iw_u32 bits)
{
  return iw_xor_u32(bits, iw_splat_u32((uint32_t)order->flip));
}

IW_FN iw_u64 iw_total_rank_of_integers_u64(const iw_total_order *order, iw_u64 bits)
{
  return iw_xor_u64(bits, iw_splat_u64(order->flip));
}

IW_FN iw_u32 iw_total_rank_of_floats_u32(const iw_total_order *order, iw_u32 bits)
{
  const iw_u32 flip = iw_splat_u32((uint32_t)order->flip);
  const iw_u32 magnitude = iw_and_u32(bits, iw_splat_u32((uint32_t)order->sign - 1));
  const iw_u32 rank = iw_xor_u32(bits, iw_select_u32(iw_eq_u32(bits, magnitude), flip, iw_splat_u32((uint32_t)order->negative_flip)));
  const iw_pred is_nan = iw_gt_i32(iw_to_i32(magnitude), iw_splat_i32((int32_t)order->infinity)); /* signed: AVX2 has no other */
  return iw_select_u32(is_nan, iw_splat_u32((uint32_t)order->nan), rank);
}

/* Without predicates, which AVX2 has as masks of 4-byte lanes and widens for 8 bytes
 * (doc/design/sort.md#sorts-by-ranks): 0 - (x >> 63) is all ones if the first bit of x is set. A NaN's
 * ascending rank is all ones, too. */
IW_FN iw_u64 iw_total_rank_of_floats_u64(const iw_total_order *order, iw_u64 bits)
{
  const iw_u64 zero = iw_splat_u64(0), last = iw_splat_u64(63), below_sign = iw_splat_u64(order->sign - 1);
  const iw_u64 negative = iw_sub_u64(zero, iw_shr_u64(bits, last));
  const iw_u64 beyond = iw_sub_u64(iw_splat_u64(order->infinity), iw_and_u64(bits, below_sign));
  const iw_u64 nan = iw_sub_u64(zero, iw_shr_u64(beyond, last));
  const iw_u64 number = iw_xor_u64(iw_xor_u64(bits, iw_and_u64(negative, below_sign)), iw_splat_u64(order->sign));
  return iw_xor_u64(iw_or_u64(number, nan), iw_splat_u64(~order->nan));
}

IW_FN iw_u32 iw_total_rank_u32(const iw_total_order *order, iw_u32 bits)
{
  return order->infinity ? iw_total_rank_of_floats_u32(order, bits) : iw_total_rank_of_integers_u32(order, bits);
}

IW_FN iw_u64 iw_total_rank_u64(const iw_total_order *order, iw_u64 bits)
{
  return order->infinity ? iw_total_rank_of_floats_u64(order, bits) : iw_total_rank_of_integers_u64(order, bits);
}

/* The elements that have these ranks, which are no NaN's. */
IW_FN iw_u32 iw_total_bits_u32(const iw_total_order *order, iw_u32 rank)
{
  const iw_u32 flip = iw_splat_u32((uint32_t)order->flip), sign = iw_splat_u32((uint32_t)order->sign);
  const iw_pred is_negative = iw_eq_u32(iw_and_u32(iw_xor_u32(rank, flip), sign), sign);
  return iw_xor_u32(rank, iw_select_u32(is_negative, iw_splat_u32((uint32_t)order->negative_flip), flip));
}

IW_FN iw_u64 iw_total_bits_u64(const iw_total_order *order, iw_u64 rank)
{
  const iw_u64 flip = iw_splat_u64(order->flip), sign = iw_splat_u64(order->sign);
  const iw_pred is_negative = iw_eq_u64(iw_and_u64(iw_xor_u64(rank, flip), sign), sign);
  return iw_xor_u64(rank, iw_select_u64(is_negative, iw_splat_u64(order->negative_flip), flip));
}

#endif
