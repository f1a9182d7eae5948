/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp verify: runs the cases of the table and compares their digests. doc/verify.md defines inputs and
 * digests; tests/reference/reference.py says what the names mean, and makes the table. */
#include "commands.h"

#include <isowarp.h>

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
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

static void put_bits(iw_type type, void *array, size_t i, uint64_t bits)
{
  memcpy((char *)array + i * iw_type_size(type), &bits, iw_type_size(type));
}

static int is_same(const char *a, const char *b)
{
  return strcmp(a, b) == 0;
}

/* The first n elements of a type and form, in memory that is the caller's to read until the next call.
 * Elements do not depend on n, so each is drawn once for all cases. A case gets a copy of its own size, so
 * that sanitizers find what reads behind it. */
static const void *make_input(iw_type type, const char *form, size_t n)
{
  static const char forms[] = "wsutna"; /* behind them: runs */
#define COUNT_TYPE(...) + 1
  static struct { size_t n; void *data; } drawn[1 IW_ELEMENT_TYPES(COUNT_TYPE)][sizeof forms];
#undef COUNT_TYPE
  static struct { iw_type type; char form; size_t n; void *data; } latest;
  const size_t size = iw_type_size(type), which = strcspn(forms, (char[]){ form[0], '\0' });
  if (latest.data != NULL && latest.type == type && latest.n == n && latest.form == form[0])
    return latest.data;
  latest.data = need_more(latest.data, n, size);
  latest.type = type;
  latest.form = form[0];
  latest.n = n;
  if (drawn[type][which].n < n || drawn[type][which].data == NULL) {
    drawn[type][which].data = need_more(drawn[type][which].data, n, size);
    for (size_t i = drawn[type][which].n; i < n; i++)
      put_bits(type, drawn[type][which].data, i, input_bits(type, form, i));
    drawn[type][which].n = n;
  }
  return memcpy(latest.data, drawn[type][which].data, n * size);
}

/* ---- Cases ---- */

/* A case returns the library's status, or BAD_NAME. */
enum { BAD_NAME = -1, MOST_ARRAYS = 12, MOST_CHANNELS = 16 };
#define TRY(call) do { const int status_ = (call); if (status_ != IW_OK) return status_; } while (0)

/* An array of a case. */
typedef struct held { void *data; size_t n, size; int is_output; } held;

/* A case: what its name says, and its arrays, plan and histograms, which are freed at its end. */
typedef struct test_case {
  iw_context *context;
  const char *what;         /* the first field of the name */
  const char *function, *form, *init_name, *extreme, *power;
  iw_op op;
  iw_type type, by, to;     /* of the elements; of weights; of outputs, if it is another one */
  size_t n, size;           /* of elements, and of one of them */
  const void *in;
  size_t limit, width, count, columns, channels, k, rows;
  value lo, hi, init;
  bins bins;                /* `owned` is NULL */
  iw_buckets buckets;
  iw_test test;
  iw_sort_options order;
  iw_segments segments_of, *segments; /* NULL: the array is not divided */
  size_t results;           /* of a reduction of the segments; of runs the most */
  int indices_only, is_by_key;
  iw_histogram_plan *plan;
  iw_growing_histogram *growing[2];
  held arrays[MOST_ARRAYS];
  unsigned array_count;
} test_case;

/* Whether `what` is an operation, by itself or with more words behind it: "reduce", "reduce-by-key". */
static int is_of(const char *what, const char *operation)
{
  const size_t length = strlen(operation);
  return strncmp(what, operation, length) == 0 && (what[length] == '\0' || what[length] == '-');
}

/* Memory for n elements of a size. What a call leaves as it was is the same in each run. */
static void *hold(test_case *c, size_t n, size_t size, int is_output)
{
  if (c->array_count == MOST_ARRAYS)
    fail("a case of %s has more than %d arrays", c->what, (int)MOST_ARRAYS);
  void *const data = need(n, size);
  memset(data, 0x5a, n * size);
  c->arrays[c->array_count++] = (held){ data, n, size, is_output };
  return data;
}

static void *scratch(test_case *c, size_t n, size_t size) { return hold(c, n, size, 0); }

/* An array for results. The digest has all of them, in the order of these calls. */
static void *output(test_case *c, size_t n, size_t size) { return hold(c, n, size, 1); }

static uint64_t *output_of_words(test_case *c, size_t n) { return output(c, n, sizeof(uint64_t)); }

/* Ends a call whose last output is the number of elements of all other ones. */
static int end_by_count(test_case *c, int status)
{
  const held *const count = &c->arrays[c->array_count - 1];
  for (held *a = c->arrays; a < count && status == IW_OK; a++)
    a->n = *(const size_t *)count->data;
  return status;
}

static iw_payload payload_of(const void *in, void *out, size_t width)
{
  return (iw_payload){ .size = sizeof(iw_payload), .in = in, .out = out, .width = width };
}

/* The flags that a name calls FLAGS. */
static uint8_t *make_flags(test_case *c, const char *form)
{
  uint8_t *const flags = scratch(c, c->n, 1);
  for (size_t i = 0; i < c->n; i++) {
    const uint64_t word = draw(SEED_FLAGS, i);
    const uint8_t some = (uint8_t)(word & word >> 8 & 0x11);
    flags[i] = form[0] == 's' ? some : form[0] == 'a' ? some | 0x80 : form[0] == 'r' ? word % 1021 == 0 : 0;
  }
  return flags;
}

/* Weights of n elements. */
static void *make_weights(test_case *c, size_t n)
{
  void *const weights = scratch(c, n, iw_type_size(c->by));
  for (size_t i = 0; i < n; i++)
    put_bits(c->by, weights, i, wide_bits(c->by, draw(SEED_WEIGHTS, i)));
  return weights;
}

/* Payloads of c->width bytes. */
static void *make_payloads(test_case *c)
{
  char *const values = scratch(c, c->n, c->width);
  for (size_t i = 0; i < c->n && c->width; i++) {
    const uint64_t both[] = { draw(SEED_PAYLOADS, 2 * i), draw(SEED_PAYLOADS, 2 * i + 1) };
    memcpy(values + i * c->width, both, c->width);
  }
  return values;
}

/* ---- Fields of names. A function that reads one returns whether it is valid. ---- */

static iw_type type_of(const char *name)
{
  iw_type type = IW_U8;
  while (iw_type_size(type) && !is_same(name, iw_type_name(type)))
    type++;
  return type;
}

static int read_op(const char *text, iw_op *op)
{
  static const struct { const char *name; iw_op op; } ops[] = {
#define OPERATOR(NAME, name, takes, result) { #name, IW_##NAME },
    IW_BUILTIN_OPERATORS(OPERATOR)
#undef OPERATOR
  };
  unsigned i = 0;
  while (i + 1 < sizeof ops / sizeof *ops && !is_same(text, ops[i].name))
    i++;
  *op = ops[i].op;
  return is_same(text, ops[i].name);
}

static int read_number(char *text, size_t *to)
{
  *to = strtoull(text, &text, 10);
  return *text == '\0';
}

static int read_value(const test_case *c, const char *text, value *to)
{
  return parse_value(c->type, text, text + strlen(text), to) == NULL;
}

/* The first segments of less than c->limit elements that cover all of them. */
static int make_offsets(test_case *c, iw_segments *s)
{
  size_t count = 0, end = 0;
  do
    end += draw(SEED_FLAGS, count++) % c->limit;
  while (end < c->n);
  uint64_t *const places = scratch(c, count + 1, sizeof *places);
  *places = 0;
  for (size_t k = 0; k < count; k++)
    places[k + 1] = places[k] + draw(SEED_FLAGS, k) % c->limit;
  places[count] = c->n;
  *s = (iw_segments){ .size = sizeof *s, .kind = IW_SEGMENTS_OFFSETS, .offsets = places, .offset_type = IW_U64, .count = count };
  c->results = count;
  return 1;
}

/* Keys of a type: of runs of up to c->limit elements, or if that is 0 for scans. */
static int make_keys(test_case *c, iw_type type, iw_segments *s)
{
  const size_t size = iw_type_size(type);
  char *const keys = scratch(c, c->n, size);
  uint64_t run = 0;
  for (size_t i = 0; i < c->n && !c->limit; i++)
    put_bits(type, keys, i, wide_bits(type, draw(SEED_FLAGS, draw(SEED_FLAGS, i >> 6) % 2)));
  for (size_t at = 0; at < c->n && c->limit; run++)
    for (size_t left = 1 + draw(SEED_FLAGS, run) % c->limit; left && at < c->n; left--, at++)
      memcpy(keys + at * size, &run, size);
  *s = (iw_segments){ .size = sizeof *s, .kind = IW_SEGMENTS_KEYS, .key_type = type, .keys = keys };
  c->is_by_key = c->limit > 0;
  c->results = c->n;
  return size > 0;
}

/* HEADS, SEGMENTS or KEY:LIMIT. c->n becomes that of whole rows. */
static int read_segments(test_case *c, char *text)
{
  iw_segments *const s = c->segments = &c->segments_of;
  const char *const kind = strsep(&text, ":");
  if (text == NULL) {
    *s = (iw_segments){ .size = sizeof *s, .kind = IW_SEGMENTS_FLAGS, .flags = make_flags(c, kind) };
    return 1;
  }
  if (is_same(kind, "keys"))
    return make_keys(c, type_of(text), s);
  if (!read_number(text, &c->limit) || c->limit < 1 + (size_t)is_same(kind, "offsets"))
    return 0;
  if (is_same(kind, "offsets"))
    return make_offsets(c, s);
  const int by_columns = is_same(kind, "columns");
  if (!by_columns && !is_same(kind, "rows"))
    return make_keys(c, type_of(kind), s);
  c->n = c->n / c->limit * c->limit;
  *s = (iw_segments){ .size = sizeof *s, .kind = by_columns ? IW_SEGMENTS_COLUMNS : IW_SEGMENTS_ROWS, .columns = c->limit };
  c->results = by_columns ? c->limit : c->n / c->limit;
  return 1;
}

/* FLAGS or COMPARE:PIVOT. */
static int read_test(test_case *c, char *text)
{
  static const char *const names[] = { "less", "less-equal", "equal", "not-equal", "greater", "greater-equal" };
  const char *const name = strsep(&text, ":");
  int compare = 0;
  if (text == NULL) {
    c->test.flags = make_flags(c, name);
    return 1;
  }
  while (compare <= IW_GREATER_EQUAL && !is_same(names[compare], name))
    compare++;
  c->test.compare = (iw_compare)compare;
  c->test.constant = &c->lo;
  return compare <= IW_GREATER_EQUAL && read_value(c, text, &c->lo);
}

/* The given edges of `edges:BINS`. */
static int make_edges(test_case *c, iw_histogram_spec *spec)
{
  static const struct { uint64_t base; unsigned gap; } given[] = {
    [IW_U8] = { 10, 2 }, [IW_U16] = { 100, 5 }, [IW_I32] = { 0xC0000000, 20 }, [IW_U32] = { 0x40000000, 20 },
    [IW_I64] = { UINT64_C(0xC000000000000000), 51 }, [IW_U64] = { UINT64_C(0x4000000000000000), 51 },
    [IW_F32] = { 0x30000000, 18 }, [IW_F64] = { UINT64_C(0x3800000000000000), 47 }, [IW_I8] = { 0x90, 2 },
    [IW_I16] = { 0x9000, 5 }, [IW_BOOL] = { 10, 2 }, [IW_F16] = { 0x0800, 4 }, [IW_BF16] = { 0x3000, 4 } };
  if ((size_t)c->type >= sizeof given / sizeof *given)
    return 0;
  void *const edges = scratch(c, spec->bins + 1, c->size);
  uint64_t place = given[c->type].base;
  for (size_t k = 0; k <= spec->bins; k++) {
    place += 1 + draw(SEED_EDGES, k) % (UINT64_C(1) << given[c->type].gap);
    put_bits(c->type, edges, k, place);
  }
  spec->kind = IW_HISTOGRAM_EDGES;
  spec->edges = edges;
  return 1;
}

static int make_map(bins *b, int of_letters)
{
  b->spec.kind = IW_HISTOGRAM_MAP;
  b->spec.map = b->map;
  for (unsigned v = 0; v < 256; v++) {
    const uint64_t to = draw(SEED_MAP, v) % (b->spec.bins + 1), letter = v >= 0x61 && v <= 0x7a ? v - 0x61 : 4 * b->spec.bins;
    const uint64_t bin = of_letters ? letter / (b->spec.bins == 7 ? 4 : 1) : to;
    b->map[v] = bin < b->spec.bins ? (uint16_t)bin : IW_MAP_NONE;
  }
  return 1;
}

/* BINS ("even:10:0:1"), or for buckets `bits:FIRST:COUNT`. */
static int read_spec(test_case *c, char *text)
{
  iw_histogram_spec *const spec = &c->bins.spec;
  const char *const kind = strsep(&text, ":"), *const count = text ? strsep(&text, ":") : "";
  *spec = (iw_histogram_spec){ .size = sizeof *spec, .type = c->type, .bins = strtoull(count, NULL, 10) };
  if (is_same(kind, "bits") && text != NULL) {
    c->buckets.bit = (unsigned)spec->bins;
    c->buckets.bits = (unsigned)strtoul(text, NULL, 10);
    return c->buckets.bits < 32;
  }
  c->buckets.bins = c->test.bins = spec;
  if (is_same(kind, "even") || is_same(kind, "span")) {
    const char *const lo = strsep(&text, ":");
    spec->lo = &c->bins.lo;
    spec->hi = &c->bins.hi;
    spec->flags = is_same(kind, "span") ? IW_HIST_HI_INCLUDED : 0;
    return text != NULL && read_value(c, lo, &c->bins.lo) && read_value(c, text, &c->bins.hi);
  }
  if (is_same(kind, "edges"))
    return make_edges(c, spec);
  if (is_same(kind, "letters") || is_same(kind, "map"))
    return make_map(&c->bins, is_same(kind, "letters"));
  return is_same(kind, "auto"); /* even bins */
}

/* Words with commas in between: OPTIONS and WAY. */
static int read_words(test_case *c, char *text)
{
  iw_histogram_spec *const spec = &c->bins.spec;
  int valid = 1;
  for (char *word; (word = strsep(&text, ",")) != NULL && valid;) {
    char *argument = word;
    const char *const name = strsep(&argument, "=");
    if (is_same(name, "drop")) spec->policy = IW_POLICY_DROP;
    else if (is_same(name, "clamp")) spec->policy = IW_POLICY_CLAMP;
    else if (is_same(name, "count")) spec->policy = IW_POLICY_COUNT;
    else if (is_same(name, "closed")) spec->flags |= IW_HIST_CLOSED_TOP;
    else if (is_same(name, "32")) spec->counter_width = 4;
    else if (is_same(name, "add")) spec->flags |= IW_HIST_ACCUMULATE;
    else if (is_same(name, "up")) c->order.descending = 0;
    else if (is_same(name, "down")) c->order.descending = 1;
    else if (is_same(name, "argsort")) c->indices_only = 1;
    else if (argument == NULL) valid = 0;
    else if (is_same(name, "columns")) valid = read_number(argument, &c->columns) && c->columns > 0;
    else if (is_same(name, "channels")) valid = read_number(argument, &c->channels) && c->channels <= MOST_CHANNELS;
    else if (is_same(name, "move")) valid = read_number(argument, &c->width);
    else if (is_same(name, "by")) c->by = type_of(argument);
    else if (is_same(name, "in")) c->to = type_of(argument);
    else valid = is_same(name, "bits") && sscanf(argument, "%u:%u", &c->order.begin_bit, &c->order.end_bit) == 2;
  }
  return valid;
}

/* What the words of the fields of calls stand for, and the member of test_case that has it, if it is one. */
typedef enum word_kind { TEXT, NUMBER, TYPE, VALUE, OPERATOR, SEGMENTS, TEST, BINS, OPTIONS } word_kind;
static const struct { const char *word; word_kind kind; size_t at; } words[] = {
#define WORD(word, kind, member) { word, kind, offsetof(test_case, member) }
  WORD("OP", OPERATOR, op), WORD("FUNCTION", TEXT, function), WORD("TYPE", TYPE, type), WORD("INPUT", TEXT, form),
  WORD("N", NUMBER, n), WORD("INIT", TEXT, init_name), WORD("TO", TYPE, to), WORD("K", NUMBER, k), WORD("EXTREME", TEXT, extreme),
  WORD("ROWS", NUMBER, rows), WORD("COLUMNS", NUMBER, columns), WORD("COUNT", NUMBER, count), WORD("LIMIT", NUMBER, limit),
  WORD("W", NUMBER, width), WORD("LO", VALUE, lo), WORD("HI", VALUE, hi), WORD("PIVOT", VALUE, lo), WORD("POWER", TEXT, power),
#undef WORD
  { "SEGMENTS", SEGMENTS, 0 }, { "TEST", TEST, 0 }, { "BINS", BINS, 0 }, { "OPTIONS", OPTIONS, 0 },
};

static int read_word(test_case *c, size_t w, char *text)
{
  void *const to = (char *)c + words[w].at;
  switch (words[w].kind) {
  case TEXT: *(const char **)to = text; return 1;
  case NUMBER: return read_number(text, to);
  case TYPE: return iw_type_size(*(iw_type *)to = type_of(text)) > 0;
  case VALUE: return read_value(c, text, to);
  case OPERATOR: return read_op(text, to);
  case SEGMENTS: return read_segments(c, text);
  case TEST: return read_test(c, text);
  case BINS: return read_spec(c, text);
  case OPTIONS: return read_words(c, text);
  }
  return 0;
}

/* Reads fields of a name. description: their words, of which the last ones may be missing. */
static int read_fields(test_case *c, const char *description, char *text)
{
  while (*description && text != NULL) {
    const size_t length = strcspn(description, "/:,");
    const char separator[] = { description[length], '\0' };
    char *const part = *separator ? strsep(&text, separator) : text;
    size_t w = 0;
    while (strncmp(words[w].word, description, length) != 0 || words[w].word[length] != '\0')
      w++;
    if (!read_word(c, w, part))
      return 0;
    description += length + (*separator != '\0');
    c->size = iw_type_size(c->type);
  }
  return 1;
}

/* The input `near`: an edge or a neighbouring value. */
static int make_near_input(test_case *c)
{
  const size_t count = c->bins.spec.bins + 1;
  void *const edges = scratch(c, count, c->size), *const in = scratch(c, c->n, c->size);
  TRY(iw_histogram_edges(&c->bins.spec, edges));
  for (size_t i = 0; i < c->n; i++) {
    const uint64_t word = draw(SEED_DATA, i);
    uint64_t bits = 0;
    memcpy(&bits, element_at(c->type, edges, word % count), c->size);
    put_bits(c->type, in, i, bits + (word >> 32) % 3 - 1);
  }
  c->in = in;
  return IW_OK;
}

/* ---- Calls of scans, reductions and sorts ---- */

/* The options of a case whose outputs are of a type; of runs with outputs for their keys and their number. */
static iw_scan_options options_of(test_case *c, iw_type type)
{
  c->init.u64 = wide_bits(type, draw(SEED_INIT, 0));
  iw_scan_options o = { .size = sizeof o, .init = is_same(c->init_name, "init") ? &c->init : NULL, .out_type = c->to, .segments = c->segments };
  o.run_keys = c->is_by_key ? output(c, c->n, iw_type_size(c->segments->key_type)) : NULL;
  o.run_count = c->is_by_key ? output(c, 1, sizeof(size_t)) : NULL;
  return o;
}

static int call_scan(test_case *c)
{
  void *const out = output(c, c->n, c->size);
  const iw_scan_options o = options_of(c, c->type);
  return is_of(c->what, "inclusive") ? iw_inclusive_scan(c->context, c->op, c->type, c->in, c->n, out, &o)
    : iw_exclusive_scan(c->context, c->op, c->type, c->in, c->n, out, &o);
}

static int call_reduce(test_case *c)
{
  const iw_type type = (int)c->to ? c->to : c->type;
  void *const out = output(c, c->results, iw_type_size(type));
  const iw_scan_options o = options_of(c, type);
  TRY(iw_reduce(c->context, c->op, c->type, c->in, c->n, out, &o));
  return c->is_by_key ? end_by_count(c, IW_OK) : IW_OK;
}

static int call_search(test_case *c)
{
  size_t *const indices = output(c, c->results, sizeof *indices);
  void *const values = output(c, c->results, c->size);
  const iw_scan_options o = options_of(c, c->type);
  TRY(is_of(c->what, "argmin") ? iw_argmin(c->context, c->type, c->in, c->n, indices, values, &o)
      : iw_argmax(c->context, c->type, c->in, c->n, indices, values, &o));
  return c->is_by_key ? end_by_count(c, IW_OK) : IW_OK;
}

static int call_sort(test_case *c)
{
  if (c->indices_only)
    return iw_argsort(c->context, c->type, c->in, c->n, iw_indices_u64(output_of_words(c, c->n)), &c->order);
  void *const out = output(c, c->n, c->size), *const moved = output(c, c->n, c->width), *const indices = output_of_words(c, c->n);
  const iw_payload payloads[] = { payload_of(NULL, indices, sizeof(uint64_t)), payload_of(make_payloads(c), moved, c->width) };
  c->order.segments = c->segments;
  c->order.payloads = payloads;
  c->order.payload_count = c->width ? 2 : 1;
  return iw_sort(c->context, c->type, c->in, c->n, out, &c->order);
}

/* Lower and upper bounds of all elements in the sorted first half. */
static int call_bounds(test_case *c)
{
  void *const sorted = scratch(c, c->n / 2, c->size);
  const iw_elements half = { sorted, c->n / 2 }, in = { c->in, c->n };
  const iw_indices lower = iw_indices_u64(output_of_words(c, c->n)), upper = iw_indices_u64(output_of_words(c, c->n));
  TRY(iw_sort(c->context, c->type, c->in, half.n, sorted, &c->order));
  TRY(iw_bounds(c->context, IW_LOWER_BOUND, c->type, half, in, lower, &c->order));
  return iw_bounds(c->context, IW_UPPER_BOUND, c->type, half, in, upper, &c->order);
}

/* The sorted first third and the rest, merged, with indices; and until where the input is sorted. */
static int call_merge(test_case *c)
{
  const size_t third = c->n / 3, rest = c->n - third;
  char *const first = scratch(c, c->n, c->size), *const second = first + third * c->size;
  void *const merged = output(c, c->n, c->size);
  const iw_indices indices = iw_indices_u64(output_of_words(c, c->n));
  TRY(iw_sort(c->context, c->type, c->in, third, first, &c->order));
  TRY(iw_sort(c->context, c->type, element_at(c->type, c->in, third), rest, second, &c->order));
  TRY(iw_merge(c->context, c->type, (iw_elements){ first, third }, (iw_elements){ second, rest }, merged, indices, &c->order));
  return iw_is_sorted_until(c->context, c->type, c->in, c->n, output(c, 1, sizeof(size_t)), &c->order);
}

/* The largest or smallest of each row, with their indices. */
static int call_top_k(test_case *c)
{
  const size_t columns = c->n / c->rows, results = c->rows * c->k;
  void *const values = output(c, results, c->size);
  const iw_payload indices = payload_of(NULL, output_of_words(c, results), sizeof(uint64_t));
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
  return iw_top_k(c->context, c->type, c->in, columns * c->rows, c->k, values, IW_OPTIONS(iw_sort_options,
    .descending = is_same(c->extreme, "largest"), .segments = c->rows > 1 ? &rows : NULL, .payloads = &indices, .payload_count = 1));
}

static int call_nth(test_case *c)
{
  void *const found = output(c, 1, c->size);
  return iw_nth_element(c->context, c->type, c->in, c->n, c->k, found, output(c, 1, sizeof(size_t)));
}

/* The unrounded sum, merged of those of two parts, and the sum rounded by another call, which is as if the
 * unrounded one were rounded. Products are those of element i and the i-th from the end. */
static int call_exact(test_case *c)
{
  const int is_dot = is_same(c->what, "exact-dot");
  iw_exact_sum *const sum = output(c, 1, sizeof *sum), first = IW_EXACT_SUM_EMPTY;
  void *const rounded = output(c, 1, iw_type_size(c->to));
  const size_t part = c->n / 3, rest = c->n - part;
  char *const other = scratch(c, c->n, c->size);
  const void *const in[] = { c->in, element_at(c->type, c->in, part) }, *const by[] = { other, other + part * c->size };
  value again;
  for (size_t i = 0; i < c->n; i++)
    memcpy(other + i * c->size, element_at(c->type, c->in, c->n - 1 - i), c->size);
  *sum = first;
  TRY(is_dot ? iw_exact_sum_add_products(c->context, c->type, in[0], by[0], part, &first) : iw_exact_sum_add(c->context, c->type, in[0], part, &first));
  TRY(is_dot ? iw_exact_sum_add_products(c->context, c->type, in[1], by[1], rest, sum) : iw_exact_sum_add(c->context, c->type, in[1], rest, sum));
  TRY(is_dot ? iw_dot_exact(c->context, c->type, in[0], other, c->n, c->to, rounded) : iw_sum_exact(c->context, c->type, in[0], c->n, c->to, rounded));
  TRY(iw_exact_sum_merge(sum, &first));
  TRY(iw_exact_sum_round(sum, c->to, &again));
  if (memcmp(rounded, &again, iw_type_size(c->to)) != 0)
    output(c, 1, 1); /* no digest of the table has a third array */
  return IW_OK;
}

static int call_math(test_case *c)
{
  return run_math_function(c->context, c->function, &(array){ .type = c->type, .n = c->n, .data = c->in }, output(c, c->n, c->size));
}

static int call_by_value(test_case *c)
{
  return iw_keys_by_value(c->context, c->type, c->in, c->n, output(c, c->n, c->size));
}

/* ---- Calls that move elements ---- */

/* A partition by flags, or of what is less than a pivot. */
static int call_partition(test_case *c)
{
  void *const out = output(c, c->n, c->size);
  c->test.constant = c->test.flags ? NULL : &c->lo; /* compare is IW_LESS unless a name has another one */
  return iw_partition(c->context, &c->test, c->in, c->n, out, output(c, 1, sizeof(size_t)), NULL);
}

/* The sides of a partition, each in an array of its own. */
static int call_sides(test_case *c)
{
  held *const side = &c->arrays[c->array_count];
  void *const out = output(c, c->n, c->size), *const rest = output(c, c->n, c->size);
  size_t *const count = output(c, 1, sizeof *count);
  TRY(iw_partition(c->context, &c->test, c->in, c->n, out, count, IW_OPTIONS(iw_move_options, .rest = rest)));
  side[0].n = *count;
  side[1].n = c->n - *count;
  return IW_OK;
}

/* The elements of a test, or of a bin. */
static int call_select(test_case *c)
{
  void *const out = output(c, c->n, c->size);
  c->test.bin = c->k;
  return end_by_count(c, iw_select_if(c->context, &c->test, c->in, c->n, out, output(c, 1, sizeof(size_t)), NULL));
}

/* The elements as a payload, payloads of c->width bytes, and indices; of a selection (chosen) the elements
 * and indices of 4 bytes. */
static int call_payloads(test_case *c)
{
  const size_t index_width = c->width ? 8 : 4, value_words = (c->n * c->width + 7) / 8;
  uint64_t *const values = scratch(c, value_words, sizeof *values);
  for (size_t j = 0; j < value_words; j++)
    values[j] = draw(SEED_WEIGHTS, j); /* little-endian, as digests are */
  void *const out = output(c, c->n, c->size), *const moved = c->width ? output(c, c->n, c->width) : NULL;
  void *const indices = output(c, c->n, index_width);
  size_t *const count = output(c, 1, sizeof *count);
  const iw_payload payloads[] = { payload_of(c->in, out, c->size), payload_of(NULL, indices, index_width),
                                  payload_of(values, moved, c->width) };
  const iw_move_options o = { .size = sizeof o, .payloads = payloads, .payload_count = c->width ? 3 : 2 };
  c->test.flags = c->n ? c->test.flags : NULL;
  if (c->width)
    return iw_partition(c->context, &c->test, c->in, c->n, NULL, count, &o);
  return end_by_count(c, iw_select_if(c->context, &c->test, c->in, c->n, NULL, count, &o));
}

static int call_runs(test_case *c)
{
  const int unique = is_same(c->what, "unique");
  void *const out = output(c, c->n, c->size);
  const iw_indices lengths = iw_indices_u64(unique ? NULL : output_of_words(c, c->n));
  size_t *const count = output(c, 1, sizeof *count);
  return end_by_count(c, unique ? iw_unique(c->context, c->type, c->in, c->n, out, count, NULL)
                      : iw_run_lengths(c->context, c->type, c->in, c->n, out, lengths, count));
}

/* Runs of the input's elements. */
static int call_decode(test_case *c)
{
  if (c->limit == 0 || (c->width != 4 && c->width != 8))
    return BAD_NAME;
  void *const lengths = scratch(c, c->n, c->width);
  size_t total = 0;
  for (size_t r = 0; r < c->n; r++) {
    const uint64_t length = draw(SEED_FLAGS, r) % c->limit;
    put_bits(c->width == 4 ? IW_U32 : IW_U64, lengths, r, length);
    total += length;
  }
  return iw_run_lengths_decode(c->context, c->type, (iw_elements){ c->in, c->n }, lengths, (unsigned)c->width,
                               output(c, total, c->size), total);
}

/* In three ways. The last of four offsets is n. */
static int call_three(test_case *c)
{
  void *const out = output(c, c->n, c->size);
  held *const offsets = &c->arrays[c->array_count];
  c->buckets.pivot = &c->lo;
  TRY(iw_multisplit(c->context, &c->buckets, c->in, c->n, out, output(c, 4, sizeof(size_t)), NULL));
  offsets->n = 3;
  return IW_OK;
}

/* With payloads and the permutation, if payloads have a width; then bins are a plan. */
static int call_multisplit(test_case *c)
{
  const size_t count = c->buckets.bins ? c->buckets.bins->bins : (size_t)1 << c->buckets.bits;
  void *const out = output(c, c->n, c->size);
  if (!c->width)
    return iw_multisplit(c->context, &c->buckets, c->in, c->n, out, output(c, count + 1, sizeof(size_t)), NULL);
  void *const moved = output(c, c->n, c->width), *const permutation = output_of_words(c, c->n);
  const iw_payload payloads[] = { payload_of(c->in, out, c->size), payload_of(make_payloads(c), moved, c->width),
                                  payload_of(NULL, permutation, sizeof(uint64_t)) };
  if (c->buckets.bins)
    TRY(iw_histogram_plan_make(c->context, c->buckets.bins, NULL, 0, &c->plan));
  const iw_histogram_spec planned = iw_spec_of_plan(c->plan);
  c->buckets.bins = c->buckets.bins ? &planned : NULL;
  return iw_multisplit(c->context, &c->buckets, c->in, c->n, NULL, output(c, count + 1, sizeof(size_t)),
                       IW_OPTIONS(iw_move_options, .payloads = payloads, .payload_count = 3));
}

/* ---- Calls of histograms ---- */

static size_t outputs_of(const iw_histogram_spec *spec)
{
  return spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
}

/* The type of counters, or of sums of weights. */
static iw_type cell_type(const test_case *c, int are_sums)
{
  if (are_sums)
    return c->by == IW_I32 ? IW_I64 : c->by == IW_U32 ? IW_U64 : c->by;
  return c->bins.spec.counter_width == 4 ? IW_U32 : IW_U64;
}

/* An output of counts or sums, with what a call may add to. */
static void *output_of_cells(test_case *c, size_t count, int are_sums)
{
  const iw_type type = cell_type(c, are_sums);
  void *const cells = output(c, count, iw_type_size(type));
  for (size_t k = 0; k < count; k++) {
    const uint64_t word = draw(SEED_COUNTS, k);
    put_bits(type, cells, k, are_sums ? wide_bits(type, word) : word % (1 << 20));
  }
  return cells;
}

static int call_histogram(test_case *c)
{
  void *const counts = output_of_cells(c, outputs_of(&c->bins.spec), 0);
  uint64_t *const outside = output_of_words(c, 3);
  iw_histogram_report report = { .size = sizeof report };
  TRY(iw_histogram(c->context, &c->bins.spec, c->in, c->n, counts, IW_OPTIONS(iw_histogram_options, .report = &report)));
  outside[0] = report.underflow;
  outside[1] = report.overflow;
  outside[2] = report.nan;
  return IW_OK;
}

/* Weights, pairs of the two halves, rows, or channels, all by one plan. */
static int call_planned(test_case *c)
{
  const size_t outputs = outputs_of(&c->bins.spec);
  TRY(iw_histogram_plan_make(c->context, &c->bins.spec, NULL, 0, &c->plan));
  const iw_histogram_spec planned = iw_spec_of_plan(c->plan);
  if (is_same(c->what, "weighted"))
    return iw_histogram(c->context, &planned, c->in, c->n, output_of_cells(c, outputs, 1),
                        IW_OPTIONS(iw_histogram_options, .weight_type = c->by, .weights = make_weights(c, c->n)));
  const size_t rows = c->n / c->columns;
  const size_t tables = is_same(c->what, "pairs") ? outputs : is_same(c->what, "rows") ? rows : c->channels;
  char *const counts = output_of_cells(c, tables * outputs, 0);
  if (is_same(c->what, "rows"))
    return iw_histogram_rows(c->context, &planned, c->in, rows, c->columns, counts, NULL);
  if (is_same(c->what, "pairs")) {
    const iw_histogram_axis axes[] = { { sizeof *axes, &planned, c->in },
                                       { sizeof *axes, &planned, element_at(c->type, c->in, c->n / 2) } };
    return iw_histogram_nd(c->context, axes, 2, c->n / 2, counts, NULL);
  }
  const iw_histogram_spec *specs[MOST_CHANNELS];
  void *parts[MOST_CHANNELS];
  for (size_t k = 0; k < c->channels; k++) {
    specs[k] = &planned;
    parts[k] = counts + k * outputs * iw_type_size(cell_type(c, 0));
  }
  return iw_histogram_channels(c->context, specs, (unsigned)c->channels, c->in, c->n / c->channels, parts);
}

static int call_digitize(test_case *c)
{
  return iw_digitize(c->context, &c->bins.spec, c->in, c->n, (iw_indices){ output(c, c->n, sizeof(uint32_t)), 4 });
}

/* A table of the three thirds of the input, and its projection on the first and the last axis. */
static int call_table(test_case *c)
{
  const iw_histogram_spec *const spec = &c->bins.spec;
  const int weighted = is_same(c->what, "weighted-table");
  const size_t outputs = outputs_of(spec), some = c->n / 3;
  const iw_type cells = cell_type(c, weighted);
  void *const counts = output_of_cells(c, outputs * outputs * outputs, weighted);
  iw_histogram_axis axes[3];
  iw_table_axis table_axes[3];
  for (size_t d = 0; d < 3; d++) {
    axes[d] = (iw_histogram_axis){ sizeof axes[d], spec, element_at(c->type, c->in, d * some) };
    table_axes[d] = (iw_table_axis){ .size = sizeof *table_axes, .bins = spec->bins, .outliers = outputs > spec->bins, .factor = d != 1 };
  }
  const iw_histogram_options o = { .size = sizeof o, .weight_type = c->by, .weights = weighted ? make_weights(c, some) : NULL };
  TRY(iw_histogram_nd(c->context, axes, 3, some, counts, weighted ? &o : NULL));
  return iw_histogram_project(c->context, cells, table_axes, 3, counts, output(c, outputs * outputs, iw_type_size(cells)), 0);
}

static int call_edges(test_case *c)
{
  return iw_histogram_edges(&c->bins.spec, output(c, c->bins.spec.bins + 1, c->size));
}

/* Edges by a power; 0 and none: logarithmic ones. */
static int call_power_edges(test_case *c)
{
  return iw_histogram_power_edges(c->type, &c->lo, &c->hi, c->count, strtod(c->power, NULL), output(c, c->count + 1, c->size));
}

/* Automatic ranges of the whole input, or of rows with their counts. */
static int call_ranges(test_case *c)
{
  const iw_histogram_spec spec = { .size = sizeof spec, .type = c->type, .bins = c->count };
  const size_t rows = c->count ? c->n / c->columns : 1, columns = c->count ? c->columns : c->n;
  void *const lo = output(c, rows, c->size), *const hi = output(c, rows, c->size);
  TRY(iw_histogram_range(c->context, c->type, c->in, rows, columns, lo, hi));
  return c->count ? iw_histogram_rows(c->context, &spec, c->in, rows, columns, output_of_words(c, rows * c->count), NULL) : IW_OK;
}

/* Two growing histograms, which take batches of 1000 by turns, merged. Without a finite sample there are no
 * bins. */
static int call_growing(test_case *c)
{
  enum { BATCH = 1000 };
  iw_growing_histogram **const h = c->growing;
  iw_growing_histogram_info info = { .size = sizeof info };
  void *const edges = output(c, c->count + 1, c->size), *const counts = output_of_words(c, c->count);
  for (unsigned i = 0; i < 2; i++)
    TRY(iw_growing_histogram_make(c->type, &c->lo, &c->hi, c->count, IW_GROW_RANGE, &h[i]));
  for (size_t at = 0; at < c->n; at += BATCH)
    TRY(iw_growing_histogram_add(c->context, h[at / BATCH % 2], element_at(c->type, c->in, at), c->n - at < BATCH ? c->n - at : BATCH));
  TRY(iw_growing_histogram_merge(c->context, h[0], h[1]));
  TRY(iw_growing_histogram_get_info(h[0], &info));
  TRY(iw_growing_histogram_read(h[0], edges, counts));
  for (unsigned i = 0; i < c->array_count && !info.bins; i++)
    c->arrays[i].n = 0;
  *output_of_words(c, 1) = info.below;
  *output_of_words(c, 1) = info.above;
  *output_of_words(c, 1) = info.nan;
  return IW_OK;
}

/* ---- The table of calls ---- */

/* Each row is for the operation and those with more words behind it, whose own rows are in front. fields:
 * of the names, as reference.py explains them; those at the end may be missing. */
#define OF_INPUT "TYPE/INPUT/N"
static const struct { const char *operation, *fields; int (*call)(test_case *); } operations[] = {
  { "inclusive", "OP/" OF_INPUT "/INIT,SEGMENTS", call_scan },
  { "exclusive", "OP/" OF_INPUT "/INIT,SEGMENTS", call_scan },
  { "reduce", "OP/" OF_INPUT "/INIT,SEGMENTS,OPTIONS", call_reduce },
  { "argmin", OF_INPUT "/SEGMENTS", call_search },
  { "argmax", OF_INPUT "/SEGMENTS", call_search },
  { "sort", OF_INPUT "/OPTIONS/SEGMENTS", call_sort },
  { "bounds", OF_INPUT "/OPTIONS", call_bounds },
  { "merge", OF_INPUT "/OPTIONS", call_merge },
  { "top-k", OF_INPUT "/EXTREME:K:ROWS", call_top_k },
  { "nth", OF_INPUT "/K", call_nth },
  { "exact", OF_INPUT "/TO", call_exact },
  { "math", "FUNCTION/" OF_INPUT, call_math },
  { "by-value", OF_INPUT, call_by_value },
  { "partition", OF_INPUT "/PIVOT", call_partition },
  { "flags", OF_INPUT "/TEST", call_partition },
  { "sides", OF_INPUT "/TEST", call_sides },
  { "select", OF_INPUT "/TEST", call_select },
  { "extract", OF_INPUT "/BINS/K,OPTIONS", call_select },
  { "chosen", OF_INPUT "/TEST", call_payloads },
  { "payloads", OF_INPUT "/TEST/W", call_payloads },
  { "unique", OF_INPUT, call_runs },
  { "run-lengths", OF_INPUT, call_runs },
  { "decode", OF_INPUT "/LIMIT:W", call_decode },
  { "three", OF_INPUT "/PIVOT", call_three },
  { "multisplit", OF_INPUT "/BINS/OPTIONS", call_multisplit },
  { "histogram", OF_INPUT "/BINS/OPTIONS", call_histogram },
  { "weighted-table", OF_INPUT "/BINS/OPTIONS", call_table },
  { "table", OF_INPUT "/BINS/OPTIONS", call_table },
  { "weighted", OF_INPUT "/BINS/OPTIONS", call_planned },
  { "pairs", OF_INPUT "/BINS/OPTIONS", call_planned },
  { "rows", OF_INPUT "/BINS/OPTIONS", call_planned },
  { "channels", OF_INPUT "/BINS/OPTIONS", call_planned },
  { "digitize", OF_INPUT "/BINS/OPTIONS", call_digitize },
  { "edges", "TYPE/BINS", call_edges },
  { "log-edges", "TYPE/LO:HI:COUNT", call_power_edges },
  { "power-edges", "TYPE/LO:HI:COUNT/POWER", call_power_edges },
  { "range", OF_INPUT, call_ranges },
  { "ranged-rows", OF_INPUT "/COUNT:COLUMNS", call_ranges },
  { "growing", OF_INPUT "/COUNT:LO:HI", call_growing },
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* Reads the fields of a name and makes its input and its call. */
static int run_name(test_case *c, char *name)
{
  size_t k = 0;
  c->what = strsep(&name, "/");
  while (k < OPERATIONS && !is_of(c->what, operations[k].operation))
    k++;
  if (k == OPERATIONS || !read_fields(c, operations[k].fields, name))
    return BAD_NAME;
  c->test.type = c->buckets.type = c->type;
  if (is_same(c->form, "near"))
    TRY(make_near_input(c));
  else
    c->in = make_input(c->type, c->form, c->n);
  return operations[k].call(c);
}

/* Sets *result to the digest of the case's outputs, if it returns IW_OK. */
static int run_case(iw_context *context, const char *name, uint64_t *result)
{
  char copy[200];
  test_case c = {
    .context = context, .form = "", .init_name = "", .power = "", .by = IW_I32, .columns = 1, .channels = 1, .results = 1,
    .test = { .size = sizeof c.test }, .buckets = { .size = sizeof c.buckets }, .order = { .size = sizeof c.order },
  };
  snprintf(copy, sizeof copy, "%s", name);
  const int status = run_name(&c, copy);
  *result = 0;
  for (unsigned i = 0; i < c.array_count; i++) {
    const held *const a = &c.arrays[i];
    if (status == IW_OK && a->is_output)
      *result = digest(*result, a->data, a->n * a->size);
    free(a->data);
  }
  iw_histogram_plan_free(c.plan);
  iw_growing_histogram_free(c.growing[0]);
  iw_growing_histogram_free(c.growing[1]);
  return status;
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
