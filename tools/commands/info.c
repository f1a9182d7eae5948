/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp info. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

/* Which backend processes host memory. */
static void print_host_data(const settings *s, iw_context *context, iw_backend backend)
{
  size_t bytes = SIZE_MAX;
  if (backend != IW_BACKEND_AUTO) {
    printf("host data: always on %s\n", backend == IW_BACKEND_CUDA  ? "CUDA"
                                         : backend == IW_BACKEND_SIM ? "the simulated GPU"
                                                                     : "the CPU");
    return;
  }
  if (!s->measure) {
    printf("host data: on the CPU; --measure finds the size from which CUDA is faster, in some seconds\n");
    return;
  }
  must(iw_context_measure_offload_threshold(context, &bytes));
  if (bytes == SIZE_MAX)
    printf("host data: the CPU is faster at every size measured (up to 256 MiB)\n");
  else
    printf("host data: CUDA is faster from %zu bytes on\n", bytes);
}

/* Whether calls have the kernels of an instruction set, which may be in a module. */
static int has_kernels(const char *isa)
{
  enum { COUNT = 1000 }; /* too many for a shortcut */
  static const uint32_t elements[COUNT];
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU, .isa = isa, .threads = 1 };
  iw_context *context;
  uint32_t sum;
  if (iw_context_open(&context, &options) != IW_OK)
    return 0;
  const iw_status status = iw_reduce(context, IW_SUM, IW_U32, elements, COUNT, &sum, NULL);
  iw_context_close(context);
  return status == IW_OK;
}

int run_info(const settings *s)
{
  iw_context *context = open_context(s);
  iw_context_info info = { .size = sizeof info };
  must(iw_context_get_info(context, &info));
  printf("version: %s\n", iw_version());
  printf("backend: %s\n", backend_names[info.backend]);
  printf("why: %s\n", info.why);
  printf("instruction set: %s\n", info.isa);
  printf("instruction sets built:");
  for (unsigned i = 0; iw_isa_name(i) != NULL; i++)
    printf("%s %s%s", i ? "," : "", iw_isa_name(i),
           !iw_isa_available(iw_isa_name(i)) ? " (not on this machine)"
           : has_kernels(iw_isa_name(i))     ? ""
                                             : " (its module is not found)");
  printf("\nthreads: %u\n", info.threads);

  iw_context_options cuda_options = { .size = sizeof cuda_options, .backend = IW_BACKEND_CUDA };
  iw_context_info cuda_info = { .size = sizeof cuda_info };
  iw_context *cuda;
  if (iw_context_open(&cuda, &cuda_options) == IW_OK && iw_context_get_info(cuda, &cuda_info) == IW_OK) {
    const char *device = strstr(cuda_info.why, "; "); /* what follows the reason of the choice */
    printf("CUDA: available: %s\n", device ? device + 2 : cuda_info.why);
  } else
    printf("CUDA: not available: %s\n", iw_message());
  print_host_data(s, context, info.backend);
  iw_context_close(cuda);
  iw_context_close(context);
  return STATUS_GOOD;
}
