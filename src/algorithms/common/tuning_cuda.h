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
#ifndef PARTITION_TILE_BYTES
#define PARTITION_TILE_BYTES 32768 /* bytes of a tile */
#endif
#ifndef PARTITION_TILE_ELEMENTS
#define PARTITION_TILE_ELEMENTS 8192 /* and elements of it at most: where narrow ones are few, more multiprocessors are at work */
#endif
#ifndef PARTITION_WARPS
#define PARTITION_WARPS 8  /* of a block that partitions */
#endif
#ifndef PARTITION_REREAD
#define PARTITION_REREAD 0 /* keep a tile in registers, then packed in shared memory until its place is known */
#endif
#ifndef PARTITION_PIPELINE_DEPTH
#define PARTITION_PIPELINE_DEPTH 1  /* parked tiles a block is behind with */
#endif
#ifndef PARTITION_STRIP_BYTES
#define PARTITION_STRIP_BYTES 4096 /* bytes that are packed at a time, where it is direct */
#endif
#ifndef PARTITION_NONTEMPORAL_STRIP_BYTES
#define PARTITION_NONTEMPORAL_STRIP_BYTES 4096
#endif
#ifndef PARTITION_BLOCKS
#define PARTITION_BLOCKS 4 /* of a multiprocessor */
#endif
#ifndef MULTISPLIT_WRITE_BUFFERS
#define MULTISPLIT_WRITE_BUFFERS 0      /* blocks store tiles that stand by digits; else a warp alone grows piles of each bucket */
#endif
#ifndef MULTISPLIT_WARPS
#define MULTISPLIT_WARPS 16     /* of a block that moves elements */
#endif
#ifndef MULTISPLIT_BLOCKS
#define MULTISPLIT_BLOCKS 2     /* of a multiprocessor */
#endif
#ifndef MULTISPLIT_COUNT_WARPS
#define MULTISPLIT_COUNT_WARPS 8 /* the same, of one that counts */
#endif
#ifndef MULTISPLIT_COUNT_BLOCKS     /* as many as a multiprocessor has threads for */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define MULTISPLIT_COUNT_BLOCKS 4
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ != 1000
#define MULTISPLIT_COUNT_BLOCKS 6
#else
#define MULTISPLIT_COUNT_BLOCKS 8
#endif
#endif
#ifndef MULTISPLIT_COUNT_ROWS
#define MULTISPLIT_COUNT_ROWS 2       /* on their way at a time while it counts */
#endif
#ifndef MULTISPLIT_ITEMS_PER_LANE
#define MULTISPLIT_ITEMS_PER_LANE 16     /* elements of a lane in a tile */
#endif
#ifndef MULTISPLIT_STORE_BATCH
#define MULTISPLIT_STORE_BATCH 4     /* elements of a lane in a tile that are fetched, and then stored, at a time */
#endif
#ifndef MULTISPLIT_STAGE_BYTES
#define MULTISPLIT_STAGE_BYTES 32768  /* bytes of a tile that stand by digits at a time */
#endif
#ifndef BUCKET_ID_LOADS
#define BUCKET_ID_LOADS 8     /* loads on their way, where numbers of buckets are made */
#endif

#endif
