/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the path of devices for one short array (doc/design/sort.md#short-top-k): two launches, and no
 * wait of the host. An item is a key with its index, so no two items are equal.
 *   top_k_short       Each block loads the same sample and sorts it, reads its part of the keys, and moves the
 *                     candidates to buckets whose splitters are items of the sample. A bucket has a fixed
 *                     capacity. The last block to finish adds up the counts of the buckets. If a bucket had
 *                     no room, or wanted items are outside of the bounds, it finds the wanted ones itself,
 *                     by reading all keys for each bit of an item: slow, right, and as rare as a sample that
 *                     is five standard deviations off.
 *   top_k_rank_short  finds the place of each candidate in its bucket by counting.
 * No block waits for another one. Kernel template without parameters; it must not know the host's runtime. It
 * needs gather_kernel.h and few_kernel.h.
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include "algorithms/top_k/args.h"

/* Rows of a warp whose loads are issued at a time: of keys, and of the sample, which has at most as many. */
enum { TOP_K_SHORT_ROWS = 8, TOP_K_SHORT_SAMPLE_ROWS = IW_TOP_K_SHORT_SAMPLE / (IW_TOP_K_RANK_WARPS * 32) };

typedef struct top_k_short_shared {
  union {
    struct {                         /* sorted lists, which are merged from one half to the other */
      uint64_t items[2][IW_TOP_K_SHORT_SAMPLE];
      uint16_t ordinals[2][IW_TOP_K_SHORT_SAMPLE]; /* the items' places in the sample */
    } sample;
    uint32_t list[IW_TOP_K_SHORT_CHUNK]; /* indices of the candidates of a chunk */
  };
  uint64_t splitters[IW_TOP_K_MOST_BUCKETS + 32]; /* the first items of the buckets, and the last one of the last bucket */
  uint32_t splitter_indices[IW_TOP_K_MOST_BUCKETS + 32];
  uint32_t counts[IW_TOP_K_MOST_BUCKETS];  /* of the chunk's candidates */
  uint32_t begins[IW_TOP_K_MOST_BUCKETS];  /* where the next one goes, from the begin of its bucket */
  uint32_t listed[2];                /* candidates of a chunk with an even and with an odd number */
  uint32_t found;                    /* whether all wanted items are candidates */
} top_k_short_shared;
static_assert(sizeof(top_k_short_shared) <= 48 << 10, "each GPU has as much for a block");
static_assert((int)IW_TOP_K_MOST_BUCKETS % IW_WARP_SIZE == 0, "each lane of some warps has a bucket");

IW_FN void top_k_short_clear(top_k_short_shared *shared, unsigned warp)
{
  const uint32_t own = warp * IW_WARP_SIZE;
  if (own < IW_TOP_K_MOST_BUCKETS) iw_store(shared->counts + own, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
  if (warp == 0) iw_set_u32(&shared->listed[0], 0);
}

/* Merges pairs of lists of 2^log2_length items of the half `from` into lists of `kept` items. Each item goes
 * behind those of the other list that come before it; of equal ones the list in front has the lesser indices.
 * Items behind those that are kept are dropped. */
IW_FN void top_k_short_merge_pairs(top_k_short_shared *shared, unsigned from, uint32_t items, uint32_t log2_length, uint32_t kept, unsigned warp)
{
  const uint32_t length = 1u << log2_length;
  for (uint32_t first = warp * IW_WARP_SIZE; first < items; first += IW_TOP_K_RANK_WARPS * IW_WARP_SIZE) {
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    const iw_u32 at = iw_iota_u32(first), list = iw_shr(at, iw_splat(log2_length)), in_list = iw_and(at, iw_splat(length - 1));
    const iw_u32 other = iw_sub(iw_xor(at, iw_splat(length)), in_list); /* where the other list begins */
    const iw_pred is_second = iw_ne(iw_and(list, iw_splat(1u)), iw_splat(0u));
    const iw_u64 item = iw_load(shared->sample.items[from] + first, all);
    iw_u32 before = iw_splat(0u);
    for (uint32_t step = length; step; step /= 2) {
      const iw_u32 next = iw_add(before, iw_splat(step));
      const iw_pred some = iw_le(next, iw_splat(length));
      const iw_u64 its = iw_gather(shared->sample.items[from], iw_add(other, iw_sub(next, iw_splat(1u))), some);
      const iw_pred is_before = iw_or_pred(iw_lt(its, item), iw_and_pred(is_second, iw_eq(its, item)));
      before = iw_select(iw_and_pred(some, is_before), next, before);
    }
    const iw_u32 place = iw_add(before, in_list), to = iw_add(place, iw_mul(iw_shr(list, iw_splat(1u)), iw_splat(kept)));
    const iw_pred some = iw_lt(place, iw_splat(kept));
    iw_scatter(shared->sample.items[!from], to, item, some);
    iw_scatter_u16(shared->sample.ordinals[!from], to, iw_load_u16(shared->sample.ordinals[from] + first, all), some);
  }
}

/* Sorts the sample. Of the list that comes of it only the items up to hi_at are kept, about. Returns the half
 * in which it is. */
IW_FN unsigned top_k_short_sort(iw_block *block, const iw_top_k_few_args *args, top_k_short_shared *shared)
{
  unsigned from = 0;
  uint32_t log2_length = 0;
  for (uint32_t lists = 1u << args->log2_sample; lists > 1; lists /= 2, from = !from) {
    const uint32_t log2_kept = log2_length + (args->hi_at >> log2_length != 0);
    IW_PHASE(warp) { top_k_short_merge_pairs(shared, from, lists << log2_length, log2_length, 1u << log2_kept, warp); }
    log2_length = log2_kept;
  }
  return from;
}

/* Takes the splitters from the sorted sample. */
IW_FN void top_k_short_split(const iw_top_k_few_args *args, top_k_short_shared *shared, unsigned sorted, unsigned warp)
{
  const uint32_t own = warp * IW_WARP_SIZE;
  if (own > args->buckets) return;
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  const iw_u32 nth = iw_add(iw_mul(iw_iota_u32(own), iw_splat((uint32_t)args->stride)), iw_splat((uint32_t)args->lo_at));
  const iw_u32 at = iw_min(nth, iw_splat((uint32_t)args->hi_at));
  const iw_u64 items = iw_gather(shared->sample.items[sorted], at, all);
  const iw_u32 ordinals = iw_gather_u16(shared->sample.ordinals[sorted], at, all);
  iw_store(shared->splitters + own, items, all);
  iw_store(shared->splitter_indices + own, iw_to_u32(top_k_places(args->columns, args->log2_sample, iw_to_u64(ordinals))), all);
}

/* Reserves places in the buckets for the candidates that are counted. */
IW_FN void top_k_short_reserve(iw_block *block, const iw_top_k_few_args *args, top_k_short_shared *shared, unsigned warp)
{
  const uint32_t own = warp * IW_WARP_SIZE;
  (void)block;
  if (own >= args->buckets) return;
  const iw_u32 counts = iw_load(shared->counts + own, iw_lanes_below(IW_WARP_SIZE));
  const iw_u64 begins = iw_global_add(args->counts + own, iw_lane(), iw_to_u64(counts), iw_gt(counts, iw_splat(0u)));
  iw_store(shared->begins + own, iw_to_u32(begins), iw_lanes_below(IW_WARP_SIZE));
  iw_store(shared->counts + own, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
}

/* A warp: all candidates are in bucket 0. */
IW_FN void top_k_short_write_buckets(const iw_top_k_few_args *args, uint64_t below, uint64_t count)
{
  const uint64_t tiles = (count + IW_TOP_K_RANK_ITEMS - 1) / IW_TOP_K_RANK_ITEMS;
  for (uint64_t b = 0; b <= args->buckets; b += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(args->buckets + 1 - b)), is_first = iw_eq(iw_iota_u64(b), iw_splat((uint64_t)0));
    iw_store(args->bucket_begins + b, iw_select(is_first, iw_splat(0u), iw_splat((uint32_t)count)), some);
    iw_store(args->bucket_tiles + b, iw_select(is_first, iw_splat(0u), iw_splat((uint32_t)tiles)), some);
  }
  iw_set_u64(args->below, below);
}

/* A warp of the last block: where the candidates of each bucket begin, and their tiles, and behind these how
 * many there are. Leaves the counts 0. Returns whether all wanted items are candidates. */
IW_FN int top_k_short_close(const iw_top_k_few_args *args)
{
  uint32_t begin = 0, tile = 0;
  int found = 1;
  for (uint64_t b = 0; b < args->buckets; b += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(args->buckets - b));
    const iw_u32 counts = iw_to_u32(iw_load(args->counts + b, some));
    const iw_u32 tiles = iw_shr(iw_add(counts, iw_splat(IW_TOP_K_RANK_ITEMS - 1u)), iw_splat(5u));
    const iw_u32 ends = iw_inclusive_prefix_sum(counts), end_tiles = iw_inclusive_prefix_sum(tiles);
    found &= !iw_any(iw_gt(counts, iw_splat((uint32_t)args->capacity)));
    iw_store(args->counts + b, iw_splat_u64(0), some);
    iw_store(args->bucket_begins + b, iw_add(iw_sub(ends, counts), iw_splat(begin)), some);
    iw_store(args->bucket_tiles + b, iw_add(iw_sub(end_tiles, tiles), iw_splat(tile)), some);
    begin += iw_last(ends);
    tile += iw_last(end_tiles);
  }
  const uint64_t below = iw_get_u64(args->counts + IW_TOP_K_MOST_BUCKETS);
  iw_set_u64(args->counts + IW_TOP_K_MOST_BUCKETS, 0);
  iw_set_u32(args->bucket_begins + args->buckets, begin);
  iw_set_u32(args->bucket_tiles + args->buckets, tile);
  iw_set_u64(args->below, below);
  return found && args->first >= below && args->end <= below + begin;
}

/* For each width of keys: top_k_short_collect_T. */
#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE "algorithms/top_k/short_keys.h"
#include <isowarp/language/for_each_type.h>

IW_KERNEL_NO_SPECIALIZATION(top_k_short, top_k_short_shared, iw_top_k_few_args, IW_TOP_K_RANK_WARPS * 32, 1)
{
  switch (args->key_bytes) {
  case 1: top_k_short_collect_u8(block, args, shared); break;
  case 2: top_k_short_collect_u16(block, args, shared); break;
  case 4: top_k_short_collect_u32(block, args, shared); break;
  default: top_k_short_collect_u64(block, args, shared); break;
  }
}

/* A tile of the candidates: up to 32 of one bucket from `first` on, which are compared with those of `span`.
 * before: candidates of the buckets in front. */
typedef struct top_k_short_tile { uint64_t first, before; top_k_span span; } top_k_short_tile;

IW_FN top_k_short_tile top_k_short_tile_at(const iw_top_k_few_args *args, uint32_t tile)
{
  uint32_t bucket = 0;
  for (uint64_t b = 0; b < args->buckets; b += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(args->buckets - b));
    bucket += iw_popcount_of(iw_and_pred(some, iw_le(iw_load(args->bucket_tiles + b, some), iw_splat(tile))));
  }
  bucket--;
  const uint64_t begin = bucket * args->capacity, before = iw_get_u32(args->bucket_begins + bucket);
  const uint64_t end = begin + iw_get_u32(args->bucket_begins + bucket + 1) - before;
  const uint64_t first = begin + (uint64_t)IW_TOP_K_RANK_ITEMS * (tile - iw_get_u32(args->bucket_tiles + bucket));
  return (top_k_short_tile){ first, before, { begin, end } };
}

IW_KERNEL_NO_SPECIALIZATION(top_k_rank_short, top_k_rank_shared, iw_top_k_few_args, IW_TOP_K_RANK_WARPS * 32, 2)
{
  const top_k_items all = { args->candidates, args->key_bytes == 8 ? args->indices : 0, 0, iw_get_u64(args->below), 1 };
  const uint32_t tiles = iw_get_u32(args->bucket_tiles + args->buckets);
  IW_VAR(top_k_short_tile, tile);
  for (uint32_t t = (uint32_t)block->index; t < tiles; t += (uint32_t)block->blocks) {
    IW_PHASE(warp) {
      IW_MY(tile) = top_k_short_tile_at(args, t);
      top_k_count_part(&all, IW_MY(tile).span, shared, warp, IW_MY(tile).first, iw_lanes_below((int64_t)(IW_MY(tile).span.end - IW_MY(tile).first)));
    }
    IW_PHASE(warp) {
      if (warp == 0) {
        const iw_pred some = iw_lanes_below((int64_t)(IW_MY(tile).span.end - IW_MY(tile).first));
        const iw_u32 place = iw_add(top_k_add_parts(shared, some), iw_splat((uint32_t)IW_MY(tile).before));
        top_k_write(args, &all, 0, place, top_k_indices_at(&all, IW_MY(tile).first, some), some);
      }
    }
  }
}
