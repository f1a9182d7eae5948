/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a histogram's result: adds the blocks' copies of the counters up, applies the policy for outliers,
 * and stores or adds to the caller's counters of 32 or 64 bits. Kernel code without a type
 * parameter, for a launch of its own after private_counters.h, global_atomics.h or a bin partition;
 * knows neither samples nor schedules.
 */
#ifndef IW_HISTOGRAM_WRITE_COUNTS_H
#define IW_HISTOGRAM_WRITE_COUNTS_H

#include <isowarp/primitives.h>
#include "algorithms/histogram/args.h"

/* The sum of the blocks' counters of an entry. */
IW_FN uint64_t sum_of_copies(const iw_write_counts_args *args, uint64_t entry)
{
  uint64_t sum = args->counts ? iw_get(args->counts + entry) : 0;
  for (uint64_t b = 0; !args->counts && b < args->blocks; b++)
    sum += iw_get(args->copies + b * args->entries + entry);
  return sum;
}

/* The sums of the blocks' counters of entries at … at + 31. */
IW_FN iw_u64 sums_of_copies(const iw_write_counts_args *args, uint64_t at, iw_pred some)
{
  if (args->counts) return iw_load(args->counts + at, some);
  iw_u64 sum = iw_splat((uint64_t)0);
  for (uint64_t b = 0; b < args->blocks; b++) {
    const iw_u32 part = iw_load(args->copies + b * args->entries + at, some);
    sum = iw_add(sum, iw_to_u64(part));
  }
  return sum;
}

/* Writes the results of entries at … at + 31. A block's last warps have none: there, AVX2's masked loads of
 * memory that is not mapped would take 0.3 us a warp. */
IW_FN void write_counts(const iw_write_counts_args *args, uint64_t at)
{
  if (at >= args->entries) return;
  const int64_t bins = (int64_t)args->bins - (int64_t)at, entries = (int64_t)args->entries - (int64_t)at;
  const iw_pred wanted = iw_lanes_below((int64_t)args->outputs - (int64_t)at);
  const iw_pred outside = iw_and_pred(iw_lanes_below(entries), iw_not_pred(iw_lanes_below(bins)));
  iw_u64 sum = sums_of_copies(args, at, iw_lanes_below(entries));
  if (iw_any(outside)) {
    const iw_u64 entry = iw_add_u64(iw_splat(at), iw_to_u64(iw_lane()));
    iw_scatter_far(args->outliers, iw_sub(entry, iw_splat((uint64_t)args->bins)), sum, outside);
  }
  if (args->clamp && at == 0)
    sum = iw_select(iw_lanes_below(1), iw_add_u64(sum, iw_splat(sum_of_copies(args, args->bins))), sum);
  if (args->clamp && bins > 0 && bins <= IW_WARP_SIZE)
    sum = iw_select(iw_and_pred(iw_lanes_below(bins), iw_not_pred(iw_lanes_below(bins - 1))),
                    iw_add_u64(sum, iw_splat(sum_of_copies(args, (uint64_t)args->bins + 1))), sum);
  if (args->counters_32) {
    uint32_t *const out = (uint32_t *)args->out + at;
    const iw_u32 more = iw_to_u32(sum);
    iw_store(out, args->accumulate ? iw_add(iw_load(out, wanted), more) : more, wanted);
  } else {
    uint64_t *const out = (uint64_t *)args->out + at;
    iw_store(out, args->accumulate ? iw_add(iw_load(out, wanted), sum) : sum, wanted);
  }
}

#endif
