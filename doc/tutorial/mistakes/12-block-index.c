/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 12, a mistake: the index of a block is taken for its ticket.
 */
#include <isowarp/kernel.h>

enum { AGGREGATE = 1, INCLUSIVE = 2 }; /* a tile state that is neither is invalid */
typedef struct {
  const uint32_t *in;
  uint32_t *out;
  size_t n;
  uint64_t *states; /* the state of each tile, zeroed once */
  iw_tickets *tickets;
} look_back_args;
typedef struct { int unused; } nothing;

IW_KERNEL(look_back_scan, nothing, look_back_args)
{
  IW_VAR(iw_u32, x);
  IW_VAR(iw_u32, state); /* of the tiles in the window: 0, AGGREGATE or INCLUSIVE */
  IW_VAR(iw_u32, value);
  uint32_t ticket; /* not used */
  const uint32_t tile = (uint32_t)block->index;
  const uint32_t flags = iw_tickets_open(args->tickets, &ticket) * 4;
  IW_PHASE(warp) {
    const iw_span here = iw_elements_from(warp, (size_t)tile * block->threads, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t aggregate = iw_block_sum(x);
  iw_block_inclusive_prefix_sum(x, x);
  IW_PHASE(warp) {
    if (warp == 0) {
      if (tile > 0)
        iw_publish(args->states, tile, flags + AGGREGATE, aggregate);
      uint32_t before = 0;
      for (uint32_t end = tile; end > 0;) {
        /* The window: lane l has the state of tile end - count + l. */
        const uint32_t count = end < IW_WARP_SIZE ? end : IW_WARP_SIZE;
        for (unsigned spins = 0;; iw_pause(&spins)) {
          const iw_polled_u32 polled = iw_poll_u32(args->states, end - count, 0, (int)count);
          const iw_pred valid = iw_ge(polled.flag, flags + AGGREGATE); /* published by this launch */
          IW_MY(state) = iw_select(valid, iw_sub(polled.flag, flags), 0);
          IW_MY(value) = polled.value;
          if (iw_popcount_of(valid) == count)
            break;
        }
        const iw_mask inclusive = iw_ballot(iw_eq(IW_MY(state), INCLUSIVE));
        const unsigned from = inclusive ? iw_highest(inclusive) : 0;
        before += iw_warp_sum(iw_select(iw_ge(iw_lane(), from), IW_MY(value), 0));
        end = inclusive ? 0 : end - count;
      }
      iw_publish(args->states, tile, flags + INCLUSIVE, before + aggregate);
      iw_post_u32(before);
    }
  }
  const uint32_t before = iw_posted_u32();
  IW_PHASE(warp) {
    const iw_span here = iw_elements_from(warp, (size_t)tile * block->threads, args->n);
    iw_store(args->out + here.first, iw_add(IW_MY(x), before), here.valid);
  }
  iw_tickets_close(args->tickets);
}
