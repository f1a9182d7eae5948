/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition, select and extract, second part: the marked elements to the front, the others behind them, both in order.
 * A warp a chunk, which packs some rows at a time in its part of shared memory. Elements are moved as integers.
 * Compiled for T of u32 and u64.
 */
#include "typed.h"

#ifndef IW_KERNELS_PLACE_H
#define IW_KERNELS_PLACE_H
enum { PLACE_WARPS = 8, PLACE_ROWS = 8, PLACE_ROOM = (PLACE_ROWS + 1) * IW_WARP_SIZE };
#define PLACE_u32 place_32
#define PLACE_u64 place_64
#endif

typedef struct { SCALAR packed[PLACE_WARPS][2][PLACE_ROOM]; } IW_PASTE(place_shared_, T);

IW_FN void OF_T(store_packed)(SCALAR *out, const SCALAR *packed, unsigned count)
{
  for (unsigned i = 0; i < count; i += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)count - i);
    iw_store(out + i, OF_T(iw_load)(packed + i, some), some);
  }
}

IW_KERNEL(IW_PASTE(PLACE_, T), IW_PASTE(place_shared_, T), iw_place_args)
{
  IW_PHASE(warp) {
    const uint64_t chunk = block->index * block->warps + warp, chunks = (args->n + IW_MARK_CHUNK - 1) / IW_MARK_CHUNK;
    if (chunk < chunks) {
      const SCALAR *const in = (const SCALAR *)args->in;
      SCALAR *const left = shared->packed[warp][0], *const right = shared->packed[warp][1];
      uint64_t at = chunk * IW_MARK_CHUNK;
      const uint64_t end = at + IW_MARK_CHUNK < args->n ? at + IW_MARK_CHUNK : args->n;
      const uint32_t *masks = args->masks + at / IW_WARP_SIZE;
      SCALAR *to_left = (SCALAR *)args->out + iw_get(args->offsets + chunk);
      SCALAR *to_right = (SCALAR *)args->out + iw_get(args->offsets + chunks) + (at - iw_get(args->offsets + chunk));
      while (at < end) {
        unsigned lefts = 0, rights = 0;
        for (unsigned r = 0; r < PLACE_ROWS && at < end; r++, at += IW_WARP_SIZE, masks++) {
          const iw_pred some = iw_lanes_below((int64_t)(end - at)), marked = iw_pred_of(iw_get(masks));
          const LANES x = iw_load(in + at, some);
          lefts += iw_compact(left + lefts, x, marked);
          if (args->others) rights += iw_compact(right + rights, x, iw_both(some, iw_unless(marked)));
        }
        OF_T(store_packed)(to_left, left, lefts);
        OF_T(store_packed)(to_right, right, rights);
        to_left += lefts;
        to_right += rights;
      }
    }
  }
}
