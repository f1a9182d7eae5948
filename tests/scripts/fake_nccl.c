/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests/scripts/nccl.sh: what <isowarp/nccl.h> uses of NCCL and of the CUDA driver, for ranks that are
 * threads, in host memory. An argument that NCCL would refuse is an error. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID = 4, MOST_RANKS = 16, MOST_CALLS = 64 };
static char the_stream; /* all calls are to have its address */
void *fake_stream(void) { return &the_stream; }

/* ---- The driver: 8 devices, one for each rank ---- */

static __thread void *current;
enum { DEVICES = 8 };
static char contexts[DEVICES];
int cuInit(unsigned flags) { return flags != 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal + 100; return ordinal < 0 || ordinal >= DEVICES; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = &contexts[device - 100]; return 0; }
int cuCtxGetCurrent(void **context) { *context = current; return 0; }
int cuCtxSetCurrent(void *context) { current = context; return 0; }
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void *stream)
{
  (void)stream;
  memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
  return current == NULL;
}

/* Streams do their work at once. What order the events are to enforce is checked instead: whoever writes
 * to another device has waited since that device was last ready, and a device is ready again after it has
 * waited for all that was sent to it, and for what it has sent. An event has a number of records, and each
 * rank knows of how many it has waited for; ranks look at those of others between meetings only.
 * FAKE_NO_ACCESS and FAKE_COPY_FAILS are of device 1 alone. */
enum { ALREADY_ENABLED = 704, UNSUPPORTED = 217, READY = 0, SENT = 1 };
typedef struct event { int device; unsigned records; } event;
static event events[DEVICES][2];           /* of each device: ready, sent */
static unsigned pending[DEVICES][DEVICES]; /* [to][from]: records of `sent` that `to` has to wait for */
static __thread unsigned waited[DEVICES][2];
static __thread int enabled, made;
static int device_of(const void *context) { return (int)((const char *)context - contexts); }

int cuCtxEnablePeerAccess(void *context, unsigned flags)
{
  if (getenv("FAKE_NO_ACCESS") && current == &contexts[1])
    return UNSUPPORTED;
  return flags || context == NULL || current == NULL ? INVALID : enabled++ ? ALREADY_ENABLED : 0;
}
int cuStreamCreate(void **stream, unsigned flags) { *stream = malloc(1); return flags != 1; }
int cuStreamDestroy_v2(void *stream) { free(stream); return 0; }
int cuStreamSynchronize(void *stream) { return stream == NULL; }
int cuEventCreate(void **created, unsigned flags)
{
  const int device = device_of(current);
  *created = &events[device][made++ % 2];
  *(event *)*created = (event){ device, 0 };
  memset(waited, 0, sizeof waited);
  memset(pending[device], 0, sizeof pending[device]);
  return flags != 2;
}
int cuEventDestroy_v2(void *destroyed) { return destroyed == NULL; }
int cuEventRecord(void *recorded, void *stream)
{
  event *const e = recorded;
  const int device = device_of(current), is_ready = e == &events[device][READY];
  for (int from = 0; from < DEVICES && is_ready; from++)
    if (pending[device][from] > waited[from][SENT])
      return INVALID;
  e->records++;
  return stream == NULL || e->device != device;
}
int cuStreamWaitEvent(void *stream, void *awaited, unsigned flags)
{
  const event *const e = awaited;
  waited[e->device][e != &events[e->device][READY]] = e->records;
  return stream == NULL || flags;
}
int cuMemcpyPeerAsync(unsigned long long to, void *to_context, unsigned long long from, void *from_context, size_t bytes, void *stream)
{
  const int there = device_of(to_context), here = device_of(current);
  if (from_context != current || stream == NULL || (getenv("FAKE_COPY_FAILS") && here == 1) ||
      waited[there][READY] != events[there][READY].records || events[there][READY].records == 0 ||
      waited[here][READY] != events[here][READY].records)
    return INVALID;
  memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
  pending[there][here] = pending[here][here] = events[here][SENT].records + 1;
  return 0;
}

/* ---- NCCL ---- */

typedef struct id { char bytes[128]; } id;
typedef enum kind { BROADCAST, SEND, RECEIVE, ALL_GATHER, ALL_REDUCE } kind;
typedef struct call { kind kind; const void *from; void *to; size_t count; int peer; } call;
typedef struct comm { unsigned rank; unsigned count; } comm;

static pthread_barrier_t all;
static unsigned size;
static comm comms[MOST_RANKS];
static call *posted[MOST_RANKS];  /* the calls of a rank's group, and their number */
static unsigned posted_count[MOST_RANKS];
static __thread call calls[MOST_CALLS];
static __thread unsigned call_count, depth;
static __thread comm *mine;

int ncclGetVersion(int *version) { *version = getenv("FAKE_OLD") ? 2708 : 22809; return OK; }
int ncclGetUniqueId(id *made) { memset(made, 'x', sizeof *made); return OK; }
const char *ncclGetErrorString(int result)
{
  return result == INVALID ? "invalid argument" : "another error";
}
const char *ncclGetLastError(void *unused) { (void)unused; return "of the fake"; }
int ncclCommDestroy(void *unused) { (void)unused; return OK; }

int ncclCommInitRank(comm **made, int count, id name, int rank)
{
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  if (name.bytes[0] != 'x' || name.bytes[127] != 'x' || rank < 0 || rank >= count ||
      current != &contexts[rank])
    return INVALID;
  pthread_mutex_lock(&mutex);
  if (size != (unsigned)count)
    pthread_barrier_init(&all, NULL, size = (unsigned)count);
  pthread_mutex_unlock(&mutex);
  comms[rank] = (comm){ (unsigned)rank, (unsigned)count };
  *made = mine = &comms[rank];
  return OK;
}

/* Number k, from 0, of the calls of a rank with this kind and peer. */
static const call *find(unsigned rank, kind kind, int peer, unsigned k)
{
  for (unsigned i = 0; i < posted_count[rank]; i++)
    if (posted[rank][i].kind == kind && posted[rank][i].peer == peer && k-- == 0)
      return &posted[rank][i];
  return NULL;
}

/* Fills in what this rank's call number i receives. */
static int receive(unsigned i)
{
  const call *const c = &calls[i], *other;
  unsigned k = 0;
  for (unsigned before = 0; before < i; before++)
    k += calls[before].kind == c->kind && calls[before].peer == c->peer;
  switch (c->kind) {
  case SEND: return OK;
  case BROADCAST: other = find((unsigned)c->peer, BROADCAST, c->peer, k); break;
  case RECEIVE: other = find((unsigned)c->peer, SEND, (int)mine->rank, k); break;
  case ALL_GATHER:
    for (unsigned r = 0; r < mine->count; r++)
      memcpy((char *)c->to + r * c->count, posted[r][i].from, posted[r][i].count);
    return OK;
  default: {
    uint64_t sums[1 << 16];
    memset(sums, 0, sizeof sums);
    for (unsigned r = 0; r < mine->count; r++)
      for (size_t n = 0; n < c->count; n++)
        sums[n] += ((const uint64_t *)posted[r][i].from)[n];
    pthread_barrier_wait(&all); /* from and to are one array */
    memcpy(c->to, sums, 8 * c->count);
    return OK;
  }
  }
  if (other == NULL || other->count != c->count)
    return INVALID;
  if (c->kind == RECEIVE || (unsigned)c->peer != mine->rank || c->to != c->from)
    memcpy(c->to, other->from, c->count);
  return OK;
}

static int run(void)
{
  int result = OK;
  posted[mine->rank] = calls;
  posted_count[mine->rank] = call_count;
  pthread_barrier_wait(&all);
  for (unsigned i = 0; i < call_count && result == OK; i++)
    result = receive(i);
  pthread_barrier_wait(&all);
  call_count = 0;
  return result;
}

static int add(kind kind, const void *from, void *to, size_t count, int peer, int type, void *made,
               void *stream)
{
  if (made != mine || stream != &the_stream || type != (kind == ALL_REDUCE ? 5 : 1) || peer < 0 ||
      peer >= (int)mine->count || call_count == MOST_CALLS)
    return INVALID;
  calls[call_count++] = (call){ kind, from, to, count, peer };
  return depth > 0 ? OK : run();
}

int ncclGroupStart(void) { depth++; return OK; }
int ncclGroupEnd(void) { return --depth > 0 ? OK : run(); }
int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, void *made, void *stream)
{
  return add(BROADCAST, from, to, count, root, type, made, stream);
}
int ncclSend(const void *from, size_t count, int type, int peer, void *made, void *stream)
{
  return add(SEND, from, NULL, count, peer, type, made, stream);
}
int ncclRecv(void *to, size_t count, int type, int peer, void *made, void *stream)
{
  return add(RECEIVE, NULL, to, count, peer, type, made, stream);
}
int ncclAllGather(const void *from, void *to, size_t count, int type, void *made, void *stream)
{
  return add(ALL_GATHER, from, to, count, 0, type, made, stream);
}
int ncclAllReduce(const void *from, void *to, size_t count, int type, int operation, void *made,
                  void *stream)
{
  return operation != 0 || count > 1 << 16 ? INVALID
                                           : add(ALL_REDUCE, from, to, count, 0, type, made, stream);
}
