/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp histogram: counts, and a bar chart in the terminal. */
#include "commands.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The columns of the terminal; 80 if standard output is not a terminal. */
static int chart_width(void)
{
  const char *columns = getenv("COLUMNS");
  struct winsize size;
  int width = columns ? atoi(columns) : 0;
  if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    width = size.ws_col;
  return width <= 0 ? 80 : width > 400 ? 400 : width;
}

/* Whether standard output is a terminal that shows colours, and its user has not refused them
 * (https://no-color.org). Open MPI gives ranks a terminal of its own, wherever their output goes. */
static int shows_colours(void)
{
  const char *const refused = getenv("NO_COLOR"), *const terminal = getenv("TERM");
  return (refused == NULL || *refused == '\0') && terminal != NULL && strcmp(terminal, "dumb") != 0 &&
         !ranks_are_open() && isatty(STDOUT_FILENO);
}

/* Draws a bar of width * count / max columns, in eighths of a column if the locale has UTF-8. */
static void draw_bar(uint64_t count, uint64_t max, int width, int utf8)
{
  static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
  double length = max ? (double)count / (double)max * width : 0;
  int whole = (int)length, part = (int)((length - whole) * 8);
  if (!utf8) {
    whole = count > 0 && whole == 0 ? 1 : whole;
    for (int i = 0; i < whole; i++)
      putchar('#');
    return;
  }
  if (count > 0 && whole == 0 && part == 0)
    part = 1; /* a count above 0 is visible */
  for (int i = 0; i < whole; i++)
    fputs("█", stdout);
  fputs(eighths[part], stdout);
}

int edge_digits(iw_type type, const void *edges, size_t count)
{
  char a[NUMBER_CHARS], b[NUMBER_CHARS];
  for (int digits = 4; digits < 17; digits++) {
    size_t k = 1;
    format_rounded(type, edges, digits, a);
    for (; k < count; k++) {
      format_rounded(type, element_at(type, edges, k), digits, b);
      if (strcmp(a, b) == 0)
        break;
      memcpy(a, b, sizeof a);
    }
    if (k == count)
      return digits;
  }
  return 17;
}

/* "a-d": the letters of a bin. */
static void make_letters_label(const settings *s, size_t k, char label[LABEL_CHARS])
{
  unsigned first = (unsigned)k * s->letters, last = first + s->letters - 1;
  last = last > 25 ? 25 : last;
  if (first == last)
    sprintf(label, "%c", 'a' + first);
  else
    sprintf(label, "%c-%c", 'a' + first, 'a' + last);
}

static void format_edge(const bins *b, iw_type type, const void *edges, int digits, size_t k, char text[NUMBER_CHARS])
{
  const void *const edge = element_at(type, edges, k);
  const int is_end = k == 0 || k == b->spec.bins;
  if (b->typed == ALL_EDGES || (b->typed == END_EDGES && is_end))
    text[format_value(type, edge, text)] = '\0';
  else
    format_rounded(type, edge, digits, text);
}

void make_label(const bins *b, iw_type type, const void *edges, int digits, size_t k, char label[LABEL_CHARS])
{
  char low[NUMBER_CHARS], high[NUMBER_CHARS];
  format_edge(b, type, edges, digits, k, low);
  format_edge(b, type, edges, digits, k + 1, high);
  sprintf(label, "[%s, %s%c", low, high, b->is_closed && k + 1 == b->spec.bins ? ']' : ')');
}

static void name_bin(const settings *s, const bins *b, iw_type type, const void *edges, int digits, size_t k,
                     char label[LABEL_CHARS])
{
  if (s->letters != 0)
    make_letters_label(s, k, label);
  else
    make_label(b, type, edges, digits, k, label);
}

/* The edges of all bins, for free(). */
static void *copy_edges(const bins *b, iw_type type)
{
  void *const edges = need(b->spec.bins + 1, iw_type_size(type));
  if (b->spec.kind == IW_HISTOGRAM_EDGES)
    memcpy(edges, b->spec.edges, (b->spec.bins + 1) * iw_type_size(type));
  else
    must(iw_histogram_edges(&b->spec, edges));
  return edges;
}

static double percent(uint64_t part, uint64_t all)
{
  return all ? 100.0 * (double)part / (double)all : 0;
}

/* Samples that are in no bin, of the text. */
static void print_outside(uint64_t below, uint64_t above, uint64_t nan, iw_policy policy)
{
  const char *const where = policy == IW_POLICY_CLAMP ? "counted in the end bins" : "in no bin";
  if (below || above)
    printf("below: %llu, above: %llu (%s)\n", (unsigned long long)below, (unsigned long long)above, where);
  if (nan)
    printf("NaN: %llu (in no bin)\n", (unsigned long long)nan);
}

static void draw_chart(const settings *s, const bins *b, iw_type type, size_t n, const uint64_t *counts,
                       const iw_histogram_report *report)
{
  size_t count = b->spec.bins;
  uint64_t max = 0;
  int label_width = 3, count_width = 5, digits = 0, utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  char label[LABEL_CHARS];
  void *edges = NULL;

  if (s->letters == 0) {
    edges = copy_edges(b, type);
    digits = edge_digits(type, edges, count + 1);
  }
  for (size_t k = 0; k < count; k++) {
    name_bin(s, b, type, edges, digits, k, label);
    int width = (int)strlen(label);
    label_width = width > label_width ? width : label_width;
    width = snprintf(NULL, 0, "%llu", (unsigned long long)counts[k]);
    count_width = width > count_width ? width : count_width;
    max = counts[k] > max ? counts[k] : max;
  }
  const int coloured = shows_colours();
  int bar_width = chart_width() - label_width - count_width - 12;
  bar_width = bar_width < 10 ? 10 : bar_width;
  printf("%-*s  %*s   share\n", label_width, "bin", count_width, "count");
  for (size_t k = 0; k < count; k++) {
    name_bin(s, b, type, edges, digits, k, label);
    printf("%-*s  %*llu  %5.1f%%", label_width, label, count_width, (unsigned long long)counts[k],
           percent(counts[k], n));
    if (counts[k] > 0)
      fputs(coloured ? "  \033[34m" : "  ", stdout);
    draw_bar(counts[k], max, bar_width, utf8);
    puts(coloured && counts[k] > 0 ? "\033[0m" : "");
  }
  printf("samples: %zu\n", n);
  if (s->letters != 0)
    printf("not letters: %llu (%.1f%%)\n", (unsigned long long)report->overflow, percent(report->overflow, n));
  else
    print_outside(report->underflow, report->overflow, report->nan, b->spec.policy);
  free(edges);
}

/* Adds what all ranks have counted. */
static void sum_counts(uint64_t *counts, size_t counters, iw_histogram_report *report)
{
  uint64_t numbers[] = { report->underflow, report->overflow, report->nan };
  ranks_sum(counts, counters);
  ranks_sum(numbers, sizeof numbers / sizeof *numbers);
  report->underflow = numbers[0];
  report->overflow = numbers[1];
  report->nan = numbers[2];
}

void write_histogram(const settings *s, const bins *b, const array *in, const uint64_t *counts,
                     size_t counters, const iw_histogram_report *report)
{
  histogram_table t = {
    .type = in->type, .samples = in->n, .bins = b->spec.bins, .letters = s->letters, .counts = counts,
    .below = report->underflow, .above = report->overflow, .nan = report->nan, .is_closed = b->is_closed,
    .is_log = s->log,
  };
  void *edges = NULL;
  if (s->letters == 0 && (s->json || s->csv || s->plot)) {
    t.edges = edges = copy_edges(b, in->type);
  }
  if (s->plot != NULL)
    plot_histogram(s->plot, &t);
  if (s->json)
    json_histogram(&t);
  else if (s->csv)
    csv_histogram(&t);
  else if (s->output != NULL)
    write_array(s, IW_U64, counts, counters);
  else
    draw_chart(s, b, in->type, in->n, counts, report);
  if (s->csv || s->output != NULL)
    note_dropped(&t, b->spec.policy);
  free(edges);
}

/* ---- Weights ---- */

iw_type weight_sum_type(iw_type weight_type)
{
  switch (weight_type) {
  case IW_I32: case IW_I64: return IW_I64;
  case IW_U32: case IW_U64: return IW_U64;
  case IW_F32: case IW_F64: return weight_type;
  default: fail("--weights: %s is not one of i32, i64, u32, u64, f32 and f64", iw_type_name(weight_type));
  }
}

void count_outside(iw_context *context, const bins *b, const array *samples, histogram_table *t)
{
  iw_histogram_report report = { .size = sizeof report };
  uint64_t *const counts = need(b->spec.bins, sizeof *counts);
  must(iw_histogram(context, &b->spec, samples->data, samples->n, counts, IW_OPTIONS(iw_histogram_options, .report = &report)));
  free(counts);
  t->below = report.underflow;
  t->above = report.overflow;
  t->nan = report.nan;
}

/* A bin and its sum per line. */
static void print_sums(const bins *b, const histogram_table *t)
{
  char label[LABEL_CHARS], text[NUMBER_CHARS];
  const int digits = edge_digits(t->type, t->edges, t->bins + 1);
  int width = 3;
  for (size_t k = 0; k < t->bins; k++) {
    make_label(b, t->type, t->edges, digits, k, label);
    width = (int)strlen(label) > width ? (int)strlen(label) : width;
  }
  printf("%-*s  sum of weights\n", width, "bin");
  for (size_t k = 0; k < t->bins; k++) {
    make_label(b, t->type, t->edges, digits, k, label);
    const int length = format_shown(t->sum_type, element_at(t->sum_type, t->sums, k), text);
    printf("%-*s  %.*s\n", width, label, length, text);
  }
  printf("samples: %zu\n", t->samples);
  print_outside(t->below, t->above, t->nan, b->spec.policy);
}

int run_histogram_weighted(const settings *s)
{
  beside beside = { .option = "--weights", .name = s->weights, .integers = SUMMED };
  const array in = read_with(s, &beside, 1), weights = beside.values;
  const iw_type type = weight_sum_type(weights.type);
  iw_context *const context = open_context(s);
  bins b;
  iw_histogram_plan *plan;
  read_bins(&b, s, context, &in);
  must(iw_histogram_plan_make(context, &b.spec, in.data, in.n, &plan));
  void *const sums = need(b.spec.bins, iw_type_size(type));
  void *const edges = need(b.spec.bins + 1, iw_type_size(in.type));
  must(iw_histogram_edges(&b.spec, edges));
  const double start = seconds_now();
  must(iw_histogram(context, IW_OPTIONS(iw_histogram_spec, .plan = plan), in.data, in.n, sums,
                    IW_OPTIONS(iw_histogram_options, .weight_type = weights.type, .weights = weights.data)));
  print_stats(s, in.n, in.type, seconds_now() - start);
  histogram_table t = {
    .type = in.type, .samples = in.n, .bins = b.spec.bins, .edges = edges, .sums = sums, .sum_type = type,
    .is_closed = b.is_closed, .is_log = s->log,
  };
  count_outside(context, &b, &in, &t);
  if (s->plot != NULL)
    plot_histogram(s->plot, &t);
  if (s->json)
    json_histogram(&t);
  else if (s->csv)
    csv_histogram(&t);
  else if (s->output != NULL)
    write_array(s, type, sums, t.bins);
  else
    print_sums(&b, &t);
  if (s->csv || s->output != NULL)
    note_dropped(&t, b.spec.policy);
  iw_histogram_plan_free(plan);
  free(sums);
  free(edges);
  free(b.edges.owned);
  free(weights.owned);
  free(in.owned);
  close_context();
  return STATUS_GOOD;
}

/* Counts all samples, of all ranks, and adds up the reports of the parts. */
static void count_parts(const settings *s, iw_context *context, const array *in, iw_histogram_spec spec,
                        uint64_t *counts, size_t counters, iw_histogram_report *all)
{
  size_t begin, end;
  ranks_range(in->n, &begin, &end);
  for (size_t done = begin, n; done == begin || done < end; done += n) {
    iw_histogram_report report = { .size = sizeof report };
    n = end - done < PART ? end - done : PART;
    read_ahead(in, done + n, PART);
    must(iw_histogram(context, &spec, element_at(in->type, in->data, done), n, counts,
                      IW_OPTIONS(iw_histogram_options, .report = &report)));
    spec.flags |= IW_HIST_ACCUMULATE;
    all->underflow += report.underflow;
    all->overflow += report.overflow;
    all->nan += report.nan;
    progress("counting", "elements", done + n - begin, end - begin);
    if (begin == end)
      break;
  }
  sum_counts(counts, counters, all);
  progress_end();
}

static int run_histogram_counts(const settings *s)
{
  const char *path = input_file(s);
  reading reading = s->input;
  if (s->letters != 0) {
    reading.has_type = 1;
    reading.type = IW_U8;
    reading.format = FORMAT_RAW;
  }
  array in = read_array(path, &reading);
  iw_context *context = open_context(s);
  bins b;
  read_bins(&b, s, context, &in);
  if (s->has_extract && s->extract >= b.spec.bins)
    fail("--extract: there is no bin %zu; the last of %zu bins is %zu", s->extract, b.spec.bins,
         b.spec.bins - 1);
  size_t counters = b.spec.bins + (b.spec.policy == IW_POLICY_COUNT ? 2 : 0);
  uint64_t *counts = need(counters, sizeof *counts);
  iw_histogram_report all = { .size = sizeof all };
  const double start = seconds_now();
  count_parts(s, context, &in, b.spec, counts, counters, &all);
  print_stats(s, in.n, in.type, seconds_now() - start);
  write_histogram(s, &b, &in, counts, counters, &all);
  if (s->has_extract)
    print_bin(s, &b.spec, context, &in);
  free(counts);
  free(b.edges.owned);
  free(in.owned);
  close_context();
  return STATUS_GOOD;
}

int run_histogram(const settings *s)
{
  if (s->y != NULL)
    return run_histogram_2d(s);
  if (s->group_by != NULL)
    return run_histogram_groups(s);
  if (s->grow != NULL)
    return run_histogram_growing(s);
  if (s->weights != NULL)
    return run_histogram_weighted(s);
  return run_histogram_counts(s);
}
