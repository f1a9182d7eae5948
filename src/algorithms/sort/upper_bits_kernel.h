/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of a sort of 8-byte keys by passes over their upper bits alone, for GPUs: whether few keys have
 * equal upper bits, and where the passes have left keys unsorted. Kernel tile_sort (block_sort_kernel.h)
 * then sorts those. Kernel template without parameters; it must not know the host's runtime.
 *   upper_bits_sample   looks at some keys: if two of them have equal upper bits, passes over all bits run
 *   unsorted_tiles      lists what has to be sorted of each tile: the runs of equal upper bits that begin in
 *                       it, if a key comes before the one in front of it
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/sort/args.h"

enum {
  UPPER_SAMPLE_SLOTS_LOG2 = 12,        /* of the table of the sample's upper bits */
  UNSORTED_TILES_BATCH = 4             /* loads in flight of a lane, twice */
};
static_assert(2 * IW_UPPER_SAMPLE <= 1 << UPPER_SAMPLE_SLOTS_LOG2, "probes are few");
static_assert(IW_UNSORTED_TILE % (UNSORTED_TILES_BATCH * IW_WARP_SIZE) == 0, "a tile has whole batches");

typedef struct { uint32_t slots[1 << UPPER_SAMPLE_SLOTS_LOG2]; } upper_bits_shared;

IW_FN iw_u64 upper_bits_rank(const iw_upper_bits_args *args, iw_u64 key)
{
  return iw_and_u64(iw_total_rank_u64(&args->order, key), iw_splat(args->mask));
}

IW_FN iw_u64 upper_bits_rank_at(const iw_upper_bits_args *args, uint64_t at, iw_pred some)
{
  return upper_bits_rank(args, iw_load_u64(args->keys + at, some));
}

/* The lanes of `looks` whose values another lane of the block had put into the table before. Values are not
 * 0. */
IW_FN iw_pred upper_bits_seen(const iw_block *block, uint32_t *slots, iw_u32 value, iw_pred looks)
{
  const iw_u32 none = iw_splat(0u);
  iw_u32 slot = iw_shr(value, iw_splat(32u - UPPER_SAMPLE_SLOTS_LOG2));
  iw_pred seen = iw_lanes_below(0);
  while (iw_any(looks)) {
    const iw_u32 old = iw_shared_compare_exchange(slots, slot, none, value, looks);
    seen = iw_or_pred(seen, iw_and_pred(looks, iw_eq(old, value)));
    looks = iw_and_pred(looks, iw_and_pred(iw_ne(old, none), iw_ne(old, value)));
    slot = iw_and(iw_add(slot, iw_splat(1u)), iw_splat((1u << UPPER_SAMPLE_SLOTS_LOG2) - 1));
  }
  return seen;
}

/* Equal upper bits have equal hashes. So have others, which costs time alone. */
IW_KERNEL_NO_SPECIALIZATION(upper_bits_sample, upper_bits_shared, iw_upper_bits_args, IW_UPPER_SAMPLE, 1)
{
  IW_VAR(iw_pred, seen);
  IW_PHASE(warp) {
    for (uint32_t at = warp * IW_WARP_SIZE; at < 1u << UPPER_SAMPLE_SLOTS_LOG2; at += IW_UPPER_SAMPLE)
      iw_store(shared->slots + at, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
  }
  IW_PHASE(warp) {
    const iw_pred some = iw_lanes_below((int64_t)args->sampled - warp * IW_WARP_SIZE);
    const iw_u64 at = iw_mul(iw_iota_u64(warp * IW_WARP_SIZE), iw_splat(args->n / args->sampled));
    const iw_u64 rank = upper_bits_rank(args, iw_gather_far(args->keys, at, some));
    const iw_u64 product = iw_mul(iw_and(rank, iw_splat(args->upper)), iw_splat((uint64_t)0x9e3779b97f4a7c15));
    const iw_u32 hash = iw_to_u32(iw_shr(product, iw_splat((uint64_t)32)));
    IW_MY(seen) = upper_bits_seen(block, shared->slots, iw_or(hash, iw_splat(1u)), some);
  }
  const uint32_t by_all = (uint32_t)iw_block_any(seen);
  IW_PHASE(warp) {
    if (warp == 0) {
      iw_set_u32(args->words + IW_BY_UPPER_BITS, !by_all);
      iw_set_u32(args->words + IW_BY_ALL_BITS, by_all);
      iw_set_u32(args->words + IW_LISTED_TILES, 0);
    }
  }
}

/* Where the run of the key before `at` ends, if it has less than IW_UNSORTED_REST keys from there on; else
 * UINT64_MAX. Sets *descends if one of these comes before the one in front of it. */
IW_FN uint64_t unsorted_tiles_run_end(const iw_upper_bits_args *args, uint64_t at, int *descends)
{
  if (at == 0 || at >= args->n) return at ? args->n : 0;
  for (uint64_t row = at; row < at + IW_UNSORTED_REST; row += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(args->n - row));
    const iw_u64 rank = upper_bits_rank_at(args, row, some), before = upper_bits_rank_at(args, row - 1, some);
    const iw_pred differs = iw_ne(iw_and(iw_xor(rank, before), iw_splat(args->upper)), iw_splat((uint64_t)0));
    const iw_mask ends = iw_ballot(iw_or_pred(differs, iw_not_pred(some)));
    const unsigned length = ends ? iw_lowest(ends) : IW_WARP_SIZE;
    *descends |= iw_any(iw_and_pred(iw_lanes_below(length), iw_lt(rank, before)));
    if (ends) return row + length;
  }
  return UINT64_MAX;
}

/* Whether a key of the tile from `first` on comes before the one in front of it. */
IW_FN int unsorted_tiles_descends(const iw_upper_bits_args *args, uint64_t first)
{
  iw_pred descends = iw_lanes_below(0);
  for (uint64_t at = first; at < first + IW_UNSORTED_TILE && at < args->n; at += UNSORTED_TILES_BATCH * IW_WARP_SIZE) {
    iw_u64 keys[UNSORTED_TILES_BATCH], before[UNSORTED_TILES_BATCH];
    iw_pred some[UNSORTED_TILES_BATCH];
    IW_UNROLL for (int b = 0; b < UNSORTED_TILES_BATCH; b++) {
      const uint64_t row = at + b * IW_WARP_SIZE;
      some[b] = iw_lanes_below((int64_t)(args->n - row));
      if (row == 0) some[b] = iw_and_pred(some[b], iw_gt(iw_lane(), iw_splat(0u)));
      keys[b] = iw_load_u64(args->keys + row, some[b]);
      before[b] = iw_load_u64(args->keys + row - 1, some[b]);
    }
    IW_UNROLL for (int b = 0; b < UNSORTED_TILES_BATCH; b++)
      descends = iw_or_pred(descends, iw_and_pred(some[b], iw_lt(upper_bits_rank(args, keys[b]), upper_bits_rank(args, before[b]))));
  }
  return iw_any(descends);
}

/* Lists the runs of equal upper bits that begin in a tile. */
IW_FN void unsorted_tiles_list(const iw_block *block, const iw_upper_bits_args *args, uint64_t begin, uint64_t end)
{
  const iw_pred first = iw_lanes_below(1);
  if (begin == UINT64_MAX || end == UINT64_MAX) iw_global_max(args->words, IW_BY_ALL_BITS, iw_splat(1u), first);
  else if (begin < end) {
    const uint64_t place = iw_at(iw_global_add(args->words, IW_LISTED_TILES, iw_splat(1u), first), 0);
    iw_set_u64(args->ranges + 2 * place, begin);
    iw_set_u64(args->ranges + 2 * place + 1, end);
  }
}

/* A warp has a tile. */
IW_KERNEL_NO_SPECIALIZATION(unsorted_tiles, iw_no_shared, iw_upper_bits_args, 0, 1)
{
  if (!iw_get_u32(args->words + IW_BY_UPPER_BITS)) return;
  IW_PHASE(warp) {
    const uint64_t tile = ((uint64_t)block->index * block->warps + warp) * IW_UNSORTED_TILE;
    if (tile < args->n) {
      int in_front = 0, behind = 0;
      const int descends = unsorted_tiles_descends(args, tile);
      const uint64_t end = unsorted_tiles_run_end(args, tile + IW_UNSORTED_TILE, &behind);
      if (descends || behind) unsorted_tiles_list(block, args, unsorted_tiles_run_end(args, tile, &in_front), end);
    }
  }
}
