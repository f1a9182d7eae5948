/* SPDX-License-Identifier: Apache-2.0
 *
 * The families of kernels that are made of the folds of operations.h: includes EACH_FAMILY once for each,
 * with its name as FAMILY and its sets of folds as FOLD_SETS, which EACH_FAMILY undefines. The kernel of a
 * family for a fold is FAMILY_FOLD: scan_sum_u32. kernel_list.h has the other kernels.
 */

/* Compute capability 7.5 has other kernels of these, with shorter pipelines (scan/tuning_cuda.h). */
#define FAMILY scan
#define FOLD_SETS IW_ALL_FOLDS
#include EACH_FAMILY
#define FAMILY segmented
#define FOLD_SETS (IW_ALL_FOLDS & ~(IW_WIDENING_SUMS | IW_OF_LANES))
#include EACH_FAMILY
#define FAMILY scan_long_rows
#define FOLD_SETS (IW_ALL_FOLDS & ~IW_WIDENING_SUMS)
#include EACH_FAMILY

#ifndef SHORT_PIPELINES_ONLY
#define FAMILY reduce
#define FOLD_SETS IW_ALL_FOLDS
#include EACH_FAMILY
#define FAMILY arg
#define FOLD_SETS IW_MINIMA
#include EACH_FAMILY
#define FAMILY scan_rows
#define FOLD_SETS (IW_ALL_FOLDS & ~(IW_WIDENING_SUMS | IW_OF_LANES))
#include EACH_FAMILY
#define FAMILY scan_segments
#define FOLD_SETS (IW_ALL_FOLDS & ~IW_WIDENING_SUMS)
#include EACH_FAMILY
#define FAMILY reduce_segments
#define FOLD_SETS IW_ALL_FOLDS
#include EACH_FAMILY
#define FAMILY reduce_tiles
#define FOLD_SETS IW_ALL_FOLDS
#include EACH_FAMILY
#define FAMILY reduce_columns
#define FOLD_SETS IW_ALL_FOLDS
#include EACH_FAMILY
#define FAMILY fold_tiles
#define FOLD_SETS IW_PLAIN
#include EACH_FAMILY
#define FAMILY find
#define FOLD_SETS IW_MINIMA
#include EACH_FAMILY

/* CPUs have no schedule for this one. */
#define DEVICE_KERNELS
#define FAMILY reduce_runs
#define FOLD_SETS IW_ALL_FOLDS
#include EACH_FAMILY
#undef DEVICE_KERNELS
#endif
#undef EACH_FAMILY
