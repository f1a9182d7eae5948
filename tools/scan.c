/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp scan, isowarp reduce. Long inputs go in chunks of whole groups of order 1, each starting from the last one's
 * result, which gives the bits of one call and lets progress be shown. */
#include "tool.h"

#include <stdlib.h>

enum { CHUNK = 1 << 25 }; /* a multiple of order 1's group, 2^17: doc/order1.md */

int run_scan(const settings *s)
{
  array in = read_array(the_file(s), &s->input);
  iw_context *context = open_context(s);
  size_t size = iw_type_size(in.type);
  char *out = need(in.n, size);
  value init;
  const void *from = NULL;

  if (s->init != NULL) {
    init = parse_argument(in.type, s->init, "--init");
    from = &init;
  }
  double start = seconds_now();
  for (size_t done = 0, n; done == 0 || done < in.n; done += n) {
    const char *x = element_at(in.type, in.data, done);
    char *y = out + done * size;
    n = in.n - done < CHUNK ? in.n - done : CHUNK;
    if (s->exclusive) {
      int more = done + n < in.n; /* one element more has the next chunk's start as its output */
      must(iw_exclusive_scan_any(context, s->op, in.type, x, y, n + (size_t)more, from));
      from = y + n * size;
    } else {
      must(iw_inclusive_scan_any(context, s->op, in.type, x, y, n, from));
      from = y + (n - 1) * size;
    }
    progress("scanning", done + n, in.n);
    if (in.n == 0)
      break;
  }
  print_stats(s, in.n, in.type, seconds_now() - start);
  progress_end();
  write_array(s, in.type, out, in.n);
  free(out);
  free(in.owned);
  iw_context_close(context);
  return STATUS_GOOD;
}

int run_reduce(const settings *s)
{
  array in = read_array(the_file(s), &s->input);
  iw_context *context = open_context(s);
  value result, init;
  const void *from = NULL;

  if (s->init != NULL) {
    init = parse_argument(in.type, s->init, "--init");
    from = &init;
  }
  double start = seconds_now();
  for (size_t done = 0, n; done == 0 || done < in.n; done += n) {
    n = in.n - done < CHUNK ? in.n - done : CHUNK;
    must(iw_reduce_any(context, s->op, in.type, element_at(in.type, in.data, done), n, from, &result));
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
