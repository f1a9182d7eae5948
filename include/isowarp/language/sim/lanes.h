/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU: lane values, predicates, masks and arithmetic. A lane value holds a
 * scalar for each lane of its warp, which lanes are undefined, and the warp that it belongs to. What an
 * operation computes is defined in language/scalar.h. Mirrors language/cuda/lanes.h. Knows nothing of
 * memory, blocks or grids.
 */
#ifndef ISOWARP_LANGUAGE_SIM_LANES_H
#define ISOWARP_LANGUAGE_SIM_LANES_H

#include <isowarp/language/scalar.h>
#include <isowarp/language/sim/runtime.h>

#define IW_LANES_ISA "sim"
#ifndef IW_WARP_SIZE
#define IW_WARP_SIZE 32
#endif
#if IW_WARP_SIZE != 8 && IW_WARP_SIZE != 16 && IW_WARP_SIZE != 32 && IW_WARP_SIZE != 64
#error "IW_WARP_SIZE is 8, 16, 32 or 64"
#endif
#define IW_MAX_WARPS (1024 / IW_WARP_SIZE)
#define IW_LOG_WARP (IW_WARP_SIZE == 8 ? 3 : IW_WARP_SIZE == 16 ? 4 : IW_WARP_SIZE == 32 ? 5 : 6)
#define IW_ALL_LANES_ (~(uint64_t)0 >> (64 - IW_WARP_SIZE))
#define IW_EACH_LANE_(l) for (unsigned l = 0; l < IW_WARP_SIZE; l++)

typedef uint64_t iw_mask;

/* owner: the number of the warp that computed the value, or'ed over the operands; 0: none, the value is the
 * same in all warps. Bytes that are all 0 are lanes of 0, and bytes that are all 0xff undefined lanes of no
 * warp. */
#define IW_LANE_TYPE(t) typedef struct iw_##t { iws_##t e[IW_WARP_SIZE]; uint64_t undefined; uint32_t owner; } iw_##t;
IW_TYPES(IW_LANE_TYPE)
/* Elements of 1 and 2 bytes are held in lanes of 4 bytes. */
#define IW_NARROW_LANES(t, l) typedef iw_##l iw_##t;
IW_NARROW_TYPES(IW_NARROW_LANES)
/* m: the lanes in which it is true. */
typedef struct iw_pred { uint64_t m, undefined; uint32_t owner; } iw_pred;

IW_FN uint32_t iw_self_(void) { return iw_sim_self->owner; }

/* ---- Lane index, predicates and masks ---- */

IW_FN iw_u32 iw_lane(void)
{ iw_u32 a; IW_EACH_LANE_(l) a.e[l] = l; a.undefined = 0; a.owner = 0; return a; }

IW_FN iw_pred iw_pred_(uint64_t m, uint64_t undefined, uint32_t owner)
{ iw_pred p; p.m = m & IW_ALL_LANES_; p.undefined = undefined & IW_ALL_LANES_; p.owner = owner; return p; }
IW_FN iw_pred iw_pred_of(iw_mask m) { return iw_pred_(m, 0, 0); }
IW_FN iw_pred iw_lanes_below(int64_t n)
{ return iw_pred_(n <= 0 ? 0 : n >= IW_WARP_SIZE ? IW_ALL_LANES_ : ((uint64_t)1 << n) - 1, 0, 0); }
/* A lane of a conjunction is defined where one operand is known to be false. */
IW_FN iw_pred iw_and_pred(iw_pred a, iw_pred b)
{ return iw_pred_(a.m & b.m, (a.undefined | b.undefined) & (a.m | a.undefined) & (b.m | b.undefined), a.owner | b.owner); }
IW_FN iw_pred iw_or_pred(iw_pred a, iw_pred b)
{ return iw_pred_(a.m | b.m, (a.undefined | b.undefined) & ~(a.m & ~a.undefined) & ~(b.m & ~b.undefined), a.owner | b.owner); }
IW_FN iw_pred iw_not_pred(iw_pred a) { return iw_pred_(~a.m, a.undefined, a.owner); }

IW_FN unsigned iw_popcount(iw_mask m) { return (unsigned)__builtin_popcountll(m); }
IW_FN unsigned iw_highest(iw_mask m) { return 63u - (unsigned)__builtin_clzll(m); }
IW_FN unsigned iw_lowest(iw_mask m) { return (unsigned)__builtin_ctzll(m); }

/* A uniform value is made of lanes: they have to be defined, and this warp's. */
IW_FN void iw_use_(const iw_site *site, uint64_t undefined, uint32_t owner, const char *what)
{ if (iw_sim_self->checks && (undefined || (owner && owner != iw_self_()))) iw_sim_use(site, undefined, owner, what); }

IW_FN iw_mask iw_ballot(const iw_site *site, iw_pred p)
{ iw_use_(site, p.undefined, p.owner, "the vote"); iw_count_(site, IW_SIM_VOTE, 1); return p.m; }
IW_FN int iw_wanted(const iw_site *site, iw_pred p)
{ iw_use_(site, p.undefined, p.owner, "the branch"); iw_count_(site, IW_SIM_VOTE, 1); return p.m != 0; }
/* For branches that hold nothing but arithmetic. */
IW_FN int iw_wanted_by_lane_(iw_pred p) { return (p.m | p.undefined) != 0; }

/* ---- Arithmetic ---- */

#define IW_TEMPLATE <isowarp/language/sim/lanes_of_type.h>
#include <isowarp/language/for_each_type.h>
#define IW_TYPE_SET IW_SET_OF_INTEGERS
#define IW_TEMPLATE <isowarp/language/sim/lanes_of_integer.h>
#include <isowarp/language/for_each_type.h>

#define IW_LANE1_(op, t) IW_FN iw_##t iw_##op##_##t(iw_##t a) \
{ IW_EACH_LANE_(l) a.e[l] = iws_##op##_##t(a.e[l]); return a; }
#define IW_LANE_FLOAT_(t) IW_LANE1_(floor, t) IW_LANE1_(ceil, t) IW_LANE1_(trunc, t) IW_LANE1_(rint, t) IW_LANE1_(sqrt, t) \
IW_FN iw_##t iw_fma_##t(iw_##t a, iw_##t b, iw_##t c) \
{ IW_EACH_LANE_(l) a.e[l] = iws_fma_##t(a.e[l], b.e[l], c.e[l]); \
  a.undefined |= b.undefined | c.undefined; a.owner |= b.owner | c.owner; return a; }
IW_FLOATS(IW_LANE_FLOAT_)
IW_LANE1_(abs, f32) IW_LANE1_(abs, f64) IW_LANE1_(abs, i32)
IW_LANE1_(abs, i64)

#endif
