/* SPDX-License-Identifier: Apache-2.0
 *
 * What a thread of a team sleeps on: a semaphore, or where there is none in memory (macOS has named ones
 * only) a mutex and a condition variable. Backend layer; knows no teams.
 */
#ifndef IW_CPU_WAKE_H
#define IW_CPU_WAKE_H

#include <unistd.h>

#if defined _POSIX_SEMAPHORES && _POSIX_SEMAPHORES > 0 && !defined IW_NO_SEMAPHORES
#include <semaphore.h>

typedef sem_t iw_wake;
/* Returns 0 if there is none. */
static inline int iw_wake_init(iw_wake *wake) { return sem_init(wake, 0, 0) == 0; }
static inline void iw_wake_destroy(iw_wake *wake) { sem_destroy(wake); }
static inline void iw_wake_post(iw_wake *wake) { sem_post(wake); }
/* Returns after an iw_wake_post(), of which each lets one wait return. */
static inline void iw_wake_wait(iw_wake *wake)
{
  while (sem_wait(wake) != 0) /* a signal */
    continue;
}
#else
#include <pthread.h>

typedef struct iw_wake {
  pthread_mutex_t mutex;
  pthread_cond_t posted;
  unsigned posts; /* for which no wait has returned yet */
} iw_wake;

static inline int iw_wake_init(iw_wake *wake)
{
  wake->posts = 0;
  if (pthread_mutex_init(&wake->mutex, NULL) != 0)
    return 0;
  if (pthread_cond_init(&wake->posted, NULL) == 0)
    return 1;
  pthread_mutex_destroy(&wake->mutex);
  return 0;
}

static inline void iw_wake_destroy(iw_wake *wake)
{
  pthread_cond_destroy(&wake->posted);
  pthread_mutex_destroy(&wake->mutex);
}

static inline void iw_wake_post(iw_wake *wake)
{
  pthread_mutex_lock(&wake->mutex);
  wake->posts++;
  pthread_cond_signal(&wake->posted);
  pthread_mutex_unlock(&wake->mutex);
}

static inline void iw_wake_wait(iw_wake *wake)
{
  pthread_mutex_lock(&wake->mutex);
  while (wake->posts == 0)
    pthread_cond_wait(&wake->posted, &wake->mutex);
  wake->posts--;
  pthread_mutex_unlock(&wake->mutex);
}
#endif

#endif
