/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp merge: merges sorted files in pairs of neighbours, so that equal elements keep the order of the
 * files. Inputs and output have to fit into memory. */
#include "commands.h"

#include <isowarp.h>
#include <stdlib.h>

/* Reads a file and checks that it is sorted and has elements of the type of the first one. */
static array read_sorted(const settings *s, iw_context *context, const char *path, const array *first,
                         const iw_sort_options *options, int *texts)
{
  reading reading = s->input;
  reading.texts = texts;
  const array in = read_array(path, &reading);
  size_t until;
  if (first != NULL && in.type != first->type)
    fail("%s: has elements of type %s, but those of %s are %s", path, iw_type_name(in.type), s->operands[0],
         iw_type_name(first->type));
  must(iw_is_sorted_until(context, in.type, in.data, in.n, &until, options));
  if (until < in.n)
    fail("%s: is not sorted%s: element %zu comes before the one in front of it; 'isowarp sort' sorts", path,
         s->descending ? " as --descending says" : "", until);
  return in;
}

/* Merges b into a. */
static void merge_pair(iw_context *context, array *a, array *b, const iw_sort_options *options)
{
  const size_t n = a->n + b->n;
  void *const out = need(n, iw_type_size(a->type));
  must(iw_merge(context, a->type, (iw_elements){ a->data, a->n }, (iw_elements){ b->data, b->n }, out, (iw_indices){ NULL, 8 }, options));
  free(a->owned);
  free(b->owned);
  a->data = a->owned = out;
  a->n = n;
}

int run_merge(const settings *s)
{
  const iw_sort_options options = { .size = sizeof options, .descending = s->descending };
  if (s->operand_count == 0)
    fail("'merge' needs a FILE; '-' is standard input");
  size_t count = (size_t)s->operand_count, n = 0;
  int texts = 0;
  array *const all = need(count, sizeof *all);
  iw_context *const context = open_context(s);
  for (size_t i = 0; i < count; i++) {
    all[i] = read_sorted(s, context, s->operands[i], i ? &all[0] : NULL, &options, &texts);
    n += all[i].n;
  }
  check_texts(s, texts);
  const double start = seconds_now();
  for (; count > 1; count = (count + 1) / 2)
    for (size_t i = 0; i < count; i += 2) {
      if (i + 1 < count)
        merge_pair(context, &all[i], &all[i + 1], &options);
      all[i / 2] = all[i];
    }
  print_stats(s, n, all[0].type, seconds_now() - start);
  write_array(s, all[0].type, all[0].data, n);
  free(all[0].owned);
  free(all);
  close_context();
  return STATUS_GOOD;
}
