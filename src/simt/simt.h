/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs in CUDA C++ on the simulated GPU: what the parts of the runtime know of each other (doc/cuda.md).
 * The user's program is compiled with -fsanitize=thread, whose hooks are this library's, and linked with it.
 *
 *   hooks.c    what the compiler calls at each access of memory
 *   order.c    cells, fences, scopes: which accesses are ordered
 *   thread.c   threads and blocks: stacks, schedules, barriers, shared memory
 *   warp.c     operations of a warp
 *   place.c    memory: allocations, names of arrays, lines of code
 *   edge.c     where the program's variables end
 *   count.c    sectors, wavefronts and rounds of atomics
 *   trace.c    events for pictures
 *   report.c   findings: from the process that runs a schedule to the one that reports
 *   host.c     the functions of the CUDA runtime that are no templates
 *   graph.c    streams, events, and graphs of what streams are given
 *
 * All threads of a launch run on one thread of the system, each on a stack of its own if it has to wait.
 */
#ifndef IW_SIMT_SIMT_H
#define IW_SIMT_SIMT_H

#include "../../include/isowarp/cuda/isowarp_simt.h"
#include "sim/sim.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SIMT_LIKELY(x) __builtin_expect(!!(x), 1)
#define SIMT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SIMT_PC() simt_pc(__builtin_return_address(0))

/* Of the call that returns there; 0: of none. */
static inline uint32_t simt_pc(const void *return_address) { return return_address ? (uint32_t)(uintptr_t)return_address - 1 : 0; }

enum { SIMT_LANES = 32, SIMT_THREADS = 1024, SIMT_STACK = 1 << 17 };

/* Of the address space for global memory; what else is reserved follows it. Emulators have time for less. */
#ifndef SIMT_GLOBAL_BITS
#define SIMT_GLOBAL_BITS 36
#endif

/* ---- Cells: who accessed a word, or a byte of a word that is divided ---- */

/* An access. seg: an interval of a block between two barriers; its numbers grow through the whole program,
 * and 0 is none. who: the thread in its block (10 bits), its clock within the warp (16 bits) and attributes
 * (6 bits). */
typedef struct simt_record { uint32_t seg, who, pc; } simt_record;
enum {
  SIMT_CLOCK_AT = 6, SIMT_THREAD_AT = 22, SIMT_CLOCKS = 1 << 16,
  SIMT_ATOMIC = 1, SIMT_OF_BLOCK = 2, SIMT_VOLATILE = 4, SIMT_COMPARES = 8, SIMT_ATTRIBUTES = 63
};
static inline unsigned simt_record_thread(simt_record r) { return r.who >> SIMT_THREAD_AT; }
static inline unsigned simt_record_clock(simt_record r)
{
  return r.who >> SIMT_CLOCK_AT & (SIMT_CLOCKS - 1);
}

/* write: the last one. read: the last reader since; other: one that is as far from it as any: of another
 * block, warp or lane. earlier: if write is atomic, a write in front of it that others may conflict with,
 * and not with write: a plain one, or an atomic one that is as far from write as any. */
typedef struct simt_cell { simt_record write, read, other, earlier; uint32_t flags; } simt_cell;
enum { SIMT_DIVIDED = 1, SIMT_SYNCHRONIZES = 2 };

/* A range of addresses with cells: global memory, variables, or the shared memory of a block. */
typedef struct simt_area {
  uintptr_t base;
  size_t bytes;
  simt_cell *words, *of_bytes;
  uint8_t *defined;           /* a bit for each byte; NULL: all are */
} simt_area;

/* ---- Threads ---- */

typedef enum simt_state {
  SIMT_NEW, SIMT_READY, SIMT_AT_BARRIER, SIMT_AT_GRID, SIMT_AT_WARP, SIMT_AT_ACTIVE, SIMT_ENDED
} simt_state;

typedef struct simt_fiber simt_fiber;
typedef struct simt_count simt_count;
typedef struct simt_block simt_block;

typedef struct simt_thread {
  simt_block *block;
  simt_fiber *fiber;
  void *sp;
  uint16_t index;
  uint8_t state, polls;       /* polls: since somebody has written */
  uint32_t pc, mask;          /* where and with which lanes it waits */
  uint64_t writes;            /* iw_simt_now.writes when it polled last */
  uint64_t awaits;            /* iw_simt_now.writes + 1 when it last waited in iw_simt_await() */
  const void *value; /* of an operation of the warp: what this lane gives, and where it gets its result */
  void *result;
  uint32_t from, bytes;       /* a shuffle's source lane */
  sim_clock *acquired;       /* NULL: nothing but what the block has */
  sim_clock *fenced[2];       /* what its last fence of a block and of the device covers: published by strong writes */
  sim_clock *pending[2];     /* what strong reads have seen, and the next fence acquires */
} simt_thread;

enum { SIMT_GROUPS = 32 };
typedef struct simt_group { uint32_t mask, arrived; uint8_t kind; } simt_group;

typedef struct simt_warp {
  uint32_t alive;
  unsigned group_count;
  simt_group group[SIMT_GROUPS];
  uint16_t base;              /* accesses up to this clock are ordered before all lanes */
  uint16_t last;              /* the largest clock of a lane */
  uint16_t (
    *known)[SIMT_LANES]; /* after operations of some lanes: what each lane knows of each other; NULL: base */
  simt_count *counted;        /* accesses since the last barrier; NULL: none */
  uint8_t begun, waiting, polling; /* of trace.c: lanes */
} simt_warp;

struct simt_block {
  uint64_t index;
  unsigned count, alive, at_barrier, at_grid;
  uint32_t seg;
  unsigned interval;          /* barriers so far */
  unsigned dim[3];            /* blockIdx */
  uint64_t ready[SIMT_THREADS / 64];
  unsigned ready_count, active_count, barren;
  unsigned current;           /* the bit of the thread that ran last */
  uint32_t barrier_pc;
  int barrier_number;         /* < 0: a kind of barrier with a predicate; 0: not known */
  unsigned barrier_count;     /* of threads with a predicate that holds */
  int barrier_result[4];      /* by iw_simt_barrier_kind */
  int clocks_moved;
  sim_clock *acquired, *pending[2]; /* of its threads, in front of the last barrier */
  simt_block *next;
  simt_area shared;           /* bytes: static, then dynamic */
  char *saved;                /* the contents while another block runs; NULL: none yet */
  simt_warp warp[SIMT_THREADS / SIMT_LANES];
  uint32_t who[SIMT_THREADS];
  simt_thread thread[SIMT_THREADS];
};

/* What the hooks look at. thread is NULL while the host runs. */
typedef struct simt_now {
  simt_thread *thread;
  simt_block *block;
  uint32_t seg, who, first_seg;
  int64_t countdown;          /* hooks until the schedule looks again */
  uint64_t writes;            /* counts what polling threads may wait for */
  uint64_t hooks;             /* for the watchdog */
  simt_area global, data, shared; /* shared: of the running block */
  uintptr_t dynamic, dynamic_bytes, stacks, stacks_bytes, parameters, parameters_bytes;
  size_t static_bytes;
  unsigned checks;
  pthread_t host; /* the thread of the system that launches: shared memory is its thread-local variables */
} simt_now;
extern simt_now iw_simt_now;
/* The address of a byte of an area. */
static inline uintptr_t simt_address(const simt_area *area, size_t offset)
{
  return area == &iw_simt_now.shared && offset >= iw_simt_now.static_bytes ?
           iw_simt_now.dynamic + (offset - iw_simt_now.static_bytes) :
           area->base + offset;
}

/* ---- thread.c ---- */

void iw_simt_wait(simt_state state, uint32_t pc);
void iw_simt_make_ready(simt_thread *);
void iw_simt_clear_ready(const simt_thread *);
/* A thread that polls lets others run. */
void iw_simt_poll(uint32_t pc);
/* The countdown has passed: the schedule may choose another thread. */
void iw_simt_preempt(uint32_t pc);
/* Ends the launch, which cannot go on. Does not return. */
_Noreturn void iw_simt_stop_launch(int error);
const char *iw_simt_kernel(void);
simt_block *iw_simt_blocks(void);
enum { SIMT_DEFAULT_WATCH = 10 }; /* seconds without an access after which a loop is a finding */

/* A thread has ended or goes to wait: groups of its warp may be complete. warp.c. */
void iw_simt_warp_left(simt_block *, unsigned warp);
/* The end of a launch. In a trial it reports what memory holds, if a shuffle took a value that is not
 * specified. */
void iw_simt_warp_end_launch(void);
void iw_simt_resolve_active(simt_block *);
void iw_simt_run_next(void);

/* ---- order.c ---- */

void iw_simt_order_launch(void);
uint32_t iw_simt_new_seg(const simt_block *);
extern uint32_t *iw_simt_block_of_seg;
/* Whether a launch, or a barrier of the running block, orders an interval before the running thread. */
static inline int simt_is_before(uint32_t seg)
{
  return seg < iw_simt_now.first_seg || (seg != iw_simt_now.seg && iw_simt_block_of_seg[seg] == iw_simt_now.block->index);
}
void iw_simt_order_barrier(simt_block *);
void iw_simt_order_grid(void);
void iw_simt_order_warp(simt_block *, unsigned warp, uint32_t lanes);
void iw_simt_order_end(simt_thread *);
void iw_simt_order_end_block(simt_block *);
/* An atomic or volatile access, before it happens. writes: it may write. */
void iw_simt_order_strong(simt_cell *, uintptr_t at, int reads, int writes, int is_rmw, int scope);
void iw_simt_check_cell(simt_cell *, uintptr_t at, unsigned bytes, unsigned what, unsigned attributes,
                        uint32_t pc);
enum { SIMT_READ = 1, SIMT_WRITE = 2 };
/* A conflict whose severity depends on what a store writes is judged at the next hook. */
void iw_simt_judge_deferred(void);
/* One whose severity depends on what the reader does with the value, at the launch's end. */
void iw_simt_judge_held(void);

/* ---- place.c ---- */

typedef struct simt_region {
  uintptr_t base;
  size_t bytes;
  int is_free, is_managed;
  uint32_t pc, free_pc;       /* of the calls */
  const char *name;
} simt_region;
void iw_simt_places_open(void);
/* A block's shared memory has been made. */
void iw_simt_begin_shared(void);
extern simt_region *iw_simt_regions;
extern uint32_t *iw_simt_region_of; /* by 256 bytes of global memory */
static inline simt_region *simt_region_at(uintptr_t at)
{
  return &iw_simt_regions[iw_simt_region_of[(at - iw_simt_now.global.base) >> 8]];
}
/* By how many bytes an address is in front of the allocation that is nearest to it; 0: it is not, or far. */
size_t iw_simt_in_front(uintptr_t at);
uint64_t iw_simt_hash_of_memory(void); /* of all that is allocated, and the program's variables */
size_t iw_simt_used(void);  /* bytes up to the last allocation that there has been */
void iw_simt_set_defined(simt_area *, uintptr_t at, size_t bytes, int value);
int iw_simt_is_defined(const simt_area *, uintptr_t at, size_t bytes);
simt_area *iw_simt_area(uintptr_t at, size_t *offset);
/* "byte 4 of shared tile (1024 bytes)": valid until the next call. */
const char *iw_simt_place(uintptr_t at);
/* Address space that takes memory when it is touched; all of it is 0. Ends the program if there is none. */
void *iw_simt_reserve(size_t bytes);
/* The memory; ends the program if there is none. what: for the message. */
void *iw_simt_must(void *memory, const char *what);
/* Memory for some more than twice as many elements. */
void *iw_simt_more(void *memory, size_t *capacity, size_t element_bytes, const char *what);
/* The cells of memory. */
simt_area iw_simt_area_of(uintptr_t base, size_t bytes);
/* The object that an address is in: its name, and where it begins. */
uintptr_t iw_simt_object(uintptr_t at, char *name, size_t capacity);
/* Whether bytes of shared memory are of one array, or bytes of variables of no others than the program's. */
int iw_simt_in_object(uintptr_t at, size_t bytes);
/* threadIdx and its kin, of which a kernel may have references. */
int iw_simt_is_index(uintptr_t at, size_t bytes);
/* Whether a write would change what is not the device's: the runtime's variables. */
int iw_simt_is_harmful(uintptr_t at, size_t bytes);
/* Bytes between the program's variables and the runtime's, for what no hook sees. */
enum { SIMT_EDGE = 1 << 15 };
extern char iw_simt_edge_data[SIMT_EDGE], iw_simt_edge_bss[SIMT_EDGE];
int iw_simt_same_line(uint32_t a, uint32_t b);

/* ---- count.c: all but the first two and those of launches are called only while iw_simt_counting ---- */

/* What is wanted: of the accesses that a warp performs together, and of its time. */
enum { SIMT_COUNTS = 1, SIMT_TRACE = 2, SIMT_TIMELINE = 4 };
extern int iw_simt_counting;
void iw_simt_count_open(sim_state *);
/* Writes the report that ISOWARP_SIM_COUNT asks for, and for pages the counts themselves to the file that
 * ISOWARP_SIMT_COUNTS names. */
void iw_simt_count_close(void);
void iw_simt_count_launch(const char *kernel, size_t grid, unsigned threads, size_t shared);
void iw_simt_count_end_launch(void);
/* A warp as the simulator's own parts see it: valid until the next call. */
sim_warp *iw_simt_as_warp(const simt_block *, unsigned warp);
void iw_simt_count_access(uintptr_t at, size_t bytes, int is_write, int is_atomic, uint32_t pc);
void iw_simt_count_barrier(simt_block *);
/* The lanes of a warp have met. */
void iw_simt_count_meeting(simt_block *, unsigned warp, iw_simt_warp_kind, uint32_t pc);
void iw_simt_count_end_block(simt_block *);

/* ---- trace.c: called only while iw_simt_counting has SIMT_TRACE or, of slices, SIMT_TIMELINE ---- */

typedef struct simt_traced simt_traced;
/* Which of SIMT_TRACE and SIMT_TIMELINE are wanted. */
int iw_simt_trace_open(sim_state *);
void iw_simt_trace_close(void);
/* The clock of events goes on by the accesses since the last one. */
void iw_simt_trace_clock(sim_state *);
void iw_simt_write_text(FILE *, const char *);
/* Slices of a warp's time. It begins with its first lane and ends with its last; it is at a barrier while all
 * of its lanes are, and polls while one does. */
void iw_simt_trace_begins(const simt_thread *);
void iw_simt_trace_ends(const simt_thread *);
void iw_simt_trace_waits(const simt_thread *);
void iw_simt_trace_goes_on(const simt_thread *);
void iw_simt_trace_polls(const simt_thread *, int is_begin);
/* An access by the running thread, before it happens. *traced: what the other lanes of the instruction did;
 * NULL: nothing yet. */
void iw_simt_trace_access(simt_traced **traced, uintptr_t at, size_t bytes, int is_write, int is_atomic, uint32_t pc);
/* Another thread goes on: what this one stored is there. */
void iw_simt_trace_stored(void);
void iw_simt_trace_flush(const simt_warp *);
void iw_simt_trace_shuffle(const simt_block *, unsigned warp, uint32_t lanes);

/* ---- report.c ---- */

/* A finding, unless its kind is not checked or the pair of places is known. Its text is made only then. A
 * "%%s" in the format becomes the other place. */
#define SIMT_FOUND(kind, is_note, pc, other_pc, ...) \
  (iw_simt_is_new(kind, is_note, pc, other_pc) ? iw_simt_found(kind, is_note, pc, other_pc, __VA_ARGS__) : (void)0)
int iw_simt_is_new(sim_kind, int is_note, uint32_t pc, uint32_t other_pc);
void iw_simt_found(sim_kind, int is_note, uint32_t pc, uint32_t other_pc, const char *format, ...)
  __attribute__((format(printf, 5, 6), cold));
/* "block 1 thread 33 (warp 1 lane 1)": valid until the call after the next one; the running thread's. */
const char *iw_simt_who(uint64_t block, unsigned thread);
const char *iw_simt_me(void);
typedef struct simt_schedule { unsigned policy; uint64_t seed; } simt_schedule;
extern simt_schedule iw_simt_schedule;
/* A run that is compared with others, in which shuffles take another value from lanes that give none: 0 is
 * the lane's own value, as in runs that are no trial, and otherwise each byte is `value`. No findings of it
 * are reported. */
typedef struct simt_trial { int is_on, value; } simt_trial;
extern simt_trial iw_simt_trial;
/* What a launch of a trial has left in memory; the text is the finding if that depends on the value. */
void iw_simt_left(uint32_t pc, uint64_t memory, const char *text);

#endif
