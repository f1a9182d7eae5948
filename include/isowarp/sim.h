/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp on a simulated GPU (IW_BACKEND_SIM): what its checks find, and what its kernels cost.
 * doc/memory-model.md is what the checks are made by, doc/counters.md explains the counts.
 */
#ifndef ISOWARP_SIM_H
#define ISOWARP_SIM_H

#include <isowarp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The check that found something. */
typedef enum iw_sim_check {
  IW_SIM_CHECK_BOUNDS,     /* an access leaves its array, is misaligned, or leads to memory that a kernel cannot access */
  IW_SIM_CHECK_UNDEFINED,  /* undefined bytes decide a branch, a predicate, an address or a uniform value, or reach the host */
  IW_SIM_CHECK_RACE,       /* conflicting accesses that the memory model does not order */
  IW_SIM_CHECK_SLOTS,      /* a tile state is used against its protocol */
  IW_SIM_CHECK_BARRIER,    /* the warps of a block wait at different barriers, or do not agree on a uniform value */
  IW_SIM_CHECK_DIVERGENCE, /* an operation reads a lane that does not exist, or stands where not all lanes reach it */
  IW_SIM_CHECK_OWNERSHIP,  /* a warp uses a lane value of another warp */
  IW_SIM_CHECK_PHASE,      /* a phase is left before its end */
  IW_SIM_CHECK_OVERFLOW,   /* a counter passes its range */
  IW_SIM_CHECK_PROGRESS,   /* every warp waits for what nobody can do any more */
  IW_SIM_CHECK_FENCE       /* of CUDA C++: the fence behind the read that another thread's writes were waited for by is missing */
} iw_sim_check;

typedef enum iw_sim_severity {
  IW_SIM_NOTE,             /* allowed, but perhaps not intended; no call fails */
  IW_SIM_ERROR             /* the call that found it fails with IW_ERROR_FINDING */
} iw_sim_severity;

/* One finding: all that one check found at one line, or at one pair of lines. Strings are valid during
 * the report. */
typedef struct iw_sim_finding {
  size_t size;             /* sizeof(iw_sim_finding) */
  iw_sim_check check;
  iw_sim_severity severity;
  const char *check_name;  /* "race" */
  const char *message;     /* begins with the check and the place: "race: kernel.c:118 iw_store_u32: block 5 warp 3 …" */
  const char *file;        /* as the compiler knows it; NULL: no place in a kernel */
  int line;
  const char *other_file;  /* of the other access; NULL: there is none, or it is not known */
  int other_line;
  uint64_t count;          /* lanes or bytes for which it was found so far */
  uint64_t seed;           /* ISOWARP_SIM_SEED=seed gives the same run again */
} iw_sim_finding;

/* Calls report(user, finding) for each finding of this context, once, before the call that found it
 * returns. context: of IW_BACKEND_SIM, else IW_ERROR_INVALID. report: NULL for none. It must not use the
 * context. Without a function, iw_message() has the first finding of a failed call; if the environment
 * variable ISOWARP_SIM_REPORT names a file, all findings are written to it when the context is closed: as
 * text, or as SARIF 2.1.0 if the name ends with .sarif. Further contexts of the process write to files of
 * their own, with a number in the name. */
IW_API iw_status iw_sim_set_report(iw_context *context, void (*report)(void *user, const iw_sim_finding *finding),
                                   void *user);

/* Begins (on != 0), or ends, what stands for a capture of the context's stream (CUDA graphs): in between,
 * calls follow the rules of a capture. What a CUDA context refuses then, because it allocates, waits, or uses
 * host memory, is refused here, with the same status. Other than there, calls run at once. There is no
 * graph: to replay, make the calls again. context: of IW_BACKEND_SIM, else IW_ERROR_INVALID, as is a
 * capture that has begun already, or the end of none. */
IW_API iw_status iw_sim_set_capture(iw_context *context, int on);

/* ---- Counters ---- */

/* What a count is of: a kernel, one operation in a line of it, or a phase of it with all that its warps
 * do there. */
typedef enum iw_sim_level { IW_SIM_KERNELS, IW_SIM_LINES, IW_SIM_PHASES } iw_sim_level;

enum { IW_SIM_BANKS = 32 };

/* Counts of all launches of a kernel since counting began. Strings and values are valid during the call. */
typedef struct iw_sim_count {
  size_t size;             /* sizeof(iw_sim_count) */
  const char *kernel;
  const char *file;        /* of lines and phases; NULL: of the kernel, or between phases */
  int line;
  const char *operation;   /* of lines: "iw_store_u32"; else NULL */
  uint64_t launches, blocks, warps; /* of the kernel */
  size_t grid;             /* of its last launch */
  unsigned threads;
  size_t metrics;          /* values[m] is the metric iw_sim_metric_name(m) */
  const uint64_t *values;
  double seconds;          /* the time that the device needs at least, by a roofline */
  const char *limit;       /* what limits it: "memory", "L2", "L1 tags", "shared memory", "atomics", "atomics to one
                              sector", "none" */
  const uint64_t *bank_words; /* words of 4 bytes that each of the IW_SIM_BANKS banks of shared memory has served */
  const uint64_t *bank_conflicts; /* of these, words that took a further wavefront, as the bank had another one to serve */
} iw_sim_count;

/* The name of a metric, which is Nsight Compute's if it has one; NULL behind the last one. */
IW_API const char *iw_sim_metric_name(size_t metric);
/* Begins counting from 0 (on != 0), or ends it; counts stay until it begins again. Off by default, and on
 * from the beginning if the environment variable ISOWARP_SIM_COUNT names a file: the counts are then
 * written to it when the context is closed, as iw_sim_write_counts does; further contexts of the process
 * write to files with a number in the name. context: of IW_BACKEND_SIM, else IW_ERROR_INVALID; no call of
 * it may run. */
IW_API iw_status iw_sim_set_counting(iw_context *context, int on);
/* Calls use(user, count) for each kernel, or for each line or phase of each kernel, in the order of first
 * launches, then of files and lines. It must not use the context. */
IW_API iw_status iw_sim_for_each_count(iw_context *context, iw_sim_level level,
                                       void (*use)(void *user, const iw_sim_count *count), void *user);
/* Writes all counts to a file: .csv, one row for each kernel, line and phase with all metrics; .json, the
 * same as an array of objects; else tables as text. */
IW_API iw_status iw_sim_write_counts(iw_context *context, const char *path);

/* ---- Trace ---- */

/* What a warp did, or has, in an interval between two barriers of its block. */
typedef enum iw_sim_event_kind {
  IW_SIM_EVENT_LAUNCH,     /* a launch begins; kernel, grid and threads are its */
  IW_SIM_EVENT_LOAD, IW_SIM_EVENT_STORE, IW_SIM_EVENT_ATOMIC, /* of memory; values are what was read, or what is there afterwards */
  IW_SIM_EVENT_SHUFFLE,    /* between lanes */
  IW_SIM_EVENT_VARIABLE,   /* an IW_VAR as it is at the interval's end */
  IW_SIM_EVENT_PUBLISH, IW_SIM_EVENT_POLL, /* of tile states: flags and values; a publish has lane 0 only */
  IW_SIM_EVENT_BEGIN, IW_SIM_EVENT_END, /* of a slice of a warp's time */
  IW_SIM_EVENT_LAUNCH_END  /* slices of the launch that have no end yet end here: a finding stopped it */
} iw_sim_event_kind;

/* What a warp is in. Slices of a warp lie within each other or one after the other. */
typedef enum iw_sim_slice {
  IW_SIM_SLICE_KERNEL,     /* from a warp's first step to its last */
  IW_SIM_SLICE_PHASE,      /* IW_PHASE or IW_WARPS; file and line are its */
  IW_SIM_SLICE_BARRIER,    /* waits for the other warps of its block; operation is the collective, or "iw_barrier_" */
  IW_SIM_SLICE_POLL        /* waits for what another warp has to write */
} iw_sim_slice;

enum { IW_SIM_EVENT_LANES = 64 };

/* Strings and pointers are valid during the call. Integers that a lane has no value for are 0. */
typedef struct iw_sim_event {
  size_t size;             /* sizeof(iw_sim_event) */
  iw_sim_event_kind kind;
  const char *kernel;
  size_t grid, block;
  unsigned threads, warp_size;
  unsigned warp, interval; /* of the block; intervals are counted from 1 */
  const char *file;        /* NULL: not known */
  int line;
  const char *operation;   /* "iw_store" */
  const char *arguments;   /* "shared->x + first, sum, some"; of a variable its name and type: "sum, iw_f32" */
  uint64_t lanes;          /* that take part */
  uint64_t undefined;      /* of these, lanes whose value is undefined */
  unsigned element_size;   /* bytes of a value, 1 to 8 */
  uint64_t values[IW_SIM_EVENT_LANES];  /* the bits of each lane's value */
  const void *array;       /* of memory: the allocation; NULL: the block's shared memory */
  uint64_t offsets[IW_SIM_EVENT_LANES]; /* of memory: bytes from its beginning, for each lane; of tile states: the slot's index */
  unsigned char sources[IW_SIM_EVENT_LANES]; /* of a shuffle: the lane that each lane's value is of */
  uint32_t flags[IW_SIM_EVENT_LANES];   /* of tile states */
  iw_sim_slice slice;      /* of BEGIN and END */
  uint64_t step;           /* the simulator's time, which never falls: accesses, shuffles, polls, publishes, begins and ends of
                              slices so far, of all warps, which run one at a time */
} iw_sim_event;

/* Calls trace(user, event) for each event of the context's launches while they run: operations on memory,
 * tile states, shuffles, at each barrier and at a block's end its variables, and slices of warps.
 * Operations within the language are left out, as are accesses of more than 8 bytes a lane. trace: NULL
 * for none. It must not use the context. Checks have to be on. context: of IW_BACKEND_SIM, else
 * IW_ERROR_INVALID. */
IW_API iw_status iw_sim_set_trace(iw_context *context, void (*trace)(void *user, const iw_sim_event *event), void *user);

#ifdef __cplusplus
}
#endif

#endif
