/* SPDX-License-Identifier: Apache-2.0
 *
 * Teams of CPU threads, below the public calls: runs of every kind in any order, beside threads that sleep.
 * The suite reaches into the library.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getcpu */
#endif
#include "reference.h"
#include "cpu/place.h"
#include "cpu/team.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { PIECES = 64, MOST_THREADS = 5 };

/* A run: how often each piece, and each thread, was there. */
typedef struct run { iw_team *team; unsigned next, pieces[PIECES], threads[MOST_THREADS]; } run;

static void take_pieces(void *arg, unsigned id, unsigned size)
{
  run *const r = arg;
  (void)size;
  __atomic_fetch_add(&r->threads[id], 1, __ATOMIC_RELAXED);
  for (unsigned k; (k = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED)) < PIECES;)
    r->pieces[k]++;
}

/* Each thread sees, behind the barrier, what all wrote before it. */
static void meet(void *arg, unsigned id, unsigned size)
{
  run *const r = arg;
  unsigned seen = 0;
  r->threads[id]++;
  iw_team_barrier(r->team, id);
  for (unsigned k = 0; k < size; k++)
    seen += r->threads[k];
  iw_team_barrier(r->team, id);
  r->pieces[id] = seen;
}

static void nap(long us)
{
  nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

START_TEST(runs)
{
  static const iw_team_who kinds[] = { IW_TEAM_SOME, IW_TEAM_AWAKE, IW_TEAM_EVERYONE, IW_TEAM_WITHOUT_CALLER };
  iw_team *const team = iw_team_new();
  start_random(9100 + (unsigned)_i);
  ck_assert(team != NULL);
  for (unsigned turn = 0; turn < (getenv("ISOWARP_TEST_BRIEF") ? 1000u : 10000u); turn++) {
    const iw_team_who who = kinds[random_below(sizeof kinds / sizeof *kinds)];
    const unsigned wanted = 1 + (unsigned)random_below(MOST_THREADS - 1);
    run r = { .team = team };
    const unsigned size = iw_team_run(team, wanted, who, who == IW_TEAM_EVERYONE ? meet : take_pieces, &r);
    ck_assert_uint_eq(size, wanted);
    for (unsigned k = 0; k < PIECES; k++)
      ck_assert_uint_eq(r.pieces[k], who != IW_TEAM_EVERYONE ? 1 : k < size ? size : 0);
    for (unsigned k = 0; k < MOST_THREADS; k++)
      ck_assert_uint_le(r.threads[k], k < size ? 1 : 0);
    if (!random_below(50))
      nap((long)random_below(300));
  }
  iw_team_free(team);
}
END_TEST

/* Threads that wake late for a run of many come while smaller runs begin and end, one right after the other:
 * ThreadSanitizer sees what such a thread reads. */
START_TEST(late_threads)
{
  static const iw_team_who kinds[] = { IW_TEAM_SOME, IW_TEAM_AWAKE, IW_TEAM_EVERYONE, IW_TEAM_WITHOUT_CALLER };
  enum { TEAMS = 3, TURNS = 3000 };
  run r = { .next = 0 };
  for (unsigned teams = 0; teams < TEAMS; teams++) {
    r.team = iw_team_new();
    ck_assert(r.team != NULL);
    for (unsigned turn = 0; turn < TURNS; turn++) {
      r.next = 0;
      iw_team_run(r.team, 1 + turn % MOST_THREADS, kinds[turn % 4], take_pieces, &r);
      if (turn % 20 == 0)
        nap(300);
    }
    iw_team_free(r.team);
  }
  for (unsigned k = 0; k < PIECES; k++)
    ck_assert_uint_eq(r.pieces[k], TEAMS * TURNS);
}
END_TEST

/* Threads fall asleep; a run of those that are awake leaves them so, and any other run wakes them. */
START_TEST(sleepers)
{
  iw_team *const team = iw_team_new();
  run r = { .team = team };
  ck_assert(iw_team_sleeps(team, 2)); /* there is none yet */
  ck_assert_uint_eq(iw_team_wake_ns(team), 0);
  ck_assert_uint_eq(iw_team_run(team, 3, IW_TEAM_EVERYONE, meet, &r), 3);
  for (int naps = 0; !iw_team_sleeps(team, 2) && naps < 10000; naps++)
    nap(1000);
  ck_assert(iw_team_sleeps(team, 2));
  ck_assert(!iw_team_sleeps(team, 1));
  r = (run){ .team = team };
  ck_assert_uint_eq(iw_team_run(team, 2, IW_TEAM_AWAKE, take_pieces, &r), 2);
  ck_assert(iw_team_sleeps(team, 2));
  ck_assert_uint_eq(r.threads[0], 1);
  ck_assert_uint_eq(r.threads[1], 0);
  r = (run){ .team = team };
  ck_assert_uint_eq(iw_team_run(team, 2, IW_TEAM_EVERYONE, meet, &r), 2);
  ck_assert_uint_eq(r.pieces[1], 2);
  iw_team_free(team);
}
END_TEST

#if defined __linux__ && defined CPU_COUNT
/* A thread that writes where it runs whenever it is woken. */
typedef struct sleeper { iw_place place; sem_t wake, done; int processor, ends; } sleeper;

static void *note_processors(void *arg)
{
  sleeper *const s = arg;
  iw_place_init(&s->place);
  for (;;) {
    sem_post(&s->done);
    sem_wait(&s->wake);
    if (s->ends)
      return NULL;
    s->processor = iw_processor_now();
    iw_place_restore(&s->place);
  }
}

static cpu_set_t processors_of(const sleeper *s)
{
  cpu_set_t set;
  ck_assert_int_eq(sched_getaffinity(s->place.id, sizeof set, &set), 0);
  return set;
}

static void wake_sleeper(sleeper *s)
{
  sem_post(&s->wake);
  sem_wait(&s->done);
}

/* A thread that avoids a processor wakes on another one, and may run everywhere afterwards. What the program
 * allows meanwhile stays, and on a single processor the thread stays there. */
START_TEST(places)
{
  cpu_set_t all, some, now;
  sleeper s = { .processor = IW_NO_PROCESSOR };
  pthread_t thread;
  if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2)
    return;
  ck_assert_int_eq(sem_init(&s.wake, 0, 0) | sem_init(&s.done, 0, 0), 0);
  ck_assert_int_eq(pthread_create(&thread, NULL, note_processors, &s), 0);
  sem_wait(&s.done);
  int first = IW_NO_PROCESSOR, p = IW_NO_PROCESSOR;
  for (int turn = 0; turn < 100; turn++) {
    do p = (p + 1) % CPU_SETSIZE; while (!CPU_ISSET((unsigned)p, &all));
    first = first == IW_NO_PROCESSOR ? p : first;
    iw_avoid_processor(&s.place, IW_NO_PROCESSOR);
    iw_avoid_processor(&s.place, p);
    some = processors_of(&s);
    ck_assert_int_eq(CPU_COUNT(&some), CPU_COUNT(&all) - 1);
    wake_sleeper(&s);
    ck_assert_int_ne(s.processor, p);
    now = processors_of(&s);
    ck_assert(CPU_EQUAL(&now, &all));
  }
  iw_avoid_processor(&s.place, first);
  CPU_ZERO(&some);
  CPU_SET((unsigned)first, &some);
  ck_assert_int_eq(sched_setaffinity(s.place.id, sizeof some, &some), 0); /* by the program, before it wakes */
  wake_sleeper(&s);
  now = processors_of(&s);
  ck_assert(CPU_EQUAL(&now, &some));
  iw_avoid_processor(&s.place, first);
  wake_sleeper(&s);
  now = processors_of(&s);
  ck_assert(CPU_EQUAL(&now, &some));
  ck_assert_int_eq(s.processor, first);
  s.ends = 1;
  sem_post(&s.wake);
  pthread_join(thread, NULL);
}
END_TEST
#endif

int main(void)
{
  Suite *suite = suite_create("team");
  TCase *c = new_case(suite, "team");
  tcase_add_loop_test(c, runs, 0, 2);
  tcase_add_test(c, late_threads);
  tcase_add_test(c, sleepers);
#if defined __linux__ && defined CPU_COUNT
  tcase_add_test(c, places);
#endif
  return run_suite(suite);
}
