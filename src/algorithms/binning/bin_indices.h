/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel bucket_ids_T: writes the bin index of each sample to an array, for callers that need the index
 * itself: N-D and weighted histograms, partition and multisplit by bins. Compiled once per T; knows no
 * counters. The loop over the samples is that of bucket ids (bucket_ids_kernel.h), with "the bin of a sample"
 * as the rule. Needs bin_index.h of the same T in front.
 */
#include <isowarp/algorithms/common/tuning.h>
#include "algorithms/binning/args.h"
#include "algorithms/binning/sample_types.h"

/* Where guesses are tried, those of a warp are its bins if all are unambiguous and in range. Guesses are not
 * tried if one warp in four is expected to have an ambiguous sample. */
IW_FN iw_u32 IW_JOIN(iw_bucket_id, T)(const iw_bin_index_args *args, SAMPLE_LANES sample, iw_pred valid)
{
  const iw_binning *const rule = &args->binning;
  const int tries = BUCKET_ID_GUESSES && !BYTES && rule->mode == IW_BINNING_GUESS && rule->tau * (2 * IW_WARP_SIZE) < 0.25;
  if (tries && iw_all(valid)) {
    IW_PASTE(iw_floors_, GUESS) guesses;
    IW_PASTE(iw_floors_open_, GUESS)(&guesses);
    const iw_u32 bin = IW_JOIN(bin_speculative, T)(rule, sample, &guesses);
    if (IW_PASTE(iw_floors_unambiguous_, GUESS)(&guesses, rule->bins, (GUESS_SCALAR)rule->tau)) return bin;
  }
  return IW_JOIN(bin_index, T)(rule, sample, valid);
}

#define BY T
#define ARGS iw_bin_index_args
#include <isowarp/algorithms/common/bucket_ids_kernel.h>
#undef ARGS
#undef BY
