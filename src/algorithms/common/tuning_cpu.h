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
#ifndef HISTOGRAM_WARPS
#define HISTOGRAM_WARPS 1       /* of a block that counts whole rows: what counts them is a thread's, */
#endif
#ifndef HISTOGRAM_BLOCKS
#define HISTOGRAM_BLOCKS 1      /* and how many of them a processor has */
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

#endif
