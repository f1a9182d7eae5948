// SPDX-License-Identifier: Apache-2.0
//
// Histograms in device memory, with a plan that is made once, beside CUB's with 32-bit counters, its
// fastest. CUB computes a float's bin by a formula and does not compare with edges; its benchmarks count
// the samples that it puts in another bin.
#include <cub/device/device_histogram.cuh>
#include "cuda.h"

// The number of the n samples in gpu.samples that CUB has put in another bin, computed once per benchmark.
static double misplaced(const std::string &name, const bench_bins &bins, size_t n)
{
  static std::map<std::string, double> found;
  auto at = found.find(name);
  if (at != found.end()) return at->second;
  std::vector<uint32_t> theirs(bins.bins);
  std::vector<uint64_t> ours(bins.bins);
  CHECK(cudaMemcpy(theirs.data(), gpu.out, 4 * bins.bins, cudaMemcpyDeviceToHost));
  MUST(iw_histogram(gpu.context, bench_spec(bins), gpu.samples, n, ours.data(), nullptr));
  double more = 0, less = 0;
  for (size_t k = 0; k < bins.bins; k++)
    (theirs[k] > ours[k] ? more : less) += std::abs((double)theirs[k] - (double)ours[k]);
  return found[name] = std::max(more, less);
}

template <class T> static const T *samples_of(const bench_bins &bins, size_t n)
{
  return cuda_samples<T>(bins.spread, n, bins.spread == BENCH_EDGES ? bins.bins : 0);
}

template <class T> static void add_ours(const bench_bins &bins, size_t n, iw_strategy strategy)
{
  const std::string who = std::string("isowarp")
                          + (strategy ? std::string(":") + iw_strategy_name(strategy) : "");
  const cuda_checked c = { bins.what(), bins.type, who, n, n * sizeof(T) };
  const iw_histogram_spec *const spec = bench_spec(bins);
  const iw_histogram_plan **const plan = new const iw_histogram_plan *();
  add_cuda_checked(c, [=] {
    const T *const x = samples_of<T>(bins, n);
    *plan = bench_plan(gpu.context, c.name(), spec, x, n);
    CHECK(cudaMemsetAsync(gpu.out, 0xff, 8 * bins.bins, gpu.stream));
  }, [=] {
    MUST(bench_histogram(gpu.context, *plan, strategy, gpu.samples, n, gpu.out));
  }, [=] { return cuda_digest((const uint64_t *)gpu.out, bins.bins, 0); });
}

static void add_case(const bench_bins &bins, size_t n)
{
  const int levels = (int)bins.bins + 1;
  unsigned *const counts = (unsigned *)gpu.out;
  if (bins.type == "f32") {
    add_ours<float>(bins, n, IW_STRATEGY_AUTO);
    const float *const x = (const float *)gpu.samples;
    const std::string name = bench_name(bins.what(), "f32", "cuda", "cub", 0, n);
    add_cuda(
        name, n, 4 * n, [=] { samples_of<float>(bins, n); },
        with_temporary([=](void *t, size_t &b) {
          return cub::DeviceHistogram::HistogramEven(t, b, x, counts, levels, BENCH_LO, BENCH_HI, n,
                                                     gpu.stream);
        }),
        [=](benchmark::State &state) {
          const double count = misplaced(name, bins, n);
          state.counters["misplaced"] = count;
          return bins.spread == BENCH_EDGES || count <= 0.25 * n;
        });
    return;
  }
  add_ours<uint8_t>(bins, n, IW_STRATEGY_AUTO);
  const uint8_t *const x = (const uint8_t *)gpu.samples;
  const cuda_checked c = { bins.what(), "u8", "cub", n, n };
  const auto prepare = [=] { cuda_samples<uint8_t>(bins.spread, n); };
  const auto digest = [=] { return cuda_digest(counts, bins.bins, 0); };
  if (bins.bins == 7) { // letters, four a bin
    static int *edges;
    if (!edges) {
      const int of[] = { 'a', 'e', 'i', 'm', 'q', 'u', 'y', 'z' + 1 };
      CHECK(cudaMalloc(&edges, sizeof of));
      CHECK(cudaMemcpy(edges, of, sizeof of, cudaMemcpyHostToDevice));
    }
    add_cuda_checked(c, prepare, with_temporary([=](void *t, size_t &b) {
      return cub::DeviceHistogram::HistogramRange(t, b, x, counts, levels, edges, n, gpu.stream);
    }), digest);
  } else {
    add_cuda_checked(c, prepare, with_temporary([=](void *t, size_t &b) {
      return cub::DeviceHistogram::HistogramEven(t, b, x, counts, levels, 0, 256, n, gpu.stream);
    }), digest);
  }
}

void add_cuda_histograms(const bench_settings &settings)
{
  const std::vector<int> &sizes = settings.device_sizes;
  for (int lg : bench_few(settings, sizes))
    for (const bench_bins &bins : bench_histograms(bench_extent_of(settings, sizes, lg), true))
      add_case(bins, (size_t)1 << lg);
  // The strategies side by side, at one n. Those that run on one thread or one warp are too slow on a GPU.
  for (int lg : sizes)
    if (lg >= 20 || lg == sizes.back()) {
      for (bench_spread spread : { BENCH_UNIFORM, BENCH_SAME })
        for (int s = IW_STRATEGY_BASIC; iw_strategy_name((iw_strategy)s) && s != IW_STRATEGY_DIRECT; s++)
          add_ours<float>({ "f32", 256, spread }, (size_t)1 << lg, (iw_strategy)s);
      break;
    }
}
