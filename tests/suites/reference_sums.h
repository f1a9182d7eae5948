/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact sums of floats, from the definition in doc/weights.md.
 */
#ifndef TESTS_REFERENCE_SUMS_H
#define TESTS_REFERENCE_SUMS_H

#include "reference.h"

/* A number, less than 2^1100, in units of 2^-1075, half the smallest f64: what is positive and what is
 * negative of it. */
enum { WORDS = 70 };
typedef struct big { uint32_t w[WORDS]; } big;
typedef struct exact { big part[2]; int nan, infinite[2]; } exact;

/* a += mantissa * 2^place */
static inline void big_add(big *a, uint64_t mantissa, unsigned place)
{
  uint64_t carry = 0;
  for (unsigned k = 0; k < WORDS; k++) {
    const int shift = (int)place - 32 * (int)k; /* where the mantissa's bit 0 is, as seen from this word */
    const uint64_t here = shift <= -64 || shift >= 32 ? 0 : shift >= 0 ? (mantissa << shift) & UINT32_MAX
      : (mantissa >> -shift) & UINT32_MAX;
    const uint64_t sum = a->w[k] + here + carry;
    a->w[k] = (uint32_t)sum;
    carry = sum >> 32;
  }
}

static inline int big_compare(const big *a, const big *b)
{
  for (unsigned k = WORDS; k-- > 0;)
    if (a->w[k] != b->w[k])
      return a->w[k] < b->w[k] ? -1 : 1;
  return 0;
}

static inline big big_minus(const big *a, const big *b)
{
  big d;
  uint64_t borrow = 0;
  for (unsigned k = 0; k < WORDS; k++) {
    const uint64_t difference = (uint64_t)a->w[k] - b->w[k] - borrow;
    d.w[k] = (uint32_t)difference;
    borrow = difference >> 63;
  }
  return d;
}

static inline big big_plus(const big *a, const big *b)
{
  big sum;
  uint64_t carry = 0;
  for (unsigned k = 0; k < WORDS; k++) {
    carry += (uint64_t)a->w[k] + b->w[k];
    sum.w[k] = (uint32_t)carry;
    carry >>= 32;
  }
  return sum;
}

/* Of a float type: bits, those of the mantissa that are stored, and the exponent of the smallest subnormal
 * number. */
typedef struct float_format { unsigned bits, mantissa, least; } float_format;
static inline float_format format_of(iw_type type)
{
  if (is_half(type))
    return (float_format){ 16, (unsigned)half_mantissa(type), (unsigned)(half_mantissa(type) - half_least_exponent(type)) };
  return type == IW_F32 ? (float_format){ 32, 23, 149 } : (float_format){ 64, 52, 1074 }; /* 2^-least */
}
static inline uint64_t infinity_of(float_format f) { return (((uint64_t)1 << (f.bits - 1 - f.mantissa)) - 1) << f.mantissa; }

/* The magnitude of a float's bits; what would be infinity is the power of two that comes next. half: of
 * it. */
static inline void big_add_bits(big *a, iw_type type, uint64_t bits, int half)
{
  const float_format f = format_of(type);
  const unsigned mantissa = f.mantissa, unit = 1075 - f.least;
  const unsigned field = (unsigned)((bits & infinity_of(f)) >> mantissa);
  const uint64_t rest = bits & (((uint64_t)1 << mantissa) - 1);
  big_add(a, field ? rest | (uint64_t)1 << mantissa : rest, (field ? field - 1 : 0) + unit - (unsigned)half);
}

static inline void exact_add(exact *e, iw_type type, word w)
{
  const double x = real_of(type, &w, 0);
  const unsigned bits = format_of(type).bits;
  const int negative = signbit(x) != 0;
  if (x != x)
    e->nan = 1;
  else if (isinf(x))
    e->infinite[negative] = 1;
  else
    big_add_bits(&e->part[negative], type,
                 (bits == 16 ? w.u16 : bits == 32 ? w.u32 : w.u64) & ~((uint64_t)1 << (bits - 1)), 0);
}

/* The float nearest to it; of two, the even one. */
static inline word exact_round(const exact *e, iw_type type)
{
  const float_format f = format_of(type);
  const uint64_t infinity = infinity_of(f), sign = (uint64_t)1 << (f.bits - 1);
  uint64_t low = 0, high = infinity;
  word w = { .u64 = infinity | (uint64_t)1 << (f.mantissa - 1) };
  if (e->nan || (e->infinite[0] && e->infinite[1]))
    return w;
  if (e->infinite[0] || e->infinite[1])
    return (word){ .u64 = infinity | (e->infinite[1] ? sign : 0) };
  const int negative = big_compare(&e->part[0], &e->part[1]) < 0;
  const big sum = big_minus(&e->part[negative], &e->part[!negative]);
  while (high - low > 1) { /* the last float that is not above it is in [low, high) */
    const uint64_t middle = low + (high - low) / 2;
    big at = { { 0 } };
    big_add_bits(&at, type, middle, 0);
    if (big_compare(&at, &sum) <= 0)
      low = middle;
    else
      high = middle;
  }
  big between = { { 0 } };
  big_add_bits(&between, type, low, 1);
  big_add_bits(&between, type, low + 1, 1);
  const int side = big_compare(&sum, &between);
  w.u64 = low + (side > 0 || (side == 0 && low & 1));
  return (word){ .u64 = w.u64 ? w.u64 | (negative ? sign : 0) : 0 };
}

/* The unrounded sum, as iw_exact_sum has it: in units of 2^-1074, in two's complement. */
static inline iw_exact_sum exact_unrounded(const exact *e)
{
  iw_exact_sum sum = { .format = 1, .nonfinite = (uint32_t)(e->nan | e->infinite[0] << 1 | e->infinite[1] << 2) };
  const big d = big_minus(&e->part[0], &e->part[1]);
  for (unsigned k = 0; k < 2 * sizeof sum.words / sizeof *sum.words; k++)
    sum.words[k / 2] |= (uint64_t)(d.w[k] >> 1 | d.w[k + 1] << 31) << (k % 2 ? 32 : 0);
  return sum;
}
/* Adds n elements, or their products with others, which are exact as f64. */
static inline void exact_add_all(exact *e, iw_type type, const void *in, const void *others, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (others)
      exact_add(e, IW_F64, (word){ .f64 = real_of(type, in, i) * real_of(type, others, i) });
    else
      exact_add(e, type, element(type, in, i));
}

#endif
