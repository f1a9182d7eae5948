/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses the tuning numbers of exact sums for the target.
 */
#ifdef IW_GPU_SCHEDULES /* kernel.h */
#include "algorithms/exact_sum/tuning_cuda.h"
#else
#include "algorithms/exact_sum/tuning_cpu.h"
#endif
