/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass of a stable multisplit: how many elements of each chunk have each digit of the bin number, and, when these counts
 * have been scanned, moving them there. A warp takes a chunk. Compiled once per T.
 */
#include "typed.h"

#ifndef IW_KERNELS_MULTISPLIT_H
#define IW_KERNELS_MULTISPLIT_H
enum { SPLIT_DIGITS = 1 << IW_SPLIT_BITS };
typedef struct split_shared {
  uint32_t counters[IW_SPLIT_WARPS][SPLIT_DIGITS];
  uint64_t base[IW_SPLIT_WARPS][SPLIT_DIGITS]; /* where the chunk's elements of a digit go */
} split_shared;

/* Bits that are only moved, and the value that they are. */
#define BITS_i32 u32
#define BITS_u32 u32
#define BITS_f32 u32
#define BITS_i64 u64
#define BITS_u64 u64
#define BITS_f64 u64
#define BITS IW_PASTE(BITS_, T)
IW_FN iw_i32 value_of_i32(iw_u32 bits) { return iw_to_i32(bits); }
IW_FN iw_u32 value_of_u32(iw_u32 bits) { return bits; }
IW_FN iw_f32 value_of_f32(iw_u32 bits) { return iw_from_bits_f32(bits); }
IW_FN iw_i64 value_of_i64(iw_u64 bits) { return iw_to_i64(bits); }
IW_FN iw_u64 value_of_u64(iw_u64 bits) { return bits; }
IW_FN iw_f64 value_of_f64(iw_u64 bits) { return iw_from_bits_f64(bits); }

/* Digit d of this chunk among the counts of all. */
IW_FN iw_u64 split_place_of(const iw_split_args *args, uint64_t chunk, uint32_t d)
{
  const iw_u64 digit = iw_to_u64(iw_add_u32(iw_splat(d), iw_lane()));
  return iw_add(iw_mul_u64(digit, iw_splat(args->chunks)), iw_splat(chunk));
}
#endif

IW_FN iw_u32 OF_T(split_digit)(const iw_split_args *args, const iw_binning *rule, IW_PASTE(iw_, BITS) bits, iw_pred some)
{
  const iw_u32 bin = OF_T(bin_of)(rule, OF_T(value_of)(bits), some);
  const iw_u32 number = iw_min(bin, iw_splat(rule->bins)); /* what is in no bin has one number */
  return iw_and_u32(iw_shr_u32(number, iw_splat(args->shift)), iw_splat((uint32_t)SPLIT_DIGITS - 1));
}

IW_KERNEL(OF_T(split_tally), split_shared, iw_split_args)
{
  IW_PHASE(warp) {
    const iw_binning rule = args->binning;
    const uint64_t chunk = block->index * block->warps + warp, first = chunk * IW_SPLIT_CHUNK;
    const uint64_t end = first + IW_SPLIT_CHUNK < args->n ? first + IW_SPLIT_CHUNK : args->n;
    for (uint32_t d = 0; d < SPLIT_DIGITS; d += IW_WARP_SIZE)
      iw_store(shared->counters[warp] + d, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
    for (uint64_t at = first; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      const IW_PASTE(iw_, BITS) x = iw_load((const IW_PASTE(iws_, BITS) *)args->in + at, some);
      iw_count(shared->counters[warp], OF_T(split_digit)(args, &rule, x, some), some);
    }
  }
  IW_PHASE(warp) {
    const uint64_t chunk = block->index * block->warps + warp;
    for (uint32_t d = 0; chunk < args->chunks && d < args->digits; d += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)args->digits - d);
      const iw_u32 count = iw_load(shared->counters[warp] + d, some);
      iw_scatter_far(args->counts, split_place_of(args, chunk, d), iw_to_u64(count), some);
    }
  }
}

IW_KERNEL(OF_T(split_place), split_shared, iw_split_args)
{
  IW_PHASE(warp) {
    const uint64_t chunk = block->index * block->warps + warp;
    for (uint32_t d = 0; chunk < args->chunks && d < args->digits; d += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)args->digits - d);
      iw_store(shared->base[warp] + d, iw_gather_far((const uint64_t *)args->counts, split_place_of(args, chunk, d), some), some);
      iw_store(shared->counters[warp] + d, iw_splat(0u), some);
    }
  }
  IW_PHASE(warp) {
    const iw_binning rule = args->binning;
    const uint64_t first = (block->index * block->warps + warp) * IW_SPLIT_CHUNK;
    const uint64_t end = first + IW_SPLIT_CHUNK < args->n ? first + IW_SPLIT_CHUNK : args->n;
    for (uint64_t at = first; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      const IW_PASTE(iw_, BITS) x = iw_load((const IW_PASTE(iws_, BITS) *)args->in + at, some);
      const iw_u32 digit = OF_T(split_digit)(args, &rule, x, some);
      const iw_u64 rank = iw_to_u64(iw_rank_in(shared->counters[warp], digit, some));
      const iw_u64 base = iw_gather(shared->base[warp], digit, some);
      iw_scatter_far((IW_PASTE(iws_, BITS) *)args->out, iw_add(base, rank), x, some);
    }
  }
}
