/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp info. */
#include "tool.h"

#include <stdio.h>

int run_info(const settings *s)
{
  iw_context *context = open_context(s);
  iw_context_info info = { .size = sizeof info };
  must(iw_context_get_info(context, &info));
  printf("version: %s\n", iw_version());
  printf("backend: %s\n", info.backend == IW_BACKEND_CUDA ? "cuda" : "cpu");
  printf("why: %s\n", info.why);
  printf("instruction set: %s\n", info.isa);
  printf("instruction sets built:");
  for (unsigned i = 0; iw_isa_name(i) != NULL; i++)
    printf("%s %s%s", i ? "," : "", iw_isa_name(i), iw_isa_available(iw_isa_name(i)) ? "" : " (not on this machine)");
  printf("\nthreads: %u\n", info.threads);

  iw_context_options cuda_options = { .size = sizeof cuda_options, .backend = IW_BACKEND_CUDA };
  iw_context *cuda;
  if (iw_context_open(&cuda, &cuda_options) == IW_OK)
    printf("CUDA: available\n");
  else
    printf("CUDA: not available: %s\n", iw_message());
  iw_context_close(cuda);
  iw_context_close(context);
  return STATUS_GOOD;
}
