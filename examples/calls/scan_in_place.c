/* SPDX-License-Identifier: Apache-2.0
 *
 * Running sums in place. Run: ./scan_in_place
 * Prints:
 *   3 4 8 9 14
 */
#include <isowarp.h>
#include <stdio.h>

int main(void)
{
  int32_t x[] = { 3, 1, 4, 1, 5 };
  iw_context *context;
  if (iw_context_open(&context, NULL) != IW_OK || iw_inclusive_scan(context, IW_SUM, IW_I32, x, 5, x, NULL) != IW_OK) {
    fprintf(stderr, "%s\n", iw_message());
    return 1;
  }
  for (int i = 0; i < 5; i++)
    printf("%d%c", x[i], i < 4 ? ' ' : '\n');
  iw_context_close(context);
  return 0;
}
