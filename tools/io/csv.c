/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads columns of CSV in the dialect that doc/input.md describes. */
#include "input.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a byte is, by its bits. */
enum { ENDS_FIELD = 1, ENDS_ROW = 2, BLANK = 4, SKIPPED = 8 /* a blank that delimits no empty field */ };

typedef struct csv {
  const bytes *bytes;
  const char *at, *end; /* *end is 0, and no other byte is */
  size_t line;
  const dialect *dialect;
  unsigned char kind[256]; /* by byte */
  char *scratch;        /* a quoted field without its quotes */
  size_t capacity;
  tally tally;
  size_t rows;          /* of data so far */
  int has_names;        /* a row of names has been read */
  size_t least, most;   /* fields of a row; most 0: not known yet */
  const char *first;    /* the first row */
  size_t last_wanted;   /* the number of the last column that is read */
} csv;

/* A field, and whether it is the last of its row. */
typedef struct cell {
  const char *text, *stop;
  int is_last;
} cell;

static int is_delimiter(const csv *c, char character)
{
  return c->dialect->delimiter == BLANKS ? is_blank(character) : character == c->dialect->delimiter;
}

static inline int is_kind(const csv *c, char character, int kind)
{
  return c->kind[(unsigned char)character] & kind;
}

/* At the end of a row, which may be that of the file. */
static inline int at_row_end(const csv *c)
{
  return is_kind(c, *c->at, ENDS_ROW);
}

static inline void skip_blanks(csv *c)
{
  while (is_kind(c, *c->at, SKIPPED))
    c->at++;
}

static csv begin_csv(const bytes *b, const reading *r)
{
  const dialect *const d = &r->dialect;
  csv c = { .bytes = b, .at = text_start(b), .end = b->data + b->size, .line = 1, .dialect = d };
  c.at = skip_lines(r, c.at, c.end, &c.line);
  for (int i = 0; i < 256; i++) {
    const char character = (char)i;
    const int ends = is_line_end(character) || character == '\0', delimits = is_delimiter(&c, character);
    const int blank = is_blank(character), skipped = blank && (!delimits || d->delimiter == BLANKS);
    c.kind[i] = (unsigned char)((ends || delimits ? ENDS_FIELD : 0) | (ends ? ENDS_ROW : 0) |
                                (blank ? BLANK : 0) | (skipped ? SKIPPED : 0));
  }
  return c;
}

/* Reads a field behind its opening quote, with what follows the closing one. */
static cell quoted_field(csv *c)
{
  const char quote = c->dialect->quote;
  size_t length = 0, first_line = c->line;
  for (c->at++;; c->at++) {
    if (c->at == c->end)
      fail("%s: line %zu: a quoted field has no closing quote; --quote none takes quotes as other "
           "characters", c->bytes->name, first_line);
    if (*c->at == quote && c->at[1] != quote)
      break;
    if (*c->at == quote)
      c->at++;
    c->line += *c->at == '\n' || (*c->at == '\r' && c->at[1] != '\n');
    if (length + 2 > c->capacity)
      c->scratch = need_more(c->scratch, c->capacity = 2 * c->capacity + 64, 1);
    c->scratch[length++] = *c->at;
  }
  c->at++;
  if (c->scratch == NULL)
    c->scratch = need(c->capacity = 64, 1);
  c->scratch[length] = '\0';
  skip_blanks(c);
  const int is_separated = c->dialect->delimiter == BLANKS && is_blank(c->at[-1]);
  if (!at_row_end(c) && !is_delimiter(c, *c->at) && !is_separated)
    fail("%s: line %zu: '%c' follows a closing quote; --quote none takes quotes as other characters",
         c->bytes->name, c->line, *c->at);
  return (cell){ c->scratch, c->scratch + length, 0 };
}

static cell plain_field(csv *c)
{
  const char *const text = c->at, *at = text;
  while (!is_kind(c, *at, ENDS_FIELD))
    at++;
  c->at = at;
  while (at > text && is_kind(c, at[-1], BLANK))
    at--;
  return (cell){ text, at, 0 };
}

/* Reads the next field. It is valid until the next call. */
static cell next_field(csv *c)
{
  skip_blanks(c);
  cell field = *c->at == c->dialect->quote && c->at < c->end ? quoted_field(c) : plain_field(c);
  if (c->dialect->delimiter == BLANKS) /* blanks at the end of a row are followed by no field */
    skip_blanks(c);
  field.is_last = at_row_end(c);
  if (!field.is_last && c->dialect->delimiter != BLANKS)
    c->at++;
  return field;
}

/* Skips the end of the row. */
static void end_row(csv *c)
{
  if (c->at == c->end)
    return;
  c->at += *c->at == '\r' && c->at[1] == '\n' ? 2 : 1;
  c->line++;
}

/* Skips empty lines and comments; returns 0 at the end of the file. */
static int start_row(csv *c)
{
  for (;;) {
    const char *const start = c->at;
    skip_blanks(c);
    if (c->at == c->end)
      return 0;
    if (*c->at == c->dialect->comment) {
      const char *const text = c->at;
      while (!at_row_end(c))
        c->at++;
      c->tally.comments += c->rows > 0 || c->has_names || is_doubtful_comment(text, c->at);
    }
    if (!at_row_end(c)) {
      c->at = start;
      return 1;
    }
    end_row(c);
  }
}

/* A copy that may read on, while the original stays. */
static csv look_ahead(const csv *c)
{
  csv copy = *c;
  copy.scratch = NULL;
  copy.capacity = 0;
  return copy;
}

/* ---- The columns' names and numbers ---- */

static int is_number(const char *name)
{
  return *name != '\0' && name[strspn(name, "0123456789")] == '\0';
}

/* The name that a column was given, or NULL if it is a number. */
static const char *wanted_name(const char *wanted)
{
  if (strncmp(wanted, "name=", 5) == 0)
    return wanted + 5;
  return is_number(wanted) ? NULL : wanted;
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

/* What option may divide a text that has one field, or NULL. */
static const char *delimiter_way_out(const csv *c, const char *text, size_t length)
{
  static const struct { char delimiter; const char *way; } others[] = {
    { ';', "--delimiter ';' divides it" }, { '\t', "--delimiter '\\t' divides it" },
    { '|', "--delimiter '|' divides it" }, { ' ', "--delimiter blanks divides it" },
  };
  for (size_t i = 0; i < sizeof others / sizeof *others && c->dialect->delimiter != BLANKS; i++)
    if (memchr(text, others[i].delimiter, length) != NULL)
      return others[i].way;
  return NULL;
}

/* What may help if the row of names, of so many fields, has not the name, or NULL. */
static const char *name_way_out(const csv *c, const char *list, size_t fields)
{
  if (c->dialect->comment != NO_CHARACTER && *text_start(c->bytes) == c->dialect->comment)
    return "the first line is a comment, which --comment none reads";
  if (fields == 0)
    return "the file has no rows";
  if (fields > 1)
    return NULL;
  const char *const way = delimiter_way_out(c, list, strlen(list));
  return way != NULL ? way : "--skip-lines N skips lines before the names";
}

/* Finds a column's name in the row that c is at. */
static void find_name(const csv *from, csv_field *f, const char *name)
{
  csv c = look_ahead(from);
  char list[200] = "";
  size_t number = 0, matches = 0;
  const size_t length = strlen(name);
  for (int last = !start_row(&c); !last;) {
    const cell cell = next_field(&c);
    last = cell.is_last;
    number++;
    if ((size_t)(cell.stop - cell.text) == length && memcmp(cell.text, name, length) == 0) {
      f->number = number;
      matches++;
    }
    list_name(list, sizeof list, &cell);
  }
  free(c.scratch);
  const char *const way = matches == 0 ? name_way_out(from, list, number) : NULL;
  if (matches == 0)
    fail("%s: no column has the name '%s'; there are: %s%s%s", c.bytes->name, name, list, way ? "; " : "",
         way ? way : "");
  if (matches > 1)
    fail("%s: %zu columns have the name '%s'; give the column's number", c.bytes->name, matches, name);
}

/* Finds the column of one field; returns whether it has a name. */
static int find_column(const csv *c, csv_field *f)
{
  const char *const name = wanted_name(f->wanted);
  f->name = copy_text(f->wanted, strlen(f->wanted));
  if (name == NULL) {
    f->number = parse_count(f->wanted, f->option, 1, 1000000000);
    return 0;
  }
  if (c->dialect->header == HEADER_NO)
    fail("%s: '%s' is a name, but --header no says that there are none; give the column's number", f->option,
         name);
  find_name(c, f, name);
  return 1;
}

static int is_wanted(const csv_columns *t, size_t number)
{
  for (size_t i = 0; i < t->count; i++)
    if (t->fields[i].number == number)
      return 1;
  return 0;
}

/* A field without the blanks that quotes may have kept in it, for a number. */
static cell trimmed(cell f)
{
  while (f.text < f.stop && is_blank(*f.text))
    f.text++;
  while (f.stop > f.text && is_blank(f.stop[-1]))
    f.stop--;
  return f;
}

/* Whether the first row has names, by its look: a wanted field is no number, as f64 reads numbers, and no
 * word for a missing one; 1,000 is none either, but no name. If all wanted ones are missing, another field
 * says it. A row with numbers and other texts could be either, and so could one that begins with an empty
 * field. */
static int has_names(const csv *from, const reading *r, const csv_columns *t)
{
  csv c = look_ahead(from);
  size_t number = 0, numbers = 0, texts = 0, there = 0, wanted_numbers = 0, wanted_texts = 0;
  int last = !start_row(&c);
  const size_t line = c.line;
  while (!last) {
    const cell cell = trimmed(next_field(&c));
    value v;
    tally unused = { 0 };
    const char *wrong = NULL;
    last = cell.is_last;
    number++;
    const int wanted = is_wanted(t, number), is_missing = is_missing_word(r, cell.text, cell.stop);
    if (!is_missing)
      read_field(r, IW_F64, cell.text, cell.stop, &v, &wrong, &unused);
    const int is_text = wrong != NULL && strstr(wrong, "outside") == NULL &&
                        separator_way_out(r, IW_F64, cell.text, cell.stop) == NULL &&
                        !is_commented_number(r, cell.text, cell.stop);
    there += (size_t)wanted;
    numbers += !is_missing && !is_text;
    texts += is_text || (number == 1 && !wanted && cell.text == cell.stop);
    wanted_numbers += (size_t)(wanted && !is_missing && !is_text);
    wanted_texts += (size_t)(wanted && is_text);
  }
  free(c.scratch);
  if (there == 0)
    return 0;
  const int names = wanted_texts > 0 || (wanted_numbers == 0 && texts > 0);
  if (numbers > 0 && texts > 0)
    note("%s: line %zu, the first row, has numbers and other fields, and is read as %s; --header yes says "
         "that it has names, and --header no that it has none", c.bytes->name, line, names ? "names" : "data");
  return names;
}

static void read_names(csv *c, const csv_columns *t)
{
  size_t number = 0;
  for (int last = !start_row(c); !last;) {
    const cell cell = next_field(c);
    last = cell.is_last;
    number++;
    for (size_t i = 0; i < t->count; i++)
      set_name(&t->fields[i], number, &cell);
    set_name(t->key, number, &cell);
    if (cell.text != cell.stop)
      c->least = number;
  }
  c->has_names = 1;
  c->most = number;
  end_row(c);
}

/* ---- Rows ---- */

/* What option would take a field that is no number. */
static const char *cell_way_out(const csv *c, const reading *r, const csv_field *f, const cell *cell)
{
  const char *const separator = separator_way_out(r, f->type, cell->text, cell->stop);
  if (separator != NULL)
    return separator;
  if (is_commented_number(r, cell->text, cell->stop))
    return way_out(r, f->type, cell->text, cell->stop);
  const char *const delimiter = delimiter_way_out(c, cell->text, (size_t)(cell->stop - cell->text));
  if (delimiter != NULL && c->rows == 0)
    return delimiter;
  if (c->rows == 0 && r->dialect.header == HEADER_NO)
    return "--header yes takes the first row as names";
  return way_out(r, f->type, cell->text, cell->stop);
}

/* Checks the number of a row's fields; `filled` is that of the last field that is not empty. */
static void check_width(csv *c, size_t width, size_t filled, size_t line)
{
  if (c->most == 0) {
    c->least = filled;
    c->most = width;
  }
  if ((width < c->least || filled > c->most) && !c->dialect->ragged)
    fail("%s: line %zu: has %zu field%s, but the first row has %zu; --ragged takes rows of any number%s",
         c->bytes->name, line, width, width == 1 ? "" : "s", c->most,
         c->dialect->delimiter == ' ' ? ", and --delimiter blanks any number of blanks" : "");
}

/* Checks the number of a row's fields, of which `number` have been read. It may explain a wrong field. */
static void check_rest(const csv *from, size_t number, int last, size_t line)
{
  csv c = look_ahead(from);
  size_t filled = number;
  while (!last) {
    const cell cell = next_field(&c);
    last = cell.is_last;
    number++;
    filled = cell.text != cell.stop ? number : filled;
  }
  free(c.scratch);
  check_width(&c, number, filled, line);
}

/* Sets the field's latest value. */
static void read_value(csv *c, const reading *r, csv_field *f, cell cell, size_t number, size_t line)
{
  const char *wrong;
  if (cell.text == c->scratch)
    cell = trimmed(cell);
  tally unused = { 0 }, *const t = f->integers != NULL ? &unused : &c->tally; /* with_integers() has a note of its own */
  const field_kind kind = read_field(r, f->type, cell.text, cell.stop, &f->latest, &wrong, t);
  f->is_good = kind == FIELD_NUMBER;
  f->magnitude = f->integers != NULL ? rounded_integer(r, cell.text, cell.stop) : 0;
  if (kind == FIELD_WRONG && c->most > 0)
    check_rest(c, number, cell.is_last, line);
  if (kind == FIELD_WRONG)
    bad_field(c->bytes, line, cell.text, cell.stop,
              cell.text == cell.stop ? "(an empty field) is not a number" : wrong,
              cell_way_out(c, r, f, &cell));
}

/* Whether the first row is too short for the column of this number, but has a field that is the number. */
static int is_in_first_row(const csv *from, const csv_field *f)
{
  csv c = look_ahead(from);
  const size_t length = strlen(f->wanted);
  size_t number = 0;
  int found = 0;
  c.at = c.first;
  for (int last = !start_row(&c); !last; number++) {
    const cell cell = next_field(&c);
    last = cell.is_last;
    found |= (size_t)(cell.stop - cell.text) == length && memcmp(cell.text, f->wanted, length) == 0;
  }
  free(c.scratch);
  return found && number < f->number;
}

/* Fails if a row ends before a field of it. */
static void check_there(const csv *c, const reading *r, const csv_field *f, const char *row, size_t width,
                        size_t line)
{
  if (f == NULL || f->number <= width || (c->dialect->ragged && r->skip_missing))
    return;
  const char *const delimiter = width == 1 ? delimiter_way_out(c, row, (size_t)(c->at - row)) : NULL;
  if (is_in_first_row(c, f))
    fail("%s: line %zu: has %zu field%s, but %s is %zu; %s name=%s takes the column of this name", c->bytes->name, line,
         width, width == 1 ? "" : "s", f->option, f->number, f->option, f->wanted);
  fail("%s: line %zu: has %zu field%s, but %s is %zu%s%s", c->bytes->name, line, width, width == 1 ? "" : "s",
       f->option, f->number, delimiter ? "; " : "",
       delimiter              ? delimiter
       : c->dialect->ragged   ? "; --skip-missing skips it"
       : c->rows == 0 && !c->has_names ? "; --header yes takes the row as names, and --skip-lines 1 skips it"
                              : "; --ragged with --skip-missing skips it");
}

static void append_hole(csv_columns *t, csv_field *f)
{
  const uint64_t place = f->values.array.n;
  const value zero = { 0 };
  append(t->holes, &place);
  append(&f->values, &zero);
}

/* Appends the row's values; returns how many are missing. */
static size_t append_row(csv_columns *t, int has_key, uint32_t id)
{
  size_t missing = !has_key;
  for (size_t i = 0; i < t->count; i++)
    missing += !t->fields[i].is_good;
  for (size_t i = 0; i < t->count && has_key && (missing == 0 || !t->whole_rows); i++) {
    csv_field *const f = &t->fields[i];
    if (!f->is_good) {
      if (t->holes != NULL)
        append_hole(t, f);
      continue;
    }
    if (f->magnitude != 0)
      keep_integer(f->integers, f->magnitude, f->values.array.n);
    append(&f->values, &f->latest);
    if (t->key != NULL)
      append(&f->keys, &id);
  }
  return missing;
}

static void read_row(csv *c, const reading *r, csv_columns *t)
{
  const size_t line = c->line;
  const char *const row = c->at;
  size_t number = 0, filled = 0;
  uint32_t id = 0;
  int has_key = t->key == NULL;
  for (size_t i = 0; i < t->count; i++)
    t->fields[i].is_good = 0;
  for (int last = 0; !last;) {
    const cell cell = next_field(c);
    last = cell.is_last;
    number++;
    if (cell.text != cell.stop)
      filled = number;
    for (size_t i = 0; i < t->count; i++)
      if (t->fields[i].number == number)
        read_value(c, r, &t->fields[i], cell, number, line);
    if (t->key == NULL || t->key->number != number)
      continue;
    has_key = !(r->skip_missing && is_missing_word(r, cell.text, cell.stop));
    if (has_key)
      id = dictionary_add(t->keys, cell.text, (size_t)(cell.stop - cell.text));
  }
  if (number < c->last_wanted) {
    check_there(c, r, t->key, row, number, line);
    for (size_t i = 0; i < t->count; i++)
      check_there(c, r, &t->fields[i], row, number, line);
  }
  check_width(c, number, filled, line);
  c->tally.missing += append_row(t, has_key, id);
  end_row(c);
}

void parse_csv(const bytes *b, const reading *r, csv_columns *t)
{
  check_text(b, 1);
  csv c = begin_csv(b, r);
  int named = t->key != NULL && find_column(&c, t->key);
  for (size_t i = 0; i < t->count; i++) {
    named |= find_column(&c, &t->fields[i]);
    t->fields[i].values.array.type = t->fields[i].type;
    t->fields[i].keys.array.type = IW_U32;
    c.last_wanted = t->fields[i].number > c.last_wanted ? t->fields[i].number : c.last_wanted;
  }
  if (t->key != NULL && t->key->number > c.last_wanted)
    c.last_wanted = t->key->number;
  c.first = c.at;
  if (named || r->dialect.header == HEADER_YES || (r->dialect.header == HEADER_AUTO && has_names(&c, r, t)))
    read_names(&c, t);
  while (start_row(&c)) {
    read_row(&c, r, t);
    if (++c.rows % 65536 == 0)
      progress("reading", "B", (size_t)(c.at - b->data), b->size);
  }
  free(c.scratch);
  note_tally(b, r, &c.tally);
}
