/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the kernels of partition, select, unique and run lengths, filled in by partition.c. Plain
 * data of the same layout on every target, with pointers to memory that the kernel can reach. Installed:
 * kernels made of a user's predicate take iw_partition_args too. This header must not know the kernel
 * language or the host's runtime.
 */
#ifndef ISOWARP_PARTITION_ARGS_H
#define ISOWARP_PARTITION_ARGS_H

#include <stddef.h>
#include <stdint.h>
#include <isowarp/algorithms/common/installed_args.h>

/* The host allocates tile states for the smallest tile that a tuning may choose, and flag bits for whole
 * tiles of the largest. */
enum {
  IW_PARTITION_MIN_TILE_BYTES = 32768,      /* for elements of 4 bytes or more; narrower ones count as 4 bytes */
  IW_PARTITION_MAX_TILE_ELEMENTS = 65536,
  /* agent_waiting.h: elements of a tile, and the most tiles, groups of 32 */
  IW_PARTITION_SHORT_TILE = 4096, IW_PARTITION_WAITED_TILES = 256, IW_PARTITION_WAITED_GROUPS = IW_PARTITION_WAITED_TILES / 32
};

/* One launch moves one array. The selected elements go to `front`, the rejected ones to `rest`, to the
 * place behind the selected ones, or nowhere. Payloads follow by launches of their own, whose flags are the
 * bits that the first launch stored. */
typedef struct iw_partition_args {
  const void *in;           /* n elements; not read if index_input */
  const uint8_t *flags;     /* n bytes that select where not 0: kernels compiled for byte flags */
  size_t n;
  void *front, *rest;       /* rest NULL: rejected elements go behind the selected ones if block_counts is set, else nowhere */
  uint64_t *tile_states, *group_states;     /* look-back: one word for each tile, two for each group of 32 tiles */
  struct iw_tickets *tickets;
  uint64_t *count;          /* receives the number of selected elements, from the last tile; or NULL */
  uint64_t *block_counts;   /* selected elements by block, of the counting launch; or NULL */
  uint64_t counted_blocks;  /* words of block_counts; 0: no launch has counted, and the only block counts by itself */
  uint32_t *flag_bits;      /* bit i: element i is selected. Read by kernels compiled for bit flags, else written; or NULL.
                               The words cover whole tiles */
  iw_scalar_bits lo, hi;    /* range tests select what is in this range, both ends included. No float is in one with lo > hi */
  uint32_t inverted;        /* 1: elements that fail the test are the selected ones */
  uint32_t count_only;      /* 1: moves nothing, writes block_counts (and flag_bits) */
  uint32_t nontemporal;     /* 1: outputs are larger than the caches, use streaming stores */
  uint32_t index_input;     /* 1: the elements are their own indices 0, 1, 2, … (bit flags only) */
} iw_partition_args;

/* Values of runs and their lengths or begins, in one launch (GPUs). front NULL: no values. */
typedef struct iw_partition_runs_args {
  iw_partition_args move;   /* what moves the first element of each run */
  uint64_t *last_states;    /* look-back: two words for each group of tiles */
  void *lengths;            /* u32 or u64 */
  uint32_t lengths_width;   /* 4 or 8 */
  uint32_t begins;          /* 1: receives the indices of run heads in place of lengths */
  uint64_t *zeroed;         /* two words that are set to 0 for the next launch, or NULL */
} iw_partition_runs_args;

/* Run lengths from run begins, in place: runs[i] becomes runs[i + 1] - runs[i], and the last one n -
 * runs[count - 1]. A warp takes chunks. The begin of the run behind a chunk may be overwritten by another
 * warp, so a first launch saves it. */
enum { IW_RUN_LENGTHS_CHUNK = 1024, IW_RUN_LENGTHS_WARPS = 8 };
typedef struct iw_run_lengths_args {
  void *runs;               /* *count of them, u32 or u64 */
  const uint64_t *count;
  uint64_t n;               /* elements in all runs */
  uint64_t *next;           /* for each chunk the begin of the run behind it */
  uint32_t save_next;       /* 1: the first launch, which writes next; 0: the second, which writes lengths */
} iw_run_lengths_args;

#endif
