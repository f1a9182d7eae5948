// SPDX-License-Identifier: Apache-2.0
//
// Scan, reduction and segmented scan on the CPU, beside a plain loop, the standard library, TBB and OpenMP.
#include <execution>
#include <functional>
#include <numeric>
#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>
#include "cpu.h"

static uint8_t *flags;  // 1 for the elements that begin a segment
static uint32_t *keys;  // the segment's index, for each element

static void make_segments(size_t n)
{
  flags = (uint8_t *)cpu_memory(n);
  keys = (uint32_t *)cpu_memory(4 * n);
  in_shares(omp_get_max_threads(), n, [](size_t first, size_t last) {
    for (size_t i = first; i < last; i++) flags[i] = bench_flag(i);
  });
  in_shares(omp_get_max_threads(), 4 * n, [](size_t first, size_t last) {
    std::memset((char *)keys + first, 0, last - first);
  });
  uint32_t key = 0;
  for (size_t i = 0; i < n; i++) keys[i] = key += flags[i];
}

// ---- The peers ----------------------------------------------------------------------------------------

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

// ---- A user's operator (user.c), for each instruction set of this build ----------------------------------

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

// ---- Measuring ----------------------------------------------------------------------------------------

// Whether this is the sum of the first n elements. Float sums depend on the order of additions, which peers
// do not share, so they are only checked for NaN; the tests check their bits.
template <class T> static bool is_sum(T value, size_t n)
{
  static std::map<size_t, T> sums;
  if (std::is_floating_point<T>::value) return value == value;
  const auto found = sums.find(n);
  return value == (found != sums.end() ? found->second : sums[n] = plain_reduce((const T *)cpu_in, n));
}

template <class T>
static void add_scan(const std::string &name, team team, size_t n, std::function<void()> run)
{
  add(name, [=](benchmark::State &state) {
    measure(state, team, 2 * n * sizeof(T), run, [&] { return is_sum(((const T *)cpu_out)[n - 1], n); });
  });
}

template <class T>
static void add_reduce(const std::string &name, team team, size_t n, std::function<T()> run)
{
  add(name, [=](benchmark::State &state) {
    T result = 0;
    measure(state, team, n * sizeof(T), [&] { result = run(); }, [&] { return is_sum(result, n); });
  });
}

// head_bytes: the bytes per element of the flags or keys that say where segments begin.
template <class T> static void add_segments(const std::string &name, team team, size_t n, size_t head_bytes,
                                            std::function<void()> run)
{
  add(name, [=](benchmark::State &state) {
    measure(state, team, n * (2 * sizeof(T) + head_bytes), run, [&] {
      size_t head = n - 1;
      while (head && !flags[head]) head--;
      const T last = ((const T *)cpu_out)[n - 1];
      return std::is_floating_point<T>::value ? last == last
                                              : last == plain_reduce((const T *)cpu_in + head, n - head);
    });
  });
}

template <class T> static void add_type(const std::string &type, const bench_settings &settings, size_t n)
{
  const T *const x = (const T *)cpu_in;
  T *const y = (T *)cpu_out;
  add_scan<T>(bench_name("scan", type, "plain", 1, n), { SERIAL, 1 }, n, [=] { plain_scan(x, y, n); });
  add_reduce<T>(bench_name("reduce", type, "plain", 1, n), { SERIAL, 1 }, n,
                [=] { return plain_reduce(x, n); });
  for (int threads : settings.threads) {
    if (type != settings.types[0] && threads != settings.threads.back()) continue;
    auto name = [&](const char *what, std::string who) {
      return bench_name(what, type, who, threads, n);
    };
    for (const std::string &isa : settings.isas) {
      if (isa == "generic" && n > (size_t)1 << 20) continue; // it would take minutes
      iw_context *const c = open_context(isa, threads);
      add_scan<T>(name("scan", "isowarp-" + isa), { OPENMP, threads }, n,
                  [=] { MUST(iw_inclusive_scan(c, IW_SUM, bench_type<T>::type, x, n, y, nullptr)); });
      add_segments<T>(name("segmented", "isowarp-" + isa), { OPENMP, threads }, n, 1, [=] {
        MUST(bench_scan_segments(c, bench_type<T>::type, x, IW_SEGMENTS_FLAGS, flags, y, n));
      });
      add_segments<T>(name("by_key", "isowarp-" + isa), { OPENMP, threads }, n, 4, [=] {
        MUST(bench_scan_segments(c, bench_type<T>::type, x, IW_SEGMENTS_KEYS, keys, y, n));
      });
      add_reduce<T>(name("reduce", "isowarp-" + isa), { OPENMP, threads }, n, [=] {
        T result;
        MUST(iw_reduce(c, IW_SUM, bench_type<T>::type, x, n, &result, nullptr));
        return result;
      });
      const iw_operator *const plus = user_plus(isa);
      if (!plus || bench_type<T>::type != IW_F32) continue;
      add_scan<T>(name("user_scan", "isowarp-" + isa), { OPENMP, threads }, n,
                  [=] { MUST(iw_inclusive_scan(c, plus, IW_F32, x, n, y, nullptr)); });
      add_reduce<T>(name("user_reduce", "isowarp-" + isa), { OPENMP, threads }, n, [=] {
        T result;
        MUST(iw_reduce(c, plus, IW_F32, x, n, &result, nullptr));
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

// A call beside a plain loop, for small n: the best instruction set, on a context with all threads.
static void add_small(const bench_settings &settings)
{
  const float *const x = (const float *)cpu_in;
  float *const y = (float *)cpu_out;
  for (size_t n = 1; n <= 1 << 16; n = n < 32 ? n + 1 : 2 * n) {
    add_scan<float>(bench_name("small", "f32", "plain", 1, n), { SERIAL, 1 }, n,
                    [=] { plain_scan(x, y, n); });
    const std::string &isa = settings.isas.back();
    const int threads = settings.threads.back();
    iw_context *const c = open_context(isa, threads);
    add_scan<float>(bench_name("small", "f32", "isowarp-" + isa, threads, n), { OPENMP, threads }, n,
                    [=] { MUST(iw_inclusive_scan(c, IW_SUM, IW_F32, x, n, y, nullptr)); });
  }
}

void add_scans(const bench_settings &settings)
{
  make_segments(std::max((size_t)1 << settings.sizes.back(), (size_t)1 << 17));
  for (int lg : settings.sizes)
    for (const std::string &type : settings.types)
      bench_with_type(type, [&](auto zero) { add_type<decltype(zero)>(type, settings, (size_t)1 << lg); });
  add_small(settings);
}
