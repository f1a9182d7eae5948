/* SPDX-License-Identifier: Apache-2.0
 *
 * Random calls of every row on a simulated GPU against the CPU's, to the bit, under random schedules,
 * devices and seeds. The library's kernels are right, so that every finding is an error: of a kernel, or a
 * false alarm of the simulator. And on each instruction set of this machine.
 *
 * ISOWARP_TEST_CASES   random cases (300)
 * ISOWARP_TEST_CASE    this one alone
 * ISOWARP_TEST_MOST    the largest of them has 2^MOST elements (15)
 */
#define _DEFAULT_SOURCE
#define RANDOM_CALLS_MOST 15
#include "random_calls.h"
#include "sim_calls.h"

#include <isowarp/sim.h>
#include <signal.h>
#include <time.h>

enum { CASES_OF_SCHEDULE = 10 }; /* with one seed each */

/* Chooses a device, a schedule, its seed and how many blocks are resident. It depends on the number of the
 * case alone. */
static void choose_schedule(run *r, size_t number)
{
  static const char *const schedules[] = { "ascending", "descending", "round-robin", "random", "priority", "adversarial" };
  static const char *const devices[] = { "h200", "a100", "l4", "t4" };
  static const char *const residents[] = { "all", "all", "1", "2", "5", "40" };
  start_random(5000000 + number / CASES_OF_SCHEDULE);
  const char *const schedule = schedules[random_below(COUNT(schedules))], *const device = devices[random_below(COUNT(devices))],
             *const resident = residents[random_below(COUNT(residents))];
  char seed[24];
  snprintf(seed, sizeof seed, "%u", (unsigned)random_below(1000000));
  setenv("ISOWARP_SIM_DEVICE", device, 1);
  setenv("ISOWARP_SIM_SCHEDULE", schedule, 1);
  setenv("ISOWARP_SIM_SEED", seed, 1);
  if (strcmp(resident, "all"))
    setenv("ISOWARP_SIM_RESIDENT", resident, 1);
  else
    unsetenv("ISOWARP_SIM_RESIDENT");
  snprintf(r->device, sizeof r->device, "sim (%s, schedule %s, seed %s, %s blocks resident)", device, schedule, seed, resident);
}

static void open_sim(run *r, size_t number)
{
  choose_schedule(r, number);
  open_run(r, open_on(IW_BACKEND_SIM, 0), open_cpu());
}

START_TEST(random_cases)
{
  const size_t cases = number("ISOWARP_TEST_CASES", getenv("ISOWARP_TEST_BRIEF") ? 60 : 300);
  const size_t only = number("ISOWARP_TEST_CASE", SIZE_MAX);
  const double start = now();
  static run r;
  running = &r;
  void (*const before)(int) = signal(SIGTERM, stopped);
  const size_t first = only != SIZE_MAX ? only : 0, end = only != SIZE_MAX ? only + 1 : cases;
  for (r.number = first; r.number < end; r.number++) {
    if (r.number % CASES_OF_SCHEDULE == 0 || r.number == first)
      open_sim(&r, r.number);
    one_case(&r);
    if ((r.number + 1) % CASES_OF_SCHEDULE == 0 || r.number + 1 == end)
      close_run(&r);
  }
  if (only != SIZE_MAX)
    printf("# case %zu is equal on %s: %s\n", only, r.device, r.what);
  else
    printf("# %zu random cases are equal under %zu schedules, in %.0f s (ISOWARP_TEST_SEED=%" PRIu64 ")\n", cases,
           (cases + CASES_OF_SCHEDULE - 1) / CASES_OF_SCHEDULE, now() - start, test_seed());
  signal(SIGTERM, before);
}
END_TEST

static iw_context *open_isa(const char *isa, unsigned threads, iw_blocks blocks)
{
  iw_context *context;
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU, .isa = isa, .threads = threads, .blocks = blocks };
  FINE(iw_context_open(&context, &options));
  return context;
}

/* The same calls between one thread of the generic instruction set and each set, with more threads, in both
 * block modes. */
START_TEST(instruction_sets)
{
  static const unsigned threads[] = { 1, 2, 3, 7 };
  const size_t cases = number("ISOWARP_TEST_CASES", getenv("ISOWARP_TEST_BRIEF") ? 160 : 800), only = number("ISOWARP_TEST_CASE", SIZE_MAX);
  static run r;
  size_t made = 0;
  running = &r;
  for (unsigned i = 0; iw_isa_name(i); i++)
    for (unsigned shape = 0; shape < 8 && iw_isa_available(iw_isa_name(i)); shape++) {
      const iw_blocks blocks = shape % 2 ? IW_BLOCKS_TEAM : IW_BLOCKS_THREAD;
      open_run(&r, open_isa(iw_isa_name(i), threads[shape / 2], blocks), open_isa("generic", 1, IW_BLOCKS_THREAD));
      snprintf(r.device, sizeof r.device, "%s (%u threads, %s)", iw_isa_name(i), threads[shape / 2], shape % 2 ? "teams" : "a thread each");
      for (r.number = only != SIZE_MAX ? only : shape; r.number < (only != SIZE_MAX ? only + 1 : cases); r.number += 8, made++)
        one_case(&r);
      close_run(&r);
    }
  printf("# %zu random cases are equal on all instruction sets\n", made);
}
END_TEST

#define IS(expected, part, call) do { \
    const iw_status status_ = (call); \
    ck_assert_msg(status_ == (expected), "%s: status %s: %s", #call, iw_status_name(status_), iw_message()); \
    ck_assert_msg(strstr(iw_message(), part) != NULL || status_ == IW_OK, "%s: %s", #call, iw_message()); \
  } while (0)
#define RUNS(call) FINE(call)

/* The rules of a captured stream are those of CUDA contexts: tests/suites/check_cuda.c, graph_misuse. */
START_TEST(captures)
{
  enum { N = 20000, BINS = 64 };
  static float host[N], right[N], got[N];
  static uint64_t counts[BINS];
  const float half = 0.5f, lo = 0, hi = 1;
  float *in, *out, *fresh, total = 99;
  void *counted;
  size_t front = 7;
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = BINS, .lo = &lo, .hi = &hi }, automatic = { .size = sizeof automatic, .bins = BINS };
  const iw_test less = { .size = sizeof less, .compare = IW_LESS, .constant = &half };
  iw_histogram_report report = { .size = sizeof report };
  iw_context *const cpu = open_cpu(), *const sim = open_on(IW_BACKEND_SIM, 0);
  for (unsigned i = 0; i < N; i++)
    host[i] = (float)(i * 2654435761u % 1000) / 1000;
  RUNS(iw_inclusive_scan(cpu, IW_SUM, IW_F32, host, N, right, NULL));
  RUNS(iw_memory_allocate(sim, sizeof host, (void **)&in));
  RUNS(iw_memory_allocate(sim, sizeof host, (void **)&out));
  RUNS(iw_memory_allocate(sim, sizeof counts, &counted));
  RUNS(iw_memory_copy(sim, in, host, sizeof host));
  IS(IW_ERROR_INVALID, "cpu", iw_sim_set_capture(cpu, 1));
  IS(IW_ERROR_INVALID, "NULL", iw_sim_set_capture(NULL, 1));
  IS(IW_ERROR_INVALID, "no capture", iw_sim_set_capture(sim, 0));
  RUNS(iw_sim_set_capture(sim, 1));
  IS(IW_ERROR_INVALID, "already", iw_sim_set_capture(sim, 1));
  IS(IW_ERROR_MEMORY, "iw_context_reserve", iw_inclusive_scan(sim, IW_SUM, IW_F32, in, N, out, NULL)); /* no scratch yet */
  IS(IW_ERROR_MEMORY, "16 bytes are needed while", iw_memory_allocate(sim, 16, (void **)&fresh));
  ck_assert_ptr_null(fresh);
  RUNS(iw_sim_set_capture(sim, 0));
  RUNS(iw_context_reserve(sim, 1 << 20));

  RUNS(iw_sim_set_capture(sim, 1));
  IS(IW_ERROR_INVALID, "host memory", iw_inclusive_scan(sim, IW_SUM, IW_F32, host, N, out, NULL));
  IS(IW_ERROR_INVALID, "captured", iw_reduce(sim, IW_SUM, IW_F32, in, N, &total, NULL));
  IS(IW_ERROR_INVALID, "captured", partition_of(sim, IW_F32, &less, in, N, out, NULL, &front));
  IS(IW_ERROR_INVALID, "captured", histogram_of(sim, IW_F32, &spec, in, N, counted, &report));
  IS(IW_ERROR_INVALID, "captured", histogram_of(sim, IW_F32, &automatic, in, N, counted, NULL));
  IS(IW_ERROR_INVALID, "captured", iw_context_set_stream(sim, &front));
  RUNS(iw_context_set_stream(sim, NULL)); /* the one that it has */
  IS(IW_ERROR_LAUNCH, "captured", iw_context_synchronize(sim));
  RUNS(iw_inclusive_scan(sim, IW_SUM, IW_F32, in, N, out, NULL));
  RUNS(histogram_of(sim, IW_F32, &spec, in, N, counted, NULL));
  RUNS(iw_sim_set_capture(sim, 0));
  ck_assert(total == 99 && front == 7);
  RUNS(iw_context_reserve(sim, 8 << 20)); /* a graph may use the smaller scratch: it is freed with the context */
  RUNS(iw_memory_copy(sim, got, out, sizeof got));
  ck_assert(!memcmp(got, right, sizeof got));
  RUNS(histogram_of(cpu, IW_F32, &spec, host, N, counts, NULL));
  uint64_t sim_counts[BINS];
  RUNS(iw_memory_copy(sim, sim_counts, counted, sizeof sim_counts));
  ck_assert(!memcmp(sim_counts, counts, sizeof counts));
  iw_memory_free(sim, in);
  iw_memory_free(sim, out);
  iw_memory_free(sim, counted);
  iw_context_close(sim);
  iw_context_close(cpu);
}
END_TEST

/* Of a context that has made no call, sorts, multisplits and a top-k of a short array need no more than
 * iw_context_reserve() of the documented number of bytes. Elements of one byte reserve the fewest tile states
 * for each, and the least scratch for candidates. */
START_TEST(reserved_sorts)
{
  static const size_t sizes[] = { 1000, 8193, 1 << 16, 1 << 18, (1 << 18) + 1 };
  const iw_buckets halves = { .size = sizeof halves, .type = IW_U8, .bits = 1 };
  enum { MULTISPLIT, SORT, TOP_K, CALLS };
  for (unsigned k = 0; k < CALLS * COUNT(sizes); k++) {
    const size_t n = sizes[k / CALLS], buckets = 2;
    const unsigned call = k % CALLS;
    iw_context *const sim = open_on(IW_BACKEND_SIM, 0);
    void *in, *out, *offsets;
    uint8_t *const host = malloc(n);
    for (size_t i = 0; i < n; i++)
      host[i] = (uint8_t)(i * i >> 3);
    RUNS(iw_memory_allocate(sim, n, &in));
    RUNS(iw_memory_allocate(sim, n, &out));
    RUNS(iw_memory_allocate(sim, (buckets + 1) * sizeof(size_t), &offsets));
    RUNS(iw_memory_copy(sim, in, host, n));
    RUNS(iw_context_reserve(sim, 2 * n + (call == MULTISPLIT ? 13 * n + 64 * buckets : call == SORT ? 20 * n : 28 * n) + (1 << 20)));
    RUNS(iw_sim_set_capture(sim, 1));
    if (call == MULTISPLIT)
      RUNS(iw_multisplit(sim, &halves, in, n, out, offsets, NULL));
    else if (call == SORT)
      RUNS(iw_sort(sim, IW_U8, in, n, out, NULL));
    else
      RUNS(iw_top_k(sim, IW_U8, in, n, n / 16, out, NULL));
    RUNS(iw_sim_set_capture(sim, 0));
    if (call == TOP_K) {
      uint8_t least[1 << 15];
      size_t below = 0, found = 0;
      RUNS(iw_memory_copy(sim, least, out, n / 16));
      for (size_t i = 0; i < n; i++)
        below += host[i] < least[n / 16 - 1];
      for (size_t i = 0; i < n / 16; i++)
        found += least[i] < least[n / 16 - 1];
      ck_assert(below == found && below < n / 16);
    }
    iw_context_close(sim);
    free(host);
  }
}
END_TEST

START_TEST(chosen_calls)
{
  for (unsigned k = 0; k < SHORT_SIM_CALLS; k++) {
    const char *const wrong = sim_calls[k].call();
    ck_assert_msg(!wrong, "%s: %s", sim_calls[k].name, wrong);
  }
}
END_TEST

int main(void)
{
  Suite *const suite = suite_create("sim_random");
  TCase *const c = new_case(suite, "random");
  tcase_set_timeout(c, 36000);
  tcase_add_test(c, captures);
  tcase_add_test(c, reserved_sorts);
  tcase_add_test(c, chosen_calls); /* first: random cases change the environment */
  tcase_add_test(c, instruction_sets);
  tcase_add_test(c, random_cases);
  return run_suite(suite);
}
