/* SPDX-License-Identifier: Apache-2.0
 *
 * Results in rows and columns, as text, CSV (RFC 4180) or JSON (RFC 8259). */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put_json_text(const char *text)
{
  putchar('"');
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      printf("\\%c", *text);
    else if ((unsigned char)*text < ' ')
      printf("\\u%04x", (unsigned char)*text);
    else
      putchar(*text);
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

void put_result(const result_column *c, size_t row, void (*put_text)(const char *))
{
  const int is_json = put_text == put_json_text;
  if (c->absent != NULL && c->absent[row])
    fputs(is_json ? "null" : put_text == put_plain_text ? "-" : "", stdout);
  else if (c->texts != NULL)
    put_text(c->texts[row]);
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
  char text[NUMBER_CHARS];
  if (c->absent != NULL && c->absent[row])
    return 1;
  if (c->texts != NULL)
    return text_width(c->texts[row]);
  if (c->numbers != NULL)
    return (int)strlen(c->numbers[row].s);
  return format_value(c->type, element_at(c->type, c->data, row), text);
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

result_column key_column(const groups *g)
{
  result_column c = { .type = g->key_type, .data = g->keys, .texts = g->texts };
  snprintf(c.name, sizeof c.name, "%s", g->key_name);
  return c;
}
