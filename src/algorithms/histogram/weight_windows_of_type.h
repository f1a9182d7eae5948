/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of accumulate_weights.h, for CPUs: a block's weights of T, f32 or f64, by windows (weight_windows.h).
 * WINDOWS is their number.
 */
#ifndef IW_HISTOGRAM_WEIGHT_WINDOWS_OF_TYPE_H
#define IW_HISTOGRAM_WEIGHT_WINDOWS_OF_TYPE_H
/* Stored bits of the mantissa; the bias of exponents less 1; the exponent of the smallest subnormal number;
 * the exponent field from which weights do not go to windows, as sigma would not be finite. */
enum {
  MANTISSA_f32 = 23, TOP_BIAS_f32 = 126, LEAST_f32 = -149, LARGE_FIELD_f32 = 255,
  MANTISSA_f64 = 52, TOP_BIAS_f64 = 1022, LEAST_f64 = -1074, LARGE_FIELD_f64 = 2030
};
#define WEIGHT_TO_f64_f32(x) iw_to_f64(iw_from_bits_f32(x))
#define WEIGHT_TO_f64_f64(x) iw_from_bits_f64(x)
#define WEIGHT_FROM_f64_f32(x) iw_as_bits(iw_to_f32(x))
#define WEIGHT_FROM_f64_f64(x) iw_as_bits(x)
#define WEIGHT_TO_U32_f32(x) (x)
#define WEIGHT_TO_U32_f64(x) iw_to_u32(x)
#endif

/* The greatest exponent field of a warp's part of the weights at … to-1. */
IW_FN iw_u32 FN(greatest_field)(const iw_block *block, const iw_accumulate_weights_args *args, unsigned warp, uint64_t at, uint64_t to)
{
  const IW_PASTE(iws_, BITS) *const weights = (const IW_PASTE(iws_, BITS) *)args->weights + at;
  const uint64_t end = weight_part(block, warp + 1, to - at);
  IW_PASTE(iw_, BITS) greatest = iw_splat((IW_PASTE(iws_, BITS))0);
  for (uint64_t k = weight_part(block, warp, to - at); k < end; k += IW_WARP_SIZE) {
    const iw_pred valid = iw_lanes_below((int64_t)(end - k));
    const IW_PASTE(iw_, BITS) magnitude = iw_and(iw_load(weights + k, valid), iw_splat((IW_PASTE(iws_, BITS))-1 >> 1));
    greatest = iw_max(greatest, iw_select(valid, magnitude, iw_splat((IW_PASTE(iws_, BITS))0)));
  }
  return IW_PASTE(WEIGHT_TO_U32_, T)(iw_shr(greatest, iw_splat((IW_PASTE(iws_, BITS))IW_PASTE(MANTISSA_, T))));
}

/* The exponent of which weights of that field are less, but no less than that for which the unit of the
 * last window is a subnormal number. */
IW_FN int FN(weight_top)(uint32_t field)
{
  const int top = (int)(field ? field : 1) - IW_PASTE(TOP_BIAS_, T);
  const int least = IW_PASTE(LEAST_, T) + WEIGHT_WINDOW_BITS + (WINDOWS - 1) * (WEIGHT_WINDOW_BITS + 1);
  return top > least ? top : least;
}

/* Adds a warp's part of the weights at … to-1 to the windows of the block, if no field is large. */
IW_FN void FN(add_by_windows)(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums, unsigned warp, uint64_t at,
                              uint64_t to, uint32_t field, uint64_t *words)
{
  const IW_PASTE(iws_, BITS) *const weights = (const IW_PASTE(iws_, BITS) *)args->weights + at;
  const uint32_t *const bins = args->bin_indices + at;
  const uint64_t end = weight_part(block, warp + 1, to - at);
  const int top = FN(weight_top)(field), exponent = top + 52 - WEIGHT_WINDOW_BITS;
  const int any = field < IW_PASTE(LARGE_FIELD_, T);
  for (uint64_t k = weight_part(block, warp, to - at); k < end; k += IW_WARP_SIZE) {
    const iw_pred valid = iw_lanes_below((int64_t)(end - k));
    const iw_u32 bin = iw_load(bins + k, valid);
    const IW_PASTE(iw_, BITS) x = iw_load(weights + k, valid);
    if (!any) {
      FN(add_weights)(block, args, sums, bin, x, valid);
      continue;
    }
    iw_f64 rest = IW_PASTE(WEIGHT_TO_f64_, T)(x);
    for (int i = 0; i < WINDOWS; i++) {
      const uint64_t bits = (uint64_t)(exponent - i * (WEIGHT_WINDOW_BITS + 1) + 1023) << 52 | (uint64_t)1 << 51;
      const iw_f64 sigma = iw_from_bits_f64(iw_splat(bits)), sum = iw_add(sigma, rest);
      iw_shared_add(words + (uint64_t)i * args->entries, bin, iw_sub(iw_as_bits(sum), iw_splat(bits)), valid);
      rest = iw_sub(rest, iw_sub(sum, sigma));
    }
    const iw_pred left = iw_and_pred(valid, iw_ne(rest, iw_splat(0.0)));
    if (iw_any(left)) FN(add_weights)(block, args, sums, bin, IW_PASTE(WEIGHT_FROM_f64_, T)(rest), left);
  }
}

/* Adds a warp's part of the windows to the digits. */
IW_FN void FN(flush_windows)(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums, unsigned warp, uint32_t field,
                             uint64_t *words)
{
  const int place = FN(weight_top)(field) - WEIGHT_WINDOW_BITS - IW_PASTE(LEAST_, T);
  if (field < IW_PASTE(LARGE_FIELD_, T))
    for (int i = 0; i < WINDOWS; i++)
      flush_weight_window(block, args, sums, warp, (uint32_t)(place - i * (WEIGHT_WINDOW_BITS + 1)), words + (uint64_t)i * args->entries);
}
