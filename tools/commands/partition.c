/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp partition, select, extract and multisplit. Long inputs are processed in parts, so that neither
 * the input, which is mapped, nor the output need fit into memory: a first pass counts what goes where, a
 * second one writes it there. */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Partition and select ---- */

enum { LEFT = 1, RIGHT = 2 }; /* the sides of a partition; a selection is the left one */

/* One pass over an input, which writes the sides from these places of the output on. */
typedef struct pass {
  const settings *settings;
  iw_context *context;
  const array *in;
  iw_test test;
  double seconds; /* of the library's calls */
  size_t begin, end; /* the elements of this rank */
  size_t left, right;
} pass;

/* Advances p->left and p->right by what is on each side. out: NULL if sides is 0. last: no other pass
 * follows. */
static void run_pass(pass *p, parts *out, int sides, int last)
{
  const array *const in = p->in;
  char *const scratch = out == NULL ? need(in->n < PART ? in->n : PART, iw_type_size(in->type)) : NULL;
  for (size_t done = p->begin, n; done < p->end; done += n) {
    n = p->end - done < PART ? p->end - done : PART;
    read_ahead(in, done + n, PART);
    char *const to = out != NULL ? parts_buffer(out) : scratch;
    const void *const x = element_at(in->type, in->data, done);
    iw_test test = p->test;
    if (test.flags != NULL)
      test.flags += done;
    size_t count;
    const double start = seconds_now();
    must(sides & RIGHT ? iw_partition(p->context, &test, x, n, to, &count, NULL)
                       : iw_select_if(p->context, &test, x, n, to, &count, NULL));
    p->seconds += seconds_now() - start;
    const piece pieces[] = { { p->left, 0, sides & LEFT ? count : 0 },
                             { p->right, count, sides & RIGHT ? n - count : 0 } };
    if (out != NULL)
      parts_write(out, pieces, 2, !last || done + n < p->end);
    p->left += count;
    p->right += n - count;
    progress(out == NULL ? "counting" : "moving", "elements", done + n - p->begin, p->end - p->begin);
  }
  progress_end();
  free(scratch);
}

/* Returns how many elements of all ranks are selected. Sets p->left and p->right to where this rank's sides
 * begin. */
static size_t count_selected(pass *p)
{
  uint64_t count;
  p->left = p->right = 0;
  run_pass(p, NULL, 0, 0);
  p->left = (size_t)ranks_before(p->left, &count);
  p->right = (size_t)count + p->begin - p->left;
  return (size_t)count;
}

/* A pass over the elements of this rank. */
static pass make_pass(const settings *s, iw_context *context, const array *in)
{
  pass p = { .settings = s, .context = context, .in = in, .test = { .size = sizeof p.test, .type = in->type } };
  ranks_range(in->n, &p.begin, &p.end);
  return p;
}

/* Ends a pass: --count, messages, and what is to be freed. */
static int finish(const pass *p, size_t count, const char *which)
{
  print_stats(p->settings, p->in->n, p->in->type, p->seconds);
  if (p->settings->count_only) {
    uint64_t number = count;
    write_array(p->settings, IW_U64, &number, 1);
  } else {
    note("%zu of %zu elements %s", count, p->in->n, which);
  }
  free(p->in->owned);
  close_context();
  return STATUS_GOOD;
}

/* Writes the selected elements; returns their number. A .npy file begins with it, so where it cannot be
 * written last, it is found first. */
static size_t select_parts(pass *p)
{
  const settings *const s = p->settings;
  const array *const in = p->in;
  if (s->count_only)
    return count_selected(p);
  const int count_first = ranks_are_open() || (s->output != NULL && !parts_any_order(s));
  size_t count = count_first ? count_selected(p) : 0;
  parts *const out = parts_open(s, in->type, count, in->n < PART ? in->n : PART);
  run_pass(p, out, LEFT, 1);
  count = count_first ? count : p->left;
  parts_close(out, count);
  return count;
}

static size_t partition_parts(pass *p)
{
  const settings *const s = p->settings;
  const array *const in = p->in;
  if (s->count_only)
    return count_selected(p);
  const int any_order = parts_any_order(s);
  size_t count = any_order || ranks_are_open() ? count_selected(p) : 0;
  parts *const out = parts_open(s, in->type, in->n, in->n < PART ? in->n : PART);
  if (any_order || in->n <= PART) {
    run_pass(p, out, LEFT | RIGHT, 1);
    count = any_order ? count : p->left;
  } else {
    run_pass(p, out, LEFT, 0);
    count = p->left;
    run_pass(p, out, RIGHT, 1);
  }
  parts_close(out, in->n);
  return count;
}

/* Says with what elements of 2 bytes are compared if they cannot be equal to the number that was given. */
static void note_rounded_pivot(iw_type type, const value *pivot, const char *text, const char *option)
{
  const value asked = parse_argument(IW_F64, text, option);
  const double used = number_value(type, pivot);
  char digits[NUMBER_CHARS];
  if (asked.f64 == used || asked.f64 != asked.f64)
    return;
  digits[format_value(IW_F64, &used, digits)] = '\0';
  note("%s %s is rounded to %s, as %s, with which elements are compared", option, text, digits, iw_type_name(type));
}

/* Makes a comparison of integers with a number that their type does not have one with an integer that selects
 * the same elements. low, high: the integers around the number. */
static void compare_integers(iw_test *test, long double low, long double high, value *pivot)
{
  const int is_less = test->compare == IW_LESS || test->compare == IW_LESS_EQUAL;
  const int is_equality = test->compare == IW_EQUAL || test->compare == IW_NOT_EQUAL;
  if ((low == high || !is_equality) && integer_value(test->type, low, pivot)) {
    if (low != high)
      test->compare = is_less ? IW_LESS_EQUAL : IW_GREATER;
    return;
  }
  const int is_all = is_equality ? test->compare == IW_NOT_EQUAL : !isnan(low) && is_less == (low > 0);
  *pivot = least_integer(test->type);
  test->compare = is_all ? IW_GREATER_EQUAL : IW_LESS;
}

/* The same of floats, with a number between the largest one and infinity. */
static void compare_floats(iw_test *test, int is_above, value *pivot)
{
  const char *const text = test->compare == IW_EQUAL || test->compare == IW_NOT_EQUAL ? "nan" : is_above ? "inf" : "-inf";
  *pivot = parse_argument(test->type, text, "");
  if (test->compare == IW_LESS || test->compare == IW_LESS_EQUAL)
    test->compare = is_above ? IW_LESS : IW_LESS_EQUAL;
  else if (*text != 'n')
    test->compare = is_above ? IW_GREATER_EQUAL : IW_GREATER;
}

/* Sets the comparison of a test with a number, which the elements' type need not have. */
static void set_comparison(iw_test *test, const char *text, const char *option, value *pivot)
{
  long double low, high;
  if (parse_value(test->type, text, text + strlen(text), pivot) == NULL) {
    if (is_half(test->type))
      note_rounded_pivot(test->type, pivot, text, option);
    return;
  }
  if (!integers_around(text, &low, &high))
    parse_argument(test->type, text, option); /* fails */
  if (is_float(test->type))
    compare_floats(test, low > 0, pivot);
  else
    compare_integers(test, low, high, pivot);
}

/* Sets what the options select by in *p. pivot: memory for it. */
static void set_test(const settings *s, pass *p, value *pivot, const array *flags)
{
  if (s->compares) {
    p->test.compare = s->compare;
    p->test.constant = pivot;
    set_comparison(&p->test, s->pivot, s->compare_option, pivot);
  } else {
    p->test.flags = flags->data;
  }
}

/* Partitions or selects. which: for the message with the count. */
static int run_test(const settings *s, size_t (*run)(pass *), const char *which)
{
  beside flags = { .option = "--flags", .name = s->flags, .things = "flags", .kind = FLAGS };
  const char *const path = input_file(s);
  if (s->compares == (s->flags != NULL))
    fail("'%s' needs one of --flags, --less, --less-equal, --equal, --not-equal, --greater and "
         "--greater-equal",
         s->command->name);
  array in = s->flags != NULL ? read_beside(s, &flags) : read_array(path, &s->input);
  value pivot;
  pass p = make_pass(s, NULL, &in);
  set_test(s, &p, &pivot, &flags.values);
  p.context = open_context(s);
  const size_t count = run(&p);
  free(flags.values.owned);
  return finish(&p, count, which);
}

int run_partition(const settings *s)
{
  return run_test(s, partition_parts, "are on the left");
}

int run_select(const settings *s)
{
  return run_test(s, select_parts, "are selected");
}

/* ---- Runs ---- */

int run_unique(const settings *s)
{
  array in = read_array(input_file(s), &s->input);
  iw_context *context = open_context(s);
  if (s->by_value)
    keys_by_value(context, &in);
  void *const out = need(in.n, iw_type_size(in.type));
  size_t count;
  const double start = seconds_now();
  must(iw_unique(context, in.type, in.data, in.n, out, &count, NULL));
  print_stats(s, in.n, in.type, seconds_now() - start);
  const uint64_t runs = count;
  if (s->count_only)
    write_array(s, IW_U64, &runs, 1);
  else
    write_array(s, in.type, out, count);
  free(out);
  free(in.owned);
  close_context();
  return STATUS_GOOD;
}

/* Text has the value and the length of a run in each line; -o has the lengths, as 'unique -o' has the
 * values. */
int run_run_lengths(const settings *s)
{
  array in = read_array(input_file(s), &s->input);
  iw_context *context = open_context(s);
  if (s->by_value)
    keys_by_value(context, &in);
  void *const values = need(in.n, iw_type_size(in.type));
  uint64_t *const lengths = need(in.n, sizeof *lengths);
  size_t count;
  char text[NUMBER_CHARS];
  const double start = seconds_now();
  must(iw_run_lengths(context, in.type, in.data, in.n, values, (iw_indices){ lengths, 8 }, &count));
  print_stats(s, in.n, in.type, seconds_now() - start);
  if (s->output != NULL)
    write_array(s, IW_U64, lengths, count);
  for (size_t r = 0; r < count && s->output == NULL; r++) {
    const int length = format_value(in.type, element_at(in.type, values, r), text);
    if (printf("%.*s %llu\n", length, text, (unsigned long long)lengths[r]) < 0)
      break; /* finish_output() reports it */
  }
  finish_output();
  free(values);
  free(lengths);
  free(in.owned);
  close_context();
  return STATUS_GOOD;
}

int run_extract(const settings *s)
{
  const char *path = input_file(s);
  if (!s->has_extract)
    fail("'extract' needs -k, the index of the bin");
  array in = read_array(path, &s->input);
  iw_context *context = open_context(s);
  bins bins;
  read_bins(&bins, s, context, &in);
  if (s->extract >= bins.spec.bins)
    fail("-k: there is no bin %zu; the last of %zu bins is %zu", s->extract, bins.spec.bins,
         bins.spec.bins - 1);
  pass p = make_pass(s, context, &in);
  p.test.bins = &bins.spec;
  p.test.bin = s->extract;
  const size_t count = select_parts(&p);
  free(bins.edges.owned);
  return finish(&p, count, "are in the bin");
}

void print_bin(const settings *s, const iw_histogram_spec *bins, iw_context *context, const array *in)
{
  pass p = make_pass(s, context, in);
  p.test.bins = bins;
  p.test.bin = s->extract;
  printf("bin %zu has %zu samples:\n", s->extract, count_selected(&p));
  select_parts(&p);
}

/* ---- Multisplit ---- */

typedef struct split {
  const settings *settings;
  iw_context *context;
  const array *in;
  iw_buckets buckets;
  size_t count;     /* buckets */
  size_t begin, end; /* the elements of this rank */
  uint64_t *sizes;  /* count + 1: elements of each bucket, and of none */
  uint64_t *places; /* count + 1: where those of this rank begin in the output */
  size_t *offsets;  /* count + 1: of one part */
  double seconds;   /* of the library's calls */
} split;

/* Elements of bucket k of a part of n; k == count: of none. */
static size_t bucket_size(const split *p, size_t n, size_t k)
{
  return (k < p->count ? p->offsets[k + 1] : n) - p->offsets[k];
}

/* Splits one part. to: elements, or with --order their indices; NULL: only offsets are written. */
static void split_part(split *p, size_t first, size_t n, void *to)
{
  const array *const in = p->in;
  const void *const x = element_at(in->type, in->data, first);
  const iw_payload permutation = { .size = sizeof permutation, .out = to, .width = sizeof(uint64_t) };
  const double start = seconds_now();
  if (to == NULL || p->settings->order)
    must(iw_multisplit(p->context, &p->buckets, x, n, NULL, p->offsets,
                       IW_OPTIONS(iw_move_options, .payloads = &permutation, .payload_count = to != NULL)));
  else
    must(iw_multisplit(p->context, &p->buckets, x, n, to, p->offsets, NULL));
  if (to != NULL && p->settings->order)
    for (size_t i = 0; i < n; i++)
      ((uint64_t *)to)[i] += first;
  p->seconds += seconds_now() - start;
}

/* Sets p->places, given p->sizes of this rank's elements, and p->sizes to those of all. */
static void place_buckets(split *p)
{
  enum { AT_A_TIME = 4096 };
  uint64_t *const all = need(ranks_count(), AT_A_TIME * sizeof *all), start = 0;
  for (size_t k = 0, n; k <= p->count; k += n) {
    n = p->count + 1 - k < AT_A_TIME ? p->count + 1 - k : AT_A_TIME;
    ranks_gather(p->sizes + k, all, n * sizeof *all);
    for (size_t i = k; i < k + n; i++) {
      p->places[i] = start;
      p->sizes[i] = 0;
      for (unsigned r = 0; r < ranks_count(); r++) {
        const uint64_t size = all[r * n + i - k];
        p->places[i] += r < ranks_rank() ? size : 0;
        p->sizes[i] += size;
      }
      start += p->sizes[i];
    }
  }
  free(all);
}

/* Fills in p->sizes and p->places. */
static void count_buckets(split *p)
{
  for (size_t done = p->begin, n; done < p->end; done += n) {
    n = p->end - done < PART ? p->end - done : PART;
    read_ahead(p->in, done + n, PART);
    split_part(p, done, n, NULL);
    for (size_t k = 0; k <= p->count; k++)
      p->sizes[k] += bucket_size(p, n, k);
    progress("counting", "elements", done + n - p->begin, p->end - p->begin);
  }
  progress_end();
  place_buckets(p);
}

static void write_offsets(const split *p)
{
  uint64_t *offsets = need(p->count + 1, sizeof *offsets), before = 0;
  for (size_t k = 0; k <= p->count; k++) {
    offsets[k] = before;
    before += p->sizes[k];
  }
  write_array(p->settings, IW_U64, offsets, p->count + 1);
  free(offsets);
}

/* Writes the elements or their indices; without any order of writing, in one part. */
static void write_buckets(split *p)
{
  const array *const in = p->in;
  const size_t most = !parts_any_order(p->settings) || in->n < PART ? in->n : PART;
  piece *pieces = need(p->count + 1, sizeof *pieces);
  parts *const out = parts_open(p->settings, p->settings->order ? IW_U64 : in->type, in->n, most);
  for (size_t done = p->begin, n; done < p->end; done += n) {
    n = p->end - done < most ? p->end - done : most;
    read_ahead(in, done + n, PART);
    split_part(p, done, n, parts_buffer(out));
    size_t used = 0;
    for (size_t k = 0; k <= p->count; k++) {
      const size_t size = bucket_size(p, n, k);
      if (size > 0)
        pieces[used++] = (piece){ (size_t)p->places[k], p->offsets[k], size };
      p->places[k] += size;
    }
    parts_write(out, pieces, used, done + n < p->end);
    progress("moving", "elements", done + n - p->begin, p->end - p->begin);
  }
  progress_end();
  parts_close(out, in->n);
  free(pieces);
}

int run_multisplit(const settings *s)
{
  array in = read_array(input_file(s), &s->input);
  iw_context *context = open_context(s);
  if (s->bits && (s->has_bins || s->range || s->edges || s->has_policy || s->closed_top))
    fail("--bits cannot be combined with --bins, --range, --edges, --policy and --closed-top");
  bins bins = { 0 };
  iw_histogram_plan *plan = NULL;
  if (!s->bits) {
    read_bins(&bins, s, context, &in);
    must(iw_histogram_plan_make(context, &bins.spec, in.data, in.n < PART ? in.n : PART, &plan));
  }
  const iw_histogram_spec planned = { .size = sizeof planned, .plan = plan };
  split p = {
    .settings = s,
    .context = context,
    .in = &in,
    .count = s->bits ? (size_t)1 << s->bits : bins.spec.bins,
    .buckets = { .size = sizeof p.buckets, .type = in.type, .bins = plan ? &planned : NULL, .bit = s->bit, .bits = s->bits }
  };
  p.offsets = need(p.count + 1, sizeof *p.offsets);
  p.sizes = memset(need(p.count + 1, sizeof *p.sizes), 0, (p.count + 1) * sizeof *p.sizes);
  p.places = need(p.count + 1, sizeof *p.places);
  ranks_range(in.n, &p.begin, &p.end);
  count_buckets(&p);
  if (s->offsets) {
    write_offsets(&p);
  } else {
    note("%zu of %zu elements are in a %s", in.n - (size_t)p.sizes[p.count], in.n,
         s->bits ? "bucket" : "bin");
    write_buckets(&p);
  }
  print_stats(s, in.n, in.type, p.seconds);
  iw_histogram_plan_free(plan);
  free(bins.edges.owned);
  free(p.sizes);
  free(p.places);
  free(p.offsets);
  free(in.owned);
  close_context();
  return STATUS_GOOD;
}
