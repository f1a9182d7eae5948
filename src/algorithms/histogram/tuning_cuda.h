/* SPDX-License-Identifier: Apache-2.0
 *
 * Tuning of the histogram schedules for NVIDIA GPUs, measured on an H200. None of these numbers can change a result. The build
 * units in src/cuda choose this file.
 */
#ifndef IW_HISTOGRAM_TUNING_H
#define IW_HISTOGRAM_TUNING_H

/* shared_atomics.h */
#ifndef HISTOGRAM_WARPS
#define HISTOGRAM_WARPS 32              /* per block: the block has all of a multiprocessor's shared memory for its counters */
#endif
#ifndef HISTOGRAM_BLOCKS
#define HISTOGRAM_BLOCKS 1              /* per multiprocessor, for the same reason; small histograms run several anyway */
#endif
#ifndef SHARED_ATOMICS_ROWS
#define SHARED_ATOMICS_ROWS(size) ((size) == 4 ? 8 : 4) /* rows in flight of a warp by element size: as many as registers hold */
#endif
#ifndef SHARED_ATOMICS_ROWS_COMPACT
#define SHARED_ATOMICS_ROWS_COMPACT 4   /* the same for 16-bit and claimed counters, whose code needs more registers */
#endif
#ifndef SHARED_ATOMICS_HEAVY_LANES
#define SHARED_ATOMICS_HEAVY_LANES 4    /* lanes with one bin from which counting it in registers is cheaper than atomics */
#endif
#ifndef SHARED_ATOMICS_AMBIGUOUS_LANES
#define SHARED_ATOMICS_AMBIGUOUS_LANES 16 /* lanes with an ambiguous sample from which comparing whole rows is cheaper */
#endif

/* bin_partition.h, bin_partition_count.h */
#ifndef BIN_PARTITION_WARPS
#define BIN_PARTITION_WARPS 16          /* per block: a tile's samples are 16 a lane, which fit in registers */
#endif
#ifndef BIN_PARTITION_BLOCKS            /* per multiprocessor: as many as its shared memory and threads allow */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define BIN_PARTITION_BLOCKS 2
#else
#define BIN_PARTITION_BLOCKS 3
#endif
#endif
#ifndef BIN_COUNT_WARPS
#define BIN_COUNT_WARPS 32              /* per block: its counters take most of the shared memory of a multiprocessor */
#endif
#ifndef BIN_COUNT_BLOCKS
#define BIN_COUNT_BLOCKS 1
#endif
#ifndef BIN_COUNT_LOADS
#define BIN_COUNT_LOADS 8               /* loads of 8 bytes in flight of a lane */
#endif

#endif
