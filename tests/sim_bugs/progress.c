/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs: blocks that wait for what does not happen, and what a launch leaves behind for the next one. See bug.h.
 */
#include "bug.h"

/* Each kernel computes out[tile] = the sum of the elements of all tiles up to it, or a part of that. */
#define TILES(name) \
IW_KERNEL(name, nothing, bug_args) \
{ \
  IW_VAR(iw_u32, x); \
  iw_polled_u32 got; \
  uint32_t ticket; \
  const uint32_t flag = iw_tickets_open(args->tickets, &ticket) * 4 + 2;
#define SUM_OF(tile_) \
  const uint32_t tile = tile_; \
  IW_PHASE(warp) { \
    const iw_span here = iw_elements_from(warp, (size_t)tile * block->threads, args->n); \
    IW_MY(x) = iw_load(args->in + here.first, here.valid); \
  } \
  const uint32_t sum = iw_block_sum(x);
#define TILES_END \
  iw_tickets_close(args->tickets); \
}

/* Blocks need not start in the order of their indices. */
TILES(index_as_order)
  SUM_OF(BUG((uint32_t)block->index, ticket))
  IW_PHASE(warp) {
    if (warp == 0) {
      uint32_t before = 0;
      if (tile > 0) {
        AWAIT(got, iw_poll_u32, tile - 1, flag); /* BUG: index_as_order */
        before = iw_at(got.value, 0);
      }
      iw_publish(args->slots, tile, flag, before + sum);
      iw_set(args->out + tile, before + sum);
    }
  }
TILES_END

/* out[tile] = the sum of the tile and of those behind it: they may not have started. */
TILES(waits_for_larger)
  SUM_OF(BUG(ticket, (uint32_t)block->blocks - 1 - ticket))
  IW_PHASE(warp) {
    if (warp == 0) {
      uint32_t behind = 0;
      if (tile + 1 < block->blocks) {
        AWAIT(got, iw_poll_u32, tile + 1, flag); /* BUG: waits_for_larger */
        behind = iw_at(got.value, 0);
      }
      iw_publish(args->slots, tile, flag, behind + sum);
      iw_set(args->out + tile, behind + sum);
    }
  }
TILES_END

/* Pairs of tiles exchange their sums: both wait before they publish. The twin leaves the sums to the second block of a pair. */
TILES(waits_before_publish)
  SUM_OF(ticket)
  IW_PHASE(warp) {
    if (warp == 0) {
#ifdef FIXED
      if (tile % 2 == 0)
        iw_publish(args->slots, tile, flag, sum);
      else {
        AWAIT(got, iw_poll_u32, tile - 1, flag);
        iw_set(args->out + tile - 1, iw_at(got.value, 0) + sum);
        iw_set(args->out + tile, iw_at(got.value, 0) + sum);
      }
#else
      AWAIT(got, iw_poll_u32, tile ^ 1, flag); /* BUG: waits_before_publish */
      iw_publish(args->slots, tile, flag, sum);
      iw_set(args->out + tile, iw_at(got.value, 0) + sum);
#endif
    }
  }
TILES_END

/* Both publish first, then wait for each other: with one resident block the second one never starts. */
TILES(exchange)
  SUM_OF(ticket)
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_publish(args->slots, tile, flag, sum);
#ifdef FIXED
      if (tile % 2 == 1) {
        AWAIT(got, iw_poll_u32, tile - 1, flag);
        iw_set(args->out + tile - 1, iw_at(got.value, 0) + sum);
        iw_set(args->out + tile, iw_at(got.value, 0) + sum);
      }
#else
      AWAIT(got, iw_poll_u32, tile ^ 1, flag); /* BUG: exchange */
      iw_set(args->out + tile, iw_at(got.value, 0) + sum);
#endif
    }
  }
TILES_END

/* Block 0 adds up what all others publish, and waits for blocks that may start only when it has ended. */
TILES(first_waits_for_all)
  SUM_OF(ticket)
  IW_PHASE(warp) {
    if (warp == 0)
      iw_publish(args->slots, tile, flag, sum);
  }
  if (BUG(tile == 0, tile + 1 == block->blocks)) {
    IW_PHASE(warp) {
      if (warp == 0) {
        uint32_t total = 0;
        for (size_t t = 0; t < block->blocks; t++) {
          AWAIT(got, iw_poll_u32, t, flag); /* BUG: first_waits_for_all */
          total += iw_at(got.value, 0);
        }
        iw_set(args->out, total);
      }
    }
  }
TILES_END

/* A barrier of all blocks: blocks that are not resident never reach it. */
IW_KERNEL(barrier_of_grid, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_global_add(args->scratch, 0, sum, one_lane());
#ifndef FIXED
      iw_global_add(args->scratch, 1, 1, one_lane());
      for (unsigned spins = 0; iw_at(iw_global_add(args->scratch, 1, 0, one_lane()), 0) < block->blocks;)
        iw_pause(&spins); /* BUG: barrier_of_grid */
#endif
    }
  }
  if (BUG(1, iw_is_last_block(args->counter))) {
    IW_PHASE(warp) {
      if (warp == 0)
        iw_global_max(args->out, 0, iw_global_add(args->scratch, 0, 0, one_lane()), one_lane());
    }
  }
}

/* The last tile publishes nothing, as no tile follows; but the last ticket adds up all of them. */
TILES(last_not_published)
  SUM_OF(ticket)
  IW_PHASE(warp) {
    if (warp == 0 && BUG(tile + 1 < block->blocks, 1))
      iw_publish(args->slots, tile, flag, sum);
  }
  if (tile + 1 == block->blocks) {
    IW_PHASE(warp) {
      if (warp == 0) {
        uint32_t total = 0;
        for (size_t t = 0; t < block->blocks; t++) {
          AWAIT(got, iw_poll_u32, t, flag); /* BUG: last_not_published */
          total += iw_at(got.value, 0);
        }
        iw_set(args->out, total);
      }
    }
  }
TILES_END

/* Tiles without elements publish nothing. */
TILES(empty_not_published)
  SUM_OF(ticket)
  IW_PHASE(warp) {
    if (warp == 0) {
      uint32_t before = 0;
      if (tile > 0) {
        AWAIT(got, iw_poll_u32, tile - 1, flag); /* BUG: empty_not_published */
        before = iw_at(got.value, 0);
      }
      if (BUG((size_t)tile * block->threads < args->n, 1))
        iw_publish(args->slots, tile, flag, before + sum);
      iw_set(args->out + tile, before + sum);
    }
  }
TILES_END

/* Publishes aggregates, and waits for inclusive prefixes. */
TILES(wrong_flag)
  SUM_OF(ticket)
  IW_PHASE(warp) {
    if (warp == 0) {
      uint32_t before = 0;
      if (tile > 0) {
        AWAIT(got, iw_poll_u32, tile - 1, flag); /* BUG: wrong_flag */
        before = iw_at(got.value, 0);
      }
      iw_publish(args->slots, tile, flag - BUG(1, 0), before + sum);
      iw_set(args->out + tile, before + sum);
    }
  }
TILES_END

/* Waits for the slot in front of the one that the block before has published. */
TILES(wrong_slot)
  SUM_OF(ticket)
  IW_PHASE(warp) {
    if (warp == 0) {
      uint32_t before = 0;
      if (tile > 0) {
        AWAIT(got, iw_poll_u32, tile - 1, flag); /* BUG: wrong_slot */
        before = iw_at(got.value, 0);
      }
      iw_publish(args->slots, tile + BUG(1, 0), flag, before + sum);
      iw_set(args->out + tile, before + sum);
    }
  }
TILES_END

/* A lock that its holder does not give back. */
IW_KERNEL(lock_not_released, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  IW_PHASE(warp) {
    if (warp == 0) {
      for (unsigned spins = 0; iw_at(iw_global_exchange(args->scratch, 0, 1, one_lane()), 0) == 1;)
        iw_pause(&spins); /* BUG: lock_not_released */
      iw_global_add(args->out, 0, sum, one_lane());
      iw_global_exchange(args->scratch, BUG(1, 0), 0, one_lane());
    }
  }
}

/* Without iw_tickets_close the next launch gets tickets that are too large. Two launches. */
IW_KERNEL(not_closed, nothing, bug_args)
{
  uint32_t tile;
  iw_tickets_open(args->tickets, &tile); /* BUG: not_closed */
  IW_PHASE(warp) {
    if (tile < block->blocks) {
      const iw_span here = iw_elements_from(warp, (size_t)tile * block->threads, args->n);
      iw_store(args->out + here.first, iw_add(iw_load(args->in + here.first, here.valid), 1), here.valid);
    }
  }
  BUG((void)tile, iw_tickets_close(args->tickets));
}

/* Blocks without elements leave before they close: the tickets are not made ready. Two launches. */
IW_KERNEL(not_closed_by_all, nothing, bug_args)
{
  uint32_t tile;
  iw_tickets_open(args->tickets, &tile); /* BUG: not_closed_by_all */
  if (BUG((size_t)tile * block->threads >= args->n, 0))
    return; /* BUG: not_closed_by_all */
  IW_PHASE(warp) {
    const iw_span here = iw_elements_from(warp, (size_t)tile * block->threads, args->n);
    iw_store(args->out + here.first, iw_add(iw_load(args->in + here.first, here.valid), 1), here.valid);
  }
  iw_tickets_close(args->tickets);
}

/* Only blocks with elements count themselves, so none is the last one, and the counter stays dirty. */
IW_KERNEL(counted_by_some, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  if (BUG(block->index * block->threads >= args->n, 0))
    return;
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->scratch + block->index, sum);
  }
  if (iw_is_last_block(args->counter)) { /* BUG: counted_by_some */
    IW_PHASE(warp) {
      if (warp == 0) {
        uint32_t total = 0;
        for (size_t b = 0; b < block->blocks; b++)
          total += iw_get(args->scratch + b);
        iw_set(args->out, total);
      }
    }
  }
}

/* The host has not cleared the counter. The kernel is right. */
IW_KERNEL(dirty_counter, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->scratch + block->index, sum); /* BUG: dirty_counter */
  }
  if (iw_is_last_block(args->counter)) { /* BUG: dirty_counter */
    IW_PHASE(warp) {
      if (warp == 0) {
        uint32_t total = 0;
        for (size_t b = 0; b < block->blocks; b++)
          total += iw_get(args->scratch + b); /* BUG: dirty_counter */
        iw_set(args->out, total);
      }
    }
  }
}
