/* SPDX-License-Identifier: Apache-2.0
 *
 * Floats in lanes as digits of exact sums (common/exact_number.h; the idea is Kulisch's long accumulator).
 * Kernel template text without a type parameter; knows no memory.
 */
#ifndef IW_COMMON_EXACT_DIGITS_H
#define IW_COMMON_EXACT_DIGITS_H

#include <isowarp/primitives.h>
#include "algorithms/common/exact_number.h"

/* A finite float is mantissa * 2^place in units of the smallest subnormal number; mantissa < 2^53. */
typedef struct float_parts { iw_u64 mantissa; iw_u32 place; iw_pred negative, special, nan; } float_parts;

IW_FN float_parts decompose_f32(iw_u32 bits)
{
  const iw_u32 field = iw_and(iw_shr(bits, iw_splat(23u)), iw_splat(255u));
  const iw_u32 rest = iw_and(bits, iw_splat(0x7fffffu));
  const iw_pred normal = iw_gt(field, iw_splat(0u));
  float_parts p;
  p.mantissa = iw_to_u64(iw_select(normal, iw_or(rest, iw_splat(0x800000u)), rest));
  p.place = iw_select(normal, iw_sub(field, iw_splat(1u)), iw_splat(0u));
  p.negative = iw_gt(bits, iw_splat(0x7fffffffu));
  p.special = iw_eq(field, iw_splat(255u));
  p.nan = iw_and_pred(p.special, iw_gt(rest, iw_splat(0u)));
  return p;
}

IW_FN float_parts decompose_f64(iw_u64 bits)
{
  const iw_u32 field = iw_to_u32(iw_and(iw_shr(bits, iw_splat((uint64_t)52)), iw_splat((uint64_t)2047)));
  const iw_u64 one = iw_splat((uint64_t)1 << 52), rest = iw_and(bits, iw_splat(((uint64_t)1 << 52) - 1));
  const iw_pred normal = iw_gt(field, iw_splat(0u));
  float_parts p;
  p.mantissa = iw_select(normal, iw_or(rest, one), rest);
  p.place = iw_select(normal, iw_sub(field, iw_splat(1u)), iw_splat(0u));
  p.negative = iw_gt(bits, iw_splat(UINT64_MAX >> 1));
  p.special = iw_eq(field, iw_splat(2047u));
  p.nan = iw_and_pred(p.special, iw_gt(rest, iw_splat((uint64_t)0)));
  return p;
}

/* A finite float as what it adds to three consecutive words, the first of which is `word`: the digits that
 * the two 26-bit halves of its mantissa overlap, negated if it is negative. The last one of an f32 is 0. */
typedef struct float_digits { iw_u32 word; iw_u64 values[3]; } float_digits;

IW_FN float_digits split_digits(float_parts p)
{
  const iw_u64 low = iw_splat((uint64_t)IW_DIGIT_MASK), bits = iw_splat((uint64_t)IW_DIGIT_BITS);
  const iw_u64 zero = iw_splat((uint64_t)0);
  float_digits d;
  /* place / 26, exact for place < 2047 */
  d.word = iw_shr(iw_mul(p.place, iw_splat(2521u)), iw_splat(16u));
  const iw_u64 shift = iw_to_u64(iw_sub(p.place, iw_mul(d.word, iw_splat((uint32_t)IW_DIGIT_BITS))));
  const iw_u64 a = iw_shl(iw_and(p.mantissa, low), shift), b = iw_shl(iw_shr(p.mantissa, bits), shift);
  d.values[0] = iw_and(a, low);
  d.values[1] = iw_add(iw_shr(a, bits), iw_and(b, low));
  d.values[2] = iw_shr(b, bits);
  IW_UNROLL for (int k = 0; k < 3; k++)
    d.values[k] = iw_select(p.negative, iw_sub(zero, d.values[k]), d.values[k]);
  return d;
}

/* Which word behind the digits counts a float that is not finite. */
IW_FN iw_u32 nonfinite_word(float_parts p)
{
  return iw_select(p.nan, iw_splat(0u), iw_select(p.negative, iw_splat(2u), iw_splat(1u)));
}

#endif
