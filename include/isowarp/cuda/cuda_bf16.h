/* SPDX-License-Identifier: Apache-2.0
 *
 * bfloat16, as half (cuda_fp16.h).
 */
#ifndef ISOWARP_CUDA_BF16_H
#define ISOWARP_CUDA_BF16_H
#include "cuda_fp16.h"
IW_SHORT_FLOAT(__nv_bfloat16, __x, from_bfloat16, to_bfloat16)
IW_SHORT_NAMES(__nv_bfloat16, bfloat16, bfloat162)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif
