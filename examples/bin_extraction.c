/* SPDX-License-Identifier: Apache-2.0
 *
 * The elements of one bin, in their order, by any number of blocks in one launch. A block prefix sum gives
 * each element its position in the block. The block's first position is the number of elements in the tiles
 * before: the block waits until the tile before has published this number, and publishes its own sum for
 * the next tile. Blocks may start in any order, so tiles are assigned by ticket: a block with a smaller
 * ticket is already running, and therefore the wait ends.
 */
#include <isowarp/kernel.h>
#include "bin_extraction.h"

typedef struct bin_extraction_shared { uint64_t before; } bin_extraction_shared;

/* x * bins is exact if bins is a power of two. A NaN is in no bin. */
IW_FN iw_pred in_bin(iw_f32 x, uint32_t bins, uint32_t bin)
{
  const iw_i32 last = iw_splat((int32_t)bins - 1), k = iw_to_i32(iw_floor(iw_mul(x, iw_splat((float)bins))));
  const iw_i32 clamped = iw_max(iw_min(k, last), iw_splat((int32_t)0));
  return iw_and_pred(iw_eq(x, x), iw_eq(clamped, iw_splat((int32_t)bin)));
}

IW_KERNEL(bin_extraction, bin_extraction_shared, bin_extraction_args)
{
  uint32_t tile;
  const uint32_t done = iw_tickets_open(args->tickets, &tile) * 4 + 1;
  const size_t start = (size_t)tile * block->threads;
  IW_VAR(iw_f32, x);
  IW_VAR(iw_u32, belongs);
  IW_VAR(iw_u32, place);

  IW_PHASE(warp) {
    const size_t at = start + warp * IW_WARP_SIZE;
    const iw_pred some = iw_and_pred(iw_active(warp), iw_lanes_below((int64_t)args->n - (int64_t)at));
    IW_MY(x) = iw_load(args->in + at, some);
    const iw_pred mine = iw_and_pred(some, in_bin(IW_MY(x), args->bins, args->bin));
    IW_MY(belongs) = iw_select(mine, iw_splat(1u), iw_splat(0u));
  }
  iw_block_exclusive_prefix_sum(place, belongs);
  const uint32_t found = iw_block_sum(belongs);

  IW_PHASE(warp) {
    if (warp == 0) {
      uint64_t before = 0;
      if (tile > 0) {
        unsigned spins = 0;
        iw_polled_u64 last = iw_poll_u64(args->states, (int64_t)tile - 1, 0, 1);
        while (iw_at(last.flag, 0) != done) {
          iw_pause(&spins);
          last = iw_poll_u64(args->states, (int64_t)tile - 1, 0, 1);
        }
        before = iw_at(last.value, 0);
      }
      iw_publish(args->states, tile, done, before + found);
      iw_set(&shared->before, before);
      if (tile == block->blocks - 1)
        iw_set(args->count, before + found);
    }
  }
  IW_PHASE(warp) {
    const iw_pred mine = iw_gt(IW_MY(belongs), iw_splat(0u));
    iw_scatter(args->out + iw_get(&shared->before), IW_MY(place), IW_MY(x), mine);
  }
  iw_tickets_close(args->tickets);
}
