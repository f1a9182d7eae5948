// SPDX-License-Identifier: Apache-2.0
//
// isowarp on CPUs beside what a program would use instead: loops with OpenMP, the standard library, oneTBB,
// Boost.Sort, Highway's vqsort and x86-simd-sort, as far as they are installed. bench/peers.sh builds and
// runs it. Each row is a call; its candidates run in turn, in batches behind a pause in which all threads
// fall asleep, and results have to be equal but for float sums. A candidate's time is its least one, as
// other programs may use the machine.
//
// usage: peers [--numpy=FILE] [THREADS [LOG2_N...]]; FILE has lines ROW,LOG2_N,SECONDS of NumPy. The
// environment variable ROWS leaves out rows whose names do not have it.
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
#ifdef BENCH_XSS
#define XSS_USE_OPENMP true
#include <x86simdsort-static-incl.h>
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

static double least(const std::vector<double> &values)
{
  return *std::min_element(values.begin(), values.end());
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
  c.times.push_back(least(times));
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

static double least_of_peers(const std::vector<candidate> &candidates)
{
  double time = 1e9;
  for (size_t i = 1; i < candidates.size(); i++)
    time = std::min(time, least(candidates[i].times));
  return time;
}

// Prints the row; peers that are far behind run twice only. The first candidate is isowarp; is_same tells
// whether the candidate that ran last has its
// result.
static void row(const char *name, int log2_n, std::vector<candidate> candidates, const std::function<bool()> &is_same)
{
  const char *const only = std::getenv("ROWS");
  if (only && !std::strstr(name, only))
    return;
  for (candidate &c : candidates) {
    c.before();
    c.call();
    if (&c != &candidates[0] && !is_same())
      std::printf("%s, 2^%d: %s has another result\n", name, log2_n, c.name.c_str());
  }
  for (int batch = 0; batch < 7; batch++)
    for (candidate &c : candidates)
      if (batch < 2 || &c == &candidates[0] || least(c.times) < 3 * least_of_peers(candidates))
        run_batch(c);
  const double own = least(candidates[0].times), numpy = numpy_seconds(name, log2_n);
  std::string best = "none";
  double best_time = 0;
  for (size_t i = 1; i < candidates.size(); i++)
    if (best_time == 0 || least(candidates[i].times) < best_time) {
      best = candidates[i].name;
      best_time = least(candidates[i].times);
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

// Two passes without branches; the last elements of a part with one, as nothing is written behind it.
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
    const size_t last = p.end - std::min<size_t>(p.end - p.begin, 64);
    size_t i = p.begin;
    for (; i < last; i++) {
      out[to] = x[i];
      to += x[i] < below;
    }
    for (; i < p.end; i++)
      if (x[i] < below)
        out[to++] = x[i];
    if (id + 1 == (size_t)omp_get_num_threads())
      total = to;
  }
  return total;
}

static void loop_copy(const float *x, float *out, size_t n)
{
#pragma omp parallel num_threads(threads)
  {
    const part p(n);
    std::memcpy(out + p.begin, x + p.begin, (p.end - p.begin) * sizeof *x);
  }
}

static float min_of(const float *x, size_t begin, size_t end)
{
  float least = x[begin];
#pragma omp simd reduction(min : least)
  for (size_t i = begin; i < end; i++)
    least = x[i] < least ? x[i] : least;
  return least;
}

static float loop_min(const float *x, size_t n)
{
  float least = x[0];
#pragma omp parallel num_threads(threads) reduction(min : least)
  {
    const part p(n);
    least = min_of(x, p.begin, p.end);
  }
  return least;
}

// The minima of blocks, and a search of the best one.
static size_t loop_argmin(const float *x, size_t n)
{
  size_t found = n;
#pragma omp parallel num_threads(threads)
  {
    const part p(n);
    float least = x[p.begin];
    size_t at = p.begin;
    for (size_t begin = p.begin; begin < p.end; begin += 4096) {
      const float value = min_of(x, begin, std::min(begin + 4096, p.end));
      if (value < least) {
        least = value;
        at = begin;
      }
    }
    while (x[at] != least)
      at++;
#pragma omp critical
    if (found == n || x[at] < x[found] || (x[at] == x[found] && at < found))
      found = at;
  }
  return found;
}

// Tables of each thread, four of them if they are small. Samples are in [0, 1), which nothing checks.
template <class T> static void loop_histogram(const T *x, size_t n, unsigned bins, uint64_t *out)
{
  static std::vector<uint32_t> tables;
  const unsigned copies = bins <= 2048 ? 4 : 1;
  const size_t stride = (size_t)bins * copies + 64;
  tables.resize(stride * threads);
#pragma omp parallel num_threads(threads)
  {
    const part p(n);
    const size_t id = (size_t)omp_get_thread_num(), count = (size_t)omp_get_num_threads();
    uint32_t *const table = tables.data() + stride * id;
    std::memset(table, 0, (size_t)bins * copies * sizeof *table);
    int at[256];
    size_t i = p.begin;
    for (; i + 256 <= p.end; i += 256) {
      for (int k = 0; k < 256; k++)
        at[k] = (int)(x[i + k] * (T)bins);
      if (copies == 4)
        for (int k = 0; k < 256; k += 4) {
          table[at[k]]++;
          table[bins + at[k + 1]]++;
          table[2 * bins + at[k + 2]]++;
          table[3 * bins + at[k + 3]]++;
        }
      else
        for (int k = 0; k < 256; k++)
          table[at[k]]++;
    }
    for (; i < p.end; i++)
      table[(int)(x[i] * (T)bins)]++;
#pragma omp barrier
    const part q(bins);
    std::fill(out + q.begin, out + q.end, 0);
    for (size_t k = 0; k < count; k++)
      for (unsigned c = 0; c < copies; c++)
        for (size_t b = q.begin; b < q.end; b++)
          out[b] += tables[stride * k + (size_t)c * bins + b];
  }
}

static void loop_histogram_u8(const uint8_t *x, size_t n, uint64_t *out)
{
  std::fill(out, out + 256, 0);
#pragma omp parallel num_threads(threads)
  {
    const part p(n);
    static thread_local uint32_t tables[8][256];
    std::memset(tables, 0, sizeof tables);
    size_t i = p.begin;
    for (; i + 8 <= p.end; i += 8) {
      uint64_t word;
      std::memcpy(&word, x + i, 8);
      for (int k = 0; k < 8; k++)
        tables[k][word >> 8 * k & 255]++;
    }
    for (; i < p.end; i++)
      tables[0][x[i]]++;
#pragma omp critical
    for (int b = 0; b < 256; b++)
      for (int k = 0; k < 8; k++)
        out[b] += tables[k][b];
  }
}

static void loop_weighted(const float *x, const float *weights, size_t n, unsigned bins, double *out)
{
  std::fill(out, out + bins, 0);
#pragma omp parallel num_threads(threads)
  {
    const part p(n);
    std::vector<double> tables(4 * bins);
    size_t i = p.begin;
    for (; i + 4 <= p.end; i += 4)
      for (unsigned k = 0; k < 4; k++)
        tables[k * bins + (unsigned)(int)(x[i + k] * (float)bins)] += (double)weights[i + k];
    for (; i < p.end; i++)
      tables[(unsigned)(int)(x[i] * (float)bins)] += (double)weights[i];
#pragma omp critical
    for (unsigned b = 0; b < bins; b++)
      for (unsigned k = 0; k < 4; k++)
        out[b] += tables[k * bins + b];
  }
}

// A counting pass, and a scattering one.
static void loop_multisplit(const uint32_t *x, uint32_t *out, size_t n)
{
  static std::vector<size_t> tables;
  tables.resize(threads * 256);
#pragma omp parallel num_threads(threads)
  {
    const part p(n);
    const size_t id = (size_t)omp_get_thread_num(), count = (size_t)omp_get_num_threads();
    uint32_t counts[4][256] = { { 0 } };
    size_t i = p.begin, to[256], sum = 0;
    for (; i + 4 <= p.end; i += 4)
      for (int k = 0; k < 4; k++)
        counts[k][x[i + k] >> 24]++;
    for (; i < p.end; i++)
      counts[0][x[i] >> 24]++;
    for (int b = 0; b < 256; b++)
      tables[id * 256 + b] = (size_t)counts[0][b] + counts[1][b] + counts[2][b] + counts[3][b];
#pragma omp barrier
    for (int b = 0; b < 256; b++)
      for (size_t k = 0; k < count; k++) {
        if (k == id)
          to[b] = sum;
        sum += tables[k * 256 + b];
      }
    for (i = p.begin; i < p.end; i++)
      out[to[x[i] >> 24]++] = x[i];
  }
}

static size_t loop_unique(const uint32_t *x, uint32_t *out, size_t n)
{
  static size_t counts[1024];
  size_t total = 0;
#pragma omp parallel num_threads(threads)
  {
    const part p(n);
    const size_t id = (size_t)omp_get_thread_num(), begin = std::max(p.begin, (size_t)1);
    size_t count = 0, to = 1;
    for (size_t i = begin; i < p.end; i++)
      count += x[i] != x[i - 1];
    counts[id] = count;
#pragma omp barrier
    for (size_t k = 0; k < id; k++)
      to += counts[k];
    if (id == 0)
      out[0] = x[0];
    const size_t last = p.end - std::min<size_t>(p.end - begin, 64);
    size_t i = begin;
    for (; i < last; i++) {
      out[to] = x[i];
      to += x[i] != x[i - 1];
    }
    for (; i < p.end; i++)
      if (x[i] != x[i - 1])
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
#ifdef BENCH_XSS
  candidates.push_back({ "x86-simd-sort", [&] { x86simdsortStatic::qsort(other.data(), n); }, restore });
#endif
  row(name, log2_n, candidates, [&] { return std::memcmp(own.data(), other.data(), n * sizeof(T)) == 0; });
}

// Pairs, and the permutation of floats. Peers of pairs are not stable, so only keys are compared.
static void pair_rows(iw_context *context, const std::vector<uint32_t> &keys, const std::vector<float> &in, int log2_n)
{
  struct pair { uint32_t key, value; };
  const size_t n = keys.size();
  const auto less = [](const pair &a, const pair &b) { return a.key < b.key; };
  std::vector<uint32_t> own(n), own_values(n), other(n), other_values(n);
  std::vector<pair> pairs(n);
  std::vector<uint64_t> packed(n);
  iw_payload payload = {};
  payload.size = sizeof payload;
  payload.in = in.data();
  payload.out = own_values.data();
  payload.width = 4;
  iw_sort_options options = {};
  options.size = sizeof options;
  options.payloads = &payload;
  options.payload_count = 1;
  const auto pack_pairs = [&] {
    for (size_t i = 0; i < n; i++)
      pairs[i] = { keys[i], (uint32_t)i };
  };
  std::vector<candidate> sorts = {
    { "isowarp", [&] { must(iw_sort(context, IW_U32, keys.data(), n, own.data(), &options)); } },
    { "std::sort of structs", [&] { std::sort(pairs.begin(), pairs.end(), less); }, pack_pairs },
  };
#ifdef BENCH_TBB
  sorts.push_back({ "tbb::parallel_sort of structs", [&] { tbb::parallel_sort(pairs.begin(), pairs.end(), less); }, pack_pairs });
#endif
#ifdef BENCH_XSS
  sorts.push_back({ "x86-simd-sort keyvalue", [&] { x86simdsortStatic::keyvalue_qsort(other.data(), other_values.data(), n); },
                    [&] { other = keys; } });
#endif
  row("sort pairs u32+u32", log2_n, sorts, [&] {
    const auto is_key = [](const pair &a, uint32_t key) { return a.key == key; };
    return own == other || std::equal(pairs.begin(), pairs.end(), own.begin(), is_key);
  });
  // Words of 8 bytes, with the bits of a float that is not negative, and its index.
  const auto packed_sort = [&](const std::function<void()> &sort) {
    return [&, sort] {
#pragma omp parallel for simd num_threads(threads)
      for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        std::memcpy(&bits, &in[i], 4);
        packed[i] = (uint64_t)bits << 32 | i;
      }
      sort();
#pragma omp parallel for simd num_threads(threads)
      for (size_t i = 0; i < n; i++)
        other[i] = (uint32_t)packed[i];
    };
  };
  std::vector<candidate> argsorts = {
    { "isowarp", [&] { must(iw_argsort(context, IW_F32, in.data(), n, iw_indices_u32(own_values.data()), nullptr)); } },
    { "packed u64, std::sort", packed_sort([&] { std::sort(packed.begin(), packed.end()); }) },
  };
#ifdef BENCH_VQSORT
  argsorts.push_back({ "packed u64, vqsort", packed_sort([&] { hwy::Sorter()(packed.data(), n, hwy::SortAscending()); }) });
#endif
#ifdef BENCH_TBB
  argsorts.push_back({ "packed u64, tbb::parallel_sort", packed_sort([&] { tbb::parallel_sort(packed.begin(), packed.end()); }) });
#endif
#ifdef BENCH_XSS
  argsorts.push_back({ "packed u64, x86-simd-sort", packed_sort([&] { x86simdsortStatic::qsort(packed.data(), n); }) });
#endif
  row("argsort f32", log2_n, argsorts, [&] { return own_values == other; });
}

template <class T> static iw_histogram_spec even_bins(iw_type type, unsigned bins, const T *lo, const T *hi, unsigned flags)
{
  iw_histogram_spec spec = {};
  spec.size = sizeof spec;
  spec.type = type;
  spec.kind = IW_HISTOGRAM_EVEN;
  spec.bins = bins;
  spec.lo = lo;
  spec.hi = hi;
  spec.flags = flags;
  return spec;
}

template <class T> static void histogram_row(iw_context *context, const char *name, iw_type type, const std::vector<T> &in,
                                             unsigned bins, int log2_n)
{
  const T lo = 0, hi = 1;
  std::vector<uint64_t> own(bins), other(bins);
  const iw_histogram_spec spec = even_bins(type, bins, &lo, &hi, 0);
  iw_histogram_plan *plan;
  must(iw_histogram_plan_make(context, &spec, nullptr, 0, &plan));
  const iw_histogram_spec of_plan = iw_spec_of_plan(plan);
  row(name, log2_n, {
    { "isowarp", [&] { must(iw_histogram(context, &of_plan, in.data(), in.size(), own.data(), nullptr)); } },
    { "omp tables", [&] { loop_histogram(in.data(), in.size(), bins, other.data()); } },
  }, [&] { return own == other; });
  iw_histogram_plan_free(plan);
}

static void histogram_rows(iw_context *context, const std::vector<float> &f32, const std::vector<double> &f64, int log2_n)
{
  histogram_row(context, "histogram f32 256", IW_F32, f32, 256, log2_n);
  histogram_row(context, "histogram f32 2048", IW_F32, f32, 2048, log2_n);
  histogram_row(context, "histogram f32 65536", IW_F32, f32, 65536, log2_n);
  histogram_row(context, "histogram f64 256", IW_F64, f64, 256, log2_n);
  const size_t n = f32.size();
  std::vector<uint8_t> bytes(n);
  std::vector<float> sums(256), weights(n);
  std::vector<double> other_sums(256);
  std::vector<uint64_t> own(256), other(256);
  for (size_t i = 0; i < n; i++) {
    bytes[i] = (uint8_t)random_word(i);
    weights[i] = (float)(random_word(i + n) >> 40) * 0x1p-24f;
  }
  const uint8_t first = 0, last = 255;
  const float lo = 0, hi = 1;
  const iw_histogram_spec of_bytes = even_bins(IW_U8, 256, &first, &last, IW_HIST_HI_INCLUDED), spec = even_bins(IW_F32, 256, &lo, &hi, 0);
  row("histogram u8 256", log2_n, {
    { "isowarp", [&] { must(iw_histogram(context, &of_bytes, bytes.data(), n, own.data(), nullptr)); } },
    { "omp, 8 tables", [&] { loop_histogram_u8(bytes.data(), n, other.data()); } },
  }, [&] { return own == other; });
  iw_histogram_plan *plan;
  must(iw_histogram_plan_make(context, &spec, nullptr, 0, &plan));
  const iw_histogram_spec of_plan = iw_spec_of_plan(plan);
  iw_histogram_options by_weights = {};
  by_weights.size = sizeof by_weights;
  by_weights.weight_type = IW_F32;
  by_weights.weights = weights.data();
  row("weighted, exact", log2_n, {
    { "isowarp", [&] { must(iw_histogram(context, &of_plan, f32.data(), n, sums.data(), &by_weights)); } },
    { "omp f64 tables, not exact", [&] { loop_weighted(f32.data(), weights.data(), n, 256, other_sums.data()); } },
  }, [&] {
    const auto is_near = [](float a, double b) { return std::fabs((double)a - b) <= 1e-4 * b; };
    return std::equal(sums.begin(), sums.end(), other_sums.begin(), is_near);
  });
  iw_histogram_plan_free(plan);
}

static void other_rows(iw_context *context, const std::vector<float> &in, const std::vector<uint32_t> &words, int log2_n)
{
  const size_t n = in.size();
  std::vector<float> own(n), other(n);
  float own_min = 0, other_min = 0;
  size_t own_at = 0, other_at = 0;
  row("copy f32", log2_n, {
    { "isowarp", [&] { must(iw_memory_copy(context, own.data(), in.data(), n * sizeof(float))); } },
    { "omp memcpy", [&] { loop_copy(in.data(), other.data(), n); } },
  }, [&] { return own == other; });
  row("min f32", log2_n, {
    { "isowarp", [&] { must(iw_reduce(context, IW_MIN, IW_F32, in.data(), n, &own_min, nullptr)); } },
    { "omp simd", [&] { other_min = loop_min(in.data(), n); } },
  }, [&] { return own_min == other_min; });
  row("argmin f32", log2_n, {
    { "isowarp", [&] { must(iw_argmin(context, IW_F32, in.data(), n, &own_at, nullptr, nullptr)); } },
    { "omp, blocks", [&] { other_at = loop_argmin(in.data(), n); } },
  }, [&] { return own_at == other_at; });
  std::vector<uint32_t> own_words(n), other_words(n), runs(n);
  iw_buckets buckets = {};
  buckets.size = sizeof buckets;
  buckets.type = IW_U32;
  buckets.bit = 24;
  buckets.bits = 8;
  size_t offsets[257];
  row("multisplit u32 256", log2_n, {
    { "isowarp", [&] { must(iw_multisplit(context, &buckets, words.data(), n, own_words.data(), offsets, nullptr)); } },
    { "omp counting sort", [&] { loop_multisplit(words.data(), other_words.data(), n); } },
  }, [&] { return own_words == other_words; });
  for (size_t i = 0; i < n; i++)
    runs[i] = (uint32_t)(i / 10);
  row("unique u32, runs of 10", log2_n, {
    { "isowarp", [&] { must(iw_unique(context, IW_U32, runs.data(), n, own_words.data(), &own_at, nullptr)); } },
    { "omp, two passes", [&] { other_at = loop_unique(runs.data(), other_words.data(), n); } },
  }, [&] { return own_at == other_at && std::equal(own_words.begin(), own_words.begin() + (ptrdiff_t)own_at, other_words.begin()); });
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
    { "isowarp", [&] { must(iw_bounds(context, IW_LOWER_BOUND, IW_F32, { sorted.data(), n }, { in.data(), n }, iw_indices_u32(own_at.data()), nullptr)); } },
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
#ifdef BENCH_XSS
    tops.push_back({ "x86-simd-sort partial", [&] { x86simdsortStatic::partial_qsort(other.data(), k, n, false, true); }, [&] { other = in; } });
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
    pair_rows(context, u32, f32, log2_n);
    sorted_rows(context, f32, log2_n);
    histogram_rows(context, f32, f64, log2_n);
    other_rows(context, f32, u32, log2_n);
  }
  iw_context_close(context);
  std::fflush(stdout);
  return 0;
}
