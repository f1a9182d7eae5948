/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a histogram specification from the options that describe bins. */
#include "tool.h"

#include <isowarp/histograms.h>
#include <stdlib.h>
#include <string.h>

/* Parses a list a,b,c. */
static array split_list(const char *text, iw_type type, const char *option)
{
  size_t capacity = 1, n = 0;
  for (const char *c = text; *c; c++)
    capacity += *c == ',';
  char *data = need(capacity, iw_type_size(type)), *copy = strdup(text), *rest = copy, *token;
  if (copy == NULL)
    fail("cannot allocate memory for %s", option);
  while ((token = strsep(&rest, ",")) != NULL) {
    value v = parse_argument(type, token, option);
    memcpy(data + n++ * iw_type_size(type), &v, iw_type_size(type));
  }
  free(copy);
  return (array){ type, n, data, data };
}

static void split_range(const char *text, iw_type type, const char *option, value *lo, value *hi)
{
  char *copy = strdup(text), *colon = copy ? strchr(copy, ':') : NULL;
  if (colon == NULL)
    fail("%s: '%s' is not LO:HI", option, text);
  *colon = '\0';
  *lo = parse_argument(type, copy, option);
  *hi = parse_argument(type, colon + 1, option);
  free(copy);
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

/* Makes the bins those between b->edges. */
static void use_edges(bins *b)
{
  b->spec.kind = IW_HISTOGRAM_EDGES;
  b->spec.bins = b->edges.n - 1;
  b->spec.edges = b->edges.data;
}

/* --edges. option: its name, for messages. */
static void listed_edges(bins *b, const settings *s, iw_type type, const char *option)
{
  if (s->edges[0] == '@') {
    reading reading = { .has_type = 1, .type = type, .dialect = s->input.dialect };
    b->edges = read_array(s->edges + 1, &reading);
  } else
    b->edges = split_list(s->edges, type, option);
  if (b->edges.n < 2)
    fail("%s: there %s %zu edge%s, at least 2 are needed", option, b->edges.n == 1 ? "is" : "are",
         b->edges.n, b->edges.n == 1 ? "" : "s");
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
  must(iw_histogram_range(context, type, from, n, &b->lo, &b->hi));
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
  const double low = number_value(type, &b->lo);
  if (s->range == NULL && (power > 0 ? low < 0 : low <= 0)) {
    char text[NUMBER_CHARS];
    const int length = format_value(type, &b->lo, text);
    fail("%s: the samples begin at %.*s; give a --%srange that begins %s", option, length, text, axis,
         power > 0 ? "at 0 or above" : "above 0");
  }
  b->edges = (array){ .type = type, .n = count, .owned = need(count, iw_type_size(type)) };
  b->edges.data = b->edges.owned;
  must(s->log ? iw_histogram_log_edges(type, &b->lo, &b->hi, b->spec.bins, b->edges.owned)
              : iw_histogram_power_edges(type, &b->lo, &b->hi, b->spec.bins, power, b->edges.owned));
  use_edges(b);
}

void read_bins(bins *b, const settings *s, iw_context *context, const array *samples)
{
  const char *const axis = s->axis ? s->axis : "";
  char option[20]; /* for messages */
  *b = (bins){ .spec = { .size = sizeof b->spec, .bins = s->has_bins ? s->bins : 10, .policy = s->policy,
                         .flags = s->closed_top ? IW_HIST_CLOSED_TOP : 0 } };
  if (s->letters != 0) {
    letter_bins(b, s);
    return;
  }
  if (s->edges != NULL) {
    snprintf(option, sizeof option, "--%sedges", axis);
    listed_edges(b, s, samples->type, option);
    return;
  }
  b->spec.lo = &b->lo;
  b->spec.hi = &b->hi;
  if (s->range != NULL) {
    snprintf(option, sizeof option, "--%srange", axis);
    split_range(s->range, samples->type, option, &b->lo, &b->hi);
  } else
    data_range(b, context, samples);
  if (s->log || s->power != NULL)
    curved_edges(b, s, samples->type, axis);
}
