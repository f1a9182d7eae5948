/* SPDX-License-Identifier: Apache-2.0
 *
 * What a backend is: a table of functions, and the data that describes its device. Runtime layer; src/cpu
 * and src/cuda implement it. It does not know which kernels there are: a kernel is an index into the
 * backend's table of kernels.
 */
#ifndef IW_RUNTIME_BACKEND_H
#define IW_RUNTIME_BACKEND_H

#include <isowarp.h>
#include <isowarp/descriptor.h>

/* Processes one piece of an array: `bytes` bytes at byte offset `at`, in memory that kernels can access. */
typedef iw_status (*iw_piece_fn)(void *job, const void *piece, size_t at, size_t bytes);

/* The arrays that share one allocation, one behind the other: the scratch of a call, or its staged arrays. */
enum { IW_MAX_LAYOUT = 40 };
typedef struct iw_layout {
  size_t used;   /* bytes, gaps included; SIZE_MAX after an overflow */
  size_t gap;    /* iw_device.array_gap */
  unsigned count;
  struct { const char *name; size_t at, bytes; } array[IW_MAX_LAYOUT]; /* the first `count`; later ones have no name */
} iw_layout;

typedef struct iw_backend_ops {
  const char *name;
  const char *isa; /* of the kernels; NULL: the context's CPU instruction set */
  /* Fills in context->device and context->state. options are complete and checked. */
  iw_status (*open)(iw_context *, const iw_context_options *options);
  void (*close)(iw_context *);
  iw_status (*allocate)(iw_context *, size_t bytes, void **memory);
  void (*release)(iw_context *, void *memory);
  /* Sets *owns to whether this is memory of the context's device. NULL: there is no such memory. */
  iw_status (*owns)(iw_context *, const void *memory, int *owns);
  /* Sets *accessible to whether kernels can access the caller's memory in place; if not, it is host memory
   * that has to be staged. Fails for memory of another device. name: the argument's, for the message. NULL,
   * and for_each_piece too: all memory is accessible. */
  iw_status (*locate)(iw_context *, const char *name, const void *memory, int *accessible);
  /* Copies between any two of host and device memory, in stream order. Complete on return if either is host
   * memory. */
  iw_status (*copy)(iw_context *, void *to, const void *from, size_t bytes);
  /* Copies a table from host memory, in stream order. The caller may free the table on return. */
  iw_status (*upload)(iw_context *, void *to, const void *from, size_t bytes);
  /* Sets device memory to zero, in stream order. */
  iw_status (*zero)(iw_context *, void *memory, size_t bytes);
  /* Passes host memory that kernels cannot access through two device buffers, in pieces of a multiple of
   * `unit` bytes: the next piece is copied while kernels use this one. */
  iw_status (*for_each_piece)(iw_context *, const void *host, size_t bytes, size_t unit, iw_piece_fn,
                              void *job);
  iw_status (*set_stream)(iw_context *, void *stream);
  void *(*stream)(iw_context *); /* the stream that calls use; NULL: this backend has no streams */
  /* A second stream, for what other code does beside this context's calls. fork: sets *stream to it, and it
   * waits for all calls so far; join: calls wait for all that is in it. NULL, both: there is none. */
  iw_status (*fork)(iw_context *, void **stream);
  iw_status (*join)(iw_context *);
  iw_status (*synchronize)(iw_context *);
  const iw_kernel *(*kernel)(iw_context *, unsigned id); /* NULL: this backend has no such kernel, or cannot load it */
  iw_status (*load)(iw_context *); /* loads the library's kernels if it has not; NULL: they are linked */
  /* shared: bytes of shared memory that this launch needs, at most the kernel's. */
  iw_status (*launch)(iw_context *, const iw_kernel *, size_t grid, unsigned block, size_t shared,
                      const void *args);
  /* Says which arrays the memory from `memory` on now holds. contents: they keep their contents, which are
   * else unspecified. NULL: the backend does not check accesses. */
  void (*lay_out)(iw_context *, void *memory, const iw_layout *, int contents);
  /* Allocates what launches of the library's kernels need, so that they do not; NULL: they never allocate. */
  iw_status (*reserve)(iw_context *);
} iw_backend_ops;

const iw_backend_ops *iw_backend_cpu(void);
/* NULL if CUDA is not available; *why is then the reason, a clause that can follow "because". */
const iw_backend_ops *iw_backend_cuda(const char **why);
/* The simulated GPU, which is always available. */
const iw_backend_ops *iw_backend_sim(const char **why);
/* Sets *device to the index of the CUDA device that owns this memory; -1 for host memory. Fails if CUDA
 * does. */
iw_status iw_cuda_device_of(const void *memory, int *device);

/* What the device of a context can do. Algorithms decide by this record, never by the name of a backend. */
typedef struct iw_device {
  unsigned processors;         /* what runs blocks in parallel: CPU threads, or multiprocessors */
  size_t shared_per_block;     /* bytes of shared memory that one block may have */
  size_t shared_per_processor; /* bytes of shared memory that the blocks of one processor share */
  size_t min_bytes_per_block;  /* grain size: with less input one more block saves no time */
  int prefers_global_atomics;  /* faster than reducing the blocks' copies of counters afterwards */
  int reads_host_memory;       /* host and kernels share memory: each accesses the other's in place */
  int gathers_at_once;         /* instructions that gather elements take less time than loads of each */
  int prefetches;              /* kernels that do little but read, or scatter one array, should prefetch */
  size_t first_cache_bytes;    /* of a processor's first-level data cache; 0: unknown */
  unsigned passes_per_merge;   /* a merge takes as long as so many passes of a sort, about */
  size_t memory_bytes;         /* of the device's own memory; 0: unknown */
  size_t bytes_per_tile_state; /* iw_context_reserve() reserves a word of tile states for so many bytes. A sort needs 256 words for a tile */
  size_t most_short_runs;      /* reductions by key: arrays of up to so many elements take one launch, if their tiles are few enough */
  size_t most_short_top_k; /* top-k: an array of up to so many elements takes two launches, if few are wanted; 0: none does */
  size_t array_gap;            /* bytes between two arrays of one allocation that nothing may access: a multiple of 64 */
  /* The schedule that the device's kernels were compiled with, by their tuning numbers: nothing checks that
   * it is. ARCHITECTURE.md lists the schedules. */
  int partition_rereads;       /* partition: re-read agent; else staged tiles */
  int scan_pipelines;          /* scan: pipelined agent, which makes head bits itself; else single-warp agent */
  int short_calls_wait;        /* short scans: blocks wait for all tiles before theirs; reductions: their agent of
                                * GPUs, which also finds indices; else look-back */
} iw_device;

/* The number of blocks that so many bytes of input are enough for. stores: the kernel takes longer for each
 * byte than one that only reads, so that from two grains on blocks may have a quarter of a grain, if there
 * are processors for them. A short call has no division. */
static inline size_t iw_most_blocks(const iw_device *device, size_t bytes, int stores)
{
  const size_t grain = device->min_bytes_per_block, blocks = bytes < 2 * grain ? 1 : bytes / grain;
  if (!stores || bytes < 2 * grain || blocks >= device->processors)
    return blocks;
  const size_t more = bytes / ((grain + 3) / 4);
  return more < device->processors ? more : device->processors;
}

/* An instruction set of the CPU backend. */
typedef struct iw_isa {
  const char *name;
  int (*available)(void); /* whether this machine has it */
} iw_isa;

unsigned iw_isa_count(void);
const iw_isa *iw_isa_at(unsigned index);
/* Whether this machine's instructions that gather elements take less time than loads of each. */
int iw_isa_gathers_at_once(void);
/* Whether kernels that do little but read, or scatter one array, are faster if they prefetch. */
int iw_isa_prefetches(void);

#endif
