/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp histogram --y: counts of pairs of samples, as a table, CSV, JSON, .npy or a picture. */
#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct axis_input {
  array samples;
  bins bins;
  iw_histogram_plan *plan;
  void *edges;
} axis_input;

static void read_axis(axis_input *axis, const settings *s, iw_context *context)
{
  const iw_type type = axis->samples.type;
  name_axis(s->axis);
  read_bins(&axis->bins, s, context, &axis->samples);
  const iw_histogram_spec *const spec = &axis->bins.spec;
  axis->edges = need(spec->bins + 1, iw_type_size(type));
  must(iw_histogram_edges(spec, axis->edges));
  must(iw_histogram_plan_make(context, spec, axis->samples.data, axis->samples.n, &axis->plan));
  name_axis(NULL);
}

static void free_axis(axis_input *axis)
{
  iw_histogram_plan_free(axis->plan);
  free(axis->edges);
  free(axis->bins.edges.owned);
  free(axis->samples.owned);
}

static uint64_t in_no_bin(const histogram_2d *t)
{
  uint64_t in_bins = 0;
  for (size_t i = 0; i < t->x_bins * t->y_bins; i++)
    in_bins += t->counts[i];
  return t->samples - in_bins;
}

/* The names of the bins of y are the head of the columns, those of x the head of the rows. */
static void print_table(const axis_input *x, const axis_input *y, const histogram_2d *t)
{
  const int x_digits = edge_digits(t->x_type, t->x_edges, t->x_bins + 1);
  const int y_digits = edge_digits(t->y_type, t->y_edges, t->y_bins + 1);
  char label[LABEL_CHARS];
  int *const width = need(t->y_bins + 1, sizeof *width);
  width[t->y_bins] = 3;
  for (size_t i = 0; i < t->x_bins; i++) {
    make_label(&x->bins, t->x_type, t->x_edges, x_digits, i, label);
    width[t->y_bins] = (int)strlen(label) > width[t->y_bins] ? (int)strlen(label) : width[t->y_bins];
  }
  printf("%-*s", width[t->y_bins], "x\\y");
  for (size_t k = 0; k < t->y_bins; k++) {
    make_label(&y->bins, t->y_type, t->y_edges, y_digits, k, label);
    width[k] = (int)strlen(label);
    for (size_t i = 0; i < t->x_bins; i++) {
      const int length = snprintf(NULL, 0, "%" PRIu64, t->counts[i * t->y_bins + k]);
      width[k] = length > width[k] ? length : width[k];
    }
    printf("  %*s", width[k], label);
  }
  for (size_t i = 0; i < t->x_bins; i++) {
    make_label(&x->bins, t->x_type, t->x_edges, x_digits, i, label);
    printf("\n%-*s", width[t->y_bins], label);
    for (size_t k = 0; k < t->y_bins; k++)
      printf("  %*" PRIu64, width[k], t->counts[i * t->y_bins + k]);
  }
  printf("\nsamples: %zu\nin no bin: %" PRIu64 "\n", t->samples, in_no_bin(t));
  finish_output();
  free(width);
}

static void write_counts(const settings *s, const axis_input *x, const axis_input *y, const histogram_2d *t)
{
  if (s->plot != NULL)
    plot_histogram_2d(s->plot, t);
  if (s->json)
    json_histogram_2d(t);
  else if (s->csv)
    csv_histogram_2d(t);
  else if (s->output != NULL)
    write_array(s, IW_U64, t->counts, t->x_bins * t->y_bins);
  else
    print_table(x, y, t);
  if ((s->csv || s->output != NULL) && in_no_bin(t) > 0)
    note("%" PRIu64 " of %zu samples are in no bin", in_no_bin(t), t->samples);
}

int run_histogram_2d(const settings *s)
{
  beside beside = { .option = "--y", .name = s->y, .same_type = 1 };
  axis_input x = { .samples = read_with(s, &beside, 1) }, y = { .samples = beside.values };
  settings of_y = *s;
  of_y.has_bins = s->has_y_bins || s->has_bins;
  of_y.bins = s->has_y_bins ? s->y_bins : s->bins;
  of_y.range = s->y_range;
  of_y.edges = s->y_edges;
  of_y.log = s->y_log;
  of_y.power = s->y_power;
  of_y.axis = "y-";
  if (s->y_edges != NULL && !s->has_y_bins)
    of_y.has_bins = 0; /* --bins is for x alone */

  iw_context *const context = open_context(s);
  read_axis(&x, s, context);
  read_axis(&y, &of_y, context);
  histogram_2d t = {
    .samples = x.samples.n, .x_type = x.samples.type, .y_type = y.samples.type, .x_bins = x.bins.spec.bins,
    .y_bins = y.bins.spec.bins, .x_edges = x.edges, .y_edges = y.edges, .x_is_closed = x.bins.is_closed,
    .y_is_closed = y.bins.is_closed, .x_is_log = s->log, .y_is_log = s->y_log,
  };
  if (t.x_bins * t.y_bins > INT32_MAX - 3) /* each has fewer than 2^31 */
    fail("%zu x %zu bins are more than %d", t.x_bins, t.y_bins, INT32_MAX - 3);
  uint64_t *const counts = need(t.x_bins * t.y_bins, sizeof *counts);
  const iw_histogram_spec specs[] = { iw_spec_of_plan(x.plan), iw_spec_of_plan(y.plan) };
  const iw_histogram_axis axes[] = {
    { sizeof *axes, &specs[0], x.samples.data }, { sizeof *axes, &specs[1], y.samples.data },
  };
  const double start = seconds_now();
  must(iw_histogram_nd(context, axes, 2, t.samples, counts, NULL));
  print_stats(s, t.samples, t.x_type, seconds_now() - start);
  t.counts = counts;
  write_counts(s, &x, &y, &t);
  free(counts);
  free_axis(&x);
  free_axis(&y);
  close_context();
  return STATUS_GOOD;
}
