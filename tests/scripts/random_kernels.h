/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of the kernels that tests/scripts/random_kernels.py writes, and what
 * tests/scripts/random_kernels.c knows of each.
 */
#ifndef TESTS_RANDOM_KERNELS_H
#define TESTS_RANDOM_KERNELS_H

#include <isowarp/descriptor.h>

enum {
  RANDOM_OUTS = 16,     /* columns for results, at most */
  RANDOM_BINS = 64,     /* counters for atomics */
  RANDOM_SLOTS = 3,     /* arrays of tile states */
  RANDOM_WORDS = 4,     /* words for each block */
  RANDOM_WARP_ROOM = 64 /* words that a warp compacts to, with their slack */
};

typedef struct random_args {
  size_t n, m;          /* m: elements that each block loops over, at most n */
  const uint32_t *u32;  /* n inputs of each type */
  const int32_t *i32;
  const uint64_t *u64;
  const int64_t *i64;
  const float *f32;
  const double *f64;
  const uint8_t *u8;
  const uint16_t *u16;
  void *out[RANDOM_OUTS]; /* n results each, of the types that the kernel's row has */
  uint32_t *bins32;       /* RANDOM_BINS */
  uint64_t *bins64;
  uint32_t *owned32;      /* a word for each element, for atomics of one thread alone */
  uint64_t *owned64;
  uint64_t *words;        /* RANDOM_WORDS columns of a word for each block */
  uint32_t *room32;       /* RANDOM_WARP_ROOM words for each warp of the grid */
  uint64_t *room64;
  uint32_t *hand;         /* a word for each thread of the grid */
  uint64_t *slots[RANDOM_SLOTS]; /* two words for each block */
  iw_tickets *tickets;
  uint32_t *counter;
} random_args;

/* Each kernel: X(name, types of the columns, whether it needs warps of 32 lanes, threads of its blocks or
 * 0). Types are letters: u i U I f d for u32 i32 u64 i64 f32 f64, b and h for u8 and u16. */

#endif
