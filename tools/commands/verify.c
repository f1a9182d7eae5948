/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp verify: runs the cases of the table and compares their digests. doc/verify.md defines inputs and
 * digests; tests/reference/reference.py says what the names mean, and makes the table. */
#include "commands.h"


#include <isowarp.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct { const char *name; uint64_t digest; } table[] = {
#include "verify_table.inc"
};
enum { CASES = sizeof table / sizeof table[0] };

/* ---- Generator and digest ---- */

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)
enum {
  SEED_DATA = 1, SEED_FLAGS, SEED_SPECIAL, SEED_INIT, SEED_EDGES, SEED_MAP, SEED_COUNTS, SEED_WEIGHTS,
  SEED_PAYLOADS
};

static uint64_t mix(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static uint64_t draw(uint64_t seed, uint64_t index)
{
  return mix(seed + (index + 1) * GOLDEN);
}

/* Adds an array to a case's digest. Assumes a little-endian machine. */
static uint64_t digest(uint64_t before, const void *data, size_t bytes)
{
  const char *at = data;
  uint64_t sum = bytes, place = GOLDEN;
  for (size_t left = bytes; left > 0; place += GOLDEN) {
    uint64_t word = 0;
    size_t size = left < 8 ? left : 8;
    memcpy(&word, at, size);
    sum += mix(word + place);
    at += size;
    left -= size;
  }
  return mix(before + mix(sum));
}

static uint64_t digest_u64(uint64_t before, uint64_t number)
{
  return digest(before, &number, sizeof number);
}

/* ---- Inputs ---- */

static uint64_t width_mask(iw_type type)
{
  return UINT64_MAX >> (64 - 8 * iw_type_size(type));
}

/* Of the exponent's field of a float type; 0 for other types. */
static unsigned exponent_bits(iw_type type)
{
  return type == IW_F32 ? 8 : type == IW_F64 ? 11 : (unsigned)half_format_of(type).exponent;
}

static unsigned mantissa_bits(iw_type type)
{
  return 8 * (unsigned)iw_type_size(type) - 1 - exponent_bits(type);
}

/* Sign from bit 63, mantissa from the low bits, exponent field as given. */
static uint64_t float_bits(iw_type type, uint64_t word, uint64_t exponent)
{
  unsigned mantissa = mantissa_bits(type);
  return (word >> 63) << (8 * iw_type_size(type) - 1) | exponent << mantissa
    | (word & ((UINT64_C(1) << mantissa) - 1));
}

static uint64_t wide_bits(iw_type type, uint64_t word)
{
  if (type == IW_BOOL)
    return word & 1;
  if (!is_float(type))
    return word & width_mask(type);
  if (type == IW_F16)
    return float_bits(type, word, 1 + (word >> 52 & 0x7ff) % 29);
  const uint64_t bias = (UINT64_C(1) << (exponent_bits(type) - 1)) - 1;
  return float_bits(type, word, bias - 40 + (word >> 52 & 0x7ff) % 81);
}

static uint64_t unit_bits(iw_type type, uint64_t word)
{
  value v = { 0 };
  switch (type) {
  case IW_F32: v.f32 = (float)(word >> 40) * 0x1p-23f - 0.5f; break;
  case IW_F64: v.f64 = (double)(word >> 11) * 0x1p-52 - 0.5; break;
  default:
    if (is_half(type))
      v.u16 = half_bits(type, ldexp((double)(word >> (63 - mantissa_bits(type))), -(int)mantissa_bits(type)) - 0.5);
  }
  return v.u64;
}

static uint64_t nan_bits(iw_type type, uint64_t word, uint64_t pick)
{
  unsigned mantissa = mantissa_bits(type);
  uint64_t sign = UINT64_C(1) << (8 * iw_type_size(type) - 1);
  uint64_t infinity = ((UINT64_C(1) << exponent_bits(type)) - 1) << mantissa;
  switch (pick % 512) {
  case 0:
    return sign | infinity | UINT64_C(1) << (mantissa - 1) | (0x12345 & ((UINT64_C(1) << mantissa) - 1));
  case 1: return infinity | 1;
  case 2: return infinity;
  case 3: return sign | infinity;
  default: return wide_bits(type, word);
  }
}

static uint64_t input_bits(iw_type type, const char *form, uint64_t i)
{
  uint64_t word = draw(SEED_DATA, form[0] == 'r' ? i >> 4 : i);
  if (type == IW_BOOL)
    return wide_bits(type, word);
  switch (form[0]) {
  case 'w': return wide_bits(type, word);
  case 's': return (word >> 32) % 201 - (iw_type_name(type)[0] == 'i' ? 100 : 0);
  case 'u': return unit_bits(type, word);
  case 't': {
    uint64_t pick = draw(SEED_SPECIAL, i) % 4;
    return float_bits(type, pick == 0 ? UINT64_C(1) << 63 : pick == 1 ? 0 : word, pick == 3);
  }
  case 'n': return nan_bits(type, word, draw(SEED_SPECIAL, i));
  case 'a': return word & width_mask(type);
  default: /* runs */
    return is_float(type) ? unit_bits(type, word) : wide_bits(type, word);
  }
}

/* Makes the flags that a name calls FLAGS. */
static uint8_t *make_flags(const char *form, size_t n)
{
  uint8_t *flags = need(n, 1);
  for (size_t i = 0; i < n; i++) {
    uint64_t word = draw(SEED_FLAGS, i);
    uint8_t some = (uint8_t)(word & word >> 8 & 0x11);
    flags[i] = form[0] == 's' ? some : form[0] == 'a' ? some | 0x80 : form[0] == 'r' ? word % 1021 == 0 : 0;
  }
  return flags;
}

static void put_bits(iw_type type, void *array, size_t i, uint64_t bits)
{
  memcpy((char *)array + i * iw_type_size(type), &bits, iw_type_size(type));
}

static int is_same(const char *a, const char *b)
{
  return strcmp(a, b) == 0;
}

/* Caches the latest input, because neighbouring cases often share it. */
static const void *make_input(iw_type type, const char *form, size_t n, const void *edges, size_t edge_count)
{
  static struct { iw_type type; char form[8]; size_t n; void *data; } cache;
  if (edges == NULL && cache.data != NULL && cache.type == type && cache.n == n && is_same(cache.form, form))
    return cache.data;
  cache.data = need_more(cache.data, n, iw_type_size(type));
  cache.type = type;
  cache.n = n;
  snprintf(cache.form, sizeof cache.form, "%s", edges ? "" : form);
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = 0;
    if (edges != NULL) { /* near: an edge or a neighbouring value */
      uint64_t word = draw(SEED_DATA, i);
      memcpy(&bits, element_at(type, edges, word % edge_count), iw_type_size(type));
      bits += (word >> 32) % 3 - 1;
    } else {
      bits = input_bits(type, form, i);
    }
    put_bits(type, cache.data, i, bits);
  }
  return cache.data;
}

/* ---- Bins ---- */

/* Parses the field BINS of a name ("even:10:0:1"); returns 0 if it is not valid. */
static int make_bins(bins *b, iw_type type, char *text)
{
  static const struct { uint64_t base; unsigned gap; } given[] = {
    [IW_U8] = { 10, 2 }, [IW_U16] = { 100, 5 }, [IW_I32] = { 0xC0000000, 20 }, [IW_U32] = { 0x40000000, 20 },
    [IW_I64] = { UINT64_C(0xC000000000000000), 51 }, [IW_U64] = { UINT64_C(0x4000000000000000), 51 },
    [IW_F32] = { 0x30000000, 18 }, [IW_F64] = { UINT64_C(0x3800000000000000), 47 }, [IW_I8] = { 0x90, 2 },
    [IW_I16] = { 0x9000, 5 }, [IW_BOOL] = { 10, 2 }, [IW_F16] = { 0x0800, 4 }, [IW_BF16] = { 0x3000, 4 } };
  iw_histogram_spec *spec = &b->spec;
  char *kind = strsep(&text, ":"), *count = strsep(&text, ":");
  memset(b, 0, sizeof *b);
  spec->size = sizeof *spec;
  spec->type = type;
  if (count == NULL)
    return 0;
  spec->bins = strtoull(count, NULL, 10);
  if (is_same(kind, "even") || is_same(kind, "span")) {
    char *lo = strsep(&text, ":"), *hi = strsep(&text, ":");
    spec->kind = IW_HISTOGRAM_EVEN;
    spec->lo = &b->lo;
    spec->hi = &b->hi;
    spec->flags = is_same(kind, "span") ? IW_HIST_HI_INCLUDED : 0;
    return hi != NULL && parse_value(type, lo, lo + strlen(lo), &b->lo) == NULL &&
           parse_value(type, hi, hi + strlen(hi), &b->hi) == NULL;
  }
  if (is_same(kind, "auto")) {
    spec->kind = IW_HISTOGRAM_EVEN;
    return 1;
  }
  if (is_same(kind, "edges")) {
    if ((size_t)type >= sizeof given / sizeof *given)
      return 0;
    uint64_t place = given[type].base;
    b->edges.owned = need(spec->bins + 1, iw_type_size(type));
    for (size_t k = 0; k <= spec->bins; k++) {
      place += 1 + draw(SEED_EDGES, k) % (UINT64_C(1) << given[type].gap);
      put_bits(type, b->edges.owned, k, place);
    }
    spec->kind = IW_HISTOGRAM_EDGES;
    spec->edges = b->edges.owned;
    return 1;
  }
  spec->kind = IW_HISTOGRAM_MAP;
  spec->map = b->map;
  for (unsigned v = 0; v < 256; v++)
    if (is_same(kind, "letters")) {
      b->map[v] = (uint16_t)(v >= 0x61 && v <= 0x7a ? (v - 0x61) / (spec->bins == 7 ? 4 : 1) : IW_MAP_NONE);
    } else {
      uint64_t to = draw(SEED_MAP, v) % (spec->bins + 1);
      b->map[v] = to == spec->bins ? IW_MAP_NONE : (uint16_t)to;
    }
  return is_same(kind, "letters") || is_same(kind, "map");
}

/* The options of a name that are not members of iw_histogram_spec. */
typedef struct options {
  iw_type by;
  size_t columns, channels, width;
} options;
#define NO_OPTIONS { IW_I32, 1, 1, 0 }

static int parse_options(iw_histogram_spec *spec, options *more, char *text)
{
  char *word;
  while ((word = strsep(&text, ",")) != NULL) {
    if (is_same(word, "drop")) spec->policy = IW_POLICY_DROP;
    else if (is_same(word, "clamp")) spec->policy = IW_POLICY_CLAMP;
    else if (is_same(word, "count")) spec->policy = IW_POLICY_COUNT;
    else if (is_same(word, "closed")) spec->flags |= IW_HIST_CLOSED_TOP;
    else if (is_same(word, "32")) spec->counter_width = 4;
    else if (is_same(word, "add")) spec->flags |= IW_HIST_ACCUMULATE;
    else if (strncmp(word, "columns=", 8) == 0) more->columns = strtoull(word + 8, NULL, 10);
    else if (strncmp(word, "channels=", 9) == 0) more->channels = strtoull(word + 9, NULL, 10);
    else if (strncmp(word, "move=", 5) == 0) more->width = strtoull(word + 5, NULL, 10);
    else if (strncmp(word, "by=", 3) == 0)
      for (more->by = IW_I32; more->by < IW_F64 && !is_same(word + 3, iw_type_name(more->by));)
        more->by++;
    else return 0;
  }
  return 1;
}

/* ---- Cases ---- */

/* A case returns the library's status, or BAD_NAME. */
enum { BAD_NAME = -1 };

static iw_type type_of(const char *name)
{
  iw_type type = IW_U8;
  while (iw_type_size(type) && !is_same(name, iw_type_name(type)))
    type++;
  return type;
}

static iw_op op_of(const char *name)
{
  static const struct { const char *name; iw_op op; } ops[] = {
#define OPERATOR(NAME, name, takes, result) { #name, IW_##NAME },
    IW_BUILTIN_OPERATORS(OPERATOR)
#undef OPERATOR
  };
  unsigned i = 0;
  while (i + 1 < sizeof ops / sizeof *ops && !is_same(name, ops[i].name))
    i++;
  return ops[i].op;
}

static int run_scans(iw_context *context, const char *what, char **field, uint64_t *result)
{
  iw_op op = op_of(field[1]);
  iw_type type = type_of(field[2]);
  size_t n = strtoull(field[4], NULL, 10), size = iw_type_size(type);
  const void *in = make_input(type, field[3], n, NULL, 0);
  uint64_t init_bits = wide_bits(type, draw(SEED_INIT, 0));
  const void *init = is_same(field[5], "init") ? &init_bits : NULL;
  char *out = need(n + 1, size);
  int status;
  if (is_same(what, "reduce")) {
    n = 1;
    status = iw_reduce(context, op, type, in, strtoull(field[4], NULL, 10), out,
                       IW_OPTIONS(iw_scan_options, .init = init));
  } else if (is_same(what, "inclusive")) {
    status = iw_inclusive_scan(context, op, type, in, n, out, IW_OPTIONS(iw_scan_options, .init = init));
  } else {
    status = iw_exclusive_scan(context, op, type, in, n, out, IW_OPTIONS(iw_scan_options, .init = init));
  }
  if (status == IW_OK)
    *result = digest(0, out, n * size);
  free(out);
  return status;
}

/* Makes segments of less than `limit` elements, which is at least 2, that cover n elements. The caller frees
 * *places. */
static size_t make_offsets(size_t limit, size_t n, iw_segments *segments, uint64_t **places)
{
  size_t count = 0;
  *places = need(2, sizeof **places);
  **places = 0;
  do {
    const uint64_t length = draw(SEED_FLAGS, count) % limit;
    *places = need_more(*places, count + 2, sizeof **places);
    (*places)[count + 1] = length < n - (*places)[count] ? (*places)[count] + length : n;
    count++;
  } while ((*places)[count] < n);
  *segments = (iw_segments){ .size = sizeof *segments, .kind = IW_SEGMENTS_OFFSETS, .offsets = *places,
                             .offset_type = IW_U64, .count = count };
  return count;
}

/* Makes the segments of *n elements that `how`, KIND:LIMIT, describes, of rows and columns of whole ones.
 * Returns their number; 0 if the description is wrong, or if *n becomes 0 by it. The caller frees
 * *places. */
static size_t make_segments(char *how, size_t *n, iw_segments *segments, uint64_t **places)
{
  const char *const kind = strsep(&how, ":");
  const size_t limit = how ? strtoull(how, NULL, 10) : 0;
  const int by_columns = is_same(kind, "columns");
  *segments = (iw_segments){ .size = sizeof *segments };
  *places = NULL;
  if (limit < 1 + (size_t)is_same(kind, "offsets"))
    return 0;
  if (!by_columns && !is_same(kind, "rows"))
    return make_offsets(limit, *n, segments, places);
  *n = *n / limit * limit;
  segments->kind = by_columns ? IW_SEGMENTS_COLUMNS : IW_SEGMENTS_ROWS;
  segments->columns = limit;
  return by_columns ? limit : *n / limit;
}

/* how: the field INIT,HEADS. */
static int run_segments(iw_context *context, const char *what, char **field, char *how, uint64_t *result)
{
  iw_op op = op_of(field[1]);
  iw_type type = type_of(field[2]);
  size_t n = strtoull(field[4], NULL, 10), size = iw_type_size(type);
  int exclusive = is_same(what, "exclusive-segments"), status;
  array elements = { .type = type, .n = n, .data = make_input(type, field[3], n, NULL, 0) };
  uint64_t init_bits = wide_bits(type, draw(SEED_INIT, 0));
  const void *init = is_same(strsep(&how, ","), "init") ? &init_bits : NULL;
  char *heads = how == NULL ? "" : how, *kind = strsep(&heads, ":"), *out = need(n, size);
  if (is_same(kind, "rows") && heads != NULL) {
    size_t columns = strtoull(heads, NULL, 10);
    const iw_segments segments = { .size = sizeof segments, .kind = IW_SEGMENTS_ROWS, .columns = columns };
    elements.n = n = n / columns * columns;
    status = scan_segments(context, op, exclusive, &elements, &segments, out, init);
  } else if (is_same(kind, "offsets") && heads != NULL && strtoull(heads, NULL, 10) > 1) {
    uint64_t *places;
    iw_segments segments;
    make_offsets(strtoull(heads, NULL, 10), n, &segments, &places);
    status = scan_segments(context, op, exclusive, &elements, &segments, out, init);
    free(places);
  } else if (is_same(kind, "keys") && heads != NULL) {
    iw_type key_type = type_of(heads);
    void *keys = need(n, iw_type_size(key_type));
    for (size_t i = 0; i < n; i++)
      put_bits(key_type, keys, i, wide_bits(key_type, draw(SEED_FLAGS, draw(SEED_FLAGS, i >> 6) % 2)));
    const iw_segments segments = { .size = sizeof segments, .kind = IW_SEGMENTS_KEYS, .keys = keys,
                                  .key_type = key_type };
    status = scan_segments(context, op, exclusive, &elements, &segments, out, init);
    free(keys);
  } else {
    uint8_t *flags = make_flags(kind, n);
    const iw_segments segments = { .size = sizeof segments, .kind = IW_SEGMENTS_FLAGS, .flags = flags };
    status = scan_segments(context, op, exclusive, &elements, &segments, out, init);
    free(flags);
  }
  if (status == IW_OK)
    *result = digest(0, out, n * size);
  free(out);
  return status;
}

/* how: the field SEGMENTS. */
static int run_searches(iw_context *context, const char *what, char **field, char *how, uint64_t *result)
{
  const iw_type type = type_of(field[1]);
  size_t n = strtoull(field[3], NULL, 10);
  uint64_t *places;
  iw_segments segments;
  const size_t count = make_segments(how, &n, &segments, &places), size = iw_type_size(type);
  char *const values = need(count, size);
  size_t *const indices = need(count, sizeof *indices);
  const int status = (is_same(what, "argmin-segments") ? iw_argmin : iw_argmax)(
    context, type, make_input(type, field[2], n, NULL, 0), n, indices, values,
    IW_OPTIONS(iw_scan_options, .segments = &segments));
  if (status == IW_OK)
    *result = digest(digest(0, indices, count * sizeof *indices), values, count * size);
  free(indices);
  free(values);
  free(places);
  return status;
}

/* Sort by options: up or down, bits=FIRST:END, move=W, argsort; then, for sort-segments, the field
 * SEGMENTS. */
static int run_sorts(iw_context *context, char **field, uint64_t *result)
{
  const iw_type type = type_of(field[1]);
  size_t n = strtoull(field[3], NULL, 10), width = 0, size = iw_type_size(type);
  char *words = field[4];
  uint64_t *places = NULL;
  iw_segments segments;
  iw_sort_options o = { .size = sizeof o, .descending = is_same(strsep(&words, ","), "down") };
  int indices_only = 0;
  for (char *word; (word = strsep(&words, ",")) != NULL;)
    if (strncmp(word, "bits=", 5) == 0) {
      o.begin_bit = (unsigned)strtoul(word + 5, &word, 10);
      o.end_bit = (unsigned)strtoul(word + 1, NULL, 10);
    }
    else if (strncmp(word, "move=", 5) == 0)
      width = strtoull(word + 5, NULL, 10);
    else if (is_same(word, "argsort"))
      indices_only = 1;
    else
      return BAD_NAME;
  const int by_segments = is_same(field[0], "sort-segments");
  if (by_segments)
    make_segments(field[5], &n, &segments, &places);
  const void *in = make_input(type, field[2], n, NULL, 0);
  char *out = need(n, size), *values = need(n, width), *values_out = need(n, width);
  uint64_t *indices = need(n, sizeof *indices);
  for (size_t i = 0; i < n && width; i++) {
    uint64_t both[] = { draw(SEED_PAYLOADS, 2 * i), draw(SEED_PAYLOADS, 2 * i + 1) };
    memcpy(values + i * width, both, width);
  }
  const iw_payload payloads[] = {
    { .size = sizeof payloads[0], .out = indices, .width = sizeof *indices },
    { .size = sizeof payloads[0], .in = values, .out = values_out, .width = width },
  };
  iw_sort_options all = o;
  all.segments = by_segments ? &segments : NULL;
  all.payloads = payloads;
  all.payload_count = width ? 2 : 1;
  const int status = indices_only ? iw_argsort(context, type, in, n, iw_indices_u64(indices), &o)
    : by_segments ? (iw_sort)(context, type, in, n, out, &all) : iw_sort(context, type, in, n, out, &all);
  if (status == IW_OK) {
    const uint64_t d = indices_only ? 0 : digest(digest(0, out, n * size), values_out, n * width);
    *result = digest(d, indices, n * sizeof *indices);
  }
  free(indices);
  free(values_out);
  free(values);
  free(out);
  free(places);
  return status;
}

/* Lower and upper bounds of all elements in the sorted first half, `up` or `down`. */
static int run_bounds(iw_context *context, char **field, uint64_t *result)
{
  const iw_type type = type_of(field[1]);
  const size_t n = strtoull(field[3], NULL, 10), half = n / 2;
  const iw_sort_options o = { .size = sizeof o, .descending = is_same(field[4], "down") };
  const void *in = make_input(type, field[2], n, NULL, 0);
  void *sorted = need(half, iw_type_size(type));
  uint64_t *lower = need(n, sizeof *lower), *upper = need(n, sizeof *upper);
  int status = iw_sort(context, type, in, half, sorted, &o);
  if (status == IW_OK)
    status = iw_bounds(context, IW_LOWER_BOUND, type, (iw_elements){ sorted, half }, (iw_elements){ in, n }, iw_indices_u64(lower), &o);
  if (status == IW_OK)
    status = iw_bounds(context, IW_UPPER_BOUND, type, (iw_elements){ sorted, half }, (iw_elements){ in, n }, iw_indices_u64(upper), &o);
  if (status == IW_OK)
    *result = digest(digest(0, lower, n * sizeof *lower), upper, n * sizeof *upper);
  free(upper);
  free(lower);
  free(sorted);
  return status;
}

/* The sorted first third and the rest, merged, with indices; and until where the input is sorted. */
static int run_merges(iw_context *context, char **field, uint64_t *result)
{
  const iw_type type = type_of(field[1]);
  const size_t n = strtoull(field[3], NULL, 10), third = n / 3, size = iw_type_size(type);
  const iw_sort_options o = { .size = sizeof o, .descending = is_same(field[4], "down") };
  const char *in = make_input(type, field[2], n, NULL, 0);
  char *sorted = need(n, size), *merged = need(n, size);
  uint64_t *indices = need(n, sizeof *indices);
  uint64_t until = 0;
  int status = iw_sort(context, type, in, third, sorted, &o);
  if (status == IW_OK)
    status = iw_sort(context, type, in + third * size, n - third, sorted + third * size, &o);
  if (status == IW_OK)
    status = iw_merge(context, type, (iw_elements){ sorted, third }, (iw_elements){ sorted + third * size, n - third }, merged,
                      iw_indices_u64(indices), &o);
  if (status == IW_OK)
    status = iw_is_sorted_until(context, type, in, n, &until, &o);
  if (status == IW_OK)
    *result = digest(digest(digest(0, merged, n * size), indices, n * sizeof *indices), &until, sizeof until);
  free(indices);
  free(merged);
  free(sorted);
  return status;
}

/* The largest or smallest of each row, or the n-th element: values and indices. */
static int run_extremes(iw_context *context, char **field, uint64_t *result)
{
  const iw_type type = type_of(field[1]);
  const size_t n = strtoull(field[3], NULL, 10), size = iw_type_size(type);
  const void *in = make_input(type, field[2], n, NULL, 0);
  const char *const wanted = strchr(field[4], ':'), *const last = wanted ? strchr(wanted + 1, ':') : NULL;
  const size_t k = wanted ? strtoull(wanted + 1, NULL, 10) : 1;
  const size_t rows = last ? strtoull(last + 1, NULL, 10) : 1;
  void *values = need(rows * k, size);
  uint64_t *indices = need(rows * k, sizeof *indices);
  const iw_segments of_rows = { .size = sizeof of_rows, .kind = IW_SEGMENTS_ROWS, .columns = n / rows };
  const iw_payload permutation = { .size = sizeof permutation, .out = indices, .width = sizeof *indices };
  const iw_sort_options o = { .size = sizeof o, .descending = *field[4] == 'l', .segments = rows > 1 ? &of_rows : NULL,
                              .payloads = &permutation, .payload_count = 1 };
  const int status = wanted ? iw_top_k(context, type, in, n / rows * rows, k, values, &o)
    : iw_nth_element(context, type, in, n, strtoull(field[4], NULL, 10), values, indices);
  if (status == IW_OK)
    *result = digest(digest(0, values, rows * k * size), indices, rows * k * sizeof *indices);
  free(indices);
  free(values);
  return status;
}

/* how: the field INIT,SEGMENTS or INIT,SEGMENTS,in=TYPE. */
static int run_reductions(iw_context *context, char **field, char *how, uint64_t *result)
{
  const iw_type in_type = type_of(field[2]);
  const int has_init = is_same(strsep(&how, ","), "init");
  char *const text = strsep(&how, ",");
  if (text == NULL || (how != NULL && strncmp(how, "in=", 3) != 0))
    return BAD_NAME;
  const iw_type type = how == NULL ? in_type : type_of(how + 3);
  const size_t size = iw_type_size(type);
  size_t n = strtoull(field[4], NULL, 10);
  uint64_t *places, init_bits = wide_bits(type, draw(SEED_INIT, 0));
  iw_segments segments;
  const size_t count = make_segments(text, &n, &segments, &places);
  char *out = need(count, size);
  const int status = iw_reduce(context, op_of(field[1]), in_type, make_input(in_type, field[3], n, NULL, 0), n, out,
                               IW_OPTIONS(iw_scan_options, .init = has_init ? &init_bits : NULL, .out_type = type,
                                          .segments = &segments));
  if (status == IW_OK)
    *result = digest(0, out, count * size);
  free(out);
  free(places);
  return status;
}

/* The keys of runs of up to `limit` elements. */
static char *make_keys(iw_type key_type, size_t limit, size_t n)
{
  const size_t key_size = iw_type_size(key_type);
  char *const keys = need(n, key_size);
  uint64_t run = 0;
  for (size_t at = 0; at < n; run++)
    for (size_t left = 1 + draw(SEED_FLAGS, run) % limit; left && at < n; left--, at++)
      memcpy(keys + at * key_size, &run, key_size);
  return keys;
}

/* how: the field KEY:LIMIT. */
static int run_searches_by_key(iw_context *context, const char *what, char **field, char *how,
                               uint64_t *result)
{
  const char *const key_name = strsep(&how, ":");
  const iw_type type = type_of(field[1]), key_type = type_of(key_name);
  const size_t limit = how ? strtoull(how, NULL, 10) : 0, n = strtoull(field[3], NULL, 10);
  const size_t size = iw_type_size(type), key_size = iw_type_size(key_type);
  if (limit < 1)
    return BAD_NAME;
  char *const keys = make_keys(key_type, limit, n), *const unique = need(n, key_size);
  char *const values = need(n, size);
  size_t *const indices = need(n, sizeof *indices), count = 0;
  const iw_segments segments = { .size = sizeof segments, .kind = IW_SEGMENTS_KEYS, .keys = keys,
                                 .key_type = key_type };
  const int status = (is_same(what, "argmin-by-key") ? iw_argmin : iw_argmax)(
    context, type, make_input(type, field[2], n, NULL, 0), n, indices, values,
    IW_OPTIONS(iw_scan_options, .segments = &segments, .run_keys = unique, .run_count = &count));
  const uint64_t found = count;
  if (status == IW_OK)
    *result = digest(digest(digest(digest(0, indices, count * sizeof *indices), values, count * size),
                            unique, count * key_size), &found, sizeof found);
  free(indices);
  free(values);
  free(unique);
  free(keys);
  return status;
}

/* Runs of up to `limit` elements, with keys of a type. */
static int run_by_key(iw_context *context, char **field, char *how, uint64_t *result)
{
  const iw_type in_type = type_of(field[2]);
  const int has_init = is_same(strsep(&how, ","), "init");
  char *text = strsep(&how, ","), *key_name = strsep(&text, ":");
  if (key_name == NULL || text == NULL || (how != NULL && strncmp(how, "in=", 3) != 0))
    return BAD_NAME;
  const iw_type type = how == NULL ? in_type : type_of(how + 3), key_type = type_of(key_name);
  const size_t limit = strtoull(text, NULL, 10), n = strtoull(field[4], NULL, 10);
  const size_t size = iw_type_size(type), key_size = iw_type_size(key_type);
  if (limit < 1)
    return BAD_NAME;
  uint64_t init_bits = wide_bits(type, draw(SEED_INIT, 0));
  char *const keys = make_keys(key_type, limit, n), *const unique = need(n, key_size);
  char *const out = need(n, size);
  const iw_segments segments = { .size = sizeof segments, .kind = IW_SEGMENTS_KEYS, .keys = keys,
                                 .key_type = key_type };
  size_t count = 0;
  const void *const in = make_input(in_type, field[3], n, NULL, 0);
  const int status = iw_reduce(context, op_of(field[1]), in_type, in, n, out,
                               IW_OPTIONS(iw_scan_options, .init = has_init ? &init_bits : NULL, .out_type = type,
                                          .segments = &segments, .run_keys = unique, .run_count = &count));
  const uint64_t found = count;
  if (status == IW_OK)
    *result = digest(digest(digest(0, out, count * size), unique, count * key_size), &found, sizeof found);
  free(out);
  free(unique);
  free(keys);
  return status;
}

static int run_search(iw_context *context, const char *what, iw_type type, const void *in, size_t n,
                      uint64_t *result)
{
  size_t index;
  value found;
  int status = is_same(what, "argmin") ? iw_argmin(context, type, in, n, &index, &found, NULL)
                                    : iw_argmax(context, type, in, n, &index, &found, NULL);
  if (status == IW_OK)
    *result = digest(digest_u64(0, index), &found, iw_type_size(type));
  return status;
}

static int run_pivot(iw_context *context, const char *what, iw_type type, const void *in, size_t n,
                     const char *how, uint64_t *result)
{
  size_t count = 0, offsets[4] = { 0 }, size = iw_type_size(type);
  value pivot = { 0 };
  if (parse_value(type, how, how + strlen(how), &pivot) != NULL)
    return BAD_NAME;
  char *out = need(n, size);
  const int three = is_same(what, "three");
  const array elements = { .type = type, .n = n, .data = in };
  const iw_buckets buckets = { .size = sizeof buckets, .type = type, .pivot = &pivot };
  int status = three ? iw_multisplit(context, &buckets, in, n, out, offsets, NULL)
                     : partition_below(context, &elements, &pivot, out, &count);
  if (status == IW_OK) {
    const uint64_t wide[3] = { offsets[0], offsets[1], offsets[2] };
    const uint64_t elements_digest = digest(0, out, n * size);
    *result = three ? digest(elements_digest, wide, sizeof wide) : digest_u64(elements_digest, count);
  }
  free(out);
  return status;
}

/* Parses the field TEST: flags, which the caller frees, or a comparison. Returns 0 if it is not valid. */
static int make_test(iw_test *test, iw_type type, const char *how, size_t n, value *constant,
                     uint8_t **flags)
{
  static const char *const names[] = { "less", "less-equal", "equal", "not-equal", "greater",
                                      "greater-equal" };
  const char *number = strchr(how, ':');
  *test = (iw_test){ .size = sizeof *test , .type = type};
  *flags = NULL;
  if (number == NULL) {
    test->flags = *flags = make_flags(how, n);
    return 1;
  }
  const size_t length = (size_t)(number++ - how);
  int compare = 0;
  while (compare <= IW_GREATER_EQUAL
         && (strlen(names[compare]) != length || strncmp(names[compare], how, length) != 0))
    compare++;
  test->compare = (iw_compare)compare;
  test->constant = constant;
  return compare <= IW_GREATER_EQUAL && parse_value(type, number, number + strlen(number), constant) == NULL;
}

static int run_sides(iw_context *context, const char *what, iw_type type, const void *in, size_t n,
                     const char *how, uint64_t *result)
{
  size_t count, size = iw_type_size(type);
  char *front = need(n, size), *rest = need(n, size);
  uint8_t *flags;
  value constant = { 0 };
  iw_test test;
  int status = BAD_NAME;
  if (make_test(&test, type, how, n, &constant, &flags)) {
    if (is_same(what, "select"))
      status = iw_select_if(context, &test, in, n, front, &count, NULL);
    else
      status = iw_partition(context, &test, in, n, front, &count,
                            IW_OPTIONS(iw_move_options, .rest = is_same(what, "flags") ? NULL : rest));
  }
  if (status == IW_OK) {
    uint64_t d = digest(0, front, (is_same(what, "flags") ? n : count) * size);
    if (is_same(what, "sides"))
      d = digest(d, rest, (n - count) * size);
    *result = digest_u64(d, count);
  }
  free(flags);
  free(front);
  free(rest);
  return status;
}

/* The unrounded sum, merged of those of two parts, and the sum rounded by another call, which is as if the
 * unrounded one were rounded. Products are those of element i and the i-th from the end. */
static int run_exact(iw_context *context, int products, iw_type type, const void *in, size_t n, iw_type to,
                     uint64_t *result)
{
  iw_exact_sum sum = IW_EXACT_SUM_EMPTY, first = IW_EXACT_SUM_EMPTY;
  const size_t part = n / 3;
  value rounded, again;
  int status;
  if (products) {
    const size_t size = iw_type_size(type);
    char *const other = need(n, size);
    for (size_t i = 0; i < n; i++)
      memcpy(other + i * size, element_at(type, in, n - 1 - i), size);
    status = iw_exact_sum_add_products(context, type, in, other, part, &first);
    if (status == IW_OK)
      status = iw_exact_sum_add_products(context, type, element_at(type, in, part), element_at(type, other, part), n - part, &sum);
    if (status == IW_OK)
      status = iw_dot_exact(context, type, in, other, n, to, &rounded);
    free(other);
  } else {
    status = iw_exact_sum_add(context, type, in, part, &first);
    if (status == IW_OK)
      status = iw_exact_sum_add(context, type, element_at(type, in, part), n - part, &sum);
    if (status == IW_OK)
      status = iw_sum_exact(context, type, in, n, to, &rounded);
  }
  if (status == IW_OK)
    status = iw_exact_sum_merge(&sum, &first);
  if (status == IW_OK)
    status = iw_exact_sum_round(&sum, to, &again);
  if (status == IW_OK)
    *result = digest(digest(0, &sum, sizeof sum), &rounded, iw_type_size(to));
  if (status == IW_OK && memcmp(&rounded, &again, iw_type_size(to)))
    *result = ~*result;
  return status;
}

static int run_math(iw_context *context, const char *name, iw_type type, const void *in, size_t n,
                    uint64_t *result)
{
  char *out = need(n, iw_type_size(type));
  const int status = run_math_function(context, name, &(array){ .type = type, .n = n, .data = in }, out);
  if (status == IW_OK)
    *result = digest(0, out, n * iw_type_size(type));
  free(out);
  return status;
}

static int run_by_value(iw_context *context, iw_type type, const void *in, size_t n, uint64_t *result)
{
  char *const out = need(n, iw_type_size(type));
  const int status = iw_keys_by_value(context, type, in, n, out);
  if (status == IW_OK)
    *result = digest(0, out, n * iw_type_size(type));
  free(out);
  return status;
}

static int run_range(iw_context *context, iw_type type, const void *in, size_t n, uint64_t *result)
{
  value lo, hi;
  int status = iw_histogram_range(context, type, in, 1, n, &lo, &hi);
  if (status == IW_OK)
    *result = digest(digest(0, &lo, iw_type_size(type)), &hi, iw_type_size(type));
  return status;
}

/* Payloads. width: bytes of a payload; 0: the indices of a selection. */
static int run_along(iw_context *context, iw_type type, const void *in, size_t n, const char *how,
                     size_t width, uint64_t *result)
{
  size_t count, size = iw_type_size(type), words = (n * width + 7) / 8;
  uint8_t *flags = make_flags(how, n);
  uint64_t *values = need(words, sizeof *values);
  char *out = need(n, size), *moved = need(n, width), *indices = need(n, 8);
  const iw_test test = { .size = sizeof test, .type = type, .flags = n ? flags : NULL };
  const iw_payload payloads[] = {
    { .size = sizeof payloads[0], .in = in, .out = out, .width = size }, /* the elements */
    { .size = sizeof payloads[0], .out = indices, .width = width ? 8 : 4 },
    { .size = sizeof payloads[0], .in = values, .out = moved, .width = width },
  };
  for (size_t j = 0; j < words; j++)
    put_bits(IW_U64, values, j, draw(SEED_WEIGHTS, j)); /* little-endian, as digests are */
  int status = width ? iw_partition(context, &test, in, n, NULL, &count,
                                    IW_OPTIONS(iw_move_options, .payloads = payloads, .payload_count = 3))
                     : iw_select_if(context, &test, in, n, NULL, &count,
                                    IW_OPTIONS(iw_move_options, .payloads = payloads, .payload_count = 2));
  if (status == IW_OK && width)
    *result = digest_u64(digest(digest(digest(0, out, n * size), moved, n * width), indices, n * 8), count);
  else if (status == IW_OK)
    *result = digest_u64(digest(digest(0, out, count * size), indices, count * 4), count);
  free(indices);
  free(moved);
  free(out);
  free(values);
  free(flags);
  return status;
}

static int run_runs(iw_context *context, const char *what, iw_type type, const void *in, size_t n,
                    uint64_t *result)
{
  size_t count, size = iw_type_size(type);
  char *out = need(n, size), *lengths = need(n, 8);
  int unique = is_same(what, "unique");
  int status = unique ? iw_unique(context, type, in, n, out, &count, NULL)
                      : iw_run_lengths(context, type, in, n, out, (iw_indices){ lengths, 8 }, &count);
  if (status == IW_OK) {
    *result = digest(0, out, count * size);
    *result = digest_u64(unique ? *result : digest(*result, lengths, count * 8), count);
  }
  free(lengths);
  free(out);
  return status;
}

/* Runs of the input's elements. how: the field LIMIT:WIDTH. */
static int run_decode(iw_context *context, iw_type type, const void *in, size_t n, char *how, uint64_t *result)
{
  const uint64_t limit = strtoull(strsep(&how, ":"), NULL, 10);
  const unsigned width = how ? (unsigned)strtoul(how, NULL, 10) : 0;
  if (limit == 0 || (width != 4 && width != 8))
    return BAD_NAME;
  char *const lengths = need(n, width);
  size_t total = 0;
  for (size_t r = 0; r < n; r++) {
    const uint64_t length = draw(SEED_FLAGS, r) % limit;
    put_bits(width == 4 ? IW_U32 : IW_U64, lengths, r, length);
    total += length;
  }
  char *const out = need(total, iw_type_size(type));
  const int status = iw_run_lengths_decode(context, type, (iw_elements){ in, n }, lengths, width, out, total);
  if (status == IW_OK)
    *result = digest(0, out, total * iw_type_size(type));
  free(out);
  free(lengths);
  return status;
}

static int run_counts(iw_context *context, iw_type type, const void *in, size_t n,
                      const iw_histogram_spec *spec, uint64_t *result)
{
  size_t count = spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
  size_t size = spec->counter_width ? spec->counter_width : 8;
  char *counts = need(count, size);
  iw_histogram_report report = { .size = sizeof report };
  for (size_t k = 0; k < count; k++)
    put_bits(size == 4 ? IW_U32 : IW_U64, counts, k, draw(SEED_COUNTS, k) % (1 << 20));
  int status = iw_histogram(context, spec, in, n, counts, IW_OPTIONS(iw_histogram_options, .report = &report));
  if (status == IW_OK) {
    uint64_t outside[3] = { report.underflow, report.overflow, report.nan };
    *result = digest(digest(0, counts, count * size), outside, sizeof outside);
  }
  free(counts);
  return status;
}

static int run_weighted(iw_context *context, const iw_histogram_plan *plan, iw_type type, const void *in,
                        size_t n, iw_type by,
                        size_t outputs, uint64_t *result)
{
  const iw_type sum = by == IW_I32 ? IW_I64 : by == IW_U32 ? IW_U64 : by;
  char *weights = need(n, iw_type_size(by)), *sums = need(outputs, iw_type_size(sum));
  for (size_t i = 0; i < n; i++)
    put_bits(by, weights, i, wide_bits(by, draw(SEED_WEIGHTS, i)));
  for (size_t k = 0; k < outputs; k++)
    put_bits(sum, sums, k, wide_bits(sum, draw(SEED_COUNTS, k)));
  int status = iw_histogram(context, IW_OPTIONS(iw_histogram_spec, .plan = plan), in, n, sums,
                            IW_OPTIONS(iw_histogram_options, .weight_type = by, .weights = weights));
  if (status == IW_OK)
    *result = digest(0, sums, outputs * iw_type_size(sum));
  free(weights);
  free(sums);
  return status;
}

/* Pairs of the two halves, rows, or channels, all by one plan. */
static int run_nd(iw_context *context, const char *what, iw_type type, const void *in, size_t n,
                     const iw_histogram_spec *spec, const options *more, uint64_t *result)
{
  const size_t outputs = spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0),
      size = spec->counter_width ? spec->counter_width : 8;
  const size_t total = outputs * (is_same(what, "pairs") ? outputs : is_same(what,
      "rows") ? n / more->columns : more->channels);
  const iw_histogram_spec *specs[16];
  void *parts[16];
  iw_histogram_plan *plan;
  int status = iw_histogram_plan_make(context, spec, NULL, 0, &plan);
  if (status != IW_OK)
    return status;
  const iw_histogram_spec planned = iw_spec_of_plan(plan);
  if (is_same(what, "weighted")) {
    status = run_weighted(context, plan, type, in, n, more->by, outputs, result);
    iw_histogram_plan_free(plan);
    return status;
  }
  char *counts = need(total, size);
  for (size_t k = 0; k < total; k++)
    put_bits(size == 4 ? IW_U32 : IW_U64, counts, k, draw(SEED_COUNTS, k) % (1 << 20));
  for (size_t c = 0; c < more->channels; c++) {
    specs[c] = &planned;
    parts[c] = counts + c * outputs * size;
  }
  if (is_same(what, "pairs"))
    status = iw_histogram_nd(context, (const iw_histogram_axis[]){
      { sizeof(iw_histogram_axis), &planned, in }, { sizeof(iw_histogram_axis), &planned, element_at(type, in, n / 2) },
    }, 2, n / 2, counts, NULL);
  else if (is_same(what, "rows"))
    status = iw_histogram_rows(context, &planned,
                               in, n / more->columns, more->columns, counts, NULL);
  else
    status = iw_histogram_channels(context, specs, (unsigned)more->channels, in, n / more->channels, parts);
  if (status == IW_OK)
    *result = digest(0, counts, total * size);
  iw_histogram_plan_free(plan);
  free(counts);
  return status;
}

static int digest_indices(iw_context *context, iw_type type, const void *in, size_t n,
                          const iw_histogram_spec *spec, uint64_t *result)
{
  uint32_t *indices = need(n, sizeof *indices);
  const int status = iw_digitize(context, spec, in, n, (iw_indices){ indices, 4 });
  if (status == IW_OK)
    *result = digest(0, indices, n * sizeof *indices);
  free(indices);
  return status;
}

/* A table of the three thirds of the input, by one plan, and its projection on the first and the last axis.
 * by: the type of the weights of a weighted table. */
static int run_table(iw_context *context, int weighted, iw_type type, const void *in, size_t n,
                     const iw_histogram_spec *spec, iw_type by, uint64_t *result)
{
  const int outliers = spec->policy == IW_POLICY_COUNT;
  const size_t outputs = spec->bins + (outliers ? 2 : 0), total = outputs * outputs * outputs, some = n / 3;
  const iw_type sum = by == IW_I32 ? IW_I64 : by == IW_U32 ? IW_U64 : by;
  const iw_type cells = weighted ? sum : spec->counter_width == 4 ? IW_U32 : IW_U64;
  const size_t size = iw_type_size(cells);
  char *weights = need(some, iw_type_size(by)), *counts = need(total, size);
  char *plane = need(outputs * outputs, size);
  iw_histogram_axis axes[3];
  iw_table_axis table_axes[3];
  int status = IW_OK;
  for (size_t d = 0; d < 3; d++) {
    axes[d] = (iw_histogram_axis){ sizeof axes[d], spec, element_at(type, in, d * some) };
    table_axes[d] = (iw_table_axis){ .size = sizeof *table_axes, .bins = spec->bins, .outliers = outliers,
                                     .factor = d != 1 };
  }
  for (size_t i = 0; i < some && weighted; i++)
    put_bits(by, weights, i, wide_bits(by, draw(SEED_WEIGHTS, i)));
  for (size_t k = 0; k < total; k++)
    put_bits(cells, counts, k,
             weighted ? wide_bits(sum, draw(SEED_COUNTS, k)) : draw(SEED_COUNTS, k) % (1 << 20));
  if (status == IW_OK && weighted)
    status = iw_histogram_nd(context, axes, 3, some, counts, IW_OPTIONS(iw_histogram_options, .weight_type = by, .weights = weights));
  else if (status == IW_OK)
    status = iw_histogram_nd(context, axes, 3, some, counts, NULL);
  if (status == IW_OK)
    status = iw_histogram_project(context, cells, table_axes, 3, counts, plane, 0);
  if (status == IW_OK)
    *result = digest(digest(0, counts, total * size), plane, outputs * outputs * size);
  free(plane);
  free(counts);
  free(weights);
  return status;
}

/* Logarithmic edges, or edges by a power. how: LO:HI:BINS. */
static int run_transformed(iw_type type, char *how, const char *power, uint64_t *result)
{
  const char *lo_text = strsep(&how, ":"), *hi_text = how ? strsep(&how, ":") : NULL;
  value lo = { 0 }, hi = { 0 };
  if (!how || parse_value(type, lo_text, lo_text + strlen(lo_text), &lo)
      || parse_value(type, hi_text, hi_text + strlen(hi_text), &hi))
    return BAD_NAME;
  const size_t bins = strtoull(how, NULL, 10), bytes = (bins + 1) * iw_type_size(type);
  void *edges = need(bins + 1, iw_type_size(type));
  const int status = iw_histogram_power_edges(type, &lo, &hi, bins, strtod(power, NULL), edges); /* "" is 0 */
  if (status == IW_OK)
    *result = digest(0, edges, bytes);
  free(edges);
  return status;
}

/* Rows with automatic ranges. how: BINS:COLUMNS. */
static int run_ranged_rows(iw_context *context, iw_type type, const void *in, size_t n, char *how,
                           uint64_t *result)
{
  const iw_histogram_spec spec = { .size = sizeof spec, .type = type, .bins = strtoull(strsep(&how, ":"), NULL, 10) };
  const size_t columns = how ? strtoull(how, NULL, 10) : 0, rows = columns ? n / columns : 0;
  const size_t size = iw_type_size(type);
  char *lo = need(rows, size), *hi = need(rows, size);
  uint64_t *counts = need(rows * spec.bins, sizeof *counts);
  int status = iw_histogram_range(context, type, in, rows, columns, lo, hi);
  if (status == IW_OK)
    status = iw_histogram_rows(context, &spec, in, rows, columns, counts, NULL);
  if (status == IW_OK)
    *result = digest(digest(digest(0, lo, rows * size), hi, rows * size), counts,
                     rows * spec.bins * sizeof *counts);
  free(counts);
  free(hi);
  free(lo);
  return status;
}

/* Two growing histograms, which take batches of 1000 by turns, merged. how: BINS:ORIGIN:WIDTH. */
static int run_growing(iw_context *context, iw_type type, const void *in, size_t n, char *how,
                       uint64_t *result)
{
  const size_t bins = strtoull(strsep(&how, ":"), NULL, 10);
  const char *from = how ? strsep(&how, ":") : NULL;
  value origin = { 0 }, width = { 0 };
  iw_growing_histogram *h = NULL, *other = NULL;
  iw_growing_histogram_info info = { .size = sizeof info };
  if (!how || parse_value(type, from, from + strlen(from), &origin)
      || parse_value(type, how, how + strlen(how), &width))
    return BAD_NAME;
  char *edges = need(bins + 1, iw_type_size(type));
  uint64_t *counts = need(bins, sizeof *counts);
  int status = iw_growing_histogram_make(type, &origin, &width, bins, IW_GROW_RANGE, &h);
  if (status == IW_OK)
    status = iw_growing_histogram_make(type, &origin, &width, bins, IW_GROW_RANGE, &other);
  for (size_t at = 0; at < n && status == IW_OK; at += 1000)
    status = iw_growing_histogram_add(context, at / 1000 % 2 ? other : h, element_at(type, in, at), n - at < 1000 ? n - at : 1000);
  if (status == IW_OK)
    status = iw_growing_histogram_merge(context, h, other);
  if (status == IW_OK)
    status = iw_growing_histogram_get_info(h, &info);
  if (status == IW_OK)
    status = iw_growing_histogram_read(h, edges, counts);
  if (status == IW_OK && info.bins)
    *result = digest(digest(0, edges, (bins + 1) * iw_type_size(type)), counts, bins * sizeof *counts);
  if (status == IW_OK)
    *result = digest_u64(digest_u64(digest_u64(info.bins ? *result : 0, info.below), info.above), info.nan);
  iw_growing_histogram_free(other);
  iw_growing_histogram_free(h);
  free(counts);
  free(edges);
  return status;
}

/* Multisplit by the spec, or by bits if spec is NULL. If width is not 0, with payloads of `width` bytes and
 * the permutation. */
static int run_multi(iw_context *context, iw_type type, const void *in, size_t n,
                     const iw_histogram_spec *spec, iw_buckets buckets,
                     size_t width, uint64_t *result)
{
  size_t bins = spec ? spec->bins : (size_t)1 << buckets.bits, size = iw_type_size(type);
  char *out = need(n, size), *values = need(n, width), *values_out = need(n, width);
  size_t *offsets = need(bins + 1, sizeof *offsets);
  uint64_t *wide = need(bins + 1, sizeof *wide), *permutation = need(n, sizeof *permutation);
  iw_histogram_plan *plan = NULL;
  int status;
  for (size_t i = 0; i < n && width; i++) {
    uint64_t words[] = { draw(SEED_PAYLOADS, 2 * i), draw(SEED_PAYLOADS, 2 * i + 1) };
    memcpy(values + i * width, words, width);
  }
  buckets.type = type;
  buckets.bins = spec;
  if (!width) {
    status = iw_multisplit(context, &buckets, in, n, out, offsets, NULL);
  } else {
    iw_payload payloads[] = {
      { .size = sizeof payloads[0], .in = in, .out = out, .width = size }, /* the elements */
      { .size = sizeof payloads[0], .in = values, .out = values_out, .width = width },
      { .size = sizeof payloads[0], .out = permutation, .width = sizeof *permutation },
    };
    status = spec ? iw_histogram_plan_make(context, spec, NULL, 0, &plan) : IW_OK;
    const iw_histogram_spec planned = { .size = sizeof planned, .plan = plan };
    buckets.bins = spec ? &planned : NULL;
    if (status == IW_OK)
      status = iw_multisplit(context, &buckets, in, n, NULL, offsets,
                             IW_OPTIONS(iw_move_options, .payloads = payloads, .payload_count = 3));
    iw_histogram_plan_free(plan);
  }
  if (status == IW_OK) {
    uint64_t d = digest(0, out, n * size);
    if (width)
      d = digest(digest(d, values_out, n * width), permutation, n * sizeof *permutation);
    for (size_t k = 0; k <= bins; k++)
      wide[k] = offsets[k];
    *result = digest(d, wide, (bins + 1) * sizeof *wide);
  }
  free(permutation);
  free(wide);
  free(offsets);
  free(values_out);
  free(values);
  free(out);
  return status;
}

/* Multisplit by bits. range: the field FIRST:COUNT; words: the options. */
static int run_bits(iw_context *context, iw_type type, const void *in, size_t n, char *range, char *words,
                    uint64_t *result)
{
  char *first = strsep(&range, ":");
  options more = NO_OPTIONS;
  iw_histogram_spec none = { 0 };
  if (range == NULL || !parse_options(&none, &more, words))
    return BAD_NAME;
  iw_buckets buckets = { .size = sizeof buckets, .bit = (unsigned)strtoul(first, NULL, 10),
                         .bits = (unsigned)strtoul(range, NULL, 10) };
  return buckets.bits < 32 ? run_multi(context, type, in, n, NULL, buckets, more.width, result) : BAD_NAME;
}

/* The samples of one bin. */
static int digest_bin(iw_context *context, iw_type type, const void *in, size_t n,
                      const iw_histogram_spec *spec, size_t bin, uint64_t *result)
{
  char *out = need(n, iw_type_size(type));
  size_t count = 0;
  const array samples = { .type = type, .n = n, .data = in };
  const int status = select_bin(context, &samples, spec, bin, out, &count);
  if (status == IW_OK)
    *result = digest_u64(digest(0, out, count * iw_type_size(type)), count);
  free(out);
  return status;
}

/* A call of samples in bins. words: the options of the case, or NULL. */
static int run_in_bins(iw_context *context, const char *what, iw_type type, const void *in, size_t n,
                       bins *b, char *words, uint64_t *result)
{
  iw_histogram_spec *const spec = &b->spec;
  const size_t bin = is_same(what, "extract") ? strtoull(strsep(&words, ","), NULL, 10) : 0;
  options more = NO_OPTIONS;
  if ((words != NULL && !parse_options(spec, &more, words)) || more.channels > 16 || more.columns == 0)
    return BAD_NAME;
  if (is_same(what, "weighted") || is_same(what, "pairs") || is_same(what, "rows")
      || is_same(what, "channels"))
    return run_nd(context, what, type, in, n, spec, &more, result);
  if (is_same(what, "digitize"))
    return digest_indices(context, type, in, n, spec, result);
  if (is_same(what, "table") || is_same(what, "weighted-table"))
    return run_table(context, is_same(what, "weighted-table"), type, in, n, spec, more.by, result);
  if (is_same(what, "histogram"))
    return run_counts(context, type, in, n, spec, result);
  if (is_same(what, "multisplit"))
    return run_multi(context, type, in, n, spec, (iw_buckets){ .size = sizeof(iw_buckets) }, more.width,
                     result);
  if (is_same(what, "extract"))
    return digest_bin(context, type, in, n, spec, bin, result);
  return BAD_NAME;
}

/* Cases OPERATION/TYPE/INPUT/N/BINS/OPTIONS, and edges/TYPE/BINS. */
static int run_binned(iw_context *context, char **field, uint64_t *result)
{
  const char *const what = field[0];
  const iw_type type = type_of(field[1]);
  const size_t n = strtoull(field[3], NULL, 10);
  const int only_edges = is_same(what, "edges");
  bins b;
  void *edges = NULL;
  int status = BAD_NAME;
  if (make_bins(&b, type, only_edges ? field[2] : field[4])) {
    status = IW_OK;
    if (only_edges || is_same(field[2], "near")) {
      edges = need(b.spec.bins + 1, iw_type_size(type));
      status = iw_histogram_edges(&b.spec, edges);
    }
    if (status == IW_OK && only_edges)
      *result = digest(0, edges, (b.spec.bins + 1) * iw_type_size(type));
    else if (status == IW_OK)
      status = run_in_bins(context, what, type, make_input(type, field[2], n, edges, b.spec.bins + 1), n, &b,
                           field[5], result);
  }
  free(edges);
  free(b.edges.owned);
  return status;
}

static const void *input_of(char **field)
{
  return make_input(type_of(field[1]), field[2], strtoull(field[3], NULL, 10), NULL, 0);
}

/* Cases OPERATION/TYPE/INPUT/N/…. NOT_ONE: the operation is none of them. */
enum { NOT_ONE = BAD_NAME - 1 };
static int run_on_input(iw_context *context, char **field, uint64_t *result)
{
  const char *const what = field[0];
  const iw_type type = type_of(field[1]);
  const size_t n = strtoull(field[3], NULL, 10);
  if (is_same(what, "multisplit") && strncmp(field[4], "bits:", 5) == 0)
    return run_bits(context, type, input_of(field), n, field[4] + 5, field[5], result);
  if (is_same(what, "argmin") || is_same(what, "argmax"))
    return run_search(context, what, type, input_of(field), n, result);
  if (is_same(what, "exact") || is_same(what, "exact-dot"))
    return run_exact(context, is_same(what, "exact-dot"), type, input_of(field), n, type_of(field[4]),
                     result);
  if (is_same(what, "ranged-rows"))
    return run_ranged_rows(context, type, input_of(field), n, field[4], result);
  if (is_same(what, "growing"))
    return run_growing(context, type, input_of(field), n, field[4], result);
  if (is_same(what, "by-value"))
    return run_by_value(context, type, input_of(field), n, result);
  if (is_same(what, "range"))
    return run_range(context, type, input_of(field), n, result);
  if (is_same(what, "partition") || is_same(what, "three"))
    return run_pivot(context, what, type, input_of(field), n, field[4], result);
  if (is_same(what, "payloads") || is_same(what, "chosen"))
    return run_along(context, type, input_of(field), n, field[4],
                     is_same(what, "chosen") ? 0 : strtoull(field[5], NULL, 10), result);
  if (is_same(what, "unique") || is_same(what, "run-lengths"))
    return run_runs(context, what, type, input_of(field), n, result);
  if (is_same(what, "decode"))
    return run_decode(context, type, input_of(field), n, field[4], result);
  if (is_same(what, "flags") || is_same(what, "select") || is_same(what, "sides"))
    return run_sides(context, what, type, input_of(field), n, field[4], result);
  return NOT_ONE;
}

static int run_case(iw_context *context, const char *name, uint64_t *result)
{
  char copy[200], *rest = copy, *field[6] = { "", "", "", "", "", "" };
  snprintf(copy, sizeof copy, "%s", name);
  for (int i = 0; i < 6 && rest != NULL; i++)
    field[i] = strsep(&rest, "/");
  const char *const what = field[0];
  if (is_same(what, "inclusive") || is_same(what, "exclusive") || is_same(what, "reduce"))
    return run_scans(context, what, field, result);
  if (is_same(what, "inclusive-segments") || is_same(what, "exclusive-segments"))
    return run_segments(context, what, field, field[5], result);
  if (is_same(what, "reduce-by-key"))
    return run_by_key(context, field, field[5], result);
  if (is_same(what, "reduce-segments"))
    return run_reductions(context, field, field[5], result);
  if (is_same(what, "math")) {
    const size_t n = strtoull(field[4], NULL, 10);
    const iw_type type = type_of(field[2]);
    return run_math(context, field[1], type, make_input(type, field[3], n, NULL, 0), n, result);
  }
  if (is_same(what, "argmin-segments") || is_same(what, "argmax-segments"))
    return run_searches(context, what, field, field[4], result);
  if (is_same(what, "sort") || is_same(what, "sort-segments"))
    return run_sorts(context, field, result);
  if (is_same(what, "bounds"))
    return run_bounds(context, field, result);
  if (is_same(what, "merge"))
    return run_merges(context, field, result);
  if (is_same(what, "top-k") || is_same(what, "nth"))
    return run_extremes(context, field, result);
  if (is_same(what, "argmin-by-key") || is_same(what, "argmax-by-key"))
    return run_searches_by_key(context, what, field, field[4], result);
  if (is_same(what, "log-edges") || is_same(what, "power-edges"))
    return run_transformed(type_of(field[1]), field[2], field[3], result);
  const int status = run_on_input(context, field, result);
  return status == NOT_ONE ? run_binned(context, field, result) : status;
}

static int is_wanted(const settings *s, const char *name)
{
  for (int i = 0; i < s->operand_count; i++)
    if (strstr(name, s->operands[i]) != NULL)
      return 1;
  return s->operand_count == 0;
}

/* Fails with the first words of the names: "scan, reduce, …". */
_Noreturn static void fail_unknown(const char *part)
{
  char known[1024] = "";
  for (size_t i = 0; i < CASES; i++) {
    char word[32];
    snprintf(word, sizeof word, " %.*s,", (int)strcspn(table[i].name, "/"), table[i].name);
    if (strstr(known, word) == NULL && strlen(known) + strlen(word) < sizeof known)
      strcat(known, word);
  }
  known[strlen(known) - 1] = '\0';
  fail("no case has '%s' in its name, which is OPERATION/TYPE/INPUT/N...; operations:%s", part, known);
}

int run_verify(const settings *s)
{
  iw_context *context = open_context(s);
  size_t ran = 0, equal = 0, findings = 0;
  int lines_show_progress = isatty(STDOUT_FILENO);
  setvbuf(stdout, NULL, _IOLBF, 0); /* if a case crashes, the line of the case before has been written */
  for (size_t i = 0; i < CASES; i++) {
    uint64_t result = 0;
    if (!is_wanted(s, table[i].name))
      continue;
    int status = run_case(context, table[i].name, &result);
    ran++;
    if (status == IW_ERROR_UNAVAILABLE) /* and so would others be */
      fail("%s", iw_message());
    if (status == BAD_NAME)
      printf("%s error: this program does not know the name\n", table[i].name);
    else if (status != IW_OK)
      printf("%s error: %s\n", table[i].name, iw_message());
    else if (s->print_only || result == table[i].digest)
      printf("%s %016" PRIx64 "\n", table[i].name, result);
    else
      printf("%s %016" PRIx64 " differs from %016" PRIx64 "\n", table[i].name, result, table[i].digest);
    findings += status == IW_ERROR_FINDING;
    equal += status == IW_OK && (s->print_only || result == table[i].digest);
    if (!lines_show_progress)
      progress("verifying", "cases", i, CASES);
  }
  iw_context_close(context);
  if (ran == 0)
    fail_unknown(s->operands[0]);
  if (!s->print_only)
    printf("%zu of %zu digests equal\n", equal, ran);
  return findings ? STATUS_FINDING : equal == ran ? STATUS_GOOD : STATUS_CHECK_FAILED;
}
