/* SPDX-License-Identifier: Apache-2.0
 *
 * Build unit: the kernels of the radix split, and bucket ids by a pivot (others are with the histogram or with a user's rule).
 */
#include "algorithms/multisplit/radix_split_kernel.h"
#include "algorithms/multisplit/pivot_ids.h"
