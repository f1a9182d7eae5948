// SPDX-License-Identifier: Apache-2.0
//
// isowarp on CPUs beside what a program would use instead: loops with OpenMP, the standard library, oneTBB,
// Boost.Sort and Highway's vqsort, as far as they are installed. bench/peers.sh builds and runs it. Each
// row is a call; its candidates run in turn, in batches behind a pause in which all threads fall asleep,
// and results have to be equal but for float sums.
//
// usage: peers [--numpy=FILE] [THREADS [LOG2_N...]]; FILE has lines ROW,LOG2_N,SECONDS of NumPy.
#include <isowarp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <omp.h>
#include <string>
#include <thread>
#include <vector>
#ifdef BENCH_TBB
#include <execution>
#include <numeric>
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#endif
#ifdef BENCH_BOOST
#include <boost/sort/sort.hpp>
#endif
#ifdef BENCH_VQSORT
#include <hwy/contrib/sort/vqsort.h>
#endif

static unsigned threads = 1;
static const char *numpy_file;

static void must(iw_status status)
{
  if (status == IW_OK)
    return;
  std::fprintf(stderr, "%s\n", iw_message());
  std::exit(1);
}

static double now()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static uint64_t random_word(uint64_t i)
{
  uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

// ---- Rows -----------------------------------------------------------------------------------------------

struct candidate {
  std::string name;
  std::function<void()> call;
  std::function<void()> before = [] {}; // restores the input of a call in place; not timed
  std::vector<double> times = {};
};

static double median(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

static void run_batch(candidate &c)
{
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  std::vector<double> times;
  for (int warm = 0; warm < 3; warm++) {
    c.before();
    c.call();
  }
  for (const double start = now(); times.size() < 3 || (now() - start < 5e-3 && times.size() < 100);) {
    c.before();
    const double begin = now();
    c.call();
    times.push_back(now() - begin);
  }
  c.times.push_back(median(times));
}

static double numpy_seconds(const std::string &row, int log2_n)
{
  FILE *const file = numpy_file ? std::fopen(numpy_file, "r") : nullptr;
  char name[64];
  int log2_of_line;
  double seconds, found = 0;
  while (file && std::fscanf(file, " %63[^,],%d,%lf", name, &log2_of_line, &seconds) == 3)
    if (row == name && log2_n == log2_of_line)
      found = seconds;
  if (file)
    std::fclose(file);
  return found;
}

// Prints the row. The first candidate is isowarp; is_same tells whether the candidate that ran last has its
// result.
static void row(const char *name, int log2_n, std::vector<candidate> candidates, const std::function<bool()> &is_same)
{
  for (candidate &c : candidates) {
    c.before();
    c.call();
    if (&c != &candidates[0] && !is_same())
      std::printf("%s, 2^%d: %s has another result\n", name, log2_n, c.name.c_str());
  }
  for (int batch = 0; batch < 5; batch++)
    for (candidate &c : candidates)
      run_batch(c);
  const double own = median(candidates[0].times), numpy = numpy_seconds(name, log2_n);
  std::string best = "none";
  double best_time = 0;
  for (size_t i = 1; i < candidates.size(); i++)
    if (best_time == 0 || median(candidates[i].times) < best_time) {
      best = candidates[i].name;
      best_time = median(candidates[i].times);
    }
  if (numpy > 0 && (best_time == 0 || numpy < best_time)) {
    best = "NumPy (one thread)";
    best_time = numpy;
  }
  std::printf("| %s | 2^%d | %.4g | %.4g | %s | %.2f |\n", name, log2_n, own * 1e3, best_time * 1e3, best.c_str(), best_time / own);
  std::fflush(stdout);
}

// ---- Loops ----------------------------------------------------------------------------------------------

// The part of n elements that the calling thread of a parallel region has.
struct part {
  size_t begin, end;
  explicit part(size_t n)
  {
    const size_t id = (size_t)omp_get_thread_num(), count = (size_t)omp_get_num_threads();
    begin = n * id / count;
    end = n * (id + 1) / count;
  }
};

template <class T> static T sum_of(const T *x, size_t begin, size_t end)
{
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = begin; i < end; i++)
    sum += x[i];
  return sum;
}

template <class T> static void scan_part(const T *x, T *out, size_t begin, size_t end, T sum)
{
#pragma omp simd reduction(inscan, + : sum)
  for (size_t i = begin; i < end; i++) {
    sum += x[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
}

// Two passes, in rounds that stay in a cache.
template <class T> static void loop_scan(const T *x, T *out, size_t n)
{
  enum { ROUND = 1 << 15, STRIDE = 64 };
  static T sums[2][1024 * STRIDE];
#pragma omp parallel num_threads(threads)
  {
    const size_t id = (size_t)omp_get_thread_num(), count = (size_t)omp_get_num_threads();
    T before = 0;
    for (size_t at = 0, turn = 0; at < n; at += ROUND * count, turn ^= 1) {
      const part p(std::min(n - at, ROUND * count));
      if (count > 1)
        sums[turn][id * STRIDE] = sum_of(x, at + p.begin, at + p.end);
#pragma omp barrier
      T all = before;
      for (size_t k = 0; k < count; k++) {
        if (k == id)
          scan_part(x, out, at + p.begin, at + p.end, all);
        all += sums[turn][k * STRIDE];
      }
      before = count > 1 ? all : out[at + p.end - 1];
    }
  }
}

template <class T> static T loop_sum(const T *x, size_t n)
{
  T sum = 0;
#pragma omp parallel for simd reduction(+ : sum) num_threads(threads)
  for (size_t i = 0; i < n; i++)
    sum += x[i];
  return sum;
}

static size_t split(const float *a, const float *b, size_t half, size_t end)
{
  size_t least = end > half ? end - half : 0, most = std::min(end, half);
  while (least < most) {
    const size_t middle = (least + most) / 2;
    if (a[middle] <= b[end - 1 - middle])
      least = middle + 1;
    else
      most = middle;
  }
  return least;
}

static void loop_merge(const float *a, const float *b, size_t half, float *out)
{
#pragma omp parallel num_threads(threads)
  {
    const part p(2 * half);
    size_t i = split(a, b, half, p.begin), j = p.begin - i, to = p.begin;
    const size_t i_end = split(a, b, half, p.end), j_end = p.end - i_end;
    for (; i < i_end && j < j_end; to++) {
      const bool takes_b = b[j] < a[i];
      out[to] = takes_b ? b[j] : a[i];
      i += !takes_b;
      j += takes_b;
    }
    to = (size_t)(std::copy(a + i, a + i_end, out + to) - out);
    std::copy(b + j, b + j_end, out + to);
  }
}

// 32 searches side by side.
static void loop_bounds(const float *sorted, size_t n, const float *values, uint32_t *out, size_t count)
{
  enum { SIDE = 32 };
#pragma omp parallel num_threads(threads)
  {
    const part p(count / SIDE);
    for (size_t block = p.begin; block < p.end; block++) {
      const float *const x = values + block * SIDE;
      uint32_t base[SIDE] = { 0 };
      for (size_t length = n; length > 1;) {
        const uint32_t half = (uint32_t)(length / 2);
        for (int k = 0; k < SIDE; k++)
          base[k] = sorted[base[k] + half - 1] < x[k] ? base[k] + half : base[k];
        length -= half;
      }
      for (int k = 0; k < SIDE; k++)
        out[block * SIDE + k] = base[k] + (sorted[base[k]] < x[k]);
    }
  }
}

static size_t loop_select(const float *x, float *out, size_t n, float below)
{
  static size_t counts[1024];
  size_t total = 0;
#pragma omp parallel num_threads(threads)
  {
    const part p(n);
    const size_t id = (size_t)omp_get_thread_num();
    size_t count = 0;
    for (size_t i = p.begin; i < p.end; i++)
      count += x[i] < below;
    counts[id] = count;
#pragma omp barrier
    size_t to = 0;
    for (size_t k = 0; k < id; k++)
      to += counts[k];
    for (size_t i = p.begin; i < p.end; i++)
      if (x[i] < below)
        out[to++] = x[i];
    if (id + 1 == (size_t)omp_get_num_threads())
      total = to;
  }
  return total;
}

// ---- Calls ----------------------------------------------------------------------------------------------

template <class T> static void sort_row(iw_context *context, const char *name, iw_type type, const std::vector<T> &in, int log2_n)
{
  const size_t n = in.size();
  std::vector<T> own(n), other(n);
  const auto restore = [&] { std::copy(in.begin(), in.end(), other.begin()); };
  std::vector<candidate> candidates = { { "isowarp", [&] { must(iw_sort(context, type, in.data(), n, own.data(), nullptr)); } } };
  candidates.push_back({ "std::sort", [&] { std::sort(other.begin(), other.end()); }, restore });
#ifdef BENCH_TBB
  candidates.push_back({ "tbb::parallel_sort", [&] { tbb::parallel_sort(other.begin(), other.end()); }, restore });
#endif
#ifdef BENCH_BOOST
  candidates.push_back({ "boost::sort::block_indirect_sort",
                         [&] { boost::sort::block_indirect_sort(other.begin(), other.end(), threads); }, restore });
  candidates.push_back({ "boost spreadsort", [&] { boost::sort::spreadsort::spreadsort(other.begin(), other.end()); }, restore });
#endif
#ifdef BENCH_VQSORT
  candidates.push_back({ "vqsort", [&] { hwy::Sorter()(other.data(), n, hwy::SortAscending()); }, restore });
#endif
  row(name, log2_n, candidates, [&] { return std::memcmp(own.data(), other.data(), n * sizeof(T)) == 0; });
}

template <class T> static void scan_rows(iw_context *context, const char *scan, const char *sum, iw_type type, const std::vector<T> &in,
                                         int log2_n)
{
  const size_t n = in.size();
  std::vector<T> own(n), other(n);
  T own_sum = 0, other_sum = 0;
  const auto near = [](T a, T b) { return a == b || std::fabs((double)a - (double)b) <= 1e-3 * std::fabs((double)a); };
  std::vector<candidate> scans = {
    { "isowarp", [&] { must(iw_inclusive_scan(context, IW_SUM, type, in.data(), n, own.data(), nullptr)); } },
    { "omp simd, two passes", [&] { loop_scan(in.data(), other.data(), n); } },
  };
  std::vector<candidate> sums = {
    { "isowarp", [&] { must(iw_reduce(context, IW_SUM, type, in.data(), n, &own_sum, nullptr)); } },
    { "omp simd", [&] { other_sum = loop_sum(in.data(), n); } },
  };
#ifdef BENCH_TBB
  scans.push_back({ "std::inclusive_scan par", [&] { std::inclusive_scan(std::execution::par, in.begin(), in.end(), other.begin()); } });
  sums.push_back({ "std::reduce par_unseq", [&] { other_sum = std::reduce(std::execution::par_unseq, in.begin(), in.end()); } });
#endif
  row(scan, log2_n, scans, [&] { return near(own[n - 1], other[n - 1]) && near(own[n / 2], other[n / 2]); });
  row(sum, log2_n, sums, [&] { return near(own_sum, other_sum); });
}

static void sorted_rows(iw_context *context, const std::vector<float> &in, int log2_n)
{
  const size_t n = in.size(), half = n / 2;
  std::vector<float> halves(in), own(n), other(n), sorted(in);
  std::vector<uint32_t> own_at(n), other_at(n);
  std::sort(halves.begin(), halves.begin() + (ptrdiff_t)half);
  std::sort(halves.begin() + (ptrdiff_t)half, halves.end());
  std::sort(sorted.begin(), sorted.end());
  const float *const a = halves.data(), *const b = a + half;
  std::vector<candidate> merges = {
    { "isowarp", [&] { must(iw_merge(context, IW_F32, { a, half }, { b, half }, own.data(), { nullptr, 0 }, nullptr)); } },
    { "omp merge path", [&] { loop_merge(a, b, half, other.data()); } },
    { "std::merge", [&] { std::merge(a, b, b, b + half, other.begin()); } },
  };
#ifdef BENCH_TBB
  merges.push_back({ "std::merge par", [&] { std::merge(std::execution::par, a, b, b, b + half, other.begin()); } });
#endif
  row("merge f32", log2_n, merges, [&] { return own == other; });
  row("lower bound f32", log2_n, {
    { "isowarp", [&] { must(iw_lower_bound(context, IW_F32, { sorted.data(), n }, { in.data(), n }, iw_indices_u32(own_at.data()), nullptr)); } },
    { "omp, 32 side by side", [&] { loop_bounds(sorted.data(), n, in.data(), other_at.data(), n); } },
  }, [&] { return own_at == other_at; });
  const iw_sort_options descending = [] { iw_sort_options o = {}; o.size = sizeof o; o.descending = 1; return o; }();
  for (const size_t k : { (size_t)100, n / 64 }) {
    std::vector<candidate> tops = {
      { "isowarp", [&] { must(iw_top_k(context, IW_F32, in.data(), n, k, own.data(), &descending)); } },
      { "std::partial_sort_copy", [&] { std::partial_sort_copy(in.begin(), in.end(), other.begin(), other.begin() + (ptrdiff_t)k,
                                                               std::greater<float>()); } },
    };
#ifdef BENCH_VQSORT
    tops.push_back({ "vqsort, whole", [&] { hwy::Sorter()(other.data(), n, hwy::SortDescending()); }, [&] { other = in; } });
#endif
    row(k == 100 ? "top 100 f32" : "top n/64 f32", log2_n, tops, [&] { return std::equal(own.begin(), own.begin() + (ptrdiff_t)k, other.begin()); });
  }
  size_t own_count = 0, other_count = 0;
  const float below = 0.5f;
  iw_test test = {};
  test.size = sizeof test;
  test.type = IW_F32;
  test.compare = IW_LESS;
  test.constant = &below;
  row("select half f32", log2_n, {
    { "isowarp", [&] { must(iw_select_if(context, &test, in.data(), n, own.data(), &own_count, nullptr)); } },
    { "omp, two passes", [&] { other_count = loop_select(in.data(), other.data(), n, below); } },
    { "std::copy_if", [&] { other_count = (size_t)(std::copy_if(in.begin(), in.end(), other.begin(), [](float x) { return x < 0.5f; }) - other.begin()); } },
  }, [&] { return own_count == other_count && std::equal(own.begin(), own.begin() + (ptrdiff_t)own_count, other.begin()); });
}

int main(int argc, char **argv)
{
  int at = 1;
  if (at < argc && !std::strncmp(argv[at], "--numpy=", 8))
    numpy_file = argv[at++] + 8;
  threads = at < argc ? (unsigned)std::atoi(argv[at++]) : std::max(1u, std::thread::hardware_concurrency());
  std::vector<int> sizes;
  for (; at < argc; at++)
    sizes.push_back(std::atoi(argv[at]));
  if (sizes.empty())
    sizes = { 16, 20, 24 };
#ifdef BENCH_TBB
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
#endif
  omp_set_num_threads((int)threads);
  iw_context_options options = {};
  options.size = sizeof options;
  options.backend = IW_BACKEND_CPU;
  options.threads = threads;
  iw_context *context;
  must(iw_context_open(&context, &options));
  iw_context_info info = {};
  info.size = sizeof info;
  must(iw_context_get_info(context, &info));
  std::printf("isowarp %s, %s, %u threads; ms; ratio: the best peer's time through isowarp's\n\n", iw_version(), info.isa, info.threads);
  std::printf("| row | n | isowarp | best peer | its name | ratio |\n|---|---|---|---|---|---|\n");
  for (const int log2_n : sizes) {
    const size_t n = (size_t)1 << log2_n;
    std::vector<float> f32(n);
    std::vector<double> f64(n);
    std::vector<uint32_t> u32(n);
    std::vector<uint64_t> u64(n);
    std::vector<int64_t> i64(n);
    for (size_t i = 0; i < n; i++) {
      u64[i] = random_word(i);
      u32[i] = (uint32_t)u64[i];
      i64[i] = (int64_t)(u64[i] >> 32);
      f32[i] = (float)(u64[i] >> 40) * 0x1p-24f;
      f64[i] = (double)(u64[i] >> 11) * 0x1p-53;
    }
    scan_rows(context, "scan f32", "reduce f32", IW_F32, f32, log2_n);
    scan_rows(context, "scan i64", "reduce i64", IW_I64, i64, log2_n);
    sort_row(context, "sort u32", IW_U32, u32, log2_n);
    sort_row(context, "sort u64", IW_U64, u64, log2_n);
    sort_row(context, "sort f32", IW_F32, f32, log2_n);
    sort_row(context, "sort f64", IW_F64, f64, log2_n);
    sorted_rows(context, f32, log2_n);
  }
  iw_context_close(context);
  std::fflush(stdout);
  return 0;
}
