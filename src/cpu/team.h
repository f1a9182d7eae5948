/* SPDX-License-Identifier: Apache-2.0
 *
 * A team of host threads that runs one function at a time. Backend layer; knows no kernels.
 *
 * Threads are created when a run first needs them and sleep between runs. A run goes on with fewer threads
 * where some cannot be created. In the child of a fork, which has none of its parent's threads, the next run
 * creates them anew. The threads block all signals, so that handlers run on the program's own threads.
 */
#ifndef IW_CPU_TEAM_H
#define IW_CPU_TEAM_H

#include <stdint.h>

typedef struct iw_team iw_team;

/* Returns NULL if there is no memory. */
iw_team *iw_team_new(void);
/* Ends the threads and waits for them. NULL is allowed. */
void iw_team_free(iw_team *team);

/* Creates threads until there are `wanted` of them beside the caller; returns how many of these there are. */
unsigned iw_team_create(iw_team *team, unsigned wanted);

/* Who calls the function of a run. */
typedef enum iw_team_who {
  IW_TEAM_SOME,           /* the caller, and of the others those that come before it has returned: a thread that gets no
                             processor in time is not waited for */
  IW_TEAM_AWAKE,          /* likewise, but threads that sleep are not woken, which takes the caller some microseconds */
  IW_TEAM_EVERYONE,       /* the caller and all others */
  IW_TEAM_WITHOUT_CALLER, /* all others; the caller only waits */
} iw_team_who;

/* Calls function(arg, i, size) for i < size, and returns size when the calls have returned: `wanted`, or
 * fewer if threads cannot be created. The calling thread makes the call for i = 0, so size is at least 1;
 * IW_TEAM_WITHOUT_CALLER: if there is no other thread, nothing is called and size is 0. A team has one run
 * at a time. */
typedef void iw_team_function(void *arg, unsigned thread_id, unsigned team_size);
unsigned iw_team_run(iw_team *team, unsigned wanted, iw_team_who who, iw_team_function *function, void *arg);

/* Whether a run of `wanted` threads would have to wake one. */
int iw_team_sleeps(const iw_team *team, unsigned wanted);
/* What a run has taken its caller, lately, to wake threads; 0: it has not been measured. */
uint64_t iw_team_wake_ns(const iw_team *team);

/* Called by all threads of a run of everyone, each with its id; returns when all have called it. What a
 * thread wrote before its call is visible to all of them after theirs. */
void iw_team_barrier(iw_team *team, unsigned thread_id);

#endif
