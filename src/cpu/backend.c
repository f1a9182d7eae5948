/* SPDX-License-Identifier: Apache-2.0
 *
 * The CPU backend: memory, and how blocks run on threads. One thread runs a whole block, which needs no
 * barriers, or a team of threads divides the warps of a block and synchronises by barriers. The threads are
 * the context's own (cpu/team.h) or OpenMP's. Backend layer; knows no algorithm.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include <config.h>
#include "runtime/processors.h"
#include "cpu/stack.h"
#include "cpu/team.h"
#include "runtime/arithmetic.h"
#include "runtime/clock.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/fp_environment.h"
#include "runtime/kernel_sets.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void own_barrier(const iw_block *block)
{
  iw_team_barrier(block->team, block->first_warp);
}

static void no_barrier(const iw_block *block)
{
  (void)block;
}

static void openmp_barrier(const iw_block *block)
{
  (void)block;
#ifdef _OPENMP
#pragma omp barrier
#endif
}

static const iw_backend_ops cpu;

/* Blocks of different threads are on different cache lines, which avoids false sharing. */
#define ROUND_TO_CACHE_LINE(bytes) (((bytes) + 63) / 64 * 64)

/* What the launches of a kernel, or copies, have taken one thread for each byte of their call's arrays: a
 * mean of the last times. */
typedef struct pace { const void *of; double ns_per_byte; } pace;
enum { PACES = 32 }; /* by a hash of `of`: the last of those that share a place has it */

/* The state between launches. */
typedef struct iw_cpu_state {
  void *memory;             /* of blocks that run at a time: shared memory, memory of collectives */
  size_t bytes;
  iw_team *team;
  unsigned openmp_team;     /* number of OpenMP threads of the largest launch so far */
  int openmp_stacks_small;  /* 1: OpenMP's threads have too little stack for kernels */
  pace paces[PACES];
  uint64_t last_ns;         /* when the last work that threads share ended */
  double missed_ns;         /* what threads that were not woken could have gained in calls one after the other */
} iw_cpu_state;

/* As the C library says; it may not know. */
static size_t first_cache_bytes(void)
{
#ifdef _SC_LEVEL1_DCACHE_SIZE
  const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  return bytes > 0 ? (size_t)bytes : 0;
#else
  return 0;
#endif
}

static iw_status cpu_open(iw_context *context, const iw_context_options *options)
{
  if (options->openmp && !IW_HAS_OPENMP)
    return iw_fail(IW_ERROR_UNAVAILABLE, "OpenMP's threads are asked for, but this library was built without OpenMP");
  const unsigned suggested = iw_default_threads(); /* always, so that OpenMP's runtime starts here, not in a launch */
  context->threads = options->threads ? options->threads : suggested;
  context->device = (iw_device){
    .processors = context->threads, .shared_per_block = SIZE_MAX, .shared_per_processor = SIZE_MAX,
    .min_bytes_per_block = 128 << 10, .reads_host_memory = 1, .bytes_per_tile_state = IW_BYTES_PER_TILE_STATE,
    .partition_rereads = 1, .passes_per_merge = 3,
    .gathers_at_once = iw_isa_gathers_at_once(), .prefetches = iw_isa_prefetches(),
    .first_cache_bytes = first_cache_bytes(),
  };
  context->team = 1;
  iw_cpu_state *const state = context->state = calloc(1, sizeof *state);
  if (state)
    state->team = iw_team_new();
  if (!state || !state->team) {
    free(state);
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate host memory for the threads of a context");
  }
  return IW_OK;
}

static void cpu_close(iw_context *context)
{
  iw_cpu_state *const state = context->state;
  iw_team_free(state->team);
  free(state->memory);
  free(state);
}

static iw_status cpu_allocate(iw_context *context, size_t bytes, void **memory)
{
  (void)context;
  *memory = NULL;
  if (bytes > SIZE_MAX / 2 || posix_memalign(memory, 64, bytes) != 0)
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes of host memory", bytes);
  return IW_OK;
}

static void cpu_release(iw_context *context, void *memory)
{
  (void)context;
  free(memory);
}

static iw_status cpu_zero(iw_context *context, void *memory, size_t bytes)
{
  (void)context;
  memset(memory, 0, bytes);
  return IW_OK;
}

static iw_status cpu_set_stream(iw_context *context, void *stream)
{
  (void)context;
  return stream ? iw_fail(IW_ERROR_INVALID, "the CPU backend has no streams: stream %p is not NULL", stream)
                : IW_OK;
}

static iw_status cpu_synchronize(iw_context *context)
{
  (void)context;
  return IW_OK;
}

/* Not when the context is opened, since users' kernels need none of the library's. */
static iw_status cpu_load(iw_context *context)
{
  return context->kernels ? IW_OK : iw_find_kernel_set(context->isa->name, &context->kernels);
}

static IW_NOINLINE const iw_kernel *load_kernel(iw_context *context, unsigned id)
{
  return cpu_load(context) == IW_OK ? context->kernels[id] : NULL;
}

static const iw_kernel *cpu_kernel(iw_context *context, unsigned id)
{
  return context->kernels ? context->kernels[id] : load_kernel(context, id);
}

/* Memory for blocks of block_bytes each, and behind that a counter for each of `threads` threads. */
static iw_status block_memory(iw_context *context, size_t block_bytes, unsigned blocks, unsigned threads, char **memory)
{
  const size_t bytes = block_bytes * blocks + ROUND_TO_CACHE_LINE(threads * sizeof(unsigned));
  iw_cpu_state *const state = context->state;
  if (bytes > state->bytes) {
    void *larger;
    IW_TRY(cpu_allocate(context, bytes, &larger));
    free(state->memory);
    state->memory = larger;
    state->bytes = bytes;
  }
  *memory = state->memory;
  return IW_OK;
}

/* ---- Waking threads ----------------------------------------------------------------------------------
 * Threads that sleep are woken if that takes less time than they gain: doc/design/cpu.md#waking. */

/* Work in pieces that threads share. Each thread has a part of the pieces, the same part in each call: what
 * it reads may be in that processor's cache. */
typedef struct shared_work {
  const void *of;       /* a kernel, or what else has a pace */
  size_t bytes;         /* 0: unknown */
  uint64_t own_ns;      /* what the caller's part took, */
  double own_share;     /* and how much of the work it was */
  size_t pieces;
  unsigned *claimed;    /* for each thread, the batches of its part that have begun; 0 at first */
} shared_work;

static unsigned *nothing_claimed(void *memory, unsigned threads)
{
  return memset(memory, 0, threads * sizeof(unsigned));
}

/* What a thread has claimed: pieces first … end - 1. Begins as { 0 }. */
typedef struct claim {
  size_t first, end;
  unsigned turn;        /* 0: of the thread's own part; k: of part k - 1 */
} claim;

/* Claims the next batch: of the thread's own part, then of what other threads have left, the lowest part
 * first. A batch is 1/16 of a part, which keeps both the accesses to the counters and the imbalance at the
 * end small. Returns 0 if there is none.
 *
 * A piece may wait for lower ones. Thread 0 is in every run, and takes all parts in ascending order: all
 * pieces below the one that it runs are claimed, and who claims pieces runs them in ascending order. So
 * thread 0 waits for nothing that nobody runs, and claims in the end what late threads have left. */
static int claim_batch(const shared_work *w, unsigned thread_id, unsigned team_size, claim *c)
{
  const size_t batch = team_size == 1 ? w->pieces : w->pieces / ((size_t)team_size * 16) + 1;
  for (; c->turn <= team_size; c->turn++) {
    const unsigned part = c->turn ? c->turn - 1 : thread_id;
    const size_t begin = w->pieces * part / team_size, end = w->pieces * (part + 1) / team_size;
    if (begin + __atomic_load_n(&w->claimed[part], __ATOMIC_RELAXED) * batch >= end)
      continue;
    c->first = begin + __atomic_fetch_add(&w->claimed[part], 1, __ATOMIC_RELAXED) * batch;
    c->end = iw_min(c->first + batch, end);
    if (c->first < end)
      return 1;
  }
  return 0;
}

static pace *pace_of(iw_cpu_state *state, const void *of)
{
  return &state->paces[((uintptr_t)of / 32 ^ (uintptr_t)of / 1024) % PACES];
}

/* Who should have part in work, which begins now. */
static iw_team_who who_works(iw_cpu_state *state, unsigned wanted, const shared_work *w)
{
  enum { LULL_NS = 50000 }; /* calls further apart are not one after the other: threads fall asleep between them */
  const pace *const p = pace_of(state, w->of);
  const uint64_t wake_ns = iw_team_wake_ns(state->team);
  if (!w->bytes || p->of != w->of || !wake_ns || !iw_team_sleeps(state->team, wanted))
    return IW_TEAM_SOME;
  if (iw_now_ns() - state->last_ns > LULL_NS)
    state->missed_ns = 0;
  /* A second thread gains half of the work, less what it comes later than the caller, about a wake. */
  state->missed_ns += p->ns_per_byte * (double)w->bytes / 4;
  if (state->missed_ns < (double)wake_ns)
    return IW_TEAM_AWAKE;
  state->missed_ns = 0;
  return IW_TEAM_SOME;
}

static void note_pace(iw_cpu_state *state, const shared_work *w)
{
  pace *const p = pace_of(state, w->of);
  state->last_ns = iw_now_ns();
  if (!w->bytes || w->own_share <= 0)
    return;
  const double now = (double)w->own_ns / (w->own_share * (double)w->bytes);
  p->ns_per_byte = p->of == w->of ? (3 * p->ns_per_byte + now) / 4 : now;
  p->of = w->of;
}

/* ---- Launches ---------------------------------------------------------------------------------------- */

/* A launch. Its threads share this struct. */
typedef struct launch {
  const iw_kernel *kernel;
  const void *args;
  size_t grid;          /* number of blocks */
  unsigned threads;     /* of a block */
  int is_team;          /* 1: all threads share each block; 0: each thread claims blocks of its own */
  void (*barrier)(const iw_block *);
  iw_team *team;
  char *memory;         /* block_bytes for the team, or for each thread */
  size_t block_bytes;
  shared_work *work;    /* NULL: one thread has all of it */
} launch;

/* Runs blocks first … end - 1, each by the calling thread alone. */
static inline void run_alone(const launch *l, iw_block *block, void *shared, size_t first, size_t end)
{
  for (block->index = first; block->index < end; block->index++) {
    block->parity = 0;
    l->kernel->run(block, shared, l->args);
  }
}

/* Claims blocks and runs them. */
static IW_NOINLINE void run_claimed(launch *l, iw_block *block, void *shared, unsigned thread_id, unsigned team_size)
{
  const uint64_t begin = thread_id == 0 && l->work->bytes ? iw_now_ns() : 0;
  size_t done = 0;
  for (claim c = { 0 }; claim_batch(l->work, thread_id, team_size, &c); done += c.end - c.first)
    run_alone(l, block, shared, c.first, c.end);
  if (begin) {
    l->work->own_ns = iw_now_ns() - begin;
    l->work->own_share = (double)done / (double)l->grid;
  }
}

/* Runs one thread's part of a launch. */
static void run_blocks(launch *l, unsigned thread_id, unsigned team_size)
{
  const iw_kernel *const kernel = l->kernel;
  char *const memory = l->memory + (l->is_team ? 0 : l->block_bytes * thread_id);
  const unsigned warp = kernel->warp_size;
  iw_block block = {
    .blocks = l->grid, .threads = l->threads, .warps = l->threads <= warp ? 1 : (l->threads + warp - 1) / warp,
    .warp_stride = 1, .is_team = l->is_team, .memory = (iw_block_memory *)memory, .barrier = l->barrier,
    .team = l->team,
  };
  void *const shared = memory + ROUND_TO_CACHE_LINE(sizeof(iw_block_memory));
  if (l->is_team) {
    block.first_warp = thread_id;
    block.warp_stride = team_size;
    for (; block.index < l->grid; block.index++) {
      block.parity = 0;
      kernel->run(&block, shared, l->args);
      l->barrier(&block);
    }
  } else if (l->work)
    run_claimed(l, &block, shared, thread_id, team_size);
  else
    run_alone(l, &block, shared, 0, l->grid);
  iw_store_fence();
}

/* run_blocks() in the default floating-point environment. Every thread calls it, because each thread has
 * its own environment. */
static IW_NOINLINE void run_blocks_default_fp_env(void *l, unsigned thread_id, unsigned team_size)
{
  iw_fp_env caller;
  iw_fp_env_set_default(&caller);
  run_blocks(l, thread_id, team_size);
  iw_fp_env_restore(&caller);
}

/* The threads that a launch should have. A call from within a parallel region of OpenMP has one, unless the
 * caller has set a number: the region's other threads are busy. */
static unsigned wanted_threads(const iw_context *context, size_t grid, int is_team)
{
  if (!context->options.threads && iw_in_parallel_region())
    return 1;
  return is_team || context->threads < grid ? context->threads : (unsigned)grid;
}

/* A copy, whose pieces threads claim. */
typedef struct copying { shared_work work; char *to; const char *from; size_t bytes, piece; } copying;

static void copy_pieces(void *job, unsigned thread_id, unsigned team_size)
{
  copying *const c = job;
  const uint64_t begin = thread_id == 0 ? iw_now_ns() : 0;
  size_t done = 0;
  for (claim own = { 0 }; claim_batch(&c->work, thread_id, team_size, &own);) {
    const size_t at = own.first * c->piece, bytes = iw_min(own.end * c->piece, c->bytes) - at;
    memcpy(c->to + at, c->from + at, bytes);
    done += bytes;
  }
  if (begin) {
    c->work.own_ns = iw_now_ns() - begin;
    c->work.own_share = (double)done / (double)c->bytes;
  }
}

/* Large copies are divided among the context's own threads: one thread has a part of a machine's bandwidth
 * only. */
static iw_status cpu_copy(iw_context *context, void *to, const void *from, size_t bytes)
{
  enum { LEAST_PIECE = 1 << 15, PIECES_OF_THREAD = 2 };
  iw_cpu_state *const state = context->state;
  const uintptr_t apart = (uintptr_t)to > (uintptr_t)from ? (uintptr_t)to - (uintptr_t)from : (uintptr_t)from - (uintptr_t)to;
  const int is_divided = bytes >= 2 * context->device.min_bytes_per_block && apart >= bytes && !context->options.openmp;
  const unsigned threads = is_divided ? wanted_threads(context, iw_most_blocks(&context->device, bytes, 1), 0) : 1;
  char *memory;
  if (threads == 1 || block_memory(context, 0, 0, threads, &memory) != IW_OK) {
    if (bytes)
      memmove(to, from, bytes);
    return IW_OK;
  }
  const size_t piece = iw_max(iw_ceil_div(bytes, (size_t)threads * PIECES_OF_THREAD * 64) * 64, LEAST_PIECE);
  copying c = {
    { .of = &cpu, .bytes = bytes, .pieces = iw_ceil_div(bytes, piece), .claimed = nothing_claimed(memory, threads) },
    to, from, bytes, piece,
  };
  (void)iw_team_run(state->team, threads, who_works(state, threads, &c.work), copy_pieces, &c);
  note_pace(state, &c.work);
  return IW_OK;
}

#ifdef _OPENMP
/* Whether all threads of a team of OpenMP's have stack enough: OMP_STACKSIZE decides it. */
static int openmp_stacks_suffice(unsigned threads)
{
  int small = 0;
#pragma omp parallel num_threads(threads) reduction(| : small)
  small |= !iw_has_kernel_stack();
  return !small;
}

/* Returns the number of threads that there were; 0, if kernels cannot run on them. */
static unsigned run_on_openmp(iw_cpu_state *state, unsigned wanted, launch *l)
{
  unsigned size = 1;
  if (wanted > state->openmp_team && !state->openmp_stacks_small)
    state->openmp_stacks_small = !openmp_stacks_suffice(wanted);
  if (state->openmp_stacks_small)
    return 0;
  /* A team never shrinks, because libgomp restarts threads if its size changes, which takes 1 ms
   * (doc/design/cpu.md#threads). */
  state->openmp_team = wanted = wanted > state->openmp_team ? wanted : state->openmp_team;
#pragma omp parallel num_threads(wanted)
  {
    const unsigned thread_id = (unsigned)omp_get_thread_num(), team_size = (unsigned)omp_get_num_threads();
    if (thread_id == 0)
      size = team_size;
    run_blocks_default_fp_env(l, thread_id, team_size);
  }
  return size;
}
#else
static unsigned run_on_openmp(iw_cpu_state *state, unsigned wanted, launch *l)
{
  (void)state, (void)wanted, (void)l;
  return 0;
}
#endif

static IW_NOINLINE iw_status fail_stack(const iw_kernel *kernel)
{
  const size_t left = iw_stack_left();
  return left ? iw_fail(IW_ERROR_LAUNCH, "kernel %s needs %d bytes of stack; the calling thread has %zu left, and no other "
                        "thread can be created", kernel->name, IW_KERNEL_STACK_BYTES, left)
              : iw_fail(IW_ERROR_LAUNCH, "kernel %s needs %d bytes of stack; the call is not on its thread's own stack, as far "
                        "as that is known, and no other thread can be created", kernel->name, IW_KERNEL_STACK_BYTES);
}

/* Runs a launch on several threads, or on another one than the caller's. most: as many as there may be, for
 * which block_memory() was called. */
static IW_NOINLINE iw_status launch_on_threads(iw_context *context, const launch *of_one, unsigned wanted, unsigned most, int openmp,
                                               int without_caller)
{
  iw_cpu_state *const state = context->state;
  shared_work work = {
    .of = of_one->kernel, .bytes = openmp || without_caller || of_one->is_team ? 0 : context->call_bytes,
    .pieces = of_one->grid, .claimed = nothing_claimed(of_one->memory + of_one->block_bytes * (of_one->is_team ? 1 : most), most),
  };
  launch l = *of_one;
  unsigned actual = 0;
  l.work = &work;
  if (openmp) {
    l.barrier = wanted > 1 ? openmp_barrier : no_barrier;
    actual = run_on_openmp(state, wanted, &l);
  }
  if (!actual) {
    l.barrier = wanted == 1 ? no_barrier : own_barrier;
    actual = iw_team_run(state->team, wanted, without_caller ? IW_TEAM_WITHOUT_CALLER : l.is_team ? IW_TEAM_EVERYONE
                         : who_works(state, wanted, &work), run_blocks_default_fp_env, &l);
    note_pace(state, &work);
  }
  if (!actual)
    return fail_stack(l.kernel);
  context->team = l.is_team ? actual : 1;
  return IW_OK;
}

/* A caller with too little stack left only waits for the context's own threads. */
static iw_status cpu_launch(iw_context *context, const iw_kernel *kernel, size_t grid, unsigned threads,
                            size_t shared, const void *args)
{
  iw_cpu_state *const state = context->state;
  const int is_team = context->blocks == IW_BLOCKS_TEAM, without_caller = __builtin_expect(!iw_has_kernel_stack(), 0);
  const int openmp = context->options.openmp && !without_caller;
  const unsigned wanted = wanted_threads(context, grid, is_team);
  const unsigned most = openmp && wanted < state->openmp_team ? state->openmp_team : wanted;
  launch l = {
    .kernel = kernel, .args = args, .grid = grid, .threads = threads, .is_team = is_team, .barrier = no_barrier,
    .team = state->team, .block_bytes = ROUND_TO_CACHE_LINE(sizeof(iw_block_memory)) + ROUND_TO_CACHE_LINE(shared),
  };
  if (kernel->run_warp)
    return iw_fail(IW_ERROR_MISMATCH,
                   "kernel %s was built for the simulated GPU, but the context runs on the CPU: compile it without -DIW_SIM too",
                   kernel->name);
  if (!kernel->run)
    return iw_fail(IW_ERROR_MISMATCH,
                   "kernel %s was built for %s: this library was built without it, or this machine cannot "
                   "run it", kernel->name, kernel->isa);
  if (grid == 0)
    return IW_OK;
  IW_TRY(block_memory(context, l.block_bytes, is_team ? 1 : most, most, &l.memory));
  if (wanted > 1 || without_caller)
    return launch_on_threads(context, &l, wanted, most, openmp, without_caller);
  run_blocks_default_fp_env(&l, 0, 1);
  context->team = 1;
  return IW_OK;
}

/* Memory of blocks, and threads, for any of the library's kernels. A thread that cannot be created is
 * missing: launches have fewer then. */
static iw_status cpu_reserve(iw_context *context)
{
  iw_cpu_state *const state = context->state;
  size_t shared = 0;
  char *memory;
  IW_TRY(cpu_load(context));
  for (const iw_kernel *const *kernel = context->kernels; !*kernel || (*kernel)->size; kernel++)
    if (*kernel && (*kernel)->shared > shared)
      shared = (*kernel)->shared;
  const size_t bytes = ROUND_TO_CACHE_LINE(sizeof(iw_block_memory)) + ROUND_TO_CACHE_LINE(shared);
  IW_TRY(block_memory(context, bytes, context->blocks == IW_BLOCKS_TEAM ? 1 : context->threads, context->threads, &memory));
  if (!context->options.openmp)
    /* At least one, for callers with little stack. */
    (void)iw_team_create(state->team, iw_has_kernel_stack() && context->threads > 1 ? context->threads - 1 : context->threads);
  return IW_OK;
}

static const iw_backend_ops cpu = {
  .name = "cpu", .open = cpu_open, .close = cpu_close, .allocate = cpu_allocate, .release = cpu_release,
  .copy = cpu_copy, .upload = cpu_copy, .zero = cpu_zero, .set_stream = cpu_set_stream,
  .synchronize = cpu_synchronize, .kernel = cpu_kernel, .load = cpu_load, .launch = cpu_launch,
  .reserve = cpu_reserve,
};

const iw_backend_ops *iw_backend_cpu(void)
{
  return &cpu;
}
