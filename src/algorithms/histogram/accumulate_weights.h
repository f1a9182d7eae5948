/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel accumulate_weights_T: adds each weight to the sum of its sample's bin. Kernel template, compiled
 * once per T, the type of the weights: i32, u32, u64 (for i64 too: sums wrap), f32, f64. Knows bin indices,
 * no samples.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/histogram/exact_sums.h"

#define FN(name) IW_JOIN(name, T)

#ifndef IW_HISTOGRAM_ACCUMULATE_WEIGHTS_H
#define IW_HISTOGRAM_ACCUMULATE_WEIGHTS_H
/* The unsigned type whose lanes hold the bits of a weight, and how such lanes are added. */
#define WEIGHT_BITS_i32 i32
#define WEIGHT_BITS_u32 u32
#define WEIGHT_BITS_u64 u64
#define WEIGHT_BITS_f32 u32
#define WEIGHT_BITS_f64 u64
#define ADD_WEIGHT_i32(x) add_to_word(block, args, sums, bin, iw_to_u64(x), valid)
#define ADD_WEIGHT_u32 ADD_WEIGHT_i32
#define ADD_WEIGHT_u64 ADD_WEIGHT_i32
#define ADD_WEIGHT_f32(x) add_float(block, args, sums, bin, decompose_f32(x), valid)
#define ADD_WEIGHT_f64(x) add_float(block, args, sums, bin, decompose_f64(x), valid)
#endif
#define BITS IW_PASTE(WEIGHT_BITS_, T)

IW_KERNEL(FN(accumulate_weights), iw_no_shared, iw_accumulate_weights_args)
{
  IW_PHASE(warp) {
    const uint64_t copy = args->privatised ? block->index : 0;
    uint64_t *const sums = args->sums + copy * args->words * args->entries;
    const IW_PASTE(iws_, BITS) *const weights = (const IW_PASTE(iws_, BITS) *)args->weights;
    const uint64_t step = block->blocks * block->warps * IW_WARP_SIZE;
    for (uint64_t at = (block->index * block->warps + warp) * IW_WARP_SIZE; at < args->n; at += step) {
      const iw_pred valid = iw_lanes_below((int64_t)(args->n - at));
      const iw_u32 bin = iw_load(args->bin_indices + at, valid);
      const IW_PASTE(iw_, BITS) x = iw_load(weights + at, valid);
      IW_PASTE(ADD_WEIGHT_, T)(x);
    }
  }
}

#undef BITS
#undef FN
