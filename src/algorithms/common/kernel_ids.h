/* SPDX-License-Identifier: Apache-2.0
 *
 * The ids of the library's own kernels, by which the host side launches them. Algorithms layer: the runtime knows ids as plain
 * numbers only.
 */
#ifndef IW_ALGORITHMS_KERNEL_IDS_H
#define IW_ALGORITHMS_KERNEL_IDS_H

#include <isowarp.h>
#include <isowarp/descriptor.h>
#include "algorithms/common/kernel_list.h"

/* The built-in operators in the order of their values in isowarp.h. The first three are those of scans of segments, and in this
 * order in IW_FOR_OPS. */
typedef enum iw_builtin_op {
  IW_BUILTIN_SUM, IW_BUILTIN_MIN, IW_BUILTIN_MAX, IW_BUILTIN_PRODUCT, IW_BUILTIN_AND, IW_BUILTIN_OR, IW_BUILTIN_XOR,
  IW_BUILTIN_OPS
} iw_builtin_op;

typedef enum iw_kernel_id {
#define IW_ID(name) IW_K_##name,
  IW_KERNEL_LIST(IW_ID)
#undef IW_ID
  IW_KERNEL_COUNT
} iw_kernel_id;

/* The kernels of a family are listed by type, IW_I32 to IW_F64 or for samples all types, and within a family with
 * operators by operator first. */
enum { IW_SCANNED_TYPES = IW_F64 - IW_I32 + 1 };
#define IW_KERNEL_OF(stem, type) ((iw_kernel_id)(IW_K_##stem##_i32 + ((type) - IW_I32)))
#define IW_KERNEL_OF_SAMPLE(stem, type) ((iw_kernel_id)(IW_K_##stem##_u8 + ((type) - IW_U8)))
#define IW_KERNEL_OF_OP(stem, op, type) \
  ((iw_kernel_id)(IW_K_##stem##_sum_i32 + (int)IW_SCANNED_TYPES * (op) + ((type) - IW_I32)))
#define IW_CHECK_TYPE(_t) \
  _Static_assert((int)IW_KERNEL_OF(arg_extremum, IW_TYPE_OF##_t) == (int)IW_K_arg_extremum##_t && \
                 (int)IW_KERNEL_OF_OP(reduce, IW_BUILTIN_MAX, IW_TYPE_OF##_t) == (int)IW_K_reduce_max##_t, \
                 "IW_FOR_6_TYPES has the types that are scanned, in the order of iw_type");
IW_FOR_6_TYPES(IW_CHECK_TYPE, )
#undef IW_CHECK_TYPE
#define IW_TYPE_OF_bool IW_BOOL /* not a type of the kernel language */
#define IW_CHECK_TYPE(_t) \
  _Static_assert((int)IW_KERNEL_OF_SAMPLE(value_range, IW_TYPE_OF##_t) == (int)IW_K_value_range##_t, \
                 "IW_FOR_SAMPLES has all types, in the order of iw_type");
IW_FOR_SAMPLES(IW_CHECK_TYPE, )
#undef IW_CHECK_TYPE
/* The places of kernels in a family behind those of IW_FOR_OPS: IW_FOR_NARROW is the beginning of IW_FOR_MIXED, and some
 * families have IW_FOR_MORE_OPS behind it. */
typedef enum iw_kernel_place {
#define IW_PLACE_ID(name) IW_PLACE##name,
  IW_FOR_MIXED(IW_PLACE_ID, ) IW_FOR_MORE_OPS(IW_PLACE_ID, )
#undef IW_PLACE_ID
  IW_NO_PLACE
} iw_kernel_place;
#define IW_KERNEL_AT(stem, place) ((iw_kernel_id)(IW_K_##stem##_sum_u32_from_u8 + (place)))
/* The kernel at a place of IW_FOR_MORE_OPS, in a family whose list has not all of IW_FOR_MIXED in front of that, or of it
 * IW_FOR_MORE_OPS_WIDE only. */
#define IW_KERNEL_AT_WIDE(stem, place) ((iw_kernel_id)(IW_K_##stem##_product_u32 + ((place) - IW_PLACE_product_u32)))
_Static_assert((int)IW_KERNEL_AT(scan, IW_PLACE_bit_xor_u64) == (int)IW_K_scan_bit_xor_u64 &&
               (int)IW_KERNEL_AT(reduce, IW_PLACE_bit_xor_u64) == (int)IW_K_reduce_bit_xor_u64 &&
               (int)IW_KERNEL_AT(segmented, IW_PLACE_min_f32_from_bf16) == (int)IW_K_segmented_min_f32_from_bf16 &&
               (int)IW_KERNEL_AT(scan_rows, IW_PLACE_min_f32_from_bf16) == (int)IW_K_scan_rows_min_f32_from_bf16 &&
               (int)IW_KERNEL_AT(scan_segments, IW_PLACE_min_f32_from_bf16) == (int)IW_K_scan_segments_min_f32_from_bf16 &&
               (int)IW_KERNEL_AT(scan_long_rows, IW_PLACE_min_f32_from_bf16) == (int)IW_K_scan_long_rows_min_f32_from_bf16 &&
               (int)IW_KERNEL_AT_WIDE(scan_segments, IW_PLACE_bit_xor_u32_from_u16) == (int)IW_K_scan_segments_bit_xor_u32_from_u16 &&
               (int)IW_KERNEL_AT_WIDE(scan_long_rows, IW_PLACE_bit_xor_u32_from_u16) == (int)IW_K_scan_long_rows_bit_xor_u32_from_u16 &&
               (int)IW_KERNEL_AT(reduce_columns, IW_PLACE_bit_xor_u32_from_u16) == (int)IW_K_reduce_columns_bit_xor_u32_from_u16 &&
               (int)IW_KERNEL_AT(reduce_runs, IW_PLACE_bit_xor_u32_from_u16) == (int)IW_K_reduce_runs_bit_xor_u32_from_u16 &&
               (int)IW_KERNEL_AT_WIDE(fold_tiles, IW_PLACE_bit_xor_u64) == (int)IW_K_fold_tiles_bit_xor_u64,
               "the lists of a family follow each other");

#endif
