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

/* Moves elements to where the counters of their digits point, which advance. others: NULL, or an array of 4
 * bytes that moves too, such as indices. */
IW_FN void FN(scatter)(SCALAR *out, uint32_t *other_out, uint32_t *counters, const SCALAR *in, const uint32_t *others,
                       const uint32_t *digits, uint64_t count)
{
  uint64_t k = 0;
  if (others) for (; k < count; k++) {
    const uint32_t to = counters[digits[k]]++;
    out[to] = in[k];
    other_out[to] = others[k];
  }
  for (; k + 8 <= count; k += 8)
    IW_UNROLL for (int l = 0; l < 8; l++) out[counters[digits[k + l]]++] = in[k + l];
  for (; k < count; k++) out[counters[digits[k]]++] = in[k];
}

#undef FN
