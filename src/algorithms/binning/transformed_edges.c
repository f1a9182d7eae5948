/* SPDX-License-Identifier: Apache-2.0
 *
 * The edges of logarithmic axes and of axes of powers: real numbers by definition, each rounded once. They
 * are computed in fixed point with more and more words until no doubt is left about the rounding (Ziv, "Fast
 * evaluation of elementary mathematical functions with correctly rounded last bit", 1991). Host side of the
 * algorithm layer.
 */
#include "algorithms/binning/fixed_point.h"
#include "algorithms/binning/sample_values.h"
#include "runtime/check.h"
#include "runtime/fp_environment.h"

#include <isowarp/histograms.h>

#include <math.h>
#include <stdlib.h>

/* A positive number: (bits / 2^63) * 2^exponent, bits at least 2^63. Zero: bits 0. */
typedef struct scaled { uint64_t bits; int exponent; } scaled;

static scaled scaled_of_integer(uint64_t bits, int exponent)
{
  const int zeros = bits ? __builtin_clzll(bits) : 0;
  return (scaled){ bits << zeros, exponent + 63 - zeros };
}

static scaled scaled_of_double(double x)
{
  int exponent;
  const double fraction = frexp(x, &exponent); /* 0, or in [1/2, 1) */
  return scaled_of_integer((uint64_t)ldexp(fraction, 53), exponent - 53);
}

static scaled scaled_of(iw_type type, const void *value)
{
  return is_float(type) ? scaled_of_double(real_at(type, value, 0))
    : scaled_of_integer((uint64_t)integer_at(type, value, 0), 0);
}

/* A float type's bits of precision, and the exponent of its smallest number. Integers: their unit is 2^0. */
typedef struct format { int precision, smallest; } format;

static format format_of(iw_type type)
{
  const iw_type_facts facts = iw_facts_of(type);
  return facts.is_float ? (format){ facts.of.fraction + 1, facts.of.smallest } : (format){ 64, 0 };
}

/* An axis. e(k) of a logarithmic one is lo * exp(k/bins * ln(hi/lo)). With p its power, one of powers has
 *   e(k) = base * w^(1/p), w = least + share*(1 - least),
 * where base = hi, least = (lo/hi)^p, share = k/bins if p > 0, and
 *       base = lo, least = (hi/lo)^p, share = 1 - k/bins if p < 0: least is below 1 in both cases. */
typedef struct axis {
  iw_type type;
  size_t bins;
  scaled lo, hi, power;  /* power: its absolute value; 0 for a logarithmic axis */
  int power_is_negative;
} axis;

/* What all edges of an axis need, with a number of words. distance: ln(hi/lo); above_least: 1 - least. */
typedef struct axis_constants { fixed ln2, distance, least, above_least; } axis_constants;

/* bits / 2^63 */
static fixed mantissa(unsigned words, const scaled *x)
{
  return fixed_over(fixed_of(words, x->bits), (uint64_t)1 << 63);
}

/* x * |power| or x / |power|. */
static fixed times_power(const axis *a, const fixed *x)
{
  const fixed m = mantissa(x->words, &a->power), product = fixed_mul(x, &m);
  return a->power.exponent < 0 ? fixed_halves(product, (unsigned)-a->power.exponent)
    : fixed_times(product, (uint64_t)1 << a->power.exponent);
}

static fixed over_power(const axis *a, const fixed *x)
{
  const fixed quotient = fixed_over_mantissa(*x, a->power.bits);
  return a->power.exponent < 0 ? fixed_times(quotient, (uint64_t)1 << -a->power.exponent)
    : fixed_halves(quotient, (unsigned)a->power.exponent);
}

/* e^-x as a fraction: *exponent gets an integer q, and the result is e^-x * 2^q in [1, 2). */
static fixed exp_minus(const axis_constants *c, const fixed *x, int *exponent)
{
  fixed up = fixed_of(x->words, 0);
  int q = 0;
  const double guess = ((double)x->w[x->words] + (double)x->w[x->words - 1] * 0x1p-64) * 1.4426950408889634;
  for (q = (int)guess, up = fixed_times(c->ln2, (uint64_t)q); fixed_less(&up, x); q++)
    up = fixed_add(up, &c->ln2);
  *exponent = q;
  up = fixed_sub(up, x);
  return fixed_exp(&up);
}

static void find_constants(const axis *a, unsigned words, axis_constants *c)
{
  c->ln2 = fixed_ln2(words);
  c->distance = c->least = c->above_least = fixed_of(words, 0);
  if (a->lo.bits) {
    const fixed lo = mantissa(words, &a->lo), hi = mantissa(words, &a->hi), ln_lo = fixed_ln(&lo), ln_hi = fixed_ln(&hi);
    c->distance = fixed_times(c->ln2, (uint64_t)(a->hi.exponent - a->lo.exponent));
    c->distance = fixed_add(c->distance, &ln_hi);
    c->distance = fixed_sub(c->distance, &ln_lo);
  }
  if (!a->power.bits)
    return;
  if (a->lo.bits) {
    int exponent;
    const fixed by = times_power(a, &c->distance);
    c->least = exp_minus(c, &by, &exponent);
    c->least = fixed_halves(c->least, (unsigned)exponent);
  }
  const fixed one = fixed_of(words, 1);
  c->above_least = fixed_sub(one, &c->least);
}

/* -ln(w)/|p| of an axis of powers: e(k) is base * exp(-x), or base * exp(x) if p < 0. */
static fixed power_exponent(const axis *a, const axis_constants *c, size_t k)
{
  const uint64_t share = a->power_is_negative ? a->bins - k : k;
  fixed w = fixed_times(c->above_least, share);
  w = fixed_over(w, a->bins);
  w = fixed_add(w, &c->least);
  uint64_t doublings = 0;
  while (!w.w[w.words]) { /* w is positive, as 0 < k < bins */
    w = fixed_add(w, &w);
    doublings++;
  }
  const fixed ln = fixed_ln(&w);
  fixed x = fixed_times(c->ln2, doublings);
  x = fixed_sub(x, &ln);
  return over_power(a, &x);
}

/* Edge k as m * 2^*exponent, 1 <= m < 4, with an error of less than 2^64 last places. */
static fixed compute_edge(const axis *a, const axis_constants *c, size_t k, int *exponent)
{
  fixed x;
  const scaled *base = &a->hi;
  if (!a->power.bits) { /* down from hi */
    x = fixed_times(c->distance, a->bins - k);
    x = fixed_over(x, a->bins);
  }
  else if (!a->power_is_negative)
    x = power_exponent(a, c, k);
  else { /* up from lo is down from hi */
    const fixed up = power_exponent(a, c, k);
    x = fixed_sub(c->distance, &up);
  }
  int halvings;
  const fixed e = exp_minus(c, &x, &halvings), m = mantissa(e.words, base);
  *exponent = base->exponent - halvings;
  return fixed_mul(&e, &m);
}

/* Bit `bit` of the number's words, as one integer. */
static int bit_of(const fixed *x, unsigned bit)
{
  return bit / 64 <= x->words && x->w[bit / 64] >> bit % 64 & 1;
}

/* Rounds m * 2^exponent to the nearest multiple of 2^*unit: the result times 2^*unit. Returns 0 if an error
 * of 2^64 last places could change it: then it takes the even neighbour. */
static int round_to_format(const format *to, const fixed *m, int exponent, uint64_t *result, int *unit)
{
  const unsigned fraction = 64 * m->words;
  unsigned top = fraction + 2;
  while (!bit_of(m, top))
    top--;
  const int least = exponent + (int)(top - fraction) - (to->precision - 1);
  *unit = to->precision == 64 || least < to->smallest ? to->smallest : least;
  const int shift = *unit - exponent + (int)fraction; /* bits that are rounded away */
  uint64_t number = 0;
  for (unsigned b = 0; b < 64; b++)
    number |= (uint64_t)bit_of(m, (unsigned)shift + b) << b;
  const int half = shift > 0 && bit_of(m, (unsigned)shift - 1);
  int all_equal = 1; /* the bits below are as those of half a unit, or just below it */
  for (int b = 65; b < shift - 1; b++)
    all_equal &= bit_of(m, (unsigned)b) != half;
  *result = number + (uint64_t)(all_equal ? number & 1 : (uint64_t)half);
  return !all_equal;
}

static void store_edge(iw_type type, void *edges, size_t k, uint64_t number, int unit)
{
  const size_t size = iw_type_size(type);
  if (is_float(type))
    store_real(type, edges, k, ldexp((double)number, unit));
  else
    memcpy((char *)edges + k * size, &number, size); /* little-endian, as all targets are */
}

static void compute_all(const axis *a, const void *lo, const void *hi, void *edges)
{
  const format to = format_of(a->type);
  const size_t size = iw_type_size(a->type);
  axis_constants c[3]; /* of 4, 8 and 16 words */
  unsigned ready = 0;
  memcpy(edges, lo, size);
  memcpy((char *)edges + a->bins * size, hi, size);
  for (size_t k = 1; k < a->bins; k++) {
    uint64_t number = 0;
    int unit = 0, known = 0;
    for (unsigned i = 0; i < 3 && !known; i++) {
      int exponent;
      if (i == ready)
        find_constants(a, 4u << i, &c[ready++]);
      const fixed m = compute_edge(a, &c[i], k, &exponent);
      known = round_to_format(&to, &m, exponent, &number, &unit);
    }
    store_edge(a->type, edges, k, number, unit);
  }
}

/* ---- The calls ---- */

static iw_status check_range(iw_type type, const void *lo, const void *hi, int zero_allowed)
{
  const char *const from = zero_allowed ? "not be negative" : "be positive";
  if (is_float(type)) {
    const double low = real_at(type, lo, 0), high = real_at(type, hi, 0);
    if (!isfinite(low) || !isfinite(high) || !(low > 0 || (zero_allowed && low == 0)) || !(low < high))
      return iw_fail(IW_ERROR_INVALID, "lo and hi give the range [%.17g, %.17g]: lo must %s and below hi, and both finite",
                     low, high, from);
    return IW_OK;
  }
  const int128 low = integer_at(type, lo, 0), high = integer_at(type, hi, 0);
  if (low < !zero_allowed || low >= high)
    return iw_fail(IW_ERROR_INVALID, "lo and hi give the range [%s, %s]: lo must %s and below hi", format_integer(low).s,
                   format_integer(high).s, from);
  return IW_OK;
}

static iw_status check_increase(iw_type type, size_t bins, const void *edges)
{
  for (size_t k = 0; k < bins; k++)
    if (is_float(type) ? !(real_at(type, edges, k) < real_at(type, edges, k + 1))
                       : integer_at(type, edges, k) >= integer_at(type, edges, k + 1))
      return iw_fail(IW_ERROR_INVALID, "bins is %zu: too many for this range, as edges %zu and %zu are both %.17g (%s)",
                     bins, k, k + 1, is_float(type) ? real_at(type, edges, k) : (double)integer_at(type, edges, k),
                     iw_type_name(type));
  return IW_OK;
}

/* Needs the default floating-point environment. power: 0 for a logarithmic axis. */
static IW_NOINLINE iw_status compute_edges(iw_type type, const void *lo, const void *hi, size_t bins, double power,
                                           void *edges)
{
  const size_t bytes = (bins + 1) * iw_type_size(type);
  IW_TRY(check_range(type, lo, hi, power > 0));
  void *const made = malloc(bytes); /* as a failure leaves the caller's edges as they are */
  if (!made)
    return iw_fail(IW_ERROR_MEMORY, "no memory for %zu bytes of edges", bytes);
  const axis a = { type, bins, scaled_of(type, lo), scaled_of(type, hi), scaled_of_double(fabs(power)), power < 0 };
  compute_all(&a, lo, hi, made);
  const iw_status status = check_increase(type, bins, made);
  if (status == IW_OK)
    memcpy(edges, made, bytes);
  free(made);
  return status;
}

iw_status iw_histogram_power_edges(iw_type type, const void *lo, const void *hi, size_t bins, double power,
                                   void *edges)
{
  enum { MOST = 0x7fffffff };
  iw_fp_env callers;
  if (power != 0 && !(fabs(power) >= 0x1p-6 && fabs(power) <= 0x1p6))
    return iw_fail(IW_ERROR_INVALID, "power is %g; valid are 0, 1/64 to 64, and -64 to -1/64", power);
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  IW_TRY(iw_check_single("lo", lo, iw_type_size(type)));
  IW_TRY(iw_check_single("hi", hi, iw_type_size(type)));
  if (bins < 1 || bins > MOST)
    return iw_fail(IW_ERROR_INVALID, "bins is %zu; valid are 1 to %d", bins, (int)MOST);
  IW_TRY(iw_check_array("edges", edges, bins + 1, iw_type_size(type)));
  iw_fp_env_set_default(&callers);
  const iw_status status = compute_edges(type, lo, hi, bins, power, edges);
  iw_fp_env_restore(&callers);
  return status;
}
