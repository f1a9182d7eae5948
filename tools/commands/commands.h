/* SPDX-License-Identifier: Apache-2.0
 *
 * What subcommands share beside inputs and outputs. */
#ifndef ISOWARP_TOOLS_COMMANDS_H
#define ISOWARP_TOOLS_COMMANDS_H

#include "../io/io.h"

/* ---- bins.c ---- */

/* A specification of bins, and the memory that it points to. */
typedef struct bins {
  iw_histogram_spec spec;
  int is_closed;        /* the last edge is in the last bin */
  enum { NO_EDGE, END_EDGES, ALL_EDGES } typed; /* by the user: labels have all their digits */
  value lo, hi;
  array edges;
  uint16_t map[256];
} bins;


/* Fills in *bins from the options. Without a range it is that of the samples. Without --bins there are 10,
 * or fewer if integers have not as many values. */
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

/* Prints the samples of bin --extract. */
void print_bin(const settings *settings, const iw_histogram_spec *bins, iw_context *context,
               const array *in);

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
                     size_t counters, const iw_histogram_report *report);
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

#endif
