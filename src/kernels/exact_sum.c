/* SPDX-License-Identifier: Apache-2.0
 *
 * Build unit: exact sums.
 */
#include "algorithms/exact_sum/instances.h"
