/* SPDX-License-Identifier: Apache-2.0 */
#define REDUCE
#define TEMPLATE <isowarp/algorithms/scan/scan_kernel.h>
#include "algorithms/common/for_each_op.h"
#include "algorithms/common/for_each_mixed.h"
#undef TEMPLATE
#define TEMPLATE "algorithms/scan/arg_extremum_kernel.h"
#include "algorithms/common/for_each_type.h"
