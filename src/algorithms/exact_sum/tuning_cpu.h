/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy of exact sums on CPUs, where a thread is a block of one warp. No number can change a bit of a
 * result.
 */
#ifndef IW_EXACT_SUM_TUNING_CPU_H
#define IW_EXACT_SUM_TUNING_CPU_H

#ifndef EXACT_WARPS
#define EXACT_WARPS 1          /* of a block */
#endif
#ifndef EXACT_BLOCKS
#define EXACT_BLOCKS 1         /* of a processor */
#endif
#ifndef EXACT_VECTORS
#define EXACT_VECTORS(size) (64 / (size)) /* a chunk: so many elements of each lane, whose loads are in flight together */
#endif
#ifndef EXACT_PREFETCHES
#define EXACT_PREFETCHES(args) ((args)->prefetches)
#endif
#ifndef EXACT_HALVES
#define EXACT_HALVES 0         /* 1: additions to words are two of 32 bits */
#endif
#ifndef EXACT_ROUND_BY_LANES
#define EXACT_ROUND_BY_LANES 0 /* the words are rounded in lanes; 0: in turn */
#endif
#ifndef EXACT_ROLLED
#define EXACT_ROLLED 0         /* rare code over arrays of lanes is in rolled loops, and the arrays in registers */
#endif

#endif
