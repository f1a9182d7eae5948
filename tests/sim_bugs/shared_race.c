/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs: races within a block, and within a warp. See bug.h.
 */
#include "bug.h"

typedef struct { uint32_t tile[1024]; } tile_shared;
typedef struct { uint32_t bins[BINS]; } bins_shared;
typedef struct { uint32_t value; } value_shared;

/* Reverses the elements of each block. */
IW_KERNEL(reversal, tile_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(shared->tile + warp * IW_WARP_SIZE, x, here.valid); /* BUG: reversal */
  BUG(, PHASE_BOUNDARY)
    const unsigned thread = warp * IW_WARP_SIZE;
    const iw_u32 from = iw_sub(iw_splat_u32(block->threads - 1), iw_iota_u32(thread));
    const iw_u32 y = iw_gather(shared->tile, from, iw_active(warp)); /* BUG: reversal */
    iw_store(args->out + block->index * block->threads + thread, y, iw_active(warp));
  }
}

/* The same: IW_WARPS has no barrier at its end. */
IW_KERNEL(warps_for_phase, tile_shared, bug_args)
{
  BUG(IW_WARPS(warp), IW_PHASE(warp)) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(shared->tile + warp * IW_WARP_SIZE, x, here.valid); /* BUG: warps_for_phase */
  }
  IW_PHASE(warp) {
    const unsigned thread = warp * IW_WARP_SIZE;
    const iw_u32 from = iw_sub(iw_splat_u32(block->threads - 1), iw_iota_u32(thread));
    const iw_u32 y = iw_gather(shared->tile, from, iw_active(warp)); /* BUG: warps_for_phase */
    iw_store(args->out + block->index * block->threads + thread, y, iw_active(warp));
  }
}

/* Hillis and Steele's scan of a block reads what other warps overwrite in the same step. */
IW_KERNEL(scan_in_place, tile_shared, bug_args)
{
  IW_VAR(iw_u32, sum);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(shared->tile + warp * IW_WARP_SIZE, x, iw_active(warp));
  }
  for (unsigned distance = 1; distance < block->threads; distance *= 2) {
    IW_PHASE(warp) {
      const iw_u32 i = iw_iota_u32(warp * IW_WARP_SIZE);
      const iw_pred some = iw_and(iw_ge(i, distance), iw_active(warp));
      const iw_u32 left = iw_gather(shared->tile, iw_sub(i, distance), some); /* BUG: scan_in_place */
      IW_MY(sum) = iw_add(iw_load(shared->tile + warp * IW_WARP_SIZE, iw_active(warp)), left);
    BUG(, PHASE_BOUNDARY)
      iw_store(shared->tile + warp * IW_WARP_SIZE, IW_MY(sum), iw_active(warp)); /* BUG: scan_in_place */
    }
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->out + here.first, iw_load(shared->tile + warp * IW_WARP_SIZE, here.valid), here.valid);
  }
}

/* One warp merges the block's bins while others still count. */
IW_KERNEL(merge_too_early, bins_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_store(shared->bins, 0, bin_lanes());
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_shared_add(shared->bins, bin_of(x), 1, here.valid); /* BUG: merge_too_early */
  BUG(, PHASE_BOUNDARY)
    if (warp == 0) {
      const iw_u32 count = iw_load(shared->bins, bin_lanes()); /* BUG: merge_too_early */
      iw_global_add(args->out, iw_lane(), count, bin_lanes());
    }
  }
}

/* One warp clears the bins while others already count. */
IW_KERNEL(clear_and_count, bins_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_store(shared->bins, 0, bin_lanes()); /* BUG: clear_and_count */
  BUG(, PHASE_BOUNDARY)
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_shared_add(shared->bins, bin_of(x), 1, here.valid); /* BUG: clear_and_count */
  }
  IW_PHASE(warp) {
    if (warp == 0) {
      const iw_u32 count = iw_load(shared->bins, bin_lanes());
      iw_global_add(args->out, iw_lane(), count, bin_lanes());
    }
  }
}

/* bins[b]++ without atomics. */
IW_KERNEL(plain_increment, bins_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_store(shared->bins, 0, bin_lanes());
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 bin = bin_of(iw_load(args->in + here.first, here.valid));
#ifdef FIXED
    iw_shared_add(shared->bins, bin, 1, here.valid);
#else
    const iw_u32 old = iw_gather(shared->bins, bin, here.valid); /* BUG: plain_increment */
    iw_scatter(shared->bins, bin, iw_add(old, 1), here.valid); /* BUG: plain_increment */
#endif
  }
  IW_PHASE(warp) {
    if (warp == 0)
      iw_global_add(args->out, iw_lane(), iw_load(shared->bins, bin_lanes()), bin_lanes());
  }
}

/* The second tile overwrites the first one while other warps still read it. */
IW_KERNEL(next_tile, tile_shared, bug_args)
{
  for (size_t start = 0; start < args->n; start += block->threads) {
    IW_PHASE(warp) {
      const iw_span here = iw_elements_from(warp, start, args->n);
      const iw_u32 x = iw_load(args->in + here.first, here.valid);
      iw_store(shared->tile + warp * IW_WARP_SIZE, x, iw_active(warp)); /* BUG: next_tile */
    }
    BUG(IW_WARPS(warp), IW_PHASE(warp)) {
      const iw_span here = iw_elements_from(warp, start, args->n);
      const iw_u32 i = iw_iota_u32(warp * IW_WARP_SIZE);
      const iw_u32 next = iw_rem(iw_add(i, 1), block->threads);
      const iw_u32 y = iw_gather(shared->tile, next, here.valid); /* BUG: next_tile */
      iw_store(args->out + here.first, y, here.valid);
    }
  }
}

/* A stencil reads one element of the neighbouring warp. */
IW_KERNEL(warp_edge, tile_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(shared->tile + warp * IW_WARP_SIZE, x, iw_active(warp)); /* BUG: warp_edge */
  BUG(, PHASE_BOUNDARY)
    const unsigned thread = warp * IW_WARP_SIZE;
    const iw_span again = iw_elements(warp, args->n);
    const iw_pred with_next = iw_lanes_within(thread + 1, block->threads);
    const iw_u32 y = iw_load(shared->tile + thread, iw_active(warp));
    const iw_u32 z = iw_load(shared->tile + thread + 1, with_next); /* BUG: warp_edge */
    iw_store(args->out + again.first, iw_add(y, z), again.valid);
  }
}

/* The steps of a tree in one phase. */
IW_KERNEL(tree_in_one_phase, tile_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(shared->tile + warp * IW_WARP_SIZE, x, iw_active(warp));
  }
#ifdef FIXED
  for (unsigned half = block->threads / 2; half > 0; half /= 2)
    IW_PHASE(warp) {
#else
  IW_PHASE(warp) {
    for (unsigned half = block->threads / 2; half > 0; half /= 2) {
#endif
      const unsigned thread = warp * IW_WARP_SIZE;
      const iw_pred some = iw_lanes_within(thread, half);
      uint32_t *const mine = shared->tile + thread;
      const iw_u32 x = iw_load(mine, some); /* BUG: tree_in_one_phase */
      const iw_u32 y = iw_load(mine + half, some); /* BUG: tree_in_one_phase */
      iw_store(mine, iw_add(x, y), some); /* BUG: tree_in_one_phase */
    }
#ifndef FIXED
  }
#endif
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out + block->index, iw_get(shared->tile));
  }
}

/* Each warp writes its own maximum to one place. */
IW_KERNEL(last_warp_wins, value_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(&shared->value, 0);
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const uint32_t most = iw_warp_max(iw_load(args->in + here.first, here.valid));
    BUG(iw_set(&shared->value, most), iw_shared_max(&shared->value, 0, most, one_lane())); /* BUG: last_warp_wins */
  }
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out + block->index, iw_get(&shared->value));
  }
}

/* Compares, then writes: another warp may write in between. */
IW_KERNEL(compare_then_set, value_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(&shared->value, 0);
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const uint32_t most = iw_warp_max(iw_load(args->in + here.first, here.valid));
#ifdef FIXED
    iw_shared_max(&shared->value, 0, most, one_lane());
#else
    if (iw_get(&shared->value) < most) /* BUG: compare_then_set */
      iw_set(&shared->value, most); /* BUG: compare_then_set */
#endif
  }
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out + block->index, iw_get(&shared->value));
  }
}

/* All warps write the same value, and one reads it in the same phase. */
IW_KERNEL(initialised_by_all, value_shared, bug_args)
{
  IW_PHASE(warp) {
    if (BUG(1, warp == 0))
      iw_set(&shared->value, 1); /* BUG: initialised_by_all */
  BUG(, PHASE_BOUNDARY)
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const uint32_t one = iw_get(&shared->value); /* BUG: initialised_by_all */
    iw_store(args->out + here.first, iw_add(x, one), here.valid);
  }
}

/* A plain read of counters that other warps change by atomics. */
IW_KERNEL(atomic_and_plain, value_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(&shared->value, 0);
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_shared_add(&shared->value, 0, iw_warp_sum(x), one_lane()); /* BUG: atomic_and_plain */
  BUG(, PHASE_BOUNDARY)
    if (warp == 0)
      iw_set(args->out + block->index, iw_get(&shared->value)); /* BUG: atomic_and_plain */
  }
}

/* A lane does not see in the same phase what atomics of other lanes of its warp wrote. */
IW_KERNEL(atomic_read_back, bins_shared, bug_args)
{
  IW_PHASE(warp) {
    iw_store(shared->bins, 0, bin_lanes());
  BUG(, PHASE_BOUNDARY)
    const iw_u32 x = iw_load(args->in, iw_lanes_below((int64_t)args->n));
    iw_shared_add(shared->bins, bin_of(x), 1, iw_lanes_below((int64_t)args->n)); /* BUG: atomic_read_back */
  BUG(, PHASE_BOUNDARY)
    const iw_u32 count = iw_load(shared->bins, bin_lanes()); /* BUG: atomic_read_back */
    iw_store(args->out, count, bin_lanes());
  }
}

/* Several lanes of one scatter have the same place and different values. */
IW_KERNEL(two_lanes_one_place, tile_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_store(shared->tile, 0, bin_lanes());
      const iw_pred some = iw_lanes_below((int64_t)args->n);
      const iw_u32 x = iw_load(args->in, some);
      BUG(iw_scatter(shared->tile, bin_of(x), x, some), iw_shared_max(shared->tile, bin_of(x), x, some)); /* BUG: two_lanes_one_place */
    }
  }
  IW_PHASE(warp) {
    if (warp == 0)
      iw_store(args->out, iw_load(shared->tile, bin_lanes()), bin_lanes());
  }
}

/* One warp scatters, another one reads. */
IW_KERNEL(scatter_and_read, tile_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_u32 to = iw_sub(iw_splat_u32(block->threads - 1), iw_iota_u32(warp * IW_WARP_SIZE));
    iw_scatter(shared->tile, to, x, iw_active(warp)); /* BUG: scatter_and_read */
  BUG(, PHASE_BOUNDARY)
    const unsigned thread = warp * IW_WARP_SIZE;
    const iw_u32 y = iw_load(shared->tile + thread, iw_active(warp)); /* BUG: scatter_and_read */
    iw_store(args->out + block->index * block->threads + thread, y, iw_active(warp));
  }
}

/* Two warps post in one phase. */
IW_KERNEL(two_posts, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    if (BUG(here.count > 0, warp == 0))
      iw_post_u32(iw_warp_max(x)); /* BUG: two_posts */
  }
  const uint32_t most = iw_posted_u32();
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out, most);
  }
}

/* A post and a posted ticket share one word. */
IW_KERNEL(post_and_ticket, nothing, bug_args)
{
  iw_tickets_epoch(args->tickets);
  IW_PHASE(warp) {
    if (warp == 1)
      iw_ticket_post(iw_ticket_request(args->tickets)); /* BUG: post_and_ticket */
#ifdef FIXED
  }
  const uint32_t ticket = iw_ticket_receive();
  IW_PHASE(warp) {
#endif
    if (warp == 0)
      iw_post_u32(7); /* BUG: post_and_ticket */
  }
  const uint32_t posted = iw_posted_u32();
  const uint32_t tile = BUG(0, ticket);
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out + tile, posted);
  }
  iw_tickets_close(args->tickets);
}

/* What iw_compact may overwrite behind its elements are those of the next warp. */
typedef struct { uint32_t packed[1024 / IW_WARP_SIZE][2 * IW_WARP_SIZE]; } packed_shared;
IW_KERNEL(compact_over_neighbour, packed_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    uint32_t *const to = args->out + here.first / 2; /* half of the elements are odd */
    uint32_t *const packed = BUG(to, shared->packed[warp]);
    const unsigned count = iw_compact(packed, x, iw_eq(iw_and(x, 1), 1)); /* BUG: compact_over_neighbour */
    iw_store(to, iw_load(packed, iw_lanes_below(count)), iw_lanes_below(count)); /* BUG: compact_over_neighbour */
  }
}

/* One thread's worth of work by all warps: each warp writes the block's result to the same place. */
IW_KERNEL(index_without_warp, tile_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(shared->tile + BUG(0, warp * IW_WARP_SIZE), x, iw_active(warp)); /* BUG: index_without_warp */
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(shared->tile + warp * IW_WARP_SIZE, BUG(iw_lanes_within(warp * IW_WARP_SIZE, 1), here.valid));
    iw_store(args->out + here.first, iw_add(x, 1), here.valid);
  }
}

/* A race in global memory between warps of one block. */
IW_KERNEL(global_within_block, nothing, bug_args)
{
  IW_PHASE(warp) {
    const size_t first = block->index * block->threads;
    const unsigned thread = warp * IW_WARP_SIZE;
    const iw_u32 x = iw_load(args->in + first + thread, iw_active(warp));
    iw_store(args->scratch + first + thread, x, iw_active(warp)); /* BUG: global_within_block */
  BUG(, PHASE_BOUNDARY)
    const iw_u32 from = iw_sub(iw_splat_u32(block->threads - 1), iw_iota_u32(warp * IW_WARP_SIZE));
    const size_t begin = block->index * block->threads;
    const iw_u32 y = iw_gather(args->scratch + begin, from, iw_active(warp)); /* BUG: global_within_block */
    iw_store(args->out + begin + warp * IW_WARP_SIZE, y, iw_active(warp));
  }
}

/* Two warps change neighbouring bytes by words: each overwrites the other's. */
IW_KERNEL(word_for_byte, tile_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(shared->tile, 0);
  }
  IW_PHASE(warp) {
    if (warp < 2) {
#ifdef FIXED
      iw_store_u8((uint8_t *)shared->tile + warp, iw_splat_u32(warp + 1), one_lane());
#else
      const uint32_t word = iw_get(shared->tile); /* BUG: word_for_byte */
      iw_set(shared->tile, word | (warp + 1) << 8 * warp); /* BUG: word_for_byte */
#endif
    }
  }
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out, iw_get(shared->tile));
  }
}
