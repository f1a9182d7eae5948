/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums, means, variances and quantiles that are rounded once. They are texts, as 64-bit integers and numbers
 * between them need more digits than a double has. */
#ifndef ISOWARP_STATISTICS_H
#define ISOWARP_STATISTICS_H

#include "commands.h"

typedef struct statistics {
  number_text sum, mean, variance, deviation;
} statistics;

/* Of the n sorted elements that this rank has, without NaN. all: the number of elements of all ranks;
 * least, greatest: of all elements, if there are any. All ranks call this. */
statistics find_statistics(iw_context *context, iw_type type, const void *elements, size_t n, size_t all,
                           const value *least, const value *greatest);

/* low + (high - low) * part, for low <= high and 0 <= part < 1: an integer of 64 bits beyond 2^53 in
 * decimal digits that are not below low nor above high, another number as the double that is nearest.
 * Between -inf and +inf the limit of (2 * part - 1) * M for large M. */
number_text interpolate(iw_context *context, iw_type type, const value *low, const value *high, double part);

#endif
