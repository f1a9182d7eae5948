/* SPDX-License-Identifier: Apache-2.0
 *
 * Multisplit by bins and by bits, with payloads and permutations, and selection of single bins: stable,
 * every element once, every bit kept. tests/suites/check_operators.c tests a user's rules.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "reference.h"
#include "reference_multisplit.h"

enum { TYPES = MOVED_TYPES };

static const size_t small_sizes[] = { 0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 257 };
static const size_t large_sizes[] = {
  1023, 1024, 1025, 8191, 8192, 8193, 16384, 32769, 262143, 262144, 262145, 524289, (1 << 20) + 1,
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* What a call moves, and how, goes round. */
static unsigned ways;

/* ---- By bins ----------------------------------------------------------------------------------------- */

/* Multisplit on a setting, in several ways, and the extraction of a few bins, which are its pieces. */
static void check_bins_of(const setting *at, const splitting *s, const iw_histogram_spec *spec,
                          unsigned round)
{
  const iw_type type = s->type;
  const size_t n = s->n, size = s->size, bins = s->buckets;
  array out = array_new(size, n), offsets = array_new(sizeof(size_t), bins + 1);
  char what[96];
  snprintf(what, sizeof what, "multisplit of %zu %s into %zu (policy %d)", n, iw_type_name(type), bins,
           (int)spec->policy);
  iw_histogram_plan *plan = NULL;
  if (round % 2 && (spec->kind == IW_HISTOGRAM_EDGES || spec->lo))
    MUST(at, plan_of(at->context, type, spec, NULL, 0, &plan));
  const iw_histogram_spec planned = iw_spec_of_plan(plan), *const bins_of = plan ? &planned : spec;
  MUST(at, multisplit_by_bins(at->context, type, s->in.data, n, bins_of, out.data, offsets.data));
  SAME(at, what, s->offsets, offsets.data, bins + 1, sizeof(size_t));
  SAME(at, what, s->out.data, out.data, n, size);
  ck_assert_msg(array_intact(&out, out.bytes) && array_intact(&offsets, offsets.bytes),
                "%s wrote outside its outputs",
                what);
  array_free(&out);
  array_free(&offsets);
  if (plan)
    check_multisplit(at, s, &(iw_buckets){ .size = sizeof(iw_buckets), .bins = &planned }, "bins",
                     round / 2);
  for (unsigned i = 0; i < 3; i++) {
    const size_t bin = i == 0 ? 0 : i == 1 ? bins - 1 : random_below(bins),
      wanted = s->offsets[bin + 1] - s->offsets[bin];
    size_t count = SIZE_MAX;
    out = array_new(size, wanted);
    snprintf(what, sizeof what, "bin %zu of %zu of %zu %s (policy %d)", bin, bins, n, iw_type_name(type),
             (int)spec->policy);
    MUST(at, select_bin(at->context, type, s->in.data, n, bins_of, bin, out.data, &count));
    SAME(at, what, &wanted, &count, 1, sizeof count);
    SAME(at, what, (char *)s->out.data + s->offsets[bin] * size, out.data, wanted, size);
    ck_assert_msg(array_intact(&out, out.bytes), "%s wrote outside its output", what);
    array_free(&out);
  }
  iw_histogram_plan_free(plan);
}

static void check_bins(settings *all, iw_type type, size_t n, size_t bins, unsigned round)
{
  word lo, hi;
  bins = bins < most_bins(type) ? bins : most_bins(type);
  range_for(type, bins, &lo, &hi);
  iw_histogram_spec spec = {
    .size = sizeof spec, .bins = bins, .lo = &lo, .hi = &hi, .policy = (iw_policy)(round % 3),
    .flags = round & 1 ? IW_HIST_CLOSED_TOP : 0,
  };
  if (!is_float(type) && round % 5 == 4)
    spec.flags |= IW_HIST_HI_INCLUDED;
  array given = array_new(iw_type_size(type), bins + 1);
  if (round % 7 == 3 && !(spec.flags & IW_HIST_HI_INCLUDED)) { /* the same edges, given */
    ck_assert_int_eq(write_edges_of(type, &spec, given.data), IW_OK);
    spec.kind = IW_HISTOGRAM_EDGES;
    spec.lo = spec.hi = NULL;
    spec.edges = given.data;
  }
  splitting s = splitting_new(type, n, bins);
  edges e = edges_of(type, &spec);
  fill_for(type, s.in.data, n, &e);
  edges_free(&e);
  splitting_by_bins(&s, &spec);
  FOR_SETTINGS(at, all, n)
    check_bins_of(at, &s, &spec, ways++);
  splitting_free(&s);
  array_free(&given);
}

START_TEST(many_sides)
{
  static const size_t bins[] = {
    1, 2, 3, 7, 8, 31, 32, 33, 100, 254, 255, 256, 257, 1000, 4096, 8190, 8191, 8192, 8193, 65535, 65536,
        70000,
  };
  settings all = settings_open();
  start_random(400 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < COUNT(small_sizes); i++)
    check_bins(&all, all_types[_i], small_sizes[i], bins[(i * 5 + (unsigned)_i) % 12], i);
  for (unsigned i = 0; i < COUNT(bins); i++)
    check_bins(&all, all_types[_i], 301 + random_size(40000), bins[i], i);
  for (unsigned i = 0; i < COUNT(large_sizes); i++)
    check_bins(&all, all_types[_i], large_sizes[i], bins[(i * 7 + (unsigned)_i * 3) % COUNT(bins)],
               i + (unsigned)_i);
  settings_close(&all);
}
END_TEST

/* By a map of u8; a bin of a map is no range of values, and is not selected. */
START_TEST(maps)
{
  uint16_t map[256];
  settings all = settings_open();
  start_random(450);
  for (unsigned round = 0; round < 12; round++) {
    const size_t n = round % 2 ? random_below(300) : 301 + random_size(20000), bins = 1 + random_size(round % 3 ? 255 : 3000);
    const int none = round % 4 != 0;
    const iw_histogram_spec spec = { .size = sizeof spec, .kind = IW_HISTOGRAM_MAP, .bins = bins, .map = map };
    for (unsigned v = 0; v < 256; v++)
      map[v] = none && random_below(4) == 0 ? IW_MAP_NONE : (uint16_t)random_below(bins);
    splitting s = splitting_new(IW_U8, n, bins);
    fill(IW_U8, s.in.data, n, WIDE);
    for (size_t i = 0; i < n; i++) {
      const uint16_t bin = map[((const uint8_t *)s.in.data)[i]];
      s.bucket_ids[i] = bin == IW_MAP_NONE ? SIZE_MAX : bin;
    }
    splitting_compute(&s);
    FOR_SETTINGS(at, &all, n) {
      check_multisplit(at, &s, &(iw_buckets){ .size = sizeof(iw_buckets), .bins = &spec }, "a map", ways++);
      uint8_t found[1];
      size_t count;
      ck_assert_int_eq(select_bin(at->context, IW_U8, s.in.data, n, &spec, 0, found, &count), IW_ERROR_INVALID);
      ck_assert_ptr_nonnull(strstr(iw_message(), "test->bins is a map"));
      /* Bins are named as the call has them. */
      const iw_histogram_spec without = { .size = sizeof without, .type = IW_U8, .edges = map };
      size_t offsets[2];
      ck_assert_int_eq(select_bin(at->context, IW_U8, s.in.data, n, &without, 0, found, &count), IW_ERROR_INVALID);
      ck_assert_msg(strstr(iw_message(), "test->bins: spec->bins is 0"), "%s", iw_message());
      ck_assert_int_eq(iw_multisplit(at->context, &(iw_buckets){ .size = sizeof(iw_buckets), .type = IW_U8, .bins = &without },
                                     s.in.data, n, s.in.data, offsets, NULL), IW_ERROR_INVALID);
      ck_assert_msg(strstr(iw_message(), "buckets->bins: spec->bins is 0"), "%s", iw_message());
    }
    splitting_free(&s);
  }
  settings_close(&all);
}
END_TEST

/* Edges of the caller's; and the range of the data. */
START_TEST(other_bins)
{
  static const double edges_f64[] = { -1e300, -1, -0.0, 5e-324, 1, 1e10 };
  static const int32_t edges_i32[] = { INT32_MIN, -5, 0, 1, INT32_MAX };
  settings all = settings_open();
  start_random(500);
  for (unsigned round = 0; round < 8; round++) {
    const size_t n = round % 2 ? 250 : 20000;
    const iw_policy policy = (iw_policy)(round % 3);
    const unsigned flags = round & 4 ? IW_HIST_CLOSED_TOP : 0;
    const iw_histogram_spec five = {
      .size = sizeof five, .kind = IW_HISTOGRAM_EDGES, .bins = 5, .edges = edges_f64, .policy = policy,
          .flags = flags,
    };
    const iw_histogram_spec four = {
      .size = sizeof four, .kind = IW_HISTOGRAM_EDGES, .bins = 4, .edges = edges_i32, .policy = policy,
          .flags = flags,
    };
    const iw_histogram_spec automatic = { .size = sizeof automatic, .bins = 17 };
    splitting s5 = splitting_new(IW_F64, n, 5), s4 = splitting_new(IW_I32, n, 4),
        sa = splitting_new(IW_F32, n, 17);
    fill(IW_F64, s5.in.data, n, round % 3);
    fill(IW_I32, s4.in.data, n, round % 3);
    fill(IW_F32, sa.in.data, n, UNIT);
    const float *const x = sa.in.data;
    float lo = x[0], hi = lo;
    for (size_t i = 0; i < n; i++) {
      lo = x[i] < lo ? x[i] : lo;
      hi = x[i] > hi ? x[i] : hi;
    }
    iw_histogram_spec ranged = automatic;
    ranged.lo = &lo, ranged.hi = &hi, ranged.flags = IW_HIST_CLOSED_TOP;
    splitting_by_bins(&s5, &five);
    splitting_by_bins(&s4, &four);
    splitting_by_bins(&sa, &ranged);
    ck_assert_uint_eq(sa.offsets[17], n);
    FOR_SETTINGS(at, &all, n) {
      check_bins_of(at, &s5, &five, ways++);
      check_bins_of(at, &s4, &four, ways++);
      check_bins_of(at, &sa, &automatic, 0);
    }
    splitting_free(&s5);
    splitting_free(&s4);
    splitting_free(&sa);
  }
  settings_close(&all);
}
END_TEST

/* ---- By bits ----------------------------------------------------------------------------------------- */

/* What bucket sizes are like: even, or with one, few or many buckets of most elements; sorted or in runs. */
enum { EVEN, SKEWED, ONE, SORTED, RUNS, SPREADS };
static void fill_spread(const splitting *s, unsigned bit, unsigned spread)
{
  fill(s->type, s->in.data, s->n, WIDE);
  for (size_t i = 0; i < s->n && spread != EVEN; i++) {
    word w = random_word(IW_U64, WIDE);
    const uint64_t number = spread == SKEWED ? random_below(1 + random_below(1 + random_below(s->buckets)))
      : spread == ONE ? s->buckets - 1 : spread == SORTED ? i * s->buckets / s->n : (i >> 7) * 0x9e3779b97f4a7c15u >> 40;
    const uint64_t mask = (uint64_t)(s->buckets - 1) << bit;
    w.u64 = (w.u64 & ~mask) | ((number << bit) & mask);
    memcpy((char *)s->in.data + i * s->size, &w, s->size);
  }
}

static void check_bits(settings *all, iw_type type, size_t n, unsigned bit, unsigned bits, unsigned spread)
{
  const iw_buckets how = { .size = sizeof how, .bit = bit, .bits = bits };
  splitting s = splitting_new(type, n, (size_t)1 << bits);
  fill_spread(&s, bit, spread);
  for (size_t i = 0; i < n; i++) {
    uint64_t x = 0;
    memcpy(&x, (const char *)s.in.data + i * s.size, s.size);
    s.bucket_ids[i] = (size_t)(x >> bit & (s.buckets - 1));
  }
  splitting_compute(&s);
  char name[64];
  snprintf(name, sizeof name, "bits %u to %u, spread %u", bit, bit + bits - 1, spread);
  FOR_SETTINGS(at, all, n)
    check_multisplit(at, &s, &how, name, ways++);
  splitting_free(&s);
}

START_TEST(bits)
{
  const iw_type type = all_types[_i];
  const unsigned all_bits = 8 * (unsigned)iw_type_size(type);
  settings all = settings_open();
  start_random(600 + (unsigned)_i);
  all.turn = (unsigned)_i;
  ways = 3 * (unsigned)_i;
  const unsigned sizes = COUNT(small_sizes) + COUNT(large_sizes);
  for (unsigned i = 0; i < sizes + 12; i++) {
    if (i >= COUNT(small_sizes) && i < sizes && (i + (unsigned)_i) % 4) /* each large one is two types' */
      continue;
    const size_t n = i < COUNT(small_sizes) ? small_sizes[i]
      : i < sizes ? large_sizes[i - COUNT(small_sizes)] : random_size(60000);
    const unsigned count = 1 + (i * 5 + (unsigned)_i) % (all_bits < 16 ? all_bits : 16);
    const unsigned bit = i % 3 == 0 ? 0 : i % 3 == 1 ? all_bits - count : (unsigned)random_below(all_bits - count + 1);
    check_bits(&all, type, n, bit, count, i % SPREADS);
  }
  settings_close(&all);
}
END_TEST

/* Arrays that threads move within chunks first, and then gather: most lines of the outputs would have several
 * writers. In one pass and in two. */
START_TEST(gathered)
{
  static const size_t sizes[] = { 32768, 40001, 65535, 65536, 65537, 100003, 131072 };
  static const unsigned threads[] = { 4, 5, 8, 16 };
  enum { ROUNDS = 4 };
  const iw_type type = all_types[_i];
  const unsigned all_bits = 8 * (unsigned)iw_type_size(type);
  settings all = { .count = 0 };
  for (; all.count < COUNT(threads); all.count++) {
    setting *const s = &all.at[all.count];
    iw_context_info info = { .size = sizeof info };
    const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU, .threads = threads[all.count] };
    ck_assert_msg(iw_context_open(&s->context, &options) == IW_OK, "%s", iw_message());
    ck_assert_int_eq(iw_context_get_info(s->context, &info), IW_OK);
    s->isa = info.isa;
    s->threads = info.threads;
  }
  start_random(650 + (unsigned)_i);
  ways = 5 * (unsigned)_i;
  for (unsigned i = 0; i < ROUNDS; i++) {
    const unsigned count = i == 1 && all_bits > 8 ? 9 + (unsigned)random_below(4) : 7 + i % 2;
    check_bits(&all, type, sizes[random_below(COUNT(sizes))], (unsigned)random_below(all_bits - count + 1), count,
               (i + (unsigned)_i) % SPREADS);
  }
  settings_close(&all);
}
END_TEST

/* Least digit first, they sort: keys, and with them where they came from. */
START_TEST(sorted_by_digits)
{
  enum { N = 70001 };
  settings all = settings_open();
  start_random(700);
  static uint32_t keys[2][N], from[2][N], key[N];
  FOR_SETTINGS(at, &all, N) {
    size_t *const offsets = malloc((1 + (1 << 11)) * sizeof *offsets);
    fill(IW_U32, key, N, WIDE);
    memcpy(keys[0], key, sizeof key);
    for (uint32_t i = 0; i < N; i++)
      from[0][i] = i;
    for (unsigned bit = 0, turn = 0; bit < 32; bit += 11, turn ^= 1)
      MUST(at, multisplit_with(at->context, IW_U32, keys[turn], N,
                               &(iw_buckets){ .size = sizeof(iw_buckets), .bit = bit,
                                             .bits = bit == 22 ? 10 : 11 }, keys[!turn],
                                                 (iw_payload[]){ payload_of(from[turn], from[!turn], NULL,
                                                     4) }, 1, offsets));
    for (size_t i = 0; i < N; i++) {
      ck_assert_uint_eq(keys[1][i], key[from[1][i]]);
      ck_assert(i == 0 || keys[1][i - 1] < keys[1][i] || (keys[1][i - 1] == keys[1][i] && from[1][i - 1] < from[1][i]));
    }
    free(offsets);
  }
  settings_close(&all);
}
END_TEST

/* ---- What is refused --------------------------------------------------------------------------------- */

START_TEST(refused)
{
  static const uint32_t unit[] = { 0, 100 };
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = 4, .lo = &unit[0], .hi = &unit[1] };
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    _Alignas(16) uint32_t in[96], before[96];
    size_t offsets[17], same[17];
    iw_histogram_plan *plan;
    for (unsigned i = 0; i < COUNT(in); i++)
      in[i] = before[i] = i * 37 % 101;
    memset(offsets, 0x33, sizeof offsets);
    memcpy(same, offsets, sizeof same);
    MUST(at, plan_of(c, IW_U32, &spec, NULL, 0, &plan));
    const iw_histogram_spec planned = iw_spec_of_plan(plan);
    const iw_buckets bins = { .size = sizeof bins, .bins = &planned },
        four = { .size = sizeof four, .bit = 3, .bits = 4 };
    uint32_t *const out = in + 32, *const to = in + 64;
    iw_payload p = payload_of(in, to, NULL, 4);
    iw_buckets b = four;
    REFUSED(multisplit_of(NULL, IW_U32, &four, in, 32, out, offsets), IW_ERROR_INVALID, "context");
    REFUSED(multisplit_of(c, (iw_type)44, &four, in, 32, out, offsets), IW_ERROR_INVALID, "44");
    REFUSED(multisplit_of(c, IW_U32, NULL, in, 32, out, offsets), IW_ERROR_INVALID, "buckets is NULL");
    REFUSED(multisplit_of(c, IW_U32, &four, NULL, 32, out, offsets), IW_ERROR_INVALID, "in is NULL");
    REFUSED(multisplit_of(c, IW_U32, &four, in, 32, out, NULL), IW_ERROR_INVALID, "offsets is NULL");
    REFUSED(multisplit_payloads_of(c, IW_U32, &four, in, 32, NULL, 1, offsets), IW_ERROR_INVALID,
            "payloads is NULL");
    REFUSED(multisplit_payloads_of(c, IW_U32, &four, in, 32, &p, IW_MAX_PAYLOADS + 1, offsets),
            IW_ERROR_INVALID, "count is");
    p.size--;
    REFUSED(multisplit_with(c, IW_U32, in, 32, &four, out, &p, 1, offsets), IW_ERROR_INVALID,
            "payloads[0].size");
    p.size++;
    REFUSED(multisplit_of(c, IW_U32, &four, (char *)in + 2, 31, out, offsets), IW_ERROR_INVALID, "aligned");
    REFUSED(multisplit_of(c, IW_U32, &four, in, SIZE_MAX / 4, out, offsets), IW_ERROR_INVALID, "at most");
    b.size--;
    REFUSED(multisplit_of(c, IW_U32, &b, in, 32, out, offsets), IW_ERROR_INVALID, "buckets->size");
    b.size++;
    b.bits = 17;
    REFUSED(multisplit_of(c, IW_U32, &b, in, 32, out, offsets), IW_ERROR_INVALID, "buckets->bits is 17; valid are 1 to 16");
    b = (iw_buckets){ .size = sizeof b, .bit = 31, .bits = 2 };
    REFUSED(multisplit_of(c, IW_F32, &b, in, 32, out, offsets), IW_ERROR_INVALID, "buckets->bits is 2; valid are 1 to 1 for f32 from bit 31 on");
    b = (iw_buckets){ .size = sizeof b, .bit = 4294967295u, .bits = 2 };
    REFUSED(multisplit_of(c, IW_U32, &b, in, 32, out, offsets), IW_ERROR_INVALID,
            "buckets->bit is 4294967295; valid are 0 to 31");
    b = (iw_buckets){ .size = sizeof b };
    REFUSED(multisplit_of(c, IW_U32, &b, in, 32, out, offsets), IW_ERROR_INVALID, "has 0 of");
    b = (iw_buckets){ .size = sizeof b, .bins = &spec, .bits = 1 };
    REFUSED(multisplit_of(c, IW_U32, &b, in, 32, out, offsets), IW_ERROR_INVALID, "has 2 of");
    b = (iw_buckets){ .size = sizeof b, .bits = 1, .count = 2 };
    REFUSED(multisplit_of(c, IW_U32, &b, in, 32, out, offsets), IW_ERROR_INVALID, "count is 2");
    REFUSED(multisplit_of(c, IW_I32, &bins, in, 32, out, offsets), IW_ERROR_INVALID, "i32");
    REFUSED(multisplit_of(c, IW_U8, &bins, in, 32, out, offsets), IW_ERROR_INVALID, "u8");
    p.width = 3;
    REFUSED(multisplit_with(c, IW_U32, in, 32, &four, out, &p, 1, offsets), IW_ERROR_INVALID,
            "payloads[0].width is 3");
    p.width = 8;
    REFUSED(multisplit_with(c, IW_U32, in, 8, &four, out, (iw_payload[]){ payload_of(in + 1, to, NULL, 8) },
                            1, offsets), IW_ERROR_INVALID,
            "payloads[0].in");
    REFUSED(multisplit_with(c, IW_U32, in, 8, &four, out, (iw_payload[]){ payload_of(in, NULL, NULL, 8) }, 1,
                            offsets), IW_ERROR_INVALID,
            "payloads[0].out is NULL");
    REFUSED(multisplit_with(c, IW_U32, in, 8, &four, out, (iw_payload[]){ payload_of(NULL, to, NULL, 2) }, 1,
                            offsets), IW_ERROR_INVALID,
            "payloads[0].width is 2");
    REFUSED(multisplit_with(c, IW_U32, in, ((size_t)1 << 32) + 1, &four, NULL,
                            (iw_payload[]){ payload_of(NULL, to, NULL, 4) }, 1, offsets),
            IW_ERROR_OVERFLOW, "4294967297");
    /* Nothing that is written overlaps anything. */
    const iw_payload own = payload_of(in, in, NULL, 4), mine = payload_of(in, out, NULL, 4);
    const iw_payload shifted = payload_of(in, in + 1, NULL, 4);
    const iw_payload both[2] = { mine, payload_of(in, out + 31, NULL, 4) };
    MUST(at, iw_context_reserve(c, 1024));
    REFUSED(multisplit_of(c, IW_U32, &four, in, 32, in + 31, offsets), IW_ERROR_OVERLAP, "in (");
    REFUSED(multisplit_with(c, IW_U32, in, 32, &four, in, &own, 1, offsets), IW_ERROR_OVERLAP,
            "payloads[0].");
    REFUSED(multisplit_with(c, IW_U32, in, 32, &four, in, (iw_payload[]){ payload_of(in, out, NULL, 4) }, 1,
                            offsets), IW_ERROR_OVERLAP,
            "payloads[0].in");
    REFUSED(multisplit_with(c, IW_U32, in, 32, &four, out, &mine, 1, offsets), IW_ERROR_OVERLAP,
            "payloads[0].out");
    REFUSED(multisplit_with(c, IW_U32, in, 32, &four, NULL, &shifted, 1, offsets), IW_ERROR_OVERLAP,
            "payloads[0].out");
    REFUSED(multisplit_with(c, IW_U32, in, 32, &four, NULL, both, 2, offsets), IW_ERROR_OVERLAP,
            "payloads[1].out");
    for (unsigned i = 2; i < 64; i += 60)
      REFUSED(multisplit_of(c, IW_U32, &four, in, 32, out, (size_t *)(void *)(in + i)), IW_ERROR_OVERLAP,
              "offsets");
    ck_assert_mem_eq(offsets, same, sizeof offsets);
    ck_assert_mem_eq(in, before, sizeof in);
    iw_histogram_plan_free(plan);
  }
  settings_close(&all);
}
END_TEST

/* ---- By a pivot -------------------------------------------------------------------------------------- */

/* With payloads: less, equal, and the others, NaN among them. A third of the elements are equal. */
START_TEST(pivots)
{
  const iw_type type = all_types[_i];
  settings all = settings_open();
  start_random(900 + (unsigned)_i);
  all.turn = (unsigned)_i;
  ways = 5 * (unsigned)_i;
  for (unsigned i = 0; i < COUNT(small_sizes) + COUNT(large_sizes); i++) {
    const size_t n = i < COUNT(small_sizes) ? small_sizes[i] : large_sizes[i - COUNT(small_sizes)];
    splitting s = splitting_new(type, n, 3);
    word pivot;
    put(type, &pivot, 0, random_word(type, (int)(i % FLAVOURS)));
    if (i % 8 == 7)
      memset(&pivot, is_float(type) ? 0xff : 0x80, sizeof pivot); /* a NaN; the lowest of some */
    fill(type, s.in.data, n, i % 2 ? SPECIAL : UNIT);
    for (size_t k = 0; k < n; k++)
      if (random_below(3) == 0)
        memcpy((char *)s.in.data + k * s.size, &pivot, s.size);
    for (size_t k = 0; k < n; k++)
      s.bucket_ids[k] = compared(type, s.in.data, k, IW_LESS, &pivot) ? 0 : compared(type, s.in.data, k, IW_EQUAL, &pivot) ? 1 : 2;
    splitting_compute(&s);
    const iw_buckets how = { .size = sizeof how, .pivot = &pivot };
    FOR_SETTINGS(at, &all, n)
      check_multisplit(at, &s, &how, "a pivot", ways++);
    splitting_free(&s);
  }
  settings_close(&all);
}
END_TEST

/* One array for both, once there is room for a copy of it. */
START_TEST(in_place)
{
  enum { N = 3000 };
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    uint64_t keys[N], twice[N];
    uint16_t more[N];
    size_t offsets[257];
    const iw_buckets low = { .size = sizeof low, .bits = 8 };
    for (size_t i = 0; i < N; i++) {
      keys[i] = twice[i] = i * 0x9e3779b97f4a7c15u >> 40;
      more[i] = (uint16_t)i;
    }
    REFUSED(multisplit_of(at->context, IW_U64, &low, keys, N, keys, offsets), IW_ERROR_OVERLAP,
            "24000 bytes");
    MUST(at, iw_context_reserve(at->context, sizeof keys));
    REFUSED(multisplit_with(at->context, IW_U64, keys, N, &low, keys,
                            (iw_payload[]){ payload_of(more, more, NULL, 2) }, 1, offsets),
            IW_ERROR_OVERLAP, "30000 bytes");
    ck_assert_mem_eq(keys, twice, sizeof keys);
    MUST(at, iw_context_reserve(at->context, sizeof keys + sizeof more));
    MUST(at, multisplit_with(at->context, IW_U64, keys, N, &low, keys,
                             (iw_payload[]){ payload_of(more, more, NULL, 2) }, 1, offsets));
    ck_assert_uint_eq(offsets[256], N);
    for (size_t i = 0; i < N; i++) {
      ck_assert_uint_eq(keys[i], twice[more[i]]);
      ck_assert(i == 0 || (keys[i - 1] & 255) < (keys[i] & 255) || ((keys[i - 1] & 255) == (keys[i] & 255) && more[i - 1] < more[i]));
    }
  }
  settings_close(&all);
}
END_TEST

/* The elements and as many payloads as there may be, by more buckets than a pass has digits: the bucket ids
 * are one more array between passes. */
START_TEST(all_payloads)
{
  enum { N = 9000, BINS = 300, STEP = 7 };
  const uint32_t lo = 0, hi = BINS;
  const iw_histogram_spec spec = { .size = sizeof spec, .type = IW_U32, .bins = BINS, .lo = &lo, .hi = &hi };
  const iw_buckets bins = { .size = sizeof bins, .bins = &spec };
  settings all = settings_open();
  splitting s = splitting_new(IW_U32, N, BINS);
  uint16_t *const in = malloc(IW_MAX_PAYLOADS * N * sizeof *in), *const out = malloc(IW_MAX_PAYLOADS * N * sizeof *out);
  iw_payload payloads[IW_MAX_PAYLOADS];
  size_t offsets[BINS + 1];
  array elements = array_new(sizeof(uint32_t), N);
  for (uint32_t i = 0; i < N; i++)
    ((uint32_t *)s.in.data)[i] = i * 2654435761u % (BINS + BINS / 10);
  splitting_by_bins(&s, &spec);
  for (size_t p = 0; p < IW_MAX_PAYLOADS; p++) {
    payloads[p] = payload_of(in + p * N, out + p * N, NULL, sizeof *in);
    for (size_t i = 0; i < N; i++)
      in[p * N + i] = (uint16_t)(STEP * i + p);
  }
  FOR_SETTINGS(at, &all, N) {
    memset(out, 0x55, IW_MAX_PAYLOADS * N * sizeof *out);
    MUST(at, multisplit_with(at->context, IW_U32, s.in.data, N, &bins, elements.data, payloads, IW_MAX_PAYLOADS, offsets));
    ck_assert_mem_eq(elements.data, s.out.data, N * sizeof(uint32_t));
    ck_assert_mem_eq(offsets, s.offsets, sizeof offsets);
    for (size_t p = 0; p < IW_MAX_PAYLOADS; p++)
      for (size_t i = 0; i < N; i++)
        ck_assert_uint_eq(out[p * N + i], (uint16_t)(STEP * s.permutation[i] + p));
  }
  free(in);
  free(out);
  array_free(&elements);
  splitting_free(&s);
  settings_close(&all);
}
END_TEST

/* Of nothing: nothing, and no pointers needed but to the offsets. */
START_TEST(of_nothing)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    size_t offsets[17];
    const iw_buckets four = { .size = sizeof four, .bits = 4 };
    const iw_payload payloads[] = { payload_of(NULL, NULL, NULL, 16), payload_of(NULL, NULL, NULL, 4) };
    memset(offsets, 0x33, sizeof offsets);
    MUST(at, multisplit_with(at->context, IW_U16, NULL, 0, &four, NULL, payloads, 2, offsets));
    ck_assert_mem_eq(offsets, (size_t[17]){ 0 }, sizeof offsets);
  }
  settings_close(&all);
}
END_TEST

/* Places of more than 32 bits. */
START_TEST(above_2_32)
{
  const size_t two_32 = (size_t)1 << 32, n = two_32 + 12345;
  const setting at = { "the best", 0, IW_BLOCKS_AUTO, NULL };
  const iw_buckets pairs = { .size = sizeof pairs, .bit = 1, .bits = 2 };
  uint8_t *const in = zeros_new(n), *const out = endless_new(n);
  size_t offsets[5];
  iw_context *context;
  const double start = now();
  ck_assert_int_eq(iw_context_open(&context, NULL), IW_OK);
  if (in && out)
    MUST(&at, multisplit_of(context, IW_U8, &pairs, in, 1 << 24, out, offsets));
  if (worth_it("a multisplit of 2^32 elements", in && out, now() - start, (double)(1 << 24) / (double)n)) {
    in[5] = 2;
    in[((size_t)1 << 31) + 5] = 6;
    in[two_32 + 7] = 3;
    MUST(&at, multisplit_of(context, IW_U8, &pairs, in, n, out, offsets));
    ck_assert_mem_eq(offsets, ((size_t[]){ 0, n - 3, n - 1, n - 1, n }), sizeof offsets);
    ck_assert_mem_eq(out + n - 4, ((uint8_t[]){ 0, 2, 3, 6, 0x55 }), 5);
  }
  iw_context_close(context);
  if (in)
    munmap(in, n);
  if (out)
    munmap(out, endless_room(n));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("multisplit");
  TCase *c = new_case(suite, "multisplit, extract");
  tcase_add_test(c, of_nothing);
  tcase_add_test(c, refused);
  tcase_add_test(c, in_place);
  tcase_add_test(c, all_payloads);
  tcase_add_loop_test(c, many_sides, 0, TYPES);
  tcase_add_test(c, maps);
  tcase_add_test(c, other_bins);
  tcase_add_loop_test(c, bits, 0, TYPES);
  tcase_add_loop_test(c, gathered, 0, TYPES);
  tcase_add_loop_test(c, pivots, 0, TYPES);
  tcase_add_test(c, sorted_by_digits);
  tcase_add_test(new_large_case(suite), above_2_32);
  return run_suite_on_all(suite);
}
