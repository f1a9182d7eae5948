// SPDX-License-Identifier: Apache-2.0
//
// Scan, reduction and segmented scan in device memory, beside CUB's.
#include <map>
#include <cub/cub.cuh>
#include "cuda.h"

static uint8_t *flags; // 1 for the elements that begin a segment
static uint32_t *keys; // the segment's index, for each element

struct flag_to {
  uint8_t *p;
  __device__ void operator()(size_t i) const { p[i] = bench_flag(i); }
};

template <class F, class C> static void add(const std::string &name, size_t n, size_t bytes, F run, C correct)
{
  add_cuda(name, n, bytes, [] {}, run, [=](benchmark::State &) { return correct(); });
}

// Whether the sum at `where` equals that of the first benchmark with this type and n. Float sums depend on
// the order of additions, so they are only checked for NaN.
enum sum_extent { ALL, LAST_SEGMENT };
template <class T> static bool is_sum(const T *where, size_t n, sum_extent of)
{
  static std::map<size_t, T> sums[2];
  T value;
  CHECK(cudaMemcpy(&value, where, sizeof value, cudaMemcpyDeviceToHost));
  return std::is_floating_point<T>::value ? value == value
                                          : sums[of].insert({ n, value }).first->second == value;
}

struct same_key { __host__ __device__ bool operator()(uint32_t a, uint32_t b) const { return a == b; } };

template <class T> static void add_type(const std::string &type, size_t n)
{
  const T *const x = (const T *)gpu.in;
  T *const y = (T *)gpu.out, *const sum = (T *)gpu.result;
  auto name = [&](const char *what, const char *who) { return bench_name(what, type, "cuda", who, 0, n); };
  const auto scanned = [=] { return is_sum(y + n - 1, n, ALL); };
  const auto segmented = [=] { return is_sum(y + n - 1, n, LAST_SEGMENT); };
  const auto reduced = [=] { return is_sum(sum, n, ALL); };
  add(name("scan", "isowarp"), n, 2 * n * sizeof(T),
      [=] { MUST(iw_inclusive_scan(gpu.context, IW_SUM, bench_type<T>::type, x, n, y, nullptr)); }, scanned);
  const auto cub_scan = [=](void *t, size_t &b) {
    return cub::DeviceScan::InclusiveSum(t, b, x, y, n, gpu.stream);
  };
  add(name("scan", "cub"), n, 2 * n * sizeof(T), with_temporary(cub_scan), scanned);
  add(name("reduce", "isowarp"), n, n * sizeof(T),
      [=] { MUST(iw_reduce(gpu.context, IW_SUM, bench_type<T>::type, x, n, sum, nullptr)); }, reduced);
  const auto cub_reduce = [=](void *t, size_t &b) {
    return cub::DeviceReduce::Sum(t, b, x, sum, n, gpu.stream);
  };
  add(name("reduce", "cub"), n, n * sizeof(T), with_temporary(cub_reduce), reduced);
  const auto by_flags = [=] {
    MUST(bench_scan_segments(gpu.context, bench_type<T>::type, x, IW_SEGMENTS_FLAGS, flags, y, n));
  };
  add(name("segmented", "isowarp"), n, n * (2 * sizeof(T) + 1), by_flags, segmented);
  const auto by_key = [=] {
    MUST(bench_scan_segments(gpu.context, bench_type<T>::type, x, IW_SEGMENTS_KEYS, keys, y, n));
  };
  add(name("by_key", "isowarp"), n, n * (2 * sizeof(T) + 4), by_key, segmented);
  add(name("by_key", "cub"), n, n * (2 * sizeof(T) + 4), with_temporary([=](void *t, size_t &b) {
    return cub::DeviceScan::InclusiveSumByKey(t, b, keys, x, y, n, same_key(), gpu.stream); }), segmented);
}

void add_cuda_scans(const bench_settings &settings)
{
  const size_t most = (size_t)1 << settings.device_sizes.back();
  CHECK(cudaMalloc(&flags, most)); CHECK(cudaMalloc(&keys, 4 * most));
  loop_over<<<LOOP_BLOCKS, LOOP_THREADS, 0, gpu.stream>>>(most, flag_to{ flags });
  iw_scan_options wider = {};
  wider.size = sizeof wider;
  wider.out_type = IW_U32;
  MUST(iw_inclusive_scan(gpu.context, IW_SUM, IW_U8, flags, most, keys, &wider));
  for (int lg : settings.device_sizes)
    for (const std::string &type : settings.types)
      bench_with_type(type, [&](auto zero) { add_type<decltype(zero)>(type, (size_t)1 << lg); });
}
