// SPDX-License-Identifier: Apache-2.0
//
// Histograms and partitions beside the plain loop that does the same on one thread, in one run (scan and reduce: make bench).
// Usage: plain [ISA [THREADS]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>
#include <isowarp.h>

static void must(iw_status status)
{
  if (status != IW_OK) { std::fprintf(stderr, "%s\n", iw_message()); std::exit(1); }
}

static double median(int times, const std::function<void()> &run)
{
  std::vector<double> t;
  for (int i = -1; i < times; i++) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (i >= 0) t.push_back(took.count());
  }
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}

int main(int argc, char **argv)
{
  iw_context_options options = {};
  options.size = sizeof options;
  options.backend = IW_BACKEND_CPU;
  options.isa = argc > 1 ? argv[1] : nullptr;
  options.threads = argc > 2 ? (unsigned)std::atoi(argv[2]) : 0;
  iw_context *c;
  must(iw_context_open(&c, &options));
  iw_context_info info = {};
  info.size = sizeof info;
  must(iw_context_get_info(c, &info));
  std::printf("%s, %u threads; times the plain loop\n", info.isa, info.threads);
  for (int lg : { 20, 24, 26 }) {
    const size_t n = (size_t)1 << lg;
    const int times = lg == 20 ? 31 : 7;
    std::vector<float> x(n), out(n), other(n);
    std::vector<uint8_t> bytes(n), flags(n);
    std::vector<uint64_t> counts(65536 + 2), plain(65536 + 2);
    std::vector<size_t> offsets(257);
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      x[i] = (float)(state >> 40) * (1.0f / 16777216.0f);
      bytes[i] = (uint8_t)(state >> 33);
      flags[i] = state >> 45 & 1;
    }
    const float lo = 0.1f, hi = 0.9f, pivot = 0.5f;
    size_t count;
    auto line = [&](const char *name, double ours, double loop) {
      std::printf("2^%d %-24s %8.3f ms, plain %8.3f ms, %5.2f\n", lg, name, 1e3 * ours, 1e3 * loop, loop / ours);
    };
    for (size_t bins : { 8, 256, 2048, 65536 }) {
      iw_histogram_spec spec = {};
      spec.size = sizeof spec; spec.bins = bins; spec.lo = &lo; spec.hi = &hi;
      std::vector<float> edges(bins + 1);
      must(iw_histogram_edges_any(IW_F32, &spec, edges.data()));
      const float scale = (float)(bins / ((double)hi - lo));
      char name[32];
      std::snprintf(name, sizeof name, "histogram f32, %zu", bins);
      // By the same rule: a guess that comparison corrects.
      line(name, median(times, [&] { must(iw_histogram(c, x.data(), n, &spec, counts.data())); }), median(times, [&] {
        std::fill(plain.begin(), plain.end(), 0);
        for (size_t i = 0; i < n; i++) {
          if (!(x[i] >= lo && x[i] < hi)) continue;
          size_t k = std::min((size_t)((x[i] - lo) * scale), bins - 1);
          while (x[i] < edges[k]) k--;
          while (x[i] >= edges[k + 1]) k++;
          plain[k]++;
        }
      }));
      if (std::memcmp(counts.data(), plain.data(), bins * sizeof counts[0])) std::printf("counts differ\n");
      if (bins != 256) continue;
      line("extract f32", median(times, [&] { must(iw_extract(c, x.data(), n, &spec, 7, out.data(), &count)); }), median(times, [&] {
        size_t k = 0;
        for (size_t i = 0; i < n; i++) if (x[i] >= edges[7] && x[i] < edges[8]) other[k++] = x[i];
      }));
      line("multisplit f32, 256", median(times, [&] { must(iw_multisplit(c, x.data(), n, &spec, out.data(), offsets.data())); }), median(times, [&] {
        auto bin = [&](float v) {
          if (!(v >= lo && v < hi)) return bins;
          size_t k = std::min((size_t)((v - lo) * scale), bins - 1);
          while (v < edges[k]) k--;
          while (v >= edges[k + 1]) k++;
          return k;
        };
        std::vector<size_t> at(bins + 2, 0);
        for (size_t i = 0; i < n; i++) at[bin(x[i]) + 1]++;
        for (size_t k = 0; k <= bins; k++) at[k + 1] += at[k];
        for (size_t i = 0; i < n; i++) other[at[bin(x[i])]++] = x[i];
      }));
      if (std::memcmp(out.data(), other.data(), 4 * n)) std::printf("multisplits differ\n");
    }
    {
      uint16_t map[256];
      for (int b = 0; b < 256; b++) map[b] = b >= 'a' && b <= 'z' ? (uint16_t)((b - 'a') / 4) : IW_MAP_NONE;
      iw_histogram_spec spec = {};
      spec.size = sizeof spec; spec.kind = IW_HISTOGRAM_MAP; spec.bins = 7; spec.map = map;
      line("histogram u8 letters", median(times, [&] { must(iw_histogram(c, bytes.data(), n, &spec, counts.data())); }), median(times, [&] {
        std::fill(plain.begin(), plain.begin() + 8, 0);
        for (size_t i = 0; i < n; i++) if (bytes[i] >= 'a' && bytes[i] <= 'z') plain[(bytes[i] - 'a') / 4]++;
      }));
    }
    line("partition f32", median(times, [&] { must(iw_partition(c, x.data(), n, pivot, out.data(), &count)); }), median(times, [&] {
      size_t k = 0;
      for (size_t i = 0; i < n; i++) if (x[i] < pivot) other[k++] = x[i];
      for (size_t i = 0; i < n; i++) if (!(x[i] < pivot)) other[k++] = x[i];
    }));
    line("select flags f32", median(times, [&] { must(iw_select_flags(c, x.data(), flags.data(), n, out.data(), &count)); }), median(times, [&] {
      size_t k = 0;
      for (size_t i = 0; i < n; i++) if (flags[i]) other[k++] = x[i];
    }));
  }
  iw_context_close(c);
  return 0;
}
