/* SPDX-License-Identifier: Apache-2.0
 *
 * The library beside the rest of a process: threads that cannot be created, fork, signals, a caller's OpenMP regions.
 * tests/process.sh has what needs a process of its own.
 */
#define _GNU_SOURCE /* RTLD_NEXT, MAP_ANONYMOUS */
#include <config.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "reference.h"

/* The library's threads come from here; so many more may be created. */
static unsigned threads_left = UINT32_MAX;
__attribute__((visibility("default")))
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *arg)
{
  static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!create)
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
  unsigned left = __atomic_load_n(&threads_left, __ATOMIC_RELAXED);
  while (left && !__atomic_compare_exchange_n(&threads_left, &left, left - 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
  if (!left)
    return EAGAIN;
  return create(thread, attributes, function, arg);
}

enum { N = 1000000 };
static float in[N], expected[N], out[N];

static void setup_scan(void)
{
  float none = 0;
  threads_left = UINT32_MAX;
  start_random(5100);
  fill(IW_F32, in, N, WIDE);
  reference_scan(IW_SUM, IW_F32, in, N, NULL, expected, out, &none);
}

static iw_context *context_of(unsigned threads, iw_blocks blocks)
{
  iw_context *context;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = threads, .blocks = blocks };
  ck_assert_msg(iw_context_open(&context, &o) == IW_OK, "%s", iw_message());
  return context;
}

static int scans_well(iw_context *context)
{
  memset(out, 0, sizeof out);
  return iw_inclusive_scan(context, IW_SUM, IW_F32, in, out, N, NULL) == IW_OK && !memcmp(out, expected, sizeof out);
}

static unsigned team_of(iw_context *context)
{
  iw_context_info info = { .size = sizeof info };
  ck_assert_int_eq(iw_context_get_info(context, &info), IW_OK);
  return info.team;
}

/* Where threads cannot be created, a call has those that there are; and all of them when they can be again. */
START_TEST(few_threads)
{
  enum { THREADS = 5 };
  for (unsigned left = 0; left < THREADS; left++)
    for (int blocks = IW_BLOCKS_THREAD; blocks <= IW_BLOCKS_TEAM; blocks++) {
      iw_context *const context = context_of(THREADS, (iw_blocks)blocks);
      threads_left = left;
      for (int again = 0; again < 3; again++)
        ck_assert(scans_well(context));
      ck_assert_uint_eq(threads_left, 0);
      ck_assert_uint_eq(team_of(context), blocks == IW_BLOCKS_TEAM ? left + 1 : 1);
      threads_left = 100;
      for (int again = 0; again < 3; again++)
        ck_assert(scans_well(context));
      ck_assert_uint_eq(threads_left, 100 - (THREADS - 1 - left));
      ck_assert_uint_eq(team_of(context), blocks == IW_BLOCKS_TEAM ? THREADS : 1);
      iw_context_close(context);
    }
  threads_left = UINT32_MAX;
}
END_TEST

static unsigned long threads_here(void)
{
  unsigned long threads = 0;
  FILE *const status = fopen("/proc/self/status", "r");
  char line[256];
  while (status && fgets(line, sizeof line, status))
    sscanf(line, "Threads: %lu", &threads);
  if (status)
    fclose(status);
  return threads;
}

/* Contexts that come and go leave no threads behind. */
START_TEST(threads_end)
{
  const unsigned long before = threads_here();
  for (int i = 0; i < 300; i++) {
    iw_context *const context = context_of(3, i % 2 ? IW_BLOCKS_TEAM : IW_BLOCKS_THREAD);
    float total;
    ck_assert_int_eq(iw_reduce(context, IW_SUM, IW_F32, in, 300000, NULL, &total), IW_OK);
    iw_context_close(context);
  }
  ck_assert_uint_eq(threads_here(), before);
}
END_TEST

/* A context works in the child of a fork, and in the child's child, and in the parent as before. */
START_TEST(forks)
{
  for (int blocks = IW_BLOCKS_THREAD; blocks <= IW_BLOCKS_TEAM; blocks++) {
    iw_context *const context = context_of(3, (iw_blocks)blocks);
    ck_assert(scans_well(context));
    for (int i = 0; i < 20; i++) {
      const pid_t child = fork();
      ck_assert_int_ge(child, 0);
      if (child == 0) {
        alarm(60);
        int right = 1, status = 0;
        if (i % 3) /* else it is only closed */
          right = scans_well(context) && scans_well(context) && (blocks != IW_BLOCKS_TEAM || team_of(context) == 3);
        const pid_t second = i % 2 ? fork() : 0;
        if (i % 2 && second == 0) {
          alarm(60);
          right = scans_well(context);
          iw_context_close(context);
          _exit(!right);
        }
        if (i % 2)
          right = waitpid(second, &status, 0) == second && status == 0 && right;
        iw_context_close(context);
        _exit(!right);
      }
      if (i % 2)
        ck_assert(scans_well(context));
      int status;
      ck_assert_int_eq(waitpid(child, &status, 0), child);
      ck_assert_msg(status == 0, "child %d ended with status %#x", i, status);
    }
    ck_assert(scans_well(context));
    iw_context_close(context);
  }
}
END_TEST

static pthread_t main_thread;
static volatile sig_atomic_t signals, elsewhere;
static void count_signal(int signal)
{
  (void)signal;
  signals++;
  elsewhere += !pthread_equal(pthread_self(), main_thread);
}

/* Handlers run on the program's threads, not on the library's, and calls go on. */
START_TEST(handlers)
{
  main_thread = pthread_self();
  struct sigaction action = { .sa_handler = count_signal }, before; /* without SA_RESTART: waits are interrupted */
  sigaction(SIGUSR1, &action, &before);
  for (int blocks = IW_BLOCKS_THREAD; blocks <= IW_BLOCKS_TEAM; blocks++) {
    iw_context *const context = context_of(3, (iw_blocks)blocks);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
      const struct timespec pause = { .tv_nsec = 100000 };
      while (getppid() == parent && kill(parent, SIGUSR1) == 0)
        nanosleep(&pause, NULL);
      _exit(0);
    }
    for (int i = 0; i < 20; i++)
      ck_assert(scans_well(context));
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) != child)
      continue;
    iw_context_close(context);
  }
  ck_assert_int_gt(signals, 0);
  ck_assert_int_eq(elsewhere, 0);
  sigaction(SIGUSR1, &before, NULL);
}
END_TEST

#ifdef _OPENMP
/* Calls from a parallel region, each with a context of its own: one thread, unless a number is set. */
START_TEST(parallel_regions)
{
  int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  for (unsigned threads = 0; threads <= 3; threads += 3)
    for (int blocks = IW_BLOCKS_THREAD; blocks <= IW_BLOCKS_TEAM; blocks++) {
      iw_context *context;
      const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = threads,
                                     .blocks = (iw_blocks)blocks };
      float total;
      if (iw_context_open(&context, &o) != IW_OK)
        wrong++;
      else {
        iw_context_info info = { .size = sizeof info };
        wrong += iw_reduce(context, IW_SUM, IW_F32, in, N, NULL, &total) != IW_OK || memcmp(&total, &expected[N - 1], 4);
        wrong += iw_context_get_info(context, &info) != IW_OK
          || info.team != (threads && blocks == IW_BLOCKS_TEAM ? threads : 1);
        iw_context_close(context);
      }
    }
  ck_assert_int_eq(wrong, 0);
}
END_TEST
#endif

int main(void)
{
  Suite *suite = suite_create("process");
  TCase *c = new_case(suite, "threads");
  tcase_add_checked_fixture(c, setup_scan, NULL);
  tcase_add_test(c, few_threads);
  tcase_add_test(c, threads_end);
  c = new_case(suite, "fork and signals");
  tcase_add_checked_fixture(c, setup_scan, NULL);
  tcase_add_test(c, forks);
  tcase_add_test(c, handlers);
#ifdef _OPENMP
  tcase_add_test(c, parallel_regions);
#endif
  return run_suite(suite);
}
