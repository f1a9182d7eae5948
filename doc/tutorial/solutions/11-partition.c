/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 11: a stable partition of many blocks: elements below the pivot first, the others behind them, both in
 * their order. Three launches count, scan the counts, and move the elements.
 */
#include <isowarp/kernel.h>

typedef struct {
  const uint32_t *in;
  uint32_t *out;
  uint32_t *lefts; /* blocks + 1: of each block, then of all */
  uint32_t pivot;
  size_t n, blocks;
} partition_args;
typedef struct { int unused; } nothing;

/* lefts[b] is the number of elements of block b below the pivot. */
IW_KERNEL(count_lefts, nothing, partition_args)
{
  IW_VAR(iw_pred, left);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    IW_MY(left) = iw_and(here.valid, iw_lt(x, args->pivot));
  }
  const unsigned count = iw_block_count(left);
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->lefts + block->index, count);
  }
}

/* One block: lefts[b] becomes the number in the blocks before b, lefts[blocks] the number in all. */
IW_KERNEL(scan_lefts, nothing, partition_args)
{
  IW_VAR(iw_u32, x);
  uint32_t before = 0;
  for (size_t start = 0; start < args->blocks; start += block->threads) {
    IW_PHASE(warp) {
      const iw_span here = iw_elements_from(warp, start, args->blocks);
      IW_MY(x) = iw_load(args->lefts + here.first, here.valid);
    }
    const uint32_t sum = iw_block_sum(x);
    iw_block_exclusive_prefix_sum(x, x);
    IW_PHASE(warp) {
      const iw_span here = iw_elements_from(warp, start, args->blocks);
      iw_store(args->lefts + here.first, iw_add(IW_MY(x), before), here.valid);
    }
    before += sum;
  }
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->lefts + args->blocks, before);
  }
}

/* Each block moves its elements. */
IW_KERNEL(move, nothing, partition_args)
{
  IW_VAR(iw_u32, x);
  IW_VAR(iw_u32, rank); /* elements of the block below the pivot, before this one */
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
    const iw_pred left = iw_and(here.valid, iw_lt(IW_MY(x), args->pivot));
    IW_MY(rank) = iw_select(left, iw_splat_u32(1), 0);
  }
  iw_block_exclusive_prefix_sum(rank, rank);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_pred left = iw_and(here.valid, iw_lt(IW_MY(x), args->pivot));
    const iw_u32 i = iw_iota_u32((uint32_t)here.first); /* the index of each lane's element */
    const uint32_t all_lefts = iw_get(args->lefts + args->blocks);
    /* Exercise: `left_place`, where an element on the left goes. `right_place` is right as soon as it is. */
    const uint32_t lefts_before = iw_get(args->lefts + block->index);
    const iw_u32 left_place = iw_add(IW_MY(rank), lefts_before);
    const iw_u32 right_place = iw_add(iw_sub(i, left_place), all_lefts);
    /* End of the exercise. */
    iw_scatter(args->out, iw_select(left, left_place, right_place), IW_MY(x), here.valid);
  }
}
