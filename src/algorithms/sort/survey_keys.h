/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template survey_kernel.h, included once for each width of keys: T is u8, u16, u32 or u64.
 * Narrow keys come in u32 lanes.
 */
#define FN(name) IW_JOIN(IW_JOIN(sort, name), T)
#define KEY_LANES IW_PASTE(IW_LANES_FOR_, T)
#define KEYS IW_PASTE(iw_, KEY_LANES)
#define MASKED(rank) IW_JOIN(iw_and, KEY_LANES)(rank, iw_splat((IW_PASTE(iws_, KEY_LANES))args->mask))

/* The lanes that have a key in vector b of a batch. */
#define SOME(b) iw_lanes_below((int64_t)(end - at) - (b) * IW_WARP_SIZE)

/* The bits that a lane of `bits` has set. */
IW_FN uint64_t FN(union)(KEYS bits)
{
  IW_UNROLL for (unsigned step = IW_WARP_SIZE / 2; step; step /= 2)
    bits = IW_JOIN(iw_or, KEY_LANES)(bits, iw_shuffle_xor(bits, step, IW_WARP_SIZE));
  return (uint64_t)iw_at(bits, 0);
}

IW_FN KEYS FN(rank_at)(const iw_sort_survey_args *args, uint64_t at, iw_pred some)
{
  return IW_JOIN(iw_total_rank, KEY_LANES)(&args->order, OF_T(iw_load)((const SCALAR *)args->keys + at, some));
}

/* The bits in which keys at … end-1 differ from the first key, where none of them is a NaN or has another
 * sign: then ranks differ in the same bits. Else all bits, which can hardly be more than those of ranks. */
IW_FN uint64_t FN(differing)(const iw_sort_survey_args *args, uint64_t at, uint64_t end)
{
  typedef IW_PASTE(iws_, KEY_LANES) bits;
  const SCALAR *const keys = (const SCALAR *)args->keys;
  const KEYS first = iw_broadcast(OF_T(iw_load)(keys, iw_lanes_below(1)), 0), none = iw_splat((bits)0);
  const KEYS infinity = iw_splat((bits)args->order.infinity), below_sign = iw_splat((bits)(args->order.infinity ? args->order.sign - 1 : 0));
  KEYS differing = none, nans = IW_JOIN(iw_sub, KEY_LANES)(infinity, IW_JOIN(iw_and, KEY_LANES)(first, below_sign));
  for (; at < end; at += SORT_SURVEY_BATCH * IW_WARP_SIZE)
    IW_UNROLL for (int b = 0; b < SORT_SURVEY_BATCH; b++) {
      const KEYS key = iw_select(SOME(b), OF_T(iw_load)(keys + at + b * IW_WARP_SIZE, SOME(b)), first);
      differing = IW_JOIN(iw_or, KEY_LANES)(differing, IW_JOIN(iw_xor, KEY_LANES)(key, first));
      nans = IW_JOIN(iw_or, KEY_LANES)(nans, IW_JOIN(iw_sub, KEY_LANES)(infinity, IW_JOIN(iw_and, KEY_LANES)(key, below_sign)));
    }
  const uint64_t found = FN(union)(differing);
  return args->order.infinity && (found & args->order.sign || FN(union)(nans) >> (8 * sizeof(bits) - 1)) ? args->mask : found & args->mask;
}

/* Surveys the keys at … end-1, each beside the one before it; at is at least 1. After a descent no other one
 * is looked for. */
IW_FN void FN(survey)(const iw_sort_survey_args *args, uint64_t at, uint64_t end, iw_sort_found *found)
{
  uint64_t differing = 0;
  const KEYS first = iw_broadcast(FN(rank_at)(args, 0, iw_lanes_below(1)), 0), none = iw_splat((IW_PASTE(iws_, KEY_LANES))0);
  KEYS varying = none;
  iw_pred descents = iw_lanes_below(0);
  while (at < end && !iw_any(descents)) {
    for (int k = 0; k < SORT_SURVEY_STEPS && at < end; k += SORT_SURVEY_BATCH, at += SORT_SURVEY_BATCH * IW_WARP_SIZE) {
      KEYS ranks[SORT_SURVEY_BATCH];
      IW_UNROLL for (int b = 0; b < SORT_SURVEY_BATCH; b++)
        ranks[b] = MASKED(FN(rank_at)(args, at + b * IW_WARP_SIZE, SOME(b)));
      IW_UNROLL for (int b = 0; b < SORT_SURVEY_BATCH; b++)
        varying = IW_JOIN(iw_or, KEY_LANES)(varying, iw_select(SOME(b), IW_JOIN(iw_xor, KEY_LANES)(ranks[b], MASKED(first)), none));
      IW_UNROLL for (int b = 0; b < SORT_SURVEY_BATCH; b++) {
        const KEYS before = MASKED(FN(rank_at)(args, at + b * IW_WARP_SIZE - 1, SOME(b)));
        descents = iw_or_pred(descents, iw_and_pred(SOME(b), iw_lt(ranks[b], before)));
      }
    }
  }
  for (uint64_t length; at < end && (FN(union)(varying) | differing) != args->mask; at += length) {
    length = end - at < SORT_SURVEY_STEPS * IW_WARP_SIZE ? end - at : SORT_SURVEY_STEPS * IW_WARP_SIZE;
    differing |= FN(differing)(args, at, at + length);
  }
  found->varying = FN(union)(varying) | differing;
  found->descents = (uint64_t)iw_any(descents);
}

#undef FN
#undef KEY_LANES
#undef KEYS
#undef MASKED
#undef SOME
