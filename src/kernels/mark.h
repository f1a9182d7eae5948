/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition, select and extract, first part: which elements go to the front, a bit each, and how many in each chunk. A
 * warp a chunk. Compiled once per T.
 */
#include <isowarp/text/typed.h>
#include "args.h"

#ifndef IW_KERNELS_MARK_H
#define IW_KERNELS_MARK_H

enum { MARK_ROWS = 8 }; /* on their way at a time */

/* load(at, some) gives 32 elements or flags, marked(x) which of them are. The chunk past the last has none, and says so. */
#define MARK_CHUNK(type, load, marked) do { \
    const uint64_t chunk_ = block->index * block->warps + warp; \
    const uint64_t chunks_ = (args->n + IW_MARK_CHUNK - 1) / IW_MARK_CHUNK; \
    const uint64_t first_ = chunk_ * IW_MARK_CHUNK; \
    iw_u32 masks_ = iw_splat(0u); \
    uint64_t count_ = 0; \
    for (unsigned r = 0; chunk_ < chunks_ && r < IW_MARK_CHUNK / IW_WARP_SIZE; r += MARK_ROWS) { \
      const uint64_t at_ = first_ + r * IW_WARP_SIZE; \
      const int64_t left_ = (int64_t)(args->n - at_); \
      type x_[MARK_ROWS]; \
      IW_UNROLL for (int k = 0; k < MARK_ROWS; k++) x_[k] = load(at_ + k * IW_WARP_SIZE, iw_lanes_below(left_ - k * IW_WARP_SIZE)); \
      IW_UNROLL for (int k = 0; k < MARK_ROWS; k++) { \
        const iw_pred some_ = iw_lanes_below(left_ - k * IW_WARP_SIZE); \
        const iw_mask mask_ = iw_ballot(iw_both(some_, marked(x_[k], some_))); \
        masks_ = iw_select(iw_eq(iw_lane(), iw_splat(r + k)), iw_splat((uint32_t)mask_), masks_); \
        count_ += iw_popcount(mask_); \
      } \
    } \
    if (chunk_ < chunks_) iw_store(args->masks + chunk_ * (IW_MARK_CHUNK / IW_WARP_SIZE), masks_, iw_lanes_below(IW_WARP_SIZE)); \
    if (chunk_ <= chunks_) iw_set(args->counts + chunk_, count_); \
  } while (0)

IW_KERNEL_ONCE(mark_flags, nothing, iw_mark_args, IW_MARK_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    const uint8_t *const flags = (const uint8_t *)args->in;
#define LOAD(at, some) iw_load_u8(flags + (at), some)
#define MARKED(x, some) iw_gt(x, iw_splat(0u))
    MARK_CHUNK(iw_u32, LOAD, MARKED);
#undef LOAD
#undef MARKED
  }
}
#endif

#define LOAD(at, some) OF_T(iw_load)(in + (at), some)
IW_KERNEL_ONCE(OF_T(mark_less), nothing, iw_mark_args, IW_MARK_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    const SCALAR *const in = (const SCALAR *)args->in;
    const LANES pivot = iw_splat(args->pivot.T);
#define MARKED(x, some) iw_lt(x, pivot)
    MARK_CHUNK(LANES, LOAD, MARKED);
#undef MARKED
  }
}

IW_KERNEL_ONCE(OF_T(mark_bin), nothing, iw_mark_args, IW_MARK_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    const SCALAR *const in = (const SCALAR *)args->in;
    const iw_binning rule = args->binning;
    const iw_u32 bin = iw_splat(args->bin);
#define MARKED(x, some) iw_eq_u32(OF_T(bin_of)(&rule, x, some), bin)
    MARK_CHUNK(LANES, LOAD, MARKED);
#undef MARKED
  }
}
#undef LOAD
