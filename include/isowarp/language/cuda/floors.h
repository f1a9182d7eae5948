/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA, library primitives: floor of a float as an index with its distance from the
 * nearest integer, nearest integers, and evenly spaced bin edges. Mirrors language/cpu/floors.h. May change
 * with the library.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_FLOORS_H
#define ISOWARP_LANGUAGE_CUDA_FLOORS_H

#include <isowarp/language/cuda/conversions.h>

/* A float whose last bit is worth 1 is added: the sum is rounded to an integer, which stands in its low
 * bits. That is faster than a conversion. *past is how far `a` lies above the nearest integer, negative
 * below it. Correct for |a| < 2^22 (f64: 2^31). */
IW_FN iw_u32 iw_floor_index_f32(iw_f32 a, iw_f32 *past)
{
  const float units = 12582912.0f, sum = __fadd_rn(iw_value_(a), units);
  const float distance = __fsub_rn(iw_value_(a), __fsub_rn(sum, units));
  *past = IW_LANE_(f32, distance);
  return IW_LANE_(u32, __float_as_uint(sum) - 0x4b400000u + (uint32_t)(__float_as_int(distance) >> 31));
}
IW_FN iw_u32 iw_floor_index_f64(iw_f64 a, iw_f64 *past)
{
  const double units = 6755399441055744.0, sum = __dadd_rn(iw_value_(a), units);
  const double distance = __dsub_rn(iw_value_(a), __dsub_rn(sum, units));
  *past = IW_LANE_(f64, distance);
  return IW_LANE_(u32, (uint32_t)__double2loint(sum) + (uint32_t)(__double2hiint(distance) >> 31));
}

/* Over many floats: the largest floor, and the least distance from an integer. A float out of range, or
 * a NaN, counts as the largest floor of all, so that the set is not unambiguous. */
#define IW_FLOOR_RANGE_f32 4194304.0f
#define IW_FLOOR_RANGE_f64 2147483648.0
#define IW_FLOORS(f) \
  typedef struct { uint32_t most; iws_##f least; } iw_floors_##f; \
  IW_FN void iw_floors_open_##f(iw_floors_##f *s) { s->most = 0; s->least = 1; } \
  IW_FN iw_u32 iw_floors_add_##f(iw_floors_##f *s, iw_##f a) \
  { \
    iw_##f past; \
    const iw_u32 floor = iw_floor_index_##f(a, &past); \
    iw_floors_include_(&s->most, &s->least, iw_value_(floor), iws_abs_##f(iw_value_(a)) \
        < IW_FLOOR_RANGE_##f, \
                       iws_abs_##f(iw_value_(past))); \
    return floor; \
  } \
  IW_FN int iw_floors_unambiguous_##f(const iw_floors_##f *s, uint32_t count, iws_##f tau) \
  { return __all_sync(IW_FULL_MASK_, s->most < count && s->least > tau); }
template <class S>
IW_FN void iw_floors_include_(uint32_t *most, S *least, uint32_t floor, bool in_range, S distance)
{
  *most = in_range ? iws_max_u32(*most, floor) : UINT32_MAX;
  *least = distance < *least ? distance : *least;
}
IW_FLOATS(IW_FLOORS)

/* The nearest integer, either of two, modulo 2^32; UINT32_MAX for a NaN or a float out of range. */
#define IW_NEAREST_INDEX(f) \
  IW_FN iw_u32 iw_nearest_index_##f(iw_##f a) \
  { \
    const bool in_range = iws_abs_##f(iw_value_(a)) < IW_FLOOR_RANGE_##f; \
    return IW_LANE_(u32, in_range ? (uint32_t)iws_convert_##f##_i32(iws_floor_##f(iws_add_##f(iw_value_(a), (iws_##f)0.5))) \
                                  : UINT32_MAX); \
  }
IW_FLOATS(IW_NEAREST_INDEX)

/* Evenly spaced edges: edge k is k * step + first in f64, rounded to the type. */
#define IW_EDGES(f) \
  typedef struct { double first, step; } iw_edges_##f; \
  IW_FN void iw_edges_open_##f(iw_edges_##f *e, uint32_t, double first, double step) \
  { e->first = first; e->step = step; } \
  IW_FN iw_##f iw_edges_at_##f(const iw_edges_##f *e, iw_u32 k) \
  { return IW_LANE_(f, iws_convert_f64_##f(__dadd_rn(__dmul_rn((double)(int32_t)iw_value_(k), e->step), \
      e->first))); }
IW_FLOATS(IW_EDGES)

#endif
