/* SPDX-License-Identifier: Apache-2.0
 *
 * Means, variances and standard deviations of the rows of a matrix: quotients of exact sums of the elements
 * and of their squares, and roots of these, which are rounded once. No intermediate result overflows, cancels
 * or depends on an order. */
#include "core.h"

#include <isowarp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

enum {
  SUM_POINT = 1074,           /* bits of the fraction of an iw_exact_sum */
  SUM_WORDS = 34,
  SQUARES_WORDS = 68,         /* squares of f64 are below 2^2048, and 2^64 of them are added */
  INTEGER_SUM_WORDS = 3,      /* of 64 bits, up to 2^64 of them, and the place of a carry */
  INTEGER_SQUARES_WORDS = 4,
  WORDS = SQUARES_WORDS + 2   /* of these times a number of 64 bits */
};

/* A number that is not negative: word k counts 2^(64 * k - point). Those behind `count` are unspecified. */
typedef struct magnitude {
  uint64_t words[WORDS];
  int count, point;
} magnitude;

/* What a row's statistics are made of: the magnitude of the sum, that of the squares, and which elements
 * were not finite (iw_exact_sum). Both are integers times 2^-point and 2^-(2 * point), of so many words;
 * those behind are unspecified. */
typedef struct moments {
  uint64_t sum[SUM_WORDS], squares[SQUARES_WORDS];
  int sum_words, squares_words;
  int is_negative, point; /* is_negative: the sum */
  unsigned nonfinite;
} moments;

/* ---- Sums ---- */

/* Adds value * 2^bits. */
static void add_shifted(uint64_t *words, uint128 value, unsigned bits)
{
  const unsigned shift = bits % 64;
  uint64_t *at = words + bits / 64;
  const uint128 low = (uint128)(uint64_t)value << shift,
                high = ((uint128)(uint64_t)(value >> 64) << shift) + (uint64_t)(low >> 64);
  uint128 sum = (uint128)at[0] + (uint64_t)low;
  at[0] = (uint64_t)sum;
  sum = (sum >> 64) + at[1] + (uint64_t)high;
  at[1] = (uint64_t)sum;
  sum = (sum >> 64) + at[2] + (uint64_t)(high >> 64);
  at[2] = (uint64_t)sum;
  for (at += 3; sum >> 64 != 0; at++) {
    sum = (sum >> 64) + *at;
    *at = (uint64_t)sum;
  }
}

/* A finite f64 is significand * 2^(shift - 1074); the significand of others is 0 here. */
static inline uint64_t significand_of(double x, unsigned *exponent)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  *exponent = bits >> 52 & 0x7ff;
  const uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
  return *exponent == 0x7ff ? 0 : fraction | (uint64_t)(*exponent != 0) << 52;
}

static inline unsigned shift_of(unsigned exponent)
{
  return exponent == 0 ? 0 : exponent - 1;
}

/* Element i, of f32 or f64. */
static inline double float_at(const void *in, size_t i, size_t size)
{
  return size == 4 ? ((const float *)in)[i] : ((const double *)in)[i];
}

static inline void add_few_squares(uint64_t *words, const void *in, size_t n, size_t size)
{
  for (size_t i = 0; i < n; i++) {
    unsigned exponent;
    const uint64_t m = significand_of(float_at(in, i, size), &exponent);
    add_shifted(words, (uint128)m * m, 2 * shift_of(exponent));
  }
}

/* The same by a sum for each exponent, sums: squares of significands have 106 bits. */
static inline void add_many_squares(uint64_t *words, const void *in, size_t n, size_t size, uint128 *sums)
{
  enum { EXPONENTS = 2048, MOST = 1 << 22 };
  for (size_t at = 0; at < n; at += MOST) {
    const size_t end = n - at < MOST ? n : at + MOST;
    memset(sums, 0, EXPONENTS * sizeof *sums);
    for (size_t i = at; i < end; i++) {
      unsigned exponent;
      const uint64_t m = significand_of(float_at(in, i, size), &exponent);
      sums[exponent] += (uint128)m * m;
    }
    for (unsigned e = 0; e < EXPONENTS; e++)
      if (sums[e] != 0)
        add_shifted(words, sums[e], 2 * shift_of(e));
  }
}

/* Adds few elements whose exponents are so near that 128 bits hold their sum, and 256 bits that of their
 * squares. Returns whether they are. */
static inline int add_near(const void *in, size_t n, size_t size, int squares, moments *m)
{
  enum { MOST = 4096, SPAN = 60 }; /* 53 + 60 + 12 bits and a sign */
  unsigned least = 2047, greatest = 0;
  int128 sum = 0;
  if (n > MOST)
    return 0;
  for (size_t i = 0; i < n; i++) {
    unsigned exponent;
    significand_of(float_at(in, i, size), &exponent);
    least = exponent < least ? exponent : least;
    greatest = exponent > greatest ? exponent : greatest;
  }
  if (greatest == 2047 || shift_of(greatest) - shift_of(least) > SPAN)
    return 0;
  m->sum_words = 2;
  m->squares_words = 5; /* the fifth one is a carry's place */
  memset(m->squares, 0, 5 * sizeof *m->squares);
  for (size_t i = 0; i < n; i++) {
    unsigned exponent;
    const double x = float_at(in, i, size);
    const uint64_t significand = significand_of(x, &exponent);
    const unsigned shift = shift_of(exponent) - shift_of(least);
    const int128 number = (int128)significand << shift;
    sum += signbit(x) ? -number : number;
    if (squares)
      add_shifted(m->squares, (uint128)significand * significand, 2 * shift);
  }
  m->is_negative = sum < 0;
  const uint128 distance = (uint128)(sum < 0 ? -sum : sum);
  m->sum[0] = (uint64_t)distance;
  m->sum[1] = (uint64_t)(distance >> 64);
  m->point = SUM_POINT - (int)shift_of(least);
  return 1;
}

/* Adds a sum in two's complement. */
static void add_exact(const iw_exact_sum *sum, moments *m)
{
  m->is_negative = (int)(sum->words[SUM_WORDS - 1] >> 63);
  uint64_t carry = (uint64_t)m->is_negative;
  for (size_t k = 0; k < SUM_WORDS; k++) {
    m->sum[k] = (m->is_negative ? ~sum->words[k] : sum->words[k]) + carry;
    carry = carry && m->sum[k] == 0;
  }
}

/* sums: NULL, or 2048 numbers for rows of many elements. */
static void add_float_squares(iw_type type, uint64_t *words, const void *in, size_t n, uint128 *sums)
{
  if (type == IW_F32)
    sums ? add_many_squares(words, in, n, 4, sums) : add_few_squares(words, in, n, 4);
  else
    sums ? add_many_squares(words, in, n, 8, sums) : add_few_squares(words, in, n, 8);
}

/* Adds integers of `size` bytes; of a known size a load is one instruction. */
static inline void add_integers(const char *in, size_t n, size_t size, int is_signed, int squares, moments *m)
{
  int128 sum = 0;
  uint128 small = 0; /* the squares of narrow ones */
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = 0; /* of a narrower type in the lower bytes: all targets are little-endian */
    memcpy(&bits, in + i * size, size);
    const int64_t extended = (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size);
    const uint64_t distance = is_signed && extended < 0 ? 0 - (uint64_t)extended : bits; /* from 0 */
    sum += is_signed ? (int128)extended : (int128)bits;
    if (squares && size < 8)
      small += distance * distance;
    else if (squares)
      add_shifted(m->squares, (uint128)distance * distance, 0);
  }
  m->is_negative = sum < 0;
  add_shifted(m->sum, (uint128)(sum < 0 ? -sum : sum), 0);
  if (squares)
    add_shifted(m->squares, small, 0);
}

static void add_integers_of(iw_type type, const void *in, size_t n, int squares, moments *m)
{
  const int is_signed = is_signed_type(type);
  switch (iw_type_size(type)) {
  case 1: add_integers(in, n, 1, is_signed, squares, m); break;
  case 2: add_integers(in, n, 2, is_signed, squares, m); break;
  case 4: add_integers(in, n, 4, is_signed, squares, m); break;
  default: add_integers(in, n, 8, is_signed, squares, m);
  }
}

/* The moments of n elements; those of squares only if wanted, of f32, f64 and integers. */
static iw_status add_row(iw_context *context, iw_type type, const void *in, size_t n, int squares, uint128 *sums,
                         moments *m)
{
  enum { MANY = 4096 };
  iw_exact_sum sum = IW_EXACT_SUM_EMPTY;
  m->nonfinite = 0;
  if ((type == IW_F64 && add_near(in, n, 8, squares, m)) || (type == IW_F32 && add_near(in, n, 4, squares, m)))
    return IW_OK;
  m->sum_words = is_float_type(type) ? SUM_WORDS : INTEGER_SUM_WORDS;
  m->squares_words = is_float_type(type) ? SQUARES_WORDS : INTEGER_SQUARES_WORDS;
  m->point = is_float_type(type) ? SUM_POINT : 0;
  memset(m->sum, 0, (size_t)m->sum_words * sizeof *m->sum);
  memset(m->squares, 0, (size_t)m->squares_words * sizeof *m->squares);
  if (!is_float_type(type)) {
    add_integers_of(type, in, n, squares, m);
    return IW_OK;
  }
  const iw_status status = iw_exact_sum_add(context, type, in, n, &sum);
  m->nonfinite = sum.nonfinite;
  add_exact(&sum, m);
  if (squares && status == IW_OK && !m->nonfinite)
    add_float_squares(type, m->squares, in, n, n < MANY ? NULL : sums);
  return status;
}

/* ---- Quotients and roots ---- */

/* The highest word that is not 0, or -1. */
static int top_word(const magnitude *m)
{
  int k = m->count - 1;
  while (k >= 0 && m->words[k] == 0)
    k--;
  return k;
}

/* Makes *m the quotient, rounded down, of which only the first `kept` words from the first that is not 0
 * on are made. Returns whether something was cut off. */
static int divide(magnitude *m, uint64_t divisor, int kept)
{
  const int count = top_word(m) + 1, by = count <= kept ? kept + 1 - count : 0; /* a place for the quotient */
  uint64_t rest = 0;
  if (by > 0) {
    memmove(m->words + by, m->words, (size_t)count * sizeof *m->words);
    memset(m->words, 0, (size_t)by * sizeof *m->words);
    m->point += 64 * by;
  }
  m->count = count + by;
  int k = m->count - 1;
  for (int made = 0; k >= 0 && made < kept; k--) {
    const uint128 dividend = (uint128)rest << 64 | m->words[k];
    m->words[k] = (uint64_t)(dividend / divisor);
    rest = (uint64_t)dividend - m->words[k] * divisor;
    made += made > 0 || m->words[k] != 0;
  }
  int is_cut = rest != 0;
  for (; k >= 0; k--) {
    is_cut |= m->words[k] != 0;
    m->words[k] = 0;
  }
  return is_cut;
}

/* The first 128 bits from the highest one on, which count 2^*exponent and more, and whether there are
 * others. */
static uint128 top_bits(const magnitude *m, int *exponent, int *others)
{
  const int k = top_word(m), shift = __builtin_clzll(m->words[k]);
  const uint64_t second = k >= 1 ? m->words[k - 1] : 0, third = k >= 2 ? m->words[k - 2] : 0;
  uint128 top = ((uint128)m->words[k] << 64 | second) << shift;
  if (shift > 0)
    top |= third >> (64 - shift);
  *exponent = 64 * (k - 1) - shift - m->point;
  *others = third << shift != 0;
  for (int i = k - 3; i >= 0; i--)
    *others |= m->words[i] != 0;
  return top;
}

/* Makes *m its square root, rounded down, of 64 bits. Returns whether something was cut off. */
static int take_root(magnitude *m, int is_cut)
{
  int exponent, others;
  if (top_word(m) < 0)
    return is_cut;
  uint128 x = top_bits(m, &exponent, &others);
  is_cut |= others;
  if (exponent % 2 != 0) {
    is_cut |= (int)(x & 1);
    x >>= 1;
    exponent++;
  }
  uint128 root = (uint128)sqrt((double)x);
  root = (root + x / root) / 2; /* of 53 right bits */
  if (root > UINT64_MAX)
    root = UINT64_MAX;
  while (root * root > x)
    root--;
  while (root < UINT64_MAX && (root + 1) * (root + 1) <= x)
    root++;
  m->words[0] = (uint64_t)root;
  m->count = 1;
  m->point = -exponent / 2;
  return is_cut || root * root != x;
}

/* Formats of floats: numbers are integers below 2^precision times a power of 2 from 2^least on, and below
 * `above`. */
typedef struct format { int precision, least; double above; } format;

static format format_of(iw_type type)
{
  switch ((int)type) {
  case IW_F16: return (format){ 11, -24, 0x1p16 };
  case IW_BF16: return (format){ 8, -133, 0x1p128 };
  case IW_F32: return (format){ 24, -149, 0x1p128 };
  default: return (format){ 53, -1074, HUGE_VAL };
  }
}

/* The nearest number of a format, ties to even, or infinity. is_cut: the value is greater, by less than
 * the lowest word's unit. */
static double nearest(const magnitude *m, int is_cut, format f)
{
  int exponent, others;
  if (top_word(m) < 0)
    return 0; /* or what is less than half of the smallest one */
  const uint128 x = top_bits(m, &exponent, &others), one = 1;
  const int unit = 128 + exponent - f.precision > f.least ? 128 + exponent - f.precision : f.least;
  const int shift = unit - exponent; /* at least 128 - 53 */
  if (shift > 128)
    return 0;
  uint64_t number = shift == 128 ? 0 : (uint64_t)(x >> shift);
  const uint128 rest = shift == 128 ? x : x & ((one << shift) - 1), half = one << (shift - 1);
  number += rest > half || (rest == half && (is_cut || others || number % 2 != 0));
  if (unit < -1022 || unit > 1023)
    return ldexp((double)number, unit);
  const uint64_t power = (uint64_t)(unit + 1023) << 52; /* of a float, 2^unit: ldexp takes longer */
  double made;
  memcpy(&made, &power, sizeof made);
  made *= (double)number;
  return made >= f.above ? HUGE_VAL : made;
}

/* ---- Statistics ---- */

/* What is computed. */
enum { MEAN, VARIANCE, DEVIATION };

static double mean_of(const moments *m, size_t n, format f)
{
  magnitude x;
  if (m->nonfinite != 0)
    return m->nonfinite == 2 ? HUGE_VAL : m->nonfinite == 4 ? -HUGE_VAL : NAN;
  x.point = m->point;
  x.count = m->sum_words;
  int is_cut;
  if (m->sum_words == 2 && m->sum[0] != 0 && m->sum[1] == 0) { /* few elements: one division of 128 bits */
    const int shift = 64 + __builtin_clzll(m->sum[0]);
    const uint128 sum = (uint128)m->sum[0] << shift, quotient = sum / n;
    x.words[0] = (uint64_t)quotient;
    x.words[1] = (uint64_t)(quotient >> 64);
    x.point += shift;
    is_cut = quotient * n != sum;
  } else {
    memcpy(x.words, m->sum, (size_t)m->sum_words * sizeof *m->sum);
    is_cut = divide(&x, n, 2);
  }
  const double made = nearest(&x, is_cut, f);
  return m->is_negative ? -made : made;
}

/* words -= the square of a number of `count` words, which is not greater. */
static void subtract_square(uint64_t *words, const uint64_t *number, int count)
{
  size_t first = 0, end = (size_t)count;
  while (first < end && number[first] == 0)
    first++;
  while (end > first && number[end - 1] == 0)
    end--;
  for (size_t i = first; i < end; i++) {
    uint64_t carry = 0, borrow = 0;
    for (size_t j = first; j < end || carry != 0 || borrow != 0; j++) {
      const uint128 product = (uint128)number[i] * (j < end ? number[j] : 0) + carry;
      const uint128 left = (uint128)words[i + j] - (uint64_t)product - borrow;
      words[i + j] = (uint64_t)left;
      carry = (uint64_t)(product >> 64);
      borrow = (uint64_t)(left >> 64) != 0;
    }
  }
}

/* (n * squares - sum^2) / (n * degrees), or its root. */
static double variance_of(const moments *m, size_t n, double degrees, int what, format f)
{
  magnitude x;
  uint64_t carry = 0;
  int exponent, is_cut = 0;
  if (m->nonfinite != 0)
    return NAN;
  x.point = 2 * m->point;
  x.count = m->squares_words + 1;
  for (int k = 0; k < x.count; k++) {
    const uint128 product = (uint128)(k < m->squares_words ? m->squares[k] : 0) * n + carry;
    x.words[k] = (uint64_t)product;
    carry = (uint64_t)(product >> 64);
  }
  subtract_square(x.words, m->sum, m->sum_words);
  if (n < 1 << 26 && degrees < 1 << 26 && degrees == (double)(uint64_t)degrees) {
    is_cut = divide(&x, n * (uint64_t)degrees, what == DEVIATION ? 3 : 2); /* a root wants 128 bits */
  } else {
    const uint64_t divisor = (uint64_t)ldexp(frexp(degrees, &exponent), 53);
    x.point += exponent - 53;
    is_cut = divide(&x, n, 6);
    is_cut |= divide(&x, divisor, 4);
  }
  is_cut = what == DEVIATION ? take_root(&x, is_cut) : is_cut;
  return nearest(&x, is_cut, f);
}

/* statistics(what, ddof, float type, type, rows, columns, offsets or None, in, out) -> number of rows of
 * too few elements, whose result is NaN. what: 0 the mean, 1 the variance with n - ddof degrees of
 * freedom, 2 its root. Rows are `columns` elements each, or by offsets, rows + 1 of them. Results are
 * f64, rounded to the float type. Elements are numbers of any type; of variances not of 2-byte floats. */
static PyObject *py_statistics(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  enum { EXPONENTS = 2048 };
  (void)self;
  call c = call_of(args, count, 9);
  const int what = take_int(&c);
  const double ddof = c.failed ? 0 : PyFloat_AsDouble(take(&c));
  c.failed |= PyErr_Occurred() != NULL;
  const format f = format_of(take_type(&c));
  const iw_type type = take_type(&c);
  const size_t rows = take_size(&c), columns = take_size(&c), size = iw_type_size(type);
  const int64_t *const offsets = take_in(&c, bytes_of(&c, rows + 1, sizeof *offsets));
  const size_t n = !c.failed && offsets != NULL ? (size_t)offsets[rows] : bytes_of(&c, rows, columns);
  const char *const in = take_in(&c, bytes_of(&c, n, size));
  double *const out = take_out(&c, bytes_of(&c, rows, sizeof *out));
  uint128 *const sums = what != MEAN && is_float_type(type) ? scratch_of(&c, EXPONENTS * sizeof *sums) : NULL;
  int is_valid = what == MEAN || !is_float_type(type) || size > 2;
  for (size_t r = 0; r < rows && offsets != NULL && !c.failed; r++)
    is_valid = is_valid && offsets[r] >= 0 && offsets[r] <= offsets[r + 1];
  if (!c.failed && !is_valid) {
    PyErr_SetString(PyExc_ValueError, "elements of another type or ascending offsets are needed");
    c.failed = 1;
  }
  iw_context *const context = host_call_begin(&c);
  if (context == NULL)
    return NULL;
  size_t few = 0;
  iw_status status = IW_OK;
  for (size_t r = 0; r < rows && status == IW_OK; r++) {
    const size_t first = offsets != NULL ? (size_t)offsets[r] : r * columns;
    const size_t number = offsets != NULL ? (size_t)offsets[r + 1] - first : columns;
    const double degrees = what == MEAN ? (double)number : (double)number - ddof;
    moments m;
    if (!(degrees > 0) || number == 0) {
      out[r] = NAN;
      few++;
      continue;
    }
    status = add_row(context, type, in + first * size, number, what != MEAN, sums, &m);
    out[r] = what == MEAN ? mean_of(&m, number, f) : variance_of(&m, number, degrees, what, f);
  }
  return call_end(&c, status) ? PyLong_FromSize_t(few) : NULL;
}

PyMethodDef statistics_functions[] = { FAST(statistics), { NULL, NULL, 0, NULL } };
