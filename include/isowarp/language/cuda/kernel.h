/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA: IW_KERNEL makes a __global__ function, and the descriptor by which a context
 * launches it. Holds the launch itself, host code by the CUDA runtime of the object that holds the kernel.
 * Mirrors language/cpu/kernel.h.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_KERNEL_H
#define ISOWARP_LANGUAGE_CUDA_KERNEL_H

#include <isowarp/language/cuda/block.h>

#ifndef IW_KERNEL_PREFIX
#define IW_KERNEL_PREFIX
#endif
#ifndef IW_KERNEL_SUFFIX
#define IW_KERNEL_SUFFIX
#endif
#define IW_PASTE_(a, b) a##b
#define IW_PASTE(a, b) IW_PASTE_(a, b)
#define IW_KERNEL_NAME(name) IW_PASTE(IW_PASTE(IW_KERNEL_PREFIX, name), IW_KERNEL_SUFFIX)

/* Never: every operation of the language rounds by an instruction of its own, whatever the compiler's
 * flags. */
static int iw_contracted_(void) { return 0; }

/* ---- Launch ---- */

/* From compute capability 9.0 on, a launch's blocks start while the launch before it in the stream still
 * ends (programmatic dependent launch). Kernels wait here as they begin, but those of IW_KERNEL_OVERLAPPED,
 * until all that it wrote is visible. Only kernels whose next launch is small begin it early: elsewhere its
 * waiting blocks take the places of others (doc/design/cuda.md#overlapping-launches). */
IW_FN void iw_wait_for_previous_launch(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
IW_FN void iw_begin_next_launch(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#define IW_SHARED_ALIGNMENT_ 128 /* of a kernel's shared memory */

/* What was found out about one kernel on one device, or set for it there. Threads may find it out at the
 * same time. */
enum { IW_MAX_DEVICES_ = 16 };
typedef struct {
  size_t granted;   /* bytes of dynamic shared memory that were asked for */
  int waits;        /* 1: its code has iw_wait_for_previous_launch; 2: it has not; 0: not known yet */
} iw_device_cache_;

/* A block that has more than 48 KiB of shared memory has to ask for it, once per kernel and device. The
 * block's own memory and what aligns the kernel's count, too: 4 KiB are left for them. */
static cudaError_t iw_request_shared_memory_(const void *kernel, const iw_cuda_launch *how,
    iw_device_cache_ *known)
{
  enum { OWN = 4 << 10, FREE = (48 << 10) - OWN };
  static_assert(sizeof(iw_block_memory) + IW_SHARED_ALIGNMENT_ <= OWN, "the block's own shared memory fits what is left for it");
  if (how->shared <= FREE) return cudaSuccess;
  const int cached = how->device < IW_MAX_DEVICES_;
  if (cached && how->shared <= __atomic_load_n(&known[how->device].granted, __ATOMIC_RELAXED))
      return cudaSuccess;
  const cudaError_t e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
      (int)how->shared);
  if (e == cudaSuccess && cached) __atomic_store_n(&known[how->device].granted, how->shared,
      __ATOMIC_RELAXED);
  return e;
}

/* Whether the kernel's code on this device has iw_wait_for_previous_launch. PTX of an older target that the
 * driver compiles for a later device has not, so the device's compute capability does not answer it. */
static int iw_waits_for_dependency_(const void *kernel, const iw_cuda_launch *how, iw_device_cache_ *known)
{
  if (how->device >= IW_MAX_DEVICES_) return 0;
  int waits = __atomic_load_n(&known[how->device].waits, __ATOMIC_RELAXED);
  if (!waits) {
    cudaFuncAttributes code;
    waits = cudaFuncGetAttributes(&code, kernel) == cudaSuccess && code.ptxVersion >= 90 ? 1 : 2;
    __atomic_store_n(&known[how->device].waits, waits, __ATOMIC_RELAXED);
  }
  return waits == 1;
}

static cudaError_t iw_enqueue_kernel_(const void *kernel, const iw_cuda_launch *how, iw_device_cache_ *known)
{
  unsigned threads = how->threads;
  void *parameters[] = { (void *)how->args, &threads };
  cudaLaunchAttribute early;
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((unsigned)how->grid);
  config.blockDim = dim3((threads + 31) / 32 * 32);
  config.dynamicSmemBytes = how->shared;
  config.stream = (cudaStream_t)how->stream;
  config.attrs = &early;
  config.numAttrs = iw_waits_for_dependency_(kernel, how, known) ? 1 : 0;
  return cudaLaunchKernelExC(&config, kernel, parameters);
}

/* Queues the launch on its device; the caller's current device stays. An error is returned, and CUDA's
 * record of the last error cleared. */
static int iw_launch_kernel_(const void *kernel, const iw_cuda_launch *how, iw_device_cache_ *known)
{
  int was = how->device;
  cudaError_t e = cudaGetDevice(&was);
  if (e == cudaSuccess && was != how->device) e = cudaSetDevice(how->device);
  if (e == cudaSuccess) e = iw_request_shared_memory_(kernel, how, known);
  if (e == cudaSuccess) e = iw_enqueue_kernel_(kernel, how, known);
  if (was != how->device) (void)cudaSetDevice(was);
  if (e != cudaSuccess) (void)cudaGetLastError();
  return (int)e;
}

/* ---- IW_KERNEL ---- */

/* A block's threads are rounded up to whole warps. threads_: those of every block, or 0 if the launch
 * says it. */
#define IW_KERNEL_NO_SPECIALIZATION IW_KERNEL_SIZED
#define IW_KERNEL_SIZED(name, shared_type, args_type, threads_, blocks_per_processor_) \
  IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_, iw_wait_for_previous_launch())
#define IW_KERNEL_OVERLAPPED(name, shared_type, args_type, threads_, blocks_per_processor_) \
  IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_, (void)0)
#define IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_, wait_) \
  IW_FN void name##_body_(iw_block *block, shared_type *shared, const args_type *args); \
  static __global__ void __launch_bounds__((threads_) ? ((threads_) + 31) / 32 * 32 : 1024, \
      blocks_per_processor_) \
  name##_grid_(const __grid_constant__ args_type args, unsigned threads) \
  { \
    extern __shared__ __align__(IW_SHARED_ALIGNMENT_) unsigned char iw_shared_[]; \
    wait_; \
    iw_block b; \
    iw_block_open_(&b, (threads_) ? (threads_) : threads); \
    name##_body_(&b, (shared_type *)iw_shared_, &args); \
  } \
  static int name##_start_(const iw_cuda_launch *how) \
  { static iw_device_cache_ known[IW_MAX_DEVICES_]; \
      return iw_launch_kernel_((const void *)name##_grid_, how, known); } \
  IW_EXTERN_CONST iw_kernel IW_KERNEL_NAME(name); \
  const iw_kernel IW_KERNEL_NAME(name) = { sizeof(iw_kernel), #name, IW_LANES_ISA, IW_WARP_SIZE, \
      threads_, blocks_per_processor_, \
    sizeof(shared_type), sizeof(args_type), 0, iw_contracted_, name##_start_, 0 }; \
  IW_FN void name##_body_(iw_block *block, shared_type *shared, const args_type *args)

IW_FN void iw_block_open_(iw_block *b, unsigned threads)
{
  b->index = blockIdx.x;
  b->blocks = gridDim.x;
  b->threads = threads;
  b->warps = (threads + 31) / 32;
  b->parity = 0;
}

#endif
