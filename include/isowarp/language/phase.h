/* SPDX-License-Identifier: Apache-2.0
 *
 * Phases, and the checks that what belongs into a phase or between phases stands there. Part of the kernel
 * language, for all targets; it must not know what a lane value is.
 */
#ifndef ISOWARP_LANGUAGE_PHASE_H
#define ISOWARP_LANGUAGE_PHASE_H

#include <isowarp/descriptor.h>

/* The name iw_here_ is an enumerator between phases and a variable of struct type inside a phase. A function
 * that takes it as a parameter of one of these types compiles at the right place only, and the error names
 * both types. */
typedef enum iw_between_phases { iw_here_ } iw_between_phases;
typedef struct iw_inside_a_phase { int once, all_warps; } iw_inside_a_phase;

IW_FN iw_block *iw_block_collective(iw_block *block, iw_between_phases here) { (void)here; return block; }
IW_FN iw_block *iw_in_a_phase_only(iw_block *block, iw_inside_a_phase here) { (void)here; return block; }
IW_FN int iw_phase_begin(iw_between_phases here) { (void)here; return 1; }
#ifdef IW_SIM /* notes where the collective stands: the language's own code is not what a message should name */
#define IW_COLLECTIVE_(block) (IW_NOTE_("collective", "") iw_block_collective(block, iw_here_))
#define IW_IN_PHASE_(block) (IW_NOTE_("post", "") iw_in_a_phase_only(block, iw_here_))
#else
#define IW_COLLECTIVE_(block) iw_block_collective(block, iw_here_)
#define IW_IN_PHASE_(block) iw_in_a_phase_only(block, iw_here_)
#endif

#ifdef __CUDACC__
/* nvcc warns that iw_here_ meant something else between phases before C++ was a standard. */
#pragma nv_diag_suppress 780
/* The warps of a block run at once: each thread runs the body once. */
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
    for (iw_inside_a_phase iw_here_ = { 1, 0 }; iw_here_.once; iw_here_.once = 0) \
      for (unsigned warp = iw_own_warp_(IW_UNIFORM_WARP); iw_guard_.inside; iw_guard_.inside = false)
#else
#define IW_WARPS(warp) \
  for (iw_inside_a_phase iw_here_ = { 1, 0 }; iw_here_.once; iw_here_.once = 0) \
    for (unsigned warp = iw_own_warp_(IW_UNIFORM_WARP), iw_warp_once_ = warp | 1; iw_warp_once_; iw_warp_once_ = 0)
#endif
#elif defined(IW_SIM)
/* Each warp runs the body once. The simulator finds phases that are left by break, return or goto: the end
 * of the inner loop is then not reached. */
#define IW_WARPS(warp) \
  for (iw_inside_a_phase iw_here_ = { 1, 0 }; iw_here_.once; iw_here_.once = 0) \
    for (unsigned warp = (iw_sim_phase_begin(block, IW_SITE_OF_("IW_PHASE", #warp)), block->first_warp); \
         (void)warp, !iw_here_.all_warps; iw_here_.all_warps = 1, iw_sim_phase_end(block))
#else
/* One thread runs its warps one after the other. In optimised C code an early exit from the loop is an
 * error: `all_warps` is set where the loop ends by its condition, so the calls of iw_phase_is_left_early are
 * dead code unless there is another exit. They are not dead without optimisation, nor in C++, where an
 * exception is an exit too. */
#if defined(__OPTIMIZE__) && !defined(__cplusplus) && !defined(__SANITIZE_ADDRESS__)
__attribute__((error("a phase is left by break, return or goto: it has to run to its closing brace")))
void iw_phase_is_left_early(void);
static inline __attribute__((always_inline, unused)) void iw_phase_end_(const iw_inside_a_phase *here)
{ if (!here->all_warps) iw_phase_is_left_early(); }
#define IW_PHASE_CHECKED_ __attribute__((cleanup(iw_phase_end_)))
#define IW_PHASE_END_CHECK_ (iw_here_.all_warps ? (void)0 : iw_phase_is_left_early())
#else
#define IW_PHASE_CHECKED_
#define IW_PHASE_END_CHECK_ (void)0
#endif
#define IW_WARPS(warp) \
  for (iw_inside_a_phase iw_here_ IW_PHASE_CHECKED_ = { 1, 0 }; iw_here_.once; \
       iw_here_.once = 0, IW_PHASE_END_CHECK_) \
    for (unsigned warp = block->first_warp; warp < block->warps || (iw_here_.all_warps = 1, 0); \
         warp += block->warp_stride)
#endif

#define IW_PHASE(warp) \
  for (int iw_phase_once_ = iw_phase_begin(iw_here_); iw_phase_once_; iw_phase_once_ = 0, \
  iw_barrier_(block)) \
    IW_WARPS(warp)

#endif
