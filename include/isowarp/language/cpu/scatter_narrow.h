/* SPDX-License-Identifier: Apache-2.0
 *
 * Scatters of bytes and 16-bit words, which are lanes of 32 bits, for the CPU: the mirror of language/cuda/scatter_narrow.h.
 * Part of the kernel language; it must not know any algorithm.
 */
#ifndef ISOWARP_LANGUAGE_CPU_SCATTER_NARROW_H
#define ISOWARP_LANGUAGE_CPU_SCATTER_NARROW_H

#define IW_SCATTER_NARROW(n, type) \
IW_FN void iw_scatter_##n(type *p, iw_u32 index, iw_u32 a, iw_pred some) \
{ iws_u32 x[IW_PADDED(u32)], at[IW_PADDED(u32)]; iw_to_array_u32(x, a); iw_to_array_u32(at, index); \
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); p[at[l]] = (type)x[l]; } }
IW_SCATTER_NARROW(u8, uint8_t) IW_SCATTER_NARROW(u16, uint16_t)

#endif
