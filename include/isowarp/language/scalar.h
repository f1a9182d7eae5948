/* SPDX-License-Identifier: Apache-2.0
 *
 * What each operation of the kernel language means for one lane. CUDA's lanes are these scalars; on the CPU,
 * registers_generic.h and registers_by_lane.h loop over them. They define what C leaves unspecified:
 * integers wrap; x / 0 = 0, x % 0 = 0, INT_MIN / -1 = INT_MIN; a shift by the width or more gives 0 (a right
 * shift of a negative number -1); float to integer truncates, saturates, and converts NaN to 0; min and max
 * order -0 before +0 and propagate NaN. The lowest layer, common to all targets; knows nothing of lanes or
 * registers.
 */
#ifndef ISOWARP_LANGUAGE_SCALAR_H
#define ISOWARP_LANGUAGE_SCALAR_H

#include <stdint.h>
#include <string.h>

#define IW_PASTE_(a, b) a##b
#define IW_PASTE(a, b) IW_PASTE_(a, b)
#ifdef __cplusplus
#define IW_STATIC_ASSERT(condition, message) static_assert(condition, message)
#else
#define IW_STATIC_ASSERT(condition, message) _Static_assert(condition, message)
#endif

/* IW_FN begins every function of the language. IW_NOINLINE_FN is for long ones, which a CPU's object holds
 * once for all callers. IW_RARE_FN is for code that few warps or few elements need, which a GPU calls,
 * too: it takes no lanes by reference. IW_UNROLL precedes loops over registers, which a rolled loop would
 * keep in memory; plain C has none to keep. IW_UNROLL_ROWS precedes loops over whole rows, which are too
 * large for a CPU's registers anyway. IW_NO_UNROLL precedes loops that nvcc would unroll in vain. A build
 * unit that defines IW_NO_FORCED_INLINING leaves inlining to the compiler, which is for code that a CPU
 * runs in tests only. Without optimisation and with sanitizers gcc unrolls nothing, and would warn of each
 * loop that asks for it. */
#ifdef __CUDACC__
#define IW_FN static __device__ __forceinline__
#define IW_NOINLINE_FN IW_FN
#define IW_RARE_FN static __device__ __noinline__
#define IW_UNROLL _Pragma("unroll")
#define IW_UNROLL_ROWS _Pragma("unroll")
#define IW_NO_UNROLL _Pragma("unroll 1")
#else
#define IW_NO_UNROLL
#define IW_UNROLL_ROWS
#define IW_NOINLINE_FN static __attribute__((noinline, unused))
#define IW_RARE_FN IW_NOINLINE_FN
#if defined(IW_LANES_GENERIC) || defined(IW_NO_FORCED_INLINING) || defined(IW_SIM)
#define IW_FN static inline __attribute__((unused))
#define IW_UNROLL
#else
#ifdef __AVX2__
#define IW_FN static inline __attribute__((always_inline, unused))
#else /* registers of 128 bits: a row is 32 of them, too many to unroll all loops */
#define IW_FN static inline __attribute__((unused))
#endif
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IW_UNROLL
#elif !defined(__AVX2__)
#define IW_UNROLL _Pragma("GCC unroll 8")
#elif defined(__clang__)
#define IW_UNROLL _Pragma("clang loop unroll(full)")
#else
#define IW_UNROLL _Pragma("GCC unroll 64")
#endif
#endif
#endif

/* iw_opaque(p): p, which is in global memory, as a value of its own. From an index that was added to p
 * before, and 32-bit indices that are added later, nvcc would make 64-bit sums. */
#ifdef __CUDACC__
template <class T> IW_FN T *iw_opaque(T *p)
{
  asm("" : "+l"(p));
  __builtin_assume(__isGlobal(p));
  return p;
}
#else
#define iw_opaque(p) (p)
#endif

typedef float iws_f32; typedef double iws_f64;
typedef uint8_t iws_u8; typedef uint16_t iws_u16; typedef int32_t iws_i32; typedef uint32_t iws_u32;
typedef int64_t iws_i64; typedef uint64_t iws_u64;

/* The lane type of elements in memory. */
#define IW_LANES_FOR_i32 i32
#define IW_LANES_FOR_u32 u32
#define IW_LANES_FOR_i64 i64
#define IW_LANES_FOR_u64 u64
#define IW_LANES_FOR_f32 f32
#define IW_LANES_FOR_f64 f64

#define IW_INTS(X) X(i32) X(u32) X(i64) X(u64)
#define IW_FLOATS(X) X(f32) X(f64)
#define IW_TYPES(X) IW_FLOATS(X) IW_INTS(X)

#define IWS2(op, t, expr) IW_FN iws_##t iws_##op##_##t(iws_##t a, iws_##t b) { return expr; }
#define IWS1(op, t, expr) IW_FN iws_##t iws_##op##_##t(iws_##t a) { return expr; }
#define IWS3(op, t, expr) IW_FN iws_##t iws_##op##_##t(iws_##t a, iws_##t b, iws_##t c) { return expr; }

/* As the number of valid elements of a row: all of them, for rows at pointers that iw_row_can_vectorize. */
#define IW_FULL_ROW INT64_MAX
/* Rows of one flag set: with four elements per lane they have 32 flags per lane. */
#define IW_FLAG_SET_ROWS 8

/* Reinterpretation. Kernels see the bits of canonical floats only, so that no NaN payload is visible. */
#define IWS_BITS(name, from, to) \
  IW_STATIC_ASSERT(sizeof(iws_##from) == sizeof(iws_##to), "reinterpretation keeps the size"); \
  IW_FN iws_##to name(iws_##from a) { iws_##to b; memcpy(&b, &a, sizeof b); return b; }
IWS_BITS(iws_raw_f32, f32, u32) IWS_BITS(iws_from_raw_f32, u32, f32)
IWS_BITS(iws_raw_f64, f64, u64) IWS_BITS(iws_from_raw_f64, u64, f64)
#define IWS_CANONICAL(t, nan) IW_FN iws_##t iws_nan_##t(void) { return iws_from_raw_##t(nan); } \
  IWS1(canonical, t, a == a ? a : iws_nan_##t())
IWS_CANONICAL(f32, 0x7fc00000u) IWS_CANONICAL(f64, 0x7ff8000000000000u)
#define IWS_CANONICAL_INT(t) IWS1(canonical, t, a)
IW_INTS(IWS_CANONICAL_INT)

#include <isowarp/language/scalar_narrow.h>

/* Floats: one rounding each, never fused. */
#ifdef __CUDACC__
IWS2(add, f32, __fadd_rn(a, b)) IWS2(sub, f32, __fsub_rn(a, b)) IWS2(mul, f32, __fmul_rn(a, b)) IWS2(div,
    f32, __fdiv_rn(a, b))
IWS2(add, f64, __dadd_rn(a, b)) IWS2(sub, f64, __dsub_rn(a, b)) IWS2(mul, f64, __dmul_rn(a, b)) IWS2(div,
    f64, __ddiv_rn(a, b))
#else
#define IWS_ARITHMETIC_FLOAT(t) \
  IWS2(add, t, a + b) IWS2(sub, t, a - b) IWS2(mul, t, a * b) IWS2(div, t, a / b)
IW_FLOATS(IWS_ARITHMETIC_FLOAT)
#endif
#define IWS_FLOAT(t, u) \
  IW_STATIC_ASSERT(sizeof(iws_##t) == sizeof(iws_##u), "the sign is a bit of an integer of the same size"); \
  IWS1(neg, t, iws_from_raw_##t(iws_raw_##t(a) ^ (iws_##u)1 << (sizeof a * 8 - 1)))
IWS_FLOAT(f32, u32)
IWS_FLOAT(f64, u64)
IWS1(abs, f32, __builtin_fabsf(a))
IWS1(abs, f64, __builtin_fabs(a))
/* -0 before +0. CUDA devices have instructions for that; from sm_80 on, those of f32 propagate NaN too. */
#if defined(__CUDA_ARCH__)
#define IWS_MIN_MAX(op, t, letter) IW_FN iws_##t iws_##op##_##t(iws_##t a, iws_##t b) \
{ iws_##t r; asm(#op "." #t " %0, %1, %2;" : "=" letter(r) : letter(a), letter(b)); \
return a != a || b != b ? a + b : r; }
#define IWS_MIN_MAX_NAN(op) IW_FN iws_f32 iws_##op##_f32(iws_f32 a, iws_f32 b) \
{ iws_f32 r; asm(#op ".NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
IWS_MIN_MAX(min, f64, "d") IWS_MIN_MAX(max, f64, "d")
#if __CUDA_ARCH__ >= 800
IWS_MIN_MAX_NAN(min) IWS_MIN_MAX_NAN(max)
#else
IWS_MIN_MAX(min, f32, "f") IWS_MIN_MAX(max, f32, "f")
#endif
#else
#define IWS_MIN_MAX_FLOAT(t) \
  IW_FN iws_##t iws_min_##t(iws_##t a, iws_##t b) \
  { return a != a ? a : b != b ? b : a < b ? a : b < a ? b \
      : iws_from_raw_##t(iws_raw_##t(a) | iws_raw_##t(b)); } \
  IW_FN iws_##t iws_max_##t(iws_##t a, iws_##t b) \
  { return a != a ? a : b != b ? b : a > b ? a : b > a ? b \
      : iws_from_raw_##t(iws_raw_##t(a) & iws_raw_##t(b)); }
IW_FLOATS(IWS_MIN_MAX_FLOAT)
#endif
#ifdef __CUDACC__
IWS1(floor, f32, floorf(a)) IWS1(floor, f64, floor(a)) IWS1(ceil, f32, ceilf(a)) IWS1(ceil, f64, ceil(a))
IWS1(trunc, f32, truncf(a)) IWS1(trunc, f64, trunc(a)) IWS1(rint, f32, rintf(a)) IWS1(rint, f64, rint(a))
#else
#define IWS_FLOOR(t, integral, whole) IW_FN iws_##t iws_floor_##t(iws_##t a) \
{ if (!(a < integral && a > -integral)) return a; const iws_##t b = (iws_##t)(whole)a; \
return b == a ? a : b > a ? b - 1 : b; }
IWS_FLOOR(f32, 8388608.0f, int32_t) IWS_FLOOR(f64, 4503599627370496.0, int64_t)
/* The others, by way of the absolute value, whose sign is put back: -0.5 becomes -0. The last bit of a sum
 * with `integral` is worth 1, so the sum is rounded to an integer. */
#define IWS_SIGN_OF(t, u, magnitude) iws_from_raw_##t(iws_raw_##t(magnitude) \
  | (iws_raw_##t(a) & (iws_##u)1 << (sizeof a * 8 - 1)))
#define IWS_INTEGRAL(t, u, integral, whole) \
IWS1(ceil, t, iws_neg_##t(iws_floor_##t(iws_neg_##t(a)))) \
IWS1(trunc, t, a < integral && a > -integral ? IWS_SIGN_OF(t, u, (iws_##t)(whole)iws_abs_##t(a)) : a) \
IWS1(rint, t, a < integral && a > -integral ? IWS_SIGN_OF(t, u, (iws_abs_##t(a) + integral) - integral) : a)
IWS_INTEGRAL(f32, u32, 8388608.0f, int32_t) IWS_INTEGRAL(f64, u64, 4503599627370496.0, int64_t)
#endif
#include <isowarp/language/scalar_roots.h>

/* Integers: computed unsigned, so that they wrap. */
#define IWS_INT(t, u, bits, is_signed) \
  IWS2(add, t, (iws_##t)((iws_##u)a + (iws_##u)b)) IWS2(sub, t, (iws_##t)((iws_##u)a - (iws_##u)b)) \
  IWS2(mul, t, (iws_##t)((iws_##u)a * (iws_##u)b)) IWS1(neg, t, (iws_##t)(0 - (iws_##u)a)) \
  IWS2(div, t, b == 0 ? 0 : is_signed && b == (iws_##t)-1 ? (iws_##t)(0 - (iws_##u)a) : a / b) \
  IWS2(rem, t, b == 0 || (is_signed && b == (iws_##t)-1) ? 0 : a % b) \
  IWS2(min, t, a < b ? a : b) IWS2(max, t, a > b ? a : b) \
  IWS2(and, t, a & b) IWS2(or, t, a | b) IWS2(xor, t, a ^ b) IWS1(not, t, (iws_##t)~a) \
  IWS2(shl, t, (iws_##u)b < bits ? (iws_##t)((iws_##u)a << b) : 0) \
  IWS2(shr, t, (iws_##u)b < bits ? (iws_##t)(a >> b) : is_signed && (iws_##u)a >> (bits - 1) ? (iws_##t)-1 \
       : 0)
IWS_INT(i32, u32, 32, 1) IWS_INT(i64, u64, 64, 1) IWS_INT(u32, u32, 32, 0) IWS_INT(u64, u64, 64, 0)
#define IWS_ABS_INT(t) IWS1(abs, t, a < 0 ? iws_neg_##t(a) : a)
IWS_ABS_INT(i32) IWS_ABS_INT(i64)

#define IWS_COMPARE(t) \
  IW_FN int iws_eq_##t(iws_##t a, iws_##t b) { return a == b; } \
  IW_FN int iws_lt_##t(iws_##t a, iws_##t b) { return a < b; } \
  IW_FN int iws_le_##t(iws_##t a, iws_##t b) { return a <= b; }
IW_TYPES(IWS_COMPARE)

/* iws_convert_FROM_TO. limit: the first power of two that does not fit. */
#define IWS_CONVERT(from, to) IW_FN iws_##to iws_convert_##from##_##to(iws_##from a) { return (iws_##to)a; }
#define IWS_CONVERT_ALL(from) IWS_CONVERT(from, f32) IWS_CONVERT(from, f64) \
  IWS_CONVERT(from, i32) IWS_CONVERT(from, u32) IWS_CONVERT(from, i64) IWS_CONVERT(from, u64)
IW_INTS(IWS_CONVERT_ALL)
IWS_CONVERT(f32, f32) IWS_CONVERT(f32, f64) IWS_CONVERT(f64, f32) IWS_CONVERT(f64, f64)
/* CUDA's instructions saturate; those from f32 to 32 bits give 0 for a NaN, the others the least integer. */
#ifdef __CUDACC__
#define IWS_TRUNCATE(from, to, native) \
IW_FN iws_##to iws_convert_##from##_##to(iws_##from a) { return (iws_##to)native(a); }
#define IWS_TRUNCATE_NUMBER(from, to, native) \
  IW_FN iws_##to iws_convert_##from##_##to(iws_##from a) { return a == a ? (iws_##to)native(a) : 0; }
IWS_TRUNCATE(f32, i32, __float2int_rz) IWS_TRUNCATE(f32, u32, __float2uint_rz)
IWS_TRUNCATE_NUMBER(f32, i64, __float2ll_rz) IWS_TRUNCATE_NUMBER(f32, u64, __float2ull_rz)
IWS_TRUNCATE_NUMBER(f64, i32, __double2int_rz) IWS_TRUNCATE_NUMBER(f64, u32, __double2uint_rz)
IWS_TRUNCATE_NUMBER(f64, i64, __double2ll_rz) IWS_TRUNCATE_NUMBER(f64, u64, __double2ull_rz)
#else
#define IWS_SATURATE(from, to, least, greatest, limit) \
IW_FN iws_##to iws_convert_##from##_##to(iws_##from a) \
  { return !(a == a) ? 0 : a >= (iws_##from)limit ? greatest : a <= (iws_##from)least ? (iws_##to)least \
      : (iws_##to)a; }
#define IWS_SATURATE_ALL(from) \
  IWS_SATURATE(from, i32, INT32_MIN, INT32_MAX, 2147483648.0) IWS_SATURATE(from, u32, 0, UINT32_MAX, \
      4294967296.0) \
  IWS_SATURATE(from, i64, INT64_MIN, INT64_MAX, 9223372036854775808.0) \
  IWS_SATURATE(from, u64, 0, UINT64_MAX, 18446744073709551616.0)
IWS_SATURATE_ALL(f32) IWS_SATURATE_ALL(f64)
#endif

/* a, with the bits inverted that are set in b. */
IWS2(flip_bits, i32, a ^ b) IWS2(flip_bits, u32, a ^ b) IWS2(flip_bits, i64, a ^ b) IWS2(flip_bits, u64, a ^ b)
IWS2(flip_bits, f32, iws_from_raw_f32(iws_raw_f32(a) ^ iws_raw_f32(b)))
IWS2(flip_bits, f64, iws_from_raw_f64(iws_raw_f64(a) ^ iws_raw_f64(b)))

/* The identity of each operator: it changes no bit of the other operand, on either side. */
#define IWS_LIMITS(t, least, greatest, zero) \
  IW_FN iws_##t iws_identity_min_##t(void) { return greatest; } IW_FN iws_##t iws_identity_max_##t(void) { \
      return least; } \
  IW_FN iws_##t iws_identity_sum_##t(void) { return zero; }
IWS_LIMITS(i32, INT32_MIN, INT32_MAX, 0) IWS_LIMITS(u32, 0, UINT32_MAX, 0)
IWS_LIMITS(i64, INT64_MIN, INT64_MAX, 0) IWS_LIMITS(u64, 0, UINT64_MAX, 0)
IWS_LIMITS(f32, iws_from_raw_f32(0xff800000u), iws_from_raw_f32(0x7f800000u), -0.0f)
IWS_LIMITS(f64, iws_from_raw_f64(0xfff0000000000000u), iws_from_raw_f64(0x7ff0000000000000u), -0.0)

/* Whether a value is the identity, to the bit. */
#define IWS_IS_IDENTITY(op, t, raw) IW_FN int iws_is_identity_##op##_##t(iws_##t a) \
{ return raw(a) == raw(iws_identity_##op##_##t()); }
#define IWS_IS_IDENTITY_ALL(t, raw) \
  IWS_IS_IDENTITY(sum, t, raw) IWS_IS_IDENTITY(min, t, raw) IWS_IS_IDENTITY(max, t, raw)
IWS_IS_IDENTITY_ALL(f32, iws_raw_f32) IWS_IS_IDENTITY_ALL(f64, iws_raw_f64)
IWS_IS_IDENTITY_ALL(i32, ) IWS_IS_IDENTITY_ALL(u32, ) IWS_IS_IDENTITY_ALL(i64, ) IWS_IS_IDENTITY_ALL(u64, )

/* The sum operator has a name of its own, so that templates paste sum, min or max alike. */
#define IWS_SUM(t) IWS2(sum, t, iws_add_##t(a, b))
IW_TYPES(IWS_SUM)

/* Each of the low 16 bits twice in a row. */
IW_FN uint32_t iws_duplicate_bits(uint32_t x)
{ x = (x | x << 8) & 0x00ff00ff; x = (x | x << 4) & 0x0f0f0f0f; x = (x | x << 2) & 0x33333333;
x = (x | x << 1) & 0x55555555;
  return x | x << 1; }

/* The lane that a shuffle reads, as CUDA documents it; width is a power of two up to the warp's size. */
IW_FN unsigned iws_source_index(unsigned lane, unsigned index, unsigned width)
{ return (lane & ~(width - 1)) | (index & (width - 1)); }
IW_FN unsigned iws_source_up(unsigned lane, unsigned delta, unsigned width)
{ return (lane & (width - 1)) < delta ? lane : lane - delta; }
IW_FN unsigned iws_source_down(unsigned lane, unsigned delta, unsigned width)
{ return delta > width - 1 - (lane & (width - 1)) ? lane : lane + delta; }
IW_FN unsigned iws_source_xor(unsigned lane, unsigned mask, unsigned width, unsigned warp_size)
{ const unsigned from = lane ^ (mask & (warp_size - 1)); return from > (lane | (width - 1)) ? lane : from; }
/* The last lane of the left sibling of the block of 2^level lanes that `lane` is in. */
IW_FN unsigned iws_left_sibling_last(unsigned lane, unsigned level)
{ return (lane & ~((2u << level) - 1)) + (1u << level) - 1; }

#endif
