/* SPDX-License-Identifier: Apache-2.0
 *
 * Teams of CPU threads, below the public calls: runs of every kind in any order, beside threads that sleep.
 * The suite reaches into the library.
 */
#include "reference.h"
#include "cpu/team.h"

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

int main(void)
{
  Suite *suite = suite_create("team");
  TCase *c = new_case(suite, "team");
  tcase_add_loop_test(c, runs, 0, 2);
  tcase_add_test(c, sleepers);
  return run_suite(suite);
}
