// SPDX-License-Identifier: Apache-2.0
//
// The CUDA part of the bench program: opens the device, and measures the limits of its memory (copy and
// read).
#include <cub/version.cuh>
#include "cuda.h"

cuda_bench gpu;
static int multiprocessors;

struct word_to {
  uint32_t *p;
  __device__ void operator()(size_t i) const { p[i] = bench_word(i); }
};

// ---- The limits ---------------------------------------------------------------------------------------

enum { THREADS = 256, COPIED = 4, READ = 8 }; // COPIED, READ: 16-byte words in flight of a thread

// Each block copies THREADS * COPIED words.
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
    for (size_t i = first; i < n; i += THREADS) to[i] = from[i];
  }
}

// Never stores, but the compiler cannot know that.
static __global__ void __launch_bounds__(THREADS) read_words(const uint4 *from, size_t n, uint32_t *never)
{
  const size_t step = (size_t)gridDim.x * THREADS;
  size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
  uint32_t sum = 0;
  for (; i + (READ - 1) * step < n; i += READ * step) {
    uint4 words[READ];
#pragma unroll
    for (int k = 0; k < READ; k++) words[k] = __ldcs(from + i + k * step);
#pragma unroll
    for (int k = 0; k < READ; k++) sum |= words[k].x | words[k].y | words[k].z | words[k].w;
  }
  for (; i < n; i += step) sum |= from[i].x | from[i].y | from[i].z | from[i].w;
  if (sum >> 30 == 3) *never = sum; // the input's words have that bit clear
}

static void launch_copy(size_t bytes)
{
  const size_t n = bytes / 16, blocks = (n + THREADS * COPIED - 1) / (THREADS * COPIED);
  copy_words<<<(unsigned)blocks, THREADS, 0, gpu.stream>>>((const uint4 *)gpu.in, (uint4 *)gpu.out, n);
}

static void launch_read(size_t bytes)
{
  const size_t n = bytes / 16, wanted = (n + THREADS * READ - 1) / (THREADS * READ);
  const unsigned blocks = (unsigned)std::min<size_t>(wanted, 8 * multiprocessors);
  read_words<<<blocks, THREADS, 0, gpu.stream>>>((const uint4 *)gpu.in, n, (uint32_t *)gpu.result);
}

// The read limit of n elements of `size` bytes and, if copied, the copy limit.
static void add_limits(size_t size, bool copied, size_t n)
{
  const std::string type = std::to_string(size) + "B";
  const size_t bytes = n * size;
  auto name = [&](const char *what, const char *who) { return bench_name(what, type, "cuda", who, 0, n); };
  const auto prepare = [] {};
  const auto correct = [](benchmark::State &) { return true; };
  add_cuda(name("read", "kernel"), n, bytes, prepare, [=] { launch_read(bytes); }, correct);
  if (!copied) return;
  add_cuda(
      name("copy", "memcpy"), n, 2 * bytes, prepare,
      [=] { CHECK(cudaMemcpyAsync(gpu.out, gpu.in, bytes, cudaMemcpyDeviceToDevice, gpu.stream)); },
      correct);
  add_cuda(name("copy", "kernel"), n, 2 * bytes, prepare, [=] { launch_copy(bytes); }, correct);
}

static std::string version(int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); }

static bool add_device(const bench_settings &settings)
{
  iw_context_options options = {};
  options.size = sizeof options;
  options.backend = IW_BACKEND_CUDA;
  if (iw_context_open(&gpu.context, &options) != IW_OK) {
    std::fprintf(stderr, "isowarp_bench: the GPU is skipped: %s\n", iw_message());
    return false;
  }
  cudaDeviceProp device;
  int driver, runtime;
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  multiprocessors = device.multiProcessorCount;
  gpu.train = settings.train;
  benchmark::AddCustomContext("gpu", device.name);
  benchmark::AddCustomContext("cuda", version(runtime));
  benchmark::AddCustomContext("cuda_driver", version(driver));
  benchmark::AddCustomContext("cub", std::to_string(CUB_MAJOR_VERSION) + "."
                                         + std::to_string(CUB_MINOR_VERSION) + "."
                                         + std::to_string(CUB_SUBMINOR_VERSION));

  const size_t most = std::max((size_t)8 << settings.device_sizes.back(), (size_t)32 << 20);
  CHECK(cudaStreamCreate(&gpu.stream));
  CHECK(cudaEventCreate(&gpu.before));
  CHECK(cudaEventCreate(&gpu.after));
  MUST(iw_context_set_stream(gpu.context, gpu.stream));
  CHECK(cudaMalloc(&gpu.in, most)); CHECK(cudaMalloc(&gpu.out, most)); CHECK(cudaMalloc(&gpu.result, 4096));
  loop_over<<<LOOP_BLOCKS, LOOP_THREADS, 0, gpu.stream>>>(most / 4, word_to{ (uint32_t *)gpu.in });
  for (int i = 0; i < 200; i++) launch_copy(most); // raises the clock, which idling has lowered
  auto wanted = [&](const char *family) { return bench_has(settings.families, family); };
  if (wanted("histogram") || wanted("partition")) {
    CHECK(cudaMalloc(&gpu.samples, most));
    CHECK(cudaMalloc(&gpu.rest, most));
    CHECK(cudaMalloc(&gpu.flags, most / 8));
  }
  CHECK(cudaStreamSynchronize(gpu.stream));
  const bench_limits limits = bench_limits_of(settings);
  for (int lg : settings.device_sizes)
    for (size_t size : limits.read) add_limits(size, limits.copy.count(size), (size_t)1 << lg);
  if (wanted("scan")) add_cuda_scans(settings);
  if (wanted("histogram")) add_cuda_histograms(settings);
  if (wanted("partition")) add_cuda_partitions(settings);
  CHECK(cudaMalloc(&gpu.temporary, std::max<size_t>(gpu.temporary_bytes, 1)));
  return true;
}

static const bool is_linked = (bench_add_device = add_device, true);
