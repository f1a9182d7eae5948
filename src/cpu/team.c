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

/* A thread of the team, on cache lines of its own. */
typedef struct seat {
  unsigned start;       /* changes when a run begins that this thread has part in, and at the end */
  unsigned asleep;      /* 1: the thread waits for `wake`, which is posted by who sets this to 0 */
  sem_t wake;
  iw_team *team;
  unsigned id;
  unsigned spins, waits; /* how often it looks before it sleeps; how many times it has waited */
  pthread_t thread;
} seat;

struct iw_team {
  /* The current run. */
  iw_team_function *function; /* NULL: threads end */
  void *arg;
  unsigned size;
  unsigned most_spins;        /* how often a waiting thread may look before it sleeps */

  seat **seats;               /* by id; the first is the caller's */
  unsigned count, capacity;
  unsigned forks;             /* forks_seen when the threads were created */

  _Alignas(64) unsigned running; /* threads of the run that have not returned, the caller's left out */
  unsigned finished;             /* changes when there are none */
  _Alignas(64) unsigned arrived; /* at the barrier */
  _Alignas(64) unsigned passed;  /* changes when all have arrived */
};

enum {
  SPINS = 2000,          /* 50 to 100 microseconds */
  PROBE = 16,            /* every how many-th wait spins as long again, where the last ones were in vain */
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
static void wait_for_change(seat *mine, const unsigned *value, unsigned old)
{
  const unsigned most = __atomic_load_n(&mine->team->most_spins, __ATOMIC_RELAXED);
  const unsigned spins = ++mine->waits % PROBE == 0 || mine->spins > most ? most : mine->spins;
  for (unsigned i = 0; i < spins; i++) {
    if (__atomic_load_n(value, __ATOMIC_ACQUIRE) != old) {
      mine->spins = most;
      return;
    }
    pause_briefly();
  }
  mine->spins = spins / 4;
  while (__atomic_load_n(value, __ATOMIC_SEQ_CST) == old) {
    /* Either this thread sees the change, or the one that makes it sees that this one sleeps. */
    __atomic_store_n(&mine->asleep, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(value, __ATOMIC_SEQ_CST) != old && __atomic_exchange_n(&mine->asleep, 0, __ATOMIC_SEQ_CST))
      return;
    while (sem_wait(&mine->wake) != 0) /* a signal */
      continue;
  }
}

static void change(unsigned *value)
{
  __atomic_add_fetch(value, 1, __ATOMIC_SEQ_CST);
}

/* After a change that this thread may be waiting for. */
static void wake(seat *sleeper)
{
  if (__atomic_load_n(&sleeper->asleep, __ATOMIC_SEQ_CST) && __atomic_exchange_n(&sleeper->asleep, 0, __ATOMIC_SEQ_CST))
    sem_post(&sleeper->wake);
}

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

static void start(seat *thread)
{
  change(&thread->start);
  wake(thread);
}

/* Each thread starts two others, which takes a logarithmic number of steps. */
static void start_next(iw_team *team, unsigned id)
{
  for (unsigned next = 2 * id + 1; next <= 2 * id + 2 && next < team->size; next++)
    start(team->seats[next]);
}

static void *thread_main(void *arg)
{
  seat *const mine = arg;
  iw_team *const team = mine->team;
  for (unsigned turn = 0;; turn++) {
    wait_for_change(mine, &mine->start, turn);
    if (!team->function)
      return NULL;
    start_next(team, mine->id);
    team->function(team->arg, mine->id, team->size);
    if (__atomic_sub_fetch(&team->running, 1, __ATOMIC_ACQ_REL) == 0) {
      seat *const caller = team->seats[0];
      change(&team->finished);
      wake(caller);
    }
  }
}

/* Changes in the child of a fork. */
static unsigned forks_seen;
static void count_fork(void) { forks_seen++; }
static void watch_forks(void) { (void)pthread_atfork(NULL, NULL, count_fork); }

static int add_seat(iw_team *team)
{
  if (team->count == team->capacity) {
    const unsigned larger = team->capacity ? 2 * team->capacity : 4;
    seat **const seats = realloc(team->seats, larger * sizeof *seats);
    if (!seats)
      return 0;
    team->seats = seats;
    team->capacity = larger;
  }
  void *memory;
  if (posix_memalign(&memory, CACHE_LINE, (sizeof(seat) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE) != 0)
    return 0;
  seat *const made = memory;
  *made = (seat){ .team = team, .id = team->count, .spins = SPINS };
  sem_init(&made->wake, 0, 0);
  team->seats[team->count++] = made;
  return 1;
}

static void remove_last_seat(iw_team *team)
{
  seat *const last = team->seats[--team->count];
  sem_destroy(&last->wake);
  free(last);
}

static int add_thread(iw_team *team)
{
  if (!add_seat(team))
    return 0;
  seat *const mine = team->seats[team->count - 1];
  sigset_t all, before;
  pthread_attr_t attributes;
  int created = 0;
  if (pthread_attr_init(&attributes) == 0) {
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES); /* else the default */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    created = pthread_create(&mine->thread, &attributes, thread_main, mine) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
  }
  if (!created)
    remove_last_seat(team);
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
  if (add_seat(team))
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
    start(team->seats[i]);
  for (; team->count > 1; remove_last_seat(team))
    if (!forked)
      pthread_join(team->seats[team->count - 1]->thread, NULL);
}

void iw_team_free(iw_team *team)
{
  if (!team)
    return;
  if (team->count) {
    remove_threads(team);
    remove_last_seat(team);
  }
  free(team->seats);
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
    __atomic_store_n(&team->most_spins, size <= (unsigned)omp_get_num_procs() ? SPINS : 0, __ATOMIC_RELAXED);
  }
  team->function = function;
  team->arg = arg;
  const unsigned turn = team->finished;
  __atomic_store_n(&team->running, size - 1, __ATOMIC_RELAXED);
  start_next(team, 0);
  function(arg, 0, size);
  if (size > 1)
    wait_for_change(team->seats[0], &team->finished, turn);
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
        wake(team->seats[i]);
  } else
    wait_for_change(team->seats[thread_id], &team->passed, turn);
}
