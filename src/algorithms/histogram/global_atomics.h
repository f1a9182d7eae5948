/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule "global atomics": all blocks add to one array of counters in global memory, for so many bins that
 * private counters do not fit. A lane counts equal bins of its successive samples in a register and adds
 * them at once. Kernel template, part of histogram_rows_T where that is private_counters.h; knows no shared
 * memory. Compiled once per T. Needs bin_index.h of the same T in front.
 */
#include "algorithms/histogram/args.h"
#include "algorithms/binning/sample_types.h"

#define FN(name) IW_JOIN(name, T)

/* Counts a warp's samples from `at` to `end`. */
IW_FN void FN(count_in_global)(const iw_block *block, const iw_histogram_rows_args *args, uint64_t at,
                               uint64_t end)
{
  const iw_binning rule = args->binning;
  uint64_t *const counts = args->counts;
  const iw_u32 none = iw_splat(0u), one = iw_splat(1u);
  iw_u32 last = none, run = none; /* each lane's last bin, and how many of its last samples are in it */
  for (; at < end; at += IW_ROW(T)) {
    const int64_t valid = (int64_t)(end - at);
    const SAMPLE_ROW row = FN(iw_row_wait)(ISSUE_ROW((const SCALAR *)args->samples + at, valid));
    for (int v = 0; v < SAMPLE_VECTORS; v++) {
      const iw_pred some = FN(iw_row_valid)(v, valid);
      const iw_u32 bin = FN(bin_index)(&rule, FN(iw_row_vector)(row, v), some);
      const iw_pred other = iw_and_pred(some, iw_ne(bin, last));
      iw_global_add(counts, last, iw_to_u64(run), iw_and_pred(other, iw_gt(run, none)));
      last = iw_select(other, bin, last);
      run = iw_add_u32(iw_select(other, none, run), iw_select(some, one, none));
    }
  }
  iw_global_add(counts, last, iw_to_u64(run), iw_gt(run, none));
}

#undef FN
