/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 12, a mistake: the flag of a tile is published, its prefix is stored beside it. Publish and poll do
 * not order the store.
 */
#include <isowarp/kernel.h>

typedef struct {
  const uint32_t *in;
  uint32_t *prefixes; /* of each tile */
  size_t n;
  uint64_t *states;
  iw_tickets *tickets;
} prefix_args;
typedef struct { int unused; } nothing;

IW_KERNEL(tile_prefixes, nothing, prefix_args)
{
  IW_VAR(iw_u32, x);
  uint32_t tile;
  const uint32_t flag = iw_tickets_open(args->tickets, &tile) * 4 + 2;
  IW_PHASE(warp) {
    const iw_span here = iw_elements_from(warp, (size_t)tile * block->threads, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t aggregate = iw_block_sum(x);
  IW_PHASE(warp) {
    if (warp == 0) {
      uint32_t before = 0;
      if (tile > 0) {
        for (unsigned spins = 0; iw_at(iw_poll_u32(args->states, tile - 1, 0, 1).flag, 0) != flag;)
          iw_pause(&spins);
        before = iw_get(args->prefixes + tile - 1);
      }
      iw_set(args->prefixes + tile, before + aggregate);
      iw_publish(args->states, tile, flag, 1u);
    }
  }
  iw_tickets_close(args->tickets);
}
