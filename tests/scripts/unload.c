/* SPDX-License-Identifier: Apache-2.0
 *
 * usage: unload LIBRARY TIMES
 *
 * Loads the library, uses it with three threads and unloads it, so many times. Not linked with it, so that
 * it goes each time. tests/scripts/process.sh runs it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <isowarp.h>

static float in[200000];

static void *symbol(void *library, const char *name)
{
  void *const found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return found;
}

int main(int count, char **arguments)
{
  const int times = count > 2 ? atoi(arguments[2]) : 1;
  for (size_t i = 0; i < sizeof in / sizeof *in; i++)
    in[i] = 1;
  for (int i = 0; i < times; i++) {
    void *const library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    __typeof__(iw_context_open) *open;
    __typeof__(iw_context_close) *close;
    __typeof__(iw_reduce) *reduce;
    *(void **)&open = symbol(library, "iw_context_open");
    *(void **)&close = symbol(library, "iw_context_close");
    *(void **)&reduce = symbol(library, "iw_reduce");
    iw_context *context;
    const iw_context_options options = {
      .size = sizeof options, .backend = IW_BACKEND_CPU, .threads = 3, .blocks = i % 2 ? IW_BLOCKS_TEAM : IW_BLOCKS_THREAD,
    };
    float total = 0;
    if (open(&context, &options) != IW_OK || reduce(context, IW_SUM, IW_F32, in, 200000, &total, NULL) != IW_OK || total != 200000) {
      fprintf(stderr, "load %d: the sum is %g\n", i, (double)total);
      return 1;
    }
    close(context);
    if (dlclose(library) != 0) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  }
  printf("loaded and unloaded %d times\n", times);
  return 0;
}
