/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp histogram --grow: bins of one width, as many as the samples need, which are counted while they are
 * read. */
#include "commands.h"

#include <isowarp.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_BINS = 1 << 20 }; /* without --bins */

static iw_growing_histogram *make_histogram(const settings *s, iw_type type)
{
  const value origin = { .u64 = 0 }, width = parse_argument(type, s->grow, "--grow");
  const double number = number_value(type, &width);
  iw_growing_histogram *h;
  if (!isfinite(number) || !(number > 0))
    fail("--grow: '%s' is not a finite width above 0", s->grow);
  must(iw_growing_histogram_make(type, &origin, &width, s->has_bins ? s->bins : MOST_BINS,
                                 s->has_bins ? IW_GROW_RANGE : IW_GROW_BINS, &h));
  return h;
}

/* Counts all batches; returns the number of samples. */
static size_t count_batches(const settings *s, iw_context *context, stream *in, iw_growing_histogram *h)
{
  const iw_type type = stream_type(in);
  size_t n = 0;
  double seconds = 0;
  array batch;
  while (stream_next(in, &batch)) {
    const double start = seconds_now();
    must(iw_growing_histogram_add(context, h, batch.data, batch.n));
    seconds += seconds_now() - start;
    n += batch.n;
    free(batch.owned);
    progress("counting", "elements", n, 0);
  }
  free(batch.owned);
  progress_end();
  print_stats(s, n, type, seconds);
  return n;
}

/* Whether the last edge is beyond the values of an integer type: the greatest one, which stands for it, is
 * in the last bin. */
static int is_beyond(const iw_growing_histogram_info *info, double width, const void *edges)
{
  const double end = (double)info->first + ldexp((double)info->bins, (int)info->level);
  return !is_float(info->type) && end * width > number_value(info->type, element_at(info->type, edges, info->bins));
}

int run_histogram_growing(const settings *s)
{
  stream *const in = stream_open(input_file(s), &s->input);
  iw_context *const context = open_context(s);
  const iw_type type = stream_type(in);
  iw_growing_histogram *const h = make_histogram(s, type);
  const array samples = { .type = type, .n = count_batches(s, context, in, h) };
  iw_growing_histogram_info info = { .size = sizeof info };
  must(iw_growing_histogram_get_info(h, &info));
  uint64_t *const counts = need(info.bins, sizeof *counts);
  value *const edges = need(info.bins + 1, sizeof *edges);
  *edges = (value){ .u64 = 0 }; /* of no bins there is no edge */
  must(iw_growing_histogram_read(h, info.bins > 0 ? edges : NULL, counts));
  const value width = parse_argument(type, s->grow, "--grow");
  const int is_closed = info.bins > 0 && is_beyond(&info, number_value(type, &width), edges);
  const bins b = { .is_closed = is_closed,
                   .spec = { .size = sizeof b.spec,
                             .kind = IW_HISTOGRAM_EDGES,
                             .bins = info.bins,
                             .edges = edges,
                             .flags = is_closed ? IW_HIST_CLOSED_TOP : 0 } };
  const iw_histogram_report report = { .size = sizeof report, .underflow = info.below, .overflow = info.above,
                                       .nan = info.nan };
  write_histogram(s, &b, &samples, counts, info.bins, &report);
  iw_growing_histogram_free(h);
  stream_close(in);
  free(counts);
  free(edges);
  close_context();
  return STATUS_GOOD;
}
