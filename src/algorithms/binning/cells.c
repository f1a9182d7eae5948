/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of cells of a plan whose edges no formula finds (bin_index.h has what it is for). Host side of
 * the algorithms layer. A cell is decided in the kernels' own arithmetic.
 */
#include "algorithms/binning/cells.h"
#include "algorithms/binning/sample_values.h"

#include <math.h>
#include <stdlib.h>

/* Tuning. None of these numbers can change a result. */
enum {
  MIN_BINS = 8,                 /* fewer edges are bisected as fast */
  CELLS_PER_BIN = 8,            /* of few bins: most cells have no edge then */
  CELLS_PER_BIN_OF_MANY = 2,    /* of more bins: the table has to stay in a second-level cache */
  FEW_BINS = 2048,
  MOST_BINS = (1 << 27) - 1,    /* an entry has 27 bits for an edge */
  FINER_CELLS = 7               /* by leading bits: how many halvings of cells are tried */
};

/* A key as kernels convert it to f64. */
static double value_at(iw_type key, const void *values, size_t k)
{
  return is_float(key) ? real_at(key, values, k) : (double)integer_at(key, values, k);
}

/* LEADING_BITS_KEY of sample_types.h, of a value that is not negative. */
static uint32_t leading_bits(iw_type key, const void *values, size_t k)
{
  iw_scalar_bits bits = { 0 };
  if (key == IW_F32)
    bits.f32 = ((const float *)values)[k];
  else
    bits.f64 = value_at(key, values, k);
  return (key == IW_F32 ? bits.u32 : (uint32_t)(bits.u64 >> 32)) & 0x7fffffff;
}

static double guess_at(iw_type key, const void *values, size_t k, const iw_binning *rule)
{
  if (key == IW_F32)
    return (double)(((const float *)values)[k] * (float)rule->scale + (float)rule->offset);
  return value_at(key, values, k) * rule->scale + rule->offset;
}

/* The cell of values[k], a sample in range. */
static uint32_t cell_at(iw_type key, const void *values, size_t k, const iw_binning *rule)
{
  uint32_t cell;
  if (rule->cell_shift) {
    const uint32_t bits = leading_bits(key, values, k);
    cell = bits < rule->cell_base ? 0 : (bits - rule->cell_base) >> (rule->cell_shift - 1);
  } else {
    const double guess = guess_at(key, values, k, rule);
    cell = guess < 0 ? 0 : (uint32_t)guess;
  }
  return cell < rule->cells ? cell : rule->cells - 1;
}

/* Steps of a bisection that decides how many of `count` edges are not above a sample. */
static uint32_t steps_for(size_t count)
{
  uint32_t steps = 0;
  while (count >> steps)
    steps++;
  return steps;
}

/* The steps that samples take if all bins have equally many, in steps times bins. */
static size_t cost_of(iw_type key, const void *edges, const iw_binning *rule)
{
  size_t cost = 0;
  for (size_t k = 1, first = 1; k < rule->bins; k++)
    if (k + 1 == rule->bins || cell_at(key, edges, k + 1, rule) != cell_at(key, edges, k, rule)) {
      cost += (k + 1 - first) * steps_for(k + 1 - first);
      first = k + 1;
    }
  return cost;
}

/* Keeps the cells of `tried` if they cost less. */
static void keep_better(iw_type key, const void *edges, const iw_binning *tried, size_t *least, iw_binning *best)
{
  const size_t cost = cost_of(key, edges, tried);
  if (cost >= *least)
    return;
  *least = cost;
  *best = *tried;
}

/* Cells of equal length. The guess of the smallest sample has to be above -1, and that of the largest one
 * an integer of 31 bits. */
static void try_even_cells(iw_type key, const void *edges, iw_binning tried, size_t *least, iw_binning *best)
{
  const double lo = value_at(key, edges, 0), hi = value_at(key, &tried.top, 0);
  tried.scale = (double)tried.cells / (hi - lo);
  tried.offset = -lo * tried.scale;
  if (key == IW_F32) {
    tried.scale = (double)(float)tried.scale;
    tried.offset = (double)(float)tried.offset;
  }
  if (!(isfinite(tried.scale) && tried.scale > 0 && isfinite(tried.offset)))
    return;
  if (guess_at(key, edges, 0, &tried) > -1 && guess_at(key, &tried.top, 0, &tried) < INT32_MAX)
    keep_better(key, edges, &tried, least, best);
}

/* Cells of equal length in each power of two, of keys that are not negative. The finer they are, the more
 * of the smallest samples are in cell 0. */
static void try_cells_of_bits(iw_type key, const void *edges, iw_binning tried, size_t *least, iw_binning *best)
{
  if (value_at(key, edges, 0) < 0)
    return;
  const uint32_t lo = leading_bits(key, edges, 0), hi = leading_bits(key, &tried.top, 0);
  uint32_t shift = 0;
  while ((hi - lo) >> shift >= tried.cells)
    shift++;
  for (uint32_t finer = 0; finer < FINER_CELLS && finer <= shift; finer++) {
    const uint64_t covered = ((uint64_t)tried.cells << (shift - finer)) - 1;
    tried.cell_shift = shift - finer + 1;
    tried.cell_base = hi - lo > covered ? hi - (uint32_t)covered : lo;
    keep_better(key, edges, &tried, least, best);
  }
}

int iw_choose_cells(iw_type key, const void *edges, iw_binning *rule)
{
  if (rule->bins < MIN_BINS || rule->bins > MOST_BINS)
    return 0;
  iw_binning tried = *rule, best = *rule;
  const size_t wanted = (size_t)rule->bins * (rule->bins <= FEW_BINS ? CELLS_PER_BIN : CELLS_PER_BIN_OF_MANY);
  tried.cells = 1;
  while (tried.cells < wanted)
    tried.cells *= 2;
  size_t least = (size_t)rule->bins * rule->steps / 4 * 3; /* the table takes a load, too */
  try_even_cells(key, edges, tried, &least, &best);
  try_cells_of_bits(key, edges, tried, &least, &best);
  *rule = best;
  return best.cells != 0;
}

void iw_write_cells(iw_type key, const void *edges, const iw_binning *rule, uint32_t *table)
{
  size_t behind = 1; /* the first edge that is not in front of the cell; edge 0 is below each sample in range */
  for (uint32_t cell = 0; cell < rule->cells; cell++) {
    const size_t first = behind;
    while (behind < rule->bins && cell_at(key, edges, behind, rule) == cell)
      behind++;
    table[cell] = (uint32_t)(first - 1) << 5 | steps_for(behind - first);
  }
}
