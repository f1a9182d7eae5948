/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels top_k_count and top_k_select. The first reads all keys and counts, for each chunk, those below and
 * up to the bounds. The second moves the candidates, and reads only chunks that have some. A warp has a
 * group of chunks of a row: in the selection each lane decides for a chunk whether it has candidates. Kernel
 * template without parameters; it must not know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/issue_keys.h"
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/top_k/args.h"

enum {
  TOP_K_ROWS = 4,                    /* of 16 bytes a lane, whose loads are issued at a time */
  TOP_K_VECTORS = 4                  /* keys of a lane that are looked at together when a chunk is read again */
};

/* The part of a row's keys that are candidates: all between the bounds, and of those that equal a bound
 * some in their order. */
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

/* The same of 32 chunks, those of lanes, and the keys in front of them. If the bounds are equal, the keys
 * that equal them count for lo only. */
typedef struct top_k_lane_counts { iw_u64 between, lo, hi; } top_k_lane_counts;

IW_FN iw_u64 top_k_before_lanes(const iw_top_k_args *args, unsigned which, uint64_t row, uint64_t at, iw_pred some)
{
  if (which / 2 >= args->bounds) return iw_splat((uint64_t)0);
  const uint64_t *const counts = args->counts + (which * args->rows + row) * args->row_chunks;
  return iw_sub(iw_load(counts + at, some), iw_splat(iw_get_u64(counts)));
}

IW_FN top_k_lane_counts top_k_counts_before(const iw_top_k_args *args, uint64_t row, uint64_t at, iw_pred some)
{
  const iw_u64 below_hi = top_k_before_lanes(args, IW_BELOW_HI, row, at, some);
  const iw_u64 up_to_hi = top_k_before_lanes(args, IW_UP_TO_HI, row, at, some);
  const iw_u64 below_lo = top_k_before_lanes(args, IW_BELOW_LO, row, at, some);
  const iw_u64 up_to_lo = top_k_before_lanes(args, IW_UP_TO_LO, row, at, some);
  return (top_k_lane_counts){ iw_sub(iw_max(below_hi, up_to_lo), up_to_lo), iw_sub(up_to_lo, below_lo), iw_sub(up_to_hi, below_hi) };
}

/* Those of the first x keys that equal a bound which are candidates. */
IW_FN iw_u64 top_k_ties_of(iw_u64 x, uint64_t first, uint64_t end)
{
  return iw_sub(iw_max(iw_min(x, iw_splat(end)), iw_splat(first)), iw_splat(first));
}

IW_FN iw_u64 top_k_total_lanes(const top_k_part *part, const top_k_lane_counts *counts)
{
  const iw_u64 lo = top_k_ties_of(counts->lo, part->lo_first, part->lo_end), hi = top_k_ties_of(counts->hi, part->hi_first, part->hi_end);
  const iw_u64 ties = iw_add(lo, hi);
  return part->between ? iw_add(ties, counts->between) : ties;
}

/* Decides which keys of a row are candidates, and how many. Returns 0 and decides for none if the bounds or
 * the places do not suffice. */
IW_FN int top_k_decide(const iw_top_k_args *args, uint64_t row, top_k_part *part, uint64_t *offset, uint64_t *candidates)
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
  *candidates = top_k_total(part, &all);
  if (args->first >= below_lo && args->end <= up_to_hi && *candidates <= args->capacity) return 1;
  *part = (top_k_part){ 0, 0, 0, 0, 0 };
  *offset = *candidates = 0;
  return 0;
}

/* For each width of keys: top_k_count_T, top_k_select_T. */
#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE "algorithms/top_k/count_keys.h"
#include <isowarp/language/for_each_type.h>

IW_KERNEL_NO_SPECIALIZATION(top_k_count, iw_no_shared, iw_top_k_args, IW_TOP_K_WARPS * 32, 3)
{
  IW_PHASE(warp) {
    const uint64_t group = (uint64_t)block->index * block->warps + warp, row = group / args->row_groups;
    if (row < args->rows) {
      const uint64_t first = group % args->row_groups * args->group;
      switch (args->key_bytes) {
      case 1: top_k_count_u8(args, row, first); break;
      case 2: top_k_count_u16(args, row, first); break;
      case 4: top_k_count_u32(args, row, first); break;
      default: top_k_count_u64(args, row, first); break;
      }
      if (!group) iw_set_u64(&args->counts[2 * args->bounds * args->rows * args->row_chunks], 0);
    }
  }
}

IW_KERNEL_NO_SPECIALIZATION(top_k_select, iw_no_shared, iw_top_k_args, IW_TOP_K_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    const uint64_t group = (uint64_t)block->index * block->warps + warp, row = group / args->row_groups;
    if (row < args->rows) {
      const uint64_t in_row = group % args->row_groups;
      switch (args->key_bytes) {
      case 1: top_k_select_u8(args, row, in_row); break;
      case 2: top_k_select_u16(args, row, in_row); break;
      case 4: top_k_select_u32(args, row, in_row); break;
      default: top_k_select_u64(args, row, in_row); break;
      }
    }
  }
}
