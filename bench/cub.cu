// SPDX-License-Identifier: Apache-2.0
//
// isowarp beside CUB on one GPU: both read the same inputs, in one stream, in the same minute. This file
// opens the device, makes the inputs, takes the times and compares the results; bench/cub_rows.cu has the
// calls. bench/cub.sh builds and runs it.
//
// usage: cub [OUT.csv [SIZES [PART OF A NAME]]]      sizes: log2 of n, 28,24,20,16 unless given
// Exit status: 1 if a call failed, or if results differ that have to be equal.
//
// A time is the median of 21 repetitions. Up to 2^20 elements a repetition is 20 calls between two events,
// which read different slices of one large input, and these calls are measured as a CUDA graph too. Before
// each repetition a read of 256 MiB replaces what the L2 cache holds; from 2^26 elements on, where it would
// take as long as the call, the call's own input does that. Both sides write fixed outputs.
//
// share: of the copy limit (c) or the read limit (r) at as many bytes. ratio: CUB's time / isowarp's, so
// above 1 isowarp is faster. equal: "=" if all bytes of both results agree, "N!" if N words of 4 bytes do
// not; of floats whose sums are rounded in another order, the largest relative difference.
#include <cub/version.cuh>
#include "cub.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

cub_bench bench;

static const size_t FLUSHED = (size_t)256 << 20, BATCHED = (size_t)1 << 20, UNFLUSHED = (size_t)1 << 26;
enum { REPETITIONS = 21, BLOCKS = 1024, THREADS = 256 };

static char *flushed;             // FLUSHED bytes
static void *work;                // 8 bytes: of comparisons, and what reads never write
static FILE *csv;
static std::string part;          // of the names of the rows to run
static bool failed;

// A grid-stride loop: body(i) for i < n.
template <class Body> static __global__ void loop_over(size_t n, Body body)
{
  const size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) body(i);
}
template <class Body> static void loop(size_t n, Body body)
{
  loop_over<<<BLOCKS, THREADS, 0, bench.stream>>>(n, body);
  must(cudaGetLastError());
}

// ---- Inputs ------------------------------------------------------------------------------------------

// Of the 24 bits of x, the most significant ones of a word.
static __device__ float unit_of(uint64_t word) { return (float)(word >> 40) * 0x1p-24f; }

// Word number i of 2^16, where each power of two has the same share: the k-th word's is about 1/k.
static __device__ uint64_t zipf_word(uint64_t word)
{
  const uint64_t power = (uint64_t)1 << (word >> 60);
  return random_word(power + (word & (power - 1)));
}

struct fill {
  void *to;
  input_kind kind;
  __device__ void operator()(size_t i) const
  {
    const uint64_t word = random_word(i * 0x10001 + 77 + kind), same = random_word(1);
    float *const f32 = (float *)to + i;
    switch (kind) {
    case NOTHING: break;
    case BITS: ((uint64_t *)to)[i] = word; break;
    case LOW_BITS: ((uint32_t *)to)[i] = (uint32_t)(word >> 48); break;
    case F32_UNIT: *f32 = unit_of(word); break;
    case F64_UNIT: ((double *)to)[i] = (double)(word >> 11) * 0x1p-53; break;
    case F16_UNIT: ((__half *)to)[i] = __float2half(unit_of(word) * 0x1p-10f); break;
    case BF16_UNIT: ((__nv_bfloat16 *)to)[i] = __float2bfloat16(unit_of(word) * 0x1p-10f); break;
    case F32_SIGNED: *f32 = (unit_of(word) - 0.5f) * 1000; break;
    case F64_SIGNED: ((double *)to)[i] = ((double)(word >> 11) * 0x1p-53 - 0.5) * 1000; break;
    case F32_NINETY: *f32 = unit_of(word % 10 ? same : word); break;
    case F32_SAME: *f32 = unit_of(same); break;
    case F32_ZIPF: *f32 = unit_of(zipf_word(word)); break;
    }
  }
};

void make_input(input_kind kind)
{
  static input_kind made = NOTHING;
  if (made == kind) return;
  made = kind;
  const bool wide = kind == BITS || kind == F64_UNIT || kind == F64_SIGNED;
  const bool narrow = kind == F16_UNIT || kind == BF16_UNIT;
  const size_t width = wide ? 8 : narrow ? 2 : 4;
  loop(bench.bytes / width, fill{ bench.in, kind });
}

template <class T> struct head {
  T *to;
  uint32_t mean;
  __device__ void operator()(size_t i) const { to[i] = (uint32_t)(random_word(i ^ 0x5555) >> 32) % mean == 0; }
};

void make_keys(uint32_t mean)
{
  static uint32_t made;
  if (made == mean) return;
  made = mean;
  const size_t n = bench.bytes / 4;
  loop(n, head<uint32_t>{ (uint32_t *)bench.out, mean });
  must(iw_inclusive_scan(bench.context, IW_SUM, IW_U32, bench.out, n, bench.keys, NULL));
}
void make_flags(uint32_t mean) { loop(bench.bytes, head<uint8_t>{ (uint8_t *)bench.rest, mean }); }

// ---- Checks ------------------------------------------------------------------------------------------

struct compare_words {
  const uint32_t *a, *b;
  size_t reversed_from;
  unsigned long long *count;
  __device__ void operator()(size_t i) const
  {
    if (a[i] != (reversed_from ? b[reversed_from - 1 - i] : b[i])) atomicAdd(count, 1ull);
  }
};

std::string differing(const void *a, const void *b, size_t bytes, size_t reversed_from)
{
  unsigned long long *const count = (unsigned long long *)work;
  must(cudaMemsetAsync(count, 0, sizeof *count, bench.stream));
  loop(bytes / 4, compare_words{ (const uint32_t *)a, (const uint32_t *)b, reversed_from, count });
  const unsigned long long found = fetch<unsigned long long>(count);
  return found ? std::to_string(found) + "!" : "=";
}

template <class T> struct compare_floats {
  const T *a, *b;
  unsigned *worst; // the bits of a float that is not negative, which are ordered as it is
  __device__ void operator()(size_t i) const
  {
    const float scale = fmaxf(1e-30f, (float)fmax(fabs(a[i]), fabs(b[i])));
    const float difference = (float)fabs(a[i] - b[i]) / scale;
    if (!(difference <= 0)) atomicMax(worst, __float_as_uint(difference == difference ? difference : INFINITY));
  }
};

template <class T> static std::string largest_difference(const T *a, const T *b, size_t n)
{
  char text[32];
  must(cudaMemsetAsync(work, 0, 8, bench.stream));
  loop(n, compare_floats<T>{ a, b, (unsigned *)work });
  snprintf(text, sizeof text, "%.1e", fetch<float>(work));
  return text;
}
std::string relative(const float *a, const float *b, size_t n) { return largest_difference(a, b, n); }
std::string relative(const double *a, const double *b, size_t n) { return largest_difference(a, b, n); }

// ---- Times -------------------------------------------------------------------------------------------

enum { COPIED = 4, READ_AHEAD = 8 }; // words of 16 bytes in flight of a thread

static __global__ void __launch_bounds__(THREADS) copy_words(const uint4 *from, uint4 *to, size_t n)
{
  const size_t first = blockIdx.x * (size_t)(THREADS * COPIED) + threadIdx.x;
  if (first + (COPIED - 1) * THREADS < n) {
    uint4 words[COPIED];
#pragma unroll
    for (int k = 0; k < COPIED; k++) words[k] = __ldcs(from + first + k * THREADS);
#pragma unroll
    for (int k = 0; k < COPIED; k++) __stcs(to + first + k * THREADS, words[k]);
  } else {
    for (size_t i = first; i < n && i < first + COPIED * THREADS; i += THREADS) to[i] = from[i];
  }
}

// Hardly ever stores, which the compiler cannot know.
static __global__ void __launch_bounds__(THREADS) read_words(const uint4 *from, size_t n, uint32_t *never)
{
  const size_t step = (size_t)gridDim.x * THREADS;
  size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
  uint32_t sum = 0;
  for (; i + (READ_AHEAD - 1) * step < n; i += READ_AHEAD * step) {
    uint4 words[READ_AHEAD];
#pragma unroll
    for (int k = 0; k < READ_AHEAD; k++) words[k] = __ldcs(from + i + k * step);
#pragma unroll
    for (int k = 0; k < READ_AHEAD; k++) sum += (words[k].x ^ words[k].y) + (words[k].z ^ words[k].w);
  }
  for (; i < n; i += step) sum += from[i].x ^ from[i].y ^ from[i].z ^ from[i].w;
  if (sum == 0x12345677u) *never = sum;
}

static void read_bytes(const char *from, size_t bytes, unsigned blocks)
{
  read_words<<<blocks, THREADS, 0, bench.stream>>>((const uint4 *)from, bytes / 16, (uint32_t *)work);
}

// The calls of a repetition as a graph; NULL if they cannot be captured.
static cudaGraphExec_t captured(const call_fn &call, int calls)
{
  cudaGraph_t graph = NULL;
  cudaGraphExec_t exec = NULL;
  must(cudaStreamBeginCapture(bench.stream, cudaStreamCaptureModeThreadLocal));
  bool fine = true;
  try {
    for (int i = 0; i < calls; i++) call(i);
  } catch (const failure &) {
    fine = false;
  }
  fine = cudaStreamEndCapture(bench.stream, &graph) == cudaSuccess && graph && fine;
  if (fine && cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess) exec = NULL;
  cudaGetLastError();
  if (graph) cudaGraphDestroy(graph);
  return exec;
}

// In milliseconds; NaN if the calls cannot be captured.
static double time_of(const call_fn &call, int calls, bool flush, bool as_graph)
{
  static cudaEvent_t begin, end;
  std::vector<float> times;
  cudaGraphExec_t graph = NULL;
  if (!begin) {
    must(cudaEventCreate(&begin));
    must(cudaEventCreate(&end));
  }
  for (int i = 0; i < 3; i++) call(i);
  must(cudaStreamSynchronize(bench.stream));
  if (as_graph) {
    if (!(graph = captured(call, calls))) return NAN;
    must(cudaGraphLaunch(graph, bench.stream));
    must(cudaStreamSynchronize(bench.stream));
  }
  for (int repetition = 0; repetition < REPETITIONS; repetition++) {
    float ms;
    if (flush) read_bytes(flushed, FLUSHED, 1056);
    must(cudaEventRecord(begin, bench.stream));
    if (graph) must(cudaGraphLaunch(graph, bench.stream));
    else for (int i = 0; i < calls; i++) call(i);
    must(cudaEventRecord(end, bench.stream));
    must(cudaEventSynchronize(end));
    must(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(ms / (float)calls);
  }
  must(cudaGetLastError());
  if (graph) cudaGraphExecDestroy(graph);
  std::sort(times.begin(), times.end());
  return times[REPETITIONS / 2];
}

// The time of a copy or a read of so many bytes, by the fastest of the kernels, and of cudaMemcpy.
static double limit_ms(limit_kind limit, size_t bytes)
{
  static std::map<size_t, double> known[2];
  bytes = bytes / 16 * 16;
  const auto found = known[limit].find(bytes);
  if (found != known[limit].end()) return found->second;
  const bool flush = bytes <= FLUSHED;
  const int calls = bytes <= 8 * BATCHED ? BATCH : 1;
  double best = INFINITY;
  const auto measure = [&](const call_fn &call) { best = std::min(best, time_of(call, calls, flush, false)); };
  if (limit == COPY) {
    measure([=](int c) {
      must(cudaMemcpyAsync(bench.out, input<char>(bytes, c), bytes, cudaMemcpyDeviceToDevice, bench.stream));
    });
    const unsigned blocks = (unsigned)((bytes / 16 + COPIED * THREADS - 1) / (COPIED * THREADS));
    measure([=](int c) {
      copy_words<<<blocks, THREADS, 0, bench.stream>>>(input<uint4>(bytes / 16, c), (uint4 *)bench.out, bytes / 16);
    });
  } else {
    for (unsigned blocks : { 1056, 528, 132 })
      measure([=](int c) { read_bytes(input<char>(bytes, c), bytes, blocks); });
  }
  return known[limit][bytes] = best;
}

// ---- Rows --------------------------------------------------------------------------------------------

bool wanted(const std::string &name) { return name.find(part) != std::string::npos; }

static int log2_of(size_t n)
{
  int log2 = 0;
  while (n >> (log2 + 1)) log2++;
  return log2;
}

static void print_row(const row_of &r, const double ms[2], const double graph_ms[2], double share,
                      const std::string &equal)
{
  char graph[64] = "", size[16];
  snprintf(size, sizeof size, "2^%d", log2_of(r.n));
  if (!std::isnan(graph_ms[0]))
    snprintf(graph, sizeof graph, "graph %.4f %.4f %.2f", graph_ms[0], graph_ms[1], graph_ms[1] / graph_ms[0]);
  const double speed = r.bytes * 1e-6, ratio = ms[1] / ms[0];
  printf("%-30s %-5s %9.4f %9.4f %6.0f %5.2f%c %6.2f %-8s %s\n", r.name.c_str(), size, ms[0], ms[1], speed / ms[0],
         share, r.limit == COPY ? 'c' : 'r', ratio, equal.c_str(), graph);
  fprintf(csv, "\"%s\",%zu,%.6f,%.6f,%.1f,%.1f,%.4f,%s,%.4f,%s,%.6f,%.6f\n", r.name.c_str(), r.n, ms[0], ms[1],
          speed / ms[0], speed / ms[1], share, r.limit == COPY ? "copy" : "read", ratio, equal.c_str(), graph_ms[0],
          graph_ms[1]);
}

void row(const row_of &r, const call_fn &isowarp, const call_fn &cub, const check_fn &check)
{
  if (!wanted(r.name)) return;
  try {
    const bool batched = r.n <= BATCHED, flush = r.n < UNFLUSHED;
    const int calls = batched ? BATCH : 1;
    double ms[2], graph_ms[2] = { NAN, NAN };
    ms[0] = time_of(isowarp, calls, flush, false);
    ms[1] = cub ? time_of(cub, calls, flush, false) : NAN;
    if (batched && r.graphs) {
      graph_ms[0] = time_of(isowarp, calls, flush, true);
      if (cub) graph_ms[1] = time_of(cub, calls, flush, true);
    }
    const double limit = limit_ms(r.limit, r.in), moved = (r.limit == COPY ? 2.0 : 1.0) * (double)r.in;
    isowarp(0); // both again on the same slice, for the comparison
    if (cub) cub(0);
    must(cudaStreamSynchronize(bench.stream));
    const std::string equal = check ? check() : "";
    if (equal.find('!') != std::string::npos) failed = true;
    print_row(r, ms, graph_ms, r.bytes / ms[0] / (moved / limit), equal);
  } catch (const failure &e) {
    failed = true;
    printf("%-30s n %zu FAILED: %s\n", r.name.c_str(), r.n, e.what());
    fprintf(csv, "\"%s\",%zu,FAILED,,,,,,,,,\n", r.name.c_str(), r.n);
  }
  fflush(stdout);
  fflush(csv);
}

static void limits(size_t n)
{
  if (!part.empty()) return;
  make_input(BITS);
  for (limit_kind limit : { COPY, READ }) {
    const double ms = limit_ms(limit, 4 * n), speed = (limit == COPY ? 8e-6 : 4e-6) * (double)n / ms;
    const char *const name = limit == COPY ? "copy" : "read";
    printf("%s limit, 4n bytes           2^%-3d %9.4f           %6.0f\n", name, log2_of(n), ms, speed);
    fprintf(csv, "%s,%zu,%.6f,,%.1f,,,,,,,\n", name, n, ms, speed);
  }
}

// ---- The program -------------------------------------------------------------------------------------

static void open_device(size_t largest)
{
  cudaMemPool_t pool;
  uint64_t keep = UINT64_MAX; // for CUB's calls that allocate
  bench.bytes = std::max<size_t>(largest * 8, (size_t)512 << 20);
  bench.scratch_bytes = 2 * bench.bytes + ((size_t)256 << 20);
  must(cudaStreamCreate(&bench.stream));
  for (char **array : { &bench.in, &bench.keys, &bench.out, &bench.rest, &bench.cub_out, &bench.cub_rest })
    must(cudaMalloc(array, bench.bytes + 4096));
  must(cudaMalloc(&bench.scratch, bench.scratch_bytes));
  must(cudaMalloc(&bench.result, 4096));
  must(cudaMalloc(&bench.cub_result, 4096));
  must(cudaMalloc(&flushed, FLUSHED));
  must(cudaMalloc(&work, 256));
  must(cudaMemset(flushed, 1, FLUSHED));
  must(cudaDeviceGetDefaultMemPool(&pool, 0));
  must(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  const iw_context_options options = { sizeof options, IW_BACKEND_CUDA };
  must(iw_context_open(&bench.context, &options));
  must(iw_context_set_stream(bench.context, bench.stream));
  must(iw_context_reserve(bench.context, largest * 48 + ((size_t)64 << 20)));
  make_input(BITS);
  for (int i = 0; i < 100; i++) // raises the clocks, which idling has lowered
    must(cudaMemcpyAsync(bench.out, bench.in, std::min(bench.bytes, (size_t)1 << 30), cudaMemcpyDeviceToDevice,
                         bench.stream));
  must(cudaStreamSynchronize(bench.stream));
}

static void print_heads()
{
  cudaDeviceProp device;
  int driver = 0, runtime = 0;
  must(cudaGetDeviceProperties(&device, 0));
  must(cudaDriverGetVersion(&driver));
  must(cudaRuntimeGetVersion(&runtime));
  printf("%s, %d SMs, L2 %d MiB, driver %d, runtime %d; CUB %d.%d.%d; isowarp %s; ratio > 1: isowarp is faster\n",
         device.name, device.multiProcessorCount, device.l2CacheSize >> 20, driver, runtime, CUB_MAJOR_VERSION,
         CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION, iw_version());
  printf("%-30s %-5s %9s %9s %6s %6s %6s %-8s %s\n", "call", "n", "ms", "CUB ms", "GB/s", "share", "ratio", "equal",
         "graph: ms, CUB ms, ratio");
  fprintf(csv, "# %s driver %d runtime %d CUB %d\n", device.name, driver, runtime, CUB_VERSION);
  fprintf(csv, "name,n,isowarp_ms,cub_ms,isowarp_GBps,cub_GBps,share,limit,ratio,equal,graph_isowarp_ms,"
               "graph_cub_ms\n");
}

int main(int argc, char **argv)
{
  const char *const path = argc > 1 ? argv[1] : "cub.csv";
  std::vector<int> sizes;
  for (const char *p = argc > 2 ? argv[2] : "28,24,20,16"; *p; p += *p == ',') {
    char *end;
    const long log2_n = strtol(p, &end, 10);
    if (end == p || (*end && *end != ',') || log2_n < 10 || log2_n > 31) {
      fprintf(stderr, "cub: sizes are logarithms, as in 28,20: %s\n", argv[2]);
      return 1;
    }
    sizes.push_back((int)log2_n);
    p = end;
  }
  part = argc > 3 ? argv[3] : "";
  csv = fopen(path, "w");
  if (!csv) {
    perror(path);
    return 1;
  }
  try {
    open_device((size_t)1 << *std::max_element(sizes.begin(), sizes.end()));
    print_heads();
    for (int log2_n : sizes) {
      const size_t n = (size_t)1 << log2_n;
      limits(n);
      for (auto rows : { rows_of_scans, rows_of_reductions, rows_of_segments, rows_of_moves, rows_of_histograms,
                         rows_of_sorts, rows_of_kin })
        rows(n);
    }
  } catch (const failure &e) {
    failed = true;
    printf("FAILED: %s\n", e.what());
  }
  iw_context_close(bench.context);
  fclose(csv);
  return failed;
}
