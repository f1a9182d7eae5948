/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions of segments, of the rows and columns of a matrix and by key, to the bit against order 1 of
 * each segment alone.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, memfd_create() */
#include "reference.h"
#include "segment_lengths.h"
#include <sys/mman.h>
#include <unistd.h>

enum { TYPES = SCANNED_TYPES, OPS = ALL_OPS };

/* The results of segments, each by itself. in: elements of type. */
static void reference_reductions(iw_op op, iw_type type, const void *in, const uint64_t *offsets, size_t count,
                                 const void *init, void *results)
{
  const size_t size = iw_type_size(type);
  size_t longest = 1;
  for (size_t k = 0; k < count; k++)
    longest = offsets[k + 1] - offsets[k] > longest ? offsets[k + 1] - offsets[k] : longest;
  void *const scan = malloc(longest * size);
  ck_assert_ptr_nonnull(scan);
  for (size_t k = 0; k < count; k++)
    reference_scan(op, type, (const char *)in + offsets[k] * size, offsets[k + 1] - offsets[k], init, scan, NULL,
                   (char *)results + k * size);
  free(scan);
}

static array widened(iw_type in_type, const void *in, iw_type type, size_t n)
{
  array wide_in = array_new(iw_type_size(type), n);
  for (size_t i = 0; i < n; i++)
    put(type, wide_in.data, i, widened_word(in_type, in, i, type));
  return wide_in;
}

enum { SHIFTS = 16 }; /* of the places of arrays, in elements */

/* One call on each setting. columns: of rows; 0: segments by offsets, of this pattern. */
static void check_by(settings *all, iw_op op, iw_type in_type, iw_type type, size_t n, int flavour, int with_init,
                     int pattern, size_t columns)
{
  if (in_type == type && !has_operation(op, type))
    return;
  const size_t in_size = iw_type_size(in_type), size = iw_type_size(type), shift = random_below(SHIFTS);
  const size_t most = columns ? n / columns : n / 2 + 70;
  array in = array_new(in_size, n + SHIFTS), offsets = array_new(8, most + 1), narrow = array_new(4, most + 1);
  uint64_t *const places = offsets.data;
  const void *const from = (char *)in.data + shift * in_size;
  word init = random_word(type, flavour == SPECIAL ? WIDE : flavour);
  const void *const given = with_init ? &init : NULL;
  const int wide_offsets = (int)random_below(2);
  char what[120];
  fill(in_type, in.data, n + SHIFTS, flavour);
  for (size_t k = 0; k <= most && columns; k++)
    places[k] = k * columns;
  const size_t count = columns ? most : make_offsets(pattern, n, places, most);
  for (size_t k = 0; k <= count; k++)
    ((uint32_t *)narrow.data)[k] = (uint32_t)places[k];
  array expected = array_new(size, count), wide_in = widened(in_type, from, type, in_type == type ? 0 : n);
  reference_reductions(op, type, in_type == type ? from : wide_in.data, places, count, given, expected.data);
  FOR_SETTINGS(at, all, n) {
    const size_t gap = random_below(8);
    array out = array_new(size, count + gap);
    char *const to = (char *)out.data + gap * size;
    void *const there = copy_there(at, given, size);
    snprintf(what, sizeof what, "%s of %s in %s%s, %s %zu, n %zu, %zu past", op_name(op), iw_type_name(in_type),
             iw_type_name(type), given ? ", init" : "", columns ? "columns" : "pattern",
             columns ? columns : (size_t)pattern, n, shift);
    const iw_segments segments = columns ? by_rows(columns)
      : by_offsets(wide_offsets ? IW_U64 : IW_U32, wide_offsets ? offsets.data : narrow.data, count);
    MUST(at, reduce_segments(at->context, op, in_type, from, n, segments, type, there, to));
    SAME(at, what, expected.data, to, count, size);
    for (size_t i = 0; i < gap * size; i++)
      ck_assert_msg(((unsigned char *)out.data)[i] == FENCE_BYTE, "%s wrote before its results", what);
    ck_assert_msg(array_intact(&out, (gap + count) * size), "%s wrote outside its results", what);
    MUST(at, iw_memory_free(at->context, there));
    array_free(&out);
  }
  array_free(&wide_in);
  array_free(&expected);
  array_free(&narrow);
  array_free(&offsets);
  array_free(&in);
}

/* _i: operator and type. */
START_TEST(small_sizes)
{
  static const size_t sizes[] = { 0, 1, 2, 31, 33, 64, 129, 300, 1000 };
  settings all = settings_open();
  start_random(2000 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int pattern = EMPTY; pattern <= ROWS; pattern += _i / TYPES < SEGMENT_OPS ? 1 : 2)
      check_by(&all, op_at((unsigned)(_i / TYPES)), all_types[_i % TYPES], all_types[_i % TYPES], sizes[i],
               (int)(i + (unsigned)pattern) % FLAVOURS, (int)(i / 2 + (unsigned)pattern) % 2, pattern, 0);
  settings_close(&all);
}
END_TEST

START_TEST(large_sizes)
{
  static const size_t sizes[] = { 5000, 19999, 65537, GROUP + 1, 3 * GROUP + TILE + 1 };
  settings all = settings_open();
  start_random(2100 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int pattern = TO_32 + (int)(i + (unsigned)_i) % 3; pattern < PATTERNS; pattern += _i / TYPES < SEGMENT_OPS ? 3 : 6)
      check_by(&all, op_at((unsigned)(_i / TYPES)), all_types[_i % TYPES], all_types[_i % TYPES], sizes[i],
               (int)((i + (unsigned)_i) % FLAVOURS), (int)(i + (unsigned)pattern / 2) % 2, pattern, 0);
  settings_close(&all);
}
END_TEST

START_TEST(by_row)
{
  static const size_t columns[] = { 1, 2, 7, 31, 32, 33, 64, 100, 127, 128, 129, 1000, TILE / 2, TILE / 2 + 1, 3001, TILE - 1, TILE, TILE + 1, 5000,
                                    GROUP, GROUP + 1 };
  settings all = settings_open();
  start_random(2200 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof columns / sizeof *columns; i++) {
    const size_t rows[] = { 1, 3, 40000 / columns[i] + 1 };
    for (unsigned r = 0; r < 3; r++)
      check_by(&all, r ? IW_SUM : op_at((unsigned)(i % OPS)), all_types[_i], all_types[_i], rows[r] * columns[i],
               (int)i % FLAVOURS, (int)i % 2, EMPTY, columns[i]);
  }
  settings_close(&all);
}
END_TEST

/* _i: the pair. */
START_TEST(wider)
{
  settings all = settings_open();
  start_random(2300 + (unsigned)_i);
  for (unsigned i = 0; i < 24; i++)
    check_by(&all, IW_SUM, wider_sums[_i].in, wider_sums[_i].sum, random_size(i < 12 ? 600 : i < 20 ? 20000 : 200000),
             (int)i % 3, (int)i / 3 % 2, (int)i % PATTERNS, 0);
  for (unsigned i = 0; i < 8; i++) {
    const size_t columns = random_size(9000);
    check_by(&all, IW_SUM, wider_sums[_i].in, wider_sums[_i].sum, columns * (1 + random_below(5)), (int)i % 3, (int)i % 2, EMPTY,
             columns + !columns);
  }
  settings_close(&all);
}
END_TEST

/* Columns: as segments of the transposed matrix. */
static void check_columns(settings *all, iw_op op, iw_type in_type, iw_type type, size_t rows, size_t columns,
                          int flavour, int with_init)
{
  if (in_type == type && !has_operation(op, type))
    return;
  const size_t n = rows * columns, in_size = iw_type_size(in_type), size = iw_type_size(type);
  const size_t shift = random_below(SHIFTS);
  array in = array_new(in_size, n + SHIFTS), transposed = array_new(in_size, n), offsets = array_new(8, columns + 1);
  array expected = array_new(size, columns);
  const char *const from = (char *)in.data + shift * in_size;
  word init = random_word(type, flavour == SPECIAL ? WIDE : flavour);
  const void *const given = with_init ? &init : NULL;
  char what[120];
  fill(in_type, in.data, n + SHIFTS, flavour);
  for (size_t c = 0; c <= columns; c++)
    ((uint64_t *)offsets.data)[c] = c * rows;
  for (size_t c = 0; c < columns; c++)
    for (size_t r = 0; r < rows; r++)
      memcpy((char *)transposed.data + (c * rows + r) * in_size, from + (r * columns + c) * in_size, in_size);
  array wide_in = widened(in_type, transposed.data, type, in_type == type ? 0 : n);
  reference_reductions(op, type, in_type == type ? transposed.data : wide_in.data, offsets.data, columns, given, expected.data);
  FOR_SETTINGS(at, all, n) {
    array out = array_new(size, columns);
    void *const there = copy_there(at, given, size);
    snprintf(what, sizeof what, "%s of %s in %s%s, %zu rows, %zu columns, %zu past", op_name(op), iw_type_name(in_type),
             iw_type_name(type), given ? ", init" : "", rows, columns, shift);
    MUST(at, reduce_segments(at->context, op, in_type, from, n, by_columns(columns), type, there, out.data));
    SAME(at, what, expected.data, out.data, columns, size);
    ck_assert_msg(array_intact(&out, columns * size), "%s wrote outside its results", what);
    MUST(at, iw_memory_free(at->context, there));
    array_free(&out);
  }
  array_free(&wide_in);
  array_free(&expected);
  array_free(&offsets);
  array_free(&transposed);
  array_free(&in);
}

/* _i: the type. */
START_TEST(by_column)
{
  static const size_t columns[] = { 1, 2, 3, 5, 11, 16, 17, 31, 32, 33, 64, 100, 1000 };
  static const size_t rows[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 127, 128, 129, 1000, TILE - 1, TILE, TILE + 1,
                                 3 * TILE + 200, GROUP + 5 }; /* a warp loads 4, 8 or 16 rows at a time */
  settings all = settings_open();
  start_random(3000 + (unsigned)_i);
  for (unsigned c = 0; c < sizeof columns / sizeof *columns; c++)
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
      if (rows[r] * columns[c] < 150000 && (rows[r] < 3000 || (c + r + (unsigned)_i) % 3 == 0))
        check_columns(&all, op_at((c + r) % OPS), all_types[_i], all_types[_i], rows[r], columns[c], (int)(c + r) % FLAVOURS,
                      (int)(c + r) / 2 % 2);
  settings_close(&all);
}
END_TEST

/* Sums in a wider type, and sizes of any kind. */
START_TEST(by_column_of_any)
{
  settings all = settings_open();
  start_random(3100);
  for (unsigned i = 0; i < 40; i++) {
    const unsigned pair = i % WIDER_SUMS;
    const size_t columns = random_size(i % 2 ? 40 : 400), rows = random_size(100000 / columns);
    check_columns(&all, IW_SUM, wider_sums[pair].in, wider_sums[pair].sum, rows, columns, (int)i % 3, (int)i / 3 % 2);
  }
  settings_close(&all);
}
END_TEST

/* More than 32 groups of tiles, which a block folds, and a number of them that is no multiple of
 * anything. */
START_TEST(many_groups)
{
  settings all = settings_open();
  start_random(2400 + (unsigned)_i);
  check_by(&all, op_at((unsigned)_i), IW_F32, IW_F32, 41 * GROUP + 3 * TILE + 77, WIDE, 1, SKEWED, 0);
  check_by(&all, op_at((unsigned)_i), IW_F32, IW_F32, 2 * (33 * GROUP + 5 * TILE + 11), WIDE, 0, EMPTY,
           33 * GROUP + 5 * TILE + 11);
  settings_close(&all);
}
END_TEST

/* The same on the simulated GPU, which takes no large inputs of the other tests. */
START_TEST(many_groups_simulated)
{
  enum { COLUMNS = 33 * GROUP + 5 * TILE + 11 };
  settings all = settings_open();
  uint8_t *const in = malloc(COLUMNS);
  uint32_t right = 0;
  start_random(2500);
  fill(IW_U8, in, COLUMNS, WIDE);
  for (size_t i = 0; i < COLUMNS; i++)
    right += in[i];
  for (setting *at = &all.at[all.cpus]; at < &all.at[all.count]; at++) {
    uint32_t found = 0;
    MUST(at, reduce_segments(at->context, IW_SUM, IW_U8, in, COLUMNS, by_rows(COLUMNS), IW_U32, NULL, &found));
    ck_assert_uint_eq(found, right);
  }
  free(in);
  settings_close(&all);
}
END_TEST

/* Segments of more than 32 tiles beside one of two tiles, which the last block of a GPU's launch folds: by
 * offsets, and as runs. Twice, as the block leaves the list of them to the next call. */
START_TEST(folded_by_last_block)
{
  enum { N = 3 * GROUP + 77, COUNT = 4 };
  static const uint64_t begins[COUNT + 1] = { 0, 5, GROUP + 9, 3 * GROUP - 4090, N };
  const iw_op op = op_at((unsigned)_i);
  settings all = settings_open();
  array in = array_new(4, N), keys = array_new(4, N);
  float expected[COUNT], found[COUNT];
  start_random(2700 + (unsigned)_i);
  fill(IW_F32, in.data, N, UNIT);
  for (unsigned k = 0; k < COUNT; k++)
    for (uint64_t i = begins[k]; i < begins[k + 1]; i++)
      ((uint32_t *)keys.data)[i] = k;
  reference_reductions(op, IW_F32, in.data, begins, COUNT, NULL, expected);
  for (setting *at = &all.at[all.cpus]; at < &all.at[all.count]; at++)
    for (unsigned round = 0; round < 4; round++) {
      size_t count = 0;
      if (round % 2)
        MUST(at, reduce_segments(at->context, op, IW_F32, in.data, N, by_offsets(IW_U64, begins, COUNT), IW_F32, NULL, found));
      else
        MUST(at, reduce_by_key(at->context, op, IW_F32, in.data, N, by_keys(IW_U32, keys.data), IW_F32, NULL, NULL, found, &count));
      ck_assert(round % 2 || count == COUNT);
      SAME(at, "segments of many tiles", expected, found, COUNT, sizeof *found);
    }
  array_free(&keys);
  array_free(&in);
  settings_close(&all);
}
END_TEST

/* Short segments that begin nearly 2^26 elements, and more, after the first one of their batch: indices of
 * a GPU's pieces have 26 bits. Many empty ones behind them make batches of 32. */
START_TEST(far_apart)
{
  enum { FAR = 1 << 26, N = FAR + 2000, COUNT_OF = 1 << 16, NOT_EMPTY = 9 };
  static const uint32_t first[NOT_EMPTY] = { 3, 13, FAR - 1200, FAR - 1020, FAR - 40, FAR + 300, FAR + 303, FAR + 304, FAR + 390 };
  settings all = settings_open();
  uint8_t *const in = malloc(N);
  uint32_t *const offsets = malloc((COUNT_OF + 1) * sizeof *offsets), *const found = malloc(COUNT_OF * sizeof *found);
  uint32_t *const right = calloc(COUNT_OF, sizeof *right);
  ck_assert(in && offsets && found && right);
  start_random(2600);
  fill(IW_U8, in, N, WIDE);
  for (unsigned k = 0; k <= COUNT_OF; k++)
    offsets[k] = k < NOT_EMPTY ? first[k] : N;
  for (unsigned k = 0; k < COUNT_OF; k++)
    for (uint32_t i = offsets[k]; i < offsets[k + 1]; i++)
      right[k] += in[i];
  for (setting *at = &all.at[all.cpus]; at < &all.at[all.count]; at++) {
    MUST(at, reduce_segments(at->context, IW_SUM, IW_U8, in, N, by_offsets(IW_U32, offsets, COUNT_OF), IW_U32, NULL, found));
    SAME(at, "segments far apart", right, found, COUNT_OF, sizeof *found);
  }
  free(right);
  free(found);
  free(offsets);
  free(in);
  settings_close(&all);
}
END_TEST

/* ---- Argmin and argmax ------------------------------------------------------------------------------ */

/* The first minimum and the first maximum of each segment, on each setting. offsets: of rows too, NULL if
 * they are columns. */
static void check_first(settings *all, iw_type type, const char *in, size_t n, iw_segments segments, const uint64_t *offsets,
                        size_t count)
{
  const size_t size = iw_type_size(type);
  char what[120];
  for (unsigned k = 1; k < SEGMENT_OPS; k++) {
    const iw_op op = op_at(k);
    array values = array_new(size, count), indices = array_new(sizeof(size_t), count), segment = array_new(size, n);
    for (size_t s = 0; s < count; s++) {
      const size_t length = offsets ? offsets[s + 1] - offsets[s] : n / count;
      word value = identity_of(op, type);
      for (size_t i = 0; i < length; i++)
        memcpy((char *)segment.data + i * size, in + (offsets ? offsets[s] + i : s + i * count) * size, size);
      ((size_t *)indices.data)[s] = length ? first_of(op, type, segment.data, length, &value) : 0;
      put(type, values.data, s, value);
    }
    FOR_SETTINGS(at, all, n) {
      array found = array_new(sizeof(size_t), count), found_values = array_new(size, count);
      const int wants_values = random_below(4) != 0;
      snprintf(what, sizeof what, "arg%s of %s, kind %d, %zu segments, n %zu", op_name(op), iw_type_name(type),
               (int)segments.kind, count, n);
      MUST(at, (op == IW_MIN ? iw_argmin : iw_argmax)(at->context, type, in, n, found.data, wants_values ? found_values.data : NULL,
                                                      IW_OPTIONS(iw_scan_options, .segments = &segments)));
      SAME(at, what, indices.data, found.data, count, sizeof(size_t));
      if (wants_values)
        SAME(at, what, values.data, found_values.data, count, size);
      ck_assert_msg(array_intact(&found, count * sizeof(size_t)) && array_intact(&found_values, wants_values ? count * size : 0),
                    "%s wrote outside its results", what);
      array_free(&found_values);
      array_free(&found);
    }
    array_free(&segment);
    array_free(&indices);
    array_free(&values);
  }
}

/* Few different values, so that each segment has its extremum several times. */
static void fill_alike(iw_type type, void *in, size_t n, int flavour)
{
  fill(type, in, n, flavour);
  for (size_t i = 0; i < n && flavour != UNIT; i++)
    if (random_below(4))
      memcpy((char *)in + i * iw_type_size(type), (char *)in + random_below(i + 1 < 9 ? i + 1 : 9) * iw_type_size(type),
             iw_type_size(type));
}

static void check_first_by(settings *all, iw_type type, size_t n, int flavour, int pattern)
{
  const size_t size = iw_type_size(type), shift = random_below(SHIFTS), most = n / 2 + 70;
  array in = array_new(size, n + SHIFTS), offsets = array_new(8, most + 1), narrow = array_new(4, most + 1);
  fill_alike(type, in.data, n + SHIFTS, flavour);
  const size_t count = make_offsets(pattern, n, offsets.data, most);
  for (size_t k = 0; k <= count; k++)
    ((uint32_t *)narrow.data)[k] = (uint32_t)((uint64_t *)offsets.data)[k];
  const int wide = (int)random_below(2);
  check_first(all, type, (char *)in.data + shift * size, n,
              by_offsets(wide ? IW_U64 : IW_U32, wide ? offsets.data : narrow.data, count), offsets.data, count);
  array_free(&narrow);
  array_free(&offsets);
  array_free(&in);
}

static void check_first_of_matrix(settings *all, iw_type type, size_t rows, size_t columns, int flavour)
{
  const size_t size = iw_type_size(type), n = rows * columns, shift = random_below(SHIFTS);
  array in = array_new(size, n + SHIFTS), offsets = array_new(8, rows + 1);
  fill_alike(type, in.data, n + SHIFTS, flavour);
  for (size_t k = 0; k <= rows; k++)
    ((uint64_t *)offsets.data)[k] = k * columns;
  check_first(all, type, (char *)in.data + shift * size, n, by_columns(columns), NULL, columns);
  check_first(all, type, (char *)in.data + shift * size, n, by_rows(columns), offsets.data, rows);
  array_free(&offsets);
  array_free(&in);
}

/* _i: the type. */
START_TEST(first_by_offsets)
{
  static const size_t sizes[] = { 0, 1, 31, 33, 64, 300, 1000, 19999, 65537, GROUP + 1 };
  settings all = settings_open();
  start_random(3200 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int pattern = EMPTY + (int)(i + (unsigned)_i) % 3; pattern < PATTERNS; pattern += sizes[i] < 5000 ? 3 : 6)
      check_first_by(&all, all_types[_i], sizes[i], (int)(i + (unsigned)pattern + (unsigned)_i) % FLAVOURS, pattern);
  settings_close(&all);
}
END_TEST

START_TEST(first_in_matrices)
{
  static const size_t columns[] = { 1, 2, 7, 31, 32, 33, 100, 300 };
  static const size_t rows[] = { 0, 1, 2, 15, 17, 127, 129, TILE - 1, TILE, TILE + 1, 3 * TILE + 200, GROUP + 5 };
  settings all = settings_open();
  start_random(3300 + (unsigned)_i);
  for (unsigned c = 0; c < sizeof columns / sizeof *columns; c++)
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
      if (rows[r] * columns[c] < 150000 && (r + c + (unsigned)_i) % (rows[r] < 3000 ? 2 : 4) == 0) {
        check_first_of_matrix(&all, all_types[_i], rows[r], columns[c], (int)(c + r) % FLAVOURS);
        check_first_of_matrix(&all, all_types[_i], columns[c], rows[r] + !rows[r], (int)(c + r + 1) % FLAVOURS);
      }
  settings_close(&all);
}
END_TEST

/* More tiles than a warp looks at together, the extremum twice behind most of them; and nothing but what
 * stands for an absent element. */
START_TEST(first_of_many_tiles)
{
  enum { N = 9 * GROUP + 77 };
  settings all = settings_open();
  start_random(3400);
  array in = array_new(4, N);
  uint64_t offsets[] = { 0, N };
  int32_t *const x = in.data;
  fill(IW_I32, x, N, UNIT);
  x[7 * GROUP + 5] = x[8 * GROUP + 1000] = INT32_MIN;
  x[8 * GROUP + 999] = x[N - 1] = INT32_MAX;
  check_first(&all, IW_I32, in.data, N, by_rows(N), offsets, 1);
  for (size_t i = 0; i < N; i++)
    x[i] = INT32_MAX;
  check_first(&all, IW_I32, in.data, N, by_rows(N), offsets, 1);
  check_first(&all, IW_I32, in.data, GROUP, by_columns(64), NULL, 64);
  array_free(&in);
  settings_close(&all);
}
END_TEST

/* By hand, NaN and zeros of both signs; indices count from the beginning of the segment on. */
START_TEST(first_by_hand)
{
  static const float in[] = { 3, 1, 2, 1, NAN, 0.0f, -0.0f, -INFINITY };
  static const uint32_t offsets[] = { 0, 4, 4, 7, 8 };
  const iw_segments segments = by_offsets(IW_U32, offsets, 4), rows = by_rows(4), columns = by_columns(4);
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 8) {
    size_t indices[4];
    word values[4];
    float *const v = (float *)values;
    MUST(at, iw_argmin(at->context, IW_F32, in, 8, indices, v, IW_OPTIONS(iw_scan_options, .segments = &segments)));
    ck_assert(indices[0] == 1 && indices[1] == 0 && indices[2] == 0 && indices[3] == 0);
    ck_assert(v[0] == 1 && v[1] == INFINITY && isnan(v[2]) && v[3] == -INFINITY);
    MUST(at, iw_argmin(at->context, IW_F32, in, 8, indices, v, IW_OPTIONS(iw_scan_options, .segments = &columns)));
    ck_assert(indices[0] == 1 && indices[1] == 1 && indices[2] == 1 && indices[3] == 1);
    ck_assert(isnan(v[0]) && v[1] == 0 && v[2] == 0 && v[3] == -INFINITY);
    MUST(at, iw_argmax(at->context, IW_F32, in, 8, indices, NULL, IW_OPTIONS(iw_scan_options, .segments = &rows)));
    ck_assert(indices[0] == 0 && indices[1] == 0);
    MUST(at, iw_argmin(at->context, IW_F32, in + 4, 4, indices, NULL,
                       IW_OPTIONS(iw_scan_options, .segments = &rows)));
    ck_assert(indices[0] == 0);
    const iw_segments last_three = by_rows(2);
    MUST(at, iw_argmin(at->context, IW_F32, in + 5, 2, indices, NULL,
                       IW_OPTIONS(iw_scan_options, .segments = &last_three)));
    ck_assert(indices[0] == 1);
  }
  settings_close(&all);
}
END_TEST

/* By hand. The sum of a segment does not depend on where it lies: in[1] … in[3] and in[5] … in[7] are
 * equal. */
START_TEST(numbers_by_hand)
{
  static const float in[] = { INFINITY, 1, 2, 4, NAN, 1, 2, 4, -0.0f };
  static const uint32_t offsets[] = { 1, 4, 4, 5, 8, 9 }, half[] = { 0, 0, 3 };
  static const int32_t least[] = { 5, -7, 3 }, three = 3;
  static const uint8_t bytes[] = { 255, 255, 255, 1 };
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 8) {
    float sums[5], zero = 0;
    uint32_t wide_sums[2];
    int32_t minima[2];
    MUST(at, reduce_segments(at->context, IW_SUM, IW_F32, in, 9, by_offsets(IW_U32, offsets, 5), IW_F32, NULL, sums));
    ck_assert(sums[0] == 7 && !memcmp(&sums[1], &zero, 4) && sums[2] != sums[2] && sums[3] == 7);
    ck_assert(sums[4] == 0 && signbit(sums[4])); /* as iw_reduce: the sum of one -0 */
    MUST(at, reduce_segments(at->context, IW_MIN, IW_I32, least, 3, by_offsets(IW_U32, half, 2), IW_I32, &three, minima));
    ck_assert(minima[0] == 3 && minima[1] == -7);
    MUST(at, reduce_segments(at->context, IW_SUM, IW_U8, bytes, 4, by_rows(2), IW_U32, NULL, wide_sums));
    ck_assert(wide_sums[0] == 510 && wide_sums[1] == 256);
  }
  settings_close(&all);
}
END_TEST

/* ---- By key ----------------------------------------------------------------------------------------- */

enum { BY_FLAGS = IW_BF16 + 1 }; /* behind the types of keys */

/* Makes the keys or flags of runs with lengths of a pattern, without empty ones. keys_of: an iw_type, or
 * BY_FLAGS. Returns the number of runs; places: where they begin, and n; firsts: their keys. */
static size_t make_runs(int pattern, size_t n, unsigned keys_of, char *keys, uint64_t *places, char *firsts)
{
  const size_t key_size = keys_of == BY_FLAGS ? 1 : iw_type_size((iw_type)keys_of);
  size_t count = 0;
  for (size_t at = 0; at < n; count++) {
    size_t length = next_length(pattern, count, n);
    length = length < 1 ? 1 : length > n - at ? n - at : length;
    places[count] = at;
    uint64_t key = random_below(4) ? count : random_bits(); /* any bits: also those of a NaN and of both zeros */
    if (count && !memcmp(&key, keys + (at - 1) * key_size, key_size))
      key ^= 1;
    for (size_t i = at; i < at + length; i++)
      if (keys_of == BY_FLAGS)
        keys[i] = (char)(i == at && (at || random_below(2)) ? 1 + random_below(255) : 0);
      else
        memcpy(keys + i * key_size, &key, key_size);
    memcpy(firsts + count * key_size, &key, key_size);
    at += length;
  }
  places[count] = n;
  return count;
}

/* One call on each setting. keys_of: an iw_type, or BY_FLAGS. The count goes to host memory, and the
 * outputs have room for the runs; or where there is a device, to its memory, and they have room for n. */
static void check_by_key(settings *all, iw_op op, iw_type in_type, iw_type type, size_t n, int flavour, int with_init,
                         int pattern, unsigned keys_of)
{
  if (in_type == type && !has_operation(op, type))
    return;
  const iw_type key_type = keys_of == BY_FLAGS ? IW_U8 : (iw_type)keys_of;
  const size_t in_size = iw_type_size(in_type), size = iw_type_size(type), key_size = iw_type_size(key_type);
  const size_t shift = random_below(SHIFTS);
  array in = array_new(in_size, n + SHIFTS), begins = array_new(8, n + 1), keys = array_new(key_size, n + SHIFTS);
  array firsts = array_new(key_size, n);
  uint64_t *const places = begins.data;
  const void *const from = (char *)in.data + shift * in_size;
  char *const key_at = (char *)keys.data + random_below(SHIFTS) * key_size;
  word init = random_word(type, flavour == SPECIAL ? WIDE : flavour);
  const void *const given = with_init ? &init : NULL;
  char what[120];
  fill(in_type, in.data, n + SHIFTS, flavour);
  const size_t count = make_runs(pattern, n, keys_of, key_at, places, firsts.data);
  array expected = array_new(size, count), wide_in = widened(in_type, from, type, in_type == type ? 0 : n);
  reference_reductions(op, type, in_type == type ? from : wide_in.data, places, count, given, expected.data);
  const iw_segments runs = keys_of == BY_FLAGS ? by_flags((const uint8_t *)key_at) : by_keys(key_type, key_at);
  FOR_SETTINGS(at, all, n) {
    const int on_device = at >= &all->at[all->cpus] && random_below(2), wants_keys = keys_of != BY_FLAGS && random_below(4);
    const int outputs_there = on_device && random_below(2); /* then the host never needs the count */
    const size_t room = on_device ? n : count;
    array out = array_new(size, room), unique = array_new(key_size, wants_keys ? room : 0);
    void *const out_there = outputs_there ? copy_there(at, out.data, room * size) : out.data;
    void *const unique_there = outputs_there && wants_keys ? copy_there(at, unique.data, room * key_size) : unique.data;
    size_t found = SIZE_MAX, *count_there = on_device ? copy_there(at, &found, sizeof found) : &found;
    void *const init_there = copy_there(at, given, size);
    snprintf(what, sizeof what, "%s of %s in %s%s by %s, pattern %d, n %zu, %zu past%s", op_name(op),
             iw_type_name(in_type), iw_type_name(type), given ? ", init" : "",
             keys_of == BY_FLAGS ? "flags" : iw_type_name(key_type), pattern, n, shift,
             outputs_there ? ", outputs there" : on_device ? ", count there" : "");
    MUST(at, reduce_by_key(at->context, op, in_type, from, n, runs, type, init_there,
                           wants_keys ? unique_there : NULL, out_there, count_there));
    if (on_device)
      MUST(at, iw_memory_copy(at->context, &found, count_there, sizeof found));
    if (outputs_there) {
      MUST(at, iw_memory_copy(at->context, out.data, out_there, room * size));
      MUST(at, iw_memory_copy(at->context, unique.data, unique_there, wants_keys ? room * key_size : 0));
      MUST(at, iw_memory_free(at->context, out_there));
      MUST(at, iw_memory_free(at->context, wants_keys ? unique_there : NULL));
    }
    ck_assert_msg(found == count, "%s: %zu runs, not %zu (%s)", what, found, count, shape(at).s);
    SAME(at, what, expected.data, out.data, count, size);
    if (wants_keys)
      SAME(at, what, firsts.data, unique.data, count, key_size);
    ck_assert_msg(array_intact(&out, room * size) && array_intact(&unique, wants_keys ? room * key_size : 0),
                  "%s wrote outside its results", what);
    if (on_device)
      MUST(at, iw_memory_free(at->context, count_there));
    MUST(at, iw_memory_free(at->context, init_there));
    array_free(&out);
    array_free(&unique);
  }
  array_free(&wide_in);
  array_free(&expected);
  array_free(&firsts);
  array_free(&keys);
  array_free(&begins);
  array_free(&in);
}

/* _i: what finds runs. */
START_TEST(by_key_sizes)
{
  static const size_t sizes[] = { 0, 1, 2, 31, 33, 64, 129, 1000, TILE + 1, 20000, GROUP + 3 };
  settings all = settings_open();
  start_random(2800 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int pattern = ONES + (int)i % 2; pattern < PATTERNS; pattern += sizes[i] > 5000 ? 4 : 2) {
      const iw_type type = all_types[(i + (unsigned)pattern + (unsigned)_i) % TYPES];
      check_by_key(&all, op_at((i + (unsigned)_i) % OPS), type, type, sizes[i], (int)(i + (unsigned)pattern) % FLAVOURS,
                   (int)(i + (unsigned)pattern / 2) % 2, pattern, (unsigned)_i);
    }
  settings_close(&all);
}
END_TEST

/* _i: the pattern. Sizes around the tiles of the single pass of GPUs, which have 16 KiB, and more than a
 * group of tiles. */
START_TEST(by_key_in_tiles)
{
  static const size_t sizes[] = { TILE / 2 - 1, TILE / 2, TILE / 2 + 1, TILE - 1, TILE, TILE + 1, 2 * TILE + 5, 40000, GROUP + TILE + 7 };
  settings all = settings_open();
  start_random(3000 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const iw_type type = all_types[(2 * i + 3 * (unsigned)_i) % TYPES];
    check_by_key(&all, op_at((i + (unsigned)_i) % OPS), type, type, sizes[i], (int)(i + (unsigned)_i) % FLAVOURS, (int)i % 2, _i,
                 1 + (unsigned)random_below(BY_FLAGS));
    check_by_key(&all, IW_SUM, IW_F32, IW_F32, sizes[i], (int)i % FLAVOURS, (int)(i + 1) % 2, _i, IW_U32);
  }
  settings_close(&all);
}
END_TEST

/* Arrays of one launch on GPUs, whose blocks wait for others that begin late, and then read their tiles
 * (sim_open_waiting): tiles of 512 elements and longer ones, runs across tiles, and across groups of tiles of
 * order 1. */
START_TEST(by_key_waiting)
{
  static const size_t sizes[] = { 1, 511, 513, 3000, TILE + 1, 20000, 70001, GROUP + TILE + 7 };
  if (getenv("ISOWARP_TEST_NO_SIM"))
    return;
  settings all = { .count = 0 };
  sim_open_waiting(&all, (unsigned)_i);
  start_random(3050 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const unsigned turn = i + (unsigned)_i;
    const iw_type type = turn % 3 ? IW_F32 : all_types[(turn / 3) % TYPES];
    check_by_key(&all, turn % 3 ? IW_SUM : op_at(turn / 3 % OPS), type, type, sizes[i], (int)turn % FLAVOURS, (int)turn % 2,
                 (int)(turn * 5 / 3) % RUN_PATTERNS, 1 + (unsigned)random_below(BY_FLAGS));
  }
  sim_close_waiting(&all);
}
END_TEST

/* Sums in a wider type, and many calls on one context. */
START_TEST(by_key_of_any)
{
  settings all = settings_open();
  start_random(2900 + (unsigned)_i);
  for (unsigned round = 0; round < 12; round++) {
    const unsigned pair = (unsigned)random_below(WIDER_SUMS);
    const size_t n = round % 3 ? 300 + random_size(100000) : 1 + random_size(299);
    check_by_key(&all, IW_SUM, wider_sums[pair].in, wider_sums[pair].sum, n, (int)random_below(3), (int)random_below(2),
                 (int)random_below(RUN_PATTERNS), 1 + (unsigned)random_below(BY_FLAGS));
  }
  settings_close(&all);
}
END_TEST

/* The first minimum and the first maximum of each run, on each setting; as check_by_key(). */
static void check_first_by_key(settings *all, iw_type type, size_t n, int flavour, int pattern, unsigned keys_of)
{
  const iw_type key_type = keys_of == BY_FLAGS ? IW_U8 : (iw_type)keys_of;
  const size_t size = iw_type_size(type), key_size = iw_type_size(key_type), shift = random_below(SHIFTS);
  array in = array_new(size, n + SHIFTS), begins = array_new(8, n + 1), keys = array_new(key_size, n + SHIFTS);
  array firsts = array_new(key_size, n);
  const uint64_t *const places = begins.data;
  const char *const from = (char *)in.data + shift * size;
  char *const key_at = (char *)keys.data + shift * key_size;
  fill_alike(type, in.data, n + SHIFTS, flavour);
  const size_t count = make_runs(pattern, n, keys_of, key_at, begins.data, firsts.data);
  const iw_segments runs = keys_of == BY_FLAGS ? by_flags((const uint8_t *)key_at) : by_keys(key_type, key_at);
  char what[120];
  for (unsigned k = 1; k < SEGMENT_OPS; k++) {
    const iw_op op = op_at(k);
    array values = array_new(size, count), indices = array_new(sizeof(size_t), count);
    for (size_t s = 0; s < count; s++) {
      word value;
      ((size_t *)indices.data)[s] = first_of(op, type, from + places[s] * size, places[s + 1] - places[s], &value);
      put(type, values.data, s, value);
    }
    FOR_SETTINGS(at, all, n) {
      const int on_device = at >= &all->at[all->cpus] && random_below(2), wants_values = random_below(4) != 0;
      const size_t room = on_device ? n : count, key_room = keys_of != BY_FLAGS && random_below(4) ? room : 0;
      array found = array_new(sizeof(size_t), room), found_values = array_new(size, room), unique = array_new(key_size, key_room);
      size_t runs_found = SIZE_MAX, *count_there = on_device ? copy_there(at, &runs_found, sizeof runs_found) : &runs_found;
      snprintf(what, sizeof what, "arg%s of %s by %s, pattern %d, n %zu%s", op_name(op), iw_type_name(type),
               keys_of == BY_FLAGS ? "flags" : iw_type_name(key_type), pattern, n, on_device ? ", count there" : "");
      MUST(at, (op == IW_MIN ? iw_argmin : iw_argmax)(
        at->context, type, from, n, found.data, wants_values ? found_values.data : NULL,
        IW_OPTIONS(iw_scan_options, .segments = &runs, .run_keys = key_room ? unique.data : NULL, .run_count = count_there)));
      if (on_device)
        MUST(at, iw_memory_copy(at->context, &runs_found, count_there, sizeof runs_found));
      ck_assert_msg(runs_found == count, "%s: %zu runs, not %zu (%s)", what, runs_found, count, shape(at).s);
      SAME(at, what, indices.data, found.data, count, sizeof(size_t));
      if (wants_values)
        SAME(at, what, values.data, found_values.data, count, size);
      if (key_room)
        SAME(at, what, firsts.data, unique.data, count, key_size);
      ck_assert_msg(array_intact(&found, room * sizeof(size_t)) && array_intact(&found_values, wants_values ? room * size : 0),
                    "%s wrote outside its results", what);
      if (on_device)
        MUST(at, iw_memory_free(at->context, count_there));
      array_free(&unique);
      array_free(&found_values);
      array_free(&found);
    }
    array_free(&indices);
    array_free(&values);
  }
  array_free(&firsts);
  array_free(&keys);
  array_free(&begins);
  array_free(&in);
}

/* _i: the type of elements. */
START_TEST(first_by_key)
{
  static const size_t sizes[] = { 0, 1, 2, 33, 129, 1000, TILE + 1, 20000, GROUP + 3 };
  settings all = settings_open();
  start_random(3100 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int pattern = ONES + (int)(i + (unsigned)_i) % 4; pattern < RUN_PATTERNS; pattern += sizes[i] > 5000 ? 8 : 4)
      check_first_by_key(&all, all_types[_i], sizes[i], (int)(i + (unsigned)pattern) % FLAVOURS, pattern,
                         1 + (unsigned)(pattern + 3 * _i) % BY_FLAGS);
  settings_close(&all);
}
END_TEST

/* By hand: the run of the key 7 stands twice, and flags may leave out element 0. */
START_TEST(keys_by_hand)
{
  static const int32_t in[] = { 1, 2, 3, 4, 5, 6 }, init = 100;
  static const uint16_t keys[] = { 7, 7, 9, 7, 7, 7 };
  static const uint8_t flags[] = { 0, 0, 0, 1, 1, 0 };
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 8) {
    int32_t sums[3];
    uint16_t unique[3];
    size_t count = 0;
    MUST(at, reduce_by_key(at->context, IW_SUM, IW_I32, in, 6, by_keys(IW_U16, keys), IW_I32, &init, unique, sums, &count));
    ck_assert(count == 3 && sums[0] == 103 && sums[1] == 103 && sums[2] == 115);
    ck_assert(unique[0] == 7 && unique[1] == 9 && unique[2] == 7);
    MUST(at, reduce_by_key(at->context, IW_MAX, IW_I32, in, 6, by_flags(flags), IW_I32, NULL, NULL, sums, &count));
    ck_assert(count == 3 && sums[0] == 3 && sums[1] == 4 && sums[2] == 6);
    static const int32_t several[] = { 5, 2, 2, 8, 9, 9 };
    const iw_segments runs = by_keys(IW_U16, keys);
    size_t places[3];
    MUST(at, iw_argmin(at->context, IW_I32, several, 6, places, sums,
                       IW_OPTIONS(iw_scan_options, .segments = &runs, .run_keys = unique, .run_count = &count)));
    ck_assert(count == 3 && places[0] == 1 && places[1] == 0 && places[2] == 0 && sums[0] == 2 && sums[1] == 2 && sums[2] == 8);
    MUST(at, iw_argmax(at->context, IW_I32, several, 6, places, NULL,
                       IW_OPTIONS(iw_scan_options, .segments = &runs, .run_count = &count)));
    ck_assert(count == 3 && places[0] == 0 && places[1] == 0 && places[2] == 1);
    MUST(at, iw_argmax(at->context, IW_I32, NULL, 0, NULL, NULL,
                       IW_OPTIONS(iw_scan_options, .segments = &runs, .run_count = &count)));
    ck_assert(count == 0);
    MUST(at, reduce_by_key(at->context, IW_SUM, IW_I32, NULL, 0, by_keys(IW_U16, NULL), IW_I32, NULL, NULL, NULL, &count));
    ck_assert(count == 0);
  }
  settings_close(&all);
}
END_TEST

#define REFUSES(at, status, words, call) do { \
  ck_assert_msg((call) == (status), "%s is not refused by that (%s)", #call, shape(at).s); \
  ck_assert_msg(strstr(iw_message(), words) != NULL, "%s says \"%s\"", #call, iw_message()); } while (0)

START_TEST(refused)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    float in[8] = { 1 }, out[8] = { 42 };
    const uint32_t falling[] = { 0, 5, 4, 8 }, beyond[] = { 0, 9 }, fine[] = { 0, 3, 8 };
    const uint64_t wide_falling[] = { 7, 6 }, wide_beyond[] = { 0, (uint64_t)1 << 40 };
    const uint8_t flags[8] = { 0 };
#define REFUSED_REDUCTION(status, words, ...) \
    REFUSES(at, status, words, reduce_segments(c, IW_SUM, IW_F32, in, 8, __VA_ARGS__, IW_F32, NULL, out))
    REFUSED_REDUCTION(IW_ERROR_INVALID, "offsets[2] is 4, which is less than segments->offsets[1], which is 5", by_offsets(IW_U32, falling, 3));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "offsets[1] is 9, which is more than n, which is 8", by_offsets(IW_U32, beyond, 1));
    MUST(at, reduce_segments(c, IW_SUM, IW_F32, in, 8, by_offsets(IW_U32, &beyond[1], 0), IW_F32, NULL, out)); /* not read */
    REFUSED_REDUCTION(IW_ERROR_INVALID, "offsets[1] is 6", by_offsets(IW_U64, wide_falling, 1));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "offsets[1] is 1099511627776", by_offsets(IW_U64, wide_beyond, 1));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "segments->offset_type is i32", by_offsets(IW_I32, fine, 2));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "offset_type", by_offsets((iw_type)17, fine, 2));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "offsets is NULL", by_offsets(IW_U32, NULL, 2));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "aligned", by_offsets(IW_U64, (const char *)fine + 4 * !((uintptr_t)fine & 7), 1));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "count", by_offsets(IW_U32, fine, SIZE_MAX));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "elements", by_offsets(IW_U32, fine, SIZE_MAX / 4));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "run_count is NULL: segments by keys and flags are runs", by_flags(flags));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "run_count is NULL: segments by keys and flags are runs", by_keys(IW_U32, fine));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "columns", by_rows(3));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "columns", by_rows(0));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "columns", by_columns(3));
    REFUSED_REDUCTION(IW_ERROR_INVALID, "columns", by_columns(0));
    REFUSED_REDUCTION(IW_ERROR_OVERLAP, "offsets", by_offsets(IW_U32, out + 1, 2));
    iw_segments other = by_offsets(IW_U32, fine, 2);
    other.kind = (iw_segments_kind)5;
    REFUSED_REDUCTION(IW_ERROR_INVALID, "kind", other);
    other = by_rows(4);
    other.size = 3;
    REFUSED_REDUCTION(IW_ERROR_INVALID, "size", other);
    REFUSES(at, IW_ERROR_OVERLAP, "in", reduce_segments(c, IW_SUM, IW_F32, in, 8, by_rows(4), IW_F32, NULL, in + 7));
    REFUSES(at, IW_ERROR_OVERLAP, "init", reduce_segments(c, IW_SUM, IW_F32, in, 8, by_rows(4), IW_F32, out + 1, out));
    REFUSES(at, IW_ERROR_INVALID, "result", reduce_segments(c, IW_SUM, IW_F32, in, 8, by_rows(4), IW_F32, NULL, NULL));
    REFUSES(at, IW_ERROR_INVALID, "in", reduce_segments(c, IW_SUM, IW_F32, NULL, 8, by_rows(4), IW_F32, NULL, out));
    REFUSES(at, IW_ERROR_INVALID, "u32 in u64", reduce_segments(c, IW_MIN, IW_F32, in, 8, by_rows(4), IW_F64, NULL, out));
    REFUSES(at, IW_ERROR_INVALID, "op", reduce_segments(c, (iw_op)9, IW_F32, in, 8, by_rows(4), IW_F32, NULL, out));
    ck_assert(out[0] == 42);
    MUST(at, reduce_segments(c, IW_SUM, IW_F32, NULL, 0, by_rows(0), IW_F32, NULL, NULL));
    MUST(at, reduce_segments(c, IW_SUM, IW_F32, NULL, 0, by_rows(9), IW_F32, NULL, NULL));
    MUST(at, reduce_segments(c, IW_SUM, IW_F32, NULL, 0, by_columns(0), IW_F32, NULL, NULL));
    MUST(at, reduce_segments(c, IW_SUM, IW_F32, in, 8, by_offsets(IW_U32, NULL, 0), IW_F32, NULL, NULL));
  }
  settings_close(&all);
}
END_TEST

static iw_status argmin_segments(iw_context *c, iw_type type, const iw_segments *segments, const void *in, size_t n, size_t *indices,
                                 void *values)
{
  return iw_argmin(c, type, in, n, indices, values, IW_OPTIONS(iw_scan_options, .segments = segments));
}
static iw_status argmax_runs(iw_context *c, iw_type type, const iw_segments *segments, const void *in, size_t n, void *run_keys,
                             size_t *indices, void *values, size_t *count)
{
  return iw_argmax(c, type, in, n, indices, values,
                   IW_OPTIONS(iw_scan_options, .segments = segments, .run_keys = run_keys, .run_count = count));
}

START_TEST(first_refused)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    float in[8] = { 1 }, values[8] = { 42 };
    size_t indices[8] = { 43 };
    const uint32_t falling[] = { 0, 5, 4, 8 };
    const uint8_t flags[8] = { 0 };
    const iw_segments rows = by_rows(4), wrong = by_offsets(IW_U32, falling, 3), flagged = by_flags(flags), odd = by_columns(3);
#define REFUSED_FIRST(status, words, ...) REFUSES(at, status, words, argmin_segments(c, __VA_ARGS__))
    REFUSED_FIRST(IW_ERROR_INVALID, "is not an iw_type", (iw_type)(SCANNED_TYPES + 1), &rows, in, 8, indices, values);
    REFUSED_FIRST(IW_ERROR_INVALID, "offsets[2] is 4", IW_F32, &wrong, in, 8, indices, values);
    REFUSED_FIRST(IW_ERROR_INVALID, "run_count is NULL", IW_F32, &flagged, in, 8, indices, values);
    REFUSED_FIRST(IW_ERROR_INVALID, "columns", IW_F32, &odd, in, 8, indices, values);
    REFUSED_FIRST(IW_ERROR_INVALID, "indices is NULL", IW_F32, &rows, in, 8, NULL, values);
    REFUSED_FIRST(IW_ERROR_INVALID, "in is NULL", IW_F32, &rows, NULL, 8, indices, values);
    REFUSED_FIRST(IW_ERROR_INVALID, "indices", IW_F32, &rows, in, 8, (size_t *)(void *)((char *)indices + 4), values);
    REFUSED_FIRST(IW_ERROR_OVERLAP, "values", IW_F32, &rows, in, 8, indices, indices + 1);
    REFUSED_FIRST(IW_ERROR_OVERLAP, "in", IW_F32, &rows, in, 8, indices, in + 7);
    REFUSED_FIRST(IW_ERROR_OVERLAP, "in", IW_F64, &rows, indices, 8, indices + 7, NULL);
    ck_assert(values[0] == 42 && indices[0] == 43);
    MUST(at, iw_argmin(c, IW_F32, NULL, 0, NULL, NULL, IW_OPTIONS(iw_scan_options, .segments = &rows)));
  }
  settings_close(&all);
}
END_TEST

START_TEST(keys_refused)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    float in[8] = { 1 }, out[8] = { 42 };
    uint32_t keys[8] = { 1, 2, 3, 3, 3, 3, 3, 3 }, unique[8] = { 43 };
    const uint8_t flags[8] = { 0 };
    size_t count = 44;
#define REFUSED_KEYS(status, words, runs, unique, out, count) \
    REFUSES(at, status, words, reduce_by_key(c, IW_SUM, IW_F32, in, 8, runs, IW_F32, NULL, unique, out, count))
    REFUSED_KEYS(IW_ERROR_INVALID, "run_keys is", by_rows(4), unique, out, &count);
    REFUSED_KEYS(IW_ERROR_INVALID, "segments of this kind have no runs", by_offsets(IW_U32, keys, 2), NULL, out, &count);
    REFUSED_KEYS(IW_ERROR_INVALID, "run_keys", by_flags(flags), unique, out, &count);
    REFUSED_KEYS(IW_ERROR_INVALID, "keys is NULL", by_keys(IW_U32, NULL), unique, out, &count);
    REFUSED_KEYS(IW_ERROR_INVALID, "flags is NULL", by_flags(NULL), NULL, out, &count);
    REFUSED_KEYS(IW_ERROR_INVALID, "segments->key_type", by_keys((iw_type)(SCANNED_TYPES + 1), keys), unique, out, &count);
    REFUSED_KEYS(IW_ERROR_INVALID, "results is NULL", by_keys(IW_U32, keys), unique, NULL, &count);
    REFUSED_KEYS(IW_ERROR_INVALID, "count is NULL", by_keys(IW_U32, keys), unique, out, NULL);
    REFUSED_KEYS(IW_ERROR_OVERLAP, "run_keys", by_keys(IW_U32, keys), out + 2, out, &count);
    REFUSED_KEYS(IW_ERROR_OVERLAP, "in", by_keys(IW_U32, keys), unique, in + 7, &count);
    REFUSED_KEYS(IW_ERROR_OVERLAP, "keys", by_keys(IW_U32, keys), keys, out, &count);
    REFUSED_KEYS(IW_ERROR_OVERLAP, "count", by_keys(IW_U32, keys), &count, out, &count);
    REFUSED_KEYS(IW_ERROR_OVERLAP, "count", by_keys(IW_U64, &count), unique, out, &count);
    REFUSES(at, IW_ERROR_OVERLAP, "init",
            reduce_by_key(c, IW_SUM, IW_F32, in, 8, by_keys(IW_U32, keys), IW_F32, out, unique, out, &count));
    REFUSES(at, IW_ERROR_INVALID, "calls without segments have no runs",
            reduce_by_key_with(c, &(scan_arguments){ .op = IW_SUM, .in_type = IW_F32, .type = IW_F32 },
                             in, 8, unique, out, &count));
    const iw_segments runs = by_keys(IW_U32, keys), rows = by_rows(4);
    size_t indices[8];
#define REFUSED_FIRST_KEYS(status, words, ...) REFUSES(at, status, words, argmax_runs(c, __VA_ARGS__))
    REFUSED_FIRST_KEYS(IW_ERROR_INVALID, "is not an iw_type", (iw_type)(SCANNED_TYPES + 1), &runs, in, 8, unique, indices, out, &count);
    REFUSED_FIRST_KEYS(IW_ERROR_INVALID, "have no runs", IW_F32, &rows, in, 8, unique, indices, out, &count);
    REFUSED_FIRST_KEYS(IW_ERROR_INVALID, "indices is NULL", IW_F32, &runs, in, 8, unique, NULL, out, &count);
    REFUSED_FIRST_KEYS(IW_ERROR_OVERLAP, "indices", IW_F32, &runs, in, 8, unique, indices, indices + 1, &count);
    REFUSED_FIRST_KEYS(IW_ERROR_OVERLAP, "in", IW_F32, &runs, in, 8, unique, indices, in + 1, &count);
    ck_assert(out[0] == 42 && unique[0] == 43 && count == 44);
    /* Outputs that would overlap if all eight keys were different. */
    MUST(at, reduce_by_key(c, IW_SUM, IW_F32, in, 8, by_keys(IW_U32, keys), IW_F32, NULL, out + 3, out, &count));
    ck_assert(count == 3 && out[0] == 1);
  }
  settings_close(&all);
}
END_TEST

/* Offsets in device memory are not checked. Whatever they are, the simulated GPU finds no access outside. */
/* Of all bits of the narrow types, and of a sample of the others: -0 is +0, a NaN the canonical one, and
 * nothing else changes. */
START_TEST(keys_by_value)
{
  enum { N = 1 << 16 };
  const iw_type type = (iw_type)_i;
  const size_t size = iw_type_size(type);
  settings all = settings_open();
  array in = array_new(size, N), right = array_new(size, N);
  start_random(8100 + (unsigned)_i);
  for (size_t i = 0; i < N; i++) {
    word w = size <= 2 ? (word){ .u64 = i } : random_word(type, (int)random_below(FLAVOURS));
    put(type, in.data, i, w);
    const double x = is_float(type) ? real_of(type, in.data, i) : 1;
    if (x == 0)
      w.u64 = 0;
    else if (isnan(x))
      w.u64 = type == IW_F64 ? 0x7ff8000000000000 : type == IW_F32 ? 0x7fc00000 : type == IW_F16 ? 0x7e00 : 0x7fc0;
    put(type, right.data, i, w);
  }
  FOR_SETTINGS(at, &all, N) {
    array out = array_new(size, N);
    MUST(at, iw_keys_by_value(at->context, type, in.data, N, out.data));
    ck_assert_msg(memcmp(out.data, right.data, N * size) == 0, "%s", shape(at).s);
    memcpy(out.data, in.data, N * size);
    MUST(at, iw_keys_by_value(at->context, type, out.data, N, out.data));
    ck_assert_msg(memcmp(out.data, right.data, N * size) == 0, "%s in place", shape(at).s);
    MUST(at, iw_keys_by_value(at->context, type, NULL, 0, NULL));
    array_free(&out);
  }
  array_free(&in);
  array_free(&right);
  settings_close(&all);
}
END_TEST

START_TEST(invalid_on_device)
{
  enum { N = 20000, COUNT = 300 };
  settings all = settings_open();
  start_random(2600);
  for (unsigned s = all.cpus; s < all.count; s++)
    for (unsigned round = 0; round < 6; round++) {
      setting *const at = &all.at[s];
      static uint32_t in[N], out[COUNT + 2];
      uint64_t offsets[COUNT + 1];
      for (size_t k = 0; k <= COUNT; k++) {
        const uint64_t any[] = { k % 2 ? N : 0, random_below(N + 1), random_bits(), N - k * 60, k % 2 ? 5000 : 0,
                                 UINT64_MAX };
        offsets[k] = any[round];
      }
      uint32_t *const results = copy_there(at, out, sizeof out);
      uint64_t *const there = copy_there(at, offsets, sizeof offsets);
      void *const in_there = copy_there(at, in, sizeof in);
      MUST(at, reduce_segments(at->context, IW_SUM, IW_U32, in_there, N, by_offsets(IW_U64, there, COUNT), IW_U32, NULL,
                               results + 1));
      MUST(at, iw_memory_copy(at->context, out, results, sizeof out));
      ck_assert(out[0] == 0 && out[COUNT + 1] == 0);
      MUST(at, iw_memory_free(at->context, results));
      MUST(at, iw_memory_free(at->context, there));
      MUST(at, iw_memory_free(at->context, in_there));
    }
  settings_close(&all);
}
END_TEST

/* One context, many calls: nothing of one is left for the next. */
START_TEST(one_context)
{
  settings all = settings_open();
  start_random(2700);
  for (unsigned round = 0; round < 60; round++) {
    const iw_type type = all_types[random_below(TYPES)];
    const size_t columns = random_below(3) ? 0 : 1 + random_size(9000);
    const size_t n = round % 3 ? 300 + random_size(100000) : 1 + random_size(299);
    check_by(&all, op_at((unsigned)random_below(OPS)), type, type, columns ? n / columns * columns : n,
             (int)random_below(FLAVOURS), (int)random_below(2), (int)random_below(PATTERNS), columns);
  }
  settings_close(&all);
}
END_TEST

/* ---- More than 2^32 elements ------------------------------------------------------------------------ */

enum { BEHIND = 5000 }; /* elements behind the first 2^32 */

/* Nearly all bytes are 0, from the kernel's page of zeros. */
static void reductions_above_2_32(const setting *at, uint8_t *in, uint8_t *out, size_t n)
{
  const uint64_t two_32 = (uint64_t)1 << 32, offsets[] = { 1, two_32 - 3, two_32 + 10, two_32 + 10, n - 1, n };
  const iw_segments segments = by_offsets(IW_U64, offsets, 5);
  const size_t columns = 64, in_matrix = n / columns * columns;
  const iw_segments matrix = by_columns(columns);
  uint64_t sums[5];
  size_t first[64];
  uint8_t least[64];
  in[0] = 100, in[7] = 3, in[two_32 - 4] = 5, in[two_32] = 7, in[two_32 + 9] = 11, in[two_32 + 10] = 13, in[n - 1] = 17;
  MUST(at, reduce_segments(at->context, IW_SUM, IW_U8, in, n, segments, IW_U64, NULL, sums));
  ck_assert(sums[0] == 8 && sums[1] == 18 && sums[2] == 0 && sums[3] == 13 && sums[4] == 17);
  MUST(at, iw_argmax(at->context, IW_U8, in, n, first, least, IW_OPTIONS(iw_scan_options, .segments = &segments)));
  ck_assert(first[0] == two_32 - 5 && first[1] == 12 && first[2] == 0 && first[3] == 0 && first[4] == 0);
  ck_assert(least[0] == 5 && least[1] == 11 && least[2] == 0 && least[3] == 13 && least[4] == 17);
  const uint64_t whole[] = { 0, n };
  const iw_segments one = by_offsets(IW_U64, whole, 1);
  in[two_32 + 77] = 255;
  MUST(at, iw_argmax(at->context, IW_U8, in, n, first, NULL, IW_OPTIONS(iw_scan_options, .segments = &one)));
  ck_assert_uint_eq(first[0], two_32 + 77);
  MUST(at, iw_argmax(at->context, IW_U8, in, in_matrix, first, least,
                     IW_OPTIONS(iw_scan_options, .segments = &matrix)));
  ck_assert(first[77 % 64] == (two_32 + 77) / columns && least[77 % 64] == 255);
  ck_assert(first[9] == (two_32 + 9) / columns && least[9] == 11 && first[0] == 0 && least[0] == 100);
  MUST(at, reduce_segments(at->context, IW_SUM, IW_U8, in, in_matrix, matrix, IW_U8, NULL, least));
  ck_assert(least[77 % 64] == 255 && least[10] == 13 && least[9] == 11 && least[7] == 3 && least[0] == 107);
  MUST(at, scan_segments(at->context, 0, IW_SUM, IW_U8, in, segments, out, n, NULL));
  for (uint64_t i = two_32; i < n; i++) /* what is before that is in one piece of memory over and over */
    ck_assert_uint_eq(out[i], i < two_32 + 9 ? 7 : i == two_32 + 9 ? 18 : i == n - 1 ? 17 : i < two_32 + 77 ? 13 : 12);
}

/* So many elements that a CPU counts the runs before it makes room for their begins: in new scratch, which
 * grows behind that, and in scratch that is large enough already. */
START_TEST(counted_runs)
{
  enum { N = (1 << 26) + 12345, LONGEST = 20000 };
  if (!worth_it("runs of 2^26 elements", 1, 0, 1))
    return;
  uint8_t *const keys = malloc(N), *const in = malloc(N);
  uint64_t *const expected = malloc(N / 16 * sizeof *expected), *const sums = malloc(N / 16 * sizeof *sums);
  size_t runs = 0, count = 0;
  iw_context *context;
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU };
  setting at = { "the best", 0, IW_BLOCKS_AUTO, NULL };
  ck_assert(keys && in && expected && sums);
  start_random(2900);
  for (size_t i = 0; i < N; runs++) {
    const size_t end = i + 32 + random_below(LONGEST);
    for (expected[runs] = 0; i < end && i < N; i++) {
      keys[i] = (uint8_t)runs;
      expected[runs] += in[i] = (uint8_t)(i * i >> 3);
    }
  }
  MUST(&at, iw_context_open(&context, &options));
  at.context = context;
  for (unsigned call = 0; call < 2; call++, count = 0) {
    memset(sums, 0x5a, runs * sizeof *sums);
    MUST(&at, reduce_by_key(context, IW_SUM, IW_U8, in, N, by_keys(IW_U8, keys), IW_U64, NULL, NULL, sums, &count));
    ck_assert_uint_eq(count, runs);
    ck_assert_mem_eq(sums, expected, runs * sizeof *sums);
  }
  iw_context_close(context);
  free(sums);
  free(expected);
  free(in);
  free(keys);
}
END_TEST

/* Nearly all elements are of one run, so the scratch is a bit for each element. */
static void runs_above_2_32(const setting *at, const uint8_t *in, size_t n)
{
  const uint64_t two_32 = (uint64_t)1 << 32;
  const iw_segments runs = by_keys(IW_U8, in);
  uint64_t sums[16];
  uint8_t keys[16];
  size_t first[16], count = 0;
  MUST(at, reduce_by_key(at->context, IW_SUM, IW_U8, in, n, runs, IW_U64, NULL, keys, sums, &count));
  ck_assert_uint_eq(count, 14);
  ck_assert(keys[0] == 100 && sums[0] == 100 && keys[2] == 3 && sums[4] == 5 && keys[6] == 7 && sums[13] == 17);
  MUST(at, iw_argmin(at->context, IW_U8, in, n, first, NULL,
                     IW_OPTIONS(iw_scan_options, .segments = &runs, .run_keys = keys, .run_count = &count)));
  ck_assert(count == 14 && keys[13] == 17 && first[13] == 0 && in[two_32] == keys[6]);
}

START_TEST(above_2_32)
{
  const size_t n = ((size_t)1 << 32) + BEHIND, part = (size_t)1 << 26;
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU };
  iw_context *context;
  uint8_t *const in = zeros_new(n), *const out = endless_new(n), largest;
  setting at = { "the best", 0, IW_BLOCKS_AUTO, NULL };
  size_t first;
  MUST(&at, iw_context_open(&context, &options));
  at.context = context;
  const double start = now();
  if (in && out)
    MUST(&at, iw_argmax(context, IW_U8, in, part, &first, &largest, NULL));
  if (worth_it("reductions of 2^32 + 5000 elements", in && out, now() - start, (double)part / (double)n)) {
    reductions_above_2_32(&at, in, out, n);
    runs_above_2_32(&at, in, n);
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
  Suite *suite = suite_create("reduce_segments");
  TCase *c = new_case(suite, "reductions of segments");
  tcase_add_test(c, numbers_by_hand);
  tcase_add_test(c, refused);
  tcase_add_test(c, invalid_on_device);
  tcase_add_loop_test(c, small_sizes, 0, TYPES * OPS);
  tcase_add_loop_test(c, large_sizes, 0, TYPES * OPS);
  tcase_add_loop_test(c, by_row, 0, TYPES);
  tcase_add_loop_test(c, by_column, 0, TYPES);
  tcase_add_test(c, by_column_of_any);
  tcase_add_loop_test(c, wider, 0, WIDER_SUMS);
  tcase_add_loop_test(c, many_groups, 0, SEGMENT_OPS);
  tcase_add_test(c, many_groups_simulated);
  tcase_add_loop_test(c, folded_by_last_block, 0, SEGMENT_OPS);
  tcase_add_test(c, far_apart);
  tcase_add_test(c, one_context);
  c = new_case(suite, "argmin and argmax");
  tcase_add_test(c, first_by_hand);
  tcase_add_test(c, first_refused);
  tcase_add_loop_test(c, first_by_offsets, 0, TYPES);
  tcase_add_loop_test(c, first_in_matrices, 0, TYPES);
  tcase_add_test(c, first_of_many_tiles);
  c = new_case(suite, "reductions by key");
  tcase_add_test(c, keys_by_hand);
  tcase_add_loop_test(c, keys_by_value, IW_U8, IW_BF16 + 1);
  tcase_add_test(c, keys_refused);
  tcase_add_loop_test(c, by_key_sizes, 1, BY_FLAGS + 1);
  tcase_add_loop_test(c, by_key_in_tiles, PATTERNS, RUN_PATTERNS);
  tcase_add_loop_test(c, by_key_waiting, 0, SIM_WAITS);
  tcase_add_loop_test(c, by_key_of_any, 0, 2);
  tcase_add_loop_test(c, first_by_key, 0, TYPES);
  TCase *const large = new_large_case(suite);
  tcase_add_test(large, counted_runs);
  tcase_add_test(large, above_2_32);
  return run_suite_on_all(suite);
}
