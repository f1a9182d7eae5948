/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel deinterleave_T for elements narrower than a word: loads whole 32-bit words, of PER_WORD elements
 * each. If a word has one element of each channel, a lane loads it once for all of them. Elements of an
 * incomplete last word, and of arrays that are not aligned to words, are loaded one by one. Kernel template,
 * compiled once per T (u8, u16).
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/histogram/args.h"

#define FN(name) IW_JOIN(name, T)
#define PER_WORD (sizeof(uint32_t) / sizeof(SCALAR))
#define PER_WORD_LOG2 (sizeof(SCALAR) == 1 ? 2u : 1u)

/* Stores elements at … at + 31 of all channels, from whole words. */
IW_FN void FN(deinterleave_words)(const iw_deinterleave_args *args, uint64_t at, iw_u32 step, iw_pred valid)
{
  const uint64_t channels = args->channels;
  const uint32_t *const words = (const uint32_t *)args->in + at * channels / PER_WORD;
  SCALAR *const out = (SCALAR *)args->out + at;
  if (channels == PER_WORD) {
    const iw_u32 word = iw_load(words, valid);
    for (uint64_t c = 0; c < channels; c++)
      FN(iw_store)(out + c * args->n, iw_shr(word, iw_splat((uint32_t)(c * 8 * sizeof(SCALAR)))), valid);
    return;
  }
  for (uint64_t c = 0; c < channels; c++) {
    const iw_u32 element = iw_add(step, iw_splat((uint32_t)c));
    const iw_u32 in_word = iw_and(element, iw_splat((uint32_t)PER_WORD - 1));
    const iw_u32 word = iw_gather(words, iw_shr(element, iw_splat(PER_WORD_LOG2)), valid);
    FN(iw_store)(out + c * args->n, iw_shr(word, iw_mul(in_word, iw_splat((uint32_t)(8 * sizeof(SCALAR))))),
                 valid);
  }
}

IW_KERNEL(FN(deinterleave), iw_no_shared, iw_deinterleave_args)
{
  IW_PHASE(warp) {
    const uint64_t first = (block->index * block->warps + warp) * IW_DEINTERLEAVE_CHUNK;
    const uint64_t channels = args->channels, n = args->n;
    const SCALAR *const in = (const SCALAR *)args->in;
    SCALAR *const out = (SCALAR *)args->out;
    const iw_u32 step = iw_mul(iw_lane(), iw_splat((uint32_t)channels));
    const uint64_t whole = (uintptr_t)in % sizeof(uint32_t) ? 0 : n * channels / PER_WORD * PER_WORD;
    for (uint64_t at = first; at < first + IW_DEINTERLEAVE_CHUNK && at < n; at += IW_WARP_SIZE) {
      const iw_pred valid = iw_lanes_below((int64_t)(n - at));
      if ((at + IW_WARP_SIZE) * channels <= whole) FN(deinterleave_words)(args, at, step, valid);
      else
        for (uint64_t c = 0; c < channels; c++)
          FN(iw_store)(out + c * n + at, FN(iw_gather)(in + at * channels + c, step, valid), valid);
    }
  }
}

#undef PER_WORD_LOG2
#undef PER_WORD
#undef FN
