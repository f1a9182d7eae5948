/* SPDX-License-Identifier: Apache-2.0
 *
 * The median of each segment: a sort of segments, and the element in the middle of each. Run: ./segment_medians
 * Prints:
 *   2 of 3
 *   none of 0
 *   4 of 5
 */
#include <isowarp.h>
#include <stdio.h>

int main(void)
{
  static const double values[] = { 5, 1, 2, 9, 4, 8, 3, -1 };
  static const uint32_t offsets[] = { 0, 3, 3, 8 };
  double sorted[8];
  const iw_segments segments = {
    .size = sizeof segments, .kind = IW_SEGMENTS_OFFSETS, .offsets = offsets, .offset_type = IW_U32, .count = 3
  };
  const iw_sort_options options = { .size = sizeof options, .segments = &segments };
  iw_context *context;
  if (iw_context_open(&context, NULL) != IW_OK || iw_sort(context, IW_F64, values, 8, sorted, &options) != IW_OK) {
    fprintf(stderr, "%s\n", iw_message());
    return 1;
  }
  for (int k = 0; k < 3; k++) {
    const uint32_t begin = offsets[k], n = offsets[k + 1] - begin;
    if (n)
      printf("%g of %u\n", sorted[begin + (n - 1) / 2], n);
    else
      printf("none of 0\n");
  }
  iw_context_close(context);
  return 0;
}
