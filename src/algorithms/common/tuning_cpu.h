/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that make the texts fast on CPUs. None of them can change a bit of any result.
 */
#ifndef IW_TUNING_H
#define IW_TUNING_H

#ifndef SCAN_PIPELINE_DEPTH         /* from here on for blocks that park: */
#define SCAN_PIPELINE_DEPTH 1       /* parked tiles a block is behind with */
#endif
#ifndef HISTOGRAM_WARPS
#define HISTOGRAM_WARPS 1       /* of a block that counts whole rows: what counts them is a thread's, */
#endif
#ifndef HISTOGRAM_BLOCKS
#define HISTOGRAM_BLOCKS 1      /* and how many of them a processor has */
#endif
#ifndef PARTITION_TILE_BYTES
#define PARTITION_TILE_BYTES 65536 /* bytes of a tile */
#endif
#ifndef PARTITION_TILE_ELEMENTS
#define PARTITION_TILE_ELEMENTS 65536 /* and elements of it at most */
#endif
#ifndef PARTITION_WARPS
#define PARTITION_WARPS 1  /* of a block that partitions */
#endif
#ifndef PARTITION_REREAD
#define PARTITION_REREAD 1 /* the schedule of a warp alone, which parks nothing: it reads a tile again, from a cache */
#endif
#ifndef PARTITION_QUEUE_TILES
#define PARTITION_QUEUE_TILES 4   /* tiles that a warp alone is behind with at most: they are in its cache */
#endif
#ifndef PARTITION_PREFETCH_BYTES
#define PARTITION_PREFETCH_BYTES 4096 /* bytes that it reads ahead */
#endif
#ifndef PARTITION_PIPELINE_DEPTH
#define PARTITION_PIPELINE_DEPTH 1  /* parked tiles a block is behind with, where it is not direct */
#endif
#ifndef PARTITION_STRIP_BYTES
#define PARTITION_STRIP_BYTES 4096 /* bytes that are packed at a time */
#endif
#ifndef PARTITION_NONTEMPORAL_STRIP_BYTES
#define PARTITION_NONTEMPORAL_STRIP_BYTES 512 /* the same on the way past the caches: so many that reads and writes alternate */
#endif
#ifndef PARTITION_BLOCKS
#define PARTITION_BLOCKS 1 /* of a thread */
#endif
#ifndef HISTOGRAM_SHARED_ATOMICS
#define HISTOGRAM_SHARED_ATOMICS 0 /* copies of counters are added up in the end */
#endif
#ifndef SHARED_ATOMICS_ROWS
#define SHARED_ATOMICS_ROWS(size) 1 /* on their way at a time, of elements of so many bytes, in that text, … */
#endif
#ifndef SHARED_ATOMICS_ROWS_COMPACT
#define SHARED_ATOMICS_ROWS_COMPACT 1  /* … and where counters have no 32 bits in shared memory */
#endif
#ifndef SHARED_ATOMICS_HEAVY_LANES
#define SHARED_ATOMICS_HEAVY_LANES 4       /* lanes that have one bin, to count it in registers */
#endif
#ifndef SHARED_ATOMICS_AMBIGUOUS_LANES
#define SHARED_ATOMICS_AMBIGUOUS_LANES 16    /* lanes that have a sample near an edge in a row, to compare all with edges */
#endif
#ifndef HISTOGRAM_ROWS
#define HISTOGRAM_ROWS 1   /* on their way at a time */
#endif
#ifndef HISTOGRAM_MAX_BACKOFF
#define HISTOGRAM_MAX_BACKOFF 63  /* rows at most that are not tried by guesses alone, one less than a power of two */
#endif
#ifndef MULTISPLIT_WRITE_BUFFERS
#define MULTISPLIT_WRITE_BUFFERS 1      /* a warp alone grows piles of each bucket; else blocks store tiles that stand by digits */
#endif
#ifndef MULTISPLIT_SKEW_LIMIT
#define MULTISPLIT_SKEW_LIMIT 4        /* two piles a bucket where one has this share of the elements: a pile would wait for itself */
#endif
#ifndef MULTISPLIT_WARPS
#define MULTISPLIT_WARPS 1      /* of a block that moves elements */
#endif
#ifndef MULTISPLIT_BLOCKS
#define MULTISPLIT_BLOCKS 1     /* of a thread */
#endif
#ifndef MULTISPLIT_COUNT_WARPS
#define MULTISPLIT_COUNT_WARPS 1 /* the same, of one that counts */
#endif
#ifndef MULTISPLIT_COUNT_BLOCKS
#define MULTISPLIT_COUNT_BLOCKS 1
#endif
#ifndef MULTISPLIT_COUNT_ROWS
#define MULTISPLIT_COUNT_ROWS 1       /* on their way at a time while it counts */
#endif
#ifndef MULTISPLIT_ITEMS_PER_LANE
#define MULTISPLIT_ITEMS_PER_LANE 16     /* elements of a lane in a tile */
#endif
#ifndef MULTISPLIT_STORE_BATCH
#define MULTISPLIT_STORE_BATCH 1     /* elements of a lane in a tile that are fetched, and then stored, at a time */
#endif
#ifndef MULTISPLIT_STAGE_BYTES
#define MULTISPLIT_STAGE_BYTES 32768  /* bytes of a tile that stand by digits at a time */
#endif
#ifndef MULTISPLIT_PREFETCH_BYTES
#define MULTISPLIT_PREFETCH_BYTES 4096   /* bytes that are read ahead */
#endif
#ifndef BIN_PARTITION_WARPS
#define BIN_PARTITION_WARPS 1      /* of a block that puts samples in order by ranges of bins, … */
#endif
#ifndef BIN_PARTITION_BLOCKS
#define BIN_PARTITION_BLOCKS 1     /* … and how many of them a thread has */
#endif
#ifndef BIN_COUNT_WARPS
#define BIN_COUNT_WARPS 1     /* the same, of one that counts ranges */
#endif
#ifndef BIN_COUNT_BLOCKS
#define BIN_COUNT_BLOCKS 1
#endif
#ifndef BIN_COUNT_LOADS
#define BIN_COUNT_LOADS 1     /* on their way at a time there */
#endif
#ifndef BUCKET_ID_LOADS
#define BUCKET_ID_LOADS 1     /* loads on their way, where numbers of buckets are made */
#endif

#endif
