/* SPDX-License-Identifier: Apache-2.0
 *
 * How much stack a thread has left. Backend layer; knows no kernels.
 */
#ifndef IW_CPU_STACK_H
#define IW_CPU_STACK_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that a kernel may need: 256 KiB of variables (kernel.h), and as much again for what compilers put
 * beside them. The library's own kernels need less than half of it: doc/design/cpu.md#stacks. */
enum { IW_KERNEL_STACK_BYTES = 512 << 10 };

/* Returns the bytes between the caller's frame and the end of the calling thread's stack. 0: they are not
 * known, or the frame is not on that stack but on another one, of a signal handler or a coroutine, whose
 * end nothing tells. */
size_t iw_stack_left(void);

/* The part of the first thread's stack that has IW_KERNEL_STACK_BYTES below it; 0 bytes until it is known.
 * It stays the first thread's as long as the process lives, so a small call needs no look at thread-local
 * variables, which takes nanoseconds in a shared library. */
extern struct iw_first_stack { uintptr_t begin, bytes; } iw_first_stack;

static inline int iw_has_kernel_stack(void)
{
  const uintptr_t bytes = __atomic_load_n(&iw_first_stack.bytes, __ATOMIC_ACQUIRE);
  return (uintptr_t)__builtin_frame_address(0) - iw_first_stack.begin < bytes || iw_stack_left() >= IW_KERNEL_STACK_BYTES;
}

#endif
