/* SPDX-License-Identifier: Apache-2.0
 *
 * The stack that calls need. A call of any kind needs CALL_BYTES of the calling thread's stack; kernels run
 * there only if KERNEL_BYTES are left, and on the context's own threads otherwise, also where the stack is
 * another one than the thread's.
 */
#define _GNU_SOURCE /* RTLD_NEXT, MAP_ANONYMOUS */
#include <config.h>
#include <dlfcn.h>
#include <errno.h>
#include <isowarp/kernel.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>
#include <isowarp/threads.h>
#include "every_call.h"

/* Of the contract (isowarp.h). */
enum { CALL_BYTES = 32 << 10, KERNEL_BYTES = 512 << 10 };
enum { PAGE = 4096, N = 4000, LARGE_N = 70000 };

/* The library's threads come from here; 1: none can be created. */
static int no_threads;
__attribute__((visibility("default")))
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *arg)
{
  static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!create)
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
  return no_threads ? EAGAIN : create(thread, attributes, function, arg);
}

/* Memory with an inaccessible page below it. */
static char *memory_new(size_t bytes)
{
  char *const mapped = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert(mapped != MAP_FAILED);
  mprotect(mapped, PAGE, PROT_NONE);
  return mapped + PAGE;
}

static void memory_free(char *memory, size_t bytes)
{
  munmap(memory - PAGE, bytes + PAGE);
}

/* Runs a function on a thread whose stack has so many bytes; what the thread itself needs is there too. */
static void run_on_stack(size_t bytes, void *(*function)(void *), void *arg)
{
  char *const stack = memory_new(bytes);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  ck_assert_int_eq(pthread_attr_setstack(&attributes, stack, bytes), 0);
  ck_assert_int_eq(pthread_create(&thread, &attributes, function, arg), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  memory_free(stack, bytes);
}

/* ---- What calls use ---------------------------------------------------------------------------------- */

enum { PAINT = 0x5b, PAINTED = 64 << 10 };

/* Fills the stack below the caller's frame; and returns how many bytes of it are not as they were left. */
static __attribute__((noinline)) void paint(void)
{
  unsigned char area[PAINTED];
  volatile unsigned char *const at = area;
  for (size_t i = 0; i < PAINTED; i++)
    at[i] = PAINT;
}
static __attribute__((noinline)) size_t unpainted(void)
{
  unsigned char area[PAINTED];
  size_t i = 0;
  __asm__ volatile("" : "=m"(area)); /* it has a value, for the compiler */
  while (i < PAINTED && area[i] == PAINT)
    i++;
  return PAINTED - i;
}

typedef struct stack_job {
  const iw_context_options *options;
  call_data *data;
  expected_call (*expected)[ELEMENT_TYPES];
  int measure;      /* all types, each time with painted stack; else every other one */
  size_t most;
  const char *most_of;
  unsigned calls;
  char wrong[512];
} stack_job;

/* Every call, in one context. On a thread of little stack: nothing here may fail by Check, which needs
 * more. */
static void *make_calls(void *arg)
{
  stack_job *const j = arg;
  iw_context *c;
  if (iw_context_open(&c, j->options) != IW_OK || iw_context_reserve(c, 8 * j->data->n) != IW_OK) {
    strcpy(j->wrong, "no context");
    return NULL;
  }
  for (unsigned k = 0; k < every_call_count && !*j->wrong; k++)
    for (unsigned t = j->measure ? IW_U8 : IW_U8 + k % 2; t < ELEMENT_TYPES; t += j->measure ? 1 : 2) {
      const iw_type type = (iw_type)t;
      uint64_t digest;
      if (j->measure)
        paint();
      const iw_status status = make_fixed_call(&every_calls[k], c, type, j->data);
      const size_t used = j->measure ? unpainted() : 0;
      if (used > j->most) {
        j->most = used;
        j->most_of = every_calls[k].name;
      }
      digest = status == IW_OK ? digest_of(j->data->arena, j->data->used, 2) : 0;
      if ((status != IW_OK && status != NO_CALL) || digest != j->expected[k][type].digest) {
        strcpy(j->wrong, every_calls[k].name);
        strcat(strcat(j->wrong, " of "), iw_type_name(type));
        strcat(strcat(j->wrong, ": "), status == IW_OK ? "other results" : iw_message());
      }
      j->calls++;
    }
  iw_context_close(c);
  return NULL;
}

static call_data small_data, large_data;
static expected_call small_expected[MOST_CALLS][ELEMENT_TYPES], large_expected[MOST_CALLS][ELEMENT_TYPES];

static void setup_calls(void)
{
  no_threads = 0;
  plans_make(40, 2500);
  call_data_make(&small_data, N);
  call_data_make(&large_data, LARGE_N);
  expected_digests(&small_data, small_expected);
  expected_digests(&large_data, large_expected);
}

static void teardown_calls(void)
{
  plans_free();
  call_data_free(&small_data);
  call_data_free(&large_data);
}

/* Every call, type, instruction set and mode on a thread that has CALL_BYTES for the call, and not on a
 * page more. In brief, generic kernels, which are slow, get no large inputs. */
START_TEST(small_stacks)
{
  static const unsigned threads[] = { 1, 2, 3, 7 };
  enum { OWN_BYTES = 8 << 10 }; /* of the thread itself, and of make_calls() */
  const int brief = getenv("ISOWARP_TEST_BRIEF") != NULL;
  size_t most = 0;
  const char *most_of = "";
  for (unsigned i = 0; iw_isa_name(i); i++)
    for (int blocks = IW_BLOCKS_THREAD; blocks <= IW_BLOCKS_TEAM; blocks++)
      for (unsigned t = 0; t < 4; t++) {
        const int large = t == 2; /* work for several threads */
        const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .isa = iw_isa_name(i), .threads = threads[t],
                                       .blocks = (iw_blocks)blocks };
        stack_job j = { .options = &o, .data = large ? &large_data : &small_data,
                        .expected = large ? large_expected : small_expected, .measure = large };
        const int is_best = !iw_isa_name(i + 1) || !iw_isa_available(iw_isa_name(i + 1));
        if (!iw_isa_available(o.isa) || (brief && t % 2) || (large && (is_machine_only() ? !is_best : brief && !i)))
          continue;
        run_on_stack(OWN_BYTES + CALL_BYTES + (large ? PAINTED : 0), make_calls, &j);
        ck_assert_msg(!*j.wrong, "%s, %u threads: %s", o.isa, o.threads, j.wrong);
        ck_assert_msg(j.most <= CALL_BYTES, "%s uses %zu bytes of stack", j.most_of, j.most);
        if (j.most > most) {
          most = j.most;
          most_of = j.most_of;
        }
      }
  printf("# calls use at most %zu bytes of the caller's stack, in %s\n", most, most_of);
}
END_TEST

/* Distributed calls of one rank, which move elements with a permutation, on such a thread. */
typedef struct distributed_job {
  iw_context *context;
  iw_distributed *rank;
  size_t most;
  const char *most_of;
  iw_status status;
} distributed_job;

static void *make_distributed_calls(void *arg)
{
  static uint32_t in[N], out[N], indices[N], weights[N];
  static uint64_t sums[256], offsets[257];
  static const char *const names[] = { "partition", "select_if", "multisplit", "sort", "weighted histogram", "exclusive scan" };
  distributed_job *const j = arg;
  const uint32_t first = 0, half = N / 2, last = N;
  const iw_test test = { .size = sizeof test, .type = IW_U32, .compare = IW_LESS, .constant = &half };
  const iw_buckets buckets = { .size = sizeof buckets, .type = IW_U32, .bits = 8 };
  const iw_histogram_spec spec = { .size = sizeof spec, .type = IW_U32, .bins = 256, .lo = &first, .hi = &last };
  const iw_payload permutation = { .size = sizeof permutation, .out = indices, .width = 4 };
  const iw_move_options moves = { .size = sizeof moves, .payloads = &permutation, .payload_count = 1 };
  const iw_sort_options sorts = { .size = sizeof sorts, .payloads = &permutation, .payload_count = 1 };
  size_t count;
  for (unsigned call = 0; call < sizeof names / sizeof *names && j->status == IW_OK; call++) {
    paint();
    switch (call) {
    case 0: j->status = iw_distributed_partition(j->rank, &test, in, N, out, sums, &moves); break;
    case 1: j->status = iw_distributed_select_if(j->rank, &test, in, N, out, &count, &moves); break;
    case 2: j->status = iw_distributed_multisplit(j->rank, &buckets, in, N, out, offsets, &moves); break;
    case 3: j->status = iw_distributed_sort(j->rank, IW_U32, in, N, out, &sorts); break;
    case 4: j->status = distributed_weighted_histogram(j->rank, &spec, in, IW_U32, weights, N, sums); break;
    case 5: j->status = iw_distributed_exclusive_scan(j->rank, IW_SUM, IW_U32, in, N, out, NULL); break;
    }
    const size_t used = unpainted();
    if (used > j->most || j->status != IW_OK) {
      j->most = used;
      j->most_of = names[call];
    }
  }
  return NULL;
}

START_TEST(small_stacks_of_ranks)
{
  enum { OWN_BYTES = 8 << 10 };
  distributed_job j = { .context = NULL };
  iw_threads *group;
  iw_peers peers = { .size = sizeof peers };
  ck_assert_int_eq(iw_context_open(&j.context, &(iw_context_options){ .size = sizeof(iw_context_options), .backend = IW_BACKEND_CPU, .threads = 1 }), IW_OK);
  ck_assert_int_eq(iw_threads_open(1, &group), IW_OK);
  ck_assert_int_eq(iw_threads_peers(group, 0, &peers), IW_OK);
  ck_assert_int_eq(iw_distributed_open(j.context, &peers, &j.rank), IW_OK);
  run_on_stack(OWN_BYTES + CALL_BYTES + PAINTED, make_distributed_calls, &j);
  ck_assert_msg(j.status == IW_OK, "%s: status %d", j.most_of, j.status);
  ck_assert_msg(j.most <= CALL_BYTES, "%s uses %zu bytes of stack", j.most_of, j.most);
  printf("# distributed calls use at most %zu bytes of the caller's stack, in %s\n", j.most, j.most_of);
  iw_distributed_close(j.rank);
  iw_threads_close(group);
  iw_context_close(j.context);
}
END_TEST

/* ---- Where kernels run ------------------------------------------------------------------------------- */

/* A kernel whose variables take all that is allowed. It says which thread runs it. */
typedef struct deep_args { uint32_t *sums; pthread_t *thread; } deep_args;
typedef struct deep_shared { int unused; } deep_shared;
enum { DEEP_VARS = 64 }; /* of 4 KiB */
IW_KERNEL(deep, deep_shared, deep_args)
{
  IW_VAR_ARRAY(iw_u32, x, DEEP_VARS);
  if (block->first_warp == 0)
    args->thread[block->index] = pthread_self();
  IW_PHASE(warp)
    for (unsigned v = 0; v < DEEP_VARS; v++)
      IW_MY(x)[v] = iw_add(iw_lane(), v + (unsigned)block->index);
  IW_PHASE(warp) {
    iw_u32 sum = iw_splat_u32(0);
    for (unsigned v = 0; v < DEEP_VARS; v++)
      sum = iw_add(sum, IW_MY(x)[v]);
    iw_set(args->sums + block->index * block->warps + warp, iw_warp_sum(sum));
  }
}

enum { DEEP_BLOCKS = 6, DEEP_WARPS = 1024 / IW_WARP_SIZE };
static iw_status run_deep(iw_context *c, int *here)
{
  static uint32_t sums[DEEP_BLOCKS * DEEP_WARPS];
  static pthread_t thread[DEEP_BLOCKS];
  memset(sums, 0, sizeof sums);
  const iw_status status = iw_launch(c, &deep, DEEP_BLOCKS, 1024, &(deep_args){ sums, thread }, sizeof(deep_args));
  *here = 0;
  for (unsigned b = 0; b < DEEP_BLOCKS && status == IW_OK; b++) {
    *here |= pthread_equal(thread[b], pthread_self());
    for (unsigned w = 0; w < DEEP_WARPS; w++)
      if (sums[b * DEEP_WARPS + w] != DEEP_VARS * (IW_WARP_SIZE * (IW_WARP_SIZE - 1) / 2)
          + IW_WARP_SIZE * (DEEP_VARS * (DEEP_VARS - 1) / 2 + DEEP_VARS * b))
        return IW_ERROR_LAUNCH;
  }
  return status;
}

static iw_context *context_of(unsigned threads, iw_blocks blocks)
{
  iw_context *context;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = threads, .blocks = blocks };
  return iw_context_open(&context, &o) == IW_OK ? context : NULL;
}

typedef struct deep_job { unsigned threads; iw_blocks blocks; iw_status status; int here; char message[512]; } deep_job;
static void *deep_main(void *arg)
{
  deep_job *const j = arg;
  iw_context *const c = context_of(j->threads, j->blocks);
  j->status = c ? run_deep(c, &j->here) : IW_ERROR_MEMORY;
  strcpy(j->message, iw_message());
  iw_context_close(c);
  return NULL;
}

/* Just below the limit kernels run elsewhere, just above it here, and a kernel of the largest variables
 * fits. */
START_TEST(deep_kernels)
{
  for (unsigned threads = 1; threads <= 3; threads++)
    for (int blocks = IW_BLOCKS_THREAD; blocks <= IW_BLOCKS_TEAM; blocks++)
      for (int above = 0; above < 2; above++) {
        deep_job j = { .threads = threads, .blocks = (iw_blocks)blocks };
        run_on_stack(KERNEL_BYTES + (above ? 24 : -1) * PAGE /* the thread-local variables of all libraries are on it too */, deep_main, &j);
        ck_assert_msg(j.status == IW_OK, "%s", j.message);
        ck_assert(above ? j.here || (threads > 1 && blocks == IW_BLOCKS_THREAD) : !j.here); /* others may have claimed all */
      }
}
END_TEST

/* Where no thread can be created either, the call fails, and the context goes on when there are threads
 * again. */
static iw_context *starved;
static void *call_starved(void *arg)
{
  deep_job *const j = arg;
  j->status = run_deep(starved, &j->here);
  strcpy(j->message, iw_message());
  return NULL;
}
static void *without_threads(void *arg)
{
  no_threads = 1;
  call_starved(arg);
  no_threads = 0;
  return NULL;
}
START_TEST(no_stack)
{
  for (unsigned threads = 1; threads <= 3; threads += 2)
    for (int blocks = IW_BLOCKS_THREAD; blocks <= IW_BLOCKS_TEAM; blocks++) {
      deep_job j = { .threads = threads };
      starved = context_of(threads, (iw_blocks)blocks);
      run_on_stack(64 << 10, without_threads, &j);
      ck_assert_int_eq(j.status, IW_ERROR_LAUNCH);
      ck_assert_msg(strstr(j.message, "deep") && strstr(j.message, "524288 bytes of stack"), "%s", j.message);
      unsigned long left = 0;
      const char *const has = strstr(j.message, "has ");
      ck_assert_msg(has && sscanf(has, "has %lu left", &left) == 1 && left > 16384 && left < 65536, "%s", j.message);
      run_on_stack(64 << 10, call_starved, &j);
      ck_assert_msg(j.status == IW_OK && !j.here, "%s", j.message);
      int here;
      ck_assert_int_eq(run_deep(starved, &here), IW_OK);
      iw_context_close(starved);
    }
}
END_TEST

/* A stack that is not the thread's own: a handler's, and a coroutine's. */
static deep_job elsewhere;
static ucontext_t fiber, before_fiber;
static void fiber_main(void) { call_starved(&elsewhere); }
static void handler(int signal) { (void)signal; call_starved(&elsewhere); }
START_TEST(other_stacks)
{
  enum { BYTES = CALL_BYTES + (16 << 10) };
  char *const memory = memory_new(BYTES);
  for (unsigned threads = 1; threads <= 3; threads++)
    for (int without = 0; without < 2; without++) {
      starved = context_of(threads, IW_BLOCKS_THREAD);
      no_threads = without;
      elsewhere = (deep_job){ .threads = threads };
      ck_assert_int_eq(getcontext(&fiber), 0);
      fiber.uc_stack.ss_sp = memory;
      fiber.uc_stack.ss_size = BYTES;
      fiber.uc_link = &before_fiber;
      makecontext(&fiber, fiber_main, 0);
      ck_assert_int_eq(swapcontext(&before_fiber, &fiber), 0);
      ck_assert_int_eq(elsewhere.status, without ? IW_ERROR_LAUNCH : IW_OK);
      ck_assert(!elsewhere.here && (!without || strstr(elsewhere.message, "not on its thread's own stack")));

      const stack_t other = { .ss_sp = memory, .ss_size = BYTES }, none = { .ss_flags = SS_DISABLE };
      struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK }, before;
      sigaltstack(&other, NULL);
      sigaction(SIGUSR1, &action, &before);
      elsewhere = (deep_job){ .threads = threads };
      raise(SIGUSR1);
      ck_assert_int_eq(elsewhere.status, without ? IW_ERROR_LAUNCH : IW_OK);
      ck_assert(!elsewhere.here);
      sigaction(SIGUSR1, &before, NULL);
      sigaltstack(&none, NULL);
      no_threads = 0;
      iw_context_close(starved);
    }
  memory_free(memory, BYTES);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("stacks");
  TCase *c = new_case(suite, "calls");
  tcase_add_checked_fixture(c, setup_calls, teardown_calls);
  tcase_add_test(c, small_stacks);
  tcase_add_test(c, small_stacks_of_ranks);
  c = new_case(suite, "kernels");
  tcase_add_test(c, deep_kernels);
  tcase_add_test(c, no_stack);
  tcase_add_test(c, other_stacks);
  return run_suite(suite);
}
