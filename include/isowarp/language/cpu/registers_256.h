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
#include <immintrin.h>
#define IWV_256(name) _mm256_##name
#define IWV_128(name) _mm_##name
#define IWV_CMP(name) _CMP_##name
#define IWV_ROUND_TO_NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
typedef __m256 iwv_m256;
typedef __m256d iwv_m256d;
typedef __m256i iwv_m256i;
typedef __m128i iwv_m128i;
#else
#include <simde/x86/avx2.h>
#define IWV_256(name) simde_mm256_##name
#define IWV_128(name) simde_mm_##name
#define IWV_CMP(name) SIMDE_CMP_##name
#define IWV_ROUND_TO_NEAREST (SIMDE_MM_FROUND_TO_NEAREST_INT | SIMDE_MM_FROUND_NO_EXC)
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
#define IWV_COMPARE(op, t, expr) IW_FN iwv_mask iwv_##op##_##t(iwv_##t a, iwv_##t b) { return expr; }

/* Streaming stores keep their order: if other stores come between the two halves of a cache line, each
 * half is written to memory separately. */
#define IWV_COMPILER_BARRIER __asm__ volatile("" ::: "memory");
#define IWV_MEMORY_FLOAT(t, f) \
IW_FN iwv_##t iwv_load_##t(const iws_##t *p) { return IWV_256(loadu_##f)(p); } \
IW_FN void iwv_store_##t(iws_##t *p, iwv_##t a) { IWV_256(storeu_##f)(p, a); } \
IW_FN void iwv_stream_##t(iws_##t *p, iwv_##t a) { IWV_COMPILER_BARRIER IWV_256(stream_##f)(p, a); } \
IW_FN iwv_##t iwv_set1_##t(iws_##t v) { return IWV_256(set1_##f)(v); } \
IWV2(add, t, IWV_256(add_##f)(a, b)) IWV2(sub, t, IWV_256(sub_##f)(a, b)) \
IWV2(mul, t, IWV_256(mul_##f)(a, b)) IWV2(div, t, IWV_256(div_##f)(a, b)) \
IWV1(floor, t, IWV_256(floor_##f)(a)) \
IWV1(neg, t, IWV_256(xor_##f)(a, iwv_set1_##t((iws_##t)-0.0))) \
IWV1(abs, t, IWV_256(andnot_##f)(iwv_set1_##t((iws_##t)-0.0), a)) \
/* x86's min and max return the second operand for two zeros or a NaN: take both orders, then or/and \
 * decides. */ \
IWV2(min, t, IWV_256(or_##f)(IWV_256(min_##f)(a, b), IWV_256(min_##f)(b, a))) \
IWV2(max, t, IWV_256(or_##f)(IWV_256(and_##f)(IWV_256(max_##f)(a, b), IWV_256(max_##f)(b, a)), \
                                IWV_256(cmp_##f)(a, b, IWV_CMP(UNORD_Q)))) \
IWV1(canonical, t, IWV_256(blendv_##f)(a, iwv_set1_##t(iws_nan_##t()), \
                                          IWV_256(cmp_##f)(a, a, IWV_CMP(UNORD_Q)))) \
IWV_COMPARE(eq, t, IWV_256(cast##f##_si256)(IWV_256(cmp_##f)(a, b, IWV_CMP(EQ_OQ)))) \
IWV_COMPARE(lt, t, IWV_256(cast##f##_si256)(IWV_256(cmp_##f)(a, b, IWV_CMP(LT_OQ)))) \
IWV_COMPARE(le, t, IWV_256(cast##f##_si256)(IWV_256(cmp_##f)(a, b, IWV_CMP(LE_OQ))))
IWV_MEMORY_FLOAT(f32, ps) IWV_MEMORY_FLOAT(f64, pd)
/* Whether any of `count` registers, an even number, holds a NaN: one comparison checks two registers,
 * while making one canonical takes three instructions. */
#define IWV_HAS_NAN
#define IWV_NAN_FLOAT(t, f) IW_FN int iwv_may_have_nan_##t(const iwv_##t *a, int count) \
{ iwv_##t seen = IWV_256(cmp_##f)(a[0], a[1], IWV_CMP(UNORD_Q)); \
  IW_UNROLL for (int k = 2; k < count; k += 2) seen = \
  IWV_256(or_##f)(seen, IWV_256(cmp_##f)(a[k], a[k + 1], IWV_CMP(UNORD_Q))); \
  return IWV_256(movemask_##f)(seen) != 0; }
IWV_NAN_FLOAT(f32, ps) IWV_NAN_FLOAT(f64, pd)
#define IWV_NAN_INT(t) IW_FN int iwv_may_have_nan_##t(const iwv_##t *a, int count) { (void)a, (void)count; return 0; }
IWV_NAN_INT(i32) IWV_NAN_INT(u32) IWV_NAN_INT(i64) IWV_NAN_INT(u64)

#define IWV_MEMORY_INT(t, set1, wide) \
IW_FN iwv_##t iwv_load_##t(const iws_##t *p) { return IWV_256(loadu_si256)((const iwv_m256i *)p); } \
IW_FN void iwv_store_##t(iws_##t *p, iwv_##t a) { IWV_256(storeu_si256)((iwv_m256i *)p, a); } \
IW_FN void iwv_stream_##t(iws_##t *p, iwv_##t a) { IWV_COMPILER_BARRIER IWV_256(stream_si256)((iwv_m256i *)p, a); } \
IW_FN iwv_##t iwv_set1_##t(iws_##t v) { return IWV_256(set1_##set1)((wide)v); } \
IWV2(and, t, IWV_256(and_si256)(a, b)) IWV2(or, t, IWV_256(or_si256)(a, b)) \
IWV2(xor, t, IWV_256(xor_si256)(a, b)) \
IWV1(not, t, IWV_256(xor_si256)(a, IWV_256(set1_epi32)(-1))) IWV1(canonical, t, a)
IWV_MEMORY_INT(i32, epi32, int32_t) IWV_MEMORY_INT(u32, epi32, int32_t)
IWV_MEMORY_INT(i64, epi64x, int64_t) IWV_MEMORY_INT(u64, epi64x, int64_t)

#include <isowarp/language/cpu/registers_by_lane.h>

#define IWV_INT(t, e, signed_, least) \
IWV2(add, t, IWV_256(add_##e)(a, b)) IWV2(sub, t, IWV_256(sub_##e)(a, b)) \
IWV1(neg, t, IWV_256(sub_##e)(IWV_256(setzero_si256)(), a)) IWV2(shl, t, IWV_256(sllv_##e)(a, b)) \
IW_FN iwv_##t iwv_greater_##t(iwv_##t a, iwv_##t b) \
{ const iwv_##t flip = iwv_set1_##t(signed_ ? 0 : (iws_##t)least); \
  return IWV_256(cmpgt_##e)(IWV_256(xor_si256)(a, flip), IWV_256(xor_si256)(b, flip)); } \
IWV_COMPARE(eq, t, IWV_256(cmpeq_##e)(a, b)) IWV_COMPARE(lt, t, iwv_greater_##t(b, a)) \
IWV_COMPARE(le, t, iwv_not_##t(iwv_greater_##t(a, b))) \
IWV_BY_LANE2(div, t) IWV_BY_LANE2(rem, t)
IWV_INT(i32, epi32, 1, 0) IWV_INT(u32, epi32, 0, 0x80000000u) IWV_INT(i64, epi64, 1, 0)
IWV_INT(u64, epi64, 0, 0x8000000000000000u)
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

/* The bits at … of a word as a mask that has them in the sign of each lane only, which suffices for
 * iwv_blend_T. at: a constant. */
#define IWV_MASK_FROM_WORD_32(t) IW_FN iwv_mask iwv_mask_from_word_##t(uint64_t bits, int at) \
{ return IWV_256(sllv_epi32)(IWV_256(set1_epi32)((int)(uint32_t)(bits >> (at & 32))), \
    IWV_256(sub_epi32)(IWV_256(set1_epi32)(31 - (at & 31)), IWV_256(setr_epi32)(0, 1, 2, 3, 4, 5, 6, 7))); }
#define IWV_MASK_FROM_WORD_64(t) IW_FN iwv_mask iwv_mask_from_word_##t(uint64_t bits, int at) \
{ return IWV_256(sllv_epi64)(IWV_256(set1_epi64x)((int64_t)bits), \
    IWV_256(sub_epi64)(IWV_256(set1_epi64x)(63 - at), IWV_256(setr_epi64x)(0, 1, 2, 3))); }
IWV_MASK_FROM_WORD_32(f32) IWV_MASK_FROM_WORD_32(i32) IWV_MASK_FROM_WORD_32(u32)
IWV_MASK_FROM_WORD_64(f64) IWV_MASK_FROM_WORD_64(i64) IWV_MASK_FROM_WORD_64(u64)
IW_FN iwv_f32 iwv_blend_f32(iwv_mask set, iwv_f32 a, iwv_f32 b) {
    return IWV_256(blendv_ps)(b, a, IWV_F(set)); }
IW_FN iwv_f64 iwv_blend_f64(iwv_mask set, iwv_f64 a, iwv_f64 b) {
    return IWV_256(blendv_pd)(b, a, IWV_D(set)); }
#define IWV_BLEND_AS(t, f, to, from) \
IW_FN iwv_##t iwv_blend_##t(iwv_mask set, iwv_##t a, iwv_##t b) { \
    return from(iwv_blend_##f(set, to(a), to(b))); }
IWV_BLEND_AS(i32, f32, IWV_F, IWV_I) IWV_BLEND_AS(u32, f32, IWV_F, IWV_I)
IWV_BLEND_AS(i64, f64, IWV_D, IWV_L) IWV_BLEND_AS(u64, f64, IWV_D, IWV_L)

/* See registers_generic.h. All callers pass a constant level. */
IW_FN iwv_f32 iwv_blend_level_f32(int level, iwv_f32 a, iwv_f32 b)
{ return level == 0 ? IWV_256(blend_ps)(b, a, 0xaa) : level == 1 ? IWV_256(blend_ps)(b, a, 0xcc)
    : IWV_256(blend_ps)(b, a, 0xf0); }
/* The last lane of a half in all lanes, in one instruction with AVX2. */
#if defined(__AVX2__)
IW_FN iwv_f32 iwv_broadcast_half_last_f32(int high, iwv_f32 a) {
    return IWV_256(permutevar8x32_ps)(a, IWV_256(set1_epi32)(high ? 7 : 3)); }
IW_FN iwv_f64 iwv_broadcast_half_last_f64(int high, iwv_f64 a) {
    return high ? IWV_256(permute4x64_pd)(a, 0xff) : IWV_256(permute4x64_pd)(a, 0x55); }
#else
IW_FN iwv_f32 iwv_broadcast_half_last_f32(int high, iwv_f32 a)
{ return IWV_256(permute_ps)(high ? IWV_256(permute2f128_ps)(a, a, 0x11)
                             : IWV_256(permute2f128_ps)(a, a, 0x00), 0xff); }
IW_FN iwv_f64 iwv_broadcast_half_last_f64(int high, iwv_f64 a)
{ return IWV_256(permute_pd)(high ? IWV_256(permute2f128_pd)(a, a, 0x11)
                             : IWV_256(permute2f128_pd)(a, a, 0x00), 0xf); }
#endif
IW_FN iwv_f32 iwv_left_sibling_f32(int level, iwv_f32 a)
{ return level == 0 ? IWV_256(permute_ps)(a, 0xa0) : level == 1 ? IWV_256(permute_ps)(a, 0x55)
    : iwv_broadcast_half_last_f32(0, a); }
IW_FN iwv_f32 iwv_broadcast_last_f32(iwv_f32 a) { return iwv_broadcast_half_last_f32(1, a); }
IW_FN iwv_f64 iwv_blend_level_f64(int level, iwv_f64 a, iwv_f64 b)
{ return level == 0 ? IWV_256(blend_pd)(b, a, 0xa) : IWV_256(blend_pd)(b, a, 0xc); }
IW_FN iwv_f64 iwv_left_sibling_f64(int level, iwv_f64 a)
{ return level == 0 ? IWV_256(permute_pd)(a, 0x0) : iwv_broadcast_half_last_f64(0, a); }
IW_FN iwv_f64 iwv_broadcast_last_f64(iwv_f64 a) { return iwv_broadcast_half_last_f64(1, a); }
IW_FN iwv_f32 iwv_shift_in_f32(iwv_f32 left, iwv_f32 a)
{ const iwv_m256i b = IWV_I(a), middle = IWV_256(permute2x128_si256)(IWV_I(left), b, 0x21);
  return IWV_F(IWV_256(alignr_epi8)(b, middle, 12)); }
IW_FN iwv_f64 iwv_shift_in_f64(iwv_f64 left, iwv_f64 a)
{ return IWV_256(shuffle_pd)(IWV_256(permute2f128_pd)(left, a, 0x21), a, 5); }
/* Neighbours are in the same half until one lane of each half is left; in the last step the halves are
 * neighbours, and the result is in order again. */
IW_FN iwv_f32 iwv_evens_f32(int step, iwv_f32 a, iwv_f32 b)
{ return step % 3 < 2 ? IWV_256(shuffle_ps)(a, b, 0x88) : IWV_256(permute2f128_ps)(a, b, 0x20); }
IW_FN iwv_f32 iwv_odds_f32(int step, iwv_f32 a, iwv_f32 b)
{ return step % 3 < 2 ? IWV_256(shuffle_ps)(a, b, 0xdd) : IWV_256(permute2f128_ps)(a, b, 0x31); }
IW_FN iwv_f64 iwv_evens_f64(int step, iwv_f64 a, iwv_f64 b)
{ return step % 2 < 1 ? IWV_256(shuffle_pd)(a, b, 0x0) : IWV_256(permute2f128_pd)(a, b, 0x20); }
IW_FN iwv_f64 iwv_odds_f64(int step, iwv_f64 a, iwv_f64 b)
{ return step % 2 < 1 ? IWV_256(shuffle_pd)(a, b, 0xf) : IWV_256(permute2f128_pd)(a, b, 0x31); }
#define IWV_MOVES_AS(t, f, to, from) \
IW_FN iwv_##t iwv_evens_##t(int step, iwv_##t a, iwv_##t b) { \
    return from(iwv_evens_##f(step, to(a), to(b))); } \
IW_FN iwv_##t iwv_odds_##t(int step, iwv_##t a, iwv_##t b) { \
    return from(iwv_odds_##f(step, to(a), to(b))); } \
IW_FN iwv_##t iwv_shift_in_##t(iwv_##t left, iwv_##t a) { return from(iwv_shift_in_##f(to(left), to(a))); } \
IW_FN iwv_##t iwv_blend_level_##t(int level, iwv_##t a, iwv_##t b) { \
    return from(iwv_blend_level_##f(level, to(a), to(b))); } \
IW_FN iwv_##t iwv_left_sibling_##t(int level, iwv_##t a) { \
    return from(iwv_left_sibling_##f(level, to(a))); } \
IW_FN iwv_##t iwv_broadcast_last_##t(iwv_##t a) { return from(iwv_broadcast_last_##f(to(a))); }
IWV_MOVES_AS(i32, f32, IWV_F, IWV_I) IWV_MOVES_AS(u32, f32, IWV_F, IWV_I)
IWV_MOVES_AS(i64, f64, IWV_D, IWV_L) IWV_MOVES_AS(u64, f64, IWV_D, IWV_L)

#if defined(__AVX2__)
#define IWV_MASKED(t, pointer, suffix) \
IW_FN iwv_##t iwv_load_masked_##t(const iws_##t *p, iwv_mask some) { \
    return IWV_256(maskload_##suffix)((const pointer *)p, some); } \
IW_FN void iwv_store_masked_##t(iws_##t *p, iwv_mask some, iwv_##t a) { \
IWV_256(maskstore_##suffix)((pointer *)p, some, a); }
IWV_MASKED(f32, float, ps) IWV_MASKED(i32, int32_t, epi32) IWV_MASKED(u32, int32_t, epi32)
IWV_MASKED(f64, double, pd) IWV_MASKED(i64, long long, epi64) IWV_MASKED(u64, long long, epi64)
#else
IWV_BY_LANE_MASKED(f32, iwv_mask, iwv_movemask) IWV_BY_LANE_MASKED(i32, iwv_mask, iwv_movemask)
IWV_BY_LANE_MASKED(u32, iwv_mask, iwv_movemask)
IWV_BY_LANE_MASKED(f64, iwv_mask, iwv_movemask_64) IWV_BY_LANE_MASKED(i64, iwv_mask, iwv_movemask_64)
IWV_BY_LANE_MASKED(u64, iwv_mask, iwv_movemask_64)
#endif

#if defined(__AVX2__)
/* For each set of eight lanes, the indices of its lanes in ascending order, a byte each. */
#define IWV_LANE_(set, l) ((uint64_t)((set) >> l & 1 ? l : 0) << 8 * __builtin_popcount((set) & ((1 << l) - 1)))
#define IWV_COMPRESS_1_(s) (IWV_LANE_(s, 0) | IWV_LANE_(s, 1) | IWV_LANE_(s, 2) | IWV_LANE_(s, 3) | IWV_LANE_(s, 4) | IWV_LANE_(s, 5) \
  | IWV_LANE_(s, 6) | IWV_LANE_(s, 7))
#define IWV_COMPRESS_4_(s) IWV_COMPRESS_1_(s), IWV_COMPRESS_1_(s + 1), IWV_COMPRESS_1_(s + 2), IWV_COMPRESS_1_(s + 3)
#define IWV_COMPRESS_16_(s) IWV_COMPRESS_4_(s), IWV_COMPRESS_4_(s + 4), IWV_COMPRESS_4_(s + 8), IWV_COMPRESS_4_(s + 12)
#define IWV_COMPRESS_64_(s) IWV_COMPRESS_16_(s), IWV_COMPRESS_16_(s + 16), IWV_COMPRESS_16_(s + 32), IWV_COMPRESS_16_(s + 48)
__attribute__((unused)) static const uint64_t iwv_compress_table_[256] = {
  IWV_COMPRESS_64_(0), IWV_COMPRESS_64_(64), IWV_COMPRESS_64_(128), IWV_COMPRESS_64_(192) };
IW_FN iwv_m256i iwv_compress_indices(unsigned bits) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(iwv_compress_table_ + bits))); }
/* A set of four 64-bit lanes as a set of their 32-bit halves. */
__attribute__((unused)) static const uint8_t iwv_halves_[16] =
    { 0, 3, 12, 15, 48, 51, 60, 63, 192, 195, 204, 207, 240, 243, 252, 255 };
IW_FN iwv_u32 iwv_compress_u32(unsigned bits, iwv_u32 a) {
    return IWV_256(permutevar8x32_epi32)(a, iwv_compress_indices(bits)); }
IW_FN iwv_u64 iwv_compress_u64(unsigned bits, iwv_u64 a) {
    return IWV_256(permutevar8x32_epi32)(a, iwv_compress_indices(iwv_halves_[bits])); }
#else
IWV_BY_LANE_COMPRESS(u32) IWV_BY_LANE_COMPRESS(u64)
#endif

IW_FN iwv_u32 iwv_widen_u8(const uint8_t *p) { return IWV_256(cvtepu8_epi32)(IWV_128(loadl_epi64)((const iwv_m128i *)p)); }
IW_FN iwv_u32 iwv_widen_u16(const uint16_t *p) { return IWV_256(cvtepu16_epi32)(IWV_128(loadu_si128)((const iwv_m128i *)p)); }
/* The low bits of each lane. */
IW_FN iwv_m256i iwv_pack_16_(iwv_u32 a)
{ return IWV_256(permute4x64_epi64)(IWV_256(packus_epi32)(IWV_256(and_si256)(a,
    IWV_256(set1_epi32)(0xffff)), a), 0xd8); }
IW_FN void iwv_narrow_u16(uint16_t *p, iwv_u32 a) {
IWV_128(storeu_si128)((iwv_m128i *)p, IWV_256(castsi256_si128)(iwv_pack_16_(a))); }
IW_FN void iwv_narrow_u8(uint8_t *p, iwv_u32 a)
{ const iwv_m128i b = IWV_256(castsi256_si128)(iwv_pack_16_(IWV_256(and_si256)(a,
    IWV_256(set1_epi32)(0xff))));
  IWV_128(storel_epi64)((iwv_m128i *)p, IWV_128(packus_epi16)(b, b)); }
/* The set of the 32 bytes that are not 0. */
IW_FN uint32_t iwv_nonzero_32(const uint8_t *p)
{ const iwv_m256i a = IWV_256(loadu_si256)((const iwv_m256i *)p);
  return ~(uint32_t)IWV_256(movemask_epi8)(IWV_256(cmpeq_epi8)(a, IWV_256(setzero_si256)())); }

#define IWV_HAS_FLOOR_INDEX
IW_FN iwv_u32 iwv_floor_index_f32(iwv_f32 a, iwv_f32 *past)
{ const iwv_m256 nearest = IWV_256(round_ps)(a, IWV_ROUND_TO_NEAREST);
  *past = IWV_256(sub_ps)(a, nearest);
  return IWV_256(add_epi32)(IWV_256(cvttps_epi32)(nearest), IWV_256(srai_epi32)(IWV_I(*past), 31)); }
IW_FN iwv_u32 iwv_floor_index_f64(iwv_f64 a, iwv_f64 b)
{ return IWV_256(set_m128i)(IWV_256(cvttpd_epi32)(IWV_256(floor_pd)(b)),
                            IWV_256(cvttpd_epi32)(IWV_256(floor_pd)(a))); }

/* For bit-sliced counters and nibble lookup (private_histogram.h). iwv_full_add: a full adder per bit;
 * *sum + a + b becomes the new *sum and the carry. iwv_low_nibbles_if: the low nibbles of the bytes whose
 * high nibble is `upper`; the others index to 0. */
#define IWV_BIT_SLICES
IW_FN iwv_u32 iwv_full_add(iwv_u32 *sum, iwv_u32 a, iwv_u32 b)
{ const iwv_u32 old = *sum, other = IWV_256(xor_si256)(a, b);
  *sum = IWV_256(xor_si256)(old, other);
  return IWV_256(or_si256)(IWV_256(and_si256)(a, b), IWV_256(and_si256)(old, other)); }
IW_FN unsigned iwv_popcount_bit_of_lanes(iwv_u32 a, unsigned bit)
{ return (unsigned)__builtin_popcount((unsigned)IWV_256(movemask_ps)(IWV_F(IWV_256(sll_epi32)(a,
    IWV_128(cvtsi32_si128)((int)(31 - bit)))))); }
IW_FN unsigned iwv_popcount_bit_of_bytes(iwv_u32 a, unsigned bit)
{ return (unsigned)__builtin_popcount((unsigned)IWV_256(movemask_epi8)(IWV_256(sll_epi32)(a,
    IWV_128(cvtsi32_si128)((int)(7 - bit))))); }
IW_FN iwv_u32 iwv_load_nibble_table(const uint8_t *p)
{ const iwv_m128i a = IWV_128(loadu_si128)((const iwv_m128i *)(const void *)p);
return IWV_256(set_m128i)(a, a); }
IW_FN iwv_u32 iwv_high_nibbles(iwv_u32 a) { return IWV_256(and_si256)(IWV_256(srli_epi16)(a, 4),
    IWV_256(set1_epi8)(15)); }
IW_FN iwv_u32 iwv_nibble_lookup(iwv_u32 table, iwv_u32 at) { return IWV_256(shuffle_epi8)(table, at); }
IW_FN iwv_u32 iwv_low_nibbles_if(iwv_u32 a, iwv_u32 upper)
{ return IWV_256(adds_epu8)(IWV_256(xor_si256)(a, upper), IWV_256(set1_epi8)(0x70)); }

/* The instruction is exact in range; the code around it handles the other values. */
#define IWV_HAS_CONVERT
IW_FN iwv_f32 iwv_convert_i32_f32(iwv_i32 a) { return IWV_256(cvtepi32_ps)(a); }
IW_FN iwv_i32 iwv_convert_f32_i32(iwv_f32 a)
{ const iwv_m256 limit = IWV_256(set1_ps)(2147483648.0f);
  const iwv_m256 fits = IWV_256(and_ps)(IWV_256(cmp_ps)(a, limit, IWV_CMP(LT_OQ)),
                                              IWV_256(cmp_ps)(a, iwv_neg_f32(limit), IWV_CMP(GE_OQ)));
  const iwv_m256 most = IWV_256(cmp_ps)(a, limit, IWV_CMP(GE_OQ)), least =
  IWV_256(cmp_ps)(a, iwv_neg_f32(limit), IWV_CMP(LT_OQ));
  const iwv_m256i b = IWV_256(cvttps_epi32)(IWV_256(and_ps)(a, fits));
  return IWV_256(or_si256)(b, IWV_256(or_si256)(IWV_256(srli_epi32)(IWV_I(most), 1),
                                                IWV_256(slli_epi32)(IWV_I(least), 31))); }
IW_FN iwv_u32 iwv_convert_f32_u32(iwv_f32 a)
{ const iwv_m256 half = IWV_256(set1_ps)(2147483648.0f);
  const iwv_m256 large = IWV_256(cmp_ps)(a, half, IWV_CMP(GE_OQ)), positive =
  IWV_256(cmp_ps)(a, IWV_256(setzero_ps)(), IWV_CMP(GE_OQ));
  const iwv_m256 most = IWV_256(cmp_ps)(a, IWV_256(set1_ps)(4294967296.0f), IWV_CMP(GE_OQ));
  const iwv_m256 some = IWV_256(andnot_ps)(most, positive);
  const iwv_m256 small = IWV_256(and_ps)(IWV_256(sub_ps)(a, IWV_256(and_ps)(large, half)), some);
  return IWV_256(or_si256)(IWV_I(most), IWV_256(xor_si256)(IWV_256(cvttps_epi32)(small),
                                                           IWV_256(slli_epi32)(IWV_I(large), 31))); }
/* 2^31 and more give 2^31. Negative numbers give 0, and so does a NaN, for which x86's max returns its
 * second operand. SIMDe on NEON gives other integers out of range. */
#if !defined(__aarch64__)
#define IWV_HAS_TRUNCATE
IW_FN iwv_u32 iwv_truncate_f32(iwv_f32 a) { return IWV_256(cvttps_epi32)(IWV_256(max_ps)(a,
    IWV_256(setzero_ps)())); }
IW_FN iwv_u32 iwv_truncate_pair_f64(iwv_f64 a, iwv_f64 b)
{ return IWV_256(set_m128i)(IWV_256(cvttpd_epi32)(IWV_256(max_pd)(b, IWV_256(setzero_pd)())),
                               IWV_256(cvttpd_epi32)(IWV_256(max_pd)(a, IWV_256(setzero_pd)()))); }
/* The minimum of `least` and the distance of a from the nearest integer; `least` if that is a NaN. */
#define IWV_HAS_MIN_DISTANCE
#define IWV_NEARER_(t, f) IW_FN iwv_##t iwv_min_distance_##t(iwv_##t least, iwv_##t a) \
{ const iwv_##t nearest = IWV_256(round_##f)(a, IWV_ROUND_TO_NEAREST); \
  return IWV_256(min_##f)(iwv_abs_##t(IWV_256(sub_##f)(a, nearest)), least); }
IWV_NEARER_(f32, ps) IWV_NEARER_(f64, pd)
IW_FN iwv_u32 iwv_nearest_index_f32(iwv_f32 a) { return IWV_256(cvtps_epi32)(a); }
IW_FN iwv_u32 iwv_nearest_index_f64(iwv_f64 a, iwv_f64 b)
{ return IWV_256(set_m128i)(IWV_256(cvtpd_epi32)(b), IWV_256(cvtpd_epi32)(a)); }
#endif
IW_FN iwv_f64 iwv_convert_half_i32_f64(iwv_i32 a, int high)
{ return IWV_256(cvtepi32_pd)(high ? IWV_256(extracti128_si256)(a, 1) : IWV_256(castsi256_si128)(a)); }
IW_FN iwv_f64 iwv_convert_half_u32_f64(iwv_u32 a, int high)
{ return IWV_256(add_pd)(iwv_convert_half_i32_f64(IWV_256(xor_si256)(a, IWV_256(set1_epi32)(INT32_MIN)),
                                                  high),
                            IWV_256(set1_pd)(2147483648.0)); }
IW_FN iwv_i64 iwv_convert_half_i32_i64(iwv_i32 a, int high)
{ return IWV_256(cvtepi32_epi64)(high ? IWV_256(extracti128_si256)(a, 1) : IWV_256(castsi256_si128)(a)); }
IW_FN iwv_u64 iwv_convert_half_u32_u64(iwv_u32 a, int high)
{ return IWV_256(cvtepu32_epi64)(high ? IWV_256(extracti128_si256)(a, 1) : IWV_256(castsi256_si128)(a)); }
IW_FN iwv_f64 iwv_convert_half_f32_f64(iwv_f32 a, int high)
{ return IWV_256(cvtps_pd)(high ? IWV_256(extractf128_ps)(a, 1) : IWV_256(castps256_ps128)(a)); }
IW_FN iwv_m128i iwv_narrow_f64_u32(iwv_f64 a)
{ const iwv_m256d most = IWV_256(set1_pd)(4294967295.0), zero = IWV_256(setzero_pd)();
  iwv_m256d b = IWV_256(blendv_pd)(zero, a, IWV_256(cmp_pd)(a, zero, IWV_CMP(GE_OQ)));
  b = IWV_256(floor_pd)(IWV_256(blendv_pd)(b, most, IWV_256(cmp_pd)(b, most, IWV_CMP(GE_OQ))));
  return IWV_128(xor_si128)(IWV_256(cvttpd_epi32)(IWV_256(sub_pd)(b, IWV_256(set1_pd)(2147483648.0))),
                            IWV_128(set1_epi32)(INT32_MIN)); }
IW_FN iwv_f32 iwv_convert_pair_f64_f32(iwv_f64 a, iwv_f64 b)
{ return IWV_256(set_m128)(IWV_256(cvtpd_ps)(b), IWV_256(cvtpd_ps)(a)); }
IW_FN iwv_u32 iwv_convert_pair_f64_u32(iwv_f64 a, iwv_f64 b)
{ return IWV_256(set_m128i)(iwv_narrow_f64_u32(b), iwv_narrow_f64_u32(a)); }

#endif
