/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA backend: devices, streams, memory, and copies between host and device. The object that contains a
 * kernel launches it (iw_kernel.enqueue), so that users' kernels are launched in the same way as the
 * library's (doc/design/cuda.md#launch-functions). Backend layer; knows no algorithm.
 */
#include <config.h>
#include "runtime/arithmetic.h"
#include "runtime/context.h"

#include <cuda_runtime_api.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const iw_kernel *const iw_kernels_cuda[];

enum {
  PINNED_BYTES = 8 << 20, /* of each of the two pinned buffers through which pageable host data is copied */
  PIECE_BYTES = 64 << 20  /* of a piece, if an input is staged piece by piece (for_each_piece) */
};

/* A copy of a host table that a captured graph uploads at each replay. */
typedef struct graph_table { struct graph_table *next; char table[]; } graph_table;

typedef struct cuda_state {
  cudaStream_t own_stream, stream; /* created by the context; in use: own_stream or the caller's */
  cudaStream_t copy_stream;        /* copies pieces while kernels run */
  cudaEvent_t stream_switch;
  cudaStream_t side;               /* of fork() and join() */
  cudaEvent_t side_event;
  struct { void *pinned; cudaEvent_t done; } pinned_buffers[2];
  struct { void *memory; cudaEvent_t filled, used; } pieces[2];
  size_t piece_bytes;
  graph_table *graph_tables;
} cuda_state;

/* ---- Errors ---------------------------------------------------------------------------------------- */

/* Converts an error to a status. Clears the runtime's last error, so that no later call reports it. */
static iw_status fail_cuda(cudaError_t error, const char *call)
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
  do { \
    const cudaError_t error_ = (call); \
    if (error_ != cudaSuccess) return fail_cuda(error_, #call); \
  } while (0)

/* The thread's current device and capture mode before a call. */
typedef struct thread_state { int device; enum cudaStreamCaptureMode mode; } thread_state;

/* Makes the context's device the thread's current one, and its capture mode relaxed: in another mode the
 * call could invalidate captures of other threads. */
static iw_status enter_device(const iw_context *context, thread_state *before)
{
  *before = (thread_state){ context->device_index, cudaStreamCaptureModeRelaxed };
  CUDA_TRY(cudaGetDevice(&before->device));
  const int other = before->device != context->device_index;
  if (other)
    CUDA_TRY(cudaSetDevice(context->device_index));
  const cudaError_t error = cudaThreadExchangeStreamCaptureMode(&before->mode);
  if (error != cudaSuccess && other)
    (void)cudaSetDevice(before->device);
  return error == cudaSuccess ? IW_OK : fail_cuda(error, "cudaThreadExchangeStreamCaptureMode");
}

/* Restores both, whatever has failed; returns the first failure. */
static iw_status leave_device(const iw_context *context, thread_state *before, iw_status status)
{
  const cudaError_t mode = cudaThreadExchangeStreamCaptureMode(&before->mode);
  const cudaError_t device = before->device != context->device_index ? cudaSetDevice(before->device) : cudaSuccess;
  return status != IW_OK ? status : mode != cudaSuccess ? fail_cuda(mode, "cudaThreadExchangeStreamCaptureMode")
    : device != cudaSuccess ? fail_cuda(device, "cudaSetDevice") : IW_OK;
}

/* Returns the status of a call that runs on the context's device. */
#define ON_DEVICE(context, call) do { \
    thread_state before_; \
    IW_TRY(enter_device(context, &before_)); \
    return leave_device(context, &before_, (call)); \
  } while (0)

static int is_capturing(const iw_context *context)
{
  const cuda_state *const state = context->state;
  enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(state->stream, &status) != cudaSuccess)
    (void)cudaGetLastError();
  return status != cudaStreamCaptureStatusNone;
}

/* ---- Memory ---------------------------------------------------------------------------------------- */

static iw_status allocate(iw_context *context, size_t bytes, void **memory)
{
  *memory = NULL;
  if (is_capturing(context))
    return iw_fail(IW_ERROR_MEMORY,
                   "%zu bytes are needed while the context's stream is being captured: allocate them before the "
                   "capture, scratch by iw_context_reserve()", bytes);
  const cudaError_t error = cudaMalloc(memory, bytes);
  if (error == cudaErrorMemoryAllocation) {
    size_t left = 0, all = 0;
    (void)cudaGetLastError();
    if (cudaMemGetInfo(&left, &all) != cudaSuccess)
      (void)cudaGetLastError();
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes on CUDA device %d, which has %zu free of %zu",
                   bytes, context->device_index, left, all);
  }
  return error == cudaSuccess ? IW_OK : fail_cuda(error, "cudaMalloc");
}

static iw_status allocate_on_device(iw_context *context, size_t bytes, void **memory)
{
  ON_DEVICE(context, allocate(context, bytes, memory));
}

static void cuda_release(iw_context *context, void *memory)
{
  enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  (void)context; /* cudaFree() finds the device, and waits for kernels that may use the memory */
  const int relaxed = cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess;
  (void)cudaFree(memory);
  if (relaxed)
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
  (void)cudaGetLastError();
}

static iw_status cuda_allocate(iw_context *context, size_t bytes, void **memory)
{
  *memory = NULL;
  const iw_status status = allocate_on_device(context, bytes, memory);
  if (status != IW_OK && *memory) { /* what came after the allocation has failed */
    cuda_release(context, *memory);
    *memory = NULL;
  }
  return status;
}

/* The attributes of any pointer; pageable host memory is cudaMemoryTypeUnregistered, pinned memory
 * cudaMemoryTypeHost. A failure of queued work may be reported here: memory is not taken for the host's
 * then. */
static iw_status attributes_of(const void *memory, struct cudaPointerAttributes *found)
{
  *found = (struct cudaPointerAttributes){ .type = cudaMemoryTypeUnregistered };
  const cudaError_t error = memory ? cudaPointerGetAttributes(found, memory) : cudaSuccess;
  if (error == cudaSuccess)
    return IW_OK;
  found->type = cudaMemoryTypeUnregistered;
  if (error != cudaErrorInvalidValue) /* which is how old runtimes report pageable memory */
    return fail_cuda(error, "cudaPointerGetAttributes");
  (void)cudaGetLastError();
  return IW_OK;
}

static int is_host(const struct cudaPointerAttributes *found)
{
  return found->type == cudaMemoryTypeUnregistered || found->type == cudaMemoryTypeHost;
}

iw_status iw_cuda_device_of(const void *memory, int *device)
{
  enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  struct cudaPointerAttributes found;
  CUDA_TRY(cudaThreadExchangeStreamCaptureMode(&mode)); /* the query must not invalidate a capture */
  const iw_status status = attributes_of(memory, &found);
  const cudaError_t error = cudaThreadExchangeStreamCaptureMode(&mode);
  *device = is_host(&found) ? -1 : found.device;
  return status != IW_OK || error == cudaSuccess ? status : fail_cuda(error, "cudaThreadExchangeStreamCaptureMode");
}

static iw_status cuda_owns(iw_context *context, const void *memory, int *owns)
{
  int device;
  (void)context;
  IW_TRY(iw_cuda_device_of(memory, &device));
  *owns = device >= 0;
  return IW_OK;
}

static iw_status locate(iw_context *context, const char *name, const void *memory, int *accessible)
{
  struct cudaPointerAttributes found;
  IW_TRY(attributes_of(memory, &found));
  *accessible = !is_host(&found);
  if (*accessible && found.type != cudaMemoryTypeManaged && found.device != context->device_index)
    return iw_fail(IW_ERROR_INVALID, "%s is memory of CUDA device %d, but the context runs on device %d",
                   name, found.device, context->device_index);
  if (!*accessible && is_capturing(context))
    return iw_fail(IW_ERROR_INVALID,
                   "%s is host memory, which cannot be used while the stream is being captured", name);
  return IW_OK;
}

static iw_status cuda_locate(iw_context *context, const char *name, const void *memory, int *accessible)
{
  ON_DEVICE(context, locate(context, name, memory, accessible));
}

/* ---- Copies ---------------------------------------------------------------------------------------- */

static iw_status make_pinned_buffers(cuda_state *state)
{
  for (int i = 0; i < 2; i++) {
    if (!state->pinned_buffers[i].done)
      CUDA_TRY(cudaEventCreateWithFlags(&state->pinned_buffers[i].done, cudaEventDisableTiming));
    if (!state->pinned_buffers[i].pinned)
      CUDA_TRY(cudaHostAlloc(&state->pinned_buffers[i].pinned, PINNED_BYTES, cudaHostAllocDefault));
  }
  return IW_OK;
}

/* Copies pageable host memory through two pinned buffers: the host fills one while the device reads the
 * other. On return pageable memory has been read and may change; pinned memory may change when the stream
 * has been synchronised. */
static iw_status copy_host_to_device(cuda_state *state, void *to, const void *from, size_t bytes,
                                     int pinned, cudaStream_t stream)
{
  if (pinned || bytes <= PINNED_BYTES / 8) {
    CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
    return IW_OK;
  }
  IW_TRY(make_pinned_buffers(state));
  for (size_t at = 0, buffer = 0; at < bytes; at += PINNED_BYTES, buffer ^= 1) {
    const size_t here = iw_min(bytes - at, PINNED_BYTES);
    CUDA_TRY(cudaEventSynchronize(state->pinned_buffers[buffer].done));
    memcpy(state->pinned_buffers[buffer].pinned, (const char *)from + at, here);
    CUDA_TRY(cudaMemcpyAsync((char *)to + at, state->pinned_buffers[buffer].pinned, here, cudaMemcpyDefault,
                             stream));
    CUDA_TRY(cudaEventRecord(state->pinned_buffers[buffer].done, stream));
  }
  return IW_OK;
}

/* Copies device memory to the host, through the same buffers. Complete on return. */
static iw_status copy_device_to_host(cuda_state *state, void *to, const void *from, size_t bytes,
                                     int pinned, cudaStream_t stream)
{
  if (pinned || bytes <= PINNED_BYTES / 8) {
    CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
    CUDA_TRY(cudaStreamSynchronize(stream));
    return IW_OK;
  }
  IW_TRY(make_pinned_buffers(state));
  const size_t count = iw_ceil_div(bytes, PINNED_BYTES);
  for (size_t i = 0; i <= count; i++) { /* copies chunk i to its buffer while chunk i - 1 leaves the other */
    if (i < count) {
      CUDA_TRY(cudaEventSynchronize(state->pinned_buffers[i % 2].done));
      CUDA_TRY(cudaMemcpyAsync(state->pinned_buffers[i % 2].pinned, (const char *)from + i * PINNED_BYTES,
                               iw_min(bytes - i * PINNED_BYTES, PINNED_BYTES), cudaMemcpyDefault, stream));
      CUDA_TRY(cudaEventRecord(state->pinned_buffers[i % 2].done, stream));
    }
    if (i > 0) {
      CUDA_TRY(cudaEventSynchronize(state->pinned_buffers[(i - 1) % 2].done));
      memcpy((char *)to + (i - 1) * PINNED_BYTES, state->pinned_buffers[(i - 1) % 2].pinned,
             iw_min(bytes - (i - 1) * PINNED_BYTES, PINNED_BYTES));
    }
  }
  return IW_OK;
}

static iw_status copy(iw_context *context, void *to, const void *from, size_t bytes)
{
  cuda_state *const state = context->state;
  struct cudaPointerAttributes there, here;
  IW_TRY(attributes_of(to, &there));
  IW_TRY(attributes_of(from, &here));
  const int host = is_host(&there) || is_host(&here);
  if (host && is_capturing(context))
    return iw_fail(IW_ERROR_INVALID,
                   "the call copies %zu bytes between host and device, which is not possible while its "
                   "stream is being captured", bytes);
  if (is_host(&there) && is_host(&here)) {
    CUDA_TRY(cudaStreamSynchronize(state->stream));
    memmove(to, from, bytes);
    return IW_OK;
  }
  if (is_host(&there))
    return copy_device_to_host(state, to, from, bytes, there.type == cudaMemoryTypeHost, state->stream);
  if (is_host(&here)) {
    const iw_status status = copy_host_to_device(state, to, from, bytes, here.type == cudaMemoryTypeHost, state->stream);
    const cudaError_t error = cudaStreamSynchronize(state->stream); /* after a failure too: pinned memory is read until then */
    return status != IW_OK || error == cudaSuccess ? status : fail_cuda(error, "cudaStreamSynchronize");
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
  if (is_capturing(context)) {
    graph_table *const entry = malloc(sizeof *entry + bytes);
    if (!entry)
      return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes of host memory", sizeof *entry + bytes);
    memcpy(entry->table, from, bytes);
    entry->next = state->graph_tables;
    state->graph_tables = entry;
    from = entry->table;
  }
  /* Pageable memory has been read when cudaMemcpyAsync() returns. */
  CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, state->stream));
  return IW_OK;
}

static iw_status cuda_upload(iw_context *context, void *to, const void *from, size_t bytes)
{
  if (!bytes)
    return IW_OK;
  ON_DEVICE(context, upload(context, to, from, bytes));
}

static iw_status zero(iw_context *context, void *memory, size_t bytes)
{
  cuda_state *const state = context->state;
  CUDA_TRY(cudaMemsetAsync(memory, 0, bytes, state->stream));
  return IW_OK;
}

static iw_status cuda_zero(iw_context *context, void *memory, size_t bytes)
{
  ON_DEVICE(context, zero(context, memory, bytes));
}

static iw_status make_pieces(iw_context *context, size_t bytes)
{
  cuda_state *const state = context->state;
  if (!state->copy_stream)
    CUDA_TRY(cudaStreamCreateWithFlags(&state->copy_stream, cudaStreamNonBlocking));
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

static iw_status use_pieces(cuda_state *state, const void *host, size_t bytes, size_t piece, int pinned, iw_piece_fn use,
                            void *job)
{
  for (size_t at = 0, buffer = 0; at < bytes; at += piece, buffer ^= 1) {
    const size_t here = iw_min(bytes - at, piece);
    CUDA_TRY(cudaStreamWaitEvent(state->copy_stream, state->pieces[buffer].used, 0));
    IW_TRY(copy_host_to_device(state, state->pieces[buffer].memory, (const char *)host + at, here, pinned,
                               state->copy_stream));
    CUDA_TRY(cudaEventRecord(state->pieces[buffer].filled, state->copy_stream));
    CUDA_TRY(cudaStreamWaitEvent(state->stream, state->pieces[buffer].filled, 0));
    IW_TRY(use(job, state->pieces[buffer].memory, at, here));
    CUDA_TRY(cudaEventRecord(state->pieces[buffer].used, state->stream));
  }
  return IW_OK;
}

static iw_status for_each_piece(iw_context *context, const void *host, size_t bytes, size_t unit,
                                iw_piece_fn use, void *job)
{
  cuda_state *const state = context->state;
  const size_t piece = iw_min(iw_max(PIECE_BYTES / unit, 1), iw_ceil_div(bytes, unit)) * unit;
  struct cudaPointerAttributes found;
  IW_TRY(attributes_of(host, &found));
  IW_TRY(make_pieces(context, piece));
  const iw_status status = use_pieces(state, host, bytes, piece, found.type == cudaMemoryTypeHost, use, job);
  if (status != IW_OK) /* the caller may free pinned memory */
    (void)cudaStreamSynchronize(state->copy_stream);
  const cudaError_t error = cudaStreamSynchronize(state->stream);
  return status != IW_OK || error == cudaSuccess ? status : fail_cuda(error, "cudaStreamSynchronize");
}

static iw_status cuda_for_each_piece(iw_context *context, const void *host, size_t bytes, size_t unit,
                                     iw_piece_fn use, void *job)
{
  ON_DEVICE(context, for_each_piece(context, host, bytes, unit, use, job));
}

/* ---- Streams and launches -------------------------------------------------------------------------- */

static iw_status fork_stream(iw_context *context, void **stream)
{
  cuda_state *const state = context->state;
  if (!state->side)
    CUDA_TRY(cudaStreamCreateWithFlags(&state->side, cudaStreamNonBlocking));
  if (!state->side_event)
    CUDA_TRY(cudaEventCreateWithFlags(&state->side_event, cudaEventDisableTiming));
  CUDA_TRY(cudaEventRecord(state->side_event, state->stream));
  CUDA_TRY(cudaStreamWaitEvent(state->side, state->side_event, 0));
  *stream = state->side;
  return IW_OK;
}

static iw_status cuda_fork(iw_context *context, void **stream)
{
  ON_DEVICE(context, fork_stream(context, stream));
}

static iw_status join_stream(iw_context *context)
{
  cuda_state *const state = context->state;
  if (!state->side_event)
    return IW_OK;
  CUDA_TRY(cudaEventRecord(state->side_event, state->side));
  CUDA_TRY(cudaStreamWaitEvent(state->stream, state->side_event, 0));
  return IW_OK;
}

static iw_status cuda_join(iw_context *context)
{
  ON_DEVICE(context, join_stream(context));
}

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

/* Work on the new stream waits for the old stream, because both use the context's scratch. */
static iw_status set_stream(iw_context *context, void *wanted)
{
  cuda_state *const state = context->state;
  const cudaStream_t next = wanted ? (cudaStream_t)wanted : state->own_stream, before = state->stream;
  if (next == before)
    return IW_OK;
  if (is_capturing(context))
    return iw_fail(IW_ERROR_INVALID,
                   "the context's stream is being captured: end the capture before you set another stream");
  state->stream = next;
  if (is_capturing(context)) /* a captured stream cannot wait for an event from outside the capture */
    CUDA_TRY(cudaStreamSynchronize(before));
  else {
    CUDA_TRY(cudaEventRecord(state->stream_switch, before));
    CUDA_TRY(cudaStreamWaitEvent(next, state->stream_switch, 0));
  }
  context->stream = wanted;
  return IW_OK;
}

static void *cuda_stream(iw_context *context)
{
  return ((cuda_state *)context->state)->stream;
}

static iw_status cuda_set_stream(iw_context *context, void *stream)
{
  ON_DEVICE(context, set_stream(context, stream));
}

static const iw_kernel *cuda_kernel(iw_context *context, unsigned id)
{
  (void)context;
  return iw_kernels_cuda[id];
}

static iw_status cuda_launch(iw_context *context, const iw_kernel *kernel, size_t grid, unsigned threads,
                             size_t shared, const void *args)
{
  const cuda_state *const state = context->state;
  if (!kernel->enqueue)
    return iw_fail(IW_ERROR_MISMATCH,
                   "kernel %s was built for %s, but the context runs on CUDA: build it with nvcc too",
                   kernel->name, kernel->isa);
  if (grid > INT_MAX)
    return iw_fail(IW_ERROR_INVALID, "the grid is %zu blocks; CUDA allows at most %d", grid, INT_MAX);
  if (shared > context->device.shared_per_block)
    return iw_fail(IW_ERROR_LAUNCH,
                   "kernel %s needs %zu bytes of shared memory for a block; CUDA device %d has %zu",
                   kernel->name, shared, context->device_index, context->device.shared_per_block);
  if (grid == 0)
    return IW_OK;
  context->has_captured_graph |= is_capturing(context);
  const iw_cuda_launch how = {
    .device = context->device_index, .threads = threads, .grid = grid, .shared = shared,
    .stream = state->stream, .args = args,
  };
  const cudaError_t error = (cudaError_t)kernel->enqueue(&how);
  return error == cudaSuccess ? IW_OK : fail_cuda(error, kernel->name);
}

/* ---- Opening --------------------------------------------------------------------------------------- */

/* Whether this build has code for a compute capability, given as 10 * major + minor. Machine code runs on the
 * same major and the same or a later minor number. The build has PTX for its last architecture, which runs on
 * all later ones. */
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

/* The compute capability of a device, as 10 * major + minor; 0 if the query fails. */
static int capability_of(int device)
{
  int major = 0, minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess
      || cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return 10 * major + minor;
}

static iw_status attribute(int device, enum cudaDeviceAttr which, int *value)
{
  CUDA_TRY(cudaDeviceGetAttribute(value, which, device));
  return IW_OK;
}

static iw_status query_device(iw_context *context)
{
  int major, minor, processors, per_block, per_processor, driver = 0;
  struct cudaDeviceProp *const device = malloc(sizeof *device);
  if (!device)
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes of host memory", sizeof *device);
  const cudaError_t error = cudaGetDeviceProperties(device, context->device_index);
  const size_t memory_bytes = error == cudaSuccess ? device->totalGlobalMem : 0;
  if (error == cudaSuccess)
    snprintf(context->label, sizeof context->label, "%.64s", device->name);
  free(device);
  if (error != cudaSuccess)
    return fail_cuda(error, "cudaGetDeviceProperties");
  IW_TRY(attribute(context->device_index, cudaDevAttrComputeCapabilityMajor, &major));
  IW_TRY(attribute(context->device_index, cudaDevAttrComputeCapabilityMinor, &minor));
  IW_TRY(attribute(context->device_index, cudaDevAttrMultiProcessorCount, &processors));
  IW_TRY(attribute(context->device_index, cudaDevAttrMaxSharedMemoryPerBlockOptin, &per_block));
  IW_TRY(attribute(context->device_index, cudaDevAttrMaxSharedMemoryPerMultiprocessor, &per_processor));
  if (!has_code_for(10 * major + minor))
    return iw_fail(IW_ERROR_UNAVAILABLE,
                   "CUDA device %d, %s, has compute capability %d.%d; this build has code for %s",
                   context->device_index, context->label, major, minor, IW_CUDA_ARCHES);
  if (cudaDriverGetVersion(&driver) != cudaSuccess)
    (void)cudaGetLastError();
  const size_t length = strlen(context->label);
  snprintf(context->label + length, sizeof context->label - length,
           " (device %d, compute capability %d.%d), driver for CUDA %d.%d", context->device_index,
           major, minor, driver / 1000, driver % 1000 / 10);
  enum { COLLECTIVES_SHARED_BYTES = 4096 }; /* static shared memory of block collectives */
  context->device = (iw_device){
    .processors = (unsigned)processors, .shared_per_block = (size_t)per_block - COLLECTIVES_SHARED_BYTES,
    .shared_per_processor = (size_t)per_processor, .min_bytes_per_block = 1, .prefers_global_atomics = 1,
    .scan_pipelines = 1, .short_calls_wait = 1, .passes_per_merge = 1, .memory_bytes = memory_bytes, .most_short_runs = 2 << 20, .most_short_top_k = 1 << 20,
    .bytes_per_tile_state = 128,
  };
  context->threads = 1;
  context->team = 1;
  return IW_OK;
}

static iw_status init_device(iw_context *context)
{
  cuda_state *const state = context->state;
  IW_TRY(query_device(context));
  CUDA_TRY(cudaStreamCreate(&state->own_stream));
  state->stream = state->own_stream;
  CUDA_TRY(cudaEventCreateWithFlags(&state->stream_switch, cudaEventDisableTiming));
  return IW_OK;
}

static iw_status init_on_device(iw_context *context)
{
  ON_DEVICE(context, init_device(context));
}

static void destroy_state(cuda_state *state)
{
  if (state->stream)
    (void)cudaStreamSynchronize(state->stream);
  for (int i = 0; i < 2; i++) {
    if (state->pinned_buffers[i].pinned)
      (void)cudaFreeHost(state->pinned_buffers[i].pinned);
    if (state->pinned_buffers[i].done)
      (void)cudaEventDestroy(state->pinned_buffers[i].done);
    if (state->pieces[i].memory)
      (void)cudaFree(state->pieces[i].memory);
    if (state->pieces[i].filled)
      (void)cudaEventDestroy(state->pieces[i].filled);
    if (state->pieces[i].used)
      (void)cudaEventDestroy(state->pieces[i].used);
  }
  if (state->copy_stream)
    (void)cudaStreamDestroy(state->copy_stream);
  if (state->side)
    (void)cudaStreamDestroy(state->side);
  if (state->side_event)
    (void)cudaEventDestroy(state->side_event);
  if (state->stream_switch)
    (void)cudaEventDestroy(state->stream_switch);
  if (state->own_stream)
    (void)cudaStreamDestroy(state->own_stream);
  while (state->graph_tables) {
    graph_table *const next = state->graph_tables->next;
    free(state->graph_tables);
    state->graph_tables = next;
  }
  (void)cudaGetLastError();
}

/* Frees what it can, whatever fails. */
static void cuda_close(iw_context *context)
{
  int previous_device = context->device_index;
  enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  const int moves = cudaGetDevice(&previous_device) == cudaSuccess && previous_device != context->device_index
    && cudaSetDevice(context->device_index) == cudaSuccess;
  const int relaxed = cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess;
  destroy_state(context->state);
  free(context->state);
  if (relaxed)
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
  if (moves)
    (void)cudaSetDevice(previous_device);
  (void)cudaGetLastError();
}

static iw_status cuda_open(iw_context *context, const iw_context_options *options)
{
  int count = 0;
  CUDA_TRY(cudaGetDeviceCount(&count));
  if (options->device >= count)
    return iw_fail(IW_ERROR_UNAVAILABLE,
                   "options->device is %d; this machine has %d CUDA device%s, counted from 0",
                   options->device, count, count == 1 ? "" : "s");
  context->device_index = options->device;
  context->state = calloc(1, sizeof(cuda_state));
  if (!context->state)
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes of host memory", sizeof(cuda_state));
  const iw_status status = init_on_device(context);
  if (status != IW_OK)
    cuda_close(context);
  return status;
}

static const iw_backend_ops cuda = {
  .name = "cuda", .isa = "cuda",
  .open = cuda_open, .close = cuda_close, .allocate = cuda_allocate, .release = cuda_release, .owns = cuda_owns,
  .locate = cuda_locate, .copy = cuda_copy, .upload = cuda_upload, .zero = cuda_zero,
  .for_each_piece = cuda_for_each_piece, .set_stream = cuda_set_stream, .stream = cuda_stream, .fork = cuda_fork, .join = cuda_join,
  .synchronize = cuda_synchronize,
  .kernel = cuda_kernel, .launch = cuda_launch,
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
    snprintf(reason, sizeof reason, "there is no NVIDIA driver, or it is too old for CUDA %d.%d",
             CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  else if (error != cudaSuccess)
    snprintf(reason, sizeof reason, "%s", cudaGetErrorString(error));
  else if (count == 0)
    snprintf(reason, sizeof reason, "there is no device");
  else
    snprintf(reason, sizeof reason,
             "this build has code for compute capability %s, and the device here has %d.%d", IW_CUDA_ARCHES,
             capability / 10, capability % 10);
  *why = reason;
  return NULL;
}
