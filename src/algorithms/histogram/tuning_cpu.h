/* SPDX-License-Identifier: Apache-2.0
 *
 * Tuning of the histogram schedules for CPUs. None of these numbers can change a result. The templates of
 * CPU schedules include this file. A block is the work of one thread.
 */
#ifndef IW_HISTOGRAM_TUNING_H
#define IW_HISTOGRAM_TUNING_H

/* private_counters.h */
#ifndef HISTOGRAM_WARPS
/* one warp per block: warps of a block would only take turns on its thread */
#define HISTOGRAM_WARPS 1
#endif
#ifndef HISTOGRAM_BLOCKS
#define HISTOGRAM_BLOCKS 1       /* blocks per thread: one private histogram fills a first-level cache */
#endif
#ifndef HISTOGRAM_MAX_BACKOFF
/* rows without speculation, at most about twice this; 2^k - 1. A failed try costs half a row */
#define HISTOGRAM_MAX_BACKOFF 63
#endif

/* bin_partition.h, bin_partition_count.h: not used by a CPU context, compiled so that tests can run the
 * schedule */
#define BIN_PARTITION_WARPS 1
#define BIN_PARTITION_BLOCKS 1
#define BIN_COUNT_WARPS 1
#define BIN_COUNT_BLOCKS 1
#define BIN_COUNT_LOADS 1

#endif
