/* SPDX-License-Identifier: Apache-2.0
 *
 * README's kernel and its use, C and C++, as a user's program. Built by tests/installed.sh.
 */
#include <stdio.h>
#include <isowarp/kernel.h>
typedef struct { const float *in; float *out; size_t n; } divide_args;
typedef struct { int unused; } divide_shared;
/* Divides the elements of each block by their mean. */
IW_KERNEL(divide_by_mean, divide_shared, divide_args)
{
  const size_t first = block->index * block->threads, left = args->n - first;
  const size_t count = left < block->threads ? left : block->threads;
  IW_VAR(iw_f32, x);                                 /* a value per thread that lives across barriers */
  IW_PHASE(warp) {                                   /* runs for each warp; a barrier ends it */
    const size_t at = warp * IW_WARP_SIZE;
    IW_MY(x) = iw_load(args->in + first + at, iw_lanes_below((int64_t)count - (int64_t)at));
  }
  const float sum = iw_block_sum(x);                 /* by the same tree at every warp size */
  IW_PHASE(warp) {
    const size_t at = warp * IW_WARP_SIZE;
    const iw_f32 mean = iw_splat(sum / (float)count);
    iw_store(args->out + first + at, iw_div(IW_MY(x), mean), iw_lanes_below((int64_t)count - (int64_t)at));
  }
}

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
