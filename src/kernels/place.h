/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition, select and extract, second part: the marked elements to the front, the others behind them, both in order.
 * A warp a chunk, which packs some rows at a time in its part of shared memory. Elements are moved as integers.
 * Compiled for T of u32 and u64.
 */
#include <isowarp/text/typed.h>
#include "args.h"
#include <isowarp/vm/tuning.h>

#ifndef IW_KERNELS_PLACE_H
#define IW_KERNELS_PLACE_H
enum { PLACE_GROUP = 8, STORE_GROUP = 4 }; /* rows on their way at a time */
#define PLACE_u32 place_32
#define PLACE_u64 place_64
#endif

enum { IW_JOIN(PLACE_ROWS, T) = 64 / sizeof(SCALAR), IW_JOIN(PLACE_ROOM, T) = (IW_JOIN(PLACE_ROWS, T) + 1) * IW_WARP_SIZE };
typedef struct { SCALAR packed[IW_MARK_WARPS][2][IW_JOIN(PLACE_ROOM, T)]; } IW_PASTE(place_shared_, T);

IW_FN void OF_T(store_packed)(SCALAR *out, const SCALAR *packed, unsigned count)
{
  for (unsigned i = 0; i < count; i += STORE_GROUP * IW_WARP_SIZE) {
    const int64_t left = (int64_t)count - i;
    LANES x[STORE_GROUP];
    IW_UNROLL for (int k = 0; k < STORE_GROUP; k++)
      x[k] = OF_T(iw_load)(packed + i + k * IW_WARP_SIZE, iw_lanes_below(left - k * IW_WARP_SIZE));
    IW_UNROLL for (int k = 0; k < STORE_GROUP; k++)
      iw_store(out + i + k * IW_WARP_SIZE, x[k], iw_lanes_below(left - k * IW_WARP_SIZE));
  }
}

IW_KERNEL_ONCE(IW_PASTE(PLACE_, T), IW_PASTE(place_shared_, T), iw_place_args, IW_MARK_WARPS * 32, PLACE_BLOCKS)
{
  IW_PHASE(warp) {
    const uint64_t chunk = block->index * block->warps + warp, chunks = (args->n + IW_MARK_CHUNK - 1) / IW_MARK_CHUNK;
    if (chunk < chunks) {
      const int both = args->others != 0;
      const SCALAR *const in = (const SCALAR *)args->in;
      SCALAR *const left = shared->packed[warp][0], *const right = shared->packed[warp][1];
      uint64_t at = chunk * IW_MARK_CHUNK;
      const uint64_t end = at + IW_MARK_CHUNK < args->n ? at + IW_MARK_CHUNK : args->n;
      const iw_u32 masks = iw_load(args->masks + at / IW_WARP_SIZE, iw_lanes_below(IW_WARP_SIZE));
      SCALAR *to_left = (SCALAR *)args->out + iw_get(args->offsets + chunk);
      SCALAR *to_right = (SCALAR *)args->out + iw_get(args->offsets + chunks) + (at - iw_get(args->offsets + chunk));
      for (unsigned row = 0; at < end; row += IW_JOIN(PLACE_ROWS, T), at += IW_JOIN(PLACE_ROWS, T) * IW_WARP_SIZE) {
        unsigned lefts = 0, rights = 0;
        for (unsigned r = 0; r < IW_JOIN(PLACE_ROWS, T); r += PLACE_GROUP) {
          const int64_t valid = (int64_t)(end - at) - r * IW_WARP_SIZE;
          LANES x[PLACE_GROUP];
          IW_UNROLL for (int k = 0; k < PLACE_GROUP; k++)
            x[k] = iw_load(in + at + (r + k) * IW_WARP_SIZE, iw_lanes_below(valid - k * IW_WARP_SIZE));
          IW_UNROLL for (int k = 0; k < PLACE_GROUP; k++) {
            const iw_pred some = iw_lanes_below(valid - k * IW_WARP_SIZE), marked = iw_pred_of(iw_at(masks, row + r + k));
            const int64_t here = valid - k * IW_WARP_SIZE;
            const unsigned packed = both ? iw_divide(left + lefts, right + rights, x[k], marked, some)
                                         : iw_compact(left + lefts, x[k], marked);
            lefts += packed;
            if (both && here > 0) rights += (unsigned)(here < IW_WARP_SIZE ? here : IW_WARP_SIZE) - packed;
          }
        }
        OF_T(store_packed)(to_left, left, lefts);
        OF_T(store_packed)(to_right, right, rights);
        to_left += lefts;
        to_right += rights;
      }
    }
  }
}
