/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that make the texts fast on CPUs. None of them can change a bit of any result.
 */
#ifndef IW_TUNING_H
#define IW_TUNING_H

#ifndef SCAN_WARPS
#define SCAN_WARPS(size) 1   /* of a block, for elements of so many bytes: a warp is a thread's, and nothing has to be told */
#endif
#ifndef SCAN_TILES
#define SCAN_TILES(size) 1   /* of a block, at a time, for elements of so many bytes; no chunk of a warp is in two */
#endif
#ifndef SCAN_SINGLE_WARP
#define SCAN_SINGLE_WARP 1       /* the schedule of a warp alone, which parks nothing */
#endif
#ifndef SCAN_TILES_PER_TICKET
#define SCAN_TILES_PER_TICKET 8         /* tiles of one ticket; where there are few, a warp alone takes fewer */
#endif
#ifndef SCAN_QUEUE_TILES
#define SCAN_QUEUE_TILES(size) (128 / (size)) /* tiles that it is behind with at most: 512 KiB, in its cache */
#endif
#ifndef SCAN_PIPELINE_DEPTH         /* from here on for blocks that park: */
#define SCAN_PIPELINE_DEPTH 1       /* parked tiles a block is behind with */
#endif
#ifndef SCAN_STAGE_AT_LOAD
#define SCAN_STAGE_AT_LOAD 1  /* park a tile at once, in a slot of its own: registers that outlive a barrier are memory here */
#endif
#ifndef SCAN_ROWS_IN_FLIGHT
#define SCAN_ROWS_IN_FLIGHT 1       /* rows on their way at a time */
#endif
#ifndef SCAN_FULL_ROW_LOOPS
#define SCAN_FULL_ROW_LOOPS 0       /* one loop for all: branches are predicted, and code has to be compiled */
#endif
#ifndef SCAN_BLOCKS
#define SCAN_BLOCKS(size) 1           /* of a thread, for elements of so many bytes */
#endif
#ifndef SEGMENTED_WARPS
#define SEGMENTED_WARPS(size) 1
#endif
#ifndef SEGMENTED_TILES
#define SEGMENTED_TILES(size) 1
#endif
#ifndef SEGMENTED_BLOCKS
#define SEGMENTED_BLOCKS(size) 1
#endif
#ifndef REDUCE_BLOCKS
#define REDUCE_BLOCKS(size) 1
#endif
#ifndef REDUCE_WARPS
#define REDUCE_WARPS(size) 1
#endif
#ifndef REDUCE_TILES
#define REDUCE_TILES(size) 1
#endif
#ifndef SCAN_EARLY_TICKET
#define SCAN_EARLY_TICKET 0   /* ask for the next tile before others are finished, and prefetch it meanwhile */
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
#ifndef BUCKET_ID_LOADS
#define BUCKET_ID_LOADS 1     /* loads on their way, where numbers of buckets are made */
#endif

#endif
