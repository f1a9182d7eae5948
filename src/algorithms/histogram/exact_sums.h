/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds weights to the exact sums of bins (common/exact_digits.h, doc/weights.md). Integer atomics commute,
 * so that the order of additions does not matter. Kernel code without a type parameter, for
 * accumulate_weights.h; knows neither edges nor samples.
 */
#ifndef IW_HISTOGRAM_EXACT_SUMS_H
#define IW_HISTOGRAM_EXACT_SUMS_H

#include "algorithms/common/exact_digits.h"
#include "algorithms/histogram/args.h"

/* Adds to word `index` of the sums, which are the block's own or those of all blocks. */
IW_FN void add_to_word(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums,
                       iw_u32 index, iw_u64 value, iw_pred some)
{
  if (args->privatised) iw_shared_add(sums, index, value, some);
  else iw_global_add(sums, index, value, some);
}

/* Adds a float to its bin's sum. NaN and infinities are counted instead. */
IW_FN void add_float(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums,
                     iw_u32 bin, float_parts p, iw_pred some)
{
  const iw_u64 zero = iw_splat((uint64_t)0);
  const iw_u32 entries = iw_splat(args->entries);
  const float_digits digits = split_digits(p);
  const iw_pred finite = iw_and_pred(some, iw_not_pred(p.special));
  iw_u32 index = iw_add(iw_mul(digits.word, entries), bin);
  IW_UNROLL for (int k = 0; k < 3; k++) {
    add_to_word(block, args, sums, index, digits.values[k],
                iw_and_pred(finite, iw_ne(digits.values[k], zero)));
    index = iw_add(index, entries);
  }
  const iw_pred special = iw_and_pred(some, p.special);
  if (iw_any(special)) {
    const iw_u32 word = iw_add(nonfinite_word(p), iw_splat(args->digits));
    add_to_word(block, args, sums, iw_add(iw_mul(word, entries), bin), iw_splat((uint64_t)1), special);
  }
}

#endif
