/* SPDX-License-Identifier: Apache-2.0
 *
 * A user's program, C and C++: a scan by type, a histogram, and the version. Built by
 * tests/scripts/installed.sh.
 */
#include <stdio.h>
#include <isowarp.h>

int main(void)
{
  enum { N = 15 };
  iw_context *context;
  int32_t in[N], out[N], total = 0;
  int wrong = 0;
  for (int i = 0; i < N; i++)
    in[i] = i;
  if (iw_context_open(&context, NULL) != IW_OK) {
    printf("iw_context_open: %s\n", iw_message());
    return 1;
  }
  if (iw_inclusive_scan(context, IW_SUM, IW_I32, in, N, out, NULL) != IW_OK
      || iw_reduce(context, IW_SUM, IW_I32, in, N, &total, NULL) != IW_OK) {
    printf("scan or reduce: %s\n", iw_message());
    return 1;
  }
  for (int i = 0; i < N; i++)
    wrong += out[i] != i * (i + 1) / 2;
  wrong += total != 105;
  iw_context_close(context);
  printf("isowarp %s, header %s: %d wrong\n", iw_version(), ISOWARP_VERSION_STRING, wrong);
  return wrong != 0;
}
