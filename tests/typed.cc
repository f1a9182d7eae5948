/* SPDX-License-Identifier: Apache-2.0
 *
 * The overloads of <isowarp/isowarp.hpp>: each call with each element type that it takes. Prints what is wrong; the exit
 * status is 1 then.
 */
#include <isowarp/isowarp.hpp>

#include <cstdio>
#include <cstring>

static int failures;

static void expect(bool right, const char *what, const char *type)
{
  if (right)
    return;
  std::printf("%s of %s is wrong: %s\n", what, type, iw_message());
  failures++;
}

template <class T> static iw_histogram_spec two_bins(const T *lo, const T *hi)
{
  iw_histogram_spec s = iw_histogram_spec();
  s.size = sizeof s;
  s.bins = 2;
  s.lo = lo;
  s.hi = hi;
  return s;
}

static iw_test by_flags(const uint8_t *flags)
{
  iw_test test = iw_test();
  test.size = sizeof test;
  test.flags = flags;
  return test;
}

static const uint8_t flags[8] = { 1, 0, 255, 0, 128, 0, 0, 2 };

template <class T> static void check_scans(iw_context *c, const char *type)
{
  const T in[8] = { 1, 9, 2, 8, 3, 7, 4, 6 }, ten = 10;
  T out[8], total;
  size_t index;
  iw_segments segments = iw_segments();
  segments.size = sizeof segments;
  segments.flags = flags;
  iw_scan_spec spec = iw_scan_spec();
  spec.size = sizeof spec;
  spec.op = IW_SUM;
  spec.segments = &segments;
  expect(!isowarp::inclusive_scan(c, IW_SUM, in, 8, out) && out[2] == 12 && out[7] == 40, "inclusive_scan", type);
  expect(!isowarp::inclusive_scan(c, IW_SUM, in, 8, out, &ten) && out[7] == 50, "inclusive_scan with init", type);
  expect(!isowarp::exclusive_scan(c, IW_MAX, in, 8, out) && out[1] == 1 && out[7] == 9, "exclusive_scan", type);
  expect(!isowarp::exclusive_scan(c, IW_SUM, in, 8, out, &ten) && out[0] == 10, "exclusive_scan with init", type);
  expect(!isowarp::reduce(c, IW_MIN, in, 8, &total) && total == 1, "reduce", type);
  expect(!isowarp::reduce(c, IW_SUM, in, 8, &total, &ten) && total == 50, "reduce with init", type);
  expect(!isowarp::scan_with(c, spec, in, 8, out) && out[1] == 10 && out[2] == 2 && out[6] == 14, "scan_with", type);
  expect(!isowarp::reduce_by_key(c, spec, in, 8, nullptr, out, &index) && index == 4 && out[0] == 10 && out[3] == 6, "reduce_by_key", type);
  expect(!isowarp::keys_by_value(c, in, 8, out) && in[0] == out[0] && in[7] == out[7], "keys_by_value", type);
  size_t indices[8];
  expect(!isowarp::argmin_by_key(c, segments, in, 8, nullptr, indices, out, &index) && index == 4 && indices[0] == 0 && out[1] == 2, "argmin_by_key", type);
  expect(!isowarp::argmax_by_key(c, segments, in, 8, nullptr, indices, out, &index) && index == 4 && indices[0] == 1 && out[1] == 8, "argmax_by_key", type);
  spec.segments = nullptr;
  expect(!isowarp::reduce_with(c, spec, in, 8, &total) && total == 40, "reduce_with", type);
  expect(!isowarp::argmin(c, in, 8, &index) && index == 0, "argmin", type);
  iw_segments rows = {};
  rows.size = sizeof rows;
  rows.kind = IW_SEGMENTS_ROWS;
  rows.columns = 8;
  expect(!isowarp::argmin_segments(c, rows, in, 8, &index) && index == 0, "argmin_segments", type);
  expect(!isowarp::argmax_segments(c, rows, in, 8, &index) && in[index] >= in[0], "argmax_segments", type);
  expect(!isowarp::argmax(c, in, 8, &index, &total) && index == 1 && total == 9, "argmax", type);
}

template <class T> static void check_histograms(iw_context *c, const char *type)
{
  const T in[8] = { 1, 9, 2, 8, 3, 7, 4, 6 }, zero = 0, ten = 10;
  const uint32_t weights[8] = { 7, 7, 7, 0, 0, 0, 0, 0 };
  T lo, hi, edges[3];
  uint64_t counts[2], pairs[4];
  uint32_t counts_32[2];
  iw_histogram_spec s = two_bins(&zero, &ten);
  iw_histogram_report report = iw_histogram_report();
  report.size = sizeof report;
  iw_strategy_options options = { sizeof options, IW_STRATEGY_BASIC, 0 };
  iw_histogram_plan *plan;
  expect(!isowarp::histogram(c, &s, in, 8, counts, &report) && counts[0] == 4 && counts[1] == 4 && !report.nan,
         "histogram", type);
  expect(!isowarp::histogram_by_strategy(c, &s, in, 8, counts, nullptr, &options) && counts[1] == 4, "histogram_by_strategy", type);
  expect(!isowarp::histogram_edges(&s, edges) && edges[1] == 5, "histogram_edges", type);
  expect(!isowarp::histogram_range(c, in, 8, &lo, &hi) && lo == 1 && hi == 9, "histogram_range", type);
  s.flags = IW_HIST_COUNTERS_32;
  expect(!isowarp::histogram(c, &s, in, 8, counts_32) && counts_32[1] == 4, "histogram of 32-bit counters", type);
  s.flags = 0;
  expect(!isowarp::histogram_plan_make(c, &s, in, 3, &plan), "histogram_plan_make", type);
  expect(!isowarp::histogram_weighted(c, plan, in, weights, 8, counts) && counts[0] == 14 && counts[1] == 7,
         "histogram_weighted", type);
  expect(!isowarp::histogram_pairs(c, plan, in, plan, in, 8, pairs) && pairs[0] == 4 && pairs[3] == 4,
         "histogram_pairs", type);
  expect(!isowarp::histogram_rows(c, plan, in, 2, 4, pairs) && pairs[0] == 2 && pairs[3] == 2, "histogram_rows", type);
  const iw_histogram_plan *const plans[2] = { plan, nullptr };
  void *const outs[2] = { counts, nullptr };
  expect(!isowarp::histogram_channels(c, plans, 2, in, 4, outs) && counts[0] == 4, "histogram_channels", type);
  const iw_histogram_axis axes[2] = { isowarp::histogram_axis(plan, in), isowarp::histogram_axis(plan, in) };
  const iw_table_axis table[2] = { { sizeof *table, 2, 0, 1 }, { sizeof *table, 2, 0, 0 } };
  iw_histogram_spec own = two_bins<T>(nullptr, nullptr);
  iw_growing_histogram *growing;
  uint8_t indices[8];
  T los[2], his[2];
  expect(!isowarp::histogram_nd(c, axes, 2, 8, pairs) && pairs[0] == 4 && pairs[3] == 4, "histogram_nd", type);
  expect(!isowarp::histogram_project(c, table, 2, pairs, counts, 0) && counts[0] == 4 && counts[1] == 4,
         "histogram_project", type);
  expect(!isowarp::histogram_nd_weighted(c, axes, 2, weights, 8, pairs) && pairs[0] == 14 && pairs[3] == 7,
         "histogram_nd_weighted", type);
  expect(!isowarp::digitize(c, &s, in, 8, indices) && indices[0] == 0 && indices[1] == 1, "digitize", type);
  expect(!isowarp::histogram_log_edges(1, 4, 2, edges) && edges[1] == 2, "histogram_log_edges", type);
  expect(!isowarp::histogram_power_edges(0, 16, 2, 0.5, edges) && edges[1] == 4, "histogram_power_edges", type);
  expect(!isowarp::histogram_row_ranges(c, in, 2, 4, los, his) && his[0] == 9, "histogram_row_ranges", type);
  expect(!isowarp::histogram_rows_ranged(c, &own, in, 2, 4, los, his, pairs) && pairs[0] + pairs[1] == 3,
         "histogram_rows_ranged", type);
  expect(!isowarp::histogram_rows_ranged(c, &own, in, 2, 4, nullptr, nullptr, pairs) && pairs[0] + pairs[1] == 4,
         "histogram_rows_ranged without ranges", type);
  expect(!isowarp::growing_histogram_make<T>(0, 5, 2, IW_GROW_RANGE, &growing), "growing_histogram_make", type);
  expect(!isowarp::growing_histogram_add(c, growing, in, 8), "growing_histogram_add", type);
  expect(!isowarp::growing_histogram_read(growing, edges, counts) && counts[0] == 4 && edges[1] == 5,
         "growing_histogram_read", type);
  iw_growing_histogram_free(growing);
  iw_histogram_plan_free(plan);
  expect(!isowarp::histogram_plan_make<T>(c, &s, nullptr, 0, &plan), "histogram_plan_make without a sample", type);
  iw_histogram_plan_free(plan);
}

template <class T> static void check_partitions(iw_context *c, const char *type)
{
  const T in[8] = { 1, 9, 2, 8, 3, 7, 4, 6 };
  const uint8_t letters[9] = "abcdefgh";
  const iw_test flagged = by_flags(flags);
  T out[8], rest[8];
  uint8_t moved[8], others[8];
  uint32_t order[8], lengths[8];
  size_t count, offsets[5];
  expect(!isowarp::partition(c, &flagged, in, 8, out, nullptr, &count) && count == 4 && out[3] == 6 && out[4] == 9,
         "partition", type);
  expect(!isowarp::partition(c, IW_LESS, 5, in, 8, out, rest, &count) && count == 4 && out[3] == 4 && rest[0] == 9,
         "partition by a constant", type);
  expect(!isowarp::select_if(c, &flagged, in, 8, out, &count) && count == 4 && out[2] == 3, "select_if", type);
  expect(!isowarp::select_if(c, IW_GREATER, 7, in, 8, out, &count) && count == 2 && out[1] == 8,
         "select_if by a constant", type);
  const iw_payload both[2] = { isowarp::payload(in, out, rest), isowarp::payload(letters, moved, others) };
  expect(!isowarp::partition_payloads(c, &flagged, in, 8, both, 2, &count) && count == 4 && rest[0] == 9 && moved[3] == 'h'
         && others[0] == 'b', "partition_payloads", type);
  const iw_payload index = isowarp::indices(order);
  expect(!isowarp::select_payloads(c, &flagged, in, 8, &index, 1, &count) && count == 4 && order[3] == 7,
         "select_payloads", type);
  expect(!isowarp::unique(c, in, 8, out, &count) && count == 8, "unique", type);
  expect(!isowarp::unique(c, in, 8, nullptr, &count, &index, 1) && order[7] == 7, "unique with a payload", type);
  expect(!isowarp::run_lengths(c, in, 8, out, lengths, &count) && count == 8 && lengths[0] == 1, "run_lengths", type);
  iw_buckets buckets = iw_buckets();
  buckets.size = sizeof buckets;
  buckets.bits = 1;
  iw_buckets three = iw_buckets();
  const T seven = 7;
  three.size = sizeof three;
  three.pivot = &seven;
  expect(!isowarp::multisplit(c, &three, in, 8, out, offsets) && offsets[1] == 5 && offsets[2] == 6 && offsets[3] == 8
         && out[5] == 7, "multisplit", type);
  expect(!isowarp::multisplit_payloads(c, &three, in, 8, &index, 1, offsets) && order[5] == 5, "multisplit_payloads", type);
  iw_segments pairs = iw_segments();
  pairs.size = sizeof pairs;
  pairs.kind = IW_SEGMENTS_ROWS;
  pairs.columns = 2;
  expect(!isowarp::sort(c, in, 8, out) && out[0] <= out[1] && out[7] == 9, "sort", type);
  iw_sort_options options = iw_sort_options();
  options.size = sizeof options;
  options.descending = 1;
  options.payloads = &index;
  options.payload_count = 1;
  expect(!isowarp::sort(c, in, 8, nullptr, &options) && in[order[0]] == 9, "sort with a payload", type);
  expect(!isowarp::argsort(c, in, 8, order) && in[order[7]] == 9 && in[order[0]] == out[0], "argsort", type);
  expect(!isowarp::sort(c, in, 8, out) && !isowarp::lower_bound(c, out, 8, out + 7, 1, order) && out[order[0]] == 9,
         "lower_bound", type);
  expect(!isowarp::upper_bound(c, out, 8, out + 7, 1, order) && order[0] == 8, "upper_bound", type);
  uint64_t place, until;
  expect(!isowarp::is_sorted_until(c, in, 8, &until) && until == 2, "is_sorted_until", type);
  expect(!isowarp::merge(c, in, 2, in + 2, 2, out, order) && out[3] == 9 && in[order[3]] == 9, "merge", type);
  expect(!isowarp::top_k(c, in, 8, 2, out, &options) && out[0] == 9 && out[1] >= out[0] - 2 && in[order[0]] == 9, "top_k", type);
  expect(!isowarp::nth_element(c, in, 8, 7, out, &place) && out[0] == 9 && in[place] == 9, "nth_element", type);
  expect(!isowarp::median(c, in, 8, out) && out[0] < 9, "median", type);
  options = iw_sort_options();
  options.size = sizeof options;
  options.segments = &pairs;
  expect(!isowarp::sort(c, in, 8, out, &options) && out[0] <= out[1] && out[2] <= out[3], "sort of rows", type);
  const iw_payload elements = isowarp::payload(in, out);
  expect(!isowarp::multisplit_payloads(c, &buckets, in, 8, &elements, 1, offsets) && offsets[2] == 8,
         "multisplit_payloads of elements", type);
}

template <class S, class T> static void check_mixed(iw_context *c, const char *types)
{
  const S in[4] = { 1, 9, 2, 8 };
  T out[4], total;
  iw_scan_spec spec = iw_scan_spec();
  spec.size = sizeof spec;
  spec.op = IW_SUM;
  expect(!isowarp::scan_with(c, spec, in, 4, out) && out[0] == 1 && out[3] == 20, "scan_with", types);
  expect(!isowarp::reduce_with(c, spec, in, 4, &total) && total == 20, "reduce_with", types);
}

template <class T> static void check_narrow(iw_context *c, const char *type)
{
  const T samples[3] = { 1, 2, 250 }, lo = 0, hi = 4;
  uint64_t counts[2];
  T out[3];
  size_t count;
  const iw_histogram_spec s = two_bins(&lo, &hi);
  expect(!isowarp::histogram(c, &s, samples, 3, counts) && counts[0] == 1 && counts[1] == 1, "histogram", type);
  expect(!isowarp::select_if(c, IW_GREATER, 1, samples, 3, out, &count) && count == 2 && out[1] == 250, "select_if", type);
}

/* The first three elements are less than the fourth; the others are equal to it. They are compared as bits, as f16 and bf16 have
 * no operators. */
template <class T> static void check_order(iw_context *c, const char *type, T small, T large)
{
  const T in[8] = { small, small, small, large, large, large, large, large };
  T out[8], rest[8];
  uint32_t lengths[8];
  size_t count, offsets[4];
  iw_buckets three = iw_buckets();
  three.size = sizeof three;
  three.pivot = &large;
  expect(!isowarp::partition(c, IW_LESS, large, in, 8, out, rest, &count) && count == 3 && !std::memcmp(out, in, 3 * sizeof(T))
         && !std::memcmp(rest, in + 3, 5 * sizeof(T)), "partition", type);
  expect(!isowarp::select_if(c, IW_GREATER, small, in, 8, out, &count) && count == 5 && !std::memcmp(out, in + 3, 5 * sizeof(T)),
         "select_if", type);
  expect(!isowarp::run_lengths(c, in, 8, out, lengths, &count) && count == 2 && lengths[0] == 3 && !std::memcmp(out, in + 2, 2 * sizeof(T)),
         "run_lengths", type);
  expect(!isowarp::multisplit(c, &three, in, 8, out, offsets) && offsets[1] == 3 && offsets[2] == 8
         && !std::memcmp(out, in, sizeof in), "multisplit", type);
}

template <class T> static void check(iw_context *c, const char *type)
{
  check_scans<T>(c, type);
  check_histograms<T>(c, type);
  check_partitions<T>(c, type);
}

int main()
{
  iw_context *c;
  if (iw_context_open(&c, 0)) {
    std::printf("no context: %s\n", iw_message());
    return 1;
  }
  check_narrow<uint8_t>(c, "u8");
  check_narrow<uint16_t>(c, "u16");
  check_order<int8_t>(c, "i8", -100, 100);
  check_order<int16_t>(c, "i16", -300, 30000);
  check_order<bool>(c, "bool", false, true);
  check_order<isowarp::f16>(c, "f16", { 0xb800 }, { 0x3400 });
  check_order<isowarp::bf16>(c, "bf16", { 0xbf00 }, { 0x3e80 });
#ifdef __FLT16_MANT_DIG__
  check_order<isowarp::detail::compilers_f16>(c, "_Float16", -0.5f, 0.25f);
#endif
#ifdef __BFLT16_MANT_DIG__
  check_order<isowarp::detail::compilers_bf16>(c, "__bf16", -0.5f, 1e30f);
#endif
  check<int32_t>(c, "i32");
  check<uint32_t>(c, "u32");
  check<int64_t>(c, "i64");
  check<uint64_t>(c, "u64");
  check<float>(c, "f32");
  check<double>(c, "f64");
  check_mixed<uint8_t, uint32_t>(c, "u8 in u32");
  check_mixed<uint8_t, uint64_t>(c, "u8 in u64");
  check_mixed<int32_t, int64_t>(c, "i32 in i64");
  check_mixed<uint32_t, uint64_t>(c, "u32 in u64");
  check_mixed<float, double>(c, "f32 in f64");
  check_mixed<float, float>(c, "f32 in f32");
  iw_context_close(c);
  return failures != 0;
}
