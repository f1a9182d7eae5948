/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy of the kernel block_sort: its schedule, and up to how many elements a block sorts in its shared
 * memory, where the passes of the radix split would take longer. The host finds both in the kernel's
 * descriptor. Neither can change a bit of a result.
 */
#ifndef ISOWARP_SORT_TUNING_H
#define ISOWARP_SORT_TUNING_H

#ifdef IW_GPU_SCHEDULES /* kernel.h */
#ifndef BLOCK_SORT_IN_TURN
#define BLOCK_SORT_IN_TURN 0            /* merges by lanes: shared memory is gathered from in parallel */
#endif
#ifndef BLOCK_SORT_CAPACITY
#define BLOCK_SORT_CAPACITY 3584        /* of 16 warps: 35 KiB. More items of a lane would not fit its registers */
#endif
#else
#ifndef BLOCK_SORT_IN_TURN
#define BLOCK_SORT_IN_TURN 1            /* merges in turn: gathers of a core take as long as its loads one by one */
#endif
#ifndef BLOCK_SORT_CAPACITY
#define BLOCK_SORT_CAPACITY 2048        /* segments of more elements take less time by passes over digits */
#endif
#ifndef BLOCK_SORT_KEYS_OF_LANE
#define BLOCK_SORT_KEYS_OF_LANE (IW_VL_u32 < 16 ? 96 : 320) /* in buckets that are not split: short registers merge lanes slowly */
#endif
#ifndef BLOCK_SORT_PACKS_KEYS
#define BLOCK_SORT_PACKS_KEYS (IW_VL_u32 < 16) /* rows of keys of 8 bytes: AVX2 has no minimum of these */
#endif
#endif

#endif
