/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy of partition and select on NVIDIA GPUs: the staged agent (agent_staged.h). Chosen by
 * common/tuning.h. Each number may be given on the compiler's command line instead; none of them can change
 * a bit of a result. Alternatives that were measured and were slower:
 * doc/design/partition.md#aligned-stores.
 */
#ifndef ISOWARP_PARTITION_TUNING_CUDA_H
#define ISOWARP_PARTITION_TUNING_CUDA_H

#ifndef PARTITION_REREAD
#define PARTITION_REREAD 0              /* a block has no cache of its own for several tiles, but shared memory for a packed one */
#endif
#ifndef PARTITION_TILE_BYTES
#define PARTITION_TILE_BYTES 32768      /* shared memory of a staged tile; 16 and 64 KiB were slower */
#endif
#ifndef PARTITION_TILE_ELEMENTS
#define PARTITION_TILE_ELEMENTS 8192    /* at most: narrow elements would make too few tiles for all multiprocessors */
#endif
#ifndef PARTITION_WARPS
#define PARTITION_WARPS 8               /* warps of a block: eight rows of 4-byte elements for each, one flag set */
#endif
#ifndef PARTITION_BLOCKS
#define PARTITION_BLOCKS 4              /* blocks of a multiprocessor: hides latency of loads; 3 were slower */
#endif
#ifndef PARTITION_SHORT_BLOCKS
#define PARTITION_SHORT_BLOCKS 2        /* likewise, of short arrays */
#endif
#ifndef PARTITION_PATIENCE
#define PARTITION_PATIENCE 256          /* looks at tiles that are not published, before a block counts them itself */
#endif
#ifndef PARTITION_PIPELINE_DEPTH
#define PARTITION_PIPELINE_DEPTH 1      /* staged tiles of a block: one round suffices for the look-back; 2 were slower */
#endif

#endif
