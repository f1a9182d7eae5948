/* SPDX-License-Identifier: Apache-2.0
 *
 * The digits of keys by a division (radix_args.h), included once for each width of keys: T is u32 or u64.
 * Part of kernel templates, which include common/total_order_lanes.h.
 *
 * The digit is the difference of the key's rank to the least one, shifted; of floats by value that of its
 * value, scaled, which divides keys of one magnitude in equal parts; of integers by the logarithm of the
 * difference its exponent and upper bits of the mantissa as of a float. Each way ascends with ranks.
 */
#define FN(name) IW_JOIN(IW_JOIN(division, name), T)
#define FLOAT_TYPE IW_PASTE(DIVISION_FLOAT_, T)
#define FLOAT IW_PASTE(iws_, FLOAT_TYPE)
#define FLOATS IW_PASTE(iw_, FLOAT_TYPE)
#ifndef IW_DIVISION_DIGITS_H
#define IW_DIVISION_DIGITS_H
#define DIVISION_FLOAT_u32 f32
#define DIVISION_FLOAT_u64 f64
#endif

IW_FN FLOAT FN(float_of)(SCALAR bits)
{
  FLOAT value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

IW_FN SCALAR FN(bits_of)(FLOAT value)
{
  SCALAR bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

IW_FN iw_u32 FN(digits)(const iw_total_order *order, const iw_division *d, LANES keys, const int way)
{
  if (way == IW_BY_VALUE) {
    /* Differences to the greatest value, times a negative scale. A NaN has index 0, as has that value: the
     * digit is last in ascending order, first in descending order. */
    const FLOATS beyond = iw_sub(IW_PASTE(iw_from_bits_, FLOAT_TYPE)(keys), iw_splat(FN(float_of)((SCALAR)d->base)));
    return iw_xor_u32(iw_to_index(iw_mul(beyond, iw_splat(FN(float_of)((SCALAR)d->scale))), d->last), iw_splat_u32(d->flip));
  }
  LANES rank = OF_T(iw_total_rank)(order, keys);
  if (d->clamps) rank = OF_T(iw_min)(OF_T(iw_max)(rank, iw_splat((SCALAR)d->least)), iw_splat((SCALAR)d->most));
  const LANES beyond = OF_T(iw_sub)(rank, iw_splat((SCALAR)d->least));
  if (way == IW_BY_RANK) return iw_to_u32(OF_T(iw_shr)(beyond, iw_splat((SCALAR)d->shift)));
  const LANES logarithm = OF_T(iw_sub)(IW_PASTE(iw_as_bits_, FLOAT_TYPE)(IW_PASTE(iw_to_, FLOAT_TYPE)(
    OF_T(iw_max)(beyond, iw_splat((SCALAR)1)))), iw_splat(FN(bits_of)(1)));
  return iw_min_u32(iw_to_u32(OF_T(iw_shr)(logarithm, iw_splat((SCALAR)d->shift))), iw_splat_u32(d->last)); /* may have been rounded up */
}

/* Stores the digits of a batch of keys (digit_batch.h). A literal `way` keeps the choice out of the loop. */
IW_FN void FN(store_by)(const iw_total_order *order, const iw_division *d, const SCALAR *keys, uint64_t count, uint32_t *digits, const int way)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  uint64_t k = 0;
  for (; k + IW_WARP_SIZE <= count; k += IW_WARP_SIZE) iw_store_u32(digits + k, FN(digits)(order, d, OF_T(iw_load)(keys + k, all), way), all);
  if (k < count) iw_store_u32(digits + k, FN(digits)(order, d, OF_T(iw_load)(keys + k, iw_lanes_below((int64_t)(count - k))), way), all);
}

IW_NOINLINE_FN void FN(store)(const iw_total_order *order, const iw_division *d, const SCALAR *keys, uint64_t count, uint32_t *digits)
{
  const iw_total_order same_order = *order; /* which no store can change */
  const iw_division same = *d;
  switch (same.way) {
  case IW_BY_VALUE: FN(store_by)(&same_order, &same, keys, count, digits, IW_BY_VALUE); break;
  case IW_BY_LOGARITHM: FN(store_by)(&same_order, &same, keys, count, digits, IW_BY_LOGARITHM); break;
  default: FN(store_by)(&same_order, &same, keys, count, digits, IW_BY_RANK);
  }
}

#undef FN
#undef FLOAT_TYPE
#undef FLOAT
#undef FLOATS
