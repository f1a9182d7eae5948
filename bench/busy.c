/* SPDX-License-Identifier: Apache-2.0
 *
 * How much longer calls take beside busy processes, one for each processor: the table "Beside busy
 * processes" of make bench.
 *
 * usage: busy [REPETITIONS [SECONDS [THREADS]]]   (5, 0.4, as many as there are processors)
 *
 * A measurement is a process of its own, which opens a context and makes one call over and over. Each
 * repetition measures all cases, each first while the busy processes are stopped, for a quarter of SECONDS,
 * then beside them. The time of a measurement is the mean of its calls: a median would not see the calls
 * that other processes interrupt.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include <isowarp.h>

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_N = 1 << 21, MOST_REPETITIONS = 99, MOST_PROCESSORS = 1024 };

static const struct { const char *name; int scans; iw_blocks blocks; size_t n; } cases[] = {
  { "reduce of 2^16 f32", 0, IW_BLOCKS_THREAD, 1 << 16 },
  { "reduce of 2^20 f32", 0, IW_BLOCKS_THREAD, 1 << 20 },
  { "scan of 2^18 f32", 1, IW_BLOCKS_THREAD, 1 << 18 },
  { "scan of 2^21 f32", 1, IW_BLOCKS_THREAD, 1 << 21 },
  { "scan of 2^18 f32, blocks shared by the team", 1, IW_BLOCKS_TEAM, 1 << 18 },
  { "scan of 2^21 f32, blocks shared by the team", 1, IW_BLOCKS_TEAM, 1 << 21 },
};
enum { CASES = sizeof cases / sizeof *cases };

static float *in, *out;
static pid_t busy[MOST_PROCESSORS];
static int busy_count;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(iw_status status)
{
  if (status == IW_OK)
    return;
  fprintf(stderr, "busy: %s\n", iw_message());
  exit(1);
}

/* The mean time of a call, in microseconds. */
static double mean_time(iw_context *context, unsigned which, double seconds)
{
  const double begin = now();
  double end;
  size_t calls = 0;
  do {
    float total;
    if (cases[which].scans)
      must(iw_inclusive_scan(context, IW_SUM, IW_F32, in, cases[which].n, out, NULL));
    else
      must(iw_reduce(context, IW_SUM, IW_F32, in, cases[which].n, &total, NULL));
    calls++;
    end = now();
  } while (end - begin < seconds);
  return (end - begin) / (double)calls * 1e6;
}

/* The same in a process of its own. */
static double measure(unsigned which, unsigned threads, double seconds)
{
  int ends[2];
  double time = 0;
  fflush(stdout);
  const pid_t child = pipe(ends) == 0 ? fork() : -1;
  if (child == 0) {
    iw_context *context;
    const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = threads, .blocks = cases[which].blocks };
    must(iw_context_open(&context, &o));
    for (size_t i = 0; i < MOST_N; i++) {
      in[i] = (float)(i % 7);
      out[i] = 0;
    }
    (void)mean_time(context, which, 0.03);
    time = mean_time(context, which, seconds);
    _exit(write(ends[1], &time, sizeof time) != sizeof time);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &time, sizeof time) != sizeof time || waitpid(child, NULL, 0) != child) {
    fprintf(stderr, "busy: a measurement failed\n");
    exit(1);
  }
  close(ends[0]);
  return time;
}

static void signal_busy(int signal)
{
  const struct timespec settle = { .tv_nsec = 20000000 };
  for (int i = 0; i < busy_count; i++)
    kill(busy[i], signal);
  nanosleep(&settle, NULL);
}

static void end_busy(void)
{
  signal_busy(SIGKILL);
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int n)
{
  qsort(values, (size_t)n, sizeof *values, by_size);
  return values[n / 2];
}

int main(int argc, char **argv)
{
  static double quiet[CASES][MOST_REPETITIONS], beside[CASES][MOST_REPETITIONS];
  const int repetitions = argc > 1 ? atoi(argv[1]) : 5;
  const double seconds = argc > 2 ? atof(argv[2]) : 0.4;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  (void)sched_getaffinity(0, sizeof allowed, &allowed);
  const int processors = CPU_COUNT(&allowed) ? CPU_COUNT(&allowed) : 1;
  const unsigned threads = argc > 3 ? (unsigned)atoi(argv[3]) : (unsigned)processors;
  in = malloc(MOST_N * sizeof *in);
  out = malloc(MOST_N * sizeof *out);
  if (repetitions < 1 || repetitions > MOST_REPETITIONS || !(seconds > 0) || processors > MOST_PROCESSORS || !in || !out) {
    fprintf(stderr, "usage: busy [REPETITIONS [SECONDS [THREADS]]]\n");
    return 2;
  }
  const pid_t parent = getpid();
  for (; busy_count < processors; busy_count++) {
    busy[busy_count] = fork();
    if (busy[busy_count] < 0)
      break;
    if (busy[busy_count] == 0)
      for (volatile unsigned turns = 0; turns % 1024 || getppid() == parent;)
        turns++;
  }
  atexit(end_busy);
  for (int r = 0; r < repetitions; r++)
    for (unsigned which = 0; which < CASES; which++) {
      signal_busy(SIGSTOP);
      quiet[which][r] = measure(which, threads, seconds / 4);
      signal_busy(SIGCONT);
      beside[which][r] = measure(which, threads, seconds);
    }
  printf("Beside busy processes, one for each of %d processors; %u threads; medians of %d measurements; the goal is 2.5 times\n\n"
         "| call | quiet, us | busy, us | times |\n|---|---|---|---|\n", processors, threads, repetitions);
  for (unsigned which = 0; which < CASES; which++) {
    const double q = median(quiet[which], repetitions), b = median(beside[which], repetitions);
    printf("| %s | %.1f | %.1f | %.2f |\n", cases[which].name, q, b, b / q);
  }
  return 0;
}
