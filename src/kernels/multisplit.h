/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass of a stable multisplit: how many elements of each chunk have each digit of the bin number, and, when these
 * counts have been scanned, moving them there. A warp takes a chunk. Compiled once per T.
 */
#include <isowarp/text/typed.h>
#include "args.h"

#ifndef IW_KERNELS_MULTISPLIT_H
#define IW_KERNELS_MULTISPLIT_H
enum { SPLIT_DIGITS = 1 << IW_SPLIT_BITS };
typedef struct split_shared { uint32_t counters[IW_SPLIT_WARPS * SPLIT_DIGITS]; } split_shared; /* digits for each warp */

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

/* Digits d, d + 1, … of this chunk among the counts of all. */
IW_FN iw_u64 split_place_of(const iw_split_args *args, uint64_t chunk, uint32_t d)
{
  const iw_u64 digit = iw_to_u64(iw_add_u32(iw_splat(d), iw_lane()));
  return iw_add(iw_mul_u64(digit, iw_splat(args->chunks)), iw_splat(chunk));
}

/* Where each bin starts, after the only pass of a split. */
IW_KERNEL(split_offsets, nothing, iw_split_args)
{
  IW_PHASE(warp) {
    const uint32_t d = (uint32_t)(block->index * block->warps + warp) * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_below((int64_t)args->digits - d);
    iw_store(args->offsets + d, iw_gather_far((const uint64_t *)args->counts, split_place_of(args, 0, d), some), some);
  }
}
#endif

IW_FN iw_u32 OF_T(split_digit)(const iw_split_args *args, const iw_binning *rule, IW_PASTE(iw_, BITS) bits,
                               iw_pred some)
{
  const iw_u32 bin = OF_T(bin_of)(rule, OF_T(value_of)(bits), some);
  const iw_u32 number = iw_min(bin, iw_splat(rule->bins)); /* what is in no bin has one number */
  return iw_and_u32(iw_shr_u32(number, iw_splat(args->shift)), iw_splat(args->mask));
}

IW_KERNEL(OF_T(split_tally), split_shared, iw_split_args)
{
  IW_PHASE(warp) {
    const iw_binning rule = args->binning;
    const uint64_t chunk = block->index * block->warps + warp, first = chunk * args->chunk;
    const uint64_t end = first + args->chunk < args->n ? first + args->chunk : args->n;
    uint32_t *const counters = shared->counters + warp * args->digits;
    for (uint32_t d = 0; d < args->digits; d += IW_WARP_SIZE)
      iw_store(counters + d, iw_splat(0u), iw_lanes_below((int64_t)args->digits - d));
    for (uint64_t at = first; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      const IW_PASTE(iw_, BITS) x = iw_load((const IW_PASTE(iws_, BITS) *)args->in + at, some);
      iw_count(counters, OF_T(split_digit)(args, &rule, x, some), some);
    }
  }
  IW_PHASE(warp) {
    const uint64_t chunk = block->index * block->warps + warp;
    for (uint32_t d = 0; chunk < args->chunks && d < args->digits; d += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)args->digits - d);
      const iw_u32 count = iw_load_u32(shared->counters + warp * args->digits + d, some);
      iw_scatter_far(args->counts, split_place_of(args, chunk, d), iw_to_u64(count), some);
    }
  }
}

/* Counters that start where the chunk's elements go say where each of them goes, if 32 bits can. */
IW_KERNEL(OF_T(split_place), split_shared, iw_split_args)
{
  const int is_far = args->n > UINT32_MAX;
  IW_PHASE(warp) {
    const uint64_t chunk = block->index * block->warps + warp;
    const iw_pred far = iw_lanes_below(is_far ? IW_WARP_SIZE : 0);
    for (uint32_t d = 0; chunk < args->chunks && d < args->digits; d += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)args->digits - d);
      const iw_u64 base = iw_gather_far((const uint64_t *)args->counts, split_place_of(args, chunk, d), some);
      iw_store(shared->counters + warp * args->digits + d, iw_select(far, iw_splat(0u), iw_to_u32(base)), some);
    }
  }
  IW_PHASE(warp) {
    const iw_binning rule = args->binning;
    const uint64_t chunk = block->index * block->warps + warp, first = chunk * args->chunk;
    const uint64_t end = first + args->chunk < args->n ? first + args->chunk : args->n;
    IW_PASTE(iws_, BITS) *const out = (IW_PASTE(iws_, BITS) *)args->out;
    uint32_t *const counters = shared->counters + warp * args->digits;
    for (uint64_t at = first; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      const IW_PASTE(iw_, BITS) x = iw_load((const IW_PASTE(iws_, BITS) *)args->in + at, some);
      const iw_u32 digit = OF_T(split_digit)(args, &rule, x, some);
      if (is_far) {
        const iw_u64 rank = iw_to_u64(iw_rank_in(counters, digit, some));
        const iw_u64 place = iw_add_u64(iw_mul_u64(iw_to_u64(digit), iw_splat(args->chunks)), iw_splat(chunk));
        iw_scatter_far(out, iw_add(rank, iw_gather_far((const uint64_t *)args->counts, place, some)), x, some);
      } else
        iw_append(out, counters, digit, x, some);
    }
  }
}
