/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts of all types, with payloads of every width, of indices, and of segments: stable, in one total
 * order, every bit kept.
 */
#include "reference_sort.h"

enum { TYPES = MOVED_TYPES };
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* What is sorted, and what has to come out of it. */
typedef struct sorting {
  iw_type type;
  size_t n, size;
  iw_sort_options options;
  array in, right;
  size_t *permutation;
  const iw_segments *segments; /* NULL: none */
} sorting;

/* Keys: random ones, few different ones, sorted ones, and ones of which some digits are constant. */
enum { RANDOM, FEW, SORTED, REVERSED, EQUAL, SOME_BITS, INPUTS };

static void fill_keys(iw_type type, void *data, size_t n, int input)
{
  const size_t size = iw_type_size(type);
  const unsigned lowest = (unsigned)random_below(8 * size);
  const uint64_t mask = (random_bits() & 0xfff) << lowest;
  fill(type, data, n, input == RANDOM ? (int)random_below(FLAVOURS) : SPECIAL);
  for (size_t i = 0; i < n && input >= FEW; i++) {
    word w = element(type, data, input == FEW ? random_below(i < 7 ? i + 1 : 7) : input == EQUAL ? 0 : i);
    if (input == SOME_BITS) {
      const word first = element(type, data, 0);
      w.u64 = (w.u64 & mask) | (first.u64 & ~mask);
    }
    put(type, data, i, w);
  }
}

static sorting sorting_new(iw_type type, size_t n, int input, const iw_segments *segments)
{
  sorting s = { .type = type, .n = n, .size = iw_type_size(type), .options = { .size = sizeof s.options }, .segments = segments };
  const unsigned bits = 8 * (unsigned)s.size;
  s.options.descending = (int)random_below(2) * (1 + (int)random_below(7));
  if (!is_float(type) && random_below(3) == 0) {
    s.options.begin_bit = (unsigned)random_below(bits);
    s.options.end_bit = s.options.begin_bit + 1 + (unsigned)random_below(bits - s.options.begin_bit);
  }
  s.in = array_new(s.size, n);
  s.right = array_new(s.size, n);
  s.permutation = malloc((n + 1) * sizeof *s.permutation);
  fill_keys(type, s.in.data, n, input);
  return s;
}

/* Computes the permutation and the elements in their order. */
static void sorting_compute(sorting *s)
{
  const iw_segments *const g = s->segments;
  if (!g)
    reference_sort(s->type, s->in.data, 0, s->n, &s->options, s->permutation);
  else if (g->kind == IW_SEGMENTS_ROWS)
    for (size_t at = 0; at < s->n; at += g->columns)
      reference_sort(s->type, s->in.data, at, at + g->columns, &s->options, s->permutation);
  else for (size_t k = 0; k < g->count; k++) {
    const size_t first = g->offset_type == IW_U32 ? ((const uint32_t *)g->offsets)[k] : ((const uint64_t *)g->offsets)[k];
    const size_t end = g->offset_type == IW_U32 ? ((const uint32_t *)g->offsets)[k + 1] : ((const uint64_t *)g->offsets)[k + 1];
    reference_sort(s->type, s->in.data, first, end, &s->options, s->permutation);
  }
  for (size_t i = 0; i < s->n; i++)
    memcpy((char *)s->right.data + i * s->size, (const char *)s->in.data + s->permutation[i] * s->size, s->size);
}

static void sorting_free(sorting *s)
{
  array_free(&s->in);
  array_free(&s->right);
  free(s->permutation);
}

static iw_status sort_with(const setting *at, const sorting *s, const void *in, void *out, const iw_payload *payloads, size_t count)
{
  const iw_sort_options *const o = &s->options, *const given = o->descending || o->end_bit ? o : NULL;
  if (s->segments)
    return sort_segments(at->context, s->type, s->segments, in, s->n, out, payloads, count, given);
  if (count || !out)
    return sort_payloads(at->context, s->type, in, s->n, out, payloads, count, given);
  return iw_sort(at->context, s->type, in, s->n, out, given);
}

/* What a payload is, and what should become of it. */
typedef struct moved { size_t width; array in, out, right; int indices, in_place; } moved;

static moved moved_new(const sorting *s, size_t width, int indices, int in_place)
{
  moved m = { width, array_new(width, s->n), array_new(width, s->n), array_new(width, s->n), indices, in_place };
  unsigned char *const in = m.in.data, *const right = m.right.data;
  for (size_t i = 0; i < s->n * width; i++)
    in[i] = (unsigned char)random_bits();
  for (size_t i = 0; i < s->n; i++) {
    const uint64_t index = s->permutation[i];
    memcpy(right + i * width, indices ? (const unsigned char *)&index : in + index * width, width);
  }
  if (in_place)
    memcpy(m.out.data, in, s->n * width);
  return m;
}

/* One sort with host memory. round: what moves, and what of it in place. */
static void check_host(const setting *at, const sorting *s, const char *what, unsigned round)
{
  static const size_t widths[] = { 4, 8, 1, 2, 16 };
  const int all = round % 8 == 7, in_place = round / 2 % 2, wanted = round % 4 != 3;
  const size_t count = all ? 8 : round % 3;
  moved payloads[8];
  iw_payload given[8];
  for (size_t i = 0; i < count; i++) {
    const int indices = i >= 5 || (round % 5 == 1 && i == 0), own = round / 2 % 3 == 1 && !indices;
    payloads[i] = moved_new(s, indices ? (i + round / 8) % 2 ? 8 : 4 : widths[(i + round) % 5], indices, own);
    given[i] = payload_of(indices ? NULL : own ? payloads[i].out.data : payloads[i].in.data, payloads[i].out.data, NULL,
                          payloads[i].width);
  }
  array out = array_new(s->size, wanted ? s->n : 0);
  if (wanted && in_place)
    memcpy(out.data, s->in.data, s->n * s->size);
  if (wanted || count)
    MUST(at, sort_with(at, s, wanted && in_place ? out.data : s->in.data, wanted ? out.data : NULL, count ? given : NULL, count));
  SAME(at, what, s->right.data, out.data, wanted ? s->n : 0, s->size);
  ck_assert_msg(array_intact(&out, out.bytes), "%s wrote outside its output", what);
  for (size_t i = 0; i < count; i++) {
    const size_t halves = payloads[i].width == 16 ? 2 : 1;
    char name[160];
    snprintf(name, sizeof name, "payload %zu, of %zu bytes, of %s", i, payloads[i].width, what);
    SAME(at, name, payloads[i].right.data, payloads[i].out.data, s->n * halves, payloads[i].width / halves);
    ck_assert_msg(array_intact(&payloads[i].out, payloads[i].out.bytes), "%s wrote outside its output", name);
    array_free(&payloads[i].in);
    array_free(&payloads[i].out);
    array_free(&payloads[i].right);
  }
  array_free(&out);
}

/* A sort with one payload and an argsort in the context's memory, where the host sees no survey on GPUs. */
static void check_device(const setting *at, const sorting *s, const char *what, int in_place)
{
  char *const in = copy_there(at, s->in.data, s->n * s->size), *const out = in_place ? in : copy_there(at, s->in.data, s->n * s->size);
  uint64_t *const from = malloc(s->n * 8 + 1), *const found = malloc(s->n * 8 + 1);
  for (size_t i = 0; i < s->n; i++)
    from[i] = i * 0x9e3779b97f4a7c15u;
  uint64_t *const p = copy_there(at, from, s->n * 8), *const indices = copy_there(at, from, s->n * 8);
  const iw_payload given[2] = { payload_of(p, p, NULL, 8), payload_of(NULL, indices, NULL, 8) };
  iw_segments there;
  sorting on = *s;
  if (s->segments && s->segments->kind == IW_SEGMENTS_OFFSETS) {
    there = *s->segments;
    there.offsets = copy_there(at, there.offsets, (there.count + 1) * iw_type_size(there.offset_type));
    on.segments = &there;
  }
  MUST(at, sort_with(at, &on, in, out, given, 2));
  MUST(at, iw_memory_copy(at->context, found, indices, s->n * 8));
  SAME(at, what, s->permutation, found, s->n, 8);
  for (size_t i = 0; i < s->n; i++)
    from[i] = s->permutation[i] * 0x9e3779b97f4a7c15u;
  MUST(at, iw_memory_copy(at->context, found, p, s->n * 8));
  SAME(at, what, from, found, s->n, 8);
  char *const elements = malloc(s->n * s->size + 1);
  MUST(at, iw_memory_copy(at->context, elements, out, s->n * s->size));
  SAME(at, what, s->right.data, elements, s->n, s->size);
  if (on.segments != s->segments)
    MUST(at, iw_memory_free(at->context, (void *)(uintptr_t)there.offsets));
  MUST(at, iw_memory_free(at->context, in));
  if (!in_place)
    MUST(at, iw_memory_free(at->context, out));
  MUST(at, iw_memory_free(at->context, p));
  MUST(at, iw_memory_free(at->context, indices));
  free(elements);
  free(from);
  free(found);
}

/* What a call moves, and how, goes round. */
static unsigned ways;

static void check_sort(settings *all, iw_type type, size_t n, int input, const iw_segments *segments)
{
  sorting s = sorting_new(type, n, input, segments);
  char what[120];
  sorting_compute(&s);
  if (input == SORTED || input == REVERSED) { /* the keys in the order, or its reverse */
    for (size_t i = 0; i < n; i++)
      memcpy((char *)s.in.data + (input == SORTED ? i : n - 1 - i) * s.size, (const char *)s.right.data + i * s.size, s.size);
    sorting_compute(&s);
  }
  snprintf(what, sizeof what, "sort of %zu %s (input %d, descending %d, bits %u to %u, %s)", n, iw_type_name(type), input,
           s.options.descending, s.options.begin_bit, s.options.end_bit,
           !segments ? "whole" : segments->kind == IW_SEGMENTS_ROWS ? "rows" : "offsets");
  FOR_SETTINGS(at, all, n) {
    check_host(at, &s, what, ways);
    if (n && on_gpu(at))
      check_device(at, &s, what, ways % 2 != 0);
    ways++;
  }
  sorting_free(&s);
}

START_TEST(elements)
{
  static const size_t sizes[] = { 0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 224, 225, 255, 257, 511, 512, 513, 896, 897, 1023, 1025, 1792, 1793,
                                  3583, 3584, 3585, 8191, 8192, 8193, 16384, 16385, 24577 };
  settings all = settings_open();
  start_random(7000 + (unsigned)_i);
  all.turn = (unsigned)_i;
  ways = (unsigned)_i * 5;
  for (unsigned i = 0; i < COUNT(sizes); i++)
    check_sort(&all, all_types[_i], sizes[i], sizes[i] < 300 ? (int)(i % 3) : RANDOM, NULL);
  for (int input = 0; input < INPUTS; input++) {
    check_sort(&all, all_types[_i], 1 + random_size(300), input, NULL);
    check_sort(&all, all_types[_i], 301 + random_size(20000), input, NULL);
  }
  check_sort(&all, all_types[_i], 270000 + random_below(1000), (int)random_below(INPUTS), NULL);
  settings_close(&all);
}
END_TEST

/* A key of an array of n, of inputs that are bad for sorts by buckets of upper bits. */
enum { EVEN_VALUES, VALUES_OF_ALL_SIZES, CLUSTER, TWO_CLUSTERS, SQUARES, FEW_VALUES, RISE_AND_FALL, SOME_NANS, MANY_CLUSTERS, DISTANT_KEYS, BUCKET_INPUTS };
static double bucket_key(int input, size_t i, size_t n)
{
  const double x = (double)(random_bits() >> 11) * 0x1p-53;
  switch (input) {
  case VALUES_OF_ALL_SIZES: return (double)(random_bits() >> random_below(64));
  case CLUSTER: return random_below(64) ? 1e6 + x : x * 1e9;
  case TWO_CLUSTERS: return (random_below(2) ? 1e9 : 1) + x * 1e3;
  case SQUARES: return 1 / (x * x + 1e-9);
  case FEW_VALUES: return (double)random_below(5) * 1e5;
  case RISE_AND_FALL: return (double)(i < n / 2 ? i : n - i);
  case MANY_CLUSTERS: return (double)random_below(n / 64) * 0x1p40 + (double)random_below(256);
  case DISTANT_KEYS: /* most keys of a cluster have equal upper bits beside its distant one */
    return (double)random_below(n / 1000 + 1) * 0x1p44 + (random_below(500) ? (double)random_below(1 << 16) : 0x1p43);
  default: return x * 4e9;
  }
}

/* Keys of 4 and 8 bytes, alone and with payloads: arrays of about as many elements as a CPU sorts by lanes,
 * as one thread sorts without the others and, in few rounds, as one thread splits without a pass. In place,
 * or not. */
START_TEST(buckets)
{
  static const iw_type of[] = { IW_U32, IW_I32, IW_F32, IW_U64, IW_I64, IW_F64 };
  const iw_type type = of[_i];
  const size_t sizes[] = { 1023, 1024, 2047, 2048, 2049, 4095, 4096, 8191, 8192, 16384, 16385, 70000, 300000, (1 << 22) / iw_type_size(type) + 1 };
  settings all = settings_open();
  start_random(7120 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned round = 0; round < 4 * BUCKET_INPUTS; round++) {
    const int input = (int)(round % BUCKET_INPUTS);
    const size_t n = sizes[round == 12 ? COUNT(sizes) - 1 : random_below(COUNT(sizes) - (round % 8 ? 2 : 1))];
    const iw_segments row = { .size = sizeof row, .kind = IW_SEGMENTS_ROWS, .columns = n };
    sorting s = sorting_new(type, n, RANDOM, round % 4 == 3 ? &row : NULL);
    s.options.begin_bit = s.options.end_bit = 0;
    for (size_t i = 0; i < n; i++) {
      const double key = bucket_key(input, i, n);
      put(type, s.in.data, i, type == IW_F32 ? (word){ .f32 = (float)key } : type == IW_F64 ? (word){ .f64 = key }
                              : (word){ .u64 = type == IW_U32 || type == IW_I32 ? (uint32_t)(uint64_t)key : (uint64_t)key });
    }
    if (input == VALUES_OF_ALL_SIZES) /* the least rank, and the greatest one */
      fill(type, s.in.data, 2 * 50, SPECIAL);
    for (size_t i = 0; input == SOME_NANS && i < n; i += 1 + random_below(round < BUCKET_INPUTS ? 100 : n))
      fill(type, (char *)s.in.data + i * s.size, 1 + random_below(n - i < 50 ? n - i : 50), SPECIAL);
    sorting_compute(&s);
    FOR_SETTINGS(at, &all, s.n) {
      check_host(at, &s, "sort by buckets", round % 2 ? 6 : 0);
      check_host(at, &s, "sort of pairs by buckets", (unsigned)random_below(120));
    }
    sorting_free(&s);
  }
  settings_close(&all);
}
END_TEST

/* Keys of 4 and 8 bytes, alone, with payloads and by indices, that many threads divide by ranks, values or
 * logarithms, and one thread if they have more than 1 MiB: of a sample's range or beyond, with NaNs and
 * infinities, and so that a sample ascends or says that most keys would be in one bucket. */
START_TEST(divided)
{
  static const iw_type of[] = { IW_U32, IW_I32, IW_F32, IW_U64, IW_I64, IW_F64 };
  const iw_type type = of[_i];
  const size_t mebibyte = (1 << 20) / iw_type_size(type);
  const size_t sizes[] = { 16384, 16385, 16416, 20000, 32768, 32769, 65535, 65536, 100003, mebibyte, mebibyte + 1, 2 * mebibyte + 77 };
  static const unsigned threads[] = { 1, 2, 3, 7, 16 };
  const char *sets[8];
  unsigned set_count = 0;
  for (unsigned i = 0; iw_isa_name(i) && set_count < COUNT(sets); i++)
    if (iw_isa_available(iw_isa_name(i)))
      sets[set_count++] = iw_isa_name(i);
  start_random(7160 + (unsigned)_i);
  for (unsigned round = 0; round < 5 * BUCKET_INPUTS; round++) {
    const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU, .threads = threads[round % COUNT(threads)],
                                         .isa = sets[round % 4 ? set_count - 1 : random_below(set_count)] }; /* the best set first */
    const int input = (int)(round / COUNT(threads));
    const size_t n = sizes[random_below(COUNT(sizes))];
    setting at = { options.isa, options.threads, IW_BLOCKS_AUTO, NULL };
    sorting s = sorting_new(type, n, RANDOM, NULL);
    s.options.begin_bit = s.options.end_bit = 0;
    for (size_t i = 0; i < n; i++) {
      const double key = bucket_key(input, i, n) * (is_float(type) && round % 2 ? -1e-9 : 1);
      put(type, s.in.data, i, type == IW_F32 ? (word){ .f32 = (float)key } : type == IW_F64 ? (word){ .f64 = key }
                              : (word){ .u64 = type == IW_U32 || type == IW_I32 ? (uint32_t)(uint64_t)key : (uint64_t)key });
    }
    for (size_t i = random_below(n); round % 3 && i + 8 < n; i += 1 + random_below(n / 4)) /* beyond the range of a sample */
      fill(type, (char *)s.in.data + i * s.size, 1 + random_below(8), SPECIAL);
    sorting_compute(&s);
    ck_assert_msg(iw_context_open(&at.context, &options) == IW_OK, "%s", iw_message());
    check_host(&at, &s, "sort by a division", round % 2 ? 6 : 0);
    check_host(&at, &s, "sort of pairs by a division", (unsigned)random_below(120));
    iw_context_close(at.context);
    sorting_free(&s);
  }
}
END_TEST

/* Floats that are divided by value by fewer than 256 digits: the least one is scaled to their number, or to
 * one less, and must have the first digit. Whole numbers in the shape of a bell. */
START_TEST(few_digits_of_values)
{
  static const size_t sizes[] = { 2047, 2048, 2049, 3000, 4095, 4096 };
  settings all = settings_open();
  start_random(7190);
  for (unsigned i = 0; i < 4 * COUNT(sizes); i++) {
    const iw_type type = i % 2 ? IW_F64 : IW_F32;
    sorting s = sorting_new(type, sizes[i / 4], RANDOM, NULL);
    s.options.begin_bit = s.options.end_bit = 0;
    for (size_t k = 0; k < s.n; k++) {
      double sum = 0;
      for (int q = 0; q < 6; q++)
        sum += random_unit();
      const double key = floor(sum * 3e5);
      put(type, s.in.data, k, type == IW_F32 ? (word){ .f32 = (float)key } : (word){ .f64 = key });
    }
    sorting_compute(&s);
    FOR_SETTINGS(at, &all, s.n)
      check_host(at, &s, "sort of pairs by few digits", i);
    sorting_free(&s);
  }
  settings_close(&all);
}
END_TEST

/* Keys of 8 bytes, as many as GPUs sort in blocks and merge, and one more; by all bits, and by as few and one
 * more than passes need. In place, and not. */
START_TEST(merged_blocks)
{
  static const struct { iw_type type; size_t n; unsigned end_bit; } cases[] = {
    { IW_U64, 1 << 18, 0 }, { IW_F64, (1 << 18) + 1, 0 }, { IW_I64, 40000, 32 }, { IW_U64, 40000, 33 },
  };
  settings all = settings_open();
  start_random(7130 + (unsigned)_i);
  sorting s = sorting_new(cases[_i].type, cases[_i].n, RANDOM, NULL);
  s.options.begin_bit = 0;
  s.options.end_bit = cases[_i].end_bit;
  sorting_compute(&s);
  FOR_SETTINGS(at, &all, s.n)
    for (unsigned round = 0; round <= 6 && on_gpu(at); round += 6)
      check_host(at, &s, "sort in blocks and merges", round);
  sorting_free(&s);
  settings_close(&all);
}
END_TEST

/* Keys of 8 bytes of which GPUs sort the upper bits by passes, and then runs of equal ones: short runs, with
 * equal keys in them, so many that they lie across tiles; runs about as long as a block sorts, of keys that
 * no sample has; and equal upper bits in the sample. */
enum { SHORT_RUNS, LONG_RUNS, SAMPLED_RUNS, RUNS };

static void fill_upper_bits(iw_type type, void *data, size_t n, int runs)
{
  enum { UPPER = 24, SAMPLED = 512 }; /* as GPUs have it of so few keys */
  const uint64_t lower = UINT64_MAX >> UPPER, few = (uint64_t)3 << random_below(60 - UPPER);
  const size_t length = runs == LONG_RUNS ? 121 + random_below(15) + random_below(2) * 640 : 1 + random_below(7);
  uint64_t upper = 0;
  size_t left = 0;
  for (size_t i = 0; i < n; i++) {
    const int is_sampled = i % (n / SAMPLED) == 0;
    if (!left && (runs == SHORT_RUNS || i < n / 2)) {
      left = length;
      upper = random_bits() & ~lower;
    }
    const int in_run = left && is_sampled == (runs == SAMPLED_RUNS);
    left -= (size_t)in_run;
    put(type, data, i, (word){ .u64 = in_run ? upper | (random_bits() & (runs == SHORT_RUNS ? few : lower)) : random_bits() });
  }
}

START_TEST(upper_bits)
{
  static const iw_type of[] = { IW_U64, IW_F64, IW_I64 };
  static const size_t sizes[] = { 8193, 12 * 768 - 1, 12 * 768, 12 * 768 + 1, 30000, 40000 };
  settings all = settings_open();
  start_random(7280 + (unsigned)_i);
  for (unsigned round = 0; round < COUNT(sizes) * RUNS; round++) {
    sorting s = sorting_new(of[_i], sizes[round / RUNS], RANDOM, NULL);
    s.options.begin_bit = s.options.end_bit = 0; /* or an even number of passes */
    if (round % 4 == 1 && of[_i] != IW_F64) {
      s.options.begin_bit = round % 8 == 1 ? 16 : 8;
      s.options.end_bit = s.options.begin_bit + 48;
    }
    fill_upper_bits(of[_i], s.in.data, s.n, (int)(round % RUNS));
    sorting_compute(&s);
    FOR_SETTINGS(at, &all, s.n)
      if (on_gpu(at)) {
        check_host(at, &s, "sort by upper bits", ways);
        check_device(at, &s, "sort by upper bits on the device", ways % 2 != 0);
        ways++;
      }
    sorting_free(&s);
  }
  settings_close(&all);
}
END_TEST

/* Every value of a type of 2 bytes, in a random order, more than once: all NaNs among them. */
START_TEST(all_halves)
{
  static const iw_type of[] = { IW_F16, IW_BF16, IW_I16, IW_U16 };
  settings all = settings_open();
  start_random(7100 + (unsigned)_i);
  sorting s = sorting_new(of[_i], 65536 + 5000, RANDOM, NULL);
  s.options.begin_bit = s.options.end_bit = 0;
  uint16_t *const in = s.in.data;
  for (size_t i = 0; i < s.n; i++)
    in[i] = (uint16_t)i;
  for (size_t i = s.n - 1; i > 0; i--) {
    const size_t j = random_below(i + 1);
    const uint16_t x = in[i];
    in[i] = in[j];
    in[j] = x;
  }
  sorting_compute(&s);
  FOR_SETTINGS(at, &all, s.n)
    check_host(at, &s, "sort of all values", 2 * ways++);
  sorting_free(&s);
  settings_close(&all);
}
END_TEST

START_TEST(segments)
{
  settings all = settings_open();
  start_random(7200 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned round = 0; round < 10; round++) {
    const size_t most = round % 2 ? 6000 : 200, rows = 1 + random_size(most / 2), columns = 1 + random_size(most / rows + 1);
    const iw_segments of_rows = { .size = sizeof of_rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
    check_sort(&all, all_types[_i], rows * columns, (int)random_below(INPUTS), &of_rows);
    const size_t count = 1 + random_size(most), n = random_size(2 * most);
    const iw_type offset_type = random_below(2) ? IW_U32 : IW_U64;
    uint64_t *const wide_offsets = malloc((count + 1) * 8);
    uint32_t *const narrow_offsets = malloc((count + 1) * 4);
    for (size_t k = 0; k <= count; k++) { /* in random places, many of them empty */
      const uint64_t least = k ? wide_offsets[k - 1] : 0;
      wide_offsets[k] = k == 0 ? 0 : k == count ? n : random_below(3) ? least + random_below((n - least) / (count - k + 1) * 2 + 1) : least;
      wide_offsets[k] = wide_offsets[k] < n ? wide_offsets[k] : n;
      narrow_offsets[k] = (uint32_t)wide_offsets[k];
    }
    const iw_segments of_offsets = {
      .size = sizeof of_offsets, .kind = IW_SEGMENTS_OFFSETS, .offset_type = offset_type, .count = count,
      .offsets = offset_type == IW_U32 ? (const void *)narrow_offsets : (const void *)wide_offsets,
    };
    check_sort(&all, all_types[_i], n, (int)random_below(INPUTS), &of_offsets);
    free(wide_offsets);
    free(narrow_offsets);
  }
  settings_close(&all);
}
END_TEST

/* Short rows, of which a block may sort many at once: of as many elements as it has then, and a few more. */
START_TEST(short_rows)
{
  enum { MOST_COLUMNS = 14, LEAST_N = 2100 };
  settings all = settings_open();
  start_random(7240 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (size_t columns = 1; columns <= MOST_COLUMNS; columns++) {
    const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
    check_sort(&all, all_types[_i], (LEAST_N / columns + 1) * columns, (int)random_below(INPUTS), &rows);
  }
  settings_close(&all);
}
END_TEST

/* Rows and arrays of keys alone, which a CPU sorts by lanes: fewer rows than that is done for, as many as
 * a cache line has keys, and one more and less; of lengths at which its network has more levels, of as
 * many elements as its memory has place for in one run, or in several ones, and one more; arrays as long
 * as any that are sorted so, and one element longer. In every other round some rows have NaNs of several
 * payloads. */
START_TEST(rows_of_keys)
{
  static const size_t columns[] = { 1, 2, 3, 8, 9, 16, 17, 33, 65, 100, 129, 257, 500, 513, 632, 633, 1009, 2048, 2049, 2600, 4097, 8193, 32769 },
                      arrays[] = { 513, 2000, 8192, 8193, 32768, 32769, 65536, 65537 }, rows[] = { 1, 3, 4, 7, 8, 9, 15, 16, 17, 71 };
  settings all = settings_open();
  start_random(7245 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned round = 0; round < 2 * (COUNT(columns) + COUNT(arrays)); round++) {
    const int is_array = round / 2 >= COUNT(columns);
    const size_t n = is_array ? arrays[round / 2 - COUNT(columns)] : columns[round / 2];
    const size_t count = is_array ? 1 : rows[random_below(n > 8192 ? 1 : n > 2048 ? 5 : COUNT(rows))];
    const iw_segments segments = { .size = sizeof segments, .kind = IW_SEGMENTS_ROWS, .columns = n };
    sorting s = sorting_new(all_types[_i], count * n, RANDOM, is_array ? NULL : &segments);
    s.options.begin_bit = s.options.end_bit = 0;
    fill(s.type, s.in.data, s.n, random_below(3) ? WIDE : TINY);
    for (size_t r = 0; round % 2 && r < 3; r++)
      fill(s.type, (char *)s.in.data + random_below(count) * n * s.size, n, SPECIAL);
    sorting_compute(&s);
    FOR_SETTINGS(at, &all, s.n)
      check_host(at, &s, "sort of rows of keys", random_below(2) ? 6 : 0); /* in place, or not */
    sorting_free(&s);
  }
  settings_close(&all);
}
END_TEST

/* A payload that begins where keys do, and whose values are wider or narrower, is no array of keys. */
START_TEST(payload_in_keys)
{
  enum { ROWS = 24, COLUMNS = 5, N = ROWS * COLUMNS };
  static const uint32_t widths[] = { 1, 2, 8, 16 };
  uint32_t keys[4 * N];
  unsigned char found[16 * N], right[16 * N];
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = COLUMNS };
  settings all = settings_open();
  start_random(7247);
  for (size_t i = 0; i < COUNT(keys); i++)
    keys[i] = (uint32_t)random_below(0x7fffffff);
  FOR_SETTINGS(at, &all, 1)
    for (size_t w = 0; w < COUNT(widths); w++) {
      const iw_payload payload = { .size = sizeof payload, .in = keys, .out = found, .width = widths[w] };
      for (size_t i = 0; i < N; i++) {
        const size_t row = i / COLUMNS * COLUMNS;
        size_t place = row;
        for (size_t k = row; k < row + COLUMNS; k++)
          place += keys[k] < keys[i] || (keys[k] == keys[i] && k < i);
        memcpy(right + place * widths[w], (const char *)keys + i * widths[w], widths[w]);
      }
      memset(found, 0xa5, sizeof found);
      MUST(at, iw_sort(at->context, IW_U32, keys, N, NULL,
                       IW_OPTIONS(iw_sort_options, .segments = &rows, .payloads = &payload, .payload_count = 1)));
      SAME(at, "a payload in keys", right, found, N, widths[w]);
      for (size_t i = N * widths[w]; i < sizeof found; i++)
        ck_assert_uint_eq(found[i], 0xa5);
    }
  settings_close(&all);
}
END_TEST

/* Segments and rows of as many elements as a block of each size sorts at most, one less, and one more; and,
 * in every other round, a segment that is too long for all blocks. */
START_TEST(segments_of_blocks)
{
  static const size_t capacities[] = { 1, 32, 64, 128, 224, 512, 896, 1792, 3584 };
  enum { MOST = 4 * COUNT(capacities) + 2 };
  settings all = settings_open();
  start_random(7250 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned round = 0; round < 2; round++) {
    uint32_t offsets[MOST + 1] = { 0 };
    size_t count = 0;
    for (size_t k = 0; k < COUNT(capacities); k++)
      for (size_t length = capacities[k] - 1; length <= capacities[k] + 1; length++) {
        if (length > 3584 && round == 0)
          continue;
        offsets[count + 1] = offsets[count] + (uint32_t)length;
        count++;
      }
    const iw_segments of_offsets = { .size = sizeof of_offsets, .kind = IW_SEGMENTS_OFFSETS, .offset_type = IW_U32, .count = count,
                                     .offsets = offsets };
    check_sort(&all, all_types[_i], offsets[count], (int)random_below(INPUTS), &of_offsets);
    const size_t columns = capacities[(size_t)_i % COUNT(capacities)] + round;
    const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
    check_sort(&all, all_types[_i], 3 * columns, (int)random_below(INPUTS), &rows);
  }
  settings_close(&all);
}
END_TEST

/* Enough keys for a survey whose result only the device reads, which a simulated GPU of one multiprocessor
 * has soon: digits are constant in many ways. */
START_TEST(planned_on_device)
{
  static const iw_type of[] = { IW_U32, IW_U64, IW_F32, IW_F64, IW_I64, IW_I32 };
  setenv("ISOWARP_SIM_PROCESSORS", "1", 1);
  settings all = settings_open();
  start_random(7270 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned round = 0; round < 6; round++) {
    const size_t n = 8192 + random_below(20000);
    check_sort(&all, of[_i], n, round % 3 ? SOME_BITS : EQUAL, NULL);
    const uint32_t offsets[] = { 0, 0, (uint32_t)random_below(round < 3 ? 3000 : n / 2), (uint32_t)n };
    const iw_segments segments = { .size = sizeof segments, .kind = IW_SEGMENTS_OFFSETS, .offset_type = IW_U32, .count = 3, .offsets = offsets };
    check_sort(&all, of[_i], n, SOME_BITS, &segments);
  }
  settings_close(&all);
  unsetenv("ISOWARP_SIM_PROCESSORS");
}
END_TEST

/* Argsort is the sort of indices. */
START_TEST(indices)
{
  settings all = settings_open();
  start_random(7300);
  for (unsigned round = 0; round < 20; round++) {
    sorting s = sorting_new(all_types[random_below(TYPES)], random_size(round % 2 ? 9000 : 300), (int)random_below(INPUTS), NULL);
    sorting_compute(&s);
    uint32_t *const right = malloc(s.n * 4 + 1);
    for (size_t i = 0; i < s.n; i++)
      right[i] = (uint32_t)s.permutation[i];
    array narrow = array_new(4, s.n), wide_ones = array_new(8, s.n);
    FOR_SETTINGS(at, &all, s.n) {
      MUST(at, iw_argsort(at->context, s.type, s.in.data, s.n, (iw_indices){ narrow.data, 4 }, &s.options));
      SAME(at, "argsort", right, narrow.data, s.n, 4);
      MUST(at, iw_argsort(at->context, s.type, s.in.data, s.n, (iw_indices){ wide_ones.data, 8 }, &s.options));
      SAME(at, "argsort", s.permutation, wide_ones.data, s.n, 8);
      ck_assert(array_intact(&narrow, narrow.bytes) && array_intact(&wide_ones, wide_ones.bytes));
    }
    array_free(&narrow);
    array_free(&wide_ones);
    free(right);
    sorting_free(&s);
  }
  settings_close(&all);
}
END_TEST

#define REFUSED_UNCHANGED(call, code, part) do { \
  ck_assert_int_eq(call, code); \
  ck_assert_msg(strstr(iw_message(), part), "%s: \"%s\" lacks \"%s\"", #call, iw_message(), part); \
  ck_assert_mem_eq(in, before, sizeof in); } while (0)

/* Of a count of 0 the list of payloads is not looked at. */
START_TEST(no_payloads)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    const uint32_t in[3] = { 3, 1, 2 };
    uint32_t out[3], first[2];
    uint64_t to[3] = { 7, 7, 7 };
    const iw_payload p = payload_of(NULL, to, NULL, 8);
    const iw_sort_options o = { .size = sizeof o, .payloads = &p };
    MUST(at, iw_sort(at->context, IW_U32, in, 3, out, &o));
    MUST(at, iw_top_k(at->context, IW_U32, in, 3, 2, first, &o));
    ck_assert(out[0] == 1 && out[1] == 2 && out[2] == 3 && first[0] == 1 && first[1] == 2);
    ck_assert(to[0] == 7 && to[1] == 7 && to[2] == 7);
  }
  settings_close(&all);
}
END_TEST

START_TEST(refused)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    _Alignas(16) uint32_t in[96], before[96];
    for (unsigned i = 0; i < COUNT(in); i++)
      in[i] = before[i] = i * 37 % 101;
    uint32_t *const out = in + 32, *const to = in + 64;
    uint32_t offsets[] = { 0, 7, 32 };
    iw_payload p = payload_of(in, to, NULL, 4);
    iw_sort_options o = { .size = sizeof o };
    iw_segments g = { .size = sizeof g, .kind = IW_SEGMENTS_OFFSETS, .offsets = offsets, .offset_type = IW_U32, .count = 2 };
    const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = 5 },
                      columns = { .size = sizeof columns, .kind = IW_SEGMENTS_COLUMNS, .columns = 8 };
    REFUSED_UNCHANGED(iw_sort(NULL, IW_U32, in, 32, out, NULL), IW_ERROR_INVALID, "context");
    REFUSED_UNCHANGED(iw_sort(c, (iw_type)44, in, 32, out, NULL), IW_ERROR_INVALID, "44");
    REFUSED_UNCHANGED(iw_sort(c, IW_U32, NULL, 32, out, NULL), IW_ERROR_INVALID, "in is NULL");
    REFUSED_UNCHANGED(iw_sort(c, IW_U32, in, 32, NULL, NULL), IW_ERROR_INVALID, "out is NULL");
    REFUSED_UNCHANGED(sort_payloads(c, IW_U32, in, 32, NULL, &p, 0, NULL), IW_ERROR_INVALID, "out is NULL");
    REFUSED_UNCHANGED(iw_sort(c, IW_U32, (char *)in + 2, 31, out, NULL), IW_ERROR_INVALID, "aligned");
    REFUSED_UNCHANGED(iw_sort(c, IW_U32, in, SIZE_MAX / 4, out, NULL), IW_ERROR_INVALID, "at most");
    REFUSED_UNCHANGED(iw_sort(c, IW_U32, in, 32, in + 1, NULL), IW_ERROR_OVERLAP, "overlap");
    o.size--;
    REFUSED_UNCHANGED(iw_sort(c, IW_U32, in, 32, out, &o), IW_ERROR_INVALID, "options->size");
    o.size++;
    o.end_bit = 33;
    REFUSED_UNCHANGED(iw_sort(c, IW_U32, in, 32, out, &o), IW_ERROR_INVALID, "options->end_bit is 33; valid are 1 to 32");
    o.begin_bit = o.end_bit = 9;
    REFUSED_UNCHANGED(iw_sort(c, IW_U32, in, 32, out, &o), IW_ERROR_INVALID, "options->begin_bit is 9");
    o.begin_bit = 3;
    REFUSED_UNCHANGED(iw_sort(c, IW_F32, in, 32, out, &o), IW_ERROR_INVALID, "floats are compared by all bits");
    REFUSED_UNCHANGED(iw_argsort(c, IW_U32, in, 32, (iw_indices){ out, 3 }, NULL), IW_ERROR_INVALID, "indices.width");
    REFUSED_UNCHANGED(iw_argsort(c, IW_U32, in, 32, (iw_indices){ NULL, 4 }, NULL), IW_ERROR_INVALID, "indices is NULL");
    REFUSED_UNCHANGED(iw_argsort(c, IW_U8, in, (size_t)1 << 33, (iw_indices){ out, 4 }, NULL), IW_ERROR_OVERFLOW, "8589934592");
    REFUSED_UNCHANGED(sort_payloads(c, IW_U32, in, 32, out, NULL, 1, NULL), IW_ERROR_INVALID, "payloads is NULL");
    REFUSED_UNCHANGED(sort_payloads(c, IW_U32, in, 32, out, &p, IW_MAX_PAYLOADS + 1, NULL), IW_ERROR_INVALID, "payload_count is 9");
    REFUSED_UNCHANGED(sort_payloads(c, IW_U32, in, 32, in, &p, 1, NULL), IW_ERROR_OVERLAP, "payloads[0].in");
    p.width = 3;
    REFUSED_UNCHANGED(sort_payloads(c, IW_U32, in, 32, out, &p, 1, NULL), IW_ERROR_INVALID, "payloads[0].width is 3");
    p = payload_of(in, to, out, 4);
    REFUSED_UNCHANGED(sort_payloads(c, IW_U32, in, 32, out, &p, 1, NULL), IW_ERROR_INVALID, "payloads[0].rest");
    p = payload_of(in, out + 1, NULL, 4);
    REFUSED_UNCHANGED(sort_payloads(c, IW_U32, in, 32, out, &p, 1, NULL), IW_ERROR_OVERLAP, "payloads[0].out");
    REFUSED_UNCHANGED(sort_segments(c, IW_U32, &rows, in, 32, out, NULL, 0, NULL), IW_ERROR_INVALID, "segments->columns, which is 5");
    REFUSED_UNCHANGED(sort_segments(c, IW_U32, &columns, in, 32, out, NULL, 0, NULL), IW_ERROR_INVALID, "segments->kind");
    REFUSED_UNCHANGED(sort_segments(c, IW_U32, &g, in, 31, out, NULL, 0, NULL), IW_ERROR_INVALID, "offsets[2] is 32");
    REFUSED_UNCHANGED(sort_segments(c, IW_U32, &g, in, 33, out, NULL, 0, NULL), IW_ERROR_OVERLAP, "overlap");
    offsets[0] = 1;
    REFUSED_UNCHANGED(sort_segments(c, IW_U32, &g, in, 32, out, NULL, 0, NULL), IW_ERROR_INVALID, "offsets[0] is 1; valid is 0");
    offsets[0] = 0;
    offsets[2] = 31;
    REFUSED_UNCHANGED(sort_segments(c, IW_U32, &g, in, 32, out, NULL, 0, NULL), IW_ERROR_INVALID, "offsets[2] is 31; valid is n");
    offsets[1] = 40;
    REFUSED_UNCHANGED(sort_segments(c, IW_U32, &g, in, 32, out, NULL, 0, NULL), IW_ERROR_INVALID, "less than segments->offsets[1]");
    g.count = 0;
    REFUSED_UNCHANGED(sort_segments(c, IW_U32, &g, in, 32, out, NULL, 0, NULL), IW_ERROR_INVALID, "segments->count is 0");
    g.offset_type = IW_I32;
    REFUSED_UNCHANGED(sort_segments(c, IW_U32, &g, in, 32, out, NULL, 0, NULL), IW_ERROR_INVALID, "segments->offset_type");
  }
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("sort");
  TCase *c = new_case(suite, "sort");
  tcase_add_test(c, refused);
  tcase_add_loop_test(c, elements, 0, TYPES);
  tcase_add_loop_test(c, buckets, 0, 6);
  tcase_add_loop_test(c, divided, 0, 6);
  tcase_add_test(c, few_digits_of_values);
  tcase_add_loop_test(c, merged_blocks, 0, 4);
  tcase_add_loop_test(c, upper_bits, 0, 3);
  tcase_add_loop_test(c, all_halves, 0, 4);
  tcase_add_loop_test(c, segments, 0, TYPES);
  tcase_add_loop_test(c, short_rows, 0, TYPES);
  tcase_add_loop_test(c, rows_of_keys, 0, TYPES);
  tcase_add_test(c, payload_in_keys);
  tcase_add_loop_test(c, segments_of_blocks, 0, TYPES);
  tcase_add_loop_test(c, planned_on_device, 0, 6);
  tcase_add_test(c, indices);
  tcase_add_test(c, no_payloads);
  return run_suite_on_all(suite);
}
