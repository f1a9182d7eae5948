/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that make the texts fast on GPUs. None of them can change a bit of any result.
 */
#ifndef IW_TUNING_H
#define IW_TUNING_H

#ifndef HISTOGRAM_WARPS
#define HISTOGRAM_WARPS 32       /* of a block that counts whole rows, */
#endif
#ifndef HISTOGRAM_BLOCKS
#define HISTOGRAM_BLOCKS 1      /* and how many of them a processor has */
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
#ifndef BUCKET_ID_LOADS
#define BUCKET_ID_LOADS 8     /* loads on their way, where numbers of buckets are made */
#endif

#endif
