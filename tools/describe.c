/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp describe: number, sum, mean, variance, smallest and largest element, and quantiles. NaNs are counted
 * and left out.
 *
 * The results have the same bits on every machine: sums are exact and rounded once to f64, and the rest is
 * IEEE arithmetic in a fixed order. The variance is that of a sample, (S2 - S1*S1/n) / (n - 1), where S1 and S2
 * are the sums of x - mean and of its square: S1 corrects for the rounding of the mean (Chan, Golub and LeVeque
 * 1983, the corrected two-pass algorithm). */
#include "tool.h"

#include <isowarp/exact.h>
#include <isowarp/sort.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct description {
  size_t n, nan; /* without and with NaN */
  double sum, mean, variance, deviation;
  const void *sorted; /* n elements */
} description;

enum { CHUNK = 1 << 16 }; /* elements that are converted at a time */

static double rounded(const iw_exact_sum *sum)
{
  double result;
  must(iw_exact_sum_round(sum, IW_F64, &result));
  return result;
}

/* The sum of all elements. A 64-bit integer is the exact sum of two doubles, its high and its low half. */
static double sum_elements(iw_context *context, iw_type type, const void *data, size_t n)
{
  iw_exact_sum sum = IW_EXACT_SUM_EMPTY;
  double *const numbers = need(2 * CHUNK, sizeof *numbers);
  for (size_t done = 0; done < n; done += CHUNK) {
    const size_t count = n - done < CHUNK ? n - done : CHUNK;
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
      value v = { .u64 = 0 };
      memcpy(&v, element_at(type, data, done + i), iw_type_size(type));
      if (type == IW_I64 || type == IW_U64) {
        const uint64_t low = v.u64 & 0xffffffff;
        numbers[written++] = (double)low;
        numbers[written++] = type == IW_I64 ? (double)(v.i64 - (int64_t)low) : (double)(v.u64 - low);
      } else
        numbers[written++] = number_value(type, &v);
    }
    must(iw_exact_sum_add(context, IW_F64, numbers, written, &sum));
    progress("adding", "elements", done + count, n);
  }
  free(numbers);
  return rounded(&sum);
}

static double find_variance(iw_context *context, iw_type type, const void *data, size_t n, double mean)
{
  iw_exact_sum deviations = IW_EXACT_SUM_EMPTY, squares = IW_EXACT_SUM_EMPTY;
  double *const d = need(2 * CHUNK, sizeof *d), *const square = d + CHUNK;
  for (size_t done = 0; done < n; done += CHUNK) {
    const size_t count = n - done < CHUNK ? n - done : CHUNK;
    for (size_t i = 0; i < count; i++) {
      d[i] = number_value(type, element_at(type, data, done + i)) - mean;
      square[i] = d[i] * d[i];
    }
    must(iw_exact_sum_add(context, IW_F64, d, count, &deviations));
    must(iw_exact_sum_add(context, IW_F64, square, count, &squares));
    progress("adding squares", "elements", done + count, n);
  }
  free(d);
  const double s1 = rounded(&deviations), s2 = rounded(&squares);
  return (s2 - s1 * s1 / (double)n) / (double)(n - 1);
}

/* Quantile q of sorted elements, between the two nearest ones by linear interpolation (type 7 of Hyndman and Fan
 * 1996). */
static double quantile(iw_type type, const void *sorted, size_t n, double q)
{
  if (n == 0)
    return (double)NAN;
  const double at = q * (double)(n - 1), whole = floor(at), part = at - whole;
  const size_t k = (size_t)whole < n - 1 ? (size_t)whole : n - 1;
  const double low = number_value(type, element_at(type, sorted, k));
  const double high = number_value(type, element_at(type, sorted, k + 1 < n ? k + 1 : k));
  if (part == 0 || low == high)
    return low;
  /* Two forms, so that a larger q never gives less. */
  return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
}

static description describe(iw_context *context, const array *in, void *sorted)
{
  description d = { .sorted = sorted };
  must(iw_sort(context, in->type, in->data, sorted, in->n, NULL));
  d.n = in->n; /* NaNs are last */
  while (d.n > 0 && isnan(number_value(in->type, element_at(in->type, sorted, d.n - 1))))
    d.n--;
  d.nan = in->n - d.n;
  d.sum = sum_elements(context, in->type, sorted, d.n);
  d.mean = d.n > 0 ? d.sum / (double)d.n : (double)NAN;
  d.variance = d.n > 1 ? find_variance(context, in->type, sorted, d.n, d.mean) : (double)NAN;
  d.deviation = sqrt(d.variance);
  progress_end();
  return d;
}

/* --quantiles: numbers from 0 to 1. */
static size_t read_quantiles(const settings *s, double **list)
{
  const char *const text = s->quantiles ? s->quantiles : "0.25,0.5,0.75";
  size_t capacity = 1, n = 0;
  for (const char *c = text; *c; c++)
    capacity += *c == ',';
  *list = need(capacity, sizeof **list);
  char *const copy = strcpy(need(strlen(text) + 1, 1), text), *rest = copy, *token;
  while ((token = strsep(&rest, ",")) != NULL) {
    const double q = parse_argument(IW_F64, token, "--quantiles").f64;
    if (!(q >= 0 && q <= 1))
      fail("--quantiles: '%s' is not from 0 to 1", token);
    (*list)[n++] = q;
  }
  free(copy);
  return n;
}

/* One line of text, or one member of the JSON object. */
static void put_entry(int json, const char *name, iw_type type, const void *element)
{
  printf(json ? "\"%s\": " : "%-10s ", name);
  put_number(type, element, json);
  if (!json)
    putchar('\n');
}

static void put_description(int json, iw_type type, const description *d, const double *quantiles,
                            size_t count)
{
  const char *const comma = json ? ", " : "";
  const uint64_t n = d->n, nan = d->nan;
  const struct { const char *name; double number; } rows[] = {
    { "sum", d->sum }, { "mean", d->mean }, { "variance", d->variance }, { "deviation", d->deviation },
  };
  if (json)
    printf("{\"operation\": \"describe\", \"type\": \"%s\", ", iw_type_name(type));
  put_entry(json, "count", IW_U64, &n);
  fputs(comma, stdout);
  put_entry(json, "nan", IW_U64, &nan);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fputs(comma, stdout);
    put_entry(json, rows[i].name, IW_F64, &rows[i].number);
  }
  if (d->n > 0) {
    fputs(comma, stdout);
    put_entry(json, "min", type, d->sorted);
    fputs(comma, stdout);
    put_entry(json, "max", type, element_at(type, d->sorted, d->n - 1));
  }
  if (json)
    fputs(", \"quantiles\": {", stdout);
  for (size_t i = 0; i < count; i++) {
    char name[NUMBER_CHARS + 2];
    const int length = format_value(IW_F64, &quantiles[i], name + !json);
    if (!json)
      name[0] = 'q';
    name[length + !json] = '\0';
    const double number = quantile(type, d->sorted, d->n, quantiles[i]);
    fputs(i > 0 ? comma : "", stdout);
    put_entry(json, name, IW_F64, &number);
  }
  fputs(json ? "}}\n" : "", stdout);
  finish_output();
}

int run_describe(const settings *s)
{
  double *quantiles;
  const size_t count = read_quantiles(s, &quantiles);
  const array in = read_array(input_file(s), &s->input);
  void *const sorted = need(in.n, iw_type_size(in.type));
  iw_context *const context = open_context(s);
  const double start = seconds_now();
  const description d = describe(context, &in, sorted);
  print_stats(s, in.n, in.type, seconds_now() - start);
  put_description(s->json, in.type, &d, quantiles, count);
  free(quantiles);
  free(sorted);
  free(in.owned);
  close_context();
  return STATUS_GOOD;
}
