// SPDX-License-Identifier: Apache-2.0
//
// What every bench on the CPU needs. Peers use as many threads as the library does beside them, and all use the same memory.
#ifndef BENCH_CPU_H
#define BENCH_CPU_H
#include <chrono>
#include <cstring>
#include <thread>
#include <omp.h>
#include <tbb/global_control.h>
#include "bench.h"

extern char *cpu_in, *cpu_out; // bench_word of each index; 8 bytes for each element of the largest n

// Pages that nobody has touched yet; huge ones if wanted.
char *cpu_memory(size_t bytes);

// Runs f(first, last) on each of so many threads, with its share of the bytes.
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

// OpenMP's threads look for work for some ms after a region, and would take cores from another runtime's or the plain loop.
void settle(runtime now);

// Times run(), which moves so many bytes, after a call that warms up, if that is not more than caches hold; then correct() says
// whether the result is right.
template <class F, class C> void measure(benchmark::State &state, team team, size_t bytes, F run, C correct)
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

template <class F> void add(const std::string &name, F body)
{
  benchmark::RegisterBenchmark(name.c_str(), body)->UseRealTime();
}

// The n samples of a spread, made when they are first asked for, and kept.
template <class T> const T *samples(bench_spread spread, size_t n, size_t bins = 0)
{
  // Only sorted ones depend on n.
  static std::map<std::string, std::pair<T *, size_t>> kept;
  auto &array = kept[bench_spread_name(spread) + std::to_string(spread == BENCH_SORTED ? n : bins)];
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

// A benchmark whose result has a digest: ready() makes its inputs, and gives what is timed.
struct checked {
  std::string what, type, who;
  team by;
  size_t n, bytes;
  std::string name() const { return bench_name(what, type, "cpu", who, by.threads, n); }
};
void add_checked(const checked &benchmark, std::function<std::function<void()>()> ready, std::function<uint64_t()> digest);

// Of n elements that stand from a place on.
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

// Thread counts of histograms and partitions: one thread only for a family's first case, or where nothing else is asked for.
std::vector<int> teams_of(const bench_settings &settings, bool first);

void add_scans(const bench_settings &settings);
void add_histograms(const bench_settings &settings);
void add_partitions(const bench_settings &settings);
#endif
