/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive and exclusive scan, and reduce, to the bit against order 1 as isowarp.h defines it.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "reference.h"

static const iw_type types[] = { IW_I32, IW_U32, IW_I64, IW_U64, IW_F32, IW_F64 };
enum { TYPES = 6, OPS = 3 };
static const char *const op_names[] = { "sum", "min", "max" };

/* One input and what should come of it. */
typedef struct scanned {
  iw_op op;
  iw_type type;
  size_t n, size;
  array in, inclusive, exclusive;
  word total, init;
  int with_init;
  const void *given; /* &init, or NULL */
} scanned;

/* Down for min and up for max, with steps back: many elements are new records, and many are not. */
static void slope(iw_op op, iw_type type, void *in, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const int64_t at = (op == IW_MIN ? (int64_t)(n - i) : (int64_t)i) * 3 + (int64_t)random_below(40);
    word w = { .i64 = type == IW_U32 || type == IW_U64 ? at : at - (int64_t)n };
    if (type == IW_F32)
      w.f32 = (float)w.i64 / 8;
    else if (type == IW_F64)
      w.f64 = (double)w.i64 / 3;
    put(type, in, i, w);
  }
}

static scanned scanned_new(iw_op op, iw_type type, size_t n, int flavour, int with_init)
{
  const size_t size = iw_type_size(type);
  scanned s = { .op = op, .type = type, .n = n, .size = size };
  s.in = array_new(size, n);
  s.inclusive = array_new(size, n);
  s.exclusive = array_new(size, n);
  fill(type, s.in.data, n, flavour);
  if (flavour == SPECIAL && n > 64) /* else all is NaN from the beginning */
    fill(type, s.in.data, n - n / 4, WIDE);
  if (flavour == WIDE && op != IW_SUM) /* else hardly an element shows */
    slope(op, type, s.in.data, n);
  put(type, &s.init, 0, random_word(type, flavour == SPECIAL && op == IW_SUM ? WIDE : flavour));
  s.with_init = with_init;
  return s;
}

static void scanned_expect(scanned *s)
{
  s->given = s->with_init ? &s->init : NULL;
  reference_scan(s->op, s->type, s->in.data, s->n, s->given, s->inclusive.data, s->exclusive.data, &s->total);
}

static void scanned_free(scanned *s)
{
  array_free(&s->in);
  array_free(&s->inclusive);
  array_free(&s->exclusive);
}

/* All three calls, out of place or in it. */
static void check_with(const setting *at, const scanned *s, int in_place)
{
  iw_status (*const calls[])(iw_context *, iw_op, iw_type, const void *, void *, size_t, const void *) = {
    iw_inclusive_scan_any, iw_exclusive_scan_any,
  };
  const void *const expected[] = { s->inclusive.data, s->exclusive.data };
  char what[64];
  for (unsigned exclusive = 0; exclusive < 2; exclusive++) {
    array out = array_new(s->size, s->n);
    const void *in = s->in.data;
    if (in_place) {
      if (s->n)
        memcpy(out.data, in, s->n * s->size);
      in = out.data;
    }
    snprintf(what, sizeof what, "%s scan by %s of %s%s%s", exclusive ? "exclusive" : "inclusive", op_names[s->op],
             iw_type_name(s->type), s->given ? ", init" : "", in_place ? ", in place" : "");
    MUST(at, calls[exclusive](at->context, s->op, s->type, in, out.data, s->n, s->given));
    SAME(at, what, expected[exclusive], out.data, s->n, s->size);
    ck_assert_msg(array_intact(&out, s->n * s->size), "%s of %zu wrote outside its output", what, s->n);
    array_free(&out);
  }
  word total;
  memset(&total, 0x5a, sizeof total);
  snprintf(what, sizeof what, "reduce by %s of %s%s (n = %zu)", op_names[s->op], iw_type_name(s->type),
           s->given ? ", init" : "", s->n);
  MUST(at, iw_reduce_any(at->context, s->op, s->type, s->in.data, s->n, s->given, &total));
  SAME(at, what, &s->total, &total, 1, s->size);
}

static void check_size(settings *all, iw_op op, iw_type type, size_t n, int flavour, int with_init)
{
  scanned s = scanned_new(op, type, n, flavour, with_init);
  int in_place = with_init;
  scanned_expect(&s);
  FOR_SETTINGS(at, all, n)
    check_with(at, &s, in_place = !in_place);
  scanned_free(&s);
}

/* _i: operator and type. */
START_TEST(small_sizes)
{
  static const size_t sizes[] = { 0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257 };
  settings all = settings_open();
  start_random(100 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int flavour = WIDE; flavour <= TINY; flavour++)
      check_size(&all, (iw_op)(_i / TYPES), types[_i % TYPES], sizes[i], flavour, (int)(i + (unsigned)flavour) % 2);
  settings_close(&all);
}
END_TEST

START_TEST(large_sizes)
{
  static const size_t sizes[] = {
    1023, 1024, 1025, 8191, 8192, 8193, 16385, 65537, 262143, 262144, 262145, 300000, 524289, (1 << 20) + 1,
  };
  settings all = settings_open();
  start_random(200 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    check_size(&all, (iw_op)(_i / TYPES), types[_i % TYPES], sizes[i], (int)((i + (unsigned)_i) % 3), (int)i % 2);
  for (unsigned i = 0; i < 12; i++)
    check_size(&all, (iw_op)(_i / TYPES), types[_i % TYPES], random_size(1 << 20), (int)(i % 4), (int)i / 4 % 2);
  settings_close(&all);
}
END_TEST

/* Order 1 is its own continuation: cut at a multiple of the group, and go on with the last output. */
START_TEST(continued)
{
  const iw_type type = types[_i];
  const size_t n = 2 * GROUP + 12345, size = iw_type_size(type);
  settings all = settings_open();
  start_random(300 + (unsigned)_i);
  scanned s = scanned_new(IW_SUM, type, n, WIDE, 0);
  scanned_expect(&s);
  FOR_SETTINGS(at, &all, n) {
    char *const out = malloc(n * size), *const last = out + (GROUP - 1) * size;
    const char *const in = s.in.data;
    MUST(at, iw_inclusive_scan_any(at->context, IW_SUM, type, in, out, GROUP, NULL));
    MUST(at, iw_inclusive_scan_any(at->context, IW_SUM, type, in + GROUP * size, out + GROUP * size, n - GROUP, last));
    SAME(at, "a scan in two pieces", s.inclusive.data, out, n, size);
    MUST(at, iw_reduce_any(at->context, IW_SUM, type, in + GROUP * size, n - GROUP, last, out));
    SAME(at, "a reduction in two pieces", &s.total, out, 1, size);
    free(out);
  }
  scanned_free(&s);
  settings_close(&all);
}
END_TEST

/* Rows of the table of edge cases, by hand: bits in, bits out. */
typedef struct by_hand {
  iw_op op;
  iw_type type;
  size_t n;
  uint64_t in[4];
  int with_init;
  uint64_t init, inclusive[4], first;
} by_hand;
static const uint64_t nan32 = 0x7fc00000, nan64 = 0x7ff8000000000000;

static word bits(size_t size, uint64_t pattern)
{
  word w = { .u64 = 0 };
  if (size == 4)
    w.u32 = (uint32_t)pattern;
  else
    w.u64 = pattern;
  return w;
}

START_TEST(numbers_by_hand)
{
  const uint64_t minus_zero = 0x80000000, infinity = 0x7f800000, minus_infinity = 0xff800000, one = 0x3f800000;
  const by_hand cases[] = {
    /* The first element included, a NaN is written in one pattern. */
    { IW_SUM, IW_F32, 1, { 0xffc12345 }, 0, 0, { nan32 }, 0 },
    { IW_SUM, IW_F32, 2, { 0x7f800001, one }, 0, 0, { nan32, nan32 }, 0 },
    { IW_SUM, IW_F64, 1, { 0xfff0000000000001 }, 0, 0, { nan64 }, 0 },
    { IW_SUM, IW_F32, 2, { one, one }, 1, 0xff800001, { nan32, nan32 }, nan32 },
    { IW_SUM, IW_F32, 3, { infinity, minus_infinity, one }, 0, 0, { infinity, nan32, nan32 }, 0 },
    { IW_MIN, IW_F32, 3, { one, 0xffc00001, one }, 0, 0, { one, nan32, nan32 }, infinity },
    { IW_MAX, IW_F32, 3, { one, 0x7f800001, infinity }, 0, 0, { one, nan32, nan32 }, minus_infinity },
    { IW_MAX, IW_F64, 1, { 0xfff123456789abcd }, 0, 0, { nan64 }, 0xfff0000000000000 },
    { IW_MIN, IW_F32, 1, { one }, 1, 0x7f800001, { nan32 }, nan32 },
    /* -0 < +0, and -0 is what an absent sum is. */
    { IW_MIN, IW_F32, 2, { 0, minus_zero }, 0, 0, { 0, minus_zero }, infinity },
    { IW_MAX, IW_F32, 2, { minus_zero, 0 }, 0, 0, { minus_zero, 0 }, minus_infinity },
    { IW_MIN, IW_F32, 2, { minus_zero, 0 }, 0, 0, { minus_zero, minus_zero }, infinity },
    { IW_MAX, IW_F32, 2, { 0, minus_zero }, 0, 0, { 0, 0 }, minus_infinity },
    { IW_SUM, IW_F32, 2, { minus_zero, minus_zero }, 0, 0, { minus_zero, minus_zero }, 0 },
    { IW_SUM, IW_F32, 2, { minus_zero, minus_zero }, 1, 0, { 0, 0 }, 0 },
    { IW_SUM, IW_F32, 2, { minus_zero, 0 }, 1, minus_zero, { minus_zero, 0 }, minus_zero },
    { IW_SUM, IW_F64, 1, { 0x8000000000000000 }, 0, 0, { 0x8000000000000000 }, 0 },
    /* Subnormals are kept. */
    { IW_SUM, IW_F32, 4, { 1, 1, 0x007fffff, 0x80000001 }, 0, 0, { 1, 2, 0x00800001, 0x00800000 }, 0 },
    { IW_MIN, IW_F32, 2, { 2, 1 }, 0, 0, { 2, 1 }, infinity },
    { IW_MAX, IW_F32, 2, { 0x80000001, 1 }, 0, 0, { 0x80000001, 1 }, minus_infinity },
    { IW_SUM, IW_F64, 2, { 1, 0x000fffffffffffff }, 0, 0, { 1, 0x0010000000000000 }, 0 },
    /* Infinities. */
    { IW_MAX, IW_F32, 2, { minus_infinity, minus_infinity }, 0, 0, { minus_infinity, minus_infinity }, minus_infinity },
    { IW_MIN, IW_F32, 2, { infinity, one }, 0, 0, { infinity, one }, infinity },
    /* Sums wrap; init stands first. */
    { IW_SUM, IW_I32, 3, { 0x7fffffff, 1, 0x80000000 }, 0, 0, { 0x7fffffff, 0x80000000, 0 }, 0 },
    { IW_SUM, IW_U32, 2, { 0xffffffff, 2 }, 1, 5, { 4, 6 }, 5 },
    { IW_SUM, IW_I64, 2, { 0x7fffffffffffffff, 1 }, 0, 0, { 0x7fffffffffffffff, 0x8000000000000000 }, 0 },
    { IW_SUM, IW_U64, 2, { 0xffffffffffffffff, 1 }, 1, 1, { 0, 1 }, 1 },
    { IW_MIN, IW_I32, 2, { 0xffffffff, 0x80000000 }, 0, 0, { 0xffffffff, 0x80000000 }, 0x7fffffff },
    { IW_MAX, IW_U32, 2, { 1, 0xffffffff }, 0, 0, { 1, 0xffffffff }, 0 },
    { IW_MAX, IW_I64, 1, { 0x8000000000000000 }, 0, 0, { 0x8000000000000000 }, 0x8000000000000000 },
    { IW_MIN, IW_U64, 1, { 0xffffffffffffffff }, 0, 0, { 0xffffffffffffffff }, 0xffffffffffffffff },
    /* init 2^24 loses every 1 of its own, but not their sum: the tree comes first. */
    { IW_SUM, IW_F32, 2, { one, one }, 1, 0x4b800000, { 0x4b800000, 0x4b800001 }, 0x4b800000 },
  };
  settings all = settings_open();
  for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
    const by_hand *it = &cases[c];
    const size_t size = iw_type_size(it->type);
    scanned s = scanned_new(it->op, it->type, it->n, UNIT, it->with_init);
    for (size_t i = 0; i < it->n; i++)
      put(it->type, s.in.data, i, bits(size, it->in[i]));
    put(it->type, &s.init, 0, bits(size, it->init));
    scanned_expect(&s);
    for (size_t i = 0; i < it->n; i++) { /* the reference is checked, too */
      word w = { .u64 = 0 };
      memcpy(&w, (char *)s.inclusive.data + i * size, size);
      ck_assert_msg((size == 4 ? w.u32 : w.u64) == it->inclusive[i], "case %u: reference(%zu) is %s", c, i,
                    hex(&w, 0, size).s);
    }
    word first = { .u64 = 0 };
    memcpy(&first, s.exclusive.data, size);
    ck_assert_msg((size == 4 ? first.u32 : first.u64) == it->first, "case %u: the first is %s", c,
                  hex(&first, 0, size).s);
    FOR_SETTINGS(at, &all, it->n)
      check_with(at, &s, (int)c % 2);
    scanned_free(&s);
  }
  settings_close(&all);
}
END_TEST

/* Of nothing: init, in one pattern where it is a NaN, or the identity; NULL is allowed, nothing is written. */
START_TEST(of_nothing)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0)
    for (unsigned op = 0; op < OPS; op++)
      for (unsigned t = 0; t < TYPES; t++) {
        const size_t size = iw_type_size(types[t]);
        word total = { .u64 = 99 }, init, expected = identity_of((iw_op)op, types[t]);
        MUST(at, iw_inclusive_scan_any(at->context, (iw_op)op, types[t], NULL, NULL, 0, NULL));
        MUST(at, iw_exclusive_scan_any(at->context, (iw_op)op, types[t], NULL, NULL, 0, NULL));
        MUST(at, iw_reduce_any(at->context, (iw_op)op, types[t], NULL, 0, NULL, &total));
        SAME(at, "reduce of nothing", &expected, &total, 1, size);
        memset(&init, 0xff, sizeof init); /* a NaN, or -1, or the largest */
        expected = one_nan(types[t], init);
        MUST(at, iw_reduce_any(at->context, (iw_op)op, types[t], NULL, 0, &init, &total));
        SAME(at, "reduce of nothing with init", &expected, &total, 1, size);
      }
  settings_close(&all);
}
END_TEST

/* One context, many calls of many sizes and types: nothing of one call is left for the next. */
START_TEST(one_context)
{
  settings all = settings_open();
  start_random(400);
  for (unsigned round = 0; round < 60; round++)
    check_size(&all, (iw_op)random_below(OPS), types[random_below(TYPES)],
               round % 3 ? 300 + random_size(100000) : random_size(300),
               (int)random_below(FLAVOURS), (int)random_below(2));
  settings_close(&all);
}
END_TEST

/* In integers: 0 … n-1 summed has a closed form, which owes nothing to any reference. */
START_TEST(closed_form)
{
  const size_t n = (1 << 20) + 1;
  uint64_t *const in = malloc(n * sizeof *in), *const out = malloc(n * sizeof *out), total;
  settings all = settings_open();
  for (size_t i = 0; i < n; i++)
    in[i] = i;
  FOR_SETTINGS(at, &all, n) {
    MUST(at, iw_inclusive_scan_any(at->context, IW_SUM, IW_U64, in, out, n, NULL));
    for (size_t i = 0; i < n; i++)
      ck_assert_uint_eq(out[i], i * (i + 1) / 2);
    MUST(at, iw_exclusive_scan_any(at->context, IW_SUM, IW_U64, in, out, n, NULL));
    for (size_t i = 1; i < n; i++)
      ck_assert_uint_eq(out[i], i * (i - 1) / 2);
    ck_assert_uint_eq(out[0], 0);
    MUST(at, iw_reduce_any(at->context, IW_SUM, IW_U64, in, n, NULL, &total));
    ck_assert_uint_eq(total, n * (n - 1) / 2);
  }
  settings_close(&all);
  free(in);
  free(out);
}
END_TEST

/* Phase two of the seed adds the block before only: of 0 … 23, element 16 is 136, not 108. And warps. */
START_TEST(worked_outputs)
{
  static const int32_t fifteen[] = { 0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105 };
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 64) {
    int32_t in[64], out[64];
    for (int i = 0; i < 64; i++)
      in[i] = i;
    MUST(at, iw_inclusive_scan_any(at->context, IW_SUM, IW_I32, in, out, 24, NULL));
    ck_assert_mem_eq(out, fifteen, sizeof fifteen);
    ck_assert_int_eq(out[16], 136);
    for (int i = 0; i < 64; i++)
      in[i] = i + 1;
    MUST(at, iw_inclusive_scan_any(at->context, IW_SUM, IW_I32, in, out, 64, NULL));
    ck_assert_int_eq(out[31], 528);
    ck_assert_int_eq(out[63], 2080);
  }
  settings_close(&all);
}
END_TEST

START_TEST(above_2_32)
{
  const size_t two_32 = (size_t)1 << 32, n = two_32 + 12345, part = ((size_t)1 << 24) + 3;
  const setting at = { "the best", 0, IW_BLOCKS_AUTO, NULL };
  int32_t *const in = zeros_new(n * sizeof *in), *const out = endless_new(n * sizeof *out), total;
  iw_context *context;
  const double start = now();
  ck_assert_int_eq(iw_context_open(&context, NULL), IW_OK);
  if (in && out) {
    in[0] = 1;
    in[part - 1] = 2; /* floats would know 2^24 only */
    MUST(&at, iw_inclusive_scan_any(context, IW_SUM, IW_I32, in, out, part, NULL));
    MUST(&at, iw_reduce_any(context, IW_SUM, IW_I32, in, part, NULL, &total));
    ck_assert_int_eq(total, 3);
  }
  if (worth_it("a scan of 2^32 elements", in && out, now() - start, (double)part / (double)n)) {
    in[((size_t)1 << 31) - 1] = 10;
    in[((size_t)1 << 31) + 5] = 20;
    in[two_32 - 1] = 100;
    in[two_32] = 1000;
    in[n - 1] = 5000;
    MUST(&at, iw_reduce_any(context, IW_SUM, IW_I32, in, n, NULL, &total));
    ck_assert_int_eq(total, 6133);
    MUST(&at, iw_inclusive_scan_any(context, IW_SUM, IW_I32, in, out, n, NULL));
    for (size_t i = two_32; i < n; i++)
      ck_assert_int_eq(out[i], i < n - 1 ? 1133 : 6133);
    ck_assert_int_eq(out[n], 0x55555555);
    MUST(&at, iw_exclusive_scan_any(context, IW_MAX, IW_I32, in, out, n, NULL));
    ck_assert_int_eq(out[two_32], 100);
    ck_assert_int_eq(out[two_32 + 1], 1000);
    ck_assert_int_eq(out[n - 1], 1000);
    ck_assert_int_eq(out[n], 0x55555555);
  }
  iw_context_close(context);
  if (in)
    munmap(in, n * sizeof *in);
  if (out)
    munmap(out, endless_room(n * sizeof *out));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("scan");
  TCase *c = new_case(suite, "scan and reduce");
  tcase_add_test(c, worked_outputs);
  tcase_add_test(c, of_nothing);
  tcase_add_test(c, numbers_by_hand);
  tcase_add_test(c, closed_form);
  tcase_add_loop_test(c, small_sizes, 0, TYPES * OPS);
  tcase_add_loop_test(c, large_sizes, 0, TYPES * OPS);
  tcase_add_loop_test(c, continued, 0, TYPES);
  tcase_add_test(c, one_context);
  tcase_add_test(new_case(suite, "large"), above_2_32);
  return run_suite_on_all(suite);
}
