/* SPDX-License-Identifier: Apache-2.0
 *
 * The mean of the values of each key, whose elements are neighbours: sums by key over run lengths. Run: ./mean_by_key
 * Prints:
 *   key 10: 2 of 3
 *   key 20: 7.5 of 2
 */
#include <isowarp.h>
#include <stdio.h>

int main(void)
{
  static const uint32_t keys[] = { 10, 10, 10, 20, 20 };
  static const float values[] = { 1, 2, 3, 7, 8 };
  uint32_t unique[5];
  uint64_t lengths[5];
  double sums[5];
  size_t count, runs;
  const iw_segments by_key = { .size = sizeof by_key, .kind = IW_SEGMENTS_KEYS, .keys = keys, .key_type = IW_U32 };
  const iw_scan_options options = {
    .size = sizeof options, .out_type = IW_F64, .segments = &by_key, .run_keys = unique, .run_count = &count
  };
  iw_context *context;
  if (iw_context_open(&context, NULL) != IW_OK
      || iw_reduce(context, IW_SUM, IW_F32, values, 5, sums, &options) != IW_OK
      || iw_run_lengths(context, IW_U32, keys, 5, NULL, iw_indices_u64(lengths), &runs) != IW_OK) {
    fprintf(stderr, "%s\n", iw_message());
    return 1;
  }
  for (size_t k = 0; k < count; k++)
    printf("key %u: %g of %llu\n", unique[k], sums[k] / (double)lengths[k], (unsigned long long)lengths[k]);
  iw_context_close(context);
  return 0;
}
