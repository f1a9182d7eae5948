/* SPDX-License-Identifier: Apache-2.0
 *
 * The digits of a pass on CPUs, batch by batch (digit_batch.h). Part of the template radix_split_kernel.h.
 */

/* For each width of elements: digit_batch_scatter_T. */
#define IW_TYPE_SET (IW_SET_OF_WIDTHS | IW_SET_u128)
#define IW_TEMPLATE "algorithms/multisplit/digit_batch.h"
#include <isowarp/language/for_each_type.h>

/* For each width of keys that can be divided: division_store_T. */
#define IW_TYPE_SET (IW_SET_u32 | IW_SET_u64)
#define IW_TEMPLATE "algorithms/multisplit/division_digits.h"
#include <isowarp/language/for_each_type.h>

/* The digits of the elements from `at` on. */
IW_FN iw_u32 multisplit_load_digits(const iw_radix_args *args, uint64_t at, iw_pred some)
{
  switch (args->key_bytes) {
  case 1: return multisplit_key_digit_u32(args, iw_load_u8((const uint8_t *)args->keys + at, some));
  case 2: return multisplit_key_digit_u32(args, iw_load_u16((const uint16_t *)args->keys + at, some));
  case 4: return multisplit_key_digit_u32(args, iw_load_u32((const uint32_t *)args->keys + at, some));
  default: return multisplit_key_digit_u64(args, iw_load_u64((const uint64_t *)args->keys + at, some));
  }
}

/* Stores the digits of whole warps of 4-byte integers. Its copies of *args stay in registers; what args
 * points to could change with each store, for all that a compiler knows. Returns how many digits that
 * is. */
IW_FN uint64_t multisplit_store_digits_of_words(const iw_radix_args *args, uint64_t at, uint64_t count, uint32_t *digits)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  const iw_total_order order = args->order;
  const uint32_t shift = args->shift, mask = args->mask;
  const uint32_t *const keys = (const uint32_t *)args->keys + at;
  uint64_t k = 0;
  for (; k + IW_WARP_SIZE <= count; k += IW_WARP_SIZE)
    iw_store(digits + k, multisplit_digit_u32(iw_total_rank_of_integers_u32(&order, iw_load(keys + k, all)), shift, mask), all);
  return k;
}

/* Stores the digits of a batch, from element `at` on and in front of element `end`. Returns how many there
 * are. Not inlined: all that counts and moves calls it, and has no code for each kind of keys. */
IW_NOINLINE_FN uint64_t multisplit_store_digits(const iw_radix_args *args, uint64_t at, uint64_t end, uint32_t *digits)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  const uint64_t count = end - at < IW_DIGIT_BATCH ? end - at : IW_DIGIT_BATCH;
  uint64_t k = 0;
  if (args->division && args->key_bytes == 8)
    division_store_u64(&args->order, args->division, (const uint64_t *)args->keys + at, count, digits);
  else if (args->division)
    division_store_u32(&args->order, args->division, (const uint32_t *)args->keys + at, count, digits);
  else {
    if (args->key_bytes == 4 && !args->order.infinity) k = multisplit_store_digits_of_words(args, at, count, digits);
    for (; k + IW_WARP_SIZE <= count; k += IW_WARP_SIZE) iw_store(digits + k, multisplit_load_digits(args, at + k, all), all);
    if (k < count) iw_store(digits + k, multisplit_load_digits(args, at + k, iw_lanes_below((int64_t)(count - k))), all);
  }
  return count;
}

/* Counts the digits of the elements from … end-1. */
IW_NOINLINE_FN void multisplit_count_part(const iw_block *block, const iw_radix_args *args, unsigned warp, uint64_t from, uint64_t end,
                                          uint32_t *counters)
{
  uint32_t digits[IW_DIGIT_BATCH];
  (void)block;
  (void)warp;
  for (uint64_t count; from < end; from += count) {
    count = multisplit_store_digits(args, from, end, digits);
    digit_batch_count(digits, count, counters, args->one_table ? 0 : IW_RADIX_DIGITS);
  }
}
