/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels that nvcc compiles otherwise for compute capability 7.5: scans have a shorter pipeline there
 * (scan/tuning_cuda.h). By id, the others NULL. The families have the folds of families.h.
 */
#include <isowarp/descriptor.h>
#include "algorithms/common/kernel_ids.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define KERNEL_OF_(family, fold) family##_##fold
#define KERNEL_OF(family, fold) KERNEL_OF_(family, fold)
#define NAME(name) PASTE(PASTE(IW_KERNEL_PREFIX, name), _sim75)
#define DECLARE(name) extern const iw_kernel NAME(name);

#define TEMPLATE "algorithms/common/kernel_declaration.h"
#define FAMILY scan
#define FOLD_SETS IW_ALL_FOLDS
#include "algorithms/common/operations.h"
#undef FOLD_SETS
#undef FAMILY
#define FAMILY segmented
#define FOLD_SETS (IW_ALL_FOLDS & ~(IW_WIDENING_SUMS | IW_OF_LANES))
#include "algorithms/common/operations.h"
#undef FOLD_SETS
#undef FAMILY
#define FAMILY scan_long_rows
#define FOLD_SETS (IW_ALL_FOLDS & ~IW_WIDENING_SUMS)
#include "algorithms/common/operations.h"
#undef FOLD_SETS
#undef FAMILY
#undef TEMPLATE

extern const iw_kernel *const iw_kernels_sim75[];
const iw_kernel *const iw_kernels_sim75[IW_KERNEL_COUNT] = {
#define TEMPLATE "algorithms/common/kernel_entry.h"
#define FAMILY scan
#define FOLD_SETS IW_ALL_FOLDS
#include "algorithms/common/operations.h"
#undef FOLD_SETS
#undef FAMILY
#define FAMILY segmented
#define FOLD_SETS (IW_ALL_FOLDS & ~(IW_WIDENING_SUMS | IW_OF_LANES))
#include "algorithms/common/operations.h"
#undef FOLD_SETS
#undef FAMILY
#define FAMILY scan_long_rows
#define FOLD_SETS (IW_ALL_FOLDS & ~IW_WIDENING_SUMS)
#include "algorithms/common/operations.h"
#undef FOLD_SETS
#undef FAMILY
#undef TEMPLATE
};
