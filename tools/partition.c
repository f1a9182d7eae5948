/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp partition, select, extract and multisplit. */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>

array read_flags(const settings *s, size_t n)
{
  reading reading = { .has_type = 1, .type = IW_U8, .delimiter = ',', .truth = 1 };
  array flags = read_array(s->flags, &reading);
  if (flags.n != n)
    fail("%s: has %zu flags, but there are %zu elements", s->flags, flags.n, n);
  return flags;
}

/* Writes the elements, or with --count their number, and frees the arrays. */
static int finish(const settings *s, const array *in, char *out, size_t n, size_t count, const char *which,
                  double start)
{
  print_stats(s, in->n, in->type, seconds_now() - start);
  if (s->count_only) {
    uint64_t number = count;
    write_array(s, IW_U64, &number, 1);
  } else {
    fprintf(stderr, "isowarp: %zu of %zu elements %s\n", count, in->n, which);
    write_array(s, in->type, out, n);
  }
  free(out);
  free(in->owned);
  return STATUS_GOOD;
}

iw_status select_bin(iw_context *context, const array *in, const iw_histogram_spec *bins, size_t bin,
                     void *out, size_t *count)
{
  const iw_test test = { .size = sizeof test, .bins = bins, .bin = bin };
  return iw_select_if(context, in->type, in->data, in->n, &test, out, count);
}

iw_status partition_below(iw_context *context, const array *in, const void *pivot, void *out, size_t *count)
{
  const iw_test test = { .size = sizeof test, .compare = IW_LESS, .constant = pivot };
  return iw_partition(context, in->type, in->data, in->n, &test, out, NULL, count);
}

int run_partition(const settings *s)
{
  const char *path = input_file(s);
  if (!s->pivot == !s->flags)
    fail("'partition' needs one of --pivot and --flags");
  array in = read_array(path, &s->input);
  iw_context *context = open_context(s);
  char *out = need(in.n, iw_type_size(in.type));
  size_t count;
  double start;
  if (s->pivot != NULL) {
    value pivot = parse_argument(in.type, s->pivot, "--pivot");
    start = seconds_now();
    must(partition_below(context, &in, &pivot, out, &count));
  } else {
    array flags = read_flags(s, in.n);
    start = seconds_now();
    const iw_test test = { .size = sizeof test, .flags = flags.data };
    must(iw_partition(context, in.type, in.data, in.n, &test, out, NULL, &count));
    free(flags.owned);
  }
  iw_context_close(context);
  return finish(s, &in, out, in.n, count, "are on the left", start);
}

int run_select(const settings *s)
{
  const char *path = input_file(s);
  if (s->flags == NULL)
    fail("'select' needs --flags");
  array in = read_array(path, &s->input), flags = read_flags(s, in.n);
  iw_context *context = open_context(s);
  char *out = need(in.n, iw_type_size(in.type));
  size_t count;
  const iw_test test = { .size = sizeof test, .flags = flags.data };
  double start = seconds_now();
  must(iw_select_if(context, in.type, in.data, in.n, &test, out, &count));
  free(flags.owned);
  iw_context_close(context);
  return finish(s, &in, out, count, count, "are selected", start);
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
  char *out = need(in.n, iw_type_size(in.type));
  size_t count;
  double start = seconds_now();
  must(select_bin(context, &in, &bins.spec, s->extract, out, &count));
  free(bins.edges.owned);
  iw_context_close(context);
  return finish(s, &in, out, count, count, "are in the bin", start);
}

int run_multisplit(const settings *s)
{
  array in = read_array(input_file(s), &s->input);
  iw_context *context = open_context(s);
  if (s->bits && (s->has_bins || s->range || s->edges || s->has_policy || s->closed_top))
    fail("--bits cannot be combined with --bins, --range, --edges, --policy and --closed-top");
  bins bins = { 0 };
  if (!s->bits)
    read_bins(&bins, s, context, &in);
  char *out = need(in.n, iw_type_size(in.type));
  size_t count = s->bits ? (size_t)1 << s->bits : bins.spec.bins;
  uint64_t *order = need(s->order ? in.n : 0, sizeof *order);
  size_t *offsets = need(count + 1, sizeof *offsets);
  iw_histogram_plan *plan = NULL;
  if (s->order && !s->bits)
    must(iw_histogram_plan_make(context, in.type, &bins.spec, in.data, in.n, &plan));
  const iw_histogram_spec planned = { .size = sizeof planned, .plan = plan };
  const iw_buckets buckets = {
    .size = sizeof buckets, .bins = s->bits ? NULL : plan ? &planned : &bins.spec, .bit = s->bit,
    .bits = s->bits,
  };
  const iw_payload permutation = { .size = sizeof permutation, .out = order, .width = sizeof *order };
  double start = seconds_now();
  if (s->order)
    must(iw_multisplit_payloads(context, in.type, in.data, in.n, &buckets, &permutation, 1, offsets));
  else
    must(iw_multisplit(context, in.type, in.data, in.n, &buckets, out, offsets));
  print_stats(s, in.n, in.type, seconds_now() - start);
  if (s->offsets) {
    uint64_t *wide = need(count + 1, sizeof *wide);
    for (size_t i = 0; i <= count; i++)
      wide[i] = offsets[i];
    write_array(s, IW_U64, wide, count + 1);
    free(wide);
  } else {
    fprintf(stderr, "isowarp: %zu of %zu elements are in a %s\n", offsets[count], in.n,
            s->bits ? "bucket" : "bin");
    if (s->order)
      write_array(s, IW_U64, order, in.n);
    else
      write_array(s, in.type, out, in.n);
  }
  iw_histogram_plan_free(plan);
  free(bins.edges.owned);
  free(order);
  free(offsets);
  free(out);
  free(in.owned);
  iw_context_close(context);
  return STATUS_GOOD;
}
