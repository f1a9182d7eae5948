/* SPDX-License-Identifier: Apache-2.0
 *
 * How the bin of a sample is decided. Kernel template, compiled once per T; knows no counters and no
 * schedule.
 *
 * The edges decide: the bin of x is the last k with edge(k) <= x. Floating-point arithmetic never decides,
 * it only guesses, and therefore all targets agree. iw_binning.mode says which of three ways finds that k:
 *
 *   IW_BINNING_MAP     types of 1 byte: a table that has the bin of each of the 256 values.
 *   IW_BINNING_GUESS   floor(x*scale + offset), and a comparison near an edge. The host has computed the
 *                      guess at every edge and just below it (binning_plan.c: error_bound). As the guess is
 *                      monotone in x, floor(guess) is the bin of every x whose guess is farther than tau
 *                      from an integer: such a guess is unambiguous. Any other guess is ambiguous; as tau <
 *                      1/4, only the edge nearest to it is in doubt, and x is compared with that.
 *   IW_BINNING_SEARCH  bisection among the edges, where no such tau exists: edges of very different
 *                      distances. A plan that serves many calls has a table of cells, which are intervals of
 *                      samples. The function that gives the cell of x is monotone in x, whatever it rounds.
 *                      So edges in earlier cells are below x and edges in later cells are above it, and only
 *                      the edges in x's own cell are compared: one or none in most cells.
 *
 * A bin index past the last bin says why a sample is in no bin: bins if it is below the first edge; bins + 1
 * if it is above the last one, or a byte that a map drops; bins + 2 if it is NaN. Lanes that are not valid
 * get an unspecified index.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/binning/args.h"
#include "algorithms/binning/sample_types.h"

#define FN(name) IW_JOIN(name, T)

/* Whether x lies between the first edge and the last value of the last bin; NaN does not. */
IW_FN iw_pred FN(in_range)(const iw_binning *rule, KEY_LANES x)
{
  return iw_and_pred(iw_ge(x, iw_splat(rule->bottom.KEY)), iw_le(x, iw_splat(rule->top.KEY)));
}

/* `bin` for a sample in range, `below` or `above` for one that is outside, bins + 2 for NaN. */
IW_FN iw_u32 FN(replace_outliers)(const iw_binning *rule, KEY_LANES x, iw_u32 bin, uint32_t below,
                                  uint32_t above)
{
  const iw_pred at_least_bottom = iw_ge(x, iw_splat(rule->bottom.KEY));
  const iw_pred at_most_top = iw_le(x, iw_splat(rule->top.KEY));
  const iw_u32 nan = iw_splat(rule->bins + 2);
  return iw_select(at_least_bottom, iw_select(at_most_top, bin, iw_splat(above)),
                   iw_select(at_most_top, iw_splat(below), nan));
}

/* `bin` for a sample in range, else the index of an outlier: bins below, bins + 1 above, bins + 2 NaN. */
IW_FN iw_u32 FN(bin_or_outlier)(const iw_binning *rule, SAMPLE_LANES sample, iw_u32 bin)
{
  return FN(replace_outliers)(rule, TO_KEY(sample), bin, rule->bins, rule->bins + 1);
}

/* x*scale + offset: both operations round, as they do on the host that bounded the error. */
IW_FN GUESS_LANES FN(guess)(const iw_binning *rule, KEY_LANES x)
{
  const GUESS_LANES scaled =
      IW_JOIN(iw_mul, GUESS)(IW_JOIN(iw_to, GUESS)(x), iw_splat((GUESS_SCALAR)rule->scale));
  return IW_JOIN(iw_add, GUESS)(scaled, iw_splat((GUESS_SCALAR)rule->offset));
}

/* ---- Exact for any sample ---- */

/* IW_BINNING_GUESS for lanes in range: compares with an edge only if the guess of some lane is ambiguous. */
IW_FN iw_u32 FN(bin_by_guess)(const iw_binning *rule, KEY_LANES x, iw_pred inside)
{
  const uint32_t last = rule->bins - 1;
  const GUESS_LANES guess = FN(guess)(rule, x), half = iw_splat((GUESS_SCALAR)0.5);
  const GUESS_LANES nearest = iw_floor(IW_JOIN(iw_add, GUESS)(guess, half));
  const GUESS_LANES distance = iw_abs(IW_JOIN(iw_sub, GUESS)(guess, nearest));
  const iw_pred ambiguous = iw_and_pred(inside, iw_le(distance, iw_splat((GUESS_SCALAR)rule->tau)));
  iw_u32 bin = iw_to_index(guess, last);
  if (iw_any(ambiguous)) {
    const iw_u32 edge = iw_to_index(nearest, last);
    const KEY_LANES edge_value = iw_gather((const KEY_SCALAR *)rule->edges, edge, ambiguous);
    const iw_pred below = iw_and_pred(ambiguous, iw_lt(x, edge_value));
    bin = iw_select(ambiguous, edge, bin);
    bin = iw_select(below, iw_sub_u32(edge, iw_splat(1u)), bin);
  }
  return bin;
}

/* The cell of a sample in range. */
IW_FN iw_u32 FN(cell_of)(const iw_binning *rule, KEY_LANES x)
{
  const uint32_t last = rule->cells - 1;
  if (!rule->cell_shift) return iw_to_index(FN(guess)(rule, x), last);
  const iw_u32 bits = iw_max(IW_PASTE(LEADING_BITS_, KEY)(x), iw_splat(rule->cell_base));
  return iw_min(iw_shr(iw_sub(bits, iw_splat(rule->cell_base)), iw_splat(rule->cell_shift - 1)), iw_splat(last));
}

/* IW_BINNING_SEARCH for lanes in range: a bisection among all edges, or from the last edge in front of the
 * cell on. */
IW_FN iw_u32 FN(bin_by_search)(const iw_binning *rule, KEY_LANES x, iw_pred inside)
{
  uint32_t steps = rule->steps;
  iw_u32 bin = iw_splat(0u), own = iw_splat(steps);
  if (rule->cells) {
    const iw_u32 entry = iw_gather(rule->map, FN(cell_of)(rule, x), inside);
    own = iw_and(entry, iw_splat(31u));
    for (steps = 0; iw_any(iw_and_pred(inside, iw_gt(own, iw_splat(steps))));) steps++;
    bin = iw_shr(entry, iw_splat(5u));
  }
  for (uint32_t step = steps; step-- > 0;) {
    const iw_u32 next = iw_add(bin, iw_splat(1u << step));
    const iw_pred looks = iw_and_pred(inside, iw_gt(own, iw_splat(step)));
    const iw_pred in_bounds = iw_and_pred(looks, iw_lt(next, iw_splat(rule->bins)));
    const KEY_LANES edge = iw_gather((const KEY_SCALAR *)rule->edges, next, in_bounds);
    bin = iw_select(iw_and_pred(in_bounds, iw_le(edge, x)), next, bin);
  }
  return bin;
}

/* IW_BINNING_MAP. In the table, values outside of the bins have indices past the last bin. */
IW_FN iw_u32 FN(bin_of_byte)(const iw_binning *rule, iw_u32 byte, iw_pred valid)
{
  const iw_u32 bin = iw_gather(rule->map, byte, valid), bins = iw_splat(rule->bins);
  if (!rule->clamp) return bin;
  return iw_select(iw_lt(bin, bins), bin, iw_select(iw_eq(bin, bins), iw_splat(0u), iw_splat(rule->bins - 1)));
}

/* The bin index of any sample, by whichever way the rule has. */
IW_FN iw_u32 FN(bin_index)(const iw_binning *rule, SAMPLE_LANES sample, iw_pred valid)
{
  if (BYTES) return FN(bin_of_byte)(rule, iw_to_u32(sample), valid);
  const KEY_LANES x = TO_KEY(sample);
  const iw_pred inside = iw_and_pred(valid, FN(in_range)(rule, x));
  const uint32_t below = rule->clamp ? 0 : rule->bins, above = rule->clamp ? rule->bins - 1 : rule->bins + 1;
  const iw_u32 bin = rule->mode == IW_BINNING_GUESS ? FN(bin_by_guess)(rule, x, inside)
    : FN(bin_by_search)(rule, x, inside);
  return FN(replace_outliers)(rule, x, bin, below, above);
}

/* ---- The parts of IW_BINNING_GUESS, for schedules that treat whole rows of samples ---- */

/* Whether the sample is in range and its guess is unambiguous; then *bin is its bin, else unspecified. */
IW_FN iw_pred FN(bin_if_unambiguous)(const iw_binning *rule, SAMPLE_LANES sample, iw_u32 *bin)
{
  const KEY_LANES x = TO_KEY(sample);
  GUESS_LANES fraction; /* signed distance to the nearest integer */
  *bin = IW_JOIN(iw_floor_index, GUESS)(FN(guess)(rule, x), &fraction);
  return iw_and_pred(FN(in_range)(rule, x), iw_gt(iw_abs(fraction), iw_splat((GUESS_SCALAR)rule->tau)));
}

/* floor(guess) without a test. `row` collects what iw_floors_unambiguous() needs to know afterwards whether
 * all samples of the row were unambiguous and in range: tau is chosen so that the guess of an outlier is
 * outside of the bins, or ambiguous. */
IW_FN iw_u32 FN(bin_speculative)(const iw_binning *rule, SAMPLE_LANES sample,
                                 IW_PASTE(iw_floors_, GUESS) *row)
{
  return IW_JOIN(iw_floors_add, GUESS)(row, FN(guess)(rule, TO_KEY(sample)));
}

/* edge(k), computed if `computed` allows it and the edges are even, else loaded. Where all lanes need an
 * edge, computing it takes less time than memory. */
IW_FN KEY_LANES FN(edge_value)(const iw_binning *rule, iw_u32 k, iw_pred valid, int computed)
{
  if (!EVEN || !computed || !rule->even) return iw_gather((const KEY_SCALAR *)rule->edges, k, valid);
  const iw_f64 edge = iw_add_f64(iw_mul_f64(iw_to_f64(k), iw_splat(rule->step)), iw_splat(rule->first));
  return IW_JOIN(iw_to, KEY)(edge);
}

/* The bin index of any sample, ambiguous or not, by a comparison with the edge nearest to its guess: the bin
 * begins or ends there. */
IW_FN iw_u32 FN(bin_by_nearest_edge)(const iw_binning *rule, SAMPLE_LANES sample, iw_pred valid,
                                     int computed)
{
  const KEY_LANES x = TO_KEY(sample);
  const iw_pred inside = iw_and_pred(valid, FN(in_range)(rule, x));
  const GUESS_LANES rounded = IW_JOIN(iw_add, GUESS)(FN(guess)(rule, x), iw_splat((GUESS_SCALAR)0.5));
  const iw_u32 edge = iw_to_index(rounded, rule->bins - 1);
  const iw_pred below = iw_lt(x, FN(edge_value)(rule, edge, inside, computed));
  return FN(bin_or_outlier)(rule, sample, iw_select(below, iw_sub_u32(edge, iw_splat(1u)), edge));
}

/* The bin by the nearest edge if rule->even is 2: all edges, the last one too, can be computed. There is no
 * test for the range: an outlier gets an index that is not below `bins`, and so may a sample of the last
 * bin. */
IW_FN iw_u32 FN(bin_by_even_edge)(const iw_binning *rule, const IW_PASTE(iw_edges_, GUESS) *edges,
                                  SAMPLE_LANES sample)
{
  const KEY_LANES x = TO_KEY(sample);
  const iw_u32 edge = IW_JOIN(iw_nearest_index, GUESS)(FN(guess)(rule, x));
  const iw_pred below = iw_lt(IW_JOIN(iw_to, GUESS)(x), IW_JOIN(iw_edges_at, GUESS)(edges, edge));
  return iw_select(below, iw_sub_u32(edge, iw_splat(1u)), edge);
}

/* For samples whose guess is known to be ambiguous often: a computed edge where there is one, else as
 * bin_index. */
IW_FN iw_u32 FN(bin_by_guess_and_edge)(const iw_binning *rule, SAMPLE_LANES sample, iw_pred valid)
{
  if (EVEN && rule->even) return FN(bin_by_nearest_edge)(rule, sample, valid, 1);
  const KEY_LANES x = TO_KEY(sample);
  const iw_u32 bin = FN(bin_by_guess)(rule, x, iw_and_pred(valid, FN(in_range)(rule, x)));
  return FN(replace_outliers)(rule, x, bin, rule->bins, rule->bins + 1);
}

#undef FN
