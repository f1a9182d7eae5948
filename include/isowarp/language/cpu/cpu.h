/* SPDX-License-Identifier: Apache-2.0
 *
 * The lane VM of the CPU: a lane value is a struct of vector registers, lane l in register l / VL; a predicate is a set of
 * bits, lane l in bit l, and vector masks where instructions take those; the warps of a block are a loop. The same names as in
 * vm/cuda.h, one after the other.
 */
#ifndef ISOWARP_LANGUAGE_CPU_H
#define ISOWARP_LANGUAGE_CPU_H

#include <sched.h>
#include <isowarp/descriptor.h>

#if defined(IW_LANES_GENERIC)
#include <isowarp/language/cpu/registers_generic.h>
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <isowarp/language/cpu/registers_512.h>
#elif defined(__AVX2__) || defined(__SSE4_1__) || defined(__aarch64__)
#include <isowarp/language/cpu/registers_256.h>
#else
#include <isowarp/language/cpu/registers_generic.h>
#endif

#ifndef IW_WARP_SIZE
#define IW_WARP_SIZE 32
#endif
#if IW_WARP_SIZE != 8 && IW_WARP_SIZE != 16 && IW_WARP_SIZE != 32 && IW_WARP_SIZE != 64
#error "IW_WARP_SIZE is 8, 16, 32 or 64"
#endif
#define IW_MAX_WARPS (1024 / IW_WARP_SIZE)
#define IW_LOG_WARP (IW_WARP_SIZE == 8 ? 3 : IW_WARP_SIZE == 16 ? 4 : IW_WARP_SIZE == 32 ? 5 : 6)

/* ---- Lane values and predicates ---- */

/* A warp smaller than a register has padding lanes: no memory is touched for them, and no predicate has them. */
#define IW_VECTORS(t) (IW_WARP_SIZE > IW_VL_##t ? IW_WARP_SIZE / IW_VL_##t : 1)
#define IW_PADDED(t) (IW_VECTORS(t) * IW_VL_##t)
#define IW_EACH(t, i) IW_UNROLL for (int i = 0; i < IW_VECTORS(t); i++)
#define IW_LANE_TYPE(t) typedef struct { iwv_##t r[IW_VECTORS(t)]; } iw_##t;
IW_TYPES(IW_LANE_TYPE)

typedef uint64_t iw_mask;
#if IW_WARP_SIZE == 64
typedef uint64_t iw_bits;
#define IW_ALL_LANES UINT64_MAX
#else
typedef uint32_t iw_bits;
#define IW_ALL_LANES ((iw_bits)(((uint64_t)1 << IW_WARP_SIZE) - 1))
#endif
/* A predicate. Where a VM has vector masks (iwv_mask, one per register of 32-bit lanes), it is both, made side by side: the
 * form that nobody asks for is dead code. The bits come from the masks where those come from comparisons, else from bits.
 * IW_SOME_T is what the instructions for T take of it, one register of T at a time. */
#ifdef IWV_HAS_MASKS
typedef struct { iw_bits m; int compared; iwv_mask v[IW_VECTORS(u32)]; } iw_pred;
IW_FN iw_pred iw_pred_of(iw_mask m)
{ iw_pred p; p.compared = 0; p.m = (iw_bits)m & IW_ALL_LANES;
  IW_EACH(u32, i) p.v[i] = iwv_mask_from_bits((unsigned)(p.m >> 8 * i) & 255); return p; }
IW_FN iw_pred iw_pred_(iw_pred p, int compared, iw_bits m)
{ p.compared = compared; p.m = 0;
  if (!compared) p.m = m;
  else if (IW_VECTORS(u32) % 4) IW_EACH(u32, i) p.m |= (iw_bits)iwv_movemask(p.v[i]) << 8 * i;
  else IW_UNROLL for (int i = 0; i + 3 < IW_VECTORS(u32); i += 4)
    p.m |= (iw_bits)iwv_movemask_4(p.v[i], p.v[i + 1], p.v[i + 2], p.v[i + 3]) << 8 * i;
  return p; }
IW_FN iw_pred iw_and_pred(iw_pred a, iw_pred b)
{ IW_EACH(u32, i) a.v[i] = iwv_and_u32(a.v[i], b.v[i]); return iw_pred_(a, a.compared & b.compared, a.m & b.m); }
IW_FN iw_pred iw_or_pred(iw_pred a, iw_pred b)
{ IW_EACH(u32, i) a.v[i] = iwv_or_u32(a.v[i], b.v[i]); return iw_pred_(a, a.compared & b.compared, a.m | b.m); }
IW_FN iw_pred iw_not_pred(iw_pred a)
{ IW_EACH(u32, i) a.v[i] = iwv_not_u32(a.v[i]); return iw_pred_(a, a.compared, ~a.m & IW_ALL_LANES); }
#define IW_SOME_f32(p, i) ((p).v[i])
#define IW_SOME_f64(p, i) iwv_mask_half((p).v[(i) / 2], (i) & 1)
#else
typedef struct { iw_bits m; } iw_pred;
IW_FN iw_pred iw_pred_of(iw_mask m) { iw_pred p = { (iw_bits)m & IW_ALL_LANES }; return p; }
IW_FN iw_pred iw_and_pred(iw_pred a, iw_pred b) { a.m &= b.m; return a; }
IW_FN iw_pred iw_or_pred(iw_pred a, iw_pred b) { a.m |= b.m; return a; }
IW_FN iw_pred iw_not_pred(iw_pred a) { a.m = ~a.m & IW_ALL_LANES; return a; }
#define IW_SOME_f32(p, i) IW_BITS_OF(f32, p, i)
#define IW_SOME_f64(p, i) IW_BITS_OF(f64, p, i)
#endif
#define IW_SOME_i32 IW_SOME_f32
#define IW_SOME_u32 IW_SOME_f32
#define IW_SOME_i64 IW_SOME_f64
#define IW_SOME_u64 IW_SOME_f64
#define IW_BITS_OF(t, p, i) ((unsigned)((p).m >> ((i) * IW_VL_##t)) & ((1u << IW_VL_##t) - 1))
IW_FN iw_mask iw_ballot(iw_pred p) { return p.m; }
IW_FN iw_pred iw_lanes_below(int64_t n)
{ return iw_pred_of(n >= IW_WARP_SIZE ? IW_ALL_LANES : n <= 0 ? 0 : ((iw_mask)1 << n) - 1); }
IW_FN int iw_wanted(iw_pred p) { return p.m != 0; }
IW_FN int iw_wanted_by_lane_(iw_pred p) { return p.m != 0; }
IW_FN unsigned iw_popcount(iw_mask m) { return (unsigned)__builtin_popcountll(m); }
IW_FN unsigned iw_highest(iw_mask m) { return 63u - (unsigned)__builtin_clzll(m); }
IW_FN unsigned iw_lowest(iw_mask m) { return (unsigned)__builtin_ctzll(m); }

/* The lanes in memory, padding included. */
#define IW_ARRAY_AND_SPLAT(t) \
IW_FN void iw_to_array_##t(iws_##t *e, iw_##t a) { IW_EACH(t, i) iwv_store_##t(e + i * IW_VL_##t, a.r[i]); } \
IW_FN iw_##t iw_from_array_##t(const iws_##t *e) { iw_##t a; IW_EACH(t, i) a.r[i] = iwv_load_##t(e + i * IW_VL_##t); return a; } \
IW_FN iw_##t iw_splat_##t(iws_##t v) { iw_##t a; IW_EACH(t, i) a.r[i] = iwv_set1_##t(v); return a; } \
IW_FN iws_##t iw_at_##t(iw_##t a, unsigned lane) \
{ iws_##t e[IW_PADDED(t)]; iw_to_array_##t(e, a); return e[lane & (IW_WARP_SIZE - 1)]; }
IW_TYPES(IW_ARRAY_AND_SPLAT)

#define IW_LANE1(op, t) IW_FN iw_##t iw_##op##_##t(iw_##t a) { IW_EACH(t, i) a.r[i] = iwv_##op##_##t(a.r[i]); return a; }
#define IW_LANE2(op, t) IW_FN iw_##t iw_##op##_##t(iw_##t a, iw_##t b) \
{ IW_EACH(t, i) a.r[i] = iwv_##op##_##t(a.r[i], b.r[i]); return a; }
#ifdef IWV_HAS_MASKS
#define IW_MASKS_f32(p, compare, x, y) IW_EACH(u32, i) (p).v[i] = compare((x).r[i], (y).r[i]);
#define IW_MASKS_f64(p, compare, x, y) IW_EACH(u32, i) \
  (p).v[i] = iwv_mask_pair(compare((x).r[2 * i], (y).r[2 * i]), compare((x).r[2 * i + 1], (y).r[2 * i + 1]));
#define IW_MASKS_i32 IW_MASKS_f32
#define IW_MASKS_u32 IW_MASKS_f32
#define IW_MASKS_i64 IW_MASKS_f64
#define IW_MASKS_u64 IW_MASKS_f64
#define IW_LANE_COMPARE(op, vop, t, x, y) IW_FN iw_pred iw_##op##_##t(iw_##t a, iw_##t b) \
{ iw_pred p; IW_MASKS_##t(p, iwv_##vop##_##t, x, y) return iw_pred_(p, 1, 0); }
#else
#define IW_LANE_COMPARE(op, vop, t, x, y) IW_FN iw_pred iw_##op##_##t(iw_##t a, iw_##t b) \
{ iw_pred p = { 0 }; IW_EACH(t, i) p.m |= (iw_bits)iwv_##vop##_##t(x.r[i], y.r[i]) << (i * IW_VL_##t); p.m &= IW_ALL_LANES; return p; }
#endif
#define IWV_SUM(t) IW_FN iwv_##t iwv_sum_##t(iwv_##t a, iwv_##t b) { return iwv_add_##t(a, b); }
IW_TYPES(IWV_SUM)
#define IW_LANE_NUMBERS(t) IW_LANE2(sum, t) IW_LANE2(add, t) IW_LANE2(sub, t) IW_LANE2(mul, t) IW_LANE2(div, t) \
  IW_LANE2(min, t) IW_LANE2(max, t) IW_LANE1(neg, t) IW_LANE1(canonical, t) \
  IW_LANE_COMPARE(eq, eq, t, a, b) IW_LANE_COMPARE(lt, lt, t, a, b) IW_LANE_COMPARE(le, le, t, a, b) \
  IW_LANE_COMPARE(gt, lt, t, b, a) IW_LANE_COMPARE(ge, le, t, b, a) \
  IW_FN iw_pred iw_ne_##t(iw_##t a, iw_##t b) { return iw_not_pred(iw_eq_##t(a, b)); } \
  IW_FN iw_##t iw_select_##t(iw_pred p, iw_##t a, iw_##t b) \
  { IW_EACH(t, i) a.r[i] = iwv_select_##t(IW_SOME_##t(p, i), a.r[i], b.r[i]); return a; }
#define IW_LANE_INTS(t) IW_LANE2(rem, t) IW_LANE2(and, t) IW_LANE2(or, t) IW_LANE2(xor, t) IW_LANE2(shl, t) IW_LANE2(shr, t) \
  IW_LANE1(not, t)
IW_TYPES(IW_LANE_NUMBERS) IW_INTS(IW_LANE_INTS)
IW_LANE1(floor, f32) IW_LANE1(floor, f64) IW_LANE1(abs, f32) IW_LANE1(abs, f64) IW_LANE1(abs, i32) IW_LANE1(abs, i64)

#define IW_CONVERT(from, to) IW_FN iw_##to iw_convert_##from##_##to(iw_##from a) \
{ iws_##from x[IW_PADDED(from) + IW_PADDED(to)]; iws_##to y[IW_PADDED(to)]; iw_to_array_##from(x, a); \
  for (int l = 0; l < IW_PADDED(to); l++) y[l] = l < IW_PADDED(from) ? iws_convert_##from##_##to(x[l]) : 0; \
  return iw_from_array_##to(y); }
#define IW_CONVERT_COMMON(IW_CONVERT) \
  IW_CONVERT(f32, i64) IW_CONVERT(f32, u64) IW_CONVERT(f64, f32) IW_CONVERT(f64, i32) IW_CONVERT(f64, i64) IW_CONVERT(f64, u64) \
  IW_CONVERT(i32, u32) IW_CONVERT(i32, u64) IW_CONVERT(u32, f32) IW_CONVERT(u32, i32) IW_CONVERT(u32, i64) \
  IW_CONVERT(i64, f32) IW_CONVERT(i64, f64) IW_CONVERT(i64, i32) IW_CONVERT(i64, u32) IW_CONVERT(i64, u64) \
  IW_CONVERT(u64, f32) IW_CONVERT(u64, f64) IW_CONVERT(u64, i32) IW_CONVERT(u64, u32) IW_CONVERT(u64, i64)
IW_CONVERT_COMMON(IW_CONVERT)
#define IW_CONVERT_IDENTITY(t) IW_FN iw_##t iw_convert_##t##_##t(iw_##t a) { return a; }
IW_TYPES(IW_CONVERT_IDENTITY)
/* Those that kernels wait for: in registers, where there are any. */
#ifdef IWV_HAS_CONVERT
#define IW_CONVERT_SAME(from, to) IW_FN iw_##to iw_convert_##from##_##to(iw_##from a) \
{ iw_##to b; IW_EACH(to, i) b.r[i] = iwv_convert_##from##_##to(a.r[i]); return b; }
#define IW_CONVERT_WIDEN(from, to) IW_FN iw_##to iw_convert_##from##_##to(iw_##from a) \
{ iw_##to b; IW_EACH(to, i) b.r[i] = iwv_convert_half_##from##_##to(a.r[i / 2], i & 1); return b; }
#define IW_CONVERT_NARROW(from, to) IW_FN iw_##to iw_convert_##from##_##to(iw_##from a) \
{ iw_##to b; IW_EACH(to, i) b.r[i] = iwv_convert_pair_##from##_##to(a.r[2 * i], a.r[IW_VECTORS(from) > 1 ? 2 * i + 1 : 0]); return b; }
IW_CONVERT_SAME(f32, i32) IW_CONVERT_SAME(f32, u32) IW_CONVERT_SAME(i32, f32)
IW_CONVERT_WIDEN(i32, f64) IW_CONVERT_WIDEN(u32, f64) IW_CONVERT_NARROW(f64, u32)
IW_CONVERT_WIDEN(i32, i64) IW_CONVERT_WIDEN(u32, u64) IW_CONVERT_WIDEN(f32, f64)
#else
IW_CONVERT(f32, i32) IW_CONVERT(f32, u32) IW_CONVERT(i32, f32) IW_CONVERT(i32, f64) IW_CONVERT(u32, f64) IW_CONVERT(f64, u32)
IW_CONVERT(i32, i64) IW_CONVERT(u32, u64) IW_CONVERT(f32, f64)
#endif
/* iw_min of the number and `last`, which is less than 2^31: so a VM need not tell apart what is out of range above. */
#ifdef IWV_HAS_TRUNCATE
IW_FN iw_u32 iw_to_index_f32(iw_f32 a, uint32_t last)
{ iw_u32 b; IW_EACH(u32, i) b.r[i] = iwv_truncate_f32(a.r[i]); return iw_min_u32(b, iw_splat_u32(last)); }
IW_FN iw_u32 iw_to_index_f64(iw_f64 a, uint32_t last)
{ iw_u32 b; IW_EACH(u32, i) b.r[i] = iwv_truncate_pair_f64(a.r[2 * i], a.r[2 * i + 1]); return iw_min_u32(b, iw_splat_u32(last)); }
#else
IW_FN iw_u32 iw_to_index_f32(iw_f32 a, uint32_t last) { return iw_min_u32(iw_convert_f32_u32(a), iw_splat_u32(last)); }
IW_FN iw_u32 iw_to_index_f64(iw_f64 a, uint32_t last) { return iw_min_u32(iw_convert_f64_u32(a), iw_splat_u32(last)); }
#endif
/* The integer below a number that is less than 2^22 from 0 (f64: 2^31), modulo 2^32, and how far it is past the nearest one,
 * less than 0 before it. Of others open, but *past is a NaN where a is. */
#ifdef IWV_HAS_FLOOR_INDEX
IW_FN iw_u32 iw_floor_index_f32(iw_f32 a, iw_f32 *past)
{ iw_u32 b; IW_EACH(u32, i) b.r[i] = iwv_floor_index_f32(a.r[i], &past->r[i]); return b; }
IW_FN iw_u32 iw_floor_index_f64(iw_f64 a, iw_f64 *past)
{ enum { LAST = IW_VECTORS(f64) - 1 };
  iw_u32 b; IW_EACH(u32, i) b.r[i] = iwv_floor_index_f64(a.r[2 * i], a.r[2 * i < LAST ? 2 * i + 1 : LAST]);
  *past = iw_sub_f64(a, iw_floor_f64(iw_add_f64(a, iw_splat_f64(0.5)))); return b; }
#else
#define IW_FLOOR_INDEX(f) \
IW_FN iw_u32 iw_floor_index_##f(iw_##f a, iw_##f *past) \
{ *past = iw_sub_##f(a, iw_floor_##f(iw_add_##f(a, iw_splat_##f(0.5)))); return iw_convert_i32_u32(iw_convert_##f##_i32(iw_floor_##f(a))); }
IW_FLOOR_INDEX(f32) IW_FLOOR_INDEX(f64)
#endif
/* The largest integer below any of many numbers, and how far the nearest of them is from one. What is out of range, or a NaN, has
 * the largest of all: on x86 by itself. */
#ifdef IWV_HAS_MIN_DISTANCE
#define IW_FLOORS_ADD_(f, s, a, b, past) \
  s->most = iw_max_u32(s->most, b); \
  IW_EACH(f, i) s->least.r[i] = iwv_min_distance_##f(s->least.r[i], a.r[i]);
#else
#define IW_RANGE_f32 4194304.0f
#define IW_RANGE_f64 2147483648.0
#define IW_FLOORS_ADD_(f, s, a, b, past) \
  const iw_pred known = iw_lt_##f(iw_abs_##f(a), iw_splat_##f(IW_RANGE_##f)); \
  s->most = iw_max_u32(s->most, iw_select_u32(known, b, iw_splat_u32(UINT32_MAX))); \
  s->least = iw_select_##f(iw_lt_##f(iw_abs_##f(past), s->least), iw_abs_##f(past), s->least);
#endif
#define IW_FLOORS(f) \
typedef struct { iw_u32 most; iw_##f least; } iw_floors_##f; \
IW_FN void iw_floors_open_##f(iw_floors_##f *s) { s->most = iw_splat_u32(0); s->least = iw_splat_##f(1); } \
IW_FN iw_u32 iw_floors_add_##f(iw_floors_##f *s, iw_##f a) \
{ iw_##f past; const iw_u32 b = iw_floor_index_##f(a, &past); IW_FLOORS_ADD_(f, s, a, b, past) return b; } \
IW_FN int iw_floors_unambiguous_##f(const iw_floors_##f *s, uint32_t count, iws_##f tau) \
{ return iw_and_pred(iw_lt_u32(s->most, iw_splat_u32(count)), iw_gt_##f(s->least, iw_splat_##f(tau))).m == IW_ALL_LANES; }
IW_FLOORS(f32) IW_FLOORS(f64)
/* The nearest integer, of two either one, modulo 2^32; of what is out of range, and of NaNs, one that is no count. */
#ifdef IWV_HAS_MIN_DISTANCE
IW_FN iw_u32 iw_nearest_index_f32(iw_f32 a) { iw_u32 b; IW_EACH(u32, i) b.r[i] = iwv_nearest_index_f32(a.r[i]); return b; }
IW_FN iw_u32 iw_nearest_index_f64(iw_f64 a)
{ iw_u32 b; IW_EACH(u32, i) b.r[i] = iwv_nearest_index_f64(a.r[2 * i], a.r[2 * i + 1]); return b; }
#else
#define IW_NEAREST_INDEX(f) IW_FN iw_u32 iw_nearest_index_##f(iw_##f a) \
{ const iw_i32 b = iw_convert_##f##_i32(iw_floor_##f(iw_add_##f(a, iw_splat_##f(0.5)))); \
  return iw_select_u32(iw_eq_##f(a, a), iw_convert_i32_u32(b), iw_splat_u32(UINT32_MAX)); }
IW_NEAREST_INDEX(f32) IW_NEAREST_INDEX(f64)
#endif
/* Even edges: looked up, where two registers have them all, else worked out. */
typedef struct { double first, step; } iw_edges_f64;
#ifdef IWV_HAS_LOOKUP_32
typedef struct { iw_edges_f64 wide; int few; iwv_f32 low, high; } iw_edges_f32;
#else
typedef struct { iw_edges_f64 wide; } iw_edges_f32;
#endif
IW_FN void iw_edges_open_f64(iw_edges_f64 *e, uint32_t count, double first, double step)
{ (void)count; e->first = first; e->step = step; }
IW_FN void iw_edges_open_f32(iw_edges_f32 *e, uint32_t count, double first, double step)
{ iw_edges_open_f64(&e->wide, count, first, step);
#ifdef IWV_HAS_LOOKUP_32
  float table[32];
  for (int k = 0; k < 32; k++) table[k] = (float)(k * step + first);
  e->few = count <= 32; e->low = iwv_load_f32(table); e->high = iwv_load_f32(table + 16);
#endif
}
#ifdef IWV_HAS_CONVERT
IW_FN iwv_f64 iw_edges_convert_half_(const iw_edges_f64 *e, iwv_u32 k, int high)
{ return iwv_add_f64(iwv_mul_f64(iwv_convert_half_i32_f64(k, high), iwv_set1_f64(e->step)), iwv_set1_f64(e->first)); }
IW_FN iw_f64 iw_edges_at_f64(const iw_edges_f64 *e, iw_u32 k)
{ iw_f64 a; IW_EACH(f64, i) a.r[i] = iw_edges_convert_half_(e, k.r[i / 2], i % 2); return a; }
IW_FN iw_f32 iw_edges_at_f32(const iw_edges_f32 *e, iw_u32 k)
{ iw_f32 a;
#ifdef IWV_HAS_LOOKUP_32
  if (e->few) { IW_EACH(f32, i) a.r[i] = iwv_lookup_32(e->low, e->high, k.r[i]); return a; }
#endif
  IW_EACH(f32, i) a.r[i] = iwv_convert_pair_f64_f32(iw_edges_convert_half_(&e->wide, k.r[i], 0), iw_edges_convert_half_(&e->wide, k.r[i], 1));
  return a; }
#else
IW_FN iw_f64 iw_edges_at_f64(const iw_edges_f64 *e, iw_u32 k)
{ return iw_add_f64(iw_mul_f64(iw_convert_i32_f64(iw_convert_u32_i32(k)), iw_splat_f64(e->step)), iw_splat_f64(e->first)); }
IW_FN iw_f32 iw_edges_at_f32(const iw_edges_f32 *e, iw_u32 k) { return iw_convert_f64_f32(iw_edges_at_f64(&e->wide, k)); }
#endif
#define IW_AS_BITS(f, u) \
IW_FN iw_##u iw_as_bits_##f(iw_##f a) { iw_##u b; a = iw_canonical_##f(a); memcpy(&b, &a, sizeof b); return b; } \
IW_FN iw_##f iw_from_bits_##f(iw_##u a) { iw_##f b; memcpy(&b, &a, sizeof b); return b; }
IW_AS_BITS(f32, u32) IW_AS_BITS(f64, u64)

IW_FN iw_u32 iw_lane(void)
{ iws_u32 e[IW_PADDED(u32)]; for (unsigned l = 0; l < IW_PADDED(u32); l++) e[l] = l; return iw_from_array_u32(e); }

/* ---- Shuffles ---- */

#define IW_SHUFFLE(t) \
IW_FN iw_##t iw_shuffle_##t(iw_##t a, iw_u32 index, unsigned width) \
{ iws_##t x[IW_PADDED(t)], y[IW_PADDED(t)] = { 0 }; iws_u32 from[IW_PADDED(u32)]; iw_to_array_##t(x, a); iw_to_array_u32(from, index); \
  for (unsigned l = 0; l < IW_WARP_SIZE; l++) y[l] = x[iws_source_index(l, from[l], width)]; return iw_from_array_##t(y); } \
IW_FN iw_##t iw_shuffle_up_##t(iw_##t a, unsigned delta, unsigned width) \
{ iws_##t x[IW_PADDED(t)], y[IW_PADDED(t)] = { 0 }; iw_to_array_##t(x, a); \
  for (unsigned l = 0; l < IW_WARP_SIZE; l++) y[l] = x[iws_source_up(l, delta, width)]; return iw_from_array_##t(y); } \
IW_FN iw_##t iw_shuffle_down_##t(iw_##t a, unsigned delta, unsigned width) \
{ iws_##t x[IW_PADDED(t)], y[IW_PADDED(t)] = { 0 }; iw_to_array_##t(x, a); \
  for (unsigned l = 0; l < IW_WARP_SIZE; l++) y[l] = x[iws_source_down(l, delta, width)]; return iw_from_array_##t(y); } \
IW_FN iw_##t iw_shuffle_xor_##t(iw_##t a, unsigned mask, unsigned width) \
{ iws_##t x[IW_PADDED(t)], y[IW_PADDED(t)] = { 0 }; iw_to_array_##t(x, a); \
  for (unsigned l = 0; l < IW_WARP_SIZE; l++) y[l] = x[iws_source_xor(l, mask, width, IW_WARP_SIZE)]; return iw_from_array_##t(y); } \
/* One level of the tree over the lanes: lanes with bit `level` set: (last lane of the left sibling block) op (itself). */ \
IW_FN iws_##t iw_last_##t(iw_##t a) \
{ if (IW_WARP_SIZE < IW_VL_##t) return iw_at_##t(a, IW_WARP_SIZE - 1); \
  iws_##t e[IW_VL_##t]; iwv_store_##t(e, iwv_broadcast_last_##t(a.r[IW_VECTORS(t) - 1])); return e[0]; }
IW_TYPES(IW_SHUFFLE)

#define IW_TREE(op, t) \
IW_FN iw_##t iw_level_##op##_##t(iw_##t a, int level) \
{ if (1 << level < IW_VL_##t) { \
    IW_EACH(t, i) a.r[i] = iwv_blend_level_##t(level, iwv_##op##_##t(iwv_left_sibling_##t(level, a.r[i]), a.r[i]), a.r[i]); \
  } else { \
    const int d = (1 << level) / IW_VL_##t; \
    IW_EACH(t, i) if (i & d) a.r[i] = iwv_##op##_##t(iwv_broadcast_last_##t(a.r[(i & ~(2 * d - 1)) + d - 1]), a.r[i]); \
  } \
  return a; }
/* All lanes in the order of the tree. Only the last lane of each block need be right at each level. */
#define IW_REDUCE(op, t) IW_FN iws_##t iw_warp_##op##_##t(iw_##t a) \
{ IW_EACH(t, i) IW_UNROLL for (int b = 0; 1 << b < (IW_WARP_SIZE < IW_VL_##t ? IW_WARP_SIZE : IW_VL_##t); b++) \
    a.r[i] = iwv_##op##_##t(iwv_left_sibling_##t(b, a.r[i]), a.r[i]); \
  IW_UNROLL for (int d = 1; d < IW_VECTORS(t); d *= 2) \
    for (int i = 2 * d - 1; i < IW_VECTORS(t); i += 2 * d) a.r[i] = iwv_##op##_##t(a.r[i - d], a.r[i]); \
  return iw_last_##t(a); }
/* All lanes from the left; in `before` what each has in front. */
#define IW_FOLD(op, t) \
IW_FN iws_##t iw_fold_##op##_##t(iws_##t first, iw_##t a, iw_##t *before) \
{ iws_##t x[IW_PADDED(t)], y[IW_PADDED(t)] = { 0 }; iw_to_array_##t(x, a); \
  for (int l = 0; l < IW_WARP_SIZE; l++) { y[l] = first; first = iws_##op##_##t(first, x[l]); } \
  *before = iw_from_array_##t(y); return first; } \
/* The same, begun anew at the lanes of `heads`. */ \
IW_FN iws_##t iw_fold_segments_##op##_##t(iws_##t first, iw_##t a, iw_mask heads, iw_##t *before) \
{ iws_##t x[IW_PADDED(t)], y[IW_PADDED(t)] = { 0 }; iw_to_array_##t(x, a); \
  for (int l = 0; l < IW_WARP_SIZE; l++) { y[l] = first; first = heads >> l & 1 ? x[l] : iws_##op##_##t(first, x[l]); } \
  *before = iw_from_array_##t(y); return first; }
#define IW_TREES(t) IW_TREE(sum, t) IW_TREE(min, t) IW_TREE(max, t) IW_REDUCE(sum, t) IW_REDUCE(min, t) IW_REDUCE(max, t) \
  IW_FOLD(sum, t) IW_FOLD(min, t) IW_FOLD(max, t)
IW_TYPES(IW_TREES)

/* The same of an operator that is known as a function of whole warps only. iw_left_sibling_T_: what a level brings to the lanes whose bit
 * `level` is set, while the others hold anything; iw_blend_level_T_: those lanes of a, the others of b. */
#define IW_LEFT_SIBLING(t) \
IW_FN iw_##t iw_left_sibling_##t##_(int level, iw_##t a) \
{ const int d = (1 << level) / IW_VL_##t; iw_##t b = a; \
  if (d == 0) IW_EACH(t, i) b.r[i] = iwv_left_sibling_##t(level, a.r[i]); \
  else IW_EACH(t, i) if (i & d) b.r[i] = iwv_broadcast_last_##t(a.r[(i & ~(2 * d - 1)) + d - 1]); \
  return b; } \
IW_FN iw_##t iw_blend_level_##t##_(int level, iw_##t a, iw_##t b) \
{ const int d = (1 << level) / IW_VL_##t; \
  if (d == 0) IW_EACH(t, i) b.r[i] = iwv_blend_level_##t(level, a.r[i], b.r[i]); \
  else IW_EACH(t, i) if (i & d) b.r[i] = a.r[i]; \
  return b; }
IW_TYPES(IW_LEFT_SIBLING)
#define IW_TREE_OF_LANES(op, t) \
IW_FN iws_##t iws_##op##_##t(iws_##t a, iws_##t b) { return iw_at_##t(iw_##op##_##t(iw_splat_##t(a), iw_splat_##t(b)), 0); } \
IW_FN iw_##t iw_level_##op##_##t(iw_##t a, int level) \
{ return iw_blend_level_##t##_(level, iw_##op##_##t(iw_left_sibling_##t##_(level, a), a), a); } \
IW_FN iws_##t iw_warp_##op##_##t(iw_##t a) \
{ IW_UNROLL for (int b = 0; b < IW_LOG_WARP; b++) a = iw_##op##_##t(iw_left_sibling_##t##_(b, a), a); return iw_last_##t(a); } \
IW_FOLD(op, t) IW_REDUCE_AGGREGATES_OF(op, t)

/* The lanes whose value is the lane's own, as a mask in each lane; 0 in the lanes that are not asked. */
#define IW_MATCH(t) IW_FN iw_u64 iw_match_##t(iw_##t a, iw_pred some) \
{ iws_##t x[IW_PADDED(t)]; iws_u64 y[IW_PADDED(u64)] = { 0 }; iw_to_array_##t(x, a); \
  for (int l = 0; l < IW_WARP_SIZE; l++) \
    y[l] = some.m >> l & 1 ? iw_and_pred(some, iw_eq_##t(a, iw_splat_##t(x[l]))).m : 0; \
  return iw_from_array_u64(y); }
IW_INTS(IW_MATCH)

/* How many lanes of p are below each lane. */
IW_FN iw_u32 iw_rank(iw_pred p)
{ iws_u32 e[IW_PADDED(u32)]; unsigned k = 0;
  for (int l = 0; l < IW_PADDED(u32); l++) { e[l] = k; k += l < IW_WARP_SIZE ? (unsigned)(p.m >> l & 1) : 0; }
  return iw_from_array_u32(e); }

/* ---- Memory ---- */

#define IW_MEMORY(t) \
IW_FN iw_##t iw_load_##t(const iws_##t *p, iw_pred some) \
{ iw_##t a; \
  if (IW_WARP_SIZE >= IW_VL_##t && some.m == IW_ALL_LANES) return iw_from_array_##t(p); \
  IW_EACH(t, i) a.r[i] = iwv_load_masked_##t(p + i * IW_VL_##t, IW_SOME_##t(some, i)); return a; } \
IW_FN void iw_store_##t(iws_##t *p, iw_##t a, iw_pred some) \
{ a = iw_canonical_##t(a); \
  if (IW_WARP_SIZE >= IW_VL_##t && some.m == IW_ALL_LANES) { iw_to_array_##t(p, a); return; } \
  IW_EACH(t, i) iwv_store_masked_##t(p + i * IW_VL_##t, IW_SOME_##t(some, i), a.r[i]); } \
IW_FN iw_##t iw_gather_##t(const iws_##t *p, iw_u32 index, iw_pred some) \
{ iws_##t x[IW_PADDED(t)] = { 0 }; iws_u32 at[IW_PADDED(u32)]; iw_to_array_u32(at, index); \
  if (some.m == IW_ALL_LANES) { for (int l = 0; l < IW_WARP_SIZE; l++) x[l] = p[at[l]]; } \
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); x[l] = p[at[l]]; } \
  return iw_from_array_##t(x); } \
IW_FN void iw_scatter_##t(iws_##t *p, iw_u32 index, iw_##t a, iw_pred some) \
{ iws_##t x[IW_PADDED(t)]; iws_u32 at[IW_PADDED(u32)]; iw_to_array_##t(x, iw_canonical_##t(a)); iw_to_array_u32(at, index); \
  if (some.m == IW_ALL_LANES) { for (int l = 0; l < IW_WARP_SIZE; l++) p[at[l]] = x[l]; } \
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); p[at[l]] = x[l]; } } \
IW_FN iw_##t iw_gather_far_##t(const iws_##t *p, iw_u64 index, iw_pred some) \
{ iws_##t x[IW_PADDED(t)] = { 0 }; iws_u64 at[IW_PADDED(u64)]; iw_to_array_u64(at, index); \
  if (some.m == IW_ALL_LANES) { for (int l = 0; l < IW_WARP_SIZE; l++) x[l] = p[at[l]]; } \
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); x[l] = p[at[l]]; } return iw_from_array_##t(x); } \
IW_FN void iw_scatter_far_##t(iws_##t *p, iw_u64 index, iw_##t a, iw_pred some) \
{ iws_##t x[IW_PADDED(t)]; iws_u64 at[IW_PADDED(u64)]; iw_to_array_##t(x, iw_canonical_##t(a)); iw_to_array_u64(at, index); \
  if (some.m == IW_ALL_LANES) { for (int l = 0; l < IW_WARP_SIZE; l++) p[at[l]] = x[l]; } \
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); p[at[l]] = x[l]; } } \
IW_FN iws_##t iw_get_##t(const iws_##t *p) { return *p; } \
IW_FN void iw_set_##t(iws_##t *p, iws_##t v) { *p = iws_canonical_##t(v); } \
/* The same for what no text sees as bits. */ \
IW_FN void iw_set_raw_##t(iws_##t *p, iws_##t v) { *p = v; }
IW_TYPES(IW_MEMORY)

/* Bytes and 16-bit words live in u32 lanes. */
#define IW_MEMORY_NARROW(n, type) \
IW_FN iw_u32 iw_load_##n(const type *p, iw_pred some) \
{ iws_u32 x[IW_PADDED(u32)] = { 0 }; iw_u32 a; \
  if (IW_WARP_SIZE >= IW_VL_u32 && some.m == IW_ALL_LANES) { IW_EACH(u32, i) a.r[i] = iwv_widen_##n(p + i * IW_VL_u32); return a; } \
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); x[l] = p[l]; } \
  return iw_from_array_u32(x); } \
IW_FN void iw_store_##n(type *p, iw_u32 a, iw_pred some) \
{ iws_u32 x[IW_PADDED(u32)]; \
  if (IW_WARP_SIZE >= IW_VL_u32 && some.m == IW_ALL_LANES) { IW_EACH(u32, i) iwv_narrow_##n(p + i * IW_VL_u32, a.r[i]); return; } \
  iw_to_array_u32(x, a); \
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); p[l] = (type)x[l]; } } \
IW_FN iw_u32 iw_gather_##n(const type *p, iw_u32 index, iw_pred some) \
{ iws_u32 x[IW_PADDED(u32)] = { 0 }, at[IW_PADDED(u32)]; iw_to_array_u32(at, index); \
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); x[l] = p[at[l]]; } \
  return iw_from_array_u32(x); }
IW_MEMORY_NARROW(u8, uint8_t) IW_MEMORY_NARROW(u16, uint16_t)
IW_FN void iw_prefetch(const void *p, size_t bytes)
{ IW_UNROLL for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch((const char *)p + at); }
/* Which of the bytes are not 0. */
IW_FN iw_mask iw_ballot_u8(const uint8_t *p, iw_pred some)
{ iw_mask m = 0;
  if (IW_WARP_SIZE >= 32 && some.m == IW_ALL_LANES)
    IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 32) m |= (iw_mask)iwv_nonzero_32(p + l) << (l & 63);
  else for (iw_bits rest = some.m; rest; rest &= rest - 1) {
    const unsigned l = iw_lowest(rest); m |= (iw_mask)(p[l] != 0) << l; }
  return m; }

/* The selected lanes, packed, to p[0] … p[count-1]; returns count. Up to a warp's lanes behind them may be overwritten. */
#define IW_COMPACT(t) IW_FN unsigned iw_compact_##t(iws_##t *p, iw_##t a, iw_pred some) \
{ unsigned k = 0; \
  IW_EACH(t, i) { const unsigned bits = IW_BITS_OF(t, some, i); iws_##t x[IW_VL_##t]; \
    if (IW_WARP_SIZE >= IW_VL_##t) iwv_store_##t(p + k, iwv_compress_##t(bits, a.r[i])); \
    else { iwv_store_##t(x, iwv_compress_##t(bits, a.r[i])); memcpy(p + k, x, IW_WARP_SIZE * sizeof *p); } \
    k += (unsigned)__builtin_popcount(bits); } \
  return k; }
IW_COMPACT(u32) IW_COMPACT(u64)
/* Bytes and 16-bit words, which are lanes of 32 bits. */
typedef iw_u32 iw_u8; typedef iw_u32 iw_u16;
#define IW_COMPACT_NARROW(t) IW_FN unsigned iw_compact_##t(iws_##t *p, iw_##t a, iw_pred some) \
{ unsigned k = 0; \
  IW_EACH(u32, i) { const unsigned bits = IW_BITS_OF(u32, some, i); iws_##t x[IW_VL_u32]; \
    if (IW_WARP_SIZE >= IW_VL_u32) iwv_narrow_##t(p + k, iwv_compress_u32(bits, a.r[i])); \
    else { iwv_narrow_##t(x, iwv_compress_u32(bits, a.r[i])); memcpy(p + k, x, IW_WARP_SIZE * sizeof *p); } \
    k += (unsigned)__builtin_popcount(bits); } \
  return k; }
IW_COMPACT_NARROW(u8) IW_COMPACT_NARROW(u16)
#define IW_COMPACT_BOTH(t, l, store) IW_FN unsigned iw_compact_both_##t(iws_##t *p, iws_##t *q, iw_##l a, iw_pred chosen, iw_pred some) \
{ unsigned k = 0; \
  if (IW_WARP_SIZE < IW_VL_##l || some.m != IW_ALL_LANES) { \
    iw_compact_##t(q, a, iw_and_pred(some, iw_not_pred(chosen))); return iw_compact_##t(p, a, chosen); } \
  const iw_pred others = iw_not_pred(chosen); \
  IW_EACH(l, i) { const unsigned bits = IW_BITS_OF(l, chosen, i); \
    store(p + k, iwv_compress_##l(bits, a.r[i])); \
    store(q + (i * IW_VL_##l - k), iwv_compress_##l(IW_BITS_OF(l, others, i), a.r[i])); \
    k += (unsigned)__builtin_popcount(bits); } \
  return k; }
IW_COMPACT_BOTH(u8, u32, iwv_narrow_u8) IW_COMPACT_BOTH(u16, u32, iwv_narrow_u16) IW_COMPACT_BOTH(u32, u32, iwv_store_u32) IW_COMPACT_BOTH(u64, u64, iwv_store_u64)

/* ---- Atomics: lane by lane, in order; every lane of `some` gets the value from before its own operation ---- */

#define IW_ATOMIC(scope, op, t, plain, atomic) \
IW_FN iw_##t iw_##scope##_##op##_##t(const iw_block *block, iws_##t *p, iw_u32 index, iw_##t value, iw_pred some) \
{ iws_##t x[IW_PADDED(t)], old[IW_PADDED(t)] = { 0 }; iws_u32 at[IW_PADDED(u32)]; (void)block; \
  iw_to_array_##t(x, value); iw_to_array_u32(at, index); \
  if (IW_ATOMIC_PLAIN_##scope) \
    for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); iws_##t *const q = p + at[l], v = x[l]; \
      old[l] = *q; *q = plain; } \
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); iws_##t *const q = p + at[l], v = x[l]; atomic } \
  return iw_from_array_##t(old); }
#define IW_ATOMIC_PLAIN_shared (!block->is_team)
#define IW_ATOMIC_PLAIN_global 0
#define IW_ATOMIC_LOOP(t, expr) { iws_##t was = __atomic_load_n(q, __ATOMIC_RELAXED), next; \
  do next = expr; while (!__atomic_compare_exchange_n(q, &was, next, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)); old[l] = was; }
#define IW_ATOMICS_OF(scope, t) \
IW_ATOMIC(scope, add, t, iws_add_##t(*q, v), { old[l] = __atomic_fetch_add(q, v, __ATOMIC_ACQ_REL); }) \
IW_ATOMIC(scope, exchange, t, v, { old[l] = __atomic_exchange_n(q, v, __ATOMIC_ACQ_REL); }) \
IW_ATOMIC(scope, min, t, iws_min_##t(*q, v), IW_ATOMIC_LOOP(t, iws_min_##t(was, v))) \
IW_ATOMIC(scope, max, t, iws_max_##t(*q, v), IW_ATOMIC_LOOP(t, iws_max_##t(was, v))) \
IW_FN iw_##t iw_##scope##_compare_exchange_##t(const iw_block *block, iws_##t *p, iw_u32 index, iw_##t expected, iw_##t value, \
                                                 iw_pred some) \
{ iws_##t x[IW_PADDED(t)], e[IW_PADDED(t)], old[IW_PADDED(t)] = { 0 }; iws_u32 at[IW_PADDED(u32)]; (void)block; \
  iw_to_array_##t(x, value); iw_to_array_##t(e, expected); iw_to_array_u32(at, index); \
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); \
    old[l] = e[l]; __atomic_compare_exchange_n(p + at[l], &old[l], x[l], 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); } \
  return iw_from_array_##t(old); }
#define IW_ATOMICS(t) IW_ATOMICS_OF(shared, t) IW_ATOMICS_OF(global, t)
IW_INTS(IW_ATOMICS)

/* The same as adding where nobody asks for what was there. */
IW_FN void iw_global_add_noreturn_u64(const iw_block *block, uint64_t *p, iw_u32 index, iw_u64 value, iw_pred some)
{ iw_global_add_u64(block, p, index, value, some); }
/* Counters of one block in shared memory: add one (or `value`) where nobody asks for the old one. */
IW_FN void iw_count_in(const iw_block *block, uint32_t *counters, iw_u32 index, iw_pred some)
{ iws_u32 at[IW_PADDED(u32)]; iw_to_array_u32(at, index);
  if (block->is_team) { for (iw_bits m = some.m; m; m &= m - 1) __atomic_fetch_add(counters + at[iw_lowest(m)], 1, __ATOMIC_RELAXED); }
  else if (some.m == IW_ALL_LANES) { IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l++) counters[at[l]]++; }
  else for (iw_bits m = some.m; m; m &= m - 1) counters[at[iw_lowest(m)]]++; }
/* The same where each lane has a table, interleaved. */
IW_FN void iw_count_per_lane_in(const iw_block *block, uint32_t *counters, iw_u32 index, iw_pred some)
{ iw_count_in(block, counters, iw_add_u32(iw_mul_u32(index, iw_splat_u32(IW_WARP_SIZE)), iw_lane()), some); }
/* The same of counters of 16 bits, two a word. */
IW_FN void iw_count_u16_in(const iw_block *block, uint32_t *counters, iw_u32 index, iw_pred some)
{ const iw_u32 one = iw_splat_u32(1), half = iw_shl_u32(iw_and_u32(index, one), iw_splat_u32(4));
  iw_shared_add_u32(block, counters, iw_shr_u32(index, one), iw_shl_u32(one, half), some); }
/* Each lane's rank among those with its index, on top of the counter, which then counts them: counters of one warp. */
IW_FN iw_u32 iw_rank_in(uint32_t *counters, iw_u32 index, iw_pred some)
{ iws_u32 at[IW_PADDED(u32)], old[IW_PADDED(u32)] = { 0 }; iw_to_array_u32(at, index);
  if (some.m == IW_ALL_LANES) { IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l++) old[l] = counters[at[l]]++; }
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); old[l] = counters[at[l]]++; }
  return iw_from_array_u32(old); }

/* Each lane's value to where the counter of its index points, which moves on: iw_scatter to iw_rank_in. */
#define IW_APPEND(t) \
IW_FN void iw_append_##t(iws_##t *p, uint32_t *counters, iw_u32 index, iw_##t a, iw_pred some) \
{ iws_##t x[IW_PADDED(t)]; iws_u32 at[IW_PADDED(u32)]; iw_to_array_##t(x, a); iw_to_array_u32(at, index); \
  if (some.m == IW_ALL_LANES) { IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l++) p[counters[at[l]]++] = x[l]; } \
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); p[counters[at[l]]++] = x[l]; } }
IW_APPEND(u32) IW_APPEND(u64)

/* ---- Rows: 16 bytes a lane, consecutive in memory. Vector v of a row are its elements v*W … v*W + W-1 ---- */

/* By way of a second macro, so that t may be one. */
#define IW_ROW(t) IW_ROW_OF_(t)
#define IW_ROW_OF_(t) ((int)(16 / sizeof(iws_##t)) * IW_WARP_SIZE)
#define IW_ROW_VECTORS(t) ((int)(16 / sizeof(iws_##t)))
#define IW_EACH_VECTOR(t, v) IW_UNROLL for (int v = 0; v < IW_ROW_VECTORS(t); v++)
/* Far enough ahead that memory answers in time, and not further than a thread's part of the array often is; the hardware's own
 * prefetcher stops at page ends. */
#ifndef IW_PREFETCH_DISTANCE
#define IW_PREFETCH_DISTANCE 4096
#endif
IW_FN int iw_row_can_vectorize(const void *p) { (void)p; return 1; }
/* Whether there may be a NaN in some registers. */
#ifdef IWV_HAS_NAN
#define IW_MAY_HAVE_NAN(t, a, count) iwv_has_nan_##t(a, count)
#else
#define IW_MAY_HAVE_NAN(t, a, count) ((void)(a), 1)
#endif
#define IW_ROW_TYPE(t) \
typedef struct { iw_##t v[IW_ROW_VECTORS(t)]; } iw_row_##t; \
typedef struct { const iws_##t *p; int64_t valid; iws_##t absent; int again; } iw_row_##t##_pending; \
IW_FN iw_row_##t##_pending iw_row_issue_##t(const iws_##t *p, int64_t valid, iws_##t absent) \
{ iw_row_##t##_pending c = { p, valid, absent, 0 }; return c; } \
IW_FN iw_row_##t##_pending iw_row_reissue_##t(const iws_##t *p, int64_t valid, iws_##t absent) \
{ iw_row_##t##_pending c = { p, valid, absent, 1 }; return c; } \
IW_FN iw_row_##t iw_row_wait_##t(iw_row_##t##_pending c) \
{ iw_row_##t x; \
  if (c.valid >= IW_ROW(t)) { \
    if (!c.again) IW_UNROLL for (int i = 0; i < 16 * IW_WARP_SIZE; i += 64) __builtin_prefetch((const char *)c.p + IW_PREFETCH_DISTANCE + i); \
    IW_EACH_VECTOR(t, v) x.v[v] = iw_load_##t(c.p + v * IW_WARP_SIZE, iw_pred_of(IW_ALL_LANES)); \
  } else IW_EACH_VECTOR(t, v) { const iw_pred some = iw_lanes_below(c.valid - v * IW_WARP_SIZE); \
    x.v[v] = iw_select_##t(some, iw_load_##t(c.p + v * IW_WARP_SIZE, some), iw_splat_##t(c.absent)); } \
  return x; } \
IW_FN void iw_row_store_shared_##t(iws_##t *p, iw_row_##t x) \
{ IW_EACH_VECTOR(t, v) { if (IW_WARP_SIZE >= IW_VL_##t) iw_to_array_##t(p + v * IW_WARP_SIZE, x.v[v]); \
    else iwv_store_masked_##t(p + v * IW_WARP_SIZE, IW_SOME_##t(iw_pred_of(IW_ALL_LANES), 0), x.v[v].r[0]); } } \
IW_FN iw_row_##t iw_row_load_shared_##t(const iws_##t *p) \
{ iw_row_##t x; IW_EACH_VECTOR(t, v) x.v[v] = iw_load_##t(p + v * IW_WARP_SIZE, iw_pred_of(IW_ALL_LANES)); return x; } \
IW_FN iw_row_##t iw_row_canonical_##t(iw_row_##t x) \
{ iwv_##t a[IW_ROW_VECTORS(t) * IW_VECTORS(t)]; \
  IW_EACH_VECTOR(t, v) IW_EACH(t, i) a[v * IW_VECTORS(t) + i] = x.v[v].r[i]; \
  if (IW_MAY_HAVE_NAN(t, a, IW_ROW_VECTORS(t) * IW_VECTORS(t))) IW_EACH_VECTOR(t, v) x.v[v] = iw_canonical_##t(x.v[v]); \
  return x; } \
IW_FN void iw_row_store_##t(iws_##t *p, iw_row_##t x, int64_t valid, int stream) \
{ if (valid >= IW_ROW(t) && IW_WARP_SIZE >= IW_VL_##t) { \
    x = iw_row_canonical_##t(x); \
    if (stream && ((uintptr_t)p & 63) == 0) \
      IW_EACH_VECTOR(t, v) IW_EACH(t, i) iwv_stream_##t(p + v * IW_WARP_SIZE + i * IW_VL_##t, x.v[v].r[i]); \
    else IW_EACH_VECTOR(t, v) iw_to_array_##t(p + v * IW_WARP_SIZE, x.v[v]); \
  } else if (valid >= IW_ROW(t)) { IW_EACH_VECTOR(t, v) iw_store_##t(p + v * IW_WARP_SIZE, x.v[v], iw_pred_of(IW_ALL_LANES)); \
  } else if (valid > 0) { IW_EACH_VECTOR(t, v) { const iw_pred some = iw_lanes_below(valid - v * IW_WARP_SIZE); \
    iw_store_##t(p + v * IW_WARP_SIZE, x.v[v], some); } } } \
/* The lanes of a row's vector, and which elements of the row they are. */ \
IW_FN iw_##t iw_row_vector_##t(iw_row_##t x, int v) { return x.v[v]; } \
IW_FN iws_##t iw_row_last_##t(iw_row_##t x) { return iw_last_##t(x.v[IW_ROW_VECTORS(t) - 1]); } \
IW_FN iw_row_##t iw_row_splat_##t(iws_##t a) { iw_row_##t x; IW_EACH_VECTOR(t, v) x.v[v] = iw_splat_##t(a); return x; } \
IW_FN iw_pred iw_row_valid_##t(int v, int64_t valid) { return iw_lanes_below(valid - v * IW_WARP_SIZE); } \
/* The row moved up by one element, `first` in front. */ \
IW_FN iw_row_##t iw_row_shift_##t(iw_row_##t x, iws_##t first) \
{ iws_##t e[IW_ROW(t) + IW_PADDED(t) + 1]; \
  if (IW_WARP_SIZE < IW_VL_##t) { e[0] = first; iw_row_store_shared_##t(e + 1, x); return iw_row_load_shared_##t(e); } \
  iwv_##t left = iwv_set1_##t(first); \
  IW_EACH_VECTOR(t, v) IW_EACH(t, i) { const iwv_##t a = x.v[v].r[i]; x.v[v].r[i] = iwv_shift_in_##t(left, a); left = a; } \
  return x; }
IW_TYPES(IW_ROW_TYPE)

#define IW_ROW_OP(op, t) \
IW_FN iw_row_##t iw_row_##op##_##t(iws_##t left, iw_row_##t x) \
{ const iw_##t l = iw_splat_##t(left); IW_EACH_VECTOR(t, v) IW_EACH(t, i) x.v[v].r[i] = iwv_##op##_##t(l.r[i], x.v[v].r[i]); return x; } \
IW_FN iwv_##t iw_row_broadcast_last_##op##_##t(iw_##t a) \
{ return IW_WARP_SIZE < IW_VL_##t ? iwv_set1_##t(iw_last_##t(a)) : iwv_broadcast_last_##t(a.r[IW_VECTORS(t) - 1]); } \
/* The tree over a row: in the lanes of each vector, then over the vectors. */ \
IW_FN iw_row_##t iw_row_inclusive_prefix_##op##_##t(iw_row_##t x) \
{ IW_EACH_VECTOR(t, v) IW_UNROLL for (int b = 0; b < IW_LOG_WARP; b++) x.v[v] = iw_level_##op##_##t(x.v[v], b); \
  IW_UNROLL for (int d = 1; d < IW_ROW_VECTORS(t); d *= 2) IW_EACH_VECTOR(t, v) if (v & d) { \
    const iwv_##t left = iw_row_broadcast_last_##op##_##t(x.v[(v & ~(2 * d - 1)) + d - 1]); \
    IW_EACH(t, i) x.v[v].r[i] = iwv_##op##_##t(left, x.v[v].r[i]); } \
  return x; } \
/* The last of that alone: neighbours by twos, in half as many vectors each time. */ \
IW_FN iwv_##t iw_row_combine_pairs_##op##_##t(int step, iwv_##t a, iwv_##t b) \
{ return iwv_##op##_##t(iwv_evens_##t(step, a, b), iwv_odds_##t(step, a, b)); } \
IW_FN iws_##t iw_row_reduce_##op##_##t(iw_row_##t x) \
{ iwv_##t a[IW_ROW_VECTORS(t) * IW_VECTORS(t)]; iws_##t e[IW_VL_##t]; int step = 0; \
  if (IW_WARP_SIZE < IW_VL_##t) return iw_row_last_##t(iw_row_inclusive_prefix_##op##_##t(x)); \
  IW_EACH_VECTOR(t, v) IW_EACH(t, i) a[v * IW_VECTORS(t) + i] = x.v[v].r[i]; \
  IW_UNROLL for (int k = IW_ROW_VECTORS(t) * IW_VECTORS(t) / 2; k > 0; k /= 2, step++) \
    IW_UNROLL for (int i = 0; i < k; i++) a[i] = iw_row_combine_pairs_##op##_##t(step, a[2 * i], a[2 * i + 1]); \
  IW_UNROLL for (int k = IW_VL_##t; k > 1; k /= 2, step++) a[0] = iw_row_combine_pairs_##op##_##t(step, a[0], a[0]); \
  iwv_store_##t(e, a[0]); \
  return e[0]; }
/* The same of an operator that is known as a function of whole warps only. iw_even_or_odd_T_: of the lanes of a and of b behind them,
 * the first of each two, or the second. */
#define IW_EVEN_OR_ODD(t) \
IW_FN iw_##t iw_even_or_odd_##t##_(int step, iw_##t a, iw_##t b, int second) \
{ iwv_##t x[2 * IW_VECTORS(t)]; iw_##t c; \
  IW_EACH(t, i) { x[i] = a.r[i]; x[IW_VECTORS(t) + i] = b.r[i]; } \
  IW_EACH(t, i) c.r[i] = second ? iwv_odds_##t(step, x[2 * i], x[2 * i + 1]) : iwv_evens_##t(step, x[2 * i], x[2 * i + 1]); \
  return c; }
IW_TYPES(IW_EVEN_OR_ODD)
#define IW_ROW_OP_OF_LANES(op, t) \
IW_FN iw_row_##t iw_row_##op##_##t(iws_##t left, iw_row_##t x) \
{ const iw_##t l = iw_splat_##t(left); IW_EACH_VECTOR(t, v) x.v[v] = iw_##op##_##t(l, x.v[v]); return x; } \
IW_FN iw_row_##t iw_row_inclusive_prefix_##op##_##t(iw_row_##t x) \
{ IW_EACH_VECTOR(t, v) IW_UNROLL for (int b = 0; b < IW_LOG_WARP; b++) x.v[v] = iw_level_##op##_##t(x.v[v], b); \
  IW_UNROLL for (int d = 1; d < IW_ROW_VECTORS(t); d *= 2) IW_EACH_VECTOR(t, v) if (v & d) { \
    const iw_##t left = iw_splat_##t(iw_last_##t(x.v[(v & ~(2 * d - 1)) + d - 1])); \
    x.v[v] = iw_##op##_##t(left, x.v[v]); } \
  return x; } \
IW_FN iw_##t iw_combine_pairs_##op##_##t(int step, iw_##t a, iw_##t b) \
{ return iw_##op##_##t(iw_even_or_odd_##t##_(step, a, b, 0), iw_even_or_odd_##t##_(step, a, b, 1)); } \
IW_FN iws_##t iw_row_reduce_##op##_##t(iw_row_##t x) \
{ int step = 0; \
  if (IW_WARP_SIZE < IW_VL_##t) return iw_row_last_##t(iw_row_inclusive_prefix_##op##_##t(x)); \
  IW_UNROLL for (int k = IW_ROW_VECTORS(t) / 2; k > 0; k /= 2, step++) \
    IW_UNROLL for (int v = 0; v < k; v++) x.v[v] = iw_combine_pairs_##op##_##t(step, x.v[2 * v], x.v[2 * v + 1]); \
  IW_UNROLL for (int b = 0; b < IW_LOG_WARP; b++) x.v[0] = iw_combine_pairs_##op##_##t(step + b, x.v[0], x.v[0]); \
  return iw_at_##t(x.v[0], 0); }
#define IW_ROW_OPS(t) IW_ROW_OP(sum, t) IW_ROW_OP(min, t) IW_ROW_OP(max, t)
IW_TYPES(IW_ROW_OPS)

/* Heads of segments: element e of a row is bit e % 64 of word e / 64. Register i of vector v has elements from IW_FIRST_ELEMENT_ on. */
#define IW_FIRST_ELEMENT_(t, v, i) ((v) * IW_WARP_SIZE + (i) * IW_VL_##t)
#define IW_LANES_OF_REGISTER_(t) (IW_WARP_SIZE < IW_VL_##t ? IW_WARP_SIZE : IW_VL_##t)
#define IW_ROW_WORDS(t) ((IW_ROW(t) + 63) / 64)
#define IW_EACH_WORD(t, w) IW_UNROLL for (int w = 0; w < IW_ROW_WORDS(t); w++)
/* The lanes of a register that a row's words have. */
#define IW_REGISTER_MASK_(t, words, v, i) iwv_mask_from_word_##t((words)[IW_FIRST_ELEMENT_(t, v, i) / 64], IW_FIRST_ELEMENT_(t, v, i) % 64)
#define IW_SEGMENTS(t) \
typedef struct { uint64_t m[IW_ROW_WORDS(t)]; } iw_row_##t##_heads; \
IW_FN iw_row_##t##_heads iw_row_heads_##t(const uint32_t *bits, size_t at) \
{ iw_row_##t##_heads h; const uint32_t *const p = bits + at / 32; \
  if (IW_ROW(t) < 64) h.m[0] = p[0] >> at % 32 & (((uint64_t)1 << (IW_ROW(t) & 63)) - 1); \
  else IW_EACH_WORD(t, w) h.m[w] = p[2 * w] | (uint64_t)p[2 * w + 1] << 32; \
  return h; } \
IW_FN int iw_row_has_head_##t(iw_row_##t##_heads h) \
{ uint64_t any = 0; IW_EACH_WORD(t, w) any |= h.m[w]; return any != 0; } \
/* The elements in front of the first head. */ \
IW_FN iw_row_##t##_heads iw_row_carry_in_##t(iw_row_##t##_heads h) \
{ uint64_t open = UINT64_MAX; \
  IW_EACH_WORD(t, w) { const uint64_t m = h.m[w]; h.m[w] = (m - 1) & ~m & open; open = m ? 0 : open; } \
  return h; } \
/* Those in front of the last. */ \
IW_FN iw_row_##t##_heads iw_row_before_last_head_##t(iw_row_##t##_heads h) \
{ uint64_t past = 0; \
  IW_UNROLL for (int w = IW_ROW_WORDS(t) - 1; w >= 0; w--) { const uint64_t m = h.m[w]; \
    h.m[w] = past | (m ? ((uint64_t)1 << iw_highest(m)) - 1 : 0); past = m ? UINT64_MAX : past; } \
  return h; } \
IW_FN iw_row_##t iw_row_select_##t(iw_row_##t##_heads h, iw_row_##t a, iw_row_##t b) \
{ IW_EACH_VECTOR(t, v) IW_EACH(t, i) a.v[v].r[i] = iwv_blend_##t(IW_REGISTER_MASK_(t, h.m, v, i), a.v[v].r[i], b.v[v].r[i]); return a; } \
/* The last lane, in every lane, of the register that has the element. */ \
IW_FN iwv_##t iw_row_broadcast_last_##t(iw_row_##t x, int element) \
{ const iw_##t a = x.v[element / IW_WARP_SIZE]; \
  return IW_WARP_SIZE < IW_VL_##t ? iwv_set1_##t(iw_last_##t(a)) : iwv_broadcast_last_##t(a.r[element % IW_WARP_SIZE / IW_VL_##t]); }
IW_TYPES(IW_SEGMENTS)

/* The second of two sibling blocks of d elements is bits of `odd`; what has a head from its block's beginning on is `seen`. */
#define IW_ROW_SEGMENTS(op, t) \
IW_FN iw_row_##t iw_row_segmented_prefix_##op##_##t(iw_row_##t x, iw_row_##t##_heads h) \
{ uint64_t seen[IW_ROW_WORDS(t)]; \
  if (!iw_row_has_head_##t(h)) return iw_row_inclusive_prefix_##op##_##t(x); \
  IW_EACH_WORD(t, w) seen[w] = h.m[w]; \
  IW_UNROLL for (int b = 0; 1 << b < IW_ROW(t); b++) { \
    const int d = 1 << b; \
    const uint64_t odd = d < 64 ? UINT64_MAX / (((uint64_t)1 << (d & 63)) + 1) << (d & 63) : UINT64_MAX; \
    uint64_t open[IW_ROW_WORDS(t)]; \
    IW_EACH_WORD(t, w) open[w] = ~seen[w] & odd; \
    IW_EACH_VECTOR(t, v) IW_EACH(t, i) { \
      const iwv_##t a = x.v[v].r[i]; const int from = IW_FIRST_ELEMENT_(t, v, i); \
      if (d < IW_LANES_OF_REGISTER_(t)) \
        x.v[v].r[i] = iwv_blend_##t(IW_REGISTER_MASK_(t, open, v, i), iwv_##op##_##t(iwv_left_sibling_##t(b, a), a), a); \
      else if (from & d) \
        x.v[v].r[i] = iwv_blend_##t(IW_REGISTER_MASK_(t, open, v, i), iwv_##op##_##t(iw_row_broadcast_last_##t(x, (from & -d) - 1), a), a); } \
    IW_EACH_WORD(t, w) { \
      if (d < 64) { const uint64_t end = seen[w] & odd >> 1 & ~odd; seen[w] |= (end << 1 << (d & 63)) - (end << 1); } \
      else if (w & d / 64) seen[w] |= -(seen[(w & -(d / 64)) - 1] >> 63); } \
  } \
  return x; } \
/* The last of that alone: nothing in front of the last head reaches it. */ \
IW_FN iws_##t iw_row_last_segment_reduce_##op##_##t(iw_row_##t x, iw_row_##t##_heads h) \
{ return iw_row_reduce_##op##_##t(iw_row_select_##t(iw_row_before_last_head_##t(h), iw_row_splat_##t(iws_identity_##op##_##t()), x)); } \
/* left op each element that is in front of all heads. */ \
IW_FN iw_row_##t iw_row_carry_in_##op##_##t(iws_##t left, iw_row_##t x, iw_row_##t##_heads h) \
{ if (!iw_row_has_head_##t(h)) return iw_row_##op##_##t(left, x); \
  return iw_row_select_##t(iw_row_carry_in_##t(h), iw_row_##op##_##t(left, x), x); }
#define IW_ROW_SEGMENTS_ALL(t) IW_ROW_SEGMENTS(sum, t) IW_ROW_SEGMENTS(min, t) IW_ROW_SEGMENTS(max, t)
IW_TYPES(IW_ROW_SEGMENTS_ALL)

#define IW_ROW_NARROW(n, type) \
typedef struct { const type *p; int64_t valid; } iw_row_##n; typedef iw_row_##n iw_row_##n##_pending; \
IW_FN iw_row_##n##_pending iw_row_issue_##n(const type *p, int64_t valid) { iw_row_##n c = { p, valid }; return c; } \
IW_FN iw_row_##n iw_row_wait_##n(iw_row_##n##_pending c) \
{ if (c.valid >= (int)(16 / sizeof(type)) * IW_WARP_SIZE) \
    IW_UNROLL for (int i = 0; i < 16 * IW_WARP_SIZE; i += 64) __builtin_prefetch((const char *)c.p + IW_PREFETCH_DISTANCE + i); \
  return c; } \
IW_FN iw_u32 iw_row_vector_##n(iw_row_##n x, int v) \
{ return iw_load_##n(x.p + v * IW_WARP_SIZE, iw_lanes_below(x.valid - v * IW_WARP_SIZE)); } \
IW_FN iw_pred iw_row_valid_##n(int v, int64_t valid) { return iw_lanes_below(valid - v * IW_WARP_SIZE); }
IW_ROW_NARROW(u8, uint8_t) IW_ROW_NARROW(u16, uint16_t)

/* A row of t whose elements in memory are s, by a lane function. */
#define IW_ROW_BY(t, name, s, function) \
typedef struct { const iws_##s *p; int64_t valid; iws_##t absent; int again; } iw_row_##t##_from_##name##_pending; \
IW_FN iw_row_##t##_from_##name##_pending iw_row_issue_##t##_from_##name(const iws_##s *p, int64_t valid, iws_##t absent) \
{ iw_row_##t##_from_##name##_pending c = { p, valid, absent, 0 }; return c; } \
IW_FN iw_row_##t##_from_##name##_pending iw_row_reissue_##t##_from_##name(const iws_##s *p, int64_t valid, iws_##t absent) \
{ iw_row_##t##_from_##name##_pending c = { p, valid, absent, 1 }; return c; } \
IW_FN iw_row_##t iw_row_wait_##t##_from_##name(iw_row_##t##_from_##name##_pending c) \
{ iw_row_##t x; \
  if (c.valid >= IW_ROW(t)) { \
    if (!c.again) \
      for (int i = 0; i < IW_ROW(t) * (int)sizeof(iws_##s); i += 64) __builtin_prefetch((const char *)c.p + IW_PREFETCH_DISTANCE + i); \
    IW_EACH_VECTOR(t, v) x.v[v] = function(iw_load_##s(c.p + v * IW_WARP_SIZE, iw_pred_of(IW_ALL_LANES))); \
  } else IW_EACH_VECTOR(t, v) { const iw_pred some = iw_lanes_below(c.valid - v * IW_WARP_SIZE); \
    x.v[v] = iw_select_##t(some, function(iw_load_##s(c.p + v * IW_WARP_SIZE, some)), iw_splat_##t(c.absent)); } \
  return x; }
#define IW_ROW_FROM(t, s, l) IW_ROW_BY(t, s, s, iw_convert_##l##_##t)
IW_ROW_FROM(u32, u8, u32) IW_ROW_FROM(u64, u8, u32) IW_ROW_FROM(i64, i32, i32) IW_ROW_FROM(u64, u32, u32) IW_ROW_FROM(f64, f32, f32)

/* Marks of a row's elements, a bit each, the lanes of a vector in a word. A row that was read is where it is in memory, and loaded when it is looked at. */
typedef struct { unsigned n; } iw_count_accumulator;
IW_FN unsigned iw_count_total(iw_count_accumulator tally) { return tally.n; }
#define IW_ROW_FLAGS(t) \
typedef struct { iw_bits m[IW_ROW_VECTORS(t)]; } iw_row_##t##_flags; \
/* Those of a row at a multiple of its length, of which `each` elements, 1 or 2, have a bit; warps have 32 lanes. */ \
IW_FN iw_row_##t##_flags iw_row_load_flags_##t(const uint32_t *bits, size_t at, int each) \
{ iw_row_##t##_flags m; \
  IW_EACH_VECTOR(t, v) { const size_t i = at + (size_t)v * IW_WARP_SIZE; \
    m.m[v] = each == 1 ? bits[i / 32] : iws_duplicate_bits(bits[i / 64] >> i / 2 % 32 & 0xffff); } \
  return m; } \
typedef struct { iw_row_##t##_flags m[IW_FLAG_SET_ROWS]; } iw_row_##t##_flag_set; \
IW_FN void iw_row_set_flags_##t(iw_row_##t##_flag_set *kept, int k, iw_row_##t##_flags m) { kept->m[k] = m; } \
IW_FN void iw_row_restrict_flags_##t(iw_row_##t##_flag_set *kept, int rows, int others, int64_t valid) \
{ for (int k = 0; k < rows; k++) IW_EACH_VECTOR(t, v) kept->m[k].m[v] = (kept->m[k].m[v] ^ (others ? IW_ALL_LANES : 0)) \
    & iw_lanes_below(valid - k * IW_ROW(t) - v * IW_WARP_SIZE).m; } \
IW_FN void iw_row_count_flags_##t(iw_count_accumulator *tally, const iw_row_##t##_flag_set *kept, int rows) \
{ for (int k = 0; k < rows; k++) IW_EACH_VECTOR(t, v) tally->n += iw_popcount(kept->m[k].m[v]); } \
IW_NOINLINE_FN unsigned iw_row_compact_##t(iws_##t *p, unsigned front, unsigned rest, int both, const iw_row_##t##_view *x, int rows, \
                                  const iw_row_##t##_flag_set *kept) \
{ enum { ROOM = IW_ROW(t) + IW_PADDED(u32) }; iws_##t marked[ROOM], others[ROOM]; unsigned all = 0; \
  for (int i = 0; i < rows; i++) { unsigned k = 0; \
    IW_EACH_VECTOR(t, v) k += iw_compact_both_##t(marked + k, others + ((unsigned)v * IW_WARP_SIZE - k), iw_row_view_vector_##t(x[i], v), \
                                             iw_pred_of(kept->m[i].m[v]), iw_pred_of(IW_ALL_LANES)); \
    memcpy(p + front, marked, k * sizeof *p); if (both) memcpy(p + rest, others, (IW_ROW(t) - k) * sizeof *p); \
    front += k; rest += IW_ROW(t) - k; all += k; } \
  return all; } \
IW_FN unsigned iw_flush_##t(iws_##t *out, iws_##t *staged, unsigned count, int all, int stream) \
{ const unsigned bytes = count * (unsigned)sizeof *out; char *const to = (char *)out, *const from = (char *)staged; \
  return (stream && !all && (uintptr_t)to % IW_LINE == 0 ? iw_stream_whole_lines_(to, from, bytes) : iw_flush_bytes_(to, from, bytes, all, stream)) \
    / (unsigned)sizeof *out; } \
IW_FN void iw_block_store_##t(iws_##t *to, const iws_##t *from, unsigned count, unsigned warp, unsigned warps) \
{ const unsigned first = (unsigned)((uint64_t)count * warp / warps), end = (unsigned)((uint64_t)count * (warp + 1) / warps); \
  memcpy(to + first, from + first, (end - first) * sizeof *to); }
/* A row that is looked at: of memory, or of numbers. */
#define IW_ROW_VIEW(t) \
typedef struct { const iws_##t *p; int64_t valid; uint64_t first; } iw_row_##t##_view; \
IW_FN iw_row_##t##_view iw_row_view_##t(const iws_##t *p, int64_t valid) { iw_row_##t##_view x = { p, valid, 0 }; return x; }
#define IW_ROW_VIEW_VECTOR_NARROW(t) IW_FN iw_##t iw_row_view_vector_##t(iw_row_##t##_view x, int v) \
{ return iw_load_##t(x.p + v * IW_WARP_SIZE, x.valid >= IW_ROW(t) ? iw_pred_of(IW_ALL_LANES) : iw_lanes_below(x.valid - v * IW_WARP_SIZE)); }
#define IW_ROW_VIEW_VECTOR(t) \
IW_FN iw_row_##t##_view iw_row_iota_##t(uint64_t first) { iw_row_##t##_view x = { 0, 0, first }; return x; } \
IW_FN iw_##t iw_row_view_vector_##t(iw_row_##t##_view x, int v) \
{ if (!x.p) return iw_add_##t(iw_splat_##t((iws_##t)(x.first + (unsigned)v * IW_WARP_SIZE)), iw_convert_u32_##t(iw_lane())); \
  return iw_load_##t(x.p + v * IW_WARP_SIZE, x.valid >= IW_ROW(t) ? iw_pred_of(IW_ALL_LANES) : iw_lanes_below(x.valid - v * IW_WARP_SIZE)); }
#define IW_ROW_FLAG_SET_OPS(t) \
IW_FN void iw_row_set_vector_flags_##t(iw_row_##t##_flag_set *kept, int k, int v, iw_pred p) { kept->m[k].m[v] = p.m; } \
IW_FN void iw_row_store_flags_##t(uint32_t *bits, size_t at, iw_row_##t##_flag_set kept, int rows) \
{ for (int k = 0; k < rows; k++) IW_EACH_VECTOR(t, v) bits[at / 32 + (size_t)(k * IW_ROW_VECTORS(t) + v)] = (uint32_t)kept.m[k].m[v]; } \
typedef struct { const uint8_t *p; int64_t valid; } iw_row_##t##_flags_pending; \
IW_FN iw_row_##t##_flags_pending iw_row_issue_flags_##t(const uint8_t *p, int64_t valid) { iw_row_##t##_flags_pending f = { p, valid }; return f; } \
IW_FN iw_row_##t##_flags iw_row_wait_flags_##t(iw_row_##t##_flags_pending f) \
{ iw_row_##t##_flags m; \
  IW_EACH_VECTOR(t, v) m.m[v] = (iw_bits)iw_ballot_u8(f.p + v * IW_WARP_SIZE, iw_lanes_below(f.valid - v * IW_WARP_SIZE)); \
  return m; }
/* Whole lines go past the caches, and between them nothing is written to memory; what is less than a line stays, in front. */
enum { IW_LINE = 64, IW_REGISTER = IW_VL_u32 * 4 };
IW_FN unsigned iw_stream_whole_lines_(char *out, char *staged, unsigned count)
{ const unsigned end = count / IW_LINE * IW_LINE;
  for (unsigned i = 0; i < end; i += IW_LINE)
    IW_UNROLL for (unsigned j = i; j < i + IW_LINE; j += IW_REGISTER)
      iwv_stream_u32((iws_u32 *)(void *)(out + j), iwv_load_u32((const iws_u32 *)(void *)(staged + j)));
  IW_UNROLL for (unsigned j = 0; j < IW_LINE; j += IW_REGISTER)
    iwv_store_u32((iws_u32 *)(void *)(staged + j), iwv_load_u32((const iws_u32 *)(void *)(staged + end + j)));
  return end; }
IW_NOINLINE_FN unsigned iw_flush_bytes_(char *out, char *staged, unsigned count, int all, int stream)
{ const unsigned head = (unsigned)(-(uintptr_t)out % IW_LINE);
  if (!stream || count < head + IW_LINE) {
    if (stream && !all) return 0;
    memcpy(out, staged, count); return count; }
  memcpy(out, staged, head);
  if (head) memmove(staged, staged + head, count - head);
  const unsigned end = iw_stream_whole_lines_(out + head, staged, count - head);
  if (!all) return head + end;
  memcpy(out + head + end, staged, count - head - end); return count; }
IW_ROW_VIEW(u8) IW_ROW_VIEW(u16) IW_ROW_VIEW(u32) IW_ROW_VIEW(u64)
IW_ROW_VIEW_VECTOR_NARROW(u8) IW_ROW_VIEW_VECTOR_NARROW(u16) IW_ROW_VIEW_VECTOR(u32) IW_ROW_VIEW_VECTOR(u64)
IW_ROW_FLAGS(u8) IW_ROW_FLAGS(u16) IW_ROW_FLAGS(u32) IW_ROW_FLAGS(u64)
IW_ROW_FLAG_SET_OPS(u32) IW_ROW_FLAG_SET_OPS(u64)

/* ---- Piles: elements that go to many places at a time ---- */

typedef struct { uint64_t half[2]; } iws_u128;
#define IW_MOVED(X) X(u8) X(u16) X(u32) X(u64) X(u128)

/* Counters of which there are IW_COUNT_REPLICAS tables, `each` counters apart, so that lanes with one index do not wait for each other;
 * or one, with 0. */
#define IW_COUNT_REPLICAS 4
IW_FN void iw_count_replicated_in(const iw_block *block, uint32_t *counters, unsigned each, iw_u32 index, iw_pred some)
{ iws_u32 at[IW_PADDED(u32)]; iw_to_array_u32(at, index);
  if (block->is_team) iw_count_in(block, counters, index, some);
  else if (some.m == IW_ALL_LANES) { IW_UNROLL for (unsigned l = 0; l < IW_WARP_SIZE; l++) counters[l % IW_COUNT_REPLICAS * each + at[l]]++; }
  else for (iw_bits m = some.m; m; m &= m - 1) counters[at[iw_lowest(m)]]++; }

/* iw_rank_in by (word >> shift) & mask of one lane value after the other; ranks are less than 2^16, two in each. */
IW_FN void iw_rank_digits_in(uint32_t *counters, const iw_u32 *words, unsigned shift, uint32_t mask, iw_u32 *ranks, int count)
{ for (int k = 0; k < count; k++) {
    const iw_u32 index = iw_and_u32(iw_shr_u32(words[k], iw_splat_u32(shift)), iw_splat_u32(mask));
    const iw_u32 rank = iw_rank_in(counters, index, iw_pred_of(IW_ALL_LANES));
    ranks[k / 2] = k % 2 ? iw_or_u32(ranks[k / 2], iw_shl_u32(rank, iw_splat_u32(16))) : rank; } }

/* So many bits of each lane, less than 32, from bit `at` on. */
IW_FN iw_u32 iw_bitfield_extract(iw_u32 a, unsigned at, unsigned bits)
{ return iw_and_u32(iw_shr_u32(a, iw_splat_u32(at)), iw_splat_u32((1u << bits) - 1)); }

/* iw_scatter of bits that nobody looks at before the next phase. */
#define IW_SCATTER_BITS(t, l) \
IW_FN void iw_scatter_bits_##t(iws_##t *p, iw_u32 index, iw_##l a, iw_pred some) \
{ iws_##l x[IW_PADDED(l)]; iws_u32 at[IW_PADDED(u32)]; iw_to_array_##l(x, a); iw_to_array_u32(at, index); \
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned k = iw_lowest(m); p[at[k]] = (iws_##t)x[k]; } } \
IW_FN void iw_scatter_bits_far_##t(iws_##t *p, iw_u64 index, iw_##l a, iw_pred some) \
{ iws_##l x[IW_PADDED(l)]; iws_u64 at[IW_PADDED(u64)]; iw_to_array_##l(x, a); iw_to_array_u64(at, index); \
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned k = iw_lowest(m); p[at[k]] = (iws_##t)x[k]; } }
IW_SCATTER_BITS(u8, u32) IW_SCATTER_BITS(u16, u32) IW_SCATTER_BITS(u32, u32) IW_SCATTER_BITS(u64, u64)
#define IW_GATHER_FAR(t) IW_FN iw_u32 iw_gather_far_##t(const iws_##t *p, iw_u64 index, iw_pred some) \
{ iws_u32 x[IW_PADDED(u32)] = { 0 }; iws_u64 at[IW_PADDED(u64)]; iw_to_array_u64(at, index); \
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); x[l] = p[at[l]]; } \
  return iw_from_array_u32(x); }
IW_GATHER_FAR(u8) IW_GATHER_FAR(u16)

/* A pile's elements are gathered in a few lines of shared memory, which go to memory when they are full: whole lines, past the
 * caches where that pays. next: an element of `lines`; to: what these lines are in memory; head: elements of them that are
 * in front of the pile. */
enum { IW_MAX_WRITE_BUFFERS = 256, IW_WRITE_BUFFER_BYTES = 512 };
typedef struct {
  unsigned char lines[IW_MAX_WRITE_BUFFERS * IW_WRITE_BUFFER_BYTES];
  uint64_t to[IW_MAX_WRITE_BUFFERS];
  uint32_t next[IW_MAX_WRITE_BUFFERS], head[IW_MAX_WRITE_BUFFERS];
  unsigned char *out;
  int stream;
} iw_write_buffers;
IW_FN void iw_write_buffer_store_line_(unsigned char *to, const unsigned char *line, int stream)
{ if (!stream) memcpy(to, line, IW_WRITE_BUFFER_BYTES);
  else IW_UNROLL for (int j = 0; j < IW_WRITE_BUFFER_BYTES / 4; j += IW_VL_u32)
    iwv_stream_u32((uint32_t *)to + j, iwv_load_u32((const uint32_t *)line + j)); }
#define IW_WRITE_BUFFER_OF(t) \
enum { IW_WRITE_BUFFER_##t = IW_WRITE_BUFFER_BYTES / (int)sizeof(iws_##t) }; \
IW_NOINLINE_FN void iw_write_buffers_open_##t(iw_write_buffers *piles, iws_##t *out, const uint64_t *places, unsigned count, int stream) \
{ piles->out = (unsigned char *)out; piles->stream = stream; \
  for (unsigned d = 0; d < count; d++) { \
    const uint32_t head = (uint32_t)((uintptr_t)(out + places[d]) / sizeof *out % IW_WRITE_BUFFER_##t); \
    piles->to[d] = places[d] - head; piles->head[d] = head; piles->next[d] = d * IW_WRITE_BUFFER_##t + head; } } \
/* A pile has reached the end of its lines, or ends. */ \
IW_NOINLINE_FN void iw_write_buffer_flush_##t(iw_write_buffers *piles, unsigned d, uint32_t end) \
{ unsigned char *const to = piles->out + piles->to[d] * sizeof(iws_##t), *const line = piles->lines + d * IW_WRITE_BUFFER_BYTES; \
  const size_t head = piles->head[d] * sizeof(iws_##t), size = (end - d * IW_WRITE_BUFFER_##t) * sizeof(iws_##t); \
  if (head == 0 && size == IW_WRITE_BUFFER_BYTES) iw_write_buffer_store_line_(to, line, piles->stream); \
  else memcpy(to + head, line + head, size - head); \
  piles->to[d] += IW_WRITE_BUFFER_##t; piles->head[d] = 0; piles->next[d] = d * IW_WRITE_BUFFER_##t; } \
IW_FN void iw_write_buffer_append_one_##t(iw_write_buffers *piles, unsigned d, const iws_##t *x) \
{ const uint32_t at = piles->next[d]; \
  ((iws_##t *)(void *)piles->lines)[at] = *x; \
  if (__builtin_expect((at + 1) % IW_WRITE_BUFFER_##t == 0, 0)) iw_write_buffer_flush_##t(piles, d, at + 1); \
  else piles->next[d] = at + 1; } \
IW_FN void iw_write_buffer_append_##t(iw_write_buffers *piles, const iws_##t *in, iw_u32 index, iw_pred some) \
{ iws_u32 at[IW_PADDED(u32)]; iw_to_array_u32(at, index); \
  if (some.m == IW_ALL_LANES) { IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l++) iw_write_buffer_append_one_##t(piles, at[l], in + l); } \
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); iw_write_buffer_append_one_##t(piles, at[l], in + l); } } \
IW_FN void iw_write_buffer_append_both_##t(iw_write_buffers *p, const iws_##t *in_p, iw_u32 index_p, iw_write_buffers *q, const iws_##t *in_q, iw_u32 index_q) \
{ iws_u32 at_p[IW_PADDED(u32)], at_q[IW_PADDED(u32)]; iw_to_array_u32(at_p, index_p); iw_to_array_u32(at_q, index_q); \
  IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l++) { \
    iw_write_buffer_append_one_##t(p, at_p[l], in_p + l); iw_write_buffer_append_one_##t(q, at_q[l], in_q + l); } } \
IW_NOINLINE_FN void iw_write_buffers_close_##t(iw_write_buffers *piles, unsigned count) \
{ for (unsigned d = 0; d < count; d++) \
    if (piles->next[d] != d * IW_WRITE_BUFFER_##t + piles->head[d]) iw_write_buffer_flush_##t(piles, d, piles->next[d]); } \
/* Where the piles are few and short: each lane's element of `in` to where the counter of its index points, which moves on. */ \
IW_FN void iw_scatter_ranked_##t(iws_##t *out, uint32_t *counters, const iws_##t *in, iw_u32 index, iw_pred some) \
{ iws_u32 at[IW_PADDED(u32)]; iw_to_array_u32(at, index); \
  if (some.m == IW_ALL_LANES) { IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l++) out[counters[at[l]]++] = in[l]; } \
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); out[counters[at[l]]++] = in[l]; } }
IW_MOVED(IW_WRITE_BUFFER_OF)

/* ---- Blocks ---- */

IW_FN void iw_barrier_(const iw_block *block) { if (block->is_team) block->barrier(); }
#define IW_WARPS(warp) for (unsigned warp = block->first_warp; warp < block->warps; warp += block->warp_stride)
#define IW_PHASE(warp) for (int iw_phase_once_ = 1; iw_phase_once_; iw_phase_once_ = 0, iw_barrier_(block)) IW_WARPS(warp)
#define IW_VAR(type, x) type x[IW_MAX_WARPS]
#define IW_VAR_ARRAY(type, x, n) type x[IW_MAX_WARPS][n]
#define IW_MY(x) ((x)[warp])
#define IW_DST(type) type *
#define IW_SRC(type) const type *
IW_FN iw_pred iw_active_(const iw_block *block, unsigned warp) { return iw_lanes_below((int64_t)block->threads - (int64_t)warp * IW_WARP_SIZE); }

/* Runs on one thread of the block only; the others wait and get what it found. */
#define IW_ONCE_(block, expr) (iw_once_begin_(block) ? (void)(*iw_once_(block) = (expr)) : (void)0)
IW_FN int iw_once_begin_(const iw_block *block) { return block->first_warp == 0; }
IW_FN uint64_t *iw_once_(const iw_block *block) { return &block->memory->broadcast[block->parity & 1]; }
IW_FN uint64_t iw_once_end_(iw_block *block) { return block->memory->broadcast[block->parity++ & 1]; }
/* The tree over the warps' totals, a number at a time: they are few. */
#define IW_REDUCE_AGGREGATES_(op, t, block, totals) iw_reduce_aggregates_##op##_##t((block)->warps, totals)
#define IW_REDUCE_AGGREGATES_OF(op, t) \
IW_FN iws_##t iw_reduce_aggregates_##op##_##t(unsigned warps, const iws_##t *totals) \
{ iws_##t e[IW_MAX_WARPS]; \
  e[0] = totals[0]; /* a block has a warp, which gcc cannot know */ \
  IW_UNROLL for (unsigned i = 1; i < warps; i++) e[i] = totals[i]; \
  IW_UNROLL for (unsigned d = 1; d < warps; d *= 2) \
    IW_UNROLL for (unsigned i = 0; i + d < warps; i += 2 * d) e[i] = iws_##op##_##t(e[i], e[i + d]); \
  return e[0]; }
#define IW_REDUCE_AGGREGATES_ALL(t) IW_REDUCE_AGGREGATES_OF(sum, t) IW_REDUCE_AGGREGATES_OF(min, t) IW_REDUCE_AGGREGATES_OF(max, t)
IW_TYPES(IW_REDUCE_AGGREGATES_ALL)
IW_FN uint64_t *iw_warp_aggregates_(iw_block *block) { return block->memory->warp_aggregates[block->parity++ & 1]; }

#include <isowarp/language/cpu/private_histogram.h>

/* ---- Between blocks ---- */

/* One block has nobody to share with. */
IW_FN uint32_t iw_fetch_add_relaxed_(const iw_block *block, uint32_t *p, uint32_t v)
{ if (block->blocks != 1) return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
  *p += v; return *p - v; }
/* All that the block did before is seen by whom the answer tells of it. */
IW_FN uint32_t iw_increment_acq_rel_(const iw_block *block, uint32_t *p)
{ (void)block; return __atomic_fetch_add(p, 1, __ATOMIC_ACQ_REL); }
IW_FN void iw_store_relaxed_(uint32_t *p, uint32_t v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }
IW_FN uint32_t iw_load_relaxed_(const uint32_t *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
IW_FN uint32_t iw_ticket_request_in(uint32_t *p) { return __atomic_fetch_add(p, 1, __ATOMIC_RELAXED); }
IW_FN void iw_pause(unsigned *spins) { if (++*spins > 64) sched_yield(); }

#define IW_POLLED(t) typedef struct { iw_u32 flag; iw_##t value; } iw_polled_##t;
IW_TYPES(IW_POLLED)
/* IW_PUBLISH_ORDERED: 0, iw_publish and iw_poll are relaxed; 1, they are iw_publish_release and iw_poll_acquire. For
 * measurements; the language's contract is 0 (doc/memory-model.md). */
#ifndef IW_PUBLISH_ORDERED
#define IW_PUBLISH_ORDERED 0
#endif
IW_FN void iw_tile_state_store_(uint64_t *p, uint64_t w, int release)
{ if (release) __atomic_store_n(p, w, __ATOMIC_RELEASE); else __atomic_store_n(p, w, __ATOMIC_RELAXED); }
IW_FN uint64_t iw_tile_state_load_(const uint64_t *p, int acquire)
{ return acquire ? __atomic_load_n(p, __ATOMIC_ACQUIRE) : __atomic_load_n(p, __ATOMIC_RELAXED); }
/* A slot is one word, flag and value, for 4-byte types, and two words for 8-byte types, each with the flag and half of the
 * value: a reader takes a value only if both flags agree, so words may arrive in any order. */
#define IW_PUBLISH_32(t, publish, poll, ordered) \
IW_FN void publish##_##t(uint64_t *slots, size_t i, uint32_t flag, iws_##t v) \
{ uint32_t u; memcpy(&u, &v, 4); iw_tile_state_store_(slots + i, (uint64_t)flag << 32 | u, ordered); } \
IW_FN iw_polled_##t poll##_##t(const uint64_t *slots, int64_t base, int first, int end) \
{ iws_##t x[IW_PADDED(t)] = { 0 }; uint32_t f[IW_PADDED(u32)] = { 0 }; iw_polled_##t r; \
  for (int l = first > 0 ? first : 0; l < end; l++) { \
    const uint64_t w = iw_tile_state_load_(slots + (base + l), ordered); \
    const uint32_t u = (uint32_t)w; memcpy(x + l, &u, 4); f[l] = (uint32_t)(w >> 32); } \
  r.flag = iw_from_array_u32(f); r.value = iw_from_array_##t(x); return r; }
#define IW_PUBLISH_64(t, publish, poll, ordered) \
IW_FN void publish##_##t(uint64_t *slots, size_t i, uint32_t flag, iws_##t v) \
{ uint64_t u; memcpy(&u, &v, 8); iw_tile_state_store_(slots + 2 * i, (uint64_t)flag << 32 | (uint32_t)u, ordered); \
  iw_tile_state_store_(slots + 2 * i + 1, (uint64_t)flag << 32 | u >> 32, ordered); } \
IW_FN iw_polled_##t poll##_##t(const uint64_t *slots, int64_t base, int first, int end) \
{ iws_##t x[IW_PADDED(t)] = { 0 }; uint32_t f[IW_PADDED(u32)] = { 0 }; iw_polled_##t r; \
  for (int l = first > 0 ? first : 0; l < end; l++) { \
    const uint64_t hi = iw_tile_state_load_(slots + 2 * (base + l) + 1, ordered); \
    const uint64_t lo = iw_tile_state_load_(slots + 2 * (base + l), ordered); \
    const uint64_t u = hi << 32 | (uint32_t)lo; memcpy(x + l, &u, 8); f[l] = hi >> 32 == lo >> 32 ? (uint32_t)(hi >> 32) : 0; } \
  r.flag = iw_from_array_u32(f); r.value = iw_from_array_##t(x); return r; }
/* iw_publish and iw_poll are relaxed: the value arrives whole, and nothing else is ordered. iw_publish_release and
 * iw_poll_acquire hand over memory: a warp whose poll_acquire finds the flag sees all that the publishing warp wrote before,
 * and all that its block wrote in phases that had ended. */
#define IW_TILE_STATES(kind, t) \
  kind(t, iw_publish, iw_poll, IW_PUBLISH_ORDERED) kind(t, iw_publish_release, iw_poll_acquire, 1)
IW_TILE_STATES(IW_PUBLISH_32, f32) IW_TILE_STATES(IW_PUBLISH_32, i32) IW_TILE_STATES(IW_PUBLISH_32, u32)
IW_TILE_STATES(IW_PUBLISH_64, f64) IW_TILE_STATES(IW_PUBLISH_64, i64) IW_TILE_STATES(IW_PUBLISH_64, u64)

/* ---- Kernels ---- */

#ifndef IW_KERNEL_PREFIX
#define IW_KERNEL_PREFIX
#endif
#ifndef IW_KERNEL_SUFFIX
#define IW_KERNEL_SUFFIX
#endif
#define IW_PASTE_(a, b) a##b
#define IW_PASTE(a, b) IW_PASTE_(a, b)
#define IW_KERNEL_NAME(name) IW_PASTE(IW_PASTE(IW_KERNEL_PREFIX, name), IW_KERNEL_SUFFIX)
#define IW_UNUSED __attribute__((unused))

/* 1 if a*b - c came out fused: 1 + 2^-12 squared less its rounded self is not 0 then, however the caller rounds. */
static int iw_contracted_(void)
{ volatile float v = 1.000244140625f, w = v * v; const iw_f32 a = iw_splat_f32(v), c = iw_splat_f32(w);
  return iw_at_f32(iw_sub_f32(iw_mul_f32(a, a), c), 0) != 0 || v * v - w != 0; }

/* Where the size of a block is known, the text is compiled once more for blocks that are whole on a thread: with constants its
 * loops over warps unroll and variables stay in registers. IW_KERNEL_NO_SPECIALIZATION leaves that out, for texts that gain nothing by it. */
#define IW_KERNEL_SIZED(name, shared_type, args_type, threads_, blocks_per_processor_) \
  IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_, threads_, IW_FN)
#define IW_KERNEL_NO_SPECIALIZATION(name, shared_type, args_type, threads_, blocks_per_processor_) \
  IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_, 0, static)
#define IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_, whole_, body_fn_) \
  body_fn_ void name##_body_(IW_UNUSED iw_block *block, IW_UNUSED shared_type *shared, IW_UNUSED const args_type *args); \
  static void name##_run_(iw_block *block, void *shared, const void *args) \
  { if ((whole_) && !block->is_team) { \
      iw_block whole = { block->index, block->blocks, (threads_), ((threads_) + IW_WARP_SIZE - 1) / IW_WARP_SIZE, 0, 1, 0, 0, \
                         block->memory, block->barrier }; \
      name##_body_(&whole, (shared_type *)shared, (const args_type *)args); \
    } else name##_body_(block, (shared_type *)shared, (const args_type *)args); } \
  IW_EXTERN_CONST iw_kernel IW_KERNEL_NAME(name); \
  const iw_kernel IW_KERNEL_NAME(name) = { sizeof(iw_kernel), #name, IW_LANES_ISA, IW_WARP_SIZE, threads_, blocks_per_processor_, \
    sizeof(shared_type), sizeof(args_type), name##_run_, iw_contracted_, 0 }; \
  body_fn_ void name##_body_(IW_UNUSED iw_block *block, IW_UNUSED shared_type *shared, IW_UNUSED const args_type *args)

#endif
