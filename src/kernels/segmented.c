/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/scan/segment_heads.h"
#define SEGMENTED
#define TEMPLATE <isowarp/algorithms/scan/scan_kernel.h>
#include "algorithms/common/for_each_scan_op.h"
#include "algorithms/common/for_each_narrow.h"
