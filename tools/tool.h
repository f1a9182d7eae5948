/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files of the program share. The program uses the library's public interface only. */
#ifndef ISOWARP_TOOL_H
#define ISOWARP_TOOL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <isowarp.h>
#include <isowarp/peers.h>
#include <isowarp/strategies.h>

#include <stdio.h>

/* Exit statuses. */
enum { STATUS_GOOD = 0, STATUS_CHECK_FAILED = 1, STATUS_BAD = 2, STATUS_FINDING = 3 };

/* One element of any type. */
typedef union value {
  uint8_t u8;
  uint16_t u16; /* f16 and bf16 too, as bits */
  int8_t i8;
  int16_t i16;
  int32_t i32;
  uint32_t u32;
  int64_t i64;
  uint64_t u64;
  float f32;
  double f64;
} value;

/* ---- main.c: errors ---- */

/* Prints "isowarp: …", removes an incomplete output file, and exits with STATUS_BAD. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Fails with the library's message unless status is IW_OK; exits with STATUS_FINDING if it is a finding. */
void must(iw_status status);
/* From now on messages of the library's name the options of this axis: "y-" for --y-range; NULL: --range. */
void name_axis(const char *axis);
/* From now on they say that the range is that of the samples, and not what --range was given. */
void name_range(int is_of_samples);
/* Ends the program by SIGPIPE, as it would have ended without a handler. Returns if its parent has chosen to
 * ignore SIGPIPE. */
void end_by_pipe(void);
/* Writes the path of this program, or an empty text if the system does not tell. */
void find_program(char *path, size_t capacity);
/* Allocate and reallocate memory, also of 0 bytes; fail if there is none. */
void *need(size_t count, size_t size);
void *need_more(void *memory, size_t count, size_t size);

/* ---- options.c: the command line ---- */

enum { /* the subcommands as bits, for the table of options */
  HISTOGRAM = 1, SCAN = 2, REDUCE = 4, PARTITION = 8, SELECT = 16, EXTRACT = 32, MULTISPLIT = 64,
  VERIFY = 128, INFO = 256, DEMO = 512, BENCH = 1024, RUN = 2048, COMPILE = 4096, UNIQUE = 8192,
  RUN_LENGTHS = 16384, SORT = 32768, DESCRIBE = 65536, DIGITIZE = 131072, TOP_K = 262144, NTH = 524288,
  MEDIAN = 1048576, MERGE = 2097152, CUDA = 4194304,
  WITH_RANKS = HISTOGRAM | SCAN | REDUCE | PARTITION | SELECT | EXTRACT | MULTISPLIT | SORT | DESCRIBE, /* that take --mpi */
  WITH_FILE = WITH_RANKS | UNIQUE | RUN_LENGTHS | DIGITIZE | TOP_K | NTH | MEDIAN | MERGE /* that read numbers */
};

typedef enum format { FORMAT_AUTO, FORMAT_NPY, FORMAT_RAW, FORMAT_TEXT, FORMAT_CSV } format;

enum { BLANKS = 0 }; /* a delimiter */
enum { NO_CHARACTER = 0 }; /* no quote, comment or thousands: text has no such byte */

/* Whether the first row of CSV has names; AUTO: if a wanted field of it is no number. */
typedef enum header { HEADER_AUTO, HEADER_YES, HEADER_NO } header;

/* How text is divided into rows, fields and numbers; doc/input.md describes it. */
typedef struct dialect {
  char delimiter;       /* between CSV fields; BLANKS: any number of blanks and tabs */
  char quote, comment;  /* of CSV fields; at the beginning of a line */
  char decimal;         /* '.' or ',' */
  char thousands;       /* between groups of three digits of a number */
  header header;
  int ragged;           /* rows of CSV may have more or fewer fields than the first */
  int is_comment_given; /* by an option, so that nobody has to be told what is skipped */
} dialect;
extern const dialect plain_dialect; /* input.c: without options */

/* How a file is read. */
typedef struct reading {
  int has_type;
  iw_type type;         /* of --type; without has_type the type of text */
  format format;
  const char *column;   /* CSV: a name, or a number from 1 */
  const char *array;    /* .npz: the array's name; .npy: its number from 1; or NULL */
  const char *field;    /* .npy of records: the field's name, or NULL */
  dialect dialect;
  size_t skip_lines;    /* of text and CSV, at the beginning */
  int truth;            /* accept NumPy's bool as u8 */
  int any_type;         /* .npy may have elements of another type, and text integers of 64 bits: the caller converts */
  int beside_raw;       /* --format raw was given for the elements: a file beside them that is no text is raw, too */
  int takes_type, takes_skip; /* --type and --skip-missing are options for this file, for messages */
  int skip_missing;     /* text and CSV: skip empty fields and words such as NA */
  const char *missing;  /* more such words, with commas in between, or NULL */
  const char *text_option; /* an option that does nothing unless a file is text or CSV, "skip-missing", or NULL */
  int *texts;           /* counts files of text and CSV; NULL: one that is none fails at once if there is a text_option */
  int finds_places;     /* results have places of elements, which do not count what is skipped */
  const char *member;   /* of which --arg gives the type, "const float *in"; NULL: --type gives it */
} reading;

/* What an option that may be repeated was given. */
typedef struct texts {
  const char **at;
  size_t count;
} texts;

typedef struct settings {
  const struct command *command;
  char **operands;
  int operand_count;
  reading input;
  const char *output;   /* -o, or NULL for text on standard output */
  int stats, json;
  const char *quantiles; /* describe; NULL: the quartiles */
  const char *columns;  /* a list of CSV columns, or NULL */
  const char *group_by; /* the keys of groups, or NULL */
  const char *plot;     /* the picture's file, or NULL */
  iw_context_options context;
  unsigned warp_size;   /* demo, run; 0: not given */
  /* scan and reduce */
  int exclusive, find_index, keep_type; /* find_index: argmin or argmax */
  iw_op op;
  const char *op_name;  /* as --op has it */
  const char *init;
  /* scan of segments */
  const char *keys, *offsets_file;
  int by_value;         /* of keys; unique and run-lengths too */
  int has_row_length;
  size_t row_length;
  /* partition, select and scan */
  const char *pivot, *flags;
  int compares;         /* an option such as --less, with the constant pivot */
  iw_compare compare;
  const char *compare_option; /* "--less" */
  int count_only;
  /* bins */
  int has_bins, has_policy, closed_top;
  size_t bins;
  const char *range, *edges, *power, *grow;
  int log;
  const char *axis;     /* before names of options in messages: "y-" for --y-bins; NULL: nothing */
  const char *weights;  /* of a histogram's samples, or NULL */
  const char *y;        /* the second samples of a histogram of pairs, or NULL */
  int has_y_bins;
  size_t y_bins;
  const char *y_range, *y_edges, *y_power;
  int y_log;
  unsigned letters;     /* letters per bin; 0: samples are numbers */
  iw_policy policy;
  iw_strategy_options counting; /* the histogram strategy */
  int has_extract, offsets, order, csv;
  unsigned bit, bits;   /* bits: 0 for bins */
  size_t extract;       /* -k */
  /* sort, top-k */
  int descending, argsort, smallest;
  const char *by;
  /* verify */
  int print_only;
  /* info */
  int measure;
  /* bench */
  int strategies;
  size_t samples;       /* 0: not given */
  /* run */
  size_t grid;          /* 0: not given */
  unsigned block;       /* 0: not given */
  texts args, expect, save; /* NAME=VALUE */
  const char *kernel, *checks, *trace, *timeline;
  const char *counts;   /* the file of --count=FILE; NULL: none */
  int watch;
  const char *grid_text, *block_text; /* of .cu files: X, X,Y or X,Y,Z */
  size_t shared;        /* bytes of dynamic shared memory */
  char **program_arguments; /* behind --, up to NULL */
  size_t explore;       /* seconds; 0: not given */
  texts results;        /* names */
} settings;

typedef struct command {
  const char *name;
  unsigned bit;
  const char *operands, *summary, *notes, *example;
  int (*run)(const settings *settings); /* returns the exit status */
} command;

/* An option. An option that differs between subcommands has several rows. */
typedef struct option_row {
  const char *name;
  int code;             /* a letter if it has one, as "-o" */
  const char *argument; /* NULL: takes none; "[X]": may take one */
  unsigned commands;    /* those that take it */
  const char *help;
} option_row;
extern const option_row option_rows[];
extern const int option_row_count;
/* The words that an option may be given, up to NULL; NULL: others. command: the subcommand's bit. */
const char *const *option_values(int code, unsigned command);

/* help.c: the table of options as help, as a man page in roff (command: NULL: of the program), and for the
 * completion of bash and zsh. */
void print_help(const command *command);
void print_manual(const command *command);
void print_completion_bash(void);
void print_completion_zsh(void);

/* The subcommands; the last one has no name. */
extern const command commands[];

/* Reads the arguments after the subcommand's name. --help prints help and exits. */
settings read_options(const command *command, int argc, char **argv);
extern const char *const backend_names[]; /* by iw_backend */
/* The one FILE operand. */
const char *input_file(const settings *settings);
iw_context *open_context(const settings *settings);
/* Closes the context of open_context(), if there is one. */
void close_context(void);

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
/* Parses an integer from low to high. */
size_t parse_count(const char *text, const char *option, size_t low, size_t high);
/* Formats an element with the fewest digits that parse to its bits, NaN as "nan"; returns the length. */
enum { NUMBER_CHARS = 40 };
typedef struct number_text { char s[NUMBER_CHARS]; } number_text;
int format_value(iw_type type, const void *element, char text[NUMBER_CHARS]);
/* The same with this number of significant digits. */
int format_rounded(iw_type type, const void *element, int digits, char text[NUMBER_CHARS]);
/* For tables that people read: of f64 that are no integers the 15 digits that every decimal of so many keeps, so that 13.28 is not
 * 13.280000000000001; of other types as format_value(). */
int format_shown(iw_type type, const void *element, char text[NUMBER_CHARS]);
const void *element_at(iw_type type, const void *array, size_t index);
/* The bits of the f16 or bf16 nearest to x, ties to even; a NaN as the canonical one. */
uint16_t half_bits(iw_type type, double x);
/* The value of an f16 or a bf16. */
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
/* What stands beside the elements of FILE, one for each of them: a file, or a column, array or field of FILE
 * if --column, --array or --field chooses the elements. */
typedef struct beside {
  const char *option, *name; /* "--weights", and what it was given */
  const char *things;   /* what it has, for messages; NULL: elements */
  int same_type;        /* --type is for it too; else text has the type of `kind` */
  enum { VALUES, FLAGS, KEYS, SORT_KEYS } kind; /* f64, u8, i64, f64; all but values are always a file */
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
/* The place of each text in ascending order, for free(): of numbers if all are numbers (*are_numbers is 1
 * then), else of bytes. */
uint32_t *dictionary_ranks(const dictionary *dictionary, int *are_numbers);

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

/* Changes names that come twice, which readers of JSON and CSV would not tell apart: "count (key)" is a key beside a result
 * "count", and "sum(x) (2)" the second column of this name. */
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
/* A text in quotes, with JSON's escapes. JSON is UTF-8 (RFC 8259): a byte that is no part of a character of it is taken as a
 * character of Latin-1. */
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

/* ---- bins.c ---- */

/* A specification of bins, and the memory that it points to. */
typedef struct bins {
  iw_histogram_spec spec;
  int is_closed;        /* the last edge is in the last bin */
  value lo, hi;
  array edges;
  uint16_t map[256];
} bins;


/* Fills in *bins from the options. Without a range it is that of the samples. Without --bins there are 10, or fewer if
 * integers have not as many values. */
void read_bins(bins *bins, const settings *settings, iw_context *context, const array *samples);

/* "[43, 51.83)" or "a-d": the name of bin k. digits: of edge_digits(). */
enum { LABEL_CHARS = 2 * NUMBER_CHARS + 8 };
void make_label(const bins *bins, iw_type type, const void *edges, int digits, size_t k, char label[LABEL_CHARS]);
/* The least number of digits, from 4, with which neighbouring edges are printed differently. */
int edge_digits(iw_type type, const void *edges, size_t count);

/* ---- results.c: JSON and CSV; plot.c: pictures ---- */

/* A histogram. edges: bins + 1, or NULL: bins of this number of letters. */
typedef struct histogram_table {
  iw_type type;
  size_t samples, bins;
  const void *edges;
  int is_closed;        /* the last edge is in the last bin */
  int is_log;           /* the picture's axis is logarithmic */
  unsigned letters;
  const uint64_t *counts;
  const void *sums;     /* of weights, instead of counts; NULL: counts */
  iw_type sum_type;
  uint64_t below, above, nan;
} histogram_table;

/* A histogram of pairs: counts[i * y_bins + k]. Each axis has one edge more than bins. */
typedef struct histogram_2d {
  size_t samples;
  iw_type x_type, y_type;
  size_t x_bins, y_bins;
  int x_is_closed, y_is_closed, x_is_log, y_is_log;
  const void *x_edges, *y_edges;
  const uint64_t *counts;
} histogram_2d;

/* Prints a number, for JSON NaN and infinities in quotes. */
void put_number_text(const char *text, int quoted);
void put_number(iw_type type, const void *element, int quoted);
/* "name": [a, b, …] */
void put_list(const char *name, iw_type type, const void *data, size_t n);
void json_histogram(const histogram_table *table);
/* The members of JSON that are about edges. */
void put_edges(const histogram_table *table);
/* The last members of JSON, how many samples are outside the bins. */
void put_outside(const histogram_table *table);
/* Prints to standard error how many samples are in no bin, if there are any. */
void note_dropped(const histogram_table *table, iw_policy policy);
void json_histogram_2d(const histogram_2d *table);
void csv_histogram_2d(const histogram_2d *table);
void plot_histogram_2d(const char *path, const histogram_2d *table);
void csv_histogram(const histogram_table *table);
/* index: of argmin and argmax, or NULL. */
void json_reduction(const char *op, iw_type in_type, size_t n, iw_type type, const void *result,
                    const uint64_t *index);

/* Fails if a picture of --plot cannot have that path's ending, or nothing can draw it. */
void plot_check(const char *path);
void plot_histogram(const char *path, const histogram_table *table);
/* Groups of bars side by side: values[group * series + s]. */
typedef struct bar_chart {
  const char *title, *unit;
  size_t groups, series;
  const char *const *group_names, *const *series_names;
  const double *values;
} bar_chart;
void plot_bars(const char *path, const bar_chart *chart);
/* A curve of n outputs, which are added in parts. Without a plot_begin() the others do
 * nothing. */
void plot_begin(const char *path, size_t n);
void plot_add(iw_type type, const void *data, size_t first, size_t n);
void plot_end(const char *title);

/* ---- scan.c ---- */

/* Fails unless --op is an operation of the type. */
void check_op(const settings *settings, iw_type type);
/* The type of results of --op. */
iw_type result_type(const settings *settings, iw_type type);
/* n elements from `first` on, converted to the type if it is another one. Valid until the next call. */
const void *elements(const array *in, iw_type type, size_t first, size_t n);
/* iw_reduce() of a long array. result: one element of the type. */
void reduce_parts(iw_context *context, iw_op op, iw_type type, const array *in, const void *init,
                  void *result);

/* ---- partition.c ---- */

/* Calls of the library with simple tests. */
iw_status select_bin(iw_context *context, const array *in, const iw_histogram_spec *bins, size_t bin,
                     void *out, size_t *count);
iw_status partition_below(iw_context *context, const array *in, const void *pivot, void *out, size_t *count);
iw_status scan_segments(iw_context *context, iw_op op, int exclusive, const array *in,
                        const iw_segments *segments, void *out, const void *init);

/* Prints the samples of bin --extract. */
void print_bin(const settings *settings, const iw_histogram_spec *bins, iw_context *context,
               const array *in);

/* ---- declarations.c ---- */

/* A member of a struct: "in", and "const float *in". */
typedef struct member {
  char *name, *declaration;
  int is_bit_field;
} member;

/* A kernel of IW_KERNEL, and the members of its argument struct, as far as they have names. */
typedef struct declared_kernel {
  char *name;
  member *members;
  size_t member_count;
} declared_kernel;

typedef struct declarations {
  declared_kernel *kernels;
  size_t kernel_count;
  char **files; /* that the text was made of, without headers of the system */
  size_t file_count;
} declarations;

/* Reads C that the compiler has preprocessed for the simulated GPU. Any text may be given. */
declarations read_declarations(const char *text, size_t size);

/* ---- launches.c: CUDA C++ ---- */

/* A __global__ function. Of a template, or of several with one name, the arguments say which it is. */
typedef struct cuda_kernel { char *name, *parameters; int is_template; } cuda_kernel;
/* main_line: of the definition of main(); 0: there is none. */
typedef struct cuda_kernels { cuda_kernel *at; size_t count; int main_line; } cuda_kernels;
/* Makes C++ of preprocessed CUDA C++, and adds its kernels to the list. headers: the folder of CUDA's headers, whose text is not
 * the user's. Fails with the line of what cannot run. */
char *rewrite_launches(const char *in, size_t size, const char *headers, cuda_kernels *kernels, size_t *out_size);

/* ---- compile.c ---- */

/* A command line that grows. */
typedef struct command_line {
  char **at; /* NULL behind the last word */
  size_t count;
} command_line;
void add_words(command_line *c, const char *first, ...) __attribute__((sentinel));
/* Adds the words of a text with blanks in between, as of CFLAGS. */
void split_words(command_line *c, const char *text);
void free_words(command_line *c);
/* Makes a temporary folder, which discard_compilation() removes. */
void make_folder(void);
/* The path of a file in it. */
const char *temporary_file(const char *name);
/* Runs a command; its messages go to standard error. Returns its exit status. */
int run_command(const command_line *c);
/* -I and the folders of the library's headers. */
void add_includes(command_line *c);
char *read_text(const char *path, size_t *size);

/* What a pointer or an array of the argument struct consists of, or a scalar is. */
typedef enum member_kind { MEMBER_OTHER, MEMBER_SCALAR, MEMBER_POINTER, MEMBER_ARRAY } member_kind;

/* What the compiler says of a member. */
typedef struct member_type {
  size_t offset, size, alignment;
  member_kind kind;
  size_t element_size;  /* of a pointer or an array; a scalar's size; 1 for void */
  int has_type, is_void, is_const;
  iw_type type;         /* if has_type */
} member_type;

/* One launch of --kernel. */
typedef struct launch {
  const declared_kernel *declared;
  const iw_kernel *kernel;
  size_t grid;
} launch;

/* The kernels of a file that are to be launched, compiled and loaded. */
typedef struct compiled_kernel {
  launch *launches;     /* one after the other, with the same arguments */
  size_t launch_count;
  const declared_kernel *declared; /* the first */
  member_type *types;   /* of its members */
} compiled_kernel;

/* Where a kernel is compiled for: --backend, else ISOWARP_BACKEND, else the simulated GPU. */
iw_backend backend_of(const settings *settings);
/* Compiles the file for a backend, and loads it; fails, after the compiler's messages, if that is not
 * possible. With -o the shared object is copied there. isa: an instruction set of the CPU backend.
 * note_files is called as soon as the files are known that were read. */
compiled_kernel compile_kernel(const settings *settings, iw_backend backend, const char *isa,
                               void (*note_files)(const declarations *));
/* "const float *in, float *out": for messages. */
char *list_members(const declared_kernel *kernel);
/* The same for CUDA C++ (cuda.c): an executable with a main function of its own. It has no launches. */
int is_cuda_file(const char *path);
compiled_kernel compile_cuda_kernel(const settings *settings);
/* Runs it. write_arguments: writes for each parameter its number of bytes, as 64 bits, and the bytes; the highest bit of the number:
 * there are none, as nothing has written what the pointer leads to. *results: a file with what pointers lead to. Returns the
 * exit status. */
int run_cuda_program(const settings *settings, void (*write_arguments)(FILE *, void *), void *user, const char **results);
/* Ends compilers that run, and removes temporary files; safe in a signal handler. */
void discard_compilation(void);
/* A process that discard_compilation() ends; 0: none. */
void set_watched_process(int process);

/* run.c: runs trial() on the simulated GPU in processes of their own under several schedules, numbers of resident
 * blocks and seeds, which it has from the environment, until one returns another status than STATUS_GOOD or the time
 * is up. Shows what that one printed, or the first one, and returns its status. */
int explore(size_t seconds, int (*trial)(void *), void *user);

/* ---- trace.c, timeline.c, counts.c: what the simulated GPU has seen ---- */

struct iw_sim_event;
/* Fails if the path's ending is none that a trace can have. */
void trace_check(const char *path);
/* Names an array of the device; its elements have a type if has_type. */
void trace_array(const void *memory, const char *name, int has_type, iw_type type);
/* Events of iw_sim_set_trace(). */
void trace_event(const struct iw_sim_event *event);
/* Writes what has been traced, as .txt, .svg or .html. */
void trace_write(const char *path);

/* The same for slices of warps, as .json. */
void timeline_check(const char *path);
void timeline_event(const struct iw_sim_event *event);
void timeline_write(const char *path);

/* The same for the source with the counts of the context, as .txt or .html. */
void counts_check(const char *path);
void counts_write(iw_context *context, const char *path);

/* ---- the subcommands ---- */

int run_histogram(const settings *settings);
int run_histogram_weighted(const settings *settings);
/* histogram.c: sets how many samples are outside the bins. */
void count_outside(iw_context *context, const bins *bins, const array *samples, histogram_table *table);
/* histogram.c: the type of sums of weights. */
iw_type weight_sum_type(iw_type weight_type);
int run_histogram_2d(const settings *settings);
int run_histogram_groups(const settings *settings);
int run_histogram_growing(const settings *settings);
/* histogram.c: writes the counts in all forms that the options ask for. in: only its type and n are used. */
void write_histogram(const settings *settings, const bins *bins, const array *in, const uint64_t *counts,
                     size_t counters, const iw_strategy_report *report);
int run_scan(const settings *settings);
int run_reduce(const settings *settings);
int run_reduce_groups(const settings *settings);
int run_partition(const settings *settings);
int run_select(const settings *settings);
int run_extract(const settings *settings);
int run_describe(const settings *settings);
int run_unique(const settings *settings);
int run_run_lengths(const settings *settings);
int run_digitize(const settings *settings);
int run_multisplit(const settings *settings);
int run_sort(const settings *settings);
int run_top_k(const settings *settings);
int run_nth(const settings *settings);
int run_median(const settings *settings);
int run_merge(const settings *settings);
int run_verify(const settings *settings);
/* verify_math.c: out[i] = name(in[i]), or name(in[i], y) with the y of doc/verify.md. Returns the status, or
 * -1 if there is no such function. */
int run_math_function(iw_context *context, const char *name, const array *in, void *out);
int run_info(const settings *settings);
int run_demo(const settings *settings);
int run_bench(const settings *settings);
int run_run(const settings *settings);
int run_compile(const settings *settings);
int run_cuda(const settings *settings);

#endif
