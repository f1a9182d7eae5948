/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a histogram specification from the options that describe bins. */
#include "tool.h"

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

array read_beside(const settings *s, const char *option, const char *name, int same_type, size_t n)
{
  const char *path = input_file(s);
  reading reading = s->input;
  if (reading.skip_missing)
    fail("--skip-missing cannot be combined with %s, as samples would lose their partners", option);
  if (reading.column != NULL)
    reading.column = name;
  else if (reading.array != NULL)
    reading.array = name;
  else
    path = name;
  if (!same_type) {
    reading.has_type = 0;
    reading.type = IW_F64;
  }
  const array beside = read_array(path, &reading);
  if (beside.n != n)
    fail("%s %s: has %zu elements, but there are %zu samples", option, name, beside.n, n);
  return beside;
}

void read_bins(bins *b, const settings *s, iw_context *context, const array *samples)
{
  iw_type type = samples->type;
  iw_histogram_spec *spec = &b->spec;
  const char *const axis = s->axis ? s->axis : "";
  char option[20]; /* for messages */
  memset(b, 0, sizeof *b);
  spec->size = sizeof *spec;
  spec->bins = s->has_bins ? s->bins : 10;
  spec->policy = s->policy;
  spec->flags = s->closed_top ? IW_HIST_CLOSED_TOP : 0;

  if (s->letters != 0) {
    if (s->has_bins || s->range || s->edges || s->closed_top)
      fail("--letters cannot be combined with --bins, --range, --edges and --closed-top");
    spec->kind = IW_HISTOGRAM_MAP;
    spec->map = b->map;
    spec->bins = (26 + s->letters - 1) / s->letters;
    for (unsigned i = 0; i < 256; i++)
      b->map[i] = IW_MAP_NONE;
    for (unsigned i = 0; i < 26; i++) /* ASCII codes, in every locale */
      b->map[0x61 + i] = b->map[0x41 + i] = (uint16_t)(i / s->letters);
    return;
  }
  if (s->edges != NULL) {
    if (s->range || s->has_bins)
      fail("--%sedges cannot be combined with --%sbins and --%srange", axis, axis, axis);
    spec->kind = IW_HISTOGRAM_EDGES;
    snprintf(option, sizeof option, "--%sedges", axis);
    if (s->edges[0] == '@') {
      reading reading = { .has_type = 1, .type = type, .delimiter = ',' };
      b->edges = read_array(s->edges + 1, &reading);
    } else {
      b->edges = split_list(s->edges, type, option);
    }
    if (b->edges.n < 2)
      fail("%s: there %s %zu edge%s, at least 2 are needed", option, b->edges.n == 1 ? "is" : "are", b->edges.n,
           b->edges.n == 1 ? "" : "s");
    spec->bins = b->edges.n - 1;
    spec->edges = b->edges.data;
    return;
  }
  spec->kind = IW_HISTOGRAM_EVEN;
  spec->lo = &b->lo;
  spec->hi = &b->hi;
  if (s->range != NULL) {
    snprintf(option, sizeof option, "--%srange", axis);
    split_range(s->range, type, option, &b->lo, &b->hi);
    return;
  }
  /* The range of the data, with a closed top. Two samples have it too. */
  uint64_t ends[2];
  const size_t size = iw_type_size(type);
  const int in_parts = samples->n > PART || ranks_are_open();
  if (in_parts) {
    reduce_parts(context, IW_MIN, type, samples, NULL, ends);
    reduce_parts(context, IW_MAX, type, samples, NULL, (char *)ends + size);
  }
  must(iw_histogram_range(context, type, in_parts && samples->n ? ends : samples->data, in_parts && samples->n ? 2 : samples->n,
                          &b->lo, &b->hi));
  spec->flags |= IW_HIST_CLOSED_TOP;
}
