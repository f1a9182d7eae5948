/* SPDX-License-Identifier: Apache-2.0
 *
 * What the compiler calls at each access of memory with -fsanitize=thread, and at an index out of range with
 * -fsanitize=bounds. No sanitizer's library is linked: the checks are those of a GPU.
 */
#include "simt/simt.h"

#include <stdio.h>
#include <string.h>

simt_now iw_simt_now = { .checks = SIM_CHECK_ALL };

#define HOOK __attribute__((visibility("default")))

/* ---- Accesses that are not of the device's memory, or not whole -------------------------------------- */

static const char *what_name(unsigned what)
{
  return what == SIMT_READ ? "reads" : "writes";
}

#define COLD __attribute__((cold, noinline)) static void

/* The last use of an index beyond an array. The access that follows is found by it already. */
static struct { const simt_thread *thread; uint32_t pc; } beyond;

static int is_beyond(uint32_t pc)
{
  return beyond.thread && beyond.thread == iw_simt_now.thread && iw_simt_same_line(pc, beyond.pc);
}

COLD out_of_bounds(uintptr_t at, size_t bytes, unsigned what, uint32_t pc)
{
  if (is_beyond(pc))
    return;
  /* Of an index of 32 bits without a sign, -1 is 2^32 - 1. */
  const uintptr_t below = at - ((uintptr_t)bytes << 32);
  const size_t front = iw_simt_in_front(below);
  if (front > 0 && front % bytes == 0)
    SIMT_FOUND(SIM_BOUNDS, 0, pc, 0, "%s %s %zu bytes at %s: the index -%zu without a sign, which is 2^32 - %zu", iw_simt_me(),
               what_name(what), bytes, iw_simt_place(below), front / bytes, front / bytes);
  SIMT_FOUND(SIM_BOUNDS, 0, pc, 0, "%s %s %zu bytes at %s", iw_simt_me(), what_name(what), bytes, iw_simt_place(at));
}

COLD undefined(uintptr_t at, size_t bytes, uint32_t pc)
{
  if (is_beyond(pc))
    return;
  SIMT_FOUND(SIM_UNDEFINED, 0, pc, 0, "%s reads %zu bytes at %s, which nothing has written", iw_simt_me(), bytes,
             iw_simt_place(at));
}

COLD misaligned(uintptr_t at, size_t bytes, unsigned what, uint32_t pc)
{
  SIMT_FOUND(SIM_BOUNDS, 0, pc, 0, "misaligned: %s %s %zu bytes at %s, which is no multiple of %zu", iw_simt_me(),
             what_name(what), bytes, iw_simt_place(at), bytes);
}

/* A word whose bytes are accessed by themselves has a cell for each from then on. */
static void divide(simt_area *area, size_t offset)
{
  simt_cell *const word = &area->words[offset >> 2], *const bytes = &area->of_bytes[offset & ~(size_t)3];
  for (unsigned i = 0; i < 4; i++)
    bytes[i] = *word;
  word->flags |= SIMT_DIVIDED;
}

static void check_words(simt_area *area, size_t offset, size_t bytes, unsigned what, unsigned attributes,
                        uint32_t pc)
{
  for (size_t o = offset; o < offset + bytes; ) {
    simt_cell *const word = &area->words[o >> 2];
    const size_t end = (o & ~(size_t)3) + 4 < offset + bytes ? (o & ~(size_t)3) + 4 : offset + bytes;
    if (!(word->flags & SIMT_DIVIDED) && end - o == 4)
      iw_simt_check_cell(word, simt_address(area, o), 4, what, attributes, pc);
    else {
      if (!(word->flags & SIMT_DIVIDED))
        divide(area, o);
      for (size_t b = o; b < end; b++)
        iw_simt_check_cell(&area->of_bytes[b], simt_address(area, b), 1, what, attributes, pc);
    }
    o = end;
  }
}

extern char __executable_start[];

/* ---- Any access -------------------------------------------------------------------------------------- */

/* The area of an access; NULL: there is none, or the access is out of bounds. */
static simt_area *locate(uintptr_t at, size_t bytes, unsigned what, uint32_t pc, size_t *offset)
{
  simt_area *const area = iw_simt_area(at, offset);
  int is_in = area != NULL;
  if (area == &iw_simt_now.global) {
    const simt_region *const r = simt_region_at(at);
    is_in = at - r->base < r->bytes && bytes <= r->bytes - (at - r->base) && !r->is_free;
  } else if (area)
    is_in = *offset + bytes <= area->bytes && iw_simt_in_object(at, bytes);
  if (SIMT_UNLIKELY(area && !is_in))
    out_of_bounds(at, bytes, what, pc);
  return is_in ? area : NULL;
}

/* Everything that is not a plain access of 4 bytes. is_partial: a copy of a struct may have undefined
 * bytes. */
static simt_cell *access_slow(uintptr_t at, size_t bytes, unsigned what, unsigned attributes, int is_partial,
                              uint32_t pc)
{
  simt_now *const now = &iw_simt_now;
  size_t offset;
  if (at - now->stacks < now->stacks_bytes) {
    if (SIMT_UNLIKELY(at < (uintptr_t)__builtin_frame_address(0) - 512 ||
                      at - (uintptr_t)__builtin_frame_address(0) > SIMT_STACK))
      out_of_bounds(at, bytes, what, pc);
    return NULL;
  }
  if (at - now->parameters < now->parameters_bytes)
    return NULL;
  simt_area *const area = locate(at, bytes, what, pc, &offset);
  if (!area) {
    if (what == SIMT_READ && at - (uintptr_t)__executable_start < now->data.base - (uintptr_t)__executable_start)
      return NULL; /* constants of the program */
    const int is_nowhere = !iw_simt_area(at, &offset);
    if (is_nowhere)
      out_of_bounds(at, bytes, what, pc);
    if (is_nowhere || (what & SIMT_WRITE && iw_simt_is_harmful(at, bytes)))
      iw_simt_stop_launch(700); /* the access cannot be done, so the launch cannot go on */
    return NULL;
  }
  if (what & SIMT_READ && !is_partial && area->defined && !iw_simt_is_defined(area, at, bytes))
    undefined(at, bytes, pc);
  if (what & SIMT_WRITE) {
    now->writes += !(what & SIMT_READ);
    iw_simt_set_defined(area, at, bytes, 1);
  }
  check_words(area, offset, bytes, what, attributes, pc);
  return &area->words[offset >> 2];
}

static inline void count_down(uint32_t pc)
{
  iw_simt_now.hooks++;
  if (SIMT_UNLIKELY(--iw_simt_now.countdown < 0))
    iw_simt_preempt(pc);
}

/* Code of the host. */
COLD of_host(uintptr_t at, size_t bytes, unsigned what, uint32_t pc)
{
  if (!simt_region_at(at)->is_managed)
    SIMT_FOUND(SIM_BOUNDS, 0, pc, 0, "the host %s %zu bytes at %s, which is memory of the device: copy it by cudaMemcpy()",
               what_name(what), bytes, iw_simt_place(at));
}

static inline int is_by_host(uintptr_t at, size_t bytes, unsigned what, uint32_t pc)
{
  if (SIMT_LIKELY(iw_simt_now.thread != NULL))
    return 0;
  if (SIMT_UNLIKELY(at - iw_simt_now.global.base < iw_simt_now.global.bytes))
    of_host(at, bytes, what, pc);
  return 1;
}

static void access_any(uintptr_t at, size_t bytes, unsigned what, int is_range, uint32_t pc)
{
  if (is_by_host(at, bytes, what, pc) || bytes == 0)
    return;
  count_down(pc);
  if (SIMT_UNLIKELY(iw_simt_counting))
    iw_simt_count_access(at, bytes, what == SIMT_WRITE, 0, pc);
  /* Of 16 bytes the hooks say no more than that they are aligned to 8: a struct of two pointers, or a
   * float4. */
  if (!is_range && SIMT_UNLIKELY(at & ((bytes < 8 ? bytes : 8) - 1)) && at - iw_simt_now.stacks >= iw_simt_now.stacks_bytes &&
      at - iw_simt_now.parameters >= iw_simt_now.parameters_bytes)
    misaligned(at, bytes, what, pc);
  access_slow(at, bytes, what, 0, is_range, pc);
}

/* A plain access of a word of 4 bytes: what most accesses need, without a call. Anything else is any access,
 * or one that its cell is looked at for. */
static inline void read_word(simt_area *area, size_t offset, uintptr_t at, uint32_t pc)
{
  const simt_now *const now = &iw_simt_now;
  simt_cell *const cell = &area->words[offset >> 2];
  if (SIMT_UNLIKELY(cell->flags & SIMT_DIVIDED)) {
    check_words(area, offset, 4, SIMT_READ, 0, pc);
    return;
  }
  if (cell->read.seg == now->seg && cell->read.who == now->who)
    return;
  if (simt_is_before(cell->write.seg)) {
    /* Another thread of the block has read it since the last write, which was checked then. */
    if (cell->read.seg == now->seg) {
      const uint32_t mine = now->who >> (SIMT_THREAD_AT + 5);
      if (cell->other.seg != now->seg ? simt_is_before(cell->other.seg) :
                                        (cell->other.who >> (SIMT_THREAD_AT + 5) == mine &&
                                         cell->read.who >> (SIMT_THREAD_AT + 5) != mine))
        cell->other = cell->read;
      cell->read = (simt_record){ now->seg, now->who, pc };
      return;
    }
    if (simt_is_before(cell->read.seg) && simt_is_before(cell->earlier.seg)) {
      cell->read = (simt_record){ now->seg, now->who, pc };
      return;
    }
  }
  iw_simt_check_cell(cell, at, 4, SIMT_READ, 0, pc);
}

static inline void write_word(simt_area *area, size_t offset, uintptr_t at, uint32_t pc)
{
  simt_now *const now = &iw_simt_now;
  simt_cell *const cell = &area->words[offset >> 2];
  area->defined[offset >> 3] |= (uint8_t)(15 << (offset & 7));
  now->writes++;
  if (SIMT_UNLIKELY(cell->flags & SIMT_DIVIDED)) {
    check_words(area, offset, 4, SIMT_WRITE, 0, pc);
    return;
  }
  const int is_mine = cell->write.seg == now->seg && cell->write.who == now->who;
  const int read_by_me = cell->read.seg == now->seg && cell->read.who == now->who;
  if ((is_mine || simt_is_before(cell->write.seg)) && (read_by_me || simt_is_before(cell->read.seg)) &&
      simt_is_before(cell->other.seg) && simt_is_before(cell->earlier.seg)) {
    cell->write = (simt_record){ now->seg, now->who, pc };
    cell->read.seg = cell->other.seg = cell->earlier.seg = 0;
    return;
  }
  iw_simt_check_cell(cell, at, 4, SIMT_WRITE, 0, pc);
}

static inline __attribute__((always_inline)) void access_word(uintptr_t at, unsigned what, uint32_t pc)
{
  simt_now *const now = &iw_simt_now;
  size_t offset = at - now->global.base;
  simt_area *area = &now->global;
  int is_plain = now->thread != NULL && now->countdown > 0 && !iw_simt_counting && (at & 3) == 0;
  if (SIMT_LIKELY(offset < area->bytes)) {
    const simt_region *const r = simt_region_at(at);
    is_plain = is_plain && at >= r->base && at - r->base + 4 <= r->bytes && !r->is_free;
  } else {
    area = &now->shared;
    offset = at - area->base;
    if (offset >= now->static_bytes) {
      is_plain = is_plain && at - now->dynamic < now->dynamic_bytes;
      offset = at - now->dynamic + now->static_bytes;
    }
  }
  if (SIMT_UNLIKELY(!is_plain || (what == SIMT_READ && (area->defined[offset >> 3] >> (offset & 7) & 15) != 15))) {
    access_any(at, 4, what, 0, pc);
    return;
  }
  now->hooks++;
  now->countdown--;
  (what == SIMT_READ ? read_word : write_word)(area, offset, at, pc);
}

static void strong_access(uintptr_t at, size_t bytes, int reads, int writes, int is_rmw, int scope,
                          unsigned attributes, uint32_t pc)
{
  if (SIMT_UNLIKELY(iw_simt_counting))
    iw_simt_count_access(at, bytes, writes, attributes & SIMT_ATOMIC && is_rmw, pc);
  if (SIMT_UNLIKELY(at & (bytes - 1)))
    misaligned(at, bytes, writes ? SIMT_WRITE : SIMT_READ, pc);
  simt_cell *const cell =
    access_slow(at, bytes, (reads ? SIMT_READ : 0) | (writes ? SIMT_WRITE : 0), attributes, 0, pc);
  if (cell)
    iw_simt_order_strong(cell, at, reads, writes, is_rmw, scope);
}

static void volatile_access(uintptr_t at, size_t bytes, unsigned what, uint32_t pc)
{
  if (is_by_host(at, bytes, what, pc))
    return;
  count_down(pc);
  if (what == SIMT_READ && at - iw_simt_now.stacks >= iw_simt_now.stacks_bytes)
    iw_simt_poll(pc);
  strong_access(at, bytes, what == SIMT_READ, what == SIMT_WRITE, 0, 2, SIMT_VOLATILE, pc);
}

void iw_simt_access(const void *at, size_t bytes, int is_write, void *pc)
{
  access_any((uintptr_t)at, bytes, is_write ? SIMT_WRITE : SIMT_READ, 0, simt_pc(pc));
}

/* The compiler's calls of memcpy() and memset(), which it is told not to inline, come here
 * (isowarp_simt.h). */
HOOK void *iw_simt_memcpy_hook(void *to, const void *from, size_t bytes)
{
  if (iw_simt_now.thread) {
    access_any((uintptr_t)from, bytes, SIMT_READ, 1, SIMT_PC());
    access_any((uintptr_t)to, bytes, SIMT_WRITE, 1, SIMT_PC());
  }
  return memmove(to, from, bytes);
}

HOOK void *iw_simt_memset_hook(void *to, int value, size_t bytes)
{
  if (iw_simt_now.thread)
    access_any((uintptr_t)to, bytes, SIMT_WRITE, 1, SIMT_PC());
  return memset(to, value, bytes);
}

/* ---- Atomics ----------------------------------------------------------------------------------------- */

void iw_simt_atomic(void *at, size_t bytes, int kind, int scope, void *return_address)
{
  const uint32_t pc = simt_pc(return_address);
  if (!iw_simt_now.thread)
    return;
  count_down(pc);
  iw_simt_poll(pc);
  if (kind & IW_SIMT_RELEASE)
    iw_simt_fence(scope);
  strong_access((uintptr_t)at, bytes, kind & IW_SIMT_LOAD, (kind & IW_SIMT_STORE) != 0,
                (kind & IW_SIMT_RMW) == IW_SIMT_RMW, scope, SIMT_ATOMIC | (scope == 0 ? SIMT_OF_BLOCK : 0) | (kind & IW_SIMT_COMPARE ? SIMT_COMPARES : 0),
                pc);
}

void iw_simt_atomic_end(int kind, int scope, int changed)
{
  if (!iw_simt_now.thread)
    return;
  iw_simt_now.writes += changed != 0;
  if (kind & IW_SIMT_ACQUIRE)
    iw_simt_fence(scope);
}

/* ---- What the compiler calls --------------------------------------------------------------------------- */

static inline int fences_of(int order)
{
  switch (order) {
    case __ATOMIC_RELAXED: return 0;
    case __ATOMIC_CONSUME: case __ATOMIC_ACQUIRE: return IW_SIMT_ACQUIRE;
    case __ATOMIC_RELEASE: return IW_SIMT_RELEASE;
    default: return IW_SIMT_ACQUIRE | IW_SIMT_RELEASE;
  }
}

static inline int kind_of(int reads, int writes, int order)
{
  const int allowed = (reads ? IW_SIMT_ACQUIRE : 0) | (writes ? IW_SIMT_RELEASE : 0);
  return (reads ? IW_SIMT_LOAD : 0) | (writes ? IW_SIMT_STORE : 0) | (fences_of(order) & allowed);
}

static inline void hook(uintptr_t at, size_t bytes, int is_write, int how, uint32_t pc);
#define IW_HOOK HOOK
#define IW_HOOK_ACCESS(at, bytes, is_write, how) hook((uintptr_t)(at), bytes, is_write, how, SIMT_PC())
#define IW_HOOK_ATOMIC(at, bytes, reads, writes, order) \
  iw_simt_atomic(at, bytes, kind_of(reads, writes, order), 2, __builtin_return_address(0))
#define IW_HOOK_ATOMIC_END(reads, writes, order, changed) \
  iw_simt_atomic_end(kind_of(reads, writes, order), 2, changed)
#define IW_HOOK_FENCE(order) ((void)(order), iw_simt_fence(2))
#include "../../include/isowarp/language/sim/thread_hooks.h"

static inline __attribute__((always_inline)) void hook(uintptr_t at, size_t bytes, int is_write, int how,
                                                       uint32_t pc)
{
  const unsigned what = is_write ? SIMT_WRITE : SIMT_READ;
  if (how == IW_HOOK_VOLATILE)
    volatile_access(at, bytes, what, pc);
  else if (how == IW_HOOK_PLAIN && bytes == 4)
    access_word(at, what, pc);
  else
    access_any(at, bytes, what, how == IW_HOOK_RANGE, pc);
}

/* ---- What the compiler knows of types ---------------------------------------------------------------- */

HOOK void __ubsan_handle_out_of_bounds(const void *about, uintptr_t index)
{
  const sim_index i = iw_sim_index(about, index);
  beyond.thread = iw_simt_now.thread;
  beyond.pc = SIMT_PC();
  SIMT_FOUND(SIM_BOUNDS, 0, SIMT_PC(), 0, "%s uses the index %s of %s", iw_simt_me(), i.number, i.array);
}

HOOK void __ubsan_handle_type_mismatch_v1(const void *about, uintptr_t at)
{
  const sim_mismatch m = iw_sim_mismatch(about);
  if (iw_simt_now.thread && at != 0 && at & (m.alignment - 1) && at - iw_simt_now.stacks >= iw_simt_now.stacks_bytes)
    SIMT_FOUND(SIM_BOUNDS, 0, SIMT_PC(), 0, "misaligned: %s accesses %s at %s, which is no multiple of %zu", iw_simt_me(),
               m.type, iw_simt_place(at), m.alignment);
}
