/* SPDX-License-Identifier: Apache-2.0
 *
 * Which processor a thread of a team runs on. Linux in a virtual machine can take an idle processor for one
 * that its host has taken away: it then wakes a thread on the processor of the thread that wakes it, where it
 * does not begin before that one waits, while another processor is idle (doc/design/cpu.md#waking). The
 * library's own threads can avoid that processor; where there is no way to do so, nothing is done. Backend
 * layer; knows no teams.
 */
#ifndef IW_CPU_PLACE_H
#define IW_CPU_PLACE_H

#include <sched.h>

enum { IW_NO_PROCESSOR = -1 };

#if defined __linux__ && defined CPU_COUNT
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Of a thread: where it may run, and the part of that to which who woke it last has confined it. */
typedef struct iw_place { pid_t id; int is_confined; cpu_set_t allowed, confined; } iw_place;

/* Called by the thread. */
static inline void iw_place_init(iw_place *self) { self->id = (pid_t)syscall(SYS_gettid); }

static inline int iw_processor_now(void)
{
  const int processor = sched_getcpu();
  return processor >= 0 && processor < CPU_SETSIZE ? processor : IW_NO_PROCESSOR;
}

/* Confines a thread that sleeps, until it has been woken, to the processors that it may run on but this one,
 * if there are others. */
static inline void iw_avoid_processor(iw_place *thread, int processor)
{
  cpu_set_t *const allowed = &thread->allowed, *const confined = &thread->confined;
  if (processor == IW_NO_PROCESSOR || sched_getaffinity(thread->id, sizeof *allowed, allowed) != 0 || !CPU_ISSET((unsigned)processor, allowed))
    return;
  *confined = *allowed;
  CPU_CLR((unsigned)processor, confined);
  thread->is_confined = CPU_COUNT(confined) && sched_setaffinity(thread->id, sizeof *confined, confined) == 0;
}

/* Called by a thread that has been woken: it may run everywhere again, unless the program has changed where
 * it may since. */
static inline void iw_place_restore(iw_place *self)
{
  cpu_set_t now;
  if (self->is_confined && sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &self->confined))
    (void)sched_setaffinity(0, sizeof self->allowed, &self->allowed);
  self->is_confined = 0;
}
#else
typedef struct iw_place { int unused; } iw_place;
static inline void iw_place_init(iw_place *self) { (void)self; }
static inline int iw_processor_now(void) { return IW_NO_PROCESSOR; }
static inline void iw_avoid_processor(iw_place *thread, int processor) { (void)thread, (void)processor; }
static inline void iw_place_restore(iw_place *self) { (void)self; }
#endif

#endif
