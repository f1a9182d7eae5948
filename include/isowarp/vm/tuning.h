/* SPDX-License-Identifier: Apache-2.0
 *
 * The tuning numbers of the target that is compiled for, as kernel.h has its lane VM.
 */
#ifdef __CUDACC__
#include <isowarp/vm/tuning_cuda.h>
#else
#include <isowarp/vm/tuning_cpu.h>
#endif
