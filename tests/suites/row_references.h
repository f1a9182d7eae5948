/* SPDX-License-Identifier: Apache-2.0
 *
 * What the outputs of calls should hold, for the rows of rows.h: from the definitions in isowarp.h, by the
 * scalar references of reference.h. All arrays are in host memory; a result that is not wanted is NULL.
 */
#ifndef TESTS_ROW_REFERENCES_H
#define TESTS_ROW_REFERENCES_H

#include "reference.h"
#include "reference_growing.h"
#include "reference_segments.h"
#include "reference_sort.h"
#include "reference_sums.h"

/* ---- Scans and reductions ---------------------------------------------------------------------------- */

/* The elements in a wider type. */
static inline void *widened(iw_type in_type, iw_type type, const void *in, size_t n)
{
  char *const out = malloc(n * 8 + 1);
  ck_assert_ptr_nonnull(out);
  for (size_t i = 0; i < n; i++)
    put(type, out, i, widened_word(in_type, in, i, type));
  return out;
}

static inline int is_head(const iw_segments *s, size_t i)
{
  const size_t size = iw_type_size(s->key_type);
  const char *const key = (const char *)s->keys + i * size;
  return i == 0 || (s->kind == IW_SEGMENTS_FLAGS ? s->flags[i] != 0 : memcmp(key, key - size, size) != 0);
}

/* Where the segments of n elements begin, and behind them where the last one ends; of columns, in the
 * transposed matrix. */
static inline size_t *places_of(const iw_segments *s, size_t n, size_t *count)
{
  size_t *const places = malloc((n + s->count + 2) * sizeof *places);
  ck_assert_ptr_nonnull(places);
  *count = 0;
  switch (s->kind) {
  case IW_SEGMENTS_ROWS: case IW_SEGMENTS_COLUMNS:
    *count = s->kind == IW_SEGMENTS_ROWS ? n / s->columns : s->columns;
    for (size_t k = 0; k < *count; k++)
      places[k] = k * (n / *count);
    break;
  case IW_SEGMENTS_OFFSETS:
    *count = s->count;
    for (size_t k = 0; k <= s->count; k++)
      places[k] = (size_t)element(s->offset_type, s->offsets, k).u64;
    return places;
  case IW_SEGMENTS_FLAGS: case IW_SEGMENTS_KEYS:
    for (size_t i = 0; i < n; i++)
      if (is_head(s, i))
        places[(*count)++] = i;
  }
  places[*count] = n;
  return places;
}

/* A scan of elements of in_type in `type`; elements that are in no segment keep what right holds. */
static inline void right_scan(iw_op op, iw_type in_type, iw_type type, const void *in, size_t n, const iw_segments *s, const void *init,
                              int is_exclusive, void *right)
{
  const size_t size = iw_type_size(type);
  void *const other = malloc(n * size + 1), *const wide = in_type == type ? NULL : widened(in_type, type, in, n);
  char *const inclusive = is_exclusive ? other : right, *const exclusive = is_exclusive ? right : other;
  if (!s)
    reference_scan(op, type, wide ? wide : in, n, init, inclusive, exclusive, NULL);
  else if (s->kind == IW_SEGMENTS_FLAGS || s->kind == IW_SEGMENTS_KEYS) {
    uint8_t *const heads = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
      heads[i] = (uint8_t)is_head(s, i);
    reference_segments(op, type, in, heads, n, init, inclusive, exclusive);
    free(heads);
  } else {
    size_t count, *const places = places_of(s, n, &count);
    for (size_t k = 0; k < count; k++)
      reference_scan(op, type, (const char *)in + places[k] * size, places[k + 1] - places[k], init, inclusive + places[k] * size,
                     exclusive + places[k] * size, NULL);
    free(places);
  }
  free(other);
  free(wide);
}

/* The index of the first of n elements that is *value, 0 if n is 0. */
static inline size_t first_equal(iw_type type, const void *in, size_t n, const void *value)
{
  for (size_t i = 0; i < n; i++)
    if (!memcmp(&(word){ .u64 = element(type, in, i).u64 }, value, iw_type_size(type)))
      return i;
  return 0;
}

/* A reduction, and the indices and values of an argmin. */
typedef struct reduction { void *results; size_t *indices; void *run_keys; size_t *run_count; } reduction;
static inline void right_reduction(iw_op op, iw_type in_type, iw_type type, const void *in, size_t n, const iw_segments *s,
                                   const void *init, reduction right)
{
  const iw_segments whole = { .kind = IW_SEGMENTS_OFFSETS, .offset_type = IW_U64, .offsets = (uint64_t[]){ 0, n }, .count = 1 };
  const size_t size = iw_type_size(type), key_size = s && s->kind == IW_SEGMENTS_KEYS ? iw_type_size(s->key_type) : 0;
  size_t count, *const places = places_of(s ? s : &whole, n, &count);
  char *elements = in_type == type ? memcpy(malloc(n * size + 1), in, n * size) : widened(in_type, type, in, n);
  void *const scanned = malloc(n * size + 1);
  if (s && s->kind == IW_SEGMENTS_COLUMNS && n) {
    char *const turned = malloc(n * size);
    for (size_t i = 0; i < n; i++)
      memcpy(turned + (i % s->columns * (n / s->columns) + i / s->columns) * size, elements + i * size, size);
    free(elements);
    elements = turned;
  }
  for (size_t k = 0; k < count; k++) {
    const char *const first = elements + places[k] * size;
    const size_t length = places[k + 1] - places[k];
    word result = { .u64 = 0 };
    reference_scan(op, type, first, length, init, scanned, NULL, &result);
    if (right.results)
      memcpy((char *)right.results + k * size, &result, size);
    if (right.indices)
      right.indices[k] = first_equal(type, first, length, &result);
    if (right.run_keys)
      memcpy((char *)right.run_keys + k * key_size, (const char *)s->keys + places[k] * key_size, key_size);
  }
  if (right.run_count)
    *right.run_count = count;
  free(places);
  free(elements);
  free(scanned);
}

/* ---- Moves ------------------------------------------------------------------------------------------- */

/* Index i of `width` bytes. */
static inline void put_index(void *to, size_t i, unsigned width, size_t value)
{
  put(width == 4 ? IW_U32 : IW_U64, to, i, (word){ .u64 = value });
}

/* Values that move with elements: value `to` is number order[to], or without values that index. */
static inline void right_moved(void *right, const void *values, size_t width, const size_t *order, size_t count)
{
  for (size_t to = 0; right && to < count; to++)
    if (values)
      memcpy((char *)right + to * width, (const char *)values + order[to] * width, width);
    else
      put_index(right, to, (unsigned)width, order[to]);
}

/* The order of elements sorted by themselves, or in each segment. */
static inline size_t *sorted_order(iw_type type, const void *in, size_t n, const iw_segments *s, const iw_sort_options *o)
{
  const iw_segments whole = { .kind = IW_SEGMENTS_OFFSETS, .offset_type = IW_U64, .offsets = (uint64_t[]){ 0, n }, .count = 1 };
  size_t count, *const places = places_of(s ? s : &whole, n, &count), *const order = malloc((n + 1) * sizeof *order);
  ck_assert_ptr_nonnull(order);
  for (size_t k = 0; k < count; k++)
    reference_sort(type, in, places[k], places[k + 1], o, order);
  free(places);
  return order;
}

/* The elements of a, then those of b. */
static inline char *joined(const void *a, const void *b, size_t a_bytes, size_t b_bytes)
{
  char *const both = malloc(a_bytes + b_bytes + 1);
  ck_assert_ptr_nonnull(both);
  memcpy(both, a, a_bytes);
  memcpy(both + a_bytes, b, b_bytes);
  return both;
}

/* How many elements of sorted come before each value, or do not come after it. */
static inline void right_bounds(iw_type type, iw_elements sorted, iw_elements values, int is_upper, const iw_sort_options *o,
                                unsigned width, void *right)
{
  const size_t size = iw_type_size(type);
  char *const both = joined(sorted.at, values.at, sorted.n * size, values.n * size);
  for (size_t i = 0; i < values.n; i++) {
    size_t first = 0, end = sorted.n;
    while (first < end) {
      const size_t k = first + (end - first) / 2;
      if (is_upper ? comes_before(type, both, sorted.n + i, k, o) : !comes_before(type, both, k, sorted.n + i, o))
        end = k;
      else
        first = k + 1;
    }
    put_index(right, i, width, first);
  }
  free(both);
}

/* ---- Histograms -------------------------------------------------------------------------------------- */

/* The bins of an axis: without an automatic range. */
typedef struct right_bins { iw_type type; const iw_histogram_spec *spec; edges e; size_t outputs; } right_bins;
static inline right_bins right_bins_of(iw_type type, const iw_histogram_spec *spec)
{
  return (right_bins){ type, spec, spec->kind == IW_HISTOGRAM_MAP ? (edges){ NULL, NULL, 0, 0 } : edges_of(type, spec),
                       spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0) };
}
/* The counter of sample i; outputs or more: none. */
static inline size_t counter_of(const right_bins *b, const void *samples, size_t i)
{
  const size_t k = bin_by_policy(b->type, samples, i, b->spec, &b->e);
  return k == b->spec->bins + NOT_A_NUMBER ? SIZE_MAX : k;
}

/* Counters or sums that begin with what right holds, or with 0. */
typedef struct right_counts { void *right; size_t size, n; } right_counts;
static inline right_counts right_counts_of(const iw_histogram_spec *spec, void *right, size_t n)
{
  const size_t size = spec->counter_width ? spec->counter_width : 8;
  if (right && !(spec->flags & IW_HIST_ACCUMULATE))
    memset(right, 0, n * size);
  return (right_counts){ right, size, n };
}
static inline void count_there(right_counts c, size_t k)
{
  if (c.right && k < c.n && c.size == 4)
    ((uint32_t *)c.right)[k]++;
  else if (c.right && k < c.n)
    ((uint64_t *)c.right)[k]++;
}

/* The sums of values of a type by their cells; a cell of `outputs` or more is none. adds: to what right
 * holds. */
static inline void right_sums(const size_t *cells, size_t outputs, int adds, iw_type type, iw_type sum, const void *values, size_t n,
                              void *right)
{
  const int is_real = is_float(sum);
  exact *const sums = calloc(is_real ? outputs : 1, sizeof *sums);
  ck_assert_ptr_nonnull(sums);
  for (size_t k = 0; k < outputs; k++)
    if (!adds)
      put(sum, right, k, (word){ .u64 = 0 });
    else if (is_real)
      exact_add(&sums[k], sum, element(sum, right, k));
  for (size_t i = 0; i < n; i++) {
    const size_t k = cells[i];
    if (k < outputs && is_real)
      exact_add(&sums[k], sum, element(sum, values, i));
    else if (k < outputs)
      put(sum, right, k, (word){ .u64 = (uint64_t)integer_of(sum, right, k) + (uint64_t)integer_of(type, values, i) });
  }
  for (size_t k = 0; is_real && k < outputs; k++)
    put(sum, right, k, exact_round(&sums[k], sum));
  free(sums);
}

/* The cell of each sample in a table of so many axes, by which the last one's bins are neighbours. */
static inline size_t *cells_of(const right_bins *b, unsigned dimensions, const void *const *samples, size_t n)
{
  size_t *const cells = malloc((n + 1) * sizeof *cells);
  ck_assert_ptr_nonnull(cells);
  for (size_t i = 0; i < n; i++) {
    cells[i] = 0;
    for (unsigned d = 0; d < dimensions && cells[i] != SIZE_MAX; d++) {
      const size_t k = counter_of(&b[d], samples[d], i);
      cells[i] = k < b[d].outputs ? cells[i] * b[d].outputs + k : SIZE_MAX;
    }
  }
  return cells;
}

/* The cell of the other table that each cell of a table becomes. */
static inline size_t *projected_cells(const iw_table_axis *axes, unsigned dimensions, size_t n)
{
  size_t *const cells = malloc((n + 1) * sizeof *cells);
  ck_assert_ptr_nonnull(cells);
  for (size_t i = 0; i < n; i++) {
    size_t left = i, stride = 1;
    cells[i] = 0;
    for (unsigned d = dimensions; d-- > 0;) {
      const iw_table_axis *const a = &axes[d];
      const size_t all = a->bins + (a->outliers ? 2 : 0), k = left % all;
      left /= all;
      if (!a->factor)
        continue;
      const size_t bins = a->bins / a->factor;
      cells[i] += (k < a->bins ? k / a->factor : bins + (k - a->bins)) * stride;
      stride *= bins + (a->outliers ? 2 : 0);
    }
  }
  return cells;
}

#endif
