/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact dot product: 2^60 + 1 - 2^60, of which a loop of floats loses the 1. Run: ./exact_dot
 * Prints:
 *   exact 1, loop 0
 */
#include <isowarp.h>
#include <stdio.h>

int main(void)
{
  static const float a[] = { 0x1p30f, 1, -0x1p30f }, b[] = { 0x1p30f, 1, 0x1p30f };
  double exact;
  float loop = 0;
  iw_context *context;
  if (iw_context_open(&context, NULL) != IW_OK || iw_dot_exact(context, IW_F32, a, b, 3, IW_F64, &exact) != IW_OK) {
    fprintf(stderr, "%s\n", iw_message());
    return 1;
  }
  for (int i = 0; i < 3; i++)
    loop += a[i] * b[i];
  printf("exact %g, loop %g\n", exact, loop);
  iw_context_close(context);
  return 0;
}
