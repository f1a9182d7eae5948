/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of 512 bits, by the intrinsics of AVX-512. The lowest layer of the CPU's language: one register
 * at a time, knows nothing of warps. registers_generic.h says what the functions mean.
 */
#ifndef ISOWARP_LANGUAGE_REGISTERS_H
#define ISOWARP_LANGUAGE_REGISTERS_H

#if !(defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__))
#error "registers of 512 bits need AVX-512 F, BW, DQ and VL"
#endif
#include <immintrin.h>

#define IW_LANES_ISA "avx512"
#define IWV_HAS_MASKED_LOADS
enum { IW_VL_f32 = 16, IW_VL_i32 = 16, IW_VL_u32 = 16, IW_VL_f64 = 8, IW_VL_i64 = 8, IW_VL_u64 = 8 };
typedef __m512 iwv_f32; typedef __m512d iwv_f64;
typedef __m512i iwv_i32, iwv_u32, iwv_i64, iwv_u64;

#define IWV1(op, t, expr) IW_FN iwv_##t iwv_##op##_##t(iwv_##t a) { return expr; }
#define IWV2(op, t, expr) IW_FN iwv_##t iwv_##op##_##t(iwv_##t a, iwv_##t b) { return expr; }
#define T f32
#define IWV_SUFFIX ps
#define IWV_INTEGER epi32
#define IWV_SET __mmask16
#include <isowarp/language/cpu/registers_512_of_float.h>
#undef T
#undef IWV_SUFFIX
#undef IWV_INTEGER
#undef IWV_SET
#define T f64
#define IWV_SUFFIX pd
#define IWV_INTEGER epi64
#define IWV_SET __mmask8
#include <isowarp/language/cpu/registers_512_of_float.h>
#undef T
#undef IWV_SUFFIX
#undef IWV_INTEGER
#undef IWV_SET
#define T i32
#define IWV_SUFFIX epi32
#define IWV_SIGN epi32
#define IWV_SIGNED int32_t
#define IWV_SET __mmask16
#include <isowarp/language/cpu/registers_512_of_integer.h>
#undef T
#undef IWV_SUFFIX
#undef IWV_SIGN
#undef IWV_SIGNED
#undef IWV_SET
#define T u32
#define IWV_SUFFIX epi32
#define IWV_SIGN epu32
#define IWV_SIGNED int32_t
#define IWV_SET __mmask16
#include <isowarp/language/cpu/registers_512_of_integer.h>
#undef T
#undef IWV_SUFFIX
#undef IWV_SIGN
#undef IWV_SIGNED
#undef IWV_SET
#define T i64
#define IWV_SUFFIX epi64
#define IWV_SIGN epi64
#define IWV_SIGNED int64_t
#define IWV_SET __mmask8
#include <isowarp/language/cpu/registers_512_of_integer.h>
#undef T
#undef IWV_SUFFIX
#undef IWV_SIGN
#undef IWV_SIGNED
#undef IWV_SET
#define T u64
#define IWV_SUFFIX epi64
#define IWV_SIGN epu64
#define IWV_SIGNED int64_t
#define IWV_SET __mmask8
#include <isowarp/language/cpu/registers_512_of_integer.h>
#undef T
#undef IWV_SUFFIX
#undef IWV_SIGN
#undef IWV_SIGNED
#undef IWV_SET

#include <isowarp/language/cpu/registers_by_lane.h>
#define IWV_DIVIDE(t) IWV_BY_LANE2(div, t) IWV_BY_LANE2(rem, t)
IW_INTS(IWV_DIVIDE)
/* The lanes whose index has bit `level` set from a, the others from b. */
#define IWV_BLEND_LEVEL(t) IW_FN iwv_##t iwv_blend_level_##t(int level, iwv_##t a, iwv_##t b) \
{ return iwv_select_##t(level == 0 ? 0xaaaa : level == 1 ? 0xcccc : level == 2 ? 0xf0f0 : 0xff00, a, b); }
IW_TYPES(IWV_BLEND_LEVEL)
IWV2(shr, i32, _mm512_srav_epi32(a, b)) IWV2(shr, u32, _mm512_srlv_epi32(a, b))
IWV2(shr, i64, _mm512_srav_epi64(a, b)) IWV2(shr, u64, _mm512_srlv_epi64(a, b))
IWV1(abs, i32, _mm512_abs_epi32(a)) IWV1(abs, i64, _mm512_abs_epi64(a))
IW_FN iwv_u32 iwv_compress_u32(unsigned bits, iwv_u32 a) {
    return _mm512_maskz_compress_epi32((__mmask16)bits, a); }
IW_FN iwv_u64 iwv_compress_u64(unsigned bits, iwv_u64 a) {
    return _mm512_maskz_compress_epi64((__mmask8)bits, a); }

/* See registers_generic.h. All callers pass a constant level. */
IW_FN iwv_f32 iwv_left_sibling_f32(int level, iwv_f32 a)
{ return level == 0 ? _mm512_permute_ps(a, 0xa0) : level == 1 ? _mm512_permute_ps(a, 0x55)
       : level == 2 ? _mm512_permutexvar_ps(_mm512_setr_epi32(3, 3, 3, 3, 3, 3, 3, 3, 11, 11, 11, 11, 11,
                                                              11, 11, 11), a)
       : _mm512_permutexvar_ps(_mm512_set1_epi32(7), a); }
IW_FN iwv_f32 iwv_broadcast_last_f32(iwv_f32 a) { return _mm512_permutexvar_ps(_mm512_set1_epi32(15), a); }
IW_FN iwv_f64 iwv_left_sibling_f64(int level, iwv_f64 a)
{ return level == 0 ? _mm512_permute_pd(a, 0) : level == 1 ? _mm512_permutex_pd(a, 0x55)
       : _mm512_permutexvar_pd(_mm512_set1_epi64(3), a); }
IW_FN iwv_f64 iwv_broadcast_last_f64(iwv_f64 a) { return _mm512_permutexvar_pd(_mm512_set1_epi64(7), a); }
IW_FN iwv_f32 iwv_shift_in_f32(iwv_f32 left, iwv_f32 a)
{ return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(a), _mm512_castps_si512(left), 15)); }
IW_FN iwv_f64 iwv_shift_in_f64(iwv_f64 left, iwv_f64 a)
{ return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(a), _mm512_castpd_si512(left), 7)); }
/* Every other lane, of a and then of b. */
IW_FN iwv_f32 iwv_evens_f32(int step, iwv_f32 a, iwv_f32 b)
{ (void)step; return _mm512_permutex2var_ps(a, _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22,
                                                                 24, 26, 28, 30), b); }
IW_FN iwv_f32 iwv_odds_f32(int step, iwv_f32 a, iwv_f32 b)
{ (void)step; return _mm512_permutex2var_ps(a, _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23,
                                                                 25, 27, 29, 31), b); }
IW_FN iwv_f64 iwv_evens_f64(int step, iwv_f64 a, iwv_f64 b)
{ (void)step; return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b); }
IW_FN iwv_f64 iwv_odds_f64(int step, iwv_f64 a, iwv_f64 b)
{ (void)step; return _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b); }
#define IWV_MOVES_AS(t, f, to, from) \
IW_FN iwv_##t iwv_evens_##t(int step, iwv_##t a, iwv_##t b) { \
    return from(iwv_evens_##f(step, to(a), to(b))); } \
IW_FN iwv_##t iwv_odds_##t(int step, iwv_##t a, iwv_##t b) { \
    return from(iwv_odds_##f(step, to(a), to(b))); } \
IW_FN iwv_##t iwv_shift_in_##t(iwv_##t left, iwv_##t a) { return from(iwv_shift_in_##f(to(left), to(a))); } \
IW_FN iwv_##t iwv_left_sibling_##t(int level, iwv_##t a) { \
    return from(iwv_left_sibling_##f(level, to(a))); } \
IW_FN iwv_##t iwv_broadcast_last_##t(iwv_##t a) { return from(iwv_broadcast_last_##f(to(a))); }
IWV_MOVES_AS(i32, f32, _mm512_castsi512_ps, _mm512_castps_si512)
IWV_MOVES_AS(u32, f32, _mm512_castsi512_ps, _mm512_castps_si512)
IWV_MOVES_AS(i64, f64, _mm512_castsi512_pd, _mm512_castpd_si512)
IWV_MOVES_AS(u64, f64, _mm512_castsi512_pd, _mm512_castpd_si512)

/* The bits at … of a word as a set of lanes. */
#define IWV_MASK_FROM_WORD(t) \
IW_FN unsigned iwv_mask_from_word_##t(uint64_t bits, int at) { return (unsigned)(bits >> at); } \
IW_FN iwv_##t iwv_blend_##t(unsigned set, iwv_##t a, iwv_##t b) { return iwv_select_##t(set, a, b); }
IW_TYPES(IWV_MASK_FROM_WORD)

IW_FN iwv_u32 iwv_widen_u8(const iws_u8 *p)
{ return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p)); }
IW_FN iwv_u32 iwv_widen_u16(const iws_u16 *p)
{ return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p)); }
IW_FN iwv_i32 iwv_widen_i8(const iws_i8 *p)
{ return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p)); }
IW_FN iwv_i32 iwv_widen_i16(const iws_i16 *p)
{ return _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p)); }
IW_FN iwv_f32 iwv_widen_f16(const iws_f16 *p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p)); }
IW_FN iwv_f32 iwv_widen_bf16(const iws_bf16 *p)
{ return _mm512_castsi512_ps(_mm512_slli_epi32(iwv_widen_u16(p), 16)); }
/* The same of the elements of a set of lanes, and 0 in the other lanes. */
#define IWV_HAS_MASKED_NARROW
IW_FN iwv_u32 iwv_widen_masked_u8(const iws_u8 *p, unsigned set)
{ return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8((__mmask16)set, p)); }
IW_FN iwv_u32 iwv_widen_masked_u16(const iws_u16 *p, unsigned set)
{ return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16((__mmask16)set, p)); }
IW_FN iwv_i32 iwv_widen_masked_i8(const iws_i8 *p, unsigned set)
{ return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8((__mmask16)set, p)); }
IW_FN iwv_i32 iwv_widen_masked_i16(const iws_i16 *p, unsigned set)
{ return _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16((__mmask16)set, p)); }
IW_FN iwv_f32 iwv_widen_masked_f16(const iws_f16 *p, unsigned set)
{ return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16((__mmask16)set, p)); }
IW_FN iwv_f32 iwv_widen_masked_bf16(const iws_bf16 *p, unsigned set)
{ return _mm512_castsi512_ps(_mm512_slli_epi32(iwv_widen_masked_u16(p, set), 16)); }
/* Integers: the low bits of each lane. Floats: rounded; a NaN has to be the canonical one. */
IW_FN void iwv_narrow_u8(iws_u8 *p, iwv_u32 a) { _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8(a)); }
IW_FN void iwv_narrow_u16(iws_u16 *p, iwv_u32 a) { _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16(a)); }
IW_FN void iwv_narrow_i8(iws_i8 *p, iwv_i32 a) { iwv_narrow_u8((iws_u8 *)p, a); }
IW_FN void iwv_narrow_i16(iws_i16 *p, iwv_i32 a) { iwv_narrow_u16((iws_u16 *)p, a); }
IW_FN void iwv_narrow_f16(iws_f16 *p, iwv_f32 a)
{ _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)); }
IW_FN void iwv_narrow_bf16(iws_bf16 *p, iwv_f32 a)
{
  const __m512i bits = _mm512_castps_si512(a), odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i up = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  iwv_narrow_u16(p, _mm512_srli_epi32(_mm512_mask_mov_epi32(up, _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), bits), 16));
}
/* The set of the 32 bytes that are not 0. */
IW_FN uint32_t iwv_nonzero_32(const uint8_t *p)
{ const __m256i a = _mm256_loadu_si256((const __m256i *)p); return _mm256_test_epi8_mask(a, a); }

#define IWV_HAS_FLOOR_INDEX
IW_FN iwv_u32 iwv_floor_index_f32(iwv_f32 a, iwv_f32 *past)
{ *past = _mm512_reduce_ps(a, 8); return _mm512_cvt_roundps_epi32(a,
    _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
IW_FN iwv_u32 iwv_floor_index_f64(iwv_f64 a, iwv_f64 b)
{ return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvt_roundpd_epi32(a,
    _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)),
                            _mm512_cvt_roundpd_epi32(b, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC), 1); }

/* The integers below a register of f32, or two of f64. s: the least distance of all from the nearest
 * integer; a NaN does not change it. */
#define IWV_HAS_FLOORS
#define IWV_DISTANCES_(t, f) \
IW_FN void iwv_distances_open_##t(iwv_##t *s) { s[0] = iwv_set1_##t(1); } \
IW_FN void iwv_distances_add_##t(iwv_##t *s, iwv_##t a) \
{ s[0] = _mm512_range_##f(s[0], _mm512_reduce_##f(a, 8), 10); } \
IW_FN iwv_##t iwv_distances_least_##t(const iwv_##t *s) { return s[0]; }
IWV_DISTANCES_(f32, ps) IWV_DISTANCES_(f64, pd)
IW_FN iwv_u32 iwv_floors_f32(iwv_f32 *s, iwv_f32 a, iwv_f32 same)
{ (void)same; iwv_distances_add_f32(s, a); return _mm512_cvt_roundps_epi32(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
IW_FN iwv_u32 iwv_floors_f64(iwv_f64 *s, iwv_f64 a, iwv_f64 b)
{ iwv_distances_add_f64(s, a); iwv_distances_add_f64(s, b); return iwv_floor_index_f64(a, b); }

IW_FN iwv_u32 iwv_nearest_index_f32(iwv_f32 a) { return _mm512_cvtps_epi32(a); }
IW_FN iwv_u32 iwv_nearest_index_f64(iwv_f64 a, iwv_f64 b)
{ return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtpd_epi32(a)), _mm512_cvtpd_epi32(b), 1); }
/* The lanes of a table of 32, in registers, at these places. Elements of memory at places below 2^31: of 4
 * bytes, or of 8 for a half of the places. */
#define IWV_HAS_LOOKUP
IW_FN iwv_u32 iwv_lookup_u32(const iwv_u32 *table, iwv_u32 at) { return _mm512_permutex2var_epi32(table[0], at, table[1]); }
#define IWV_HAS_ELEMENTS
IW_FN iwv_u32 iwv_elements_u32(const uint32_t *p, iwv_u32 at) { return _mm512_i32gather_epi32(at, p, 4); }
IW_FN iwv_u64 iwv_elements_half_u64(const uint64_t *p, iwv_u32 at, int high)
{ return _mm512_i32gather_epi64(high ? _mm512_extracti64x4_epi64(at, 1) : _mm512_castsi512_si256(at), p, 8); }
/* A lookup in 32 lanes by an index modulo 32. */
#define IWV_HAS_LOOKUP_32
IW_FN iwv_f32 iwv_lookup_32(iwv_f32 low, iwv_f32 high, iwv_u32 at) {
    return _mm512_permutex2var_ps(low, at, high); }

/* For bit-sliced counters and nibble lookup (private_histogram.h). iwv_full_add: a full adder per bit;
 * *sum + a + b becomes the new *sum and the carry. iwv_low_nibbles_if: the low nibbles of the bytes whose
 * high nibble is `upper`; the others index to 0. */
#define IWV_BIT_SLICES
IW_FN iwv_u32 iwv_full_add(iwv_u32 *sum, iwv_u32 a, iwv_u32 b)
{ *sum = _mm512_ternarylogic_epi32(*sum, a, b, 0x96); return _mm512_ternarylogic_epi32(a, b, *sum, 0xd4); }
IW_FN unsigned iwv_popcount_bit_of_lanes(iwv_u32 a, unsigned bit)
{ return (unsigned)__builtin_popcount(_mm512_test_epi32_mask(a, _mm512_set1_epi32((int)(1u << bit)))); }
IW_FN unsigned iwv_popcount_bit_of_bytes(iwv_u32 a, unsigned bit)
{ return (unsigned)__builtin_popcountll(_mm512_test_epi8_mask(a, _mm512_set1_epi8((char)(1u << bit)))); }
IW_FN iwv_u32 iwv_load_nibble_table(const uint8_t *p) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)p)); }
IW_FN iwv_u32 iwv_high_nibbles(iwv_u32 a) { return _mm512_and_si512(_mm512_srli_epi16(a, 4),
                                                                    _mm512_set1_epi8(15)); }
IW_FN iwv_u32 iwv_nibble_lookup(iwv_u32 table, iwv_u32 at) { return _mm512_shuffle_epi8(table, at); }
/* With 512 bits, bit-sliced counters of all byte values are faster than tables. iwv_full_adder_masked:
 * *sum + (a and m) + (b and n) per bit. iwv_pack_u8: the lanes of four registers as bytes, in any order;
 * 255 for 256 … 32767. */
#define IWV_NIBBLE_LOOKUP
IW_FN iwv_u32 iwv_full_adder_masked(iwv_u32 *sum, iwv_u32 a, iwv_u32 m, iwv_u32 b, iwv_u32 n)
{ const iwv_u32 old = *sum, first = _mm512_ternarylogic_epi32(old, a, m, 0x78);
  *sum = _mm512_ternarylogic_epi32(first, b, n, 0x78);
  return _mm512_ternarylogic_epi32(old, first, *sum, 0x74); }
IW_FN iwv_u32 iwv_pack_u8(iwv_u32 a, iwv_u32 b, iwv_u32 c, iwv_u32 d)
{ return _mm512_packus_epi16(_mm512_packus_epi32(a, b), _mm512_packus_epi32(c, d)); }
IW_FN iwv_u32 iwv_low_nibbles_if(iwv_u32 a, iwv_u32 upper)
{ return _mm512_adds_epu8(_mm512_xor_si512(a, upper), _mm512_set1_epi8(0x70)); }
/* VBMI and VBMI2 are not part of every AVX-512: functions that use them have IWV_LOOKUP64, and are called
 * only if iwv_has_lookup64(). A byte's quarter is its upper two bits; a table has 64 bytes, for the lower
 * six. iwv_lookup64_in_quarter gives 0 for bytes of another quarter; iwv_compact_quarter packs the bytes
 * of a quarter and returns their number. */
#define IWV_LOOKUP64 __attribute__((target("avx512vbmi,avx512vbmi2")))
#ifndef IW_USE_VBMI
#define IW_USE_VBMI 1
#endif
IW_FN int iwv_has_lookup64(void)
{ return IW_USE_VBMI && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2"); }
IWV_LOOKUP64 IW_FN iwv_u32 iwv_lookup64(iwv_u32 table, iwv_u32 at) {
    return _mm512_permutexvar_epi8(at, table); }
IWV_LOOKUP64 IW_FN __mmask64 iwv_mask_of_quarter(iwv_u32 a, unsigned quarter)
{ return _mm512_cmpeq_epi8_mask(_mm512_and_si512(a, _mm512_set1_epi8((char)0xc0)),
                                _mm512_set1_epi8((char)(quarter << 6))); }
IWV_LOOKUP64 IW_FN iwv_u32 iwv_lookup64_in_quarter(iwv_u32 table, iwv_u32 at, unsigned quarter)
{ return _mm512_maskz_permutexvar_epi8(iwv_mask_of_quarter(at, quarter), at, table); }
IWV_LOOKUP64 IW_FN unsigned iwv_compact_quarter(uint8_t *p, iwv_u32 a, unsigned quarter)
{ const __mmask64 some = iwv_mask_of_quarter(a, quarter);
  _mm512_storeu_si512(p, _mm512_maskz_compress_epi8(some, a));
  return (unsigned)__builtin_popcountll(some); }

/* Out of range, the instructions give all ones (unsigned) or the least integer (signed). */
#define IWV_HAS_CONVERT
IW_FN iwv_u32 iwv_convert_f32_u32(iwv_f32 a)
{ return _mm512_maskz_cvttps_epu32(_mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_GE_OQ), a); }
IW_FN iwv_i32 iwv_convert_f32_i32(iwv_f32 a)
{ const __m512i b = _mm512_maskz_cvttps_epi32(_mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a);
  return _mm512_mask_mov_epi32(b, _mm512_cmp_ps_mask(a, _mm512_set1_ps(2147483648.0f), _CMP_GE_OQ),
                               _mm512_set1_epi32(INT32_MAX)); }
IW_FN iwv_f32 iwv_convert_i32_f32(iwv_i32 a) { return _mm512_cvtepi32_ps(a); }
IW_FN iwv_f64 iwv_convert_half_i32_f64(iwv_i32 a, int high)
{ return _mm512_cvtepi32_pd(high ? _mm512_extracti64x4_epi64(a, 1) : _mm512_castsi512_si256(a)); }
IW_FN iwv_f64 iwv_convert_half_u32_f64(iwv_u32 a, int high)
{ return _mm512_cvtepu32_pd(high ? _mm512_extracti64x4_epi64(a, 1) : _mm512_castsi512_si256(a)); }
IW_FN iwv_i64 iwv_convert_half_i32_i64(iwv_i32 a, int high)
{ return _mm512_cvtepi32_epi64(high ? _mm512_extracti64x4_epi64(a, 1) : _mm512_castsi512_si256(a)); }
IW_FN iwv_u64 iwv_convert_half_u32_u64(iwv_u32 a, int high)
{ return _mm512_cvtepu32_epi64(high ? _mm512_extracti64x4_epi64(a, 1) : _mm512_castsi512_si256(a)); }
IW_FN iwv_f64 iwv_convert_half_f32_f64(iwv_f32 a, int high)
{ return _mm512_cvtps_pd(high ? _mm512_extractf32x8_ps(a, 1) : _mm512_castps512_ps256(a)); }
IW_FN iwv_f32 iwv_convert_pair_f64_f32(iwv_f64 a, iwv_f64 b)
{ return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)), _mm512_cvtpd_ps(b), 1); }
IW_FN iwv_u32 iwv_convert_pair_f64_u32(iwv_f64 a, iwv_f64 b)
{ const __m256i low = _mm512_maskz_cvttpd_epu32(_mm512_cmp_pd_mask(a, _mm512_setzero_pd(), _CMP_GE_OQ), a);
  const __m256i high = _mm512_maskz_cvttpd_epu32(_mm512_cmp_pd_mask(b, _mm512_setzero_pd(), _CMP_GE_OQ), b);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1); }
IW_FN iwv_u32 iwv_convert_pair_u64_u32(iwv_u64 a, iwv_u64 b)
{ return _mm512_permutex2var_epi32(a, _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0), b); }

#endif
