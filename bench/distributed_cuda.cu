/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed calls over all GPUs of this machine, a thread for each, by NCCL: results are compared with
 * those of one GPU, for several cuts; then times of calls of f32 on all GPUs and on one, of three by CUB on
 * each GPU with NCCL in between, and of NCCL's own exchanges, which limit them. bench/distributed.sh builds
 * and runs it. Times are medians of 15 runs by the clock, from a barrier to the completion on the last rank.
 *
 * usage: distributed_cuda [LOG2_N [LIBNCCL [RANDOM [RANKS [messages]]]]]
 * 2^LOG2_N elements in all, 30 unless given; RANDOM: so many calls of random length and cut are compared, and
 * scans of the whole array; 0, unless given: only short arrays are; RANKS: GPUs, all unless given; messages:
 * GPUs exchange by NCCL's messages, as ranks that are processes do, instead of by copies.
 * ISOWARP_TEST_SEED: of the random ones.
 * Exit status: 1 if a result differs.
 */
#include "../tests/suites/distributed_calls.h"

#include <isowarp/nccl.h>
#include <isowarp/threads.h>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#define FINE(call) do { if ((int)(call) != 0) { fprintf(stderr, "%s failed: %s\n", #call, iw_message()); exit(1); } } while (0)

enum { RUNS = 15, BINS = 256 };
static unsigned ranks = 1;
static thread_local const iw_peers *own_peers; /* of this rank */
static thread_local cudaStream_t own_stream;   /* of its context */

/* Waits for all ranks, without sleeping: to wake up takes longer than some of what is measured. */
static void barrier(void)
{
  static std::atomic<unsigned> there(0), turn(0);
  const unsigned mine = turn.load();
  if (there.fetch_add(1) + 1 == ranks) {
    there.store(0);
    turn.fetch_add(1);
  } else {
    while (turn.load() == mine)
      std::this_thread::yield();
  }
}

/* Numbers in (-1, 1), those from `begin` on. */
static __global__ void fill(float *x, size_t begin, size_t n)
{
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x) {
    unsigned long long h = (begin + i + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    x[i] = (float)(int)(h >> 32) / 2147483648.0f;
  }
}

/* Keys in runs of 10, those from `begin` on. */
static __global__ void fill_keys(unsigned *keys, size_t begin, size_t n)
{
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    keys[i] = (unsigned)((begin + i) / 10);
}

/* Adds up a digest of each element and its place. */
static __global__ void digest(const float *x, size_t begin, size_t n, unsigned long long *sum)
{
  unsigned long long own = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    unsigned long long h = (begin + i) * 0x9e3779b97f4a7c15u + __float_as_uint(x[i]);
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    own += h ^ h >> 31;
  }
  atomicAdd(sum, own);
}

static unsigned long long digest_of(const float *x, size_t begin, size_t n)
{
  unsigned long long *sum, found;
  FINE(cudaMalloc(&sum, sizeof *sum));
  FINE(cudaMemset(sum, 0, sizeof *sum));
  if (n > 0)
    digest<<<1024, 256>>>(x, begin, n, sum);
  FINE(cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost));
  FINE(cudaFree(sum));
  return found;
}

static void fill_whole(float *x, size_t begin, size_t n)
{
  if (n > 0)
    fill<<<1024, 256>>>(x, begin, n);
  FINE(cudaDeviceSynchronize());
}

/* The median of the times in which all ranks that take part have done the call. */
template <class Call> static double median_ms(bool takes_part, Call call)
{
  std::vector<double> times;
  for (int run = -3; run < RUNS; run++) {
    barrier();
    const auto start = std::chrono::steady_clock::now();
    if (takes_part)
      call();
    barrier();
    if (run >= 0)
      times.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times[RUNS / 2];
}

/* CUB on each GPU, and NCCL. */
struct by_hand {
  iw_nccl *nccl;
  cudaStream_t stream;
  void *scratch;
  size_t scratch_bytes;
  float *total, *totals;          /* of this rank, of all */
  unsigned long long *counts;

  template <class Call> void run(Call call)
  {
    size_t bytes = 0;
    FINE(call((void *)NULL, bytes));
    if (bytes > scratch_bytes) {
      FINE(cudaFree(scratch));
      FINE(cudaMalloc(&scratch, scratch_bytes = bytes));
    }
    FINE(call(scratch, bytes));
  }
  void reduce_part(const float *x, size_t n)
  {
    run([&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, x, total, n, stream); });
  }
  void scan(const float *x, float *y, size_t n)
  {
    std::vector<float> host(ranks);
    float before = 0;
    reduce_part(x, n);
    FINE(nccl->all_gather(total, totals, sizeof(float), 1, nccl->comm, stream));
    FINE(cudaMemcpyAsync(host.data(), totals, ranks * sizeof(float), cudaMemcpyDeviceToHost, stream));
    FINE(cudaStreamSynchronize(stream));
    for (unsigned r = 0; r < nccl->rank; r++)
      before += host[r];
    run([&](void *s, size_t &b) {
      return cub::DeviceScan::InclusiveScanInit(s, b, x, y, cuda::std::plus<>{}, before, n, stream);
    });
    FINE(cudaStreamSynchronize(stream));
  }
  void reduce(const float *x, size_t n)
  {
    reduce_part(x, n);
    FINE(nccl->all_reduce(total, totals, 1, 7 /* ncclFloat32 */, 0, nccl->comm, stream));
    FINE(cudaStreamSynchronize(stream));
  }
  void histogram(const float *x, size_t n)
  {
    run([&](void *s, size_t &b) {
      return cub::DeviceHistogram::HistogramEven(s, b, x, counts, BINS + 1, -1.0f, 1.0f, n, stream);
    });
    FINE(nccl->all_reduce(counts, counts, BINS, 5, 0, nccl->comm, stream));
    FINE(cudaStreamSynchronize(stream));
  }
};

/* Calls over short arrays in all cuts. */
static int check_short(rank *k)
{
  static const size_t lengths[] = { 0, 1, 1000, 131072, 393221, 5000003, 16777216 + 77 };
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (int cut = 0; cut < CUTS; cut++)
      check_cut(k, lengths[i], cut, 10 * i + (unsigned)cut);
  return k->wrong;
}

/* Calls of random length, mostly short, in random cuts. */
static int check_random(rank *k, size_t count)
{
  const char *const given = getenv("ISOWARP_TEST_SEED");
  const uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
  for (size_t i = 0; i < count; i++) {
    const uint32_t a = mix(seed * 1000003 + 2 * i), b = mix(seed * 1000003 + 2 * i + 1);
    check_cut(k, a % ((size_t)2 << b % 22), (int)(b / 22 % CUTS), seed + i);
  }
  return k->wrong;
}

static float *expected; /* in host memory: the scan of the whole array on one GPU */

/* A scan of the long array in some cuts, compared with that of one GPU. */
static void check_long(rank *k, size_t n, float *x, float *y)
{
  for (int cut = CUT_EVEN; cut <= CUT_RANDOM; cut++) {
    k->n = n;
    k->begin = cut_at(cut, k->number, k->count, n, 5);
    k->part = cut_at(cut, k->number + 1, k->count, n, 5) - k->begin;
    std::vector<float> got(k->part);
    float last = 0;
    fill_whole(x, k->begin, k->part);
    FINE(iw_distributed_inclusive_scan(k->ranks, IW_SUM, IW_F32, x, k->part, y, NULL));
    FINE(iw_memory_copy(k->context, got.data(), y, 4 * k->part));
    if (memcmp(got.data(), expected + k->begin, 4 * k->part) != 0) {
      fprintf(stderr, "rank %u: a scan of %zu elements, cut %s, differs from that of one GPU\n", k->number,
              n, cut_names[cut]);
      k->wrong++;
    }
    FINE(iw_distributed_reduce(k->ranks, IW_SUM, IW_F32, x, k->part, &last, NULL));
    compare_numbers(k, "the sum of the long array", *(uint32_t *)&last, *(uint32_t *)&expected[n - 1]);
  }
}

static void report(const rank *k, const char *name, double one, double all, double hand)
{
  if (k->number != 0)
    return;
  printf("%-18s %10.3f ms on one GPU, %8.3f ms on %u (%.2f times)", name, one, all, ranks, one / all);
  if (hand > 0)
    printf(", CUB and NCCL %8.3f ms (%.2f times)", hand, one / hand);
  printf("\n");
  fflush(stdout);
}

/* What a distributed call is made of. `parts`: the same call on each rank's part alone. */
static void report_parts(const rank *k, const char *name, double parts)
{
  if (k->number == 0)
    printf("  %-32s %8.3f ms\n", name, parts);
}

/* Calls whose results are the same as those of one GPU, or numbers. */
static void time_numbers(rank *k, size_t n, float *x, float *y, size_t part, by_hand *hand, uint64_t *counts)
{
  static const float lo = -1, hi = 1;
  const iw_histogram_spec spec = { sizeof spec, IW_F32, IW_HISTOGRAM_EVEN, BINS, &lo, &hi, NULL, NULL, IW_POLICY_DROP, 0, 0, NULL };
  const bool first = k->number == 0;
  float sum;
  uint64_t begin, total;
  const auto scan_alone = [&](size_t m) {
    FINE(iw_inclusive_scan(k->context, IW_SUM, IW_F32, x, m, y, NULL));
    FINE(iw_context_synchronize(k->context));
  };
  const auto reduce_alone = [&](size_t m) {
    FINE(iw_reduce(k->context, IW_SUM, IW_F32, x, m, &sum, NULL));
    FINE(iw_context_synchronize(k->context));
  };
  const auto count_alone = [&](size_t m) {
    FINE(iw_histogram(k->context, &spec, x, m, counts, NULL));
    FINE(iw_context_synchronize(k->context));
  };
  report(k, "scan", median_ms(first, [&] { scan_alone(n); }),
         median_ms(true, [&] { FINE(iw_distributed_inclusive_scan(k->ranks, IW_SUM, IW_F32, x, part, y, NULL)); }),
         median_ms(true, [&] { hand->scan(x, y, part); }));
  report_parts(k, "its part alone", median_ms(true, [&] { scan_alone(part); }));
  report(k, "reduce", median_ms(first, [&] { reduce_alone(n); }),
         median_ms(true, [&] { FINE(iw_distributed_reduce(k->ranks, IW_SUM, IW_F32, x, part, &sum, NULL)); }),
         median_ms(true, [&] { hand->reduce(x, part); }));
  report_parts(k, "its part alone", median_ms(true, [&] { reduce_alone(part); }));
  report(k, "histogram", median_ms(first, [&] { count_alone(n); }),
         median_ms(true, [&] { FINE(iw_distributed_histogram(k->ranks, &spec, x, part, counts, NULL)); }),
         median_ms(true, [&] { hand->histogram(x, part); }));
  report_parts(k, "its part alone", median_ms(true, [&] { count_alone(part); }));
  report_parts(k, "an agreement", median_ms(true, [&] { FINE(iw_distributed_extent(k->ranks, part, &begin, &total)); }));
  report_parts(k, "nothing", median_ms(true, [] {}));
}

/* Peers that add up the time of their all-to-alls, which begin together when all kernels before are done. */
struct timed_peers { iw_peers peers; double ms; };

static iw_status timed_all_to_all(void *self, const iw_all_to_all *x, void *stream)
{
  timed_peers *const t = (timed_peers *)self;
  FINE(cudaStreamSynchronize((cudaStream_t)stream));
  barrier();
  const auto start = std::chrono::steady_clock::now();
  FINE(t->peers.all_to_all(t->peers.self, x, stream));
  FINE(cudaStreamSynchronize((cudaStream_t)stream));
  barrier();
  t->ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return IW_OK;
}

static iw_status timed_all_gather(void *self, const void *send, void *receive, const size_t *bytes, void *stream)
{
  const iw_peers *const by = &((timed_peers *)self)->peers;
  return by->all_gather(by->self, send, receive, bytes, stream);
}

static iw_status timed_all_reduce(void *self, uint64_t *values, size_t n, void *stream)
{
  const iw_peers *const by = &((timed_peers *)self)->peers;
  return by->all_reduce_u64(by->self, values, n, stream);
}

/* Calls with results on each rank: one(m) is a call of m elements on this rank's GPU, all(handle) the
 * distributed one. */
template <class One, class All> static void time_call(rank *k, const char *name, size_t n, size_t part, One one, All all)
{
  const auto alone = [&](size_t m) {
    FINE(one(m));
    FINE(iw_context_synchronize(k->context));
  };
  const double whole = median_ms(k->number == 0, [&] { alone(n); });
  report(k, name, whole, median_ms(true, [&] { FINE(all(k->ranks)); }), 0);
  FINE(all(k->ranks));
  if (cudaStreamQuery(own_stream) != cudaSuccess) {
    fprintf(stderr, "rank %u: %s has returned before its work was done\n", k->number, name);
    k->wrong++;
  }
  report_parts(k, "its part alone", median_ms(true, [&] { alone(part); }));
  timed_peers timed = { *own_peers, 0 };
  iw_peers peers = *own_peers;
  iw_distributed *handle;
  peers.self = &timed;
  peers.all_gather = timed_all_gather;
  peers.all_reduce_u64 = timed_all_reduce;
  peers.all_to_all = timed_all_to_all;
  peers.describe = NULL;
  FINE(iw_distributed_open(k->context, &peers, &handle));
  FINE(all(handle));
  timed.ms = 0;
  FINE(all(handle));
  iw_distributed_close(handle);
  if (timed.ms > 0)
    report_parts(k, "its exchanges alone", timed.ms);
}

/* Calls that move elements to y, which are compared with that of one GPU. */
template <class One, class All>
static void time_move(rank *k, const char *name, size_t n, float *y, size_t begin, size_t part, One one, All all)
{
  static std::atomic<unsigned long long> whole;
  time_call(k, name, n, part, one, all);
  whole = 0;
  barrier();
  FINE(all(k->ranks));
  whole += digest_of(y, begin, part);
  barrier();
  if (k->number != 0)
    return;
  FINE(one(n));
  FINE(iw_context_synchronize(k->context));
  if (whole != digest_of(y, 0, n)) {
    fprintf(stderr, "%s: %zu elements on %u GPUs differ from those of one GPU\n", name, n, ranks);
    k->wrong++;
  }
}

static void time_more_numbers(rank *k, size_t n, float *x, size_t part)
{
  static const float lo = -1, hi = 1;
  enum { MANY = 65536 };
  const iw_histogram_spec spec = { sizeof spec, IW_F32, IW_HISTOGRAM_EVEN, MANY, &lo, &hi, NULL, NULL, IW_POLICY_DROP, 0, 0, NULL };
  uint64_t *counts;
  float sum;
  FINE(cudaMalloc(&counts, MANY * sizeof *counts));
  time_call(k, "histogram 65536", n, part, [&](size_t m) { return iw_histogram(k->context, &spec, x, m, counts, NULL); },
            [&](iw_distributed *h) { return iw_distributed_histogram(h, &spec, x, part, counts, NULL); });
  time_call(k, "exact sum", n, part, [&](size_t m) { return iw_sum_exact(k->context, IW_F32, x, m, IW_F32, &sum); },
            [&](iw_distributed *h) { return iw_distributed_sum_exact(h, IW_F32, x, part, IW_F32, &sum); });
  FINE(cudaFree(counts));
}

/* Sums of runs of 10. */
static void time_by_key(rank *k, size_t n, float *x, float *y, size_t begin, size_t part)
{
  size_t runs = 0;
  unsigned *keys;
  iw_segments segments;
  iw_scan_options options;
  FINE(cudaMalloc(&keys, 4 * (k->number == 0 ? n : part)));
  fill_keys<<<1024, 256>>>(keys, begin, k->number == 0 ? n : part);
  FINE(cudaDeviceSynchronize());
  memset(&segments, 0, sizeof segments);
  memset(&options, 0, sizeof options);
  segments.size = sizeof segments;
  segments.kind = IW_SEGMENTS_KEYS;
  segments.keys = keys;
  segments.key_type = IW_U32;
  options.size = sizeof options;
  options.segments = &segments;
  options.run_count = &runs;
  time_call(k, "reduce by key", n, part,
            [&](size_t m) { runs = m; return iw_reduce(k->context, IW_SUM, IW_F32, x, m, y, &options); },
            [&](iw_distributed *h) { runs = part; return iw_distributed_reduce(h, IW_SUM, IW_F32, x, part, y, &options); });
  FINE(cudaFree(keys));
}

/* Calls that move elements. */
static void time_moves(rank *k, size_t n, float *x, float *y, size_t begin, size_t part)
{
  static const float pivot = 0.125f;
  uint64_t all;
  size_t count;
  iw_test test;
  memset(&test, 0, sizeof test);
  test.size = sizeof test;
  test.type = IW_F32;
  test.compare = IW_LESS;
  test.constant = &pivot;
  time_move(k, "partition", n, y, begin, part, [&](size_t m) { return iw_partition(k->context, &test, x, m, y, &count, NULL); },
            [&](iw_distributed *h) { return iw_distributed_partition(h, &test, x, part, y, &all, NULL); });
  time_call(k, "select", n, part, [&](size_t m) { return iw_select_if(k->context, &test, x, m, y, &count, NULL); },
            [&](iw_distributed *h) { return iw_distributed_select_if(h, &test, x, part, y, &count, NULL); });
  for (unsigned bits = 3; bits <= 8; bits += 5) {
    iw_buckets buckets;
    std::vector<uint64_t> offsets((1u << bits) + 1);
    memset(&buckets, 0, sizeof buckets);
    buckets.size = sizeof buckets;
    buckets.type = IW_U32;
    buckets.bits = bits;
    time_move(k, bits == 3 ? "multisplit 8" : "multisplit 256", n, y, begin, part,
              [&](size_t m) { return iw_multisplit(k->context, &buckets, x, m, y, (size_t *)offsets.data(), NULL); },
              [&](iw_distributed *h) { return iw_distributed_multisplit(h, &buckets, x, part, y, offsets.data(), NULL); });
  }
  time_move(k, "sort u32", n, y, begin, part, [&](size_t m) { return iw_sort(k->context, IW_U32, x, m, y, NULL); },
            [&](iw_distributed *h) { return iw_distributed_sort(h, IW_U32, x, part, y, NULL); });
  time_move(k, "sort f32", n, y, begin, part, [&](size_t m) { return iw_sort(k->context, IW_F32, x, m, y, NULL); },
            [&](iw_distributed *h) { return iw_distributed_sort(h, IW_F32, x, part, y, NULL); });
}

/* What NCCL takes to exchange as many bytes as a call that moves elements at random does, and to add up the
 * counters of a histogram. */
static void time_limits(rank *k, iw_nccl *nccl, const by_hand *hand, float *x, float *y, size_t part)
{
  const size_t each = part / ranks;
  const double exchange = median_ms(true, [&] {
    FINE(nccl->group_start());
    for (unsigned r = 0; r < ranks; r++)
      if (r != nccl->rank) {
        FINE(nccl->send(x + r * each, each * sizeof *x, 1, (int)r, nccl->comm, hand->stream));
        FINE(nccl->receive_from(y + r * each, each * sizeof *y, 1, (int)r, nccl->comm, hand->stream));
      }
    FINE(nccl->group_end());
    FINE(cudaStreamSynchronize(hand->stream));
  });
  report_parts(k, "NCCL's all-to-all of the parts", exchange);
  report_parts(k, "NCCL's all-reduce of 256 counts", median_ms(true, [&] {
    FINE(nccl->all_reduce(hand->counts, hand->counts, BINS, 5, 0, nccl->comm, hand->stream));
    FINE(cudaStreamSynchronize(hand->stream));
  }));
}

static void time_calls(rank *k, iw_nccl *nccl, size_t n, float *x, float *y)
{
  const size_t begin = cut_at(CUT_GROUPS, k->number, k->count, n, 0),
               part = cut_at(CUT_GROUPS, k->number + 1, k->count, n, 0) - begin;
  by_hand hand = { nccl, NULL, NULL, 0, NULL, NULL, NULL };
  uint64_t *counts;
  FINE(cudaStreamCreate(&hand.stream));
  FINE(cudaMalloc(&hand.total, sizeof(float)));
  FINE(cudaMalloc(&hand.totals, ranks * sizeof(float)));
  FINE(cudaMalloc(&hand.counts, BINS * 8));
  FINE(cudaMalloc(&counts, BINS * 8));
  fill_whole(x, begin, k->number == 0 ? n : part); /* rank 0 begins at 0 */
  time_numbers(k, n, x, y, part, &hand, counts);
  time_more_numbers(k, n, x, part);
  time_by_key(k, n, x, y, begin, part);
  time_moves(k, n, x, y, begin, part);
  time_limits(k, nccl, &hand, x, y, part);
}

struct job { size_t n; const char *library; size_t random; int by_messages, wrong; };

static iw_status run_rank(const iw_peers *threads, void *argument)
{
  job *const j = (job *)argument;
  const int device = (int)threads->rank;
  iw_nccl nccl;
  iw_peers peers;
  iw_context *context;
  iw_distributed *handle;
  iw_context_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.backend = IW_BACKEND_CUDA;
  options.device = device;
  FINE(cudaSetDevice(device));
  if (iw_nccl_open(&nccl, threads, device, j->library, &peers) != IW_OK) {
    fprintf(stderr, "rank %u: %s\n", threads->rank, nccl.message);
    exit(1);
  }
  if (j->by_messages) {
    barrier();
    iw_nccl_release(&nccl);
  }
  FINE(iw_context_open(&context, &options));
  FINE(cudaStreamCreate(&own_stream));
  FINE(iw_context_set_stream(context, own_stream));
  FINE(iw_distributed_open(context, &peers, &handle));
  own_peers = &peers;
  rank k = { handle, context, peers.rank, peers.count, 0, 0, 0, 0 };
  check_short(&k);
  barrier();
  if (k.number == 0)
    printf("short arrays compared\n"), fflush(stdout);
  check_random(&k, j->random);
  barrier();
  if (k.number == 0)
    printf("%zu calls of random lengths and cuts compared\n", j->random), fflush(stdout);
  float *x, *y;
  FINE(cudaMalloc(&x, 4 * j->n));
  FINE(cudaMalloc(&y, 4 * j->n));
  if (k.number == 0 && j->random > 0) {
    expected = (float *)malloc(4 * j->n);
    fill_whole(x, 0, j->n);
    FINE(iw_inclusive_scan(context, IW_SUM, IW_F32, x, j->n, y, NULL));
    FINE(iw_memory_copy(context, expected, y, 4 * j->n));
  }
  barrier();
  if (j->random > 0)
    check_long(&k, j->n, x, y);
  barrier();
  if (k.number == 0 && j->random > 0)
    printf("arrays of %zu elements compared\n", j->n), fflush(stdout);
  time_calls(&k, &nccl, j->n, x, y);
  barrier();
  static std::mutex mutex;
  mutex.lock();
  j->wrong += k.wrong;
  mutex.unlock();
  iw_distributed_close(handle);
  iw_context_close(context);
  barrier();
  iw_nccl_close(&nccl);
  return IW_OK;
}

int main(int argc, char **argv)
{
  int devices = 0;
  job j = { (size_t)1 << (argc > 1 ? atoi(argv[1]) : 30), argc > 2 ? argv[2] : NULL,
            argc > 3 ? strtoull(argv[3], NULL, 10) : 0, argc > 5, 0 };
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 1) {
    fprintf(stderr, "no GPU\n");
    return 77;
  }
  if (argc > 4 && atoi(argv[4]) > 0 && atoi(argv[4]) < devices)
    devices = atoi(argv[4]);
  ranks = (unsigned)devices;
  for (int i = 0; i < devices; i++) {
    cudaDeviceProp about;
    FINE(cudaGetDeviceProperties(&about, i));
    printf("GPU %d: %s\n", i, about.name);
  }
  FINE(iw_threads_run(ranks, run_rank, &j));
  printf(j.wrong ? "%d DIFFERENCES\n" : "all results are equal, %d differences\n", j.wrong);
  return j.wrong != 0;
}
