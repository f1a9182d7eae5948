/* SPDX-License-Identifier: Apache-2.0 */
#define REDUCE
#define TEXT <isowarp/algorithms/scan/scan_kernel.h>
#include "algorithms/common/for_each_op.h"
#include "algorithms/common/for_each_mixed.h"
#undef TEXT
#define TEXT "algorithms/scan/arg_extremum_kernel.h"
#include "algorithms/common/for_each_type.h"
