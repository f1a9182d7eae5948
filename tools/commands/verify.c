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
  const unsigned mantissa = mantissa_bits(type);
  value v = { .f64 = ldexp((double)(word >> (63 - mantissa)), -(int)mantissa) - 0.5 }; /* exact, of all types */
  if (type == IW_F32)
    v.f32 = (float)v.f64;
  return is_half(type) ? half_bits(type, v.f64) : v.u64;
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

/* The first n elements of a type and form. They do not depend on n, so each is drawn once for all cases. */
static const void *drawn_input(iw_type type, const char *form, size_t n)
{
  static const char forms[] = "wsutna"; /* behind them: runs */
#define COUNT_TYPE(...) + 1
  static struct { size_t n; void *data; } drawn[1 IW_ELEMENT_TYPES(COUNT_TYPE)][sizeof forms], *d;
#undef COUNT_TYPE
  d = &drawn[type][strcspn(forms, (char[]){ form[0], '\0' })];
  if (d->n < n || d->data == NULL) {
    d->data = need_more(d->data, n, iw_type_size(type));
    for (size_t i = d->n; i < n; i++)
      put_bits(type, d->data, i, input_bits(type, form, i));
    d->n = n;
  }
  return d->data;
}

/* ---- Cases ---- */

/* A case returns the library's status, or BAD_NAME. */
enum { BAD_NAME = -1, MOST_OUTPUTS = 5, MOST_INPUTS = 5, MOST_CHANNELS = 16 };
#define TRY(call) do { const int status_ = (call); if (status_ != IW_OK) return status_; } while (0)

/* A case: what its name says, the options of its call, and its arrays, plan and histograms, which are freed
 * at its end. */
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
  iw_scan_options scan;
  iw_sort_options order;
  iw_payload payloads[3];
  size_t payload_count;
  iw_segments segments_of, *segments; /* NULL: the array is not divided */
  size_t results;           /* of a reduction of the segments; of runs the most */
  unsigned indices_only, has_u32_counts;
  int is_by_key;
  iw_histogram_plan *plan;
  iw_histogram_spec planned;
  iw_growing_histogram *growing[2];
  struct { void *data; size_t n, size; } outputs[MOST_OUTPUTS]; /* in the order of the digest */
  unsigned output_count, counted; /* counted: so many outputs have as many elements as the one behind them says */
  void *inputs[MOST_INPUTS];
  unsigned input_count;
} test_case;

/* Whether `what` is an operation, by itself or with more words behind it: "reduce", "reduce-by-key". */
static int is_of(const char *what, const char *operation)
{
  const size_t length = strlen(operation);
  return strncmp(what, operation, length) == 0 && (what[length] == '\0' || what[length] == '-');
}

/* Memory of a case for n elements of a size that are no output, of just that size: sanitizers find what reads
 * behind it. */
static void *scratch(test_case *c, size_t n, size_t size)
{
  if (c->input_count == MOST_INPUTS)
    fail("a case of %s has more than %d inputs", c->what, (int)MOST_INPUTS);
  return c->inputs[c->input_count++] = need(n, size);
}

/* Output `to` of a case. What a call leaves as it was is the same in each run. */
static void *output(test_case *c, unsigned to, size_t n, size_t size)
{
  void *const data = need(n, size);
  c->outputs[to].data = memset(data, 0x5a, n * size);
  c->outputs[to].n = n;
  c->outputs[to].size = size;
  c->output_count = c->output_count > to ? c->output_count : to + 1;
  return data;
}
static void *elements_out(test_case *c, unsigned to, size_t n) { return output(c, to, n, c->size); }
static void *words_out(test_case *c, unsigned to, size_t n) { return output(c, to, n, sizeof(uint64_t)); }
static iw_indices indices_out(test_case *c, unsigned to, size_t n) { return iw_indices_u64(words_out(c, to, n)); }
/* The number of elements of all outputs before it. */
static size_t *count_out(test_case *c, unsigned to)
{
  c->counted = to;
  return words_out(c, to, 1);
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

/* Weights, or payloads, of n elements. */
static void *make_weights(test_case *c, iw_type type, size_t n)
{
  void *const weights = scratch(c, n, iw_type_size(type));
  for (size_t i = 0; i < n; i++)
    put_bits(type, weights, i, wide_bits(type, draw(SEED_WEIGHTS, i)));
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
#define OPERATOR(NAME, name, takes, result) if (is_same(text, #name)) return *op = IW_##NAME, 1;
  IW_BUILTIN_OPERATORS(OPERATOR)
#undef OPERATOR
  return 0;
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

/* What words stand for, those of the fields of calls in capitals, and the member of test_case that has it, if
 * it is one. value: what a SET word sets there. */
typedef enum word_kind { TEXT, NUMBER, TYPE, VALUE, PIVOT, OPERATOR, SEGMENTS, TEST, BINS, OPTIONS, SET, BITS } word_kind;
static const struct { const char *word; word_kind kind; size_t at; unsigned value; } words[] = {
#define WORD(word, kind, member) { word, kind, offsetof(test_case, member), 0 }
#define SETS(word, member, value) { word, SET, offsetof(test_case, member), value }
  WORD("OP", OPERATOR, op), WORD("FUNCTION", TEXT, function), WORD("TYPE", TYPE, type), WORD("INPUT", TEXT, form),
  WORD("N", NUMBER, n), WORD("INIT", TEXT, init_name), WORD("TO", TYPE, to), WORD("K", NUMBER, k), WORD("EXTREME", TEXT, extreme),
  WORD("ROWS", NUMBER, rows), WORD("COLUMNS", NUMBER, columns), WORD("COUNT", NUMBER, count), WORD("LIMIT", NUMBER, limit),
  WORD("W", NUMBER, width), WORD("LO", VALUE, lo), WORD("HI", VALUE, hi), WORD("PIVOT", PIVOT, lo), WORD("POWER", TEXT, power),
  WORD("SEGMENTS", SEGMENTS, segments), WORD("TEST", TEST, test), WORD("BINS", BINS, bins), WORD("OPTIONS", OPTIONS, what),
  SETS("drop", bins.spec.policy, IW_POLICY_DROP), SETS("clamp", bins.spec.policy, IW_POLICY_CLAMP),
  SETS("count", bins.spec.policy, IW_POLICY_COUNT), SETS("closed", bins.spec.flags, IW_HIST_CLOSED_TOP),
  SETS("add", bins.spec.flags, IW_HIST_ACCUMULATE), SETS("32", has_u32_counts, 1), SETS("up", order.descending, 0),
  SETS("down", order.descending, 1), SETS("argsort", indices_only, 1), WORD("columns", NUMBER, columns),
  WORD("channels", NUMBER, channels), WORD("move", NUMBER, width), WORD("by", TYPE, by), WORD("in", TYPE, to), WORD("bits", BITS, order),
#undef WORD
#undef SETS
};

/* Reads what the first `length` characters of a word stand for. */
static int read_word(test_case *c, const char *word, size_t length, char *text)
{
  size_t w = 0;
  while (w < sizeof words / sizeof *words && (strncmp(words[w].word, word, length) != 0 || words[w].word[length] != '\0'))
    w++;
  if (w == sizeof words / sizeof *words || (text == NULL) != (words[w].kind == SET))
    return 0;
  void *const to = (char *)c + words[w].at;
  switch (words[w].kind) {
  case TEXT: *(const char **)to = text; return 1;
  case NUMBER: return read_number(text, to);
  case TYPE: return iw_type_size(*(iw_type *)to = type_of(text)) > 0;
  case PIVOT: c->test.constant = c->buckets.pivot = to; /* fall through */
  case VALUE: return read_value(c, text, to);
  case OPERATOR: return read_op(text, to);
  case SEGMENTS: return read_segments(c, text);
  case TEST: return read_test(c, text);
  case BINS: return read_spec(c, text);
  case SET: *(unsigned *)to |= words[w].value; return 1;
  case BITS: return sscanf(text, "%u:%u", &c->order.begin_bit, &c->order.end_bit) == 2;
  case OPTIONS:
    for (char *option; (option = strsep(&text, ",")) != NULL;) {
      const char *const name = strsep(&option, "=");
      if (!read_word(c, name, strlen(name), option))
        return 0;
    }
    return 1;
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
    if (!read_word(c, description, length, part))
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

/* ---- What calls share -------------------------------------------------------------------------------- */

/* A call: one expression, or the calls in turn whose outputs are digested together. */
#define CALL(name) static int call_##name(test_case *c)
#define CONTEXT c->context
#define TYPE c->type
#define IN c->in
#define N c->n
#define SPEC (&c->bins.spec)

/* Options of scans and reductions with outputs of a type. The keys of runs are output `next`, and their
 * number is the one behind it. */
static const iw_scan_options *scan_options(test_case *c, iw_type type, unsigned next)
{
  c->init.u64 = wide_bits(type, draw(SEED_INIT, 0));
  c->scan = (iw_scan_options){ .size = sizeof c->scan, .init = is_same(c->init_name, "init") ? &c->init : NULL, .out_type = c->to,
                               .segments = c->segments };
  if (c->is_by_key) {
    c->scan.run_keys = output(c, next, N, iw_type_size(c->segments->key_type));
    c->scan.run_count = count_out(c, next + 1);
  }
  return &c->scan;
}

/* Three payloads: the elements, which are output 0, indices as output `to`, and values as output 1, unless
 * they have no width. */
static const iw_payload *payloads_out(test_case *c, const void *values, unsigned to, size_t index_width)
{
  const size_t size = sizeof *c->payloads;
  void *const moved = to > 1 ? output(c, 1, N, c->width) : NULL;
  c->payloads[0] = (iw_payload){ .size = size, .in = IN, .out = elements_out(c, 0, N), .width = c->size };
  c->payloads[1] = (iw_payload){ .size = size, .out = output(c, to, N, index_width), .width = index_width };
  c->payloads[2] = (iw_payload){ .size = size, .in = values, .out = moved, .width = c->width };
  c->payload_count = c->width ? 3 : 2;
  return c->payloads;
}
#define PAYLOADS(values, to, index_width) \
  IW_OPTIONS(iw_move_options, .payloads = payloads_out(c, values, to, index_width), .payload_count = c->payload_count)

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

/* Output 0: counts or sums, with what a call may add to. */
static void *cells_out(test_case *c, size_t count, int are_sums)
{
  const iw_type type = cell_type(c, are_sums);
  void *const cells = output(c, 0, count, iw_type_size(type));
  for (size_t k = 0; k < count; k++) {
    const uint64_t word = draw(SEED_COUNTS, k);
    put_bits(type, cells, k, are_sums ? wide_bits(type, word) : word % (1 << 20));
  }
  return cells;
}
#define COUNTS(tables) cells_out(c, (tables) * outputs_of(SPEC), 0)
#define WEIGHTS(n) IW_OPTIONS(iw_histogram_options, .weight_type = c->by, .weights = make_weights(c, c->by, n))

/* The bins are a plan from now on. */
static int plan_bins(test_case *c)
{
  TRY(iw_histogram_plan_make(CONTEXT, SPEC, NULL, 0, &c->plan));
  c->planned = iw_spec_of_plan(c->plan);
  return IW_OK;
}

/* ---- The calls --------------------------------------------------------------------------------------- */

CALL(inclusive) { return iw_inclusive_scan(CONTEXT, c->op, TYPE, IN, N, elements_out(c, 0, N), scan_options(c, TYPE, 1)); }
CALL(exclusive) { return iw_exclusive_scan(CONTEXT, c->op, TYPE, IN, N, elements_out(c, 0, N), scan_options(c, TYPE, 1)); }
CALL(reduce)
{
  const iw_type type = (int)c->to ? c->to : TYPE;
  return iw_reduce(CONTEXT, c->op, TYPE, IN, N, output(c, 0, c->results, iw_type_size(type)), scan_options(c, type, 1));
}
CALL(argmin)
{
  return iw_argmin(CONTEXT, TYPE, IN, N, words_out(c, 0, c->results), elements_out(c, 1, c->results), scan_options(c, TYPE, 2));
}
CALL(argmax)
{
  return iw_argmax(CONTEXT, TYPE, IN, N, words_out(c, 0, c->results), elements_out(c, 1, c->results), scan_options(c, TYPE, 2));
}

CALL(sort)
{
  if (c->indices_only)
    return iw_argsort(CONTEXT, TYPE, IN, N, indices_out(c, 0, N), &c->order);
  c->order.segments = c->segments;
  c->order.payloads = payloads_out(c, make_payloads(c), 2, 8) + 1; /* the elements are no payload */
  c->order.payload_count = c->payload_count - 1;
  return iw_sort(CONTEXT, TYPE, IN, N, c->outputs[0].data, &c->order);
}
CALL(bounds) /* of all elements in the sorted first half */
{
  void *const sorted = scratch(c, N / 2, c->size);
  const iw_elements half = { sorted, N / 2 }, in = { IN, N };
  TRY(iw_sort(CONTEXT, TYPE, IN, half.n, sorted, &c->order));
  TRY(iw_bounds(CONTEXT, IW_LOWER_BOUND, TYPE, half, in, indices_out(c, 0, N), &c->order));
  return iw_bounds(CONTEXT, IW_UPPER_BOUND, TYPE, half, in, indices_out(c, 1, N), &c->order);
}
CALL(merge) /* of the sorted first third and the sorted rest */
{
  const size_t third = N / 3, rest = N - third;
  char *const first = scratch(c, N, c->size), *const second = first + third * c->size;
  const iw_elements a = { first, third }, b = { second, rest };
  TRY(iw_sort(CONTEXT, TYPE, IN, third, first, &c->order));
  TRY(iw_sort(CONTEXT, TYPE, element_at(TYPE, IN, third), rest, second, &c->order));
  TRY(iw_merge(CONTEXT, TYPE, a, b, elements_out(c, 0, N), indices_out(c, 1, N), &c->order));
  return iw_is_sorted_until(CONTEXT, TYPE, IN, N, words_out(c, 2, 1), &c->order);
}
CALL(top_k) /* of each row */
{
  const size_t columns = N / c->rows, results = c->rows * c->k;
  const iw_payload indices = { .size = sizeof indices, .out = words_out(c, 1, results), .width = 8 };
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
  c->order = (iw_sort_options){ .size = sizeof c->order, .descending = is_same(c->extreme, "largest"),
                                .segments = c->rows > 1 ? &rows : NULL, .payloads = &indices, .payload_count = 1 };
  return iw_top_k(CONTEXT, TYPE, IN, columns * c->rows, c->k, elements_out(c, 0, results), &c->order);
}
CALL(nth) { return iw_nth_element(CONTEXT, TYPE, IN, N, c->k, elements_out(c, 0, 1), words_out(c, 1, 1)); }

/* The unrounded sum, merged of those of two parts, and the sum rounded by another call, which is as if the
 * unrounded one were rounded. Products are those of element i and the i-th from the end. */
CALL(exact)
{
  const size_t part = N / 3, rest = N - part;
  iw_exact_sum *const sum = output(c, 0, 1, sizeof *sum), first = *sum = (iw_exact_sum)IW_EXACT_SUM_EMPTY;
  void *const rounded = output(c, 1, 1, iw_type_size(c->to)), *const others = is_same(c->what, "exact-dot") ? scratch(c, N, c->size) : NULL;
  const void *const in = element_at(TYPE, IN, part), *const by = element_at(TYPE, others, part);
  value again;
  for (size_t i = 0; others != NULL && i < N; i++)
    memcpy((char *)others + i * c->size, element_at(TYPE, IN, N - 1 - i), c->size);
  TRY(others ? iw_exact_sum_add_products(CONTEXT, TYPE, IN, others, part, &first) : iw_exact_sum_add(CONTEXT, TYPE, IN, part, &first));
  TRY(others ? iw_exact_sum_add_products(CONTEXT, TYPE, in, by, rest, sum) : iw_exact_sum_add(CONTEXT, TYPE, in, rest, sum));
  TRY(others ? iw_dot_exact(CONTEXT, TYPE, IN, others, N, c->to, rounded) : iw_sum_exact(CONTEXT, TYPE, IN, N, c->to, rounded));
  TRY(iw_exact_sum_merge(sum, &first));
  TRY(iw_exact_sum_round(sum, c->to, &again));
  if (memcmp(rounded, &again, iw_type_size(c->to)) != 0)
    output(c, 2, 1, 1); /* no digest of the table has a third array */
  return IW_OK;
}
CALL(math) { return run_math_function(CONTEXT, c->function, &(array){ .type = TYPE, .n = N, .data = IN }, elements_out(c, 0, N)); }
CALL(by_value) { return iw_keys_by_value(CONTEXT, TYPE, IN, N, elements_out(c, 0, N)); }

CALL(partition) { return iw_partition(CONTEXT, &c->test, IN, N, elements_out(c, 0, N), words_out(c, 1, 1), NULL); }
CALL(sides) /* each in an array of its own */
{
  size_t *const count = words_out(c, 2, 1);
  TRY(iw_partition(CONTEXT, &c->test, IN, N, elements_out(c, 0, N), count, IW_OPTIONS(iw_move_options, .rest = elements_out(c, 1, N))));
  c->outputs[0].n = *count;
  c->outputs[1].n = N - *count;
  return IW_OK;
}
CALL(select) { return iw_select_if(CONTEXT, &c->test, IN, N, elements_out(c, 0, N), count_out(c, 1), NULL); }
CALL(chosen) { return iw_select_if(CONTEXT, &c->test, IN, N, NULL, count_out(c, 2), PAYLOADS(NULL, 1, 4)); }
CALL(payloads)
{
  const size_t words = (N * c->width + 7) / 8;
  return iw_partition(CONTEXT, &c->test, IN, N, NULL, words_out(c, 3, 1), PAYLOADS(make_weights(c, IW_U64, words), 2, 8));
}
CALL(unique) { return iw_unique(CONTEXT, TYPE, IN, N, elements_out(c, 0, N), count_out(c, 1), NULL); }
CALL(run_lengths) { return iw_run_lengths(CONTEXT, TYPE, IN, N, elements_out(c, 0, N), indices_out(c, 1, N), count_out(c, 2)); }
CALL(decode)
{
  const iw_type type = c->width == 4 ? IW_U32 : IW_U64;
  if (c->limit == 0 || iw_type_size(type) != c->width)
    return BAD_NAME;
  void *const lengths = scratch(c, N, c->width);
  size_t total = 0;
  for (size_t r = 0; r < N; r++) {
    const uint64_t length = draw(SEED_FLAGS, r) % c->limit;
    put_bits(type, lengths, r, length);
    total += length;
  }
  return iw_run_lengths_decode(CONTEXT, TYPE, (iw_elements){ IN, N }, lengths, (unsigned)c->width, elements_out(c, 0, total), total);
}
CALL(three)
{
  c->buckets.pivot = &c->lo;
  TRY(iw_multisplit(CONTEXT, &c->buckets, IN, N, elements_out(c, 0, N), words_out(c, 1, 4), NULL));
  c->outputs[1].n = 3; /* the last offset is n */
  return IW_OK;
}
CALL(multisplit) /* with payloads, if they have a width; then bins are a plan */
{
  const size_t count = c->buckets.bins ? c->buckets.bins->bins : (size_t)1 << c->buckets.bits;
  if (!c->width)
    return iw_multisplit(CONTEXT, &c->buckets, IN, N, elements_out(c, 0, N), words_out(c, 1, count + 1), NULL);
  if (c->buckets.bins)
    TRY(plan_bins(c));
  c->buckets.bins = c->buckets.bins ? &c->planned : NULL;
  return iw_multisplit(CONTEXT, &c->buckets, IN, N, NULL, words_out(c, 3, count + 1), PAYLOADS(make_payloads(c), 2, 8));
}

CALL(histogram)
{
  iw_histogram_report report = { .size = sizeof report };
  TRY(iw_histogram(CONTEXT, SPEC, IN, N, COUNTS(1), IW_OPTIONS(iw_histogram_options, .report = &report)));
  memcpy(words_out(c, 1, 3), &report.underflow, 3 * sizeof report.underflow);
  return IW_OK;
}
CALL(weighted)
{
  TRY(plan_bins(c));
  return iw_histogram(CONTEXT, &c->planned, IN, N, cells_out(c, outputs_of(SPEC), 1), WEIGHTS(N));
}
CALL(rows)
{
  TRY(plan_bins(c));
  return iw_histogram_rows(CONTEXT, &c->planned, IN, N / c->columns, c->columns, COUNTS(N / c->columns), NULL);
}
CALL(channels)
{
  const iw_histogram_spec *specs[MOST_CHANNELS];
  void *parts[MOST_CHANNELS];
  char *const counts = COUNTS(c->channels);
  TRY(plan_bins(c));
  for (size_t k = 0; k < c->channels; k++) {
    specs[k] = &c->planned;
    parts[k] = counts + k * outputs_of(SPEC) * iw_type_size(cell_type(c, 0));
  }
  return iw_histogram_channels(CONTEXT, specs, (unsigned)c->channels, IN, N / c->channels, parts);
}
CALL(pairs) /* of the halves of the input */
{
  TRY(plan_bins(c));
  const iw_histogram_axis axes[] = { { sizeof *axes, &c->planned, IN }, { sizeof *axes, &c->planned, element_at(TYPE, IN, N / 2) } };
  return iw_histogram_nd(CONTEXT, axes, 2, N / 2, COUNTS(outputs_of(SPEC)), NULL);
}
CALL(digitize) { return iw_digitize(CONTEXT, SPEC, IN, N, (iw_indices){ output(c, 0, N, sizeof(uint32_t)), 4 }); }
CALL(table) /* of the thirds of the input, and its projection on the first and the last axis */
{
  const int is_weighted = is_same(c->what, "weighted-table");
  const size_t outputs = outputs_of(SPEC), third = N / 3;
  const iw_type cells = cell_type(c, is_weighted);
  void *const table = cells_out(c, outputs * outputs * outputs, is_weighted);
  iw_histogram_axis axes[3];
  iw_table_axis table_axes[3];
  for (size_t d = 0; d < 3; d++) {
    axes[d] = (iw_histogram_axis){ sizeof *axes, SPEC, element_at(TYPE, IN, d * third) };
    table_axes[d] = (iw_table_axis){ .size = sizeof *table_axes, .bins = SPEC->bins, .outliers = outputs > SPEC->bins, .factor = d != 1 };
  }
  TRY(iw_histogram_nd(CONTEXT, axes, 3, third, table, is_weighted ? WEIGHTS(third) : NULL));
  return iw_histogram_project(CONTEXT, cells, table_axes, 3, table, output(c, 1, outputs * outputs, iw_type_size(cells)), 0);
}
CALL(edges) { return iw_histogram_edges(SPEC, elements_out(c, 0, SPEC->bins + 1)); }
CALL(power_edges) /* without a power, or by 0, logarithmic ones */
{
  return iw_histogram_power_edges(TYPE, &c->lo, &c->hi, c->count, strtod(c->power, NULL), elements_out(c, 0, c->count + 1));
}
CALL(range) { return iw_histogram_range(CONTEXT, TYPE, IN, 1, N, elements_out(c, 0, 1), elements_out(c, 1, 1)); }
CALL(ranged_rows)
{
  const iw_histogram_spec automatic = { .size = sizeof automatic, .type = TYPE, .bins = c->count };
  const size_t rows = N / c->columns;
  TRY(iw_histogram_range(CONTEXT, TYPE, IN, rows, c->columns, elements_out(c, 0, rows), elements_out(c, 1, rows)));
  return iw_histogram_rows(CONTEXT, &automatic, IN, rows, c->columns, words_out(c, 2, rows * c->count), NULL);
}
CALL(growing) /* two, which take batches by turns, merged */
{
  enum { BATCH = 1000 };
  iw_growing_histogram **const h = c->growing;
  iw_growing_histogram_info info = { .size = sizeof info };
  for (unsigned i = 0; i < 2; i++)
    TRY(iw_growing_histogram_make(TYPE, &c->lo, &c->hi, c->count, IW_GROW_RANGE, &h[i]));
  for (size_t at = 0; at < N; at += BATCH)
    TRY(iw_growing_histogram_add(CONTEXT, h[at / BATCH % 2], element_at(TYPE, IN, at), N - at < BATCH ? N - at : BATCH));
  TRY(iw_growing_histogram_merge(CONTEXT, h[0], h[1]));
  TRY(iw_growing_histogram_get_info(h[0], &info));
  TRY(iw_growing_histogram_read(h[0], elements_out(c, 0, info.bins ? c->count + 1 : 0), words_out(c, 1, info.bins ? c->count : 0)));
  *(uint64_t *)words_out(c, 2, 1) = info.below;
  *(uint64_t *)words_out(c, 3, 1) = info.above;
  *(uint64_t *)words_out(c, 4, 1) = info.nan;
  return IW_OK;
}

/* ---- The table of calls ---- */

/* Each row is for the operation and those with more words behind it, whose own rows are in front. fields:
 * of the names, as reference.py explains them; those at the end may be missing. */
#define OF_INPUT "TYPE/INPUT/N"
static const struct { const char *operation, *fields; int (*call)(test_case *); } operations[] = {
  { "inclusive", "OP/" OF_INPUT "/INIT,SEGMENTS", call_inclusive },
  { "exclusive", "OP/" OF_INPUT "/INIT,SEGMENTS", call_exclusive },
  { "reduce", "OP/" OF_INPUT "/INIT,SEGMENTS,OPTIONS", call_reduce },
  { "argmin", OF_INPUT "/SEGMENTS", call_argmin },
  { "argmax", OF_INPUT "/SEGMENTS", call_argmax },
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
  { "chosen", OF_INPUT "/TEST", call_chosen },
  { "payloads", OF_INPUT "/TEST/W", call_payloads },
  { "unique", OF_INPUT, call_unique },
  { "run-lengths", OF_INPUT, call_run_lengths },
  { "decode", OF_INPUT "/LIMIT:W", call_decode },
  { "three", OF_INPUT "/PIVOT", call_three },
  { "multisplit", OF_INPUT "/BINS/OPTIONS", call_multisplit },
  { "histogram", OF_INPUT "/BINS/OPTIONS", call_histogram },
  { "weighted-table", OF_INPUT "/BINS/OPTIONS", call_table },
  { "table", OF_INPUT "/BINS/OPTIONS", call_table },
  { "weighted", OF_INPUT "/BINS/OPTIONS", call_weighted },
  { "pairs", OF_INPUT "/BINS/OPTIONS", call_pairs },
  { "rows", OF_INPUT "/BINS/OPTIONS", call_rows },
  { "channels", OF_INPUT "/BINS/OPTIONS", call_channels },
  { "digitize", OF_INPUT "/BINS/OPTIONS", call_digitize },
  { "edges", "TYPE/BINS", call_edges },
  { "log-edges", "TYPE/LO:HI:COUNT", call_power_edges },
  { "power-edges", "TYPE/LO:HI:COUNT/POWER", call_power_edges },
  { "range", OF_INPUT, call_range },
  { "ranged-rows", OF_INPUT "/COUNT:COLUMNS", call_ranged_rows },
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
  c->test.bin = c->k;
  c->bins.spec.counter_width = c->has_u32_counts ? 4 : 0;
  if (c->columns == 0 || c->channels > MOST_CHANNELS)
    return BAD_NAME;
  if (is_same(c->form, "near"))
    TRY(make_near_input(c));
  else
    c->in = memcpy(scratch(c, c->n, c->size), drawn_input(c->type, c->form, c->n), c->n * c->size);
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
  for (unsigned i = 0; i < c.output_count; i++) {
    const size_t n = i < c.counted && status == IW_OK ? *(const size_t *)c.outputs[c.counted].data : c.outputs[i].n;
    if (status == IW_OK)
      *result = digest(*result, c.outputs[i].data, n * c.outputs[i].size);
  }
  for (unsigned i = 0; i < MOST_OUTPUTS; i++)
    free(c.outputs[i].data);
  for (unsigned i = 0; i < c.input_count; i++)
    free(c.inputs[i]);
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

_Noreturn static void fail_unknown(const char *part)
{
  char known[1024];
  size_t length = 0;
  for (size_t k = 0; k < OPERATIONS; k++)
    length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", k ? ", " : "", operations[k].operation);
  fail("no case has '%s' in its name, which is OPERATION/TYPE/INPUT/N...; operations: %s", part, known);
}

/* Each part is in the name of some case. */
static void check_parts(const settings *s)
{
  for (int part = 0; part < s->operand_count; part++) {
    size_t i = 0;
    while (i < CASES && !strstr(table[i].name, s->operands[part]))
      i++;
    if (i == CASES)
      fail_unknown(s->operands[part]);
  }
}

int run_verify(const settings *s)
{
  check_parts(s);
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
  if (!s->print_only)
    printf("%zu of %zu digests equal\n", equal, ran);
  return findings ? STATUS_FINDING : equal == ran ? STATUS_GOOD : STATUS_CHECK_FAILED;
}
