/* SPDX-License-Identifier: Apache-2.0
 *
 * bfloat16, as half (cuda_fp16.h).
 */
#ifndef ISOWARP_CUDA_BF16_H
#define ISOWARP_CUDA_BF16_H
#include "cuda_fp16.h"
IW_SHORT_FLOAT(__nv_bfloat16, __x, from_bfloat16, to_bfloat16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
static inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
static inline float __bfloat162float(__nv_bfloat16 x) { return x; }
static inline __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return { __nv_bfloat16(x), __nv_bfloat16(y) }; }
static inline __nv_bfloat162 __float2bfloat162_rn(float x) { return { __nv_bfloat16(x), __nv_bfloat16(x) }; }
static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return { x, y }; }
static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return { x, y }; }
static inline float2 __bfloat1622float2(__nv_bfloat162 v) { return { (float)v.x, (float)v.y }; }
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { __nv_bfloat16 h; h.__x = x; return h; }
#endif
