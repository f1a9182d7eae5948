/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA: lane values, predicates, masks and arithmetic. A lane value is a scalar in a
 * register of the CUDA thread that is the lane; what an operation computes is defined in language/scalar.h.
 * Mirrors language/cpu/lanes.h. Knows nothing of memory, blocks or grids.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_LANES_H
#define ISOWARP_LANGUAGE_CUDA_LANES_H

#include <isowarp/descriptor.h>
#include <isowarp/language/scalar.h>

#define IW_LANES_ISA "cuda"
#if defined(IW_WARP_SIZE) && IW_WARP_SIZE != 32
#error "a warp of CUDA has 32 lanes"
#endif
#undef IW_WARP_SIZE
#define IW_WARP_SIZE 32
#define IW_MAX_WARPS 32
#define IW_LOG_WARP 5
#define IW_FULL_MASK_ 0xffffffffu

typedef uint64_t iw_mask;

/* With IW_CHECK_LANES each lane type is a struct of its own, as on the CPU: `if (predicate)`, `a + b` on
 * lanes and mixed types are then errors at the user's line. Without it a lane value is a plain scalar, and
 * nvcc accepts all of these. The headers of this folder are written for both:
 *   iw_value_(a)     the scalar or bool that this lane holds
 *   IW_LANE_(t, v)   the lane value of type t (f32 … u64, pred) that holds the scalar v */
#ifdef IW_CHECK_LANES
#define IW_LANE_TYPE_OF_(t, scalar) \
  struct iw_##t { scalar lane_; }; \
  IW_FN scalar iw_value_(iw_##t a) { return a.lane_; } \
  IW_FN iw_##t iw_lane_of_##t##_(scalar v) { return iw_##t{ v }; }
#define IW_LANE_TYPE(t) IW_LANE_TYPE_OF_(t, iws_##t)
#define IW_LANE_(t, v) (iw_lane_of_##t##_(v))
#else
#define IW_LANE_TYPE_OF_(t, scalar) typedef scalar iw_##t;
#define IW_LANE_TYPE(t) IW_LANE_TYPE_OF_(t, iws_##t)
#define IW_LANE_(t, v) (v)
#define iw_value_(a) (a)
#endif
IW_TYPES(IW_LANE_TYPE)
IW_LANE_TYPE_OF_(pred, bool)
/* Elements of 1 and 2 bytes are held in lanes of 4 bytes. */
#define IW_NARROW_LANES(t, l) typedef iw_##l iw_##t;
IW_NARROW_TYPES(IW_NARROW_LANES)

/* ---- Lane index, predicates and masks ---- */

IW_FN unsigned iw_lane_(void) { return threadIdx.x & 31; }
IW_FN unsigned iw_lanes_below_mask_(void) { return (1u << iw_lane_()) - 1; }
IW_FN iw_u32 iw_lane(void) { return IW_LANE_(u32, iw_lane_()); }

IW_FN iw_pred iw_pred_of(iw_mask m) { return IW_LANE_(pred, m >> iw_lane_() & 1); }
IW_FN iw_mask iw_ballot(iw_pred p) { return __ballot_sync(IW_FULL_MASK_, iw_value_(p)); }
IW_FN iw_pred iw_and_pred(iw_pred a, iw_pred b) { return IW_LANE_(pred, iw_value_(a) && iw_value_(b)); }
IW_FN iw_pred iw_or_pred(iw_pred a, iw_pred b) { return IW_LANE_(pred, iw_value_(a) || iw_value_(b)); }
IW_FN iw_pred iw_not_pred(iw_pred a) { return IW_LANE_(pred, !iw_value_(a)); }
IW_FN iw_pred iw_lanes_below(int64_t n) { return IW_LANE_(pred, (int64_t)iw_lane_() < n); }
IW_FN unsigned iw_popcount(iw_mask m) { return (unsigned)__popcll(m); }
IW_FN unsigned iw_highest(iw_mask m) { return 63u - (unsigned)__clzll((long long)m); }
IW_FN unsigned iw_lowest(iw_mask m) { return (unsigned)__ffsll((long long)m) - 1; }

/* Uniform: the whole warp enters the branch if one lane wants it, so stores and collectives of the warp
 * may stand there. */
IW_FN int iw_wanted(iw_pred p) { return __any_sync(IW_FULL_MASK_, iw_value_(p)); }
/* Per lane on CUDA, without a vote; for branches that hold nothing but arithmetic on the lane. */
IW_FN int iw_wanted_by_lane_(iw_pred p) { return iw_value_(p); }

/* ---- Arithmetic ---- */

#define IW_SPLAT(t) \
  IW_FN iw_##t iw_splat_##t(iws_##t v) { return IW_LANE_(t, v); } \
  IW_FN iws_##t iw_at_##t(iw_##t a, unsigned lane) \
  { return __shfl_sync(IW_FULL_MASK_, iw_value_(a), (int)lane); }
IW_TYPES(IW_SPLAT)

#define IW_LANE1(op, t) \
  IW_FN iw_##t iw_##op##_##t(iw_##t a) { return IW_LANE_(t, iws_##op##_##t(iw_value_(a))); }
#define IW_LANE2(op, t) \
  IW_FN iw_##t iw_##op##_##t(iw_##t a, iw_##t b) \
  { return IW_LANE_(t, iws_##op##_##t(iw_value_(a), iw_value_(b))); }
#define IW_LANE_COMPARE(op, sign, t) \
  IW_FN iw_pred iw_##op##_##t(iw_##t a, iw_##t b) { return IW_LANE_(pred, iw_value_(a) sign iw_value_(b)); }
#define IW_LANE_SELECT(t) \
  IW_FN iw_##t iw_select_##t(iw_pred p, iw_##t a, iw_##t b) \
  { return IW_LANE_(t, iw_value_(p) ? iw_value_(a) : iw_value_(b)); }

#define IW_LANE_NUMBERS(t) \
  IW_LANE2(sum, t) IW_LANE2(add, t) IW_LANE2(sub, t) IW_LANE2(mul, t) IW_LANE2(div, t) \
  IW_LANE2(min, t) IW_LANE2(max, t) IW_LANE1(neg, t) IW_LANE1(canonical, t) IW_LANE2(flip_bits, t) \
  IW_LANE_COMPARE(eq, ==, t) IW_LANE_COMPARE(lt, <, t) IW_LANE_COMPARE(le, <=, t) \
  IW_LANE_COMPARE(gt, >, t) IW_LANE_COMPARE(ge, >=, t) IW_LANE_COMPARE(ne, !=, t) IW_LANE_SELECT(t)
#define IW_LANE_INTS(t) \
  IW_LANE2(rem, t) IW_LANE2(and, t) IW_LANE2(or, t) IW_LANE2(xor, t) IW_LANE2(shl, t) IW_LANE2(shr, t) \
      IW_LANE1(not, t)
IW_TYPES(IW_LANE_NUMBERS)
IW_INTS(IW_LANE_INTS)
#define IW_LANE_FLOAT(t) IW_LANE1(floor, t) IW_LANE1(ceil, t) IW_LANE1(trunc, t) IW_LANE1(rint, t) IW_LANE1(sqrt, t) \
  IW_FN iw_##t iw_fma_##t(iw_##t a, iw_##t b, iw_##t c) \
  { return IW_LANE_(t, iws_fma_##t(iw_value_(a), iw_value_(b), iw_value_(c))); }
IW_FLOATS(IW_LANE_FLOAT)
IW_LANE1(abs, f32) IW_LANE1(abs, f64) IW_LANE1(abs, i32)
    IW_LANE1(abs, i64)

#endif
