/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp: scan, reduce, histogram, partition and multisplit with the same bits on every machine.
 *
 * Conventions of the whole header
 * -------------------------------
 * - Every call that can fail returns an iw_status; IW_OK is 0. iw_message() then has the details, which name the value
 *   and the limit. No call prints, exits or aborts. A call that fails before it starts to write leaves its outputs alone.
 * - Sizes and counts are elements unless a name says bytes. Arrays are contiguous and aligned to their element type.
 *   n may be 0, and pointers to n elements may then be NULL.
 * - "Any" calls take the element type as an iw_type and void pointers; <isowarp/typed.h>, included below, puts calls over
 *   them that take the type from their arguments, in C11 and in C++.
 * - Memory: arrays are host memory, or on a CUDA context device memory too, mixed as you like. Device memory is used in
 *   place, and then a call returns when its work is queued on the context's stream. Host memory is staged on a CUDA context
 *   (a histogram or a reduction of more than the device holds works), and the call returns when all is done. A call also
 *   waits if it hands something to the host: a report, a count or result in host memory, an automatic range.
 *   Memory of another device is IW_ERROR_INVALID. Arrays of one call do not overlap, unless the call says which may be
 *   exactly equal; an overlap is IW_ERROR_OVERLAP.
 * - CUDA graphs: with enough scratch reserved (iw_context_reserve), calls that do not wait neither allocate nor synchronise
 *   and may be captured from the context's stream. A captured graph uses the context's scratch: replay it while the
 *   context is open, and not at the same time as other calls of the context. What a call reads from host memory (edges, a
 *   pivot, an init) is captured by value; an init in device memory is read at each replay.
 * - Threads: a context is used by one thread at a time; different contexts never meet. Functions without a context may be
 *   called from any thread.
 * - Equal bits: the result depends on the input alone, never on backend, instruction set, warp size, thread count or
 *   tuning. Rounding is to nearest and subnormals are kept, whatever the caller's floating-point environment is. A NaN that
 *   is computed is 0x7fc00000 or 0x7ff8000000000000; elements that are only moved keep their bits.
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

/* The version of the library that runs, which may be newer than the header: "0.1.0". */
IW_API const char *iw_version(void);

/* ---- Status ------------------------------------------------------------------------------------------------------ */

/* Grouped by cause: 1xx arguments, 2xx the environment, 3xx resources and execution. */
typedef enum iw_status {
  IW_OK = 0,
  IW_ERROR_INVALID = 100,     /* an argument has a value that the call does not take */
  IW_ERROR_OVERLAP = 101,     /* arrays overlap where they must not */
  IW_ERROR_OVERFLOW = 102,    /* a 32-bit counter could not hold a count that n allows */
  IW_ERROR_UNAVAILABLE = 200, /* a backend, instruction set or device that is not here, or an unknown name of one */
  IW_ERROR_MISMATCH = 201,    /* a kernel that was built for something else than what would run it */
  IW_ERROR_MEMORY = 300,      /* memory could not be had */
  IW_ERROR_LAUNCH = 301       /* a kernel could not be started, or failed */
} iw_status;

/* "IW_ERROR_INVALID" and so on; "unknown status" for any other number. Never NULL. */
IW_API const char *iw_status_name(iw_status status);

/* What the latest failed call of this thread found, in one sentence; "" where none failed yet. Valid until the thread's
 * next failing call. */
IW_API const char *iw_message(void);

/* ---- Types and operators ----------------------------------------------------------------------------------------- */

typedef enum iw_type { IW_U8, IW_U16, IW_I32, IW_U32, IW_I64, IW_U64, IW_F32, IW_F64 } iw_type;

/* Bytes of one element: 1, 2, 4 or 8; 0 for what is no iw_type. */
IW_API size_t iw_type_size(iw_type type);
/* "u8" … "f64"; "?" for what is no iw_type. */
IW_API const char *iw_type_name(iw_type type);

/* The operators of scan and reduce, over i32 u32 i64 u64 f32 f64.
 * sum: integers wrap (two's complement). Floats follow order 1, which doc/order1.md has in full, with its error bound:
 *   inclusive(i) = P + (F + (E + x(i))), where x is the binary tree inside a row of 128 elements, and E, F and P are
 *   left folds over the totals before: E of rows, in a tile of 32 rows; F of tiles, in a group of 32 tiles; P of
 *   groups, from init. What is absent is -0.0. So a scan that is cut at a multiple of 2^17 elements, and goes on with
 *   init = its last output, gives the same bits.
 * min, max: a total order of numbers, -0 < +0, and any NaN makes the result NaN. */
typedef enum iw_op { IW_SUM, IW_MIN, IW_MAX } iw_op;

/* ---- Contexts ---------------------------------------------------------------------------------------------------- */

/* A backend, a stream and scratch memory. Cheap: make one per thread. */
typedef struct iw_context iw_context;

typedef enum iw_backend {
  IW_BACKEND_AUTO, /* runs where the data is: device pointers on CUDA, host pointers on whatever is faster */
  IW_BACKEND_CPU,
  IW_BACKEND_CUDA
} iw_backend;

/* How a block runs on the CPU. No result depends on it. */
typedef enum iw_blocks {
  IW_BLOCKS_AUTO,   /* the library chooses */
  IW_BLOCKS_THREAD, /* each block whole on one thread, many blocks at a time */
  IW_BLOCKS_TEAM    /* one block at a time on all threads, with real barriers */
} iw_blocks;

typedef struct iw_context_options {
  size_t size;        /* sizeof(iw_context_options): later versions append fields */
  iw_backend backend; /* AUTO: what ISOWARP_BACKEND names (cpu, cuda, auto), else as above */
  const char *isa;    /* instruction set of the CPU backend; NULL: what ISOWARP_ISA names, else the best one here */
  unsigned threads;   /* CPU threads; 0: ISOWARP_THREADS, else as many as OpenMP would start; at most 1024 */
  iw_blocks blocks;
  int device;         /* CUDA: the device's number, from 0 on */
} iw_context_options;

/* Opens a context. options may be NULL for all defaults. An unknown or unavailable name, in the options or in the
 * environment, is IW_ERROR_UNAVAILABLE (or IW_ERROR_INVALID for a thread count) with the list of what is valid, never a
 * silent fallback. On failure *context is NULL. */
IW_API iw_status iw_context_open(iw_context **context, const iw_context_options *options);
/* Closes it and frees all that belongs to it; NULL is allowed. */
IW_API void iw_context_close(iw_context *context);

/* What the context runs on, and why. */
typedef struct iw_context_info {
  size_t size;         /* sizeof(iw_context_info), set by the caller */
  iw_backend backend;  /* CPU or CUDA; AUTO: a context for both, whose calls run where their data is */
  const char *isa;     /* "generic", "sse4", "avx2", "avx512", "neon", or "cuda"; valid as long as the program */
  unsigned threads;    /* CPU threads that a launch may use */
  unsigned team;       /* threads that really shared the last launch's blocks: 1, or the OpenMP team's size */
  int device;          /* the number of the CUDA device, -1 for none */
  const char *why;     /* one sentence: what was chosen and why, and why CUDA is not there; as long as the context */
} iw_context_info;
IW_API iw_status iw_context_get_info(const iw_context *context, iw_context_info *info);

/* The instruction sets that this library has kernels for, slowest first, up to NULL: iw_isa_name(0) is "generic". */
IW_API const char *iw_isa_name(unsigned index);
/* 1 if this machine can run it, 0 if it cannot or the name is unknown. */
IW_API int iw_isa_available(const char *name);

/* Makes the context's scratch at least this large, so that later calls that need no more do not allocate; it also permits
 * the calls that work in place through a copy (partition, select, extract) for arrays of up to this many bytes.
 * IW_ERROR_MEMORY leaves the context as it was. Twice the bytes of the largest input, 64 for each bin and a MiB are enough for
 * any call, but for multisplit, which may need twice the bytes of all that it moves, 13 for each element, 64 for each bucket and a
 * MiB: reserve that before calls are captured in a CUDA graph. */
IW_API iw_status iw_context_reserve(iw_context *context, size_t bytes);
/* The stream that later calls run on: a cudaStream_t on CUDA, NULL for one of the context's own, which is ordered with the
 * default stream as streams are that cudaStreamCreate makes. Work on the new stream waits for what was queued on the old
 * one. The CPU backend takes NULL only. */
IW_API iw_status iw_context_set_stream(iw_context *context, void *stream);
/* Returns when all that the context started is done. On the CPU every call is done when it returns. */
IW_API iw_status iw_context_synchronize(iw_context *context);

/* For an AUTO context: measures from how many bytes of host data on the device is faster, transfers included, by timing
 * reductions of f32 of up to 256 MiB on both, takes it for later calls, and says it in *bytes: SIZE_MAX where the CPU is
 * always faster, or there is no device. Until it is called, host data stays on the CPU. Takes some seconds. */
IW_API iw_status iw_context_measure_crossing(iw_context *context, size_t *bytes);

/* Memory where the context's kernels run: host memory aligned to 64 bytes on the CPU and for AUTO, device memory on CUDA. 0
 * bytes give NULL. iw_memory_copy copies between any two of host and device, and returns when it is done, or between two
 * places of a device when it is queued. */
IW_API iw_status iw_memory_allocate(iw_context *context, size_t bytes, void **memory);
IW_API iw_status iw_memory_free(iw_context *context, void *memory);
IW_API iw_status iw_memory_copy(iw_context *context, void *to, const void *from, size_t bytes);

/* ---- Scan and reduce (i32 u32 i64 u64 f32 f64) -------------------------------------------------------------------- */

/* out(i) = init (op) in(0) (op) … (op) in(i). init points to one element, or is NULL for none. In host memory it is taken when
 * the call is made; in device (or managed) memory it is read by the kernel, in the order of the stream, so that an output of
 * an earlier call may be this one's init without a wait: of a scan, it does not lie in out (IW_ERROR_OVERLAP); of a
 * reduction, it may be the result. out == in is allowed. Single pass, decoupled look-back (Merrill and Garland, 2016) in
 * order 1. */
IW_API iw_status iw_inclusive_scan_any(iw_context *context, iw_op op, iw_type type, const void *in, void *out, size_t n,
                                       const void *init);
/* out(i) = the inclusive scan's out(i-1), to the bit; out(0) = init, or where there is none the identity: +0 for sum, the
 * type's largest value (+inf) for min, its lowest (-inf) for max. */
IW_API iw_status iw_exclusive_scan_any(iw_context *context, iw_op op, iw_type type, const void *in, void *out, size_t n,
                                       const void *init);
/* *result (host or device memory) = the last output of the inclusive scan; for n = 0 init, or the identity. */
IW_API iw_status iw_reduce_any(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, const void *init,
                               void *result);

/* Sums in a wider type than the elements': u8 in u32 or u64, i32 in i64, u32 in u64, f32 in f64. To the bit what the
 * calls above give for the elements converted to the wider type, which is that of out, init and result; so f32 are
 * added up in f64, in order 1. A byte counts as its value, whatever that is. Not in place: in and out do not overlap.
 * Equal types are the calls above, with every operator; any other pair of types or operator is IW_ERROR_INVALID. */
IW_API iw_status iw_inclusive_scan_as_any(iw_context *context, iw_op op, iw_type in_type, const void *in,
                                          iw_type out_type, void *out, size_t n, const void *init);
IW_API iw_status iw_exclusive_scan_as_any(iw_context *context, iw_op op, iw_type in_type, const void *in,
                                          iw_type out_type, void *out, size_t n, const void *init);
IW_API iw_status iw_reduce_as_any(iw_context *context, iw_op op, iw_type in_type, const void *in, size_t n,
                                  iw_type type, const void *init, void *result);

/* *index = the first i whose in(i) is the minimum (maximum) in the order of min (max): the first NaN where there is one, and
 * -0 comes before +0. *value, unless value is NULL, is in(i), a NaN in its one pattern. Both in host or device memory. For
 * n = 0 the index is n, and the value what a reduction of nothing gives. Reads in once, and again the tile of 4096 elements
 * in which i is. */
IW_API iw_status iw_argmin_any(iw_context *context, iw_type type, const void *in, size_t n, size_t *index, void *value);
IW_API iw_status iw_argmax_any(iw_context *context, iw_type type, const void *in, size_t n, size_t *index, void *value);

/* Scans of segments: pieces of the array that stand one behind the other, each scanned as if nothing were in front of it but
 * init, where there is one. At the first element of a segment, its head, inclusive is init (op) it, and exclusive is
 * init, or the identity; elsewhere exclusive(i) = inclusive(i-1). Element 0 is a head. One pass over the array, after one over
 * what says where the segments are. out == in is allowed; nothing else overlaps out. The sums of floats keep order 1's
 * places in the array (doc/order1.md has that too), so where a segment stands may change their last bits. init is host or
 * device memory; for one in device memory the call waits, so it cannot be captured.
 * Scratch: an eighth of a byte an element. */

/* Heads are the elements whose flag is not 0. */
IW_API iw_status iw_inclusive_scan_segments_any(iw_context *context, iw_op op, iw_type type, const void *in,
                                                const uint8_t *flags, void *out, size_t n, const void *init);
IW_API iw_status iw_exclusive_scan_segments_any(iw_context *context, iw_op op, iw_type type, const void *in,
                                                const uint8_t *flags, void *out, size_t n, const void *init);
/* Heads are the elements whose key is not that of the element before. Keys are i32 u32 i64 u64, n of them; keys == in is
 * allowed. */
IW_API iw_status iw_inclusive_scan_by_key_any(iw_context *context, iw_op op, iw_type type, const void *in,
                                              iw_type key_type, const void *keys, void *out, size_t n,
                                              const void *init);
IW_API iw_status iw_exclusive_scan_by_key_any(iw_context *context, iw_op op, iw_type type, const void *in,
                                              iw_type key_type, const void *keys, void *out, size_t n,
                                              const void *init);
/* Segments are the rows of a matrix, which follow each other without gaps: in and out have rows * columns elements. Either
 * may be 0. */
IW_API iw_status iw_inclusive_scan_rows_any(iw_context *context, iw_op op, iw_type type, const void *in, void *out,
                                            size_t rows, size_t columns, const void *init);
IW_API iw_status iw_exclusive_scan_rows_any(iw_context *context, iw_op op, iw_type type, const void *in, void *out,
                                            size_t rows, size_t columns, const void *init);

/* ---- Histogram (all eight types) ---------------------------------------------------------------------------------- */

/* Bins are defined by their edges e(0) < e(1) < … < e(bins): a sample x is in bin k when e(k) <= x < e(k+1), decided by
 * comparison. A NaN is never in a bin. */
typedef enum iw_histogram_kind {
  IW_HISTOGRAM_EVEN,  /* floats: e(k) = k*step + lo, step = (hi-lo)/bins, in double without fma, rounded once to the type,
                         e(0) = lo, e(bins) = hi (NumPy's linspace). Integers: e(k) = lo + ceil(k(hi-lo)/bins), exactly. */
  IW_HISTOGRAM_EDGES, /* the caller's bins + 1 edges */
  IW_HISTOGRAM_MAP    /* u8 samples only: the caller's table of 256 bin numbers, IW_MAP_NONE for no bin */
} iw_histogram_kind;
#define IW_MAP_NONE 0xffffu

/* What becomes of samples outside [e(0), e(bins)), or without a bin in a map. */
typedef enum iw_policy {
  IW_POLICY_DROP,  /* in no counter */
  IW_POLICY_CLAMP, /* in the first or the last bin; not for maps */
  IW_POLICY_COUNT  /* counts has two elements more: counts[bins] of those below, counts[bins + 1] of those above (for a map,
                      of those without a bin) */
} iw_policy;

enum {
  IW_HIST_CLOSED_TOP = 1,   /* x == hi belongs to the last bin */
  IW_HIST_ACCUMULATE = 2,   /* add to what counts holds: this is how a stream of chunks is counted */
  IW_HIST_COUNTERS_32 = 4,  /* counts is uint32_t; IW_ERROR_OVERFLOW if n does not fit */
  IW_HIST_HI_INCLUDED = 8   /* integers: hi is the last value of the range, [lo, hi + 1), one bit wider than the type */
};

/* The strategies of the parallel-histogram chapter, and AUTO, which takes whatever is fastest. All give equal counts. */
typedef enum iw_strategy {
  IW_STRATEGY_AUTO,
  IW_STRATEGY_SEQUENTIAL,         /* one thread, no atomics: the reference */
  IW_STRATEGY_BASIC,              /* an atomic addition in global memory per sample */
  IW_STRATEGY_PRIVATE_GLOBAL,     /* a private copy per block in global memory, merged */
  IW_STRATEGY_PRIVATE_SHARED,     /* a private copy per block in shared memory, merged */
  IW_STRATEGY_COARSE_CONTIGUOUS,  /* the same, each thread taking a run of samples */
  IW_STRATEGY_COARSE_INTERLEAVED, /* the same, the threads taking samples in turn */
  IW_STRATEGY_AGGREGATED,         /* the same, equal neighbours added up before they are counted */
  IW_STRATEGY_ROWS,               /* private copies in shared memory, whole rows at a time: what AUTO takes for many samples */
  IW_STRATEGY_DIRECT              /* one warp, in the caller's counters: what it takes for few */
} iw_strategy;
/* "auto", "sequential", "basic", "private-global", "private-shared", "coarse-contiguous", "coarse-interleaved",
 * "aggregated", "rows", "direct"; NULL past the last. */
IW_API const char *iw_strategy_name(iw_strategy strategy);

typedef struct iw_histogram_spec {
  size_t size;             /* sizeof(iw_histogram_spec) */
  iw_histogram_kind kind;
  size_t bins;             /* 1 … 2^31 - 1; for a map at most 65535 */
  const void *lo, *hi;     /* EVEN: one value of the sample type each, in host memory. Both NULL: the range of the data,
                              [min, max], closed on top; where all are equal, 0.5 wider on both sides (integers: [v, v+1)).
                              n = 0 has the range [0, 1]; a NaN or an infinity in the data is IW_ERROR_INVALID. */
  const void *edges;       /* EDGES: bins + 1 values of the sample type, strictly increasing, in host memory */
  const uint16_t *map;     /* MAP: 256 numbers below bins, or IW_MAP_NONE, in host memory */
  iw_policy policy;
  unsigned flags;          /* IW_HIST_… */
  iw_strategy strategy;
  unsigned coarsening;     /* samples per thread of the coarsened strategies, 1 … 65536; 0: 4, as in the chapter */
} iw_histogram_spec;

typedef struct iw_histogram_report {
  size_t size;             /* sizeof(iw_histogram_report), set by the caller */
  iw_strategy strategy;    /* the one that ran */
  uint64_t underflow, overflow, nan; /* samples below e(0), above the top (for a map: without a bin), and NaN, whatever the
                                        policy was */
  uint64_t global_atomics, shared_atomics; /* atomic operations that the strategy did; merging is counted */
} iw_histogram_report;

/* Counts n samples. counts has bins elements (COUNT: bins + 2) of uint64_t, or uint32_t with IW_HIST_COUNTERS_32, and is
 * overwritten unless IW_HIST_ACCUMULATE; with 64-bit counters it is aligned to 8. report may be NULL.
 * Edges that are NaN, infinite or not strictly increasing, lo >= hi, and bins out of range are IW_ERROR_INVALID before any
 * work is done. */
IW_API iw_status iw_histogram_any(iw_context *context, iw_type type, const void *samples, size_t n,
                                  const iw_histogram_spec *spec, void *counts, iw_histogram_report *report);

/* The edges that iw_histogram_any would use: writes bins + 1 values of the sample type to edges (host memory). For integers
 * with IW_HIST_HI_INCLUDED whose hi is the type's last value, the last edge is stored as that value. Not for maps, and not
 * for automatic ranges: call iw_histogram_range_any first. */
IW_API iw_status iw_histogram_edges_any(iw_type type, const iw_histogram_spec *spec, void *edges);
/* The automatic range of the data, as above: one value of the sample type each to *lo and *hi (host memory). One pass. */
IW_API iw_status iw_histogram_range_any(iw_context *context, iw_type type, const void *samples, size_t n, void *lo,
                                        void *hi);

/* ---- Plans: bins that are used many times ------------------------------------------------------------------------- */

/* The bins of a spec, made once: its edges, the proof by which formula a sample's bin may be guessed, and the tables that
 * kernels read. Calls that take a spec make such a plan and drop it again. Nothing of a plan changes after it was made:
 * any number of threads may use one at a time, each with a context of its own, of any backend and device. A device keeps
 * the plan's tables from the first call on it (made there: at once), so that later ones upload nothing. */
typedef struct iw_histogram_plan iw_histogram_plan;

/* Makes a plan of a spec, of which nothing is needed afterwards. sample: n samples of the data (host or device memory), of
 * which some thousand are looked at: by the share of the bin that has most of them a plan chooses how to count, on a CPU whether
 * frequent bins are counted aside, on a GPU how so many bins are counted that a block has no counters for all. Other data is
 * counted right, too. n may be 0. Not for automatic ranges, since a plan has no data: that is IW_ERROR_INVALID, as is all that
 * iw_histogram_any finds wrong with a spec. On failure *plan is NULL. */
IW_API iw_status iw_histogram_plan_make(iw_context *context, iw_type type, const iw_histogram_spec *spec, const void *sample,
                                        size_t n, iw_histogram_plan **plan);
/* Frees it; NULL is allowed. No call may be running on it, nor a captured graph be replayed that was made with it. */
IW_API void iw_histogram_plan_free(iw_histogram_plan *plan);
/* iw_histogram_any with the plan's spec. type has to be the plan's. The first run on a device that the plan was not made for
 * allocates, so it cannot be captured in a CUDA graph; the later ones can. */
IW_API iw_status iw_histogram_plan_run_any(iw_context *context, const iw_histogram_plan *plan, iw_type type,
                                           const void *samples, size_t n, void *counts, iw_histogram_report *report);

/* How n samples are counted on this context, and why. */
typedef struct iw_histogram_plan_info {
  size_t size;             /* sizeof(iw_histogram_plan_info), set by the caller */
  iw_type type;
  size_t bins, outputs;    /* counters that a run writes: bins, with policy COUNT bins + 2 */
  const char *rule;        /* how a sample's bin is found, in words; valid as long as the program */
  double near;             /* share of evenly spread samples that arithmetic leaves to comparison with an edge */
  iw_strategy strategy;    /* that runs */
  size_t tables, copies;   /* of the counters: tables of a block, and copies of them that are added up */
  char why[384];           /* one sentence */
} iw_histogram_plan_info;
/* A context for both backends tells of host data. */
IW_API iw_status iw_histogram_plan_describe(const iw_histogram_plan *plan, iw_context *context, size_t n,
                                            iw_histogram_plan_info *info);

/* Histograms of more than one kind of thing, by plans, whose policies and flags hold as in iw_histogram_any. Samples and weights
 * in host memory are staged whole on a CUDA context. type has to be the plan's, here and below. */

/* sums[k] = the sum of the weights of the samples in bin k; with policy COUNT, and clamped, those outside likewise. Weights are
 * i32 and i64 (sums are int64_t), u32 and u64 (uint64_t), f32 (float), f64 (double). Integers wrap. Floats are added up
 * exactly, whatever their order, and rounded once (doc/weights.md); with IW_HIST_ACCUMULATE what sums held is one more of
 * them. IW_HIST_COUNTERS_32 is IW_ERROR_INVALID. n is less than 2^36, and (bins + 3) * 87 less than 2^32 for f64, * 16 for f32. */
IW_API iw_status iw_histogram_weighted_any(iw_context *context, const iw_histogram_plan *plan, iw_type type,
                                           const void *samples, iw_type weight_type, const void *weights, size_t n,
                                           void *sums);
/* Two dimensions: counts[i*Y + k] = how many j have x(j) in bin i of one plan and y(j) in bin k of the other, whose Y outputs
 * these are: bins, or with policy COUNT bins + 2, below and above behind the bins. A pair with a sample of no bin (dropped, or
 * NaN) is in no counter. The plans agree in IW_HIST_ACCUMULATE and IW_HIST_COUNTERS_32. At most 2^31 - 4 counters. */
IW_API iw_status iw_histogram_pairs_any(iw_context *context, const iw_histogram_plan *x_plan, iw_type x_type, const void *x,
                                        const iw_histogram_plan *y_plan, iw_type y_type, const void *y, size_t n,
                                        void *counts);
/* The rows of a matrix, which follow each other without gaps, one histogram each: counts has rows times the outputs. */
IW_API iw_status iw_histogram_rows_any(iw_context *context, const iw_histogram_plan *plan, iw_type type, const void *samples,
                                       size_t rows, size_t columns, void *counts);
/* Interleaved channels, as of pixels: samples has n times `channels` elements (1 … 23), of which one memory pass is made; the
 * histogram of channel c, by plans[c], goes to counts[c]. Where plans[c] is NULL the channel is not counted. */
IW_API iw_status iw_histogram_channels_any(iw_context *context, const iw_histogram_plan *const *plans, unsigned channels,
                                           iw_type type, const void *samples, size_t n, void *const *counts);

/* ---- Partition, select, unique, extract, multisplit ---------------------------------------------------------------- */

/* Of i32 u32 i64 u64 f32 f64; partition, select and unique of u8 and u16 too, and by flags of anything, as payloads are.
 * All are stable and move elements bit by bit. *count is host memory, or device memory, and then calls that give fewer than n
 * elements (select, extract) need room for n all the same, apart from in. out == in is allowed, if iw_context_reserve() was
 * given at least the bytes of the array; otherwise that is IW_ERROR_OVERLAP too. */

/* out = [elements < pivot, in order][the others, in order]; *count of the first. *pivot is host memory. A NaN is not
 * smaller than anything, and nothing is smaller than a NaN pivot. */
IW_API iw_status iw_partition_any(iw_context *context, iw_type type, const void *in, size_t n, const void *pivot, void *out,
                                  size_t *count);
/* out = [elements whose flag is not zero][the others]. flags: n bytes. */
IW_API iw_status iw_partition_flags_any(iw_context *context, iw_type type, const void *in, const uint8_t *flags, size_t n,
                                        void *out, size_t *count);
/* out = the elements whose flag is not zero; room for n is not needed, only for *count. */
IW_API iw_status iw_select_flags_any(iw_context *context, iw_type type, const void *in, const uint8_t *flags, size_t n,
                                     void *out, size_t *count);

/* What goes to the front: elements that compare so with *constant (x < c, x <= c, and so on; of floats as C has it, so that
 * of a NaN on either side only != holds, and -0 == +0), or whose flag is not zero, or that a predicate of the caller's takes. */
typedef enum iw_compare {
  IW_LESS, IW_LESS_EQUAL, IW_EQUAL, IW_NOT_EQUAL, IW_GREATER, IW_GREATER_EQUAL
} iw_compare;
/* A test of your own, as a kernel: made of a lane function by <isowarp/partition.h>. */
typedef struct iw_predicate iw_predicate;
typedef struct iw_test {
  size_t size;                   /* sizeof(iw_test) */
  iw_compare compare;            /* with *constant */
  const void *constant;          /* one element in host memory; or NULL, and one of these: */
  const uint8_t *flags;          /* n bytes */
  const iw_predicate *predicate; /* for elements of the type (not u8 or u16); runs where it was built for, as operators do */
  const iw_histogram_plan *plan; /* what is in bin `bin` of it, as in iw_extract_planned_any */
  size_t bin;
} iw_test;

/* rest == NULL: front = [what the test takes, in order][the others, in order], n elements; front == in as above. Else the
 * others go to rest, and all is read once instead of twice; nothing overlaps then, not even the n elements that front and
 * rest are each taken to have, though only *count and n - *count are written. Single pass, decoupled look-back (Merrill and
 * Garland, 2016). */
IW_API iw_status iw_partition_by_any(iw_context *context, iw_type type, const void *in, size_t n, const iw_test *test,
                                     void *front, void *rest, size_t *count);
/* out = what the test takes, in order; room for n is not needed, only for *count. */
IW_API iw_status iw_select_by_any(iw_context *context, iw_type type, const void *in, size_t n, const iw_test *test, void *out,
                                  size_t *count);
/* Values that go where their elements go, moved bit by bit: in partition, select and unique, and in multisplit below. */
typedef struct iw_payload {
  const void *in;                /* n values; or NULL: they are the numbers of the elements, 0 … n-1, of 4 or 8 bytes */
  void *out;                     /* all, or as of the elements: those that go to the front, or are selected */
  void *rest;                    /* the others of a partition, each payload for itself; or NULL, and always so elsewhere */
  size_t width;                  /* bytes of one: 1 2 4 8 16, its alignment too; of 16, 8 will do but in a multisplit */
} iw_payload;
enum { IW_MOST_PAYLOADS = 7 };
/* The two with payloads. Where front (out) is NULL and there are some, only they are moved: a selection of indices; and of flags
 * `in` may be NULL then, too, so that elements of any kind are what a payload is. front == in of elements and of payloads as
 * above, where rest is NULL; nothing else overlaps. An array of indices that a call makes counts as an input of it in
 * iw_context_reserve(). Elements are read as above, payloads once; what is marked goes through memory, a bit an element. */
IW_API iw_status iw_partition_payloads_any(iw_context *context, iw_type type, const void *in, size_t n, const iw_test *test,
                                           void *front, void *rest, size_t *count, const iw_payload *payloads,
                                           size_t payload_count);
IW_API iw_status iw_select_payloads_any(iw_context *context, iw_type type, const void *in, size_t n, const iw_test *test,
                                        void *out, size_t *count, const iw_payload *payloads, size_t payload_count);

/* out = the first of each run of equal neighbours, and payloads of these (none: NULL, 0), as of a selection. Elements are equal
 * if their bits are: a NaN equals one of the same payload, and -0 is not +0, so that nothing gets lost and the outcome is the
 * same everywhere. All eight types. */
IW_API iw_status iw_unique_any(iw_context *context, iw_type type, const void *in, size_t n, void *out, size_t *count,
                               const iw_payload *payloads, size_t payload_count);
/* Run-length encoding: values as the out of iw_unique_any (NULL: not wanted), and how many elements each run has, in lengths of
 * length_type, u32 (for n < 2^32, else IW_ERROR_OVERFLOW) or u64. *count runs. values == in as above; lengths overlap nothing,
 * and count as an input in iw_context_reserve(). */
IW_API iw_status iw_run_lengths_any(iw_context *context, iw_type type, const void *in, size_t n, void *values,
                                    iw_type length_type, void *lengths, size_t *count);
/* out = [elements < pivot][elements == pivot][the others, NaN among them], each in order; offsets: 3 elements, 0 and where the
 * second and the third begin. As above, no element is less than a NaN pivot, or equals it. Not in place. */
IW_API iw_status iw_partition_three_any(iw_context *context, iw_type type, const void *in, size_t n, const void *pivot,
                                        void *out, size_t *offsets);
/* out = the samples of bin k, by the rules of iw_histogram_any (policy CLAMP: the outsiders of an end bin too). */
IW_API iw_status iw_extract_any(iw_context *context, iw_type type, const void *in, size_t n, const iw_histogram_spec *spec,
                                size_t bin, void *out, size_t *count);
/* The same with a plan instead of a spec. type has to be the plan's. */
IW_API iw_status iw_extract_planned_any(iw_context *context, const iw_histogram_plan *plan, iw_type type, const void *in,
                                        size_t n, size_t bin, void *out, size_t *count);

/* Multisplit: out = [bucket 0][bucket 1]…[last bucket][elements of no bucket], each in order; n elements, none lost. offsets: one
 * element more than there are buckets; bucket k stands at offsets[k] … offsets[k+1]-1. In place as above. */

/* By bins: bucket k is bin k of the spec, by the rules of iw_histogram_any. Kinds EVEN and EDGES, any policy. Then with a plan
 * instead, whose type has to be `type`. */
IW_API iw_status iw_multisplit_any(iw_context *context, iw_type type, const void *in, size_t n,
                                   const iw_histogram_spec *spec, void *out, size_t *offsets);
IW_API iw_status iw_multisplit_planned_any(iw_context *context, const iw_histogram_plan *plan, iw_type type, const void *in,
                                           size_t n, void *out, size_t *offsets);

/* A rule of your own, as a kernel: made of a lane function by <isowarp/multisplit.h>. */
typedef struct iw_bucket_rule iw_bucket_rule;
/* Which bucket an element goes to, by one of three: a plan, bits, or a rule. */
typedef struct iw_buckets {
  size_t size;                   /* sizeof(iw_buckets) */
  const iw_histogram_plan *plan; /* by its bins, as above; for i32 u32 i64 u64 f32 f64 */
  unsigned bit, bits;            /* by bits bit … bit + bits - 1 of the element, the lowest being 0, whatever its type, of which all
                                    eight are taken; bits: 1 … 16, for 2^bits buckets */
  const iw_bucket_rule *rule;    /* for elements of the type; runs where it was built for, as operators do … */
  size_t count;                  /* … and gives numbers of so many buckets, 1 … 2147483647; what is greater counts as the last. Only
                                    with a rule */
} iw_buckets;
/* out: NULL where the elements themselves are not wanted. payloads: `count` of them, at most IW_MOST_PAYLOADS, or NULL for none;
 * one whose in is NULL makes out the permutation: out[i] is the number of the element that goes to i. Payloads may share an `in`,
 * also with the elements. In place: each array in its own, where there is room for copies of all that are. */
IW_API iw_status iw_multisplit_by_any(iw_context *context, iw_type type, const void *in, size_t n, const iw_buckets *buckets,
                                      void *out, const iw_payload *payloads, size_t count, size_t *offsets);

/* ---- Kernels of your own ------------------------------------------------------------------------------------------ */

/* A kernel written with <isowarp/kernel.h>. */
typedef struct iw_kernel iw_kernel;

/* Runs grid blocks of block threads (1 … 1024) and returns when all are done (on CUDA: when they are queued). args points to
 * the kernel's argument struct, which is copied; pointers in it are to memory where the kernel runs. A context for both
 * backends runs a kernel that nvcc built on the device, any other on the CPU. A kernel that was built for an
 * instruction set that this machine does not have, for another backend, or with floating-point contraction, is
 * IW_ERROR_MISMATCH. grid = 0 does nothing. */
IW_API iw_status iw_launch(iw_context *context, const iw_kernel *kernel, size_t grid, unsigned block, const void *args);

/* ---- Scan and reduce by an operator of your own -------------------------------------------------------------------- */

/* An operator, or a function by which elements are loaded, or both, as kernels for scan and reduce: made of lane functions by
 * <isowarp/scan.h>. Its outputs, init and result have the operator's type; elements in memory may have another one. */
typedef struct iw_operator iw_operator;

/* The calls of "Scan and reduce" by such an operator, in the same order 1: operands keep their places, so it need not
 * commute; where it is not associative to the bit, as sums of floats are not, that order is the result. What is absent is its
 * identity, which init = NULL stands for too (sum: as above). out == in is allowed where both have elements of one size. An
 * operator whose kernels nvcc built runs on the device, also from a context for both backends, and takes host memory; one
 * for a CPU takes no memory of a device. Kernels that do not run on the context are IW_ERROR_MISMATCH, as in iw_launch. */
IW_API iw_status iw_inclusive_scan_with(iw_context *context, const iw_operator *op, const void *in, void *out, size_t n,
                                        const void *init);
IW_API iw_status iw_exclusive_scan_with(iw_context *context, const iw_operator *op, const void *in, void *out, size_t n,
                                        const void *init);
IW_API iw_status iw_reduce_with(iw_context *context, const iw_operator *op, const void *in, size_t n, const void *init,
                                void *result);

#ifdef __cplusplus
}
#endif

#include <isowarp/typed.h>

#endif
