/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with a kernel of its own: the dot product of two vectors. The kernel sums each block, the library the blocks.
 * With both builds of the kernel it runs on CUDA where that is there; `dot_cuda cpu` stays on the CPU.
 */
#include <stdio.h>
#include <string.h>
#include <isowarp.h>
#include "dot.h"

extern const iw_kernel dot;
#ifdef WITH_CUDA
extern const iw_kernel dot_cuda; /* the same file, built by nvcc with -DIW_KERNEL_SUFFIX=_cuda */
#endif

/* A context, and the build of the kernel that runs on it. */
static iw_status open_best(iw_context **context, const iw_kernel **kernel, int only_cpu)
{
  iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU };
#ifdef WITH_CUDA
  if (!only_cpu) {
    options.backend = IW_BACKEND_CUDA;
    *kernel = &dot_cuda;
    if (iw_context_open(context, &options) == IW_OK)
      return IW_OK;
    fprintf(stderr, "dot: not on CUDA: %s\n", iw_message());
    options.backend = IW_BACKEND_CPU;
  }
#endif
  (void)only_cpu;
  *kernel = &dot;
  return iw_context_open(context, &options);
}

/* An array where the context's kernels run; from may be NULL for one that is only written. */
static int put(iw_context *context, const float *from, size_t n, void **there)
{
  return iw_memory_allocate(context, n * sizeof *from, there) == IW_OK
         && (from == NULL || iw_memory_copy(context, *there, from, n * sizeof *from) == IW_OK);
}

int main(int argc, char **argv)
{
  enum { N = 1000, THREADS = 128, BLOCKS = (N + THREADS - 1) / THREADS };
  static float a[N], b[N], total;
  for (int i = 0; i < N; i++) {
    a[i] = (float)(i % 8);
    b[i] = 0.5f;
  }
  iw_context *context;
  iw_context_info info = { .size = sizeof info };
  const iw_kernel *kernel;
  void *there[3] = { NULL };
  if (open_best(&context, &kernel, argc > 1 && strcmp(argv[1], "cpu") == 0) != IW_OK
      || iw_context_get_info(context, &info) != IW_OK
      || !put(context, a, N, &there[0]) || !put(context, b, N, &there[1]) || !put(context, NULL, BLOCKS, &there[2])
      || iw_launch(context, kernel, BLOCKS, THREADS, &(dot_args){ there[0], there[1], N, there[2] }, sizeof(dot_args)) != IW_OK
      || iw_reduce(context, IW_SUM, IW_F32, there[2], BLOCKS, NULL, &total) != IW_OK) {
    fprintf(stderr, "dot: %s\n", iw_message());
    return 1;
  }
  for (int i = 0; i < 3; i++)
    iw_memory_free(context, there[i]);
  iw_context_close(context);
  printf("dot product on %s: %g\n", info.backend == IW_BACKEND_CUDA ? "CUDA" : "the CPU", (double)total);
  return total == 1750 ? 0 : 1;
}
