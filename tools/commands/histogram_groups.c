/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp histogram --group-by: the counts of each group, or sums of its weights, in the same bins. */
#include "commands.h"

#include <isowarp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The group of each element, as the samples of an axis. */
static uint32_t *group_samples(const groups *g, const grouped_column *c)
{
  uint32_t *const samples = need(c->elements.n, sizeof *samples);
  for (size_t k = 0; k < g->count; k++)
    for (uint64_t i = c->offsets[k]; i < c->offsets[k + 1]; i++)
      samples[i] = (uint32_t)k;
  return samples;
}

/* The results of all groups, of which each has t->bins: counts, or sums of weights. */
static iw_type cell_type(const histogram_table *t)
{
  return t->sums != NULL ? t->sum_type : IW_U64;
}

static const void *cell(const histogram_table *t, size_t group, size_t bin)
{
  return element_at(cell_type(t), t->sums != NULL ? t->sums : t->counts, group * t->bins + bin);
}

/* The weights of the elements, in their groups. */
static array group_weights(const groups *g)
{
  const grouped_column *const c = &g->columns[0];
  const array read = g->weights;
  const size_t size = iw_type_size(read.type);
  char *const moved = need(read.n, size);
  for (size_t i = 0; i < read.n; i++)
    memcpy(moved + i * size, element_at(read.type, read.data, c->places[i]), size);
  free(read.owned);
  return (array){ .type = read.type, .n = read.n, .data = moved, .owned = moved };
}

/* Counts each group in the same bins, or sums its weights: pairs of a group and a sample. */
static void count_groups(iw_context *context, const groups *g, const bins *b, const array *weights, void *cells)
{
  const grouped_column *const c = &g->columns[0];
  uint32_t *const samples = group_samples(g, c);
  const uint32_t lo = 0, hi = (uint32_t)g->count;
  const iw_histogram_spec by_group = { .size = sizeof by_group, .type = IW_U32, .bins = g->count, .lo = &lo, .hi = &hi };
  const iw_histogram_axis axes[] = {
    { sizeof *axes, &by_group, samples }, { sizeof *axes, &b->spec, c->elements.data },
  };
  iw_histogram_options options = { .size = sizeof options };
  if (weights != NULL) {
    options.weight_type = weights->type;
    options.weights = weights->data;
  }
  must(iw_histogram_nd(context, axes, 2, c->elements.n, cells, &options));
  free(samples);
}

/* A row of text for each group; a column has the name of its bin. */
static void print_groups(const groups *g, const bins *b, const histogram_table *t)
{
  const int digits = edge_digits(t->type, t->edges, t->bins + 1);
  result_column *const table = need(t->bins + 1, sizeof *table);
  const iw_type type = cell_type(t);
  const size_t size = iw_type_size(type);
  char *const columns = need(g->count * t->bins, size);
  table[0] = key_column(g);
  for (size_t k = 0; k < t->bins; k++) {
    char *const column = columns + k * g->count * size;
    for (size_t i = 0; i < g->count; i++)
      memcpy(column + i * size, cell(t, i, k), size);
    table[k + 1] = (result_column){ .type = type, .data = column };
    make_label(b, t->type, t->edges, digits, k, table[k + 1].name);
  }
  text_table(table, t->bins + 1, g->count);
  free(columns);
  free(table);
}

/* A row of CSV for each group and bin. */
static void csv_groups(const groups *g, const histogram_table *t)
{
  const result_column keys = key_column(g);
  result_column names[] = { keys, { .name = "lo" }, { .name = "hi" }, { .name = "count" } };
  if (t->sums != NULL)
    strcpy(names[3].name, "sum");
  tell_columns_apart(names, sizeof names / sizeof *names);
  csv_table(names, sizeof names / sizeof *names, 0);
  for (size_t i = 0; i < g->count; i++)
    for (size_t k = 0; k < t->bins; k++) {
      put_result(&keys, i, put_csv_text);
      for (size_t end = 0; end < 2; end++) {
        putchar(',');
        put_number(t->type, element_at(t->type, t->edges, k + end), 0);
      }
      putchar(',');
      put_number(cell_type(t), cell(t, i, k), 0);
      putchar('\n');
    }
}

static void json_groups(const groups *g, const histogram_table *t)
{
  const result_column keys = key_column(g);
  printf("{\"operation\": \"histogram\", \"samples\": %zu, \"type\": \"%s\", ", t->samples,
         iw_type_name(t->type));
  put_edges(t);
  printf(", \"groups\": [");
  for (size_t i = 0; i < g->count; i++) {
    printf("%s{\"key\": ", i ? ", " : "");
    put_result(&keys, i, put_json_text);
    fputs(", ", stdout);
    put_list(t->sums != NULL ? "sums" : "counts", cell_type(t), cell(t, i, 0), t->bins);
    putchar('}');
  }
  printf("], ");
  put_outside(t);
}

/* Bars side by side: one of each group in each bin, which has the name of its lower edge. */
static void plot_groups(const char *path, const groups *g, const histogram_table *t)
{
  enum { MOST_GROUPS = 6, MOST_NAMES = 12, CHARS = 64 }; /* that a picture has colours and room for */
  if (g->count > MOST_GROUPS)
    fail("--plot: %zu groups cannot be told apart in a picture; at most %d can", g->count, MOST_GROUPS);
  const size_t step = (t->bins + MOST_NAMES - 1) / MOST_NAMES;
  const result_column keys = key_column(g);
  double *const values = need(g->count * t->bins, sizeof *values);
  const char **const names = need(t->bins + g->count, sizeof *names);
  char (*const texts)[CHARS] = need(t->bins + g->count, CHARS), title[2 * CHARS];
  for (size_t k = 0; k < t->bins; k++) {
    const int length = format_rounded(t->type, element_at(t->type, t->edges, k), 6, texts[k]);
    texts[k][k % step ? 0 : length] = '\0';
    names[k] = texts[k];
    for (size_t i = 0; i < g->count; i++)
      values[k * g->count + i] = number_value(cell_type(t), cell(t, i, k));
  }
  for (size_t i = 0; i < g->count; i++) {
    char *const text = texts[t->bins + i];
    if (keys.texts != NULL)
      snprintf(text, CHARS, "%.12s", keys.texts[i]);
    else
      text[format_value(keys.type, element_at(keys.type, keys.data, i), text)] = '\0';
    names[t->bins + i] = text;
  }
  snprintf(title, sizeof title, "%zu samples by %.80s", t->samples, g->key_name);
  plot_bars(path, &(bar_chart){ title, t->sums != NULL ? "sum of weights" : "samples", t->bins, g->count, names,
                                names + t->bins, values });
  free(values);
  free(names);
  free(texts);
}

int run_histogram_groups(const settings *s)
{
  iw_context *const context = open_context(s);
  groups g = read_groups(s, context);
  const array *const in = &g.columns[0].elements;
  array weights = { .type = IW_F64 };
  if (s->weights != NULL)
    weights = group_weights(&g);
  bins b;
  read_bins(&b, s, context, in);
  const size_t bins = b.spec.bins, most = (size_t)INT32_MAX - 3;
  if (g.count > 0 && bins > most / g.count)
    fail("--group-by: %zu groups x %zu bins are more than %zu", g.count, bins, most);
  void *const edges = need(bins + 1, iw_type_size(in->type));
  must(iw_histogram_edges(&b.spec, edges));
  histogram_table t = { .type = in->type, .samples = in->n, .bins = bins, .edges = edges, .is_closed = b.is_closed };
  void *const cells = need(g.count * bins, sizeof(uint64_t));
  if (s->weights != NULL) {
    t.sums = cells;
    t.sum_type = weight_sum_type(weights.type);
  } else
    t.counts = cells;
  const double start = seconds_now();
  if (g.count > 0)
    count_groups(context, &g, &b, s->weights != NULL ? &weights : NULL, cells);
  print_stats(s, in->n, in->type, seconds_now() - start);
  count_outside(context, &b, in, &t);
  if (s->plot != NULL)
    plot_groups(s->plot, &g, &t);
  if (s->output != NULL)
    write_array(s, cell_type(&t), cells, g.count * bins);
  else if (s->json || s->csv)
    (s->json ? json_groups : csv_groups)(&g, &t);
  else
    print_groups(&g, &b, &t);
  if (!s->json)
    note_dropped(&t, b.spec.policy);
  finish_output();
  free(edges);
  free(cells);
  free(weights.owned);
  free(b.edges.owned);
  free_groups(&g);
  close_context();
  return STATUS_GOOD;
}
