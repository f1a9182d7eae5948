/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that write one bit per element, for segmented scan (segment heads) and partition (flags of
 * selected elements). A warp writes the bits of a chunk; those after the last element are 0. Kernel
 * template; knows no schedule.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/args.h"
#include "algorithms/common/chunks.h"

#ifndef IW_KERNELS_BITS_H
#define IW_KERNELS_BITS_H

enum { FLAG_WORDS_IN_FLIGHT = 8 }; /* words per warp whose loads are issued before the first is used */

/* Writes FLAG_WORDS_IN_FLIGHT words of flags from element `at` on. word(at, valid) is the flags of 32
 * elements, of which `valid` exist. With args->heads the flag of element 0 is always set. */
#define PACK_FLAG_WORDS(word, at, some) do { \
    iw_mask words_[FLAG_WORDS_IN_FLIGHT]; \
    IW_UNROLL_ROWS for (int k = 0; k < FLAG_WORDS_IN_FLIGHT; k++) words_[k] = word((at) + 32 * k, some); \
    IW_UNROLL_ROWS for (int k = 0; k < FLAG_WORDS_IN_FLIGHT; k++) \
      iw_set_u32(args->bits + (at) / 32 + k, (uint32_t)words_[k] | (args->heads && (at) + 32 * k == 0)); \
  } while (0)
#define FOR_EACH_FLAG_WORD(word) do { \
    const warp_chunks own_ = chunks_of_warp(block, warp, args->chunks); \
    for (uint64_t chunk_ = own_.first; chunk_ < own_.end; chunk_ += own_.step) \
      for (uint64_t at_ = chunk_ * IW_FLAG_BITS_CHUNK; at_ < (chunk_ + 1) * IW_FLAG_BITS_CHUNK; at_ += 32 * FLAG_WORDS_IN_FLIGHT) { \
        const int64_t left_ = (int64_t)(args->n - at_); \
        if (left_ >= 32 * FLAG_WORDS_IN_FLIGHT) PACK_FLAG_WORDS(word, at_, iw_lanes_below(32)); \
        else PACK_FLAG_WORDS(word, at_, iw_lanes_below(left_ - 32 * k)); \
      } \
  } while (0)
#endif
