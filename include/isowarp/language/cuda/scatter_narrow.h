/* SPDX-License-Identifier: Apache-2.0
 *
 * Scatters of bytes and 16-bit words, which are lanes of 32 bits, for CUDA: the mirror of language/cpu/scatter_narrow.h.
 * Part of the kernel language; it must not know any algorithm.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_SCATTER_NARROW_H
#define ISOWARP_LANGUAGE_CUDA_SCATTER_NARROW_H

#define IW_SCATTER_NARROW(n, type) \
  IW_FN void iw_scatter_##n(type *p, iw_u32 index, iw_u32 a, iw_pred some) \
  { IW_STORE_(iw_value_(some), p[iw_value_(index)], (type)iw_value_(a)); }
IW_SCATTER_NARROW(u8, uint8_t) IW_SCATTER_NARROW(u16, uint16_t)

#endif
