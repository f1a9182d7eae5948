/* SPDX-License-Identifier: Apache-2.0
 *
 * What the small benchmarks in C share: a clock, random numbers, and the end of a program whose call has
 * failed. Include it first.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#define _POSIX_C_SOURCE 200809L
#include <isowarp.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline void must(iw_status status)
{
  if (status == IW_OK)
    return;
  fprintf(stderr, "%s\n", iw_message());
  exit(1);
}

static inline double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Word i of SplitMix64. */
static inline uint64_t random_word(uint64_t i)
{
  uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* The next number in [0, 1). */
static inline double random_unit(void)
{
  static uint64_t next;
  return (double)(random_word(next++) >> 11) * 0x1p-53;
}

#endif
