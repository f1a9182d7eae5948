/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of f16 and bf16 on the host. Needs the default floating-point environment. Algorithms layer; not
 * installed.
 */
#ifndef IW_COMMON_HALF_H
#define IW_COMMON_HALF_H

#include <isowarp.h>
#include <isowarp/algorithms/common/installed_args.h>
#include <isowarp/language/scalar.h>

#include <math.h>

/* The number that bits of f16 or bf16 stand for. */
static inline double iw_half_value(iw_type type, uint16_t bits)
{
  return (double)(type == IW_F16 ? iws_widen_f16(bits) : iws_widen_bf16(bits));
}

/* The nearest number of the type, ties to even. */
static inline uint16_t iw_half_of(iw_type type, double x)
{
  /* x is rounded once: on the way, f32 takes it rounded to odd, that is, towards zero with the last bit set
   * if any bit was lost (Boldo and Melquiond, "When double rounding is odd"). */
  iw_scalar_bits odd = { .f32 = (float)x };
  if ((double)odd.f32 != x)
    odd.u32 = (odd.u32 - (fabs((double)odd.f32) > fabs(x))) | 1;
  return type == IW_F16 ? iws_narrow_f16(odd.f32) : iws_narrow_bf16(odd.f32);
}

#endif
