/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels that nvcc compiles otherwise for compute capability 7.5. By id, the others NULL.
 */
#include <isowarp/descriptor.h>
#include "algorithms/common/kernel_ids.h"

extern const iw_kernel *const iw_kernels_sim75[];
const iw_kernel *const iw_kernels_sim75[IW_KERNEL_COUNT] = { NULL };
