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

/* Of a thread: where it may run, and the part of that to which it was confined last, none at first. */
typedef struct iw_place { pid_t id; cpu_set_t allowed, confined; } iw_place;

/* Called by the thread. */
static inline void iw_place_init(iw_place *self) { self->id = (pid_t)syscall(SYS_gettid); }

static inline int iw_processor_now(void)
{
  const int processor = sched_getcpu();
  return processor >= 0 && processor < CPU_SETSIZE ? processor : IW_NO_PROCESSOR;
}

/* Confines a thread that sleeps to the processors that it may run on but this one, if there are others. If
 * the program has changed where the thread may run, the change counts. */
static inline void iw_avoid_processor(iw_place *thread, int processor)
{
  cpu_set_t now;
  if (processor == IW_NO_PROCESSOR || sched_getaffinity(thread->id, sizeof now, &now) != 0)
    return;
  if (!CPU_EQUAL(&now, &thread->confined))
    thread->allowed = now;
  if (!CPU_ISSET((unsigned)processor, &now))
    return;
  now = thread->allowed;
  CPU_CLR((unsigned)processor, &now);
  if (CPU_COUNT(&now) && sched_setaffinity(thread->id, sizeof now, &now) == 0)
    thread->confined = now;
}
#else
typedef struct iw_place { int unused; } iw_place;
static inline void iw_place_init(iw_place *self) { (void)self; }
static inline int iw_processor_now(void) { return IW_NO_PROCESSOR; }
static inline void iw_avoid_processor(iw_place *thread, int processor) { (void)thread, (void)processor; }
#endif

#endif
