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
  VERIFY = 128, INFO = 256, DEMO = 512, CUDA = 1024, RUN = 2048, COMPILE = 4096, UNIQUE = 8192,
  RUN_LENGTHS = 16384, SORT = 32768, DESCRIBE = 65536, DIGITIZE = 131072, TOP_K = 262144, NTH = 524288,
  MEDIAN = 1048576, MERGE = 2097152,
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
  int has_opaque;       /* .npy of a dtype that says only a size is of this type, if it has the size */
  iw_type opaque;
  int truth;            /* accept NumPy's bool as u8 */
  int any_type;         /* .npy may have elements of another type, and text of integers f64: the caller converts */
  int beside_raw;       /* --format raw was given for the elements: a file beside them that is no text is raw, too */
  int takes_type, takes_skip; /* --type and --skip-missing are options for this file, for messages */
  int skip_missing;     /* text and CSV: skip empty fields and words such as NA */
  const char *missing;  /* more such words, with commas in between, or NULL */
  const char *text_option; /* an option that does nothing unless a file is text or CSV, "skip-missing", or NULL */
  struct integers *integers; /* text: keeps those that f64 rounds; NULL: they are counted for a note */
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

#endif
