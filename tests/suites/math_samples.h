/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples of arguments for the functions of <isowarp/math.h>, and digests of their results: the same in
 * tests/suites/math_exhaustive.c and, on a GPU, in bench/math.c.
 */
#ifndef TESTS_MATH_SAMPLES_H
#define TESTS_MATH_SAMPLES_H

#include <stdint.h>

#ifdef __CUDACC__
#define MATH_SAMPLES_FN static __device__ inline
#else
#define MATH_SAMPLES_FN static inline
#endif

MATH_SAMPLES_FN uint64_t math_mix(uint64_t x) /* splitmix64 */
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* Sample i of a function, as bits: all floats in turn for functions of one f32. Others get random ones: of
 * eight, one has any bits, one is close to 1, and six have exponents that give results of all sizes. */
MATH_SAMPLES_FN uint64_t math_sample(int is_f64, int operands, uint64_t i, uint64_t *y)
{
  uint64_t x = i;
  *y = 0;
  if (is_f64) {
    x = math_mix(i);
    const uint64_t other = math_mix(x), fraction = x & 0xfffffffffffff, sign = x & (uint64_t)1 << 63;
    if (other % 8 == 1) x = ((uint64_t)0x3ff << 52) + (fraction >> (other >> 8) % 52) * (other & 64 ? 1 : UINT64_MAX);
    if (other % 8 > 1) x = sign | (1023 + 10 - (other >> 8) % (other % 8 > 4 ? 12 : 64)) << 52 | fraction;
  } else if (operands == 2) {
    const uint64_t both = math_mix(i), other = math_mix(both);
    uint32_t a = (uint32_t)both, b = (uint32_t)(both >> 32);
    if (other % 8 == 1) a = (127u << 23) + (a & 0x7fffff) % (1u << (other >> 8) % 24);
    if (other % 8 > 1) {
      a &= other % 8 < 7 ? 0x7fffffff : 0xffffffff;
      b = (b & 0x807fffff) | (uint32_t)(127 + 8 - (other >> 8) % 24) << 23;
      if (other % 8 == 7) b &= 0xffffffff << (other >> 16) % 24; /* some are integers */
    }
    x = a;
    *y = b;
  }
  return x;
}

/* A result's part of a digest: the sum of these over all samples does not depend on their order. A NaN is
 * the one that kernels store. */
MATH_SAMPLES_FN uint64_t math_digest(uint64_t i, uint64_t found) { return math_mix(math_mix(i) ^ found); }

#endif
