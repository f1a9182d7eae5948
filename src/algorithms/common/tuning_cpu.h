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
#ifndef SCAN_ALONE
#define SCAN_ALONE 1       /* the schedule of a warp alone, which parks nothing */
#endif
#ifndef SCAN_RUN
#define SCAN_RUN 8         /* tiles of one ticket; where there are few, a warp alone takes fewer */
#endif
#ifndef SCAN_WAIT
#define SCAN_WAIT(size) (128 / (size)) /* tiles that it is behind with at most: 512 KiB, in its cache */
#endif
#ifndef SCAN_TRAIL         /* from here on for blocks that park: */
#define SCAN_TRAIL 1       /* parked tiles a block is behind with */
#endif
#ifndef SCAN_PARK_EARLY
#define SCAN_PARK_EARLY 1  /* park a tile at once, in a slot of its own: registers that outlive a barrier are memory here */
#endif
#ifndef SCAN_AHEAD
#define SCAN_AHEAD 1       /* rows on their way at a time */
#endif
#ifndef SCAN_SPLIT
#define SCAN_SPLIT 0       /* one loop for all: branches are predicted, and code has to be compiled */
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
#ifndef SCAN_ASK_EARLY
#define SCAN_ASK_EARLY 0   /* ask for the next tile before others are finished, and prefetch it meanwhile */
#endif
#ifndef ROWS_WARPS
#define ROWS_WARPS 1       /* of a block that counts whole rows: what counts them is a thread's, */
#endif
#ifndef ROWS_BLOCKS
#define ROWS_BLOCKS 1      /* and how many of them a processor has */
#endif
#ifndef PARTITION_TILE
#define PARTITION_TILE 65536 /* bytes of a tile */
#endif
#ifndef PARTITION_ELEMENTS
#define PARTITION_ELEMENTS 65536 /* and elements of it at most */
#endif
#ifndef PARTITION_WARPS
#define PARTITION_WARPS 1  /* of a block that partitions */
#endif
#ifndef PARTITION_DIRECT
#define PARTITION_DIRECT 1 /* the schedule of a warp alone, which parks nothing: it reads a tile again, from a cache */
#endif
#ifndef PARTITION_WAIT
#define PARTITION_WAIT 4   /* tiles that a warp alone is behind with at most: they are in its cache */
#endif
#ifndef PARTITION_AHEAD
#define PARTITION_AHEAD 4096 /* bytes that it reads ahead */
#endif
#ifndef PARTITION_TRAIL
#define PARTITION_TRAIL 1  /* parked tiles a block is behind with, where it is not direct */
#endif
#ifndef PARTITION_PIECE
#define PARTITION_PIECE 4096 /* bytes that are packed at a time */
#endif
#ifndef PARTITION_PIECE_STREAMED
#define PARTITION_PIECE_STREAMED 512 /* the same on the way past the caches: so many that reads and writes alternate */
#endif
#ifndef PARTITION_BLOCKS
#define PARTITION_BLOCKS 1 /* of a thread */
#endif
#ifndef HISTOGRAM_MERGED
#define HISTOGRAM_MERGED 0 /* copies of counters are added up in the end */
#endif
#ifndef MERGED_ROWS
#define MERGED_ROWS(size) 1 /* on their way at a time, of elements of so many bytes, in that text, … */
#endif
#ifndef MERGED_ROWS_FEW
#define MERGED_ROWS_FEW 1  /* … and where counters have no 32 bits in shared memory */
#endif
#ifndef MERGED_HOT
#define MERGED_HOT 4       /* lanes that have one bin, to count it in registers */
#endif
#ifndef MERGED_DENSE
#define MERGED_DENSE 16    /* lanes that have a sample near an edge in a row, to compare all with edges */
#endif
#ifndef HISTOGRAM_ROWS
#define HISTOGRAM_ROWS 1   /* on their way at a time */
#endif
#ifndef HISTOGRAM_NEAR
#define HISTOGRAM_NEAR 63  /* rows at most that are not tried by guesses alone, one less than a power of two */
#endif
#ifndef SPLIT_PILES
#define SPLIT_PILES 1      /* a warp alone grows piles of each bucket; else blocks store tiles that stand by digits */
#endif
#ifndef SPLIT_HOT
#define SPLIT_HOT 4        /* two piles a bucket where one has this share of the elements: a pile would wait for itself */
#endif
#ifndef SPLIT_WARPS
#define SPLIT_WARPS 1      /* of a block that moves elements */
#endif
#ifndef SPLIT_BLOCKS
#define SPLIT_BLOCKS 1     /* of a thread */
#endif
#ifndef SPLIT_COUNT_WARPS
#define SPLIT_COUNT_WARPS 1 /* the same, of one that counts */
#endif
#ifndef SPLIT_COUNT_BLOCKS
#define SPLIT_COUNT_BLOCKS 1
#endif
#ifndef SPLIT_ROWS
#define SPLIT_ROWS 1       /* on their way at a time while it counts */
#endif
#ifndef SPLIT_ITEMS
#define SPLIT_ITEMS 16     /* elements of a lane in a tile */
#endif
#ifndef SPLIT_STORES
#define SPLIT_STORES 1     /* elements of a lane in a tile that are fetched, and then stored, at a time */
#endif
#ifndef SPLIT_STAGE
#define SPLIT_STAGE 32768  /* bytes of a tile that stand by digits at a time */
#endif
#ifndef SPLIT_AHEAD
#define SPLIT_AHEAD 4096   /* bytes that are read ahead */
#endif
#ifndef ORDER_WARPS
#define ORDER_WARPS 1      /* of a block that puts samples in order by ranges of bins, … */
#endif
#ifndef ORDER_BLOCKS
#define ORDER_BLOCKS 1     /* … and how many of them a thread has */
#endif
#ifndef RANGES_WARPS
#define RANGES_WARPS 1     /* the same, of one that counts ranges */
#endif
#ifndef RANGES_BLOCKS
#define RANGES_BLOCKS 1
#endif
#ifndef RANGES_LOADS
#define RANGES_LOADS 1     /* on their way at a time there */
#endif
#ifndef NUMBER_AHEAD
#define NUMBER_AHEAD 1     /* loads on their way, where numbers of buckets are made */
#endif

#endif
