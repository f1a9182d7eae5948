/* SPDX-License-Identifier: Apache-2.0 */
#define OFFSETS_ONLY
#define TEMPLATE <isowarp/algorithms/scan/scan_rows_kernel.h>
#include "algorithms/scan/more_operators.h"
#undef TEMPLATE
#undef OFFSETS_ONLY
#define LONG_ROWS
#define TEMPLATE <isowarp/algorithms/scan/scan_kernel.h>
#include "algorithms/scan/more_operators.h"
