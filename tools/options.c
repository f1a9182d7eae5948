/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line. A table lists each option with the subcommands that take it and its help text. */
#include "commands/commands.h"
#include "kernels/kernels.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  READS = WITH_FILE,
  WRITES = READS & ~DESCRIBE,
  BINS = HISTOGRAM | EXTRACT | MULTISPLIT | DIGITIZE,
  GROUPS = HISTOGRAM | REDUCE | DESCRIBE,
  RUNS = READS | VERIFY | INFO | DEMO | RUN,
  CHOOSES = RUNS | COMPILE
};

enum {
  O_HELP = 'h', O_OUTPUT = 'o', O_K = 'k', /* those with a letter */
  O_OP = 256, O_EXCLUSIVE, O_INIT, O_PIVOT, O_FLAGS, O_COUNT, O_BINS, O_RANGE, O_EDGES,
  O_POLICY, O_CLOSED_TOP, O_LETTERS, O_EXTRACT, O_OFFSETS, O_BITS, O_ORDER, O_TYPE, O_FORMAT,
  O_COLUMN, O_DELIMITER, O_STATS, O_BACKEND, O_ISA, O_THREADS, O_BLOCKS, O_WARP_SIZE, O_PRINT, O_MEASURE,
  O_KEYS, O_ROW_LENGTH, O_GRID, O_BLOCK, O_ARG, O_KERNEL, O_EXPECT, O_SAVE, O_WATCH, O_EXPLORE, O_RESULT,
  O_CHECK, O_TRACE, O_TIMELINE, O_MPI, O_KEEP_TYPE, O_JSON, O_CSV, O_PLOT, O_DESCENDING, O_ARGSORT, O_SMALLEST, O_BY,
  O_ARRAY, O_QUANTILES, O_WEIGHTS, O_LOG, O_POWER, O_Y, O_Y_BINS, O_Y_RANGE, O_Y_EDGES, O_Y_LOG, O_Y_POWER,
  O_COLUMNS,
  O_GROUP_BY, O_GROW, O_SKIP_MISSING, O_BY_VALUE, O_FIELD, O_HEADER, O_QUOTE, O_COMMENT, O_DECIMAL, O_THOUSANDS, O_RAGGED,
  O_SKIP_LINES,
  O_SHARED,
  O_LESS, O_LESS_EQUAL, O_EQUAL, O_NOT_EQUAL, O_GREATER, O_GREATER_EQUAL /* as iw_compare */
};

const char *const backend_names[] = { "auto", "cpu", "cuda", "sim", NULL };

#define TYPE_LISTED(NAME, name, C, kind) #name " "
/* The operators by name: those of scans, and those of reductions. */
#define OP_NAME(NAME, name, takes, result) #name,
#define OP_VALUE(NAME, name, takes, result) IW_##NAME,
#define OP_LISTED(NAME, name, takes, result) #name ", "
static const char *const scan_op_names[] = { IW_BUILTIN_OPERATORS(OP_NAME) NULL };
static const char *const op_names[] = { IW_BUILTIN_OPERATORS(OP_NAME) "argmin", "argmax", NULL };
static const iw_op ops[] = { IW_BUILTIN_OPERATORS(OP_VALUE) IW_MIN, IW_MAX };
static const char *const policies[] = { "drop", "clamp", "count", NULL };
static const char *const headers[] = { "auto", "yes", "no", NULL };
static const char *const formats[] = { "auto", "npy", "raw", "text", "csv", NULL };
static const char *const block_modes[] = { "auto", "thread", "team", NULL };
static const char *const warp_sizes[] = { "8", "16", "32", "64", NULL };
static const char *const mpi_kinds[] = { "openmpi", "mpich", NULL };

const option_row option_rows[] = {
  { "grid", O_GRID, "N", RUN, "number of blocks; of CUDA C++ also X,Y or X,Y,Z" },
  { "block", O_BLOCK, "N", RUN,
    "threads of a block, 1 to 1024; may be left out if the kernel says it; of CUDA\n"
    "C++ also X,Y or X,Y,Z" },
  { "shared", O_SHARED, "N", RUN, "bytes of dynamic shared memory, of CUDA C++ (default 0)" },
  { "arg", O_ARG, "NAME=VALUE", RUN, "the member NAME of the argument struct; once for each member" },
  { "kernel", O_KERNEL, "NAME", COMPILE, "the kernel, if FILE.c has several" },
  { "kernel", O_KERNEL, "NAME", RUN,
    "the kernel, if FILE.c has several; NAME:GRID,NAME:GRID launches one after\n"
    "the other with the same arguments (default of GRID: --grid)" },
  { "expect", O_EXPECT, "NAME=V", RUN,
    "compare the array NAME, bit by bit, with V (@FILE, 3,1,4, 0:256 or\n"
    "[256]=0) instead of printing it; may be repeated" },
  { "save", O_SAVE, "NAME=@FILE", RUN,
    "write the array NAME as .npy to FILE instead of printing it; may be\n"
    "repeated" },
  { "result", O_RESULT, "NAME", RUN,
    "the array NAME is a result; only results are printed, and have to be\n"
    "defined; may be repeated; default: all that the kernel may write" },
  { "explore", O_EXPLORE, "SECONDS", RUN | CUDA,
    "run under other schedules, seeds and numbers of resident blocks until\n"
    "something is found or the time is up (simulated GPU)" },
  { "watch", O_WATCH, NULL, RUN, "run again whenever a file that is read changes, until interrupted" },
  { "check", O_CHECK, "NAMES", CUDA,
    "checks, with commas in between: all (default), none, bounds, undefined, race,\n"
    "barrier, divergence, progress; fence: a missing fence is an error" },
  { "check", O_CHECK, "NAMES", RUN,
    "checks of the simulated GPU, with commas in between: all (default),\n"
    "none, bounds, undefined, race, slots, barrier, divergence, ownership,\n"
    "phase, overflow" },
  { "trace", O_TRACE, "FILE", RUN | CUDA,
    "write what each lane holds, interval by interval: FILE.txt, FILE.svg\n"
    "or FILE.html, which has a slider" },
  { "timeline", O_TIMELINE, "FILE", RUN | CUDA,
    "write when each warp was in its phases and when it waited: FILE.json,\n"
    "which Perfetto opens" },
  { "op", O_OP, "OP", SCAN, IW_BUILTIN_OPERATORS(OP_LISTED) "by default sum;\nwith --flags and --keys sum, min, max" },
  { "op", O_OP, "OP", REDUCE,
    IW_BUILTIN_OPERATORS(OP_LISTED) "argmin or argmax, the\nindex of the first one, from 0; by default sum" },
  { "exclusive", O_EXCLUSIVE, NULL, SCAN, "output i does not include element i" },
  { "init", O_INIT, "V", SCAN | REDUCE, "start from V" },
  { "keep-type", O_KEEP_TYPE, NULL, SCAN | REDUCE,
    "sums and products of integers have the elements' type and wrap around; without\n"
    "it they are i64, of unsigned integers and bool u64" },
  { "pivot", O_PIVOT, "P", PARTITION, "the same as --less P" },
  { "less", O_LESS, "X", PARTITION | SELECT, "elements smaller than X, any number, are selected, or\n"
    "moved to the left" },
  { "less-equal", O_LESS_EQUAL, "X", PARTITION | SELECT, "elements smaller than X or equal to it" },
  { "equal", O_EQUAL, "X", PARTITION | SELECT, "elements equal to X; -0 equals 0, and NaN nothing" },
  { "not-equal", O_NOT_EQUAL, "X", PARTITION | SELECT, "elements not equal to X, NaN among them" },
  { "greater", O_GREATER, "X", PARTITION | SELECT, "elements greater than X" },
  { "greater-equal", O_GREATER_EQUAL, "X", PARTITION | SELECT, "elements greater than X or equal to it" },
  { "flags", O_FLAGS, "FILE", PARTITION | SELECT,
    "a flag (u8 or bool) for each element; elements whose flag is not 0 are\n"
    "moved to the left, or selected" },
  { "flags", O_FLAGS, "FILE", SCAN,
    "a flag (u8 or bool) for each element; a segment begins where it is not 0" },
  { "keys", O_KEYS, "FILE", SCAN, "a segment begins where the key changes" },
  { "by-value", O_BY_VALUE, NULL, UNIQUE | RUN_LENGTHS | SCAN,
    "floats are equal if their values are, -0 and 0, too, and all NaNs, which are\n"
    "written as 0 and nan; of scan, those of --keys (default: equal bits)" },
  { "row-length", O_ROW_LENGTH, "N", SCAN, "a segment is a row of N elements" },
  { "offsets", O_OFFSETS, "FILE", SCAN,
    "segment k is the elements from offset k up to offset k + 1, counted from 0 (in\n"
    "text an offset is a u64); elements in no segment are written as they are" },
  { "row-length", O_ROW_LENGTH, "N", SORT, "sort each row of N elements by itself" },
  { "row-length", O_ROW_LENGTH, "N", TOP_K, "k elements of each row of N elements" },
  { "descending", O_DESCENDING, NULL, SORT, "greatest first" },
  { "descending", O_DESCENDING, NULL, MERGE, "files are sorted in descending order, as is the output" },
  { "argsort", O_ARGSORT, NULL, SORT | TOP_K, "write the original index of each element instead of the elements" },
  { "number", O_K, "K", TOP_K, "how many elements; also -k K" },
  { "smallest", O_SMALLEST, NULL, TOP_K, "the smallest elements, smallest first (default: the largest, largest first)" },
  { "index", O_K, "K", NTH, "the index in ascending order, from 0; also -k K" },
  { "by", O_BY, "FILE", SORT,
    "sort by the keys in FILE, of which there are as many" },
  { "count", O_COUNT, NULL, PARTITION | SELECT | EXTRACT,
    "print only the number of elements on the left, or selected" },
  { "count", O_COUNT, NULL, UNIQUE, "print only the number of runs" },
  { "count", O_COUNT, "[FILE]", RUN | CUDA,
    "also print what the kernel costs on a GPU, by line and phase, or write it\n"
    "beside the source to FILE.txt or FILE.html" },
  { "bins", O_BINS, "N", BINS, "number of even bins (default 10, of integers at most as many as\n"
    "there are values; more extend the range of the data)" },
  { "range", O_RANGE, "LO:HI", BINS, "even bins over LO <= x < HI (default: the range of the data, with\n"
    "its end); of integers HI may be one more than the type's largest, 0:256 for u8" },
  { "edges", O_EDGES, "LIST", BINS, "edges of the bins, increasing: a,b,c or @FILE; any numbers, of which the first\n"
    "may be below all samples, as -inf, and the last one above them" },
  { "log", O_LOG, NULL, BINS, "bins whose edges have a constant ratio; the range begins above 0" },
  { "power", O_POWER, "P", BINS,
    "bins that are even in x^P, P from 1/64 to 64, or -64 to -1/64; the range begins\n"
    "at 0 or above, with a negative P above 0" },
  { "grow", O_GROW, "WIDTH", HISTOGRAM,
    "bins of this width between multiples of it, as many as the samples need; text\n"
    "and raw data of a pipe are counted while they arrive. With --bins N so many\n"
    "bins, whose width is doubled until they have all samples" },
  { "weights", O_WEIGHTS, "FILE", HISTOGRAM,
    "add up the weights of the samples in each bin: floats exactly and rounded once,\n"
    "integers modulo 2^64. A file; with --column, --array or --field, a column, array\n"
    "or field of the same file" },
  { "y", O_Y, "FILE", HISTOGRAM,
    "count pairs of a sample in x, the FILE of the command line, and one in y: a\n"
    "file; with --column, --array or --field, a column, array or field of the same\n"
    "file" },
  { "y-bins", O_Y_BINS, "N", HISTOGRAM, "number of even bins of y (default: as --bins)" },
  { "y-range", O_Y_RANGE, "LO:HI", HISTOGRAM, "range of y (default: the range of the data)" },
  { "y-edges", O_Y_EDGES, "LIST", HISTOGRAM, "edges of the bins of y, as --edges" },
  { "y-log", O_Y_LOG, NULL, HISTOGRAM, "bins of y as --log makes them" },
  { "y-power", O_Y_POWER, "P", HISTOGRAM, "bins of y as --power makes them" },
  { "letters", O_LETTERS, "[N]", HISTOGRAM,
    "count the letters a to z among the bytes of FILE, N letters (default 4)\n"
    "per bin; capitals count as lower-case letters" },
  { "policy", O_POLICY, "NAME", BINS & ~DIGITIZE,
    "samples outside: drop (default), clamp (into the end bins), or count (separately)" },
  { "policy", O_POLICY, "NAME", DIGITIZE,
    "samples in none of B bins: drop (default): B; clamp: 0 or B - 1, and NaN B;\n"
    "count: B below all bins, B + 1 above them, and NaN B + 2" },
  { "closed-top", O_CLOSED_TOP, NULL, BINS, "x equal to the last edge belongs to the last bin; N bins of\n"
    "N integers have a value each then" },
  { "extract", O_EXTRACT, "K", HISTOGRAM, "also print the samples of bin K, from 0" },
  { "bin", O_K, "K", EXTRACT, "the bin, from 0; also -k K" },
  { "bits", O_BITS, "B:N", MULTISPLIT,
    "by N bits of each element (1 to 16) from bit B on, instead of bins" },
  { "offsets", O_OFFSETS, NULL, MULTISPLIT, "write the bins + 1 offsets instead of the elements" },
  { "order", O_ORDER, NULL, MULTISPLIT,
    "write the original index of each element instead of the elements" },
  { "type", O_TYPE, "TYPE", READS,
    IW_ELEMENT_TYPES(TYPE_LISTED) "(default for text: f64)" },
  { "format", O_FORMAT, "NAME", READS,
    "npy, raw, text or csv; default: npy if FILE begins as one, csv with --column,\n"
    "raw with --type if FILE is not text, else text" },
  { "column", O_COLUMN, "C", READS,
    "CSV column by name, or by number from 1; name=2024: a name that is a number" },
  { "columns", O_COLUMNS, "LIST", REDUCE | DESCRIBE,
    "each of these CSV columns, as --column, with commas in between" },
  { "group-by", O_GROUP_BY, "KEYS", REDUCE | DESCRIBE,
    "a result for each group of elements whose keys are equal; the input need not\n"
    "be sorted, and the groups are printed in ascending order of their keys. A CSV\n"
    "column with text or numbers, of which 1, 1.0 and -0, 0 are different keys, as\n"
    "texts are; without --column and --columns a file, with --array an array, or with\n"
    "--field a field, with a number for each element, of which -0 and 0 are equal, and\n"
    "all NaNs" },
  { "group-by", O_GROUP_BY, "KEYS", HISTOGRAM,
    "count each group of samples whose keys are equal, in the same bins; the input\n"
    "need not be sorted, and the groups are printed in ascending order of their\n"
    "keys. A CSV column with text or numbers, of which 1, 1.0 and -0, 0 are\n"
    "different keys, as texts are; without --column a file, with --array an array, or\n"
    "with --field a field, with a number for each sample, of which -0 and 0 are\n"
    "equal, and all NaNs" },
  { "array", O_ARRAY, "NAME", READS,
    "array of a .npz file, or by number from 1 of a .npy file with several; not\n"
    "needed if the file has one only" },
  { "field", O_FIELD, "NAME", READS,
    "field of a .npy file whose elements are records; A.B: of records within them" },
  { "header", O_HEADER, "NAME", READS,
    "whether the first row of CSV has names: yes, no, or auto (default), by\n"
    "whether the column's field is a number" },
  { "delimiter", O_DELIMITER, "X", READS,
    "separator of CSV fields (default ,); \\t: a tab; blanks: any number of blanks\n"
    "and tabs" },
  { "quote", O_QUOTE, "X", READS,
    "character around CSV fields (default \"), doubled within them; none: there is none" },
  { "ragged", O_RAGGED, NULL, READS, "rows of CSV may have more or fewer fields than the first" },
  { "skip-lines", O_SKIP_LINES, "N", READS, "skip the first N lines of text and CSV" },
  { "comment", O_COMMENT, "X", READS,
    "lines of text and CSV that begin with X (default #) are skipped; none: there\n"
    "are no such lines" },
  { "decimal", O_DECIMAL, "X", READS, "decimal separator of text and CSV: . (default) or a comma" },
  { "thousands", O_THOUSANDS, "X", READS,
    "character between groups of three digits of text and CSV; default none" },
  { "skip-missing", O_SKIP_MISSING, "[LIST]", READS,
    "skip empty CSV fields, and NA, N/A, null and none, in any case, in text and\n"
    "CSV, and the words or numbers of LIST, with commas in between" },
  { "output", O_OUTPUT, "FILE", WRITES,
    "write .npy to FILE instead of text; '-' is standard output; also -o FILE" },
  { "output", O_OUTPUT, "FILE", CUDA, "write the executable to FILE, and do not run it; also -o FILE" },
  { "output", O_OUTPUT, "FILE", COMPILE, "write the shared object to FILE; also -o FILE" },
  { "quantiles", O_QUANTILES, "LIST", DESCRIBE, "numbers from 0 to 1: a,b,c (default 0.25,0.5,0.75)" },
  { "json", O_JSON, NULL, HISTOGRAM | REDUCE | DESCRIBE | NTH | MEDIAN, "print the result as JSON" },
  { "csv", O_CSV, NULL, HISTOGRAM, "print edges and counts as CSV" },
  { "csv", O_CSV, NULL, REDUCE | DESCRIBE, "print the result as CSV, with a row of names" },
  { "plot", O_PLOT, "FILE", HISTOGRAM | SCAN,
    "draw the counts or the outputs in FILE.svg, FILE.png, FILE.pdf or FILE.html" },
  { "stats", O_STATS, NULL, READS, "print the time and rate of the operation to standard error" },
  { "mpi", O_MPI, "[KIND]", WITH_RANKS,
    "run as ranks that mpiexec has started, each of which reads and writes its\n"
    "part of the files; KIND: openmpi or mpich, if isowarp is built for both" },
  { "print", O_PRINT, NULL, VERIFY, "print the digests without comparing them" },
  { "backend", O_BACKEND, "NAME", CHOOSES & ~(RUN | COMPILE), "auto (default), cpu, cuda or sim" },
  { "backend", O_BACKEND, "NAME", RUN | COMPILE, "sim (default), cpu, cuda or auto" },
  { "isa", O_ISA, "NAME", CHOOSES, "instruction set of the CPU backend; 'isowarp info' lists them" },
  { "threads", O_THREADS, "N", RUNS, "CPU threads, 1 to 1024" },
  { "blocks", O_BLOCKS, "NAME", RUNS, "auto (default), thread (a block on one thread) or team (on all)" },
  { "warp-size", O_WARP_SIZE, "N", DEMO | RUN | COMPILE, "lanes of a warp: 8, 16, 32 (default) or 64" },
  { "measure", O_MEASURE, NULL, INFO,
    "measure from how many bytes on CUDA is faster for host data, copies included" },
  { "help", O_HELP, NULL, ~0u, "this text" },
};
enum { ROWS = sizeof option_rows / sizeof option_rows[0] };
const int option_row_count = ROWS;

/* The row of a subcommand's option; if it has no such option, that of another subcommand. */
static int row_of(int code, unsigned command)
{
  int other = -1;
  for (int row = ROWS - 1; row >= 0; row--)
    if (option_rows[row].code == code) {
      if (option_rows[row].commands & command)
        return row;
      other = row;
    }
  return other;
}

static const char *name_of(int code)
{
  return option_rows[row_of(code, ~0u)].name;
}

/* "--less" */
static const char *option_of(int code)
{
  static char text[32];
  snprintf(text, sizeof text, "--%s", name_of(code));
  return text;
}

const char *const *option_values(int code, unsigned command)
{
  static const char *types[32];
  switch (code) {
  case O_OP: return command == SCAN ? scan_op_names : op_names;
  case O_POLICY: return policies;
  case O_FORMAT: return formats;
  case O_HEADER: return headers;
  case O_BLOCKS: return block_modes;
  case O_BACKEND: return backend_names;
  case O_WARP_SIZE: return warp_sizes;
  case O_MPI: return mpi_kinds;
  case O_TYPE:
    for (int i = 0; i < 31 && iw_type_size((iw_type)(IW_U8 + i)) != 0; i++)
      types[i] = iw_type_name((iw_type)(IW_U8 + i));
    return types;
  default: return NULL;
  }
}

/* Returns the index of a name in a list that ends in NULL; fails with the list. */
static int index_of(const char *text, const char *option, const char *const *names)
{
  char list[300] = "";
  for (int i = 0; names[i] != NULL; i++) {
    if (strcmp(names[i], text) == 0)
      return i;
    strcat(strcat(list, i ? ", " : ""), names[i]);
  }
  fail("%s: '%s' is not one of %s", option, text, list);
}

static void add_text(texts *list, const char *text)
{
  list->at = need_more(list->at, list->count + 1, sizeof *list->at);
  list->at[list->count++] = text;
}

/* A character that has a part in text, or none. */
static char character_of(const char *text, const char *option)
{
  if (strcmp(text, "none") == 0)
    return NO_CHARACTER;
  if (strlen(text) != 1 || strchr(" \t\r\n\v\f", *text) != NULL)
    fail("%s: '%s' is not one character, or none", option, text);
  return *text;
}

/* Options of input and output. These functions return whether the option is one of theirs. */
static int set_file_option(settings *s, int code, const char *text)
{
  switch (code) {
  case O_SKIP_MISSING: s->input.skip_missing = 1; s->input.missing = text; break;
  case O_COLUMNS: s->columns = text; break;
  case O_GROUP_BY: s->group_by = text; break;
  case O_TYPE:
    s->input.type = (iw_type)(IW_U8 + index_of(text, "--type", option_values(code, 0)));
    s->input.has_type = 1;
    break;
  case O_FORMAT: s->input.format = (format)index_of(text, "--format", formats); break;
  case O_COLUMN: s->input.column = text; break;
  case O_ARRAY: s->input.array = text; break;
  case O_FIELD: s->input.field = text; break;
  case O_HEADER: s->input.dialect.header = (header)index_of(text, "--header", headers); break;
  case O_QUOTE: s->input.dialect.quote = character_of(text, "--quote"); break;
  case O_COMMENT:
    s->input.dialect.comment = character_of(text, "--comment");
    s->input.dialect.is_comment_given = 1;
    break;
  case O_DECIMAL:
    if (strcmp(text, ".") != 0 && strcmp(text, ",") != 0)
      fail("--decimal: '%s' is not . or a comma", text);
    s->input.dialect.decimal = *text;
    break;
  case O_THOUSANDS:
    s->input.dialect.thousands = strcmp(text, " ") == 0 ? ' ' : character_of(text, "--thousands");
    break;
  case O_SKIP_LINES: s->input.skip_lines = parse_count(text, "--skip-lines", 0, PTRDIFF_MAX); break;
  case O_RAGGED: s->input.dialect.ragged = 1; break;
  case O_DELIMITER:
    if (strcmp(text, "\\t") == 0)
      text = "\t";
    if (strcmp(text, "blanks") != 0 && (strlen(text) != 1 || strchr("\r\n", *text) != NULL))
      fail("--delimiter: '%s' is not one character that can separate fields, or blanks", text);
    s->input.dialect.delimiter = strlen(text) == 1 ? *text : BLANKS;
    break;
  case O_OUTPUT: s->output = text; break;
  case O_JSON: s->json = 1; break;
  case O_CSV: s->csv = 1; break;
  case O_PLOT: plot_check(s->plot = text); break;
  case O_STATS: s->stats = 1; break;
  case O_MPI: ranks_open(text); break;
  default: return 0;
  }
  return 1;
}

static int set_bins_option(settings *s, int code, const char *text)
{
  switch (code) {
  case O_BINS: s->bins = parse_count(text, "--bins", 1, INT32_MAX); s->has_bins = 1; break;
  case O_RANGE: s->range = text; break;
  case O_EDGES: s->edges = text; break;
  case O_WEIGHTS: s->weights = text; break;
  case O_Y: s->y = text; break;
  case O_Y_BINS: s->y_bins = parse_count(text, "--y-bins", 1, INT32_MAX); s->has_y_bins = 1; break;
  case O_Y_RANGE: s->y_range = text; break;
  case O_Y_EDGES: s->y_edges = text; break;
  case O_GROW: s->grow = text; break;
  case O_LOG: s->log = 1; break;
  case O_POWER: s->power = text; break;
  case O_Y_LOG: s->y_log = 1; break;
  case O_Y_POWER: s->y_power = text; break;
  case O_LETTERS: s->letters = text ? (unsigned)parse_count(text, "--letters", 1, 26) : 4; break;
  case O_POLICY: s->policy = (iw_policy)index_of(text, "--policy", policies); s->has_policy = 1; break;
  case O_CLOSED_TOP: s->closed_top = 1; break;
  case O_EXTRACT: s->extract = parse_count(text, "--extract", 0, INT32_MAX - 1); s->has_extract = 1; break;
  case O_K:
    s->extract = parse_count(text, "-k", 0, s->command->bit == EXTRACT ? INT32_MAX - 1 : PTRDIFF_MAX);
    s->has_extract = 1;
    break;
  case O_BITS: {
    char first[24];
    const char *colon = strchr(text, ':');
    if (colon == NULL || (size_t)(colon - text) >= sizeof first)
      fail("--bits: '%s' is not B:N, the lowest bit and the number of bits", text);
    snprintf(first, sizeof first, "%.*s", (int)(colon - text), text);
    s->bit = (unsigned)parse_count(first, "--bits", 0, 63);
    s->bits = (unsigned)parse_count(colon + 1, "--bits", 1, 16);
    break;
  }
  default: return 0;
  }
  return 1;
}

/* Options of where and how the program runs. */
static int set_run_option(settings *s, int code, const char *text)
{
  switch (code) {
  case O_PRINT: s->print_only = 1; break;
  case O_MEASURE: s->measure = 1; break;
  case O_GRID: s->grid_text = text; break;
  case O_BLOCK: s->block_text = text; break;
  case O_SHARED: s->shared = parse_count(text, "--shared", 0, 227 << 10); break;
  case O_ARG: add_text(&s->args, text); break;
  case O_KERNEL: s->kernel = text; break;
  case O_EXPECT: add_text(&s->expect, text); break;
  case O_SAVE: add_text(&s->save, text); break;
  case O_WATCH: s->watch = 1; break;
  case O_EXPLORE: s->explore = parse_count(text, "--explore", 1, 1000000); break;
  case O_RESULT: add_text(&s->results, text); break;
  case O_CHECK: s->checks = text; break;
  case O_TRACE: trace_check(s->trace = text); break;
  case O_TIMELINE: timeline_check(s->timeline = text); break;
  case O_BACKEND: s->context.backend = (iw_backend)index_of(text, "--backend", backend_names); break;
  case O_ISA: s->context.isa = text; break;
  case O_THREADS: s->context.threads = (unsigned)parse_count(text, "--threads", 1, 1024); break;
  case O_BLOCKS: s->context.blocks = (iw_blocks)index_of(text, "--blocks", block_modes); break;
  case O_WARP_SIZE:
    s->warp_size = (unsigned)parse_count(text, "--warp-size", 8, 64);
    if (s->warp_size & (s->warp_size - 1))
      fail("--warp-size: '%s' is not one of 8, 16, 32, 64", text);
    break;
  default: return 0;
  }
  return 1;
}

/* Options of what the subcommands compute. */
static int set_operation_option(settings *s, int code, const char *text)
{
  switch (code) {
  case O_OP: {
    const int op = index_of(text, "--op", s->command->bit == REDUCE ? op_names : scan_op_names);
    s->find_index = strncmp(op_names[op], "arg", 3) == 0;
    s->op = ops[op];
    s->op_name = op_names[op];
    break;
  }
  case O_EXCLUSIVE: s->exclusive = 1; break;
  case O_INIT: s->init = text; break;
  case O_KEEP_TYPE: s->keep_type = 1; break;
  case O_PIVOT: case O_LESS: case O_LESS_EQUAL: case O_EQUAL: case O_NOT_EQUAL: case O_GREATER:
  case O_GREATER_EQUAL:
    if (s->compares)
      fail("%s and --%s: one comparison is enough", s->compare_option, name_of(code));
    s->compares = 1;
    s->pivot = text;
    s->compare = code == O_PIVOT ? IW_LESS : (iw_compare)(code - O_LESS);
    s->compare_option = option_of(code);
    break;
  case O_FLAGS: s->flags = text; break;
  case O_KEYS: s->keys = text; break;
  case O_BY_VALUE: s->by_value = 1; break;
  case O_ROW_LENGTH:
    s->row_length = parse_count(text, "--row-length", 1, PTRDIFF_MAX);
    s->has_row_length = 1;
    break;
  case O_COUNT:
    s->count_only = 1;
    if (text != NULL)
      counts_check(s->counts = text);
    break;
  case O_OFFSETS: s->offsets = 1; s->offsets_file = text; break;
  case O_ORDER: s->order = 1; break;
  case O_DESCENDING: s->descending = 1; break;
  case O_ARGSORT: s->argsort = 1; break;
  case O_SMALLEST: s->smallest = 1; break;
  case O_BY: s->by = text; break;
  case O_QUANTILES: s->quantiles = text; break;
  default: return 0;
  }
  return 1;
}

static void set_option(settings *s, int code, const char *text)
{
  if (!set_file_option(s, code, text) && !set_bins_option(s, code, text) && !set_run_option(s, code, text))
    set_operation_option(s, code, text);
}

/* Options that one command line cannot have together. Options that only some operand or value excludes are
 * checked by the subcommand. */
enum { MOST_OTHERS = 24 }; /* and a 0 */
static const struct { int one, others[MOST_OTHERS]; unsigned commands; } excluded[] = {
  { O_OFFSETS, { O_ORDER }, MULTISPLIT },
  { O_COUNT, { O_OUTPUT }, PARTITION | SELECT | EXTRACT | UNIQUE },
  { O_FLAGS, { O_PIVOT, O_LESS, O_LESS_EQUAL, O_EQUAL, O_NOT_EQUAL, O_GREATER, O_GREATER_EQUAL },
    PARTITION | SELECT },
  { O_FLAGS, { O_KEYS, O_ROW_LENGTH, O_OFFSETS }, SCAN },
  { O_KEYS, { O_ROW_LENGTH, O_OFFSETS }, SCAN },
  { O_ROW_LENGTH, { O_OFFSETS, O_MPI }, SCAN },
  { O_ROW_LENGTH, { O_MPI }, SORT },
  { O_ROW_LENGTH, { O_SKIP_MISSING }, SCAN | SORT | TOP_K }, /* what is skipped would move all that follow */
  { O_OFFSETS, { O_SKIP_MISSING }, SCAN },
  { O_OFFSETS, { O_MPI }, SCAN },
  { O_PLOT, { O_MPI }, SCAN },
  { O_JSON, { O_OUTPUT, O_CSV }, HISTOGRAM | REDUCE | DESCRIBE | NTH | MEDIAN },
  { O_CSV, { O_OUTPUT }, HISTOGRAM | REDUCE },
  { O_COLUMN, { O_ARRAY, O_FIELD, O_COLUMNS }, READS },
  { O_COLUMNS, { O_ARRAY, O_FIELD, O_OUTPUT, O_MPI }, REDUCE | DESCRIBE },
  { O_GROUP_BY, { O_MPI }, GROUPS },
  { O_CSV, { O_MPI }, REDUCE },
  { O_EDGES, { O_BINS, O_RANGE, O_LOG, O_POWER }, BINS },
  { O_LOG, { O_POWER }, BINS },
  { O_Y_EDGES, { O_Y_BINS, O_Y_RANGE, O_Y_LOG, O_Y_POWER }, HISTOGRAM },
  { O_Y_LOG, { O_Y_POWER }, HISTOGRAM },
  { O_BITS, { O_BINS, O_RANGE, O_EDGES, O_LOG, O_POWER, O_POLICY, O_CLOSED_TOP }, MULTISPLIT },
  { O_LETTERS, { O_BINS, O_RANGE, O_EDGES, O_LOG, O_POWER, O_CLOSED_TOP, O_TYPE, O_FORMAT, O_COLUMN, O_ARRAY,
                 O_FIELD, O_COMMENT, O_DECIMAL, O_THOUSANDS, O_SKIP_MISSING, O_SKIP_LINES, O_WEIGHTS, O_Y, O_EXTRACT,
                 O_GROUP_BY }, HISTOGRAM },
  { O_EXTRACT, { O_JSON, O_CSV, O_OUTPUT, O_MPI }, HISTOGRAM },
  { O_WEIGHTS, { O_Y, O_EXTRACT, O_MPI }, HISTOGRAM },
  { O_Y, { O_EXTRACT, O_GROUP_BY, O_MPI }, HISTOGRAM },
  { O_GROUP_BY, { O_EXTRACT }, HISTOGRAM },
  { O_GROW, { O_RANGE, O_EDGES, O_LOG, O_POWER, O_WEIGHTS, O_Y, O_GROUP_BY, O_LETTERS, O_POLICY,
              O_CLOSED_TOP, O_EXTRACT, O_MPI }, HISTOGRAM },
};

/* Options that do nothing without another one. */
static const struct { int option, other; unsigned commands; } needs[] = {
  { O_Y_BINS, O_Y, HISTOGRAM },
  { O_Y_RANGE, O_Y, HISTOGRAM },
  { O_Y_EDGES, O_Y, HISTOGRAM },
  { O_Y_LOG, O_Y, HISTOGRAM },
  { O_Y_POWER, O_Y, HISTOGRAM },
};

/* given: which rows of the table the command line has. */
static int is_given(const char given[ROWS], int code)
{
  for (int row = 0; row < ROWS; row++)
    if (given[row] && option_rows[row].code == code)
      return 1;
  return 0;
}

static void check_excluded(const command *command, const char given[ROWS])
{
  for (size_t i = 0; i < sizeof excluded / sizeof *excluded; i++) {
    if (!(excluded[i].commands & command->bit) || !is_given(given, excluded[i].one))
      continue;
    for (const int *other = excluded[i].others; *other != 0; other++)
      if (is_given(given, *other))
        fail("--%s cannot be combined with --%s", name_of(excluded[i].one), name_of(*other));
  }
}

static void check_needs(const command *command, const char given[ROWS])
{
  for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
    if (needs[i].commands & command->bit && is_given(given, needs[i].option) &&
        !is_given(given, needs[i].other))
      fail("--%s needs --%s", name_of(needs[i].option), name_of(needs[i].other));
}

/* --isa and --blocks do nothing on a GPU. */
static void check_backend(const settings *s, const char given[ROWS])
{
  const int compiles = (s->command->bit & (RUN | COMPILE)) != 0;
  const iw_backend backend = compiles ? backend_of(s) : s->context.backend;
  if (backend != IW_BACKEND_CUDA && backend != IW_BACKEND_SIM)
    return;
  for (int i = 0; i < 2; i++) {
    const int code = i == 0 ? O_ISA : O_BLOCKS;
    if (is_given(given, code))
      fail("--%s is for the CPU backend, but --backend is %s%s", name_of(code), backend_names[backend],
           is_given(given, O_BACKEND) ? "" : " by default");
  }
}

/* Options of how text is read. */
static void check_dialect(settings *s, const char given[ROWS], int is_csv)
{
  static const int of_csv[] = { O_DELIMITER, O_HEADER, O_QUOTE, O_RAGGED };
  static const int of_text[] = { O_COMMENT, O_DECIMAL, O_THOUSANDS, O_SKIP_MISSING, O_SKIP_LINES };
  reading *const r = &s->input;
  const dialect *const d = &r->dialect;
  for (size_t i = 0; i < sizeof of_csv / sizeof *of_csv; i++)
    if (is_given(given, of_csv[i]) && !is_csv)
      fail("--%s is for CSV; it needs --column or --format csv", name_of(of_csv[i]));
  for (size_t i = 0; i < sizeof of_text / sizeof *of_text; i++)
    if (is_given(given, of_text[i]) && (r->format == FORMAT_NPY || r->format == FORMAT_RAW))
      fail("--%s is for text and CSV, but --format is %s", name_of(of_text[i]), formats[r->format]);
    else if (is_given(given, of_text[i]))
      r->text_option = name_of(of_text[i]);
  /* Of these files text has all options but this one. */
  if ((s->offsets_file != NULL || (s->edges != NULL && *s->edges == '@')) && r->text_option != NULL)
    r->text_option = r->skip_missing ? name_of(O_SKIP_MISSING) : NULL;
  r->finds_places = s->find_index || s->argsort || s->order || (s->command->bit & (NTH | MEDIAN)) != 0;
  if (is_csv && ((d->delimiter != BLANKS && (d->delimiter == d->quote || d->delimiter == d->comment)) ||
                 (d->quote != NO_CHARACTER && d->quote == d->comment)))
    fail("--delimiter, --quote and --comment: one character cannot be two of them");
  if (is_csv && d->decimal == d->delimiter && !is_given(given, O_DELIMITER))
    fail("--decimal %c needs a --delimiter, as that of CSV is a comma without it", d->decimal);
  if (!is_csv && (d->thousands == ' ' || d->thousands == '\t'))
    fail("--thousands '%c' is for CSV, as blanks divide the numbers of text; it needs --column or --format csv", d->thousands);
  if (d->decimal == d->thousands)
    fail("--thousands %c needs another --decimal", d->thousands);
}

/* Values that exclude other options. */
static void check_values(settings *s, const char given[ROWS])
{
  const reading *const r = &s->input;
  const int has_columns = r->column != NULL || s->columns != NULL, is_csv = r->format == FORMAT_CSV;
  if (has_columns && r->format != FORMAT_AUTO && !is_csv)
    fail("--column%s is for CSV, but --format is %s", r->column ? "" : "s", formats[r->format]);
  if (s->by_value && s->command->bit == SCAN && s->keys == NULL)
    fail("--by-value is for keys; it needs --keys");
  check_dialect(s, given, has_columns || is_csv);
  if (r->array != NULL && r->format != FORMAT_AUTO && r->format != FORMAT_NPY)
    fail("--array is for .npz and .npy files, but --format is %s", formats[r->format]);
  if (r->field != NULL && r->format != FORMAT_AUTO && r->format != FORMAT_NPY)
    fail("--field is for .npy files, but --format is %s", formats[r->format]);
  if (s->policy == IW_POLICY_COUNT && (s->y != NULL || s->weights != NULL || s->group_by != NULL))
    fail("--policy count cannot be combined with %s",
         s->y != NULL ? "--y" : s->weights != NULL ? "--weights" : "--group-by");
  if (s->measure && s->context.backend != IW_BACKEND_AUTO)
    fail("--measure cannot be combined with --backend %s, on which all host data would be",
         backend_names[s->context.backend]);
  if (s->letters != 0 && s->has_policy && s->policy == IW_POLICY_CLAMP)
    fail("--policy clamp cannot be combined with --letters, which have no end bins to clamp into");
  if (s->find_index && s->init != NULL)
    fail("--init cannot be combined with --op %s", s->op_name);
}

settings read_options(const command *command, int argc, char **argv)
{
  settings s = {
    .command = command, .context.size = sizeof s.context,
    .input = { .type = IW_F64, .dialect = plain_dialect, .takes_type = 1, .takes_skip = 1 },
    .op = IW_SUM, .op_name = op_names[0],
  };
  struct option options[ROWS + 1] = { { 0 } };
  char shown[] = "isowarp", given[ROWS] = { 0 };
  int code, row;

  int filled = 0;
  /* getopt takes the first of a name, so the subcommand's own rows come first. */
  for (int others = 0; others < 2; others++)
    for (int i = 0; i < ROWS; i++) {
      const char *const argument = option_rows[i].argument;
      if (((option_rows[i].commands & command->bit) == 0) == others)
        options[filled++] = (struct option){
          .name = option_rows[i].name, .val = option_rows[i].code,
          .has_arg = argument == NULL ? no_argument
                     : *argument == '[' ? optional_argument : required_argument };
    }
  for (int i = 0; command->bit == CUDA && i < argc; i++)
    if (strcmp(argv[i], "--") == 0) {
      s.program_arguments = argv + i + 1;
      argv[argc = i] = NULL;
    }
  argv[0] = shown; /* the prefix of getopt's messages */
  opterr = ranks_rank() == 0;
  while ((code = getopt_long(argc, argv, "ho:k:", options, &row)) != -1) {
    if (code == '?')
      fail("'isowarp %s --help' lists the options", command->name);
    row = row_of(code, command->bit);
    if (!(option_rows[row].commands & command->bit)) {
      if (code == O_WARP_SIZE)
        fail("--warp-size is an option of 'isowarp demo' and 'isowarp run': the library's kernels have "
             "warps of 32 lanes");
      fail("'%s' takes no --%s; 'isowarp %s --help' lists its options", command->name, option_rows[row].name,
           command->name);
    }
    if (code == O_HELP) {
      print_help(command);
      finish_output();
      exit(STATUS_GOOD);
    }
    /* The file of --count may also stand behind a blank: no FILE.c ends so. */
    const char *value = optarg;
    if (code == O_COUNT && command->bit & (RUN | CUDA) && value == NULL && argv[optind] != NULL &&
        (ends_with(argv[optind], ".txt") || ends_with(argv[optind], ".html")))
      value = argv[optind++];
    set_option(&s, code, value);
    given[row] = 1;
  }
  check_excluded(command, given);
  check_needs(command, given);
  check_backend(&s, given);
  check_values(&s, given);
  s.operands = argv + optind;
  s.operand_count = argc - optind;
  if (s.operand_count != 1 || !is_cuda_file(s.operands[0])) {
    if (s.grid_text != NULL)
      s.grid = parse_count(s.grid_text, "--grid", 1, INT32_MAX);
    if (s.block_text != NULL)
      s.block = (unsigned)parse_count(s.block_text, "--block", 1, 1024);
  }
  if (*command->operands == '\0' && s.operand_count > 0)
    fail("'%s' takes no operand, but there is '%s'", command->name, s.operands[0]);
  return s;
}

const char *input_file(const settings *s)
{
  if (s->operand_count == 0)
    fail("'%s' needs a FILE; '-' is standard input", s->command->name);
  if (s->operand_count > 1)
    fail("'%s' takes one FILE, but there is also '%s'", s->command->name, s->operands[1]);
  if (ranks_are_open() && strcmp(s->operands[0], "-") == 0)
    fail("--mpi: standard input cannot be read by several ranks; give a FILE");
  return s->operands[0];
}

static iw_context *opened;

iw_context *open_context(const settings *s)
{
  iw_context *context;
  must(iw_context_open(&context, &s->context));
  opened = context;
  ranks_open_handle(context);
  return context;
}

void close_context(void)
{
  ranks_close_handle();
  iw_context_close(opened);
  opened = NULL;
}
