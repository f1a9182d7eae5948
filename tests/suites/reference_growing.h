/* SPDX-License-Identifier: Apache-2.0
 *
 * Growing histograms, from their definition in isowarp/histograms.h.
 */
#ifndef TESTS_REFERENCE_GROWING_H
#define TESTS_REFERENCE_GROWING_H

#include "reference.h"

/* Edge k of a lattice, in a wider number: integers in `i`, floats in `f`. */
typedef struct lattice { iw_type type; word origin, width; } lattice;

static inline double largest_of(iw_type type)
{
  return type == IW_F64 ? 1.7976931348623157e308 : type == IW_F32 ? (double)3.40282347e38f : type == IW_F16 ? 65504 : (double)0x1.fep127f;
}

static inline double float_edge(const lattice *l, int64_t k)
{
  volatile double product = (double)k * real_of(l->type, &l->width, 0); /* volatile: never fused */
  const double sum = product + real_of(l->type, &l->origin, 0);
  if (fabs(sum) > largest_of(l->type))
    return sum < 0 ? -(double)INFINITY : (double)INFINITY;
  return l->type == IW_F64 ? sum : l->type == IW_F32 ? (double)(float)sum : (double)half_value(l->type, half_of(l->type, sum));
}

/* Whether edge k is at most sample i. */
static inline int edge_not_above(const lattice *l, int64_t k, const void *samples, size_t i)
{
  if (is_float(l->type))
    return float_edge(l, k) <= real_of(l->type, samples, i);
  return integer_of(l->type, &l->origin, 0) + (wide)k * integer_of(l->type, &l->width, 0) <= integer_of(l->type, samples, i);
}

/* The last edge that is not above sample i, as k; samples are less than 2^61 widths from the origin. */
static inline int64_t lattice_index(const lattice *l, const void *samples, size_t i)
{
  int64_t low = -((int64_t)1 << 61), high = (int64_t)1 << 61;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (edge_not_above(l, middle, samples, i))
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The range by its definition: the least level with a multiple m of half a range such that [m, m + 2) has
 * both. */
static inline void range_by_definition(int64_t least, int64_t greatest, size_t bins, unsigned *level, int64_t *first)
{
  for (*level = 0;; ++*level) {
    const int64_t half = (int64_t)(bins / 2) << *level;
    int64_t m = least / half - 2;
    while ((m + 1) * half <= least)
      m++;
    if (greatest < (m + 2) * half) {
      *first = m * half;
      return;
    }
  }
}

/* Edge k as the type has it: if it does not, its least or greatest value. */
static inline word stored_edge(const lattice *l, int64_t k)
{
  if (is_float(l->type)) {
    const double edge = float_edge(l, k), most = largest_of(l->type);
    return word_of(l->type, fmax(-most, fmin(edge, most)));
  }
  const unsigned bits = 8 * (unsigned)iw_type_size(l->type);
  const int is_signed = l->type == IW_I8 || l->type == IW_I16 || l->type == IW_I32 || l->type == IW_I64;
  const wide least = is_signed ? -((wide)1 << (bits - 1)) : 0, most = ((wide)1 << (bits - (unsigned)is_signed)) - 1;
  const wide edge = integer_of(l->type, &l->origin, 0) + (wide)k * integer_of(l->type, &l->width, 0);
  return (word){ .u64 = (uint64_t)(edge < least ? least : edge > most ? most : edge) };
}

/* What a growing histogram of some samples reports. */
typedef struct right_growth { size_t bins; unsigned level; int64_t first; uint64_t outside[3]; } right_growth;

static inline int is_outside(iw_type type, const void *samples, size_t i)
{
  const double x = is_float(type) ? real_of(type, samples, i) : 0;
  return x - x != 0;
}

/* bins: as given to iw_growing_histogram_make(). */
static inline right_growth growth_by_definition(const lattice *l, const void *samples, size_t n, size_t bins, iw_growth growth)
{
  int64_t least = INT64_MAX, greatest = INT64_MIN;
  right_growth right = { 0 };
  for (size_t i = 0; i < n; i++) {
    if (is_outside(l->type, samples, i)) {
      const double x = real_of(l->type, samples, i);
      right.outside[x != x ? 2 : x > 0]++;
      continue;
    }
    const int64_t k = lattice_index(l, samples, i);
    least = k < least ? k : least;
    greatest = k > greatest ? k : greatest;
  }
  if (least > greatest)
    return right;
  right.first = least;
  right.bins = growth == IW_GROW_RANGE ? bins : (size_t)(greatest - least) + 1;
  if (growth == IW_GROW_RANGE)
    range_by_definition(least, greatest, bins, &right.level, &right.first);
  return right;
}

/* Writes what iw_growing_histogram_read() should; an edge that the type does not have is its least or
 * greatest value. Either array may be NULL. */
static inline void write_growth(const lattice *l, const right_growth *right, const void *samples, size_t n, void *edges,
                                uint64_t *counts)
{
  for (size_t k = 0; counts && k < right->bins; k++)
    counts[k] = 0;
  for (size_t i = 0; counts && i < n; i++)
    if (!is_outside(l->type, samples, i))
      counts[(lattice_index(l, samples, i) - right->first) >> right->level]++;
  for (size_t k = 0; edges && right->bins && k <= right->bins; k++)
    put(l->type, edges, k, stored_edge(l, right->first + ((int64_t)k << right->level)));
}

#endif
