/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp sort: one call of the library, for which the input and the output have to fit into memory. With
 * --mpi the ranks share the elements, so that parts have to fit. */
#include "commands.h"

#include <isowarp.h>
#include <stdlib.h>

/* Sorts the elements, or their indices, or with --by elements by other keys. */
static iw_status sort_by_options(const settings *s, iw_context *context, const array *in, const array *by,
                                 void *out)
{
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = s->row_length };
  const size_t width = s->argsort ? sizeof(uint64_t) : iw_type_size(in->type);
  const iw_payload moved = {
    .size = sizeof moved, .in = s->argsort ? NULL : in->data, .out = out, .width = width
  };
  const array *const keys = by->data || by->n ? by : in;
  const size_t payloads = s->argsort || keys == by;
  void *const sorted = payloads ? NULL : out;
  const iw_sort_options options = { .size = sizeof options, .descending = s->descending, .segments = s->has_row_length ? &rows : NULL,
                                    .payloads = &moved, .payload_count = payloads };
  return iw_sort(context, keys->type, keys->data, in->n, sorted, &options);
}

/* Sorts this rank's part and writes it; returns the seconds of the library's call. */
static double sort_shared(const settings *s, const array *in, const array *by, iw_type type)
{
  const iw_sort_options options = { .size = sizeof options, .descending = s->descending };
  const array *const keys = by->data || by->n ? by : in;
  size_t begin, end;
  ranks_range(in->n, &begin, &end);
  parts *const p = parts_open(s, type, in->n, end - begin);
  void *const out = parts_buffer(p);
  const iw_payload moved = {
    .size = sizeof moved, .in = s->argsort ? NULL : element_at(in->type, in->data, begin), .out = out,
    .width = iw_type_size(type),
  };
  const size_t payloads = s->argsort || keys == by;
  ranks_agree();
  const double start = seconds_now();
  const iw_sort_options all = { .size = sizeof all, .descending = options.descending, .payloads = &moved, .payload_count = payloads };
  must(iw_distributed_sort(ranks_handle(), keys->type, element_at(keys->type, keys->data, begin), end - begin,
                           payloads ? NULL : out, &all));
  const double seconds = seconds_now() - start;
  parts_write(p, &(piece){ begin, 0, end - begin }, 1, 0);
  parts_close(p, in->n);
  return seconds;
}

/* Sorts all elements in one call, and writes them; returns the seconds of the call. */
static double sort_whole(const settings *s, iw_context *context, const array *in, const array *by, iw_type type)
{
  void *const out = need(in->n, iw_type_size(type));
  const double start = seconds_now();
  must(sort_by_options(s, context, in, by, out));
  const double seconds = seconds_now() - start;
  write_array(s, type, out, in->n);
  free(out);
  return seconds;
}

int run_sort(const settings *s)
{
  beside keys = { .option = "--by", .name = s->by, .things = "keys", .kind = KEYS, .integers = COMPARED };
  const array in = read_beside(s, &keys), by = keys.values;
  if (s->has_row_length && in.n % s->row_length)
    fail("--row-length: %zu elements are not a multiple of %zu", in.n, s->row_length);
  const iw_type type = s->argsort ? IW_U64 : in.type;
  iw_context *const context = open_context(s);
  const double seconds = ranks_are_open() ? sort_shared(s, &in, &by, type) : sort_whole(s, context, &in, &by, type);
  print_stats(s, in.n, in.type, seconds);
  close_context();
  free(by.owned);
  free(in.owned);
  return STATUS_GOOD;
}
