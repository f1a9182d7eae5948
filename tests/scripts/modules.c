/* SPDX-License-Identifier: Apache-2.0
 *
 * usage: modules SET
 *
 * Threads that open a context and sum numbers by the kernels of the set, all at once: the first ones load
 * the module. tests/scripts/modules.sh runs it.
 */
#include <isowarp.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, COUNT = 1000 };
static const char *set;
static pthread_barrier_t start;

/* Returns NULL, or why there is no sum. */
static void *sum(void *message)
{
  iw_context_options options = { .size = sizeof options };
  iw_context *context = NULL;
  uint32_t in[COUNT], out = 0;
  for (unsigned i = 0; i < COUNT; i++)
    in[i] = i;
  if (strcmp(set, "sim") == 0)
    options.backend = IW_BACKEND_SIM;
  else
    options.isa = set;
  pthread_barrier_wait(&start);
  iw_status status = iw_context_open(&context, &options);
  if (status == IW_OK)
    status = iw_reduce(context, IW_SUM, IW_U32, in, COUNT, &out, NULL);
  if (status != IW_OK)
    snprintf(message, 512, "%s", iw_message());
  else if (out != COUNT * (COUNT - 1) / 2)
    snprintf(message, 512, "the sum is %u", out);
  iw_context_close(context);
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t threads[THREADS];
  static char messages[THREADS][512];
  int failed = argc != 2;
  set = argv[argc - 1];
  pthread_barrier_init(&start, NULL, THREADS);
  for (unsigned t = 0; t < THREADS; t++)
    pthread_create(&threads[t], NULL, sum, messages[t]);
  for (unsigned t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    failed |= messages[t][0] != 0;
    if (messages[t][0])
      printf("%s: %s\n", set, messages[t]);
  }
  if (!failed)
    printf("%s: equal sums\n", set);
  return failed;
}
