/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of 256 bits: floors, bit-sliced counters and lookups, conversions. Part of registers_256.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_REGISTERS_256_CONVERT_H
#define ISOWARP_LANGUAGE_CPU_REGISTERS_256_CONVERT_H

#define IWV_HAS_FLOOR_INDEX
IW_FN iwv_u32 iwv_floor_index_f32(iwv_f32 a, iwv_f32 *past)
{ *past = IWV_256(sub_ps)(a, IWV_256(round_ps)(a, IWV_ROUND_TO_NEAREST));
  return IWV_256(cvttps_epi32)(IWV_256(floor_ps)(a)); }
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
/* The integers below a register of f32, or two of f64. s: the least distance of all from the integer below,
 * and the greatest one; a NaN changes neither. */
#define IWV_HAS_FLOORS
#define IWV_DISTANCES_(t, f) \
IW_FN void iwv_distances_open_##t(iwv_##t *s) { s[0] = iwv_set1_##t(1); s[1] = iwv_set1_##t(0); } \
IW_FN iwv_##t iwv_floor_and_distance_##t(iwv_##t *s, iwv_##t a) \
{ const iwv_##t floor = IWV_256(floor_##f)(a), past = IWV_256(sub_##f)(a, floor); \
  s[0] = IWV_256(min_##f)(past, s[0]); \
  s[1] = IWV_256(max_##f)(past, s[1]); \
  return floor; } \
IW_FN iwv_##t iwv_distances_least_##t(const iwv_##t *s) \
{ return IWV_256(min_##f)(s[0], IWV_256(sub_##f)(iwv_set1_##t(1), s[1])); }
IWV_DISTANCES_(f32, ps) IWV_DISTANCES_(f64, pd)
IW_FN iwv_u32 iwv_floors_f32(iwv_f32 *s, iwv_f32 a, iwv_f32 same)
{ (void)same; return IWV_256(cvttps_epi32)(iwv_floor_and_distance_f32(s, a)); }
IW_FN iwv_u32 iwv_floors_f64(iwv_f64 *s, iwv_f64 a, iwv_f64 b)
{ const iwv_m128i low = IWV_256(cvttpd_epi32)(iwv_floor_and_distance_f64(s, a));
  return IWV_256(set_m128i)(IWV_256(cvttpd_epi32)(iwv_floor_and_distance_f64(s, b)), low); }
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
IW_FN iwv_u32 iwv_convert_pair_u64_u32(iwv_u64 a, iwv_u64 b)
{ return IWV_256(permute4x64_epi64)(IWV_I(IWV_256(shuffle_ps)(IWV_F(a), IWV_F(b), 0x88)), 0xd8); }

#endif
