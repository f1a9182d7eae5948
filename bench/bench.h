// SPDX-License-Identifier: Apache-2.0
//
// The inputs and the cases of the bench program, which measures CPUs. There is one file per family: scan,
// histogram, partition. bench/cub.cu measures GPUs.
#ifndef BENCH_H
#define BENCH_H
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>
#include <benchmark/benchmark.h>
#include <isowarp.h>

#define MUST(call) do { if ((call) != IW_OK) { \
  std::fprintf(stderr, "%s: %s\n", #call, iw_message()); std::exit(1); } } while (0)

struct bench_settings {
  std::vector<int> sizes;               // log2 of n
  std::vector<std::string> families, types, isas;
  std::vector<int> threads;
  bool all_cases;                       // of histograms and partitions: the cross product
  bool huge_pages;
};

// The name of a benchmark, which report.py parses: "scan/f32/tbb/2/1048576". `what` of histograms and
// partitions has the parameters of the case ("histogram-256-zipf").
inline std::string bench_name(std::string what, std::string type, std::string who, int threads, size_t n)
{
  return what + '/' + type + '/' + who + '/' + std::to_string(threads) + '/' + std::to_string(n);
}

#define BENCH_TYPES(X) X(f32, float, IW_F32) X(i32, int32_t, IW_I32) X(u32, uint32_t, IW_U32) \
  X(u64, uint64_t, IW_U64) X(i64, int64_t, IW_I64) X(f64, double, IW_F64)
template <class T> struct bench_type;
#define BENCH_TYPE(name, T, iw) template <> struct bench_type<T> { static constexpr iw_type type = iw; };
BENCH_TYPES(BENCH_TYPE)
#undef BENCH_TYPE

// Calls add(T()) for the type with this name.
template <class F> void bench_with_type(const std::string &name_of_type, F add)
{
#define BENCH_TYPE(name, T, iw) if (name_of_type == #name) add(T());
  BENCH_TYPES(BENCH_TYPE)
#undef BENCH_TYPE
}

// The element sizes of these types in bytes.
inline std::set<size_t> bench_sizes_of(const std::vector<std::string> &types)
{
  std::set<size_t> sizes;
  for (const std::string &type : types) bench_with_type(type, [&](auto zero) { sizes.insert(sizeof zero); });
  return sizes;
}

// ---- Inputs: functions of the element index ----------------------------------------------------------

inline uint64_t bench_mix(uint64_t i)
{
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  return (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
}

// Word i of the input of scans, which serves all types: as f32 a number in [1, 2), two words as f64 in
// [2^-7, 1).
inline uint32_t bench_word(uint64_t i) { return 0x3f800000u | (uint32_t)(bench_mix(i) >> 41); }

// Whether element i begins a segment; segments have 101 elements on average.
inline uint8_t bench_flag(uint64_t i) { return i == 0 || bench_word(i) % 101 == 0; }

// NINETY: 90% of the samples have one value. EDGES: each sample is the edge of a bin. CLUSTERED: 1000
// neighbours have one value.
enum bench_spread {
  BENCH_UNIFORM, BENCH_NINETY, BENCH_SAME, BENCH_ZIPF, BENCH_EDGES, BENCH_SORTED, BENCH_CLUSTERED
};
inline const char *bench_spread_name(bench_spread spread)
{
  static const char *const names[] = { "uniform", "ninety", "same", "zipf", "edges", "sorted", "clustered" };
  return names[spread];
}

// A draw is a number below 2^23. bench_value() maps it to a value of any type by a monotone function.
enum : uint32_t { BENCH_DRAWS = 1u << 23, BENCH_DRAW = 0x2f1a03 };
inline uint32_t bench_draw(bench_spread spread, uint64_t i, uint64_t n)
{
  const uint64_t other = bench_mix(i ^ (uint64_t)1 << 60);
  switch (spread) {
  case BENCH_NINETY: return (other >> 40) % 10 ? (uint32_t)BENCH_DRAW : (uint32_t)(bench_mix(i) >> 41);
  case BENCH_SAME: return BENCH_DRAW;
  case BENCH_ZIPF: { // 2^16 values with shares 1/k, so that each power of two of them has the same share
    const uint64_t power = (uint64_t)1 << (other >> 60);
    return (uint32_t)(bench_mix(power + (other >> 40 & (power - 1))) >> 41);
  }
  case BENCH_SORTED: return (uint32_t)((i << 23) / n);
  case BENCH_CLUSTERED: return (uint32_t)(bench_mix(i / 1000) >> 41);
  default: return (uint32_t)(bench_mix(i) >> 41);
  }
}

// Floats lie in [BENCH_LO, BENCH_HI), where few edges are round numbers. Integers have the draw in their
// top bits and the hash in the others.
#define BENCH_LO 0.1f
#define BENCH_HI 0.9f
template <class T> inline T bench_value(uint32_t draw, uint64_t hash)
{
  return (T)((T)draw << (8 * sizeof(T) - 23) | hash >> (64 + 23 - 8 * sizeof(T)));
}
template <> inline float bench_value(uint32_t draw, uint64_t)
{
  return (float)draw * (0.8f / BENCH_DRAWS) + BENCH_LO;
}
template <> inline uint8_t bench_value(uint32_t draw, uint64_t) { return (uint8_t)(draw >> 15); }

// edges, bins: for BENCH_EDGES only.
template <class T>
inline T bench_sample(bench_spread spread, uint64_t i, uint64_t n, const T *edges, size_t bins)
{
  if (spread == BENCH_EDGES) return edges[(bench_mix(i) >> 20) % bins];
  return bench_value<T>(bench_draw(spread, i, n), bench_mix(i));
}

// ---- Checks of results --------------------------------------------------------------------------------

// The digest of a result is the sum of the terms of its elements, so that it can be computed in any order.
inline uint64_t bench_term(uint64_t value, uint64_t place) { return (value + 1) * (bench_mix(place) | 1); }

// Returns whether the benchmark's digest equals that of the other benchmarks of the case. The digest is
// computed once per benchmark and becomes its label, so that report.py can compare the runs of several
// machines.
inline bool bench_agrees(benchmark::State &state, const std::string &name, const std::string &one_case,
                         std::function<uint64_t()> digest)
{
  static std::map<std::string, uint64_t> of_names, of_cases;
  auto found = of_names.find(name);
  if (found == of_names.end()) found = of_names.insert({ name, digest() }).first;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", (unsigned long long)found->second);
  state.SetLabel(text);
  return of_cases.insert({ one_case, found->second }).first->second == found->second;
}

// ---- Cases of histograms and partitions (cases.cc) ----------------------------------------------------

// FEW at most sizes, MANY at the largest size, ALL: the cross product (--cases=all).
enum bench_extent { BENCH_FEW, BENCH_MANY, BENCH_ALL };
bench_extent bench_extent_of(const bench_settings &settings, int lg);

// The n of the "small_" benchmarks, which compare a call with a plain loop.
std::vector<size_t> bench_small_sizes();

struct bench_bins {
  std::string type;   // f32 or u8
  size_t bins;        // u8 with 7 bins: letters by a map
  bench_spread spread;
  std::string what() const;
};
std::vector<bench_bins> bench_histograms(bench_extent extent);

struct bench_part {
  std::string family; // partition (into one array), partition_two, select, select_flags
  std::string type;   // f32 or u64
  int percent;        // of the elements are selected
  bench_spread spread;
  std::string what() const;
};
std::vector<bench_part> bench_partitions(bench_extent extent);
inline uint32_t bench_pivot(int percent) { return (uint32_t)(BENCH_DRAWS * (uint64_t)percent / 100); }

struct bench_split {  // multisplit of u32 by its top bits
  // multisplit, multisplit_pairs (with values of 32 bits), multisplit_bins (by the same buckets as even bins)
  std::string family;
  size_t buckets;
  bench_spread spread;
  std::string what() const;
  size_t bytes(size_t n) const { return (pairs() ? 16 : 8) * n; }
  bool pairs() const { return family == "multisplit_pairs"; }
  bool bins() const { return family == "multisplit_bins"; }
  unsigned bits() const { return (unsigned)__builtin_ctzll(buckets); }
};
std::vector<bench_split> bench_splits(bench_extent extent);

// The results of bench_spec(), bench_plan() and bench_edges() live until the program ends.
const iw_histogram_spec *bench_spec(const bench_bins &bins);
const iw_histogram_spec *bench_spec(const bench_split &split);
// The plan with this name; the first call makes it, from the n samples given.
const iw_histogram_plan *bench_plan(iw_context *context, const std::string &name, const iw_histogram_spec *spec,
                                    const void *samples, size_t n);
// The edges of even bins of f32.
const std::vector<float> &bench_edges(size_t bins);
iw_status bench_histogram(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n,
                          void *counts);
// The inclusive sum of segments. where: flags of u8 or keys of u32.
iw_status bench_scan_segments(iw_context *context, iw_type type, const void *in, iw_segments_kind kind,
                              const void *where, void *out, size_t n);

inline bool bench_has(const std::vector<std::string> &list, const std::string &word)
{
  return std::find(list.begin(), list.end(), word) != list.end();
}

// The element sizes whose copy and read limits the wanted families are compared with.
struct bench_limits { std::set<size_t> copy, read; };
bench_limits bench_limits_of(const bench_settings &settings);
#endif
