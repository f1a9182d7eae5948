/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel that was built for the simulated GPU (-DIW_SIM) calls in libisowarp: the simulator checks
 * each access, and switches between warps where they wait. Kernels are written with <isowarp/kernel.h>;
 * nothing here is called by hand, and it may change with any release. It knows scalars, masks of lanes and
 * addresses, not lane types.
 */
#ifndef ISOWARP_LANGUAGE_SIM_RUNTIME_H
#define ISOWARP_LANGUAGE_SIM_RUNTIME_H

#include <isowarp/descriptor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place in the source that uses an operation. There is one for each use; `index` is the simulator's. */
typedef struct iw_site {
  const char *file;
  const char *operation;     /* "iw_store_f32" */
  const char *arguments;     /* as they are written: "shared->bins + first, x, some" */
  int line;
  uint32_t index;            /* in the simulator's table of sites; 0: not there yet */
} iw_site;

/* How an operation uses memory. */
typedef enum iw_sim_kind {
  IW_SIM_LOAD = 1,           /* plain */
  IW_SIM_STORE = 2,          /* plain; the lanes of the warp meet before and after it */
  IW_SIM_ATOMIC = 4,         /* reads and writes indivisibly */
  IW_SIM_SLOT = 8,           /* with LOAD or STORE: a poll or a publish of tile states, or a word of tickets */
  IW_SIM_SHARED = 32,        /* with ATOMIC: only of shared memory */
  IW_SIM_INTERNAL = 64,      /* of the language itself, which also writes between phases */
  IW_SIM_OF_LANES = 256,     /* with STORE: the values may be computed from memory, and are not the same constant in all lanes */
  IW_SIM_NOT_COUNTED = 128,  /* no instruction of a GPU: only for the checks */
  IW_SIM_NO_SYNC = 16        /* with STORE: the lanes do not meet, so that other lanes may not use what one lane writes
                              * before a barrier or a store of the warp at which they meet */
} iw_sim_kind;

/* In iw_sim_warp.checks: operations are traced. */
enum { IW_SIM_TRACES = 1 << 14 };

/* One operation of a warp on memory: lane l of `lanes` accesses `size` bytes at base + size * index. A
 * lane's bytes may be several elements of `element_size` bytes, of which each may be undefined:
 * element_undefined[v] has the lanes whose element v is. Loads set it (the elements that a lane does not
 * get are defined), stores have it set; *undefined and values_undefined are all of them or'ed. */
typedef struct iw_sim_access {
  const iw_site *site;
  size_t extent;             /* bytes from base to the end of the member that base points into; SIZE_MAX: not known */
  const void *base;
  const uint32_t *index_32;  /* of each lane; NULL: see below */
  const uint64_t *index_64;  /* of each lane; both NULL: first + stride * lane */
  int64_t first, stride;
  unsigned size, kind;
  uint64_t lanes;            /* that access memory */
  uint64_t undefined;        /* lanes whose predicate or index is undefined */
  uint64_t values_undefined; /* of a store or an atomic: lanes that write an undefined value */
  const void *values;        /* of a store: `size` bytes for each lane; NULL: lanes may write different values */
  uint64_t *element_undefined; /* size / element_size masks; NULL: the lane's bytes are one element */
  unsigned element_size;
  uint32_t owner;            /* of the operands, or'ed */
} iw_sim_access;

/* The warp that runs. Kernels read it, and the simulator sets it. */
typedef struct iw_sim_warp {
  uint32_t owner;            /* its number in the launch, from 1; no two running warps have the same */
  uint32_t checks;           /* the checks that are on: 0 means that accesses need not be reported */
  const iw_site *collective; /* the block's collective that it is in, for messages about what the language does there */
  int in_phase;
  uint64_t lanes;            /* that are threads of the block */
  uint64_t *writes;          /* counts what other warps may wait for: changes by atomics, publishes */
} iw_sim_warp;

/* In iw_sim_warp.checks: instructions are counted. A warp with this bit alone performs accesses as without
 * checks. */
enum { IW_SIM_COUNTS = 1 << 15 };
/* Instructions between lanes, for iw_sim_count_instruction(). */
typedef enum iw_sim_instruction { IW_SIM_SHUFFLE, IW_SIM_VOTE, IW_SIM_MATCH, IW_SIM_REDUCE } iw_sim_instruction;

/* Of the calling thread. Exported, so that an access that needs no check makes no call. */
extern IW_API __thread iw_sim_warp *iw_sim_self;

/* Checks and records an access. Returns the lanes that may perform it: those for which it is not within
 * bounds must not. *undefined: the lanes of a load that get undefined bytes. */
IW_API uint64_t iw_sim_access_memory(const iw_sim_access *access, uint64_t *undefined);
/* Counts instructions between lanes. site: NULL if it is not known. */
IW_API void iw_sim_count_instruction(const iw_site *site, iw_sim_instruction instruction, unsigned count);
/* Counts an access that the simulator performs otherwise. */
IW_API void iw_sim_count_memory(const iw_sim_access *access);
/* A uniform value, a vote or a branch depends on undefined lanes, or on lanes of another warp. what: "the
 * vote", "lane 3". */
IW_API void iw_sim_use(const iw_site *site, uint64_t undefined, uint32_t owner, const char *what);
/* An operation reads the lane `lane`, which the warp or the block does not have. */
IW_API void iw_sim_absent_lane(const iw_site *site, unsigned lane);
/* A warp's phase begins and ends: sets and clears in_phase, and finds phases that were left early. */
IW_API void iw_sim_phase_begin(iw_block *block, const iw_site *site);
IW_API void iw_sim_phase_end(iw_block *block);
/* Waits for all warps of the block. */
IW_API void iw_sim_barrier(const iw_block *block, const iw_site *site);
/* Where a warp may be interrupted: atomics, tickets. */
IW_API void iw_sim_switch(const iw_site *site);
/* Called between two polls, or by a poll that repeats: waits until another warp has written. */
IW_API void iw_sim_wait(const iw_site *site);
/* Publishes and polls, words of 64 bits: order says whether they release or acquire. */
IW_API void iw_sim_publish(const iw_site *site, uint64_t *slots, size_t first, unsigned words, const uint64_t *value,
                           int release);
IW_API void iw_sim_publish_lanes(const iw_site *site, uint64_t *slots, int64_t first, unsigned words, uint64_t lanes,
                                 const uint64_t *values);
IW_API void iw_sim_poll(const iw_site *site, const uint64_t *slots, int64_t first, unsigned words, uint64_t lanes,
                        uint64_t *values, int acquire);
/* The last-block counter: adds 1 with acquire and release; returns the value before. */
IW_API uint32_t iw_sim_increment_acq_rel(const iw_site *site, uint32_t *counter);
/* Words of tickets: loads, stores. */
IW_API uint32_t iw_sim_load_word(const iw_site *site, const uint32_t *word);
IW_API void iw_sim_store_word(const iw_site *site, uint32_t *word, uint32_t v);
/* A counter of `bits` bits passes its range. */
IW_API void iw_sim_overflow(const iw_site *site, unsigned lane, unsigned bits);
/* Adds to a word of tickets; returns the value before. */
IW_API uint32_t iw_sim_fetch_add(const iw_site *site, uint32_t *word, uint32_t v);
/* The block's storage of a variable of each warp: block->warps elements of `bytes` bytes. This warp's is
 * filled with undefined lanes. */
IW_API void *iw_sim_variable(iw_block *block, const iw_site *site, size_t bytes);
/* A uniform argument that all warps of a block have to agree on: finds a value that differs. */
IW_API void iw_sim_uniform(const iw_block *block, const iw_site *site, uint64_t value);
/* A shuffle, which a trace shows: lane l has got values[l], of `size` bytes, from lane sources[l]. */
IW_API void iw_sim_trace_shuffle(const iw_site *site, unsigned size, const void *values, uint64_t undefined,
                                 const unsigned char *sources);
/* The kernel's tables (IW_TABLE), which it may read. */
IW_API void iw_sim_tables(const void *begin, const void *end);
/* Plain C of the kernel is about to access memory, in front of the instruction `pc`. kind: IW_SIM_LOAD,
 * _STORE or _ATOMIC. is_range: a struct, which may have undefined bytes. Memory that is not the simulated
 * device's is ignored. */
IW_API void iw_sim_plain(const void *at, size_t bytes, unsigned kind, int is_range, const void *pc);
/* Plain C uses a wrong index; about: as the compiler describes it. */
IW_API void iw_sim_wrong_index(const void *about, uintptr_t index);

#ifdef __cplusplus
}
#endif

#ifdef IW_SIM_HOOKS /* the language's own accesses report themselves (hooks.h) */
#undef IW_FN
#undef IW_NOINLINE_FN
#define IW_UNHOOKED_ __attribute__((no_sanitize_thread))
#define IW_FN static inline __attribute__((unused)) IW_UNHOOKED_
#define IW_NOINLINE_FN static __attribute__((noinline, unused)) IW_UNHOOKED_
#endif

/* Notes the collective that a warp is in. */
static inline __attribute__((unused)) void iw_sim_enter_(const iw_site *site) { iw_sim_self->collective = site; }

static inline __attribute__((unused)) void iw_count_(const iw_site *site, iw_sim_instruction instruction, unsigned count)
{ if (iw_sim_self->checks & IW_SIM_COUNTS) iw_sim_count_instruction(site, instruction, count); }
/* Whether anything but counting is on. */
static inline __attribute__((unused)) int iw_checks_(void) { return (iw_sim_self->checks & ~(uint32_t)IW_SIM_COUNTS) != 0; }

#define IW_SITE_OF_(operation_, arguments_) \
  __extension__({ static iw_site iw_site_ = { __FILE__, operation_, arguments_, __LINE__, 0 }; \
                  (const iw_site *)&iw_site_; })
/* In front of an expression that uses what language/warp.h and uniform.h define: notes its place. */
#define IW_NOTE_(operation_, arguments_) iw_sim_enter_(IW_SITE_OF_(operation_, arguments_)),
/* In front of the arguments of an operation: its place in the source. */
#define IW_SITE_(operation_, arguments_) IW_SITE_OF_(operation_, arguments_),
/* Bytes from p to the end of the member that it points into; SIZE_MAX where the compiler cannot tell. */
#ifdef __has_builtin
#if __has_builtin(__builtin_dynamic_object_size)
#define IW_EXTENT_(p) __builtin_dynamic_object_size((p), 1)
#endif
#endif
#ifndef IW_EXTENT_
#define IW_EXTENT_(p) __builtin_object_size((p), 1)
#endif
/* The same for an operation on memory at p: also the bytes from p to the end of the member p points into. */
#define IW_SITE_AT_(operation_, arguments_, p) IW_SITE_OF_(operation_, arguments_), IW_EXTENT_(p),

#endif
