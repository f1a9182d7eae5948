/* SPDX-License-Identifier: Apache-2.0
 *
 * --columns and --group-by: reads several columns, and sorts the elements of each by their keys, so that
 * groups are segments. The sort is stable: a group has its elements in the order of the input. */
#include "input.h"

#include <isowarp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The fields of --columns or --column; returns their number. list: memory that they point to. */
static size_t list_fields(const settings *s, csv_field **fields, char **list)
{
  size_t n = 1;
  if (s->columns == NULL) {
    *list = NULL;
    *fields = need(1, sizeof **fields);
    **fields = (csv_field){ .wanted = s->input.column ? s->input.column : "1", .option = "--column",
                            .type = s->input.type };
    return 1;
  }
  for (const char *c = s->columns; *c; c++)
    n += *c == ',';
  *fields = need(n, sizeof **fields);
  char *rest = *list = strcpy(need(strlen(s->columns) + 1, 1), s->columns), *token;
  for (size_t i = 0; (token = strsep(&rest, ",")) != NULL; i++) {
    if (*token == '\0')
      fail("--columns: '%s' has an empty name", s->columns);
    (*fields)[i] = (csv_field){ .wanted = token, .option = "--columns", .type = s->input.type };
  }
  return n;
}

/* Reads columns of CSV. keys[i]: u32, numbers of the dictionary. */
static void read_csv_columns(groups *g, const settings *s, array **keys)
{
  integers kept = { 0 };
  csv_field *fields, key = { .wanted = s->group_by, .option = "--group-by" };
  char *list;
  reading reading = s->input;
  if (s->columns != NULL)
    reading.column = NULL;
  bytes b = load_csv(input_file(s), &reading);
  g->column_count = list_fields(s, &fields, &list);
  g->dictionary = dictionary_make();
  const int is_weighted = s->command->bit == HISTOGRAM && s->weights != NULL;
  if (is_weighted) { /* of the one column */
    fields = need_more(fields, 2, sizeof *fields);
    fields[1] = (csv_field){ .wanted = s->weights, .option = "--weights", .type = IW_F64, .integers = &kept };
  }
  csv_columns table = { .fields = fields, .count = g->column_count + (size_t)is_weighted, .keys = g->dictionary,
                      .key = s->group_by ? &key : NULL, .whole_rows = is_weighted };
  parse_csv(&b, &reading, &table);
  release(&b);
  if (is_weighted) {
    g->weights = with_integers(finished(&fields[1].values), &kept, 1, "--weights");
    free(fields[1].name);
    free(fields[1].keys.data);
  }
  g->columns = need(g->column_count, sizeof *g->columns);
  *keys = need(g->column_count, sizeof **keys);
  for (size_t i = 0; i < g->column_count; i++) {
    (*keys)[i] = finished(&fields[i].keys);
    g->columns[i] = (grouped_column){ .name = fields[i].name, .elements = finished(&fields[i].values) };
  }
  g->key_name = key.name;
  free(fields);
  free(list);
}

/* Reads FILE as one column, and a file or an array with its keys if there are any. */
static void read_files(groups *g, const settings *s, array **keys)
{
  const int is_file = s->input.array == NULL && s->input.field == NULL;
  if (s->group_by != NULL && is_file && strcmp(s->group_by, "-") != 0 && access(s->group_by, R_OK) != 0)
    fail("--group-by: without --column %sit is a file with a key for each element, but %s: %s",
         s->command->bit == HISTOGRAM ? "" : "or --columns ", s->group_by, strerror(errno));
  g->column_count = 1;
  g->columns = need(1, sizeof *g->columns);
  beside others[] = { { .option = "--group-by", .name = s->group_by, .integers = COMPARED },
                      { .option = "--weights", .name = s->weights, .integers = SUMMED } };
  g->columns[0] = (grouped_column){
    .name = strcpy(need(1, 1), ""),
    .elements = read_with(s, others, s->group_by == NULL ? 0 : s->weights == NULL ? 1 : 2) };
  g->weights = others[1].values;
  *keys = need(1, sizeof **keys);
  **keys = (array){ .type = IW_F64 };
  if (s->group_by == NULL)
    return;
  **keys = others[0].values;
  g->key_name = strcpy(need(sizeof "group", 1), "group");
}

/* ---- Sorting by keys ---- */

/* Sorts the column by its keys; returns the number of runs of equal ones. unique, lengths: of each run. */
static size_t sort_column(iw_context *context, grouped_column *c, const array *keys, void *unique,
                          uint64_t *lengths)
{
  const size_t n = c->elements.n, size = iw_type_size(c->elements.type), key_size = iw_type_size(keys->type);
  void *const sorted = need(n, size), *const sorted_keys = need(n, key_size);
  size_t runs;
  c->places = need(n, sizeof *c->places);
  const iw_payload moved[] = {
    { .size = sizeof *moved, .in = c->elements.data, .out = sorted, .width = size },
    { .size = sizeof *moved, .out = c->places, .width = sizeof *c->places },
  };
  const iw_sort_options options = { .size = sizeof options, .payloads = moved, .payload_count = 2 };
  must(iw_sort(context, keys->type, keys->data, n, sorted_keys, &options));
  must(iw_run_lengths(context, keys->type, sorted_keys, n, unique, (iw_indices){ lengths, 8 }, &runs));
  free(sorted_keys);
  free(c->elements.owned);
  c->elements.data = c->elements.owned = sorted;
  return runs;
}

/* Sums lengths[0] … lengths[count - 1] up to offsets. */
static void sum_lengths(iw_context *context, const uint64_t *lengths, size_t count, uint64_t *offsets)
{
  offsets[0] = 0;
  must(iw_inclusive_scan(context, IW_SUM, IW_U64, lengths, count, offsets + 1, NULL));
}

/* Keys that are texts. A group has the same place in all columns, also in one that has no elements of it. */
static void group_by_texts(groups *g, const dialect *dialect, iw_context *context, array *keys)
{
  uint32_t *const ranks = dictionary_ranks(g->dictionary, dialect);
  g->count = dictionary_count(g->dictionary);
  g->texts = need(g->count, sizeof *g->texts);
  for (size_t k = 0; k < g->count; k++)
    g->texts[ranks[k]] = dictionary_text(g->dictionary, k);
  uint32_t *const unique = need(g->count, sizeof *unique);
  uint64_t *const lengths = need(g->count, sizeof *lengths), *const all = need(g->count, sizeof *all);
  for (size_t i = 0; i < g->column_count; i++) {
    grouped_column *const c = &g->columns[i];
    uint32_t *const of = keys[i].owned;
    for (size_t k = 0; k < keys[i].n; k++)
      of[k] = ranks[of[k]];
    const size_t runs = sort_column(context, c, &keys[i], unique, lengths);
    memset(all, 0, g->count * sizeof *all);
    for (size_t k = 0; k < runs; k++)
      all[unique[k]] = lengths[k];
    c->offsets = need(g->count + 1, sizeof *c->offsets);
    sum_lengths(context, all, g->count, c->offsets);
  }
  free(ranks);
  free(unique);
  free(lengths);
  free(all);
}

void keys_by_value(iw_context *context, array *keys)
{
  void *const out = need(keys->n, iw_type_size(keys->type));
  must(iw_keys_by_value(context, keys->type, keys->data, keys->n, out));
  free(keys->owned);
  keys->data = keys->owned = out;
}

static void group_by_numbers(groups *g, iw_context *context, array *keys)
{
  grouped_column *const c = &g->columns[0];
  uint64_t *const lengths = need(keys->n, sizeof *lengths);
  g->key_type = keys->type;
  keys_by_value(context, keys);
  g->keys = need(keys->n, iw_type_size(keys->type));
  g->count = sort_column(context, c, keys, g->keys, lengths);
  c->offsets = need(g->count + 1, sizeof *c->offsets);
  sum_lengths(context, lengths, g->count, c->offsets);
  free(lengths);
}

groups read_groups(const settings *s, iw_context *context)
{
  groups g = { .count = 1 };
  array *keys;
  const int is_csv = s->input.column != NULL || s->columns != NULL;
  (is_csv ? read_csv_columns : read_files)(&g, s, &keys);
  if (s->group_by == NULL)
    for (size_t i = 0; i < g.column_count; i++) {
      g.columns[i].offsets = need(2, sizeof(uint64_t));
      g.columns[i].offsets[0] = 0;
      g.columns[i].offsets[1] = g.columns[i].elements.n;
    }
  else if (is_csv)
    group_by_texts(&g, &s->input.dialect, context, keys);
  else
    group_by_numbers(&g, context, keys);
  for (size_t i = 0; i < g.column_count; i++)
    free(keys[i].owned);
  free(keys);
  return g;
}

void free_groups(groups *g)
{
  for (size_t i = 0; i < g->column_count; i++) {
    free((char *)g->columns[i].name);
    free(g->columns[i].elements.owned);
    free(g->columns[i].places);
    free(g->columns[i].offsets);
  }
  free(g->columns);
  free(g->key_name);
  free(g->keys);
  free(g->texts);
  dictionary_free(g->dictionary);
}

iw_segments group_segments(const groups *g, const grouped_column *c)
{
  return (iw_segments){ .size = sizeof(iw_segments), .kind = IW_SEGMENTS_OFFSETS, .offsets = c->offsets,
                        .offset_type = IW_U64, .count = g->count };
}
