/* SPDX-License-Identifier: Apache-2.0
 *
 * Payloads and indices of partition and select, unique, run lengths: stable, every element once, every bit
 * kept.
 */
#include "reference.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
static const size_t widths[] = { 1, 2, 4, 8, 16 };

/* Bytes of any kind: NaN of all payloads among them. */
static array random_array(size_t width, size_t n)
{
  array a = array_new(width, n);
  for (size_t at = 0; at < n * width; at += sizeof(uint64_t)) {
    const uint64_t bits = random_bits();
    memcpy((char *)a.data + at, &bits, n * width - at < sizeof bits ? n * width - at : sizeof bits);
  }
  return a;
}

/* ---- By a test --------------------------------------------------------------------------------------- */

/* Elements, and marks that a test has to make. */
typedef struct divided { iw_type type; size_t n, front; array in; uint8_t *flags; } divided;

static divided divided_new(iw_type type, size_t n, int flavour)
{
  divided d = { .type = type, .n = n, .in = array_new(iw_type_size(type), n), .flags = malloc(n + 1) };
  fill(type, d.in.data, n, flavour);
  return d;
}

static void divided_free(divided *d)
{
  array_free(&d->in);
  free(d->flags);
}

/* What an array of n values becomes: the marked, then the others; of a NULL array the indices. */
static array right_of(const divided *d, const void *values, size_t width)
{
  array out = array_new(width, d->n);
  size_t at = 0;
  for (int side = 1; side >= 0; side--)
    for (size_t i = 0; i < d->n; i++)
      if ((d->flags[i] != 0) == side) {
        const uint32_t narrow = (uint32_t)i;
        const uint64_t wide = i;
        const void *const from = values ? (const char *)values + i * width : width == 4 ? (const void *)&narrow : &wide;
        memcpy((char *)out.data + at++ * width, from, width);
      }
  return out;
}

static void count_front(divided *d)
{
  d->front = 0;
  for (size_t i = 0; i < d->n; i++)
    d->front += d->flags[i] != 0;
}

enum { ONE, TWO, SELECT, KINDS };
static const char *const kinds[] = { "partition", "partition into two", "select" };

/* An output of n values that begins `shift` of them behind a known place. */
typedef struct place { array memory; char *at; } place;
static place place_new(size_t width, size_t n, size_t shift)
{
  place p = { array_new(width, n + shift), NULL };
  p.at = (char *)p.memory.data + shift * width;
  memset(p.memory.data, 0x55, (n + shift) * width);
  return p;
}

static void check_place(const setting *s, const char *what, place *p, const char *right, size_t filled,
                        size_t n, size_t width)
{
  SAME(s, what, right, p->at, filled, width);
  const char *const end = p->at + filled * width;
  const size_t unfilled = (n - filled) * width;
  ck_assert_msg(!unfilled || (*end == 0x55 && !memcmp(end, end + 1, unfilled - 1)),
                "%s wrote behind its end (%s)", what,
                shape(s).s);
  ck_assert_msg(array_intact(&p->memory, p->memory.bytes), "%s wrote outside its output (%s)", what,
                shape(s).s);
  array_free(&p->memory);
}

/* One call with all these payloads, of which a NULL is indices; elements: whether they are moved too. */
static void check_kind(const setting *s, const divided *d, const iw_test *test, const char *name, int kind,
                       int elements,
                       const array *values, const size_t *sizes, unsigned count, size_t shift)
{
  const size_t n = d->n, size = iw_type_size(d->type), rest = n - d->front;
  const size_t room = kind == SELECT ? d->front : n; /* a selection needs room for no more */
  place fronts[7], rests[7];
  array right[7];
  iw_payload payloads[6];
  char what[160];
  for (unsigned i = 0; i <= count; i++) {
    const size_t width = i ? sizes[i - 1] : size;
    right[i] = right_of(d, i ? values[i - 1].data : d->in.data, width);
    fronts[i] = place_new(width, room, shift);
    rests[i] = place_new(width, kind == TWO ? n : 0, 2 * shift);
    if (i)
      payloads[i - 1] = payload_of(values[i - 1].data, fronts[i].at, kind == TWO ? rests[i].at : NULL,
                                   width);
  }
  size_t found = SIZE_MAX;
  void *const front = elements ? fronts[0].at : NULL,
      *const others = elements && kind == TWO ? rests[0].at : NULL;
  const void *const in = elements || !test->flags ? d->in.data : NULL;
  snprintf(what, sizeof what, "%s of %s by %s with %u payloads of %zu… bytes (n = %zu, shift %zu%s)",
           kinds[kind],
           iw_type_name(d->type), name, count, count ? sizes[0] : 0, n, shift, elements ? "" : ", alone");
  MUST(s, kind == SELECT ? select_with(s->context, d->type, in, n, test, front, &found, payloads, count)
                         : partition_with(s->context, d->type, in, n, test, front, others, &found, payloads,
                                          count));
  SAME(s, what, &d->front, &found, 1, sizeof found);
  for (unsigned i = 0; i <= count; i++) {
    const size_t width = i ? sizes[i - 1] : size, moved = i || elements;
    check_place(s, what, &fronts[i], right[i].data, !moved ? 0 : kind == ONE ? n : d->front, room, width);
    check_place(s, what, &rests[i], (char *)right[i].data + d->front * width,
                moved && kind == TWO ? rest : 0,
                kind == TWO ? n : 0, width);
    array_free(&right[i]);
  }
}

/* Another kind of call each time, with the elements or without them. */
static void check_next(const setting *s, const divided *d, const iw_test *test, const char *name,
                       const array *values,
                       const size_t *sizes, unsigned count, size_t shift)
{
  static unsigned turn;
  turn++;
  check_kind(s, d, test, name, (int)(turn % KINDS), count == 0 || turn % 4 > 0, values, sizes, count, shift);
}

static void mark_share(divided *d, double share, int arrangement)
{
  for (size_t k = 0; k < d->n; k++) {
    const double here = arrangement == 2 && k / 3000 % 2 ? 1 - share : share;
    const int marked = arrangement == 1 ? (double)k < share * (double)d->n : random_unit() < here;
    d->flags[k] = marked ? (uint8_t)(1 + random_below(255)) : 0;
  }
  count_front(d);
}

static const double shares[] = { 0.5, 0, 1, 0.01, 0.99, 0.1, 0.9 };

/* Each width, around lanes, warps, rows, tiles and groups of tiles; all shares, arrangements and
 * alignments; elements of all widths by flags. */
START_TEST(boundaries)
{
  enum { TILE_BYTES = 32768 };
  const size_t width = widths[_i], tile = TILE_BYTES / width;
  static const iw_type elements[] = { IW_U32, IW_F64, IW_U8, IW_I32, IW_U16, IW_BOOL, IW_F16 };
  const size_t units[] = { 1, 2, 8, 16, 32, 64, 128, 256, 512, 1024, tile / 2, tile, 2 * tile, 3 * tile,
                          32 * tile };
  settings all = settings_open();
  start_random(100 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < 3 * COUNT(units); i++) {
    const size_t n = units[i / 3] + i % 3 - 1;
    divided d = divided_new(elements[i % COUNT(elements)], n, SPECIAL);
    mark_share(&d, shares[i % COUNT(shares)], (int)(i % 3));
    array values = random_array(width, n), none = { 0 };
    const iw_test test = { .size = sizeof test, .flags = n ? d.flags : NULL };
    const size_t size = i % 2 ? 4 : 8;
    FOR_SETTINGS(s, &all, n)
      check_next(s, &d, &test, "flags", i % 3 == 2 ? &none : &values, i % 3 == 2 ? &size : &width, 1,
                 i % 17);
    divided_free(&d);
    array_free(&values);
  }
  settings_close(&all);
}
END_TEST

/* All widths and both indices at once, by each kind of test, of each type. */
START_TEST(tests_and_types)
{
  static const size_t sizes[] = { 0, 1, 33, 129, 300, 1025, 16385, 40000, 140001 };
  const iw_type type = (iw_type)_i;
  settings all = settings_open();
  start_random(200 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < 3 * COUNT(sizes); i++) {
    const size_t n = sizes[i / 3];
    divided d = divided_new(type, n, i % 2 ? SPECIAL : UNIT);
    const iw_compare compare = (iw_compare)((i + (unsigned)_i) % 6);
    word constant = { .u64 = 0 };
    put(type, &constant, 0, random_word(type, UNIT));
    if (n)
      memcpy(&constant, (char *)d.in.data + random_below(n) * iw_type_size(type), iw_type_size(type));
    for (size_t k = 0; k < n; k++)
      d.flags[k] = (uint8_t)compared(type, d.in.data, k, compare, &constant);
    count_front(&d);
    const iw_test by_constant = { .size = sizeof by_constant, .compare = compare, .constant = &constant };
    const iw_test by_flags = { .size = sizeof by_flags, .flags = n ? d.flags : NULL };
    array values[6];
    size_t its[6];
    for (unsigned p = 0; p < 6; p++) {
      its[p] = p < 4 ? widths[(i + p) % 5] : i % 2 + p == 5 ? 4 : 8;
      values[p] = p < 4 ? random_array(its[p], n) : (array){ 0 };
    }
    FOR_SETTINGS(s, &all, n) {
      const int flags = i % 3 == 2;
      check_next(s, &d, flags ? &by_flags : &by_constant, flags ? "flags" : "a constant", values, its,
                 i % 7 % 6 + 1, i);
      check_next(s, &d, &by_constant, "a constant", values, its, 0, i);
      check_next(s, &d, &by_flags, "flags", values, its, 0, i + 1);
    }
    for (unsigned p = 0; p < 4; p++)
      array_free(&values[p]);
    divided_free(&d);
  }
  settings_close(&all);
}
END_TEST

/* All constants of bytes, by all comparisons; and those of 16 bits that are cases of their own, with the
 * neighbours of infinities and zeros. Elements are of all bits. */
START_TEST(narrow_comparisons)
{
  static const iw_type types[] = { IW_U8, IW_I8, IW_BOOL, IW_U16, IW_I16, IW_F16, IW_BF16 };
  static const uint16_t ends[] = { 0, 1, 255, 256, 32767, 32768, 32769, 65534, 65535, 999, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0x7c01,
                                   0xfbff, 0xfc00, 0xfc01, 0x7f7f, 0x7f80, 0x7f81, 0xff7f, 0xff80, 0xff81 };
  const iw_type type = types[_i];
  const unsigned constants = iw_type_size(type) == 1 ? 256 : COUNT(ends);
  settings all = settings_open();
  start_random(300 + (unsigned)_i);
  for (unsigned i = 0; i < 6 * constants; i++) {
    word constant = { .u64 = 0 };
    if (iw_type_size(type) == 1)
      constant.u8 = (uint8_t)(i / 6);
    else
      constant.u16 = ends[i / 6];
    divided d = divided_new(iw_type_size(type) == 1 ? IW_U8 : IW_U16, 255 + i % 3, WIDE);
    d.type = type;
    if (iw_type_size(type) == 2)
      for (size_t k = 0; k < d.n; k++)
        if (random_below(2))
          ((uint16_t *)d.in.data)[k] = ends[random_below(COUNT(ends))];
    for (size_t k = 0; k < d.n; k++)
      d.flags[k] = (uint8_t)compared(type, d.in.data, k, (iw_compare)(i % 6), &constant);
    count_front(&d);
    const iw_test test = { .size = sizeof test, .compare = (iw_compare)(i % 6), .constant = &constant };
    const setting *const s = &all.at[i % all.count];
    check_kind(s, &d, &test, "a constant", (int)(i % KINDS), 1, NULL, NULL, 0, i % 5);
    divided_free(&d);
  }
  settings_close(&all);
}
END_TEST

/* Results larger than the caches go another way to memory. */
START_TEST(streamed)
{
  const size_t width = widths[_i];
  settings all = settings_open();
  start_random(400 + (unsigned)_i);
  all.turn = (unsigned)_i;
  divided d = divided_new(width < 4 ? IW_U8 : IW_U32, ((size_t)9 << 20) / width + random_below(5000), UNIT);
  mark_share(&d, 0.4, 0);
  array values[] = { random_array(width, d.n), { 0 } };
  const size_t its[] = { width, 8 };
  const iw_test test = { .size = sizeof test, .flags = d.flags };
  FOR_SETTINGS(s, &all, d.n)
    check_next(s, &d, &test, "flags", values, its, 2, 3 * (unsigned)_i);
  array_free(&values[0]);
  divided_free(&d);
  settings_close(&all);
}
END_TEST

/* By a bin, with indices. */
START_TEST(bins)
{
  static const float edges_f32[] = { -1e30f, -1, 0, 0.25f, 0.5f, 1 };
  settings all = settings_open();
  start_random(500);
  for (unsigned i = 0; i < 24; i++) {
    const size_t n = i % 3 ? 200 + random_below(100) : random_size(100000);
    divided f = divided_new(IW_F32, n, i % 2 ? SPECIAL : UNIT);
    const iw_histogram_spec spec = { .size = sizeof spec, .kind = IW_HISTOGRAM_EDGES, .bins = 5,
                                    .edges = edges_f32,
                                     .policy = (iw_policy)(i % 3) };
    edges e = edges_of(IW_F32, &spec);
    for (size_t k = 0; k < n; k++)
      f.flags[k] = bin_by_policy(IW_F32, f.in.data, k, &spec, &e) == i % 5;
    edges_free(&e);
    count_front(&f);
    const size_t its[] = { 8, 4, 2 };
    array values[] = { { 0 }, { 0 }, random_array(2, n) };
    FOR_SETTINGS(s, &all, n) {
      iw_histogram_plan *plan;
      MUST(s, plan_of(s->context, IW_F32, &spec, NULL, 0, &plan));
      const iw_histogram_spec planned = iw_spec_of_plan(plan);
      const iw_test by_bin = { .size = sizeof by_bin, .bins = i % 2 ? &planned : &spec, .bin = i % 5 };
      check_next(s, &f, &by_bin, "a bin", values, its, i % 3 + 1, i);
      iw_histogram_plan_free(plan);
    }
    array_free(&values[2]);
    divided_free(&f);
  }
  settings_close(&all);
}
END_TEST

/* One array for both, once there is room for a copy: elements and payloads, each by itself. */
START_TEST(in_place)
{
  static const size_t sizes[] = { 1, 33, 1025, 70001 };
  settings all = settings_open();
  start_random(600);
  for (unsigned t = 0; t < all.count; t++)
    for (unsigned i = 0; i < 2 * COUNT(sizes); i++) {
      const setting *const s = &all.at[t];
      const int select = i % 2;
      const size_t n = sizes[i / 2], width = widths[(i + t) % 5];
      divided d = divided_new(i % 3 ? IW_U32 : IW_U16, n, WIDE);
      mark_share(&d, 0.3, 0);
      const size_t size = iw_type_size(d.type), end = select ? d.front : n;
      array both = array_new(size, n), values = random_array(width, n),
          right = right_of(&d, d.in.data, size),
        right_values = right_of(&d, values.data, width);
      memcpy(both.data, d.in.data, n * size);
      const iw_test test = { .size = sizeof test, .flags = d.flags };
      const iw_payload payload = payload_of(values.data, values.data, NULL, width);
      size_t count = 77;
      iw_context *context;
      const iw_context_options options = { .size = sizeof options,
                                          .backend = backend_of(s),
                                           .isa = on_gpu(s) ? NULL : s->isa, .threads = s->threads,
                                               .blocks = s->blocks };
      MUST(s, iw_context_open(&context, &options));
#define CALL select ? select_with(context, d.type, both.data, n, &test, both.data, &count, &payload, 1) \
                    : partition_with(context, d.type, both.data, n, &test, both.data, NULL, &count, &payload, 1)
      REFUSED(CALL, IW_ERROR_OVERLAP, "iw_context_reserve");
      ck_assert_uint_eq(count, 77);
      SAME(s, "what was refused", d.in.data, both.data, n, size);
      MUST(s, iw_context_reserve(context, n * (width > size ? width : size)));
      MUST(s, CALL);
#undef CALL
      ck_assert_uint_eq(count, d.front);
      SAME(s, "elements in place", right.data, both.data, end, size);
      SAME(s, "payloads in place", right_values.data, values.data, end, width);
      ck_assert(array_intact(&both, both.bytes) && array_intact(&values, values.bytes));
      iw_context_close(context);
      array *const arrays[] = { &both, &values, &right, &right_values };
      for (unsigned k = 0; k < COUNT(arrays); k++)
        array_free(arrays[k]);
      divided_free(&d);
    }
  settings_close(&all);
}
END_TEST

/* Each value as often as its length says, empty runs too, against a plain loop. */
START_TEST(decoded)
{
  static const size_t runs_of[] = { 0, 1, 2, 31, 33, 257, 1000 }, most[] = { 1, 2, 40, 9000 };
  settings all = settings_open();
  start_random(4100 + (unsigned)_i);
  const iw_type type = (iw_type)_i;
  const size_t size = iw_type_size(type);
  for (unsigned i = 0; i < COUNT(runs_of) * COUNT(most); i++) {
    const size_t runs = runs_of[i / COUNT(most)], longest = runs > 300 ? 40 : most[i % COUNT(most)];
    const unsigned width = random_below(2) ? 4 : 8;
    array values = random_array(size, runs), lengths = array_new(width, runs);
    size_t n = 0;
    for (size_t r = 0; r < runs; r++) {
      const uint64_t length = random_below(3) ? random_below(longest + 1) : 0;
      memcpy((char *)lengths.data + r * width, &length, width);
      n += length;
    }
    array right = array_new(size, n);
    for (size_t r = 0, at = 0; r < runs; r++) {
      uint64_t length = 0;
      memcpy(&length, (char *)lengths.data + r * width, width);
      for (uint64_t k = 0; k < length; k++)
        memcpy((char *)right.data + at++ * size, (char *)values.data + r * size, size);
    }
    FOR_SETTINGS(s, &all, n) {
      array found = array_new(size, n);
      const iw_elements of = { values.data, runs };
      MUST(s, iw_run_lengths_decode(s->context, type, of, lengths.data, width, found.data, n));
      SAME(s, "what was decoded", right.data, found.data, n, size);
      ck_assert(array_intact(&found, n * size));
      memcpy(found.data, right.data, n * size);
      REFUSED(iw_run_lengths_decode(s->context, type, of, lengths.data, width, found.data, n ? n - 1 : 1), IW_ERROR_INVALID,
              runs ? "the lengths add up to" : "there are no runs");
      SAME(s, "what was refused", right.data, found.data, n, size);
      array_free(&found);
      if (width == 8 && runs > 1) { /* the sum is n again, modulo 2^64 */
        uint64_t own[1000];
        memcpy(own, lengths.data, runs * sizeof *own);
        const size_t of_two = random_below(runs - 1);
        const uint64_t large = UINT64_MAX - random_below(9);
        own[runs - 1] += own[of_two] - large;
        own[of_two] = large;
        array out = array_new(size, n);
        memset(out.data, 0x5a, n * size);
        REFUSED(iw_run_lengths_decode(s->context, type, of, own, width, out.data, n), IW_ERROR_INVALID, "add up to 2^64 or more");
        for (size_t k = 0; k < n * size; k++)
          ck_assert_uint_eq(((unsigned char *)out.data)[k], 0x5a);
        array_free(&out);
      }
    }
    array_free(&values);
    array_free(&lengths);
    array_free(&right);
  }
  settings_close(&all);
}
END_TEST

START_TEST(refused)
{
  settings all = settings_open();
  FOR_SETTINGS(s, &all, 0) {
    iw_context *const c = s->context;
    uint32_t in[16] = { 0 }, out[64] = { 0 }, before[64] = { 0 };
    uint64_t values[16] = { 0 }, to[64] = { 0 };
    const uint32_t five = 5;
    size_t count = 777;
    const iw_test test = { .size = sizeof test, .constant = &five };
    iw_payload p = payload_of(values, to, NULL, 8), two[2] = { p, payload_of(NULL, to + 16, NULL, 4) };
#define PARTITION(rest, payloads, number) \
  partition_with(c, IW_U32, in, 16, &test, out, rest, &count, payloads, number)
#define SELECT_ONE(out, payload) select_with(c, IW_U32, in, 16, &test, out, &count, payload, 1)
    REFUSED(partition_payloads_of(c, IW_U32, &test, in, 16, NULL, 1, &count), IW_ERROR_INVALID,
            "options->payloads is NULL");
    p.in = p.out = to;
    REFUSED(PARTITION(NULL, &p, 1), IW_ERROR_OVERLAP, "payloads[0].in and payloads[0].out are the same array");
    p.in = values;
    REFUSED(iw_run_lengths(c, IW_U32, in, 16, in, iw_indices_u32(out), &count), IW_ERROR_OVERLAP, "in and values are the same array");
    REFUSED(partition_payloads_of(c, IW_U32, &test, in, 16, two, IW_MAX_PAYLOADS + 1, &count),
            IW_ERROR_INVALID,
            "payload_count is");
    REFUSED(select_payloads_of(c, IW_U32, &test, in, 16, two, IW_MAX_PAYLOADS + 1, &count), IW_ERROR_INVALID,
            "payload_count is");
    for (size_t size = 0; size < sizeof p; size += 8) {
      p.size = size;
      REFUSED(PARTITION(NULL, &p, 1), IW_ERROR_INVALID, "payloads[0].size");
      REFUSED(SELECT_ONE(out, &p), IW_ERROR_INVALID, "payloads[0].size");
      REFUSED(iw_unique(c, IW_U32, in, 16, out, &count,
                        IW_OPTIONS(iw_move_options, .payloads = &p, .payload_count = 1)), IW_ERROR_INVALID, "payloads[0].size");
    }
    p.size = sizeof p;
    for (size_t width = 0; width < 20; width++)
      if (width != 1 && width != 2 && width != 4 && width != 8 && width != 16) {
        p.width = width;
        REFUSED(PARTITION(NULL, &p, 1), IW_ERROR_INVALID, "payloads[0].width");
      }
    p = payload_of(NULL, to, NULL, 16);
    REFUSED(PARTITION(NULL, &p, 1), IW_ERROR_INVALID, "indices have 4 or 8");
    p = payload_of(values, NULL, NULL, 8);
    REFUSED(PARTITION(NULL, &p, 1), IW_ERROR_INVALID, "payloads[0].out is NULL");
    REFUSED(SELECT_ONE(out, &p), IW_ERROR_INVALID, "payloads[0].out is NULL, but has 16");
    p = payload_of((char *)values + 4, to, NULL, 8);
    REFUSED(SELECT_ONE(out, &p), IW_ERROR_INVALID, "payloads[0].in");
    p = payload_of(values, (char *)to + 4, NULL, 8);
    REFUSED(SELECT_ONE(out, &p), IW_ERROR_INVALID, "aligned");
    p = payload_of(values, to, to + 16, 8);
    REFUSED(SELECT_ONE(out, &p), IW_ERROR_INVALID, "payloads[0].rest is 0x");
    p = payload_of(values, to, to + 15, 8);
    REFUSED(PARTITION(NULL, &p, 1), IW_ERROR_OVERLAP, "payloads[0].rest");
    p = payload_of(values, values, to, 8);
    REFUSED(PARTITION(NULL, &p, 1), IW_ERROR_OVERLAP, "payloads[0].in");
    p = payload_of(values, in, NULL, 4);
    REFUSED(PARTITION(NULL, &p, 1), IW_ERROR_OVERLAP, "in (64");
    p = payload_of(values, out + 15, NULL, 4);
    REFUSED(PARTITION(NULL, &p, 1), IW_ERROR_OVERLAP, "payloads[0].out (64");
    REFUSED(SELECT_ONE(out, &p), IW_ERROR_OVERLAP, "payloads[0].out (64");
    REFUSED(PARTITION(out + 32, &p, 1), IW_ERROR_OVERLAP, "payloads[0].out (64");
    p = payload_of(values, out + 47, NULL, 4);
    REFUSED(PARTITION(out + 32, &p, 1), IW_ERROR_OVERLAP, "options->rest (64");
    two[1].out = to + 15;
    REFUSED(PARTITION(NULL, two, 2), IW_ERROR_OVERLAP, "payloads[1].out");
    two[1].out = values + 8;
    REFUSED(PARTITION(NULL, two, 2), IW_ERROR_OVERLAP, "payloads[0].in");
    p = payload_of(in, NULL, out, 4);
    REFUSED(partition_payloads_of(c, IW_U32, &test, in, 16, &p, 1, &count), IW_ERROR_INVALID,
            "payloads[0].out is NULL");
    REFUSED(partition_payloads_of(c, IW_U32, &test, in, 16, two, 0, &count), IW_ERROR_INVALID,
            "out is NULL");
    REFUSED(select_payloads_of(c, IW_U32, &test, in, 16, two, 0, &count), IW_ERROR_INVALID,
            "out is NULL");
    REFUSED(partition_with(c, IW_U32, NULL, 16, &test, NULL, NULL, &count, two, 2), IW_ERROR_INVALID,
            "in is NULL");
    REFUSED(iw_run_lengths(c, IW_U32, in, 16, out, (iw_indices){ to, 2 }, &count), IW_ERROR_INVALID,
            "lengths.width is 2");
    REFUSED(iw_run_lengths(c, IW_U32, in, 16, out, (iw_indices){ NULL, 4 }, &count), IW_ERROR_INVALID,
            "lengths is NULL");
    REFUSED(iw_run_lengths(c, IW_U32, in, 16, (char *)out + 1, (iw_indices){ to, 4 }, &count), IW_ERROR_INVALID,
            "values is at");
    REFUSED(iw_run_lengths(c, IW_U32, out, 16, out + 40, (iw_indices){ out, 4 }, &count), IW_ERROR_OVERLAP, "lengths");
    REFUSED(iw_unique(c, IW_U32, in, 16, NULL, &count, NULL), IW_ERROR_INVALID, "out is NULL");
    REFUSED(iw_unique(c, IW_U32, in, 16, out, NULL, NULL), IW_ERROR_INVALID, "count is NULL");
    if (sizeof(size_t) == 8) {
      p = payload_of(NULL, to, NULL, 4);
      const size_t many = ((size_t)1 << 32) + 1;
      REFUSED(select_with(c, IW_U32, in, many, &test, out, &count, &p, 1), IW_ERROR_OVERFLOW, "4294967297");
      REFUSED(iw_run_lengths(c, IW_U32, in, many - 1, out, (iw_indices){ to, 4 }, &count), IW_ERROR_OVERFLOW,
              "4294967296");
    }
#undef PARTITION
#undef SELECT_ONE
    ck_assert_uint_eq(count, 777);
    ck_assert_mem_eq(out, before, sizeof out);
  }
  settings_close(&all);
}
END_TEST

/* ---- Runs -------------------------------------------------------------------------------------------- */

static void check_runs(const setting *s, iw_type type, const array *in, size_t n, const array *values,
                       size_t width)
{
  const size_t size = iw_type_size(type);
  const char *const x = in->data;
  array right = array_new(size, n), right_values = array_new(width, n);
  uint32_t *const lengths = malloc((n + 1) * sizeof *lengths),
      *const starts = malloc((n + 1) * sizeof *starts);
  size_t runs = 0;
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || memcmp(x + (i - 1) * size, x + i * size, size)) {
      memcpy((char *)right.data + runs * size, x + i * size, size);
      memcpy((char *)right_values.data + runs * width, (char *)values->data + i * width, width);
      starts[runs] = (uint32_t)i;
      lengths[runs++] = 0;
    }
    lengths[runs - 1]++;
  }
  char what[100];
  snprintf(what, sizeof what, "runs of %zu %s", n, iw_type_name(type));
  place out = place_new(size, runs, 3), moved = place_new(width, runs, 1), first = place_new(4, runs, 2);
  size_t count = SIZE_MAX;
  const iw_payload payloads[] = { payload_of(values->data, moved.at, NULL, width),
                                 payload_of(NULL, first.at, NULL, 4) };
  MUST(s, iw_unique(s->context, type, x, n, out.at, &count,
                    IW_OPTIONS(iw_move_options, .payloads = payloads, .payload_count = 2)));
  SAME(s, what, &runs, &count, 1, sizeof count);
  check_place(s, what, &out, right.data, runs, runs, size);
  check_place(s, what, &moved, right_values.data, runs, runs, width);
  check_place(s, what, &first, (char *)starts, runs, runs, 4);
  place alone = place_new(size, runs, 1);
  count = SIZE_MAX;
  MUST(s, iw_unique(s->context, type, x, n, alone.at, &count, NULL));
  SAME(s, what, &runs, &count, 1, sizeof count);
  check_place(s, what, &alone, right.data, runs, runs, size);
  for (int wide = 0; wide < 2; wide++) {
    place all = place_new(size, wide ? 0 : runs, 1), how_long = place_new(wide ? 8 : 4, runs, 5);
    count = SIZE_MAX;
    MUST(s, iw_run_lengths(s->context, type, x, n, wide ? NULL : all.at,
                           (iw_indices){ how_long.at, (unsigned)iw_type_size(wide ? IW_U64 : IW_U32) }, &count));
    SAME(s, what, &runs, &count, 1, sizeof count);
    check_place(s, what, &all, right.data, wide ? 0 : runs, wide ? 0 : runs, size);
    uint64_t *const long_ones = malloc((runs + 1) * sizeof *long_ones);
    for (size_t i = 0; i < runs; i++)
      long_ones[i] = lengths[i];
    check_place(s, what, &how_long, wide ? (char *)long_ones : (char *)lengths, runs, runs, wide ? 8 : 4);
    free(long_ones);
  }
  if (n) { /* in place */
    array own = array_new(size, n);
    uint32_t *const found = malloc((n + 1) * sizeof *found);
    memcpy(own.data, x, n * size);
    MUST(s, iw_context_reserve(s->context, n * size));
    MUST(s, iw_run_lengths(s->context, type, own.data, n, own.data, iw_indices_u32(found), &count));
    SAME(s, what, &runs, &count, 1, sizeof count);
    SAME(s, what, right.data, own.data, runs, size);
    SAME(s, what, lengths, found, runs, sizeof *found);
    free(found);
    array_free(&own);
  }
  array_free(&right);
  array_free(&right_values);
  free(lengths);
  free(starts);
}

START_TEST(runs)
{
  static const size_t sizes[] = { 0, 1, 2, 31, 32, 33, 64, 129, 257, 1023, 1025, 4095, 4097, 8193, 65536,
                                 65537, 300001 };
  static const double longest[] = { 1, 2, 10, 100, 5000, 1e9 };
  const iw_type type = (iw_type)_i;
  const size_t size = iw_type_size(type);
  settings all = settings_open();
  start_random(700 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < COUNT(sizes) + 20; i++) {
    const size_t n = i < COUNT(sizes) ? sizes[i] : random_size(150000);
    array in = array_new(size, n), values = random_array(widths[i % 5], n);
    for (size_t k = 0, left = 0; k < n; k++, left--) {
      if (left == 0) {
        put(type, in.data, k, random_word(type, i % 2 ? SPECIAL : WIDE));
        left = 1 + (size_t)(random_unit() * longest[i % COUNT(longest)]);
      } else
        memcpy((char *)in.data + k * size, (char *)in.data + (k - 1) * size, size);
    }
    FOR_SETTINGS(s, &all, n)
      check_runs(s, type, &in, n, &values, widths[i % 5]);
    array_free(&in);
    array_free(&values);
  }
  settings_close(&all);
}
END_TEST

/* Runs of short arrays on devices: at the borders of tiles, groups and the schedule, of which some leave
 * their tile or group. Some blocks begin late (sim_open_waiting). */
START_TEST(waiting_blocks)
{
  enum { TILE = 4096, GROUP = 32 * TILE, MOST = 8 * GROUP };
  static const size_t sizes[] = { 1, TILE - 1, TILE, TILE + 1, 3 * TILE + 77, GROUP, GROUP + 1, 2 * GROUP + 77, MOST };
  static const double longest[] = { 1, 10, 1000, 3 * TILE, 1e9 };
  static const iw_type types[] = { IW_F32, IW_U64, IW_I32, IW_F64 };
  if (getenv("ISOWARP_TEST_NO_SIM"))
    return;
  settings all = { .count = 0 };
  sim_open_waiting(&all, (unsigned)_i);
  start_random(730 + (unsigned)_i);
  for (unsigned i = 0; i < COUNT(sizes); i++) {
    const unsigned turn = (unsigned)_i + i;
    const iw_type type = types[turn % 4];
    const size_t n = sizes[i], size = iw_type_size(type);
    if (n > GROUP + 1 && turn % 6) /* the longest ones by some */
      continue;
    array in = array_new(size, n), values = random_array(4, n);
    for (size_t k = 0, left = 0; k < n; k++, left--) {
      if (left == 0) {
        put(type, in.data, k, random_word(type, WIDE));
        left = 1 + (size_t)(random_unit() * longest[turn % COUNT(longest)]);
      } else
        memcpy((char *)in.data + k * size, (char *)in.data + (k - 1) * size, size);
    }
    check_runs(&all.at[0], type, &in, n, &values, 4);
    array_free(&in);
    array_free(&values);
  }
  sim_close_waiting(&all);
}
END_TEST

/* Runs that leave their group of tiles, on the simulated GPU by each schedule: groups, of which one
 * has no head or few. */
START_TEST(runs_past_groups)
{
  static const char *const schedules[] = { "ascending", "descending", "round-robin", "random", "priority", "adversarial" };
  static const size_t heads[][4] = { { 0 }, { 1, 262144, 262145 }, { 8191, 8192, 300000, 1048577 }, { 131071, 262143, 1099999, 1100000 } };
  const size_t n = 1100001; /* is not short */
  if (getenv("ISOWARP_TEST_NO_SIM"))
    return;
  for (unsigned i = 0; i < COUNT(schedules); i++) {
    const iw_type type = i % 2 ? IW_U64 : IW_U32;
    const size_t size = iw_type_size(type);
    settings all = { .count = 0 };
    array in = array_new(size, n), values = random_array(4, n);
    setenv("ISOWARP_SIM_SCHEDULE", schedules[i], 1);
    sim_open(&all, schedules[i]);
    for (unsigned k = 0; k < COUNT(heads); k++) {
      for (size_t e = 0, value = 7; e < n; e++) {
        for (unsigned h = 0; h < 4; h++)
          value += e && e == heads[k][h];
        memcpy((char *)in.data + e * size, &value, size);
      }
      check_runs(&all.at[0], type, &in, n, &values, 4);
    }
    array_free(&in);
    array_free(&values);
    settings_close(&all);
  }
  unsetenv("ISOWARP_SIM_SCHEDULE");
}
END_TEST

/* A NaN is a value like others, and so is each zero. */
START_TEST(equal_bits)
{
  static const uint32_t in[] = { 0x7fc00000, 0x7fc00000, 0x7fc00001, 0xffc00001, 0, 0x80000000, 0x80000000,
                                0, 0 };
  static const uint32_t right[] = { 0x7fc00000, 0x7fc00001, 0xffc00001, 0, 0x80000000, 0 },
      lengths[] = { 2, 1, 1, 1, 2, 2 };
  settings all = settings_open();
  FOR_SETTINGS(s, &all, 1) {
    float floats[9], values[9];
    uint32_t found[9], both[9];
    size_t count;
    memcpy(floats, in, sizeof in);
    MUST(s, iw_run_lengths(s->context, IW_F32, floats, 9, values, (iw_indices){ found, 4 }, &count));
    ck_assert_uint_eq(count, 6);
    SAME(s, "values", right, values, 6, 4);
    SAME(s, "lengths", lengths, found, 6, 4);
    memcpy(both, in, sizeof in);
    MUST(s, iw_context_reserve(s->context, sizeof both));
    MUST(s, iw_unique(s->context, IW_U32, both, 9, both, &count, NULL));
    SAME(s, "unique in place", right, both, 6, 4);
  }
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("payloads");
  TCase *c = new_case(suite, "payloads, widths, indices, unique and run lengths");
  tcase_add_test(c, equal_bits);
  tcase_add_loop_test(c, decoded, IW_U8, IW_BF16 + 1);
  tcase_add_test(c, refused);
  tcase_add_loop_test(c, boundaries, 0, COUNT(widths));
  tcase_add_loop_test(c, tests_and_types, IW_U8, IW_BF16 + 1);
  tcase_add_loop_test(c, narrow_comparisons, 0, 7);
  tcase_add_loop_test(c, streamed, 0, COUNT(widths));
  tcase_add_test(c, bins);
  tcase_add_test(c, in_place);
  tcase_add_loop_test(c, waiting_blocks, 0, SIM_WAITS);
  tcase_add_test(c, runs_past_groups);
  tcase_add_loop_test(c, runs, IW_U8, IW_BF16 + 1);
  return run_suite_on_all(suite);
}
