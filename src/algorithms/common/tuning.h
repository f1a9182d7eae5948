/* SPDX-License-Identifier: Apache-2.0
 *
 * The policies of the algorithms for the target that is compiled for. This is the only place that chooses;
 * kernel templates include it and must not ask for the target.
 */
#ifdef __CUDACC__
#include <isowarp/algorithms/common/tuning_cuda.h>
#include <isowarp/algorithms/scan/tuning_cuda.h>
#else
#include <isowarp/algorithms/common/tuning_cpu.h>
#include <isowarp/algorithms/scan/tuning_cpu.h>
#endif
