/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template block_sort_kernel.h, included once for each width of ranks: T is u32, for keys of 1,
 * 2 and 4 bytes, or u64.
 */
#define FN(name) IW_JOIN(IW_JOIN(block_sort, name), T)

#ifndef IW_BLOCK_SORT_RANKS_H
#define IW_BLOCK_SORT_RANKS_H
IW_FN iw_u32 block_sort_load_u32(const iw_block_sort_args *args, uint64_t at, iw_pred some)
{
  if (args->key_bytes == 4) return iw_load_u32((const uint32_t *)args->keys + at, some);
  if (args->key_bytes == 2) return iw_load_u16((const uint16_t *)args->keys + at, some);
  return iw_load_u8((const uint8_t *)args->keys + at, some);
}
IW_FN iw_u64 block_sort_load_u64(const iw_block_sort_args *args, uint64_t at, iw_pred some)
{
  return iw_load_u64((const uint64_t *)args->keys + at, some);
}
#if !BLOCK_SORT_IN_TURN
/* Keys that move alone. */
IW_FN void block_sort_store_key_u32(const iw_block_sort_args *args, uint64_t at, iw_u32 key, iw_pred some)
{
  void *const out = args->arrays[0].out;
  if (args->key_bytes == 4) iw_store_u32((uint32_t *)out + at, key, some);
  else if (args->key_bytes == 2) iw_store_u16((uint16_t *)out + at, key, some);
  else iw_store_u8((uint8_t *)out + at, key, some);
}
IW_FN void block_sort_store_key_u64(const iw_block_sort_args *args, uint64_t at, iw_u64 key, iw_pred some)
{
  iw_store_u64((uint64_t *)args->arrays[0].out + at, key, some);
}
#endif
#endif

/* Writes a warp's ranks and indices to shared memory. */
IW_FN void FN(stage_ranks)(const iw_block *block, const iw_block_sort_args *args, const block_sort_segment *s, unsigned warp)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  for (uint32_t at = warp * IW_WARP_SIZE; at < s->staged_items; at += block->warps * IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)s->length - at);
    const LANES rank = OF_T(iw_and)(OF_T(iw_total_rank)(&args->order, FN(load)(args, s->first + at, some)), iw_splat((SCALAR)args->mask));
    OF_T(iw_store)((SCALAR *)s->staged + at, OF_T(iw_select)(some, rank, iw_splat((SCALAR)~(SCALAR)0)), all);
    iw_store_u16(s->indices + at, iw_iota_u32(at), all);
  }
}

#if BLOCK_SORT_IN_TURN
#include "algorithms/sort/merge_in_turn.h"
#else
#include "algorithms/sort/network_by_lanes.h"
#include "algorithms/sort/merge_by_lanes.h"
#endif

/* Sorts a segment's indices by the ranks of its keys. */
IW_FN void FN(ranks)(iw_block *block, const iw_block_sort_args *args, block_sort_segment *s)
{
  IW_PHASE(warp) { FN(stage_ranks)(block, args, s, warp); }
  FN(sort_staged)(block, s);
}

#undef FN
