/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels that test the kernel language. They are compiled once for each instruction set and warp size;
 * every build has a table of them, in this order.
 */
#ifndef LANGUAGE_H
#define LANGUAGE_H

#include <stddef.h>
#include <stdint.h>

/* Input arrays, and an output of columns: result c of element e stands at out + c * stride + e * size of
 * its type. */
typedef struct language_args {
  const void *a, *b;        /* elements of the kernel's type */
  const uint32_t *index;    /* for gathers, shuffles and atomics */
  const uint32_t *chosen;   /* bits for predicates */
  void *out;
  size_t stride, n;
  void *scratch;            /* memory that blocks share */
  uint64_t *slots;
  int64_t skew;             /* lane l of the grid has element l - skew */
  const uint32_t *deltas;
  uint32_t delta_count, thread;
} language_args;

enum { LANGUAGE_SLOTS = 8, LANGUAGE_COUNTERS = 16, LANGUAGE_BOUNDS = 16, LANGUAGE_PRIVATE = 5120, LANGUAGE_PILES = 256 };

#define LANGUAGE_OF_TYPE(X, t) X(numbers_##t) X(convert_##t) X(memory_##t) X(warp_##t) X(shuffle_##t) X(block_##t) \
  X(chain_##t) X(rows_of_slots_##t) X(rows_##t) X(segments_##t) X(far_##t) X(scalars_##t) X(uniform_##t)
#define LANGUAGE_OF_INT(X, t) X(integers_##t) X(atomics_##t) X(match_##t)
#define LANGUAGE_KERNELS(X) \
  LANGUAGE_OF_TYPE(X, f32) LANGUAGE_OF_TYPE(X, f64) LANGUAGE_OF_TYPE(X, i32) LANGUAGE_OF_TYPE(X, u32) \
  LANGUAGE_OF_TYPE(X, i64) LANGUAGE_OF_TYPE(X, u64) \
  LANGUAGE_OF_INT(X, i32) LANGUAGE_OF_INT(X, u32) LANGUAGE_OF_INT(X, i64) LANGUAGE_OF_INT(X, u64) \
  X(floats_f32) X(floats_f64) X(floor_f32) X(floor_f64) X(guesses_f32) X(guesses_f64) \
  X(abs_i32) X(abs_i64) X(bits_u32) X(bits_u64) X(compact_u32) X(compact_u64) \
  X(predicates) X(votes) X(spans) X(narrow) X(narrow_memory) X(rows_from) X(rows_narrow) X(operators) X(counters) X(private_counters) X(piles) X(phases) X(handover) X(any_size) X(normalise)

#define LANGUAGE_ENUM(name) LANGUAGE_##name,
enum { LANGUAGE_KERNELS(LANGUAGE_ENUM) LANGUAGE_KERNEL_COUNT };

#endif
