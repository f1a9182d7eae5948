/* SPDX-License-Identifier: Apache-2.0 */
#define TEMPLATE <isowarp/algorithms/scan/scan_rows_kernel.h>
#include "algorithms/common/for_each_scan_op.h"
#include "algorithms/common/for_each_narrow.h"
