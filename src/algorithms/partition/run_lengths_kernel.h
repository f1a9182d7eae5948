/* SPDX-License-Identifier: Apache-2.0
 *
 * See lengths.h. Compiled once per T, u32 or u64.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/args.h"

#ifndef RUN_LENGTHS_ROWS
#define RUN_LENGTHS_ROWS 8 /* rows on their way at a time */
#endif

IW_KERNEL_NO_SPECIALIZATION(OF_T(run_lengths), iw_no_shared, iw_run_lengths_args, IW_RUN_LENGTHS_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    SCALAR *const runs = (SCALAR *)args->runs;
    const uint64_t count = iw_get_u64(args->count), step = block->blocks * block->warps;
    for (uint64_t chunk = block->index * block->warps + warp; chunk * IW_RUN_LENGTHS_CHUNK < count; chunk += step) {
      const uint64_t from = chunk * IW_RUN_LENGTHS_CHUNK, left = count - from;
      const uint64_t end = left < IW_RUN_LENGTHS_CHUNK ? count : from + IW_RUN_LENGTHS_CHUNK;
      if (args->save_next) {
        iw_set_u64(args->next + chunk, end < count ? (uint64_t)OF_T(iw_get)(runs + end) : args->n);
      } else {
        const LANES last = OF_T(iw_splat)((SCALAR)iw_get_u64(args->next + chunk));
        for (uint64_t at = from; at < end; at += 32 * RUN_LENGTHS_ROWS) {
          LANES lengths[RUN_LENGTHS_ROWS];
          const int64_t left_in_chunk = (int64_t)(end - at);
          IW_UNROLL_ROWS for (int k = 0; k < RUN_LENGTHS_ROWS; k++) {
            const iw_pred some = iw_lanes_below(left_in_chunk - 32 * k), inner = iw_lanes_below(left_in_chunk - 32 * k - 1);
            const LANES next = OF_T(iw_select)(inner, OF_T(iw_load)(runs + at + 32 * k + 1, inner), last);
            lengths[k] = OF_T(iw_sub)(next, OF_T(iw_load)(runs + at + 32 * k, some));
          }
          IW_UNROLL_ROWS for (int k = 0; k < RUN_LENGTHS_ROWS; k++)
            OF_T(iw_store)(runs + at + 32 * k, lengths[k], iw_lanes_below(left_in_chunk - 32 * k));
        }
      }
    }
  }
}
