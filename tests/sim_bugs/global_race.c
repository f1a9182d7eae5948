/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs: races between blocks, and slots that are used otherwise than by publish and poll. See bug.h.
 */
#include "bug.h"

typedef struct { uint32_t bins[BINS]; } bins_shared;

/* Scan in one launch: a block reads the sums of the blocks before it, which may not have written them. */
IW_KERNEL(scan_in_one_launch, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  iw_polled_u32 got;
  uint32_t tile;
  const uint32_t flag = iw_tickets_open(args->tickets, &tile) * 4 + 2;
  IW_PHASE(warp) {
    const iw_span here = iw_elements_from(warp, tile * block->threads, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  IW_PHASE(warp) {
    if (warp == 0) {
#ifdef FIXED
      iw_publish(args->slots, tile, flag, sum);
      uint32_t total = sum;
      for (uint32_t t = 0; t < tile; t++) {
        AWAIT(got, iw_poll_u32, t, flag);
        total += iw_at(got.value, 0);
      }
#else
      iw_set(args->scratch + tile, sum); /* BUG: scan_in_one_launch */
      uint32_t total = sum;
      for (uint32_t t = 0; t < tile; t++)
        total += iw_get(args->scratch + t); /* BUG: scan_in_one_launch */
      (void)got, (void)flag;
#endif
      iw_set(args->out + tile, total);
    }
  }
  iw_tickets_close(args->tickets);
}

/* Each block adds its bins to a copy of its own, block 0 to the result, to which the others are added. */
IW_KERNEL(merge_while_counting, nothing, bug_args)
{
  IW_PHASE(warp) {
    uint32_t *const copy = args->scratch + block->index * BINS;
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_global_add(copy, bin_of(x), 1, here.valid); /* BUG: merge_while_counting */
  }
  if (BUG(block->index == 0, iw_is_last_block(args->counter))) {
    IW_PHASE(warp) {
      if (warp == 0) {
        iw_u32 count = iw_splat_u32(0);
        for (size_t b = 0; b < block->blocks; b++)
          count = iw_add(count, iw_load(args->scratch + b * BINS, bin_lanes())); /* BUG: merge_while_counting */
        iw_store(args->out, count, bin_lanes());
      }
    }
  }
}

/* The block that clears the result, and blocks that already add to it. */
IW_KERNEL(cleared_by_one_block, nothing, bug_args)
{
  if (BUG(block->index == 0, 0)) {
    IW_PHASE(warp) {
      if (warp == 0)
        iw_store(args->out, 0, bin_lanes()); /* BUG: cleared_by_one_block */
    }
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_global_add(args->out, bin_of(x), 1, here.valid); /* BUG: cleared_by_one_block */
  }
}

/* A flag that is published says nothing about other memory, unless publish releases and poll acquires. */
#define HAND_OVER(name) \
IW_KERNEL(name, nothing, bug_args) \
{ \
  iw_polled_u32 got; \
  uint32_t tile; \
  const uint32_t flag = iw_tickets_open(args->tickets, &tile) * 4 + 1; \
  const size_t first = (size_t)tile * block->threads;

#define HAND_OVER_END \
  iw_tickets_close(args->tickets); \
}

HAND_OVER(publish_as_fence)
  IW_PHASE(warp) {
    const iw_u32 x = iw_load(args->in + first + warp * IW_WARP_SIZE, iw_active(warp));
    iw_store(args->scratch + first + warp * IW_WARP_SIZE, x, iw_active(warp)); /* BUG: publish_as_fence */
  }
  IW_PHASE(warp) {
    if (warp == 0)
      BUG(iw_publish, iw_publish_release)(args->slots, tile, flag, 1u);
  }
  IW_PHASE(warp) {
    const size_t at = first + warp * IW_WARP_SIZE;
    iw_u32 x = iw_load(args->scratch + at, iw_active(warp));
    if (tile > 0) {
      AWAIT(got, BUG(iw_poll_u32, iw_poll_acquire_u32), tile - 1, flag);
      x = iw_add(x, iw_load(args->scratch + at - block->threads, iw_active(warp))); /* BUG: publish_as_fence */
    }
    iw_store(args->out + at, x, iw_active(warp));
  }
HAND_OVER_END

HAND_OVER(poll_without_acquire)
  IW_PHASE(warp) {
    const iw_u32 x = iw_load(args->in + first + warp * IW_WARP_SIZE, iw_active(warp));
    iw_store(args->scratch + first + warp * IW_WARP_SIZE, x, iw_active(warp)); /* BUG: poll_without_acquire */
  }
  IW_PHASE(warp) {
    if (warp == 0)
      iw_publish_release(args->slots, tile, flag, 1u);
  }
  IW_PHASE(warp) {
    const size_t at = first + warp * IW_WARP_SIZE;
    iw_u32 x = iw_load(args->scratch + at, iw_active(warp));
    if (tile > 0) {
      AWAIT(got, BUG(iw_poll_u32, iw_poll_acquire_u32), tile - 1, flag);
      x = iw_add(x, iw_load(args->scratch + at - block->threads, iw_active(warp))); /* BUG: poll_without_acquire */
    }
    iw_store(args->out + at, x, iw_active(warp));
  }
HAND_OVER_END

/* One warp releases before the others of its block have written. */
HAND_OVER(release_before_phase_end)
  IW_PHASE(warp) {
    const iw_u32 x = iw_load(args->in + first + warp * IW_WARP_SIZE, iw_active(warp));
    iw_store(args->scratch + first + warp * IW_WARP_SIZE, x, iw_active(warp)); /* BUG: release_before_phase_end */
  BUG(, PHASE_BOUNDARY)
    if (warp == 0)
      iw_publish_release(args->slots, tile, flag, 1u);
  }
  IW_PHASE(warp) {
    const size_t at = first + warp * IW_WARP_SIZE;
    iw_u32 x = iw_load(args->scratch + at, iw_active(warp));
    if (tile > 0) {
      AWAIT(got, iw_poll_acquire_u32, tile - 1, flag);
      x = iw_add(x, iw_load(args->scratch + at - block->threads, iw_active(warp))); /* BUG: release_before_phase_end */
    }
    iw_store(args->out + at, x, iw_active(warp));
  }
HAND_OVER_END

/* One warp acquires, and the others read in the same phase. */
HAND_OVER(acquired_by_one_warp)
  IW_PHASE(warp) {
    const iw_u32 x = iw_load(args->in + first + warp * IW_WARP_SIZE, iw_active(warp));
    iw_store(args->scratch + first + warp * IW_WARP_SIZE, x, iw_active(warp)); /* BUG: acquired_by_one_warp */
  }
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_publish_release(args->slots, tile, flag, 1u);
      if (tile > 0)
        AWAIT(got, iw_poll_acquire_u32, tile - 1, flag);
    }
  BUG(, PHASE_BOUNDARY)
    const size_t at = first + warp * IW_WARP_SIZE;
    iw_u32 x = iw_load(args->scratch + at, iw_active(warp));
    if (tile > 0)
      x = iw_add(x, iw_load(args->scratch + at - block->threads, iw_active(warp))); /* BUG: acquired_by_one_warp */
    iw_store(args->out + at, x, iw_active(warp));
  }
HAND_OVER_END

/* A larger ticket does not mean that the blocks with smaller ones have written. */
HAND_OVER(ticket_as_order)
  IW_PHASE(warp) {
    const iw_u32 x = iw_load(args->in + first + warp * IW_WARP_SIZE, iw_active(warp));
    iw_store(args->scratch + first + warp * IW_WARP_SIZE, x, iw_active(warp)); /* BUG: ticket_as_order */
  }
  IW_PHASE(warp) {
    if (warp == 0)
      iw_publish_release(args->slots, tile, flag, 1u);
  }
  IW_PHASE(warp) {
    const size_t at = first + warp * IW_WARP_SIZE;
    iw_u32 x = iw_load(args->scratch + at, iw_active(warp));
    if (tile > 0) {
      if (BUG(0, 1))
        AWAIT(got, iw_poll_acquire_u32, tile - 1, flag);
      x = iw_add(x, iw_load(args->scratch + at - block->threads, iw_active(warp))); /* BUG: ticket_as_order */
    }
    iw_store(args->out + at, x, iw_active(warp));
  }
HAND_OVER_END

/* A flag that is written and read as ordinary memory. */
HAND_OVER(plain_flag)
  IW_PHASE(warp) {
    const iw_u32 x = iw_load(args->in + first + warp * IW_WARP_SIZE, iw_active(warp));
    iw_store(args->scratch + first + warp * IW_WARP_SIZE, x, iw_active(warp)); /* BUG: plain_flag */
  }
  IW_PHASE(warp) {
    if (warp == 0)
      BUG(iw_set((uint32_t *)args->slots + tile, flag), iw_publish_release(args->slots, tile, flag, 1u)); /* BUG: plain_flag */
  }
  IW_PHASE(warp) {
    const size_t at = first + warp * IW_WARP_SIZE;
    iw_u32 x = iw_load(args->scratch + at, iw_active(warp));
    if (tile > 0) {
#ifdef FIXED
      AWAIT(got, iw_poll_acquire_u32, tile - 1, flag);
#else
      for (unsigned spins = 0; spins < 1000 && iw_get((uint32_t *)args->slots + tile - 1) != flag;) /* BUG: plain_flag */
        iw_pause(&spins);
      (void)got;
#endif
      x = iw_add(x, iw_load(args->scratch + at - block->threads, iw_active(warp))); /* BUG: plain_flag */
    }
    iw_store(args->out + at, x, iw_active(warp));
  }
HAND_OVER_END

/* The block with the last index need not be the last one that runs. */
IW_KERNEL(last_index, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->scratch + block->index, sum); /* BUG: last_index */
  }
  if (BUG(block->index + 1 == block->blocks, iw_is_last_block(args->counter))) {
    IW_PHASE(warp) {
      if (warp == 0) {
        uint32_t total = 0;
        for (size_t b = 0; b < block->blocks; b++)
          total += iw_get(args->scratch + b); /* BUG: last_index */
        iw_set(args->out, total);
      }
    }
  }
}

/* A block writes its sum after it has said that it is done. */
IW_KERNEL(write_after_last, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  int last = 0;
  BUG(last = iw_is_last_block(args->counter), (void)last);
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->scratch + block->index, sum); /* BUG: write_after_last */
  }
  BUG((void)last, last = iw_is_last_block(args->counter));
  if (last) {
    IW_PHASE(warp) {
      if (warp == 0) {
        uint32_t total = 0;
        for (size_t b = 0; b < block->blocks; b++)
          total += iw_get(args->scratch + b); /* BUG: write_after_last */
        iw_set(args->out, total);
      }
    }
  }
}

/* An atomic increment in place of iw_is_last_block: it orders nothing. */
IW_KERNEL(last_by_atomic, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->scratch + block->index, sum); /* BUG: last_by_atomic */
  }
#ifdef FIXED
  const int last = iw_is_last_block(args->counter);
#else
  IW_PHASE(warp) {
    if (warp == 0)
      iw_post_u32(iw_at(iw_global_add(args->counter, 0, 1, one_lane()), 0));
  }
  const int last = iw_posted_u32() + 1 == block->blocks;
#endif
  if (last) {
    IW_PHASE(warp) {
      if (warp == 0) {
        uint32_t total = 0;
        for (size_t b = 0; b < block->blocks; b++)
          total += iw_get(args->scratch + b); /* BUG: last_by_atomic */
        iw_set(args->out, total);
        BUG(iw_global_exchange(args->counter, 0, 0, one_lane()), (void)0);
      }
    }
  }
}

/* A tile state is read as an ordinary word. */
HAND_OVER(plain_read_of_slot)
  const uint32_t sum = tile + 1;
  IW_PHASE(warp) {
    if (warp == 0)
      iw_publish(args->slots, tile, flag, sum); /* BUG: plain_read_of_slot */
  }
  IW_PHASE(warp) {
    if (warp == 0) {
      uint32_t before = 0;
      if (tile > 0) {
#ifdef FIXED
        AWAIT(got, iw_poll_u32, tile - 1, flag);
        before = iw_at(got.value, 0);
#else
        for (unsigned spins = 0; spins < 1000 && iw_get(args->slots + tile - 1) >> 32 != flag;) /* BUG: plain_read_of_slot */
          iw_pause(&spins);
        before = (uint32_t)iw_get(args->slots + tile - 1); /* BUG: plain_read_of_slot */
        (void)got;
#endif
      }
      iw_set(args->out + tile, before + sum);
      (void)first;
    }
  }
HAND_OVER_END

/* A tile state is cleared by a plain store, in the launch that publishes to it. */
HAND_OVER(plain_clear_of_slot)
  IW_PHASE(warp) {
    if (BUG(warp == 0, warp == block->warps))
      iw_set(args->slots + tile, 0); /* BUG: plain_clear_of_slot */
  }
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_publish(args->slots, tile, flag, tile + 1); /* BUG: plain_clear_of_slot */
      uint32_t before = 0;
      if (tile > 0) {
        AWAIT(got, iw_poll_u32, tile - 1, flag); /* BUG: plain_clear_of_slot */
        before = iw_at(got.value, 0);
      }
      iw_set(args->out + tile, before + tile + 1);
      (void)first;
    }
  }
HAND_OVER_END

/* Two blocks publish to one slot. */
HAND_OVER(two_publishers)
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_publish(args->slots, BUG(tile / 2, tile), flag, tile + 1); /* BUG: two_publishers */
      iw_set(args->out + tile, tile + 1);
      (void)first, (void)got;
    }
  }
HAND_OVER_END

/* Without the epoch a flag of the launch before is taken for one of this launch. Two launches. */
HAND_OVER(flag_without_epoch)
  const uint32_t mine = BUG(1, flag);
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_publish(args->slots, tile, mine, tile + 1); /* BUG: flag_without_epoch */
      uint32_t before = 0;
      if (tile > 0) {
        AWAIT(got, iw_poll_u32, tile - 1, mine); /* BUG: flag_without_epoch */
        before = iw_at(got.value, 0);
      }
      iw_set(args->out + tile, before + tile + 1);
      (void)first, (void)flag;
    }
  }
HAND_OVER_END

/* Flag 0 means that nothing was published. */
HAND_OVER(flag_0)
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_publish(args->slots, tile, BUG(0, flag), tile + 1); /* BUG: flag_0 */
      iw_set(args->out + tile, tile + 1);
      (void)first, (void)got, (void)flag;
    }
  }
HAND_OVER_END

/* A tile state goes from aggregate to inclusive prefix, not back. */
HAND_OVER(flags_descend)
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_publish(args->slots, tile, flag + BUG(1, 0), tile + 1); /* BUG: flags_descend */
      iw_publish(args->slots, tile, flag + BUG(0, 1), tile + 1); /* BUG: flags_descend */
      iw_set(args->out + tile, tile + 1);
      (void)first, (void)got;
    }
  }
HAND_OVER_END

/* Tile states that nothing has cleared: any bits may look like a flag of this launch. */
HAND_OVER(slot_not_cleared)
  IW_PHASE(warp) {
    if (warp == 0) {
      got = iw_poll_u32(args->slots, tile, 0, 1); /* BUG: slot_not_cleared */
      iw_publish(args->slots, tile, flag, tile + 1);
      iw_set(args->out + tile, iw_at(got.flag, 0) == flag ? 0 : tile + 1);
      (void)first;
    }
  }
HAND_OVER_END

/* The same, seen only if the poll comes before the publish. */
HAND_OVER(slots_not_cleared)
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_publish(args->slots, tile, flag, tile + 1);
      if (tile > 0)
        AWAIT(got, iw_poll_u32, tile - 1, flag); /* BUG: slots_not_cleared */
      iw_set(args->out + tile, tile + 1);
      (void)first;
    }
  }
HAND_OVER_END

/* A counter that all blocks add to, and one that reads it as an ordinary word. */
IW_KERNEL(global_atomic_and_plain, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const uint32_t sum = iw_warp_sum(iw_load(args->in + here.first, here.valid));
    iw_global_add(args->scratch, 0, sum, one_lane()); /* BUG: global_atomic_and_plain */
  }
  if (BUG(1, iw_is_last_block(args->counter))) {
    IW_PHASE(warp) {
      if (warp == 0)
        iw_global_max(args->out, 0, iw_get(args->scratch), one_lane()); /* BUG: global_atomic_and_plain */
    }
  }
}

/* A stencil in place: the neighbour's element may be old or new. in and out are the same array. */
IW_KERNEL(stencil_in_place, nothing, bug_args)
{
  IW_VAR(iw_u32, y);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const uint32_t *const in = BUG(args->out, args->in);
    const iw_u32 x = iw_load(in + here.first, here.valid);
    const iw_u32 z = iw_load(in + here.first + 1, iw_lanes_within(here.first + 1, args->n)); /* BUG: stencil_in_place */
    IW_MY(y) = iw_add(x, z);
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->out + here.first, IW_MY(y), here.valid); /* BUG: stencil_in_place */
  }
}

/* Blocks overlap by one element. */
IW_KERNEL(blocks_overlap, nothing, bug_args)
{
  IW_PHASE(warp) {
    const unsigned thread = warp * IW_WARP_SIZE;
    const size_t first = block->index * (block->threads - BUG(1, 0)) + thread;
    const iw_pred some = iw_and(iw_active(warp), iw_lanes_within(first, args->n));
    const iw_u32 x = iw_load(args->in + first, some);
    iw_store(args->out + first, iw_add(x, BUG(thread + 1, 1)), some); /* BUG: blocks_overlap */
  }
}

/* Atomics of the block's scope on memory that other blocks change too. */
IW_KERNEL(scope_too_small, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    BUG(iw_shared_add, iw_global_add)(args->out, bin_of(x), 1, here.valid); /* BUG: scope_too_small */
  }
}

/* A lock of relaxed atomics excludes other blocks, but does not order what they wrote. */
IW_KERNEL(lock, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  IW_PHASE(warp) {
    if (warp == 0) {
#ifdef FIXED
      iw_global_add(args->out, 0, sum, one_lane());
#else
      for (unsigned spins = 0; iw_at(iw_global_exchange(args->counter, 0, 1, one_lane()), 0) == 1;)
        iw_pause(&spins);
      iw_set(args->out, iw_get(args->out) + sum); /* BUG: lock */
      iw_global_exchange(args->counter, 0, 0, one_lane());
#endif
    }
  }
}

/* Atomics of 4 and of 8 bytes at one place. */
IW_KERNEL(two_widths, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const uint32_t sum = iw_warp_sum(iw_load(args->in + here.first, here.valid));
    if (BUG(block->index % 2 == 0, 0))
      iw_global_add((uint32_t *)args->slots, 0, sum, one_lane()); /* BUG: two_widths */
    else
      iw_global_add(args->slots, 0, sum, one_lane()); /* BUG: two_widths */
    iw_global_add(args->out, 0, sum, one_lane());
  }
}
