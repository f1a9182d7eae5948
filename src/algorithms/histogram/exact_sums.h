/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of floats that do not depend on the order of summation: fixed-point numbers wide enough for all
 * values of the type, to which weights are added exactly (integer atomics commute), and which are rounded
 * once (doc/weights.md; the idea is Kulisch's long accumulator). Kernel template text without a type
 * parameter, for accumulate_weights.h and write_sums.h; knows no bins' edges and no samples.
 */
#ifndef IW_HISTOGRAM_EXACT_SUMS_H
#define IW_HISTOGRAM_EXACT_SUMS_H

#include <isowarp/primitives.h>
#include "algorithms/histogram/args.h"

/* Adds to word index of the sums: the block's own, or those of all blocks. */
IW_FN void add_to_word(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums,
                       iw_u32 index, iw_u64 value,
                       iw_pred some)
{
  if (args->privatised) iw_shared_add(sums, index, value, some);
  else iw_global_add(sums, index, value, some);
}

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

/* Adds a float to its bin's sum: at most three digits, which the two 26-bit halves of its mantissa overlap;
 * the last one of an f32 is 0. NaN and infinities are counted instead. */
IW_FN void add_float(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums,
                     iw_u32 bin, float_parts p,
                     iw_pred some)
{
  const iw_u64 low = iw_splat(((uint64_t)1 << IW_DIGIT_BITS) - 1), bits = iw_splat((uint64_t)IW_DIGIT_BITS);
  const iw_u64 zero = iw_splat((uint64_t)0);
  const iw_u32 entries = iw_splat(args->entries);
  /* place / 26, exact for place < 2047 */
  const iw_u32 digit = iw_shr(iw_mul(p.place, iw_splat(2521u)), iw_splat(16u));
  const iw_u64 shift = iw_to_u64(iw_sub(p.place, iw_mul(digit, iw_splat((uint32_t)IW_DIGIT_BITS))));
  const iw_u64 a = iw_shl(iw_and(p.mantissa, low), shift), b = iw_shl(iw_shr(p.mantissa, bits), shift);
  const iw_u64 digits[3] = { iw_and(a, low), iw_add(iw_shr(a, bits), iw_and(b, low)), iw_shr(b, bits) };
  const iw_pred finite = iw_and_pred(some, iw_not_pred(p.special));
  iw_u32 index = iw_add(iw_mul(digit, entries), bin);
  IW_UNROLL for (int k = 0; k < 3; k++) {
    const iw_u64 value = iw_select(p.negative, iw_sub(zero, digits[k]), digits[k]);
    add_to_word(block, args, sums, index, value, iw_and_pred(finite, iw_gt(digits[k], zero)));
    index = iw_add(index, entries);
  }
  const iw_pred special = iw_and_pred(some, p.special);
  if (iw_any(special)) {
    const iw_u32 which = iw_select(p.nan, iw_splat(0u), iw_select(p.negative, iw_splat(2u), iw_splat(1u)));
    const iw_u32 word = iw_add(which, iw_splat(args->digits));
    add_to_word(block, args, sums, iw_add(iw_mul(word, entries), bin), iw_splat((uint64_t)1), special);
  }
}

#endif
