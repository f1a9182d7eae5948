/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy of partition and select on CPUs: the re-read agent (agent_reread.h). Chosen by common/tuning.h.
 * Each number may be given on the compiler's command line instead; none of them can change a bit of a
 * result.
 */
#ifndef ISOWARP_PARTITION_TUNING_CPU_H
#define ISOWARP_PARTITION_TUNING_CPU_H

#ifndef PARTITION_REREAD
#define PARTITION_REREAD 1              /* a core's cache holds several tiles, so reading one again is cheaper than staging it */
#endif
#ifndef PARTITION_TILE_BYTES
#define PARTITION_TILE_BYTES 65536      /* few look-backs, and four queued tiles still fit a core's L2 cache */
#endif
#ifndef PARTITION_TILE_ELEMENTS
#define PARTITION_TILE_ELEMENTS 65536   /* at most; the bytes above are the limit for every width */
#endif
#ifndef PARTITION_WARPS
#define PARTITION_WARPS 1               /* a block is a thread, which runs one warp */
#endif
#ifndef PARTITION_BLOCKS
#define PARTITION_BLOCKS 1              /* blocks for each thread */
#endif
#ifndef PARTITION_QUEUE_TILES
#define PARTITION_QUEUE_TILES 4         /* tiles that wait for their prefix: no more than stay in cache */
#endif
#ifndef PARTITION_PREFETCH_BYTES
#define PARTITION_PREFETCH_BYTES 4096   /* prefetch distance: doc/design/cpu.md#prefetch-distance */
#endif
#ifndef PARTITION_STRIP_BYTES
#define PARTITION_STRIP_BYTES 4096      /* elements packed at a time, so that loops are long and both stage buffers stay in L1 */
#endif
#ifndef PARTITION_NONTEMPORAL_STRIP_BYTES
/* with streaming stores: short, so that reads and writes alternate (doc/design/partition.md#agents) */
#define PARTITION_NONTEMPORAL_STRIP_BYTES 512
#endif
#ifndef PARTITION_PIPELINE_DEPTH
#define PARTITION_PIPELINE_DEPTH 1      /* of the staged agent, which only tests compile for a CPU */
#endif

#endif
