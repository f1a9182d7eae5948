/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU: conversions between lane types, and between floats and their bits.
 * Mirrors language/cuda/conversions.h. Needs lanes.h only.
 */
#ifndef ISOWARP_LANGUAGE_SIM_CONVERSIONS_H
#define ISOWARP_LANGUAGE_SIM_CONVERSIONS_H

#define IW_EACH_CONVERTED_(a, r, expr) \
  { IW_EACH_LANE_(l) r.e[l] = expr; r.undefined = a.undefined; r.owner = a.owner; return r; }
#define IW_CONVERT(from, to) IW_FN iw_##to iw_convert_##from##_##to(iw_##from a) \
{ iw_##to r; IW_EACH_CONVERTED_(a, r, iws_convert_##from##_##to(a.e[l])) }
#define IW_CONVERT_ALL(from) IW_CONVERT(from, f32) IW_CONVERT(from, f64) \
  IW_CONVERT(from, i32) IW_CONVERT(from, u32) IW_CONVERT(from, i64) IW_CONVERT(from, u64)
IW_TYPES(IW_CONVERT_ALL)

/* iw_min of the converted number and a uniform `last`, which is less than 2^31. */
#define IW_TO_INDEX(f) IW_FN iw_u32 iw_to_index_##f(iw_##f a, uint32_t last) \
{ return iw_min_u32(iw_convert_##f##_u32(a), iw_splat_u32(last)); }
IW_FLOATS(IW_TO_INDEX)

#define IW_AS_BITS(f, u) \
  IW_FN iw_##u iw_as_bits_##f(iw_##f a) { iw_##u r; IW_EACH_CONVERTED_(a, r, iws_raw_##f(iws_canonical_##f(a.e[l]))) } \
  IW_FN iw_##u iw_raw_bits_##f(iw_##f a) { iw_##u r; IW_EACH_CONVERTED_(a, r, iws_raw_##f(a.e[l])) } \
  IW_FN iw_##f iw_from_bits_##f(iw_##u a) { iw_##f r; IW_EACH_CONVERTED_(a, r, iws_from_raw_##f(a.e[l])) }
IW_AS_BITS(f32, u32) IW_AS_BITS(f64, u64)

#endif
