/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs: values that nobody has set. See bug.h.
 */
#include "bug.h"

typedef struct { uint32_t bins[BINS]; } bins_shared;

/* Shared memory is not zero when a block starts. */
IW_KERNEL(bins_not_cleared, bins_shared, bug_args)
{
  IW_PHASE(warp) {
    if (BUG(args->n == 0, warp == 0))
      iw_store(shared->bins, 0, bin_lanes());
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_shared_add(shared->bins, bin_of(x), 1, here.valid); /* BUG: bins_not_cleared */
  }
  IW_PHASE(warp) {
    if (warp == 0) {
      const iw_u32 count = iw_load(shared->bins, bin_lanes()); /* BUG: bins_not_cleared */
      iw_global_add(args->out, iw_lane(), count, bin_lanes()); /* BUG: bins_not_cleared */
    }
  }
}

/* The same for counters in global memory: the host has not cleared out. */
IW_KERNEL(result_not_cleared, nothing, bug_args)
{
  IW_PHASE(warp) {
    if (BUG(args->n == 0, warp == 0))
      iw_store(args->out, 0, bin_lanes());
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_global_add(args->out, bin_of(x), 1, here.valid); /* BUG: result_not_cleared */
  }
}

/* Warps without elements skip the assignment, and the block sums up what they have. */
IW_KERNEL(sum_of_unset_warps, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    if (BUG(here.count > 0, 1))
      IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x); /* BUG: sum_of_unset_warps */
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out + block->index, sum);
  }
}

/* Lanes that are no threads of the block take part in sums of the warp. */
typedef struct { uint32_t sums[1024 / IW_WARP_SIZE]; } sums_shared;
IW_KERNEL(absent_threads, sums_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->scratch + here.first, 1, here.valid);
    const iw_u32 one = BUG(iw_splat_u32(1), iw_select(iw_active(warp), iw_splat_u32(1), 0));
    iw_set(shared->sums + warp, iw_warp_sum(one)); /* BUG: absent_threads */
  }
  IW_PHASE(warp) {
    if (warp == 0) {
      uint32_t threads = 0;
      for (unsigned w = 0; w < block->warps; w++)
        threads += iw_get(shared->sums + w);
      iw_set(args->out + block->index, threads);
    }
  }
}

/* The variable has no value before the first turn of the loop. */
IW_KERNEL(unset_variable, nothing, bug_args)
{
  IW_VAR(iw_u32, sum);
  IW_PHASE(warp) {
    if (BUG(args->n == 0, 1))
      IW_MY(sum) = iw_splat_u32(0);
    for (size_t start = 0; start < args->n; start += block->threads) {
      const iw_span here = iw_elements_from(warp, start, args->n);
      IW_MY(sum) = iw_add(IW_MY(sum), iw_load(args->in + here.first, here.valid));
    }
  }
  const uint32_t total = iw_block_sum(sum); /* BUG: unset_variable */
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out, total);
  }
}

/* The same, and the lanes go to memory that the host reads. */
IW_KERNEL(unset_lanes_stored, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    if (BUG(warp > 0, 1))
      IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->out + here.first, iw_add(IW_MY(x), 1), here.valid); /* BUG: unset_lanes_stored */
  }
}

/* A predicate that only the first warp sets. */
IW_KERNEL(unset_predicate, nothing, bug_args)
{
  IW_VAR(iw_pred, some);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    if (BUG(warp == 0, 1))
      IW_MY(some) = here.valid;
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(args->out + here.first, iw_add(x, 1), iw_and(IW_MY(some), here.valid)); /* BUG: unset_predicate */
  }
}

/* The ticket is received before it is posted. */
IW_KERNEL(ticket_before_post, nothing, bug_args)
{
  uint32_t tile = 0;
  iw_tickets_epoch(args->tickets);
  BUG(tile = iw_ticket_receive(), (void)0); /* BUG: ticket_before_post */
  IW_PHASE(warp) {
    if (warp == 0)
      iw_ticket_post(iw_ticket_request(args->tickets));
  }
  BUG((void)0, tile = iw_ticket_receive());
  IW_PHASE(warp) {
    if (tile < block->blocks) {
      const size_t first = tile * block->threads + warp * IW_WARP_SIZE;
      const iw_pred some = iw_lanes_within(first, args->n);
      iw_store(args->out + first, iw_add(iw_load(args->in + first, some), 1), some); /* BUG: ticket_before_post */
    }
  }
  iw_tickets_close(args->tickets);
}

/* A posted value is received once. */
IW_KERNEL(posted_twice, nothing, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_post_u32(1);
  }
  uint32_t one = iw_posted_u32();
  BUG(one = iw_posted_u32(), (void)one); /* BUG: posted_twice */
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(args->out + here.first, iw_add(x, one), here.valid); /* BUG: posted_twice */
  }
}

/* What stood behind the packed elements is unspecified after iw_compact. */
typedef struct { uint32_t packed[2 * IW_WARP_SIZE]; } packed_shared;
IW_KERNEL(behind_the_packed, packed_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_u32 x = iw_load(args->in, iw_lanes_below((int64_t)args->n));
    iw_store(shared->packed, 99, iw_lanes_below(IW_WARP_SIZE));
    iw_store(shared->packed + IW_WARP_SIZE, 99, iw_lanes_below(IW_WARP_SIZE));
    const unsigned count = iw_compact(shared->packed, x, iw_eq(iw_and(x, 1), 1));
    const iw_u32 packed = iw_load(shared->packed, BUG(iw_lanes_below(IW_WARP_SIZE), iw_lanes_below(count)));
    (void)count;
    const iw_u32 padded = BUG(packed, iw_select(iw_lanes_below(count), packed, 99));
    iw_store(args->out, padded, iw_lanes_below(IW_WARP_SIZE)); /* BUG: behind_the_packed */
  }
}

/* The last tile is not full, and all of it is read. */
typedef struct { uint32_t tile[1024]; } tile_shared;
IW_KERNEL(tile_partly_set, tile_shared, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 a = iw_load(args->in + here.first, here.valid);
    iw_store(shared->tile + warp * IW_WARP_SIZE, a, BUG(here.valid, iw_active(warp)));
  }
  IW_PHASE(warp) {
    const iw_u32 from = iw_sub(iw_splat_u32(block->threads - 1), iw_iota_u32(warp * IW_WARP_SIZE));
    IW_MY(x) = iw_gather(shared->tile, from, iw_active(warp)); /* BUG: tile_partly_set */
  }
  const uint32_t sum = iw_block_sum(x); /* BUG: tile_partly_set */
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out + block->index, sum);
  }
}

/* Nobody says no. */
typedef struct { uint32_t found; } found_shared;
IW_KERNEL(flag_never_cleared, found_shared, bug_args)
{
  IW_PHASE(warp) {
    if (BUG(args->n == 0, warp == 0))
      iw_set(&shared->found, 0);
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    if (iw_any(iw_gt(x, 1000)))
      iw_shared_max(&shared->found, 0, 1, one_lane());
  }
  IW_PHASE(warp) {
    if (warp == 0) {
      if (iw_get(&shared->found)) /* BUG: flag_never_cleared */
        iw_set(args->out + block->index, 1);
      else
        iw_set(args->out + block->index, 0);
    }
  }
}

/* Addresses that nobody has set. */
typedef struct { uint32_t order[1024]; } order_shared;
IW_KERNEL(unset_index, order_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_u32 i = iw_iota_u32(warp * IW_WARP_SIZE);
    const iw_pred chosen = BUG(iw_eq(iw_and(i, 1), 0), iw_active(warp));
    iw_scatter(shared->order, iw_sub(iw_splat_u32(block->threads - 1), i), i, iw_and(chosen, iw_active(warp)));
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 i = iw_load(shared->order + warp * IW_WARP_SIZE, here.valid);
    const iw_u32 x = iw_gather(args->in, iw_rem(i, (uint32_t)args->n), here.valid); /* BUG: unset_index */
    iw_store(args->out + here.first, x, here.valid);
  }
}

/* A result that the kernel writes in part; the host reads all of it. */
IW_KERNEL(result_partly_set, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_pred odd = iw_eq(iw_and(x, 1), 1);
    iw_store(args->out + here.first, iw_select(odd, x, 0), BUG(iw_and(odd, here.valid), here.valid));
  }
}

/* Scratch memory that the host has allocated and not set. */
IW_KERNEL(scratch_not_set, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    if (BUG(args->n == 0, 1))
      iw_store(args->scratch + here.first, 0, here.valid);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_u32 y = iw_load(args->scratch + here.first, here.valid); /* BUG: scratch_not_set */
    iw_store(args->out + here.first, iw_add(iw_add(x, y), 1), here.valid); /* BUG: scratch_not_set */
  }
}
