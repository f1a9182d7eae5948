/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads columns of CSV (RFC 4180), with any one character or with blanks between fields. */
#include "input.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct csv {
  const bytes *bytes;
  const char *at, *end;
  size_t line;
  char delimiter;
  char *scratch; /* a quoted field without its quotes */
  size_t capacity;
} csv;

/* A field, and whether it is the last of its row. */
typedef struct cell {
  const char *text, *stop;
  int is_last;
} cell;

static int is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static int is_delimiter(const csv *c, char character)
{
  return c->delimiter == BLANKS ? is_blank(character) : character == c->delimiter;
}

/* Reads a field behind its opening quote, with what follows the closing one. */
static cell quoted_field(csv *c)
{
  size_t length = 0, first_line = c->line;
  for (c->at++;; c->at++) {
    if (c->at == c->end)
      fail("%s: line %zu: a quoted field has no closing quote", c->bytes->name, first_line);
    if (*c->at == '"' && !(c->at + 1 < c->end && c->at[1] == '"'))
      break;
    if (*c->at == '"')
      c->at++;
    c->line += *c->at == '\n';
    if (length + 2 > c->capacity)
      c->scratch = need_more(c->scratch, c->capacity = 2 * c->capacity + 64, 1);
    c->scratch[length++] = *c->at;
  }
  c->at++;
  if (c->scratch == NULL)
    c->scratch = need(c->capacity = 64, 1);
  c->scratch[length] = '\0';
  while (c->at < c->end && (is_blank(*c->at) || *c->at == '\r') && !is_delimiter(c, *c->at))
    c->at++;
  if (c->at < c->end && !is_delimiter(c, *c->at) && *c->at != '\n')
    fail("%s: line %zu: '%c' follows a closing quote", c->bytes->name, c->line, *c->at);
  return (cell){ c->scratch, c->scratch + length, 0 };
}

static cell plain_field(csv *c)
{
  const char *const text = c->at;
  while (c->at < c->end && !is_delimiter(c, *c->at) && *c->at != '\n')
    c->at++;
  const char *stop = c->at;
  while (stop > text && isspace((unsigned char)stop[-1]))
    stop--;
  return (cell){ text, stop, 0 };
}

/* Reads the next field. It is valid until the next call. */
static cell next_field(csv *c)
{
  while (c->at < c->end && is_blank(*c->at) && (c->delimiter == BLANKS || *c->at != c->delimiter))
    c->at++;
  cell field = c->at < c->end && *c->at == '"' ? quoted_field(c) : plain_field(c);
  field.is_last = c->at == c->end || *c->at == '\n';
  if (!field.is_last)
    c->at++;
  if (c->delimiter == BLANKS) { /* blanks at the end of a row are followed by no field */
    while (c->at < c->end && (is_blank(*c->at) || *c->at == '\r'))
      c->at++;
    field.is_last = c->at == c->end || *c->at == '\n';
  }
  return field;
}

/* Skips the end of the row. */
static void end_row(csv *c)
{
  if (c->at < c->end) {
    c->at++;
    c->line++;
  }
}

/* Skips empty lines and lines that start with '#'; returns 0 at the end of the file. */
static int start_row(csv *c)
{
  while (c->at < c->end) {
    const char *stop = memchr(c->at, '\n', (size_t)(c->end - c->at));
    const char *text = c->at;
    if (stop == NULL)
      stop = c->end;
    while (text < stop && isspace((unsigned char)*text) && (c->delimiter == BLANKS || *text != c->delimiter))
      text++;
    if (text < stop && *text != '#')
      return 1;
    c->at = stop;
    end_row(c);
  }
  return 0;
}

/* ---- The columns' names and numbers ---- */

static int is_number(const char *name)
{
  return *name != '\0' && name[strspn(name, "0123456789")] == '\0';
}

static char *copy_text(const char *text, size_t length)
{
  char *const copy = memcpy(need(length + 1, 1), text, length);
  copy[length] = '\0';
  return copy;
}

/* Copies a field as the name of the column that has this number. */
static void set_name(csv_field *f, size_t number, const cell *cell)
{
  if (f == NULL || f->number != number || cell->text == cell->stop)
    return;
  free(f->name);
  f->name = copy_text(cell->text, (size_t)(cell->stop - cell->text));
}

/* Adds a name to a list for a message, which may be cut. */
static void list_name(char *list, size_t capacity, const cell *cell)
{
  const size_t length = strlen(list), more = (size_t)(cell->stop - cell->text);
  if (length + more + 8 < capacity)
    snprintf(list + length, capacity - length, "%s%.*s", length > 0 ? ", " : "", (int)more, cell->text);
  else if (length + 6 < capacity)
    strcat(list, ", ...");
}

/* Finds a column's name in the row at *c, which stays there. */
static void find_name(csv c, csv_field *f)
{
  char list[200] = "";
  size_t number = 0, matches = 0;
  const size_t length = strlen(f->wanted);
  c.scratch = NULL;
  c.capacity = 0;
  for (int last = !start_row(&c); !last;) {
    const cell cell = next_field(&c);
    last = cell.is_last;
    number++;
    if ((size_t)(cell.stop - cell.text) == length && memcmp(cell.text, f->wanted, length) == 0) {
      f->number = number;
      matches++;
    }
    list_name(list, sizeof list, &cell);
  }
  free(c.scratch);
  if (matches == 0)
    fail("%s: no column has the name '%s'; there are: %s", c.bytes->name, f->wanted, list);
  if (matches > 1)
    fail("%s: %zu columns have the name '%s'; give the column's number", c.bytes->name, matches, f->wanted);
}

/* Finds the column of one field; returns whether it has a name. */
static int find_column(const csv *c, csv_field *f)
{
  f->name = copy_text(f->wanted, strlen(f->wanted));
  if (is_number(f->wanted)) {
    f->number = parse_count(f->wanted, f->option, 1, 1000000000);
    return 0;
  }
  find_name(*c, f);
  return 1;
}

/* Whether the row at *c has names: a field of it that should be a number is none. */
static int has_names(csv c, const reading *r, const csv_field *fields, size_t count)
{
  int found = 0;
  size_t number = 0;
  c.scratch = NULL;
  c.capacity = 0;
  for (int last = !start_row(&c); !last && !found;) {
    const cell cell = next_field(&c);
    value v;
    last = cell.is_last;
    number++;
    for (size_t i = 0; i < count; i++) {
      const char *const wrong =
        fields[i].number == number ? parse_value(r->type, cell.text, cell.stop, &v) : NULL;
      found |= wrong != NULL && strstr(wrong, "outside") == NULL && !is_missing(r, cell.text, cell.stop);
    }
  }
  free(c.scratch);
  return found;
}

static void read_names(csv *c, csv_field *fields, size_t count, csv_field *key)
{
  size_t number = 0;
  for (int last = !start_row(c); !last;) {
    const cell cell = next_field(c);
    last = cell.is_last;
    number++;
    for (size_t i = 0; i < count; i++)
      set_name(&fields[i], number, &cell);
    set_name(key, number, &cell);
  }
  end_row(c);
}

/* ---- Rows ---- */

/* Sets the field's latest value. */
static void read_value(const csv *c, const reading *r, csv_field *f, const cell *cell, size_t line)
{
  const char *const wrong = parse_value(r->type, cell->text, cell->stop, &f->latest);
  f->is_good = wrong == NULL;
  if (!f->is_good && !is_missing(r, cell->text, cell->stop))
    bad_token(c->bytes, line, cell->text, cell->stop,
              cell->text == cell->stop ? "(an empty field) is not a number" : wrong);
}

static void check_width(const csv *c, const csv_field *f, size_t width, size_t line)
{
  if (f != NULL && f->number > width)
    fail("%s: line %zu: has %zu field%s, but %s is %zu", c->bytes->name, line, width, width == 1 ? "" : "s",
         f->option, f->number);
}

/* Reads one row; returns the number of missing fields. */
static size_t read_row(csv *c, const reading *r, csv_field *fields, size_t count, csv_field *key,
                       struct dictionary *keys)
{
  const size_t line = c->line;
  size_t number = 0, missing = 0;
  uint32_t id = 0;
  int has_key = 1;
  for (int last = 0; !last;) {
    const cell cell = next_field(c);
    last = cell.is_last;
    number++;
    for (size_t i = 0; i < count; i++)
      if (fields[i].number == number)
        read_value(c, r, &fields[i], &cell, line);
    if (key == NULL || key->number != number)
      continue;
    has_key = !is_missing(r, cell.text, cell.stop);
    if (has_key)
      id = dictionary_add(keys, cell.text, (size_t)(cell.stop - cell.text));
  }
  check_width(c, key, number, line);
  for (size_t i = 0; i < count; i++) {
    check_width(c, &fields[i], number, line);
    missing += !fields[i].is_good;
    if (!has_key || !fields[i].is_good)
      continue;
    append(&fields[i].values, &fields[i].latest);
    if (key != NULL)
      append(&fields[i].keys, &id);
  }
  end_row(c);
  return missing + !has_key;
}

void parse_csv(const bytes *b, const reading *r, csv_field *fields, size_t count, csv_field *key,
               struct dictionary *keys)
{
  csv c = {
    .bytes = b, .at = text_start(b), .end = b->data + b->size, .line = 1, .delimiter = r->delimiter
  };
  size_t missing = 0;
  int named = key != NULL && find_column(&c, key);
  for (size_t i = 0; i < count; i++) {
    named |= find_column(&c, &fields[i]);
    fields[i].values.array.type = r->type;
    fields[i].keys.array.type = IW_U32;
  }
  if (named || has_names(c, r, fields, count))
    read_names(&c, fields, count, key);
  for (size_t rows = 1; start_row(&c); rows++) {
    missing += read_row(&c, r, fields, count, key, keys);
    if (rows % 65536 == 0)
      progress("reading", "B", (size_t)(c.at - b->data), b->size);
  }
  free(c.scratch);
  note_missing(b, missing);
}
