/* SPDX-License-Identifier: Apache-2.0
 *
 * How CPUs add float weights to exact sums (exact_sums.h) by one integer addition for an f32, two for an
 * f64. A window is a word of 64 bits for each bin in the block's shared memory, whose unit is a power of two
 * that the greatest of the next 4096 to 2^17 weights decides. Adding a weight to sigma = 1.5 * 2^k rounds it
 * to a multiple of the unit, the last bit of sigma, and the difference of both numbers' bits is the multiple
 * (exact_sum/exact_add.h has the sources). What is cut off is a float, which goes to the next window, and
 * from the last one to the digits. Windows are added to the digits before they can overflow. Kernel template
 * text without a type parameter; weight_windows_of_type.h has what depends on it.
 *
 * With |x| < 2^top window i has the unit 2^(top - 45 - 46 i): what one weight adds is at most 2^45 units,
 * as half a unit of the window before is, and 2^17 of them fit.
 */
#ifndef IW_HISTOGRAM_WEIGHT_WINDOWS_H
#define IW_HISTOGRAM_WEIGHT_WINDOWS_H

#include "algorithms/common/exact_number.h"
#include "algorithms/histogram/args.h"

#ifdef IW_GPU_SCHEDULES
#define WEIGHT_WINDOWS_f32 0
#define WEIGHT_WINDOWS_f64 0
#else
#define WEIGHT_WINDOWS_f32 1
#define WEIGHT_WINDOWS_f64 2
#endif
#define WEIGHT_WINDOWS_i32 0
#define WEIGHT_WINDOWS_u32 0
#define WEIGHT_WINDOWS_u64 0

enum {
  WEIGHT_WINDOW_WORDS = 1 << 14,       /* of a block: they fit a second-level cache */
  WEIGHT_WINDOW_BITS = 45,
  WEIGHT_MOST_LOG2 = 17                /* weights between two additions to the digits */
};
typedef struct { uint64_t words[WEIGHT_WINDOW_WORDS]; } weight_windows;

/* The weights of a block, which are neighbours. */
IW_FN uint64_t weights_of_block(const iw_block *block, const iw_accumulate_weights_args *args)
{
  return (args->n + block->blocks - 1) / block->blocks;
}

/* So many that adding the windows of all bins to the digits takes little time beside them. */
IW_FN uint64_t weights_of_window(uint64_t entries)
{
  const uint64_t wanted = 64 * entries, most = (uint64_t)1 << WEIGHT_MOST_LOG2;
  return wanted < 4096 ? 4096 : wanted < most ? wanted : most;
}

/* A warp's part of `count` things: part `warp` begins here, and ends where the next one begins. Parts are
 * whole vectors, but for the last one. */
IW_FN uint64_t weight_part(const iw_block *block, unsigned warp, uint64_t count)
{
  const uint64_t vectors = (count + IW_WARP_SIZE - 1) / IW_WARP_SIZE;
  const uint64_t begin = warp * ((vectors + block->warps - 1) / block->warps) * IW_WARP_SIZE;
  return begin < count ? begin : count;
}

IW_FN void clear_weight_windows(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t windows, unsigned warp,
                                uint64_t *words)
{
  const uint64_t count = windows * args->entries, end = weight_part(block, warp + 1, count);
  for (uint64_t e = weight_part(block, warp, count); e < end; e++) iw_set_u64(words + e, 0);
}

/* Adds a window to the digits, `place` being its unit in units of the smallest subnormal number, as a power
 * of two, and clears it. A sum of m weights adds less than 2^26 to two digits and 2^19 m to the third. */
IW_FN void flush_weight_window(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums, unsigned warp,
                               uint32_t place, uint64_t *words)
{
  const uint64_t entries = args->entries, end = weight_part(block, warp + 1, entries);
  const uint32_t shift = place % IW_DIGIT_BITS;
  uint64_t *const low = sums + place / IW_DIGIT_BITS * entries, *const middle = low + entries, *const high = middle + entries;
  for (uint64_t e = weight_part(block, warp, entries); e < end; e++) {
    const uint64_t sum = iw_get_u64(words + e);
    const int64_t rest = iws_shr_i64((int64_t)sum, IW_DIGIT_BITS - (int64_t)shift);
    iw_set_u64(low + e, iw_get_u64(low + e) + (sum << shift & IW_DIGIT_MASK));
    iw_set_u64(middle + e, iw_get_u64(middle + e) + ((uint64_t)rest & IW_DIGIT_MASK));
    iw_set_u64(high + e, iw_get_u64(high + e) + (uint64_t)iws_shr_i64(rest, IW_DIGIT_BITS));
    iw_set_u64(words + e, 0);
  }
}

#endif
