/* SPDX-License-Identifier: Apache-2.0 */
#define TEXT "algorithms/histogram/bin_index.h"
#include "algorithms/common/for_each_type.h"
#undef TEXT
#include "algorithms/histogram/textbook_strategies.h"
#define TEXT "algorithms/histogram/histogram_kernel.h"
#include "algorithms/common/for_each_sample.h"
#undef TEXT
#define TEXT "algorithms/histogram/bin_partition.h"
#include "algorithms/common/for_each_type.h"
#include "algorithms/histogram/bin_partition_count.h"
