/* SPDX-License-Identifier: Apache-2.0
 *
 * The total order of elements by which isowarp sorts and selects: integers by value, floats from -inf over
 * -0, +0 and +inf to NaN. All NaNs are equal, whatever their sign and payload. An element's rank is an
 * unsigned number of the element's width that ascends in this order; in descending order it is the
 * complement, so that NaN comes first. Elements are equal if and only if their ranks are. Ranks of NaNs are
 * equal, so only ranks of other elements can be turned back into these: algorithms move the elements' bits.
 * This header is for hosts and kernels; total_order_lanes.h has the lanes' form, and type_order.h the order
 * of a type. It knows no algorithm and no kernel language.
 */
#ifndef IW_ALGORITHMS_TOTAL_ORDER_H
#define IW_ALGORITHMS_TOTAL_ORDER_H

#include <stdint.h>

/* How the bits of an element become its rank: kernel arguments contain one. Bits beyond the type's width
 * are 0. */
typedef struct iw_total_order {
  uint64_t flip;            /* XORed to the bits of integers, and of floats whose sign bit is 0 */
  uint64_t negative_flip;   /* XORed to the bits of floats whose sign bit is 1; of integers the same as flip */
  uint64_t infinity;        /* floats: the bits of +inf; 0: an integer */
  uint64_t sign;            /* the sign bit */
  uint64_t nan;             /* floats: the rank of NaN */
} iw_total_order;

/* The rank of an element with these bits. */
static inline uint64_t iw_total_rank(const iw_total_order *order, uint64_t bits)
{
  if (order->infinity && (bits & (order->sign - 1)) > order->infinity)
    return order->nan;
  return bits ^ (bits & order->sign ? order->negative_flip : order->flip);
}

#endif
