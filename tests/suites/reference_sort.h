/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of a sort, from the definition in <isowarp/sorts.h>: a merge sort of indices by comparison.
 */
#ifndef TESTS_REFERENCE_SORT_H
#define TESTS_REFERENCE_SORT_H

#include "reference.h"

#include <isowarp.h>

/* -1, 0 or 1: whether a comes before b in ascending order, is equal to it, or comes after it. */
static inline int compare_floats(double a, double b)
{
  if (isnan(a) || isnan(b))
    return !!isnan(a) - !!isnan(b);
  if (a != b)
    return a < b ? -1 : 1;
  return !!signbit(b) - !!signbit(a);
}

/* The bits of an integer that decide: of its value minus the type's lowest one. */
static inline uint64_t deciding_bits(iw_type type, wide value, const iw_sort_options *o)
{
  const unsigned size = 8 * (unsigned)iw_type_size(type), end = o->end_bit ? o->end_bit : size;
  const int has_negatives = type == IW_I8 || type == IW_I16 || type == IW_I32 || type == IW_I64;
  const wide above = value + (has_negatives ? (wide)1 << (size - 1) : 0);
  return (uint64_t)((above & (((wide)1 << end) - 1)) >> o->begin_bit);
}

static inline int comes_before(iw_type type, const void *data, size_t i, size_t j, const iw_sort_options *o)
{
  const size_t a = o->descending ? j : i, b = o->descending ? i : j;
  return is_float(type) ? compare_floats(real_of(type, data, a), real_of(type, data, b)) < 0
                        : deciding_bits(type, integer_of(type, data, a), o) < deciding_bits(type, integer_of(type, data, b), o);
}

/* permutation[to] = the index of the element that goes to `to`, for the elements first … end-1, sorted by
 * themselves. */
static inline void reference_sort(iw_type type, const void *data, size_t first, size_t end, const iw_sort_options *o, size_t *permutation)
{
  for (size_t i = first; i < end; i++)
    permutation[i] = i;
  size_t *const other = malloc((end + 1) * sizeof *other);
  for (size_t width = 1; width < end - first; width *= 2) {
    for (size_t from = first; from < end; from += 2 * width) {
      const size_t middle = from + width < end ? from + width : end, stop = from + 2 * width < end ? from + 2 * width : end;
      size_t a = from, b = middle;
      for (size_t to = from; to < stop; to++)
        other[to] = b < stop && (a == middle || comes_before(type, data, permutation[b], permutation[a], o)) ? permutation[b++]
                                                                                                             : permutation[a++];
    }
    memcpy(permutation + first, other + first, (end - first) * sizeof *other);
  }
  free(other);
}

#endif
