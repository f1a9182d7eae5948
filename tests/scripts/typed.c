/* SPDX-License-Identifier: Apache-2.0
 *
 * The macros of <isowarp/typed.h>: each once, with its result. Prints what is wrong; the exit status is 1
 * then.
 */
#include <isowarp/typed.h>

#include <stdio.h>

static int failures;
#define EXPECT(call, right) do { \
    if ((call) != IW_OK || !(right)) { \
      printf("%s is wrong: %s\n", #call, iw_message()); \
      failures++; \
    } \
  } while (0)

static const float in[8] = { 1, 9, 2, 8, 3, 7, 4, 6 };
static const uint8_t flags[8] = { 1, 0, 255, 0, 128, 0, 0, 2 };

static void check_scans(iw_context *c)
{
  float out[8], total;
  double wide, wide_out[8];
  size_t index;
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = 8 };
  const iw_scan_options of_rows = { .size = sizeof of_rows, .segments = &rows };
  EXPECT(iwt_inclusive_scan(c, IW_SUM, in, 8, out, NULL), out[7] == 40);
  EXPECT(iwt_inclusive_scan(c, IW_SUM, in, 8, out, IWT_INIT(in, 10)), out[7] == 50);
  EXPECT(iwt_exclusive_scan(c, IW_MAX, in, 8, out, NULL), out[1] == 1 && out[7] == 9);
  EXPECT(iwt_reduce(c, IW_MIN, in, 8, &total, NULL), total == 1);
  EXPECT(iwt_inclusive_scan(c, IW_SUM, in, 8, wide_out, NULL), wide_out[7] == 40);
  EXPECT(iwt_reduce(c, IW_SUM, in, 8, &wide, NULL), wide == 40);
  EXPECT(iwt_keys_by_value(c, in, 8, out), out[0] == 1 && out[7] == 6);
  EXPECT(iwt_argmin(c, in, 8, &index, NULL, NULL), index == 0);
  EXPECT(iwt_argmin(c, in, 8, &index, NULL, &of_rows), index == 0);
  EXPECT(iwt_argmax(c, in, 8, &index, &total, &of_rows), index == 1 && total == 9);
  const uint8_t keys[8] = { 1, 1, 2, 2, 2, 2, 2, 2 };
  const iw_segments by_keys = { .size = sizeof by_keys, .kind = IW_SEGMENTS_KEYS, .keys = keys, .key_type = IW_U8 };
  size_t indices[2];
  const iw_scan_options by_key = { .size = sizeof by_key, .segments = &by_keys, .run_count = &index };
  EXPECT(iwt_argmin(c, in, 8, indices, NULL, &by_key), index == 2 && indices[0] == 0);
  EXPECT(iwt_argmax(c, in, 8, indices, NULL, &by_key), index == 2 && indices[0] < 2);
  EXPECT(iwt_reduce(c, IW_SUM, in, 8, wide_out, &by_key), index == 2 && wide_out[0] + wide_out[1] == 40);
  EXPECT(iwt_argmax(c, in, 8, &index, &total, NULL), index == 1 && total == 9);
}

static void check_histograms(iw_context *c)
{
  const uint32_t weights[8] = { 7, 7, 7, 0, 0, 0, 0, 0 };
  const iw_histogram_spec s = { .size = sizeof s, .bins = 2, .lo = IWT_VALUE(in, 0), .hi = IWT_VALUE(in, 10) };
  float lo, hi, edges[3];
  uint64_t counts[2], pairs[4];
  iw_histogram_plan *plan;
  EXPECT(iwt_histogram(c, &s, in, 8, counts, NULL), counts[0] == 4 && counts[1] == 4);
  EXPECT(iwt_histogram_edges(&s, edges), edges[1] == 5);
  EXPECT(iwt_histogram_range(c, in, 1, 8, &lo, &hi), lo == 1 && hi == 9);
  EXPECT(iwt_histogram_plan_make(c, &s, in, 8, &plan), 1);
  const iw_histogram_spec planned = iw_spec_of_plan(plan);
  EXPECT(iwt_histogram_weighted(c, &planned, in, weights, 8, counts), counts[0] == 14);
  EXPECT(iwt_histogram_rows(c, &planned, in, 2, 4, pairs, NULL), pairs[0] == 2 && pairs[3] == 2);
  const iw_histogram_spec *const specs[2] = { &planned, NULL };
  void *const outs[2] = { counts, NULL };
  EXPECT(iwt_histogram_channels(c, specs, 2, in, 4, outs), counts[0] == 4);
  const iw_histogram_axis axes[2] = { { sizeof *axes, &planned, in }, { sizeof *axes, &planned, in } };
  const iw_table_axis table[2] = { { .size = sizeof *table, .bins = 2, .factor = 1 }, { .size = sizeof *table, .bins = 2 } };
  const iw_histogram_spec own = { .size = sizeof own, .bins = 2 };
  iw_growing_histogram *growing;
  uint8_t indices[8];
  float los[2], his[2];
  const iw_histogram_ranges ranges = { sizeof ranges, los, his };
  EXPECT(iwt_histogram_nd(c, axes, 2, 8, pairs, NULL), pairs[0] == 4 && pairs[3] == 4);
  EXPECT(iwt_histogram_project(c, table, 2, pairs, counts, 0), counts[0] == 4 && counts[1] == 4);
  EXPECT(iwt_histogram_nd_weighted(c, axes, 2, weights, 8, pairs), pairs[0] == 14 && pairs[3] == 7);
  EXPECT(iwt_digitize(c, &s, in, 8, indices), indices[0] == 0 && indices[1] == 1);
  EXPECT(iwt_histogram_power_edges(1, 4, 2, 0, edges), edges[1] == 2);
  EXPECT(iwt_histogram_power_edges(0, 1, 2, 0.5, edges), edges[1] == 0.25f);
  EXPECT(iwt_histogram_range(c, in, 2, 4, los, his), his[0] == 9);
  EXPECT(iwt_histogram_rows(c, &own, in, 2, 4, pairs, &ranges), pairs[0] + pairs[1] == 3);
  EXPECT(iw_growing_histogram_make(IW_F32, IWT_VALUE(in, 0), IWT_VALUE(in, 5), 2, IW_GROW_RANGE, &growing), 1);
  EXPECT(iw_growing_histogram_add(c, growing, in, 8), 1);
  EXPECT(iw_growing_histogram_read(growing, edges, counts), counts[0] == 4 && edges[1] == 5);
  iw_growing_histogram_free(growing);
  iw_histogram_plan_free(plan);
}

static void check_partitions(iw_context *c)
{
  const iw_test flagged = { .size = sizeof flagged, .flags = flags };
  const iw_buckets three = { .size = sizeof three, .pivot = IWT_VALUE(in, 7) };
  float out[8], rest[8];
  uint32_t order[8], lengths[8];
  size_t count, offsets[4];
  const iw_payload payloads[2] = { IWT_PAYLOAD(in, out, rest), IWT_INDICES(order, NULL) };
  const iw_move_options both = { .size = sizeof both, .payloads = payloads, .payload_count = 2 };
  const iw_move_options moved = { .size = sizeof moved, .payloads = &payloads[1], .payload_count = 1 };
  float *const none = NULL;
  EXPECT(iwt_partition(c, &flagged, in, 8, out, &count, NULL), count == 4 && out[4] == 9);
  EXPECT(iwt_partition(c, IWT_COMPARE(in, IW_LESS, 5), in, 8, out, &count, IW_OPTIONS(iw_move_options, .rest = rest)), count == 4 && rest[0] == 9);
  EXPECT(iwt_select_if(c, &flagged, in, 8, out, &count, NULL), count == 4 && out[2] == 3);
  EXPECT(iwt_partition(c, &flagged, in, 8, none, &count, &both), count == 4 && rest[0] == 9 && order[4] == 1);
  EXPECT(iwt_select_if(c, &flagged, in, 8, none, &count, &moved), count == 4 && order[3] == 7);
  EXPECT(iwt_unique(c, in, 8, NULL, &count, &moved), count == 8 && order[7] == 7);
  EXPECT(iwt_run_lengths(c, in, 8, NULL, lengths, &count), count == 8 && lengths[7] == 1);
  EXPECT(iwt_run_lengths_decode(c, in, lengths, 8, out, 8), out[7] == 6);
  EXPECT(iwt_multisplit(c, &three, in, 8, out, offsets, NULL), offsets[1] == 5 && offsets[3] == 8 && out[5] == 7);
  EXPECT(iwt_multisplit(c, &three, in, 8, none, offsets, &moved), order[5] == 5);
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = 2 };
  EXPECT(iwt_sort(c, in, 8, out, NULL), out[0] <= out[1] && out[7] == 9);
  iw_sort_options options = { .size = sizeof options, .descending = 1, .payloads = &payloads[1], .payload_count = 1 };
  EXPECT(iwt_sort(c, in, 8, NULL, &options), in[order[0]] == 9);
  EXPECT(iwt_argsort(c, in, 8, order, NULL), in[order[7]] == 9 && in[order[0]] == out[0]);
  EXPECT(iwt_sort(c, in, 8, out, NULL), 1);
  EXPECT(iwt_bounds(c, IW_LOWER_BOUND, out, 8, out + 7, 1, order, NULL), out[order[0]] == 9);
  EXPECT(iwt_bounds(c, IW_UPPER_BOUND, out, 8, out + 7, 1, order, NULL), order[0] == 8);
  size_t index;
  EXPECT(iwt_is_sorted_until(c, in, 8, &count, NULL), count == 2);
  EXPECT(iwt_merge(c, in, 2, in + 2, 2, out, order, NULL), out[0] == 1 && out[3] == 9 && order[1] == 2);
  EXPECT(iwt_top_k(c, in, 8, 2, out, &options), out[0] == 9 && out[1] == 8 && order[1] == 3);
  EXPECT(iwt_top_k(c, in, 8, 1, out, NULL), out[0] == 1);
  EXPECT(iwt_nth_element(c, in, 8, 7, out, &index), out[0] == 9 && index == 1);
  options = (iw_sort_options){ .size = sizeof options, .segments = &rows };
  EXPECT(iwt_sort(c, in, 8, out, &options), out[0] <= out[1] && out[2] <= out[3]);
}

/* Each narrow type: the first three elements are less than the fourth; the others are equal to it. */
#define CHECK_NARROW(c, T, small, large) do { \
    const T x[8] = { small, small, small, large, large, large, large, large }; \
    const iw_buckets three = { .size = sizeof three, .pivot = IWT_VALUE(x, large) }; \
    T front[8], rest[8]; \
    uint64_t lengths[8]; \
    size_t count, offsets[4]; \
    EXPECT(iwt_partition(c, IWT_COMPARE(x, IW_LESS, large), x, 8, front, &count, IW_OPTIONS(iw_move_options, .rest = rest)), \
           count == 3 && front[2] == x[0] && rest[4] == x[3]); \
    EXPECT(iwt_select_if(c, IWT_COMPARE(x, IW_GREATER, small), x, 8, front, &count, NULL), count == 5 && front[4] == x[7]); \
    EXPECT(iwt_run_lengths(c, x, 8, front, lengths, &count), count == 2 && front[1] == x[3] && lengths[1] == 5); \
    EXPECT(iwt_unique(c, x, 8, front, &count, NULL), count == 2 && front[0] == x[0]); \
    EXPECT(iwt_multisplit(c, &three, x, 8, front, offsets, NULL), offsets[1] == 3 && offsets[2] == 8 && front[3] == x[3]); \
  } while (0)

static void check_narrow(iw_context *c)
{
  CHECK_NARROW(c, uint8_t, 3, 200);
  CHECK_NARROW(c, uint16_t, 3, 40000);
  CHECK_NARROW(c, int8_t, -100, 100);
  CHECK_NARROW(c, int16_t, -300, 30000);
  CHECK_NARROW(c, _Bool, 0, 1);
#ifdef __FLT16_MANT_DIG__
  CHECK_NARROW(c, iwt_f16, -0.5f, 0.25f);
#endif
#ifdef __BFLT16_MANT_DIG__
  CHECK_NARROW(c, iwt_bf16, -0.5f, 1e30f);
#endif
}

int main(void)
{
  iw_context *c;
  if (iw_context_open(&c, NULL) != IW_OK) {
    printf("no context: %s\n", iw_message());
    return 1;
  }
  check_scans(c);
  check_histograms(c);
  check_partitions(c);
  check_narrow(c);
  iw_context_close(c);
  return failures != 0;
}

/* Pairs: the compiler takes the first, and refuses the second (typed.sh). Arrays: f float, d double, s char,
 * which is no element type, u uint32_t, v uint64_t, i int32_t, l int64_t, k size_t.
 *
 *   iwt_inclusive_scan(c, IW_SUM, f, n, d, NULL)
 *   not iwt_inclusive_scan(c, IW_SUM, d, n, f, NULL)
 *   iwt_inclusive_scan(c, IW_SUM, i, n, l, NULL)
 *   not iwt_inclusive_scan(c, IW_SUM, i, n, v, NULL)
 *   iwt_exclusive_scan(c, IW_SUM, d, n, d, NULL)
 *   not iwt_exclusive_scan(c, IW_SUM, s, n, s, NULL)
 *   iwt_inclusive_scan(c, IW_SUM, f, n, f, IWT_INIT(f, 1))
 *   not iwt_inclusive_scan(c, IW_SUM, f, n, f, f)
 *   iwt_reduce(c, IW_SUM, f, n, f, NULL)
 *   not iwt_reduce(c, IW_SUM, f, n, i, NULL)
 *   iwt_argmin(c, f, n, k, NULL, NULL)
 *   not iwt_argmin(c, f, n, k, d, NULL)
 *   iwt_keys_by_value(c, f, n, f)
 *   not iwt_keys_by_value(c, f, n, d)
 *   iwt_histogram(c, NULL, d, n, v, NULL)
 *   not iwt_histogram(c, NULL, d, n, f, NULL)
 *   iwt_histogram(c, NULL, d, n, u, NULL)
 *   not iwt_histogram(c, NULL, s, n, u, NULL)
 *   iwt_histogram_edges(NULL, d)
 *   not iwt_histogram_edges(NULL, s)
 *   iwt_histogram_range(c, f, 1, n, f, f)
 *   not iwt_histogram_range(c, f, 1, n, f, d)
 *   iwt_histogram_plan_make(c, NULL, f, n, NULL)
 *   not iwt_histogram_plan_make(c, NULL, s, n, NULL)
 *   iwt_histogram_weighted(c, NULL, d, f, n, f)
 *   not iwt_histogram_weighted(c, NULL, d, f, n, d)
 *   iwt_histogram_weighted(c, NULL, d, i, n, l)
 *   not iwt_histogram_weighted(c, NULL, d, i, n, i)
 *   iwt_histogram_nd(c, NULL, 2, n, v, NULL)
 *   not iwt_histogram_nd(c, NULL, 2, n, l, NULL)
 *   iwt_histogram_nd_weighted(c, NULL, 2, f, n, f)
 *   not iwt_histogram_nd_weighted(c, NULL, 2, f, n, d)
 *   iwt_histogram_rows(c, NULL, d, n, n, v, NULL)
 *   not iwt_histogram_rows(c, NULL, d, n, n, f, NULL)
 *   iwt_partition(c, NULL, d, n, d, k, NULL)
 *   not iwt_partition(c, NULL, d, n, f, k, NULL)
 *   iwt_select_if(c, NULL, d, n, d, k, NULL)
 *   not iwt_select_if(c, NULL, d, n, f, k, NULL)
 *   iwt_select_if(c, NULL, (int8_t *)0, n, (int8_t *)0, k, NULL)
 *   not iwt_select_if(c, NULL, (int8_t *)0, n, (uint8_t *)0, k, NULL)
 *   iwt_select_if(c, NULL, (int16_t *)0, n, (int16_t *)0, k, NULL)
 *   not iwt_select_if(c, NULL, (int16_t *)0, n, (uint16_t *)0, k, NULL)
 *   iwt_unique(c, f, n, NULL, k, NULL)
 *   not iwt_unique(c, f, n, d, k, NULL)
 *   iwt_run_lengths(c, f, n, f, u, k)
 *   not iwt_run_lengths(c, f, n, f, s, k)
 *   iwt_run_lengths_decode(c, f, u, n, f, n)
 *   not iwt_run_lengths_decode(c, f, u, n, d, n)
 *   iwt_multisplit(c, NULL, f, n, f, k, NULL)
 *   not iwt_multisplit(c, NULL, f, n, d, k, NULL)
 *   iwt_sort(c, f, n, f, NULL)
 *   not iwt_sort(c, f, n, d, NULL)
 *   iwt_argsort(c, f, n, u, NULL)
 *   not iwt_argsort(c, f, n, i, NULL)
 *   iwt_bounds(c, IW_LOWER_BOUND, f, n, f, n, v, NULL)
 *   not iwt_bounds(c, IW_LOWER_BOUND, f, n, d, n, v, NULL)
 *   iwt_merge(c, f, n, f, n, f, u, NULL)
 *   not iwt_merge(c, f, n, f, n, d, u, NULL)
 *   iwt_top_k(c, f, n, n, f, NULL)
 *   not iwt_top_k(c, f, n, n, d, NULL)
 *   iwt_nth_element(c, f, n, n, f, NULL)
 *   not iwt_nth_element(c, f, n, n, d, NULL)
 *   iw_payload p = IWT_PAYLOAD(f, f, NULL); (void)p
 *   not iw_payload p = IWT_PAYLOAD(f, d, NULL); (void)p
 *   iw_payload p = IWT_INDICES(u, NULL); (void)p
 *   not iw_payload p = IWT_INDICES(f, NULL); (void)p
 */
