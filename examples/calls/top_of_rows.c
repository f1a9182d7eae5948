/* SPDX-License-Identifier: Apache-2.0
 *
 * The 5 largest elements of each row of a matrix, and their columns. Run: ./top_of_rows
 * Prints:
 *   9 at 5, 8 at 7, 6 at 0, 5 at 3, 5 at 6
 *   7 at 2, 7 at 4, 3 at 0, 2 at 7, 1 at 1
 */
#include <isowarp.h>
#include <stdio.h>

enum { ROWS = 2, COLUMNS = 8, K = 5 };

int main(void)
{
  static const uint16_t matrix[ROWS * COLUMNS] = { 6, 1, 4, 5, 2, 9, 5, 8, 3, 1, 7, 0, 7, 0, 1, 2 };
  uint16_t largest[ROWS * K];
  uint32_t columns[ROWS * K];
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = COLUMNS };
  const iw_payload indices = { .size = sizeof indices, .out = columns, .width = sizeof *columns };
  const iw_sort_options options = {
    .size = sizeof options, .descending = 1, .segments = &rows, .payloads = &indices, .payload_count = 1
  };
  iw_context *context;
  if (iw_context_open(&context, NULL) != IW_OK
      || iw_top_k(context, IW_U16, matrix, ROWS * COLUMNS, K, largest, &options) != IW_OK) {
    fprintf(stderr, "%s\n", iw_message());
    return 1;
  }
  for (int r = 0; r < ROWS; r++)
    for (int k = 0; k < K; k++)
      printf("%u at %u%s", largest[r * K + k], columns[r * K + k], k < K - 1 ? ", " : "\n");
  iw_context_close(context);
  return 0;
}
