/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel with collectives of the block, tickets and look-back; one that wants more shared memory than a
 * GPU has, and one that wants 48 KiB; one that writes where nothing is.
 */
#include <isowarp/kernel.h>
#include "cuda_kernels.h"

typedef struct tiles_shared { uint32_t before; } tiles_shared;

enum { PARTIAL = 1, INCLUSIVE = 2 };

/* The numbers of all tiles before this one: publishes the tile's total first, then looks back. */
IW_FN uint32_t numbers_before(const tiles_args *args, size_t tile, uint32_t epoch, uint32_t total)
{
  uint32_t sum = 0;
  unsigned spins = 0;
  iw_publish_u32(args->slots, tile, epoch * 4 + (tile ? PARTIAL : INCLUSIVE), total);
  for (size_t at = tile; at > 0;) {
    const iw_polled_u32 seen = iw_poll_u32(args->slots, (int64_t)at - 1, 0, 1);
    const uint32_t flag = iw_at(seen.flag, 0);
    if (flag == epoch * 4 + PARTIAL || flag == epoch * 4 + INCLUSIVE) {
      sum += iw_at(seen.value, 0);
      at = flag == epoch * 4 + INCLUSIVE ? 0 : at - 1;
    } else
      iw_pause(&spins);
  }
  if (tile)
    iw_publish_u32(args->slots, tile, epoch * 4 + INCLUSIVE, sum + total);
  return sum;
}

IW_KERNEL(tiles, tiles_shared, tiles_args)
{
  IW_VAR(iw_f32, x);
  IW_VAR(iw_u32, number);
  IW_VAR(iw_u32, prefix);
  uint32_t first;
  const uint32_t epoch = iw_tickets_open(args->tickets, &first);
  for (size_t tile = first; tile < args->tiles;) {
    const size_t start = tile * block->threads;
    const int64_t left = (int64_t)(args->n - start);
    IW_WARPS(warp) {
      const size_t at = warp * IW_WARP_SIZE;
      const iw_pred some = iw_and_pred(iw_active(warp), iw_lanes_below(left - (int64_t)at));
      IW_MY(x) = iw_load(args->in + start + at, some);
      IW_MY(number) = iw_load(args->numbers + start + at, some);
    }
    const float sum = iw_block_sum(x), most = iw_block_max(x);
    const uint32_t total = iw_block_sum(number);
    iw_block_exclusive_prefix_sum(prefix, number);
    IW_PHASE(warp) {
      if (warp == 0) {
        iw_set(&shared->before, numbers_before(args, tile, epoch, total));
        iw_set(args->largest + tile, most);
      }
    }
    IW_PHASE(warp) {
      const size_t at = warp * IW_WARP_SIZE;
      const iw_pred some = iw_and_pred(iw_active(warp), iw_lanes_below(left - (int64_t)at));
      iw_store(args->shares + start + at, iw_div(IW_MY(x), iw_splat(sum)), some);
      iw_store(args->before + start + at, iw_add(IW_MY(prefix), iw_splat(iw_get(&shared->before))), some);
    }
    tile = iw_ticket_next(args->tickets);
  }
  iw_tickets_close(args->tickets);
}

typedef struct large_shared { uint32_t words[LARGE_WORDS]; } large_shared;

IW_KERNEL(large, large_shared, large_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(&shared->words[LARGE_WORDS - 1], 7u);
  }
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out, iw_get(&shared->words[LARGE_WORDS - 1]));
  }
}

/* As much shared memory as a block has without asking for it, and the block's own memory for a collective
 * besides. */
typedef struct brimful_shared { uint32_t words[BRIMFUL_WORDS]; } brimful_shared;

IW_KERNEL(brimful, brimful_shared, large_args)
{
  IW_VAR(iw_u32, sum);
  IW_PHASE(warp) {
    for (uint32_t w = warp * IW_WARP_SIZE; w < BRIMFUL_WORDS; w += block->threads)
      iw_store(shared->words + w, iw_add(iw_lane(), iw_splat(w)), iw_lanes_below(IW_WARP_SIZE));
  }
  IW_PHASE(warp) {
    IW_MY(sum) = iw_splat(0u);
    for (uint32_t w = warp * IW_WARP_SIZE; w < BRIMFUL_WORDS; w += block->threads)
      IW_MY(sum) = iw_add(IW_MY(sum), iw_load(shared->words + w, iw_lanes_below(IW_WARP_SIZE)));
  }
  const uint32_t total = iw_block_sum(sum);
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out, total);
  }
}

typedef struct stray_shared { int unused; } stray_shared;

IW_KERNEL(stray, stray_shared, large_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out, 7u);
  }
}
