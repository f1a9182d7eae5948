// SPDX-License-Identifier: Apache-2.0
//
// Stable sorts on this machine's CPU beside std::stable_sort, std::sort(par), tbb::parallel_sort and, if
// BENCH_VQSORT is defined, Highway's vqsort; the last three are not stable; from 10^5 elements on also rows
// of 100 and of 1000, beside std::stable_sort of each. bench/sort.sh builds and runs it. Runs are
// interleaved; one line per case: the least ns per element.
// usage: sort [THREADS [N...]]   2; 100, 300, 1000, 10^4, 10^5, 10^6 and 2^24 unless given
#include <isowarp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <random>
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <type_traits>
#include <vector>
#ifdef BENCH_VQSORT
#include <hwy/contrib/sort/vqsort.h>
#endif

#define FINE(call) do { if ((call) != IW_OK) { std::fprintf(stderr, "%s\n", iw_message()); std::exit(1); } } while (0)

static iw_context *open_context(unsigned threads)
{
  iw_context_options options = {};
  options.size = sizeof options;
  options.backend = IW_BACKEND_CPU;
  options.threads = threads;
  iw_context *context;
  FINE(iw_context_open(&context, &options));
  return context;
}

template <class Call> static void keep_least(double &least, Call call)
{
  const auto begin = std::chrono::steady_clock::now();
  call();
  least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

template <class T> static void one_case(iw_type type, size_t n, unsigned threads)
{
  enum { ONE, VQSORT, STABLE, MORE, PAR, TBB, WAYS };
  const int runs = n > 2000000 ? 3 : n > 50000 ? 10 : 200;
  std::vector<T> in(n), out(n), other(n);
  std::mt19937_64 random(5);
  for (T &x : in) x = std::is_floating_point<T>::value ? (T)(double)(int64_t)random() : (T)random();
  iw_context *const one = open_context(1), *const more = open_context(threads);
  double least[WAYS];
  std::fill(least, least + WAYS, 1e9);
  for (int run = 0; run < runs; run++) {
    keep_least(least[ONE], [&] { FINE(iw_sort(one, type, in.data(), n, out.data(), NULL)); });
#ifdef BENCH_VQSORT
    other = in;
    keep_least(least[VQSORT], [&] { hwy::Sorter()(other.data(), n, hwy::SortAscending()); });
#endif
    other = in;
    keep_least(least[STABLE], [&] { std::stable_sort(other.begin(), other.end()); });
    keep_least(least[MORE], [&] { FINE(iw_sort(more, type, in.data(), n, out.data(), NULL)); });
    tbb::global_control most(tbb::global_control::max_allowed_parallelism, threads); // of both that follow
    other = in;
    keep_least(least[PAR], [&] { std::sort(std::execution::par, other.begin(), other.end()); });
    other = in;
    keep_least(least[TBB], [&] { tbb::parallel_sort(other.begin(), other.end()); });
    if (other != out) std::printf("the results DIFFER\n");
  }
  const double scale = 1e9 / (double)n;
  std::printf("%s n %zu: isowarp %.2f, vqsort %.2f, stable_sort %.2f; %u threads: isowarp %.2f, std::sort(par) %.2f, tbb %.2f\n", iw_type_name(type), n,
              least[ONE] * scale, least[VQSORT] < 1e9 ? least[VQSORT] * scale : 0.0, least[STABLE] * scale, threads,
              least[MORE] * scale, least[PAR] * scale, least[TBB] * scale);
  iw_context_close(one);
  iw_context_close(more);
}

template <class T> static void rows_case(iw_type type, size_t n, size_t columns)
{
  n -= n % columns;
  std::vector<T> in(n), out(n), other;
  std::mt19937_64 random(5);
  for (T &x : in) x = (T)random();
  iw_context *const one = open_context(1);
  iw_segments rows = {};
  rows.size = sizeof rows;
  rows.kind = IW_SEGMENTS_ROWS;
  rows.columns = columns;
  iw_sort_options options = {};
  options.size = sizeof options;
  options.segments = &rows;
  double ours = 1e9, theirs = 1e9;
  for (int run = 0; run < 5; run++) {
    keep_least(ours, [&] { FINE(iw_sort(one, type, in.data(), n, out.data(), &options)); });
    other = in;
    keep_least(theirs, [&] { for (size_t at = 0; at < n; at += columns) std::stable_sort(other.begin() + at, other.begin() + at + columns); });
    if (other != out) std::printf("the results DIFFER\n");
  }
  const double scale = 1e9 / (double)n;
  std::printf("%s n %zu, rows of %zu: isowarp %.2f, stable_sort %.2f\n", iw_type_name(type), n, columns, ours * scale, theirs * scale);
  iw_context_close(one);
}

int main(int argc, char **argv)
{
  const unsigned threads = argc > 1 ? (unsigned)std::atoi(argv[1]) : 2;
  std::vector<size_t> sizes = { 100, 300, 1000, 10000, 100000, 1000000, (size_t)1 << 24 };
  if (argc > 2) sizes.clear();
  for (int i = 2; i < argc; i++) sizes.push_back(std::strtoull(argv[i], NULL, 0));
  for (size_t n : sizes) {
    one_case<uint32_t>(IW_U32, n, threads);
    one_case<float>(IW_F32, n, threads);
    one_case<uint64_t>(IW_U64, n, threads);
    for (size_t columns : { 100, 1000 }) {
      if (n < 100000) continue;
      rows_case<uint32_t>(IW_U32, n, columns);
      rows_case<uint64_t>(IW_U64, n, columns);
    }
  }
}
