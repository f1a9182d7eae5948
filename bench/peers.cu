// SPDX-License-Identifier: Apache-2.0
//
// The half of the bench program that needs a CUDA device: scan and reduce on device memory beside CUB's and the limits of
// the memory. Times are the device's, between two events around calls that are only queued, in a stream that has nothing
// else to do; each repetition is one such time, and there are 21.
#include <map>
#include <benchmark/benchmark.h>
#include <cub/cub.cuh>
#include "bench.h"
#include "device.h"

static cudaStream_t stream;
static cudaEvent_t before, after;
static iw_context *context;
static char *in, *out, *result;      // result: a word, for reductions
static uint8_t *flags;               // where segments begin
static uint32_t *keys;               // of each element: its segment's number
static void *temporary;              // CUB's
static size_t temporary_bytes;
static int multiprocessors, train;

// ---- The limits -----------------------------------------------------------------------------------------------------

static __global__ void fill(uint32_t *p, size_t n)
{
  const size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) p[i] = bench_word(i);
}

static __global__ void fill_flags(uint8_t *p, size_t n)
{
  const size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) p[i] = bench_flag(i);
}

enum { THREADS = 256, COPIED = 4, READ = 8 }; // 16-byte words that a thread has under way

// n of these is never so large that a grid could not have a block for each.
static __global__ void __launch_bounds__(THREADS) copy_words(const uint4 *from, uint4 *to, size_t n)
{
  const size_t first = blockIdx.x * (size_t)(THREADS * COPIED) + threadIdx.x;
  if (first + (COPIED - 1) * THREADS < n) {
    uint4 words[COPIED];
#pragma unroll
    for (int k = 0; k < COPIED; k++) words[k] = __ldcs(from + first + k * THREADS);
#pragma unroll
    for (int k = 0; k < COPIED; k++) __stcs(to + first + k * THREADS, words[k]);
  } else {
    for (size_t i = first; i < n; i += THREADS) to[i] = from[i];
  }
}

// Stores nothing, which the compiler cannot know.
static __global__ void __launch_bounds__(THREADS) read_words(const uint4 *from, size_t n, uint32_t *never)
{
  const size_t step = (size_t)gridDim.x * THREADS;
  size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
  uint32_t sum = 0;
  for (; i + (READ - 1) * step < n; i += READ * step) {
    uint4 words[READ];
#pragma unroll
    for (int k = 0; k < READ; k++) words[k] = __ldcs(from + i + k * step);
#pragma unroll
    for (int k = 0; k < READ; k++) sum |= words[k].x | words[k].y | words[k].z | words[k].w;
  }
  for (; i < n; i += step) sum |= from[i].x | from[i].y | from[i].z | from[i].w;
  if (sum >> 30 == 3) *never = sum; // the input's words have that bit clear
}

static void launch_copy(size_t bytes)
{
  const size_t n = bytes / 16, blocks = (n + THREADS * COPIED - 1) / (THREADS * COPIED);
  copy_words<<<(unsigned)blocks, THREADS, 0, stream>>>((const uint4 *)in, (uint4 *)out, n);
}

static void launch_read(size_t bytes)
{
  const size_t n = bytes / 16, wanted = (n + THREADS * READ - 1) / (THREADS * READ);
  const unsigned blocks = (unsigned)std::min<size_t>(wanted, 8 * multiprocessors);
  read_words<<<blocks, THREADS, 0, stream>>>((const uint4 *)in, n, (uint32_t *)result);
}

// ---- Measuring ------------------------------------------------------------------------------------------------------

// So few bytes take less time than it takes to start a kernel, so that many calls share a pair of events.
static int calls(size_t n) { return n < (size_t)1 << 22 ? train : 1; }

// run() queues what moves so many bytes; correct() is asked when all is done.
template <class F, class C> static void add(const std::string &name, size_t n, size_t bytes, F run, C correct)
{
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State &state) {
    float ms;
    for (int i = 0; i < 3; i++) run();
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventRecord(before, stream));
    for (auto _ : state) run();
    CHECK(cudaEventRecord(after, stream));
    CHECK(cudaEventSynchronize(after));
    CHECK(cudaGetLastError());
    CHECK(cudaEventElapsedTime(&ms, before, after));
    state.SetIterationTime(1e-3 * ms);
    state.SetBytesProcessed((int64_t)(bytes * state.iterations()));
    if (!correct()) state.SkipWithError("the result is wrong");
  })->UseManualTime()->Iterations(calls(n))->Repetitions(21);
}

// CUB says how many bytes a call needs, and they are there when the benchmark runs.
template <class F> static auto with_temporary(F call)
{
  size_t bytes = 0;
  CHECK(call(nullptr, bytes));
  temporary_bytes = std::max(temporary_bytes, bytes);
  return [=] { size_t b = bytes; CHECK(call(temporary, b)); };
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
  const T *const x = (const T *)in;
  T *const y = (T *)out, *const total = (T *)result;
  auto name = [&](const char *what, const char *who) { return bench_name(what, type, "cuda", who, 0, n); };
  const auto scanned = [=] { return is_total(y + n - 1, n, ALL); };
  const auto segmented = [=] { return is_total(y + n - 1, n, LAST_SEGMENT); };
  const auto reduced = [=] { return is_total(total, n, ALL); };
  add(name("scan", "isowarp"), n, 2 * n * sizeof(T),
      [=] { MUST(iw_inclusive_scan_any(context, IW_SUM, bench_type<T>::type, x, y, n, nullptr)); }, scanned);
  add(name("scan", "cub"), n, 2 * n * sizeof(T),
      with_temporary([=](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, x, y, n, stream); }), scanned);
  add(name("reduce", "isowarp"), n, n * sizeof(T),
      [=] { MUST(iw_reduce_any(context, IW_SUM, bench_type<T>::type, x, n, nullptr, total)); }, reduced);
  add(name("reduce", "cub"), n, n * sizeof(T),
      with_temporary([=](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, x, total, n, stream); }), reduced);
  add(name("segmented", "isowarp"), n, n * (2 * sizeof(T) + 1), [=] {
    MUST(iw_inclusive_scan_segments_any(context, IW_SUM, bench_type<T>::type, x, flags, y, n, nullptr)); }, segmented);
  add(name("by_key", "isowarp"), n, n * (2 * sizeof(T) + 4), [=] {
    MUST(iw_inclusive_scan_by_key_any(context, IW_SUM, bench_type<T>::type, x, IW_U32, keys, y, n, nullptr)); }, segmented);
  add(name("by_key", "cub"), n, n * (2 * sizeof(T) + 4), with_temporary([=](void *t, size_t &b) {
    return cub::DeviceScan::InclusiveSumByKey(t, b, keys, x, y, n, same_key(), stream); }), segmented);
}

static void add_limits(size_t size, size_t n)
{
  const std::string type = std::to_string(size) + "B";
  const size_t bytes = n * size;
  auto name = [&](const char *what, const char *who) { return bench_name(what, type, "cuda", who, 0, n); };
  const auto right = [] { return true; };
  add(name("copy", "memcpy"), n, 2 * bytes,
      [=] { CHECK(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, stream)); }, right);
  add(name("copy", "kernel"), n, 2 * bytes, [=] { launch_copy(bytes); }, right);
  add(name("read", "kernel"), n, bytes, [=] { launch_read(bytes); }, right);
}

static std::string version(int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); }

static bool add_device(const bench_settings &settings)
{
  iw_context_options options = {};
  options.size = sizeof options;
  options.backend = IW_BACKEND_CUDA;
  if (iw_context_open(&context, &options) != IW_OK) {
    std::fprintf(stderr, "isowarp_bench: the GPU is left out: %s\n", iw_message());
    return false;
  }
  cudaDeviceProp device;
  int driver, runtime;
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  multiprocessors = device.multiProcessorCount;
  train = settings.train;
  benchmark::AddCustomContext("gpu", device.name);
  benchmark::AddCustomContext("cuda", version(runtime));
  benchmark::AddCustomContext("cuda_driver", version(driver));
  benchmark::AddCustomContext("cub", std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
                                       std::to_string(CUB_SUBMINOR_VERSION));

  const size_t most_n = (size_t)1 << *std::max_element(settings.device_sizes.begin(), settings.device_sizes.end());
  const size_t most = 8 * most_n;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  MUST(iw_context_set_stream(context, stream));
  CHECK(cudaMalloc(&in, most)); CHECK(cudaMalloc(&out, most)); CHECK(cudaMalloc(&result, 16));
  CHECK(cudaMalloc(&flags, most_n)); CHECK(cudaMalloc(&keys, 4 * most_n));
  fill<<<1024, 256, 0, stream>>>((uint32_t *)in, most / 4);
  fill_flags<<<1024, 256, 0, stream>>>(flags, most_n);
  MUST(iw_inclusive_scan_as_any(context, IW_SUM, IW_U8, flags, IW_U32, keys, most_n, nullptr));
  for (int i = 0; i < 200; i++) launch_copy(most); // a device that waited has a low clock
  CHECK(cudaStreamSynchronize(stream));
  for (int lg : settings.device_sizes) {
    const size_t n = (size_t)1 << lg;
    for (const std::string &type : settings.types)
      bench_with_type(type, [&](auto zero) { add_type<decltype(zero)>(type, n); });
    for (size_t size : bench_sizes_of(settings.types)) add_limits(size, n);
  }
  CHECK(cudaMalloc(&temporary, std::max<size_t>(temporary_bytes, 1)));
  return true;
}

static const bool there = (bench_add_device = add_device, true);
