/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp: scan, reduce, histogram, partition and multisplit with the same bits on CPUs and NVIDIA GPUs.
 * This is the public API. <isowarp/typed.h> (C11) and <isowarp/isowarp.hpp> (C++) are opt-in layers that
 * take the element type from the pointers; <isowarp/strategies.h> has the textbook histogram strategies.
 *
 * Rules that hold for every call
 * ------------------------------
 * Errors. A call that can fail returns an iw_status; IW_OK is 0. iw_message() then says what is wrong, with
 *   the value and the limit. No call prints, exits or aborts. A call that fails before it writes leaves its
 *   outputs unchanged. The contracts below list only the errors that are not in these rules.
 * Arrays. Sizes and counts are in elements unless a name says bytes. An array is contiguous and aligned to
 *   its element type. n may be 0, and pointers to n elements may then be NULL. Arrays of one call do not
 *   overlap unless the call says which pointers may be equal; any other overlap is IW_ERROR_OVERLAP. Every
 *   other bad argument is IW_ERROR_INVALID.
 * Types. Calls take element types as iw_type. "The six types" are i32 u32 i64 u64 f32 f64; "all eight" are
 *   these, u8 and u16.
 * Option structs begin with their size: set it to sizeof the struct. Zero all members that you do not need.
 *   Another size than the library's is IW_ERROR_INVALID. doc/abi.md says what may change between versions.
 * Memory. An array is in host memory or, if the context runs on CUDA, in device memory; one call may mix
 *   them. Device memory is used in place. On a CUDA context host memory is staged through the device, in
 *   pieces where a call reads it once, so a histogram or a reduction may read more than the device holds.
 *   Pointers to single values (init, constant, pivot, lo, hi) and to tables (edges, map) are host memory
 *   unless the contract says otherwise. Memory of another device is IW_ERROR_INVALID.
 * Streams. On CUDA a call whose arrays are all in device memory returns when its work is queued on the
 *   context's stream. A call returns only when its work is done if it uses host memory, or gives the host a
 *   value: a report, a count, offsets or a result in host memory, an automatic range; this is what "the call
 *   waits" means below. On a CPU a call always returns when it is done.
 * CUDA graphs. Calls that do not wait and whose scratch was reserved (iw_context_reserve) neither allocate
 *   nor synchronise, and may be captured from the context's stream. Values in host memory (edges, pivot,
 *   init) are read at capture, an init in device memory at each replay. A graph uses the context's scratch:
 *   replay it while the context is open, and not at the same time as other calls of the context.
 * Threads. One thread at a time uses a context, which owns the scratch of its calls; different contexts
 *   share nothing. Functions without a context may be called from any thread.
 * Results depend on the input alone: not on backend, instruction set, number of threads, or tuning. Rounding
 * is to nearest and subnormals are kept, whatever floating-point environment the caller has. A NaN that is
 * computed is 0x7fc00000 or 0x7ff8000000000000; elements that are only moved keep their bits.
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
  IW_ERROR_OVERLAP = 101,     /* arrays overlap that must not */
  IW_ERROR_OVERFLOW = 102,    /* a 32-bit output could not hold a value that n allows */
  IW_ERROR_UNAVAILABLE = 200, /* a backend, instruction set or device is not available, or unknown */
  IW_ERROR_MISMATCH = 201,    /* a kernel was built for another target, or with other headers */
  IW_ERROR_MEMORY = 300,      /* an allocation failed */
  IW_ERROR_LAUNCH = 301       /* a kernel could not be started, or failed */
} iw_status;

/* Returns the constant's name, "IW_ERROR_INVALID"; "unknown status" for any other value. Never NULL. */
IW_API const char *iw_status_name(iw_status status);
/* Returns a sentence about this thread's latest failed call, valid until the next; "" before the first. */
IW_API const char *iw_message(void);

/* ---- Types and operators ------------------------------------------------------------------------------ */
typedef enum iw_type { IW_U8, IW_U16, IW_I32, IW_U32, IW_I64, IW_U64, IW_F32, IW_F64 } iw_type;

/* Returns the bytes of one element: 1, 2, 4 or 8; 0 if type is not an iw_type. */
IW_API size_t iw_type_size(iw_type type);
/* Returns "u8" … "f64"; "?" if type is not an iw_type. */
IW_API const char *iw_type_name(iw_type type);

/* An operator of scan and reduce is a handle: a constant below, or the address of an iw_operator that
 * <isowarp/scan.h> makes from a function of yours.
 * IW_SUM: integers wrap (two's complement). Floats are added in summation order 1 (doc/order1.md), which
 *   fixes every parenthesis: a binary tree in each row of 128 elements, then left folds over rows, tiles of
 *   32 rows, and groups of 32 tiles, beginning with init. A scan that is cut at a multiple of 2^17 elements
 *   and continued with init = its last output therefore gives the same bits.
 * IW_MIN, IW_MAX: numbers are totally ordered, -0 < +0. A NaN makes the result NaN. */
typedef struct iw_operator iw_operator;
typedef const iw_operator *iw_op;
#define IW_SUM ((iw_op)1) /* values, not addresses, as SIG_DFL of <signal.h> */
#define IW_MIN ((iw_op)2)
#define IW_MAX ((iw_op)3)
/* ---- Contexts ----------------------------------------------------------------------------------------- */
/* A backend, a stream and scratch memory. Cheap to open: one per thread is normal. */
typedef struct iw_context iw_context;
typedef enum iw_backend {
  IW_BACKEND_AUTO, /* each call runs where its data is: device memory on CUDA, else on the faster one */
  IW_BACKEND_CPU,
  IW_BACKEND_CUDA
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
  const char *isa;    /* CPU instruction set; NULL: the one in ISOWARP_ISA if set, else the best here */
  unsigned threads;   /* CPU threads, at most 1024; 0: ISOWARP_THREADS if set, else OpenMP's default */
  iw_blocks blocks;
  int device;         /* CUDA device id, from 0 */
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
  const char *isa;     /* "generic", "sse4", "avx2", "avx512", "neon" or "cuda"; a static string */
  unsigned threads;    /* CPU threads that a launch may use */
  unsigned team;       /* CPU threads that ran the last launch */
  int device;          /* CUDA device id, -1: none */
  const char *why;     /* one sentence: what was chosen and why; valid until the context is closed */
} iw_context_info;
/* Writes to *info what the context runs on. */
IW_API iw_status iw_context_get_info(const iw_context *context, iw_context_info *info);

/* Returns the name of a CPU instruction set of the library, slowest first; NULL past the last one. */
IW_API const char *iw_isa_name(unsigned index);
/* Returns 1 if the library has the named instruction set and this machine can run it, else 0. */
IW_API int iw_isa_available(const char *name);

/* Makes the context's scratch at least `bytes` large, so that calls that need no more do not allocate, and
 * allows the calls that work in place through a copy (partition, select, unique, multisplit) for arrays of
 * up to `bytes` bytes. Enough for any call but a multisplit: twice the bytes of its largest input, 64 bytes
 * per bin, and 1 MiB. Enough for a multisplit: twice the bytes of all that it moves, 13 per element, 64 per
 * bucket, and 1 MiB. IW_ERROR_MEMORY leaves the context unchanged. */
IW_API iw_status iw_context_reserve(iw_context *context, size_t bytes);
/* Sets the stream of later calls: a cudaStream_t, or NULL for the context's own stream, which is ordered
 * with the default stream as any stream of cudaStreamCreate. Later work waits for the work queued on the old
 * stream. A CPU context accepts only NULL. */
IW_API iw_status iw_context_set_stream(iw_context *context, void *stream);
/* Returns when all work of the context is done. */
IW_API iw_status iw_context_synchronize(iw_context *context);

/* Measures the offload threshold: the bytes of host data from which on the device is faster than the CPU,
 * transfers included. It runs f32 reductions of up to 256 MiB, for seconds. Later calls of this AUTO context
 * use it; before, host data stays on the CPU. Result: *bytes, SIZE_MAX if the CPU is always faster or there
 * is no device. */
IW_API iw_status iw_context_measure_offload_threshold(iw_context *context, size_t *bytes);

/* Allocates memory where the context's kernels run: host memory, aligned to 64 bytes, for CPU and AUTO; else
 * device memory. Result: *memory, NULL for 0 bytes. */
IW_API iw_status iw_memory_allocate(iw_context *context, size_t bytes, void **memory);
/* Frees memory of iw_memory_allocate. NULL is allowed. */
IW_API iw_status iw_memory_free(iw_context *context, void *memory);
/* Copies between any places of host and device memory. Returns when queued if both are device memory. */
IW_API iw_status iw_memory_copy(iw_context *context, void *to, const void *from, size_t bytes);

/* ---- Scan and reduce (the six types) ------------------------------------------------------------------ */
/* Inclusive scan: out[i] = init (op) in[0] (op) … (op) in[i].
 * type is the type of in (n), out (n) and init (1). out may equal in. init: NULL for none; in host memory it
 *   is read during the call, in device or managed memory by the kernel in stream order, so it may be another
 *   call's output; it does not lie in out.
 * A user's operator: type is its type. If it has a transform, in has the transform's element type, and out
 *   may equal in if both elements have one size. An operator that nvcc built runs on the device, also from an
 *   AUTO context, and accepts host memory; an operator for a CPU accepts no device memory. It need not
 *   commute: operands keep their order. IW_ERROR_MISMATCH if its kernels do not run on the context.
 * One pass with decoupled look-back (Merrill and Garland 2016, "Single-pass Parallel Prefix Scan with
 *   Decoupled Look-back"); scratch: 8 or 16 bytes per 4096 elements. */
IW_API iw_status iw_inclusive_scan(iw_context *context, iw_op op, iw_type type, const void *in, void *out,
    size_t n, const void *init);
/* Exclusive scan: out[0] = init, out[i] = the inclusive scan's out[i-1], with the same bits. Without init
 * out[0] is the identity: +0 for IW_SUM, the type's largest value or +inf for IW_MIN, its lowest or -inf for
 * IW_MAX. Else as iw_inclusive_scan. */
IW_API iw_status iw_exclusive_scan(iw_context *context, iw_op op, iw_type type, const void *in, void *out,
    size_t n, const void *init);
/* Reduction: *result = the inclusive scan's last output, with the same bits; for n = 0 it is init or the
 * identity. result: one element in host or device memory; may equal init. Else as iw_inclusive_scan. */
IW_API iw_status iw_reduce(iw_context *context, iw_op op, iw_type type, const void *in, size_t n,
    const void *init, void *result);

/* Segments are contiguous pieces of an array. A scan treats each as an array of its own: its first element,
 * the head, is combined with init only. Element 0 is a head. Floats keep the parenthesis of order 1 by their
 * place in the whole array, so moving a segment may change its last bits. */
typedef enum iw_segments_kind {
  IW_SEGMENTS_FLAGS, /* a head is an element whose flag is not 0 */
  IW_SEGMENTS_KEYS,  /* a head is an element whose key differs from the key before */
  IW_SEGMENTS_ROWS   /* segments are the rows of a matrix without gaps */
} iw_segments_kind;
typedef struct iw_segments {
  size_t size;          /* sizeof(iw_segments) */
  iw_segments_kind kind;
  const uint8_t *flags; /* FLAGS: n bytes */
  const void *keys;     /* KEYS: n elements of key_type (i32 u32 i64 u64); may equal in */
  iw_type key_type;
  size_t columns;       /* ROWS: elements of a row; n is a multiple of it. 0 only if n is 0 */
} iw_segments;
typedef struct iw_scan_spec {
  size_t size;                 /* sizeof(iw_scan_spec) */
  iw_op op;
  iw_type in_type;             /* of in */
  iw_type type;                /* of out, init and result */
  int exclusive;               /* 0: inclusive scan, 1: exclusive scan; reductions ignore it */
  const void *init;            /* as above */
  const iw_segments *segments; /* NULL: the whole array is one segment */
} iw_scan_spec;

/* Scan by a description: iw_inclusive_scan or iw_exclusive_scan, with two more abilities.
 * Sums in a wider type: IW_SUM of (in_type, type) = (u8, u32) (u8, u64) (i32, i64) (u32, u64) (f32, f64)
 *   gives the bits of a scan of the converted elements. in and out do not overlap then.
 * Segments, for built-in operators with in_type == type. An init in device memory makes the call wait. One
 *   more pass, over flags or keys; scratch: one bit more per element. */
IW_API iw_status iw_scan_with(iw_context *context, const iw_scan_spec *spec, const void *in, void *out,
    size_t n);
/* Reduction by a description: iw_reduce, or a sum in a wider type. Segments are IW_ERROR_INVALID for now. */
IW_API iw_status iw_reduce_with(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n,
    void *result);

/* Finds the first minimum (maximum) by the order of IW_MIN (IW_MAX): the first NaN if there is one; -0 comes
 * before +0. Results, in host or device memory: *index, n if n is 0; *value (NULL: not wanted) = in[*index],
 * a NaN in its one pattern, or for n = 0 the identity. One pass over in. */
IW_API iw_status iw_argmin(iw_context *context, iw_type type, const void *in, size_t n, size_t *index,
    void *value);
IW_API iw_status iw_argmax(iw_context *context, iw_type type, const void *in, size_t n, size_t *index,
    void *value);

/* ---- Histogram (all eight types) ---------------------------------------------------------------------- */
/* Bins have edges e(0) < e(1) < … < e(bins). A sample x is in bin k if e(k) <= x < e(k+1), decided by
 * comparison. A NaN is in no bin. */
typedef enum iw_histogram_kind {
  IW_HISTOGRAM_EVEN,  /* floats: e(k) = k*step + lo, step = (hi-lo)/bins, in double without fma, rounded once
                         to the type; e(0) = lo, e(bins) = hi. Integers: e(k) = lo + ceil(k(hi-lo)/bins) */
  IW_HISTOGRAM_EDGES, /* the caller's bins + 1 edges */
  IW_HISTOGRAM_MAP    /* u8 samples only: the caller's table gives each value's bin index */
} iw_histogram_kind;
#define IW_MAP_NONE 0xffffu /* in a map: the value is in no bin */
/* What happens to samples outside [e(0), e(bins)), or without a bin in a map. */
typedef enum iw_policy {
  IW_POLICY_DROP,  /* they are not counted */
  IW_POLICY_CLAMP, /* they count in the first or the last bin; not for maps */
  IW_POLICY_COUNT  /* two more counters: counts[bins] those below, counts[bins + 1] those above */
} iw_policy;
enum {
  IW_HIST_CLOSED_TOP = 1,  /* x == hi is in the last bin */
  IW_HIST_ACCUMULATE = 2,  /* add to what counts holds, to count a stream in chunks */
  IW_HIST_COUNTERS_32 = 4, /* counts is uint32_t, not uint64_t; IW_ERROR_OVERFLOW if n does not fit */
  IW_HIST_HI_INCLUDED = 8  /* integers: hi is the last value of the range, which is [lo, hi + 1) */
};
typedef struct iw_histogram_plan iw_histogram_plan;
/* Describes bins. */
typedef struct iw_histogram_spec {
  size_t size;                   /* sizeof(iw_histogram_spec) */
  iw_histogram_kind kind;
  size_t bins;                   /* 1 … 2^31 - 1; for a map at most 65535 */
  const void *lo, *hi;           /* EVEN: one value of the sample type each; both NULL: an automatic range */
  const void *edges;             /* EDGES: bins + 1 finite values of the sample type, strictly increasing */
  const uint16_t *map;           /* MAP: 256 bin indices below bins, or IW_MAP_NONE */
  iw_policy policy;
  unsigned flags;                /* IW_HIST_… */
  const iw_histogram_plan *plan; /* not NULL: its bins, policy and flags; other members than size are 0 */
} iw_histogram_spec;
/* Samples that were in no bin, whatever the policy. */
typedef struct iw_histogram_report {
  size_t size;                       /* sizeof(iw_histogram_report), set by the caller */
  uint64_t underflow, overflow, nan; /* below e(0); above the top, for a map without a bin; NaN */
} iw_histogram_report;

/* Histogram: counts[k] = the number of samples in bin k of the spec.
 * counts: bins elements (policy COUNT: bins + 2) of uint64_t or uint32_t (IW_HIST_COUNTERS_32), overwritten
 *   unless IW_HIST_ACCUMULATE. report: host memory, or NULL. A spec is checked before any work is done. With
 *   an automatic range the samples are read twice, and the call waits. The first call of a plan on a device
 *   that it was not made for allocates, so it cannot be captured in a graph. */
IW_API iw_status iw_histogram(iw_context *context, iw_type type, const void *samples, size_t n,
    const iw_histogram_spec *spec, void *counts, iw_histogram_report *report);
/* Writes the bins + 1 edges of a spec, of the sample type, to host memory. A last edge beyond the type (by
 * IW_HIST_HI_INCLUDED) is stored as hi. Not for maps, plans and automatic ranges (see the next call). */
IW_API iw_status iw_histogram_edges(iw_type type, const iw_histogram_spec *spec, void *edges);
/* Writes the automatic range of the data, [min, max] with a closed top, to *lo and *hi, one value of the
 * sample type each, in host memory. If all samples are equal it is 0.5 wider on both sides (integers: [v,
 * v+1)); for n = 0 it is [0, 1]. A NaN or an infinity in the data is IW_ERROR_INVALID. One pass. */
IW_API iw_status iw_histogram_range(iw_context *context, iw_type type, const void *samples, size_t n,
    void *lo, void *hi);

/* A plan holds the bins of a spec, worked out once: its edges, the rule that finds a sample's bin, and the
 * tables that kernels read, which stay on each device that used the plan. It is immutable: any number of
 * threads may use it at the same time, each with a context of its own.
 * Makes a plan from a spec, which may be freed afterwards. sample: n samples of the data in host or device
 * memory (n may be 0), of which at most 8192 are read; how often the most frequent bin occurs among them
 * decides how later calls count. It does not affect results. Errors: an automatic range, or a spec that
 * holds a plan, is IW_ERROR_INVALID. Result: *plan, NULL on failure. */
IW_API iw_status iw_histogram_plan_make(iw_context *context, iw_type type, const iw_histogram_spec *spec,
    const void *sample, size_t n, iw_histogram_plan **plan);
/* Frees a plan that no call is using and no graph will replay. NULL is allowed. */
IW_API void iw_histogram_plan_free(iw_histogram_plan *plan);

typedef struct iw_histogram_plan_info {
  size_t size;             /* sizeof(iw_histogram_plan_info), set by the caller */
  iw_type type;
  size_t bins, outputs;    /* outputs: counters that a histogram writes, bins or (policy COUNT) bins + 2 */
  const char *rule;        /* how a sample's bin is found, in words; a static string */
  double ambiguous;        /* share of uniform samples too near an edge to be decided without comparing it */
  size_t tables, copies;   /* tables of counters per block; copies of all counters, added up at the end */
  char why[384];           /* one sentence */
} iw_histogram_plan_info;
/* Writes to *info how n samples would be counted on this context; on AUTO, n samples in host memory. */
IW_API iw_status iw_histogram_plan_describe(const iw_histogram_plan *plan, iw_context *context, size_t n,
    iw_histogram_plan_info *info);

/* Weighted histogram: sums[k] = the sum of the weights of the samples in bin k. type is the plan's. sums: as
 * many as a histogram's counts, of int64_t for weights of i32 i64, uint64_t for u32 u64, float for f32,
 * double for f64. Integers wrap. Floats (and with IW_HIST_ACCUMULATE the old sum) are summed exactly and
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
/* Two-dimensional histogram: counts[i*Y + k] = the number of j with x sample j in bin i and y sample j in
 * bin k; Y is the number of y's outputs. A pair with a sample in no bin is not counted. The plans agree in
 * IW_HIST_ACCUMULATE and IW_HIST_COUNTERS_32. At most 2^31 - 4 counters. */
IW_API iw_status iw_histogram_pairs(iw_context *context, const iw_histogram_axis *x,
    const iw_histogram_axis *y, size_t n, void *counts);
/* One histogram per row of a matrix without gaps: samples has rows * columns elements, counts rows times the
 * plan's outputs. type is the plan's. */
IW_API iw_status iw_histogram_rows(iw_context *context, const iw_histogram_plan *plan, iw_type type,
    const void *samples, size_t rows, size_t columns, void *counts);
/* One histogram per channel of interleaved samples: samples has n * channels elements, 1 … 23 channels.
 * counts[c] gets channel c by plans[c]; a channel whose plan is NULL is not counted. One pass. */
IW_API iw_status iw_histogram_channels(iw_context *context, const iw_histogram_plan *const *plans,
    unsigned channels, iw_type type, const void *samples, size_t n, void *const *counts);

/* ---- Partition, select, unique (all eight types) ------------------------------------------------------ */
/* All of these are stable, and move elements bit by bit. count is in host or device memory. In device memory
 * it makes select and unique need room for n outputs, which do not overlap in. An output may equal its input
 * if iw_context_reserve() was given at least the bytes of the array; else that is IW_ERROR_OVERLAP. One pass
 * with decoupled look-back (Merrill and Garland 2016), after a counting pass if one array gets all. */
typedef enum iw_compare { IW_LESS, IW_LESS_EQUAL, IW_EQUAL, IW_NOT_EQUAL, IW_GREATER,
                          IW_GREATER_EQUAL } iw_compare;
/* A test of your own, as a kernel that <isowarp/partition.h> makes from a function. */
typedef struct iw_predicate iw_predicate;
/* Selects elements by exactly one of constant, flags, predicate and bins. */
typedef struct iw_test {
  size_t size;                   /* sizeof(iw_test) */
  iw_compare compare;            /* element (compare) *constant, as in C: a NaN is != all, -0 == +0 */
  const void *constant;          /* one element in host memory */
  const uint8_t *flags;          /* n bytes: elements whose flag is not 0 */
  const iw_predicate *predicate; /* the six types */
  const iw_histogram_spec *bins; /* the six types: elements in bin `bin` of these, as iw_histogram counts */
  size_t bin;
} iw_test;

/* Partition: front = [selected elements][the others, if rest is NULL]; rest = the others. rest NULL: front
 * has n elements, and may equal in. Else front and rest need room for n elements each, of which *count and
 * n - *count are written; nothing overlaps. Result: *count, the number of selected elements. */
IW_API iw_status iw_partition(iw_context *context, iw_type type, const void *in, size_t n,
    const iw_test *test, void *front, void *rest, size_t *count);
/* Select: out = the selected elements, *count of them. out may equal in. */
IW_API iw_status iw_select_if(iw_context *context, iw_type type, const void *in, size_t n,
    const iw_test *test, void *out, size_t *count);

/* An array whose values move as their elements do, bit by bit. A payload whose in equals the call's in, of
 * the element's width, moves the elements themselves. */
typedef struct iw_payload {
  size_t size;                   /* sizeof(iw_payload) */
  const void *in;                /* n values; NULL: the element indices 0 … n-1, of width 4 or 8 */
  void *out;                     /* as front and out above */
  void *rest;                    /* as rest above, for each payload separately; only in a partition */
  size_t width;                  /* bytes of a value, and its alignment: 1 2 4 8 16 */
} iw_payload;
enum { IW_MAX_PAYLOADS = 8 };
/* Partition and select of 1 … IW_MAX_PAYLOADS payloads. The elements are tested, and move only if a payload
 * names them; with flags, in may be NULL. Each payload is read once; scratch: one bit per element, and where
 * a payload's out equals its in a copy of it. */
IW_API iw_status iw_partition_payloads(iw_context *context, iw_type type, const void *in, size_t n,
    const iw_test *test, const iw_payload *payloads, size_t payload_count, size_t *count);
IW_API iw_status iw_select_payloads(iw_context *context, iw_type type, const void *in, size_t n,
    const iw_test *test, const iw_payload *payloads, size_t payload_count, size_t *count);

/* Unique: out = the first element of each run of equal neighbours, and its payloads (NULL and 0: none).
 * Elements are equal if their bits are: -0 differs from +0, and a NaN equals one of the same bits. Result:
 * *count, the number of runs. out (NULL: only payloads) may equal in. */
IW_API iw_status iw_unique(iw_context *context, iw_type type, const void *in, size_t n, void *out,
    size_t *count, const iw_payload *payloads, size_t payload_count);
/* Run-length encoding: values = the out of iw_unique (NULL: not wanted), lengths[r] = the elements of run r,
 * of length_type u32 (n < 2^32, else IW_ERROR_OVERFLOW) or u64. values may equal in. */
IW_API iw_status iw_run_lengths(iw_context *context, iw_type type, const void *in, size_t n, void *values,
    iw_type length_type, void *lengths, size_t *count);

/* ---- Multisplit --------------------------------------------------------------------------------------- */
/* A rule of your own, as a kernel that <isowarp/multisplit.h> makes from a function. */
typedef struct iw_bucket_rule iw_bucket_rule;
/* Gives each element a bucket, by exactly one of bins, pivot, bits and rule. */
typedef struct iw_buckets {
  size_t size;                   /* sizeof(iw_buckets) */
  const iw_histogram_spec *bins; /* the six types: bucket k is bin k, as iw_histogram counts; no map */
  const void *pivot;             /* the six types: 3 buckets, less than it, equal to it, others and NaN */
  unsigned bit, bits;            /* all eight types: the id is 1 … 16 bits of the element from `bit` on */
  const iw_bucket_rule *rule;    /* all eight types */
  size_t count;                  /* of a rule's buckets, 1 … 2^31 - 1; larger ids mean the last. Else 0 */
} iw_buckets;

/* Multisplit: out = [bucket 0][bucket 1]…[last bucket][elements in no bin], each stable; n elements.
 * offsets, in host or device memory: one element more than there are buckets; bucket k is out[offsets[k]] …
 * out[offsets[k+1] - 1]. out may equal in, as in a partition.
 * Radix passes of up to 8 bits over bucket ids; scratch as iw_context_reserve says. */
IW_API iw_status iw_multisplit(iw_context *context, iw_type type, const void *in, size_t n,
    const iw_buckets *buckets, void *out, size_t *offsets);
/* Multisplit of 0 … IW_MAX_PAYLOADS payloads; with none only offsets are written. The elements move only if
 * a payload names them. A payload whose in is NULL becomes the permutation: out[i] = the index of the
 * element that moves to i. A payload's out may equal its in, as in a partition; payloads may share an in. */
IW_API iw_status iw_multisplit_payloads(iw_context *context, iw_type type, const void *in, size_t n,
    const iw_buckets *buckets, const iw_payload *payloads, size_t payload_count, size_t *offsets);

/* ---- Kernels of your own ------------------------------------------------------------------------------ */
/* A kernel written in the language of <isowarp/kernel.h>. */
typedef struct iw_kernel iw_kernel;

/* Runs `grid` blocks of `block` threads (1 … 1024); grid 0 does nothing.
 * args: the kernel's argument struct, of args_size bytes, which is copied; pointers in it are to memory
 *   where the kernel runs. A kernel that nvcc built runs on the device, also from an AUTO context; any other
 *   on the CPU.
 * IW_ERROR_MISMATCH: args_size is not the kernel's, or the kernel was built with floating-point contraction,
 *   for another backend, or for an instruction set that is not available (iw_isa_available). */
IW_API iw_status iw_launch(iw_context *context, const iw_kernel *kernel, size_t grid, unsigned block,
    const void *args, size_t args_size);

#ifdef __cplusplus
}
#endif

#endif
