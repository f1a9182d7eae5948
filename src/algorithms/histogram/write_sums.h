/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel write_sums: adds the blocks' copies of each bin's exact sum up (exact_sums.h), rounds it once, and
 * writes the caller's sums. One warp per bin; all values are uniform. Kernel template without a type
 * parameter: args->mantissa and sum_bits describe the float format. Knows bin indices, no samples.
 */
#ifndef IW_HISTOGRAM_WRITE_SUMS_H
#define IW_HISTOGRAM_WRITE_SUMS_H

#include <isowarp/primitives.h>
#include "algorithms/histogram/args.h"

enum { MAX_DIGITS = IW_DIGITS_F64, DIGIT_MASK = (1 << IW_DIGIT_BITS) - 1 };

/* The exponent field of infinities and NaN. */
IW_FN uint64_t max_exponent_field(const iw_write_sums_args *args)
{
  return ((uint64_t)1 << (args->sum_bits - 1 - args->mantissa)) - 1;
}

/* Adds all copies of an entry to its words. */
IW_FN void add_entry(const iw_write_sums_args *args, uint64_t entry, uint64_t *words)
{
  for (uint32_t w = 0; w < args->words; w++)
    for (uint64_t c = 0; c < args->copies; c++)
      words[w] += iw_get(args->sums + (c * args->words + w) * args->entries + entry);
}

/* Adds one float, given as its bits: the sum that the caller had before. As add_float in exact_sums.h, for
 * uniform values. */
IW_FN void add_float_bits(const iw_write_sums_args *args, uint64_t bits, uint64_t *words)
{
  const uint64_t last = max_exponent_field(args), one = (uint64_t)1 << args->mantissa;
  const uint64_t rest = bits & (one - 1);
  const uint64_t negative = bits >> (args->sum_bits - 1), field = bits >> args->mantissa & last;
  const uint32_t place = field ? (uint32_t)field - 1 : 0;
  const uint64_t mantissa = field ? rest | one : rest;
  if (field == last) {
    words[args->digits + (rest ? 0 : negative ? 2 : 1)]++;
    return;
  }
  const uint64_t a = (mantissa & DIGIT_MASK) << place % IW_DIGIT_BITS;
  const uint64_t b = (mantissa >> IW_DIGIT_BITS) << place % IW_DIGIT_BITS;
  const uint64_t digits[3] = { a & DIGIT_MASK, (a >> IW_DIGIT_BITS) + (b & DIGIT_MASK), b >> IW_DIGIT_BITS };
  for (uint32_t k = 0; k < 3; k++)
    if (digits[k]) words[place / IW_DIGIT_BITS + k] += negative ? 0 - digits[k] : digits[k];
}

/* Makes words that hold any 64-bit number digits of 26 bits, of the absolute value. Returns whether the sum
 * was negative. */
IW_FN int normalize_digits(uint32_t digits, uint64_t *words)
{
  uint64_t carry = 0;
  for (uint32_t k = 0; k < digits; k++) { /* two's complement: a negative carry stays negative */
    const uint64_t all = words[k] + carry;
    words[k] = all & DIGIT_MASK;
    carry = all >> IW_DIGIT_BITS | (all >> 63 ? ~(UINT64_MAX >> IW_DIGIT_BITS) : 0);
  }
  const int negative = carry >> 63 ? 1 : 0;
  carry = 1;
  for (uint32_t k = 0; negative && k < digits; k++) {
    const uint64_t all = (~words[k] & DIGIT_MASK) + carry;
    words[k] = all & DIGIT_MASK;
    carry = all >> IW_DIGIT_BITS;
  }
  return negative;
}

/* The sum of `top` digits divided by 2^last, rounded to nearest, ties to even. */
IW_FN uint64_t round_digits(const uint64_t *words, uint32_t top, uint32_t last)
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

/* The bits of the float nearest to the sum, ties to even. An exact 0 is +0. */
IW_FN uint64_t round_sum(const iw_write_sums_args *args, uint64_t *words)
{
  const uint32_t digits = args->digits, mantissa = args->mantissa;
  const uint64_t last_field = max_exponent_field(args), infinity = last_field << mantissa;
  const uint64_t minus = (uint64_t)1 << (args->sum_bits - 1);
  if (words[digits] || (words[digits + 1] && words[digits + 2]))
    return infinity | (uint64_t)1 << (mantissa - 1);
  if (words[digits + 1]) return infinity;
  if (words[digits + 2]) return minus | infinity;
  const int negative = normalize_digits(digits, words);
  uint32_t top = digits;
  while (top && !words[top - 1]) top--;
  if (!top) return 0;
  /* The sum is below 2^highest, and its last bit that is kept weighs 2^last. */
  const uint32_t highest = (top - 1) * IW_DIGIT_BITS + iw_highest(words[top - 1]) + 1;
  const uint32_t last = highest > mantissa + 1 ? highest - (mantissa + 1) : 0;
  /* The leading bit of a normal number adds 1 to the exponent field, as it should, and so does a carry of
   * the rounding. */
  const uint64_t bits = ((uint64_t)(last < 4095 ? last : 4095) << mantissa) + round_digits(words, top, last);
  return (last >= last_field || bits > infinity ? infinity : bits) | (negative ? minus : 0);
}

IW_KERNEL(write_sums, iw_no_shared, iw_write_sums_args)
{
  IW_PHASE(warp) {
    const uint64_t warps = block->blocks * block->warps;
    for (uint64_t entry = block->index * block->warps + warp; entry < args->outputs; entry += warps) {
      uint64_t words[MAX_DIGITS + IW_NONFINITE_WORDS] = { 0 };
      add_entry(args, entry, words);
      if (args->clamp && entry == 0) add_entry(args, args->bins, words);
      if (args->clamp && entry == args->bins - 1) add_entry(args, (uint64_t)args->bins + 1, words);
      uint32_t *const narrow = (uint32_t *)args->out + entry;
      uint64_t *const wide = (uint64_t *)args->out + entry;
      if (!args->mantissa) {
        iw_set(wide, words[0] + (args->accumulate ? iw_get((const uint64_t *)wide) : 0));
      } else if (args->sum_bits == 32) {
        if (args->accumulate) add_float_bits(args, iw_get((const uint32_t *)narrow), words);
        iw_set(narrow, (uint32_t)round_sum(args, words));
      } else {
        if (args->accumulate) add_float_bits(args, iw_get((const uint64_t *)wide), words);
        iw_set(wide, round_sum(args, words));
      }
    }
  }
}

#endif
