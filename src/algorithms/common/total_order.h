/* SPDX-License-Identifier: Apache-2.0
 *
 * The total order of elements by which isowarp sorts and selects: integers by value, floats from -inf over
 * -0, +0 and +inf to NaN. All NaNs are equal, whatever their sign and payload. An element's rank is an
 * unsigned number of the element's width that ascends in this order; in descending order it is the
 * complement, so that NaN comes first. Elements are equal if and only if their ranks are. Ranks of NaNs are
 * equal, so ranks cannot be turned back into elements: algorithms move the elements' bits. This header is
 * the host's form; total_order_lanes.h has the lanes'. It knows no algorithm and no kernel language.
 */
#ifndef IW_ALGORITHMS_TOTAL_ORDER_H
#define IW_ALGORITHMS_TOTAL_ORDER_H

#include <stdint.h>
#include <isowarp.h>

/* How the bits of an element become its rank: kernel arguments contain one. Bits beyond the type's width are 0. */
typedef struct iw_total_order {
  uint64_t flip;            /* XORed to the bits of integers, and of floats whose sign bit is 0 */
  uint64_t negative_flip;   /* XORed to the bits of floats whose sign bit is 1; of integers the same as flip */
  uint64_t infinity;        /* floats: the bits of +inf; 0: an integer */
  uint64_t sign;            /* the sign bit */
  uint64_t nan;             /* floats: the rank of NaN */
} iw_total_order;

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch" /* the switch lists all types */

/* The order of a type, ascending or descending. */
static inline iw_total_order iw_total_order_of(iw_type type, int descending)
{
  unsigned bits = 8;
  int is_signed = 0;
  uint64_t infinity = 0;
  switch (type) {
  case IW_U8: case IW_BOOL: break;
  case IW_I8: is_signed = 1; break;
  case IW_U16: bits = 16; break;
  case IW_I16: bits = 16; is_signed = 1; break;
  case IW_F16: bits = 16; is_signed = 1; infinity = 0x7c00; break;
  case IW_BF16: bits = 16; is_signed = 1; infinity = 0x7f80; break;
  case IW_U32: bits = 32; break;
  case IW_I32: bits = 32; is_signed = 1; break;
  case IW_F32: bits = 32; is_signed = 1; infinity = 0x7f800000u; break;
  case IW_U64: bits = 64; break;
  case IW_I64: bits = 64; is_signed = 1; break;
  case IW_F64: bits = 64; is_signed = 1; infinity = 0x7ff0000000000000u; break;
  }
  const uint64_t all = ~(uint64_t)0 >> (64 - bits), sign = (uint64_t)1 << (bits - 1), inverted = descending ? all : 0;
  const uint64_t flip = (is_signed ? sign : 0) ^ inverted;
  return (iw_total_order){ flip, infinity ? all ^ inverted : flip, infinity, sign, all ^ inverted };
}

#pragma GCC diagnostic pop

/* The rank of an element with these bits. */
static inline uint64_t iw_total_rank(const iw_total_order *order, uint64_t bits)
{
  if (order->infinity && (bits & (order->sign - 1)) > order->infinity)
    return order->nan;
  return bits ^ (bits & order->sign ? order->negative_flip : order->flip);
}

#endif
