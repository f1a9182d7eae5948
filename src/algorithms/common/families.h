/* SPDX-License-Identifier: Apache-2.0
 *
 * The families of kernels that are made of the folds of operations.h: includes EACH_FAMILY once for each,
 * with its name as FAMILY and its sets of folds as FOLD_SETS. The kernel of a family for a fold is
 * FAMILY_FOLD: scan_sum_u32. DEVICE_KERNELS is defined for families that CPUs have no schedule for.
 * kernel_list.h has the other kernels.
 */
#define FAMILY scan
#define FOLD_SETS IW_ALL_FOLDS
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#define FAMILY reduce
#define FOLD_SETS IW_ALL_FOLDS
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#define FAMILY arg
#define FOLD_SETS IW_MINIMA
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#define FAMILY segmented
#define FOLD_SETS (IW_ALL_FOLDS & ~(IW_WIDENING_SUMS | IW_OF_LANES))
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#define FAMILY scan_rows
#define FOLD_SETS (IW_ALL_FOLDS & ~(IW_WIDENING_SUMS | IW_OF_LANES))
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#define FAMILY scan_segments
#define FOLD_SETS (IW_ALL_FOLDS & ~IW_WIDENING_SUMS)
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#define FAMILY scan_long_rows
#define FOLD_SETS (IW_ALL_FOLDS & ~IW_WIDENING_SUMS)
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#define FAMILY reduce_segments
#define FOLD_SETS IW_ALL_FOLDS
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#define FAMILY reduce_tiles
#define FOLD_SETS IW_ALL_FOLDS
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#define FAMILY reduce_columns
#define FOLD_SETS IW_ALL_FOLDS
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#define FAMILY fold_tiles
#define FOLD_SETS IW_PLAIN
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#define FAMILY find
#define FOLD_SETS IW_MINIMA
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#define DEVICE_KERNELS
#define FAMILY reduce_runs
#define FOLD_SETS IW_ALL_FOLDS
#include EACH_FAMILY
#undef FOLD_SETS
#undef FAMILY
#undef DEVICE_KERNELS
#undef EACH_FAMILY
