/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel bucket_ids_T: writes the bin index of each sample to an array, for callers that need the index
 * itself: N-D and weighted histograms, partition and multisplit by bins. Compiled once per T; knows no
 * counters. The loop over the samples is that of bucket ids (bucket_ids_kernel.h), with "the bin of a sample"
 * as the rule. Needs bin_index.h of the same T in front.
 */
#include "algorithms/binning/args.h"
#include "algorithms/binning/sample_types.h"

IW_FN iw_u32 IW_JOIN(iw_bucket_id, T)(const iw_bin_index_args *args, SAMPLE_LANES sample, iw_pred valid)
{
  return IW_JOIN(bin_index, T)(&args->binning, sample, valid);
}

#define BY T
#define ARGS iw_bin_index_args
#include <isowarp/algorithms/common/bucket_ids_kernel.h>
#undef ARGS
#undef BY
