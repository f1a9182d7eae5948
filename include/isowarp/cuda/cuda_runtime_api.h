/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's functions of the CUDA runtime. Streams run at once and in order; events are times of the CPU.
 * A part of cuda_runtime.h, which is in front of each file. */
#ifndef ISOWARP_CUDA_RUNTIME_API_H
#define ISOWARP_CUDA_RUNTIME_API_H

#define IW_ERRORS(X) \
  X(cudaSuccess, 0, "no error") X(cudaErrorInvalidValue, 1, "invalid argument") X(cudaErrorMemoryAllocation, 2, "out of memory") \
  X(cudaErrorInitializationError, 3, "initialization error") X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol") X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer") \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient") \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch") X(cudaErrorInvalidDeviceFunction, 98, "invalid device function") \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected") X(cudaErrorInvalidDevice, 101, "invalid device ordinal") \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle") X(cudaErrorNotReady, 600, "device not ready") \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated") X(cudaErrorAssert, 710, "device-side assert triggered") \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure") X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled") \
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
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
typedef struct iw_simt_stream *cudaStream_t;
typedef iw_simt_event *cudaEvent_t;
typedef iw_simt_graph *cudaGraph_t;
typedef struct iw_simt_exec *cudaGraphExec_t; /* a graph's copy */
typedef struct iw_simt_graph_node *cudaGraphNode_t;
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError, cudaGraphExecUpdateErrorTopologyChanged };
struct cudaGraphExecUpdateResultInfo { cudaGraphExecUpdateResult result; cudaGraphNode_t errorNode, errorFromNode; };
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
typedef void (*cudaHostFn_t)(void *);
enum {
  cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2,
  cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4, cudaHostRegisterDefault = 0,
  cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2, cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1,
  cudaDeviceScheduleYield = 2, cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4, cudaDeviceMapHost = 8, cudaMemAttachGlobal = 1, cudaMemAttachHost = 2,
  cudaCpuDeviceId = -1, cudaOccupancyDefault = 0
};
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxSharedMemoryPerBlock = 8, cudaDevAttrWarpSize = 10, cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16, cudaDevAttrConcurrentKernels = 31, cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor = 76, cudaDevAttrManagedMemory = 83,
  cudaDevAttrConcurrentManagedAccess = 89, cudaDevAttrCooperativeLaunch = 95, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMemoryPoolsSupported = 115, cudaDevAttrComputeMode = 20, cudaDevAttrIntegrated = 18, cudaDevAttrGpuOverlap = 15, cudaDevAttrAsyncEngineCount = 40, cudaDevAttrKernelExecTimeout = 17, cudaDevAttrCanMapHostMemory = 19, cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxBlockDimY = 3, cudaDevAttrMaxBlockDimZ = 4, cudaDevAttrMaxGridDimX = 5, cudaDevAttrMaxGridDimY = 6, cudaDevAttrMaxGridDimZ = 7,
  cudaDevAttrMaxRegistersPerBlock = 12, cudaDevAttrMemoryClockRate = 36, cudaDevAttrGlobalMemoryBusWidth = 37, cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81, cudaDevAttrPageableMemoryAccess = 88, cudaDevAttrHostNativeAtomicSupported = 86,
  cudaDevAttrStreamPrioritiesSupported = 78, cudaDevAttrCooperativeMultiDeviceLaunch = 96, cudaDevAttrUnifiedAddressing = 41
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited };
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseSetPreferredLocation = 3, cudaMemAdviseSetAccessedBy = 5 };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
struct cudaPointerAttributes { cudaMemoryType type; int device; void *devicePointer, *hostPointer; };
struct cudaFuncAttributes { size_t sharedSizeBytes, constSizeBytes, localSizeBytes; int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion; };
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, sharedMemPerBlockOptin, totalConstMem, memPitch, textureAlignment;
  int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor,
    deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode, concurrentKernels, ECCEnabled,
    pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize,
    maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, streamPrioritiesSupported, managedMemory, isMultiGpuBoard,
    concurrentManagedAccess, pageableMemoryAccess, cooperativeLaunch, cooperativeMultiDeviceLaunch, computePreemptionSupported,
    hostNativeAtomicSupported, globalL1CacheSupported, localL1CacheSupported;
};

namespace iw_simt {
/* A copy or a memset that a stream is given. */
inline int in_stream(const iw_simt_node &n)
{
  const int e = iw_simt_captured(&n);
  return e != IW_SIMT_RUN_NOW ? e : n.kind == IW_SIMT_COPY ? iw_simt_memcpy(n.to, n.from, n.bytes, n.value, n.pc) :
                                                           iw_simt_memset(n.to, n.value, n.bytes, n.pc);
}
inline int copy(void *to, const void *from, size_t n, int kind, void *stream, void *pc)
{
  return in_stream({ IW_SIMT_COPY, stream, pc, {}, 0, 0, to, from, 0, n, kind });
}
inline int set(void *to, int value, size_t n, void *stream, void *pc)
{
  return in_stream({ IW_SIMT_SET, stream, pc, {}, 0, 0, to, 0, 0, n, value });
}
inline cudaError_t &last_error() { static cudaError_t e; return e; }
inline void set_error(cudaError_t e) { last_error() = e; }
inline cudaError_t result(int e) { if (e) set_error((cudaError_t)e); return (cudaError_t)e; }
template <class T> inline cudaError_t allocate(T **p, size_t bytes, int is_managed, void *pc)
{
  const int e = iw_simt_capture_forbids(cudaErrorStreamCaptureUnsupported);
  *p = (T *)(e ? 0 : iw_simt_malloc(bytes, is_managed, pc));
  return result(e ? e : *p ? cudaSuccess : cudaErrorMemoryAllocation);
}
}
inline const char *cudaGetErrorString(cudaError_t e)
{
  switch (e) {
#define X(name, value, text) case name: return text;
  IW_ERRORS(X)
#undef X
  }
  return "unrecognized error code";
}
inline const char *cudaGetErrorName(cudaError_t e)
{
  switch (e) {
#define X(name, value, text) case name: return #name;
  IW_ERRORS(X)
#undef X
  }
  return "unrecognized error code";
}
inline cudaError_t cudaPeekAtLastError() { const int e = iw_simt_last_error(0); return e ? (cudaError_t)e : iw_simt::last_error(); }
inline cudaError_t cudaGetLastError() { const cudaError_t e = cudaPeekAtLastError(); iw_simt::set_error(cudaSuccess); return e; }
inline cudaError_t cudaDeviceSynchronize()
{
  const int e = iw_simt_capture_forbids(cudaErrorStreamCaptureUnsupported);
  return e ? iw_simt::result(e) : (cudaError_t)iw_simt_last_error(0);
}
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
inline cudaError_t cudaThreadExit() { return cudaSuccess; }
inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }

/* ---- Memory ---- */

template <class T> IW_OP cudaError_t cudaMalloc(T **p, size_t bytes) { return iw_simt::allocate(p, bytes, 0, IW_PC); }
template <class T> IW_OP cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t)
{
  *p = (T *)iw_simt_malloc(bytes, 0, IW_PC);
  return iw_simt::result(*p ? cudaSuccess : cudaErrorMemoryAllocation);
}
template <class T> IW_OP cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned = cudaMemAttachGlobal)
{
  const cudaError_t e = iw_simt::allocate(p, bytes, 1, IW_PC);
  if (*p)
    iw_simt_memset(*p, 0, bytes, IW_PC); /* the host may write it, which nobody reports */
  return e;
}
template <class T> IW_OP cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned = 0)
{
  return cudaMallocManaged(p, bytes);
}
template <class T> IW_OP cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned) { return cudaMallocManaged(p, bytes); }
template <class T> IW_OP cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
  *pitch = (width + 511) / 512 * 512;
  return iw_simt::allocate(p, *pitch * height, 0, IW_PC);
}
IW_OP inline cudaError_t cudaFree(void *p)
{
  const int e = iw_simt_capture_forbids(cudaErrorStreamCaptureUnsupported);
  return iw_simt::result(e ? e : iw_simt_free(p, IW_PC));
}
IW_OP inline cudaError_t cudaFreeAsync(void *p, cudaStream_t) { return iw_simt::result(iw_simt_free(p, IW_PC)); }
IW_OP inline cudaError_t cudaFreeHost(void *p) { return iw_simt::result(iw_simt_free(p, IW_PC)); }
template <class T> cudaError_t cudaHostGetDevicePointer(T **d, void *h, unsigned) { *d = (T *)h; return cudaSuccess; }
inline cudaError_t cudaHostRegister(void *, size_t, unsigned) { return cudaSuccess; }
inline cudaError_t cudaHostUnregister(void *) { return cudaSuccess; }
IW_OP inline cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind kind)
{
  return iw_simt::result(iw_simt::copy(to, from, n, kind, 0, IW_PC));
}
IW_OP inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t s = 0)
{
  return iw_simt::result(iw_simt::copy(to, from, n, kind, s, IW_PC));
}
IW_OP inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                                           cudaMemcpyKind kind, cudaStream_t s = 0)
{
  int e = 0;
  for (size_t y = 0; y < height && !e; y++)
    e = iw_simt::copy((char *)to + y * to_pitch, (const char *)from + y * from_pitch, width, kind, s, IW_PC);
  return iw_simt::result(e);
}
inline cudaError_t cudaMemcpy2D(void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h, cudaMemcpyKind kind)
{
  return cudaMemcpy2DAsync(to, tp, from, fp, w, h, kind);
}
IW_OP inline cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s = 0) { return iw_simt::result(iw_simt::set(p, v, n, s, IW_PC)); }
IW_OP inline cudaError_t cudaMemset(void *p, int v, size_t n) { return iw_simt::result(iw_simt::set(p, v, n, 0, IW_PC)); }
IW_OP inline cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int v, size_t width, size_t height, cudaStream_t s = 0)
{
  int e = 0;
  for (size_t y = 0; y < height && !e; y++)
    e = iw_simt::set((char *)p + y * pitch, v, width, s, IW_PC);
  return iw_simt::result(e);
}
inline cudaError_t cudaMemset2D(void *p, size_t pitch, int v, size_t w, size_t h) { return cudaMemset2DAsync(p, pitch, v, w, h); }
template <class T> IW_OP cudaError_t cudaMemcpyToSymbolAsync(T &s, const void *from, size_t n, size_t at = 0, cudaMemcpyKind = cudaMemcpyHostToDevice,
                                                             cudaStream_t stream = 0)
{
  return iw_simt::result(iw_simt::copy((char *)&s + at, from, n, cudaMemcpyDefault, stream, IW_PC));
}
template <class T> IW_OP cudaError_t cudaMemcpyToSymbol(T &s, const void *from, size_t n, size_t at = 0, cudaMemcpyKind = cudaMemcpyHostToDevice)
{
  return iw_simt::result(iw_simt::copy((char *)&s + at, from, n, cudaMemcpyDefault, 0, IW_PC));
}
template <class T> IW_OP cudaError_t cudaMemcpyFromSymbolAsync(void *to, T &s, size_t n, size_t at = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost,
                                                               cudaStream_t stream = 0)
{
  return iw_simt::result(iw_simt::copy(to, (const char *)&s + at, n, cudaMemcpyDefault, stream, IW_PC));
}
template <class T> IW_OP cudaError_t cudaMemcpyFromSymbol(void *to, T &s, size_t n, size_t at = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost)
{
  return iw_simt::result(iw_simt::copy(to, (const char *)&s + at, n, cudaMemcpyDefault, 0, IW_PC));
}
template <class P, class T> cudaError_t cudaGetSymbolAddress(P **p, T &s) { *p = (P *)&s; return cudaSuccess; }
template <class T> cudaError_t cudaGetSymbolSize(size_t *n, T &s) { *n = sizeof s; return cudaSuccess; }
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = 0) { return cudaSuccess; }
inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
inline cudaError_t cudaMemGetInfo(size_t *free, size_t *total) { *free = iw_simt_free_memory(); *total = (size_t)32 << 30; return cudaSuccess; }
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p)
{
  int managed = 0;
  const int device = iw_simt_is_device_memory(p, &managed);
  *a = { !device ? cudaMemoryTypeUnregistered : managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice, 0, (void *)p, (void *)p };
  return cudaSuccess;
}

/* ---- Devices ---- */

inline cudaError_t cudaGetDeviceCount(int *n) { *n = 1; return cudaSuccess; }
inline cudaError_t cudaGetDevice(int *d) { *d = 0; return cudaSuccess; }
inline cudaError_t cudaSetDevice(int d) { return iw_simt::result(d == 0 ? cudaSuccess : cudaErrorInvalidDevice); }
inline cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
inline cudaError_t cudaInitDevice(int, unsigned, unsigned) { return cudaSuccess; }
inline cudaError_t cudaChooseDevice(int *d, const cudaDeviceProp *) { *d = 0; return cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
  cudaDeviceProp d = {};
  snprintf(d.name, sizeof d.name, "isowarp: a simulated GPU");
  d.totalGlobalMem = (size_t)32 << 30;
  d.sharedMemPerBlock = 48 << 10; d.sharedMemPerMultiprocessor = 228 << 10; d.sharedMemPerBlockOptin = 227 << 10;
  d.totalConstMem = 64 << 10; d.memPitch = INT32_MAX; d.textureAlignment = 512;
  d.regsPerBlock = d.regsPerMultiprocessor = 65536; d.warpSize = 32; d.maxThreadsPerBlock = 1024;
  d.maxThreadsDim[0] = d.maxThreadsDim[1] = 1024; d.maxThreadsDim[2] = 64;
  d.maxGridSize[0] = INT32_MAX; d.maxGridSize[1] = d.maxGridSize[2] = 65535;
  d.clockRate = 1980000; d.major = 9; d.minor = 0; d.deviceOverlap = 1; d.multiProcessorCount = 16; d.canMapHostMemory = 1;
  d.concurrentKernels = 1; d.asyncEngineCount = 3; d.unifiedAddressing = 1; d.memoryClockRate = 3201000; d.memoryBusWidth = 6144;
  d.l2CacheSize = 50 << 20; d.maxThreadsPerMultiProcessor = 2048; d.maxBlocksPerMultiProcessor = 32; d.managedMemory = 1;
  d.concurrentManagedAccess = 1; d.cooperativeLaunch = 1; d.computePreemptionSupported = 1;
  *p = d;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr a, int)
{
  switch (a) {
  case cudaDevAttrMaxThreadsPerBlock: *v = 1024; break;
  case cudaDevAttrMaxSharedMemoryPerBlock: *v = 48 << 10; break;
  case cudaDevAttrWarpSize: *v = 32; break;
  case cudaDevAttrClockRate: *v = 1980000; break;
  case cudaDevAttrMultiProcessorCount: *v = 16; break;
  case cudaDevAttrMaxThreadsPerMultiProcessor: *v = 2048; break;
  case cudaDevAttrComputeCapabilityMajor: *v = 9; break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin: *v = 227 << 10; break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *v = 228 << 10; break;
  case cudaDevAttrMaxBlockDimX: case cudaDevAttrMaxBlockDimY: *v = 1024; break;
  case cudaDevAttrMaxBlockDimZ: *v = 64; break;
  case cudaDevAttrMaxGridDimX: *v = INT32_MAX; break;
  case cudaDevAttrMaxGridDimY: case cudaDevAttrMaxGridDimZ: *v = 65535; break;
  case cudaDevAttrMaxRegistersPerBlock: *v = 65536; break;
  case cudaDevAttrMemoryClockRate: *v = 3201000; break;
  case cudaDevAttrGlobalMemoryBusWidth: *v = 6144; break;
  case cudaDevAttrL2CacheSize: *v = 50 << 20; break;
  case cudaDevAttrComputeCapabilityMinor: case cudaDevAttrComputeMode: case cudaDevAttrIntegrated: case cudaDevAttrPageableMemoryAccess:
  case cudaDevAttrHostNativeAtomicSupported: case cudaDevAttrStreamPrioritiesSupported: case cudaDevAttrCooperativeMultiDeviceLaunch:
    *v = 0; break;
  default: *v = 1;
  }
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetLimit(size_t *v, cudaLimit) { *v = 1 << 16; return cudaSuccess; }
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) { *can = 0; return cudaSuccess; }
inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return iw_simt::result(cudaErrorInvalidDevice); }
inline cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int) { snprintf(id, (size_t)length, "0000:00:00.0"); return cudaSuccess; }
inline cudaError_t cudaDriverGetVersion(int *v) { *v = CUDART_VERSION; return cudaSuccess; }
inline cudaError_t cudaRuntimeGetVersion(int *v) { *v = CUDART_VERSION; return cudaSuccess; }
template <class F> cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute, int) { return cudaSuccess; }
template <class F> cudaError_t cudaFuncSetCacheConfig(F, cudaFuncCache) { return cudaSuccess; }
template <class F> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, F) { *a = { 0, 0, 0, 1024, 32, 90, 90 }; return cudaSuccess; }
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

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags) { *s = (cudaStream_t)iw_simt_stream_create(flags); return cudaSuccess; }
inline cudaError_t cudaStreamCreate(cudaStream_t *s) { return cudaStreamCreateWithFlags(s, 0); }
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int) { return cudaStreamCreateWithFlags(s, flags); }
inline cudaError_t cudaDeviceGetStreamPriorityRange(int *low, int *high) { *low = *high = 0; return cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t s) { return iw_simt::result(iw_simt_stream_destroy(s)); }
inline cudaError_t cudaStreamSynchronize(cudaStream_t s) { return iw_simt::result(iw_simt_stream_synchronize(s)); }
inline cudaError_t cudaStreamQuery(cudaStream_t s) { return cudaStreamSynchronize(s); }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned = 0) { return iw_simt::result(iw_simt_stream_wait(s, e)); }
inline cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void *user, unsigned)
{
  const int e = iw_simt_capture_forbids(cudaErrorStreamCaptureUnsupported);
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
template <class T> cudaError_t cudaStreamAttachMemAsync(cudaStream_t, T *, size_t = 0, unsigned = 0) { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t *e) { *e = (cudaEvent_t)calloc(1, sizeof **e); return cudaSuccess; }
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned) { return cudaEventCreate(e); }
inline cudaError_t cudaEventDestroy(cudaEvent_t e) { free(e); return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s = 0) { return iw_simt::result(iw_simt_event_record(e, s)); }
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s = 0, unsigned = 0) { return cudaEventRecord(e, s); }
inline cudaError_t cudaEventSynchronize(cudaEvent_t e) { return iw_simt::result(iw_simt_event_synchronize(e)); }
inline cudaError_t cudaEventQuery(cudaEvent_t e) { return cudaEventSynchronize(e); }
inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b)
{
  if (!a || !b || !a->time || !b->time)
    return iw_simt::result(cudaErrorInvalidResourceHandle);
  *ms = (float)(b->time - a->time) * 1e-6f;
  return cudaSuccess;
}

/* ---- Graphs: what a stream is given while it is captured ---- */

inline cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal)
{
  return iw_simt::result(iw_simt_capture_begin(s, mode));
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g) { return iw_simt::result(iw_simt_capture_end(s, g)); }
inline cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus *status)
{
  *status = (cudaStreamCaptureStatus)iw_simt_capture_status(s);
  return cudaSuccess;
}
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) { *mode = cudaStreamCaptureModeGlobal; return cudaSuccess; }
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
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *e, cudaGraph_t g, cudaGraphNode_t *, char *, size_t) { return cudaGraphInstantiate(e, g); }
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *e, cudaGraph_t g, unsigned long long = 0) { return cudaGraphInstantiate(e, g); }
inline cudaError_t cudaGraphClone(cudaGraph_t *to, cudaGraph_t g) { *to = iw_simt_graph_copy(g); return cudaSuccess; }
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
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t s) { return iw_simt::result(iw_simt_graph_launch((iw_simt_graph *)e, s)); }
inline cudaError_t cudaGraphDestroy(cudaGraph_t g) { iw_simt_graph_free(g); return cudaSuccess; }
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e) { iw_simt_graph_free((iw_simt_graph *)e); return cudaSuccess; }

#endif
