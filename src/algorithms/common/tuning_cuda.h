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
#ifndef SCAN_SPLIT
#define SCAN_SPLIT 1       /* loops of their own for whole rows, and for exclusive scans */
#endif
#ifndef SCAN_ALONE
#define SCAN_ALONE 0       /* blocks of many warps park their tiles */
#endif
#ifndef SCAN_WAIT
#define SCAN_WAIT(size) (128 / (size)) /* tiles that a warp alone is behind with at most, for elements of so many bytes */
#endif
/* Parked tiles a block is behind with; and whether it asks for its next tile before it finishes others, and prefetches it
 * meanwhile, for which one is too few. Compute capability 7.5 has no room for two of 8-byte elements. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define SCAN_DEEP 0
#else
#define SCAN_DEEP 1
#endif
#ifndef SCAN_TRAIL
#define SCAN_TRAIL (1 + SCAN_DEEP)
#endif
#ifndef SCAN_ASK_EARLY
#define SCAN_ASK_EARLY SCAN_DEEP
#endif
#ifndef SCAN_PARK_EARLY
#define SCAN_PARK_EARLY 0  /* keep a tile in registers until its slot is free: more blocks fit */
#endif
#ifndef SCAN_AHEAD
#define SCAN_AHEAD 64      /* rows on their way at a time: all of a chunk */
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
#ifndef SCAN_RUN
#define SCAN_RUN 1         /* tiles of one ticket */
#endif
#ifndef ROWS_WARPS
#define ROWS_WARPS 32       /* of a block that counts whole rows, */
#endif
#ifndef ROWS_BLOCKS
#define ROWS_BLOCKS 1      /* and how many of them a processor has */
#endif
#ifndef PARTITION_TILE
#define PARTITION_TILE 32768 /* bytes of a tile */
#endif
#ifndef PARTITION_ELEMENTS
#define PARTITION_ELEMENTS 8192 /* and elements of it at most: where narrow ones are few, more multiprocessors are at work */
#endif
#ifndef PARTITION_WARPS
#define PARTITION_WARPS 8  /* of a block that partitions */
#endif
#ifndef PARTITION_DIRECT
#define PARTITION_DIRECT 0 /* keep a tile in registers, then packed in shared memory until its place is known */
#endif
#ifndef PARTITION_TRAIL
#define PARTITION_TRAIL 1  /* parked tiles a block is behind with */
#endif
#ifndef PARTITION_PIECE
#define PARTITION_PIECE 4096 /* bytes that are packed at a time, where it is direct */
#endif
#ifndef PARTITION_PIECE_STREAMED
#define PARTITION_PIECE_STREAMED 4096
#endif
#ifndef PARTITION_BLOCKS
#define PARTITION_BLOCKS 4 /* of a multiprocessor */
#endif
#ifndef HISTOGRAM_MERGED
#define HISTOGRAM_MERGED 1 /* blocks add their counters to those of all (src/algorithms/histogram/shared_atomics.h) */
#endif
#ifndef MERGED_ROWS
#define MERGED_ROWS(size) ((size) == 4 ? 8 : 4) /* on their way at a time, of elements of so many bytes, in that text, … */
#endif
#ifndef MERGED_ROWS_FEW
#define MERGED_ROWS_FEW 4  /* … and where counters have no 32 bits in shared memory */
#endif
#ifndef MERGED_HOT
#define MERGED_HOT 4       /* lanes that have one bin, to count it in registers */
#endif
#ifndef MERGED_DENSE
#define MERGED_DENSE 16    /* lanes that have a sample near an edge in a row, to compare all with edges */
#endif
#ifndef HISTOGRAM_ROWS
#define HISTOGRAM_ROWS 4   /* on their way at a time */
#endif
#ifndef SPLIT_PILES
#define SPLIT_PILES 0      /* blocks store tiles that stand by digits; else a warp alone grows piles of each bucket */
#endif
#ifndef SPLIT_WARPS
#define SPLIT_WARPS 16     /* of a block that moves elements */
#endif
#ifndef SPLIT_BLOCKS
#define SPLIT_BLOCKS 2     /* of a multiprocessor */
#endif
#ifndef SPLIT_COUNT_WARPS
#define SPLIT_COUNT_WARPS 8 /* the same, of one that counts */
#endif
#ifndef SPLIT_COUNT_BLOCKS     /* as many as a multiprocessor has threads for */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define SPLIT_COUNT_BLOCKS 4
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ != 1000
#define SPLIT_COUNT_BLOCKS 6
#else
#define SPLIT_COUNT_BLOCKS 8
#endif
#endif
#ifndef SPLIT_ROWS
#define SPLIT_ROWS 2       /* on their way at a time while it counts */
#endif
#ifndef SPLIT_ITEMS
#define SPLIT_ITEMS 16     /* elements of a lane in a tile */
#endif
#ifndef SPLIT_STORES
#define SPLIT_STORES 4     /* elements of a lane in a tile that are fetched, and then stored, at a time */
#endif
#ifndef SPLIT_STAGE
#define SPLIT_STAGE 32768  /* bytes of a tile that stand by digits at a time */
#endif
#ifndef ORDER_WARPS
#define ORDER_WARPS 16     /* of a block that puts samples in order by ranges of bins, … */
#endif
#ifndef ORDER_BLOCKS       /* … and how many of them a multiprocessor has */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define ORDER_BLOCKS 2
#else
#define ORDER_BLOCKS 3
#endif
#endif
#ifndef RANGES_WARPS
#define RANGES_WARPS 32    /* the same, of one that counts ranges */
#endif
#ifndef RANGES_BLOCKS
#define RANGES_BLOCKS 1
#endif
#ifndef RANGES_LOADS
#define RANGES_LOADS 8     /* on their way at a time there */
#endif
#ifndef NUMBER_AHEAD
#define NUMBER_AHEAD 8     /* loads on their way, where numbers of buckets are made */
#endif

#endif
