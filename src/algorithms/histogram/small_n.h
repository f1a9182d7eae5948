/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule "small n": one warp counts all samples straight into the caller's counters, 32 at a time, without
 * private counters and without a second launch. For arrays so short that clearing and adding up counters
 * would take longer than counting (SMALL_N_… in schedule.c). CUB has no counterpart: its agent always
 * privatises. Kernel template, compiled once per T. Needs bin_index.h of the same T in front.
 */
#include "algorithms/histogram/args.h"
#include "algorithms/binning/sample_types.h"

#define FN(name) IW_JOIN(name, T)

#ifndef IW_HISTOGRAM_SMALL_N_H
#define IW_HISTOGRAM_SMALL_N_H

enum { BELOW_ALL_BINS, ABOVE_ALL_BINS, IS_NAN, OUTLIER_KINDS };

IW_FN void small_n_clear_counters(const iw_small_n_args *args)
{
  uint32_t *const narrow = (uint32_t *)args->out;
  uint64_t *const wide = (uint64_t *)args->out;
  for (uint64_t i = 0; i < args->outputs; i += IW_WARP_SIZE) {
    const iw_pred valid = iw_lanes_below((int64_t)(args->outputs - i));
    if (args->counters_32) iw_store(narrow + i, iw_splat(0u), valid);
    else iw_store(wide + i, iw_splat((uint64_t)0), valid);
  }
}

/* Adds a warp's outliers to `outliers` and returns the bin indices as the policy wants them counted. */
IW_FN iw_u32 small_n_count_outliers(const iw_small_n_args *args, iw_u32 bin, iw_pred valid,
                                    uint64_t *outliers)
{
  const uint32_t bins = args->binning.bins;
  const iw_pred below = iw_and_pred(valid, iw_eq(bin, iw_splat(bins)));
  const iw_pred above = iw_and_pred(valid, iw_eq(bin, iw_splat(bins + 1)));
  outliers[BELOW_ALL_BINS] += iw_popcount_of(below);
  outliers[ABOVE_ALL_BINS] += iw_popcount_of(above);
  outliers[IS_NAN] += iw_popcount_of(iw_and_pred(valid, iw_eq(bin, iw_splat(bins + 2))));
  if (!args->clamp) return bin;
  return iw_select(below, iw_splat(0u), iw_select(above, iw_splat(bins - 1), bin));
}
#endif

IW_KERNEL_NO_SPECIALIZATION(FN(histogram_small_n), iw_no_shared, iw_small_n_args, 32, 1)
{
  IW_PHASE(warp) {
    if (!args->accumulate) small_n_clear_counters(args);
  }
  IW_PHASE(warp) {
    const iw_binning rule = args->binning;
    const iw_u32 outputs = iw_splat(args->outputs), last = iw_splat(rule.bins - 1);
    uint64_t outliers[OUTLIER_KINDS] = { 0, 0, 0 };
    for (uint64_t at = 0; at < args->n; at += IW_WARP_SIZE) {
      const iw_pred valid = iw_lanes_below((int64_t)(args->n - at));
      const SCALAR *const samples = (const SCALAR *)args->samples + at;
      iw_u32 bin = FN(bin_index)(&rule, FN(iw_load)(samples, valid), valid);
      if (iw_any(iw_and_pred(valid, iw_gt(bin, last))))
        bin = small_n_count_outliers(args, bin, valid, outliers);
      const iw_pred counted = iw_and_pred(valid, iw_lt(bin, outputs));
      if (args->counters_32) iw_add_exclusive_u32(block, (uint32_t *)args->out, bin, iw_splat(1u), counted);
      else iw_add_exclusive_u64(block, (uint64_t *)args->out, bin, iw_splat((uint64_t)1), counted);
    }
    for (unsigned k = 0; args->outliers && k < OUTLIER_KINDS; k++) {
      const uint64_t before = args->accumulate_outliers ? iw_get((const uint64_t *)args->outliers + k) : 0;
      iw_set(args->outliers + k, before + outliers[k]);
    }
  }
}

#undef FN
