/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of isowarp/histograms.h, against their definitions.
 */
#include "binned.h"

#include <isowarp/histograms.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- Bin indices ------------------------------------------------------------------------------------------------- */

/* The index that digitize gives sample i of a spec. */
static uint64_t index_of(const iw_histogram_spec *spec, iw_type type, const void *samples, size_t i, const edges *e)
{
  const size_t bin = bin_by_policy(type, samples, i, spec, e), most = spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
  return bin < most ? bin : most;
}

/* By the spec and by the plan, each into indices of all widths that hold them. */
static void check_digitize(const setting *at, iw_type type, const iw_histogram_spec *spec, const edges *e,
                           const iw_histogram_plan *plan, const array *samples, size_t n)
{
  static const iw_type index_types[] = { IW_U8, IW_U16, IW_U32 };
  const iw_histogram_spec of_plan = spec_of_plan(plan);
  char what[120];
  snprintf(what, sizeof what, "bin indices of %zu %s in %zu bins (kind %d, policy %d, flags %u)", n, iw_type_name(type),
           spec->bins, (int)spec->kind, (int)spec->policy, spec->flags);
  const size_t last = spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
  for (unsigned w = 0; w < 3; w++) {
    const iw_type index_type = index_types[w];
    if (last >> 8 * iw_type_size(index_type)) {
      ck_assert_int_eq(iw_digitize(at->context, type, samples->data, n, spec, index_type, (void *)(uintptr_t)8),
                       IW_ERROR_OVERFLOW);
      continue;
    }
    array right = array_new(iw_type_size(index_type), n);
    for (size_t i = 0; i < n; i++)
      put(index_type, right.data, i, (word){ .u64 = index_of(spec, type, samples->data, i, e) });
    for (int by_plan = 0; by_plan < (plan ? 2 : 1); by_plan++) {
      array found = array_new(iw_type_size(index_type), n);
      MUST(at, iw_digitize(at->context, type, samples->data, n, by_plan ? &of_plan : spec, index_type, found.data));
      SAME(at, what, right.data, found.data, n, right.size);
      ck_assert_msg(array_intact(&found, found.bytes), "%s wrote outside its array", what);
      array_free(&found);
    }
    array_free(&right);
  }
}

START_TEST(digitize)
{
  settings all = settings_open();
  start_random(500 + (unsigned)_i);
  for (unsigned round = 0; round < 20; round++) {
    const size_t n = some_n(round);
    FOR_SETTINGS(at, &all, n + 301) {
      binned b;
      binned_make(&b, (iw_type)_i, random_size(round % 5 == 4 && is_float((iw_type)_i) ? 100000 : round % 3 ? 300 : 30), at);
      array samples = samples_new(b.type, n);
      check_digitize(at, b.type, &b.spec, &b.e, b.plan, &samples, n);
      array_free(&samples);
      binned_free(&b);
    }
  }
  settings_close(&all);
}
END_TEST

/* Edges, a map, and an automatic range. */
START_TEST(digitize_kinds)
{
  settings all = settings_open();
  start_random(520);
  FOR_SETTINGS(at, &all, 0) {
    static const double edges_at[] = { -3, 0, 0.125, 7, 1000 };
    static const float samples[] = { 5, -1, 2.5f, 5, -1, 0, 4.875f };
    static const uint8_t automatic[] = { 3, 0, 2, 3, 0, 0, 3 };
    uint16_t map[256];
    uint8_t found[COUNT(samples)];
    array values = array_new(8, 400), bytes = array_new(1, 400);
    for (size_t i = 0; i < 400; i++) {
      put(IW_F64, values.data, i, random_word(IW_F64, i % 9 ? UNIT : SPECIAL));
      ((uint8_t *)bytes.data)[i] = (uint8_t)random_below(256);
    }
    for (unsigned v = 0; v < 256; v++)
      map[v] = v % 5 ? (uint16_t)(v * 200 % 70) : IW_MAP_NONE;
    for (int policy = IW_POLICY_DROP; policy <= IW_POLICY_COUNT; policy++) {
      const iw_histogram_spec by_edges = { .size = sizeof by_edges, .kind = IW_HISTOGRAM_EDGES, .bins = 4,
                                           .edges = edges_at, .policy = (iw_policy)policy };
      const iw_histogram_spec by_map = { .size = sizeof by_map, .kind = IW_HISTOGRAM_MAP, .bins = 70, .map = map,
                                         .policy = (iw_policy)policy };
      edges e = edges_of(IW_F64, &by_edges), none = { NULL, NULL, 0, 0 };
      check_digitize(at, IW_F64, &by_edges, &e, NULL, &values, 400);
      if (policy != IW_POLICY_CLAMP)
        check_digitize(at, IW_U8, &by_map, &none, NULL, &bytes, 400);
      edges_free(&e);
    }
    /* [-1, 5] in 4 bins of 1.5, closed on top */
    const iw_histogram_spec own = { .size = sizeof own, .bins = 4 };
    MUST(at, iw_digitize(at->context, IW_F32, samples, COUNT(samples), &own, IW_U8, found));
    SAME(at, "an automatic range", automatic, found, COUNT(samples), 1);
    MUST(at, iw_digitize(at->context, IW_F32, NULL, 0, &own, IW_U8, NULL));
    array_free(&values);
    array_free(&bytes);
  }
  settings_close(&all);
}
END_TEST

/* ---- N-D --------------------------------------------------------------------------------------------------------- */

/* The axes of one call and their samples. outputs: of the table. */
typedef struct table {
  unsigned dimensions;
  size_t n, outputs;
  unsigned flags;
  binned of[IW_MAX_HISTOGRAM_AXES];
  array samples[IW_MAX_HISTOGRAM_AXES];
  iw_histogram_axis axes[IW_MAX_HISTOGRAM_AXES];
} table;

static void table_make(table *t, iw_type first, unsigned dimensions, size_t n, unsigned flags, const setting *at)
{
  static const size_t most[] = { 800, 200, 30, 12 };
  *t = (table){ .dimensions = dimensions, .n = n, .outputs = 1, .flags = flags };
  for (unsigned d = 0; d < dimensions; d++) {
    binned *const b = &t->of[d];
    binned_make(b, d ? (iw_type)random_below(TYPES) : first, random_size(most[dimensions - 1]), at);
    binned_flags(b, (b->spec.flags & IW_HIST_CLOSED_TOP) | flags, at);
    t->samples[d] = samples_new(b->type, n);
    t->axes[d] = (iw_histogram_axis){ .size = sizeof *t->axes, .plan = b->plan, .type = b->type,
                                      .samples = t->samples[d].data };
    t->outputs *= b->outputs;
  }
}

static void table_free(table *t)
{
  for (unsigned d = 0; d < t->dimensions; d++) {
    array_free(&t->samples[d]);
    binned_free(&t->of[d]);
  }
}

/* The counter of sample i; SIZE_MAX: none. */
static size_t place_in(const table *t, size_t i)
{
  size_t place = 0;
  for (unsigned d = 0; d < t->dimensions; d++) {
    const size_t k = place_of(&t->of[d], t->samples[d].data, i);
    if (k >= t->of[d].outputs)
      return SIZE_MAX;
    place = place * t->of[d].outputs + k;
  }
  return place;
}

START_TEST(counts)
{
  settings all = settings_open();
  start_random(600 + (unsigned)_i);
  for (unsigned round = 0; round < 16; round++) {
    const size_t n = some_n(round);
    FOR_SETTINGS(at, &all, n + 301) {
      table t;
      table_make(&t, (iw_type)_i, 1 + round / 4 % 4, n, (unsigned)random_below(4) * 2, at);
      counters c = counters_new(t.outputs, t.flags);
      for (size_t i = 0; i < n; i++)
        count_one(&c, place_in(&t, i));
      MUST(at, iw_histogram_nd(at->context, t.axes, t.dimensions, n, c.found.data));
      counters_check(&c, at, "an N-D histogram");
      table_free(&t);
    }
  }
  settings_close(&all);
}
END_TEST

static void check_weighted_table(const setting *at, const table *t, iw_type weight, unsigned round)
{
  const iw_type sum = sum_type(weight);
  const size_t size = iw_type_size(sum);
  const int adds = (t->flags & IW_HIST_ACCUMULATE) != 0;
  array weights = weights_new(weight, t->n, round);
  array found = array_new(size, t->outputs), right = array_new(size, t->outputs);
  exact *const sums = calloc(t->outputs, sizeof *sums);
  ck_assert_ptr_nonnull(sums);
  for (size_t k = 0; k < t->outputs; k++) {
    const word before = random_word(sum, round % 2 ? WIDE : TINY);
    put(sum, found.data, k, before);
    put(sum, right.data, k, (word){ .u64 = adds && !is_float(sum) ? before.u64 : 0 });
    word stored = { .u64 = 0 };
    memcpy(&stored, (char *)found.data + k * size, size);
    if (adds && is_float(sum))
      exact_add(&sums[k], sum, stored);
  }
  for (size_t i = 0; i < t->n; i++) {
    const size_t k = place_in(t, i);
    word w = { .u64 = 0 };
    if (k >= t->outputs)
      continue;
    memcpy(&w, (char *)weights.data + i * weights.size, weights.size);
    if (is_float(weight))
      exact_add(&sums[k], weight, w);
    else
      ((uint64_t *)right.data)[k] += weight == IW_I32 ? (uint64_t)w.i32 : w.u64;
  }
  for (size_t k = 0; is_float(sum) && k < t->outputs; k++)
    put(sum, right.data, k, exact_round(&sums[k], sum));
  char what[96];
  snprintf(what, sizeof what, "%zu weights of %s on %u axes (round %u, flags %u)", t->n, iw_type_name(weight), t->dimensions,
           round, t->flags);
  MUST(at, iw_histogram_nd_weighted(at->context, t->axes, t->dimensions, weight, weights.data, t->n, found.data));
  SAME(at, what, right.data, found.data, t->outputs, size);
  ck_assert_msg(array_intact(&found, found.bytes), "%s wrote outside its sums", what);
  array_free(&weights);
  array_free(&found);
  array_free(&right);
  free(sums);
}

START_TEST(weights)
{
  settings all = settings_open();
  start_random(700 + (unsigned)_i);
  for (unsigned round = 0; round < 16; round++) {
    const size_t n = some_n(round) / (is_float((iw_type)_i) ? 4 : 1);
    FOR_SETTINGS(at, &all, n + 301) {
      table t;
      const unsigned dimensions = 1 + round % 4;
      table_make(&t, dimensions == 1 ? IW_U8 : (iw_type)random_below(TYPES), dimensions, n,
                 random_below(2) ? IW_HIST_ACCUMULATE : 0, at);
      if (t.outputs < 3000)
        check_weighted_table(at, &t, (iw_type)_i, round);
      table_free(&t);
    }
  }
  settings_close(&all);
}
END_TEST

/* ---- Refused calls ----------------------------------------------------------------------------------------------- */

START_TEST(refused)
{
  settings all = settings_open();
  static const float range[] = { 0, 1 }, x[8] = { 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f };
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    iw_histogram_spec spec = { .size = sizeof spec, .bins = 254, .lo = &range[0], .hi = &range[1], .policy = IW_POLICY_COUNT };
    uint64_t out[64] = { 0 };
    REFUSED(iw_digitize(c, IW_F32, x, 8, &spec, IW_U8, out), IW_ERROR_OVERFLOW, "256: at most 255");
    REFUSED(iw_digitize(c, IW_F32, x, 8, &spec, IW_U64, out), IW_ERROR_INVALID, "index_type is u64");
    REFUSED(iw_digitize(c, IW_F32, x, 8, NULL, IW_U8, out), IW_ERROR_INVALID, "spec is NULL");
    REFUSED(iw_digitize(c, IW_F32, out, 8, &spec, IW_U16, out), IW_ERROR_OVERLAP, "indices");
    spec.bins = 253;
    MUST(at, iw_digitize(c, IW_F32, x, 8, &spec, IW_U8, out));
    iw_histogram_plan *plan, *wide, *narrow;
    MUST(at, iw_histogram_plan_make(c, IW_F32, &spec, NULL, 0, &plan));
    spec.bins = 100000;
    MUST(at, iw_histogram_plan_make(c, IW_F32, &spec, NULL, 0, &wide));
    spec.flags = IW_HIST_COUNTERS_32;
    spec.bins = 2;
    spec.policy = IW_POLICY_DROP;
    MUST(at, iw_histogram_plan_make(c, IW_F32, &spec, NULL, 0, &narrow));
    iw_histogram_axis axes[5];
    for (unsigned d = 0; d < 5; d++)
      axes[d] = (iw_histogram_axis){ .size = sizeof *axes, .plan = narrow, .type = IW_F32, .samples = x };
    REFUSED(iw_histogram_nd(c, axes, 0, 8, out), IW_ERROR_INVALID, "dimensions is 0");
    REFUSED(iw_histogram_nd(c, axes, 5, 8, out), IW_ERROR_INVALID, "dimensions is 5");
    REFUSED(iw_histogram_nd(c, NULL, 2, 8, out), IW_ERROR_INVALID, "axes is NULL");
    MUST(at, iw_histogram_nd(c, axes, 4, 8, out));
    ck_assert_uint_eq(((uint32_t *)out)[15], 8);
    REFUSED(iw_histogram_nd_weighted(c, axes, 1, IW_F32, x, 8, out), IW_ERROR_INVALID, "IW_HIST_COUNTERS_32");
    axes[2].plan = plan;
    REFUSED(iw_histogram_nd(c, axes, 3, 8, out), IW_ERROR_INVALID, "axes[2].plan disagree");
    axes[2].type = IW_F64;
    REFUSED(iw_histogram_nd(c, axes, 3, 8, out), IW_ERROR_INVALID, "axes[2].type is f64");
    axes[0].plan = axes[1].plan = wide;
    REFUSED(iw_histogram_nd(c, axes, 2, 8, out), IW_ERROR_INVALID, "100002 counters, times 100002");
    axes[1].plan = plan;
    REFUSED(iw_histogram_nd_weighted(c, axes, 2, IW_U8, x, 8, out), IW_ERROR_INVALID, "weight_type is u8");
    REFUSED(iw_histogram_nd_weighted(c, axes, 2, IW_F32, NULL, 8, out), IW_ERROR_INVALID, "weights");
    axes[0].samples = out;
    axes[0].plan = axes[1].plan;
    REFUSED(iw_histogram_nd(c, axes, 1, 8, out), IW_ERROR_OVERLAP, "axes[0].samples");
    REFUSED(iw_histogram_nd_weighted(c, axes, 1, IW_F32, x, 8, out), IW_ERROR_OVERLAP, "axes[0].samples");
    axes[1].size = 2 * sizeof *axes;
    REFUSED(iw_histogram_nd(c, axes, 2, 8, out), IW_ERROR_INVALID, "axes[1].size");
    iw_histogram_plan_free(plan);
    iw_histogram_plan_free(wide);
    iw_histogram_plan_free(narrow);
  }
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("histograms");
  TCase *c = new_case(suite, "histograms");
  tcase_add_test(c, refused);
  tcase_add_loop_test(c, digitize, 0, TYPES);
  tcase_add_test(c, digitize_kinds);
  tcase_add_loop_test(c, counts, 0, TYPES);
  tcase_add_loop_test(c, weights, IW_I32, IW_F64 + 1);
  return run_suite_on_all(suite);
}
