/* SPDX-License-Identifier: Apache-2.0 */
/* Build unit: histograms by bin partition. No CPU context chooses this schedule. It is compiled so that tests can
 * run it on every instruction set, at -O1 and without forced inlining, because only its compile time matters. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O1")
#endif
#define IW_NO_FORCED_INLINING
#include "algorithms/histogram/tuning_cpu.h"
#define TEMPLATE "algorithms/histogram/bin_index.h"
#include "algorithms/common/for_each_type.h"
#undef TEMPLATE
#define TEMPLATE "algorithms/histogram/bin_partition.h"
#include "algorithms/common/for_each_type.h"
#undef TEMPLATE
#include "algorithms/histogram/bin_partition_count.h"
