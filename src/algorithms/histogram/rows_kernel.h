/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel histogram_rows_T in the schedule of the target, with the bin decision of T. Kernel template, compiled once per T.
 */
#include "algorithms/binning/bin_index.h"
#ifdef IW_GPU_SCHEDULES /* kernel.h */
#include "algorithms/histogram/shared_atomics.h"
#else
#include "algorithms/histogram/private_counters.h"
#endif
