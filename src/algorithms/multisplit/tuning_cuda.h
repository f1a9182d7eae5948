/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy of multisplit on NVIDIA GPUs: ranked tiles (ranked_tiles.h). Chosen by common/tuning.h. Each number
 * may be given on the compiler's command line instead; none of them can change a bit of a result.
 */
#ifndef ISOWARP_MULTISPLIT_TUNING_CUDA_H
#define ISOWARP_MULTISPLIT_TUNING_CUDA_H

#ifndef MULTISPLIT_WRITE_BUFFERS
#define MULTISPLIT_WRITE_BUFFERS 0      /* shared memory orders a whole tile, so that runs of a digit are stored at once */
#endif
#ifndef MULTISPLIT_WARPS
#define MULTISPLIT_WARPS 16             /* of a block that moves: its 8192 elements make runs of 32 even with 256 digits */
#endif
#ifndef MULTISPLIT_ITEMS_PER_LANE
#define MULTISPLIT_ITEMS_PER_LANE 16    /* elements of a lane in a tile: keys, ranks and digits of them stay in registers */
#endif
#ifndef MULTISPLIT_SHORT_ITEMS_PER_LANE
#define MULTISPLIT_SHORT_ITEMS_PER_LANE 4 /* of a short array's tile, for which a block needs less time */
#endif
#ifndef MULTISPLIT_BLOCKS
#define MULTISPLIT_BLOCKS 2             /* blocks of a multiprocessor that move: what the registers allow */
#endif
#ifndef MULTISPLIT_STAGE_BYTES
#define MULTISPLIT_STAGE_BYTES 32768    /* shared memory in which a tile is ordered: one of 4-byte elements, or half of 8-byte ones */
#endif
#ifndef MULTISPLIT_STORE_BATCH
#define MULTISPLIT_STORE_BATCH 8        /* elements that a lane loads from the stage before it stores them: loads overlap */
#endif
#ifndef MULTISPLIT_LOOK_BACK
#define MULTISPLIT_LOOK_BACK 4          /* tile states that a lane loads at a time when it looks back */
#endif
#ifndef MULTISPLIT_COUNT_WARPS
#define MULTISPLIT_COUNT_WARPS 8        /* of a block that counts */
#endif
#ifndef MULTISPLIT_COUNT_BLOCKS         /* blocks of a multiprocessor that count: as many as it has threads for */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define MULTISPLIT_COUNT_BLOCKS 4
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ != 1000
#define MULTISPLIT_COUNT_BLOCKS 6
#else
#define MULTISPLIT_COUNT_BLOCKS 8
#endif
#endif
#ifndef MULTISPLIT_COUNT_ROWS
#define MULTISPLIT_COUNT_ROWS 2         /* rows loaded at a time: more loads in flight */
#endif
#ifndef MULTISPLIT_COUNT_TAIL_ROWS
#define MULTISPLIT_COUNT_TAIL_ROWS 1    /* 1: incomplete rows are counted as rows, whose loads are all in flight */
#endif
#ifndef BUCKET_ID_LOADS
#define BUCKET_ID_LOADS 8               /* loads in flight for each warp where bucket ids are made */
#endif
#ifndef BUCKET_ID_GUESSES
#define BUCKET_ID_GUESSES 0             /* a lane compares with an edge only if its own guess is ambiguous */
#endif

#endif
