/* SPDX-License-Identifier: Apache-2.0
 *
 * The ids of the library's own kernels, by which the host side launches them. The id of a kernel of a
 * family is the family's id plus the fold, or plus the type of samples: IW_K_scan + IW_FOLD_sum_u32,
 * IW_K_histogram_rows + IW_F32. Algorithms layer: the runtime knows ids as plain numbers only.
 */
#ifndef IW_ALGORITHMS_KERNEL_IDS_H
#define IW_ALGORITHMS_KERNEL_IDS_H

#include <isowarp.h>
#include "algorithms/common/kernel_list.h"
#include "algorithms/common/operations.h"

/* The built-in operators in the order of their values in isowarp.h. */
typedef enum iw_builtin_op {
#define IW_BUILTIN(op, stands, identity) IW_BUILTIN_##op,
  IW_FOR_OPERATORS(IW_BUILTIN)
#undef IW_BUILTIN
  IW_BUILTIN_OPS
} iw_builtin_op;

#define IW_PASTE_IDS(a, b) IW_PASTE_IDS_(a, b)
#define IW_PASTE_IDS_(a, b) a##b

typedef enum iw_fold {
  IW_NO_FOLD, /* a user's operator, or an operation that there is not */
#define FOLD_SETS IW_ALL_FOLDS
#define TEMPLATE "algorithms/common/fold_id.h"
#include "algorithms/common/operations.h"
#undef TEMPLATE
  IW_FOLDS
} iw_fold;

enum { IW_TYPE_COUNT = IW_BF16 };
#define IW_COUNT(family, type, of) + 1
_Static_assert(0 IW_FOR_SAMPLES(IW_COUNT, , ) == IW_TYPE_COUNT, "IW_FOR_SAMPLES has all types");
#undef IW_COUNT

typedef enum iw_kernel_id {
#define IW_ID(name) IW_K_##name,
  IW_COMMON_KERNEL_LIST(IW_ID)
  IW_DEVICE_KERNEL_LIST(IW_ID)
#undef IW_ID
#define IW_ID(family, of_i8) IW_FIRST_K_##family, IW_K_##family = IW_FIRST_K_##family - IW_U8, \
  IW_LAST_K_##family = IW_K_##family + IW_TYPE_COUNT,
  IW_SAMPLE_FAMILIES(IW_ID) IW_ID(bin_partition, )
#undef IW_ID
#define EACH_FAMILY "algorithms/common/family_id.h"
#include "algorithms/common/families.h"
  IW_KERNEL_COUNT
} iw_kernel_id;

#undef IW_PASTE_IDS
#undef IW_PASTE_IDS_
#endif
