/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host side of weighted histograms hands to the kernels of sums in pairs of words. Plain data, the
 * same on every target. Not installed. Knows no schedule's code.
 */
#ifndef IW_HISTOGRAM_PAIR_ARGS_H
#define IW_HISTOGRAM_PAIR_ARGS_H

#include <stdint.h>

enum { IW_PAIR_BITS = 128, IW_PAIR_WORDS = 2 };

/* Of the weights of a block: the bits of the greatest magnitude, and of the least one that is not 0
 * (UINT64_MAX: all are 0). A NaN is greater than infinity. */
typedef struct iw_weights_extent { uint64_t greatest, least; } iw_weights_extent;

/* Weights are f32 or f64. A block has `chunk` neighbours. */
typedef struct iw_weights_extent_args {
  const void *weights;
  uint64_t n, chunk, weight_bytes;
  iw_weights_extent *found;     /* of each block */
} iw_weights_extent_args;

/* The sum of entry e is an integer of 128 bits in two's complement, words 2*e and 2*e + 1, the lower one
 * first. Its unit is 2^place in units of the weights' smallest subnormal number, and each weight is a
 * multiple of it. */
typedef struct iw_accumulate_pairs_args {
  const uint32_t *bin_indices;
  const void *weights;
  uint64_t n, chunk, weight_bytes;
  uint64_t *sums;               /* of each block, or of the only one */
  uint32_t entries, place;
} iw_accumulate_pairs_args;

typedef struct iw_write_pairs_args {
  const uint64_t *sums;         /* `copies` of the pairs of entries */
  void *out;
  uint64_t copies, chunk, weight_bytes; /* a block writes `chunk` outputs */
  uint32_t entries, place;
  uint32_t bins, outputs, clamp; /* as in iw_write_counts_args */
} iw_write_pairs_args;

#endif
