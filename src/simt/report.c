/* SPDX-License-Identifier: Apache-2.0
 *
 * A program runs once for each schedule, in a process of its own that is made before main(). Its findings go
 * through a pipe to the first process, which reports those that are new (sim/finding.c) and exits with 3 if
 * one is an error. If a shuffle took a value that is not specified, trials follow: runs with other values,
 * whose memory is compared.
 */
#include "simt/simt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STATUS_BAD = 2, STATUS_FINDING = 3, MOST_FOUND = 512, LEFT = -1 /* a message's kind: what a trial leaves */ };

simt_schedule iw_simt_schedule = { SIM_ASCENDING, 1 };
simt_trial iw_simt_trial;
static int pipe_to_first = -1;
static int fence_is_error;
static sim_state state;         /* findings, in the first process */

/* ---- In the process of a schedule -------------------------------------------------------------------- */

typedef struct message {
  int kind, is_note, line, other_line;
  char file[512], other_file[512], kernel[128], text[900], replay[128];
  uint64_t memory;            /* of LEFT: its hash */
} message;
static struct found { sim_kind kind; int is_note; uint32_t pc, other_pc; } found[MOST_FOUND];
static unsigned found_count;

int iw_simt_is_new(sim_kind kind, int is_note, uint32_t pc, uint32_t other_pc)
{
  if (kind < SIM_PROGRESS && !(iw_simt_now.checks >> kind & 1))
    return 0;
  for (unsigned i = 0; i < found_count; i++)
    if (found[i].kind == kind && found[i].is_note == is_note &&
        ((found[i].pc == pc && found[i].other_pc == other_pc) || (found[i].pc == other_pc && found[i].other_pc == pc)))
      return 0;
  return found_count < MOST_FOUND;
}

/* "%s" in the text becomes the other place. */
static void put_other_place(const char *text, const message *m, char *out, size_t capacity)
{
  const char *const at = strstr(text, "%s");
  if (!at)
    snprintf(out, capacity, "%s", text);
  else
    snprintf(out, capacity, "%.*s%s:%d%s", (int)(at - text), text, iw_sim_short_name(m->other_file),
             m->other_line, at + 2);
}

static void put_line(uint32_t pc, char *file, int *line)
{
  if (!pc)
    return;
  memcpy(file, iw_sim_line(pc)->file, sizeof iw_sim_line(pc)->file);
  *line = iw_sim_line(pc)->line;
}

static void send(message *m, uint32_t pc)
{
  put_line(pc, m->file, &m->line);
  snprintf(m->kernel, sizeof m->kernel, "%s", iw_simt_kernel());
  state.policy = iw_simt_schedule.policy;
  state.seed = iw_simt_schedule.seed;
  iw_sim_write_replay(&state, 1);
  memcpy(m->replay, state.replay, sizeof m->replay);
  fflush(stdout);
  for (size_t done = 0; done < sizeof *m; ) {
    const ssize_t got = write(pipe_to_first, (const char *)m + done, sizeof *m - done);
    if (got <= 0)
      return;
    done += (size_t)got;
  }
}

void iw_simt_left(uint32_t pc, uint64_t memory, const char *text)
{
  message m = { .kind = LEFT, .memory = memory };
  snprintf(m.text, sizeof m.text, "%s", text);
  send(&m, pc);
}

void iw_simt_found(sim_kind kind, int is_note, uint32_t pc, uint32_t other_pc, const char *format, ...)
{
  char text[900];
  message m = { .kind = (int)kind, .is_note = is_note && !(kind == SIM_FENCE && fence_is_error) };
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (found_count < MOST_FOUND)
    found[found_count++] = (struct found){ kind, is_note, pc, other_pc };
  put_line(other_pc, m.other_file, &m.other_line);
  put_other_place(text, &m, m.text, sizeof m.text);
  send(&m, pc);
}

/* "block (1, 2, 0)", or "block 7" of a grid with one dimension. */
static int put_index(char *text, size_t capacity, const char *what, uint64_t i, iw_simt_dim of)
{
  if (of.y == 1 && of.z == 1)
    return snprintf(text, capacity, "%s %llu", what, (unsigned long long)i);
  return snprintf(text, capacity, "%s (%llu, %llu, %llu)", what, (unsigned long long)(i % of.x),
                  (unsigned long long)(i / of.x % of.y), (unsigned long long)(i / of.x / of.y));
}

const char *iw_simt_who(uint64_t block, unsigned thread)
{
  enum { CAPACITY = 96 };
  static char texts[2][CAPACITY];
  static unsigned last;
  char *const text = texts[last ^= 1];
  int n = put_index(text, CAPACITY, "block", block, iw_simt_grid_dim);
  n += put_index(text + n, CAPACITY - (size_t)n, " thread", thread, iw_simt_block_dim);
  snprintf(text + n, CAPACITY - (size_t)n, " (warp %u lane %u)", thread / SIMT_LANES, thread % SIMT_LANES);
  return text;
}

const char *iw_simt_me(void)
{
  const simt_thread *const t = iw_simt_now.thread;
  return t ? iw_simt_who(t->block->index, t->index) : "the host";
}

void iw_simt_trap(const char *what, void *return_address)
{
  if (iw_simt_now.thread) {
    iw_simt_found(SIM_PROGRESS, 0, simt_pc(return_address), 0, "%s: %s", iw_simt_me(),
                  what);
    iw_simt_stop_launch(710);
  }
  fprintf(stderr, "isowarp: %s\n", what);
  _exit(STATUS_BAD);
}

void iw_simt_unsupported(const char *what, void *return_address)
{
  const sim_line *const line = iw_sim_line(simt_pc(return_address));
  fflush(stdout);
  fprintf(stderr, "isowarp: %s:%d: the simulated GPU cannot run %s\n", line->file, line->line, what);
  _exit(STATUS_BAD);
}

/* assert() of a kernel. */
_Noreturn void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
  char text[512];
  snprintf(text, sizeof text, "the assertion '%.200s' of %.150s:%u does not hold", assertion,
           iw_sim_short_name(file), line);
  if (iw_simt_now.thread)
    iw_simt_trap(text, __builtin_return_address(0));
  fflush(stdout);
  fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
  abort();
}

/* ---- In the first process ---------------------------------------------------------------------------- */

/* What finding.c and settings.c call of the library. */
static char failure[512];
iw_status iw_fail(iw_status status, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(failure, sizeof failure, format, list);
  va_end(list);
  return status;
}

static int has_errors, has_unspecified; /* has_unspecified: a shuffle took a value that is not specified */
static void print(void *user, const iw_sim_finding *f)
{
  (void)user;
  char line[sizeof(message)];
  has_errors |= f->severity == IW_SIM_ERROR;
  snprintf(line, sizeof line, "%s", f->message);
  for (char *c = line; *c; c++)
    *c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
  /* in one call, as the program may write at the same time */
  dprintf(STDERR_FILENO, "isowarp: %s%s\n", f->severity == IW_SIM_NOTE ? "note: " : "", line);
}

static void take(const message *m)
{
  const iw_site site = { .file = m->file, .line = m->line, .operation = m->kernel };
  const iw_site other = { .file = m->other_file, .line = m->other_line, .operation = "" };
  memcpy(state.replay, m->replay, sizeof state.replay);
  has_unspecified |= m->kind == SIM_DIVERGENCE && m->is_note;
  (m->is_note ? iw_sim_note : iw_sim_found)(&state, (sim_kind)m->kind, m->file[0] ? &site : NULL,
                                            m->other_file[0] ? &other : NULL, "%s", m->text);
  (void)iw_sim_findings_status(&state);
}

/* ---- Trials ---- */

/* The last one has the value of the first: a program that leaves another memory by itself is not judged. As
 * numbers of all kinds the bytes are a large one and one below 0. */
static const simt_trial trials[] = { { 1, 0 }, { 1, 0x7e }, { 1, 0xfe }, { 1, 0 } };
enum { TRIALS = sizeof trials / sizeof *trials, MOST_LEFT = 256 };
static message (*left)[MOST_LEFT]; /* of each trial, by launch with such a value */
static size_t left_count[TRIALS];

static void keep(const message *m, size_t trial)
{
  if (left_count[trial] == MOST_LEFT || m->kind != LEFT)
    return;
  left[trial][left_count[trial]++] = *m;
}

static int is_same(size_t trial, size_t launch)
{
  return launch >= left_count[trial] || left[trial][launch].memory == left[0][launch].memory;
}

/* Reports the first launch whose memory depends on the value. */
static void judge_trials(void)
{
  for (size_t i = 0; i < left_count[0] && i < left_count[TRIALS - 1] && is_same(TRIALS - 1, i); i++)
    for (size_t k = 1; k < TRIALS - 1; k++)
      if (!is_same(k, i)) {
        left[0][i].kind = SIM_DIVERGENCE;
        take(&left[0][i]);
        return;
      }
}

/* ---- Runs ---- */

static off_t input_start;     /* of standard input that is a file, which each run reads; else -1: the first one reads it */

/* Runs the program by a schedule. Returns twice: 1 in the new process; 0 in the first one when that has
 * ended. trial: of trials, or NULL. seconds: after which the run is ended; 0: never. */
static int run_schedule(simt_schedule schedule, int is_first, const simt_trial *trial, unsigned seconds, int *status)
{
  int ends[2];
  message m;
  if (pipe2(ends, O_CLOEXEC) != 0)
    _exit(STATUS_BAD);
  fflush(NULL);
  const pid_t running = fork();
  if (running == 0) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* it ends with the first process */
    close(ends[0]);
    pipe_to_first = ends[1];
    iw_simt_schedule = schedule;
    iw_simt_trial = trial ? *trial : (simt_trial){ 0, 0 };
    alarm(seconds);
    if (!is_first) {
      const int nothing = open("/dev/null", O_RDWR);
      const int again = input_start >= 0 ? open("/proc/self/fd/0", O_RDONLY) : -1;
      for (int i = 0; i < 3; i++)
        dup2(i == 0 && again >= 0 && lseek(again, input_start, SEEK_SET) >= 0 ? again : nothing, i);
      unsetenv("ISOWARP_SIMT_RESULTS");
    }
    return 1;
  }
  close(ends[1]);
  for (size_t got = 0; ; ) {
    const ssize_t more = read(ends[0], (char *)&m + got, sizeof m - got);
    if (more <= 0)
      break;
    got += (size_t)more;
    if (got == sizeof m) {
      if (trial)
        keep(&m, (size_t)(trial - trials));
      else
        take(&m);
      got = 0;
    }
  }
  close(ends[0]);
  waitpid(running, status, 0);
  return 0;
}

/* A report that cannot be written at the end is an error at the begin. */
static void check_report(void)
{
  const char *const name = getenv("ISOWARP_SIM_REPORT");
  FILE *const file = name && *name ? fopen(name, "a") : NULL;
  if (file)
    fclose(file);
  else if (name && *name) {
    fprintf(stderr, "isowarp: ISOWARP_SIM_REPORT: %s: %s\n", name, strerror(errno));
    _exit(STATUS_BAD);
  }
}

static iw_context context;
static iw_backend_ops operations = { .name = "sim" };

__attribute__((destructor)) static void end(void)
{
  iw_simt_count_close();
}

/* Without ISOWARP_SIM_SCHEDULE the program runs under four. Returns their number. */
static unsigned choose_schedules(simt_schedule *all)
{
  enum { KINDS = SIM_CHECK_BOUNDS | SIM_CHECK_UNDEFINED | SIM_CHECK_RACE | SIM_CHECK_BARRIER | SIM_CHECK_DIVERGENCE |
                 1 << SIM_PROGRESS | 1 << SIM_FENCE };
  unsigned long long seed;
  unsigned policy, *const checks = &iw_simt_now.checks;
  if (iw_sim_choose_number("ISOWARP_SIM_SEED", 0, ULLONG_MAX, 1, &seed) != IW_OK ||
      iw_sim_choose_policy(SIM_RANDOM + 1, &policy) != IW_OK || iw_sim_choose_checks(KINDS, checks) != IW_OK) {
    fprintf(stderr, "isowarp: %s\n", failure);
    _exit(STATUS_BAD);
  }
  fence_is_error = *checks >> SIM_FENCE & 1;
  *checks |= fence_is_error ? SIM_CHECK_RACE : 0;
  all[0] = (simt_schedule){ policy, seed };
  all[1] = (simt_schedule){ SIM_DESCENDING, seed };
  all[2] = (simt_schedule){ SIM_RANDOM, seed };
  all[3] = (simt_schedule){ SIM_RANDOM, seed + 1 };
  return getenv("ISOWARP_SIM_SCHEDULE") ? 1 : 4;
}

__attribute__((constructor(101))) static void begin(void)
{
  simt_schedule all[4];
  const unsigned count = choose_schedules(all);
  int status = 0, first_status = 0;
  check_report();
  context.ops = &operations;
  context.state = &state;
  state.context = &context;
  struct stat input;
  input_start = fstat(0, &input) == 0 && S_ISREG(input.st_mode) ? lseek(0, 0, SEEK_CUR) : -1;
  (void)iw_sim_findings_open(&state);
  (void)iw_sim_set_report(&context, print, NULL);
  simt_schedule unspecified = all[0]; /* the first that has shown such a value */
  unsigned first_trial = 0;   /* its seconds */
  for (unsigned i = 0; i < count || (has_unspecified && i < count + TRIALS); i++) {
    const int was_unspecified = has_unspecified;
    if (i == count) /* and nothing later, so that addresses are the same in all trials */
      left = iw_simt_must(calloc(TRIALS, sizeof *left), "what trials leave");
    const unsigned trial = i - count;
    const time_t start = time(NULL);
    /* A value may be the length of a loop. */
    const unsigned seconds = i > count ? 10 * first_trial + 5 : 0;
    if (run_schedule(i < count ? all[i] : unspecified, i == 0, i < count ? NULL : &trials[trial], seconds, &status)) {
      iw_simt_places_open();
      if (i == 0)
        iw_simt_count_open(&state);
      return;
    }
    if (has_unspecified > was_unspecified)
      unspecified = all[i];
    if (i == count)
      first_trial = (unsigned)(time(NULL) - start);
    if (i == 0)
      first_status = status;
    if (i == 0 && WIFEXITED(status) && WEXITSTATUS(status) == STATUS_BAD)
      break; /* it cannot run */
  }
  judge_trials();
  iw_sim_findings_close(&state);
  fflush(NULL);
  if (has_errors)
    _exit(STATUS_FINDING);
  if (WIFSIGNALED(first_status)) {
    fprintf(stderr, "isowarp: the program was ended by signal %d (%s)\n", WTERMSIG(first_status),
            strsignal(WTERMSIG(first_status)));
    _exit(128 + WTERMSIG(first_status));
  }
  _exit(WEXITSTATUS(first_status));
}
