/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy of the reduction of segments on GPUs. Each number may be given on the compiler's command line
 * instead; none of them can change a bit of a result. (size): for elements of so many bytes.
 */
#ifndef ISOWARP_REDUCE_SEGMENTS_TUNING_CUDA_H
#define ISOWARP_REDUCE_SEGMENTS_TUNING_CUDA_H

#ifndef SEGMENTS_IN_LANES
#define SEGMENTS_IN_LANES 1               /* a warp reduces 32 pieces of rows at a time */
#endif
#ifndef SEGMENTS_VECTORS
#define SEGMENTS_VECTORS(size) (128 / (int)(size)) /* of 32 elements: loads that a warp has in flight; 4 to 32 */
#endif
#ifndef SEGMENTS_PARTS
#define SEGMENTS_PARTS 1                  /* lanes load 16 bytes of aligned rows at a time; SEGMENTS_VECTORS has to be as above */
#endif
#ifndef SEGMENTS_PIECES
#define SEGMENTS_PIECES 256               /* of 32 elements: whose aggregates a warp keeps in shared memory; a multiple of 32 */
#endif
#ifndef SEGMENTS_COLUMN_LOADS
#define SEGMENTS_COLUMN_LOADS 16            /* rows of a matrix that a warp loads at a time to reduce columns */
#endif
#ifndef SEGMENTS_GATHER_COLUMNS
#define SEGMENTS_GATHER_COLUMNS 1
#endif
#ifndef SEGMENTS_SPLIT_FULL_VECTORS
#define SEGMENTS_SPLIT_FULL_VECTORS(size, in_memory) 0 /* masks cost nothing */
#endif
#ifndef SEGMENTS_COLUMN_STRIP
#define SEGMENTS_COLUMN_STRIP(size) 1     /* vectors of 32 columns that a warp reduces together */
#endif
#ifndef SEGMENTS_SEARCH_LOADS
#define SEGMENTS_SEARCH_LOADS 8           /* vectors of 32 elements that a warp searches at a time for a minimum */
#endif
#ifndef SEGMENTS_ADJACENT_UNITS
#define SEGMENTS_ADJACENT_UNITS 0         /* blocks that run at a time reduce neighbouring strips of columns */
#endif
#ifndef SEGMENTS_TILES_PER_RUN
#define SEGMENTS_TILES_PER_RUN 2          /* tiles for one search of the list */
#endif
#ifndef SEGMENTS_LAST_BLOCK_FOLDS
#define SEGMENTS_LAST_BLOCK_FOLDS 1       /* that of reduce_tiles folds the tiles of short arrays */
#endif
/* The single pass of reductions by key. */
#ifndef SEGMENTS_RUN_TILE_BYTES
#define SEGMENTS_RUN_TILE_BYTES 32768     /* of a tile's elements, as they are combined, in shared memory */
#endif
#ifndef SEGMENTS_RUN_WARPS
#define SEGMENTS_RUN_WARPS 16
#endif
#ifndef SEGMENTS_LIST_ROWS
#define SEGMENTS_LIST_ROWS 2              /* rows of keys that a warp has in flight, at most 4; a divisor of those of its elements of a tile */
#endif
#ifndef SEGMENTS_RUN_BLOCKS
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define SEGMENTS_RUN_BLOCKS 2             /* compute capability 7.5: 1024 threads of a multiprocessor */
#else
#define SEGMENTS_RUN_BLOCKS 3
#endif
#endif
#ifndef SEGMENTS_WAITING_BLOCKS
#define SEGMENTS_WAITING_BLOCKS 2         /* of short arrays: few, so that nothing spills */
#endif
/* looks at tiles that are not published, before a block reads them itself */
#ifndef SEGMENTS_PATIENCE
#define SEGMENTS_PATIENCE 256
#endif
#ifndef SEGMENTS_SHORT_MEAN
#define SEGMENTS_SHORT_MEAN 64            /* a tile of longer runs, on average, is left to reduce_segments */
#endif
/* Small blocks, as a block frees its resources only when its longest batch has ended. SEGMENTS_…BLOCKS:
 * resident blocks of a multiprocessor. */
#ifndef SEGMENTS_WARPS
#define SEGMENTS_WARPS 2
#endif
#ifndef SEGMENTS_BLOCKS
#define SEGMENTS_BLOCKS(size) ((size) == 4 ? 12 : 10)
#endif
#ifndef SEGMENTS_TILE_WARPS
#define SEGMENTS_TILE_WARPS 8             /* of the kernels that reduce columns and tiles, and fold tiles */
#endif
#ifndef SEGMENTS_COLUMN_BLOCKS
#define SEGMENTS_COLUMN_BLOCKS 4
#endif
#ifndef SEGMENTS_FOLD_BLOCKS
#define SEGMENTS_FOLD_BLOCKS 2
#endif
#ifndef SEGMENTS_TILE_BLOCKS
#define SEGMENTS_TILE_BLOCKS 3
#endif

#endif
