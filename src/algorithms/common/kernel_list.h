/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's own kernels by name: each backend's table of kernels (kernel_table.c) and the ids by which
 * the host side names them are made from this list. It knows neither arguments nor code. A new kernel is
 * added here, and a build unit in src/kernels instantiates it. Within a family kernels are
 * in the order of iw_type, because the macros IW_KERNEL_OF… (kernel_ids.h) compute ids from types.
 */
#ifndef ISOWARP_ALGORITHMS_KERNEL_LIST_H
#define ISOWARP_ALGORITHMS_KERNEL_LIST_H

#define IW_FOR_6_TYPES(X, stem) X(stem##_i32) X(stem##_u32) X(stem##_i64) X(stem##_u64) X(stem##_f32) X(stem##_f64)
#define IW_FOR_OPS(X, stem) IW_FOR_6_TYPES(X, stem##_sum) IW_FOR_6_TYPES(X, stem##_min) IW_FOR_6_TYPES(X, stem##_max)
/* Elements that are combined in a wider type: IW_FOR_NARROW those whose results may be of the elements' type, which serve
 * all types of that width; and the others. */
#define IW_FOR_NARROW(X, stem) X(stem##_sum_u32_from_u8) X(stem##_sum_u32_from_u16) X(stem##_sum_f32_from_f16) \
  X(stem##_sum_f32_from_bf16) X(stem##_min_i32_from_u8) X(stem##_min_i32_from_u16) X(stem##_min_f32_from_f16) \
  X(stem##_min_f32_from_bf16)
#define IW_FOR_MIXED(X, stem) IW_FOR_NARROW(X, stem) X(stem##_sum_u32_from_i8) X(stem##_sum_u32_from_i16) \
  X(stem##_sum_u64_from_u8) X(stem##_sum_u64_from_u16) X(stem##_sum_u64_from_i8) X(stem##_sum_u64_from_i16) \
  X(stem##_sum_i64_from_i32) X(stem##_sum_u64_from_u32) X(stem##_sum_f64_from_f32)
/* Product and the operators of bits. With twiddled bits the kernels of bit_or compute the bitwise AND. IW_FOR_MORE_OPS_WIDE
 * those that combine elements of 4 and 8 bytes, and the others. */
#define IW_FOR_MORE_OPS_WIDE(X, stem) X(stem##_product_u32) X(stem##_product_u64) X(stem##_product_f32) \
  X(stem##_product_f64) X(stem##_bit_or_u32) X(stem##_bit_or_u64) X(stem##_bit_xor_u32) X(stem##_bit_xor_u64)
#define IW_FOR_MORE_OPS(X, stem) IW_FOR_MORE_OPS_WIDE(X, stem) X(stem##_product_u32_from_u8) \
  X(stem##_product_u32_from_u16) X(stem##_product_f32_from_f16) X(stem##_product_f32_from_bf16) \
  X(stem##_bit_or_u32_from_u8) X(stem##_bit_or_u32_from_u16) X(stem##_bit_xor_u32_from_u8) X(stem##_bit_xor_u32_from_u16)
/* Types of samples. */
#define IW_FOR_SAMPLES(X, stem) X(stem##_u8) X(stem##_u16) IW_FOR_6_TYPES(X, stem) \
  X(stem##_i8) X(stem##_i16) X(stem##_bool) X(stem##_f16) X(stem##_bf16)

/* Kernels of schedules that CPUs never choose: a CPU's set need not have them. */
#define IW_DEVICE_KERNEL_LIST(X) IW_FOR_6_TYPES(X, bin_partition) X(bin_partition_count) \
  X(radix_digit_counts) X(radix_onesweep) X(top_k_sample) X(top_k_collect) X(top_k_rank) \
  IW_FOR_OPS(X, reduce_runs) IW_FOR_MIXED(X, reduce_runs) IW_FOR_MORE_OPS(X, reduce_runs)

/* Kernels of every set. */
#define IW_COMMON_KERNEL_LIST(X)   \
  IW_FOR_OPS(X, scan)              \
  IW_FOR_MIXED(X, scan)            \
  IW_FOR_MORE_OPS(X, scan)         \
  IW_FOR_OPS(X, reduce)            \
  IW_FOR_MIXED(X, reduce)          \
  IW_FOR_MORE_OPS(X, reduce)       \
  IW_FOR_6_TYPES(X, arg_extremum)  \
  X(arg_extremum_i32_from_u8) X(arg_extremum_i32_from_u16) X(arg_extremum_f32_from_f16) X(arg_extremum_f32_from_bf16) \
  IW_FOR_OPS(X, reduce_segments)   \
  IW_FOR_MIXED(X, reduce_segments) \
  IW_FOR_MORE_OPS(X, reduce_segments) \
  IW_FOR_OPS(X, reduce_tiles)      \
  IW_FOR_MIXED(X, reduce_tiles)    \
  IW_FOR_MORE_OPS(X, reduce_tiles) \
  IW_FOR_OPS(X, fold_tiles)        \
  IW_FOR_MORE_OPS_WIDE(X, fold_tiles) \
  X(find_min_i32) X(find_min_i64) X(find_min_f32) X(find_min_f64) \
  X(find_min_i32_from_u8) X(find_min_i32_from_u16) X(find_min_f32_from_f16) X(find_min_f32_from_bf16) \
  IW_FOR_OPS(X, reduce_columns)    \
  IW_FOR_MIXED(X, reduce_columns)  \
  IW_FOR_MORE_OPS(X, reduce_columns) \
  IW_FOR_OPS(X, segmented)         \
  IW_FOR_NARROW(X, segmented)      \
  IW_FOR_OPS(X, scan_rows)         \
  IW_FOR_NARROW(X, scan_rows)      \
  IW_FOR_OPS(X, scan_segments)     \
  IW_FOR_NARROW(X, scan_segments)  \
  IW_FOR_MORE_OPS(X, scan_segments) \
  IW_FOR_OPS(X, scan_long_rows)    \
  IW_FOR_NARROW(X, scan_long_rows) \
  IW_FOR_MORE_OPS(X, scan_long_rows) \
  X(pack_flags)                    \
  X(heads_keys_8) X(heads_keys_16) X(heads_keys_32) X(heads_keys_64) \
  X(clear)                         \
  IW_FOR_SAMPLES(X, bucket_ids)        \
  X(strategy_sequential)              \
  X(strategy_basic)                   \
  X(strategy_private_global)          \
  X(strategy_private_shared)          \
  X(strategy_coarse_contiguous)       \
  X(strategy_coarse_interleaved)      \
  X(strategy_aggregated)              \
  IW_FOR_SAMPLES(X, histogram_rows)          \
  IW_FOR_SAMPLES(X, histogram_small_n)        \
  X(histogram_write_counts)                        \
  IW_FOR_SAMPLES(X, value_range)        \
  X(deinterleave_u8) X(deinterleave_u16) X(deinterleave_u32) X(deinterleave_u64) \
  X(ravel_bins) X(project_cells)         \
  X(accumulate_weights_i32) X(accumulate_weights_u32) X(accumulate_weights_u64) X(accumulate_weights_f32) X(accumulate_weights_f64) \
  X(write_sums)                       \
  X(exact_sum_f32) X(exact_sum_f64) X(exact_sum_f32_from_f16) X(exact_sum_f32_from_bf16) \
  X(exact_dot_f32) X(exact_dot_f32_from_f16) X(exact_dot_f32_from_bf16) X(exact_round) \
  X(partition_u32) X(partition_u64)             \
  X(partition_f32) X(partition_f64)             \
  X(partition_flags_32) X(partition_flags_64)   \
  X(partition_bit_flags_8) X(partition_bit_flags_16) X(partition_bit_flags_32) X(partition_bit_flags_64) X(partition_bit_flags_128) \
  X(range_flags_u8) X(range_flags_u16)         \
  X(run_lengths_u32) X(run_lengths_u64)    \
  X(bucket_ids_pivot_8) X(bucket_ids_pivot_16) \
  X(multisplit_count) X(multisplit_move) X(multisplit_offsets) \
  X(sort_survey) X(sort_plan) X(sort_finish) X(segment_ids) X(segment_lists) X(block_sort) X(bounds) X(descents) X(merge) \
  X(top_k_gather) X(top_k_count) X(top_k_select)

#define IW_KERNEL_LIST(X) IW_COMMON_KERNEL_LIST(X) IW_DEVICE_KERNEL_LIST(X)

/* Aliases: kernels whose code is another kernel's, because sums of signed integers wrap as unsigned ones do,
 * because scan.c passes bits to twiddle, or because the bins of bytes are looked up in a table that the host orders. IW_KERNEL_CODE(name) is the kernel that a table has for `name`; IW_ALIAS_name, if defined, is a comma and
 * the other kernel's name. */
#define IW_KERNEL_CODE(name) IW_SECOND_OF(IW_ALIAS_##name, name, )
#define IW_SECOND_OF(...) IW_SECOND_OF_(__VA_ARGS__)
#define IW_SECOND_OF_(first, second, ...) second
#define IW_ALIAS_scan_sum_i32 , scan_sum_u32
#define IW_ALIAS_scan_sum_i64 , scan_sum_u64
#define IW_ALIAS_reduce_sum_i32 , reduce_sum_u32
#define IW_ALIAS_reduce_sum_i64 , reduce_sum_u64
#define IW_ALIAS_segmented_sum_i32 , segmented_sum_u32
#define IW_ALIAS_segmented_sum_i64 , segmented_sum_u64
#define IW_ALIAS_scan_min_u32 , scan_min_i32
#define IW_ALIAS_scan_max_i32 , scan_min_i32
#define IW_ALIAS_scan_max_u32 , scan_min_i32
#define IW_ALIAS_scan_max_f32 , scan_min_f32
#define IW_ALIAS_scan_min_u64 , scan_min_i64
#define IW_ALIAS_scan_max_i64 , scan_min_i64
#define IW_ALIAS_scan_max_u64 , scan_min_i64
#define IW_ALIAS_scan_max_f64 , scan_min_f64
#define IW_ALIAS_segmented_min_u32 , segmented_min_i32
#define IW_ALIAS_segmented_max_i32 , segmented_min_i32
#define IW_ALIAS_segmented_max_u32 , segmented_min_i32
#define IW_ALIAS_segmented_max_f32 , segmented_min_f32
#define IW_ALIAS_segmented_min_u64 , segmented_min_i64
#define IW_ALIAS_segmented_max_i64 , segmented_min_i64
#define IW_ALIAS_segmented_max_u64 , segmented_min_i64
#define IW_ALIAS_segmented_max_f64 , segmented_min_f64
#define IW_ALIAS_scan_rows_sum_i32 , scan_rows_sum_u32
#define IW_ALIAS_scan_rows_sum_i64 , scan_rows_sum_u64
#define IW_ALIAS_scan_rows_min_u32 , scan_rows_min_i32
#define IW_ALIAS_scan_rows_max_i32 , scan_rows_min_i32
#define IW_ALIAS_scan_rows_max_u32 , scan_rows_min_i32
#define IW_ALIAS_scan_rows_max_f32 , scan_rows_min_f32
#define IW_ALIAS_scan_rows_min_u64 , scan_rows_min_i64
#define IW_ALIAS_scan_rows_max_i64 , scan_rows_min_i64
#define IW_ALIAS_scan_rows_max_u64 , scan_rows_min_i64
#define IW_ALIAS_scan_rows_max_f64 , scan_rows_min_f64
#define IW_ALIAS_scan_segments_sum_i32 , scan_segments_sum_u32
#define IW_ALIAS_scan_segments_sum_i64 , scan_segments_sum_u64
#define IW_ALIAS_scan_segments_min_u32 , scan_segments_min_i32
#define IW_ALIAS_scan_segments_max_i32 , scan_segments_min_i32
#define IW_ALIAS_scan_segments_max_u32 , scan_segments_min_i32
#define IW_ALIAS_scan_segments_max_f32 , scan_segments_min_f32
#define IW_ALIAS_scan_segments_min_u64 , scan_segments_min_i64
#define IW_ALIAS_scan_segments_max_i64 , scan_segments_min_i64
#define IW_ALIAS_scan_segments_max_u64 , scan_segments_min_i64
#define IW_ALIAS_scan_segments_max_f64 , scan_segments_min_f64
#define IW_ALIAS_scan_long_rows_sum_i32 , scan_long_rows_sum_u32
#define IW_ALIAS_scan_long_rows_sum_i64 , scan_long_rows_sum_u64
#define IW_ALIAS_scan_long_rows_min_u32 , scan_long_rows_min_i32
#define IW_ALIAS_scan_long_rows_max_i32 , scan_long_rows_min_i32
#define IW_ALIAS_scan_long_rows_max_u32 , scan_long_rows_min_i32
#define IW_ALIAS_scan_long_rows_max_f32 , scan_long_rows_min_f32
#define IW_ALIAS_scan_long_rows_min_u64 , scan_long_rows_min_i64
#define IW_ALIAS_scan_long_rows_max_i64 , scan_long_rows_min_i64
#define IW_ALIAS_scan_long_rows_max_u64 , scan_long_rows_min_i64
#define IW_ALIAS_scan_long_rows_max_f64 , scan_long_rows_min_f64
#define IW_ALIAS_reduce_segments_sum_i32 , reduce_segments_sum_u32
#define IW_ALIAS_reduce_segments_sum_i64 , reduce_segments_sum_u64
#define IW_ALIAS_reduce_segments_min_u32 , reduce_segments_min_i32
#define IW_ALIAS_reduce_segments_max_i32 , reduce_segments_min_i32
#define IW_ALIAS_reduce_segments_max_u32 , reduce_segments_min_i32
#define IW_ALIAS_reduce_segments_max_f32 , reduce_segments_min_f32
#define IW_ALIAS_reduce_segments_min_u64 , reduce_segments_min_i64
#define IW_ALIAS_reduce_segments_max_i64 , reduce_segments_min_i64
#define IW_ALIAS_reduce_segments_max_u64 , reduce_segments_min_i64
#define IW_ALIAS_reduce_segments_max_f64 , reduce_segments_min_f64
#define IW_ALIAS_reduce_tiles_sum_i32 , reduce_tiles_sum_u32
#define IW_ALIAS_reduce_tiles_sum_i64 , reduce_tiles_sum_u64
#define IW_ALIAS_reduce_tiles_min_u32 , reduce_tiles_min_i32
#define IW_ALIAS_reduce_tiles_max_i32 , reduce_tiles_min_i32
#define IW_ALIAS_reduce_tiles_max_u32 , reduce_tiles_min_i32
#define IW_ALIAS_reduce_tiles_max_f32 , reduce_tiles_min_f32
#define IW_ALIAS_reduce_tiles_min_u64 , reduce_tiles_min_i64
#define IW_ALIAS_reduce_tiles_max_i64 , reduce_tiles_min_i64
#define IW_ALIAS_reduce_tiles_max_u64 , reduce_tiles_min_i64
#define IW_ALIAS_reduce_tiles_max_f64 , reduce_tiles_min_f64
#define IW_ALIAS_fold_tiles_sum_i32 , fold_tiles_sum_u32
#define IW_ALIAS_fold_tiles_sum_i64 , fold_tiles_sum_u64
#define IW_ALIAS_fold_tiles_min_u32 , fold_tiles_min_i32
#define IW_ALIAS_fold_tiles_max_i32 , fold_tiles_min_i32
#define IW_ALIAS_fold_tiles_max_u32 , fold_tiles_min_i32
#define IW_ALIAS_fold_tiles_max_f32 , fold_tiles_min_f32
#define IW_ALIAS_fold_tiles_min_u64 , fold_tiles_min_i64
#define IW_ALIAS_fold_tiles_max_i64 , fold_tiles_min_i64
#define IW_ALIAS_fold_tiles_max_u64 , fold_tiles_min_i64
#define IW_ALIAS_fold_tiles_max_f64 , fold_tiles_min_f64
#define IW_ALIAS_reduce_columns_sum_i32 , reduce_columns_sum_u32
#define IW_ALIAS_reduce_columns_sum_i64 , reduce_columns_sum_u64
#define IW_ALIAS_reduce_columns_min_u32 , reduce_columns_min_i32
#define IW_ALIAS_reduce_columns_max_i32 , reduce_columns_min_i32
#define IW_ALIAS_reduce_columns_max_u32 , reduce_columns_min_i32
#define IW_ALIAS_reduce_columns_max_f32 , reduce_columns_min_f32
#define IW_ALIAS_reduce_columns_min_u64 , reduce_columns_min_i64
#define IW_ALIAS_reduce_columns_max_i64 , reduce_columns_min_i64
#define IW_ALIAS_reduce_columns_max_u64 , reduce_columns_min_i64
#define IW_ALIAS_reduce_columns_max_f64 , reduce_columns_min_f64
#define IW_ALIAS_reduce_runs_sum_i32 , reduce_runs_sum_u32
#define IW_ALIAS_reduce_runs_sum_i64 , reduce_runs_sum_u64
#define IW_ALIAS_reduce_runs_min_u32 , reduce_runs_min_i32
#define IW_ALIAS_reduce_runs_max_i32 , reduce_runs_min_i32
#define IW_ALIAS_reduce_runs_max_u32 , reduce_runs_min_i32
#define IW_ALIAS_reduce_runs_max_f32 , reduce_runs_min_f32
#define IW_ALIAS_reduce_runs_min_u64 , reduce_runs_min_i64
#define IW_ALIAS_reduce_runs_max_i64 , reduce_runs_min_i64
#define IW_ALIAS_reduce_runs_max_u64 , reduce_runs_min_i64
#define IW_ALIAS_reduce_runs_max_f64 , reduce_runs_min_f64

#define IW_ALIAS_bucket_ids_i8 , bucket_ids_u8
#define IW_ALIAS_bucket_ids_bool , bucket_ids_u8
#define IW_ALIAS_histogram_rows_i8 , histogram_rows_u8
#define IW_ALIAS_histogram_rows_bool , histogram_rows_u8
#define IW_ALIAS_histogram_small_n_i8 , histogram_small_n_u8
#define IW_ALIAS_histogram_small_n_bool , histogram_small_n_u8
#define IW_ALIAS_value_range_bool , value_range_u8

#endif
