// SPDX-License-Identifier: Apache-2.0
//
// What the halves of the bench program share: isowarp_bench.cc, for the CPU, and peers.cu, for a CUDA device, which is
// only there where nvcc is.
#ifndef BENCH_H
#define BENCH_H
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>
#include <isowarp.h>

#define MUST(call) do { if ((call) != IW_OK) { \
  std::fprintf(stderr, "%s: %s\n", #call, iw_message()); std::exit(1); } } while (0)

struct bench_settings {
  std::vector<int> sizes, device_sizes; // log2 of n
  std::vector<std::string> types, isas;
  std::vector<int> threads;
  int train;                            // device calls between two events where n is small
  bool huge_pages;
};

// A benchmark's name is all that report.py knows of it: "scan/f32/cpu/tbb/2/1048576".
inline std::string bench_name(std::string what, std::string type, std::string place, std::string who, int threads, size_t n)
{
  return what + '/' + type + '/' + place + '/' + who + '/' + std::to_string(threads) + '/' + std::to_string(n);
}

#define BENCH_TYPES(X) X(f32, float, IW_F32) X(i32, int32_t, IW_I32) X(u32, uint32_t, IW_U32) \
  X(u64, uint64_t, IW_U64) X(i64, int64_t, IW_I64) X(f64, double, IW_F64)
template <class T> struct bench_type;
#define BENCH_TYPE(name, T, iw) template <> struct bench_type<T> { static constexpr iw_type type = iw; };
BENCH_TYPES(BENCH_TYPE)
#undef BENCH_TYPE

// Calls add(T()) for the T of that name.
template <class F> void bench_with_type(const std::string &name_of_type, F add)
{
#define BENCH_TYPE(name, T, iw) if (name_of_type == #name) add(T());
  BENCH_TYPES(BENCH_TYPE)
#undef BENCH_TYPE
}

// The bytes of an element, of all types.
inline std::set<size_t> bench_sizes_of(const std::vector<std::string> &types)
{
  std::set<size_t> sizes;
  for (const std::string &type : types) bench_with_type(type, [&](auto zero) { sizes.insert(sizeof zero); });
  return sizes;
}

#ifdef __CUDACC__
#define BENCH_FN __host__ __device__ inline
#else
#define BENCH_FN inline
#endif
// One input serves all types: words that are floats in [1, 2), and in pairs doubles in [2^-7, 1).
BENCH_FN uint32_t bench_word(uint64_t i)
{
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  return 0x3f800000u | (uint32_t)(z >> 41);
}

// Where segments begin: some 100 elements apart.
BENCH_FN uint8_t bench_flag(uint64_t i) { return i == 0 || bench_word(i) % 101 == 0; }

// Set by peers.cu where it is linked.
extern bool (*bench_add_device)(const bench_settings &);
#endif
