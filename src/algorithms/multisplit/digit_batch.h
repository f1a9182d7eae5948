/* SPDX-License-Identifier: Apache-2.0
 *
 * Digits of up to IW_DIGIT_BATCH elements in memory, by which CPUs count and scatter one element after the
 * other, so that the loops know no keys (doc/design/sort.md#the-split-on-cpus). Included once for each width
 * of elements: T is u8, u16, u32, u64 or u128. Part of kernel templates.
 */
#define FN(name) IW_JOIN(IW_JOIN(digit_batch, name), T)
#ifndef IW_DIGIT_BATCH_H
#define IW_DIGIT_BATCH_H
enum { IW_DIGIT_BATCH = 8 * IW_WARP_SIZE };
enum {
  IW_SCATTER_GROUP = 8, /* elements whose places are known before the first of them is stored */
  /* Bytes of an output from which the line behind an element's is prefetched. It will be the next of that
   * digit, and a second-level cache does not have it any more. Of two outputs, lines of all digits fill a
   * first-level cache, so that this pays later. */
  IW_SCATTER_AHEAD_BYTES = 2 << 20,
  IW_SCATTER_BOTH_AHEAD_BYTES = 4 << 20,
  IW_SCATTER_LINE_BYTES = 64
};
static_assert(IW_COUNT_REPLICAS == 4, "digit_batch_count() has as many tables");

/* Counts digits in IW_COUNT_REPLICAS tables that are `stride` counters apart, so that equal ones do not wait
 * for each other. */
IW_FN void digit_batch_count(const uint32_t *digits, uint64_t count, uint32_t *counters, unsigned stride)
{
  uint32_t *const second = counters + stride, *const third = second + stride, *const fourth = third + stride;
  uint64_t k = 0;
  for (; k + IW_COUNT_REPLICAS <= count; k += IW_COUNT_REPLICAS) {
    counters[digits[k]]++;
    second[digits[k + 1]]++;
    third[digits[k + 2]]++;
    fourth[digits[k + 3]]++;
  }
  for (; k < count; k++) counters[digits[k]]++;
}
#endif

/* Moves whole groups of elements; returns where the last partial group begins. ahead: whether lines are
 * prefetched. */
IW_FN uint64_t FN(scatter_groups)(SCALAR *out, uint32_t *other_out, uint32_t *counters, const SCALAR *in, const uint32_t *others,
                                  const uint32_t *digits, uint64_t count, const int both, const int ahead)
{
  uint64_t k = 0;
  for (; k + IW_SCATTER_GROUP <= count; k += IW_SCATTER_GROUP) {
    uint32_t to[IW_SCATTER_GROUP];
    IW_UNROLL for (int l = 0; l < IW_SCATTER_GROUP; l++) to[l] = counters[digits[k + l]]++;
    IW_UNROLL for (int l = 0; l < IW_SCATTER_GROUP; l++) {
      out[to[l]] = in[k + l];
      if (both) other_out[to[l]] = others[k + l];
      if (ahead) iw_prefetch((const char *)(out + to[l]) + IW_SCATTER_LINE_BYTES, 1);
      if (both && ahead) iw_prefetch((const char *)(other_out + to[l]) + IW_SCATTER_LINE_BYTES, 1);
    }
  }
  return k;
}

/* Moves elements to where the counters of their digits point, which advance. others: NULL, or an array of 4
 * bytes that moves too, such as indices. bytes: of all of the output. prefetches: whether lines of
 * one array may be prefetched, which slows an AMD down. Two arrays that stay in a cache move one element
 * after the other: in groups they take a twentieth longer. */
IW_FN void FN(scatter)(SCALAR *out, uint32_t *other_out, uint32_t *counters, const SCALAR *in, const uint32_t *others,
                       const uint32_t *digits, uint64_t count, uint64_t bytes, int prefetches)
{
  uint64_t k = 0;
  if (others && bytes >= IW_SCATTER_BOTH_AHEAD_BYTES) k = FN(scatter_groups)(out, other_out, counters, in, others, digits, count, 1, 1);
  else if (!others && prefetches && bytes >= IW_SCATTER_AHEAD_BYTES) k = FN(scatter_groups)(out, NULL, counters, in, NULL, digits, count, 0, 1);
  else if (!others) k = FN(scatter_groups)(out, NULL, counters, in, NULL, digits, count, 0, 0);
  for (; k < count; k++) {
    const uint32_t to = counters[digits[k]]++;
    out[to] = in[k];
    if (others) other_out[to] = others[k];
  }
}

#undef FN
