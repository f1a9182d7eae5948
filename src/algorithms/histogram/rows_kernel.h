/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel histogram_rows_T in the schedule of the target, with the bin decision of T. Kernel template,
 * compiled once per T; a unit includes it first. There is one unit per element size, because the long
 * functions that count a row on CPUs depend only on the size and are compiled once per unit.
 */
#ifndef IW_HISTOGRAM_ROWS_KERNEL_H
#define IW_HISTOGRAM_ROWS_KERNEL_H
/* These kernels prefetch further ahead than others: they find bins as fast as memory delivers samples, and a
 * thread's span is long (doc/design/cpu.md#prefetch-distance). */
#define IW_PREFETCH_DISTANCE 8192
#endif

#include "algorithms/binning/bin_index.h"
#ifdef IW_GPU_SCHEDULES /* kernel.h */
#include "algorithms/histogram/shared_atomics.h"
#else
#include "algorithms/histogram/private_counters.h"
#endif
