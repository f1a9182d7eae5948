/* SPDX-License-Identifier: Apache-2.0
 *
 * The CPU backend: memory, and how blocks run on OpenMP threads. One thread runs a whole block, which needs
 * no barriers, or a team of threads divides the warps of a block and synchronises by OpenMP barriers.
 * Backend layer; knows no algorithm.
 */
#include <config.h>
#include "runtime/arithmetic.h"
#include "runtime/context.h"
#include "runtime/fp_environment.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static void team_barrier(void)
{
#pragma omp barrier
}

/* Blocks of different threads are on different cache lines, which avoids false sharing. */
#define ROUND_TO_CACHE_LINE(bytes) (((bytes) + 63) / 64 * 64)

/* The state between launches. */
typedef struct iw_cpu_state {
  void *memory;             /* of blocks that run at a time: shared memory, memory of collectives */
  size_t bytes;
  unsigned team;            /* number of threads of the largest launch so far */
} iw_cpu_state;

static iw_status cpu_open(iw_context *context, const iw_context_options *options)
{
  context->threads = options->threads ? options->threads : (unsigned)omp_get_max_threads();
  context->device = (iw_device){
    .processors = context->threads, .shared_per_block = SIZE_MAX, .shared_per_processor = SIZE_MAX,
    .min_bytes_per_block = 128 << 10, .reads_host_memory = 1, .partition_rereads = 1, .multisplit_buffers = 1,
  };
  context->team = 1;
  context->state = calloc(1, sizeof(iw_cpu_state));
  if (!context->state)
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes of host memory", sizeof(iw_cpu_state));
  return IW_OK;
}

static void cpu_close(iw_context *context)
{
  iw_cpu_state *const state = context->state;
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

static iw_status cpu_copy(iw_context *context, void *to, const void *from, size_t bytes)
{
  (void)context;
  if (bytes)
    memmove(to, from, bytes);
  return IW_OK;
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

static const iw_kernel *cpu_kernel(iw_context *context, unsigned id)
{
  return context->isa->kernels[id];
}

static iw_status block_memory(iw_context *context, size_t bytes, char **memory)
{
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

/* A launch. Its threads share this struct. */
typedef struct launch {
  const iw_kernel *kernel;
  const void *args;
  size_t grid, next;    /* number of blocks; first block that no thread has claimed */
  unsigned threads;     /* of a block */
  int team;             /* 1: all threads share each block; 0: each thread claims blocks of its own */
  char *memory;         /* block_bytes for the team, or for each thread */
  size_t block_bytes;
} launch;

/* Runs one thread's part of a launch. */
static void run_blocks(launch *l, unsigned thread_id, unsigned team_size)
{
  const iw_kernel *const kernel = l->kernel;
  const void *const args = l->args;
  const size_t grid = l->grid;
  char *const memory = l->memory + (l->team ? 0 : l->block_bytes * thread_id);
  const unsigned warp = kernel->warp_size;
  iw_block block = {
    .blocks = grid, .threads = l->threads, .warps = l->threads <= warp ? 1 : (l->threads + warp - 1) / warp,
    .warp_stride = 1, .is_team = l->team, .memory = (iw_block_memory *)memory, .barrier = team_barrier,
  };
  void *const shared = memory + ROUND_TO_CACHE_LINE(sizeof(iw_block_memory));
  if (l->team) {
    block.first_warp = thread_id;
    block.warp_stride = team_size;
    for (; block.index < grid; block.index++) {
      block.parity = 0;
      kernel->run(&block, shared, args);
      team_barrier();
    }
  } else {
    /* Threads claim 1/16 of their share at a time, which keeps both the accesses to the counter and the
     * imbalance at the end small. */
    const size_t batch = team_size == 1 ? grid : grid / ((size_t)team_size * 16) + 1;
    for (;;) {
      const size_t first = team_size == 1 ? block.index
                                          : __atomic_fetch_add(&l->next, batch, __ATOMIC_RELAXED);
      if (first >= grid)
        break;
      for (block.index = first; block.index < grid && block.index - first < batch; block.index++) {
        block.parity = 0;
        kernel->run(&block, shared, args);
      }
    }
  }
  iw_store_fence();
}

/* run_blocks() in the default floating-point environment. Every thread calls it, because each thread has
 * its own environment. */
static IW_NOINLINE void run_blocks_default_fp_env(launch *l, unsigned thread_id, unsigned team_size)
{
  iw_fp_env caller;
  iw_fp_env_set_default(&caller);
  run_blocks(l, thread_id, team_size);
  iw_fp_env_restore(&caller);
}

static iw_status cpu_launch(iw_context *context, const iw_kernel *kernel, size_t grid, unsigned threads,
                            size_t shared, const void *args)
{
  iw_cpu_state *const state = context->state;
  const int team = context->blocks == IW_BLOCKS_TEAM;
  unsigned wanted = team || context->threads < grid ? context->threads : (unsigned)grid, actual_threads = 1;
  /* A team never shrinks, because libgomp restarts threads if its size changes, which takes 1 ms (decision
   * 052). */
  if (wanted > 1)
    state->team = wanted = wanted > state->team ? wanted : state->team;
  launch l = {
    .kernel = kernel, .args = args, .grid = grid, .threads = threads, .team = team,
    .block_bytes = ROUND_TO_CACHE_LINE(sizeof(iw_block_memory)) + ROUND_TO_CACHE_LINE(shared),
  };
  if (!kernel->run)
    return iw_fail(IW_ERROR_MISMATCH,
                   "kernel %s was built for %s: this library was built without it, or this machine cannot "
                   "run it", kernel->name, kernel->isa);
  IW_TRY(block_memory(context, l.block_bytes * (team ? 1 : wanted), &l.memory));
  if (wanted == 1 && !team)
    run_blocks_default_fp_env(&l, 0, 1); /* a parallel region of one thread would cost a microsecond */
  else {
#pragma omp parallel num_threads(wanted)
    {
      const unsigned thread_id = (unsigned)omp_get_thread_num(), team_size = (unsigned)omp_get_num_threads();
      if (thread_id == 0)
        actual_threads = team_size;
      run_blocks_default_fp_env(&l, thread_id, team_size);
    }
  }
  context->team = team ? actual_threads : 1;
  return IW_OK;
}

static const iw_backend_ops cpu = {
  .name = "cpu", .open = cpu_open, .close = cpu_close, .allocate = cpu_allocate, .release = cpu_release,
  .copy = cpu_copy, .upload = cpu_copy, .zero = cpu_zero, .set_stream = cpu_set_stream,
  .synchronize = cpu_synchronize, .kernel = cpu_kernel, .launch = cpu_launch,
};

const iw_backend_ops *iw_backend_cpu(void)
{
  return &cpu;
}
