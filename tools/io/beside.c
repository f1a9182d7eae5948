/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads FILE with what stands beside its elements: weights, the other coordinate, keys. */
#include "input.h"

#include <stdlib.h>
#include <string.h>

/* How a file of flags or keys is read. */
static reading reading_keys(const settings *s, const beside *other)
{
  return (reading){ .has_type = other->kind == FLAGS, .type = other->kind == FLAGS ? IW_U8 : IW_F64, .dialect = s->input.dialect,
                    .truth = other->kind == FLAGS, .skip_missing = s->input.skip_missing, .missing = s->input.missing,
                    .takes_skip = s->input.takes_skip, .finds_places = s->input.finds_places,
                    .has_opaque = s->input.has_type, .opaque = s->input.type,
                    .beside_raw = other->kind == FLAGS && s->input.format == FORMAT_RAW };
}

/* How the values of an option are read, and where. */
static reading reading_beside(const settings *s, const beside *other, const char **path)
{
  reading r = s->input;
  *path = other->name;
  if (other->kind != VALUES)
    return reading_keys(s, other);
  *path = input_file(s);
  if (r.column != NULL)
    r.column = other->name;
  else if (r.array != NULL)
    r.array = other->name;
  else if (r.field != NULL)
    r.field = other->name;
  else
    *path = other->name;
  if (!other->same_type) {
    r.has_opaque = r.has_type;
    r.opaque = r.type;
    r.has_type = r.takes_type = 0;
    r.type = IW_F64;
  }
  return r;
}

/* Columns of a CSV file, which is read once. */
static array read_columns(const settings *s, beside *others, size_t count)
{
  csv_field *const fields = need(count + 1, sizeof *fields);
  integers *const kept = memset(need(count, sizeof *kept), 0, count * sizeof *kept);
  const char *path;
  fields[0] = (csv_field){ .wanted = s->input.column, .option = "--column", .type = s->input.type };
  for (size_t i = 0; i < count; i++) {
    const reading r = reading_beside(s, &others[i], &path);
    fields[i + 1] = (csv_field){ .wanted = r.column, .option = others[i].option, .type = r.type,
                                 .integers = others[i].integers ? &kept[i] : NULL };
  }
  bytes b = load_csv(input_file(s), &s->input);
  csv_columns table = { .fields = fields, .count = count + 1, .whole_rows = 1 };
  parse_csv(&b, &s->input, &table);
  release(&b);
  for (size_t i = 0; i <= count; i++)
    free(fields[i].name);
  const array elements = finished(&fields[0].values);
  for (size_t i = 0; i < count; i++)
    others[i].values = with_integers(finished(&fields[i + 1].values), &kept[i], others[i].integers == SUMMED, others[i].option);
  free(kept);
  free(fields);
  return elements;
}

/* Removes the marked elements. */
static void remove_marked(array *a, const char *marks)
{
  const size_t size = iw_type_size(a->type);
  char *const kept = need(a->n, size);
  size_t n = 0;
  for (size_t i = 0; i < a->n; i++)
    if (!marks[i])
      memcpy(kept + size * n++, element_at(a->type, a->data, i), size);
  free(a->owned);
  a->data = a->owned = kept;
  a->n = n;
}

/* Removes from all arrays what is missing in one. holes: the places of each array. */
static void remove_holes(array *elements, beside *others, size_t count, const growing *holes)
{
  char *const marks = memset(need(elements->n, 1), 0, elements->n);
  size_t missing = 0;
  for (size_t i = 0; i <= count; i++)
    for (size_t k = 0; k < holes[i].array.n; k++, missing++)
      marks[((const uint64_t *)(const void *)holes[i].data)[k]] = 1;
  if (missing > 0) {
    remove_marked(elements, marks);
    for (size_t i = 0; i < count; i++)
      remove_marked(&others[i].values, marks);
  }
  free(marks);
}

void check_texts(const settings *s, int texts)
{
  if (texts == 0 && s->input.text_option != NULL)
    fail("--%s is for text and CSV, but no file is", s->input.text_option);
}

array read_with(const settings *s, beside *others, size_t count)
{
  if (s->input.column != NULL && count > 0 && others[0].kind == VALUES)
    return read_columns(s, others, count);
  int texts = 0;
  growing *const holes = need(count + 1, sizeof *holes);
  for (size_t i = 0; i <= count; i++)
    holes[i] = (growing){ .array.type = IW_U64 };
  const int skips = s->input.skip_missing;
  reading of_elements = s->input;
  of_elements.texts = count > 0 ? &texts : NULL;
  array elements = read_array_holes(input_file(s), &of_elements, skips ? &holes[0] : NULL);
  for (size_t i = 0; i < count; i++) {
    const char *path;
    reading r = reading_beside(s, &others[i], &path);
    integers kept = { 0 };
    r.texts = &texts;
    r.integers = others[i].integers ? &kept : NULL;
    others[i].values = with_integers(read_array_holes(path, &r, skips ? &holes[i + 1] : NULL), &kept, others[i].integers == SUMMED,
                                     others[i].option);
    const char *const things = others[i].things;
    if (others[i].values.n != elements.n)
      fail("%s %s: has %zu %s, but there are %zu %s%s", others[i].option, others[i].name, others[i].values.n,
           things ? things : "elements", elements.n, things ? "elements" : "samples",
           holes[0].array.n > 0 ? ", with those that are missing" : "");
  }
  if (count > 0)
    check_texts(s, texts);
  if (skips)
    remove_holes(&elements, others, count, holes);
  for (size_t i = 0; i <= count; i++)
    free(holes[i].data);
  free(holes);
  return elements;
}

array read_beside(const settings *s, beside *other)
{
  return read_with(s, other, other->name != NULL);
}
