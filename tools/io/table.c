/* SPDX-License-Identifier: Apache-2.0
 *
 * Results in rows and columns, as text, CSV (RFC 4180) or JSON (RFC 8259). */
#include "io.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of the UTF-8 character that text begins with (RFC 3629); 0: none. */
static int character_bytes(const char *text)
{
  const unsigned char *const b = (const unsigned char *)text;
  const int bytes = b[0] < 0x80 ? 1 : b[0] < 0xc2 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf5 ? 4 : 0;
  uint32_t code = b[0] & (0x7f >> bytes);
  for (int i = 1; i < bytes; i++) {
    if ((b[i] & 0xc0) != 0x80) /* the 0 at the end, too */
      return 0;
    code = code << 6 | (b[i] & 0x3f);
  }
  const int is_overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  return is_overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : bytes;
}

void make_utf8(const char *text, char *out, size_t capacity)
{
  size_t at = 0;
  while (*text && at + 5 <= capacity) {
    const unsigned char byte = (unsigned char)*text;
    const int bytes = character_bytes(text);
    if (bytes > 0)
      memcpy(out + at, text, (size_t)bytes);
    else {
      out[at] = (char)(0xc0 | byte >> 6);
      out[at + 1] = (char)(0x80 | (byte & 0x3f));
    }
    at += bytes ? (size_t)bytes : 2;
    text += bytes ? bytes : 1;
  }
  out[at] = '\0';
}

void put_json_text(const char *text)
{
  putchar('"');
  while (*text) {
    const unsigned char byte = (unsigned char)*text;
    const int bytes = character_bytes(text);
    if (byte == '"' || byte == '\\')
      printf("\\%c", byte);
    else if (byte < ' ' || bytes == 0)
      printf("\\u%04x", byte);
    else
      fwrite(text, 1, (size_t)bytes, stdout);
    text += bytes ? bytes : 1;
  }
  putchar('"');
}

void put_csv_text(const char *text)
{
  if (text[strcspn(text, ",\"\r\n")] == '\0') {
    fputs(text, stdout);
    return;
  }
  putchar('"');
  for (; *text; text++)
    printf(*text == '"' ? "\"\"" : "%c", *text);
  putchar('"');
}

/* Texts of the file may have control characters, which terminals obey. */
static void put_plain_text(const char *text)
{
  for (; *text; text++)
    putchar((unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
}

/* One with more digits than a double has is no double, and keeps them. */
number_text shown_text(const number_text *text, int digits)
{
  number_text shown;
  const double number = strtod(text->s, NULL);
  shown.s[format_value(IW_F64, &number, shown.s)] = '\0';
  if (strcmp(shown.s, text->s) == 0 && number != trunc(number))
    shown.s[format_rounded(IW_F64, &number, digits, shown.s)] = '\0';
  else
    shown = *text;
  return shown;
}

static number_text shown_number(const result_column *c, size_t row)
{
  number_text shown;
  if (c->numbers != NULL)
    return shown_text(&c->numbers[row], c->digits ? c->digits : 15);
  shown.s[format_shown(c->type, element_at(c->type, c->data, row), shown.s)] = '\0';
  return shown;
}

void put_result(const result_column *c, size_t row, void (*put_text)(const char *))
{
  const int is_json = put_text == put_json_text;
  if (c->absent != NULL && c->absent[row])
    fputs(is_json ? "null" : put_text == put_plain_text ? "-" : "", stdout);
  else if (c->texts != NULL)
    put_text(c->texts[row]);
  else if (put_text == put_plain_text)
    fputs(shown_number(c, row).s, stdout);
  else if (c->numbers != NULL)
    put_number_text(c->numbers[row].s, is_json);
  else
    put_number(c->type, element_at(c->type, c->data, row), is_json);
}

/* Characters of UTF-8, each of which begins with a byte that is not 10xxxxxx. */
static int text_width(const char *text)
{
  int width = 0;
  for (; *text; text++)
    width += (*text & 0xc0) != 0x80;
  return width;
}

static int result_width(const result_column *c, size_t row)
{
  if (c->absent != NULL && c->absent[row])
    return 1;
  if (c->texts != NULL)
    return text_width(c->texts[row]);
  return (int)strlen(shown_number(c, row).s);
}

/* Texts are on the left of their columns, numbers on the right. Nothing follows the last one. */
static void put_padded(const result_column *c, size_t row, int is_name, int width, int is_last)
{
  const int blanks = width - (is_name ? text_width(c->name) : result_width(c, row));
  if (c->texts == NULL)
    printf("%*s", blanks, "");
  if (is_name)
    put_plain_text(c->name);
  else
    put_result(c, row, put_plain_text);
  if (!is_last)
    printf("%*s", c->texts != NULL ? blanks + 2 : 2, "");
}

void text_table(const result_column *columns, size_t count, size_t rows)
{
  int *const widths = need(count, sizeof *widths);
  for (size_t i = 0; i < count; i++) {
    widths[i] = text_width(columns[i].name);
    for (size_t row = 0; row < rows; row++) {
      const int width = result_width(&columns[i], row);
      widths[i] = width > widths[i] ? width : widths[i];
    }
  }
  for (size_t i = 0; i < count; i++)
    put_padded(&columns[i], 0, 1, widths[i], i + 1 == count);
  putchar('\n');
  for (size_t row = 0; row < rows; row++) {
    for (size_t i = 0; i < count; i++)
      put_padded(&columns[i], row, 0, widths[i], i + 1 == count);
    putchar('\n');
  }
  free(widths);
}

void csv_table(const result_column *columns, size_t count, size_t rows)
{
  for (size_t i = 0; i < count; i++) {
    fputs(i ? "," : "", stdout);
    put_csv_text(columns[i].name);
  }
  putchar('\n');
  for (size_t row = 0; row < rows; row++) {
    for (size_t i = 0; i < count; i++) {
      fputs(i ? "," : "", stdout);
      put_result(&columns[i], row, put_csv_text);
    }
    putchar('\n');
  }
}

void json_table(const result_column *columns, size_t count, size_t rows)
{
  putchar('[');
  for (size_t row = 0; row < rows; row++) {
    for (size_t i = 0; i < count; i++) {
      fputs(i ? ", " : row ? ", {" : "{", stdout);
      put_json_text(columns[i].name);
      fputs(": ", stdout);
      put_result(&columns[i], row, put_json_text);
    }
    putchar('}');
  }
  putchar(']');
}

/* Whether another column has the name of column i; of those that are no keys, one before it. */
static int has_name_of(const result_column *columns, size_t count, size_t i)
{
  for (size_t k = 0; k < (columns[i].is_key ? count : i); k++)
    if (k != i && !columns[k].is_key && strcmp(columns[k].name, columns[i].name) == 0)
      return 1;
  return 0;
}

void tell_columns_apart(result_column *columns, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    char name[sizeof columns->name];
    memcpy(name, columns[i].name, sizeof name);
    for (unsigned number = 2; has_name_of(columns, count, i); number++)
      if (columns[i].is_key && number == 2)
        snprintf(columns[i].name, sizeof name, "%.200s (key)", name);
      else
        snprintf(columns[i].name, sizeof name, "%.200s%s (%u)", name, columns[i].is_key ? " (key)" : "", number);
  }
}

result_column key_column(const groups *g)
{
  result_column c = { .is_key = 1, .type = g->key_type, .data = g->keys, .texts = g->texts };
  snprintf(c.name, sizeof c.name, "%s", g->key_name);
  return c;
}
