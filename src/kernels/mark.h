/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition, select and extract, first part: which elements go to the front, a bit each, and how many in each chunk. A
 * warp a chunk. Compiled once per T.
 */
#include "typed.h"

#ifndef IW_KERNELS_MARK_H
#define IW_KERNELS_MARK_H

/* marked(at, some): which of 32 elements. The chunk past the last has none, and says so. */
#define MARK_CHUNK(marked) do { \
    const uint64_t chunk_ = block->index * block->warps + warp; \
    const uint64_t chunks_ = (args->n + IW_MARK_CHUNK - 1) / IW_MARK_CHUNK; \
    const uint64_t first_ = chunk_ * IW_MARK_CHUNK; \
    uint32_t *const masks_ = args->masks + first_ / IW_WARP_SIZE; \
    uint64_t count_ = 0; \
    for (unsigned r = 0; chunk_ < chunks_ && r < IW_MARK_CHUNK / IW_WARP_SIZE; r++) { \
      const uint64_t at_ = first_ + r * IW_WARP_SIZE; \
      const iw_pred some_ = iw_lanes_below((int64_t)(args->n - at_)); \
      const iw_mask mask_ = iw_ballot(iw_both(some_, marked(at_, some_))); \
      iw_set(masks_ + r, (uint32_t)mask_); \
      count_ += iw_popcount(mask_); \
    } \
    if (chunk_ <= chunks_) iw_set(args->counts + chunk_, count_); \
  } while (0)

IW_KERNEL(mark_flags, nothing, iw_mark_args)
{
  IW_PHASE(warp) {
    const uint8_t *const flags = (const uint8_t *)args->in;
#define MARKED(at, some) iw_gt(iw_load_u8(flags + (at), some), iw_splat(0u))
    MARK_CHUNK(MARKED);
#undef MARKED
  }
}
#endif

IW_KERNEL(OF_T(mark_less), nothing, iw_mark_args)
{
  IW_PHASE(warp) {
    const SCALAR *const in = (const SCALAR *)args->in;
    const LANES pivot = iw_splat(args->pivot.T);
#define MARKED(at, some) iw_lt(OF_T(iw_load)(in + (at), some), pivot)
    MARK_CHUNK(MARKED);
#undef MARKED
  }
}

IW_KERNEL(OF_T(mark_bin), nothing, iw_mark_args)
{
  IW_PHASE(warp) {
    const SCALAR *const in = (const SCALAR *)args->in;
    const iw_binning rule = args->binning;
    const iw_u32 bin = iw_splat(args->bin);
#define MARKED(at, some) iw_eq_u32(OF_T(bin_of)(&rule, OF_T(iw_load)(in + (at), some), some), bin)
    MARK_CHUNK(MARKED);
#undef MARKED
  }
}
