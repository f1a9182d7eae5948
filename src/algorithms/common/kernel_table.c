/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of all kernels of one backend or instruction set, indexed by iw_kernel_id. Compiled once for
 * each, with the suffix of its kernels. It knows no kernel's arguments.
 */
#include <isowarp/descriptor.h>
#include "algorithms/common/kernel_ids.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#define NAME(name) NAME_(IW_KERNEL_CODE(name))
#define NAME_(name) PASTE(PASTE(IW_KERNEL_PREFIX, name), IW_KERNEL_SUFFIX)

#define DECLARE(name) extern const iw_kernel NAME(name);
IW_COMMON_KERNEL_LIST(DECLARE)

/* In a CPU's table the entry is NULL unless the program links the kernel in, as tests do. */
#ifdef IW_CPU_SET
#define DECLARE_DEVICE(name) extern const iw_kernel NAME(name) __attribute__((weak));
#else
#define DECLARE_DEVICE(name) DECLARE(name)
#endif
IW_DEVICE_KERNEL_LIST(DECLARE_DEVICE)

/* Behind the last kernel, for those who know no ids. */
static const iw_kernel end_of_table = { .size = 0 };

extern const iw_kernel *const PASTE(iw_kernels, IW_KERNEL_SUFFIX)[];
#define ADDRESS(name) &NAME(name),
const iw_kernel *const PASTE(iw_kernels, IW_KERNEL_SUFFIX)[IW_KERNEL_COUNT + 1] = { IW_KERNEL_LIST(ADDRESS) &end_of_table };
