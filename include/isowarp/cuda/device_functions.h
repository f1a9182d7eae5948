/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of device code that access no memory: integers, floats, conversions. Numbers are the CPU's: a
 * function with a fast name has the result of the exact one.
 * A part of cuda_runtime.h, which is in front of each file. */
#ifndef ISOWARP_CUDA_DEVICE_FUNCTIONS_H
#define ISOWARP_CUDA_DEVICE_FUNCTIONS_H

#define IW_FN static inline __attribute__((unused))
#define IW_MINMAX(A, B, T, least, most) \
  IW_FN T min(A a, B b) { return least((T)a, (T)b); } IW_FN T max(A a, B b) { return most((T)a, (T)b); }
#define IW_LESS(a, b) (b < a ? b : a)
#define IW_MORE(a, b) (a < b ? b : a)
#define IW_INTEGERS(T) IW_MINMAX(T, T, T, IW_LESS, IW_MORE)
IW_INTEGERS(int) IW_INTEGERS(unsigned) IW_INTEGERS(long) IW_INTEGERS(unsigned long) IW_INTEGERS(long long)
IW_INTEGERS(unsigned long long)
IW_MINMAX(unsigned, int, unsigned, IW_LESS, IW_MORE) IW_MINMAX(int, unsigned, unsigned, IW_LESS, IW_MORE)
IW_MINMAX(float, float, float, fminf, fmaxf) IW_MINMAX(double, double, double, fmin, fmax)
IW_MINMAX(float, double, double, fmin, fmax) IW_MINMAX(double, float, double, fmin, fmax)
#undef IW_MINMAX
#undef IW_INTEGERS
#undef IW_LESS
#undef IW_MORE
#ifdef ISOWARP_CU /* C++ of the host may have functions with these names */
IW_FN unsigned umin(unsigned a, unsigned b) { return min(a, b); }
IW_FN unsigned umax(unsigned a, unsigned b) { return max(a, b); }
#endif

IW_FN int __popc(unsigned x) { return __builtin_popcount(x); }
IW_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
IW_FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
IW_FN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
IW_FN int __ffs(int x) { return __builtin_ffs(x); }
IW_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
IW_FN unsigned __brev(unsigned x)
{
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
IW_FN unsigned long long __brevll(unsigned long long x) { return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32)); }
IW_FN int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
IW_FN unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
IW_FN int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
IW_FN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
IW_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)((unsigned __int128)a * b >> 64); }
IW_FN long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
IW_FN unsigned __sad(int a, int b, unsigned c) { return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a); }
IW_FN unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
IW_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
IW_FN unsigned __byte_perm(unsigned x, unsigned y, unsigned s)
{
  const unsigned long long v = (unsigned long long)y << 32 | x;
  unsigned r = 0;
  for (unsigned i = 0; i < 4; i++)
    r |= (unsigned)(v >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
  return r;
}
IW_FN unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return (unsigned)(((unsigned long long)hi << 32 | lo) << (n & 31) >> 32); }
IW_FN unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n & 31)); }
IW_FN int __dp4a(int a, int b, int c)
{
  for (int i = 0; i < 4; i++)
    c += (int)(signed char)(a >> 8 * i) * (int)(signed char)(b >> 8 * i);
  return c;
}

#define IW_BITS(name, From, To) IW_FN To name(From x) { To y; __builtin_memcpy(&y, &x, sizeof y); return y; }
IW_BITS(__float_as_int, float, int) IW_BITS(__float_as_uint, float, unsigned) IW_BITS(__int_as_float, int, float)
IW_BITS(__uint_as_float, unsigned, float) IW_BITS(__double_as_longlong, double, long long) IW_BITS(__longlong_as_double, long long, double)
#undef IW_BITS
IW_FN int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
IW_FN int __double2loint(double x) { return (int)__double_as_longlong(x); }
IW_FN double __hiloint2double(int hi, int lo) { return __longlong_as_double((long long)hi << 32 | (unsigned)lo); }
/* Conversions, rounded to nearest, to zero, up and down. */
#define IW_CONVERT(F, word, T) \
  IW_FN T __##F##2##word##_rn(F x) { return (T)rint(x); } IW_FN T __##F##2##word##_rz(F x) { return (T)x; } \
  IW_FN T __##F##2##word##_ru(F x) { return (T)ceil(x); } IW_FN T __##F##2##word##_rd(F x) { return (T)floor(x); } \
  IW_FN F __##word##2##F##_rn(T x) { return (F)x; }
#define IW_CONVERT_BOTH(word, T) IW_CONVERT(float, word, T) IW_CONVERT(double, word, T)
IW_CONVERT_BOTH(int, int) IW_CONVERT_BOTH(uint, unsigned) IW_CONVERT_BOTH(ll, long long)
IW_CONVERT_BOTH(ull, unsigned long long)
#undef IW_CONVERT
#undef IW_CONVERT_BOTH
IW_FN float __int2float_rz(int x) { return (float)x; }
IW_FN float __double2float_rn(double x) { return (float)x; }

/* The C library declares functions with these names. */
#define __expf(x) expf(x)
#define __exp10f(x) powf(10, x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __powf(x, y) powf(x, y)
#define __sincosf(x, s, c) sincosf(x, s, c)
IW_FN float __fdividef(float x, float y) { return x / y; }
IW_FN float fdividef(float x, float y) { return x / y; }
IW_FN float __saturatef(float x) { return x < 0 ? 0 : x > 1 ? 1 : x == x ? x : 0; }
IW_FN float rsqrtf(float x) { return 1 / sqrtf(x); }
IW_FN double rsqrt(double x) { return 1 / sqrt(x); }
IW_FN float rcbrtf(float x) { return 1 / cbrtf(x); }
IW_FN float __frsqrt_rn(float x) { return 1 / sqrtf(x); }
#define IW_ARITHMETIC(T, f, fma_name) \
  IW_FN T __##f##add_rn(T a, T b) { return a + b; } IW_FN T __##f##sub_rn(T a, T b) { return a - b; } \
  IW_FN T __##f##mul_rn(T a, T b) { return a * b; } IW_FN T __##f##div_rn(T a, T b) { return a / b; } \
  IW_FN T __##f##sqrt_rn(T x) { return (T)sqrt(x); } IW_FN T __##f##rcp_rn(T x) { return 1 / x; } \
  IW_FN T fma_name##_rn(T a, T b, T c) { return (T)(sizeof(T) == 4 ? fmaf(a, b, c) : fma(a, b, c)); }
IW_ARITHMETIC(float, f, __fmaf) IW_ARITHMETIC(double, d, __fma)
#undef IW_ARITHMETIC
IW_FN float __fadd_rz(float a, float b) { return a + b; }
IW_FN float __fmul_rz(float a, float b) { return a * b; }
IW_FN float sinpif(float x) { return sinf((float)M_PI * x); }
IW_FN float cospif(float x) { return cosf((float)M_PI * x); }
IW_FN double sinpi(double x) { return sin(M_PI * x); }
IW_FN double cospi(double x) { return cos(M_PI * x); }
IW_FN float normcdff(float x) { return 0.5f * erfcf(-x * (float)M_SQRT1_2); }
IW_FN double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

#endif
