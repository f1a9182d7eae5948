/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs: accesses that leave their array, or are misaligned. See bug.h.
 */
#include "bug.h"

/* The last block has more threads than elements. */
IW_KERNEL(one_past_end, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(args->out + here.first, iw_add(x, 1), BUG(iw_active(warp), here.valid)); /* BUG: one_past_end */
  }
}

/* out[i] = in[i] + in[i + 1]: the last element has no right neighbour. */
IW_KERNEL(right_neighbour, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const size_t next = here.first + 1;
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_u32 y = iw_load(args->in + next, BUG(here.valid, iw_lanes_within(next, args->n))); /* BUG: right_neighbour */
    iw_store(args->out + here.first, iw_add(x, y), here.valid);
  }
}

/* out[i] = in[i] + in[i - 1]: the first element has no left neighbour. */
IW_KERNEL(left_neighbour, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_pred some = BUG(here.valid, iw_and(here.valid, iw_gt(iw_iota_u32(here.first), 0)));
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_u32 y = iw_load(args->in + here.first - 1, some); /* BUG: left_neighbour */
    iw_store(args->out + here.first, iw_add(x, y), here.valid);
  }
}

/* The same by indices of 32 bits: 0 - 1 wraps to 2^32 - 1. */
IW_KERNEL(index_wraps, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 i = iw_iota_u32(here.first);
    const iw_pred some = BUG(here.valid, iw_and(here.valid, iw_gt(i, 0)));
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_u32 y = iw_gather(args->in, iw_sub(i, 1), some); /* BUG: index_wraps */
    iw_store(args->out + here.first, iw_add(x, y), here.valid);
  }
}

/* Values are 0 ... 32, so 32 is in bin 8, which is the member behind the bins. */
typedef struct { uint32_t bins[BINS]; uint32_t total; } bins_and_total;
IW_KERNEL(bin_n, bins_and_total, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_store(shared->bins, 0, bin_lanes());
      iw_set(&shared->total, 0);
    }
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_u32 bin = BUG(bin_of(x), iw_min(bin_of(x), BINS - 1));
    iw_shared_add(shared->bins, bin, 1, here.valid); /* BUG: bin_n */
    iw_shared_add(&shared->total, 0, here.count, one_lane());
  }
  IW_PHASE(warp) {
    if (warp == 0)
      iw_global_add(args->out, iw_lane(), iw_load(shared->bins, bin_lanes()), bin_lanes());
  }
}

/* The same with counters in global memory. */
IW_KERNEL(global_bin_n, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_u32 bin = BUG(bin_of(x), iw_min(bin_of(x), BINS - 1));
    iw_global_add(args->out, bin, 1, here.valid); /* BUG: global_bin_n */
  }
}

/* Written for blocks of 128 threads, and launched with 256. */
typedef struct { uint32_t tile[BUG(128, 1024)]; uint32_t behind[1024]; } tile_shared;
IW_KERNEL(tile_too_small, tile_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(shared->tile + warp * IW_WARP_SIZE, x, here.valid); /* BUG: tile_too_small */
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(shared->tile + warp * IW_WARP_SIZE, here.valid); /* BUG: tile_too_small */
    iw_store(args->out + here.first, iw_add(x, 1), here.valid);
  }
}

/* iw_compact may overwrite a warp's worth of elements behind those that it packs. out ends there. */
typedef struct { uint32_t packed[2 * IW_WARP_SIZE]; } packed_shared;
IW_KERNEL(compact_without_slack, packed_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_u32 x = iw_load(args->in, iw_lanes_below((int64_t)args->n));
    const iw_pred odd = iw_eq(iw_and(x, 1), 1);
    const unsigned count = iw_compact(BUG(args->out, shared->packed), x, odd); /* BUG: compact_without_slack */
    iw_store(args->out, iw_load(BUG(args->out, shared->packed), iw_lanes_below(count)), iw_lanes_below(count));
  }
}

/* A header of one byte in front of the words. */
IW_KERNEL(misaligned_words, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const uint32_t *const words = (const uint32_t *)((const char *)args->in + BUG(1, 4));
    const iw_u32 x = iw_load(words + here.first, here.valid); /* BUG: misaligned_words */
    iw_store(args->out + here.first, iw_add(x, 1), here.valid);
  }
}

/* in is a permutation of 1 ... n, not of 0 ... n - 1. */
IW_KERNEL(permutation_from_1, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 to = iw_load(args->in + here.first, here.valid);
    const iw_u32 i = iw_iota_u32(here.first);
    iw_scatter(args->out, BUG(to, iw_sub(to, 1)), i, here.valid); /* BUG: permutation_from_1 */
  }
}

/* Adds the sum of the blocks before this one; the first block has none before it. */
IW_KERNEL(sum_before_first, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    uint32_t before = 0;
    if (BUG(1, block->index > 0))
      before = iw_get(args->scratch + block->index - 1); /* BUG: sum_before_first */
    iw_store(args->out + here.first, iw_add(x, before), here.valid);
  }
}

/* One sum for each block, and out has one element for each block. */
IW_KERNEL(sums_from_1, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out + block->index + BUG(1, 0), sum); /* BUG: sums_from_1 */
  }
}

IW_TABLE(uint32_t, weights, 4) = { 1, 10, 100, 1000 };
IW_KERNEL(table_end, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_u32 weight = iw_gather(weights, iw_rem(x, BUG(5, 4)), here.valid); /* BUG: table_end */
    iw_store(args->out + here.first, weight, here.valid);
  }
}

/* A slot of an 8-byte value is two words; the host has allocated one for each block. */
IW_KERNEL(slots_too_small, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  const uint32_t epoch = iw_tickets_epoch(args->tickets);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_publish(args->slots, block->index, epoch * 4 + 1, BUG((uint64_t)sum, sum)); /* BUG: slots_too_small */
      iw_set(args->out + block->index, sum);
    }
  }
  iw_tickets_close(args->tickets);
}

/* The branch is taken by the whole warp; it does not mask the lanes. */
IW_KERNEL(wanted_is_no_mask, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_pred some = here.valid;
    if (iw_wanted(some)) {
      const iw_u32 x = iw_load(args->in + here.first, some);
      iw_store(args->out + here.first, iw_add(x, 1), BUG(iw_active(warp), some)); /* BUG: wanted_is_no_mask */
    }
  }
}

/* An index that leads from one array to another one that exists. */
IW_KERNEL(into_another_array, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const uint64_t away = (uint64_t)(((intptr_t)args->scratch - (intptr_t)args->in) / 4);
    const iw_u64 i = iw_add(iw_iota_u64(here.first), BUG(away, away * 0));
    const iw_u32 x = iw_gather_far(args->in, i, here.valid); /* BUG: into_another_array */
    iw_store(args->out + here.first, iw_add(x, 1), here.valid);
  }
}

/* The host gives one block more than there are elements for, and the kernel does not compare with n. */
IW_KERNEL(no_comparison_with_n, nothing, bug_args)
{
  IW_PHASE(warp) {
    const size_t first = block->index * block->threads + warp * IW_WARP_SIZE;
    const iw_pred some = BUG(iw_active(warp), iw_lanes_within(first, args->n));
    const iw_u32 x = iw_load(args->in + first, some); /* BUG: no_comparison_with_n */
    iw_store(args->out + first, iw_add(x, 1), some); /* BUG: no_comparison_with_n */
  }
}

/* The host's mistakes: in is host memory; scratch was freed. The kernel is right. */
IW_KERNEL(host_memory, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid); /* BUG: host_memory */
    iw_store(args->out + here.first, iw_add(x, 1), here.valid);
  }
}
IW_KERNEL(freed_memory, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->scratch + here.first, here.valid); /* BUG: freed_memory */
    iw_store(args->out + here.first, iw_add(x, 1), here.valid);
  }
}
