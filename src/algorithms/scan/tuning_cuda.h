/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy of scan, reduction and segmented scan on GPUs: agent_pipelined.h and agent_reduce.h. Chosen by
 * common/tuning.h. Each number may be given on the compiler's command line instead; none of them can
 * change a bit of a result. (size): for elements of so many bytes. CUB's names: AgentScanPolicy's
 * BLOCK_THREADS is 32 * SCAN_WARPS, its ITEMS_PER_THREAD SCAN_TILES * IW_SCAN_TILE / BLOCK_THREADS.
 * Measured on an H200 (bench/tune.sh).
 */
#ifndef ISOWARP_SCAN_TUNING_CUDA_H
#define ISOWARP_SCAN_TUNING_CUDA_H

/* Compute capability 7.5 has shared memory for one staged tile of 8-byte elements only.
 * -DIW_SIM_CAPABILITY=75 builds for a simulated device of that kind. */
#if (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800) || (defined(IW_SIM_CAPABILITY) && IW_SIM_CAPABILITY < 80)
#define SCAN_DEEP_PIPELINE 0
#else
#define SCAN_DEEP_PIPELINE 1
#endif

/* The agent. */
#ifndef SCAN_SINGLE_WARP
#define SCAN_SINGLE_WARP 0                     /* tiles are staged in shared memory */
#endif
/* rounds between loading and finishing a tile: 2 with early tickets gain 6% */
#ifndef SCAN_PIPELINE_DEPTH
#define SCAN_PIPELINE_DEPTH (1 + SCAN_DEEP_PIPELINE)
#endif
/* request and prefetch the next tile early: with depth 1 it costs 15% */
#ifndef SCAN_EARLY_TICKET
#define SCAN_EARLY_TICKET SCAN_DEEP_PIPELINE
#endif
#ifndef SCAN_STAGE_AT_LOAD
#define SCAN_STAGE_AT_LOAD 0 /* keep a tile in registers until its buffer is free: more blocks fit */
#endif
#ifndef SCAN_ROWS_IN_FLIGHT
#define SCAN_ROWS_IN_FLIGHT 64 /* issue all loads of a chunk at once, as segmented scans always do */
#endif
/* a check per row costs instructions, which bound the scan (doc/design/scan.md#loops-for-whole-rows) */
#ifndef SCAN_FULL_ROW_LOOPS
#define SCAN_FULL_ROW_LOOPS 1
#endif
/* looks of a short scan at tiles that are not published, before it reads them itself */
#ifndef SCAN_PATIENCE
#define SCAN_PATIENCE 256
#endif
#ifndef SCAN_TILES_PER_TICKET
#define SCAN_TILES_PER_TICKET 1 /* tickets balance the load; the prefetch needs no run of tiles */
#endif

/* Block and grid. */
#ifndef SCAN_WARPS
#define SCAN_WARPS(size) (size)                /* 8 or 4 rows of 128 elements per warp in registers */
#endif
#ifndef SCAN_TILES
#define SCAN_TILES(size) 1 /* tiles of a block at a time: 2 gain 1.5% at 2^28 and lose 10% at 2^16 */
#endif
#ifndef SCAN_BLOCKS
#define SCAN_BLOCKS(size) ((size) == 4 ? 5 : 2) /* per multiprocessor: with more, registers spill */
#endif
#define REDUCE_SINGLE_WARP 0                   /* agent_reduce.h */
/* With 8 warps a block needs twice as long for its group, so that the end of a call takes longer, when few
 * blocks still run (doc/design/scan.md#reductions). */
#ifndef REDUCE_WARPS
#define REDUCE_WARPS(size) 16
#endif
#ifndef REDUCE_BLOCKS
#define REDUCE_BLOCKS(size) 2
#endif
#define REDUCE_TILES(size) 1
#ifndef REDUCE_SECTION_GROUPS
#define REDUCE_SECTION_GROUPS 128 /* groups whose aggregates a block folds one after the other */
#endif
#ifndef REDUCE_SHORT_WARPS
#define REDUCE_SHORT_WARPS(size) 8
#endif
#ifndef REDUCE_SHORT_BLOCKS
#define REDUCE_SHORT_BLOCKS(size) 4
#endif
#define REDUCE_SHORT_TILES(size) (8 / (size)) /* at most: a lane has 16 bytes in flight eight times */
#ifndef SEGMENTED_WARPS
#define SEGMENTED_WARPS(size) 8 /* a warp has at least two rows */
#endif
#ifndef SEGMENTED_TILES
#define SEGMENTED_TILES(size) 1
#endif
#ifndef SEGMENTED_BLOCKS
#define SEGMENTED_BLOCKS(size) ((size) == 4 ? 5 : 3) /* per multiprocessor: with more, registers spill */
#endif
/* Short scans have no more than two tiles for each multiprocessor of a large GPU. */
#ifndef SCAN_SHORT_WARPS
#define SCAN_SHORT_WARPS(size) 8
#endif
#ifndef SCAN_SHORT_BLOCKS
#define SCAN_SHORT_BLOCKS(size) 2
#endif
#define SCAN_SHORT_TILES(size) 1
#ifndef SEGMENTED_SHORT_WARPS
#define SEGMENTED_SHORT_WARPS(size) ((size) == 4 ? 16 : 8) /* with more, registers spill */
#endif
#ifndef SEGMENTED_SHORT_BLOCKS
#define SEGMENTED_SHORT_BLOCKS(size) 2
#endif
#define SEGMENTED_SHORT_TILES(size) 1

/* Rows of a matrix that a warp scans by itself. */
#ifndef SCAN_ROWS_BY_LANES
#define SCAN_ROWS_BY_LANES 1                   /* a warp has a chunk of rows in registers */
#endif
#ifndef SCAN_ROWS_CHUNK
#define SCAN_ROWS_CHUNK(size) (32 / (int)(size)) /* rows: loads that a warp has in flight, 4 KiB */
#endif
#ifndef SCAN_ROWS_WARPS
#define SCAN_ROWS_WARPS 4
#endif
#ifndef SCAN_ROWS_BLOCKS
#define SCAN_ROWS_BLOCKS(size) ((size) == 4 ? 5 : 4) /* per multiprocessor: with more, registers spill */
#endif

/* The single-warp agent, which GPUs do not run. */
#ifndef SCAN_QUEUE_TILES
#define SCAN_QUEUE_TILES(size) (128 / (size))
#endif
#ifndef SCAN_PARTS_FROM
#define SCAN_PARTS_FROM UINT64_MAX              /* no parts: blocks may begin in any order */
#endif

#endif
