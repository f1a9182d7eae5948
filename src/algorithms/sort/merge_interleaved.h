/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of merges for CPUs; part of merge_keys.h. A block is one warp.
 *   1. The warp finds by bisection where its first part of the output begins in both arrays.
 *   2. For one part after the other: the elements of both arrays and their ranks are staged, first those of
 *      a, then those of b. Behind each array's elements stands the element that follows.
 *   3. MERGE_RUNS runs of the part, whose beginnings are found among the staged ranks, are merged in turn, an
 *      element of each, without branches: a merge is one chain of dependent instructions, and several chains
 *      overlap. A part at whose end an array ends is merged in one run, which looks whether it has elements
 *      left.
 *   4. The elements or indices of the outputs are stored.
 */
#define RANK IW_PASTE(iws_, KEY_LANES)
#define PART (TILE / MERGE_PARTS)
static_assert(PART % (MERGE_RUNS * 2) == 0 && PART + 2 < 1 << 16, "runs have one length, and sources have 16 bits");

IW_FN uint64_t FN(rank_of_one)(const iw_merge_args *args, const SCALAR *at)
{
  return iw_total_rank_of_one(&args->order, *at) & args->mask;
}

/* How many elements of a are among the first `end` elements of the output: `least`, or as many as are left
 * up to `most` */
IW_FN uint64_t FN(split)(const iw_merge_args *args, uint64_t end, uint64_t least, uint64_t most)
{
  const SCALAR *const a = (const SCALAR *)args->a, *const b = (const SCALAR *)args->b;
  while (least < most) {
    const uint64_t middle = (least + most) / 2;
    if (FN(rank_of_one)(args, a + middle) <= FN(rank_of_one)(args, b + (end - 1 - middle))) least = middle + 1;
    else most = middle;
  }
  return least;
}

/* The same among staged ranks, of which a_count are of a. */
IW_FN uint32_t FN(split_staged)(const RANK *a, const RANK *b, uint32_t a_count, uint32_t b_count, uint32_t end)
{
  uint32_t least = end > b_count ? end - b_count : 0, most = end < a_count ? end : a_count;
  while (least < most) {
    const uint32_t middle = (least + most) / 2;
    if (a[middle] <= b[end - 1 - middle]) least = middle + 1;
    else most = middle;
  }
  return least;
}

/* Whether element i comes before element j, and moves the one that does. */
IW_FN uint16_t FN(next)(const RANK *ranks, uint32_t *i, uint32_t *j)
{
  const uint32_t takes_a = ranks[*i] <= ranks[*j];
  const uint32_t source = *j + ((*i - *j) & (0 - takes_a));
  *i += takes_a;
  *j += 1 - takes_a;
  return (uint16_t)source;
}

/* Finds which staged element each output of a part is, in one run. */
IW_FN void FN(merge_checked)(const RANK *ranks, uint32_t a_count, uint32_t b_count, uint16_t *sources)
{
  const uint32_t end = a_count + 1 + b_count;
  uint32_t i = 0, j = a_count + 1;
  while (i < a_count && j < end) *sources++ = FN(next)(ranks, &i, &j);
  while (i < a_count) *sources++ = (uint16_t)i++;
  while (j < end) *sources++ = (uint16_t)j++;
}

/* The same of a whole part, in MERGE_RUNS runs. Elements follow in both arrays. */
IW_FN void FN(merge_runs)(const RANK *ranks, uint32_t a_count, uint16_t *sources)
{
  enum { RUN_LENGTH = PART / MERGE_RUNS };
  const uint32_t first_of_b = a_count + 1;
  uint32_t i[MERGE_RUNS], j[MERGE_RUNS];
  IW_UNROLL for (uint32_t r = 0; r < MERGE_RUNS; r++) {
    i[r] = FN(split_staged)(ranks, ranks + first_of_b, a_count, PART - a_count, r * RUN_LENGTH);
    j[r] = first_of_b + r * RUN_LENGTH - i[r];
  }
  for (uint32_t k = 0; k < RUN_LENGTH; k++)
    IW_UNROLL for (int r = 0; r < MERGE_RUNS; r++) sources[r * RUN_LENGTH + k] = FN(next)(ranks, &i[r], &j[r]);
}

/* Stages `count` elements and their ranks from place `to` on. */
IW_FN void FN(stage)(const iw_merge_args *args, merge_shared *shared, uint32_t to, const SCALAR *from, uint32_t count)
{
  SCALAR *const elements = (SCALAR *)shared->elements + to;
  RANK *const ranks = (RANK *)shared->ranks + to;
  for (uint32_t k = 0; k < count; k += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)count - k);
    const KEYS x = OF_T(iw_load)(from + k, some);
    OF_T(iw_store)(elements + k, x, some);
    IW_JOIN(iw_store, KEY_LANES)(ranks + k, FN(rank)(args, x), some);
  }
}

/* Stores the outputs from `first` on. a_at, b_at: of the first staged elements, of which those of b come
 * from place first_of_b on. */
IW_FN void FN(store_outputs)(const iw_merge_args *args, const merge_shared *shared, uint64_t first, uint32_t count,
                             uint64_t a_at, uint64_t b_at, uint32_t first_of_b)
{
  const SCALAR *const elements = (const SCALAR *)shared->elements;
  const uint16_t *const sources = shared->sources;
  if (args->out) {
    SCALAR *const out = (SCALAR *)args->out + first;
    uint32_t k = 0;
    for (; k + 8 <= count; k += 8) IW_UNROLL for (int u = 0; u < 8; u++) out[k + u] = elements[sources[k + u]];
    for (; k < count; k++) out[k] = elements[sources[k]];
  }
  for (uint32_t k = 0; args->indices && k < count; k++) {
    const uint32_t source = sources[k];
    const uint64_t index = source < first_of_b ? a_at + source : args->a_count + b_at + (source - first_of_b);
    if (args->index_bytes == 4) ((uint32_t *)args->indices)[first + k] = (uint32_t)index;
    else ((uint64_t *)args->indices)[first + k] = index;
  }
}

/* Merges the outputs from `first` on, at most PART; a_at elements of a come before them. Returns how many
 * come before the outputs that follow. */
IW_FN uint64_t FN(merge_part)(const iw_merge_args *args, merge_shared *shared, uint64_t first, uint64_t a_at)
{
  const uint64_t left = args->a_count + args->b_count - first, b_at = first - a_at;
  const uint32_t count = left < PART ? (uint32_t)left : PART;
  const uint64_t b_left = args->b_count - b_at, a_left = args->a_count - a_at;
  const uint64_t a_end = FN(split)(args, first + count, a_at + (count > b_left ? count - b_left : 0),
                                   a_at + (count < a_left ? count : a_left));
  const uint32_t a_count = (uint32_t)(a_end - a_at), b_count = count - a_count, first_of_b = a_count + 1;
  const uint32_t a_follows = a_count < a_left, b_follows = b_count < b_left;
  FN(stage)(args, shared, 0, (const SCALAR *)args->a + a_at, a_count + a_follows);
  FN(stage)(args, shared, first_of_b, (const SCALAR *)args->b + b_at, b_count + b_follows);
  if (a_follows && b_follows && count == PART) FN(merge_runs)((const RANK *)shared->ranks, a_count, shared->sources);
  else FN(merge_checked)((const RANK *)shared->ranks, a_count, b_count, shared->sources);
  FN(store_outputs)(args, shared, first, count, a_at, b_at, first_of_b);
  return a_end;
}

IW_FN void FN(tiles)(iw_block *block, const iw_merge_args *args, uint64_t begin, uint64_t end, merge_shared *shared)
{
  IW_PHASE(warp) {
    uint64_t a_at = FN(split)(args, begin, begin > args->b_count ? begin - args->b_count : 0,
                              begin < args->a_count ? begin : args->a_count);
    for (uint64_t first = begin; first < end; first += PART) a_at = FN(merge_part)(args, shared, first, a_at);
  }
}
#undef RANK
#undef PART
