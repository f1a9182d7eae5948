/* SPDX-License-Identifier: Apache-2.0
 *
 * The library beside the rest of a process: threads that cannot be created, fork, signals, a caller's
 * OpenMP regions. tests/scripts/process.sh has what needs a process of its own.
 */
#define _GNU_SOURCE /* RTLD_NEXT, MAP_ANONYMOUS, CPU_SET */
#include <config.h>
#include <dlfcn.h>
#include <errno.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "reference.h"

/* The library's threads come from here; so many more may be created. */
static unsigned threads_left = UINT32_MAX;
/* 1: threads that are created do not begin. */
static int held;
typedef struct begin { void *(*function)(void *); void *arg; } begin;
static void *begin_late(void *arg)
{
  const begin of = *(begin *)arg;
  const struct timespec pause = { .tv_nsec = 1000000 };
  free(arg);
  while (__atomic_load_n(&held, __ATOMIC_ACQUIRE))
    nanosleep(&pause, NULL);
  return of.function(of.arg);
}

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
  if (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
    return create(thread, attributes, function, arg);
  begin *const late = malloc(sizeof *late);
  *late = (begin){ function, arg };
  return create(thread, attributes, begin_late, late);
}

/* Calls of n elements have work for all threads. To be brief n is a fifth, as kernels are slow then: generic
 * ones under the sanitizers. */
enum { N = 1000000 };
static float in[N], expected[N], out[N];
static size_t n;

static void setup_scan(void)
{
  float none = 0;
  n = getenv("ISOWARP_TEST_BRIEF") && !is_machine_only() ? N / 5 : N;
  threads_left = UINT32_MAX;
  start_random(5100);
  fill(IW_F32, in, n, WIDE);
  reference_scan(IW_SUM, IW_F32, in, n, NULL, expected, out, &none);
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
  memset(out, 0, n * sizeof *out);
  return iw_inclusive_scan(context, IW_SUM, IW_F32, in, n, out, NULL) == IW_OK && !memcmp(out, expected, n * sizeof *out);
}

static unsigned team_of(iw_context *context)
{
  iw_context_info info = { .size = sizeof info };
  ck_assert_int_eq(iw_context_get_info(context, &info), IW_OK);
  return info.team;
}

/* Where threads cannot be created, a call has those that there are; and all of them when they can be
 * again. */
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

/* Threads that get no processor are not waited for, and take part in later calls. */
START_TEST(late_threads)
{
  for (int again = 0; again < 10; again++) {
    held = 1;
    iw_context *const context = context_of(5, IW_BLOCKS_THREAD);
    for (int call = 0; call < 3; call++)
      ck_assert(scans_well(context));
    __atomic_store_n(&held, 0, __ATOMIC_RELEASE);
    for (int call = 0; call < again; call++)
      ck_assert(scans_well(context));
    iw_context_close(context);
  }
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

/* A thread that has been joined counts until the kernel has taken it apart, some microseconds later: after
 * one in a hundred joins it is still there. */
static void expect_threads(unsigned long expected)
{
  const struct timespec pause = { .tv_nsec = 1000000 };
  for (int again = 0; threads_here() > expected && again < 10000; again++)
    nanosleep(&pause, NULL);
  ck_assert_uint_le(threads_here(), expected);
}

/* Contexts that come and go leave no threads behind. */
START_TEST(threads_end)
{
  const unsigned long before = threads_here();
  for (int i = 0; i < 300; i++) {
    iw_context *const context = context_of(3, i % 2 ? IW_BLOCKS_TEAM : IW_BLOCKS_THREAD);
    float total;
    ck_assert_int_eq(iw_reduce(context, IW_SUM, IW_F32, in, n / 3, &total, NULL), IW_OK);
    ck_assert_uint_gt(threads_here(), before);
    iw_context_close(context);
  }
  expect_threads(before);
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

/* One thread opens a context, others use it one after the other, and yet another closes it. */
typedef struct handed { iw_context *context; iw_blocks blocks; int right; } handed;

static void *open_it(void *arg)
{
  handed *const h = arg;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = 3, .blocks = h->blocks };
  h->right = iw_context_open(&h->context, &o) == IW_OK;
  return NULL;
}

static void *use_it(void *arg)
{
  handed *const h = arg;
  h->right = h->right && scans_well(h->context);
  return NULL;
}

static void *close_it(void *arg)
{
  iw_context_close(((handed *)arg)->context);
  return NULL;
}

START_TEST(handed_over)
{
  void *(*const steps[])(void *) = { open_it, use_it, use_it, use_it, close_it };
  const unsigned long before = threads_here();
  for (int blocks = IW_BLOCKS_THREAD; blocks <= IW_BLOCKS_TEAM; blocks++)
    for (int again = 0; again < 5; again++) {
      handed h = { .blocks = (iw_blocks)blocks };
      for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        pthread_t thread;
        ck_assert_int_eq(pthread_create(&thread, NULL, steps[i], &h), 0);
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
        ck_assert(h.right);
      }
    }
  expect_threads(before);
}
END_TEST

/* 64 threads at a time, each with a context of its own of three threads. */
enum { CONTEXTS = 64 };

static void *open_use_close(void *arg)
{
  const unsigned number = (unsigned)(uintptr_t)arg;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = 3,
                                 .blocks = number % 2 ? IW_BLOCKS_TEAM : IW_BLOCKS_THREAD };
  uintptr_t wrong = 0;
  for (unsigned again = 0; again < 3; again++) {
    const size_t count = n / 2 - n / 256 * number;
    iw_context *context;
    if (iw_context_open(&context, &o) != IW_OK)
      return (void *)(uintptr_t)1;
    for (unsigned call = 0; call < 4; call++) {
      float total = 0;
      wrong += iw_reduce(context, IW_SUM, IW_F32, in, count, &total, NULL) != IW_OK || memcmp(&total, &expected[count - 1], 4);
    }
    iw_context_close(context);
  }
  return (void *)wrong;
}

START_TEST(many_contexts)
{
  pthread_t threads[CONTEXTS];
  const unsigned long before = threads_here();
  for (uintptr_t i = 0; i < CONTEXTS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, open_use_close, (void *)i), 0);
  for (unsigned i = 0; i < CONTEXTS; i++) {
    void *wrong;
    ck_assert_int_eq(pthread_join(threads[i], &wrong), 0);
    ck_assert_msg(!wrong, "thread %u had %zu wrong results", i, (size_t)wrong);
  }
  expect_threads(before);
}
END_TEST

/* 64 threads at a time that take 16 contexts from a pool for each call, so that a context is another
 * thread's from call to call. */
enum { POOL = 16 };
static struct { pthread_mutex_t mutex; sem_t left; iw_context *contexts[POOL]; unsigned count; } pool = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void *use_pool(void *arg)
{
  uintptr_t wrong = 0;
  for (unsigned call = 0; call < 12; call++) {
    const size_t count = n / 2 - n / 256 * (size_t)(uintptr_t)arg - call;
    float total = 0;
    while (sem_wait(&pool.left) != 0)
      continue;
    pthread_mutex_lock(&pool.mutex);
    iw_context *const context = pool.contexts[0]; /* the one that has waited longest */
    memmove(pool.contexts, pool.contexts + 1, --pool.count * sizeof *pool.contexts);
    pthread_mutex_unlock(&pool.mutex);
    wrong += iw_reduce(context, IW_SUM, IW_F32, in, count, &total, NULL) != IW_OK || memcmp(&total, &expected[count - 1], 4);
    pthread_mutex_lock(&pool.mutex);
    pool.contexts[pool.count++] = context;
    pthread_mutex_unlock(&pool.mutex);
    sem_post(&pool.left);
  }
  return (void *)wrong;
}

START_TEST(moved_contexts)
{
  pthread_t threads[CONTEXTS];
  const unsigned long before = threads_here();
  ck_assert_int_eq(sem_init(&pool.left, 0, POOL), 0);
  for (pool.count = 0; pool.count < POOL; pool.count++)
    pool.contexts[pool.count] = context_of(1 + pool.count % 3, pool.count % 2 ? IW_BLOCKS_TEAM : IW_BLOCKS_THREAD);
  for (uintptr_t i = 0; i < CONTEXTS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, use_pool, (void *)i), 0);
  for (unsigned i = 0; i < CONTEXTS; i++) {
    void *wrong;
    ck_assert_int_eq(pthread_join(threads[i], &wrong), 0);
    ck_assert_msg(!wrong, "thread %u had %zu wrong results", i, (size_t)wrong);
  }
  for (unsigned i = 0; i < POOL; i++)
    iw_context_close(pool.contexts[i]);
  sem_destroy(&pool.left);
  expect_threads(before);
}
END_TEST

/* Simulated GPUs in 8 threads at a time. After that each context is another thread's, which has its warps'
 * stacks then. */
enum { GPUS = 8 };

static void *use_gpu(void *arg)
{
  iw_context **const context = arg;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_SIM };
  if (!*context && iw_context_open(context, &o) != IW_OK)
    return arg;
  for (size_t n = 1000; n <= 9000; n += 4000) {
    float total = 0;
    if (iw_reduce(*context, IW_SUM, IW_F32, in, n, &total, NULL) != IW_OK || memcmp(&total, &expected[n - 1], 4))
      return arg;
  }
  return NULL;
}

START_TEST(simulated_gpus)
{
  pthread_t threads[GPUS];
  iw_context *contexts[GPUS] = { NULL };
  for (unsigned again = 0; again < 3; again++) {
    for (unsigned i = 0; i < GPUS; i++)
      ck_assert_int_eq(pthread_create(&threads[i], NULL, use_gpu, &contexts[(i + again) % GPUS]), 0);
    for (unsigned i = 0; i < GPUS; i++) {
      void *wrong;
      ck_assert_int_eq(pthread_join(threads[i], &wrong), 0);
      ck_assert_msg(!wrong, "thread %u had a wrong result or none", i);
    }
  }
  for (unsigned i = 0; i < GPUS; i++)
    iw_context_close(contexts[i]);
}
END_TEST

#ifdef CPU_SET
/* The process may use one processor only: before a context is opened, and while it is used. */
START_TEST(one_processor)
{
  cpu_set_t all, one;
  ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
    if (CPU_ISSET(i, &all))
      CPU_SET(i, &one);
  for (int blocks = IW_BLOCKS_THREAD; blocks <= IW_BLOCKS_TEAM; blocks++)
    for (int late = 0; late < 2; late++) {
      iw_context *context = NULL;
      if (late) {
        context = context_of(7, (iw_blocks)blocks);
        ck_assert(scans_well(context));
      }
      ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
      if (!late)
        context = context_of(7, (iw_blocks)blocks);
      ck_assert(scans_well(context));
      ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
      ck_assert(scans_well(context));
      iw_context_close(context);
    }
}
END_TEST
#endif

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
        wrong += iw_reduce(context, IW_SUM, IW_F32, in, n, &total, NULL) != IW_OK || memcmp(&total, &expected[n - 1], 4);
        wrong += iw_context_get_info(context, &info) != IW_OK
          || info.team != (threads && blocks == IW_BLOCKS_TEAM ? threads : 1);
        iw_context_close(context);
      }
    }
  ck_assert_int_eq(wrong, 0);
}
END_TEST

/* The same from parallel regions inside of parallel regions, and from a task. */
START_TEST(nested_regions)
{
  int wrong = 0;
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2) reduction(+ : wrong)
#pragma omp parallel num_threads(2) reduction(+ : wrong)
  {
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    wrong += open_use_close((void *)(uintptr_t)omp_get_thread_num()) != NULL;
#pragma omp single
#pragma omp task shared(wrong)
    wrong += open_use_close(NULL) != NULL;
  }
  omp_set_max_active_levels(1);
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
  tcase_add_test(c, late_threads);
  tcase_add_test(c, threads_end);
  tcase_add_test(c, handed_over);
  tcase_add_test(c, many_contexts);
  tcase_add_test(c, moved_contexts);
  if (!is_machine_only())
    tcase_add_test(c, simulated_gpus);
#ifdef CPU_SET
  tcase_add_test(c, one_processor);
#endif
  c = new_case(suite, "fork and signals");
  tcase_add_checked_fixture(c, setup_scan, NULL);
  tcase_add_test(c, forks);
  tcase_add_test(c, handlers);
#ifdef _OPENMP
  tcase_add_test(c, parallel_regions);
  tcase_add_test(c, nested_regions);
#endif
  return run_suite(suite);
}
