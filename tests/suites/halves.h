/* SPDX-License-Identifier: Apache-2.0
 *
 * The definition of f16 and bf16: the number of given bits, and the nearest bits of a number.
 */
#ifndef TESTS_HALVES_H
#define TESTS_HALVES_H

#include <isowarp.h>
#include <math.h>

static inline int is_half(iw_type type) { return type == IW_F16 || type == IW_BF16; }
/* Of f16 and bf16: explicit bits of the mantissa, and the exponent of the least normal number. */
static inline int half_mantissa(iw_type type) { return type == IW_F16 ? 10 : 7; }
static inline int half_least_exponent(iw_type type) { return type == IW_F16 ? -14 : -126; }

/* The number that such bits stand for; a NaN as the canonical one. */
static inline float half_value(iw_type type, uint16_t bits)
{
  const int mantissa = half_mantissa(type), field = bits >> mantissa & (type == IW_F16 ? 31 : 255);
  const int fraction = bits & ((1 << mantissa) - 1), least = half_least_exponent(type);
  const double magnitude = field == 0 ? ldexp(fraction, least - mantissa)
    : field == (type == IW_F16 ? 31 : 255) ? (fraction ? (double)NAN : (double)INFINITY)
    : ldexp(fraction + (1 << mantissa), least - mantissa + field - 1);
  return (float)(bits & 0x8000 ? -magnitude : magnitude);
}

/* x, a number of double's, rounded to nearest even. */
static inline uint16_t half_of(iw_type type, double x)
{
  const int mantissa = half_mantissa(type), least = half_least_exponent(type);
  const uint16_t sign = signbit(x) ? 0x8000 : 0, infinity = type == IW_F16 ? 0x7c00 : 0x7f80;
  if (isnan(x))
    return type == IW_F16 ? 0x7e00 : 0x7fc0;
  if (isinf(x))
    return sign | infinity;
  int exponent;
  frexp(x, &exponent); /* |x| is in [2^(exponent-1), 2^exponent) */
  const int unit = (x == 0 || exponent - 1 < least ? least : exponent - 1) - mantissa; /* of the last place, as a power of 2 */
  const double units = nearbyint(ldexp(fabs(x), -unit)); /* ties to even */
  const double bits = units + (double)((uint64_t)(unit + mantissa - least) << mantissa);
  return bits >= infinity ? sign | infinity : (uint16_t)(sign | (uint16_t)bits);
}

#endif
