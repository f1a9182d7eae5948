/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU: operations between the lanes of one warp: shuffles, reductions,
 * folds, matches and ranks. Mirrors language/cuda/shuffles.h. Undefined lanes move with their values; a
 * uniform result needs defined lanes.
 */
#ifndef ISOWARP_LANGUAGE_SIM_SHUFFLES_H
#define ISOWARP_LANGUAGE_SIM_SHUFFLES_H

#include <isowarp/language/sim/lanes.h>

IW_FN void iw_check_width_(const iw_site *site, unsigned width)
{ if (width == 0 || (width & (width - 1)) || width > IW_WARP_SIZE) iw_sim_absent_lane(site, width); }

#define IW_TEMPLATE <isowarp/language/sim/shuffles_of_type.h>
#include <isowarp/language/for_each_type.h>
#define IW_OPERATOR_TEMPLATE <isowarp/language/sim/trees_of_operator.h>
#include <isowarp/language/for_each_operator.h>

/* The lanes that are in a right sibling of the tree over lanes. */
IW_FN iw_pred iw_right_siblings_(int level)
{ uint64_t m = 0; IW_EACH_LANE_(l) m |= (uint64_t)(l >> level & 1) << l; return iw_pred_(m, 0, 0); }

/* The same trees for an operator of the user's, which is given as a lane function iw_OP_T. What it does to
 * a scalar is what it does to lane 0. */
#define IW_TREE_OF_LANES(op, t) \
IW_FN iws_##t iws_##op##_##t(iws_##t a, iws_##t b) \
{ return iw_##op##_##t(iw_splat_##t(a), iw_splat_##t(b)).e[0]; } \
IW_FN iw_##t iw_level_##op##_##t(iw_##t a, int level) \
{ const iw_##t left = iw_left_sibling_##t##_(a, level); \
  return iw_select_##t(iw_right_siblings_(level), iw_##op##_##t(left, a), a); } \
IW_FN iws_##t iw_warp_##op##_##t(iw_##t a) \
{ for (int level = 0; level < IW_LOG_WARP; level++) a = iw_level_##op##_##t(a, level); return iw_last_##t(a); } \
IW_FN iws_##t iw_fold_##op##_##t(iws_##t first, iw_##t a, iw_##t *before) \
{ return iw_fold_by_##t##_(iws_##op##_##t, first, a, 0, before); } \
IW_FN iws_##t iw_fold_segments_##op##_##t(iws_##t first, iw_##t a, iw_mask heads, iw_##t *before) \
{ return iw_fold_by_##t##_(iws_##op##_##t, first, a, heads, before); }

/* ---- Matches and ranks ---- */

/* The mask of the lanes of `some` that hold the lane's own value; 0 outside of `some`. */
#define IW_MATCH(t) IW_FN iw_u64 iw_match_##t(const iw_site *site, iw_##t a, iw_pred some) \
{ \
  iw_u64 r; \
  iw_use_(site, some.undefined | (a.undefined & some.m), a.owner | some.owner, "the match"); \
  iw_count_(site, IW_SIM_VOTE, 1); \
  iw_count_(site, IW_SIM_MATCH, 1); \
  IW_EACH_LANE_(l) { \
    r.e[l] = 0; \
    if (some.m >> l & 1) \
      for (unsigned k = 0; k < IW_WARP_SIZE; k++) r.e[l] |= (uint64_t)((some.m >> k & 1) && a.e[k] == a.e[l]) << k; \
  } \
  r.undefined = 0; \
  r.owner = a.owner | some.owner; \
  return r; \
}
IW_INTS(IW_MATCH)

/* How many lanes of p are below each lane. */
IW_FN iw_u32 iw_rank(const iw_site *site, iw_pred p)
{
  iw_u32 r;
  iw_use_(site, p.undefined, p.owner, "the rank");
  iw_count_(site, IW_SIM_VOTE, 1);
  IW_EACH_LANE_(l) r.e[l] = iw_popcount(p.m & (((uint64_t)1 << l) - 1));
  r.undefined = 0;
  r.owner = p.owner;
  return r;
}

#endif
