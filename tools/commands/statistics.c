/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums, means, variances and quantiles that are rounded once, from exact sums (doc/exact.md): division
 * comes before rounding, so a mean is finite whose sum is not, and a variance is not lost where it is a
 * difference of large numbers. All is integer and IEEE arithmetic in a fixed order, so that every machine
 * has the same bits. */
#include "statistics.h"

#include <isowarp.h>
#include <isowarp/peers.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

enum { CHUNK = 1 << 16 }; /* elements that are converted at a time */

/* ---- Texts ---- */

static number_text text_of(iw_type type, const void *element)
{
  number_text t;
  t.s[format_value(type, element, t.s)] = '\0';
  return t;
}

static number_text text_of_double(double x) { return text_of(IW_F64, &x); }

/* Writes an integer of at most NUMBER_CHARS - 2 digits. */
static number_text text_of_integer(int128 x)
{
  char digits[NUMBER_CHARS];
  uint128 rest = x < 0 ? -(uint128)x : (uint128)x;
  size_t at = sizeof digits - 1;
  digits[at] = '\0';
  do {
    digits[--at] = (char)('0' + (int)(rest % 10));
    rest /= 10;
  } while (rest > 0);
  if (x < 0)
    digits[--at] = '-';
  number_text t;
  strcpy(t.s, digits + at);
  return t;
}

/* whole + rest, for |whole| < 2^64: the integer and the fewest digits behind the point that parse to the
 * fraction of rest, 17 at most. */
static number_text text_of_sum(int128 whole, double rest)
{
  enum { MOST_DIGITS = 17 };
  char fraction[MOST_DIGITS + 3]; /* "0." in front of the digits */
  const double below = floor(rest);
  double part = rest - below;
  int digits = 1;
  whole += (int128)below;
  do
    snprintf(fraction, sizeof fraction, "%.*f", digits, part);
  while (strtod(fraction, NULL) != part && ++digits <= MOST_DIGITS);
  if (fraction[0] == '1')
    whole++;
  char *const behind = fraction + 2;
  if (behind[strspn(behind, "0")] == '\0')
    return text_of_integer(whole);
  const int negative = whole < 0;
  if (negative) { /* -5 + 0.3 is -(4 + 0.7) */
    whole++;
    for (char *digit = strchr(fraction, '\0'), carry = 1; --digit >= behind;) {
      const char nine = (char)('9' - *digit + carry);
      *digit = (char)('0' + nine % 10);
      carry = nine / 10;
    }
  }
  number_text t = text_of_integer(whole);
  if (negative && whole == 0)
    strcpy(t.s, "-0");
  strcat(strcat(t.s, "."), behind);
  return t;
}

/* ---- Exact sums ---- */

enum { WORDS = 34, POINT = 1074 }; /* of an iw_exact_sum: its words, and the bits of its fraction */

/* The sum of all ranks. */
static void merge_ranks(iw_exact_sum *sum)
{
  ranks_agree();
  if (ranks_are_open())
    must(iw_distributed_exact_sums_merge(ranks_handle(), sum, 1));
}

static double rounded(const iw_exact_sum *sum)
{
  double result;
  must(iw_exact_sum_round(sum, IW_F64, &result));
  return result;
}

/* The lowest 64 bits of words >> by. */
static uint64_t bits_from(const uint64_t *words, size_t count, size_t by)
{
  const size_t at = by / 64, shift = by % 64;
  const uint64_t low = at < count ? words[at] : 0, high = at + 1 < count ? words[at + 1] : 0;
  return shift ? low >> shift | high << (64 - shift) : low;
}

/* Whether one of the lowest n bits is set. */
static int has_bit_below(const uint64_t *words, size_t n)
{
  for (size_t i = 0; i < n / 64; i++)
    if (words[i] != 0)
      return 1;
  return n % 64 && words[n / 64] << (64 - n % 64) != 0;
}

/* magnitude * 2^exponent, to nearest even. */
static double rounded_magnitude(const uint64_t *words, size_t count, int exponent)
{
  size_t top = 64 * count;
  while (top > 0 && (words[(top - 1) / 64] >> (top - 1) % 64 & 1) == 0)
    top--;
  const int least = -POINT - exponent, last = (int)top - 53 > least ? (int)top - 53 : least; /* of the mantissa's bits */
  if (last <= 0)
    return ldexp((double)words[0], exponent);
  uint64_t mantissa = bits_from(words, count, (size_t)last) & (((uint64_t)1 << 53) - 1);
  const uint64_t half = bits_from(words, count, (size_t)last - 1) & 1;
  mantissa += half & (mantissa | (uint64_t)has_bit_below(words, (size_t)last - 1));
  return ldexp((double)mantissa, last + exponent);
}

/* sum / a / b, rounded once. */
static double quotient(const iw_exact_sum *sum, int exponent, uint64_t a, uint64_t b)
{
  enum { MORE = 3 }; /* words, which hold the first bits of a small quotient */
  uint64_t words[WORDS + MORE] = { 0 };
  if (sum->nonfinite)
    return rounded(sum);
  const uint64_t negative = sum->words[WORDS - 1] >> 63;
  uint64_t carry = negative;
  for (size_t i = 0; i < WORDS; i++) {
    words[i + MORE] = (negative ? ~sum->words[i] : sum->words[i]) + carry;
    carry = carry && words[i + MORE] == 0;
  }
  int inexact = 0;
  for (int pass = 0; pass < 2; pass++) {
    uint128 rest = 0;
    for (size_t i = WORDS + MORE; i-- > 0;) {
      rest = rest << 64 | words[i];
      words[i] = (uint64_t)(rest / (pass ? b : a));
      rest %= pass ? b : a;
    }
    inexact |= rest != 0;
  }
  words[0] |= (uint64_t)inexact; /* decides between two doubles as all further bits would */
  const double magnitude = rounded_magnitude(words, WORDS + MORE, exponent - POINT - 64 * MORE);
  return negative ? -magnitude : magnitude;
}

/* Multiplies modulo 2^2176, so that the sum may be negative. */
static void multiply(iw_exact_sum *sum, uint64_t by)
{
  uint128 carry = 0;
  for (size_t i = 0; i < WORDS; i++) {
    carry += (uint128)sum->words[i] * by;
    sum->words[i] = (uint64_t)carry;
    carry >>= 64;
  }
}

/* Takes number * by from the sum. */
static void subtract_multiple(iw_context *context, iw_exact_sum *sum, double number, uint64_t by)
{
  const double negated = -number;
  iw_exact_sum multiple = IW_EXACT_SUM_EMPTY;
  must(iw_exact_sum_add(context, IW_F64, &negated, 1, &multiple));
  multiply(&multiple, by);
  must(iw_exact_sum_merge(sum, &multiple));
}

/* Adds a - b * c. */
static void add_difference(iw_context *context, iw_exact_sum *sum, double a, double b, double c)
{
  const double product = b * c, terms[] = { a, -product, -fma(b, c, -product) };
  must(iw_exact_sum_add(context, IW_F64, terms, sizeof terms / sizeof *terms, sum));
}

/* ---- Sum and mean ---- */

static int is_wide(iw_type type) { return type == IW_I64 || type == IW_U64; }

static int128 wide_value(iw_type type, const value *v) { return type == IW_I64 ? v->i64 : (int128)v->u64; }

static value value_at(iw_type type, const void *elements, size_t k)
{
  value v = { .u64 = 0 };
  memcpy(&v, element_at(type, elements, k), iw_type_size(type));
  return v;
}

/* Adds all elements of this rank. A 64-bit integer is the exact sum of two doubles, its high and its low
 * half. */
static iw_exact_sum sum_elements(iw_context *context, iw_type type, const void *elements, size_t n)
{
  static double numbers[2 * CHUNK];
  iw_exact_sum sum = IW_EXACT_SUM_EMPTY;
  for (size_t done = 0; done < n; done += CHUNK) {
    const size_t count = n - done < CHUNK ? n - done : CHUNK;
    size_t written = 0;
    if (is_float(type))
      must(iw_exact_sum_add(context, type, element_at(type, elements, done), count, &sum));
    else
      for (size_t i = 0; i < count; i++) {
        const value v = value_at(type, elements, done + i);
        if (is_wide(type)) {
          const uint64_t low = v.u64 & 0xffffffff;
          numbers[written++] = (double)low;
          numbers[written++] = (double)(wide_value(type, &v) - low);
        } else
          numbers[written++] = number_value(type, &v);
      }
    must(iw_exact_sum_add(context, IW_F64, numbers, written, &sum));
    progress("adding", "elements", done + count, n);
  }
  merge_ranks(&sum);
  return sum;
}

/* A sum of integers. */
static int128 integer_sum(const iw_exact_sum *sum)
{
  return (int128)((uint128)bits_from(sum->words, WORDS, POINT + 64) << 64 | bits_from(sum->words, WORDS, POINT));
}

/* ---- Variance ---- */

/* What deviations are taken from: a double near the mean times 2^exponent, or an integer. Squares of
 * deviations of doubles are neither too large nor too small for a double, as their elements are scaled if
 * they are. */
typedef struct pivot {
  int128 integer;
  double scaled, factor; /* factor: 2^exponent */
  int exponent;
} pivot;

static int exponent_for_squares(double least, double greatest)
{
  const double largest = fmax(fabs(least), fabs(greatest));
  return largest >= 0x1p400 ? -600 : largest < 0x1p-400 ? 600 : 0;
}

/* squares = the sum of (x - pivot)^2 over all ranks, and bits that do not matter: a deviation is a double
 * and the rest that its rounding took, which is counted to the first power. */
static iw_exact_sum sum_squares(iw_context *context, iw_type type, const void *elements, size_t n, const pivot *from)
{
  static double squares[2 * CHUNK];
  iw_exact_sum sum = IW_EXACT_SUM_EMPTY;
  for (size_t done = 0; done < n; done += CHUNK) {
    const size_t count = n - done < CHUNK ? n - done : CHUNK;
    for (size_t i = 0; i < count; i++) {
      double d, rest;
      const value v = value_at(type, elements, done + i);
      if (is_wide(type)) {
        const int128 exact = wide_value(type, &v) - from->integer;
        d = (double)exact;
        rest = (double)(exact - (int128)d);
      } else { /* Knuth's sum of two doubles */
        const double x = number_value(type, &v) * from->factor;
        d = x - from->scaled;
        const double subtracted = d - x;
        rest = (x - (d - subtracted)) - (from->scaled + subtracted);
      }
      squares[2 * i] = d * d;
      squares[2 * i + 1] = fma(d, d, -squares[2 * i]) + 2 * d * rest;
    }
    must(iw_exact_sum_add(context, IW_F64, squares, 2 * count, &sum));
    progress("adding squares", "elements", done + count, n);
  }
  merge_ranks(&sum);
  return sum;
}

/* Sets variance and deviation, (n S2 - S1^2) / (n (n - 1)) and its root, where S1 and S2 are the sums of x
 * - pivot and of its square (Chan, Golub and LeVeque 1983). s1: S1, unscaled. */
static void find_variance(iw_context *context, iw_type type, const void *elements, size_t n, size_t all,
                          const pivot *from, iw_exact_sum s1, statistics *found)
{
  iw_exact_sum s2 = sum_squares(context, type, elements, n, from);
  const double high = quotient(&s1, 0, 1, 1), scaled = ldexp(high, from->exponent);
  subtract_multiple(context, &s1, high, 1);
  const double low = ldexp(quotient(&s1, 0, 1, 1), from->exponent);
  multiply(&s2, all);
  add_difference(context, &s2, -2 * scaled * low, scaled, scaled);
  const double variance = quotient(&s2, 0, all, all - 1);
  found->variance = text_of_double(quotient(&s2, -2 * from->exponent, all, all - 1));
  found->deviation = text_of_double(ldexp(sqrt(variance), -from->exponent));
}

/* The pivot for deviations of numbers with this mean. */
static pivot pivot_at(double mean, double least, double greatest)
{
  const int exponent = exponent_for_squares(least, greatest);
  return (pivot){ .scaled = ldexp(mean, exponent), .factor = ldexp(1, exponent), .exponent = exponent };
}

statistics find_statistics(iw_context *context, iw_type type, const void *elements, size_t n, size_t all,
                           const value *least, const value *greatest)
{
  const iw_exact_sum sum = sum_elements(context, type, elements, n);
  const double mean = all > 0 ? quotient(&sum, 0, all, 1) : (double)NAN;
  statistics found = { .sum = is_float(type) ? text_of_double(rounded(&sum)) : text_of_integer(integer_sum(&sum)) };
  found.mean = text_of_double(mean);
  found.variance = found.deviation = text_of_double((double)NAN);
  if (all == 0 || sum.nonfinite)
    return found;
  iw_exact_sum rest = sum; /* of all deviations from the pivot */
  subtract_multiple(context, &rest, mean, all);
  pivot from = pivot_at(mean, number_value(type, least), number_value(type, greatest));
  if (is_wide(type)) {
    const double correction = quotient(&rest, 0, all, 1);
    if (fabs(mean) >= 0x1p53)
      found.mean = text_of_sum((int128)mean, correction);
    from.integer = (int128)rint(mean) + (int128)rint(correction);
    rest = sum;
    subtract_multiple(context, &rest, (double)from.integer, all);
    subtract_multiple(context, &rest, (double)(from.integer - (int128)(double)from.integer), all);
  }
  if (all > 1)
    find_variance(context, type, elements, n, all, &from, rest, &found);
  progress_end();
  return found;
}

/* ---- Quantiles ---- */

/* Between integers of which one may be beyond 2^53. The product is exact, and only its fraction is
 * rounded. */
static number_text between_integers(int128 low, int128 high, double part)
{
  int exponent;
  const uint64_t mantissa = (uint64_t)ldexp(frexp(part, &exponent), 53);
  const uint128 product = (uint128)(high - low) * mantissa; /* times 2^-shift */
  const int shift = 53 - exponent;
  const uint128 whole = shift < 128 ? product >> shift : 0;
  const uint128 rest = shift < 128 ? product - (whole << shift) : product;
  return text_of_sum(low + (int128)whole, ldexp((double)rest, -shift));
}

/* The double nearest to low + (high - low) * part. Small numbers are scaled, so that products are exact. */
static double between(iw_context *context, double low, double high, double part)
{
  if (isinf(low) && isinf(high))
    return part < 0.5 ? low : part > 0.5 ? high : 0;
  if (isinf(low) || isinf(high))
    return isinf(low) ? low : high;
  const int exponent = fabs(low) < 0x1p-400 && fabs(high) < 0x1p-400 ? 600 : 0;
  const double a = ldexp(low, exponent), b = ldexp(high, exponent);
  iw_exact_sum sum = IW_EXACT_SUM_EMPTY;
  add_difference(context, &sum, a, a, part);
  add_difference(context, &sum, 0, -b, part);
  return quotient(&sum, -exponent, 1, 1);
}

number_text interpolate(iw_context *context, iw_type type, const value *low, const value *high, double part)
{
  const double x = number_value(type, low), y = number_value(type, high);
  if (is_wide(type) && (part == 0 || low->u64 == high->u64))
    return text_of(type, low);
  if (is_wide(type) && (fabs(x) > 0x1p53 || fabs(y) > 0x1p53))
    return between_integers(wide_value(type, low), wide_value(type, high), part);
  return text_of_double(part == 0 || x == y ? x : between(context, x, y, part));
}
