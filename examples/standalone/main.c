/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with its own kernel: the dot product of two vectors. The kernel computes the sum of each block,
 * and the library reduces these. With a build of the kernel for CUDA the program runs there if a device is
 * available; `dot_cuda cpu` runs on the CPU. With ISOWARP_BACKEND=sim it runs on the simulated GPU, which
 * checks the kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <isowarp.h>
#include "dot.h"

extern const iw_kernel dot;
extern const iw_kernel dot_sim; /* the same file, built with -DIW_SIM -DIW_KERNEL_SUFFIX=_sim */
#ifdef WITH_CUDA
extern const iw_kernel dot_cuda; /* the same file, built by nvcc with -DIW_KERNEL_SUFFIX=_cuda */
#endif

/* Opens a context, and sets *kernel to the build of the kernel that runs on it. */
static iw_status open_best(iw_context **context, const iw_kernel **kernel, int only_cpu)
{
  iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU };
  const char *backend = getenv("ISOWARP_BACKEND");
  if (backend != NULL && strcmp(backend, "sim") == 0) {
    options.backend = IW_BACKEND_SIM;
    *kernel = &dot_sim;
    return iw_context_open(context, &options);
  }
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

/* Allocates an array of n elements in memory of the context, and copies `from` to it unless that is NULL. */
static int upload(iw_context *context, const float *from, size_t n, void **copy)
{
  return iw_memory_allocate(context, n * sizeof *from, copy) == IW_OK
         && (from == NULL || iw_memory_copy(context, *copy, from, n * sizeof *from) == IW_OK);
}

int main(int argc, char **argv)
{
  enum { N = 1000, THREADS = 128, BLOCKS = (N + THREADS - 1) / THREADS };
  static float a[N], b[N], sum;
  for (int i = 0; i < N; i++) {
    a[i] = (float)(i % 8);
    b[i] = 0.5f;
  }
  iw_context *context;
  iw_context_info info = { .size = sizeof info };
  const iw_kernel *kernel;
  void *arrays[3] = { NULL }; /* a, b, the sums of the blocks */
  if (open_best(&context, &kernel, argc > 1 && strcmp(argv[1], "cpu") == 0) != IW_OK
      || iw_context_get_info(context, &info) != IW_OK || !upload(context, a, N, &arrays[0])
      || !upload(context, b, N, &arrays[1]) || !upload(context, NULL, BLOCKS, &arrays[2])
      || iw_launch(context, kernel, BLOCKS, THREADS, &(dot_args){ arrays[0], arrays[1], N, arrays[2] },
                   sizeof(dot_args)) != IW_OK
      || iw_reduce(context, IW_SUM, IW_F32, arrays[2], BLOCKS, &sum, NULL) != IW_OK) {
    fprintf(stderr, "dot: %s\n", iw_message());
    return 1;
  }
  for (int i = 0; i < 3; i++)
    iw_memory_free(context, arrays[i]);
  iw_context_close(context);
  printf("dot product on %s: %g\n", info.backend == IW_BACKEND_CUDA ? "CUDA"
         : info.backend == IW_BACKEND_SIM ? "the simulated GPU" : "the CPU", (double)sum);
  return sum == 1750 ? 0 : 1;
}
