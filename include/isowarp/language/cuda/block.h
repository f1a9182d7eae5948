/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA: phases, per-warp variables, and what the block's collectives of language/warp.h
 * need. A block's warps run at once, so a phase is the code of one warp followed by the block's barrier,
 * and a variable of each warp is an ordinary variable. Mirrors language/cpu/block.h. Knows nothing of other
 * blocks.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_BLOCK_H
#define ISOWARP_LANGUAGE_CUDA_BLOCK_H

#include <isowarp/language/cuda/shuffles.h>

#define IW_WARP_OF_THREAD_ (threadIdx.x >> 5)

#ifdef IW_CHECK_LANES
/* Finds phases that are left by break, return or goto. `inside` is still set where control leaves a
 * phase other than at its end; the compiler removes the branch where that cannot happen. Else an
 * instruction that does not exist remains in the PTX, and ptxas stops at it: its name tells the line of
 * the phase. */
template <int LINE> struct iw_phase_guard_ {
  bool inside, entered;
  __device__ __forceinline__ iw_phase_guard_() : inside(true), entered(false) {}
  __device__ __forceinline__ bool enter() { const bool first = !entered; entered = true; return first; }
  __device__ __forceinline__ void leave()
  {
    if (inside) asm volatile("isowarp_error_break_leaves_the_phase_of_line_%0;" :: "n"(LINE));
    inside = false;
  }
  __device__ __forceinline__ ~iw_phase_guard_()
  { if (inside) asm volatile("isowarp_error_return_leaves_the_phase_of_line_%0;" :: "n"(LINE)); }
};
#define IW_WARPS(warp) \
  for (iw_phase_guard_<__LINE__> iw_guard_; iw_guard_.enter(); iw_guard_.leave()) \
    for (unsigned warp = IW_WARP_OF_THREAD_; iw_guard_.inside; iw_guard_.inside = false)
#else
#define IW_WARPS(warp) for (unsigned warp = IW_WARP_OF_THREAD_, iw_warp_once_ = warp | 1; \
  iw_warp_once_; iw_warp_once_ = 0)
#endif
#define IW_PHASE(warp) for (int iw_phase_once_ = 1; iw_phase_once_; iw_phase_once_ = 0, \
  __syncthreads()) IW_WARPS(warp)

#define IW_VAR(type, x) type x
#define IW_VAR_ARRAY(type, x, n) type x[n]
#define IW_MY(x) (x)
#define IW_DST(type) type &
#define IW_SRC(type) const type

/* The threads that the block has: all but in its last warp, if that is not full. */
IW_FN iw_pred iw_active_(const iw_block *block, unsigned)
{ return IW_LANE_(pred, threadIdx.x < block->threads); }

IW_FN void iw_barrier_(const iw_block *) { __syncthreads(); }
IW_FN iw_block_memory *iw_memory_(void) { static __shared__ iw_block_memory memory; return &memory; }

/* IW_ONCE_ evaluates an expression on thread 0 of the block and keeps the result for all, who get it
 * from iw_once_end_ after a barrier. Two words take turns, so that the next use needs no barrier of its
 * own. */
#define IW_ONCE_(block, expr) (iw_once_begin_(block) ? (void)(*iw_once_(block) = (expr)) : (void)0)
IW_FN int iw_once_begin_(const iw_block *) { return threadIdx.x == 0; }
IW_FN uint64_t *iw_once_(const iw_block *block) { return &iw_memory_()->broadcast[block->parity & 1]; }
IW_FN uint64_t iw_once_end_(iw_block *block) { return iw_memory_()->broadcast[block->parity++ & 1]; }

/* One word per warp for the next collective; two sets take turns as above. */
IW_FN uint64_t *iw_warp_aggregates_(iw_block *block)
{ return iw_memory_()->warp_aggregates[block->parity++ & 1]; }
/* The tree over the warps' aggregates. */
#define IW_REDUCE_AGGREGATES_(op, t, block, aggregates) \
  iw_warp_##op##_##t(iw_block_aggregates_##op##_##t(block, (const uint64_t *)(aggregates), 0))

#endif
