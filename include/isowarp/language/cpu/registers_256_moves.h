/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of 256 bits: moving lanes within registers, masked memory access, compression, bytes and 16-bit
 * words. Part of registers_256.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_REGISTERS_256_MOVES_H
#define ISOWARP_LANGUAGE_CPU_REGISTERS_256_MOVES_H

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
#define IWV_HAS_MASKED_LOADS /* loading some lanes of a register takes one instruction */
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
__attribute__((unused)) static const uint64_t iwv_compress_table_[256] = {
#include <isowarp/language/cpu/compress_table.h>
};
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

IW_FN iwv_u32 iwv_widen_u8(const iws_u8 *p)
{ return IWV_256(cvtepu8_epi32)(IWV_128(loadl_epi64)((const iwv_m128i *)p)); }
IW_FN iwv_u32 iwv_widen_u16(const iws_u16 *p)
{ return IWV_256(cvtepu16_epi32)(IWV_128(loadu_si128)((const iwv_m128i *)p)); }
IW_FN iwv_i32 iwv_widen_i8(const iws_i8 *p)
{ return IWV_256(cvtepi8_epi32)(IWV_128(loadl_epi64)((const iwv_m128i *)p)); }
IW_FN iwv_i32 iwv_widen_i16(const iws_i16 *p)
{ return IWV_256(cvtepi16_epi32)(IWV_128(loadu_si128)((const iwv_m128i *)p)); }
IW_FN iwv_f32 iwv_widen_bf16(const iws_bf16 *p)
{ return IWV_F(IWV_256(slli_epi32)(iwv_widen_u16(p), 16)); }
/* Integers: the low bits of each lane. Floats: rounded; a NaN has to be the canonical one. */
IW_FN iwv_m256i iwv_pack_16_(iwv_u32 a)
{ return IWV_256(permute4x64_epi64)(IWV_256(packus_epi32)(IWV_256(and_si256)(a,
    IWV_256(set1_epi32)(0xffff)), a), 0xd8); }
IW_FN void iwv_narrow_u16(iws_u16 *p, iwv_u32 a) {
IWV_128(storeu_si128)((iwv_m128i *)p, IWV_256(castsi256_si128)(iwv_pack_16_(a))); }
IW_FN void iwv_narrow_u8(iws_u8 *p, iwv_u32 a)
{ const iwv_m128i b = IWV_256(castsi256_si128)(iwv_pack_16_(IWV_256(and_si256)(a,
    IWV_256(set1_epi32)(0xff))));
  IWV_128(storel_epi64)((iwv_m128i *)p, IWV_128(packus_epi16)(b, b)); }
IW_FN void iwv_narrow_i8(iws_i8 *p, iwv_i32 a) { iwv_narrow_u8((iws_u8 *)p, a); }
IW_FN void iwv_narrow_i16(iws_i16 *p, iwv_i32 a) { iwv_narrow_u16((iws_u16 *)p, a); }
IW_FN void iwv_narrow_bf16(iws_bf16 *p, iwv_f32 a)
{
  const iwv_m256i bits = IWV_I(a), odd = IWV_256(and_si256)(IWV_256(srli_epi32)(bits, 16), IWV_256(set1_epi32)(1));
  const iwv_m256i up = IWV_256(add_epi32)(bits, IWV_256(add_epi32)(odd, IWV_256(set1_epi32)(0x7fff)));
  const iwv_m256i is_nan = IWV_I(IWV_256(cmp_ps)(a, a, IWV_CMP(UNORD_Q)));
  iwv_narrow_u16(p, IWV_256(srli_epi32)(IWV_256(blendv_epi8)(up, bits, is_nan), 16));
}
#ifdef __F16C__
IW_FN iwv_f32 iwv_widen_f16(const iws_f16 *p) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)); }
IW_FN void iwv_narrow_f16(iws_f16 *p, iwv_f32 a)
{ _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT)); }
#else /* as iws_widen_f16 and iws_narrow_f16; SIMDe has functions, but they take one element at a time */
IW_FN iwv_f32 iwv_widen_f16(const iws_f16 *p)
{
  const iwv_m256i x = iwv_widen_u16(p), magnitude = IWV_256(and_si256)(x, IWV_256(set1_epi32)(0x7fff));
  const iwv_m256i sign = IWV_256(slli_epi32)(IWV_256(xor_si256)(x, magnitude), 16);
  const iwv_m256i is_large = IWV_256(cmpgt_epi32)(magnitude, IWV_256(set1_epi32)(0x7bff));
  const iwv_m256i bias = IWV_256(blendv_epi8)(IWV_256(set1_epi32)(112 << 23), IWV_256(set1_epi32)(224 << 23), is_large);
  const iwv_m256i normal = IWV_256(add_epi32)(IWV_256(slli_epi32)(magnitude, 13), bias);
  const iwv_m256i subnormal = IWV_I(IWV_256(mul_ps)(IWV_256(cvtepi32_ps)(magnitude), IWV_256(set1_ps)(0x1p-24f)));
  const iwv_m256i is_normal = IWV_256(cmpgt_epi32)(magnitude, IWV_256(set1_epi32)(0x3ff));
  return IWV_F(IWV_256(or_si256)(sign, IWV_256(blendv_epi8)(subnormal, normal, is_normal)));
}
IW_FN void iwv_narrow_f16(iws_f16 *p, iwv_f32 a)
{
  const iwv_m256i bits = IWV_I(a), magnitude = IWV_256(and_si256)(bits, IWV_256(set1_epi32)(0x7fffffff));
  const iwv_m256i sign = IWV_256(srli_epi32)(IWV_256(xor_si256)(bits, magnitude), 16);
  const iwv_m256i odd = IWV_256(and_si256)(IWV_256(srli_epi32)(magnitude, 13), IWV_256(set1_epi32)(1));
  const iwv_m256i normal = IWV_256(srli_epi32)(IWV_256(add_epi32)(IWV_256(add_epi32)(magnitude, odd),
                                                                  IWV_256(set1_epi32)(0xfff - (112 << 23))), 13);
  const iwv_m256i subnormal = IWV_256(sub_epi32)(IWV_I(IWV_256(add_ps)(IWV_F(magnitude), IWV_256(set1_ps)(0.5f))),
                                                 IWV_256(set1_epi32)(0x3f000000));
  iwv_m256i x = IWV_256(blendv_epi8)(normal, subnormal, IWV_256(cmpgt_epi32)(IWV_256(set1_epi32)(0x38800000), magnitude));
  x = IWV_256(blendv_epi8)(x, IWV_256(set1_epi32)(0x7c00), IWV_256(cmpgt_epi32)(magnitude, IWV_256(set1_epi32)(0x477fefff)));
  x = IWV_256(blendv_epi8)(x, IWV_256(set1_epi32)(0x7e00), IWV_256(cmpgt_epi32)(magnitude, IWV_256(set1_epi32)(0x7f800000)));
  iwv_narrow_u16(p, IWV_256(or_si256)(sign, x));
}
#endif
/* The set of the 32 bytes that are not 0. */
IW_FN uint32_t iwv_nonzero_32(const uint8_t *p)
{ const iwv_m256i a = IWV_256(loadu_si256)((const iwv_m256i *)p);
  return ~(uint32_t)IWV_256(movemask_epi8)(IWV_256(cmpeq_epi8)(a, IWV_256(setzero_si256)())); }

/* As in registers_512.h. A place's bits 3 and 4 choose the register of the table. */
#if defined(__AVX2__)
#define IWV_HAS_LOOKUP
IW_FN iwv_u32 iwv_lookup_u32(const iwv_u32 *table, iwv_u32 at)
{
  const iwv_mask by_8 = IWV_256(slli_epi32)(at, 28), by_16 = IWV_256(slli_epi32)(at, 27);
  const iwv_u32 low = iwv_blend_u32(by_8, IWV_256(permutevar8x32_epi32)(table[1], at), IWV_256(permutevar8x32_epi32)(table[0], at));
  const iwv_u32 high = iwv_blend_u32(by_8, IWV_256(permutevar8x32_epi32)(table[3], at), IWV_256(permutevar8x32_epi32)(table[2], at));
  return iwv_blend_u32(by_16, high, low);
}
#define IWV_HAS_ELEMENTS
IW_FN iwv_u32 iwv_elements_u32(const uint32_t *p, iwv_u32 at) { return IWV_256(i32gather_epi32)((const int *)p, at, 4); }
IW_FN iwv_u64 iwv_elements_half_u64(const uint64_t *p, iwv_u32 at, int high)
{ return IWV_256(i32gather_epi64)((const long long *)p, high ? IWV_256(extracti128_si256)(at, 1) : IWV_256(castsi256_si128)(at), 8); }
#endif

#endif
