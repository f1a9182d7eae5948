/* SPDX-License-Identifier: Apache-2.0
 *
 * The ids of the library's own kernels, by which the host side launches them. src/kernels/kernels.txt lists
 * the kernels. The id of a kernel of a family is the family's id plus the fold, or plus the type of samples:
 * IW_K_scan + IW_FOLD_sum_u32, IW_K_histogram_rows + IW_F32. Algorithms layer: the runtime knows ids as plain
 * numbers only. Knows neither arguments nor code.
 */
#ifndef IW_ALGORITHMS_KERNEL_IDS_H
#define IW_ALGORITHMS_KERNEL_IDS_H

#include <isowarp.h>
#include "algorithms/common/operations.h"
#include "runtime/arithmetic.h"
#include "src/kernels/kernel_list.h" /* in the build tree */

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

typedef enum iw_fold {
  IW_NO_FOLD, /* a user's operator, or an operation that there is not */
#define IW_FOLD(name) IW_FOLD_##name,
  IW_FOR_FOLDS(IW_FOLD)
#undef IW_FOLD
  IW_FOLDS
} iw_fold;

typedef enum iw_kernel_id { IW_KERNEL_IDS IW_KERNEL_COUNT } iw_kernel_id;

#endif
