/* SPDX-License-Identifier: Apache-2.0 */
/* No CPU chooses this schedule: it is compiled for tests, and fast. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O1")
#endif
/* Build unit: histograms by bin partition. No CPU context chooses this schedule; it is compiled so that
 * tests can run it on every instruction set, and without forced inlining, since its speed does not matter
 * here and its compile time does. */
#define IW_NO_FORCED_INLINING
#include "algorithms/histogram/tuning_cpu.h"
#define TEMPLATE "algorithms/histogram/bin_index.h"
#include "algorithms/common/for_each_type.h"
#undef TEMPLATE
#define TEMPLATE "algorithms/histogram/bin_partition.h"
#include "algorithms/common/for_each_type.h"
#undef TEMPLATE
#include "algorithms/histogram/bin_partition_count.h"
