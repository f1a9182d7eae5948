/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that gcc and clang call with -fsanitize=thread, in terms of what stands in front of this
 * header:
 *
 *   IW_HOOK                                     attributes of each function
 *   IW_HOOK_ACCESS(at, bytes, is_write, how)    in front of an access. how: one of IW_HOOK_PLAIN …
 *   IW_HOOK_ATOMIC(at, bytes, reads, writes, order)        in front of an atomic operation
 *   IW_HOOK_ATOMIC_END(reads, writes, order, changed)      behind it
 *   IW_HOOK_FENCE(order)
 *
 * No sanitizer's library is linked: the checks are those of a GPU.
 */
#ifndef ISOWARP_LANGUAGE_SIM_THREAD_HOOKS_H
#define ISOWARP_LANGUAGE_SIM_THREAD_HOOKS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__) /* gcc declares them with other pointer types */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#endif
/* RANGE: an array or a struct as a whole. UNALIGNED: the compiler does not know that it is aligned. */
enum { IW_HOOK_PLAIN, IW_HOOK_UNALIGNED, IW_HOOK_VOLATILE, IW_HOOK_RANGE };

#define IW_HOOKS_OF_SIZE_(N) \
  IW_HOOK void __tsan_read##N(void *at) { IW_HOOK_ACCESS(at, N, 0, IW_HOOK_PLAIN); } \
  IW_HOOK void __tsan_write##N(void *at) { IW_HOOK_ACCESS(at, N, 1, IW_HOOK_PLAIN); } \
  IW_HOOK void __tsan_unaligned_read##N(void *at) { IW_HOOK_ACCESS(at, N, 0, IW_HOOK_UNALIGNED); } \
  IW_HOOK void __tsan_unaligned_write##N(void *at) { IW_HOOK_ACCESS(at, N, 1, IW_HOOK_UNALIGNED); } \
  IW_HOOK void __tsan_volatile_read##N(void *at) { IW_HOOK_ACCESS(at, N, 0, IW_HOOK_VOLATILE); } \
  IW_HOOK void __tsan_volatile_write##N(void *at) { IW_HOOK_ACCESS(at, N, 1, IW_HOOK_VOLATILE); } \
  IW_HOOK void __tsan_unaligned_volatile_read##N(void *at) { IW_HOOK_ACCESS(at, N, 0, IW_HOOK_VOLATILE); } \
  IW_HOOK void __tsan_unaligned_volatile_write##N(void *at) { IW_HOOK_ACCESS(at, N, 1, IW_HOOK_VOLATILE); }
IW_HOOKS_OF_SIZE_(1)
IW_HOOKS_OF_SIZE_(2)
IW_HOOKS_OF_SIZE_(4)
IW_HOOKS_OF_SIZE_(8)
IW_HOOKS_OF_SIZE_(16)
IW_HOOK void __tsan_read_range(void *at, size_t bytes) { IW_HOOK_ACCESS(at, bytes, 0, IW_HOOK_RANGE); }
IW_HOOK void __tsan_write_range(void *at, size_t bytes) { IW_HOOK_ACCESS(at, bytes, 1, IW_HOOK_RANGE); }
IW_HOOK void __tsan_init(void) {}
IW_HOOK void __tsan_func_entry(void *pc) { (void)pc; }
IW_HOOK void __tsan_func_exit(void) {}
IW_HOOK void __tsan_vptr_update(void **at, void *value) { (void)at, (void)value; }
IW_HOOK void __tsan_vptr_read(void **at) { (void)at; }

/* The atomic operations of C and C++, which the compiler replaces by calls. NEW: the value behind one, of
 * `old` and v. */
#define IW_HOOK_UPDATE_(N, T, NAME, BUILTIN, NEW) \
  IW_HOOK T __tsan_atomic##N##_##NAME(volatile T *at, T v, int order) \
  { \
    IW_HOOK_ATOMIC((void *)(uintptr_t)at, sizeof *at, 1, 1, order); \
    const T old = BUILTIN(at, v, __ATOMIC_SEQ_CST); \
    IW_HOOK_ATOMIC_END(1, 1, order, (T)(NEW) != old); \
    return old; \
  }
#define IW_HOOK_ATOMICS_(N, T) \
  IW_HOOK_UPDATE_(N, T, exchange, __atomic_exchange_n, v) \
  IW_HOOK_UPDATE_(N, T, fetch_add, __atomic_fetch_add, old + v) \
  IW_HOOK_UPDATE_(N, T, fetch_sub, __atomic_fetch_sub, old - v) \
  IW_HOOK_UPDATE_(N, T, fetch_and, __atomic_fetch_and, old & v) \
  IW_HOOK_UPDATE_(N, T, fetch_or, __atomic_fetch_or, old | v) \
  IW_HOOK_UPDATE_(N, T, fetch_xor, __atomic_fetch_xor, old ^ v) \
  IW_HOOK_UPDATE_(N, T, fetch_nand, __atomic_fetch_nand, ~(old & v)) \
  IW_HOOK T __tsan_atomic##N##_load(const volatile T *at, int order) \
  { \
    IW_HOOK_ATOMIC((void *)(uintptr_t)at, sizeof *at, 1, 0, order); \
    const T value = __atomic_load_n(at, __ATOMIC_SEQ_CST); \
    IW_HOOK_ATOMIC_END(1, 0, order, 0); \
    return value; \
  } \
  IW_HOOK void __tsan_atomic##N##_store(volatile T *at, T v, int order) \
  { \
    IW_HOOK_ATOMIC((void *)(uintptr_t)at, sizeof *at, 0, 1, order); \
    __atomic_store_n(at, v, __ATOMIC_SEQ_CST); \
    IW_HOOK_ATOMIC_END(0, 1, order, 1); \
  } \
  IW_HOOK int __tsan_atomic##N##_compare_exchange_strong(volatile T *at, T *expected, T v, int order, \
                                                         int failure) \
  { \
    (void)failure; \
    IW_HOOK_ATOMIC((void *)(uintptr_t)at, sizeof *at, 1, 1, order); \
    const int done = __atomic_compare_exchange_n(at, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    IW_HOOK_ATOMIC_END(1, 1, order, done); \
    return done; \
  } \
  IW_HOOK int __tsan_atomic##N##_compare_exchange_weak(volatile T *at, T *expected, T v, int order, \
                                                       int failure) \
  { \
    return __tsan_atomic##N##_compare_exchange_strong(at, expected, v, order, failure); \
  } \
  IW_HOOK T __tsan_atomic##N##_compare_exchange_val(volatile T *at, T expected, T v, int order, int failure) \
  { \
    __tsan_atomic##N##_compare_exchange_strong(at, &expected, v, order, failure); \
    return expected; \
  }
IW_HOOK_ATOMICS_(8, uint8_t)
IW_HOOK_ATOMICS_(16, uint16_t)
IW_HOOK_ATOMICS_(32, uint32_t)
IW_HOOK_ATOMICS_(64, uint64_t)
IW_HOOK void __tsan_atomic_thread_fence(int order) { IW_HOOK_FENCE(order); }
IW_HOOK void __tsan_atomic_signal_fence(int order) { (void)order; }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
