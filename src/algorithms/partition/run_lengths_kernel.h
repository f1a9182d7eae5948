/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel template: run lengths from run begins, in place, the last step of iw_run_lengths after a select of
 * the run heads' indices; GPUs write the lengths of elements of 4 and 8 bytes in one launch (staged_runs.h).
 * Two launches, see iw_run_lengths_args. Parameter: T, u32 or u64, which the includer undefines.
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/partition/args.h>
#include "algorithms/common/args.h"
#include "algorithms/common/chunks.h"

#ifndef IW_PARTITION_RUN_LENGTHS_KERNEL_H
#define IW_PARTITION_RUN_LENGTHS_KERNEL_H
enum { RUN_LENGTHS_LOADS = 8 };                             /* loads in flight for each warp */
#endif
#define FN(name) IW_JOIN(name, T)
static_assert(sizeof(SCALAR) == 4 || sizeof(SCALAR) == 8, "run begins are indices of 4 or 8 bytes");
static_assert(IW_RUN_LENGTHS_CHUNK % (32 * RUN_LENGTHS_LOADS) == 0, "a chunk is whole batches of loads");

/* Lengths of the runs from … end-1, behind which a run begins at `next`. */
IW_FN void FN(run_lengths_of_chunk)(SCALAR *runs, uint64_t from, uint64_t end, SCALAR next)
{
  const LANES last = OF_T(iw_splat)(next);
  for (uint64_t at = from; at < end; at += 32 * RUN_LENGTHS_LOADS) {
    LANES lengths[RUN_LENGTHS_LOADS];
    const int64_t left = (int64_t)(end - at);
    IW_UNROLL_ROWS for (int k = 0; k < RUN_LENGTHS_LOADS; k++) {
      const iw_pred some = iw_lanes_below(left - 32 * k), inner = iw_lanes_below(left - 32 * k - 1);
      const LANES behind = OF_T(iw_select)(inner, OF_T(iw_load)(runs + at + 32 * k + 1, inner), last);
      lengths[k] = OF_T(iw_sub)(behind, OF_T(iw_load)(runs + at + 32 * k, some));
    }
    IW_UNROLL_ROWS for (int k = 0; k < RUN_LENGTHS_LOADS; k++)
      OF_T(iw_store)(runs + at + 32 * k, lengths[k], iw_lanes_below(left - 32 * k));
  }
}

IW_KERNEL_NO_SPECIALIZATION(FN(run_lengths), iw_no_shared, iw_run_lengths_args, IW_RUN_LENGTHS_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    SCALAR *const runs = (SCALAR *)args->runs;
    const uint64_t count = iw_get_u64(args->count);
    const warp_chunks own = chunks_of_warp(block, warp, (count + IW_RUN_LENGTHS_CHUNK - 1) / IW_RUN_LENGTHS_CHUNK);
    for (uint64_t chunk = own.first; chunk < own.end; chunk += own.step) {
      const uint64_t from = chunk * IW_RUN_LENGTHS_CHUNK, left = count - from;
      const uint64_t end = left < IW_RUN_LENGTHS_CHUNK ? count : from + IW_RUN_LENGTHS_CHUNK;
      if (args->save_next) iw_set_u64(args->next + chunk, end < count ? (uint64_t)OF_T(iw_get)(runs + end) : args->n);
      else FN(run_lengths_of_chunk)(runs, from, end, (SCALAR)iw_get_u64(args->next + chunk));
    }
  }
}
#undef FN
