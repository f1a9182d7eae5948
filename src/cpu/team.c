/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that waits first spins, which is fastest where every thread has a processor, and then sleeps:
 * doc/design/cpu.md#threads has the measurements.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getcpu */
#endif
#include <config.h>
#include "cpu/place.h"
#include "cpu/team.h"
#include "cpu/wake.h"
#include "runtime/clock.h"
#include "runtime/processors.h"
#include "runtime/spin.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

/* A thread of the team. Each has cache lines of its own, which avoids false sharing. */
typedef struct team_thread {
  unsigned start;       /* changes when a run begins that this thread has part in, and at the end */
  unsigned asleep;      /* 1: the thread waits for `wake`, which is posted by who sets this to 0 */
  uint64_t posted_ns;   /* when that was */
  int poster;           /* the processor of who did it */
  iw_wake wake;
  iw_team *team;
  unsigned id;
  iw_spinner spinner;
  iw_place place;
  pthread_t thread;
} team_thread;

struct iw_team {
  /* The current run. A thread reads this after it has entered the run. */
  iw_team_function *function;
  void *arg;
  unsigned size;
  unsigned first;             /* the thread that has id 0 in the run: 0, the caller, or 1 */
  unsigned most_spins;        /* how often a waiting thread may look before it sleeps */
  int wakes;                  /* 0: threads that sleep have no part in the run */
  int avoids_waker;            /* 1: a thread was woken on the processor of the thread that woke it */
  uint64_t wake_ns;           /* what waking takes the caller: it follows shorter times faster than longer ones */

  unsigned ending;            /* 1: threads end */
  team_thread *caller;        /* has no thread of the team's; stays for the team's life */
  team_thread **threads;      /* by id, the caller first; for those that are counted in the gate, as it may move */
  unsigned count, capacity;
  unsigned forks;             /* forks_seen when the threads were created */

  _Alignas(64) uint64_t gate;    /* GATE_… */
  unsigned finished;             /* changes when the gate's count becomes 0 and the caller may be waiting for that */
  _Alignas(64) unsigned arrived; /* at the barrier */
  _Alignas(64) unsigned passed;  /* changes when all have arrived */
};

/* The gate of runs. A thread counts itself and sees at the same time whether there is a run that it may
 * enter; the caller waits until nobody is counted. So a thread that is late, because other programs have
 * the processors, neither delays the caller nor enters the next run by mistake. Where every thread has to
 * take part, the caller counts them beforehand. */
#define GATE_RUN      ((uint64_t)1 << 32) /* the upper half is the number of the run */
#define GATE_OPEN     ((uint64_t)1 << 31)
#define GATE_EVERYONE ((uint64_t)1 << 30)
#define GATE_COUNT    (GATE_EVERYONE - 1) /* threads inside, or just looking */

enum {
  STACK_BYTES = 8 << 20, /* of a thread; a kernel has its variables there, for all threads of a block */
  CACHE_LINE = 64,
  QUICK_NS = 150000,     /* a thread that runs so soon after it was woken has a processor to itself */
  MOST_WAKE_NS = 20000,  /* waking that takes longer the first time was interrupted */
};

/* ---- Waiting ----------------------------------------------------------------------------------------- */

/* Returns when *value is not `old`; what was written before the change is visible then. A thread that is
 * woken for a run and comes at once has not spun in vain because other programs have the processors: its
 * next wait spins for the full time, so that the second call of a program that was idle finds it awake. */
static void wait_for_change(team_thread *self, const unsigned *value, unsigned old)
{
  if (iw_spin(&self->spinner, __atomic_load_n(&self->team->most_spins, __ATOMIC_RELAXED), value, old))
    return;
  while (__atomic_load_n(value, __ATOMIC_SEQ_CST) == old) {
    /* Either this thread sees the change, or the one that makes it sees that this one sleeps. An exchange
     * and not a store: it is a full barrier also where an emulator of arm64 might let a load pass a store
     * before it. */
    (void)__atomic_exchange_n(&self->asleep, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(value, __ATOMIC_SEQ_CST) != old && __atomic_exchange_n(&self->asleep, 0, __ATOMIC_SEQ_CST))
      return;
    iw_wake_wait(&self->wake);
    if (self != self->team->caller) {
      if (iw_processor_now() == __atomic_load_n(&self->poster, __ATOMIC_RELAXED))
        __atomic_store_n(&self->team->avoids_waker, 1, __ATOMIC_RELAXED);
      iw_place_restore(&self->place);
    }
    if (value == &self->start && iw_now_ns() - __atomic_load_n(&self->posted_ns, __ATOMIC_RELAXED) < QUICK_NS)
      self->spinner.spins = IW_MOST_SPINS;
  }
}

static void change(unsigned *value)
{
  __atomic_add_fetch(value, 1, __ATOMIC_SEQ_CST);
}

/* After a change that this thread may be waiting for. */
static void wake(team_thread *sleeper)
{
  if (__atomic_load_n(&sleeper->asleep, __ATOMIC_SEQ_CST) && __atomic_exchange_n(&sleeper->asleep, 0, __ATOMIC_SEQ_CST)) {
    const int processor = iw_processor_now();
    if (sleeper != sleeper->team->caller && __atomic_load_n(&sleeper->team->avoids_waker, __ATOMIC_RELAXED))
      iw_avoid_processor(&sleeper->place, processor);
    __atomic_store_n(&sleeper->poster, processor, __ATOMIC_RELAXED);
    __atomic_store_n(&sleeper->posted_ns, iw_now_ns(), __ATOMIC_RELAXED);
    iw_wake_post(&sleeper->wake);
  }
}

/* ---- Threads ----------------------------------------------------------------------------------------- */

static void start(team_thread *thread)
{
  change(&thread->start);
  wake(thread);
}

static int sleeps(const team_thread *thread) { return __atomic_load_n(&thread->asleep, __ATOMIC_SEQ_CST) != 0; }

/* Starts the threads that do not sleep. One that falls asleep now sees the change before it does. */
static void start_awake(iw_team *team)
{
  for (unsigned id = 1; id < team->size; id++)
    if (!sleeps(team->threads[id]))
      change(&team->threads[id]->start);
}

/* Each thread starts two others, which takes a logarithmic number of steps. */
static void start_next(iw_team *team, unsigned id)
{
  if (!team->wakes)
    return;
  for (unsigned next = 2 * id + 1; next <= 2 * id + 2 && next < team->size; next++)
    start(team->threads[team->first + next]);
}

/* Gives back what was counted. */
static void leave(iw_team *team, uint64_t counted)
{
  const uint64_t gate = __atomic_sub_fetch(&team->gate, counted, __ATOMIC_ACQ_REL);
  if ((gate & GATE_COUNT) == 0 && (gate & (GATE_OPEN | GATE_EVERYONE)) != GATE_OPEN) {
    change(&team->finished);
    wake(team->caller);
  }
}

static void *thread_main(void *arg)
{
  team_thread *const self = arg;
  iw_team *const team = self->team;
  uint32_t last_run = 0;
  iw_place_init(&self->place);
  for (unsigned turn = 0;;) {
    wait_for_change(self, &self->start, turn);
    turn = __atomic_load_n(&self->start, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&team->ending, __ATOMIC_RELAXED))
      return NULL;
    const uint64_t gate = __atomic_fetch_add(&team->gate, 1, __ATOMIC_ACQ_REL);
    if (gate & GATE_OPEN && (uint32_t)(gate / GATE_RUN) != last_run && self->id - team->first < team->size) {
      const unsigned id = self->id - team->first;
      last_run = (uint32_t)(gate / GATE_RUN);
      start_next(team, id);
      team->function(team->arg, id, team->size);
      leave(team, gate & GATE_EVERYONE ? 2 : 1);
    } else
      leave(team, 1);
  }
}

/* Changes in the child of a fork. */
static unsigned forks_seen;
static void count_fork(void) { forks_seen++; }

/* Returns 0 if there is no memory for the handler, which is tried again then. */
static int watch_forks(void)
{
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static int watched;
  pthread_mutex_lock(&mutex);
  const int watching = watched = watched || pthread_atfork(NULL, NULL, count_fork) == 0;
  pthread_mutex_unlock(&mutex);
  return watching;
}

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
  *made = (team_thread){ .team = team, .id = team->count, .spinner.spins = IW_MOST_SPINS };
  if (!iw_wake_init(&made->wake)) {
    free(made);
    return 0;
  }
  team->threads[team->count++] = made;
  return 1;
}

static void remove_last_entry(iw_team *team)
{
  team_thread *const last = team->threads[--team->count];
  iw_wake_destroy(&last->wake);
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
  void *memory;
  if (!watch_forks() || posix_memalign(&memory, CACHE_LINE, sizeof(iw_team)) != 0)
    return NULL;
  iw_team *const team = memory;
  *team = (iw_team){ .size = 1, .forks = forks_seen };
  if (add_entry(team)) {
    team->caller = team->threads[0];
    return team;
  }
  iw_team_free(team);
  return NULL;
}

/* Ends the threads; in the child of a fork there are none. */
static void remove_threads(iw_team *team)
{
  const int forked = team->forks != forks_seen;
  __atomic_store_n(&team->ending, 1, __ATOMIC_RELAXED);
  for (unsigned i = 1; i < team->count && !forked; i++)
    start(team->threads[i]);
  for (; team->count > 1; remove_last_entry(team))
    if (!forked)
      pthread_join(team->threads[team->count - 1]->thread, NULL);
  team->ending = 0;
  team->gate = 0;
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

unsigned iw_team_create(iw_team *team, unsigned wanted)
{
  if (team->forks != forks_seen) {
    remove_threads(team);
    team->forks = forks_seen;
  }
  while (team->count < wanted + 1 && add_thread(team))
    continue;
  return team->count - 1 < wanted ? team->count - 1 : wanted;
}

int iw_team_sleeps(const iw_team *team, unsigned wanted)
{
  for (unsigned id = 1; id < wanted && id < team->count; id++)
    if (sleeps(team->threads[id]))
      return 1;
  return wanted > team->count;
}

uint64_t iw_team_wake_ns(const iw_team *team)
{
  return team->wake_ns;
}

/* Starts the other threads as their caller, and notes what it takes to wake some. */
static void start_others(iw_team *team)
{
  if (!team->wakes)
    start_awake(team);
  else if (team->size > 1 && sleeps(team->threads[1])) {
    const uint64_t begin = iw_now_ns();
    start_next(team, 0);
    const uint64_t taken = iw_now_ns() - begin, most = team->wake_ns + team->wake_ns / 8 + 1;
    team->wake_ns = !team->wake_ns ? (taken < MOST_WAKE_NS ? taken : MOST_WAKE_NS)
      : taken < team->wake_ns ? (team->wake_ns + taken) / 2 : taken < most ? taken : most;
  } else
    start_next(team, 0);
}

unsigned iw_team_run(iw_team *team, unsigned wanted, iw_team_who who, iw_team_function *function, void *arg)
{
  const int some = who == IW_TEAM_SOME || who == IW_TEAM_AWAKE;
  const unsigned first = who == IW_TEAM_WITHOUT_CALLER;
  const unsigned created = iw_team_create(team, wanted - 1 + first), size = created + 1 - first;
  const uint64_t open = some ? GATE_OPEN : GATE_OPEN + GATE_EVERYONE;
  if (size == 0)
    return 0;
  if (size != team->size) {
    team->size = size;
    __atomic_store_n(&team->most_spins, size <= iw_processors() ? IW_MOST_SPINS : 0, __ATOMIC_RELAXED);
  }
  team->first = first;
  team->function = function;
  team->arg = arg;
  team->wakes = who != IW_TEAM_AWAKE;
  __atomic_fetch_add(&team->gate, GATE_RUN + open + (some ? 0 : created), __ATOMIC_ACQ_REL);
  if (first)
    start(team->threads[1]);
  else {
    start_others(team);
    function(arg, 0, size);
  }
  if (some)
    __atomic_fetch_sub(&team->gate, GATE_OPEN, __ATOMIC_ACQ_REL);
  for (;;) {
    const unsigned turn = __atomic_load_n(&team->finished, __ATOMIC_ACQUIRE);
    uint64_t gate = __atomic_load_n(&team->gate, __ATOMIC_ACQUIRE);
    /* That nobody is inside and that nobody may enter any more is one step: a thread that was late for an
     * earlier run would otherwise enter between them, and have part in the next run by mistake. */
    if ((gate & GATE_COUNT) == 0 &&
        (some || __atomic_compare_exchange_n(&team->gate, &gate, gate - open, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)))
      break;
    if (gate & GATE_COUNT)
      wait_for_change(team->caller, &team->finished, turn);
  }
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
        wake(team->threads[team->first + i]);
  } else
    wait_for_change(team->threads[team->first + thread_id], &team->passed, turn);
}
