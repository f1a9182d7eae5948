/* SPDX-License-Identifier: Apache-2.0
 *
 * What input.c and csv.c share: the bytes of a file, and arrays that grow number by number. */
#ifndef ISOWARP_INPUT_H
#define ISOWARP_INPUT_H

#include "tool.h"

/* The bytes of a file. For text parsers a 0 follows the last one. */
typedef struct bytes {
  const char *name; /* for messages */
  const char *data;
  size_t size;
  char *owned;      /* NULL: mapped */
  size_t lines_before; /* of the same file, for messages */
} bytes;

/* Reads a file for read_table(), with a 0 behind its bytes; fails if it is not CSV. */
bytes load_csv(const char *path, const reading *reading);
void release(bytes *b);
/* The first byte of the text, after a byte order mark if there is one. */
const char *text_start(const bytes *b);

/* An array that grows. */
typedef struct growing {
  array array;
  char *data;
  size_t capacity;
} growing;
void append(growing *g, const void *element);
array finished(growing *g);

_Noreturn void bad_token(const bytes *b, size_t line, const char *text, const char *end, const char *wrong);
/* Whether a field that is no number stands for one that is missing. */
int is_missing(const reading *r, const char *text, const char *end);
/* Reports that so many fields were skipped. */
void note_missing(const bytes *b, size_t count);

/* A column of CSV that is read. */
typedef struct csv_field {
  const char *wanted;  /* as it was typed: a name, or a number from 1 */
  const char *option;  /* that it was typed for, for messages */
  char *name;          /* of the row of names, or as typed */
  growing values;
  growing keys;        /* u32, the key of each value; without keys empty */
  size_t number;       /* from 1 */
  value latest;        /* of the row that is read */
  int is_good;         /* 0: missing */
} csv_field;

/* Parses fields of CSV. key: the column of keys, or NULL; keys: what it holds. */
struct dictionary;
void parse_csv(const bytes *b, const reading *reading, csv_field *fields, size_t count, csv_field *key,
               struct dictionary *keys);

#endif
