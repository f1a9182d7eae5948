/* SPDX-License-Identifier: Apache-2.0
 *
 * An allocator, and a pthread_create, that count and refuse. The program that includes this defines them,
 * so the library's calls come here too, whether it is linked statically or not.
 */
#ifndef TESTS_ALLOCATOR_H
#define TESTS_ALLOCATOR_H

#include <dlfcn.h> /* RTLD_NEXT: with _GNU_SOURCE */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* Allocations and threads, numbered from 1 while `armed`. The one with number refused_at fails; ALL: each.
 * live: allocations; bytes: of these; most_bytes: at any time since it was set. */
#define ALL UINT32_MAX
static struct { int armed; uint32_t count, refused_at, refused, threads_refused; long live, bytes, most_bytes; } allocator;

/* Sanitizers have allocators of their own, from before the program's first call on. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

/* Not 0: this thread's allocations are not counted, as they are the test's. */
static __thread int allocator_is_exempt __attribute__((unused));
/* Of this thread's next allocations while `armed`, so many are not counted either. */
static __thread unsigned allocator_spares __attribute__((unused));

#ifndef SANITIZED
static int refused(void)
{
  if (!__atomic_load_n(&allocator.armed, __ATOMIC_RELAXED) || allocator_is_exempt)
    return 0;
  if (allocator_spares) {
    allocator_spares--;
    return 0;
  }
  const uint32_t number = __atomic_add_fetch(&allocator.count, 1, __ATOMIC_RELAXED);
  if (allocator.refused_at != ALL && allocator.refused_at != number)
    return 0;
  __atomic_add_fetch(&allocator.refused, 1, __ATOMIC_RELAXED);
  errno = ENOMEM;
  return 1;
}
static void add_bytes(long more)
{
  const long bytes = __atomic_add_fetch(&allocator.bytes, more, __ATOMIC_RELAXED);
  long most = __atomic_load_n(&allocator.most_bytes, __ATOMIC_RELAXED);
  while (bytes > most && !__atomic_compare_exchange_n(&allocator.most_bytes, &most, bytes, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}
static void *counted(void *made)
{
  if (made) {
    __atomic_add_fetch(&allocator.live, 1, __ATOMIC_RELAXED);
    add_bytes((long)malloc_usable_size(made));
  }
  return made;
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

#define INSTEAD __attribute__((visibility("default")))
INSTEAD void *malloc(size_t bytes) { return refused() ? NULL : counted(__libc_malloc(bytes)); }
INSTEAD void *calloc(size_t count, size_t size) { return refused() ? NULL : counted(__libc_calloc(count, size)); }
INSTEAD void *memalign(size_t alignment, size_t bytes) { return refused() ? NULL : counted(__libc_memalign(alignment, bytes)); }
INSTEAD void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
INSTEAD int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
  void *const made = memalign(alignment, bytes);
  if (made)
    *memory = made;
  return made ? 0 : ENOMEM;
}
INSTEAD void *realloc(void *memory, size_t bytes)
{
  if (refused())
    return NULL;
  const long before = memory ? (long)malloc_usable_size(memory) : 0;
  void *const made = __libc_realloc(memory, bytes);
  if (memory && made)
    add_bytes((long)malloc_usable_size(made) - before);
  return memory ? made : counted(made);
}
INSTEAD void free(void *memory)
{
  if (memory) {
    __atomic_sub_fetch(&allocator.live, 1, __ATOMIC_RELAXED);
    add_bytes(-(long)malloc_usable_size(memory));
  }
  __libc_free(memory);
}
INSTEAD int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *arg)
{
  static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!create)
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
  if (!refused())
    return create(thread, attributes, function, arg);
  allocator.threads_refused++;
  return EAGAIN;
}
#endif

/* Whether allocations come here: not under a sanitizer or valgrind. */
static inline int allocator_is_used(void)
{
  const long before = __atomic_load_n(&allocator.live, __ATOMIC_SEQ_CST); /* compilers take malloc to change nothing */
  void *volatile made = malloc(1);
  const int used = __atomic_load_n(&allocator.live, __ATOMIC_SEQ_CST) != before;
  free(made);
  return used;
}

static void arm(uint32_t refused_at)
{
  allocator.count = allocator.refused = allocator.threads_refused = 0;
  allocator.refused_at = refused_at;
  __atomic_store_n(&allocator.armed, 1, __ATOMIC_SEQ_CST);
}
static void disarm(void)
{
  __atomic_store_n(&allocator.armed, 0, __ATOMIC_SEQ_CST);
}

#endif
