/* SPDX-License-Identifier: Apache-2.0
 *
 * What partition offers to multisplit, whose split by a pivot is a partition into three parts. Algorithms layer; not installed.
 */
#ifndef IW_ALGORITHMS_PARTITION_H
#define IW_ALGORITHMS_PARTITION_H

#include "algorithms/histogram/histogram.h"

/* Splits by a pivot if the call is small and plain: then *status is its status, offsets has 4 elements, and the result is 1. Else
 * returns 0 and has neither checked nor done anything. */
int iw_partition_three_small(iw_context *context, iw_type type, const void *in, size_t n, const void *pivot, void *out,
                             size_t *offsets, iw_status *status);
/* Makes the plan of the pivot's two bins, less and equal. The plan points to edges and owns nothing. */
void iw_plan_of_pivot(iw_type type, const void *pivot, iw_scalar_bits edges[2], iw_histogram_plan *plan);

#endif
