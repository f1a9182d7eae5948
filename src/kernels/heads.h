/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans of segments, first part: which elements are heads, a bit each. A warp a chunk, whose bits past the last element are 0.
 */
#include <isowarp/text/typed.h>
#include "args.h"

#ifndef IW_KERNELS_HEADS_H
#define IW_KERNELS_HEADS_H

enum { HEADS_GROUP = 8 }; /* words on their way at a time */

/* word(at, some): which of the 32 elements from `at` on are heads; `some` of them are there. Element 0 always is one. */
#define HEADS_WORDS(word, at, some) do { \
    iw_mask words_[HEADS_GROUP]; \
    IW_UNROLL_ROWS for (int k = 0; k < HEADS_GROUP; k++) words_[k] = word((at) + 32 * k, some); \
    IW_UNROLL_ROWS for (int k = 0; k < HEADS_GROUP; k++) \
      iw_set_u32(args->heads + (at) / 32 + k, (uint32_t)words_[k] | ((at) + 32 * k == 0)); \
  } while (0)
#define EACH_HEADS_WORD(word) do { \
    for (uint64_t chunk_ = block->index * block->warps + warp; chunk_ < args->chunks; chunk_ += block->blocks * block->warps) \
      for (uint64_t at_ = chunk_ * IW_HEADS_CHUNK; at_ < (chunk_ + 1) * IW_HEADS_CHUNK; at_ += 32 * HEADS_GROUP) { \
        const int64_t left_ = (int64_t)(args->n - at_); \
        if (left_ >= 32 * HEADS_GROUP) HEADS_WORDS(word, at_, iw_lanes_below(32)); \
        else HEADS_WORDS(word, at_, iw_lanes_below(left_ - 32 * k)); \
      } \
  } while (0)

/* Flags that are not 0. */
IW_KERNEL_ONCE(heads_flags, nothing, iw_heads_args, IW_HEADS_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    const uint8_t *const flags = (const uint8_t *)args->in;
#define WORD(at, some) iw_ballot_u8(flags + (at), some)
    EACH_HEADS_WORD(WORD);
#undef WORD
  }
}

/* Keys that are not the one before. */
#define HEADS_KEYS(bits, T) \
IW_FN iw_mask heads_of_keys_##bits(const iws_##T *keys, uint64_t at, iw_pred some) \
{ \
  const iw_##T x = iw_load_##T(keys + at, some); \
  return iw_ballot(iw_both(some, iw_ne_##T(x, at ? iw_load_##T(keys + at - 1, some) : iw_shift_##T(x, 0)))); \
} \
IW_KERNEL_ONCE(heads_keys_##bits, nothing, iw_heads_args, IW_HEADS_WARPS * 32, 1) \
{ \
  IW_PHASE(warp) { \
    const iws_##T *const keys = (const iws_##T *)args->in; \
    EACH_HEADS_WORD(HEADS_OF_KEYS_##bits); \
  } \
}
#define HEADS_OF_KEYS_32(at, some) heads_of_keys_32(keys, at, some)
#define HEADS_OF_KEYS_64(at, some) heads_of_keys_64(keys, at, some)
HEADS_KEYS(32, u32)
HEADS_KEYS(64, u64)

/* The first elements of rows of a matrix: `next` elements from here on the next one begins, which is less than a row. */
IW_KERNEL_ONCE(heads_rows, nothing, iw_heads_args, IW_HEADS_WARPS * 32, 1)
{
  const uint64_t columns = args->columns, step = 32 % columns;
  uint64_t each = 0;
  for (uint64_t bit = 0; bit < 32; bit += columns) each |= (uint64_t)1 << bit;
  IW_PHASE(warp)
    for (uint64_t chunk = block->index * block->warps + warp; chunk < args->chunks; chunk += block->blocks * block->warps) {
      const uint64_t past = chunk * IW_HEADS_CHUNK % columns;
      uint64_t next = past ? columns - past : 0;
      for (uint64_t at = chunk * IW_HEADS_CHUNK; at < (chunk + 1) * IW_HEADS_CHUNK; at += 32) {
        const uint64_t left = at < args->n ? args->n - at : 0;
        const uint32_t word = next < 32 ? (uint32_t)(each << next) : 0;
        iw_set_u32(args->heads + at / 32, left < 32 ? word & (((uint32_t)1 << left) - 1) : word);
        next = next < step ? next + columns - step : next - step;
      }
    }
}
#endif
