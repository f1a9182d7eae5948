/* SPDX-License-Identifier: Apache-2.0
 *
 * The bounds of a thread's stack are looked up once for each thread, as this takes microseconds, for the first thread
 * of a process hundreds of them.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_getattr_np */
#endif
#include <config.h>
#include "cpu/stack.h"
#include "runtime/error.h"

#include <pthread.h>
#include <sys/auxv.h>

/* end: one past the highest address; 0 until the bounds are known. */
static _Thread_local struct { uintptr_t begin, end; } bounds;

struct iw_first_stack iw_first_stack;

/* If there is no memory for the look-up, the next call tries again. */
static IW_NOINLINE void find_bounds(void)
{
  pthread_attr_t attributes;
  void *lowest;
  size_t bytes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  if (pthread_attr_getstack(&attributes, &lowest, &bytes) == 0) {
    bounds.begin = (uintptr_t)lowest;
    bounds.end = bounds.begin + bytes;
    /* The kernel has put these bytes on the first thread's stack. */
    const uintptr_t random_bytes = getauxval(AT_RANDOM);
    if (random_bytes - bounds.begin < bytes && bytes > IW_KERNEL_STACK_BYTES) {
      iw_first_stack.begin = bounds.begin + IW_KERNEL_STACK_BYTES;
      __atomic_store_n(&iw_first_stack.bytes, bytes - IW_KERNEL_STACK_BYTES, __ATOMIC_RELEASE);
    }
  }
  pthread_attr_destroy(&attributes);
}

size_t iw_stack_left(void)
{
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (!bounds.end)
    find_bounds();
  return here > bounds.begin && here < bounds.end ? here - bounds.begin : 0;
}
