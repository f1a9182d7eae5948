/* SPDX-License-Identifier: Apache-2.0
 *
 * Fixed-point numbers of many words, their exponential and logarithm, in integer arithmetic: equal on every
 * machine. Host side of the algorithm layer. Knows no bins. An error is in units of the last place, 2^-(64 *
 * words).
 */
#ifndef IW_BINNING_FIXED_POINT_H
#define IW_BINNING_FIXED_POINT_H

#include <stdint.h>
#include <string.h>

enum { FIXED_MOST_WORDS = 16 };

__extension__ typedef unsigned __int128 fixed_product;

/* A number below 2^64, not negative: w[words] is its integer part, w[0] has the last bits of the fraction.
 * Numbers of one computation have equally many words. */
typedef struct fixed { unsigned words; uint64_t w[FIXED_MOST_WORDS + 1]; } fixed;

static inline fixed fixed_of(unsigned words, uint64_t integer)
{
  fixed x = { .words = words };
  x.w[words] = integer;
  return x;
}

static inline int fixed_is_zero(const fixed *x)
{
  uint64_t any = 0;
  for (unsigned i = 0; i <= x->words; i++)
    any |= x->w[i];
  return !any;
}

static inline int fixed_less(const fixed *x, const fixed *y)
{
  unsigned i = x->words;
  while (i > 0 && x->w[i] == y->w[i])
    i--;
  return x->w[i] < y->w[i];
}

static inline fixed fixed_add(fixed x, const fixed *y)
{
  uint64_t carry = 0;
  for (unsigned i = 0; i <= x.words; i++) {
    const fixed_product sum = (fixed_product)x.w[i] + y->w[i] + carry;
    x.w[i] = (uint64_t)sum;
    carry = (uint64_t)(sum >> 64);
  }
  return x;
}

/* x - y, or 0 if y is greater, which is an error of the last places. */
static inline fixed fixed_sub(fixed x, const fixed *y)
{
  if (fixed_less(&x, y))
    return fixed_of(x.words, 0);
  uint64_t borrow = 0;
  for (unsigned i = 0; i <= x.words; i++) {
    const fixed_product difference = (fixed_product)x.w[i] - y->w[i] - borrow;
    x.w[i] = (uint64_t)difference;
    borrow = (uint64_t)(difference >> 64) & 1;
  }
  return x;
}

/* Times a word. The product is below 2^64. */
static inline fixed fixed_times(fixed x, uint64_t factor)
{
  uint64_t carry = 0;
  for (unsigned i = 0; i <= x.words; i++) {
    const fixed_product product = (fixed_product)x.w[i] * factor + carry;
    x.w[i] = (uint64_t)product;
    carry = (uint64_t)(product >> 64);
  }
  return x;
}

/* Divided by a word, rounded down. */
static inline fixed fixed_over(fixed x, uint64_t divisor)
{
  uint64_t rest = 0;
  for (unsigned i = x.words + 1; i-- > 0;) {
    const fixed_product part = (fixed_product)rest << 64 | x.w[i];
    x.w[i] = (uint64_t)(part / divisor);
    rest = (uint64_t)(part % divisor);
  }
  return x;
}

static inline fixed fixed_halves(fixed x, unsigned times)
{
  for (; times >= 63; times -= 63)
    x = fixed_over(x, (uint64_t)1 << 63);
  return fixed_over(x, (uint64_t)1 << times);
}

/* x * 2^63 / divisor, rounded down; the divisor has its highest bit set. */
static inline fixed fixed_over_mantissa(fixed x, uint64_t divisor)
{
  x = fixed_over(x, 2);
  uint64_t rest = x.w[x.words];
  for (unsigned i = x.words + 1; i-- > 0;) { /* the words of x * 2^64 */
    const fixed_product part = (fixed_product)rest << 64 | (i ? x.w[i - 1] : 0);
    x.w[i] = (uint64_t)(part / divisor);
    rest = (uint64_t)(part % divisor);
  }
  return x;
}

/* The product, rounded down; an error of at most 1 below it. It is below 2^64. */
static inline fixed fixed_mul(const fixed *x, const fixed *y)
{
  uint64_t all[2 * FIXED_MOST_WORDS + 2] = { 0 };
  const unsigned words = x->words;
  for (unsigned i = 0; i <= words; i++) {
    uint64_t carry = 0;
    for (unsigned k = 0; k <= words; k++) {
      const fixed_product sum = (fixed_product)x->w[i] * y->w[k] + all[i + k] + carry;
      all[i + k] = (uint64_t)sum;
      carry = (uint64_t)(sum >> 64);
    }
    all[i + words + 1] += carry;
  }
  fixed product = { .words = words };
  memcpy(product.w, all + words, (words + 1) * sizeof *all);
  return product;
}

/* x / y for x < y, bit by bit. y is at least 1 and below 2^63. */
static inline fixed fixed_fraction(fixed x, const fixed *y)
{
  fixed quotient = fixed_of(x.words, 0);
  for (unsigned bit = 64 * x.words; bit-- > 0;) {
    x = fixed_add(x, &x);
    if (!fixed_less(&x, y)) {
      x = fixed_sub(x, y);
      quotient.w[bit / 64] |= (uint64_t)1 << bit % 64;
    }
  }
  return quotient;
}

/* 2*atanh(z) = ln((1 + z) / (1 - z)) for z up to 1/3, by its series. */
static inline fixed fixed_twice_atanh(const fixed *z)
{
  fixed sum = *z, power = *z;
  const fixed square = fixed_mul(z, z);
  for (uint64_t k = 3; !fixed_is_zero(&power); k += 2) {
    power = fixed_mul(&power, &square);
    const fixed term = fixed_over(power, k);
    sum = fixed_add(sum, &term);
  }
  return fixed_add(sum, &sum);
}

static inline fixed fixed_ln2(unsigned words)
{
  const fixed third = fixed_over(fixed_of(words, 1), 3);
  return fixed_twice_atanh(&third);
}

/* ln(x) for 1 <= x < 2. */
static inline fixed fixed_ln(const fixed *x)
{
  const fixed one = fixed_of(x->words, 1), above = fixed_add(*x, &one), below = fixed_sub(*x, &one);
  const fixed z = fixed_fraction(below, &above);
  return fixed_twice_atanh(&z);
}

/* e^x for x < 1: that of x / 256 by its series, which is squared 8 times. */
static inline fixed fixed_exp(const fixed *x)
{
  enum { SQUARINGS = 8 };
  const fixed small = fixed_halves(*x, SQUARINGS);
  fixed sum = fixed_of(x->words, 1), term = sum;
  for (uint64_t k = 1; !fixed_is_zero(&term); k++) {
    term = fixed_mul(&term, &small);
    term = fixed_over(term, k);
    sum = fixed_add(sum, &term);
  }
  for (unsigned i = 0; i < SQUARINGS; i++)
    sum = fixed_mul(&sum, &sum);
  return sum;
}

#endif
