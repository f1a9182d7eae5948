/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that look suspicious and are right: the simulator finds nothing. Compiled with -DFIXED only. See bug.h.
 */
#include "bug.h"

typedef struct { uint32_t tile[1024]; } tile_shared;
typedef struct { uint8_t bytes[1024]; } bytes_shared;
typedef struct { uint32_t bins[BINS]; } bins_shared;

/* Neighbouring bytes of one word belong to two warps, or to two blocks. */
IW_KERNEL(neighbouring_bytes, bytes_shared, bug_args)
{
  IW_PHASE(warp) {
    const size_t first = block->index * (block->warps * 3u) + warp * 3;
    const iw_u32 x = iw_load(args->in + first, iw_lanes_below(3));
    iw_store_u8(shared->bytes + warp * 3, x, iw_lanes_below(3));
    iw_store_u8((uint8_t *)args->out + first, iw_load_u8(shared->bytes + warp * 3, iw_lanes_below(3)), iw_lanes_below(3));
  }
}

/* Lanes of one scatter write the same value to one place. */
IW_KERNEL(equal_values, tile_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0) {
      const iw_pred some = iw_lanes_below((int64_t)args->n);
      const iw_u32 bin = bin_of(iw_load(args->in, some));
      iw_store(shared->tile, 0, bin_lanes());
      iw_scatter(shared->tile, bin, iw_add(bin, 1), some);
      iw_store(args->out, iw_load(shared->tile, bin_lanes()), bin_lanes());
    }
  }
}

/* A warp reads what it has stored, in the same phase, in another lane. */
IW_KERNEL(own_stores, tile_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    uint32_t *const mine = shared->tile + warp * IW_WARP_SIZE;
    iw_store(mine, iw_load(args->in + here.first, here.valid), iw_lanes_below(IW_WARP_SIZE));
    const iw_u32 y = iw_gather(mine, iw_sub(iw_splat_u32(IW_WARP_SIZE - 1), iw_lane()), iw_lanes_below(IW_WARP_SIZE));
    iw_store(mine, y, iw_lanes_below(IW_WARP_SIZE));
    iw_store(args->out + here.first, iw_load(mine, here.valid), here.valid);
  }
}

/* A collective and a store of the warp under iw_wanted: the whole warp takes the branch. */
IW_KERNEL(wanted, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_pred odd = iw_and(iw_eq(iw_and(x, 1), 1), here.valid);
    iw_store(args->out + here.first, 0, here.valid);
    if (iw_wanted(odd)) {
      const uint32_t count = iw_warp_sum(iw_select(odd, iw_splat_u32(1), 0));
      iw_store(args->out + here.first, iw_splat(count), odd);
    }
  }
}

/* A prefetch past the end, and pointers past the end whose lanes are all off. */
IW_KERNEL(past_the_end, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_prefetch(args->in + here.first + 100000, 4096);
    const iw_u32 none = iw_load(args->in + args->n + 100000, iw_lanes_below(0));
    const iw_u32 far = iw_gather(args->in, iw_splat_u32(0xfffffff0), iw_lanes_below(0));
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(args->out + here.first, iw_add(iw_add(x, 1), iw_add(none, far)), here.valid);
  }
}

/* Lanes that nobody has set, whose predicate is false. */
IW_KERNEL(unset_and_unused, tile_shared, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    if (here.count > 0)
      IW_MY(x) = iw_load(args->in + here.first, here.valid);
    iw_store(shared->tile + warp * IW_WARP_SIZE, IW_MY(x), here.valid);
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 y = iw_select(here.valid, IW_MY(x), 0);
    const iw_u32 all = iw_load(shared->tile + warp * IW_WARP_SIZE, iw_active(warp));
    iw_store(args->out + here.first, iw_add(iw_add(y, 1), iw_mul(iw_select(here.valid, all, 0), 0)), here.valid);
  }
}

/* A copy of memory that is set in part: nobody decides by it. */
IW_KERNEL(copy_of_unset, tile_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(shared->tile + warp * IW_WARP_SIZE, iw_load(args->in + here.first, here.valid), here.valid);
  }
  IW_PHASE(warp) {
    const size_t thread = block->index * block->threads + warp * IW_WARP_SIZE;
    iw_store(args->scratch + thread, iw_load(shared->tile + warp * IW_WARP_SIZE, iw_active(warp)), iw_active(warp));
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->out + here.first, iw_add(iw_load(args->scratch + here.first, here.valid), 1), here.valid);
  }
}

/* Atomics of all warps on the same counters, and one warp that reads them in the next phase. */
IW_KERNEL(atomics_only, bins_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_store(shared->bins, 0, bin_lanes());
  }
  for (unsigned k = 0; k < 2; k++)
    IW_PHASE(warp) {
      const iw_span here = iw_elements(warp, args->n);
      const iw_u32 x = iw_load(args->in + here.first, here.valid);
      iw_shared_add(shared->bins, bin_of(x), k, here.valid);
      iw_shared_max(shared->bins, bin_of(x), 0, here.valid);
    }
  IW_PHASE(warp) {
    if (warp == 0)
      iw_global_add(args->out, iw_lane(), iw_load(shared->bins, bin_lanes()), bin_lanes());
  }
}

/* Aggregate first, inclusive prefix later, by the owner of the slot; slots keep the flags of the launch before. Two launches. */
IW_KERNEL(look_back, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  uint32_t tile;
  const uint32_t epoch = iw_tickets_open(args->tickets, &tile);
  IW_PHASE(warp) {
    const iw_span here = iw_elements_from(warp, (size_t)tile * block->threads, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  IW_PHASE(warp) {
    if (warp == 0) {
      uint32_t before = 0;
      iw_publish(args->slots, tile, epoch * 4 + (tile == 0 ? 2 : 1), sum);
      for (int64_t t = (int64_t)tile - 1; t >= 0; t--) {
        unsigned spins = 0;
        iw_polled_u32 got;
        while (got = iw_poll_u32(args->slots, t, 0, 1), iw_at(got.flag, 0) >> 2 != epoch)
          iw_pause(&spins);
        before += iw_at(got.value, 0);
        if ((iw_at(got.flag, 0) & 3) == 2)
          break;
      }
      if (tile > 0)
        iw_publish(args->slots, tile, epoch * 4 + 2, before + sum);
      iw_set(args->out + tile, before + sum);
    }
  }
  iw_tickets_close(args->tickets);
}

/* A hash of the element's index wraps, and chooses a place within the table. */
IW_KERNEL(wrapped_hash, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 hash = iw_mul(iw_iota_u32(here.first), 2654435761u);
    const iw_u32 x = iw_gather(args->in, iw_rem(hash, (uint32_t)args->n), here.valid);
    iw_store(args->out + here.first, iw_add(iw_mul(x, 0), 1), here.valid);
  }
}

/* Shuffles across the end of the warp keep the lane's own value. */
IW_KERNEL(shuffle_edges, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_u32 y = iw_shuffle_down(x, 1, IW_WARP_SIZE);
    const iw_u32 z = iw_shuffle_up(x, IW_WARP_SIZE - 1, IW_WARP_SIZE);
    const iw_u32 w = iw_shuffle(x, iw_add(iw_lane(), 1000), 8);
    iw_store(args->out + here.first, iw_add(iw_add(x, 1), iw_mul(iw_add(iw_add(y, z), w), 0)), here.valid);
  }
}

/* A lock that is tried for some time only: the wait ends by itself. */
IW_KERNEL(gives_up, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    unsigned spins = 0;
    for (unsigned k = 0; k < 500; k++) {
      if (iw_at(iw_global_exchange(args->scratch, 0, 1, one_lane()), 0) == 0)
        break;
      iw_pause(&spins);
    }
    iw_store(args->out + here.first, iw_add(iw_load(args->in + here.first, here.valid), 1), here.valid);
  }
}

/* The last warp is not full: lanes that are no threads hold what the kernel computes in them, here 0. */
IW_KERNEL(butterfly_of_part, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_u32 sum = iw_load(args->in + here.first, here.valid);
    for (unsigned distance = 16; distance > 0; distance /= 2)
      sum = iw_add(sum, iw_shuffle_xor(sum, distance, 32));
    iw_store(args->out + here.first, sum, here.valid);
  }
}

/* Lanes that have read a flag set it to the same value. */
IW_KERNEL(flags_set_by_several, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 bin = bin_of(iw_load(args->in + here.first, here.valid));
    const iw_pred unset = iw_and(iw_eq(iw_gather(args->out, bin, here.valid), 0), here.valid);
    iw_scatter(args->out, bin, iw_splat_u32(1), unset);
  }
}
