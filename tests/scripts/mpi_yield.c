/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests/scripts/mpi.sh, by LD_PRELOAD: MPICH over UCX polls without ever giving up its processor, so
 * with more ranks than processors each message waits for the end of a time slice. Here a poll that finds
 * nothing yields. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
  static unsigned (*progress)(void *);
  if (progress == NULL)
    *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned found = progress(worker);
  if (found == 0)
    sched_yield();
  return found;
}
