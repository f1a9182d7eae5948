/* SPDX-License-Identifier: Apache-2.0
 *
 * What the functions of tools/kernels/math_kernels.h should give: by libm in double for f32 and in long
 * double for f64, whose own errors are below 2^-10 ulp of the result, and by MPFR where it is. Needs
 * config.h in front.
 */
#ifndef TESTS_MATH_REFERENCE_H
#define TESTS_MATH_REFERENCE_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include "../../tools/kernels/math_kernels.h"
#include "math_samples.h"
#ifdef HAVE_MPFR
#include <mpfr.h>
#endif

typedef struct math_function {
  const char *name;
  int is_f64, operands;
  double (*f32)(double);
  long double (*f64)(long double);
} math_function;

static inline float math_f32(uint64_t bits) { const uint32_t b = (uint32_t)bits; float v; memcpy(&v, &b, 4); return v; }
static inline double math_f64(uint64_t bits) { double v; memcpy(&v, &bits, 8); return v; }

/* In the order of FOR_MATH_FUNCTIONS. */
static const math_function math_functions[MATH_FUNCTIONS] = {
  { "exp_f32", 0, 1, exp, 0 }, { "exp2_f32", 0, 1, exp2, 0 }, { "expm1_f32", 0, 1, expm1, 0 }, { "log_f32", 0, 1, log, 0 },
  { "log2_f32", 0, 1, log2, 0 }, { "log1p_f32", 0, 1, log1p, 0 }, { "sin_f32", 0, 1, sin, 0 }, { "cos_f32", 0, 1, cos, 0 },
  { "tanh_f32", 0, 1, tanh, 0 }, { "erf_f32", 0, 1, erf, 0 }, { "pow_f32", 0, 2, 0, 0 },
  { "exp_f64", 1, 1, 0, expl }, { "log_f64", 1, 1, 0, logl }, { "sin_f64", 1, 1, 0, sinl }, { "cos_f64", 1, 1, 0, cosl },
};

/* The error of `found`, in units of the last place that a result of this size has, against a number that is
 * true + rest. A sign or a class (NaN, zero, infinity) that is wrong is an error of 1e9. An infinity counts
 * as the next number beyond the largest, and is right if the number is beyond that. */
#define MATH_ULPS(name, wide, frexp_, ldexp_, narrow, digits, least, limit) \
static inline double name(narrow found, wide true_value) \
{ \
  int exponent; \
  if (true_value != true_value || found != found) return (true_value != true_value) != (found != found) ? 1e9 : 0; \
  if (true_value == 0) return found != 0 || !signbit(found) != !signbit(true_value) ? 1e9 : 0; \
  if (!signbit(found) != !signbit(true_value)) return 1e9; \
  wide value = (wide)found; \
  if (true_value - true_value != 0) return (wide)found == true_value ? 0 : 1e9; \
  if (found - found != 0) { \
    value = found > 0 ? ldexp_(1, limit) : -ldexp_(1, limit); \
    if (value > 0 ? true_value >= value : true_value <= value) return 0; \
  } \
  frexp_(true_value, &exponent); \
  exponent = exponent - digits > least ? exponent - digits : least; \
  if (exponent > limit - digits) exponent = limit - digits; \
  return (double)fabsl((long double)ldexp_(value - true_value, -exponent)); \
}
MATH_ULPS(math_ulps_f32, double, frexp, ldexp, float, 24, -149, 128)
MATH_ULPS(math_ulps_f64, long double, frexpl, ldexpl, double, 53, -1074, 1024)

/* The error of function `which` at x (and y) if its result is `found`, all as bits. */
static inline double math_error(unsigned which, uint64_t x, uint64_t y, uint64_t found)
{
  const math_function *const f = &math_functions[which];
  if (f->is_f64) return math_ulps_f64(math_f64(found), f->f64((long double)math_f64(x)));
  const double r = f->operands == 2 ? pow((double)math_f32(x), (double)math_f32(y)) : f->f32((double)math_f32(x));
  const float v = math_f32(found);
  /* Most results, without frexp() and ldexp(): the last place is worth 2^(e - 23). */
  const double magnitude = fabs(r);
  if (magnitude >= 0x1p-126 && magnitude < 0x1p127 && v - v == 0) {
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    return fabs((double)v - r) * math_f64((uint64_t)(1023 + 23 + 1023 - (int)(bits >> 52)) << 52);
  }
  return math_ulps_f32(v, r);
}

/* The same by MPFR with 300 bits; without it, as above. */
static inline double math_error_exactly(unsigned which, uint64_t x, uint64_t y, uint64_t found)
{
#ifdef HAVE_MPFR
  static int (*const functions[MATH_FUNCTIONS])(mpfr_t, const mpfr_t, mpfr_rnd_t) = {
    mpfr_exp, mpfr_exp2, mpfr_expm1, mpfr_log, mpfr_log2, mpfr_log1p, mpfr_sin, mpfr_cos, mpfr_tanh, mpfr_erf, 0,
    mpfr_exp, mpfr_log, mpfr_sin, mpfr_cos,
  };
  const math_function *const f = &math_functions[which];
  const double value = f->is_f64 ? math_f64(found) : (double)math_f32(found);
  const int digits = f->is_f64 ? 53 : 24, least = f->is_f64 ? -1074 : -149, limit = f->is_f64 ? 1024 : 128;
  double error = math_error(which, x, y, found);
  mpfr_t a, r;
  mpfr_init2(a, 53);
  mpfr_init2(r, 300);
  mpfr_set_d(a, f->is_f64 ? math_f64(x) : (double)math_f32(x), MPFR_RNDN);
  if (f->operands == 2) {
    mpfr_t b;
    mpfr_init2(b, 53);
    mpfr_set_d(b, (double)math_f32(y), MPFR_RNDN);
    mpfr_pow(r, a, b, MPFR_RNDN);
    mpfr_clear(b);
  } else
    functions[which](r, a, MPFR_RNDN);
  if (value - value == 0 && mpfr_regular_p(r) && error < 1e9) {
    int exponent = (int)mpfr_get_exp(r) - digits;
    exponent = exponent < least ? least : exponent > limit - digits ? limit - digits : exponent;
    mpfr_set_d(a, value, MPFR_RNDN);
    mpfr_sub(r, a, r, MPFR_RNDN);
    mpfr_mul_2si(r, r, -exponent, MPFR_RNDN);
    error = fabs(mpfr_get_d(r, MPFR_RNDN));
  }
  mpfr_clear(a);
  mpfr_clear(r);
  return error;
#else
  return math_error(which, x, y, found);
#endif
}

#endif
