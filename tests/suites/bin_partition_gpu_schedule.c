/* SPDX-License-Identifier: Apache-2.0
 *
 * The histogram by bin partition, a GPU schedule, with a CPU's tuning numbers. Compiled once for each
 * instruction set and linked into check_bin_partition: the kernel tables of CPU sets refer to it weakly.
 * Its compile time matters and its speed does not.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O1")
#endif
#define IW_NO_FORCED_INLINING
#include "algorithms/histogram/tuning_cpu.h"
#define IW_TEMPLATE "algorithms/binning/bin_index.h"
#include <isowarp/language/for_each_type.h>
#define IW_TEMPLATE "algorithms/histogram/bin_partition.h"
#include <isowarp/language/for_each_type.h>
#include "algorithms/histogram/bin_partition_count.h"
