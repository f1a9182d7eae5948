/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of 256 bits: the intrinsics of AVX2, or SIMDe's versions of them, which work on two halves, for
 * SSE4 and NEON. The lowest layer of the CPU's language: one register at a time, knows nothing of warps.
 * cpu.h includes one of registers_256.h, registers_512.h and registers_generic.h, which define the same
 * functions; registers_generic.h says what they mean.
 */
#ifndef ISOWARP_LANGUAGE_REGISTERS_H
#define ISOWARP_LANGUAGE_REGISTERS_H

#if defined(__AVX2__)
#define IW_LANES_ISA "avx2"
#elif defined(__SSE4_1__)
#define IW_LANES_ISA "sse4"
#elif defined(__aarch64__)
#define IW_LANES_ISA "neon"
#else
#error "registers of 256 bits need SSE4.1, AVX2 or 64-bit NEON; build with -DIW_LANES_GENERIC"
#endif

/* IWV_256(add_ps) is _mm256_add_ps, or SIMDe's version of it; IWV_128 is for registers of 128 bits. */
#if defined(__AVX2__)
#include <isowarp/language/cpu/intrinsics.h>
#define IWV_256(name) IW_PASTE(_mm256_, name)
#define IWV_128(name) _mm_##name
#define IWV_CMP(name) _CMP_##name
#define IWV_ROUND_TO_NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define IWV_ROUND_TO_ZERO (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
typedef __m256 iwv_m256;
typedef __m256d iwv_m256d;
typedef __m256i iwv_m256i;
typedef __m128i iwv_m128i;
#else
#include <simde/x86/avx2.h>
#define IWV_256(name) IW_PASTE(simde_mm256_, name)
#define IWV_128(name) simde_mm_##name
#define IWV_CMP(name) SIMDE_CMP_##name
/* The mode that kernels run in. SIMDe's TO_NEAREST_INT rounds ties of doubles away from zero on NEON
 * (0.7.4, sse4.1.h). */
#define IWV_ROUND_TO_NEAREST (SIMDE_MM_FROUND_CUR_DIRECTION | SIMDE_MM_FROUND_NO_EXC)
#define IWV_ROUND_TO_ZERO (SIMDE_MM_FROUND_TO_ZERO | SIMDE_MM_FROUND_NO_EXC)
typedef simde__m256 iwv_m256;
typedef simde__m256d iwv_m256d;
typedef simde__m256i iwv_m256i;
typedef simde__m128i iwv_m128i;
#endif

enum { IW_VL_f32 = 8, IW_VL_i32 = 8, IW_VL_u32 = 8, IW_VL_f64 = 4, IW_VL_i64 = 4, IW_VL_u64 = 4 };
typedef iwv_m256 iwv_f32;
typedef iwv_m256d iwv_f64;
typedef iwv_m256i iwv_i32, iwv_u32, iwv_i64, iwv_u64;

#define IWV1(op, t, expr) IW_FN iwv_##t iwv_##op##_##t(iwv_##t a) { return expr; }
#define IWV2(op, t, expr) IW_FN iwv_##t iwv_##op##_##t(iwv_##t a, iwv_##t b) { return expr; }
#define IWV_F(a) IWV_256(castsi256_ps)(a)
#define IWV_D(a) IWV_256(castsi256_pd)(a)
#define IWV_I(a) IWV_256(castps_si256)(a)
#define IWV_L(a) IWV_256(castpd_si256)(a)

/* Comparisons give vector masks: a lane is all ones or all zeros. */
#define IWV_HAS_MASKS
typedef iwv_m256i iwv_mask;

/* Streaming stores keep their order: if other stores come between the two halves of a cache line, each
 * half is written to memory separately. */
#define IWV_COMPILER_BARRIER __asm__ volatile("" ::: "memory");
#define IWV_HAS_NAN
#define T f32
#define IWV_SUFFIX ps
#include <isowarp/language/cpu/registers_256_of_float.h>
#undef T
#undef IWV_SUFFIX
#define T f64
#define IWV_SUFFIX pd
#include <isowarp/language/cpu/registers_256_of_float.h>
#undef T
#undef IWV_SUFFIX
#define T i32
#define IWV_SUFFIX epi32
#define IWV_SET1 epi32
#define IWV_SIGNED int32_t
#define IWV_LEAST 0
#include <isowarp/language/cpu/registers_256_of_integer.h>
#undef T
#undef IWV_SUFFIX
#undef IWV_SET1
#undef IWV_SIGNED
#undef IWV_LEAST
#define T u32
#define IWV_SUFFIX epi32
#define IWV_SET1 epi32
#define IWV_SIGNED int32_t
#define IWV_LEAST 0x80000000u
#include <isowarp/language/cpu/registers_256_of_integer.h>
#undef T
#undef IWV_SUFFIX
#undef IWV_SET1
#undef IWV_SIGNED
#undef IWV_LEAST
#define T i64
#define IWV_SUFFIX epi64
#define IWV_SET1 epi64x
#define IWV_SIGNED int64_t
#define IWV_LEAST 0
#include <isowarp/language/cpu/registers_256_of_integer.h>
#undef T
#undef IWV_SUFFIX
#undef IWV_SET1
#undef IWV_SIGNED
#undef IWV_LEAST
#define T u64
#define IWV_SUFFIX epi64
#define IWV_SET1 epi64x
#define IWV_SIGNED int64_t
#define IWV_LEAST 0x8000000000000000u
#include <isowarp/language/cpu/registers_256_of_integer.h>
#undef T
#undef IWV_SUFFIX
#undef IWV_SET1
#undef IWV_SIGNED
#undef IWV_LEAST

#include <isowarp/language/cpu/registers_by_lane.h>
#define IWV_DIVIDE(t) IWV_BY_LANE2(div, t) IWV_BY_LANE2(rem, t)
IW_INTS(IWV_DIVIDE)
/* SIMDe's own fma rounds twice on some targets. */
#if !(defined(__AVX2__) && defined(__FMA__))
IWV_BY_LANE3(fma, f32) IWV_BY_LANE3(fma, f64)
#endif
IWV2(mul, i32, IWV_256(mullo_epi32)(a, b)) IWV2(mul, u32, IWV_256(mullo_epi32)(a, b))
/* The product of the low halves, plus the cross products shifted into the upper half. */
#define IWV_MUL_64(t) IW_FN iwv_##t iwv_mul_##t(iwv_##t a, iwv_##t b) \
{ const iwv_m256i across = IWV_256(mullo_epi32)(a, IWV_256(shuffle_epi32)(b, 0xb1)); \
  const iwv_m256i upper = IWV_256(slli_epi64)(IWV_256(add_epi32)(across, IWV_256(srli_epi64)(across, 32)), \
                                              32); \
  return IWV_256(add_epi64)(IWV_256(mul_epu32)(a, b), upper); }
IWV_MUL_64(i64) IWV_MUL_64(u64)
IWV2(shr, i32, IWV_256(srav_epi32)(a, b)) IWV2(shr, u32, IWV_256(srlv_epi32)(a, b))
IWV_BY_LANE2(shr, i64) IWV2(shr, u64, IWV_256(srlv_epi64)(a, b))
IWV2(min, i32, IWV_256(min_epi32)(a, b)) IWV2(max, i32, IWV_256(max_epi32)(a, b))
IWV2(min, u32, IWV_256(min_epu32)(a, b)) IWV2(max, u32, IWV_256(max_epu32)(a, b))
#define IWV_MINMAX_64(t) \
IWV2(min, t, IWV_256(blendv_epi8)(a, b, iwv_greater_##t(a, b))) \
IWV2(max, t, IWV_256(blendv_epi8)(b, a, iwv_greater_##t(a, b)))
IWV_MINMAX_64(i64) IWV_MINMAX_64(u64)
IWV1(abs, i32, IWV_256(abs_epi32)(a))
IWV1(abs, i64, IWV_256(blendv_epi8)(a, iwv_neg_i64(a), IWV_256(cmpgt_epi64)(IWV_256(setzero_si256)(), a)))

/* Masks of 32-bit lanes to bits and from bits, and to masks of 64-bit lanes (half) and from them (pair). */
IW_FN iwv_mask iwv_mask_from_bits(unsigned bits)
{ const iwv_m256i each = IWV_256(setr_epi32)(1, 2, 4, 8, 16, 32, 64, 128);
  return IWV_256(cmpeq_epi32)(IWV_256(and_si256)(IWV_256(set1_epi32)((int)bits), each), each); }
IW_FN unsigned iwv_movemask(iwv_mask a) { return (unsigned)IWV_256(movemask_ps)(IWV_F(a)); }
IW_FN unsigned iwv_movemask_64(iwv_mask a) { return (unsigned)IWV_256(movemask_pd)(IWV_D(a)); }
IW_FN uint32_t iwv_movemask_4(iwv_mask a, iwv_mask b, iwv_mask c, iwv_mask d)
{
#if defined(__AVX2__)
  const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
  return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes,
                                                                    _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3,
                                                                        7)));
#else
  return iwv_movemask(a) | iwv_movemask(b) << 8 | iwv_movemask(c) << 16 | iwv_movemask(d) << 24;
#endif
}
IW_FN iwv_mask iwv_mask_half(iwv_mask a, int high)
{ return IWV_256(cvtepi32_epi64)(high ? IWV_256(extracti128_si256)(a, 1) : IWV_256(castsi256_si128)(a)); }
IW_FN iwv_mask iwv_mask_pair(iwv_mask a, iwv_mask b)
{ return IWV_256(permute4x64_epi64)(IWV_I(IWV_256(shuffle_ps)(IWV_F(a), IWV_F(b), 0x88)), 0xd8); }
IW_FN iwv_f32 iwv_select_f32(iwv_mask some, iwv_f32 a, iwv_f32 b) {
    return IWV_256(blendv_ps)(b, a, IWV_F(some)); }
IW_FN iwv_f64 iwv_select_f64(iwv_mask some, iwv_f64 a, iwv_f64 b) {
    return IWV_256(blendv_pd)(b, a, IWV_D(some)); }
#define IWV_SELECT_INT(t) IW_FN iwv_##t iwv_select_##t(iwv_mask some, iwv_##t a, iwv_##t b) \
{ return IWV_256(blendv_epi8)(b, a, some); }
IWV_SELECT_INT(i32) IWV_SELECT_INT(u32) IWV_SELECT_INT(i64) IWV_SELECT_INT(u64)

#include <isowarp/language/cpu/registers_256_moves.h>
#include <isowarp/language/cpu/registers_256_convert.h>

#endif
