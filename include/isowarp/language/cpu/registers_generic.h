/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers in plain C: arrays of 8 lanes. The reference that the other instruction sets are checked
 * against, and a target of its own. The lowest layer of the CPU's language: one register at a time, knows
 * nothing of warps.
 */
#ifndef ISOWARP_LANGUAGE_REGISTERS_H
#define ISOWARP_LANGUAGE_REGISTERS_H

#define IW_LANES_ISA "generic"
enum { IW_VL_f32 = 8, IW_VL_f64 = 8, IW_VL_i32 = 8, IW_VL_u32 = 8, IW_VL_i64 = 8, IW_VL_u64 = 8 };

#define IWV_TYPE(t) typedef struct { iws_##t e[IW_VL_##t]; } iwv_##t; \
IW_FN iwv_##t iwv_load_##t(const iws_##t *p) { iwv_##t a; memcpy(&a, p, sizeof a); return a; } \
IW_FN void iwv_store_##t(iws_##t *p, iwv_##t a) { memcpy(p, &a, sizeof a); } \
IW_FN void iwv_stream_##t(iws_##t *p, iwv_##t a) { memcpy(p, &a, sizeof a); } \
IW_FN iwv_##t iwv_set1_##t(iws_##t v) { iwv_##t a; for (int l = 0; l < IW_VL_##t; l++) { \
    a.e[l] = v; } return a; }
IW_TYPES(IWV_TYPE)

#include <isowarp/language/cpu/registers_by_lane.h>

#define IWV_NUMBERS(t) IWV_BY_LANE2(add, t) IWV_BY_LANE2(sub, t) IWV_BY_LANE2(mul, t) IWV_BY_LANE2(div, t) \
  IWV_BY_LANE2(min, t) IWV_BY_LANE2(max, t) IWV_BY_LANE2(flip_bits, t) IWV_BY_LANE1(neg, t) IWV_BY_LANE1(canonical, t) \
  IWV_BY_LANE_COMPARE(eq, t) IWV_BY_LANE_COMPARE(lt, t) IWV_BY_LANE_COMPARE(le, t) \
  IWV_BY_LANE_MASKED(t, unsigned, ) IWV_BY_LANE_COMPRESS(t)
#define IWV_INTEGERS(t) IWV_BY_LANE2(rem, t) IWV_BY_LANE2(and, t) IWV_BY_LANE2(or, t) IWV_BY_LANE2(xor, t) \
  IWV_BY_LANE2(shl, t) IWV_BY_LANE2(shr, t) IWV_BY_LANE1(not, t)
#define IWV_FLOATS(t) IWV_BY_LANE1(floor, t) IWV_BY_LANE1(ceil, t) IWV_BY_LANE1(trunc, t) IWV_BY_LANE1(rint, t) \
  IWV_BY_LANE1(sqrt, t) IWV_BY_LANE3(fma, t)
IW_TYPES(IWV_NUMBERS) IW_INTS(IWV_INTEGERS) IW_FLOATS(IWV_FLOATS)
IWV_BY_LANE1(abs, f32) IWV_BY_LANE1(abs, f64) IWV_BY_LANE1(abs, i32) IWV_BY_LANE1(abs, i64)

#define IW_TEMPLATE <isowarp/language/cpu/registers_generic_of_type.h>
#include <isowarp/language/for_each_type.h>

/* Consecutive elements of 1 or 2 bytes, one per lane. */
#define IWV_NARROW(t, l) \
  IW_FN iwv_##l iwv_widen_##t(const iws_##t *p) \
  { iwv_##l a; for (int i = 0; i < IW_VL_##l; i++) a.e[i] = iws_widen_##t(p[i]); return a; } \
  IW_FN void iwv_narrow_##t(iws_##t *p, iwv_##l a) \
  { for (int i = 0; i < IW_VL_##l; i++) p[i] = iws_narrow_##t(a.e[i]); }
IW_NARROW_TYPES(IWV_NARROW)
/* The set of the 32 bytes that are not 0. */
IW_FN uint32_t iwv_nonzero_32(const uint8_t *p)
{ uint32_t m = 0; for (int l = 0; l < 32; l++) m |= (uint32_t)(p[l] != 0) << l; return m; }

#endif
