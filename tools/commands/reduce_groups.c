/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp reduce with --columns, --group-by or --csv: a result for each column and group. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a result for each group of a column to `results`; absent[k]: group k has none. */
static void reduce_column(const settings *s, iw_context *context, const groups *g, const grouped_column *c,
                          iw_type type, void *results, char *absent)
{
  const iw_segments segments = group_segments(g, c);
  value init;
  memset(absent, 0, g->count);
  if (!s->find_index) {
    if (s->init != NULL)
      init = parse_argument(type, s->init, "--init");
    must(iw_reduce(context, s->op, type, elements(&c->elements, type, 0, c->elements.n), c->elements.n, results,
                   IW_OPTIONS(iw_scan_options, .init = s->init ? &init : NULL, .segments = &segments)));
    return;
  }
  size_t *const indices = need(g->count, sizeof *indices);
  must((s->op == IW_MIN ? iw_argmin : iw_argmax)(context, c->elements.type, c->elements.data, c->elements.n, indices,
                                                 NULL, IW_OPTIONS(iw_scan_options, .segments = &segments)));
  for (size_t k = 0; k < g->count; k++) {
    const uint64_t first = c->offsets[k];
    absent[k] = first == c->offsets[k + 1];
    ((uint64_t *)results)[k] = absent[k] ? 0 : c->places ? c->places[first + indices[k]] : indices[k];
  }
  free(indices);
}

/* Lists the keys of groups and a result of each column; returns the number of columns of the table. */
static size_t by_group_and_column(const settings *s, const groups *g, iw_type type, const char *results,
                                  const char *absent, result_column *table)
{
  table[0] = key_column(g);
  for (size_t i = 0; i < g->column_count; i++) {
    const char *const name = g->columns[i].name;
    result_column *const c = &table[i + 1];
    *c = (result_column){ .type = type, .data = results + i * g->count * iw_type_size(type),
                          .absent = absent + i * g->count };
    snprintf(c->name, sizeof c->name, *name != '\0' ? "%s(%.200s)" : "%s", s->op_name, name);
  }
  return g->column_count + 1;
}

/* Lists the columns, if they have names, and a result of each. */
static size_t by_column(const settings *s, const char *const *names, iw_type type, const char *results,
                        const char *absent, result_column *table)
{
  size_t n = 0;
  if (*names[0] != '\0')
    table[n++] = (result_column){ .name = "column", .texts = names };
  table[n] = (result_column){ .type = type, .data = results, .absent = absent };
  snprintf(table[n++].name, sizeof table->name, "%s", s->op_name);
  return n;
}

/* Prints the results of all columns, of which each has g->count. */
static void put_reductions(const settings *s, const groups *g, iw_type type, const char *results,
                           const char *absent)
{
  const int by_group = g->key_name != NULL;
  const size_t rows = by_group ? g->count : g->column_count;
  result_column *const table = need(g->column_count + 2, sizeof *table);
  const char **const names = need(g->column_count, sizeof *names);
  for (size_t i = 0; i < g->column_count; i++)
    names[i] = g->columns[i].name;
  const size_t columns = by_group ? by_group_and_column(s, g, type, results, absent, table)
                                  : by_column(s, names, type, results, absent, table);
  tell_columns_apart(table, columns);
  if (s->json) {
    printf("{\"operation\": \"reduce\", \"op\": \"%s\", \"type\": \"%s\", \"%s\": ", s->op_name,
           iw_type_name(type), by_group ? "groups" : "columns");
    json_table(table, columns, rows);
    puts("}");
  } else
    (s->csv ? csv_table : text_table)(table, columns, rows);
  finish_output();
  free(names);
  free(table);
}

int run_reduce_groups(const settings *s)
{
  iw_context *const context = open_context(s);
  groups g = read_groups(s, context);
  const iw_type in_type = g.columns[0].elements.type;
  const iw_type type = s->find_index ? IW_U64 : result_type(s, in_type);
  char *const results = need(g.count * g.column_count, iw_type_size(type));
  char *const absent = need(g.count * g.column_count, 1);
  size_t n = 0;
  check_op(s, in_type);
  const double start = seconds_now();
  for (size_t i = 0; i < g.column_count; i++) {
    reduce_column(s, context, &g, &g.columns[i], type, results + i * g.count * iw_type_size(type),
                  absent + i * g.count);
    n += g.columns[i].elements.n;
  }
  print_stats(s, n, in_type, seconds_now() - start);
  if (s->output != NULL)
    write_array(s, type, results, g.count);
  else
    put_reductions(s, &g, type, results, absent);
  free(results);
  free(absent);
  free_groups(&g);
  close_context();
  return STATUS_GOOD;
}
