/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of the bits of each lane (popcount, leading and trailing zeros), for CUDA: the mirror of
 * language/cpu/bits.h. Part of the kernel language; it must not know any algorithm.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_BITS_H
#define ISOWARP_LANGUAGE_CUDA_BITS_H

#include <isowarp/language/cuda/lanes.h>

/* __clz and __clzll of 0 are the width, and so is what they give for 0 with its bits reversed. */
#define IW_BIT_COUNT(op, t, expr) \
  IW_FN iw_u32 iw_##op##_##t(iw_##t a) { const iws_##t v = iw_value_(a); return IW_LANE_(u32, (uint32_t)(expr)); }
IW_BIT_COUNT(popcount, u32, __popc(v)) IW_BIT_COUNT(popcount, u64, __popcll(v))
IW_BIT_COUNT(clz, u32, __clz((int)v)) IW_BIT_COUNT(clz, u64, __clzll((long long)v))
IW_BIT_COUNT(ctz, u32, __clz((int)__brev(v))) IW_BIT_COUNT(ctz, u64, __clzll((long long)__brevll(v)))

#endif
