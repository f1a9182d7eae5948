/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's own kernels that are not made of folds (families.h): each backend's table of kernels
 * (kernel_table.c) and the ids by which the host side names them are made from this list. It knows neither
 * arguments nor code. A new kernel is added here, and a build unit of src/kernels instantiates it.
 */
#ifndef IW_ALGORITHMS_KERNEL_LIST_H
#define IW_ALGORITHMS_KERNEL_LIST_H

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
  X(top_k_sample) X(top_k_collect) X(top_k_group) X(top_k_rank)
#define IW_FOR_BIN_PARTITION(X) \
  X(bin_partition, I32, i32) X(bin_partition, U32, u32) X(bin_partition, I64, i64) \
  X(bin_partition, U64, u64) X(bin_partition, F32, f32) X(bin_partition, F64, f64)

/* Kernels of every set. */
#define IW_COMMON_KERNEL_LIST(X) \
  X(pack_flags) \
  X(heads_keys_8) X(heads_keys_16) X(heads_keys_32) X(heads_keys_64) X(clear) X(strategy_sequential) \
  X(strategy_basic) X(strategy_private_global) X(strategy_private_shared) X(strategy_coarse_contiguous) \
  X(strategy_coarse_interleaved) X(strategy_aggregated) X(histogram_write_counts) X(deinterleave_u8) \
  X(deinterleave_u16) X(deinterleave_u32) X(deinterleave_u64) X(ravel_bins) X(project_cells) X(write_sums) \
  X(accumulate_weights_i32) X(accumulate_weights_u32) X(accumulate_weights_u64) X(accumulate_weights_f32) \
  X(accumulate_weights_f64) X(exact_sum_f32) X(exact_sum_f64) X(exact_sum_f32_from_f16) \
  X(exact_sum_f32_from_bf16) X(exact_dot_f32) X(exact_dot_f32_from_f16) X(exact_dot_f32_from_bf16) \
  X(exact_round) X(partition_u32) X(partition_u64) X(partition_f32) X(partition_f64) X(partition_flags_32) \
  X(partition_flags_64) X(partition_heads_32) X(partition_heads_64) X(partition_bit_flags_8) X(partition_bit_flags_16) X(partition_bit_flags_32) \
  X(partition_bit_flags_64) X(partition_bit_flags_128) X(range_flags_u8) X(range_flags_u16) \
  X(run_lengths_u32) X(run_lengths_u64) X(bucket_ids_pivot_8) X(bucket_ids_pivot_16) X(multisplit_count) \
  X(multisplit_move) X(multisplit_offsets) X(sort_survey) X(sort_plan) X(sort_finish) X(segment_ids) \
  X(segment_lists) X(block_sort) X(bounds) X(decode_runs) X(descents) X(merge) X(top_k_gather) X(top_k_count) \
  X(top_k_select) X(top_k_near) X(top_k_least) X(top_k_take)

#endif
