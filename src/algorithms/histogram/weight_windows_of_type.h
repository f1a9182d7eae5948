/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of accumulate_weights.h, for CPUs: a block's weights of T, f32 or f64, by windows (weight_windows.h).
 * WINDOWS is their number.
 */
#ifndef IW_HISTOGRAM_WEIGHT_WINDOWS_OF_TYPE_H
#define IW_HISTOGRAM_WEIGHT_WINDOWS_OF_TYPE_H
/* The bias of exponents less 1; the exponent of the smallest subnormal number;
 * the exponent field from which weights do not go to windows, as sigma would not be finite. */
enum {
  TOP_BIAS_f32 = 126, LEAST_f32 = -149, LARGE_FIELD_f32 = 255,
  TOP_BIAS_f64 = 1022, LEAST_f64 = -1074, LARGE_FIELD_f64 = 2030
};
#define WEIGHT_TO_f64_f32(x) iw_to_f64(iw_from_bits_f32(x))
#define WEIGHT_TO_f64_f64(x) iw_from_bits_f64(x)
#define WEIGHT_FROM_f64_f32(x) iw_as_bits(iw_to_f32(x))
#define WEIGHT_FROM_f64_f64(x) iw_as_bits(x)
/* Lanes whose upper bits are the exponent field, 0 for a weight of 0 alone; where the field begins. */
#define WEIGHT_MAGNITUDE_f32(x) iw_and(x, iw_splat(0x7fffffffu))
#define WEIGHT_MAGNITUDE_f64(x) iw_max(iw_and(iw_to_u32(iw_shr(x, iw_splat((uint64_t)32))), iw_splat(0x7fffffffu)), \
                                       iw_min(iw_to_u32(x), iw_splat(1u)))
enum { FIELD_AT_f32 = 23, FIELD_AT_f64 = 20 };
#endif

/* The greatest exponent field of a warp's part of the weights at … to-1, of each lane, and in *least the
 * least one. Weights of 0 have none: if all are 0, *least is above all fields. If the upper bits of the
 * mantissa are 0, *least may be one less. */
IW_FN iw_u32 FN(fields_of_part)(const iw_block *block, const iw_accumulate_weights_args *args, unsigned warp, uint64_t at, uint64_t to,
                                iw_u32 *least)
{
  const IW_PASTE(iws_, BITS) *const weights = (const IW_PASTE(iws_, BITS) *)args->weights + at;
  const uint64_t end = weight_part(block, warp + 1, to - at);
  const iw_u32 one = iw_splat(1u), field = iw_splat((uint32_t)IW_PASTE(FIELD_AT_, T));
  iw_u32 greatest = iw_splat(0u), least_below = iw_splat(UINT32_MAX); /* less 1, so that 0 is the greatest */
  for (uint64_t k = weight_part(block, warp, to - at); k < end; k += IW_WARP_SIZE) {
    const iw_pred valid = k + IW_WARP_SIZE <= end ? iw_lanes_below(IW_WARP_SIZE) : iw_lanes_below((int64_t)(end - k));
    const IW_PASTE(iw_, BITS) x = iw_load(weights + k, valid);
    const iw_u32 magnitude = IW_PASTE(WEIGHT_MAGNITUDE_, T)(x);
    greatest = iw_max(greatest, magnitude);
    least_below = iw_min(least_below, iw_sub(magnitude, one));
  }
  *least = iw_shr(least_below, field);
  return iw_shr(greatest, field);
}

/* The exponent of which weights of that field are less, but no less than that for which the unit of the
 * last window is a subnormal number. */
IW_FN int FN(weight_top)(uint32_t field)
{
  const int top = (int)(field ? field : 1) - IW_PASTE(TOP_BIAS_, T);
  const int least = IW_PASTE(LEAST_, T) + WEIGHT_WINDOW_BITS + (WINDOWS - 1) * (WEIGHT_WINDOW_BITS + 1);
  return top > least ? top : least;
}

/* The place of the last bit of window i in units of the smallest subnormal number. */
IW_FN int FN(window_place)(uint32_t field, int i)
{
  return FN(weight_top)(field) - WEIGHT_WINDOW_BITS - i * (WEIGHT_WINDOW_BITS + 1) - IW_PASTE(LEAST_, T);
}

/* Adds the vectors of weights from k on that end before `end` to the windows of the block, and returns where
 * they end. may_leave: whether anything may be cut off behind the last window. */
IW_FN uint64_t FN(add_vectors)(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums, uint64_t k, uint64_t end,
                               int exponent, int may_leave, uint64_t *words)
{
  for (; k + IW_WARP_SIZE <= end; k += IW_WARP_SIZE) {
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    const iw_u32 bin = iw_load(args->bin_indices + k, all);
    iw_f64 rest = IW_PASTE(WEIGHT_TO_f64_, T)(iw_load((const IW_PASTE(iws_, BITS) *)args->weights + k, all));
    for (int i = 0; i < WINDOWS; i++) {
      const uint64_t bits = (uint64_t)(exponent - i * (WEIGHT_WINDOW_BITS + 1) + 1023) << 52 | (uint64_t)1 << 51;
      const iw_f64 sigma = iw_from_bits_f64(iw_splat(bits)), sum = iw_add(sigma, rest);
      if (may_leave || i + 1 < WINDOWS) rest = iw_sub(rest, iw_sub(sum, sigma));
      iw_shared_add(words + (uint64_t)i * args->entries, bin, iw_sub(iw_raw_bits(sum), iw_splat(bits)), all);
    }
    const iw_pred left = iw_ne(rest, iw_splat(0.0));
    if (may_leave && iw_any(left)) FN(add_weights)(block, args, sums, bin, IW_PASTE(WEIGHT_FROM_f64_, T)(rest), left);
  }
  return k;
}

/* Adds a warp's part of the weights at … to-1, by windows if no field is large. Nothing is cut off if the
 * least field is near enough to the greatest one. */
IW_FN void FN(add_by_windows)(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums, unsigned warp, uint64_t at,
                              uint64_t to, uint32_t field, uint32_t least, uint64_t *words)
{
  const uint64_t end = at + weight_part(block, warp + 1, to - at);
  const int exponent = FN(weight_top)(field) + 52 - WEIGHT_WINDOW_BITS, last_place = FN(window_place)(field, WINDOWS - 1);
  uint64_t k = at + weight_part(block, warp, to - at);
  if (field < IW_PASTE(LARGE_FIELD_, T))
    k = last_place < (int)(least ? least : 1) ? FN(add_vectors)(block, args, sums, k, end, exponent, 0, words)
                                              : FN(add_vectors)(block, args, sums, k, end, exponent, 1, words);
  for (; k < end; k += IW_WARP_SIZE) {
    const iw_pred valid = iw_lanes_below((int64_t)(end - k));
    FN(add_weights)(block, args, sums, iw_load(args->bin_indices + k, valid),
                    iw_load((const IW_PASTE(iws_, BITS) *)args->weights + k, valid), valid);
  }
}

/* Adds a warp's part of the windows to the digits. */
IW_FN void FN(flush_windows)(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums, unsigned warp, uint32_t field,
                             uint64_t *words)
{
  if (field < IW_PASTE(LARGE_FIELD_, T))
    for (int i = 0; i < WINDOWS; i++)
      flush_weight_window(block, args, sums, warp, (uint32_t)FN(window_place)(field, i), words + (uint64_t)i * args->entries);
}
