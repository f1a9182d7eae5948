/* SPDX-License-Identifier: Apache-2.0
 *
 * iwv_transpose_i32 and iwv_transpose_i64: lane l of register i becomes lane i of register l, of as many
 * registers as one has lanes. iwv_swap_lanes_i32 and _i64: lane l becomes lane l ^ x, which is less than the
 * number of lanes. Not part of cpu.h: one template of the library includes it behind kernel.h. Knows nothing
 * of warps.
 */
#ifndef ISOWARP_LANGUAGE_TRANSPOSES_H
#define ISOWARP_LANGUAGE_TRANSPOSES_H

#if defined(IWV_256)
#define IWV_WIDE(name) IWV_256(name)
#define IWV_HALF(a, b, odd) IWV_256(permute2x128_si256)(a, b, (odd) ? 0x31 : 0x20)
#define IWV_SWAP(a, x) IWV_256(permutevar8x32_epi32)(a, IWV_256(xor_si256)( \
  IWV_256(setr_epi32)(0, 1, 2, 3, 4, 5, 6, 7), IWV_256(set1_epi32)(x)))
#elif defined(__AVX512F__) && !defined(IW_LANES_GENERIC)
#define IWV_WIDE(name) _mm512_##name
#define IWV_HALF(a, b, odd) _mm512_shuffle_i64x2(a, b, (odd) ? 0xdd : 0x88)
#define IWV_SWAP(a, x) _mm512_permutexvar_epi32(_mm512_xor_si512( \
  _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), _mm512_set1_epi32(x)), a)
#endif

#ifdef IWV_WIDE
/* Puts one half of the parts of two registers into a, and the other half into b. */
#define IWV_PAIR(name, t, first, second) IW_FN void iwv_##name##_##t(iwv_##t *a, iwv_##t *b) \
{ const iwv_##t x = *a, y = *b; *a = first; *b = second; }
IWV_PAIR(zip_32, i32, IWV_WIDE(unpacklo_epi32)(x, y), IWV_WIDE(unpackhi_epi32)(x, y))
IWV_PAIR(zip_64, i32, IWV_WIDE(unpacklo_epi64)(x, y), IWV_WIDE(unpackhi_epi64)(x, y))
IWV_PAIR(zip_64, i64, IWV_WIDE(unpacklo_epi64)(x, y), IWV_WIDE(unpackhi_epi64)(x, y))
IWV_PAIR(halve, i32, IWV_HALF(x, y, 0), IWV_HALF(x, y, 1))
IWV_PAIR(halve, i64, IWV_HALF(x, y, 0), IWV_HALF(x, y, 1))

/* Within the 128 bits of each part first, then the parts. */
#define IWV_PARTS(t, begin) IW_UNROLL for (int d = begin; d < IW_VL_##t; d *= 2) \
  IW_UNROLL for (int i = 0; i < IW_VL_##t / 2; i++) \
  { const int at = i / d * 2 * d + i % d; iwv_halve_##t(r + at, r + at + d); }
IW_FN void iwv_transpose_i64(iwv_i64 *r)
{
  IW_UNROLL for (int i = 0; i < IW_VL_i64; i += 2) iwv_zip_64_i64(r + i, r + i + 1);
  IWV_PARTS(i64, 2)
}
IW_FN void iwv_transpose_i32(iwv_i32 *r)
{
  IW_UNROLL for (int i = 0; i < IW_VL_i32; i += 4) {
    iwv_zip_32_i32(r + i, r + i + 1);
    iwv_zip_32_i32(r + i + 2, r + i + 3);
    iwv_zip_64_i32(r + i, r + i + 2);
    iwv_zip_64_i32(r + i + 1, r + i + 3);
    const iwv_i32 second = r[i + 2];
    r[i + 2] = r[i + 1];
    r[i + 1] = second;
  }
  IWV_PARTS(i32, 4)
}
IW_FN iwv_i32 iwv_swap_lanes_i32(iwv_i32 a, int x) { return IWV_SWAP(a, x); }
IW_FN iwv_i64 iwv_swap_lanes_i64(iwv_i64 a, int x) { return IWV_SWAP(a, 2 * x); }
#else
#define IWV_TRANSPOSE(t) IW_FN void iwv_transpose_##t(iwv_##t *r) \
{ for (int i = 0; i < IW_VL_##t; i++) for (int l = 0; l < i; l++) \
    { const iws_##t x = r[i].e[l]; r[i].e[l] = r[l].e[i]; r[l].e[i] = x; } } \
IW_FN iwv_##t iwv_swap_lanes_##t(iwv_##t a, int x) \
{ iwv_##t r; for (int l = 0; l < IW_VL_##t; l++) r.e[l] = a.e[l ^ x]; return r; }
IWV_TRANSPOSE(i32) IWV_TRANSPOSE(i64)
#endif

#endif
