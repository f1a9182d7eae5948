/* SPDX-License-Identifier: Apache-2.0
 *
 * What ranks that are GPUs send each other by NCCL: the functions of the iw_peers of
 * <isowarp/nccl.h>, which includes this header.
 */
#ifndef ISOWARP_NCCL_PEERS_H
#define ISOWARP_NCCL_PEERS_H

#include <isowarp/peers.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NCCL's ncclUniqueId: names a group of ranks. */
typedef struct iw_nccl_id { char internal[128]; } iw_nccl_id;

/* The way to the other ranks. It keeps its address while peers use it. */
typedef struct iw_nccl {
  void *library, *comm;
  unsigned rank, count;
  int device;
  iw_peers host;             /* for host memory; its count is 0 without any */
  char message[512];         /* why the latest function has failed */
  void *context;             /* the device's primary context, and the CUDA driver's functions */
  int (*get_context)(void **);
  int (*set_context)(void *);
  int (*copy)(unsigned long long, unsigned long long, size_t, void *);
  /* Copies from rank to rank, if all ranks are in one process; else `ranks` and what follows is NULL. */
  struct iw_nccl_rank *ranks; /* all of them */
  iw_all_to_all exchange;     /* this rank's all-to-all: others read it between two meetings */
  void *side, *ready, *sent;  /* a stream for copies; events: this rank may be written to, has sent all */
  int (*copy_to_peer)(unsigned long long, void *, unsigned long long, void *, size_t, void *);
  int (*record)(void *, void *);
  int (*wait)(void *, void *, unsigned);
  int (*synchronize)(void *);
  int (*destroy_stream)(void *);
  int (*destroy_event)(void *);
  /* NCCL's functions; a result of 0 is success. Data types are 1 (ncclUint8) and 5 (ncclUint64). */
  int (*get_unique_id)(iw_nccl_id *);
  int (*comm_init_rank)(void **, int, iw_nccl_id, int);
  int (*comm_destroy)(void *);
  const char *(*error_string)(int);
  const char *(*last_error)(void *); /* NULL before NCCL 2.13 */
  int (*group_start)(void);
  int (*group_end)(void);
  int (*all_gather)(const void *, void *, size_t, int, void *, void *);
  int (*all_reduce)(const void *, void *, size_t, int, int, void *, void *);
  int (*broadcast)(const void *, void *, size_t, int, int, void *, void *);
  int (*send)(const void *, size_t, int, int, void *, void *);
  int (*receive_from)(void *, size_t, int, int, void *, void *);
} iw_nccl;

/* What tells processes apart: two of them do not have an object at one address since one nanosecond and with
 * one number. It is the same for all ranks of a process whose iw_nccl_open() is of one source file. */
typedef struct iw_nccl_process { uint64_t words[3]; } iw_nccl_process;
/* What a rank says of itself before ranks copy to each other. */
typedef struct iw_nccl_rank { iw_nccl_process process; iw_nccl *self; void *context, *ready, *sent; } iw_nccl_rank;

/* Notes why a function of NCCL has failed. */
static inline iw_status iw_nccl_check(iw_nccl *nccl, const char *name, int result)
{
  if (result == 0)
    return IW_OK;
  const char *const more = nccl->last_error ? nccl->last_error(nccl->comm) : NULL;
  snprintf(nccl->message, sizeof nccl->message, "%s: %s%s%s", name, nccl->error_string(result),
           more && *more ? ": " : "", more ? more : "");
  return IW_ERROR_PEER;
}

/* Ends a group of calls, the first of which that failed gave `result`. */
static inline iw_status iw_nccl_end_group(iw_nccl *nccl, const char *name, int result)
{
  const int ended = nccl->group_end();
  return iw_nccl_check(nccl, result ? name : "ncclGroupEnd", result ? result : ended);
}

/* Whether arguments are in host memory: the library passes a stream with device memory only. */
static inline int iw_nccl_is_for_host(const iw_nccl *nccl, const void *stream)
{
  return stream == NULL && nccl->host.count > 0;
}

/* Notes why a function of the host's peers has failed. */
static inline iw_status iw_nccl_check_host(iw_nccl *nccl, iw_status status)
{
  if (status != IW_OK)
    snprintf(nccl->message, sizeof nccl->message, "the host's peers: %s",
             nccl->host.describe ? nccl->host.describe(nccl->host.self) : "no reason is known");
  return status;
}

static inline iw_status iw_nccl_all_gather(void *self, const void *send, void *receive, const size_t *bytes,
                                           void *stream)
{
  iw_nccl *const nccl = (iw_nccl *)self;
  char *to = (char *)receive;
  int equal = 1, result = 0;
  if (iw_nccl_is_for_host(nccl, stream))
    return iw_nccl_check_host(nccl, nccl->host.all_gather(nccl->host.self, send, receive, bytes, NULL));
  for (unsigned r = 1; r < nccl->count; r++)
    equal &= bytes[r] == bytes[0];
  if (equal)
    return iw_nccl_check(nccl, "ncclAllGather",
                         nccl->all_gather(send, receive, bytes[0], 1, nccl->comm, stream));
  if ((result = nccl->group_start()) != 0)
    return iw_nccl_check(nccl, "ncclGroupStart", result);
  for (unsigned r = 0; r < nccl->count && result == 0; to += bytes[r++])
    if (bytes[r] > 0)
      result = nccl->broadcast(r == nccl->rank ? send : to, to, bytes[r], 1, (int)r, nccl->comm, stream);
  return iw_nccl_end_group(nccl, "ncclBroadcast", result);
}

static inline iw_status iw_nccl_all_reduce_u64(void *self, uint64_t *values, size_t n, void *stream)
{
  iw_nccl *const nccl = (iw_nccl *)self;
  if (iw_nccl_is_for_host(nccl, stream))
    return iw_nccl_check_host(nccl, nccl->host.all_reduce_u64(nccl->host.self, values, n, NULL));
  return n == 0 ? IW_OK
                : iw_nccl_check(nccl, "ncclAllReduce",
                                nccl->all_reduce(values, values, n, 5, 0, nccl->comm, stream));
}

/* Notes an error of the CUDA driver. */
static inline iw_status iw_nccl_check_driver(iw_nccl *nccl, const char *name, int result)
{
  if (result != 0)
    snprintf(nccl->message, sizeof nccl->message, "%s: CUDA error %d", name, result);
  return result == 0 ? IW_OK : IW_ERROR_PEER;
}

/* Copies within this rank's device, in the order of the stream. The device's context is current. */
static inline int iw_nccl_copy(iw_nccl *nccl, void *to, const void *from, size_t bytes, void *stream)
{
  return bytes == 0 ? 0 : nccl->copy((unsigned long long)(uintptr_t)to, (unsigned long long)(uintptr_t)from, bytes, stream);
}

/* Copies what this rank sends to itself. */
static inline int iw_nccl_copy_own(iw_nccl *nccl, const iw_all_to_all *x, void *stream)
{
  int result = 0;
  for (unsigned k = nccl->rank; k < x->messages * nccl->count && result == 0; k += nccl->count)
    result = iw_nccl_copy(nccl, (char *)x->receive + x->receive_offsets[k], (const char *)x->send + x->send_offsets[k], x->send_bytes[k],
                          stream);
  return result;
}

/* Waits until all ranks are here, and says whether a CUDA call has failed on one of them. */
static inline iw_status iw_nccl_meet(iw_nccl *nccl, int result)
{
  uint64_t failed = result != 0;
  const iw_status status = iw_nccl_check_host(nccl, nccl->host.all_reduce_u64(nccl->host.self, &failed, 1, NULL));
  if (status != IW_OK || failed == 0)
    return status;
  if (result != 0)
    return iw_nccl_check_driver(nccl, "a copy from rank to rank", result);
  snprintf(nccl->message, sizeof nccl->message, "a copy from rank to rank has failed on another rank");
  return IW_ERROR_PEER;
}

/* Copies what this rank sends, after all ranks' streams have come this far, and what it keeps. The next rank
 * is the first, so that each receives from one at a time. */
static inline int iw_nccl_push(iw_nccl *nccl, void *stream)
{
  const iw_all_to_all *const x = &nccl->exchange;
  const unsigned me = nccl->rank, count = nccl->count;
  int result = nccl->wait(nccl->side, nccl->ready, 0);
  for (unsigned k = 1; k < count && result == 0; k++) {
    const iw_nccl_rank *const to = &nccl->ranks[(me + k) % count];
    const iw_all_to_all *const there = &to->self->exchange;
    int waits = 1;
    for (unsigned m = 0; m < x->messages && result == 0; m++) {
      const unsigned sent = m * count + (me + k) % count;
      if (x->send_bytes[sent] == 0)
        continue;
      if (waits)
        result = nccl->wait(nccl->side, to->ready, 0);
      waits = 0;
      if (result == 0)
        result = nccl->copy_to_peer((unsigned long long)(uintptr_t)there->receive + there->receive_offsets[m * count + me],
                                    to->context, (unsigned long long)(uintptr_t)x->send + x->send_offsets[sent], nccl->context,
                                    x->send_bytes[sent], nccl->side);
    }
  }
  if (result == 0)
    result = iw_nccl_copy_own(nccl, x, stream);
  if (result == 0)
    result = nccl->record(nccl->sent, nccl->side);
  return result == 0 ? nccl->wait(stream, nccl->sent, 0) : result;
}

/* An all-to-all by copies. Ranks meet twice: when all have said where they receive, and when all copies
 * are in the order of streams, so that a rank's stream can wait for them. After a failure each rank waits
 * for its copies, and all meet once more, so that none frees memory that another one still writes. result:
 * of the CUDA calls before. */
static inline iw_status iw_nccl_exchange(iw_nccl *nccl, int result, const iw_all_to_all *x, void *stream)
{
  nccl->exchange = *x;
  iw_status status = iw_nccl_meet(nccl, result == 0 ? nccl->record(nccl->ready, stream) : result);
  if (status != IW_OK)
    return status;
  result = iw_nccl_push(nccl, stream);
  status = iw_nccl_meet(nccl, result);
  if (status != IW_OK) {
    uint64_t none = 0;
    (void)nccl->synchronize(nccl->side);
    (void)nccl->synchronize(stream);
    (void)nccl->host.all_reduce_u64(nccl->host.self, &none, 1, NULL);
    return status;
  }
  for (unsigned r = 0; r < nccl->count && result == 0; r++) {
    size_t received = 0;
    for (unsigned m = 0; m < x->messages; m++)
      received += x->receive_bytes[m * nccl->count + r];
    if (r != nccl->rank && received > 0)
      result = nccl->wait(stream, nccl->ranks[r].sent, 0);
  }
  return iw_nccl_check_driver(nccl, "cuStreamWaitEvent", result);
}

/* An all-to-all by NCCL, and a copy of what this rank keeps. */
static inline iw_status iw_nccl_send_and_receive(iw_nccl *nccl, const iw_all_to_all *x, void *stream)
{
  iw_status status = iw_nccl_check_driver(nccl, "cuMemcpyDtoDAsync", iw_nccl_copy_own(nccl, x, stream));
  if (status != IW_OK)
    return status;
  int result = nccl->group_start();
  if (result != 0)
    return iw_nccl_check(nccl, "ncclGroupStart", result);
  for (unsigned k = 0; k < x->messages * nccl->count && result == 0; k++) {
    const int r = (int)(k % nccl->count);
    if ((unsigned)r == nccl->rank)
      continue;
    if (x->send_bytes[k] > 0)
      result = nccl->send((const char *)x->send + x->send_offsets[k], x->send_bytes[k], 1, r, nccl->comm, stream);
    if (x->receive_bytes[k] > 0 && result == 0)
      result = nccl->receive_from((char *)x->receive + x->receive_offsets[k], x->receive_bytes[k], 1, r, nccl->comm, stream);
  }
  return iw_nccl_end_group(nccl, "ncclSend or ncclRecv", result);
}

static inline iw_status iw_nccl_all_to_all(void *self, const iw_all_to_all *x, void *stream)
{
  iw_nccl *const nccl = (iw_nccl *)self;
  if (iw_nccl_is_for_host(nccl, stream))
    return iw_nccl_check_host(nccl, nccl->host.all_to_all(nccl->host.self, x, NULL));
  void *before = NULL;
  int result = nccl->get_context(&before);
  if (result == 0)
    result = nccl->set_context(nccl->context);
  iw_status status = IW_OK;
  if (nccl->ranks != NULL)
    status = iw_nccl_exchange(nccl, result, x, stream);
  else {
    status = iw_nccl_check_driver(nccl, "cuCtxSetCurrent", result);
    if (status == IW_OK)
      status = iw_nccl_send_and_receive(nccl, x, stream);
  }
  (void)nccl->set_context(before);
  return status;
}

static inline const char *iw_nccl_describe(void *self)
{
  return ((iw_nccl *)self)->message;
}
#ifdef __cplusplus
}
#endif

#endif
