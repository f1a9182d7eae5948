/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/scan/lane_operators.h"
#define OFFSETS_ONLY
#define FOLD_SETS IW_BY_LANES
#define TEMPLATE <isowarp/algorithms/scan/scan_rows_kernel.h>
#include "algorithms/common/operations.h"
#undef OFFSETS_ONLY
#define LONG_ROWS
#define FOLD_SETS IW_BY_LANES
#define TEMPLATE <isowarp/algorithms/scan/scan_kernel.h>
#include "algorithms/common/operations.h"
