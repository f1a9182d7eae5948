/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of all kernels of one backend or instruction set, indexed by iw_kernel_id. Compiled once for
 * each, with the suffix of its kernels. A simulated device before compute capability 8.0 has a second table,
 * of the kernels that differ there. It knows no kernel's arguments.
 */
#include <isowarp/descriptor.h>
#include "algorithms/common/kernel_ids.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define NAME(name) PASTE(PASTE(IW_KERNEL_PREFIX, name), IW_KERNEL_SUFFIX)

#define DECLARE(id, name) extern const iw_kernel NAME(name);
/* In a CPU's table the entry is NULL unless the program links the kernel in, as tests do. */
#ifdef IW_CPU_SET
#define DECLARE_GPU(id, name) extern const iw_kernel NAME(name) __attribute__((weak));
#define CPU_KERNELS(X) IW_CPU_KERNELS(X)
#else
#define DECLARE_GPU DECLARE
#define CPU_KERNELS(X)
#endif
#define ENTRY(id, name) [id] = &NAME(name),

#ifndef IW_SIM_CAPABILITY
#define OTHER_KERNELS(X, gpu) IW_COMMON_KERNELS(X) CPU_KERNELS(X) IW_GPU_KERNELS(gpu)
#else
#define OTHER_KERNELS(X, gpu)
#endif
IW_PIPELINED_KERNELS(DECLARE) OTHER_KERNELS(DECLARE, DECLARE_GPU)

/* Behind the last kernel, for those who know no ids. */
static const iw_kernel end_of_table = { .size = 0 };

extern const iw_kernel *const PASTE(iw_kernels, IW_KERNEL_SUFFIX)[];
const iw_kernel *const PASTE(iw_kernels, IW_KERNEL_SUFFIX)[IW_KERNEL_COUNT + 1] = {
  IW_PIPELINED_KERNELS(ENTRY) OTHER_KERNELS(ENTRY, ENTRY)
  [IW_KERNEL_COUNT] = &end_of_table,
};
