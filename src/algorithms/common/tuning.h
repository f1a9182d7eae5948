/* SPDX-License-Identifier: Apache-2.0
 *
 * The tuning numbers (policies) of all algorithms for the target that this is compiled for. The only place that chooses. No
 * tuning number can change a bit of any result.
 */
#ifdef __CUDACC__
#include <isowarp/algorithms/multisplit/tuning_cuda.h>
#include <isowarp/algorithms/partition/tuning_cuda.h>
#include <isowarp/algorithms/scan/tuning_cuda.h>
#else
#include <isowarp/algorithms/multisplit/tuning_cpu.h>
#include <isowarp/algorithms/partition/tuning_cpu.h>
#include <isowarp/algorithms/scan/tuning_cpu.h>
#endif
