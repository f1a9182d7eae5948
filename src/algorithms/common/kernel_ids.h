/* SPDX-License-Identifier: Apache-2.0
 *
 * The ids of the library's own kernels, by which the host side launches them. Algorithms layer: the runtime knows ids as plain
 * numbers only.
 */
#ifndef IW_ALGORITHMS_KERNEL_IDS_H
#define IW_ALGORITHMS_KERNEL_IDS_H

#include <isowarp.h>
#include "algorithms/common/kernel_list.h"

/* The built-in operators in the order of their kernels in each family. */
typedef enum iw_builtin_op { IW_BUILTIN_SUM, IW_BUILTIN_MIN, IW_BUILTIN_MAX, IW_BUILTIN_OPS } iw_builtin_op;

typedef enum iw_kernel_id {
#define IW_ID(name) IW_K_##name,
  IW_KERNEL_LIST(IW_ID)
#undef IW_ID
  IW_KERNEL_COUNT
} iw_kernel_id;

/* The kernels of a family are listed by type, IW_I32 to IW_F64, and within a family with operators by operator first. */
#define IW_KERNEL_OF(stem, type) ((iw_kernel_id)(IW_K_##stem##_i32 + ((type) - IW_I32)))
#define IW_KERNEL_OF_OP(stem, op, type) ((iw_kernel_id)(IW_K_##stem##_sum_i32 + 6 * (op) + ((type) - IW_I32)))
/* The kth pair of types of a sum in a wider type. */
#define IW_KERNEL_OF_MIXED(stem, k) ((iw_kernel_id)(IW_K_##stem##_sum_u32_from_u8 + (k)))

#endif
