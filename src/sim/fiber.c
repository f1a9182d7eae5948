/* SPDX-License-Identifier: Apache-2.0
 *
 * Fibers by makecontext(), where the C library has it, for the first entry, and _setjmp() and _longjmp() for
 * all later switches, which take no system call (as QEMU's coroutines do; swapcontext() saves the signal
 * mask by one). Backend layer.
 */
/* The checked longjmp() takes a jump to another stack for an error. */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include <config.h>
#include "sim/fiber.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#ifdef HAVE_MAKECONTEXT
#include <ucontext.h>
#endif
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SIM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIM_TSAN 1
#endif
#endif
#ifdef SIM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SIM_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#ifndef MAP_STACK /* has no effect on Linux, and macOS does not have it */
#define MAP_STACK 0
#endif

struct sim_fiber {
  sim_fiber *next;            /* in a list */
  void *mapping;              /* a page that traps, then the stack */
  size_t mapped;
  void (*function)(void *);
  void *argument;
  int entered;                /* first_entry() runs on the stack */
  int returned;               /* it waits for the next function */
  jmp_buf self, caller;
#ifdef HAVE_MAKECONTEXT
  ucontext_t entry, entry_caller;
#endif
#ifdef SIM_ASAN
  void *fake_stack, *caller_fake_stack;
  const void *caller_bottom;
  size_t caller_size;
#endif
#ifdef SIM_TSAN
  void *tsan, *caller_tsan;
#endif
};

sim_fiber *iw_sim_fiber_new(void)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  sim_fiber *const fiber = calloc(1, sizeof *fiber);
  if (!fiber)
    return NULL;
  fiber->mapped = SIM_STACK + page;
  fiber->mapping = mmap(NULL, fiber->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                        -1, 0);
  if (fiber->mapping == MAP_FAILED) {
    free(fiber);
    return NULL;
  }
  (void)mprotect(fiber->mapping, page, PROT_NONE);
#ifdef SIM_TSAN
  fiber->tsan = __tsan_create_fiber(0);
#endif
  return fiber;
}

void iw_sim_fiber_free(sim_fiber *fiber)
{
  if (!fiber)
    return;
#ifdef SIM_TSAN
  __tsan_destroy_fiber(fiber->tsan);
#endif
  (void)munmap(fiber->mapping, fiber->mapped);
  free(fiber);
}

int iw_sim_fiber_has(const sim_fiber *fiber, uintptr_t at)
{
  return at - (uintptr_t)fiber->mapping < fiber->mapped;
}

void iw_sim_fiber_push(sim_fiber **list, sim_fiber *fiber)
{
  fiber->next = *list;
  *list = fiber;
}

sim_fiber *iw_sim_fiber_pop(sim_fiber **list)
{
  sim_fiber *const fiber = *list;
  if (fiber)
    *list = fiber->next;
  return fiber;
}

/* The sanitizers are told of each switch, before and after it. ThreadSanitizer keeps a stack of calls for
 * each fiber, so that no function may be entered on one and left on another: these are inlined. */
#define INLINED static inline __attribute__((always_inline))
INLINED void leaves_caller(sim_fiber *fiber)
{
#ifdef SIM_ASAN
  __sanitizer_start_switch_fiber(&fiber->caller_fake_stack, (char *)fiber->mapping + (fiber->mapped - SIM_STACK), SIM_STACK);
#endif
#ifdef SIM_TSAN
  fiber->caller_tsan = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber->tsan, 0);
#endif
  (void)fiber;
}

INLINED void is_in_fiber(sim_fiber *fiber)
{
#ifdef SIM_ASAN
  __sanitizer_finish_switch_fiber(fiber->fake_stack, &fiber->caller_bottom, &fiber->caller_size);
#endif
  (void)fiber;
}

INLINED void leaves_fiber(sim_fiber *fiber)
{
#ifdef SIM_ASAN
  __sanitizer_start_switch_fiber(&fiber->fake_stack, fiber->caller_bottom, fiber->caller_size);
#endif
#ifdef SIM_TSAN
  __tsan_switch_to_fiber(fiber->caller_tsan, 0);
#endif
  (void)fiber;
}

INLINED void is_in_caller(sim_fiber *fiber)
{
#ifdef SIM_ASAN
  __sanitizer_finish_switch_fiber(fiber->caller_fake_stack, NULL, NULL);
#endif
  (void)fiber;
}

void iw_sim_fiber_yield(sim_fiber *fiber)
{
  if (_setjmp(fiber->self) == 0) {
    leaves_fiber(fiber);
    _longjmp(fiber->caller, 1);
  }
  is_in_fiber(fiber);
}

static void serve(sim_fiber *fiber)
{
  is_in_fiber(fiber);
  for (;;) {
    fiber->function(fiber->argument);
    fiber->returned = 1;
    iw_sim_fiber_yield(fiber);
  }
}

#ifdef HAVE_MAKECONTEXT
/* makecontext() passes numbers of type int only. */
static void first_entry(unsigned high, unsigned low)
{
  serve((sim_fiber *)(((uintptr_t)high << 16 << 16) | low));
}

static void enter(sim_fiber *fiber, void *stack)
{
  (void)getcontext(&fiber->entry);
  fiber->entry.uc_stack.ss_sp = stack;
  fiber->entry.uc_stack.ss_size = SIM_STACK;
  fiber->entry.uc_link = NULL;
  const uintptr_t at = (uintptr_t)fiber;
  makecontext(&fiber->entry, (void (*)(void))first_entry, 2, (unsigned)(at >> 16 >> 16), (unsigned)at);
  (void)swapcontext(&fiber->entry_caller, &fiber->entry);
}
#else
/* serve(), which does not return, on the new stack, whose end is aligned for a call. */
static void enter(sim_fiber *fiber, void *stack)
{
  void *const end = (char *)stack + SIM_STACK;
#if defined __x86_64__
  __asm__ volatile("movq %0, %%rsp\n\tcallq *%1\n\tud2" : : "r"(end), "r"(serve), "D"(fiber) : "memory");
#elif defined __aarch64__
  register sim_fiber *const first __asm__("x0") = fiber;
  __asm__ volatile("mov sp, %0\n\tblr %1\n\tbrk #1" : : "r"(end), "r"(serve), "r"(first) : "memory");
#else
#error "the C library has no makecontext(); libucontext has one"
#endif
  __builtin_unreachable();
}
#endif

void iw_sim_fiber_start(sim_fiber *fiber, void (*function)(void *), void *argument)
{
  fiber->function = function;
  fiber->argument = argument;
  /* A function that returned has left its stack clean, so that the loop of first_entry() goes on without a
   * system call. */
  fiber->entered = fiber->returned;
  fiber->returned = 0;
#ifdef SIM_ASAN
  if (!fiber->entered) {
    ASAN_UNPOISON_MEMORY_REGION((char *)fiber->mapping + (fiber->mapped - SIM_STACK), SIM_STACK);
    fiber->fake_stack = NULL;
  }
#endif
}

void iw_sim_fiber_run(sim_fiber *fiber)
{
  if (_setjmp(fiber->caller) == 0) {
    leaves_caller(fiber);
    if (fiber->entered)
      _longjmp(fiber->self, 1);
    fiber->entered = 1;
    enter(fiber, (char *)fiber->mapping + (fiber->mapped - SIM_STACK));
  }
  is_in_caller(fiber);
}
