/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition and select: both are stable, write every element once and keep every bit.
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

/* ---- Two sides --------------------------------------------------------------------------------------- */

static int less(iw_type type, const void *in, size_t i, const void *pivot)
{
  return is_float(type) ? real_of(type, in, i) < real_of(type, pivot, 0)
                        : integer_of(type, in, i) < integer_of(type, pivot, 0);
}

/* An input, what each element is (1: to the front), and both sides in order. */
typedef struct divided { iw_type type; size_t n, size, front; array in,
                        right; uint8_t *flags; word pivot; } divided;

static divided divided_new(iw_type type, size_t n, int flavour)
{
  const size_t size = iw_type_size(type);
  divided d = { .type = type, .n = n, .size = size, .in = array_new(size, n), .right = array_new(size, n),
    .flags = malloc(n + 1) };
  fill(type, d.in.data, n, flavour);
  return d;
}

static void divide(divided *d)
{
  char *const out = d->right.data;
  const char *const in = d->in.data;
  d->front = 0;
  for (size_t i = 0; i < d->n; i++)
    if (d->flags[i])
      memcpy(out + d->front++ * d->size, in + i * d->size, d->size);
  for (size_t i = 0, at = d->front; i < d->n; i++)
    if (!d->flags[i])
      memcpy(out + at++ * d->size, in + i * d->size, d->size);
}

static void divide_by_pivot(divided *d, word pivot)
{
  put(d->type, &d->pivot, 0, pivot);
  for (size_t i = 0; i < d->n; i++)
    d->flags[i] = (uint8_t)less(d->type, d->in.data, i, &d->pivot);
  divide(d);
}

/* Any byte but 0 is true. share: of 256. */
static void divide_by_flags(divided *d, unsigned share)
{
  for (size_t i = 0; i < d->n; i++)
    d->flags[i] = random_below(256) < share ? (uint8_t)(1 + random_below(255)) : 0;
  divide(d);
}

static void divided_free(divided *d)
{
  array_free(&d->in);
  array_free(&d->right);
  free(d->flags);
}

enum { BY_PIVOT, BY_FLAGS, SELECT };
static const char *const call_names[] = { "partition", "partition by flags", "select" };

static iw_status call(const setting *at, int which, const divided *d, const void *in, void *out,
                      size_t *count)
{
  return which == BY_PIVOT ? partition_by_pivot(at->context, d->type, in, d->n, &d->pivot, out, count)
    : which == BY_FLAGS ? partition_by_flags(at->context, d->type, in, d->flags, d->n, out, count)
    : select_by_flags(at->context, d->type, in, d->flags, d->n, out, count);
}

static void check_call(const setting *at, int which, const divided *d)
{
  const size_t wanted = which == SELECT ? d->front : d->n; /* select needs room for no more */
  array out = array_new(d->size, wanted);
  size_t count = SIZE_MAX;
  char what[64];
  snprintf(what, sizeof what, "%s of %s (n = %zu)", call_names[which], iw_type_name(d->type), d->n);
  MUST(at, call(at, which, d, d->in.data, out.data, &count));
  SAME(at, what, &d->front, &count, 1, sizeof count);
  SAME(at, what, d->right.data, out.data, wanted, d->size);
  ck_assert_msg(array_intact(&out, out.bytes), "%s wrote outside its output", what);
  array_free(&out);
}

static void check_divided(settings *all, divided *d, unsigned share)
{
  FOR_SETTINGS(at, all, d->n)
    check_call(at, BY_PIVOT, d);
  divide_by_flags(d, share);
  FOR_SETTINGS(at, all, d->n) {
    check_call(at, BY_FLAGS, d);
    check_call(at, SELECT, d);
  }
}

START_TEST(two_sides)
{
  static const unsigned shares[] = { 128, 0, 256, 8, 250 };
  const iw_type type = all_types[_i];
  settings all = settings_open();
  start_random(100 + (unsigned)_i);
  for (unsigned i = 0; i < COUNT(small_sizes) + COUNT(large_sizes) + 10; i++) {
    const size_t n = i < COUNT(small_sizes) ? small_sizes[i] : i < COUNT(small_sizes) + COUNT(large_sizes)
      ? large_sizes[i - COUNT(small_sizes)] : random_size(1 << 19);
    divided d = divided_new(type, n, (int)(i % FLAVOURS));
    divide_by_pivot(&d, random_word(type, (int)(i % FLAVOURS)));
    check_divided(&all, &d, shares[i % COUNT(shares)]);
    divided_free(&d);
  }
  settings_close(&all);
}
END_TEST

/* ---- Constants that are cases of their own ---- */

enum { CONSTANTS = 11 };

/* Constant i as the low bits of a word: of floats three NaNs first, then infinities, zeros of both signs,
 * and numbers next to them. */
static word constant_of(iw_type type, unsigned i)
{
  const uint64_t sign = (uint64_t)1 << (8 * iw_type_size(type) - 1);
  const uint64_t integers[CONSTANTS] = { 0, 1, ~(uint64_t)0, ~(uint64_t)1, sign - 1, sign, sign + 1, 0x7fffffff, 0x80000000, 0x7f, 7 };
  const uint64_t infinity = type == IW_F32 ? 0x7f800000 : type == IW_F64 ? 0x7ff0000000000000 : type == IW_F16 ? 0x7c00 : 0x7f80;
  const uint64_t floats[CONSTANTS] = { infinity | infinity >> 1, sign | (infinity + 1), infinity + 1, infinity, sign | infinity,
                                       0, sign, 1, sign | 1, infinity - 1, sign | (infinity - 1) };
  return (word){ .u64 = is_float(type) ? floats[i] : integers[i] };
}

/* The right side is NOT (x < pivot): a NaN goes there whole, and to the right of a NaN pivot goes all. */
START_TEST(pivots)
{
  const iw_type type = all_types[_i];
  settings all = settings_open();
  start_random(200 + (unsigned)_i);
  for (unsigned i = 0; i < CONSTANTS; i++)
    for (unsigned long_one = 0; long_one < 2; long_one++) {
      divided d = divided_new(type, long_one ? 5000 : 200, i % 2 ? SPECIAL : i % 4 ? TINY : SPECIAL);
      divide_by_pivot(&d, constant_of(type, i));
      if (is_float(type) && i < 3)
        ck_assert_uint_eq(d.front, 0);
      FOR_SETTINGS(at, &all, d.n)
        check_call(at, BY_PIVOT, &d);
      divided_free(&d);
    }
  settings_close(&all);
}
END_TEST

/* ---- Any test, to one array, two, or the front alone ---- */

static int untouched(const char *p, size_t bytes)
{
  return !bytes || (*p == 0x55 && !memcmp(p, p + 1, bytes - 1));
}

/* Outputs begin `shift` elements behind what is aligned to 64 bytes, or a bit less. */
static void check_by(const setting *at, const divided *d, const iw_test *test, const char *name,
                     size_t shift)
{
  const size_t rest = d->n - d->front;
  array one = array_new(d->size, d->n + shift), left = array_new(d->size, d->n + shift);
  array right = array_new(d->size, d->n + 2 * shift);
  array selected = array_new(d->size, d->front);
  char *const to = (char *)one.data + shift * d->size, *const front = (char *)left.data + shift * d->size,
    *const others = (char *)right.data + 2 * shift * d->size;
  memset(left.data, 0x55, (d->n + shift) * d->size);
  memset(right.data, 0x55, (d->n + 2 * shift) * d->size);
  size_t count = SIZE_MAX;
  char what[96];
  snprintf(what, sizeof what, "partition of %s by %s (n = %zu, shift %zu)", iw_type_name(d->type), name,
           d->n, shift);
  MUST(at, partition_of(at->context, d->type, test, d->in.data, d->n, to, NULL, &count));
  SAME(at, what, &d->front, &count, 1, sizeof count);
  SAME(at, what, d->right.data, to, d->n, d->size);
  ck_assert_msg(array_intact(&one, one.bytes), "%s wrote outside its output", what);
  count = SIZE_MAX;
  snprintf(what, sizeof what, "partition of %s by %s into two (n = %zu, shift %zu)", iw_type_name(d->type),
           name, d->n, shift);
  MUST(at, partition_of(at->context, d->type, test, d->in.data, d->n, front, others, &count));
  SAME(at, what, &d->front, &count, 1, sizeof count);
  SAME(at, what, d->right.data, front, d->front, d->size);
  SAME(at, what, (const char *)d->right.data + d->front * d->size, others, rest, d->size);
  ck_assert_msg(untouched(front + d->front * d->size, rest * d->size), "%s wrote behind the front", what);
  ck_assert_msg(untouched(others + rest * d->size, d->front * d->size), "%s wrote behind the rest", what);
  ck_assert_msg(array_intact(&left, left.bytes) && array_intact(&right, right.bytes),
                "%s wrote outside its outputs", what);
  count = SIZE_MAX;
  snprintf(what, sizeof what, "select of %s by %s (n = %zu)", iw_type_name(d->type), name, d->n);
  MUST(at, select_of(at->context, d->type, test, d->in.data, d->n, selected.data, &count));
  SAME(at, what, &d->front, &count, 1, sizeof count);
  SAME(at, what, d->right.data, selected.data, d->front, d->size);
  ck_assert_msg(array_intact(&selected, selected.bytes), "%s wrote outside its output", what);
  array_free(&one);
  array_free(&left);
  array_free(&right);
  array_free(&selected);
}

static const char *const compare_names[] = { "<", "<=", "==", "!=", ">", ">=" };

/* Each comparison with each constant that is a case of its own, among elements of which many are equal to
 * one of those. */
START_TEST(comparisons)
{
  const iw_type type = all_types[_i];
  settings all = settings_open();
  start_random(600 + (unsigned)_i);
  for (unsigned i = 0; i < CONSTANTS; i++)
    for (unsigned compare = 0; compare <= IW_GREATER_EQUAL; compare++) {
      divided d = divided_new(type, i % 3 ? 310 : 3000, SPECIAL);
      const word constant = constant_of(type, i);
      for (size_t k = 0; k < d.n; k++)
        if (random_below(3)) { /* the bits of one */
          const word one = constant_of(type, (unsigned)random_below(CONSTANTS));
          memcpy((char *)d.in.data + k * d.size, &one, d.size);
        }
      for (size_t k = 0; k < d.n; k++)
        d.flags[k] = (uint8_t)compared(type, d.in.data, k, (iw_compare)compare, &constant);
      divide(&d);
      const iw_test test = { .size = sizeof test, .compare = (iw_compare)compare, .constant = &constant };
      FOR_SETTINGS(at, &all, d.n)
        check_by(at, &d, &test, compare_names[compare], compare);
      divided_free(&d);
    }
  settings_close(&all);
}
END_TEST

/* Around lanes, warps, rows, tiles and groups of tiles; all shares; alignments of the outputs. */
START_TEST(boundaries)
{
  enum { TILE_BYTES = 32768 };
  static const double shares[] = { 0.5, 0, 1, 0.01, 0.99, 0.1, 0.9 };
  const iw_type type = all_types[_i];
  const size_t tile = TILE_BYTES / iw_type_size(type);
  const size_t units[] = { 1, 2, 8, 16, 32, 64, 128, 256, 1024, tile / 2, tile, 2 * tile, 3 * tile,
                          31 * tile, 32 * tile,
                           33 * tile, 64 * tile };
  settings all = settings_open();
  start_random(700 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < 3 * COUNT(units); i++) {
    const size_t n = units[i / 3] + i % 3 - 1;
    divided d = divided_new(type, n, SPECIAL);
    const double share = shares[i % COUNT(shares)];
    const int clustered = i % 5 == 4, sorted = i % 5 == 3;
    for (size_t k = 0; k < n; k++) {
      const double here = clustered && k / 3000 % 2 ? 1 - share : share;
      const int marked = sorted ? (double)k < share * (double)n : random_unit() < here;
      d.flags[k] = marked ? (uint8_t)(1 + random_below(255)) : 0;
    }
    divide(&d);
    const iw_test test = { .size = sizeof test, .flags = n ? d.flags : NULL };
    FOR_SETTINGS(at, &all, n)
      check_by(at, &d, &test, "flags", i % 17);
    divided_free(&d);
  }
  settings_close(&all);
}
END_TEST

/* Short arrays on devices: at the borders of tiles, of groups of tiles and of the schedule, by flags and by
 * values, aligned and not. Some blocks begin late, and others then count their tiles (sim_open_waiting). */
START_TEST(waiting_blocks)
{
  enum { TILE = 4096, GROUP = 32 * TILE, MOST = 8 * GROUP };
  static const size_t sizes[] = { 1, 129, TILE - 1, TILE, TILE + 1, 3 * TILE + 77, GROUP - 1, GROUP, GROUP + 1, 2 * GROUP + 77, MOST, MOST + 1 };
  static const iw_type types[] = { IW_F32, IW_U64, IW_I32, IW_F64 };
  if (getenv("ISOWARP_TEST_NO_SIM"))
    return;
  settings all = { .count = 0 };
  sim_open_waiting(&all, (unsigned)_i);
  start_random(830 + (unsigned)_i);
  for (unsigned i = 0; i < COUNT(sizes); i++) {
    const unsigned turn = (unsigned)_i + i;
    if (sizes[i] > GROUP + 1 && turn % 6) /* the longest ones by some */
      continue;
    divided d = divided_new(types[turn % 4], sizes[i], SPECIAL);
    const word constant = random_word(d.type, SPECIAL);
    for (size_t k = 0; k < d.n; k++)
      d.flags[k] = (uint8_t)compared(d.type, d.in.data, k, IW_GREATER_EQUAL, &constant);
    divide(&d);
    const iw_test by_value = { .size = sizeof by_value, .compare = IW_GREATER_EQUAL, .constant = &constant };
    check_by(&all.at[0], &d, &by_value, ">=", turn % 17);
    divide_by_flags(&d, turn % 3 ? 128 : 1);
    const iw_test by_flags = { .size = sizeof by_flags, .flags = d.flags };
    check_by(&all.at[0], &d, &by_flags, "flags", turn % 17);
    divided_free(&d);
  }
  sim_close_waiting(&all);
}
END_TEST

/* A stream of results larger than the caches goes another way to memory. */
START_TEST(streamed)
{
  const iw_type type = all_types[_i];
  settings all = settings_open();
  start_random(800 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < 3; i++) {
    divided d = divided_new(type, ((size_t)9 << 20) / iw_type_size(type) + random_below(5000), UNIT);
    word constant = random_word(type, UNIT);
    put(type, &constant, 0, constant);
    for (size_t k = 0; k < d.n; k++)
      d.flags[k] = (uint8_t)compared(type, d.in.data, k, IW_GREATER_EQUAL, &constant);
    divide(&d);
    const iw_test test = { .size = sizeof test, .compare = IW_GREATER_EQUAL, .constant = &constant };
    FOR_SETTINGS(at, &all, d.n)
      check_by(at, &d, &test, ">=", 5 * i);
    divided_free(&d);
  }
  settings_close(&all);
}
END_TEST

/* Less, equal, neither. */
START_TEST(three_ways)
{
  static const size_t sizes[] = { 0, 1, 31, 33, 301, 1025, 16385, 40000 };
  const iw_type type = all_types[_i];
  settings all = settings_open();
  start_random(900 + (unsigned)_i);
  for (unsigned i = 0; i < 3 * COUNT(sizes); i++) {
    const size_t n = sizes[i / 3];
    divided d = divided_new(type, n, SPECIAL);
    word pivot = random_word(type, (int)(i % FLAVOURS));
    if (n)
      memcpy(&pivot, d.in.data, d.size); /* NaN now and then */
    if (i % 3 == 2)
      memset(&pivot, is_float(type) ? 0xff : 0, sizeof pivot); /* NaN; the lowest of some */
    for (size_t k = 0; k < n; k++)
      if (random_below(3) == 0)
        memcpy((char *)d.in.data + k * d.size, &pivot, d.size);
    size_t right[4] = { 0 }, at = 0;
    for (unsigned side = 0; side < 3; side++) {
      right[side] = at;
      for (size_t k = 0; k < n; k++) {
        const int less = compared(type, d.in.data, k, IW_LESS, &pivot),
            equal = compared(type, d.in.data, k, IW_EQUAL, &pivot);
        if ((less ? 0u : equal ? 1u : 2u) == side)
          memcpy((char *)d.right.data + at++ * d.size, (const char *)d.in.data + k * d.size, d.size);
      }
    }
    right[3] = n;
    FOR_SETTINGS(s, &all, n) {
      array out = array_new(d.size, n);
      size_t offsets[5] = { 7, 7, 7, 7, 7 };
      MUST(s, multisplit_by_pivot(s->context, type, d.in.data, n, &pivot, out.data, offsets));
      SAME(s, "offsets of three ways", right, offsets, 4, sizeof(size_t));
      ck_assert_uint_eq(offsets[4], 7);
      SAME(s, "three ways", d.right.data, out.data, n, d.size);
      ck_assert_msg(array_intact(&out, out.bytes), "three ways wrote outside");
      array_free(&out);
    }
    divided_free(&d);
  }
  FOR_SETTINGS(s, &all, 1) {
    uint32_t a[16] = { 0 }, pivot = 3;
    size_t offsets[4];
    ck_assert_int_eq(multisplit_by_pivot(s->context, IW_U32, a, 8, &pivot, a + 7, offsets),
                     IW_ERROR_OVERLAP);
    ck_assert_int_eq(multisplit_by_pivot(s->context, IW_U32, a, 8, &pivot, a, offsets), IW_ERROR_OVERLAP);
    size_t both[9] = { 0 }; /* eight elements, and then places */
    ck_assert_int_eq(multisplit_by_pivot(s->context, IW_U32, both, 8, &pivot, a, both + 3),
                     IW_ERROR_OVERLAP);
    ck_assert_int_eq(multisplit_by_pivot(s->context, IW_U32, a, 8, &pivot, both, both + 3),
                     IW_ERROR_OVERLAP);
    ck_assert_int_eq(multisplit_by_pivot(s->context, IW_U32, a, 8, &pivot, both, both + 4), IW_OK);
    ck_assert_int_eq(multisplit_by_pivot(s->context, IW_U32, a, 8, NULL, a + 8, offsets), IW_ERROR_INVALID);
    ck_assert_int_eq(multisplit_by_pivot(s->context, IW_U32, a, 8, &pivot, a + 8, NULL), IW_ERROR_INVALID);
    ck_assert_int_eq(multisplit_by_pivot(s->context, (iw_type)(IW_BF16 + 1), a, 8, &pivot, a + 8, offsets),
                     IW_ERROR_INVALID);
  }
  settings_close(&all);
}
END_TEST

START_TEST(refused_tests)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    uint32_t in[16] = { 0 }, before[64] = { 0 };
    _Alignas(size_t) uint32_t out[64] = { 0 };
    const uint8_t flags[16] = { 1 };
    const uint32_t five = 5, hundred = 100;
    const iw_histogram_spec spec = { .size = sizeof spec, .bins = 4, .lo = &five, .hi = &hundred };
    size_t count = 777;
    const iw_test good = { .size = sizeof good, .constant = &five };
    iw_test test = good;
    REFUSED(partition_of(c, IW_U32, NULL, in, 16, out, NULL, &count), IW_ERROR_INVALID, "test is NULL");
    test.size--;
    REFUSED(partition_of(c, IW_U32, &test, in, 16, out, NULL, &count), IW_ERROR_INVALID, "test->size");
    test = good;
    test.compare = (iw_compare)6;
    REFUSED(select_of(c, IW_U32, &test, in, 16, out, &count), IW_ERROR_INVALID, "compare is 6");
    test = good;
    test.flags = flags;
    REFUSED(select_of(c, IW_U32, &test, in, 16, out, &count), IW_ERROR_INVALID, "test has 2 of ");
    test = good;
    test.constant = NULL;
    REFUSED(select_of(c, IW_U32, &test, in, 16, out, &count), IW_ERROR_INVALID, "test has 0 of ");
    test.flags = flags;
    test.bins = &spec;
    REFUSED(partition_of(c, IW_U32, &test, in, 16, out, NULL, &count), IW_ERROR_INVALID, "test has 2 of ");
    REFUSED(partition_of(c, IW_U32, &good, in, 16, out, NULL, NULL), IW_ERROR_INVALID, "count is NULL");
    REFUSED(partition_of(c, IW_U32, &good, in, 16, NULL, out, &count), IW_ERROR_INVALID, "out is NULL");
    REFUSED(partition_of(c, IW_U32, &good, in, 16, (char *)out + 2, out + 32, &count), IW_ERROR_INVALID,
            "aligned");
    REFUSED(partition_of(c, IW_U32, &good, in, 16, out, (char *)out + 129, &count), IW_ERROR_INVALID,
            "aligned");
    REFUSED(partition_of(c, IW_U32, &good, out, 16, out, out + 32, &count), IW_ERROR_OVERLAP, "in (64");
    REFUSED(partition_of(c, IW_U32, &good, out, 16, out + 32, out + 15, &count), IW_ERROR_OVERLAP, "rest");
    REFUSED(partition_of(c, IW_U32, &good, in, 16, out, out + 15, &count), IW_ERROR_OVERLAP, "options->rest");
    test = (iw_test){ .size = sizeof test, .flags = (uint8_t *)(out + 40) };
    REFUSED(partition_of(c, IW_U32, &test, in, 16, out, out + 30, &count), IW_ERROR_OVERLAP, "flags");
    REFUSED(select_of(c, IW_U32, &good, in, 16, NULL, &count), IW_ERROR_INVALID,
            "out is NULL, but has 16");
    REFUSED(select_of(c, IW_U32, &good, in, 16, (char *)out + 2, &count), IW_ERROR_INVALID, "aligned");
    REFUSED(select_of(c, IW_U32, &good, out + 8, 16, out, &count), IW_ERROR_OVERLAP, "64 bytes");
    void *const inside[] = { out, out + 14, out + 32, out + 46 }; /* two outputs */
    for (int i = 0; i < 4; i++)
      REFUSED(partition_of(c, IW_U32, &good, in, 16, out, out + 32, inside[i]), IW_ERROR_OVERLAP,
              "count (8");
    REFUSED(select_of(c, IW_U32, &good, in, 16, out, inside[0]), IW_ERROR_OVERLAP, "count (8");
    REFUSED(partition_of(c, IW_U32, &good, in, 16, out, NULL, inside[1]), IW_ERROR_OVERLAP, "count (8");
    ck_assert_uint_eq(count, 777);
    ck_assert_mem_eq(out, before, sizeof out);
    in[3] = in[9] = 4; /* as many as there is room for in front of what is read */
    for (unsigned i = 0; i < 16; i++)
      out[8 + i] = in[i] ? 3 : 10 + i;
    MUST(at, select_of(c, IW_U32, &good, out + 8, 16, out + 6, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert(out[6] == 3 && out[7] == 3 && out[8] == 10);
  }
  settings_close(&all);
}
END_TEST

START_TEST(worked_outputs)
{
  static const int32_t seed[] = { 3, 7, 1, 8, 2, 9, 4, 6 }, seed_right[] = { 3, 1, 2, 4, 7, 8, 9, 6 };
  static const int32_t pattern[] = { 3, 7, 1, 8, 2, 9, 4, 6, 0, 10, 3, 11, 1, 12, 4, 13 };
  static const int32_t pattern_right[] = {
    3, 1, 2, 4, 0, 3, 1, 4, 3, 1, 2, 4, 0, 3, 1, 4, 7, 8, 9, 6, 10, 11, 12, 13, 7, 8, 9, 6, 10, 11, 12, 13,
  };
  static const float bin_6[] = { 0.75f, 0.76f, 0.77f, 0.78f, 0.79f }, unit[] = { 0, 1 };
  const int32_t five = 5;
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 1) {
    int32_t out[32], twice[32];
    size_t count;
    MUST(at, partition_by_pivot(at->context, IW_I32, seed, 8, &five, out, &count));
    SAME(at, "the seed's partition", seed_right, out, 8, 4);
    ck_assert_uint_eq(count, 4);
    memcpy(twice, pattern, sizeof pattern);
    memcpy(twice + 16, pattern, sizeof pattern);
    MUST(at, partition_by_pivot(at->context, IW_I32, twice, 32, &five, out, &count));
    SAME(at, "the seed's pattern", pattern_right, out, 32, 4);
    ck_assert_uint_eq(count, 16);

    float x[128], taken[128];
    const iw_histogram_spec spec = { .size = sizeof spec, .bins = 8, .lo = &unit[0], .hi = &unit[1] };
    for (int i = 0; i < 128; i++)
      x[i] = (float)(i % 80) / 100;
    MUST(at, select_bin(at->context, IW_F32, x, 128, &spec, 6, taken, &count));
    ck_assert_uint_eq(count, 5);
    SAME(at, "bin 6", bin_6, taken, 5, 4);
    MUST(at, select_bin(at->context, IW_F32, x, 128, &spec, 0, taken, &count));
    ck_assert_uint_eq(count, 26);
    for (int i = 0; i < 26; i++)
      ck_assert(taken[i] == (float)(i % 13) / 100);
  }
  settings_close(&all);
}
END_TEST

/* Any other overlap is found, and nothing is written. */
START_TEST(overlaps)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 1) {
    uint32_t a[64], before[64];
    uint8_t flags[32];
    size_t count = 777, offsets[3];
    const uint32_t pivot = 1000, edges[] = { 0, 1000, 5000 };
    const iw_histogram_spec spec = { .size = sizeof spec, .kind = IW_HISTOGRAM_EDGES, .bins = 2,
                                    .edges = edges };
    for (unsigned i = 0; i < 64; i++)
      a[i] = (i * 97) % 2000;
    memset(flags, 1, sizeof flags);
    memcpy(before, a, sizeof a);
    MUST(at, iw_context_reserve(at->context, 4096));
    ck_assert_int_eq(partition_by_pivot(at->context, IW_U32, a, 32, &pivot, a + 1, &count),
                     IW_ERROR_OVERLAP);
    ck_assert_int_eq(partition_by_pivot(at->context, IW_U32, a + 1, 32, &pivot, a, &count),
                     IW_ERROR_OVERLAP);
    ck_assert_int_eq(partition_by_pivot(at->context, IW_U32, a, 32, &pivot, a + 31, &count),
                     IW_ERROR_OVERLAP);
    ck_assert_int_eq(partition_by_flags(at->context, IW_U32, a, flags, 32, a + 5, &count), IW_ERROR_OVERLAP);
    ck_assert_int_eq(partition_by_flags(at->context, IW_U32, a, (uint8_t *)(a + 40), 32, a + 32, &count),
                     IW_ERROR_OVERLAP);
    ck_assert_int_eq(select_by_flags(at->context, IW_U32, a, flags, 32, a + 2, &count), IW_ERROR_OVERLAP);
    ck_assert_int_eq(select_by_flags(at->context, IW_U32, a, (uint8_t *)(a + 40), 32, a + 32, &count),
                     IW_ERROR_OVERLAP);
    ck_assert_int_eq(select_bin(at->context, IW_U32, a, 32, &spec, 0, a + 2, &count), IW_ERROR_OVERLAP);
    ck_assert_int_eq(multisplit_by_bins(at->context, IW_U32, a, 32, &spec, a + 1, offsets),
                     IW_ERROR_OVERLAP);
    ck_assert_int_eq(multisplit_by_bins(at->context, IW_U32, a, 32, &spec, a + 31, offsets),
                     IW_ERROR_OVERLAP);
    ck_assert_int_eq(multisplit_by_bins(at->context, IW_U32, a, 16, &spec, a + 16,
                                        (size_t *)(void *)(a + 4)),
                     IW_ERROR_OVERLAP);
    ck_assert_uint_eq(count, 777);
    ck_assert_mem_eq(a, before, sizeof a);
    MUST(at, partition_by_pivot(at->context, IW_U32, a, 32, &pivot, a + 32, &count)); /* side by side is no overlap */
  }
  settings_close(&all);
}
END_TEST

/* Of nothing: nothing, and no pointers needed; a selection of nothing needs no output. */
START_TEST(of_nothing)
{
  static const float unit[] = { 0, 1 };
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = 4, .lo = &unit[0], .hi = &unit[1] };
  const double pivot = 0;
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    const uint8_t none[3] = { 0 };
    const float three[] = { 5, 6, NAN };
    size_t count, offsets[5];
    for (unsigned t = 0; t < TYPES; t++) {
      count = 9;
      MUST(at, partition_by_pivot(at->context, all_types[t], NULL, 0, &pivot, NULL, &count));
      ck_assert_uint_eq(count, 0);
      count = 9;
      MUST(at, partition_by_flags(at->context, all_types[t], NULL, NULL, 0, NULL, &count));
      ck_assert_uint_eq(count, 0);
      count = 9;
      MUST(at, select_by_flags(at->context, all_types[t], NULL, NULL, 0, NULL, &count));
      ck_assert_uint_eq(count, 0);
    }
    count = 9;
    MUST(at, select_bin(at->context, IW_F32, NULL, 0, &spec, 3, NULL, &count));
    ck_assert_uint_eq(count, 0);
    memset(offsets, 0x33, sizeof offsets);
    MUST(at, multisplit_by_bins(at->context, IW_F32, NULL, 0, &spec, NULL, offsets));
    ck_assert_mem_eq(offsets, (size_t[5]){ 0 }, sizeof offsets);
    count = 9;
    MUST(at, select_by_flags(at->context, IW_F32, three, none, 3, NULL, &count));
    ck_assert_uint_eq(count, 0);
    count = 9;
    MUST(at, select_bin(at->context, IW_F32, three, 3, &spec, 1, NULL, &count));
    ck_assert_uint_eq(count, 0);
  }
  settings_close(&all);
}
END_TEST

/* One array for both, once there is room for a copy. */
START_TEST(in_place)
{
  static const size_t sizes[] = { 1, 33, 1025, 8193, 100001 };
  const iw_type type = all_types[_i];
  settings all = settings_open();
  start_random(300 + (unsigned)_i);
  for (unsigned s = 0; s < all.count; s++) {
    const setting *at = &all.at[s];
    for (unsigned i = 0; i < COUNT(sizes); i++) {
      divided d = divided_new(type, sizes[i], SPECIAL);
      divide_by_pivot(&d, random_word(type, WIDE));
      for (int which = BY_PIVOT; which <= SELECT; which++) {
        array both = array_new(d.size, d.n);
        size_t count = 12345;
        memcpy(both.data, d.in.data, d.n * d.size);
        if (which == BY_PIVOT) { /* not yet */
          ck_assert_int_eq(call(at, which, &d, both.data, both.data, &count), IW_ERROR_OVERLAP);
          ck_assert_uint_eq(count, 12345);
          SAME(at, "refused input", d.in.data, both.data, d.n, d.size);
          MUST(at, iw_context_reserve(at->context, d.n * d.size));
        }
        if (which == BY_FLAGS)
          divide_by_flags(&d, 100);
        MUST(at, call(at, which, &d, both.data, both.data, &count));
        ck_assert_uint_eq(count, d.front);
        SAME(at, call_names[which], d.right.data, both.data, which == SELECT ? count : d.n, d.size);
        ck_assert(array_intact(&both, both.bytes));
        array_free(&both);
      }
      divided_free(&d);
    }
    /* A bin's elements to where all were. */
    array both = array_new(iw_type_size(type), 5000);
    word lo, hi;
    range_for(type, 9, &lo, &hi);
    const iw_histogram_spec spec = { .size = sizeof spec, .bins = 9, .lo = &lo, .hi = &hi };
    edges e = edges_of(type, &spec);
    fill_for(type, both.data, 5000, &e);
    edges_free(&e);
    splitting right = splitting_new(type, 5000, spec.bins);
    memcpy(right.in.data, both.data, both.bytes);
    splitting_by_bins(&right, &spec);
    size_t count;
    MUST(at, select_bin(at->context, type, both.data, 5000, &spec, 4, both.data, &count));
    ck_assert_uint_eq(count, right.offsets[5] - right.offsets[4]);
    SAME(at, "extract in place", (char *)right.out.data + right.offsets[4] * both.bytes / 5000, both.data,
         count,
         iw_type_size(type));
    splitting_free(&right);
    array_free(&both);
  }
  settings_close(&all);
}
END_TEST

/* Positions of more than 32 bits; and of more than 24, which is where predicates scanned in floats go
 * wrong. */
START_TEST(above_2_32)
{
  const size_t two_32 = (size_t)1 << 32, n = two_32 + 12345, part = ((size_t)1 << 24) + 3;
  const setting at = { "the best", 0, IW_BLOCKS_AUTO, NULL };
  const int32_t pivot = 1, edges[] = { -1, 1, 100, 1000 };
  const iw_histogram_spec spec = { .size = sizeof spec, .kind = IW_HISTOGRAM_EDGES, .bins = 3,
                                  .edges = edges };
  int32_t *const in = zeros_new(n * sizeof *in), *const out = endless_new(n * sizeof *out), taken[4];
  size_t count, offsets[4];
  iw_context *context;
  const double start = now();
  ck_assert_int_eq(iw_context_open(&context, NULL), IW_OK);
  if (in && out) {
    int32_t *const divided = malloc(part * sizeof *divided);
    in[5] = 50;
    in[part - 3] = 60;
    MUST(&at, partition_by_pivot(context, IW_I32, in, part, &pivot, divided, &count));
    ck_assert_uint_eq(count, part - 2);
    ck_assert_mem_eq(divided + count - 1, ((int32_t[]){ 0, 50, 60 }), 12);
    free(divided);
  }
  if (worth_it("a partition of 2^32 elements", in && out, now() - start, (double)part / (double)n)) {
    in[((size_t)1 << 31) + 5] = 200;
    in[two_32 + 7] = 300;
    MUST(&at, partition_by_pivot(context, IW_I32, in, n, &pivot, out, &count));
    ck_assert_uint_eq(count, n - 4);
    for (size_t i = two_32; i < count; i++)
      ck_assert_int_eq(out[i], 0);
    ck_assert_mem_eq(out + count, ((int32_t[]){ 50, 60, 200, 300, 0x55555555 }), 20);
    MUST(&at, select_bin(context, IW_I32, in, n, &spec, 2, taken, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert_mem_eq(taken, ((int32_t[]){ 200, 300 }), 8);
    memset(out + two_32, 0x55, 20000 * sizeof *out);
    MUST(&at, multisplit_by_bins(context, IW_I32, in, n, &spec, out, offsets));
    ck_assert_mem_eq(offsets, ((size_t[]){ 0, n - 4, n - 2, n }), sizeof offsets);
    for (size_t i = two_32; i < n - 4; i++)
      ck_assert_int_eq(out[i], 0);
    ck_assert_mem_eq(out + n - 4, ((int32_t[]){ 50, 60, 200, 300, 0x55555555 }), 20);
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
  Suite *suite = suite_create("partition");
  TCase *c = new_case(suite, "partition, select and extract");
  tcase_add_test(c, worked_outputs);
  tcase_add_test(c, of_nothing);
  tcase_add_test(c, overlaps);
  tcase_add_loop_test(c, two_sides, 0, TYPES);
  tcase_add_loop_test(c, pivots, 0, TYPES);
  tcase_add_loop_test(c, in_place, 0, TYPES);
  tcase_add_test(c, refused_tests);
  tcase_add_loop_test(c, comparisons, 0, TYPES);
  tcase_add_loop_test(c, three_ways, 0, TYPES);
  tcase_add_loop_test(c, boundaries, 0, TYPES);
  tcase_add_loop_test(c, waiting_blocks, 0, SIM_WAITS);
  tcase_add_loop_test(c, streamed, 0, TYPES);
  tcase_add_test(new_large_case(suite), above_2_32);
  return run_suite_on_all(suite);
}
