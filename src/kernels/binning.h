/* SPDX-License-Identifier: Apache-2.0
 *
 * The bin of each lane's sample. Arithmetic only guesses; near an edge, comparison with it decides. Compiled once per T.
 */
#include "typed.h"

#ifndef IW_KERNELS_BINNING_H
#define IW_KERNELS_BINNING_H

/* Kernels that need no shared memory. */
typedef struct nothing { int unused; } nothing;

/* The type of the guess. */
#define GUESS_f32 f32
#define GUESS_f64 f64
#define GUESS_i32 f64
#define GUESS_u32 f64
#define GUESS_i64 f64
#define GUESS_u64 f64
#define GUESS IW_PASTE(GUESS_, T)
#endif

/* A sample in [bottom, top]: the edge nearest to the guess, and whether it is so near that it must be looked at. */
IW_FN iw_u32 OF_T(bin_by_guess)(const iw_binning *rule, LANES x, iw_pred inside)
{
  typedef IW_PASTE(iw_, GUESS) lanes;
  typedef IW_PASTE(iws_, GUESS) scalar;
  const iw_u32 last = iw_splat(rule->bins - 1);
  const lanes scaled = iw_mul(IW_JOIN(iw_to, GUESS)(x), iw_splat((scalar)rule->scale));
  const lanes guess = iw_add(scaled, iw_splat((scalar)rule->offset));
  const lanes nearest = iw_floor(IW_JOIN(iw_add, GUESS)(guess, iw_splat((scalar)0.5)));
  const iw_pred near = iw_le(iw_abs(IW_JOIN(iw_sub, GUESS)(guess, nearest)), iw_splat((scalar)rule->tau));
  const iw_pred unsure = iw_both(inside, near);
  iw_u32 bin = iw_to_u32(guess);
  if (iw_any(unsure)) {
    const iw_u32 edge = iw_min(iw_to_u32(nearest), last);
    const iw_pred below = iw_both(unsure, iw_lt(x, iw_gather((const SCALAR *)rule->edges, edge, unsure)));
    bin = iw_select(unsure, edge, bin);
    bin = iw_select(below, iw_sub_u32(edge, iw_splat(1u)), bin);
  }
  return bin;
}

/* A sample in [bottom, top]: the last edge that is not above it, by halving. */
IW_FN iw_u32 OF_T(bin_by_search)(const iw_binning *rule, LANES x, iw_pred inside)
{
  iw_u32 bin = iw_splat(0u);
  for (uint32_t step = rule->steps; step-- > 0;) {
    const iw_u32 next = iw_add(bin, iw_splat(1u << step));
    const iw_pred there = iw_both(inside, iw_lt(next, iw_splat(rule->bins)));
    const LANES edge = iw_gather((const SCALAR *)rule->edges, next, there);
    bin = iw_select(iw_both(there, iw_le(edge, x)), next, bin);
  }
  return bin;
}

/* A rule for one way: the number of each sample's bin, or where it is otherwise; open where not `some`. */
#define BIN_BY(name, way) \
IW_FN iw_u32 OF_T(name)(const iw_binning *rule, LANES x, iw_pred some) \
{ \
  const LANES bottom = iw_splat(rule->bottom.T), top = iw_splat(rule->top.T); \
  const iw_pred inside = iw_both(some, iw_both(iw_ge(x, bottom), iw_le(x, top))); \
  iw_u32 bin = OF_T(way)(rule, x, inside); \
  if (iw_wanted(iw_both(some, iw_unless(inside)))) { \
    const uint32_t below = rule->clamp ? 0 : rule->bins, above = rule->clamp ? rule->bins - 1 : rule->bins + 1; \
    const iw_u32 high = iw_select(iw_gt(x, top), iw_splat(above), iw_splat(rule->bins + 2)); \
    bin = iw_select(inside, bin, iw_select_u32(iw_lt(x, bottom), iw_splat(below), high)); \
  } \
  return bin; \
}
BIN_BY(guessed, bin_by_guess)
BIN_BY(searched, bin_by_search)
#undef BIN_BY

/* For loops over private counters: the place of each sample's counter. Outsiders have one of their own in each lane, since
 * there may be many of them. */
#ifndef IW_KERNELS_PLACES
#define IW_KERNELS_PLACES
typedef struct places { iw_u32 table, below, above, nan; } places;
#endif
IW_FN iw_u32 OF_T(place_of)(const iw_binning *rule, LANES x, const places *at)
{
  const iw_pred low = iw_lt(x, iw_splat(rule->bottom.T)), high = iw_gt(x, iw_splat(rule->top.T)), nan = iw_ne(x, x);
  const iw_pred outside = iw_either(nan, iw_either(low, high));
  iw_u32 place = iw_add(at->table, OF_T(bin_by_guess)(rule, x, iw_unless(outside)));
  if (iw_wanted(outside))
    place = iw_select_u32(low, at->below, iw_select_u32(high, at->above, iw_select_u32(nan, at->nan, place)));
  return place;
}

IW_FN iw_u32 OF_T(bin_of)(const iw_binning *rule, LANES x, iw_pred some)
{
  return rule->mode == IW_BINNING_GUESS ? OF_T(guessed)(rule, x, some) : OF_T(searched)(rule, x, some);
}
