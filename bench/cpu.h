// SPDX-License-Identifier: Apache-2.0
//
// What all CPU benchmarks share. Peers use as many threads as the library, and the same memory.
#ifndef BENCH_CPU_H
#define BENCH_CPU_H
#include <chrono>
#include <cstring>
#include <thread>
#include <omp.h>
#include <tbb/global_control.h>
#include "bench.h"

extern char *cpu_in, *cpu_out; // 8 bytes for each element of the largest n; cpu_in[i] holds bench_word(i)

// Allocates pages that no thread has touched yet, huge ones unless --huge_pages=0. Exits if there is no
// memory.
char *cpu_memory(size_t bytes);

// Runs f(first, last) on each of `threads` threads with its share of the bytes, in whole cache lines.
template <class F> void in_shares(int threads, size_t bytes, F f)
{
  const size_t lines = bytes / 64;
#pragma omp parallel num_threads(threads)
  {
    const size_t t = omp_get_thread_num(), of = omp_get_num_threads();
    f(lines * t / of * 64, lines * (t + 1) / of * 64);
  }
}

iw_context *open_context(const std::string &isa, int threads);

enum runtime { SERIAL, OPENMP, TBB };
struct team { runtime of; int threads; };

// Waits if the previous benchmark used another runtime: OpenMP's threads spin for some milliseconds after a
// region and would take cores from the next benchmark.
void settle(runtime now);

// Times run(), which moves `bytes` bytes. One call before warms the caches unless the data is larger than
// they are. At the end correct() returns whether the result is right.
template <class F, class C> void measure(benchmark::State &state, team team, size_t bytes, F run, C correct)
{
  settle(team.of);
  // Limits the threads of TBB, and of the standard library that is built on it.
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

template <class F> void add(const std::string &name, F body)
{
  benchmark::RegisterBenchmark(name.c_str(), body)->UseRealTime();
}

// The n samples of a spread, made by the first call. Only the sorted ones depend on n; others are a prefix
// of a longer array.
template <class T> const T *samples(bench_spread spread, size_t n, size_t bins = 0)
{
  static std::map<std::string, std::pair<T *, size_t>> cache;
  auto &array = cache[bench_spread_name(spread) + std::to_string(spread == BENCH_SORTED ? n : bins)];
  if (array.second < n) {
    settle(OPENMP);
    std::free(array.first);
    array = { (T *)cpu_memory(n * sizeof(T)), n };
    const float *const edges = bins ? bench_edges(bins).data() : nullptr;
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) array.first[i] = bench_sample<T>(spread, i, n, (const T *)edges, bins);
  }
  return array.first;
}

// A benchmark whose result is checked by its digest.
struct checked {
  std::string what, type, who;
  team by;
  size_t n, bytes;
  std::string name() const { return bench_name(what, type, who, by.threads, n); }
};
// prepare() makes the inputs and returns the function to be timed.
void add_checked(const checked &benchmark, std::function<std::function<void()>()> prepare,
                 std::function<uint64_t()> digest);

// The digest of p[0 … n-1] as elements place … place + n - 1 of a result.
template <class T> uint64_t digest_of(const T *p, size_t n, size_t place)
{
  uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = 0;
    std::memcpy(&bits, p + i, sizeof(T));
    sum += bench_term(bits, place + i);
  }
  return sum;
}

// The thread counts of histograms and partitions. One thread is left out unless it is a family's main case
// or the only count.
std::vector<int> thread_counts(const bench_settings &settings, bool main_case);

void add_scans(const bench_settings &settings);
void add_histograms(const bench_settings &settings);
void add_partitions(const bench_settings &settings);
#endif
