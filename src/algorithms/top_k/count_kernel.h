/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels top_k_count and top_k_select: the pass over all keys that counts those below and up to the bounds, and the one that moves
 * candidates, which reads only the chunks that have some. A warp has a chunk of a row. Kernel template without parameters; it must
 * not know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/top_k/args.h"

enum { TOP_K_ROWS = 4 };             /* of 16 bytes a lane, whose loads are issued at a time */

/* The part of a row's keys that are candidates: all between the bounds, and of those that equal a bound some in their order. */
typedef struct top_k_part {
  int between;                       /* whether those between the bounds are candidates */
  uint64_t lo_first, lo_end, hi_first, hi_end;
} top_k_part;

/* A chunk, or what is in front of it: the keys between the bounds, and those that equal a bound. */
typedef struct top_k_counts { uint64_t between, lo, hi; } top_k_counts;

/* The keys of a row in front of its chunk `at` that are counted by `which`. */
IW_FN uint64_t top_k_before(const iw_top_k_args *args, unsigned which, uint64_t row, uint64_t at)
{
  if (which / 2 >= args->bounds) return 0;
  const uint64_t *const counts = args->counts + (which * args->rows + row) * args->row_chunks;
  return iw_get_u64(counts + at) - iw_get_u64(counts);
}

IW_FN uint64_t top_k_clip(uint64_t x, uint64_t least, uint64_t most)
{
  return x < least ? least : x < most ? x : most;
}

IW_FN uint64_t top_k_total(const top_k_part *part, const top_k_counts *counts)
{
  return (part->between ? counts->between : 0) + top_k_clip(counts->lo, part->lo_first, part->lo_end) - part->lo_first
    + top_k_clip(counts->hi, part->hi_first, part->hi_end) - part->hi_first;
}

/* The keys in front of a chunk. If the bounds are equal, the keys that equal them count for lo only. */
IW_FN top_k_counts top_k_counts_before(const iw_top_k_args *args, uint64_t row, uint64_t at)
{
  const uint64_t below_hi = top_k_before(args, IW_BELOW_HI, row, at), up_to_hi = top_k_before(args, IW_UP_TO_HI, row, at);
  const uint64_t below_lo = top_k_before(args, IW_BELOW_LO, row, at), up_to_lo = top_k_before(args, IW_UP_TO_LO, row, at);
  return (top_k_counts){ below_hi < up_to_lo ? 0 : below_hi - up_to_lo, up_to_lo - below_lo, up_to_hi - below_hi };
}

/* Decides which keys of a row are candidates. Returns 0 and decides for none if the bounds or the places do not suffice. */
IW_FN int top_k_decide(const iw_top_k_args *args, uint64_t row, top_k_part *part, uint64_t *offset)
{
  const uint64_t up_to_hi = top_k_before(args, IW_UP_TO_HI, row, args->row_chunks);
  const uint64_t below_lo = top_k_before(args, IW_BELOW_LO, row, args->row_chunks);
  const uint64_t up_to_lo = top_k_before(args, IW_UP_TO_LO, row, args->row_chunks);
  const uint64_t below = top_k_before(args, IW_BELOW_HI, row, args->row_chunks), below_hi = below < up_to_lo ? up_to_lo : below;
  const top_k_counts all = { below_hi - up_to_lo, up_to_lo - below_lo, up_to_hi - below_hi };
  part->between = args->first < below_hi && args->end > up_to_lo;
  part->lo_first = top_k_clip(args->first, below_lo, up_to_lo) - below_lo;
  part->lo_end = top_k_clip(args->end, below_lo, up_to_lo) - below_lo;
  part->hi_first = top_k_clip(args->first, below_hi, up_to_hi) - below_hi;
  part->hi_end = top_k_clip(args->end, below_hi, up_to_hi) - below_hi;
  *offset = part->between && args->first > up_to_lo ? args->first - up_to_lo : 0;
  if (args->first >= below_lo && args->end <= up_to_hi && top_k_total(part, &all) <= args->capacity) return 1;
  *part = (top_k_part){ 0, 0, 0, 0, 0 };
  *offset = 0;
  return 0;
}

/* For each width of keys: top_k_count_T, top_k_select_T. */
#define TOP_K "algorithms/top_k/count_keys.h"
#define ABSENT
#define T u8
#include TOP_K
#undef T
#define T u16
#include TOP_K
#undef T
#undef ABSENT
#define ABSENT , 0
#define T u32
#include TOP_K
#undef T
#define T u64
#include TOP_K
#undef T
#undef ABSENT
#undef TOP_K

IW_KERNEL_NO_SPECIALIZATION(top_k_count, iw_no_shared, iw_top_k_args, IW_TOP_K_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    const uint64_t chunks = args->rows * args->row_chunks, chunk = (uint64_t)block->index * block->warps + warp;
    if (chunk < chunks) {
      const uint64_t row = chunk / args->row_chunks, at = chunk % args->row_chunks * args->chunk;
      uint64_t counts[4];
      switch (args->key_bytes) {
      case 1: top_k_count_u8(args, row, at, counts); break;
      case 2: top_k_count_u16(args, row, at, counts); break;
      case 4: top_k_count_u32(args, row, at, counts); break;
      default: top_k_count_u64(args, row, at, counts); break;
      }
      IW_UNROLL for (unsigned which = 0; which < 4; which++)
        if (which < 2 * args->bounds) iw_set_u64(&args->counts[which * chunks + chunk], counts[which]);
      if (!chunk) iw_set_u64(&args->counts[2 * args->bounds * chunks], 0);
    }
  }
}

IW_KERNEL_NO_SPECIALIZATION(top_k_select, iw_no_shared, iw_top_k_args, IW_TOP_K_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    const uint64_t chunk = (uint64_t)block->index * block->warps + warp;
    if (chunk < args->rows * args->row_chunks) {
      const uint64_t row = chunk / args->row_chunks, at = chunk % args->row_chunks;
      switch (args->key_bytes) {
      case 1: top_k_select_u8(args, row, at); break;
      case 2: top_k_select_u16(args, row, at); break;
      case 4: top_k_select_u32(args, row, at); break;
      default: top_k_select_u64(args, row, at); break;
      }
    }
  }
}
