/* SPDX-License-Identifier: Apache-2.0
 *
 * Element types of 1 and 2 bytes, which are in memory only: a lane holds such an element as i32, u32 or f32
 * (IW_LANES_FOR_…). iws_widen_T and iws_narrow_T convert one element. f16 is IEEE 754 binary16, bf16 the
 * upper half of an f32; both are bits here, since not every compiler has types for them. Included by
 * scalar.h.
 */
#ifndef ISOWARP_LANGUAGE_SCALAR_NARROW_H
#define ISOWARP_LANGUAGE_SCALAR_NARROW_H

typedef int8_t iws_i8; typedef int16_t iws_i16; typedef uint16_t iws_f16; typedef uint16_t iws_bf16;

#define IW_LANES_FOR_u8 u32
#define IW_LANES_FOR_u16 u32
#define IW_LANES_FOR_i8 i32
#define IW_LANES_FOR_i16 i32
#define IW_LANES_FOR_f16 f32
#define IW_LANES_FOR_bf16 f32

/* X(T, type of its lanes) */
#define IW_NARROW_TYPES(X) X(u8, u32) X(u16, u32) X(i8, i32) X(i16, i32) X(f16, f32) X(bf16, f32)

/* X(t, T, type of T's lanes): rows of t that come from elements of T, and rows of t that are stored as
 * such. */
#define IW_ROWS_FROM_NARROW(X) \
  X(u32, u8, u32) X(u32, u16, u32) X(u32, i8, i32) X(u32, i16, i32) X(i32, u8, u32) X(i32, u16, u32) \
  X(u64, u8, u32) X(u64, u16, u32) X(u64, i8, i32) X(u64, i16, i32) X(f32, f16, f32) X(f32, bf16, f32)
#define IW_ROWS_TO_NARROW(X) \
  X(u32, u8, u32) X(u32, u16, u32) X(i32, u8, u32) X(i32, u16, u32) X(f32, f16, f32) X(f32, bf16, f32)

/* Integers keep their low bits. */
#define IWS_NARROW_INT(t, l) \
  IW_FN iws_##l iws_widen_##t(iws_##t a) { return a; } \
  IW_FN iws_##t iws_narrow_##t(iws_##l a) { return (iws_##t)a; }
IWS_NARROW_INT(u8, u32) IWS_NARROW_INT(u16, u32) IWS_NARROW_INT(i8, i32) IWS_NARROW_INT(i16, i32)
/* Other elements are as those of lanes, for templates over all types. */
#define IWS_NOT_NARROW(t) IW_FN iws_##t iws_widen_##t(iws_##t a) { return a; } \
  IW_FN iws_##t iws_narrow_##t(iws_##t a) { return a; }
IWS_NOT_NARROW(i32) IWS_NOT_NARROW(u32) IWS_NOT_NARROW(i64) IWS_NOT_NARROW(u64) IWS_NOT_NARROW(f32) IWS_NOT_NARROW(f64)

IW_FN iws_f32 iws_widen_bf16(iws_bf16 a) { return iws_from_raw_f32((uint32_t)a << 16); }

#ifdef __CUDA_ARCH__
IW_FN iws_f32 iws_widen_f16(iws_f16 a) { float r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a)); return r; }
/* The device's NaN is not the canonical one. */
IW_FN iws_f16 iws_narrow_f16(iws_f32 a)
{ iws_f16 r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a)); return a == a ? r : (iws_f16)0x7e00; }
#else
IW_FN iws_f32 iws_widen_f16(iws_f16 a)
{
  const uint32_t sign = (uint32_t)(a & 0x8000) << 16, magnitude = a & 0x7fff;
  if (magnitude < 0x400) /* subnormal */
    return iws_from_raw_f32(sign | iws_raw_f32((float)magnitude * 0x1p-24f));
  return iws_from_raw_f32(sign | ((magnitude << 13) + ((magnitude < 0x7c00 ? 112u : 224u) << 23)));
}
/* To nearest, ties to even; 65520 and more are infinite. */
IW_FN iws_f16 iws_narrow_f16(iws_f32 a)
{
  const uint32_t bits = iws_raw_f32(a), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7e00;
  if (magnitude >= 0x477ff000) return (iws_f16)(sign | 0x7c00);
  if (magnitude < 0x38800000) /* below 2^-14: 0.5's last bit is worth 2^-24, the unit of subnormals */
    return (iws_f16)(sign | (iws_raw_f32(iws_from_raw_f32(magnitude) + 0.5f) - 0x3f000000));
  return (iws_f16)(sign | (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13);
}
#endif
/* To nearest, ties to even. */
IW_FN iws_bf16 iws_narrow_bf16(iws_f32 a)
{ const uint32_t bits = iws_raw_f32(a); return a == a ? (iws_bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16) : (iws_bf16)0x7fc0; }

#endif
