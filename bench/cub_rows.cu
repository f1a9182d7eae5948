// SPDX-License-Identifier: Apache-2.0
//
// The calls of isowarp and of CUB that bench/cub.cu compares. -DPART=1 … 7 compiles one part, as CUB's
// templates take minutes; without it the file has all of them.
#ifndef PART
#define HAS(part) 1
#else
#define HAS(part) (PART == (part))
#endif

#include <cub/version.cuh>
#if HAS(1)
#include <cub/device/device_scan.cuh>
#endif
#if HAS(2) || HAS(3)
#include <cub/device/device_reduce.cuh>
#endif
#if HAS(3)
#include <cub/device/device_segmented_reduce.cuh>
#endif
#if HAS(4)
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>
#endif
#if HAS(5)
#include <cub/device/device_histogram.cuh>
#endif
#if HAS(6)
#include <cub/device/device_radix_sort.cuh>
#endif
#if HAS(7)
#include <cub/device/device_find.cuh>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_topk.cuh>
#endif
#include <cuda/execution>
#include <cuda/std/execution>
#include <cuda/std/functional>
#include <cuda/stream_ref>

#include "cub.h"

#include <algorithm>
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static_assert(CUB_VERSION >= 300600, "this needs the CUB of CCCL 3.6 or later, before the toolkit's (-I)");

// A call of CUB's in the stream, with all of the scratch, so that it is not asked how much it needs.
#define CUB(function, ...) do { size_t bytes = bench.scratch_bytes; \
  must(cub::function(bench.scratch, bytes, __VA_ARGS__)); } while (0)

namespace execution = cuda::execution;
[[maybe_unused]] static cuda::stream_ref on_stream() { return cuda::stream_ref{ bench.stream }; }

// ---- Calls that have segments ------------------------------------------------------------------------

[[maybe_unused]] static iw_segments rows_of(size_t columns, iw_segments_kind kind = IW_SEGMENTS_ROWS)
{
  iw_segments segments = {};
  segments.size = sizeof segments;
  segments.kind = kind;
  segments.columns = columns;
  return segments;
}

[[maybe_unused]] static iw_segments by_keys(const uint32_t *keys)
{
  iw_segments segments = {};
  segments.size = sizeof segments;
  segments.kind = IW_SEGMENTS_KEYS;
  segments.keys = keys;
  segments.key_type = IW_U32;
  return segments;
}

[[maybe_unused]] static iw_scan_options options_of(const iw_segments *segments)
{
  iw_scan_options options = {};
  options.size = sizeof options;
  options.segments = segments;
  return options;
}

// Uploads the begins and ends of segments to cub_rest, which both sides read.
[[maybe_unused]] static const uint32_t *upload_offsets(const std::vector<uint32_t> &offsets)
{
  upload(bench.cub_rest, offsets);
  return (const uint32_t *)bench.cub_rest;
}

[[maybe_unused]] static std::vector<uint32_t> even_offsets(size_t rows, size_t columns)
{
  std::vector<uint32_t> offsets(rows + 1);
  for (size_t i = 0; i <= rows; i++) offsets[i] = (uint32_t)(i * columns);
  return offsets;
}

// ==== 1: scans ========================================================================================
#if HAS(1)

template <class T> static void scan_row(const char *name, iw_type type, input_kind kind, size_t n)
{
  make_input(kind);
  row({ name, n, 2.0 * sizeof(T) * (double)n, n * sizeof(T), COPY },
      [=](int c) { must(iw_inclusive_scan(bench.context, IW_SUM, type, input<T>(n, c), n, bench.out, NULL)); },
      [=](int c) { CUB(DeviceScan::InclusiveSum, input<T>(n, c), (T *)bench.cub_out, n, bench.stream); },
      [=] {
        if (kind == BITS) return differing(bench.out, bench.cub_out, n * sizeof(T));
        return std::string(relative((const T *)bench.out, (const T *)bench.cub_out, n));
      });
}

static void scan_segments(const iw_segments &segments, size_t n, int c)
{
  const iw_scan_options options = options_of(&segments);
  must(iw_inclusive_scan(bench.context, IW_SUM, IW_F32, input<float>(n, c), n, bench.out, &options));
}

void rows_of_scans(size_t n)
{
  float *const cub_out = (float *)bench.cub_out;
  scan_row<float>("scan f32", IW_F32, F32_UNIT, n);
  scan_row<uint64_t>("scan u64", IW_U64, BITS, n);
  scan_row<double>("scan f64", IW_F64, F64_UNIT, n);
  scan_row<__half>("scan f16 (CUB adds in f16)", IW_F16, F16_UNIT, n);
  scan_row<__nv_bfloat16>("scan bf16 (CUB adds in bf16)", IW_BF16, BF16_UNIT, n);
  make_input(F32_UNIT);
  row({ "scan f32, CUB run_to_run", n, 8.0 * (double)n, 4 * n, COPY },
      [=](int c) { must(iw_inclusive_scan(bench.context, IW_SUM, IW_F32, input<float>(n, c), n, bench.out, NULL)); },
      [=](int c) {
        const auto reproducible = execution::require(execution::determinism::run_to_run);
        must(cub::DeviceScan::InclusiveSum(input<float>(n, c), cub_out, n,
                                           cuda::std::execution::env{ on_stream(), reproducible }));
      },
      [=] { return relative((float *)bench.out, cub_out, n); });
  make_keys(100);
  row({ "scan by key f32, u32, run 100", n, 12.0 * (double)n, 6 * n, COPY },
      [=](int c) { scan_segments(by_keys(keys_of(n, c)), n, c); },
      [=](int c) {
        CUB(DeviceScan::InclusiveSumByKey, keys_of(n, c), input<float>(n, c), cub_out, (int64_t)n,
            cuda::std::equal_to<>{}, bench.stream);
      },
      [=] { return relative((float *)bench.out, cub_out, n); });
  make_flags(100);
  row({ "scan by flags f32, run 100", n, 9.0 * (double)n, 9 * n / 2, COPY },
      [=](int c) {
        iw_segments segments = {};
        segments.size = sizeof segments;
        segments.kind = IW_SEGMENTS_FLAGS;
        segments.flags = slice<uint8_t>(bench.rest, n, c);
        scan_segments(segments, n, c);
      }, NULL, NULL);
}
#endif

// ==== 2: reductions ===================================================================================
#if HAS(2)

template <class T> static void reduce_row(const char *name, iw_type type, input_kind kind, size_t n)
{
  make_input(kind);
  row({ name, n, 1.0 * sizeof(T) * (double)n, n * sizeof(T), READ },
      [=](int c) { must(iw_reduce(bench.context, IW_SUM, type, input<T>(n, c), n, bench.result, NULL)); },
      [=](int c) { CUB(DeviceReduce::Sum, input<T>(n, c), (T *)bench.cub_result, n, bench.stream); },
      [=] {
        if (kind == BITS) return differing(bench.result, bench.cub_result, sizeof(T));
        return std::string(relative((const T *)bench.result, (const T *)bench.cub_result, 1));
      });
}

void rows_of_reductions(size_t n)
{
  float *const cub_sum = (float *)bench.cub_result;
  const auto close = [=] { return relative((float *)bench.result, cub_sum, 1); };
  reduce_row<float>("reduce f32", IW_F32, F32_UNIT, n);
  reduce_row<uint64_t>("reduce u64", IW_U64, BITS, n);
  reduce_row<__half>("reduce f16 (CUB adds in f16)", IW_F16, F16_UNIT, n);
  reduce_row<__nv_bfloat16>("reduce bf16 (CUB adds in bf16)", IW_BF16, BF16_UNIT, n);
  make_input(F32_UNIT);
  row({ "reduce f32, CUB gpu_to_gpu", n, 4.0 * (double)n, 4 * n, READ },
      [=](int c) { must(iw_reduce(bench.context, IW_SUM, IW_F32, input<float>(n, c), n, bench.result, NULL)); },
      [=](int c) {
        const auto reproducible = execution::require(execution::determinism::gpu_to_gpu);
        must(cub::DeviceReduce::Sum(input<float>(n, c), cub_sum, n,
                                    cuda::std::execution::env{ on_stream(), reproducible }));
      }, close);
  row({ "exact sum f32, CUB's sum", n, 4.0 * (double)n, 4 * n, READ },
      [=](int c) { must(iw_sum_exact(bench.context, IW_F32, input<float>(n, c), n, IW_F32, bench.result)); },
      [=](int c) { CUB(DeviceReduce::Sum, input<float>(n, c), cub_sum, n, bench.stream); }, close);
  make_input(F32_SIGNED);
  row({ "argmin f32", n, 4.0 * (double)n, 4 * n, READ },
      [=](int c) {
        must(iw_argmin(bench.context, IW_F32, input<float>(n, c), n, (size_t *)bench.result, bench.result + 8, NULL));
      },
      [=](int c) {
        CUB(DeviceReduce::ArgMin, input<float>(n, c), (float *)(bench.cub_result + 8), (int64_t *)bench.cub_result,
            (int64_t)n, on_stream());
      },
      [=] { return differing(bench.result, bench.cub_result, 12); });
}
#endif

// ==== 3: reductions of segments =======================================================================
#if HAS(3)

static void sum_segments(const iw_segments &segments, size_t n, const float *in)
{
  const iw_scan_options options = options_of(&segments);
  must(iw_reduce(bench.context, IW_SUM, IW_F32, in, n, bench.out, &options));
}

// By CUB, of segments given by offsets.
static call_fn cub_sums(const uint32_t *offsets, size_t count, size_t n)
{
  return [=](int c) {
    CUB(DeviceSegmentedReduce::Sum, input<float>(n, c), (float *)bench.cub_out, (int64_t)count, offsets, offsets + 1,
        bench.stream);
  };
}

// Rows, beside CUB's of one length and its segments.
static void reduce_rows(size_t columns, size_t n)
{
  const size_t rows = n / columns, m = rows * columns;
  const std::string name = "reduce rows of " + std::to_string(columns) + ", CUB ";
  const call_fn own = [=](int c) { sum_segments(rows_of(columns), m, input<float>(n, c)); };
  const check_fn close = [=] { return relative((float *)bench.out, (float *)bench.cub_out, rows); };
  row_of r = { name + "fixed", n, 4.0 * (double)(m + rows), 4 * n, READ };
  row(r, own, [=](int c) {
    CUB(DeviceSegmentedReduce::Sum, input<float>(n, c), (float *)bench.cub_out, (int64_t)rows, (int)columns,
        bench.stream);
  }, close);
  r.name = name + "offsets";
  if (columns != 32) row(r, own, cub_sums(upload_offsets(even_offsets(rows, columns)), rows, n), close);
}

static void reduce_offsets(uint32_t mean, size_t n)
{
  std::vector<uint32_t> ends(1, 0);
  while (ends.back() < n)
    ends.push_back((uint32_t)std::min<uint64_t>(n, ends.back() + random_word(ends.size()) % (2 * mean + 1)));
  const size_t count = ends.size() - 1;
  const uint32_t *const offsets = upload_offsets(ends);
  row({ "reduce offsets, mean " + std::to_string(mean), n, 4.0 * (double)(n + 2 * count), 4 * n, READ },
      [=](int c) {
        iw_segments segments = {};
        segments.size = sizeof segments;
        segments.kind = IW_SEGMENTS_OFFSETS;
        segments.offsets = offsets;
        segments.offset_type = IW_U32;
        segments.count = count;
        sum_segments(segments, n, input<float>(n, c));
      },
      cub_sums(offsets, count, n), [=] { return relative((float *)bench.out, (float *)bench.cub_out, count); });
}

static void reduce_by_key(uint32_t mean, size_t n)
{
  make_keys(mean);
  make_input(F32_UNIT);
  row({ "reduce by key, mean " + std::to_string(mean), n, 8.0 * (double)n * (1 + 1.0 / mean), 8 * n, READ },
      [=](int c) {
        const iw_segments runs = by_keys(keys_of(n, c));
        iw_scan_options options = options_of(&runs);
        options.run_keys = bench.rest;
        options.run_count = (size_t *)bench.result;
        must(iw_reduce(bench.context, IW_SUM, IW_F32, input<float>(n, c), n, bench.out, &options));
      },
      [=](int c) {
        CUB(DeviceReduce::ReduceByKey, keys_of(n, c), (uint32_t *)bench.cub_rest, input<float>(n, c),
            (float *)bench.cub_out, (int64_t *)bench.cub_result, cuda::std::plus<>{}, (int64_t)n, bench.stream);
      },
      [=]() -> std::string {
        const counted runs = count_of();
        if (!runs.equal) return OTHER_COUNT;
        return differing(bench.rest, bench.cub_rest, 4 * runs.count) + " "
               + relative((float *)bench.out, (float *)bench.cub_out, runs.count);
      });
}

void rows_of_segments(size_t n)
{
  make_input(F32_UNIT);
  for (size_t columns : { 32, 100, 1000, 4096 })
    if (columns <= n) reduce_rows(columns, n);
  row({ "reduce columns of 1000 rows", n, 4.0 * (double)n, 4 * n, READ },
      [=](int c) { sum_segments(rows_of(n / 1000, IW_SEGMENTS_COLUMNS), n / 1000 * 1000, input<float>(n, c)); },
      NULL, NULL);
  for (uint32_t mean : { 100, 1000 }) reduce_offsets(mean, n);
  for (uint32_t mean : { 1, 10, 1000 }) reduce_by_key(mean, n);
}
#endif

// ==== 4: select, partition, unique, run lengths =======================================================
#if HAS(4)

struct below {
  float limit;
  __device__ bool operator()(float x) const { return x < limit; }
};

// A test for numbers below *limit, which has to live as long.
static iw_test test_below(const float *limit)
{
  iw_test test = {};
  test.size = sizeof test;
  test.type = IW_F32;
  test.compare = IW_LESS;
  test.constant = limit;
  return test;
}

static check_fn same_front()
{
  return [] {
    const counted front = count_of();
    return front.equal ? differing(bench.out, bench.cub_out, 4 * front.count) : OTHER_COUNT;
  };
}

static void select_row(int percent, size_t n)
{
  const float limit = (float)percent / 100;
  row({ "select_if f32 " + std::to_string(percent) + "%", n, (4 + 0.04 * percent) * (double)n, 4 * n, COPY },
      [=](int c) {
        const iw_test test = test_below(&limit);
        must(iw_select_if(bench.context, &test, input<float>(n, c), n, bench.out, (size_t *)bench.result, NULL));
      },
      [=](int c) {
        CUB(DeviceSelect::If, input<float>(n, c), (float *)bench.cub_out, (int64_t *)bench.cub_result, (int64_t)n,
            below{ limit }, bench.stream);
      }, same_front());
}

// CUB's partition writes the elements that are not selected backwards from the end, and is compared so.
static void partition_row(bool two_outputs, size_t n)
{
  const float limit = 0.5f;
  row({ two_outputs ? "partition f32 two outputs" : "partition f32 one array", n, 8.0 * (double)n, 4 * n, COPY },
      [=](int c) {
        const iw_test test = test_below(&limit);
        iw_move_options options = {};
        options.size = sizeof options;
        options.rest = two_outputs ? bench.rest : NULL;
        must(iw_partition(bench.context, &test, input<float>(n, c), n, bench.out, (size_t *)bench.result, &options));
      },
      [=](int c) {
        CUB(DevicePartition::If, input<float>(n, c), (float *)bench.cub_out, (int64_t *)bench.cub_result, (int64_t)n,
            below{ limit }, bench.stream);
      },
      [=]() -> std::string {
        const counted front = count_of();
        if (!front.equal) return OTHER_COUNT;
        const char *const rest = two_outputs ? bench.rest : bench.out + 4 * front.count;
        return differing(bench.out, bench.cub_out, 4 * front.count)
               + differing(rest, bench.cub_out, 4 * (n - front.count), n);
      });
}

static void run_rows(size_t n)
{
  row({ "unique u32, runs of 10", n, 4.4 * (double)n, 4 * n, COPY },
      [=](int c) {
        must(iw_unique(bench.context, IW_U32, keys_of(n, c), n, bench.out, (size_t *)bench.result, NULL));
      },
      [=](int c) {
        CUB(DeviceSelect::Unique, keys_of(n, c), (uint32_t *)bench.cub_out, (int64_t *)bench.cub_result,
            (int64_t)n, bench.stream);
      }, same_front());
  row({ "run lengths u32, runs of 10", n, 4.8 * (double)n, 4 * n, COPY },
      [=](int c) {
        must(iw_run_lengths(bench.context, IW_U32, keys_of(n, c), n, bench.out,
                            iw_indices_u32((uint32_t *)bench.rest), (size_t *)bench.result));
      },
      [=](int c) {
        CUB(DeviceRunLengthEncode::Encode, keys_of(n, c), (uint32_t *)bench.cub_out,
            (uint32_t *)bench.cub_rest, (int64_t *)bench.cub_result, (int64_t)n, bench.stream);
      },
      [=]() -> std::string {
        const counted runs = count_of();
        if (!runs.equal) return OTHER_COUNT;
        return differing(bench.out, bench.cub_out, 4 * runs.count)
               + differing(bench.rest, bench.cub_rest, 4 * runs.count);
      });
}

void rows_of_moves(size_t n)
{
  make_input(F32_UNIT);
  for (int percent : { 1, 50, 99 }) select_row(percent, n);
  make_flags(2);
  row({ "select by flags f32 50%", n, 7.0 * (double)n, 5 * n, COPY },
      [=](int c) {
        iw_test test = {};
        test.size = sizeof test;
        test.type = IW_F32;
        test.flags = slice<uint8_t>(bench.rest, n, c);
        must(iw_select_if(bench.context, &test, input<float>(n, c), n, bench.out, (size_t *)bench.result, NULL));
      },
      [=](int c) {
        CUB(DeviceSelect::Flagged, input<float>(n, c), slice<uint8_t>(bench.rest, n, c), (float *)bench.cub_out,
            (int64_t *)bench.cub_result, (int64_t)n, bench.stream);
      }, same_front());
  partition_row(true, n);
  partition_row(false, n);
  make_keys(10);
  run_rows(n);
}
#endif

// ==== 5: histograms ===================================================================================
#if HAS(5)

static iw_histogram_spec spec_of(iw_type type, iw_histogram_kind kind, size_t bins)
{
  iw_histogram_spec spec = {};
  spec.size = sizeof spec;
  spec.type = type;
  spec.kind = kind;
  spec.bins = bins;
  spec.counter_width = 4;
  return spec;
}

// isowarp counts by a plan, which is made once.
template <class T>
static void histogram_row(const std::string &name, const iw_histogram_spec &spec, size_t n, const call_fn &cub)
{
  if (!wanted(name)) return;
  iw_histogram_plan *plan;
  must(iw_histogram_plan_make(bench.context, &spec, bench.in, 8192, &plan));
  const iw_histogram_spec planned = iw_spec_of_plan(plan);
  const call_fn own = [=](int c) {
    must(iw_histogram(bench.context, &planned, input<T>(n, c), n, bench.out, NULL));
  };
  const size_t bins = spec.bins;
  row({ name, n, (double)(n * sizeof(T)), n * sizeof(T), READ }, own, cub,
      cub ? check_fn([=] { return differing(bench.out, bench.cub_out, 4 * bins); }) : check_fn());
  iw_histogram_plan_free(plan);
}

static void even_row(input_kind kind, const char *spread, size_t bins, size_t n)
{
  static const float lo = 0, hi = 1;
  iw_histogram_spec spec = spec_of(IW_F32, IW_HISTOGRAM_EVEN, bins);
  spec.lo = &lo;
  spec.hi = &hi;
  make_input(kind);
  histogram_row<float>("histogram f32 even " + std::to_string(bins) + spread, spec, n, [=](int c) {
    CUB(DeviceHistogram::HistogramEven, input<float>(n, c), (uint32_t *)bench.cub_out, (int)bins + 1, lo, hi,
        (int64_t)n, bench.stream);
  });
}

static void byte_rows(size_t n)
{
  static const uint8_t lo = 0, hi = 255;
  iw_histogram_spec spec = spec_of(IW_U8, IW_HISTOGRAM_EVEN, 256);
  spec.lo = &lo;
  spec.hi = &hi;
  spec.flags = IW_HIST_HI_INCLUDED;
  make_input(BITS);
  histogram_row<uint8_t>("histogram u8 256", spec, n, [=](int c) {
    CUB(DeviceHistogram::HistogramEven, input<uint8_t>(n, c), (uint32_t *)bench.cub_out, 257, 0, 256, (int64_t)n,
        bench.stream);
  });
  uint16_t map[256]; // four letters a bin
  std::vector<int> levels;
  for (int x = 0; x < 256; x++) map[x] = x >= 'a' && x <= 'z' ? (uint16_t)((x - 'a') / 4) : IW_MAP_NONE;
  for (int level = 'a'; level <= 'y'; level += 4) levels.push_back(level);
  levels.push_back('z' + 1);
  upload(bench.cub_rest, levels);
  spec = spec_of(IW_U8, IW_HISTOGRAM_MAP, 7);
  spec.map = map;
  histogram_row<uint8_t>("histogram u8 7, letters", spec, n, [=](int c) {
    CUB(DeviceHistogram::HistogramRange, input<uint8_t>(n, c), (uint32_t *)bench.cub_out, 8, (const int *)bench.cub_rest,
        (int64_t)n, bench.stream);
  });
}

static void edges_row(size_t bins, size_t n)
{
  std::vector<float> edges(bins + 1);
  for (size_t i = 0; i <= bins; i++) edges[i] = (float)((double)(random_word(i + 5) >> 11) * 0x1p-53);
  std::sort(edges.begin(), edges.end());
  edges.front() = 0;
  for (size_t i = 1; i <= bins; i++) edges[i] = std::max(edges[i], std::nextafter(edges[i - 1], 2.0f));
  edges.back() = 1;
  upload(bench.cub_rest, edges);
  iw_histogram_spec spec = spec_of(IW_F32, IW_HISTOGRAM_EDGES, bins);
  spec.edges = edges.data();
  make_input(F32_UNIT);
  histogram_row<float>("histogram f32 edges " + std::to_string(bins), spec, n, [=](int c) {
    CUB(DeviceHistogram::HistogramRange, input<float>(n, c), (uint32_t *)bench.cub_out, (int)bins + 1,
        (const float *)bench.cub_rest, (int64_t)n, bench.stream);
  });
}

void rows_of_histograms(size_t n)
{
  for (size_t bins : { 256, 2048, 65536 }) even_row(F32_UNIT, "", bins, n);
  byte_rows(n);
  for (size_t bins : { 1000, 65536 }) edges_row(bins, n);
  for (size_t bins : { 256, 65536 }) {
    even_row(F32_NINETY, ", ninety", bins, n);
    even_row(F32_SAME, ", same", bins, n);
    even_row(F32_ZIPF, ", zipf", bins, n);
  }
}
#endif

// ==== 6: sorts, multisplit ============================================================================
#if HAS(6)

template <class T> static void sort_row(const char *name, iw_type type, input_kind kind, size_t n)
{
  make_input(kind);
  row({ name, n, 2.0 * sizeof(T) * (double)n, n * sizeof(T), COPY },
      [=](int c) { must(iw_sort(bench.context, type, input<T>(n, c), n, bench.out, NULL)); },
      [=](int c) {
        CUB(DeviceRadixSort::SortKeys, input<T>(n, c), (T *)bench.cub_out, n, 0, (int)sizeof(T) * 8, bench.stream);
      },
      [=] { return differing(bench.out, bench.cub_out, n * sizeof(T)); });
}

// The values that move along: those of `keys`, to rest.
static iw_payload values_of(size_t n, int c)
{
  return { sizeof(iw_payload), keys_of(n, c), bench.rest, NULL, 4 };
}

static void cub_pairs(size_t n, int c, int bits)
{
  CUB(DeviceRadixSort::SortPairs, input<uint32_t>(n, c), (uint32_t *)bench.cub_out, keys_of(n, c),
      (uint32_t *)bench.cub_rest, n, 0, bits, bench.stream);
}

static std::string same_pairs(size_t n)
{
  return differing(bench.out, bench.cub_out, 4 * n) + differing(bench.rest, bench.cub_rest, 4 * n);
}

static iw_buckets low_byte()
{
  iw_buckets buckets = {};
  buckets.size = sizeof buckets;
  buckets.type = IW_U32;
  buckets.bits = 8;
  return buckets;
}

// Beside a pass of CUB's radix sort over the bits of the bucket id.
static void multisplit_rows(size_t n)
{
  row({ "multisplit 256 u32, CUB 8 bits", n, 8.0 * (double)n, 4 * n, COPY },
      [=](int c) {
        const iw_buckets buckets = low_byte();
        must(iw_multisplit(bench.context, &buckets, input<uint32_t>(n, c), n, bench.out, (size_t *)bench.result, NULL));
      },
      [=](int c) {
        CUB(DeviceRadixSort::SortKeys, input<uint32_t>(n, c), (uint32_t *)bench.cub_out, n, 0, 8, bench.stream);
      },
      [=] { return differing(bench.out, bench.cub_out, 4 * n); });
  row({ "multisplit 256 u32 + u32", n, 16.0 * (double)n, 8 * n, COPY },
      [=](int c) {
        const iw_buckets buckets = low_byte();
        const iw_payload values = values_of(n, c);
        iw_move_options options = {};
        options.size = sizeof options;
        options.payloads = &values;
        options.payload_count = 1;
        must(iw_multisplit(bench.context, &buckets, input<uint32_t>(n, c), n, bench.out, (size_t *)bench.result,
                           &options));
      },
      [=](int c) { cub_pairs(n, c, 8); }, [=] { return same_pairs(n); });
}

// By bins of a plan that are the top byte.
static void multisplit_by_bins(size_t n)
{
  const char *const name = "multisplit 256 bins, CUB 8 bits";
  if (!wanted(name)) return;
  const uint32_t lo = 0, hi = UINT32_MAX;
  iw_histogram_plan *plan;
  iw_histogram_spec bins = {};
  bins.size = sizeof bins;
  bins.type = IW_U32;
  bins.bins = 256;
  bins.lo = &lo;
  bins.hi = &hi;
  bins.flags = IW_HIST_HI_INCLUDED;
  must(iw_histogram_plan_make(bench.context, &bins, NULL, 0, &plan));
  const iw_histogram_spec planned = iw_spec_of_plan(plan);
  row({ name, n, 8.0 * (double)n, 4 * n, COPY },
      [=](int c) {
        iw_buckets buckets = low_byte();
        buckets.bits = 0;
        buckets.bins = &planned;
        must(iw_multisplit(bench.context, &buckets, input<uint32_t>(n, c), n, bench.out, (size_t *)bench.result, NULL));
      },
      [=](int c) {
        CUB(DeviceRadixSort::SortKeys, input<uint32_t>(n, c), (uint32_t *)bench.cub_out, n, 24, 32, bench.stream);
      },
      [=] { return differing(bench.out, bench.cub_out, 4 * n); });
  iw_histogram_plan_free(plan);
}

void rows_of_sorts(size_t n)
{
  sort_row<uint32_t>("sort keys u32", IW_U32, BITS, n);
  sort_row<uint64_t>("sort keys u64", IW_U64, BITS, n);
  sort_row<float>("sort keys f32", IW_F32, F32_SIGNED, n);
  sort_row<double>("sort keys f64", IW_F64, F64_SIGNED, n);
  sort_row<uint32_t>("sort keys u32 below 2^16", IW_U32, LOW_BITS, n);
  make_input(BITS);
  make_keys(1); // ascending numbers
  multisplit_rows(n);
  multisplit_by_bins(n);
  row({ "sort pairs u32 + u32", n, 16.0 * (double)n, 8 * n, COPY },
      [=](int c) {
        const iw_payload values = values_of(n, c);
        iw_sort_options options = {};
        options.size = sizeof options;
        options.payloads = &values;
        options.payload_count = 1;
        must(iw_sort(bench.context, IW_U32, input<uint32_t>(n, c), n, bench.out, &options));
      },
      [=](int c) { cub_pairs(n, c, 32); }, [=] { return same_pairs(n); });
}
#endif

// ==== 7: sorts of segments, top-k, merges, searches ===================================================
#if HAS(7)

static iw_sort_options sort_options(const iw_segments *segments)
{
  iw_sort_options options = {};
  options.size = sizeof options;
  options.segments = segments;
  return options;
}

// Beside both of CUB's sorts of segments. Graphs are left out, as the first one reads counts on the host.
static void sort_rows(size_t columns, size_t n)
{
  const size_t rows = n / columns, m = rows * columns;
  const uint32_t *const offsets = upload_offsets(even_offsets(rows, columns));
  uint32_t *const cub_out = (uint32_t *)bench.cub_out;
  const call_fn own = [=](int c) {
    const iw_segments segments = rows_of(columns);
    const iw_sort_options options = sort_options(&segments);
    must(iw_sort(bench.context, IW_U32, input<uint32_t>(n, c), m, bench.out, &options));
  };
  const check_fn same = [=] { return differing(bench.out, cub_out, 4 * m); };
  row({ "sort rows of " + std::to_string(columns) + " u32", n, 8.0 * (double)m, 4 * n, COPY, false }, own,
      [=](int c) {
        CUB(DeviceSegmentedSort::SortKeys, input<uint32_t>(n, c), cub_out, (int64_t)m, (int64_t)rows, offsets,
            offsets + 1, bench.stream);
      }, same);
  row({ "sort rows of " + std::to_string(columns) + ", CUB radix", n, 8.0 * (double)m, 4 * n, COPY, false }, own,
      [=](int c) {
        CUB(DeviceSegmentedRadixSort::SortKeys, input<uint32_t>(n, c), cub_out, (int64_t)m, (int64_t)rows, offsets,
            offsets + 1, 0, 32, bench.stream);
      }, same);
}

// CUB's largest elements are in no order, so they are sorted before they are compared.
static void top_k_row(const char *name, size_t k, size_t n)
{
  row({ name, n, 4.0 * (double)n, 4 * n, READ },
      [=](int c) {
        iw_sort_options options = sort_options(NULL);
        options.descending = 1;
        must(iw_top_k(bench.context, IW_F32, input<float>(n, c), n, k, bench.out, &options));
      },
      [=](int c) {
        const auto how = execution::require(execution::determinism::not_guaranteed,
                                            execution::output_ordering::unsorted);
        CUB(DeviceTopK::MaxKeys, input<float>(n, c), (float *)bench.cub_out, (int64_t)n, (int64_t)k,
            cuda::std::execution::env{ on_stream(), how });
      },
      [=] {
        iw_sort_options options = sort_options(NULL);
        options.descending = 1;
        must(iw_sort(bench.context, IW_F32, bench.cub_out, k, bench.cub_rest, &options));
        return differing(bench.out, bench.cub_rest, 4 * k);
      });
}

// The inputs of a batch are slices of rest whose halves are sorted.
template <class T> static void merge_row(const char *name, iw_type type, input_kind kind, size_t n)
{
  if (!wanted(name)) return;
  const size_t half = n / 2, wanted_slices = n <= (size_t)1 << 20 ? BATCH : 1;
  const size_t slices = std::min(wanted_slices, bench.bytes / (n * sizeof(T)));
  const iw_segments halves = rows_of(half);
  const iw_sort_options options = sort_options(&halves);
  make_input(kind);
  must(iw_sort(bench.context, type, bench.in, n * slices, bench.rest, &options));
  const auto pair = [=](int c) { return (const T *)bench.rest + n * ((size_t)c % slices); };
  row({ name, n, 2.0 * sizeof(T) * (double)n, n * sizeof(T), COPY },
      [=](int c) {
        const iw_elements a = { pair(c), half }, b = { pair(c) + half, half };
        must(iw_merge(bench.context, type, a, b, bench.out, iw_indices{ NULL, 0 }, NULL));
      },
      [=](int c) {
        CUB(DeviceMerge::MergeKeys, pair(c), (int64_t)half, pair(c) + half, (int64_t)half, (T *)bench.cub_out,
            cuda::std::less<>{}, bench.stream);
      },
      [=] { return differing(bench.out, bench.cub_out, n * sizeof(T)); });
}

// n random values in n sorted ones.
static void lower_bound_row(size_t n)
{
  const char *const name = "lower bound f32, n in n";
  if (!wanted(name)) return;
  make_input(F32_SIGNED);
  must(iw_sort(bench.context, IW_F32, bench.in, n, bench.rest, NULL));
  row({ name, n, 12.0 * (double)n, 8 * n, READ },
      [=](int c) {
        const iw_elements sorted = { bench.rest, n }, values = { input<float>(n, c + 1), n };
        must(iw_bounds(bench.context, IW_LOWER_BOUND, IW_F32, sorted, values, iw_indices_u32((uint32_t *)bench.out), NULL));
      },
      [=](int c) {
        CUB(DeviceFind::LowerBound, (const float *)bench.rest, (int64_t)n, input<float>(n, c + 1), (int64_t)n,
            (uint32_t *)bench.cub_out, cuda::std::less<>{}, on_stream());
      },
      [=] { return differing(bench.out, bench.cub_out, 4 * n); });
}

void rows_of_kin(size_t n)
{
  make_input(BITS);
  for (size_t columns : { 100, 1000 }) sort_rows(columns, n);
  make_input(F32_SIGNED);
  top_k_row("top 100 f32", 100, n);
  top_k_row("top n/64 f32", n / 64, n);
  row({ "median f32", n, 4.0 * (double)n, 4 * n, READ, false },
      [=](int c) {
        must(iw_nth_element(bench.context, IW_F32, input<float>(n, c), n, (n - 1) / 2, bench.result, NULL));
      }, NULL, NULL);
  merge_row<uint32_t>("merge u32 halves", IW_U32, BITS, n);
  merge_row<uint64_t>("merge u64 halves", IW_U64, BITS, n);
  if (n <= (size_t)1 << 24) lower_bound_row(n);
}
#endif
