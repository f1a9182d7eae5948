/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses numbers strictly, and formats them with the fewest digits that parse to the same value. */
#include "io.h"

#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const void *element_at(iw_type type, const void *array, size_t index)
{
  return index > 0 ? (const char *)array + index * iw_type_size(type) : array; /* which may be NULL without elements */
}

npy_dtype npy_code(iw_type type)
{
  npy_dtype code = { "" };
  const size_t size = iw_type_size(type);
  if (is_half(type) && type != IW_F16) /* NumPy has no such type */
    return code;
  snprintf(code.s, sizeof code.s, "%c%c%zu", size == 1 ? '|' : '<', iw_type_name(type)[0], size);
  return code;
}

half_format half_format_of(iw_type type)
{
  static const half_format formats[] = {
    [IW_F16] = { 10, 5, 5, "is outside f16, -65504 to 65504" },
    [IW_BF16] = { 7, 8, 4, "is outside bf16, -3.3895314e+38 to 3.3895314e+38" },
  };
  return (size_t)type < sizeof formats / sizeof *formats ? formats[type] : (half_format){ 0, 0, 0, NULL };
}

int is_half(iw_type type) { return half_format_of(type).mantissa != 0; }

uint16_t half_bits(iw_type type, double x)
{
  /* least: the least exponent of normal numbers. */
  const half_format f = half_format_of(type);
  const int mantissa = f.mantissa, least = 2 - (1 << (f.exponent - 1));
  const uint64_t sign = (uint64_t)(signbit(x) != 0) << (f.exponent + mantissa), infinity = ((UINT64_C(1) << f.exponent) - 1) << mantissa;
  value v = { .f64 = x }, ruler;
  v.u64 &= INT64_MAX;
  if (isnan(x))
    return (uint16_t)(infinity | (uint64_t)1 << (mantissa - 1));
  if (v.f64 >= 0x1p128)
    return (uint16_t)(sign | infinity);
  const int exponent = (int)(v.u64 >> 52) - 1023, top = exponent < least ? least : exponent;
  /* The last place of the ruler is the result's, so that the addition rounds. */
  ruler.u64 = (uint64_t)(top - mantissa + 52 + 1023) << 52;
  v.f64 += ruler.f64;
  const uint64_t bits = ((uint64_t)(top - least) << mantissa) + (v.u64 - ruler.u64);
  return (uint16_t)(sign | (bits < infinity ? bits : infinity));
}

float half_value(iw_type type, uint16_t bits)
{
  const half_format f = half_format_of(type);
  const uint32_t sign = UINT32_C(1) << (f.exponent + f.mantissa), magnitude = bits & (sign - 1);
  value v = { .u32 = magnitude << (23 - f.mantissa) };
  if (magnitude >= sign - (UINT32_C(1) << f.mantissa))
    v.u32 |= 0x7f800000; /* infinity and NaN */
  else
    v.f32 = ldexpf(v.f32, 128 - (1 << (f.exponent - 1))); /* to the bias 127; exact for subnormals too */
  return bits & sign ? -v.f32 : v.f32;
}

static const char *parse_float(iw_type type, const char *text, const char *end, void *element)
{
  char *stop;
  value v = { 0 };
  int infinite;
  errno = 0;
  if (type == IW_F32) {
    v.f32 = strtof(text, &stop); /* strtod would round twice */
    infinite = isinf(v.f32);
  } else {
    v.f64 = strtod(text, &stop);
    infinite = isinf(v.f64);
  }
  if (stop != end)
    return "is not a number";
  if (errno == ERANGE && infinite) /* ERANGE is also set for small numbers, which round correctly */
    return type == IW_F32 ? "is outside f32, -3.4028235e+38 to 3.4028235e+38"
                          : "is outside f64, -1.7976931348623157e+308 to 1.7976931348623157e+308";
  memcpy(element, &v, iw_type_size(type));
  return NULL;
}

/* The double nearest to zero of those around the number, made odd if the number lies between them, rounds to
 * a half as the number itself does. */
static const char *parse_half(iw_type type, const char *text, const char *end, void *element)
{
  char *stop;
  value low, high;
  const int rounding = fegetround();
  fesetround(FE_DOWNWARD);
  low.f64 = strtod(text, &stop);
  fesetround(FE_UPWARD);
  high.f64 = strtod(text, &stop);
  fesetround(rounding);
  if (stop != end)
    return "is not a number";
  value v = signbit(low.f64) ? high : low;
  if (low.u64 != high.u64 && !isnan(low.f64))
    v.u64 |= 1;
  const uint16_t bits = half_bits(type, v.f64);
  if (isfinite(v.f64) && isinf(half_value(type, bits)))
    return half_format_of(type).range;
  memcpy(element, &bits, iw_type_size(type));
  return NULL;
}

/* Of an integer: 16 behind 0x. */
static int base_of(const char *text)
{
  text += *text == '-' || *text == '+';
  return text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
}

#define SIGNED(member, type, low, high, complaint) \
  { long long number = strtoll(text, &stop, base_of(text)); \
    if (stop != end) return "is not an integer"; \
    if (errno == ERANGE || number < (low) || number > (high)) return complaint; \
    v.member = (type)number; }
#define UNSIGNED(member, type, high, complaint) \
  { unsigned long long number = strtoull(text, &stop, base_of(text)); \
    if (stop != end) return "is not an integer"; \
    if (errno == ERANGE || (*text == '-' && number != 0) || number > (high)) return complaint; \
    v.member = (type)number; }

const char *parse_value(iw_type type, const char *text, const char *end, void *element)
{
  char *stop;
  value v = { 0 };
  if (text == end)
    return "is not a number";
  if (isspace((unsigned char)*text))
    return "is not a number";
  errno = 0;
  switch (type) {
  case IW_U8: UNSIGNED(u8, uint8_t, UINT8_MAX, "is outside u8, 0 to 255") break;
  case IW_U16: UNSIGNED(u16, uint16_t, UINT16_MAX, "is outside u16, 0 to 65535") break;
  case IW_I32: SIGNED(i32, int32_t, INT32_MIN, INT32_MAX, "is outside i32, -2147483648 to 2147483647") break;
  case IW_U32: UNSIGNED(u32, uint32_t, UINT32_MAX, "is outside u32, 0 to 4294967295") break;
  case IW_I64:
    SIGNED(i64, int64_t, INT64_MIN, INT64_MAX, "is outside i64, -9223372036854775808 to 9223372036854775807")
    break;
  case IW_U64: UNSIGNED(u64, uint64_t, UINT64_MAX, "is outside u64, 0 to 18446744073709551615") break;
  case IW_I8: SIGNED(i8, int8_t, INT8_MIN, INT8_MAX, "is outside i8, -128 to 127") break;
  case IW_I16: SIGNED(i16, int16_t, INT16_MIN, INT16_MAX, "is outside i16, -32768 to 32767") break;
  case IW_BOOL: UNSIGNED(u8, uint8_t, 1, "is outside bool, 0 and 1") break;
  case IW_F32: case IW_F64: return parse_float(type, text, end, element);
  default: return parse_half(type, text, end, element);
  }
  memcpy(element, &v, iw_type_size(type));
  return NULL;
}

int integers_around(const char *text, long double *low, long double *high)
{
  char *stop;
  const int rounding = fegetround();
  fesetround(FE_DOWNWARD);
  *low = floorl(strtold(text, &stop));
  fesetround(FE_UPWARD);
  *high = ceill(strtold(text, &stop));
  fesetround(rounding);
  return stop != text && *stop == '\0' && !isspace((unsigned char)*text);
}

int integer_value(iw_type type, long double number, value *v)
{
  char text[NUMBER_CHARS];
  if (!(fabsl(number) < 0x1p65L))
    return 0;
  const int length = snprintf(text, sizeof text, "%.0Lf", number);
  return parse_value(type, text, text + length, v) == NULL;
}

value least_integer(iw_type type)
{
  return (value){ .u64 = iw_type_name(type)[0] == 'i' ? UINT64_C(1) << (8 * iw_type_size(type) - 1) : 0 };
}

value parse_argument(iw_type type, const char *text, const char *option)
{
  value v;
  const char *wrong = parse_value(type, text, text + strlen(text), &v);
  if (wrong != NULL)
    fail("%s: '%s' %s (its type is %s)", option, text, wrong, iw_type_name(type));
  return v;
}

size_t parse_count(const char *text, const char *option, size_t low, size_t high)
{
  value v;
  const char *wrong = parse_value(IW_U64, text, text + strlen(text), &v);
  if (wrong != NULL || v.u64 < low || v.u64 > high)
    fail("%s: '%s' is not one of %zu to %zu", option, text, low, high);
  return (size_t)v.u64;
}

int format_rounded(iw_type type, const void *element, int digits, char text[NUMBER_CHARS])
{
  value v = { 0 };
  memcpy(&v, element, iw_type_size(type));
  switch (type) {
  case IW_U8: return snprintf(text, NUMBER_CHARS, "%u", v.u8);
  case IW_U16: return snprintf(text, NUMBER_CHARS, "%u", v.u16);
  case IW_I32: return snprintf(text, NUMBER_CHARS, "%" PRId32, v.i32);
  case IW_U32: return snprintf(text, NUMBER_CHARS, "%" PRIu32, v.u32);
  case IW_I64: return snprintf(text, NUMBER_CHARS, "%" PRId64, v.i64);
  case IW_U64: return snprintf(text, NUMBER_CHARS, "%" PRIu64, v.u64);
  case IW_F32:
    if (isnan(v.f32))
      return snprintf(text, NUMBER_CHARS, "nan");
    return snprintf(text, NUMBER_CHARS, "%.*g", digits, (double)v.f32);
  case IW_F64:
    if (isnan(v.f64))
      return snprintf(text, NUMBER_CHARS, "nan");
    return snprintf(text, NUMBER_CHARS, "%.*g", digits, v.f64);
  case IW_I8: return snprintf(text, NUMBER_CHARS, "%d", v.i8);
  case IW_I16: return snprintf(text, NUMBER_CHARS, "%d", v.i16);
  case IW_BOOL: return snprintf(text, NUMBER_CHARS, "%d", v.u8 != 0); /* a file may have any byte */
  default:
    if (!is_half(type))
      break;
    v.f32 = half_value(type, v.u16);
    return isnan(v.f32) ? snprintf(text, NUMBER_CHARS, "nan")
                        : snprintf(text, NUMBER_CHARS, "%.*g", digits, (double)v.f32);
  }
  return snprintf(text, NUMBER_CHARS, "?");
}

int format_value(iw_type type, const void *element, char text[NUMBER_CHARS])
{
  /* A normal f32 represents every decimal of 6 digits, and 9 digits always identify it; for f64 15 and 17,
   * for f16 3 and 5, for bf16 2 and 4. %g removes trailing zeros. */
  value v = { 0 }, back = { 0 };
  int digits = 1, most = 1;
  memcpy(&v, element, iw_type_size(type));
  if (type == IW_F32) {
    digits = isnormal(v.f32) ? 6 : 1;
    most = isnan(v.f32) ? 1 : 9;
  } else if (type == IW_F64) {
    digits = isnormal(v.f64) ? 15 : 1;
    most = isnan(v.f64) ? 1 : 17;
  } else if (is_half(type)) {
    most = isnan(half_value(type, v.u16)) ? 1 : half_format_of(type).digits;
  }
  for (;; digits++) {
    int length = format_rounded(type, element, digits, text);
    if (digits < most && (parse_value(type, text, text + length, &back) != NULL || back.u64 != v.u64))
      continue;
    /* Of few digits %g makes 6.55e+04, which f32 would print as 65500. */
    return most == 4 || most == 5 ? snprintf(text, NUMBER_CHARS, "%.6g", strtod(text, NULL)) : length;
  }
}

int format_shown(iw_type type, const void *element, char text[NUMBER_CHARS])
{
  const double number = number_value(type, element);
  return type == IW_F64 && number != trunc(number) ? format_rounded(type, element, 15, text)
                                                   : format_value(type, element, text);
}

number_text element_text(iw_type type, const void *element)
{
  number_text t;
  const double number = number_value(type, element);
  const int length = is_float(type) ? format_value(IW_F64, &number, t.s) : format_value(type, element, t.s);
  t.s[length] = '\0';
  return t;
}

int is_float(iw_type type) { return type == IW_F32 || type == IW_F64 || is_half(type); }

double number_value(iw_type type, const void *element)
{
  value v = { .u64 = 0 };
  memcpy(&v, element, iw_type_size(type));
  switch (type) {
  case IW_BOOL: return v.u8 != 0;
  case IW_U8: return v.u8;
  case IW_U16: return v.u16;
  case IW_I8: return v.i8;
  case IW_I16: return v.i16;
  case IW_I32: return v.i32;
  case IW_U32: return v.u32;
  case IW_I64: return (double)v.i64;
  case IW_U64: return (double)v.u64;
  case IW_F32: return (double)v.f32;
  case IW_F64: return v.f64;
  default: return is_half(type) ? (double)half_value(type, v.u16) : 0;
  }
}
