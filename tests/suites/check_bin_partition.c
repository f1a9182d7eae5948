/* SPDX-License-Identifier: Apache-2.0
 *
 * The histogram by bin partition, a GPU schedule, on CPU contexts whose device record prefers global
 * atomics. The suite reaches into the runtime; tests/suites/check_histogram.c tests a device through the
 * public calls.
 */
#include "reference.h"
#include "algorithms/common/kernel_ids.h"
#include "algorithms/histogram/histogram.h"
#include "algorithms/multisplit/radix_split.h"
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/memory.h"

enum { LEAST = 1 << 22, MOST = LEAST + 20011 }; /* samples that are worth it, and some more */

enum { EVENLY, ONE, SORTED, EDGES, OUTSIDE, WAYS };

/* A sample of bin k: on its edge, or between that and the next. */
static word sample_of(iw_type type, const edges *e, size_t k, int on_edge)
{
  word w = { .u64 = 0 };
  if (e->f) {
    const double part = on_edge ? 0 : random_unit();
    const double x = e->f[k] + part * (e->f[k + 1] - e->f[k]);
    if (type == IW_F32)
      w.f32 = (float)x;
    else
      w.f64 = x;
  } else
    w.u64 = (uint64_t)e->i[k] + (on_edge ? 0 : random_below((uint64_t)(e->i[k + 1] - e->i[k])));
  return w;
}

static void fill_by(iw_type type, array *samples, size_t n, const edges *e, int way)
{
  for (size_t i = 0; i < n; i++) {
    const size_t k = way == ONE && random_below(50) ? e->bins / 3 : way == SORTED ? i * e->bins / n : (size_t)random_below(e->bins);
    const int astray = random_below(way == OUTSIDE ? 2 : 1000) == 0;
    put(type, samples->data, i,
        astray ? random_word(type, (int)random_below(FLAVOURS)) : sample_of(type, e, k, way == EDGES));
  }
}

/* Whether it is the way that the library takes, on a plan that has seen samples or none. */
static int by_ranges(const setting *at, iw_type type, const iw_histogram_spec *spec, size_t n,
                     const void *samples, size_t seen)
{
  iw_histogram_plan *plan;
  iw_histogram_plan_info info = { .size = sizeof info };
  MUST(at, plan_of(at->context, type, spec, samples, seen, &plan));
  MUST(at, iw_histogram_plan_get_info(at->context, plan, n, &info));
  iw_histogram_plan_free(plan);
  return strstr(info.why, "ranges of bins") != NULL;
}

static void check_on(const setting *at, iw_type type, const void *samples, size_t n,
                     const iw_histogram_spec *spec,
                     const uint64_t *right, const uint64_t *outside, const char *what)
{
  const size_t outputs = spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
  const int narrow = spec->counter_width == 4;
  array counts = array_new(narrow ? 4 : 8, outputs), expected = array_new(narrow ? 4 : 8, outputs);
  iw_histogram_report report = { .size = sizeof report };
  for (size_t k = 0; k < outputs; k++) {
    const uint64_t before = spec->flags & IW_HIST_ACCUMULATE ? 3 * k + 1 : 0;
    put(narrow ? IW_U32 : IW_U64, counts.data, k, (word){ .u64 = before });
    put(narrow ? IW_U32 : IW_U64, expected.data, k, (word){ .u64 = before + right[k] });
  }
  MUST(at, histogram_of(at->context, type, spec, samples, n, counts.data, &report));
  SAME(at, what, expected.data, counts.data, outputs, narrow ? 4 : 8);
  ck_assert_msg(array_intact(&counts, counts.bytes), "%s wrote outside its counters", what);
  SAME(at, what, &outside[BELOW], &report.underflow, 1, 8);
  SAME(at, what, &outside[ABOVE], &report.overflow, 1, 8);
  SAME(at, what, &outside[NOT_A_NUMBER], &report.nan, 1, 8);
  array_free(&counts);
  array_free(&expected);
}

START_TEST(ranges)
{
  static const size_t list[] = { 114700, 131072, 131073, 1000000,
                                (size_t)IW_MAX_BIN_RANGES << IW_BIN_RANGE_LOG2 };
  const iw_type type = (iw_type)(IW_I32 + _i % 6);
  const int way = (2 * _i + _i / 6) % WAYS;
  settings all = settings_open();
  /* Every second instruction set, and the others when the type comes again. */
  const unsigned loop = (unsigned)_i, sets = all.cpus / SHAPES, first_set = (loop + loop / 6) % 2;
  if (first_set >= sets) {
    settings_close(&all);
    return;
  }
  start_random(4700 + (uint64_t)_i);
  word lo = { .u64 = 0 }, hi = { .u64 = 0 };
  if (type == IW_F32)
    lo.f32 = 0.1f, hi.f32 = 0.9f;
  else if (type == IW_F64)
    lo.f64 = -3, hi.f64 = 12;
  else
    lo.u32 = 1000, hi.u32 = 2000000000u;
  const size_t n = LEAST + random_below(MOST - LEAST), from = random_below(3);
  const iw_histogram_spec spec = {
    .size = sizeof spec, .bins = list[_i % 5], .lo = &lo, .hi = &hi, .policy = (iw_policy)random_below(3),
    .flags = (unsigned)random_below(4), .counter_width = random_below(2) ? 4 : 8,
  };
  char what[128];
  snprintf(what, sizeof what, "%zu bins of %s by ranges (n = %zu, way %d, policy %d, flags %u, counters of %zu)", spec.bins,
           iw_type_name(type), n,
           way, (int)spec.policy, spec.flags, spec.counter_width);
  array samples = array_new(iw_type_size(type), n + from);
  edges e = edges_of(type, &spec);
  fill_by(type, &samples, n + from, &e, way);
  const void *const first = (const char *)samples.data + from * iw_type_size(type);
  uint64_t *const right = malloc((spec.bins + 2) * sizeof *right), outside[3];
  reference_histogram(type, first, n, &spec, right, outside);
  for (unsigned set = first_set; set < sets; set += 2) {
    setting *const at = &all.at[set * SHAPES + loop % SHAPES];
    at->context->device.prefers_global_atomics = 1;
    ck_assert(by_ranges(at, type, &spec, n, NULL, 0) && !by_ranges(at, type, &spec, LEAST - 1, NULL, 0));
    ck_assert_int_eq(by_ranges(at, type, &spec, n, first, 5000), way != ONE);
    check_on(at, type, first, n, &spec, right, outside, what);
  }
  free(right);
  edges_free(&e);
  array_free(&samples);
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("bin partition");
  TCase *c = new_case(suite, "histograms by bin partition");
  tcase_add_loop_test(c, ranges, 0, 12);
  return run_suite(suite);
}
