/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA: per-warp variables, and what the block's collectives of language/warp.h
 * need. A block's warps run at once, so a phase is the code of one warp followed by the block's barrier,
 * and a variable of each warp is an ordinary variable. Mirrors language/cpu/block.h. Knows nothing of other
 * blocks.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_BLOCK_H
#define ISOWARP_LANGUAGE_CUDA_BLOCK_H

#include <isowarp/language/cuda/shuffles.h>

#define IW_VAR(type, x) type x
#define IW_VAR_ARRAY(type, x, n) type x[n]
#define IW_MY(x) (x)
#define IW_DST(type) type &
#define IW_SRC(type) const type

/* The threads that the block has: all but in its last warp, if that is not full. */
IW_FN iw_pred iw_active_(const iw_block *block, unsigned)
{ return IW_LANE_(pred, threadIdx.x < block->threads); }

/* The index of the warp. To nvcc a value from lane 0 is the same in all lanes, so that loops and branches
 * by it do not diverge; by the index of the thread alone they might, and what follows is compiled for that,
 * too (doc/design/cuda.md#uniform-warps). A template of the library may define IW_UNIFORM_WARP as 0 for its
 * phases, and behind them as 1 again. */
#define IW_UNIFORM_WARP 1
IW_FN unsigned iw_own_warp_(int uniform)
{
  const unsigned warp = threadIdx.x >> 5;
  return uniform ? __shfl_sync(IW_FULL_MASK_, warp, 0) : warp;
}

IW_FN void iw_barrier_(const iw_block *) { __syncthreads(); }
IW_FN iw_block_memory *iw_memory_(void) { static __shared__ iw_block_memory memory; return &memory; }

/* IW_ONCE_ evaluates an expression on thread 0 of the block and keeps the result for all, who get it
 * from iw_once_end_ after a barrier. Two words take turns, so that the next use needs no barrier of its
 * own. */
#define IW_ONCE_(block, expr) (iw_once_begin_(block) ? (void)(*iw_once_(block) = (expr)) : (void)0)
IW_FN int iw_once_begin_(const iw_block *) { return threadIdx.x == 0; }
IW_FN uint64_t *iw_once_(const iw_block *block) { return &iw_memory_()->broadcast[block->parity & 1]; }
/* A value that all lanes have, in a uniform register where there are any: what is computed from it takes no
 * registers of lanes. */
IW_FN uint32_t iw_uniform_(uint32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(IW_FULL_MASK_, v);
#else
  return v;
#endif
}
IW_FN uint64_t iw_once_end_(iw_block *block) { return iw_memory_()->broadcast[block->parity++ & 1]; }

/* One word per warp for the next collective; two sets take turns as above. */
IW_FN uint64_t *iw_warp_aggregates_(iw_block *block)
{ return iw_memory_()->warp_aggregates[block->parity++ & 1]; }
/* The tree over the warps' aggregates. */
#define IW_REDUCE_AGGREGATES_(op, t, block, aggregates) \
  iw_warp_##op##_##t(iw_block_aggregates_##op##_##t(block, (const uint64_t *)(aggregates), 0))

#endif
