// SPDX-License-Identifier: Apache-2.0
//
// The bench program (`make bench`, bench/README.md): all families of calls on CPUs beside their peers and
// the limits of the memory, in one run. Writes Google Benchmark's JSON, from which report.py makes tables
// and plots. This file has the options, the limits of the memory, and the functions that the benchmarks
// share.
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <tbb/version.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include "cpu.h"

// ---- Memory -------------------------------------------------------------------------------------------

char *cpu_in, *cpu_out;
static bool huge_pages;

char *cpu_memory(size_t bytes)
{
  const size_t page = (size_t)2 << 20;
  bytes = (bytes + page - 1) / page * page;
  void *const p = std::aligned_alloc(page, bytes);
  if (!p) {
    std::fprintf(stderr, "isowarp_bench: cannot allocate %zu bytes; choose a smaller --sizes\n", bytes);
    std::exit(1);
  }
  madvise(p, bytes, huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return (char *)p;
}

// Allocates and fills cpu_in and cpu_out. The threads that will use a page touch it first, which places it
// near them.
static void make_memory(const bench_settings &settings)
{
  const size_t bytes = std::max((size_t)8 << settings.sizes.back(), (size_t)1 << 20);
  huge_pages = settings.huge_pages;
  cpu_in = cpu_memory(bytes);
  cpu_out = cpu_memory(bytes);
  in_shares(omp_get_max_threads(), bytes, [](size_t first, size_t last) {
    for (size_t i = first; i < last; i += 4) {
      const uint32_t word = bench_word(i / 4);
      std::memcpy(cpu_in + i, &word, 4);
      std::memcpy(cpu_out + i, &word, 4);
    }
  });
}

// ---- The limits: copy past the caches, and read -------------------------------------------------------

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
// Software prefetching, because the hardware's stops at the ends of pages. The fastest distances were
// measured.
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
    (has_512 ? stream_512 : stream_256)(cpu_out + first, cpu_in + first, last - first);
  });
}

static void copy_plain(int threads, size_t bytes)
{
  in_shares(threads, bytes,
            [](size_t first, size_t last) { std::memcpy(cpu_out + first, cpu_in + first, last - first); });
}

static void read_all(int threads, size_t bytes)
{
  in_shares(threads, bytes, [](size_t first, size_t last) {
    const auto sum = has_512 ? sum_512 : has_256 ? sum_256 : sum_words;
    benchmark::DoNotOptimize(sum(cpu_in + first, last - first));
  });
}

// ---- Measuring ----------------------------------------------------------------------------------------

void settle(runtime now)
{
  static runtime before = SERIAL;
  if (before != SERIAL && before != now) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  before = now;
}

iw_context *open_context(const std::string &isa, int threads)
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

void add_checked(const checked &c, std::function<std::function<void()>()> prepare,
                 std::function<uint64_t()> digest)
{
  add(c.name(), [=](benchmark::State &state) {
    const std::function<void()> run = prepare();
    measure(state, c.by, c.bytes, run, [&] {
      return bench_agrees(state, c.name(), c.what + c.type + std::to_string(c.n), [&] {
        settle(OPENMP);
        return digest();
      });
    });
  });
}

std::vector<int> thread_counts(const bench_settings &settings, bool main_case)
{
  std::vector<int> counts = settings.threads;
  if (!main_case && counts.size() > 1 && counts[0] == 1) counts.erase(counts.begin());
  return counts;
}

// The read limit of n elements of `size` bytes and, if copied, the copy limit; on those thread counts on
// which types of this size are measured.
static void add_limits(const bench_settings &settings, size_t size, bool copied, size_t n)
{
  const std::string type = std::to_string(size) + "B";
  const size_t bytes = n * size;
  const auto correct = [] { return true; };
  const bool all_counts = size == 4 || size == 1 || bench_sizes_of({ settings.types[0] }).count(size);
  for (int threads : settings.threads) {
    if (!all_counts && threads != settings.threads.back()) continue;
    auto name = [&](const char *what, const char *who) {
      return bench_name(what, type, who, threads, n);
    };
    if (copied)
      add(name("copy", "memcpy"), [=](benchmark::State &state) {
        measure(state, { OPENMP, threads }, 2 * bytes, [=] { copy_plain(threads, bytes); }, correct);
      });
    if (copied && has_256)
      add(name("copy", "streaming"), [=](benchmark::State &state) {
        measure(state, { OPENMP, threads }, 2 * bytes, [=] { copy_streaming(threads, bytes); }, correct);
      });
    add(name("read", "read"), [=](benchmark::State &state) {
      measure(state, { OPENMP, threads }, bytes, [=] { read_all(threads, bytes); }, correct);
    });
  }
}

// ---- Options ------------------------------------------------------------------------------------------

static const char *const help =
    "usage: isowarp_bench [OPTION...]\n"
    "A LIST is A,B,...; a list of numbers may also have ranges FROM-TO and FROM-TO/STEP.\n"
    "Defaults are in parentheses.\n"
    "  --sizes=LIST         log2 of n (16,20,26)\n"
    "  --families=LIST      scan, histogram, partition (all)\n"
    "  --cases=some|all     histograms and partitions; some: most cases at the largest n only;\n"
    "                       all: takes hours (some)\n"
    "  --types=LIST         types of scan and reduce: f32, i32, u32, u64, i64, f64 (all)\n"
    "  --isas=LIST          instruction sets of the CPU, or all; generic is measured up to 2^20\n"
    "                       (the best two of this machine)\n"
    "  --threads=LIST       thread counts, or all; the first type runs on each, other types on the\n"
    "                       last (1,2,all)\n"
    "  --huge_pages=0|1     request huge pages on the CPU (1)\n"
    "Google Benchmark's options:\n";

static std::vector<std::string> split(const std::string &list)
{
  std::vector<std::string> words;
  std::istringstream from(list);
  for (std::string word; std::getline(from, word, ',');) words.push_back(word);
  return words;
}

[[noreturn]] static void refuse(const std::string &what, const std::string &valid)
{
  std::fprintf(stderr, "isowarp_bench: \"%s\" is not valid; valid: %s\n", what.c_str(), valid.c_str());
  std::exit(1);
}

// The numbers of a list, sorted and without duplicates. Exits unless they are bottom ... top.
static std::vector<int> numbers(const std::string &list, int bottom, int top)
{
  std::vector<int> all;
  for (const std::string &word : split(list)) {
    int from, to, step = 1, end = 0, length = (int)word.size();
    if (word == "all") from = to = top;
    else if (std::sscanf(word.c_str(), "%d%n", &from, &end) == 1 && end == length) to = from;
    else if (!(std::sscanf(word.c_str(), "%d-%d%n", &from, &to, &end) == 2 && end == length)
             && !(std::sscanf(word.c_str(), "%d-%d/%d%n", &from, &to, &step, &end) == 3 && end == length))
      step = 0;
    if (step < 1 || from < bottom || to > top)
      refuse(word, "numbers and ranges in " + std::to_string(bottom) + "-" + std::to_string(top));
    for (int k = from; k <= to; k += step) all.push_back(k);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

static bench_settings read_options(int argc, char **argv)
{
  std::map<std::string, std::string> given = {
    { "sizes", "16,20,26" },
    { "families", "scan,histogram,partition" },
    { "cases", "some" },
    { "types", "f32,i32,u32,u64,i64,f64" },
    { "isas", "" },
    { "threads", "" },
    { "huge_pages", "1" },
  };
  for (int i = 1; i < argc; i++) {
    const std::string word = argv[i];
    const size_t equals = word.find('=');
    if (word.compare(0, 2, "--") || equals == std::string::npos || !given.count(word.substr(2, equals - 2)))
      refuse(word, "what --help lists");
    given[word.substr(2, equals - 2)] = word.substr(equals + 1);
  }
  bench_settings settings = {};
  settings.sizes = numbers(given["sizes"], 10, 28);
  if (settings.sizes.empty()) refuse("--sizes=", "numbers and ranges in 10-28");
  settings.families = split(given["families"]);
  for (const std::string &family : settings.families)
    if (!bench_has({ "scan", "histogram", "partition" }, family)) refuse(family, "scan,histogram,partition");
  if (!bench_has({ "some", "all" }, given["cases"])) refuse(given["cases"], "some,all");
  settings.all_cases = given["cases"] == "all";
  settings.types = split(given["types"]);
  for (const std::string &type : settings.types)
    if (!bench_has({ "f32", "i32", "u32", "u64", "i64", "f64" }, type))
      refuse(type, "f32,i32,u32,u64,i64,f64");
  if (settings.types.empty()) refuse("--types=", "f32,i32,u32,u64,i64,f64");
  std::vector<std::string> here;
  for (unsigned i = 0; iw_isa_name(i); i++)
    if (iw_isa_available(iw_isa_name(i))) here.push_back(iw_isa_name(i));
  settings.isas = given["isas"] == "all" ? here : split(given["isas"]);
  if (settings.isas.empty())
    settings.isas.assign(here.size() > 2 ? here.end() - 2 : here.begin(), here.end());
  const int all = omp_get_max_threads();
  settings.threads = numbers(given["threads"] != "" ? given["threads"] : all > 1 ? "1,2,all" : "1", 1, all);
  settings.huge_pages = numbers(given["huge_pages"], 0, 1).at(0) == 1;
  return settings;
}

// ---- The run ------------------------------------------------------------------------------------------

static std::string line_of(const char *file, const char *key)
{
  std::ifstream from(file);
  for (std::string line; std::getline(from, line);) {
    const size_t colon = line.find(':');
    if (!line.compare(0, std::strlen(key), key))
      return colon == std::string::npos ? line : line.substr(colon + 2);
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
  benchmark::AddCustomContext("tbb",
                              std::to_string(TBB_VERSION_MAJOR) + "." + std::to_string(TBB_VERSION_MINOR));
  benchmark::AddCustomContext("huge_pages", settings.huge_pages ? "requested" : "not requested");
  make_memory(settings);
  auto wanted = [&](const char *family) { return bench_has(settings.families, family); };
  const bench_limits limits = bench_limits_of(settings);
  for (int lg : settings.sizes)
    for (size_t size : limits.read) add_limits(settings, size, limits.copy.count(size), (size_t)1 << lg);
  if (wanted("scan")) add_scans(settings);
  if (wanted("histogram")) add_histograms(settings);
  if (wanted("partition")) add_partitions(settings);
  const size_t measured = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return measured == 0;
}
