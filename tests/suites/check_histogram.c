/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms of all types against the definition: a bin is what its edges say, decided by comparison.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "reference.h"

#include <float.h>

enum { TYPES = IW_BF16 + 1 };

/* ---- One input against the reference ----------------------------------------------------------------- */

/* What the library should say of the samples. */
typedef struct counted { uint64_t *counts, outside[3]; size_t outputs; } counted;

static counted counted_new(iw_type type, const void *samples, size_t n, const iw_histogram_spec *spec)
{
  counted c = { .counts = malloc((spec->bins + 2) * sizeof *c.counts) };
  ck_assert_ptr_nonnull(c.counts);
  reference_histogram(type, samples, n, spec, c.counts, c.outside);
  c.outputs = spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
  uint64_t sum = c.outside[NOT_A_NUMBER] + (spec->policy == IW_POLICY_DROP ? c.outside[BELOW] + c.outside[ABOVE] : 0);
  for (size_t k = 0; k < c.outputs; k++)
    sum += c.counts[k];
  ck_assert_uint_eq(sum, n); /* none is lost, and none counted twice */
  return c;
}

/* MANY: the samples are counted again and again, so often that they are too many for one warp. */
typedef enum amount { AS_THEY_ARE, MANY } amount;

/* How often the samples are counted. iw_is_small_n() of schedule.c has these numbers; check_way() tests that
 * a plan agrees. */
static size_t times_of(const setting *at, amount how, size_t n, size_t bins)
{
  const size_t small_n = on_gpu(at) ? 256 : 2048 + (bins < 65536 ? bins : 65536) / 2;
  return how == AS_THEY_ARE || !n ? 1 : small_n / n + 1;
}

/* The samples so often; they do not begin at a multiple of a row. */
static const void *repeated(array *to, size_t size, const void *samples, size_t n, size_t times)
{
  *to = array_new(size, times * n + 1);
  for (size_t k = 0; k < times; k++)
    memcpy((char *)to->data + size + k * n * size, samples, n * size);
  return (const char *)to->data + size;
}

/* By a spec, or by a plan that was made of it and has looked at some of the samples. */
static void check_way(const setting *at, iw_type type, const void *samples, size_t n,
                      const iw_histogram_spec *given, amount how, const counted *expected, int planned)
{
  iw_histogram_spec spec = *given;
  const int narrow = spec.counter_width == 4, adds = (spec.flags & IW_HIST_ACCUMULATE) != 0;
  const size_t size = narrow ? sizeof(uint32_t) : sizeof(uint64_t);
  iw_histogram_report report = { .size = sizeof report };
  array counts = array_new(size, expected->outputs), right = array_new(size, expected->outputs);
  const size_t times = times_of(at, how, n, spec.bins);
  array all = { 0 };
  char what[160];
  if (times > 1) {
    samples = repeated(&all, iw_type_size(type), samples, n, times);
    n *= times;
  }
  snprintf(what, sizeof what, "%zu bins of %s (n = %zu, kind %d, policy %d, flags %u, counters of %zu)", spec.bins,
           iw_type_name(type), n, (int)spec.kind, (int)spec.policy, spec.flags, spec.counter_width);
  for (size_t k = 0; k < expected->outputs; k++) {
    const uint64_t before = adds ? 7 * k + 1 : 0, count = before + times * expected->counts[k];
    if (narrow) {
      ((uint32_t *)counts.data)[k] = (uint32_t)before;
      ((uint32_t *)right.data)[k] = (uint32_t)count;
    } else {
      memcpy((uint64_t *)counts.data + k, &before, sizeof before);
      memcpy((uint64_t *)right.data + k, &count, sizeof count);
    }
  }
  const uint64_t outside[] = { times * expected->outside[0], times * expected->outside[1], times * expected->outside[2] };
  int reports = 1;
  iw_histogram_plan *plan = NULL;
  if (planned) {
    iw_histogram_plan_info info = { .size = sizeof info };
    reports = random_below(2) != 0;
    MUST(at, plan_of(at->context, type, &spec, samples, random_below(2) ? n / 3 : 0, &plan));
    MUST(at, iw_histogram_plan_get_info(at->context, plan, n, &info));
    if (how == MANY && n)
      ck_assert_msg(strstr(info.why, "by whole rows") != NULL, "%s", info.why);
    memset(&spec, 0xee, sizeof spec); /* a plan needs nothing of the spec that it was made of */
    spec = iw_spec_of_plan(plan);
  }
  MUST(at, histogram_of(at->context, type, &spec, samples, n, counts.data, reports ? &report : NULL));
  iw_histogram_plan_free(plan);
  SAME(at, what, right.data, counts.data, expected->outputs, size);
  ck_assert_msg(array_intact(&counts, counts.bytes), "%s wrote outside its counters", what);
  if (reports) {
    SAME(at, what, &outside[BELOW], &report.underflow, 1, 8);
    SAME(at, what, &outside[ABOVE], &report.overflow, 1, 8);
    SAME(at, what, &outside[NOT_A_NUMBER], &report.nan, 1, 8);
  }
  array_free(&counts);
  array_free(&right);
  if (times > 1)
    array_free(&all);
}

static void check_with(const setting *at, iw_type type, const void *samples, size_t n,
                       const iw_histogram_spec *spec, amount how, const counted *expected)
{
  check_way(at, type, samples, n, spec, how, expected, 0);
  if (!(spec->kind == IW_HISTOGRAM_EVEN && !spec->lo) && random_below(3) == 0)
    check_way(at, type, samples, n, spec, how, expected, 1);
}

/* On every setting the samples, and on one in four of them also many; or on all. */
static void check_counts(settings *all, iw_type type, const void *samples, size_t n,
                         const iw_histogram_spec *spec, int every)
{
  counted expected = counted_new(type, samples, n, spec);
  unsigned turn = (unsigned)random_below(4);
  FOR_SETTINGS(at, all, n) {
    check_with(at, type, samples, n, spec, AS_THEY_ARE, &expected);
    if ((every || turn++ % 4 == 0) && times_of(at, MANY, n, spec->bins) > 1)
      check_with(at, type, samples, n, spec, MANY, &expected);
  }
  free(expected.counts);
}

/* ---- Samples ----------------------------------------------------------------------------------------- */

static const iw_type integer_types[] = { IW_U8, IW_U16, IW_I32, IW_U32, IW_I64, IW_U64, IW_I8, IW_I16, IW_BOOL };
/* All types but f32 and f64, whose values are too many to try all of a narrow one. */
static const iw_type counted_types[] = { IW_U8, IW_U16, IW_I32, IW_U32, IW_I64, IW_U64, IW_I8, IW_I16, IW_BOOL, IW_F16, IW_BF16 };

/* Bytes of bool that are not 0 or 1 are as of u8. */
static iw_type as_bytes(iw_type type) { return type == IW_BOOL ? IW_U8 : type; }
static int is_byte(iw_type type) { return iw_type_size(type) == 1; }

/* A number as a value of a float type. */
static word real_word(iw_type type, double x)
{
  word w = { .u64 = 0 };
  if (type == IW_F32)
    w.f32 = (float)x;
  else if (type == IW_F64)
    w.f64 = x;
  else
    w.u16 = half_of(type, x);
  return w;
}

/* The neighbour of a value, below (-1) or above (1). */
static word neighbour(iw_type type, word w, int step)
{
  if (is_half(type) && step) {
    const float x = half_value(type, w.u16);
    if (x == 0)
      w.u16 = step < 0 ? 0x8001 : 1;
    else if (!isinf(x) || (x > 0) == (step < 0)) /* there is none beyond */
      w.u16 = (uint16_t)(w.u16 + ((x > 0) == (step > 0) ? 1 : -1));
    return w;
  }
  if (type == IW_F32)
    w.f32 = nextafterf(w.f32, step < 0 ? -INFINITY : INFINITY);
  else if (type == IW_F64)
    w.f64 = nextafter(w.f64, step < 0 ? -(double)INFINITY : (double)INFINITY);
  else
    w.u64 += (uint64_t)(int64_t)step;
  return w;
}

static word edge_at(iw_type type, const edges *e, size_t k)
{
  return e->f ? real_word(type, e->f[k]) : (word){ .u64 = (uint64_t)e->i[k] };
}

/* Samples inside and around [e(0), e(bins)], then some of every flavour, then each edge and both its
 * neighbours. */
static void fill_around(iw_type type, array *samples, size_t n, const edges *e)
{
  for (size_t i = 0; i < n; i++) {
    const size_t k = (size_t)random_below(e->bins + 1);
    const word edge = edge_at(type, e, k), next = edge_at(type, e, k < e->bins ? k + 1 : k);
    word w = random_word(as_bytes(type), (int)random_below(FLAVOURS));
    switch (random_below(4)) {
    case 0: w = neighbour(type, edge, (int)random_below(3) - 1); break;
    case 1:
    case 2:
      if (type == IW_F32)
        w.f32 = (float)((double)edge.f32 + random_unit() * ((double)next.f32 - (double)edge.f32));
      else if (type == IW_F64)
        w.f64 = edge.f64 + random_unit() * (next.f64 - edge.f64);
      else if (is_half(type))
        w = real_word(type, real_of(type, &edge, 0) + random_unit() * (real_of(type, &next, 0) - real_of(type, &edge, 0)));
      else
        w.u64 = edge.u64 + (next.u64 > edge.u64 ? random_below(next.u64 - edge.u64) : 0);
      break;
    default: break;
    }
    if (i < 3 * (e->bins + 1)) /* none is left out */
      w = neighbour(type, edge_at(type, e, i / 3), (int)(i % 3) - 1);
    put(type, samples->data, i, w);
  }
}

static int increasing(const edges *e)
{
  for (size_t k = 0; k < e->bins; k++)
    if (e->f ? !(e->f[k] < e->f[k + 1]) : e->i[k] >= e->i[k + 1])
      return 0;
  return 1;
}

static void random_choices(iw_type type, iw_histogram_spec *spec)
{
  spec->policy = (iw_policy)random_below(3);
  spec->flags = (unsigned)random_below(4); /* closed top, accumulate */
  spec->counter_width = random_below(2) ? 4 : 0;
  if (!is_float(type) && spec->kind == IW_HISTOGRAM_EVEN && random_below(3) == 0)
    spec->flags |= IW_HIST_HI_INCLUDED;
}

/* ---- Even bins --------------------------------------------------------------------------------------- */

/* A range: neat ones, wide ones, the ends of the type, tiny ones; mostly not empty. */
static void random_range(iw_type type, word *lo, word *hi)
{
  static const double neat[][2] = { { 0, 1 }, { 0, 0.7 }, { -1, 1 }, { 0.1, 0.3 }, { 1e6, 1e6 + 1 },
                                   { -3, 12 } };
  const int flavour = (int)random_below(5);
  *lo = random_word(as_bytes(type), flavour < SPECIAL ? WIDE : flavour % FLAVOURS);
  *hi = random_word(as_bytes(type), flavour < SPECIAL ? WIDE : flavour % FLAVOURS);
  if (is_float(type) && flavour >= 3) {
    const double *pair = neat[random_below(sizeof neat / sizeof *neat)];
    *lo = real_word(type, pair[0]), *hi = real_word(type, pair[1]);
  }
  put(type, lo, 0, *lo);
  put(type, hi, 0, *hi);
  if (is_float(type) ? real_of(type, lo, 0) > real_of(type, hi, 0)
                     : integer_of(type, lo, 0) > integer_of(type, hi, 0)) {
    const word other = *lo;
    *lo = *hi;
    *hi = other;
  }
}

/* Whether such a range can be had at all. */
static int possible(iw_type type, const iw_histogram_spec *spec)
{
  if (is_float(type)) {
    const double lo = real_of(type, spec->lo, 0), hi = real_of(type, spec->hi, 0);
    return isfinite(lo) && isfinite(hi) && lo < hi && isfinite(hi - lo);
  }
  return integer_of(type, spec->lo, 0) < integer_of(type, spec->hi, 0) + includes_hi(type, spec);
}

static void check_even_between(settings *all, iw_type type, word lo, word hi, size_t bins, size_t n, int every)
{
  iw_histogram_spec spec = { .size = sizeof spec, .kind = IW_HISTOGRAM_EVEN, .bins = bins, .lo = &lo,
                            .hi = &hi };
  random_choices(type, &spec);
  edges e = { NULL, NULL, 0, 0 };
  const int can = possible(type, &spec) && (e = edges_of(type, &spec), increasing(&e));
  array samples = array_new(iw_type_size(type), n), found = array_new(iw_type_size(type), bins + 1);
  if (can) {
    array right = array_new(iw_type_size(type), bins + 1);
    for (size_t k = 0; k <= bins; k++)
      put(type, right.data, k, edge_at(type, &e, k));
    if (!is_float(type) && includes_hi(type, &spec)
        && (integer_of(type, right.data, bins) != e.i[bins] || (type == IW_BOOL && e.i[bins] == 2)))
      put(type, right.data, bins, hi); /* one past the type */
    MUST(&all->at[0], write_edges_of(type, &spec, found.data));
    SAME(&all->at[0], "edges", right.data, found.data, bins + 1, iw_type_size(type));
    ck_assert(array_intact(&found, found.bytes));
    array_free(&right);
    fill_around(type, &samples, n, &e);
    check_counts(all, type, samples.data, n, &spec, every);
  } else {
    uint64_t *counts = malloc((bins + 2) * sizeof *counts);
    ck_assert_int_eq(write_edges_of(type, &spec, found.data), IW_ERROR_INVALID);
    ck_assert(array_intact(&found, 0));
    ck_assert_int_eq(histogram_of(all->at[0].context, type, &spec, samples.data, n, counts, NULL),
                     IW_ERROR_INVALID);
    free(counts);
  }
  edges_free(&e);
  array_free(&samples);
  array_free(&found);
}

static void check_random_even(settings *all, iw_type type, size_t bins, size_t n, int every)
{
  word lo, hi;
  random_range(type, &lo, &hi);
  check_even_between(all, type, lo, hi, bins, n, every);
}

START_TEST(random_even)
{
  settings all = settings_open();
  start_random(1000 + (unsigned)_i);
  for (unsigned round = 0; round < 12; round++)
    check_random_even(&all, (iw_type)_i, 1 + random_size(60), (size_t)random_below(300), 0);
  for (unsigned round = 0; round < 60; round++)
    check_random_even(&all, (iw_type)_i, random_size(is_byte((iw_type)_i) ? 250 : 2000), 301 + random_size(9000),
                      round % 8 == 0);
  settings_close(&all);
}
END_TEST

/* As many bins as a closed range has integers, or one more or less, at the ends of the type and elsewhere. */
START_TEST(bin_of_each_value)
{
  const iw_type type = (iw_type)_i;
  settings all = settings_open();
  start_random(1100 + (unsigned)_i);
  for (unsigned round = 0; round < 48 && !is_float(type); round++) {
    word lo = random_word(as_bytes(type), WIDE), hi = { .u64 = 0 };
    const size_t steps = random_below(type == IW_BOOL ? 2 : round % 3 ? 9 : 100), bins = steps + random_below(3);
    if (round % 4 == 0) { /* up to the largest value of the type */
      const int is_signed = type == IW_I8 || type == IW_I16 || type == IW_I32 || type == IW_I64;
      lo.u64 = (type == IW_BOOL ? 1 : UINT64_MAX >> (64 - 8 * iw_type_size(type) + (size_t)is_signed)) - steps;
    }
    put(type, &hi, 0, (word){ .u64 = lo.u64 + steps });
    put(type, &lo, 0, lo);
    if (integer_of(type, &lo, 0) <= integer_of(type, &hi, 0))
      check_even_between(&all, type, lo, hi, bins ? bins : 1, 1 + (size_t)random_below(600), round % 5 == 0);
  }
  settings_close(&all);
}
END_TEST

/* Steps of 1/16 to 64 times the distance of two floats at the end of the range, where edges begin to be
 * equal; subnormal ones too. */
START_TEST(narrow_steps)
{
  static const iw_type types[] = { IW_F32, IW_F64, IW_F16, IW_BF16 };
  static const double epsilon[] = { 0x1p-23, 0x1p-52, 0x1p-10, 0x1p-7 }, least[] = { 0x1p-149, 0x1p-1074, 0x1p-24, 0x1p-133 };
  const iw_type type = types[_i];
  settings all = settings_open();
  unsigned refused = 0, taken = 0;
  start_random(1100 + (unsigned)_i);
  for (unsigned round = 0; round < 400; round++) {
    const size_t bins = 2 + random_size(300);
    const double end = (random_below(2) ? 1 : -1) * (round % 8 ? 1 + random_unit() : least[_i] * (double)random_below(1000));
    const double step = fmax(epsilon[_i] * fabs(end), least[_i]) * ldexp(1 + random_unit(), (int)random_below(10) - 4);
    const double other = end - copysign((double)bins * step, end) * (random_below(4) ? 1 : 0.5);
    const word lo = real_word(type, fmin(end, other)), hi = real_word(type, fmax(end, other));
    edges e = edges_of(type, &(iw_histogram_spec){ .size = sizeof(iw_histogram_spec), .bins = bins, .lo = &lo, .hi = &hi });
    *(increasing(&e) ? &taken : &refused) += 1;
    edges_free(&e);
    check_even_between(&all, type, lo, hi, bins, (size_t)random_below(40), 0);
  }
  ck_assert_msg(taken > 50 && refused > 50, "%u taken, %u refused", taken, refused);
  settings_close(&all);
}
END_TEST

/* So many samples that the bins are searched for, and one more. */
START_TEST(few_samples)
{
  settings all = settings_open();
  start_random(1200 + (unsigned)_i);
  for (size_t n = 1; n < 20; n++)
    for (size_t more = 0; more < 2; more++)
      check_random_even(&all, (iw_type)_i, 64 * n + 63, n + more, n % 8 == 0);
  settings_close(&all);
}
END_TEST

/* Neat sizes, over [lo, hi) that most samples are in. */
START_TEST(sizes)
{
  static const size_t list[] = {
    0, 1, 31, 32, 33, 127, 128, 129, 1023, 1025, 4097, 8191, 8192, 8193, 65537, 262143, 262144, 262145,
        (1 << 20) + 1,
  };
  const iw_type type = (iw_type)_i;
  settings all = settings_open();
  start_random(2000 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
    const size_t n = list[i];
    word lo = { .u64 = 0 }, hi = { .u64 = 0 };
    array samples = array_new(iw_type_size(type), n);
    iw_histogram_spec spec = { .size = sizeof spec, .kind = IW_HISTOGRAM_EVEN, .bins = 8 + i * 11 };
    spec.lo = &lo;
    spec.hi = &hi;
    random_choices(type, &spec);
    if (type == IW_BF16)
      spec.bins = 8 + i * 4; /* it has about 230 values there */
    if (is_float(type))
      lo = real_word(type, type == IW_F64 ? 0.1 : 0.125), hi = real_word(type, 0.9);
    else
      put(type, &lo, 0, (word){ .u64 = type == IW_I8 ? (uint64_t)-120 : 7 }),
          put(type, &hi, 0, (word){ .u64 = type == IW_I8 ? 120 : is_byte(type) ? 240 : 900 });
    fill(type, samples.data, n, UNIT);
    check_counts(&all, type, samples.data, n, &spec, n > 300 && n < 10000);
    array_free(&samples);
  }
  settings_close(&all);
}
END_TEST

/* Integers over the whole type, one bit wider than it. */
START_TEST(whole_type)
{
  const iw_type type = integer_types[_i];
  word lo = { .u64 = 0 }, hi = { .u64 = ~(uint64_t)0 };
  const size_t list[] = { 1, 2, 3, 7, 255, 256, 1000, 65535, 65536 };
  settings all = settings_open();
  start_random(3000 + (unsigned)_i);
  if (type == IW_I32)
    lo.i32 = INT32_MIN, hi.i32 = INT32_MAX;
  if (type == IW_I64)
    lo.i64 = INT64_MIN, hi.i64 = INT64_MAX;
  if (type == IW_I8)
    lo.i8 = INT8_MIN, hi.i8 = INT8_MAX;
  if (type == IW_I16)
    lo.i16 = INT16_MIN, hi.i16 = INT16_MAX;
  for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
    if (list[i] > (is_byte(type) ? 256u : 65536u))
      continue;
    const size_t n = 5000;
    iw_histogram_spec spec = {
      .size = sizeof spec, .kind = IW_HISTOGRAM_EVEN, .bins = list[i], .lo = &lo, .hi = &hi,
      .flags = IW_HIST_HI_INCLUDED,
      .policy = IW_POLICY_COUNT,
    };
    edges e = edges_of(type, &spec);
    array samples = array_new(iw_type_size(type), n);
    for (size_t s = 0; s < n; s++) {
      const word edge = edge_at(type, &e, (size_t)random_below(list[i] + 1));
      const word near = neighbour(type, edge, (int)random_below(3) - 1);
      put(type, samples.data, s, random_below(2) ? random_word(as_bytes(type), SPECIAL) : near);
    }
    check_counts(&all, type, samples.data, n, &spec, i % 4 == 1);
    counted c = counted_new(type, samples.data, n, &spec);
    ck_assert_uint_eq(c.outside[BELOW] + c.outside[ABOVE], 0);
    free(c.counts);
    spec.flags = 0; /* and without: the type's last value alone is above */
    check_counts(&all, type, samples.data, n,
                 &(iw_histogram_spec){ .size = sizeof spec, .bins = list[i] > 255 ? 255
      : list[i],
                 .lo = &lo, .hi = &hi, .policy = IW_POLICY_COUNT }, 0);
    edges_free(&e);
    array_free(&samples);
  }
  settings_close(&all);
}
END_TEST

/* Ranges and numbers of bins by the ten thousand, and all that is within 4 steps of any of their edges. */
START_TEST(around_edges)
{
  enum { NEAR = 4, EACH = 2 * NEAR + 1, MOST = 40 };
  const iw_type type = (iw_type)_i;
  const size_t size = iw_type_size(type);
  const unsigned rounds = getenv("ISOWARP_TEST_BRIEF") ? 50 : 1500;
  settings all = settings_open();
  start_random(3200 + (unsigned)_i);
  array samples = array_new(size, EACH * (MOST + 1));
  for (unsigned round = 0; round < rounds;) {
    word lo, hi;
    iw_histogram_spec spec = { .size = sizeof spec, .bins = 1 + (size_t)random_below(MOST), .lo = &lo,
                              .hi = &hi };
    random_range(type, &lo, &hi);
    random_choices(type, &spec);
    edges e = { NULL, NULL, 0, 0 };
    if (possible(type, &spec) && (e = edges_of(type, &spec), increasing(&e))) {
      const size_t n = EACH * (spec.bins + 1);
      for (size_t k = 0; k <= spec.bins; k++) {
        word w = edge_at(type, &e, k);
        for (int step = 0; step < NEAR; step++)
          w = neighbour(type, w, -1);
        for (unsigned j = 0; j < EACH; j++, w = neighbour(type, w, 1))
          put(type, samples.data, k * EACH + j, w);
      }
      const setting *const at = &all.at[round++ % all.count];
      counted expected = counted_new(type, samples.data, n, &spec);
      check_way(at, type, samples.data, n, &spec, random_below(2) ? AS_THEY_ARE : MANY, &expected,
                (int)random_below(2));
      free(expected.counts);
    }
    edges_free(&e);
  }
  array_free(&samples);
  settings_close(&all);
}
END_TEST

/* All values of a type of 1 or 2 bytes, and of a wider integer as many, equally far apart, from one end of
 * the type to the other. */
START_TEST(all_values)
{
  const iw_type type = counted_types[_i];
  const unsigned bits = 8 * (unsigned)iw_type_size(type);
  const size_t n = (size_t)1 << (bits < 16 ? bits : 16);
  const uint64_t step = bits > 16 ? ((uint64_t)1 << (bits - 16)) : 1;
  settings all = settings_open();
  start_random(3300 + (unsigned)_i);
  array samples = array_new(iw_type_size(type), n);
  for (unsigned round = 0; round < 12;) {
    word lo, hi;
    iw_histogram_spec spec = { .size = sizeof spec, .bins = random_size(is_byte(type) ? 250 : is_half(type) ? 300 : 3000),
                              .lo = &lo, .hi = &hi };
    random_range(type, &lo, &hi);
    random_choices(type, &spec);
    edges e = { NULL, NULL, 0, 0 };
    if (spec.bins && possible(type, &spec) && (e = edges_of(type, &spec), increasing(&e))) {
      for (size_t k = 0; k < n; k++)
        put(type, samples.data, k, is_half(type) ? (word){ .u16 = (uint16_t)k } : (word){ .u64 = k * step + random_below(step) });
      check_counts(&all, type, samples.data, n, &spec, 0);
      round++;
    }
    edges_free(&e);
  }
  array_free(&samples);
  settings_close(&all);
}
END_TEST

/* Bit patterns of f32: first, first + stride, … below end. */
typedef struct patterns { uint64_t first, end, stride; } patterns;

/* How many of them are in [from, to). */
static uint64_t between(const patterns *p, uint64_t from, uint64_t to)
{
  const uint64_t low = from > p->first ? from : p->first, high = to < p->end ? to : p->end;
  const uint64_t skipped = (low - p->first + p->stride - 1) / p->stride;
  return high > low ? (high - p->first + p->stride - 1) / p->stride - skipped : 0;
}

/* And how many stand for less than x: no search is needed to know that. */
static uint64_t less_than(const patterns *p, float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (x > 0)
    return between(p, 0, bits) + between(p, 0x80000000, 0xff800001);
  return between(p, x < 0 ? bits + (uint64_t)1 : 0x80000001, 0xff800001);
}

/* Every float that there is, with ISOWARP_TEST_LARGE=1, or else one of 4099, in chunks of the order of
 * their bits: after each of them, how many there were for a bin, its edges' bits say. In even bins, then by
 * random edges. */
START_TEST(all_floats)
{
  enum { EVEN = 6, ALL = 1 << 22, FEW = 1 << 14 };
  static const float ranges[EVEN][2] = {
    { 0, 1 }, { -1, 1 }, { 0.1f, 0.7f }, { -3e38f, 3e37f }, { 0, 1e-41f }, { 1e6f, 1e6f + 4 },
  };
  static const size_t bins[] = { 256, 1000, 65, 4096, 100, 3, 37, 3000 };
  const char *const asked = getenv("ISOWARP_TEST_LARGE");
  const int every = asked && atoi(asked);
  const size_t chunk = every ? ALL : FEW;
  settings all = settings_open();
  start_random(3400 + (unsigned)_i);
  const uint64_t stride = every ? 1 : 4099, first = random_below(stride), closed = random_below(2);
  iw_histogram_spec spec = {
    .size = sizeof spec, .bins = bins[_i], .policy = IW_POLICY_COUNT,
    .flags = IW_HIST_ACCUMULATE | (closed ? IW_HIST_CLOSED_TOP : 0),
  };
  float *const given = malloc((spec.bins + 1) * sizeof *given);
  if (_i < EVEN) {
    spec.lo = &ranges[_i][0];
    spec.hi = &ranges[_i][1];
  } else {
    spec.kind = IW_HISTOGRAM_EDGES;
    spec.edges = given;
    fill(IW_F32, given, spec.bins + 1, WIDE);
    spec.bins = sort_values(IW_F32, given, spec.bins + 1) - 1;
  }
  edges e = edges_of(IW_F32, &spec);
  const float bottom = (float)e.f[0], last = (float)e.f[spec.bins],
      top = closed ? nextafterf(last, INFINITY) : last;
  uint64_t *const right = malloc((spec.bins + 2) * sizeof *right),
      *const found = malloc((spec.bins + 2) * sizeof *found);
  float *const samples = malloc(chunk * sizeof *samples);
  FOR_SETTINGS(one, &all, chunk) {
    const setting *const at = every ? &all.at[(one - all.at) / SHAPES * SHAPES] : one; /* of all of them: by one thread */
    iw_histogram_plan *plan;
    patterns past = { first, first, stride };
    uint64_t nans = 0;
    memset(found, 0, (spec.bins + 2) * sizeof *found);
    MUST(at, plan_of(at->context, IW_F32, &spec, NULL, 0, &plan));
    while (past.end < (uint64_t)1 << 32) {
      iw_histogram_report report = { .size = sizeof report };
      size_t n = 0;
      for (; n < chunk && past.end < (uint64_t)1 << 32; n++, past.end += stride) {
        const uint32_t bits = (uint32_t)past.end;
        memcpy(&samples[n], &bits, sizeof bits);
      }
      MUST(at, histogram_by_plan(at->context, plan, samples, n, found, &report));
      nans += report.nan;
      const uint64_t below = less_than(&past, bottom), numbers = less_than(&past, INFINITY)
        + between(&past, 0x7f800000, 0x7f800001);
      uint64_t so_far = below;
      for (size_t k = 0; k < spec.bins; k++) {
        const uint64_t to = less_than(&past, k + 1 == spec.bins ? top : (float)e.f[k + 1]);
        right[k] = to - so_far;
        so_far = to;
      }
      right[spec.bins] = below;
      right[spec.bins + 1] = numbers - so_far;
      SAME(at, "every float", right, found, spec.bins + 2, sizeof *right);
      ck_assert_uint_eq(nans, between(&past, 0, past.end) - numbers);
    }
    iw_histogram_plan_free(plan);
  }
  free(given);
  free(right);
  free(found);
  free(samples);
  edges_free(&e);
  settings_close(&all);
}
END_TEST

/* The number of counters at which the library may change its ways: more than fit in caches, in shared
 * memory. */
START_TEST(many_bins)
{
  static const size_t list[] = { 1000, 4096, 12285, 16383, 49149, 49150, 49152, 49153, 70000, 200001 };
  settings all = settings_open();
  start_random(3500 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
    const iw_type type = i % 2 ? IW_F64 : IW_U32;
    const size_t n = 20000;
    word lo = { .u64 = 0 }, hi = { .u64 = 0 };
    if (type == IW_F64)
      lo.f64 = -1, hi.f64 = 1;
    else
      hi.u32 = 3000000000u;
    iw_histogram_spec spec = {
      .size = sizeof spec, .bins = list[i], .lo = &lo, .hi = &hi, .policy = (iw_policy)(i % 3),
      .flags = i % 4, .counter_width = i & 4,
    };
    edges e = edges_of(type, &spec);
    array samples = array_new(iw_type_size(type), n);
    fill_around(type, &samples, n, &e);
    check_counts(&all, type, samples.data, n, &spec, i % 3 == 1);
    edges_free(&e);
    array_free(&samples);
  }
  settings_close(&all);
}
END_TEST

/* More bins than f32 has guesses for whose floor all targets compute alike: 2^22. Each edge is an integer. */
START_TEST(exact_bins)
{
  static const float range[] = { 0, 0x1p23f };
  const size_t n = 20000;
  settings all = settings_open();
  start_random(3580);
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = 1 << 23, .lo = &range[0], .hi = &range[1], .counter_width = 4 };
  array samples = array_new(sizeof(float), n);
  for (size_t i = 0; i < n; i++) /* in the upper half an edge, or half way to the next */
    ((float *)samples.data)[i] = (float)random_below(1 << 24) / 2;
  counted expected = counted_new(IW_F32, samples.data, n, &spec);
  FOR_SETTINGS(at, &all, n)
    check_way(at, IW_F32, samples.data, n, &spec, MANY, &expected, 0);
  free(expected.counts);
  array_free(&samples);
  settings_close(&all);
}
END_TEST

/* Samples anywhere, many in one bin, on edges, in no bin, where counters are wide, or only for some of the
 * bins. _i: where they are narrow, on GPUs, whose counters must not overflow: the simulated one has one
 * multiprocessor. */
START_TEST(crowds)
{
  static const size_t lists[][11] = { { 40, 4093, 4094, 20000, 56900, 57400, 65536, 113600, 114500, 300000, 1000000 },
                                      { 57400, 65472 } };
  const size_t *const list = lists[_i], n = (size_t)1 << (_i ? 20 : 17);
  static const float range[] = { 0.1f, 0.9f };
  if (_i)
    setenv("ISOWARP_SIM_PROCESSORS", "1", 1);
  settings all = settings_open();
  start_random(3600);
  for (unsigned i = 0; i < sizeof *lists / sizeof **lists && list[i]; i++) {
    iw_histogram_spec spec = { .size = sizeof spec, .bins = list[i], .lo = &range[0], .hi = &range[1] };
    spec.policy = (iw_policy)(i % 3);
    edges e = edges_of(IW_F32, &spec);
    array samples = array_new(sizeof(float), n);
    for (size_t at = 0; at < n; at++) {
      const word edge = edge_at(IW_F32, &e, (size_t)random_below(e.bins + 1));
      const unsigned crowd = (unsigned)(at * 8 / n), way = (unsigned)random_below(32); /* parts with more of one kind */
      float x = (float)(0.1 + 0.8 * random_unit());
      if (way < (crowd == 1 ? 29 : crowd == 2 ? 4 : 1)) x = 0.4567f;
      else if (way < (crowd == 3 ? 29 : crowd == 4 ? 8 : 4)) x = neighbour(IW_F32, edge,
          (int)random_below(3) - 1).f32;
      else if (way < (crowd == 5 ? 30 : 5)) x = way % 3 == 0 ? NAN : way % 3 == 1 ? -1e30f : 0.95f;
      ((float *)samples.data)[at] = crowd == 6 ? edge.f32 : x;
    }
    counted expected = counted_new(IW_F32, samples.data, n, &spec);
    FOR_SETTINGS(at, &all, _i ? 0 : n)
      if (!_i || on_gpu(at))
        check_way(at, IW_F32, samples.data, n, &spec, AS_THEY_ARE, &expected, i % 2);
    free(expected.counts);
    edges_free(&e);
    array_free(&samples);
  }
  settings_close(&all);
  unsetenv("ISOWARP_SIM_PROCESSORS");
}
END_TEST

/* So many samples that a GPU puts them in order by ranges of bins first (check_bin_partition has more of
 * that, on CPUs), and bins at which it begins and ends to. */
START_TEST(many_samples)
{
  static const size_t list[] = { 113600, 114700, 131073, 1000000, (1 << 22) + 1 };
  static const iw_type types[] = { IW_F32, IW_U32, IW_F64, IW_I64, IW_F32 };
  const iw_type type = types[_i];
  const size_t n = (size_t)(*no_cuda() ? 1 << 20 : 1 << 22) + 12345; /* a GPU's bin partition begins at 2^22 */
  settings all = settings_open();
  start_random(3550 + (unsigned)_i);
  word lo = { .u64 = 0 }, hi = { .u64 = 0 };
  if (type == IW_F32)
    lo.f32 = 0.1f, hi.f32 = 0.9f;
  else if (type == IW_F64)
    lo.f64 = -1, hi.f64 = 1;
  else
    hi.u64 = 2000000000;
  iw_histogram_spec spec = { .size = sizeof spec, .bins = list[_i], .lo = &lo, .hi = &hi };
  random_choices(type, &spec);
  edges e = edges_of(type, &spec);
  array samples = array_new(iw_type_size(type), n);
  fill_around(type, &samples, n, &e);
  counted expected = counted_new(type, samples.data, n, &spec);
  FOR_SETTINGS(at, &all, n)
    for (int planned = 0; planned < 2; planned++)
      check_way(at, type, samples.data, n, &spec, AS_THEY_ARE, &expected, planned);
  free(expected.counts);
  edges_free(&e);
  array_free(&samples);
  settings_close(&all);
}
END_TEST

/* Copies of so many counters that there is memory for five blocks, but six threads have work. */
START_TEST(fewer_blocks_than_threads)
{
  enum { BINS = 2900000, N = 16000000 };
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU, .threads = 7 };
  const uint32_t lo = 5, hi = 2 * BINS + 5;
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = BINS, .lo = &lo, .hi = &hi };
  iw_histogram_plan_info info = { .size = sizeof info };
  iw_context *context;
  iw_histogram_plan *plan;
  if (getenv("ISOWARP_TEST_BRIEF"))
    return;
  uint32_t *const samples = malloc(N * sizeof *samples);
  uint64_t *const right = calloc(BINS, sizeof *right), *const found = calloc(BINS, sizeof *found);
  ck_assert(samples && right && found);
  start_random(3560);
  for (size_t i = 0; i < N; i++) {
    samples[i] = (uint32_t)random_below(2 * BINS + 10);
    if (samples[i] >= lo && samples[i] < hi)
      right[(samples[i] - lo) / 2]++;
  }
  ck_assert_int_eq(iw_context_open(&context, &options), IW_OK);
  ck_assert_int_eq(plan_of(context, IW_U32, &spec, NULL, 0, &plan), IW_OK);
  ck_assert_int_eq(iw_histogram_plan_get_info(context, plan, N, &info), IW_OK);
  ck_assert_msg(info.copies == 5, "%s", info.why);
  ck_assert_int_eq(histogram_by_plan(context, plan, samples, N, found, NULL), IW_OK);
  ck_assert_mem_eq(right, found, BINS * sizeof *right);
  iw_histogram_plan_free(plan);
  iw_context_close(context);
  free(samples);
  free(right);
  free(found);
}
END_TEST

/* ---- Private counters -------------------------------------------------------------------------------- */

/* Whole rows on every setting, from a place that is aligned to no more than an element. */
static void check_rows(settings *all, iw_type type, const array *samples, size_t n,
                       const iw_histogram_spec *spec)
{
  const void *const from = (const char *)samples->data + iw_type_size(type);
  counted expected = counted_new(type, from, n - 1, spec);
  FOR_SETTINGS(at, all, n)
    check_way(at, type, from, n - 1, spec, MANY, &expected, (int)random_below(2));
  for (setting *at = all->at; at < all->at + all->cpus; at++)
    if (at->threads == 1 && at->blocks == IW_BLOCKS_THREAD) /* so that one block counts them all */
      check_way(at, type, from, n - 1, spec, MANY, &expected, 0);
  free(expected.counts);
}

/* Samples in a bin by one of several distributions, and now and then one that is in none, or on an edge. */
static void fill_skewed(iw_type type, array *samples, size_t n, const edges *e, unsigned way)
{
  const size_t hot = (size_t)random_below(e->bins), other = (size_t)random_below(e->bins);
  for (size_t i = 0; i < n; i++) {
    size_t k = way == 0 ? (size_t)random_below(e->bins) : way == 1 ? hot : random_below(10) ? hot : other;
    if (way == 3 && i % 97 == 0)
      k = i / 97 % (e->bins + 1);
    word w = edge_at(type, e, k);
    if (way == 3 && random_below(500) == 0)
      w = random_word(as_bytes(type), (int)random_below(FLAVOURS));
    else if (way == 3 && i % 97 == 0)
      w = neighbour(type, w, (int)(i % 3) - 1);
    else if (type == IW_F32 && way != 1)
      w.f32 = (float)((double)w.f32 + random_unit() * ((double)edge_at(type, e, k + 1).f32 - (double)w.f32));
    else if (is_half(type) && way != 1)
      w = real_word(type, e->f[k] + random_unit() * (e->f[k < e->bins ? k + 1 : k] - e->f[k]));
    put(type, samples->data, i, w);
  }
}

/* Every way to count, on both sides of the numbers of counters at which another one is taken; some of them
 * so often that what is kept in registers has to be taken out, and bytes overflow. */
/* Bins that come often are counted aside, as long as they do: here it changes a few times which ones they
 * are, if any. A plan that has seen a sample takes its word for it, right or wrong. */
START_TEST(hot_bins)
{
  static const struct { iw_type type; size_t bins; } list[] = {
    { IW_F32, 100 }, { IW_F32, 250 }, { IW_U16, 900 }, { IW_F32, 2000 }, { IW_F64, 1500 }, { IW_I32, 3000 },
        { IW_F32, 70000 },
  };
  const size_t n = getenv("ISOWARP_TEST_BRIEF") ? 400000 : 3500000, parts = 7;
  settings all = settings_open();
  start_random(3700 + (unsigned)_i);
  const iw_type type = list[_i].type;
  word lo = { .u64 = 0 }, hi = { .u64 = 0 }, same = { .u64 = 0 };
  if (type == IW_F32) lo.f32 = 1, hi.f32 = 3, same.f32 = NAN;
  else if (type == IW_F64) lo.f64 = 1, hi.f64 = 3, same.f64 = 4;
  else hi.u32 = 60000, same.u32 = 61000;
  iw_histogram_spec spec = { .size = sizeof spec, .bins = list[_i].bins, .lo = &lo, .hi = &hi,
                            .policy = (iw_policy)(_i % 3) };
  array samples = array_new(iw_type_size(type), n);
  for (size_t at = 0; at < n; at++) { /* parts of uniform data, and of one, three or ten places that have much of it */
    static const unsigned places[] = { 3, 0, 1, 10, 0, 1, 3 };
    const size_t part = at * parts / n;
    const unsigned some = places[part];
    double x = random_unit();
    if (some && random_below(16) < 12)
      x = (double)(random_below(some) + part) / 20;
    word w = same;
    if (part != 5 || random_below(8) == 0) {
      if (type == IW_F32) w.f32 = (float)(1 + 2 * x);
      else if (type == IW_F64) w.f64 = 1 + 2 * x;
      else w.u32 = (uint32_t)(60000 * x);
    }
    if (type == IW_U16) ((uint16_t *)samples.data)[at] = (uint16_t)w.u32;
    else memcpy((char *)samples.data + at * iw_type_size(type), &w, iw_type_size(type));
  }
  counted expected = counted_new(type, samples.data, n, &spec);
  FOR_SETTINGS(at, &all, getenv("ISOWARP_TEST_BRIEF") ? 1 : n) {
    check_way(at, type, samples.data, n, &spec, AS_THEY_ARE, &expected, 0);
    check_way(at, type, samples.data, n, &spec, AS_THEY_ARE, &expected, 1);
  }
  free(expected.counts);
  array_free(&samples);
  settings_close(&all);
}
END_TEST

START_TEST(private_counters)
{
  static const struct { iw_type type; size_t bins, n; } list[] = {
    { IW_F32, 1, 3000 }, { IW_F32, 28, 40000 }, { IW_F32, 29, 40000 }, { IW_F32, 30, 40000 },
        { IW_F32, 32, 40000 },
    { IW_F32, 33, 40000 }, { IW_F32, 253, 40000 }, { IW_F32, 256, 70000 }, { IW_F32, 257, 40000 },
        { IW_F32, 1021, 40000 },
    { IW_F32, 1022, 40000 }, { IW_F32, 2301, 40000 }, { IW_F32, 2302, 40000 }, { IW_F32, 8189, 40000 },
        { IW_F32, 8190, 40000 },
    { IW_F32, 24600, 90000 }, { IW_F32, 65536, 200000 }, { IW_F32, 140000, 300000 },
    { IW_F32, 7, 1100001 }, { IW_F32, 32, 1100001 }, { IW_F32, 256, 1100001 }, { IW_F32, 2048, 1100001 },
        { IW_U16, 2000, 600001 },
    { IW_U16, 20, 300000 }, { IW_U16, 256, 300000 }, { IW_U16, 30000, 90000 }, { IW_F64, 31, 300000 },
        { IW_F64, 3000, 30000 },
    { IW_I64, 200, 30000 }, { IW_U32, 32, 30000 }, { IW_U8, 256, 300000 }, { IW_U8, 17, 30000 },
    { IW_I8, 200, 300000 }, { IW_BOOL, 2, 70000 }, { IW_I16, 256, 300000 }, { IW_I16, 30000, 90000 }, { IW_F16, 20, 70000 },
        { IW_F16, 300, 300001 }, { IW_F16, 1500, 90000 }, { IW_BF16, 16, 70000 }, { IW_BF16, 90, 300001 },
  };
  const iw_type type = list[_i].type;
  const size_t n = list[_i].n;
  settings all = settings_open();
  start_random(9500 + (unsigned)_i);
  for (unsigned way = 0; way < 4; way++) {
    word lo = { .u64 = 0 }, hi = { .u64 = 0 };
    iw_histogram_spec spec = { .size = sizeof spec, .bins = list[_i].bins, .lo = &lo, .hi = &hi };
    random_choices(type, &spec);
    spec.flags &= ~(unsigned)IW_HIST_HI_INCLUDED;
    const uint64_t bottom = type == IW_I8 ? (uint64_t)-110 : type == IW_I16 ? (uint64_t)-30000 : is_byte(type) ? 0 : 3;
    if (is_float(type))
      lo = real_word(type, type == IW_F64 ? -0.3 : 0.1), hi = real_word(type, 0.9);
    else if (is_byte(type))
      put(type, &lo, 0, (word){ .u64 = bottom }), put(type, &hi, 0, (word){ .u64 = bottom + list[_i].bins - 1 }),
          spec.flags |= IW_HIST_HI_INCLUDED;
    else
      put(type, &lo, 0, (word){ .u64 = bottom }), put(type, &hi, 0, (word){ .u64 = bottom + list[_i].bins * 2 });
    edges e = edges_of(type, &spec);
    array samples = array_new(iw_type_size(type), n);
    fill_skewed(type, &samples, n, &e, way);
    check_rows(&all, type, &samples, n, &spec);
    edges_free(&e);
    array_free(&samples);
  }
  settings_close(&all);
}
END_TEST

/* Whole rows of samples next to the ends of a range, of which a guess may say that they are on the other
 * side. */
START_TEST(next_to_ends)
{
  enum { EACH = 1500, ENDS = 5, KNOWN = 3 };
  static const struct { double first, last; size_t bins; } known[KNOWN] = {
    { 0x1.c4p+1, 0x1.e471p+11, 17 }, { -0x1.74p+2, 0x1.106p+7, 1 }, { 0x1.b8p+7, 0x1.b2cp+8, 4 } }; /* f32, guesses wrong above */
  const iw_type type = (iw_type)_i;
  settings all = settings_open();
  start_random(9700 + (unsigned)_i);
  for (unsigned round = 0; round < 40; round++) {
    word lo = { .u64 = 0 }, hi = { .u64 = 0 };
    iw_histogram_spec spec = { .size = sizeof spec, .bins = 1 + (size_t)random_below(40), .lo = &lo,
                              .hi = &hi };
    double first = ldexp((double)random_below(2000) - 1000, (int)random_below(12) - 8);
    double last = first + ldexp(1 + (double)random_below(1000), (int)random_below(12) - 8);
    if (round < KNOWN)
      first = known[round].first, last = known[round].last, spec.bins = known[round].bins;
    const uint64_t from = random_below(100) + (iw_type_size(type) == 8 ? (uint64_t)1 << 53 : 0) - (type == IW_I8 ? 120 : 0);
    if (type == IW_F64)
      lo.f64 = first / 3, hi.f64 = last / 3;
    else if (is_float(type))
      lo = real_word(type, first), hi = real_word(type, last);
    else
      put(type, &lo, 0, (word){ .u64 = from }),
          put(type, &hi, 0, (word){ .u64 = from + spec.bins + random_below(100) });
    random_choices(type, &spec);
    spec.flags &= ~(unsigned)(IW_HIST_HI_INCLUDED | (round < KNOWN ? IW_HIST_CLOSED_TOP : 0));
    spec.policy = round < KNOWN ? IW_POLICY_COUNT : spec.policy;
    edges e = edges_of(type, &spec);
    array samples = array_new(iw_type_size(type), ENDS * EACH);
    for (size_t i = 0; i < ENDS * EACH; i++) {
      const int end = (int)(i / EACH), step = end < 2 ? end - 1 : end - 3; /* below and on it; and again, and above */
      const word edge = edge_at(type, &e, end < 2 ? 0 : spec.bins);
      put(type, samples.data, i, step ? neighbour(type, edge, step) : edge);
    }
    if (increasing(&e))
      check_rows(&all, type, &samples, ENDS * EACH, &spec);
    edges_free(&e);
    array_free(&samples);
  }
  settings_close(&all);
}
END_TEST

/* Maps of so many kinds of bytes, in runs or mixed, and bytes that are all the same, or not. */
START_TEST(private_maps)
{
  const size_t kinds = 1 + (size_t)_i, n = _i == 7 || _i == 15 ? 2200001 : 20001;
  uint16_t map[256];
  array samples = array_new(1, n);
  settings all = settings_open();
  start_random(9600 + (unsigned)_i);
  for (unsigned way = 0; way < 4; way++) {
    const unsigned run = way == 0 ? 1 : way == 1 ? 16 : (unsigned)random_below(40) + 1;
    iw_histogram_spec spec = {
      .size = sizeof spec, .kind = IW_HISTOGRAM_MAP, .bins = kinds, .map = map,
          .policy = way % 2 ? IW_POLICY_COUNT : IW_POLICY_DROP,
    };
    for (unsigned v = 0; v < 256; v++) {
      map[v] = v % run && random_below(30) ? map[v - 1] : (uint16_t)random_below(kinds);
      if (way == 3 && random_below(20) == 0)
        map[v] = IW_MAP_NONE;
    }
    const uint8_t hot = (uint8_t)random_below(256);
    for (size_t i = 0; i < n; i++)
      ((uint8_t *)samples.data)[i] = way == 2 ? hot : (uint8_t)random_below(256);
    check_rows(&all, IW_U8, &samples, n, &spec);
  }
  settings_close(&all);
  array_free(&samples);
}
END_TEST

/* ---- Given edges, and maps --------------------------------------------------------------------------- */

START_TEST(given_edges)
{
  const iw_type type = (iw_type)_i;
  const size_t size = iw_type_size(type);
  settings all = settings_open();
  start_random(4000 + (unsigned)_i);
  for (unsigned round = 0; round < 40; round++) {
    const size_t wanted = 2 + random_size(round % 5 ? 300 : 5000),
      n = round % 8 ? 301 + random_size(9000) : random_below(300);
    array given = array_new(size, wanted), copy = array_new(size, wanted), samples = array_new(size, n);
    fill(as_bytes(type), given.data, wanted, round % 3 == 0 ? WIDE : round % 3 == 1 ? TINY : UNIT);
    const size_t edge_count = sort_values(type, given.data, wanted);
    if (edge_count >= 2) {
      iw_histogram_spec spec = { .size = sizeof spec, .kind = IW_HISTOGRAM_EDGES, .bins = edge_count - 1,
        .edges = given.data };
      random_choices(type, &spec);
      edges e = edges_of(type, &spec);
      fill_around(type, &samples, n, &e);
      check_counts(&all, type, samples.data, n, &spec, round % 10 == 3);
      MUST(&all.at[0], write_edges_of(type, &spec, copy.data));
      SAME(&all.at[0], "given edges", given.data, copy.data, edge_count, size);
      edges_free(&e);
    }
    array_free(&given);
    array_free(&copy);
    array_free(&samples);
  }
  settings_close(&all);
}
END_TEST

START_TEST(maps)
{
  settings all = settings_open();
  start_random(5000);
  for (unsigned round = 0; round < 30; round++) {
    const size_t n = round % 4 ? 301 + random_size(40000) : random_below(300),
      bins = 1 + random_size(round % 6 ? 256 : 65534);
    uint16_t map[256];
    array samples = array_new(1, n);
    for (unsigned v = 0; v < 256; v++)
      map[v] = random_below(4) ? (uint16_t)random_below(bins) : IW_MAP_NONE;
    fill(IW_U8, samples.data, n, round % 3 ? WIDE : TINY);
    iw_histogram_spec spec = {
      .size = sizeof spec, .kind = IW_HISTOGRAM_MAP, .bins = bins, .map = map,
      .policy = random_below(2) ? IW_POLICY_COUNT : IW_POLICY_DROP, .flags = random_below(2) ? IW_HIST_ACCUMULATE : 0,
      .counter_width = random_below(2) ? 4 : 0,
    };
    check_counts(&all, IW_U8, samples.data, n, &spec, round % 8 == 1);
    array_free(&samples);
  }
  settings_close(&all);
}
END_TEST

/* ---- Cases by hand ----------------------------------------------------------------------------------- */

static iw_histogram_spec f32_spec(size_t bins, const float *range)
{
  return (iw_histogram_spec){ .size = sizeof(iw_histogram_spec), .bins = bins, .lo = &range[0],
                             .hi = &range[1] };
}

START_TEST(worked_outputs)
{
  static const uint64_t eight[] = { 26, 24, 26, 22, 13, 12, 5, 0 }, letters[] = { 5, 5, 6, 10, 10, 1, 1 };
  static const char text[] = "programming massively parallel processors";
  static const float unit[] = { 0, 1 };
  settings all = settings_open();
  float x[128];
  uint16_t map[256];
  for (int i = 0; i < 128; i++)
    x[i] = (float)(i % 80) / 100;
  for (int v = 0; v < 256; v++)
    map[v] = v >= 'a' && v <= 'z' ? (uint16_t)((v - 'a') / 4) : IW_MAP_NONE;
  FOR_SETTINGS(at, &all, 1) {
    uint64_t counts[8];
    iw_histogram_report report = { .size = sizeof report };
    iw_histogram_spec spec = f32_spec(8, unit);
    MUST(at, histogram_of(at->context, IW_F32, &spec, x, 128, counts, &report));
    SAME(at, "x(i) = (i mod 80)/100", eight, counts, 8, 8);
    spec = (iw_histogram_spec){ .size = sizeof spec, .kind = IW_HISTOGRAM_MAP, .bins = 7, .map = map };
    MUST(at, histogram_of(at->context, IW_U8, &spec, text, sizeof text - 1, counts, &report));
    SAME(at, "letters", letters, counts, 7, 8);
    ck_assert_uint_eq(report.overflow, 3); /* the spaces */
  }
  settings_close(&all);
}
END_TEST

START_TEST(edge_cases)
{
  static const float unit[] = { 0, 1 }, top[] = { 0, 0.7f };
  const float values[] = { 1.0f, 0.0f, -0.0f, nextafterf(1, 0), nextafterf(0, -1), NAN, INFINITY, -INFINITY,
                          2, -1 };
  const size_t n = sizeof values / sizeof *values;
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 1) {
    uint64_t counts[10];
    iw_histogram_report report = { .size = sizeof report };
    iw_histogram_spec spec = f32_spec(8, unit);

    /* Half open: 1.0 is outside. +0 and -0 are one number. */
    MUST(at, histogram_of(at->context, IW_F32, &spec, values, n, counts, &report));
    ck_assert_mem_eq(counts, ((uint64_t[]){ 2, 0, 0, 0, 0, 0, 0, 1 }), 64);
    ck_assert_uint_eq(report.underflow, 3);
    ck_assert_uint_eq(report.overflow, 3);
    ck_assert_uint_eq(report.nan, 1);
    spec.flags = IW_HIST_CLOSED_TOP;
    MUST(at, histogram_of(at->context, IW_F32, &spec, values, n, counts, &report));
    ck_assert_mem_eq(counts, ((uint64_t[]){ 2, 0, 0, 0, 0, 0, 0, 2 }), 64);
    ck_assert_uint_eq(report.overflow, 2);
    /* Clamped, as the seeds do; a NaN never. The report still tells them apart. */
    spec.flags = 0;
    spec.policy = IW_POLICY_CLAMP;
    MUST(at, histogram_of(at->context, IW_F32, &spec, values, n, counts, &report));
    ck_assert_mem_eq(counts, ((uint64_t[]){ 5, 0, 0, 0, 0, 0, 0, 4 }), 64);
    ck_assert_uint_eq(report.underflow, 3);
    ck_assert_uint_eq(report.overflow, 3);
    ck_assert_uint_eq(report.nan, 1);
    spec.policy = IW_POLICY_COUNT;
    MUST(at, histogram_of(at->context, IW_F32, &spec, values, n, counts, NULL));
    ck_assert_mem_eq(counts, ((uint64_t[]){ 2, 0, 0, 0, 0, 0, 0, 1, 3, 3 }), 80);

    /* A single bin takes both clamps. */
    spec = f32_spec(1, unit);
    spec.policy = IW_POLICY_CLAMP;
    MUST(at, histogram_of(at->context, IW_F32, &spec, values, n, counts, NULL));
    ck_assert_uint_eq(counts[0], 9);

    /* Just below a top edge that is no neat number. */
    float below[1024];
    uint64_t many[65];
    for (unsigned i = 0; i < 1024; i++)
      below[i] = i ? nextafterf(below[i - 1], 0) : nextafterf(top[1], 0);
    spec = f32_spec(65, top);
    MUST(at, histogram_of(at->context, IW_F32, &spec, below, 1024, many, &report));
    ck_assert_uint_eq(many[64], 1024);
    ck_assert_uint_eq(report.overflow, 0);

    /* Nothing: counters are zeroed, or left alone. */
    memset(counts, 0x55, sizeof counts);
    spec = f32_spec(8, unit);
    spec.policy = IW_POLICY_COUNT;
    MUST(at, histogram_of(at->context, IW_F32, &spec, NULL, 0, counts, &report));
    ck_assert_mem_eq(counts, (uint64_t[10]){ 0 }, 80);
    ck_assert_uint_eq(report.underflow + report.overflow + report.nan, 0);
    spec.flags = IW_HIST_ACCUMULATE;
    counts[3] = 17;
    MUST(at, histogram_of(at->context, IW_F32, &spec, NULL, 0, counts, NULL));
    ck_assert_mem_eq(counts, ((uint64_t[10]){ 0, 0, 0, 17 }), 80);
  }
  settings_close(&all);
}
END_TEST

/* A stream of chunks is the whole. */
START_TEST(chunks)
{
  const size_t n = 50000;
  const iw_type type = IW_F32;
  static const float unit[] = { 0, 1 };
  settings all = settings_open();
  start_random(6000);
  array samples = array_new(4, n);
  fill(type, samples.data, n, UNIT);
  iw_histogram_spec spec = f32_spec(100, unit);
  counted expected = counted_new(type, samples.data, n, &spec);
  FOR_SETTINGS(at, &all, n) {
    uint64_t counts[100];
    spec.flags = 0;
    for (size_t done = 0, chunk = 1; done < n; done += chunk, spec.flags = IW_HIST_ACCUMULATE) {
      chunk = chunk * 3 < n - done ? chunk * 3 : n - done;
      MUST(at, histogram_of(at->context, type, &spec, (const float *)samples.data + done, chunk, counts, NULL));
    }
    SAME(at, "counts of chunks", expected.counts, counts, 100, 8);
  }
  free(expected.counts);
  array_free(&samples);
  settings_close(&all);
}
END_TEST

/* Edges are rounded once: f32 on the way would make a tie of what is just above it. */
START_TEST(edges_rounded_once)
{
  static const struct { iw_type type; uint16_t lo, hi, third; } list[] = {
    { IW_F16, 0x0001, 0x6403, 0x6205 }, /* 2^-24, 1027; 770.25 + 2^-26 is nearer to 770.5 than to 770 */
    { IW_BF16, 0x3380, 0x432e, 0x4303 }, /* 2^-24, 174; 130.5 + 2^-26 to 131 */
  };
  for (unsigned i = 0; i < 2; i++) {
    const iw_histogram_spec spec = { .size = sizeof spec, .bins = 4, .lo = &list[i].lo, .hi = &list[i].hi };
    uint16_t found[5];
    ck_assert_int_eq(write_edges_of(list[i].type, &spec, found), IW_OK);
    ck_assert_uint_eq(found[3], list[i].third);
    ck_assert(found[0] == list[i].lo && found[4] == list[i].hi);
  }
}
END_TEST

/* bool: bins of false and true; 2 is no edge that it can hold, and all true has a range with a width. */
START_TEST(booleans)
{
  static const uint8_t no = 0, yes = 1, samples[] = { 1, 0, 1, 1, 255, 2 }, all_true[] = { 1, 1, 1 };
  iw_histogram_spec spec = { .size = sizeof spec, .bins = 2, .lo = &no, .hi = &yes, .flags = IW_HIST_HI_INCLUDED };
  settings all = settings_open();
  uint8_t found[3], lo, hi;
  ck_assert_int_eq(write_edges_of(IW_BOOL, &spec, found), IW_OK);
  ck_assert_mem_eq(found, ((uint8_t[]){ 0, 1, 1 }), 3);
  FOR_SETTINGS(at, &all, 1) {
    uint64_t counts[2];
    iw_histogram_report report = { .size = sizeof report };
    MUST(at, histogram_of(at->context, IW_BOOL, &spec, samples, 6, counts, &report));
    ck_assert(counts[0] == 1 && counts[1] == 3 && report.overflow == 2);
    MUST(at, iw_histogram_range(at->context, IW_BOOL, all_true, 1, 3, &lo, &hi));
    ck_assert(lo == 0 && hi == 1);
  }
  settings_close(&all);
}
END_TEST

/* ---- The automatic range ----------------------------------------------------------------------------- */

/* By comparison, -0 below +0. Equal values: as far apart as the header says. */
static void reference_range(iw_type type, const void *samples, size_t n, word *lo, word *hi)
{
  const size_t size = iw_type_size(type);
  const char *const x = samples;
  memcpy(lo, x, size);
  memcpy(hi, x, size);
  for (size_t i = 1; i < n; i++) {
    const char *const here = x + i * size;
    const int zero = is_float(type) && real_of(type, here, 0) == 0,
        minus = zero && signbit(real_of(type, here, 0));
    const int to_lo = by_value(type, here, lo), to_hi = by_value(type, here, hi);
    if (to_lo < 0 || (zero && to_lo == 0 && minus))
      memcpy(lo, here, size);
    if (to_hi > 0 || (zero && to_hi == 0 && !minus))
      memcpy(hi, here, size);
  }
  if (by_value(type, lo, hi))
    return;
  if (is_half(type)) {
    const double v = real_of(type, lo, 0), largest = (double)half_value(type, type == IW_F16 ? 0x7bff : 0x7f7f);
    const double by = half_of(type, v - 0.5) == half_of(type, v + 0.5) ? fabs(v) / 2 : 0.5;
    lo->u16 = half_of(type, fmax(v - by, -largest)), hi->u16 = half_of(type, fmin(v + by, largest));
  }
  else if (type == IW_BOOL && lo->u8 == 1)
    lo->u8 = 0; /* 1 is the largest of bool */
  else if (type == IW_F32) {
    const float v = lo->f32, by = v - 0.5f == v + 0.5f ? fabsf(v) / 2 : 0.5f;
    lo->f32 = fmaxf(v - by, -FLT_MAX), hi->f32 = fminf(v + by, FLT_MAX);
  }
  else if (type == IW_F64) {
    const double v = lo->f64, by = v - 0.5 == v + 0.5 ? fabs(v) / 2 : 0.5;
    lo->f64 = fmax(v - by, -DBL_MAX), hi->f64 = fmin(v + by, DBL_MAX);
  }
  else {
    word next = *hi;
    put(type, &next, 0, (word){ .u64 = (uint64_t)integer_of(type, hi, 0) + 1 });
    if (by_value(type, &next, hi) > 0)
      *hi = next;
    else
      put(type, lo, 0, (word){ .u64 = (uint64_t)integer_of(type, hi, 0) - 1 });
  }
}

START_TEST(automatic_range)
{
  const iw_type type = (iw_type)_i;
  const size_t size = iw_type_size(type);
  settings all = settings_open();
  start_random(7000 + (unsigned)_i);
  for (unsigned round = 0; round < 24; round++) {
    const size_t n = 1 + (round % 3 ? random_size(20000) : random_below(200));
    array samples = array_new(size, n);
    word lo = { .u64 = 0 }, hi = { .u64 = 0 }, value = random_word(type, round % 4 == 0 ? TINY : WIDE);
    fill(type, samples.data, n, round % 3 == 0 ? TINY : round % 3 == 1 ? WIDE : UNIT);
    if (round % 4 == 0) /* all equal */
      for (size_t i = 0; i < n; i++)
        put(type, samples.data, i, round ? value : (word){ .u64 = 0 });
    reference_range(type, samples.data, n, &lo, &hi);
    iw_histogram_spec automatic = { .size = sizeof automatic, .bins = 1 + random_below(7),
                                   .policy = IW_POLICY_COUNT };
    iw_histogram_spec spec = automatic;
    spec.lo = &lo;
    spec.hi = &hi;
    spec.flags = IW_HIST_CLOSED_TOP;
    edges e = { NULL, NULL, 0, 0 };
    const int can = possible(type, &spec) && (e = edges_of(type, &spec), increasing(&e));
    edges_free(&e);
    counted expected = { .outputs = spec.bins + 2 };
    if (can)
      expected = counted_new(type, samples.data, n, &spec);
    FOR_SETTINGS(at, &all, n) {
      word found_lo = { .u64 = 0 }, found_hi = { .u64 = 0 };
      MUST(at, iw_histogram_range(at->context, type, samples.data, 1, n, &found_lo, &found_hi));
      SAME(at, "lo", &lo, &found_lo, 1, size);
      SAME(at, "hi", &hi, &found_hi, 1, size);
      if (can)
        check_with(at, type, samples.data, n, &automatic, round % 2 ? MANY : AS_THEY_ARE, &expected);
    }
    if (can)
      ck_assert_uint_eq(expected.outside[BELOW] + expected.outside[ABOVE], 0);
    else {
      uint64_t counts[16];
      ck_assert_int_eq(histogram_of(all.at[0].context, type, &automatic, samples.data, n, counts, NULL),
                       IW_ERROR_INVALID);
    }
    free(expected.counts);
    array_free(&samples);
  }
  settings_close(&all);
}
END_TEST

START_TEST(automatic_range_by_hand)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 1) {
    const iw_histogram_spec spec = { .size = sizeof spec, .bins = 4 },
        one = { .size = sizeof one, .bins = 1 };
    uint64_t counts[4];
    float lo, hi;
    double dlo, dhi;
    for (unsigned i = 0; i < 3; i++) {
      const float bad[] = { 1, i == 0 ? NAN : i == 1 ? INFINITY : -INFINITY, 2 };
      memset(counts, 0x77, sizeof counts);
      ck_assert_int_eq(histogram_of(at->context, IW_F32, &spec, bad, 3, counts, NULL), IW_ERROR_INVALID);
      ck_assert_uint_eq(counts[0], 0x7777777777777777);
      lo = 5;
      ck_assert_int_eq(iw_histogram_range(at->context, IW_F32, bad, 1, 3, &lo, &hi), IW_ERROR_INVALID);
      ck_assert(lo == 5);
    }
    for (unsigned t = IW_U8; t <= IW_BF16; t++) {
      word zero, one_more;
      MUST(at, iw_histogram_range(at->context, (iw_type)t, NULL, 1, 0, &zero, &one_more));
      if (is_float((iw_type)t))
        ck_assert(real_of((iw_type)t, &zero, 0) == 0 && real_of((iw_type)t, &one_more, 0) == 1);
      else
        ck_assert(integer_of((iw_type)t, &zero, 0) == 0 && integer_of((iw_type)t, &one_more, 0) == 1);
    }
    const double fives[] = { 5, 5, 5 };
    MUST(at, iw_histogram_range(at->context, IW_F64, fives, 1, 3, &dlo, &dhi));
    ck_assert(dlo == 4.5 && dhi == 5.5);
    MUST(at, histogram_of(at->context, IW_F64, &spec, fives, 3, counts, NULL));
    ck_assert_mem_eq(counts, ((uint64_t[]){ 0, 0, 3, 0 }), 32);
    for (unsigned t = IW_U8; t <= IW_BF16; t++) { /* of nothing, the range is [0, 1], and has room for one bin of integers */
      memset(counts, 0x77, sizeof counts);
      MUST(at, histogram_of(at->context, (iw_type)t, &one, NULL, 0, counts, NULL));
      ck_assert_uint_eq(counts[0], 0);
      const iw_status four = histogram_of(at->context, (iw_type)t, &spec, NULL, 0, counts, NULL);
      ck_assert_int_eq(four, is_float((iw_type)t) ? IW_OK : IW_ERROR_INVALID);
    }
    /* The type's last value, all alone. */
    uint8_t last8[] = { 255, 255 }, last_i8[] = { 127, 127 };
    int16_t last_i16[] = { INT16_MAX, INT16_MAX };
    int32_t last32[] = { INT32_MAX, INT32_MAX };
    uint64_t last64[] = { UINT64_MAX, UINT64_MAX };
    const void *const lasts[] = { last8, last32, last64, last8, last_i8, last_i16 };
    const iw_type types[] = { IW_U8, IW_I32, IW_U64, IW_BOOL, IW_I8, IW_I16 };
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
      MUST(at, histogram_of(at->context, types[i], &one, lasts[i], 2, counts, NULL));
      ck_assert_uint_eq(counts[0], 2);
    }
  }
  settings_close(&all);
}
END_TEST

/* An automatic histogram is the histogram of the range that iw_histogram_range() gives, closed on top: it
 * has the same counts and report, or both calls refuse the bins. Returns the status. */
static iw_status check_reproduced(iw_context *c, iw_type type, const void *samples, size_t n, size_t bins, int line)
{
  word lo = { .u64 = 0 }, hi = { .u64 = 0 };
  uint64_t counts[2][16];
  iw_histogram_report reports[2] = { { .size = sizeof *reports }, { .size = sizeof *reports } };
  const iw_histogram_spec automatic = { .size = sizeof automatic, .bins = bins, .policy = IW_POLICY_COUNT };
  iw_histogram_spec spec = automatic;
  spec.lo = &lo;
  spec.hi = &hi;
  spec.flags = IW_HIST_CLOSED_TOP;
  memset(counts, 0, sizeof counts);
  iw_status status = iw_histogram_range(c, type, samples, 1, n, &lo, &hi);
  if (status == IW_OK) {
    ck_assert_msg(by_value(type, &lo, &hi) < 0, "line %d: the range of %zu %s is empty", line, n, iw_type_name(type));
    status = histogram_of(c, type, &spec, samples, n, counts[0], &reports[0]);
  }
  const iw_status found = histogram_of(c, type, &automatic, samples, n, counts[1], &reports[1]);
  ck_assert_msg(found == status, "line %d: %zu %s in %zu bins: %s, but by its range %s", line, n, iw_type_name(type), bins,
                iw_status_name(found), iw_status_name(status));
  if (status == IW_OK) {
    ck_assert_mem_eq(counts[0], counts[1], sizeof *counts);
    ck_assert_mem_eq(&reports[0], &reports[1], sizeof *reports);
    ck_assert_uint_eq(counts[1][bins] + counts[1][bins + 1], 0); /* none is outside */
  }
  return status;
}

START_TEST(automatic_range_reproduced)
{
#define REPRODUCED(type, samples, n, bins, status) \
  ck_assert_int_eq(check_reproduced(c, type, samples, n, bins, __LINE__), status)
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 1) {
    iw_context *const c = at->context;
    for (unsigned t = IW_U8; t <= IW_BF16; t++) {
      const iw_type type = (iw_type)t;
      const size_t size = iw_type_size(type);
      word ends[3]; /* the lowest and the largest value, and 1 */
      uint64_t samples[3];
      for (unsigned i = 0; i < 3; i++)
        if (type == IW_F32)
          ends[i].f32 = i == 0 ? -FLT_MAX : i == 1 ? FLT_MAX : 1;
        else if (type == IW_F64)
          ends[i].f64 = i == 0 ? -DBL_MAX / 2 : i == 1 ? DBL_MAX / 2 : 1;
        else if (is_half(type))
          ends[i].u16 = (type == IW_F16 ? (const uint16_t[]){ 0xfbff, 0x7bff, 0x3c00 } : (const uint16_t[]){ 0xff7f, 0x7f7f, 0x3f80 })[i];
        else {
          const int is_signed = type == IW_I32 || type == IW_I64 || type == IW_I8 || type == IW_I16;
          const uint64_t all_ones = UINT64_MAX >> (64 - 8 * size), highest = is_signed ? all_ones >> 1 : all_ones;
          ends[i].u64 = 0;
          put(type, &ends[i], 0, (word){ .u64 = i == 0 ? (is_signed ? highest + 1 : 0) : i == 1 ? highest : 1 });
        }
      for (unsigned pick = 0; pick < 27; pick += on_sim(at) ? 5 : 1) { /* which is slow */
        for (unsigned i = 0; i < 3; i++)
          memcpy((char *)samples + i * size, &ends[i == 0 ? pick % 3 : i == 1 ? pick / 3 % 3 : pick / 9], size);
        REPRODUCED(type, samples, 3, 1, IW_OK);
        check_reproduced(c, type, samples, 3, 2, __LINE__);
        check_reproduced(c, type, samples, 3, 10, __LINE__);
      }
      REPRODUCED(type, NULL, 0, 1, IW_OK);
      REPRODUCED(type, NULL, 0, 10, is_float(type) ? IW_OK : IW_ERROR_INVALID);
    }
    static const float singles[] = { 0x1p24f, -0x1p24f, 0x1p24f + 2, 0x1p23f + 2, FLT_MAX, -FLT_MAX, 0x1p100f };
    for (unsigned i = 0; i < sizeof singles / sizeof *singles; i++)
      for (size_t bins = 1; bins <= 10; bins++) {
        const float equal[] = { singles[i], singles[i], singles[i] };
        REPRODUCED(IW_F32, equal, 3, bins, IW_OK);
      }
    static const double doubles[] = { 0x1p53, -0x1p53, 0x1p53 + 4, DBL_MAX, -DBL_MAX, 0x1p1000 };
    for (unsigned i = 0; i < sizeof doubles / sizeof *doubles; i++)
      for (size_t bins = 1; bins <= 10; bins++) {
        const double equal[] = { doubles[i], doubles[i], doubles[i] };
        REPRODUCED(IW_F64, equal, 3, bins, IW_OK);
      }
    static const uint16_t f16s[] = { 0x6402, 0x6801, 0xe801, 0x7bff, 0xfbff, 0x0001, 0x8000 };
    static const uint16_t bf16s[] = { 0x4302, 0x4380, 0xc381, 0x7f7f, 0xff7f, 0x0001, 0x8000 };
    for (unsigned i = 0; i < sizeof f16s / sizeof *f16s; i++)
      for (size_t bins = 1; bins <= 10; bins++) {
        const uint16_t equal[] = { f16s[i], f16s[i], f16s[i] }, equal_bf16[] = { bf16s[i], bf16s[i], bf16s[i] };
        REPRODUCED(IW_F16, equal, 3, bins, IW_OK);
        REPRODUCED(IW_BF16, equal_bf16, 3, bins, IW_OK);
      }
    /* 1025 and 129: their neighbours, which leave room for two bins. */
    REPRODUCED(IW_F16, ((const uint16_t[]){ 0x6401, 0x6401 }), 2, 2, IW_OK);
    REPRODUCED(IW_F16, ((const uint16_t[]){ 0x6401, 0x6401 }), 2, 3, IW_ERROR_INVALID);
    REPRODUCED(IW_BF16, ((const uint16_t[]){ 0x4301, 0x4301 }), 2, 2, IW_OK);
    static const float bad[][3] = {
      { NAN, NAN, NAN }, { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, { 1, NAN, 2 },
      { -INFINITY, 0, INFINITY }, { 1, 2, -INFINITY },
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
      const double wide[] = { (double)bad[i][0], (double)bad[i][1], (double)bad[i][2] };
      REPRODUCED(IW_F32, bad[i], 3, 4, IW_ERROR_INVALID);
      REPRODUCED(IW_F64, wide, 3, 4, IW_ERROR_INVALID);
      for (int half = IW_F16; half <= IW_BF16; half++) {
        uint16_t halves[3];
        for (unsigned k = 0; k < 3; k++)
          halves[k] = half_of((iw_type)half, wide[k]);
        REPRODUCED((iw_type)half, halves, 3, 4, IW_ERROR_INVALID);
      }
      ck_assert_ptr_nonnull(strstr(iw_message(), "samples has a NaN or an infinity"));
    }
    /* The range is there, but its width is more than a double holds. */
    REPRODUCED(IW_F64, ((const double[]){ -DBL_MAX, 0, DBL_MAX }), 3, 4, IW_ERROR_INVALID);
    ck_assert_ptr_nonnull(strstr(iw_message(), "is wider than 1.7976931348623157e+308"));
  }
  settings_close(&all);
}
END_TEST

/* ---- Plans ------------------------------------------------------------------------------------------- */

enum { SHARED_N = 20000, SHARED_BINS = 300, RUNS = 20 };
typedef struct sharing {
  const iw_histogram_plan *plan;
  iw_context *context;
  const float *samples;
  const uint64_t *expected;
  int wrong;
} sharing;

static void *share(void *data)
{
  sharing *const s = data;
  uint64_t counts[SHARED_BINS];
  for (int run = 0; run < RUNS; run++)
    s->wrong |= histogram_by_plan(s->context, s->plan, s->samples, SHARED_N, counts, NULL) != IW_OK
      || memcmp(counts, s->expected, sizeof counts);
  return NULL;
}

/* One plan, of one context, on all settings at the same time, a device among them. */
START_TEST(plan_shared)
{
  static const float range[] = { 0.1f, 0.8f };
  static float samples[SHARED_N];
  sharing sharers[MOST_SETTINGS];
  pthread_t threads[MOST_SETTINGS];
  iw_histogram_plan *plan;
  settings all = settings_open();
  start_random(9000);
  fill(IW_F32, samples, SHARED_N, UNIT);
  const iw_histogram_spec spec = f32_spec(SHARED_BINS, range);
  counted expected = counted_new(IW_F32, samples, SHARED_N, &spec);
  MUST(&all.at[0], plan_of(all.at[0].context, IW_F32, &spec, samples, 1000, &plan));
  for (unsigned i = 0; i < all.count; i++) {
    sharers[i] = (sharing){ plan, all.at[i].context, samples, expected.counts, 0 };
    ck_assert_int_eq(pthread_create(&threads[i], NULL, share, &sharers[i]), 0);
  }
  for (unsigned i = 0; i < all.count; i++) {
    ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_msg(!sharers[i].wrong, "wrong counts on %s", shape(&all.at[i]).s);
  }
  iw_histogram_plan_free(plan);
  free(expected.counts);
  settings_close(&all);
}
END_TEST

/* What a plan says of itself is what runs. */
START_TEST(plan_describes)
{
  static const float range[] = { 0, 1 }, samples[5000] = { 0.5f }, uneven[] = { 0, 1, 10, 100, 1000 };
  static const uint16_t map[256] = { 1 };
  static float halves[20000];
  settings all = settings_open();
  for (size_t i = 10000; i < 20000; i++)
    halves[i] = (float)i / 20000;
  FOR_SETTINGS(at, &all, 1) {
    uint64_t counts[258];
    iw_histogram_plan *plan;
    iw_histogram_plan_info info = { .size = sizeof info };
    iw_histogram_spec spec = f32_spec(256, range);
    spec.policy = IW_POLICY_COUNT;
    MUST(at, plan_of(at->context, IW_F32, &spec, samples, 5000, &plan));
    for (size_t n = 0; n <= 5000; n = n ? n * 5 : 40) {
      const iw_histogram_spec planned = iw_spec_of_plan(plan);
      MUST(at, histogram_of(at->context, IW_F32, &planned, samples, n, counts, NULL));
      MUST(at, iw_histogram_plan_get_info(at->context, plan, n, &info));
      ck_assert_int_eq(info.type, IW_F32);
      ck_assert_uint_eq(info.bins, 256);
      ck_assert_uint_eq(info.outputs, 258);
      ck_assert(info.ambiguous == 0); /* powers of two need no comparison */
      ck_assert_msg(strstr(info.why, "100% of a sample of 5000") && strstr(info.why, info.rule)
                    && strstr(info.why, info.tables ? "by whole rows" : "by one warp"), "%s", info.why);
      ck_assert(n > 200 || !info.tables);
      ck_assert(n < 5000 || info.tables);
      if (info.tables && !on_gpu(at))
        ck_assert_msg(strstr(info.why, "so tables leave out frequent ones"), "%s", info.why);
    }
    ck_assert_int_eq(histogram_by_plan(at->context, NULL, samples, 10, counts, NULL),
                     IW_ERROR_INVALID);
    /* What the plan says already is not said again. */
    for (unsigned k = 0; k < 8; k++) {
      iw_histogram_spec other = iw_spec_of_plan(plan);
      iw_histogram_plan *made = (iw_histogram_plan *)(void *)counts;
      const uint64_t kept = counts[0];
      const float *const both = range;
      size_t count = 9, offsets[260] = { 9 };
      if (k == 0) other.kind = IW_HISTOGRAM_EDGES;
      else if (k == 1) other.bins = 256;
      else if (k == 2) other.lo = both;
      else if (k == 3) other.edges = both;
      else if (k == 4) other.map = map;
      else if (k == 5) other.policy = IW_POLICY_COUNT;
      else if (k == 6) other.flags = IW_HIST_CLOSED_TOP;
      else other.counter_width = 8;
      ck_assert_int_eq(histogram_of(at->context, IW_F32, &other, samples, 10, counts, NULL),
                       IW_ERROR_INVALID);
      ck_assert_msg(strstr(iw_message(), "plan") != NULL, "%s", iw_message());
      ck_assert_int_eq(plan_of(at->context, IW_F32, &other, NULL, 0, &made),
                       IW_ERROR_INVALID);
      ck_assert_int_eq(select_bin(at->context, IW_F32, samples, 10, &other, 0, counts, &count),
                       IW_ERROR_INVALID);
      ck_assert_int_eq(multisplit_by_bins(at->context, IW_F32, samples, 10, &other, counts, offsets),
                       IW_ERROR_INVALID);
      ck_assert(counts[0] == kept && count == 9 && offsets[0] == 9 && made == NULL);
    }
    ck_assert_int_eq(histogram_by_plan(at->context, plan, NULL, 10, counts, NULL), IW_ERROR_INVALID);
    ck_assert_int_eq(histogram_by_plan(at->context, plan, samples, 10, NULL, NULL),
                     IW_ERROR_INVALID);
    ck_assert_int_eq(histogram_by_plan(at->context, plan, counts, 10, counts, NULL),
                     IW_ERROR_OVERLAP);
    info.size--;
    ck_assert_int_eq(iw_histogram_plan_get_info(at->context, plan, 1, &info), IW_ERROR_INVALID);
    iw_histogram_plan_free(plan);
    info.size++;
    MUST(at, plan_of(at->context, IW_F32, &spec, halves, 20000, &plan)); /* the first 8192 are alike */
    MUST(at, iw_histogram_plan_get_info(at->context, plan, 5000, &info));
    ck_assert_msg(strstr(info.why, " 50% of a sample of 8192"), "%s", info.why);
    iw_histogram_plan_free(plan);

    spec = (iw_histogram_spec){ .size = sizeof spec, .kind = IW_HISTOGRAM_EDGES, .bins = 4,
                               .edges = uneven };
    MUST(at, plan_of(at->context, IW_F32, &spec, NULL, 0, &plan));
    MUST(at, iw_histogram_plan_get_info(at->context, plan, 1 << 20, &info));
    ck_assert_msg(strstr(info.why, "search") && !strstr(info.why, "a sample of"), "%s", info.why);
    iw_histogram_plan_free(plan);
    spec = (iw_histogram_spec){ .size = sizeof spec, .kind = IW_HISTOGRAM_MAP, .bins = 4, .map = map };
    MUST(at, plan_of(at->context, IW_U8, &spec, NULL, 0, &plan));
    MUST(at, iw_histogram_plan_get_info(at->context, plan, 1 << 20, &info));
    ck_assert_msg(strstr(info.why, "table of all bytes"), "%s", info.why);
    iw_histogram_plan_free(plan);

    spec = f32_spec(1 << 20, range); /* what a GPU does depends on the sample */
    for (int crowded = 0; crowded < 2; crowded++) {
      MUST(at, plan_of(at->context, IW_F32, &spec, samples, crowded ? 5000 : 0, &plan));
      MUST(at, iw_histogram_plan_get_info(at->context, plan, 1 << 24, &info));
      /* A T4 has less shared memory for a block than a range of bins takes. */
      ck_assert_msg(!strstr(info.why, "ranges of bins") == (crowded || !on_gpu(at) || strstr(shape(at).s, "t4")), "%s", info.why);
      iw_histogram_plan_free(plan);
    }

    spec = (iw_histogram_spec){ .size = sizeof spec, .bins = 4 }; /* a range of no data */
    plan = (iw_histogram_plan *)(void *)counts;
    ck_assert_int_eq(plan_of(at->context, IW_F32, &spec, NULL, 0, &plan), IW_ERROR_INVALID);
    ck_assert_ptr_null(plan);
    ck_assert_int_eq(plan_of(at->context, IW_F32, &spec, NULL, 0, NULL), IW_ERROR_INVALID);
    spec = f32_spec(0, range);
    ck_assert_int_eq(plan_of(at->context, IW_F32, &spec, NULL, 0, &plan), IW_ERROR_INVALID);
    iw_histogram_plan_free(NULL);
  }
  settings_close(&all);
}
END_TEST

/* ---- More than 2^32 samples -------------------------------------------------------------------------- */

START_TEST(above_2_32)
{
  const size_t n = ((size_t)1 << 32) + 12345, part = 1 << 26;
  uint64_t counts[256];
  uint32_t narrow[256];
  iw_context *context;
  const uint8_t lo = 0, hi = 255;
  iw_histogram_spec spec = {
    .size = sizeof spec, .bins = 256, .lo = &lo, .hi = &hi, .flags = IW_HIST_HI_INCLUDED,
  };
  const setting at = { "the best", 0, IW_BLOCKS_AUTO, NULL };
  uint8_t *samples = zeros_new(n);
  double start = now();
  ck_assert_int_eq(iw_context_open(&context, NULL), IW_OK);
  if (samples) {
    MUST(&at, histogram_of(context, IW_U8, &spec, samples, part, counts, NULL));
    ck_assert_uint_eq(counts[0], part);
  }
  if (worth_it("2^32 samples", samples != NULL, now() - start, (double)part / (double)n)) {
    samples[0] = 1;
    samples[((size_t)1 << 31) + 5] = 2;
    samples[(size_t)1 << 32] = 3;
    samples[n - 1] = 4;
    MUST(&at, histogram_of(context, IW_U8, &spec, samples, n, counts, NULL));
    ck_assert_uint_eq(counts[0], n - 4);
    for (unsigned v = 1; v < 256; v++)
      ck_assert_uint_eq(counts[v], v < 5);
    /* Exactly as many as a 32-bit counter holds. */
    samples[0] = samples[((size_t)1 << 31) + 5] = 0;
    spec.counter_width = 4;
    MUST(&at, histogram_of(context, IW_U8, &spec, samples, UINT32_MAX, narrow, NULL));
    ck_assert_uint_eq(narrow[0], UINT32_MAX);
    ck_assert_uint_eq(narrow[3], 0);
  }
  iw_context_close(context);
  if (samples)
    munmap(samples, n);
}
END_TEST

/* As many bins as there can be, two counters more, and nothing to count. */
START_TEST(most_bins)
{
  const size_t bins = 0x7fffffff, outputs = bins + 2, in_last = outputs % (PIECE / sizeof(uint32_t));
  const setting at = { "the best", 0, IW_BLOCKS_AUTO, NULL };
  iw_histogram_spec spec = {
    .size = sizeof spec, .bins = 1 << 22, .policy = IW_POLICY_COUNT, .counter_width = 4,
  };
  uint32_t *const counts = endless_new(outputs * sizeof *counts), *const last = counts + (outputs - in_last);
  iw_context *context;
  const double start = now();
  ck_assert_int_eq(iw_context_open(&context, NULL), IW_OK);
  if (counts)
    MUST(&at, histogram_of(context, IW_F64, &spec, NULL, 0, counts, NULL));
  if (worth_it("2^31 - 1 bins", counts != NULL, now() - start, (double)spec.bins / (double)bins)) {
    spec.bins = bins;
    memset(counts, 0x55, PIECE);
    MUST(&at, histogram_of(context, IW_F64, &spec, NULL, 0, counts, NULL));
    for (size_t k = 0; k < PIECE / sizeof *counts; k++) {
      ck_assert_uint_eq(counts[k], 0);
      if (last[k] != (k < in_last ? 0 : 0x55555555))
        ck_abort_msg("counter %zu is %u", outputs - in_last + k, last[k]);
    }
  }
  iw_context_close(context);
  if (counts)
    munmap(counts, endless_room(outputs * sizeof *counts));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("histogram");
  TCase *c = new_case(suite, "histogram");
  tcase_add_test(c, worked_outputs);
  tcase_add_test(c, edge_cases);
  tcase_add_test(c, chunks);
  tcase_add_loop_test(c, random_even, IW_U8, TYPES);
  tcase_add_loop_test(c, bin_of_each_value, IW_U8, TYPES);
  tcase_add_loop_test(c, narrow_steps, 0, 4);
  tcase_add_loop_test(c, few_samples, IW_U8, TYPES);
  tcase_add_loop_test(c, sizes, IW_U8, TYPES);
  tcase_add_loop_test(c, whole_type, 0, sizeof integer_types / sizeof *integer_types);
  tcase_add_loop_test(c, around_edges, IW_U8, TYPES);
  tcase_add_loop_test(c, all_values, 0, sizeof counted_types / sizeof *counted_types);
  tcase_add_test(c, many_bins);
  tcase_add_test(c, exact_bins);
  tcase_add_loop_test(c, crowds, 0, 2);
  tcase_add_loop_test(c, many_samples, 0, 5);
  tcase_add_test(c, fewer_blocks_than_threads);
  tcase_add_loop_test(c, private_counters, 0, 41);
  tcase_add_loop_test(c, next_to_ends, IW_U8, TYPES);
  tcase_add_loop_test(c, private_maps, 0, 20);
  tcase_add_loop_test(c, given_edges, IW_U8, TYPES);
  tcase_add_test(c, maps);
  tcase_add_loop_test(c, automatic_range, IW_U8, TYPES);
  tcase_add_test(c, edges_rounded_once);
  tcase_add_test(c, booleans);
  tcase_add_test(c, automatic_range_by_hand);
  tcase_add_test(c, automatic_range_reproduced);
  tcase_add_test(c, plan_shared);
  tcase_add_test(c, plan_describes);
  c = new_case(suite, "hot");
  tcase_add_loop_test(c, hot_bins, 0, 7);
  c = new_case(suite, "floats");
  tcase_add_loop_test(c, all_floats, 0, 8);
  c = new_large_case(suite);
  tcase_add_test(c, above_2_32);
  tcase_add_test(c, most_bins);
  return run_suite_on_all(suite);
}
