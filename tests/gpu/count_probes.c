/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the kernels whose counts are compared with Nsight Compute's, on the simulated GPU or on a device.
 *
 *   count_probes sim [CASE...]    prints case,kernel,metric,value
 *   count_probes cuda [CASE...]   runs the same launches in the same order on a device, for a profiler
 *   count_probes list             prints the names of the cases
 *
 * tests/gpu/ncu_counters.sh runs it both ways.
 */
#include <isowarp.h>
#include <isowarp/sim.h>
#include "../counters/args.h"
#include "../counters/cases.h"
#include "../../examples/bin_extraction.h"
#include "../../examples/letters.h"
#include "../../examples/two_phase_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Kernels of both builds ---- */

#ifdef PROBES_CUDA
#define KERNEL_OF(name, sim) { &sim, &name##_cuda }
#define DECLARE_OF(name, sim) extern const iw_kernel sim, name##_cuda;
#else
#define KERNEL_OF(name, sim) { &sim, NULL }
#define DECLARE_OF(name, sim) extern const iw_kernel sim;
#endif
#pragma GCC diagnostic ignored "-Wredundant-decls"
#define DECLARE(name, kernel, ...) DECLARE_OF(kernel, kernel##_sim)
COUNTER_CASES(DECLARE)
#define EXAMPLES(X) X(letters_sequential) X(letters_basic) X(letters_private_global) X(letters_private_shared) \
  X(letters_coarse_contiguous) X(letters_coarse_interleaved) X(letters_aggregated) X(scan_blocks) X(scan_sums) X(add_sums) \
  X(bin_extraction)
#define DECLARE_EXAMPLE(name) DECLARE_OF(name, name##_sim32)
EXAMPLES(DECLARE_EXAMPLE)

typedef struct both { const iw_kernel *sim, *cuda; } both;

typedef struct one_warp {
  const char *name;
  both kernel;
  pattern how;
  uint32_t a, b, lanes, n;
  size_t grid;
  unsigned threads;
} one_warp;
#define ROW(name, kernel, how, a, b, lanes, n, grid, threads, ...) \
  { #name, KERNEL_OF(kernel, kernel##_sim), how, a, b, lanes, n, grid, threads },
static const one_warp probes[] = { COUNTER_CASES(ROW) };
enum { PROBES = sizeof probes / sizeof *probes };

/* ---- Running ---- */

static iw_context *context;
static int on_device;

static void must(iw_status status)
{
  if (status != IW_OK) {
    fprintf(stderr, "count_probes: %s\n", iw_message());
    exit(1);
  }
}

static const iw_kernel *pick(both k)
{
  const iw_kernel *const kernel = on_device ? k.cuda : k.sim;
  if (!kernel) {
    fprintf(stderr, "count_probes: built without CUDA\n");
    exit(77);
  }
  return kernel;
}

static void *upload(const void *from, size_t bytes)
{
  void *memory;
  must(iw_memory_allocate(context, bytes, &memory));
  must(iw_memory_copy(context, memory, from, bytes));
  return memory;
}

static void *zeros(size_t bytes)
{
  void *const host = calloc(1, bytes), *const memory = upload(host, bytes);
  free(host);
  return memory;
}

static void run_probe(const one_warp *p)
{
  enum { BYTES = 1 << 20 };
  uint32_t index[32];
  for (uint32_t l = 0; l < 32; l++)
    index[l] = index_of(p->how, p->a, p->b, l);
  const counter_args args = { .index = upload(index, sizeof index), .in = zeros(BYTES), .out = zeros(BYTES), .words = zeros(4096),
                              .tickets = zeros(sizeof(iw_tickets)), .lanes = p->lanes, .n = p->n };
  must(iw_launch(context, pick(p->kernel), p->grid, p->threads, &args, sizeof args));
  must(iw_context_synchronize(context));
}

static uint32_t next_random(void)
{
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33);
}

enum { N = 1 << 18, TEXT = 1 << 16, THREADS = 256 };

/* A text with the frequencies of nothing in particular: letters, and every sixth byte a space. */
static const uint8_t *text(size_t n)
{
  uint8_t *const host = malloc(n);
  for (size_t i = 0; i < n; i++)
    host[i] = i % 6 == 5 ? ' ' : (uint8_t)('a' + next_random() % 26);
  const uint8_t *const device = upload(host, n);
  free(host);
  return device;
}
static float *floats(size_t n)
{
  float *const host = malloc(n * sizeof *host);
  for (size_t i = 0; i < n; i++)
    host[i] = (float)(next_random() >> 8) / 8388608.0f;
  float *const device = upload(host, n * sizeof *host);
  free(host);
  return device;
}

static void run_letters(both kernel, size_t n, size_t grid, unsigned threads, uint32_t coarsening)
{
  const letters_args args = { text(n), n, zeros(LETTER_BINS * 8), zeros(LETTER_BINS * 8 * grid), coarsening };
  must(iw_launch(context, pick(kernel), grid, threads, &args, sizeof args));
}
#define EXAMPLE(name) (both)KERNEL_OF(name, name##_sim32)
static void letters_1(void) { run_letters(EXAMPLE(letters_sequential), 512, 1, 1, 1); }
static void letters_2(void) { run_letters(EXAMPLE(letters_basic), TEXT, TEXT / THREADS, THREADS, 1); }
static void letters_3(void) { run_letters(EXAMPLE(letters_private_global), TEXT, TEXT / THREADS, THREADS, 1); }
static void letters_4(void) { run_letters(EXAMPLE(letters_private_shared), TEXT, TEXT / THREADS, THREADS, 1); }
static void letters_5(void) { run_letters(EXAMPLE(letters_coarse_contiguous), TEXT, TEXT / THREADS / 4, THREADS, 4); }
static void letters_6(void) { run_letters(EXAMPLE(letters_coarse_interleaved), TEXT, TEXT / THREADS / 4, THREADS, 4); }
static void letters_7(void) { run_letters(EXAMPLE(letters_aggregated), TEXT, TEXT / THREADS / 4, THREADS, 4); }

static void two_phase(void)
{
  const two_phase_scan_args args = { floats(N), zeros(N * 4), N, zeros(N / THREADS * 4), N / THREADS };
  must(iw_launch(context, pick(EXAMPLE(scan_blocks)), N / THREADS, THREADS, &args, sizeof args));
  must(iw_launch(context, pick(EXAMPLE(scan_sums)), 1, 1024, &args, sizeof args));
  must(iw_launch(context, pick(EXAMPLE(add_sums)), N / THREADS, THREADS, &args, sizeof args));
}
static void extraction(void)
{
  enum { SOME = 1 << 14 };
  const bin_extraction_args args = { floats(SOME), SOME, 8, 3, zeros(SOME * 4), zeros(8), zeros(sizeof(iw_tickets)),
                                     zeros(SOME / THREADS * 16) };
  must(iw_launch(context, pick(EXAMPLE(bin_extraction)), SOME / THREADS, THREADS, &args, sizeof args));
}

static void library_scan(void) { must(iw_inclusive_scan(context, IW_SUM, IW_F32, floats(N), N, zeros(N * 4), NULL)); }
static void histogram(size_t bins)
{
  const float lo = 0, hi = 1;
  const iw_histogram_spec spec = { .size = sizeof spec, .type = IW_F32, .bins = bins, .lo = &lo, .hi = &hi };
  must(iw_histogram(context, &spec, floats(N), N, zeros(bins * 8), NULL));
}
static void histogram_256(void) { histogram(256); }
static void histogram_2048(void) { histogram(2048); }
static void library_partition(void)
{
  const float pivot = 0.5f;
  const iw_test test = { .size = sizeof test, .type = IW_F32, .compare = IW_LESS, .constant = &pivot };
  size_t *const count = zeros(8);
  must(iw_partition(context, &test, floats(N), N, zeros(N * 4), count, IW_OPTIONS(iw_move_options, .rest = zeros(N * 4))));
}
static void library_multisplit(void)
{
  uint32_t *const host = malloc(N * 4);
  for (size_t i = 0; i < N; i++)
    host[i] = next_random();
  const iw_buckets buckets = { .size = sizeof buckets, .type = IW_U32, .bit = 0, .bits = 8 };
  must(iw_multisplit(context, &buckets, upload(host, N * 4), N, zeros(N * 4), zeros(257 * 8), NULL));
  free(host);
}

static const struct { const char *name; void (*run)(void); } larger[] = {
  { "letters_sequential", letters_1 }, { "letters_basic", letters_2 }, { "letters_private_global", letters_3 },
  { "letters_private_shared", letters_4 }, { "letters_coarse_contiguous", letters_5 }, { "letters_coarse_interleaved", letters_6 },
  { "letters_aggregated", letters_7 }, { "two_phase_scan", two_phase }, { "bin_extraction", extraction }, { "scan", library_scan },
  { "histogram_256", histogram_256 }, { "histogram_2048", histogram_2048 }, { "partition", library_partition },
  { "multisplit", library_multisplit },
};
enum { LARGER = sizeof larger / sizeof *larger };

/* ---- The program ---- */

static void print_counts(void *user, const iw_sim_count *count)
{
  const char *const name = user;
  for (size_t m = 0; m < count->metrics; m++)
    printf("%s,%s,%s,%llu\n", name, count->kernel, iw_sim_metric_name(m), (unsigned long long)count->values[m]);
  printf("%s,%s,launches,%llu\n%s,%s,estimate_ns,%.1f\n", name, count->kernel, (unsigned long long)count->launches, name,
         count->kernel, count->seconds * 1e9);
}

static int is_wanted(const char *name, int argc, char **argv)
{
  for (int k = 2; k < argc; k++)
    if (!strcmp(argv[k], name))
      return 1;
  return argc <= 2;
}

int main(int argc, char **argv)
{
  const int lists = argc > 1 && !strcmp(argv[1], "list");
  on_device = argc > 1 && !strcmp(argv[1], "cuda");
  if (argc < 2 || (!lists && !on_device && strcmp(argv[1], "sim"))) {
    fputs("usage: count_probes sim|cuda|list [CASE...]\n", stderr);
    return 2;
  }
  const iw_context_options options = { .size = sizeof options, .backend = on_device ? IW_BACKEND_CUDA : IW_BACKEND_SIM };
  for (unsigned k = 0; k < PROBES + LARGER; k++) {
    const char *const name = k < PROBES ? probes[k].name : larger[k - PROBES].name;
    if (lists) {
      puts(name);
      continue;
    }
    if (!is_wanted(name, argc, argv))
      continue;
    if (!context || !on_device)
      must(iw_context_open(&context, &options));
    if (!on_device)
      must(iw_sim_set_counting(context, 1));
    if (k < PROBES)
      run_probe(&probes[k]);
    else
      larger[k - PROBES].run();
    must(iw_context_synchronize(context));
    if (!on_device) {
      must(iw_sim_for_each_count(context, IW_SIM_KERNELS, print_counts, (void *)(uintptr_t)name));
      iw_context_close(context);
    }
  }
  if (on_device && context)
    iw_context_close(context);
  return 0;
}
