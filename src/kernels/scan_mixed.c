/* SPDX-License-Identifier: Apache-2.0 */
#define FOLD_SETS (IW_NARROW_SUMS | IW_NARROW_MINIMA | IW_WIDENING_SUMS)
#define TEMPLATE <isowarp/algorithms/scan/scan_kernel.h>
#include "algorithms/common/operations.h"
