// SPDX-License-Identifier: Apache-2.0
//
// Scan, reduce and scans of segments on device memory beside CUB's.
#include <map>
#include <cub/cub.cuh>
#include "cuda.h"

static uint8_t *flags; // where segments begin
static uint32_t *keys; // of each element: its segment's number

struct flag_to {
  uint8_t *p;
  __device__ void operator()(size_t i) const { p[i] = bench_flag(i); }
};

template <class F, class C> static void add(const std::string &name, size_t n, size_t bytes, F run, C correct)
{
  add_cuda(name, n, bytes, [] {}, run, [=](benchmark::State &) { return correct(); });
}

// Whoever was first with an integer total says what it is, of all or of the last segment; floats have another order in each.
enum extent { ALL, LAST_SEGMENT };
template <class T> static bool is_total(const T *where, size_t n, extent of)
{
  static std::map<size_t, T> totals[2];
  T value;
  CHECK(cudaMemcpy(&value, where, sizeof value, cudaMemcpyDeviceToHost));
  return std::is_floating_point<T>::value ? value == value : totals[of].insert({ n, value }).first->second == value;
}

struct same_key { __host__ __device__ bool operator()(uint32_t a, uint32_t b) const { return a == b; } };

template <class T> static void add_type(const std::string &type, size_t n)
{
  const T *const x = (const T *)gpu.in;
  T *const y = (T *)gpu.out, *const total = (T *)gpu.result;
  auto name = [&](const char *what, const char *who) { return bench_name(what, type, "cuda", who, 0, n); };
  const auto scanned = [=] { return is_total(y + n - 1, n, ALL); };
  const auto segmented = [=] { return is_total(y + n - 1, n, LAST_SEGMENT); };
  const auto reduced = [=] { return is_total(total, n, ALL); };
  add(name("scan", "isowarp"), n, 2 * n * sizeof(T),
      [=] { MUST(iw_inclusive_scan(gpu.context, IW_SUM, bench_type<T>::type, x, y, n, nullptr)); }, scanned);
  add(name("scan", "cub"), n, 2 * n * sizeof(T),
      with_temporary([=](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, x, y, n, gpu.stream); }), scanned);
  add(name("reduce", "isowarp"), n, n * sizeof(T),
      [=] { MUST(iw_reduce(gpu.context, IW_SUM, bench_type<T>::type, x, n, nullptr, total)); }, reduced);
  add(name("reduce", "cub"), n, n * sizeof(T),
      with_temporary([=](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, x, total, n, gpu.stream); }), reduced);
  add(name("segmented", "isowarp"), n, n * (2 * sizeof(T) + 1), [=] {
    MUST(bench_scan_segments(gpu.context, bench_type<T>::type, x, IW_SEGMENTS_FLAGS, flags, y, n)); }, segmented);
  add(name("by_key", "isowarp"), n, n * (2 * sizeof(T) + 4), [=] {
    MUST(bench_scan_segments(gpu.context, bench_type<T>::type, x, IW_SEGMENTS_KEYS, keys, y, n)); }, segmented);
  add(name("by_key", "cub"), n, n * (2 * sizeof(T) + 4), with_temporary([=](void *t, size_t &b) {
    return cub::DeviceScan::InclusiveSumByKey(t, b, keys, x, y, n, same_key(), gpu.stream); }), segmented);
}

void add_cuda_scans(const bench_settings &settings)
{
  const size_t most = (size_t)1 << settings.device_sizes.back();
  CHECK(cudaMalloc(&flags, most)); CHECK(cudaMalloc(&keys, 4 * most));
  loop_over<<<LOOP_BLOCKS, LOOP_THREADS, 0, gpu.stream>>>(most, flag_to{ flags });
  iw_scan_spec wider = {};
  wider.size = sizeof wider;
  wider.op = IW_SUM;
  wider.in_type = IW_U8;
  wider.type = IW_U32;
  MUST(iw_scan_with(gpu.context, &wider, flags, keys, most));
  for (int lg : settings.device_sizes)
    for (const std::string &type : settings.types)
      bench_with_type(type, [&](auto zero) { add_type<decltype(zero)>(type, (size_t)1 << lg); });
}
