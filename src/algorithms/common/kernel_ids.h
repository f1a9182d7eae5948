/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's own kernels: their lists, of which each backend's table of kernels is made (kernel_table.c),
 * and their ids, by which the host side launches them. The id of a kernel of a family is the family's id plus
 * the fold, or plus the type of samples: IW_K_scan + IW_FOLD_sum_u32, IW_K_histogram_rows + IW_F32. A new
 * kernel is added here, and a build unit of src/kernels instantiates it. Algorithms layer: the runtime knows
 * ids as plain numbers only. Knows neither arguments nor code.
 */
#ifndef IW_ALGORITHMS_KERNEL_IDS_H
#define IW_ALGORITHMS_KERNEL_IDS_H

#include <isowarp.h>
#include "algorithms/common/operations.h"
#include "runtime/arithmetic.h"

/* Families of kernels for the folds of operations.h: X(family, sets of folds). Their kernels are FAMILY_FOLD:
 * scan_sum_u32. Compute capability 7.5 has other kernels of the first three, with shorter pipelines
 * (scan/tuning_cuda.h). */
#define IW_FOR_PIPELINED_FAMILIES(X) \
  X(scan, IW_ALL_FOLDS) X(segmented, IW_ALL_FOLDS & ~(IW_WIDENING_SUMS | IW_BY_LANES)) \
  X(scan_long_rows, IW_ALL_FOLDS & ~IW_WIDENING_SUMS)
#define IW_FOR_OTHER_FAMILIES(X) \
  X(reduce, IW_ALL_FOLDS) X(arg, IW_MINIMA) X(scan_rows, IW_ALL_FOLDS & ~(IW_WIDENING_SUMS | IW_BY_LANES)) \
  X(scan_segments, IW_ALL_FOLDS & ~IW_WIDENING_SUMS) X(reduce_segments, IW_ALL_FOLDS) \
  X(reduce_tiles, IW_ALL_FOLDS) X(reduce_columns, IW_ALL_FOLDS) X(fold_tiles, IW_PLAIN) X(find, IW_MINIMA)
/* CPUs have no schedule for these. */
#define IW_FOR_DEVICE_FAMILIES(X) \
  X(reduce_runs, IW_ALL_FOLDS) X(reduce_runs_short, IW_ALL_FOLDS) \
  X(segmented_short, IW_ALL_FOLDS & ~(IW_WIDENING_SUMS | IW_BY_LANES))

/* Families of kernels for types of samples: X(family, type, the type whose kernel serves it). */
#define IW_FOR_SAMPLES(X, family, of_i8) \
  X(family, U8, u8) X(family, U16, u16) X(family, I32, i32) X(family, U32, u32) X(family, I64, i64) \
  X(family, U64, u64) X(family, F32, f32) X(family, F64, f64) X(family, I8, of_i8) X(family, I16, i16) \
  X(family, BOOL, u8) X(family, F16, f16) X(family, BF16, bf16)
/* FAMILY(family, of_i8). The bins of bytes are looked up in a table that the host orders, so that u8
 * serves i8. */
#define IW_SAMPLE_FAMILIES(FAMILY) \
  FAMILY(bucket_ids, u8) FAMILY(histogram_rows, u8) FAMILY(histogram_small_n, u8) FAMILY(value_range, i8)

/* Kernels of schedules that CPUs never choose: a CPU's set need not have them. bin_partition is a family of
 * samples of 4 and 8 bytes. */
#define IW_DEVICE_KERNEL_LIST(X) \
  X(bin_partition_count) X(partition_runs_32) X(partition_runs_64) X(radix_digit_counts) X(radix_onesweep) \
  X(top_k_sample) X(top_k_collect) X(top_k_group) X(top_k_rank) X(warp_sort)
#define IW_FOR_BIN_PARTITION(X) \
  X(bin_partition, I32, i32) X(bin_partition, U32, u32) X(bin_partition, I64, i64) \
  X(bin_partition, U64, u64) X(bin_partition, F32, f32) X(bin_partition, F64, f64)

/* Kernels of every set. */
#define IW_COMMON_KERNEL_LIST(X) \
  X(pack_flags) \
  X(heads_keys_8) X(heads_keys_16) X(heads_keys_32) X(heads_keys_64) X(clear) \
  X(histogram_write_counts) X(deinterleave_u8) X(deinterleave_u16) X(deinterleave_u32) X(deinterleave_u64) X(ravel_bins) X(project_cells) X(write_sums) \
  X(accumulate_weights_i32) X(accumulate_weights_u32) X(accumulate_weights_u64) X(accumulate_weights_f32) \
  X(accumulate_weights_f64) X(exact_sum_f32) X(exact_sum_f64) X(exact_sum_f32_from_f16) \
  X(exact_sum_f32_from_bf16) X(exact_dot_f32) X(exact_dot_f32_from_f16) X(exact_dot_f32_from_bf16) \
  X(partition_u32) X(partition_u64) X(partition_f32) X(partition_f64) X(partition_flags_32) \
  X(partition_flags_64) X(partition_heads_32) X(partition_heads_64) X(partition_bit_flags_8) X(partition_bit_flags_16) X(partition_bit_flags_32) \
  X(partition_bit_flags_64) X(partition_bit_flags_128) X(range_flags_u8) X(range_flags_u16) \
  X(run_lengths_u32) X(run_lengths_u64) X(bucket_ids_pivot_8) X(bucket_ids_pivot_16) X(multisplit_count) \
  X(multisplit_move) X(multisplit_offsets) X(sort_survey) X(segment_ids) \
  X(segment_lists) X(block_sort) X(bounds) X(decode_runs) X(descents) X(merge) X(top_k_gather) X(top_k_count) \
  X(top_k_select) X(top_k_near) X(top_k_least) X(top_k_take) X(weights_extent) X(accumulate_pairs) X(write_pairs)

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
#define FOLD(name) IW_PASTE_IDS(IW_FOLD_, name),
#define FOLD_SETS IW_ALL_FOLDS
#define TEMPLATE "algorithms/common/fold.h"
#include "algorithms/common/operations.h"
#undef FOLD
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
#define IW_ID(family, sets) IW_K_##family, IW_LAST_K_##family = IW_K_##family + IW_FOLDS - 1,
  IW_FOR_PIPELINED_FAMILIES(IW_ID) IW_FOR_OTHER_FAMILIES(IW_ID) IW_FOR_DEVICE_FAMILIES(IW_ID)
#undef IW_ID
  IW_KERNEL_COUNT
} iw_kernel_id;

#undef IW_PASTE_IDS
#undef IW_PASTE_IDS_
#endif
