/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/histogram/tuning_cuda.h"
#define TEMPLATE "algorithms/binning/bin_index.h"
#include "algorithms/common/for_each_type.h"
#undef TEMPLATE
#define TEMPLATE "algorithms/histogram/bin_partition.h"
#include "algorithms/common/for_each_type.h"
#undef TEMPLATE
#include "algorithms/histogram/bin_partition_count.h"
