// SPDX-License-Identifier: Apache-2.0
//
// The cases of histograms and partitions that are measured.
#include "bench.h"

bench_extent bench_extent_of(const bench_settings &settings, int lg)
{
  return settings.all_cases ? BENCH_ALL : lg == settings.sizes.back() ? BENCH_MANY : BENCH_FEW;
}

std::vector<size_t> bench_small_sizes()
{
  std::vector<size_t> sizes = { 1, 2, 3, 5, 8, 13, 17, 31 };
  for (size_t n = 32; n <= 1 << 16; n *= 2) sizes.push_back(n);
  return sizes;
}

// ---- Histograms ---------------------------------------------------------------------------------------

std::string bench_bins::what() const
{
  return "histogram-" + std::to_string(bins) + '-' + bench_spread_name(spread);
}

std::vector<bench_bins> bench_histograms(bench_extent extent)
{
  static const std::vector<size_t> all = { 2, 8, 16, 32, 256, 2048, 16384, 49152, 65536, 1 << 20 };
  static const std::vector<bench_spread> skewed = { BENCH_NINETY, BENCH_SAME, BENCH_ZIPF, BENCH_EDGES };
  const bool every = extent == BENCH_ALL;
  std::vector<size_t> even = all, uneven;
  if (extent == BENCH_FEW) even = { 8, 256, 2048, 65536 };
  else if (!every) even = { 2, 8, 32, 256, 2048, 16384, 65536, 1 << 20 };
  if (extent == BENCH_MANY) uneven = { 32, 256, 2048, 65536 };
  else if (every) uneven = all;

  std::vector<bench_bins> cases;
  for (size_t bins : even) cases.push_back({ "f32", bins, BENCH_UNIFORM });
  for (size_t bins : uneven)
    for (bench_spread spread : skewed) cases.push_back({ "f32", bins, spread });
  for (size_t bins : { 7, 16, 256 }) {
    cases.push_back({ "u8", bins, BENCH_UNIFORM });
    if (every || (extent == BENCH_MANY && bins == 256))
      for (bench_spread spread : { BENCH_NINETY, BENCH_SAME, BENCH_ZIPF })
        cases.push_back({ "u8", bins, spread });
  }
  return cases;
}

const std::vector<float> &bench_edges(size_t bins)
{
  static std::map<size_t, std::vector<float>> cache;
  std::vector<float> &edges = cache[bins];
  if (edges.empty()) {
    edges.resize(bins + 1);
    MUST(iw_histogram_edges(bench_spec(bench_bins{ "f32", bins, BENCH_UNIFORM }), edges.data()));
  }
  return edges;
}

static iw_histogram_spec *new_spec(iw_type type, size_t bins, const void *lo, const void *hi)
{
  iw_histogram_spec *const spec = new iw_histogram_spec();
  spec->size = sizeof *spec;
  spec->type = type;
  spec->kind = IW_HISTOGRAM_EVEN;
  spec->bins = bins;
  spec->lo = lo;
  spec->hi = hi;
  return spec;
}

const iw_histogram_spec *bench_spec(const bench_bins &bins)
{
  static const float lo = BENCH_LO, hi = BENCH_HI;
  static const uint8_t first = 0, last = 255;
  static uint16_t map[256];
  iw_histogram_spec *const spec = bins.type == "f32" ? new_spec(IW_F32, bins.bins, &lo, &hi)
                                                     : new_spec(IW_U8, bins.bins, &first, &last);
  if (bins.type == "u8" && bins.bins == 7) {
    for (int b = 0; b < 256; b++) map[b] = b >= 'a' && b <= 'z' ? (uint16_t)((b - 'a') / 4) : IW_MAP_NONE;
    spec->kind = IW_HISTOGRAM_MAP;
    spec->map = map;
    spec->lo = spec->hi = nullptr;
  } else if (bins.type == "u8") spec->flags = IW_HIST_HI_INCLUDED;
  return spec;
}

iw_status bench_histogram(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n,
                          void *counts)
{
  const iw_histogram_spec spec = iw_spec_of_plan(plan);
  return iw_histogram(context, &spec, samples, n, counts, nullptr);
}

const iw_histogram_plan *bench_plan(iw_context *context, const std::string &name, const iw_histogram_spec *spec,
                                    const void *samples, size_t n)
{
  static std::map<std::string, iw_histogram_plan *> cache;
  iw_histogram_plan *&plan = cache[name];
  if (!plan) MUST(iw_histogram_plan_make(context, spec, samples, n, &plan));
  return plan;
}

// ---- Segments -----------------------------------------------------------------------------------------

iw_status bench_scan_segments(iw_context *context, iw_type type, const void *in, iw_segments_kind kind,
                              const void *where, void *out, size_t n)
{
  iw_segments segments = {};
  segments.size = sizeof segments;
  segments.kind = kind;
  if (kind == IW_SEGMENTS_FLAGS) segments.flags = (const uint8_t *)where;
  else segments.keys = where, segments.key_type = IW_U32;
  iw_scan_options options = {};
  options.size = sizeof options;
  options.segments = &segments;
  return iw_inclusive_scan(context, IW_SUM, type, in, n, out, &options);
}

// ---- Partitions ---------------------------------------------------------------------------------------

std::string bench_part::what() const
{
  return family + '-' + std::to_string(percent) + '-'
         + (spread == BENCH_UNIFORM ? "random" : bench_spread_name(spread));
}

std::vector<bench_part> bench_partitions(bench_extent extent)
{
  std::vector<bench_part> cases;
  for (const std::string family : { "partition_two", "partition", "select", "select_flags" })
    for (const std::string type : { "f32", "u64" })
      for (bench_spread spread : { BENCH_UNIFORM, BENCH_SORTED, BENCH_CLUSTERED })
        for (int percent : { 1, 10, 50, 90, 99 }) {
          const bool core = percent == 50 && spread == BENCH_UNIFORM;
          const bool more = extent == BENCH_MANY && type == "f32" && family != "select_flags" &&
                            (percent == 50 || spread == BENCH_UNIFORM);
          if (core || more || extent == BENCH_ALL) cases.push_back({ family, type, percent, spread });
        }
  return cases;
}

std::string bench_split::what() const
{
  return family + '-' + std::to_string(buckets) + '-' + bench_spread_name(spread);
}

std::vector<bench_split> bench_splits(bench_extent extent)
{
  std::vector<bench_split> cases;
  for (const std::string family : { "multisplit", "multisplit_pairs", "multisplit_bins" })
    for (size_t buckets : { 2, 8, 256 })
      for (bench_spread spread : { BENCH_UNIFORM, BENCH_NINETY }) {
        const bool core = family == "multisplit" && buckets == 256 && spread == BENCH_UNIFORM;
        const bool more = extent == BENCH_MANY && (family != "multisplit_bins" || buckets == 256);
        if (core || more || extent == BENCH_ALL) cases.push_back({ family, buckets, spread });
      }
  return cases;
}

const iw_histogram_spec *bench_spec(const bench_split &split)
{
  static const uint32_t first = 0, last = UINT32_MAX;
  iw_histogram_spec *const spec = new_spec(IW_U32, split.buckets, &first, &last);
  spec->flags = IW_HIST_HI_INCLUDED;
  return spec;
}

// ---- Limits ----------------------------------------------------------------------------------------------

bench_limits bench_limits_of(const bench_settings &settings)
{
  bench_limits limits;
  if (bench_has(settings.families, "scan")) limits.copy = bench_sizes_of(settings.types);
  if (bench_has(settings.families, "partition")) limits.copy.insert({ 4, 8 });
  limits.read = limits.copy;
  if (bench_has(settings.families, "histogram")) limits.read.insert({ 1, 4 });
  return limits;
}
