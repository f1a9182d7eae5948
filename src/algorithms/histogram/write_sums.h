/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel write_sums: adds the blocks' copies of each bin's exact sum up (exact_sums.h), rounds it once, and
 * writes the caller's sums. One warp per bin; all values are uniform. Kernel template without a type
 * parameter: args->mantissa and sum_bits describe the float format. Knows bin indices, no samples.
 */
#ifndef IW_HISTOGRAM_WRITE_SUMS_H
#define IW_HISTOGRAM_WRITE_SUMS_H

#include <isowarp/primitives.h>
#include "algorithms/common/chunks.h"
#include "algorithms/common/exact_number.h"
#include "algorithms/histogram/args.h"

enum { MAX_DIGITS = IW_DIGITS_F64 };

/* The exponent field of infinities and NaN. */
IW_FN uint64_t max_exponent_field(const iw_write_sums_args *args)
{
  return ((uint64_t)1 << (args->sum_bits - 1 - args->mantissa)) - 1;
}

/* Adds the other copies of some entries to the first one, 32 entries at a time. */
IW_FN void add_up_copies(const iw_write_sums_args *args, uint64_t first, uint64_t end)
{
  for (; first < end; first += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(end - first));
    for (uint32_t w = 0; w < args->words; w++) {
      uint64_t *const to = args->sums + w * (uint64_t)args->entries + first;
      iw_u64 sum = iw_load(to, some);
      for (uint64_t c = 1; c < args->copies; c++) sum = iw_add(sum, iw_load(to + c * args->words * args->entries, some));
      iw_store(to, sum, some);
    }
  }
}

/* Adds some copies of an entry to its words. */
IW_FN void add_entry(const iw_write_sums_args *args, uint64_t copies, uint64_t entry, uint64_t *words)
{
  uint64_t at = entry;
  for (uint64_t c = 0; c < copies; c++)
    for (uint32_t w = 0; w < args->words; w++, at += args->entries) words[w] += iw_get(args->sums + at);
}

/* Adds one float, given as its bits: the sum that the caller had before. */
IW_FN void add_float_bits(const iw_write_sums_args *args, uint64_t bits, uint64_t *words)
{
  const uint64_t last = max_exponent_field(args), rest = bits & (((uint64_t)1 << args->mantissa) - 1);
  const uint64_t negative = bits >> (args->sum_bits - 1), field = bits >> args->mantissa & last;
  uint64_t digits[3];
  if (field == last) {
    words[args->digits + (rest ? 0 : negative ? 2 : 1)]++;
    return;
  }
  const uint32_t word = split_float(args->sum_bits, args->mantissa, bits, digits);
  for (uint32_t k = 0; k < 3; k++)
    if (digits[k]) words[word + k] += digits[k];
}

IW_KERNEL(write_sums, iw_no_shared, iw_write_sums_args)
{
  IW_PHASE(warp) {
    const warp_chunks own = chunks_of_warp(block, warp, args->outputs);
    const int adds_up = args->copies > 1 && own.step == 1;
    if (adds_up) add_up_copies(args, own.first, own.end);
    for (uint64_t entry = own.first; entry < own.end; entry += own.step) {
      uint64_t words[MAX_DIGITS + IW_NONFINITE_WORDS];
      for (uint32_t w = 0; w < args->words; w++) words[w] = 0;
      add_entry(args, adds_up ? 1 : args->copies, entry, words);
      if (args->clamp && entry == 0) add_entry(args, args->copies, args->bins, words);
      if (args->clamp && entry == args->bins - 1) add_entry(args, args->copies, (uint64_t)args->bins + 1, words);
      uint32_t *const narrow = (uint32_t *)args->out + entry;
      uint64_t *const wide = (uint64_t *)args->out + entry;
      const iw_float_format to = { args->sum_bits, args->mantissa, 0 };
      if (!args->mantissa) {
        iw_set(wide, words[0] + (args->accumulate ? iw_get((const uint64_t *)wide) : 0));
      } else if (args->sum_bits == 32) {
        if (args->accumulate) add_float_bits(args, iw_get((const uint32_t *)narrow), words);
        iw_set(narrow, (uint32_t)round_sum(args->digits, to, words));
      } else {
        if (args->accumulate) add_float_bits(args, iw_get((const uint64_t *)wide), words);
        iw_set(wide, round_sum(args->digits, to, words));
      }
    }
  }
}

#endif
