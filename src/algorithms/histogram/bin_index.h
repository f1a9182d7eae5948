/* SPDX-License-Identifier: Apache-2.0
 *
 * The bin of each lane's sample. Arithmetic only guesses; near an edge, comparison with it decides. Compiled once per T.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/args.h"

#ifndef IW_KERNELS_BINNING_H
#define IW_KERNELS_BINNING_H

/* The type of the guess. */
#define GUESS_f32 f32
#define GUESS_f64 f64
#define GUESS_i32 f64
#define GUESS_u32 f64
#define GUESS_i64 f64
#define GUESS_u64 f64
#define GUESS IW_PASTE(GUESS_, T)
/* Whose edges may be worked out. */
enum { EVEN_f32 = 1, EVEN_f64 = 1, EVEN_i32 = 0, EVEN_u32 = 0, EVEN_i64 = 0, EVEN_u64 = 0 };
#endif

/* A sample in [bottom, top]: the edge nearest to the guess, and whether it is so near that it must be looked at. */
IW_FN iw_u32 OF_T(guess_in_range)(const iw_binning *rule, LANES x, iw_pred inside)
{
  typedef IW_PASTE(iw_, GUESS) lanes;
  typedef IW_PASTE(iws_, GUESS) scalar;
  const uint32_t last = rule->bins - 1;
  const lanes scaled = iw_mul(IW_JOIN(iw_to, GUESS)(x), iw_splat((scalar)rule->scale));
  const lanes guess = iw_add(scaled, iw_splat((scalar)rule->offset));
  const lanes nearest = iw_floor(IW_JOIN(iw_add, GUESS)(guess, iw_splat((scalar)0.5)));
  const iw_pred is_ambiguous = iw_le(iw_abs(IW_JOIN(iw_sub, GUESS)(guess, nearest)), iw_splat((scalar)rule->tau));
  const iw_pred ambiguous = iw_and_pred(inside, is_ambiguous);
  iw_u32 bin = iw_to_index(guess, last);
  if (iw_any(ambiguous)) {
    const iw_u32 edge = iw_to_index(nearest, last);
    const iw_pred below = iw_and_pred(ambiguous, iw_lt(x, iw_gather((const SCALAR *)rule->edges, edge, ambiguous)));
    bin = iw_select(ambiguous, edge, bin);
    bin = iw_select(below, iw_sub_u32(edge, iw_splat(1u)), bin);
  }
  return bin;
}

/* A sample in [bottom, top]: the last edge that is not above it, by halving. */
IW_FN iw_u32 OF_T(search_in_range)(const iw_binning *rule, LANES x, iw_pred inside)
{
  iw_u32 bin = iw_splat(0u);
  for (uint32_t step = rule->steps; step-- > 0;) {
    const iw_u32 next = iw_add(bin, iw_splat(1u << step));
    const iw_pred in_bounds = iw_and_pred(inside, iw_lt(next, iw_splat(rule->bins)));
    const LANES edge = iw_gather((const SCALAR *)rule->edges, next, in_bounds);
    bin = iw_select(iw_and_pred(in_bounds, iw_le(edge, x)), next, bin);
  }
  return bin;
}

/* A rule for one method: the number of each sample's bin, or where it is otherwise; open where not `some`. NaN is neither high
 * nor low enough. */
#define DEFINE_BIN_BY(name, method) \
IW_FN iw_u32 OF_T(name)(const iw_binning *rule, LANES x, iw_pred valid) \
{ \
  const iw_pred at_least_bottom = iw_ge(x, iw_splat(rule->bottom.T)), at_most_top = iw_le(x, iw_splat(rule->top.T)); \
  const iw_u32 bin = OF_T(method)(rule, x, iw_and_pred(valid, iw_and_pred(at_least_bottom, at_most_top))); \
  const iw_u32 below = iw_splat(rule->clamp ? 0 : rule->bins), nan = iw_splat(rule->bins + 2); \
  const iw_u32 above = iw_splat(rule->clamp ? rule->bins - 1 : rule->bins + 1); \
  return iw_select(at_least_bottom, iw_select(at_most_top, bin, above), iw_select(at_most_top, below, nan)); \
}
DEFINE_BIN_BY(bin_by_arithmetic, guess_in_range)
DEFINE_BIN_BY(bin_by_bisection, search_in_range)
#undef DEFINE_BIN_BY

/* Whether a sample is in a bin, and not near an edge, and which bin; open where it is not. */
IW_FN iw_pred OF_T(bin_if_unambiguous)(const iw_binning *rule, LANES x, iw_u32 *bin)
{
  typedef IW_PASTE(iw_, GUESS) lanes;
  typedef IW_PASTE(iws_, GUESS) scalar;
  const iw_pred inside = iw_and_pred(iw_ge(x, iw_splat(rule->bottom.T)), iw_le(x, iw_splat(rule->top.T)));
  const lanes scaled = iw_mul(IW_JOIN(iw_to, GUESS)(x), iw_splat((scalar)rule->scale));
  lanes past;
  *bin = IW_JOIN(iw_floor_index, GUESS)(IW_JOIN(iw_add, GUESS)(scaled, iw_splat((scalar)rule->offset)), &past);
  return iw_and_pred(inside, iw_gt(iw_abs(past), iw_splat((scalar)rule->tau)));
}

/* The same for a whole row: which bin, open where it is not sure; whether all were, `row` says in the end. tau is such that what
 * is outside of [bottom, top] is outside of the bins, or near. */
IW_FN iw_u32 OF_T(bin_speculative)(const iw_binning *rule, LANES x, IW_PASTE(iw_floors_, GUESS) *row)
{
  typedef IW_PASTE(iw_, GUESS) lanes;
  typedef IW_PASTE(iws_, GUESS) scalar;
  const lanes scaled = iw_mul(IW_JOIN(iw_to, GUESS)(x), iw_splat((scalar)rule->scale));
  return IW_JOIN(iw_floors_add, GUESS)(row, IW_JOIN(iw_add, GUESS)(scaled, iw_splat((scalar)rule->offset)));
}

/* e(k). `computed`: if it may be; where all lanes want one, memory takes longer. */
IW_FN LANES OF_T(edge_value)(const iw_binning *rule, iw_u32 k, iw_pred valid, int computed)
{
  if (!IW_PASTE(EVEN_, T) || !computed || !rule->even) return iw_gather((const SCALAR *)rule->edges, k, valid);
  return IW_JOIN(iw_to, T)(iw_add_f64(iw_mul_f64(iw_to_f64(k), iw_splat(rule->step)), iw_splat(rule->first)));
}

/* The number of a sample whose bin is this if it is in one. */
IW_FN iw_u32 OF_T(bin_or_outlier)(const iw_binning *rule, LANES x, iw_u32 bin)
{
  const iw_pred at_least_bottom = iw_ge(x, iw_splat(rule->bottom.T)), at_most_top = iw_le(x, iw_splat(rule->top.T));
  const iw_u32 under = iw_splat(rule->bins), over = iw_splat(rule->bins + 1), nan = iw_splat(rule->bins + 2);
  return iw_select(iw_and_pred(at_least_bottom, at_most_top), bin, iw_select(at_least_bottom, over, iw_select(at_most_top, under, nan)));
}

/* The number of any sample's bin, by the edge that is nearest to the guess: it is the bin's, or the next one's. */
IW_FN iw_u32 OF_T(bin_by_nearest_edge)(const iw_binning *rule, LANES x, iw_pred valid, int computed)
{
  typedef IW_PASTE(iw_, GUESS) lanes;
  typedef IW_PASTE(iws_, GUESS) scalar;
  const iw_pred at_least_bottom = iw_ge(x, iw_splat(rule->bottom.T)), at_most_top = iw_le(x, iw_splat(rule->top.T));
  const iw_pred inside = iw_and_pred(valid, iw_and_pred(at_least_bottom, at_most_top));
  const lanes scaled = iw_mul(IW_JOIN(iw_to, GUESS)(x), iw_splat((scalar)rule->scale));
  const lanes guess = IW_JOIN(iw_add, GUESS)(scaled, iw_splat((scalar)rule->offset));
  const iw_u32 edge = iw_to_index(IW_JOIN(iw_add, GUESS)(guess, iw_splat((scalar)0.5)), rule->bins - 1);
  const iw_u32 bin = iw_select(iw_lt(x, OF_T(edge_value)(rule, edge, inside, computed)), iw_sub_u32(edge, iw_splat(1u)), edge);
  return OF_T(bin_or_outlier)(rule, x, bin);
}

/* The same where all edges are even, for any sample: bins or more if it is in no bin, and perhaps if it is in the last one. */
IW_FN iw_u32 OF_T(bin_by_even_edge)(const iw_binning *rule, const IW_PASTE(iw_edges_, GUESS) *edges, LANES x)
{
  typedef IW_PASTE(iw_, GUESS) lanes;
  typedef IW_PASTE(iws_, GUESS) scalar;
  const lanes scaled = iw_mul(IW_JOIN(iw_to, GUESS)(x), iw_splat((scalar)rule->scale));
  const iw_u32 edge = IW_JOIN(iw_nearest_index, GUESS)(IW_JOIN(iw_add, GUESS)(scaled, iw_splat((scalar)rule->offset)));
  return iw_select(iw_lt(IW_JOIN(iw_to, GUESS)(x), IW_JOIN(iw_edges_at, GUESS)(edges, edge)), iw_sub_u32(edge, iw_splat(1u)), edge);
}

IW_FN iw_u32 OF_T(bin_index)(const iw_binning *rule, LANES x, iw_pred valid)
{
  return rule->mode == IW_BINNING_GUESS ? OF_T(bin_by_arithmetic)(rule, x, valid) : OF_T(bin_by_bisection)(rule, x, valid);
}
