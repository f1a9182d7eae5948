/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels that nvcc compiles otherwise for compute capability 7.5: scans have a shorter pipeline there
 * (scan/tuning_cuda.h). By id, the others NULL.
 */
#include <isowarp/descriptor.h>
#include "algorithms/common/kernel_ids.h"

#define NAME(name) NAME_(IW_KERNEL_CODE(name))
#define NAME_(name) NAME_OF_(name)
#define NAME_OF_(name) iw_k_##name##_sim75
#define KERNELS(X) IW_FOR_OPS(X, scan) IW_FOR_MIXED(X, scan) IW_FOR_MORE_OPS(X, scan) \
  IW_FOR_OPS(X, segmented) IW_FOR_NARROW(X, segmented) IW_FOR_OPS(X, scan_long_rows) IW_FOR_NARROW(X, scan_long_rows) \
  IW_FOR_MORE_OPS(X, scan_long_rows)

#define DECLARE(name) extern const iw_kernel NAME(name);
KERNELS(DECLARE)

extern const iw_kernel *const iw_kernels_sim75[];
#define ENTRY(name) [IW_K_##name] = &NAME(name),
const iw_kernel *const iw_kernels_sim75[IW_KERNEL_COUNT] = { KERNELS(ENTRY) };
