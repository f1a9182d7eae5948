/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp top-k, nth and median: one call of the library, for which the input has to fit into memory. */
#include "commands.h"

#include <isowarp.h>
#include <stdlib.h>

/* Fails unless -k, which the subcommand needs, is at most `most`. what: what `most` is. */
static size_t needed_k(const settings *s, size_t most, const char *what)
{
  if (!s->has_extract)
    fail("'%s' needs -k; 'isowarp %s --help' says what it is", s->command->name, s->command->name);
  if (s->extract > most)
    fail("-k: %zu is more than %zu, %s", s->extract, most, what);
  return s->extract;
}

int run_top_k(const settings *s)
{
  const array in = read_array(input_file(s), &s->input);
  const size_t columns = s->has_row_length ? s->row_length : in.n;
  if (s->has_row_length && in.n % columns)
    fail("--row-length: %zu elements are not a multiple of %zu", in.n, columns);
  const size_t k = needed_k(s, columns, s->has_row_length ? "the elements of a row" : "the number of elements");
  const size_t rows = s->has_row_length ? in.n / columns : 1, n = rows * k;
  const iw_type type = s->argsort ? IW_U64 : in.type;
  void *const out = need(n, iw_type_size(type));
  void *const values = s->argsort ? NULL : out, *const indices = s->argsort ? out : NULL;
  iw_context *const context = open_context(s);
  const double start = seconds_now();
  const iw_segments of_rows = { .size = sizeof of_rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
  const iw_payload permutation = { .size = sizeof permutation, .out = indices, .width = sizeof(uint64_t) };
  const iw_sort_options options = { .size = sizeof options, .descending = !s->smallest, .segments = s->has_row_length ? &of_rows : NULL,
                                    .payloads = &permutation, .payload_count = indices != NULL };
  must(iw_top_k(context, in.type, in.data, in.n, k, values, &options));
  print_stats(s, in.n, in.type, seconds_now() - start);
  for (size_t i = 0; i < n && s->argsort; i++)
    ((uint64_t *)out)[i] += i / k * columns; /* as sort --argsort */
  write_array(s, type, out, n);
  free(out);
  close_context();
  free(in.owned);
  return STATUS_GOOD;
}

/* Writes the element that a sort moves to index nth, and its index to standard error. */
static int write_nth(const settings *s, const array *in, size_t nth)
{
  iw_context *const context = open_context(s);
  value found;
  uint64_t index;
  char text[NUMBER_CHARS];
  const double start = seconds_now();
  must(iw_nth_element(context, in->type, in->data, in->n, nth, &found, &index));
  print_stats(s, in->n, in->type, seconds_now() - start);
  const int length = format_value(in->type, &found, text);
  if (s->json) {
    printf("{\"operation\": \"%s\", \"elements\": %zu, \"nth\": %zu, \"index\": %llu, \"type\": \"%s\", \"result\": ",
           s->command->name, in->n, nth, (unsigned long long)index, iw_type_name(in->type));
    put_number(in->type, &found, 1);
    puts("}");
    finish_output();
  } else {
    note("element %llu is %.*s", (unsigned long long)index, length, text);
    write_array(s, in->type, &found, 1);
  }
  close_context();
  free(in->owned);
  return STATUS_GOOD;
}

int run_nth(const settings *s)
{
  const array in = read_array(input_file(s), &s->input);
  if (in.n == 0)
    fail("there are no elements");
  return write_nth(s, &in, needed_k(s, in.n - 1, "the last index"));
}

int run_median(const settings *s)
{
  const array in = read_array(input_file(s), &s->input);
  if (in.n == 0)
    fail("there are no elements, so there is no median");
  return write_nth(s, &in, (in.n - 1) / 2);
}
