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
#define KERNEL_OF_(family, fold) family##_##fold
#define KERNEL_OF(family, fold) KERNEL_OF_(family, fold)
#define NAME(name) PASTE(PASTE(IW_KERNEL_PREFIX, name), IW_KERNEL_SUFFIX)

#define DECLARE(name) extern const iw_kernel NAME(name);
/* In a CPU's table the entry is NULL unless the program links the kernel in, as tests do. */
#ifdef IW_CPU_SET
#define DECLARE_DEVICE(name) extern const iw_kernel NAME(name) __attribute__((weak));
#else
#define DECLARE_DEVICE(name) DECLARE(name)
#endif
#define ENTRY(name) [IW_K_##name] = &NAME(name),

#define DECLARE_SAMPLE(family, type, of) DECLARE(family##_##of)
#define DECLARE_DEVICE_SAMPLE(family, type, of) DECLARE_DEVICE(family##_##of)
#define DECLARE_SAMPLES(family, of_i8) IW_FOR_SAMPLES(DECLARE_SAMPLE, family, of_i8)
#define SAMPLE_ENTRY(family, type, of) [IW_K_##family + IW_##type] = &NAME(family##_##of),
#define SAMPLE_ENTRIES(family, of_i8) IW_FOR_SAMPLES(SAMPLE_ENTRY, family, of_i8)

/* Of the fold FOLD_NAME. A family has no kernel for a fold that is not of its sets: the name is declared, and
 * nothing refers to it. */
#define DECLARE_FOLD(family, sets) DECLARE(KERNEL_OF(family, FOLD_NAME))
#define DECLARE_DEVICE_FOLD(family, sets) DECLARE_DEVICE(KERNEL_OF(family, FOLD_NAME))
#define FOLD_ENTRY(family, sets) [IW_K_##family + PASTE(IW_FOLD_, FOLD_NAME)] = \
  FOLD_FIELD(set, FOLD_ROW) & (sets) ? &NAME(KERNEL_OF(family, FOLD_NAME)) : NULL,

#ifndef IW_SIM_CAPABILITY
IW_COMMON_KERNEL_LIST(DECLARE)
IW_DEVICE_KERNEL_LIST(DECLARE_DEVICE)
IW_SAMPLE_FAMILIES(DECLARE_SAMPLES)
IW_FOR_BIN_PARTITION(DECLARE_DEVICE_SAMPLE)
#define OTHER_FAMILIES(X, device) IW_FOR_OTHER_FAMILIES(X) IW_FOR_DEVICE_FAMILIES(device)
#else
#define OTHER_FAMILIES(X, device)
#endif
#define FOLD(name) IW_FOR_PIPELINED_FAMILIES(DECLARE_FOLD) OTHER_FAMILIES(DECLARE_FOLD, DECLARE_DEVICE_FOLD)
#define FOLD_SETS IW_ALL_FOLDS
#define TEMPLATE "algorithms/common/fold.h"
#include "algorithms/common/operations.h"
#undef FOLD

/* Behind the last kernel, for those who know no ids. */
static const iw_kernel end_of_table = { .size = 0 };

extern const iw_kernel *const PASTE(iw_kernels, IW_KERNEL_SUFFIX)[];
const iw_kernel *const PASTE(iw_kernels, IW_KERNEL_SUFFIX)[IW_KERNEL_COUNT + 1] = {
#ifndef IW_SIM_CAPABILITY
  IW_COMMON_KERNEL_LIST(ENTRY)
  IW_DEVICE_KERNEL_LIST(ENTRY)
  IW_SAMPLE_FAMILIES(SAMPLE_ENTRIES)
  IW_FOR_BIN_PARTITION(SAMPLE_ENTRY)
#endif
#define FOLD(name) IW_FOR_PIPELINED_FAMILIES(FOLD_ENTRY) OTHER_FAMILIES(FOLD_ENTRY, FOLD_ENTRY)
#define FOLD_SETS IW_ALL_FOLDS
#define TEMPLATE "algorithms/common/fold.h"
#include "algorithms/common/operations.h"
  [IW_KERNEL_COUNT] = &end_of_table,
};
