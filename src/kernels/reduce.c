/* SPDX-License-Identifier: Apache-2.0 */
#define REDUCE
#define TEMPLATE <isowarp/algorithms/scan/scan_kernel.h>
#include "algorithms/common/for_each_op.h"
#include "algorithms/common/for_each_mixed.h"
#undef TEMPLATE
#include "algorithms/scan/arg_extremum_instances.h"
