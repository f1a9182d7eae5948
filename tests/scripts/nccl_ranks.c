/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests/scripts/nccl.sh: the functions of <isowarp/nccl.h>, with tests/scripts/fake_nccl.c in place of
 * NCCL.
 * usage: nccl_ranks missing PATH   opening fails with a message that has PATH
 *        nccl_ranks RANKS PATH     the functions work on this number of ranks, each a thread
 * Environment: FAKE_NO_ACCESS: device 1 does not reach the others, so NCCL moves all; FAKE_COPY_FAILS: copies
 * of device 1 to others fail, of which all ranks hear. */
#include "peers_functions.h"

#include <isowarp/nccl.h>
#include <isowarp/threads.h>

typedef struct job {
  const char *library;
  int wrong[16];
} job;

static iw_status missing(const iw_peers *by, void *argument)
{
  const job *const j = (const job *)argument;
  iw_nccl nccl;
  iw_peers peers;
  /* Rank 1 alone has no library then. */
  const char *const library = by->rank == 1 || by->count == 1 ? "/nowhere/libnccl.so" : j->library;
  const iw_status status = iw_nccl_open(&nccl, by, 0, library, &peers);
  fprintf(stderr, "%s: %s\n", iw_status_name(status), nccl.message);
  const int here = library != j->library;
  return status == (here ? IW_ERROR_UNAVAILABLE : IW_ERROR_PEER) &&
                 strstr(nccl.message, here ? library : "rank 1")
             ? IW_OK
             : IW_ERROR_LAUNCH;
}

/* A copy that fails on rank 1 fails on all. */
static void check_failure(const iw_peers *peers, void *stream, int *wrong)
{
  const size_t one[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  size_t offsets[16];
  char send[16] = "", receive[16];
  for (size_t r = 0; r < 16; r++)
    offsets[r] = r;
  const iw_all_to_all x = { 1, send, one, offsets, receive, one, offsets };
  IS(peers, peers->all_to_all(peers->self, &x, stream) == IW_ERROR_PEER);
  IS(peers, strcmp(peers->describe(peers->self), peers->rank == 1 ? "a copy from rank to rank: CUDA error 4" :
                   "a copy from rank to rank has failed on another rank") == 0);
}

static iw_status run(const iw_peers *by, void *argument)
{
  static const size_t scales[] = { 0, 1, 100, 5000 };
  job *const j = (job *)argument;
  int *const wrong = &j->wrong[by->rank];
  iw_nccl nccl, none;
  iw_peers peers, unused;
  const iw_status status = iw_nccl_open(&nccl, by, (int)by->rank, j->library, &peers);
  if (status != IW_OK) {
    fprintf(stderr, "rank %u: %s\n", by->rank, nccl.message);
    return status;
  }
  if (iw_nccl_open(&none, by, 9, j->library, &unused) != IW_ERROR_UNAVAILABLE ||
      !strstr(none.message, "device 9"))
    return IW_ERROR_LAUNCH;
  void *(*fake_stream)(void);
  *(void **)&fake_stream = dlsym(nccl.library, "fake_stream");
  void *const stream = fake_stream();
  IS(&peers, (nccl.ranks == NULL) == (getenv("FAKE_NO_ACCESS") != NULL && peers.count > 1));
  if (getenv("FAKE_COPY_FAILS")) {
    check_failure(&peers, stream, wrong);
    iw_nccl_close(&nccl);
    return IW_OK;
  }
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    check_all_gather(&peers, scales[i], 0, stream, wrong);
    check_all_gather(&peers, scales[i], 1, stream, wrong);
    check_all_reduce(&peers, scales[i], stream, wrong);
    check_all_to_all(&peers, 1 + (unsigned)i, scales[i], stream, wrong);
  }
  /* Host memory goes another way. */
  check_all_gather(&peers, 1000, 0, NULL, wrong);
  check_all_reduce(&peers, 1000, NULL, wrong);
  check_all_to_all(&peers, 2, 1000, NULL, wrong);
  IS(&peers, peers.flags == (IW_PEERS_HOST | IW_PEERS_DEVICE | IW_PEERS_STREAM));
  uint64_t value = 0;
  IS(&peers, peers.all_reduce_u64(peers.self, &value, 1, &value) == IW_ERROR_PEER); /* not the stream */
  IS(&peers, strcmp(peers.describe(peers.self), "ncclAllReduce: invalid argument: of the fake") == 0);
  iw_nccl_close(&nccl);
  return IW_OK;
}

int main(int argc, char **argv)
{
  job j = { .library = argc > 2 ? argv[2] : NULL };
  const int is_missing = argc > 1 && strcmp(argv[1], "missing") == 0;
  const unsigned ranks = is_missing ? 1 : (unsigned)atoi(argv[1]);
  if (iw_threads_run(ranks, is_missing ? missing : run, &j) != IW_OK ||
      (is_missing && iw_threads_run(3, missing, &j) != IW_OK)) {
    fprintf(stderr, "%u ranks: %s\n", ranks, iw_message());
    return 1;
  }
  for (unsigned r = 0; r < 16; r++)
    if (j.wrong[r] != 0)
      return 1;
  return 0;
}
