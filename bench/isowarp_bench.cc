// SPDX-License-Identifier: Apache-2.0
//
// Scan, reduce and scans of segments beside their peers and the limits of the memory, in one run: `make bench` (see
// bench/README.md). This half is the CPU's. What it writes is Google Benchmark's JSON; report.py makes the table and the
// plots of it.
//
// Peers use as many threads as the library does beside them, and all use the same memory.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <execution>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <sstream>
#include <thread>
#include <benchmark/benchmark.h>
#include <omp.h>
#include <sys/mman.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_scan.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include "bench.h"

bool (*bench_add_device)(const bench_settings &);

// ---- Memory ---------------------------------------------------------------------------------------------------------

// Runs f(first, last) on each of so many threads, with its share of the bytes.
template <class F> static void in_shares(int threads, size_t bytes, F f)
{
  const size_t lines = bytes / 64;
#pragma omp parallel num_threads(threads)
  {
    const size_t t = omp_get_thread_num(), of = omp_get_num_threads();
    f(lines * t / of * 64, lines * (t + 1) / of * 64);
  }
}

static char *in, *out;
static uint8_t *flags;  // where segments begin
static uint32_t *keys;  // of each element: its segment's number
static bool any; // has been registered

static char *memory(size_t bytes, bool huge_pages)
{
  const size_t page = (size_t)2 << 20;
  bytes = (bytes + page - 1) / page * page;
  void *const p = std::aligned_alloc(page, bytes);
  if (!p) { std::fprintf(stderr, "there is no memory for %zu bytes; --sizes=... takes less\n", bytes); std::exit(1); }
  madvise(p, bytes, huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return (char *)p;
}

// First touched by the threads that will use it.
static void make_memory(const bench_settings &settings)
{
  size_t bytes = (size_t)8 << *std::max_element(settings.sizes.begin(), settings.sizes.end());
  bytes = std::max(bytes, (size_t)1 << 20);
  in = memory(bytes, settings.huge_pages);
  out = memory(bytes, settings.huge_pages);
  in_shares(omp_get_max_threads(), bytes, [](size_t first, size_t last) {
    for (size_t i = first; i < last; i += 4) {
      const uint32_t word = bench_word(i / 4);
      std::memcpy(in + i, &word, 4);
      std::memcpy(out + i, &word, 4);
    }
  });
  const size_t n = bytes / 8;
  flags = (uint8_t *)memory(n, settings.huge_pages);
  keys = (uint32_t *)memory(4 * n, settings.huge_pages);
  in_shares(omp_get_max_threads(), n, [](size_t first, size_t last) {
    for (size_t i = first; i < last; i++) flags[i] = bench_flag(i);
  });
  in_shares(omp_get_max_threads(), 4 * n, [](size_t first, size_t last) {
    std::memset((char *)keys + first, 0, last - first);
  });
  uint32_t key = 0;
  for (size_t i = 0; i < n; i++) keys[i] = key += flags[i];
}

// ---- The limits: copy past the caches, and read ---------------------------------------------------------------------

static uint64_t sum_words(const char *p, size_t bytes)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes; i += 8) {
    uint64_t word;
    std::memcpy(&word, p + i, 8);
    sum += word;
  }
  return sum;
}

#ifdef __x86_64__
// Prefetching, because the hardware's stops at the ends of pages; AHEAD as measured.
template <size_t AHEAD> static void prefetch(const char *p) { _mm_prefetch(p + AHEAD, _MM_HINT_T0); }

__attribute__((target("avx512f"))) static void stream_512(char *to, const char *from, size_t bytes)
{
  for (size_t i = 0; i < bytes; i += 64) {
    prefetch<4096>(from + i);
    _mm512_stream_si512((__m512i *)(to + i), _mm512_load_si512(from + i));
  }
  _mm_sfence();
}
__attribute__((target("avx2"))) static void stream_256(char *to, const char *from, size_t bytes)
{
  for (size_t i = 0; i < bytes; i += 64) {
    prefetch<4096>(from + i);
    const __m256i *const line = (const __m256i *)(from + i);
    const __m256i a = _mm256_load_si256(line), b = _mm256_load_si256(line + 1);
    _mm256_stream_si256((__m256i *)(to + i), a);
    _mm256_stream_si256((__m256i *)(to + i) + 1, b);
  }
  _mm_sfence();
}
__attribute__((target("avx512f"))) static uint64_t sum_512(const char *p, size_t bytes)
{
  __m512i sums[8] = {};
  uint64_t parts[8 * 8], sum = 0;
  size_t i = 0;
  for (; i + 512 <= bytes; i += 512)
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) {
      prefetch<16384>(p + i + 64 * k);
      sums[k] = _mm512_add_epi64(sums[k], _mm512_load_si512(p + i + 64 * k));
    }
  std::memcpy(parts, sums, sizeof parts);
  for (uint64_t part : parts) sum += part;
  return sum + sum_words(p + i, bytes - i);
}
__attribute__((target("avx2"))) static uint64_t sum_256(const char *p, size_t bytes)
{
  __m256i sums[8] = {};
  uint64_t parts[4 * 8], sum = 0;
  size_t i = 0;
  for (; i + 256 <= bytes; i += 256)
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) {
      if (k % 2 == 0) prefetch<16384>(p + i + 32 * k);
      sums[k] = _mm256_add_epi64(sums[k], _mm256_load_si256((const __m256i *)(p + i + 32 * k)));
    }
  std::memcpy(parts, sums, sizeof parts);
  for (uint64_t part : parts) sum += part;
  return sum + sum_words(p + i, bytes - i);
}
static const bool has_512 = __builtin_cpu_supports("avx512f"), has_256 = __builtin_cpu_supports("avx2");
#else
static const bool has_512 = false, has_256 = false;
static void stream_512(char *to, const char *from, size_t bytes) { std::memcpy(to, from, bytes); }
static void stream_256(char *to, const char *from, size_t bytes) { std::memcpy(to, from, bytes); }
static uint64_t sum_512(const char *p, size_t bytes) { return sum_words(p, bytes); }
static uint64_t sum_256(const char *p, size_t bytes) { return sum_words(p, bytes); }
#endif

static void copy_streaming(int threads, size_t bytes)
{
  in_shares(threads, bytes, [](size_t first, size_t last) {
    (has_512 ? stream_512 : stream_256)(out + first, in + first, last - first);
  });
}

static void copy_plain(int threads, size_t bytes)
{
  in_shares(threads, bytes, [](size_t first, size_t last) { std::memcpy(out + first, in + first, last - first); });
}

static void read_all(int threads, size_t bytes)
{
  in_shares(threads, bytes, [](size_t first, size_t last) {
    benchmark::DoNotOptimize((has_512 ? sum_512 : has_256 ? sum_256 : sum_words)(in + first, last - first));
  });
}

// ---- The peers ------------------------------------------------------------------------------------------------------

template <class T> __attribute__((noinline)) static void plain_scan(const T *x, T *y, size_t n)
{
  T sum = 0;
  for (size_t i = 0; i < n; i++) y[i] = sum += x[i];
}

template <class T> __attribute__((noinline)) static T plain_reduce(const T *x, size_t n)
{
  T sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i];
  return sum;
}

template <class T> static void omp_scan(int threads, const T *x, T *y, size_t n)
{
  T sum = 0;
#pragma omp parallel for reduction(inscan, + : sum) num_threads(threads)
  for (size_t i = 0; i < n; i++) {
    sum += x[i];
#pragma omp scan inclusive(sum)
    y[i] = sum;
  }
}

template <class T> static void tbb_scan(const T *x, T *y, size_t n)
{
  typedef tbb::blocked_range<size_t> span;
  tbb::parallel_scan(span(0, n), T(0), [=](const span &range, T sum, bool last) {
    for (size_t i = range.begin(); i < range.end(); i++) {
      sum += x[i];
      if (last) y[i] = sum;
    }
    return sum;
  }, std::plus<T>());
}

// ---- A user's operator (user.c), of the sets that this build has ----------------------------------------------------

extern "C" {
#define USERS(X) X(generic) X(sse4) X(avx2) X(avx512) X(neon)
#define USER(isa) extern const iw_operator plus_f32_##isa __attribute__((weak));
USERS(USER)
#undef USER
}

static const iw_operator *user_plus(const std::string &name)
{
#define USER(isa) if (name == #isa) return &plus_f32_##isa;
  USERS(USER)
#undef USER
  return nullptr;
}

// ---- Measuring ------------------------------------------------------------------------------------------------------

enum runtime { SERIAL, OPENMP, TBB };
struct team { runtime of; int threads; };

// OpenMP's threads look for work for some ms after a region, and would take cores from another runtime's or the plain loop.
static void settle(runtime now)
{
  static runtime before = SERIAL;
  if (before != SERIAL && before != now) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  before = now;
}

// Times run(), which moves so many bytes, after a call that warms up, if that is not more than caches hold; then correct() says
// whether the result is right.
template <class F, class C> static void measure(benchmark::State &state, team team, size_t bytes, F run, C correct)
{
  settle(team.of);
  // Holds TBB, and the standard library over it, to as many threads; OpenMP's regions say it themselves.
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                    (size_t)(team.of == TBB ? team.threads : omp_get_max_threads()));
  if (bytes < (size_t)1 << 28) run();
  for (auto _ : state) {
    run();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed((int64_t)(bytes * state.iterations()));
  if (!correct()) state.SkipWithError("the result is wrong");
}

// Floats have another order in each peer; that they are right is what tests are for.
template <class T> static bool is_total(T value, size_t n)
{
  static std::map<size_t, T> totals;
  if (std::is_floating_point<T>::value) return value == value;
  const auto found = totals.find(n);
  return value == (found != totals.end() ? found->second : totals[n] = plain_reduce((const T *)in, n));
}

template <class F> static void add(const std::string &name, F body)
{
  benchmark::RegisterBenchmark(name.c_str(), body)->UseRealTime();
  any = true;
}

template <class T> static void add_scan(const std::string &name, team team, size_t n, std::function<void()> run)
{
  add(name, [=](benchmark::State &state) {
    measure(state, team, 2 * n * sizeof(T), run, [&] { return is_total(((const T *)out)[n - 1], n); });
  });
}

template <class T> static void add_reduce(const std::string &name, team team, size_t n, std::function<T()> run)
{
  add(name, [=](benchmark::State &state) {
    T result = 0;
    measure(state, team, n * sizeof(T), [&] { result = run(); }, [&] { return is_total(result, n); });
  });
}

// Moves more than a scan: `mark` bytes an element say where segments are.
template <class T> static void add_segments(const std::string &name, team team, size_t n, size_t mark, std::function<void()> run)
{
  add(name, [=](benchmark::State &state) {
    measure(state, team, n * (2 * sizeof(T) + mark), run, [&] {
      size_t head = n - 1;
      while (head && !flags[head]) head--;
      const T last = ((const T *)out)[n - 1];
      return std::is_floating_point<T>::value ? last == last : last == plain_reduce((const T *)in + head, n - head);
    });
  });
}

static iw_context *open_context(const std::string &isa, int threads)
{
  static std::map<std::string, iw_context *> contexts;
  iw_context *&context = contexts[isa + std::to_string(threads)];
  if (!context) {
    iw_context_options options = {};
    options.size = sizeof options;
    options.backend = IW_BACKEND_CPU;
    options.isa = isa.c_str();
    options.threads = (unsigned)threads;
    MUST(iw_context_open(&context, &options));
  }
  return context;
}

template <class T> static void add_type(const std::string &type, const bench_settings &settings, size_t n)
{
  const T *const x = (const T *)in;
  T *const y = (T *)out;
  add_scan<T>(bench_name("scan", type, "cpu", "plain", 1, n), { SERIAL, 1 }, n, [=] { plain_scan(x, y, n); });
  add_reduce<T>(bench_name("reduce", type, "cpu", "plain", 1, n), { SERIAL, 1 }, n, [=] { return plain_reduce(x, n); });
  for (int threads : settings.threads) {
    if (type != settings.types[0] && threads != settings.threads.back()) continue;
    auto name = [&](const char *what, std::string who) { return bench_name(what, type, "cpu", who, threads, n); };
    for (const std::string &isa : settings.isas) {
      if (isa == "generic" && n > (size_t)1 << 20) continue; // which takes minutes
      iw_context *const c = open_context(isa, threads);
      add_scan<T>(name("scan", "isowarp-" + isa), { OPENMP, threads }, n,
                  [=] { MUST(iw_inclusive_scan_any(c, IW_SUM, bench_type<T>::type, x, y, n, nullptr)); });
      add_segments<T>(name("segmented", "isowarp-" + isa), { OPENMP, threads }, n, 1, [=] {
        MUST(iw_inclusive_scan_segments_any(c, IW_SUM, bench_type<T>::type, x, flags, y, n, nullptr));
      });
      add_segments<T>(name("by_key", "isowarp-" + isa), { OPENMP, threads }, n, 4, [=] {
        MUST(iw_inclusive_scan_by_key_any(c, IW_SUM, bench_type<T>::type, x, IW_U32, keys, y, n, nullptr));
      });
      add_reduce<T>(name("reduce", "isowarp-" + isa), { OPENMP, threads }, n, [=] {
        T result;
        MUST(iw_reduce_any(c, IW_SUM, bench_type<T>::type, x, n, nullptr, &result));
        return result;
      });
      const iw_operator *const plus = user_plus(isa);
      if (!plus || bench_type<T>::type != IW_F32) continue;
      add_scan<T>(name("user_scan", "isowarp-" + isa), { OPENMP, threads }, n,
                  [=] { MUST(iw_inclusive_scan_with(c, plus, x, y, n, nullptr)); });
      add_reduce<T>(name("user_reduce", "isowarp-" + isa), { OPENMP, threads }, n, [=] {
        T result;
        MUST(iw_reduce_with(c, plus, x, n, nullptr, &result));
        return result;
      });
    }
    add_scan<T>(name("scan", "std-par"), { TBB, threads }, n,
                [=] { std::inclusive_scan(std::execution::par, x, x + n, y); });
    add_scan<T>(name("scan", "std-par_unseq"), { TBB, threads }, n,
                [=] { std::inclusive_scan(std::execution::par_unseq, x, x + n, y); });
    add_scan<T>(name("scan", "tbb"), { TBB, threads }, n, [=] { tbb_scan(x, y, n); });
    add_scan<T>(name("scan", "openmp"), { OPENMP, threads }, n, [=] { omp_scan(threads, x, y, n); });
    add_reduce<T>(name("reduce", "std-par"), { TBB, threads }, n,
                  [=] { return std::reduce(std::execution::par, x, x + n); });
    add_reduce<T>(name("reduce", "std-par_unseq"), { TBB, threads }, n,
                  [=] { return std::reduce(std::execution::par_unseq, x, x + n); });
  }
}

// The limits know only how many bytes n elements have.
static void add_limits(const bench_settings &settings, size_t size, size_t n)
{
  const std::string type = std::to_string(size) + "B";
  const size_t bytes = n * size;
  const auto right = [] { return true; };
  const bool every = bench_sizes_of({ settings.types[0] }).count(size);
  for (int threads : settings.threads) {
    if (!every && threads != settings.threads.back()) continue;
    auto name = [&](const char *what, const char *who) { return bench_name(what, type, "cpu", who, threads, n); };
    add(name("copy", "memcpy"), [=](benchmark::State &state) {
      measure(state, { OPENMP, threads }, 2 * bytes, [=] { copy_plain(threads, bytes); }, right);
    });
    if (has_256)
      add(name("copy", "streaming"), [=](benchmark::State &state) {
        measure(state, { OPENMP, threads }, 2 * bytes, [=] { copy_streaming(threads, bytes); }, right);
      });
    add(name("read", "read"), [=](benchmark::State &state) {
      measure(state, { OPENMP, threads }, bytes, [=] { read_all(threads, bytes); }, right);
    });
  }
}

// How much a call costs beside the loop that a caller would write instead: on a context as it is opened, with all
// threads. The best set only.
static void add_small(const bench_settings &settings)
{
  const float *const x = (const float *)in;
  float *const y = (float *)out;
  for (size_t n = 1; n <= 1 << 16; n = n < 32 ? n + 1 : 2 * n) {
    add_scan<float>(bench_name("small", "f32", "cpu", "plain", 1, n), { SERIAL, 1 }, n, [=] { plain_scan(x, y, n); });
    const std::string &isa = settings.isas.back();
    const int threads = settings.threads.back();
    iw_context *const c = open_context(isa, threads);
    add_scan<float>(bench_name("small", "f32", "cpu", "isowarp-" + isa, threads, n), { OPENMP, threads }, n,
                    [=] { MUST(iw_inclusive_scan_any(c, IW_SUM, IW_F32, x, y, n, nullptr)); });
  }
}

// ---- Options --------------------------------------------------------------------------------------------------------

static const char *const help =
  "isowarp_bench [OPTION...], where lists are A,B,... and of numbers FROM-TO or FROM-TO/STEP too\n"
  "  --sizes=LIST         log2 of n on the CPU           (16,20,26; none: leaves the CPU out)\n"
  "  --device_sizes=LIST  log2 of n on a CUDA device     (16-28/2; none: leaves it out)\n"
  "  --types=LIST         of f32,i32,u32,u64,i64,f64     (all)\n"
  "  --isas=LIST          instruction sets of the CPU, or all (the best two here; generic up to 2^20)\n"
  "  --threads=LIST       numbers, and all: the first type on each, others on the last (1,2,all)\n"
  "  --train=N            device calls between two events where n is below 2^22 (20)\n"
  "  --huge_pages=0|1     ask for huge pages on the CPU  (1)\n"
  "What is in parentheses is taken where an option is not given. Google Benchmark's options:\n";

static std::vector<std::string> split(const std::string &list)
{
  std::vector<std::string> words;
  std::istringstream from(list);
  for (std::string word; std::getline(from, word, ',');) if (word != "none") words.push_back(word);
  return words;
}

[[noreturn]] static void refuse(const std::string &what, const std::string &valid)
{
  std::fprintf(stderr, "isowarp_bench: \"%s\"; valid: %s\n", what.c_str(), valid.c_str());
  std::exit(1);
}

// The numbers of a list, each in bottom ... top, in their order, each once.
static std::vector<int> numbers(const std::string &list, int bottom, int top)
{
  std::vector<int> all;
  for (const std::string &word : split(list)) {
    int from, to, step = 1, end = 0, length = (int)word.size();
    if (word == "all") from = to = top;
    else if (std::sscanf(word.c_str(), "%d%n", &from, &end) == 1 && end == length) to = from;
    else if (!(std::sscanf(word.c_str(), "%d-%d%n", &from, &to, &end) == 2 && end == length) &&
             !(std::sscanf(word.c_str(), "%d-%d/%d%n", &from, &to, &step, &end) == 3 && end == length)) step = 0;
    if (step < 1 || from < bottom || to > top)
      refuse(word, "numbers and ranges in " + std::to_string(bottom) + "-" + std::to_string(top));
    for (int k = from; k <= to; k += step) all.push_back(k);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

static bool has(const std::vector<std::string> &list, const std::string &word)
{
  return std::find(list.begin(), list.end(), word) != list.end();
}

static bench_settings read_options(int argc, char **argv)
{
  std::map<std::string, std::string> given = {
    { "sizes", "16,20,26" }, { "device_sizes", "16-28/2" }, { "types", "f32,i32,u32,u64,i64,f64" }, { "isas", "" },
    { "threads", "" }, { "train", "20" }, { "huge_pages", "1" } };
  for (int i = 1; i < argc; i++) {
    const std::string word = argv[i];
    const size_t equals = word.find('=');
    if (word.compare(0, 2, "--") || equals == std::string::npos || !given.count(word.substr(2, equals - 2)))
      refuse(word, "what --help lists");
    given[word.substr(2, equals - 2)] = word.substr(equals + 1);
  }
  bench_settings settings = {};
  settings.sizes = numbers(given["sizes"], 10, 28);
  settings.device_sizes = numbers(given["device_sizes"], 10, 31);
  settings.types = split(given["types"]);
  for (const std::string &type : settings.types)
    if (!has({ "f32", "i32", "u32", "u64", "i64", "f64" }, type)) refuse(type, "f32,i32,u32,u64,i64,f64");
  if (settings.types.empty()) refuse("--types=", "f32,i32,u32,u64,i64,f64");
  std::vector<std::string> here;
  for (unsigned i = 0; iw_isa_name(i); i++)
    if (iw_isa_available(iw_isa_name(i))) here.push_back(iw_isa_name(i));
  settings.isas = given["isas"] == "all" ? here : split(given["isas"]);
  if (settings.isas.empty()) settings.isas.assign(here.size() > 2 ? here.end() - 2 : here.begin(), here.end());
  const int all = omp_get_max_threads();
  settings.threads = numbers(given["threads"] != "" ? given["threads"] : all > 1 ? "1,2,all" : "1", 1, all);
  settings.train = numbers(given["train"], 1, 10000).at(0);
  settings.huge_pages = numbers(given["huge_pages"], 0, 1).at(0) == 1;
  return settings;
}

// ---- The run --------------------------------------------------------------------------------------------------------

static std::string line_of(const char *file, const char *key)
{
  std::ifstream from(file);
  for (std::string line; std::getline(from, line);) {
    const size_t colon = line.find(':');
    if (!line.compare(0, std::strlen(key), key)) return colon == std::string::npos ? line : line.substr(colon + 2);
  }
  return "unknown";
}

int main(int argc, char **argv)
{
  benchmark::Initialize(&argc, argv, [] { std::printf("%s", help); benchmark::PrintDefaultHelp(); });
  const bench_settings settings = read_options(argc, argv);
  benchmark::AddCustomContext("cpu", line_of("/proc/cpuinfo", "model name"));
  benchmark::AddCustomContext("threads", std::to_string(omp_get_max_threads()));
  benchmark::AddCustomContext("compiler", __VERSION__);
  benchmark::AddCustomContext("isowarp", iw_version());
  benchmark::AddCustomContext("tbb", std::to_string(TBB_VERSION_MAJOR) + "." + std::to_string(TBB_VERSION_MINOR));
  benchmark::AddCustomContext("huge_pages", settings.huge_pages ? "asked for" : "refused");
  if (!settings.sizes.empty()) {
    make_memory(settings);
    for (int lg : settings.sizes) {
      const size_t n = (size_t)1 << lg;
      for (const std::string &type : settings.types)
        bench_with_type(type, [&](auto zero) { add_type<decltype(zero)>(type, settings, n); });
      for (size_t size : bench_sizes_of(settings.types)) add_limits(settings, size, n);
    }
    add_small(settings);
  }
  if (!settings.device_sizes.empty()) {
    if (bench_add_device) any |= bench_add_device(settings);
    else std::fprintf(stderr, "isowarp_bench: the GPU is left out: this build has no CUDA\n");
  }
  const size_t measured = any ? benchmark::RunSpecifiedBenchmarks() : 0;
  benchmark::Shutdown();
  return measured ? 0 : 77;
}
