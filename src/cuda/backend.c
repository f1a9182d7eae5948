/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA backend: devices, streams, memory, and how host memory gets to a device. The kernels are started by the objects
 * that hold them (iw_kernel.start), so that a user's own go the same way as the library's.
 */
#include <config.h>
#include "runtime/internal.h"

#include <cuda_runtime_api.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const iw_kernel *const iw_kernels_cuda[];

enum {
  CHUNK = 8 << 20,  /* bytes of pinned memory that host data passes through, of which there are two */
  PIECE = 64 << 20  /* bytes of a piece of an input that is staged piece by piece */
};

/* A table that a captured graph reads whenever it is replayed. */
typedef struct kept { struct kept *next; char table[]; } kept;

typedef struct cuda_state {
  cudaStream_t own, stream;   /* the context's, and the one that it uses */
  cudaStream_t transfers;     /* of pieces, beside the kernels */
  cudaEvent_t order;
  struct { void *pinned; cudaEvent_t done; } chunks[2];
  struct { void *memory; cudaEvent_t filled, used; } pieces[2];
  size_t piece_bytes;
  kept *kept;
} cuda_state;

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

/* The runtime keeps an error until it is asked for; a later call should not find this one. */
static iw_status failed(cudaError_t error, const char *call)
{
  (void)cudaGetLastError();
  const iw_status status = error == cudaErrorMemoryAllocation ? IW_ERROR_MEMORY
    : error == cudaErrorInvalidDevice || error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver
      || error == cudaErrorDevicesUnavailable ? IW_ERROR_UNAVAILABLE
    : error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction ? IW_ERROR_MISMATCH
    : IW_ERROR_LAUNCH;
  return iw_fail(status, "%s: %s (%s)", call, cudaGetErrorString(error), cudaGetErrorName(error));
}

#define CUDA_TRY(call) \
  do { const cudaError_t error_ = (call); if (error_ != cudaSuccess) return failed(error_, #call); } while (0)

/* A call on the context's device, which leaves the thread on its own. It never breaks what other threads capture. */
#define ON_DEVICE(context, call) do { \
    int was_ = (context)->number; \
    enum cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed; \
    CUDA_TRY(cudaGetDevice(&was_)); \
    if (was_ != (context)->number) CUDA_TRY(cudaSetDevice((context)->number)); \
    CUDA_TRY(cudaThreadExchangeStreamCaptureMode(&mode_)); \
    const iw_status status_ = (call); \
    CUDA_TRY(cudaThreadExchangeStreamCaptureMode(&mode_)); \
    if (was_ != (context)->number) CUDA_TRY(cudaSetDevice(was_)); \
    return status_; \
  } while (0)

static int is_captured(const iw_context *context)
{
  const cuda_state *const state = context->state;
  enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(state->stream, &status) != cudaSuccess)
    (void)cudaGetLastError();
  return status != cudaStreamCaptureStatusNone;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static iw_status allocate(iw_context *context, size_t bytes, void **memory)
{
  *memory = NULL;
  if (is_captured(context))
    return iw_fail(IW_ERROR_MEMORY, "%zu bytes of scratch are needed, but the context's stream is being captured: give "
                   "iw_context_reserve() as much before", bytes);
  const cudaError_t error = cudaMalloc(memory, bytes);
  if (error == cudaErrorMemoryAllocation) {
    size_t left = 0, all = 0;
    (void)cudaGetLastError();
    (void)cudaMemGetInfo(&left, &all);
    return iw_fail(IW_ERROR_MEMORY, "%zu bytes of memory could not be had on CUDA device %d, which has %zu left of %zu",
                   bytes, context->number, left, all);
  }
  return error == cudaSuccess ? IW_OK : failed(error, "cudaMalloc");
}

static iw_status cuda_allocate(iw_context *context, size_t bytes, void **memory)
{
  ON_DEVICE(context, allocate(context, bytes, memory));
}

static void cuda_release(iw_context *context, void *memory)
{
  enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  (void)context; /* freed where it was made; waits for kernels that may use it */
  (void)cudaThreadExchangeStreamCaptureMode(&mode);
  (void)cudaFree(memory);
  (void)cudaThreadExchangeStreamCaptureMode(&mode);
  (void)cudaGetLastError();
}

/* Host memory that CUDA does not know is unregistered; pinned memory is read by the device's copies as it is. */
static struct cudaPointerAttributes attributes_of(const void *memory)
{
  struct cudaPointerAttributes found = { .type = cudaMemoryTypeUnregistered };
  if (memory && cudaPointerGetAttributes(&found, memory) != cudaSuccess) {
    (void)cudaGetLastError();
    found.type = cudaMemoryTypeUnregistered;
  }
  return found;
}

static int is_host(const struct cudaPointerAttributes *found)
{
  return found->type == cudaMemoryTypeUnregistered || found->type == cudaMemoryTypeHost;
}

int iw_cuda_device_of(const void *memory)
{
  enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  (void)cudaThreadExchangeStreamCaptureMode(&mode); /* asked for while a stream is captured, too */
  const struct cudaPointerAttributes found = attributes_of(memory);
  (void)cudaThreadExchangeStreamCaptureMode(&mode);
  return is_host(&found) ? -1 : found.device;
}

static iw_status locate(iw_context *context, const char *name, const void *memory, int *reached)
{
  const struct cudaPointerAttributes found = attributes_of(memory);
  *reached = !is_host(&found);
  if (*reached && found.type != cudaMemoryTypeManaged && found.device != context->number)
    return iw_fail(IW_ERROR_INVALID, "%s is memory of CUDA device %d, but the context runs on device %d", name, found.device,
                   context->number);
  if (!*reached && is_captured(context))
    return iw_fail(IW_ERROR_INVALID, "%s is host memory, which a call cannot use while its stream is being captured", name);
  return IW_OK;
}

static iw_status cuda_locate(iw_context *context, const char *name, const void *memory, int *reached)
{
  ON_DEVICE(context, locate(context, name, memory, reached));
}

/* ---- Copies ------------------------------------------------------------------------------------------------------ */

static iw_status make_chunks(cuda_state *state)
{
  for (int i = 0; i < 2; i++) {
    if (!state->chunks[i].done)
      CUDA_TRY(cudaEventCreateWithFlags(&state->chunks[i].done, cudaEventDisableTiming));
    if (!state->chunks[i].pinned)
      CUDA_TRY(cudaHostAlloc(&state->chunks[i].pinned, CHUNK, cudaHostAllocDefault));
  }
  return IW_OK;
}

/* Host memory to the device: one chunk is filled while the other is on its way. The host memory may change afterwards, but
 * for memory that is pinned itself. */
static iw_status to_device(cuda_state *state, void *to, const void *from, size_t bytes, int pinned, cudaStream_t stream)
{
  if (pinned || bytes <= CHUNK / 8) {
    CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
    return IW_OK;
  }
  IW_TRY(make_chunks(state));
  for (size_t at = 0, turn = 0; at < bytes; at += CHUNK, turn ^= 1) {
    const size_t here = iw_min(bytes - at, CHUNK);
    CUDA_TRY(cudaEventSynchronize(state->chunks[turn].done));
    memcpy(state->chunks[turn].pinned, (const char *)from + at, here);
    CUDA_TRY(cudaMemcpyAsync((char *)to + at, state->chunks[turn].pinned, here, cudaMemcpyDefault, stream));
    CUDA_TRY(cudaEventRecord(state->chunks[turn].done, stream));
  }
  return IW_OK;
}

/* And back: done when it returns. */
static iw_status to_host(cuda_state *state, void *to, const void *from, size_t bytes, int pinned, cudaStream_t stream)
{
  if (pinned || bytes <= CHUNK / 8) {
    CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
    CUDA_TRY(cudaStreamSynchronize(stream));
    return IW_OK;
  }
  IW_TRY(make_chunks(state));
  const size_t count = iw_ceil_div(bytes, CHUNK);
  for (size_t i = 0; i <= count; i++) { /* chunk i is on its way while i - 1 is emptied */
    if (i < count) {
      CUDA_TRY(cudaEventSynchronize(state->chunks[i % 2].done));
      CUDA_TRY(cudaMemcpyAsync(state->chunks[i % 2].pinned, (const char *)from + i * CHUNK,
                               iw_min(bytes - i * CHUNK, CHUNK), cudaMemcpyDefault, stream));
      CUDA_TRY(cudaEventRecord(state->chunks[i % 2].done, stream));
    }
    if (i > 0) {
      CUDA_TRY(cudaEventSynchronize(state->chunks[(i - 1) % 2].done));
      memcpy((char *)to + (i - 1) * CHUNK, state->chunks[(i - 1) % 2].pinned, iw_min(bytes - (i - 1) * CHUNK, CHUNK));
    }
  }
  return IW_OK;
}

static iw_status copy(iw_context *context, void *to, const void *from, size_t bytes)
{
  cuda_state *const state = context->state;
  const struct cudaPointerAttributes there = attributes_of(to), here = attributes_of(from);
  const int host = is_host(&there) || is_host(&here);
  if (host && is_captured(context))
    return iw_fail(IW_ERROR_INVALID, "the call would copy %zu bytes between host and device, which it cannot while its stream "
                   "is being captured", bytes);
  if (is_host(&there) && is_host(&here)) {
    CUDA_TRY(cudaStreamSynchronize(state->stream));
    memmove(to, from, bytes);
    return IW_OK;
  }
  if (is_host(&there))
    return to_host(state, to, from, bytes, there.type == cudaMemoryTypeHost, state->stream);
  if (is_host(&here)) {
    IW_TRY(to_device(state, to, from, bytes, here.type == cudaMemoryTypeHost, state->stream));
    CUDA_TRY(cudaStreamSynchronize(state->stream));
    return IW_OK;
  }
  CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, state->stream));
  return IW_OK;
}

static iw_status cuda_copy(iw_context *context, void *to, const void *from, size_t bytes)
{
  if (!bytes)
    return IW_OK;
  ON_DEVICE(context, copy(context, to, from, bytes));
}

static iw_status upload(iw_context *context, void *to, const void *from, size_t bytes)
{
  cuda_state *const state = context->state;
  if (is_captured(context)) {
    kept *const held = malloc(sizeof *held + bytes);
    if (!held)
      return iw_fail(IW_ERROR_MEMORY, "%zu bytes of host memory could not be had", sizeof *held + bytes);
    memcpy(held->table, from, bytes);
    held->next = state->kept;
    state->kept = held;
    from = held->table;
  }
  CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, state->stream)); /* pageable: read when it returns */
  return IW_OK;
}

static iw_status cuda_upload(iw_context *context, void *to, const void *from, size_t bytes)
{
  if (!bytes)
    return IW_OK;
  ON_DEVICE(context, upload(context, to, from, bytes));
}

static iw_status make_pieces(iw_context *context, size_t bytes)
{
  cuda_state *const state = context->state;
  if (!state->transfers)
    CUDA_TRY(cudaStreamCreateWithFlags(&state->transfers, cudaStreamNonBlocking));
  for (int i = 0; i < 2; i++) {
    if (!state->pieces[i].filled)
      CUDA_TRY(cudaEventCreateWithFlags(&state->pieces[i].filled, cudaEventDisableTiming));
    if (!state->pieces[i].used)
      CUDA_TRY(cudaEventCreateWithFlags(&state->pieces[i].used, cudaEventDisableTiming));
    if (bytes > state->piece_bytes) {
      if (state->pieces[i].memory)
        cuda_release(context, state->pieces[i].memory);
      state->pieces[i].memory = NULL;
    }
  }
  if (bytes > state->piece_bytes)
    state->piece_bytes = 0;
  for (int i = 0; i < 2; i++)
    if (!state->pieces[i].memory)
      IW_TRY(allocate(context, bytes, &state->pieces[i].memory));
  if (!state->piece_bytes)
    state->piece_bytes = bytes;
  return IW_OK;
}

static iw_status pieces(iw_context *context, const void *host, size_t bytes, size_t unit, iw_use_piece use, void *job)
{
  cuda_state *const state = context->state;
  const size_t piece = iw_min(iw_max(PIECE / unit, 1), iw_ceil_div(bytes, unit)) * unit;
  const struct cudaPointerAttributes found = attributes_of(host);
  IW_TRY(make_pieces(context, piece));
  for (size_t at = 0, turn = 0; at < bytes; at += piece, turn ^= 1) {
    const size_t here = iw_min(bytes - at, piece);
    CUDA_TRY(cudaStreamWaitEvent(state->transfers, state->pieces[turn].used, 0));
    IW_TRY(to_device(state, state->pieces[turn].memory, (const char *)host + at, here, found.type == cudaMemoryTypeHost,
                     state->transfers));
    CUDA_TRY(cudaEventRecord(state->pieces[turn].filled, state->transfers));
    CUDA_TRY(cudaStreamWaitEvent(state->stream, state->pieces[turn].filled, 0));
    IW_TRY(use(job, state->pieces[turn].memory, at, here));
    CUDA_TRY(cudaEventRecord(state->pieces[turn].used, state->stream));
  }
  CUDA_TRY(cudaStreamSynchronize(state->stream));
  return IW_OK;
}

static iw_status cuda_pieces(iw_context *context, const void *host, size_t bytes, size_t unit, iw_use_piece use, void *job)
{
  ON_DEVICE(context, pieces(context, host, bytes, unit, use, job));
}

/* ---- Streams and launches ---------------------------------------------------------------------------------------- */

static iw_status synchronize(iw_context *context)
{
  const cuda_state *const state = context->state;
  CUDA_TRY(cudaStreamSynchronize(state->stream));
  return IW_OK;
}

static iw_status cuda_synchronize(iw_context *context)
{
  ON_DEVICE(context, synchronize(context));
}

/* The scratch is the context's: what uses it next waits for what uses it now. */
static iw_status set_stream(iw_context *context, void *wanted)
{
  cuda_state *const state = context->state;
  const cudaStream_t next = wanted ? (cudaStream_t)wanted : state->own, before = state->stream;
  if (next == before)
    return IW_OK;
  if (is_captured(context))
    return iw_fail(IW_ERROR_INVALID, "the context's stream is being captured: end that before another stream is set");
  state->stream = next;
  if (is_captured(context)) /* a graph cannot wait for what is outside */
    CUDA_TRY(cudaStreamSynchronize(before));
  else {
    CUDA_TRY(cudaEventRecord(state->order, before));
    CUDA_TRY(cudaStreamWaitEvent(next, state->order, 0));
  }
  context->stream = wanted;
  return IW_OK;
}

static iw_status cuda_set_stream(iw_context *context, void *stream)
{
  ON_DEVICE(context, set_stream(context, stream));
}

static const iw_kernel *cuda_kernel(iw_context *context, iw_kernel_id id)
{
  (void)context;
  return iw_kernels_cuda[id];
}

static iw_status cuda_launch(iw_context *context, const iw_kernel *kernel, size_t grid, unsigned threads, size_t shared,
                             const void *args)
{
  const cuda_state *const state = context->state;
  if (!kernel->start)
    return iw_fail(IW_ERROR_MISMATCH, "kernel %s was built for %s, and the context runs on CUDA: build it with nvcc too",
                   kernel->name, kernel->isa);
  if (grid > INT_MAX)
    return iw_fail(IW_ERROR_INVALID, "the grid is %zu blocks: CUDA takes %d", grid, INT_MAX);
  if (shared > context->shared_room)
    return iw_fail(IW_ERROR_LAUNCH, "kernel %s needs %zu bytes of shared memory for a block; CUDA device %d has %zu",
                   kernel->name, shared, context->number, context->shared_room);
  if (grid == 0)
    return IW_OK;
  context->captured |= is_captured(context);
  const iw_cuda_launch how = {
    .device = context->number, .threads = threads, .grid = grid, .shared = shared, .stream = state->stream, .args = args,
  };
  const cudaError_t error = (cudaError_t)kernel->start(&how);
  return error == cudaSuccess ? IW_OK : failed(error, kernel->name);
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* Whether this build has code for devices of a compute capability: binaries run on later ones of the same major number, and
 * the last one's PTX on all later ones. */
static int has_code_for(int capability)
{
  const char *at = IW_CUDA_ARCHES;
  int last = 0, found = 0;
  while (*at) {
    char *end;
    last = (int)strtol(at, &end, 10);
    found |= last / 10 == capability / 10 && last <= capability;
    at = end + strcspn(end, " ");
    at += strspn(at, " ");
  }
  return found || last <= capability;
}

/* The compute capability of a device, as 10 * major + minor; 0 if it cannot be had. */
static int capability_of(int device)
{
  int major = 0, minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess
      || cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
    return 0;
  return 10 * major + minor;
}

static iw_status attribute(int device, enum cudaDeviceAttr which, int *value)
{
  CUDA_TRY(cudaDeviceGetAttribute(value, which, device));
  return IW_OK;
}

static iw_status describe(iw_context *context)
{
  int capability, processors, room, all, driver = 0;
  struct cudaDeviceProp *const device = malloc(sizeof *device);
  if (!device)
    return iw_fail(IW_ERROR_MEMORY, "%zu bytes of host memory could not be had", sizeof *device);
  const cudaError_t error = cudaGetDeviceProperties(device, context->number);
  if (error == cudaSuccess)
    snprintf(context->label, sizeof context->label, "%.64s", device->name);
  free(device);
  if (error != cudaSuccess)
    return failed(error, "cudaGetDeviceProperties");
  capability = capability_of(context->number);
  IW_TRY(attribute(context->number, cudaDevAttrMultiProcessorCount, &processors));
  IW_TRY(attribute(context->number, cudaDevAttrMaxSharedMemoryPerBlockOptin, &room));
  IW_TRY(attribute(context->number, cudaDevAttrMaxSharedMemoryPerMultiprocessor, &all));
  if (!has_code_for(capability))
    return iw_fail(IW_ERROR_UNAVAILABLE, "CUDA device %d, %s, has compute capability %d.%d; this build has code for %s",
                   context->number, context->label, capability / 10, capability % 10, IW_CUDA_ARCHES);
  (void)cudaDriverGetVersion(&driver);
  const size_t length = strlen(context->label);
  snprintf(context->label + length, sizeof context->label - length,
           " (device %d, compute capability %d.%d), driver for CUDA %d.%d", context->number, capability / 10,
           capability % 10, driver / 1000, driver % 1000 / 10);
  enum { OWN = 4096 }; /* what collectives of a block take besides */
  context->processors = (unsigned)processors;
  context->shared_room = (size_t)room - OWN;
  context->shared_all = (size_t)all;
  context->atomics_merge = 1;
  context->worth = 1;
  context->threads = 1;
  context->team = 1;
  return IW_OK;
}

static iw_status begin(iw_context *context)
{
  cuda_state *const state = context->state;
  IW_TRY(describe(context));
  CUDA_TRY(cudaStreamCreate(&state->own));
  state->stream = state->own;
  CUDA_TRY(cudaEventCreateWithFlags(&state->order, cudaEventDisableTiming));
  return IW_OK;
}

static iw_status begin_on_device(iw_context *context)
{
  ON_DEVICE(context, begin(context));
}

static void end(cuda_state *state)
{
  if (state->stream)
    (void)cudaStreamSynchronize(state->stream);
  for (int i = 0; i < 2; i++) {
    if (state->chunks[i].pinned)
      (void)cudaFreeHost(state->chunks[i].pinned);
    if (state->chunks[i].done)
      (void)cudaEventDestroy(state->chunks[i].done);
    if (state->pieces[i].memory)
      (void)cudaFree(state->pieces[i].memory);
    if (state->pieces[i].filled)
      (void)cudaEventDestroy(state->pieces[i].filled);
    if (state->pieces[i].used)
      (void)cudaEventDestroy(state->pieces[i].used);
  }
  if (state->transfers)
    (void)cudaStreamDestroy(state->transfers);
  if (state->order)
    (void)cudaEventDestroy(state->order);
  if (state->own)
    (void)cudaStreamDestroy(state->own);
  while (state->kept) {
    kept *const next = state->kept->next;
    free(state->kept);
    state->kept = next;
  }
  (void)cudaGetLastError();
}

static void cuda_close(iw_context *context)
{
  int was = context->number;
  enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  (void)cudaGetDevice(&was);
  (void)cudaSetDevice(context->number);
  (void)cudaThreadExchangeStreamCaptureMode(&mode);
  end(context->state);
  free(context->state);
  (void)cudaThreadExchangeStreamCaptureMode(&mode);
  (void)cudaSetDevice(was);
  (void)cudaGetLastError();
}

static iw_status cuda_open(iw_context *context, const iw_context_options *options)
{
  int count = 0;
  CUDA_TRY(cudaGetDeviceCount(&count));
  if (options->device >= count)
    return iw_fail(IW_ERROR_UNAVAILABLE, "options->device is %d; this machine has %d CUDA device%s, counted from 0",
                   options->device, count, count == 1 ? "" : "s");
  context->number = options->device;
  context->state = calloc(1, sizeof(cuda_state));
  if (!context->state)
    return iw_fail(IW_ERROR_MEMORY, "%zu bytes of host memory could not be had", sizeof(cuda_state));
  const iw_status status = begin_on_device(context);
  if (status != IW_OK)
    cuda_close(context);
  return status;
}

static const iw_backend_ops cuda = {
  "cuda", cuda_open, cuda_close, cuda_allocate, cuda_release, cuda_locate, cuda_copy, cuda_upload, cuda_pieces, cuda_set_stream,
  cuda_synchronize, cuda_kernel, cuda_launch,
};

const iw_backend_ops *iw_backend_cuda(const char **why)
{
  static _Thread_local char reason[160];
  int count = 0, capability = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  *why = "";
  for (int device = 0; error == cudaSuccess && device < count; device++) {
    capability = capability_of(device);
    if (capability && has_code_for(capability))
      return &cuda;
  }
  (void)cudaGetLastError();
  if (error == cudaErrorInsufficientDriver)
    snprintf(reason, sizeof reason, "there is no NVIDIA driver, or one that is too old for CUDA %d.%d", CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10);
  else if (error != cudaSuccess)
    snprintf(reason, sizeof reason, "%s", cudaGetErrorString(error));
  else if (count == 0)
    snprintf(reason, sizeof reason, "there is no device");
  else
    snprintf(reason, sizeof reason, "this build has code for compute capability %s, and the device here has %d.%d", IW_CUDA_ARCHES,
             capability / 10, capability % 10);
  *why = reason;
  return NULL;
}
