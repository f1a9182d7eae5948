/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel as the library sees it. Made by IW_KERNEL of <isowarp/kernel.h>; nothing here is written by hand.
 */
#ifndef ISOWARP_DESCRIPTOR_H
#define ISOWARP_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>
#include <isowarp/context.h>

/* What the threads of one running block share besides the kernel's own shared memory. */
typedef struct iw_block_memory {
  uint64_t broadcast[2];       /* what one thread found, for all */
  uint64_t warp_aggregates[2][128];/* a word per warp, for the block's collectives */
} iw_block_memory;

/* One block, as seen by one of the threads that run it. Kernels read index, blocks, threads and warps; the
 * other members belong to the language. */
typedef struct iw_block {
  size_t index, blocks;      /* this block, of how many */
  unsigned threads, warps;   /* of this block */
  unsigned first_warp, warp_stride;    /* the warps that this thread runs: first, first + stride, … */
  int is_team;                  /* others run the rest at the same time: barriers are real, and shared atomics atomic */
  unsigned parity;             /* which half of the block's memory the next collective uses */
  iw_block_memory *memory;
  void (*barrier)(const struct iw_block *);  /* of the threads that share the block: their team's */
  void *team;
} iw_block;

/* In global memory, zeroed once: hands out 0, 1, 2, … to the blocks of one launch, and a new epoch to
 * each launch, so that nothing has to be cleared in between. Every block takes tickets until it gets one
 * past its work, then closes. */
typedef struct iw_tickets { uint32_t next, closed, epoch, arrived; } iw_tickets;

/* The shared memory of a kernel that needs none. */
typedef struct iw_no_shared { int unused; } iw_no_shared;

/* One launch on a CUDA device. */
typedef struct iw_cuda_launch {
  int device;
  unsigned threads;          /* of a block */
  size_t grid, shared;       /* blocks; bytes of dynamic shared memory */
  void *stream;
  const void *args;
} iw_cuda_launch;

struct iw_kernel {
  size_t size;               /* of this struct */
  const char *name, *isa;    /* isa: an instruction set of iw_isa_name(), or "cuda" */
  unsigned warp_size;        /* lanes */
  unsigned block;            /* threads that a block must have, or 0 for any */
  unsigned blocks_per_processor;    /* blocks that a GPU's multiprocessor, or a thread of a CPU, should have at a time */
  size_t shared, args;       /* bytes */
  /* On the CPU: one thread's part of a block, which is all of it, or a team's share. NULL for CUDA. */
  void (*run)(iw_block *, void *shared, const void *args);
  int (*fp_contracted)(void);   /* whether the compiler fused a multiplication and an addition in that object */
  /* On CUDA: queues the launch, by the runtime of the object that holds the kernel; returns a cudaError_t.
   * Else NULL. */
  int (*enqueue)(const iw_cuda_launch *);
  /* On the simulated GPU: runs one warp of a block. Else NULL. */
  void (*run_warp)(iw_block *, void *shared, const void *args);
};

/* Scan and reduce by one operator: made by <isowarp/make_operator.h>. */
struct iw_operator {
  size_t size;               /* of this struct */
  const char *name;
  const iw_kernel *scan, *reduce;
  iw_type in_type;           /* of the elements in memory, before a load transform */
  iw_type type;              /* of the operands, and of outputs */
  const void *identity;       /* two of them: what is absent, and what an exclusive scan without init has in front */
  /* Of reductions and scans of segments; NULL without IW_SCAN_SEGMENTS. */
  const iw_kernel *reduce_segments, *reduce_tiles, *fold_tiles, *reduce_columns, *scan_segments, *scan_long_rows;
};

/* Partition and select by one test: made by <isowarp/make_predicate.h>. */
struct iw_predicate {
  size_t size;               /* of this struct */
  const char *name;
  const iw_kernel *partition;
  iw_type type;              /* of the elements */
  int has_reread_schedule;                 /* what it counts, a CPU's own kernels can move by: it has their schedule (PARTITION_REREAD) */
};

/* Multisplit by one rule: made by <isowarp/make_bucket_rule.h>. */
struct iw_bucket_rule {
  size_t size;               /* of this struct */
  const char *name;
  const iw_kernel *bucket_id;
  iw_type type;              /* of the elements */
};

/* The iw_type of each type suffix of the kernel language. */
#define IW_TYPE_OF_u8 IW_U8
#define IW_TYPE_OF_u16 IW_U16
#define IW_TYPE_OF_i32 IW_I32
#define IW_TYPE_OF_u32 IW_U32
#define IW_TYPE_OF_i64 IW_I64
#define IW_TYPE_OF_u64 IW_U64
#define IW_TYPE_OF_f32 IW_F32
#define IW_TYPE_OF_f64 IW_F64
#define IW_TYPE_OF_i8 IW_I8
#define IW_TYPE_OF_i16 IW_I16
#define IW_TYPE_OF_f16 IW_F16
#define IW_TYPE_OF_bf16 IW_BF16

/* Kernels, operators, predicates and rules are global, by C's names. */
#ifdef __cplusplus
#define IW_EXTERN_CONST extern "C" const
#else
#define IW_EXTERN_CONST extern const
#endif

#endif
