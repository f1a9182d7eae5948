/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of <isowarp/isowarp.hpp>, each with each element type that it takes; errors, views and handles.
 * Prints what is wrong; the exit status is 1 then. With ISOWARP_NO_EXCEPTIONS the calls return an
 * isowarp::expected (tests/scripts/typed.sh runs both).
 */
#include <isowarp/isowarp.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static int failures;

static void expect(bool right, const char *what, const char *type)
{
  if (right)
    return;
  std::printf("%s of %s is wrong: %s\n", what, type, iw_message());
  failures++;
}

/* What a call returned, in both variants; whether a call succeeded; and its status and message. */
static std::string message;
#ifdef ISOWARP_NO_EXCEPTIONS
template <class T> static T value(isowarp::expected<T> e)
{
  if (!e) {
    std::printf("error: %s\n", e.error().what());
    std::exit(1);
  }
  return *std::move(e);
}
#define RUNS(...) bool(__VA_ARGS__)
template <class F> static iw_status status(F call)
{
  auto e = call();
  message = e ? "" : e.error().message();
  return e ? IW_OK : e.error().status();
}
#else
template <class T> static T value(T v) { return v; }
#define RUNS(...) ((__VA_ARGS__), true)
template <class F> static iw_status status(F call)
{
  try {
    (void)call();
  } catch (const isowarp::error &e) {
    message = e.what();
    return e.status();
  }
  return IW_OK;
}
#endif

static const uint8_t flags[8] = { 1, 0, 255, 0, 128, 0, 0, 2 };

template <class T> static void check_scans(const isowarp::context &c, const char *type)
{
  const T in[8] = { 1, 9, 2, 8, 3, 7, 4, 6 }, ten = 10;
  const std::vector<int16_t> keys = { 5, 5, 7, 7, 7, 7, 7, 7 };
  T out[8], results[8];
  size_t indices[8], count;
  int16_t run_keys[8];
  isowarp::scan_options<T> o;
  expect(RUNS(isowarp::inclusive_scan(c, IW_SUM, in, out)) && out[2] == 12 && out[7] == 40, "inclusive_scan", type);
  expect(RUNS(isowarp::exclusive_scan(c, IW_MAX, in, out)) && out[1] == 1 && out[7] == 9, "exclusive_scan", type);
  expect(value(isowarp::reduce(c, IW_MIN, in)) == 1, "reduce", type);
  expect(RUNS(isowarp::reduce(c, IW_SUM, in, isowarp::span(results, 1))) && results[0] == 40, "reduce to a view", type);
  o.init = &ten;
  expect(RUNS(isowarp::inclusive_scan(c, IW_SUM, in, out, o)) && out[7] == 50, "inclusive_scan with init", type);
  expect(RUNS(isowarp::exclusive_scan(c, IW_SUM, in, out, o)) && out[0] == 10, "exclusive_scan with init", type);
  expect(value(isowarp::reduce(c, IW_SUM, in, o)) == 50, "reduce with init", type);
  o = {};
  o.segments = isowarp::segments::flags(flags);
  expect(RUNS(isowarp::inclusive_scan(c, IW_SUM, in, out, o)) && out[1] == 10 && out[2] == 2 && out[6] == 14, "scan by flags", type);
  o.run_count = &count;
  expect(RUNS(isowarp::reduce(c, IW_SUM, in, results, o)) && count == 4 && results[0] == 10 && results[3] == 6, "reduce by flags", type);
  o.segments = isowarp::segments::keys(keys, run_keys);
  expect(RUNS(isowarp::reduce(c, IW_MAX, in, results, o)) && count == 2 && results[1] == 8 && run_keys[1] == 7, "reduce by keys", type);
  expect(RUNS(isowarp::argmax(c, in, indices, results, o)) && count == 2 && indices[1] == 1 && results[0] == 9, "argmax by keys", type);
  o = {};
  o.segments = isowarp::segments::rows(4);
  expect(RUNS(isowarp::reduce(c, IW_SUM, in, results, o)) && results[0] == 20 && results[1] == 20, "reduce of rows", type);
  expect(RUNS(isowarp::argmin(c, in, indices, {}, o)) && indices[0] == 0 && indices[1] == 0, "argmin of rows", type);
  o.segments = isowarp::segments::columns(4);
  expect(RUNS(isowarp::reduce(c, IW_MAX, in, results, o)) && results[0] == 3 && results[1] == 9, "reduce of columns", type);
  const uint32_t offsets[] = { 0, 3, 3, 8 };
  o.segments = isowarp::segments::offsets(offsets);
  expect(RUNS(isowarp::reduce(c, IW_SUM, in, results, o)) && results[0] == 12 && results[1] == 0 && results[2] == 28, "reduce by offsets", type);
  const auto least = value(isowarp::argmin(c, in)), most = value(isowarp::argmax(c, in));
  expect(least.index == 0 && least.value == 1 && most.index == 1 && most.value == 9, "argmin and argmax", type);
  expect(RUNS(isowarp::keys_by_value(c, in, out)) && in[0] == out[0] && in[7] == out[7], "keys_by_value", type);
}

template <class T> static void check_histograms(const isowarp::context &c, const char *type)
{
  const T in[8] = { 1, 9, 2, 8, 3, 7, 4, 6 }, three_edges[3] = { 0, 5, 10 };
  const uint32_t weights[8] = { 7, 7, 7, 0, 0, 0, 0, 0 };
  const float halves[8] = { 0.5f, 0.25f };
  T edges[3], los[2], his[2];
  uint64_t counts[2], pairs[4];
  uint32_t counts_32[2];
  uint8_t indices[8];
  float sums[2];
  isowarp::exact_sum exact[2];
  isowarp::histogram_spec<T> s = { IW_HISTOGRAM_EVEN, 2, T(0), T(10) }, own, of_edges = { IW_HISTOGRAM_EDGES, 2 }, of_32 = s;
  of_edges.edges = three_edges;
  own.bins = 2;
  of_32.counter_width = 4;
  isowarp::histogram_report report;
  expect(RUNS(isowarp::histogram(c, s, in, counts, &report)) && counts[0] == 4 && counts[1] == 4 && !report.nan, "histogram", type);
  expect(RUNS(isowarp::histogram(c, { IW_HISTOGRAM_EVEN, 2, T(0), T(10) }, in, counts_32)) && counts_32[1] == 4, "histogram of 32-bit counters", type);
  expect(RUNS(isowarp::histogram(c, of_edges, in, counts)) && counts[0] == 4, "histogram of edges", type);
  expect(RUNS(isowarp::histogram_edges(s, edges)) && edges[1] == 5, "histogram_edges", type);
  const auto range = value(isowarp::histogram_range(c, in));
  expect(range.lo == 1 && range.hi == 9, "histogram_range", type);
  const auto plan = value(isowarp::histogram_plan<T>::make(c, s, in)), plan_32 = value(isowarp::histogram_plan<T>::make(c, of_32));
  expect(value(plan.info(c, 8)).bins == 2 && plan.outputs() == 2, "histogram_plan", type);
  expect(RUNS(isowarp::histogram(c, plan, in, counts)) && counts[1] == 4, "histogram by a plan", type);
  expect(RUNS(isowarp::histogram(c, plan_32, in, counts_32)) && counts_32[0] == 4, "histogram by a plan of 32 bits", type);
  expect(status([&] { return isowarp::histogram(c, plan_32, in, counts); }) == IW_ERROR_INVALID, "counters of another width than the plan's", type);
  expect(RUNS(isowarp::histogram_weighted(c, plan, in, weights, counts)) && counts[0] == 14 && counts[1] == 7, "histogram_weighted", type);
  expect(RUNS(isowarp::histogram_weighted(c, s, in, halves, sums)) && sums[0] == 0.5f && sums[1] == 0.25f, "histogram_weighted of floats", type);
  expect(RUNS(isowarp::histogram_weighted_exact(c, s, in, halves, exact)) && value(exact[1].round<double>()) == 0.25, "histogram_weighted_exact", type);
  expect(RUNS(isowarp::histogram_rows(c, plan, in, 2, 4, pairs)) && pairs[0] == 2 && pairs[3] == 2, "histogram_rows", type);
  expect(RUNS(isowarp::histogram_row_ranges(c, in, 2, 4, los, his)) && his[0] == 9, "histogram_row_ranges", type);
  expect(RUNS(isowarp::histogram_rows(c, own, in, 2, 4, pairs, { los, his })) && pairs[0] + pairs[1] == 3, "histogram_rows with ranges", type);
  expect(RUNS(isowarp::histogram_rows(c, own, in, 2, 4, pairs)) && pairs[0] + pairs[1] == 4, "histogram_rows with automatic ranges", type);
  const isowarp::histogram_spec<T> planned = plan, *const specs[2] = { &planned, nullptr };
  const isowarp::span<uint64_t> outs[2] = { counts, {} };
  expect(RUNS(isowarp::histogram_channels(c, specs, in, isowarp::span(outs))) && counts[0] == 4, "histogram_channels", type);
  expect(RUNS(isowarp::digitize(c, s, in, indices)) && indices[0] == 0 && indices[1] == 1, "digitize", type);
  expect(RUNS(isowarp::histogram_nd(c, { { s, in }, { plan, in } }, pairs)) && pairs[0] == 4 && pairs[3] == 4, "histogram_nd", type);
  expect(RUNS(isowarp::histogram_nd_weighted(c, { { s, in }, { s, in } }, weights, pairs)) && pairs[0] == 14 && pairs[3] == 7, "histogram_nd_weighted", type);
  expect(RUNS(isowarp::histogram_project(c, { { 2, 0, 1 }, { 2, 0, 0 } }, pairs, counts)) && counts[0] == 14 && counts[1] == 7, "histogram_project", type);
  expect(RUNS(isowarp::histogram_power_edges(1, 4, 0, edges)) && edges[1] == 2, "histogram_power_edges of 0", type);
  expect(RUNS(isowarp::histogram_power_edges(0, 16, 0.5, edges)) && edges[1] == 4, "histogram_power_edges", type);
  auto growing = value(isowarp::growing_histogram<T>::make(0, 5, 2, IW_GROW_RANGE)), other = value(isowarp::growing_histogram<T>::make(0, 5, 2, IW_GROW_RANGE));
  expect(RUNS(growing.add(c, in)) && value(growing.info()).bins == 2, "growing_histogram.add", type);
  expect(RUNS(other.merge(c, growing)) && RUNS(other.read(edges, counts)) && counts[0] == 4 && edges[1] == 5, "growing_histogram.merge", type);
}

template <class T> static void check_moves(const isowarp::context &c, const char *type)
{
  const T in[8] = { 1, 9, 2, 8, 3, 7, 4, 6 };
  const uint8_t letters[9] = "abcdefgh";
  const auto letters_of = isowarp::span(letters, 8);
  T out[8], rest[8];
  uint8_t moved[8], others[8];
  uint32_t order[8], lengths[8];
  size_t count, offsets[4];
  isowarp::test<T> flagged;
  flagged.flags = flags;
  const isowarp::histogram_spec<T> bins = { IW_HISTOGRAM_EVEN, 2, T(0), T(10) };
  isowarp::test<T> in_bin;
  in_bin.bins = &bins;
  in_bin.bin = 1;
  isowarp::move_options<T> with_rest, both, indices;
  with_rest.rest = rest;
  both = { { { letters_of, moved, others }, isowarp::payload::indices(order) } };
  indices.payloads = { isowarp::payload::indices(order) };
  expect(value(isowarp::partition(c, flagged, in, out)) == 4 && out[3] == 6 && out[4] == 9, "partition", type);
  expect(value(isowarp::partition(c, { IW_LESS, T(5) }, in, out, with_rest)) == 4 && out[3] == 4 && rest[0] == 9, "partition by a constant", type);
  expect(value(isowarp::partition(c, flagged, in, {}, both)) == 4 && moved[3] == 'h' && others[0] == 'b' && order[3] == 7, "partition of payloads", type);
  expect(RUNS(isowarp::partition(c, flagged, in, out, {}, isowarp::span(&count, 1))) && count == 4, "partition with a view of the count", type);
  expect(value(isowarp::select_if(c, flagged, in, out)) == 4 && out[2] == 3, "select_if", type);
  expect(value(isowarp::select_if(c, in_bin, in, out)) == 4 && out[0] == 9, "select_if by bins", type);
  expect(value(isowarp::select_if(c, { IW_GREATER, T(7) }, in, out)) == 2 && out[1] == 8, "select_if by a constant", type);
  expect(value(isowarp::unique(c, in, out)) == 8 && out[7] == 6, "unique", type);
  expect(value(isowarp::unique(c, in, {}, indices)) == 8 && order[7] == 7, "unique with a payload", type);
  expect(value(isowarp::run_lengths(c, in, out, lengths)) == 8 && lengths[0] == 1, "run_lengths", type);
  lengths[1] = 0;
  lengths[2] = 2;
  expect(RUNS(isowarp::run_lengths_decode(c, in, lengths, out)) && out[1] == 2 && out[2] == 2 && out[3] == 8, "run_lengths_decode", type);
  isowarp::buckets<T> three, by_bit, by_bins;
  three.pivot = T(7);
  by_bit.bits = 1;
  by_bins.bins = &bins;
  expect(RUNS(isowarp::multisplit(c, three, in, out, offsets)) && offsets[1] == 5 && offsets[3] == 8 && out[5] == 7, "multisplit", type);
  expect(RUNS(isowarp::multisplit(c, three, in, {}, offsets, indices)) && order[5] == 5, "multisplit with a payload", type);
  expect(RUNS(isowarp::multisplit(c, by_bins, in, out, offsets)) && offsets[1] == 4 && out[4] == 9, "multisplit by bins", type);
  expect(RUNS(isowarp::multisplit(c, by_bit, in, out, offsets)) && offsets[2] == 8, "multisplit by a bit", type);
}

template <class T> static void check_sorts(const isowarp::context &c, const char *type)
{
  const T in[8] = { 1, 9, 2, 8, 3, 7, 4, 6 };
  const std::vector<T> nine = { 9 }, tail = { 2, 8 };
  T out[8];
  uint32_t order[8];
  isowarp::sort_options descending, of_rows;
  descending.descending = 1;
  descending.payloads = { isowarp::payload::indices(order) };
  of_rows.segments = isowarp::segments::rows(2);
  expect(RUNS(isowarp::sort(c, in, {}, descending)) && in[order[0]] == 9, "sort with a payload", type);
  expect(RUNS(isowarp::sort(c, in, out, of_rows)) && out[0] == 1 && out[1] == 9 && out[2] == 2, "sort of rows", type);
  expect(RUNS(isowarp::argsort(c, in, order)) && in[order[7]] == 9 && order[0] == 0, "argsort", type);
  expect(RUNS(isowarp::sort(c, in, out)) && out[0] == 1 && out[7] == 9, "sort", type);
  expect(RUNS(isowarp::lower_bound(c, out, nine, order)) && order[0] == 7, "lower_bound", type);
  expect(RUNS(isowarp::upper_bound(c, out, nine, order)) && order[0] == 8, "upper_bound", type);
  expect(value(isowarp::is_sorted_until(c, in)) == 2, "is_sorted_until", type);
  expect(RUNS(isowarp::merge(c, isowarp::span(in, 2), tail, out, order)) && out[3] == 9 && order[3] == 1, "merge", type);
  expect(RUNS(isowarp::merge(c, tail, nine, out)) && out[2] == 9, "merge without indices", type);
  expect(RUNS(isowarp::top_k(c, in, 2, out, descending)) && out[0] == 9 && out[1] == 8 && order[1] == 3, "top_k", type);
  const auto last = value(isowarp::nth_element(c, in, 7)), middle = value(isowarp::median(c, in));
  expect(last.value == 9 && last.index == 1 && middle.value == 4 && middle.index == 6, "nth_element and median", type);
}

template <class T> static void check_exact(const isowarp::context &c, const char *type)
{
  const std::vector<T> a = { 1, T(0.5), -1 };
  double wide[1];
  isowarp::exact_sum sum, other;
  expect(value(isowarp::sum_exact(c, a)) == T(0.5), "sum_exact", type);
  expect(value(isowarp::sum_exact<double>(c, a)) == 0.5 && RUNS(isowarp::sum_exact(c, a, wide)) && wide[0] == 0.5, "sum_exact in f64", type);
  expect(RUNS(sum.add(c, a)) && RUNS(other.add(c, a)) && RUNS(sum.merge(other)) && value(sum.round<float>()) == 1, "exact_sum", type);
}

template <class S, class T> static void check_mixed(const isowarp::context &c, const char *types)
{
  const S in[4] = { 1, 9, 2, 8 };
  T out[4], total[1];
  expect(RUNS(isowarp::inclusive_scan(c, IW_SUM, in, out)) && out[0] == 1 && out[3] == 20, "inclusive_scan", types);
  expect(RUNS(isowarp::reduce(c, IW_SUM, in, total)) && total[0] == 20, "reduce", types);
  expect(value(isowarp::reduce<T>(c, IW_SUM, in)) == 20, "reduce of a named type", types);
}

template <class T> static void check_narrow(const isowarp::context &c, const char *type)
{
  const T samples[3] = { 1, 2, 250 };
  uint64_t counts[2];
  T out[3];
  expect(RUNS(isowarp::histogram(c, { IW_HISTOGRAM_EVEN, 2, T(0), T(4) }, samples, counts)) && counts[0] == 1 && counts[1] == 1, "histogram", type);
  expect(value(isowarp::select_if(c, { IW_GREATER, T(1) }, samples, out)) == 2 && out[1] == 250, "select_if", type);
}

/* The first three elements are less than the fourth; the others are equal to it. They are compared as bits,
 * as f16 and bf16 have no operators. */
template <class T> static void check_order(const isowarp::context &c, const char *type, T small, T large)
{
  const T in[8] = { small, small, small, large, large, large, large, large };
  T out[8], rest[8];
  uint32_t lengths[8];
  size_t offsets[4];
  isowarp::buckets<T> three;
  three.pivot = large;
  isowarp::move_options<T> with_rest;
  with_rest.rest = rest;
  expect(value(isowarp::partition(c, { IW_LESS, large }, in, out, with_rest)) == 3 && !std::memcmp(out, in, 3 * sizeof(T))
         && !std::memcmp(rest, in + 3, 5 * sizeof(T)), "partition", type);
  expect(value(isowarp::select_if(c, { IW_GREATER, small }, in, out)) == 5 && !std::memcmp(out, in + 3, 5 * sizeof(T)), "select_if", type);
  expect(value(isowarp::run_lengths(c, in, out, lengths)) == 2 && lengths[0] == 3 && !std::memcmp(out, in + 2, 2 * sizeof(T)),
         "run_lengths", type);
  expect(RUNS(isowarp::multisplit(c, three, in, out, offsets)) && offsets[1] == 3 && offsets[2] == 8
         && !std::memcmp(out, in, sizeof in), "multisplit", type);
  expect(RUNS(isowarp::sort(c, in, out)) && !std::memcmp(out, in, sizeof in), "sort", type);
}

template <class T> static void check(const isowarp::context &c, const char *type)
{
  check_scans<T>(c, type);
  check_histograms<T>(c, type);
  check_moves<T>(c, type);
  check_sorts<T>(c, type);
}

/* Lengths, views and handles, which C does not have. */
static void check_views(isowarp::context &c)
{
  std::vector<float> in = { 3, 1, 2 }, out(2);
  const std::array<float, 3> b = { 1, 2, 4 };
  const float many[2] = { 1, 2 };
  double wide[1];
  uint64_t counts[1];
  const auto invalid = [&](auto call) { return status(call) == IW_ERROR_INVALID; };
  isowarp::histogram_spec<float> two = { IW_HISTOGRAM_EVEN, 2, 0.f, 4.f };
  isowarp::scan_options<float> o;
  isowarp::sort_options bad_payload;
  expect(invalid([&] { return isowarp::sort(c, in, out); }), "the length of", "out");
  expect(message == "the size of out is 2, but must be at least 3", "the message for", "out");
  expect(invalid([&] { return isowarp::growing_histogram<float>::make(0, -1, 2, IW_GROW_RANGE); }) && message == iw_message(), "the message of", "C");
  expect(invalid([&] { return isowarp::histogram(c, two, in, counts); }), "the length of", "counts");
  expect(invalid([&] { return isowarp::dot_exact(c, in, many); }), "the length of", "b");
  expect(invalid([&] { return isowarp::histogram_nd(c, { { two, in }, { two, many } }, std::vector<uint64_t>(4)); }), "the length of", "an axis");
  o.segments = isowarp::segments::flags({ flags, 2 });
  expect(invalid([&] { return isowarp::inclusive_scan(c, IW_SUM, in, in, o); }), "the length of", "flags");
  o.segments = isowarp::segments::rows(1);
  expect(invalid([&] { return isowarp::reduce(c, IW_SUM, in, o); }), "one result of", "rows");
  bad_payload.payloads = { { many, out } };
  expect(invalid([&] { return isowarp::sort(c, in, in, bad_payload); }), "the length of", "a payload");
  const isowarp::payload nine[9] = {};
  bad_payload.payloads = isowarp::span(nine);
  expect(invalid([&] { return isowarp::sort(c, in, in, bad_payload); }), "the number of", "payloads");
  expect(invalid([&] { return isowarp::sort(c, in, {}); }), "an array that is needed of", "sort");
  expect(status([&] { return isowarp::sort(c, in, isowarp::span(in).subspan(0, 3)); }) == IW_OK && in[2] == 3, "sort in place", "a vector");
  expect(value(isowarp::dot_exact(c, in, b)) == 17 && RUNS(isowarp::dot_exact(c, in, b, wide)) && wide[0] == 17, "dot_exact", "arrays");
  isowarp::exact_sum products;
  expect(RUNS(products.add_products(c, in, b)) && value(products.round<double>()) == 17, "add_products", "arrays");
  expect(RUNS(c.reserve(1 << 20)) && RUNS(c.synchronize()) && value(c.info()).backend == IW_BACKEND_CPU, "context", "the CPU");
  iw_context *raw = c.get();
  expect(value(isowarp::reduce(raw, IW_SUM, in)) == 6, "reduce on a borrowed", "context");
  isowarp::context moved = std::move(c);
  expect(moved.get() == raw && !c.get() && value(isowarp::reduce(moved, IW_SUM, in)) == 6, "move of a", "context");
  c = std::move(moved);
  isowarp::context_options cpu;
  cpu.isa = "none";
  expect(status([&] { return isowarp::context::open(cpu); }) == IW_ERROR_UNAVAILABLE, "error of", "open");
}

int main()
{
  isowarp::context_options cpu;
  cpu.backend = IW_BACKEND_CPU;
#ifdef ISOWARP_NO_EXCEPTIONS
  auto opened = isowarp::context::open(cpu);
  if (!opened) {
    std::printf("no context: %s\n", opened.error().what());
    return 1;
  }
  isowarp::context c = *std::move(opened);
#else
  isowarp::context c(cpu);
#endif
  check_views(c);
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
  check_exact<float>(c, "f32");
  check_exact<double>(c, "f64");
  check_mixed<uint8_t, uint32_t>(c, "u8 in u32");
  check_mixed<uint8_t, uint64_t>(c, "u8 in u64");
  check_mixed<int32_t, int64_t>(c, "i32 in i64");
  check_mixed<uint32_t, uint64_t>(c, "u32 in u64");
  check_mixed<float, double>(c, "f32 in f64");
  check_mixed<float, float>(c, "f32 in f32");
  return failures != 0;
}

/* Pairs: the compiler takes the first, and refuses the second (typed.sh). Arrays: f float, d double, s char,
 * which is no element type, u uint32_t, v uint64_t, i int32_t, l int64_t, k size_t; in upper case views of
 * them.
 *
 *   isowarp::inclusive_scan(c, IW_SUM, F, D)
 *   not isowarp::inclusive_scan(c, IW_SUM, D, F)
 *   isowarp::inclusive_scan(c, IW_SUM, I, L)
 *   not isowarp::inclusive_scan(c, IW_SUM, I, V)
 *   isowarp::exclusive_scan(c, IW_SUM, D, D)
 *   not isowarp::exclusive_scan(c, IW_SUM, S, S)
 *   isowarp::inclusive_scan(c, IW_SUM, F, F, { f, {}, {} })
 *   not isowarp::inclusive_scan(c, IW_SUM, F, F, { d, {}, {} })
 *   isowarp::reduce(c, IW_SUM, F, D)
 *   not isowarp::reduce(c, IW_SUM, F, I)
 *   isowarp::reduce<double>(c, IW_SUM, F)
 *   not isowarp::reduce<int32_t>(c, IW_SUM, F)
 *   isowarp::argmin(c, F, K, F)
 *   not isowarp::argmin(c, F, K, D)
 *   isowarp::segments::keys(I, I)
 *   not isowarp::segments::keys(I, U)
 *   isowarp::segments::offsets(U)
 *   not isowarp::segments::offsets(I)
 *   isowarp::keys_by_value(c, F, F)
 *   not isowarp::keys_by_value(c, F, D)
 *   isowarp::histogram(c, {}, D, V)
 *   not isowarp::histogram(c, {}, D, F)
 *   isowarp::histogram(c, {}, D, U)
 *   not isowarp::histogram(c, {}, S, U)
 *   isowarp::histogram(c, isowarp::histogram_spec<double>(), D, U)
 *   not isowarp::histogram(c, isowarp::histogram_spec<float>(), D, U)
 *   isowarp::histogram_edges(isowarp::histogram_spec<float>(), F)
 *   not isowarp::histogram_edges(isowarp::histogram_spec<float>(), D)
 *   isowarp::histogram_plan<float>::make(c, {}, F)
 *   not isowarp::histogram_plan<float>::make(c, {}, D)
 *   isowarp::histogram_weighted(c, {}, D, F, F)
 *   not isowarp::histogram_weighted(c, {}, D, F, D)
 *   isowarp::histogram_weighted(c, {}, D, I, L)
 *   not isowarp::histogram_weighted(c, {}, D, I, I)
 *   isowarp::histogram_nd(c, { { {}, F }, { {}, D } }, V)
 *   not isowarp::histogram_nd(c, { { {}, F }, { {}, D } }, L)
 *   isowarp::histogram_rows(c, {}, D, n, n, V)
 *   not isowarp::histogram_rows(c, {}, D, n, n, F)
 *   isowarp::digitize(c, {}, D, U)
 *   not isowarp::digitize(c, {}, D, V)
 *   isowarp::partition(c, { IW_LESS, 1.f }, F, F)
 *   not isowarp::partition(c, { IW_LESS, 1.f }, F, D)
 *   isowarp::partition(c, {}, F, F, { {}, F })
 *   not isowarp::partition(c, {}, F, F, { {}, D })
 *   isowarp::partition(c, {}, F, F, {}, K)
 *   not isowarp::partition(c, {}, F, F, {}, I)
 *   isowarp::unique(c, F, {})
 *   not isowarp::unique(c, F, D)
 *   isowarp::run_lengths(c, F, F, U)
 *   not isowarp::run_lengths(c, F, F, I)
 *   isowarp::run_lengths_decode(c, F, U, F)
 *   not isowarp::run_lengths_decode(c, F, U, D)
 *   isowarp::multisplit(c, {}, F, F, K)
 *   not isowarp::multisplit(c, {}, F, D, K)
 *   isowarp::sort(c, F, F)
 *   not isowarp::sort(c, F, D)
 *   const isowarp::span<const float> in(F); isowarp::sort(c, in, F)
 *   not const isowarp::span<const float> in(F); isowarp::sort(c, F, in)
 *   isowarp::argsort(c, F, U)
 *   not isowarp::argsort(c, F, I)
 *   isowarp::lower_bound(c, F, F, V)
 *   not isowarp::lower_bound(c, F, D, V)
 *   isowarp::merge(c, F, F, F)
 *   not isowarp::merge(c, F, F, D)
 *   isowarp::top_k(c, F, n, F)
 *   not isowarp::top_k(c, F, n, D)
 *   isowarp::sum_exact<double>(c, F)
 *   not isowarp::sum_exact<char>(c, F)
 *   isowarp::dot_exact(c, F, F, D)
 *   not isowarp::dot_exact(c, F, D, D)
 *   isowarp::payload(F, F)
 *   not isowarp::payload(F, D)
 *   isowarp::payload::indices(U)
 *   not isowarp::payload::indices(F)
 */
