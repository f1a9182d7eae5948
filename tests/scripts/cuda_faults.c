/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA backend with a CUDA runtime that fails: each call that the library makes of it, in each public
 * call, fails once. The runtime is the one below, whose devices' memory is host memory and whose kernels
 * compute nothing, so no GPU is needed and results mean nothing. tests/scripts/cuda_faults.sh builds it
 * with src/cuda/backend.c.
 */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <isowarp/descriptor.h>
#include "algorithms/common/kernel_ids.h"
#include "allocator.h"
#include "every_call.h"

/* ---- The runtime ------------------------------------------------------------------------------------- */

/* The functions that fail, numbered by their calls from 1 while `armed`. HARMLESS: the library goes on
 * without what they say. RELEASES: they do what they are to do, and report a failure of something else.
 * EITHER: harmless in some places, such as around a release, or for a device that is not used. */
enum { FAILS, HARMLESS, RELEASES, EITHER };
typedef struct fault_point { const char *name; unsigned kind, count; } fault_point;
static struct { int armed; unsigned count, at; fault_point *met; cudaError_t last; } faults;
static fault_point *points[64];

static cudaError_t point(fault_point *here, cudaError_t error)
{
  if (!faults.armed || ++faults.count != faults.at)
    return cudaSuccess;
  if (!here->count++)
    for (unsigned i = 0;; i++)
      if (!points[i]) {
        points[i] = here;
        break;
      }
  faults.met = here;
  return faults.last = error;
}
#define POINT(function, kind, error) static fault_point here = { #function, kind, 0 }; const cudaError_t e = point(&here, error)
#define FAIL_HERE(function, error) do { POINT(function, FAILS, error); if (e != cudaSuccess) return e; } while (0)

/* What is there of each kind: the library leaves nothing behind. */
static struct { long device_memory, pinned, streams, events; } alive;
static int current_device;
static enum cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

enum { DEVICES = 2, BLOCKS = 256 };
static struct { char *begin; size_t bytes; enum cudaMemoryType type; int device; } blocks[BLOCKS];
static void add_block(void *begin, size_t bytes, enum cudaMemoryType type, int device)
{
  unsigned i = 0;
  while (blocks[i].begin)
    ck_assert_uint_lt(++i, BLOCKS);
  blocks[i].begin = begin;
  blocks[i].bytes = bytes;
  blocks[i].type = type;
  blocks[i].device = device;
}
static void remove_block(const void *begin)
{
  unsigned i = 0;
  while (blocks[i].begin != begin)
    ck_assert_uint_lt(++i, BLOCKS);
  blocks[i].begin = NULL;
}

const char *cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "a failure in words"; }
const char *cudaGetErrorName(cudaError_t error) { return error == cudaSuccess ? "cudaSuccess" : "cudaErrorOfATest"; }
cudaError_t cudaGetLastError(void)
{
  const cudaError_t last = faults.last;
  faults.last = cudaSuccess;
  return last;
}
cudaError_t cudaGetDeviceCount(int *count) { FAIL_HERE(cudaGetDeviceCount, cudaErrorUnknown); *count = DEVICES; return cudaSuccess; }
cudaError_t cudaGetDevice(int *device) { FAIL_HERE(cudaGetDevice, cudaErrorUnknown); *device = current_device; return cudaSuccess; }
cudaError_t cudaSetDevice(int device) { FAIL_HERE(cudaSetDevice, cudaErrorUnknown); current_device = device; return cudaSuccess; }
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
  POINT(cudaThreadExchangeStreamCaptureMode, EITHER, cudaErrorUnknown);
  if (e != cudaSuccess)
    return e;
  const enum cudaStreamCaptureMode before = capture_mode;
  capture_mode = *mode;
  *mode = before;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
  (void)stream;
  POINT(cudaStreamIsCapturing, HARMLESS, cudaErrorUnknown);
  *status = cudaStreamCaptureStatusNone;
  return e;
}
cudaError_t cudaMalloc(void **memory, size_t bytes)
{
  FAIL_HERE(cudaMalloc, cudaErrorMemoryAllocation);
  *memory = __libc_calloc(1, bytes + 64);
  add_block(*memory, bytes, cudaMemoryTypeDevice, current_device);
  alive.device_memory++;
  return cudaSuccess;
}
cudaError_t cudaFree(void *memory)
{
  POINT(cudaFree, RELEASES, cudaErrorLaunchFailure);
  remove_block(memory);
  __libc_free(memory);
  alive.device_memory--;
  return e;
}
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
  (void)flags;
  FAIL_HERE(cudaHostAlloc, cudaErrorMemoryAllocation);
  *memory = __libc_malloc(bytes);
  add_block(*memory, bytes, cudaMemoryTypeHost, 0);
  alive.pinned++;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void *memory)
{
  POINT(cudaFreeHost, RELEASES, cudaErrorLaunchFailure);
  remove_block(memory);
  __libc_free(memory);
  alive.pinned--;
  return e;
}
cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
  POINT(cudaMemGetInfo, HARMLESS, cudaErrorUnknown);
  *left = *all = 1 << 20;
  return e;
}
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *found, const void *memory)
{
  FAIL_HERE(cudaPointerGetAttributes, cudaErrorLaunchFailure);
  *found = (struct cudaPointerAttributes){ .type = cudaMemoryTypeUnregistered };
  for (unsigned i = 0; i < BLOCKS; i++)
    if (blocks[i].begin && (uintptr_t)memory - (uintptr_t)blocks[i].begin < blocks[i].bytes) {
      found->type = blocks[i].type;
      found->device = blocks[i].device;
    }
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
  (void)kind, (void)stream;
  FAIL_HERE(cudaMemcpyAsync, cudaErrorLaunchFailure);
  memmove(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
  (void)stream;
  FAIL_HERE(cudaMemsetAsync, cudaErrorLaunchFailure);
  memset(memory, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
  (void)flags;
  FAIL_HERE(cudaStreamCreate, cudaErrorUnknown);
  *stream = (cudaStream_t)__libc_malloc(1);
  alive.streams++;
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
  POINT(cudaStreamDestroy, RELEASES, cudaErrorLaunchFailure);
  __libc_free(stream);
  alive.streams--;
  return e;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
  (void)flags;
  FAIL_HERE(cudaEventCreateWithFlags, cudaErrorUnknown);
  *event = (cudaEvent_t)__libc_malloc(1);
  alive.events++;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
  POINT(cudaEventDestroy, RELEASES, cudaErrorLaunchFailure);
  __libc_free(event);
  alive.events--;
  return e;
}
#define WAITS(function, ...) \
  cudaError_t function(__VA_ARGS__) { FAIL_HERE(function, cudaErrorLaunchFailure); return cudaSuccess; }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
WAITS(cudaEventSynchronize, cudaEvent_t event)
WAITS(cudaEventRecord, cudaEvent_t event, cudaStream_t stream)
WAITS(cudaStreamWaitEvent, cudaStream_t stream, cudaEvent_t event, unsigned flags)
WAITS(cudaStreamSynchronize, cudaStream_t stream)
#pragma GCC diagnostic pop
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device)
{
  (void)device;
  POINT(cudaDeviceGetAttribute, EITHER, cudaErrorUnknown);
  if (e != cudaSuccess)
    return e;
  *value = which == cudaDevAttrComputeCapabilityMajor ? 9 : which == cudaDevAttrComputeCapabilityMinor ? 0
    : which == cudaDevAttrMultiProcessorCount ? 4 : 227 << 10;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
  (void)device;
  FAIL_HERE(cudaGetDeviceProperties, cudaErrorUnknown);
  strcpy(properties->name, "a device of tests/scripts/cuda_faults.c");
  properties->totalGlobalMem = (size_t)1 << 30;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version)
{
  POINT(cudaDriverGetVersion, HARMLESS, cudaErrorUnknown);
  *version = CUDART_VERSION;
  return e;
}

/* One kernel serves for all: a launch fails like a call of the runtime. */
static int enqueue(const iw_cuda_launch *how)
{
  (void)how;
  FAIL_HERE(kernel launch, cudaErrorLaunchOutOfResources);
  return cudaSuccess;
}
static const iw_kernel any_kernel = {
  .size = sizeof any_kernel, .name = "any", .isa = "cuda", .warp_size = 32, .block = 256, .blocks_per_processor = 2,
  .shared = 16384, .enqueue = enqueue,
};
extern const iw_kernel *const iw_kernels_cuda[];
const iw_kernel *const iw_kernels_cuda[IW_KERNEL_COUNT] = { [0 ... IW_KERNEL_COUNT - 1] = &any_kernel };

/* ---- The calls --------------------------------------------------------------------------------------- */

enum { N = 150000 };
static call_data data;

static iw_context *context_of(iw_backend backend)
{
  iw_context *context;
  const iw_context_options o = { .size = sizeof o, .backend = backend, .threads = 2 };
  ck_assert_msg(iw_context_open(&context, &o) == IW_OK, "%s", iw_message());
  return context;
}

/* Declares the inputs and the outputs to be memory of device 0, or the host's again. */
static void move_data(int to_device)
{
  struct { void *at; size_t bytes; } all[ELEMENT_TYPES + RAW_WIDTHS + 2] = { { data.flags, N }, { data.arena, data.capacity } };
  for (iw_type type = IW_U8; type <= IW_BF16; type++) {
    all[2 + type].at = data.in[type];
    all[2 + type].bytes = N * iw_type_size(type);
  }
  for (unsigned p = 0; p < RAW_WIDTHS; p++) {
    all[2 + ELEMENT_TYPES + p].at = data.raw[p];
    all[2 + ELEMENT_TYPES + p].bytes = N * raw_widths[p];
  }
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (to_device)
      add_block(all[i].at, all[i].bytes, cudaMemoryTypeDevice, 0);
    else
      remove_block(all[i].at);
}

/* The current device is 1, and the contexts' is 0: it has to be 1 again after each call, also after one
 * that fails, unless restoring it is what failed. */
static void check_thread(const char *name)
{
  const int restores = faults.met && (!strcmp(faults.met->name, "cudaSetDevice")
                                      || !strcmp(faults.met->name, "cudaThreadExchangeStreamCaptureMode"));
  ck_assert_msg(restores || (current_device == 1 && capture_mode == cudaStreamCaptureModeGlobal),
                "%s leaves device %d, after %s failed", name, current_device, faults.met ? faults.met->name : "nothing");
  ck_assert_msg(!restores || !strcmp(faults.met->name, "cudaSetDevice") || current_device == 1,
                "%s leaves device %d, after %s failed", name, current_device, faults.met->name);
  current_device = 1;
  capture_mode = cudaStreamCaptureModeGlobal;
}

/* Makes the call without a look at its outputs, which mean nothing. */
static iw_status make_call(const every_call *call, iw_context *c, iw_type type)
{
  return make_fixed_call(call, c, type, &data);
}

static void arm_runtime(unsigned at)
{
  faults.count = 0;
  faults.at = at;
  faults.met = NULL;
  faults.armed = 1;
}

static unsigned allocations; /* that were refused */

/* The point of that number fails, of the runtime or of the allocator. Returns whether there is one. */
static int refuse_one(const every_call *call, iw_type type, iw_backend backend, int of_allocator, unsigned at, long tables)
{
  const long before = allocator.live;
  iw_context *const c = context_of(backend);
  if (of_allocator)
    arm(at);
  else
    arm_runtime(at);
  const iw_status status = make_call(call, c, type);
  faults.armed = 0;
  disarm();
  const int met = of_allocator ? allocator.refused != 0 : faults.met != NULL;
  const char *const failed = !met ? "nothing" : of_allocator ? "an allocation" : faults.met->name;
  allocations += of_allocator && met;
  check_thread(call->name);
  ck_assert_msg(faults.last == cudaSuccess, "%s leaves the error of %s for others", call->name, failed);
  if (met && (of_allocator || faults.met->kind == EITHER))
    ck_assert(status == IW_OK || *iw_message());
  else if (!met || faults.met->kind != FAILS)
    ck_assert_msg(status == IW_OK, "%s of %s: %s failed, which is harmless: %s", call->name, iw_type_name(type), failed, iw_message());
  else
    ck_assert_msg(status != IW_OK && *iw_message(), "%s of %s succeeded though %s failed (point %u)", call->name,
                  iw_type_name(type), failed, at);
  faults.met = NULL;
  ck_assert_msg(make_call(call, c, type) == IW_OK, "%s of %s after %s failed (point %u): %s", call->name, iw_type_name(type), failed,
                at, iw_message());
  check_thread(call->name);
  iw_context_close(c);
  ck_assert_msg(alive.device_memory == tables && !alive.pinned && !alive.streams && !alive.events,
                "%s leaves %ld arrays, %ld pinned buffers, %ld streams, %ld events after %s failed", call->name,
                alive.device_memory - tables, alive.pinned, alive.streams, alive.events, failed);
  ck_assert_msg(allocator.live == before, "%s of %s leaves %ld blocks after %s failed (point %u)", call->name, iw_type_name(type),
                allocator.live - before, failed, at);
  return met;
}

/* Returns 0 if there is no such call. */
static int refuse_each(const every_call *call, iw_type type, iw_backend backend)
{
  iw_context *const c = context_of(backend);
  const iw_status possible = make_call(call, c, type); /* some need kernels that compute */
  iw_context_close(c);
  if (possible != IW_OK)
    return 0;
  const long tables = alive.device_memory; /* of plans */
  for (int of_allocator = 0; of_allocator < 2; of_allocator++)
    for (unsigned at = 1; refuse_one(call, type, backend, of_allocator, at, tables); at++)
      ck_assert_uint_lt(at, 5000);
  return 1;
}

/* Host data on a CUDA context, device data on a CUDA and on an AUTO context. */
START_TEST(each_fails)
{
  call_data_make(&data, N);
  current_device = 1;
  plans_make(40, 2500);
  const uint64_t inputs = digest_of_inputs(&data);
  const long before = alive.device_memory;
  ck_assert_int_eq(before, 0);
  for (int where = 0; where < 3; where++) {
    if (where)
      move_data(1);
    for (unsigned k = 0; k < every_call_count; k++) {
      iw_status (*const run)(env *) = every_calls[k].row->run;
      if (run == row_context_open || run == row_histogram_plan_make || run == row_memory_allocate)
        continue;
      int made = 0;
      for (iw_type type = (iw_type)(IW_U8 + k % 3); type <= IW_BF16 && made < 2; type = (iw_type)(type + 3))
        made += refuse_each(&every_calls[k], type, where == 2 ? IW_BACKEND_AUTO : IW_BACKEND_CUDA);
    }
    if (where)
      move_data(0);
  }
  ck_assert_uint_eq(digest_of_inputs(&data), inputs);
  unsigned sum = 0;
  for (unsigned i = 0; points[i]; i++) {
    printf("# %6u %s\n", points[i]->count, points[i]->name);
    sum += points[i]->count;
  }
  printf("# %6u calls of the CUDA runtime failed, and %u allocations\n", sum, allocations);
  ck_assert_uint_gt(sum, 1000);
  plans_free();
  call_data_free(&data);
}
END_TEST

/* Opening, with each call of the runtime failing. */
START_TEST(opening)
{
  current_device = 1;
  for (unsigned at = 1, met = 1; met; at++) {
    iw_context *c = (iw_context *)1;
    const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CUDA };
    arm_runtime(at);
    const iw_status status = iw_context_open(&c, &o);
    faults.armed = 0;
    met = faults.met != NULL;
    ck_assert(status == IW_OK ? c != NULL : c == NULL && *iw_message());
    ck_assert(status == IW_OK || met);
    check_thread("iw_context_open");
    iw_context_close(c);
    ck_assert(!alive.device_memory && !alive.pinned && !alive.streams && !alive.events && faults.last == cudaSuccess);
  }
}
END_TEST

/* Closing, likewise: all is given back that the runtime takes. */
START_TEST(closing)
{
  call_data_make(&data, N);
  current_device = 1;
  for (unsigned at = 1, met = 1; met; at++) {
    const long before = allocator.live;
    iw_context *const c = context_of(IW_BACKEND_CUDA);
    ck_assert_int_eq(make_fixed_call(&every_calls[0], c, IW_F64, &data), IW_OK);
    ck_assert_int_eq(make_fixed_call(&(every_call){ "iw_reduce", &(row){ "iw_reduce", row_reduce, 1, FOR_FIXED }, 0 }, c, IW_F64, &data), IW_OK);
    arm_runtime(at);
    iw_context_close(c);
    faults.armed = 0;
    met = faults.met != NULL;
    ck_assert(met || at > 10);
    check_thread("iw_context_close");
    ck_assert(!alive.device_memory && !alive.pinned && !alive.streams && !alive.events && faults.last == cudaSuccess);
    ck_assert_int_eq(allocator.live, before);
  }
  call_data_free(&data);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("cuda faults");
  TCase *c = tcase_create("runtime");
  tcase_set_timeout(c, 300);
  suite_add_tcase(suite, c);
  tcase_add_test(c, opening);
  tcase_add_test(c, closing);
  tcase_add_test(c, each_fails);
  return run_suite(suite);
}
