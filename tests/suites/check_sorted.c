/* SPDX-License-Identifier: Apache-2.0
 *
 * Of all types: lower and upper bounds of values in sorted arrays, where an array is not sorted, and merges
 * of two arrays.
 */
#include "reference_sort.h"

#include <isowarp.h>

enum { TYPES = MOVED_TYPES };
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The bounds of `count` values, by the definition: each element is compared with each value. both:
 * elements, then values. */
static void reference_bounds(iw_type type, const void *both, size_t n, size_t count, const iw_sort_options *o, uint64_t *lower,
                             uint64_t *upper)
{
  for (size_t k = 0; k < count; k++) {
    lower[k] = upper[k] = 0;
    for (size_t i = 0; i < n; i++) {
      lower[k] += (uint64_t)comes_before(type, both, i, n + k, o);
      upper[k] += (uint64_t)!comes_before(type, both, n + k, i, o);
    }
  }
}

static void check_indices(const setting *at, const char *what, const uint64_t *right, const array *found, size_t count, size_t width)
{
  uint32_t *const narrow = malloc(count * 4 + 1);
  for (size_t k = 0; k < count; k++)
    narrow[k] = (uint32_t)right[k];
  SAME(at, what, width == 8 ? (const void *)right : narrow, found->data, count, width);
  ck_assert_msg(array_intact(found, found->bytes), "%s wrote outside its output", what);
  free(narrow);
}

/* The same with all arrays in the context's memory. */
static void check_device(const setting *at, const char *what, iw_type type, const array *sorted, size_t n, const array *values,
                         size_t count, const iw_sort_options *options, const uint64_t *upper)
{
  const size_t size = iw_type_size(type);
  array found = array_new(8, count);
  void *const in = copy_there(at, sorted->data, n * size), *const of = copy_there(at, values->data, count * size);
  void *const to = copy_there(at, found.data, count * 8);
  MUST(at, iw_bounds(at->context, IW_UPPER_BOUND, type, (iw_elements){ in, n }, (iw_elements){ of, count }, (iw_indices){ to, 8 }, options));
  MUST(at, iw_memory_copy(at->context, found.data, to, count * 8));
  check_indices(at, what, upper, &found, count, 8);
  MUST(at, iw_memory_free(at->context, in));
  MUST(at, iw_memory_free(at->context, of));
  MUST(at, iw_memory_free(at->context, to));
  array_free(&found);
}

static void check_bounds(settings *all, iw_type type, size_t n, size_t count, int flavour)
{
  const size_t size = iw_type_size(type);
  const unsigned bits = 8 * (unsigned)size;
  iw_sort_options o = { .size = sizeof o, .descending = (int)random_below(2) };
  if (!is_float(type) && random_below(3) == 0) {
    o.begin_bit = (unsigned)random_below(bits);
    o.end_bit = o.begin_bit + 1 + (unsigned)random_below(bits - o.begin_bit);
  }
  array given = array_new(size, n + count), both = array_new(size, n + count), sorted = array_new(size, n), values = array_new(size, count);
  size_t *const permutation = malloc((n + 1) * sizeof *permutation);
  uint64_t *const lower = malloc(count * 8 + 1), *const upper = malloc(count * 8 + 1);
  char what[120];
  fill(type, given.data, n + count, flavour);
  for (size_t k = 0; k < count && n; k += 2) /* half of the values are elements */
    put(type, given.data, n + k, element(type, given.data, random_below(n)));
  reference_sort(type, given.data, 0, n, &o, permutation);
  for (size_t i = 0; i < n + count; i++)
    put(type, both.data, i, element(type, given.data, i < n ? permutation[i] : i));
  memcpy(sorted.data, both.data, n * size);
  memcpy(values.data, (const char *)both.data + n * size, count * size);
  reference_bounds(type, both.data, n, count, &o, lower, upper);
  snprintf(what, sizeof what, "bounds of %zu values in %zu %s (descending %d, bits %u to %u)", count, n, iw_type_name(type),
           o.descending, o.begin_bit, o.end_bit);
  FOR_SETTINGS(at, all, n + count) {
    if (n && count && on_gpu(at))
      check_device(at, what, type, &sorted, n, &values, count, &o, upper);
    for (size_t width = 4; width <= 8; width += 4) {
      const iw_type index_type = width == 4 ? IW_U32 : IW_U64;
      const iw_sort_options *const options = o.descending || o.end_bit ? &o : NULL;
      array found = array_new(width, count);
      MUST(at, iw_bounds(at->context, IW_LOWER_BOUND, type, (iw_elements){ sorted.data, n }, (iw_elements){ values.data, count }, (iw_indices){ found.data, (unsigned)iw_type_size(index_type) }, options));
      check_indices(at, what, lower, &found, count, width);
      MUST(at, iw_bounds(at->context, IW_UPPER_BOUND, type, (iw_elements){ sorted.data, n }, (iw_elements){ values.data, count }, (iw_indices){ found.data, (unsigned)iw_type_size(index_type) }, options));
      check_indices(at, what, upper, &found, count, width);
      array_free(&found);
    }
  }
  array_free(&given);
  array_free(&both);
  array_free(&sorted);
  array_free(&values);
  free(permutation);
  free(lower);
  free(upper);
}

START_TEST(bounds)
{
  static const size_t sizes[] = { 0, 1, 2, 3, 4, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257 };
  static const size_t of_pages[] = { 8191, 8192, 16385, 32768, 49151, 65537 }; /* steps of a CPU go over less than half */
  settings all = settings_open();
  start_random(7500 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = 0; i < COUNT(sizes); i++) {
    check_bounds(&all, all_types[_i], sizes[i], 70, (int)random_below(FLAVOURS));
    check_bounds(&all, all_types[_i], 100, sizes[i], SPECIAL);
  }
  for (int round = 0; round < 8; round++)
    check_bounds(&all, all_types[_i], random_size(2000), random_size(500), round % 2 ? SPECIAL : (int)random_below(FLAVOURS));
  check_bounds(&all, all_types[_i], 50, 5000, SPECIAL); /* several blocks */
  for (unsigned i = 0; i < COUNT(of_pages); i++)
    check_bounds(&all, all_types[_i], of_pages[i], 70, (int)random_below(FLAVOURS));
  settings_close(&all);
}
END_TEST

/* ---- Sorted until ------------------------------------------------------------------------------------ */

static iw_sort_options random_options(iw_type type)
{
  const unsigned bits = 8 * (unsigned)iw_type_size(type);
  iw_sort_options o = { .size = sizeof o, .descending = (int)random_below(2) };
  if (!is_float(type) && random_below(3) == 0) {
    o.begin_bit = (unsigned)random_below(bits);
    o.end_bit = o.begin_bit + 1 + (unsigned)random_below(bits - o.begin_bit);
  }
  return o;
}

/* Sorts an array by the reference. */
static void sort_elements(iw_type type, void *data, size_t n, const iw_sort_options *o)
{
  const size_t size = iw_type_size(type);
  size_t *const permutation = malloc((n + 1) * sizeof *permutation);
  char *const sorted = malloc(n * size + 1);
  reference_sort(type, data, 0, n, o, permutation);
  for (size_t i = 0; i < n; i++)
    memcpy(sorted + i * size, (const char *)data + permutation[i] * size, size);
  memcpy(data, sorted, n * size);
  free(sorted);
  free(permutation);
}

/* Sorted elements, of which `wrong` at random places are replaced; and the one at `first`, if it is not 0,
 * by the least one. */
static void check_until(settings *all, iw_type type, size_t n, int wrong, size_t first)
{
  const iw_sort_options o = random_options(type);
  const size_t size = iw_type_size(type);
  array in = array_new(size, n);
  fill(type, in.data, n, SPECIAL);
  sort_elements(type, in.data, n, &o);
  for (int k = 0; k < wrong && n; k++)
    put(type, in.data, k ? random_below(n) : n - 1, random_word(type, SPECIAL));
  if (first)
    memcpy((char *)in.data + first * size, in.data, size);
  size_t right = n ? 1 : 0;
  while (right < n && !comes_before(type, in.data, right, right - 1, &o))
    right++;
  char what[120];
  snprintf(what, sizeof what, "sorted until, of %zu %s (descending %d, bits %u to %u)", n, iw_type_name(type), o.descending, o.begin_bit,
           o.end_bit);
  FOR_SETTINGS(at, all, n) {
    size_t until = SIZE_MAX;
    MUST(at, iw_is_sorted_until(at->context, type, in.data, n, &until, &o));
    SAME(at, what, &right, &until, 1, sizeof until);
    if (n && on_gpu(at)) {
      void *const there = copy_there(at, in.data, n * size);
      size_t *const to = copy_there(at, &n, sizeof n);
      MUST(at, iw_is_sorted_until(at->context, type, there, n, to, &o));
      MUST(at, iw_memory_copy(at->context, &until, to, sizeof until));
      SAME(at, what, &right, &until, 1, sizeof until);
      MUST(at, iw_memory_free(at->context, there));
      MUST(at, iw_memory_free(at->context, to));
    }
  }
  array_free(&in);
}

START_TEST(sorted_until)
{
  static const size_t sizes[] = { 0, 1, 2, 31, 32, 33, 2047, 2048, 2049, 2050, 5000 };
  settings all = settings_open();
  start_random(7520 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = COUNT(sizes); i-- > 0;)
    for (int wrong = 0; wrong < 2; wrong++)
      check_until(&all, all_types[_i], sizes[i], wrong, 0);
  check_until(&all, all_types[_i], 70000, 0, 65536 + (size_t)_i % 3); /* the last element of the first part, and the next ones */
  check_until(&all, all_types[_i], 70000 + random_below(70000), 3, 0);
  settings_close(&all);
}
END_TEST

/* ---- Merge ------------------------------------------------------------------------------------------- */

/* wanted: 1: the output, 2: indices, 3: both. */
static void check_merged(const setting *at, const char *what, iw_type type, const array *both, size_t a_count, const size_t *permutation,
                         const iw_sort_options *o, int wanted, size_t width, int there)
{
  const size_t size = both->size, n = both->bytes / size;
  array out = array_new(size, n), indices = array_new(width, n), right = array_new(size, n), right_indices = array_new(width, n);
  for (size_t i = 0; i < n; i++) {
    const uint64_t wide = permutation[i];
    const uint32_t narrow = (uint32_t)wide;
    memcpy((char *)right.data + i * size, (const char *)both->data + permutation[i] * size, size);
    memcpy((char *)right_indices.data + i * width, width == 8 ? (const void *)&wide : &narrow, width);
  }
  char *const in = there ? copy_there(at, both->data, n * size) : both->data;
  void *const to = there ? copy_there(at, out.data, n * size) : out.data;
  void *const indices_to = there ? copy_there(at, indices.data, n * width) : indices.data;
  MUST(at, iw_merge(at->context, type, (iw_elements){ in, a_count }, (iw_elements){ in + a_count * size, n - a_count }, wanted & 1 ? to : NULL, (iw_indices){ wanted & 2 ? indices_to : NULL, (unsigned)iw_type_size(width == 8 ? IW_U64 : IW_U32) }, o->descending || o->end_bit ? o : NULL));
  if (there) {
    MUST(at, iw_memory_copy(at->context, out.data, to, n * size));
    MUST(at, iw_memory_copy(at->context, indices.data, indices_to, n * width));
    MUST(at, iw_memory_free(at->context, in));
    MUST(at, iw_memory_free(at->context, to));
    MUST(at, iw_memory_free(at->context, indices_to));
  }
  if (wanted & 1)
    SAME(at, what, right.data, out.data, n, size);
  if (wanted & 2)
    SAME(at, what, right_indices.data, indices.data, n, width);
  ck_assert_msg(array_intact(&out, wanted & 1 ? out.bytes : 0), "%s wrote outside its output", what);
  ck_assert_msg(array_intact(&indices, wanted & 2 ? indices.bytes : 0), "%s wrote outside its indices", what);
  array_free(&out);
  array_free(&indices);
  array_free(&right);
  array_free(&right_indices);
}

/* Merges two arrays that lie side by side: the reference is a stable sort of both. simulated: on simulated
 * GPUs only, whatever their length is. */
static void check_merge(settings *all, iw_type type, size_t a_count, size_t b_count, int flavour, int simulated)
{
  const iw_sort_options o = random_options(type);
  const size_t size = iw_type_size(type), n = a_count + b_count;
  array both = array_new(size, n);
  size_t *const permutation = malloc((n + 1) * sizeof *permutation);
  char what[120];
  fill(type, both.data, n, flavour);
  sort_elements(type, both.data, a_count, &o);
  sort_elements(type, (char *)both.data + a_count * size, b_count, &o);
  reference_sort(type, both.data, 0, n, &o, permutation);
  snprintf(what, sizeof what, "merge of %zu and %zu %s (descending %d, bits %u to %u)", a_count, b_count, iw_type_name(type),
           o.descending, o.begin_bit, o.end_bit);
  FOR_SETTINGS(at, all, simulated ? 0 : n) {
    if (simulated && !on_sim(at))
      continue;
    check_merged(at, what, type, &both, a_count, permutation, &o, 1 + (int)random_below(3), random_below(2) ? 8 : 4, 0);
    if (n && on_gpu(at))
      check_merged(at, what, type, &both, a_count, permutation, &o, 3, 8, 1);
  }
  free(permutation);
  array_free(&both);
}

START_TEST(merge)
{
  static const size_t sizes[] = { 0, 1, 31, 32, 33, 1023, 1024, 1025 };
  settings all = settings_open();
  start_random(7560 + (unsigned)_i);
  all.turn = (unsigned)_i;
  check_merge(&all, all_types[_i], 5000 + random_below(5000), 5000, SPECIAL, 0); /* several blocks */
  for (unsigned i = 0; i < COUNT(sizes); i++) {
    check_merge(&all, all_types[_i], sizes[i], sizes[random_below(COUNT(sizes))], SPECIAL, 0);
    check_merge(&all, all_types[_i], random_size(2000), sizes[i], (int)random_below(FLAVOURS), 0);
  }
  check_merge(&all, all_types[_i], 40000, random_size(40000), (int)random_below(FLAVOURS), 0);
  settings_close(&all);
}
END_TEST

/* A simulated GPU of one multiprocessor, whose blocks merge several tiles. */
START_TEST(merge_of_many_tiles)
{
  setenv("ISOWARP_SIM_PROCESSORS", "1", 1);
  settings all = settings_open();
  start_random(7600 + (unsigned)_i);
  all.turn = (unsigned)_i;
  check_merge(&all, all_types[_i], 40000, 70000 + random_below(10000), (int)random_below(FLAVOURS), 1);
  settings_close(&all);
  unsetenv("ISOWARP_SIM_PROCESSORS");
}
END_TEST

/* Outputs of arrays that are not sorted are unspecified, but nothing outside of the arrays is accessed: a
 * simulated GPU and sanitizers look. */
START_TEST(merge_of_unsorted)
{
  settings all = settings_open();
  start_random(7580 + (unsigned)_i);
  const iw_type type = all_types[_i];
  const size_t size = iw_type_size(type), a_count = 9000 + random_below(3000), n = a_count + 9000 + random_below(3000);
  array both = array_new(size, n), out = array_new(size, n), indices = array_new(4, n);
  FOR_SETTINGS(at, &all, n) {
    fill(type, both.data, n, (int)random_below(FLAVOURS));
    for (size_t i = 0, run = 0; i < n; i++, run--) { /* runs of equal elements, so that bounds of tiles are far from each other */
      run = run ? run : 1 + random_below(5000);
      memcpy((char *)both.data + i * size, (char *)both.data + (i + run < n ? i + run : n - 1) * size, size);
    }
    MUST(at, iw_merge(at->context, type, (iw_elements){ both.data, a_count }, (iw_elements){ (char *)both.data + a_count * size, n - a_count }, out.data, (iw_indices){ indices.data, 4 }, NULL));
    ck_assert_msg(array_intact(&out, out.bytes) && array_intact(&indices, indices.bytes), "a merge wrote outside its outputs");
    for (size_t i = 0; i < n; i++)
      ck_assert_msg(((uint32_t *)indices.data)[i] < n, "index %zu is %u of %zu", i, ((uint32_t *)indices.data)[i], n);
  }
  array_free(&both);
  array_free(&out);
  array_free(&indices);
  settings_close(&all);
}
END_TEST

START_TEST(refused)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    uint32_t x[64] = { 0 }, *const v = x + 16, *const to = x + 32;
    REFUSED(iw_bounds(NULL, IW_LOWER_BOUND, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ v, 16 }, (iw_indices){ to, 4 }, NULL), IW_ERROR_INVALID, "context");
    REFUSED(iw_bounds(c, IW_LOWER_BOUND, (iw_type)44, (iw_elements){ x, 16 }, (iw_elements){ v, 16 }, (iw_indices){ to, 4 }, NULL), IW_ERROR_INVALID, "44");
    REFUSED(iw_bounds(c, IW_LOWER_BOUND, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ v, 16 }, (iw_indices){ to, 3 }, NULL), IW_ERROR_INVALID, "indices.width");
    REFUSED(iw_bounds(c, IW_UPPER_BOUND, IW_U32, (iw_elements){ NULL, 16 }, (iw_elements){ v, 16 }, (iw_indices){ to, 4 }, NULL), IW_ERROR_INVALID, "sorted");
    REFUSED(iw_bounds(c, IW_UPPER_BOUND, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ NULL, 16 }, (iw_indices){ to, 4 }, NULL), IW_ERROR_INVALID, "values");
    REFUSED(iw_bounds(c, IW_UPPER_BOUND, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ v, 16 }, (iw_indices){ NULL, 4 }, NULL), IW_ERROR_INVALID, "indices");
    REFUSED(iw_bounds(c, IW_UPPER_BOUND, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ v, 16 }, (iw_indices){ x + 15, 4 }, NULL), IW_ERROR_OVERLAP, "sorted");
    REFUSED(iw_bounds(c, IW_UPPER_BOUND, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ v, 16 }, (iw_indices){ v, 4 }, NULL), IW_ERROR_OVERLAP, "values");
    REFUSED(iw_bounds(c, IW_LOWER_BOUND, IW_U8, (iw_elements){ x, (size_t)1 << 32 }, (iw_elements){ v, 1 }, (iw_indices){ to, 4 }, NULL), IW_ERROR_OVERFLOW, "4294967296");
    iw_sort_options o = { .size = sizeof o, .end_bit = 33 };
    REFUSED(iw_bounds(c, IW_LOWER_BOUND, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ v, 16 }, (iw_indices){ to, 4 }, &o), IW_ERROR_INVALID, "33");
    MUST(at, iw_bounds(c, IW_LOWER_BOUND, IW_U32, (iw_elements){ NULL, 0 }, (iw_elements){ NULL, 0 }, (iw_indices){ NULL, 4 }, NULL));
    size_t until[3] = { 7, 7, 7 };
    REFUSED(iw_is_sorted_until(NULL, IW_U32, x, 16, until, NULL), IW_ERROR_INVALID, "context");
    REFUSED(iw_is_sorted_until(c, IW_U32, NULL, 16, until, NULL), IW_ERROR_INVALID, "in");
    REFUSED(iw_is_sorted_until(c, IW_U32, x, 16, NULL, NULL), IW_ERROR_INVALID, "until");
    REFUSED(iw_is_sorted_until(c, IW_U32, x, 16, until, &o), IW_ERROR_INVALID, "33");
    REFUSED(iw_is_sorted_until(c, IW_U64, until, 3, until + 2, NULL), IW_ERROR_OVERLAP, "until");
    REFUSED(iw_merge(c, (iw_type)44, (iw_elements){ x, 16 }, (iw_elements){ v, 16 }, to, (iw_indices){ NULL, 4 }, NULL), IW_ERROR_INVALID, "44");
    REFUSED(iw_merge(c, IW_U32, (iw_elements){ NULL, 16 }, (iw_elements){ v, 16 }, to, (iw_indices){ NULL, 4 }, NULL), IW_ERROR_INVALID, "a is NULL");
    REFUSED(iw_merge(c, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ NULL, 16 }, to, (iw_indices){ NULL, 4 }, NULL), IW_ERROR_INVALID, "b is NULL");
    REFUSED(iw_merge(c, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ v, 16 }, NULL, (iw_indices){ NULL, 4 }, NULL), IW_ERROR_INVALID, "out and indices");
    REFUSED(iw_merge(c, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ v, 16 }, NULL, (iw_indices){ to, 3 }, NULL), IW_ERROR_INVALID, "indices.width");
    REFUSED(iw_merge(c, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ v, 16 }, v + 15, (iw_indices){ NULL, 4 }, NULL), IW_ERROR_OVERLAP, "out");
    REFUSED(iw_merge(c, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ v, 16 }, to, (iw_indices){ x + 15, 4 }, NULL), IW_ERROR_OVERLAP, "indices");
    REFUSED(iw_merge(c, IW_U32, (iw_elements){ x, 8 }, (iw_elements){ v, 8 }, to, (iw_indices){ to + 15, 4 }, NULL), IW_ERROR_OVERLAP, "indices");
    REFUSED(iw_merge(c, IW_U32, (iw_elements){ x, SIZE_MAX / 2 }, (iw_elements){ v, 1 }, to, (iw_indices){ NULL, 4 }, NULL), IW_ERROR_INVALID, "a");
    REFUSED(iw_merge(c, IW_U8, (iw_elements){ x, (size_t)1 << 32 }, (iw_elements){ v, 1 }, NULL, (iw_indices){ to, 4 }, NULL), IW_ERROR_OVERFLOW, "4294967297");
    MUST(at, iw_merge(c, IW_U32, (iw_elements){ NULL, 0 }, (iw_elements){ NULL, 0 }, NULL, (iw_indices){ NULL, 1 }, NULL));
  }
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("sorted");
  TCase *c = new_case(suite, "sorted");
  tcase_add_test(c, refused);
  tcase_add_loop_test(c, bounds, 0, TYPES);
  tcase_add_loop_test(c, sorted_until, 0, TYPES);
  tcase_add_loop_test(c, merge, 0, TYPES);
  tcase_add_loop_test(c, merge_of_many_tiles, 0, TYPES);
  tcase_add_loop_test(c, merge_of_unsorted, 0, TYPES);
  return run_suite_on_all(suite);
}
