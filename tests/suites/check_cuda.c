/* SPDX-License-Identifier: Apache-2.0
 *
 * What only a CUDA device can show: random calls on device memory against the CPU's, to the bit; memory of
 * all kinds; streams, CUDA graphs, several devices; faults; kernels of a user's. Without a device each test
 * is skipped.
 *
 * ISOWARP_TEST_CASES   random cases (10000)
 * ISOWARP_TEST_CASE    this one alone
 * ISOWARP_TEST_MOST    the largest of them has 2^MOST elements (24, which takes some GB of memory on both sides)
 * ISOWARP_TEST_REPLAYS of a graph (1000)
 * ISOWARP_TEST_RUNS    log2 of the elements that are scanned ten times (28; on a CPU 20)
 * ISOWARP_TEST_ON=cpu  puts a CPU in the device's place, to try the random cases and kernels where there is none
 */
#define RANDOM_CALLS_MOST 24
#include "random_calls.h"
#include "cuda_kernels.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

extern const iw_kernel tiles_cpu, tiles_cuda, large_cpu, large_cuda, brimful_cuda, stray_cuda;

#define CUDA(call) do { const cudaError_t e_ = (call); \
  ck_assert_msg(e_ == cudaSuccess, "%s: %s", #call, cudaGetErrorString(e_)); } while (0)
/* The call fails so, with a message that has the word in it. */
static int on_cpu(void)
{
  const char *const on = getenv("ISOWARP_TEST_ON");
  return on && !strcmp(on, "cpu");
}

/* Why a test cannot run: known before the first one runs. */
static const char *lacks_device = "?";
static int lacks_second;
#define NEEDS_CUDA if (*lacks_device) return
#define NEEDS_TWO if (*lacks_device || lacks_second) return

static iw_context *open_cuda(void) { return open_on(IW_BACKEND_CUDA, 0); }

/* ---- Random calls: see random_calls.h ---------------------------------------------------------------- */

START_TEST(random_cases)
{
  const size_t cases = number("ISOWARP_TEST_CASES", 10000), only = number("ISOWARP_TEST_CASE", SIZE_MAX);
  const double start = now();
  if (!on_cpu())
    NEEDS_CUDA;
  static run r;
  open_run(&r, on_cpu() ? open_cpu() : open_cuda(), open_cpu());
  snprintf(r.device, sizeof r.device, "%s", on_cpu() ? "the CPU" : "CUDA");
  running = &r;
  void (*const before)(int) = signal(SIGTERM, stopped);
  if (only != SIZE_MAX) {
    r.number = only;
    one_case(&r);
    printf("# case %zu is equal: %s\n", only, r.what);
  } else {
    for (; r.number < cases; r.number++)
      one_case(&r);
    printf("# %zu random cases are equal, %zu of them above 2^20 elements, in %.0f s (ISOWARP_TEST_SEED=%" PRIu64 ")\n",
           cases, r.large, now() - start, test_seed());
    if (cases >= 10000 && r.pool.most >= 1 << 24)
      ck_assert_uint_ge(r.large, 500);
  }
  signal(SIGTERM, before);
  close_run(&r);
}
END_TEST

/* ---- Kernels of a user's ----------------------------------------------------------------------------- */

START_TEST(user_kernel)
{
  static const size_t sizes[] = { 1, 31, 32, 33, 1000, 4097, 100003 };
  static const unsigned blocks[] = { 32, 33, 96, 256, 1000, 1024 };
  if (!on_cpu())
    NEEDS_CUDA;
  iw_context *const gpu = on_cpu() ? open_cpu() : open_cuda(), *const cpu = open_cpu();
  start_random(10);
  for (unsigned s = 0; s < COUNT(sizes) - (getenv("ISOWARP_TEST_BRIEF") != NULL); s++)
    for (unsigned b = 0; b < COUNT(blocks); b++) {
      const size_t n = sizes[s], tiles = (n + blocks[b] - 1) / blocks[b], largest = tiles * sizeof(float);
      float *const in = malloc(n * 4), *const right = calloc(n, 4), *const most = calloc(tiles, 4);
      uint32_t *const numbers = malloc(n * 4), *const before = calloc(n, 4);
      void *const seen = calloc(n, 4), *const zeros = calloc(tiles + 8, 8);
      fill(IW_F32, in, n, UNIT);
      fill(IW_U32, numbers, n, WIDE);
      iw_tickets tickets = { .next = 0 };
      const tiles_args there = { in, numbers, right, most, before, zeros, &tickets, n, tiles };
      tiles_args here = {
        on_device(gpu, in, n * 4), on_device(gpu, numbers, n * 4), device_memory(gpu, n * 4),
        device_memory(gpu, largest), device_memory(gpu, n * 4),
        on_device(gpu, zeros, tiles * 8), on_device(gpu, &tickets, sizeof tickets), n, tiles,
      };
      FINE(iw_launch(cpu, &tiles_cpu, tiles < 7 ? tiles : 7, blocks[b], &there, sizeof there));
      for (unsigned again = 0; again < 3; again++) { /* words and tickets are left as the next launch wants them */
        FINE(iw_launch(gpu, on_cpu() ? &tiles_cpu : &tiles_cuda, tiles < 500 ? tiles : 500, blocks[b], &here,
                       sizeof here));
        FINE(iw_memory_copy(gpu, seen, here.shares, n * 4));
        EQUAL("shares", right, seen, n, 4);
        FINE(iw_memory_copy(gpu, seen, here.before, n * 4));
        EQUAL("numbers before", before, seen, n, 4);
        FINE(iw_memory_copy(gpu, seen, here.largest, largest));
        EQUAL("largest", most, seen, tiles, 4);
      }
      void *const memory[] = { (void *)(uintptr_t)here.in, (void *)(uintptr_t)here.numbers, here.shares,
                              here.largest,
                               here.before, here.slots, here.tickets };
      for (unsigned i = 0; i < COUNT(memory); i++)
        FINE(iw_memory_free(gpu, memory[i]));
      void *const host[] = { in, right, most, numbers, before, seen, zeros };
      for (unsigned i = 0; i < COUNT(host); i++)
        free(host[i]);
    }
  iw_context_close(gpu);
  iw_context_close(cpu);
}
END_TEST

/* Up to 48 KiB of shared memory, what the language has in it included, a block has without asking for it. */
START_TEST(shared_memory)
{
  NEEDS_CUDA;
  iw_context *const gpu = open_cuda();
  uint32_t *const out = device_memory(gpu, 4), sum = 0;
  FINE(iw_launch(gpu, &brimful_cuda, 1, 256, &(large_args){ out }, sizeof(large_args)));
  FINE(iw_memory_copy(gpu, &sum, out, 4));
  ck_assert_uint_eq(sum, BRIMFUL_WORDS / 2 * (BRIMFUL_WORDS - 1));
  /* The counters of a histogram that, with what the language has and what aligns them, are just above 48
   * KiB, and just below. */
  for (uint32_t bins = 11690; bins < 12310; bins += 10) {
    const float lo = 0, hi = 1;
    const iw_histogram_spec spec = { .size = sizeof spec, .bins = bins, .lo = &lo, .hi = &hi };
    const size_t n = 100000;
    float *const in = malloc(n * 4);
    uint64_t *const right = calloc(bins, 8), *const counts = calloc(bins, 8);
    iw_context *const cpu = open_cpu();
    start_random(bins);
    fill(IW_F32, in, n, UNIT);
    FINE(histogram_of(cpu, IW_F32, &spec, in, n, right, NULL));
    FINE(histogram_of(gpu, IW_F32, &spec, in, n, counts, NULL));
    EQUAL("counts", right, counts, bins, 8);
    iw_context_close(cpu);
    free(in);
    free(right);
    free(counts);
  }
  FINE(iw_memory_free(gpu, out));
  iw_context_close(gpu);
}
END_TEST

/* A context for both runs each build of a kernel where it belongs. */
START_TEST(two_builds)
{
  NEEDS_CUDA;
  iw_context *const gpu = open_cuda(), *const both = open_on(IW_BACKEND_AUTO, 0), *const cpu = open_cpu();
  uint32_t word = 0, *const there = on_device(gpu, &word, sizeof word);
  REFUSED(iw_launch(gpu, &large_cpu, 1, 32, &(large_args){ there }, sizeof(large_args)), IW_ERROR_MISMATCH,
          "nvcc");
  REFUSED(iw_launch(cpu, &large_cuda, 1, 32, &(large_args){ &word }, sizeof(large_args)), IW_ERROR_MISMATCH,
          "cuda");
  FINE(iw_launch(cpu, &large_cpu, 1, 32, &(large_args){ &word }, sizeof(large_args)));
  ck_assert_uint_eq(word, 7);
  word = 0;
  FINE(iw_launch(both, &large_cpu, 1, 32, &(large_args){ &word }, sizeof(large_args)));
  ck_assert_uint_eq(word, 7);
  FINE(iw_launch(both, &stray_cuda, 1, 32, &(large_args){ there }, sizeof(large_args)));
  word = 0;
  FINE(iw_memory_copy(both, &word, there, sizeof word));
  ck_assert_uint_eq(word, 7);
  FINE(iw_memory_free(both, there));
  iw_context_close(gpu);
  iw_context_close(both);
  iw_context_close(cpu);
}
END_TEST

/* ---- Memory ------------------------------------------------------------------------------------------ */

/* An input, and what calls make of it. */
typedef struct known {
  size_t n, front;
  float *in, *scanned, *divided, total, half;
  uint64_t counts[64];
  iw_histogram_spec spec;
} known;
static const float unit[] = { 0, 1 };

static known known_new(iw_context *cpu, size_t n, unsigned salt)
{
  known k = { .n = n, .half = 0.5f };
  k.in = malloc(n * 4);
  k.scanned = malloc(n * 4);
  k.divided = malloc(n * 4);
  start_random(2000 + salt);
  fill(IW_F32, k.in, n, UNIT);
  k.spec = (iw_histogram_spec){ .size = sizeof k.spec, .bins = 64, .lo = &unit[0], .hi = &unit[1] };
  FINE(iw_inclusive_scan(cpu, IW_SUM, IW_F32, k.in, n, k.scanned, NULL));
  FINE(iw_reduce(cpu, IW_SUM, IW_F32, k.in, n, &k.total, NULL));
  FINE(partition_by_pivot(cpu, IW_F32, k.in, n, &k.half, k.divided, &k.front));
  FINE(histogram_of(cpu, IW_F32, &k.spec, k.in, n, k.counts, NULL));
  return k;
}

static void known_free(known *k)
{
  free(k->in);
  free(k->scanned);
  free(k->divided);
}

/* All calls on memory of one kind or another; in and out may be anywhere. */
static void check_known(iw_context *context, const known *k, const float *in, float *out, const char *what)
{
  float *const seen = malloc(k->n * 4), total = 0;
  uint64_t counts[64];
  size_t front = 0;
  FINE(iw_inclusive_scan(context, IW_SUM, IW_F32, in, k->n, out, NULL));
  FINE(iw_memory_copy(context, seen, out, k->n * 4));
  EQUAL(what, k->scanned, seen, k->n, 4);
  FINE(iw_reduce(context, IW_SUM, IW_F32, in, k->n, &total, NULL));
  EQUAL(what, &k->total, &total, 1, 4);
  FINE(histogram_of(context, IW_F32, &k->spec, in, k->n, counts, NULL));
  EQUAL(what, k->counts, counts, 64, 8);
  FINE(partition_by_pivot(context, IW_F32, in, k->n, &k->half, out, &front));
  FINE(iw_memory_copy(context, seen, out, k->n * 4));
  EQUAL(what, k->divided, seen, k->n, 4);
  ck_assert_uint_eq(front, k->front);
  free(seen);
}

START_TEST(kinds_of_memory)
{
  enum { HOST, PINNED, DEVICE, MANAGED, KINDS };
  static const char *const names[] = { "host", "pinned", "device", "managed" };
  static const size_t sizes[] = { 1000, 3000001 }; /* below and above what is staged in one chunk */
  NEEDS_CUDA;
  iw_context *const cpu = open_cpu();
  for (unsigned s = 0; s < COUNT(sizes); s++) {
    known k = known_new(cpu, sizes[s], s);
    const size_t bytes = k.n * 4;
    for (unsigned automatic = 0; automatic < 2; automatic++) {
      iw_context *const context = open_on(automatic ? IW_BACKEND_AUTO : IW_BACKEND_CUDA, 0);
      void *in[KINDS], *out[KINDS];
      for (unsigned io = 0; io < 2; io++) {
        void **const memory = io ? out : in;
        memory[HOST] = malloc(bytes);
        CUDA(cudaHostAlloc(&memory[PINNED], bytes, cudaHostAllocDefault));
        CUDA(cudaMalloc(&memory[DEVICE], bytes));
        CUDA(cudaMallocManaged(&memory[MANAGED], bytes, cudaMemAttachGlobal));
      }
      for (unsigned i = 0; i < KINDS; i++) {
        CUDA(cudaMemcpy(in[i], k.in, bytes, cudaMemcpyDefault));
        for (unsigned o = 0; o < KINDS; o++) {
          char what[80];
          snprintf(what, sizeof what, "%s to %s memory, %s", names[i], names[o],
                   automatic ? "auto" : "cuda");
          check_known(context, &k, in[i], out[o], what);
        }
      }
      iw_context_close(context);
      for (unsigned io = 0; io < 2; io++) {
        void **const memory = io ? out : in;
        free(memory[HOST]);
        CUDA(cudaFreeHost(memory[PINNED]));
        CUDA(cudaFree(memory[DEVICE]));
        CUDA(cudaFree(memory[MANAGED]));
      }
    }
    known_free(&k);
  }
  iw_context_close(cpu);
}
END_TEST

/* ---- Ten runs ---------------------------------------------------------------------------------------- */

/* As doc/verify.md has it, of whole words. */
static uint64_t mixed(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static uint64_t digest_of(const void *words, size_t bytes)
{
  uint64_t sum = bytes;
  for (size_t i = 0; i < bytes / 8; i++) {
    uint64_t word;
    memcpy(&word, (const char *)words + 8 * i, 8);
    sum += mixed(word + (i + 1) * UINT64_C(0x9E3779B97F4A7C15));
  }
  return mixed(mixed(sum));
}

/* A scan of as many floats as one launch keeps busy for long, of both signs, gives the CPU's bits each
 * time. */
START_TEST(ten_runs)
{
  enum { RUNS_EACH = 10 };
  const size_t bits = number("ISOWARP_TEST_RUNS", on_cpu() ? 20 : 28), n = (size_t)1 << bits,
      bytes = n * sizeof(float);
  if (!on_cpu())
    NEEDS_CUDA;
  iw_context *const gpu = on_cpu() ? open_cpu() : open_cuda(), *const cpu = open_cpu();
  float *const in = malloc(bytes), *const right = malloc(bytes), *const seen = malloc(bytes), total;
  ck_assert(in && right && seen);
  start_random(90);
  for (size_t i = 0; i < n; i++)
    in[i] = (float)(int64_t)random_bits() * 0x1p-63f;
  float *const from = on_device(gpu, in, bytes), *const to = device_memory(gpu, bytes);
  FINE(iw_inclusive_scan(cpu, IW_SUM, IW_F32, in, n, right, NULL));
  const uint64_t digest = digest_of(right, bytes);
  for (unsigned run = 0; run < RUNS_EACH; run++) {
    FINE(iw_inclusive_scan(gpu, IW_SUM, IW_F32, from, n, to, NULL));
    FINE(iw_reduce(gpu, IW_SUM, IW_F32, from, n, &total, NULL));
    FINE(iw_memory_copy(gpu, seen, to, bytes));
    EQUAL("a scan that is run again", right, seen, n, 4);
    EQUAL("a reduction that is run again", &right[n - 1], &total, 1, 4);
    ck_assert_uint_eq(digest_of(seen, bytes), digest);
  }
  printf("# %d runs of 2^%zu f32 have the digest %016" PRIx64 ", the CPU's\n", RUNS_EACH, bits, digest);
  FINE(iw_memory_free(gpu, from));
  FINE(iw_memory_free(gpu, to));
  free(in);
  free(right);
  free(seen);
  iw_context_close(gpu);
  iw_context_close(cpu);
}
END_TEST

START_TEST(information)
{
  NEEDS_CUDA;
  iw_context_info info = { .size = sizeof info };
  iw_context *const gpu = open_cuda(), *const both = open_on(IW_BACKEND_AUTO, 0), *const cpu = open_cpu();
  FINE(iw_context_get_info(gpu, &info));
  ck_assert_int_eq(info.backend, IW_BACKEND_CUDA);
  ck_assert_str_eq(info.isa, "cuda");
  ck_assert_int_eq(info.device, 0);
  ck_assert_msg(strstr(info.why, "compute capability") && strstr(info.why, "driver"), "%s", info.why);
  FINE(iw_context_get_info(both, &info));
  ck_assert_int_eq(info.backend, IW_BACKEND_AUTO);
  ck_assert_msg(strstr(info.why, "CUDA") != NULL, "%s", info.why);
  FINE(iw_context_get_info(cpu, &info));
  ck_assert_int_eq(info.backend, IW_BACKEND_CPU);
  ck_assert_int_eq(info.device, -1);
  iw_context *none;
  const iw_context_options far = { .size = sizeof far, .backend = IW_BACKEND_CUDA, .device = 99 };
  REFUSED(iw_context_open(&none, &far), IW_ERROR_UNAVAILABLE, "99");
  ck_assert_ptr_null(none);
  iw_context_close(gpu);
  iw_context_close(both);
  iw_context_close(cpu);
}
END_TEST

/* Host memory of more than one piece, and of a last piece that is not full; copies of more than one chunk. */
START_TEST(pieces)
{
  enum { PATTERN = 1 << 20 };
  const size_t n = 45000001, bytes = ((size_t)3 << 26) + 12345;
  static const uint8_t lo = 0, hi = 255;
  const iw_histogram_spec spec = {
    .size = sizeof spec, .bins = 256, .lo = &lo, .hi = &hi, .flags = IW_HIST_HI_INCLUDED,
  };
  uint64_t right[256], counts[256];
  float total, found;
  double right_most = 0, most = 0;
  NEEDS_CUDA;
  iw_context *const gpu = open_cuda(), *const cpu = open_cpu();
  uint8_t *const samples = malloc(bytes), *const back = malloc(bytes);
  float *const in = malloc(n * sizeof *in);
  start_random(11);
  for (size_t i = 0; i < bytes; i++)
    samples[i] = (uint8_t)(i < PATTERN ? random_bits() : samples[i - PATTERN] + 1u);
  for (size_t i = 0; i < n; i++)
    in[i] = i < PATTERN ? (float)random_unit() : in[i - PATTERN] * 0.75f + 0.1f;
  FINE(histogram_of(cpu, IW_U8, &spec, samples, bytes, right, NULL));
  FINE(histogram_of(gpu, IW_U8, &spec, samples, bytes, counts, NULL));
  EQUAL("counts of pieces", right, counts, 256, 8);
  FINE(iw_reduce(cpu, IW_SUM, IW_F32, in, n, &total, NULL));
  FINE(iw_reduce(gpu, IW_SUM, IW_F32, in, n, &found, NULL));
  EQUAL("a sum of pieces", &total, &found, 1, 4);
  FINE(iw_reduce(cpu, IW_MAX, IW_F64, in, n / 2, &right_most, NULL));
  FINE(iw_reduce(gpu, IW_MAX, IW_F64, in, n / 2, &most, NULL));
  EQUAL("a maximum of pieces", &right_most, &most, 1, 8);
  for (int last = 0; last < 2; last++) { /* the same in another piece: the first one counts */
    size_t first, there;
    FINE(iw_argmax(cpu, IW_F64, in, n / 2, &first, NULL, NULL));
    FINE(iw_argmax(gpu, IW_F64, in, n / 2, &there, &most, NULL));
    EQUAL("where a maximum of pieces is", &first, &there, 1, sizeof first);
    EQUAL("and what it is", &right_most, &most, 1, 8);
    memcpy((double *)(void *)in + n / 2 - 1, &most, sizeof most);
  }
  char *const there = device_memory(gpu, bytes);
  FINE(iw_memory_copy(gpu, there + 1, samples, bytes - 1));
  memset(back, 0, bytes);
  FINE(iw_memory_copy(gpu, back, there + 1, bytes - 1));
  EQUAL("there and back", samples, back, bytes - 1, 1);
  FINE(iw_memory_free(gpu, there));
  free(samples);
  free(back);
  free(in);
  iw_context_close(gpu);
  iw_context_close(cpu);
}
END_TEST

/* ---- Streams ----------------------------------------------------------------------------------------- */

START_TEST(streams)
{
  enum { N = 200001, ROUNDS = 100 };
  NEEDS_CUDA;
  iw_context *const cpu = open_cpu(), *gpus[2] = { open_cuda(), open_cuda() };
  cudaStream_t streams[3];
  known k[2] = { known_new(cpu, N, 10), known_new(cpu, N, 11) };
  float *const seen = malloc(N * 4), *const twice = malloc(N * 4);
  float *in[2], *out[2], *again[2];
  FINE(iw_inclusive_scan(cpu, IW_SUM, IW_F32, k[0].scanned, N, twice, NULL));
  CUDA(cudaStreamCreate(&streams[0]));
  CUDA(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&streams[2], cudaStreamNonBlocking));
  for (unsigned i = 0; i < 2; i++) {
    in[i] = on_device(gpus[i], k[i].in, N * 4);
    out[i] = device_memory(gpus[i], N * 4);
    again[i] = device_memory(gpus[i], N * 4);
  }
  /* One context from stream to stream: the next call waits for the one before, wherever that runs. */
  for (unsigned round = 0; round < ROUNDS; round++) {
    CUDA(cudaMemsetAsync(out[0], 0, N * 4, streams[round % 3]));
    FINE(iw_context_set_stream(gpus[0], streams[round % 3]));
    FINE(iw_inclusive_scan(gpus[0], IW_SUM, IW_F32, in[0], N, out[0], NULL));
    FINE(iw_context_set_stream(gpus[0], round % 2 ? streams[(round + 1) % 3] : NULL));
    FINE(iw_inclusive_scan(gpus[0], IW_SUM, IW_F32, out[0], N, again[0], NULL));
    FINE(iw_context_synchronize(gpus[0]));
    CUDA(cudaMemcpy(seen, again[0], N * 4, cudaMemcpyDefault));
    EQUAL("a scan of a scan on two streams", twice, seen, N, 4);
  }
  /* The caller's work on the stream and the context's are in order. */
  FINE(iw_context_set_stream(gpus[0], streams[1]));
  for (unsigned round = 0; round < ROUNDS; round++) {
    CUDA(cudaMemcpyAsync(again[0], round % 2 ? in[0] : out[0], N * 4, cudaMemcpyDefault, streams[1]));
    FINE(iw_inclusive_scan(gpus[0], IW_SUM, IW_F32, again[0], N, again[0], NULL));
    CUDA(cudaMemcpyAsync(seen, again[0], N * 4, cudaMemcpyDefault, streams[1]));
    CUDA(cudaStreamSynchronize(streams[1]));
    EQUAL("a scan between two copies", round % 2 ? k[0].scanned : twice, seen, N, 4);
  }
  /* Two contexts, two streams, at the same time. */
  FINE(iw_context_set_stream(gpus[1], streams[2]));
  for (unsigned round = 0; round < ROUNDS; round++)
    for (unsigned i = 0; i < 2; i++)
      FINE(iw_inclusive_scan(gpus[i], IW_SUM, IW_F32, in[i], N, round % 2 ? out[i] : again[i], NULL));
  for (unsigned i = 0; i < 2; i++) {
    FINE(iw_context_synchronize(gpus[i]));
    CUDA(cudaMemcpy(seen, out[i], N * 4, cudaMemcpyDefault));
    EQUAL("a context of two", k[i].scanned, seen, N, 4);
    CUDA(cudaMemcpy(seen, again[i], N * 4, cudaMemcpyDefault));
    EQUAL("a context of two", k[i].scanned, seen, N, 4);
    check_known(gpus[i], &k[i], in[i], out[i], "on the caller's stream");
    FINE(iw_memory_free(gpus[i], in[i]));
    FINE(iw_memory_free(gpus[i], out[i]));
    FINE(iw_memory_free(gpus[i], again[i]));
    iw_context_close(gpus[i]);
    known_free(&k[i]);
  }
  for (unsigned i = 0; i < 3; i++)
    CUDA(cudaStreamDestroy(streams[i]));
  iw_context_close(cpu);
  free(seen);
  free(twice);
}
END_TEST

typedef struct job { const known *k; char wrong[300]; } job;

static void *job_of_thread(void *data)
{
  job *const j = data;
  const known *const k = j->k;
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CUDA };
  iw_context *gpu = NULL;
  void *in = NULL, *out = NULL;
  float *const seen = malloc(k->n * 4);
  size_t front;
#define TRY(call) if ((call) != IW_OK) { \
    snprintf(j->wrong, sizeof j->wrong, "%s: %.120s", #call, iw_message()); \
    goto end; \
  } else (void)0
  TRY(iw_context_open(&gpu, &options));
  TRY(iw_memory_allocate(gpu, k->n * 4, &in));
  TRY(iw_memory_allocate(gpu, k->n * 4, &out));
  TRY(iw_memory_copy(gpu, in, k->in, k->n * 4));
  for (unsigned round = 0; round < 50; round++) {
    TRY(iw_inclusive_scan(gpu, IW_SUM, IW_F32, in, k->n, out, NULL));
    TRY(iw_memory_copy(gpu, seen, out, k->n * 4));
    if (memcmp(seen, k->scanned, k->n * 4))
      snprintf(j->wrong, sizeof j->wrong, "round %u: the scan differs", round);
    TRY(partition_by_pivot(gpu, IW_F32, round % 5 ? in : k->in, k->n, &k->half, out, &front));
    TRY(iw_memory_copy(gpu, seen, out, k->n * 4));
    if (memcmp(seen, k->divided, k->n * 4) || front != k->front)
      snprintf(j->wrong, sizeof j->wrong, "round %u: the partition differs", round);
  }
end:
  if (gpu) {
    (void)iw_memory_free(gpu, in);
    (void)iw_memory_free(gpu, out);
  }
  iw_context_close(gpu);
  free(seen);
  return NULL;
}

START_TEST(host_threads)
{
  enum { THREADS = 6 };
  NEEDS_CUDA;
  iw_context *const cpu = open_cpu();
  pthread_t threads[THREADS];
  known k[THREADS];
  job jobs[THREADS];
  for (unsigned i = 0; i < THREADS; i++) {
    k[i] = known_new(cpu, 20000 + i * 77777, 20 + i);
    jobs[i] = (job){ &k[i], "" };
  }
  for (unsigned i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, job_of_thread, &jobs[i]), 0);
  for (unsigned i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (unsigned i = 0; i < THREADS; i++) {
    ck_assert_msg(!*jobs[i].wrong, "thread %u: %s", i, jobs[i].wrong);
    known_free(&k[i]);
  }
  iw_context_close(cpu);
}
END_TEST

START_TEST(two_devices)
{
  NEEDS_TWO;
  iw_context *const cpu = open_cpu();
  iw_context *const zero = open_on(IW_BACKEND_CUDA, 0), *const one = open_on(IW_BACKEND_CUDA, 1);
  known k = known_new(cpu, 300001, 30);
  iw_context *const gpus[] = { zero, one };
  float *in[2], *out[2], total = 5;
  int current = -1;
  for (unsigned i = 0; i < 2; i++) {
    in[i] = on_device(gpus[i], k.in, k.n * 4);
    out[i] = device_memory(gpus[i], k.n * 4);
    check_known(gpus[i], &k, in[i], out[i], i ? "on device 1" : "on device 0");
    CUDA(cudaGetDevice(&current));
    ck_assert_int_eq(current, 0); /* the thread's stays */
  }
  REFUSED(iw_inclusive_scan(one, IW_SUM, IW_F32, in[0], k.n, out[1], NULL), IW_ERROR_INVALID, "device 0");
  REFUSED(iw_inclusive_scan(zero, IW_SUM, IW_F32, in[0], k.n, out[1], NULL), IW_ERROR_INVALID, "device 1");
  REFUSED(iw_reduce(one, IW_SUM, IW_F32, in[0], k.n, &total, NULL), IW_ERROR_INVALID, "device 0");
  check_known(one, &k, in[1], out[1], "on device 1, after it was refused");
  for (unsigned i = 0; i < 2; i++) {
    FINE(iw_memory_free(gpus[i], in[i]));
    FINE(iw_memory_free(gpus[i], out[i]));
    iw_context_close(gpus[i]);
  }
  iw_context_close(cpu);
  known_free(&k);
}
END_TEST

/* ---- CUDA graphs ------------------------------------------------------------------------------------- */

enum { GRAPH_N = 100003, BINS = 40, INPUTS = 3 };

/* A sequence of calls, all of its memory on the device, and what should come of each input. */
typedef struct results {
  float scanned[GRAPH_N], total, divided[GRAPH_N], split[GRAPH_N];
  uint64_t counts[BINS], planned[BINS], pairs[BINS * BINS], rows[3 * BINS];
  float sums[BINS];
  size_t front, offsets[BINS + 1];
} results;
typedef struct sequence {
  iw_context *context;
  float *in, init, pivot, edges[BINS + 1];
  iw_histogram_plan *plan;
  results *out;
} sequence;

static void queue_sequence(const sequence *s)
{
  const iw_histogram_spec spec = { .size = sizeof spec, .kind = IW_HISTOGRAM_EDGES, .bins = BINS,
                                  .edges = s->edges };
  results *const out = s->out;
  FINE(iw_inclusive_scan(s->context, IW_SUM, IW_F32, s->in, GRAPH_N, out->scanned,
                         IW_OPTIONS(iw_scan_options, .init = &s->init)));
  FINE(iw_reduce(s->context, IW_MAX, IW_F32, out->scanned, GRAPH_N, &out->total, NULL));
  FINE(histogram_of(s->context, IW_F32, &spec, s->in, GRAPH_N, out->counts, NULL));
  FINE(histogram_by_plan(s->context, s->plan, s->in, GRAPH_N, out->planned, NULL));
  FINE(histogram_pairs(s->context, s->plan, s->in, s->plan, s->in + 1, GRAPH_N - 1, out->pairs));
  FINE(iw_histogram_rows(s->context, IW_OPTIONS(iw_histogram_spec, .plan = s->plan),
                         s->in, 3, GRAPH_N / 3, out->rows, NULL));
  FINE(weighted_histogram(s->context,
                             IW_OPTIONS(iw_histogram_spec, .plan = s->plan), s->in,
                             IW_F32, s->in, GRAPH_N, out->sums));
  FINE(partition_by_pivot(s->context, IW_F32, s->in, GRAPH_N, &s->pivot, out->divided, &out->front));
  FINE(multisplit_by_bins(s->context, IW_F32, s->in, GRAPH_N, &spec, out->split, out->offsets));
}

static void same_results(const char *what, size_t round, const results *right, const results *found)
{
  char text[100];
#define ONE(field) snprintf(text, sizeof text, "%s %zu: %s", what, round, #field); \
  EQUAL(text, (const char *)right + offsetof(results, field), (const char *)found + offsetof(results, field), \
        sizeof right->field / 4, 4)
  ONE(scanned);
  ONE(total);
  ONE(counts);
  ONE(planned);
  ONE(pairs);
  ONE(rows);
  ONE(sums);
  ONE(divided);
  ONE(front);
  ONE(split);
  ONE(offsets);
#undef ONE
}

static cudaGraphExec_t capture(cudaStream_t stream, const sequence *s)
{
  cudaGraph_t graph;
  cudaGraphExec_t made;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  queue_sequence(s);
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&made, graph, 0));
  CUDA(cudaGraphDestroy(graph));
  return made;
}

START_TEST(graph)
{
  const size_t replays = number("ISOWARP_TEST_REPLAYS", 1000);
  NEEDS_CUDA;
  iw_context *const cpu = open_cpu(), *const gpu = open_cuda();
  results *const right = malloc(INPUTS * sizeof *right), *const found = malloc(sizeof *found);
  float *inputs[INPUTS], *const in = malloc(GRAPH_N * 4);
  cudaStream_t stream;
  known k = known_new(cpu, 33333, 40), large = known_new(cpu, 4000001, 41);
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  FINE(iw_context_set_stream(gpu, stream));
  FINE(iw_context_reserve(gpu, 2 << 20));
  memset(right, 0, INPUTS * sizeof *right);
  sequence s = { .context = cpu, .in = in, .init = 0.125f, .pivot = 0.375f };
  for (unsigned e = 0; e <= BINS; e++)
    s.edges[e] = (float)(e * e) / (BINS * BINS);
  const iw_histogram_spec spec = { .size = sizeof spec, .kind = IW_HISTOGRAM_EDGES, .bins = BINS,
                                  .edges = s.edges };
  FINE(plan_of(gpu, IW_F32, &spec, NULL, 0, &s.plan)); /* its tables are on the device now */
  start_random(42);
  for (unsigned i = 0; i < INPUTS; i++) {
    fill(IW_F32, in, GRAPH_N, UNIT);
    inputs[i] = on_device(gpu, in, GRAPH_N * 4);
    s.out = &right[i];
    queue_sequence(&s);
  }
  s.context = gpu;
  s.in = device_memory(gpu, GRAPH_N * 4);
  s.out = device_memory(gpu, sizeof *s.out);
  float *const k_in = on_device(gpu, k.in, k.n * 4), *const k_out = device_memory(gpu, k.n * 4);
  float *const large_in = on_device(gpu, large.in, large.n * 4),
      *const large_out = device_memory(gpu, large.n * 4);
  cudaGraphExec_t exec = capture(stream, &s);
  const float edge = s.edges[3];
  s.edges[3] = s.edges[2]; /* host memory was captured by value */
  for (size_t round = 0; round < replays; round++) {
    CUDA(cudaMemsetAsync(s.out, 0, sizeof *s.out, stream));
    CUDA(cudaMemcpyAsync(s.in, inputs[round % INPUTS], GRAPH_N * 4, cudaMemcpyDefault, stream));
    CUDA(cudaGraphLaunch(exec, stream));
    if (round % 7 == 3)
      check_known(gpu, &k, k_in, k_out, "a call between replays");
    if (round % 100 == 50) { /* other scratch than the graph knows */
      FINE(iw_context_reserve(gpu, (4 + round / 100) << 20));
      check_known(gpu, &large, large_in, large_out, "a large call between replays");
    }
    FINE(iw_memory_copy(gpu, found, s.out, sizeof *found));
    same_results("replay", round, &right[round % INPUTS], found);
  }
  printf("# %zu replays are equal\n", replays);
  /* The context may be captured again. */
  CUDA(cudaGraphExecDestroy(exec));
  s.edges[3] = edge;
  exec = capture(stream, &s);
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaGraphLaunch(exec, stream));
  FINE(iw_memory_copy(gpu, found, s.out, sizeof *found));
  same_results("second graph", 0, &right[(replays - 1) % INPUTS], found);
  CUDA(cudaGraphExecDestroy(exec));
  void *const memory[] = { inputs[0], inputs[1], inputs[2], s.in, s.out, k_in, k_out, large_in, large_out };
  for (unsigned i = 0; i < COUNT(memory); i++)
    FINE(iw_memory_free(gpu, memory[i]));
  iw_histogram_plan_free(s.plan);
  iw_context_close(gpu);
  iw_context_close(cpu);
  CUDA(cudaStreamDestroy(stream));
  known_free(&k);
  known_free(&large);
  free(right);
  free(found);
  free(in);
}
END_TEST

/* A stream in chunks: each goes on where the one before ended, from what that left in device memory, and
 * nobody waits in between, or it could not be captured. */
START_TEST(chunks)
{
  enum { N = 3 * GROUP + 777 };
  static const size_t ends[] = { GROUP, 3 * GROUP, N };
  static const iw_type types[] = { IW_F32, IW_F64, IW_I32 };
  NEEDS_CUDA;
  iw_context *const cpu = open_cpu(), *const gpu = open_cuda(), *const both = open_on(IW_BACKEND_AUTO, 0);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  FINE(iw_context_set_stream(gpu, stream));
  FINE(iw_context_reserve(gpu, N * 8));
  for (unsigned t = 0; t < COUNT(types); t++) {
    const iw_type type = types[t];
    const size_t size = iw_type_size(type), bytes = N * size;
    char *const in = malloc(bytes), *const right = malloc(bytes), *const seen = malloc(bytes);
    const uint8_t flags[3] = { 1, 0, 1 };
    start_random(3000 + t);
    fill(type, in, N, WIDE);
    char *const from = on_device(gpu, in, bytes), *const out = on_device(gpu, in, bytes);
    char *const before = device_memory(gpu, bytes), *const total = device_memory(gpu, size);
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (size_t e = 0, done = 0; e < COUNT(ends); done = ends[e++]) {
      const size_t here = ends[e] - done, at = done * size;
      const void *const init = done ? out + at - size : NULL;
      FINE(iw_inclusive_scan(gpu, IW_SUM, type, from + at, here, out + at,
                             IW_OPTIONS(iw_scan_options, .init = init)));
      FINE(iw_exclusive_scan(gpu, IW_SUM, type, from + at, here, before + at,
                             IW_OPTIONS(iw_scan_options, .init = init)));
      FINE(iw_reduce(gpu, IW_SUM, type, from + at, here, total,
                     IW_OPTIONS(iw_scan_options, .init = done ? total : NULL)));
      FINE(iw_reduce(gpu, IW_SUM, type, NULL, 0, total, IW_OPTIONS(iw_scan_options, .init = total)));
    }
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned replay = 0; replay < 2; replay++)
      CUDA(cudaGraphLaunch(exec, stream));
    FINE(iw_inclusive_scan(cpu, IW_SUM, type, in, N, right, NULL));
    FINE(iw_memory_copy(gpu, seen, out, bytes));
    EQUAL("an inclusive scan in chunks", right, seen, N, size);
    FINE(iw_memory_copy(gpu, seen, total, size));
    EQUAL("a reduction in chunks", right + (N - 1) * size, seen, 1, size);
    FINE(iw_exclusive_scan(cpu, IW_SUM, type, in, N, right, NULL));
    FINE(iw_memory_copy(gpu, seen, before, bytes));
    EQUAL("an exclusive scan in chunks", right, seen, N, size);
    /* init there, and the arrays here; and the other way. */
    FINE(iw_memory_copy(gpu, seen, total, size));
    FINE(iw_exclusive_scan(cpu, IW_MAX, type, in, 1000, right, IW_OPTIONS(iw_scan_options, .init = seen)));
    FINE(iw_exclusive_scan(both, IW_MAX, type, in, 1000, seen + size, IW_OPTIONS(iw_scan_options, .init = total)));
    EQUAL("a scan of host memory from an init of the device's", right, seen + size, 1000, size);
    FINE(scan_segments(cpu, 1, IW_SUM, type, in, by_flags(flags), right, 3, seen));
    FINE(scan_segments(both, 1, IW_SUM, type, in, by_flags(flags), seen + size, 3, total));
    EQUAL("segments from an init of the device's", right, seen + size, 3, size);
    FINE(iw_reduce(gpu, IW_SUM, type, NULL, 0, seen + size, IW_OPTIONS(iw_scan_options, .init = total)));
    EQUAL("init of nothing", seen, seen + size, 1, size);
    REFUSED(iw_inclusive_scan(gpu, IW_SUM, type, from, 9, out, IW_OPTIONS(iw_scan_options, .init = out + 8 * size)), IW_ERROR_OVERLAP, "init");
    REFUSED(iw_inclusive_scan(gpu, IW_SUM, type, from, 9, out, IW_OPTIONS(iw_scan_options, .init = total + 1)), IW_ERROR_INVALID, "aligned");
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    void *const memory[] = { from, out, before, total };
    for (unsigned i = 0; i < COUNT(memory); i++)
      FINE(iw_memory_free(gpu, memory[i]));
    free(in);
    free(right);
    free(seen);
  }
  iw_context_close(cpu);
  iw_context_close(gpu);
  iw_context_close(both);
  CUDA(cudaStreamDestroy(stream));
}
END_TEST

/* Short calls are one kernel: nothing is zeroed before it, and nothing copied behind it. A histogram clears
 * the caller's counters, and a top-k ranks candidates. Segments are two,
 * batches and the tiles of long ones; argmin by key has one before that finds the runs, and one behind that
 * searches. A sort and a multisplit are one that counts digits, and one for each pass. */
START_TEST(graph_nodes)
{
  enum { N = 1 << 16, CALLS = 24 };
  static const struct { const char *name; size_t nodes; } calls[CALLS] = {
    { "argmin", 1 }, { "argmax without a value", 1 }, { "reduction", 1 }, { "reduction of rows", 1 }, { "scan", 1 }, { "unique", 1 },
    { "run lengths", 1 }, { "exact sum", 1 }, { "exact dot product", 1 }, { "lower bounds", 1 }, { "reduction by key", 1 },
    { "argmin by key", 4 }, { "sort", 5 }, { "multisplit", 2 }, { "reduction by offsets", 2 },
    { "scan by key", 1 }, { "exclusive scan by flags", 1 }, { "scan by flags in place", 1 }, { "select", 1 }, { "select by flags", 1 },
    { "partition", 1 }, { "histogram", 2 }, { "histogram that accumulates", 1 }, { "top-k", 2 },
  };
  NEEDS_CUDA;
  iw_context *const cpu = open_cpu(), *const gpu = open_cuda();
  cudaStream_t stream;
  float *const host = malloc(N * 4);
  start_random(57);
  fill(IW_F32, host, N, UNIT);
  host[40000] = -3;
  host[50000] = 3;
  float *const in = on_device(gpu, host, N * 4), *const out = device_memory(gpu, N * 4);
  size_t *const index = device_memory(gpu, sizeof *index), *const count = device_memory(gpu, sizeof *count), places[2];
  uint32_t *const lengths = device_memory(gpu, N * sizeof *lengths);
  size_t *const indices = device_memory(gpu, N * sizeof *indices);
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = 1024 };
  static const uint32_t three[] = { 0, 1000, N };
  uint32_t *const offsets = on_device(gpu, three, sizeof three);
  const iw_segments bounds = { .size = sizeof bounds, .kind = IW_SEGMENTS_OFFSETS, .offsets = offsets, .offset_type = IW_U32, .count = 2 };
  const iw_segments runs = { .size = sizeof runs, .kind = IW_SEGMENTS_KEYS, .keys = in, .key_type = IW_F32 };
  const iw_segments flags = { .size = sizeof flags, .kind = IW_SEGMENTS_FLAGS, .flags = (const uint8_t *)in };
  const iw_buckets buckets = { .size = sizeof buckets, .type = IW_F32, .bits = 8 };
  const float half = 0.5f;
  const iw_test by_value = { .size = sizeof by_value, .type = IW_F32, .constant = &half };
  const iw_test by_flags = { .size = sizeof by_flags, .type = IW_F32, .flags = (const uint8_t *)in };
  static const float lo = 0, hi = 1;
  iw_histogram_spec planned, bins = { .size = sizeof bins, .type = IW_F32, .bins = 256, .lo = &lo, .hi = &hi };
  iw_histogram_plan *plans[2];
  for (unsigned k = 0; k < 2; k++) { /* their tables are on the device before a capture */
    bins.flags = k ? IW_HIST_ACCUMULATE : 0;
    FINE(iw_histogram_plan_make(gpu, &bins, NULL, 0, &plans[k]));
    planned = iw_spec_of_plan(plans[k]);
    FINE(iw_histogram(gpu, &planned, in, N, indices, NULL));
  }
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  FINE(iw_context_set_stream(gpu, stream));
  FINE(iw_context_reserve(gpu, 2 << 20));
  for (unsigned k = 0; k < CALLS; k++) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t nodes = 0;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    switch (k) {
    case 0: FINE(iw_argmin(gpu, IW_F32, in, N, index, out, NULL)); break;
    case 1: FINE(iw_argmax(gpu, IW_F32, in, N, index, NULL, NULL)); break;
    case 2: FINE(iw_reduce(gpu, IW_SUM, IW_F32, in, N, out, NULL)); break;
    case 3: FINE(iw_reduce(gpu, IW_SUM, IW_F32, in, N, out, IW_OPTIONS(iw_scan_options, .segments = &rows))); break;
    case 4: FINE(iw_inclusive_scan(gpu, IW_SUM, IW_F32, in, N, out, NULL)); break;
    case 5: FINE(iw_unique(gpu, IW_F32, in, N, out, count, NULL)); break;
    case 6: FINE(iw_run_lengths(gpu, IW_F32, in, N, out, (iw_indices){ lengths, 4 }, count)); break;
    case 7: FINE(iw_sum_exact(gpu, IW_F32, in, N, IW_F64, out)); break;
    case 8: FINE(iw_dot_exact(gpu, IW_F32, in, in, N, IW_F64, out)); break;
    case 9: FINE(iw_bounds(gpu, IW_LOWER_BOUND, IW_F32, (iw_elements){ in, N }, (iw_elements){ in, 100 }, (iw_indices){ out, 4 }, NULL)); break;
    case 10:
      FINE(iw_reduce(gpu, IW_SUM, IW_F32, in, N, out,
                     IW_OPTIONS(iw_scan_options, .segments = &runs, .run_keys = lengths, .run_count = count)));
      break;
    case 11:
      FINE(iw_argmin(gpu, IW_F32, in, N, indices, NULL, IW_OPTIONS(iw_scan_options, .segments = &runs, .run_count = count)));
      break;
    case 12: FINE(iw_sort(gpu, IW_F32, in, N, out, NULL)); break;
    case 13: FINE(iw_multisplit(gpu, &buckets, in, N, out, indices, NULL)); break;
    case 14: FINE(iw_reduce(gpu, IW_SUM, IW_F32, in, N, out, IW_OPTIONS(iw_scan_options, .segments = &bounds))); break;
    case 15: FINE(iw_inclusive_scan(gpu, IW_SUM, IW_F32, in, N, out, IW_OPTIONS(iw_scan_options, .segments = &runs))); break;
    case 16: FINE(iw_exclusive_scan(gpu, IW_SUM, IW_F32, in, N, out, IW_OPTIONS(iw_scan_options, .segments = &flags))); break;
    case 17: FINE(iw_inclusive_scan(gpu, IW_SUM, IW_F32, out, N, out, IW_OPTIONS(iw_scan_options, .segments = &flags))); break;
    case 18: FINE(iw_select_if(gpu, &by_value, in, N, out, count, NULL)); break;
    case 19: FINE(iw_select_if(gpu, &by_flags, in, N, out, count, NULL)); break;
    case 20: FINE(iw_partition(gpu, &by_value, in, N, out, count, NULL)); break;
    case 21: case 22:
      planned = iw_spec_of_plan(plans[k - 21]);
      FINE(iw_histogram(gpu, &planned, in, N, indices, NULL));
      break;
    default: FINE(iw_top_k(gpu, IW_F32, in, N, 100, out, NULL));
    }
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphGetNodes(graph, NULL, &nodes));
    ck_assert_msg(nodes == calls[k].nodes, "%s: %zu nodes", calls[k].name, nodes);
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    if (k < 2)
      FINE(iw_memory_copy(gpu, &places[k], index, sizeof *index));
    if (k == 7 || k == 8) { /* again: the sum begins at 0 */
      double sum, right;
      CUDA(cudaGraphLaunch(exec, stream));
      FINE(iw_memory_copy(gpu, &sum, out, sizeof sum));
      FINE(k == 7 ? iw_sum_exact(cpu, IW_F32, host, N, IW_F64, &right) : iw_dot_exact(cpu, IW_F32, host, host, N, IW_F64, &right));
      ck_assert_msg(memcmp(&sum, &right, sizeof sum) == 0, "%s: %.17g, not %.17g", calls[k].name, sum, right);
    }
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
  }
  ck_assert_uint_eq(places[0], 40000);
  ck_assert_uint_eq(places[1], 50000);
  FINE(iw_memory_free(gpu, in));
  FINE(iw_memory_free(gpu, out));
  FINE(iw_memory_free(gpu, index));
  FINE(iw_memory_free(gpu, count));
  FINE(iw_memory_free(gpu, lengths));
  FINE(iw_memory_free(gpu, indices));
  FINE(iw_memory_free(gpu, offsets));
  iw_histogram_plan_free(plans[0]);
  iw_histogram_plan_free(plans[1]);
  iw_context_close(cpu);
  iw_context_close(gpu);
  CUDA(cudaStreamDestroy(stream));
  free(host);
}
END_TEST

/* Of a context that has made no call, sorts, multisplits and a top-k of a short array can be captured after
 * iw_context_reserve() of the documented number of bytes. */
START_TEST(reserved_sorts)
{
  enum { N = (1 << 20) + 77 };
  static const size_t sizes[] = { 1000, 8193, 1 << 16, 1 << 18, (1 << 18) + 1, N };
  static const iw_type types[] = { IW_U8, IW_U32, IW_F64 };
  NEEDS_CUDA;
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  iw_context *const maker = open_cuda();
  char *const in = device_memory(maker, N * 8), *const out = device_memory(maker, N * 8);
  size_t *const offsets = device_memory(maker, 257 * sizeof *offsets);
  static const char *const calls[] = { "sort", "multisplit", "top-k" };
  for (unsigned k = 0; k < COUNT(calls) * COUNT(sizes) * COUNT(types); k++) {
    const unsigned call = k % COUNT(calls);
    const iw_type type = types[k / COUNT(calls) % COUNT(types)];
    const size_t most = call == 2 ? (size_t)1 << 20 : N, n = sizes[k / COUNT(calls) / COUNT(types)] < most ? sizes[k / COUNT(calls) / COUNT(types)] : most;
    const size_t bytes = n * iw_type_size(type), more[] = { 20 * n, 13 * n + 64 * 256, 28 * n };
    const iw_buckets buckets = { .size = sizeof buckets, .type = type, .bits = 8 };
    iw_context *const gpu = open_cuda();
    cudaGraph_t graph;
    FINE(iw_context_set_stream(gpu, stream));
    FINE(iw_context_reserve(gpu, 2 * bytes + more[call] + (1 << 20)));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const iw_status status = call == 2 ? iw_top_k(gpu, type, in, n, n / 64, out, NULL)
      : call == 1 ? iw_multisplit(gpu, &buckets, in, n, out, offsets, NULL) : iw_sort(gpu, type, in, n, out, NULL);
    CUDA(cudaStreamEndCapture(stream, &graph));
    ck_assert_msg(status == IW_OK, "%s of %zu %s: %s", calls[call], n, iw_type_name(type), iw_message());
    CUDA(cudaGraphDestroy(graph));
    iw_context_close(gpu);
  }
  FINE(iw_memory_free(maker, in));
  FINE(iw_memory_free(maker, out));
  FINE(iw_memory_free(maker, offsets));
  iw_context_close(maker);
  CUDA(cudaStreamDestroy(stream));
}
END_TEST

/* What cannot be captured says so, and leaves a graph and a context that work. */
START_TEST(graph_misuse)
{
  enum { N = 100000 };
  NEEDS_CUDA;
  iw_context *const cpu = open_cpu(), *gpu = open_cuda();
  known k = known_new(cpu, N, 50);
  cudaStream_t stream, other;
  cudaGraph_t captured;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  float *const in = on_device(gpu, k.in, N * 4), *const out = device_memory(gpu, N * 4), total = 99;
  iw_histogram_report report = { .size = sizeof report };
  uint64_t *const counts = device_memory(gpu, sizeof k.counts);
  size_t front = 7;
  const iw_histogram_spec automatic = { .size = sizeof automatic, .bins = 64 };
  FINE(iw_context_set_stream(gpu, stream));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  /* There is no scratch yet. */
  REFUSED(iw_inclusive_scan(gpu, IW_SUM, IW_F32, in, N, out, NULL), IW_ERROR_MEMORY, "captured");
  REFUSED(multisplit_by_bins(gpu, IW_F32, in, N, &k.spec, out, (size_t *)counts), IW_ERROR_MEMORY,
          "iw_context_reserve");
  CUDA(cudaStreamEndCapture(stream, &captured));
  CUDA(cudaGraphDestroy(captured));
  check_known(gpu, &k, in, out, "after a capture without scratch");
  FINE(iw_context_reserve(gpu, 16 << 20));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  REFUSED(iw_inclusive_scan(gpu, IW_SUM, IW_F32, k.in, N, out, NULL), IW_ERROR_INVALID, "host memory");
  REFUSED(iw_reduce(gpu, IW_SUM, IW_F32, in, N, (void *)(uintptr_t)&total, NULL), IW_ERROR_INVALID,
          "captured");
  REFUSED(partition_by_pivot(gpu, IW_F32, in, N, &k.half, out, &front), IW_ERROR_INVALID, "captured");
  REFUSED(histogram_of(gpu, IW_F32, &k.spec, in, N, counts, &report), IW_ERROR_INVALID, "captured");
  REFUSED(histogram_of(gpu, IW_F32, &automatic, in, N, counts, NULL), IW_ERROR_INVALID, "captured");
  REFUSED(iw_context_set_stream(gpu, other), IW_ERROR_INVALID, "captured");
  ck_assert(iw_context_synchronize(gpu) != IW_OK);
  captured = NULL;
  (void)cudaStreamEndCapture(stream, &captured); /* whatever it says: that was the caller's fault */
  if (captured)
    CUDA(cudaGraphDestroy(captured));
  (void)cudaGetLastError();
  ck_assert(total == 99);
  ck_assert_uint_eq(front, 7);
  check_known(gpu, &k, in, out, "after a capture of what cannot be captured");
  FINE(iw_context_set_stream(gpu, other));
  check_known(gpu, &k, in, out, "on another stream");
  iw_context_close(gpu);
  gpu = open_cuda();
  check_known(gpu, &k, in, out, "in a new context");
  FINE(iw_memory_free(gpu, in));
  FINE(iw_memory_free(gpu, out));
  FINE(iw_memory_free(gpu, counts));
  iw_context_close(gpu);
  iw_context_close(cpu);
  CUDA(cudaStreamDestroy(stream));
  CUDA(cudaStreamDestroy(other));
  known_free(&k);
}
END_TEST

/* ---- Faults ------------------------------------------------------------------------------------------ */

START_TEST(arguments)
{
  NEEDS_CUDA;
  iw_context *gpu = open_cuda(), *const cpu = open_cpu();
  known k = known_new(cpu, 50000, 60);
  char *const in = on_device(gpu, k.in, k.n * 4);
  float *const out = device_memory(gpu, k.n * 4);
  size_t front;
  REFUSED(iw_inclusive_scan(gpu, IW_SUM, IW_F32, in + 1, 100, out, NULL), IW_ERROR_INVALID, "aligned");
  REFUSED(partition_by_pivot(gpu, IW_F64, in + 4, 100, unit, out, &front), IW_ERROR_INVALID, "aligned");
  REFUSED(iw_inclusive_scan(gpu, IW_SUM, IW_F32, in, 100, in + 4, NULL), IW_ERROR_OVERLAP, "in");
  check_known(gpu, &k, (float *)(void *)in, out, "after arguments were refused");
  REFUSED(iw_launch(gpu, &large_cuda, 1, 32, &(large_args){ (uint32_t *)out }, sizeof(large_args)),
          IW_ERROR_LAUNCH, "shared memory");
  check_known(gpu, &k, (float *)(void *)in, out, "after a kernel with too much shared memory");
  REFUSED(iw_launch(gpu, &stray_cuda, (size_t)1 << 31, 32, &(large_args){ (uint32_t *)out },
                    sizeof(large_args)), IW_ERROR_INVALID, "grid");
  REFUSED(iw_launch(gpu, &stray_cuda, 1, 1025, &(large_args){ (uint32_t *)out }, sizeof(large_args)),
          IW_ERROR_INVALID, "1024");
  REFUSED(iw_launch(gpu, &large_cpu, 1, 32, &(large_args){ (uint32_t *)out }, sizeof(large_args)),
          IW_ERROR_MISMATCH, "nvcc");
  FINE(iw_launch(gpu, &stray_cuda, 0, 32, &(large_args){ NULL }, sizeof(large_args)));
  check_known(gpu, &k, (float *)(void *)in, out, "after launches were refused");
  iw_context_close(gpu);
  gpu = open_cuda();
  check_known(gpu, &k, (float *)(void *)in, out, "in a new context");
  FINE(iw_memory_free(gpu, in));
  FINE(iw_memory_free(gpu, out));
  iw_context_close(gpu);
  iw_context_close(cpu);
  known_free(&k);
}
END_TEST

/* With next to nothing left, calls say so; host data that is larger than what is left is counted and added
 * up all the same. */
START_TEST(memory_exhausted)
{
  enum { HOGS = 64 };
  const size_t n = (size_t)1 << 27, room = (size_t)700 << 20; /* 1 GiB of host data on 700 MB */
  size_t left, all, hogs = 0;
  void *memory = &left, *taken[HOGS];
  static const double lo = 0, hi = 1;
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = 100, .lo = &lo, .hi = &hi };
  uint64_t right[100], counts[100];
  double total, found;
  NEEDS_CUDA;
  iw_context *gpu = open_cuda(), *const cpu = open_cpu();
  known k = known_new(cpu, 50000, 70);
  float *const in = on_device(gpu, k.in, k.n * 4), *const out = device_memory(gpu, k.n * 4);
  CUDA(cudaMemGetInfo(&left, &all));
  REFUSED(iw_memory_allocate(gpu, all + (1 << 30), &memory), IW_ERROR_MEMORY, "bytes");
  ck_assert_ptr_null(memory);
  REFUSED(iw_context_reserve(gpu, all + (1 << 30)), IW_ERROR_MEMORY, "bytes");
  check_known(gpu, &k, in, out, "after memory could not be had");

  double *const host = malloc(n * sizeof *host);
  ck_assert_ptr_nonnull(host);
  start_random(71);
  for (size_t i = 0; i < n; i++)
    host[i] = i < 1 << 20 ? random_unit() : host[i - (1 << 20)] * 0.9375;
  FINE(histogram_of(cpu, IW_F64, &spec, host, n, right, NULL));
  FINE(iw_reduce(cpu, IW_SUM, IW_F64, host, n, &total, NULL));
  FINE(iw_reduce(gpu, IW_SUM, IW_F64, host, 1000, &found, NULL)); /* its code is there then */
  CUDA(cudaMemGetInfo(&left, &all));
  while (hogs < HOGS && left > room + (64 << 20)) {
    if (cudaMalloc(&taken[hogs], left - room) == cudaSuccess)
      hogs++;
    else
      break;
    CUDA(cudaMemGetInfo(&left, &all));
  }
  (void)cudaGetLastError();
  if (left < (size_t)1 << 30) {
    FINE(histogram_of(gpu, IW_F64, &spec, host, n, counts, NULL));
    EQUAL("counts of more than the device has room for", right, counts, 100, 8);
    FINE(iw_reduce(gpu, IW_SUM, IW_F64, host, n, &found, NULL));
    EQUAL("the sum of more than the device has room for", &total, &found, 1, 8);
    /* What is staged whole has to fit. */
    REFUSED(iw_inclusive_scan(gpu, IW_SUM, IW_F64, host, n, host, NULL), IW_ERROR_MEMORY, "bytes");
    REFUSED(iw_memory_allocate(gpu, (size_t)1 << 30, &memory), IW_ERROR_MEMORY, "free of");
    check_known(gpu, &k, in, out, "with little memory");
  } else
    printf("# others use the device, so its memory was not filled: %zu bytes are left\n", left);
  while (hogs)
    CUDA(cudaFree(taken[--hogs]));
  check_known(gpu, &k, in, out, "with memory again");
  iw_context_close(gpu);
  gpu = open_cuda();
  check_known(gpu, &k, in, out, "in a new context");
  FINE(iw_memory_free(gpu, in));
  FINE(iw_memory_free(gpu, out));
  iw_context_close(gpu);
  iw_context_close(cpu);
  known_free(&k);
  free(host);
}
END_TEST

/* A kernel that fails takes the process's device with it, so another process tries: each call says what
 * happened, and the context can be closed. 0 if so. */
static int run_stray(void)
{
  iw_context *gpu, *again = NULL;
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CUDA };
  if (iw_context_open(&gpu, &options) != IW_OK)
    return 2;
  if (iw_launch(gpu, &stray_cuda, 1, 32, &(large_args){ NULL }, sizeof(large_args)) != IW_OK)
    return 3;
  const iw_status status = iw_context_synchronize(gpu);
  printf("# a kernel that writes nowhere: %s, %s\n", iw_status_name(status), iw_message());
  if (status != IW_ERROR_LAUNCH || !*iw_message())
    return 4;
  uint32_t in[4] = { 1, 2, 3, 4 }, out[4];
  if (iw_inclusive_scan(gpu, IW_SUM, IW_U32, in, 4, out, NULL) == IW_OK)
    return 5;
  iw_context_close(gpu);
  if (iw_context_open(&again, &options) != IW_OK && (again || !*iw_message()))
    return 6;
  iw_context_close(again);
  const iw_context_options cpu = { .size = sizeof cpu, .backend = IW_BACKEND_CPU };
  if (iw_context_open(&again, &cpu) != IW_OK || iw_inclusive_scan(again, IW_SUM, IW_U32, in, 4, out,
      NULL) != IW_OK)
    return 7; /* the CPU is still there */
  iw_context_close(again);
  return out[3] == 10 ? 0 : 8;
}

START_TEST(failing_kernel)
{
  NEEDS_CUDA;
  fflush(stdout);
  const pid_t other = fork();
  if (other == 0) {
    execl("/proc/self/exe", "check_cuda", "stray", (char *)NULL);
    _exit(9);
  }
  int ended = 0;
  ck_assert_int_eq(waitpid(other, &ended, 0), other);
  ck_assert_msg(WIFEXITED(ended), "it ended by signal %d", WIFSIGNALED(ended) ? WTERMSIG(ended) : 0);
  ck_assert_int_eq(WEXITSTATUS(ended), 0);
}
END_TEST

/* What is measured for an AUTO context changes where its calls run, and no result. */
START_TEST(offload_threshold)
{
  NEEDS_CUDA;
  iw_context *const both = open_on(IW_BACKEND_AUTO, 0), *const cpu = open_cpu();
  size_t bytes = 0;
  known k = known_new(cpu, 5000001, 80);
  float *const out = malloc(k.n * 4);
  check_known(both, &k, k.in, out, "before it is measured");
  FINE(iw_context_measure_offload_threshold(both, &bytes));
  if (bytes == SIZE_MAX)
    printf("# offload threshold: host data is always faster on the CPU\n");
  else
    printf("# offload threshold: host data from %zu bytes on is faster on the device\n", bytes);
  ck_assert_uint_gt(bytes, 0);
  check_known(both, &k, k.in, out, "after it was measured");
  free(out);
  known_free(&k);
  iw_context_close(both);
  iw_context_close(cpu);
}
END_TEST

/* ---- All --------------------------------------------------------------------------------------------- */

/* A case that is skipped where `lack` says why; see run_suite_on_all(). */
static TCase *case_unless(Suite *suite, const char *name, const char *lack, char text[700])
{
  snprintf(text, 700, *lack ? "%s # SKIP %s" : "%s%s", name, lack);
  return new_case(suite, text);
}

int main(int count, char **words)
{
  if (count > 1 && !strcmp(words[1], "stray"))
    return run_stray();
  char random_text[700], others_text[700], two_text[700];
  Suite *suite = suite_create("cuda");
  lacks_device = no_cuda();
  lacks_second = *no_device(1) != 0;
  printf(*lacks_device ? "# not on CUDA: %s\n" : "# on CUDA%s\n", lacks_device);
  if (*lacks_device && !on_cpu()) { /* one skipped result stands for all */
    tcase_add_test(new_case(suite, "all # SKIP no device"), random_cases);
    return run_suite(suite);
  }
  TCase *c = case_unless(suite, "random", on_cpu() ? "" : lacks_device, random_text);
  tcase_set_timeout(c, 3600);
  tcase_add_test(c, random_cases);
  tcase_add_test(c, user_kernel);
  tcase_add_test(c, shared_memory);
  c = case_unless(suite, "device", lacks_device, others_text);
  tcase_add_test(c, information);
  tcase_add_test(c, ten_runs);
  tcase_add_test(c, two_builds);
  tcase_add_test(c, kinds_of_memory);
  tcase_add_test(c, pieces);
  tcase_add_test(c, streams);
  tcase_add_test(c, host_threads);
  tcase_add_test(c, graph);
  tcase_add_test(c, chunks);
  tcase_add_test(c, graph_nodes);
  tcase_add_test(c, reserved_sorts);
  tcase_add_test(c, graph_misuse);
  tcase_add_test(c, arguments);
  tcase_add_test(c, memory_exhausted);
  tcase_add_test(c, offload_threshold);
  tcase_add_test(c, failing_kernel);
  c = case_unless(suite, "two devices", no_device(1), two_text);
  tcase_add_test(c, two_devices);
  return run_suite(suite);
}
