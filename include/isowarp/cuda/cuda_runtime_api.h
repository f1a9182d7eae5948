/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's functions of the CUDA runtime. Streams run at once and in order; events are times of the CPU.
 * A part of cuda_runtime.h, which is in front of each file. */
#ifndef ISOWARP_CUDA_RUNTIME_API_H
#define ISOWARP_CUDA_RUNTIME_API_H

#define IW_ERRORS(X) \
  X(cudaSuccess, 0, "no error") X(cudaErrorInvalidValue, 1, "invalid argument") \
  X(cudaErrorMemoryAllocation, 2, "out of memory") \
  X(cudaErrorInitializationError, 3, "initialization error") \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol") \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer") \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
  X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient") \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch") \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function") \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected") \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal") \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle") \
  X(cudaErrorNotReady, 600, "device not ready") \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated") \
  X(cudaErrorAssert, 710, "device-side assert triggered") \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure") \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled") \
  X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
  X(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture") \
  X(cudaErrorStreamCaptureUnmatched, 903, "capture was not initiated in this stream") \
  X(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work") \
  X(cudaErrorStreamCaptureImplicit, 906, "operation would make the legacy stream depend on a capturing blocking stream") \
  X(cudaErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream") \
  X(cudaErrorGraphExecUpdateFailure, 910, "the graph update was not performed because it violated constraints of instantiated graphs") \
  X(cudaErrorNotSupported, 801, "operation not supported") X(cudaErrorUnknown, 999, "unknown error")
#define X(name, value, text) name = value,
enum cudaError { IW_ERRORS(X) };
#undef X
typedef cudaError cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
typedef struct iw_simt_stream *cudaStream_t;
typedef iw_simt_event *cudaEvent_t;
typedef iw_simt_graph *cudaGraph_t;
typedef struct iw_simt_exec *cudaGraphExec_t; /* a graph's copy */
typedef struct iw_simt_graph_node *cudaGraphNode_t;
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated
};
enum cudaGraphExecUpdateResult {
  cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError, cudaGraphExecUpdateErrorTopologyChanged
};
struct cudaGraphExecUpdateResultInfo { cudaGraphExecUpdateResult result; cudaGraphNode_t errorNode, errorFromNode; };
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
typedef void (*cudaHostFn_t)(void *);
enum {
  cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaEventBlockingSync = 1,
  cudaEventDisableTiming = 2, cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2,
  cudaHostAllocWriteCombined = 4, cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1,
  cudaHostRegisterMapped = 2, cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1,
  cudaDeviceScheduleYield = 2, cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4,
  cudaDeviceMapHost = 8, cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaCpuDeviceId = -1,
  cudaOccupancyDefault = 0
};
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
/* Attributes of the device, their numbers and values. */
#define IW_ATTRIBUTES(X) \
  X(MaxThreadsPerBlock, 1, 1024) X(MaxBlockDimX, 2, 1024) X(MaxBlockDimY, 3, 1024) X(MaxBlockDimZ, 4, 64) \
  X(MaxGridDimX, 5, INT32_MAX) X(MaxGridDimY, 6, 65535) X(MaxGridDimZ, 7, 65535) \
  X(MaxSharedMemoryPerBlock, 8, 48 << 10) X(WarpSize, 10, 32) X(MaxRegistersPerBlock, 12, 65536) \
  X(ClockRate, 13, 1980000) X(GpuOverlap, 15, 1) X(MultiProcessorCount, 16, 16) \
  X(KernelExecTimeout, 17, 0) X(Integrated, 18, 0) X(CanMapHostMemory, 19, 1) X(ComputeMode, 20, 0) \
  X(ConcurrentKernels, 31, 1) X(MemoryClockRate, 36, 3201000) X(GlobalMemoryBusWidth, 37, 6144) \
  X(L2CacheSize, 38, 50 << 20) X(MaxThreadsPerMultiProcessor, 39, 2048) X(AsyncEngineCount, 40, 3) \
  X(UnifiedAddressing, 41, 1) X(ComputeCapabilityMajor, 75, 9) X(ComputeCapabilityMinor, 76, 0) \
  X(StreamPrioritiesSupported, 78, 0) X(MaxSharedMemoryPerMultiprocessor, 81, 228 << 10) \
  X(ManagedMemory, 83, 1) X(HostNativeAtomicSupported, 86, 0) X(PageableMemoryAccess, 88, 0) \
  X(ConcurrentManagedAccess, 89, 1) X(CooperativeLaunch, 95, 1) X(CooperativeMultiDeviceLaunch, 96, 0) \
  X(MaxSharedMemoryPerBlockOptin, 97, 227 << 10) X(MemoryPoolsSupported, 115, 0)
#define X(name, number, value) cudaDevAttr##name = number,
enum cudaDeviceAttr { IW_ATTRIBUTES(X) };
#undef X
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited };
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1, cudaMemAdviseSetPreferredLocation = 3, cudaMemAdviseSetAccessedBy = 5
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
struct cudaPointerAttributes { cudaMemoryType type; int device; void *devicePointer, *hostPointer; };
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
};
struct cudaDeviceProp {
  char name[256] = "isowarp: a simulated GPU";
  size_t totalGlobalMem = (size_t)32 << 30, sharedMemPerBlock = 48 << 10, sharedMemPerMultiprocessor = 228 << 10,
    sharedMemPerBlockOptin = 227 << 10, totalConstMem = 64 << 10, memPitch = INT32_MAX, textureAlignment = 512;
  int regsPerBlock = 65536, regsPerMultiprocessor = 65536, warpSize = 32, maxThreadsPerBlock = 1024,
    maxThreadsDim[3] = { 1024, 1024, 64 }, maxGridSize[3] = { INT32_MAX, 65535, 65535 }, clockRate = 1980000, major = 9,
    minor = 0, deviceOverlap = 1, multiProcessorCount = 16, kernelExecTimeoutEnabled = 0, integrated = 0,
    canMapHostMemory = 1, computeMode = 0, concurrentKernels = 1, ECCEnabled = 0, pciBusID = 0, pciDeviceID = 0,
    pciDomainID = 0, tccDriver = 0, asyncEngineCount = 3, unifiedAddressing = 1, memoryClockRate = 3201000,
    memoryBusWidth = 6144, l2CacheSize = 50 << 20, maxThreadsPerMultiProcessor = 2048, maxBlocksPerMultiProcessor = 32,
    streamPrioritiesSupported = 0, managedMemory = 1, isMultiGpuBoard = 0, concurrentManagedAccess = 1,
    pageableMemoryAccess = 0, cooperativeLaunch = 1, cooperativeMultiDeviceLaunch = 0, computePreemptionSupported = 1,
    hostNativeAtomicSupported = 0, globalL1CacheSupported = 0, localL1CacheSupported = 0;
};

namespace iw_simt {
/* A copy or a memset that a stream is given. */
inline int in_stream(const iw_simt_node &n)
{
  const int e = iw_simt_captured(&n);
  return e != IW_SIMT_RUN_NOW ? e : n.kind == IW_SIMT_COPY ? iw_simt_memcpy(n.to, n.from, n.bytes, n.value, n.pc) :
                                                             iw_simt_memset(n.to, n.value, n.bytes, n.pc);
}
/* Rows of n bytes, each `pitch` behind the one before. */
inline int copy(void *to, const void *from, size_t n, int kind, void *stream, void *pc, size_t rows = 1,
                size_t to_pitch = 0, size_t from_pitch = 0)
{
  int e = 0;
  for (size_t y = 0; y < rows && !e; y++)
    e = in_stream({ IW_SIMT_COPY, stream, pc, {}, 0, 0, (char *)to + y * to_pitch, (const char *)from + y * from_pitch, 0, n,
                    kind });
  return e;
}
inline int set(void *to, int value, size_t n, void *stream, void *pc, size_t rows = 1, size_t pitch = 0)
{
  int e = 0;
  for (size_t y = 0; y < rows && !e; y++)
    e = in_stream({ IW_SIMT_SET, stream, pc, {}, 0, 0, (char *)to + y * pitch, 0, 0, n, value });
  return e;
}
inline int forbidden() { return iw_simt_capture_forbids(cudaErrorStreamCaptureUnsupported); }
IW_QUIET inline cudaError_t last_error() { return (cudaError_t)iw_simt_last_error; }
IW_QUIET inline void set_error(cudaError_t e) { iw_simt_last_error = e; }
inline cudaError_t result(int e) { if (e) set_error((cudaError_t)e); return (cudaError_t)e; }
template <class T> inline cudaError_t allocate(T **p, size_t bytes, int is_managed, void *pc, int is_async = 0)
{
  const int e = is_async ? 0 : forbidden();
  *p = (T *)(e ? 0 : iw_simt_malloc(bytes, is_managed, pc));
  if (*p && is_managed)
    iw_simt_memset(*p, 0, bytes, pc); /* the host may write it, which nobody reports */
  return result(e ? e : *p ? cudaSuccess : cudaErrorMemoryAllocation);
}
}

/* Functions that do nothing, that give a value, that return the error of an expression, and the pair of one
 * that does so for a stream (name, and nameAsync). */
#define IW_NOTHING(name, ...) inline cudaError_t name(__VA_ARGS__) { return cudaSuccess; }
#define IW_GIVE(name, value, ...) inline cudaError_t name(__VA_ARGS__) { *v = value; return cudaSuccess; }
#define IW_RESULT(name, error, ...) IW_OP inline cudaError_t name(__VA_ARGS__) { return iw_simt::result(error); }
#define IW_PAIR(head, name, error, ...) \
  head IW_OP inline cudaError_t name(__VA_ARGS__) { const cudaStream_t s = 0; return iw_simt::result(error); } \
  head IW_OP inline cudaError_t name##Async(__VA_ARGS__, cudaStream_t s = 0) { return iw_simt::result(error); }

#define X(name, value, text) e == name ? text :
inline const char *cudaGetErrorString(cudaError_t e) { return IW_ERRORS(X) "unrecognized error code"; }
#undef X
#define X(name, value, text) e == name ? #name :
inline const char *cudaGetErrorName(cudaError_t e) { return IW_ERRORS(X) "unrecognized error code"; }
#undef X
inline cudaError_t cudaPeekAtLastError()
{
  const int e = iw_simt_error(0);
  return e ? (cudaError_t)e : iw_simt::last_error();
}
inline cudaError_t cudaGetLastError()
{
  const cudaError_t e = cudaPeekAtLastError();
  iw_simt::set_error(cudaSuccess);
  return e;
}
inline cudaError_t cudaDeviceSynchronize()
{
  const int e = iw_simt::forbidden();
  return e ? iw_simt::result(e) : (cudaError_t)iw_simt_error(0);
}
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
IW_NOTHING(cudaDeviceReset) IW_NOTHING(cudaThreadExit) IW_NOTHING(cudaProfilerStart) IW_NOTHING(cudaProfilerStop)

/* ---- Memory ---- */

#define IW_MALLOC(name, is_managed, is_async, ...) \
  template <class T> IW_OP cudaError_t name(T **p, size_t bytes __VA_ARGS__) \
  { return iw_simt::allocate(p, bytes, is_managed, IW_PC, is_async); }
IW_MALLOC(cudaMalloc, 0, 0)
IW_MALLOC(cudaMallocAsync, 0, 1, , cudaStream_t)
IW_MALLOC(cudaMallocManaged, 1, 0, , unsigned = cudaMemAttachGlobal)
IW_MALLOC(cudaMallocHost, 1, 0, , unsigned = 0)
IW_MALLOC(cudaHostAlloc, 1, 0, , unsigned)
#undef IW_MALLOC
template <class T> IW_OP cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
  *pitch = (width + 511) / 512 * 512;
  return iw_simt::allocate(p, *pitch * height, 0, IW_PC);
}
IW_OP inline cudaError_t cudaFree(void *p)
{
  const int e = iw_simt::forbidden();
  return iw_simt::result(e ? e : iw_simt_free(p, IW_PC));
}
IW_RESULT(cudaFreeAsync, iw_simt_free(p, IW_PC), void *p, cudaStream_t)
IW_RESULT(cudaFreeHost, iw_simt_free(p, IW_PC), void *p)
template <class T> IW_GIVE(cudaHostGetDevicePointer, (T *)h, T **v, void *h, unsigned)
IW_NOTHING(cudaHostRegister, void *, size_t, unsigned) IW_NOTHING(cudaHostUnregister, void *)
IW_PAIR(, cudaMemcpy, iw_simt::copy(to, from, n, kind, s, IW_PC), void *to, const void *from, size_t n, cudaMemcpyKind kind)
IW_PAIR(, cudaMemcpy2D, iw_simt::copy(to, from, width, kind, s, IW_PC, height, to_pitch, from_pitch), void *to, size_t to_pitch,
        const void *from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind)
IW_PAIR(, cudaMemset, iw_simt::set(p, v, n, s, IW_PC), void *p, int v, size_t n)
IW_PAIR(, cudaMemset2D, iw_simt::set(p, v, width, s, IW_PC, height, pitch), void *p, size_t pitch, int v, size_t width,
        size_t height)
IW_PAIR(template <class T>, cudaMemcpyToSymbol, iw_simt::copy((char *)&to + at, from, n, cudaMemcpyDefault, s, IW_PC), T &to,
        const void *from, size_t n, size_t at = 0, cudaMemcpyKind = cudaMemcpyHostToDevice)
IW_PAIR(template <class T>, cudaMemcpyFromSymbol, iw_simt::copy(to, (const char *)&from + at, n, cudaMemcpyDefault, s, IW_PC),
        void *to, T &from, size_t n, size_t at = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost)
template <class P, class T> IW_GIVE(cudaGetSymbolAddress, (P *)&s, P **v, T &s)
template <class T> IW_GIVE(cudaGetSymbolSize, sizeof s, size_t *v, T &s)
IW_NOTHING(cudaMemPrefetchAsync, const void *, size_t, int, cudaStream_t = 0)
IW_NOTHING(cudaMemAdvise, const void *, size_t, cudaMemoryAdvise, int)
IW_GIVE(cudaMemGetInfo, iw_simt_free_memory(); *total = (size_t)32 << 30, size_t *v, size_t *total)
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p)
{
  int managed = 0;
  const int device = iw_simt_is_device_memory(p, &managed);
  *a = { !device ? cudaMemoryTypeUnregistered : managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice, 0, (void *)p,
         (void *)p };
  return cudaSuccess;
}

/* ---- Devices ---- */

IW_GIVE(cudaGetDeviceCount, 1, int *v) IW_GIVE(cudaGetDevice, 0, int *v)
IW_GIVE(cudaChooseDevice, 0, int *v, const cudaDeviceProp *)
IW_RESULT(cudaSetDevice, d == 0 ? cudaSuccess : cudaErrorInvalidDevice, int d)
IW_NOTHING(cudaSetDeviceFlags, unsigned) IW_NOTHING(cudaInitDevice, int, unsigned, unsigned)
IW_GIVE(cudaGetDeviceProperties, cudaDeviceProp(), cudaDeviceProp *v, int)
inline cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr a, int)
{
#define X(name, number, value) a == number ? value :
  *v = IW_ATTRIBUTES(X) -1;
#undef X
  return iw_simt::result(*v < 0 ? cudaErrorInvalidValue : cudaSuccess);
}
IW_NOTHING(cudaDeviceSetLimit, cudaLimit, size_t) IW_NOTHING(cudaDeviceSetCacheConfig, cudaFuncCache)
IW_GIVE(cudaDeviceGetLimit, 1 << 16, size_t *v, cudaLimit) IW_GIVE(cudaDeviceCanAccessPeer, 0, int *v, int, int)
IW_RESULT(cudaDeviceEnablePeerAccess, cudaErrorInvalidDevice, int, unsigned)
IW_RESULT(cudaDeviceGetPCIBusId, (snprintf(id, (size_t)length, "0000:00:00.0"), 0), char *id, int length, int)
IW_GIVE(cudaDriverGetVersion, CUDART_VERSION, int *v) IW_GIVE(cudaRuntimeGetVersion, CUDART_VERSION, int *v)
template <class F> IW_NOTHING(cudaFuncSetAttribute, F, cudaFuncAttribute, int)
template <class F> IW_NOTHING(cudaFuncSetCacheConfig, F, cudaFuncCache)
template <class F> IW_GIVE(cudaFuncGetAttributes, (cudaFuncAttributes{ 0, 0, 0, 1024, 32, 90, 90 }), cudaFuncAttributes *v, F)
template <class F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, F, int block, size_t shared)
{
  const int by_threads = 2048 / ((block + 31) / 32 * 32), by_shared = shared ? (int)((228 << 10) / (shared + 1024)) : 32;
  *n = by_threads < by_shared ? by_threads : by_shared;
  *n = *n < 32 ? *n : 32;
  return cudaSuccess;
}
template <class F> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F, size_t = 0, int limit = 0)
{
  *block = limit > 0 && limit < 1024 ? limit : 1024;
  *grid = 16 * (2048 / *block);
  return cudaSuccess;
}

/* ---- Streams and events ---- */

IW_GIVE(cudaStreamCreateWithFlags, (cudaStream_t)iw_simt_stream_create(flags), cudaStream_t *v, unsigned flags)
IW_GIVE(cudaStreamCreateWithPriority, (cudaStream_t)iw_simt_stream_create(flags), cudaStream_t *v, unsigned flags, int)
IW_GIVE(cudaStreamCreate, (cudaStream_t)iw_simt_stream_create(0), cudaStream_t *v)
IW_GIVE(cudaDeviceGetStreamPriorityRange, *high = 0, int *v, int *high)
IW_RESULT(cudaStreamDestroy, iw_simt_stream_destroy(s), cudaStream_t s)
IW_RESULT(cudaStreamSynchronize, iw_simt_stream_synchronize(s), cudaStream_t s)
IW_RESULT(cudaStreamQuery, iw_simt_stream_synchronize(s), cudaStream_t s)
IW_RESULT(cudaStreamWaitEvent, iw_simt_stream_wait(s, e), cudaStream_t s, cudaEvent_t e, unsigned = 0)
inline cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void *user, unsigned)
{
  const int e = iw_simt::forbidden();
  if (!e)
    f(s, cudaSuccess, user);
  return iw_simt::result(e);
}
inline cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *user)
{
  const iw_simt_node n = { IW_SIMT_HOST, s, 0, {}, f, user, 0, 0, 0, 0, 0 };
  const int e = iw_simt_captured(&n);
  if (e == IW_SIMT_RUN_NOW)
    f(user);
  return iw_simt::result(e == IW_SIMT_RUN_NOW ? 0 : e);
}
template <class T> IW_NOTHING(cudaStreamAttachMemAsync, cudaStream_t, T *, size_t = 0, unsigned = 0)
IW_GIVE(cudaEventCreate, (cudaEvent_t)calloc(1, sizeof **v), cudaEvent_t *v)
IW_GIVE(cudaEventCreateWithFlags, (cudaEvent_t)calloc(1, sizeof **v), cudaEvent_t *v, unsigned)
IW_RESULT(cudaEventDestroy, (free(e), 0), cudaEvent_t e)
IW_RESULT(cudaEventRecord, iw_simt_event_record(e, s), cudaEvent_t e, cudaStream_t s = 0)
IW_RESULT(cudaEventRecordWithFlags, iw_simt_event_record(e, s), cudaEvent_t e, cudaStream_t s = 0, unsigned = 0)
IW_RESULT(cudaEventSynchronize, iw_simt_event_synchronize(e), cudaEvent_t e)
IW_RESULT(cudaEventQuery, iw_simt_event_synchronize(e), cudaEvent_t e)
inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b)
{
  if (!a || !b || !a->time || !b->time)
    return iw_simt::result(cudaErrorInvalidResourceHandle);
  *ms = (float)(b->time - a->time) * 1e-6f;
  return cudaSuccess;
}

/* ---- Graphs: what a stream is given while it is captured ---- */

IW_RESULT(cudaStreamBeginCapture, iw_simt_capture_begin(s, mode), cudaStream_t s,
          cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal)
IW_RESULT(cudaStreamEndCapture, iw_simt_capture_end(s, g), cudaStream_t s, cudaGraph_t *g)
IW_GIVE(cudaStreamIsCapturing, (cudaStreamCaptureStatus)iw_simt_capture_status(s), cudaStream_t s, cudaStreamCaptureStatus *v)
IW_GIVE(cudaThreadExchangeStreamCaptureMode, cudaStreamCaptureModeGlobal, cudaStreamCaptureMode *v)
inline cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n)
{
  if (!nodes)
    *n = iw_simt_graph_count(g);
  for (size_t i = 0; nodes && i < *n; i++)
    nodes[i] = (cudaGraphNode_t)(i + 1);
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *e, cudaGraph_t g, unsigned long long = 0)
{
  *e = g ? (cudaGraphExec_t)iw_simt_graph_copy(g) : 0;
  return iw_simt::result(g ? cudaSuccess : cudaErrorInvalidValue);
}
IW_RESULT(cudaGraphInstantiate, cudaGraphInstantiate(e, g), cudaGraphExec_t *e, cudaGraph_t g, cudaGraphNode_t *, char *, size_t)
IW_RESULT(cudaGraphInstantiateWithFlags, cudaGraphInstantiate(e, g), cudaGraphExec_t *e, cudaGraph_t g, unsigned long long = 0)
IW_GIVE(cudaGraphClone, iw_simt_graph_copy(g), cudaGraph_t *v, cudaGraph_t g)
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g, cudaGraphExecUpdateResultInfo *info)
{
  const int error = iw_simt_graph_update((iw_simt_graph *)e, g);
  *info = { error ? cudaGraphExecUpdateErrorTopologyChanged : cudaGraphExecUpdateSuccess, 0, 0 };
  return iw_simt::result(error);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g, cudaGraphNode_t *, cudaGraphExecUpdateResult *result)
{
  cudaGraphExecUpdateResultInfo info;
  const cudaError_t error = cudaGraphExecUpdate(e, g, &info);
  *result = info.result;
  return error;
}
IW_NOTHING(cudaGraphUpload, cudaGraphExec_t, cudaStream_t)
IW_RESULT(cudaGraphLaunch, iw_simt_graph_launch((iw_simt_graph *)e, s), cudaGraphExec_t e, cudaStream_t s)
IW_RESULT(cudaGraphDestroy, (iw_simt_graph_free(g), 0), cudaGraph_t g)
IW_RESULT(cudaGraphExecDestroy, (iw_simt_graph_free((iw_simt_graph *)e), 0), cudaGraphExec_t e)
#undef IW_NOTHING
#undef IW_GIVE
#undef IW_RESULT
#undef IW_PAIR

#endif
