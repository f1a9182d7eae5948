/* SPDX-License-Identifier: Apache-2.0
 *
 * What input.c and csv.c share: the bytes of a file, and arrays that grow number by number. */
#ifndef ISOWARP_INPUT_H
#define ISOWARP_INPUT_H

#include "io.h"

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

/* What reading a file found besides numbers. */
typedef struct tally {
  size_t missing;  /* fields that were skipped */
  size_t comments; /* lines that were skipped and may have been meant as data */
  size_t rounded;  /* integers that f64, which nobody has asked for, does not have */
} tally;
void note_tally(const bytes *b, const reading *r, const tally *t);

/* Copies a number with the dialect's separators as C writes it; returns its length, or 0 if a separator
 * stands where none belongs: groups behind the first have three digits, and the first has one to three. */
size_t copy_number(const dialect *d, const char *text, const char *end, char *copy);

/* The integers of 64 bits in a column of f64 that f64 rounds: the place and the magnitude of each. */
struct integers {
  growing places, magnitudes;
};
typedef struct integers integers;
/* The magnitude of a field if it is one, else 0. */
uint64_t rounded_integer(const reading *r, const char *text, const char *end);
void keep_integer(integers *kept, uint64_t magnitude, size_t place);
/* The column as i64 or u64 if f64 has rounded some of it, all are integers, and they or, if are_summed, their
 * sums cannot leave the type. Else the column as it is, with a note if some are rounded. Frees what is kept.
 * option: for messages. */
array with_integers(array column, integers *kept, int are_summed, const char *option);

/* Fails if text has bytes that text does not have, and says what they may be. */
void check_text(const bytes *b, int is_csv);

/* Whether a byte is one that separates numbers, line ends excluded. */
static inline int is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static inline int is_line_end(char c)
{
  return c == '\n' || c == '\r';
}

/* Skips lines at the beginning; *line is the number of the line that begins at `at`. */
const char *skip_lines(const reading *r, const char *at, const char *end, size_t *line);

/* Whether a line that begins with the comment character may be data: a number follows it. */
int is_doubtful_comment(const char *text, const char *end);

/* A field that is read: whether it is a number, and if not, what it is. */
typedef enum field_kind { FIELD_NUMBER, FIELD_MISSING, FIELD_WRONG } field_kind;
/* Reads one as parse_value() does, with the dialect's separators and --skip-missing's words. *wrong: what is
 * wrong with it. */
field_kind read_field(const reading *r, iw_type type, const char *text, const char *end, value *v,
                      const char **wrong, tally *t);
/* What option would take a field that is wrong, or NULL; valid until the next call. */
const char *way_out(const reading *r, iw_type type, const char *text, const char *end);
/* The same for separators within numbers. */
const char *separator_way_out(const reading *r, iw_type type, const char *text, const char *end);
/* Whether a field is a number with a comment behind it. */
int is_commented_number(const reading *r, const char *text, const char *end);
/* Fails because of a field. way: an option that would take it, or NULL. */
_Noreturn void bad_field(const bytes *b, size_t line, const char *text, const char *end, const char *wrong,
                         const char *way);
/* Whether a field is a word for a missing value, also without --skip-missing. */
int is_missing_word(const reading *r, const char *text, const char *end);

/* A column of CSV that is read. */
typedef struct csv_field {
  const char *wanted;  /* as it was typed: a name, name=NAME, or a number from 1 */
  const char *option;  /* that it was typed for, for messages */
  iw_type type;
  char *name;          /* of the row of names, or as typed */
  growing values;
  growing keys;        /* u32, the key of each value; without keys empty */
  size_t number;       /* from 1 */
  value latest;        /* of the row that is read */
  int is_good;         /* 0: missing */
  integers *integers;  /* keeps those that f64 rounds; NULL: they are counted for a note */
  uint64_t magnitude;  /* of the latest value if it is one of them; 0: it is none */
} csv_field;

/* What is read of CSV. */
typedef struct csv_columns {
  csv_field *fields;
  size_t count;
  csv_field *key;          /* the column of keys, or NULL */
  struct dictionary *keys; /* what it holds */
  int whole_rows;          /* a row that misses a field is skipped; else its other fields are not */
  growing *holes;          /* of one field: the u64 places of missing values, which are 0; NULL: skipped */
} csv_columns;
void parse_csv(const bytes *b, const reading *reading, csv_columns *table);

/* The elements in place, or a copy if they are not aligned to their type. */
array binary_array(bytes *b, size_t offset, iw_type type, size_t n);

/* npy.c */
int is_npy(const char *data, size_t size);
/* Parses an array of a .npy file. number: from 1; 0: the first, and a note if there are more. */
array parse_npy(bytes *b, const reading *reading, size_t number);

/* Reads a file, and the u64 places of missing values, where the elements are 0; NULL: they are skipped. */
array read_array_holes(const char *path, const reading *reading, growing *holes);

#endif
