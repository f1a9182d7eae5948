/* SPDX-License-Identifier: Apache-2.0
 *
 * Peers that are the ranks of an MPI communicator (<isowarp/peers.h>). This header is compiled by the
 * user's mpicc; the library does not depend on MPI. Link with -lisowarp.
 *
 *     iw_mpi mpi;
 *     iw_peers peers;
 *     if (iw_mpi_open(&mpi, MPI_COMM_WORLD, &peers) != IW_OK)
 *       fprintf(stderr, "%s\n", mpi.message);
 *
 * Needs MPI 3. Functions send bytes: ranks have the same byte order.
 * Thread safety: the functions of one iw_peers are called by one thread at a time. MPI is initialised with
 * MPI_THREAD_FUNNELED if that is the main thread, with MPI_THREAD_SERIALIZED if it is another one, and with
 * MPI_THREAD_MULTIPLE if several iw_peers of a process, or other calls of MPI, are used at the same time.
 * Memory: where MPI says that it is CUDA-aware (MPIX_Query_cuda_support), arrays may be in host or device
 * memory; else in host memory, and the library stages those in device memory.
 * Errors: the handler of the duplicated communicator is MPI_ERRORS_RETURN. An error of MPI is IW_ERROR_PEER,
 * with MPI's text; MPI does not say which other ranks return then. A rank that ends without MPI_Finalize
 * makes mpiexec end the others.
 */
#ifndef ISOWARP_MPI_H
#define ISOWARP_MPI_H

#include <isowarp/peers.h>

#include <limits.h>
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes of one message: MPI counts them as int. Longer arrays are sent in pieces. */
#ifndef IW_MPI_PIECE
#define IW_MPI_PIECE ((size_t)1 << 30)
#endif

/* The way to the other ranks. It keeps its address while peers use it. */
typedef struct iw_mpi {
  MPI_Comm comm;                  /* a duplicate of the caller's */
  unsigned rank, count;
  MPI_Request *requests;          /* 2 for each rank */
  MPI_Status *statuses;
  int *sizes, *offsets;           /* for each rank */
  char message[MPI_MAX_ERROR_STRING + 64]; /* why the latest function has failed */
} iw_mpi;

/* Notes why a function of MPI has failed. */
static inline iw_status iw_mpi_check(iw_mpi *mpi, const char *name, int code)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code == MPI_SUCCESS)
    return IW_OK;
  MPI_Error_string(code, text, &length);
  snprintf(mpi->message, sizeof mpi->message, "%s: %s", name, text);
  return IW_ERROR_PEER;
}

static inline iw_status iw_mpi_all_gather(void *self, const void *send, void *receive, const size_t *bytes,
                                          void *stream)
{
  iw_mpi *const mpi = (iw_mpi *)self;
  iw_status status = IW_OK;
  size_t all = 0;
  (void)stream;
  for (unsigned r = 0; r < mpi->count; r++)
    all += bytes[r];
  if (all <= IW_MPI_PIECE) {
    for (unsigned r = 0, offset = 0; r < mpi->count; offset += (unsigned)bytes[r++]) {
      mpi->sizes[r] = (int)bytes[r];
      mpi->offsets[r] = (int)offset;
    }
    return iw_mpi_check(mpi, "MPI_Allgatherv",
                        MPI_Allgatherv(send, mpi->sizes[mpi->rank], MPI_BYTE, receive, mpi->sizes,
                                       mpi->offsets, MPI_BYTE, mpi->comm));
  }
  /* Each rank in turn sends its bytes, piece by piece. */
  char *to = (char *)receive;
  for (unsigned r = 0; r < mpi->count; to += bytes[r++])
    for (size_t done = 0; done < bytes[r] && status == IW_OK; done += IW_MPI_PIECE) {
      const size_t left = bytes[r] - done, n = left < IW_MPI_PIECE ? left : IW_MPI_PIECE;
      if (r == mpi->rank) { /* a broadcast has one buffer, on the sender the one that is const */
        status = iw_mpi_check(
            mpi, "MPI_Bcast",
            MPI_Bcast((void *)((const char *)send + done), (int)n, MPI_BYTE, (int)r, mpi->comm));
      } else {
        status = iw_mpi_check(mpi, "MPI_Bcast", MPI_Bcast(to + done, (int)n, MPI_BYTE, (int)r, mpi->comm));
      }
    }
  if (status != IW_OK)
    return status;
  /* This rank's own bytes: MPI copies device memory too, where it is CUDA-aware. */
  to = (char *)receive;
  for (unsigned r = 0; r < mpi->rank; r++)
    to += bytes[r];
  for (size_t done = 0; done < bytes[mpi->rank] && status == IW_OK; done += IW_MPI_PIECE) {
    const size_t left = bytes[mpi->rank] - done;
    const int n = (int)(left < IW_MPI_PIECE ? left : IW_MPI_PIECE);
    status = iw_mpi_check(mpi, "MPI_Sendrecv",
                          MPI_Sendrecv((const char *)send + done, n, MPI_BYTE, (int)mpi->rank, 0, to + done,
                                       n, MPI_BYTE, (int)mpi->rank, 0, mpi->comm, MPI_STATUS_IGNORE));
  }
  return status;
}

static inline iw_status iw_mpi_all_reduce_u64(void *self, uint64_t *values, size_t n, void *stream)
{
  iw_mpi *const mpi = (iw_mpi *)self;
  const size_t most = IW_MPI_PIECE / sizeof *values;
  iw_status status = IW_OK;
  (void)stream;
  for (size_t done = 0; done < n && status == IW_OK; done += most)
    status =
        iw_mpi_check(mpi, "MPI_Allreduce",
                     MPI_Allreduce(MPI_IN_PLACE, values + done, (int)(n - done < most ? n - done : most),
                                   MPI_UINT64_T, MPI_SUM, mpi->comm));
  return status;
}

/* Posts piece number `round` of a message to and from each rank, and waits for it. Returns whether another
 * piece follows. Ranks that exchange little are not visited in later rounds. */
static inline int iw_mpi_round(iw_mpi *mpi, size_t round, const iw_all_to_all *x, size_t message, iw_status *status)
{
  const size_t first = message * mpi->count;
  int posted = 0, more = 0;
  for (unsigned k = 0; k < mpi->count && *status == IW_OK; k++) {
    const unsigned from = (mpi->rank + mpi->count - k) % mpi->count, to = (mpi->rank + k) % mpi->count;
    char *const receive = (char *)x->receive + x->receive_offsets[first + from];
    const char *const send = (const char *)x->send + x->send_offsets[first + to];
    const size_t start = round * IW_MPI_PIECE;
    if (x->receive_bytes[first + from] > start) {
      const size_t left = x->receive_bytes[first + from] - start, n = left < IW_MPI_PIECE ? left : IW_MPI_PIECE;
      *status = iw_mpi_check(mpi, "MPI_Irecv",
                             MPI_Irecv(receive + start, (int)n, MPI_BYTE, (int)from,
                                       0, mpi->comm, &mpi->requests[posted++]));
      more |= left > n;
    }
    if (x->send_bytes[first + to] > start && *status == IW_OK) {
      const size_t left = x->send_bytes[first + to] - start, n = left < IW_MPI_PIECE ? left : IW_MPI_PIECE;
      *status = iw_mpi_check(mpi, "MPI_Isend",
                             MPI_Isend(send + start, (int)n, MPI_BYTE, (int)to, 0,
                                       mpi->comm, &mpi->requests[posted++]));
      more |= left > n;
    }
  }
  if (*status == IW_OK)
    *status = iw_mpi_check(mpi, "MPI_Waitall", MPI_Waitall(posted, mpi->requests, mpi->statuses));
  return more;
}

/* Messages from rank to rank, not MPI_Alltoallv: most sizes are 0 in a partition, and offsets may be larger
 * than an int. */
static inline iw_status iw_mpi_all_to_all(void *self, const iw_all_to_all *x, void *stream)
{
  iw_status status = IW_OK;
  (void)stream;
  for (size_t message = 0; message < x->messages && status == IW_OK; message++)
    for (size_t round = 0; iw_mpi_round((iw_mpi *)self, round, x, message, &status) && status == IW_OK;)
      round++;
  return status;
}

static inline const char *iw_mpi_describe(void *self)
{
  return ((iw_mpi *)self)->message;
}

/* 1 if functions of MPI take addresses of CUDA device memory. */
static inline int iw_mpi_is_cuda_aware(void)
{
#if defined OPEN_MPI && defined MPIX_CUDA_AWARE_SUPPORT
  return MPIX_CUDA_AWARE_SUPPORT && MPIX_Query_cuda_support() == 1;
#elif defined MPICH_NUMVERSION && MPICH_NUMVERSION >= 40000000
  return MPIX_Query_cuda_support() == 1;
#else
  return 0;
#endif
}

/* Frees what iw_mpi_open() has made, after handles with these peers are closed and before MPI_Finalize. All
 * ranks call it. */
static inline void iw_mpi_close(iw_mpi *mpi)
{
  if (mpi->comm != MPI_COMM_NULL)
    MPI_Comm_free(&mpi->comm);
  free(mpi->requests);
  free(mpi->statuses);
  free(mpi->sizes);
  memset(mpi, 0, sizeof *mpi);
  mpi->comm = MPI_COMM_NULL;
}

/* Makes peers of the ranks of a communicator, which is duplicated; all of its ranks call this. Result:
 * *mpi, which must stay where it is until iw_mpi_close(), and *peers. Errors: IW_ERROR_PEER if MPI fails or
 * is not initialised, or if another rank has no memory; IW_ERROR_MEMORY; mpi->message says why, and nothing
 * is to be closed. */
static inline iw_status iw_mpi_open(iw_mpi *mpi, MPI_Comm comm, iw_peers *peers)
{
  int rank = 0, count = 0, ready = 0, ended = 0, good, all_good = 0;
  memset(mpi, 0, sizeof *mpi);
  memset(peers, 0, sizeof *peers);
  mpi->comm = MPI_COMM_NULL;
  MPI_Initialized(&ready);
  MPI_Finalized(&ended);
  if (!ready || ended) {
    snprintf(mpi->message, sizeof mpi->message, "iw_mpi_open: MPI is %s",
             ended ? "finalized" : "not initialised");
    return IW_ERROR_PEER;
  }
  iw_status status = iw_mpi_check(mpi, "MPI_Comm_dup", MPI_Comm_dup(comm, &mpi->comm));
  if (status != IW_OK)
    return status;
  MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(mpi->comm, &rank);
  MPI_Comm_size(mpi->comm, &count);
  mpi->rank = (unsigned)rank;
  mpi->count = (unsigned)count;
  mpi->requests = (MPI_Request *)malloc(2 * (size_t)count * sizeof *mpi->requests);
  mpi->statuses = (MPI_Status *)malloc(2 * (size_t)count * sizeof *mpi->statuses);
  mpi->sizes = (int *)malloc(2 * (size_t)count * sizeof *mpi->sizes);
  mpi->offsets = mpi->sizes ? mpi->sizes + count : NULL;
  good = mpi->requests != NULL && mpi->statuses != NULL && mpi->sizes != NULL;
  status =
      iw_mpi_check(mpi, "MPI_Allreduce", MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, mpi->comm));
  if (status == IW_OK && !all_good) {
    status = good ? IW_ERROR_PEER : IW_ERROR_MEMORY;
    snprintf(mpi->message, sizeof mpi->message, "iw_mpi_open: %s cannot allocate memory",
             good ? "another rank" : "this rank");
  }
  if (status != IW_OK) {
    char reason[sizeof mpi->message];
    memcpy(reason, mpi->message, sizeof reason);
    iw_mpi_close(mpi);
    memcpy(mpi->message, reason, sizeof reason);
    return status;
  }
  peers->size = sizeof *peers;
  peers->self = mpi;
  peers->rank = mpi->rank;
  peers->count = mpi->count;
  peers->flags = IW_PEERS_HOST | (iw_mpi_is_cuda_aware() ? (unsigned)IW_PEERS_DEVICE : 0);
  peers->all_gather = iw_mpi_all_gather;
  peers->all_reduce_u64 = iw_mpi_all_reduce_u64;
  peers->all_to_all = iw_mpi_all_to_all;
  peers->describe = iw_mpi_describe;
  return IW_OK;
}

#ifdef __cplusplus
}
#endif

#endif
