/* SPDX-License-Identifier: Apache-2.0
 *
 * What the templates of this folder need besides the operations of scalar.h and of the CPU's registers. A
 * mask says for each lane of a register of f32 or of f64 whether a comparison held; for scalars it is an
 * int. Included by <isowarp/math.h>; names.h has the short names.
 */
#ifndef ISOWARP_LANGUAGE_MATH_FORMS_H
#define ISOWARP_LANGUAGE_MATH_FORMS_H

typedef int iws_mask_;
#define IWS_MATH(t) \
  IW_FN iws_##t iws_set1_##t(iws_##t v) { return v; } \
  IW_FN iws_##t iws_select_##t(int p, iws_##t a, iws_##t b) { return p ? a : b; }
IWS_MATH(f32) IWS_MATH(f64) IWS_MATH(u32) IWS_MATH(u64)
IW_FN int iws_all_f32_(int p) { return p; }
IW_FN int iws_all_f64_(int p) { return p; }
/* A function of f32 that f64 computes. */
#define IWS_BY_F64(name, inner) \
IW_FN iws_f32 iws_##name##_f32(iws_f32 x) { return iws_convert_f64_f32(inner(iws_convert_f32_f64(x))); }
#define IWS_BY_F64_2(name, inner) IW_FN iws_f32 iws_##name##_f32(iws_f32 x, iws_f32 y) \
{ return iws_convert_f64_f32(inner(iws_convert_f32_f64(x), iws_convert_f32_f64(y))); }

/* Registers that convert between f32 and f64. Plain C and the simulated GPU have the scalar functions for
 * each lane, and so has SSE4 for what is computed in f64: SIMDe's shifts and comparisons of 64 bits make
 * registers three times slower there. */
#if defined(IWV_HAS_CONVERT) && !defined(IW_SIM)
#define IW_MATH_REGISTERS
#if defined(__AVX2__) || !defined(__SSE4_1__)
#define IW_MATH_REGISTERS_F64
#endif
#ifdef IWV_HAS_MASKS
typedef iwv_mask iwv_mask_;
IW_FN int iwv_all_f32_(iwv_mask p) { return iwv_movemask(p) == 0xff; }
IW_FN int iwv_all_f64_(iwv_mask p) { return iwv_movemask_64(p) == 0xf; }
#else
typedef unsigned iwv_mask_;
IW_FN int iwv_all_f32_(unsigned p) { return p == (1u << IW_VL_f32) - 1; }
IW_FN int iwv_all_f64_(unsigned p) { return p == (1u << IW_VL_f64) - 1; }
#endif
#define IWV_RAW(f, u) \
  IW_FN iwv_##u iwv_raw_##f(iwv_##f a) { iwv_##u b; memcpy(&b, &a, sizeof b); return b; } \
  IW_FN iwv_##f iwv_from_raw_##f(iwv_##u a) { iwv_##f b; memcpy(&b, &a, sizeof b); return b; }
IWV_RAW(f32, u32) IWV_RAW(f64, u64)
#define IWV_BY_F64(name, inner) IW_FN iwv_f32 iwv_##name##_f32(iwv_f32 x) \
{ return iwv_convert_pair_f64_f32(inner(iwv_convert_half_f32_f64(x, 0)), inner(iwv_convert_half_f32_f64(x, 1))); }
#define IWV_BY_F64_2(name, inner) IW_FN iwv_f32 iwv_##name##_f32(iwv_f32 x, iwv_f32 y) \
{ return iwv_convert_pair_f64_f32(inner(iwv_convert_half_f32_f64(x, 0), iwv_convert_half_f32_f64(y, 0)), \
                                  inner(iwv_convert_half_f32_f64(x, 1), iwv_convert_half_f32_f64(y, 1))); }
#endif

/* Lanes. On a CPU an object holds a function once, and its loop is not unrolled. It works in place: gcc
 * would copy a result in halves of a register, for which the next load waits. Only exp of f32 is so short
 * that it is inlined. */
#if defined(__CUDACC__)
#define IW_MATH_LANES(name, t) IW_LANE1(name, t)
#define IW_MATH_LANES_INLINE IW_MATH_LANES
#define IW_MATH_LANES_2(name, t) IW_LANE2(name, t)
#elif defined(IW_SIM)
#define IW_MATH_LANES(name, t) IW_LANE1_(name, t)
#define IW_MATH_LANES_INLINE IW_MATH_LANES
#define IW_MATH_LANES_2(name, t) IW_FN iw_##t iw_##name##_##t(iw_##t a, iw_##t b) \
{ IW_EACH_LANE_(l) a.e[l] = iws_##name##_##t(a.e[l], b.e[l]); \
  a.undefined |= b.undefined; a.owner |= b.owner; return a; }
#else
#ifndef IW_MATH_REGISTERS_F64
#define IW_MATH_REGISTER_1(name, t) IWV_BY_LANE1(name, t)
#define IW_MATH_REGISTER_2(name, t) IWV_BY_LANE2(name, t)
#else
#define IW_MATH_REGISTER_1(name, t)
#define IW_MATH_REGISTER_2(name, t)
#endif
#ifndef IW_MATH_REGISTERS
#define IW_MATH_REGISTER_INLINE(name, t) IWV_BY_LANE1(name, t)
#else
#define IW_MATH_REGISTER_INLINE(name, t)
#endif
#define IW_MATH_LANES(name, t) IW_MATH_REGISTER_1(name, t) \
IW_NOINLINE_FN void iw_##name##_of_##t##_(iw_##t *a) \
{ for (int i = 0; i < IW_VECTORS(t); i++) a->r[i] = iwv_##name##_##t(a->r[i]); } \
IW_FN iw_##t iw_##name##_##t(iw_##t a) { iw_##name##_of_##t##_(&a); return a; }
#define IW_MATH_LANES_INLINE(name, t) IW_MATH_REGISTER_INLINE(name, t) IW_FN iw_##t iw_##name##_##t(iw_##t a) \
{ IW_EACH(t, i) a.r[i] = iwv_##name##_##t(a.r[i]); return a; }
#define IW_MATH_LANES_2(name, t) IW_MATH_REGISTER_2(name, t) \
IW_NOINLINE_FN void iw_##name##_of_##t##_(iw_##t *a, const iw_##t *b) \
{ for (int i = 0; i < IW_VECTORS(t); i++) a->r[i] = iwv_##name##_##t(a->r[i], b->r[i]); } \
IW_FN iw_##t iw_##name##_##t(iw_##t a, iw_##t b) { iw_##name##_of_##t##_(&a, &b); return a; }
#endif

#endif
