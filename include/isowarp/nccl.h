/* SPDX-License-Identifier: Apache-2.0
 *
 * Peers that are GPUs connected by NCCL (<isowarp/peers.h>): one for each rank, which is a thread or a
 * process. NCCL is loaded at run time; this header needs neither NCCL's nor CUDA's, and a program that
 * includes it has no new dependency (before glibc 2.34: -ldl).
 *
 *     iw_nccl nccl;
 *     iw_peers peers;
 *     if (iw_nccl_open(&nccl, &host_peers, device, NULL, &peers) != IW_OK)
 *       fprintf(stderr, "%s\n", nccl.message);
 *
 * Needs NCCL 2.8 or later: 2.7 sends one message of a group from rank to rank. NCCL moves arrays in device
 * memory, in stream order. Arrays in host memory go the way of the host's peers. So do the few bytes with
 * which ranks agree, because that takes less time than copies to and from a device. What a rank keeps in an
 * all-to-all is copied on the stream, which is faster than NCCL's messages of a rank to itself. Ranks that
 * are threads of one process, on devices that can access each other's memory, copy what they send in an
 * all-to-all to its place themselves: NCCL takes half as long again for addresses that are not multiples of
 * 16 (doc/distributed.md).
 * Thread safety: the functions of one iw_peers are called by one thread at a time, those of different ones
 * by any threads at the same time.
 * Errors: an error of NCCL is IW_ERROR_PEER, with NCCL's text. A rank that leaves early makes the others
 * wait in NCCL: ranks that may fail between distributed calls agree on that by other means.
 */
#ifndef ISOWARP_NCCL_H
#define ISOWARP_NCCL_H

#include <isowarp/nccl_peers.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Loads NCCL. library: a path, or NULL for "libnccl.so.2" where the dynamic linker finds it. */
static inline iw_status iw_nccl_load(iw_nccl *nccl, const char *library)
{
  static const char *const names[] = { "ncclGetUniqueId",    "ncclCommInitRank", "ncclCommDestroy",
                                       "ncclGetErrorString", "ncclGroupStart",   "ncclGroupEnd",
                                       "ncclAllGather",      "ncclAllReduce",    "ncclBroadcast",
                                       "ncclSend",           "ncclRecv",         "ncclGetVersion" };
  enum { NAMES = sizeof names / sizeof *names, LEAST_VERSION = 2800 }; /* of 2.8.0 */
  void *found[NAMES];
  int version = 0, (*get_version)(int *);
  memset(nccl, 0, sizeof *nccl);
  nccl->library = dlopen(library ? library : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (nccl->library == NULL) {
    snprintf(nccl->message, sizeof nccl->message, "NCCL is not there: %s", dlerror());
    return IW_ERROR_UNAVAILABLE;
  }
  for (int i = 0; i < NAMES; i++)
    if ((found[i] = dlsym(nccl->library, names[i])) == NULL) {
      snprintf(nccl->message, sizeof nccl->message, "%s has no %s: NCCL 2.8 or later is needed",
               library ? library : "libnccl.so.2", names[i]);
      dlclose(nccl->library);
      nccl->library = NULL;
      return IW_ERROR_UNAVAILABLE;
    }
  /* POSIX lets an object pointer be stored so in a pointer to a function. */
  *(void **)&nccl->get_unique_id = found[0];
  *(void **)&nccl->comm_init_rank = found[1];
  *(void **)&nccl->comm_destroy = found[2];
  *(void **)&nccl->error_string = found[3];
  *(void **)&nccl->group_start = found[4];
  *(void **)&nccl->group_end = found[5];
  *(void **)&nccl->all_gather = found[6];
  *(void **)&nccl->all_reduce = found[7];
  *(void **)&nccl->broadcast = found[8];
  *(void **)&nccl->send = found[9];
  *(void **)&nccl->receive_from = found[10];
  *(void **)&get_version = found[11];
  *(void **)&nccl->last_error = dlsym(nccl->library, "ncclGetLastError");
  if (get_version(&version) == 0 && version >= LEAST_VERSION)
    return IW_OK;
  snprintf(nccl->message, sizeof nccl->message, "%s has the version code %d: NCCL 2.8 or later, %d, is needed",
           library ? library : "libnccl.so.2", version, (int)LEAST_VERSION);
  dlclose(nccl->library);
  nccl->library = NULL;
  return IW_ERROR_UNAVAILABLE;
}

/* Makes a device the current one of this thread, as NCCL wants it while a rank is made: by its primary
 * context, which the CUDA runtime uses too. Result: *before, the one that was
 * current, for nccl->set_context(). */
static inline iw_status iw_nccl_set_device(iw_nccl *nccl, int device, void **before)
{
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  int (*initialise)(unsigned), (*get)(int *, int), (*retain)(void **, int), id;
  *(void **)&initialise = driver ? dlsym(driver, "cuInit") : NULL;
  *(void **)&get = driver ? dlsym(driver, "cuDeviceGet") : NULL;
  *(void **)&retain = driver ? dlsym(driver, "cuDevicePrimaryCtxRetain") : NULL;
  *(void **)&nccl->get_context = driver ? dlsym(driver, "cuCtxGetCurrent") : NULL;
  *(void **)&nccl->set_context = driver ? dlsym(driver, "cuCtxSetCurrent") : NULL;
  *(void **)&nccl->copy = driver ? dlsym(driver, "cuMemcpyDtoDAsync_v2") : NULL;
  if (!initialise || !get || !retain || !nccl->get_context || !nccl->set_context || !nccl->copy) {
    snprintf(nccl->message, sizeof nccl->message, "the CUDA driver is not there: %s",
             driver ? "libcuda.so.1" : dlerror());
    return IW_ERROR_UNAVAILABLE;
  }
  if (initialise(0) != 0 || get(&id, device) != 0 || nccl->get_context(before) != 0 ||
      retain(&nccl->context, id) != 0 || nccl->set_context(nccl->context) != 0) {
    snprintf(nccl->message, sizeof nccl->message, "CUDA device %d is not available", device);
    return IW_ERROR_UNAVAILABLE;
  }
  return IW_OK;
}

static inline iw_nccl_process iw_nccl_this_process(void)
{
  static uint64_t first_nanosecond;
  uint64_t unset = 0;
  struct timespec now;
  (void)timespec_get(&now, TIME_UTC);
  (void)__atomic_compare_exchange_n(&first_nanosecond, &unset, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec, 0,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  const iw_nccl_process process = { { (uint64_t)(uintptr_t)&first_nanosecond, unset != 0 ? unset : first_nanosecond,
                                      (uint64_t)getpid() } };
  return process;
}

/* Makes the stream and the events, with the device's context current. */
static inline int iw_nccl_make_side(iw_nccl *nccl, void *driver)
{
  enum { NON_BLOCKING = 1, NO_TIMING = 2 };
  int (*create_stream)(void **, unsigned), (*create_event)(void **, unsigned), result;
  *(void **)&create_stream = dlsym(driver, "cuStreamCreate");
  *(void **)&create_event = dlsym(driver, "cuEventCreate");
  *(void **)&nccl->copy_to_peer = dlsym(driver, "cuMemcpyPeerAsync");
  *(void **)&nccl->record = dlsym(driver, "cuEventRecord");
  *(void **)&nccl->wait = dlsym(driver, "cuStreamWaitEvent");
  *(void **)&nccl->synchronize = dlsym(driver, "cuStreamSynchronize");
  *(void **)&nccl->destroy_stream = dlsym(driver, "cuStreamDestroy_v2");
  *(void **)&nccl->destroy_event = dlsym(driver, "cuEventDestroy_v2");
  if (!create_stream || !create_event || !nccl->copy_to_peer || !nccl->record || !nccl->wait || !nccl->synchronize ||
      !nccl->destroy_stream || !nccl->destroy_event)
    return 1;
  result = create_stream(&nccl->side, NON_BLOCKING);
  if (result == 0)
    result = create_event(&nccl->ready, NO_TIMING);
  return result == 0 ? create_event(&nccl->sent, NO_TIMING) : result;
}

/* Lets this rank's device access that of all ranks. */
static inline int iw_nccl_reach_all(iw_nccl *nccl, void *driver)
{
  enum { ALREADY = 704 };
  int (*enable_access)(void *, unsigned), result = 0;
  *(void **)&enable_access = dlsym(driver, "cuCtxEnablePeerAccess");
  if (!enable_access)
    return 1;
  for (unsigned r = 0; r < nccl->count && result == 0; r++) {
    result = r == nccl->rank ? 0 : enable_access(nccl->ranks[r].context, 0);
    result = result == ALREADY ? 0 : result;
  }
  return result;
}

static inline void iw_nccl_release(iw_nccl *nccl)
{
  if (nccl->sent != NULL)
    nccl->destroy_event(nccl->sent);
  if (nccl->ready != NULL)
    nccl->destroy_event(nccl->ready);
  if (nccl->side != NULL)
    nccl->destroy_stream(nccl->side);
  nccl->sent = nccl->ready = nccl->side = NULL;
  free(nccl->ranks);
  nccl->ranks = NULL;
}

/* Prepares copies from rank to rank, if all ranks are in one process and reach all devices; else NCCL moves
 * what is in device memory. All ranks call this, with the status of iw_nccl_open_id(), and the device's
 * context current. */
static inline iw_status iw_nccl_find_ranks(iw_nccl *nccl, iw_status opened)
{
  const unsigned count = nccl->count;
  const uint64_t not_open = (uint64_t)1 << 32;
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  size_t *const bytes = (size_t *)malloc(count * sizeof *bytes);
  nccl->ranks = (iw_nccl_rank *)malloc(count * sizeof *nccl->ranks);
  uint64_t failed = opened != IW_OK ? not_open : !driver || !bytes || !nccl->ranks || iw_nccl_make_side(nccl, driver) != 0;
  iw_status status = nccl->host.all_reduce_u64(nccl->host.self, &failed, 1, NULL);
  const iw_nccl_rank own = { iw_nccl_this_process(), nccl, nccl->context, nccl->ready, nccl->sent };
  for (unsigned r = 0; r < count && !failed; r++)
    bytes[r] = sizeof own;
  if (status == IW_OK && !failed)
    status = nccl->host.all_gather(nccl->host.self, &own, nccl->ranks, bytes, NULL);
  if (status == IW_OK && !failed) {
    for (unsigned r = 0; r < count; r++)
      failed |= memcmp(&nccl->ranks[r].process, &own.process, sizeof own.process) != 0;
    failed = failed || iw_nccl_reach_all(nccl, driver) != 0;
    status = nccl->host.all_reduce_u64(nccl->host.self, &failed, 1, NULL);
  }
  free(bytes);
  if (status != IW_OK || failed)
    iw_nccl_release(nccl);
  if (opened != IW_OK)
    return opened;
  if (status == IW_OK && failed >= not_open) {
    snprintf(nccl->message, sizeof nccl->message, "iw_nccl_open: NCCL has failed on another rank");
    return IW_ERROR_PEER;
  }
  return iw_nccl_check_host(nccl, status);
}

/* Ends the rank, after handles with its peers are closed. */
static inline void iw_nccl_close(iw_nccl *nccl)
{
  iw_nccl_release(nccl);
  if (nccl->comm != NULL)
    nccl->comm_destroy(nccl->comm);
  nccl->comm = NULL; /* the library stays loaded: NCCL has threads of its own */
}

/* Makes a rank of a loaded NCCL without other peers; all `count` ranks call this at the same time with the
 * id that one of them got from get_unique_id. The library stages what is in host memory. Else as
 * iw_nccl_open(). */
static inline iw_status iw_nccl_open_id(iw_nccl *nccl, const iw_nccl_id *id, unsigned rank, unsigned count,
                                        int device, iw_peers *peers)
{
  void *before = NULL;
  memset(peers, 0, sizeof *peers);
  nccl->rank = rank;
  nccl->count = count;
  nccl->device = device;
  iw_status status = iw_nccl_set_device(nccl, device, &before);
  if (status != IW_OK)
    return status;
  status =
      iw_nccl_check(nccl, "ncclCommInitRank", nccl->comm_init_rank(&nccl->comm, (int)count, *id, (int)rank));
  (void)nccl->set_context(before);
  if (status != IW_OK)
    return status;
  peers->size = sizeof *peers;
  peers->self = nccl;
  peers->rank = rank;
  peers->count = count;
  peers->flags = IW_PEERS_DEVICE | IW_PEERS_STREAM;
  peers->all_gather = iw_nccl_all_gather;
  peers->all_reduce_u64 = iw_nccl_all_reduce_u64;
  peers->all_to_all = iw_nccl_all_to_all;
  peers->describe = iw_nccl_describe;
  return IW_OK;
}

/* Makes peers of GPUs, one for each rank of `by`; all ranks call this. by: peers that take host memory, of
 * iw_mpi_open() or iw_threads_peers(); copied. It is used as long as *peers, and nothing else uses it at
 * the same time. device: the CUDA device id of this rank's context; no two ranks have the same GPU.
 * library: NCCL's path, or NULL for "libnccl.so.2" where the dynamic linker finds it. Result: *nccl, which
 * must stay where it is until iw_nccl_close(), and *peers. Devices of ranks of one process get access to
 * each other, and keep it. Errors, with nccl->message: IW_ERROR_UNAVAILABLE if NCCL, the driver or the
 * device is not there; IW_ERROR_PEER if that is so on another rank, if NCCL fails, or if `by` does.
 * Nothing is to be closed then. */
static inline iw_status iw_nccl_open(iw_nccl *nccl, const iw_peers *by, int device, const char *library,
                                     iw_peers *peers)
{
  enum { MOST_RANKS = 4096 };
  iw_nccl_id id;
  static const size_t whole = sizeof(iw_nccl_id) + 1;
  size_t bytes[MOST_RANKS];
  char all[MOST_RANKS + sizeof(iw_nccl_id)], own[sizeof(iw_nccl_id) + 1];
  void *before = NULL;
  memset(peers, 0, sizeof *peers);
  memset(&id, 0, sizeof id);
  iw_status status = iw_nccl_load(nccl, library);
  if (by->count > MOST_RANKS || !(by->flags & IW_PEERS_HOST)) {
    snprintf(nccl->message, sizeof nccl->message,
             "iw_nccl_open: by has %u ranks and flags %u; at most %d and IW_PEERS_HOST", by->count,
             by->flags, MOST_RANKS);
    return IW_ERROR_INVALID;
  }
  if (status == IW_OK) {
    status = iw_nccl_set_device(nccl, device, &before);
    if (status == IW_OK && by->rank == 0)
      status = iw_nccl_check(nccl, "ncclGetUniqueId", nccl->get_unique_id(&id));
    if (status == IW_OK)
      (void)nccl->set_context(before);
  }
  /* Every rank says whether it can; rank 0 also sends the id. */
  own[0] = status == IW_OK;
  memcpy(own + 1, &id, sizeof id);
  for (unsigned r = 0; r < by->count; r++)
    bytes[r] = r == 0 ? whole : 1;
  const iw_status gathered = by->all_gather(by->self, own, all, bytes, NULL);
  if (status != IW_OK)
    return status;
  if (gathered != IW_OK) {
    snprintf(nccl->message, sizeof nccl->message, "iw_nccl_open: all_gather: %s",
             by->describe ? by->describe(by->self) : "");
    return gathered;
  }
  for (unsigned r = 0; r < by->count; r++)
    if (!all[r == 0 ? 0 : whole + r - 1]) {
      snprintf(nccl->message, sizeof nccl->message, "iw_nccl_open: rank %u has no NCCL or no device", r);
      return IW_ERROR_PEER;
    }
  memcpy(&id, all + 1, sizeof id);
  status = iw_nccl_open_id(nccl, &id, by->rank, by->count, device, peers);
  nccl->host = *by;
  peers->flags |= IW_PEERS_HOST;
  (void)nccl->get_context(&before);
  (void)nccl->set_context(nccl->context);
  status = iw_nccl_find_ranks(nccl, status);
  (void)nccl->set_context(before);
  if (status != IW_OK)
    iw_nccl_close(nccl);
  return status;
}

#ifdef __cplusplus
}
#endif

#endif
