/* SPDX-License-Identifier: Apache-2.0
 *
 * The form of exact sums of floats and their rounding (doc/exact.md). A sum is a fixed-point number in
 * units of a subnormal number: words of IW_DIGIT_BITS bits of weight 2^(26k), each of which holds any
 * 64-bit number in two's complement until the sum is rounded, and three words that count NaN, +inf and
 * -inf. A float adds less than 1.5 * 2^26 to a word, so that no word overflows before 2^36 floats. Plain C
 * for uniform values: kernels and the host compile it. Knows no kernel and no runtime.
 */
#ifndef IW_COMMON_EXACT_NUMBER_H
#define IW_COMMON_EXACT_NUMBER_H

#include <stdint.h>

enum {
  IW_DIGIT_BITS = 26, IW_DIGITS_F32 = 13, IW_DIGITS_F64 = 84, IW_NONFINITE_WORDS = 3,
  IW_MAX_WEIGHTS_LOG2 = 36
};

#ifdef IW_FN
#define EXACT_FN IW_FN
#else
#define EXACT_FN static inline
#endif

enum { IW_DIGIT_MASK = (1 << IW_DIGIT_BITS) - 1 };

/* The float format of a result: its width, the bits of its mantissa that are stored, and the index of the
 * sum's bit that is the smallest subnormal number. */
typedef struct iw_float_format { uint32_t bits, mantissa, least; } iw_float_format;

/* A finite float, given as its bits, as what it adds to three consecutive words, negated if it is negative:
 * the digits that the two 26-bit halves of its mantissa overlap. Returns the index of the first word. */
EXACT_FN uint32_t split_float(uint32_t bits_of_float, uint32_t mantissa_bits, uint64_t bits, uint64_t digits[3])
{
  const uint64_t one = (uint64_t)1 << mantissa_bits, rest = bits & (one - 1);
  const uint32_t field = (uint32_t)(bits >> mantissa_bits) & (((uint32_t)1 << (bits_of_float - 1 - mantissa_bits)) - 1);
  const uint32_t place = field ? field - 1 : 0;
  const uint64_t mantissa = field ? rest | one : rest;
  const uint64_t low = (mantissa & IW_DIGIT_MASK) << place % IW_DIGIT_BITS;
  const uint64_t high = mantissa >> IW_DIGIT_BITS << place % IW_DIGIT_BITS;
  const int negative = bits >> (bits_of_float - 1) & 1 ? 1 : 0;
  digits[0] = low & IW_DIGIT_MASK;
  digits[1] = (low >> IW_DIGIT_BITS) + (high & IW_DIGIT_MASK);
  digits[2] = high >> IW_DIGIT_BITS;
  for (int k = 0; negative && k < 3; k++) digits[k] = 0 - digits[k];
  return place / IW_DIGIT_BITS;
}

/* Makes words that hold any 64-bit number digits of 26 bits, of the absolute value. Returns whether the sum
 * was negative. */
EXACT_FN int normalize_digits(uint32_t digits, uint64_t *words)
{
  uint64_t carry = 0;
  for (uint32_t k = 0; k < digits; k++) { /* two's complement: a negative carry stays negative */
    const uint64_t all = words[k] + carry;
    words[k] = all & IW_DIGIT_MASK;
    carry = all >> IW_DIGIT_BITS | (all >> 63 ? ~(UINT64_MAX >> IW_DIGIT_BITS) : 0);
  }
  const int negative = carry >> 63 ? 1 : 0;
  carry = 1;
  for (uint32_t k = 0; negative && k < digits; k++) {
    const uint64_t all = (~words[k] & IW_DIGIT_MASK) + carry;
    words[k] = all & IW_DIGIT_MASK;
    carry = all >> IW_DIGIT_BITS;
  }
  return negative;
}

/* The sum of `top` digits divided by 2^last, rounded to nearest, ties to even. */
EXACT_FN uint64_t round_digits(const uint64_t *words, uint32_t top, uint32_t last)
{
  /* half: the first bit that is cut off; below: whether a later one is set */
  uint64_t kept = 0, half = 0, below = 0;
  for (uint32_t k = 0; k < top; k++) {
    const uint32_t place = k * IW_DIGIT_BITS;
    if (place >= last) {
      kept |= words[k] << (place - last);
      continue;
    }
    if (last - place < IW_DIGIT_BITS) kept |= words[k] >> (last - place);
    /* bits of this digit that are cut off */
    const uint32_t cut = last - place < IW_DIGIT_BITS ? last - place : IW_DIGIT_BITS;
    const uint64_t lost = words[k] & (((uint64_t)1 << cut) - 1);
    if (cut == last - place) {
      half = lost >> (cut - 1);
      below |= lost & (((uint64_t)1 << (cut - 1)) - 1);
    } else
      below |= lost;
  }
  return kept + (half & (below || kept & 1 ? 1 : 0));
}

/* The bits of a sum that has a NaN, +inf or -inf. */
EXACT_FN uint64_t nonfinite_sum(iw_float_format to, int nan, int plus, int minus)
{
  const uint64_t infinity = (((uint64_t)1 << (to.bits - 1 - to.mantissa)) - 1) << to.mantissa;
  if (nan || (plus && minus)) return infinity | (uint64_t)1 << (to.mantissa - 1);
  return plus ? infinity : (uint64_t)1 << (to.bits - 1) | infinity;
}

/* The number of bits of a number. */
EXACT_FN int bit_length(uint64_t bits)
{
  int length = 0;
  for (int step = 32; step; step >>= 1)
    if (bits >> step) {
      bits >>= step;
      length += step;
    }
  return length + (int)bits;
}

/* The place of the last bit that a float keeps of a sum below 2^highest. */
EXACT_FN uint32_t last_place(iw_float_format to, int highest)
{
  const int last = highest - (int)(to.mantissa + 1);
  return last > (int)to.least ? (uint32_t)last : to.least;
}

/* The bits of the float rounded * 2^last. The leading bit of a normal number adds 1 to the exponent field,
 * as it should, and so does a carry of the rounding. */
EXACT_FN uint64_t pack_float(iw_float_format to, uint32_t last, uint64_t rounded, int negative)
{
  const uint64_t last_field = ((uint64_t)1 << (to.bits - 1 - to.mantissa)) - 1, infinity = last_field << to.mantissa;
  const uint32_t field = last - to.least;
  const uint64_t bits = ((uint64_t)(field < 4095 ? field : 4095) << to.mantissa) + rounded;
  const uint64_t magnitude = field >= last_field || bits > infinity ? infinity : bits;
  return magnitude ? magnitude | (negative ? (uint64_t)1 << (to.bits - 1) : 0) : 0;
}

/* The bits of the float nearest to the sum of `digits` digits and IW_NONFINITE_WORDS words, ties to even. An
 * exact 0 is +0. The words are unspecified afterwards. */
EXACT_FN uint64_t round_sum(uint32_t digits, iw_float_format to, uint64_t *words)
{
  if (words[digits] || words[digits + 1] || words[digits + 2])
    return nonfinite_sum(to, words[digits] != 0, words[digits + 1] != 0, words[digits + 2] != 0);
  const int negative = normalize_digits(digits, words);
  uint32_t top = digits;
  while (top && !words[top - 1]) top--;
  if (!top) return 0;
  const uint32_t last = last_place(to, (int)(top - 1) * IW_DIGIT_BITS + bit_length(words[top - 1]));
  return pack_float(to, last, round_digits(words, top, last), negative);
}

/* The same of a sum whose magnitude is (high * 2^52 + low + rest / 2) * 2^place. |low| < 2^52, high is at
 * least 2^24, and rest is -1, 0 or 1 and stands for any number of its sign below 1. */
EXACT_FN uint64_t round_balanced(iw_float_format to, int place, int64_t high, int64_t low, int rest, int negative)
{
  const uint64_t one = 1;
  if (rest < 0) low--;
  const uint64_t a = (uint64_t)(low < 0 ? high - 1 : high), b = (uint64_t)(low < 0 ? low + (int64_t)(one << 52) : low);
  const uint32_t last = last_place(to, place + 52 + bit_length(a));
  /* The bits that are cut off: at least 1, as the magnitude has 76 bits or `place` is negative. */
  const int cut = (int)last - place;
  uint64_t kept = 0, half = 0, below = rest != 0;
  if (cut > 52) {
    const int of_a = cut - 52 < 63 ? cut - 52 : 63;
    kept = a >> of_a;
    half = a >> (of_a - 1) & 1;
    below |= (a & ((one << (of_a - 1)) - 1)) | b;
  } else {
    kept = a << (52 - cut) | b >> cut;
    half = b >> (cut - 1) & 1;
    below |= b & ((one << (cut - 1)) - 1);
  }
  return pack_float(to, last, kept + (half & (below || kept & 1 ? 1 : 0)), negative);
}

#endif
