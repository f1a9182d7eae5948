/* SPDX-License-Identifier: Apache-2.0 */
#define FOLD_SETS (IW_ALL_FOLDS & ~(IW_WIDENING_SUMS | IW_BY_LANES))
#define TEMPLATE <isowarp/algorithms/scan/scan_rows_kernel.h>
#include "algorithms/common/operations.h"
