/* SPDX-License-Identifier: Apache-2.0 */
#define REDUCE
#define FOLD_SETS (IW_ALL_FOLDS & ~IW_BY_LANES)
#define TEMPLATE <isowarp/algorithms/scan/scan_kernel.h>
#include "algorithms/common/operations.h"
#undef REDUCE
#define FOLD_SETS IW_MINIMA
#define TEMPLATE "algorithms/scan/arg_extremum_kernel.h"
#include "algorithms/common/operations.h"
