/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that make the texts fast on GPUs. None of them can change a bit of any result.
 */
#ifndef IW_TUNING_H
#define IW_TUNING_H

#ifndef SCAN_WARPS
#define SCAN_WARPS(size) (size) /* of a block, for elements of so many bytes */
#endif
#ifndef SCAN_TILES
#define SCAN_TILES(size) 1 /* of a block, at a time; no chunk of a warp is in two */
#endif
#ifndef SCAN_FULL_ROW_LOOPS
#define SCAN_FULL_ROW_LOOPS 1       /* loops of their own for whole rows, and for exclusive scans */
#endif
#ifndef SCAN_SINGLE_WARP
#define SCAN_SINGLE_WARP 0       /* blocks of many warps park their tiles */
#endif
#ifndef SCAN_QUEUE_TILES
#define SCAN_QUEUE_TILES(size) (128 / (size)) /* tiles that a warp alone is behind with at most, for elements of so many bytes */
#endif
/* Parked tiles a block is behind with; and whether it asks for its next tile before it finishes others, and prefetches it
 * meanwhile, for which one is too few. Compute capability 7.5 has no room for two of 8-byte elements. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define SCAN_DEEP_PIPELINE 0
#else
#define SCAN_DEEP_PIPELINE 1
#endif
#ifndef SCAN_PIPELINE_DEPTH
#define SCAN_PIPELINE_DEPTH (1 + SCAN_DEEP_PIPELINE)
#endif
#ifndef SCAN_EARLY_TICKET
#define SCAN_EARLY_TICKET SCAN_DEEP_PIPELINE
#endif
#ifndef SCAN_STAGE_AT_LOAD
#define SCAN_STAGE_AT_LOAD 0  /* keep a tile in registers until its slot is free: more blocks fit */
#endif
#ifndef SCAN_ROWS_IN_FLIGHT
#define SCAN_ROWS_IN_FLIGHT 64      /* rows on their way at a time: all of a chunk */
#endif
#ifndef SCAN_BLOCKS
#define SCAN_BLOCKS(size) ((size) == 4 ? 5 : 2) /* of a multiprocessor: with more, registers are short */
#endif
#ifndef SEGMENTED_WARPS
#define SEGMENTED_WARPS(size) 8
#endif
#ifndef SEGMENTED_TILES
#define SEGMENTED_TILES(size) 1
#endif
#ifndef SEGMENTED_BLOCKS
#define SEGMENTED_BLOCKS(size) ((size) == 4 ? 5 : 3) /* with fewer nvcc 13.0 fails */
#endif
#ifndef REDUCE_BLOCKS
#define REDUCE_BLOCKS(size) 3
#endif
#ifndef REDUCE_WARPS
#define REDUCE_WARPS(size) 8
#endif
#ifndef REDUCE_TILES
#define REDUCE_TILES(size) (8 / (size))
#endif
#ifndef SCAN_TILES_PER_TICKET
#define SCAN_TILES_PER_TICKET 1         /* tiles of one ticket */
#endif
#ifndef HISTOGRAM_WARPS
#define HISTOGRAM_WARPS 32       /* of a block that counts whole rows, */
#endif
#ifndef HISTOGRAM_BLOCKS
#define HISTOGRAM_BLOCKS 1      /* and how many of them a processor has */
#endif
#ifndef HISTOGRAM_SHARED_ATOMICS
#define HISTOGRAM_SHARED_ATOMICS 1 /* blocks add their counters to those of all (src/algorithms/histogram/shared_atomics.h) */
#endif
#ifndef SHARED_ATOMICS_ROWS
#define SHARED_ATOMICS_ROWS(size) ((size) == 4 ? 8 : 4) /* on their way at a time, of elements of so many bytes, in that text, … */
#endif
#ifndef SHARED_ATOMICS_ROWS_COMPACT
#define SHARED_ATOMICS_ROWS_COMPACT 4  /* … and where counters have no 32 bits in shared memory */
#endif
#ifndef SHARED_ATOMICS_HEAVY_LANES
#define SHARED_ATOMICS_HEAVY_LANES 4       /* lanes that have one bin, to count it in registers */
#endif
#ifndef SHARED_ATOMICS_AMBIGUOUS_LANES
#define SHARED_ATOMICS_AMBIGUOUS_LANES 16    /* lanes that have a sample near an edge in a row, to compare all with edges */
#endif
#ifndef HISTOGRAM_ROWS
#define HISTOGRAM_ROWS 4   /* on their way at a time */
#endif
#ifndef BIN_PARTITION_WARPS
#define BIN_PARTITION_WARPS 16     /* of a block that puts samples in order by ranges of bins, … */
#endif
#ifndef BIN_PARTITION_BLOCKS       /* … and how many of them a multiprocessor has */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define BIN_PARTITION_BLOCKS 2
#else
#define BIN_PARTITION_BLOCKS 3
#endif
#endif
#ifndef BIN_COUNT_WARPS
#define BIN_COUNT_WARPS 32    /* the same, of one that counts ranges */
#endif
#ifndef BIN_COUNT_BLOCKS
#define BIN_COUNT_BLOCKS 1
#endif
#ifndef BIN_COUNT_LOADS
#define BIN_COUNT_LOADS 8     /* on their way at a time there */
#endif

#endif
