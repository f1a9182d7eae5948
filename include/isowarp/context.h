/* SPDX-License-Identifier: Apache-2.0
 *
 * What every call needs: status, types, arrays, contexts, memory, and the launch of kernels of your own.
 * The rules of isowarp.h hold.
 */
#ifndef ISOWARP_CONTEXT_H
#define ISOWARP_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#define ISOWARP_VERSION_MAJOR 0
#define ISOWARP_VERSION_MINOR 1
#define ISOWARP_VERSION_PATCH 0
#define ISOWARP_VERSION_STRING "0.1.0"
#ifndef IW_API
#define IW_API
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the library that runs, "0.1.0"; it may be newer than this header. */
IW_API const char *iw_version(void);

/* ---- Status ------------------------------------------------------------------------------------------- */
/* 1xx: arguments; 2xx: the environment; 3xx: resources and execution. */
typedef enum iw_status {
  IW_OK = 0,
  IW_ERROR_INVALID = 100,     /* an argument has a value that the call does not accept */
  IW_ERROR_OVERLAP = 101,     /* arrays that must not overlap do */
  IW_ERROR_OVERFLOW = 102,    /* a 32-bit counter or length may be too small for n */
  IW_ERROR_UNAVAILABLE = 200, /* a backend, instruction set or device is not available, or unknown */
  IW_ERROR_MISMATCH = 201,    /* a kernel was built for another target, or with other headers */
  IW_ERROR_MEMORY = 300,      /* an allocation failed */
  IW_ERROR_LAUNCH = 301,      /* a kernel could not be started, or failed */
  IW_ERROR_FINDING = 302,     /* on the simulated GPU: a check found something; results are unspecified */
  IW_ERROR_PEER = 303         /* another rank has failed, or the communication with it (isowarp/peers.h) */
} iw_status;

/* Returns the constant's name, "IW_ERROR_INVALID"; "unknown status" for any other value. Never NULL. */
IW_API const char *iw_status_name(iw_status status);
/* Returns a sentence about this thread's latest failed call, valid until the next; "" before the first. */
IW_API const char *iw_message(void);
/* ---- Types -------------------------------------------------------------------------------------------- */
typedef enum iw_type { /* 0 is no type: a struct's zeroed member is none */
  IW_U8 = 1, IW_U16, IW_I32, IW_U32, IW_I64, IW_U64, IW_F32, IW_F64, IW_I8, IW_I16, IW_BOOL,
  IW_F16, /* IEEE 754 binary16, the _Float16 of C and __half of CUDA */
  IW_BF16 /* the upper half of an f32, __nv_bfloat16 of CUDA */
} iw_type;
/* The types as a list, in the order of their values: X(NAME, name, C, kind). IW_NAME is the constant. C: an
 * element's type in C; f16 and bf16, which not every compiler has, are bits. kind: UNSIGNED, SIGNED, BOOL or
 * FLOAT. */
#define IW_ELEMENT_TYPES(X) \
  X(U8, u8, uint8_t, UNSIGNED) X(U16, u16, uint16_t, UNSIGNED) X(I32, i32, int32_t, SIGNED) \
  X(U32, u32, uint32_t, UNSIGNED) X(I64, i64, int64_t, SIGNED) X(U64, u64, uint64_t, UNSIGNED) \
  X(F32, f32, float, FLOAT) X(F64, f64, double, FLOAT) X(I8, i8, int8_t, SIGNED) X(I16, i16, int16_t, SIGNED) \
  X(BOOL, bool, uint8_t, BOOL) X(F16, f16, uint16_t, FLOAT) X(BF16, bf16, uint16_t, FLOAT)

/* Returns the bytes of one element: 1, 2, 4 or 8; 0 if type is not an iw_type. */
IW_API size_t iw_type_size(iw_type type);
/* Returns "u8" … "bf16"; "?" if type is not an iw_type. */
IW_API const char *iw_type_name(iw_type type);

/* ---- Structs and arrays ------------------------------------------------------------------------------ */
/* The address of a struct of options with these members, which lives as long as the block that it is in.
 * C only. */
#define IW_OPTIONS(type, ...) (&(const type){ .size = sizeof(type), __VA_ARGS__ })

/* An input array and its length, for calls that have two of them. */
typedef struct iw_elements {
  const void *at;  /* n elements of the call's type */
  size_t n;
} iw_elements;
/* An output array of indices, of lengths or of bin numbers: unsigned integers of `width` bytes, which are
 * 4 or 8 unless the call says otherwise. If an integer of this width may be too small, the call is
 * IW_ERROR_OVERFLOW. */
typedef struct iw_indices {
  void *at;        /* NULL where the call says that they may be unwanted */
  unsigned width;
} iw_indices;
static inline iw_indices iw_indices_u8(uint8_t *at) { iw_indices to = { at, 1 }; return to; }
static inline iw_indices iw_indices_u16(uint16_t *at) { iw_indices to = { at, 2 }; return to; }
static inline iw_indices iw_indices_u32(uint32_t *at) { iw_indices to = { at, 4 }; return to; }
static inline iw_indices iw_indices_u64(uint64_t *at) { iw_indices to = { at, 8 }; return to; }
/* ---- Contexts ----------------------------------------------------------------------------------------- */
/* A backend, a stream and scratch memory. Cheap to open: one per thread is normal. */
typedef struct iw_context iw_context;
typedef enum iw_backend {
  IW_BACKEND_AUTO, /* device memory: CUDA; host memory: the CPU, or CUDA from the offload threshold on */
  IW_BACKEND_CPU, IW_BACKEND_CUDA,
  IW_BACKEND_SIM   /* a simulated GPU: <isowarp/sim.h> */
} iw_backend;
/* How a kernel's blocks run on the CPU. No result depends on it. */
typedef enum iw_blocks {
  IW_BLOCKS_AUTO,   /* the library chooses */
  IW_BLOCKS_THREAD, /* one thread runs a whole block; many blocks run at a time */
  IW_BLOCKS_TEAM    /* all threads run one block together, with real barriers; one block runs at a time */
} iw_blocks;
typedef struct iw_context_options {
  size_t size;        /* sizeof(iw_context_options) */
  iw_backend backend; /* AUTO: the one in the environment variable ISOWARP_BACKEND, if set */
  const char *isa;    /* CPU instruction set; NULL: the one in ISOWARP_ISA if set, else the best here. Calls fail with
                       * IW_ERROR_UNAVAILABLE if its kernels are in a module that is not installed */
  unsigned threads;   /* CPU threads, at most 1024; 0: ISOWARP_THREADS if set, else as many as OpenMP has */
  iw_blocks blocks;
  int device;         /* CUDA device id, from 0 */
  unsigned openmp;    /* 1: OpenMP's threads run blocks; 0: the context's own, unless ISOWARP_OPENMP is 1 */
} iw_context_options;

/* Opens a context. options: NULL for all defaults. Result: *context, or NULL on failure. Errors: an unknown
 * or unavailable backend, instruction set or device is IW_ERROR_UNAVAILABLE, with the list of valid names in
 * the message; there is no silent fallback. */
IW_API iw_status iw_context_open(iw_context **context, const iw_context_options *options);
/* Closes a context and frees all that belongs to it. NULL is allowed. */
IW_API void iw_context_close(iw_context *context);

typedef struct iw_context_info {
  size_t size;         /* sizeof(iw_context_info), set by the caller */
  iw_backend backend;  /* CPU, CUDA or SIM; AUTO: a context for a CPU and CUDA */
  const char *isa;     /* "generic", "sse4", "avx2", "avx512", "neon", "cuda" or "sim" */
  unsigned threads;    /* most CPU threads of a launch */
  unsigned team;       /* CPU threads that ran the latest launch */
  int device;          /* CUDA device id, -1: none */
  const char *why;     /* one sentence: what was chosen and why; valid until the context is closed */
} iw_context_info;
/* Writes to *info what the context runs on. */
IW_API iw_status iw_context_get_info(const iw_context *context, iw_context_info *info);
/* Returns the name of a CPU instruction set of the library, slowest first; NULL past the last one. */
IW_API const char *iw_isa_name(unsigned index);
/* Returns 1 if the library has the named instruction set and this machine can run it, else 0. */
IW_API int iw_isa_available(const char *name);
/* Reserves at least `bytes` bytes of scratch, and a CPU context's threads; calls that need no more, and
 * whose arrays kernels can access, do not allocate (doc/reliability.md). It also permits partition, select,
 * unique and multisplit in place (through a copy in scratch), for arrays of up to `bytes` bytes. Enough for
 * any call but a multisplit and those of sorts.h, which says what is enough for them: twice the bytes of its
 * largest input, 64 bytes per bin, and 1 MiB; for N-D histograms, rows, channels and weights 16 per sample
 * and per bin more, but at most 256 MiB, and 700 per bin of weights; for iw_reduce of runs 5 per element
 * more, or 9 if n >= 2^32.
 * Enough for a multisplit: twice the bytes of all that it moves, 13 per element, 64 per bucket, and 1 MiB.
 * IW_ERROR_MEMORY leaves the context unchanged. */
IW_API iw_status iw_context_reserve(iw_context *context, size_t bytes);
/* Sets the stream of later calls: a cudaStream_t, or NULL for the context's own blocking stream (as of
 * cudaStreamCreate). Later work waits for the work queued on the old stream. IW_ERROR_INVALID while the old
 * stream is captured. A CPU context accepts only NULL. */
IW_API iw_status iw_context_set_stream(iw_context *context, void *stream);
/* Waits for all work queued by the context. */
IW_API iw_status iw_context_synchronize(iw_context *context);
/* Measures the offload threshold: the bytes of host data from which on the device is faster than the CPU,
 * transfers included. Takes seconds and 256 MiB. Later calls of this AUTO context use the threshold; else
 * host data stays on the CPU. Result: *bytes, SIZE_MAX if the CPU is always faster or there is no device. */
IW_API iw_status iw_context_measure_offload_threshold(iw_context *context, size_t *bytes);

/* Allocates memory where the context's kernels run: host memory, aligned to 64 bytes, for CPU and AUTO; else
 * device memory. Result: *memory, NULL for 0 bytes. */
IW_API iw_status iw_memory_allocate(iw_context *context, size_t bytes, void **memory);
/* Frees memory of iw_memory_allocate, after kernels that may use it have ended. NULL is allowed. */
IW_API iw_status iw_memory_free(iw_context *context, void *memory);
/* Copies `bytes` bytes; to and from are host or device memory. Waits unless both are device memory. */
IW_API iw_status iw_memory_copy(iw_context *context, void *to, const void *from, size_t bytes);

/* ---- Kernels of your own ------------------------------------------------------------------------------ */
/* A kernel written in the language of <isowarp/kernel.h>. */
typedef struct iw_kernel iw_kernel;

/* Runs `grid` blocks of `block` threads (1 … 1024); grid 0 does nothing.
 * args: the kernel's argument struct, of args_size bytes, which is copied. Pointers in it are to memory that
 *   the kernel can access: nothing is staged, and on CUDA the call returns when the launch is queued. A
 *   kernel that nvcc built runs on the device, also from an AUTO context; any other on the CPU.
 * IW_ERROR_MISMATCH: args_size is not the kernel's, or the kernel was built with floating-point contraction,
 *   for another backend, or for an instruction set that is not available (iw_isa_available). */
IW_API iw_status iw_launch(iw_context *context, const iw_kernel *kernel, size_t grid, unsigned block,
    const void *args, size_t args_size);

#ifdef __cplusplus
}
#endif

#endif
