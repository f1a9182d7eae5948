/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs: kernels that are right for warps of 32 lanes only. Compiled for 8, 32 and 64 lanes. See bug.h.
 */
#include "bug.h"

/* One sum for each 32 threads. With 8 lanes there are more warps than that. */
typedef struct { uint32_t sums[BUG(256 / 32, 1024 / IW_WARP_SIZE)]; uint32_t behind[1024]; } sums_shared;
IW_KERNEL(warps_of_32, sums_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_set(shared->sums + warp, iw_warp_sum(iw_load(args->in + here.first, here.valid))); /* BUG: warps_of_32 */
  }
  IW_PHASE(warp) {
    if (warp == 0) {
      uint32_t sum = 0;
      for (unsigned w = 0; w < block->warps; w++)
        sum += iw_get(shared->sums + w); /* BUG: warps_of_32 */
      iw_set(args->out + block->index, sum);
    }
  }
}

/* The number of warps as threads / 32: with 64 lanes sums are read that no warp has written. */
typedef struct { uint32_t sums[1024 / 8]; } more_sums_shared;
IW_KERNEL(threads_by_32, more_sums_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_set(shared->sums + warp, iw_warp_sum(iw_load(args->in + here.first, here.valid)));
  }
  IW_PHASE(warp) {
    if (warp == 0) {
      uint32_t sum = 0;
      for (unsigned w = 0; w < block->threads / BUG(32, IW_WARP_SIZE); w++)
        sum += iw_get(shared->sums + w); /* BUG: threads_by_32 */
      iw_set(args->out + block->index, sum);
    }
  }
}

/* A tile in pieces of 32: with 8 lanes warps write beyond it, with 64 the pieces overlap. */
typedef struct { uint32_t tile[256]; uint32_t behind[1024]; } tile_shared;
IW_KERNEL(pieces_of_32, tile_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(shared->tile + warp * BUG(32, IW_WARP_SIZE), x, here.valid); /* BUG: pieces_of_32 */
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 from = iw_sub(iw_splat_u32(block->threads - 1), iw_iota_u32(warp * IW_WARP_SIZE));
    iw_store(args->out + here.first, iw_gather(shared->tile, from, here.valid), here.valid); /* BUG: pieces_of_32 */
  }
}

/* One warp clears 32 counters: with 8 lanes only 8 of them. */
typedef struct { uint32_t counts[32]; } counts_shared;
IW_KERNEL(cleared_by_one_warp, counts_shared, bug_args)
{
  IW_PHASE(warp) {
#ifdef FIXED
    const unsigned thread = warp * IW_WARP_SIZE;
    iw_store(shared->counts + thread, 0, iw_lanes_within(thread, 32));
#else
    if (warp == 0)
      iw_store(shared->counts, 0, iw_lanes_within(0, 32));
#endif
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_shared_add(shared->counts, iw_load(args->in + here.first, here.valid), 1, here.valid); /* BUG: cleared_by_one_warp */
  }
  IW_PHASE(warp) {
    const unsigned thread = warp * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_within(thread, 32);
    iw_store(args->out + thread, iw_load(shared->counts + thread, some), some); /* BUG: cleared_by_one_warp */
  }
}

/* The last lane by its number: with 8 lanes there is none. */
IW_KERNEL(lane_31, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
    const uint32_t all = iw_at(iw_inclusive_prefix_sum(IW_MY(x)), BUG(31, IW_WARP_SIZE - 1)); /* BUG: lane_31 */
    iw_global_add(args->out, 0, all, one_lane());
  }
}

/* No barrier, as 32 threads are one warp. With 8 lanes they are four. */
typedef struct { uint32_t tile[32]; } small_tile_shared;
IW_KERNEL(warp_synchronous, small_tile_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(shared->tile + warp * IW_WARP_SIZE, iw_load(args->in + here.first, here.valid), here.valid); /* BUG: warp_synchronous */
  BUG(, PHASE_BOUNDARY)
    const unsigned thread = warp * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_within(thread, 32);
    const iw_u32 from = iw_sub(iw_splat_u32(31), iw_iota_u32(thread));
    iw_store(args->out + thread, iw_gather(shared->tile, from, some), some); /* BUG: warp_synchronous */
  }
}
