/* SPDX-License-Identifier: Apache-2.0
 *
 * The tuning numbers of the target that is compiled for, as kernel.h has its lane VM.
 */
#ifdef __CUDACC__
#include <isowarp/algorithms/common/tuning_cuda.h>
#include <isowarp/algorithms/multisplit/tuning_cuda.h>
#include <isowarp/algorithms/partition/tuning_cuda.h>
#else
#include <isowarp/algorithms/common/tuning_cpu.h>
#include <isowarp/algorithms/multisplit/tuning_cpu.h>
#include <isowarp/algorithms/partition/tuning_cpu.h>
#endif
