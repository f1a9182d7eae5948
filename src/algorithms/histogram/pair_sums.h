/* SPDX-License-Identifier: Apache-2.0
 *
 * How CPUs add float weights to exact sums if the weights' exponents are near each other: a sum is an integer
 * of 128 bits, a weight takes one addition, and a bin one cache line, where the digits of any float take
 * eleven (exact_sums.h). weights_extent finds what the exponents are, accumulate_pairs adds weights by bin
 * indices, write_pairs rounds each sum once. So results are those of the digits. A block is a warp, all
 * values of the last two kernels are uniform, and float types differ by numbers. Kernel template without
 * parameters; knows neither edges nor samples.
 */
#ifndef IW_HISTOGRAM_PAIR_SUMS_H
#define IW_HISTOGRAM_PAIR_SUMS_H

#include <isowarp/primitives.h>
#include "algorithms/common/exact_number.h"
#include "algorithms/histogram/pair_args.h"

typedef struct pair { uint64_t low, high; } pair;

IW_FN iw_float_format pair_format(uint64_t weight_bytes)
{
  return weight_bytes == 4 ? (iw_float_format){ 32, 23, 0 } : (iw_float_format){ 64, 52, 0 };
}

IW_FN uint64_t pair_chunk_end(uint64_t first, uint64_t chunk, uint64_t n)
{
  return first >= n ? first : chunk < n - first ? first + chunk : n;
}

/* A float, given as its bits, in units of 2^place. */
IW_FN pair pair_of_float(iw_float_format from, uint64_t bits, uint32_t place)
{
  const uint64_t one = (uint64_t)1 << from.mantissa, rest = bits & (one - 1);
  const uint32_t field = (uint32_t)(bits >> from.mantissa) & (((uint32_t)1 << (from.bits - 1 - from.mantissa)) - 1);
  const uint64_t mantissa = field ? rest | one : rest, negative = 0 - (bits >> (from.bits - 1));
  const uint32_t shift = mantissa ? (field ? field - 1 : 0) - place : 0;
  const uint64_t low = shift < 64 ? mantissa << shift : 0;
  const uint64_t high = shift < 64 ? mantissa >> 1 >> (63 - shift) : mantissa << (shift - 64);
  return (pair){ (low ^ negative) - negative, (high ^ negative) + (low ? 0 : negative & 1) };
}

IW_FN pair pair_sum(pair a, pair b)
{
  const uint64_t low = a.low + b.low;
  return (pair){ low, a.high + b.high + (low < b.low) };
}

/* bit_length() of a number that is not 0, by an instruction. */
IW_FN int pair_length(uint64_t bits)
{
  const uint32_t upper = (uint32_t)(bits >> 32);
  return upper ? 33 + (int)iw_highest(upper) : 1 + (int)iw_highest((uint32_t)bits);
}

/* The bits of the float nearest to a sum, ties to even. Branches are those that sums of all bins take
 * alike. */
IW_FN uint64_t pair_rounded(iw_float_format to, pair sum, uint32_t place)
{
  const int negative = sum.high >> 63 ? 1 : 0;
  const uint64_t low = negative ? 0 - sum.low : sum.low, high = negative ? ~sum.high + !sum.low : sum.high;
  if (!low && !high) return 0;
  const int highest = high ? 64 + pair_length(high) : pair_length(low);
  const uint32_t last = last_place(to, highest + (int)place);
  const int cut = (int)last - (int)place; /* bits, of which 128 - the bits of a mantissa are cut off at most */
  if (cut <= 0) return pack_float(to, last, low << -cut, negative);
  const uint64_t kept = cut < 64 ? low >> cut | high << 1 << (63 - cut) : high >> (cut - 64);
  const uint64_t cut_word = cut <= 64 ? low : high, half_bit = (uint64_t)1 << ((cut - 1) % 64);
  const uint64_t below = (cut_word & (half_bit - 1)) | (cut > 64 ? low : 0);
  const uint64_t half = (cut_word & half_bit) != 0, odd = (below != 0) | (kept & 1);
  return pack_float(to, last, kept + (half & odd), negative);
}

/* ---- Kernels ----------------------------------------------------------------------------------------- */

IW_KERNEL_NO_SPECIALIZATION(weights_extent, iw_no_shared, iw_weights_extent_args, 32, 1)
{
  IW_PHASE(warp) {
    (void)warp;
    const iw_u64 zero = iw_splat((uint64_t)0), magnitude_bits = iw_splat(UINT64_MAX >> (args->weight_bytes == 4 ? 33 : 1));
    const uint64_t first = block->index * args->chunk, end = pair_chunk_end(first, args->chunk, args->n);
    iw_u64 greatest = zero, complement = zero; /* of the least one */
    for (uint64_t at = first; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      const iw_u64 bits = args->weight_bytes == 4 ? iw_to_u64(iw_load((const uint32_t *)args->weights + at, some))
                                                  : iw_load((const uint64_t *)args->weights + at, some);
      const iw_u64 magnitude = iw_select(some, iw_and(bits, magnitude_bits), zero);
      greatest = iw_max(greatest, magnitude);
      complement = iw_max(complement, iw_select(iw_eq(magnitude, zero), zero, iw_xor(magnitude, iw_splat(UINT64_MAX))));
    }
    iw_set_u64(&args->found[block->index].greatest, iw_warp_max_u64(greatest));
    iw_set_u64(&args->found[block->index].least, ~iw_warp_max_u64(complement));
  }
}

IW_KERNEL_NO_SPECIALIZATION(accumulate_pairs, iw_no_shared, iw_accumulate_pairs_args, 32, 1)
{
  IW_PHASE(warp) {
    (void)warp;
    const iw_float_format from = pair_format(args->weight_bytes);
    uint64_t *const sums = args->sums + block->index * IW_PAIR_WORDS * args->entries;
    const uint64_t first = block->index * args->chunk, end = pair_chunk_end(first, args->chunk, args->n);
    for (uint64_t at = first; at < end; at++) {
      const uint64_t bits = args->weight_bytes == 4 ? iw_get_u32((const uint32_t *)args->weights + at)
                                                    : iw_get_u64((const uint64_t *)args->weights + at);
      uint64_t *const to = sums + IW_PAIR_WORDS * (uint64_t)iw_get_u32(args->bin_indices + at);
      const pair sum = pair_sum((pair){ iw_get_u64(to), iw_get_u64(to + 1) }, pair_of_float(from, bits, args->place));
      iw_set_u64(to, sum.low);
      iw_set_u64(to + 1, sum.high);
    }
  }
}

/* Adds all copies of an entry. */
IW_FN pair pair_of_entry(const iw_write_pairs_args *args, uint64_t entry, pair sum)
{
  for (uint64_t c = 0; c < args->copies; c++) {
    const uint64_t *const from = args->sums + (c * args->entries + entry) * IW_PAIR_WORDS;
    sum = pair_sum(sum, (pair){ iw_get_u64(from), iw_get_u64(from + 1) });
  }
  return sum;
}

IW_KERNEL_NO_SPECIALIZATION(write_pairs, iw_no_shared, iw_write_pairs_args, 32, 1)
{
  IW_PHASE(warp) {
    (void)warp;
    const iw_float_format to = pair_format(args->weight_bytes);
    const uint64_t first = block->index * args->chunk, end = pair_chunk_end(first, args->chunk, args->outputs);
    for (uint64_t entry = first; entry < end; entry++) {
      pair sum = pair_of_entry(args, entry, (pair){ 0, 0 });
      if (args->clamp && entry == 0) sum = pair_of_entry(args, args->bins, sum);
      if (args->clamp && entry == args->bins - 1) sum = pair_of_entry(args, (uint64_t)args->bins + 1, sum);
      const uint64_t bits = pair_rounded(to, sum, args->place);
      if (args->weight_bytes == 4) iw_set_u32((uint32_t *)args->out + entry, (uint32_t)bits);
      else iw_set_u64((uint64_t *)args->out + entry, bits);
    }
  }
}

#endif
