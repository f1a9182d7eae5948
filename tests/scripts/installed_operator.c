/* SPDX-License-Identifier: Apache-2.0
 *
 * README's operator and its use, C and C++, as a user's program. Built by tests/scripts/installed.sh.
 */
#include <stdio.h>
#include <string.h>
#include <isowarp/operators.h>
IW_FN iw_u32 iw_latest_u32(iw_u32 a, iw_u32 b) { return iw_select(iw_ne(b, iw_splat(0u)), b, a); }
IW_OPERATOR(latest, u32, 0)        /* each element, or where it is 0 the last one before it */
#define IW_SCAN_OPERATOR latest
#define IW_SCAN_TYPE u32
#define IW_SCAN_SEGMENTS
#include <isowarp/make_operator.h>
#include <isowarp.h>

int main(void)
{
  enum { N = 10000 };
  static uint32_t in[N], out[N];
  iw_context *context;
  uint32_t last = 0;
  int wrong = 0;
  for (uint32_t i = 0; i < N; i++)
    in[i] = i % 1000 == 7 ? i : 0;
  if (iw_context_open(&context, NULL) != IW_OK
      || iw_inclusive_scan(context, &latest_u32, IW_U32, in, N, out, NULL) != IW_OK
      || iw_reduce(context, &latest_u32, IW_U32, in, N, &last, NULL) != IW_OK) {
    printf("operator: %s\n", iw_message());
    return 1;
  }
  for (uint32_t i = 0; i < N; i++)
    wrong += out[i] != (i < 7 ? 0 : (i - 7) / 1000 * 1000 + 7);
  wrong += last != 9007;
  uint32_t rows[10];
  iw_segments segments;
  iw_scan_options options;
  memset(&segments, 0, sizeof segments);
  memset(&options, 0, sizeof options);
  segments.size = sizeof segments;
  segments.kind = IW_SEGMENTS_ROWS;
  segments.columns = N / 10;
  options.size = sizeof options;
  options.segments = &segments;
  if (iw_reduce(context, &latest_u32, IW_U32, in, N, rows, &options) != IW_OK) {
    printf("operator: %s\n", iw_message());
    return 1;
  }
  for (uint32_t k = 0; k < 10; k++)
    wrong += rows[k] != k * 1000 + 7;
  iw_context_close(context);
  printf("operator: %d wrong\n", wrong);
  return wrong != 0;
}
