/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's own kernels by name. Each target's table of kernels, and the numbers by which the front asks for them,
 * are made from this list.
 */
#ifndef IW_KERNELS_LIST_H
#define IW_KERNELS_LIST_H

#define IW_FOR_6_TYPES(X, stem) X(stem##_i32) X(stem##_u32) X(stem##_i64) X(stem##_u64) X(stem##_f32) X(stem##_f64)
#define IW_FOR_OPS(X, stem) IW_FOR_6_TYPES(X, stem##_sum) IW_FOR_6_TYPES(X, stem##_min) IW_FOR_6_TYPES(X, stem##_max)
/* Sums in a wider type. */
#define IW_FOR_MIXED(X, stem) X(stem##_sum_u32_from_u8) X(stem##_sum_u64_from_u8) X(stem##_sum_i64_from_i32) \
  X(stem##_sum_u64_from_u32) X(stem##_sum_f64_from_f32)
/* Samples: bytes come by a map, 16 bits are binned as i32. */
#define IW_FOR_SAMPLES(X, stem) X(stem##_u8) X(stem##_u16) IW_FOR_6_TYPES(X, stem)

#define IW_KERNEL_LIST(X)          \
  IW_FOR_OPS(X, scan)              \
  IW_FOR_MIXED(X, scan)            \
  IW_FOR_OPS(X, reduce)            \
  IW_FOR_MIXED(X, reduce)          \
  IW_FOR_6_TYPES(X, first)         \
  IW_FOR_OPS(X, segmented)         \
  X(bits_flags)                    \
  X(heads_keys_8) X(heads_keys_16) X(heads_keys_32) X(heads_keys_64) X(heads_rows) \
  X(clear)                         \
  IW_FOR_SAMPLES(X, number)        \
  X(count_sequential)              \
  X(count_basic)                   \
  X(count_private_global)          \
  X(count_private_shared)          \
  X(count_coarse_contiguous)       \
  X(count_coarse_interleaved)      \
  X(count_aggregated)              \
  IW_FOR_SAMPLES(X, rows)          \
  IW_FOR_SAMPLES(X, direct)        \
  IW_FOR_6_TYPES(X, order)         \
  X(ranges)                        \
  X(counts)                        \
  IW_FOR_SAMPLES(X, extent)        \
  X(unweave_u8) X(unweave_u16) X(unweave_u32) X(unweave_u64) \
  X(join)                          \
  X(weigh_i32) X(weigh_u32) X(weigh_u64) X(weigh_f32) X(weigh_f64) \
  X(weighed)                       \
  X(partition_u32) X(partition_u64)             \
  X(partition_f32) X(partition_f64)             \
  X(partition_flags_32) X(partition_flags_64)   \
  X(partition_marked_8) X(partition_marked_16) X(partition_marked_32) X(partition_marked_64) X(partition_marked_128) \
  X(marks_u8) X(marks_u16)         \
  X(lengths_u32) X(lengths_u64)    \
  X(split_count) X(split_move) X(split_edges)

#endif
