/* SPDX-License-Identifier: Apache-2.0
 *
 * What prove.c (CPU) and prove.cu (GPU) share: the input, the digest, and the binning rule of their
 * histogram. Equal inputs and equal digests on both show that the kernels give equal bits.
 */
#ifndef PROVE_H
#define PROVE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "algorithms/histogram/args.h"

enum { PROVE_BINS = 250, PROVE_BLOCK = 256 };
enum { PROVE_ENTRIES = PROVE_BINS + 3 }; /* counters: the bins, below, above, NaN */

#ifdef __CUDACC__
#define PROVE_FN static __host__ __device__ inline
#else
#define PROVE_FN static inline
#endif

/* Element i of the input: uniform on [0, 1) in steps of 2^-24, a hash of the index. */
PROVE_FN float prove_element(size_t i)
{
  uint32_t h = (uint32_t)i * 2654435761u + 1;
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return (float)(h >> 8) * (1.0f / 16777216.0f);
}

/* FNV-1a over 32-bit words. */
static inline uint64_t prove_digest(const void *data, size_t words)
{
  uint64_t h = 1469598103934665603u;
  for (size_t i = 0; i < words; i++) {
    uint32_t w;
    memcpy(&w, (const char *)data + 4 * i, 4);
    h = (h ^ w) * 1099511628211u;
  }
  return h;
}

/* Writes the edges of PROVE_BINS even bins over [0.1, 0.9) and returns their binning rule. tau covers the
 * largest error of the guess at an edge and at the float below it; between these the guess is monotone. */
static inline iw_binning prove_binning(float edges[PROVE_BINS + 1])
{
  const double lo = 0.1f, hi = 0.9f, step = (hi - lo) / PROVE_BINS;
  for (int k = 0; k <= PROVE_BINS; k++) {
    const volatile double product = k * step;
    edges[k] = k == 0 ? (float)lo : k == PROVE_BINS ? (float)hi : (float)(product + lo);
  }
  iw_binning b;
  memset(&b, 0, sizeof b);
  b.mode = IW_BINNING_GUESS;
  b.bins = PROVE_BINS;
  b.bottom.f32 = edges[0];
  b.top.f32 = nextafterf(edges[PROVE_BINS], -INFINITY);
  const float scale = (float)(1 / step), offset = (float)(-lo / step);
  double tau = 0;
  for (int k = 0; k <= PROVE_BINS; k++) {
    volatile float at = edges[k] * scale, under = nextafterf(edges[k], -INFINITY) * scale;
    at = at + offset;
    under = under + offset;
    tau = fmax(tau, fmax((double)k - at, (double)under - k));
  }
  b.scale = scale;
  b.offset = offset;
  b.tau = tau * 1.01 + 1e-6;
  return b;
}

#endif
