/* SPDX-License-Identifier: Apache-2.0
 *
 * How much longer calls take on the simulated GPU than on the CPU: "Kernel language, Python, simulated GPU"
 * of bench/README.md.
 *
 * usage: simulated [REPETITIONS [LARGEST]]   (5, 22: the largest size is 2^22 elements)
 *
 * A measurement is a process of its own, which opens a context of one thread and makes one call at least
 * three times. The time is the least processor time of a call, so that other programs matter little. Memory
 * is what the process had at most, less what it had before the context was opened.
 */
#define _GNU_SOURCE /* setenv, sysconf */
#include <isowarp.h>
#include <isowarp/sim.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SMALLEST = 16, LARGEST = 26, MOST_REPETITIONS = 99 };

static void *in, *out;
static size_t offsets[257];
static uint64_t counts[256];

static iw_status scan(iw_context *context, size_t n)
{
  return iw_inclusive_scan(context, IW_SUM, IW_F32, in, n, out, NULL);
}

static iw_status histogram(iw_context *context, size_t n)
{
  const float lo = 0, hi = 1;
  const iw_histogram_spec bins = { .size = sizeof bins, .type = IW_F32, .kind = IW_HISTOGRAM_EVEN, .bins = 256, .lo = &lo, .hi = &hi };
  return iw_histogram(context, &bins, in, n, counts, NULL);
}

static iw_status partition(iw_context *context, size_t n)
{
  const int32_t pivot = 0;
  const iw_test test = { .size = sizeof test, .type = IW_I32, .compare = IW_LESS, .constant = &pivot };
  size_t count;
  return iw_partition(context, &test, in, n, out, &count, NULL);
}

static iw_status multisplit(iw_context *context, size_t n)
{
  const iw_buckets buckets = { .size = sizeof buckets, .type = IW_U32, .bits = 8 };
  return iw_multisplit(context, &buckets, in, n, out, offsets, NULL);
}

static const struct { const char *name; int is_float; iw_status (*call)(iw_context *, size_t); } cases[] = {
  { "scan f32", 1, scan },
  { "histogram f32, 256 bins", 1, histogram },
  { "partition i32", 0, partition },
  { "multisplit u32, 256", 0, multisplit },
};
enum { CASES = sizeof cases / sizeof *cases };

typedef enum way { GENERIC, NO_CHECKS, COUNTERS, ALL_CHECKS, WAYS } way;
typedef struct cost { double seconds, bytes; } cost;

static double processor_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak_bytes(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss;
}

static void must(iw_status status)
{
  if (status == IW_OK)
    return;
  fprintf(stderr, "simulated: %s\n", iw_message());
  exit(1);
}

static cost cost_of(unsigned which, way how, size_t n)
{
  iw_context *context;
  cost least = { INFINITY, peak_bytes() };
  const iw_context_options o = { .size = sizeof o, .backend = how == GENERIC ? IW_BACKEND_CPU : IW_BACKEND_SIM, .threads = 1,
                                 .isa = how == GENERIC ? "generic" : NULL };
  setenv("ISOWARP_SIM_CHECKS", how == ALL_CHECKS ? "all" : "none", 1);
  must(iw_context_open(&context, &o));
  if (how == COUNTERS)
    must(iw_sim_set_counting(context, 1));
  uint32_t random = 1;
  for (size_t i = 0; i < n; i++) {
    random = random * 1664525 + 1013904223;
    if (cases[which].is_float)
      ((float *)in)[i] = (float)(random >> 8) / (1 << 24);
    else
      ((uint32_t *)in)[i] = random;
  }
  memset(out, 0, n * 4);
  const double begin = processor_time();
  for (unsigned calls = 0; calls < 3 || processor_time() - begin < 0.05; calls++) {
    const double call = processor_time();
    must(cases[which].call(context, n));
    least.seconds = fmin(least.seconds, processor_time() - call);
  }
  iw_context_close(context);
  least.bytes = peak_bytes() - least.bytes;
  return least;
}

/* The same in a process of its own. */
static cost measure(unsigned which, way how, size_t n)
{
  int ends[2];
  cost measured;
  fflush(stdout);
  const pid_t child = pipe(ends) == 0 ? fork() : -1;
  if (child == 0) {
    measured = cost_of(which, how, n);
    _exit(write(ends[1], &measured, sizeof measured) != sizeof measured);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &measured, sizeof measured) != sizeof measured || waitpid(child, NULL, 0) != child) {
    fprintf(stderr, "simulated: a measurement failed\n");
    exit(1);
  }
  close(ends[0]);
  return measured;
}

int main(int argc, char **argv)
{
  const int repetitions = argc > 1 ? atoi(argv[1]) : 5, largest = argc > 2 ? atoi(argv[2]) : 22;
  if (repetitions < 1 || repetitions > MOST_REPETITIONS || largest < SMALLEST || largest > LARGEST
      || !(in = malloc((size_t)4 << largest)) || !(out = malloc((size_t)4 << largest))) {
    fprintf(stderr, "usage: simulated [REPETITIONS [LARGEST]]   (at most %d, %d to %d)\n", MOST_REPETITIONS, SMALLEST, LARGEST);
    return 2;
  }
  printf("| call | elements | generic, ms | no checks | counters | all checks | memory with all checks |\n"
         "|---|---|---|---|---|---|---|\n");
  for (unsigned which = 0; which < CASES; which++)
    for (int bits = SMALLEST; bits <= largest; bits += 2) {
      double least[WAYS], bytes = 0;
      for (int how = 0; how < WAYS; how++)
        least[how] = INFINITY;
      for (int r = 0; r < repetitions; r++)
        for (int how = 0; how < WAYS; how++) {
          const cost c = measure(which, (way)how, (size_t)1 << bits);
          least[how] = fmin(least[how], c.seconds);
          bytes = how == ALL_CHECKS ? c.bytes : bytes;
        }
      printf("| %s | 2^%d | %.2f | %.1f | %.1f | %.1f | %.1f MB |\n", cases[which].name, bits, 1e3 * least[GENERIC],
             least[NO_CHECKS] / least[GENERIC], least[COUNTERS] / least[GENERIC], least[ALL_CHECKS] / least[GENERIC],
             1e-6 * bytes);
    }
  return 0;
}
