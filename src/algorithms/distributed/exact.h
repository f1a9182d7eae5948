/* SPDX-License-Identifier: Apache-2.0
 *
 * Unrounded sums of all ranks. Algorithms layer.
 */
#ifndef IW_ALGORITHMS_DISTRIBUTED_EXACT_H
#define IW_ALGORITHMS_DISTRIBUTED_EXACT_H

#include "algorithms/distributed/distributed.h"

/* Reserves memory for the next function, to be agreed on. */
iw_status iw_exact_reserve(iw_step *step);
/* sums[k] = the sum of all ranks' sums[k]; count is equal on all ranks. Fails only if the peers do. */
iw_status iw_exact_all_reduce(iw_step *step, iw_exact_sum *sums, size_t count);
/* Adds one value of f32 or f64 in host memory. */
void iw_exact_add_float(iw_exact_sum *sum, iw_type type, const void *value);

#endif
