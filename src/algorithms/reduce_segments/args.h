/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the kernels that reduce segments and the rows of a matrix, filled in by reduce_segments.c.
 * Plain data of the same layout on every target, with pointers to memory that the kernel can reach.
 */
#ifndef ISOWARP_REDUCE_SEGMENTS_ARGS_H
#define ISOWARP_REDUCE_SEGMENTS_ARGS_H

#include <stddef.h>
#include <stdint.h>
#include <isowarp/algorithms/common/installed_args.h>
#include <isowarp/algorithms/scan/args.h>

/* A segment that is too long for one warp, as the first kernel lists it. Tiles of listed segments are
 * numbered in the order of the list, so the list ascends by first_tile. */
typedef struct iw_long_segment { uint64_t begin, length, segment, first_tile; } iw_long_segment;

/* Of what type results are; init_ptr is always of T. The narrow ones of a T that is an integer have 1 or 2
 * bytes, of an f32 f16 or bf16. */
enum { IW_RESULT_OF_T, IW_RESULT_U8_OR_F16, IW_RESULT_U16_OR_BF16 };

typedef struct iw_reduce_segments_args {
  const void *in;                 /* n elements */
  uint64_t n;
  uint64_t count;                 /* segments */
  const uint64_t *count_ptr;      /* NULL, or where the number of segments is, which is at most count */
  const void *offsets;            /* u32 or u64, count + 1, or with ends_at_n count; NULL: segments are rows */
  uint64_t length;                /* elements of a row, or of a column in reduce_columns and after it */
  uint64_t stride;                /* the number of columns if segments are columns, else 0 */
  uint64_t batch;                 /* segments that a warp takes at a time, below 2^32. If count_ptr is set: elements */
  void *results;                  /* count elements; NULL: not wanted, if indices are */
  uint64_t *indices;              /* of the first minima in their segments, count of them, or NULL (first_minimum.h) */
  /* Segments of more than one tile: listed[0] has their number, in the upper 32 bits, and that of their
   * tiles, listed[1] the runs of tiles that warps have taken. Both are 0 before the first kernel, and with
   * blocks_done after the last. list NULL: all segments are rows of more than one tile. */
  uint64_t *listed;               /* by reduce_runs: listed[2] is the number of runs in `runs`, 0 before */
  iw_long_segment *list;
  uint64_t list_capacity, tile_capacity;
  uint32_t *blocks_done;          /* reduce_tiles: the counter of iw_is_last_block, if the last block folds tiles; or NULL */
  void *aggregates;               /* of their tiles */
  iw_scalar_bits init, first_out; /* as in iw_scan_args, twiddled; first_out: the result of no elements */
  const void *init_ptr;           /* NULL, or one element in device memory that is both */
  iw_scalar_bits twiddle;
  uint32_t wide_offsets;          /* 1: offsets are u64, 0: u32 */
  uint32_t result_form;           /* IW_RESULT_… */
  uint32_t ends_at_n;             /* 1: the last segment ends at n, 0: at offsets[count] */
  uint32_t warps_per_unit;        /* reduce_columns: the warps of a block that share a unit (columns.h) */
  /* reduce_runs, and reduce_segments if runs is set: it then reduces the runs that are listed there
   * (run_heads.h). */
  uint32_t key_bytes;             /* of a key: 1, 2, 4 or 8; 0: keys are bytes, and a run begins at each that is not 0 */
  uint32_t prefetches;            /* reduce_segments and reduce_tiles: 1: on CPUs, what follows is prefetched */
  const void *keys;
  void *unique_keys;              /* or NULL */
  uint64_t *runs;
  uint64_t *tile_runs;            /* descriptions of tiles, one more than there are */
  uint64_t *run_count;            /* receives the number of runs */
  uint64_t *tile_states, *group_states; /* look-back: one word for each tile, two for each group of 32 tiles */
  struct iw_tickets *tickets;
  uint64_t *row_states;           /* reduce_runs_short: n / 128 + 1 states */
  uint32_t chunk;                 /* reduce_runs_short: the elements of a warp, at least 32; a tile has at most IW_RUN_MIN_TILE_BYTES */
} iw_reduce_segments_args;

/* The host allocates tile states and descriptions for the smallest tile of reduce_runs that a tuning may
 * choose, and a list for runs of this many elements and one more for each tile. reduce_runs_short takes at
 * most IW_RUN_GROUPS groups of tiles. */
enum { IW_RUN_MIN_TILE_BYTES = 16384, IW_RUN_MIN_LISTED = 32, IW_RUN_GROUPS = 16 };

/* Segments per batch: elements / mean, at least 1, rounded down to a multiple of 32, or below 32 of 8. A
 * macro, as the host and kernels use it; its arguments are evaluated several times. */
#define IW_SEGMENTS_BATCH(elements, mean) \
  ((elements) < 8 * (mean) ? ((elements) < (mean) ? 1 : (elements) / (mean)) \
   : (elements) / (mean) / ((elements) < 32 * (mean) ? 8 : 32) * ((elements) < 32 * (mean) ? 8 : 32))

#endif
