/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA: operations between the lanes of one warp: shuffles, reductions, folds, matches
 * and ranks. Mirrors language/cpu/shuffles.h. Every function here is a collective of the warp: all 32 lanes
 * call it.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_SHUFFLES_H
#define ISOWARP_LANGUAGE_CUDA_SHUFFLES_H

#include <isowarp/language/cuda/lanes.h>

/* What the lane `source` holds. */
template <class S>
IW_FN S iw_shuffle_from_(S a, unsigned source) { return __shfl_sync(IW_FULL_MASK_, a, (int)source); }

#define IW_SHUFFLE(t) \
  IW_FN iw_##t iw_shuffle_##t(iw_##t a, iw_u32 index, unsigned width) \
  { return IW_LANE_(t, __shfl_sync(IW_FULL_MASK_, iw_value_(a), (int)iw_value_(index), (int)width)); } \
  IW_FN iw_##t iw_shuffle_up_##t(iw_##t a, unsigned delta, unsigned width) \
  { return IW_LANE_(t, iw_shuffle_from_(iw_value_(a), iws_source_up(iw_lane_(), delta, width))); } \
  IW_FN iw_##t iw_shuffle_down_##t(iw_##t a, unsigned delta, unsigned width) \
  { return IW_LANE_(t, iw_shuffle_from_(iw_value_(a), iws_source_down(iw_lane_(), delta, width))); } \
  IW_FN iw_##t iw_shuffle_xor_##t(iw_##t a, unsigned mask, unsigned width) \
  { return IW_LANE_(t, iw_shuffle_from_(iw_value_(a), iws_source_xor(iw_lane_(), mask, width, 32))); } \
  IW_FN iws_##t iw_last_##t(iw_##t a) { return iw_shuffle_from_(iw_value_(a), 31); }
IW_TYPES(IW_SHUFFLE)

/* ---- Reductions and folds, by an operator on scalars: op(left, right) ---- */

/* One level of the scan tree: lanes of right-hand siblings get the last lane of the left-hand one
 * combined in front. */
template <class S, S (*op)(S, S)> IW_FN S iw_level_(S a, int level)
{
  const S left = iw_shuffle_from_(a, iws_left_sibling_last(iw_lane_(), (unsigned)level) & 31);
  return iw_lane_() >> level & 1 ? op(left, a) : a;
}

/* first op lane 0 op lane 1 …, from the left; *before: what stands in front of this lane. */
template <class S, S (*op)(S, S)> IW_FN S iw_fold_(S first, S a, S *before)
{
  IW_UNROLL for (unsigned k = 0; k < 32; k++) {
    if (iw_lane_() == k) *before = first;
    first = op(first, iw_shuffle_from_(a, k));
  }
  return first;
}

/* As iw_fold_, but the fold restarts at every lane of `heads`. */
template <class S, S (*op)(S, S)> IW_FN S iw_fold_segments_(S first, S a, iw_mask heads, S *before)
{
  IW_UNROLL for (unsigned k = 0; k < 32; k++) {
    const S x = iw_shuffle_from_(a, k);
    if (iw_lane_() == k) *before = first;
    first = heads >> k & 1 ? x : op(first, x);
  }
  return first;
}

/* All lanes by the binary tree, distances ascending. The butterfly swaps operands, so it needs a
 * commutative operator. */
template <class S, S (*op)(S, S)> IW_FN S iw_warp_reduce_(S a)
{
  IW_UNROLL for (int d = 1; d < 32; d *= 2) a = op(a, __shfl_xor_sync(IW_FULL_MASK_, a, d));
  return a;
}
#if __CUDA_ARCH__ >= 800 /* one instruction in place of five shuffles */
template <> __device__ __forceinline__ uint32_t iw_warp_reduce_<uint32_t, iws_min_u32>(uint32_t a)
{ return __reduce_min_sync(IW_FULL_MASK_, a); }
template <> __device__ __forceinline__ uint32_t iw_warp_reduce_<uint32_t, iws_max_u32>(uint32_t a)
{ return __reduce_max_sync(IW_FULL_MASK_, a); }
template <> __device__ __forceinline__ uint32_t iw_warp_reduce_<uint32_t, iws_sum_u32>(uint32_t a)
{ return __reduce_add_sync(IW_FULL_MASK_, a); }
#endif
template <class S, S (*op)(S, S)> IW_FN S iw_warp_reduce_noncommutative_(S a)
{
  IW_UNROLL for (int d = 1; d < 32; d *= 2) a = op(a, __shfl_down_sync(IW_FULL_MASK_, a, d));
  return __shfl_sync(IW_FULL_MASK_, a, 0);
}

#define IW_TREE(op, t) \
  IW_FN iw_##t iw_level_##op##_##t(iw_##t a, int level) \
  { return IW_LANE_(t, (iw_level_<iws_##t, iws_##op##_##t>(iw_value_(a), level))); } \
  IW_FN iws_##t iw_fold_##op##_##t(iws_##t first, iw_##t a, iw_##t *before) \
  { return iw_fold_<iws_##t, iws_##op##_##t>(first, iw_value_(a), (iws_##t *)before); } \
  IW_FN iws_##t iw_fold_segments_##op##_##t(iws_##t first, iw_##t a, iw_mask heads, iw_##t *before) \
  { return iw_fold_segments_<iws_##t, iws_##op##_##t>(first, iw_value_(a), heads, (iws_##t *)before); }
#define IW_WARP(op, t) \
  IW_FN iws_##t iw_warp_##op##_##t(iw_##t a) \
  { return iw_warp_reduce_<iws_##t, iws_##op##_##t>(iw_value_(a)); }
#define IW_WARP_NONCOMMUTATIVE(op, t) \
  IW_FN iws_##t iw_warp_##op##_##t(iw_##t a) \
  { return iw_warp_reduce_noncommutative_<iws_##t, iws_##op##_##t>(iw_value_(a)); }
#define IW_TREES(t) IW_TREE(sum, t) IW_TREE(min, t) IW_TREE(max, t) IW_WARP(sum, t) IW_WARP(min, t) \
  IW_WARP(max, t)
IW_TYPES(IW_TREES)

/* The same for an operator of the user's, which is given as a lane function iw_OP_T. */
#define IW_TREE_OF_LANES(op, t) \
  IW_FN iws_##t iws_##op##_##t(iws_##t a, iws_##t b) \
  { return iw_value_(iw_##op##_##t(IW_LANE_(t, a), IW_LANE_(t, b))); } \
  IW_TREE(op, t) IW_WARP_NONCOMMUTATIVE(op, t)

/* ---- Matches and ranks ---- */

#define IW_MATCH(t) \
  IW_FN iw_u64 iw_match_##t(iw_##t a, iw_pred some) \
  { \
    const unsigned chosen = __ballot_sync(IW_FULL_MASK_, iw_value_(some)); \
    const unsigned same = __match_any_sync(IW_FULL_MASK_, iw_value_(a)); \
    return IW_LANE_(u64, iw_value_(some) ? (uint64_t)(same & chosen) : 0); \
  }
IW_INTS(IW_MATCH)

IW_FN iw_u32 iw_rank(iw_pred p)
{ return IW_LANE_(u32, (unsigned)__popc(__ballot_sync(IW_FULL_MASK_, iw_value_(p))
    & iw_lanes_below_mask_())); }

#endif
