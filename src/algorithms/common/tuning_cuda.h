/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that make the texts fast on GPUs. None of them can change a bit of any result.
 */
#ifndef IW_TUNING_H
#define IW_TUNING_H

#ifndef HISTOGRAM_WARPS
#define HISTOGRAM_WARPS 32       /* of a block that counts whole rows, */
#endif
#ifndef HISTOGRAM_BLOCKS
#define HISTOGRAM_BLOCKS 1      /* and how many of them a processor has */
#endif
#ifndef HISTOGRAM_SHARED_ATOMICS
#define HISTOGRAM_SHARED_ATOMICS 1 /* blocks add their counters to those of all (src/algorithms/histogram/shared_atomics.h) */
#endif
#ifndef SHARED_ATOMICS_ROWS
#define SHARED_ATOMICS_ROWS(size) ((size) == 4 ? 8 : 4) /* on their way at a time, of elements of so many bytes, in that text, … */
#endif
#ifndef SHARED_ATOMICS_ROWS_COMPACT
#define SHARED_ATOMICS_ROWS_COMPACT 4  /* … and where counters have no 32 bits in shared memory */
#endif
#ifndef SHARED_ATOMICS_HEAVY_LANES
#define SHARED_ATOMICS_HEAVY_LANES 4       /* lanes that have one bin, to count it in registers */
#endif
#ifndef SHARED_ATOMICS_AMBIGUOUS_LANES
#define SHARED_ATOMICS_AMBIGUOUS_LANES 16    /* lanes that have a sample near an edge in a row, to compare all with edges */
#endif
#ifndef HISTOGRAM_ROWS
#define HISTOGRAM_ROWS 4   /* on their way at a time */
#endif
#ifndef BIN_PARTITION_WARPS
#define BIN_PARTITION_WARPS 16     /* of a block that puts samples in order by ranges of bins, … */
#endif
#ifndef BIN_PARTITION_BLOCKS       /* … and how many of them a multiprocessor has */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define BIN_PARTITION_BLOCKS 2
#else
#define BIN_PARTITION_BLOCKS 3
#endif
#endif
#ifndef BIN_COUNT_WARPS
#define BIN_COUNT_WARPS 32    /* the same, of one that counts ranges */
#endif
#ifndef BIN_COUNT_BLOCKS
#define BIN_COUNT_BLOCKS 1
#endif
#ifndef BIN_COUNT_LOADS
#define BIN_COUNT_LOADS 8     /* on their way at a time there */
#endif

#endif
