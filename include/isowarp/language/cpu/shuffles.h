/* SPDX-License-Identifier: Apache-2.0
 *
 * Data movement and trees among the lanes of one warp on the CPU: shuffles, one level of the scan tree,
 * reductions, left folds, match and rank. Part of cpu.h, after lanes.h; knows nothing of memory or blocks.
 */
#ifndef ISOWARP_LANGUAGE_CPU_SHUFFLES_H
#define ISOWARP_LANGUAGE_CPU_SHUFFLES_H

#define IW_TEMPLATE <isowarp/language/cpu/shuffles_of_type.h>
#include <isowarp/language/for_each_type.h>
#define IW_OPERATOR_TEMPLATE <isowarp/language/cpu/trees_of_operator.h>
#include <isowarp/language/for_each_operator.h>

/* The lanes of a table of a warp's lanes at these places, which are lanes. IW_HAS_LOOKUP_T: whether
 * registers are permuted, or a warp's lanes go through memory. */
#if defined(IWV_HAS_LOOKUP) && IW_WARP_SIZE == 32
enum { IW_HAS_LOOKUP_u32 = 1, IW_HAS_LOOKUP_u64 = 0 };
IW_FN iw_u32 iw_lookup_u32(iw_u32 table, iw_u32 at)
{ iw_u32 a; IW_EACH(u32, i) a.r[i] = iwv_lookup_u32(table.r, at.r[i]); return a; }
#else
enum { IW_HAS_LOOKUP_u32 = 0, IW_HAS_LOOKUP_u64 = 0 };
IW_FN iw_u32 iw_lookup_u32(iw_u32 table, iw_u32 at) { return iw_shuffle_u32(table, at, IW_WARP_SIZE); }
#endif
IW_FN iw_u64 iw_lookup_u64(iw_u64 table, iw_u32 at) { return iw_shuffle_u64(table, at, IW_WARP_SIZE); }

/* How many lanes of p are below each lane. */
IW_FN iw_u32 iw_rank(iw_pred p)
{
  iws_u32 e[IW_PADDED(u32)];
  unsigned k = 0;
  for (int l = 0; l < IW_PADDED(u32); l++) { e[l] = k;
  k += l < IW_WARP_SIZE ? (unsigned)(p.m >> l & 1) : 0; }
  return iw_from_array_u32(e);
}

/* The mask of the lanes that hold the lane's own value, for the lanes of `some`; 0 in the others. */
#define IW_MATCH(t) IW_FN iw_u64 iw_match_##t(iw_##t a, iw_pred some) { \
  iws_##t x[IW_PADDED(t)]; iws_u64 y[IW_PADDED(u64)] = { 0 }; \
  iw_to_array_##t(x, a); \
  for (int l = 0; l < IW_WARP_SIZE; l++) if (some.m >> l & 1) y[l] = iw_and_pred(some, \
      iw_eq_##t(a, iw_splat_##t(x[l]))).m; \
  return iw_from_array_u64(y); }
IW_INTS(IW_MATCH)
#undef IW_MATCH

/* The same functions for an operator that is known on lane values only, as a user's is (IW_OPERATOR). Its
 * scalar form applies it to whole warps and takes lane 0. */
#define IW_TREE_OF_LANES(op, t) \
IW_FN iws_##t iws_##op##_##t(iws_##t a, iws_##t b) { \
    return iw_at_##t(iw_##op##_##t(iw_splat_##t(a), iw_splat_##t(b)), 0); } \
IW_FN iw_##t iw_level_##op##_##t(iw_##t a, int level) { \
    return iw_level_by_##t##_(iw_##op##_##t, a, level); } \
IW_FN iws_##t iw_warp_##op##_##t(iw_##t a) { return iw_warp_by_##t##_(iw_##op##_##t, a); } \
IW_FOLD_OF_LANES(op, t) IW_REDUCE_AGGREGATES_OF_LANES(op, t)
#define IW_FOLD_OF_LANES(op, t) \
IW_FN iws_##t iw_fold_##op##_##t(iws_##t first, iw_##t a, iw_##t *before) \
{ return iw_fold_by_##t##_(iws_##op##_##t, first, a, before); } \
IW_FN iws_##t iw_fold_segments_##op##_##t(iws_##t first, iw_##t a, iw_mask heads, iw_##t *before) \
{ return iw_fold_segments_by_##t##_(iws_##op##_##t, first, a, heads, before); }
#define IW_REDUCE_AGGREGATES_OF_LANES(op, t) \
IW_FN iws_##t iw_reduce_aggregates_##op##_##t(unsigned warps, const iws_##t *aggregates) \
{ return iw_reduce_aggregates_by_##t##_(iws_##op##_##t, warps, aggregates); }

#endif
