/* SPDX-License-Identifier: Apache-2.0
 *
 * The k largest and smallest elements of arrays and rows, the n-th element, and the median: of all types,
 * by the reference of the sort.
 */
#include "reference_sort.h"

#include <isowarp.h>

enum { TYPES = MOVED_TYPES };
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* A matrix, and its rows in both orders: values, and indices in their rows. */
typedef struct matrix {
  iw_type type;
  size_t rows, columns, n, size;
  array in, sorted[2];
  uint64_t *indices[2];
} matrix;

/* Elements: random ones, ones that sorts have made, equal ones, half of them equal, and ones that mislead
 * the library's samples. */
enum { RANDOM, ASCENDING, DESCENDING, EQUAL, HALF_EQUAL, MISLEADING, INPUTS };

/* The place of key i of a sample of 2^bits keys, from the comment in algorithms/top_k/args.h. */
static size_t sampled_place(uint64_t i, uint64_t columns, unsigned bits)
{
  uint32_t hash = (uint32_t)i * 0x9e3779b1u;
  hash = (hash ^ hash >> 16) * 0x85ebca6bu;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
  hash ^= hash >> 16;
  return (size_t)((i * columns + ((hash >> 8) * columns >> 24)) >> bits);
}

/* The least or the greatest of some random elements. */
static word random_extreme(iw_type type, int greatest)
{
  enum { SOME = 32 };
  const iw_sort_options o = { .size = sizeof o, .descending = greatest };
  uint64_t some[SOME];
  size_t best = 0;
  fill(type, some, SOME, SPECIAL);
  for (size_t i = 1; i < SOME; i++)
    best = comes_before(type, some, i, best, &o) ? i : best;
  return element(type, some, best);
}

/* Fills rows; those with an odd number get random elements if the others are to mislead. */
static void fill_matrix(matrix *m, int flavour, int input)
{
  void *const data = m->in.data;
  fill(m->type, data, m->n, flavour);
  for (size_t i = 0; i < m->n && (input == EQUAL || input == HALF_EQUAL); i++)
    if (input == EQUAL || random_below(2))
      put(m->type, data, i, element(m->type, data, 0));
  for (size_t r = 0; r < m->rows && input == MISLEADING; r += 2) { /* samples of many sizes have one of two values */
    const word one = random_extreme(m->type, (int)random_below(2)), other = random_word(m->type, SPECIAL);
    for (unsigned bits = 8; (size_t)1 << bits <= m->columns / 4; bits++)
      for (uint64_t i = 0; i < (uint64_t)1 << bits; i++)
        put(m->type, data, r * m->columns + sampled_place(i, m->columns, bits), r % 4 ? one : i % 16 ? one : other);
  }
}

static void sort_both_ways(matrix *m, size_t *permutation)
{
  for (int down = 0; down < 2; down++) {
    const iw_sort_options o = { .size = sizeof o, .descending = down };
    for (size_t r = 0; r < m->rows; r++)
      reference_sort(m->type, m->in.data, r * m->columns, (r + 1) * m->columns, &o, permutation);
    for (size_t i = 0; i < m->n; i++) {
      memcpy((char *)m->sorted[down].data + i * m->size, (const char *)m->in.data + permutation[i] * m->size, m->size);
      m->indices[down][i] = permutation[i] - i / m->columns * m->columns;
    }
  }
}

static matrix matrix_new(iw_type type, size_t rows, size_t columns, int flavour, int input)
{
  matrix m = { .type = type, .rows = rows, .columns = columns, .n = rows * columns, .size = iw_type_size(type) };
  size_t *const permutation = malloc((m.n + 1) * sizeof *permutation);
  m.in = array_new(m.size, m.n);
  for (int down = 0; down < 2; down++) {
    m.sorted[down] = array_new(m.size, m.n);
    m.indices[down] = malloc(m.n * 8 + 1);
  }
  fill_matrix(&m, flavour, input);
  sort_both_ways(&m, permutation);
  if (input == ASCENDING || input == DESCENDING) {
    memcpy(m.in.data, m.sorted[input == DESCENDING].data, m.n * m.size);
    sort_both_ways(&m, permutation);
  }
  free(permutation);
  return m;
}

static void matrix_free(matrix *m)
{
  array_free(&m->in);
  for (int down = 0; down < 2; down++) {
    array_free(&m->sorted[down]);
    free(m->indices[down]);
  }
}

/* The first k elements of each sorted row, to be freed. */
static void *first_of_rows(const matrix *m, const void *sorted, size_t width, size_t k)
{
  char *const right = malloc(m->rows * k * width + 1);
  for (size_t r = 0; r < m->rows && k; r++)
    memcpy(right + r * k * width, (const char *)sorted + r * m->columns * width, k * width);
  return right;
}

static iw_status call(const setting *at, const matrix *m, const void *in, size_t k, int down, void *values, size_t width, void *indices)
{
  return top_k_of(at->context, m->type, in, m->rows, m->columns, k, down, values, (iw_indices){ indices, (unsigned)width });
}

/* Calls with host memory, or with the context's. wanted: 1: values, 2: indices, 3: both. */
static void check_call(const setting *at, const char *what, const matrix *m, size_t k, int down, int wanted, size_t width, int there)
{
  const size_t all = m->rows * k;
  array values = array_new(m->size, all), indices = array_new(width, all);
  void *const right = first_of_rows(m, m->sorted[down].data, m->size, k);
  uint64_t *const wide = first_of_rows(m, m->indices[down], 8, k);
  uint32_t *const narrow = malloc(all * 4 + 1);
  for (size_t i = 0; i < all; i++)
    narrow[i] = (uint32_t)wide[i];
  void *const in = there ? copy_there(at, m->in.data, m->n * m->size) : m->in.data;
  void *const to = there ? copy_there(at, values.data, all * m->size) : values.data;
  void *const indices_to = there ? copy_there(at, indices.data, all * width) : indices.data;
  MUST(at, call(at, m, in, k, down, wanted & 1 ? to : NULL, width, wanted & 2 ? indices_to : NULL));
  if (there) {
    MUST(at, iw_memory_copy(at->context, values.data, to, all * m->size));
    MUST(at, iw_memory_copy(at->context, indices.data, indices_to, all * width));
    MUST(at, iw_memory_free(at->context, in));
    MUST(at, iw_memory_free(at->context, to));
    MUST(at, iw_memory_free(at->context, indices_to));
  }
  if (wanted & 1)
    SAME(at, what, right, values.data, all, m->size);
  if (wanted & 2)
    SAME(at, what, width == 8 ? (const void *)wide : narrow, indices.data, all, width);
  ck_assert_msg(array_intact(&values, wanted & 1 ? values.bytes : 0), "%s wrote outside its values", what);
  ck_assert_msg(array_intact(&indices, wanted & 2 ? indices.bytes : 0), "%s wrote outside its indices", what);
  array_free(&values);
  array_free(&indices);
  free(right);
  free(wide);
  free(narrow);
}

static void check_top_k(settings *all, const matrix *m, int input, size_t k, int down)
{
  char what[120];
  snprintf(what, sizeof what, "the %zu %s of %zu rows of %zu %s (input %d)", k, down ? "largest" : "smallest", m->rows, m->columns,
           iw_type_name(m->type), input);
  FOR_SETTINGS(at, all, m->n) {
    const int wanted = 1 + (int)random_below(3);
    check_call(at, what, m, k, down, wanted, random_below(2) ? 8 : 4, 0);
    if (m->n && on_gpu(at) && (m->n < 1000 || down))
      check_call(at, what, m, k, down, 3, 4, 1);
  }
}

/* A k that is small, about the square root, or any. */
static size_t random_k(size_t columns)
{
  const size_t most[] = { 3, 300, columns / 8, columns };
  const size_t k = random_below(most[random_below(4)] + 1);
  return k < columns ? k : columns;
}

static void check_matrix(settings *all, iw_type type, size_t rows, size_t columns, int flavour, int input)
{
  matrix m = matrix_new(type, rows, columns, flavour, input);
  check_top_k(all, &m, input, random_k(columns), 0);
  check_top_k(all, &m, input, random_k(columns), 1);
  matrix_free(&m);
}

START_TEST(top_k)
{
  static const size_t sizes[] = { 0, 1, 2, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097 };
  settings all = settings_open();
  start_random(7600 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (int input = RANDOM; input < INPUTS; input++)
    check_matrix(&all, all_types[_i], 1, 5000 + random_below(3000), (int)random_below(FLAVOURS), input);
  for (unsigned i = 0; i < COUNT(sizes); i++)
    check_matrix(&all, all_types[_i], 1, sizes[i], SPECIAL, (int)random_below(INPUTS));
  check_matrix(&all, all_types[_i], 1, 20000 + random_below(30000), SPECIAL, RANDOM);
  check_matrix(&all, all_types[_i], 1, 70000 + random_below(80000), SPECIAL, (int)random_below(INPUTS)); /* two chunks or more */
  settings_close(&all);
}
END_TEST

START_TEST(rows)
{
  settings all = settings_open();
  start_random(7620 + (unsigned)_i);
  all.turn = (unsigned)_i;
  check_matrix(&all, all_types[_i], 3, 6000 + random_below(500), SPECIAL, MISLEADING);
  check_matrix(&all, all_types[_i], 2, 4999, WIDE, _i % 2 ? ASCENDING : DESCENDING); /* what is wanted precedes an aligned address */
  check_matrix(&all, all_types[_i], 2, 8192, (int)random_below(FLAVOURS), HALF_EQUAL);
  check_matrix(&all, all_types[_i], 1 + random_below(300), 1 + random_below(50), SPECIAL, RANDOM);
  check_matrix(&all, all_types[_i], 5, 4096, (int)random_below(FLAVOURS), (int)random_below(INPUTS));
  check_matrix(&all, all_types[_i], 0, 7, SPECIAL, RANDOM);
  check_matrix(&all, all_types[_i], 7, 0, SPECIAL, RANDOM);
  settings_close(&all);
}
END_TEST

/* Values and indices on devices, of arrays that are too large for tests of all settings. */
static void check_on_devices(settings *all, const matrix *m, size_t k, int down)
{
  char what[120];
  snprintf(what, sizeof what, "the %zu %s of %zu rows of %zu %s", k, down ? "largest" : "smallest", m->rows, m->columns, iw_type_name(m->type));
  FOR_SETTINGS(at, all, 0)
    if (on_gpu(at))
      check_call(at, what, m, k, down, 3, random_below(2) ? 8 : 4, 0);
}

/* Candidates that are few for a sort and many for counting: devices rank them in buckets. */
START_TEST(buckets)
{
  static const iw_type some[] = { IW_F32, IW_U64, IW_U32, IW_F64, IW_I16 };
  settings all = settings_open();
  start_random(7700 + (unsigned)_i);
  matrix m = matrix_new(some[_i], 1, 100000 + random_below(20000), _i % 2 ? WIDE : UNIT, RANDOM);
  check_on_devices(&all, &m, 6500 + random_below(6000), _i % 2);
  matrix_free(&m);
  m = matrix_new(some[_i], 2, 70001, SPECIAL, _i % 2 ? HALF_EQUAL : RANDOM);
  check_on_devices(&all, &m, 6500 + random_below(2000), !(_i % 2));
  matrix_free(&m);
  settings_close(&all);
}
END_TEST

/* The longest array that takes two launches on a device, of which a block of a small one reads several
 * chunks, and one that is longer. */
START_TEST(short_arrays)
{
  static const iw_type some[] = { IW_F32, IW_U64 };
  settings all = settings_open();
  start_random(7710 + (unsigned)_i);
  matrix m = matrix_new(some[_i % 2], 1, ((size_t)1 << 20) + (unsigned)_i / 2, _i % 2 ? WIDE : UNIT, RANDOM);
  check_on_devices(&all, &m, m.n / 64, _i % 2);
  check_on_devices(&all, &m, 100, !(_i % 2));
  matrix_free(&m);
  settings_close(&all);
}
END_TEST

/* Rows and numbers of wanted elements around the least and the most that the path of CPUs takes, samples, and
 * sorts at once. */
START_TEST(near_borders)
{
  static const size_t columns[] = { 39, 40, 41, 1023, 1024, 1025, 1 << 13, (1 << 13) + 1 };
  settings all = settings_open();
  start_random(7650 + (unsigned)_i);
  for (unsigned c = 0; c < COUNT(columns); c++) {
    const int input = (int)random_below(INPUTS);
    const size_t most[] = { 24, columns[c] / 8, columns[c] / 2 };
    matrix m = matrix_new(all_types[_i], 1 + random_below(3), columns[c], (int)random_below(FLAVOURS), input);
    for (unsigned k = 0; k < COUNT(most); k++)
      for (size_t more = 0; more < 2; more++)
        check_top_k(&all, &m, input, most[k] + more, (int)random_below(2));
    matrix_free(&m);
  }
  settings_close(&all);
}
END_TEST

/* NaNs of both signs, few, half of the elements or all but one, whose rank may be the bound that candidates
 * do not exceed: a comparison of floats does not tell them from candidates. */
START_TEST(bounds_of_nans)
{
  static const unsigned shares[] = { 50, 2, 1 };
  settings all = settings_open();
  start_random(7680 + (unsigned)_i);
  matrix m = matrix_new(IW_F32, 1, 4096 + random_below(5000), _i % 2 ? SPECIAL : UNIT, RANDOM);
  size_t *const permutation = malloc(m.n * sizeof *permutation);
  for (size_t i = 1; i < m.n; i++)
    if (!random_below(shares[_i / 2]))
      put(IW_F32, m.in.data, i, (word){ .u32 = (random_below(2) ? 0xff800001u : 0x7f800001u) + (uint32_t)random_below(1 << 22) });
  sort_both_ways(&m, permutation);
  for (int down = 0; down < 2; down++) {
    check_top_k(&all, &m, RANDOM, 1 + random_below(100), down);
    check_top_k(&all, &m, RANDOM, m.n / 8 - random_below(100), down);
  }
  free(permutation);
  matrix_free(&m);
  settings_close(&all);
}
END_TEST

/* More rows than are processed at a time. */
START_TEST(many_rows)
{
  settings all = settings_open();
  start_random(7640);
  matrix m = matrix_new(IW_U8, 258, 4100, WIDE, RANDOM);
  check_top_k(&all, &m, RANDOM, 3, 1);
  check_top_k(&all, &m, RANDOM, 1500, 0);
  matrix_free(&m);
  settings_close(&all);
}
END_TEST

static void check_element(const setting *at, const char *what, const matrix *m, size_t nth, int there)
{
  array value = array_new(m->size, 1);
  uint64_t index = 0;
  const uint64_t *const right = m->indices[0] + nth;
  void *const in = there ? copy_there(at, m->in.data, m->n * m->size) : m->in.data;
  void *const to = there ? copy_there(at, value.data, m->size) : value.data, *const index_to = there ? copy_there(at, &index, 8) : &index;
  MUST(at, iw_nth_element(at->context, m->type, in, m->n, nth, to, index_to));
  if (there) {
    MUST(at, iw_memory_copy(at->context, value.data, to, m->size));
    MUST(at, iw_memory_copy(at->context, &index, index_to, 8));
    MUST(at, iw_memory_free(at->context, in));
    MUST(at, iw_memory_free(at->context, to));
    MUST(at, iw_memory_free(at->context, index_to));
  }
  SAME(at, what, (const char *)m->sorted[0].data + nth * m->size, value.data, 1, m->size);
  SAME(at, what, right, &index, 1, 8);
  if (!there) {
    memset(value.data, FENCE_BYTE, m->size);
    MUST(at, iw_nth_element(at->context, m->type, in, m->n, nth, value.data, NULL));
    SAME(at, what, (const char *)m->sorted[0].data + nth * m->size, value.data, 1, m->size);
  }
  ck_assert_msg(array_intact(&value, m->size), "%s wrote outside its value", what);
  array_free(&value);
}

START_TEST(elements)
{
  static const size_t sizes[] = { 1, 2, 3, 32, 33, 39, 40, 8192, 8193, 20000, 40000, 150000 }; /* the last one: chunks */
  settings all = settings_open();
  start_random(7660 + (unsigned)_i);
  all.turn = (unsigned)_i;
  for (unsigned i = COUNT(sizes); i-- > 0;)
    for (int input = sizes[i] == 8192 ? RANDOM : INPUTS - 1; input < INPUTS; input++) {
      const size_t n = sizes[i];
      matrix m = matrix_new(all_types[_i], 1, n, input == RANDOM ? (int)random_below(FLAVOURS) : SPECIAL,
                            n == 8192 ? input : n == 40000 ? MISLEADING : (int)random_below(INPUTS));
      const size_t others[] = { random_below(n), n - 1, n / 17, random_below(n / 8 + 1) };
      const size_t places[] = { (n - 1) / 2, others[random_below(4)] };
      for (unsigned p = 0; p < COUNT(places); p++) {
        char what[120];
        snprintf(what, sizeof what, "element %zu of %zu %s (input %d)", places[p], n, iw_type_name(all_types[_i]), input);
        FOR_SETTINGS(at, &all, n)
          check_element(at, what, &m, places[p], on_gpu(at) && p % 2 == 0);
      }
      matrix_free(&m);
    }
  settings_close(&all);
}
END_TEST

START_TEST(refused)
{
  settings all = settings_open();
  FOR_SETTINGS(at, &all, 0) {
    iw_context *const c = at->context;
    uint32_t x[64] = { 0 }, *const v = x + 16, *const to = x + 32;
    uint64_t index[2];
    REFUSED(top_k_of(NULL, IW_U32, x, 1, 16, 3, 1, v, (iw_indices){ to, 4 }), IW_ERROR_INVALID, "context");
    REFUSED(top_k_of(c, (iw_type)44, x, 1, 16, 3, 1, v, (iw_indices){ to, 4 }), IW_ERROR_INVALID, "44");
    REFUSED(top_k_of(c, IW_U32, NULL, 1, 16, 3, 1, v, (iw_indices){ to, 4 }), IW_ERROR_INVALID, "in");
    REFUSED(top_k_of(c, IW_U32, x, 1, 16, 17, 1, v, (iw_indices){ to, 4 }), IW_ERROR_INVALID, "k is 17; valid are 0 to n, which is 16");
    REFUSED(iw_top_k(c, IW_U32, x, 16, 3, v, &(iw_sort_options){ .size = sizeof(iw_sort_options), .end_bit = 8 }), IW_ERROR_INVALID, "end_bit is 8");
    REFUSED(top_k_of(c, IW_U32, x, 1, 16, 3, 1, NULL, (iw_indices){ NULL, 4 }), IW_ERROR_INVALID, "values is NULL");
    REFUSED(iw_top_k(c, IW_U32, x, 16, 3, v, IW_OPTIONS(iw_sort_options, .payload_count = 1, .payloads = &(iw_payload){ .size = sizeof(iw_payload), .width = 4 })),
            IW_ERROR_INVALID, "payloads[0].out is NULL");
    REFUSED(iw_bounds(c, IW_LOWER_BOUND, IW_U32, (iw_elements){ x, 16 }, (iw_elements){ v, 1 }, (iw_indices){ to, 4 }, IW_OPTIONS(iw_sort_options, .payload_count = 9)),
            IW_ERROR_INVALID, "options->payload_count is 9; valid is 0");
    REFUSED(iw_argmin(c, IW_U32, x, 16, (size_t *)index, NULL, IW_OPTIONS(iw_scan_options, .out_type = IW_U64)), IW_ERROR_INVALID,
            "options->out_type is u64; valid are 0 and type, u32");
    REFUSED(top_k_of(c, IW_U32, x, 1, 16, 3, 1, (char *)v + 1, (iw_indices){ to, 4 }), IW_ERROR_INVALID, "values");
    REFUSED(top_k_of(c, IW_U32, x, 1, 16, 3, 1, v, (iw_indices){ (char *)to + 2, 4 }), IW_ERROR_INVALID, "payloads[0].out");
    REFUSED(top_k_of(c, IW_U32, x, 1, 16, 3, 1, v, (iw_indices){ to, 3 }), IW_ERROR_INVALID, "payloads[0].width");
    REFUSED(top_k_of(c, IW_U32, x, 1, 16, 3, 1, x + 15, (iw_indices){ to, 4 }), IW_ERROR_OVERLAP, "values");
    REFUSED(top_k_of(c, IW_U32, x, 1, 16, 3, 1, v, (iw_indices){ x + 15, 4 }), IW_ERROR_OVERLAP, "payloads[0].out");
    REFUSED(top_k_of(c, IW_U32, x, 1, 16, 3, 1, v, (iw_indices){ v + 2, 4 }), IW_ERROR_OVERLAP, "payloads[0].out");
    REFUSED(top_k_of(c, IW_U8, x, 1, ((size_t)1 << 32) + 1, 3, 1, v, (iw_indices){ to, 4 }), IW_ERROR_OVERFLOW, "4294967297");
    REFUSED(top_k_of(c, IW_U32, x, 4, 4, 5, 1, v, (iw_indices){ to, 4 }), IW_ERROR_INVALID, "columns, which is 4");
    REFUSED(top_k_of(c, IW_U8, x, SIZE_MAX / 2, 4, 1, 1, v, (iw_indices){ to, 4 }), IW_ERROR_INVALID, "in cannot have");
    REFUSED(iw_nth_element(c, IW_U32, x, 16, 16, v, index), IW_ERROR_INVALID, "nth is 16");
    REFUSED(iw_nth_element(c, IW_U32, x, 0, 0, v, index), IW_ERROR_INVALID, "nth is 0");
    REFUSED(iw_nth_element(c, IW_U32, x, 16, 3, NULL, index), IW_ERROR_INVALID, "value");
    REFUSED(iw_nth_element(c, IW_U32, x, 16, 3, v, (uint64_t *)(void *)((char *)index + 4)), IW_ERROR_INVALID, "index");
    REFUSED(iw_nth_element(c, IW_U32, x, 16, 3, x + 2, index), IW_ERROR_OVERLAP, "value");
    REFUSED(iw_nth_element(c, IW_U32, NULL, 3, 1, v, index), IW_ERROR_INVALID, "in");
    MUST(at, top_k_of(c, IW_U32, NULL, 1, 0, 0, 1, NULL, (iw_indices){ NULL, 1 }));
    MUST(at, top_k_of(c, IW_U32, x, 4, 4, 0, 1, NULL, (iw_indices){ NULL, 1 }));
  }
  settings_close(&all);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("top_k");
  TCase *c = new_case(suite, "top_k");
  tcase_add_test(c, refused);
  tcase_add_loop_test(c, top_k, 0, TYPES);
  tcase_add_loop_test(c, rows, 0, TYPES);
  tcase_add_loop_test(c, elements, 0, TYPES);
  tcase_add_loop_test(c, near_borders, 0, TYPES);
  tcase_add_loop_test(c, bounds_of_nans, 0, 6);
  tcase_add_test(c, many_rows);
  c = new_case(suite, "buckets");
  tcase_add_loop_test(c, buckets, 0, 5);
  c = new_case(suite, "short_arrays");
  tcase_add_loop_test(c, short_arrays, 0, 4);
  return run_suite_on_all(suite);
}
