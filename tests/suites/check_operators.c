/* SPDX-License-Identifier: Apache-2.0
 *
 * Scan and reduce by operators and load transforms of a user's (tests/suites/operators.c), to the bit
 * against order 1 for any operator; partition and select by predicates; multisplit by rules; sorts by keys.
 */
#include <config.h>
#include "reference.h"
#include "operators.h"
#include "reference_multisplit.h"
#include "reference_sort.h"

/* ---- The operators, in plain C, on the bits of a number ---- */

typedef struct operation {
  const char *name;
  iw_type in, type;
  uint64_t (*load)(word);
  uint64_t (*combine)(uint64_t, uint64_t);
  uint64_t absent, front;
  int exact;               /* associative to the bit */
} operation;

static uint64_t bits_f32(float v) { return (word){ .f32 = v }.u32; }
static float f32_of(uint64_t bits) { return (word){ .u64 = bits }.f32; }
static uint64_t bits_f64(double v) { return (word){ .f64 = v }.u64; }
static double f64_of(uint64_t bits) { return (word){ .u64 = bits }.f64; }

static uint64_t affine(uint64_t a, uint64_t b)
{
  const uint32_t m = (uint32_t)b >> 16, c = b & 0xffff;
  return ((uint32_t)a >> 16) * m << 16 | ((((uint32_t)a & 0xffff) * m + c) & 0xffff);
}
static uint64_t newest(uint64_t a, uint64_t b) { return b ? b : a; }
static uint64_t add_f32(uint64_t a, uint64_t b) { return bits_f32(f32_of(a) + f32_of(b)); }
static uint64_t add_f64(uint64_t a, uint64_t b) { return bits_f64(f64_of(a) + f64_of(b)); }
static uint64_t add_u32(uint64_t a, uint64_t b) { return (uint32_t)(a + b); }

static uint64_t as_it_is(word w) { return w.u64; }
static uint64_t narrowed(word w) { return bits_f32((float)w.f64); }
static uint64_t squared(word w) { return bits_f64((double)w.f32 * (double)w.f32); }
static uint64_t doubled(word w) { return bits_f32(half_value(IW_F16, w.u16) * 2); }
static uint64_t vowel(word w) { return w.u8 && strchr("aeiou", w.u8) != NULL; }

static const operation operations[] = {
  { "affine_u32", IW_U32, IW_U32, as_it_is, affine, 1 << 16, 1 << 16, 1 },
  { "newest_i64", IW_I64, IW_I64, as_it_is, newest, 0, 0, 1 },
  { "total_f32_from_narrowed", IW_F64, IW_F32, narrowed, add_f32, 0x80000000, 0x80000000, 0 },
  { "sum_f64_from_squared", IW_F32, IW_F64, squared, add_f64, (uint64_t)1 << 63, 0, 0 },
  { "sum_u32_from_vowel", IW_U8, IW_U32, vowel, add_u32, 0, 0, 1 },
  { "sum_f32_from_doubled", IW_F16, IW_F32, doubled, add_f32, 0x80000000, 0, 0 },
};
enum { AFFINE, NEWEST, NARROWED, SQUARED, VOWEL, DOUBLED, OPERATIONS };

/* The predicates, on the bits of an element. */
static int is_odd(word w) { return w.u32 & 1; }
static int is_not_positive(word w) { return !(w.f32 > 0); }
static int is_picked(word w) { return (w.u64 & 4) || w.u64 >> 32 == 0xffffffff; }
static const struct { const char *name; iw_type type; int (*holds)(word); } predicates[] = {
  { "is_odd", IW_U32, is_odd }, { "is_not_positive", IW_F32, is_not_positive },
      { "is_picked", IW_I64, is_picked },
};
enum { PREDICATES = 3 };

/* The rules. */
static size_t last_digit(word w) { return w.u32 % 10; }
static size_t letter(word w) { return w.u8 >= 'a' && w.u8 <= 'z' ? w.u8 - 'a' : 26; }
static size_t eighth(word w) { return w.u16 >> 3; }
static size_t exponent(word w) { return w.u32 >> 23 & 255; }
static size_t hashed(word w) { return (size_t)(w.u64 * 0x9e3779b97f4a7c15u >> 48); }
static const struct { const char *name; iw_type type; size_t (*bucket)(word); size_t count; } rules[] = {
  { "last_digit", IW_U32, last_digit, 10 }, { "letter", IW_U8, letter, 27 },
      { "eighth", IW_U16, eighth, 5000 },
  { "exponent", IW_F32, exponent, 256 }, { "hashed", IW_I64, hashed, 65536 },
};
enum { LETTER = 1, RULES = 5 };

/* The keys. */
static uint64_t remainder_of_10(word w) { return w.u32 % 10; }
static uint64_t magnitude(word w) { return bits_f64(fabs((double)w.f32)); }
static uint64_t reversed(word w) { return (uint32_t)(128 - (int)w.u8); }
static const struct { const char *name; iw_type type, key_type; uint64_t (*of)(word); } keys[] = {
  { "remainder_of_10", IW_U32, IW_U32, remainder_of_10 }, { "magnitude", IW_F32, IW_F64, magnitude },
  { "reversed", IW_U8, IW_I32, reversed },
};
enum { KEYS = 3 };

/* The builds of them for a setting. */
typedef struct build {
  const char *isa;
  const iw_operator *operators[OPERATIONS];
  const iw_predicate *predicates[PREDICATES];
  const iw_bucket_rule *rules[RULES];
  const iw_sort_key *keys[KEYS];
} build;
static const build *build_for(const setting *at)
{
#define ADDRESS(name) &name,
#define BUILD(isa) { #isa, { FOR_OPERATORS(ADDRESS, _##isa) }, { FOR_PREDICATES(ADDRESS, _##isa) }, { FOR_RULES(ADDRESS, _##isa) }, \
    { FOR_KEYS(ADDRESS, _##isa) } },
  static const build builds[] = {
    IW_FOR_ISAS(BUILD)
    BUILD(sim)
#ifdef IW_HAVE_CUDA
    BUILD(cuda)
#endif
  };
  for (unsigned i = 0; i < sizeof builds / sizeof *builds; i++)
    if (!strcmp(builds[i].isa, at->isa))
      return &builds[i];
  ck_abort_msg("no operators for %s", at->isa);
}
static iw_op built(const setting *at, unsigned which) { return build_for(at)->operators[which]; }

/* ---- The reference: order1.h's lines, for any operator ---- */

static void order1_with(const operation *o, const uint64_t *in, uint64_t *out, size_t n, uint64_t init)
{
  uint64_t p = init, f = o->absent, e = o->absent, x[ROW];
  for (size_t start = 0; start < n; start += ROW) {
    if (start % TILE == 0)  { f = o->combine(f, e); e = o->absent; }
    if (start % GROUP == 0) { p = o->combine(p, f); f = o->absent; }
    for (size_t i = 0; i < ROW; i++)
      x[i] = start + i < n ? in[start + i] : o->absent;
    for (size_t half = 1; half < ROW; half *= 2)
      for (size_t i = 0; i < ROW; i++)
        if (i & half)
          x[i] = o->combine(x[(i & -half) - 1], x[i]);
    for (size_t i = 0; i < ROW && start + i < n; i++)
      out[start + i] = o->combine(p, o->combine(f, o->combine(e, x[i])));
    e = o->combine(e, x[ROW - 1]);
  }
}

/* One input, and what should come of it. */
typedef struct combined {
  const operation *o;
  size_t n, in_size, size;
  array in, inclusive, exclusive;
  word init, total;
  const void *given; /* &init, or NULL */
} combined;

static uint64_t value_at(iw_type type, const void *values, size_t i)
{
  word w = { .u64 = 0 };
  memcpy(&w, (const char *)values + i * iw_type_size(type), iw_type_size(type));
  return w.u64;
}

static combined combined_new(unsigned which, size_t n, int flavour, int with_init)
{
  const operation *const o = &operations[which];
  combined c = { .o = o, .n = n, .in_size = iw_type_size(o->in), .size = iw_type_size(o->type) };
  uint64_t *const x = malloc((n + 1) * sizeof *x);
  c.in = array_new(c.in_size, n);
  c.inclusive = array_new(c.size, n);
  c.exclusive = array_new(c.size, n);
  fill(o->in, c.in.data, n, flavour);
  if (flavour == SPECIAL && n > 64 && is_float(o->in)) /* else all is NaN from the beginning */
    fill(o->in, c.in.data, n - n / 4, WIDE);
  for (size_t i = 0; i < n && which == AFFINE; i++) /* odd factors: nothing in front is ever lost */
    ((uint32_t *)c.in.data)[i] |= 1 << 16;
  for (size_t i = 0; i < n && which == NEWEST; i++) /* few are new: many tiles have none */
    if (random_below(n > TILE ? 9000 : 30))
      ((int64_t *)c.in.data)[i] = 0;
  for (size_t i = 0; i < n && which == VOWEL; i++)
    put(o->in, c.in.data, i, (word){ .u64 = random_below(4) ? 'a' + random_below(26) : random_below(256) });
  c.init = random_word(o->type, flavour == SPECIAL ? WIDE : flavour);
  if (c.size == 4)
    c.init.u64 = c.init.u32;
  for (size_t i = 0; i < n; i++)
    x[i] = o->load((word){ .u64 = value_at(o->in, c.in.data, i) });
  order1_with(o, x, x, n, with_init ? c.init.u64 : o->absent);
  word first = one_nan(o->type, with_init ? c.init : (word){ .u64 = o->front });
  c.total = first;
  for (size_t i = 0; i < n; i++) {
    put(o->type, c.exclusive.data, i, c.total);
    put(o->type, c.inclusive.data, i, c.total = one_nan(o->type, (word){ .u64 = x[i] }));
  }
  free(x);
  return c;
}

static void combined_free(combined *c)
{
  array_free(&c->in);
  array_free(&c->inclusive);
  array_free(&c->exclusive);
}

static void check_with(const setting *at, unsigned which, const combined *c, int in_place)
{
  const void *const expected[] = { c->inclusive.data, c->exclusive.data };
  const iw_op op = built(at, which);
  char what[96];
  void *const there = copy_there(at, in_place ? c->given : NULL, c->size);
  const void *const init = there ? there : c->given;
  in_place &= c->in_size == c->size;
  for (unsigned exclusive = 0; exclusive < 2; exclusive++) {
    array out = array_new(c->size, c->n);
    const void *in = c->in.data;
    if (in_place && c->n)
      in = memcpy(out.data, in, c->n * c->size);
    snprintf(what, sizeof what, "%s scan by %s%s%s", exclusive ? "exclusive" : "inclusive", c->o->name,
             c->given ? ", init" : "", in_place ? ", in place" : "");
    if (c->n % 2) /* by a description, which names the type of in */
      MUST(at, scan_wider(at->context, (int)exclusive, op, c->o->in, in, c->o->type, out.data, c->n, init));
    else
      MUST(at, scan_by(at->context, (int)exclusive, op, c->o->in, in, c->n, out.data, IW_OPTIONS(iw_scan_options, .init = init)));
    SAME(at, what, expected[exclusive], out.data, c->n, c->size);
    ck_assert_msg(array_intact(&out, c->n * c->size), "%s of %zu wrote outside its output", what, c->n);
    array_free(&out);
  }
  word total;
  memset(&total, 0x5a, sizeof total);
  snprintf(what, sizeof what, "reduce by %s%s (n = %zu)", c->o->name, c->given ? ", init" : "", c->n);
  MUST(at, iw_reduce(at->context, op, op->in_type, c->in.data, c->n, &total,
                     IW_OPTIONS(iw_scan_options, .init = init)));
  SAME(at, what, &c->total, &total, 1, c->size);
  memset(&total, 0x5a, sizeof total);
  MUST(at, reduce_wider(at->context, op, c->o->in, c->in.data, c->n, c->o->type, init, &total));
  SAME(at, what, &c->total, &total, 1, c->size);
  MUST(at, iw_memory_free(at->context, there));
}

static void check_size(settings *all, unsigned which, size_t n, int flavour, int with_init)
{
  combined c = combined_new(which, n, flavour, with_init);
  int in_place = with_init;
  c.given = with_init ? &c.init : NULL;
  FOR_SETTINGS(at, all, n)
    check_with(at, which, &c, in_place = !in_place);
  combined_free(&c);
}

/* _i: the operator. */
START_TEST(small_sizes)
{
  static const size_t sizes[] = { 0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257 };
  settings all = settings_open();
  start_random(100 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int flavour = WIDE; flavour <= TINY; flavour++)
      check_size(&all, (unsigned)_i, sizes[i], flavour, (int)(i + (unsigned)flavour) % 2);
  settings_close(&all);
}
END_TEST

START_TEST(large_sizes)
{
  static const size_t sizes[] = {
    1025, TILE - 1, TILE, TILE + 1, 2 * TILE + 1, 9 * TILE + 77, GROUP - 1, GROUP, GROUP + 1, GROUP + 37856,
    2 * GROUP, 2 * GROUP + 1, 3 * GROUP + 3 * TILE + 129,
  };
  settings all = settings_open();
  start_random(200 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    check_size(&all, (unsigned)_i, sizes[i], (int)((i + (unsigned)_i) % 3), (int)i % 2);
  for (unsigned i = 0; i < 12; i++)
    check_size(&all, (unsigned)_i, random_size(1 << 18), (int)(i % 4), (int)i / 4 % 2);
  settings_close(&all);
}
END_TEST

/* Reductions of more tiles on GPUs, of simulated ones by one multiprocessor: blocks with two tiles of 4-byte
 * elements, with one for each warp, and with a group. A prefix of the array has the inclusive output as its
 * result. _i: the operator. */
START_TEST(many_tiles)
{
  static const size_t sizes[] = { 520 * TILE + 5, 1025 * TILE + 77, 4097 * TILE + 333 };
  const size_t most = sizes[2];
  setenv("ISOWARP_SIM_PROCESSORS", "1", 1);
  settings all = settings_open();
  start_random(250 + (unsigned)_i);
  combined c = combined_new((unsigned)_i, most, WIDE, 1);
  for (setting *at = &all.at[all.cpus]; at < &all.at[all.count]; at++) {
    const iw_op op = built(at, (unsigned)_i);
    void *const there = copy_there(at, c.in.data, most * c.in_size);
    for (unsigned i = 0; i < 3; i++) {
      word total = { .u64 = 0 };
      MUST(at, iw_reduce(at->context, op, op->in_type, there, sizes[i], &total, IW_OPTIONS(iw_scan_options, .init = &c.init)));
      SAME(at, c.o->name, (const char *)c.inclusive.data + (sizes[i] - 1) * c.size, &total, 1, c.size);
    }
    MUST(at, iw_memory_free(at->context, there));
  }
  combined_free(&c);
  settings_close(&all);
  unsetenv("ISOWARP_SIM_PROCESSORS");
}
END_TEST

/* Where every order gives the same, the reference is a loop from the left, which owes nothing to order 1. */
START_TEST(from_the_left)
{
  const size_t n = GROUP + 2 * TILE + 333;
  settings all = settings_open();
  start_random(300 + (unsigned)_i);
  combined c = combined_new((unsigned)_i, n, WIDE, 1);
  uint64_t so_far = c.init.u64;
  ck_assert_uint_eq(c.size == 4 ? c.init.u32 : c.init.u64, so_far);
  for (size_t i = 0; i < n && c.o->exact; i++) {
    so_far = c.o->combine(so_far, c.o->load((word){ .u64 = value_at(c.o->in, c.in.data, i) }));
    ck_assert_uint_eq(so_far, value_at(c.o->type, c.inclusive.data, i));
  }
  c.given = &c.init;
  FOR_SETTINGS(at, &all, n)
    check_with(at, (unsigned)_i, &c, 0);
  combined_free(&c);
  settings_close(&all);
}
END_TEST

/* Sums as a user writes them are the library's. */
START_TEST(as_built_in)
{
  const size_t n = 2 * GROUP + 5 * TILE + 99;
  settings all = settings_open();
  start_random(400);
  array in = array_new(8, n), floats = array_new(4, n), ours = array_new(4, n), users = array_new(4, n);
  float a, b;
  fill(IW_F64, in.data, n, WIDE);
  for (size_t i = 0; i < n; i++)
    ((float *)floats.data)[i] = (float)((double *)in.data)[i];
  FOR_SETTINGS(at, &all, n) {
    const iw_op total = built(at, NARROWED);
    MUST(at, iw_inclusive_scan(at->context, IW_SUM, IW_F32, floats.data, n, ours.data, NULL));
    MUST(at, iw_inclusive_scan(at->context, total, total->in_type, in.data, n, users.data, NULL));
    SAME(at, "the inclusive sum", ours.data, users.data, n, 4);
    MUST(at, iw_reduce(at->context, IW_SUM, IW_F32, floats.data, n, &a, NULL));
    MUST(at, iw_reduce(at->context, total, total->in_type, in.data, n, &b, NULL));
    SAME(at, "the sum", &a, &b, 1, 4);
  }
  array_free(&in);
  array_free(&floats);
  array_free(&ours);
  array_free(&users);
  settings_close(&all);
}
END_TEST

/* A scan that is cut at a multiple of a group goes on to the bit. */
START_TEST(continued)
{
  const size_t n = 3 * GROUP + 1234, cut = 2 * GROUP;
  settings all = settings_open();
  start_random(500 + (unsigned)_i);
  combined c = combined_new((unsigned)_i, n, WIDE, 0);
  FOR_SETTINGS(at, &all, n) {
    const iw_op op = built(at, (unsigned)_i);
    array out = array_new(c.size, n);
    char *const to = out.data;
    const char *const from = c.in.data;
    MUST(at, iw_inclusive_scan(at->context, op, op->in_type, from, cut, to, NULL));
    MUST(at, iw_inclusive_scan(at->context, op, op->in_type, from + cut * c.in_size, n - cut, to + cut * c.size,
                               IW_OPTIONS(iw_scan_options, .init = to + (cut - 1) * c.size)));
    SAME(at, c.o->name, c.inclusive.data, to, n, c.size);
    array_free(&out);
  }
  combined_free(&c);
  settings_close(&all);
}
END_TEST

/* ---- Segments ---- */

/* Lengths of segments that fill n elements; every other time they are all `length`. Returns their number. */
static size_t make_lengths(size_t n, size_t length, uint32_t *offsets)
{
  const size_t several[] = { 0, 1, random_below(33), random_below(ROW + 1), random_below(1000), TILE + random_below(2 * TILE) };
  size_t count = 0;
  offsets[0] = 0;
  while (offsets[count] < n || count == 0) {
    const size_t next = length ? length : several[random_below(6)];
    offsets[count + 1] = (uint32_t)(next < n - offsets[count] ? offsets[count] + next : n);
    count++;
  }
  return count;
}

/* The result of elements i = first, first + apart, …, n of them, each by itself. */
static word reduced(const operation *o, const void *in, size_t first, size_t apart, size_t n, const word *init)
{
  uint64_t *const x = malloc((n + 1) * sizeof *x);
  word result = { .u64 = init ? init->u64 : o->front };
  for (size_t i = 0; i < n; i++)
    x[i] = o->load((word){ .u64 = value_at(o->in, in, first + i * apart) });
  order1_with(o, x, x, n, init ? init->u64 : o->absent);
  if (n)
    result.u64 = x[n - 1];
  free(x);
  return one_nan(o->type, result);
}

enum { BY_ROW, BY_COLUMN, BY_OFFSET, BY_KEY, WAYS };

static void check_segments(settings *all, unsigned which, int way, size_t n, size_t columns, int with_init)
{
  combined c = combined_new(which, n, WIDE, 0);
  const operation *const o = c.o;
  for (size_t i = 0; i < n && which == NEWEST; i++)
    if (random_below(3) == 0)
      ((int64_t *)c.in.data)[i] = (int64_t)random_bits();
  array offsets = array_new(4, 2 * n + 3), keys = array_new(4, n);
  const int wide_keys = (int)random_below(2); /* GPUs find their runs by one launch */
  uint32_t *const at_offset = offsets.data;
  const size_t rows = columns ? n / columns : 0;
  size_t count = way == BY_ROW ? rows : way == BY_COLUMN ? columns : make_lengths(n, way == BY_KEY ? columns : 0, at_offset);
  for (size_t k = 0; k < count && way == BY_KEY; k++)
    for (size_t i = at_offset[k]; i < at_offset[k + 1]; i++)
      put(wide_keys ? IW_U32 : IW_U16, keys.data, i, (word){ .u64 = k });
  array expected = array_new(c.size, count);
  for (size_t k = 0; k < count; k++)
    put(o->type, expected.data, k,
        way == BY_ROW ? reduced(o, c.in.data, k * columns, 1, columns, with_init ? &c.init : NULL)
        : way == BY_COLUMN ? reduced(o, c.in.data, k, columns, rows, with_init ? &c.init : NULL)
        : reduced(o, c.in.data, at_offset[k], 1, at_offset[k + 1] - at_offset[k], with_init ? &c.init : NULL));
  FOR_SETTINGS(at, all, n) {
    array out = array_new(c.size, count);
    const iw_op op = built(at, which);
    size_t found = count;
    char what[96];
    void *const there = copy_there(at, with_init ? &c.init : NULL, c.size);
    snprintf(what, sizeof what, "segments by %s%s, way %d, n %zu, %zu", o->name, with_init ? ", init" : "", way, n, columns);
    if (way == BY_KEY)
      MUST(at, reduce_by_key(at->context, op, o->in, c.in.data, n, by_keys(wide_keys ? IW_U32 : IW_U16, keys.data), o->type, there,
                             NULL, out.data, &found));
    else
      MUST(at, reduce_segments(at->context, op, o->in, c.in.data, n,
                               way == BY_ROW ? by_rows(columns) : way == BY_COLUMN ? by_columns(columns)
                               : by_offsets(IW_U32, at_offset, count), o->type, there, out.data));
    ck_assert_uint_eq(found, count);
    SAME(at, what, expected.data, out.data, count, c.size);
    ck_assert_msg(array_intact(&out, count * c.size), "%s wrote outside its results", what);
    MUST(at, iw_memory_free(at->context, there));
    array_free(&out);
  }
  array_free(&expected);
  array_free(&keys);
  array_free(&offsets);
  combined_free(&c);
}

/* Both scans of the elements of one segment, by itself. */
static void scanned(const operation *o, const void *in, size_t first, size_t n, const word *init, void *inclusive, void *exclusive)
{
  uint64_t *const x = malloc((n + 1) * sizeof *x);
  word front = { .u64 = init ? init->u64 : o->front };
  for (size_t i = 0; i < n; i++)
    x[i] = o->load((word){ .u64 = value_at(o->in, in, first + i) });
  order1_with(o, x, x, n, init ? init->u64 : o->absent);
  for (size_t i = 0; i < n; i++) {
    put(o->type, exclusive, first + i, one_nan(o->type, front));
    put(o->type, inclusive, first + i, one_nan(o->type, front = (word){ .u64 = x[i] }));
  }
  free(x);
}

/* Scans of rows (way BY_ROW) and of segments by offsets; in place too, if elements and outputs are of one
 * size. */
static void check_scans(settings *all, unsigned which, int way, size_t n, size_t columns, int with_init)
{
  combined c = combined_new(which, n, WIDE, 0);
  const operation *const o = c.o;
  const word *const given = with_init ? &c.init : NULL;
  array offsets = array_new(4, 2 * n + 3);
  uint32_t *const at_offset = offsets.data;
  const size_t count = way == BY_ROW ? n / columns : make_lengths(n, 0, at_offset);
  unsigned turn = 0;
  for (size_t k = 0; k < count; k++)
    scanned(o, c.in.data, way == BY_ROW ? k * columns : at_offset[k],
            way == BY_ROW ? columns : at_offset[k + 1] - at_offset[k], given, c.inclusive.data, c.exclusive.data);
  FOR_SETTINGS(at, all, n)
    for (unsigned exclusive = 0; exclusive < 2; exclusive++) {
      array out = array_new(c.size, n);
      const int in_place = c.in_size == c.size && turn++ % 3 == 0;
      const void *const in = in_place ? memcpy(out.data, c.in.data, n * c.size) : c.in.data;
      char what[96];
      void *const there = copy_there(at, given, c.size);
      const iw_segments segments = way == BY_ROW ? by_rows(columns) : by_offsets(IW_U32, at_offset, count);
      const scan_arguments spec = { .op = built(at, which), .in_type = o->in, .type = o->type,
                                  .exclusive = (int)exclusive, .init = there, .segments = &segments };
      snprintf(what, sizeof what, "%s scan of segments by %s%s%s, way %d, n %zu, %zu", exclusive ? "exclusive" : "inclusive",
               o->name, given ? ", init" : "", in_place ? ", in place" : "", way, n, columns);
      MUST(at, scan_with(at->context, &spec, in, n, out.data));
      SAME(at, what, exclusive ? c.exclusive.data : c.inclusive.data, out.data, n, c.size);
      ck_assert_msg(array_intact(&out, n * c.size), "%s wrote outside its output", what);
      MUST(at, iw_memory_free(at->context, there));
      array_free(&out);
    }
  array_free(&offsets);
  combined_free(&c);
}

/* _i: the operator. */
START_TEST(scans_of_segments)
{
  static const size_t columns[] = { 1, 3, 31, 32, 33, 64, 100, 129, 1000, TILE, TILE + 1, GROUP + 333 };
  if (_i == NARROWED) /* not made for segments */
    return;
  settings all = settings_open();
  start_random(650 + (unsigned)_i);
  for (unsigned k = 0; k < sizeof columns / sizeof *columns; k++) {
    const size_t n = columns[k] * (1 + (columns[k] < 10000 ? 10000 / columns[k] : 1));
    check_scans(&all, (unsigned)_i, BY_ROW, n, columns[k], (int)k % 2);
    check_scans(&all, (unsigned)_i, BY_OFFSET, n, columns[k], (int)(k + 1) % 2);
  }
  settings_close(&all);
}
END_TEST

/* _i: the operator. */
START_TEST(of_segments)
{
  static const size_t columns[] = { 1, 3, 31, 32, 33, 64, 100, 129, 1000, TILE, TILE + 1, GROUP + 333 };
  if (_i == NARROWED) /* not made for segments */
    return;
  settings all = settings_open();
  start_random(600 + (unsigned)_i);
  for (unsigned k = 0; k < sizeof columns / sizeof *columns; k++)
    for (int way = 0; way < WAYS; way++) {
      const size_t n = columns[k] * (1 + (columns[k] < 20000 ? 20000 / columns[k] : 1));
      check_segments(&all, (unsigned)_i, way, n, columns[k], (int)(k + (unsigned)way) % 2);
      if (columns[k] < 100)
        check_segments(&all, (unsigned)_i, way, columns[k] * (1 + random_below(7)), columns[k], (int)(k + (unsigned)way + 1) % 2);
    }
  settings_close(&all);
}
END_TEST

/* ---- Predicates ---- */

static void check_predicate(const setting *at, unsigned which, iw_type type,
                            const void *in, size_t n,
                            const char *right, size_t front)
{
  const size_t size = iw_type_size(type);
  const iw_test test = { .size = sizeof test, .predicate = build_for(at)->predicates[which] };
  array one = array_new(size, n), left = array_new(size, n), rest = array_new(size, n),
      selected = array_new(size, front);
  size_t count = SIZE_MAX;
  char what[96];
  snprintf(what, sizeof what, "partition by %s (n = %zu)", predicates[which].name, n);
  MUST(at, partition_of(at->context, type, &test, in, n, one.data, NULL, &count));
  SAME(at, what, &front, &count, 1, sizeof count);
  SAME(at, what, right, one.data, n, size);
  count = SIZE_MAX;
  MUST(at, partition_of(at->context, type, &test, in, n, left.data, rest.data, &count));
  SAME(at, what, &front, &count, 1, sizeof count);
  SAME(at, what, right, left.data, front, size);
  SAME(at, what, right + front * size, rest.data, n - front, size);
  count = SIZE_MAX;
  MUST(at, select_of(at->context, type, &test, in, n, selected.data, &count));
  SAME(at, what, &front, &count, 1, sizeof count);
  SAME(at, what, right, selected.data, front, size);
  /* Elements once more as a payload, and indices by which they can be found. */
  array again = array_new(size, n), indices = array_new(4, n);
  const iw_payload payloads[] = { payload_of(in, again.data, NULL, size),
                                 payload_of(NULL, indices.data, NULL, 4) };
  MUST(at, partition_with(at->context, type, in, n, &test, one.data, NULL, &count, payloads, 2));
  SAME(at, what, &front, &count, 1, sizeof count);
  SAME(at, what, right, one.data, n, size);
  SAME(at, what, right, again.data, n, size);
  for (size_t i = 0; i < n; i++)
    memcpy((char *)again.data + i * size, (const char *)in + ((const uint32_t *)indices.data)[i] * size,
           size);
  SAME(at, what, right, again.data, n, size);
  MUST(at, partition_with(at->context, type, in, n, &test, left.data, rest.data, &count,
                                     (iw_payload[]){ payload_of(in, one.data, again.data, size) }, 1));
  SAME(at, what, right, one.data, front, size);
  SAME(at, what, right + front * size, again.data, n - front, size);
  MUST(at, select_with(at->context, type, in, n, &test, NULL, &count, payloads, 1));
  SAME(at, what, right, again.data, front, size);
  ck_assert_msg(array_intact(&one, one.bytes) && array_intact(&left, left.bytes) && array_intact(&rest,
      rest.bytes)
                && array_intact(&selected, selected.bytes) && array_intact(&again, again.bytes)
                && array_intact(&indices, indices.bytes), "%s wrote outside its outputs", what);
  array_free(&again);
  array_free(&indices);
  array_free(&one);
  array_free(&left);
  array_free(&rest);
  array_free(&selected);
}

/* _i: the predicate. Around lanes, rows, and tiles of 32 KiB and groups of 32 of them. */
START_TEST(tests_of_elements)
{
  const unsigned which = (unsigned)_i;
  const iw_type type = predicates[which].type;
  const size_t size = iw_type_size(type), tile = 32768 / size;
  const size_t units[] = { 1, 32, 64, 128, 256, tile, 3 * tile, 32 * tile, 33 * tile + 1000, 65 * tile };
  settings all = settings_open();
  start_random(600 + which);
  all.turn = which;
  for (unsigned i = 0; i < 3 * sizeof units / sizeof *units; i++) {
    const size_t n = units[i / 3] + i % 3 - 1;
    array in = array_new(size, n), right = array_new(size, n);
    size_t front = 0;
    fill(type, in.data, n, (int)(i % 3));
    for (int side = 1; side >= 0; side--)
      for (size_t k = 0, at = front; k < n; k++)
        if (predicates[which].holds((word){ .u64 = value_at(type, in.data, k) }) == side)
          memcpy((char *)right.data + (side ? front++ : at++) * size, (char *)in.data + k * size, size);
    FOR_SETTINGS(at, &all, n) check_predicate(at, which, type, in.data, n, right.data, front);
    array_free(&in);
    array_free(&right);
  }
  settings_close(&all);
}
END_TEST

/* ---- Rules ---- */

/* _i: the rule. Around lanes and the chunks of warps and blocks. */
START_TEST(rules_of_buckets)
{
  static const size_t units[] = { 1, 32, 256, 1024, 8192, 40000, 300000 };
  const unsigned which = (unsigned)_i;
  const iw_type type = rules[which].type;
  settings all = settings_open();
  start_random(700 + which);
  all.turn = which;
  for (unsigned i = 0, round = 0; i < 3 * sizeof units / sizeof *units; i++) {
    splitting s = splitting_new(type, units[i / 3] + i % 3 - 1, rules[which].count);
    fill(type, s.in.data, s.n, (int)(i % 3));
    for (size_t k = 0; k < s.n && which == LETTER; k++)
      put(type, s.in.data, k, (word){ .u64 = random_below(4) ? 'a' + random_below(26) : random_below(256) });
    for (size_t k = 0; k < s.n; k++) {
      const size_t bucket = rules[which].bucket((word){ .u64 = value_at(type, s.in.data, k) });
      s.bucket_ids[k] = bucket < s.buckets ? bucket : s.buckets - 1;
    }
    splitting_compute(&s);
    FOR_SETTINGS(at, &all, s.n)
      check_multisplit(at, &s,
                       &(iw_buckets){ .size = sizeof(iw_buckets), .rule = build_for(at)->rules[which],
                                     .count = s.buckets },
                     rules[which].name, round++);
    splitting_free(&s);
  }
  settings_close(&all);
}
END_TEST

/* ---- Keys ---- */

/* One sort by a key, with the indices as a payload, in host memory and on a GPU also in its memory. */
static void check_sort_by(const setting *at, unsigned which, const iw_segments *segments, const iw_sort_options *options, const void *in, size_t n,
                          const void *right, const size_t *permutation, int in_place)
{
  const iw_type type = keys[which].type;
  const size_t bytes = n * iw_type_size(type);
  for (int on_device = 0; on_device <= (on_gpu(at) && n); on_device++) {
    array out = array_new(iw_type_size(type), n), indices = array_new(8, n);
    memcpy(out.data, in, bytes);
    void *const from = on_device ? copy_there(at, in, bytes) : NULL, *const to = on_device ? copy_there(at, in, bytes) : out.data;
    uint64_t *const places = on_device ? copy_there(at, indices.data, n * 8) : indices.data;
    const iw_payload payload = { .size = sizeof payload, .out = places, .width = 8 };
    MUST(at, sort_by(at->context, type, build_for(at)->keys[which], segments, in_place ? to : on_device ? from : in, n, to, &payload, 1, options));
    if (on_device) {
      MUST(at, iw_memory_copy(at->context, out.data, to, bytes));
      MUST(at, iw_memory_copy(at->context, indices.data, places, n * 8));
      MUST(at, iw_memory_free(at->context, from));
      MUST(at, iw_memory_free(at->context, to));
      MUST(at, iw_memory_free(at->context, places));
    }
    SAME(at, keys[which].name, right, out.data, n, iw_type_size(type));
    SAME(at, keys[which].name, permutation, indices.data, n, 8);
    array_free(&out);
    array_free(&indices);
  }
}

/* _i: the key. Arrays of the sizes at which the schedule changes; every third time rows. */
START_TEST(sorts_by_keys)
{
  static const size_t sizes[] = { 0, 1, 33, 224, 513, 1024, 1025, 3585, 8193, 20000 };
  const unsigned which = (unsigned)_i;
  settings all = settings_open();
  start_random(750 + which);
  all.turn = which;
  for (unsigned i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
    const size_t n = sizes[i / 2], size = iw_type_size(keys[which].type);
    const size_t columns = i % 3 == 2 && n ? n % 4 == 0 ? n / 4 : n : n;
    const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
    const iw_sort_options options = { .size = sizeof options, .descending = (int)random_below(2) };
    array in = array_new(size, n), right = array_new(size, n);
    uint64_t *const of = malloc(n * 8 + 8);
    size_t *const permutation = malloc(n * sizeof *permutation + 8);
    fill(keys[which].type, in.data, n, (int)(i % FLAVOURS));
    for (size_t k = 0; k < n; k++)
      put(keys[which].key_type, of, k, (word){ .u64 = keys[which].of((word){ .u64 = value_at(keys[which].type, in.data, k) }) });
    for (size_t first = 0; first < n; first += columns)
      reference_sort(keys[which].key_type, of, first, first + columns, &options, permutation);
    for (size_t k = 0; k < n; k++)
      memcpy((char *)right.data + k * size, (const char *)in.data + permutation[k] * size, size);
    FOR_SETTINGS(at, &all, n)
      check_sort_by(at, which, i % 3 == 2 ? &rows : NULL, &options, in.data, n, right.data, permutation, i % 2);
    free(of);
    free(permutation);
    array_free(&in);
    array_free(&right);
  }
  settings_close(&all);
}
END_TEST

START_TEST(refused_keys)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    uint32_t in[8] = { 8, 7, 6, 5, 4, 3, 2, 1 }, out[8] = { 0 };
    iw_sort_key key = *build_for(at)->keys[0];
    iw_kernel kernel = *key.kernel;
    const iw_sort_options bits = { .size = sizeof bits, .begin_bit = 3, .end_bit = 33 };
    const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = 3 };
    REFUSED(sort_by(NULL, IW_U32, &key, NULL, in, 8, out, NULL, 0, NULL), IW_ERROR_INVALID, "context is NULL");
    REFUSED(sort_by(c, IW_I32, &key, NULL, in, 8, out, NULL, 0, NULL), IW_ERROR_INVALID, "remainder_of_10 is for u32");
    REFUSED(sort_by(c, IW_U32, &key, NULL, NULL, 8, out, NULL, 0, NULL), IW_ERROR_INVALID, "in is NULL");
    REFUSED(sort_by(c, IW_U32, &key, NULL, in, 7, in + 1, NULL, 0, NULL), IW_ERROR_OVERLAP, "overlap");
    REFUSED(sort_by(c, IW_U32, &key, NULL, in, 8, out, NULL, 0, &bits), IW_ERROR_INVALID, "end_bit is 33");
    REFUSED(sort_by(c, IW_U32, &key, &rows, in, 8, out, NULL, 0, NULL), IW_ERROR_INVALID, "columns, which is 3");
    key.size++;
    REFUSED(sort_by(c, IW_U32, &key, NULL, in, 8, out, NULL, 0, NULL), IW_ERROR_MISMATCH, "another version");
    key.size--;
    key.kernel = NULL;
    REFUSED(sort_by(c, IW_U32, &key, NULL, in, 8, out, NULL, 0, NULL), IW_ERROR_INVALID, "kernel is NULL");
    key.kernel = &kernel;
    kernel.args++;
    REFUSED(sort_by(c, IW_U32, &key, NULL, in, 8, out, NULL, 0, NULL), IW_ERROR_MISMATCH, "sort_keys");
    kernel.args--;
    if (!on_gpu(at)) {
      kernel.isa = "another";
      REFUSED(sort_by(c, IW_U32, &key, NULL, in, 8, out, NULL, 0, NULL), IW_ERROR_MISMATCH, "built for another");
    }
    ck_assert_uint_eq(out[0], 0);
  }
  settings_close(&all);
}
END_TEST

/* ---- What is refused ---- */

START_TEST(refused)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const context = at->context;
    const iw_op good = built(at, NEWEST), wide = built(at, SQUARED), narrow = built(at, NARROWED);
    int64_t x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, y[8] = { 0 }, total = 99;
    iw_operator other = *good;
    iw_kernel kernel = *good->scan;
    iw_predicate test_of = *build_for(at)->predicates[2];
    iw_kernel test_kernel = *test_of.partition;
    const iw_test test = { .size = sizeof test, .predicate = &test_of };
    size_t count = 99;
    REFUSED(select_of(context, IW_F64, &test, x, 8, y, &count), IW_ERROR_INVALID, "is_picked is for i64");
    test_of.size++;
    REFUSED(select_of(context, IW_I64, &test, x, 8, y, &count), IW_ERROR_MISMATCH, "another version");
    test_of.size--;
    test_of.partition = &test_kernel;
    test_kernel.args++;
    REFUSED(select_of(context, IW_I64, &test, x, 8, y, &count), IW_ERROR_MISMATCH, test_kernel.name);
    test_kernel.args--;
    if (!on_gpu(at)) {
      test_kernel.isa = "another";
      REFUSED(select_of(context, IW_I64, &test, x, 8, y, &count), IW_ERROR_MISMATCH, "built for another");
    }
    iw_bucket_rule rule = *build_for(at)->rules[RULES - 1];
    iw_kernel rule_kernel = *rule.bucket_id;
    size_t offsets[5] = { 0 };
    iw_buckets buckets = { .size = sizeof buckets, .rule = &rule, .count = 4 };
    REFUSED(multisplit_of(context, IW_F64, &buckets, x, 8, y, offsets), IW_ERROR_INVALID,
            "hashed is for i64");
    buckets.count = 0;
    REFUSED(multisplit_of(context, IW_I64, &buckets, x, 8, y, offsets), IW_ERROR_INVALID, "count is 0");
    buckets.count = (size_t)1 << 31;
    REFUSED(multisplit_of(context, IW_I64, &buckets, x, 8, y, offsets), IW_ERROR_INVALID, "1 to 2147483647");
    buckets.count = 4;
    rule.size++;
    REFUSED(multisplit_of(context, IW_I64, &buckets, x, 8, y, offsets), IW_ERROR_MISMATCH,
            "another version");
    rule.size--;
    rule.bucket_id = &rule_kernel;
    rule_kernel.args++;
    REFUSED(multisplit_of(context, IW_I64, &buckets, x, 8, y, offsets), IW_ERROR_MISMATCH, rule_kernel.name);
    rule_kernel.args--;
    if (!on_gpu(at)) {
      rule_kernel.isa = "another";
      REFUSED(multisplit_of(context, IW_I64, &buckets, x, 8, y, offsets), IW_ERROR_MISMATCH,
              "built for another");
    }
    REFUSED(iw_inclusive_scan(NULL, good, good->in_type, x, 8, y, NULL), IW_ERROR_INVALID, "context is NULL");
    REFUSED(iw_inclusive_scan(context, NULL, IW_I64, x, 8, y, NULL), IW_ERROR_INVALID, "op is");
    REFUSED(iw_reduce(context, NULL, IW_I64, x, 8, &total, NULL), IW_ERROR_INVALID, "op is");
    REFUSED(iw_exclusive_scan(context, good, good->in_type, NULL, 8, y, NULL), IW_ERROR_INVALID, "in is NULL");
    REFUSED(iw_exclusive_scan(context, good, good->in_type, x, 8, NULL, NULL), IW_ERROR_INVALID, "out is NULL");
    REFUSED(iw_reduce(context, good, good->in_type, x, 8, NULL, NULL), IW_ERROR_INVALID, "results is NULL");
    REFUSED(iw_inclusive_scan(context, good, good->in_type, (char *)x + 1, 7, y, NULL), IW_ERROR_INVALID,
            "aligned");
    REFUSED(iw_inclusive_scan(context, good, good->in_type, x, 7, x + 1, NULL), IW_ERROR_OVERLAP, "overlap");
    /* type is that of the elements, which the operator's load transform has; outputs have the operator's. */
    REFUSED(iw_inclusive_scan(context, good, IW_U64, x, 8, y, NULL), IW_ERROR_INVALID, "i64");
    REFUSED(iw_exclusive_scan(context, wide, IW_F64, x, 8, y, NULL), IW_ERROR_INVALID, "f32");
    REFUSED(iw_reduce(context, narrow, IW_F32, x, 8, &total, NULL), IW_ERROR_INVALID, "f64");
    REFUSED(iw_reduce(context, narrow, IW_F64, x, 8, &total, IW_OPTIONS(iw_scan_options, .out_type = IW_F64)), IW_ERROR_INVALID,
            "options->out_type is f64");
    scan_arguments spec = { .op = wide, .in_type = IW_F64, .type = IW_F64 };
    REFUSED(scan_with(context, &spec, x, 8, y), IW_ERROR_INVALID, "f32");
    REFUSED(reduce_with(context, &spec, x, 8, &total), IW_ERROR_INVALID, "f32");
    const iw_segments segments = by_rows(4), keys = by_keys(IW_I64, x);
    spec = (scan_arguments){ .op = good, .in_type = IW_I64, .type = IW_I64,
                          .segments = &segments };
    spec.segments = &keys;
    REFUSED(scan_with(context, &spec, x, 8, y), IW_ERROR_INVALID, "segments by flags and keys are scanned by");
    spec.segments = &segments;
    const iw_op whole = built(at, NARROWED);
    spec.op = whole;
    spec.in_type = IW_F64;
    spec.type = IW_F32;
    REFUSED(reduce_with(context, &spec, x, 8, y), IW_ERROR_INVALID, "define IW_SCAN_SEGMENTS");
    REFUSED(scan_with(context, &spec, x, 8, y), IW_ERROR_INVALID, "define IW_SCAN_SEGMENTS");
    spec.segments = &keys;
    REFUSED(reduce_by_key_with(context, &spec, x, 8, NULL, y, &count), IW_ERROR_INVALID, "define IW_SCAN_SEGMENTS");
    iw_kernel tiles = *good->reduce_tiles;
    iw_operator of_segments = *good;
    tiles.args -= 8;
    of_segments.reduce_tiles = &tiles;
    spec = (scan_arguments){ .op = &of_segments, .in_type = IW_I64, .type = IW_I64, .segments = &segments };
    REFUSED(reduce_with(context, &spec, x, 8, y), IW_ERROR_MISMATCH, "reductions of segments");
    of_segments = *good;
    tiles = *good->scan_segments;
    tiles.args -= 8;
    of_segments.scan_segments = &tiles;
    REFUSED(scan_with(context, &spec, x, 8, y), IW_ERROR_MISMATCH, "scans of segments");
    REFUSED(iw_inclusive_scan(context, wide, wide->in_type, x, 4, x, NULL), IW_ERROR_OVERLAP, "overlap");
    REFUSED(iw_inclusive_scan(context, narrow, narrow->in_type, x, 4, x, NULL), IW_ERROR_OVERLAP, "overlap");
    REFUSED(iw_inclusive_scan(context, good, good->in_type, x, SIZE_MAX / 2, y, NULL), IW_ERROR_INVALID,
            "at most");
    other.size--;
    REFUSED(iw_reduce(context, &other, other.in_type, x, 8, &total, NULL), IW_ERROR_MISMATCH,
            "another version");
    other.size++;
    other.scan = &kernel;
    kernel.args--;
    REFUSED(iw_inclusive_scan(context, &other, other.in_type, x, 8, y, NULL), IW_ERROR_MISMATCH, kernel.name);
    kernel.args++;
    kernel.size--;
    REFUSED(iw_inclusive_scan(context, &other, other.in_type, x, 8, y, NULL), IW_ERROR_MISMATCH,
            "another version");
    kernel.size++;
    if (!on_gpu(at)) {
      kernel.isa = "another";
      REFUSED(iw_inclusive_scan(context, &other, other.in_type, x, 8, y, NULL), IW_ERROR_MISMATCH,
              "built for another");
    }
    ck_assert(y[0] == 0 && total == 99 && count == 99);
  }
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("operators");
  setenv("ISOWARP_SIM_DEVICE", "l4", 1); /* the kernels of tests/suites/operators.c are not compiled for the T4 */
  TCase *c = new_case(suite, "operators and load transforms");
  tcase_add_test(c, refused);
  tcase_add_loop_test(c, small_sizes, 0, OPERATIONS);
  tcase_add_loop_test(c, large_sizes, 0, OPERATIONS);
  tcase_add_loop_test(c, many_tiles, 0, OPERATIONS);
  tcase_add_loop_test(c, from_the_left, 0, OPERATIONS);
  tcase_add_loop_test(c, continued, 0, OPERATIONS);
  tcase_add_test(c, as_built_in);
  tcase_add_loop_test(c, of_segments, 0, OPERATIONS);
  tcase_add_loop_test(c, scans_of_segments, 0, OPERATIONS);
  tcase_add_loop_test(c, tests_of_elements, 0, PREDICATES);
  tcase_add_loop_test(c, rules_of_buckets, 0, RULES);
  tcase_add_loop_test(c, sorts_by_keys, 0, KEYS);
  tcase_add_test(c, refused_keys);
  return run_suite_on_all(suite);
}
