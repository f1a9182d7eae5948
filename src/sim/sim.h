/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated GPU inside: what its parts know of each other. Backend layer; knows no algorithm.
 *
 *   backend.c    the backend's functions, and the profiles of devices
 *   schedule.c   a launch: blocks become resident, warps run in contexts of their own and wait for each
 *                other
 *   memory.c     the device's memory: allocations with red zones, and a shadow cell for each word
 *   check.c      what each operation of a kernel has to satisfy
 *   order.c      clocks: what releases, acquires and fences order, for kernels of both front ends
 *   trap.c       signals that a kernel's plain C raises
 *   finding.c    what was found: messages, counts, reports
 *   site.c       the warp that runs, and the places in the source of what it does
 *   counters.c   what a GPU would count, by the table counters.def
 *
 * A simulated device runs on the thread that calls the library, one warp at a time.
 */
#ifndef IW_SIM_SIM_H
#define IW_SIM_SIM_H

#include <isowarp/language/sim/runtime.h>
#include <isowarp/sim.h>
#include "runtime/context.h"
#include "sim/order.h"

/* ---- Devices ---- */

typedef struct sim_profile {
  const char *name;           /* for ISOWARP_SIM_DEVICE: "h200" */
  const char *title;
  unsigned capability;        /* 10 * major + minor */
  unsigned processors;
  size_t shared_per_block;    /* the most that a kernel may ask for */
  size_t shared_per_processor;
  unsigned threads_per_processor, blocks_per_processor;
  double clock;               /* Hz, boost */
  double memory_bandwidth, l2_bandwidth; /* bytes a second; 0: not known */
} sim_profile;

/* ---- Checks ---- */

/* Bits of iw_sim_warp.checks and of sim_state.checks. */
enum {
  SIM_CHECK_BOUNDS = 1 << 0, SIM_CHECK_UNDEFINED = 1 << 1, SIM_CHECK_RACE = 1 << 2, SIM_CHECK_SLOTS = 1 << 3,
  SIM_CHECK_BARRIER = 1 << 4, SIM_CHECK_DIVERGENCE = 1 << 5, SIM_CHECK_OWNERSHIP = 1 << 6, SIM_CHECK_PHASE = 1 << 7,
  SIM_CHECK_OVERFLOW = 1 << 8, SIM_CHECK_ALL = (1 << 9) - 1
};
/* Kinds of findings: a check, or progress, which is always on. */
typedef enum sim_kind {
  SIM_BOUNDS, SIM_UNDEFINED, SIM_RACE, SIM_SLOTS, SIM_BARRIER, SIM_DIVERGENCE, SIM_OWNERSHIP, SIM_PHASE, SIM_OVERFLOW,
  SIM_PROGRESS, SIM_FENCE, SIM_KINDS
} sim_kind;
extern const char *const iw_sim_kind_names[SIM_KINDS]; /* "bounds", ... */

/* ---- Memory ---- */

/* A shadow cell for each word of 4 bytes, of global and of shared memory. check.c says what is in it;
 * memory.c knows which of the word's bytes are defined. A cell of zeros: undefined, and never accessed. */
typedef struct sim_cell { uint64_t bits[2]; } sim_cell;
enum { SIM_DEFINED_AT = 4, SIM_DEFINED = 15 << SIM_DEFINED_AT }; /* in bits[0], one bit for each byte */
/* A cell without accesses. defined: a mask of bytes. */
static inline void sim_cell_set(sim_cell *cell, unsigned defined)
{
  cell->bits[0] = (uint64_t)defined << SIM_DEFINED_AT;
  cell->bits[1] = 0;
}
static inline unsigned sim_cell_defined(const sim_cell *cell) { return (unsigned)(cell->bits[0] >> SIM_DEFINED_AT) & 15; }

/* What an allocation is for. */
typedef enum sim_use {
  SIM_USER,      /* memory of iw_memory_allocate() */
  SIM_LIBRARY    /* scratch, staging, tile states: of the library */
} sim_use;

/* An array within a region, which has a layout (iw_layout). */
typedef struct sim_array {
  size_t at, bytes;
  char name[40];
} sim_array;

typedef struct sim_region {
  char *base;                 /* within the red zones */
  size_t bytes;
  sim_use use;
  sim_cell *cells;            /* one for each word that the region touches */
  sim_array *arrays;          /* by place; kernels access nothing else of the region. NULL: all of it */
  size_t array_count, array_capacity, last_array;
  uint8_t *touched;           /* of counters.c, one for each sector of 32 bytes; NULL: none yet */
  uint32_t *atomics;          /* likewise */
  void *mapping;              /* with its red zones */
  size_t mapped;
  int was_read_undefined;     /* by the host, and was found */
  int is_overrun;             /* plain C has written to its red zones, and was found */
} sim_region;

/* ---- A launch ---- */

typedef struct sim_block sim_block;
typedef struct sim_launch sim_launch;
typedef struct sim_state sim_state;

typedef enum sim_warp_state { SIM_READY, SIM_AT_BARRIER, SIM_WAITING, SIM_DONE } sim_warp_state;

typedef struct sim_warp {
  iw_sim_warp self;           /* what kernels see; first, so that iw_sim_self leads here */
  sim_block *block;
  unsigned index;             /* in its block */
  sim_warp_state state;
  const iw_site *site;        /* of the barrier or the poll where it waits */
  const iw_site *phase;       /* of the phase that it is in, or was in last */
  const iw_site *last;        /* of its last access to memory that was checked */
  uint64_t seen_writes;       /* sim_launch.writes when it last looked at what it waits for */
  const void *polled;         /* the slots of its last poll */
  unsigned idle;              /* atomics in succession without a write by anybody */
  uint64_t idle_writes;       /* sim_launch.writes at the last of them */
  sim_clock *acquired;        /* in this interval */
  uint32_t stamp;             /* of its accesses, see check.c; 0: none yet in this interval */
  uint32_t releases;          /* in this interval: what comes after one has another stamp */
  uint32_t ordered[2];        /* stamps that are ordered before its accesses: see check.c */
  int trapped;                /* a signal that its plain C has raised; 0: none */
  int unsynchronized;         /* it has stored with IW_SIM_NO_SYNC since it took its stamp */
  struct sim_fiber *fiber;
  uint64_t priority;          /* for schedules that have one */
  iw_block view;              /* the block as this warp's code sees it */
} sim_warp;

/* Where the kernel's struct begins in a block's shared memory; in front of it is the iw_block_memory. */
enum { SIM_SHARED_AT = (sizeof(iw_block_memory) + 127) / 128 * 128 };

struct sim_block {
  sim_launch *launch;
  size_t index;
  unsigned warps;
  unsigned ready, waiting, done; /* warps that may run, that wait at a barrier, that have ended */
  uint32_t interval;          /* from 1; a barrier begins the next one */
  char *shared_mapping;       /* SIM_SHARED bytes: see iw_sim_shared_new() */
  char *shared;               /* shared_bytes: iw_block_memory, then from SIM_SHARED_AT on the kernel's struct */
  size_t shared_bytes;
  sim_cell *shared_cells;     /* of check.c, as the next ones */
  uint32_t first_stamp;       /* stamps of this interval are not less */
  sim_block *next;            /* that the checks know */
  sim_clock *clock;           /* what the block has acquired; NULL: nothing */
  struct sim_variables *variables;
  const uint32_t *tickets;    /* that it has opened, and not closed */
  const iw_site *tickets_site;
  uint64_t last_ticket;       /* when the block took its last ticket: the number of tickets before */
  uint64_t uniform;           /* of this interval: see iw_sim_uniform() */
  const iw_site *uniform_site;
  sim_warp warp[];            /* the block's warps */
};

struct sim_launch {
  sim_state *state;
  const iw_kernel *kernel;
  const void *args;           /* a copy that kernels may read */
  size_t grid;
  unsigned threads, warp_size;
  uint32_t number;            /* of the launch in its context, from 1 */
  uint64_t writes;            /* counts what waiting warps may wait for: publishes, atomics, stores to global memory */
  const char *tables, *tables_end;
  int stop;                   /* a finding after which the launch cannot go on */
  struct sim_schedule *schedule;
  struct sim_order *order;    /* of check.c */
};

struct sim_state {
  iw_context *context;
  void (*trace)(void *, const iw_sim_event *); /* NULL: nobody wants to know */
  void *trace_user;
  struct sim_pending *pending; /* of trace.c */
  uint64_t steps;             /* the time of a trace: see iw_sim_event.step */
  sim_profile profile;        /* with as many processors as the environment wants */
  const iw_kernel *const *older_kernels; /* those that differ before compute capability 8.0, for such a device */
  unsigned checks;
  uint64_t seed;
  uint32_t launches;
  sim_region **regions;       /* by address */
  size_t region_count, region_capacity;
  sim_region *last_region;    /* that iw_sim_memory_find() found */
  uint32_t stamps;            /* given to accesses so far, see check.c */
  struct sim_findings *findings;
  struct sim_counters *counters;
  int counting;
  sim_launch *launch;         /* the one that runs */
  int is_capturing;           /* see iw_sim_set_capture() */
  struct sim_fiber *fibers;   /* that no warp uses */
  void *free_shared;          /* a list of mappings that no block uses */
  unsigned policy;            /* a sim_policy */
  size_t resident;            /* blocks that may run at a time; 0: what the device has room for */
  int serial;                 /* of the simulated device, in the process */
  sim_state *next;            /* in the list of all: see backend.c */
  char replay[128];           /* the environment that repeats a run: "ISOWARP_SIM_SEED=1" */
};

typedef enum sim_policy {
  SIM_ASCENDING, SIM_DESCENDING, SIM_RANDOM, SIM_ROUND_ROBIN, SIM_PRIORITY, SIM_ADVERSARIAL, SIM_POLICIES
} sim_policy;

/* The warp that runs on this thread. */
static inline sim_warp *sim_self(void) { return (sim_warp *)iw_sim_self; }

/* ---- site.c ---- */

extern const char iw_sim_plain_operation[]; /* of all sites of plain C */
/* A file's name for messages: what follows the last "/src/" or "/include/", or the base name. */
const char *iw_sim_short_name(const char *file);
/* The site that a message names: inside the language's own headers that of the collective that the warp is
 * in. */
const iw_site *iw_sim_site(const iw_site *);
/* Numbers for sites: 1 ... SIM_SITES - 1, the last for all others. */
enum { SIM_SITES = 1 << 14 };
uint32_t iw_sim_site_index(const iw_site *);
const iw_site *iw_sim_site_at(uint32_t index);

/* ---- compiler.c ---- */

typedef struct sim_line { char file[512]; int line; } sim_line;
/* The line of an instruction of the program or of a shared object. line 0: not known. */
const sim_line *iw_sim_line(uintptr_t pc);
/* What the compiler says of an index out of range: the call's first argument with -fsanitize=bounds. */
typedef struct sim_index { const char *file, *array; int line; char number[32]; } sim_index;
sim_index iw_sim_index(const void *about, uintptr_t index);
/* The same for -fsanitize=alignment: "'float4'". */
typedef struct sim_mismatch { const char *type; size_t alignment; } sim_mismatch;
sim_mismatch iw_sim_mismatch(const void *about);
/* The site of an operation at an instruction, or, with an index, at the compiler's description of that one:
 * key. Sites stay for ever, as shadow cells and findings name them. Operations are compared as pointers.
 * NULL: there is no memory. */
const iw_site *iw_sim_make_site(uintptr_t key, const char *operation, const sim_index *index);

/* ---- settings.c: by ISOWARP_SIM_… of the environment; fails with the variable and what is valid ---- */

/* Adds a name to a list for a message. */
void iw_sim_list_name(char *list, size_t size, const char *name);
/* _SCHEDULE: one of the first `count`. */
iw_status iw_sim_choose_policy(unsigned count, unsigned *policy);
/* The number in a variable, `least` to `most`; `otherwise` if it is not set. */
iw_status iw_sim_choose_number(const char *variable, unsigned long long least, unsigned long long most,
                               unsigned long long otherwise, unsigned long long *number);
/* _CHECKS: names of kinds with commas in between, "all", "none". kinds: a bit for each valid one. */
iw_status iw_sim_choose_checks(unsigned kinds, unsigned *checks);
/* Writes sim_state.replay: what is not as by default, and the seed. is_one_of_many: the default has several
 * schedules. */
void iw_sim_write_replay(sim_state *, int is_one_of_many);
extern const char *const iw_sim_policy_names[];

/* ---- schedule.c ---- */

/* Runs a launch to its end, or until it cannot go on. */
iw_status iw_sim_run(sim_state *, const iw_kernel *, size_t grid, unsigned threads, size_t shared, const void *args);
/* The number of blocks of a launch that the device has room for at a time. */
size_t iw_sim_occupancy(const sim_profile *, unsigned threads, size_t shared);

/* ---- trap.c ---- */

/* Around a launch: a signal that an instruction of the running warp's plain C raises ends the warp's run,
 * and is in sim_warp.trapped. The launch cannot go on. */
void iw_sim_traps_begin(void);
void iw_sim_traps_end(void);

/* ---- memory.c ---- */

/* Allocates device memory with red zones; its contents are undefined. */
iw_status iw_sim_memory_allocate(sim_state *, size_t bytes, sim_use use, void **memory);
void iw_sim_memory_release(sim_state *, void *memory);
void iw_sim_memory_release_all(sim_state *);
/* A mapping for the shared memory of a block, which begins at SIM_SHARED_FRONT. The rest is a red zone, as a
 * pointer of plain C may lead there, and in the end pages that trap. NULL: no memory. */
enum { SIM_SHARED = 1 << 20, SIM_SHARED_FRONT = 4096 };
char *iw_sim_shared_new(sim_state *);
void iw_sim_shared_free(sim_state *, char *mapping);
/* The region that an address is in, red zones included; NULL: none. */
sim_region *iw_sim_memory_find(sim_state *, const void *at);
/* The last region that begins at or in front of an address; NULL: none. */
sim_region *iw_sim_memory_in_front(const sim_state *, const void *at);
/* The region holds these arrays from now on, instead of those that were there. Contents become undefined
 * unless they are kept. */
void iw_sim_memory_lay_out(sim_state *, void *memory, const iw_layout *, int contents);
/* The last array of a region that begins at or in front of an offset; NULL: none. */
const sim_array *iw_sim_memory_array(sim_region *, size_t offset);
static inline int sim_in_array(const sim_array *array, size_t offset) { return array && offset - array->at < array->bytes; }
/* The host writes (copies to the device, zeroes). */
void iw_sim_memory_define(sim_state *, void *at, size_t bytes);
/* Whether all bytes are defined; 1 for memory that is not the simulated device's. */
int iw_sim_memory_is_defined(sim_state *, const void *at, size_t bytes);
/* The host reads: finds undefined bytes. what: for the message. */
void iw_sim_memory_read_by_host(sim_state *, const void *at, size_t bytes, const char *what);
/* Forgets all accesses, as before the first launch. */
void iw_sim_memory_forget(sim_state *);
/* Contents become undefined: of scratch at the beginning of a call. */
void iw_sim_memory_undefine(sim_state *, void *at, size_t bytes);
/* A copy from device to device moves what is undefined along. */
void iw_sim_memory_copy(sim_state *, void *to, const void *from, size_t bytes);

/* ---- counters.c: called only while a context counts ---- */

iw_status iw_sim_counters_open(sim_state *);
/* Writes the report that ISOWARP_SIM_COUNT asks for. */
void iw_sim_counters_close(sim_state *);
void iw_sim_count_launch(sim_launch *, size_t shared);
void iw_sim_count_access(sim_warp *, const iw_sim_access *);
void iw_sim_count_barrier(sim_warp *, const iw_site *);

/* ---- trace.c: called only if sim_state.trace is set ---- */

void iw_sim_trace_launch(const sim_launch *, int is_end);
/* kind: IW_SIM_EVENT_BEGIN or IW_SIM_EVENT_END of a slice of the warp's time. */
void iw_sim_trace_slice(const sim_warp *, iw_sim_event_kind kind, iw_sim_slice, const iw_site *);
/* Fills in what all events have; warp: NULL of an event of the launch. */
void iw_sim_trace_begin(iw_sim_event *, iw_sim_event_kind, const sim_launch *, const sim_warp *, const iw_site *);
/* Reports a store that has been performed, before its memory is freed. */
void iw_sim_trace_stored(sim_state *);
/* An access that `lanes` perform, of which `undefined` read or write something undefined. A store is
 * performed after it. */
void iw_sim_trace_access(const sim_warp *, const iw_sim_access *, uint64_t lanes, uint64_t undefined);
/* A variable of all warps of a block, at a barrier or at the block's end. */
/* A publish or a poll: words[l * count] are what lane l wrote or read in slot first + l * count, `count`
 * words each. */
void iw_sim_trace_slots(const sim_warp *, const iw_site *, int is_publish, uint64_t lanes, int64_t first, unsigned count,
                        const uint64_t *words);
void iw_sim_trace_variable(const sim_block *, const iw_site *, size_t bytes, const char *storage);

/* ---- check.c ---- */

void iw_sim_check_launch_begin(sim_launch *);
void iw_sim_check_launch_end(sim_launch *);
/* Makes and frees what the checks keep for a block: shared_cells, clocks. 0: no memory. */
int iw_sim_check_block_begin(sim_block *);
void iw_sim_check_block_end(sim_block *);
/* All warps of the block have arrived at a barrier: its next interval begins. */
void iw_sim_check_barrier(sim_block *);
/* An access by plain C of the kernel. is_part: of a struct or array, whose bytes may be undefined. Returns
 * whether the bytes are defined. */
int iw_sim_check_plain(sim_warp *, const iw_site *, uintptr_t at, unsigned bytes, unsigned kind,
                        int is_part);
/* Order: a warp makes what it and its block did visible to who acquires at this address, and acquires
 * that. */
void iw_sim_check_release(sim_warp *, const void *address);
void iw_sim_check_acquire(sim_warp *, const void *address);
/* A poll reads a tile state that is undefined, as its first publish is held back. */
void iw_sim_check_undefined_slot(sim_warp *, const iw_site *, unsigned lane);
/* A publish and a poll of words of tile states, of which `kind` says which (IW_SIM_STORE, IW_SIM_LOAD).
 * Returns the lanes that may perform it. */
uint64_t iw_sim_check_slots(sim_warp *, const iw_site *, unsigned kind, const uint64_t *slots, int64_t first, unsigned words,
                         uint64_t lanes, const uint64_t *values);

/* ---- finding.c ---- */

/* Notes a finding at a site. The text is the message without kind and place. other: the other place, or
 * NULL. */
void iw_sim_found(sim_state *, sim_kind, const iw_site *, const iw_site *other, const char *format, ...)
  __attribute__((format(printf, 5, 6), cold));
/* A warning or note does not change the status of the call. */
void iw_sim_note(sim_state *, sim_kind, const iw_site *, const iw_site *other, const char *format, ...)
  __attribute__((format(printf, 5, 6), cold));
/* Counts a finding that is known already, so that its message need not be made. Returns 0 for one that is
 * not. */
int iw_sim_finding_again(sim_state *, sim_kind, const iw_site *, const iw_site *other, int is_note);
/* A finding at no place of a kernel. where: "a copy to the host". is_new: it is not one that is known. */
void iw_sim_finding_of_host(sim_state *, sim_kind, int is_new, const char *where, const iw_site *other,
                            const char *format, ...)
  __attribute__((format(printf, 6, 7), cold));
/* IW_OK, or IW_ERROR_FINDING with the message of the first finding since the last call of this function. */
iw_status iw_sim_findings_status(sim_state *);
iw_status iw_sim_findings_open(sim_state *);
/* Writes the report that ISOWARP_SIM_REPORT asks for. */
void iw_sim_findings_close(sim_state *);

#endif
