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
#include "runtime/arithmetic.h"

/* The built-in operators: IW_BUILTIN_SUM is IW_SUM. */
typedef enum iw_builtin_op {
#define IW_BUILTIN(op, name, takes, result) IW_BUILTIN_##op,
  IW_BUILTIN_OPERATORS(IW_BUILTIN)
#undef IW_BUILTIN
  IW_BUILTIN_OPS
} iw_builtin_op;
#define IW_COUNT(op, stands, identity) + (IW_BUILTIN_##op < IW_BUILTIN_OPS)
_Static_assert(0 IW_FOR_SERVED_OPERATORS(IW_COUNT) == IW_BUILTIN_OPS, "IW_FOR_SERVED_OPERATORS has all operators");
#undef IW_COUNT

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

#define IW_COUNT(family, type, of) + 1
_Static_assert(0 IW_FOR_SAMPLES(IW_COUNT, , ) == IW_LAST_TYPE, "IW_FOR_SAMPLES has all types of samples");
#undef IW_COUNT

typedef enum iw_kernel_id {
#define IW_ID(name) IW_K_##name,
  IW_COMMON_KERNEL_LIST(IW_ID)
  IW_DEVICE_KERNEL_LIST(IW_ID)
#undef IW_ID
#define IW_ID(family, of_i8) IW_FIRST_K_##family, IW_K_##family = IW_FIRST_K_##family - IW_U8, \
  IW_LAST_K_##family = IW_K_##family + IW_LAST_TYPE,
  IW_SAMPLE_FAMILIES(IW_ID) IW_ID(bin_partition, )
#undef IW_ID
#define EACH_FAMILY "algorithms/common/family_id.h"
#include "algorithms/common/families.h"
  IW_KERNEL_COUNT
} iw_kernel_id;

#undef IW_PASTE_IDS
#undef IW_PASTE_IDS_
#endif
