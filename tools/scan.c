/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp scan and reduce. Long inputs are processed in chunks of whole groups of order 1, each with the
 * result of the chunk before as init: this gives the bits of one call, and progress can be shown. Segmented
 * scans are one call. */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 1 << 25 }; /* a multiple of order 1's group, 2^17: doc/order1.md */

/* Elements that are processed at a time, of `left`. Outputs of f16 and bf16 are rounded, so that a next chunk could not
 * continue from them. */
static size_t next_chunk(iw_type type, size_t left)
{
  return type == IW_F16 || type == IW_BF16 || left < CHUNK ? left : CHUNK;
}

static void scan_all(const settings *s, iw_context *context, const array *in, char *out, const void *from)
{
  size_t size = iw_type_size(in->type);
  for (size_t done = 0, n; done == 0 || done < in->n; done += n) {
    const char *x = element_at(in->type, in->data, done);
    char *y = out + done * size;
    n = next_chunk(in->type, in->n - done);
    if (s->exclusive) {
      int more = done + n < in->n; /* the output of one more element is the next chunk's init */
      must(iw_exclusive_scan(context, s->op, in->type, x, y, n + (size_t)more, from));
      from = y + n * size;
    } else {
      must(iw_inclusive_scan(context, s->op, in->type, x, y, n, from));
      from = y + (n - 1) * size;
    }
    progress("scanning", done + n, in->n);
    if (in->n == 0)
      break;
  }
}

iw_status scan_segments(iw_context *context, iw_op op, int exclusive, const array *in,
                        const iw_segments *segments, void *out, const void *init)
{
  const iw_scan_spec spec = {
    .size = sizeof spec, .op = op, .in_type = in->type, .type = in->type, .exclusive = exclusive,
    .init = init, .segments = segments,
  };
  return iw_scan_with(context, &spec, in->data, out, in->n);
}

/* Scans the segments that the options describe. */
static void scan_by_options(const settings *s, iw_context *context, const array *in, char *out,
                            const void *init)
{
  array by = { 0 };
  iw_segments segments = { .size = sizeof segments };
  if (s->flags != NULL) {
    by = read_flags(s, in->n);
    segments.kind = IW_SEGMENTS_FLAGS;
    segments.flags = by.data;
  } else if (s->keys != NULL) {
    reading reading = { .type = IW_I64, .delimiter = ',' };
    by = read_array(s->keys, &reading);
    if (by.n != in->n)
      fail("%s: has %zu keys, but there are %zu elements", s->keys, by.n, in->n);
    segments.kind = IW_SEGMENTS_KEYS;
    segments.keys = by.data;
    segments.key_type = by.type;
  } else {
    const size_t rows = in->n / s->row_length;
    if (rows * s->row_length != in->n)
      fail("--row-length: %zu elements are not a multiple of %zu", in->n, s->row_length);
    segments.kind = IW_SEGMENTS_ROWS;
    segments.columns = s->row_length;
  }
  must(scan_segments(context, s->op, s->exclusive, in, &segments, out, init));
  free(by.owned);
}

int run_scan(const settings *s)
{
  const int ways = (s->flags != NULL) + (s->keys != NULL) + s->has_row_length;
  if (ways > 1)
    fail("'scan' takes one of --flags, --keys and --row-length");
  array in = read_array(input_file(s), &s->input);
  iw_context *context = open_context(s);
  char *out = need(in.n, iw_type_size(in.type));
  value init;
  if (s->init != NULL)
    init = parse_argument(in.type, s->init, "--init");
  double start = seconds_now();
  (ways ? scan_by_options : scan_all)(s, context, &in, out, s->init ? &init : NULL);
  print_stats(s, in.n, in.type, seconds_now() - start);
  progress_end();
  write_array(s, in.type, out, in.n);
  free(out);
  free(in.owned);
  iw_context_close(context);
  return STATUS_GOOD;
}

/* Writes the index of the first minimum or maximum, and the element to standard error. */
static int find_index(const settings *s, iw_context *context, const array *in)
{
  size_t index;
  value found;
  char text[NUMBER_CHARS];
  if (s->init != NULL)
    fail("--init cannot be combined with --op %s", s->op == IW_MIN ? "argmin" : "argmax");
  if (in->n == 0)
    fail("there are no elements, so there is no %s", s->op == IW_MIN ? "minimum" : "maximum");
  double start = seconds_now();
  must(s->op == IW_MIN ? iw_argmin(context, in->type, in->data, in->n, &index, &found)
                       : iw_argmax(context, in->type, in->data, in->n, &index, &found));
  print_stats(s, in->n, in->type, seconds_now() - start);
  fprintf(stderr, "isowarp: element %zu is %.*s\n", index, format_value(in->type, &found, text), text);
  const uint64_t written = index;
  write_array(s, IW_U64, &written, 1);
  free(in->owned);
  iw_context_close(context);
  return STATUS_GOOD;
}

int run_reduce(const settings *s)
{
  array in = read_array(input_file(s), &s->input);
  iw_context *context = open_context(s);
  value result, init;
  const void *from = NULL;

  if (s->find_index)
    return find_index(s, context, &in);
  if (s->init != NULL) {
    init = parse_argument(in.type, s->init, "--init");
    from = &init;
  }
  double start = seconds_now();
  for (size_t done = 0, n; done == 0 || done < in.n; done += n) {
    n = next_chunk(in.type, in.n - done);
    must(iw_reduce(context, s->op, in.type, element_at(in.type, in.data, done), n, from, &result));
    init = result;
    from = &init;
    progress("reducing", done + n, in.n);
    if (in.n == 0)
      break;
  }
  print_stats(s, in.n, in.type, seconds_now() - start);
  progress_end();
  write_array(s, in.type, &result, 1);
  free(in.owned);
  iw_context_close(context);
  return STATUS_GOOD;
}
