/* SPDX-License-Identifier: Apache-2.0
 *
 * How the last block of an exact sum takes the words of the sum and rounds them: one warp, on a GPU with
 * three digits in each lane, on a CPU as the host does. Kernel template text without a type parameter, for
 * exact_sum_kernel.h.
 *
 * A word is within 0.75 * 2^63, as 2^36 floats add less than 1.5 * 2^26 each. Two rounds of carries to the
 * next word make each a digit of at most 2^25 + 2^12, of either sign: the first carry has up to 38 bits,
 * the second one up to 12. No carry has to go further, since the digits below digit t then add up to less
 * than 0.51 * 2^(26t). So the highest digit has the sign of the sum, four digits from it on have all bits
 * that a double keeps, and the highest digit below them has the sign of what is cut off.
 */
#ifndef IW_EXACT_SUM_EXACT_ROUND_H
#define IW_EXACT_SUM_EXACT_ROUND_H

#include <isowarp/primitives.h>
#include "algorithms/common/exact_number.h"
#include "algorithms/exact_sum/args.h"
#include "algorithms/exact_sum/tuning.h"

enum {
  EXACT_OF_LANE = 3,                                   /* register r of lane l has word 3 * l + r */
  EXACT_NONFINITE_LANE = IW_DIGITS_F64 / EXACT_OF_LANE,
  EXACT_MAX_CARRY_LOG2 = 64 - 1 - IW_DIGIT_BITS
};
static_assert(IW_DIGITS_F64 % EXACT_OF_LANE == 0 && (int)IW_NONFINITE_WORDS == (int)EXACT_OF_LANE && EXACT_NONFINITE_LANE < 32,
              "lanes have all digits, and the one behind them has the counts");

/* What the register before each one has, in this lane or the one before; 0 before the first. */
IW_FN void exact_before(const iw_u64 *x, iw_u64 *before)
{
  before[0] = iw_shift(x[EXACT_OF_LANE - 1], (uint64_t)0);
  IW_UNROLL_ROWS for (int r = 1; r < EXACT_OF_LANE; r++) before[r] = x[r - 1];
}

/* Adds the carry of each digit to the next one. What stays is in -2^25 ... 2^25 - 1. */
IW_FN void exact_carry(iw_u64 *x)
{
  const iw_u64 bits = iw_splat((uint64_t)IW_DIGIT_BITS);
  /* The shift is of an unsigned number: negative ones have an offset. */
  const iw_u64 offset = iw_splat(((uint64_t)1 << 63) + ((uint64_t)1 << (IW_DIGIT_BITS - 1)));
  iw_u64 carry[EXACT_OF_LANE], before[EXACT_OF_LANE];
  IW_UNROLL_ROWS for (int r = 0; r < EXACT_OF_LANE; r++)
    carry[r] = iw_sub(iw_shr(iw_add(x[r], offset), bits), iw_splat((uint64_t)1 << EXACT_MAX_CARRY_LOG2));
  exact_before(carry, before);
  IW_UNROLL_ROWS for (int r = 0; r < EXACT_OF_LANE; r++)
    x[r] = iw_add(iw_sub(x[r], iw_shl(carry[r], bits)), before[r]);
}

/* The highest digit before digit `end` that is not 0; -1: there is none. some: the lanes of each register. */
IW_FN int exact_highest(const iw_mask *some, int end)
{
  int highest = -1;
  for (int r = 0; r < EXACT_OF_LANE; r++) {
    const int lanes = end > r ? (end - r + EXACT_OF_LANE - 1) / EXACT_OF_LANE : 0;
    const iw_mask below = some[r] & (((iw_mask)1 << lanes) - 1);
    const int digit = below ? (int)iw_highest(below) * EXACT_OF_LANE + r : -1;
    if (digit > highest) highest = digit;
  }
  return highest;
}

/* What the registers have at digit i; 0 if i < 0. */
IW_FN int64_t exact_at(const iw_u64 *x, int i)
{
  const unsigned at = i < 0 ? 0 : (unsigned)i, r = at % EXACT_OF_LANE;
  iw_u64 lanes = x[0];
  if (r == 1) lanes = x[1];
  if (r == 2) lanes = x[2];
  const uint64_t found = iw_at(lanes, at / EXACT_OF_LANE);
  return i < 0 ? 0 : (int64_t)found;
}

/* The bits of the float nearest to the sum of these words. Collectives stand outside of conditions, for which
 * nvcc would make more code. */
IW_FN uint64_t exact_nearest(iw_float_format to, iw_u64 *x)
{
  iw_u64 before[EXACT_OF_LANE];
  iw_mask some[EXACT_OF_LANE];
  int nonfinite[EXACT_OF_LANE];
  const iw_pred digits = iw_lanes_below(EXACT_NONFINITE_LANE);
  IW_UNROLL_ROWS for (int r = 0; r < EXACT_OF_LANE; r++) {
    nonfinite[r] = (int)(iw_ballot(iw_ne(x[r], iw_splat((uint64_t)0))) >> EXACT_NONFINITE_LANE & 1);
    x[r] = iw_select(digits, x[r], iw_splat((uint64_t)0));
  }
  exact_carry(x);
  exact_carry(x);
  exact_before(x, before);
  IW_UNROLL_ROWS for (int r = 0; r < EXACT_OF_LANE; r++) {
    some[r] = iw_ballot(iw_ne(x[r], iw_splat((uint64_t)0)));
    before[r] = iw_add(iw_shl(x[r], iw_splat((uint64_t)IW_DIGIT_BITS)), before[r]); /* two digits */
  }
  const int top = exact_highest(some, IW_DIGITS_F64), below = exact_highest(some, top - 3);
  const int64_t high = exact_at(before, top), low = exact_at(before, top - 2), cut = exact_at(x, below);
  const int negative = high < 0, rest = cut == 0 ? 0 : (cut < 0) == negative ? 1 : -1;
  if (nonfinite[0] | nonfinite[1] | nonfinite[2]) return nonfinite_sum(to, nonfinite[0], nonfinite[1], nonfinite[2]);
  if (top < 0) return 0;
  return round_balanced(to, (top - 3) * IW_DIGIT_BITS, negative ? -high : high, negative ? -low : low, rest, negative);
}

/* Reads the words and sets them to 0, as the next launch needs them. Writes the rounded float of this format;
 * the words as they were if format.bits is 0. */
IW_RARE_FN void exact_finish(uint64_t *words, iw_float_format format, void *result)
{
  uint64_t bits;
  if (EXACT_ROUND_BY_LANES) {
    const int lanes = EXACT_NONFINITE_LANE + 1;
    iw_u64 x[EXACT_OF_LANE];
    iw_u32 at[EXACT_OF_LANE];
    IW_UNROLL_ROWS for (int r = 0; r < EXACT_OF_LANE; r++) {
      at[r] = iw_add(iw_mul(iw_lane(), iw_splat((uint32_t)EXACT_OF_LANE)), iw_splat((uint32_t)r));
      x[r] = iw_gather(words, at[r], iw_lanes_below(lanes));
    }
    IW_UNROLL_ROWS for (int r = 0; r < EXACT_OF_LANE; r++) {
      iw_scatter(words, at[r], iw_splat((uint64_t)0), iw_lanes_below(lanes));
      iw_scatter((uint64_t *)result, at[r], x[r], iw_lanes_below(format.bits ? 0 : lanes));
    }
    bits = exact_nearest(format, x);
  } else {
    uint64_t taken[IW_EXACT_WORDS];
    for (int w = 0; w < IW_EXACT_WORDS; w++) {
      taken[w] = iw_get(words + w);
      iw_set(words + w, (uint64_t)0);
      if (!format.bits) iw_set((uint64_t *)result + w, taken[w]);
    }
    bits = format.bits ? round_sum(IW_DIGITS_F64, format, taken) : 0;
  }
  iw_store_u16((uint16_t *)result, iw_splat((uint32_t)bits), iw_lanes_below(format.bits == 16));
  iw_store((uint32_t *)result, iw_splat((uint32_t)bits), iw_lanes_below(format.bits == 32));
  iw_store((uint64_t *)result, iw_splat(bits), iw_lanes_below(format.bits == 64));
}

#endif
