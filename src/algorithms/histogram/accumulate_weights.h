/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel accumulate_weights_T: adds each weight to the sum of its sample's bin. Kernel template, compiled
 * once per T, the type of the weights: i32, u32, u64 (for i64 too: sums wrap), f32, f64. Knows bin indices,
 * no samples. On CPUs floats are added by windows (weight_windows.h) if each block has sums of its own, at
 * least as many weights as bins, and room for a window of each bin.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/histogram/exact_sums.h"
#include "algorithms/histogram/weight_windows.h"

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
#define WINDOWS IW_PASTE(WEIGHT_WINDOWS_, T)

/* Long code for floats, which CPUs have once. */
IW_NOINLINE_FN void FN(add_weights)(const iw_block *block, const iw_accumulate_weights_args *args, uint64_t *sums, iw_u32 bin,
                                    IW_PASTE(iw_, BITS) x, iw_pred valid)
{
  IW_PASTE(ADD_WEIGHT_, T)(x);
}

#if WINDOWS
#include "algorithms/histogram/weight_windows_of_type.h"
IW_KERNEL(FN(accumulate_weights), weight_windows, iw_accumulate_weights_args)
#else
IW_KERNEL(FN(accumulate_weights), iw_no_shared, iw_accumulate_weights_args)
#endif
{
  const uint64_t copy = args->privatised ? block->index : 0;
  uint64_t *const sums = args->sums + copy * args->words * args->entries;
  if (args->clears)
    IW_PHASE(warp) {
      const uint64_t words = (uint64_t)args->words * args->entries, end = weight_part(block, warp + 1, words);
      for (uint64_t k = weight_part(block, warp, words); k < end; k += IW_WARP_SIZE)
        iw_store(sums + k, iw_splat((uint64_t)0), iw_lanes_below((int64_t)(end - k)));
    }
#if WINDOWS
  const uint64_t part = weights_of_block(block, args), first = block->index * part;
  const int by_windows = args->privatised && part >= args->entries && WINDOWS * (uint64_t)args->entries <= WEIGHT_WINDOW_WORDS;
  const uint64_t end = !by_windows || first >= args->n ? first : part < args->n - first ? first + part : args->n;
  const uint64_t most = weights_of_window(args->entries);
  IW_VAR(iw_u32, greatest);
  IW_VAR(iw_u32, least);
  if (by_windows)
    IW_PHASE(warp) { clear_weight_windows(block, args, WINDOWS, warp, shared->words); }
  for (uint64_t at = first; at < end; at += most) {
    const uint64_t to = most < end - at ? at + most : end;
    IW_PHASE(warp) { IW_MY(greatest) = FN(fields_of_part)(block, args, warp, at, to, &IW_MY(least)); }
    const uint32_t field = iw_block_max(greatest), least_field = iw_block_min(least);
    IW_PHASE(warp) { FN(add_by_windows)(block, args, sums, warp, at, to, field, least_field, shared->words); }
    IW_PHASE(warp) { FN(flush_windows)(block, args, sums, warp, field, shared->words); }
  }
  if (by_windows) return;
#endif
  IW_PHASE(warp) {
    const IW_PASTE(iws_, BITS) *const weights = (const IW_PASTE(iws_, BITS) *)args->weights;
    const uint64_t step = block->blocks * block->warps * IW_WARP_SIZE;
    for (uint64_t at = (block->index * block->warps + warp) * IW_WARP_SIZE; at < args->n; at += step) {
      const iw_pred valid = iw_lanes_below((int64_t)(args->n - at));
      FN(add_weights)(block, args, sums, iw_load(args->bin_indices + at, valid), iw_load(weights + at, valid), valid);
    }
  }
}

#undef BITS
#undef WINDOWS
#undef FN
