/* SPDX-License-Identifier: Apache-2.0
 *
 * Merges two sorted files of numbers. Run: ./merge_files odd.txt prime.txt
 * Prints:
 *   1 2 3 3 5 5 7 7 9 11
 */
#include <isowarp.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  exit(1);
}

/* The numbers of a file, which the caller frees. */
static double *read_numbers(const char *name, size_t *n)
{
  FILE *const file = fopen(name, "r");
  double *numbers = NULL, x;
  size_t room = 0;
  *n = 0;
  if (!file)
    fail(name);
  while (fscanf(file, "%lf", &x) == 1) {
    if (*n == room) {
      room = room ? 2 * room : 16;
      numbers = realloc(numbers, room * sizeof *numbers);
      if (!numbers)
        fail("no memory");
    }
    numbers[(*n)++] = x;
  }
  fclose(file);
  return numbers;
}

int main(int argc, char **argv)
{
  if (argc != 3)
    fail("usage: merge_files A B");
  iw_elements a, b;
  a.at = read_numbers(argv[1], &a.n);
  b.at = read_numbers(argv[2], &b.n);
  double *const out = malloc((a.n + b.n + 1) * sizeof *out);
  iw_context *context;
  if (!out || iw_context_open(&context, NULL) != IW_OK
      || iw_merge(context, IW_F64, a, b, out, (iw_indices){ 0 }, NULL) != IW_OK)
    fail(out ? iw_message() : "no memory");
  for (size_t i = 0; i < a.n + b.n; i++)
    printf("%g%c", out[i], i + 1 < a.n + b.n ? ' ' : '\n');
  iw_context_close(context);
  free((void *)a.at);
  free((void *)b.at);
  free(out);
  return 0;
}
