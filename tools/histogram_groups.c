/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp histogram --group-by: the counts of each group, in the same bins. */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>

/* The group of each element, as the samples of an axis. */
static uint32_t *group_samples(const groups *g, const grouped_column *c)
{
  uint32_t *const samples = need(c->elements.n, sizeof *samples);
  for (size_t k = 0; k < g->count; k++)
    for (uint64_t i = c->offsets[k]; i < c->offsets[k + 1]; i++)
      samples[i] = (uint32_t)k;
  return samples;
}

/* Counts each group in the same bins: pairs of a group and a sample. */
static void count_groups(iw_context *context, const groups *g, const bins *b, uint64_t *counts)
{
  const grouped_column *const c = &g->columns[0];
  uint32_t *const samples = group_samples(g, c);
  const uint32_t lo = 0, hi = (uint32_t)g->count;
  const iw_histogram_spec by_group = { .size = sizeof by_group, .bins = g->count, .lo = &lo, .hi = &hi };
  iw_histogram_plan *plans[2];
  must(iw_histogram_plan_make(context, IW_U32, &by_group, NULL, 0, &plans[0]));
  must(iw_histogram_plan_make(context, c->elements.type, &b->spec, c->elements.data, c->elements.n,
                              &plans[1]));
  const iw_histogram_axis group_axis = { sizeof group_axis, plans[0], IW_U32, samples };
  const iw_histogram_axis axis = { sizeof axis, plans[1], c->elements.type, c->elements.data };
  must(iw_histogram_pairs(context, &group_axis, &axis, c->elements.n, counts));
  iw_histogram_plan_free(plans[0]);
  iw_histogram_plan_free(plans[1]);
  free(samples);
}

/* A row of text for each group; a column has the lower edge of its bin as its name. */
static void print_group_counts(const groups *g, const histogram_table *t)
{
  result_column *const table = need(t->bins + 1, sizeof *table);
  uint64_t *const counts = need(g->count * t->bins, sizeof *counts);
  table[0] = key_column(g);
  for (size_t k = 0; k < t->bins; k++) {
    char text[NUMBER_CHARS];
    const int length = format_value(t->type, element_at(t->type, t->edges, k), text);
    for (size_t i = 0; i < g->count; i++)
      counts[k * g->count + i] = t->counts[i * t->bins + k];
    table[k + 1] = (result_column){ .type = IW_U64, .data = counts + k * g->count };
    snprintf(table[k + 1].name, sizeof table[k + 1].name, "%.*s", length, text);
  }
  text_table(table, t->bins + 1, g->count);
  free(counts);
  free(table);
}

/* A row of CSV for each group and bin. */
static void csv_group_counts(const groups *g, const histogram_table *t)
{
  const result_column keys = key_column(g);
  put_csv_text(keys.name);
  puts(",lo,hi,count");
  for (size_t i = 0; i < g->count; i++)
    for (size_t k = 0; k < t->bins; k++) {
      put_result(&keys, i, put_csv_text);
      for (size_t end = 0; end < 2; end++) {
        putchar(',');
        put_number(t->type, element_at(t->type, t->edges, k + end), 0);
      }
      printf(",%llu\n", (unsigned long long)t->counts[i * t->bins + k]);
    }
}

static void json_group_counts(const groups *g, const histogram_table *t)
{
  const result_column keys = key_column(g);
  printf("{\"operation\": \"histogram\", \"samples\": %zu, \"type\": \"%s\", ", t->samples,
         iw_type_name(t->type));
  put_list("edges", t->type, t->edges, t->bins + 1);
  printf(", \"groups\": [");
  for (size_t i = 0; i < g->count; i++) {
    printf("%s{\"key\": ", i ? ", " : "");
    put_result(&keys, i, put_json_text);
    fputs(", ", stdout);
    put_list("counts", IW_U64, t->counts + i * t->bins, t->bins);
    putchar('}');
  }
  puts("]}");
}

int run_histogram_groups(const settings *s)
{
  iw_context *const context = open_context(s);
  groups g = read_groups(s, context);
  const array *const in = &g.columns[0].elements;
  bins b;
  read_bins(&b, s, context, in);
  const size_t bins = b.spec.bins, most = (size_t)INT32_MAX - 3;
  if (g.count > 0 && bins > most / g.count)
    fail("--group-by: %zu groups x %zu bins are more than %zu", g.count, bins, most);
  void *const edges = need(bins + 1, iw_type_size(in->type));
  must(iw_histogram_edges(in->type, &b.spec, edges));
  uint64_t *const counts = need(g.count * bins, sizeof *counts);
  const double start = seconds_now();
  if (g.count > 0)
    count_groups(context, &g, &b, counts);
  print_stats(s, in->n, in->type, seconds_now() - start);
  const histogram_table t = {
    .type = in->type, .samples = in->n, .bins = bins, .edges = edges, .counts = counts
  };
  if (s->output != NULL)
    write_array(s, IW_U64, counts, g.count * bins);
  else
    (s->json ? json_group_counts : s->csv ? csv_group_counts : print_group_counts)(&g, &t);
  finish_output();
  free(edges);
  free(counts);
  free(b.edges.owned);
  free_groups(&g);
  close_context();
  return STATUS_GOOD;
}
