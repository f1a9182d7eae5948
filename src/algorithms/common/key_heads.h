/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of head bits, made of keys or flags: bit i of a word is set if its element i begins a segment or a
 * run. For kernels that write head bits (scan/segment_heads.h), segmented scans on GPUs
 * (scan/agent_pipelined.h) and reductions by key (reduce_segments/run_heads.h). Installed with the template
 * of scans. Knows neither elements nor a schedule.
 */
#ifndef ISOWARP_ALGORITHMS_KEY_HEADS_H
#define ISOWARP_ALGORITHMS_KEY_HEADS_H

#include <isowarp/primitives.h>

/* The keys of a word that differ from the key before; of element 0 the bit is unspecified in key_heads_T, and
 * 0 in heads_of_word_T. The second has no branch, for which nvcc would compile all that follows twice; with
 * the first CPUs load without masks. It is for kernels that only write head bits. */
#define DEFINE_HEADS_OF_WORD(T, lanes) \
IW_FN uint32_t key_heads_##T(const iws_##T *keys, uint64_t at, iw_pred some) \
{ \
  const iw_##lanes x = iw_load_##T(keys + at, some); \
  return (uint32_t)iw_ballot(iw_and_pred(some, iw_ne_##lanes(x, at ? iw_load_##T(keys + at - 1, some) : iw_shift_##lanes(x, 0)))); \
} \
IW_FN uint32_t heads_of_word_##T(const iws_##T *keys, uint64_t at, iw_pred some) \
{ \
  const iw_pred after_first = iw_and_pred(some, iw_ge_u32(iw_lane(), iw_splat_u32(at == 0))); \
  const iw_##lanes x = iw_load_##T(keys + at, some), before = iw_load_##T(keys + at - 1, after_first); \
  return (uint32_t)iw_ballot(iw_and_pred(after_first, iw_ne_##lanes(x, before))); \
}
DEFINE_HEADS_OF_WORD(u8, u32)
DEFINE_HEADS_OF_WORD(u16, u32)
DEFINE_HEADS_OF_WORD(u32, u32)
DEFINE_HEADS_OF_WORD(u64, u64)
#undef DEFINE_HEADS_OF_WORD

enum { HEAD_WORDS_AT_ONCE = 8 }; /* words whose loads are issued before the first is used */

/* Words first / 32 ... of the head bits from element `at` on, of `left` elements, of which element 0 is a
 * head. key_bytes: of a key; 0: keys are flags, bytes that are not 0 at heads. */
IW_FN void make_head_words(const void *keys, uint32_t key_bytes, uint64_t at, uint32_t first, iw_u32 left,
                           uint32_t heads[HEAD_WORDS_AT_ONCE])
{
#define AT (at + first + 32 * k)
#define SOME iw_lt_u32(iw_iota_u32(first + 32 * k), left)
#define HEADS_OF(word) IW_UNROLL for (uint32_t k = 0; k < HEAD_WORDS_AT_ONCE; k++) heads[k] = word
  if (key_bytes == 4) HEADS_OF(heads_of_word_u32((const uint32_t *)keys, AT, SOME));
  else if (key_bytes == 8) HEADS_OF(heads_of_word_u64((const uint64_t *)keys, AT, SOME));
  else if (key_bytes == 2) HEADS_OF(heads_of_word_u16((const uint16_t *)keys, AT, SOME));
  else if (key_bytes == 1) HEADS_OF(heads_of_word_u8((const uint8_t *)keys, AT, SOME));
  else HEADS_OF((uint32_t)iw_ballot_u8((const uint8_t *)keys + AT, SOME));
#undef AT
#undef SOME
#undef HEADS_OF
  heads[0] |= at + first == 0;
}

#endif
