/* SPDX-License-Identifier: Apache-2.0
 *
 * The time, for decisions that are made from measured times. Runtime layer.
 */
#ifndef IW_RUNTIME_CLOCK_H
#define IW_RUNTIME_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since an unspecified time, which no change of the date moves. */
static inline uint64_t iw_now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#endif
