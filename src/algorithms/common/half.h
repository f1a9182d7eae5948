/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of floats of 1 and 2 bytes on the host. Needs the default floating-point environment. Algorithms
 * layer; not installed.
 */
#ifndef IW_COMMON_HALF_H
#define IW_COMMON_HALF_H

#include <isowarp/descriptor.h>
#include <isowarp/algorithms/common/installed_args.h>
#include <isowarp/language/scalar.h>

#include <math.h>

/* The number that bits of a narrow float stand for. */
static inline double iw_half_value(iw_type type, uint16_t bits)
{
  switch ((int)type) {
#define IW_VALUE(t, lanes) case IW_TYPE_OF_##t: return (double)iws_widen_##t((iws_##t)bits);
  IW_NARROW_TYPES(IW_VALUE)
#undef IW_VALUE
  }
  return 0;
}

/* The nearest number of a narrow float type, ties to even. */
static inline uint16_t iw_half_of_f32(iw_type type, float x)
{
  switch ((int)type) {
#define IW_BITS(t, lanes) case IW_TYPE_OF_##t: return (uint16_t)iws_narrow_##t((iws_##lanes)x);
  IW_NARROW_TYPES(IW_BITS)
#undef IW_BITS
  }
  return 0;
}
static inline uint16_t iw_half_of(iw_type type, double x)
{
  /* x is rounded once: on the way, f32 takes it rounded to odd, that is, towards zero with the last bit set
   * if any bit was lost (Boldo and Melquiond, "When double rounding is odd"). */
  iw_scalar_bits odd = { .f32 = (float)x };
  if ((double)odd.f32 != x)
    odd.u32 = (odd.u32 - (fabs((double)odd.f32) > fabs(x))) | 1;
  return iw_half_of_f32(type, odd.f32);
}

#endif
