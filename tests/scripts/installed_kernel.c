/* SPDX-License-Identifier: Apache-2.0
 *
 * README's kernel and its use, C and C++, as a user's program. Built by tests/scripts/installed.sh, which
 * makes readme_kernel.h from README's text.
 */
#include <stdio.h>
#include "readme_kernel.h"

int main(void)
{
  enum { N = 100, THREADS = 31 };
  iw_context *context;
  float in[N], out[N];
  int wrong = 0;
  for (int i = 0; i < N; i++)
    in[i] = (float)(i % THREADS);
  const divide_args args = { in, out, N };
  if (iw_context_open(&context, NULL) != IW_OK
      || iw_launch(context, &divide_by_mean, (N + THREADS - 1) / THREADS, THREADS, &args, sizeof args) != IW_OK) {
    printf("kernel: %s\n", iw_message());
    return 1;
  }
  for (int i = 0; i < N; i++)
    wrong += out[i] != in[i] / (i < 93 ? 15.0f : 3.0f); /* means of 0 … 30 and of the last block's 0 … 6 */
  iw_context_close(context);
  printf("kernel: %d wrong\n", wrong);
  return wrong != 0;
}
