/* SPDX-License-Identifier: Apache-2.0
 *
 * Stable sorts on this machine's GPU beside CUB's DeviceRadixSort: keys of u32, f32 and u64, pairs of u32,
 * and keys of few bits; of at least 2^20 keys also in segments by offsets and in rows, beside CUB's
 * DeviceSegmentedSort; and merges of two halves beside CUB's DeviceMerge. The sorted keys are compared;
 * 10^9 keys/s. Then the largest keys with their indices (iw_top_k) beside CUB's maximum, which reads all
 * keys, and its sort; ms. bench/sort.sh builds and runs it. Times are medians of 21 runs between two
 * events; one line per case.
 * usage: sort [top-k | merge] [LOG2_N...]   28, 24, 20, 16, 12 and 10 unless given; merge: only merges; top-k: only the largest keys, of
 *                                           random, ascending, descending and equal keys
 */
#include <cub/device/device_merge.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <isowarp.h>

#include "gpu_time.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

static uint64_t random_bits(uint64_t i)
{
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* Random keys, integers of so many bits; floats are finite, as CUB orders NaNs by their bits. */
template <class T> static std::vector<T> random_keys(size_t n, unsigned bits)
{
  std::vector<T> keys(n);
  for (size_t i = 0; i < n; i++) {
    const uint64_t z = random_bits(i);
    keys[i] = std::is_floating_point<T>::value ? (T)(double)(int64_t)z : (T)(bits < 8 * sizeof(T) ? z >> (64 - bits) : z);
  }
  return keys;
}

template <class T> static void report(iw_type type, const char *what, size_t n, double ours, double theirs, const T *out, const T *right)
{
  std::vector<T> a(n), b(n);
  FINE(cudaMemcpy(a.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost));
  FINE(cudaMemcpy(b.data(), right, n * sizeof(T), cudaMemcpyDeviceToHost));
  printf("%s %s n %zu: isowarp %.3f, CUB %.3f, ratio %.3f%s\n", iw_type_name(type), what, n, (double)n / ours / 1e6,
         (double)n / theirs / 1e6, theirs / ours, a == b ? "" : ", which DIFFERS");
}

/* bits: of random integers, of which CUB is not told. */
template <class T> static void one_case(iw_context *context, iw_type type, size_t n, bool pairs, unsigned bits = 64)
{
  const std::vector<T> keys = random_keys<T>(n, bits);
  T *in, *out, *right;
  uint32_t *values, *moved;
  void *scratch;
  size_t bytes = 0;
  FINE(cudaMalloc(&in, n * sizeof(T)));
  FINE(cudaMalloc(&out, n * sizeof(T)));
  FINE(cudaMalloc(&right, n * sizeof(T)));
  FINE(cudaMalloc(&values, n * 4));
  FINE(cudaMalloc(&moved, n * 4));
  FINE(cudaMemset(values, 1, n * 4));
  FINE(cudaMemcpy(in, keys.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  iw_payload payload = { sizeof payload, values, moved, NULL, 4 };
  iw_sort_options options = {};
  options.size = sizeof options;
  options.payloads = &payload;
  options.payload_count = pairs;
  const double ours = median_ms([&] { FINE(iw_sort(context, type, in, n, out, &options)); });
  const auto cub = [&](void *memory) {
    FINE(pairs ? cub::DeviceRadixSort::SortPairs(memory, bytes, in, right, values, moved, n, 0, (int)sizeof(T) * 8, stream)
               : cub::DeviceRadixSort::SortKeys(memory, bytes, in, right, n, 0, (int)sizeof(T) * 8, stream));
  };
  cub(NULL);
  FINE(cudaMalloc(&scratch, bytes + 1));
  const double theirs = median_ms([&] { cub(scratch); });
  char what[40];
  snprintf(what, sizeof what, bits < 8 * sizeof(T) ? "%s of %u bits" : "%s", pairs ? "pairs" : "keys", bits);
  report(type, what, n, ours, theirs, out, right);
  for (void *memory : { (void *)in, (void *)out, (void *)right, (void *)values, (void *)moved, scratch }) FINE(cudaFree(memory));
}

/* Segments of 0 … 2 * mean elements, or rows of mean elements. Values are moved too if pairs. */
template <class T> static void segments_case(iw_context *context, iw_type type, size_t n, size_t mean, bool rows, bool pairs)
{
  std::vector<uint32_t> offsets(1, 0);
  n -= rows ? n % mean : 0;
  while (offsets.back() < n) {
    const uint64_t length = rows ? mean : random_bits(offsets.size()) % (2 * mean + 1);
    offsets.push_back((uint32_t)std::min<uint64_t>(n, offsets.back() + length));
  }
  const std::vector<T> keys = random_keys<T>(n, 64);
  const size_t count = offsets.size() - 1;
  T *in, *out, *right;
  uint32_t *there, *values, *moved;
  void *scratch;
  size_t bytes = 0;
  FINE(cudaMalloc(&in, n * sizeof(T)));
  FINE(cudaMalloc(&out, n * sizeof(T)));
  FINE(cudaMalloc(&right, n * sizeof(T)));
  FINE(cudaMalloc(&there, offsets.size() * 4));
  FINE(cudaMalloc(&values, n * 4));
  FINE(cudaMalloc(&moved, n * 4));
  FINE(cudaMemset(values, 1, n * 4));
  FINE(cudaMemcpy(in, keys.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  FINE(cudaMemcpy(there, offsets.data(), offsets.size() * 4, cudaMemcpyHostToDevice));
  iw_segments segments = {};
  segments.size = sizeof segments;
  segments.kind = rows ? IW_SEGMENTS_ROWS : IW_SEGMENTS_OFFSETS;
  segments.columns = rows ? mean : 0;
  segments.offsets = rows ? NULL : there;
  segments.offset_type = IW_U32;
  segments.count = rows ? 0 : count;
  const iw_payload payload = { sizeof payload, values, moved, NULL, 4 };
  iw_sort_options options = {};
  options.size = sizeof options;
  options.segments = &segments;
  options.payloads = &payload;
  options.payload_count = pairs;
  const double ours = median_ms([&] { FINE(iw_sort(context, type, in, n, out, &options)); });
  const auto cub = [&](void *memory) {
    FINE(pairs ? cub::DeviceSegmentedSort::StableSortPairs(memory, bytes, in, right, values, moved, n, count, there, there + 1, stream)
               : cub::DeviceSegmentedSort::StableSortKeys(memory, bytes, in, right, n, count, there, there + 1, stream));
  };
  cub(NULL);
  FINE(cudaMalloc(&scratch, bytes + 1));
  const double theirs = median_ms([&] { cub(scratch); });
  char what[60];
  snprintf(what, sizeof what, "%s, %s %zu,", pairs ? "pairs" : "keys", rows ? "rows of" : "segments of mean", mean);
  report(type, what, n, ours, theirs, out, right);
  for (void *memory : { (void *)in, (void *)out, (void *)right, (void *)there, (void *)values, (void *)moved, scratch }) FINE(cudaFree(memory));
}

enum input { RANDOM, ASCENDING, DESCENDING, EQUAL, INPUTS };
static const char *const input_names[] = { "random", "ascending", "descending", "equal" };

/* The k largest with their indices, beside the read of all keys by CUB's reduction and a sort of the keys
 * by CUB. */
template <class T> static void top_k_case(iw_context *context, iw_type type, size_t n, size_t k, int input = RANDOM)
{
  std::vector<T> keys(n);
  if (input == RANDOM || input == EQUAL) keys = random_keys<T>(input == EQUAL ? 1 : n, 64);
  keys.resize(n, keys[0]);
  for (size_t i = 0; i < n && (input == ASCENDING || input == DESCENDING); i++) keys[i] = (T)(input == ASCENDING ? i : n - i);
  T *in, *out, *right;
  uint32_t *indices;
  void *scratch;
  size_t reduce_bytes = 0, sort_bytes = 0;
  FINE(cudaMalloc(&in, n * sizeof(T)));
  FINE(cudaMalloc(&out, k * sizeof(T)));
  FINE(cudaMalloc(&right, n * sizeof(T)));
  FINE(cudaMalloc(&indices, k * 4));
  FINE(cudaMemcpy(in, keys.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  const iw_payload permutation = { sizeof permutation, NULL, indices, NULL, 4 };
  iw_sort_options options = {};
  options.size = sizeof options;
  options.descending = 1;
  options.payloads = &permutation;
  options.payload_count = 1;
  const double ours = median_ms([&] { FINE(iw_top_k(context, type, in, n, k, out, &options)); });
  const auto reduce = [&](void *memory) { FINE(cub::DeviceReduce::Max(memory, reduce_bytes, in, right, n, stream)); };
  const auto sort = [&](void *memory) {
    FINE(cub::DeviceRadixSort::SortKeysDescending(memory, sort_bytes, in, right, n, 0, (int)sizeof(T) * 8, stream));
  };
  reduce(NULL);
  sort(NULL);
  FINE(cudaMalloc(&scratch, std::max(reduce_bytes, sort_bytes) + 1));
  const double read = median_ms([&] { reduce(scratch); }), sorted = median_ms([&] { sort(scratch); });
  std::vector<T> a(k), b(k);
  FINE(cudaMemcpy(a.data(), out, k * sizeof(T), cudaMemcpyDeviceToHost));
  FINE(cudaMemcpy(b.data(), right, k * sizeof(T), cudaMemcpyDeviceToHost));
  printf("%s top %zu of %zu %s: isowarp %.3f ms, CUB's maximum %.3f ms (ratio %.3f), CUB's sort %.3f ms (ratio %.1f)%s\n", iw_type_name(type),
         k, n, input_names[input], ours, read, read / ours, sorted, sorted / ours, a == b ? "" : ", which DIFFERS");
  if (k == 1) {
    const double median = median_ms([&] { FINE(iw_median(context, type, in, n, out, NULL)); });
    printf("%s median of %zu %s: isowarp %.3f ms\n", iw_type_name(type), n, input_names[input], median);
  }
  for (void *memory : { (void *)in, (void *)out, (void *)right, (void *)indices, scratch }) FINE(cudaFree(memory));
}

/* Merges two sorted halves. */
template <class T> static void merge_case(iw_context *context, iw_type type, size_t n)
{
  std::vector<T> keys = random_keys<T>(n, 64);
  const size_t half = n / 2;
  std::sort(keys.begin(), keys.begin() + (ptrdiff_t)half);
  std::sort(keys.begin() + (ptrdiff_t)half, keys.end());
  T *in, *out, *right;
  void *scratch;
  size_t bytes = 0;
  FINE(cudaMalloc((void **)&in, n * sizeof(T)));
  FINE(cudaMalloc((void **)&out, n * sizeof(T)));
  FINE(cudaMalloc((void **)&right, n * sizeof(T)));
  FINE(cudaMemcpy(in, keys.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  FINE(cub::DeviceMerge::MergeKeys(nullptr, bytes, in, (int64_t)half, in + half, (int64_t)(n - half), right));
  FINE(cudaMalloc(&scratch, bytes));
  const double ours = median_ms([&] { FINE(iw_merge(context, type, iw_elements{ in, half }, iw_elements{ in + half, n - half }, out, iw_indices{ NULL, 4 }, NULL)); });
  const double theirs = median_ms([&] {
    FINE(cub::DeviceMerge::MergeKeys(scratch, bytes, in, (int64_t)half, in + half, (int64_t)(n - half), right, {}, stream));
  });
  report(type, "merge", n, ours, theirs, out, right);
  for (void *memory : { (void *)in, (void *)out, (void *)right, scratch }) FINE(cudaFree(memory));
}

int main(int argc, char **argv)
{
  std::vector<int> sizes = { 28, 24, 20, 16, 12, 10 };
  const bool only_top_k = argc > 1 && !strcmp(argv[1], "top-k"), only_merge = argc > 1 && !strcmp(argv[1], "merge");
  const int first_size = 1 + (only_top_k || only_merge);
  if (argc > first_size) sizes.clear();
  for (int i = first_size; i < argc; i++) sizes.push_back(atoi(argv[i]));
  iw_context_options options = {};
  options.size = sizeof options;
  options.backend = IW_BACKEND_CUDA;
  iw_context *context;
  FINE(iw_context_open(&context, &options));
  FINE(cudaStreamCreate(&stream));
  FINE(iw_context_set_stream(context, stream));
  for (int log2_n : sizes) {
    const size_t n = (size_t)1 << log2_n;
    if (!only_top_k) {
      merge_case<uint32_t>(context, IW_U32, n);
      merge_case<uint64_t>(context, IW_U64, n);
      merge_case<float>(context, IW_F32, n);
    }
    if (only_merge) continue;
    for (size_t k : { (size_t)1, (size_t)100, (size_t)4096, n / 64 }) {
      if (k > n || !k) continue;
      for (int input = RANDOM; input < (only_top_k ? INPUTS : ASCENDING); input++) {
        top_k_case<uint32_t>(context, IW_U32, n, k, input);
        top_k_case<float>(context, IW_F32, n, k, input);
        if (only_top_k) top_k_case<uint64_t>(context, IW_U64, n, k, input);
      }
    }
    if (only_top_k) continue;
    one_case<uint32_t>(context, IW_U32, n, false);
    one_case<uint32_t>(context, IW_U32, n, true);
    one_case<float>(context, IW_F32, n, false);
    one_case<uint64_t>(context, IW_U64, n, false);
    one_case<uint32_t>(context, IW_U32, n, false, 16);
    one_case<uint64_t>(context, IW_U64, n, false, 24);
    for (size_t mean : { 100, 1000 })
      for (int rows = 0; rows < 2 && log2_n >= 20; rows++) {
        segments_case<uint32_t>(context, IW_U32, n, mean, rows, false);
        segments_case<uint32_t>(context, IW_U32, n, mean, rows, true);
        segments_case<uint64_t>(context, IW_U64, n, mean, rows, false);
      }
  }
  iw_context_close(context);
}
