/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/histogram/tuning_cuda.h"
#define IW_TEMPLATE "algorithms/binning/bin_index.h"
#include <isowarp/language/for_each_type.h>
#define IW_TEMPLATE "algorithms/histogram/bin_partition.h"
#include <isowarp/language/for_each_type.h>
#include "algorithms/histogram/bin_partition_count.h"
