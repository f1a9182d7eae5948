/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs: in the use of <isowarp/primitives.h>. See bug.h.
 */
#define WITH_PRIMITIVES
#include "bug.h"

enum { ROW = IW_ROW(u32) };
typedef struct { uint32_t ranks[1024 / IW_WARP_SIZE][BINS]; } ranks_shared;
typedef struct { uint32_t words[BINS]; } words_shared;
typedef struct { uint32_t row[2 * ROW]; uint32_t behind[ROW]; } row_shared;

/* A whole row is loaded where the array has a part of one. */
IW_KERNEL(full_row_of_part, nothing, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0) {
      for (size_t first = 0; first < args->n; first += ROW) {
        const size_t left = args->n - first;
        const int whole = BUG(1, left >= ROW);
        const iw_row_u32_pending c = iw_row_issue_u32(args->in + first, whole ? IW_FULL_ROW : (unsigned)left, 0); /* BUG: full_row_of_part */
        const iw_row_u32 r = iw_row_wait_u32(c); /* BUG: full_row_of_part */
        iw_row_store_u32(args->out + first, r, left >= ROW ? IW_FULL_ROW : (unsigned)left, 0);
      }
    }
  }
}

/* A row in shared memory begins at a multiple of 16 bytes. */
IW_KERNEL(misaligned_row, row_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0) {
      const iw_row_u32 r = iw_row_wait_u32(iw_row_issue_u32(args->in, ROW, 0));
      iw_row_store_shared_u32(shared->row + BUG(1, 0), r); /* BUG: misaligned_row */
    }
  PHASE_BOUNDARY
    if (warp == 0)
      for (unsigned k = 0; k < ROW; k += IW_WARP_SIZE)
        iw_store(args->out + k, iw_load(shared->row + BUG(1, 0) + k, iw_lanes_below(IW_WARP_SIZE)), iw_lanes_below(IW_WARP_SIZE));
  }
}

/* Elements of a row that was stored are seen by other lanes in the next phase. */
IW_KERNEL(staged_row_by_element, row_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0) {
      const iw_row_u32 r = iw_row_wait_u32(iw_row_issue_u32(args->in, ROW, 0));
      iw_row_store_shared_u32(shared->row, r); /* BUG: staged_row_by_element */
    }
  BUG(, PHASE_BOUNDARY)
    if (warp == 0)
      for (unsigned k = 0; k < ROW; k += IW_WARP_SIZE) {
        const iw_u32 from = iw_sub(iw_splat_u32(ROW - 1), iw_iota_u32(k));
        iw_store(args->out + k, iw_gather(shared->row, from, iw_lanes_below(IW_WARP_SIZE)), iw_lanes_below(IW_WARP_SIZE)); /* BUG: staged_row_by_element */
      }
  }
}

/* No lane reads in the same phase what iw_scatter_bits has written. */
IW_KERNEL(scatter_bits_read_back, row_shared, bug_args)
{
  IW_PHASE(warp) {
    const iw_u32 lane = iw_lane();
    if (warp == 0) {
      const iw_u32 x = iw_load(args->in, iw_lanes_below((int64_t)args->n));
      iw_scatter_bits_u32(shared->row, iw_sub(iw_splat_u32(IW_WARP_SIZE - 1), lane), x, iw_lanes_below(IW_WARP_SIZE)); /* BUG: scatter_bits_read_back */
    }
  BUG(, PHASE_BOUNDARY)
    if (warp == 0)
      iw_store(args->out, iw_load(shared->row, iw_lanes_below(IW_WARP_SIZE)), iw_lanes_below(IW_WARP_SIZE)); /* BUG: scatter_bits_read_back */
  }
}

/* The counters of iw_rank_in belong to one warp. */
IW_KERNEL(ranks_of_two_warps, ranks_shared, bug_args)
{
  IW_PHASE(warp) {
    iw_store(shared->ranks[warp], 0, bin_lanes());
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_rank_in(shared->ranks[BUG(0, warp)], bin_of(x), here.valid); /* BUG: ranks_of_two_warps */
  }
  IW_PHASE(warp) {
    iw_global_add(args->out, iw_lane(), iw_load(shared->ranks[warp], bin_lanes()), bin_lanes());
  }
}

/* Counters of 16 bits, more elements than they hold. */
IW_KERNEL(count_u16_overflow, words_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_store(shared->words, 0, bin_lanes());
  }
  for (unsigned k = 0; k < BUG(66, 63); k++) {
    IW_PHASE(warp) {
      if (block->index == 0)
        iw_count_u16(shared->words, iw_splat_u32(2), iw_active(warp)); /* BUG: count_u16_overflow */
    }
  }
  IW_PHASE(warp) {
    if (warp == 0 && block->index == 0)
      iw_set(args->out, iw_get(shared->words + 1));
  }
}
