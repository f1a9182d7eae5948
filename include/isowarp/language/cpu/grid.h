/* SPDX-License-Identifier: Apache-2.0
 *
 * Communication between the blocks of a launch on the CPU: tickets, publish and poll, pause. Part of cpu.h,
 * after lanes.h. Which accesses these operations order is said in doc/memory-model.md.
 */
#ifndef ISOWARP_LANGUAGE_CPU_GRID_H
#define ISOWARP_LANGUAGE_CPU_GRID_H

/* A single block has nobody to race with. */
IW_FN uint32_t iw_fetch_add_relaxed_(const iw_block *block, uint32_t *p, uint32_t v)
{
  if (block->blocks != 1) return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
  *p += v;
  return *p - v;
}
/* Acquires and releases: a block that observes the incremented value sees all that this block did before. */
IW_FN uint32_t iw_increment_acq_rel_(const iw_block *block, uint32_t *p)
{ (void)block; return __atomic_fetch_add(p, 1, __ATOMIC_ACQ_REL); }
IW_FN void iw_store_relaxed_(uint32_t *p, uint32_t v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }
IW_FN uint32_t iw_load_relaxed_(const uint32_t *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
IW_FN uint32_t iw_ticket_request_in(uint32_t *p) { return __atomic_fetch_add(p, 1, __ATOMIC_RELAXED); }

/* The shortest sleep, some 50 us. It gives the processor to the publishing thread if that one waits for it.
 * sched_yield() would also take a time slice from this thread where other programs run
 * (doc/design/cpu.md#threads). */
IW_NOINLINE_FN void iw_sleep_(void)
{
  struct timeval shortest = { 0, 1 };
  (void)select(0, NULL, NULL, NULL, &shortest);
}

/* Between two polls: sleeps after 512 of them, some 20 us. */
IW_FN void iw_pause(unsigned *spins)
{
  if (++*spins > 512) iw_sleep_();
#if defined(__x86_64__) || defined(__i386__)
  else __builtin_ia32_pause();
#elif defined(__aarch64__)
  else __asm__ volatile("yield");
#endif
}

/* IW_PUBLISH_ORDERED: 0, iw_publish and iw_poll are relaxed; 1, they are iw_publish_release and
 * iw_poll_acquire. For measurements; the language's contract is 0. */
#ifndef IW_PUBLISH_ORDERED
#define IW_PUBLISH_ORDERED 0
#endif
/* A word of tile state: the flag in the upper half, 32 bits of the value in the lower one. */
IW_FN void iw_tile_state_store_(uint64_t *p, uint64_t w, int release)
{ if (release) __atomic_store_n(p, w, __ATOMIC_RELEASE); else __atomic_store_n(p, w, __ATOMIC_RELAXED); }
IW_FN uint64_t iw_tile_state_load_(const uint64_t *p, int acquire)
{ return acquire ? __atomic_load_n(p, __ATOMIC_ACQUIRE) : __atomic_load_n(p, __ATOMIC_RELAXED); }

#define IW_TEMPLATE <isowarp/language/cpu/publish_of_type.h>
#include <isowarp/language/for_each_type.h>

#endif
