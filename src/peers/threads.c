/* SPDX-License-Identifier: Apache-2.0
 *
 * Peers that are threads of one process (isowarp/threads.h). A collective has two meetings of all ranks:
 * after the first each rank copies what it receives from the memory that the others have posted, after the
 * second that memory is its owner's again. Adapters layer: it knows no context and no algorithm.
 */
#include <isowarp/threads.h>

#include "runtime/check.h"
#include "runtime/processors.h"
#include "runtime/spin.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_RANKS = 4096 };

/* A rank, and what it has posted for the collective that runs. */
typedef struct thread_rank {
  iw_threads *group;
  unsigned rank;
  const void *send;              /* of an all-gather */
  const iw_all_to_all *exchange;
  uint64_t *values;
  size_t n;                      /* of values; of an all-gather: bytes that are sent */
  char reason[160];
  iw_spinner spinner;
} thread_rank;

struct iw_threads {
  pthread_mutex_t lock;
  pthread_cond_t arrived_all;
  unsigned count, arrived, round;
  unsigned events;               /* changes when all ranks have met, and when the group is abandoned */
  unsigned most_spins;           /* how often a rank looks at `events` before it sleeps */
  int abandoned;
  thread_rank ranks[];
};

static iw_status fail_abandoned(thread_rank *me)
{
  snprintf(me->reason, sizeof me->reason, "the group was abandoned");
  return IW_ERROR_PEER;
}

/* After what ranks may be waiting for. The lock is held. */
static void wake_all(iw_threads *g)
{
  __atomic_add_fetch(&g->events, 1, __ATOMIC_RELEASE);
  pthread_cond_broadcast(&g->arrived_all);
}

/* Waits until all ranks are here. may_fail: 0 where all ranks are known to come, so that none returns
 * before the others have read its memory. Only the last rank, and ranks that sleep, take the lock: a lock of
 * all in turn takes longer than the meeting. Whether a round has ended before the group was abandoned is
 * decided under the lock, so that all ranks see the same. */
static iw_status meet(thread_rank *me, int may_fail)
{
  iw_threads *const g = me->group;
  const unsigned round = __atomic_load_n(&g->round, __ATOMIC_ACQUIRE), events = __atomic_load_n(&g->events, __ATOMIC_ACQUIRE);
  if (may_fail && __atomic_load_n(&g->abandoned, __ATOMIC_ACQUIRE))
    return fail_abandoned(me);
  if (__atomic_add_fetch(&g->arrived, 1, __ATOMIC_ACQ_REL) == g->count) {
    pthread_mutex_lock(&g->lock);
    if (may_fail && g->abandoned) { /* others may have seen that, and have left */
      pthread_mutex_unlock(&g->lock);
      return fail_abandoned(me);
    }
    __atomic_store_n(&g->arrived, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&g->round, round + 1, __ATOMIC_RELEASE);
    wake_all(g);
    pthread_mutex_unlock(&g->lock);
    return IW_OK;
  }
  (void)iw_spin(&me->spinner, g->most_spins, &g->events, events);
  if (__atomic_load_n(&g->round, __ATOMIC_ACQUIRE) != round)
    return IW_OK;
  pthread_mutex_lock(&g->lock);
  while (__atomic_load_n(&g->round, __ATOMIC_RELAXED) == round && !(may_fail && g->abandoned))
    pthread_cond_wait(&g->arrived_all, &g->lock);
  const int met = __atomic_load_n(&g->round, __ATOMIC_RELAXED) != round;
  pthread_mutex_unlock(&g->lock);
  return met ? IW_OK : fail_abandoned(me);
}

/* What ranks disagree in. Every rank compares before the second meeting, and none waits for one that has
 * failed: ranks that fail come to that meeting too. */
static iw_status fail_sizes(thread_rank *me, const char *what, unsigned rank, size_t theirs, size_t mine)
{
  snprintf(me->reason, sizeof me->reason, "rank %u has %zu %s where rank %u has %zu", rank, theirs, what,
           me->rank, mine);
  return IW_ERROR_MISMATCH;
}

static iw_status threads_all_gather(void *self, const void *send, void *receive, const size_t *bytes,
                                    void *stream)
{
  thread_rank *const me = self;
  iw_status status = IW_OK;
  (void)stream;
  me->send = send;
  me->n = bytes[me->rank];
  IW_TRY(meet(me, 1));
  char *to = receive;
  for (unsigned r = 0; r < me->group->count; to += bytes[r++]) {
    const thread_rank *const other = &me->group->ranks[r];
    if (other->n != bytes[r])
      status = fail_sizes(me, "bytes of an all-gather", r, other->n, bytes[r]);
    else if (bytes[r])
      memcpy(to, other->send, bytes[r]);
  }
  IW_TRY(meet(me, 0));
  return status;
}

/* Rank r adds up the r-th share of the values and writes the sums to all ranks: no other one accesses that
 * share. */
static iw_status threads_all_reduce(void *self, uint64_t *values, size_t n, void *stream)
{
  thread_rank *const me = self;
  const unsigned count = me->group->count;
  iw_status status = IW_OK;
  (void)stream;
  me->values = values;
  me->n = n;
  IW_TRY(meet(me, 1));
  for (unsigned r = 0; r < count; r++)
    if (me->group->ranks[r].n != n)
      status = fail_sizes(me, "values of an all-reduce", r, me->group->ranks[r].n, n);
  const size_t share = n / count, first = me->rank * share;
  const size_t end = me->rank + 1 == count ? n : first + share;
  for (size_t i = first; i < end && status == IW_OK; i++) {
    uint64_t sum = 0;
    for (unsigned r = 0; r < count; r++)
      sum += me->group->ranks[r].values[i];
    for (unsigned r = 0; r < count; r++)
      me->group->ranks[r].values[i] = sum;
  }
  IW_TRY(meet(me, 0));
  return status;
}

static iw_status threads_all_to_all(void *self, const iw_all_to_all *x, void *stream)
{
  thread_rank *const me = self;
  const unsigned count = me->group->count;
  iw_status status = IW_OK;
  (void)stream;
  me->exchange = x;
  IW_TRY(meet(me, 1));
  for (unsigned k = 0; k < x->messages * count; k++) {
    const iw_all_to_all *const other = me->group->ranks[k % count].exchange;
    const unsigned sent = k / count * count + me->rank;
    if (other->messages != x->messages)
      status = fail_sizes(me, "messages of an all-to-all", k % count, other->messages, x->messages);
    else if (other->send_bytes[sent] != x->receive_bytes[k])
      status = fail_sizes(me, "bytes of an all-to-all", k % count, other->send_bytes[sent], x->receive_bytes[k]);
    else if (x->receive_bytes[k])
      memcpy((char *)x->receive + x->receive_offsets[k], (const char *)other->send + other->send_offsets[sent], x->receive_bytes[k]);
  }
  IW_TRY(meet(me, 0));
  return status;
}

static const char *threads_describe(void *self)
{
  return ((const thread_rank *)self)->reason;
}

/* ---- Groups ----------------------------------------------------------------------------------------- */

iw_status iw_threads_open(unsigned count, iw_threads **group)
{
  IW_TRY(iw_check_pointer("group", group));
  *group = NULL;
  if (count < 1 || count > MAX_RANKS)
    return iw_fail(IW_ERROR_INVALID, "count is %u; valid are 1 to %d ranks", count, (int)MAX_RANKS);
  iw_threads *const made = calloc(1, sizeof *made + count * sizeof *made->ranks);
  if (!made)
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate host memory for %u ranks", count);
  pthread_mutex_init(&made->lock, NULL);
  pthread_cond_init(&made->arrived_all, NULL);
  made->count = count;
  made->most_spins = count <= iw_processors() ? IW_MOST_SPINS : 0;
  for (unsigned r = 0; r < count; r++)
    made->ranks[r] = (thread_rank){ .group = made, .rank = r, .spinner.spins = IW_MOST_SPINS };
  *group = made;
  return IW_OK;
}

iw_status iw_threads_peers(iw_threads *group, unsigned rank, iw_peers *peers)
{
  IW_TRY(iw_check_pointer("group", group));
  IW_TRY(iw_check_pointer("peers", peers));
  if (rank >= group->count)
    return iw_fail(IW_ERROR_INVALID, "rank is %u; valid are 0 to %u", rank, group->count - 1);
  *peers = (iw_peers){
    .size = sizeof *peers, .self = &group->ranks[rank], .rank = rank, .count = group->count,
        .flags = IW_PEERS_HOST,
    .all_gather = threads_all_gather, .all_reduce_u64 = threads_all_reduce, .all_to_all = threads_all_to_all,
    .describe = threads_describe,
  };
  return IW_OK;
}

void iw_threads_abandon(iw_threads *group)
{
  if (!group)
    return;
  pthread_mutex_lock(&group->lock);
  __atomic_store_n(&group->abandoned, 1, __ATOMIC_RELEASE);
  wake_all(group);
  pthread_mutex_unlock(&group->lock);
}

void iw_threads_close(iw_threads *group)
{
  if (!group)
    return;
  pthread_cond_destroy(&group->arrived_all);
  pthread_mutex_destroy(&group->lock);
  free(group);
}

/* ---- Running ranks ---------------------------------------------------------------------------------- */

typedef struct rank_run {
  pthread_t thread;
  iw_peers peers;
  iw_rank_main rank_main;
  void *job;
  iw_status status;
  char message[512];
} rank_run;

static void *run_rank(void *arg)
{
  rank_run *const run = arg;
  run->status = run->rank_main(&run->peers, run->job);
  if (run->status != IW_OK) {
    snprintf(run->message, sizeof run->message, "%s", iw_message());
    iw_threads_abandon(((thread_rank *)run->peers.self)->group);
  }
  return NULL;
}

iw_status iw_threads_run(unsigned count, iw_rank_main rank_main, void *job)
{
  iw_threads *group;
  if (!rank_main)
    return iw_fail(IW_ERROR_INVALID, "rank_main is NULL");
  IW_TRY(iw_threads_open(count, &group));
  rank_run *const runs = calloc(count, sizeof *runs);
  unsigned created = 0, failed = count;
  iw_status status = runs ? IW_OK : iw_fail(IW_ERROR_MEMORY, "cannot allocate host memory for %u ranks",
                                            count);
  for (; status == IW_OK && created < count; created += status == IW_OK) {
    rank_run *const run = &runs[created];
    run->rank_main = rank_main;
    run->job = job;
    status = iw_threads_peers(group, created, &run->peers);
    if (status == IW_OK && pthread_create(&run->thread, NULL, run_rank, run) != 0)
      status = iw_fail(IW_ERROR_MEMORY, "cannot create the thread of rank %u of %u", created, count);
  }
  if (status != IW_OK)
    iw_threads_abandon(group);
  for (unsigned r = 0; r < created; r++)
    pthread_join(runs[r].thread, NULL);
  /* The lowest rank that failed on its own, else the lowest that failed because of another. */
  for (unsigned r = created; r-- > 0;)
    if (runs[r].status != IW_OK
        && (failed == count || runs[failed].status == IW_ERROR_PEER || runs[r].status != IW_ERROR_PEER))
      failed = r;
  if (status == IW_OK && failed < count)
    status = iw_fail(runs[failed].status, "%s", runs[failed].message);
  free(runs);
  iw_threads_close(group);
  return status;
}
