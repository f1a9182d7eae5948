/* SPDX-License-Identifier: Apache-2.0
 *
 * See lengths.h. Compiled once per T, u32 or u64.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/args.h"

#ifndef LENGTHS_GROUP
#define LENGTHS_GROUP 8 /* rows on their way at a time */
#endif

IW_KERNEL_ONCE(OF_T(lengths), nothing, iw_lengths_args, IW_LENGTHS_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    SCALAR *const runs = (SCALAR *)args->runs;
    const uint64_t count = iw_get_u64(args->count), step = block->blocks * block->warps;
    for (uint64_t chunk = block->index * block->warps + warp; chunk * IW_LENGTHS_CHUNK < count; chunk += step) {
      const uint64_t from = chunk * IW_LENGTHS_CHUNK, left = count - from;
      const uint64_t end = left < IW_LENGTHS_CHUNK ? count : from + IW_LENGTHS_CHUNK;
      if (args->keeping) {
        iw_set_u64(args->next + chunk, end < count ? (uint64_t)OF_T(iw_get)(runs + end) : args->n);
      } else {
        const LANES last = OF_T(iw_splat)((SCALAR)iw_get_u64(args->next + chunk));
        for (uint64_t at = from; at < end; at += 32 * LENGTHS_GROUP) {
          LANES lengths[LENGTHS_GROUP];
          const int64_t here = (int64_t)(end - at);
          IW_UNROLL_ROWS for (int k = 0; k < LENGTHS_GROUP; k++) {
            const iw_pred some = iw_lanes_below(here - 32 * k), inner = iw_lanes_below(here - 32 * k - 1);
            const LANES next = OF_T(iw_select)(inner, OF_T(iw_load)(runs + at + 32 * k + 1, inner), last);
            lengths[k] = OF_T(iw_sub)(next, OF_T(iw_load)(runs + at + 32 * k, some));
          }
          IW_UNROLL_ROWS for (int k = 0; k < LENGTHS_GROUP; k++)
            OF_T(iw_store)(runs + at + 32 * k, lengths[k], iw_lanes_below(here - 32 * k));
        }
      }
    }
  }
}
