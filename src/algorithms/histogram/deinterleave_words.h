/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template deinterleave.h for elements narrower than a word (T: u8, u16): loads whole 32-bit
 * words, of PER_WORD elements each. If a word has one element of each channel, a lane loads it once for all
 * of them.
 */
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

/* How many of `count` elements are in whole words. */
IW_FN uint64_t FN(deinterleave_whole)(const SCALAR *in, uint64_t count)
{
  return (uintptr_t)in % sizeof(uint32_t) ? 0 : count / PER_WORD * PER_WORD;
}

#undef PER_WORD_LOG2
#undef PER_WORD
