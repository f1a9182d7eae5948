/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy of multisplit on CPUs: write-combining buffers (write_buffers.h). Chosen by common/tuning.h. Each
 * number may be given on the compiler's command line instead; none of them can change a bit of a result.
 */
#ifndef ISOWARP_MULTISPLIT_TUNING_CPU_H
#define ISOWARP_MULTISPLIT_TUNING_CPU_H

#ifndef MULTISPLIT_WRITE_BUFFERS
#define MULTISPLIT_WRITE_BUFFERS 1      /* a thread's buffers fit its cache and make whole lines of scattered elements */
#endif
#ifndef MULTISPLIT_SKEW_LIMIT
#define MULTISPLIT_SKEW_LIMIT 4         /* a digit with more than 1/4 of the elements: two streams, or each store waits for the last */
#endif
#ifndef MULTISPLIT_PREFETCH_BYTES
#define MULTISPLIT_PREFETCH_BYTES 4096  /* prefetch distance: doc/design/cpu.md#prefetch-distance */
#endif
#ifndef MULTISPLIT_WARPS
#define MULTISPLIT_WARPS 1              /* a block that moves is a thread, which runs one warp */
#endif
#ifndef MULTISPLIT_BLOCKS
#define MULTISPLIT_BLOCKS 1             /* blocks that move, for each thread */
#endif
#ifndef MULTISPLIT_COUNT_WARPS
#define MULTISPLIT_COUNT_WARPS 1        /* a block that counts is a thread, too */
#endif
#ifndef MULTISPLIT_COUNT_BLOCKS
#define MULTISPLIT_COUNT_BLOCKS 1       /* blocks that count, for each thread */
#endif
#ifndef MULTISPLIT_COUNT_ROWS
#define MULTISPLIT_COUNT_ROWS 1         /* rows loaded at a time: a core loads ahead by itself */
#endif
#ifndef MULTISPLIT_COUNT_TAIL_ROWS
#define MULTISPLIT_COUNT_TAIL_ROWS (MULTISPLIT_COUNT_ROWS > 1) /* 0: an incomplete row is counted 32 keys at a time: less code */
#endif
#ifndef BUCKET_ID_LOADS
#define BUCKET_ID_LOADS 1               /* loads in flight for each warp where bucket ids are made: a core loads ahead by itself */
#endif
#ifndef BUCKET_ID_GUESSES
#define BUCKET_ID_GUESSES 1             /* the bins of a warp are guessed first, with one test of all guesses */
#endif
/* Of the ranked-tile schedule, which only tests compile for a CPU: */
#ifndef MULTISPLIT_ITEMS_PER_LANE
#define MULTISPLIT_ITEMS_PER_LANE 16    /* elements of a lane in a tile */
#endif
#ifndef MULTISPLIT_STORE_BATCH
#define MULTISPLIT_STORE_BATCH 1        /* elements that a lane loads from the stage before it stores them */
#endif
#ifndef MULTISPLIT_STAGE_BYTES
#define MULTISPLIT_STAGE_BYTES 32768    /* shared memory in which a tile is ordered by digits */
#endif

#endif
