/* SPDX-License-Identifier: Apache-2.0
 *
 * How the last block of an exact sum takes the words of the sum and rounds them: one warp, a digit in each
 * lane. Kernel template text without a type parameter, for exact_sum_kernel.h.
 *
 * A word holds any 64-bit number. Two rounds of carries to the next lane make each a digit in two's complement
 * of at most 2^25 + 2^12, balanced around 0: the first carry has up to 38 bits, the second one up to 12. No carry
 * has to go further, since the digits below digit t then add up to less than 0.51 * 2^(26t). So the highest digit
 * has the sign of the sum, four digits from it on have all bits that a double keeps, and the highest digit below
 * them has the sign of what is cut off.
 */
#ifndef IW_EXACT_SUM_EXACT_ROUND_H
#define IW_EXACT_SUM_EXACT_ROUND_H

#include <isowarp/primitives.h>
#include "algorithms/common/exact_number.h"
#include "algorithms/exact_sum/args.h"

enum {
  EXACT_LANES = 32,
  EXACT_REGISTERS = 3,                              /* lane l of register r has word 32 * r + l */
  EXACT_LAST = IW_DIGITS_F64 % EXACT_LANES,         /* digits of the last register */
  EXACT_MAX_CARRY_LOG2 = 64 - 1 - IW_DIGIT_BITS
};
static_assert(EXACT_LANES * (EXACT_REGISTERS - 1) + EXACT_LAST == IW_DIGITS_F64 && EXACT_LAST + IW_NONFINITE_WORDS < EXACT_LANES,
              "the last register has digits and the counts behind them");

/* Adds the carry of each digit to the next one. What stays is in -2^25 ... 2^25 - 1. */
IW_FN void exact_carry(iw_u64 *x)
{
  const iw_u64 bits = iw_splat((uint64_t)IW_DIGIT_BITS);
  /* The shift is of an unsigned number: negative ones have an offset. */
  const iw_u64 offset = iw_splat(((uint64_t)1 << 63) + ((uint64_t)1 << (IW_DIGIT_BITS - 1)));
  uint64_t before = 0;
  IW_UNROLL_ROWS for (int r = 0; r < EXACT_REGISTERS; r++) {
    const iw_u64 carry = iw_sub(iw_shr(iw_add(x[r], offset), bits), iw_splat((uint64_t)1 << EXACT_MAX_CARRY_LOG2));
    x[r] = iw_add(iw_sub(x[r], iw_shl(carry, bits)), iw_shift(carry, before));
    before = iw_last(carry);
  }
}

/* The highest digit before digit `end` that is not 0; -1: there is none. */
IW_FN int exact_highest(const iw_u64 *x, int end)
{
  int highest = -1;
  IW_UNROLL_ROWS for (int r = 0; r < EXACT_REGISTERS; r++) {
    const iw_mask some = iw_ballot(iw_and_pred(iw_ne(x[r], iw_splat((uint64_t)0)), iw_lanes_below(end - r * EXACT_LANES)));
    if (some) highest = r * EXACT_LANES + (int)iw_highest(some);
  }
  return highest;
}

/* Digit i; 0 if i < 0. */
IW_FN int64_t exact_digit(const iw_u64 *x, int i)
{
  const unsigned lane = (unsigned)i % EXACT_LANES;
  uint64_t digit = 0;
  if (i >= 2 * EXACT_LANES) digit = iw_at(x[2], lane);
  else if (i >= EXACT_LANES) digit = iw_at(x[1], lane);
  else if (i >= 0) digit = iw_at(x[0], lane);
  return (int64_t)digit;
}

/* The bits of the float nearest to the sum of these words. */
IW_FN uint64_t exact_nearest(iw_float_format to, iw_u64 *x)
{
  const iw_mask nonfinite = iw_ballot(iw_ne(x[EXACT_REGISTERS - 1], iw_splat((uint64_t)0))) >> EXACT_LAST;
  if (nonfinite) return nonfinite_sum(to, nonfinite & 1 ? 1 : 0, nonfinite & 2 ? 1 : 0, nonfinite & 4 ? 1 : 0);
  exact_carry(x);
  exact_carry(x);
  const int top = exact_highest(x, IW_DIGITS_F64), below = exact_highest(x, top - 3);
  if (top < 0) return 0;
  const int negative = exact_digit(x, top) < 0, rest = below < 0 ? 0 : (exact_digit(x, below) < 0) == negative ? 1 : -1;
  int64_t high = exact_digit(x, top) * (1 << IW_DIGIT_BITS) + exact_digit(x, top - 1);
  int64_t low = exact_digit(x, top - 2) * (1 << IW_DIGIT_BITS) + exact_digit(x, top - 3);
  if (negative) high = -high, low = -low;
  return round_balanced(to, (top - 3) * IW_DIGIT_BITS, high, low, rest, negative);
}

/* Takes the words, and writes the result. Words of other blocks are 0 then, as the next launch needs them. */
IW_FN void exact_finish(const iw_exact_add_args *args, const uint64_t *words)
{
  iw_u64 x[EXACT_REGISTERS];
  IW_UNROLL_ROWS for (int r = 0; r < EXACT_REGISTERS; r++)
    x[r] = iw_load(words + r * EXACT_LANES, iw_lanes_below(IW_EXACT_WORDS - r * EXACT_LANES));
  if (words == args->words)
    IW_UNROLL_ROWS for (int r = 0; r < EXACT_REGISTERS; r++)
      iw_store(args->words + r * EXACT_LANES, iw_splat((uint64_t)0), iw_lanes_below(IW_EXACT_WORDS - r * EXACT_LANES));
  if (!args->format.bits) {
    IW_UNROLL_ROWS for (int r = 0; r < EXACT_REGISTERS; r++)
      iw_store((uint64_t *)args->result + r * EXACT_LANES, x[r], iw_lanes_below(IW_EXACT_WORDS - r * EXACT_LANES));
    return;
  }
  const uint64_t bits = exact_nearest(args->format, x);
  if (args->format.bits == 16) iw_store_u16((uint16_t *)args->result, iw_splat((uint32_t)bits), iw_lanes_below(1));
  else if (args->format.bits == 32) iw_set((uint32_t *)args->result, (uint32_t)bits);
  else iw_set((uint64_t *)args->result, bits);
}

#endif
