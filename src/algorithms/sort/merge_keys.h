/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template merge_kernel.h, included once for each width of keys: T is u8, u16, u32 or u64.
 * Narrow keys come in u32 lanes.
 */
#define FN(name) IW_JOIN(IW_JOIN(merge, name), T)
#define KEY_LANES IW_PASTE(IW_LANES_FOR_, T)
#define KEYS IW_PASTE(iw_, KEY_LANES)
#define TILE MERGE_TILE(sizeof(SCALAR))
#define RUN ((unsigned)MERGE_RUN(sizeof(SCALAR)))

IW_FN KEYS FN(rank)(const iw_merge_args *args, KEYS bits)
{
  return IW_JOIN(iw_and, KEY_LANES)(IW_JOIN(iw_total_rank, KEY_LANES)(&args->order, bits),
                                    iw_splat((IW_PASTE(iws_, KEY_LANES))args->mask));
}

#include MERGE_SCHEDULE

#undef FN
#undef KEY_LANES
#undef KEYS
#undef TILE
#undef RUN
