/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp: scan, reduce, histogram, partition and multisplit with the same bits on CPUs and NVIDIA GPUs.
 * This is the public API. <isowarp/typed.h> (C11) and <isowarp/isowarp.hpp> (C++) are opt-in layers that
 * take the element type from the pointers; <isowarp/segments.h> has scans and reductions of segments, rows and
 * keys, <isowarp/exact.h> exact sums of floats, <isowarp/strategies.h> the textbook histogram strategies.
 *
 * Rules that hold for every call
 * ------------------------------
 * Errors. A call that can fail returns an iw_status; IW_OK is 0. iw_message() then says what is wrong, with
 *   the value and the limit. No call prints, exits or aborts. If a check fails, output arrays are unchanged;
 *   after any other failure, unspecified. Contracts list only errors beyond these rules, _MEMORY and _LAUNCH.
 * Arrays. Sizes and counts are in elements unless a name says bytes. Arrays, single values and results are
 *   aligned to their type. n may be 0, and pointers to n elements may then be NULL. Inputs may overlap. An
 *   output array or a result (count, report, …) overlaps no other and no input unless the call says which
 *   pointers may be equal; else IW_ERROR_OVERLAP. Any other bad argument is IW_ERROR_INVALID.
 * Order. Arguments are the context; what is done (an operator and a type, a spec, a test, buckets); inputs with their
 *   length; outputs; results; options and init. iw_memory_copy has the order of memcpy.
 * Types. "The six types" are i32 u32 i64 u64 f32 f64; "all types" are these and the narrow ones, i8 u8 i16 u16
 *   bool f16 bf16 (doc/arguments.md). bool: bytes 0 and 1; another byte is compared and moved as of u8.
 * Option structs begin with their size: set it to sizeof the struct. Zero all members that you do not need.
 *   A newer header's larger struct works if the members that the library does not know are 0 (doc/abi.md).
 * Memory. An array is in host memory or, if the context runs on CUDA, in device memory; one call may mix
 *   them. Device memory is used in place. On a CUDA context host memory is staged through the device, in
 *   pieces where a call reads it once, so a histogram or a reduction may read more than the device holds.
 *   Single values (init, constant, pivot, lo, hi) and tables (edges, map) are in host memory unless said
 *   otherwise, and read first: they may lie in an output. Another device's memory is IW_ERROR_INVALID.
 * Streams. On CUDA a call whose arrays are all in device memory returns when its work is queued on the
 *   context's stream. A call waits, that is, returns only when its work is done, if it uses host memory or
 *   needs a value on the host: a report, a count, offsets or a result in host memory, an automatic range. A
 *   failure of queued work is reported by a later call. On a CPU all calls wait.
 * CUDA graphs. Calls that do not wait and whose scratch was reserved (iw_context_reserve) neither allocate
 *   nor synchronise, and may be captured from the context's stream. Values in host memory (edges, pivot,
 *   init) are read at capture, an init in device memory at each replay. A graph uses the context's scratch:
 *   replay it while the context is open, and not at the same time as other calls of the context.
 * Threads. One thread at a time uses a context, which owns the scratch of its calls; different contexts
 *   share nothing. Functions without a context may be called from any thread. A CPU context has threads of
 *   its own, fewer where some cannot be created, and works in the child of a fork. A call needs 32 KiB of
 *   stack; with less than 512 KiB kernels run on these threads alone (doc/reliability.md).
 * Results depend on the input alone: not on backend, instruction set, number of threads, or tuning. Rounding
 * is to nearest and subnormals are kept, whatever floating-point environment the caller has. A NaN that is
 * computed is the canonical one, 0x7fc00000 (f64 0x7ff8000000000000, f16 0x7e00, bf16 0x7fc0); elements that
 * only move keep their bits.
 */
#ifndef ISOWARP_H
#define ISOWARP_H

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
/* ---- Types and operators ------------------------------------------------------------------------------ */
typedef enum iw_type { /* 0 is no type: a struct's zeroed member is none */
  IW_U8 = 1, IW_U16, IW_I32, IW_U32, IW_I64, IW_U64, IW_F32, IW_F64, IW_I8, IW_I16, IW_BOOL,
  IW_F16, /* IEEE 754 binary16, the _Float16 of C and __half of CUDA */
  IW_BF16 /* the upper half of an f32, __nv_bfloat16 of CUDA */
} iw_type;

/* Returns the bytes of one element: 1, 2, 4 or 8; 0 if type is not an iw_type. */
IW_API size_t iw_type_size(iw_type type);
/* Returns "u8" … "bf16"; "?" if type is not an iw_type. */
IW_API const char *iw_type_name(iw_type type);

/* An operator of scan and reduce is a handle: a constant below, or the address of an iw_operator that
 * <isowarp/make_operator.h> makes from a function of yours.
 * IW_SUM, IW_PRODUCT: not of bool. Integers wrap (two's complement). Floats are combined in summation order 1
 *   (doc/order1.md), which fixes every parenthesis: a binary tree in each row of 128 elements, then left folds
 *   over rows, tiles of 32 rows, and groups of 32 tiles, beginning with init. A scan may therefore be split at
 *   multiples of 2^17 elements: each part, with init = the last output of the part before it, gives the same
 *   bits. f16 and bf16 are combined as f32 and each output is rounded once, to nearest even: a scan of them
 *   cannot be split. A sum can if its outputs are f32 (iw_scan_with of isowarp/segments.h, which also sums bool
 *   and integers in wider types).
 *   A sum of elements that are all -0 is -0, one of none and an exact sum (isowarp/exact.h) that is 0 are +0.
 * IW_MIN, IW_MAX: -0 is less than +0. If an element is NaN, the result is the canonical NaN.
 * IW_AND, IW_OR, IW_XOR: bit by bit, of integers and bool.
 * Scans of segments by flags and keys take IW_SUM, IW_MIN and IW_MAX only. */
typedef struct iw_operator iw_operator;
typedef const iw_operator *iw_op;
#define IW_SUM ((iw_op)1) /* values, not addresses, as SIG_DFL of <signal.h> */
#define IW_MIN ((iw_op)2)
#define IW_MAX ((iw_op)3)
#define IW_PRODUCT ((iw_op)4)
#define IW_AND ((iw_op)5)
#define IW_OR ((iw_op)6)
#define IW_XOR ((iw_op)7)
/* ---- Arrays ------------------------------------------------------------------------------------------- */
/* An input array and its length, for calls that have two of them. */
typedef struct iw_elements {
  const void *at;  /* n elements of the call's type */
  size_t n;
} iw_elements;
/* An output array of indices, of lengths or of bin numbers: unsigned integers of `width` bytes, which are 4 or 8 unless
 * the call says otherwise. If an integer of this width may be too small, the call is IW_ERROR_OVERFLOW. */
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
  iw_backend backend;  /* CPU or CUDA; AUTO: a context for both */
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
/* Reserves at least `bytes` bytes of scratch, and a CPU context's threads; calls that need no more, and whose
 * arrays kernels can access, do not allocate (doc/reliability.md). It also permits partition, select, unique
 * and multisplit in place (through a copy in scratch), for arrays of up to `bytes` bytes. Enough for any call
 * but a multisplit: twice the bytes of its largest input, 64 bytes per bin, and 1 MiB; for pairs, rows,
 * channels and weights 16 per sample and per bin more, but at most 256 MiB, and 700 per bin of weights; for
 * iw_reduce_by_key 5 per element more, or 9 if n >= 2^32.
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

/* ---- Scan and reduce (all types) ---------------------------------------------------------------------- */
/* Inclusive scan: out[i] = init (op) in[0] (op) … (op) in[i].
 * in and out have n elements of type; out may equal in. init: one element, or NULL for none. In host memory
 *   it is read during the call. In device or managed memory the kernel reads it in stream order, so it may
 *   be the output of an earlier call; for one of 1 or 2 bytes the call waits. It does not lie in out. A NaN
 *   counts as the canonical one.
 * A user's operator: type is its type. If it has a transform, in has the transform's element type, and out
 *   may equal in if both types have the same size. It need not commute: operands keep their order. An
 *   operator that nvcc built runs on the device, also from an AUTO context, and accepts host memory; one that
 *   was built for CPUs accepts no device memory. IW_ERROR_MISMATCH if its kernels do not run on the context.
 * One pass with decoupled look-back (Merrill and Garland 2016, "Single-pass Parallel Prefix Scan with
 *   Decoupled Look-back"); scratch: 8 or 16 bytes per 4096 elements. */
IW_API iw_status iw_inclusive_scan(iw_context *context, iw_op op, iw_type type, const void *in, size_t n,
    void *out, const void *init);
/* Exclusive scan: out[0] = init, out[i] = the inclusive scan's out[i-1], with the same bits. Without init
 * out[0] is the initial value: +0 for IW_SUM, 1 for IW_PRODUCT, the type's largest value (bool: 1) or +inf for
 * IW_MIN, its lowest or -inf for IW_MAX, all bits set (bool: 1) for IW_AND, 0 for IW_OR and IW_XOR, the
 * identity of a user's operator. Else as iw_inclusive_scan. */
IW_API iw_status iw_exclusive_scan(iw_context *context, iw_op op, iw_type type, const void *in, size_t n,
    void *out, const void *init);
/* Reduction: *result = the inclusive scan's last output, with the same bits; for n = 0 init or the initial
 * value. result: one element in host or device memory; may equal init. Else as iw_inclusive_scan. */
IW_API iw_status iw_reduce(iw_context *context, iw_op op, iw_type type, const void *in, size_t n,
    void *result, const void *init);

/* Finds the first minimum (maximum) by the order of IW_MIN (IW_MAX): the first NaN if there is one; -0 comes
 * before +0. Results, in host or device memory: *index, an element index, 0 if n is 0; *value (NULL: not
 * wanted) = in[*index], a NaN as the canonical one; for n = 0 as iw_reduce. One pass over in. If type
 * has 1 or 2 bytes and value is wanted, the call waits. */
IW_API iw_status iw_argmin(iw_context *context, iw_type type, const void *in, size_t n, size_t *index,
    void *value);
IW_API iw_status iw_argmax(iw_context *context, iw_type type, const void *in, size_t n, size_t *index,
    void *value);

/* ---- Histogram (all types) ---------------------------------------------------------------------------- */
/* Bins have edges e(0) < e(1) < … < e(bins). A sample x is in bin k if e(k) <= x < e(k+1), decided by
 * comparison. A NaN is in no bin. */
typedef enum iw_histogram_kind {
  IW_HISTOGRAM_EVEN,  /* floats: e(k) = k*step + lo, step = (hi-lo)/bins, in double without fma, then rounded
                         to the type; e(0) = lo, e(bins) = hi. Integers: e(k) = lo + ceil(k(hi-lo)/bins) */
  IW_HISTOGRAM_EDGES, /* the caller's bins + 1 edges */
  IW_HISTOGRAM_MAP    /* u8 samples only: the caller's table gives each value's bin index */
} iw_histogram_kind;
#define IW_MAP_NONE 0xffffu /* in a map: the value is in no bin */
/* What happens to samples outside [e(0), e(bins)), and to values that a map gives no bin. */
typedef enum iw_policy {
  IW_POLICY_DROP,  /* they are not counted */
  IW_POLICY_CLAMP, /* they count in the first or the last bin; not for maps */
  IW_POLICY_COUNT  /* two more counters: counts[bins] for those below, counts[bins + 1] for above */
} iw_policy;
enum {                     /* a map has no top: the first and the last flag do nothing there */
  IW_HIST_CLOSED_TOP = 1,  /* x == hi (with EDGES: the last edge) is in the last bin. Even bins of integers that
                              are hi - lo + 1 have a value each then: e(bins) = hi + 1 */
  IW_HIST_ACCUMULATE = 2,  /* add to what counts holds, to count a stream in chunks */
  IW_HIST_COUNTERS_32 = 4, /* counts is uint32_t, not uint64_t; IW_ERROR_OVERFLOW if n does not fit */
  IW_HIST_HI_INCLUDED = 8  /* integers: e(bins) = hi + 1, beside CLOSED_TOP too; with EDGES: CLOSED_TOP */
};
typedef struct iw_histogram_plan iw_histogram_plan;
/* The bins of a histogram, and what is counted. */
typedef struct iw_histogram_spec {
  size_t size;                   /* sizeof(iw_histogram_spec) */
  iw_histogram_kind kind;
  size_t bins;                   /* 1 … 2^31 - 1; for a map at most 65535 */
  const void *lo, *hi;           /* EVEN: of the sample type, lo < hi, hi - lo finite; both NULL: automatic.
                                    Integers: e(bins) - lo >= bins, so that each bin has a value */
  const void *edges;             /* EDGES: bins + 1 finite values of the sample type, strictly increasing */
  const uint16_t *map;           /* MAP: 256 bin indices below bins, or IW_MAP_NONE */
  iw_policy policy;
  unsigned flags;                /* IW_HIST_… */
  const iw_histogram_plan *plan; /* not NULL: its bins, policy and flags; other members than size are 0 */
} iw_histogram_spec;
/* The numbers of samples outside of all bins, under every policy. */
typedef struct iw_histogram_report {
  size_t size;                       /* sizeof(iw_histogram_report), set by the caller */
  uint64_t underflow, overflow, nan; /* below e(0); above the last bin, or without a bin in a map; NaN */
} iw_histogram_report;

/* Histogram: counts[k] = the number of samples in bin k of the spec.
 * counts: bins elements (policy COUNT: bins + 2) of uint64_t or uint32_t (IW_HIST_COUNTERS_32), overwritten
 *   unless IW_HIST_ACCUMULATE. report: host memory, or NULL. An automatic range takes another pass, and the
 *   call waits. A plan's first call on another device than it was made on allocates: it cannot be captured. */
IW_API iw_status iw_histogram(iw_context *context, iw_type type, const iw_histogram_spec *spec, const void *samples,
    size_t n, void *counts, iw_histogram_report *report);
/* Writes the bins + 1 edges of a spec, of the sample type, to host memory. If the type cannot hold the last
 * edge, hi + 1, hi is written. Not for maps, plans and automatic ranges. */
IW_API iw_status iw_histogram_edges(iw_type type, const iw_histogram_spec *spec, void *edges);
/* Writes the automatic range to *lo and *hi, one value of the sample type each, in host memory: a histogram
 * with it and IW_HIST_CLOSED_TOP is the automatic one, errors included. It is [min, max]; for n = 0 [0, 1]; if
 * all samples are v, [v, v+1] (the largest integer: [v-1, v]), of floats [v-0.5, v+0.5], or v-|v|/2 and v+|v|/2
 * where that is v twice (decision 070). A NaN or an infinity in the data is IW_ERROR_INVALID. One pass. Integers
 * can have up to max - min + 1 bins, by the rule of IW_HIST_CLOSED_TOP. */
IW_API iw_status iw_histogram_range(iw_context *context, iw_type type, const void *samples, size_t n,
    void *lo, void *hi);

/* A plan is a spec prepared for many calls: its edges, the rule that finds a sample's bin, and the tables
 * that kernels read, which stay on each device that used the plan. It is immutable: any number of threads may
 * use it at the same time, each with its own context.
 * Makes a plan from a spec, which may be freed afterwards. sample: n samples (or none) of the data, in host
 * or device memory. At most 8192 are read, and the call waits; the share of their most frequent bin decides
 * how later calls count. Not for automatic ranges or specs with a plan. Result: *plan, NULL on failure. */
IW_API iw_status iw_histogram_plan_make(iw_context *context, iw_type type, const iw_histogram_spec *spec,
    const void *sample, size_t n, iw_histogram_plan **plan);
/* Frees a plan. No call may be using it, and no graph that captured it may be replayed. NULL is allowed. */
IW_API void iw_histogram_plan_free(iw_histogram_plan *plan);

typedef struct iw_histogram_plan_info {
  size_t size;             /* sizeof(iw_histogram_plan_info), set by the caller */
  iw_type type;
  size_t bins, outputs;    /* outputs: counters that a histogram writes, bins or (policy COUNT) bins + 2 */
  const char *rule;        /* how a sample's bin is found, in words; a static string */
  double ambiguous;        /* 0 … 1: share of uniformly distributed samples so near an edge that arithmetic
                              cannot decide their bin; they are compared with that edge */
  size_t tables, copies;   /* tables of counters per block; copies of all counters, added up at the end */
  char why[384];           /* one sentence */
} iw_histogram_plan_info;
/* Writes to *info how n samples would be counted on this context; on AUTO, n samples in host memory. */
IW_API iw_status iw_histogram_plan_get_info(iw_context *context, const iw_histogram_plan *plan, size_t n,
    iw_histogram_plan_info *info);

/* Weighted histogram: sums[k] = the sum of the weights of the samples in bin k. type is the plan's. sums: as
 * many as a histogram's counts: int64_t for weights of i32 i64, uint64_t for u32 u64, float for f32, double
 * for f64. Integers wrap. Floats (and with IW_HIST_ACCUMULATE the old sum) are summed exactly and
 * rounded once (doc/weights.md). No IW_HIST_COUNTERS_32. n < 2^36; for f64 (bins + 3) * 87 < 2^32, for f32
 * (bins + 3) * 16 < 2^32. On CUDA host memory is staged whole, here and in the next three calls. */
IW_API iw_status iw_histogram_weighted(iw_context *context, const iw_histogram_plan *plan, iw_type type,
    const void *samples, iw_type weight_type, const void *weights, size_t n, void *sums);

/* The samples of one dimension. */
typedef struct iw_histogram_axis {
  size_t size;                   /* sizeof(iw_histogram_axis) */
  const iw_histogram_plan *plan;
  iw_type type;                  /* the plan's */
  const void *samples;           /* n */
} iw_histogram_axis;
/* Two-dimensional histogram: counts[i*Y + k] = the number of j with x's sample j in bin i and y's in bin k. X
 * and Y are the outputs of the plans; counts has X*Y elements, at most 2^31 - 4. A pair with a sample in no
 * bin is not counted. The plans agree in IW_HIST_ACCUMULATE and IW_HIST_COUNTERS_32. */
IW_API iw_status iw_histogram_pairs(iw_context *context, const iw_histogram_axis *x,
    const iw_histogram_axis *y, size_t n, void *counts);
/* One histogram per row of a row-major matrix without padding: samples has rows * columns elements, counts
 * rows times the plan's outputs. type is the plan's. */
IW_API iw_status iw_histogram_rows(iw_context *context, const iw_histogram_plan *plan, iw_type type,
    const void *samples, size_t rows, size_t columns, void *counts);
/* One histogram per channel of interleaved samples: samples has n * channels elements, 1 … 23 channels.
 * counts[c] gets channel c by plans[c]; a channel whose plan is NULL is not counted. One pass. */
IW_API iw_status iw_histogram_channels(iw_context *context, const iw_histogram_plan *const *plans,
    unsigned channels, iw_type type, const void *samples, size_t n, void *const *counts);

/* ---- Partition, select, unique (all types) ------------------------------------------------------------ */
/* All of these are stable, and move elements bit by bit. count is in host or device memory. In place (out
 * equals in) they need iw_context_reserve() of the array's bytes or more; else IW_ERROR_OVERLAP. Select and
 * unique write *count outputs and need no more room; but if count is in device memory, their outputs need
 * room for n, and cannot equal in. One pass with decoupled look-back (Merrill and Garland 2016); a partition
 * without rest has a counting pass before it. */
typedef enum iw_compare { IW_LESS, IW_LESS_EQUAL, IW_EQUAL, IW_NOT_EQUAL, IW_GREATER,
                          IW_GREATER_EQUAL } iw_compare;
/* A user's test: a kernel that <isowarp/make_predicate.h> makes from a function. */
typedef struct iw_predicate iw_predicate;
/* Selects elements by exactly one of constant, flags, predicate and bins. */
typedef struct iw_test {
  size_t size;                   /* sizeof(iw_test) */
  iw_compare compare;            /* element (compare) *constant, as in C: a NaN is != all, -0 == +0 */
  const void *constant;          /* one element in host memory */
  const uint8_t *flags;          /* n bytes: elements whose flag is not 0 */
  const iw_predicate *predicate; /* the six types */
  const iw_histogram_spec *bins; /* all types: elements in bin `bin` of these, as iw_histogram counts; no map */
  size_t bin;
} iw_test;

/* Partition. rest NULL: front (n elements) = [selected elements][others], and may equal in. Else front = the
 * selected elements, rest = the others; each has room for n, of which *count and n - *count are written, and
 * nothing overlaps. Result: *count, the number of selected elements. */
IW_API iw_status iw_partition(iw_context *context, iw_type type, const iw_test *test, const void *in,
    size_t n, void *front, void *rest, size_t *count);
/* Select: out = the selected elements, *count of them. out may equal in. */
IW_API iw_status iw_select_if(iw_context *context, iw_type type, const iw_test *test, const void *in,
    size_t n, void *out, size_t *count);

/* An array that moves along: value i goes where element i of the call's in goes, bit by bit. To move the
 * elements too, make them a payload: with the call's in, and their type's size as width. */
typedef struct iw_payload {
  size_t size;                   /* sizeof(iw_payload) */
  const void *in;                /* n values; NULL: the indices 0 … n-1; width 4 (n <= 2^32) or 8 */
  void *out;                     /* as front of iw_partition or out of iw_select_if */
  void *rest;                    /* as rest of iw_partition, for each payload separately; else NULL */
  size_t width;                  /* bytes of a value: 1 2 4 8 16; also its alignment, but 8 for 16 */
} iw_payload;
enum { IW_MAX_PAYLOADS = 8 };
/* Partition and select of 1 … IW_MAX_PAYLOADS payloads by a test of the elements of in, or NULL for flags.
 * Each payload is read once. Scratch: a bit per element, a copy of each payload whose out equals its in. */
IW_API iw_status iw_partition_payloads(iw_context *context, iw_type type, const iw_test *test, const void *in,
    size_t n, const iw_payload *payloads, size_t payload_count, size_t *count);
IW_API iw_status iw_select_payloads(iw_context *context, iw_type type, const iw_test *test, const void *in,
    size_t n, const iw_payload *payloads, size_t payload_count, size_t *count);

/* Unique: out = the first element of each run of equal neighbours, and its payloads (payload_count 0: none).
 * Elements are equal if their bits are: -0 differs from +0, and a NaN equals one of the same bits;
 * iw_keys_by_value (isowarp/segments.h) makes elements of which neither holds. Result:
 * *count, the number of runs. out (NULL: only payloads) may equal in. */
IW_API iw_status iw_unique(iw_context *context, iw_type type, const void *in, size_t n, void *out,
    size_t *count, const iw_payload *payloads, size_t payload_count);
/* Run-length encoding: values = the out of iw_unique (NULL: not wanted), lengths[r] = the length of run r,
 * of length_type u32 (n < 2^32, else IW_ERROR_OVERFLOW) or u64. values may equal in. */
IW_API iw_status iw_run_lengths(iw_context *context, iw_type type, const void *in, size_t n, void *values,
    iw_type length_type, void *lengths, size_t *count);

/* ---- Multisplit --------------------------------------------------------------------------------------- */
/* A user's bucket rule: a kernel that <isowarp/make_bucket_rule.h> makes from a function. */
typedef struct iw_bucket_rule iw_bucket_rule;
/* Gives each element a bucket, by exactly one of bins, pivot, bits and rule. */
typedef struct iw_buckets {
  size_t size;                   /* sizeof(iw_buckets) */
  const iw_histogram_spec *bins; /* all types: bucket k is bin k, as iw_histogram counts; a map only of u8 */
  const void *pivot;             /* all types: 3 buckets: less, equal (as in C), and greater or NaN */
  unsigned bit, bits;            /* all types: id = (element's bits >> bit) mod 2^bits; bits 1 … 16 */
  const iw_bucket_rule *rule;    /* the six types, u8 and u16 */
  size_t count;                  /* rule: buckets, 1 … 2^31 - 1; an id >= count means the last one. Else 0 */
} iw_buckets;

/* Multisplit: out = [bucket 0][bucket 1]…[last bucket][elements in no bin], each stable; n elements.
 * offsets, in host or device memory: one element more than there are buckets; bucket k is out[offsets[k]] …
 * out[offsets[k+1] - 1]. out may equal in after iw_context_reserve(), as in a partition.
 * Radix passes of up to 8 bits over bucket ids; scratch as iw_context_reserve says. */
IW_API iw_status iw_multisplit(iw_context *context, iw_type type, const iw_buckets *buckets, const void *in,
    size_t n, void *out, size_t *offsets);
/* Multisplit of 0 … IW_MAX_PAYLOADS payloads; with none only offsets are written. out of a payload without in
 * becomes the permutation: out[i] = the index of the element that moves to i. A payload's out may equal its
 * in, as in a partition; payloads may share an in. */
IW_API iw_status iw_multisplit_payloads(iw_context *context, iw_type type, const iw_buckets *buckets, const void *in,
    size_t n, const iw_payload *payloads, size_t payload_count, size_t *offsets);

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
