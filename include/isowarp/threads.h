/* SPDX-License-Identifier: Apache-2.0
 *
 * Peers that are threads of one process (<isowarp/peers.h>): for tests, for several contexts of one
 * machine, and as an example of an adapter. The rules of isowarp.h hold.
 */
#ifndef ISOWARP_THREADS_H
#define ISOWARP_THREADS_H

#include <isowarp/peers.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A group of ranks that share memory. */
typedef struct iw_threads iw_threads;

/* Makes a group of `count` ranks, 1 … 4096. Result: *group, NULL on failure. */
IW_API iw_status iw_threads_open(unsigned count, iw_threads **group);
/* Writes the peers of a rank, which one thread at a time may use. They take host memory, of which a rank
 * copies what it receives. Any thread may call this. */
IW_API iw_status iw_threads_peers(iw_threads *group, unsigned rank, iw_peers *peers);
/* Ends the group's communication: its functions return IW_ERROR_PEER from now on, those that wait for other
 * ranks too. A thread that leaves early calls this, so that no other one waits for it. Any thread may call
 * this. */
IW_API void iw_threads_abandon(iw_threads *group);
/* Closes a group that no thread uses any more. NULL is allowed. */
IW_API void iw_threads_close(iw_threads *group);

/* What a rank does. */
typedef iw_status (*iw_rank_main)(const iw_peers *peers, void *job);
/* Runs rank_main(peers, job) on `count` new threads, one for each rank, and waits for all of them. The
 * group is abandoned if one of them returns another status than IW_OK. Returns IW_OK, or the status and
 * message of the lowest rank that failed on its own, not by IW_ERROR_PEER, if there is one. */
IW_API iw_status iw_threads_run(unsigned count, iw_rank_main rank_main, void *job);

#ifdef __cplusplus
}
#endif

#endif
