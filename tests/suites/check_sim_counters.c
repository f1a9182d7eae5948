/* SPDX-License-Identifier: Apache-2.0
 *
 * The counters of the simulated GPU: kernels whose counts are computed by hand, what lines and phases add
 * up to, the report's formats, and that counting changes neither results nor findings.
 */
#include "assertions.h"
#include <isowarp.h>
#include <isowarp/sim.h>
#include "../counters/args.h"
#include "../counters/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DECLARE(name, kernel, ...) extern const iw_kernel kernel##_sim;
#pragma GCC diagnostic ignored "-Wredundant-decls"
COUNTER_CASES(DECLARE)

enum { EXPECTED = 16, METRICS = 64 };
typedef struct counter_case {
  const char *name;
  const iw_kernel *kernel;
  pattern how;
  uint32_t a, b, lanes, n;
  size_t grid;
  unsigned threads;
  struct { const char *metric; uint64_t value; } expected[EXPECTED];
} counter_case;
#define ROW(name, kernel, how, a, b, lanes, n, grid, threads, ...) \
  { #name, &kernel##_sim, how, a, b, lanes, n, grid, threads, { __VA_ARGS__ } },
static const counter_case cases[] = { COUNTER_CASES(ROW) };
enum { CASES = sizeof cases / sizeof *cases };

#define MUST(call) do { const iw_status s_ = (call); ck_assert_msg(s_ == IW_OK, "%s: %s", #call, iw_message()); } while (0)

/* ---- Running a case ---- */

enum { BYTES = 1 << 20 };

static iw_context *open_context(void)
{
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_SIM };
  iw_context *context;
  MUST(iw_context_open(&context, &options));
  return context;
}

static void *device_zeros(iw_context *context, size_t bytes)
{
  void *const zeros = calloc(1, bytes), *memory = NULL;
  ck_assert(zeros != NULL);
  MUST(iw_memory_allocate(context, bytes, &memory));
  MUST(iw_memory_copy(context, memory, zeros, bytes));
  free(zeros);
  return memory;
}

static void run(iw_context *context, const counter_case *c)
{
  uint32_t index[32];
  counter_args args = { .lanes = c->lanes, .n = c->n };
  for (uint32_t l = 0; l < 32; l++)
    index[l] = index_of(c->how, c->a, c->b, l);
  uint32_t *const of = device_zeros(context, sizeof index);
  MUST(iw_memory_copy(context, of, index, sizeof index));
  args.index = of;
  args.in = device_zeros(context, BYTES);
  args.out = device_zeros(context, BYTES);
  args.words = device_zeros(context, 4096);
  args.tickets = device_zeros(context, sizeof(iw_tickets));
  MUST(iw_launch(context, c->kernel, c->grid, c->threads, &args, sizeof args));
  MUST(iw_memory_free(context, of));
  MUST(iw_memory_free(context, (void *)(uintptr_t)args.in));
  MUST(iw_memory_free(context, args.out));
  MUST(iw_memory_free(context, args.words));
  MUST(iw_memory_free(context, args.tickets));
}

typedef struct sums { unsigned calls; uint64_t of[METRICS], launches, blocks, warps; double seconds; char limit[32]; } sums;

static void add(void *user, const iw_sim_count *count)
{
  sums *const s = user;
  s->calls++;
  ck_assert(count->size == sizeof *count && count->metrics <= METRICS);
  for (size_t m = 0; m < count->metrics; m++)
    s->of[m] += count->values[m];
  s->launches = count->launches;
  s->blocks = count->blocks;
  s->warps = count->warps;
  s->seconds = count->seconds;
  snprintf(s->limit, sizeof s->limit, "%s", count->limit);
}

static uint64_t value(const sums *s, const char *metric)
{
  size_t m = 0;
  while (iw_sim_metric_name(m) && strcmp(iw_sim_metric_name(m), metric))
    m++;
  ck_assert_msg(iw_sim_metric_name(m) != NULL, "there is no metric %s", metric);
  return s->of[m];
}

/* ---- Tests ---- */

static void check_case(const counter_case *c, const char *checks)
{
  setenv("ISOWARP_SIM_CHECKS", checks, 1);
  iw_context *const context = open_context();
  sums all = { 0 }, lines = { 0 }, phases = { 0 };
  MUST(iw_sim_set_counting(context, 1));
  run(context, c);
  MUST(iw_sim_for_each_count(context, IW_SIM_KERNELS, add, &all));
  MUST(iw_sim_for_each_count(context, IW_SIM_LINES, add, &lines));
  MUST(iw_sim_for_each_count(context, IW_SIM_PHASES, add, &phases));
  ck_assert_msg(all.calls == 1, "%s: %u kernels", c->name, all.calls);
  for (unsigned k = 0; k < EXPECTED && c->expected[k].metric; k++)
    ck_assert_msg(value(&all, c->expected[k].metric) == c->expected[k].value, "%s (checks %s): %s is %llu and has to be %llu",
                  c->name, checks, c->expected[k].metric, (unsigned long long)value(&all, c->expected[k].metric),
                  (unsigned long long)c->expected[k].value);
  ck_assert_msg(!memcmp(all.of, lines.of, sizeof all.of), "%s: the lines do not add up to the kernel", c->name);
  ck_assert_msg(!memcmp(all.of, phases.of, sizeof all.of), "%s: the phases do not add up to the kernel", c->name);
  ck_assert_msg(all.blocks == c->grid && all.warps == c->grid * ((c->threads + 31) / 32), "%s: blocks, warps", c->name);
  iw_context_close(context);
}

START_TEST(counts_are_exact)
{
  check_case(&cases[_i], "all");
  check_case(&cases[_i], "none");
}
END_TEST

/* Off: nothing is counted. Begun again: from 0. Several launches add up. */
START_TEST(counting_is_switched)
{
  iw_context *const context = open_context();
  sums none = { 0 }, one = { 0 }, three = { 0 }, still = { 0 };
  run(context, &cases[0]);
  MUST(iw_sim_for_each_count(context, IW_SIM_KERNELS, add, &none));
  ck_assert_uint_eq(none.calls, 0);
  MUST(iw_sim_set_counting(context, 1));
  run(context, &cases[0]);
  MUST(iw_sim_for_each_count(context, IW_SIM_KERNELS, add, &one));
  run(context, &cases[0]);
  run(context, &cases[0]);
  MUST(iw_sim_for_each_count(context, IW_SIM_KERNELS, add, &three));
  MUST(iw_sim_set_counting(context, 0));
  run(context, &cases[0]);
  MUST(iw_sim_for_each_count(context, IW_SIM_KERNELS, add, &still));
  ck_assert(three.launches == 3 && still.launches == 3);
  for (unsigned m = 0; m < METRICS; m++)
    ck_assert(three.of[m] == 3 * one.of[m] && still.of[m] == three.of[m]);
  MUST(iw_sim_set_counting(context, 1));
  none.calls = 0;
  MUST(iw_sim_for_each_count(context, IW_SIM_LINES, add, &none));
  ck_assert_uint_eq(none.calls, 0);
  iw_context_close(context);
}
END_TEST

static void find_line(void *user, const iw_sim_count *count)
{
  const char *const slash = count->file ? strrchr(count->file, '/') : NULL;
  if (slash && !strcmp(slash, "/kernels.c") && count->line > 0 && count->operation && !strncmp(count->operation, "iw_gather", 9))
    ++*(int *)user;
}

START_TEST(lines_have_places)
{
  iw_context *const context = open_context();
  int found = 0;
  MUST(iw_sim_set_counting(context, 1));
  run(context, &cases[0]);
  MUST(iw_sim_for_each_count(context, IW_SIM_LINES, find_line, &found));
  ck_assert_msg(found == 1, "%d lines of kernels.c have iw_gather", found);
  iw_context_close(context);
}
END_TEST

/* Bytes that move once, at the bandwidth of an H200; conflicts bind a kernel that has little else. */
START_TEST(estimate_is_a_roofline)
{
  setenv("ISOWARP_SIM_PROCESSORS", "1", 1);
  for (unsigned k = CASES - 2; k < CASES; k++) {
    iw_context *const context = open_context();
    sums all = { 0 };
    MUST(iw_sim_set_counting(context, 1));
    run(context, &cases[k]);
    MUST(iw_sim_for_each_count(context, IW_SIM_KERNELS, add, &all));
    const double memory = (double)(value(&all, B_READ) + value(&all, B_WRITE)) / 4.8e12;
    const double tags = (double)value(&all, TAGS) / 1.98e9, banks = (double)value(&all, WAVES) / 1.98e9;
    const int by_banks = k == CASES - 1;
    const double expected = by_banks ? banks : tags;
    ck_assert_msg(all.seconds > 0.999 * expected && all.seconds < 1.001 * expected && expected > memory, "%s: %g, %g", cases[k].name,
                  all.seconds, expected);
    ck_assert_msg(!strcmp(all.limit, by_banks ? "shared memory" : "L1 tags"), "%s: %s", cases[k].name, all.limit);
    iw_context_close(context);
  }
}
END_TEST

/* One warp, 32 additions to one word in each of two launches, two clocks each. */
START_TEST(estimate_has_atomics_to_one_sector)
{
  iw_context *const context = open_context();
  sums all = { 0 };
  unsigned k = 0;
  while (strcmp(cases[k].name, "red_1"))
    k++;
  MUST(iw_sim_set_counting(context, 1));
  for (unsigned launch = 0; launch < 2; launch++)
    run(context, &cases[k]);
  MUST(iw_sim_for_each_count(context, IW_SIM_KERNELS, add, &all));
  ck_assert_msg(!strcmp(all.limit, "atomics to one sector"), "%s", all.limit);
  ck_assert_msg(all.seconds > 0.999 * 128 / 1.98e9 && all.seconds < 1.001 * 128 / 1.98e9, "%g", all.seconds);
  iw_context_close(context);
}
END_TEST

static char *contents(const char *path)
{
  static char text[1 << 20];
  FILE *const file = fopen(path, "r");
  ck_assert_msg(file != NULL, "no file %s", path);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

START_TEST(reports_are_written)
{
  static const char *const suffixes[] = { ".csv", ".json", ".txt" };
  for (unsigned k = 0; k < 3; k++) {
    char path[64];
    snprintf(path, sizeof path, "check_sim_counters-%d%s", (int)getpid(), suffixes[k]);
    setenv("ISOWARP_SIM_COUNT", path, 1);
    iw_context *const context = open_context();
    unsetenv("ISOWARP_SIM_COUNT");
    run(context, &cases[0]);
    MUST(iw_sim_write_counts(context, path)); /* the environment variable would write at the close */
    iw_context_close(context);
    const char *const text = contents(path);
    unlink(path);
    if (k == 0) {
      unsigned rows = 0, commas[2] = { 0 };
      for (const char *at = text; *at; at++) {
        commas[rows > 0] += rows < 2 && *at == ',';
        rows += *at == '\n';
      }
      ck_assert_msg(rows == 7, "%u rows: a head, a kernel, 4 lines with the barrier, a phase", rows);
      ck_assert_msg(commas[0] == commas[1], "the head has %u commas, the first row %u", commas[0], commas[1]);
      ck_assert(strstr(text, "\nkernel,\"gather_u32\",") != NULL);
    } else
      ck_assert(strstr(text, "gather_u32") && strstr(text, k == 1 ? "\"" R_LD "\": 2" : R_LD));
    if (k == 1)
      ck_assert(text[0] == '[' && strstr(text, "}\n]\n"));
  }
}
END_TEST

START_TEST(environment_names_the_file)
{
  char path[64], second[64];
  snprintf(path, sizeof path, "check_sim_counters-%d.csv", (int)getpid());
  snprintf(second, sizeof second, "check_sim_counters-%d-2.csv", (int)getpid());
  setenv("ISOWARP_SIM_COUNT", path, 1);
  for (unsigned k = 0; k < 2; k++) {
    iw_context *const context = open_context();
    run(context, &cases[0]);
    iw_context_close(context);
  }
  unsetenv("ISOWARP_SIM_COUNT");
  ck_assert(strstr(contents(path), "gather_u32") && strstr(contents(second), "gather_u32"));
  unlink(path);
  unlink(second);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
  iw_context *const context = open_context();
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU };
  iw_context *cpu;
  sums s = { 0 };
  MUST(iw_context_open(&cpu, &options));
  ck_assert(iw_sim_set_counting(NULL, 1) == IW_ERROR_INVALID);
  ck_assert(iw_sim_set_counting(cpu, 1) == IW_ERROR_INVALID && strstr(iw_message(), "cpu"));
  ck_assert(iw_sim_for_each_count(cpu, IW_SIM_LINES, add, &s) == IW_ERROR_INVALID);
  ck_assert(iw_sim_for_each_count(context, (iw_sim_level)3, add, &s) == IW_ERROR_INVALID && strstr(iw_message(), "0 to 2"));
  ck_assert(iw_sim_for_each_count(context, IW_SIM_LINES, NULL, &s) == IW_ERROR_INVALID);
  ck_assert(iw_sim_write_counts(context, "") == IW_ERROR_INVALID);
  ck_assert(iw_sim_write_counts(context, NULL) == IW_ERROR_INVALID);
  ck_assert(iw_sim_write_counts(context, "no-such-folder/counts.csv") == IW_ERROR_INVALID && strstr(iw_message(), "no-such-folder"));
  iw_context_close(cpu);
  iw_context_close(context);
}
END_TEST

/* A result has the same bits with and without counting. */
START_TEST(counting_changes_no_result)
{
  enum { N = 30000 };
  static float in[N], out[2][N];
  static uint64_t counts[2][64];
  const float lo = 0, hi = 1;
  const iw_histogram_spec spec = { .size = sizeof spec, .type = IW_F32, .bins = 64, .lo = &lo, .hi = &hi };
  for (unsigned i = 0; i < N; i++)
    in[i] = (float)(i * 2654435761u >> 8) / 16777216.0f;
  for (unsigned k = 0; k < 2; k++) {
    iw_context *const context = open_context();
    sums s = { 0 };
    MUST(iw_sim_set_counting(context, (int)k));
    MUST(iw_inclusive_scan(context, IW_SUM, IW_F32, in, N, out[k], NULL));
    MUST(iw_histogram(context, &spec, in, N, counts[k], NULL));
    MUST(iw_sim_for_each_count(context, IW_SIM_KERNELS, add, &s));
    ck_assert((s.calls > 0) == (k == 1));
    iw_context_close(context);
  }
  ck_assert(!memcmp(out[0], out[1], sizeof out[0]) && !memcmp(counts[0], counts[1], sizeof counts[0]));
}
END_TEST

int main(void)
{
  Suite *const suite = suite_create("sim_counters");
  TCase *const exact = tcase_create("exact"), *const use = tcase_create("use");
  tcase_set_timeout(exact, 60);
  tcase_set_timeout(use, 60);
  tcase_add_loop_test(exact, counts_are_exact, 0, CASES);
  tcase_add_test(use, counting_is_switched);
  tcase_add_test(use, lines_have_places);
  tcase_add_test(use, estimate_is_a_roofline);
  tcase_add_test(use, estimate_has_atomics_to_one_sector);
  tcase_add_test(use, reports_are_written);
  tcase_add_test(use, environment_names_the_file);
  tcase_add_test(use, wrong_arguments_are_refused);
  tcase_add_test(use, counting_changes_no_result);
  suite_add_tcase(suite, exact);
  suite_add_tcase(suite, use);
  SRunner *const runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
