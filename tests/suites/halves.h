/* SPDX-License-Identifier: Apache-2.0
 *
 * The definition of the floats of 1 and 2 bytes: the number of given bits, and the nearest bits of a number.
 */
#ifndef TESTS_HALVES_H
#define TESTS_HALVES_H

#include <isowarp.h>
#include <math.h>

/* A format: explicit bits of the mantissa, those of the exponent, and the bits of the canonical NaN. */
typedef struct half_format { int mantissa, exponent; uint16_t nan; } half_format;
static inline half_format half_format_of(iw_type type)
{
  static const half_format formats[] = { [IW_F16] = { 10, 5, 0x7e00 }, [IW_BF16] = { 7, 8, 0x7fc0 } };
  return (size_t)type < sizeof formats / sizeof *formats ? formats[type] : (half_format){ 0, 0, 0 };
}
static inline int is_half(iw_type type) { return half_format_of(type).mantissa != 0; }
static inline int half_mantissa(iw_type type) { return half_format_of(type).mantissa; }
/* The exponent of the least normal number. */
static inline int half_least_exponent(iw_type type) { return 2 - (1 << (half_format_of(type).exponent - 1)); }
/* The bits of infinity; the next bit is the sign. */
static inline unsigned half_infinity(iw_type type)
{
  const half_format f = half_format_of(type);
  return ((1u << f.exponent) - 1) << f.mantissa;
}
static inline unsigned half_sign(iw_type type)
{
  const half_format f = half_format_of(type);
  return 1u << (f.exponent + f.mantissa);
}

/* The number that such bits stand for; a NaN as the canonical one. */
static inline float half_value(iw_type type, uint16_t bits)
{
  const int mantissa = half_mantissa(type), least = half_least_exponent(type);
  const unsigned rest = bits & (half_sign(type) - 1u), field = rest >> mantissa, fraction = rest & ((1u << mantissa) - 1);
  const double magnitude = field == 0 ? ldexp(fraction, least - mantissa)
    : rest >= half_infinity(type) ? (fraction ? (double)NAN : (double)INFINITY)
    : ldexp(fraction + (1u << mantissa), least - mantissa + (int)field - 1);
  return (float)(bits & half_sign(type) ? -magnitude : magnitude);
}

/* x, a number of double's, rounded to nearest even. */
static inline uint16_t half_of(iw_type type, double x)
{
  const int mantissa = half_mantissa(type), least = half_least_exponent(type);
  const unsigned sign = signbit(x) ? half_sign(type) : 0, infinity = half_infinity(type);
  if (isnan(x))
    return half_format_of(type).nan;
  if (isinf(x))
    return (uint16_t)(sign | infinity);
  int exponent;
  frexp(x, &exponent); /* |x| is in [2^(exponent-1), 2^exponent) */
  const int unit = (x == 0 || exponent - 1 < least ? least : exponent - 1) - mantissa; /* of the last place, as a power of 2 */
  const double units = nearbyint(ldexp(fabs(x), -unit)); /* ties to even */
  const double bits = units + (double)((uint64_t)(unit + mantissa - least) << mantissa);
  return (uint16_t)(bits >= infinity ? sign | infinity : sign | (unsigned)bits);
}

#endif
