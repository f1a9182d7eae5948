/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy of exact sums on GPUs. No number can change a bit of a result.
 */
#ifndef IW_EXACT_SUM_TUNING_CUDA_H
#define IW_EXACT_SUM_TUNING_CUDA_H

#ifndef EXACT_WARPS
#define EXACT_WARPS 8          /* of a block */
#endif
#ifndef EXACT_BLOCKS
#define EXACT_BLOCKS 4         /* of a multiprocessor */
#endif
#ifndef EXACT_VECTORS
#define EXACT_VECTORS(size) (64 / (size)) /* a chunk: so many elements of each lane, whose loads are in flight together */
#endif
#ifndef EXACT_PREFETCHES
#define EXACT_PREFETCHES(args) 1 /* row_issue, whose loads do not stay in the caches */
#endif
#ifndef EXACT_HALVES
#define EXACT_HALVES 1         /* additions to words in shared memory are two of 32 bits */
#endif
#ifndef EXACT_ROUND_BY_LANES
#define EXACT_ROUND_BY_LANES 1 /* the words are rounded in lanes; 0: in turn */
#endif
#ifndef EXACT_ROLLED
#define EXACT_ROLLED 1         /* rare code over arrays of lanes is in rolled loops, and the arrays in registers */
#endif

#endif
