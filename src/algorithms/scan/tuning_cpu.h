/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy of scan, reduction and segmented scan on CPUs: the single-warp agent. Chosen by common/tuning.h.
 * Each number but those of reductions may be given on the compiler's command line instead; none of them
 * can change a bit of a result (tests/scripts/tuning.sh). (size): for elements of so many bytes. CUB's
 * names: AgentScanPolicy's BLOCK_THREADS is 32 * SCAN_WARPS, its ITEMS_PER_THREAD SCAN_TILES *
 * IW_SCAN_TILE / BLOCK_THREADS.
 */
#ifndef ISOWARP_SCAN_TUNING_CPU_H
#define ISOWARP_SCAN_TUNING_CPU_H

/* The agent. */
/* 0.95 of a copy's bandwidth with AVX-512, staging tiles 0.70 (doc/design/scan.md#the-cpus-agent) */
#ifndef SCAN_SINGLE_WARP
#define SCAN_SINGLE_WARP 1
#endif
#ifndef SCAN_PATIENCE
#define SCAN_PATIENCE 256                      /* of short scans, which only tests compile for a CPU */
#endif
#ifndef SCAN_TILES_PER_TICKET
#define SCAN_TILES_PER_TICKET 8 /* a thread prefetches into its next tile: let it be its own; reductions: 4 * 8 */
#endif
/* tiles waiting for their prefix at most: 512 KiB, which an L2 cache holds */
#ifndef SCAN_QUEUE_TILES
#define SCAN_QUEUE_TILES(size) (128 / (size))
#endif

/* so many blocks or more have parts of a short array, not tickets (doc/design/scan.md#parts-on-cpus) */
#ifndef SCAN_PARTS_FROM
#define SCAN_PARTS_FROM 4
#endif

/* Block and grid: a block is a thread, which runs one warp. */
#ifndef SCAN_WARPS
#define SCAN_WARPS(size) 1
#endif
#ifndef SCAN_TILES
#define SCAN_TILES(size) 1                     /* tiles of a block at a time */
#endif
#ifndef SCAN_BLOCKS
#define SCAN_BLOCKS(size) 1                    /* per processor */
#endif
#define REDUCE_SINGLE_WARP 1
#define REDUCE_WARPS(size) 1
#define REDUCE_TILES(size) 1
#define REDUCE_BLOCKS(size) 1
#ifndef SEGMENTED_WARPS
#define SEGMENTED_WARPS(size) 1
#endif
#ifndef SEGMENTED_TILES
#define SEGMENTED_TILES(size) 1
#endif
#ifndef SEGMENTED_BLOCKS
#define SEGMENTED_BLOCKS(size) 1
#endif

/* Rows of a matrix that a warp scans by itself. */
#ifndef SCAN_ROWS_BY_LANES
#define SCAN_ROWS_BY_LANES 0                   /* one row after the other, in registers */
#endif
#ifndef SCAN_ROWS_WARPS
#define SCAN_ROWS_WARPS 1
#endif
#ifndef SCAN_ROWS_BLOCKS
#define SCAN_ROWS_BLOCKS(size) 1
#endif

/* The pipelined agent, which CPUs run in tests only. */
#ifndef SCAN_PIPELINE_DEPTH
#define SCAN_PIPELINE_DEPTH 1                  /* rounds between loading and finishing a tile */
#endif
#ifndef SCAN_STAGE_AT_LOAD
#define SCAN_STAGE_AT_LOAD 1 /* registers that outlive a barrier are memory here: stage in phase 1 */
#endif
#ifndef SCAN_ROWS_IN_FLIGHT
#define SCAN_ROWS_IN_FLIGHT 1                  /* loads are not issued ahead: the hardware prefetches */
#endif
/* branches are predicted; more loops double the compile time (doc/design/scan.md#loops-for-whole-rows) */
#ifndef SCAN_FULL_ROW_LOOPS
#define SCAN_FULL_ROW_LOOPS 0
#endif
#ifndef SCAN_EARLY_TICKET
#define SCAN_EARLY_TICKET 0         /* needs a pipeline depth of 2 (doc/design/scan.md#the-gpus-agent) */
#endif

#endif
