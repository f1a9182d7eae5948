/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of isowarp/histograms.h, against their definitions.
 */
#include "binned.h"
#include "reference_growing.h"

#include <isowarp.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- Bin indices ------------------------------------------------------------------------------------- */

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
  const iw_histogram_spec of_plan = iw_spec_of_plan(plan);
  char what[120];
  snprintf(what, sizeof what, "bin indices of %zu %s in %zu bins (kind %d, policy %d, flags %u)", n, iw_type_name(type),
           spec->bins, (int)spec->kind, (int)spec->policy, spec->flags);
  const size_t last = spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
  for (unsigned w = 0; w < 3; w++) {
    const iw_type index_type = index_types[w];
    if (last >> 8 * iw_type_size(index_type)) {
      ck_assert_int_eq(digitize_of(at->context, type, spec, samples->data, n, index_type, (void *)(uintptr_t)8),
                       IW_ERROR_OVERFLOW);
      continue;
    }
    array right = array_new(iw_type_size(index_type), n);
    for (size_t i = 0; i < n; i++)
      put(index_type, right.data, i, (word){ .u64 = index_of(spec, type, samples->data, i, e) });
    for (int by_plan = 0; by_plan < (plan ? 2 : 1); by_plan++) {
      array found = array_new(iw_type_size(index_type), n);
      MUST(at, digitize_of(at->context, type, by_plan ? &of_plan : spec, samples->data, n, index_type, found.data));
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
    MUST(at, digitize_of(at->context, IW_F32, &own, samples, COUNT(samples), IW_U8, found));
    SAME(at, "an automatic range", automatic, found, COUNT(samples), 1);
    MUST(at, digitize_of(at->context, IW_F32, &own, NULL, 0, IW_U8, NULL));
    array_free(&values);
    array_free(&bytes);
  }
  settings_close(&all);
}
END_TEST

/* ---- N-D --------------------------------------------------------------------------------------------- */

/* The axes of one call and their samples. outputs: of the table. */
typedef struct table {
  unsigned dimensions;
  size_t n, outputs;
  unsigned flags;
  size_t counter_width;
  binned of[IW_MAX_HISTOGRAM_AXES];
  array samples[IW_MAX_HISTOGRAM_AXES];
  iw_histogram_axis axes[IW_MAX_HISTOGRAM_AXES];
} table;

static void table_make(table *t, iw_type first, unsigned dimensions, size_t n, unsigned flags, size_t counter_width,
                       const setting *at)
{
  static const size_t most[] = { 800, 200, 30, 12 };
  *t = (table){ .dimensions = dimensions, .n = n, .outputs = 1, .flags = flags, .counter_width = counter_width };
  for (unsigned d = 0; d < dimensions; d++) {
    binned *const b = &t->of[d];
    binned_make(b, d ? (iw_type)(IW_U8 + random_below(IW_BF16)) : first, random_size(most[dimensions - 1]), at);
    binned_flags(b, (b->spec.flags & IW_HIST_CLOSED_TOP) | flags, counter_width, at);
    t->samples[d] = samples_new(b->type, n);
    t->axes[d] = (iw_histogram_axis){ .size = sizeof *t->axes, .spec = random_below(2) ? &b->planned : &b->spec,
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
      table_make(&t, (iw_type)_i, 1 + round / 4 % 4, n, random_below(2) ? IW_HIST_ACCUMULATE : 0, random_counter_width(), at);
      counters c = counters_new(t.outputs, &t.of[0].spec);
      for (size_t i = 0; i < n; i++)
        count_one(&c, place_in(&t, i));
      MUST(at, iw_histogram_nd(at->context, t.axes, t.dimensions, n, c.found.data, NULL));
      counters_check(&c, at, "an N-D histogram");
      table_free(&t);
    }
  }
  settings_close(&all);
}
END_TEST

static void check_exact_table(const setting *at, const table *t, iw_type weight, const array *weights, const array *right)
{
  iw_exact_sum *const sums = malloc((t->outputs + 1) * sizeof *sums);
  array rounded = array_new(right->size, t->outputs);
  ck_assert_ptr_nonnull(sums);
  for (size_t k = 0; k < t->outputs; k++)
    sums[k] = (iw_exact_sum)IW_EXACT_SUM_EMPTY;
  MUST(at, iw_histogram_nd(at->context, t->axes, t->dimensions, t->n, NULL,
                           IW_OPTIONS(iw_histogram_options, .weight_type = weight, .weights = weights->data, .exact_sums = sums)));
  for (size_t k = 0; k < t->outputs; k++)
    MUST(at, iw_exact_sum_round(&sums[k], weight, (char *)rounded.data + k * right->size));
  SAME(at, "exact sums of a table", right->data, rounded.data, t->outputs, right->size);
  array_free(&rounded);
  free(sums);
}

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
  MUST(at, weighted_table(at->context, t->axes, t->dimensions, weight, weights.data, t->n, found.data));
  SAME(at, what, right.data, found.data, t->outputs, size);
  ck_assert_msg(array_intact(&found, found.bytes), "%s wrote outside its sums", what);
  if (is_float(sum) && !adds && round % 3 == 0)
    check_exact_table(at, t, weight, &weights, &right);
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
      table_make(&t, dimensions == 1 ? IW_U8 : (iw_type)(IW_U8 + random_below(IW_BF16)), dimensions, n,
                 random_below(2) ? IW_HIST_ACCUMULATE : 0, random_below(2) ? 8 : 0, at);
      if (t.outputs < 3000)
        check_weighted_table(at, &t, (iw_type)_i, round);
      table_free(&t);
    }
  }
  settings_close(&all);
}
END_TEST

/* ---- Edges by a transform ---------------------------------------------------------------------------- */

/* Correctly rounded edges, from decimal arithmetic of 400 digits. power 0: a logarithmic axis. */
static const struct { iw_type type; size_t bins; double power, edges[9]; } real_edges[] = {
  { IW_F64, 7, 0, { 0x1.0624dd2f1a9fcp-10, 0x1.d7a7384a15ebbp-8, 0x1.a84d74f27b8c1p-5,
      0x1.7db4a2009c6e2p-2, 0x1.57629368ebebdp+1, 0x1.34e961048267dp+4, 0x1.15e62b5806655p+7,
      0x1.f4p+9 } },
  { IW_F64, 5, 0, { 0x0.0000000000001p-1022, 0x1.8406003b2ae5cp-655, 0x1.2611186bae674p-235,
      0x1.bdb8cdadbe12p+184, 0x1.51cb453b9536cp+604, 0x1.fffffffffffffp+1023 } },
  { IW_F32, 6, 0, { 0x1.99999ap-4, 0x1.72de68p+18, 0x1.4fccc6p+40, 0x1.300c0ep+62, 0x1.134bfcp+84,
      0x1.f287bap+105, 0x1.c363ccp+127 } },
  { IW_F16, 6, 0, { 0x1p-24, 0x1.98p-18, 0x1.428p-11, 0x1.ffcp-5, 0x1.964p+2, 0x1.428p+9,
      0x1.ffcp+15 } },
  { IW_F64, 8, 0x1p-1, { 0, 0x1p-6, 0x1p-4, 0x1.2p-3, 0x1p-2, 0x1.9p-2, 0x1.2p-1, 0x1.88p-1, 0x1p+0 } },
  { IW_F64, 5, 0x1p+1, { 0x1p+0, 0x1.43d136248490fp+0, 0x1.7bb598c88b4adp+0, 0x1.ac5eb3f7ab2f8p+0,
      0x1.d80a69c19e42ap+0, 0x1p+1 } },
  { IW_F32, 6, 0x1.5555555555555p-2, { 0, 0x1.7b425ep-5, 0x1.7b425ep-2, 0x1.4p+0, 0x1.7b425ep+1,
      0x1.725edp+2, 0x1.4p+3 } },
  { IW_F64, 5, -0x1p+0, { 0x1p-1, 0x1.4p-1, 0x1.aaaaaaaaaaaabp-1, 0x1.4p+0, 0x1.4p+1,
      0x1.7e43c8800759cp+996 } },
  { IW_F64, 4, 0x1p+6, { 0x1.56e1fc2f8f359p-997, 0x1.ae616b5ace3c5p-34, 0x1.b3112c3bf92f4p-34,
      0x1.b5d507e197d44p-34, 0x1.b7cdfd9d7bdbbp-34 } },
  { IW_F32, 8, -0x1p+6, { 0x1p+0, 0x1.0088ep+0, 0x1.01274p+0, 0x1.01e30ep+0, 0x1.02c9a4p+0,
      0x1.03f41ap+0, 0x1.059b0ep+0, 0x1.087452p+0, 0x1.2p+3 } },
  { IW_F32, 2, 1, { 16777216, 16777220, 16777226 } },                    /* 16777221 is midway */
  { IW_F32, 2, 1, { 16777218, 16777224, 16777228 } },                    /* 16777223 is midway */
};
static const struct { iw_type type; size_t bins; double power; uint64_t edges[11]; } integer_edges[] = {
  { IW_U64, 7, 0, { 1, 565, 319557, 180643666, UINT64_C(102116749982), UINT64_C(57725968806794),
      UINT64_C(32632134055036562), UINT64_C(18446744073709551615) } },
  { IW_U8, 5, 0, { 1, 3, 9, 28, 84, 255 } },
  { IW_I32, 10, 0, { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024 } },
  { IW_I64, 6, 0, { 3, 2498, 2080084, UINT64_C(1732050808), UINT64_C(1442249570307),
      UINT64_C(1200936955176003), UINT64_C(1000000000000000000) } },
  { IW_U32, 6, 0x1p-1, { 0, 111111111, 444444444, UINT64_C(1000000000), UINT64_C(1777777778),
      UINT64_C(2777777778), UINT64_C(4000000000) } },
  { IW_U16, 6, -0x1p-2, { 1, 2, 4, 13, 51, 437, 65535 } },
};

/* lo and hi in the array that becomes the edges. */
static void check_edges(iw_type type, size_t bins, double power, const array *right)
{
  array found = array_new(right->size, bins + 1);
  char *const lo = found.data, *const hi = lo + bins * found.size;
  memcpy(lo, right->data, found.size);
  memcpy(hi, (char *)right->data + bins * found.size, found.size);
  ck_assert_msg(iw_histogram_power_edges(type, lo, hi, bins, power, found.data) == IW_OK, "%s", iw_message());
  for (size_t k = 0; k <= bins; k++)
    ck_assert_msg(!memcmp((char *)right->data + k * found.size, lo + k * found.size, found.size),
                  "edge %zu of %zu of %s, power %g", k, bins, iw_type_name(type), power);
  ck_assert(array_intact(&found, found.bytes));
  array_free(&found);
}

START_TEST(known_edges)
{
  for (unsigned i = 0; i < COUNT(real_edges); i++) {
    array right = array_new(iw_type_size(real_edges[i].type), real_edges[i].bins + 1);
    for (size_t k = 0; k <= real_edges[i].bins; k++) {
      const double e = real_edges[i].edges[k];
      const iw_type type = real_edges[i].type;
      put(type, right.data, k, type == IW_F64 ? (word){ .f64 = e } : type == IW_F32 ? (word){ .f32 = (float)e }
          : (word){ .u64 = half_of(type, e) });
    }
    check_edges(real_edges[i].type, real_edges[i].bins, real_edges[i].power, &right);
    array_free(&right);
  }
  for (unsigned i = 0; i < COUNT(integer_edges); i++) {
    array right = array_new(iw_type_size(integer_edges[i].type), integer_edges[i].bins + 1);
    for (size_t k = 0; k <= integer_edges[i].bins; k++)
      put(integer_edges[i].type, right.data, k, (word){ .u64 = integer_edges[i].edges[k] });
    check_edges(integer_edges[i].type, integer_edges[i].bins, integer_edges[i].power, &right);
    array_free(&right);
  }
}
END_TEST

/* Many edges of f32, against double where it leaves no doubt about the rounding. */
START_TEST(many_edges)
{
  enum { BINS = 3000 };
  static const double powers[] = { 0, 0.5, 2, 1.0 / 3, -1, -0.7, 1 };
  static float edges[BINS + 1];
  start_random(800);
  for (unsigned i = 0; i < COUNT(powers); i++) {
    const double p = powers[i];
    const float lo = (float)ldexp(1 + random_unit(), -(int)random_below(20)), hi = lo * (float)(10 + 1000 * random_unit());
    ck_assert_msg(iw_histogram_power_edges(IW_F32, &lo, &hi, BINS, p, edges) == IW_OK, "%s", iw_message());
    ck_assert(edges[0] == lo && edges[BINS] == hi);
    size_t decided = 0;
    for (size_t k = 1; k < BINS; k++) {
      const double share = (double)k / BINS, low = p == 0 ? log((double)lo) : pow((double)lo, p);
      const double high = p == 0 ? log((double)hi) : pow((double)hi, p), at = low + (high - low) * share;
      const double e = p == 0 ? exp(at) : pow(at, 1 / p);
      if ((float)(e * (1 - 1e-12)) != (float)(e * (1 + 1e-12)))
        continue;
      decided++;
      ck_assert_msg(edges[k] == (float)e, "edge %zu of [%a, %a] by power %g is %a, should be %a", k, (double)lo, (double)hi, p,
                    (double)edges[k], (double)(float)e);
    }
    ck_assert_uint_gt(decided, BINS - 10);
  }
}
END_TEST

/* ---- Tables ------------------------------------------------------------------------------------------ */

static void check_project(const setting *at, iw_type type, unsigned dimensions, unsigned round)
{
  static const size_t most[] = { 3000, 100, 12, 6 };
  iw_table_axis axes[IW_MAX_HISTOGRAM_AXES];
  size_t cells = 1, outputs = 1, extent[IW_MAX_HISTOGRAM_AXES], to[IW_MAX_HISTOGRAM_AXES];
  for (unsigned d = 0; d < dimensions; d++) {
    const size_t factor = random_below(3) ? 1 + random_below(4) : 1, merged = 1 + random_below(most[dimensions - 1]);
    axes[d] = (iw_table_axis){ .size = sizeof *axes, .bins = factor * merged, .outliers = (int)random_below(2),
                               .factor = random_below(3) ? factor : 0 };
    extent[d] = axes[d].bins + (axes[d].outliers ? 2 : 0);
    to[d] = axes[d].factor ? merged + (axes[d].outliers ? 2 : 0) : 1;
    cells *= extent[d];
    outputs *= to[d];
  }
  const unsigned flags = random_below(2) ? IW_HIST_ACCUMULATE : 0;
  const size_t size = iw_type_size(type);
  array in = array_new(size, cells), found = array_new(size, outputs), right = array_new(size, outputs);
  exact *const sums = calloc(outputs, sizeof *sums);
  uint64_t *const whole = calloc(outputs, sizeof *whole);
  ck_assert(sums && whole);
  for (size_t k = 0; k < outputs; k++) {
    word w = { .u64 = 0 };
    put(type, found.data, k, random_word(type, WIDE));
    memcpy(&w, (char *)found.data + k * size, size);
    if (flags && is_float(type))
      exact_add(&sums[k], type, w);
    whole[k] = flags ? w.u64 : 0;
  }
  for (size_t i = 0; i < cells; i++) {
    size_t rest = i, place = 0, stride = 1;
    word w = { .u64 = 0 };
    put(type, in.data, i, random_word(type, round % 2 ? WIDE : SPECIAL));
    memcpy(&w, (char *)in.data + i * size, size);
    for (unsigned d = dimensions; d-- > 0; rest /= extent[d]) {
      const size_t c = rest % extent[d], bins = axes[d].bins;
      const size_t bin = !axes[d].factor ? 0 : c < bins ? c / axes[d].factor : c - bins + bins / axes[d].factor;
      place += bin * stride;
      stride *= to[d];
    }
    if (is_float(type))
      exact_add(&sums[place], type, w);
    whole[place] += w.u64;
  }
  for (size_t k = 0; k < outputs; k++)
    put(type, right.data, k, is_float(type) ? exact_round(&sums[k], type) : (word){ .u64 = whole[k] });
  char what[96];
  snprintf(what, sizeof what, "%zu cells of %s on %u axes become %zu (flags %u)", cells, iw_type_name(type), dimensions,
           outputs, flags);
  MUST(at, iw_histogram_project(at->context, type, axes, dimensions, in.data, found.data, flags));
  SAME(at, what, right.data, found.data, outputs, size);
  ck_assert_msg(array_intact(&found, found.bytes), "%s wrote outside its table", what);
  array_free(&in);
  array_free(&found);
  array_free(&right);
  free(sums);
  free(whole);
}

START_TEST(projected)
{
  static const iw_type cell_types[] = { IW_U32, IW_U64, IW_I64, IW_F32, IW_F64 };
  settings all = settings_open();
  start_random(820 + (unsigned)_i);
  for (unsigned round = 0; round < 12; round++)
    FOR_SETTINGS(at, &all, 0)
      check_project(at, cell_types[_i], 1 + round % 4, round);
  settings_close(&all);
}
END_TEST

/* More samples and cells than are treated at a time: one thread takes 2^18. */
START_TEST(several_chunks)
{
  enum { SAMPLES = 600000, BINS = 700 };
  setting one = { .isa = "any", .threads = 1 };
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU, .threads = 1 };
  const int64_t lo = 0, hi = BINS;
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = BINS, .lo = &lo, .hi = &hi };
  iw_histogram_plan *plan;
  ck_assert_int_eq(iw_context_open(&one.context, &options), IW_OK);
  MUST(&one, plan_of(one.context, IW_I64, &spec, NULL, 0, &plan));
  start_random(830);
  int64_t *const x = malloc(SAMPLES * sizeof *x), *const y = malloc(SAMPLES * sizeof *y);
  uint64_t *const right = calloc(BINS * BINS, sizeof *right), *const sums = calloc(BINS * BINS, sizeof *sums);
  uint64_t *const found = calloc(BINS * BINS, sizeof *found), by_row[BINS], by_row_right[BINS] = { 0 };
  ck_assert(x && y && right && sums && found);
  for (size_t i = 0; i < SAMPLES; i++) {
    x[i] = (int64_t)random_below(BINS + 20) - 10;
    y[i] = (int64_t)random_below(BINS + 20) - 10;
    if (x[i] < 0 || x[i] >= BINS || y[i] < 0 || y[i] >= BINS)
      continue;
    right[x[i] * BINS + y[i]]++;
    sums[x[i] * BINS + y[i]] += (uint64_t)x[i];
    by_row_right[x[i]]++;
  }
  const iw_histogram_spec planned = iw_spec_of_plan(plan);
  const iw_histogram_axis axes[] = { { sizeof *axes, &planned, x }, { sizeof *axes, &planned, y } };
  const iw_table_axis table[] = { { .size = sizeof *table, .bins = BINS, .factor = 1 },
                                  { .size = sizeof *table, .bins = BINS } };
  MUST(&one, iw_histogram_nd(one.context, axes, 2, SAMPLES, found, NULL));
  SAME(&one, "counts of several chunks", right, found, BINS * BINS, 8);
  MUST(&one, iw_histogram_project(one.context, IW_U64, table, 2, found, by_row, 0));
  SAME(&one, "projection of several chunks", by_row_right, by_row, BINS, 8);
  MUST(&one, weighted_table(one.context, axes, 2, IW_I64, x, SAMPLES, found));
  SAME(&one, "sums of several chunks", sums, found, BINS * BINS, 8);
  iw_histogram_plan_free(plan);
  iw_context_close(one.context);
  free(x);
  free(y);
  free(right);
  free(sums);
  free(found);
}
END_TEST

/* ---- Rows with their own ranges ---------------------------------------------------------------------- */

/* Row `row` of the reference. */
static void count_row(iw_type type, const void *samples, size_t columns, const iw_histogram_spec *spec, counters *c,
                      size_t row)
{
  edges e = edges_of(type, spec);
  const size_t outputs = spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
  for (size_t i = row * columns; i < (row + 1) * columns; i++) {
    const size_t k = bin_by_policy(type, samples, i, spec, &e);
    if (k < outputs && k != spec->bins + NOT_A_NUMBER)
      count_one(c, row * outputs + k);
  }
  edges_free(&e);
}

static void check_ranged(const setting *at, iw_type type, size_t rows, size_t columns, int automatic)
{
  const size_t size = iw_type_size(type);
  binned b;
  binned_make(&b, type, random_size(60), at);
  iw_histogram_spec spec = b.spec;
  spec.flags = (unsigned)random_below(4);
  spec.counter_width = random_counter_width();
  spec.lo = spec.hi = NULL;
  array samples = array_new(size, rows * columns), lo = array_new(size, rows), hi = array_new(size, rows);
  for (size_t i = 0; i < rows * columns; i++)
    put(type, samples.data, i, random_word(type, automatic ? WIDE : random_below(8) ? UNIT : SPECIAL));
  if (automatic && (columns < 8 || (type != IW_F32 && type != IW_F64)))
    spec.bins = 1; /* any range has room for one */
  for (size_t r = 0; r < rows; r++) {
    memcpy((char *)lo.data + r * size, &b.lo, size);
    memcpy((char *)hi.data + r * size, &b.hi, size);
    if (automatic)
      MUST(at, iw_histogram_range(at->context, type, (char *)samples.data + r * columns * size, 1, columns,
                                  (char *)lo.data + r * size, (char *)hi.data + r * size));
  }
  counters c = counters_new(rows * (spec.bins + (spec.policy == IW_POLICY_COUNT ? 2 : 0)), &spec);
  for (size_t r = 0; r < rows; r++) {
    iw_histogram_spec own = spec;
    own.lo = (char *)lo.data + r * size;
    own.hi = (char *)hi.data + r * size;
    own.flags |= automatic ? IW_HIST_CLOSED_TOP : 0;
    count_row(type, samples.data, columns, &own, &c, r);
  }
  if (automatic) {
    array low = array_new(size, rows), high = array_new(size, rows);
    MUST(at, iw_histogram_range(at->context, type, samples.data, rows, columns, low.data, high.data));
    SAME(at, "least samples of rows", lo.data, low.data, rows, size);
    SAME(at, "greatest samples of rows", hi.data, high.data, rows, size);
    array_free(&low);
    array_free(&high);
  }
  const iw_histogram_ranges ranges = { sizeof ranges, lo.data, hi.data };
  iw_histogram_spec typed;
  MUST(at, iw_histogram_rows(at->context, typed_spec(type, &spec, &typed), samples.data, rows, columns, c.found.data,
                             automatic ? NULL : &ranges));
  counters_check(&c, at, automatic ? "rows with automatic ranges" : "rows with given ranges");
  array_free(&samples);
  array_free(&lo);
  array_free(&hi);
  binned_free(&b);
}

START_TEST(ranged_rows)
{
  settings all = settings_open();
  start_random(840 + (unsigned)_i);
  for (unsigned round = 0; round < 8; round++) {
    const size_t rows = random_below(20), columns = round == 3 ? 0 : random_size(round % 2 ? 300 : 3000);
    FOR_SETTINGS(at, &all, rows * columns + 301)
      check_ranged(at, (iw_type)_i, rows, columns, round % 2);
  }
  settings_close(&all);
}
END_TEST

/* ---- Growing histograms ------------------------------------------------------------------------------ */

static lattice lattice_new(iw_type type)
{
  lattice l = { .type = type };
  const double origins[] = { 0, 3, type == IW_U8 || type == IW_BOOL || type == IW_U64 ? 5 : -7 };
  put(type, &l.origin, 0, word_of(type, origins[random_below(3)] * (random_below(2) && type != IW_BOOL ? 1 : 0)));
  put(type, &l.width, 0, word_of(type, is_float(type) ? (random_below(2) && type != IW_BF16 ? 0.3 : 2) : 1 + (double)random_below(9)));
  return l;
}

/* Samples whose magnitude grows, so that the range does. */
static array stream_new(iw_type type, size_t n, int specials)
{
  array a = array_new(iw_type_size(type), n);
  for (size_t i = 0; i < n; i++) {
    const double scale = ldexp(1, (int)(random_below(4) + (is_half(type) ? 0 : 9 * i / (n + 1))));
    const double least = type == IW_U32 || type == IW_U64 ? 0 : 0.4;
    const double outliers[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
    put(type, a.data, i, word_of(type, floor(scale * (random_unit() - least) * 64) / 8));
    if (specials && random_below(20) == 0)
      put(type, a.data, i, is_float(type) ? word_of(type, outliers[random_below(3)])
                                          : random_word(type, iw_type_size(type) < 4 ? SPECIAL : TINY));
  }
  return a;
}

/* Batches into several histograms, which are merged. */
static iw_growing_histogram *grow_by_batches(const setting *at, const lattice *l, size_t bins, iw_growth growth,
                                             const array *samples, size_t n)
{
  iw_growing_histogram *parts[3] = { NULL };
  for (unsigned p = 0; p < 3; p++)
    MUST(at, iw_growing_histogram_make(l->type, &l->origin, &l->width, bins, growth, &parts[p]));
  for (size_t from = 0; from < n;) {
    const size_t batch = 1 + random_below(n - from < 2000 ? n - from : 2000);
    MUST(at, iw_growing_histogram_add(at->context, parts[random_below(3)],
                                      (const char *)samples->data + from * samples->size, batch));
    from += batch;
  }
  MUST(at, iw_growing_histogram_merge(at->context, parts[0], parts[1]));
  MUST(at, iw_growing_histogram_merge(at->context, parts[0], parts[2]));
  iw_growing_histogram_free(parts[1]);
  iw_growing_histogram_free(parts[2]);
  return parts[0];
}

static void check_growing(const setting *at, iw_type type, size_t n, iw_growth growth, int specials)
{
  const lattice l = lattice_new(type);
  const size_t size = iw_type_size(type), most = growth == IW_GROW_RANGE ? 2 * (1 + random_below(40)) : 1 << 24;
  array samples = stream_new(type, n, specials);
  iw_growing_histogram *const h = grow_by_batches(at, &l, most, growth, &samples, n);
  iw_growing_histogram_info info = { .size = sizeof info };
  MUST(at, iw_growing_histogram_get_info(h, &info));
  const right_growth right = growth_by_definition(&l, samples.data, n, most, growth);
  ck_assert_msg(info.type == type && info.bins == right.bins && (!right.bins || (info.level == right.level && info.first == right.first)),
                "%s: %zu bins, level %u, first %lld; should be %zu, %u, %lld", iw_type_name(type), info.bins, info.level,
                (long long)info.first, right.bins, right.level, (long long)right.first);
  ck_assert(info.below == right.outside[0] && info.above == right.outside[1] && info.nan == right.outside[2]);
  array found = array_new(8, right.bins), counts = array_new(8, right.bins);
  array found_edges = array_new(size, right.bins + 1), edges = array_new(size, right.bins + 1);
  write_growth(&l, &right, samples.data, n, edges.data, counts.data);
  MUST(at, iw_growing_histogram_read(h, found_edges.data, found.data));
  SAME(at, "counts of a growing histogram", counts.data, found.data, right.bins, 8);
  SAME(at, "edges of a growing histogram", edges.data, found_edges.data, right.bins ? right.bins + 1 : 0, size);
  ck_assert(array_intact(&found, found.bytes) && array_intact(&found_edges, right.bins ? found_edges.bytes : 0));
  iw_growing_histogram_free(h);
  array_free(&samples);
  array_free(&found);
  array_free(&counts);
  array_free(&found_edges);
  array_free(&edges);
}

START_TEST(growing)
{
  settings all = settings_open();
  start_random(860 + (unsigned)_i);
  for (unsigned round = 0; round < 12; round++) {
    const size_t n = round == 0 ? 0 : random_size(round % 3 ? 300 : 6000);
    FOR_SETTINGS(at, &all, n + 301)
      check_growing(at, (iw_type)_i, n, round % 4 == 3 ? IW_GROW_BINS : IW_GROW_RANGE, round % 2);
  }
  settings_close(&all);
}
END_TEST

/* A batch that has no room leaves the histogram as it was. */
START_TEST(growing_refused)
{
  static const double origin = 0, width = 1, good[] = { 1, 2.5, 2 }, far[] = { 3, 40 }, farther[] = { 1e30, 0 };
  static const double nowhere = (double)INFINITY;
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    iw_growing_histogram *h, *other;
    iw_growing_histogram_info info = { .size = sizeof info };
    uint64_t counts[8] = { 0 };
    double e[9];
    REFUSED(iw_growing_histogram_make(IW_F64, &origin, &width, 7, IW_GROW_RANGE, &h), IW_ERROR_INVALID, "even");
    REFUSED(iw_growing_histogram_make(IW_F64, &origin, &origin, 8, IW_GROW_RANGE, &h), IW_ERROR_INVALID, "width is 0");
    REFUSED(iw_growing_histogram_make(IW_F64, &nowhere, &width, 8, IW_GROW_RANGE, &h), IW_ERROR_INVALID, "origin is inf");
    MUST(at, iw_growing_histogram_make(IW_F64, &origin, &width, 8, IW_GROW_BINS, &h));
    MUST(at, iw_growing_histogram_make(IW_F64, &origin, &width, 6, IW_GROW_BINS, &other));
    MUST(at, iw_growing_histogram_read(h, NULL, NULL));
    MUST(at, iw_growing_histogram_add(c, h, good, 3));
    REFUSED(iw_growing_histogram_add(c, h, far, 2), IW_ERROR_OVERFLOW, "8 bins");
    REFUSED(iw_growing_histogram_add(c, h, farther, 2), IW_ERROR_OVERFLOW, "2^60");
    REFUSED(iw_growing_histogram_merge(c, h, other), IW_ERROR_INVALID, "6 bins");
    REFUSED(iw_growing_histogram_merge(c, h, h), IW_ERROR_OVERLAP, "same");
    MUST(at, iw_growing_histogram_get_info(h, &info));
    ck_assert(info.bins == 2 && info.first == 1 && info.level == 0);
    MUST(at, iw_growing_histogram_read(h, e, counts));
    ck_assert(counts[0] == 1 && counts[1] == 2 && e[0] == 1 && e[1] == 2 && e[2] == 3);
    iw_growing_histogram_free(h);
    iw_growing_histogram_free(other);
    iw_growing_histogram_free(NULL);
  }
  settings_close(&all);
}
END_TEST

/* ---- Refused calls ----------------------------------------------------------------------------------- */

START_TEST(refused)
{
  settings all = settings_open();
  static const float range[] = { 0, 1 }, x[8] = { 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f };
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    iw_histogram_spec spec = { .size = sizeof spec, .bins = 254, .lo = &range[0], .hi = &range[1], .policy = IW_POLICY_COUNT };
    uint64_t out[64] = { 0 };
    REFUSED(digitize_of(c, IW_F32, &spec, x, 8, IW_U8, out), IW_ERROR_OVERFLOW, "256: at most 255");
    REFUSED(digitize_of(c, IW_F32, &spec, x, 8, IW_U64, out), IW_ERROR_INVALID, "indices.width is 8");
    REFUSED(digitize_of(c, IW_F32, NULL, x, 8, IW_U8, out), IW_ERROR_INVALID, "spec is NULL");
    REFUSED(digitize_of(c, IW_F32, &spec, out, 8, IW_U16, out), IW_ERROR_OVERLAP, "indices");
    spec.bins = 253;
    MUST(at, digitize_of(c, IW_F32, &spec, x, 8, IW_U8, out));
    iw_histogram_plan *plan, *wide, *narrow;
    MUST(at, plan_of(c, IW_F32, &spec, NULL, 0, &plan));
    spec.bins = 100000;
    MUST(at, plan_of(c, IW_F32, &spec, NULL, 0, &wide));
    spec.counter_width = 4;
    spec.bins = 2;
    spec.policy = IW_POLICY_DROP;
    MUST(at, plan_of(c, IW_F32, &spec, NULL, 0, &narrow));
    iw_histogram_axis axes[5];
    const iw_histogram_spec by_narrow = iw_spec_of_plan(narrow), by_plan = iw_spec_of_plan(plan), by_wide = iw_spec_of_plan(wide);
    const iw_histogram_spec automatic = { .size = sizeof automatic, .type = IW_F32, .bins = 2 };
    for (unsigned d = 0; d < 5; d++)
      axes[d] = (iw_histogram_axis){ .size = sizeof *axes, .spec = &by_narrow, .samples = x };
    REFUSED(iw_histogram_nd(c, axes, 0, 8, out, NULL), IW_ERROR_INVALID, "dimensions is 0");
    REFUSED(iw_histogram_nd(c, axes, 5, 8, out, NULL), IW_ERROR_INVALID, "dimensions is 5");
    REFUSED(iw_histogram_nd(c, NULL, 2, 8, out, NULL), IW_ERROR_INVALID, "axes is NULL");
    MUST(at, iw_histogram_nd(c, axes, 4, 8, out, NULL));
    ck_assert_uint_eq(((uint32_t *)out)[15], 8);
    REFUSED(weighted_table(c, axes, 1, IW_F32, x, 8, out), IW_ERROR_INVALID, "counter_width is 4");
    axes[2].spec = &by_plan;
    REFUSED(iw_histogram_nd(c, axes, 3, 8, out, NULL), IW_ERROR_INVALID, "axes[2].spec disagree");
    axes[2].spec = &automatic;
    REFUSED(iw_histogram_nd(c, axes, 3, 8, out, NULL), IW_ERROR_INVALID, "axes[2].spec: spec->lo and spec->hi are NULL");
    axes[2].spec = NULL;
    REFUSED(iw_histogram_nd(c, axes, 3, 8, out, NULL), IW_ERROR_INVALID, "axes[2].spec: spec is NULL");
    axes[0].spec = axes[1].spec = &by_wide;
    REFUSED(iw_histogram_nd(c, axes, 2, 8, out, NULL), IW_ERROR_INVALID, "100002 counters, times 100002");
    axes[1].spec = &by_plan;
    REFUSED(weighted_table(c, axes, 2, IW_U8, x, 8, out), IW_ERROR_INVALID, "weight_type is u8");
    REFUSED(weighted_table(c, axes, 2, IW_F32, NULL, 8, out), IW_ERROR_INVALID, "weights");
    iw_exact_sum sum = IW_EXACT_SUM_EMPTY;
    iw_histogram_report report = { .size = sizeof report };
    REFUSED(iw_histogram_nd(c, axes, 2, 8, out, IW_OPTIONS(iw_histogram_options, .weights = x)), IW_ERROR_INVALID, "weight_type is 0");
    REFUSED(iw_histogram_nd(c, axes, 2, 8, out, IW_OPTIONS(iw_histogram_options, .report = &report)), IW_ERROR_INVALID, "report");
    REFUSED(iw_histogram_nd(c, axes, 2, 8, NULL, IW_OPTIONS(iw_histogram_options, .exact_sums = &sum)), IW_ERROR_INVALID,
            "weight_type is 0");
    REFUSED(iw_histogram_nd(c, axes, 2, 8, NULL, IW_OPTIONS(iw_histogram_options, .weight_type = IW_I32, .exact_sums = &sum)),
            IW_ERROR_INVALID, "weight_type is i32");
    REFUSED(iw_histogram_nd(c, axes, 2, 8, out, IW_OPTIONS(iw_histogram_options, .weight_type = IW_F32, .weights = x, .exact_sums = &sum)),
            IW_ERROR_INVALID, "counts is");
    axes[0].samples = out;
    axes[0].spec = axes[1].spec;
    REFUSED(iw_histogram_nd(c, axes, 1, 8, out, NULL), IW_ERROR_OVERLAP, "axes[0].samples");
    REFUSED(weighted_table(c, axes, 1, IW_F32, x, 8, out), IW_ERROR_OVERLAP, "axes[0].samples");
    axes[1].size = 2 * sizeof *axes;
    REFUSED(iw_histogram_nd(c, axes, 2, 8, out, NULL), IW_ERROR_INVALID, "axes[1].size");
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
  tcase_add_loop_test(c, digitize, IW_U8, TYPES);
  tcase_add_test(c, digitize_kinds);
  tcase_add_loop_test(c, counts, IW_U8, TYPES);
  tcase_add_loop_test(c, weights, IW_I32, IW_F64 + 1);
  tcase_add_test(c, known_edges);
  tcase_add_test(c, many_edges);
  tcase_add_loop_test(c, projected, 0, 5);
  tcase_add_test(c, several_chunks);
  tcase_add_loop_test(c, ranged_rows, IW_U8, TYPES);
  tcase_add_loop_test(c, growing, IW_U8, TYPES);
  tcase_add_test(c, growing_refused);
  return run_suite_on_all(suite);
}
