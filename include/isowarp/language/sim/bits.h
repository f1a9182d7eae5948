/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of the bits of each lane (popcount, leading and trailing zeros), for the simulated GPU: the mirror
 * of language/cuda/bits.h. Part of the kernel language; it must not know any algorithm.
 */
#ifndef ISOWARP_LANGUAGE_SIM_BITS_H
#define ISOWARP_LANGUAGE_SIM_BITS_H

/* v is the lane's value; of 0 the numbers of zeros are the width. */
#define IW_BIT_COUNT(op, t, expr) IW_FN iw_u32 iw_##op##_##t(iw_##t a) \
{ iw_u32 r; IW_EACH_LANE_(l) { const iws_##t v = a.e[l]; r.e[l] = (uint32_t)(expr); } \
  r.undefined = a.undefined; r.owner = a.owner; return r; }
IW_BIT_COUNT(popcount, u32, __builtin_popcount(v)) IW_BIT_COUNT(popcount, u64, __builtin_popcountll(v))
IW_BIT_COUNT(clz, u32, v ? __builtin_clz(v) : 32) IW_BIT_COUNT(clz, u64, v ? __builtin_clzll(v) : 64)
IW_BIT_COUNT(ctz, u32, v ? __builtin_ctz(v) : 32) IW_BIT_COUNT(ctz, u64, v ? __builtin_ctzll(v) : 64)

#endif
