/* SPDX-License-Identifier: Apache-2.0
 *
 * Reduction in order 1: the totals of tiles; then one block makes those of groups, and folds them. Compiled once per T and OP.
 */
#include "order1.h"

#define SHARED IW_JOIN(reduce_shared, IW_JOIN(OP, T))
typedef struct { SCALAR warp_total[32]; } SHARED;

IW_KERNEL_SIZED(OF_OP(reduce_tiles), SHARED, iw_reduce_args, SCAN_WARPS * 32, SCAN_BLOCKS(sizeof(SCALAR)))
{
  for (uint64_t tile = block->index; tile < args->tiles; tile += block->blocks) {
    IW_PHASE(warp) {
      const uint64_t at = tile * TILE + warp * CHUNK;
      SCALAR total = 0;
#define FORGET(k, x) (void)0
      OVER_CHUNK(total, (const SCALAR *)args->in + at, (int64_t)(args->n - at), FORGET);
#undef FORGET
      OF_T(iw_set)(&shared->warp_total[warp], total);
    }
    IW_PHASE(warp) {
      const iw_pred some = iw_lanes_below(SCAN_WARPS);
      if (warp == 0)
        OF_T(iw_set)((SCALAR *)args->totals + tile, OF_OP(iw_warp)(
          OF_T(iw_select)(some, OF_T(iw_load)(shared->warp_total, some), OF_T(iw_splat)(OF_OP(iws_identity)()))));
    }
  }
}

IW_KERNEL_SIZED(OF_OP(reduce_groups), SHARED, iw_reduce_args, SCAN_WARPS * 32, 1)
{
  SCALAR *const totals = (SCALAR *)args->totals;
  const uint64_t groups = (args->tiles + GROUP_TILES - 1) / GROUP_TILES;
  (void)shared;
  IW_PHASE(warp) {
    for (uint64_t group = warp; group < groups; group += SCAN_WARPS) {
      SCALAR *const tiles = totals + group * GROUP_TILES;
      const iw_pred some = iw_lanes_below((int64_t)(args->tiles - group * GROUP_TILES));
      OF_T(iw_set)(tiles, OF_OP(iw_warp)(
        OF_T(iw_select)(some, OF_T(iw_load)(tiles, some), OF_T(iw_splat)(OF_OP(iws_identity)()))));
    }
  }
  IW_PHASE(warp) {
    if (warp == 0) {
      SCALAR prefix = args->init.T;
      for (uint64_t group = 0; group < groups; group += IW_WARP_SIZE) {
        const unsigned here = groups - group < IW_WARP_SIZE ? (unsigned)(groups - group) : IW_WARP_SIZE;
        const iw_u64 at = iw_mul_u64(iw_to_u64(iw_lane()), iw_splat((uint64_t)GROUP_TILES));
        const LANES some = OF_T(iw_gather_far)(totals + group * GROUP_TILES, at, iw_lanes_below(here));
        for (unsigned q = 0; q < here; q++) prefix = OF_OP(iws)(prefix, OF_T(iw_at)(some, q));
      }
      OF_T(iw_set)((SCALAR *)args->result, prefix);
    }
  }
}

#undef SHARED
#undef ROWS
#undef AHEAD
#undef OVER_CHUNK
