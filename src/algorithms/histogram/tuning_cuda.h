/* SPDX-License-Identifier: Apache-2.0
 *
 * Tuning of the histogram schedules for NVIDIA GPUs, measured on an H200. None of these numbers can change a
 * result. The templates of GPU schedules include this file.
 */
#ifndef IW_HISTOGRAM_TUNING_H
#define IW_HISTOGRAM_TUNING_H

/* shared_atomics.h */
#ifndef HISTOGRAM_WARPS
/* per block: the block has all of a multiprocessor's shared memory for its counters. Of bytes the most:
 * byte_threads() of schedule.c */
#define HISTOGRAM_WARPS 32
#endif
#ifndef HISTOGRAM_BLOCKS
/* per multiprocessor, for the same reason; small histograms run several anyway */
#define HISTOGRAM_BLOCKS 1
#endif
#ifndef SHARED_ATOMICS_ROWS
/* rows in flight of a warp by element size: as many as registers hold */
#define SHARED_ATOMICS_ROWS(size) ((size) == 4 ? 8 : 4)
#endif
#ifndef SHARED_ATOMICS_ROWS_COMPACT
/* the same for 16-bit and claimed counters, whose code needs more registers */
#define SHARED_ATOMICS_ROWS_COMPACT 4
#endif
#ifndef SHARED_ATOMICS_HEAVY_LANES
/* lanes with one bin from which counting it in registers is cheaper than atomics */
#define SHARED_ATOMICS_HEAVY_LANES 4
#endif
#ifndef SHARED_ATOMICS_AMBIGUOUS_LANES
/* lanes with an ambiguous sample from which comparing whole rows is cheaper */
#define SHARED_ATOMICS_AMBIGUOUS_LANES 16
#endif

/* bin_partition.h, bin_partition_count.h */
#ifndef BIN_PARTITION_WARPS
/* per block: a tile's samples are 16 a lane, which fit in registers */
#define BIN_PARTITION_WARPS 16
#endif
/* per multiprocessor: as many as its shared memory and threads allow */
#ifndef BIN_PARTITION_BLOCKS
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define BIN_PARTITION_BLOCKS 2
#else
#define BIN_PARTITION_BLOCKS 3
#endif
#endif
#ifndef BIN_COUNT_WARPS
/* per block: its counters take most of the shared memory of a multiprocessor */
#define BIN_COUNT_WARPS 32
#endif
#ifndef BIN_COUNT_BLOCKS
#define BIN_COUNT_BLOCKS 1
#endif
#ifndef BIN_COUNT_LOADS
#define BIN_COUNT_LOADS 8               /* loads of 8 bytes in flight of a lane */
#endif

#endif
