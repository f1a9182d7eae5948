/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses the tuning numbers (policies) of scan, partition and multisplit for the target that this is
 * compiled for. Histogram's are included by its templates, as its GPU and CPU schedules are
 * different ones. No tuning number can change a bit of any result.
 */
#ifdef IW_GPU_SCHEDULES /* kernel.h */
#include <isowarp/algorithms/multisplit/tuning_cuda.h>
#include <isowarp/algorithms/partition/tuning_cuda.h>
#include <isowarp/algorithms/scan/tuning_cuda.h>
#else
#include <isowarp/algorithms/multisplit/tuning_cpu.h>
#include <isowarp/algorithms/partition/tuning_cpu.h>
#include <isowarp/algorithms/scan/tuning_cpu.h>
#endif
