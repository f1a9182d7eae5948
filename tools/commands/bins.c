/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a histogram specification from the options that describe bins. */
#include "commands.h"

#include <isowarp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest number of a type and, of integers, the one behind it, which may end a range. */
static const struct { const char *last, *behind; } ends[] = {
  [IW_U8] = { "255", "256" }, [IW_U16] = { "65535", "65536" }, [IW_I32] = { "2147483647", "2147483648" },
  [IW_U32] = { "4294967295", "4294967296" }, [IW_I64] = { "9223372036854775807", "9223372036854775808" },
  [IW_U64] = { "18446744073709551615", "18446744073709551616" }, [IW_I8] = { "127", "128" },
  [IW_I16] = { "32767", "32768" }, [IW_BOOL] = { "1", "2" }, [IW_F16] = { .last = "65504" },
  [IW_BF16] = { .last = "3.3895314e+38" }, [IW_F32] = { .last = "3.4028235e+38" },
  [IW_F64] = { .last = "1.7976931348623157e+308" },
};

static int is_integer(iw_type type) { return !is_float(type); }

/* Whether the value is the type's largest integer. */
static int is_last(iw_type type, const value *v)
{
  char text[NUMBER_CHARS];
  text[format_value(type, v, text)] = '\0';
  return is_integer(type) && strcmp(text, ends[type].last) == 0;
}

/* An end of a range, between which edges are even numbers of the samples' type. */
static value parse_end(iw_type type, const char *text, const char *option)
{
  value v;
  const char *const wrong = parse_value(type, text, text + strlen(text), &v);
  if (wrong != NULL)
    fail("%s: '%s' %s (the samples' type is %s; edges of --%.*sedges may be any numbers)", option, text, wrong, iw_type_name(type),
         (int)(strlen(option) - strlen("--range")), option + 2);
  return v;
}

/* --range. Integers may end behind their type's largest: 0:256 has all values of u8. */
static void split_range(bins *b, const char *text, iw_type type, const char *option)
{
  char *copy = strdup(text), *colon = copy ? strchr(copy, ':') : NULL;
  if (colon == NULL)
    fail("%s: '%s' is not LO:HI", option, text);
  *colon = '\0';
  const char *hi = colon + 1;
  if (is_integer(type) && strcmp(hi, ends[type].behind) == 0) {
    hi = ends[type].last;
    b->spec.flags |= IW_HIST_HI_INCLUDED;
  }
  b->lo = parse_end(type, copy, option);
  b->hi = parse_end(type, hi, option);
  free(copy);
}

/* An integer modulo 2^64, and back. */
static uint64_t to_wide(iw_type type, const value *v)
{
  uint64_t wide;
  memcpy(&wide, elements(&(array){ type, 1, v, NULL }, iw_type_size(type) == 8 ? type : IW_U64, 0, 1), sizeof wide);
  return wide;
}

static value from_wide(iw_type type, uint64_t wide)
{
  value v = { .u64 = 0 };
  switch (iw_type_size(type)) {
  case 1: v.u8 = (uint8_t)wide; break;
  case 2: v.u16 = (uint16_t)wide; break;
  case 4: v.u32 = (uint32_t)wide; break;
  default: v.u64 = wide;
  }
  return v;
}

/* hi - lo of integers, modulo 2^64. */
static uint64_t distance(iw_type type, const value *lo, const value *hi)
{
  return to_wide(type, hi) - to_wide(type, lo);
}

/* Moves b->hi up, and b->lo down where the type ends, until the samples' range has a value for each bin. */
static void extend_range(bins *b, iw_type type, const char *axis)
{
  const value last = parse_argument(type, ends[type].last, "");
  const uint64_t room = distance(type, &b->hi, &last), wanted = b->spec.bins - 1 - distance(type, &b->lo, &b->hi);
  const uint64_t lo = to_wide(type, &b->lo), up = wanted < room ? wanted : room;
  const value first = least_integer(type);
  const uint64_t down = wanted - up;
  if (down > distance(type, &first, &b->lo))
    fail("--%sbins is %zu, but %s has fewer values, and each bin of integers needs one", axis, b->spec.bins,
         iw_type_name(type));
  b->lo = from_wide(type, lo - down);
  b->hi = from_wide(type, lo - down + b->spec.bins - 1);
  note("--%sbins is %zu, but the samples' range has fewer values: there are bins for other values, too", axis,
       b->spec.bins);
}

/* Even bins of integers between b->lo and b->hi: at most as many as there are values, unless --bins says
 * how many; and if they are as many, the last value has one, too. */
static void integer_bins(bins *b, const settings *s, iw_type type)
{
  if (s->has_bins && s->range == NULL && distance(type, &b->lo, &b->hi) < b->spec.bins - 1)
    extend_range(b, type, s->axis ? s->axis : "");
  const uint64_t steps = distance(type, &b->lo, &b->hi);
  const int is_closed = (b->spec.flags & (IW_HIST_CLOSED_TOP | IW_HIST_HI_INCLUDED)) != 0;
  if (!s->has_bins && steps < b->spec.bins)
    b->spec.bins = steps + (uint64_t)is_closed > 0 ? (size_t)steps + (size_t)is_closed : 1;
  if (is_closed && steps + 1 == b->spec.bins)
    b->spec.flags = (b->spec.flags & ~(unsigned)IW_HIST_CLOSED_TOP) | IW_HIST_HI_INCLUDED;
}

/* --letters: a bin for each group of letters. */
static void letter_bins(bins *b, const settings *s)
{
  b->spec.kind = IW_HISTOGRAM_MAP;
  b->spec.map = b->map;
  b->spec.bins = (26 + s->letters - 1) / s->letters;
  for (unsigned i = 0; i < 256; i++)
    b->map[i] = IW_MAP_NONE;
  for (unsigned i = 0; i < 26; i++) /* ASCII codes, in every locale */
    b->map[0x61 + i] = b->map[0x41 + i] = (uint16_t)(i / s->letters);
}

/* ---- Edges that samples of 2 bytes cannot be equal to ---- */

/* wanted, edges: `count` edges as they were asked for, and as they are used. */
static void note_rounded(iw_type type, const double *wanted, const void *edges, size_t count)
{
  size_t rounded = 0, first = 0;
  for (size_t k = 0; k < count; k++)
    if (number_value(type, element_at(type, edges, k)) != wanted[k])
      first = rounded++ ? first : k;
  if (rounded == 0)
    return;
  char asked[NUMBER_CHARS], used[NUMBER_CHARS];
  asked[format_value(IW_F64, &wanted[first], asked)] = '\0';
  const double number = number_value(type, element_at(type, edges, first));
  used[format_value(IW_F64, &number, used)] = '\0';
  note("%zu of %zu edges are rounded to %s, the first from %s to %s, with which samples are compared",
       rounded, count, iw_type_name(type), asked, used);
}

/* Even bins between what --range says. */
static void note_rounded_bins(const bins *b, const settings *s, iw_type type, const char *option)
{
  const size_t bins = b->spec.bins;
  double lo = number_value(type, &b->lo), hi = number_value(type, &b->hi), *const wanted = need(bins + 1, sizeof *wanted);
  void *const edges = need(bins + 1, iw_type_size(type));
  struct bins given = { 0 };
  if (s->range != NULL) {
    split_range(&given, s->range, IW_F64, option);
    lo = given.lo.f64;
    hi = given.hi.f64;
  }
  for (size_t k = 0; k <= bins; k++)
    wanted[k] = k == bins ? hi : lo + (hi - lo) / (double)bins * (double)k;
  must(iw_histogram_edges(&b->spec, edges));
  note_rounded(type, wanted, edges, bins + 1);
  free(wanted);
  free(edges);
}

/* ---- The specification ---- */

/* Makes the bins those between b->edges. */
static void use_edges(bins *b)
{
  b->spec.kind = IW_HISTOGRAM_EDGES;
  b->spec.bins = b->edges.n - 1;
  b->spec.edges = b->edges.data;
}

/* The least finite number of a type. */
static value least_number(iw_type type)
{
  char text[NUMBER_CHARS];
  snprintf(text, sizeof text, "-%s", ends[type].last);
  return is_integer(type) ? least_integer(type) : parse_argument(type, text, "");
}

/* The edges of a list: as they were asked for, and as samples are compared with them. */
typedef struct edge_list {
  const char *option; /* for messages */
  array edges;
  double *wanted;
  int is_closed;      /* the last bin has samples that are equal to the last edge */
  int ends_behind;    /* the last edge lies behind the type's largest number, which stands in its place */
} edge_list;

static void begin_edges(edge_list *l, size_t n)
{
  l->edges.n = n;
  l->edges.data = l->edges.owned = need(n, iw_type_size(l->edges.type));
  l->wanted = need(n, sizeof *l->wanted);
}

/* Sets edge k. For one that the type does not have the next number stands that divides the samples alike. */
static void set_edge(edge_list *l, size_t k, const char *text)
{
  const iw_type type = l->edges.type;
  const int is_last = k + 1 == l->edges.n;
  long double low, high;
  value v = { .u64 = 0 };
  const char *const wrong = parse_value(type, text, text + strlen(text), &v);
  l->wanted[k] = wrong != NULL || is_half(type) ? strtod(text, NULL) : number_value(type, &v);
  if ((wrong != NULL || isinf(l->wanted[k])) && integers_around(text, &low, &high)) {
    if (is_integer(type) && integer_value(type, is_last && l->is_closed ? low : high, &v))
      ;
    else if (is_last && low > 0) {
      v = parse_argument(type, ends[type].last, l->option);
      l->ends_behind = 1;
    } else if (k == 0 && high < 0)
      v = least_number(type);
    else
      parse_argument(type, text, l->option); /* fails, or the library says of an infinity that it is one */
  } else if (wrong != NULL)
    parse_argument(type, text, l->option);
  memcpy((char *)l->edges.owned + k * iw_type_size(type), &v, iw_type_size(type));
}

/* The edges of a file of any type. */
static void read_edges(edge_list *l, const settings *s)
{
  const reading reading = { .has_type = 1, .type = l->edges.type, .any_type = 1, .dialect = s->input.dialect,
                            .beside_raw = s->input.format == FORMAT_RAW };
  const array read = read_compared(s->edges + 1, &reading, l->option);
  char text[NUMBER_CHARS];
  begin_edges(l, read.n);
  for (size_t k = 0; k < read.n; k++) {
    text[format_value(read.type, element_at(read.type, read.data, k), text)] = '\0';
    set_edge(l, k, text);
  }
  free(read.owned);
}

/* The edges of a list a,b,c. */
static void split_edges(edge_list *l, const char *list)
{
  size_t n = 1, k = 0;
  for (const char *c = list; *c; c++)
    n += *c == ',';
  begin_edges(l, n);
  char *const copy = strcpy(need(strlen(list) + 1, 1), list), *rest = copy, *token;
  while ((token = strsep(&rest, ",")) != NULL)
    set_edge(l, k++, token);
  free(copy);
}

/* Edges that are the integers from the first one to the type's largest, which has a bin of its own: even
 * bins. */
static int use_integers(bins *b, iw_type type)
{
  const size_t last = b->edges.n - 2;
  memcpy(&b->lo, element_at(type, b->edges.data, 0), iw_type_size(type));
  memcpy(&b->hi, element_at(type, b->edges.data, last), iw_type_size(type));
  for (size_t k = 0; k <= last; k++) {
    value v = { .u64 = 0 };
    memcpy(&v, element_at(type, b->edges.data, k), iw_type_size(type));
    if (distance(type, &b->lo, &v) != k)
      return 0;
  }
  b->spec.lo = &b->lo;
  b->spec.hi = &b->hi;
  b->spec.bins = last + 1;
  b->spec.flags |= IW_HIST_HI_INCLUDED;
  return 1;
}

/* --edges. option: its name, for messages. */
static void listed_edges(bins *b, const settings *s, iw_type type, const char *option)
{
  edge_list l = { .option = option, .edges.type = type, .is_closed = b->spec.flags != 0 };
  if (s->edges[0] == '@')
    read_edges(&l, s);
  else
    split_edges(&l, s->edges);
  const size_t n = l.edges.n;
  b->edges = l.edges;
  if (n < 2)
    fail("%s: there %s %zu edge%s, at least 2 are needed", option, n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
  if (is_half(type) || is_integer(type))
    note_rounded(type, l.wanted, l.edges.data, n - (size_t)(l.ends_behind && is_integer(type)));
  if (is_float(type) && (isinf(l.wanted[0]) || isinf(l.wanted[n - 1])))
    note("%s: for infinity stands the largest number of %s, so infinite samples are in no bin", option, iw_type_name(type));
  free(l.wanted);
  if (l.ends_behind)
    b->spec.flags |= IW_HIST_CLOSED_TOP;
  const int is_last_alone = l.ends_behind && is_integer(type) &&
                            memcmp(element_at(type, b->edges.data, n - 2), element_at(type, b->edges.data, n - 1), iw_type_size(type)) == 0;
  if (is_last_alone && use_integers(b, type))
    return;
  if (is_last_alone)
    fail("%s: %s and a larger number are the last edges, but %s has a bin of its own only if all bins have one value", option,
         ends[type].last, ends[type].last);
  use_edges(b);
}

/* The range of the samples, with a closed top. */
static void data_range(bins *b, iw_context *context, const array *samples)
{
  const iw_type type = samples->type;
  const void *from = samples->data;
  size_t n = samples->n;
  uint64_t ends[2];
  if (n > 0 && (n > PART || ranks_are_open())) { /* the two ends have the range of all */
    reduce_parts(context, IW_MIN, type, samples, NULL, ends);
    reduce_parts(context, IW_MAX, type, samples, NULL, (char *)ends + iw_type_size(type));
    from = ends;
    n = 2;
  }
  must(iw_histogram_range(context, type, from, 1, n, &b->lo, &b->hi));
  b->spec.flags |= IW_HIST_CLOSED_TOP;
}

/* --log and --power: edges from b->lo to b->hi. */
static void curved_edges(bins *b, const settings *s, iw_type type, const char *axis)
{
  const size_t count = b->spec.bins + 1;
  char option[20];
  double power = 0;
  snprintf(option, sizeof option, "--%s%s", axis, s->log ? "log" : "power");
  if (!s->log)
    power = parse_argument(IW_F64, s->power, option).f64;
  if (!s->log && power == 0)
    fail("%s: 0; give --%slog, which is the limit, or a power from 1/64 to 64 or from -64 to -1/64", option, axis);
  const double low = number_value(type, &b->lo);
  if (s->range == NULL && (power > 0 ? low < 0 : low <= 0)) {
    char text[NUMBER_CHARS];
    const int length = format_value(type, &b->lo, text);
    fail("%s: the samples begin at %.*s; give a --%srange that begins %s", option, length, text, axis,
         power > 0 ? "at 0 or above" : "above 0");
  }
  b->edges = (array){ .type = type, .n = count, .owned = need(count, iw_type_size(type)) };
  b->edges.data = b->edges.owned;
  must(iw_histogram_power_edges(type, &b->lo, &b->hi, b->spec.bins, power, b->edges.owned));
  use_edges(b);
}

void read_bins(bins *b, const settings *s, iw_context *context, const array *samples)
{
  const char *const axis = s->axis ? s->axis : "";
  char option[20]; /* for messages */
  *b = (bins){ .spec = { .size = sizeof b->spec, .type = samples->type, .bins = s->has_bins ? s->bins : 10, .policy = s->policy,
                         .flags = s->closed_top ? IW_HIST_CLOSED_TOP : 0 } };
  if (s->letters != 0) {
    letter_bins(b, s);
    return;
  }
  if (s->edges != NULL) {
    snprintf(option, sizeof option, "--%sedges", axis);
    listed_edges(b, s, samples->type, option);
    b->typed = ALL_EDGES;
    b->is_closed = b->spec.flags != 0;
    return;
  }
  name_range(s->range == NULL);
  b->spec.lo = &b->lo;
  b->spec.hi = &b->hi;
  if (s->range != NULL) {
    snprintf(option, sizeof option, "--%srange", axis);
    split_range(b, s->range, samples->type, option);
    b->typed = END_EDGES;
  } else
    data_range(b, context, samples);
  if (s->log || s->power != NULL) {
    b->is_closed = b->spec.flags != 0;
    curved_edges(b, s, samples->type, axis);
    return;
  }
  if (is_integer(samples->type))
    integer_bins(b, s, samples->type);
  if (is_half(samples->type))
    note_rounded_bins(b, s, samples->type, option);
  b->is_closed = b->spec.flags & IW_HIST_CLOSED_TOP ||
                 (b->spec.flags & IW_HIST_HI_INCLUDED && is_last(samples->type, &b->hi));
}
