// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the program that compares isowarp with CUB share: the inputs in device memory, how a
// call is timed and checked, and what the parts are. bench/cub.cu has the definitions, bench/cub_rows.cu
// the rows.
#ifndef BENCH_CUB_H
#define BENCH_CUB_H
#include <isowarp.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>
#include <cuda_runtime.h>

struct failure : std::runtime_error { using std::runtime_error::runtime_error; };
inline void must(iw_status status) { if (status != IW_OK) throw failure(iw_message()); }
inline void must(cudaError_t error)
{
  if (error == cudaSuccess) return;
  cudaGetLastError(); // else a later call would report it
  throw failure(std::string("CUDA: ") + cudaGetErrorString(error));
}

// ---- Memory ------------------------------------------------------------------------------------------

// Device memory. Each array but the last two has `bytes` bytes: 8 for each element of the largest n, and
// 512 MiB at least.
struct cub_bench {
  iw_context *context;
  cudaStream_t stream;
  size_t bytes;
  char *in, *keys;              // inputs; u32 keys in runs
  char *out, *rest;             // isowarp's outputs
  char *cub_out, *cub_rest;     // CUB's outputs, or tables that both read
  char *scratch;                // CUB's
  size_t scratch_bytes;
  char *result, *cub_result;    // single values and counters, 4096 bytes each
};
extern cub_bench bench;

enum { BATCH = 20 }; // calls between two events if n is small

// The array that call number `call` of a batch reads: the calls read different ones, as far as there are.
template <class T> const T *slice(const char *array, size_t n, int call)
{
  const size_t step = (n * sizeof(T) + 255) / 256 * 256, slices = bench.bytes / step;
  return (const T *)(array + step * ((size_t)call % (slices < 1 ? 1 : slices < BATCH ? slices : BATCH)));
}
template <class T> const T *input(size_t n, int call) { return slice<T>(bench.in, n, call); }
inline const uint32_t *keys_of(size_t n, int call) { return slice<uint32_t>(bench.keys, n, call); }

// ---- Inputs ------------------------------------------------------------------------------------------

__host__ __device__ inline uint64_t random_word(uint64_t i)
{
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

// What `in` holds. UNIT: floats in [0, 1), of f16 and bf16 in [0, 2^-10); SIGNED: in [-500, 500). LOW_BITS:
// u32 below 2^16. The last three are f32 in [0, 1): nine tenths of them one value, all one value, or 2^16
// values of which the k-th has a share of about 1/k.
enum input_kind {
  NOTHING, BITS, LOW_BITS, F32_UNIT, F64_UNIT, F16_UNIT, BF16_UNIT, F32_SIGNED, F64_SIGNED, F32_NINETY, F32_SAME,
  F32_ZIPF
};
void make_input(input_kind kind);
// Makes keys: ascending numbers of runs whose lengths are random, so long on average.
void make_keys(uint32_t mean);
// Makes rest: bytes, of which one in `mean` is 1 and the others are 0.
void make_flags(uint32_t mean);

// ---- Rows --------------------------------------------------------------------------------------------

typedef std::function<void(int)> call_fn;          // queues a call; its number in the batch
typedef std::function<std::string()> check_fn;     // compares the two results

enum limit_kind { COPY, READ };
struct row_of {
  std::string name;
  size_t n;
  double bytes;      // that the call has to move
  size_t in;         // of these, that it reads; the limit is a copy or a read of as many
  limit_kind limit;
  bool graphs = true;
};
// Whether the row is wanted: if not, its input need not be made.
bool wanted(const std::string &name);
// Measures a row and prints it. cub: NULL if CUB has no such call. check: NULL if the results differ by
// rounding in a way that says nothing.
void row(const row_of &row, const call_fn &isowarp, const call_fn &cub, const check_fn &check);

// ---- Checks ------------------------------------------------------------------------------------------

// "=" if two arrays are equal, else how many of their words of 4 bytes differ, with "!". reversed_from: b is
// read backwards, and this many words end where that begins; 0: forwards.
std::string differing(const void *a, const void *b, size_t bytes, size_t reversed_from = 0);
// The largest relative difference of n floats.
std::string relative(const float *a, const float *b, size_t n);
std::string relative(const double *a, const double *b, size_t n);
inline const char *relative(const void *, const void *, size_t) { return ""; }
template <class T> T fetch(const void *from)
{
  T value;
  must(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, bench.stream));
  must(cudaStreamSynchronize(bench.stream));
  return value;
}
// The count that both sides found, which is a check of its own.
struct counted { size_t count; bool equal; };
inline counted count_of()
{
  const size_t count = fetch<size_t>(bench.result);
  return { count, count == fetch<size_t>(bench.cub_result) };
}
inline const char *const OTHER_COUNT = "count!";

template <class T> void upload(char *to, const std::vector<T> &from)
{
  must(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}

// ---- The parts, which compile separately (-DPART=1 ...) -----------------------------------------------

void rows_of_scans(size_t n);       // 1
void rows_of_reductions(size_t n);  // 2
void rows_of_segments(size_t n);    // 3
void rows_of_moves(size_t n);       // 4
void rows_of_histograms(size_t n);  // 5
void rows_of_sorts(size_t n);       // 6
void rows_of_kin(size_t n);         // 7: sorts of segments, merges, searches, top-k
#endif
