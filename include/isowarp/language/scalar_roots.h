/* SPDX-License-Identifier: Apache-2.0
 *
 * Square root and fused multiply-add of one lane. Part of scalar.h. C's own sqrt() and fma() are
 * instructions where the processor has them and calls of libm elsewhere, for which a user's kernel would
 * have to be linked with it; sqrt() calls libm for errno too.
 */
#ifndef ISOWARP_LANGUAGE_SCALAR_ROOTS_H
#define ISOWARP_LANGUAGE_SCALAR_ROOTS_H

#if defined(__CUDACC__)
IWS1(sqrt, f32, __fsqrt_rn(a)) IWS1(sqrt, f64, __dsqrt_rn(a))
IWS3(fma, f32, __fmaf_rn(a, b, c)) IWS3(fma, f64, __fma_rn(a, b, c))
#else

/* One instruction, by its name: the compiler's builtin calls libm for negative operands. */
#if defined(__AVX__)
#define IWS_SQRT(t, suffix, arm) IW_FN iws_##t iws_sqrt_##t(iws_##t a) \
{ iws_##t r; __asm__("vsqrt" suffix " %1, %1, %0" : "=x"(r) : "x"(a)); return r; }
#elif defined(__SSE2__)
#define IWS_SQRT(t, suffix, arm) IW_FN iws_##t iws_sqrt_##t(iws_##t a) \
{ iws_##t r; __asm__("sqrt" suffix " %1, %0" : "=x"(r) : "x"(a)); return r; }
#elif defined(__aarch64__)
#define IWS_SQRT(t, suffix, arm) IW_FN iws_##t iws_sqrt_##t(iws_##t a) \
{ iws_##t r; __asm__("fsqrt %" arm "0, %" arm "1" : "=w"(r) : "w"(a)); return r; }
#else
#define IWS_SQRT(t, suffix, arm) IW_FN iws_##t iws_sqrt_##t(iws_##t a) \
{ return sizeof a == 4 ? (iws_##t)__builtin_sqrtf((float)a) : (iws_##t)__builtin_sqrt((double)a); }
#endif
IWS_SQRT(f32, "ss", "s") IWS_SQRT(f64, "sd", "d")

#if defined(__FMA__) || defined(__aarch64__) || !defined(__SIZEOF_INT128__) /* else libm's */
IWS3(fma, f32, __builtin_fmaf(a, b, c)) IWS3(fma, f64, __builtin_fma(a, b, c))
#else
/* Without the instruction. The product of two f32 is exact in f64. The sum is rounded to odd (Boldo and
 * Melquiond, "Emulation of FMA and correctly rounded sums", 2008): if it is inexact its last bit is set, so
 * that the rounding to f32 sees that it is no tie. */
IW_FN iws_f32 iws_fma_f32(iws_f32 a, iws_f32 b, iws_f32 c)
{
  const iws_f64 product = (iws_f64)a * (iws_f64)b, sum = product + (iws_f64)c;
  const iws_f64 part = sum - product, error = (product - (sum - part)) + ((iws_f64)c - part);
  uint64_t bits = iws_raw_f64(sum);
  if (error != 0 && sum - sum == 0 && !(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
  return (iws_f32)iws_from_raw_f64(bits);
}

/* The significand of a finite number that is not 0 as an integer of 53 bits; *exponent: of its last bit. */
IW_FN uint64_t iws_significand_(iws_f64 a, int *exponent)
{
  const uint64_t bits = iws_raw_f64(a), fraction = bits & 0xfffffffffffff;
  const int biased = (int)(bits >> 52 & 0x7ff), shift = biased ? 0 : __builtin_clzll(fraction) - 11;
  *exponent = (biased ? biased : 1) - 1075 - shift;
  return (biased ? fraction | (uint64_t)1 << 52 : fraction << shift);
}

__extension__ typedef unsigned __int128 iws_u128_;

/* x / 2^n with the last bit set if bits were lost. */
IW_FN iws_u128_ iws_shift_sticky_(iws_u128_ x, int n)
{ return n <= 0 ? x : n > 127 ? x != 0 : x >> n | (x << (128 - n) != 0); }

/* By integers: product and addend as numbers of 126 bits, of which the smaller is shifted with a sticky
 * last bit. At most 73 bits of a number are 0, so a difference of close numbers, which alone cancels more
 * than one bit, loses none. */
IW_NOINLINE_FN iws_f64 iws_fma_f64(iws_f64 a, iws_f64 b, iws_f64 c)
{
  const uint64_t sign = (uint64_t)1 << 63;
  const iws_f64 plain = a * b;
  if (c - c != 0 && a - a == 0 && b - b == 0) return c; /* even if the product overflows */
  if (a == 0 || b == 0 || a - a != 0 || b - b != 0) return plain + c;
  if (c == 0) return plain;
  int of_a, of_b, of_sum, of_c;
  const uint64_t x = iws_significand_(a, &of_a), y = iws_significand_(b, &of_b), z = iws_significand_(c, &of_c);
  const uint64_t negative = (iws_raw_f64(a) ^ iws_raw_f64(b)) & sign, opposite = (negative ^ iws_raw_f64(c)) & sign;
  iws_u128_ sum = (iws_u128_)x * y << 20, addend = (iws_u128_)z << 73;
  of_sum = of_a + of_b - 20;
  of_c -= 73;
  if (of_sum < of_c) { sum = iws_shift_sticky_(sum, of_c - of_sum); of_sum = of_c; }
  else addend = iws_shift_sticky_(addend, of_sum - of_c);
  const int flip = opposite && addend > sum;
  sum = !opposite ? sum + addend : flip ? addend - sum : sum - addend;
  if (sum == 0) return 0;
  /* To 53 bits, or to fewer of a subnormal number, ties to even. */
  const uint64_t upper = (uint64_t)(sum >> 64);
  const int bits = upper ? 128 - __builtin_clzll(upper) : 64 - __builtin_clzll((uint64_t)sum);
  int drop = bits - 53 > -1074 - of_sum ? bits - 53 : -1074 - of_sum, biased = drop + of_sum + 1075;
  uint64_t kept;
  if (drop <= 0) kept = (uint64_t)(sum << -drop);
  else {
    const iws_u128_ guarded = iws_shift_sticky_(sum << 1, drop - 1); /* sum has at most 127 bits */
    kept = (uint64_t)(guarded >> 2) + ((guarded & 3) + (guarded >> 2 & 1) > 2);
  }
  if (biased > 2046) kept = (uint64_t)0x7ff << 52;
  else kept += (uint64_t)(biased - 1) << 52;   /* the leading bit adds 1 to the exponent */
  return iws_from_raw_f64(kept | (flip ? negative ^ sign : negative));
}
#endif
#endif

#endif
