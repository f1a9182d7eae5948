/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp describe: number, sum, mean, variance, smallest and largest element, and quantiles, of all
 * elements or of each column and group. NaNs are counted and left out.
 *
 * The results have the same bits on every machine: those of statistics.h. With --mpi each rank has a part
 * of the sorted elements. */
#include "statistics.h"

#include <isowarp/peers.h>
#include <isowarp.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct description {
  size_t n, nan; /* without and with NaN */
  value least, greatest;
  statistics statistics;
  const void *sorted; /* the elements that this rank has: `held` from element `begin` on, of all in order */
  size_t begin, held;
} description;

/* Element k in order. With --mpi all ranks call this, and one of them has it. */
static value element_of(iw_type type, const description *d, size_t k)
{
  value v = { .u64 = 0 };
  if (k >= d->begin && k - d->begin < d->held)
    memcpy(&v, element_at(type, d->sorted, k - d->begin), iw_type_size(type));
  ranks_sum(&v.u64, 1);
  return v;
}

/* Quantile q of sorted elements, between the two nearest ones by linear interpolation (type 7 of Hyndman and
 * Fan 1996). */
static number_text quantile(iw_context *context, iw_type type, const description *d, double q)
{
  const size_t n = d->n;
  if (n == 0)
    return (number_text){ "nan" };
  const double at = q * (double)(n - 1), whole = floor(at);
  const size_t k = (size_t)whole < n - 1 ? (size_t)whole : n - 1;
  const value low = element_of(type, d, k), high = element_of(type, d, k + 1 < n ? k + 1 : k);
  return interpolate(context, type, &low, &high, at - whole);
}

/* sorted: the n elements of this rank, from element `begin` on, in which NaNs are last. */
static description describe(iw_context *context, iw_type type, const void *sorted, size_t n, size_t begin)
{
  description d = { .sorted = sorted, .begin = begin, .held = n };
  while (d.held > 0 && isnan(number_value(type, element_at(type, sorted, d.held - 1))))
    d.held--;
  uint64_t counts[2] = { d.held, n - d.held };
  ranks_sum(counts, 2);
  d.n = (size_t)counts[0];
  d.nan = (size_t)counts[1];
  if (d.n > 0) {
    d.least = element_of(type, &d, 0);
    d.greatest = element_of(type, &d, d.n - 1);
  }
  d.statistics = find_statistics(context, type, sorted, d.held, d.n, &d.least, &d.greatest);
  return d;
}

/* --quantiles: numbers from 0 to 1. */
static size_t read_quantiles(const settings *s, double **list)
{
  const char *const text = s->quantiles ? s->quantiles : "0.25,0.5,0.75";
  size_t capacity = 1, n = 0;
  for (const char *c = text; *c; c++)
    capacity += *c == ',';
  *list = need(capacity, sizeof **list);
  char *const copy = strcpy(need(strlen(text) + 1, 1), text), *rest = copy, *token;
  while ((token = strsep(&rest, ",")) != NULL) {
    const double q = parse_argument(IW_F64, token, "--quantiles").f64;
    if (!(q >= 0 && q <= 1))
      fail("--quantiles: '%s' is not from 0 to 1", token);
    size_t i = 0;
    while (i < n && (*list)[i] != q) /* each is listed once, as JSON names its members by them */
      i++;
    (*list)[i] = q;
    n += i == n;
  }
  free(copy);
  return n;
}

/* Digits that people are shown of elements and numbers between them: one or two more than every decimal
 * number of the type keeps, but of f64 as many. */
static int shown_digits(iw_type type)
{
  return is_half(type) ? half_format_of(type).digits : type == IW_F32 ? 7 : 15;
}

/* One line of text, or one member of the JSON object. */
static void put_entry(int json, const char *name, const number_text *number, int digits)
{
  printf(json ? "\"%s\": " : "%-10s ", name);
  put_number_text(json ? number->s : shown_text(number, digits).s, json);
  if (!json)
    putchar('\n');
}

static void put_count(int json, const char *name, uint64_t count)
{
  const number_text text = element_text(IW_U64, &count);
  put_entry(json, name, &text, 0);
}

static void put_description(int json, iw_context *context, iw_type type, const description *d,
                            const double *quantiles, size_t count)
{
  const char *const comma = json ? ", " : "";
  const statistics *const found = &d->statistics;
  const number_text least = element_text(type, &d->least), greatest = element_text(type, &d->greatest);
  const struct { const char *name; const number_text *number; int digits; } rows[] = {
    { "sum", &found->sum, 15 }, { "mean", &found->mean, 15 }, { "variance", &found->variance, 15 },
    { "deviation", &found->deviation, 15 },
    { "min", &least, shown_digits(type) }, { "max", &greatest, shown_digits(type) }, /* of elements */
  };
  const size_t all = sizeof rows / sizeof *rows;
  if (json)
    printf("{\"operation\": \"describe\", \"type\": \"%s\", ", iw_type_name(type));
  put_count(json, "count", d->n);
  fputs(comma, stdout);
  put_count(json, "nan", d->nan);
  for (size_t i = 0; i < (d->n > 0 ? all : all - 2); i++) {
    fputs(comma, stdout);
    put_entry(json, rows[i].name, rows[i].number, rows[i].digits);
  }
  if (json)
    fputs(d->n > 0 ? ", \"quantiles\": {" : ", \"min\": null, \"max\": null, \"quantiles\": {", stdout);
  for (size_t i = 0; i < count; i++) {
    char name[NUMBER_CHARS + 2];
    const int length = format_value(IW_F64, &quantiles[i], name + !json);
    if (!json)
      name[0] = 'q';
    name[length + !json] = '\0';
    fputs(i > 0 ? comma : "", stdout);
    const number_text number = quantile(context, type, d, quantiles[i]);
    put_entry(json, name, &number, shown_digits(type));
  }
  fputs(json ? "}}\n" : "", stdout);
  finish_output();
}

static int describe_file(const settings *s, const double *quantiles, size_t count)
{
  const array in = read_array(input_file(s), &s->input);
  size_t begin, end;
  ranks_range(in.n, &begin, &end);
  const size_t n = end - begin;
  void *const sorted = need(n, iw_type_size(in.type));
  const void *const own = element_at(in.type, in.data, begin);
  iw_context *const context = open_context(s);
  const double start = seconds_now();
  must(ranks_are_open() ? iw_distributed_sort(ranks_handle(), in.type, own, n, sorted, NULL)
                        : iw_sort(context, in.type, own, n, sorted, NULL));
  const description d = describe(context, in.type, sorted, n, begin);
  print_stats(s, in.n, in.type, seconds_now() - start);
  put_description(s->json, context, in.type, &d, quantiles, count);
  free(sorted);
  free(in.owned);
  close_context();
  return STATUS_GOOD;
}

/* ---- Columns and groups ---- */

enum { COUNTS = 2, FIXED = 8 }; /* counts, and all results in front of the quantiles */

/* The results of all columns and groups: result k of row r is numbers[k * rows + r]. */
typedef struct descriptions {
  iw_type type;
  size_t rows;
  const char **columns, **keys; /* by row: the column's name; the group's, if keys are texts */
  uint64_t *counts;     /* of elements, of NaNs */
  number_text *numbers; /* sum, mean, variance, deviation, min, max, and the quantiles */
  char *absent;         /* whether there are no elements, and so no min and max */
} descriptions;

static descriptions make_descriptions(iw_type type, size_t rows, size_t quantiles)
{
  return (descriptions){
    .type = type, .rows = rows, .columns = need(rows, sizeof(char *)), .keys = need(rows, sizeof(char *)),
    .counts = need(2 * rows, sizeof(uint64_t)),
    .numbers = need((FIXED - COUNTS + quantiles) * rows, sizeof(number_text)), .absent = need(rows, 1),
  };
}

static void set_row(iw_context *context, descriptions *all, size_t row, const description *d,
                    const double *quantiles, size_t count)
{
  const statistics *const found = &d->statistics;
  const number_text fixed[FIXED - COUNTS] = { found->sum, found->mean, found->variance, found->deviation,
                                              element_text(all->type, &d->least),
                                              element_text(all->type, &d->greatest) };
  all->counts[row] = d->n;
  all->counts[all->rows + row] = d->nan;
  all->absent[row] = d->n == 0;
  for (size_t k = 0; k < FIXED - COUNTS; k++)
    all->numbers[k * all->rows + row] = fixed[k];
  for (size_t k = 0; k < count; k++)
    all->numbers[(FIXED - COUNTS + k) * all->rows + row] = quantile(context, all->type, d, quantiles[k]);
}

/* Sorts each group of a column and describes it. */
static void describe_column(const settings *s, descriptions *all, iw_context *context, const groups *g,
                            size_t column, const double *quantiles, size_t count)
{
  const grouped_column *const c = &g->columns[column];
  const size_t n = c->elements.n;
  const iw_segments segments = group_segments(g, c);
  void *const sorted = need(n, iw_type_size(all->type));
  const iw_sort_options options = { .size = sizeof options, .segments = s->group_by != NULL ? &segments : NULL };
  must(iw_sort(context, all->type, c->elements.data, n, sorted, &options));
  for (size_t k = 0; k < g->count; k++) {
    const size_t row = column * g->count + k, first = c->offsets[k], end = c->offsets[k + 1];
    const description d = describe(context, all->type, element_at(all->type, sorted, first), end - first, 0);
    all->columns[row] = c->name;
    all->keys[row] = g->texts ? g->texts[k] : NULL;
    set_row(context, all, row, &d, quantiles, count);
  }
  free(sorted);
}

/* The columns of the table: the column's name if there are several, the key if there are groups, and
 * results. */
static size_t list_results(const descriptions *all, const groups *g, const double *quantiles, size_t count,
                           result_column *table)
{
  static const char *const names[] = { "count", "nan", "sum", "mean", "variance", "deviation", "min", "max" };
  const size_t rows = all->rows;
  size_t n = 0;
  if (g->column_count > 1 || (g->key_name == NULL && *g->columns[0].name != '\0'))
    table[n++] = (result_column){ .name = "column", .texts = all->columns };
  if (g->key_name != NULL) {
    table[n] = key_column(g);
    table[n++].texts = g->texts ? all->keys : NULL; /* numbers are keys of one column only */
  }
  for (size_t k = 0; k < FIXED; k++) {
    table[n] = k < COUNTS ? (result_column){ .type = IW_U64, .data = all->counts + k * rows }
                          : (result_column){ .numbers = all->numbers + (k - COUNTS) * rows };
    if (k >= FIXED - 2)
      table[n].absent = all->absent;
    if (k >= FIXED - 2)
      table[n].digits = shown_digits(all->type);
    snprintf(table[n++].name, sizeof table->name, "%s", names[k]);
  }
  for (size_t k = 0; k < count; k++) {
    char text[NUMBER_CHARS];
    const int length = format_value(IW_F64, &quantiles[k], text);
    table[n] = (result_column){ .numbers = all->numbers + (FIXED - COUNTS + k) * rows,
                                .digits = shown_digits(all->type) };
    snprintf(table[n++].name, sizeof table->name, "q%.*s", length, text);
  }
  return n;
}

static void put_descriptions(const settings *s, const descriptions *all, const groups *g,
                             const double *quantiles, size_t count)
{
  result_column *const table = need(FIXED + 2 + count, sizeof *table);
  const size_t columns = list_results(all, g, quantiles, count, table);
  tell_columns_apart(table, columns);
  if (s->json) {
    printf("{\"operation\": \"describe\", \"type\": \"%s\", \"%s\": ", iw_type_name(all->type),
           g->key_name != NULL ? "groups" : "columns");
    json_table(table, columns, all->rows);
    puts("}");
  } else
    (s->csv ? csv_table : text_table)(table, columns, all->rows);
  finish_output();
  free(table);
}

static int describe_groups(const settings *s, const double *quantiles, size_t count)
{
  iw_context *const context = open_context(s);
  groups g = read_groups(s, context);
  descriptions all = make_descriptions(g.columns[0].elements.type, g.column_count * g.count, count);
  size_t n = 0;
  const double start = seconds_now();
  for (size_t i = 0; i < g.column_count; i++) {
    describe_column(s, &all, context, &g, i, quantiles, count);
    n += g.columns[i].elements.n;
  }
  print_stats(s, n, all.type, seconds_now() - start);
  put_descriptions(s, &all, &g, quantiles, count);
  free(all.columns);
  free(all.keys);
  free(all.counts);
  free(all.numbers);
  free(all.absent);
  free_groups(&g);
  close_context();
  return STATUS_GOOD;
}

int run_describe(const settings *s)
{
  double *quantiles;
  const size_t count = read_quantiles(s, &quantiles);
  const int is_table = s->columns != NULL || s->group_by != NULL || s->csv;
  const int status = (is_table ? describe_groups : describe_file)(s, quantiles, count);
  free(quantiles);
  return status;
}
