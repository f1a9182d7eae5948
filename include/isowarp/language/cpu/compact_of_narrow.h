/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, u8 or u16, whose lanes are u32: compaction. Included by memory.h.
 */
/* See compact_of_width.h. */
IW_FN unsigned FN(compact)(SCALAR *p, LANES a, iw_pred some)
{
  unsigned k = 0;
  IW_EACH(u32, i) {
    const unsigned bits = IW_BITS_OF(u32, some, i);
    SCALAR x[IW_VL_u32];
    if (IW_WARP_SIZE >= IW_VL_u32) VFN(narrow)(p + k, iwv_compress_u32(bits, a.r[i]));
    else { VFN(narrow)(x, iwv_compress_u32(bits, a.r[i])); memcpy(p + k, x, IW_WARP_SIZE * sizeof *p); }
    k += (unsigned)__builtin_popcount(bits);
  }
  return k;
}

IW_FN unsigned FN(compact_both)(SCALAR *p, SCALAR *q, LANES a, iw_pred chosen, iw_pred some)
{
  unsigned k = 0;
  if (IW_WARP_SIZE < IW_VL_u32 || some.m != IW_ALL_LANES) {
    FN(compact)(q, a, iw_and_pred(some, iw_not_pred(chosen)));
    return FN(compact)(p, a, chosen);
  }
  const iw_pred others = iw_not_pred(chosen);
  IW_EACH(u32, i) {
    const unsigned bits = IW_BITS_OF(u32, chosen, i);
    VFN(narrow)(p + k, iwv_compress_u32(bits, a.r[i]));
    VFN(narrow)(q + (i * IW_VL_u32 - k), iwv_compress_u32(IW_BITS_OF(u32, others, i), a.r[i]));
    k += (unsigned)__builtin_popcount(bits);
  }
  return k;
}
