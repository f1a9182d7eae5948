/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition with its permutation: elements below 0 first, and from where each came. Run: ./partition_permutation
 * Prints:
 *   2 are below 0
 *   -1 from 1
 *   -3 from 3
 *   4 from 0
 *   2 from 2
 */
#include <isowarp.h>
#include <stdio.h>

int main(void)
{
  static const float x[] = { 4, -1, 2, -3 }, zero = 0;
  float out[4];
  uint32_t from[4];
  size_t count;
  const iw_test negative = { .size = sizeof negative, .type = IW_F32, .compare = IW_LESS, .constant = &zero };
  const iw_payload permutation = { .size = sizeof permutation, .out = from, .width = sizeof *from };
  const iw_move_options options = { .size = sizeof options, .payloads = &permutation, .payload_count = 1 };
  iw_context *context;
  if (iw_context_open(&context, NULL) != IW_OK || iw_partition(context, &negative, x, 4, out, &count, &options) != IW_OK) {
    fprintf(stderr, "%s\n", iw_message());
    return 1;
  }
  printf("%zu are below 0\n", count);
  for (int i = 0; i < 4; i++)
    printf("%g from %u\n", out[i], from[i]);
  iw_context_close(context);
  return 0;
}
