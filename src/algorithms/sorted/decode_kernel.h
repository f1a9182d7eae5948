/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel decode_runs: writes each value as often as its run is long. A warp looks for the runs of its
 * chunk's first and last output, and each lane bisects between them, so that long runs take no search.
 * Kernel template without parameters; it must not know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/sorted/args.h"

/* The number of ends that are not above i. */
IW_FN uint64_t decode_run_of(const iw_decode_args *args, uint64_t i)
{
  uint64_t low = 0, high = args->runs;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (args->ends[middle] <= i) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The same of the lanes' outputs, which are in runs first … last. */
IW_FN iw_u64 decode_runs_of(const iw_decode_args *args, iw_u64 i, uint64_t first, uint64_t last, unsigned steps)
{
  iw_u64 found = iw_splat(first);
  for (unsigned step = steps; step-- > 0;) {
    const iw_u64 next = iw_add(found, iw_splat((uint64_t)1 << step));
    const iw_pred there = iw_le(next, iw_splat(last));
    const iw_u64 end = iw_gather_far_u64(args->ends, iw_sub(next, iw_splat((uint64_t)1)), there);
    found = iw_select(iw_and_pred(there, iw_le(end, i)), next, found);
  }
  return found;
}

/* For each width of values: decode_store_T. */
#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE "algorithms/sorted/decode_of_width.h"
#include <isowarp/language/for_each_type.h>

IW_FN void decode_store(const iw_decode_args *args, uint64_t at, iw_u64 run, iw_pred some)
{
  switch (args->width) {
  case 1: decode_store_u8(args, at, run, some); break;
  case 2: decode_store_u16(args, at, run, some); break;
  case 4: decode_store_u32(args, at, run, some); break;
  default: decode_store_u64(args, at, run, some); break;
  }
}

IW_KERNEL(decode_runs, iw_no_shared, iw_decode_args)
{
  IW_PHASE(warp) {
    const uint64_t begin = ((uint64_t)block->index * block->warps + warp) * IW_DECODE_CHUNK;
    const uint64_t end = begin + IW_DECODE_CHUNK < args->n ? begin + IW_DECODE_CHUNK : args->n;
    if (begin < end) {
      const uint64_t first = decode_run_of(args, begin), last = decode_run_of(args, end - 1);
      unsigned steps = 0;
      while ((last - first) >> steps)
        steps++;
      for (uint64_t at = begin; at < end; at += IW_WARP_SIZE) {
        const iw_u64 i = iw_add(iw_splat(at), iw_to_u64(iw_lane()));
        decode_store(args, at, decode_runs_of(args, i, first, last, steps), iw_lanes_below((int64_t)(end - at)));
      }
    }
  }
}
