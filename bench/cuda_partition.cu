// SPDX-License-Identifier: Apache-2.0
//
// Partition, select and multisplit in device memory, beside CUB's partition (into one array, with the
// rejected elements in reverse order), Thrust's stable partition into two arrays, and a pass of CUB's radix
// sort over the bits of the bucket id.
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/execution_policy.h>
#include <thrust/partition.h>
#include "cuda.h"

static size_t *selected() { return (size_t *)gpu.result; } // the number of elements in front

struct flag_to {
  uint8_t *p;
  bench_spread spread;
  size_t n;
  uint32_t pivot;
  __device__ void operator()(size_t i) const { p[i] = bench_draw(spread, i, n) < pivot; }
};

template <class T> struct less_than {
  T pivot;
  __host__ __device__ bool operator()(T x) const { return x < pivot; }
};

template <class T> static void prepare(const bench_part &part, size_t n)
{
  cuda_samples<T>(part.spread, n);
  CHECK(cudaMemsetAsync(gpu.out, 0, n * sizeof(T), gpu.stream));
  CHECK(cudaMemsetAsync(gpu.rest, 0, n * sizeof(T), gpu.stream));
  const std::string wanted = std::to_string(part.spread) + ' ' + std::to_string(part.percent) + ' '
                             + std::to_string(n);
  if (part.family != "select_flags" || gpu.flagged == wanted) return;
  gpu.flagged = wanted;
  const flag_to body = { gpu.flags, part.spread, n, bench_pivot(part.percent) };
  loop_over<<<LOOP_BLOCKS, LOOP_THREADS, 0, gpu.stream>>>(n, body);
}

// The digest of the selected elements, then the others, in the order of the input.
enum layout { ONE_ARRAY, REVERSED, TWO_ARRAYS, FRONT_ONLY };
template <class T> static uint64_t digest(layout of, size_t n)
{
  const T *const front = (const T *)gpu.out, *const rest = of == TWO_ARRAYS ? (const T *)gpu.rest : nullptr;
  size_t count;
  CHECK(cudaMemcpy(&count, selected(), sizeof count, cudaMemcpyDeviceToHost));
  const uint64_t sum = cuda_digest(front, count, 0);
  if (of == FRONT_ONLY) return sum + count;
  return sum + cuda_digest(rest ? rest : front + count, n - count, count, of == REVERSED);
}

template <class T> static void add_case(const bench_part &part, size_t n)
{
  const std::string family = part.family;
  const bool select = !family.compare(0, 6, "select"), by_flags = family == "select_flags";
  const bool two = family == "partition_two";
  const size_t bytes = n * sizeof(T) + (select ? n * part.percent / 100 : n) * sizeof(T) + by_flags * n;
  const T *const x = (const T *)gpu.samples;
  T *const y = (T *)gpu.out, *const z = (T *)gpu.rest;
  const T pivot = bench_value<T>(bench_pivot(part.percent), 0);
  const less_than<T> less = { pivot };
  auto add = [&](const char *who, layout of, auto run) {
    add_cuda_checked({ part.what(), part.type, who, n, bytes }, [=] { prepare<T>(part, n); }, run,
                     [=] { return digest<T>(of, n); });
  };
  add("isowarp", select ? FRONT_ONLY : two ? TWO_ARRAYS : ONE_ARRAY, [=] {
    iw_test test = {};
    test.size = sizeof test;
    test.type = bench_type<T>::type;
    iw_move_options options = {};
    options.size = sizeof options;
    options.rest = two ? z : nullptr;
    test.compare = IW_LESS;
    if (by_flags) test.flags = gpu.flags;
    else test.constant = &pivot;
    if (select) MUST(iw_select_if(gpu.context, &test, x, n, y, selected(), NULL));
    else MUST(iw_partition(gpu.context, &test, x, n, y, selected(), &options));
  });
  if (by_flags)
    add("cub", FRONT_ONLY, with_temporary([=](void *t, size_t &b) {
      return cub::DeviceSelect::Flagged(t, b, x, gpu.flags, y, selected(), n, gpu.stream);
    }));
  else if (select)
    add("cub", FRONT_ONLY, with_temporary([=](void *t, size_t &b) {
      return cub::DeviceSelect::If(t, b, x, y, selected(), n, less, gpu.stream);
    }));
  else
    add("cub", REVERSED, with_temporary([=](void *t, size_t &b) {
      return cub::DevicePartition::If(t, b, x, y, selected(), n, less, gpu.stream);
    }));
  if (two) // the call synchronises to return its count
    add("thrust", TWO_ARRAYS, [=] {
      const auto ends = thrust::stable_partition_copy(thrust::cuda::par.on(gpu.stream), x, x + n, y, z, less);
      const size_t count = ends.first - y;
      CHECK(cudaMemcpyAsync(selected(), &count, sizeof count, cudaMemcpyHostToDevice, gpu.stream));
    });
}

// The values of pairs are in gpu.in and go to gpu.rest.
static void add_split(const bench_split &split, size_t n)
{
  const uint32_t *const x = (const uint32_t *)gpu.samples, *const v = (const uint32_t *)gpu.in;
  uint32_t *const y = (uint32_t *)gpu.out, *const w = (uint32_t *)gpu.rest;
  size_t *const offsets = (size_t *)gpu.result + 2;
  const int bits = (int)split.bits();
  const auto prepare = [=] {
    cuda_samples<uint32_t>(split.spread, n);
    CHECK(cudaMemsetAsync(y, 0, 4 * n, gpu.stream));
    CHECK(cudaMemsetAsync(w, 0, 4 * n, gpu.stream));
  };
  const auto digest = [=] { return cuda_digest(y, n, 0) + (split.pairs() ? cuda_digest(w, n, n) : 0); };
  cuda_checked c = { split.what(), "u32", "isowarp", n, split.bytes(n) };
  iw_buckets buckets = {};
  buckets.size = sizeof buckets;
  buckets.type = IW_U32;
  static std::list<iw_histogram_spec> specs; // iw_buckets.bins points to them
  if (split.bins()) {
    specs.push_back(iw_spec_of_plan(bench_plan(gpu.context, split.what(), bench_spec(split), nullptr, 0)));
    buckets.bins = &specs.back();
  }
  else buckets.bits = bits, buckets.bit = 32 - bits;
  add_cuda_checked(c, prepare, [=] {
    const iw_payload moved[] = { { sizeof *moved, x, y, NULL, 4 }, { sizeof *moved, v, w, NULL, 4 } };
    iw_move_options options = {};
    options.size = sizeof options;
    options.payloads = moved;
    options.payload_count = 2;
    if (split.pairs()) MUST(iw_multisplit(gpu.context, &buckets, x, n, NULL, offsets, &options));
    else MUST(iw_multisplit(gpu.context, &buckets, x, n, y, offsets, NULL));
  }, digest);
  c.who = "cub";
  if (split.pairs())
    add_cuda_checked(c, prepare, with_temporary([=](void *t, size_t &b) {
      return cub::DeviceRadixSort::SortPairs(t, b, x, y, v, w, n, 32 - bits, 32, gpu.stream);
    }), digest);
  else
    add_cuda_checked(c, prepare, with_temporary([=](void *t, size_t &b) {
      return cub::DeviceRadixSort::SortKeys(t, b, x, y, n, 32 - bits, 32, gpu.stream);
    }), digest);
}

void add_cuda_partitions(const bench_settings &settings)
{
  for (int lg : bench_few(settings, settings.device_sizes)) {
    const size_t n = (size_t)1 << lg;
    const bench_extent extent = bench_extent_of(settings, settings.device_sizes, lg);
    for (const bench_part &part : bench_partitions(extent))
      if (part.type == "f32") add_case<float>(part, n);
      else add_case<uint64_t>(part, n);
    for (const bench_split &split : bench_splits(extent)) add_split(split, n);
  }
}
