/* SPDX-License-Identifier: Apache-2.0
 *
 * Inclusive and exclusive scans of segments, to the bit against order 1 in segments as doc/order1.md
 * defines it; of rows and of segments by offsets against the scan of each of them.
 */
#include "reference.h"
#include "reference_segments.h"
#include "segment_lengths.h"

enum { TYPES = SCANNED_TYPES, OPS = 3 };

/* Where heads are. */
enum { NONE, ALL, SECOND, THIRDS, HUNDREDTHS, RARE, ON_ROWS, ON_TILES, ON_GROUPS, HEAD_PATTERNS };

static void make_flags(int pattern, uint8_t *flags, size_t n)
{
  static const uint64_t mean[] = { 0, 1, 0, 3, 100, 5000 };
  static const size_t spans[] = { ROW, TILE, GROUP };
  for (size_t i = 0; i < n; i++) {
    const int head = pattern == SECOND ? i % 2 : pattern != NONE && pattern <= RARE && random_below(mean[pattern]) == 0;
    flags[i] = head ? (uint8_t)(1 + random_below(255)) : 0;
  }
  if (pattern >= ON_ROWS) /* and one before, one behind */
    for (size_t at = 0; at < n; at += spans[pattern - ON_ROWS]) {
      const size_t there = at + random_below(3);
      if (there && there - 1 < n)
        flags[there - 1] = 1;
    }
}

enum { SHIFTS = 16 }; /* of the places of arrays, in elements */

/* Types of keys by their number of bytes. */
static const struct { unsigned count; iw_type types[4]; } keys_of[] = {
  [1] = { 3, { IW_U8, IW_I8, IW_BOOL } }, [2] = { 4, { IW_U16, IW_I16, IW_F16, IW_BF16 } },
  [4] = { 3, { IW_I32, IW_U32, IW_F32 } }, [8] = { 3, { IW_I64, IW_U64, IW_F64 } },
};

/* Writes n keys of `bytes` bytes each, of which those at heads differ from the key before: by any bit. */
static void make_keys(unsigned bytes, const uint8_t *heads, size_t n, void *keys)
{
  static const iw_type unsigned_of[] = { [1] = IW_U8, [2] = IW_U16, [4] = IW_U32, [8] = IW_U64 };
  uint64_t value = random_bits();
  for (size_t i = 0; i < n; i++) {
    if (heads[i])
      value += i % 2 ? 1 : (uint64_t)1 << (8 * bytes - 1);
    put(unsigned_of[bytes], keys, i, (word){ .u64 = value });
  }
}

/* Both calls, out of place or in it; how: of flags (0), keys (their number of bytes), or columns. */
static void check_by(settings *all, iw_op op, iw_type type, size_t n, int flavour, int with_init,
                     int pattern, unsigned how,
                     size_t columns)
{
  if (!has_operation(op, type))
    return;
  const size_t size = iw_type_size(type), shift = random_below(SHIFTS), flag_shift = random_below(64);
  array in = array_new(size, n + SHIFTS), flags = array_new(1, n + 64), keys = array_new(8, n + SHIFTS);
  array expected[2] = { array_new(size, n), array_new(size, n) };
  char *const from = (char *)in.data + shift * size;
  uint8_t *const heads = (uint8_t *)flags.data + flag_shift;
  void *const key = (char *)keys.data + shift * how;
  word init = random_word(type, flavour == SPECIAL ? WIDE : flavour);
  const void *const given = with_init ? &init : NULL;
  const iw_type key_type = how ? keys_of[how].types[random_below(keys_of[how].count)] : IW_U8;
  int in_place = with_init;
  fill(type, in.data, n + SHIFTS, flavour);
  make_flags(pattern, heads, n);
  if (how)
    make_keys(how, heads, n, key);
  if (columns)
    reference_rows(op, type, from, n, columns, given, expected[0].data, expected[1].data);
  else
    reference_segments(op, type, from, heads, n, given, expected[0].data, expected[1].data);
  FOR_SETTINGS(at, all, n)
    for (unsigned exclusive = 0; exclusive < 2; exclusive++) {
      const size_t gap = random_below(8) * size;
      array out = array_new(size, n + gap / size);
      char *const to = (char *)out.data + gap;
      const void *source = from;
      char what[120];
      if ((in_place = !in_place)) {
        memcpy(to, from, n * size);
        source = to;
      }
      void *const there = copy_there(at, in_place ? given : NULL, size);
      const void *const init_here = there ? there : given;
      snprintf(what, sizeof what, "%s scan by %s of %s%s%s, %s %zu", exclusive ? "exclusive" : "inclusive",
               op_name(op),
               iw_type_name(type), given ? ", init" : "", in_place ? ", in place" : "",
               columns ? "columns" : how ? iw_type_name(key_type) : "heads",
                   columns ? columns : (size_t)pattern);
      const iw_segments segments = columns ? by_rows(columns) : how ? by_keys(key_type,
          key) : by_flags(heads);
      MUST(at, scan_segments(at->context, (int)exclusive, op, type, source, segments, to, n, init_here));
      SAME(at, what, expected[exclusive].data, to, n, size);
      for (size_t i = 0; i < gap; i++)
        ck_assert_msg(((unsigned char *)out.data)[i] == FENCE_BYTE, "%s of %zu wrote before its output",
                      what, n);
      ck_assert_msg(array_intact(&out, gap + n * size), "%s of %zu wrote outside its output", what, n);
      MUST(at, iw_memory_free(at->context, there));
      array_free(&out);
    }
  for (unsigned e = 0; e < 2; e++)
    array_free(&expected[e]);
  array_free(&keys);
  array_free(&flags);
  array_free(&in);
}

/* _i: operator and type. */
START_TEST(small_sizes)
{
  static const size_t sizes[] = { 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257 };
  settings all = settings_open();
  start_random(1000 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int pattern = NONE; pattern <= ON_ROWS; pattern++)
      check_by(&all, op_at((unsigned)(_i / TYPES)), all_types[_i % TYPES], sizes[i],
               (int)(i + (unsigned)pattern) % FLAVOURS,
               (int)(i / 2) % 2, pattern, 0, 0);
  settings_close(&all);
}
END_TEST

START_TEST(large_sizes)
{
  static const size_t sizes[] = {
    1025, TILE - 1, TILE, TILE + 1, 2 * TILE + 1, 65537, GROUP - 1, GROUP, GROUP + 1, 2 * GROUP + 1,
        3 * GROUP + TILE + 1,
  };
  settings all = settings_open();
  start_random(1100 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int pattern = (int)(i + (unsigned)_i) % 3; pattern < HEAD_PATTERNS; pattern += 3) /* two types have each pair */
      check_by(&all, op_at((unsigned)(_i / TYPES)), all_types[_i % TYPES], sizes[i],
               (int)((i + (unsigned)_i) % FLAVOURS),
               (int)(i + (unsigned)pattern / 2) % 2, pattern, 0, 0);
  settings_close(&all);
}
END_TEST

/* Two heads at each place of a row, and of the rows of a tile. */
START_TEST(every_place)
{
  enum { N = 3 * TILE + 77 };
  static float in[N], expected[N], out[N];
  static uint8_t flags[N];
  settings all = settings_open();
  start_random(1200);
  fill(IW_F32, in, N, WIDE);
  FOR_SETTINGS(at, &all, N)
    for (size_t i = 0; i < 2 * ROW + TILE; i++) {
      const size_t place = i < 2 * ROW ? i + TILE - ROW : i - 2 * ROW,
          other = place + 1 + random_below(2 * ROW);
      if (i >= 2 * ROW && place % 37)
        continue;
      memset(flags, 0, sizeof flags);
      flags[place] = flags[other] = 1;
      segments_f32(in, flags, expected, N, -0.0f);
      MUST(at, scan_segments(at->context, 0, IW_SUM, IW_F32, in, by_flags(flags), out, N, NULL));
      SAME(at, "heads at two places", expected, out, N, sizeof *out);
    }
  settings_close(&all);
}
END_TEST

START_TEST(by_key)
{
  static const size_t sizes[] = { 1, 31, 32, 33, 129, 1023, 1024, 1025, TILE + 1, GROUP + TILE + 5 };
  settings all = settings_open();
  start_random(1300 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int pattern = NONE; pattern <= ON_ROWS; pattern++)
      check_by(&all, IW_SUM, all_types[_i], sizes[i], (int)(i + (unsigned)pattern) % FLAVOURS, (int)i % 2,
               pattern,
               1u << (i + (unsigned)pattern) % 4, 0);
  settings_close(&all);
}
END_TEST

/* Short scans, by one launch out of place: at the borders of the schedule and of tiles and groups, by flags
 * and keys of each width, with and without alignment, in memory of the simulated GPU. Some blocks begin late,
 * and others then compute the aggregates of their tiles (sim_open_waiting). */
START_TEST(waiting_blocks)
{
  static const size_t sizes[] = { 1, 129, TILE - 1, TILE, TILE + 1, 2 * TILE + 77, 31 * TILE + 100, GROUP, GROUP + 1,
                                  3 * GROUP + 77, 8 * GROUP - 1, 8 * GROUP, 8 * GROUP + 1 };
  static const iw_type types[] = { IW_F32, IW_U64, IW_F16, IW_F64 };
  static const int patterns[] = { NONE, RARE, ON_TILES, HUNDREDTHS, ON_GROUPS, ALL, SECOND };
  static const unsigned sources[] = { 4, 8, 0, 2, 1 };
  enum { MOST = 8 * GROUP + 1, SIZES = sizeof sizes / sizeof *sizes, PATTERNS_OF = sizeof patterns / sizeof *patterns };
  if (getenv("ISOWARP_TEST_NO_SIM"))
    return;
  settings all = { .count = 0 };
  sim_open_waiting(&all, (unsigned)_i);
  const setting *const at = &all.at[0];
  start_random(1350 + (unsigned)_i);
  array heads = array_new(1, MOST), keys = array_new(8, MOST);
  for (unsigned i = 0; i < SIZES; i++)
    for (unsigned k = 0; k < 2; k++) {
      const size_t n = sizes[i], shift = random_below(2);
      const unsigned turn = (unsigned)_i + i + 3 * k, how = sources[turn % 5], exclusive = turn / 2 % 2;
      if (n > GROUP + 1 && turn % 6) /* the longest ones by some */
        continue;
      const iw_type type = types[(turn + turn / 4) % 4], key_type = how ? keys_of[how].types[random_below(keys_of[how].count)] : IW_U8;
      const iw_op op = op_at(turn % 5 == 4);
      const size_t size = iw_type_size(type);
      const word init = random_word(type, WIDE);
      const void *const given = random_below(2) ? &init : NULL;
      array in = array_new(size, n + 1), expected[2] = { array_new(size, n), array_new(size, n) }, out = array_new(size, n);
      char what[120];
      fill(type, in.data, n + 1, WIDE);
      make_flags(patterns[(turn + i) % PATTERNS_OF], heads.data, n);
      memcpy(keys.data, heads.data, n);
      if (how)
        make_keys(how, heads.data, n, keys.data);
      reference_segments(op, type, (char *)in.data + shift * size, heads.data, n, given, expected[0].data, expected[1].data);
      char *const in_there = copy_there(at, in.data, (n + 1) * size), *const out_there = copy_there(at, in.data, (n + 1) * size);
      void *const keys_there = copy_there(at, keys.data, n * iw_type_size(key_type));
      const iw_segments segments = how ? by_keys(key_type, keys_there) : by_flags(keys_there);
      for (unsigned in_place = 0; in_place < 2; in_place++) {
        char *const to = out_there + (in_place ? shift * size : 0);
        snprintf(what, sizeof what, "%s scan by %s of %zu %s%s%s, heads %d", exclusive ? "exclusive" : "inclusive",
                 how ? iw_type_name(key_type) : "flags", n, iw_type_name(type), given ? ", init" : "", in_place ? ", in place" : "",
                 patterns[(turn + i) % PATTERNS_OF]);
        MUST(at, iw_memory_copy(at->context, out_there, in.data, (n + 1) * size));
        MUST(at, scan_segments(at->context, (int)exclusive, op, type, in_place ? to : in_there + shift * size, segments, to, n, given));
        MUST(at, iw_memory_copy(at->context, out.data, to, n * size));
        SAME(at, what, expected[exclusive].data, out.data, n, size);
      }
      MUST(at, iw_memory_free(at->context, in_there));
      MUST(at, iw_memory_free(at->context, out_there));
      MUST(at, iw_memory_free(at->context, keys_there));
      array_free(&out);
      array_free(&expected[0]);
      array_free(&expected[1]);
      array_free(&in);
    }
  array_free(&keys);
  array_free(&heads);
  sim_close_waiting(&all);
}
END_TEST

START_TEST(by_row)
{
  static const size_t columns[] = { 1, 2, 3, 5, 16, 31, 32, 33, 64, 65, 127, 128, 129, 256, 1000, 1024, TILE - 1, TILE,
                                    TILE + 1, 5000, 2 * TILE, GROUP, GROUP + 1 };
  settings all = settings_open();
  start_random(1400 + (unsigned)_i);
  for (unsigned i = 0; i < sizeof columns / sizeof *columns; i++) {
    const size_t rows[] = { 1, 3, 40000 / columns[i] + 1 };
    for (unsigned r = 0; r < 3; r++)
      check_by(&all, r ? IW_SUM : op_at((unsigned)(i % ALL_OPS)), all_types[_i], rows[r] * columns[i],
               (int)i % FLAVOURS, (int)i % 2, NONE, 0,
               columns[i]);
  }
  settings_close(&all);
}
END_TEST

/* Rows of more than a tile of which each warp has several, on a simulated GPU of one multiprocessor too. */
START_TEST(many_long_rows)
{
  setenv("ISOWARP_SIM_PROCESSORS", "1", 1);
  settings all = settings_open();
  start_random(1600);
  check_by(&all, IW_SUM, IW_F32, 161 * 4100, WIDE, 0, NONE, 0, 4100);
  check_by(&all, IW_SUM, IW_F64, 161 * 8194, WIDE, 1, NONE, 0, 8194);
  check_by(&all, IW_MAX, IW_I32, 161 * 5000, WIDE, 1, NONE, 0, 5000);
  settings_close(&all);
  unsetenv("ISOWARP_SIM_PROCESSORS");
}
END_TEST

/* Rows by the operators that have no kernel of rows alone: blocks, whole rows, tiles, and rows of several
 * tiles. */
START_TEST(rows_by_more_operators)
{
  static const size_t columns[] = { 1, 4, 31, 33, 100, 128, 129, TILE, TILE + 1, GROUP + 1 };
  settings all = settings_open();
  start_random(1650);
  for (unsigned i = 0; i < sizeof columns / sizeof *columns; i++)
    for (unsigned op = SEGMENT_OPS; op < ALL_OPS; op++)
      for (unsigned k = 0; k < 3; k++)
        check_by(&all, op_at(op), all_types[(i + 5 * op + 3 * k) % TYPES], columns[i] * (9000 / columns[i] + 1), WIDE, (int)(i + k) % 2,
                 NONE, 0, columns[i]);
  settings_close(&all);
}
END_TEST

/* ---- Segments by offsets ---------------------------------------------------------------------------- */

/* Makes what a scan leaves in an array that has n elements at `before`: those of no segment stay. */
static array expected_outputs(const void *before, const array *outputs, const uint64_t *offsets, size_t count, size_t n,
                              size_t size)
{
  array expected = array_new(size, n);
  memcpy(expected.data, before, n * size);
  memcpy((char *)expected.data + offsets[0] * size, (char *)outputs->data + offsets[0] * size,
         (offsets[count] - offsets[0]) * size);
  return expected;
}

/* Both calls, out of place and in it. Offsets are in host memory, or where kernels run. */
static void check_by_offsets(settings *all, iw_op op, iw_type type, size_t n, int flavour, int with_init, int pattern)
{
  if (!has_operation(op, type))
    return;
  const size_t size = iw_type_size(type), shift = random_below(SHIFTS), most = n / 2 + 70;
  array in = array_new(size, n + SHIFTS), offsets = array_new(8, most + 1), narrow = array_new(4, most + 1);
  array outputs[2] = { array_new(size, n), array_new(size, n) }, other = array_new(size, n);
  const uint64_t *const places = offsets.data;
  const char *const from = (char *)in.data + shift * size;
  word init = random_word(type, flavour == SPECIAL ? WIDE : flavour);
  const void *const given = with_init ? &init : NULL;
  const int wide = (int)random_below(2);
  fill(type, in.data, n + SHIFTS, flavour);
  fill(type, other.data, n, WIDE);
  const size_t count = make_offsets(pattern, n, offsets.data, most);
  for (size_t k = 0; k <= count; k++)
    ((uint32_t *)narrow.data)[k] = (uint32_t)places[k];
  for (size_t k = 0; k < count; k++)
    reference_scan(op, type, from + places[k] * size, places[k + 1] - places[k], given,
                   (char *)outputs[0].data + places[k] * size, (char *)outputs[1].data + places[k] * size, NULL);
  FOR_SETTINGS(at, all, n)
    for (unsigned way = 0; way < 4; way++) {
      const unsigned exclusive = way % 2, in_place = way / 2;
      const size_t gap = random_below(8);
      const void *const before = in_place ? from : other.data;
      array out = array_new(size, n + gap), expected = expected_outputs(before, &outputs[exclusive], places, count, n, size);
      char *const to = (char *)out.data + gap * size;
      char what[120];
      void *const there = copy_there(at, given, size);
      void *const offsets_there = way == 1 ? copy_there(at, wide ? offsets.data : narrow.data, (count + 1) * (wide ? 8 : 4)) : NULL;
      const void *const used = offsets_there ? offsets_there : wide ? offsets.data : narrow.data;
      memcpy(to, before, n * size);
      snprintf(what, sizeof what, "%s scan of %s%s%s, offsets of pattern %d, n %zu, %zu past", exclusive ? "exclusive" : "inclusive",
               iw_type_name(type), given ? ", init" : "", in_place ? ", in place" : "", pattern, n, shift);
      MUST(at, scan_segments(at->context, (int)exclusive, op, type, in_place ? to : from,
                             by_offsets(wide ? IW_U64 : IW_U32, used, count), to, n, there ? there : given));
      SAME(at, what, expected.data, to, n, size);
      for (size_t i = 0; i < gap * size; i++)
        ck_assert_msg(((unsigned char *)out.data)[i] == FENCE_BYTE, "%s wrote before its output", what);
      ck_assert_msg(array_intact(&out, (gap + n) * size), "%s wrote outside its output", what);
      MUST(at, iw_memory_free(at->context, offsets_there));
      MUST(at, iw_memory_free(at->context, there));
      array_free(&expected);
      array_free(&out);
    }
  array_free(&other);
  for (unsigned e = 0; e < 2; e++)
    array_free(&outputs[e]);
  array_free(&narrow);
  array_free(&offsets);
  array_free(&in);
}

/* _i: operator and type. */
START_TEST(small_by_offsets)
{
  static const size_t sizes[] = { 0, 1, 2, 31, 33, 64, 129, 300, 1000 };
  settings all = settings_open();
  start_random(1700 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int pattern = EMPTY + (int)(i % 2); pattern <= ROWS; pattern += _i / TYPES < SEGMENT_OPS ? 2 : 4)
      check_by_offsets(&all, op_at((unsigned)(_i / TYPES)), all_types[_i % TYPES], sizes[i],
                       (int)(i + (unsigned)pattern) % FLAVOURS, (int)(i / 2 + (unsigned)pattern) % 2, pattern);
  settings_close(&all);
}
END_TEST

START_TEST(large_by_offsets)
{
  static const size_t sizes[] = { 4 * TILE + 1, 65537, GROUP + 1 };
  settings all = settings_open();
  start_random(1800 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int pattern = TO_32 + (int)(i + (unsigned)_i) % 3; pattern < PATTERNS; pattern += 3)
      check_by_offsets(&all, pattern == SKEWED ? IW_SUM : op_at((i + (unsigned)pattern) % ALL_OPS), all_types[_i], sizes[i],
                       (int)(i + (unsigned)pattern) % FLAVOURS, (int)(i + (unsigned)pattern / 3) % 2, pattern);
  check_by_offsets(&all, IW_SUM, all_types[_i], 2 * GROUP + 77, WIDE, _i % 2, _i % 3 ? ONE_RUN : SKEWED);
  settings_close(&all);
}
END_TEST

/* So many elements that a warp scans segments of up to 8 tiles alone, on a simulated GPU of one
 * multiprocessor too. */
START_TEST(long_segments_alone)
{
  setenv("ISOWARP_SIM_PROCESSORS", "1", 1);
  settings all = settings_open();
  start_random(1900);
  check_by_offsets(&all, IW_SUM, IW_F32, 5300000, WIDE, 1, SOME_LONG);
  check_by_offsets(&all, IW_SUM, IW_F64, 4300000, WIDE, 0, ANY);
  settings_close(&all);
  unsetenv("ISOWARP_SIM_PROCESSORS");
}
END_TEST

/* The outputs of a segment are those of a scan of it alone, wherever it is and whatever else is in the
 * call. */
START_TEST(segments_alone)
{
  enum { N = 20000, SEGMENT = 5000 };
  static float in[N], out[N], alone[SEGMENT];
  settings all = settings_open();
  start_random(1950);
  fill(IW_F32, in, SEGMENT, WIDE);
  FOR_SETTINGS(at, &all, N) {
    MUST(at, iw_inclusive_scan(at->context, IW_SUM, IW_F32, in, SEGMENT, alone, NULL));
    for (uint64_t place = SEGMENT; place < SEGMENT + 140; place += 1 + place % 3) {
      memcpy(in + place, in, SEGMENT * sizeof *in);
      const uint64_t offsets[] = { place - 7, place, place + SEGMENT, N };
      MUST(at, scan_segments(at->context, 0, IW_SUM, IW_F32, in, by_offsets(IW_U64, offsets, 3), out, N, NULL));
      SAME(at, "a segment alone", alone, out + place, SEGMENT, sizeof *out);
    }
  }
  settings_close(&all);
}
END_TEST

/* Offsets in device memory are not checked: whatever they are, nothing outside of the arrays is accessed.
 * They pass n, or descend; if segments overlapped, the simulator would report that they are written at the
 * same time. */
START_TEST(invalid_offsets)
{
  enum { N = 3 * TILE, COUNT = 70 };
  settings all = settings_open();
  start_random(1960);
  for (setting *at = &all.at[all.cpus]; at < &all.at[all.count]; at++)
    for (unsigned round = 0; round < 8; round++) {
      uint64_t offsets[COUNT + 1];
      array in = array_new(4, N), out = array_new(4, N);
      fill(IW_U32, in.data, N, WIDE);
      for (unsigned k = 0; k <= COUNT; k++)
        offsets[k] = round % 2 ? (uint64_t)(COUNT - k) * N / 60 : k < 60 ? (uint64_t)k * N / 57 : random_bits();
      void *const there = copy_there(at, offsets, sizeof offsets);
      MUST(at, scan_segments(at->context, (int)round / 4, IW_SUM, IW_U32, in.data, by_offsets(IW_U64, there, COUNT), out.data, N,
                             NULL));
      ck_assert(array_intact(&out, N * sizeof(uint32_t)));
      MUST(at, iw_memory_free(at->context, there));
      array_free(&out);
      array_free(&in);
    }
  settings_close(&all);
}
END_TEST

/* By hand: what is in front of a head never shows; what init is stands in front of each segment. */
START_TEST(numbers_by_hand)
{
  static const float in[] = { 1, 2, INFINITY, -0.0f, -0.0f, NAN, 5, 6 };
  static const uint8_t flags[] = { 0, 0, 1, 2, 0, 128, 255, 0 };
  static const float inclusive[] = { 1, 3, INFINITY, -0.0f, -0.0f, NAN, 5, 11 },
      exclusive[] = { 0, 1, 0, 0, -0.0f, 0, 0, 5 };
  static const int64_t values[] = { 3, 1, 2, 7, 7, 9 }, keys[] = { 5, 5, -5, 4294967291, 5, 5 },
      lows[] = { 2, 1, 2, 2, 2, 2 };
  static const int64_t before[] = { 2, 2, 2, 2, 2, 2 }, two = 2;
  static const uint32_t beyond = 9;
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 8) {
    float out[8];
    uint32_t matrix[6] = { 1, 2, 3, 4, 5, 0xffffffff };
    int64_t least[6];
    for (unsigned k = 0; k < 2; k++) { /* offsets of no segments are not read */
      out[0] = 42;
      MUST(at, scan_segments(at->context, 0, IW_SUM, IW_F32, in, by_offsets(IW_U32, k ? &beyond : NULL, 0), out, 8, NULL));
      ck_assert(out[0] == 42);
    }
    MUST(at, scan_segments(at->context, 0, IW_SUM, IW_F32, in, by_flags(flags), out, 8, NULL));
    for (unsigned i = 0; i < 8; i++)
      ck_assert(i == 5 ? out[i] != out[i] : !memcmp(&out[i], &inclusive[i], 4));
    MUST(at, scan_segments(at->context, 1, IW_SUM, IW_F32, in, by_flags(flags), out, 8, NULL));
    ck_assert_mem_eq(out, exclusive, sizeof exclusive);
    MUST(at, scan_segments(at->context, 0, IW_MIN, IW_I64, values, by_keys(IW_I64, keys), least, 6, &two));
    ck_assert_mem_eq(least, lows, sizeof lows);
    MUST(at, scan_segments(at->context, 1, IW_MIN, IW_I64, values, by_keys(IW_I64, values), least, 6, &two));
    ck_assert_mem_eq(least, before, sizeof before);
    MUST(at, scan_segments(at->context, 0, IW_SUM, IW_U32, matrix, by_rows(3), matrix, 6, NULL));
    ck_assert_mem_eq(matrix, ((uint32_t[]){ 1, 3, 6, 4, 9, 8 }), sizeof matrix);
    MUST(at, scan_segments(at->context, 1, IW_MAX, IW_U32, matrix, by_rows(2), matrix, 6, NULL));
    ck_assert_mem_eq(matrix, ((uint32_t[]){ 0, 1, 0, 6, 0, 9 }), sizeof matrix);
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
    uint32_t keys[8] = { 0 };
    uint8_t flags[8] = { 0 }, *const in_out = (uint8_t *)out + 3;
    REFUSES(at, IW_ERROR_INVALID, "context",
            scan_segments(NULL, 0, IW_SUM, IW_F32, in, by_flags(flags), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "op",
            scan_segments(c, 0, (iw_op)7, IW_F32, in, by_flags(flags), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "segments by flags and keys are scanned by",
            scan_segments(c, 0, IW_PRODUCT, IW_F32, in, by_flags(flags), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "IW_XOR and type f32",
            scan_segments(c, 0, IW_XOR, IW_F32, in, by_rows(2), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "bool",
            scan_segments(c, 1, IW_SUM, IW_BOOL, in, by_flags(flags), out, 4, NULL));
    REFUSES(at, IW_ERROR_INVALID, "flags is NULL",
            scan_segments(c, 0, IW_SUM, IW_F32, in, by_flags(NULL), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "in is NULL",
            scan_segments(c, 0, IW_SUM, IW_F32, NULL, by_flags(flags), out, 8, NULL));
    REFUSES(at, IW_ERROR_OVERLAP, "flags",
            scan_segments(c, 0, IW_SUM, IW_F32, in, by_flags(in_out), out, 8, NULL));
    REFUSES(at, IW_ERROR_OVERLAP, "in",
            scan_segments(c, 1, IW_SUM, IW_F32, out + 1, by_flags(flags), out, 4, NULL));
    REFUSES(at, IW_ERROR_INVALID, "segments->key_type is 14, which is not an iw_type",
            scan_segments(c, 0, IW_SUM, IW_F32, in, by_keys((iw_type)(SCANNED_TYPES + 1), in), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "keys",
            scan_segments(c, 1, IW_SUM, IW_F32, in, by_keys(IW_U32, (char *)keys + 1), out, 4, NULL));
    REFUSES(at, IW_ERROR_OVERLAP, "keys",
            scan_segments(c, 1, IW_SUM, IW_F32, in, by_keys(IW_U32, out + 1), out, 4, NULL));
    const uint32_t offsets[] = { 0, 3, 2, 9 };
    REFUSES(at, IW_ERROR_INVALID, "offsets[2] is 2, which is less than segments->offsets[1], which is 3",
            scan_segments(c, 0, IW_SUM, IW_F32, in, by_offsets(IW_U32, offsets, 3), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "offsets[1] is 9, which is more than n, which is 8",
            scan_segments(c, 0, IW_SUM, IW_F32, in, by_offsets(IW_U32, offsets + 2, 1), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "offset_type",
            scan_segments(c, 0, IW_SUM, IW_F32, in, by_offsets(IW_F32, offsets, 1), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "offsets is NULL",
            scan_segments(c, 0, IW_SUM, IW_F32, in, by_offsets(IW_U32, NULL, 1), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "segments->count",
            scan_segments(c, 0, IW_SUM, IW_F32, in, by_offsets(IW_U32, offsets, SIZE_MAX), out, 8, NULL));
    REFUSES(at, IW_ERROR_OVERLAP, "offsets",
            scan_segments(c, 0, IW_SUM, IW_F32, in, by_offsets(IW_U32, out + 7, 1), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "IW_SEGMENTS_COLUMNS", scan_segments(c, 0, IW_SUM, IW_F32, in, by_columns(4), out, 8, NULL));
    for (size_t columns = 0; columns < 8; columns++) /* 8 elements are no whole number of rows */
      if (columns != 1 && columns != 2 && columns != 4)
        for (int exclusive = 0; exclusive < 2; exclusive++)
          REFUSES(at, IW_ERROR_INVALID, "columns",
                  scan_segments(c, exclusive, IW_SUM, IW_F32, in, by_rows(columns), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "columns",
            scan_segments(c, 0, IW_SUM, IW_F32, in, by_rows(SIZE_MAX), out, 8, NULL));
    REFUSES(at, IW_ERROR_INVALID, "elements",
            scan_segments(c, 1, IW_SUM, IW_F32, in, by_rows(1), out, SIZE_MAX / 4 + 2, NULL));
    iw_segments other = by_flags(flags);
    other.size = 3;
    REFUSES(at, IW_ERROR_INVALID, "size", scan_segments(c, 0, IW_SUM, IW_F32, in, other, out, 8, NULL));
    other = by_flags(flags);
    other.kind = (iw_segments_kind)4;
    REFUSES(at, IW_ERROR_INVALID, "kind", scan_segments(c, 0, IW_SUM, IW_F32, in, other, out, 8, NULL));
    scan_arguments spec = { .op = IW_SUM, .in_type = IW_F32, .type = IW_F32,
                         .segments = &other };
    other = by_flags(flags);
    REFUSES(at, IW_ERROR_INVALID, "run_count", reduce_with(c, &spec, in, 8, out));
    spec.in_type = IW_I32, spec.type = IW_I64; /* nor are there sums of segments in a wider type */
    REFUSES(at, IW_ERROR_INVALID, "", scan_with(c, &spec, keys, 4, out));
    REFUSES(at, IW_ERROR_INVALID, "size", iw_inclusive_scan(c, IW_SUM, IW_I32, keys, 4, out, &(iw_scan_options){ .size = 8 }));
    size_t runs;
    REFUSES(at, IW_ERROR_INVALID, "run_count", iw_inclusive_scan(c, IW_SUM, IW_I32, keys, 4, out, IW_OPTIONS(iw_scan_options, .run_count = &runs)));
    REFUSES(at, IW_ERROR_INVALID, "run_count", iw_reduce(c, IW_SUM, IW_I32, keys, 4, out, IW_OPTIONS(iw_scan_options, .run_count = &runs)));
    ck_assert(out[0] == 42);
    MUST(at, scan_segments(c, 0, IW_SUM, IW_F32, NULL, by_flags(NULL), NULL, 0, NULL));
    MUST(at, scan_segments(c, 1, IW_SUM, IW_F32, NULL, by_keys(IW_U32, NULL), NULL, 0, NULL));
    MUST(at, scan_segments(c, 1, IW_SUM, IW_F32, NULL, by_rows(5), NULL, 0, NULL));
    MUST(at, scan_segments(c, 0, IW_SUM, IW_F32, NULL, by_rows(0), NULL, 0, NULL));
    MUST(at, scan_segments(c, 1, IW_SUM, IW_F32, NULL, by_offsets(IW_U64, NULL, 0), NULL, 0, NULL));
  }
  settings_close(&all);
}
END_TEST

/* One context, many calls, plain scans among them: nothing of one is left for the next. */
START_TEST(one_context)
{
  settings all = settings_open();
  start_random(1500);
  for (unsigned round = 0; round < 60; round++) {
    const iw_op op = op_at((unsigned)random_below(OPS));
    const iw_type type = all_types[random_below(TYPES)];
    check_by(&all, op, type, round % 3 ? 300 + random_size(100000) : 1 + random_size(299),
             (int)random_below(FLAVOURS),
             (int)random_below(2), (int)random_below(HEAD_PATTERNS), (unsigned)(1 << random_below(5)) / 2, 0);
    FOR_SETTINGS(at, &all, 1000) {
      static uint32_t out[5000];
      for (unsigned i = 0; i < 5000; i++)
        out[i] = 1;
      MUST(at, iw_inclusive_scan(at->context, IW_SUM, IW_U32, out, 5000, out, NULL));
      ck_assert_uint_eq(out[4999], 5000);
    }
  }
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("segmented");
  TCase *c = new_case(suite, "scans of segments");
  tcase_add_test(c, numbers_by_hand);
  tcase_add_test(c, refused);
  tcase_add_loop_test(c, small_sizes, 0, TYPES * OPS);
  tcase_add_loop_test(c, large_sizes, 0, TYPES * OPS);
  tcase_add_test(c, every_place);
  tcase_add_loop_test(c, by_key, 0, TYPES);
  tcase_add_test(c, one_context);
  c = new_case(suite, "short scans of segments");
  tcase_add_loop_test(c, waiting_blocks, 0, SIM_WAITS);
  c = new_case(suite, "scans of rows");
  tcase_add_loop_test(c, by_row, 0, TYPES);
  tcase_add_test(c, many_long_rows);
  c = new_case(suite, "scans by offsets");
  tcase_add_loop_test(c, small_by_offsets, 0, TYPES * ALL_OPS);
  tcase_add_test(c, rows_by_more_operators);
  tcase_add_loop_test(c, large_by_offsets, 0, TYPES);
  tcase_add_test(c, long_segments_alone);
  tcase_add_test(c, segments_alone);
  tcase_add_test(c, invalid_offsets);
  return run_suite_on_all(suite);
}
