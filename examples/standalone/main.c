/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with a kernel of its own: the dot product of two vectors. The kernel sums each block, the library the blocks.
 */
#include <stdio.h>
#include <isowarp.h>
#include "dot.h"

extern const iw_kernel dot;

int main(void)
{
  enum { N = 1000, THREADS = 128, BLOCKS = (N + THREADS - 1) / THREADS };
  static float a[N], b[N], sums[BLOCKS], total;
  for (int i = 0; i < N; i++) {
    a[i] = (float)(i % 8);
    b[i] = 0.5f;
  }
  iw_context *context;
  const dot_args args = { a, b, N, sums };
  if (iw_context_open(&context, NULL) != IW_OK || iw_launch(context, &dot, BLOCKS, THREADS, &args) != IW_OK
      || iw_reduce(context, IW_SUM, sums, BLOCKS, &total) != IW_OK) {
    fprintf(stderr, "dot: %s\n", iw_message());
    return 1;
  }
  iw_context_close(context);
  printf("dot product: %g\n", total);
  return total == 1750 ? 0 : 1;
}
