/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms of weights, pairs, rows and channels, against their definitions.
 */
#include "binned.h"

#include <float.h>
#include <isowarp.h>

/* ---- Pairs, rows, channels --------------------------------------------------------------------------- */

START_TEST(pairs)
{
  settings all = settings_open();
  start_random(100 + (unsigned)_i);
  for (unsigned round = 0; round < 24; round++) {
    const size_t n = some_n(round);
    FOR_SETTINGS(at, &all, n + 301) {
      binned x, y;
      const unsigned shared = random_below(2) ? IW_HIST_ACCUMULATE : 0;
      const size_t width = random_counter_width();
      binned_make(&x, (iw_type)_i, random_size(round % 3 ? 30 : 200), at);
      binned_make(&y, (iw_type)(IW_U8 + random_below(IW_BF16)), random_size(round % 5 ? 30 : 200), at);
      binned_flags(&x, (x.spec.flags & 1) | shared, width, at);
      binned_flags(&y, (y.spec.flags & 1) | shared, width, at);
      array xs = samples_new(x.type, n), ys = samples_new(y.type, n);
      counters c = counters_new(x.outputs * y.outputs, &x.spec);
      for (size_t i = 0; i < n; i++) {
        const size_t k = place_of(&x, xs.data, i), m = place_of(&y, ys.data, i);
        if (k < x.outputs && m < y.outputs)
          count_one(&c, k * y.outputs + m);
      }
      MUST(at, histogram_pairs(at->context, x.plan, xs.data, y.plan, ys.data, n, c.found.data));
      counters_check(&c, at, "pairs");
      array_free(&xs);
      array_free(&ys);
      binned_free(&x);
      binned_free(&y);
    }
  }
  settings_close(&all);
}
END_TEST

START_TEST(rows)
{
  settings all = settings_open();
  start_random(200 + (unsigned)_i);
  for (unsigned round = 0; round < 24; round++) {
    const size_t many = round % 3 == 0 ? 1 + random_below(3) : random_size(300);
    const size_t columns = round == 5 ? 0 : round % 3 == 0 ? random_size(round == 9 ? 1400000 : 30000) : random_size(200);
    FOR_SETTINGS(at, &all, many * columns + 301) {
      binned b;
      binned_make(&b, (iw_type)_i, random_size(200), at);
      binned_flags(&b, (unsigned)random_below(4), random_counter_width(), at);
      array samples = samples_new(b.type, many * columns);
      counters c = counters_new(many * b.outputs, &b.spec);
      for (size_t i = 0; i < many * columns; i++) {
        const size_t k = place_of(&b, samples.data, i);
        if (k < b.outputs)
          count_one(&c, i / columns * b.outputs + k);
      }
      MUST(at, iw_histogram_rows(at->context,
                                 IW_OPTIONS(iw_histogram_spec, .plan = b.plan),
                                 samples.data, many, columns, c.found.data, NULL));
      counters_check(&c, at, "rows");
      array_free(&samples);
      binned_free(&b);
    }
  }
  settings_close(&all);
}
END_TEST

START_TEST(channels)
{
  enum { MOST = 5 };
  settings all = settings_open();
  start_random(300 + (unsigned)_i);
  for (unsigned round = 0; round < 20; round++) {
    const size_t n = some_n(round);
    const unsigned count = 1 + (unsigned)random_below(MOST);
    FOR_SETTINGS(at, &all, n + 301) {
      binned b[MOST];
      counters c[MOST];
      const iw_histogram_spec *specs[MOST];
      void *out[MOST];
      const size_t from = random_below(4); /* words of them are aligned now and then */
      array samples = samples_new((iw_type)_i, n * count + from);
      const unsigned char *const first = (const unsigned char *)samples.data + from * samples.size;
      for (unsigned k = 0; k < count; k++) {
        binned_make(&b[k], (iw_type)_i, random_size(200), at);
        binned_flags(&b[k], (unsigned)random_below(4), random_counter_width(), at);
        c[k] = counters_new(b[k].outputs, &b[k].spec);
        specs[k] = !random_below(4) ? NULL : random_below(2) ? &b[k].planned : &b[k].spec;
        out[k] = c[k].found.data;
        for (size_t i = 0; specs[k] && i < n; i++) {
          const size_t place = place_of(&b[k], first, i * count + k);
          if (place < b[k].outputs)
            count_one(&c[k], place);
        }
        if (!specs[k]) /* not touched */
          memcpy(c[k].right.data, c[k].found.data, c[k].n * c[k].size);
      }
      MUST(at, iw_histogram_channels(at->context, specs, count, first, n, out));
      for (unsigned k = 0; k < count; k++) {
        counters_check(&c[k], at, "channels");
        binned_free(&b[k]);
      }
      array_free(&samples);
    }
  }
  settings_close(&all);
}
END_TEST

/* ---- Weights ----------------------------------------------------------------------------------------- */

/* The same sums unrounded, by two calls, onto what the sums were before. */
static void check_unrounded(const setting *at, const binned *b, iw_type type, const array *samples, iw_type weight,
                            const array *weights, size_t n, const array *before, const array *right)
{
  iw_exact_sum *const sums = malloc(b->outputs * sizeof *sums);
  const size_t size = iw_type_size(weight), first = random_below(n + 1);
  const char *const x = samples->data, *const w = weights->data;
  array rounded = array_new(size, b->outputs);
  ck_assert_ptr_nonnull(sums);
  for (size_t k = 0; k < b->outputs; k++) {
    sums[k] = (iw_exact_sum)IW_EXACT_SUM_EMPTY;
    if (b->spec.flags & IW_HIST_ACCUMULATE)
      MUST(at, iw_exact_sum_add(at->context, weight, (const char *)before->data + k * size, 1, &sums[k]));
  }
  MUST(at, exact_histogram(at->context,
                                       IW_OPTIONS(iw_histogram_spec, .plan = b->plan),
                                       x, weight, w, first, sums));
  MUST(at, exact_histogram(at->context,
                                       IW_OPTIONS(iw_histogram_spec, .plan = b->plan),
                                       x + first * iw_type_size(type), weight, w + first * size, n - first, sums));
  for (size_t k = 0; k < b->outputs; k++)
    MUST(at, iw_exact_sum_round(&sums[k], weight, (char *)rounded.data + k * size));
  SAME(at, "unrounded sums", right->data, rounded.data, b->outputs, size);
  array_free(&rounded);
  free(sums);
}

static void check_weights(const setting *at, iw_type type, iw_type weight, size_t n, unsigned round)
{
  binned b;
  binned_make(&b, type, random_size(round % 5 == 4 ? 700 : 40), at);
  array samples = samples_new(type, n), weights = weights_new(weight, n, round);
  const iw_type sum = sum_type(weight);
  const size_t size = iw_type_size(sum);
  array found = array_new(size, b.outputs), right = array_new(size, b.outputs), old = array_new(size, b.outputs);
  exact *const sums = calloc(b.outputs, sizeof *sums);
  const int adds = (b.spec.flags & IW_HIST_ACCUMULATE) != 0;
  for (size_t k = 0; k < b.outputs; k++) {
    const word before = random_word(sum, round % 2 ? WIDE : TINY);
    put(sum, found.data, k, before);
    put(sum, old.data, k, before);
    put(sum, right.data, k, (word){ .u64 = adds && !is_float(sum) ? before.u64 : 0 });
    word stored = { .u64 = 0 };
    memcpy(&stored, (char *)found.data + k * size, size);
    if (adds && is_float(sum))
      exact_add(&sums[k], sum, stored);
  }
  for (size_t i = 0; i < n; i++) {
    const size_t k = place_of(&b, samples.data, i);
    word w = { .u64 = 0 };
    if (k >= b.outputs)
      continue;
    memcpy(&w, (char *)weights.data + i * weights.size, weights.size);
    if (is_float(weight))
      exact_add(&sums[k], weight, w);
    else
      ((uint64_t *)right.data)[k] += weight == IW_I32 ? (uint64_t)w.i32 : w.u64;
  }
  for (size_t k = 0; is_float(sum) && k < b.outputs; k++)
    put(sum, right.data, k, exact_round(&sums[k], sum));
  char what[96];
  snprintf(what, sizeof what, "%zu weights of %s for %zu bins of %s (round %u, policy %d, flags %u)", n,
           iw_type_name(weight),
           b.spec.bins, iw_type_name(type), round, (int)b.spec.policy, b.spec.flags);
  MUST(at, weighted_histogram(at->context,
                                 IW_OPTIONS(iw_histogram_spec, .plan = b.plan),
                                 samples.data, weight, weights.data, n, found.data));
  SAME(at, what, right.data, found.data, b.outputs, size);
  ck_assert_msg(array_intact(&found, found.bytes), "%s wrote outside its sums", what);
  if (is_float(weight) && round % 3 == 0)
    check_unrounded(at, &b, type, &samples, weight, &weights, n, &old, &right);
  array_free(&old);
  array_free(&samples);
  array_free(&weights);
  array_free(&found);
  array_free(&right);
  free(sums);
  binned_free(&b);
}

START_TEST(weighted)
{
  settings all = settings_open();
  start_random(400 + (unsigned)_i);
  for (unsigned round = 0; round < 42; round++) {
    const size_t n = some_n(round) / (is_float((iw_type)_i) ? 4 : 1);
    FOR_SETTINGS(at, &all, n + 301)
      check_weights(at, (iw_type)(IW_U8 + random_below(IW_BF16)), (iw_type)_i, n, round);
  }
  settings_close(&all);
}
END_TEST

/* All weights in one bin, the greatest below a power of two, so that the window of a CPU's block adds up as
 * much as it can hold (src/algorithms/histogram/weight_windows.h), for either sign. */
START_TEST(weighted_in_one_bin)
{
  enum { MANY = 3 << 17, BINS = 8000 };
  const float range[] = { 0, 1 };
  const iw_histogram_spec spec = { .size = sizeof spec, .type = IW_F32, .bins = BINS, .lo = &range[0], .hi = &range[1] };
  float *const samples = malloc(MANY * sizeof *samples), *const f = malloc(MANY * sizeof *f), *const sums_f = malloc(BINS * sizeof *sums_f);
  double *const d = malloc(MANY * sizeof *d), *const sums_d = malloc(BINS * sizeof *sums_d);
  ck_assert(samples && f && d && sums_f && sums_d);
  settings all = settings_open();
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (size_t i = 0; i < MANY; i++) {
      samples[i] = 0.5f;
      f[i] = (float)sign * 0x1.fffffep-1f;
      d[i] = sign * 0x1.fffffffffffffp-1;
    }
    const float right_f = (float)(MANY * (double)f[0]);
    const double right_d = (double)(MANY * (long double)d[0]);
    FOR_SETTINGS(at, &all, MANY) {
      MUST(at, weighted_histogram(at->context, &spec, samples, IW_F32, f, MANY, sums_f));
      SAME(at, "sum of f32", &right_f, sums_f + BINS / 2, 1, sizeof right_f);
      MUST(at, weighted_histogram(at->context, &spec, samples, IW_F64, d, MANY, sums_d));
      SAME(at, "sum of f64", &right_d, sums_d + BINS / 2, 1, sizeof right_d);
    }
  }
  settings_close(&all);
  free(samples), free(f), free(d), free(sums_f), free(sums_d);
}
END_TEST

/* Great weights that cancel, and a small one of an exponent so far below theirs that a CPU's windows just
 * hold its last bit, or just do not (src/algorithms/histogram/weight_windows.h); also where it is
 * subnormal. */
START_TEST(weighted_windows)
{
  enum { MANY = 10001, SMALL_AT = 1000 };
  const float range[] = { 0, 1 };
  const iw_histogram_spec spec = { .size = sizeof spec, .type = IW_F32, .bins = 2, .lo = &range[0], .hi = &range[1] };
  const iw_type weight = _i % 2 ? IW_F32 : IW_F64;
  const int subnormal = _i / 2, bits = weight == IW_F32 ? 24 : 53, span = (weight == IW_F32 ? 45 : 91) - bits;
  float *const samples = calloc(MANY, sizeof *samples);
  array weights = array_new(iw_type_size(weight), MANY), right = array_new(iw_type_size(weight), 2);
  array found = array_new(iw_type_size(weight), 2);
  ck_assert_ptr_nonnull(samples);
  put(weight, right.data, 1, (word){ .u64 = 0 });
  settings all = settings_open();
  for (int far = span - 3; far <= span + 3; far++)
    for (int odd = 0; odd < 2; odd++) {
      const int exponent = !subnormal ? 0 : (weight == IW_F32 ? -126 : -1022) + far - 3;
      const double great = ldexp(1 + ldexp(1, 1 - bits), exponent);
      const double small = ldexp(1.5 + (odd && !subnormal ? ldexp(1, 1 - bits) : 0), exponent - far);
      double sign = 1;
      for (size_t i = 0; i < MANY; i++) {
        const double x = i == SMALL_AT ? small : i < 64 ? 0 : great * (sign = -sign);
        put(weight, weights.data, i, weight == IW_F32 ? (word){ .f32 = (float)x } : (word){ .f64 = x });
      }
      put(weight, right.data, 0, weight == IW_F32 ? (word){ .f32 = (float)small } : (word){ .f64 = small });
      FOR_SETTINGS(at, &all, MANY) {
        MUST(at, weighted_histogram(at->context, &spec, samples, weight, weights.data, MANY, found.data));
        SAME(at, "sums of a small weight", right.data, found.data, 2, weights.size);
      }
    }
  settings_close(&all);
  array_free(&weights), array_free(&right), array_free(&found);
  free(samples);
}
END_TEST

/* Eight weights whose sums need just so many bits as CPUs have in a pair of words, or one bit more or less
 * (src/algorithms/histogram/pair_sums.h): great ones of either sign and a small one, or a great one, half
 * of its last bit, and a small one, which decides how the sum is rounded. */
START_TEST(weighted_spans)
{
  static const float range[] = { 0, 1 }, samples[8] = { 0 };
  static const double small[] = { 1, 0x1.fffffffffffffp0, 1 + 0x1p-52, 1.5 };
  const iw_histogram_spec spec = { .size = sizeof spec, .type = IW_F32, .bins = 2, .lo = &range[0], .hi = &range[1] };
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 1)
    for (int span = 44; span <= 76; span++)
      for (unsigned k = 0; k < 4 * sizeof small / sizeof *small; k++) {
        exact sum = { 0 };
        double weights[8] = { 0 }, sums[2], right[2] = { 0, 0 };
        for (size_t i = 0; i < 8; i++) {
          const double great = k % 4 < 2 ? i % 3 ? 0x1.fffffffffffffp0 : 0x1.0000000000001p0 : i == 3 ? 1 : i == 5 ? 0x1p-53 : 0;
          weights[i] = i < 7 ? ldexp(great, span - 500) : ldexp(small[k / 4], -500);
          weights[i] *= k % 2 && i != 4 ? -1 : 1;
          exact_add(&sum, IW_F64, (word){ .f64 = weights[i] });
        }
        right[0] = exact_round(&sum, IW_F64).f64;
        const iw_histogram_options o = { .size = sizeof o, .weight_type = IW_F64, .weights = weights };
        MUST(at, iw_histogram(at->context, &spec, samples, 8, sums, &o));
        SAME(at, "sums of a span", right, sums, 2, 8);
      }
  settings_close(&all);
}
END_TEST

/* More bins than CPUs have windows for, and more than there are weights: sums are those of unrounded sums,
 * with every policy, of weights of both signs, of subnormal ones, and of some that are far from each other.
 * */
START_TEST(weighted_many_bins)
{
  enum { MANY = 40000, BINS = 9000 };
  const iw_type weight = _i % 2 ? IW_F32 : IW_F64;
  const size_t size = iw_type_size(weight);
  const float range[] = { 0.1f, 0.9f };
  settings all = settings_open();
  start_random(460 + (unsigned)_i);
  array samples = array_new(4, MANY), weights = array_new(size, MANY);
  for (size_t i = 0; i < MANY; i++) {
    const double unit = (double)random_below(1 << 24) / (1 << 24), x = (random_below(2) ? 1 : -1) * (unit + 1e-9);
    put(IW_F32, samples.data, i, (word){ .f32 = (float)unit });
    const double scaled = _i < 2 ? x : _i < 4 ? ldexp(x, weight == IW_F32 ? -135 : -1040) : ldexp(x, (int)random_below(100));
    put(weight, weights.data, i, weight == IW_F32 ? (word){ .f32 = (float)scaled } : (word){ .f64 = scaled });
  }
  FOR_SETTINGS(at, &all, MANY)
    for (int policy = IW_POLICY_DROP; policy <= IW_POLICY_COUNT; policy++)
      for (size_t n = 1; n <= MANY; n = n == 1 ? 3000 : n == 3000 ? MANY : MANY + 1) {
        const iw_histogram_spec spec = { .size = sizeof spec, .type = IW_F32, .bins = BINS, .lo = &range[0], .hi = &range[1],
                                         .policy = (iw_policy)policy };
        const size_t outputs = BINS + (policy == IW_POLICY_COUNT ? 2 : 0);
        array found = array_new(size, outputs), right = array_new(size, outputs);
        iw_exact_sum *const sums = malloc(outputs * sizeof *sums);
        ck_assert_ptr_nonnull(sums);
        for (size_t k = 0; k < outputs; k++)
          sums[k] = (iw_exact_sum)IW_EXACT_SUM_EMPTY;
        const iw_histogram_options rounded = { .size = sizeof rounded, .weight_type = weight, .weights = weights.data };
        iw_histogram_options exact = rounded;
        exact.exact_sums = sums;
        MUST(at, iw_histogram(at->context, &spec, samples.data, n, NULL, &exact));
        for (size_t k = 0; k < outputs; k++)
          MUST(at, iw_exact_sum_round(&sums[k], weight, (char *)right.data + k * size));
        MUST(at, iw_histogram(at->context, &spec, samples.data, n, found.data, &rounded));
        SAME(at, "sums of many bins", right.data, found.data, outputs, size);
        ck_assert(array_intact(&found, found.bytes));
        array_free(&found);
        array_free(&right);
        free(sums);
      }
  array_free(&samples);
  array_free(&weights);
  settings_close(&all);
}
END_TEST

/* Sums that other orders and other precisions get wrong. */
START_TEST(weighted_by_hand)
{
  static const float range[] = { 0, 1 }, samples[8] = { 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f };
  static const struct { double w[8], sum; } list[] = {
    { { 1e308, 1e308, -1e308, -1e308, 1 }, 1 },
    { { 1, 0x1p-53 }, 1 }, { { 1, 0x1p-53, 0x1p-1074 }, 1 + 0x1p-52 },
        { { 1 + 0x1p-52, 0x1p-53 }, 1 + 0x1p-51 },
    { { DBL_MAX, 0x1p970 }, (double)INFINITY }, { { DBL_MAX, 0x1p969 }, DBL_MAX },
        { { -DBL_MAX, -0x1p970 }, -(double)INFINITY },
    { { 0x1p-1074, 0x1p-1074 }, 0x1p-1073 }, { { 0x1p-1022, -0x1p-1074 }, 0x0.fffffffffffffp-1022 },
    { { -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0 }, 0 }, { { 5, -5 }, 0 }, { { 1e16, 1, -1e16 }, 1 },
    { { (double)INFINITY, 1, 2 }, (double)INFINITY }, { { -(double)INFINITY, DBL_MAX }, -(double)INFINITY },
  };
  settings all = settings_open();
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = 2, .lo = &range[0], .hi = &range[1] };
  FOR_SETTINGS(at, &all, 1) {
    iw_histogram_plan *plan;
    double sums[2];
    uint64_t counts[4];
    MUST(at, plan_of(at->context, IW_F32, &spec, NULL, 0, &plan));
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
      const double right[2] = { 0, list[i].sum };
      MUST(at, weighted_histogram(at->context,
                                     IW_OPTIONS(iw_histogram_spec, .plan = plan),
                                     samples, IW_F64, list[i].w, 8, sums));
      SAME(at, "sum", right, sums, 2, 8);
    }
    MUST(at, weighted_histogram(at->context,
                                   IW_OPTIONS(iw_histogram_spec, .plan = plan), NULL,
                                   IW_F64, NULL, 0, sums));
    ck_assert(sums[0] == 0 && sums[1] == 0);
    iw_context *const c = at->context;
    REFUSED(weighted_histogram(c, IW_OPTIONS(iw_histogram_spec, .plan = NULL),
                                  samples, IW_F64, list[0].w, 8, sums), IW_ERROR_INVALID,
            "spec->type is 0");
    REFUSED(weighted_histogram(c, IW_OPTIONS(iw_histogram_spec, .type = IW_F64, .plan = plan),
                                  samples, IW_F64, list[0].w, 8, sums), IW_ERROR_INVALID,
            "type is 8");
    REFUSED(weighted_histogram(c, IW_OPTIONS(iw_histogram_spec, .plan = plan),
                                  samples, IW_U8, list[0].w, 8, sums), IW_ERROR_INVALID,
            "u8");
    REFUSED(weighted_histogram(c, IW_OPTIONS(iw_histogram_spec, .plan = plan),
                                  samples, IW_F64, NULL, 8, sums), IW_ERROR_INVALID,
            "weights");
    REFUSED(weighted_histogram(c, IW_OPTIONS(iw_histogram_spec, .plan = plan),
                                  samples, IW_F64, sums, 2, sums), IW_ERROR_OVERLAP,
            "counts");
    REFUSED(histogram_pairs(c, plan, samples, NULL, samples, 8, counts), IW_ERROR_INVALID,
            "axes[1].spec: spec->type is 0");
    REFUSED(histogram_pairs(c, plan, samples, plan, NULL, 8, counts), IW_ERROR_INVALID,
            "axes[1].samples is NULL");
    const iw_histogram_spec planned = iw_spec_of_plan(plan);
    iw_histogram_axis axes[2] = { { sizeof *axes, &planned, samples }, { sizeof *axes, &planned, samples } };
    axes[0].size--;
    REFUSED(iw_histogram_nd(c, axes, 2, 8, counts, NULL), IW_ERROR_INVALID, "size");
    MUST(at, histogram_pairs(c, plan, samples, plan, samples, 8, counts));
    ck_assert_uint_eq(counts[3], 8);
    REFUSED(iw_histogram_rows(c, IW_OPTIONS(iw_histogram_spec, .plan = plan), samples,
                              SIZE_MAX, 8, counts, NULL), IW_ERROR_INVALID,
            "18446744073709551615 rows of 8 columns");
    REFUSED(iw_histogram_rows(c, IW_OPTIONS(iw_histogram_spec, .plan = plan), samples,
                              2, 4, NULL, NULL), IW_ERROR_INVALID, "counts is NULL");
    REFUSED(iw_histogram_rows(c, IW_OPTIONS(iw_histogram_spec, .type = IW_I32, .bins = 1, .flags = IW_HIST_HI_INCLUDED), samples, 2, 4, counts,
                              &(iw_histogram_ranges){ .size = sizeof(iw_histogram_ranges), .lo = samples, .hi = samples }), IW_ERROR_INVALID,
            "ranges of rows do without it");
    REFUSED(iw_histogram_rows(c, IW_OPTIONS(iw_histogram_spec, .type = IW_I32, .bins = 1), samples, 2, 4, counts,
                              &(iw_histogram_ranges){ .size = sizeof(iw_histogram_ranges), .lo = samples, .hi = samples }), IW_ERROR_INVALID,
            "ranges: row 0: spec->lo and spec->hi give the range");
    const iw_histogram_spec *const specs[] = { &planned, &planned };
    void *const same[] = { counts, counts + 1 };
    REFUSED(iw_histogram_channels(c, specs, 0, samples, 4, same), IW_ERROR_INVALID, "channels is 0");
    REFUSED(iw_histogram_channels(c, specs, 24, samples, 4, same), IW_ERROR_INVALID,
            "channels is 24");
    REFUSED(iw_histogram_channels(c, specs, 2, samples, 4, same), IW_ERROR_OVERLAP, "counts[1]");
    iw_histogram_plan_free(plan);
  }
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("nd");
  TCase *c = new_case(suite, "weighted, pairs, rows and channels");
  tcase_add_loop_test(c, pairs, IW_U8, TYPES);
  tcase_add_loop_test(c, rows, IW_U8, TYPES);
  tcase_add_loop_test(c, channels, IW_U8, TYPES);
  tcase_add_loop_test(c, weighted, IW_I32, IW_F64 + 1);
  tcase_add_test(c, weighted_in_one_bin);
  tcase_add_loop_test(c, weighted_windows, 0, 4);
  tcase_add_test(c, weighted_spans);
  tcase_add_loop_test(c, weighted_many_bins, 0, 6);
  tcase_add_test(c, weighted_by_hand);
  return run_suite_on_all(suite);
}
