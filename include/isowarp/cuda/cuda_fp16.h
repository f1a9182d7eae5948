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
/* Functions of one number, in float. */
#define IW_SHORT_MATH(T, name, expression) static inline T name(T a) { const float x = a; return T(expression); }
#define IW_SHORT_FLOAT(T, bits, from, to) \
  struct T { \
    unsigned short bits; \
    T() = default; \
    T(float x) : bits(iw_simt::to(x)) {} \
    T(double x) : bits(iw_simt::to((float)x)) {} \
    T(int x) : bits(iw_simt::to((float)x)) {} \
    T(unsigned x) : bits(iw_simt::to((float)x)) {} \
    operator float() const { return iw_simt::from(bits); } \
    T &operator+=(T b) { return *this = T((float)*this + (float)b); } \
    T &operator-=(T b) { return *this = T((float)*this - (float)b); } \
    T &operator*=(T b) { return *this = T((float)*this * (float)b); } \
    T &operator/=(T b) { return *this = T((float)*this / (float)b); } \
    T operator-() const { return T(-(float)*this); } \
  }; \
  static inline T operator+(T a, T b) { return T((float)a + (float)b); } \
  static inline T operator-(T a, T b) { return T((float)a - (float)b); } \
  static inline T operator*(T a, T b) { return T((float)a * (float)b); } \
  static inline T operator/(T a, T b) { return T((float)a / (float)b); } \
  static inline bool operator<(T a, T b) { return (float)a < (float)b; } \
  static inline bool operator>(T a, T b) { return (float)a > (float)b; } \
  static inline bool operator==(T a, T b) { return (float)a == (float)b; } \
  static inline bool operator!=(T a, T b) { return (float)a != (float)b; } \
  static inline bool operator<=(T a, T b) { return (float)a <= (float)b; } \
  static inline bool operator>=(T a, T b) { return (float)a >= (float)b; } \
  struct __attribute__((aligned(4))) T##2 { T x, y; T##2() = default; T##2(T x, T y) : x(x), y(y) {} }; \
  IW_NUMBERS(T##2, T) \
  namespace iw_simt { template <> constexpr const char *type_name<T>() { return #from[5] == 'h' ? "f16" : "bf16"; } } \
  static inline T __hadd(T a, T b) { return a + b; } \
  static inline T __hsub(T a, T b) { return a - b; } \
  static inline T __hmul(T a, T b) { return a * b; } \
  static inline T __hdiv(T a, T b) { return a / b; } \
  static inline T __hfma(T a, T b, T c) { return T((double)(float)a * (double)(float)b + (double)(float)c); } \
  static inline bool __hlt(T a, T b) { return a < b; } \
  static inline bool __hgt(T a, T b) { return a > b; } \
  static inline bool __heq(T a, T b) { return a == b; } \
  static inline bool __hne(T a, T b) { return a != b; } \
  static inline bool __hle(T a, T b) { return a <= b; } \
  static inline bool __hge(T a, T b) { return a >= b; } \
  static inline bool __hisnan(T a) { return a != a; } \
  static inline int __hisinf(T a) { return isinf((float)a) ? (float)a < 0 ? -1 : 1 : 0; } \
  IW_SHORT_MATH(T, __habs, fabsf(x)) IW_SHORT_MATH(T, __hneg, -x) IW_SHORT_MATH(T, hsqrt, sqrtf(x)) IW_SHORT_MATH(T, hrsqrt, 1 / sqrtf(x)) \
  IW_SHORT_MATH(T, hrcp, 1 / x) IW_SHORT_MATH(T, hexp, expf(x)) IW_SHORT_MATH(T, hexp2, exp2f(x)) IW_SHORT_MATH(T, hlog, logf(x)) \
  IW_SHORT_MATH(T, hlog2, log2f(x)) IW_SHORT_MATH(T, hlog10, log10f(x)) IW_SHORT_MATH(T, hsin, sinf(x)) IW_SHORT_MATH(T, hcos, cosf(x)) \
  IW_SHORT_MATH(T, hfloor, floorf(x)) IW_SHORT_MATH(T, hceil, ceilf(x)) IW_SHORT_MATH(T, htrunc, truncf(x)) IW_SHORT_MATH(T, hrint, rintf(x)) \
  static inline T __hmax(T a, T b) { return (float)a > (float)b ? a : b; } \
  static inline T __hmin(T a, T b) { return (float)b > (float)a ? a : b; } \
  static inline T##2 operator+(T##2 a, T##2 b) { return { a.x + b.x, a.y + b.y }; } \
  static inline T##2 operator-(T##2 a, T##2 b) { return { a.x - b.x, a.y - b.y }; } \
  static inline T##2 operator*(T##2 a, T##2 b) { return { a.x * b.x, a.y * b.y }; } \
  static inline T##2 &operator+=(T##2 &a, T##2 b) { return a = a + b; } \
  static inline T##2 __hadd2(T##2 a, T##2 b) { return { a.x + b.x, a.y + b.y }; } \
  static inline T##2 __hsub2(T##2 a, T##2 b) { return { a.x - b.x, a.y - b.y }; } \
  static inline T##2 __hmul2(T##2 a, T##2 b) { return { a.x * b.x, a.y * b.y }; } \
  static inline T##2 __hmax2(T##2 a, T##2 b) { return { __hmax(a.x, b.x), __hmax(a.y, b.y) }; } \
  static inline T##2 __hmin2(T##2 a, T##2 b) { return { __hmin(a.x, b.x), __hmin(a.y, b.y) }; } \
  static inline T##2 __habs2(T##2 a) { return { __habs(a.x), __habs(a.y) }; } \
  static inline T##2 __hneg2(T##2 a) { return { -a.x, -a.y }; } \
  static inline float __low2float(T##2 v) { return v.x; } \
  static inline float __high2float(T##2 v) { return v.y; } \
  static inline T##2 __hfma2(T##2 a, T##2 b, T##2 c) { return { __hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y) }; }
IW_SHORT_FLOAT(__half, __x, from_half, to_half)
typedef __half half;
typedef __half2 half2;
static inline __half __float2half(float x) { return __half(x); }
static inline __half __float2half_rn(float x) { return __half(x); }
static inline float __half2float(__half x) { return x; }
static inline __half2 __floats2half2_rn(float x, float y) { return { __half(x), __half(y) }; }
static inline __half2 __float2half2_rn(float x) { return { __half(x), __half(x) }; }
static inline __half2 __half2half2(__half x) { return { x, x }; }
static inline __half2 __halves2half2(__half x, __half y) { return { x, y }; }
static inline __half2 make_half2(__half x, __half y) { return { x, y }; }
static inline float2 __half22float2(__half2 v) { return { (float)v.x, (float)v.y }; }
static inline __half __low2half(__half2 v) { return v.x; }
static inline __half __high2half(__half2 v) { return v.y; }
static inline __half2 __lows2half2(__half2 a, __half2 b) { return { a.x, b.x }; }
static inline __half2 __highs2half2(__half2 a, __half2 b) { return { a.y, b.y }; }
static inline __half2 __lowhigh2highlow(__half2 v) { return { v.y, v.x }; }
static inline __half __double2half(double x) { return __half(x); }
static inline unsigned short __half_as_ushort(__half x) { return x.__x; }
static inline short __half_as_short(__half x) { return (short)x.__x; }
static inline __half __ushort_as_half(unsigned short x) { __half h; h.__x = x; return h; }
static inline __half __short_as_half(short x) { return __ushort_as_half((unsigned short)x); }
static inline int __half2int_rn(__half x) { return (int)rintf(x); }
static inline int __half2int_rz(__half x) { return (int)(float)x; }
static inline unsigned __half2uint_rn(__half x) { return (unsigned)rintf(x); }
static inline __half __int2half_rn(int x) { return __half((float)x); }
static inline __half __uint2half_rn(unsigned x) { return __half((float)x); }

#endif
