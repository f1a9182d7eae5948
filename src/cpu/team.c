/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that waits first spins, which is fastest where every thread has a processor, and then sleeps: decision
 * 063 has the measurements.
 */
#include <config.h>
#include "cpu/team.h"

#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

/* A thread of the team. Each has cache lines of its own, which avoids false sharing. */
typedef struct team_thread {
  unsigned start;       /* changes when a run begins that this thread has part in, and at the end */
  unsigned asleep;      /* 1: the thread waits for `wake`, which is posted by who sets this to 0 */
  sem_t wake;
  iw_team *team;
  unsigned id;
  unsigned spins, waits; /* how often it looks before it sleeps; how many times it has waited */
  pthread_t thread;
} team_thread;

struct iw_team {
  /* The current run. */
  iw_team_function *function; /* NULL: threads end */
  void *arg;
  unsigned size;
  unsigned most_spins;        /* how often a waiting thread may look before it sleeps */

  team_thread **threads;      /* by id; the first is the caller */
  unsigned count, capacity;
  unsigned forks;             /* forks_seen when the threads were created */

  _Alignas(64) unsigned running; /* threads of the run that have not returned, the caller's left out */
  unsigned finished;             /* changes when there are none */
  _Alignas(64) unsigned arrived; /* at the barrier */
  _Alignas(64) unsigned passed;  /* changes when all have arrived */
};

enum {
  MOST_SPINS = 2000,
  PROBE = 16,            /* one wait in so many spins for the full time, though the waits before it slept */
  STACK_BYTES = 8 << 20, /* of a thread; a kernel has its variables there, for all threads of a block */
  CACHE_LINE = 64,
};

/* ---- Waiting ---------------------------------------------------------------------------------------------------- */

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Returns when *value is not `old`; what was written before the change is visible then. Spinning in vain means that
 * other programs have the processors, and takes them from the thread that is waited for: the next wait spins less. */
static void wait_for_change(team_thread *self, const unsigned *value, unsigned old)
{
  const unsigned most = __atomic_load_n(&self->team->most_spins, __ATOMIC_RELAXED);
  const unsigned spins = ++self->waits % PROBE == 0 || self->spins > most ? most : self->spins;
  for (unsigned i = 0; i < spins; i++) {
    if (__atomic_load_n(value, __ATOMIC_ACQUIRE) != old) {
      self->spins = most;
      return;
    }
    pause_briefly();
  }
  self->spins = spins / 4;
  while (__atomic_load_n(value, __ATOMIC_SEQ_CST) == old) {
    /* Either this thread sees the change, or the one that makes it sees that this one sleeps. */
    __atomic_store_n(&self->asleep, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(value, __ATOMIC_SEQ_CST) != old && __atomic_exchange_n(&self->asleep, 0, __ATOMIC_SEQ_CST))
      return;
    while (sem_wait(&self->wake) != 0) /* a signal */
      continue;
  }
}

static void change(unsigned *value)
{
  __atomic_add_fetch(value, 1, __ATOMIC_SEQ_CST);
}

/* After a change that this thread may be waiting for. */
static void wake(team_thread *sleeper)
{
  if (__atomic_load_n(&sleeper->asleep, __ATOMIC_SEQ_CST) && __atomic_exchange_n(&sleeper->asleep, 0, __ATOMIC_SEQ_CST))
    sem_post(&sleeper->wake);
}

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

static void start(team_thread *thread)
{
  change(&thread->start);
  wake(thread);
}

/* Each thread starts two others, which takes a logarithmic number of steps. */
static void start_next(iw_team *team, unsigned id)
{
  for (unsigned next = 2 * id + 1; next <= 2 * id + 2 && next < team->size; next++)
    start(team->threads[next]);
}

static void *thread_main(void *arg)
{
  team_thread *const self = arg;
  iw_team *const team = self->team;
  for (unsigned turn = 0;; turn++) {
    wait_for_change(self, &self->start, turn);
    if (!team->function)
      return NULL;
    start_next(team, self->id);
    team->function(team->arg, self->id, team->size);
    if (__atomic_sub_fetch(&team->running, 1, __ATOMIC_ACQ_REL) == 0) {
      team_thread *const caller = team->threads[0];
      change(&team->finished);
      wake(caller);
    }
  }
}

/* Changes in the child of a fork. */
static unsigned forks_seen;
static void count_fork(void) { forks_seen++; }
static void watch_forks(void) { (void)pthread_atfork(NULL, NULL, count_fork); }

/* An entry of team->threads, without a thread. Returns 0 if there is no memory. */
static int add_entry(iw_team *team)
{
  if (team->count == team->capacity) {
    const unsigned larger = team->capacity ? 2 * team->capacity : 4;
    team_thread **const threads = realloc(team->threads, larger * sizeof *threads);
    if (!threads)
      return 0;
    team->threads = threads;
    team->capacity = larger;
  }
  void *memory;
  if (posix_memalign(&memory, CACHE_LINE, (sizeof(team_thread) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE) != 0)
    return 0;
  team_thread *const made = memory;
  *made = (team_thread){ .team = team, .id = team->count, .spins = MOST_SPINS };
  sem_init(&made->wake, 0, 0);
  team->threads[team->count++] = made;
  return 1;
}

static void remove_last_entry(iw_team *team)
{
  team_thread *const last = team->threads[--team->count];
  sem_destroy(&last->wake);
  free(last);
}

/* Returns 0 if the thread cannot be created. */
static int add_thread(iw_team *team)
{
  if (!add_entry(team))
    return 0;
  team_thread *const self = team->threads[team->count - 1];
  sigset_t all, before;
  pthread_attr_t attributes;
  int created = 0;
  if (pthread_attr_init(&attributes) == 0) {
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES); /* else the default */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    created = pthread_create(&self->thread, &attributes, thread_main, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
  }
  if (!created)
    remove_last_entry(team);
  return created;
}

iw_team *iw_team_new(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  void *memory;
  if (posix_memalign(&memory, CACHE_LINE, sizeof(iw_team)) != 0)
    return NULL;
  pthread_once(&once, watch_forks);
  iw_team *const team = memory;
  *team = (iw_team){ .size = 1, .forks = forks_seen };
  if (add_entry(team))
    return team;
  iw_team_free(team);
  return NULL;
}

/* Ends the threads; in the child of a fork there are none. */
static void remove_threads(iw_team *team)
{
  const int forked = team->forks != forks_seen;
  team->function = NULL;
  for (unsigned i = 1; i < team->count && !forked; i++)
    start(team->threads[i]);
  for (; team->count > 1; remove_last_entry(team))
    if (!forked)
      pthread_join(team->threads[team->count - 1]->thread, NULL);
}

void iw_team_free(iw_team *team)
{
  if (!team)
    return;
  if (team->count) {
    remove_threads(team);
    remove_last_entry(team);
  }
  free(team->threads);
  free(team);
}

unsigned iw_team_run(iw_team *team, unsigned wanted, iw_team_function *function, void *arg)
{
  if (team->forks != forks_seen) {
    remove_threads(team);
    team->forks = forks_seen;
  }
  while (team->count < wanted && add_thread(team))
    continue;
  const unsigned size = team->count < wanted ? team->count : wanted;
  if (size != team->size) {
    team->size = size;
    __atomic_store_n(&team->most_spins, size <= (unsigned)omp_get_num_procs() ? MOST_SPINS : 0, __ATOMIC_RELAXED);
  }
  team->function = function;
  team->arg = arg;
  const unsigned turn = team->finished;
  __atomic_store_n(&team->running, size - 1, __ATOMIC_RELAXED);
  start_next(team, 0);
  function(arg, 0, size);
  if (size > 1)
    wait_for_change(team->threads[0], &team->finished, turn);
  return size;
}

void iw_team_barrier(iw_team *team, unsigned thread_id)
{
  const unsigned turn = __atomic_load_n(&team->passed, __ATOMIC_RELAXED);
  if (__atomic_add_fetch(&team->arrived, 1, __ATOMIC_ACQ_REL) == team->size) {
    __atomic_store_n(&team->arrived, 0, __ATOMIC_RELAXED);
    change(&team->passed);
    for (unsigned i = 0; i < team->size; i++)
      if (i != thread_id)
        wake(team->threads[i]);
  } else
    wait_for_change(team->threads[thread_id], &team->passed, turn);
}
