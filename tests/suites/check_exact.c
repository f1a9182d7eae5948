/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact sums and dot products against their definition: integers wide enough for every float
 * (reference_sums.h).
 */
#include "reference.h"
#include "reference_sums.h"

#include <float.h>
#include <isowarp.h>

static const iw_type floats[] = { IW_F32, IW_F64, IW_F16, IW_BF16 };
enum { FLOAT_TYPES = 4 };
enum { NUMBER_WORDS = sizeof ((iw_exact_sum *)0)->words / 8, MOST = 40000 };

/* Kinds of data beside those of random_word(). */
enum { BITS = FLAVOURS, CANCEL, FALLING, LAST_BITS, FEW_EXPONENTS, KINDS };

static word get(iw_type type, const void *data, size_t i)
{
  word w = { .u64 = 0 };
  memcpy(&w, (const char *)data + i * iw_type_size(type), iw_type_size(type));
  return w;
}

static word float_of(iw_type type, double x)
{
  return is_half(type) ? (word){ .u16 = half_of(type, x) } : type == IW_F32 ? (word){ .f32 = (float)x } : (word){ .f64 = x };
}

/* Data of n elements. */
static void fill_kind(iw_type type, void *data, size_t n, int kind)
{
  const float_format f = format_of(type);
  const uint64_t infinity = infinity_of(f), mask = ~(uint64_t)0 >> (64 - f.bits);
  const int largest = type == IW_F16 ? 15 : type == IW_F64 ? 1023 : 127, places = largest + (int)f.least + 1; /* exponents */
  const uint64_t exponents = 8 + random_below(type == IW_F64 ? 140 : 20); /* around what the folds hold */
  const int top = (int)random_below(type == IW_F16 ? 20 : 60) - (type == IW_F16 ? 5 : 30);
  for (size_t i = 0; i < n; i++) {
    word w;
    if (kind == CANCEL && i % 2) { /* what came before, negated, but not always */
      w = get(type, data, i - 1);
      if (random_below(50))
        w.u64 ^= (uint64_t)1 << (f.bits - 1);
    } else if (kind == BITS || kind == CANCEL) { /* any finite bits */
      do
        w = (word){ .u64 = random_bits() & mask };
      while ((w.u64 & infinity) == infinity);
    } else if (kind == FALLING) { /* each smaller than the one before */
      w = float_of(type, ldexp(1 + random_unit() * 0.875, largest - (int)(i % (size_t)places)));
    } else if (kind == LAST_BITS) { /* large, with last bits of all places below */
      w = float_of(type, (random_below(2) ? -1 : 1) * ldexp(1 + random_unit(), -(int)random_below(100)));
    } else if (kind == FEW_EXPONENTS) { /* the last bit is set, as it is the first to be lost */
      w = float_of(type, ldexp(1 + random_unit(), top - (int)random_below(exponents)));
      w.u64 |= 1;
    } else
      w = random_word(type, kind);
    put(type, data, i, w);
  }
}

/* The bytes that a sum has to have. */
static iw_exact_sum sum_of(const exact *e)
{
  iw_exact_sum sum = IW_EXACT_SUM_EMPTY;
  const int negative = big_compare(&e->part[0], &e->part[1]) < 0;
  const big magnitude = big_minus(&e->part[negative], &e->part[!negative]);
  uint64_t carry = (uint64_t)negative;
  for (unsigned k = 0; k < NUMBER_WORDS; k++) {
    /* in units of 2^-1075, of which the lowest bit is 0 */
    uint64_t bits = (magnitude.w[2 * k] | (uint64_t)magnitude.w[2 * k + 1] << 32) >> 1
      | (uint64_t)(2 * k + 2 < WORDS ? magnitude.w[2 * k + 2] : 0) << 63;
    bits = negative ? ~bits + carry : bits;
    carry = carry && negative && bits == 0;
    sum.words[k] = bits;
  }
  sum.nonfinite = (e->nan ? 1u : 0) | (e->infinite[0] ? 2u : 0) | (e->infinite[1] ? 4u : 0);
  return sum;
}

static exact reference_sum(iw_type type, const void *a, const void *b, size_t n)
{
  exact e = { .nan = 0 };
  for (size_t i = 0; i < n; i++)
    if (b)
      exact_add(&e, IW_F64, (word){ .f64 = real_of(type, a, i) * real_of(type, b, i) });
    else
      exact_add(&e, type, get(type, a, i));
  return e;
}

static void check_sum(const setting *at, const char *what, const exact *right, const iw_exact_sum *found)
{
  const iw_exact_sum sum = sum_of(right);
  SAME(at, what, &sum, found, sizeof sum / 8, 8);
  for (int t = 0; t < FLOAT_TYPES; t++) {
    const iw_type type = floats[t];
    const word expected = exact_round(right, type);
    word rounded = { .u64 = 0 };
    MUST(at, iw_exact_sum_round(found, type, &rounded));
    SAME(at, "rounded", &expected, &rounded, 1, iw_type_size(type));
  }
}

/* n elements of a kind: in one call, to each type; then in pieces, in another order, to several sums that
 * are merged. */
static void check_case(const setting *at, iw_type type, size_t n, int kind)
{
  const size_t size = iw_type_size(type);
  array a = array_new(size, n), b = array_new(size, n);
  fill_kind(type, a.data, n, kind);
  fill_kind(type, b.data, n, (int)random_below(KINDS));
  for (int products = 0; products < (type == IW_F64 ? 1 : 2); products++) {
    const exact right = reference_sum(type, a.data, products ? b.data : NULL, n);
    for (int t = 0; t < FLOAT_TYPES; t++) {
      const iw_type to = floats[t];
      const word expected = exact_round(&right, to);
      array result = array_new(iw_type_size(to), 1);
      if (products)
        MUST(at, iw_dot_exact(at->context, type, a.data, b.data, n, to, result.data));
      else
        MUST(at, iw_sum_exact(at->context, type, a.data, n, to, result.data));
      SAME(at, products ? "dot product" : "sum", &expected, result.data, 1, iw_type_size(to));
      ck_assert_msg(array_intact(&result, result.bytes), "wrote outside the result");
      array_free(&result);
    }
    iw_exact_sum sums[3] = { IW_EXACT_SUM_EMPTY, IW_EXACT_SUM_EMPTY, IW_EXACT_SUM_EMPTY };
    size_t ends[4] = { 0, random_below(n + 1), random_below(n + 1), n };
    if (ends[1] > ends[2]) {
      const size_t first = ends[1];
      ends[1] = ends[2], ends[2] = first;
    }
    for (int p = 2; p >= 0; p--) {
      const char *const x = (const char *)a.data + ends[p] * size, *const y = (const char *)b.data + ends[p] * size;
      iw_exact_sum *const sum = &sums[random_below(3)];
      const size_t here = ends[p + 1] - ends[p];
      if (products)
        MUST(at, iw_exact_sum_add_products(at->context, type, x, y, here, sum));
      else
        MUST(at, iw_exact_sum_add(at->context, type, x, here, sum));
    }
    MUST(at, iw_exact_sum_merge(&sums[1], &sums[2]));
    MUST(at, iw_exact_sum_merge(&sums[1], &sums[0]));
    check_sum(at, products ? "merged dot product" : "merged sum", &right, &sums[1]);
  }
  array_free(&a);
  array_free(&b);
}

START_TEST(random_sums)
{
  const iw_type type = floats[_i % FLOAT_TYPES];
  const int kind = _i / FLOAT_TYPES;
  settings all = settings_open();
  start_random(700 + (unsigned)_i);
  for (unsigned round = 0; round < 14; round++) {
    const size_t n = round < 4 ? random_below(40) : round < 12 ? random_size(5000) : random_size(MOST);
    FOR_SETTINGS(at, &all, n + 301) check_case(at, type, n, kind);
  }
  settings_close(&all);
}
END_TEST

/* Sizes around those of vectors, rows, chunks and a block's share. */
START_TEST(sizes)
{
  static const size_t around[] = { 1, 4, 8, 32, 64, 128, 256, 512, 1024, 8192, 16384 };
  settings all = settings_open();
  start_random(760 + (unsigned)_i);
  for (size_t k = 0; k < sizeof around / sizeof *around; k++)
    for (size_t n = around[k] - 1; n <= around[k] + 1; n++)
      FOR_SETTINGS(at, &all, n + 301) check_case(at, floats[_i], n, (int)random_below(KINDS));
  settings_close(&all);
}
END_TEST

/* So many elements of one sign that folds have to be emptied, by one thread and by each of several. */
START_TEST(many_elements)
{
  const iw_type type = floats[_i];
  const size_t n = (getenv("ISOWARP_TEST_BRIEF") ? 300000 : 2500000) + 77;
  array a = array_new(iw_type_size(type), n);
  settings all = settings_open();
  start_random(780 + (unsigned)_i);
  for (size_t i = 0; i < n; i++) {
    word w = float_of(type, 2 - random_unit() / 16);
    w.u64 |= 1;
    put(type, a.data, i, w);
  }
  const exact right = reference_sum(type, a.data, NULL, n);
  const iw_exact_sum expected = sum_of(&right); /* a rounded sum would hide errors of last bits */
  FOR_SETTINGS(at, &all, n) {
    iw_exact_sum sum = IW_EXACT_SUM_EMPTY;
    MUST(at, iw_exact_sum_add(at->context, type, a.data, n, &sum));
    check_sum(at, "sum", &right, &sum);
  }
  settings_close(&all);
  iw_context *one;
  iw_exact_sum sum = IW_EXACT_SUM_EMPTY;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = 1 };
  ck_assert_int_eq(iw_context_open(&one, &o), IW_OK);
  ck_assert_int_eq(iw_exact_sum_add(one, type, a.data, n, &sum), IW_OK);
  ck_assert_msg(memcmp(&sum, &expected, sizeof sum) == 0, "one thread: the sum differs");
  iw_context_close(one);
  array_free(&a);
}
END_TEST

START_TEST(by_hand)
{
  static const struct { double w[4], sum; } list[] = {
    { { 1e308, 1e308, -1e308, -1e308 }, 0 }, { { 1, 0x1p-53 }, 1 }, { { 1, 0x1p-53, 0x1p-1074 }, 1 + 0x1p-52 },
    { { 1 + 0x1p-52, 0x1p-53 }, 1 + 0x1p-51 }, { { DBL_MAX, 0x1p970 }, (double)INFINITY },
    { { DBL_MAX, 0x1p969 }, DBL_MAX }, { { -DBL_MAX, -0x1p970 }, -(double)INFINITY },
    { { 0x1p-1074, 0x1p-1074 }, 0x1p-1073 }, { { 0x1p-1022, -0x1p-1074 }, 0x0.fffffffffffffp-1022 },
    { { -0.0, -0.0, -0.0, -0.0 }, 0 }, { { 5, -5 }, 0 }, { { 1e16, 1, -1e16 }, 1 },
    { { (double)INFINITY, 1, 2 }, (double)INFINITY }, { { -(double)INFINITY, DBL_MAX }, -(double)INFINITY },
    { { 1e308, 1, -1e308, 0x1p-1074 }, 1 }, { { DBL_MAX, DBL_MAX, -DBL_MAX, 0x1p-1000 }, DBL_MAX },
    /* a little less or more than a tie, far below the bits that are kept */
    { { 1, 0x1p-53, -0x1p-1074 }, 1 }, { { 1 + 0x1p-52, 0x1p-53, -0x1p-300 }, 1 + 0x1p-52 },
    { { -1, -0x1p-53, 0x1p-1074 }, -1 }, { { -1, -0x1p-53, -0x1p-200 }, -1 - 0x1p-52 },
    { { DBL_MAX, 0x1p970, -0x1p-1074 }, DBL_MAX }, { { 1, -0x1p-54, -0x1p-1074 }, 1 - 0x1p-53 }, { { 1, -0x1p-1074 }, 1 },
  };
  static const double nans[][2] = { { (double)NAN, 1 }, { (double)INFINITY, -(double)INFINITY } };
  const float tiny[2] = { 0x1p-149f, 0x1p-149f }, other[2] = { 0x1p-149f, -0x1p-149f };
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 1) {
    double sum;
    float narrow;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
      MUST(at, iw_sum_exact(at->context, IW_F64, list[i].w, 4, IW_F64, &sum));
      SAME(at, "sum", &list[i].sum, &sum, 1, 8);
    }
    for (size_t i = 0; i < 2; i++) {
      const uint64_t canonical = 0x7ff8000000000000u;
      MUST(at, iw_sum_exact(at->context, IW_F64, nans[i], 2, IW_F64, &sum));
      SAME(at, "NaN", &canonical, &sum, 1, 8);
    }
    MUST(at, iw_sum_exact(at->context, IW_F64, NULL, 0, IW_F64, &sum));
    ck_assert(sum == 0 && !signbit(sum));
    MUST(at, iw_sum_exact(at->context, IW_F64, &list[0].w[0], 1, IW_F32, &narrow));
    ck_assert(narrow == INFINITY);
    /* 2^-298 is too small for f32, not for a sum */
    MUST(at, iw_dot_exact(at->context, IW_F32, tiny, other, 1, IW_F64, &sum));
    ck_assert(sum == 0x1p-298);
    MUST(at, iw_dot_exact(at->context, IW_F32, tiny, other, 2, IW_F64, &sum));
    ck_assert(sum == 0 && !signbit(sum));
    MUST(at, iw_dot_exact(at->context, IW_F32, tiny, other, 1, IW_F32, &narrow));
    ck_assert(narrow == 0 && !signbit(narrow));
  }
  settings_close(&all);
}
END_TEST

/* 2^36 additions of the largest numbers and of the smallest, by merging a sum with itself. */
START_TEST(many_additions)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 1) {
    const double x[2] = { DBL_MAX, 0x1p-1074 }, minus = -DBL_MAX;
    iw_exact_sum sum = IW_EXACT_SUM_EMPTY, less = IW_EXACT_SUM_EMPTY;
    double rounded;
    MUST(at, iw_exact_sum_add(at->context, IW_F64, x, 2, &sum));
    MUST(at, iw_exact_sum_add(at->context, IW_F64, &minus, 1, &less));
    for (int k = 0; k < 36; k++) {
      MUST(at, iw_exact_sum_merge(&sum, &sum));
      MUST(at, iw_exact_sum_merge(&less, &less));
    }
    MUST(at, iw_exact_sum_round(&sum, IW_F64, &rounded));
    ck_assert(isinf(rounded) && rounded > 0);
    MUST(at, iw_exact_sum_merge(&sum, &less));
    MUST(at, iw_exact_sum_round(&sum, IW_F64, &rounded));
    ck_assert(rounded == 0x1p-1038);
    MUST(at, iw_exact_sum_round(&less, IW_F64, &rounded));
    ck_assert(isinf(rounded) && rounded < 0);
  }
  settings_close(&all);
}
END_TEST

/* The format that is documented: words in units of 2^-1074. */
START_TEST(format)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 1) {
    const double x[3] = { 0x1p-1074, 1, (double)INFINITY }, minus = -0x1p-1074;
    iw_exact_sum sum = IW_EXACT_SUM_EMPTY, right = IW_EXACT_SUM_EMPTY;
    right.words[0] = 1;
    MUST(at, iw_exact_sum_add(at->context, IW_F64, x, 1, &sum));
    SAME(at, "2^-1074", &right, &sum, sizeof sum / 8, 8);
    right.words[1074 / 64] = (uint64_t)1 << 1074 % 64;
    right.nonfinite = 2;
    MUST(at, iw_exact_sum_add(at->context, IW_F64, x + 1, 2, &sum));
    SAME(at, "and 1, +inf", &right, &sum, sizeof sum / 8, 8);
    sum = (iw_exact_sum)IW_EXACT_SUM_EMPTY;
    memset(right.words, 0xff, sizeof right.words);
    right.nonfinite = 0;
    MUST(at, iw_exact_sum_add(at->context, IW_F64, &minus, 1, &sum));
    SAME(at, "-2^-1074", &right, &sum, sizeof sum / 8, 8);
  }
  settings_close(&all);
}
END_TEST

START_TEST(refused)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 1) {
    iw_context *const c = at->context;
    double in[4] = { 1, 2, 3, 4 }, sum = 7;
    float narrow[4] = { 1, 2, 3, 4 };
    iw_exact_sum e = IW_EXACT_SUM_EMPTY, other = IW_EXACT_SUM_EMPTY;
    REFUSED(iw_sum_exact(NULL, IW_F64, in, 4, IW_F64, &sum), IW_ERROR_INVALID, "context is NULL");
    REFUSED(iw_sum_exact(c, IW_I32, in, 4, IW_F64, &sum), IW_ERROR_INVALID, "type is i32");
    REFUSED(iw_sum_exact(c, IW_F64, in, 4, IW_U64, &sum), IW_ERROR_INVALID, "result_type is u64");
    REFUSED(iw_sum_exact(c, IW_F64, NULL, 4, IW_F64, &sum), IW_ERROR_INVALID, "in is NULL");
    REFUSED(iw_sum_exact(c, IW_F64, in, (size_t)1 << 36, IW_F64, &sum), IW_ERROR_INVALID, "n is 68719476736");
    REFUSED(iw_sum_exact(c, IW_F64, in, 4, IW_F64, NULL), IW_ERROR_INVALID, "result");
    REFUSED(iw_sum_exact(c, IW_F64, in, 4, IW_F64, &in[2]), IW_ERROR_OVERLAP, "result");
    REFUSED(iw_sum_exact(c, IW_F64, (char *)in + 4, 2, IW_F64, &sum), IW_ERROR_INVALID, "in");
    REFUSED(iw_dot_exact(c, IW_F64, in, in, 4, IW_F64, &sum), IW_ERROR_INVALID, "type is f64");
    REFUSED(iw_dot_exact(c, IW_F32, narrow, NULL, 4, IW_F64, &sum), IW_ERROR_INVALID, "b is NULL");
    REFUSED(iw_dot_exact(c, IW_F32, narrow, narrow, 4, IW_F32, &narrow[1]), IW_ERROR_OVERLAP, "result");
    REFUSED(iw_exact_sum_add(c, IW_F64, in, 4, NULL), IW_ERROR_INVALID, "sum");
    other.format = 2;
    REFUSED(iw_exact_sum_add(c, IW_F64, in, 4, &other), IW_ERROR_INVALID, "sum->format is 2");
    REFUSED(iw_exact_sum_merge(&e, &other), IW_ERROR_INVALID, "other->format is 2");
    REFUSED(iw_exact_sum_round(&other, IW_F64, &sum), IW_ERROR_INVALID, "sum->format is 2");
    other.format = IW_EXACT_SUM_FORMAT;
    other.nonfinite = 8;
    REFUSED(iw_exact_sum_merge(&e, &other), IW_ERROR_INVALID, "other->nonfinite is 8");
    REFUSED(iw_exact_sum_round(&e, IW_I64, &sum), IW_ERROR_INVALID, "type is i64");
    REFUSED(iw_exact_sum_round(&e, IW_F64, NULL), IW_ERROR_INVALID, "result");
    REFUSED(iw_exact_sum_round(&e, IW_F64, &e.words[3]), IW_ERROR_OVERLAP, "result");
    ck_assert(sum == 7 && e.words[0] == 0 && e.nonfinite == 0);
    MUST(at, iw_dot_exact(c, IW_F32, narrow, narrow, 4, IW_F64, &sum)); /* inputs may overlap */
    ck_assert(sum == 30);
  }
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("exact");
  TCase *c = new_case(suite, "exact sums");
  tcase_add_loop_test(c, random_sums, 0, FLOAT_TYPES * KINDS);
  tcase_add_loop_test(c, sizes, 0, FLOAT_TYPES);
  tcase_add_loop_test(c, many_elements, 0, FLOAT_TYPES);
  tcase_add_test(c, by_hand);
  tcase_add_test(c, many_additions);
  tcase_add_test(c, format);
  tcase_add_test(c, refused);
  return run_suite_on_all(suite);
}
