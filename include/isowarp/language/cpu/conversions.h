/* SPDX-License-Identifier: Apache-2.0
 *
 * Conversions between lane types on the CPU: by value, to clamped indices, and of a float's bits. Part of
 * cpu.h, after lanes.h; knows nothing of memory or blocks.
 */
#ifndef ISOWARP_LANGUAGE_CPU_CONVERSIONS_H
#define ISOWARP_LANGUAGE_CPU_CONVERSIONS_H

/* One lane at a time. */
#define IW_CONVERT(from, to) IW_FN iw_##to iw_convert_##from##_##to(iw_##from a) { \
  iws_##from x[IW_PADDED(from) + IW_PADDED(to)]; iws_##to y[IW_PADDED(to)]; \
  iw_to_array_##from(x, a); \
  for (int l = 0; l < IW_PADDED(to); l++) y[l] = l < IW_PADDED(from) ? iws_convert_##from##_##to(x[l]) : 0; \
  return iw_from_array_##to(y); }
IW_CONVERT(f32, i64) IW_CONVERT(f32, u64)
IW_CONVERT(f64, i32) IW_CONVERT(f64, i64) IW_CONVERT(f64, u64)
IW_CONVERT(u32, f32)
IW_CONVERT(i64, f32) IW_CONVERT(i64, f64) IW_CONVERT(u64, f32) IW_CONVERT(u64, f64)
#define IW_CONVERT_IDENTITY(t) IW_FN iw_##t iw_convert_##t##_##t(iw_##t a) { return a; }
IW_TYPES(IW_CONVERT_IDENTITY)
/* The same bits in lanes of another type. Register by register: compilers copy whole lanes through memory. */
#define IW_SAME_BITS(name, from, to) IW_FN iw_##to name(iw_##from a) \
{ iw_##to b; IW_EACH(to, i) memcpy(&b.r[i], &a.r[i], sizeof b.r[i]); return b; }
#define IW_CONVERT_BITS(from, to) IW_SAME_BITS(iw_convert_##from##_##to, from, to)
IW_CONVERT_BITS(i32, u32) IW_CONVERT_BITS(u32, i32) IW_CONVERT_BITS(i64, u64) IW_CONVERT_BITS(u64, i64)
#undef IW_CONVERT_BITS

/* Conversions that inner loops use: in registers, if the instruction set has them. */
#ifdef IWV_HAS_CONVERT
#define IW_CONVERT_SAME(from, to) IW_FN iw_##to iw_convert_##from##_##to(iw_##from a) \
{ iw_##to b; IW_EACH(to, i) b.r[i] = iwv_convert_##from##_##to(a.r[i]); return b; }
#define IW_CONVERT_WIDEN(from, to) IW_FN iw_##to iw_convert_##from##_##to(iw_##from a) \
{ iw_##to b; IW_EACH(to, i) b.r[i] = iwv_convert_half_##from##_##to(a.r[i / 2], i & 1); return b; }
#define IW_CONVERT_NARROW(from, to) IW_FN iw_##to iw_convert_##from##_##to(iw_##from a) { \
  iw_##to b; \
  IW_EACH(to, i) b.r[i] = iwv_convert_pair_##from##_##to(a.r[2 * i], \
                                                         a.r[IW_VECTORS(from) > 1 ? 2 * i + 1 : 0]); \
  return b; }
IW_CONVERT_SAME(f32, i32) IW_CONVERT_SAME(f32, u32) IW_CONVERT_SAME(i32, f32)
IW_CONVERT_WIDEN(i32, f64) IW_CONVERT_WIDEN(u32, f64) IW_CONVERT_NARROW(f64, u32) IW_CONVERT_NARROW(f64, f32)
IW_CONVERT_WIDEN(i32, i64) IW_CONVERT_WIDEN(u32, u64) IW_CONVERT_WIDEN(f32, f64)
#define iwv_convert_half_i32_u64 iwv_convert_half_i32_i64 /* of one register type */
IW_CONVERT_WIDEN(i32, u64)
#undef iwv_convert_half_i32_u64
#define iwv_convert_half_u32_i64 iwv_convert_half_u32_u64
IW_CONVERT_WIDEN(u32, i64)
#undef iwv_convert_half_u32_i64
IW_CONVERT_NARROW(u64, u32)
#define iwv_convert_pair_u64_i32 iwv_convert_pair_u64_u32
#define iwv_convert_pair_i64_u32 iwv_convert_pair_u64_u32
#define iwv_convert_pair_i64_i32 iwv_convert_pair_u64_u32
IW_CONVERT_NARROW(u64, i32) IW_CONVERT_NARROW(i64, u32) IW_CONVERT_NARROW(i64, i32)
#undef iwv_convert_pair_u64_i32
#undef iwv_convert_pair_i64_u32
#undef iwv_convert_pair_i64_i32
#undef IW_CONVERT_SAME
#undef IW_CONVERT_WIDEN
#undef IW_CONVERT_NARROW
#else
IW_CONVERT(f32, i32) IW_CONVERT(f32, u32) IW_CONVERT(i32, f32)
IW_CONVERT(i32, f64) IW_CONVERT(u32, f64) IW_CONVERT(f64, u32) IW_CONVERT(f64, f32)
IW_CONVERT(i32, i64) IW_CONVERT(i32, u64) IW_CONVERT(u32, u64) IW_CONVERT(u32, i64) IW_CONVERT(f32, f64)
IW_CONVERT(u64, u32) IW_CONVERT(u64, i32) IW_CONVERT(i64, u32) IW_CONVERT(i64, i32)
#endif
#undef IW_CONVERT
#undef IW_CONVERT_IDENTITY

/* min(a as an unsigned integer, last), for last < 2^31: a register instruction that saturates anywhere at
 * or above 2^31 will do. */
#ifdef IWV_HAS_TRUNCATE
IW_FN iw_u32 iw_to_index_f32(iw_f32 a, uint32_t last)
{
  iw_u32 b;
  IW_EACH(u32, i) b.r[i] = iwv_truncate_f32(a.r[i]);
  return iw_min_u32(b, iw_splat_u32(last));
}
IW_FN iw_u32 iw_to_index_f64(iw_f64 a, uint32_t last)
{
  iw_u32 b;
  IW_EACH(u32, i) b.r[i] = iwv_truncate_pair_f64(a.r[2 * i], a.r[2 * i + 1]);
  return iw_min_u32(b, iw_splat_u32(last));
}
#else
IW_FN iw_u32 iw_to_index_f32(iw_f32 a, uint32_t last) {
    return iw_min_u32(iw_convert_f32_u32(a), iw_splat_u32(last)); }
IW_FN iw_u32 iw_to_index_f64(iw_f64 a, uint32_t last) {
    return iw_min_u32(iw_convert_f64_u32(a), iw_splat_u32(last)); }
#endif

/* A float's bits, with one NaN only, and a float of given bits. */
#define IW_AS_BITS(f, u) \
IW_SAME_BITS(iw_raw_bits_##f, f, u) \
IW_FN iw_##u iw_as_bits_##f(iw_##f a) { return iw_raw_bits_##f(iw_canonical_##f(a)); } \
IW_SAME_BITS(iw_from_bits_##f, u, f)
IW_AS_BITS(f32, u32) IW_AS_BITS(f64, u64)
#undef IW_AS_BITS
#undef IW_SAME_BITS

#endif
