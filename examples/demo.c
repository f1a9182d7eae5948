/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches every example kernel on a small input, prints its results and compares them with the expected
 * values, to the bit. The code is the same for the CPU and CUDA: arrays are copied to memory of the
 * context, and results back.
 */
#include <config.h> /* IW_HAVE_CUDA */
#include "demo.h"
#include <isowarp/descriptor.h>
#include <isowarp.h>
#include "bin_extraction.h"
#include "block_scan.h"
#include "butterfly_sum.h"
#include "letters.h"
#include "mean_normalisation.h"
#include "normalise_rows.h"
#include "softmax_rows.h"
#include "two_phase_scan.h"
#include "warp_partition.h"
#include "warp_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The builds of each kernel: one for each warp size of the CPU and of the simulated GPU, and one for CUDA. */
enum { W8, W16, W32, W64, SIM8, SIM16, SIM32, SIM64, CUDA, BUILDS };
#ifdef IW_HAVE_CUDA
#define CUDA_BUILD(name) &name##_cuda
#else
#define CUDA_BUILD(name) NULL
#endif
#define KERNEL(name) \
  extern const iw_kernel name##_w8, name##_w16, name##_w32, name##_w64, name##_sim8, name##_sim16, \
    name##_sim32, name##_sim64, name##_cuda; \
  static const iw_kernel *const name[BUILDS] = { &name##_w8, &name##_w16, &name##_w32, &name##_w64, \
    &name##_sim8, &name##_sim16, &name##_sim32, &name##_sim64, CUDA_BUILD(name) };
KERNEL(warp_scan)
KERNEL(warp_partition)
KERNEL(butterfly_sum)
KERNEL(block_scan)
KERNEL(scan_blocks)
KERNEL(scan_sums)
KERNEL(add_sums)
KERNEL(bin_extraction)
KERNEL(letters_sequential)
KERNEL(letters_basic)
KERNEL(letters_private_global)
KERNEL(letters_private_shared)
KERNEL(letters_coarse_contiguous)
KERNEL(letters_coarse_interleaved)
KERNEL(letters_aggregated)
KERNEL(mean_normalisation)
KERNEL(normalise_rows)
KERNEL(softmax_rows)

/* Operators and keys have one build for each backend, because the library's scans have warps of 32 lanes. */
extern const iw_operator after_u64_from_hashing_w32, after_u64_from_hashing_sim32, after_u64_from_hashing_cuda;
extern const iw_sort_key by_distance_key_w32, by_distance_key_sim32, by_distance_key_cuda;
static const iw_sort_key *const by_distance[] = {
  [IW_BACKEND_AUTO] = &by_distance_key_w32, [IW_BACKEND_CPU] = &by_distance_key_w32,
  [IW_BACKEND_CUDA] = CUDA_BUILD(by_distance_key), [IW_BACKEND_SIM] = &by_distance_key_sim32,
};
static const iw_operator *const prefix_hash[] = {
  [IW_BACKEND_AUTO] = &after_u64_from_hashing_w32, [IW_BACKEND_CPU] = &after_u64_from_hashing_w32,
  [IW_BACKEND_CUDA] = CUDA_BUILD(after_u64_from_hashing), [IW_BACKEND_SIM] = &after_u64_from_hashing_sim32,
};

extern const iw_operator log_sum_exp_f32_w32, log_sum_exp_f32_sim32, log_sum_exp_f32_cuda;
static const iw_operator *const log_sum_exp[] = {
  [IW_BACKEND_AUTO] = &log_sum_exp_f32_w32, [IW_BACKEND_CPU] = &log_sum_exp_f32_w32,
  [IW_BACKEND_CUDA] = CUDA_BUILD(log_sum_exp_f32), [IW_BACKEND_SIM] = &log_sum_exp_f32_sim32,
};

typedef struct demo {
  iw_context *context;
  unsigned warp_size;
  iw_backend backend;
  FILE *out;
  const char *name;   /* of the one that runs */
  int wrong, failed;  /* 1: a value was wrong; a call of the library failed in this demo */
  void *arrays[16];   /* allocated by this demo */
  unsigned array_count;
} demo;

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- Running ---- */

static int succeeded(demo *s, iw_status status)
{
  if (status != IW_OK) {
    if (!s->failed) /* what fails later follows from it */
      fprintf(s->out, "%s: not run: %s\n", s->name, iw_message());
    s->failed = 1;
  }
  return status == IW_OK;
}

/* Allocates memory of the context until the demo ends. */
static void *allocate(demo *s, size_t bytes)
{
  void *memory = NULL;
  if (s->array_count == COUNT(s->arrays))
    s->failed = 1;
  else if (succeeded(s, iw_memory_allocate(s->context, bytes, &memory)))
    s->arrays[s->array_count++] = memory;
  return memory;
}

/* Copies an array to the context's memory. */
static void *upload(demo *s, const void *array, size_t bytes)
{
  void *const copy = allocate(s, bytes);
  if (copy)
    succeeded(s, iw_memory_copy(s->context, copy, array, bytes));
  return copy;
}

/* Copies an array back when the kernels before have ended; zeros if that fails. */
static void download(demo *s, void *array, const void *from, size_t bytes)
{
  if (!from || !succeeded(s, iw_memory_copy(s->context, array, from, bytes)))
    memset(array, 0, bytes);
}

static void free_arrays(demo *s)
{
  while (s->array_count > 0)
    iw_memory_free(s->context, s->arrays[--s->array_count]);
}

static void launch_with(demo *s, unsigned warp_size, const iw_kernel *const kernel[], size_t blocks,
                        unsigned threads, const void *args, size_t args_size)
{
  const int cpu_build = warp_size == 8 ? W8 : warp_size == 16 ? W16 : warp_size == 32 ? W32 : W64;
  const int build = s->backend == IW_BACKEND_CUDA ? CUDA : cpu_build + (s->backend == IW_BACKEND_SIM ? SIM8 : W8);
  if (!s->failed) /* after a failure arrays may be NULL */
    succeeded(s, iw_launch(s->context, kernel[build], blocks, threads, args, args_size));
}

/* The last argument is a pointer to the kernel's argument struct. */
#define LAUNCH(s, kernel, blocks, threads, ...) \
  launch_with(s, (s)->warp_size, kernel, blocks, threads, __VA_ARGS__, sizeof *(__VA_ARGS__))

/* ---- Showing ---- */

/* Writes the fewest digits that parse to the same number. */
static void write_float(FILE *out, float value, int point)
{
  char text[32];
  if (value == floorf(value) && fabsf(value) < 1e7f) {
    fprintf(out, point ? " %.1f" : " %.0f", (double)value);
    return;
  }
  for (int digits = 1; digits <= 9; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, (double)value);
    if (strtof(text, NULL) == value)
      break;
  }
  fprintf(out, " %s", text);
}

static void check_floats(demo *s, const char *name, const float *values, const float *right, size_t n)
{
  for (size_t i = 0; !s->failed && i < n; i++)
    if (memcmp(values + i, right + i, sizeof *values) != 0) {
      fprintf(s->out, "mismatch in %s: value %zu is %.9g, expected %.9g\n", name, i, (double)values[i],
              (double)right[i]);
      s->wrong = 1;
    }
}

/* If one number of a line has a decimal point, all have. */
static void show_floats(demo *s, const char *name, const float *values, const float *right, size_t n)
{
  int point = 0;
  if (s->failed) /* the arrays are not what the demo computes */
    return;
  for (size_t i = 0; i < n; i++)
    point |= isfinite(values[i]) && values[i] != floorf(values[i]);
  fprintf(s->out, "%s:", name);
  for (size_t i = 0; i < n; i++)
    write_float(s->out, values[i], point);
  fprintf(s->out, "\n");
  check_floats(s, name, values, right, n);
}

static void show_counts(demo *s, const char *name, const uint64_t *values, const uint64_t *right, size_t n)
{
  if (s->failed)
    return;
  fprintf(s->out, "%s:", name);
  for (size_t i = 0; i < n; i++)
    fprintf(s->out, " %llu", (unsigned long long)values[i]);
  fprintf(s->out, "\n");
  for (size_t i = 0; i < n; i++)
    if (values[i] != right[i]) {
      fprintf(s->out, "mismatch in %s: value %zu is %llu, expected %llu\n", name, i,
              (unsigned long long)values[i], (unsigned long long)right[i]);
      s->wrong = 1;
    }
}

static void show_words(demo *s, const char *name, const uint32_t *values, const uint64_t *right, size_t n)
{
  uint64_t wide[64];
  for (size_t i = 0; i < n; i++)
    wide[i] = values[i];
  show_counts(s, name, wide, right, n);
}

static void count_up(float *values, size_t n, float first)
{
  for (size_t i = 0; i < n; i++)
    values[i] = first + (float)i;
}

/* ---- The demos ---- */

static void demo_warp_scan(demo *s)
{
  static const float right[64] = {
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136,
    153, 171, 190, 210, 231, 253, 276, 300, 325, 351, 378, 406, 435, 465, 496, 528,
    561, 595, 630, 666, 703, 741, 780, 820, 861, 903, 946, 990, 1035, 1081, 1128, 1176,
    1225, 1275, 1326, 1378, 1431, 1485, 1540, 1596, 1653, 1711, 1770, 1830, 1891, 1953, 2016, 2080,
  };
  float in[64], out[64];
  count_up(in, 64, 1);
  const float *const from = upload(s, in, sizeof in);
  float *const to = allocate(s, sizeof out), *const sum = allocate(s, sizeof *sum);
  launch_with(s, 32, warp_scan, 1, 32, &(warp_scan_args){ from, to, 32 }, sizeof(warp_scan_args));
  download(s, out, to, 32 * sizeof *out);
  show_floats(s, "warp-scan, 32 lanes", out, right, 32);
  if (s->backend == IW_BACKEND_CUDA) /* a warp has 32 lanes, so a block of two warps scans the 64 */
    LAUNCH(s, scan_blocks, 1, 64, &(two_phase_scan_args){ from, to, 64, sum, 1 });
  else
    launch_with(s, 64, warp_scan, 1, 64, &(warp_scan_args){ from, to, 64 }, sizeof(warp_scan_args));
  download(s, out, to, sizeof out);
  show_floats(s, "warp-scan, 64 lanes", out, right, 64);
}

static void demo_warp_partition(demo *s)
{
  static const float in[8] = { 3, 7, 1, 8, 2, 9, 4, 6 }, right[8] = { 3, 1, 2, 4, 7, 8, 9, 6 };
  static const uint64_t right_lefts[8] = { 0, 1, 1, 2, 2, 3, 3, 4 };
  static const uint64_t right_rights[8] = { 0, 0, 1, 1, 2, 2, 3, 3 };
  static const float in_32[32] = { 3, 7, 1, 8, 2, 9, 4, 6, 0, 10, 3, 11, 1, 12, 4, 13,
                                   3, 7, 1, 8, 2, 9, 4, 6, 0, 10, 3, 11, 1, 12, 4, 13 };
  static const float right_32[32] = { 3, 1, 2, 4, 0, 3, 1, 4, 3, 1, 2, 4, 0, 3, 1, 4,
                                      7, 8, 9, 6, 10, 11, 12, 13, 7, 8, 9, 6, 10, 11, 12, 13 };
  static const float in_nan[8] = { 5, NAN, 1, -0.0f, INFINITY, 4, NAN, 9 };
  static const float right_nan[8] = { 1, -0.0f, 4, 5, NAN, INFINITY, NAN, 9 };
  float out[32];
  uint32_t lefts[8], rights[8];
  uint32_t *const left_places = allocate(s, sizeof out), *const right_places = allocate(s, sizeof out);
  warp_partition_args args = {
    upload(s, in, sizeof in), allocate(s, sizeof out), left_places, right_places, 8, 5
  };
  LAUNCH(s, warp_partition, 1, 8, &args);
  download(s, lefts, left_places, sizeof lefts);
  download(s, rights, right_places, sizeof rights);
  download(s, out, args.out, 8 * sizeof *out);
  show_words(s, "warp-partition, places on the left", lefts, right_lefts, 8);
  show_words(s, "warp-partition, places on the right", rights, right_rights, 8);
  show_floats(s, "warp-partition", out, right, 8);

  args.in = upload(s, in_nan, sizeof in_nan);
  LAUNCH(s, warp_partition, 1, 8, &args);
  download(s, out, args.out, 8 * sizeof *out);
  show_floats(s, "warp-partition, with NaN", out, right_nan, 8);

  args.in = upload(s, in_32, sizeof in_32);
  args.n = 32;
  launch_with(s, s->warp_size < 32 ? 32 : s->warp_size, warp_partition, 1, 32, &args, sizeof args);
  download(s, out, args.out, sizeof out);
  show_floats(s, "warp-partition, 32 elements", out, right_32, 32);
}

static void demo_butterfly_sum(demo *s)
{
  static const uint32_t in[8] = { 1, 0, 1, 0, 1, 0, 1, 0 };
  static const uint64_t right[8] = { 4, 4, 4, 4, 4, 4, 4, 4 };
  uint32_t out[8];
  uint32_t *const to = allocate(s, sizeof out);
  LAUNCH(s, butterfly_sum, 1, 8, &(butterfly_sum_args){ upload(s, in, sizeof in), to, 8, 8 });
  download(s, out, to, sizeof out);
  show_words(s, "butterfly-sum", out, right, 8);
}

static void demo_block_scan(demo *s)
{
  static const char *const names[3] = { "block-scan, step 1", "block-scan, step 2", "block-scan, step 3" };
  static const float right[3][8] = {
    { 0, 1, 3, 5, 7, 9, 11, 13 }, { 0, 1, 3, 6, 10, 14, 18, 22 }, { 0, 1, 3, 6, 10, 15, 21, 28 },
  };
  static const float right_12[12] = { 0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66 };
  float in[12], steps[3][8], steps_12[4][12];
  count_up(in, 12, 0);
  block_scan_args args = { upload(s, in, sizeof in), allocate(s, sizeof steps_12), 8 };
  LAUNCH(s, block_scan, 1, 8, &args);
  download(s, steps, args.steps, sizeof steps);
  for (int i = 0; i < 3; i++)
    show_floats(s, names[i], steps[i], right[i], 8);
  args.n = 12;
  LAUNCH(s, block_scan, 1, 12, &args);
  download(s, steps_12, args.steps, sizeof steps_12);
  show_floats(s, "block-scan, 12 threads", steps_12[3], right_12, 12);
}

static void demo_two_phase_scan(demo *s)
{
  static const float right[24] = {
    0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153, 171, 190, 210, 231, 253, 276,
  };
  static const float right_local[15] = { 0, 1, 3, 6, 10, 15, 21, 28, 8, 17, 27, 38, 50, 63, 77 };
  static const float right_sums[2] = { 28, 77 };
  enum { MANY = 1000, THREADS = 8 };
  static const float right_last = MANY * THREADS;
  float in[24], out[MANY * THREADS], ones[MANY * THREADS], to_n[MANY * THREADS], sums[MANY];

  count_up(in, 24, 0);
  two_phase_scan_args args = { upload(s, in, sizeof in), allocate(s, sizeof out), 15,
                               allocate(s, sizeof sums), 2 };
  LAUNCH(s, scan_blocks, args.blocks, THREADS, &args);
  download(s, out, args.out, 15 * sizeof *out);
  download(s, sums, args.sums, 2 * sizeof *sums);
  show_floats(s, "two-phase-scan, after phase one", out, right_local, 15);
  show_floats(s, "two-phase-scan, block sums", sums, right_sums, 2);
  LAUNCH(s, scan_sums, 1, THREADS, &args);
  LAUNCH(s, add_sums, args.blocks, THREADS, &args);
  download(s, out, args.out, 15 * sizeof *out);
  show_floats(s, "two-phase-scan", out, right, 15);

  args.n = 24;
  args.blocks = 3;
  LAUNCH(s, scan_blocks, args.blocks, THREADS, &args);
  LAUNCH(s, scan_sums, 1, THREADS, &args);
  LAUNCH(s, add_sums, args.blocks, THREADS, &args);
  download(s, out, args.out, 24 * sizeof *out);
  show_floats(s, "two-phase-scan, 3 blocks", out, right, 24);

  for (int i = 0; i < MANY * THREADS; i++)
    ones[i] = 1;
  count_up(to_n, MANY * THREADS, 1);
  args.in = upload(s, ones, sizeof ones);
  args.n = MANY * THREADS;
  args.blocks = MANY;
  LAUNCH(s, scan_blocks, args.blocks, THREADS, &args);
  LAUNCH(s, scan_sums, 1, 100, &args);
  LAUNCH(s, add_sums, args.blocks, THREADS, &args);
  download(s, out, args.out, sizeof out);
  check_floats(s, "two-phase-scan, 1000 blocks of ones", out, to_n, MANY * THREADS);
  show_floats(s, "two-phase-scan, 1000 blocks of ones, last", out + MANY * THREADS - 1, &right_last, 1);
}

/* Extracts the samples of all bins, bin by bin, with `blocks` blocks. */
static void extract_all(demo *s, const float *in, size_t n, uint32_t bins, size_t blocks, float *out,
                        uint64_t *counts)
{
  const iw_tickets tickets = { 0 };
  const uint64_t states[2 * 8] = { 0 };
  float *const all = allocate(s, n * sizeof *out);
  bin_extraction_args args = { upload(s, in, n * sizeof *in), n, bins, 0, all, allocate(s, sizeof *counts),
                               upload(s, &tickets, sizeof tickets), upload(s, states, sizeof states) };
  for (args.bin = 0; args.bin < bins; args.bin++) {
    LAUNCH(s, bin_extraction, blocks, (unsigned)((n + blocks - 1) / blocks), &args);
    download(s, counts + args.bin, args.count, sizeof *counts);
    args.out += counts[args.bin];
  }
  download(s, out, all, (size_t)(args.out - all) * sizeof *out);
}

static void demo_bin_extraction(demo *s)
{
  /* Samples are 0.00 to 0.79 and again 0.00 to 0.47. Bin k has these hundredths of the two runs. */
  static const int hundredths[8][2][2] = {
    { { 0, 12 }, { 0, 12 } },
    { { 13, 24 }, { 13, 24 } },
    { { 25, 37 }, { 25, 37 } },
    { { 38, 49 }, { 38, 47 } },
    { { 50, 62 } },
    { { 63, 74 } },
    { { 75, 79 } },
    { { 1, 0 } },
  };
  static const uint64_t right_counts[8] = { 26, 24, 26, 22, 13, 12, 5, 0 };
  const float in_odd[6] = { 1, NAN, -0.5f, 0.875f, 2, 0.5f }, right_odd[5] = { -0.5f, 0.5f, 1, 0.875f, 2 };
  float in[128], out[128], right[128];
  uint64_t counts[8], in_bin = 0;

  for (int i = 0; i < 128; i++)
    in[i] = (float)(i % 80) / 100.0f;
  for (int k = 0, i = 0; k < 8; k++)
    for (int run = 0; run < (k < 4 ? 2 : 1); run++)
      for (int h = hundredths[k][run][0]; h <= hundredths[k][run][1]; h++)
        right[i++] = (float)h / 100.0f;
  extract_all(s, in, 128, 8, 1, out, counts);
  show_counts(s, "bin-extraction, counts", counts, right_counts, 8);
  for (int k = 0; k < 8; in_bin += right_counts[k++]) {
    char name[40];
    snprintf(name, sizeof name, "bin-extraction, bin %d", k);
    show_floats(s, name, out + in_bin, right + in_bin, right_counts[k]);
  }
  extract_all(s, in, 128, 8, 5, out, counts);
  show_counts(s, "bin-extraction, 5 blocks, counts", counts, right_counts, 8);
  show_floats(s, "bin-extraction, 5 blocks, bin 0", out, right, right_counts[0]);
  check_floats(s, "bin-extraction, 5 blocks", out, right, 128);
  extract_all(s, in_odd, 6, 8, 2, out, counts);
  show_floats(s, "bin-extraction, outliers in the end bins, no NaN", out, right_odd, 5);
}

static void demo_letters(demo *s)
{
  static const uint64_t right[LETTER_BINS] = { 5, 5, 6, 10, 10, 1, 1 };
  static const char text[] = "programming massively parallel processors";
  static const struct {
    const char *name;
    const iw_kernel *const *kernel;
    size_t blocks;
    unsigned threads;
  } ways[] = {
    { "letters, sequential", letters_sequential, 1, 1 },
    { "letters, basic", letters_basic, 3, 16 },
    { "letters, private-global", letters_private_global, 3, 16 },
    { "letters, private-shared", letters_private_shared, 3, 16 },
    { "letters, coarse-contiguous", letters_coarse_contiguous, 2, 8 },
    { "letters, coarse-interleaved", letters_coarse_interleaved, 2, 8 },
    { "letters, aggregated", letters_aggregated, 2, 8 },
  };
  uint64_t *const copies = allocate(s, 3 * LETTER_BINS * sizeof *copies);
  letters_args args = { upload(s, text, sizeof text), sizeof text - 1, NULL, copies, 4 };
  for (size_t i = 0; i < COUNT(ways); i++) {
    uint64_t counts[LETTER_BINS] = { 0 };
    args.counts = upload(s, counts, sizeof counts);
    LAUNCH(s, ways[i].kernel, ways[i].blocks, ways[i].threads, &args);
    download(s, counts, args.counts, sizeof counts);
    show_counts(s, ways[i].name, counts, right, LETTER_BINS);
  }
}

static void demo_mean_normalisation(demo *s)
{
  static const float in[10] = { 1, 2, 3, 2, 3, 5, 4, 4, 2, 6 };
  static const float right[10] = { 0.5f, 1, 1.5f, 1, 0.75f, 1.25f, 1, 1, 0.5f, 1.5f };
  float out[10];
  float *const to = allocate(s, sizeof out);
  LAUNCH(s, mean_normalisation, 3, 4, &(mean_normalisation_args){ upload(s, in, sizeof in), to, 10 });
  download(s, out, to, sizeof out);
  show_floats(s, "mean-normalisation, blocks of 4", out, right, 10);
}

static void demo_normalise_rows(demo *s)
{
  static const float in[18] = { 0, 4, 2, 2, 0, 4, 1, 1, 3, 3, 1, 3, 7, 7, 7, 7, 7, 7 };
  static const float right[18] = { -1, 1, 0, 0, -1, 1, -1, -1, 1, 1, -1, 1, 0, 0, 0, 0, 0, 0 };
  float out[18];
  float *const to = allocate(s, sizeof out);
  LAUNCH(s, normalise_rows, 3, 4, &(normalise_rows_args){ upload(s, in, sizeof in), to, 6 });
  download(s, out, to, sizeof out);
  show_floats(s, "normalise-rows, rows of 6", out, right, 18);
}

static void demo_prefix_hash(demo *s)
{
  static const char text[] = "programming";
  static const uint64_t right[11] = {
    112, 3586, 111277, 3449690, 106940504, 3315155721, 3985579652, 3293885033, 3326188320, 32622926,
    1011310809,
  };
  enum { N = 11 };
  uint64_t maps[N];
  uint64_t *const to = allocate(s, sizeof maps);
  const uint8_t *const from = upload(s, text, N);
  if (!s->failed)
    succeeded(s, iw_inclusive_scan(s->context, prefix_hash[s->backend], IW_U8, from, N, to, NULL));
  download(s, maps, to, sizeof maps);
  for (int i = 0; i < N; i++)
    maps[i] &= 0xffffffff; /* the value of the map at 0 */
  show_counts(s, "prefix-hash", maps, right, N);
}

static void demo_softmax_rows(demo *s)
{
  static const float in[18] = { 0, 1, 2, 3, 4, 5, -1, -1, -1, -1, -1, -1, 1000, 0, 998, 0, 0, 0 };
  static const float right[18] = {
    0.00426977826f, 0.0116064604f, 0.0315496288f, 0.0857607871f, 0.233121991f, 0.633691251f, 0.166666672f, 0.166666672f,
    0.166666672f, 0.166666672f, 0.166666672f, 0.166666672f, 0.880797029f, 0, 0.119202919f, 0, 0, 0,
  };
  float out[18];
  float *const to = allocate(s, sizeof out);
  LAUNCH(s, softmax_rows, 3, 4, &(softmax_rows_args){ upload(s, in, sizeof in), to, 6 });
  download(s, out, to, sizeof out);
  show_floats(s, "softmax-rows, rows of 6", out, right, 18);
}

static void demo_log_sum_exp(demo *s)
{
  static const float in[8] = { 0, 0, 1, -1000, 2, 100, 100, 1e30f };
  static const float right[8] = { 0, 0.693147182f, 1.55144477f, 1.55144477f, 2.49381161f, 100, 100.693146f, 1e30f };
  enum { N = 8 };
  float out[N];
  float *const to = allocate(s, sizeof out);
  const float *const from = upload(s, in, sizeof in);
  if (!s->failed)
    succeeded(s, iw_inclusive_scan(s->context, log_sum_exp[s->backend], IW_F32, from, N, to, NULL));
  download(s, out, to, sizeof out);
  show_floats(s, "log-sum-exp", out, right, N);
}

static void demo_by_distance(demo *s)
{
  static const uint32_t in[9] = { 3, 17, 9, 10, 30, 11, 0, 12, 8 };
  static const uint64_t right[9] = { 10, 9, 11, 12, 8, 3, 17, 0, 30 };
  enum { N = 9 };
  uint32_t sorted[N];
  uint64_t out[N];
  uint32_t *const to = allocate(s, sizeof sorted);
  const uint32_t *const from = upload(s, in, sizeof in);
  const iw_sort_options options = { .size = sizeof options, .key = by_distance[s->backend] };
  const iw_status status = s->failed ? IW_OK : iw_sort(s->context, IW_U32, from, N, to, &options);
  if (status == IW_ERROR_UNAVAILABLE) { /* the passes of a sort are the library's own kernels, which may be a module that is not there */
    (void)succeeded(s, status);
    s->failed = 0;
    return;
  }
  if (!s->failed)
    succeeded(s, status);
  download(s, sorted, to, sizeof sorted);
  for (int i = 0; i < N; i++)
    out[i] = sorted[i];
  show_counts(s, "by-distance", out, right, N);
}

static const struct { const char *name; void (*run)(demo *); } demos[] = {
  { "warp-scan", demo_warp_scan },
  { "warp-partition", demo_warp_partition },
  { "butterfly-sum", demo_butterfly_sum },
  { "block-scan", demo_block_scan },
  { "two-phase-scan", demo_two_phase_scan },
  { "bin-extraction", demo_bin_extraction },
  { "letters", demo_letters },
  { "mean-normalisation", demo_mean_normalisation },
  { "normalise-rows", demo_normalise_rows },
  { "softmax-rows", demo_softmax_rows },
  { "prefix-hash", demo_prefix_hash },
  { "log-sum-exp", demo_log_sum_exp },
  { "by-distance", demo_by_distance },
};

const char *isowarp_demo_name(unsigned i)
{
  return i < COUNT(demos) ? demos[i].name : NULL;
}

int isowarp_demo_run(iw_context *context, const char *name, unsigned warp_size, FILE *out)
{
  iw_context_info info = { .size = sizeof info };
  const iw_backend backend = iw_context_get_info(context, &info) == IW_OK ? info.backend : IW_BACKEND_AUTO;
  demo s = { .context = context, .warp_size = warp_size ? warp_size : 32, .backend = backend, .out = out };
  int known = 0;
  for (size_t i = 0; i < COUNT(demos); i++)
    if (name == NULL || strcmp(name, demos[i].name) == 0) {
      s.name = demos[i].name;
      s.failed = 0;
      demos[i].run(&s);
      free_arrays(&s);
      s.wrong |= s.failed;
      known = 1;
    }
  return !known ? 2 : s.wrong;
}
