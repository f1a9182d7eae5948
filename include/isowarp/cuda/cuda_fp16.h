/* SPDX-License-Identifier: Apache-2.0
 *
 * half and half2, rounded to nearest even after each operation in float.
 */
#ifndef ISOWARP_CUDA_FP16_H
#define ISOWARP_CUDA_FP16_H
#include "cuda_runtime.h"

namespace iw_simt {
/* binary16 and bfloat16 as bits. */
inline float from_half(unsigned short h)
{
  const unsigned sign = (unsigned)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
  if (e == 0)
    return __uint_as_float(sign | __float_as_uint((float)m * 0x1p-24f));
  return __uint_as_float(sign | (e == 31 ? 0x7f800000u : (e + 112) << 23) | m << 13);
}
inline unsigned short to_half(float x)
{
  const unsigned u = __float_as_uint(x), sign = u >> 16 & 0x8000, a = u & 0x7fffffff;
  if (a > 0x7f800000)
    return 0x7fff;
  if (a >= 0x477ff000)
    return (unsigned short)(sign | 0x7c00);
  if (a < 0x38800000) /* subnormal: the sum with 0.5 rounds at its last bit */
    return (unsigned short)(sign | (__float_as_uint(__uint_as_float(a) + 0.5f) - 0x3f000000));
  return (unsigned short)(sign | (a + 0xfff + (a >> 13 & 1) - 0x38000000) >> 13);
}
inline float from_bfloat16(unsigned short h) { return __uint_as_float((unsigned)h << 16); }
inline unsigned short to_bfloat16(float x)
{
  const unsigned u = __float_as_uint(x);
  return x != x ? 0x7fff : (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
}
#define IW_S static inline
/* Operators and functions of two numbers, of one in float, comparisons, and those of pairs. */
#define IW_SHORT_OPERATOR(T, op, assign, name, name2) \
  IW_S T operator op(T a, T b) { return T((float)a op (float)b); } \
  IW_S T &operator assign(T &a, T b) { return a = a op b; } \
  IW_S T name(T a, T b) { return a op b; } \
  IW_S T##2 operator op(T##2 a, T##2 b) { return { a.x op b.x, a.y op b.y }; } \
  IW_S T##2 &operator assign(T##2 &a, T##2 b) { return a = a op b; } \
  IW_S T##2 name2(T##2 a, T##2 b) { return a op b; }
#define IW_SHORT_COMPARE(T, op, name) \
  IW_S bool operator op(T a, T b) { return (float)a op (float)b; } \
  IW_S bool name(T a, T b) { return a op b; }
#define IW_SHORT_MATH(T, name, expression) IW_S T name(T a) { const float x = a; return T(expression); }
#define IW_SHORT_PAIR(T, name, of) IW_S T##2 name(T##2 a, T##2 b) { return { of(a.x, b.x), of(a.y, b.y) }; }
#define IW_SHORT_FLOAT(T, bits, from, to) \
  struct T { \
    unsigned short bits; \
    T() = default; \
    T(float x) : bits(iw_simt::to(x)) {} \
    T(double x) : bits(iw_simt::to((float)x)) {} \
    T(int x) : bits(iw_simt::to((float)x)) {} \
    T(unsigned x) : bits(iw_simt::to((float)x)) {} \
    operator float() const { return iw_simt::from(bits); } \
    T operator-() const { return T(-(float)*this); } \
  }; \
  struct __attribute__((aligned(4))) T##2 { T x, y; T##2() = default; T##2(T x, T y) : x(x), y(y) {} }; \
  IW_NUMBERS(T##2, T) \
  namespace iw_simt { template <> constexpr const char *type_name<T>() { return #from[5] == 'h' ? "f16" : "bf16"; } } \
  IW_SHORT_OPERATOR(T, +, +=, __hadd, __hadd2) IW_SHORT_OPERATOR(T, -, -=, __hsub, __hsub2) \
  IW_SHORT_OPERATOR(T, *, *=, __hmul, __hmul2) IW_SHORT_OPERATOR(T, /, /=, __hdiv, __h2div) \
  IW_SHORT_COMPARE(T, <, __hlt) IW_SHORT_COMPARE(T, >, __hgt) IW_SHORT_COMPARE(T, ==, __heq) \
  IW_SHORT_COMPARE(T, !=, __hne) IW_SHORT_COMPARE(T, <=, __hle) IW_SHORT_COMPARE(T, >=, __hge) \
  IW_S T __hfma(T a, T b, T c) { return T((double)(float)a * (double)(float)b + (double)(float)c); } \
  IW_S bool __hisnan(T a) { return a != a; } \
  IW_S int __hisinf(T a) { return isinf((float)a) ? (float)a < 0 ? -1 : 1 : 0; } \
  IW_SHORT_MATH(T, __habs, fabsf(x)) IW_SHORT_MATH(T, __hneg, -x) IW_SHORT_MATH(T, hsqrt, sqrtf(x)) \
  IW_SHORT_MATH(T, hrsqrt, 1 / sqrtf(x)) IW_SHORT_MATH(T, hrcp, 1 / x) IW_SHORT_MATH(T, hexp, expf(x)) \
  IW_SHORT_MATH(T, hexp2, exp2f(x)) IW_SHORT_MATH(T, hlog, logf(x)) IW_SHORT_MATH(T, hlog2, log2f(x)) \
  IW_SHORT_MATH(T, hlog10, log10f(x)) IW_SHORT_MATH(T, hsin, sinf(x)) IW_SHORT_MATH(T, hcos, cosf(x)) \
  IW_SHORT_MATH(T, hfloor, floorf(x)) IW_SHORT_MATH(T, hceil, ceilf(x)) IW_SHORT_MATH(T, htrunc, truncf(x)) \
  IW_SHORT_MATH(T, hrint, rintf(x)) \
  IW_S T __hmax(T a, T b) { return (float)a > (float)b ? a : b; } \
  IW_S T __hmin(T a, T b) { return (float)b > (float)a ? a : b; } \
  IW_SHORT_PAIR(T, __hmax2, __hmax) IW_SHORT_PAIR(T, __hmin2, __hmin) \
  IW_S T##2 __habs2(T##2 a) { return { __habs(a.x), __habs(a.y) }; } \
  IW_S T##2 __hneg2(T##2 a) { return { -a.x, -a.y }; } \
  IW_S float __low2float(T##2 v) { return v.x; } \
  IW_S float __high2float(T##2 v) { return v.y; } \
  IW_S T##2 __hfma2(T##2 a, T##2 b, T##2 c) { return { __hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y) }; }
/* What the names of one type have in them, as __float2half(). */
#define IW_SHORT_NAMES(T, word, pair) \
  IW_S T __float2##word(float x) { return T(x); } \
  IW_S T __float2##word##_rn(float x) { return T(x); } \
  IW_S T __double2##word(double x) { return T(x); } \
  IW_S T __int2##word##_rn(int x) { return T((float)x); } \
  IW_S T __uint2##word##_rn(unsigned x) { return T((float)x); } \
  IW_S float __##word##2float(T x) { return x; } \
  IW_S int __##word##2int_rn(T x) { return (int)rintf(x); } \
  IW_S int __##word##2int_rz(T x) { return (int)(float)x; } \
  IW_S unsigned __##word##2uint_rn(T x) { return (unsigned)rintf(x); } \
  IW_S T##2 __floats2##pair##_rn(float x, float y) { return { T(x), T(y) }; } \
  IW_S T##2 __float2##pair##_rn(float x) { return { T(x), T(x) }; } \
  IW_S T##2 __##word##2##pair(T x) { return { x, x }; } \
  IW_S T##2 __halves2##pair(T x, T y) { return { x, y }; } \
  IW_S T##2 make_##pair(T x, T y) { return { x, y }; } \
  IW_S float2 __##pair##2float2(T##2 v) { return { (float)v.x, (float)v.y }; } \
  IW_S T __low2##word(T##2 v) { return v.x; } \
  IW_S T __high2##word(T##2 v) { return v.y; } \
  IW_S T##2 __lows2##pair(T##2 a, T##2 b) { return { a.x, b.x }; } \
  IW_S T##2 __highs2##pair(T##2 a, T##2 b) { return { a.y, b.y }; } \
  IW_S unsigned short __##word##_as_ushort(T x) { return x.__x; } \
  IW_S short __##word##_as_short(T x) { return (short)x.__x; } \
  IW_S T __ushort_as_##word(unsigned short x) { T h; h.__x = x; return h; } \
  IW_S T __short_as_##word(short x) { return __ushort_as_##word((unsigned short)x); }
IW_SHORT_FLOAT(__half, __x, from_half, to_half)
IW_SHORT_NAMES(__half, half, half2)
typedef __half half;
typedef __half2 half2;
IW_S __half2 __lowhigh2highlow(__half2 v) { return { v.y, v.x }; }

#endif
