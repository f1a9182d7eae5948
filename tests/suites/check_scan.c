/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive and exclusive scan, and reduce, to the bit against order 1 as doc/order1.md defines it.
 *
 * ISOWARP_TEST_LARGE=1 scans 2^32 + 5 elements in place where memory is short, too; 0 nowhere
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "reference.h"

enum { TYPES = SCANNED_TYPES, OPS = ALL_OPS };

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
    else if (is_half(type))
      w.u16 = half_of(type, (double)w.i64 / 8);
    else if (type != IW_I32 && type != IW_U32 && type != IW_I64 && type != IW_U64) /* steps of as many elements as needed */
      w.i64 = (op == IW_MIN ? (int64_t)(n - i) : (int64_t)i) * (1 << (8 * iw_type_size(type) - 1)) / (int64_t)n;
    put(type, in, i, w);
  }
}

/* Odd integers, which have inverses; floats near 1, of either sign. */
static void factors(iw_type type, void *in, size_t n, int flavour)
{
  for (size_t i = 0; i < n; i++) {
    const double near = (random_bits() & 1 ? -1 : 1) * (1 + (random_unit() - 0.5) / (double)(1 + i % 7));
    word w = { .u64 = random_bits() | 1 };
    if (flavour == SPECIAL && i > n / 2 && random_below(n) == 0)
      continue;
    if (type == IW_F32)
      w.f32 = (float)near;
    else if (type == IW_F64)
      w.f64 = near;
    else if (is_half(type))
      w.u16 = half_of(type, near);
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
  if (op == IW_PRODUCT) /* else it is 0 or infinite soon */
    factors(type, s.in.data, n, flavour);
  if (flavour == WIDE && (op == IW_MIN || op == IW_MAX)) /* else hardly an element shows */
    slope(op, type, s.in.data, n);
  put(type, &s.init, 0, random_word(type, flavour == SPECIAL && op == IW_SUM ? WIDE : flavour));
  s.with_init = with_init;
  return s;
}

static void scanned_expect(scanned *s)
{
  s->given = s->with_init ? &s->init : NULL;
  reference_scan(s->op, s->type, s->in.data, s->n, s->given, s->inclusive.data, s->exclusive.data,
                 &s->total);
}

static void scanned_free(scanned *s)
{
  array_free(&s->in);
  array_free(&s->inclusive);
  array_free(&s->exclusive);
}

/* All three calls, out of place, with an init in host memory, or in place, with one where the context's
 * kernels run. */
static void check_with(const setting *at, const scanned *s, int in_place)
{
  void *const there = copy_there(at, in_place ? s->given : NULL, s->size);
  const void *const init = there ? there : s->given;
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
    snprintf(what, sizeof what, "%s scan by %s of %s%s%s", exclusive ? "exclusive" : "inclusive",
             op_name(s->op),
             iw_type_name(s->type), s->given ? ", init" : "", in_place ? ", in place" : "");
    MUST(at, scan_by(at->context, (int)exclusive, s->op, s->type, in, s->n, out.data, IW_OPTIONS(iw_scan_options, .init = init)));
    SAME(at, what, expected[exclusive], out.data, s->n, s->size);
    ck_assert_msg(array_intact(&out, s->n * s->size), "%s of %zu wrote outside its output", what, s->n);
    array_free(&out);
  }
  word total;
  memset(&total, 0x5a, sizeof total);
  snprintf(what, sizeof what, "reduce by %s of %s%s (n = %zu)", op_name(s->op), iw_type_name(s->type),
           s->given ? ", init" : "", s->n);
  MUST(at, iw_reduce(at->context, s->op, s->type, s->in.data, s->n, &total,
                     IW_OPTIONS(iw_scan_options, .init = init)));
  SAME(at, what, &s->total, &total, 1, s->size);
  MUST(at, iw_memory_free(at->context, there));
}

static void check_size(settings *all, iw_op op, iw_type type, size_t n, int flavour, int with_init)
{
  if (!has_operation(op, type))
    return;
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
      check_size(&all, op_at((unsigned)(_i / TYPES)), all_types[_i % TYPES], sizes[i], flavour,
                 (int)(i + (unsigned)flavour) % 2);
  settings_close(&all);
}
END_TEST

START_TEST(large_sizes)
{
  static const size_t sizes[] = {
    1023, 1024, 1025, TILE - 1, TILE, TILE + 1, 2 * TILE + 1, 65537, GROUP - 1, GROUP, GROUP + 1,
        GROUP + 37856,
    2 * GROUP - 1, 2 * GROUP, 2 * GROUP + 1, 3 * GROUP - 1, 3 * GROUP, 3 * GROUP + 1, (1 << 20) + 1,
  };
  settings all = settings_open();
  start_random(200 + (unsigned)_i);
  all.turn = (unsigned)_i;
  const int is_more = _i / TYPES >= SEGMENT_OPS; /* operators with fewer sizes, as there are many */
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i += is_more ? 3 : 1)
    if (sizes[i] < 2 * GROUP - 1 || (i + (unsigned)_i + (unsigned)_i / TYPES) % 3) /* four types of six for each operator */
      check_size(&all, op_at((unsigned)(_i / TYPES)), all_types[_i % TYPES], sizes[i],
                 (int)((i + (unsigned)_i) % 3), (int)i % 2);
  for (unsigned i = 0; i < (is_more ? 4 : 12); i++)
    check_size(&all, op_at((unsigned)(_i / TYPES)), all_types[_i % TYPES], random_size(1 << 20), (int)(i % 4),
               (int)i / 4 % 2);
  settings_close(&all);
}
END_TEST

/* Every n up to two tiles and a row, then every 41st up to six tiles and one more: a block may take several
 * at a time. A longer scan begins with the shorter one, so one reference is enough. The simulated GPU is
 * slow: of the first it has every 13th and those beside the ends of rows. */
static int leaves_out(const setting *at, size_t n)
{
  enum { ALL = 2 * TILE + ROW };
  if (getenv("ISOWARP_TEST_BRIEF"))
    return n % 97 != 0;
  if (on_sim(at))
    return n < ALL ? n % 13 != 0 && (n + 1) % ROW > 2 : (n - ALL) % (41 * 7) != 0;
  return n >= ALL && (n - ALL) % 41 != 0;
}

START_TEST(every_size)
{
  enum { MOST = 6 * TILE + 1 };
  const iw_type type = _i ? IW_F64 : IW_F32;
  const size_t size = iw_type_size(type);
  settings all = settings_open();
  start_random(500 + (unsigned)_i);
  scanned s = scanned_new(IW_SUM, type, MOST, WIDE, 1);
  array out = array_new(size, MOST);
  const char *const expected[] = { s.inclusive.data, s.exclusive.data };
  scanned_expect(&s);
  FOR_SETTINGS(at, &all, TILE)
    for (size_t n = 0; n <= MOST; n++) {
      if (leaves_out(at, n))
        continue;
      const void *const in = n % 3 ? s.in.data : out.data; /* in place */
      if (n && n % 3 == 0)
        memcpy(out.data, s.in.data, n * size);
      MUST(at, n % 2 ? iw_exclusive_scan(at->context, IW_SUM, type, in, n, out.data,
                                         IW_OPTIONS(iw_scan_options, .init = &s.init))
                     : iw_inclusive_scan(at->context, IW_SUM, type, in, n, out.data,
                                         IW_OPTIONS(iw_scan_options, .init = &s.init)));
      SAME(at, n % 2 ? "exclusive scan" : "inclusive scan", expected[n % 2], out.data, n, size);
      word total;
      MUST(at, iw_reduce(at->context, IW_SUM, type, s.in.data, n, &total,
                         IW_OPTIONS(iw_scan_options, .init = &s.init)));
      SAME(at, "reduce", n ? expected[0] + (n - 1) * size : (const char *)&s.init, &total, 1, size);
      memset(out.data, FENCE_BYTE, n * size);
      const unsigned char *const behind = (const unsigned char *)out.data + n * size;
      for (size_t i = 0; i < FENCE - size; i++)
        ck_assert_msg(behind[i] == FENCE_BYTE, "a scan of %zu wrote byte %zu behind its output (%s)", n, i,
                      shape(at).s);
    }
  ck_assert(array_intact(&out, 0));
  array_free(&out);
  scanned_free(&s);
  settings_close(&all);
}
END_TEST

/* Reductions whose last block folds few and many groups, of blocks with one tile, two and one for each warp;
 * and of blocks with a group, in two sections of groups. On simulated GPUs, which take no large inputs of
 * other tests; on CUDA too. */
START_TEST(reduced_by_blocks)
{
  static const size_t sizes[] = { 11 * TILE, 16 * GROUP, 16 * GROUP + 1, 17 * GROUP + TILE + 5, 32 * GROUP, 32 * GROUP + 1,
                                  40 * GROUP + TILE + 5, 128 * GROUP, 128 * GROUP + 1, 129 * GROUP + 7 * TILE + 133 };
  const iw_type type = _i ? IW_F64 : IW_F32;
  const size_t size = iw_type_size(type), most = sizes[sizeof sizes / sizeof *sizes - 1];
  setenv("ISOWARP_SIM_PROCESSORS", "1", 1);
  settings all = settings_open();
  start_random(520 + (unsigned)_i);
  scanned s = scanned_new(IW_SUM, type, most, WIDE, 1);
  scanned_expect(&s);
  for (setting *at = &all.at[all.cpus]; at < &all.at[all.count]; at++) {
    void *const there = copy_there(at, s.in.data, most * size); /* else it would be staged piece by piece */
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      word total;
      MUST(at, iw_reduce(at->context, IW_SUM, type, there, sizes[i], &total,
                         IW_OPTIONS(iw_scan_options, .init = &s.init)));
      SAME(at, "reduce", (const char *)s.inclusive.data + (sizes[i] - 1) * size, &total, 1, size);
    }
    MUST(at, iw_memory_free(at->context, there));
  }
  scanned_free(&s);
  settings_close(&all);
  unsetenv("ISOWARP_SIM_PROCESSORS");
}
END_TEST

/* Short scans and reductions at the borders of their schedules on the simulated GPU, by each schedule, with
 * all blocks resident and with one or two: blocks then wait for others that have not begun, and scans
 * compute what they wait for. Scans in place take another agent. */
START_TEST(waiting_blocks)
{
  static const size_t sizes[] = { 1, 129, TILE, TILE + 1, 31 * TILE + 100, GROUP, GROUP + 1, 2 * GROUP + 77, 8 * GROUP, 8 * GROUP + 1 };
  const size_t most = sizes[sizeof sizes / sizeof *sizes - 1];
  if (getenv("ISOWARP_TEST_NO_SIM"))
    return;
  const iw_type type = _i % 2 ? IW_U64 : IW_F32;
  const size_t size = iw_type_size(type);
  settings all = { .count = 0 };
  sim_open_waiting(&all, (unsigned)_i);
  const setting *const at = &all.at[0];
  start_random(540 + (unsigned)_i);
  scanned s = scanned_new(IW_SUM, type, most, WIDE, 1);
  scanned_expect(&s);
  void *const in = copy_there(at, s.in.data, most * size), *const there = copy_there(at, s.in.data, most * size);
  char *const out = malloc(most * size);
  const iw_scan_options with_init = { .size = sizeof with_init, .init = &s.init };
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const size_t n = sizes[i];
    word total;
    if (n > GROUP + 1 && _i % 3) /* the longest ones by some */
      continue;
    MUST(at, iw_inclusive_scan(at->context, IW_SUM, type, in, n, there, &with_init));
    MUST(at, iw_memory_copy(at->context, out, there, n * size));
    SAME(at, "inclusive scan", s.inclusive.data, out, n, size);
    MUST(at, iw_exclusive_scan(at->context, IW_SUM, type, in, n, there, &with_init));
    MUST(at, iw_memory_copy(at->context, out, there, n * size));
    SAME(at, "exclusive scan", s.exclusive.data, out, n, size);
    MUST(at, iw_memory_copy(at->context, there, in, n * size));
    MUST(at, iw_inclusive_scan(at->context, IW_SUM, type, there, n, there, &with_init));
    MUST(at, iw_memory_copy(at->context, out, there, n * size));
    SAME(at, "inclusive scan in place", s.inclusive.data, out, n, size);
    MUST(at, iw_reduce(at->context, IW_SUM, type, in, n, &total, &with_init));
    SAME(at, "reduction", (const char *)s.inclusive.data + (n - 1) * size, &total, 1, size);
  }
  MUST(at, iw_memory_free(at->context, in));
  MUST(at, iw_memory_free(at->context, there));
  free(out);
  scanned_free(&s);
  sim_close_waiting(&all);
}
END_TEST

/* ---- Sums in a wider type ---------------------------------------------------------------------------- */

/* Against the reference on an array of the wider type; the elements, and what comes of them, at any
 * alignment. */
static void check_mixed(settings *all, unsigned k, size_t n, int flavour, int with_init, int everywhere)
{
  enum { SHIFTS = 16 };
  const iw_type in_type = wider_sums[k].in, type = wider_sums[k].sum;
  const size_t in_size = iw_type_size(in_type), size = iw_type_size(type), shift = random_below(SHIFTS);
  array in = array_new(in_size, n + SHIFTS), wide_in = array_new(size, n);
  array expected[2] = { array_new(size, n), array_new(size, n) };
  const void *const from = (char *)in.data + shift * in_size;
  word init = random_word(type, flavour == SPECIAL ? WIDE : flavour), total;
  const void *const given = with_init ? &init : NULL;
  char what[80];
  fill(in_type, in.data, n + SHIFTS, flavour);
  if (flavour == SPECIAL && n > 64) /* else all is NaN from the beginning */
    fill(in_type, in.data, n - n / 4, WIDE);
  for (size_t i = 0; i < n; i++)
    put(type, wide_in.data, i, widened_word(in_type, from, i, type));
  reference_scan(IW_SUM, type, wide_in.data, n, given, expected[0].data, expected[1].data, &total);
  FOR_SETTINGS(at, all, everywhere ? 0 : n) {
    for (unsigned exclusive = 0; exclusive < 2; exclusive++) {
      const size_t gap = random_below(8) * size;
      array out = array_new(size, n + gap / size);
      char *const to = (char *)out.data + gap;
      snprintf(what, sizeof what, "%s sum of %s in %s%s, %zu past", exclusive ? "exclusive" : "inclusive",
               iw_type_name(in_type), iw_type_name(type), given ? ", init" : "", shift);
      MUST(at, scan_wider(at->context, (int)exclusive, IW_SUM, in_type, from, type, to, n, given));
      SAME(at, what, expected[exclusive].data, to, n, size);
      for (size_t i = 0; i < gap; i++)
        ck_assert_msg(((unsigned char *)out.data)[i] == FENCE_BYTE, "%s of %zu wrote before its output",
                      what, n);
      ck_assert_msg(array_intact(&out, gap + n * size), "%s of %zu wrote outside its output", what, n);
      array_free(&out);
    }
    word found;
    memset(&found, 0x5a, sizeof found);
    snprintf(what, sizeof what, "reduce of %zu %s in %s%s, %zu past", n, iw_type_name(in_type),
             iw_type_name(type),
             given ? ", init" : "", shift);
    MUST(at, reduce_wider(at->context, IW_SUM, in_type, from, n, type, given, &found));
    SAME(at, what, &total, &found, 1, size);
    if (n > GROUP) { /* it goes on where it was cut */
      MUST(at, reduce_wider(at->context, IW_SUM, in_type, from, GROUP, type, given, &found));
      MUST(at, reduce_wider(at->context, IW_SUM, in_type, (const char *)from + GROUP * in_size, n - GROUP,
                            type,
                                &found, &found));
      SAME(at, what, &total, &found, 1, size);
    }
  }
  for (unsigned e = 0; e < 2; e++)
    array_free(&expected[e]);
  array_free(&wide_in);
  array_free(&in);
}

/* _i: the pair. */
START_TEST(mixed_small)
{
  static const size_t sizes[] = {
    0, 1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257,
  };
  settings all = settings_open();
  start_random(800 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    check_mixed(&all, (unsigned)_i, sizes[i], (int)(i % 3), (int)(i / 3 % 2), 1);
  settings_close(&all);
}
END_TEST

START_TEST(mixed_large)
{
  static const size_t sizes[] = {
    511, 512, 513, 1023, 1024, 1025, TILE - 1, TILE, TILE + 1, 2 * TILE - 1, 2 * TILE, 2 * TILE + 1, 65537,
    GROUP - TILE - 1, GROUP - 1, GROUP, GROUP + 1, 2 * GROUP - 1, 2 * GROUP, 2 * GROUP + 1,
    (1 << 21) + 1, /* past the caches */
  };
  settings all = settings_open();
  start_random(820 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    check_mixed(&all, (unsigned)_i, sizes[i], (int)((i + (unsigned)_i) % FLAVOURS), (int)i % 2, 0);
  for (int flavour = WIDE; flavour < FLAVOURS; flavour++)
    check_mixed(&all, (unsigned)_i, random_size(1 << 20), flavour, flavour % 2, 0);
  if (!getenv("ISOWARP_TEST_BRIEF"))
    check_mixed(&all, (unsigned)_i, GROUP + TILE + 12345, WIDE, 1, 1); /* with every number of threads */
  settings_close(&all);
}
END_TEST

/* By hand: more than the narrow type holds, and signs that are extended. */
START_TEST(mixed_by_hand)
{
  static const uint8_t flags[] = { 0, 1, 255, 128, 0, 2 };
  static const int32_t signs[] = { INT32_MAX, 1, -1, INT32_MIN, INT32_MIN };
  static const uint32_t large[] = { UINT32_MAX, 1, UINT32_MAX };
  static const float thirds[] = { 16777216.0f, 1.0f, 0x1p-20f, -16777216.0f };
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    uint32_t of_flags[6];
    uint64_t of_large[3];
    int64_t of_signs[5], last = -5;
    double of_thirds[4];
    MUST(at, scan_wider(at->context, 0, IW_SUM, IW_U8, flags, IW_U32, of_flags, 6, NULL));
    ck_assert_mem_eq(of_flags, ((uint32_t[]){ 0, 1, 256, 384, 384, 386 }), sizeof of_flags);
    MUST(at, scan_wider(at->context, 1, IW_SUM, IW_U32, large, IW_U64, of_large, 3, NULL));
    ck_assert_mem_eq(of_large, ((uint64_t[]){ 0, 0xffffffff, 0x100000000 }), sizeof of_large);
    MUST(at, scan_wider(at->context, 0, IW_SUM, IW_I32, signs, IW_I64, of_signs, 5, NULL));
    ck_assert_mem_eq(of_signs, ((int64_t[]){ INT32_MAX, 0x80000000, INT32_MAX, -1, -0x80000001LL }),
                     sizeof of_signs);
    MUST(at, reduce_wider(at->context, IW_SUM, IW_I32, signs, 5, IW_I64, &last, &last));
    ck_assert_int_eq(last, -0x80000001LL - 5);
    MUST(at, scan_wider(at->context, 0, IW_SUM, IW_F32, thirds, IW_F64, of_thirds, 4, NULL));
    ck_assert(of_thirds[1] == 16777217 && of_thirds[3] == 1 + 0x1p-20);
  }
  settings_close(&all);
}
END_TEST

/* The lists of isowarp/scans.h and isowarp/context.h are in the order of the constants' values. */
START_TEST(lists)
{
  for (unsigned i = 0; i < ALL_OPS; i++)
    ck_assert_uint_eq((uintptr_t)op_at(i), i + 1);
  static const struct { iw_type type; const char *name; size_t size; } listed[] = {
#define TYPE(NAME, name, C, kind) { IW_##NAME, #name, sizeof(C) },
    IW_ELEMENT_TYPES(TYPE)
#undef TYPE
  };
  for (unsigned i = 0; i < sizeof listed / sizeof *listed; i++) {
    ck_assert_uint_eq(listed[i].type, i + 1);
    ck_assert_str_eq(listed[i].name, iw_type_name(listed[i].type));
    ck_assert_uint_eq(listed[i].size, iw_type_size(listed[i].type));
  }
}
END_TEST

/* Bytes of bool other than 0 and 1 are as of u8, also beside the identities of bool. */
START_TEST(other_bools)
{
  static const uint8_t twos[] = { 2, 2, 7 };
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    static const struct { iw_op op; uint8_t result, scanned[3]; } list[] = {
      { IW_MIN, 2, { 2, 2, 2 } }, { IW_MAX, 7, { 2, 2, 7 } }, { IW_AND, 2, { 2, 2, 2 } }, { IW_OR, 7, { 2, 2, 7 } },
      { IW_XOR, 7, { 2, 0, 7 } },
    };
    for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
      uint8_t result = 0, scanned[3];
      MUST(at, iw_reduce(at->context, list[i].op, IW_BOOL, twos, 3, &result, NULL));
      ck_assert_uint_eq(result, list[i].result);
      MUST(at, iw_inclusive_scan(at->context, list[i].op, IW_BOOL, twos, 3, scanned, NULL));
      SAME(at, "scan of bool", list[i].scanned, scanned, 3, 1);
      MUST(at, iw_exclusive_scan(at->context, list[i].op, IW_BOOL, twos, 3, scanned, NULL));
      ck_assert_uint_eq(scanned[0], list[i].op == IW_MIN || list[i].op == IW_AND);
      ck_assert_uint_eq(scanned[1], list[i].scanned[0]);
    }
    size_t index = 9;
    uint8_t value = 0;
    MUST(at, iw_argmin(at->context, IW_BOOL, twos, 3, &index, &value, NULL));
    ck_assert(index == 0 && value == 2);
    MUST(at, iw_argmax(at->context, IW_BOOL, twos, 3, &index, &value, NULL));
    ck_assert(index == 2 && value == 7);
  }
  settings_close(&all);
}
END_TEST

#define REFUSES(at, status, words, call) do { \
  ck_assert_msg((call) == (status), "%s is not refused by that (%s)", #call, shape(at).s); \
  ck_assert_msg(strstr(iw_message(), words) != NULL, "%s says \"%s\"", #call, iw_message()); } while (0)

START_TEST(mixed_refused)
{
  static const struct { iw_type in, sum; } others[] = {
    { IW_U8, IW_I64 }, { IW_U8, IW_F32 }, { IW_U16, IW_I32 }, { IW_F16, IW_F64 }, { IW_I8, IW_U32 }, { IW_BOOL, IW_BOOL }, { IW_I32, IW_U64 }, { IW_U32, IW_I64 },
    { IW_I32, IW_F64 }, { IW_F64, IW_F32 }, { IW_U64, IW_U32 }, { IW_U32, IW_U8 }, { IW_U8, IW_I8 }, { IW_BF16, IW_F16 },
    { IW_F32, (iw_type)(SCANNED_TYPES + 1) }, { (iw_type)(SCANNED_TYPES + 1), IW_F64 },
  };
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    uint64_t a[64] = { 1 }, b[64];
    char *const bytes = (char *)a;
    a[20] = 42;
    for (int i = 0; i < 2; i++) {
      for (unsigned k = 0; k < sizeof others / sizeof *others; k++)
        REFUSES(at, IW_ERROR_INVALID, "",
                scan_wider(c, i, IW_SUM, others[k].in, a, others[k].sum, b, 8, NULL));
      REFUSES(at, IW_ERROR_INVALID, "context", scan_wider(NULL, i, IW_SUM, IW_U8, a, IW_U32, b, 8, NULL));
      REFUSES(at, IW_ERROR_INVALID, "op is IW_MIN, type u8 and options->out_type u32",
              scan_wider(c, i, IW_MIN, IW_U8, a, IW_U32, b, 8, NULL));
      REFUSES(at, IW_ERROR_INVALID, "u32 in u64", scan_wider(c, i, IW_MAX, IW_F32, a, IW_F64, b, 8, NULL));
      REFUSES(at, IW_ERROR_INVALID, "type i32 and options->out_type u64", scan_wider(c, i, IW_SUM, IW_I32, a, IW_U64, b, 8, NULL));
      REFUSES(at, IW_ERROR_INVALID, "in", scan_wider(c, i, IW_SUM, IW_I32, bytes + 1, IW_I64, b, 8, NULL));
      REFUSES(at, IW_ERROR_INVALID, "out",
              scan_wider(c, i, IW_SUM, IW_I32, a, IW_I64, (char *)b + 4, 8, NULL));
      REFUSES(at, IW_ERROR_INVALID, "out",
              scan_wider(c, i, IW_SUM, IW_U8, a, IW_U64, b, (size_t)PTRDIFF_MAX / 8 + 1, NULL));
      REFUSES(at, IW_ERROR_INVALID, "NULL", scan_wider(c, i, IW_SUM, IW_U8, NULL, IW_U64, b, 8, NULL));
      REFUSES(at, IW_ERROR_OVERLAP, "overlap", scan_wider(c, i, IW_SUM, IW_I32, a, IW_I64, a, 8, NULL)); /* in place */
      REFUSES(at, IW_ERROR_OVERLAP, "overlap", scan_wider(c, i, IW_SUM, IW_U8, a, IW_U32, a, 8, NULL));
      REFUSES(at, IW_ERROR_OVERLAP, "overlap",
              scan_wider(c, i, IW_SUM, IW_U8, bytes, IW_U32, bytes + 4, 8, NULL));
      REFUSES(at, IW_ERROR_OVERLAP, "overlap",
              scan_wider(c, i, IW_SUM, IW_U8, bytes + 31, IW_U32, bytes, 8, NULL));
      ck_assert_uint_eq(a[20], 42);
      MUST(at, scan_wider(c, i, IW_SUM, IW_U8, bytes + 32, IW_U32, bytes, 8, NULL)); /* side by side */
      MUST(at, scan_wider(c, i, IW_SUM, IW_U8, bytes, IW_U32, bytes + 8, 8, NULL));
      MUST(at, scan_wider(c, i, IW_SUM, IW_U8, NULL, IW_U32, NULL, 0, NULL));
      MUST(at, scan_wider(c, i, IW_MAX, IW_I32, a, IW_I32, a, 8, NULL)); /* equal types are the plain call */
    }
    REFUSES(at, IW_ERROR_INVALID, "type u8 and options->out_type u32", reduce_wider(c, IW_MAX, IW_U8, a, 8, IW_U32, NULL, b));
    REFUSES(at, IW_ERROR_INVALID, "type u64 and options->out_type u32", reduce_wider(c, IW_SUM, IW_U64, a, 8, IW_U32, NULL, b));
    REFUSES(at, IW_ERROR_INVALID, "result", reduce_wider(c, IW_SUM, IW_U8, a, 8, IW_U32, NULL, NULL));
    REFUSES(at, IW_ERROR_INVALID, "in", reduce_wider(c, IW_SUM, IW_U8, NULL, 8, IW_U32, NULL, b));
    int32_t three[] = { 5, -7, 2 }, least;
    MUST(at, reduce_wider(c, IW_MIN, IW_I32, three, 3, IW_I32, NULL, &least));
    ck_assert_int_eq(least, -7);
  }
  settings_close(&all);
}
END_TEST

/* ---- Hostile floats ---------------------------------------------------------------------------------- */

enum { NANS, INFINITIES, MINUS_ZEROS, SUBNORMALS, OVERFLOWS, CANCELLING, STAIRS, HOSTILE };

static void put_real(iw_type type, void *in, size_t i, double value)
{
  word w = { .f64 = value };
  if (type == IW_F32)
    w.f32 = (float)value;
  put(type, in, i, w);
}

/* n > 0 values. From CANCELLING on all sums are finite. */
static void fill_hostile(int kind, iw_type type, void *in, size_t n)
{
  const size_t apart[] = { 1, 2, 16, ROW, TILE, GROUP }, pace = apart[random_below(6)];
  const double most = type == IW_F32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
  const double large = ldexp(1 + random_unit(), 20 + (int)random_below(60));
  const int top = type == IW_F32 ? 100 : 900, falls = random_below(2) != 0;
  fill(type, in, n, kind == SUBNORMALS ? TINY : WIDE);
  for (size_t i = 0; i < n; i++)
    if (kind == MINUS_ZEROS)
      put_real(type, in, i, -0.0);
    else if (kind == OVERFLOWS && random_below(n / 16 + 2) == 0) /* so few that not all is NaN soon */
      put_real(type, in, i, random_below(2) ? most : -most);
    else if (kind == CANCELLING) /* what is left of large numbers is hardly more than their last bits, and small ones */
      put_real(type, in, i, (i / pace % 2 ? -large : large) * (1 + random_unit() * 0x1p-20) + random_unit());
    else if (kind == STAIRS) /* from the largest to the smallest, or the other way */
      put_real(type, in, i, ldexp(random_unit() - 0.5,
                                  (int)((falls ? n - 1 - i : i) * 2 * (size_t)top / n) - top));
  for (unsigned some = kind <= MINUS_ZEROS ? 1 + (unsigned)random_below(4) : 0; some; some--) {
    const size_t i = n / 2 + random_below(n - n / 2);
    const uint64_t payload = 1 + random_bits() % 0x3fffff, sign = random_below(2), quiet = random_below(2);
    if (kind == NANS && type == IW_F32)
      put(type, in, i, (word){ .u32 = (uint32_t)(sign << 31 | 0x7f800000 | quiet << 22 | payload) });
    else if (kind == NANS)
      put(type, in, i, (word){ .u64 = sign << 63 | 0x7ff0000000000000 | quiet << 51 | payload << 20 | payload });
    else if (kind == INFINITIES)
      put_real(type, in, i, sign ? -(double)INFINITY : (double)INFINITY);
    else if (quiet) /* from here on it is no minus zero */
      put_real(type, in, i, 0.0);
  }
}

/* On every setting: where they stand decides what comes out, and it has to be decided alike. */
START_TEST(hostile_floats)
{
  const int kind = _i / 2;
  const iw_type type = _i % 2 ? IW_F64 : IW_F32;
  settings all = settings_open();
  start_random(600 + (unsigned)_i);
  const size_t sizes[] = { 1 + random_below(300), TILE + random_below(2 * TILE),
                          GROUP + random_below(GROUP) };
  for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int with_init = 0; with_init < 2; with_init++) {
      scanned s = scanned_new(IW_SUM, type, sizes[k], WIDE, with_init);
      int in_place = 0;
      fill_hostile(kind, type, s.in.data, s.n);
      fill_hostile(kind <= INFINITIES ? OVERFLOWS : kind, type, &s.init, 1); /* else all is NaN, or infinite */
      scanned_expect(&s);
      FOR_SETTINGS(at, &all, s.n > GROUP ? s.n : 0)
        check_with(at, &s, in_place = !in_place);
      scanned_free(&s);
    }
  settings_close(&all);
}
END_TEST

/* ---- The bound --------------------------------------------------------------------------------------- */

/* A sum of doubles that is exact: parts of which no two have a bit in common, so there is room (Shewchuk,
 * 1997). */
typedef struct exact { unsigned parts; double part[2200]; } exact;

static void exact_add(exact *sum, double x)
{
  unsigned kept = 0;
  for (unsigned k = 0; k < sum->parts; k++) {
    const double y = sum->part[k], large = fabs(x) < fabs(y) ? y : x, small = fabs(x) < fabs(y) ? x : y;
    x = large + small;
    const double rest = small - (x - large);
    if (rest != 0)
      sum->part[kept++] = rest;
  }
  sum->part[kept++] = x;
  sum->parts = kept;
}

/* |value - sum|, rounded. */
static double exact_error(const exact *sum, double value)
{
  exact error;
  double all = 0;
  memcpy(&error, sum, offsetof(exact, part) + sum->parts * sizeof *sum->part);
  exact_add(&error, -value);
  for (unsigned k = 0; k < error.parts; k++)
    all += error.part[k];
  return fabs(all);
}

/* The most additions that anything in inclusive(i) goes through: doc/order1.md. */
static double depth(size_t i, int with_init)
{
  const size_t row = i % TILE / ROW, tile = i % GROUP / TILE, group = i / GROUP;
  size_t levels = 0;
  while ((i < ROW ? i : ROW - 1) >> levels)
    levels++;
  if (i < TILE)
    return (double)(levels + row + (size_t)with_init);
  return (double)(levels + (TILE / ROW - 1) + (group ? GROUP / TILE - 1 + group : tile) + (size_t)with_init);
}

/* How far inclusive(i) may be from the exact sum; size: |init| + sum |in|. */
static double bound(iw_type type, size_t i, int with_init, double size)
{
  const double du = depth(i, with_init) * (type == IW_F32 ? 0x1p-24 : 0x1p-53);
  return du / (1 - du) * size * (1 + 0x1p-30); /* this is rounded, too */
}

/* |computed - exact| <= gamma(depth) (|init| + sum |in|) for every output. One setting a test: others give
 * the same. _i: type, init, values. */
START_TEST(error_bound)
{
  const iw_type type = _i % 2 ? IW_F64 : IW_F32;
  const int with_init = _i / 2 % 2, kind = _i / 4; /* WIDE, TINY, UNIT, or hostile */
  settings all = settings_open();
  start_random(700 + (unsigned)_i);
  const setting *const at = &all.at[random_below(all.count)];
  const size_t n = (getenv("ISOWARP_TEST_BRIEF") ? 0 : 2 * GROUP) + 3 * TILE + 1 + random_below(TILE);
  scanned s = scanned_new(IW_SUM, type, n, (const int[]){ WIDE, TINY, UNIT, WIDE, WIDE }[kind], with_init);
  const void *const init = with_init ? &s.init : NULL;
  if (kind >= 3)
    fill_hostile(kind == 3 ? CANCELLING : STAIRS, type, s.in.data, n);
  MUST(at, iw_inclusive_scan(at->context, IW_SUM, type, s.in.data, n, s.inclusive.data,
                             IW_OPTIONS(iw_scan_options, .init = init)));
  exact sum;
  sum.parts = 0;
  double size = 0;
  if (init) {
    exact_add(&sum, real_of(type, init, 0));
    size = fabs(real_of(type, init, 0));
  }
  for (size_t i = 0; i < n; i++) {
    exact_add(&sum, real_of(type, s.in.data, i));
    size += fabs(real_of(type, s.in.data, i));
    const double error = exact_error(&sum, real_of(type, s.inclusive.data, i)),
        most = bound(type, i, with_init, size);
    ck_assert_msg(error <= most, "element %zu is %g off, and %g is the most (%s, seed %" PRIu64 ")", i,
                  error, most,
                  shape(at).s, test_seed());
  }
  MUST(at, iw_reduce(at->context, IW_SUM, type, s.in.data, n, &s.total, IW_OPTIONS(iw_scan_options, .init = init)));
  ck_assert(exact_error(&sum, real_of(type, &s.total, 0)) <= bound(type, n - 1, with_init, size));
  scanned_free(&s);
  settings_close(&all);
}
END_TEST

/* Order 1 is its own continuation: cut at multiples of the group, and go on with the last output. An
 * exclusive scan has that as the first output of what follows. */
START_TEST(continued)
{
  enum { GROUPS = 5 };
  const iw_type type = all_types[_i];
  const size_t n = GROUPS * GROUP + 12345, size = iw_type_size(type);
  settings all = settings_open();
  start_random(300 + (unsigned)_i);
  scanned s = scanned_new(IW_SUM, type, n, WIDE, 0);
  scanned_expect(&s);
  FOR_SETTINGS(at, &all, n) {
    char *const out = malloc(n * size), *const exclusive = malloc(n * size);
    const char *const in = s.in.data;
    const void *init = NULL;
    word last, next, total;
    for (size_t done = 0, here; done < n; done += here) {
      here = GROUP * (1 + random_below(GROUPS - 1));
      here = n - done < here ? n - done : here;
      const size_t more = done + here < n;
      const char *const from = in + done * size;
      MUST(at, iw_reduce(at->context, IW_SUM, type, from, here, &total, IW_OPTIONS(iw_scan_options, .init = init)));
      MUST(at, iw_inclusive_scan(at->context, IW_SUM, type, from, here, out + done * size,
                                 IW_OPTIONS(iw_scan_options, .init = init)));
      MUST(at, iw_exclusive_scan(at->context, IW_SUM, type, from, here + more, exclusive + done * size,
                                 IW_OPTIONS(iw_scan_options, .init = init)));
      memcpy(&last, out + (done + here - 1) * size, size);
      SAME(at, "a reduction in pieces", &last, &total, 1, size);
      if (more)
        memcpy(&next, exclusive + (done + here) * size, size);
      SAME(at, "where an exclusive scan goes on", &last, more ? &next : &last, 1, size);
      init = &last;
    }
    SAME(at, "an inclusive scan in pieces", s.inclusive.data, out, n, size);
    SAME(at, "an exclusive scan in pieces", s.exclusive.data, exclusive, n, size);
    SAME(at, "a reduction in pieces", &s.total, &total, 1, size);
    free(out);
    free(exclusive);
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
  const uint64_t minus_zero = 0x80000000, infinity = 0x7f800000, minus_infinity = 0xff800000,
      one = 0x3f800000;
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
    { IW_MAX, IW_F32, 2, { minus_infinity, minus_infinity }, 0, 0, { minus_infinity, minus_infinity },
     minus_infinity },
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

/* A NaN that the next element's sum does not have: with M the largest number, the tree adds the seventh
 * element of M M 0 0 -M 0 -M M as inf + ((-M) + (-M)), and the eighth as inf + ((-M) + ((-M) + M)). */
START_TEST(nan_between_infinities)
{
  enum { ROWS = 35, N = ROWS * 128 + 9 };
  static const struct { iw_type type; uint64_t most, sign, nan, infinity; } types[] = {
    { IW_F32, 0x7f7fffff, 0x80000000, 0x7fc00000, 0x7f800000 },
    { IW_F64, 0x7fefffffffffffff, 0x8000000000000000, 0x7ff8000000000000, 0x7ff0000000000000 },
  };
  settings all = settings_open();
  for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
    const size_t size = iw_type_size(types[t].type);
    const uint64_t most = types[t].most, minus = most | types[t].sign, pattern[8] = { most, most, 0, 0, minus, 0, minus, most };
    scanned s = scanned_new(IW_SUM, types[t].type, N, UNIT, 0);
    for (size_t i = 0; i < N; i++)
      put(types[t].type, s.in.data, i, bits(size, pattern[i % 8]));
    scanned_expect(&s);
    for (size_t i = 6; i < 8; i++) {
      const word expected = bits(size, i == 6 ? types[t].nan : types[t].infinity);
      ck_assert_mem_eq((char *)s.inclusive.data + i * size, &expected, size);
    }
    FOR_SETTINGS(at, &all, N)
      check_with(at, &s, (int)t % 2);
    scanned_free(&s);
  }
  settings_close(&all);
}
END_TEST

/* Of nothing: init, in one pattern where it is a NaN, or the identity; NULL is allowed, nothing is
 * written. */
START_TEST(of_nothing)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0)
    for (unsigned op = 0; op < OPS; op++)
      for (unsigned t = 0; t < TYPES; t++) {
        if (!has_operation(op_at(op), all_types[t]))
          continue;
        const size_t size = iw_type_size(all_types[t]);
        word total = { .u64 = 99 }, init, expected = identity_of(op_at(op), all_types[t]);
        MUST(at, iw_inclusive_scan(at->context, op_at(op), all_types[t], NULL, 0, NULL, NULL));
        MUST(at, iw_exclusive_scan(at->context, op_at(op), all_types[t], NULL, 0, NULL, NULL));
        MUST(at, iw_reduce(at->context, op_at(op), all_types[t], NULL, 0, &total, NULL));
        SAME(at, "reduce of nothing", &expected, &total, 1, size);
        memset(&init, 0xff, sizeof init); /* a NaN, or -1, or the largest */
        expected = one_nan(all_types[t], init);
        MUST(at, iw_reduce(at->context, op_at(op), all_types[t], NULL, 0, &total,
                           IW_OPTIONS(iw_scan_options, .init = &init)));
        SAME(at, "reduce of nothing with init", &expected, &total, 1, size);
        void *const there = copy_there(at, &init, size);
        MUST(at, iw_reduce(at->context, op_at(op), all_types[t], NULL, 0, &total,
                           IW_OPTIONS(iw_scan_options, .init = there)));
        SAME(at, "reduce of nothing with init where kernels run", &expected, &total, 1, size);
        MUST(at, iw_memory_free(at->context, there));
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
    check_size(&all, op_at((unsigned)random_below(OPS)), all_types[random_below(TYPES)],
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
    MUST(at, iw_inclusive_scan(at->context, IW_SUM, IW_U64, in, n, out, NULL));
    for (size_t i = 0; i < n; i++)
      ck_assert_uint_eq(out[i], i * (i + 1) / 2);
    MUST(at, iw_exclusive_scan(at->context, IW_SUM, IW_U64, in, n, out, NULL));
    for (size_t i = 1; i < n; i++)
      ck_assert_uint_eq(out[i], i * (i - 1) / 2);
    ck_assert_uint_eq(out[0], 0);
    MUST(at, iw_reduce(at->context, IW_SUM, IW_U64, in, n, &total, NULL));
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
    MUST(at, iw_inclusive_scan(at->context, IW_SUM, IW_I32, in, 24, out, NULL));
    ck_assert_mem_eq(out, fifteen, sizeof fifteen);
    ck_assert_int_eq(out[16], 136);
    for (int i = 0; i < 64; i++)
      in[i] = i + 1;
    MUST(at, iw_inclusive_scan(at->context, IW_SUM, IW_I32, in, 64, out, NULL));
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
    MUST(&at, iw_inclusive_scan(context, IW_SUM, IW_I32, in, part, out, NULL));
    MUST(&at, iw_reduce(context, IW_SUM, IW_I32, in, part, &total, NULL));
    ck_assert_int_eq(total, 3);
  }
  if (worth_it("a scan of 2^32 elements", in && out, now() - start, (double)part / (double)n)) {
    in[((size_t)1 << 31) - 1] = 10;
    in[((size_t)1 << 31) + 5] = 20;
    in[two_32 - 1] = 100;
    in[two_32] = 1000;
    in[n - 1] = 5000;
    MUST(&at, iw_reduce(context, IW_SUM, IW_I32, in, n, &total, NULL));
    ck_assert_int_eq(total, 6133);
    MUST(&at, iw_inclusive_scan(context, IW_SUM, IW_I32, in, n, out, NULL));
    for (size_t i = two_32; i < n; i++)
      ck_assert_int_eq(out[i], i < n - 1 ? 1133 : 6133);
    ck_assert_int_eq(out[n], 0x55555555);
    MUST(&at, iw_exclusive_scan(context, IW_MAX, IW_I32, in, n, out, NULL));
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

/* 2^32 + 5 floats in place, on the CPU and on a device: 16 GiB, so only where there is far more, or when it
 * is asked for. What is right comes from the CPU, a piece at a time. */
static void in_place(iw_backend backend, const char *name)
{
  enum { PART = GROUP < 1 << 24 ? 1 << 24 : GROUP };
  const size_t n = ((size_t)1 << 32) + 5, bytes = PART * sizeof(float);
  const setting at = { name, 0, IW_BLOCKS_AUTO, NULL };
  const iw_context_options options = { .size = sizeof options, .backend = backend };
  const iw_context_options on_cpu = { .size = sizeof on_cpu, .backend = IW_BACKEND_CPU };
  const char *const asked = getenv("ISOWARP_TEST_LARGE");
  iw_context *context, *cpu;
  void *memory = NULL;
  char what[64];
  snprintf(what, sizeof what, "a scan of 2^32 + 5 elements in place (%s)", name);
  if (asked ? *asked == '0'
            : backend == IW_BACKEND_CPU && (size_t)sysconf(_SC_AVPHYS_PAGES) < n / (size_t)sysconf(_SC_PAGESIZE) * 12) {
    printf("# skipped: %s; ISOWARP_TEST_LARGE=1 asks for it\n", what);
    return;
  }
  MUST(&at, iw_context_open(&context, &options));
  MUST(&at, iw_context_open(&cpu, &on_cpu));
  float *const in = malloc(bytes), *const out = malloc(bytes);
  ck_assert(in && out);
  start_random(900);
  fill(IW_F32, in, PART, UNIT);
  for (size_t i = 0; i < PART; i++) /* sums stay small, so that every element shows in each later one */
    in[i] = random_below(2) ? in[i] : -in[i];
  const double start = now();
  MUST(&at, iw_inclusive_scan(context, IW_SUM, IW_F32, in, PART, out, NULL));
  if (iw_memory_allocate(context, n * sizeof(float), &memory) != IW_OK)
    printf("# skipped: %s: %s\n", what, iw_message());
  else if (worth_it(what, 1, now() - start, (double)PART / (double)n)) {
    float *const all = memory, total, last = -0.0f, *const seen = malloc(bytes);
    ck_assert_ptr_nonnull(seen);
    for (size_t done = 0; done < n; done += PART)
      MUST(&at, iw_memory_copy(context, all + done, in,
                               n - done < PART ? (n - done) * sizeof(float) : bytes));
    MUST(&at, iw_reduce(context, IW_SUM, IW_F32, all, n, &total, NULL));
    MUST(&at, iw_inclusive_scan(context, IW_SUM, IW_F32, all, n, all, NULL));
    for (size_t done = 0, here; done < n; done += here) {
      here = n - done < PART ? n - done : PART;
      MUST(&at, iw_memory_copy(context, seen, all + done, here * sizeof(float)));
      MUST(&at, iw_inclusive_scan(cpu, IW_SUM, IW_F32, in, here, out, IW_OPTIONS(iw_scan_options, .init = &last)));
      SAME(&at, what, out, seen, here, sizeof(float));
      last = out[here - 1];
    }
    SAME(&at, "its reduction", &last, &total, 1, sizeof total);
    free(seen);
  }
  MUST(&at, iw_memory_free(context, memory));
  free(in);
  free(out);
  iw_context_close(context);
  iw_context_close(cpu);
}

START_TEST(in_place_above_2_32)
{
  in_place(IW_BACKEND_CPU, "the best");
  if (!*no_cuda())
    in_place(IW_BACKEND_CUDA, "cuda");
}
END_TEST

/* ---- Where a minimum or maximum is first ------------------------------------------------------------- */

typedef iw_status arg_call(iw_context *, iw_type, const void *, size_t, size_t *, void *, const iw_scan_options *);
static arg_call *const arg_calls[] = { iw_argmin, iw_argmax };

/* Arrays and results that kernels reach: the index and the value of a call, or the index only. */
static void check_first_there(const setting *at, arg_call *call, iw_type type, const void *in, size_t n, size_t first, const word *value)
{
  const size_t size = iw_type_size(type);
  size_t index = 77;
  word found = { .u64 = 0x5a5a5a5a5a5a5a5a };
  void *const there = copy_there(at, in, n * size), *const index_there = copy_there(at, &index, sizeof index);
  void *const value_there = copy_there(at, &found, size);
  for (int with_value = 0; with_value < 2; with_value++) {
    MUST(at, call(at->context, type, there, n, index_there, with_value ? value_there : NULL, NULL));
    MUST(at, iw_memory_copy(at->context, &index, index_there, sizeof index));
    ck_assert_msg(index == first, "%zu %s: index %zu, should be %zu (%s, device memory)", n, iw_type_name(type), index, first, shape(at).s);
  }
  MUST(at, iw_memory_copy(at->context, &found, value_there, size));
  SAME(at, "the value", value, &found, 1, size);
  MUST(at, iw_memory_free(at->context, there));
  MUST(at, iw_memory_free(at->context, index_there));
  MUST(at, iw_memory_free(at->context, value_there));
}

static void check_first(settings *all, iw_type type, const void *in, size_t n)
{
  for (unsigned k = 1; k < SEGMENT_OPS; k++) {
    const iw_op op = op_at(k);
    arg_call *const call = arg_calls[op == IW_MAX];
    word value, found;
    const size_t first = first_of(op, type, in, n, &value), size = iw_type_size(type);
    FOR_SETTINGS(at, all, n) {
      size_t index = 77;
      MUST(at, call(at->context, type, in, n, &index, &found, NULL));
      ck_assert_msg(index == first, "arg%s of %zu %s is %zu, should be %zu (%s, seed %" PRIu64 ")",
                    op_name(op), n,
                    iw_type_name(type), index, first, shape(at).s, test_seed());
      SAME(at, "the value", &value, &found, 1, size);
      index = 77;
      MUST(at, call(at->context, type, in, n, &index, NULL, NULL));
      ck_assert_uint_eq(index, first);
      if (on_gpu(at))
        check_first_there(at, call, type, in, n, first, &value);
    }
  }
}

/* _i: the type. */
START_TEST(first_places)
{
  static const size_t sizes[] = { 1, 2, 31, 32, 33, 127, 128, 129, TILE - 1, TILE, TILE + 1, 5 * TILE,
                                 GROUP - 1, GROUP, GROUP + 1,
                                  2 * GROUP + 3 * TILE + 7 };
  const iw_type type = all_types[_i];
  settings all = settings_open();
  start_random(700 + (unsigned)_i);
  for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const size_t n = sizes[k];
    array in = array_new(iw_type_size(type), n);
    for (unsigned flavour = 0; flavour < FLAVOURS; flavour++)
      if (n <= TILE || (flavour + k) % FLAVOURS == 0) {
        fill(type, in.data, n, (int)flavour);
        check_first(&all, type, in.data, n);
      }
    /* The lowest and the highest at the ends of rows, tiles and groups, twice. */
    const size_t edges[] = { 0, 31, 32, 127, 128, TILE - 1, TILE, 32 * TILE - 1, GROUP, 2 * GROUP - 1,
                            2 * GROUP, n - 1 };
    for (unsigned e = 0; e < sizeof edges / sizeof *edges; e++)
      for (unsigned op = 1; op < SEGMENT_OPS; op++) {
        if (edges[e] >= n || (n > TILE && (e + k + op) % 4))
          continue;
        fill(type, in.data, n, UNIT);
        put(type, in.data, edges[e], identity_of(op_at(op) == IW_MIN ? IW_MAX : IW_MIN, type));
        put(type, in.data, edges[e] + random_below(n - edges[e]),
            identity_of(op_at(op) == IW_MIN ? IW_MAX : IW_MIN, type));
        check_first(&all, type, in.data, n);
      }
    array_free(&in);
  }
  settings_close(&all);
}
END_TEST

/* Several groups on devices, which the simulated GPU leaves out above: equal elements in two tiles, groups,
 * rows, and sections of groups. _i: the type, and how many groups there are: 3; 20, of blocks with two tiles
 * of 4-byte elements; 36, with a tile for each warp; or 130, a block each, in two sections. */
START_TEST(first_in_groups)
{
  static const iw_type some[] = { IW_I32, IW_F32, IW_F64, IW_U16 };
  static const unsigned groups[] = { 3, 20, 36, 130 };
  const size_t n = groups[_i / 4] * GROUP + 5 * TILE + 7;
  const size_t places[][2] = { { 0, GROUP }, { GROUP - 1, GROUP }, { GROUP + 3 * TILE, 2 * GROUP + 3 * TILE },
                               { 2 * GROUP - 1, n - 1 }, { n - 4 * TILE, n - 3 * TILE }, { n - 2, n - 1 },
                               { 2 * TILE + 77, 3 * TILE + 5 }, { 3 * TILE - 1, 4 * TILE } };
  const iw_type type = some[_i % 4];
  settings all = settings_open();
  start_random(740 + (unsigned)_i);
  array in = array_new(iw_type_size(type), n);
  for (unsigned k = 0; k < sizeof places / sizeof *places; k++) {
    const iw_op op = k % 2 ? IW_MAX : IW_MIN;
    word value;
    if (_i >= 4 && k != 3 && k != 4 && k != 6 + (unsigned)_i % 2) /* of many groups some places */
      continue;
    fill(type, in.data, n, UNIT);
    for (unsigned e = 0; e < 2; e++)
      put(type, in.data, places[k][e], identity_of(op == IW_MIN ? IW_MAX : IW_MIN, type));
    const size_t first = first_of(op, type, in.data, n, &value);
    FOR_SETTINGS(at, &all, 0)
      if (on_gpu(at))
        check_first_there(at, op == IW_MIN ? iw_argmin : iw_argmax, type, in.data, n, first, &value);
  }
  for (size_t i = 0; i < n; i++) /* all equal what stands for no element, too */
    put(type, in.data, i, identity_of(IW_MIN, type));
  const word identity = identity_of(IW_MIN, type);
  FOR_SETTINGS(at, &all, 0)
    if (on_gpu(at))
      check_first_there(at, iw_argmin, type, in.data, n, 0, &identity);
  array_free(&in);
  settings_close(&all);
}
END_TEST

/* NaN first of all, of any payload; -0 before +0; what nothing gives, and what is refused. */
START_TEST(first_by_hand)
{
  static const word nans[] = { { .u32 = 0x3f800000 }, { .u32 = 0x7f800000 }, { .u32 = 0xffabcdef },
                              { .u32 = 0x7fc00000 },
                               { .u32 = 0xff800000 } };
  static const double zeros[] = { 0.0, -0.0, 0.0, -0.0 };
  static const int32_t equal[] = { 5, 5, 5 };
  settings all = settings_open();
  float in[5];
  for (int i = 0; i < 5; i++)
    in[i] = nans[i].f32;
  FOR_SETTINGS(at, &all, 0) {
    size_t index;
    word value;
    MUST(at, iw_argmin(at->context, IW_F32, in, 5, &index, &value, NULL));
    ck_assert_uint_eq(index, 2);
    ck_assert_uint_eq(value.u32, 0x7fc00000);
    MUST(at, iw_argmax(at->context, IW_F32, in, 2, &index, &value, NULL));
    ck_assert_uint_eq(index, 1);
    MUST(at, iw_argmin(at->context, IW_F64, zeros, 4, &index, NULL, NULL));
    ck_assert_uint_eq(index, 1);
    MUST(at, iw_argmax(at->context, IW_F64, zeros + 1, 3, &index, NULL, NULL));
    ck_assert_uint_eq(index, 1);
    MUST(at, iw_argmax(at->context, IW_I32, equal, 3, &index, NULL, NULL));
    ck_assert_uint_eq(index, 0);
    MUST(at, iw_argmax(at->context, IW_I32, NULL, 0, &index, &value, NULL));
    ck_assert_uint_eq(index, 0);
    ck_assert_int_eq(value.i32, INT32_MIN);
    REFUSES(at, IW_ERROR_INVALID, "is not an iw_type", iw_argmin(at->context, (iw_type)(SCANNED_TYPES + 1), in, 5, &index, NULL, NULL));
    REFUSES(at, IW_ERROR_INVALID, "indices", iw_argmin(at->context, IW_F32, in, 5, NULL, NULL, NULL));
    REFUSES(at, IW_ERROR_INVALID, "in", iw_argmin(at->context, IW_F32, NULL, 5, &index, NULL, NULL));
    REFUSES(at, IW_ERROR_INVALID, "value",
            iw_argmin(at->context, IW_F32, in, 5, &index, (char *)&value + 2, NULL));
    REFUSES(at, IW_ERROR_INVALID, "context", iw_argmin(NULL, IW_F32, in, 5, &index, NULL, NULL));
  }
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("scan");
  TCase *c = new_case(suite, "scan and reduce");
  tcase_add_test(c, worked_outputs);
  tcase_add_test(c, of_nothing);
  tcase_add_test(c, numbers_by_hand);
  tcase_add_test(c, nan_between_infinities);
  tcase_add_test(c, closed_form);
  tcase_add_loop_test(c, small_sizes, 0, TYPES * OPS);
  tcase_add_loop_test(c, large_sizes, 0, TYPES * OPS);
  tcase_add_test(c, one_context);
  tcase_add_test(c, other_bools);
  tcase_add_test(c, lists);
  c = new_case(suite, "sums in a wider type");
  tcase_add_test(c, mixed_by_hand);
  tcase_add_test(c, mixed_refused);
  tcase_add_loop_test(c, mixed_small, 0, WIDER_SUMS);
  tcase_add_loop_test(c, mixed_large, 0, WIDER_SUMS);
  c = new_case(suite, "short scans and reductions");
  tcase_add_loop_test(c, waiting_blocks, 0, SIM_WAITS);
  c = new_case(suite, "argmin and argmax");
  tcase_add_test(c, first_by_hand);
  tcase_add_loop_test(c, first_places, 0, TYPES);
  tcase_add_loop_test(c, first_in_groups, 0, 16);
  c = new_case(suite, "order 1");
  tcase_add_loop_test(c, every_size, 0, 2);
  tcase_add_loop_test(c, reduced_by_blocks, 0, 2);
  tcase_add_loop_test(c, hostile_floats, 0, 2 * HOSTILE);
  tcase_add_loop_test(c, error_bound, 0, 2 * 2 * 5);
  tcase_add_loop_test(c, continued, 0, WIDE_TYPES);
  c = new_large_case(suite);
  tcase_add_test(c, above_2_32);
  tcase_add_test(c, in_place_above_2_32);
  return run_suite_on_all(suite);
}
