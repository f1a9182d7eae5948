/* SPDX-License-Identifier: Apache-2.0
 *
 * The radix split of bucket ids, below the public calls: arrays and ids of every width, one and more
 * passes. The simulated GPU has the GPU's schedule, ranked tiles. The suite reaches into the library.
 */
#include "reference.h"
#include "algorithms/common/kernel_ids.h"
#include "algorithms/histogram/histogram.h"
#include "algorithms/multisplit/radix_split.h"
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/memory.h"

enum { MOST_BUCKETS = 70000, ARRAYS = 3 };

/* What is split, and what has to come out of it. */
typedef struct splitting {
  size_t n, buckets, count;
  unsigned bytes, shift, bits;
  array numbers;
  array in[ARRAYS], right[ARRAYS]; /* in: its base is NULL where the elements' numbers are moved */
  size_t width[ARRAYS];
  int own;                         /* the first array is the numbers' */
  uint64_t *offsets;
} splitting;

enum { EVENLY, MOSTLY_ONE, ONE, SORTED, WAYS };

static uint64_t bucket_of(const splitting *s, int way, size_t i)
{
  switch (way) {
  case EVENLY: return random_below(s->buckets);
  case MOSTLY_ONE: return random_below(9) ? s->buckets / 3 : random_below(s->buckets);
  case ONE: return s->buckets - 1;
  default: return i * s->buckets / s->n;
  }
}

/* keys: of 4 bytes, alone, which are the numbers; else any arrays. */
static splitting splitting_new(size_t n, size_t buckets, int way, int keys)
{
  splitting s = { .n = n, .buckets = buckets, .count = keys ? 1 : random_below(ARRAYS + 1),
                  .bytes = keys ? 4 : 1u << random_below(4) };
  while ((buckets - 1) >> s.bits)
    s.bits++;
  while (8 * s.bytes < s.bits)
    s.bytes *= 2;
  s.shift = random_below(2) ? (unsigned)random_below(8 * s.bytes - s.bits + 1) % 64 : 0;
  s.numbers = array_new(s.bytes, n);
  s.own = keys || (s.count && random_below(2));
  s.offsets = calloc(buckets + 1, sizeof *s.offsets);
  uint64_t *const bucket = malloc(n * sizeof *bucket), *const next = malloc(buckets * sizeof *next);
  for (size_t i = 0; i < n; i++) {
    const uint64_t mask = (((uint64_t)1 << s.bits) - 1) << s.shift;
    bucket[i] = bucket_of(&s, way, i);
    const word w = { .u64 = (random_bits() & ~mask) | bucket[i] << s.shift };
    put(s.bytes == 1 ? IW_U8 : s.bytes == 2 ? IW_U16 : s.bytes == 4 ? IW_U32 : IW_U64, s.numbers.data, i, w);
    s.offsets[bucket[i] + 1]++;
  }
  for (size_t b = 0; b < buckets; b++)
    s.offsets[b + 1] += s.offsets[b];
  for (size_t a = 0; a < s.count; a++) {
    const size_t width = s.width[a] = s.own && a == 0 ? s.bytes : (size_t)1 << random_below(5);
    if (s.own && a == 0)
      s.in[a] = s.numbers;
    else if ((width != 4 && width != 8) || random_below(2)) {
      s.in[a] = array_new(width, n);
      for (size_t i = 0; i < n * width; i++)
        ((unsigned char *)s.in[a].data)[i] = (unsigned char)random_bits();
    }
    s.right[a] = array_new(width, n);
    memcpy(next, s.offsets, buckets * sizeof *next);
    for (size_t i = 0; i < n; i++) {
      const uint64_t number = i;
      memcpy((char *)s.right[a].data + next[bucket[i]]++ * width,
             s.in[a].base ? (char *)s.in[a].data + i * width : (const char *)&number, width);
    }
  }
  free(bucket);
  free(next);
  return s;
}

static void splitting_free(splitting *s)
{
  for (size_t a = 0; a < s->count; a++) {
    if (!(s->own && a == 0))
      array_free(&s->in[a]);
    array_free(&s->right[a]);
  }
  array_free(&s->numbers);
  free(s->offsets);
}

/* The arrays where kernels reach them. */
typedef struct moved_arrays { iw_bucket_keys numbers; iw_move_array moved[ARRAYS]; uint64_t *offsets; } moved_arrays;

static moved_arrays arrays_there(const setting *at, const splitting *s)
{
  moved_arrays m = { .numbers = { copy_there(at, s->numbers.data, s->n * s->bytes), s->bytes, s->shift } };
  for (size_t a = 0; a < s->count; a++) {
    const void *const in = s->own && a == 0 ? m.numbers.at
      : s->in[a].base ? copy_there(at, s->in[a].data, s->n * s->width[a]) : NULL;
    array out = array_new(s->width[a], s->n);
    /* Elements do not begin where lines do. */
    m.moved[a] = (iw_move_array){ in,
                                 (char *)copy_there(at, out.base,
                                                    out.bytes + 2 * FENCE) + FENCE + s->width[a],
                                                        s->width[a] };
    array_free(&out);
  }
  MUST(at, iw_memory_allocate(at->context, (s->buckets + 1) * sizeof(uint64_t), (void **)&m.offsets));
  return m;
}

static void same_there(const setting *at, const splitting *s, moved_arrays *m, const char *what)
{
  uint64_t *const offsets = malloc((s->buckets + 1) * sizeof *offsets);
  MUST(at, iw_memory_copy(at->context, offsets, m->offsets, (s->buckets + 1) * sizeof *offsets));
  SAME(at, what, s->offsets, offsets, s->buckets + 1, sizeof *offsets);
  free(offsets);
  for (size_t a = 0; a < s->count; a++) {
    array out = array_new(s->width[a], s->n);
    char *const base = (char *)m->moved[a].out - FENCE - s->width[a];
    MUST(at, iw_memory_copy(at->context, out.base, base, out.bytes + 2 * FENCE));
    for (size_t i = 0; i < s->n; i++)
      ck_assert_msg(!memcmp((char *)out.data + i * s->width[a], (char *)s->right[a].data + i * s->width[a],
                            s->width[a]),
                    "%s: element %zu of array %zu is wrong (%s, seed %" PRIu64 ")", what, i, a, shape(at).s,
                        test_seed());
    ck_assert_msg(array_intact(&out, out.bytes), "%s: array %zu was written outside (%s)", what, a,
                  shape(at).s);
    array_free(&out);
    MUST(at, iw_memory_free(at->context, base));
    if (!(s->own && a == 0))
      MUST(at, iw_memory_free(at->context, (void *)(uintptr_t)m->moved[a].in));
  }
  MUST(at, iw_memory_free(at->context, (void *)(uintptr_t)m->numbers.at));
  MUST(at, iw_memory_free(at->context, m->offsets));
}

typedef struct split_text { char s[128]; } split_text;
static split_text text_of(const splitting *s, int way)
{
  split_text t;
  snprintf(t.s, sizeof t.s,
           "%zu elements into %zu, way %d, by %u bytes from bit %u, %zu arrays, the first of %zu bytes%s",
           s->n, s->buckets, way, s->bytes, s->shift, s->count, s->width[0],
               s->own ? ", its own numbers" : "");
  return t;
}

static void split_on(const setting *at, const splitting *s, const char *what)
{
  enum { FENCED = 64 };
  unsigned char fence[FENCED], after[FENCED];
  moved_arrays m = arrays_there(at, s);
  const size_t bytes = iw_multisplit_scratch_bytes(at->context, &m.numbers, s->buckets, s->n, m.moved,
                                                   s->count);
  char *memory;
  memset(fence, FENCE_BYTE, FENCED);
  MUST(at, iw_memory_allocate(at->context, bytes + FENCED, (void **)&memory));
  MUST(at, iw_memory_copy(at->context, memory + bytes, fence, FENCED));
  MUST(at, iw_multisplit_by_keys(at->context, &m.numbers, s->buckets, s->n, m.moved, s->count, memory,
                                 m.offsets));
  MUST(at, iw_memory_copy(at->context, after, memory + bytes, FENCED));
  ck_assert_msg(!memcmp(fence, after, FENCED), "%s: wrote behind its memory (%s)", what, shape(at).s);
  MUST(at, iw_memory_free(at->context, memory));
  same_there(at, s, &m, what);
}

static const size_t bucket_counts[] = { 1, 2, 3, 8, 31, 33, 100, 255, 256, 257, 1000, 65535, 65536,
                                       MOST_BUCKETS };
enum { BUCKET_COUNTS = sizeof bucket_counts / sizeof *bucket_counts };

START_TEST(splits)
{
  static const size_t sizes[] = { 1, 257, 1000, 8193, 100001 };
  settings all = settings_open();
  start_random(4200 + (uint64_t)_i);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    if (sizes[k] <= 300 && _i % 4 != 2) /* where all settings are tried */
      continue;
    const int way = (int)random_below(WAYS);
    splitting s = splitting_new(sizes[k], bucket_counts[_i], way, 0);
    const split_text what = text_of(&s, way);
    FOR_SETTINGS(at, &all, s.n) split_on(at, &s, what.s);
    splitting_free(&s);
  }
  settings_close(&all);
}
END_TEST

/* So many that a CPU grows piles, and writes them past the caches. */
START_TEST(large_splits)
{
  settings all = settings_open();
  start_random(4300 + (uint64_t)_i);
  const size_t n = 1100003 + (size_t)_i;
  splitting s = splitting_new(n, bucket_counts[random_below(BUCKET_COUNTS)], _i, 0);
  const split_text what = text_of(&s, _i);
  FOR_SETTINGS(at, &all, s.n) split_on(at, &s, what.s);
  splitting_free(&s);
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("radix split");
  TCase *c = new_case(suite, "radix split");
  tcase_add_loop_test(c, splits, 0, BUCKET_COUNTS);
  tcase_add_loop_test(c, large_splits, EVENLY, ONE);
  return run_suite_on_all(suite);
}
