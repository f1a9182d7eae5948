/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy of the reduction of segments on CPUs. Each number may be given on the compiler's command line
 * instead; none of them can change a bit of a result. (size): for elements of so many bytes.
 */
#ifndef ISOWARP_REDUCE_SEGMENTS_TUNING_CPU_H
#define ISOWARP_REDUCE_SEGMENTS_TUNING_CPU_H

#ifndef SEGMENTS_IN_LANES
#define SEGMENTS_IN_LANES 0               /* rows are reduced one after the other, in registers */
#endif
#ifndef SEGMENTS_PARTS
#define SEGMENTS_PARTS 0                  /* a schedule of lanes loads 4 or 8 bytes a lane: there is no iw_row_gather */
#endif
#ifndef SEGMENTS_COLUMN_LOADS
#define SEGMENTS_COLUMN_LOADS 8             /* rows of a matrix that a warp loads at a time to reduce columns: as many registers */
#endif
#ifndef SEGMENTS_FEW_ROWS
#define SEGMENTS_FEW_ROWS 16              /* at most 31: rows that are read beside one another */
#endif
#ifndef SEGMENTS_GATHER_COLUMNS
#define SEGMENTS_GATHER_COLUMNS 0         /* fewer than 32 columns leave lanes unused; gathers take longer */
#endif
/* Whether vectors of 32 columns have code of their own, without masks: where elements are converted, or a
 * vector has at most two registers. Others lose a tenth by that at 1000 columns. in_memory: the size of an
 * element there. */
#ifndef SEGMENTS_SPLIT_FULL_VECTORS
#define SEGMENTS_SPLIT_FULL_VECTORS(size, in_memory) ((in_memory) < (size) || 32 * (size) <= 8 * IW_VL_u32)
#endif
#ifndef SEGMENTS_COLUMN_STRIP
#define SEGMENTS_COLUMN_STRIP(size) (32 / (int)(size)) /* vectors of 32 columns that are reduced together: 1 KB of accumulators */
#endif
#ifndef SEGMENTS_ADJACENT_UNITS
#define SEGMENTS_ADJACENT_UNITS 1         /* a block reduces neighbouring strips of columns: its pages are its own */
#endif
#ifndef SEGMENTS_SEARCH_LOADS
#define SEGMENTS_SEARCH_LOADS 1           /* vectors of 32 elements that a warp searches at a time for a minimum */
#endif
#ifndef SEGMENTS_TILES_PER_RUN
#define SEGMENTS_TILES_PER_RUN 8          /* a thread prefetches into its next tile: let it be its own */
#endif
#ifndef SEGMENTS_LAST_BLOCK_FOLDS
#define SEGMENTS_LAST_BLOCK_FOLDS 0       /* a launch of fold_tiles costs nothing */
#endif
#ifndef SEGMENTS_WARPS
#define SEGMENTS_WARPS 1                  /* a block is a thread, which runs one warp */
#endif
#ifndef SEGMENTS_BLOCKS
#define SEGMENTS_BLOCKS(size) 1           /* per processor */
#endif
#ifndef SEGMENTS_TILE_WARPS
#define SEGMENTS_TILE_WARPS SEGMENTS_WARPS
#endif
#ifndef SEGMENTS_COLUMN_BLOCKS
#define SEGMENTS_COLUMN_BLOCKS 1
#endif
#ifndef SEGMENTS_FOLD_BLOCKS
#define SEGMENTS_FOLD_BLOCKS 1
#endif
#ifndef SEGMENTS_TILE_BLOCKS
#define SEGMENTS_TILE_BLOCKS 1
#endif

#endif
