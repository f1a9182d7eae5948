/* SPDX-License-Identifier: Apache-2.0
 *
 * Stable sorts on this machine's GPU beside CUB's DeviceRadixSort: keys of u32, f32 and u64, and pairs of u32. The sorted keys are
 * compared; 10^9 keys/s. Then the largest keys with their indices (iw_top_k) beside CUB's maximum, which reads all keys, and its sort; ms.
 * bench/sort.sh builds and runs it. Times are medians of 21 runs between two events; one line per case.
 * usage: sort [LOG2_N...]   28, 24, 20 and 16 unless given
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <isowarp/top_k.h>

#include "gpu_time.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

/* Random keys; floats are finite, as CUB orders NaNs by their bits. */
template <class T> static std::vector<T> random_keys(size_t n)
{
  std::vector<T> keys(n);
  for (size_t i = 0; i < n; i++) {
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    keys[i] = std::is_floating_point<T>::value ? (T)(double)(int64_t)(z ^ z >> 31) : (T)(z ^ z >> 31);
  }
  return keys;
}

template <class T> static void one_case(iw_context *context, iw_type type, size_t n, bool pairs)
{
  const std::vector<T> keys = random_keys<T>(n);
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
  const double ours = median_ms([&] { FINE(iw_sort_payloads(context, type, in, out, n, &payload, pairs, NULL)); });
  const auto cub = [&](void *memory) {
    FINE(pairs ? cub::DeviceRadixSort::SortPairs(memory, bytes, in, right, values, moved, n, 0, (int)sizeof(T) * 8, stream)
               : cub::DeviceRadixSort::SortKeys(memory, bytes, in, right, n, 0, (int)sizeof(T) * 8, stream));
  };
  cub(NULL);
  FINE(cudaMalloc(&scratch, bytes + 1));
  const double theirs = median_ms([&] { cub(scratch); });
  std::vector<T> a(n), b(n);
  FINE(cudaMemcpy(a.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost));
  FINE(cudaMemcpy(b.data(), right, n * sizeof(T), cudaMemcpyDeviceToHost));
  printf("%s %s n %zu: isowarp %.3f, CUB %.3f, ratio %.3f%s\n", iw_type_name(type), pairs ? "pairs" : "keys", n, (double)n / ours / 1e6,
         (double)n / theirs / 1e6, theirs / ours, a == b ? "" : ", which DIFFERS");
  for (void *memory : { (void *)in, (void *)out, (void *)right, (void *)values, (void *)moved, scratch }) FINE(cudaFree(memory));
}

/* The k largest with their indices, beside the read of all keys by CUB's reduction and a sort of the keys by CUB. */
template <class T> static void top_k_case(iw_context *context, iw_type type, size_t n, size_t k)
{
  const std::vector<T> keys = random_keys<T>(n);
  T *in, *out, *right;
  uint32_t *indices;
  void *scratch;
  size_t reduce_bytes = 0, sort_bytes = 0;
  FINE(cudaMalloc(&in, n * sizeof(T)));
  FINE(cudaMalloc(&out, k * sizeof(T)));
  FINE(cudaMalloc(&right, n * sizeof(T)));
  FINE(cudaMalloc(&indices, k * 4));
  FINE(cudaMemcpy(in, keys.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  const double ours = median_ms([&] { FINE(iw_top_k(context, type, in, n, k, IW_LARGEST, out, IW_U32, indices)); });
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
  printf("%s top %zu n %zu: isowarp %.3f ms, CUB's maximum %.3f ms (ratio %.3f), CUB's sort %.3f ms (ratio %.1f)%s\n", iw_type_name(type),
         k, n, ours, read, read / ours, sorted, sorted / ours, a == b ? "" : ", which DIFFERS");
  const double median = median_ms([&] { FINE(iw_median(context, type, in, n, out, NULL)); });
  if (k == 1) printf("%s median n %zu: isowarp %.3f ms\n", iw_type_name(type), n, median);
  for (void *memory : { (void *)in, (void *)out, (void *)right, (void *)indices, scratch }) FINE(cudaFree(memory));
}

int main(int argc, char **argv)
{
  std::vector<int> sizes = { 28, 24, 20, 16 };
  if (argc > 1) sizes.clear();
  for (int i = 1; i < argc; i++) sizes.push_back(atoi(argv[i]));
  iw_context_options options = {};
  options.size = sizeof options;
  options.backend = IW_BACKEND_CUDA;
  iw_context *context;
  FINE(iw_context_open(&context, &options));
  FINE(cudaStreamCreate(&stream));
  FINE(iw_context_set_stream(context, stream));
  for (int log2_n : sizes) {
    const size_t n = (size_t)1 << log2_n;
    one_case<uint32_t>(context, IW_U32, n, false);
    one_case<uint32_t>(context, IW_U32, n, true);
    one_case<float>(context, IW_F32, n, false);
    one_case<uint64_t>(context, IW_U64, n, false);
    for (size_t k : { (size_t)1, (size_t)100, (size_t)4096 }) {
      top_k_case<uint32_t>(context, IW_U32, n, k);
      top_k_case<float>(context, IW_F32, n, k);
    }
  }
  iw_context_close(context);
}
