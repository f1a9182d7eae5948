/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this folder offer the program: numbers, inputs, tables, outputs and pictures. */
#ifndef ISOWARP_TOOLS_IO_H
#define ISOWARP_TOOLS_IO_H

#include "../tool.h"

/* ---- ranks.c: --mpi ---- */

/* Starts MPI. kind: that of a module, or NULL. Standard output of all ranks but the first is discarded. */
void ranks_open(const char *kind);
int ranks_are_open(void);
/* Whether mpiexec has started this process. */
int ranks_are_started(void);
/* This rank, and their number; 0 and 1 without --mpi. */
unsigned ranks_rank(void);
unsigned ranks_count(void);
/* Ends the program on all ranks if one of them has failed. All ranks call this before they communicate. */
void ranks_agree(void);
/* For fail(): agrees that this rank has failed, and returns whether it is the one that prints. */
int ranks_failure(void);
/* For fail(): ends MPI. */
void ranks_end_failure(void);
void ranks_close(void);
/* The handle of distributed calls; NULL without --mpi. */
iw_distributed *ranks_handle(void);
void ranks_open_handle(iw_context *context);
void ranks_close_handle(void);
/* This rank's part of n elements, [*begin, *end): whole groups of order 1, but for the last. */
void ranks_range(size_t n, size_t *begin, size_t *end);
/* all = `size` bytes of rank 0, of rank 1, … */
void ranks_gather(const void *mine, void *all, size_t size);
/* Adds the values of all ranks. */
void ranks_sum(uint64_t *values, size_t n);
/* Returns the sum of what the ranks before this one have; *total: of all. */
uint64_t ranks_before(uint64_t mine, uint64_t *total);

/* ---- numbers.c ---- */

/* A type as NumPy names it in a .npy file: "<f4"; "" for bf16, for which it has no name. */
typedef struct npy_dtype { char s[8]; } npy_dtype;
npy_dtype npy_code(iw_type type);

/* Reads [text, end), all of it, as one number of the type; *end must be readable and no part of a number.
 * Returns NULL, or what is wrong, to be put behind the quoted text: "is not a number". */
const char *parse_value(iw_type type, const char *text, const char *end, void *element);
/* The same for an argument of an option; fails with a message that names the option. */
value parse_argument(iw_type type, const char *text, const char *option);
/* The nearest integers that are not above and not below a number of any size, exact up to 64 bits, or NaNs.
 * Returns whether the text is a number. */
int integers_around(const char *text, long double *low, long double *high);
/* Sets *v to an integer of the type; returns whether the type has it. */
int integer_value(iw_type type, long double number, value *v);
value least_integer(iw_type type);
/* Parses an integer from low to high. */
size_t parse_count(const char *text, const char *option, size_t low, size_t high);
/* Formats an element with the fewest digits that parse to its bits, NaN as "nan"; returns the length. */
enum { NUMBER_CHARS = 40 };
typedef struct number_text { char s[NUMBER_CHARS]; } number_text;
int format_value(iw_type type, const void *element, char text[NUMBER_CHARS]);
/* The same with this number of significant digits. */
int format_rounded(iw_type type, const void *element, int digits, char text[NUMBER_CHARS]);
/* For tables that people read: of f64 that are no integers the 15 digits that every decimal of so many
 * keeps, so that 13.28 is not 13.280000000000001; of other types as format_value(). */
int format_shown(iw_type type, const void *element, char text[NUMBER_CHARS]);
/* For JSON and CSV, whose readers take numbers as f64, and beside other numbers as f64, above or below which
 * it is: a float has the digits of its value as f64, so that 0.1 of f32 is 0.10000000149011612. */
number_text element_text(iw_type type, const void *element);
const void *element_at(iw_type type, const void *array, size_t index);
/* Floats of 1 and 2 bytes: explicit bits of the mantissa, which other types have none of, and bits of the
 * exponent. digits: decimal ones that always identify a number. range: what is wrong with a number beyond
 * the greatest. */
typedef struct half_format { int mantissa, exponent, digits; const char *range; } half_format;
half_format half_format_of(iw_type type);
int is_half(iw_type type);
/* The bits of the nearest number of such a type, ties to even; a NaN as the canonical one. */
uint16_t half_bits(iw_type type, double x);
/* The value of such bits. */
float half_value(iw_type type, uint16_t bits);

/* An element as the nearest double. */
double number_value(iw_type type, const void *element);
int is_float(iw_type type);

/* ---- input.c ---- */

typedef struct array {
  iw_type type;
  size_t n;
  const void *data;
  void *owned; /* for free(), or NULL */
} array;

/* Reads a file; "-" is standard input. */
array read_array(const char *path, const reading *reading);
/* The same of numbers that are compared: text of f64 may give i64 or u64, by with_integers(). */
array read_compared(const char *path, const reading *reading, const char *option);
/* What stands beside the elements of FILE, one for each of them: a file, or a column, array or field of FILE
 * if --column, --array or --field chooses the elements. */
typedef struct beside {
  const char *option, *name; /* "--weights", and what it was given */
  const char *things;   /* what it has, for messages; NULL: elements */
  int same_type;        /* --type is for it too; else text has the type of `kind` */
  enum { VALUES, FLAGS, KEYS } kind; /* f64, u8, f64; all but values are always a file */
  enum { ROUNDED, SUMMED, COMPARED } integers; /* text of f64 may give i64 or u64: with_integers() */
  array values;
} beside;
/* Reads FILE, and sets the values beside its elements. With --skip-missing an element goes if one of its
 * values is missing, and the other way round. */
array read_with(const settings *settings, beside *others, size_t count);
/* The same if one option, or none (name: NULL), names a file. */
array read_beside(const settings *settings, beside *other);
/* Fails if there is a text_option, and none of several files was text. */
void check_texts(const settings *settings, int texts);
/* Lets the system read n elements of a mapped file, from `first` on, while others are processed. n may be
 * too large. */
void read_ahead(const array *a, size_t first, size_t n);
/* A file that is read in batches: text and raw data of a pipe as they arrive, other files whole. */
typedef struct stream stream;
stream *stream_open(const char *path, const reading *reading);
iw_type stream_type(const stream *stream);
/* Reads the next elements, whose memory the caller frees; returns 0 at the end. */
int stream_next(stream *stream, array *batch);
void stream_close(stream *stream);

/* ---- dictionary.c: texts and their numbers, from 0 in the order in which they are added ---- */

typedef struct dictionary dictionary;
dictionary *dictionary_make(void);
void dictionary_free(dictionary *dictionary);
/* Returns the text's number, which is a new one if the text is. A text ends at its first 0. */
uint32_t dictionary_add(dictionary *dictionary, const char *text, size_t length);
size_t dictionary_count(const dictionary *dictionary);
/* Valid until the next addition. */
const char *dictionary_text(const dictionary *dictionary, size_t number);
/* The place of each text in ascending order, for free(): of numbers if all are numbers of the dialect, else
 * of bytes. */
uint32_t *dictionary_ranks(const dictionary *dictionary, const dialect *dialect);

/* ---- groups.c: --columns and --group-by ---- */

/* The elements of a column, each group's behind one another, in their order. */
typedef struct grouped_column {
  const char *name;     /* "" if it has none */
  array elements;
  uint64_t *places;     /* of each element in the column as it was read */
  uint64_t *offsets;    /* groups + 1: where each group begins */
} grouped_column;

typedef struct groups {
  grouped_column *columns;
  size_t column_count;
  size_t count;         /* groups; without --group-by 1 */
  char *key_name;       /* NULL: without --group-by */
  iw_type key_type;
  void *keys;           /* by group, if they are not texts */
  const char **texts;   /* by group, or NULL */
  dictionary *dictionary;
  array weights;        /* --weights: of the elements of the one column, as it was read */
} groups;

/* Reads what --column, --columns and --group-by choose of FILE. */
groups read_groups(const settings *settings, iw_context *context);
void free_groups(groups *groups);
/* Makes floats equal by value, in memory of their own. */
void keys_by_value(iw_context *context, array *keys);
/* The segments of a column's elements. */
iw_segments group_segments(const groups *groups, const grouped_column *column);

/* ---- table.c: results in columns ---- */

/* A column of results: elements, texts, or numbers that are formatted. */
typedef struct result_column {
  char name[256];
  int is_key;
  iw_type type;
  const void *data;
  const char *const *texts; /* NULL: elements, or numbers */
  const number_text *numbers;
  int digits;               /* of numbers, for people; 0: 15 */
  const char *absent;       /* by row: 1 if there is no result; NULL: there are all */
} result_column;

/* Changes names that come twice, which readers of JSON and CSV would not tell apart: "count (key)" is a key
 * beside a result "count", and "sum(x) (2)" the second column of this name. */
void tell_columns_apart(result_column *columns, size_t count);
/* Prints the rows under the columns' names as text, as CSV, or as a JSON array of objects. */
void text_table(const result_column *columns, size_t count, size_t rows);
void csv_table(const result_column *columns, size_t count, size_t rows);
void json_table(const result_column *columns, size_t count, size_t rows);
/* Prints one result; put_text is put_json_text, put_csv_text, or any other for plain text. */
void put_result(const result_column *column, size_t row, void (*put_text)(const char *));
/* A number as text for people: integers in full, others with so many digits. */
number_text shown_text(const number_text *number, int digits);
/* The column of the groups' keys. */
result_column key_column(const groups *groups);
/* A text in quotes, with JSON's escapes. JSON is UTF-8 (RFC 8259): a byte that is no part of a character of
 * it is taken as a character of Latin-1. */
void put_json_text(const char *text);
/* The text in UTF-8 by the same rule, as much as there is room for. */
void make_utf8(const char *text, char *out, size_t capacity);
/* A text as a CSV field. */
void put_csv_text(const char *text);

/* ---- npz.c ---- */

int is_npz(const char *data, size_t size);
/* Unpacks the .npy file of an array of a .npz file. wanted: its name, or NULL if the file has one only.
 * name: for messages. Returns memory for free(). */
char *read_npz(const char *name, const char *data, size_t size, const char *wanted, size_t *bytes);

/* ---- output.c ---- */

/* Writes elements to -o as .npy, or to standard output, one per line. */
void write_array(const settings *settings, iw_type type, const void *data, size_t n);
/* Writes a .npy file, "-" to standard output. */
void write_file(const char *path, iw_type type, const void *data, size_t n);
/* The same for bytes as they are. */
void write_bytes(const char *path, const void *data, size_t size);
/* Writes elements to standard output, one per line; finish_output() reports errors. */
void write_numbers(iw_type type, const void *data, size_t n);
/* The same for text that make(out) writes. option: for messages. */
void write_made(const char *option, const char *path, void (*make)(FILE *out));
/* Text within XML or HTML. A tab stays, other control characters are left out. */
void put_escaped(FILE *out, const char *text);
int ends_with(const char *name, const char *end);
/* Removes an incomplete file; safe in a signal handler. */
void discard_output(void);
/* Flushes standard output; fails after a write error. */
void finish_output(void);
/* Prints a text for a message. Characters that are not seen, which terminals may obey, and bytes that are no
 * UTF-8 are escapes: \u00a0, \xff. */
void put_seen(FILE *out, const char *text);
/* Prints "isowarp: …" to standard error, on one rank. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Makes a file with this temporary name one that discard_output() removes. */
void note_incomplete(char *name);

/* A file that is written. A regular one has a temporary name until end_file(). */
typedef struct destination {
  const char *path;    /* for messages */
  int file;
  char *name, *target; /* its name until it is complete, and then; NULL: a pipe or a device */
} destination;
destination begin_file(const char *path);
void end_file(destination *destination);
/* Whether a path is standard output, a pipe or a device, where bytes follow one another. */
int is_pipe(const char *path);
void write_all(int file, const char *name, const void *data, size_t bytes);
enum { NPY_HEADER = 128 }; /* bytes; the data follow */
void make_npy_header(char header[NPY_HEADER + 1], iw_type type, size_t n);
/* Fails if .npy has no dtype for the type. */
void check_dtype(const char *path, iw_type type);

/* Shows the progress of work of more than two seconds, its rate and the time left, if standard error is a
 * terminal. total: 0 if it is not known. */
void progress(const char *what, const char *unit, size_t done, size_t total);
void progress_end(void);

/* --stats: prints the time of the library's calls to standard error. */
double seconds_now(void);
void print_stats(const settings *settings, size_t elements, iw_type type, double seconds);

/* Prints a number as element_text() has it, for JSON NaN and infinities in quotes. */
void put_number_text(const char *text, int quoted);
void put_number(iw_type type, const void *element, int quoted);
/* "name": [a, b, …] */
void put_list(const char *name, iw_type type, const void *data, size_t n);

/* ---- parts.c: outputs that are written in parts ---- */

/* Elements of an input that are processed at a time: whole groups of order 1 (2^17). */
enum { PART = 1 << 23 };

/* n elements of a buffer, from `first` on, which go to `at` of the output. */
typedef struct piece {
  size_t at, first, n;
} piece;
typedef struct parts parts;
/* Begins the output of n elements, with buffers of `capacity` elements. Another n may be given to
 * parts_close() if parts_any_order(). */
parts *parts_open(const settings *settings, iw_type type, size_t n, size_t capacity);
/* Whether pieces may be written in any order: -o is a regular file. Else `at` of a piece has no meaning. */
int parts_any_order(const settings *settings);
/* The buffer for the next parts_write(). */
void *parts_buffer(const parts *parts);
/* Writes pieces of the buffer. more: other calls follow; the write may go on until the next one. */
void parts_write(parts *parts, const piece *pieces, size_t count, int more);
void parts_close(parts *parts, size_t n);

#endif
