/* SPDX-License-Identifier: Apache-2.0
 *
 * Lane values and predicates on the CPU. A lane value iw_T is a struct of SIMD registers: lane l is lane l %
 * VL of register l / VL. A predicate is a set of bits, lane l in bit l, and also one vector mask per
 * register where the instruction set works with such masks. Part of cpu.h; uses the registers_*.h that cpu.h
 * chose, and knows nothing of memory or blocks.
 */
#ifndef ISOWARP_LANGUAGE_CPU_LANES_H
#define ISOWARP_LANGUAGE_CPU_LANES_H

#ifndef IW_WARP_SIZE
#define IW_WARP_SIZE 32
#endif
#if IW_WARP_SIZE != 8 && IW_WARP_SIZE != 16 && IW_WARP_SIZE != 32 && IW_WARP_SIZE != 64
#error "IW_WARP_SIZE is 8, 16, 32 or 64"
#endif
#define IW_MAX_WARPS (1024 / IW_WARP_SIZE)
#define IW_LOG_WARP (IW_WARP_SIZE == 8 ? 3 : IW_WARP_SIZE == 16 ? 4 : IW_WARP_SIZE == 32 ? 5 : 6)

/* A function that takes an operator as a parameter is inlined always, so that the operator is too. */
#define IW_OPERATOR_FN static inline __attribute__((always_inline, unused))

/* A warp that is smaller than a register leaves padding lanes in it. No memory is accessed for them, and
 * no predicate contains them. */
#define IW_VECTORS(t) (IW_WARP_SIZE > IW_VL_##t ? IW_WARP_SIZE / IW_VL_##t : 1)
#define IW_PADDED(t) (IW_VECTORS(t) * IW_VL_##t)
#define IW_EACH(t, i) IW_UNROLL for (int i = 0; i < IW_VECTORS(t); i++)
#define IW_LANE_TYPE(t) typedef struct { iwv_##t r[IW_VECTORS(t)]; } iw_##t;
IW_TYPES(IW_LANE_TYPE)

/* What a register has to be: predicates serve all types of one width, and reinterpreted lanes keep their
 * registers. */
IW_STATIC_ASSERT(IW_VL_f32 == IW_VL_u32 && IW_VL_i32 == IW_VL_u32, "all types of 4 bytes have as many lanes");
IW_STATIC_ASSERT(IW_VL_f64 == IW_VL_u64 && IW_VL_i64 == IW_VL_u64, "all types of 8 bytes have as many lanes");
IW_STATIC_ASSERT((IW_VL_u32 & (IW_VL_u32 - 1)) == 0 && IW_VL_u32 <= 16, "a register has at most 64 bytes");
#ifdef IWV_HAS_MASKS
IW_STATIC_ASSERT(IW_VL_u32 == 8 && IW_VL_u64 == 4, "vector masks are those of 8 lanes of 4 bytes");
#endif

typedef uint64_t iw_mask;
#if IW_WARP_SIZE == 64
typedef uint64_t iw_bits;
#define IW_ALL_LANES UINT64_MAX
#else
typedef uint32_t iw_bits;
#define IW_ALL_LANES ((iw_bits)(((uint64_t)1 << IW_WARP_SIZE) - 1))
#endif
/* The bits of predicate p for register i of t. */
#define IW_BITS_OF(t, p, i) ((unsigned)((p).m >> ((i) * IW_VL_##t)) & ((1u << IW_VL_##t) - 1))

#ifdef IWV_HAS_MASKS
/* Both forms are kept side by side, and the compiler drops the one that is never read. A predicate that
 * comes from comparisons (compared) has its bits computed from its masks; any other has its masks
 * computed from its bits. There is one mask per register of 32-bit lanes. */
typedef struct { iw_bits m; int compared; iwv_mask v[IW_VECTORS(u32)]; } iw_pred;

IW_FN iw_pred iw_pred_of(iw_mask m)
{
  iw_pred p;
  p.compared = 0;
  p.m = (iw_bits)m & IW_ALL_LANES;
  IW_EACH(u32, i) p.v[i] = iwv_mask_from_bits((unsigned)(p.m >> 8 * i) & 255);
  return p;
}

/* Completes a predicate whose masks are made: its bits are m, or the masks' if it was compared. */
IW_FN iw_pred iw_pred_(iw_pred p, int compared, iw_bits m)
{
  p.compared = compared;
  p.m = 0;
  if (!compared) p.m = m;
  else if (IW_VECTORS(u32) % 4) IW_EACH(u32, i) p.m |= (iw_bits)iwv_movemask(p.v[i]) << 8 * i;
  else IW_UNROLL for (int i = 0; i + 3 < IW_VECTORS(u32); i += 4)
    p.m |= (iw_bits)iwv_movemask_4(p.v[i], p.v[i + 1], p.v[i + 2], p.v[i + 3]) << 8 * i;
  return p;
}

IW_FN iw_pred iw_and_pred(iw_pred a, iw_pred b)
{
  IW_EACH(u32, i) a.v[i] = iwv_and_u32(a.v[i], b.v[i]);
  return iw_pred_(a, a.compared & b.compared, a.m & b.m);
}

IW_FN iw_pred iw_or_pred(iw_pred a, iw_pred b)
{
  IW_EACH(u32, i) a.v[i] = iwv_or_u32(a.v[i], b.v[i]);
  return iw_pred_(a, a.compared & b.compared, a.m | b.m);
}

IW_FN iw_pred iw_not_pred(iw_pred a)
{
  IW_EACH(u32, i) a.v[i] = iwv_not_u32(a.v[i]);
  return iw_pred_(a, a.compared, ~a.m & IW_ALL_LANES);
}

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
/* IW_SOME_T: see SOME in names.h. */
#define IW_SOME_i32 IW_SOME_f32
#define IW_SOME_u32 IW_SOME_f32
#define IW_SOME_i64 IW_SOME_f64
#define IW_SOME_u64 IW_SOME_f64

IW_FN iw_mask iw_ballot(iw_pred p) { return p.m; }
IW_FN iw_pred iw_lanes_below(int64_t n)
{ return iw_pred_of(n >= IW_WARP_SIZE ? IW_ALL_LANES : n <= 0 ? 0 : ((iw_mask)1 << n) - 1); }
IW_FN int iw_wanted(iw_pred p) { return p.m != 0; }
IW_FN int iw_wanted_by_lane_(iw_pred p) { return p.m != 0; }
IW_FN unsigned iw_popcount(iw_mask m) { return (unsigned)__builtin_popcountll(m); }
IW_FN unsigned iw_highest(iw_mask m) { return 63u - (unsigned)__builtin_clzll(m); }
IW_FN unsigned iw_lowest(iw_mask m) { return (unsigned)__builtin_ctzll(m); }

#define IW_TEMPLATE <isowarp/language/cpu/lanes_of_type.h>
#include <isowarp/language/for_each_type.h>
#define IW_TYPE_SET IW_SET_OF_INTEGERS
#define IW_TEMPLATE <isowarp/language/cpu/lanes_of_integer.h>
#include <isowarp/language/for_each_type.h>

#define IW_LANE_UNARY(op, t) \
IW_FN iw_##t iw_##op##_##t(iw_##t a) { IW_EACH(t, i) a.r[i] = iwv_##op##_##t(a.r[i]); return a; }
#define IW_LANE_FLOAT(t) IW_LANE_UNARY(floor, t) IW_LANE_UNARY(ceil, t) IW_LANE_UNARY(trunc, t) IW_LANE_UNARY(rint, t) \
  IW_LANE_UNARY(sqrt, t) IW_FN iw_##t iw_fma_##t(iw_##t a, iw_##t b, iw_##t c) \
{ IW_EACH(t, i) a.r[i] = iwv_fma_##t(a.r[i], b.r[i], c.r[i]); return a; }
IW_FLOATS(IW_LANE_FLOAT)
IW_LANE_UNARY(abs, f32) IW_LANE_UNARY(abs, f64) IW_LANE_UNARY(abs, i32) IW_LANE_UNARY(abs, i64)
#undef IW_LANE_UNARY
#undef IW_LANE_FLOAT

IW_FN iw_u32 iw_lane(void)
{
  iws_u32 e[IW_PADDED(u32)];
  for (unsigned l = 0; l < IW_PADDED(u32); l++) e[l] = l;
  return iw_from_array_u32(e);
}

#endif
