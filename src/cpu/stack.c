/* SPDX-License-Identifier: Apache-2.0
 *
 * The bounds of a thread's stack are looked up once for each thread, as this takes microseconds, for the
 * first thread of a process hundreds of them.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_getattr_np */
#endif
#include <config.h>
#include "cpu/stack.h"
#include "runtime/error.h"

#include <pthread.h>
#ifdef HAVE_GETAUXVAL
#include <sys/auxv.h>
#endif

/* end: one past the highest address; 0 until the bounds are known. */
static _Thread_local struct { uintptr_t begin, end; } bounds;

struct iw_first_stack iw_first_stack;

#if defined HAVE_PTHREAD_GETATTR_NP /* glibc, musl, FreeBSD */
/* Returns 0 if there is no memory for the look-up. */
static int look_up(uintptr_t *begin, size_t *bytes)
{
  pthread_attr_t attributes;
  void *lowest;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return 0;
  const int found = pthread_attr_getstack(&attributes, &lowest, bytes) == 0;
  *begin = (uintptr_t)lowest;
  pthread_attr_destroy(&attributes);
  return found;
}
#elif defined HAVE_PTHREAD_GET_STACKADDR_NP /* macOS; the address is the stack's end */
static int look_up(uintptr_t *begin, size_t *bytes)
{
  *bytes = pthread_get_stacksize_np(pthread_self());
  *begin = (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - *bytes;
  return 1;
}
#else
static int look_up(uintptr_t *begin, size_t *bytes)
{
  (void)begin, (void)bytes;
  return 0;
}
#endif

static int is_first_thread(void)
{
#if defined HAVE_GETAUXVAL
  const uintptr_t random_bytes = getauxval(AT_RANDOM); /* which the kernel has put on the first thread's stack */
  return random_bytes - bounds.begin < bounds.end - bounds.begin;
#elif defined HAVE_PTHREAD_MAIN_NP
  return pthread_main_np() == 1;
#else
  return 0;
#endif
}

/* What cannot be looked up is tried again by the next call. */
static IW_NOINLINE void find_bounds(void)
{
  uintptr_t begin;
  size_t bytes;
  if (!look_up(&begin, &bytes))
    return;
  bounds.begin = begin;
  bounds.end = begin + bytes;
  if (bytes > IW_KERNEL_STACK_BYTES && is_first_thread()) {
    iw_first_stack.begin = begin + IW_KERNEL_STACK_BYTES;
    __atomic_store_n(&iw_first_stack.bytes, bytes - IW_KERNEL_STACK_BYTES, __ATOMIC_RELEASE);
  }
}

size_t iw_stack_left(void)
{
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (!bounds.end)
    find_bounds();
  return here > bounds.begin && here < bounds.end ? here - bounds.begin : 0;
}
