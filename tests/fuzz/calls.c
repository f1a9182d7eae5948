/* SPDX-License-Identifier: Apache-2.0
 *
 * A target for libFuzzer: the bytes of an input choose calls of isowarp.h and their arguments, good and
 * bad; results are compared with scalar references (tests/suites/checked_calls.h). Contexts are kept from
 * one input to the next.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#endif
#define WITHOUT_CHECK 1
#define CHOOSE_DEFINED 1
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const uint8_t *input_at, *input_end;

/* The next bytes of the input, as many as n needs; 0 behind its end. */
static inline uint64_t choice(uint64_t n)
{
  uint64_t value = 0;
  for (uint64_t most = n - 1; most && input_at < input_end; most >>= 8)
    value = value << 8 | *input_at++;
  return value % n;
}

/* Elements that are bytes of the input, over and over. */
static inline int choose_bytes(void *to, size_t n)
{
  const size_t left = (size_t)(input_end - input_at), period = left < 48 ? left : 48;
  for (size_t i = 0; i < n && period; i++)
    ((uint8_t *)to)[i] = input_at[i % period];
  input_at += period;
  return period != 0;
}

/* The references copy elements one by one. Sanitizers make a call of memcpy() that long that most time
 * would be theirs. */
static inline void *copy(void *to, const void *from, size_t bytes)
{
  switch (bytes) {
  case 1: return __builtin_memcpy(to, from, 1);
  case 2: return __builtin_memcpy(to, from, 2);
  case 4: return __builtin_memcpy(to, from, 4);
  case 8: return __builtin_memcpy(to, from, 8);
  case 16: return __builtin_memcpy(to, from, 16);
  default: return __builtin_memcpy(to, from, bytes);
  }
}
#define memcpy(to, from, bytes) copy(to, from, bytes)

/* iw_type_size() is part of what is tested, and instrumented. */
#include <isowarp.h>
static inline size_t size_of(iw_type type)
{
  static const unsigned char sizes[] = { [IW_U8] = 1, [IW_U16] = 2, [IW_I32] = 4, [IW_U32] = 4, [IW_I64] = 8, [IW_U64] = 8,
                                         [IW_F32] = 4, [IW_F64] = 8, [IW_I8] = 1, [IW_I16] = 2, [IW_BOOL] = 1, [IW_F16] = 2,
                                         [IW_BF16] = 2 };
  return (unsigned)type < sizeof sizes ? sizes[type] : 0;
}
#define iw_type_size(type) size_of(type)
#include "../suites/checked_calls.h"

/* Allocations may fail. Little memory that was freed is kept apart, which would take more time than the
 * calls. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
  return "allocator_may_return_null=1:quarantine_size_mb=4:thread_local_quarantine_size_kb=256:malloc_context_size=6";
}

enum { MOST_ELEMENTS = 20000, MOST_CALLS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  if (!the.settings.count)
    calls_open(MOST_ELEMENTS + 8192);
  input_at = bytes;
  input_end = bytes + size;
  for (unsigned call = 0; call < MOST_CALLS && input_at < input_end; call++) {
    start_random(choice(256));
    /* Most calls have few elements and one thread, as those are the ones that many inputs can try. */
    const uint64_t large = choice(64);
    the.n = choose_size(large == 0 ? MOST_ELEMENTS : large < 4 ? 5000 : 300);
    const unsigned shape = (unsigned)choice(256), set = (unsigned)choice(the.settings.cpus / SHAPES);
    the.runs[0] = set * SHAPES + (shape < SHAPES ? shape : 0);
    the.run_count = 1;
    the.spoil = choice(4) == 0 ? 1 + (unsigned)choice(20) : 0;
    one_call();
  }
  return 0;
}
