/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of the bits of each lane (popcount, leading and trailing zeros), for the CPU: the mirror of
 * language/cuda/bits.h. Part of the kernel language; it must not know any algorithm.
 */
#ifndef ISOWARP_LANGUAGE_CPU_BITS_H
#define ISOWARP_LANGUAGE_CPU_BITS_H

#define IW_BIT_COUNT(op, t, expr) IW_FN iw_u32 iw_##op##_##t(iw_##t a) \
{ iws_##t x[IW_PADDED(t)]; iws_u32 y[IW_PADDED(u32)] = { 0 }; iw_to_array_##t(x, a); \
  for (unsigned l = 0; l < IW_WARP_SIZE; l++) { const iws_##t v = x[l]; y[l] = (uint32_t)(expr); } \
  return iw_from_array_u32(y); }
IW_BIT_COUNT(popcount, u32, __builtin_popcount(v)) IW_BIT_COUNT(popcount, u64, __builtin_popcountll(v))
IW_BIT_COUNT(clz, u32, v ? __builtin_clz(v) : 32) IW_BIT_COUNT(clz, u64, v ? __builtin_clzll(v) : 64)
IW_BIT_COUNT(ctz, u32, v ? __builtin_ctz(v) : 32) IW_BIT_COUNT(ctz, u64, v ? __builtin_ctzll(v) : 64)

#endif
