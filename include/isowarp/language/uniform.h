/* SPDX-License-Identifier: Apache-2.0
 *
 * Uniform values: which elements a warp has, whether any or all lanes or threads have a predicate, and
 * values that one warp or memory gives to the whole block. Part of the kernel language, written once over
 * the lanes of all targets.
 */
#ifndef ISOWARP_LANGUAGE_UNIFORM_H
#define ISOWARP_LANGUAGE_UNIFORM_H

IW_FN int iw_any(iw_pred p) { return iw_ballot(p) != 0; }
IW_FN int iw_all(iw_pred p) { return iw_ballot(p) == iw_ballot(iw_lanes_below(IW_WARP_SIZE)); }
IW_FN unsigned iw_popcount_of(iw_pred p) { return iw_popcount(iw_ballot(p)); }

/* ---- Elements ---- */

typedef struct iw_span { size_t first; unsigned count; iw_pred valid; } iw_span;

/* The lanes l with first + l < n. */
IW_FN iw_pred iw_lanes_within(size_t first, size_t n)
{ const size_t left = n > first ? n - first : 0;
  return iw_lanes_below(left < IW_WARP_SIZE ? (int64_t)left : IW_WARP_SIZE); }
/* Thread t of the block has element start + t, if that is less than n. */
IW_FN iw_span iw_elements_from_(const iw_block *block, unsigned warp, size_t start, size_t n)
{ const unsigned thread = warp * IW_WARP_SIZE;
  const size_t left = n > start ? n - start : 0;
  const unsigned end = left < block->threads ? (unsigned)left : block->threads;
  iw_span s;
  s.first = thread < left ? start + thread : n;
  s.count = end <= thread ? 0 : end - thread < IW_WARP_SIZE ? end - thread : IW_WARP_SIZE;
  s.valid = iw_lanes_below(s.count);
  return s; }

/* ---- Predicates of the block's threads ---- */

/* How many of the block's threads have p. */
IW_FN unsigned iw_block_count_(iw_block *block, IW_SRC(iw_pred) p)
{ uint64_t *const words = iw_warp_aggregates_(block);
  IW_PHASE(warp) {
    const iw_pred chosen = iw_and_pred(IW_MY(p), iw_active_(block, warp));
    iw_set_raw_u32((uint32_t *)words + warp, iw_popcount_of(chosen)); }
  return IW_REDUCE_AGGREGATES_(sum, u32, block, (const uint32_t *)words); }
IW_FN int iw_block_any_(iw_block *block, IW_SRC(iw_pred) p) { return iw_block_count_(block, p) != 0; }
IW_FN int iw_block_all_(iw_block *block, IW_SRC(iw_pred) p)
  { return iw_block_count_(block, p) == block->threads; }

/* ---- Values for the whole block ---- */

/* The word of the block that collectives use is one of two in turn: until it is written again all threads
 * have met. */
#define IW_UNIFORM(t) \
IW_FN uint64_t iw_to_word_##t(iws_##t v) { uint64_t word = 0; memcpy(&word, &v, sizeof v); return word; } \
IW_FN iws_##t iw_from_word_##t(uint64_t word) { iws_##t v; memcpy(&v, &word, sizeof v); return v; } \
IW_FN void iw_post_##t##_(iw_block *block, iws_##t v) \
  { iw_set_raw_u64(iw_once_(block), iw_to_word_##t(v)); } \
IW_FN iws_##t iw_posted_##t##_(iw_block *block) { return iw_from_word_##t(iw_once_end_(block)); } \
IW_FN iws_##t iw_block_get_##t(iw_block *block, const iws_##t *p) \
{ IW_ONCE_(block, iw_to_word_##t(iw_get_##t(p))); iw_barrier_(block); return iw_from_word_##t(iw_once_end_(block)); }
IW_TYPES(IW_UNIFORM)

#endif
