/* SPDX-License-Identifier: Apache-2.0
 *
 * The planted bugs of tests/sim_bugs/ on the simulated GPU: each is found, at its line, and its twin is not
 * found fault with and computes what plain C computes. The twins run on the CPU as well.
 *
 *   check_sim_bugs bugs cpu|sim     prints what each bug shows there, and checks nothing
 *   check_sim_bugs twins cpu|sim|cuda   the same for the twins
 */
#include "assertions.h"
#include <isowarp.h>
#include <isowarp/sim.h>
#include "../sim_bugs/cases.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The kernels of each build ---- */

#define ROW_OF(file_, name_, bug_, fixed_, findings_, ...) \
  { .name = #name_, .file = file_ ".c", .findings = findings_, .bug = bug_, .fixed = fixed_, .grid = 4, .block = 64, \
    .n = 256, .launches = 1, __VA_ARGS__ },
#define DECLARE(name, ...) extern const iw_kernel bug_##name##_sim, fixed_##name##_sim, bug_##name##_cpu, fixed_##name##_cpu;
#define DECLARE_CLEAN(name, ...) extern const iw_kernel fixed_##name##_sim, fixed_##name##_cpu;
#define DECLARE_SIZES(name, ...) \
  extern const iw_kernel bug_##name##_sim8, fixed_##name##_sim8, bug_##name##_sim, fixed_##name##_sim, \
    bug_##name##_sim64, fixed_##name##_sim64, bug_##name##_cpu, fixed_##name##_cpu;
#define CLASSES(X) BOUNDS_CASES(X) UNDEFINED_CASES(X) SHARED_RACE_CASES(X) GLOBAL_RACE_CASES(X) DIVERGENCE_CASES(X) \
  PHASE_LEFT_CASES(X) PROGRESS_CASES(X) ATOMICS_CASES(X) PRIMITIVES_CASES(X) PLAIN_C_CASES(X)
#pragma GCC diagnostic ignored "-Woverride-init"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Winitializer-overrides"
#endif
CLASSES(DECLARE)
CLEAN_CASES(DECLARE_CLEAN)
WARP_SIZE_CASES(DECLARE_SIZES)

#define ROWS(target) \
  BOUNDS_CASES(BOUNDS_##target) UNDEFINED_CASES(UNDEFINED_##target) SHARED_RACE_CASES(SHARED_RACE_##target) \
  GLOBAL_RACE_CASES(GLOBAL_RACE_##target) DIVERGENCE_CASES(DIVERGENCE_##target) PROGRESS_CASES(PROGRESS_##target) \
  ATOMICS_CASES(ATOMICS_##target) PRIMITIVES_CASES(PRIMITIVES_##target) PLAIN_C_CASES(PLAIN_C_##target)
#define SIM_ROW(file, name, ...) ROW_OF(file, name, &bug_##name##_sim, &fixed_##name##_sim, __VA_ARGS__)
#define CPU_ROW(file, name, ...) ROW_OF(file, name, &bug_##name##_cpu, &fixed_##name##_cpu, __VA_ARGS__)
#define BOUNDS_SIM(name, ...) SIM_ROW("bounds", name, __VA_ARGS__)
#define UNDEFINED_SIM(name, ...) SIM_ROW("undefined", name, __VA_ARGS__)
#define SHARED_RACE_SIM(name, ...) SIM_ROW("shared_race", name, __VA_ARGS__)
#define GLOBAL_RACE_SIM(name, ...) SIM_ROW("global_race", name, __VA_ARGS__)
#define DIVERGENCE_SIM(name, ...) SIM_ROW("divergence", name, __VA_ARGS__)
#define PROGRESS_SIM(name, ...) SIM_ROW("progress", name, __VA_ARGS__)
#define ATOMICS_SIM(name, ...) SIM_ROW("atomics", name, __VA_ARGS__)
#define PRIMITIVES_SIM(name, ...) SIM_ROW("primitives", name, __VA_ARGS__)
#define PLAIN_C_SIM(name, ...) SIM_ROW("plain_c", name, __VA_ARGS__)
#define PLAIN_C_CPU(name, ...) ROW_OF("plain_c", name, NULL, &fixed_##name##_cpu, __VA_ARGS__)
#define BOUNDS_CPU(name, ...) CPU_ROW("bounds", name, __VA_ARGS__)
#define UNDEFINED_CPU(name, ...) CPU_ROW("undefined", name, __VA_ARGS__)
#define SHARED_RACE_CPU(name, ...) CPU_ROW("shared_race", name, __VA_ARGS__)
#define GLOBAL_RACE_CPU(name, ...) CPU_ROW("global_race", name, __VA_ARGS__)
#define DIVERGENCE_CPU(name, ...) CPU_ROW("divergence", name, __VA_ARGS__)
#define PROGRESS_CPU(name, ...) CPU_ROW("progress", name, __VA_ARGS__)
#define ATOMICS_CPU(name, ...) CPU_ROW("atomics", name, __VA_ARGS__)
#define PRIMITIVES_CPU(name, ...) CPU_ROW("primitives", name, __VA_ARGS__)
#define LEFT_CPU(name, ...) ROW_OF("divergence", name, NULL, &fixed_##name##_cpu, __VA_ARGS__)
#define CLEAN_SIM(name, ...) ROW_OF("clean", name, NULL, &fixed_##name##_sim, __VA_ARGS__)
#define CLEAN_CPU(name, ...) ROW_OF("clean", name, NULL, &fixed_##name##_cpu, __VA_ARGS__)
#define SIZE_8(name, at_8, at_64, ...) ROW_OF("warp_size", name, &bug_##name##_sim8, &fixed_##name##_sim8, at_8, __VA_ARGS__)
#define SIZE_32(name, at_8, at_64, ...) ROW_OF("warp_size", name, &bug_##name##_sim, &fixed_##name##_sim, "", __VA_ARGS__)
#define SIZE_64(name, at_8, at_64, ...) ROW_OF("warp_size", name, &bug_##name##_sim64, &fixed_##name##_sim64, at_64, __VA_ARGS__)
#define SIZE_CPU(name, at_8, at_64, ...) ROW_OF("warp_size", name, &bug_##name##_cpu, &fixed_##name##_cpu, "", __VA_ARGS__)

static const bug_case sim_cases[] = {
  ROWS(SIM) PHASE_LEFT_CASES(DIVERGENCE_SIM) CLEAN_CASES(CLEAN_SIM)
  WARP_SIZE_CASES(SIZE_8) WARP_SIZE_CASES(SIZE_32) WARP_SIZE_CASES(SIZE_64)
};
static const bug_case cpu_cases[] = {
  ROWS(CPU) PHASE_LEFT_CASES(LEFT_CPU) CLEAN_CASES(CLEAN_CPU) WARP_SIZE_CASES(SIZE_CPU)
};
enum { SIM_CASES = sizeof sim_cases / sizeof *sim_cases, CPU_CASES = sizeof cpu_cases / sizeof *cpu_cases };

/* ---- What is found ---- */

typedef struct place { char file[64]; int line; } place;  /* line 0: none */
typedef struct seen { char kind[24], message[400]; place at, other; } seen;
typedef struct outcome {
  iw_status status;       /* of the first call that failed */
  char message[512];
  int result_is_right;
  unsigned count;
  seen findings[64];
} outcome;

static place place_of(const char *file, int line)
{
  const char *const slash = file ? strrchr(file, '/') : NULL;
  place p = { .line = file ? line : 0 };
  snprintf(p.file, sizeof p.file, "%s", slash ? slash + 1 : file ? file : "");
  return p;
}

static void note(void *user, const iw_sim_finding *f)
{
  outcome *const o = user;
  if (f->severity != IW_SIM_ERROR || o->count == sizeof o->findings / sizeof *o->findings)
    return;
  seen *const s = &o->findings[o->count++];
  snprintf(s->kind, sizeof s->kind, "%s", f->check_name);
  snprintf(s->message, sizeof s->message, "%s", f->message);
  s->at = place_of(f->file, f->line);
  s->other = place_of(f->other_file, f->other_line);
}

/* Whether the place is marked with the name of the bug. No place: whether no line is. */
static int is_marked(const bug_case *c, const place *p)
{
  char path[1024], text[512], mark[128];
  int marked = 0, any = 0;
  if (p->line && strcmp(p->file, c->file))
    return 0;
  snprintf(path, sizeof path, "%s/%s", SIM_BUGS, c->file);
  snprintf(mark, sizeof mark, "/* BUG: %s */", c->name);
  FILE *const f = fopen(path, "r");
  if (!f)
    return 0;
  for (int at = 1; fgets(text, sizeof text, f); at++)
    if (strstr(text, mark)) {
      any = 1;
      if (at == p->line)
        marked = 1;
    }
  fclose(f);
  return p->line ? marked : !any;
}

/* Whether `kind` is one of the words of `kinds`. */
static int is_among(const char *kinds, const char *kind)
{
  const char *const at = strstr(kinds, kind);
  return *kind && at && (at == kinds || at[-1] == ' ') && (at[strlen(kind)] == 0 || at[strlen(kind)] == ' ');
}

/* A finding of the right kind. All places that it names are marked. If the host has read what the kernel
 * wrote, there is only the other one. */
static const seen *right_finding(const bug_case *c, const outcome *o)
{
  for (unsigned k = 0; k < o->count; k++) {
    const seen *const s = &o->findings[k];
    const int found = s->at.line ? is_marked(c, &s->at) && (!s->other.line || is_marked(c, &s->other)) : is_marked(c, &s->other);
    if (found && is_among(c->findings, s->kind))
      return s;
  }
  return NULL;
}

/* ---- One case ---- */

static void first_failure(outcome *o, iw_status status)
{
  if (o->status != IW_OK || status == IW_OK)
    return;
  o->status = status;
  snprintf(o->message, sizeof o->message, "%s: %s", iw_status_name(status), iw_message());
}

/* Allocates an array and copies `bytes` bytes to it, unless `unset`. */
static void *device_array(iw_context *context, outcome *o, const void *from, size_t bytes, int unset)
{
  void *memory = NULL;
  first_failure(o, iw_memory_allocate(context, bytes, &memory));
  if (memory && !unset)
    first_failure(o, iw_memory_copy(context, memory, from, bytes));
  return memory;
}

static outcome run_case(const bug_case *c, const iw_kernel *kernel, const iw_context_options *options)
{
  outcome o = { 0 };
  iw_context *context;
  const int buggy = kernel == c->bug;
  const unsigned mistakes = buggy ? c->flags : c->flags & ~(unsigned)(IN_ON_HOST | SCRATCH_FREED | COUNTER_DIRTY | SLOTS_UNSET);
  bug_host h = { .n = c->n, .ins = c->ins ? c->ins : c->n, .outs = c->outs, .scratches = c->scratches, .grid = c->grid,
                 .block = c->block };
  first_failure(&o, iw_context_open(&context, options));
  if (o.status != IW_OK)
    return o;
  if (options->backend == IW_BACKEND_SIM)
    first_failure(&o, iw_sim_set_report(context, note, &o));
  h.in = calloc(h.ins, sizeof *h.in);
  h.out = calloc(h.outs, sizeof *h.out);
  h.scratch = calloc(h.scratches + 1, sizeof *h.scratch);
  uint32_t *const expected = calloc(h.outs, sizeof *expected), *const got = calloc(h.outs, sizeof *got);
  uint64_t *const slots = calloc(c->slots + 1, sizeof *slots);
  for (size_t i = 0; i < h.ins; i++)
    h.in[i] = (uint32_t)((7 * i + i / 32 + 3) % 32);
  if (c->fill)
    c->fill(&h);
  c->expect(&h, expected);

  const iw_tickets tickets = { 0 };
  const uint32_t counter = mistakes & COUNTER_DIRTY ? 1 : 0;
  bug_args args = { .n = c->n };
  uint32_t *const in = device_array(context, &o, h.in, h.ins * sizeof *h.in, 0);
  args.in = mistakes & IN_ON_HOST ? h.in : in;
  args.out = device_array(context, &o, h.out, h.outs * sizeof *h.out, c->flags & OUT_UNSET);
  args.scratch = device_array(context, &o, h.scratch, h.scratches * sizeof *h.scratch, c->flags & SCRATCH_UNSET);
  args.slots = device_array(context, &o, slots, c->slots * sizeof *slots, mistakes & SLOTS_UNSET);
  args.tickets = device_array(context, &o, &tickets, sizeof tickets, 0);
  args.counter = device_array(context, &o, &counter, sizeof counter, 0);
  if (mistakes & SCRATCH_FREED)
    first_failure(&o, iw_memory_free(context, args.scratch));
  for (unsigned k = 0; k < c->launches; k++) {
    if (k > 0)
      first_failure(&o, iw_memory_copy(context, args.out, h.out, h.outs * sizeof *h.out));
    first_failure(&o, iw_launch(context, kernel, c->grid, c->block, &args, sizeof args));
  }
  first_failure(&o, iw_context_synchronize(context));
  first_failure(&o, iw_memory_copy(context, got, args.out, h.outs * sizeof *got));
  o.result_is_right = !memcmp(got, expected, h.outs * sizeof *got);
  if (!o.result_is_right && !buggy && getenv("ISOWARP_TEST_SHOW"))
    for (size_t i = 0; i < h.outs; i++)
      if (got[i] != expected[i])
        printf("%s: out[%zu] is %u, and has to be %u\n", c->name, i, got[i], expected[i]);

  iw_memory_free(context, in);
  iw_memory_free(context, args.out);
  if (!(mistakes & SCRATCH_FREED))
    iw_memory_free(context, args.scratch);
  iw_memory_free(context, args.slots);
  iw_memory_free(context, args.tickets);
  iw_memory_free(context, args.counter);
  iw_context_close(context);
  free(h.in), free(h.out), free(h.scratch), free(expected), free(got), free(slots);
  return o;
}

/* ---- Schedules ---- */

typedef struct schedule { const char *name, *resident, *seed; } schedule;
static const schedule schedules[] = {
  { "round-robin", "all", "1" }, { "descending", "1", "1" }, { "descending", "2", "1" }, { "ascending", "1", "1" },
  { "ascending", "2", "1" }, { "adversarial", "all", "1" }, { "random", "1", "1" }, { "random", "2", "2" },
  { "random", "all", "3" }, { "priority", "1", "4" }, { "priority", "2", "5" }, { "priority", "all", "6" },
  { "adversarial", "1", "7" }, { "adversarial", "2", "8" },
};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

static void use_schedule(const schedule *s)
{
  setenv("ISOWARP_SIM_SCHEDULE", s->name, 1);
  if (!strcmp(s->resident, "all"))
    unsetenv("ISOWARP_SIM_RESIDENT"); /* as many as the profile allows: more than these grids have */
  else
    setenv("ISOWARP_SIM_RESIDENT", s->resident, 1);
  setenv("ISOWARP_SIM_SEED", s->seed, 1);
}

static iw_context_options options_of(const char *backend)
{
  iw_context_options options = { .size = sizeof options };
  if (!strcmp(backend, "sim"))
    options.backend = IW_BACKEND_SIM;
  if (!strcmp(backend, "cpu"))
    options.backend = IW_BACKEND_CPU;
  if (!strcmp(backend, "cuda"))
    options.backend = IW_BACKEND_CUDA;
  return options;
}

/* ---- Tests ---- */

/* Progress depends on the schedule, and one of them has to show it. What else there is, each shows. */
START_TEST(bug_is_found)
{
  const bug_case *const c = &sim_cases[_i];
  const iw_context_options options = options_of("sim");
  const unsigned tried = c->flags & ANY_SCHEDULE ? SCHEDULES : is_among(c->findings, "race") ? 6 : 2;
  unsigned found = 0;
  if (!c->bug)
    return;
#ifdef __clang__
  if (c->flags & BOUND_OF_MEMBER)
    return;
#endif
  for (unsigned k = 0; k < tried; k++) {
    use_schedule(&schedules[k]);
    const outcome o = run_case(c, c->bug, &options);
    if (!*c->findings) {
      ck_assert_msg(o.status == IW_OK && !o.count && o.result_is_right, "%s is right with these warps: %s", c->name, o.message);
    } else if (!strcmp(c->findings, "result")) {
      ck_assert_msg(!o.result_is_right, "%s: the result is right", c->name);
    } else if (right_finding(c, &o)) {
      found++;
      ck_assert_msg(o.status == IW_ERROR_FINDING, "%s: the status is %s", c->name, iw_status_name(o.status));
    } else if (!(c->flags & ANY_SCHEDULE)) {
      ck_abort_msg("%s, %s, resident %s: no finding of %s at its line; %s, %u findings: %s", c->name, schedules[k].name,
                   schedules[k].resident, c->findings, iw_status_name(o.status), o.count, o.findings[0].message);
    }
  }
  if (c->flags & ANY_SCHEDULE)
    ck_assert_msg(found > 0, "%s: no schedule of %u shows it", c->name, tried);
}
END_TEST

START_TEST(twin_is_clean)
{
  const bug_case *const c = &sim_cases[_i];
  const iw_context_options options = options_of("sim");
  for (unsigned k = 0; k < SCHEDULES; k++) {
    use_schedule(&schedules[k]);
    const outcome o = run_case(c, c->fixed, &options);
    ck_assert_msg(o.status == IW_OK && !o.count, "%s, %s, resident %s: %s %s", c->name, schedules[k].name,
                  schedules[k].resident, o.message, o.count ? o.findings[0].message : "");
    ck_assert_msg(o.result_is_right, "%s, %s, resident %s: the result is wrong", c->name, schedules[k].name,
                  schedules[k].resident);
  }
}
END_TEST

START_TEST(twin_is_right_on_the_cpu)
{
  const bug_case *const c = &cpu_cases[_i];
  iw_context_options options = options_of("cpu");
  for (int k = 0; k < 3; k++) {
    options.threads = k == 0 ? 1 : 3;
    options.blocks = k == 1 ? IW_BLOCKS_TEAM : IW_BLOCKS_THREAD;
    const outcome o = run_case(c, c->fixed, &options);
    ck_assert_msg(o.status == IW_OK, "%s: %s", c->name, o.message);
    ck_assert_msg(o.result_is_right, "%s, setting %d: the result is wrong", c->name, k);
  }
}
END_TEST

/* ---- Lists ---- */

/* Prints what a kernel shows, from a process of its own. */
static void list_one(const bug_case *c, const iw_kernel *kernel, const char *backend, const schedule *s, unsigned threads)
{
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    use_schedule(s);
    iw_context_options options = options_of(backend);
    options.threads = threads;
    options.blocks = threads > 1 ? IW_BLOCKS_TEAM : IW_BLOCKS_THREAD;
    const outcome o = run_case(c, kernel, &options);
    const seen *const right = kernel == c->bug ? right_finding(c, &o) : NULL;
    printf("%s %s: %s, result %s", c->file, c->name, o.status == IW_OK ? "IW_OK" : o.message,
           o.result_is_right ? "right" : "WRONG");
    if (right)
      printf(", FOUND %s:%d", right->kind, right->at.line ? right->at.line : right->other.line);
    for (unsigned k = 0; k < o.count && !right; k++)
      printf("\n    %s", o.findings[k].message);
    printf("\n");
    fflush(stdout);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    printf("%s %s: %s\n", c->file, c->name, WTERMSIG(status) == SIGALRM ? "HANGS" : strsignal(WTERMSIG(status)));
}

static int list(const char *what, const char *backend, const char *only)
{
  const int sim = !strcmp(backend, "sim");
  const schedule *s = &schedules[0];
  const char *const threads = getenv("ISOWARP_THREADS"), *const number = getenv("SIM_BUGS_SCHEDULE");
  if (number)
    s = &schedules[atoi(number) % SCHEDULES];
  for (int k = 0; k < (sim ? SIM_CASES : CPU_CASES); k++) {
    const bug_case *const c = sim ? &sim_cases[k] : &cpu_cases[k];
    const iw_kernel *const kernel = !strcmp(what, "bugs") ? c->bug : c->fixed;
    if (kernel && (!only || !strcmp(only, c->name)))
      list_one(c, kernel, backend, s, threads ? (unsigned)atoi(threads) : 1);
  }
  return 0;
}

int main(int argc, char **argv)
{
  if (argc > 2)
    return list(argv[1], argv[2], argc > 3 ? argv[3] : NULL);
  Suite *const suite = suite_create("sim_bugs");
  TCase *const cpu = tcase_create("cpu");
  tcase_set_timeout(cpu, 60);
  tcase_add_loop_test(cpu, twin_is_right_on_the_cpu, 0, CPU_CASES);
  suite_add_tcase(suite, cpu);
  TCase *const sim = tcase_create("sim");
  tcase_set_timeout(sim, 20);
  tcase_add_loop_test(sim, bug_is_found, 0, SIM_CASES);
  tcase_add_loop_test(sim, twin_is_clean, 0, SIM_CASES);
  suite_add_tcase(suite, sim);
  SRunner *const runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
