/* SPDX-License-Identifier: Apache-2.0
 *
 * The integer below a float with its distance from the nearest integer, nearest integers, and edges of bins
 * of equal width. Part of cpu/primitives.h, for the library's histogram; uses conversions.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_FLOORS_H
#define ISOWARP_LANGUAGE_CPU_FLOORS_H

/* The integer below a, modulo 2^32, for |a| < 2^22 (f64: 2^31); and the signed distance from the nearest
 * integer, negative below it. Other a give an unspecified integer, but *past is a NaN if a is one. */
#ifdef IWV_HAS_FLOOR_INDEX
IW_FN iw_u32 iw_floor_index_f32(iw_f32 a, iw_f32 *past)
{
  iw_u32 b;
  IW_EACH(u32, i) b.r[i] = iwv_floor_index_f32(a.r[i], &past->r[i]);
  return b;
}
IW_FN iw_u32 iw_floor_index_f64(iw_f64 a, iw_f64 *past)
{
  enum { LAST = IW_VECTORS(f64) - 1 };
  iw_u32 b;
  IW_EACH(u32, i) b.r[i] = iwv_floor_index_f64(a.r[2 * i], a.r[2 * i < LAST ? 2 * i + 1 : LAST]);
  *past = iw_sub_f64(a, iw_floor_f64(iw_add_f64(a, iw_splat_f64(0.5))));
  return b;
}
#endif
#ifdef IWV_HAS_FLOORS
IW_FN iw_u32 iw_nearest_index_f32(iw_f32 a)
{ iw_u32 b; IW_EACH(u32, i) b.r[i] = iwv_nearest_index_f32(a.r[i]); return b; }
IW_FN iw_u32 iw_nearest_index_f64(iw_f64 a)
{ iw_u32 b; IW_EACH(u32, i) b.r[i] = iwv_nearest_index_f64(a.r[2 * i], a.r[2 * i + 1]); return b; }
#else
/* |a| at which conversions to i32 stop being exact here. */
enum { IW_FLOOR_RANGE_LOG_f32 = 22, IW_FLOOR_RANGE_LOG_f64 = 31 };
#endif
#define IW_TYPE_SET IW_SET_OF_FLOATS
#define IW_TEMPLATE <isowarp/language/cpu/floors_of_float.h>
#include <isowarp/language/for_each_type.h>

/* Edges of bins of equal width, k * step + first rounded once from f64: looked up if two registers hold
 * them all, else computed. */
typedef struct { double first, step; } iw_edges_f64;
#ifdef IWV_HAS_LOOKUP_32
typedef struct { iw_edges_f64 wide; int few; iwv_f32 low, high; } iw_edges_f32;
#else
typedef struct { iw_edges_f64 wide; } iw_edges_f32;
#endif
IW_FN void iw_edges_open_f64(iw_edges_f64 *e, uint32_t count, double first, double step)
{ (void)count; e->first = first; e->step = step; }
IW_FN void iw_edges_open_f32(iw_edges_f32 *e, uint32_t count, double first, double step)
{
  iw_edges_open_f64(&e->wide, count, first, step);
#ifdef IWV_HAS_LOOKUP_32
  float table[32];
  for (int k = 0; k < 32; k++) table[k] = (float)(k * step + first);
  e->few = count <= 32;
  e->low = iwv_load_f32(table);
  e->high = iwv_load_f32(table + 16);
#endif
}
#ifdef IWV_HAS_CONVERT
IW_FN iwv_f64 iw_edges_convert_half_(const iw_edges_f64 *e, iwv_u32 k, int high)
{
  const iwv_f64 scaled = iwv_mul_f64(iwv_convert_half_i32_f64(k, high), iwv_set1_f64(e->step));
  return iwv_add_f64(scaled, iwv_set1_f64(e->first));
}
IW_FN iw_f64 iw_edges_at_f64(const iw_edges_f64 *e, iw_u32 k)
{ iw_f64 a; IW_EACH(f64, i) a.r[i] = iw_edges_convert_half_(e, k.r[i / 2], i % 2); return a; }
IW_FN iw_f32 iw_edges_at_f32(const iw_edges_f32 *e, iw_u32 k)
{
  iw_f32 a;
#ifdef IWV_HAS_LOOKUP_32
  if (e->few) { IW_EACH(f32, i) a.r[i] = iwv_lookup_32(e->low, e->high, k.r[i]); return a; }
#endif
  IW_EACH(f32, i) a.r[i] = iwv_convert_pair_f64_f32(iw_edges_convert_half_(&e->wide, k.r[i], 0),
                                                    iw_edges_convert_half_(&e->wide, k.r[i], 1));
  return a;
}
#else
IW_FN iw_f64 iw_edges_at_f64(const iw_edges_f64 *e, iw_u32 k)
{
  const iw_f64 scaled = iw_mul_f64(iw_convert_i32_f64(iw_convert_u32_i32(k)), iw_splat_f64(e->step));
  return iw_add_f64(scaled, iw_splat_f64(e->first));
}
IW_FN iw_f32 iw_edges_at_f32(const iw_edges_f32 *e, iw_u32 k) {
    return iw_convert_f64_f32(iw_edges_at_f64(&e->wide, k)); }
#endif

#endif
