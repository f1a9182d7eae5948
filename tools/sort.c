/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp sort: one call of the library, for which the input and the output have to fit into memory. */
#include "tool.h"

#include <isowarp/sort.h>
#include <stdlib.h>

/* Sorts the elements, or their indices, or with --by elements by other keys. */
static iw_status sort_by_options(const settings *s, iw_context *context, const array *in, const array *by,
                                 void *out)
{
  const iw_sort_options options = { .size = sizeof options, .descending = s->descending };
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = s->row_length };
  const size_t width = s->argsort ? sizeof(uint64_t) : iw_type_size(in->type);
  const iw_payload moved = {
    .size = sizeof moved, .in = s->argsort ? NULL : in->data, .out = out, .width = width
  };
  const array *const keys = by->data || by->n ? by : in;
  const size_t payloads = s->argsort || keys == by;
  void *const sorted = payloads ? NULL : out;
  if (s->has_row_length)
    return iw_sort_segments(context, keys->type, &rows, keys->data, sorted, in->n, payloads ? &moved : NULL,
                            payloads, &options);
  return iw_sort_payloads(context, keys->type, keys->data, sorted, in->n, payloads ? &moved : NULL, payloads,
                          &options);
}

int run_sort(const settings *s)
{
  const array in = read_array(input_file(s), &s->input);
  array by = { 0 };
  if (s->by != NULL) {
    const reading reading = { .type = IW_F64, .delimiter = ',' };
    by = read_array(s->by, &reading);
    if (by.n != in.n)
      fail("%s: has %zu keys, but there are %zu elements", s->by, by.n, in.n);
  }
  if (s->has_row_length && in.n % s->row_length)
    fail("--row-length: %zu elements are not a multiple of %zu", in.n, s->row_length);
  const iw_type type = s->argsort ? IW_U64 : in.type;
  void *const out = need(in.n, iw_type_size(type));
  iw_context *const context = open_context(s);
  const double start = seconds_now();
  must(sort_by_options(s, context, &in, &by, out));
  const double seconds = seconds_now() - start;
  write_array(s, type, out, in.n);
  print_stats(s, in.n, in.type, seconds);
  close_context();
  free(out);
  free(by.owned);
  free(in.owned);
  return STATUS_GOOD;
}
